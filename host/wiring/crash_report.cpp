#include "host/wiring/crash_report.hpp"

#include <fcntl.h>
#include <link.h>
#include <sys/uio.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <cstring>
#include <deque>
#include <exception>
#include <mortise/kit/call_in_progress.hpp>
#include <mortise/kit/errors.hpp>
#include <string_view>

#include "host/distributed/whereabouts.hpp"
#include "host/failure.hpp"
#include "host/signal_text.hpp"
#include "host/wiring/mapped_file_at.hpp"

namespace mortise::host {
namespace {

using kit::CallInProgress;

struct CodeRange {
  std::uintptr_t begin = 0, end = 0;
  bool holds(std::uintptr_t address) const { return address >= begin && address < end; }
};

// Signal and terminate handlers reach nothing but objects of this file. Plugins are added while
// only the main thread runs, and never removed.
struct KnownPlugin {
  PluginInCrashReport facts;
  CodeRange code;
};
constexpr std::size_t kMostPlugins = 256;
std::array<const KnownPlugin*, kMostPlugins> plugins{};
std::atomic<std::size_t> plugin_count{0};
std::int64_t own_rank = -1;
pid_t own_process = -1;
char report_file[4096] = {};
std::terminate_handler terminate_before = nullptr;
const CallInProgress* const* main_thread_calls = nullptr;

struct CrashSignal {
  int number;
  const char* name;
  struct sigaction before;
};
CrashSignal crash_signals[] = {{SIGSEGV, "SIGSEGV, access to memory that is not there", {}},
                               {SIGBUS, "SIGBUS, access to memory that has gone", {}},
                               {SIGFPE, "SIGFPE, division by zero", {}},
                               {SIGILL, "SIGILL, no instruction of this processor", {}},
                               {SIGABRT, "SIGABRT, abort", {}}};

// The innermost call into a component that has a name.
const CallInProgress* named(const CallInProgress* call) {
  while (call != nullptr && call->component() == nullptr) call = call->outer();
  return call;
}

const KnownPlugin* plugin_at(std::uintptr_t address) {
  for (std::size_t i = 0; i != plugin_count.load(); ++i)
    if (plugins[i]->code.holds(address)) return plugins[i];
  return nullptr;
}

// Of "llama of org.mortise.llama".
const KnownPlugin* plugin_of(std::string_view component) {
  constexpr std::string_view kOf = " of ";
  const std::size_t of = component.rfind(kOf);
  if (of == component.npos) return nullptr;
  for (std::size_t i = 0; i != plugin_count.load(); ++i)
    if (component.substr(of + kOf.size()) == plugins[i]->facts.id) return plugins[i];
  return nullptr;
}

// The plugin whose code a stack leads back to soonest. Reads words, no frames: those of a broken
// stack cannot be trusted. Reads through the kernel, which refuses what is not there.
const KnownPlugin* plugin_on_stack(std::uintptr_t from) {
  constexpr std::size_t kPage = 4096, kPages = 16;
  std::uintptr_t words[kPage / sizeof(std::uintptr_t)];
  for (std::size_t page = 0; page != kPages; ++page) {
    const std::uintptr_t at = page == 0 ? from : (from / kPage + page) * kPage;
    const iovec here{words, kPage - at % kPage};
    const iovec there{reinterpret_cast<void*>(at), here.iov_len};
    const ssize_t got = process_vm_readv(getpid(), &here, 1, &there, 1, 0);
    if (got <= 0) return nullptr;
    for (std::size_t w = 0; w != std::size_t(got) / sizeof(std::uintptr_t); ++w)
      if (const KnownPlugin* plugin = plugin_at(words[w])) return plugin;
  }
  return nullptr;
}

// Who is to be named: the call that this thread is in, else the plugin whose thread it must be.
struct Culprit {
  const CallInProgress* call = nullptr;
  const KnownPlugin* plugin = nullptr;
};

Culprit culprit_at(std::uintptr_t code, std::uintptr_t stack) {
  Culprit found{named(CallInProgress::innermost), plugin_at(code)};
  if (found.plugin == nullptr && found.call != nullptr)
    found.plugin = plugin_of(found.call->component());
  const bool own_thread = &CallInProgress::innermost != main_thread_calls;
  if (found.call == nullptr && found.plugin == nullptr && own_thread)
    found.plugin = plugin_on_stack(stack);
  return found;
}

void add_call(SignalText& text, const CallInProgress& call) {
  text.add(call.component()).add(": ").add(call.call());
}

void add_culprit(SignalText& text, const Culprit& culprit) {
  if (culprit.call != nullptr)
    add_call(text, *culprit.call);
  else
    text.add("a thread of plugin ").add(culprit.plugin->facts.id);
  text.add(": ");
}

void add_place(SignalText& text) {
  const Whereabouts& here = whereabouts();
  if (own_rank >= 0) text.add(", rank ").add(own_rank);
  const RunPhase phase = here.phase.load();
  if (phase == RunPhase::start) return;
  text.add(phase == RunPhase::training     ? ", after "
           : phase == RunPhase::evaluation ? ", in the evaluation after "
                                           : ", saving after ");
  const std::int64_t step = here.step.load();
  text.add(step).add(step == 1 ? " step" : " steps");
}

void add_plugin(SignalText& text, const Culprit& culprit) {
  if (culprit.plugin == nullptr) return;
  const PluginInCrashReport& facts = culprit.plugin->facts;
  text.add("  plugin: ").add(facts.id).add(" ").add(facts.version).add(" (");
  text.add(facts.file.native()).add(", XXH3 ").add(facts.digest).add(")\n");
}

void put(int descriptor, const SignalText& text) {
  [[maybe_unused]] const auto written = write(descriptor, text.data(), text.size());
}

void put_into_file(const SignalText& text) {
  if (report_file[0] == '\0') return;
  const int file = open(report_file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (file < 0) return;
  put(file, text);
  close(file);
}

void report(const CrashSignal& signal, const ucontext_t& at) {
  const Culprit culprit = culprit_at(std::uintptr_t(at.uc_mcontext.gregs[REG_RIP]),
                                     std::uintptr_t(at.uc_mcontext.gregs[REG_RSP]));
  SignalText text;
  if (culprit.call != nullptr || culprit.plugin != nullptr)
    add_culprit(text.add("error[P2005]: "), culprit);
  else
    text.add("bug: outside of plugins: ");
  text.add("signal ").add(signal.number).add(" (").add(signal.name).add(")");
  add_place(text);
  text.add("\n");
  add_plugin(text, culprit);
  put(STDERR_FILENO, text);
  put_into_file(text);
  const CallInProgress* elsewhere = culprit.call == nullptr ? named(*main_thread_calls) : nullptr;
  if (elsewhere == nullptr) return;
  text.clear();  // what follows reads the stack of another thread
  add_call(text.add("  meanwhile: "), *elsewhere);
  put(STDERR_FILENO, text.add("\n"));
}

// Data files are mapped. Nobody is to blame for memory that has gone with the end of one, so the
// process ends as for any other fault of its data.
void end_if_file_was_cut(const siginfo_t& signal) {
  static char memory[8192];
  if (signal.si_signo != SIGBUS || signal.si_code != BUS_ADRERR) return;
  const std::string_view file = mapped_file_at(signal.si_addr, memory, sizeof memory);
  if (file.empty()) return;
  SignalText text;
  text.add("error[D0101]: ").add(file).add(": cannot be read any more (SIGBUS)");
  add_place(text);
  text.add(": it has become shorter since it was opened, or its disk has failed; run this again ");
  text.add("when nobody writes to it\n");
  put(STDERR_FILENO, text);
  _exit(int(Exit::data));
}

void on_crash(int number, siginfo_t* info, void* context) {
  static std::atomic<bool> reported{false};
  const int error = errno;
  if (!reported) end_if_file_was_cut(*info);
  for (CrashSignal& signal : crash_signals) {
    if (signal.number != number) continue;
    if (!reported.exchange(true)) report(signal, *static_cast<ucontext_t*>(context));
    sigaction(number, &signal.before, nullptr);
  }
  errno = error;
  raise(number);  // waits until this handler has returned
}

std::string thrown() {
  const std::type_info* type = abi::__cxa_current_exception_type();
  if (type == nullptr) return "ended the process";
  std::string text = "threw " + kit::readable(type) + " where nothing may be thrown";
  try {
    throw;
  } catch (const std::exception& e) {
    const std::string what = e.what();  // c10::Error appends its trace
    text += ": " + what.substr(0, what.find('\n'));
  } catch (...) {
  }
  return text;
}

// A plugin has ended the process, other than by a signal.
[[noreturn]] void end(const Culprit& culprit, const std::string& how) {
  SignalText text;
  add_culprit(text.add("error[P2004]: "), culprit);
  text.add(how);
  add_place(text);
  text.add("\n");
  add_plugin(text, culprit);
  put(STDERR_FILENO, text);
  put_into_file(text);
  _exit(int(Exit::plugin));
}

Culprit culprit_on(void* stack) { return culprit_at(0, reinterpret_cast<std::uintptr_t>(stack)); }

[[noreturn]] void on_terminate() {
  const Culprit culprit = culprit_on(__builtin_frame_address(0));
  if (culprit.call == nullptr && culprit.plugin == nullptr) terminate_before();
  end(culprit, thrown());
}

// This program ends without exit: whoever calls it is somebody else, or a child that a plugin has
// forked.
void on_exit() {
  const Culprit culprit = culprit_on(__builtin_frame_address(0));
  if (getpid() != own_process || (culprit.call == nullptr && culprit.plugin == nullptr)) return;
  end(culprit, "called exit");
}

struct Search {
  std::filesystem::path file;
  CodeRange found;
};

int look_at(dl_phdr_info* library, std::size_t, void* asked) {
  Search& search = *static_cast<Search*>(asked);
  std::error_code error;
  if (*library->dlpi_name == '\0' ||
      !std::filesystem::equivalent(library->dlpi_name, search.file, error))
    return 0;
  for (int i = 0; i != library->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = library->dlpi_phdr[i];
    if (segment.p_type != PT_LOAD || (segment.p_flags & PF_X) == 0) continue;
    search.found.begin = library->dlpi_addr + segment.p_vaddr;
    search.found.end = search.found.begin + segment.p_memsz;
  }
  return 1;
}

// For a stack that has run over.
void use_stack_of_its_own() {
  static char memory[65536];
  stack_t stack{};
  stack.ss_sp = memory;
  stack.ss_size = sizeof memory;
  sigaltstack(&stack, nullptr);
}

}  // namespace

void report_crashes() {
  own_process = getpid();
  main_thread_calls = &CallInProgress::innermost;
  terminate_before = std::set_terminate(on_terminate);
  std::atexit(on_exit);
  use_stack_of_its_own();
  struct sigaction action {};
  action.sa_sigaction = on_crash;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  for (CrashSignal& signal : crash_signals) sigaction(signal.number, &action, &signal.before);
}

void name_in_crash_reports(const PluginInCrashReport& plugin) {
  static auto& all = *new std::deque<KnownPlugin>;  // on_exit still reads it
  const std::size_t count = plugin_count.load();
  if (count == kMostPlugins) return;
  Search search{plugin.file, {}};
  dl_iterate_phdr(look_at, &search);
  plugins[count] = &all.emplace_back(KnownPlugin{plugin, search.found});
  plugin_count.store(count + 1);
}

void report_crashes_of_rank(std::int64_t rank) { own_rank = rank; }

void write_crash_reports_to(const std::filesystem::path& file) {
  const std::string& path = file.native();
  if (path.size() < sizeof report_file) std::memcpy(report_file, path.c_str(), path.size() + 1);
}

}  // namespace mortise::host
