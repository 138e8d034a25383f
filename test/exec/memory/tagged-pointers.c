//===- tagged-pointers.c - addresses with tags, as integers ---------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What interpreters and tries do: a kind in the lowest bits of an address that
// is kept as an integer, or in its highest ones (also those of a NaN), a
// shifted address, and the block that an address lies in. The shadow moves as
// the address does. And an address put together of its bytes, which is none of
// that.
//
//===----------------------------------------------------------------------===//

#include "../check.h"

#include <stdint.h>
#include <verso/verso.h>

enum { N = 4 };
typedef uintptr_t ref;

static double sum(ref t) {
  if (t & 1)
    return *(double *)(t & ~(ref)1);
  ref *kid = (ref *)t;
  return sum(kid[0]) * sum(kid[1]) + 1;
}
CHECK_NOINLINE static double tree(double *x) {
  ref low[2] = {(ref)x | 1, (ref)(x + 1) | 1};
  ref high[2] = {(ref)(x + 2) | 1, (ref)low};
  ref root[2] = {(ref)high, (ref)(x + 3) | 1};
  return sum((ref)root);
}

struct cons {
  ref car, cdr;
};
enum { END = 7 };
CHECK_NOINLINE static double weigh(ref list) {
  double total = 0;
  for (; list != END; list = ((struct cons *)(list - 1))->cdr) {
    ref item = ((struct cons *)(list - 1))->car;
    if ((item & 3) == 2)
      total += *(double *)(item - 2) * (total + 1);
    else if ((item & 3) == 0)
      total *= (double)(item >> 2);
    else
      total += 0.5 * weigh(item);
  }
  return total;
}
CHECK_NOINLINE static double lists(double *x) {
  struct cons cell[6];
  ref list = END;
  for (int i = 0; i < 6; i++) {
    cell[i].car = i == 3  ? (ref)&cell[1] | 1
                  : i & 1 ? (ref)i << 2
                          : (ref)&x[i / 2] | 2;
    cell[i].cdr = list;
    list = (ref)&cell[i] | 1;
  }
  return weigh(list) * x[3];
}

CHECK_NOINLINE static double in_array(double *x) {
  ref kinds[N];
  for (int i = 0; i < N; i++)
    kinds[i] = (ref)(i + 1) | (ref)(x + i);
  double total = 1;
  for (volatile int i = 0; i < N; i++)
    total += total * *(double *)(~(ref)7 & kinds[i]) * (7 & kinds[i]);
  return total;
}
CHECK_NOINLINE static double highest(ref t) {
  return *(double *)(t << 16 >> 16) * (double)(t >> 60);
}
CHECK_NOINLINE static double by_parameter(double *x) {
  return highest((ref)(x + 1) | 3ull << 60) * x[0];
}

CHECK_NOINLINE static double boxed(double *x) {
  uint64_t box[N];
  for (int i = 0; i < N; i++)
    if (i & 1)
      box[i] = (uint64_t)(x + i) | 0xfff8000000000000;
    else
      memcpy(box + i, x + i, sizeof *box);
  double product = 1;
  for (volatile int i = 0; i < N; i++) {
    double number;
    if (box[i] >> 48 == 0xfff8)
      number = *(double *)(box[i] & 0xffffffffffff);
    else
      memcpy(&number, box + i, sizeof number);
    product *= number;
  }
  return product;
}

/// The first of the numbers in the 256 bytes around one of them.
CHECK_NOINLINE static double in_block(double *x) {
  static double block[32] __attribute__((aligned(256)));
  volatile int at = 3;
  for (int i = 0; i < N; i++)
    block[i] = x[i] * x[(i + 1) % N];
  ref any = (ref)(block + at);
  double *first = (double *)(any & ~(ref)255);
  return first[0] * first[1] + first[3] * first[2];
}

/// From the highest byte down, over another address.
CHECK_NOINLINE static double byte_by_byte(double *x) {
  unsigned char bytes[sizeof(ref)];
  double *second = x + 1;
  memcpy(bytes, &second, sizeof bytes);
  ref address = (ref)x;
#define REPLACE(K)                                                             \
  address = (address & ~((ref)255 << 8 * K)) | (ref)bytes[K] << 8 * K
  REPLACE(7);
  REPLACE(6);
  REPLACE(5);
  REPLACE(4);
  REPLACE(3);
  REPLACE(2);
  REPLACE(1);
  REPLACE(0);
  return *(double *)address * x[3];
}

#define CHECK_TAGS(F)                                                          \
  do {                                                                         \
    double d[N] = {0};                                                         \
    __verso_grad_void((void *)F, verso_dup, x, d);                             \
    CHECK_GRADIENT(F, N, x, d, 1e-8);                                          \
    double dot = 0;                                                            \
    for (int i = 0; i < N; i++)                                                \
      dot += d[i] * v[i];                                                      \
    CHECK_CLOSE(__verso_jvp((void *)F, verso_dup, x, v), dot, 1e-12);          \
  } while (0)

int main(void) {
  double x[N] = {0.7, 1.3, 0.9, 1.6}, v[N] = {0.3, -0.4, 0.5, 1.1};
  CHECK_TAGS(tree);
  CHECK_TAGS(lists);
  CHECK_TAGS(in_array);
  CHECK_TAGS(by_parameter);
  CHECK_TAGS(boxed);
  CHECK_TAGS(in_block);
  CHECK_TAGS(byte_by_byte);
  return check_status();
}
