#include "host/engine/model_flops.hpp"

#include <doctest/doctest.h>

#include <mortise/model/declaration.hpp>

#include "tests/unit/engine/declared_model.hpp"
#include "tests/unit/loaded_component.hpp"

namespace {

using namespace mortise;
using tests::Declared;

double flops(const Model& model, std::int64_t length) {
  return host::training_flops_per_token(host::LayerChains(model, {}), length);
}

}  // namespace

TEST_CASE("model flops: layers are counted as by hand") {
  Declaration d;
  d.unit("embedding");
  const LayerId embedding = d.embedding("tokens", 100, 8);  // a look-up: nothing
  d.unit("block", 0);
  d.norm("norm", 8, 1e-5);              // nothing
  d.linear("up", 8, 32, true);          // 6 x 256, the bias nothing
  d.attention("attention", 8);          // 12 x 16 x 8
  d.attention("attention_of_unknown");  // nothing
  d.activation("activation", "gelu");   // nothing
  d.linear("down", 32, 8);
  d.parameters.back().trainable = false;  // 4 x 256
  d.unit("head");
  d.tied_linear("head", d.weight_of(embedding));  // 6 x 800
  CHECK(flops(Declared(d), 16) == 6 * 256 + 12 * 16 * 8 + 4 * 256 + 6 * 800);
}

TEST_CASE("model flops: below the first unit that trains nothing runs backward") {
  Declaration d;
  for (const char* name : {"first", "second", "third"}) {
    d.unit(name);
    d.linear(name, 8, 8);
  }
  d.parameters[0].trainable = d.parameters[2].trainable = false;
  CHECK(flops(Declared(d), 16) == (2 + 6 + 4) * 64);
  d.parameters[1].trainable = false;
  CHECK(flops(Declared(d), 16) == (2 + 2 + 2) * 64);
}

TEST_CASE("model flops: models that are built in have PaLM's 6N + 12LHQT") {
  struct Row {
    const char* model;
    std::int64_t layers, heads, width, matrices, vocabulary, length;
  };
  for (const Row& r :
       {Row{"llama", 6, 6, 288, 4 * 288 * 288 + 3 * 288 * 768, 32000, 256},  // hidden 768
        Row{"gpt2", 4, 4, 128, 4 * 128 * 128 + 2 * 128 * 512, 65, 64}}) {
    CAPTURE(r.model);
    const tests::LoadedComponent loaded(r.model, r.model,
                                        {{"width", r.width},
                                         {"layers", r.layers},
                                         {"heads", r.heads},
                                         {"vocabulary_size", r.vocabulary},
                                         {"context_length", r.length}});
    const double n = double(r.layers * r.matrices + r.vocabulary * r.width);
    const double attention =
        12.0 * double(r.layers * r.heads) * double(r.width / r.heads * r.length);
    CHECK(flops(loaded.in_place<Model>(), r.length) == 6 * n + attention);
  }
}
