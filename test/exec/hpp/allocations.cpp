//===- allocations.cpp - what a gradient allocates ------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A gradient allocates as much as its result holds, and no byte more; one that
// is on the stack allocates nothing. Counted is operator new; the tape is not.
//
// HEAVY: verso.hpp is made of templates
//
//===----------------------------------------------------------------------===//

#define CHECK_NO_API
#include "../check.h"
#include "verso/verso.hpp"
#include <new>

VERSO_INACTIVE static std::size_t allocated, allocations;

VERSO_INACTIVE void *operator new(std::size_t bytes) {
  allocated += bytes;
  ++allocations;
  if (void *memory = std::malloc(bytes))
    return memory;
  std::abort();
}
VERSO_INACTIVE void operator delete(void *memory) noexcept {
  std::free(memory);
}
VERSO_INACTIVE void operator delete(void *memory, std::size_t) noexcept {
  std::free(memory);
}

struct Model {
  std::vector<double> weights;
  std::vector<std::vector<float>> layers;
  std::array<double, 100> table;
};
static double of_model(const Model &m, double x) {
  double sum = m.table[3] * x;
  for (double w : m.weights)
    sum += w * w * x;
  for (const auto &layer : m.layers)
    for (float f : layer)
      sum += f * x;
  return sum;
}
static double of_array(const std::array<double, 100> &x, double y) {
  double sum = 0;
  for (double v : x)
    sum += v * v * y;
  return sum;
}
static double of_view(std::span<const double> x, std::span<double> scratch) {
  double sum = 0;
  for (std::size_t i = 0; i != x.size(); ++i)
    scratch[i] = x[i] * x[i];
  for (double v : scratch)
    sum += v;
  return sum;
}

int main() {
  Model m{std::vector<double>(1000, 2.0),
          {std::vector<float>(10, 3.0f), std::vector<float>(20, 4.0f)},
          {}};
  constexpr std::size_t Result = 1000 * sizeof(double) +
                                 2 * sizeof(std::vector<float>) +
                                 30 * sizeof(float);
  allocated = allocations = 0;
  auto [dm, dx] = verso::grad(of_model)(m, 3);
  CHECK_EQUAL(allocated, Result);
  CHECK_EQUAL(allocations, 4);
  CHECK(dm.weights[999] == 12 && dm.layers[1][19] == 3 && dm.table[3] == 3);

  allocated = 0;
  auto both = verso::value_and_grad(of_model)(m, 3);
  CHECK_EQUAL(allocated, Result);
  CHECK_EQUAL(std::get<0>(both.gradient).weights[0], 12);

  std::array<double, 100> x{};
  x[7] = 5;
  allocated = 0;
  auto [da, dy] = verso::grad(of_array)(x, 2);
  CHECK_EQUAL(allocated, 0);
  CHECK(da[7] == 20 && dy == 25);

  std::vector<double> scratch(100);
  allocated = 0;
  auto dv = verso::grad(of_view)(x, verso::out(scratch));
  CHECK_EQUAL(allocated, 100 * sizeof(double));
  CHECK_EQUAL(dv[7], 10);
  return check_status();
}
