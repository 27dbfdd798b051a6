#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "host/config/document/source.hpp"
#include "host/failure.hpp"

namespace mortise::host {

// Stable ids of what can be wrong with settings. Never reuse a number; finding_ids() documents
// them.
namespace finding {
inline constexpr const char* unreadable = "C0001";
inline constexpr const char* encoding = "C0002";
inline constexpr const char* syntax = "C0003";
inline constexpr const char* tab = "C0004";
inline constexpr const char* too_deep = "C0005";
inline constexpr const char* too_large = "C0006";
inline constexpr const char* anchor_cycle = "C0007";
inline constexpr const char* merge_key = "C0008";
inline constexpr const char* several_documents = "C0009";
inline constexpr const char* tag = "C0010";
inline constexpr const char* bad_key = "C0011";
inline constexpr const char* duplicate_key = "C0012";
inline constexpr const char* quote_it = "C0013";
inline constexpr const char* include_missing = "C0020";
inline constexpr const char* include_cycle = "C0021";
inline constexpr const char* site_section = "C0022";
inline constexpr const char* bad_override = "C0023";
inline constexpr const char* override_target = "C0024";
inline constexpr const char* interpolated_key = "C0030";
inline constexpr const char* bad_interpolation = "C0031";
inline constexpr const char* dangling_path = "C0032";
inline constexpr const char* unset_variable = "C0033";
inline constexpr const char* interpolation_cycle = "C0034";
inline constexpr const char* interpolation_size = "C0036";
inline constexpr const char* unknown_section = "C0100";
inline constexpr const char* reserved = "C0101";
inline constexpr const char* missing = "C0102";
inline constexpr const char* unknown_setting = "C0103";
inline constexpr const char* wrong_type = "C0104";
inline constexpr const char* out_of_range = "C0105";
inline constexpr const char* not_a_choice = "C0106";
inline constexpr const char* quoted_value = "C0108";
inline constexpr const char* rule_broken = "C0109";
inline constexpr const char* unknown_component = "C0110";
inline constexpr const char* wrong_kind = "C0111";
inline constexpr const char* dangling_ref = "C0112";
inline constexpr const char* circular_ref = "C0113";
inline constexpr const char* bad_name = "C0114";
inline constexpr const char* not_supported = "C0115";
inline constexpr const char* broken_schema = "C0116";
inline constexpr const char* no_component = "C0117";
inline constexpr const char* refused_component = "C0118";
inline constexpr const char* micro_batch = "C0303";
inline constexpr const char* ambiguous_component = "P1020";
}  // namespace finding

struct FindingId {
  const char* id;
  const char* meaning;
};
// Every id with its meaning, for the documentation.
std::span<const FindingId> finding_ids();

// One thing that is wrong, where, and what to do about it.
struct Finding {
  const char* id;
  Place place;
  std::string path;  // key path; empty when the text names its subject itself
  std::string text;
};

// All that is wrong with the settings of one run, reported together.
class Findings {
 public:
  void add(const char* id, const Place& place, std::string path, std::string text);
  void append(const Findings& other);
  // Takes back what another finding explains better: those at `path` whose text holds `word`.
  void drop(const char* id, const std::string& path, const std::string& word);
  bool empty() const { return list_.empty(); }
  std::size_t size() const { return list_.size(); }
  const std::vector<Finding>& list() const { return list_; }

  // Ordered by file and position, each with its line and a caret; at most kMaxShown of them.
  static constexpr std::size_t kMaxShown = 200;
  std::string text() const;
  // Throws a Failure with the id of the first and the text of all, if there are any. Exit 3 when
  // refused plugins are all that is wrong, else 2.
  void throw_if_any() const;

 private:
  std::vector<Finding> sorted() const;
  std::vector<Finding> list_;
};

}  // namespace mortise::host
