//===- variants-in-turn.cpp - variants that are moved about ---------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A variant is copied with the byte that says which it is, nine bytes of
// sixteen, and an integer that one of them holds is moved as four: of vectors
// of them that grow, are sorted, exchanged and assigned at places that only run
// time knows. None is taped, not by choice either (a remark would be printed).
//
// FLAGS: -Rpass-missed=verso
// LEVELS: O1 O2g O3
//===----------------------------------------------------------------------===//

#include "../check.h"
#include <algorithm>
#include <cmath>
#include <variant>
#include <vector>

static constexpr int N = 12;

using Number = std::variant<double, int>;
CHECK_NOINLINE static double grown(const double *x, int n) {
  std::vector<Number> all;
  for (int i = 0; i < n; ++i)
    if (i % 3)
      all.push_back(x[i]);
    else
      all.push_back(i);
  double s = 0;
  for (const Number &a : all)
    if (const double *d = std::get_if<double>(&a))
      s += *d * *d;
    else
      s *= 1.1;
  return s;
}

using Mixed = std::variant<double, int, long>;
CHECK_NOINLINE static double exchanged(const double *x, int n) {
  std::vector<Mixed> all;
  for (int i = 0; i < n; ++i)
    if (i % 3 == 1)
      all.push_back(i);
    else
      all.push_back(x[i] * x[i]);
  for (int k = 0; k < 20; ++k)
    for (int i = 0; i + 1 < n; ++i)
      if ((i * 7 + k) % 3 == 0)
        std::swap(all[i], all[i + 1]);
  double s = 0;
  int j = 1;
  for (const Mixed &a : all) {
    if (const double *d = std::get_if<double>(&a))
      s += *d * j;
    ++j;
  }
  return s;
}

struct Pulse {
  double at, height;
};
struct Wave {
  double at, height, width;
};
using Event = std::variant<Pulse, Wave>;
CHECK_NOINLINE static double sorted(const double *x, int n) {
  std::vector<Event> all;
  for (int i = 0; i + 2 < n; ++i)
    if (i % 2)
      all.push_back(Pulse{x[i], x[i + 1]});
    else
      all.push_back(Wave{x[i], x[i + 1], x[i + 2]});
  auto at = [](const Event &e) {
    return std::visit([](const auto &each) { return each.at; }, e);
  };
  std::sort(all.begin(), all.end(),
            [&](const Event &a, const Event &b) { return at(a) < at(b); });
  double s = 0;
  for (const Event &e : all)
    if (const Pulse *p = std::get_if<Pulse>(&e)) {
      s = s * 0.9 + p->height * p->at;
    } else {
      const Wave &w = std::get<Wave>(e);
      s = s * 0.8 + w.height * w.width * std::sin(w.at);
    }
  return s;
}

/// Beside other members, moved by a table of operations.
struct Tagged {
  short weight;
  std::variant<double, int, Pulse> what;
  char sign;
};
static double read(const Tagged &t) {
  if (const double *d = std::get_if<double>(&t.what))
    return std::sin(*d) * (t.weight % 2 ? 1 : 2);
  if (const Pulse *p = std::get_if<Pulse>(&t.what))
    return p->at * p->height * (t.sign % 2 ? 0.3 : -0.4);
  return std::get<int>(t.what) % 3 ? 0.3 : 0.7;
}
static Tagged make(int k, double x, double y) {
  Tagged t;
  t.weight = short(k);
  t.sign = char(k / 3);
  if (k % 3 == 0)
    t.what = x * y;
  else if (k % 3 == 1)
    t.what = k;
  else
    t.what = Pulse{y, x};
  return t;
}
static const int *operations;
CHECK_NOINLINE static double moved(const double *x, int n) {
  std::vector<Tagged> all;
  for (int i = 0; i < n; ++i)
    all.push_back(make(operations[i], x[i], x[(i + 1) % n]));
  double s = 1;
  for (int k = n; k < 200; k += 3) {
    int a = operations[k + 1] % n, b = operations[k + 2] % n;
    switch (operations[k] % 6) {
    case 0:
      std::swap(all[a], all[b]);
      break;
    case 1:
      all[a] = all[b];
      break;
    case 2:
      all[a] = make(operations[k + 2], s * 0.1, x[b]);
      break;
    case 3:
      s = s * 0.7 + read(all[a]) * x[b];
      break;
    case 4: {
      Tagged kept = all[a];
      all[b] = kept;
      s += 0.1 * read(kept);
      break;
    }
    case 5:
      std::rotate(all.begin(), all.begin() + a, all.end());
      break;
    }
  }
  for (const Tagged &t : all)
    s = s * 0.9 + read(t);
  return s;
}

template <double (*f)(const double *, int)> static double primal(double *x) {
  return f(x, N);
}
template <double (*f)(const double *, int)> static void check(const double *x) {
  double gradient[N] = {0};
  __verso_grad((void *)f, verso_dup, x, gradient, N);
  CHECK_GRADIENT(primal<f>, N, x, gradient, 1e-7);
  // The dot-product test, against differences in a direction.
  double direction[N], dot = 0;
  for (int i = 0; i < N; ++i) {
    direction[i] = std::cos(3.0 * i);
    dot += gradient[i] * direction[i];
  }
  static const double *at, *along;
  at = x;
  along = direction;
  CHECK_CLOSE(dot,
              central_difference(
                  [](double t) {
                    double moved[N];
                    for (int i = 0; i < N; ++i)
                      moved[i] = at[i] + t * along[i];
                    return f(moved, N);
                  },
                  0),
              1e-7);
}

int main() {
  double x[N];
  for (int i = 0; i < N; ++i)
    x[i] = 0.5 + 0.11 * (i * 5 % N); // Sorted alike after a small step.
  check<grown>(x);
  check<exchanged>(x);
  check<sorted>(x);
  int table[203];
  unsigned state = 7;
  for (int &each : table)
    each = int((state = state * 1103515245 + 12345) >> 16) % 1000;
  operations = table;
  check<moved>(x);
  return check_status();
}
