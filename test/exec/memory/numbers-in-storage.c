//===- numbers-in-storage.c - bits that only the caller reads -------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Structures with storage for a value of some type, as words or as characters,
// are assigned by a function that does not read it; the caller keeps a number's
// bits there. Their adjoints move though the words are declared as integers.
//
// UNCHECKED: the check seeds integers beside them, which nobody adds
//
//===----------------------------------------------------------------------===//

#include "../check.h"

#include <stdint.h>

struct Variant {
  int type;
  uint64_t storage[2];
};
struct Raw {
  double x;
  unsigned char raw[8];
};
struct Words {
  double x;
  uint32_t w[2];
};

#define TEST(S, M)                                                             \
  CHECK_NOINLINE static void assign_##S(struct S *p) { p[1] = p[0]; }          \
  CHECK_NOINLINE static void check_##S(double x) {                             \
    struct S p[2], d[2];                                                       \
    memset(p, 0, sizeof p);                                                    \
    memset(d, 0, sizeof d);                                                    \
    double seed = 2, before, behind;                                           \
    memcpy(&p[0].M, &x, sizeof x);                                             \
    memcpy(&d[1].M, &seed, sizeof seed);                                       \
    __verso_vjp_void((void *)assign_##S, verso_dup, p, d);                     \
    memcpy(&before, &d[0].M, sizeof before);                                   \
    memcpy(&behind, &d[1].M, sizeof behind);                                   \
    CHECK_CLOSE(before, seed, 0);                                              \
    CHECK_CLOSE(behind, 0, 0);                                                 \
  }
TEST(Variant, storage)
TEST(Raw, raw)
TEST(Words, w)

int main(void) {
  // Bits of small integers are where the lower half of 1.25 is.
  const double numbers[] = {1.25, -3.1, 1e-300, 7e200};
  for (int i = 0; i < 4; i++) {
    check_Variant(numbers[i]);
    check_Raw(numbers[i]);
    check_Words(numbers[i]);
  }
  return check_status();
}
