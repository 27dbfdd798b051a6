#include "host/distributed/mesh.hpp"

#include "host/distributed/watched_communicator.hpp"
#include "host/failure.hpp"

namespace mortise::host {

std::vector<AxisSize> axes_for(const MeshSizes& sizes, std::int64_t ranks) {
  std::int64_t others = 1;
  std::string text;
  std::vector<AxisSize> axes;
  for (const AxisSize& a : sizes.axes) {
    if (a.size > 1 || a.name == "dp") axes.push_back(a);
    if (a.size > 1) others *= a.size;
    if (a.size > 1) text += (text.empty() ? "" : " x ") + a.name + " " + std::to_string(a.size);
  }
  for (AxisSize& a : axes) {
    if (a.size != 0) continue;
    if (ranks % others != 0)
      throw Failure("C0301", Exit::configuration,
                    "error[C0301]: mesh: " + text + " x dp auto: " + std::to_string(ranks) +
                        " ranks are no multiple of " + std::to_string(others) +
                        ": start it with -n " + std::to_string((ranks / others + 1) * others));
    a.size = ranks / others;
  }
  return axes;
}

HostMesh::HostMesh(std::vector<AxisSize> axes, const RankEnvironment& ranks,
                   std::shared_ptr<Rendezvous> rendezvous, std::chrono::milliseconds timeout,
                   std::shared_ptr<CallOrder> order, Carriage carriage)
    : ranks_(ranks),
      timeout_(timeout),
      carrier_(std::move(carriage), ranks, std::move(rendezvous)),
      order_(std::move(order)) {
  std::int64_t product = 1;
  std::string text;
  for (const AxisSize& a : axes) {
    product *= a.size;
    text += (text.empty() ? "" : " x ") + a.name + " " + std::to_string(a.size);
  }
  if (product != ranks.size)
    throw Failure("C0301", Exit::configuration,
                  "error[C0301]: mesh: " + text + " needs " + std::to_string(product) +
                      " ranks, this run has " + std::to_string(ranks.size) +
                      ": write `dp: auto`, or start it with -n " + std::to_string(product));
  std::int64_t rest = ranks.rank, stride = product;
  for (const AxisSize& a : axes) {
    stride /= a.size;
    axes_.push_back({a.name, a.size, rest / stride});
    rest %= stride;
  }
}

std::vector<std::int64_t> HostMesh::members(const std::vector<bool>& varies) const {
  std::vector<std::int64_t> all{0};
  std::int64_t stride = ranks_.size;
  for (std::size_t a = 0; a != axes_.size(); ++a) {
    stride /= axes_[a].size;
    std::vector<std::int64_t> next;
    for (const std::int64_t base : all)
      for (std::int64_t i = 0; i != axes_[a].size; ++i)
        if (varies[a] || i == axes_[a].rank) next.push_back(base + i * stride);
    all = std::move(next);
  }
  return all;
}

std::unique_ptr<Communicator> HostMesh::communicator(std::string_view axes) {
  std::vector<bool> varies(axes_.size());
  std::string label;
  for (std::string_view rest = axes; !rest.empty();) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    for (std::size_t a = 0; a != axes_.size(); ++a)
      if (axes_[a].name == rest.substr(0, comma)) varies[a] = true;
    rest.remove_prefix(std::min(comma + 1, rest.size()));
  }
  for (std::size_t a = 0; a != axes_.size(); ++a)
    if (varies[a]) label += (label.empty() ? "" : ",") + axes_[a].name;
  GroupRequest request;
  request.ranks = members(varies);
  request.own = ranks_.rank;
  request.name =
      "group" + std::to_string(made_) + "/" + std::to_string(request.ranks.front()) + "/";
  request.on_one_host =
      ranks_.master_address == "127.0.0.1" || ranks_.master_address == "localhost";
  request.timeout = timeout_;
  label += " #" + std::to_string(made_);  // each call makes a group of its own
  return watched(carrier_.connect(request), {label, made_++, request.ranks, ranks_.rank}, order_);
}

}  // namespace mortise::host
