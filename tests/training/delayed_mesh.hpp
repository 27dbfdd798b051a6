#pragma once

#include <chrono>
#include <mortise/parallel/mesh.hpp>
#include <random>
#include <thread>

namespace mortise::tests {

// Sleeps up to 2 ms, or not at all.
class Pause {
 public:
  Pause(int seed, bool active) : random_(std::uint32_t(seed)), active_(active) {}
  void operator()() {
    if (active_) std::this_thread::sleep_for(std::chrono::microseconds(random_() % 2000));
  }

 private:
  std::minstd_rand random_;
  bool active_;
};

// Collectives that begin late, and whose end is seen late: what is right only by timing fails.
class DelayedMesh final : public Mesh {
 public:
  DelayedMesh(Mesh& inner, int seed) : inner_(inner), pause_(seed, true) {}
  std::vector<MeshAxis> axes() const override { return inner_.axes(); }
  std::unique_ptr<Communicator> communicator(std::string_view axes) override {
    return std::make_unique<Group>(inner_.communicator(axes), pause_);
  }

 private:
  using Started = std::unique_ptr<Work>;
  class Waiting final : public Work {
   public:
    Waiting(Started inner, Pause& pause) : inner_(std::move(inner)), pause_(pause) {}
    void wait() override { pause_(), inner_->wait(); }

   private:
    Started inner_;
    Pause& pause_;
  };
  class Group final : public Communicator {
   public:
    Group(std::unique_ptr<Communicator> inner, Pause& pause)
        : inner_(std::move(inner)), pause_(pause) {}
    std::int64_t rank() const override { return inner_->rank(); }
    std::int64_t size() const override { return inner_->size(); }
    bool supports(std::string_view what) const override { return inner_->supports(what); }
    Started all_gather(const at::Tensor& out, const at::Tensor& in) override {
      return late([&] { return inner_->all_gather(out, in); });
    }
    Started reduce_scatter(const at::Tensor& out, const at::Tensor& in) override {
      return late([&] { return inner_->reduce_scatter(out, in); });
    }
    Started reduce_scatter_ordered(const at::Tensor& sum, const at::Tensor& in) override {
      return late([&] { return inner_->reduce_scatter_ordered(sum, in); });
    }
    Started all_to_all(const at::Tensor& out, const at::Tensor& in) override {
      return late([&] { return inner_->all_to_all(out, in); });
    }
    Started all_to_all_v(const at::Tensor& out, const at::Tensor& in,
                         std::span<const std::int64_t> out_sizes,
                         std::span<const std::int64_t> in_sizes) override {
      return late([&] { return inner_->all_to_all_v(out, in, out_sizes, in_sizes); });
    }
    Started all_reduce(const at::Tensor& tensor, ReduceOp operation) override {
      return late([&] { return inner_->all_reduce(tensor, operation); });
    }
    Started broadcast(const at::Tensor& tensor, std::int64_t root) override {
      return late([&] { return inner_->broadcast(tensor, root); });
    }
    Started send(const at::Tensor& tensor, std::int64_t peer) override {
      return late([&] { return inner_->send(tensor, peer); });
    }
    Started receive(const at::Tensor& tensor, std::int64_t peer) override {
      return late([&] { return inner_->receive(tensor, peer); });
    }
    void barrier() override { pause_(), inner_->barrier(); }

   private:
    template <class Start>
    Started late(Start start) {
      pause_();
      return std::make_unique<Waiting>(start(), pause_);
    }
    std::unique_ptr<Communicator> inner_;
    Pause& pause_;
  };

  Mesh& inner_;
  Pause pause_;
};

}  // namespace mortise::tests
