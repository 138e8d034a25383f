#!/usr/bin/env python3
#===- straight_line.py - a long function without control flow ------------===//
#
# Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
#
# Prints a C program of N statements v[i] = v[a] + v[b] * v[c], indices random
# constants, and the request of its derivative: what compile time has to be
# linear in. v is a local array, memory of the caller, N / 100 variables, or
# memory of the caller with the statements in functions of a hundred each.
#
#===------------------------------------------------------------------------===//

import argparse
import random

VARIANTS = ["local", "pointer", "scalars", "functions"]
REQUESTS = {
    "reverse": "__verso_grad((void *)f, verso_dup, x, dx);",
    "forward": "sum = __verso_jvp((void *)f, verso_dup, x, dx);",
    "none": "sum = f(x);",
}
CELLS = 100


def statements(count, name, rng):
    for _ in range(count):
        i, a, b, c = (name % rng.randrange(CELLS) for _ in range(4))
        yield "  %s = %s + %s * %s;" % (i, a, b, c)


def program(variant, count, mode):
    """The lines of the program; the same for the same arguments."""
    rng = random.Random(1)
    lines = ["double __verso_grad(void *, ...), __verso_jvp(void *, ...);",
             "extern int verso_dup;"]
    name = "v%d" if variant == "scalars" else "v[%d]"
    if variant == "functions":
        calls = range(count // 100)
        for k in calls:
            lines += ["__attribute__((noinline)) static void step%d(double *v) {"
                      % k, *statements(100, name, rng), "}"]
    lines.append("__attribute__((noinline)) static double f(double *x) {")
    if variant == "local":
        lines += ["  double v[%d];" % CELLS,
                  "  for (int i = 0; i < %d; ++i) v[i] = x[i];" % CELLS]
    elif variant == "scalars":
        lines += ["  double v%d = x[%d];" % (k, k) for k in range(CELLS)]
    else:
        lines.append("  double *v = x;")
    if variant == "functions":
        lines += ["  step%d(v);" % k for k in calls]
    else:
        lines += statements(count, name, rng)
    lines += ["  return %s + %s;" % (name % 0, name % 1), "}",
              "double x[%d], dx[%d], sum;" % (CELLS, CELLS),
              "int main(void) {", "  " + REQUESTS[mode], "}"]
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--variant", choices=VARIANTS, default="local")
    parser.add_argument("--statements", type=int, default=30000)
    parser.add_argument("--mode", choices=REQUESTS, default="reverse")
    options = parser.parse_args()
    print(program(options.variant, options.statements, options.mode), end="")


if __name__ == "__main__":
    main()
