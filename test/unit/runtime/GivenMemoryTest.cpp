//===- GivenMemoryTest.cpp - arguments that have a shadow -----------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How large blocks of the heap are, and where arguments of known and of unknown
// size, and pointers in them, may lead.
//
//===----------------------------------------------------------------------===//

#include "GivenMemory.h"

#include <gtest/gtest.h>

#include <malloc.h>
#include <thread>

using namespace verso;

namespace {

constexpr uint64_t Unknown = UINT64_MAX;

uint64_t address(const void *P) { return reinterpret_cast<uint64_t>(P); }

Range numbers(const double *P, size_t Count) {
  return {address(P), address(P + Count)};
}

bool mayLead(GivenMemory &Given, Range Memory, Range Variable = {0, 0}) {
  static uint64_t Key = 0;
  return Given.anyShadow(Memory, Variable, ++Key,
                         [](uint64_t) { return true; });
}

/// Of unknown size.
Given argument(const void *P, const void *Shadow) {
  return {address(P), address(Shadow), 4, Unknown, 4};
}

TEST(GivenMemory, BlocksOfTheHeapHaveASize) {
  for (size_t Bytes : {1, 24, 25, 100, 1000, 5000, 200000, 40000000}) {
    void *P = malloc(Bytes);
    EXPECT_EQ(bytesOfBlock(address(P)), malloc_usable_size(P)) << Bytes;
    EXPECT_EQ(bytesOfBlock(address(P) + 8), 0u);
    free(P);
    P = aligned_alloc(64, (Bytes + 63) & -64);
    EXPECT_EQ(bytesOfBlock(address(P)), malloc_usable_size(P)) << Bytes;
    free(P);
  }
  std::thread([] {
    void *P = malloc(100); // In an arena of its own.
    EXPECT_EQ(bytesOfBlock(address(P)), malloc_usable_size(P));
    free(P);
  }).join();
}

TEST(GivenMemory, NothingElseIsABlock) {
  static double Numbers[64] = {1, 2, 3};
  alignas(16) double Local[64] = {0};
  for (int K = 2; K != 64; K += 2) {
    EXPECT_EQ(bytesOfBlock(address(Numbers + K)), 0u);
    EXPECT_EQ(bytesOfBlock(address(Local + K)), 0u);
  }
  EXPECT_EQ(bytesOfBlock(0), 0u);
  EXPECT_EQ(bytesOfBlock(UserEnd + 16), 0u);
}

TEST(GivenMemory, ABlockOfTheHeapEnds) {
  double *X = new double[20], *D = new double[20], *Work = new double[20];
  GivenMemory Given;
  Given.note(argument(X, D));
  EXPECT_TRUE(mayLead(Given, numbers(X + 8, 12)));
  EXPECT_FALSE(mayLead(Given, numbers(Work, 20)));
  // The shadow has less than the argument: the rest is something else.
  double *Few = new double[4];
  Given.clear();
  Given.note(argument(X, Few));
  EXPECT_FALSE(mayLead(Given, numbers(X + 8, 12)));
  Given.release();
  delete[] X;
  delete[] D;
  delete[] Work;
  delete[] Few;
}

TEST(GivenMemory, VariablesAndShadowsEndWhereTheOtherBegins) {
  static double All[100];
  GivenMemory Given;
  Given.note(argument(All, All + 20));
  EXPECT_TRUE(mayLead(Given, numbers(All + 10, 10)));
  EXPECT_FALSE(mayLead(Given, numbers(All + 40, 10)));
  Given.clear();
  Given.note(argument(All + 20, All));
  EXPECT_FALSE(mayLead(Given, numbers(All + 60, 10)));
  EXPECT_TRUE(mayLead(Given, numbers(All + 30, 10)));
  EXPECT_FALSE(mayLead(Given, numbers(All + 30, 10),
                       {address(All + 30), address(All + 40)}));
  Given.release();
}

TEST(GivenMemory, KnownSizesAreBelieved) {
  static double X[10], D[10], After[10];
  GivenMemory Given;
  Given.note({address(X), address(D), sizeof X, sizeof X, sizeof X});
  EXPECT_TRUE(mayLead(Given, numbers(X + 9, 1)));
  EXPECT_FALSE(mayLead(Given, numbers(X + 10, 1)));
  EXPECT_FALSE(mayLead(Given, numbers(After, 10)));
  Given.release();
}

TEST(GivenMemory, PointersLeadOn) {
  struct Node {
    double Number;
    Node *Next;
    double *Numbers, *Shared;
  };
  double *Shared = new double[4], *Mine = new double[4], *Its = new double[4];
  Node *Last = new Node{1, nullptr, Mine, Shared};
  Node *OfLast = new Node{0, nullptr, Its, Shared};
  Last->Next = Last, OfLast->Next = OfLast;
  Node First{2, Last, nullptr, Shared}, OfFirst{0, OfLast, nullptr, Shared};
  GivenMemory Given;
  Given.note({address(&First), address(&OfFirst), 4, Unknown, sizeof First});
  EXPECT_TRUE(mayLead(Given, numbers(Mine, 4)));
  EXPECT_TRUE(mayLead(Given, numbers(Mine + 2, 2)));
  EXPECT_FALSE(mayLead(Given, numbers(Shared, 4)));
  EXPECT_FALSE(mayLead(Given, numbers(Its, 4)));
  Given.release();
  delete Last;
  delete OfLast;
  delete[] Shared;
  delete[] Mine;
  delete[] Its;
}

TEST(GivenMemory, AnyNumberOfArgumentsAndObjects) {
  // Blocks without a rest that nobody wrote: older pointers may lie there.
  constexpr size_t Count = 1001;
  double **Table = new double *[Count], **Shadows = new double *[Count];
  for (size_t K = 0; K != Count; ++K)
    Table[K] = new double[3](), Shadows[K] = new double[3]();
  GivenMemory Given;
  for (size_t K = 0; K != Count / 2; ++K)
    Given.note(argument(Table[K], Shadows[K]));
  EXPECT_TRUE(mayLead(Given, numbers(Table[Count / 2 - 1], 2)));
  EXPECT_FALSE(mayLead(Given, numbers(Table[Count - 1], 2)));
  Given.clear();
  Given.note(argument(Table, Shadows));
  for (size_t K = 0; K != Count; ++K) {
    EXPECT_TRUE(mayLead(Given, numbers(Table[K], 2)));
    EXPECT_FALSE(mayLead(Given, numbers(Shadows[K], 2))) << K;
  }
  Given.release();
  for (size_t K = 0; K != Count; ++K) {
    delete[] Table[K];
    delete[] Shadows[K];
  }
  delete[] Table;
  delete[] Shadows;
}

} // namespace
