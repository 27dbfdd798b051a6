#pragma once

// Tensors cross as at::Tensor itself, lent in place. Whoever includes this is torch-locked.

#include <ATen/core/Tensor.h>
#include <mortise/c/tensor.h>
#include <torch/headeronly/version.h>

#include <initializer_list>
#include <mortise/data/array.hpp>
#include <mortise/kit/structs.hpp>
#include <mortise/values.hpp>
#include <span>

#define MORTISE_TORCH TORCH_VERSION_MAJOR.TORCH_VERSION_MINOR.TORCH_VERSION_PATCH

namespace [[gnu::visibility("hidden")]] mortise {

using TensorList = std::vector<at::Tensor>;

/// A view of tensors: one, several in braces (evaluated from left to right), or a list. It keeps
/// nothing alive.
class Tensors {
 public:
  Tensors() = default;
  Tensors(const at::Tensor& one) : data_(&one), size_(1) {}
  Tensors(const TensorList& list) : data_(list.data()), size_(list.size()) {}
  Tensors(std::initializer_list<at::Tensor> list) : size_(list.size()) { data_ = list.begin(); }
  Tensors(const at::Tensor* data, std::size_t size) : data_(data), size_(size) {}

  const at::Tensor& operator[](std::size_t i) const { return data_[i]; }
  const at::Tensor* data() const { return data_; }
  const at::Tensor* begin() const { return data_; }
  const at::Tensor* end() const { return data_ + size_; }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  Tensors first(std::size_t n) const { return {data_, n}; }
  Tensors last(std::size_t n) const { return {data_ + (size_ - n), n}; }

 private:
  const at::Tensor* data_ = nullptr;
  std::size_t size_ = 0;
};

/// Named tensors, an open map. For text: `tokens` [B, T] int64, `targets` [B, T] int64 (-100 is not
/// counted), `positions` [B, T] int64; `document_ids` [B, T] when documents are isolated.
class Batch {
 public:
  struct Entry {
    std::string name;
    at::Tensor value;
  };
  /// Errors: Error(bad_argument) naming what is asked for and what there is.
  const at::Tensor& operator[](std::string_view name) const {
    for (const Entry& e : entries_)
      if (e.name == name) return e.value;
    std::string have;
    for (const Entry& e : entries_) have += (have.empty() ? "" : ", ") + e.name;
    throw Error(ErrorCode::bad_argument,
                "the batch has no " + std::string(name) + "; it has " + have);
  }
  bool has(std::string_view name) const {
    for (const Entry& e : entries_)
      if (e.name == name) return true;
    return false;
  }
  void set(std::string name, at::Tensor value) {
    for (Entry& e : entries_)
      if (e.name == name) return void(e.value = std::move(value));
    entries_.push_back({std::move(name), std::move(value)});
  }
  void reserve(std::size_t n) { entries_.reserve(n); }
  const std::vector<Entry>& entries() const { return entries_; }

 private:
  std::vector<Entry> entries_;
};

/// The part [offset, offset + size) of a global tensor, one number for each dimension.
struct Box {
  Shape offset{}, size{};
  std::int64_t count() const {
    std::int64_t n = 1;
    for (const std::int64_t s : size) n *= s;
    return n;
  }
  bool operator==(const Box&) const = default;
};

namespace kit {

static_assert(sizeof(at::Tensor) == sizeof(mt_tensor) && alignof(at::Tensor) == alignof(mt_tensor));
inline const mt_tensor* lend(const at::Tensor& t) { return reinterpret_cast<const mt_tensor*>(&t); }
inline const at::Tensor& seen(const mt_tensor* t) {
  return *reinterpret_cast<const at::Tensor*>(t);
}
inline mt_tensors lend(Tensors t) {
  return {reinterpret_cast<const mt_tensor*>(t.data()), t.size()};
}
inline Tensors seen(mt_tensors t) { return {reinterpret_cast<const at::Tensor*>(t.data), t.size}; }

template <>
struct lowering<at::Tensor> {
  static const mt_tensor* lower(const at::Tensor& t, Arena&) { return lend(t); }
  static at::Tensor raise(const mt_tensor* t) { return seen(t); }
};
template <>
struct lowering<TensorList> {
  static mt_tensors lower(const TensorList& t, Arena&) { return lend(Tensors(t)); }
  static TensorList raise(mt_tensors t) { return {seen(t).begin(), seen(t).end()}; }
};

template <>
struct crossing<at::Tensor> {
  static constexpr const char* name = "tensor";
  using Arg = const mt_tensor*;
  static Arg pack(const at::Tensor& t) { return lend(t); }
  static const at::Tensor& unpack(Arg t) { return seen(t); }
  using Out = const mt_tensor_sink*;
  static void deliver(Out out, const at::Tensor& t) { out->put(out->self, {lend(t), 1}); }
  struct Receiver {
    at::Tensor value;
    mt_tensor_sink sink{this, &put};
    Out slot() { return &sink; }
    at::Tensor take() { return std::move(value); }
    static void put(void* self, mt_tensors t) noexcept {
      static_cast<Receiver*>(self)->value = seen(t)[0];
    }
  };
};
template <>
struct crossing<Tensors> {
  static constexpr const char* name = "tensors";
  using Arg = mt_tensors;
  static Arg pack(Tensors t) { return lend(t); }
  static Tensors unpack(Arg t) { return seen(t); }
};
template <>
struct crossing<TensorList> {
  using Arg = mt_tensors;
  static Arg pack(const TensorList& t) { return lend(Tensors(t)); }
  static TensorList unpack(Arg t) { return {seen(t).begin(), seen(t).end()}; }
  using Out = const mt_tensor_sink*;
  static void deliver(Out out, const TensorList& t) { out->put(out->self, lend(Tensors(t))); }
  struct Receiver {
    TensorList value;
    bool failed = false;
    mt_tensor_sink sink{this, &put};
    Out slot() { return &sink; }
    TensorList take() {
      if (failed) throw std::bad_alloc();
      return std::move(value);
    }
    static void put(void* self, mt_tensors t) noexcept {
      auto& receiver = *static_cast<Receiver*>(self);
      try {
        receiver.value.assign(seen(t).begin(), seen(t).end());
      } catch (...) {
        receiver.failed = true;
      }
    }
  };
};

template <>
struct lowering<Batch> {
  static mt_named_tensors lower(const Batch& b, Arena& arena) {
    auto* all = arena.make<mt_named_tensor>(b.entries().size());
    std::size_t i = 0;
    for (const Batch::Entry& e : b.entries()) all[i++] = {text(e.name), lend(e.value)};
    return {all, i};
  }
  static Batch raise(mt_named_tensors list) {
    Batch b;
    b.reserve(list.size);
    for (std::size_t i = 0; i != list.size; ++i)
      b.set(std::string(view(list.data[i].name)), seen(list.data[i].value));
    return b;
  }
};
template <>
struct crossing<Batch> : lowered<Batch, mt_named_tensors, mt_named_tensor_sink> {
  static constexpr const char* name = "batch";
};

template <>
struct members<Box> {
  MORTISE_MEMBERS(Box, mt_box);
  static constexpr auto map = std::tuple{MORTISE_MEMBER(offset), MORTISE_MEMBER(size)};
};
}  // namespace kit
}  // namespace mortise
