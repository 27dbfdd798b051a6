#include "host/distributed/rendezvous.hpp"

#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <random>
#include <stdexcept>
#include <torch/csrc/distributed/c10d/FileStore.hpp>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>

#include "host/distributed/c10d_store.hpp"
#include "host/distributed/whereabouts.hpp"
#include "host/failure.hpp"

namespace mortise::host {
namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::int64_t number(const char* name, std::int64_t low) {
  const std::string text = variable(name);
  std::size_t used = 0;
  std::int64_t value = -1;
  try {
    value = std::stoll(text, &used);
  } catch (const std::exception&) {
  }
  if (text.empty() || used != text.size() || value < low)
    throw Failure("R0101", Exit::ranks,
                  std::string("error[R0101]: environment variable ") + name + " is '" + text +
                      "': expected a number of at least " + std::to_string(low) +
                      ". A launcher (torchrun, mortise run -n) sets RANK, WORLD_SIZE, LOCAL_RANK, "
                      "MASTER_ADDR and MASTER_PORT together; unset them all to run alone");
  return value;
}

// What tells apart jobs, and attempts of one job, that torchrun lets use one store.
std::string job() {
  return "mortise/" + variable("TORCHELASTIC_RUN_ID") + "/" +
         variable("TORCHELASTIC_RESTART_COUNT");
}

std::string place_of(const RankEnvironment& ranks) {
  return ranks.master_address + ":" + std::to_string(ranks.master_port);
}

// Each rank stands once in a store: a second one is of another job.
void claim(Rendezvous& rendezvous, const RankEnvironment& ranks) {
  std::random_device random;
  const std::string mine =
      std::to_string(getpid()) + "/" + std::to_string(random()) + std::to_string(random());
  const std::string key = "rank/" + std::to_string(ranks.rank);
  if (rendezvous.offer(key, mine) == mine) return;
  throw Failure("R0106", Exit::ranks,
                "error[R0106]: rank " + std::to_string(ranks.rank) +
                    " has joined the rendezvous at " + place_of(ranks) +
                    " already: another job serves this port, or a launcher gives RANK twice; set "
                    "MASTER_PORT to a free one, equal for all ranks of this job");
}

std::string first_line(const char* what) {
  const char* end = std::strpbrk(what, "\n");
  return end == nullptr ? what : std::string(what, end);
}

}  // namespace

RankEnvironment rank_environment() {
  RankEnvironment ranks;
  if (variable("RANK").empty() && variable("WORLD_SIZE").empty()) return ranks;
  ranks.size = number("WORLD_SIZE", 1);
  ranks.rank = number("RANK", 0);
  if (ranks.rank >= ranks.size)
    throw Failure("R0101", Exit::ranks,
                  "error[R0101]: RANK is " + std::to_string(ranks.rank) + " and WORLD_SIZE " +
                      std::to_string(ranks.size) + ": expected RANK < WORLD_SIZE");
  ranks.local_rank = variable("LOCAL_RANK").empty() ? 0 : number("LOCAL_RANK", 0);
  ranks.local_size = variable("LOCAL_WORLD_SIZE").empty() ? 1 : number("LOCAL_WORLD_SIZE", 1);
  ranks.master_port = int(number("MASTER_PORT", 1));
  if (const std::string address = variable("MASTER_ADDR"); !address.empty())
    ranks.master_address = address;
  ranks.store_is_elsewhere = variable("TORCHELASTIC_USE_AGENT_STORE") == "True" ||
                             variable("MORTISE_STORE_IS_ELSEWHERE") == "1";
  return ranks;
}

void C10dRendezvous::set(const std::string& key, const std::string& value) {
  store->set(key, value);
}

std::string C10dRendezvous::get(const std::string& key, std::int64_t rank) {
  whereabouts().wait_in(Operation::rendezvous);
  try {
    const std::string value = store->get_to_str(key);
    whereabouts().go_on();
    return value;
  } catch (const std::exception& e) {
    throw Failure("R0103", Exit::ranks,
                  "error[R0103]: rank " + std::to_string(rank) +
                      " has not come to the rendezvous within run.timeout: it is lost or late (" +
                      first_line(e.what()) + ")");
  }
}

std::string C10dRendezvous::offer(const std::string& key, const std::string& value) {
  return store->compareSet(key, std::string(), value);
}

void C10dRendezvous::remove(const std::string& key) { store->deleteKey(key); }

std::optional<std::string> C10dRendezvous::look(const std::string& key) {
  if (!store->check({key})) return std::nullopt;
  return store->get_to_str(key);
}

std::shared_ptr<Rendezvous> join(const RankEnvironment& ranks, std::chrono::milliseconds timeout) {
  c10d::TCPStoreOptions options;
  options.port = std::uint16_t(ranks.master_port);
  options.isServer = ranks.rank == 0 && !ranks.store_is_elsewhere;
  options.numWorkers = std::size_t(ranks.size);
  options.waitWorkers = false;
  options.timeout = timeout;
  std::shared_ptr<Rendezvous> rendezvous;
  try {
    rendezvous = std::make_shared<C10dRendezvous>(c10::make_intrusive<c10d::PrefixStore>(
        job(), c10::make_intrusive<c10d::TCPStore>(ranks.master_address, options)));
  } catch (const std::exception& e) {
    throw Failure(
        "R0102", Exit::ranks,
        std::string("error[R0102]: cannot ") + (options.isServer ? "serve" : "reach") +
            " the rendezvous at " + place_of(ranks) + " (" + first_line(e.what()) + "): " +
            (options.isServer ? "the port is taken; set MASTER_PORT to a free one"
                              : "is rank 0 up, and are MASTER_ADDR and MASTER_PORT right?"));
  }
  claim(*rendezvous, ranks);
  return rendezvous;
}

std::shared_ptr<Rendezvous> join_through_file(const std::string& path, std::int64_t size,
                                              std::chrono::milliseconds timeout) {
  auto store = c10::make_intrusive<c10d::FileStore>(path, int(size));
  store->setTimeout(timeout);
  return std::make_shared<C10dRendezvous>(std::move(store));
}

struct StoreServer::State {
  c10::intrusive_ptr<c10d::TCPStore> store;
};

StoreServer::StoreServer(std::int64_t ranks) : state_(std::make_unique<State>()) {
  c10d::TCPStoreOptions options;
  options.port = 0;  // any free one
  options.isServer = true;
  options.numWorkers = std::size_t(ranks);
  options.waitWorkers = false;
  state_->store = c10::make_intrusive<c10d::TCPStore>("127.0.0.1", options);
}
StoreServer::~StoreServer() = default;
int StoreServer::port() const { return state_->store->getPort(); }
void StoreServer::offer(const std::string& key, const std::string& value) {
  c10d::PrefixStore(job(), state_->store).compareSet(key, std::string(), value);
}

}  // namespace mortise::host
