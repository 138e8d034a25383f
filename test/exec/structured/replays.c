//===- replays.c - iterations that are run again in the verso -------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loops over points: the first half of these may be run again, point by point;
// of the second half each has a reason why it must not. The judge is the tape.
//
//
// Asks for structured code, which a sanitizer's checks keep out.
// REQUIRES: unsanitized
//
//===----------------------------------------------------------------------===//

#include "kernels.h"
#include <stdlib.h>
#include <string.h>

//===----------------------------------------------------------------------===//
// Points that are independent
//===----------------------------------------------------------------------===//

KERNEL(values, {
  double s = 0;
  for (size_t p = 0; p < n; ++p) {
    double a = exp(0.3 * x[p]), b = sin(a) / (1 + a);
    s += b > 0.1 ? b * b * x[p + n] : log(a + 2) * b;
  }
  return s;
})
/// A work array that each point writes again, and inner loops.
KERNEL(work_array, {
  double *w = malloc(16 * sizeof(double));
  double *t = malloc(16 * sizeof(double)), s = 0;
  for (size_t p = 0; p < n; ++p) {
    for (size_t k = 0; k < n; ++k) {
      for (size_t i = 0; i < n; ++i)
        w[i] = x[k] * (x[p * n + i] - x[i + 3]);
      for (size_t j = 0; j < n; ++j)
        for (size_t i = j + 1; i < n; ++i)
          w[i] += x[j + i] * w[j];
      double q = 0;
      for (size_t i = 0; i < n; ++i)
        q += w[i] * w[i];
      t[k] = sin(q);
    }
    double most = t[0];
    for (size_t k = 1; k < n; ++k)
      if (t[k] > most)
        most = t[k];
    double e = 0;
    for (size_t k = 0; k < n; ++k)
      e += exp(t[k] - most);
    s += log(e) + most;
  }
  free(w);
  free(t);
  return s;
})
/// Cleared by memset; a triangle of rows.
KERNEL(cleared, {
  double w[64], s = 0;
  for (size_t p = 0; p < n; ++p) {
    memset(w, 0, n * n * sizeof(double));
    for (size_t i = 0; i < n; ++i)
      for (size_t j = 0; j <= i; ++j)
        w[i * n + j] += x[p + i] * x[p + j] * exp(-x[i * n + j]);
    double q = 1;
    for (size_t i = 0; i < n * n; ++i)
      q += w[i] * w[i];
    s += sqrt(q);
  }
  return s;
})
/// A matrix that two loops fill.
KERNEL(matrix, {
  double w[64], s = 0;
  for (size_t p = 0; p < n; ++p) {
    for (size_t i = 0; i < n; ++i)
      for (size_t j = 0; j < n; ++j)
        w[i * n + j] = x[p + i] * x[p * n + j];
    for (size_t j = 0; j < n; ++j) {
      double q = 0;
      for (size_t i = 0; i < n; ++i)
        q += w[i * n + j] * w[j * n + i];
      s += cos(q);
    }
  }
  return s;
})
/// Nobody can count the inner loop.
KERNEL(newton, {
  double s = 0;
  for (size_t p = 0; p < n; ++p) {
    double y = 1 + 0.1 * x[p];
    for (int k = 0; k < 60; ++k) {
      double step = (y * y - fabs(x[p]) - 2) / (2 * y);
      y -= step;
      if (fabs(step) < 1e-9)
        break;
    }
    s += y * y * y * x[p + n];
  }
  return s;
})
/// Sums in memory, some of them of several cells.
KERNEL(histogram, {
  double h[4] = {0, 0, 0, 0};
  for (size_t p = 0; p < n * n; ++p)
    h[(p * p) % 4] += sin(x[p]) * exp(0.1 * x[p]);
  return h[0] * h[1] + h[2] * h[3];
})
/// The inner loop of each step.
KERNEL(steps, {
  double s = 0;
  for (size_t t = 0; t < n; ++t) {
    double q = 0;
    for (size_t p = 0; p < n; ++p)
      q += exp(sin(x[p] * x[t]));
    s += q * (double)t;
  }
  return s;
})
/// What the iterations store is the caller's: it stays, and has seeds.
KERNEL(outputs, {
  double s = 0;
  for (size_t p = 0; p < n; ++p) {
    double y = exp(x[p] * 0.2);
    x[p + 100] = y * y + sin(y);
    s += y * y * y;
  }
  return s;
})
/// Leaves a point out, ends another one early, and reads nothing of the last.
KERNEL(ways, {
  double s = 0;
  for (size_t p = 0; p < n; ++p) {
    if (x[p] < 0.4)
      continue;
    double q = x[p];
    for (size_t k = 0; k < 5; ++k) {
      q = sin(q) + x[k] * q * q;
      if (q > 2)
        break;
      if (k == p)
        q *= 0.5;
    }
    s += exp(-q * q);
  }
  return s;
})
/// The loop's own sum decides behind it.
KERNEL(decides, {
  double s = 0;
  for (size_t p = 0; p < n; ++p) {
    double y = exp(x[p] * 0.2);
    s += y * y * y;
  }
  return s > 9 ? s * s : s;
})
/// A chain of functions that set errno.
KERNEL(errors, {
  double s = 0;
  for (size_t p = 0; p < n; ++p) {
    double y = log(x[p] - 0.1);
    s += y == y ? sqrt(fabs(y)) * pow(fabs(x[p]) + 0.1, y) : x[p];
  }
  return s;
})

//===----------------------------------------------------------------------===//
// Points that are not
//===----------------------------------------------------------------------===//

// Cells of its own in each iteration, which nobody overwrites: they are there
// only if the loop has been run.
KERNEL(own_cells, {
  int chosen[8 * N + 8] = {0};
  double s = 0;
  for (size_t p = 0; p < n; ++p) {
    for (size_t i = 0; i < n; ++i)
      chosen[p * 8 + i] = (int)(fabs(x[i] * x[p]) * 2);
    for (size_t i = 0; i < n; ++i)
      for (size_t j = 0; j < n; ++j)
        s += sin(exp(x[chosen[p * 8 + i]] * x[j]) * x[chosen[p * 8 + j]]);
  }
  return s;
})

/// The work array keeps what the point before left.
KERNEL(kept_array, {
  double *w = calloc(16, sizeof(double)), s = 0;
  for (size_t p = 0; p < n; ++p) {
    for (size_t i = 0; i < n; ++i)
      w[i] = 0.5 * w[i] + sin(x[p + i]);
    double q = 0;
    for (size_t i = 0; i < n; ++i)
      q += exp(w[i]) * w[i];
    s += q * q;
  }
  free(w);
  return s;
})
/// One element too few, or one too far.
KERNEL(almost_written, {
  double w[16] = {0}, s = 0;
  for (size_t p = 0; p < n; ++p) {
    for (size_t i = 0; i + 1 < n; ++i)
      w[i] = sin(x[p + i]);
    double q = 0;
    for (size_t i = 0; i < n; ++i)
      q += exp(w[i]) * w[i];
    s += q * q;
    w[n - 1] = sin(q);
  }
  return s;
})
KERNEL(shifted, {
  double w[17] = {0}, s = 0;
  for (size_t p = 0; p < n; ++p) {
    for (size_t i = 0; i < n; ++i)
      w[i] = sin(x[p + i]);
    double q = 0;
    for (size_t i = 0; i < n; ++i)
      q += exp(w[i + 1]) * w[i];
    s += q * q;
    w[n] = sin(q);
  }
  return s;
})
/// Every other element.
KERNEL(with_gaps, {
  double w[32] = {0}, s = 0;
  for (size_t p = 0; p < n; ++p) {
    for (size_t i = 0; i < n; ++i)
      w[2 * i] = sin(x[p + i]);
    double q = 0;
    for (size_t i = 0; i < 2 * n; ++i)
      q += exp(w[i]) * w[i];
    s += q * q;
    for (size_t i = 0; i < 2 * n; ++i)
      w[i] = sin(q);
  }
  return s;
})
/// Read before it is written, in the same iteration.
KERNEL(read_first, {
  double w[16] = {0}, s = 0;
  for (size_t p = 0; p < n; ++p) {
    double q = 0;
    for (size_t i = 0; i < n; ++i)
      q += exp(w[i]) * x[i];
    for (size_t i = 0; i < n; ++i)
      w[i] = sin(x[p + i]) * 0.5;
    s += q * q;
  }
  return s;
})
/// Written only if the point says so.
KERNEL(written_if, {
  double w[16] = {0}, s = 0;
  for (size_t p = 0; p < n; ++p) {
    if (x[p] > 0.8)
      for (size_t i = 0; i < n; ++i)
        w[i] = sin(x[p + i]);
    double q = 0;
    for (size_t i = 0; i < n; ++i)
      q += exp(w[i]) * w[i];
    s += q * q;
  }
  return s;
})
/// Of each element, too.
KERNEL(elements_written_if, {
  double w[16] = {0}, s = 0;
  for (size_t p = 0; p < n; ++p) {
    for (size_t i = 0; i < n; ++i)
      if (x[p + i] > 0.8)
        w[i] = sin(x[p + i]);
    double q = 0;
    for (size_t i = 0; i < n; ++i)
      q += exp(w[i]) * w[i];
    s += q * q;
  }
  return s;
})
/// The loop that writes may leave early.
KERNEL(written_up_to, {
  double w[16] = {0}, s = 0;
  for (size_t p = 0; p < n; ++p) {
    for (size_t i = 0; i < n; ++i) {
      if (x[p + i] > 1.7)
        break;
      w[i] = sin(x[p + i]);
    }
    double q = 0;
    for (size_t i = 0; i < n; ++i)
      q += exp(w[i]) * w[i];
    s += q * q;
  }
  return s;
})
/// A row that another point wrote.
KERNEL(other_row, {
  double w[128] = {0}, s = 0;
  for (size_t p = 0; p < n; ++p) {
    for (size_t i = 0; i < n; ++i)
      w[p * n + i] = sin(x[p + i]);
    double q = 0;
    for (size_t i = 0; i < n; ++i)
      q += exp(w[(p * 5 % n) * n + i]) * w[p * n + i];
    s += q * q;
  }
  return s;
})
/// A sum that the points look at.
KERNEL(looks_at_sum, {
  double s = 0;
  for (size_t p = 0; p < n; ++p) {
    double y = exp(x[p] * 0.2);
    s += y > s ? y * y : y * x[p + 1];
  }
  return s;
})
KERNEL(carried, {
  double s = 0, last = 1;
  for (size_t p = 0; p < n; ++p) {
    double y = exp(x[p] * 0.2) * last;
    s += sin(y) * y;
    last = x[p];
  }
  return s;
})
/// An integer that goes from point to point, not evenly.
KERNEL(random_points, {
  double s = 0;
  unsigned state = 1;
  for (size_t p = 0; p < n; ++p) {
    state = state * 1664525u + 1013904223u;
    double y = exp(x[state % 40] * 0.2);
    s += sin(y) * y;
  }
  return s;
})
/// What the points read is overwritten later, or by other points.
KERNEL(overwritten, {
  double s = 0;
  for (size_t p = 0; p < n; ++p) {
    double y = exp(x[p] * 0.2);
    s += sin(y) * y;
  }
  for (size_t p = 0; p < n; ++p)
    x[p] = 0.5 * s;
  return s + x[0] * x[1];
})
KERNEL(updated, {
  double s = 0;
  for (size_t p = 0; p < n; ++p) {
    double y = exp(x[p] * 0.2);
    s += sin(y) * y;
    x[p + 1] = y * x[p + 3];
  }
  return s;
})
/// The work array is read behind the loop, and after the next step's.
KERNEL(read_behind, {
  double w[16] = {0}, s = 0;
  for (size_t t = 0; t < 3; ++t) {
    for (size_t i = 0; i < n; ++i)
      s += w[i] * w[i];
    for (size_t p = 0; p < n; ++p) {
      for (size_t i = 0; i < n; ++i)
        w[i] = sin(x[p + i] + (double)t);
      double q = 0;
      for (size_t i = 0; i < n; ++i)
        q += exp(w[i]) * w[i];
      s += q;
    }
  }
  for (size_t i = 0; i < n; ++i)
    s += w[i] * w[i] * w[i];
  return s;
})
/// The work array is the caller's.
KERNEL(callers_array, {
  double s = 0;
  for (size_t p = 0; p < n; ++p) {
    for (size_t i = 0; i < n; ++i)
      x[100 + i] = sin(x[p + i]);
    double q = 0;
    for (size_t i = 0; i < n; ++i)
      q += exp(x[100 + i]) * x[100 + i];
    s += q * q;
  }
  return s;
})
/// The work array is released before the end.
KERNEL(released, {
  double s = 0;
  for (size_t t = 0; t < 3; ++t) {
    double *w = malloc(16 * sizeof(double));
    for (size_t p = 0; p < n; ++p) {
      for (size_t i = 0; i < n; ++i)
        w[i] = sin(x[p + i]);
      double q = 0;
      for (size_t i = 0; i < n; ++i)
        q += exp(w[i]) * w[i];
      s += q * q;
    }
    free(w);
  }
  return s;
})
/// Two work arrays that change places.
KERNEL(swapped, {
  double a[16] = {0}, b[16] = {0}, *u = a, *v = b, s = 0;
  for (size_t p = 0; p < n; ++p) {
    for (size_t i = 0; i < n; ++i)
      u[i] = sin(x[p + i]);
    double q = 0;
    for (size_t i = 0; i < n; ++i)
      q += exp(u[i]) * v[i] + u[i];
    s += q * q;
    double *t = u;
    u = v;
    v = t;
  }
  return s;
})
/// The first point to be found ends the loop.
KERNEL(found, {
  double s = 0;
  for (size_t p = 0; p < n; ++p) {
    double y = exp(x[p] * 0.2);
    if (sin(y) * x[p] > 1.5)
      return s * y;
    s += sin(y) * y;
  }
  return s;
})

int main(void) {
  ALL(values);
  ALL(work_array);
  ALL(cleared);
  ALL(matrix);
  ALL(newton);
  ALL(histogram);
  ALL(steps);
  ALL(outputs);
  ALL(ways);
  ALL(decides);
  ALL(errors);
  ALL(kept_array);
  ALL(almost_written);
  ALL(shifted);
  ALL(with_gaps);
  ALL(read_first);
  ALL(written_if);
  ALL(elements_written_if);
  ALL(written_up_to);
  ALL(other_row);
  ALL(own_cells);
  ALL(looks_at_sum);
  ALL(carried);
  ALL(random_points);
  ALL(overwritten);
  ALL(updated);
  ALL(read_behind);
  ALL(callers_array);
  ALL(released);
  ALL(swapped);
  ALL(found);
  return check_status();
}
