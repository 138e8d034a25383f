#!/usr/bin/env python3
# ===- directions.py - random loops of requests over directions -------------===//
#
# Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------===//
"""Random loops with a forward request a direction, which become wide requests.

Each seed is a file of functions, each with a loop of requests of it: random
bodies, arrays of the loop's own and of its caller's, which may overlap. What the
loops leave in memory (directions.h) is compared, bit for bit, with the same file
compiled with -verso-merge-directions=false. Prints a line for each seed that
differs and a summary. Exit status 1 if any does.

    directions.py --plugin libVerso.so --runtime libverso.a [--seeds 1:100]
                  [--levels 123]     one of these for each seed, in turn
                  [--seconds 600]    no new seed after this time
                  [--work DIR]       files that differ stay there
    directions.py --print 17         only shows the file of seed 17
"""

import argparse
import os
import random
import subprocess
import sys
import tempfile
import time

from judge import build

HERE = os.path.dirname(os.path.abspath(__file__))
LOOPS = 60  # in a file


class Random(random.Random):
    def often(self, probability):
        return self.random() < probability

    def one(self, *weighted):
        """One of (weight, thing)."""
        return self.choices([thing for _, thing in weighted], [weight for weight, _ in weighted])[0]


class Function:
    """T f(T *p0, ..., int *q?, int n, T s?); most do not read what they write."""

    def __init__(self, number, r):
        self.number, self.r = number, r
        self.type = "float" if r.often(0.15) else "double"
        self.count = r.randint(1, 3)
        self.has_index, self.has_number = r.often(0.3), r.often(0.3)
        self.returns = r.often(0.65)
        self.written = set()
        every = list(range(self.count))
        self.outputs = [k for k in every if r.often(0.4)][:self.count - 1] if r.often(0.7) else every
        self.inputs = [k for k in every if k not in self.outputs] or every
        self.statements = self.body()
        self.text = self.source()

    def index(self, v):
        r = self.r
        choices = [v] * 4 + [f"n-1-{v}", f"{v}/2", "0", str(r.randint(0, 4)), f"2*{v}", f"({v}+1)%n", f"{v}+1"]
        return r.choice(choices + [f"q[{v}]"] * 2 * self.has_index)

    def operand(self, v):
        r = self.r
        return r.one((75, f"p{r.choice(self.inputs)}[{self.index(v)}]"),
                     (7, f"({self.type}){r.randint(-2, 3)}"),
                     (6 * self.has_number, "s"),
                     (5, f"t[{r.choice(['0', '1', v + '&7'])}]"),
                     (3, f"g_{self.type}[{r.choice([v, '3'])}]"),
                     (2, "acc"))

    def expression(self, v):
        text = self.operand(v)
        for _ in range(self.r.randint(0, 2)):
            text = f"({text} {self.r.choice('**+-')} {self.operand(v)})"
        return text

    def output(self):
        """A parameter that is written; none: a local array."""
        if not self.outputs:
            return "t"
        k = self.r.choice(self.outputs)
        self.written.add(k)
        return f"p{k}"

    def place(self, v):
        array = self.output()
        return f"t[{v}&7]" if array == "t" else f"{array}[{self.index(v)}]"

    def statement(self, v, depth):
        r, value = self.r, self.expression(v)
        kind = r.one((38, "add"), (8, "local"), (10, "write"), (2 * (self.outputs == self.inputs), "update"), (7, "if"),
                     (0.5, "count"), (1.5, "global"), (1, "out"), (1 * self.has_index, "index"), (2, "helper"),
                     (2, "writer"), (1.5, "log"), (1.5, "copy"), (1, "bulk"), (0.5, "break"), (0.5, "errno"), (22, "loop"))
        if kind == "loop" and depth < 2:
            return self.loop(depth)
        if kind == "if":
            return f"if ({self.operand(v)} > 0) {{ {self.statement(v, depth + 1)} }}"
        if kind == "write":
            return f"{self.place(v)} = {value};"
        if kind == "update":
            return f"{self.place(v)} += {value};"
        if kind == "bulk":
            return r.choice(["memcpy({0}, p{1}, n * sizeof *t);", "memset({0}, 0, n * sizeof *t);"]).format(
                self.output(), r.choice(self.inputs))
        if kind == "writer":
            return f"u{self.number}({self.output()}, {self.operand(v)});"
        return {
            "local": f"t[{r.choice(['0', '1', v + '&7'])}] = {value};",
            "count": "calls += 1;",
            "global": f"g_{self.type}[{r.choice(['3', v])}] = {value};",
            "out": f"out[{r.choice(['3', v])}] = {value};",
            "index": f"q[{r.choice(['0', v])}] = {r.randint(0, 5)};",
            "helper": f"acc += h{self.number}({r.choice(['t', 'p%d' % r.choice(self.inputs)])}, n);",
            "log": f"above += log((double)({self.operand(v)}) + 1) > 0;",
            "copy": f"memcpy(t, p{r.choice(self.inputs)}, n * sizeof *t);",
            "break": f"if ({self.operand(v)} > 3) break;" if depth else "acc += 1;",
            "errno": "if (errno) acc += 1;",
        }.get(kind, f"acc += {value};")

    def loop(self, depth):
        r, v = self.r, "ij"[depth]
        head = r.one((2, "int {0} = 0; {0} < n; ++{0}"), (1, "int {0} = n - 1; {0} >= 0; --{0}"),
                     (1, "int {0} = 0; {0} < 3; ++{0}"), (1, "int {0} = 0; {0} < n; {0} += 2"),
                     (0.4, f"int {{0}} = 0; {{0}} < n && p{self.inputs[0]}[{{0}}] < 2; ++{{0}}")).format(v)
        inner = " ".join(self.statement(v, depth + 1) for _ in range(r.randint(1, 2)))
        return f"for ({head}) {{ {inner} }}"

    def body(self):
        r, statements = self.r, []
        if self.outputs and r.often(0.35):  # Written before it is read.
            value = self.expression("i") if r.often(0.5) else "0"
            statements.append(f"for (int i = 0; i < n; ++i) {self.output()}[i] = {value};")
        for _ in range(r.randint(1, 3)):
            statements.append(self.loop(0) if r.often(0.7) else self.statement("0", 0))
        return statements

    def source(self):
        r, T, k = self.r, self.type, self.number
        parameters = [f"{T} *p{j}" for j in range(self.count)] + ["int *q"] * self.has_index + ["int n"]
        parameters += [f"{T} s"] * self.has_number
        write = r.choice(["a[1] = x;", "a[0] = x; a[1] = a[0];", "a[0] += x;",
                          f"{T} o = a[0]; a[0] = x; a[1] = a[0] * x; a[0] = o;"])
        own = "OWN " * r.often(0.7)
        return "\n".join([
            f"{own}static {T} h{k}(const {T} *a, int n) {{ {T} z = 0; for (int i = 0; i < n; ++i) z += a[i] * a[0]; return z; }}",
            f"{own}static void u{k}({T} *a, {T} x) {{ {write} }}",
            f"{'OWN ' * r.often(0.8)}static {T if self.returns else 'void'} f{k}({', '.join(parameters)}) {{",
            f"  {T} acc = 0, t[8] = {{1, 2, 1, 0, 1}};\n  int above = 0;",
            *("  " + s for s in self.statements),
            "  return acc + t[0];" if self.returns else "  out[0] = above;" * r.often(0.2), "}"])


COUNTS = [(6, "int k = 0; k < m; ++k"), (1, "unsigned char k = 0; k < m; ++k"), (1, "long k = 0; k < m; ++k"),
          (1, "short k = 0; k < m; ++k"), (1, "unsigned k = 0; k < (unsigned)m; ++k"), (1, "int k = m - 1; k >= 0; --k"),
          (1, "int k = 0; k < 2 * m; k += 2"), (1, "int k = 0; k < 16; ++k"), (1, "int k = 0; k < 13; ++k"),
          (1, "int k = 0; k < 8; ++k"), (1, "int k = 3; k < 5; ++k"), (1, "int k = 2; k < m; ++k"), (1, "int k = 0; k != m; ++k")]


class Loop:
    def __init__(self, f, r):
        self.f, self.r, self.type = f, r, f.type
        self.declared, self.freed, self.after = [], [], []

    def array(self, name, otherwise):
        """One of the loop's own, or a parameter."""
        r, T = self.r, self.type
        kind = r.one((50, None), (12, "filled"), (12, "zero"), (20, "heap"), (5, "global"))
        if kind is None or (kind == "global" and f"g_{T}[" in self.f.text):
            return f"a{otherwise}"
        self.declared.append({
            "filled": f"{T} {name}[Own]; for (int i = 0; i < Own; ++i) {name}[i] = i % 3 - 1;",
            "zero": f"{T} {name}[Own] = {{0}};",
            "heap": f"{T} *{name} = calloc(Own, sizeof *{name});",
            "global": f"{T} *{name} = g_{T} + 4;"}[kind])
        if kind == "heap":
            self.freed.append(name)
        return name

    def at(self):
        return self.r.choice(["k"] * 3 + ["0", "3", "ix[k & 7]", "k + 1", "40 - k", "k & 3"])

    def shadow(self, k, base, primal):
        """Where the tangents of argument k are."""
        r = self.r
        rows = [f"{base} + k * n"] * 4 + [base, f"{base} + k"]
        if k in self.f.written:
            form = r.choice(rows + [f"{base} + k * 12"] * 2 + [f"{base} + 420 - k * 10"])
        else:
            form = r.choice(rows + [base] * 3 + [f"{base} + ix[k & 7]", f"{base} + 130 - k * 3", primal])
        if r.often(0.06):  # A pointer that walks.
            self.declared.append(f"{self.type} *d{k} = {base};")
            self.after.append(f"d{k} += {r.choice(['n', '1', '12'])};")
            form = f"d{k}"
        return form

    def noise(self, arrays):
        r, texts = self.r, []
        while r.often(0.25):
            a, b = r.choice(arrays), r.choice(arrays)
            texts.append(r.one(
                (35, f"{a}[{self.at()}] = {b}[{self.at()}];"), (15, f"{a}[{self.at()}] = k;"), (25, f"sum += {a}[{self.at()}];"),
                (7, "steps += ix[k & 7];"), (3, "ix[k & 7] = k % 5;"), (3, "out[k & 7] += 1;"), (2, "sum += calls;"),
                (1, "errno = 0;"), (1, "steps += errno;"), (4, f"{a}[{self.at()}] = before;"), (4, f"{a}[{self.at()}] = acc;")))
        return texts

    def results(self, J, w, arrays):
        r = self.r
        texts = [f"{J}[{self.at() if r.often(0.3) else 'k'}] = r;"]
        to = f"{r.choice([J, J] + arrays)}[{self.at()}]"
        texts = r.one((30, [f"acc += r * {r.choice(['1', w + '[k]', 'k'])};"]), (20, texts + ["acc += r;"]),
                      (10, texts + ["before = r;"]), (6, texts + [f"{to} = acc;", "acc += r;"]),
                      (10, texts + [f"{to} = before;", "before = r;"]),
                      (4, texts + [f"{to} = before - r;", "before += r;", f"{J}[{self.at()}] = before;"]),
                      (1, texts + ["if (r > 1) acc += 1;"]), (2, texts + ["acc = r > 1 ? acc + 1 : acc;"]),
                      (1, texts + ["if (r > 30) break;"]), (3, texts + ["out[k & 15] = r;"]), (13, texts))
        if r.often(0.2):
            r.shuffle(texts)
        return texts

    def body(self):
        f, r, T = self.f, self.r, self.type
        J, w = self.array("J", 0), self.array("w", 1)
        arrays, operands, unit = [J, w], [f"(void *)f{f.number}"], None
        for k in range(f.count):
            primal = self.array(f"x{k}", 2 + k if r.often(0.8) else r.randrange(6))
            arrays.append(primal)
            if r.often(0.12) and f.count > 1:
                operands.append(f"verso_const, {primal}")
                continue
            base = self.array(f"v{k}", 5 - k if r.often(0.7) else r.randrange(6))
            arrays.append(base)
            form = self.shadow(k, base, primal)
            unit = base if form == base else unit
            operands.append(f"{r.choice(['verso_dup'] * 3 + ['verso_dupnoneed'])}, {primal}, {form}")
        operands += ["verso_const, iq"] * f.has_index + ["verso_const, n"]
        operands += [f"verso_dup, ({T})2, ({T}){r.choice(['1', '0', 'before', w + '[k]'])}"] * f.has_number
        call = f"JVP_{T}({', '.join(operands)});" if f.returns else f"__verso_jvp_void({', '.join(operands)});"
        before, after = self.noise(arrays), self.noise(arrays)
        if unit and r.often(0.7):
            before.insert(0, r.one(
                (60, f"{unit}[k] = 1;"), (20, f"for (int i = 0; i < n; ++i) {unit}[i] = {r.choice(['i == k', w + '[i + k]', '(i + k) % 3'])};"),
                (10, f"memset({unit}, 0, n * sizeof *{unit}); {unit}[k & 3] = 1;"), (10, f"memmove({unit}, {w} + k, n * sizeof *{unit});")))
            if before[0].endswith("[k] = 1;") and r.often(0.85):
                after.insert(0, f"{unit}[k] = 0;")
        if f.returns:
            at = r.choice([0, len(after)])
            after[at:at] = self.results(J, w, arrays)
            call = f"{T} r = {call}"
        if r.often(0.02):
            before.insert(0, f"if ({w}[k] > 1) continue;")
        return before + [call] + after + self.after, sorted({a for a in arrays if a[0] != "a"})

    def source(self):
        body, own = self.body()
        T = self.type
        parameters = [f"{T} *a{k}" for k in range(6)] + ["int *ix, int *iq, int n, int m"]
        return "\n".join([
            f"OWN static double loop{self.f.number}({', '.join(parameters)}) {{",
            f"  double sum = 0;\n  int steps = 0;\n  {T} before = {self.r.randint(0, 2)}, acc = 0;",
            *("  " + text for text in self.declared),
            f"  for ({self.r.one(*COUNTS)}) {{", *("    " + text for text in body), "  }",
            *(f"  for (int i = 0; i < 36; ++i) sum += (i % 7 + 1) * {name}[i];" for name in own),
            *(f"  free({name});" for name in self.freed),
            "  return sum + 3 * steps + 5 * before + 7 * acc;\n}"])


def text_of(seed):
    parts, main = [f"#define SEED {seed}", '#include "directions.h"'], []
    for number in range(LOOPS):
        r = Random(f"directions {seed} {number}")
        f = Function(number, r)
        parts += [f.text, Loop(f, r).source()]
        main.append(f"  run_{f.type}(loop{number}, {number});")
    return "\n".join(parts + ["int main(void) {", *main, "}", ""])


def check(seed, level, arguments, work):
    """What is wrong, if anything is; and how many loops were merged."""
    source = os.path.join(work, f"{seed}.c")
    with open(source, "w") as file:
        file.write(text_of(seed))
    printed = []
    for merge in ("false", "true"):
        binary = os.path.join(work, f"{seed}.{merge}")
        built = build([arguments.cc, "-std=gnu17", "-w", "-O" + level, "-ffp-contract=off", "-I" + HERE, "-I" + os.path.join(HERE, "../../include"), source, "-Rpass=verso",
                       "-fno-caret-diagnostics", "-fpass-plugin=" + arguments.plugin], arguments.runtime, binary, 600,
                      dict(os.environ, VERSO_OPTIONS="-verso-merge-directions=" + merge))
        if built.returncode:
            return "COMPILE " + built.stderr.strip().splitlines()[-1], 0
        done = subprocess.run(["timeout", "100", binary], capture_output=True, text=True, check=False)
        printed.append(done.stdout + f"status {done.returncode}")
        os.remove(binary)
    merged = built.stderr.count("directions at a time")
    wrong = [b for a, b in zip(*(text.splitlines() for text in printed)) if a != b]
    if not printed[1].endswith("status 0"):
        wrong.append(printed[1].splitlines()[-1])
    if wrong:
        return f"DIFFERS at -O{level}: {', '.join(wrong[:3])}", merged
    os.remove(source)
    return None, merged


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--plugin")
    parser.add_argument("--runtime")
    parser.add_argument("--cc", default="clang-22")
    parser.add_argument("--seeds", default="1:100")
    parser.add_argument("--levels", default="123")
    parser.add_argument("--seconds", type=int, default=0)
    parser.add_argument("--work")
    parser.add_argument("--print", type=int, dest="shown")
    arguments = parser.parse_args()
    if arguments.shown is not None:
        print(text_of(arguments.shown))
        return
    first, last = map(int, arguments.seeds.split(":"))
    end = time.monotonic() + arguments.seconds if arguments.seconds else None
    wrong = merged = 0
    with tempfile.TemporaryDirectory() as temporary:
        work = arguments.work or temporary
        os.makedirs(work, exist_ok=True)
        for seed in range(first, last + 1):
            verdict, here = check(seed, arguments.levels[seed % len(arguments.levels)], arguments, work)
            wrong, merged = wrong + bool(verdict), merged + here
            if verdict:
                print(f"{seed}: {verdict}", flush=True)
            if end and time.monotonic() > end:
                last = seed
                break
    print(f"seeds {first} to {last}, {LOOPS * (last - first + 1)} loops: {merged} merged, {wrong} seeds wrong")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
