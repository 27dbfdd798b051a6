// Collectives over shared memory: against Gloo and closed forms, in every order, and when ranks are
// lost.

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <signal.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>
#include <set>
#include <thread>

#include "tests/distributed/connected_rank.hpp"
#include "tests/doctest_with_torch.hpp"
#include "tests/training/forked_ranks.hpp"

namespace {

using namespace mortise;
using namespace mortise::tests;
using std::chrono::milliseconds;

void require(bool holds, const std::string& what) {
  if (!holds) throw std::runtime_error(what);
}
bool same_bits(const at::Tensor& a, const at::Tensor& b) {
  return a.nbytes() == b.nbytes() && std::memcmp(a.data_ptr(), b.data_ptr(), a.nbytes()) == 0;
}

void run_ranks(int size, const std::function<void(ConnectedRank&, int)>& body,
               milliseconds timeout = milliseconds(30000)) {
  CAPTURE(size);
  const TemporaryFolder folder;
  const std::vector<int> codes = run_forked(size, [&](int rank) {
    at::set_num_threads(1);
    ConnectedRank connected(rank, size, (folder.path() / "store").string(), timeout);
    body(connected, rank);
  });
  CHECK(codes == std::vector<int>(std::size_t(size), 0));
}

// What rank `r` has in call `i`: any floats, so that the order of sums shows.
at::Tensor values(std::uint64_t seed, int call, std::int64_t rank, std::int64_t count) {
  auto generator = at::make_generator<at::CPUGeneratorImpl>(seed * 1000003 + call * 64 + rank);
  return at::randn({count}, generator).mul(std::pow(10.0, double(rank % 3)));
}

// Starts one call on `c`; what it will have made is returned.
using Started = std::pair<at::Tensor, std::unique_ptr<Work>>;
Started start(Communicator& c, int kind, std::uint64_t seed, int call, std::int64_t count) {
  const std::int64_t rank = c.rank(), size = c.size();
  const auto mine = [&](std::int64_t n) { return values(seed, call, rank, n); };
  const auto started = [](at::Tensor t, auto f) {
    std::unique_ptr<Work> work = f(t);
    return Started(std::move(t), std::move(work));
  };
  switch (kind) {
    case 0:
      return started(at::empty({size * count}),
                     [&](const at::Tensor& t) { return c.all_gather(t, mine(count)); });
    case 1:
      return started(at::ones({count}), [&](const at::Tensor& t) {
        return c.reduce_scatter_ordered(t, mine(count * size));
      });
    case 2:
      return started(at::empty({size * count}),
                     [&](const at::Tensor& t) { return c.all_to_all(t, mine(count * size)); });
    case 3:
      return started(mine(count).to(at::kDouble),
                     [&](const at::Tensor& t) { return c.all_reduce(t, ReduceOp(call % 3)); });
    case 4:
      return started(mine(count), [&](const at::Tensor& t) { return c.broadcast(t, call % size); });
    case 5: {
      std::vector<std::int64_t> in, out;
      for (std::int64_t r = 0; r != size; ++r) {
        in.push_back((rank + 2 * r + call) % 5 * count / 4);
        out.push_back((r + 2 * rank + call) % 5 * count / 4);
      }
      const std::int64_t sent = std::accumulate(in.begin(), in.end(), std::int64_t(0));
      return started(at::zeros({std::accumulate(out.begin(), out.end(), std::int64_t(0))}),
                     [&](const at::Tensor& t) { return c.all_to_all_v(t, mine(sent), out, in); });
    }
    default:
      return started(at::zeros({count}),
                     [&](const at::Tensor& t) { return c.reduce_scatter(t, mine(count * size)); });
  }
}

void check_random_calls(ConnectedRank& connected, int rank, std::uint64_t seed) {
  const std::unique_ptr<Communicator> mine = connected.shared_memory(), gloo = connected.gloo();
  std::mt19937_64 common(seed), own(seed * 31 + std::uint64_t(rank));
  struct Pair {
    int call, kind;
    Started mine, gloo;
  };
  std::vector<Pair> under_way;
  const auto finish_one = [&] {
    const std::size_t i = own() % under_way.size();
    Pair p = std::move(under_way[i]);
    under_way.erase(under_way.begin() + std::ptrdiff_t(i));
    p.mine.second->wait();
    p.gloo.second->wait();
    // Gloo adds in an order of its own in these two.
    const bool ordered = p.kind != 6 && (p.kind != 3 || p.call % 3 != 0);
    require(ordered ? same_bits(p.mine.first, p.gloo.first)
                    : p.mine.first.allclose(p.gloo.first, 1e-5, 1e-5),
            "seed " + std::to_string(seed) + ", call " + std::to_string(p.call) + ", kind " +
                std::to_string(p.kind) + ": not what gloo gives");
  };
  for (int call = 0; call != 120; ++call) {
    const int kind = int(common() % 7);
    const std::int64_t count = std::int64_t(common() % 3 == 0 ? common() % 60000 : common() % 40);
    under_way.push_back(
        {call, kind, start(*mine, kind, seed, call, count), start(*gloo, kind, seed, call, count)});
    if (own() % 3 == 0) std::this_thread::sleep_for(std::chrono::microseconds(own() % 800));
    while (under_way.size() > own() % 6) finish_one();
  }
  while (!under_way.empty()) finish_one();
}

// Ends the process as `how` says, or keeps it stopped until it is killed.
enum class End { exit, kill, stop, leave };
const char* text_of(End end) {
  constexpr const char* texts[] = {"exit", "kill", "stop", "leave"};
  return texts[int(end)];
}

// Kills the process of a file at the end of a scope.
class Killer {
 public:
  explicit Killer(const std::filesystem::path& file) { std::ifstream(file) >> process_; }
  ~Killer() {
    if (process_ != 0) kill(process_, SIGKILL);
  }
  Killer(const Killer&) = delete;

 private:
  pid_t process_ = 0;
};

using StartCall = std::function<std::unique_ptr<Work>(Communicator&, const at::Tensor&)>;

void check_lost(const char* operation, End end, const StartCall& call) {
  CAPTURE(std::string(operation));
  CAPTURE(std::string(text_of(end)));
  const TemporaryFolder folder;
  const auto timeout = end == End::stop ? milliseconds(700) : milliseconds(60000);
  const auto before = std::chrono::steady_clock::now();
  const std::vector<int> codes = run_forked(2, [&](int rank) {
    ConnectedRank connected(rank, 2, (folder.path() / "store").string(), timeout);
    std::unique_ptr<Communicator> c = connected.shared_memory();
    if (rank == 1) std::ofstream(folder.path() / "pid") << getpid();
    c->barrier();
    if (rank == 1) {
      if (end == End::exit) _exit(9);
      if (end == End::kill) raise(SIGKILL);
      if (end == End::stop) raise(SIGSTOP);
      c.reset();  // and lives on
      for (int i = 0; i != 200 && !std::filesystem::exists(folder.path() / "seen"); ++i)
        std::this_thread::sleep_for(milliseconds(100));
      _exit(9);
    }
    const Killer killer(end == End::stop ? folder.path() / "pid" : std::filesystem::path());
    const at::Tensor t = at::ones({4});
    const std::unique_ptr<Work> first = call(*c, t), second = call(*c, t);
    for (const auto& work : {first.get(), second.get()}) {
      try {
        work->wait();
        throw std::runtime_error("nobody is missed");
      } catch (const Error& e) {
        const std::string text = e.what();
        require(e.code() == ErrorCode::lost_rank, "code of: " + text);
        require(text.starts_with(std::string(operation) + " on rank 0 failed") &&
                    text.find("rank 1") != text.npos,
                "message: " + text);
      }
    }
    std::ofstream(folder.path() / "seen") << "yes";
  });
  CHECK(codes[0] == 0);
  CHECK(codes[1] == (end == End::kill || end == End::stop ? 128 + SIGKILL : 9));
  CHECK(std::chrono::steady_clock::now() - before < std::chrono::seconds(15));
}

std::set<std::string> shared_memory_files() {
  std::set<std::string> all;
  for (const auto& entry : std::filesystem::directory_iterator("/dev/shm"))
    all.insert(entry.path().filename().string());
  return all;
}

}  // namespace

TEST_CASE("shared_memory: random calls waited for in any order give what gloo gives") {
  std::random_device random;
  for (const int size : {2, 3, 4}) {
    const std::uint64_t seed = random();
    CAPTURE(seed);
    run_ranks(size, [&](ConnectedRank& connected, int rank) {
      check_random_calls(connected, rank, seed);
    });
  }
}

TEST_CASE("shared_memory: no rank needs a peer to be in a call at a certain time") {
  run_ranks(2, [](ConnectedRank& connected, int rank) {
    const std::unique_ptr<Communicator> c = connected.shared_memory();
    const at::Tensor gathered = at::empty({2000}), sum = at::zeros({1000}), letter = at::zeros({7});
    for (int i = 0; i != 20; ++i) {
      const auto gather = c->all_gather(gathered, at::full({1000}, float(rank)));
      const auto reduce = c->reduce_scatter_ordered(sum, at::ones({2000}));
      const auto total = c->all_reduce(letter, ReduceOp::max);
      if (rank == 1) {  // all is done before the letter leaves
        total->wait();
        reduce->wait();
        gather->wait();
        c->send(at::full({7}, float(i)), 0)->wait();
      } else {
        c->receive(letter, 1)->wait();
        require(letter.eq(float(i)).all().item<bool>(), "letter");
        gather->wait();
        reduce->wait();
        total->wait();
      }
      require(sum.eq(2.0f * float(i + 1)).all().item<bool>(), "sum");
    }
  });
}

TEST_CASE("shared_memory: both sides send before they receive, larger and larger") {
  run_ranks(2, [](ConnectedRank& connected, int rank) {
    const std::unique_ptr<Communicator> c = connected.shared_memory();
    for (const std::int64_t count : {1, 1000, 300'000, 2'000'000, 10}) {
      std::vector<std::unique_ptr<Work>> sent;
      for (int i = 0; i != 5; ++i)
        sent.push_back(c->send(at::full({count}, double(rank * 10 + i), at::kDouble), 1 - rank));
      std::vector<at::Tensor> received;
      std::vector<std::unique_ptr<Work>> works;
      for (int i = 0; i != 5; ++i) {
        received.push_back(at::empty({count}, at::kDouble));
        works.push_back(c->receive(received.back(), 1 - rank));
      }
      for (int i = 5; i-- != 0;) {  // the last one first
        works[std::size_t(i)]->wait();
        require(received[std::size_t(i)].eq(double((1 - rank) * 10 + i)).all().item<bool>(),
                "message " + std::to_string(i));
      }
    }
  });
}

TEST_CASE("shared_memory: thousands of calls that a peer has not taken wait, and none is lost") {
  run_ranks(2, [](ConnectedRank& connected, int rank) {
    const std::unique_ptr<Communicator> c = connected.shared_memory();
    const at::Tensor t = at::zeros({1});
    for (int i = 0; i != 3000; ++i) {
      if (rank == 0) {
        c->send(at::full({1}, float(i)), 1)->wait();
        continue;
      }
      if (i == 0) std::this_thread::sleep_for(milliseconds(50));
      c->receive(t, 0)->wait();
      require(t.item<float>() == float(i), "message " + std::to_string(i));
    }
  });
}

TEST_CASE("shared_memory: a peer that is lost is named with the operation, and nothing is left") {
  const std::set<std::string> before = shared_memory_files();
  const StartCall gather = [](Communicator& c, const at::Tensor& t) {
    return c.all_gather(at::empty({8}), t);
  };
  const StartCall receive = [](Communicator& c, const at::Tensor& t) { return c.receive(t, 1); };
  for (const End end : {End::exit, End::kill, End::stop, End::leave})
    check_lost("all_gather", end, gather);
  check_lost("receive", End::kill, receive);
  check_lost("reduce_scatter_ordered", End::kill, [](Communicator& c, const at::Tensor& t) {
    return c.reduce_scatter_ordered(t, at::ones({8}));
  });
  check_lost("broadcast", End::kill,
             [](Communicator& c, const at::Tensor& t) { return c.broadcast(t, 1); });
  CHECK(shared_memory_files() == before);
}

TEST_CASE("shared_memory: what a rank has said before it ended still arrives") {
  const TemporaryFolder folder;
  const std::vector<int> codes = run_forked(2, [&](int rank) {
    ConnectedRank connected(rank, 2, (folder.path() / "store").string());
    const std::unique_ptr<Communicator> c = connected.shared_memory();
    if (rank == 1) {
      static_cast<void>(c->send(at::full({100000}, 3.0f), 0));
      _exit(0);
    }
    std::this_thread::sleep_for(milliseconds(200));
    const at::Tensor t = at::zeros({100000});
    c->receive(t, 1)->wait();
    require(t.eq(3.0f).all().item<bool>(), "message");
  });
  CHECK(codes == std::vector<int>{0, 0});
}

TEST_CASE("shared_memory: ranks that make different calls are told so, not hung or mixed up") {
  run_ranks(2, [](ConnectedRank& connected, int rank) {
    for (const bool by_size : {false, true}) {
      const std::unique_ptr<Communicator> c = connected.shared_memory();
      const at::Tensor t = at::ones({rank == 0 || !by_size ? 4 : 6});
      try {
        if (rank == 0 || by_size)
          c->all_reduce(t, ReduceOp::sum)->wait();
        else
          c->broadcast(t, 1)->wait();
        require(rank == 1 && !by_size, "nothing was thrown");  // a root waits for nobody
      } catch (const Error& e) {
        const std::string text = e.what();
        require(text.find(by_size ? "all_reduce of" : "broadcast of 16 bytes") != text.npos,
                "message: " + text);
      }
    }
  });
}
