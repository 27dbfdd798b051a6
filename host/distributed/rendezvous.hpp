#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "host/distributed/rank_environment.hpp"

namespace mortise::host {

// The key-value store through which ranks find each other. Its member is c10d's; no class of c10d
// appears outside distributed/.
class Rendezvous {
 public:
  virtual ~Rendezvous() = default;
  virtual void set(const std::string& key, const std::string& value) = 0;
  // Waits up to the time-out for what `rank` sets; throws Failure (exit ranks) naming it.
  virtual std::string get(const std::string& key, std::int64_t rank) = 0;
  // Sets the key if nobody has yet; returns what stands there.
  virtual std::string offer(const std::string& key, const std::string& value) = 0;
  virtual void remove(const std::string& key) = 0;
  // What stands there now, if anything.
  virtual std::optional<std::string> look(const std::string& key) = 0;
};

// Under which the failure that ends a run is told first.
inline constexpr const char* kFailureKey = "failure";

// Joins the store of the run: a client, or for a rank 0 that has to, the server as well.
// Throws Failure (exit ranks) with address, port and what to change: when the store cannot be
// served or reached, its name does not resolve, or it belongs to another job.
std::shared_ptr<Rendezvous> join(const RankEnvironment& ranks, std::chrono::milliseconds timeout);

// A store in files, for tests that fork their ranks.
std::shared_ptr<Rendezvous> join_through_file(const std::string& path, std::int64_t size,
                                              std::chrono::milliseconds timeout);

// Serves a store from this process on a free port of 127.0.0.1; its port is bound before any rank
// starts. Kept until destroyed.
class StoreServer {
 public:
  explicit StoreServer(std::int64_t ranks);
  ~StoreServer();
  int port() const;
  // Sets the key if no rank has yet.
  void offer(const std::string& key, const std::string& value);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace mortise::host
