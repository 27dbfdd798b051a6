#include <mortise/error.hpp>

#include "host/validation/checker/checks.hpp"
#include "host/validation/checker/process_state.hpp"

namespace mortise::host {
namespace {

constexpr int kLives = 100;

void check_views(const Instance& instance, const Subject& subject, Progress& progress) {
  progress.at("views");
  if (instance.view("org.example/unheard_of/1").table != nullptr)
    progress.fail("view: an interface that it does not speak must give null");
  for (const std::string& id : subject.listed().interfaces) {
    if (instance.view(id.c_str()).table == nullptr)
      progress.fail("view: the manifest offers " + id + ", but the component gives null");
  }
}

}  // namespace

void check_life(Subject& subject, Progress& progress) {
  progress.at("create with its defaults");
  const SubjectSettings settings = subject.settings();
  const auto live = [&] {
    return std::make_unique<Instance>(subject.type(), settings, subject.services(), subject.seed());
  };
  check_views(*live(), subject, progress);
  progress.at("create and destroy, many times");
  live();
  const auto before = process_state();
  if (const std::size_t bytes = bytes_left_behind(kLives, [&] { live(); }); bytes > 0)
    progress.fail("create and destroy " + std::to_string(kLives) +
                  " times: " + std::to_string(bytes) + " bytes stay behind each time");
  for (const std::string& change : changes(before, process_state()))
    progress.fail("create and destroy change the process: " + change);
}

}  // namespace mortise::host
