//===- changed-beside-floats.c - small integers beside a float ------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A record of small integers and a float is handed on in a register, where the
// integers are shifted, masked and exchanged. What is put beside the float has
// no bits in its word. In a file with a packed struct, where a number may lie
// anywhere.
//
//===----------------------------------------------------------------------===//

#include "../check.h"

#include <stdint.h>
#include <string.h>

typedef struct __attribute__((packed)) {
  char c;
  float f;
} Packed;

__attribute__((used)) CHECK_NOINLINE static void scale(Packed *p) { p->f *= 2; }

#define CHANGED(NAME, TO)                                                      \
  CHECK_NOINLINE static uint64_t NAME##Of(uint64_t w) { return TO; }           \
  CHECK_NOINLINE static double NAME(const double *x) {                         \
    uint64_t w = 0x0102;                                                       \
    float f = (float)x[0];                                                     \
    memcpy((char *)&w + 4, &f, 4);                                             \
    uint64_t (*volatile of)(uint64_t) = NAME##Of;                              \
    w = of(w);                                                                 \
    memcpy(&f, (char *)&w + 4, 4);                                             \
    return f * x[1];                                                           \
  }

#define FLOAT (w & ~UINT64_C(0xffff))
CHANGED(constant, FLOAT | 5)
CHANGED(masked, FLOAT | (w & 7))
CHANGED(shifted, FLOAT | (w << 1 & 0xfffe))
CHANGED(moved, FLOAT | (w << 8 & 0x700))
CHANGED(movedBack, FLOAT | (w >> 8 & 7))
CHANGED(exchanged, FLOAT | (w >> 8 & 7) | (w << 8 & 0x700))
CHANGED(ofBytes, (w << 8 & 0xff00) | FLOAT | (w >> 8 & 0xff))

int main(void) {
#define CHECK_CHANGED(NAME)                                                    \
  do {                                                                         \
    double x[2] = {3, -0.5}, dx[2] = {0, 0};                                   \
    __verso_grad_void((void *)NAME, verso_dup, x, dx);                         \
    CHECK_EQUAL(dx[0], -0.5);                                                  \
    CHECK_EQUAL(dx[1], 3);                                                     \
  } while (0)
  CHECK_CHANGED(constant);
  CHECK_CHANGED(masked);
  CHECK_CHANGED(shifted);
  CHECK_CHANGED(moved);
  CHECK_CHANGED(movedBack);
  CHECK_CHANGED(exchanged);
  CHECK_CHANGED(ofBytes);
  return check_status();
}
