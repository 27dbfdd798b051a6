#pragma once

// What every Communicator and Mesh owe their callers. Collective: every rank of the group runs the
// suite with its own object. Values are a function of the ranks, so that each can tell what is
// right.

#include <ATen/ATen.h>

#include <mortise/parallel/mesh.hpp>
#include <set>

#include "../both_ways.hpp"
#include "../model/sample_parameters.hpp"

namespace mortise::conformance {
namespace communicator {

inline constexpr std::int64_t kPart = 24;
inline constexpr at::ScalarType kTypes[] = {at::kFloat, at::kDouble, at::kLong};

// What rank `from` has for rank `to`: whole numbers, exact in every type.
inline at::Tensor part(std::int64_t from, std::int64_t to, at::ScalarType type,
                       std::int64_t size = kPart) {
  return at::arange(size, at::kLong).add(from * 1000 + to * 10).to(type);
}
inline at::Tensor parts_of(std::int64_t from, std::int64_t ranks, at::ScalarType type) {
  TensorList all;
  for (std::int64_t to = 0; to != ranks; ++to) all.push_back(part(from, to, type));
  return at::cat(all);
}

inline void check_facts(Communicator& c, Report& report) {
  const std::int64_t rank = c.rank(), size = c.size();
  report.expect(size >= 1 && rank >= 0 && rank < size, "rank: is in [0, size)");
  report.expect(!c.supports("org.example.unheard_of"),
                "supports: says no to what it does not know");
  c.barrier();
}

inline void check_gathers(Communicator& c, at::ScalarType type, Report& report) {
  const std::int64_t rank = c.rank(), size = c.size();
  TensorList all, transposed;
  for (std::int64_t r = 0; r != size; ++r) all.push_back(part(r, 0, type));
  for (std::int64_t r = 0; r != size; ++r) transposed.push_back(part(r, rank, type));
  const at::Tensor output = at::zeros({size * kPart}, type);
  c.all_gather(output, part(rank, 0, type))->wait();
  report.expect(output.equal(at::cat(all)), "all_gather: the parts lie in the order of the ranks");
  const at::Tensor exchanged = at::zeros({size * kPart}, type);
  c.all_to_all(exchanged, parts_of(rank, size, type))->wait();
  report.expect(exchanged.equal(at::cat(transposed)), "all_to_all: part i goes to rank i");
}

// Rank r has 2 * r + to + 1 elements for rank `to`.
inline void check_ragged(Communicator& c, at::ScalarType type, Report& report) {
  const std::int64_t rank = c.rank(), size = c.size();
  std::vector<std::int64_t> out_sizes, in_sizes;
  TensorList out, in;
  for (std::int64_t r = 0; r != size; ++r) {
    in_sizes.push_back(2 * rank + r + 1);
    out_sizes.push_back(2 * r + rank + 1);
    in.push_back(part(rank, r, type, in_sizes.back()));
    out.push_back(part(r, rank, type, out_sizes.back()));
  }
  const at::Tensor output = at::zeros_like(at::cat(out));
  c.all_to_all_v(output, at::cat(in), out_sizes, in_sizes)->wait();
  report.expect(output.equal(at::cat(out)), "all_to_all_v: parts of any size go to their ranks");
}

inline void check_reductions(Communicator& c, at::ScalarType type, Report& report) {
  const std::int64_t rank = c.rank(), size = c.size();
  at::Tensor sum = at::zeros({kPart}, type);
  for (std::int64_t r = 0; r != size; ++r) sum.add_(part(r, rank, type));
  const at::Tensor scattered = at::zeros({kPart}, type);
  c.reduce_scatter(scattered, parts_of(rank, size, type))->wait();
  report.expect(scattered.equal(sum), "reduce_scatter: part i of every rank is summed on rank i");
  const at::Tensor accumulator = at::ones({kPart}, type);
  c.reduce_scatter_ordered(accumulator, parts_of(rank, size, type))->wait();
  report.expect(accumulator.equal(sum.add(1)), "reduce_scatter_ordered: adds to the accumulator");
  for (const ReduceOp op : {ReduceOp::sum, ReduceOp::max, ReduceOp::min}) {
    at::Tensor expected = part(0, 0, type);
    for (std::int64_t r = 1; r != size; ++r)
      expected = op == ReduceOp::sum   ? expected.add(part(r, 0, type))
                 : op == ReduceOp::max ? expected.maximum(part(r, 0, type))
                                       : expected.minimum(part(r, 0, type));
    const at::Tensor mine = part(rank, 0, type);
    c.all_reduce(mine, op)->wait();
    report.expect(mine.equal(expected), "all_reduce: every rank has the sum, largest or smallest");
  }
}

// Numbers whose float32 sum depends on the order.
inline void check_order(Communicator& c, Report& report) {
  const std::int64_t rank = c.rank(), size = c.size();
  const auto values = [](std::int64_t r, std::int64_t to) {
    return sample_values("rank " + std::to_string(r) + " " + std::to_string(to), {kPart})
        .mul(std::pow(10.0, double(r % 3)))
        .to(at::kFloat);
  };
  TensorList mine;
  for (std::int64_t to = 0; to != size; ++to) mine.push_back(values(rank, to));
  const at::Tensor accumulator = sample_values("accumulator", {kPart}).to(at::kFloat),
                   expected = accumulator.clone();
  for (std::int64_t r = 0; r != size; ++r) expected.add_(values(r, rank));
  c.reduce_scatter_ordered(accumulator, at::cat(mine))->wait();
  report.expect(same_bits(accumulator, expected),
                "reduce_scatter_ordered: adds in rank order, the same bits as in one process");
}

inline void check_messages(Communicator& c, at::ScalarType type, Report& report) {
  const std::int64_t rank = c.rank(), size = c.size();
  for (std::int64_t root = 0; root != size; ++root) {
    const at::Tensor t = rank == root ? part(root, 0, type) : at::zeros({kPart}, type);
    c.broadcast(t, root)->wait();
    report.expect(t.equal(part(root, 0, type)), "broadcast: every rank has what the root had");
  }
  if (size == 1) return;
  const at::Tensor received = at::zeros({kPart}, type);
  const std::int64_t next = (rank + 1) % size, previous = (rank + size - 1) % size;
  const std::unique_ptr<Work> incoming = c.receive(received, previous);
  const std::unique_ptr<Work> outgoing = c.send(part(rank, next, type), next);
  outgoing->wait();
  incoming->wait();
  report.expect(received.equal(part(previous, rank, type)),
                "send, receive: a ring passes its values on");
}

// A Work keeps its tensors and waits when it is dropped.
inline void check_works(Communicator& c, Report& report) {
  const std::int64_t rank = c.rank(), size = c.size();
  const at::Tensor gathered = at::zeros({size * kPart}), added = at::zeros({kPart});
  static_cast<void>(c.all_gather(gathered, part(rank, 0, at::kFloat)));
  static_cast<void>(c.reduce_scatter_ordered(added, at::ones({size * kPart})));
  report.expect(gathered.narrow(0, (size - 1) * kPart, kPart).equal(part(size - 1, 0, at::kFloat)),
                "Work: dropping one that nobody waited for waits");
  report.expect(added.eq(double(size)).all().item<bool>(),
                "Work: dropping an ordered reduction that nobody waited for finishes it");
  const at::Tensor first = at::zeros({size * kPart}), second = at::zeros({size * kPart});
  const std::unique_ptr<Work> a = c.all_gather(first, part(rank, 0, at::kFloat));
  const std::unique_ptr<Work> b = c.all_gather(second, part(rank, 1, at::kFloat));
  b->wait();
  a->wait();
  report.expect(first.narrow(0, 0, kPart).equal(part(0, 0, at::kFloat)) &&
                    second.narrow(0, 0, kPart).equal(part(0, 1, at::kFloat)),
                "Work: several may be under way, waited for in any order");
}

// Before anything is sent, so that the group goes on afterwards.
inline void check_refusals(Communicator& c, Report& report) {
  const std::int64_t size = c.size();
  const at::Tensor small = at::zeros({kPart}), big = at::zeros({size * kPart}),
                   odd = at::zeros({size * kPart + 1});
  const at::Tensor strided = at::zeros({size * kPart, 2}).select(1, 0);
  const auto refused = [&](std::string_view sentence, auto f) {
    report.expect_refusal(ErrorCode::bad_argument, "", sentence, [&] { f()->wait(); });
  };
  refused("all_gather: refuses sizes that do not fit", [&] { return c.all_gather(odd, small); });
  refused("all_gather: refuses a tensor that is not contiguous",
          [&] { return c.all_gather(strided, small); });
  refused("all_gather: refuses two types",
          [&] { return c.all_gather(big, small.to(at::kDouble)); });
  refused("reduce_scatter: refuses sizes that do not fit",
          [&] { return c.reduce_scatter(small, odd); });
  refused("reduce_scatter_ordered: refuses sizes that do not fit",
          [&] { return c.reduce_scatter_ordered(small, odd); });
  refused("all_to_all: refuses sizes that do not fit", [&] { return c.all_to_all(odd, big); });
  const std::vector<std::int64_t> none, parts(std::size_t(size), kPart);
  refused("all_to_all_v: refuses lists of sizes that are too short",
          [&] { return c.all_to_all_v(big, big, none, none); });
  refused("all_to_all_v: refuses parts that do not add up",
          [&] { return c.all_to_all_v(big, odd, parts, parts); });
  refused("all_reduce: refuses a tensor that is not contiguous",
          [&] { return c.all_reduce(strided, ReduceOp::sum); });
  refused("broadcast: refuses a tensor that is not contiguous",
          [&] { return c.broadcast(strided, 0); });
  const at::Tensor t = part(0, 0, at::kFloat);
  c.all_reduce(t, ReduceOp::max)->wait();
  report.expect(t.equal(part(0, 0, at::kFloat)), "a refused call leaves the group in order");
}

}  // namespace communicator

inline void check_communicator_contract(Communicator& c, Report& report) {
  report.section("facts", [&] { communicator::check_facts(c, report); });
  for (const at::ScalarType type : communicator::kTypes) {
    const auto scope = report.inside(c10::toString(type));
    report.section("gathers", [&] { communicator::check_gathers(c, type, report); });
    report.section("ragged parts", [&] { communicator::check_ragged(c, type, report); });
    report.section("reductions", [&] { communicator::check_reductions(c, type, report); });
    report.section("messages", [&] { communicator::check_messages(c, type, report); });
  }
  report.section("order of sums", [&] { communicator::check_order(c, report); });
  report.section("works", [&] { communicator::check_works(c, report); });
  report.section("refusals", [&] { communicator::check_refusals(c, report); });
}

}  // namespace mortise::conformance
