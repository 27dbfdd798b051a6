#include "host/distributed/rendezvous.hpp"

#include <netdb.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <random>
#include <thread>
#include <torch/csrc/distributed/c10d/FileStore.hpp>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>

#include "host/distributed/c10d_store.hpp"
#include "host/distributed/in_time.hpp"
#include "host/distributed/whereabouts.hpp"
#include "host/failure.hpp"

namespace mortise::host {
namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
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

// Names of machines that start just now may not be known yet, so it asks again for a while.
void require_name(const std::string& host, std::chrono::milliseconds timeout) {
  const auto deadline = std::chrono::steady_clock::now() +
                        std::min<std::chrono::milliseconds>(timeout, std::chrono::seconds(30));
  addrinfo hints{}, *found = nullptr;
  hints.ai_socktype = SOCK_STREAM;
  int error = 0;
  while ((error = getaddrinfo(host.c_str(), nullptr, &hints, &found)) != 0) {
    if (std::chrono::steady_clock::now() > deadline)
      throw Failure(
          "R0107", Exit::ranks,
          "error[R0107]: MASTER_ADDR is '" + host + "', and this name does not resolve (" +
              gai_strerror(error) +
              "): set it to a name or address of rank 0's machine that all machines know");
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
  }
  freeaddrinfo(found);
}

}  // namespace

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
  require_name(ranks.master_address, timeout);
  std::optional<std::shared_ptr<Rendezvous>> rendezvous;
  std::string reason = "what listens there does not answer as a store";
  try {
    rendezvous =
        in_time(timeout + std::chrono::seconds(1),
                [=, address = ranks.master_address]() -> std::shared_ptr<Rendezvous> {
                  return std::make_shared<C10dRendezvous>(c10::make_intrusive<c10d::PrefixStore>(
                      job(), c10::make_intrusive<c10d::TCPStore>(address, options)));
                });
  } catch (const std::exception& e) {
    reason = first_line(e.what());
  }
  if (!rendezvous)
    throw Failure(
        "R0102", Exit::ranks,
        std::string("error[R0102]: cannot ") + (options.isServer ? "serve" : "reach") +
            " the rendezvous at " + place_of(ranks) + " (" + reason + "): " +
            (options.isServer ? "the port is taken; set MASTER_PORT to a free one"
                              : "is rank 0 up, and are MASTER_ADDR and MASTER_PORT right?"));
  claim(**rendezvous, ranks);
  return *rendezvous;
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
