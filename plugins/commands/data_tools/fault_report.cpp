#include "fault_report.hpp"

#include <unistd.h>

namespace mortise::data_tools {

void FaultReport::add(const std::string& line) {
  if (!file_) file_.emplace(path_, pbin::PartialFile::Busy::fail);
  file_->append(line);
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
