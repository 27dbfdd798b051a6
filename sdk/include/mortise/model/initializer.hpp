#pragma once

#include <mortise/optim/piece.hpp>

namespace [[gnu::visibility("hidden")]] mortise {

/// Gives parameters their first values.
///
/// Element i of parameter P depends on (seed, name of P, i) alone, i counted over the whole
/// parameter in row order: the result is the same on every layout (mortise/random.hpp).
///
/// Threads: one caller at a time.
/// Ranks:   local.
class Initializer : public Interface {
 public:
  /// Writes the elements of piece.box into the front of piece.master.
  virtual void fill(const Piece& piece, const ParameterInfo& parameter, std::uint64_t seed) = 0;
  /// Whether fill needs the whole parameter in one box (orthogonal matrices). The host then makes
  /// it whole and keeps the piece.
  virtual bool needs_whole(const ParameterInfo&) const { return false; }
};

template <>
class Remote<Initializer> final : public kit::RemoteBase<Initializer, mt_initializer_v1> {
 public:
  static constexpr const char* id = "mortise/initializer/1";
  using Methods = kit::Methods<&Initializer::fill, &Initializer::needs_whole>;
  static constexpr Table table = Methods::table<Table>();
  using RemoteBase::RemoteBase;
  void fill(const Piece& piece, const ParameterInfo& parameter, std::uint64_t seed) override {
    call(&Table::fill, &Initializer::fill, piece, parameter, seed);
  }
  bool needs_whole(const ParameterInfo& parameter) const override {
    return call(&Table::needs_whole, &Initializer::needs_whole, parameter);
  }
};

}  // namespace mortise
