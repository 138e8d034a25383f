//===- copied-by-bits.cpp - copies of numbers that decide something -------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The library's copies of numbers: their signs say which layers are called;
// pointers to layers and to numbers are kept as numbers; each is two floats.
// And the length of a vector, which it refuses, bounds a walk of the caller's
// memory. Blocks nested deeper than was guessed tell whether the way was known.
// Closed forms.
//
// LEVELS: O0 O1 O2g
// UNCHECKED: what is two floats is no double to seed
//
//===----------------------------------------------------------------------===//

#include "../check.h"
#include "nested-layers.h"
#include <algorithm>
#include <bit>
#include <cmath>
#include <stdexcept>
#include <vector>

struct Squared : Layer {
  double forward(double x) override { return x * x; }
};

struct Gated {
  std::vector<double> open, next;
  std::vector<std::unique_ptr<Layer>> layers;
};
CHECK_NOINLINE static double gated(Gated *net, double x) {
  std::copy(net->next.begin(), net->next.end(), net->open.begin());
  for (size_t i = 0; i < net->layers.size(); ++i)
    if (std::signbit(net->open[i]))
      x = net->layers[i]->forward(x);
  return x * x;
}

struct Boxed {
  double now[2], next[2];
};
CHECK_NOINLINE static double boxed(Boxed *net, double x) {
  std::copy(net->next, net->next + 2, net->now);
  for (double each : net->now)
    x = std::bit_cast<Layer *>(each)->forward(x);
  return x * x;
}

struct Pointers {
  std::vector<double> kept;
  double numbers[2];
  explicit Pointers(double first, double second) : numbers{first, second} {
    for (double &each : numbers)
      kept.push_back(std::bit_cast<double>(&each));
  }
};
// (x (n0 + n1))^2
CHECK_NOINLINE static double pointed(Pointers *p, double x) {
  std::vector<double> copies = p->kept;
  double sum = 0;
  for (double each : copies)
    sum += *std::bit_cast<double *>(each) * x;
  return sum * sum;
}

struct Pair {
  float a, b;
};
CHECK_NOINLINE static double packed(const double *from, double *to, double x) {
  std::copy(from, from + 3, to);
  Pair first = std::bit_cast<Pair>(from[0]),
       second = std::bit_cast<Pair>(to[1]);
  return x * second.a * second.b + first.b * first.b;
}

struct Counted {
  size_t n;
  Layer **layers;
};
CHECK_NOINLINE static double counted(Counted *net, double x) {
  std::vector<double> all(net->n);
  for (size_t i = 0; i < net->n; ++i)
    all[i] = x = net->layers[i]->forward(x);
  double sum = 0;
  for (double each : all)
    sum += each;
  return sum;
}

int main() {
  for (int depth = 0; depth < 5; ++depth) {
    Gated net;
    net.layers.push_back(std::make_unique<Twice>());
    net.layers.push_back(nested(depth));
    net.layers.push_back(std::make_unique<Squared>());
    net.open = {1, 1, 1};
    net.next = {-1, -1, 1};
    double factor = std::exp2(depth + 2), x = 0.5 + depth;
    CHECK_EQUAL(__verso_grad((void *)gated, verso_const, &net, x),
                2 * factor * factor * x);
  }

  Twice twice;
  for (int depth = 0; depth < 5; ++depth) {
    auto other = nested(depth);
    Boxed net;
    net.now[0] = net.now[1] = std::bit_cast<double>((Layer *)&twice);
    net.next[0] = std::bit_cast<double>((Layer *)&twice);
    net.next[1] = std::bit_cast<double>(other.get());
    double factor = std::exp2(depth + 2), x = 0.5 + depth;
    CHECK_EQUAL(__verso_grad((void *)boxed, verso_const, &net, x),
                2 * factor * factor * x);
  }

  Pointers p(1.5, 2.5), dp(0, 0);
  CHECK_EQUAL(__verso_grad((void *)pointed, verso_dup, &p, &dp, 3.0),
              2 * 3 * 16);
  CHECK_EQUAL(dp.numbers[0], 2 * 3 * 3 * 4);
  CHECK_EQUAL(dp.numbers[1], 2 * 3 * 3 * 4);

  double from[3], to[3], dfrom[3], dto[3];
  for (int i = 0; i < 3; ++i) {
    from[i] = to[i] =
        std::bit_cast<double>(Pair{0.5f + float(i), 0.25f + float(i)});
    dfrom[i] = dto[i] = std::bit_cast<double>(Pair{0, 0});
  }
  CHECK_EQUAL(__verso_grad((void *)packed, verso_dup, from, dfrom, verso_dup,
                           to, dto, 3.0),
              1.5 * 1.25);
  CHECK_EQUAL(std::bit_cast<Pair>(dfrom[0]).b, 2 * 0.25);
  CHECK_EQUAL(std::bit_cast<Pair>(dfrom[1]).a, 3 * 1.25);
  CHECK_EQUAL(std::bit_cast<Pair>(dfrom[1]).b, 3 * 1.5);

  // Behind the layers are numbers.
  Squared squared;
  void *memory[4] = {&twice, &squared, std::bit_cast<void *>(0.3),
                     std::bit_cast<void *>(0.7)};
  Counted net{2, (Layer **)memory};
  for (size_t n : {size_t(2), size_t(-1), size_t(1)}) {
    net.n = n;
    bool isTooLong = false;
    try {
      CHECK_EQUAL(__verso_grad((void *)counted, verso_const, &net, 1.5),
                  n == 2 ? 2 + 8 * 1.5 : 2);
    } catch (const std::length_error &) {
      isTooLong = true;
    }
    CHECK_EQUAL(isTooLong, n > 2);
  }
  return check_status();
}
