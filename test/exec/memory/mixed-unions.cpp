//===- mixed-unions.cpp - unions of a double and floats -------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM's type of such a union is a double, and so was a variable of one: two
// floats that went through it lost their derivatives, or got a double's, in
// silence and by both strategies. A member is accessed here where the tag says
// that it is there.
//
// UNCHECKED: the check does not judge untyped bytes
//
//===----------------------------------------------------------------------===//

#include "../check.h"

#include <algorithm>

union Number {
  float f;
  double d;
};
struct Pair {
  float a, b;
};
struct Tagged {
  int tag; ///< 0: a double.
  union {
    double d;
    Pair pair;
  };
};

//===----------------------------------------------------------------------===//
// Unions that change places
//===----------------------------------------------------------------------===//

CHECK_NOINLINE static double rotated(Number *a, int n) {
  std::rotate(a, a + 1, a + n);
  return a[n - 1].f * a[n - 1].f + 0.75 * a[0].d;
}
CHECK_NOINLINE static double swapped(Number *a, int n) {
  for (int k = 0; k + 1 < n; ++k)
    std::swap(a[k], a[k + 1]);
  return a[n - 1].f * a[n - 1].f + 0.75 * a[0].d;
}
CHECK_NOINLINE static double assigned(Number *a, int n) {
  Number first = a[0];
  for (int k = 0; k + 1 < n; ++k)
    a[k] = a[k + 1];
  a[n - 1] = first;
  return a[n - 1].f * a[n - 1].f + 0.75 * a[0].d;
}
template <typename F> static void checkPlaces(F Function) {
  Number a[4], d[4];
  memset(a, 0, sizeof a);
  memset(d, 0, sizeof d);
  a[0].f = 3, a[1].d = 2, a[2].d = 1, a[3].d = 7;
  d[1].d = 5; // Goes to a[2].
  __verso_vjp_void((void *)Function, verso_dup, a, d, verso_const, 4, 1.0);
  CHECK_CLOSE(d[0].f, 6, 0);
  CHECK_CLOSE(d[1].d, 0.75, 0);
  CHECK_CLOSE(d[2].d, 5, 0);
  CHECK_CLOSE(d[3].d, 0, 0);
}

//===----------------------------------------------------------------------===//
// Tagged ones
//===----------------------------------------------------------------------===//

CHECK_NOINLINE static double scaled(Tagged *v) {
  Tagged t = v[1];
  if (t.tag == 0)
    t.d *= 2;
  v[0] = t;
  return 0;
}
CHECK_NOINLINE static double bothScaled(Tagged *v) {
  Tagged t = v[1];
  if (t.tag == 0) {
    t.d *= 2;
  } else {
    t.pair.a *= 2;
    t.pair.b *= 2;
  }
  v[0] = t;
  return 0;
}
CHECK_NOINLINE static double summed(Tagged *v) {
  Tagged t = v[1];
  double r = 0;
  if (t.tag == 0)
    r = 0.5 * t.d;
  v[0] = t;
  return r;
}
/// In registers, which hold the floats as one double.
CHECK_NOINLINE static Tagged scaleSmall(Tagged t) {
  if (t.tag == 0) {
    t.d *= 2;
  } else {
    t.pair.a *= 2;
    t.pair.b *= 2;
  }
  return t;
}
static double handedSmall(Tagged *v) {
  v[0] = scaleSmall(v[1]);
  return 0;
}
/// What is inactive stays so.
__attribute__((annotate("verso_inactive"))) CHECK_NOINLINE static Tagged
stop(Tagged t) {
  return t;
}
static double stopped(Tagged *v) {
  v[0] = stop(v[1]);
  return v[1].tag == 0 ? 3 * v[1].d : 0;
}
/// Too large for registers.
struct Large {
  Tagged t;
  double more[2];
};
CHECK_NOINLINE static Large scale(Large l, double by) {
  if (l.t.tag == 0) {
    l.t.d *= by;
  } else {
    l.t.pair.a *= by;
    l.t.pair.b *= by;
  }
  return l;
}
CHECK_NOINLINE static double handed(Tagged *v) {
  Large l = {v[1], {0, 0}};
  v[0] = scale(l, 2).t;
  return 0;
}
/// No variable.
CHECK_NOINLINE static double inPlace(Tagged *v) {
  v[0] = v[1];
  if (v[0].tag == 0)
    v[0].d *= 2;
  return 0;
}

/// \p OfDouble: what d of v[1] gets for a seed of 3; \p OfPair: factors.
template <typename F>
static void checkTagged(F Function, double OfDouble, double OfPair) {
  for (int Tag : {0, 1}) {
    Tagged v[2], d[2];
    memset(v, 0, sizeof v);
    memset(d, 0, sizeof d);
    v[0].tag = v[1].tag = Tag;
    if (Tag) {
      v[1].pair = {1.5, -2};
      d[0].pair = {3, 5};
    } else {
      v[1].d = 1.5;
      d[0].d = 3;
    }
    __verso_vjp_void((void *)Function, verso_dup, v, d, 1.0);
    if (Tag) {
      CHECK_CLOSE(d[1].pair.a, 3 * OfPair, 0);
      CHECK_CLOSE(d[1].pair.b, 5 * OfPair, 0);
      CHECK_CLOSE(d[0].pair.a, 0, 0);
      CHECK_CLOSE(d[0].pair.b, 0, 0);
    } else {
      CHECK_CLOSE(d[1].d, OfDouble, 0);
      CHECK_CLOSE(d[0].d, 0, 0);
    }
  }
}

int main() {
  checkPlaces(rotated);
  checkPlaces(swapped);
  checkPlaces(assigned);
  checkTagged(scaled, 6, 1);
  checkTagged(bothScaled, 6, 2);
  checkTagged(summed, 3.5, 1);
  checkTagged(handed, 6, 2);
  checkTagged(handedSmall, 6, 2);
  checkTagged(stopped, 3, 0);
  checkTagged(inPlace, 6, 1);
  return check_status();
}
