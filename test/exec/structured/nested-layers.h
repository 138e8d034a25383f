//===- nested-layers.h - layers that contain layers -------------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Nested deeper than is guessed, they tell whether the way to a call was known
// before.
//
//===----------------------------------------------------------------------===//

#include <memory>
#include <vector>

struct Layer {
  virtual ~Layer() = default;
  virtual double forward(double x) = 0;
};
struct Twice : Layer {
  double forward(double x) override { return 2 * x; }
};
struct Sequence : Layer {
  std::vector<std::unique_ptr<Layer>> layers;
  double forward(double x) override {
    for (auto &layer : layers)
      x = layer->forward(x);
    return x;
  }
};
/// Doubles depth + 1 times.
static std::unique_ptr<Layer> nested(int depth) {
  auto all = std::make_unique<Sequence>();
  all->layers.push_back(std::make_unique<Twice>());
  if (depth)
    all->layers.push_back(nested(depth - 1));
  return all;
}
