#include "host/rehearsal/memory_count.hpp"

#include <c10/core/CPUAllocator.h>
#include <sys/mman.h>

#include <cstdlib>
#include <mortise/error.hpp>
#include <mutex>
#include <numeric>
#include <string>
#include <unordered_map>

namespace mortise::host {
namespace {

constexpr std::size_t kLarge = 1 << 20;  // bytes

struct Block {
  std::size_t bytes;
  Purpose purpose;
};

// Tensors may outlive whoever counts them, and this process's statics.
struct Book {
  std::mutex changes;
  std::unordered_map<void*, Block> blocks;
  MemoryUse now, peak;
  Purpose purpose = Purpose::state;
};
Book& book() {
  static Book* const all = new Book;
  return *all;
}

void* pages(std::size_t bytes) {
  void* at = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return at == MAP_FAILED ? nullptr : at;
}

void release(void* at) {
  if (at == nullptr) return;
  Block block{};
  {
    const std::lock_guard lock(book().changes);
    const auto found = book().blocks.find(at);
    block = found->second;
    book().blocks.erase(found);
    book().now.bytes[std::size_t(block.purpose)] -= std::int64_t(block.bytes);
  }
  if (block.bytes >= kLarge)
    munmap(at, block.bytes);
  else
    std::free(at);
}

class CountedMemory final : public at::Allocator {
 public:
  at::DataPtr allocate(std::size_t bytes) override {
    if (bytes == 0) return {nullptr, nullptr, &release, at::kCPU};
    constexpr std::size_t kLine = 64;
    void* at = bytes >= kLarge ? pages(bytes)
                               : std::aligned_alloc(kLine, (bytes + kLine - 1) / kLine * kLine);
    if (at == nullptr)
      throw Error(ErrorCode::failed, "no address space for " + std::to_string(bytes) + " bytes");
    const std::lock_guard lock(book().changes);
    Book& b = book();
    b.blocks[at] = {bytes, b.purpose};
    b.now.bytes[std::size_t(b.purpose)] += std::int64_t(bytes);
    if (b.now.total() > b.peak.total()) b.peak = b.now;
    return {at, at, &release, at::kCPU};
  }
  at::DeleterFnPtr raw_deleter() const override { return &release; }
  void copy_data(void* to, const void* from, std::size_t bytes) const override {
    default_copy_data(to, from, bytes);
  }
};

}  // namespace

std::int64_t MemoryUse::total() const {
  return std::accumulate(bytes.begin(), bytes.end(), std::int64_t(0));
}

MemoryCount::MemoryCount() : before_(c10::GetCPUAllocator()) {
  static CountedMemory* const memory = new CountedMemory;
  c10::SetCPUAllocator(memory);
  forget_peak();
}
MemoryCount::~MemoryCount() { c10::SetCPUAllocator(before_); }

MemoryUse MemoryCount::now() const {
  const std::lock_guard lock(book().changes);
  return book().now;
}
MemoryUse MemoryCount::peak() const {
  const std::lock_guard lock(book().changes);
  return book().peak;
}
void MemoryCount::forget_peak() {
  const std::lock_guard lock(book().changes);
  book().peak = book().now;
}

MemoryCount::For::For(Purpose purpose) : before_(book().purpose) { book().purpose = purpose; }
MemoryCount::For::~For() { book().purpose = before_; }

}  // namespace mortise::host
