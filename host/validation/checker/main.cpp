// The program beside the host that runs a plugin's code for `mortise plugin validate`, one check in
// one process: check_plugin GROUP COMPONENT FILE FOLDER RECORD SEED MEMORY SETTING…

#include <sys/prctl.h>
#include <sys/resource.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "host/config/checking/suggestion.hpp"
#include "host/validation/checker/checks.hpp"
#include "host/validation/checker/stand_ins.hpp"
#include "host/wiring/host_tables.hpp"

namespace {

using namespace mortise::host;

// No further than the check: not with the one who waits for it gone, not beyond its memory.
void set_limits(std::uint64_t memory) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  const rlimit no_dump{0, 0};
  setrlimit(RLIMIT_CORE, &no_dump);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  const rlimit bytes{memory, memory};
  setrlimit(RLIMIT_DATA, &bytes);
#else
  static_cast<void>(memory);
#endif
}

void check_component(const std::string& group, Subject& subject, Progress& progress) {
  if (const std::vector<std::string> names = subject.missing(); !names.empty())
    return progress.skip("needs " + list_of(names) + ": give each with --set " + names.front() +
                         "=VALUE");
  progress.at("settings");
  if (group == "life") check_life(subject, progress);
  if (group == "settings") check_settings_of(subject, progress);
  if (group == "contract") check_contract(subject, progress);
}

void check(const std::vector<std::string>& words, Progress& progress) {
  const std::string &group = words[0], &component = words[1], &folder = words[3];
  const Judgement judgement = judge(words[2], host_identity());
  const mt_plugin_v1& plugin = check_load(judgement, progress);
  if (group == "load") return;
  Services services;
  services.set_run_folder(folder);
  offer_stand_ins(services);
  const auto& listed = judgement.manifest->components;
  for (std::size_t i = 0; i != listed.size(); ++i) {
    if (listed[i].key != component) continue;
    Subject subject(*plugin.components[i], listed[i], services, std::stoull(words[5]),
                    {words.begin() + 7, words.end()});
    check_component(group, subject, progress);
  }
}

}  // namespace

int main(int count, char** arguments) {
  const std::vector<std::string> words(arguments + 1, arguments + count);
  if (words.size() < 7) {
    std::fputs("part of `mortise plugin validate`\n", stderr);
    return 2;
  }
  set_limits(std::stoull(words[6]));
  Progress progress(words[4]);
  try {
    check(words, progress);
  } catch (const std::exception& e) {
    progress.fail(progress.where() + ": " + e.what());
  }
  progress.done();
  return 0;
}
