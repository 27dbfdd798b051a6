#include <ATen/core/Tensor.h>
#include <ATen/ops/add.h>
#include <ATen/ops/ones.h>
#include <doctest/doctest.h>
#include <torch/headeronly/version.h>

TEST_CASE("libtorch: headers are of the tested series and the libraries load and compute") {
  CHECK(TORCH_VERSION_MAJOR == 2);
  CHECK(TORCH_VERSION_MINOR == 11);
  CHECK(at::add(at::ones({2}), at::ones({2})).sum().item<double>() == 4.0);
}
