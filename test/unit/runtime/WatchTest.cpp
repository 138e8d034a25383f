//===- WatchTest.cpp - adjoints of watched memory -------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Recorder.h"

#include <gtest/gtest.h>

#include <memory>

using namespace verso;
using namespace verso::test;

namespace {

struct Node {
  std::unique_ptr<Node> Next;
  double Weight;
  float Bias[2];
};

double adjointOf(const double &Cell) {
  return *static_cast<double *>(verso_adjoint_of(&Cell));
}

} // namespace

TEST(Watch, CellsReachedThroughPointers) {
  Node List = {std::make_unique<Node>(Node{nullptr, 3, {5, 7}}), 2, {1, 1}};
  verso_watch(&List, sizeof(Node));
  verso_watch(List.Next.get(), sizeof(Node));
  for (int Round = 0; Round != 2; ++Round) {
    Recorder R;
    auto P = R.multiply(R.load(&List.Weight), R.load(&List.Next->Weight));
    auto B = R.load(&List.Next->Bias[1]);
    R.adjoint(R.record({{1, P.Id}, {4, B.Id}})) = 1;
    R.sweepAndEnd();
    EXPECT_EQ(adjointOf(List.Weight), 3);
    EXPECT_EQ(adjointOf(List.Next->Weight), 2);
    EXPECT_EQ(*static_cast<float *>(verso_adjoint_of(&List.Next->Bias[1])), 4);
    EXPECT_EQ(*static_cast<float *>(verso_adjoint_of(&List.Next->Bias[0])), 0);
  }
  verso_unwatch(&List);
  verso_unwatch(List.Next.get());
  EXPECT_EQ(verso_adjoint_of(&List), nullptr);
}

TEST(Watch, OverwrittenCellIsNoInput) {
  double X = 3;
  verso_watch(&X, sizeof(X));
  Recorder R;
  auto A = R.load(&X);
  R.store(R.multiply(A, A), &X); // x = x * x = 9; y = x * x
  auto B = R.load(&X);
  R.adjoint(R.multiply(B, B).Id) = 1;
  R.sweepAndEnd();
  EXPECT_EQ(adjointOf(X), 4 * 27);
  verso_unwatch(&X);
}

TEST(Watch, OtherMemoryHasNoAdjoint) {
  double X[4] = {};
  verso_watch(&X[1], 16);
  EXPECT_EQ(verso_adjoint_of(&X[0]), nullptr);
  EXPECT_NE(verso_adjoint_of(&X[1]), nullptr);
  EXPECT_EQ(static_cast<char *>(verso_adjoint_of(&X[2])) -
                static_cast<char *>(verso_adjoint_of(&X[1])),
            8);
  EXPECT_EQ(verso_adjoint_of(&X[3]), nullptr);
  verso_unwatch(&X[1]);
}

TEST(WatchDeathTest, NotMemory) {
  EXPECT_EXIT(verso_watch(reinterpret_cast<void *>(~UINT64_C(0) - 100), 64),
              testing::ExitedWithCode(86), "is not memory of the program");
}
