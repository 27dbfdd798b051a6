#pragma once

#include <string>
#include <string_view>

#include "host/validation/check_record.hpp"

namespace mortise::host {

// Tells the process that waits what happens (host/validation/check_record.hpp).
class Progress {
 public:
  explicit Progress(const std::string& file);
  ~Progress();
  Progress(const Progress&) = delete;

  void at(const std::string& what) {
    where_ = what;
    write(record::at, what);
  }
  const std::string& where() const { return where_; }
  void fail(const std::string& what) { write(record::fail, what); }
  void skip(const std::string& why) { write(record::skip, why); }
  void count(std::int64_t expectations) { write(record::count, std::to_string(expectations)); }
  void done() { write(record::done, ""); }

 private:
  void write(std::string_view word, std::string text);
  std::string where_ = "start";
  int file_ = -1;
};

}  // namespace mortise::host
