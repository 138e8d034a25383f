//===- composites.cpp - objects that are made of others of their kind -----===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A virtual function that is called for one class of objects has that class's
// members: others have numbers where it has pointers. Such functions, and their
// destructors, call themselves through a container.
//
// STRATEGY: structured
// LEVELS: O1 O2g O3
//
//===----------------------------------------------------------------------===//

#include "../check.h"

#include <cmath>
#include <memory>
#include <new>
#include <utility>
#include <vector>

//===----------------------------------------------------------------------===//
// Layers of layers
//===----------------------------------------------------------------------===//

namespace {
struct Layer {
  virtual ~Layer() = default;
  virtual double forward(double x) const = 0;
};
struct Affine : Layer {
  double slope, offset;
  Affine(double slope, double offset) : slope(slope), offset(offset) {}
  double forward(double x) const override { return slope * x + offset; }
};
struct Squash : Layer {
  double forward(double x) const override { return std::tanh(x); }
};
struct Residual : Layer {
  std::vector<std::unique_ptr<Layer>> inner;
  double forward(double x) const override {
    double h = x;
    for (auto &layer : inner)
      h = layer->forward(h);
    return h + x;
  }
};
struct RawResidual : Layer {
  std::vector<Layer *> inner;
  ~RawResidual() override {
    for (Layer *layer : inner)
      delete layer;
  }
  double forward(double x) const override {
    double h = x;
    for (Layer *layer : inner)
      h = layer->forward(h);
    return h - x * x;
  }
};
} // namespace

static double network(double *p) {
  Residual all;
  all.inner.push_back(std::make_unique<Affine>(p[0], p[1]));
  all.inner.push_back(std::make_unique<Squash>());
  auto part = std::make_unique<Residual>();
  part->inner.push_back(std::make_unique<Affine>(p[2], p[3]));
  part->inner.push_back(std::make_unique<Squash>());
  all.inner.push_back(std::move(part));
  return all.forward(0.7);
}

static double rawNetwork(double *p) {
  RawResidual all;
  all.inner.push_back(new Affine(p[0], p[1]));
  all.inner.push_back(new Squash());
  auto *part = new RawResidual;
  part->inner.push_back(new Affine(p[2], p[3]));
  all.inner.push_back(part);
  all.inner.push_back(new Affine(p[1], p[2]));
  return all.forward(0.7);
}

//===----------------------------------------------------------------------===//
// A second base, whose table is in the object's middle
//===----------------------------------------------------------------------===//

namespace {
struct Named {
  long id = 1;
  virtual ~Named() = default;
  virtual long name() const { return id; }
};
struct Volume {
  virtual ~Volume() = default;
  virtual double volume() const = 0;
};
struct Box : Named, Volume {
  double a, b;
  Box(double a, double b) : a(a), b(b) {}
  double volume() const override { return a * a * b; }
};
struct Ball : Volume {
  double r;
  explicit Ball(double r) : r(r) {}
  double volume() const override { return 4 * r * r * r; }
};
struct Group : Named, Volume {
  std::vector<std::unique_ptr<Volume>> parts;
  double scale;
  explicit Group(double scale) : scale(scale) {}
  double volume() const override {
    double sum = 0;
    for (auto &part : parts)
      sum += part->volume();
    return sum * scale;
  }
};
} // namespace

static double volume(double *p) {
  auto inner = std::make_unique<Group>(p[0]);
  inner->parts.push_back(std::make_unique<Box>(p[1], p[2]));
  inner->parts.push_back(std::make_unique<Ball>(p[3]));
  Group all(p[1]);
  all.parts.push_back(std::make_unique<Ball>(p[0]));
  all.parts.push_back(std::move(inner));
  return all.volume();
}

//===----------------------------------------------------------------------===//
// An object of one class that becomes one of another
//===----------------------------------------------------------------------===//

namespace {
struct Shape {
  virtual double area(double s) const = 0;
};
struct Square : Shape {
  double side;
  explicit Square(double side) : side(side) {}
  double area(double s) const override { return side * side * s; }
};
struct Linked : Shape {
  const Shape *next;
  double weight;
  Linked(const Shape *next, double weight) : next(next), weight(weight) {}
  double area(double s) const override { return next->area(s * weight); }
};
union Room {
  Square square;
  Linked linked;
  Room() : square(0) {}
};
} // namespace

CHECK_NOINLINE static double areaOf(const Shape *shape, double s) {
  return shape->area(s);
}

static double changing(double *p) {
  Room a, b;
  new (&a.square) Square(p[0]);
  new (&b.linked) Linked(&a.square, p[1]);
  double sum = areaOf(&b.linked, 1) + areaOf(&a.square, p[2]);
  new (&b.square) Square(p[3]);
  new (&a.linked) Linked(&b.square, p[2]);
  return sum + areaOf(&a.linked, p[0]) * areaOf(&b.square, 2);
}

//===----------------------------------------------------------------------===//
// Functions in the objects themselves, compared by the program
//===----------------------------------------------------------------------===//

namespace {
struct Step;
using Apply = double (*)(const Step *, double);
struct Step {
  Apply apply;
};
struct Scaling : Step {
  double by;
};
struct Chain : Step {
  const Step *first, *second;
};
} // namespace

static double scale(const Step *s, double x) {
  return static_cast<const Scaling *>(s)->by * x;
}
static double square(const Step *, double x) { return x * x; }
static double chain(const Step *s, double x) {
  auto *c = static_cast<const Chain *>(s);
  // Of a scaling it is done here.
  double y = c->first->apply == scale
                 ? static_cast<const Scaling *>(c->first)->by * x
                 : c->first->apply(c->first, x);
  return c->second->apply(c->second, y);
}

static double steps(double *p) {
  Scaling a{{scale}, p[0]}, b{{scale}, p[1]};
  Step squared{square};
  Chain inner{{chain}, &a, &squared}, outer{{chain}, &inner, &b};
  Chain all{{chain}, &outer, &inner};
  return all.apply(&all, p[2] + p[3]);
}

template <double (*F)(double *)> static void check() {
  double p[4] = {0.3, 0.8, 0.5, -0.4}, dp[4] = {0, 0, 0, 0};
  __verso_grad_void((void *)F, p, dp);
  CHECK_GRADIENT(F, 4, p, dp, 1e-8);
}

int main() {
  check<network>();
  check<rawNetwork>();
  check<volume>();
  check<changing>();
  check<steps>();
  return check_status();
}
