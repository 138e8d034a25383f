//===- idle-loops.c - loops whose reverse does nothing but count ----------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Searches, loops over the bits of an index and the like between what is
// reversed: they are taken out of the verso. Some are left by several ways, two
// at a time, or are no such loop at a second look. The judge is the tape.
//
//===----------------------------------------------------------------------===//

#include "kernels.h"
#include <stdlib.h>

/// A permutation by reversed bits, as in a Fourier transform.
KERNEL(bits, {
  double y[64];
  size_t m = 1;
  while (m < n)
    m *= 2;
  for (size_t i = 0, r = 0; i < m; ++i) {
    y[r] = sin(x[i]);
    size_t bit = m / 2;
    for (; r & bit; bit /= 2)
      r ^= bit;
    r |= bit;
  }
  double s = 0;
  for (size_t i = 0; i < m; ++i)
    s += y[i] * y[(i * 3) % m] * (double)i;
  return s;
})
/// The interval that a number lies in.
KERNEL(interpolate, {
  double s = 0;
  for (size_t p = 0; p < 2 * n; ++p) {
    double at = 1 + 5 * fabs(sin(x[p]));
    size_t low = 0, high = 9;
    while (high - low > 1) {
      size_t middle = (low + high) / 2;
      if ((double)middle <= at)
        low = middle;
      else
        high = middle;
    }
    double t = at - (double)low;
    s += x[100 + low] * (1 - t) + x[101 + low] * t * t;
  }
  return s;
})
/// Left by several ways, that what follows depends on.
KERNEL(exits, {
  double s = 0;
  for (size_t p = 0; p < n; ++p) {
    size_t k = p;
    for (;; k = (k * 5 + 1) % 64) {
      if (x[k] > 1.7)
        goto large;
      if (k == 33)
        goto none;
      if (k % 13 == 12)
        break;
    }
    s += sin(x[k] * x[p]);
    continue;
  large:
    s *= 1 + 0.1 * x[k];
    continue;
  none:
    if (p > 4)
      return s * x[1];
  }
  return s * s;
})
/// Two loops are left at once; the outer one is idle, too, or is not.
KERNEL(both, {
  double s = 0;
  for (size_t p = 0; p < n; ++p) {
    size_t found = 0;
    for (size_t i = 0; i < 9; ++i)
      for (size_t j = i; j < 9; ++j)
        if (x[i] * x[j] > 1.2 + 0.1 * (double)p) {
          found = 9 * i + j;
          goto out;
        }
  out:
    for (size_t i = 0; i < 6; ++i) {
      s += x[i] * x[found % 7 + i];
      for (size_t j = 0; j < 9; ++j)
        if (x[i + j] > 1.8 && j > p)
          goto behind;
    }
    s = sin(s);
  behind:
    s += x[p];
  }
  return s;
})
/// The number goes round the loop, or out of it.
KERNEL(carries, {
  double s = x[3];
  for (size_t p = 0; p < n; ++p) {
    double u = x[p], v = x[p + 1];
    size_t k = p + 5;
    while (k % 7) {
      double w = u;
      u = v;
      v = w;
      k = k * 3 + 1;
      if (k > 500)
        break;
    }
    double last = x[0];
    for (size_t i = 0; i < p; ++i)
      last = x[i + 2];
    s += u * u * v + last * s;
  }
  return s;
})
/// The reverse puts back what the loop overwrites.
KERNEL(counts, {
  int seen[16] = {0};
  double s = 0;
  for (size_t p = 0; p < n; ++p) {
    for (size_t k = p; k % 5 != 3; ++k)
      ++seen[(k * k) % 16];
    s += x[p] * x[p] * (double)seen[p];
    for (size_t k = 0; k < 4; ++k)
      x[p + k * 4] = 0.5;
  }
  for (size_t i = 0; i < 40; ++i)
    s += x[i] * x[i];
  return s;
})
/// What a later one finds depends on what was computed.
KERNEL(moving, {
  double s = 0;
  for (size_t t = 0; t < n; ++t) {
    size_t most = 0;
    for (size_t i = 1; i < 20; ++i)
      if (x[i] > x[most])
        most = i;
    s += x[most] * (double)t;
    x[most] = sin(x[most]) * x[(most + 7) % 20];
    size_t left = 20;
    do
      --left;
    while (left && x[left] < 0.9);
    x[left] *= x[most];
  }
  for (size_t i = 0; i < 20; ++i)
    s += x[i] * x[i];
  return s;
})
/// The other loop's result is not needed if this one's is not.
KERNEL(least, {
  double s = 0;
  for (size_t p = 0; p < n; ++p) {
    double best = 1e30;
    for (size_t k = 0; k < 4; ++k) {
      double d = 0;
      size_t m = 1;
      while (m * m < 3 * k + p)
        ++m;
      for (size_t i = 0; i < m; ++i)
        d += exp(x[i + p] * (double)(k + 1)) - x[k];
      if (d < best)
        best = d;
    }
    s += best;
  }
  return s;
})
/// Points that are run again.
KERNEL(points, {
  double s = 0;
  for (size_t p = 0; p < n; ++p) {
    size_t at = 0;
    while (at < 30 && x[at] < x[p + 30])
      ++at;
    double q = x[p];
    for (size_t i = 0; i < at; ++i) {
      size_t j = i;
      while (j & 3)
        j = j * 5 + 3 > 90 ? 0 : j * 5 + 3;
      q = sin(q + x[j] * x[i]);
    }
    s += q;
  }
  return s;
})

int main(void) {
  ALL(bits);
  ALL(interpolate);
  ALL(exits);
  ALL(both);
  ALL(carries);
  ALL(counts);
  ALL(moving);
  ALL(least);
  ALL(points);
  return check_status();
}
