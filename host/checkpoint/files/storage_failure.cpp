#include "host/checkpoint/files/storage_failure.hpp"

#include <cerrno>
#include <cstring>

namespace mortise::host {
namespace {

constexpr StorageId kIds[] = {
    {storage::write, "a file could not be written: disk full, quota, read-only, lost server"},
    {storage::folder, "a folder could not be made, renamed or removed"},
    {storage::read, "a file could not be read"},
    {storage::unexpected, "an error of ours while a checkpoint was saved"},
    {storage::no_index, "the folder is no complete checkpoint: it has no index.json"},
    {storage::broken_index, "index.json or state.json is not what this version writes"},
    {storage::wrong_size, "a file of the checkpoint is missing or of another size"},
    {storage::wrong_checksum, "the bytes of a file are not those that were written"},
    {storage::broken_tensors, "a safetensors file is malformed or does not match the index"},
    {storage::not_tiled, "the boxes that the ranks hold do not cover a tensor exactly once"},
    {storage::ranks_differ, "ranks disagree on the shape or type of a tensor"},
    {storage::not_shared, "rank 0 does not see what another rank wrote"},
    {storage::other_model, "names, shapes or types differ between checkpoint and model"},
    {storage::not_found, "there is no such checkpoint"},
};

std::string advice_for(int error) {
  switch (error) {
    case ENOSPC:
    case EDQUOT:
      return "free space there or set run.folder to a larger disk; older checkpoints are untouched";
    case EFBIG:
      return "raise the limit on file sizes (ulimit -f); older checkpoints are untouched";
    case EROFS:
    case EACCES:
    case EPERM:
      return "make the folder writable for this user or set run.folder to another one";
    case ENOTDIR:
      return "a file stands where a folder is needed: move it or set run.folder";
    case ENOENT:
      return "check the path; another process may have removed it";
    default:
      return "check the disk or the file server, then run again: the last checkpoint is untouched";
  }
}

}  // namespace

std::span<const StorageId> storage_ids() { return kIds; }

Failure storage_failure(const char* id, const std::filesystem::path& place, const std::string& what,
                        const std::string& advice) {
  return Failure(id, Exit::storage,
                 place.string() + ": error[" + id + "]: " + what + "\n  do: " + advice);
}

Failure system_failure(const char* id, const std::filesystem::path& place, const std::string& what,
                       int error) {
  const char* name = strerrorname_np(error);
  const std::string reason = std::string(std::strerror(error)) + " (" +
                             (name != nullptr ? std::string(name) : std::to_string(error)) + ")";
  return storage_failure(id, place, what + ": " + reason, advice_for(error));
}

}  // namespace mortise::host
