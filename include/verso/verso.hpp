//===- verso.hpp - derivatives of C++ functions -----------------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Verso's interface for C++20. Compile with -fpass-plugin=libVerso.so and link
// with -lverso.
//
//   double f(double x, const std::vector<double> &y);
//
//   auto [dx, dy] = verso::grad(f)(x, y);              a double and a vector
//   auto [value, gradient] = verso::value_and_grad(f)(x, y);
//   auto [z, pullback] = verso::vjp(g, x, y);          g returns any numbers
//   verso::Matrix j = verso::jacobian(g)(y);
//   auto [z, dz] = verso::jvp(g, y, dy);               forward mode
//   auto [z, pushforward] = verso::linearize(g, y);
//   verso::Matrix h = verso::hessian(f)(y);
//   auto hv = verso::hvp(f, y, v);
//   verso::SparseMatrix s = verso::sparse_jacobian(g, y);
//   verso::SparseMatrix t = verso::sparse_hessian(f, y);
//
// A derivative has the type of what it is a derivative of: of a struct a
// struct, of a vector a vector of equal length. numbers.hpp says which types
// can be differentiated and how others are made known, arguments.hpp what
// follows from a parameter's type (const & is an input, & an input and an
// output) and how an argument says otherwise: verso::constant(x),
// verso::active(x), verso::inout(x), verso::out(x).
//
// Mistakes are static assertions. A tangent or cotangent of another shape than
// its primal is a std::invalid_argument.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_VERSO_HPP
#define VERSO_VERSO_HPP

#if __cplusplus < 202002L
#error "verso/verso.hpp needs C++20: compile with -std=c++20, or use verso/verso.h"
#else
#include "verso/forward.hpp"
#include "verso/jacobian.hpp"
#include "verso/linearize.hpp"
#include "verso/pullback.hpp"
#include "verso/reverse.hpp"
#include "verso/sparse.hpp"
#endif

#endif // VERSO_VERSO_HPP
