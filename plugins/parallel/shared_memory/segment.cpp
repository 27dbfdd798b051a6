#include "segment.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <new>
#include <stdexcept>
#include <system_error>
#include <utility>

namespace mortise_shared_memory {
namespace {

static_assert(std::atomic<std::uint64_t>::is_always_lock_free &&
              std::atomic<std::uint32_t>::is_always_lock_free);

[[noreturn]] void refuse(const char* what, int error = errno) {
  throw std::system_error(error, std::generic_category(), what);
}

std::uint64_t control_size(std::int64_t ranks) {
  const std::uint64_t bytes = sizeof(Header) + std::uint64_t(1 + ranks) * kSlots * sizeof(Slot);
  return (bytes + 4095) / 4096 * 4096;
}

// posix_fallocate, unlike ftruncate, finds out now whether the memory is there.
void allocate(int descriptor, std::uint64_t bytes) {
  int error = 0;
  do error = posix_fallocate(descriptor, 0, off_t(bytes));
  while (error == EINTR);
  if (error != 0) refuse("shared memory", error);
}

char* map(int descriptor, std::uint64_t offset, std::uint64_t bytes) {
  void* memory =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, off_t(offset));
  if (memory == MAP_FAILED) refuse("mapping shared memory");
  return static_cast<char*>(memory);
}

}  // namespace

const char* name_of(Operation operation) {
  constexpr const char* names[] = {"all_gather", "reduce_scatter", "reduce_scatter_ordered",
                                   "all_to_all", "all_to_all_v",   "all_reduce",
                                   "broadcast",  "message",        "barrier"};
  return names[std::uint32_t(operation)];
}

Segment::Segment(int descriptor, std::int64_t ranks)
    : descriptor_(descriptor), control_size_(control_size(ranks)) {}

Segment::Segment(Segment&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)),
      control_size_(other.control_size_),
      control_(std::exchange(other.control_, nullptr)),
      heap_(std::exchange(other.heap_, nullptr)),
      mapped_(other.mapped_) {}

Segment::~Segment() {
  if (heap_ != nullptr) munmap(heap_, mapped_);
  if (control_ != nullptr) munmap(control_, control_size_);
  if (descriptor_ >= 0) close(descriptor_);
}

Segment Segment::made(std::int64_t ranks, std::uint64_t token) {
  const int descriptor = memfd_create("mortise collectives", MFD_CLOEXEC);
  if (descriptor < 0) refuse("shared memory");
  Segment segment(descriptor, ranks);
  allocate(descriptor, segment.control_size_);
  segment.control_ = map(descriptor, 0, segment.control_size_);  // zeros: no call is there
  segment.header().token = token;
  return segment;
}

Segment Segment::of_peer(pid_t pid, int descriptor, std::int64_t ranks, std::uint64_t token) {
  const std::string path = "/proc/" + std::to_string(pid) + "/fd/" + std::to_string(descriptor);
  const int opened = open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (opened < 0) refuse(path.c_str());
  Segment segment(opened, ranks);
  if (lseek(opened, 0, SEEK_END) < off_t(segment.control_size_))
    throw std::runtime_error(path + " is no segment of this group");
  segment.control_ = map(opened, 0, segment.control_size_);
  if (segment.header().token != token)
    throw std::runtime_error(path + " is no segment of this group");
  return segment;
}

Slot& Segment::slot(std::int64_t lane, std::uint64_t call) const {
  auto* slots = reinterpret_cast<Slot*>(control_ + sizeof(Header));
  return slots[std::uint64_t(lane) * kSlots + call % kSlots];
}

// What is mapped may be larger than the file; only what is in the file is touched.
char* Segment::heap(std::uint64_t offset, std::uint64_t bytes) {
  constexpr std::uint64_t kFirst = 1 << 20;
  if (heap_ == nullptr) {
    heap_ = map(descriptor_, control_size_, kFirst);
    mapped_ = kFirst;
  }
  if (offset + bytes > mapped_) {
    std::uint64_t wanted = mapped_;
    while (wanted < offset + bytes) wanted *= 2;
    void* moved = mremap(heap_, mapped_, wanted, MREMAP_MAYMOVE);
    if (moved == MAP_FAILED) refuse("mapping shared memory");
    heap_ = static_cast<char*>(moved);
    mapped_ = wanted;
  }
  return heap_ + offset;
}

void Segment::grow_heap(std::uint64_t bytes) { allocate(descriptor_, control_size_ + bytes); }

}  // namespace mortise_shared_memory
