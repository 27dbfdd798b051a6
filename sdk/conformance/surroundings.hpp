#pragma once

#include <map>
#include <mortise/context.hpp>
#include <string>

namespace mortise::conformance {

// What a host lends a component that is made in a test: services, a seed, a run folder.
class Surroundings {
 public:
  explicit Surroundings(std::string run_folder = "", std::uint64_t seed = 0)
      : run_folder_(std::move(run_folder)),
        table_{kit::head_of<mt_context_v1>(), this, &find, kit::text(run_folder_), seed},
        context_(table_) {}
  Surroundings(const Surroundings&) = delete;
  Surroundings& operator=(const Surroundings&) = delete;

  // The service must live as long as the component.
  template <class I>
  void offer(I& service) {
    services_[Remote<I>::id] = kit::object_of<I>(service);
  }
  Context& context() { return context_; }

 private:
  static mt_object find(void* self, const char* id) {
    const auto& services = static_cast<Surroundings*>(self)->services_;
    const auto found = services.find(id);
    return found == services.end() ? mt_object{} : found->second;
  }

  std::string run_folder_;
  std::map<std::string, mt_object> services_;
  mt_context_v1 table_;
  Context context_;
};

}  // namespace mortise::conformance
