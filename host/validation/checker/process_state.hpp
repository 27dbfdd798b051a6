#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace mortise::host {

// What a plugin must leave as it is, by name: threads, signal handlers, environment, locale,
// floating-point mode, working folder, file mode mask.
std::map<std::string, std::string> process_state();

// One sentence for each entry that differs: "threads: was 1, is 2".
std::vector<std::string> changes(const std::map<std::string, std::string>& before,
                                 const std::map<std::string, std::string>& after);

// Bytes that each call of `once` leaves behind, after some to warm up; 0 where memory does not grow
// in every round of `times` calls. (What malloc keeps for itself comes and goes.)
std::size_t bytes_left_behind(int times, const std::function<void()>& once);

}  // namespace mortise::host
