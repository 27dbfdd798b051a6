#pragma once

// What a conformance suite finds: sentences that turned out not to hold. It knows no test
// framework, so tests and the host's own validation use the same suites.

#include <algorithm>
#include <cstdint>
#include <mortise/error.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mortise::conformance {

class Report {
 public:
  // `sentence`: "subject: what must be true". Returns `holds`.
  bool expect(bool holds, std::string_view sentence) {
    ++checked_;
    if (!holds) add(sentence);
    return holds;
  }

  // Runs some expectations; what they throw is a failure too, and the suite goes on.
  template <class F>
  void section(std::string_view subject, F f) {
    ++checked_;
    try {
      f();
    } catch (const Error& e) {
      add(std::string(subject) + ": threw " + e.type() + ": " + e.what());
    } catch (const std::exception& e) {
      add(std::string(subject) + ": threw " + e.what());
    } catch (...) {
      add(std::string(subject) + ": threw something that is no std::exception");
    }
  }

  // `f` must throw an Error of this code whose message contains `part`.
  template <class F>
  void expect_refusal(ErrorCode code, std::string_view part, std::string_view sentence, F f) {
    ++checked_;
    try {
      f();
    } catch (const Error& e) {
      if (e.code() != code)
        add(std::string(sentence) + ", but the error has code " +
            std::to_string(std::int32_t(e.code())) + ": " + e.what());
      else if (std::string_view(e.what()).find(part) == std::string_view::npos)
        add(std::string(sentence) + ", naming " + std::string(part) + ": " + e.what());
      return;
    } catch (const std::exception& e) {
      return add(std::string(sentence) + ", but it threw " + e.what());
    }
    add(std::string(sentence) + ", but nothing was thrown");
  }

  // Where the expectations of this scope stand: "crossed", "2 ranks".
  class Scope {
   public:
    Scope(Report& report, std::string_view place) : report_(report), rest_(report.place_.size()) {
      report_.place_ += std::string(place) + ": ";
    }
    ~Scope() { report_.place_.resize(rest_); }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    Report& report_;
    std::size_t rest_;
  };
  [[nodiscard]] Scope inside(std::string_view place) { return Scope(*this, place); }

  // Each sentence once, in the order in which they failed.
  const std::vector<std::string>& failures() const { return failures_; }
  std::int64_t checked() const { return checked_; }
  std::string text() const {
    std::string all;
    for (const std::string& f : failures_) all += f + "\n";
    return all;
  }

 private:
  void add(std::string_view sentence) {
    std::string failure = place_ + std::string(sentence);
    if (std::find(failures_.begin(), failures_.end(), failure) == failures_.end())
      failures_.push_back(std::move(failure));
  }
  std::string place_;
  std::vector<std::string> failures_;
  std::int64_t checked_ = 0;
};

}  // namespace mortise::conformance
