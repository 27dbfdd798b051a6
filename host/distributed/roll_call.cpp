#include "host/distributed/roll_call.hpp"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <exception>

namespace mortise::host {
namespace {

constexpr const char* kNowhere = "nowhere";

std::string key_of(std::int64_t rank) { return "roll_call/" + std::to_string(rank); }

sockaddr_in address_of(const std::string& host, int port) {
  addrinfo hints{}, *found = nullptr;
  hints.ai_family = AF_INET;
  sockaddr_in address{};
  if (getaddrinfo(host.c_str(), nullptr, &hints, &found) != 0) return address;
  address = *reinterpret_cast<const sockaddr_in*>(found->ai_addr);
  address.sin_port = htons(std::uint16_t(port));
  freeaddrinfo(found);
  return address;
}

const sockaddr* generic(const sockaddr_in& address) {
  return reinterpret_cast<const sockaddr*>(&address);
}

std::string own_name(int socket) {
  sockaddr_in address{};
  socklen_t size = sizeof address;
  getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size);
  char text[INET_ADDRSTRLEN] = {};
  inet_ntop(AF_INET, &address.sin_addr, text, sizeof text);
  return std::string(text) + ":" + std::to_string(ntohs(address.sin_port));
}

// The address of this machine on the way to another; no packet is sent.
std::string own_address_towards(const sockaddr_in& other) {
  const int probe = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  const bool known = connect(probe, generic(other), sizeof other) == 0;
  const std::string name = known ? own_name(probe) : "";
  close(probe);
  return name.substr(0, name.find(':'));
}

// Nobody listens there any more, or the machine does not answer.
bool refuses(const sockaddr_in& address) {
  const int probe = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (probe < 0) return false;
  int error = connect(probe, generic(address), sizeof address) == 0 ? 0 : errno;
  if (error == EINPROGRESS) {
    pollfd waiting{probe, POLLOUT, 0};
    socklen_t size = sizeof error;
    if (poll(&waiting, 1, 1000) == 1)
      getsockopt(probe, SOL_SOCKET, SO_ERROR, &error, &size);
    else
      error = ETIMEDOUT;
  }
  close(probe);
  return error != 0;
}

}  // namespace

RollCall::RollCall(std::shared_ptr<Rendezvous> rendezvous, const RankEnvironment& ranks)
    : rendezvous_(std::move(rendezvous)), ranks_(ranks) {
  const std::string own = own_address_towards(address_of(ranks.master_address, ranks.master_port));
  const sockaddr_in any_port = address_of(own, 0);
  socket_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const bool listens = !own.empty() && bind(socket_, generic(any_port), sizeof any_port) == 0 &&
                       listen(socket_, 128) == 0;
  rendezvous_->set(key_of(ranks.rank), listens ? own_name(socket_) : kNowhere);
}

RollCall::~RollCall() { close(socket_); }

std::vector<std::int64_t> RollCall::lost() const {
  std::vector<std::int64_t> all;
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(1);
  try {
    for (std::int64_t r = 0; r != ranks_.size; ++r) {
      if (std::chrono::steady_clock::now() > deadline) break;  // machines that do not answer
      // Offered, not got: one that has never come is not waited for.
      const std::string where =
          r == ranks_.rank ? kNowhere : rendezvous_->offer(key_of(r), kNowhere);
      const std::size_t colon = where.rfind(':');
      if (colon == std::string::npos) continue;
      const int port = std::stoi(where.substr(colon + 1));
      if (refuses(address_of(where.substr(0, colon), port))) all.push_back(r);
    }
  } catch (const std::exception&) {  // the store has gone, and with it the rank that served it
    if (!ranks_.store_is_elsewhere && ranks_.rank != 0) return {0};
  }
  return all;
}

}  // namespace mortise::host
