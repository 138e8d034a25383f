//===- usual-members.cpp - programs that need no tape ---------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// exec/cxx/names-and-pointers.cpp says what each is about.
//
// REQUIRES: llvm22
//
//===----------------------------------------------------------------------===//

// RUN: %clang_verso -O2 -Rpass=verso -c %s -o /dev/null 2>&1 | \
// RUN:   grep -c "by reversed control flow" | FileCheck %s
// CHECK: 4

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

extern int verso_dup;
void __verso_grad(void *, ...);

struct Grid {
  double Width;
  std::unordered_map<int, std::vector<int>> Cells;
};
static double hashed(const double *X, int N) {
  Grid G{X[0], {}};
  for (int I = 0; I < N; ++I)
    G.Cells[I % 3].push_back(I);
  double S = 0;
  for (int I : G.Cells[1])
    S += G.Width * X[I] * X[I];
  return S;
}

static double byName(const double *X, int) {
  std::map<std::string, double> P;
  P["threshold"] = X[0];
  P["strength"] = X[1];
  return P.at("threshold") * P.at("strength");
}

static double nothing(const double *X, int N) {
  std::unordered_map<int, double> Extra;
  double S = 0;
  for (int I = 0; I < N; ++I) {
    auto It = Extra.find(I);
    S += X[I] * X[I] + (It != Extra.end() ? It->second : 0.0);
  }
  return S;
}

static std::vector<double> load() { return {1, 2, 3}; }
static double overData(const double *X, int) {
  static const std::vector<double> Data = load();
  double *Own = new double[Data.size()], S = 0;
  for (size_t I = 0; I < Data.size(); ++I) {
    Own[I] = X[I] * Data[I];
    S += Own[I] * Own[I / 2];
  }
  delete[] Own;
  return S;
}

void gradients(double *X, double *D, int N) {
  __verso_grad((void *)hashed, verso_dup, X, D, N);
  __verso_grad((void *)byName, verso_dup, X, D, N);
  __verso_grad((void *)nothing, verso_dup, X, D, N);
  __verso_grad((void *)overData, verso_dup, X, D, N);
}
