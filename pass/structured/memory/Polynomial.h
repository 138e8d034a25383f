//===- Polynomial.h - integer polynomials of several variables --*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What differences of addresses are (RangeTest.h).
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_STRUCTURED_MEMORY_POLYNOMIAL_H
#define VERSO_STRUCTURED_MEMORY_POLYNOMIAL_H

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <cstdint>
#include <map>
#include <numeric>
#include <vector>

namespace verso {

/// With integer coefficients, of variables that are known by numbers.
class Polynomial {
public:
  using Variables = std::vector<unsigned>; ///< Sorted; a power is repeated.

  Polynomial(int64_t Constant = 0) { add({}, Constant); }
  static Polynomial variable(unsigned V) {
    Polynomial P;
    P.add({V}, 1);
    return P;
  }

  /// Whether a coefficient did not fit.
  bool hasOverflow() const { return Overflow; }
  const std::map<Variables, int64_t> &terms() const { return Terms; }

  Polynomial operator+(const Polynomial &That) const {
    Polynomial Sum = *this;
    Sum.Overflow |= That.Overflow;
    for (const auto &[V, C] : That.Terms)
      Sum.add(V, C);
    return Sum;
  }
  Polynomial operator*(const Polynomial &That) const {
    Polynomial Product;
    Product.Overflow = Overflow || That.Overflow;
    for (const auto &[V, C] : Terms)
      for (const auto &[W, D] : That.Terms) {
        Variables Both = V;
        llvm::append_range(Both, W);
        llvm::sort(Both);
        int64_t CD;
        Product.Overflow |= llvm::MulOverflow(C, D, CD);
        Product.add(Both, CD);
      }
    return Product;
  }
  Polynomial operator-(const Polynomial &That) const {
    return *this + That * Polynomial(-1);
  }

  /// This as Factor * V + Rest; false if V has a higher power.
  bool split(unsigned V, Polynomial &Factor, Polynomial &Rest) const {
    Factor = Rest = Polynomial();
    Factor.Overflow = Rest.Overflow = Overflow;
    for (const auto &[W, C] : Terms) {
      Variables Others = W;
      auto At = llvm::find(Others, V);
      if (At == Others.end()) {
        Rest.add(W, C);
        continue;
      }
      Others.erase(At);
      if (llvm::is_contained(Others, V))
        return false;
      Factor.add(Others, C);
    }
    return true;
  }

  /// The greatest that divides all coefficients.
  int64_t divisor() const {
    int64_t G = 0;
    for (const auto &[V, C] : Terms)
      G = std::gcd(G, C);
    return G;
  }
  /// Coefficients divided and rounded to the nearest, but for the constant.
  Polynomial divided(int64_t By) const {
    Polynomial P;
    P.Overflow = Overflow;
    for (const auto &[V, C] : Terms)
      if (!V.empty() || C % By == 0)
        P.add(V, C / By + (std::abs(C % By) * 2 > By ? (C < 0 ? -1 : 1) : 0));
    return P;
  }

private:
  void add(const Variables &V, int64_t C) {
    int64_t &Old = Terms[V];
    Overflow |= llvm::AddOverflow(Old, C, Old);
    if (!Old)
      Terms.erase(V);
  }

  std::map<Variables, int64_t> Terms;
  bool Overflow = false;
};

} // namespace verso

#endif // VERSO_STRUCTURED_MEMORY_POLYNOMIAL_H
