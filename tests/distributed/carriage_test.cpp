// Which communicator a group of ranks gets.

#include <ATen/ATen.h>

#include "host/failure.hpp"
#include "tests/distributed/connected_rank.hpp"
#include "tests/doctest_with_torch.hpp"
#include "tests/training/forked_ranks.hpp"

namespace {

using namespace mortise;
using namespace mortise::tests;

constexpr std::chrono::milliseconds kTimeout(20000);

class Refusing final : public Connector {
 public:
  std::unique_ptr<Communicator> connect(const RankGroup&, GroupStore&) override {
    ++asked;
    throw Error(ErrorCode::not_supported, "it is Sunday");
  }
  int asked = 0;
};

// Gives one rank another value than its peer has set.
class Garbled final : public Connector {
 public:
  Garbled(Connector& inner, bool active) : inner_(inner), active_(active) {}
  std::unique_ptr<Communicator> connect(const RankGroup& group, GroupStore& store) override {
    struct Store final : GroupStore {
      Store(GroupStore& s, bool a) : inner(s), active(a) {}
      void set(std::string_view key, std::string_view value) override { inner.set(key, value); }
      std::string get(std::string_view key, std::int64_t rank) override {
        const std::string value = inner.get(key, rank);
        return active && key == "segment/1" ? value + "7" : value;  // no token of that segment
      }
      GroupStore& inner;
      bool active;
    } garbled(store, active_);
    return inner_.connect(group, garbled);
  }

 private:
  Connector& inner_;
  bool active_;
};

host::GroupRequest both(int rank) {
  host::GroupRequest request;
  request.name = "group/";
  request.ranks = {0, 1};
  request.own = rank;
  request.timeout = kTimeout;
  return request;
}

void check_sum(Communicator& c) {
  const at::Tensor t = at::ones({3});
  c.all_reduce(t, ReduceOp::sum)->wait();
  if (!t.eq(2.0f).all().item<bool>()) throw std::runtime_error("sum");
}

void on_two_ranks(const std::function<void(const host::RankEnvironment&,
                                           std::shared_ptr<host::Rendezvous>)>& body) {
  const TemporaryFolder folder;
  const std::vector<int> codes = run_forked(2, [&](int rank) {
    host::RankEnvironment ranks;
    ranks.rank = rank, ranks.size = 2;
    body(ranks, host::join_through_file((folder.path() / "store").string(), 2, kTimeout));
  });
  CHECK(codes == std::vector<int>{0, 0});
}

void require(bool holds, const std::string& what) {
  if (!holds) throw std::runtime_error(what);
}

}  // namespace

TEST_CASE("carriage: auto falls back to gloo where the connector refuses, and one rank says so") {
  on_two_ranks([](const host::RankEnvironment& ranks, std::shared_ptr<host::Rendezvous> meeting) {
    Refusing refusing;
    std::vector<std::string> notices;
    host::Carrier carrier({&refusing, "sabbath", true, nullptr, "cpu",
                           [&](const std::string& n) { notices.push_back(n); }},
                          ranks, meeting);
    for (const char* name : {"a/", "b/"}) {
      host::GroupRequest request = both(int(ranks.rank));
      request.name = name;
      check_sum(*carrier.connect(request));
    }
    require(refusing.asked == 2, "asked");
    require(notices.size() == (ranks.rank == 0 ? 1u : 0u), "notices");
    if (ranks.rank == 0)
      require(notices[0] == "collectives go through gloo: sabbath: it is Sunday", notices[0]);
  });
}

TEST_CASE("carriage: a connector that is asked for and refuses ends the run") {
  on_two_ranks([](const host::RankEnvironment& ranks, std::shared_ptr<host::Rendezvous> meeting) {
    Refusing refusing;
    host::Carrier carrier({&refusing, "sabbath"}, ranks, meeting);
    try {
      carrier.connect(both(int(ranks.rank)));
      throw std::runtime_error("nothing was thrown");
    } catch (const host::Failure& f) {
      require(f.id() == "C0315" && f.exit() == host::Exit::configuration, f.what());
      require(std::string(f.what()).find("run.communicator: sabbath: it is Sunday") !=
                  std::string::npos,
              f.what());
    }
  });
}

TEST_CASE("carriage: auto asks no connector for ranks on several hosts") {
  on_two_ranks([](const host::RankEnvironment& ranks, std::shared_ptr<host::Rendezvous> meeting) {
    Refusing refusing;
    host::Carrier carrier({&refusing, "sabbath", true}, ranks, meeting);
    const std::string mine = std::to_string(ranks.rank), other = std::to_string(1 - ranks.rank);
    meeting->set("host/" + mine, "a host of rank " + mine);
    meeting->set("moved/" + mine, "yes");
    meeting->get("moved/" + other, 1 - ranks.rank);
    check_sum(*carrier.connect(both(int(ranks.rank))));
    require(refusing.asked == 0, "asked");
  });
}

TEST_CASE("shared_memory: what one rank cannot open, every rank refuses") {
  on_two_ranks([](const host::RankEnvironment& ranks, std::shared_ptr<host::Rendezvous> meeting) {
    const LoadedComponent plugin("shared_memory", "shared_memory");
    Remote<Connector> connector = plugin.as<Connector>();
    Garbled garbled(connector, ranks.rank == 0);
    std::vector<std::string> notices;
    host::Carrier carrier({&garbled, "shared_memory", true, nullptr, "cpu",
                           [&](const std::string& n) { notices.push_back(n); }},
                          ranks, meeting);
    check_sum(*carrier.connect(both(int(ranks.rank))));
    if (ranks.rank == 0)
      require(notices.size() == 1 && notices[0].find("rank 0: /proc/") != std::string::npos,
              "notice");
  });
}
