#!/usr/bin/env python3
# ===- generate.py - random programs against differences ------------------===//
#
# Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------===//
#
# Writes one random C program a seed, compiles it at -O0 to -O3 with each
# strategy and compares the gradient with central differences, between the levels
# and between the strategies.
#
#   generate.py --plugin libVerso.so --runtime libverso.a [--seeds 1:200]
#               [--work DIR] [--cc clang-22] [--keep] [--levels 0123]
#               [--strategies auto,taped] [--tame]
#   generate.py --print 17          only shows the program of seed 17
#
# A program defines `f` over arrays, structs, pointers and numbers, all of them
# updated in place, and is defined for all inputs: indices are masked, loops are
# bounded, values are squashed as they are stored. Its body is compiled twice:
# `f` as it stands, and `f_ref`, where float is double, which the differences
# use. Shadows start with random numbers, so outputs are seeded and the gradient
# is that of <shadows, final memory> + f. Two requests run in a row.
#
# Use a --work of its own for each of several runs at once. Verdicts: OK; WRONG (differences), LEVELS (levels or strategies disagree by
# more than 1e-9),
# CRASH, COMPILE, and REFUSED (Verso ended the program with its own error). Exit
# status 1 if any seed is neither OK nor REFUSED.
#
# ===----------------------------------------------------------------------===//

import argparse
import collections
import os
import random
import subprocess
import sys

HEAD = r'''
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define NI __attribute__((noinline))
extern int verso_const, verso_dup, verso_out;
typedef struct { double value, derivative; } VD;
VD __verso_value_and_grad_vd(void *, ...);
static double squash(double v) { return v / (1 + 0.1 * v * v); }
#define NAME(X) X
#define FLT float
typedef FLT W;
'''

TAIL = r'''
typedef struct { double x[8], y[8], w[6], tv, tq, tc[4], a; } In;
static const double *seedOf(const In *s, int k) { return (const double *)s + k; }
enum { Count = sizeof(In) / sizeof(double) };
static double loss(const In *in, const In *s) {
  double x[8], y[8], w[6]; T_ref t;
  memcpy(x, in->x, sizeof x); memcpy(y, in->y, sizeof y);
  memcpy(w, in->w, sizeof w);
  memset(&t, 0, sizeof t);
  t.v = in->tv; t.q = in->tq; memcpy(t.c, in->tc, sizeof t.c); t.n = 3;
  double r = f_ref(x, y, w, &t, in->a, 3);
  for (int i = 0; i < 8; ++i) r += s->x[i] * x[i] + s->y[i] * y[i];
  for (int i = 0; i < 6; ++i) r += s->w[i] * w[i];
  for (int i = 0; i < 4; ++i) r += s->tc[i] * t.c[i];
  return r + s->tv * t.v + s->tq * t.q;
}
static void request(const In *in, const In *s, In *g) {
  double x[8], y[8], dx[8], dy[8]; W w[6], dw[6]; T t, dt;
  memcpy(x, in->x, sizeof x); memcpy(y, in->y, sizeof y);
  memcpy(dx, s->x, sizeof x); memcpy(dy, s->y, sizeof y);
  for (int i = 0; i < 6; ++i) { w[i] = in->w[i]; dw[i] = s->w[i]; }
  memset(&t, 0, sizeof t); memset(&dt, 0, sizeof dt);
  t.v = in->tv; t.q = in->tq; memcpy(t.c, in->tc, sizeof t.c); t.n = 3;
  dt.v = s->tv; dt.q = s->tq; memcpy(dt.c, s->tc, sizeof t.c);
  VD r = __verso_value_and_grad_vd(f, verso_dup, x, dx, verso_dup, y, dy,
      verso_dup, w, dw, verso_dup, &t, &dt, verso_out, in->a, verso_const, 3);
  memcpy(g->x, dx, sizeof dx); memcpy(g->y, dy, sizeof dy);
  for (int i = 0; i < 6; ++i) g->w[i] = dw[i];
  g->tv = dt.v; g->tq = dt.q; memcpy(g->tc, dt.c, sizeof dt.c);
  g->a = r.derivative;
}
int main(void) {
  In in, s, g, g2; unsigned r = SEED * 2654435761u + 12345;
  for (int i = 0; i < Count; ++i) {
    r = r * 1664525u + 1013904223u; ((double *)&in)[i] = (float)((r >> 8) / 8388608.0 - 1);
    r = r * 1664525u + 1013904223u; ((double *)&s)[i] = (float)((r >> 8) / 8388608.0 - 1);
  }
  request(&in, &s, &g); request(&in, &s, &g2);
  int bad = memcmp(&g, &g2, sizeof g) != 0;
  if (bad) printf("REPEATED request differs\n");
  for (int i = 0; i < Count; ++i) {
    double d[2], h = 1e-4;
    for (int k = 0; k < 2; ++k, h /= 4) {
      In p = in, m = in; ((double *)&p)[i] += h; ((double *)&m)[i] -= h;
      d[k] = (loss(&p, &s) - loss(&m, &s)) / (2 * h);
    }
    double v = *seedOf(&g, i), e = (16 * d[1] - d[0]) / 15;
    printf("G %d %.17g\n", i, v);
    if (!(fabs(v - e) <= 1e-4 * (1 + fabs(e))) && fabs(d[0] - d[1]) < 1e-3 * (1 + fabs(e))) {
      printf("BAD %d got %.10g expected %.10g\n", i, v, e); bad = 1;
    }
  }
  return bad;
}
'''

TYPES = r'''
typedef struct { double v; FLT q; int n; double c[4]; } NAME(T);
typedef struct NAME(N_) { double v; double *p; FLT q; int k; struct NAME(N_) *next; double c[4]; } NAME(N);
typedef union { double d; FLT f[2]; uint64_t i; } NAME(U);
static double NAME(G)[8];
'''


class Program:
    # Statements that only the tape can differentiate so far: globals, bytes,
    # unions, whole structs, realloc, recursion, calls through tables.
    UNTAMED = {15, 16, 17, 18, 19, 31, 32}

    def __init__(self, seed, tame=False):
        self.r = random.Random(seed)
        self.tame = tame
        # Pointers that change, each in half of the tame programs.
        self.banned = set(self.UNTAMED) if tame else set()
        if tame:
            self.banned |= {k for k in (11, 12, 13) if seed >> (k - 11) & 1}
        self.seed = seed
        self.functions = []
        self.fresh = 0

    def name(self, prefix):
        self.fresh += 1
        return f"{prefix}{self.fresh}"

    # A place of type double; the base pointers reach 8 doubles, p and q 4.
    def cell(self):
        r = self.r
        k = r.random()
        if k < 0.42:
            return f"{r.choice(self.arrays)}[{self.index(7)}]"
        if k < 0.56:
            return f"{r.choice('pq')}[{self.index(3)}]"
        if k < 0.66:
            return f"rows[{self.index(3)}][{self.index(7)}]"
        s = r.choice(["s0.", "s1.", "t->", "s->", "s->next->"])
        if k < 0.76:
            return s + "v"
        if k < 0.86:
            return f"{s}c[{self.index(3)}]"
        if k < 0.93 and s != "t->":
            return f"{s}p[{self.index(3)}]"
        return r.choice(["v0", "v1", "v2"])

    def float_cell(self):
        r = self.r
        k = r.random()
        if k < 0.5:
            return f"{r.choice(self.floats)}[{r.randrange(6)}]"
        return r.choice(["s0.", "s1.", "t->", "s->"]) + "q"

    def index(self, mask):
        r = self.r
        k = r.random()
        if k < 0.4:
            return str(r.randint(0, mask))
        v = r.choice(["i", "k", "n", "(int)(noise >> 7)", "s0.k", "t->n"])
        return f"({v} + {r.randint(0, 7)}) & {mask}"

    def expr(self, depth=2):
        r = self.r
        if depth == 0 or r.random() < 0.15:
            k = r.random()
            if k < 0.65:
                return self.cell()
            if k < 0.8:
                return self.float_cell()
            if k < 0.9:
                return "a"
            return f"{r.uniform(-2, 2):.3f}"
        e = lambda: self.expr(depth - 1)
        k = r.randrange(14)
        if k < 3:
            return f"({e()} + {e()})"
        if k < 6:
            return f"({e()} * {e()})"
        if k == 6:
            return f"({e()} - {e()})"
        if k == 7:
            x = e()
            return f"({x} / (1 + {x} * {x}))" if len(x) < 60 else f"sin({x})"
        if k == 8:
            return f"{r.choice(['sin', 'cos', 'tanh', 'atan'])}({e()})"
        if k == 9:
            return f"sqrt(1.5 + cos({e()}))"
        if k == 10:
            return f"exp(-fabs({e()}))"
        if k == 11:
            return f"{r.choice(['fmin', 'fmax'])}({e()}, {e()})"
        if k == 12:
            return f"({self.condition()} ? {e()} : {e()})"
        return f"(double)((FLT){r.uniform(0.5, 2):.3f}f * {self.float_cell()})"

    def condition(self):
        r = self.r
        k = r.randrange(4)
        if k < 2:
            return f"{self.cell()} > {r.uniform(-1, 1):.3f}"
        if k == 2:
            return f"(noise >> {r.randrange(16)}) & 1"
        return f"{self.expr(1)} < {self.expr(1)}"

    def base(self):
        return self.r.choice(self.arrays + ["rows[%s]" % self.index(3)])

    # A pointer to 4 doubles.
    def pointer(self):
        r = self.r
        k = r.random()
        if k < 0.6:
            return f"{self.base()} + ({self.index(3)})"
        if k < 0.8:
            return r.choice(["p", "q", "s0.p", "s1.p", "s->p"])
        return r.choice(["s0.c", "s1.c", "t->c", "s->c"])

    def statement(self, depth):
        r = self.r
        self.budget -= 1
        k = r.randrange(33)
        while k in self.banned:
            k = r.randrange(33)
        if k < 9:
            c = self.cell()
            return r.choice([
                f"{c} = squash({self.expr(3)});", f"{c} = squash({c} + {self.expr()});",
                f"{c} *= cos({self.expr(1)});", f"{c} = {self.cell()};",
                f"{c} = squash({self.expr(3)});"])
        if k < 11:
            return f"{self.float_cell()} = (FLT)squash({self.expr()});"
        if k == 11:
            return r.choice([
                f"{r.choice(['p', 'q', 's0.p', 's1.p', 's->p'])} = {self.pointer()};",
                "{ double *h_ = p; p = q; q = h_; }",
                "{ double *h_ = s0.p; s0.p = p; p = h_; }"])
        if k == 12:
            i, j = self.index(3), self.index(3)
            return f"{{ int i_ = {i}, j_ = {j}; double *h_ = rows[i_]; rows[i_] = rows[j_]; rows[j_] = h_; }}"
        if k == 13:
            return f"memmove({self.pointer()}, {self.pointer()}, {r.randint(1, 4)} * sizeof(double));"
        if k == 14:
            return r.choice([
                f"memset({self.pointer()}, 0, {r.randint(1, 4)} * sizeof(double));",
                f"memset({r.choice(self.floats)} + {r.randrange(3)}, 0, {r.randint(1, 3)} * sizeof(FLT));",
                f"memmove({r.choice(self.floats)} + {r.randrange(3)}, {r.choice(self.floats)} + {r.randrange(3)}, {r.randint(1, 3)} * sizeof(FLT));"])
        if k == 15:
            return r.choice([
                "s0 = s1;", "s1 = s0;", "{ NAME(N) h_ = s0; s0 = s1; s1 = h_; }",
                "s0 = *s;", "{ NAME(N) *h_ = s0.next; s0.next = s1.next; s1.next = h_; }",
                "{ NAME(T) h_ = *t; h_.v = squash(h_.v * s0.v + h_.c[1]); *t = h_; }",
                "s0.k += 1 + t->n;", "t->n = (t->n + 3) & 7;", "s1.k = s0.k;"])
        if k == 16:
            return (f"{{ uint64_t b_; double *x_ = {self.pointer()}, *y_ = {self.pointer()};"
                    f" memcpy(&b_, x_, 8); memcpy(y_, &b_, 8); }}")
        if k == 17:
            return (f"{{ const char *x_ = (const char *)({self.pointer()}); double d_; char *y_ = (char *)&d_;"
                    f" for (int b_ = 0; b_ < 8; ++b_) y_[b_] = x_[b_]; {self.cell()} = d_; }}")
        if k == 18:
            return (f"{{ NAME(U) u_, z_; u_.d = {self.expr()}; if ({self.condition()}) {{ u_.f[0] = (FLT)sin({self.cell()}); u_.f[1] = 0.5f;"
                    f" z_ = u_; {self.float_cell()} = z_.f[0] * z_.f[1]; }} else {{ z_ = u_; {self.cell()} = squash(z_.d); }} }}")
        if k == 19:
            return f"{{ double *h_ = malloc(8 * sizeof(double)); memcpy(h_, {self.base()}, 64); h_[{self.index(7)}] = {self.cell()}; {self.cell()} = squash(h_[{self.index(7)}] * {self.cell()}); h_ = realloc(h_, 128); {self.cell()} = h_[{self.index(7)}]; free(h_); }}"
        if k == 20:
            return f"noise = noise * 1664525u + {r.randrange(1 << 30)}u + (unsigned)({self.cell()} > 0);"
        if depth == 0 or self.budget < 0:
            return f"{self.cell()} = squash({self.expr(3)});"
        if k < 24:
            return f"if ({self.condition()}) {{ {self.block(depth - 1)} }} else {{ {self.block(depth - 1)} }}"
        if k == 24:
            cases = " ".join(f"case {c}: {self.block(depth - 1, 2)} {r.choice(['break;', ''])}" for c in range(3))
            return f"switch ({r.choice(['noise >> 5', 'i + k', 's0.k'])} & 3) {{ {cases} default: {self.block(depth - 1, 1)} }}"
        if k < 28 and self.loops < 2:
            self.loops += 1
            v = self.name("l")
            body = self.block(depth - 1)
            self.loops -= 1
            kind = r.randrange(3)
            if kind == 0:
                return f"for (int {v} = 0; {v} < n + {r.randrange(3)}; ++{v}) {{ i = {v}; {body} }}"
            if kind == 1:
                return f"{{ int {v} = {r.randint(2, 6)}; while ({v}-- > 0 && {self.condition()}) {{ k = {v}; {body} }} }}"
            return f"{{ int {v} = 0; do {{ i = {v}; {body} if ({self.condition()}) {r.choice(['break', 'continue'])}; }} while (++{v} < {r.randint(2, 5)}); }}"
        if k < 31 and self.functions and self.calls > 0:
            self.calls -= 1
            g = r.choice(self.functions)
            callee = f"NAME(table)[noise % {len(self.functions)}u]" if self.is_main and not self.tame and r.random() < 0.4 else g
            st = r.choice(["&s0", "&s1", "s", "s0.next"])
            return f"{self.cell()} = squash({callee}({self.pointer()}, {self.pointer()}, t, {st}, {self.expr(1)}, {r.randint(0, 2)}));"
        if k == 31 and self.is_main:
            return f"{{ NAME(N) z_ = NAME(value)(s{r.randrange(2)}, {self.expr(1)}, {r.randint(0, 2)}); {self.cell()} = z_.v; s0.c[{self.index(3)}] = z_.c[1]; }}"
        if k == 32 and not self.is_main and self.recursive > 0:
            self.recursive -= 1
            return f"if (n > 0) {{ {self.cell()} = squash({self.current}({self.pointer()}, {self.pointer()}, t, {r.choice(['&s0', 's'])}, {self.expr(1)}, n - 1)); }}"
        if r.random() < 0.3:
            return f"if ({self.condition()}) return {self.returned()};"
        return f"{self.cell()} = squash({self.expr(3)});"

    def returned(self):
        return self.r.choice([self.cell(), f"squash({self.expr(2)})"])

    def block(self, depth, size=None):
        n = size or self.r.randint(1, 4)
        return "\n    ".join(self.statement(depth) for _ in range(n))

    LOCALS = r'''
  int i = 0, k = 1; unsigned noise = 17u * n + 5; double v0 = a, v1 = 0.5, v2 = a * a;
  double L[8] = {0.1, a, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7}; FLT lw[6] = {1, 2, 3, 0.5f, 0.25f, 0};
  NAME(N) s0 = {0.3, L, 0.5f, 2, 0, {1, 2, 3, a}}, s1 = {a, L + 3, 0.1f, 1, 0, {0.1, 0.2, a, 0.4}};
  s0.next = &s1; s1.next = &s0;
'''

    def helper(self):
        self.is_main = False
        self.arrays, self.floats = ["L"] if self.tame else ["L", "NAME(G)"], ["lw"]
        self.budget, self.loops, self.calls, self.recursive = 14, 1, 1, 1
        g = self.name("NAME(g") + ")"
        self.current = g
        body = "\n  ".join(self.statement(2) for _ in range(6))
        text = (f"{self.r.choice(['NI ', 'static ', 'NI '])}double {g}(double *p, double *q, NAME(T) *t, NAME(N) *s, double a, int n) {{"
                f"{self.LOCALS}  double *rows[4] = {{L, {self.arrays[-1]}, L, {self.arrays[-1]}}};\n  {body}\n  return squash(v0 * v1 + p[1] * q[0] + {self.cell()});\n}}\n")
        self.functions.append(g)
        return text

    def value(self):
        return ("NI NAME(N) NAME(value)(NAME(N) s, double a, int n) {\n"
                "  if (n == 0) return s;\n"
                "  s.v = squash(s.v * a + s.c[n & 3]); s.c[(n + 1) & 3] *= s.q; s.q = (FLT)sin(s.v);\n"
                "  NAME(N) r = NAME(value)(s, cos(a), n - 1); r.c[1] += s.c[2] * 0.5; return r;\n}\n")

    def main(self):
        self.is_main = True
        self.arrays, self.floats = ["x", "y", "L", "H", "NAME(G)"], ["w", "lw"]
        if self.tame:
            self.arrays.pop()
        self.budget, self.loops, self.calls = 40, 0, 4
        body = "\n  ".join(self.statement(3) for _ in range(14))
        bases = [self.r.choice(["x", "y", "L", "H"]) for _ in range(4)]
        read = "".join(f"  for (i = 0; i < 8; ++i) sum += {self.r.uniform(-1, 1):.2f} * {b}[i] * (i - 3);\n" for b in ["x", "y", "L", "H"])
        read += "  for (i = 0; i < 6; ++i) sum += w[i] * lw[i];\n  for (i = 0; i < 4; ++i) sum += t->c[i] * s0.c[i] + s1.c[i];\n"
        if self.r.random() < 0.15:
            read = ""
        table = ", ".join(self.functions)
        return (f"typedef double (*NAME(Fn))(double *, double *, NAME(T) *, NAME(N) *, double, int);\n"
                f"static NAME(Fn) NAME(table)[] = {{{table}}};\n"
                f"NI double NAME(f0)(double *x, double *y, FLT *w, NAME(T) *t, double a, int n, double *H) {{{self.LOCALS}"
                f"  NAME(N) *s = {self.r.choice(['&s0', '&s1'])}; double *p = {self.r.choice(['x', 'y', 'L', 'H'])} + 2, *q = {self.r.choice(['x', 'y', 'L', 'H'])} + 1, sum = 0;\n"
                f"  double *rows[4] = {{{', '.join(bases)}}};\n"
                f"  for (i = 0; i < 8; ++i) {self.arrays[-1]}[i] = 0.1 * i * {self.r.choice(['a', '1', 'x[i]'])};\n"
                f"  double first = {self.r.choice(['x', 'y'])}[{self.r.randrange(8)}];\n"
                f"  {body}\n{read}"
                f"  return {self.r.choice(['first', self.cell(), f'sum + squash({self.expr(3)})', f'first * sum + squash({self.expr(3)})'])};\n}}\n"
                f"NI double NAME(f)(double *x, double *y, FLT *w, NAME(T) *t, double a, int n) {{\n"
                f"  double *H = malloc(64); for (int i = 0; i < 8; ++i) H[i] = sin(i + a);\n"
                f"  double r = NAME(f0)(x, y, w, t, a, n, H); free(H); return r;\n}}\n")

    def text(self):
        body = TYPES + "".join(self.helper() for _ in range(self.r.randint(1, 3)))
        body += ("" if self.tame else self.value()) + self.main()
        head = HEAD.replace("FLT float", "FLT double") if self.tame and self.seed % 2 else HEAD
        return (f"/* Seed {self.seed}. */\n#define SEED {self.seed}u\n" + head + "// -- differentiated\n" + body
                + "// -- reference\n#undef NAME\n#undef FLT\n#define NAME(X) X##_ref\n#define FLT double\n"
                + body + TAIL)


def run(command, seconds):
    limited = ["timeout", "-s", "KILL", str(seconds)] + command
    return subprocess.run(limited, capture_output=True, text=True)


def check(seed, args):
    base = os.path.join(args.work, f"fuzz{seed}")
    with open(base + ".c", "w") as f:
        f.write(Program(seed, args.tame).text())
    results, verdict, structured = {}, "OK", 0
    for level, strategy in [(l, s) for l in args.levels for s in args.strategies.split(",")]:
        binary = f"{base}.O{level}.{strategy}"
        built = run([args.cc, "-w", f"-O{level}", "-ffp-contract=off", f"-fpass-plugin={args.plugin}",
                     "-mllvm", f"-verso-strategy={strategy}", "-Rpass=verso", "-Rpass-missed=verso",
                     base + ".c", args.runtime, "-lm", "-lpthread", "-o", binary], 120)
        if built.returncode:
            return f"COMPILE O{level} {[l for l in built.stderr.splitlines() if 'error' in l or 'Assert' in l][:1]}"
        structured += "by reversed control flow" in built.stderr
        args.why.update(l.split("is not structured: ")[1].split(" at ")[0].split("[-R")[0]
                        for l in built.stderr.splitlines() if "is not structured: " in l)
        level = f"{level} {strategy}"
        out = run([binary], 20)
        os.remove(binary)
        if out.returncode == 86:
            verdict = f"REFUSED O{level} {out.stderr.strip()[:110]}"
            continue
        if out.returncode not in (0, 1):
            return f"CRASH O{level} status {out.returncode} {out.stderr.strip()[:110]}"
        if out.returncode:
            bad = [l for l in out.stdout.splitlines() if l[0] in "BR"]
            return f"WRONG O{level} {'; '.join(bad[:2])} ({len(bad)})"
        results[level] = [float(l.split()[2]) for l in out.stdout.splitlines() if l[0] == "G"]
    for level, g in results.items():
        first = next(iter(results.values()))
        for k, (u, v) in enumerate(zip(first, g)):
            is_float = 16 <= k < 22 or k == 23  # w and t->q
            # The adjoint of a float is a float if structured, a double on tape.
            mixed = "," in args.strategies and not (args.tame and seed % 2)
            if not abs(u - v) <= (1e-5 if is_float else 1e-6 if mixed else 1e-9) * (1 + abs(u)):
                return f"LEVELS O{level} cell {k}: {u!r} and {v!r}"
    if verdict == "OK" and not args.keep:
        os.remove(base + ".c")
    return f"{verdict} structured {structured} of {len(results)}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--plugin")
    parser.add_argument("--runtime")
    parser.add_argument("--seeds", default="1:20")
    parser.add_argument("--work", default="/tmp/verso-fuzz")
    parser.add_argument("--cc", default="clang-22")
    parser.add_argument("--levels", default="0123")
    parser.add_argument("--strategies", default="auto,taped")
    parser.add_argument("--tame", action="store_true",
                        help="programs that the structured strategy should manage")
    parser.add_argument("--keep", action="store_true")
    parser.add_argument("--print", type=int, dest="shown")
    args = parser.parse_args()
    if args.shown is not None:
        print(Program(args.shown, args.tame).text())
        return 0
    os.makedirs(args.work, exist_ok=True)
    first, last = map(int, args.seeds.split(":"))
    failed = 0
    args.why = collections.Counter()
    for seed in range(first, last + 1):
        verdict = check(seed, args)
        failed += not verdict.startswith(("OK", "REFUSED"))
        print(seed, verdict, flush=True)
    for reason, count in args.why.most_common():
        print(f"not structured, {count} times: {reason}")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
