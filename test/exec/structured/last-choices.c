//===- last-choices.c - what loops chose last -----------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Running minima and the like, of which the first half is computed again from
// the iteration that chose last; of the second half each has a reason why it
// must not be. The judge is the tape.
//
//
// Asks for structured code, which a sanitizer's checks keep out.
// REQUIRES: unsanitized
//
//===----------------------------------------------------------------------===//

#include "kernels.h"
#include <stdlib.h>

//===----------------------------------------------------------------------===//
// Iterations that can be run again
//===----------------------------------------------------------------------===//

/// Of points, each to its nearest centre; the value is used, too.
KERNEL(nearest, {
  double s = 0;
  for (size_t p = 0; p < n; ++p) {
    double best = 1e30;
    for (size_t c = 0; c < 2 * n; ++c) {
      double d = 0;
      for (size_t i = 0; i < n; ++i)
        d += (x[p * n + i] - x[60 + c + i]) * (x[p * n + i] - x[60 + c + i]);
      if (d < best)
        best = d;
    }
    s += best * best * sin(x[p]);
  }
  return s;
})
/// It starts with a number that varies, and may keep that.
KERNEL(largest, {
  double most = x[3];
  for (size_t i = n; i < 5 * n; ++i)
    most = x[i] > most ? x[i] : most;
  double s = 0;
  for (size_t i = 0; i < 5 * n; ++i)
    s += exp(x[i] - most);
  return log(s + 1) + most * most;
})
KERNEL(kept, {
  double s = 0;
  for (size_t p = 0; p < n; ++p) {
    double least = x[p] * 0.01;
    for (size_t i = 0; i < n; ++i)
      if (x[p + i] * x[i] < least)
        least = x[p + i] * x[i];
    s += least * x[p + 1];
  }
  return s;
})
/// Two values by one condition, and where they were found.
KERNEL(with_place, {
  double s = 0;
  for (size_t p = 0; p < n; ++p) {
    double best = 1e30;
    double other = 2;
    int at = -1;
    for (int i = (int)(3 * n); i > (int)p; i -= 3) {
      double d = x[i] * x[p + 20];
      if (d < best) {
        best = d;
        other = exp(x[i + 1]);
        at = i;
      }
    }
    s += best + other * x[at + 1];
  }
  return s;
})
/// What is compared is not what is kept; equal numbers replace each other.
KERNEL(by_another, {
  double s = 0;
  for (size_t p = 0; p < n; ++p) {
    double at = 0;
    double key = 1;
    for (size_t i = 0; i < 3 * n; ++i) {
      double k = floor(3 * x[p + i]);
      if (k >= key) {
        key = k;
        at = sin(x[i]) * x[p];
      }
    }
    s += at * at;
  }
  return s;
})
/// Some iterations offer nothing, and offer it in different ways.
KERNEL(some, {
  double s = 0;
  for (size_t p = 0; p < n; ++p) {
    double best = 10;
    for (size_t i = 0; i < 4 * n; ++i) {
      if (i % 3 == 1)
        continue;
      double y = x[p + i];
      if (i % 2)
        y = exp(0.1 * y);
      else
        for (size_t k = 0; k < i % 5; ++k)
          y *= x[k + 1];
      if (y < best)
        best = y;
    }
    s += best * x[p];
  }
  return s;
})
/// A list.
typedef struct Link {
  const struct Link *next;
  const double *value;
} Link;
KERNEL(list, {
  double s = 0;
  Link *links = malloc((n + 1) * sizeof(Link));
  for (size_t i = 0; i < n; ++i) {
    links[i].next = i + 1 < n ? &links[i + 1] : 0;
    links[i].value = &x[(i * 5) % 16];
  }
  double most = 0;
  for (const Link *l = n ? links : 0; l; l = l->next) {
    double v = *l->value * *l->value;
    most = v > most ? v : most;
  }
  s += most * sin(most);
  free(links);
  return s;
})
/// Inner maxima of an outer one.
KERNEL(of_maxima, {
  double most = 0;
  for (size_t p = 0; p < n; ++p) {
    double inner = 0;
    for (size_t i = 0; i < 2 * n; ++i) {
      double y = x[p + i] * x[i];
      inner = y > inner ? y : inner;
    }
    double z = inner * 0.9 + x[p];
    most = z > most ? z : most;
  }
  return most * most;
})
/// Both ends, in one loop.
KERNEL(range, {
  double low = x[0];
  double high = x[0];
  for (size_t i = 1; i < 6 * n; ++i) {
    if (x[i] < low)
      low = x[i];
    if (x[i] > high)
      high = x[i];
  }
  return (high - low) * (high - low) * x[1];
})
/// It ends when enough is found.
KERNEL(until, {
  double best = 1e30;
  size_t i = 0;
  do {
    double y = x[i] * x[i] + 0.01 * x[i + 1];
    best = y < best ? y : best;
    ++i;
  } while (best > 0.3 && i < 6 * n);
  return best * best;
})

//===----------------------------------------------------------------------===//
// Those that cannot
//===----------------------------------------------------------------------===//

/// The sum of what was the least at the time.
KERNEL(summed, {
  double best = 1e30;
  double s = 0;
  for (size_t i = 0; i < 6 * n; ++i) {
    best = x[i] < best ? x[i] : best;
    s += best * x[i];
  }
  return s + best;
})
/// What is offered depends on what is kept.
KERNEL(depends, {
  double best = 3;
  for (size_t i = 0; i < 6 * n; ++i) {
    double y = best * 0.9 + 0.05 * x[i];
    if (x[i] < y)
      best = y;
  }
  return best;
})
/// What is offered comes from the iterations before.
KERNEL(from_before, {
  double best = 100;
  double a = 1;
  for (size_t i = 0; i < 6 * n; ++i) {
    a = a * x[i] + 0.1;
    best = a < best ? a : best;
  }
  return best * best;
})
/// Two offers.
KERNEL(two_offers, {
  double best = 100;
  for (size_t i = 0; i < 6 * n; ++i) {
    double a = x[i];
    double b = x[i + 1] * x[i + 2];
    if (a < best)
      best = a;
    if (b < best)
      best = b;
  }
  return best * best;
})
/// What was read is overwritten by a later iteration.
KERNEL(overwritten, {
  double best = 100;
  for (size_t i = 0; i < 3 * n; ++i) {
    double y = x[i] * x[i + 1];
    best = y < best ? y : best;
    x[(i * 7 + 3) % 20] = y + 1;
  }
  return best * best;
})
/// Left by two ways.
KERNEL(left_early, {
  double best = 100;
  for (size_t i = 0; i < 6 * n; ++i) {
    if (x[i] > 2.1)
      break;
    double y = x[i] * x[i + 1];
    best = y < best ? y : best;
  }
  return best * best;
})

int main(void) {
  ALL(nearest);
  ALL(largest);
  ALL(kept);
  ALL(with_place);
  ALL(by_another);
  ALL(some);
  ALL(list);
  ALL(of_maxima);
  ALL(range);
  ALL(until);
  ALL(summed);
  ALL(depends);
  ALL(from_before);
  ALL(two_offers);
  ALL(overwritten);
  ALL(left_early);
  return check_status();
}
