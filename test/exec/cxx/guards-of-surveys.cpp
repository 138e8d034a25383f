//===- guards-of-surveys.cpp - what guards the caller's pointers ----------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where the function throws for what is in the caller's memory, nothing is read
// that lies behind: a gradient throws as the function does.
//
//===----------------------------------------------------------------------===//

#include "../check.h"

#include <cstring>
#include <stdexcept>
#include <string>

namespace {
struct Layer {
  virtual ~Layer() = default;
  virtual double of(double x) const { return x * x; }
};
struct Cubed : Layer {
  double of(double x) const override { return x * x * x; }
};
struct Net {
  std::string kind = "dense";
  double version = 3;
  char name[8] = "net";
  const Layer *layer = nullptr;
};
} // namespace

CHECK_NOINLINE static double byKind(const Net *n, double x) {
  if (n->kind != "dense")
    throw std::runtime_error("kind");
  return n->layer->of(x);
}
CHECK_NOINLINE static double byVersion(const Net *n, double x) {
  if (n->version < 2.0)
    throw std::runtime_error("version");
  return n->layer->of(x);
}
CHECK_NOINLINE static double byName(const Net *n, double x) {
  if (std::strncmp(n->name, "net", 3) != 0)
    throw std::runtime_error("name");
  return n->layer->of(x);
}

typedef double (*OfNet)(const Net *, double);
template <OfNet F> static void check() {
  Layer layer;
  Cubed cubed;
  Net net, bad;
  for (const Layer *each : {(const Layer *)&layer, (const Layer *)&cubed}) {
    net.layer = each;
    double slope = each == &layer ? 2 * 0.7 : 3 * 0.7 * 0.7;
    CHECK_CLOSE(__verso_grad((void *)F, verso_const, &net, 0.7), slope, 1e-14);
  }
  bad.kind = "other";
  bad.version = 1;
  bad.name[0] = 'x';
  bad.layer = (const Layer *)16;
  bool caught = false;
  try {
    __verso_grad((void *)F, verso_const, &bad, 0.7);
  } catch (const std::runtime_error &) {
    caught = true;
  }
  CHECK(caught);
}

int main() {
  check<byKind>();
  check<byVersion>();
  check<byName>();
  return check_status();
}
