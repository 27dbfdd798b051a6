#include "tests/end_to_end/port.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>
#include <stdexcept>

namespace mortise::tests {

TakenPort::TakenPort(int number) : socket_(socket(AF_INET, SOCK_STREAM, 0)) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_ANY);
  address.sin_port = htons(std::uint16_t(number));
  const int reused = 1;
  setsockopt(socket_, SOL_SOCKET, SO_REUSEADDR, &reused, sizeof reused);
  socklen_t size = sizeof address;
  auto* where = reinterpret_cast<sockaddr*>(&address);
  if (bind(socket_, where, size) != 0 || listen(socket_, 1) != 0 ||
      getsockname(socket_, where, &size) != 0)
    throw std::runtime_error("no port can be taken");
  number_ = ntohs(address.sin_port);
}

TakenPort::~TakenPort() { close(socket_); }

}  // namespace mortise::tests
