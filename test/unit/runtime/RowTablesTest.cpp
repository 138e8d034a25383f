//===- RowTablesTest.cpp - rows that share bytes, or do not ---------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Interface.h"

#include <gtest/gtest.h>

#include <random>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

using namespace verso::entry;

namespace {

struct Rows {
  std::vector<int64_t> Cells; ///< Pointers at every Stride / 8th.
  int64_t Stride, Low, High;

  void *table() { return Cells.data(); }
  int64_t bytes() const { return int64_t(Cells.size()) * 8; }
  std::vector<std::pair<int64_t, int64_t>> ranges() const {
    std::vector<std::pair<int64_t, int64_t>> Result;
    for (size_t K = 0; K < Cells.size(); K += size_t(Stride) / 8)
      Result.push_back({Cells[K] + Low, Cells[K] + High});
    return Result;
  }
};

bool meet(std::pair<int64_t, int64_t> A, std::pair<int64_t, int64_t> B) {
  return A.first < B.second && B.first < A.second;
}

class RowTables : public testing::Test {
protected:
  int64_t below(int64_t N) {
    return std::uniform_int_distribution<int64_t>(0, N - 1)(Random);
  }
  Rows make(int64_t Most, int64_t Space) {
    Rows R{{}, 8 * (1 + below(3)), below(3) * 8 - 8, 0};
    R.High = R.Low + below(6) * 8;
    R.Cells.resize(size_t((1 + below(Most)) * R.Stride / 8));
    for (int64_t &Cell : R.Cells)
      Cell = 1000000 + below(Space) * 8;
    return R;
  }
  std::mt19937 Random{7};
};

int ask(Rows &A, Rows &B) {
  return __verso_rows_are_apart(VERSO_ROWS_ASK, A.table(), A.bytes(), A.Stride,
                                A.Low, A.High, B.table(), B.bytes(), B.Stride,
                                B.Low, B.High);
}

} // namespace

TEST_F(RowTables, TwoTables) {
  int Seen[2] = {};
  for (int Round = 0; Round < 4000; ++Round) {
    const bool Many = Round % 40 == 0;
    Rows A = make(Many ? 600 : 5, Many ? 100000 : 60),
         B = make(Many ? 600 : 5, Many ? 100000 : 60);
    bool Apart = true;
    for (auto X : A.ranges())
      for (auto Y : B.ranges())
        Apart = Apart && (A.Low == A.High || B.Low == B.High || !meet(X, Y));
    EXPECT_EQ(ask(A, B), int(Apart));
    ++Seen[Apart];
  }
  EXPECT_GT(Seen[0], 100);
  EXPECT_GT(Seen[1], 100);
}

TEST_F(RowTables, MemoryAndTable) {
  int Seen[2] = {};
  for (int Round = 0; Round < 2000; ++Round) {
    Rows A = make(5, 60);
    const int64_t Low = 1000000 + below(60) * 8, High = Low + 8 + below(80);
    bool Apart = true;
    for (auto X : A.ranges())
      Apart = Apart && (A.Low == A.High || !meet(X, {Low, High}));
    EXPECT_EQ(__verso_rows_are_apart(VERSO_ROWS_ASK, nullptr, 0, 0, Low, High,
                                     A.table(), A.bytes(), A.Stride, A.Low,
                                     A.High),
              int(Apart));
    ++Seen[Apart];
  }
  EXPECT_GT(Seen[0], 100);
  EXPECT_GT(Seen[1], 100);
}

TEST_F(RowTables, OneTable) {
  int Seen[2] = {};
  for (int Round = 0; Round < 2000; ++Round) {
    Rows A = make(5, 60);
    bool Apart = true;
    auto All = A.ranges();
    for (size_t I = 0; I < All.size(); ++I)
      for (size_t J = 0; J < I; ++J)
        Apart = Apart && (A.Low == A.High || !meet(All[I], All[J]));
    EXPECT_EQ(__verso_rows_are_distinct(VERSO_ROWS_ASK, A.table(), A.bytes(),
                                        A.Stride, A.Low, A.High),
              int(Apart));
    ++Seen[Apart];
  }
  EXPECT_GT(Seen[0], 100);
  EXPECT_GT(Seen[1], 100);
}

TEST_F(RowTables, WhatIsNotAsked) {
  Rows A = make(5, 60), B = A;
  EXPECT_EQ(__verso_rows_are_apart(0, A.table(), A.bytes(), A.Stride, A.Low,
                                   A.High, nullptr, 0, 0, 0, 8),
            0);
  // A null pointer stands for a row that is not there.
  A = {{1000000, 0}, 8, 0, 8};
  B = {{2000000}, 8, 0, 8};
  EXPECT_EQ(ask(A, B), 0);
  // Nor is a table that is not there memory without a table.
  EXPECT_EQ(__verso_rows_are_apart(VERSO_ROWS_ASK, nullptr, 8, 8, 0, 8,
                                   B.table(), 8, 8, 0, 8),
            0);
  // Nothing is read of a table.
  A.Cells[1] = 3000000;
  EXPECT_EQ(ask(A, B), 1);
  EXPECT_EQ(__verso_rows_are_apart(VERSO_ROWS_ASK, A.table(), 0, 8, 0, 8,
                                   B.table(), 8, 8, 0, 8),
            1);
}

TEST_F(RowTables, TableThatIsNotThere) {
  const size_t Page = size_t(sysconf(_SC_PAGESIZE));
  void *Pages = mmap(nullptr, 2 * Page, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(Pages, MAP_FAILED);
  ASSERT_EQ(munmap(static_cast<char *>(Pages) + Page, Page), 0);
  char *Table = static_cast<char *>(Pages) + Page - 8;
  *reinterpret_cast<int64_t *>(Table) = 1000000;
  auto Ask = [&](int64_t Bytes) {
    return __verso_rows_are_distinct(VERSO_ROWS_ASK, Table, Bytes, 8, 0, 8);
  };
  EXPECT_EQ(Ask(8), 1);
  EXPECT_EQ(Ask(16), 0);
  munmap(Pages, Page);
}
