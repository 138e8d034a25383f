//===- members-read-together.cpp - all members of a union are read --------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `tag ? f : d` reads both members, as one load of bits where the union was
// copied: what the float got was added as a double. And a structure of a vector
// of two floats is handed on as a double.
//
// UNCHECKED: the check does not judge untyped bytes
//
//===----------------------------------------------------------------------===//

#include "../check.h"

#include <algorithm>
#include <memory>
#include <vector>

//===----------------------------------------------------------------------===//
// A value with a tag
//===----------------------------------------------------------------------===//

struct Value {
  int tag;
  union {
    float f;
    double d;
  };
  double get() const { return tag ? (double)f : d; }
};

static double direct(Value *v) { return v->get() * 3; }
static double copied(Value *v) {
  Value t = v[0];
  return t.get() * 3;
}
static double moved(Value *v) {
  v[1] = v[0];
  return v[1].get() * 3;
}
static double byValue(Value v) { return v.get(); }
static double handed(Value *v) { return byValue(v[0]) * 3; }
CHECK_NOINLINE static double byValueApart(Value v) { return v.get(); }
static double handedApart(Value *v) { return byValueApart(v[0]) * 3; }
CHECK_NOINLINE static double byReference(const Value &v) { return v.get(); }
static double referred(Value *v) {
  Value t = v[0];
  return byReference(t) * 3;
}
static Value global;
static double throughGlobal(Value *v) {
  global = v[0];
  return (global.tag ? (double)global.f : global.d) * 3;
}
static double captured(Value *v) {
  Value t = v[0];
  auto read = [=] { return t.get(); };
  return read() * 3;
}
static double inVector(Value *v) {
  std::vector<Value> all(1, v[0]);
  all.push_back(v[1]);
  return all[0].get() * 3;
}
static double inHeap(Value *v) {
  auto t = std::make_unique<Value>(v[0]);
  return t->get() * 3;
}
static double swapped(Value *v) {
  std::swap(v[0], v[1]);
  return v[1].get() * 3;
}
static double chained(Value *v) {
  Value a = v[0], b = a, c = b;
  v[1] = c;
  Value e = v[1];
  return e.get() + c.get() * 2;
}
static double twice(Value *v) {
  double sum = 0;
  for (int k = 0; k < 3; ++k) {
    Value t = v[0];
    sum += t.get();
  }
  return sum;
}

static double directTwice(Value *v) {
  double sum = 0;
  for (int k = 0; k < 3; ++k)
    sum += v->get();
  return sum;
}

typedef double (*OfValue)(Value *);
template <OfValue F> static void checkValue(int tag) {
  Value v[2] = {}, d[2] = {};
  v[0].tag = v[1].tag = tag;
  if (tag)
    v[0].f = 1.5f;
  else
    v[0].d = 1.5;
  __verso_grad_void((void *)F, verso_dup, v, d);
  // Floats begin where the double does; what is behind them stays.
  float other;
  memcpy(&other, (char *)&d[0].f + sizeof(float), sizeof other);
  CHECK_CLOSE(tag ? d[0].f : d[0].d, 3, 0);
  if (tag)
    CHECK_CLOSE(other, 0, 0);
}

//===----------------------------------------------------------------------===//
// A union by itself
//===----------------------------------------------------------------------===//

union Number {
  float f[2];
  double d;
};

static double both(Number *v, int k) {
  Number t = v[0];
  double a = t.f[1], b = t.d;
  return (k ? a : b) * 3;
}
CHECK_NOINLINE static double get(Number t, int k) { return k ? t.f[0] : t.d; }
static double handedNumber(Number *v, int k) { return get(v[0], k) * 3; }

typedef double (*OfNumber)(Number *, int);
template <OfNumber F> static void checkNumber(int k, int place) {
  Number v = {}, d = {};
  if (k)
    v.f[place] = 1.5f;
  else
    v.d = 1.5;
  __verso_grad_void((void *)F, verso_dup, &v, &d, verso_const, k);
  if (k) {
    CHECK_CLOSE(d.f[place], 3, 0);
    CHECK_CLOSE(d.f[1 - place], 0, 0);
  } else {
    CHECK_CLOSE(d.d, 3, 0);
  }
}

//===----------------------------------------------------------------------===//
// A vector of two floats in a structure
//===----------------------------------------------------------------------===//

typedef float Two __attribute__((vector_size(8)));
struct Vector {
  Two v;
};
struct Longer {
  Two v;
  float w;
};

CHECK_NOINLINE static Vector same(Vector a) { return a; }
CHECK_NOINLINE static Longer same(Longer a) { return a; }

template <typename T> static double first(T *a) {
  a[1] = same(a[0]);
  return 3 * a[0].v[0] + 2 * a[1].v[1];
}

template <typename T> static void checkVector() {
  T a[2] = {}, d[2] = {};
  a[0].v = Two{1.25f, 0.5f};
  __verso_grad_void((void *)first<T>, verso_dup, a, d);
  CHECK_CLOSE(d[0].v[0], 3, 0);
  CHECK_CLOSE(d[0].v[1], 2, 0);
  CHECK_CLOSE(d[1].v[0], 0, 0);
  CHECK_CLOSE(d[1].v[1], 0, 0);
}

int main() {
  for (int tag : {0, 1}) {
    checkValue<direct>(tag);
    checkValue<copied>(tag);
    checkValue<moved>(tag);
    checkValue<handed>(tag);
    checkValue<handedApart>(tag);
    checkValue<referred>(tag);
    checkValue<throughGlobal>(tag);
    checkValue<captured>(tag);
    checkValue<inVector>(tag);
    checkValue<inHeap>(tag);
    checkValue<swapped>(tag);
    checkValue<chained>(tag);
    checkValue<twice>(tag);
    checkValue<directTwice>(tag);
    checkNumber<both>(tag, 1);
    checkNumber<handedNumber>(tag, 0);
  }
  checkVector<Vector>();
  checkVector<Longer>();
  return check_status();
}
