#!/usr/bin/env python3
# ===- recursions.py - random recursive functions --------------------------===//
#
# Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------===//
"""Random recursions over values, which structured gradients reverse by calls.

Each seed is a circle of one to three functions that read an array and write
nothing, in shapes that are sums, nearly sums and no sums. The gradient is
compared with forward mode, for all inputs. Prints a line for each seed that
differs, and in how many the recursion was reversed by itself, not as a loop or
by tape. Exit status 1 if any differs.

    recursions.py --plugin libVerso.so --runtime libverso.a [--seeds 1:100]
                  [--levels 03] [--work DIR]
"""

import argparse
import os
import random
import subprocess
import sys
import tempfile

HEAD = r"""
#include <math.h>
#include <stdio.h>
extern int verso_dup;
void __verso_grad(void *, ...);
double __verso_jvp(void *, ...);
"""

MAIN = r"""
int main(void) {
  int bad = 0;
  double x[8], dx[8] = {0};
  for (int i = 0; i < 8; ++i)
    x[i] = 0.3 + 0.17 * i - 0.02 * i * i;
  __verso_grad(start, verso_dup, x, dx);
  for (int i = 0; i < 8; ++i) {
    double t[8] = {0};
    t[i] = 1;
    double e = __verso_jvp(start, verso_dup, x, t);
    if (!(fabs(dx[i] - e) <= 1e-9 * (1 + fabs(e)))) {
      printf("d/dx%d: %.15g, forward %.15g\n", i, dx[i], e);
      bad = 1;
    }
  }
  return bad;
}
"""


class Recursion:
    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.functions = self.rng.choice([1, 1, 1, 2, 3])
        # Real parameters, and how likely a product of two calls is.
        self.reals = [self.rng.choice([0, 0, 1, 2]) for _ in range(self.functions)]
        self.products = self.rng.choice([0, 0, 0.15, 0.5])
        self.loops = self.rng.random() < 0.5

    def leaf(self, names):
        r = self.rng.random()
        if names and r < 0.5:
            return self.rng.choice(names)
        if r < 0.9:
            return f"x[({self.rng.choice(['n', '2 * n', '3', '7 - n'])} + {self.rng.randrange(8)}) & 7]"
        return f"{self.rng.uniform(0.2, 1.5):.3f}"

    def expression(self, names, depth=2):
        if depth == 0 or self.rng.random() < 0.2:
            return self.leaf(names)
        a, b = (self.expression(names, depth - 1) for _ in range(2))
        return self.rng.choice([
            f"({a} + {b})", f"({a} - {b})", f"{a} * {b}", f"sin({a})",
            f"exp(0.1 * sin({a}))", f"{a} / (1.5 + {b} * {b})",
            f"sqrt(1 + {a} * {a})", f"({a} > {b} + 0.0317 ? {a} : {b})"])

    def call(self, names):
        g = self.rng.randrange(self.functions)
        arguments = ["x", self.rng.choice(["n - 1", "n - 2", "n / 2"])]
        arguments += [self.expression(names, 1) for _ in range(self.reals[g])]
        return f"f{g}({', '.join(arguments)})"

    def part(self, names):
        """What is added to a result."""
        r = self.rng.random()
        if r < 0.25:
            return self.expression(names)
        if r < 0.25 + self.products:
            return f"0.3 * {self.call(names)} * {self.call(names)}"
        if r < 0.9:
            return f"{self.rng.choice(['0.4', self.leaf(names), '-0.3'])} * {self.call(names)}"
        return f"sin(0.5 * {self.call(names)})" if self.products else self.call(names)

    def statements(self, names, indent, depth):
        out, names = [], list(names)
        for _ in range(self.rng.randrange(1, 4)):
            r = self.rng.random()
            if r < 0.45:
                out.append(f"s {self.rng.choice(['+=', '+=', '-='])} {self.part(names)};")
            elif r < 0.6:
                name = f"v{len(names)}_{indent}"
                source = self.part(names) if self.rng.random() < 0.3 else self.expression(names)
                out.append(f"double {name} = {source};")
                names.append(name)
            elif r < 0.8 and depth:
                condition = self.rng.choice([
                    "n & 1", f"{self.expression(names, 1)} > 0.4123", "s > 0.7771", "n > 2"])
                out.append(f"if ({condition}) {{")
                out += self.statements(names, indent + 1, depth - 1)
                if self.rng.random() < 0.5:
                    out.append("} else {")
                    out += self.statements(names, indent + 1, depth - 1)
                out.append("}")
            elif r < 0.9 and depth and self.loops:
                i = f"i{indent}"
                out.append(f"for (int {i} = 0; {i} < {self.rng.choice(['2', '(n & 1) + 1'])}; ++{i}) {{")
                if self.rng.random() < 0.3:
                    out.append(f"if (({i} + n) % 3 == 1) continue;")
                out += self.statements(names + [f"x[{i}]"], indent + 1, depth - 1)
                out.append("}")
            elif depth < 2:
                out.append(f"return {self.rng.choice(['s', 's', self.part(names)])};")
                break
        return out

    def text(self):
        lines = [HEAD]
        signature = []
        for k in range(self.functions):
            reals = "".join(f", double y{j}" for j in range(self.reals[k]))
            signature.append(f"static double f{k}(const double *x, int n{reals})")
            lines.append(signature[-1] + ";")
        for k in range(self.functions):
            names = [f"y{j}" for j in range(self.reals[k])]
            lines.append(signature[k] + " {")
            lines.append(f"if (n <= 0) return {self.expression(names, 1)};")
            lines.append(f"double s = {self.rng.choice(['0', '1', self.expression(names)])};")
            lines += self.statements(names, 1, 2)
            lines.append(f"return {self.rng.choice(['s', 's', 's', self.part(names) + ' + s'])};")
            lines.append("}")
        n = self.rng.choice([2, 3, 4])
        reals = "".join(f", x[{j + 2}]" for j in range(self.reals[0]))
        once = f"f0(x, {n}{reals})"
        body = self.rng.choice([
            f"return {once};", f"return {once} * x[1] + {once};",
            f"double s = 0; for (int k = 0; k < 3; ++k) s = 0.5 * s * s + f0(x + (k & 0), k{reals}); return s;"])
        lines.append("static double start(const double *x) { " + body + " }")
        lines.append(MAIN)
        return "\n".join(lines)


def check(seed, arguments, work):
    source = os.path.join(work, f"recursion{seed}.c")
    program = os.path.join(work, "a.out")
    with open(source, "w", encoding="utf-8") as file:
        file.write(Recursion(seed).text())
    by_calls = True
    for level in arguments.levels:
        for strategy in ("auto", "taped"):
            compiled = subprocess.run(
                [arguments.cc, f"-O{level}", "-w", f"-fpass-plugin={arguments.plugin}",
                 "-mllvm", f"-verso-strategy={strategy}", "-Rpass-analysis=verso", "-Rpass-missed=verso",
                 source, arguments.runtime, "-lm", "-lstdc++", "-o", program],
                capture_output=True, text=True, timeout=120)
            if compiled.returncode:
                return "does not compile", by_calls
            if "not reversed by themselves" in compiled.stderr or "is not structured" in compiled.stderr:
                by_calls = False
            try:
                run = subprocess.run([program], capture_output=True, text=True, timeout=60)
            except subprocess.TimeoutExpired:
                return "takes too long", by_calls
            if run.returncode:
                return f"-O{level} {strategy}: " + (run.stdout.splitlines() or [f"status {run.returncode}"])[0], by_calls
    return None, by_calls


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--plugin", required=True)
    parser.add_argument("--runtime", required=True)
    parser.add_argument("--cc", default="clang-22")
    parser.add_argument("--seeds", default="1:100")
    parser.add_argument("--levels", default="03")
    parser.add_argument("--work")
    arguments = parser.parse_args()
    first, last = map(int, arguments.seeds.split(":"))
    wrong = by_calls = 0
    with tempfile.TemporaryDirectory(dir=arguments.work) as work:
        for seed in range(first, last + 1):
            verdict, calls = check(seed, arguments, work)
            by_calls += calls
            if verdict:
                wrong += 1
                print(f"{seed}: {verdict}", flush=True)
    print(f"{last - first + 1} seeds, {wrong} wrong, {by_calls} reversed by calls")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
