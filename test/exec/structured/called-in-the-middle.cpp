//===- called-in-the-middle.cpp - virtual calls on the caller's objects ---===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Objects, functions and closures that the caller has, in containers, lists and
// structures: what they are is seen when each is come to. Also one that nobody
// guesses, and too many to guess; pointers to them that the function changes
// first; and objects that are only come to if a number says so.
//
//===----------------------------------------------------------------------===//

#include "../check.h"
#include <cmath>
#include <functional>
#include <memory>
#include <vector>

struct Layer {
  virtual ~Layer() = default;
  virtual void apply(const double *in, double *out, const double *w,
                     int from = 0) const = 0;
  virtual int parameters() const { return 0; }
};
static constexpr int Width = 3;
struct Dense : Layer {
  void apply(const double *in, double *out, const double *w,
             int from) const override {
    for (int i = 0; i < Width; ++i) {
      out[i] = 0;
      for (int j = 0; j < Width; ++j)
        out[i] += w[(from + i + j) % 4] * in[j];
    }
  }
  int parameters() const override { return 1; }
};
struct Tanh : Layer {
  void apply(const double *in, double *out, const double *w,
             int from) const override {
    for (int i = 0; i < Width; ++i)
      out[i] = std::tanh(in[i] + w[from % 4]);
  }
};
struct Scale : Layer {
  double by;
  explicit Scale(double by) : by(by) {}
  void apply(const double *in, double *out, const double *,
             int) const override {
    for (int i = 0; i < Width; ++i)
      out[i] = by * in[i];
  }
};
using Model = std::vector<std::unique_ptr<Layer>>;

CHECK_NOINLINE static double network(const double *x, const Model *model) {
  std::vector<double> a(x, x + Width), b(Width);
  int from = 0;
  for (const auto &layer : *model) {
    layer->apply(a.data(), b.data(), x, from);
    from += layer->parameters();
    std::swap(a, b);
  }
  double s = 0;
  for (double v : a)
    s += v * v;
  return s;
}

/// A list, in which only some elements are called.
struct Link {
  const Layer *layer;
  const Link *next;
  bool isOn;
};
CHECK_NOINLINE static double list(const double *x, const Link *first) {
  double a[Width] = {x[0], x[1], x[2] * x[3]}, b[Width];
  for (const Link *l = first; l; l = l->next) {
    if (!l->isOn || !l->layer)
      continue;
    l->layer->apply(a, b, x);
    for (int i = 0; i < Width; ++i)
      a[i] += b[i] * x[i];
  }
  return a[0] + a[1] * a[2];
}

/// Which objects are called depends on numbers: no survey.
CHECK_NOINLINE static double chosen(const double *x, const Model *model) {
  double a[Width] = {x[0], x[1], x[2]}, b[Width];
  for (const auto &layer : *model)
    if (a[0] > 0.1) {
      layer->apply(a, b, x);
      for (int i = 0; i < Width; ++i)
        a[i] = b[i] + x[3];
    }
  return a[0] + a[1] * a[2];
}

/// The pointers are changed before they are called.
struct Pair {
  const Layer *first, *second;
};
CHECK_NOINLINE static double changed(const double *x, Pair *p) {
  double a[Width] = {x[0], x[1], x[2]}, b[Width];
  for (int k = 0; k < 3; ++k) {
    std::swap(p->first, p->second);
    p->first->apply(a, b, x);
    for (int i = 0; i < Width; ++i)
      a[i] = b[i] * x[3];
  }
  std::swap(p->first, p->second);
  return a[0] + a[1] * a[2];
}

/// Functions in a structure of the caller's, behind something else.
struct Unit {
  double weight;
  double (*activate)(double, const double *);
};
struct Units {
  int n;
  Unit units[4];
};
static double square(double z, const double *x) { return z * z + x[0]; }
static double sine(double z, const double *x) { return std::sin(z * x[1]); }
static double lift(double z, const double *x) { return z > 0 ? z : x[2] * z; }
CHECK_NOINLINE static double byPointers(const double *x, const Units *u) {
  double z = x[0] * x[3];
  for (int i = 0; i < u->n; ++i)
    z = u->units[i].weight * u->units[i].activate(z, x) + x[i % 4];
  return z * z;
}

/// Of which the last is not guessed: it has no body here.
struct Curves {
  int n;
  double (*curve[3])(double);
};
static double cube(double z) { return z * z * z; }
static double half(double z) { return z / 2; }
CHECK_NOINLINE static double byCurves(const double *x, const Curves *c) {
  double z = x[0] * x[1];
  for (int i = 0; i < c->n; ++i)
    z = c->curve[i](z * x[i]) + x[3];
  return z;
}

using Closures = std::vector<std::function<double(double)>>;
CHECK_NOINLINE static double byClosures(const double *x, const Closures *all) {
  double z = x[0] * x[1];
  for (const auto &f : *all)
    z = f(z) * x[2] + x[3];
  return z;
}

/// Layers that throw, behind which others are called all the same.
struct Refuses : Layer {
  void apply(const double *in, double *out, const double *x,
             int from) const override {
    out[0] = in[0] * x[from % 4];
    if (from >= 0)
      throw 1;
  }
};
CHECK_NOINLINE static double afterExceptions(const double *x,
                                             const Model *model) {
  double a[Width] = {x[0], x[1], x[2] * x[3]}, b[Width] = {x[3], x[0], x[1]};
  double s = 0;
  for (const auto &layer : *model) {
    try {
      layer->apply(a, b, x, 2);
    } catch (int) {
      s += b[0] * x[1];
      continue;
    }
    for (int i = 0; i < Width; ++i)
      a[i] = b[i] + s;
  }
  return a[0] + a[1] * a[2];
}

/// Not guessed: nine functions of one type are too many.
template <int N> static int numbered(int k) { return k * N % 7; }
struct Tables {
  int (*step[9])(int);
};
CHECK_NOINLINE static double tooMany(const double *x, const Tables *t) {
  double s = 0;
  int k = 1;
  for (int i = 0; i < 9; ++i) {
    k = t->step[i](k + i);
    s += x[k % 4] * x[i % 4];
  }
  return s;
}

extern "C" double __verso_value_and_grad(void *, ...);

template <class T> static T passed;
template <auto *f, class T> static void check(const double *x, T with) {
  passed<T> = with;
  double gradient[4] = {0, 0, 0, 0};
  double value = __verso_value_and_grad((void *)f, verso_dup, x, gradient,
                                        verso_const, with);
  CHECK_CLOSE(value, f(x, with), 1e-13);
  CHECK_GRADIENT([](double *v) { return f(v, passed<T>); }, 4, x, gradient,
                 1e-6);
}

int main() {
  const double x[4] = {0.7, 1.1, 0.4, 0.9};
  Model model;
  check<network>(x, (const Model *)&model);
  for (int k = 0; k < 3; ++k) {
    model.push_back(std::make_unique<Dense>());
    model.push_back(std::make_unique<Tanh>());
    model.push_back(std::make_unique<Scale>(0.5 + k));
    check<network>(x, (const Model *)&model);
    check<chosen>(x, (const Model *)&model);
  }
  model.insert(model.begin() + 2, std::make_unique<Refuses>());
  model.push_back(std::make_unique<Refuses>());
  check<afterExceptions>(x, (const Model *)&model);
  Dense dense;
  Tanh tanh;
  Scale scale(1.5);
  Link last{&tanh, nullptr, true}, off{nullptr, &last, true},
      skipped{(const Layer *)16, &off, false}, second{&dense, &skipped, true},
      first{&scale, &second, true};
  check<list>(x, (const Link *)nullptr);
  check<list>(x, (const Link *)&first);
  Pair pair{&dense, &tanh};
  check<changed>(x, &pair);
  Units units{4, {{0.5, square}, {2, sine}, {1.5, lift}, {0.3, sine}}};
  for (units.n = 0; units.n <= 4; ++units.n)
    check<byPointers>(x, (const Units *)&units);
  Curves curves{0, {cube, half, std::cbrt}};
  for (; curves.n <= 3; ++curves.n)
    check<byCurves>(x, (const Curves *)&curves);
  double c = 2;
  Closures closures;
  closures.push_back([](double z) { return std::exp(z); });
  closures.push_back([c](double z) { return c * z * z; });
  check<byClosures>(x, (const Closures *)&closures);
  closures.push_back(cube);
  check<byClosures>(x, (const Closures *)&closures);
  Tables tables{{numbered<1>, numbered<2>, numbered<3>, numbered<4>,
                 numbered<5>, numbered<6>, numbered<8>, numbered<9>,
                 numbered<10>}};
  check<tooMany>(x, (const Tables *)&tables);
  return check_status();
}
