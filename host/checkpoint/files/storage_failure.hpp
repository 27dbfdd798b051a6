#pragma once

#include <filesystem>
#include <functional>
#include <span>
#include <string>

#include "host/failure.hpp"

namespace mortise::host {

// Stable ids of what can go wrong with checkpoints. Never reuse a number; storage_ids() documents
// them.
namespace storage {
inline constexpr const char* write = "K0001";
inline constexpr const char* folder = "K0002";
inline constexpr const char* read = "K0003";
inline constexpr const char* unexpected = "K0004";
inline constexpr const char* no_index = "K0010";
inline constexpr const char* broken_index = "K0011";
inline constexpr const char* wrong_size = "K0012";
inline constexpr const char* wrong_checksum = "K0013";
inline constexpr const char* broken_tensors = "K0014";
inline constexpr const char* not_tiled = "K0020";
inline constexpr const char* ranks_differ = "K0021";
inline constexpr const char* not_shared = "K0022";
inline constexpr const char* other_model = "K0030";
inline constexpr const char* not_found = "K0031";
}  // namespace storage

struct StorageId {
  const char* id;
  const char* meaning;
};
// Every id with its meaning, for the documentation.
std::span<const StorageId> storage_ids();

// What is wrong, where, and what to do about it. Exit code 7.
//   /runs/a/checkpoints: error[K0001]: cannot write: No space left on device (ENOSPC)
//     do: free space, or ...
Failure storage_failure(const char* id, const std::filesystem::path& place, const std::string& what,
                        const std::string& advice);

// The same for a system call that failed with `error` (an errno).
Failure system_failure(const char* id, const std::filesystem::path& place, const std::string& what,
                       int error);

// Takes what is worth telling but stops nothing.
using WarningSink = std::function<void(const std::string&)>;

}  // namespace mortise::host
