#!/usr/bin/env python3
# ===- nests.py - random nests of loops -------------------------------------===//
#
# Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------===//
"""Random nests of loops over arrays, what reversed control flow is made for.

Each seed is a file of some functions of three arrays, which may overlap, and two
trip counts. nests.h judges each of them, at several trip counts: reversed control
flow against the tape, both against forward mode (the dot-product test), forward
mode against differences, memory and value against the function itself, and for
some Hessian-vector products. Prints a line for each function that is wrong and a
summary. Exit status 1 if any is wrong.

    nests.py --plugin libVerso.so --runtime libverso.a [--seeds 1:100]
             [--levels 123]     one of these for each seed, in turn
             [--seconds 600]    no new seed after this time
             [--work DIR]       files with a wrong function stay there
             [--options ...]    more options of the plugin, -verso-check say
             [--cxx]            functions of C++ (cxx.py), other ones
             [--verify-each 32] the verifier after every pass for every 32nd seed
    nests.py --print 17         only shows the file of seed 17
    nests.py ... --reduce 17:3  a smaller function that is as wrong as number 3
"""

import argparse
import collections
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time

from judge import build
from recursions import Recursion

HERE = os.path.dirname(os.path.abspath(__file__))
# In one file, since headers and the runtime's code cost as much as two functions.
FUNCTIONS = 12
# Indices that an argument is good for; n is at most 9, m at least 1, at most 5.
REACH = (-40, 100)


class Function:
    """A tree of statements: a text, or (head, statements, tail)."""

    def __init__(self, seed, number):
        self.random = random.Random(f"nest {seed} {number}")
        self.number = number
        self.fresh = 0
        self.restrict = self.chance(0.3)
        self.second = self.chance(0.15)
        self.recursion = self.chance(0.2)
        self.inner = self.chance(0.2)
        self.poles = self.chance(0.25)
        self.valued = self.chance(0.5)
        self.heap = self.chance(0.15)
        self.arrays = {a: REACH for a in "xyz"}
        self.scalars = ["s", "v"]
        self.read_only = ["a"]
        self.ints = [("n", 0, 9), ("m", 1, 5)]
        self.counters = ["k"]
        self.pointers = []
        self.in_loop = 0
        self.budget = self.random.randint(6, 26)
        self.statements = (self.sweep if self.chance(0.15) else self.body)()

    def chance(self, p):
        return self.random.random() < p

    def choice(self, *options):
        return self.random.choice(options)

    def name(self, prefix):
        self.fresh += 1
        return f"{prefix}{self.fresh}"

    # ===- Indices ---------------------------------------------------------===

    def index(self, reach=REACH, depth=1):
        text, low, high = self.integer(depth)
        if low >= reach[0] and high <= reach[1]:
            return text
        mask = 1
        while 2 * mask + 1 <= reach[1]:
            mask = 2 * mask + 1
        return f"(({text}) & {mask})"

    def integer(self, depth=1):
        v, low, high = self.random.choice(self.ints[2:] * 3 + self.ints)
        c = self.random.randint(1, 4)
        r = self.random.random()
        if r < 0.35:
            return v, low, high
        if r < 0.5:
            return f"{v} + {c}", low + c, high + c
        if r < 0.62:
            return f"{v} - {c}", low - c, high - c
        if r < 0.68:
            return f"{c} * {v}", c * low if low >= 0 else c * low, c * high
        w, low2, high2 = self.random.choice(self.ints)
        if r < 0.76:
            return f"{v} * m + {w}", min(0, 5 * low) + low2, 5 * high + high2
        if r < 0.81:
            return f"{v} * {c} + {w}", c * low + low2, c * high + high2
        if r < 0.86:
            return f"n - 1 - {v}", -1 - high, 8 - low
        if r < 0.9 and depth:
            return f"ix[{self.index(depth=0)}]", 0, 8
        if r < 0.93:
            return f"({v} * 5 + {c}) % 7", -6, 10
        if r < 0.96:
            return f"(unsigned char)({v} + {self.choice(252, 256, 3)})", -1000, 1000
        return str(c), c, c

    def cell(self):
        if self.pointers and self.chance(0.3):
            p = self.random.choice(self.pointers)
            return f"{p}[{self.index((-6, 60))}]"
        if self.chance(0.08):
            return f"u.{self.choice('a', 'b')}" if self.chance(0.5) else f"u.c[{self.index((0, 3))}]"
        array = self.random.choice(list(self.arrays))
        return f"{array}[{self.index(self.arrays[array])}]"

    # ===- Expressions -----------------------------------------------------===

    def leaf(self):
        r = self.random.random()
        if r < 0.6:
            return self.cell()
        if r < 0.85:
            return self.random.choice(self.scalars + self.read_only)
        if r < 0.92:
            return f"(double)({self.integer()[0]})"
        return f"{self.random.uniform(-1.5, 1.5):.3f}"

    def expression(self, depth=2):
        if depth == 0 or self.chance(0.15):
            return self.leaf()
        a, b = (self.expression(depth - 1) for _ in range(2))
        c = f"0.0{self.random.randrange(1000, 9999)}"
        forms = [
            f"({a} + {b})", f"({a} - {b})", f"{a} * {b}", f"{a} * {b}", f"0.5 * {a}",
            f"({a} + {b} + {self.leaf()})", f"{self.choice('sin', 'cos', 'tanh')}({a})",
            f"exp(-fabs({a} + {c}))", f"sqrt(1 + {a} * {a})", f"{a} / (1.5 + {b} * {b})",
            f"{self.choice('fmax', 'fmin')}({a}, {b} + {c})", f"({a} > {b} + {c} ? {a} : {b})",
            f"({self.condition()} ? {a} : {b})", f"fabs({a})", f"sq({a})"]
        if self.poles:
            forms += [f"sqrt(fabs({a})) * {b}", f"{b} * exp({a}) * 0", f"{b} / (1 + 0 * sqrt(fabs({a})))",
                      f"({a} > 0 ? sqrt({a}) : 0)", f"fmax(0, {a}) / (1 + {b} * {b})",
                      f"pow(fabs({a}), 1.5)", f"({b} != 0 ? {a} / {b} * {b} : 0)"]
        return self.random.choice(forms)

    def condition(self):
        i = self.integer()[0]
        c = f"{self.random.uniform(-1, 1):.5f}"
        return self.choice(
            f"{self.leaf()} > {c}", f"{self.leaf()} < {self.leaf()} + {c}", f"(({i}) & 1)", f"({i}) % 3 == 1",
            f"{self.index()} > {self.index()}", "k & 2", f"{self.random.choice(self.scalars)} > {c}")

    # ===- Statements ------------------------------------------------------===

    def block(self, depth):
        count = self.random.choice([1, 1, 2, 2, 3])
        out = []
        for _ in range(count):
            if self.budget <= 0 and out:
                break
            out += self.statement(depth)
        return out

    def statement(self, depth):
        self.budget -= 1
        r = self.random.random()
        if depth and r < (0.5 if self.in_loop < 2 else 0.2):
            return self.loop(depth)
        kinds = [(10, self.assign), (6, self.accumulate), (8, self.update), (2, self.most), (2, self.leave),
                 (1, self.count), (2, self.call), (2, self.move), (1.5, self.swap), (1.5, self.point),
                 (2, self.short_reduction)]
        if depth:
            kinds += [(4, self.branch)]
        if self.recursion:
            kinds += [(4, self.recurse)]
        if self.inner:
            kinds += [(4, self.request)]
        kind = self.random.choices([k for _, k in kinds], [w for w, _ in kinds])[0]
        return kind(depth)

    def assign(self, depth):
        return [f"{self.cell()} = {self.choice('sq', 'sq', '')}({self.expression()});"] if self.chance(0.8) else \
            [f"{self.cell()} = {self.cell()};"]

    def accumulate(self, depth):
        return [f"{self.cell()} {self.choice('+=', '+=', '-=')} 0.25 * sq({self.expression()});"]

    def update(self, depth):
        s = self.random.choice(self.scalars)
        return [self.choice(f"{s} += {self.expression()};", f"{s} += {self.expression(1)};", f"{s} -= {self.expression(1)};",
                            f"{s} = {self.expression()};", f"{s} = sq({s} * {self.expression(1)});", f"s += {self.expression()};",
                            f"{s} = fmax({s}, {self.expression(1)} + 0.01731);")]

    def most(self, depth):
        i = self.index((0, 31))
        c = self.cell()
        return [self.choice(f"if ({c} > v) {{ v = {c}; k = {i}; }}", f"if ({c} < s) {{ s = {c}; k = {i}; }}",
                            f"v = fmax(v, {c});", f"v = {c} > v ? {c} : v;"),
                f"s += x[k & 31] * {self.leaf()};"]

    def leave(self, depth):
        if not self.in_loop:
            return self.update(depth)
        out = self.choice("break", "break", "continue")
        if self.chance(0.1):
            out = f"return {self.random.choice(self.scalars)}"
        return [f"if ({self.condition()}) {out};"]

    def count(self, depth):
        return [self.choice("k = (k + 1) & 31;", "k = (k * 5 + 1) & 31;", "k ^= 1;", f"k = ({self.integer()[0]}) & 31;")]

    def call(self, depth):
        p = f"{self.choice('x', 'y', 'z')} + {self.index((-20, 60))}"
        s = self.random.choice(self.scalars)
        return [self.choice(f"{s} = sq({s} + twist({p}, {self.leaf()}, {self.choice('n', 'm', '3')}));",
                            f"{s} += mean({p}, {self.choice('n', 'm', '4')});", f"shift({p}, {self.leaf()}, {self.choice('n', 'm')});",
                            f"{s} += least({p}, {self.choice('n', 'm')}) * {self.leaf()};")]

    def move(self, depth):
        to, source = (f"{self.choice('x', 'y', 'z')} + {self.index((-20, 60))}" for _ in range(2))
        return [self.choice(f"memmove({to}, {source}, {self.choice('n', 'm', '2')} * sizeof(double));",
                            f"memset({to}, 0, {self.choice('n', 'm', '1')} * sizeof(double));",
                            "{ struct U w_ = u; u.c[1] = w_.c[2]; u.a = w_.b; }",
                            f"{{ struct U w_ = u; w_.c[{self.index((0, 3))}] = {self.leaf()}; u = w_; }}")]

    def swap(self, depth):
        if len(self.pointers) > 1:
            p, q = self.random.sample(self.pointers, 2)
            return [f"{{ double *h_ = {p}; {p} = {q}; {q} = h_; }}"]
        i, j = self.cell(), self.cell()
        return [f"{{ double h_ = {i}; {i} = {j}; {j} = h_; }}"]

    def point(self, depth):
        if not self.pointers:
            return self.assign(depth)
        p = self.random.choice(self.pointers)
        return [f"{p} = {self.choice('x', 'y', 'z')} + {self.index((-20, 40))};"]

    def short_reduction(self, depth):
        i, t = self.name("i"), self.name("t")
        self.ints.append((i, 0, 4))
        count = self.choice("2", "3", "4", "m", "m")
        body = f"{t} += {self.expression()};"
        self.ints.pop()
        self.read_only.append(t)
        use = f"{self.cell()} = sq({t} * {self.leaf()});"
        self.read_only.pop()
        return [("{", [f"double {t} = 0;", f"for (int {i} = 0; {i} < {count}; ++{i}) {body}", use], "}")]

    def branch(self, depth):
        out = [(f"if ({self.condition()}) {{", self.block(depth - 1), "}")]
        if self.chance(0.4):
            out.append((f"if (!({self.condition()})) {{", self.block(depth - 1), "}"))
        return out

    def recurse(self, depth):
        p = f"{self.choice('x', 'y', 'z')} + {self.index((-20, 60))}"
        reals = "".join(f", {self.leaf()}" for _ in range(self.members.reals[0]))
        call = f"rec{self.number}_0({p}, ({self.integer()[0]}) & {self.choice('1', '3', '3')}{reals})"
        s = self.random.choice(self.scalars)
        return [self.choice(f"{s} = sq({s} + {call});", f"{self.cell()} = sq({call} * {self.leaf()});",
                            f"{s} += sin({call});", f"if ({call} > 0.3127) {s} += {self.leaf()};")]

    def request(self, depth):
        p, q = (f"{self.choice('x', 'y', 'z')} + {self.index((-20, 60))}" for _ in range(2))
        s = self.random.choice(self.scalars)
        f = f"inner{self.number}"
        grad = f"__verso_grad({f}, verso_dup, {p}, verso_dup_, verso_const, {self.choice('n', 'm', '3')});"
        return [self.choice(
            f"{s} = sq({s} + __verso_jvp(curve{self.number}, verso_dup, {self.leaf()}, {self.leaf()}));",
            f"{s} += __verso_grad(curve{self.number}, {self.random.choice(self.scalars)} * 1.0);",
            f"{{ double d_[10] = {{0}}; {grad.replace('verso_dup_', 'd_')} {self.cell()} = sq(d_[1] + {self.leaf()} * d_[0]); }}",
            f"{{ double d_[10] = {{0}}; {grad.replace('verso_dup_', 'd_')} {s} += sin(d_[0]) * d_[2]; }}",
            f"{{ double d_[10] = {{0}}; d_[1] = {self.leaf()}; {s} = sq({s} + __verso_jvp({f}, verso_dup, {p}, d_, verso_const, n)); }}",
            f"{s} = sq({s} + __verso_jvp({f}, verso_dup, {p}, {q}, verso_const, m));")]

    def loop(self, depth):
        i = self.name("i")
        low_text, low, low_most = self.choice(("0", 0, 0), ("0", 0, 0), ("0", 0, 0), ("1", 1, 1), ("2", 2, 2), ("-2", -2, -2),
                                       *[(f"{v} + 1", lo + 1, hi + 1) for v, lo, hi in self.ints[2:] if hi <= 9],
                                       *[(v, lo, hi) for v, lo, hi in self.ints[2:] if hi <= 9])
        high_text, high = self.choice(("n", 9), ("n", 9), ("n", 9), ("m", 5), ("n - 1", 8), ("n + 1", 10), ("3", 3), ("2", 2), ("5", 5),
                                      (f"ix[{self.index(depth=0)}]", 8),
                                      *[(v, hi) for v, _, hi in self.ints[2:]], *[(f"{v} + 1", hi + 1) for v, _, hi in self.ints[2:]])
        step = self.choice(1, 1, 1, 1, 2, 3)
        unsigned = low_text == "0" and self.chance(0.12)
        self.ints.append((f"(int){i}" if unsigned else i, min(low, 0), max(high, low_most, 1)))
        self.in_loop += 1
        body = self.block(depth - 1)
        if self.chance(0.5):
            body += self.statement(depth - 1)
        self.in_loop -= 1
        self.ints.pop()
        kind = self.choice("int", "int", "int", "long", "short", "unsigned short" if low >= 0 else "int")
        step_text = f"++{i}" if step == 1 else f"{i} += {step}"
        forms = [(f"for ({kind} {i} = {low_text}; {i} < {high_text}; {step_text}) {{", body, "}")] * 6
        down = f"--{i}" if step == 1 else f"{i} -= {step}"
        forms += [(f"for (int {i} = {high_text} - 1; {i} >= {low_text}; {down}) {{", body, "}")] * 2
        forms += [("{ " + f"int {i} = {low_text}; while ({i} < {high_text} && {self.condition()}) {{ ++{i};", body, "} }")]
        forms += [("{ " + f"int {i} = {low_text}; do {{", body, f"}} while (++{i} < {high_text}); }}")]
        if low_text == "0":
            forms += [(f"for (unsigned char {i} = 0, e_ = {high_text}; {i} != e_ && e_ < 99; ++{i}) {{", body, "}")]
            forms += [(f"for (int {i} = {high_text}; {i}-- > 0;) {{", body, "}")]
        if high <= 10 and low_text == "0" and self.chance(0.3):
            p = self.name("e")
            start = self.choice("x", "y")
            end = start if self.restrict else self.choice(start, start, "y")
            forms = [(f"for (double *{p} = {start}; {p} < {end} + n; ++{p}) {{ int {i} = 0;",
                      [f"*{p} = sq(*{p} * {self.leaf()});"] + body, "}")]
        if unsigned:
            forms = [(f"for (unsigned {i} = {high_text} - 1u; {i} < 20u; {down}) {{", body, "}")]
        return [self.random.choice(forms)]

    # ===- The whole ------------------------------------------------------===

    def sweep(self):
        """Steps of time with two buffers."""
        self.prepare()
        self.pointers = ["p", "q"]
        i = "i0"
        shift = self.choice("m", "2", "3")
        row = self.choice("i0", "i0 + 1", "i0 * 2", "i0 + t0")
        self.ints += [(i, 0, 11), ("t0", 0, 9)]
        terms = [f"p[{row} + {self.random.randint(-3, 4)}]" for _ in range(self.random.randint(1, 4))]
        terms += [f"p[{row} + {shift}]"] * self.chance(0.5) + [self.leaf()] * self.chance(0.5)
        factors = [self.choice("0.3", f"{self.leaf()}", "0.7") for _ in terms]
        value = " + ".join(f"{f} * {t}" for f, t in zip(factors, terms))
        inside = [f"q[{row}] = {self.choice('sq', '', 'sin')}({value});"]
        if self.chance(0.3):
            inside += self.statement(1)
        nest = (f"for (int {i} = {self.choice('0', '1')}; {i} < {self.choice('n', 'n - 1', 'n + 2')}; ++{i}) {{", inside, "}")
        if self.chance(0.3):
            j = "j0"
            nest = (f"for (int {j} = 0; {j} < {self.choice('m', '2')}; ++{j}) {{", [nest], "}")
        swap = self.choice("{ double *h_ = p; p = q; q = h_; }", "{ double *h_ = p; p = q; q = h_; }",
                           "if (t0 & 1) { double *h_ = p; p = q; q = h_; }", "p = q; q = p == y ? z : y;")
        time = (f"for (int t0 = 0; t0 < {self.choice('m', '4', 'n', '3')}; ++t0) {{", [nest, swap], "}")
        self.ints = self.ints[:2]
        return [time] + self.block(2) + ["s += p[1] * p[2] + q[0];"]

    def prepare(self):
        self.members = Recursion(f"{self.number} {self.random.random()}")
        self.members.poles = False
        if self.chance(0.35):
            self.arrays["L"] = (0, 15)
        if self.chance(0.2):
            self.arrays["V"] = (0, 39)
        if self.heap:
            self.arrays["H"] = (0, 39)
        if self.chance(0.3):
            self.pointers = ["p", "q"]

    def body(self):
        self.prepare()
        out = []
        while self.budget > 0:
            self.budget -= 1
            out += self.loop(3) if self.chance(0.7) else self.statement(2)
        return out

    def recursion_text(self):
        lines = self.members.text().split("\n")
        first = next(k for k, l in enumerate(lines) if l.startswith("static double f0"))
        last = next(k for k, l in enumerate(lines) if l.startswith("static double start"))
        return re.sub(r"\bf(\d)\(", rf"rec{self.number}_\1(", "\n".join(lines[first:last]))

    def inner_text(self):
        e = random.Random(f"{self.number} {self.fresh}").choice
        step = e(["s += p[i] * p[i] * p[i & 1];", "s += sin(p[i]) * p[0];", "s = sq(s * p[i] + p[i]);",
                  "if (p[i] > 0.2113) s += p[i] * p[1]; else s -= p[i] * p[i];", "s = fmax(s, p[i] * p[i]);"])
        curve = e(["a * a * sin(a)", "sqrt(1 + a * a)", "a > 0.1031 ? a * a : sin(a)", "exp(-a * a)", "a"])
        return (f"static double inner{self.number}(const double *p, int n) {{\n  double s = 0;\n"
                f"  for (int i = 0; i < n; ++i) {step}\n  return s;\n}}\n"
                f"static double curve{self.number}(double a) {{ return {curve}; }}")

    def flat(self, nodes, indent):
        out = []
        for node in nodes:
            if isinstance(node, str):
                out.append("  " * indent + node)
            else:
                out += ["  " * indent + node[0], *self.flat(node[1], indent + 1), "  " * indent + node[2]]
        return out

    def definition(self, name, statements):
        r = "restrict " if self.restrict else ""
        lines = [f"static double {name}(double *{r}x, double *{r}y, double *{r}z, const int *ix, int n, int m, double a) {{",
                 "  double s = 0.1, v = a;", "  int k = 1;", "  struct U u = {0.3, a, {1, 2, 3, a}};"]
        text = "\n".join(self.flat(statements, 1))
        if re.search(r"\b[pq]\b", text):
            lines.append("  double *p = x, *q = y;")
        if "L" in self.arrays:
            lines.append("  double L[16] = {0.1, a, 0.2, 0.3};")
        if "V" in self.arrays:
            lines.append("  double V[n + 40];\n  for (int i = 0; i < n + 40; ++i) V[i] = 0.1 * i;")
        if "H" in self.arrays:
            lines.append("  double *H = malloc((n + 40) * sizeof(double));\n  for (int i = 0; i < n + 40; ++i) H[i] = a;")
        free = "free(H); " if "H" in self.arrays else ""
        return "\n".join(lines + [text, f"  {free}return s + 0.5 * v * u.a + u.c[1] * 0.1{' + L[1] * L[2]' if 'L' in self.arrays else ''};", "}"])

    def text(self, statements=None):
        statements = self.statements if statements is None else statements
        k = self.number
        out = [f"#if !defined(ONLY) || ONLY == {k}"]
        if self.recursion:
            out.append(self.recursion_text())
        if self.inner:
            out.append(self.inner_text())
        out.append(self.definition(f"f{k}", statements))
        out.append("VERSO_STRATEGY(taped) " + self.definition(f"g{k}", statements))
        out.append(f"{'REQUESTS_WITH_VALUE' if self.valued else 'REQUESTS'}(f{k})\nREQUESTS(g{k})\nFORWARD(f{k})")
        if self.second:
            out.append(f"SECOND(f{k})\nSECOND(g{k})")
        out.append("#endif")
        return "\n".join(out)

    def guarded(self, text):
        return f"#if !defined(ONLY) || ONLY == {self.number}\n{text}\n#endif"

    def row(self):
        return self.guarded(f"  judge({self.number}, {int(self.second)}, {int(self.restrict)}, {int(self.poles)});")

    def case(self, text):
        return self.guarded(f"  case {self.number}: return {text.replace('F', str(self.number))};")


def text_of(seed, functions, replaced=None):
    replaced = replaced or {}
    header = "cxx.h" if hasattr(functions[0], "cxx") else "nests.h"
    parts = [f"// Generated: nests.py, seed {seed}.", f"#define SEED {seed}u", f'#include "{header}"']
    parts += [f.text(replaced.get(f.number)) for f in functions]
    paired = "x, dx, y, dy, z, dz, ix, n, m, a"
    twice = "p, t, d, ix, n, m, a, ta"
    for head, result, some in [
            ("call(int k, PRIMAL_PARAMETERS)", "fF(x, y, z, ix, n, m, a)", functions),
            ("grad(int k, int taped, PAIRED_PARAMETERS, double *value)",
             f"taped ? gF_grad({paired}, value) : fF_grad({paired}, value)", functions),
            ("jvp(int k, PAIRED_PARAMETERS, double ta)", f"fF_jvp({paired}, ta)", functions),
            ("second(int k, int taped, SECOND_PARAMETERS)",
             f"taped ? gF_second({twice}) : fF_second({twice})", [f for f in functions if f.second])]:
        cases = "\n".join(f.case(result) for f in some)
        parts.append(f"static double {head} {{\n  switch (k) {{\n{cases}\n  }}\n  abort();\n}}")
    parts.append("int main(void) {\n" + "\n".join(f.row() for f in functions) + "\n  return judged();\n}\n")
    return "\n".join(parts)


def generate(seed, cxx):
    if cxx:
        from cxx import CxxFunction
        return [CxxFunction(seed, k) for k in range(FUNCTIONS)]
    return [Function(seed, k) for k in range(FUNCTIONS)]


class Judge:
    def __init__(self, arguments, work):
        self.arguments, self.work = arguments, work

    # The verifier after every pass takes twice as long as all else together.
    verify = ["-fverify-intermediate-code"]

    def compile(self, source, binary, level, only=None):
        a = self.arguments
        language = ["-xc++", "-std=c++20"] if a.cxx else ["-std=gnu17"]
        command = [a.cc, *language, "-w", "-ffp-contract=off", f"-O{level}", "-I" + HERE,
                   "-I" + os.path.join(HERE, "../../include"), *self.verify, "-fno-caret-diagnostics",
                   "-Rpass=verso", "-Rpass-missed=verso", f"-fpass-plugin={a.plugin}", source]
        if only is not None:
            command.append(f"-DONLY={only}")
        environment = dict(os.environ, VERSO_OPTIONS=a.options) if a.options else None
        return build(command, a.runtime, binary, 240, environment, ["-lstdc++"] * a.cxx)

    def verdicts(self, source, level, functions, only=None):
        """[(function, verdict)], functions by reversed control flow."""
        binary = os.path.join(self.work, "nest")
        built = self.compile(source, binary, level, only)
        wrong = [l for l in built.stderr.splitlines() if "error:" in l or "Assertion" in l]
        if built.returncode or wrong:
            if only is None:
                found, structured = [], set()
                for k in functions:
                    more, some = self.verdicts(source, level, [k], k)
                    found += more
                    structured |= some
                return found, structured
            said = wrong or built.stderr.strip().splitlines()[-3:] or ["status %d" % built.returncode]
            return [(only, "COMPILE " + said[0][-200:])], set()
        structured = {int(k) for k in re.findall(r"gradient of 'f(\d+)' by reversed", built.stderr)}
        try:
            run = subprocess.run([binary], capture_output=True, text=True, errors="replace", timeout=400, check=False)
        except subprocess.TimeoutExpired:
            return [(-1, "CRASH takes too long")], structured
        found = []
        for line in run.stdout.splitlines():
            if line.startswith("F "):
                _, k, verdict = line.split(" ", 2)
                found.append((int(k), verdict))
        if run.returncode and not found:
            found.append((-1, f"CRASH status {run.returncode} {run.stderr[:200]}"))
        said = run.stderr.strip().splitlines()
        found = [(k, f"{v} {said.pop(0)[-160:]}" if v in ("TAPE", "REFUSED") and said else v) for k, v in found]
        return found, structured

    def write(self, name, text):
        path = os.path.join(self.work, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path


def level_of(seed, arguments):
    return arguments.levels[seed % len(arguments.levels)]


def smaller(nodes):
    """All trees that lack one node, or have its statements in its place."""
    for k, node in enumerate(nodes):
        yield nodes[:k] + nodes[k + 1:]
        if not isinstance(node, str):
            for inside in smaller(node[1]):
                yield nodes[:k] + [(node[0], inside, node[2])] + nodes[k + 1:]


def reduce(arguments, judge):
    seed, number = map(int, arguments.reduce.split(":"))
    function = generate(seed, arguments.cxx)[number]
    level = level_of(seed, arguments)

    def verdict(statements):
        source = judge.write("reduced.c", text_of(seed, [function], {number: statements}))
        found, _ = judge.verdicts(source, level, [number], number)
        found = [v for _, v in found if not v.startswith(("UNJUDGED", "TAPE"))]
        return found[0].split()[0] if found else "OK"
    wanted, statements = verdict(function.statements), function.statements
    if wanted == "OK":
        sys.exit("nothing wrong")
    going = True
    while going:
        going = False
        for candidate in smaller(statements):
            if verdict(candidate) == wanted:
                statements, going = candidate, True
                break
    print(f"// -O{level}: {wanted}\n" + text_of(seed, [function], {number: statements}))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--plugin")
    parser.add_argument("--runtime")
    parser.add_argument("--cc", default="clang-22")
    parser.add_argument("--seeds", default="1:100")
    parser.add_argument("--levels", default="123")
    parser.add_argument("--seconds", type=int, default=0)
    parser.add_argument("--options", default="")
    parser.add_argument("--cxx", action="store_true")
    parser.add_argument("--verify-each", type=int, default=32)
    parser.add_argument("--work")
    parser.add_argument("--reduce")
    parser.add_argument("--print", type=int, dest="shown")
    arguments = parser.parse_args()
    if arguments.shown is not None:
        print(text_of(arguments.shown, generate(arguments.shown, arguments.cxx)))
        return
    if arguments.work:
        os.makedirs(arguments.work, exist_ok=True)
    first, last = map(int, arguments.seeds.split(":"))
    end = time.monotonic() + arguments.seconds if arguments.seconds else None
    count, verdicts = collections.Counter(), collections.Counter()
    with tempfile.TemporaryDirectory(dir=arguments.work) as work:
        judge = Judge(arguments, work)
        if arguments.reduce:
            reduce(arguments, judge)
            return
        for seed in range(first, last + 1):
            functions = generate(seed, arguments.cxx)
            if arguments.verify_each:
                judge.verify = ["-Xclang", "-llvm-verify-each"] if seed % arguments.verify_each == 0 else Judge.verify
            level = level_of(seed, arguments)
            source = judge.write(f"nest{seed}.c", text_of(seed, functions))
            found, structured = judge.verdicts(source, level, range(FUNCTIONS))
            count["run"] += FUNCTIONS
            count["structured"] += len(structured)
            for k, verdict in found:
                verdicts[verdict.split()[0]] += 1
                if verdict.startswith(("UNJUDGED", "TAPE")):
                    continue
                print(f"{seed}:{k} -O{level} {'structured' if k in structured else 'taped'} {verdict}", flush=True)
            if any(not v.startswith(("REFUSED", "UNJUDGED", "TAPE")) for _, v in found) and arguments.work:
                shutil.copy(source, arguments.work)
            os.remove(source)
            if end and time.monotonic() > end:
                last = seed
                break
    refused, tape, unjudged = (verdicts.pop(v, 0) for v in ("REFUSED", "TAPE", "UNJUDGED"))
    wrong = sum(verdicts.values())
    print(f"seeds {first} to {last}: {count['run']} run, {count['structured']} with structured code,"
          f" {tape} of them refused by the tape, {unjudged} overflow in some cases, {refused} refused, {wrong} wrong"
          + "".join(f", {n} {v}" for v, n in sorted(verdicts.items())))
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
