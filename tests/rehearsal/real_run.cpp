#include "tests/rehearsal/real_run.hpp"

#include <c10/core/CPUAllocator.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <thread>

#include "host/cli/metrics_service.hpp"
#include "host/cli/session.hpp"
#include "host/training/data_feed.hpp"
#include "host/training/program.hpp"
#include "host/wiring/host_tables.hpp"

namespace mortise::tests {
namespace {

// In place of LibTorch's allocator. Counts what the thread of the step asks for: Gloo's threads
// copy what they send, and give it back whenever they come to it. Kernels that ask without a tensor
// want the address as context.
class SeenMemory final : public c10::Allocator {
 public:
  c10::DataPtr allocate(std::size_t bytes) override {
    if (bytes == 0) return {nullptr, nullptr, &SeenMemory::free, c10::kCPU};
    constexpr std::size_t kHead = 64;  // holds the size
    void* const block = std::aligned_alloc(kHead, kHead + (bytes + kHead - 1) / kHead * kHead);
    const std::size_t counted = std::this_thread::get_id() == step ? bytes : 0;
    *static_cast<std::size_t*>(block) = counted;
    const std::int64_t at_once = now += std::int64_t(counted);
    std::int64_t before = peak;
    while (before < at_once && !peak.compare_exchange_weak(before, at_once)) continue;
    void* const data = static_cast<char*>(block) + kHead;
    return {data, data, &SeenMemory::free, c10::kCPU};
  }
  c10::DeleterFnPtr raw_deleter() const override { return &SeenMemory::free; }
  void copy_data(void* to, const void* from, std::size_t n) const override {
    default_copy_data(to, from, n);
  }
  static void forget_peak() { peak = now.load(); }

  static inline std::atomic<std::int64_t> now{0}, peak{0};
  static inline std::thread::id step;

 private:
  static void free(void* data) {
    if (data == nullptr) return;
    void* const block = static_cast<char*>(data) - 64;
    now -= std::int64_t(*static_cast<std::size_t*>(block));
    std::free(block);
  }
};

// Gloo's thread lets go of the tensors of a call a moment after it is waited for.
class PatientWork final : public Work {
 public:
  explicit PatientWork(std::unique_ptr<Work> inner) : inner_(std::move(inner)) {}
  void wait() override {
    if (inner_ == nullptr) return;
    inner_->wait();
    inner_.reset();
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }

 private:
  std::unique_ptr<Work> inner_;
};

class SeenCommunicator final : public Communicator {
 public:
  SeenCommunicator(std::unique_ptr<Communicator> inner, std::string axes, Counted& seen)
      : inner_(std::move(inner)), axes_(std::move(axes)), seen_(seen) {}
  std::int64_t rank() const override { return inner_->rank(); }
  std::int64_t size() const override { return inner_->size(); }
  bool supports(std::string_view capability) const override { return inner_->supports(capability); }
  std::unique_ptr<Work> all_gather(const at::Tensor& out, const at::Tensor& in) override {
    note("all_gather", out);
    return std::make_unique<PatientWork>(inner_->all_gather(out, in));
  }
  std::unique_ptr<Work> reduce_scatter(const at::Tensor& out, const at::Tensor& in) override {
    note("reduce_scatter", in);
    return std::make_unique<PatientWork>(inner_->reduce_scatter(out, in));
  }
  std::unique_ptr<Work> reduce_scatter_ordered(const at::Tensor& sum,
                                               const at::Tensor& in) override {
    note("reduce_scatter_ordered", in);
    return std::make_unique<PatientWork>(inner_->reduce_scatter_ordered(sum, in));
  }
  std::unique_ptr<Work> all_to_all(const at::Tensor& out, const at::Tensor& in) override {
    note("all_to_all", in);
    return std::make_unique<PatientWork>(inner_->all_to_all(out, in));
  }
  std::unique_ptr<Work> all_to_all_v(const at::Tensor& out, const at::Tensor& in,
                                     std::span<const std::int64_t> out_sizes,
                                     std::span<const std::int64_t> in_sizes) override {
    note("all_to_all_v", in);
    return std::make_unique<PatientWork>(inner_->all_to_all_v(out, in, out_sizes, in_sizes));
  }
  std::unique_ptr<Work> all_reduce(const at::Tensor& t, ReduceOp operation) override {
    note("all_reduce", t);
    return std::make_unique<PatientWork>(inner_->all_reduce(t, operation));
  }
  std::unique_ptr<Work> broadcast(const at::Tensor& t, std::int64_t root) override {
    note("broadcast", t);
    return std::make_unique<PatientWork>(inner_->broadcast(t, root));
  }
  std::unique_ptr<Work> send(const at::Tensor& t, std::int64_t peer) override {
    note("send", t);
    return std::make_unique<PatientWork>(inner_->send(t, peer));
  }
  std::unique_ptr<Work> receive(const at::Tensor& t, std::int64_t peer) override {
    note("receive", t);
    return std::make_unique<PatientWork>(inner_->receive(t, peer));
  }
  void barrier() override { inner_->barrier(); }

 private:
  void note(const char* operation, const at::Tensor& whole) {
    if (size() == 1) return;
    auto& [calls, bytes] = seen_[axes_ + " " + operation];
    ++calls;
    bytes += std::int64_t(whole.nbytes());
  }
  std::unique_ptr<Communicator> inner_;
  std::string axes_;
  Counted& seen_;
};

class SeenMesh final : public Mesh {
 public:
  SeenMesh(Mesh& inner, Counted& seen) : inner_(inner), seen_(seen) {}
  std::vector<MeshAxis> axes() const override { return inner_.axes(); }
  std::unique_ptr<Communicator> communicator(std::string_view axes) override {
    std::string name;
    for (const MeshAxis& a : inner_.axes())
      if (a.size > 1 &&
          ("," + std::string(axes) + ",").find("," + a.name + ",") != std::string::npos)
        name += (name.empty() ? "" : ",") + a.name;
    return std::make_unique<SeenCommunicator>(inner_.communicator(axes), name, seen_);
  }

 private:
  Mesh& inner_;
  Counted& seen_;
};

}  // namespace

RealRun train_for_real(const RunFileOf& of, int rank, int size,
                       const std::filesystem::path& store) {
  static SeenMemory memory;
  SeenMemory::step = std::this_thread::get_id();
  c10::SetCPUAllocator(&memory, 1);
  const host::Session session({}, host::request_for(of.file, of.sets));
  host::RunFile run = session.load();
  const host::RunSettings s = host::read_run_settings(run.root);
  host::RankEnvironment ranks;
  ranks.rank = rank, ranks.size = size;
  const std::chrono::milliseconds timeout(60000);
  host::HostMesh mesh(host::axes_for(s.mesh, size), ranks,
                      host::join_through_file(store.string(), size, timeout), timeout);
  RealRun real;
  Counted traffic;
  SeenMesh seen(mesh, traffic);
  host::RunLog log(rank, size);
  host::LogService log_service(log);
  host::MetricsService metrics;
  host::Services services;
  services.offer<Logger>(log_service);
  services.offer<Metrics>(metrics);
  services.offer<Mesh>(seen);
  host::load_plugins(run.root, session.plugins());
  const host::ProgramRequest request{run.root, s, session.plugins(), services, seen};
  host::ModelProgram model(request, true);
  host::DataProgram data(request, model);
  host::Engine& engine = model.engine();
  engine.parameters().initialize(model.initializer(), 1);
  const host::Horizon horizon(s, data.train().size());
  const Communicator& dealt = engine.layout().micro_batches();
  host::DataFeed feed({data.train(),
                       data.order(),
                       {s.sequences, s.micro_batch, dealt.rank(), dealt.size()},
                       {s.sequence_length, model.vocabulary_size(), s.isolates_documents},
                       horizon});
  feed.start(0);
  std::vector<std::int64_t> peaks;
  for (int step = 0; step != 6; ++step) {
    traffic.clear();
    SeenMemory::forget_peak();
    engine.train({step, s.micro_batches(), feed.next(step)});
    if (step > 0) peaks.push_back(SeenMemory::peak);
  }
  real.traffic = traffic;
  real.peak = *std::min_element(peaks.begin(), peaks.end());
  return real;
}

}  // namespace mortise::tests
