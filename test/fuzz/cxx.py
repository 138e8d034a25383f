# ===- cxx.py - nests of loops with statements of C++ ----------------------===//
#
# Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------===//
"""What nests.py --cxx adds to its functions: vectors that grow, maps, references,
lambdas, virtual calls, exceptions, templates, structs by value, bits of numbers.
cxx.h has what they call."""

import re

from nests import Function


class CxxFunction(Function):
    def prepare(self):
        super().prepare()
        # Each function has some of the kinds only.
        kinds = [self.vector, self.vector, self.range_for, self.algorithm, self.reference, self.lambda_, self.virtual,
                 self.exception, self.template, self.by_value, self.bits, self.map_, self.owned, self.parts,
                 self.long_double, self.bound]
        self.cxx = [k for k in kinds if self.chance(0.6)] or kinds
        self.arrays["W"] = (0, 31)

    def statement(self, depth):
        if self.chance(0.3):
            self.budget -= 1
            return self.random.choice(self.cxx)()
        return super().statement(depth)

    def iterator(self):
        return f"W.begin() + {self.index((0, 31))}"

    def vector(self):
        return [self.choice(
            f"if (W.size() < 90) W.push_back({self.expression()});", f"W.back() += {self.leaf()};",
            "Q = W;", "std::swap(Q, W);", "W = std::move(Q); Q = W;",
            "if (W.size() > 44) W.pop_back();", f"W.resize({self.choice('40', '44', 'W.size() + (n & 1)')}); W.resize(40);",
            f"if (W.size() < 90) W.insert({self.iterator()}, {self.leaf()});", f"if (W.size() > 44) W.erase({self.iterator()});",
            f"W.assign(40, {self.leaf()});", f"{{ std::vector<double> t_(W.begin(), {self.iterator()} + 1); s += t_.back() * t_.front(); }}",
            f"{{ std::vector<std::vector<double>> t_(2, W); t_[k & 1][1] = {self.expression(1)}; W = t_[0]; {self.cell()} = sq(t_[1][1]); }}")]

    def range_for(self):
        return [self.choice(f"for (double &e_ : W) e_ = sq(e_ * {self.leaf()});", f"for (double e_ : W) s += e_ * {self.leaf()};",
                            f"for (auto &[k_, v_] : M) v_ = sq(v_ + {self.leaf()});")]

    def algorithm(self):
        return [self.choice(
            "s = sq(s + std::accumulate(W.begin(), W.end(), 0.0));",
            f"s = sq(s + std::inner_product(W.begin(), W.begin() + 40, Q.begin(), {self.leaf()}));",
            "std::sort(W.begin(), W.end());", f"std::reverse(W.begin(), {self.iterator()});",
            f"std::rotate(W.begin(), {self.iterator()}, W.end());",
            f"std::fill({self.iterator()}, W.end(), {self.leaf()});",
            f"std::transform(W.begin(), W.end(), W.begin(), [&](double e_) {{ return sq(e_ + {self.leaf()}); }});",
            "v = *std::max_element(W.begin(), W.end());",
            f"std::copy({self.iterator()}, W.begin() + 32, Q.begin());")]

    def reference(self):
        return [f"{{ double &r_ = {self.cell()}; r_ = sq(r_ * {self.expression(1)}); {self.cell()} = r_; }}"]

    def lambda_(self):
        return [self.choice(
            f"{{ auto f_ = [&, c_ = {self.leaf()}](double e_) {{ s += e_; return sq(e_ * c_ + {self.leaf()}); }}; {self.cell()} = f_({self.leaf()}) + f_({self.leaf()}); }}",
            f"{{ std::function<double(double)> f_ = [=](double e_) {{ return sin(e_) * a + v; }}; {self.cell()} = f_({self.leaf()}); }}",
            f"{{ std::function<void(double)> f_; if ({self.condition()}) f_ = [&](double e_) {{ s = sq(s + e_); }}; else f_ = [&](double e_) {{ W[1] = e_; }}; f_({self.expression(1)}); }}")]

    def virtual(self):
        return [self.choice(
            f"s = sq(s + shapes[k & 1]->area({self.leaf()}, {self.leaf()}));", f"shapes[{self.index((0, 1))}]->scale = {self.leaf()};",
            f"{{ std::unique_ptr<Shape> o_; if ({self.condition()}) o_.reset(new Round); else o_.reset(new Flat); o_->scale = {self.leaf()}; {self.cell()} = sq(o_->area({self.leaf()}, v)); }}",
            f"{{ Shape &o_ = *shapes[m & 1]; o_.grow({self.leaf()}); {self.cell()} = o_.area(a, {self.leaf()}); }}")]

    def exception(self):
        return [self.choice(
            f"try {{ s = sq(s + risky({self.expression(1)}, {self.leaf()})); }} catch (double e_) {{ {self.cell()} = sq(e_); }} catch (const Failure &) {{}}",
            f"try {{ Holder h_{{{self.leaf()}, &s}}; v = risky({self.leaf()}, {self.leaf()}); }} catch (const Failure &e_) {{ s += e_.value; }} catch (double e_) {{ v = e_; }}",
            f"{{ Holder h_{{{self.expression(1)}, &s}}; if ({self.condition()}) {{ W[2] = {self.leaf()}; }} }}")]

    def template(self):
        p = f"{self.choice('x', 'y', 'z')} + {self.index((-20, 60))}"
        return [self.choice(f"s = sq(s + power<{self.choice('2', '3', '5')}>({self.leaf()}));", f"{self.cell()} = sq(chain<3>({p}, {self.leaf()}));",
                            f"s = sq(s + sum({self.leaf()}, {self.leaf()}, {self.leaf()}));")]

    def by_value(self):
        vec = lambda: f"Vec<3>{{{{{self.leaf()}, {self.leaf()}, {self.leaf()}}}}}"
        return [self.choice(
            f"{{ Vec<3> w_ = {vec()} + {vec()} * {self.leaf()}; {self.cell()} = sq(w_.dot({vec()})); }}",
            f"{{ auto w_ = mix({vec()}, {self.leaf()}); {self.cell()} = sq(w_.e[k % 3]); }}",
            f"{{ auto [p_, q_] = pair({self.leaf()}, {self.leaf()}); s += p_; v = sq(q_); }}",
            f"{{ std::optional<double> o_; if ({self.condition()}) o_ = {self.leaf()}; s += o_.value_or(v); }}",
            f"{{ std::array<double, 4> w_ = {{{self.leaf()}, s, v, a}}; std::swap(w_[0], w_[n & 3]); {self.cell()} = w_[0]; }}")]

    def bits(self):
        return [self.choice(
            "v = std::bit_cast<double>(std::bit_cast<uint64_t>(v) ^ 0x8000000000000000u);",
            "v = std::bit_cast<double>(std::bit_cast<uint64_t>(v) & 0x7fffffffffffffffu);",
            f"s = copysign(s, {self.leaf()} + 0.01713);",
            f"{{ uint64_t b_; memcpy(&b_, &{self.cell()}, 8); memcpy(&v, &b_, 8); }}",
            f"if (std::bit_cast<int64_t>({self.leaf()} + 0.01713) < 0) s = -s;")]

    def map_(self):
        return [self.choice(f"M[{self.index((0, 7))}] = {self.expression()};", f"M[k & 7] += {self.leaf()};",
                            f"if (auto i_ = M.find({self.index((0, 7))}); i_ != M.end()) s = sq(s + i_->second);", "M.erase(k & 7);",
                            "for (auto i_ = M.rbegin(); i_ != M.rend(); ++i_) s = sq(s * i_->second + i_->first);")]

    def owned(self):
        return [self.choice(
            f"{{ std::unique_ptr<double[]> o_(new double[4]{{{self.leaf()}, 1, v}}); o_[3] = o_[0] * o_[2]; {self.cell()} = sq(o_[{self.index((0, 3))}]); }}",
            f"{{ auto o_ = std::make_shared<Vec<3>>(); o_->e[1] = {self.leaf()}; auto c_ = o_; c_->e[2] = o_->e[1] * v; {self.cell()} = o_->e[k % 3]; }}")]

    def parts(self):
        p, q = (f"{self.choice('x', 'y', 'z')} + {self.index((-20, 60))}" for _ in range(2))
        return [self.choice(
            f"{{ Vec<3> w_; memcpy(w_.e, {p}, sizeof w_); w_.e[1] *= {self.leaf()}; memcpy({q}, &w_.e[1], 16); }}",
            f"memcpy(&W[0], {p}, 3 * sizeof(double));", f"memmove(&W[1], &W[0], ({self.index((0, 31))}) * sizeof(double));")]

    def long_double(self):
        return [f"{{ long double l_ = {self.expression(1)}; l_ = l_ * {self.leaf()} + 0.5L; {self.cell()} = sq((double)l_); }}"]

    def bound(self):
        return [self.choice("s = sq(s);", "v = std::clamp(v, -3.0137, 3.0171);", f"s = std::max(s, {self.leaf()} + 0.01791);",
                            f"s = std::lerp(s, {self.leaf()}, 0.3);", f"v = std::fma(v, 0.5, {self.leaf()});")]

    def definition(self, name, statements):
        text = super().definition(name, statements)
        text = text.replace("restrict ", "__restrict ").replace("double *H = malloc", "double *H = (double *)malloc")
        text = re.sub(r"__verso_(jvp|grad)\((\w+)", r"__verso_\1((void *)\2", text)
        at = text.index("  struct U u")
        return (text[:at] + "  std::vector<double> W(x, x + 40), Q(y, y + 40);\n  std::map<int, double> M{{1, a}, {3, 0.5}, {6, y[0]}};\n"
                "  Round round; Flat flat; Shape *shapes[2] = {&round, &flat};\n  flat.scale = a;\n" + text[at:])
