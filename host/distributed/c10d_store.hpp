#pragma once

// For distributed/ alone.

#include <torch/csrc/distributed/c10d/Store.hpp>

#include "host/distributed/rendezvous.hpp"

namespace mortise::host {

struct C10dRendezvous final : Rendezvous {
  explicit C10dRendezvous(c10::intrusive_ptr<c10d::Store> s) : store(std::move(s)) {}
  void set(const std::string& key, const std::string& value) override;
  std::string get(const std::string& key, std::int64_t rank) override;
  std::string offer(const std::string& key, const std::string& value) override;
  void remove(const std::string& key) override;
  std::optional<std::string> look(const std::string& key) override;
  c10::intrusive_ptr<c10d::Store> store;
};

}  // namespace mortise::host
