#include "record_fault.hpp"

#include "../encoding/json_text.hpp"

namespace mortise::corpus {

std::string report_line(const std::string& file, const RecordFault& fault) {
  return "{\"file\": " + encoding::json_string(file) + ", \"line\": " + std::to_string(fault.line) +
         ", \"reason\": " + encoding::json_string(fault.reason) + ", \"action\": \"" +
         (fault.replaced ? "replaced" : "skipped") + "\"}\n";
}

}  // namespace mortise::corpus
