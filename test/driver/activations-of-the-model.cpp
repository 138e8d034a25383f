//===- activations-of-the-model.cpp - functions beside local vectors ------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A model keeps its activations as std::function or function pointers, and they
// are called for each element of vectors that the function makes. How long
// these are is not known before: the survey comes to the calls in any case
// (Survey.h). What is called otherwise is taped, or found out when it is
// called.
//
//===----------------------------------------------------------------------===//
// RUN: %clangxx_verso -std=c++20 -O2 -Rpass=verso %s %verso_libs -o %t 2>&1 \
// RUN:   | FileCheck %s
// RUN: %t
// RUN: %clangxx_verso -std=c++20 -O1 -g %s %verso_libs -o %t.1 && %t.1
// RUN: %clangxx_verso -std=c++20 -O0 %s %verso_libs -o %t.0 && %t.0
// RUN: %clangxx_verso -std=c++20 -O2 -mllvm -verso-strategy=taped %s \
// RUN:   %verso_libs -o %t.taped && %t.taped
// RUN: not %t later 2>&1 | FileCheck --check-prefix=LATER %s
// CHECK-COUNT-7: by reversed control flow
// LATER: a pointer that functions are called through was changed
// LATER-SAME: VERSO_STRATEGY(taped)

#include "../exec/check.h"
#include <cmath>
#include <cstring>
#include <functional>
#include <stdexcept>
#include <vector>
#include <verso/verso.h>

using Vec = std::vector<double>;
using Activation = double (*)(double);

//===----------------------------------------------------------------------===//
// std::function and function pointers beside weights
//===----------------------------------------------------------------------===//

template <class F> struct Layer {
  Vec w;
  F act;
};
template <class F> struct Net {
  std::vector<Layer<F>> layers;
};

template <class F> double loss(const Net<F> *net, const Vec *x) {
  Vec h = *x;
  for (const Layer<F> &l : net->layers) {
    Vec y(h.size());
    for (size_t i = 0; i < h.size(); ++i)
      y[i] = l.act(h[i] * l.w[i]);
    h = y;
  }
  double sum = 0;
  for (double v : h)
    sum += v * v;
  return sum;
}

static double square(double x) { return x * x; }
static double twice(double x) { return 2 * x; }

template <class F> static double differentiate(Net<F> &net, const Vec &x) {
  Net<F> d = net;
  for (auto &l : d.layers)
    for (double &v : l.w)
      v = 0;
  __verso_grad_void((void *)&loss<F>, verso_dup, &net, &d, verso_const, &x);
  return d.layers[0].w.empty() ? 0 : d.layers[0].w[1];
}

template <class F> static void layers() {
  Net<F> net{{{{1, 2, 3}, square}, {{4, 5, 6}, twice}}};
  // (2 * 5 (x w)^2)^2, x = 7, w = 2.
  CHECK_CLOSE(differentiate(net, Vec{1, 7, 3}), 100 * 4 * std::pow(7, 4) * 8,
              1e-12);
  CHECK(differentiate(net, Vec{}) == 0);
}

//===----------------------------------------------------------------------===//
// A pointer that is none where nothing is called
//===----------------------------------------------------------------------===//

struct Table {
  long n;
  Activation *functions; ///< Of anything if n is 0.
};

double byTable(const Table *table, const double *x) {
  Vec h(table->n);
  double sum = *x;
  for (double &v : h)
    sum = table->functions[0](sum) + v;
  return sum;
}

static void nothing() {
  double x = 3, d = 0;
  Activation one = square;
  for (Table table : {Table{0, nullptr}, Table{0, (Activation *)0x123456789},
                      Table{0, (Activation *)~0ull}, Table{2, &one}}) {
    d = 0;
    __verso_grad_void((void *)byTable, verso_const, &table, verso_dup, &x, &d);
    CHECK_CLOSE(d, table.n ? 4 * 27. : 1., 1e-14);
  }
}

/// Whether the branch that asks for the vector is come to decides \c n.
double ifAny(const Table *table, const double *x) {
  Vec h;
  for (long k = 0; k < table->n; ++k)
    h.push_back(*x);
  double value = *x;
  if (!h.empty())
    value = table->functions[0](value);
  return value;
}

/// It throws before it reads what may be none.
double ifThere(const Table *table, const double *x) {
  Vec h(table->n);
  double value = h.at(1) + *x;
  return table->functions[0](value);
}

static void ofOtherFiles() {
  double x = 3, d = 0;
  Activation known = square, other = std::cos;
  for (Activation *each : {&known, &other}) {
    Table table{2, each};
    d = 0;
    __verso_grad_void((void *)ifAny, verso_const, &table, verso_dup, &x, &d);
    CHECK_CLOSE(d, each == &known ? 6. : -std::sin(3.), 1e-14);
    d = 0;
    __verso_grad_void((void *)ifThere, verso_const, &table, verso_dup, &x, &d);
    CHECK_CLOSE(d, each == &known ? 6. : -std::sin(3.), 1e-14);
  }
  for (Activation *each : {(Activation *)nullptr, (Activation *)0x123456789,
                           (Activation *)~0ull}) {
    Table table{1, each};
    bool thrown = false;
    try {
      __verso_grad_void((void *)ifThere, verso_const, &table, verso_dup, &x,
                        &d);
    } catch (const std::out_of_range &) {
      thrown = true;
    }
    CHECK(thrown);
  }
}

//===----------------------------------------------------------------------===//
// A pointer that changes on the way, by bytes that are said to be of no type
//===----------------------------------------------------------------------===//

struct Chosen {
  Activation now;
  char bytes[8], more[8];
  size_t size;
};

double changing(Chosen *c, const double *x) {
  double first = c->now(*x);
  std::memcpy((char *)c, c->bytes, c->size);
  double second = c->now(first);
  std::memcpy((char *)c, c->more, c->size);
  return second;
}

static double cube(double x) { return x * x * x; }

/// \p later: to a function of another file.
static void change(bool later) {
  Activation one = square, other = later ? (Activation)std::cos : cube;
  Chosen c{one, {}, {}, 8};
  std::memcpy(c.bytes, &other, 8);
  std::memcpy(c.more, &one, 8);
  double x = 2, d = 0;
  __verso_grad_void((void *)changing, verso_const, &c, verso_dup, &x, &d);
  CHECK_CLOSE(d, 6 * 32., 1e-14);
}

//===----------------------------------------------------------------------===//
// What is past a loop of no iterations
//===----------------------------------------------------------------------===//

struct Steps {
  std::vector<Activation> functions;
  Vec flags;
  std::vector<int> ends;
};

/// An empty vector decides that what would end the function is not come to.
double steps(const Steps *s, const double *x) {
  double value = *x;
  for (size_t k = 0; k < s->functions.size(); ++k) {
    Vec mine;
    for (double f : s->flags)
      if (f * value > 0)
        mine.push_back(f);
    if (!mine.empty()) {
      value = s->functions[k](value);
      if (s->ends[k])
        return value;
    }
    value = s->functions[k](value) + 1;
  }
  return value;
}

static void past() {
  for (double flag : {-1., 1.}) {
    Steps s{{square, twice, square}, {flag}, {1, 1, 1}};
    double x = 2, d = 0;
    __verso_grad_void((void *)steps, verso_const, &s, verso_dup, &x, &d);
    // ((x^2 + 1) 2 + 1)^2 + 1, or x^2.
    CHECK_CLOSE(d, flag < 0 ? 2 * 11. * 2 * 4 : 4., 1e-14);
  }
}

//===----------------------------------------------------------------------===//
// Past a call to the next iteration; integers that the function writes
//===----------------------------------------------------------------------===//

struct Routed {
  std::vector<Activation> functions;
  int flags[3], order[3], next[3];
};

/// The first function is called though others are skipped there.
double skipping(const Routed *r, const double *x) {
  Vec own{*x};
  double value = *x;
  for (size_t k = 0; k < r->functions.size(); ++k) {
    if (r->flags[k]) {
      value = square(value);
      if (own.size() > 3)
        continue;
    }
    value = r->functions[k](value);
    own.push_back(value);
  }
  return value;
}

double routed(Routed *r, const double *x) {
  std::memcpy(r->order, r->next, sizeof(r->order));
  double value = *x;
  for (int each : r->order)
    value = r->functions[each](value);
  return value;
}

static void others() {
  Routed r{{std::cos, square, twice}, {1, 0, 0}, {1, 1, 1}, {0, 1, 2}};
  double x = 2, d = 0;
  // 2 cos(x^2)^2, and 2 cos(x)^2.
  __verso_grad_void((void *)skipping, verso_const, &r, verso_dup, &x, &d);
  CHECK_CLOSE(d, -8 * x * std::cos(4.) * std::sin(4.), 1e-14);
  d = 0;
  __verso_grad_void((void *)routed, verso_const, &r, verso_dup, &x, &d);
  CHECK_CLOSE(d, -4 * std::cos(2.) * std::sin(2.), 1e-14);
}

int main(int argc, char **) {
  layers<std::function<double(double)>>();
  layers<Activation>();
  nothing();
  ofOtherFiles();
  change(argc > 1);
  past();
  others();
}
