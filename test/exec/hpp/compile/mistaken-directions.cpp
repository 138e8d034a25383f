//===- mistaken-directions.cpp - tangents, cotangents and Jacobians ------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A mistake is one error, in plain words, and the compiler's notes lead to the
// user's line.
//
//===----------------------------------------------------------------------===//

// RUN: %clangxx -std=c++20 -x c++-header %S/../../../../include/verso/verso.hpp \
// RUN:   -o %t.pch
// RUN: not %clangxx -std=c++20 -fsyntax-only -include-pch %t.pch \
// RUN:   -DCOTANGENTS %s 2>&1 | FileCheck %s --check-prefix=COTANGENTS \
// RUN:   --implicit-check-not=error:
// RUN: not %clangxx -std=c++20 -fsyntax-only -include-pch %t.pch \
// RUN:   -DCOTANGENT_TYPE %s 2>&1 | FileCheck %s --check-prefix=COTANGENT_TYPE \
// RUN:   --implicit-check-not=error:
// RUN: not %clangxx -std=c++20 -fsyntax-only -include-pch %t.pch \
// RUN:   -DOUTPUT_COTANGENT %s 2>&1 | FileCheck %s --check-prefix=OUTPUT_COTANGENT \
// RUN:   --implicit-check-not=error:
// RUN: not %clangxx -std=c++20 -fsyntax-only -include-pch %t.pch \
// RUN:   -DTANGENTS %s 2>&1 | FileCheck %s --check-prefix=TANGENTS \
// RUN:   --implicit-check-not=error:
// RUN: not %clangxx -std=c++20 -fsyntax-only -include-pch %t.pch \
// RUN:   -DTANGENT_TYPE %s 2>&1 | FileCheck %s --check-prefix=TANGENT_TYPE \
// RUN:   --implicit-check-not=error:
// RUN: not %clangxx -std=c++20 -fsyntax-only -include-pch %t.pch \
// RUN:   -DWRITTEN_TANGENT %s 2>&1 | FileCheck %s --check-prefix=WRITTEN_TANGENT \
// RUN:   --implicit-check-not=error:
// RUN: not %clangxx -std=c++20 -fsyntax-only -include-pch %t.pch \
// RUN:   -DTWO_ARGUMENTS %s 2>&1 | FileCheck %s --check-prefix=TWO_ARGUMENTS \
// RUN:   --implicit-check-not=error:
// RUN: not %clangxx -std=c++20 -fsyntax-only -include-pch %t.pch \
// RUN:   -DWRITES %s 2>&1 | FileCheck %s --check-prefix=WRITES \
// RUN:   --implicit-check-not=error:
// RUN: not %clangxx -std=c++20 -fsyntax-only -include-pch %t.pch \
// RUN:   -DLINEARIZE_WRITES %s 2>&1 | FileCheck %s --check-prefix=LINEARIZE_WRITES \
// RUN:   --implicit-check-not=error:
// RUN: not %clangxx -std=c++20 -fsyntax-only -include-pch %t.pch \
// RUN:   -DPUSHFORWARD %s 2>&1 | FileCheck %s --check-prefix=PUSHFORWARD \
// RUN:   --implicit-check-not=error:

#include "verso/verso.hpp"

static std::vector<double> several(double x) { return {x, x}; }
static double product(double x, double y) { return x * y; }
static double norm(const std::vector<double> &x) { return x[0]; }
static double writes(double &x) { return x *= x; }
static double number;
static double scales(std::array<double, 1> &x) { return x[0] *= 2; }
static std::array<double, 1> array;
static const std::array<double, 1> fixed{};

int main() {
#ifdef COTANGENTS
  // COTANGENTS: error: {{.*}}verso: a pullback takes the cotangent of the returned value
  // COTANGENTS: mistaken-directions.cpp:[[@LINE+1]]:{{.*}}requested here
  verso::vjp(several, 1.0).pullback();
#endif
#ifdef COTANGENT_TYPE
  // COTANGENT_TYPE: error: {{.*}}verso: a cotangent has another type than the value
  // COTANGENT_TYPE: mistaken-directions.cpp:[[@LINE+1]]:{{.*}}requested here
  verso::vjp(several, 1.0).pullback(std::array<double, 2>());
#endif
#ifdef OUTPUT_COTANGENT
  // OUTPUT_COTANGENT: error: {{.*}}verso: a cotangent has another type than the value or output
  // OUTPUT_COTANGENT: mistaken-directions.cpp:[[@LINE+1]]:{{.*}}requested here
  verso::vjp(scales, array).pullback(1, 1);
#endif
#ifdef TANGENTS
  // TANGENTS: error: {{.*}}verso: there is not one tangent for each argument that varies
  // TANGENTS: mistaken-directions.cpp:[[@LINE+1]]:{{.*}}requested here
  verso::jvp(product, std::tuple(1.0, 2.0), 1.0);
#endif
#ifdef TANGENT_TYPE
  // TANGENT_TYPE: error: {{.*}}verso: a tangent has another type
  // TANGENT_TYPE: mistaken-directions.cpp:[[@LINE+1]]:{{.*}}requested here
  verso::jvp(norm, std::vector<double>(), std::array<double, 2>());
#endif
#ifdef WRITTEN_TANGENT
  // WRITTEN_TANGENT: error: {{.*}}verso: the tangent of an argument that the function writes is written
  // WRITTEN_TANGENT: mistaken-directions.cpp:[[@LINE+1]]:{{.*}}requested here
  verso::jvp(scales, std::tie(array), std::tie(fixed));
#endif
#ifdef TWO_ARGUMENTS
  // TWO_ARGUMENTS: error: {{.*}}verso: a Jacobian or Hessian is with respect to one argument
  // TWO_ARGUMENTS: mistaken-directions.cpp:[[@LINE+1]]:{{.*}}requested here
  verso::hessian(product)(1.0, 2.0);
#endif
#ifdef WRITES
  // WRITES: error: {{.*}}verso: the function of a Jacobian or Hessian must not write
  // WRITES: mistaken-directions.cpp:[[@LINE+1]]:{{.*}}requested here
  verso::jacrev(writes)(number);
#endif
#ifdef LINEARIZE_WRITES
  // LINEARIZE_WRITES: error: {{.*}}verso: a function that is linearized must return its value
  // LINEARIZE_WRITES: mistaken-directions.cpp:[[@LINE+1]]:{{.*}}requested here
  verso::linearize(writes, number);
#endif
#ifdef PUSHFORWARD
  // PUSHFORWARD: error: {{.*}}verso: a pushforward takes one tangent for each argument
  // PUSHFORWARD: mistaken-directions.cpp:[[@LINE+1]]:{{.*}}requested here
  verso::linearize(product, 1.0, 2.0).pushforward(1.0);
#endif
}
