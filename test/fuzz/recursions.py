#!/usr/bin/env python3
# ===- recursions.py - random recursive functions --------------------------===//
#
# Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------===//
"""Random recursions over values, which structured gradients reverse by calls.

Each seed is a circle of one to three functions that read an array and write
nothing, in shapes that are sums, nearly sums and no sums. Reversed control flow,
which is asked for even where it would be slower than the tape, and the tape are
compared with forward mode, for all inputs, some of them zero; a fourth of the
programs have poles there. Many share a file. Prints a line for each seed that
differs, and in how many the recursion was reversed by itself, as a loop, or by
tape only. Exit status 1 if any differs.

    recursions.py --plugin libVerso.so --runtime libverso.a [--seeds 1:100]
                  [--levels 03] one of these for each file, in turn
                  [--size 24]   seeds in a file
                  [--seconds 600] [--work DIR]
    recursions.py --print 17
"""

import argparse
import os
import random
import re
import subprocess
import sys
import tempfile
import time

from judge import build

HERE = os.path.dirname(os.path.abspath(__file__))

HEAD = r"""
#include <math.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
#include <verso/verso.h>

static double X[8], D[8], T[8];
static void start(int seed, int zeros) {
  for (int i = 0; i < 8; ++i) {
    X[i] = zeros && (i * 5 + seed) % 3 == 0 ? 0 : 0.3 + 0.17 * i - 0.02 * i * i;
    D[i] = T[i] = 0;
  }
}
static int differ(double a, double b) {
  return !(fabs(a - b) <= 1e-9 * (1 + fabs(b))) && a != b;
}
// Where forward mode is finite and the tape is not, an infinite adjoint met a
// partial of zero: the root of a product, at zero.
static int judge(int seed, int poles, int zeros, double v, double r, double s, const double *e) {
  int wrong = 0;
  if (differ(r, v) || differ(s, v))
    wrong = 1, printf("F %d VALUE zeros %d: %.15g and %.15g by tape, %.15g\n", seed, zeros, r, s, v);
  for (int i = 0; i < 8 && !wrong; ++i)
    if ((differ(D[i], T[i]) && isnan(D[i]) + isnan(T[i]) < (isfinite(e[i]) ? 2 : 1)) ||
        (isfinite(e[i]) && !(poles && !isfinite(T[i])) && differ(T[i], e[i])))
      wrong = 1, printf("F %d WRONG zeros %d d/dx%d: %.15g and %.15g by tape, forward %.15g\n", seed, zeros, i, D[i], T[i], e[i]);
  return wrong;
}
// A function whose address is taken would have twins.
#define RUN(SEED) \
  fflush(stdout); \
  if (!fork()) { \
    alarm(20); \
    int wrong = judge##SEED(0) | judge##SEED(1); \
    fflush(stdout); \
    _exit(wrong); \
  } \
  ended(SEED)
static void ended(int seed) {
  int status;
  wait(&status);
  if (WIFSIGNALED(status) || WEXITSTATUS(status) > 1)
    printf("F %d CRASH %d\n", seed, status);
}
"""

# The seed's own part: @ is the seed.
REQUESTS = r"""
NOINLINE static int judge@(int zeros) {
  double e[8];
  start(@, zeros);
  for (int i = 0; i < 8; ++i) {
    double t[8] = {0};
    t[i] = 1;
    e[i] = __verso_jvp(start@, verso_dup, X, t);
  }
  double v = start@(X);
  double r = __verso_value_and_grad(start@, verso_dup, X, D);
  double s = __verso_value_and_grad(tape@, verso_dup, X, T);
  return judge(@, POLES, zeros, v, r, s, e);
}
""".replace("NOINLINE", "__attribute__((noinline))")


class Recursion:
    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.functions = self.rng.choice([1, 1, 1, 2, 3])
        # Real parameters, and how likely a product of two calls is.
        self.reals = [self.rng.choice([0, 0, 1, 2]) for _ in range(self.functions)]
        self.products = self.rng.choice([0, 0, 0.15, 0.5])
        self.loops = self.rng.random() < 0.5
        self.poles = random.Random(f"poles {seed}").random() < 0.25

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
            f"sqrt({'fabs' if self.poles else '1 + ' + a + ' * '}({a}))", f"({a} > {b} + 0.0317 ? {a} : {b})"])

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
        lines = []
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
        return "\n".join(lines)

    def named(self, seed, strategies):
        """All of one seed in a file of several."""
        text = re.sub(r"\bf(\d)\(", rf"f{seed}_\1(", self.text())
        requests = REQUESTS.replace("@", str(seed)).replace("POLES", str(int(self.poles)))
        signature = "static double start("
        at = text.index(signature)
        body = text[at:]
        return "\n".join([
            text[:at], strategies + body.replace(signature, f"static double start{seed}("),
            "VERSO_STRATEGY(taped) " + body.replace(signature, f"static double tape{seed}("),
            requests])


def text_of(seeds, refused=()):
    """\p refused: seeds that take the tape in any case."""
    parts = [HEAD]
    for seed in seeds:
        parts.append(f'#line 1 "seed{seed}"')
        parts.append(Recursion(seed).named(seed, "" if seed in refused else "VERSO_STRATEGY(structured) "))
    parts.append("int main(void) {\n" + "\n".join(f"  RUN({seed});" for seed in seeds) + "\n}\n")
    return "\n".join(parts)


def check(seeds, level, arguments, work, refused=frozenset()):
    """({seed: verdict}, seeds as loops, seeds by tape)."""
    source, program = os.path.join(work, "recursions.c"), os.path.join(work, "a.out")
    with open(source, "w", encoding="utf-8") as file:
        file.write(text_of(seeds, refused))
    built = build([arguments.cc, f"-O{level}", "-w", "-gline-tables-only", "-I" + os.path.join(HERE, "../../include"),
                   f"-fpass-plugin={arguments.plugin}", "-Rpass-analysis=verso", "-fverify-intermediate-code",
                   "-fno-caret-diagnostics", source],
                  arguments.runtime, program, 300)
    more = {int(k) for k in re.findall(r"cannot reverse the control flow of 'start(\d+)'", built.stderr)} - refused
    if more:
        return check(seeds, level, arguments, work, refused | more)
    if built.returncode:
        if len(seeds) == 1:
            said = [l for l in built.stderr.splitlines() if "error" in l] or ["status %d" % built.returncode]
            return {seeds[0]: "does not compile: " + said[0][-200:]}, set(), set()
        parts = [check([seed], level, arguments, work, refused & {seed}) for seed in seeds]
        return {k: v for p in parts for k, v in p[0].items()}, set().union(*(p[1] for p in parts)), set().union(*(p[2] for p in parts))
    loops = {int(k) for k in re.findall(r"seed(\d+):\S* remark: recursive functions are not reversed by themselves", built.stderr)}
    try:
        run = subprocess.run([program], capture_output=True, text=True, timeout=400, check=False)
    except subprocess.TimeoutExpired:
        return {seeds[0]: "takes too long"}, loops, set()
    wrong = {}
    for line in run.stdout.splitlines():
        if line.startswith("F "):
            _, seed, verdict = line.split(" ", 2)
            wrong.setdefault(int(seed), f"-O{level} {verdict} {run.stderr[:100]}")
    if run.returncode:
        wrong.setdefault(seeds[0], f"-O{level} status {run.returncode}")
    return wrong, loops - refused, set(refused)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--plugin")
    parser.add_argument("--runtime")
    parser.add_argument("--cc", default="clang-22")
    parser.add_argument("--seeds", default="1:100")
    parser.add_argument("--levels", default="03")
    parser.add_argument("--size", type=int, default=24)
    parser.add_argument("--seconds", type=int, default=0)
    parser.add_argument("--work")
    parser.add_argument("--print", type=int, dest="shown")
    arguments = parser.parse_args()
    if arguments.shown is not None:
        print(text_of([arguments.shown]))
        return
    first, last = map(int, arguments.seeds.split(":"))
    end = time.monotonic() + arguments.seconds if arguments.seconds else None
    wrong = loops = taped = 0
    with tempfile.TemporaryDirectory(dir=arguments.work) as work:
        for number, at in enumerate(range(first, last + 1, arguments.size)):
            seeds = list(range(at, min(at + arguments.size, last + 1)))
            level = arguments.levels[number % len(arguments.levels)]
            verdicts, as_loops, by_tape = check(seeds, level, arguments, work)
            wrong, loops, taped = wrong + len(verdicts), loops + len(as_loops), taped + len(by_tape)
            for seed, verdict in verdicts.items():
                print(f"{seed}: {verdict}", flush=True)
            if end and time.monotonic() > end:
                last = seeds[-1]
                break
    count = last - first + 1
    print(f"seeds {first} to {last}: {wrong} wrong, {count - loops - taped} reversed by calls, {loops} as loops, {taped} by tape only")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
