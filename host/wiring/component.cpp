#include "host/wiring/component.hpp"

#include <mortise/kit/call_in_progress.hpp>

#include "host/failure.hpp"

namespace mortise::host {
namespace {

constexpr std::string_view kCreate = "create", kDestroy = "destroy";

}  // namespace

mt_object Services::find(void* self, const char* interface_id) {
  const auto& all = static_cast<Services*>(self)->offered_;
  const auto found = all.find(std::string_view(interface_id));
  return found == all.end() ? mt_object{nullptr, nullptr} : found->second;
}

Component::Component(const mt_component_v1& type, std::unique_ptr<SettingsTree> settings,
                     Services& services, std::uint64_t seed, Origin origin)
    : type_(type),
      settings_(std::move(settings)),
      origin_(std::move(origin)),
      name_(origin_.key + " of " + origin_.plugin) {
  context_ = {kit::head_of<mt_context_v1>(), &services, &Services::find,
              kit::text(services.run_folder()), seed};
  kit::Failure failure;
  const kit::CallInProgress call(name_.c_str(), &kCreate);
  failure.check(type_.create(settings_->values(), &context_, &made_, failure.sink()));
}

Component::~Component() {
  const kit::CallInProgress call(name_.c_str(), &kDestroy);
  type_.destroy(made_);
}

bool Component::speaks(const char* interface_id) const {
  return type_.view(made_, interface_id).table != nullptr;
}

mt_object Component::object(const char* interface_id) const {
  const mt_object found = type_.view(made_, interface_id);
  if (found.table == nullptr)
    throw Failure("P2003", Exit::plugin,
                  "error[P2003]: " + name() + " does not speak " + interface_id);
  return found;
}

}  // namespace mortise::host
