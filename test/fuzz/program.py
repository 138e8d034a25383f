# ===- program.py - random programs ----------------------------------------===//
#
# Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------===//
#
# Program(seed).text() is one C program, the same for a seed on every machine.
# It includes program.h and oracle.h of this folder. Its f works in place on
# arrays, structs, pointers to pointers, a linked list, the heap and the stack.
#
# A program is defined for all inputs: indices are masked, loops are bounded,
# calls of helpers draw on a stock of fuel, and values are squashed when they are
# stored. Minima, absolute values and comparisons get odd constants, since a tie
# has no derivative that the oracles could agree on.
#
# Each seed leaves out a random part of the kinds of statements: rare
# combinations come up more often than if every program had some of everything.
# Half of the programs are plain: without what reversed control flow leaves to
# the tape (RARE), so that there are two strategies to compare.
#
# Invariants that statements rely on: every array has 8 cells, `m` and whatever
# a pointer variable points to at least 4, a float array 6; `rows` has 4 arrays,
# `b` of a helper 2 pointers; i, k, n, s0.k and t->n are small; what a helper
# points to by t, s and b outlives it.
#
# ===----------------------------------------------------------------------===//

import random
import re

HELPERS = r"""
static double NAME(G)[8];
static int NAME(fuel);
typedef double (*NAME(Fn))(double *, double *, NAME(T) *, NAME(N) *, double **, double, int);
typedef struct { NAME(Fn) fn; double by; } NAME(Op);
"""

# Small functions that programs share.
LIBRARY = r"""
NOINLINE NAME(N) NAME(value)(NAME(N) s, double a, int n) {
  if (n == 0) return s;
  s.v = squash(s.v * a + s.c[n & 3]);
  s.c[(n + 1) & 3] *= s.q * 0.5;
  s.q = FSIN(s.v);
  NAME(N) r = NAME(value)(s, cos(a), n - 1);
  r.c[1] = squash(r.c[1] + s.c[2] * 0.5);
  return r;
}
NOINLINE NAME(Two) NAME(two)(NAME(Two) u, double a) {
  NAME(Two) r = {squash(u.a * a - u.b), sin(u.a) * u.b};
  return r;
}
NOINLINE NAME(Small) NAME(small)(NAME(Small) u, FLT q) {
  NAME(Small) r = {u.b * q, u.c - u.a * q, FSIN(u.a)};
  return r;
}
NOINLINE double *NAME(pick)(double *p, double *q, int which) { return which & 1 ? p : q; }
NOINLINE double NAME(apply)(const NAME(Op) *op, double *p, double *q, NAME(T) *t, NAME(N) *s, double **b, double a) {
  return op->fn(p, q, t, s, b, a * op->by, 1) + op->by;
}
NOINLINE double NAME(weigh)(int n, ...) {
  va_list l;
  va_start(l, n);
  double r = 0;
  for (int i = 0; i < n; ++i) {
    double *p = va_arg(l, double *);
    r += va_arg(l, double) * p[va_arg(l, int)];
  }
  va_end(l);
  return r;
}
NOINLINE double NAME(many)(double a, FLT b, NAME(Two) c, int d, const double *restrict e, double f, NAME(N) g, FLT h, double i, double j, double k, NAME(Small) l, double m, FLT o) {
  return squash(a * b + c.a * c.b * d + e[1] * f + g.v * g.c[d & 3] + h * i + j * k) + l.a * l.b + l.c * m * o;
}
static void NAME(swap)(double **u, double **v) { double *h_ = *u; *u = *v; *v = h_; }
static int NAME(compare)(const void *u, const void *v) {
  double a = *(const double *)u, b = *(const double *)v;
  return (a > b) - (a < b);
}
"""

LOCALS = r"""
  int i = 0, k = 1;
  unsigned noise = 17u * n + 5;
  double v0 = a, v1 = 0.5, v2 = a * a;
  double L[8] = {0.1, a, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7};
  FLT lw[6] = {1, 2, 3, 0.5f, 0.25f, 0};
  NAME(N) s0 = {0.3, L, 0.5f, 2, 0, {1, 2, 3, a}};
  NAME(N) s1 = {a, L + 3, 0.1f, 1, 0, {0.1, 0.2, a, 0.4}};
  s0.next = &s1;
  s1.next = &s0;
"""

HELPER_PARAMETERS = (
    "double *p, double *q, NAME(T) *t, NAME(N) *s, double **b, double a, int n")


class Program:
    def __init__(self, seed):
        self.seed = seed
        self.random = random.Random(seed)
        self.functions = []
        self.fresh = 0
        self.mixed = self.chance(0.35)
        self.width = self.random.choice([1, 1, 1, 2, 3, 4])
        self.constants = [n for n in "YWML" if self.chance(0.12)]
        self.second, self.linear = self.chance(0.15), self.chance(0.3)
        # A memmove whose source a memset overwrote in part: LLVM 22's MemCpyOpt
        # takes all of it for zeros, without Verso too. One of the two at a time.
        self.zeroes = self.chance(0.5)
        self.plain = random.Random(f"plain {seed}").random() < 0.5
        kept = self.random.uniform(0.4, 1)
        self.kinds = [kind for kind in self.KINDS if self.chance(kept)]
        if self.plain:
            self.kinds = [(w, k) for w, k in self.kinds if k not in self.RARE]

    def chance(self, p):
        return self.random.random() < p

    def choice(self, *options):
        return self.random.choice(options)

    def number(self, low=-2, high=2):
        return f"{self.random.uniform(low, high):.3f}"

    def name(self, prefix):
        self.fresh += 1
        return f"{prefix}{self.fresh}"

    # ===- Places ----------------------------------------------------------===

    def index(self, mask):
        if self.chance(0.4):
            return str(self.random.randint(0, mask))
        v = self.choice("i", "k", "n", "(int)(noise >> 7)", "s0.k", "t->n")
        return f"({v} + {self.random.randint(0, 7)}) & {mask}"

    def member(self):
        """Of an array of 4 in a struct."""
        index = self.index(3)
        return self.random.randrange(4) if self.plain else index

    def struct(self):
        more = ["l[0].", "l[1].", "l->next->"] if self.is_main else []
        return self.choice("s0.", "s1.", "s->", "s->next->", *more)

    def cell(self):
        """A place of type double."""
        r = self.random.random()
        if r < 0.36:
            return f"{self.choice(*self.arrays)}[{self.index(7)}]"
        if r < 0.48:
            return f"{self.choice('p', 'q')}[{self.index(3)}]"
        if r < 0.56:
            if self.is_main:
                return f"rows[{self.index(3)}][{self.index(7)}]"
            return f"b[{self.index(1)}][{self.index(3)}]"
        if r < 0.62 and self.is_main:
            return f"m[{self.random.randrange(3)}][{self.index(3)}]"
        if r < 0.72:
            return self.choice("t->v", f"t->c[{self.member()}]", f"t->z[{self.index(3)}]")
        if r < 0.92:
            s = self.struct()
            return self.choice(f"{s}v", f"{s}c[{self.member()}]", f"{s}p[{self.index(3)}]")
        return self.choice("v0", "v1", "v2")

    def float_cell(self):
        if self.chance(0.5):
            return f"{self.choice(*self.floats)}[{self.random.randrange(6)}]"
        return self.choice("t->", self.struct()) + "q"

    def base(self):
        """An array of 8."""
        if self.is_main and self.chance(0.25):
            return f"rows[{self.index(3)}]"
        return self.choice(*self.arrays)

    def pointer_variable(self):
        """One that may be assigned to. A helper's callers must not keep pointers
        to its locals."""
        more = ["s->p", "t->z"] if self.is_main else []
        return self.choice("p", "q", "s0.p", "s1.p", *more)

    def pointer(self):
        """A pointer to at least 4 cells."""
        r = self.random.random()
        if r < 0.5:
            return f"{self.base()} + ({self.index(3)})"
        if r < 0.65:
            return self.choice("p", "q", "s0.p", "s1.p", "s->p", "t->z")
        if r < 0.75:
            if self.is_main:
                return f"m[{self.random.randrange(3)}]"
            return f"b[{self.index(1)}]"
        if r < 0.85:
            return f"NAME(pick)({self.pointer()}, {self.pointer()}, {self.index(1)})"
        if self.plain:
            return f"{self.base()} + {self.random.randrange(5)}"
        return self.choice("s0.c", "s1.c", "t->c", "s->c")

    # ===- Expressions -----------------------------------------------------===

    def condition(self):
        r = self.random.randrange(5)
        if r < 2:
            return f"{self.cell()} > {self.number(-1, 1)}"
        if r == 2:
            return f"((noise >> {self.random.randrange(16)}) & 1)"
        if r == 3:
            return f"({self.cell()} < {self.number(-1, 1)} {self.choice('&&', '||')} {self.cell()} > {self.number(-1, 1)})"
        return f"{self.expression(1)} < {self.expression(1)} + {self.number()}1"

    def leaf(self):
        r = self.random.random()
        if r < 0.65:
            return self.cell()
        if r < 0.8:
            return self.float_cell()
        return "a" if r < 0.9 else self.number()

    def expression(self, depth=2):
        if depth == 0 or self.chance(0.15):
            return self.leaf()
        e = lambda: self.expression(depth - 1)
        r = self.random.randrange(20)
        if r < 4:
            return f"({e()} + {e()})"
        if r < 8:
            return f"({e()} * {e()})"
        if r == 8:
            return f"({e()} - {e()})"
        if r == 9:
            x = self.leaf()
            return f"({x} / (1.1 + {x} * {x}))"
        if r == 10:
            return f"{self.choice('sin', 'cos', 'tanh', 'atan', 'erf', 'asinh')}({e()})"
        if r == 11:
            return self.choice(f"sqrt(1.5 + cos({e()}))", f"log(1.2 + fabs({e()} + 0.0113))",
                               f"pow(1.3 + sin({e()}), {self.number(0, 2)})", f"exp(-fabs({e()} + 0.0317))")
        if r == 12:
            return f"{self.choice('fmin', 'fmax')}({e()}, {e()} + 0.0{self.random.randrange(11, 99)})"
        if r == 13:
            return f"({self.condition()} ? {e()} : {e()})"
        if r == 14:
            return f"(double)((FLT){self.number(0.5, 2)}f * {self.float_cell()})"
        if r == 15:
            return f"(double){self.choice('FSIN', 'FEXP')}(-{self.float_cell()} * {self.float_cell()})"
        if r == 16:
            return self.choice(f"fma({e()}, {e()}, {e()})", f"hypot(1.1, {e()})", f"atan2({e()}, 2.5)",
                               f"copysign({e()}, {e()} + 0.01171)")
        if r == 17:
            return f"({e()} * {self.choice('(double)(noise & 7)', '(double)(i - 2)', 'k', f'(double)(int)({e()})')})"
        if r == 18:
            return f"-({e()})"
        return f"squash({e()})"

    # ===- Statements ------------------------------------------------------===
    # Each method is a kind; an empty result says that it does not fit here.

    def assign(self, depth):
        c = self.cell()
        return self.choice(
            f"{c} = squash({self.expression(3)});", f"{c} = squash({c} + {self.expression()});",
            f"{c} *= cos({self.expression(1)});", f"{c} = {self.cell()};",
            f"{c} = squash({self.expression(3)});",
            f"{{ double e_ = {self.expression(3)}; {self.cell()} = squash(e_); {self.cell()} = squash(e_ * {self.cell()}); }}")

    def assign_float(self, depth):
        return f"{self.float_cell()} = (FLT)squash({self.expression()});"

    def move_pointer(self, depth):
        v = self.pointer_variable()
        return self.choice(
            f"{v} = {self.pointer()};", f"{v} = {self.condition()} ? {self.pointer()} : {self.pointer()};",
            "{ double *h_ = p; p = q; q = h_; }", "NAME(swap)(&p, &q);", "NAME(swap)(&s0.p, &p);",
            f"{{ double **e_ = {self.condition()} ? &p : &s0.p; (*e_)[{self.index(3)}] = squash({self.expression()}); *e_ = {self.pointer()}; }}",
            f"{{ double *h_ = {self.condition()} ? {self.pointer()} : {self.pointer()}; h_[{self.index(3)}] = squash({self.expression()}); }}")

    def move_row(self, depth):
        if not self.is_main:
            return f"NAME(swap)(&b[{self.index(1)}], &b[{self.index(1)}]);"
        rows = self.choice("rows", "rows", "m")
        index = self.index(3) if rows == "rows" else self.index(1)
        return self.choice(
            f"NAME(swap)(&{rows}[{index}], &{rows}[{self.index(1)}]);",
            f"{{ int i_ = {index}, j_ = {self.index(1)}; double *h_ = {rows}[i_]; {rows}[i_] = {rows}[j_]; {rows}[j_] = h_; }}",
            f"rows[{self.index(3)}] = {self.choice(*self.arrays)};")

    def move_list(self, depth):
        lists = ["s->next = s->next->next;", "s = s->next;", "s = &s0;",
                 "{ NAME(N) *h_ = s0.next; s0.next = s1.next; s1.next = h_; }"]
        if self.is_main:
            lists += ["s = l;", "s = &l[1];", "s0.next = l;", "l[0].next = &l[0];", "s1.next = l->next;"]
        return self.choice(*lists)

    def move(self, to, source, size):
        if self.zeroes:
            return f"{{ char h_[32]; memcpy(h_, {source}, {size}); memcpy({to}, h_, {size}); }}"
        return f"memmove({to}, {source}, {size});"

    def move_cells(self, depth):
        return self.move(self.pointer(), self.pointer(), f"{self.random.randint(1, 4)} * sizeof(double)")

    def move_floats(self, depth):
        f = lambda: f"{self.choice(*self.floats)} + {self.random.randrange(3)}"
        n = f"{self.random.randint(1, 3)} * sizeof(FLT)"
        return self.choice(f"memset({f()}, 0, {n});" if self.zeroes else "", self.move(f(), f(), n))

    def zero_cells(self, depth):
        if not self.zeroes:
            return ""
        return f"memset({self.pointer()}, 0, {self.random.randint(1, 4)} * sizeof(double));"

    def copy_struct(self, depth):
        return self.choice(
            "s0 = s1;", "s1 = s0;", "s0 = *s;", "*s = s0;" if self.is_main else "s1 = *s;", "{ NAME(N) h_ = s0; s0 = s1; s1 = h_; }",
            "memcpy(&s0, &s1, sizeof s0);", "{ NAME(N) h_; memcpy(&h_, s, sizeof h_); memcpy(&s0, &h_, sizeof h_); }",
            "memcpy(&s0.c[1], &s1.c[2], 2 * sizeof(double));", "memcpy(s0.c, s->c, sizeof s0.c);",
            "memcpy(&s0.q, &s1.q, offsetof(NAME(N), next) - offsetof(NAME(N), q));",
            "{ NAME(N) h_[2] = {s0, s1}; s0 = h_[(i + 1) & 1]; s1.v = h_[i & 1].v; }",
            "{ NAME(T) h_ = *t; h_.v = squash(h_.v * s0.v + h_.c[1]); *t = h_; }",
            "{ NAME(T) h_[2]; h_[0] = *t; h_[1] = *t; h_[k & 1].c[1] = squash(s0.v * h_[0].v); *t = h_[1]; }")

    def move_pointers(self, depth):
        rows, mask = ("rows", 3) if self.is_main else ("b", 1)
        return self.choice(
            f"{{ double *h_[{mask + 1}]; memcpy(h_, {rows}, sizeof h_); h_[{self.index(mask)}][{self.index(3)}] = squash({self.expression()}); memcpy({rows}, h_, sizeof h_); }}",
            f"{{ double *h_ = (double *)((uintptr_t)({self.base()}) + 8 * ({self.index(3)})); h_[{self.index(3)}] = squash({self.expression()}); {self.cell()} = h_[{self.index(3)}]; }}",
            f"{{ uintptr_t u_ = (uintptr_t)({self.pointer()}) | (noise & 1); double *h_ = (double *)(u_ & ~(uintptr_t)1); h_[{self.index(3)}] = squash({self.expression()}); {self.cell()} = h_[{self.index(3)}]; }}",
            f"{{ double *h_ = {self.base()}, *e_ = h_ + ({self.index(7)}); for (double *d_ = h_; d_ != e_; ++d_) *d_ = squash(*d_ * {self.cell()}); }}",
            f"{{ double *h_, *e_ = {self.pointer()}; for (unsigned j_ = 0; j_ < sizeof h_; ++j_) ((char *)&h_)[j_] = ((char *)&e_)[j_]; h_[{self.index(3)}] = squash({self.expression()}); }}")

    def change_integer(self, depth):
        return self.choice(
            f"noise = noise * 1664525u + {self.random.randrange(1 << 30)}u + (unsigned)({self.cell()} > 0.0123);",
            "s0.k = (s0.k + 1 + t->n) & 15;", "t->n = (t->n + 3) & 7;", "s1.k = s0.k;",
            "noise ^= noise >> 11;", "{ int h_[4] = {1, 3, 0, 2}; k = h_[(k + i) & 3]; }",
            f"k = (int)(2 * {self.cell()}) & 3;", "i = (i * 5 + k) & 7;")

    def bits(self, depth):
        x, y = self.pointer(), self.pointer()
        return self.choice(
            f"{{ uint64_t b_; double *x_ = {x}, *y_ = {y}; memcpy(&b_, x_, 8); memcpy(y_, &b_, 8); }}",
            f"{{ uint64_t b_[3]; double *x_ = {x}, *y_ = {y}; memcpy(b_, x_, 24); b_[0] = b_[1]; memcpy(y_, b_, 24); }}",
            f"{{ uint64_t b_; double d_ = {self.cell()} + 0.0137; memcpy(&b_, &d_, 8); b_ ^= (uint64_t)1 << 63; memcpy(&d_, &b_, 8); {self.cell()} = d_ * 0.7; }}")

    def bytes(self, depth):
        return (f"{{ const char *x_ = (const char *)({self.pointer()}); double d_; char *y_ = (char *)&d_;"
                f" for (int b_ = 0; b_ < 8; ++b_) y_[b_] = x_[b_]; {self.cell()} = d_; }}")

    def union(self, depth):
        return (f"{{ NAME(U) u_, z_; u_.d = {self.expression()}; if ({self.condition()})"
                f" {{ u_.f[0] = FSIN({self.float_cell()}); u_.f[1] = 0.5f; z_ = u_; {self.float_cell()} = z_.f[0] * z_.f[1]; }}"
                f" else {{ z_ = u_; {self.cell()} = squash(z_.d); }} }}")

    def heap(self, depth):
        return self.choice(
            f"{{ double *h_ = malloc(8 * sizeof(double)); memcpy(h_, {self.base()}, 64); h_[{self.index(7)}] = {self.cell()};"
            f" {self.cell()} = squash(h_[{self.index(7)}] * {self.cell()}); h_ = realloc(h_, 128); {self.cell()} = h_[{self.index(7)}]; free(h_); }}",
            f"{{ double *h_ = calloc(4, sizeof(double)); h_[{self.index(3)}] = {self.cell()}; {self.cell()} = squash({self.cell()} + h_[{self.index(3)}]); free(h_); }}",
            f"{{ double **h_ = malloc(2 * sizeof *h_); h_[0] = {self.pointer()}; h_[1] = {self.pointer()};"
            f" h_[{self.index(1)}][{self.index(3)}] = squash({self.expression()}); free(h_); }}",
            f"{{ NAME(N) *h_ = 0; for (int j_ = 0; j_ < 3; ++j_) {{ NAME(N) *e_ = malloc(sizeof *e_); *e_ = s{self.random.randrange(2)};"
            f" e_->v = squash({self.cell()} * j_ + {self.cell()}); e_->next = h_; h_ = e_; }}"
            f" while (h_) {{ NAME(N) *e_ = h_->next; {self.cell()} = squash(h_->v + h_->p[{self.index(3)}] * {self.cell()}); free(h_); h_ = e_; }} }}")

    def local_array(self, depth):
        return self.choice(
            f"{{ double h_[n + 2]; for (int j_ = 0; j_ < n + 2; ++j_) h_[j_] = squash({self.cell()} * j_ + {self.cell()});"
            f" for (int j_ = 1; j_ < n + 2; ++j_) h_[j_] = squash(h_[j_] + h_[j_ - 1] * {self.cell()}); {self.cell()} = h_[n + 1]; }}",
            f"{{ double A_[3][3], B_[3][3]; for (int r_ = 0; r_ < 3; ++r_) for (int c_ = 0; c_ < 3; ++c_)"
            f" {{ A_[r_][c_] = ({self.base()})[(r_ + c_) & 7]; B_[r_][c_] = 0; }}"
            f" for (int r_ = 0; r_ < 3; ++r_) for (int c_ = 0; c_ < 3; ++c_) for (int e_ = 0; e_ < 3; ++e_) B_[r_][c_] += A_[r_][e_] * A_[c_][e_];"
            f" {self.cell()} = squash(B_[{self.random.randrange(3)}][{self.random.randrange(3)}]); }}",
            f"{{ double h_[5]; memcpy(h_, {self.base()}, sizeof h_); for (int j_ = 0; j_ < 5; ++j_) h_[j_] += 0.0137 * j_ * j_;"
            f" qsort(h_, 5, sizeof *h_, NAME(compare)); {self.cell()} = h_[{self.random.randrange(5)}]; {self.cell()} = h_[{self.random.randrange(5)}]; }}")

    def odd_types(self, depth):
        return self.choice(
            f"{{ volatile double h_ = {self.expression()}; {self.cell()} = squash(h_ * h_); }}",
            f"{{ long double e_ = {self.expression()}; e_ = e_ * {self.cell()} + 0.5L; {self.cell()} = squash((double)e_); }}",
            f"{{ typedef double V_ __attribute__((vector_size(32))); V_ e_ = {{{self.cell()}, {self.cell()}, {self.number()}, {self.cell()}}}, h_;"
            f" double *x_ = {self.pointer()}; memcpy(&h_, x_, 32); h_ = h_ * 0.5 + e_ * 0.25; memcpy(x_, &h_, 32); {self.cell()} = h_[{self.index(3)}]; }}",
            f"{{ NAME(Small) e_ = {{{self.float_cell()}, {self.float_cell()}, (FLT){self.number()}}}; e_ = NAME(small)(e_, {self.float_cell()});"
            f" {self.float_cell()} = (FLT)squash(e_.{self.choice('a', 'b', 'c')}); }}",
            f"{self.cell()} = squash(NAME(weigh)(2, {self.pointer()}, {self.expression(1)}, {self.index(3)}, {self.pointer()}, {self.expression(1)}, {self.index(3)}));",
            f"{{ NAME(Two) e_ = {{{self.cell()}, {self.cell()}}}; NAME(Small) h_ = {{{self.float_cell()}, {self.float_cell()}, {self.float_cell()}}};"
            f" {self.cell()} = squash(NAME(many)({self.cell()}, {self.float_cell()}, e_, {self.index(3)}, {self.pointer()}, {self.expression(1)}, *s, {self.float_cell()},"
            f" {self.cell()}, {self.cell()}, {self.expression(1)}, h_, {self.cell()}, {self.float_cell()})); }}",
            f"{{ NAME(Two) e_ = {{{self.expression(1)}, {self.cell()}}}; e_ = NAME(two)(e_, {self.cell()}); {self.cell()} = squash(e_.{self.choice('a', 'b')}); }}",
            f"{{ NAME(N) z_ = NAME(value)(s{self.random.randrange(2)}, {self.expression(1)}, {self.random.randint(0, 2)});"
            f" {self.cell()} = z_.v; s0.c[{self.member()}] = z_.c[1]; }}")

    def branch(self, depth):
        if self.chance(0.3):
            return f"if ({self.condition()}) {{ {self.block(depth - 1)} }}"
        return f"if ({self.condition()}) {{ {self.block(depth - 1)} }} else {{ {self.block(depth - 1)} }}"

    def switch(self, depth):
        cases = " ".join(f"case {c}: {self.block(depth - 1, 2)} {self.choice('break;', '')}" for c in range(3))
        subject = self.choice("noise >> 5", "i + k", "s0.k", f"(int)(3 * {self.cell()})")
        return f"switch (({subject}) & 3) {{ {cases} default: {self.block(depth - 1, 1)} }}"

    def loop(self, depth):
        if self.loops == 2:
            return ""
        self.loops += 1
        v, body = self.name("l"), self.block(depth - 1)
        self.loops -= 1
        end = self.choice("", "", "", f"if ({self.condition()}) {self.choice('break', 'continue')};")
        return self.choice(
            f"for (int {v} = 0; {v} < n + {self.random.randrange(3)}; ++{v}) {{ i = {v}; {body} }}",
            f"for (int {v} = 4; {v} > 0; {v} -= {self.random.randint(1, 2)}) {{ {end} k = {v}; {body} }}",
            f"for (int {v} = 0; {v} < 5 && {v} < 2.5 + 2 * {self.cell()}; ++{v}) {{ {body} {end} }}",
            f"{{ int {v} = {self.random.randint(2, 6)}; while ({v}-- > 0 && {self.condition()}) {{ k = {v}; {body} }} }}",
            f"{{ int {v} = 0; do {{ i = {v}; {body} {end} }} while (++{v} < {self.random.randint(2, 5)}); }}")

    def jump(self, depth):
        if self.loops == 2:
            return ""
        self.loops += 1
        v, first, second = self.name("j"), self.block(depth - 1, 2), self.block(depth - 1, 1)
        self.loops -= 1
        return self.choice(
            f"{{ int {v} = 0; if ({self.condition()}) goto middle_{v}; top_{v}: {first} middle_{v}:; {second} if (++{v} < 3) goto top_{v}; }}",
            f"{{ int {v} = 0; top_{v}: if ({v}++ < 3) {{ {first} if ({self.condition()}) goto out_{v}; {second} goto top_{v}; }} out_{v}:; }}")

    def call(self, depth):
        if not self.functions or self.calls == 0:
            return ""
        self.calls -= 1
        n = len(self.functions)
        g = self.choice(*self.functions)
        rows = self.choice("rows", "rows + 2", "m", "m + 1") if self.is_main else "b"
        s = self.choice("&s0", "&s1", "s", "s0.next", *(["l", "&l[1]"] if self.is_main else []))
        arguments = f"{self.pointer()}, {self.pointer()}, t, {s}, {rows}, {self.expression(1)}"
        depth = self.random.randint(0, 2)
        calls = [f"{g}({arguments}, {depth})"] * 3
        if self.is_main:
            calls += [f"NAME(table)[noise % {n}u]({arguments}, {depth})",
                      f"({self.condition()} ? {g} : {self.choice(*self.functions)})({arguments}, {depth})",
                      f"NAME(apply)(&NAME(ops)[(unsigned)k % {n}u], {arguments})"]
        return f"{self.cell()} = squash({self.choice(*calls)});"

    def recurse(self, depth):
        if self.is_main or self.recursive == 0:
            return ""
        self.recursive -= 1
        return (f"if (n > 0) {{ {self.cell()} = squash({self.current}({self.pointer()}, {self.pointer()}, t,"
                f" {self.choice('&s0', 's')}, b, {self.expression(1)}, n - 1)); }}")

    def leave(self, depth):
        if not self.chance(0.3):
            return ""
        return f"if ({self.condition()}) return {self.returned()};"

    # Weight, method, whether it holds blocks.
    KINDS = (
        [(9, assign), (2, assign_float), (1, move_pointer), (1, move_row), (1, move_list), (1, move_cells),
         (1, move_floats), (1, move_pointers), (1, zero_cells), (1, copy_struct), (1, change_integer), (1, bits), (1, bytes),
         (1, union), (1, heap), (1, local_array), (2, odd_types), (3, branch), (1, switch), (4, loop), (1, jump),
         (3, call), (1, recurse), (1, leave)])
    COMPOUND = {branch, switch, loop, jump}
    RARE = {bits, bytes, union, move_pointers}
    RARE_PARTS = re.compile(r"qsort|weigh|value|many|table|apply|h_\[n \+ 2\]|volatile| : NAME\(g\d+\)\)\(|vector_size")

    def statement(self, depth):
        self.budget -= 1
        usable = [k for k in self.kinds if (depth > 0 and self.budget > 0) or k[1] not in self.COMPOUND]
        if usable:
            kind = self.random.choices(usable, [w for w, _ in usable])[0][1]
            text = kind(self, depth)
            if text and not (self.plain and self.RARE_PARTS.search(text)):
                return text
        return f"{self.cell()} = squash({self.expression(3)});"

    def block(self, depth, size=None):
        n = size or self.random.randint(1, 4)
        return "\n    ".join(self.statement(depth) for _ in range(n))

    def returned(self):
        return self.choice(self.cell(), f"squash({self.expression(2)})")

    # ===- Functions -------------------------------------------------------===

    def helper(self):
        self.is_main = False
        self.arrays, self.floats = ["L", "NAME(G)"], ["lw"]
        self.budget, self.loops, self.calls, self.recursive = 14, 1, 1, 1
        self.current = g = f"NAME({self.name('g')})"
        body = "\n  ".join(self.statement(2) for _ in range(6))
        self.functions.append(g)
        return (f"{self.choice('NOINLINE ', 'NOINLINE ', 'static ')}double {g}({HELPER_PARAMETERS}) {{{LOCALS}"
                f"  if (NAME(fuel)-- <= 0) return p[0];\n"
                f"  {body}\n  return squash(v0 * v1 + p[1] * q[0] + {self.cell()});\n}}\n")

    def main_setup(self):
        pick = lambda: self.choice("x", "y", "L", "H")
        return (f"  NAME(N) *s = {self.choice('&s0', '&s1', 'l')};\n"
                f"  double *p = {pick()} + 2, *q = {pick()} + 1, sum = 0;\n"
                f"  double *rows[4] = {{{pick()}, {pick()}, {pick()}, {pick()}}};\n"
                f"  for (i = 0; i < 8; ++i) NAME(G)[i] = 0.1 * i * {self.choice('a', '1', 'x[i]')};\n"
                f"  double first = {self.choice('x', 'y')}[{self.random.randrange(8)}];\n")

    def main_result(self):
        if self.chance(0.15):
            return f"  return {self.choice('first', self.cell())};\n"
        read = "".join(f"  for (i = 0; i < 8; ++i) sum += {self.number(-1, 1)} * {b}[i] * (i - 3);\n" for b in ["x", "y", "L", "H"])
        read += "  for (i = 0; i < 6; ++i) sum += w[i] * lw[i];\n"
        if self.plain:
            read += "".join(f"  sum += t->c[{i}] * s0.c[{i}] + s1.c[{i}] * l->c[{i}] + m[2][{i}];\n" for i in range(4))
        else:
            read += "  for (i = 0; i < 4; ++i) sum += t->c[i] * s0.c[i] + s1.c[i] * l->c[i] + m[2][i];\n"
        return read + f"  return {self.choice('', 'first * ')}sum + squash({self.expression(3)});\n"

    def main(self):
        self.is_main = True
        self.arrays, self.floats = ["x", "y", "L", "H", "NAME(G)"], ["w", "lw"]
        self.budget, self.loops, self.calls = 40, 0, 4
        body = "\n  ".join(self.statement(3) for _ in range(self.random.randint(6, 14)))
        parameters = "double *x, double *y, FLT *w, NAME(T) *t, double **m, NAME(N) *l, double a, int n"
        ops = ", ".join(f"{{{g}, {self.number()}}}" for g in self.functions)
        return (f"static NAME(Fn) NAME(table)[] = {{{', '.join(self.functions)}}};\n"
                f"static const NAME(Op) NAME(ops)[] = {{{ops}}};\n"
                f"{self.choice('NOINLINE ', 'static ')}double NAME(f0)({parameters}, double *H) {{{LOCALS}{self.main_setup()}  {body}\n{self.main_result()}}}\n"
                f"NOINLINE double NAME(f)({parameters}) {{\n"
                f"  NAME(fuel) = 200;\n"
                f"  double *H = malloc(64);\n  for (int i = 0; i < 8; ++i) H[i] = sin(i + a);\n"
                f"  double r = NAME(f0)(x, y, w, t, m, l, a, n, H);\n  free(H);\n  return r;\n}}\n")

    def text(self):
        body = HELPERS + LIBRARY
        body += "".join(self.helper() for _ in range(self.random.randint(1, 3)))
        body += self.main()
        if not self.mixed:
            for word in set(part.split(")")[0] for part in body.split("NAME(")[1:]):
                body = body.replace(f"NAME({word})", word)
            body = body.replace("FLT", "double")
        switches = [f"#define SEED {self.seed}u", f"#define WIDTH {self.width}"]
        switches += [f"#define CONST_{name}" for name in self.constants]
        if self.mixed:
            switches.insert(0, "#define MIXED")
        if self.second:
            switches.append("#define SECOND")
        if self.linear:
            switches.append("#define LINEAR")
        return "\n".join([f"// Generated: seed {self.seed}.", "#ifndef VERSO_FUZZ_PROGRAM_H",
                          *switches, "#endif", '#include "program.h"', body, '#include "oracle.h"', ""])
