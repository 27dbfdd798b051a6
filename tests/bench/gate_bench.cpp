// How long the gate takes: gate_bench FILE... prints microseconds for each plugin file, the median
// of 51 judgements, and for the catalog of all of them. Budget: 1,000 for each (plugin-host.md 9).

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "host/loading/catalog.hpp"
#include "host/wiring/host_tables.hpp"

namespace {

using Clock = std::chrono::steady_clock;
using mortise::host::HostIdentity;
using mortise::host::SearchPlace;

template <class Work>
double median_us(int repeats, Work work) {
  std::vector<double> times;
  for (int i = 0; i < repeats; ++i) {
    const auto start = Clock::now();
    work();
    times.push_back(std::chrono::duration<double, std::micro>(Clock::now() - start).count());
  }
  std::nth_element(times.begin(), times.begin() + repeats / 2, times.end());
  return times[static_cast<std::size_t>(repeats / 2)];
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 2) {
    std::fprintf(stderr, "usage: gate_bench FILE...\n");
    return 2;
  }
  HostIdentity host;
  std::printf("%10.1f us  identity of the process, once\n",
              median_us(5, [&] { host = mortise::host::host_identity(); }));
  std::vector<SearchPlace> places;
  for (int i = 1; i < count; ++i) {
    const std::filesystem::path file = std::filesystem::absolute(arguments[i]);
    places.push_back({SearchPlace::Kind::file, file, "bench", true, ""});
    const bool accepted = judge(file, host).accepted();
    std::printf("%10.1f us  %s%s\n", median_us(51, [&] { judge(file, host); }), file.c_str(),
                accepted ? "" : " (refused)");
  }
  std::printf("%10.1f us  catalog of %zu files\n",
              median_us(11, [&] { mortise::host::PluginCatalog(places, host); }), places.size());
}
