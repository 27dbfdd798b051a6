#include "fault_report.hpp"

#include <unistd.h>

namespace mortise::data_tools {

void FaultReport::resume(std::uint64_t bytes) {
  if (bytes == 0) return;
  file_.emplace(path_, pbin::PartialFile::Busy::fail, pbin::PartialFile::Content::keep);
  file_->cut(bytes);
}

void FaultReport::add(const std::string& line) {
  if (!file_) file_.emplace(path_, pbin::PartialFile::Busy::fail);
  file_->append(line);
}

std::uint64_t FaultReport::save() {
  if (!file_) return 0;
  file_->sync();
  return file_->size();
}

void FaultReport::leave() {
  if (file_) file_->leave();
}

void FaultReport::publish() {
  if (!file_) {
    ::unlink(path_.c_str());
    return;
  }
  file_->sync();
  file_->rename_to_final();
}

}  // namespace mortise::data_tools
