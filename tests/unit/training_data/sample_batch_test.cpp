// Samples of a data set become a batch.

#include "host/training/sample_batch.hpp"

#include <ATen/ops/equal.h>
#include <ATen/ops/tensor.h>

#include "tests/doctest_with_torch.hpp"
#include "tests/unit/training_data/made_up_set.hpp"

namespace mortise::tests {
namespace {

using Numbers = std::vector<std::int64_t>;

Array mask(const std::vector<std::uint8_t>& values, DType type = DType::boolean) {
  return array_of("mask", type, values);
}

Batch batch_of(std::vector<Sample> samples, const host::SampleForm& form) {
  const auto count = std::int64_t(samples.size());
  const MadeUpSet set(count, [&](std::int64_t i) { return samples[std::size_t(i)]; });
  Numbers indices(samples.size());
  for (std::int64_t i = 0; i != count; ++i) indices[std::size_t(i)] = i;
  return host::batch_of(set, indices, form);
}

bool is(const at::Tensor& t, const std::vector<Numbers>& rows) {
  Numbers all;
  for (const Numbers& row : rows) all.insert(all.end(), row.begin(), row.end());
  return t.scalar_type() == at::kLong && at::equal(t.flatten(), at::tensor(all));
}

}  // namespace

TEST_CASE("batch: targets are the next tokens, those that a mask leaves out do not count") {
  const Batch batch = batch_of(
      {{{integers("tokens", {5, 6, 7, 8}), mask({1, 0, 1})}}, {{integers("tokens", {1, 2, 3, 4})}}},
      {3, 9, false});
  CHECK(is(batch["tokens"], {{5, 6, 7}, {1, 2, 3}}));
  CHECK(is(batch["targets"], {{6, -100, 8}, {2, 3, 4}}));
  CHECK(is(batch["positions"], {{0, 1, 2}, {0, 1, 2}}));
  CHECK_FALSE(batch.has("document_ids"));
  CHECK_FALSE(batch.has("sources"));
}

TEST_CASE("batch: isolated documents begin at 0 and do not predict each other (D-08)") {
  const Batch batch = batch_of(
      {{{integers("tokens", {1, 2, 3, 4, 5, 6}), mask({0, 1, 1, 1, 1}),
         integers("document_ids", {0, 0, 0, 4, 4, 0})}},
       {{integers("tokens", {1, 2, 3, 4, 5, 6}), integers("document_ids", {7, 8, 9, 9, 9, 9})}}},
      {5, 0, true});
  CHECK(is(batch["targets"], {{-100, 3, -100, 5, -100}, {-100, -100, 4, 5, 6}}));
  CHECK(is(batch["positions"], {{0, 1, 2, 0, 1}, {0, 0, 0, 1, 2}}));
  CHECK(is(batch["document_ids"], {{0, 0, 0, 4, 4}, {7, 8, 9, 9, 9}}));
}

TEST_CASE("batch: the sources of the samples are one number for each") {
  const Batch batch = batch_of({{{integers("tokens", {1, 2}), integers("source", {3})}},
                                {{integers("tokens", {1, 2}), integers("source", {0})}}},
                               {1, 0, false});
  CHECK(batch["sources"].sizes() == at::IntArrayRef({2}));
  CHECK(is(batch["sources"], {{3, 0}}));
}

TEST_CASE("batch: samples of another form are refused with their place") {
  struct Bad {
    Sample sample;
    host::SampleForm form;
    const char* text;
  };
  const Array tokens = integers("tokens", {1, 2, 3, 4});
  const Array fractions = array_of("tokens", DType::float64, std::vector<double>{1, 2, 3, 4});
  for (const Bad& bad : std::vector<Bad>{
           {{{integers("ids", {1})}}, {3}, "no tokens"},
           {{{tokens}}, {4}, "the sample has 4 tokens, expected 5"},
           {{{tokens}}, {2}, "the sample has 4 tokens, expected 3"},
           {{{fractions}}, {3}, "tokens are no integers"},
           {{{tokens}}, {3, 4}, "token 3 of the sample has id 4, the model's vocabulary has 4"},
           {{{integers("tokens", {1, 2, -3, 4})}}, {3, 9}, "token 2 of the sample has id -3"},
           {{{tokens, mask({1, 1, 1, 1})}}, {3}, "mask has 4 elements, expected 3"},
           {{{tokens, mask({1, 1})}}, {3}, "mask has 2 elements, expected 3"},
           {{{tokens, integers("mask", {1, 1, 1})}}, {3}, "expected 3 of type boolean"},
           {{{tokens}}, {3, 0, true}, "does not say where documents end"},
           {{{tokens, integers("document_ids", {0, 0, 0, 0})}},
            {3, 0, false},
            "data.documents says joined"},
           {{{tokens, integers("document_ids", {0, 0, 0})}}, {3, 0, true}, "3 document_ids"},
           {{{tokens, integers("source", {0, 0})}}, {3}, "2 source, expected 1"}}) {
    CAPTURE(bad.text);
    CHECK_THROWS_WITH_AS(batch_of({bad.sample}, bad.form), doctest::Contains(bad.text), DataError);
    CHECK_THROWS_WITH_AS(batch_of({bad.sample}, bad.form), doctest::Contains("made.up, sample 0: "),
                         DataError);
  }
}

}  // namespace mortise::tests
