//===- SweepTest.cpp - gradients of hand-written tapes --------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Proves that records, leaves, images, raw leaves and copies give the right
// adjoints, and that adjoints are zero again afterwards.
//
//===----------------------------------------------------------------------===//

#include "Recorder.h"

#include <gtest/gtest.h>

#include <vector>

using namespace verso;
using namespace verso::test;

namespace {

/// An array of numbers with its shadow.
template <typename T, size_t N> struct Tracked {
  alignas(16) T Primal[N] = {};
  alignas(16) T Shadow[N] = {};
  int64_t offset() const { return offsetOf(Primal, Shadow); }
};

void expectClean(const verso_context *C) {
  for (uint32_t I = 0; I != C->next; ++I)
    ASSERT_EQ(C->adj[I], 0) << "adjoint " << I;
}

} // namespace

TEST(Sweep, ProductOfInputs) {
  Tracked<double, 2> X = {{3, 5}, {0.5, 0}};
  Recorder R;
  auto A = R.load(&X.Primal[0], X.offset());
  auto B = R.load(&X.Primal[1], X.offset());
  auto P = R.multiply(A, B);
  R.adjoint(P.Id) = 1;
  R.sweepAndEnd();
  EXPECT_EQ(X.Shadow[0], 5.5); // Added to what was there.
  EXPECT_EQ(X.Shadow[1], 3);
  expectClean(R.context());
}

TEST(Sweep, PartialOfOneIsNotWritten) {
  Tracked<double, 2> X = {{3, 5}, {}};
  Recorder R;
  auto A = R.load(&X.Primal[0], X.offset());
  auto B = R.load(&X.Primal[1], X.offset());
  uint32_t S = R.sum(A.Id, {{4, B.Id}, {7, A.Id}}); // a + 4 b + 7 a
  R.adjoint(R.sum(S, {})) = 2;
  R.sweepAndEnd();
  EXPECT_EQ(X.Shadow[0], 16);
  EXPECT_EQ(X.Shadow[1], 8);
  expectClean(R.context());
}

TEST(Sweep, RecordsShareABlockOfPartials) {
  Tracked<double, 2> X = {{3, 5}, {}};
  Recorder R;
  auto A = R.load(&X.Primal[0], X.offset());
  auto B = R.load(&X.Primal[1], X.offset());
  uint32_t Block = R.block({2, 10});
  uint32_t S = R.shared(Block, {A.Id, B.Id}); // 2 a + 10 b
  S = R.shared(Block, {S, B.Id});             // 2 s + 10 b
  uint32_t Other = R.block({-1});
  R.adjoint(R.shared(Other, {S})) = 1;
  R.sweepAndEnd();
  EXPECT_EQ(X.Shadow[0], -4);
  EXPECT_EQ(X.Shadow[1], -30);
  expectClean(R.context());
}

/// Records of few terms are resolved by code of their own.
TEST(Sweep, RecordsOfAnyKindAndSize) {
  constexpr uint32_t Most = 10;
  for (verso_record_kind Kind :
       {VERSO_RECORD_CONTRIBUTIONS, VERSO_RECORD_SUM, VERSO_RECORD_SHARED})
    for (uint32_t N = 1; N <= Most; ++N)
      for (uint32_t Flags : {uint32_t(0), VERSO_RECORD_MAY_BE_DIRECT,
                             VERSO_RECORD_REPEATS, VERSO_RECORD_FLAGS}) {
        if ((Flags & VERSO_RECORD_REPEATS) &&
            (Kind == VERSO_RECORD_SHARED || N == 1))
          continue;
        Tracked<double, Most> X = {};
        double Cells[Most] = {};
        Recorder R;
        R.context()->direct = reinterpret_cast<char *>(Cells);
        std::vector<Recorder::Term> Terms;
        for (uint32_t I = 0; I != N; ++I) {
          bool Direct = (Flags & VERSO_RECORD_MAY_BE_DIRECT) && I % 2;
          uint32_t Leaf = R.load(&X.Primal[I], X.offset()).Id;
          Terms.push_back({I + 1.0, Direct ? I | VERSO_ID_DIRECT : Leaf});
        }
        uint32_t Id = R.recordOf(Kind, Terms, Flags);
        uint32_t Unused = R.recordOf(Kind, Terms, Flags);
        R.adjoint(R.recordOf(Kind, {{1, Id}}, 0)) = 2;
        R.sweepAndEnd();
        for (uint32_t I = 0; I != Most; ++I) {
          bool Direct = (Flags & VERSO_RECORD_MAY_BE_DIRECT) && I % 2;
          double Got = I < N ? 2 * (I + 1.0) : 0;
          EXPECT_EQ(X.Shadow[I], Direct ? 0 : Got) << Kind << " of " << N;
          EXPECT_EQ(Cells[I], Direct ? Got : 0) << Kind << " of " << N;
        }
        EXPECT_EQ(R.context()->adj[Unused], 0);
        expectClean(R.context());
      }
}

/// Rows of records with the same last operand: x, then y, then x again, between
/// them one that reads x, and some that nobody needs.
TEST(Sweep, RowsThatRepeatAnOperand) {
  for (bool Direct : {false, true}) {
    Tracked<double, 3> X = {};
    double Cells[3] = {};
    Recorder R;
    R.context()->direct = reinterpret_cast<char *>(Cells);
    uint32_t Flags =
        VERSO_RECORD_REPEATS | (Direct ? VERSO_RECORD_MAY_BE_DIRECT : 0);
    auto Operand = [&](uint32_t I) {
      uint32_t Leaf = R.load(&X.Primal[I], X.offset()).Id;
      return Direct ? I | VERSO_ID_DIRECT : Leaf;
    };
    uint32_t A = Operand(0), B = Operand(1), C = Operand(2);
    uint32_t S =
        R.recordOf(VERSO_RECORD_CONTRIBUTIONS, {{2, A}, {3, B}}, Flags);
    S = R.recordOf(VERSO_RECORD_SUM, {{1, S}, {5, A}, {7, B}}, Flags);
    S = R.recordOf(VERSO_RECORD_SUM, {{1, S}, {1, A}, {10, C}}, Flags);
    R.recordOf(VERSO_RECORD_SUM, {{1, S}, {1, A}, {99, C}}, Flags);
    S = R.recordOf(VERSO_RECORD_SUM, {{1, S}, {1, B}, {100, C}}, Flags);
    S = R.recordOf(VERSO_RECORD_SUM, {{1, S}, {2, S}, {4, S}}, Flags);
    R.adjoint(R.recordOf(VERSO_RECORD_SUM, {{1, S}, {1000, B}}, Flags)) = 1;
    R.sweepAndEnd();
    const double *Got = Direct ? Cells : X.Shadow;
    EXPECT_EQ(Got[0], 7 * (2 + 5 + 1));
    EXPECT_EQ(Got[1], 7 * (3 + 7 + 1) + 1000);
    EXPECT_EQ(Got[2], 7 * (10 + 100));
    expectClean(R.context());
  }
}

/// Rows of three terms over cells of the caller's, leaves and other rows: some
/// of the operands follow one another, for a while, some are elements of the
/// same row. Packed or not, they give the same.
TEST(Sweep, PackedRows) {
  constexpr uint32_t Inputs = 100, N = 60, Rows = 6;
  for (uint32_t Kind = 0; Kind != 64; ++Kind) {
    double Got[2][2 * Inputs];
    size_t Bytes[2];
    for (bool Packs : {false, true}) {
      Tracked<double, Inputs> X = {};
      double Cells[Inputs] = {};
      Recorder R;
      R.context()->direct = reinterpret_cast<char *>(Cells);
      uint32_t Leaf = R.next();
      for (double &P : X.Primal)
        R.load(&P, X.offset());
      const char *Begin = R.context()->cursor;
      for (uint32_t Row = 0; Row != Rows; ++Row) {
        std::vector<uint32_t> Operands;
        uint32_t First = R.next(), Distance = 1 + Kind;
        for (uint32_t I = 0; I != N; ++I) {
          bool AtEdge = I == Kind % 9 || I + 1 == N - Kind % 5;
          Operands.push_back(AtEdge ? Leaf : Leaf + Inputs - Row + I - N);
          Operands.push_back(VERSO_ID_DIRECT | (I + Row));
          Operands.push_back(First + I - Distance >= Leaf ? First + I - Distance
                                                          : Leaf + I);
        }
        R.row(Operands, 3, {0.5, -2}, Packs);
      }
      Bytes[Packs] = R.context()->cursor - Begin;
      for (uint32_t I = 0; I != N; ++I)
        if (Kind % 3 || I % 7) // Some are not asked for.
          R.adjoint(R.next() - N + I) = 1 + I;
      R.sweepAndEnd();
      memcpy(Got[Packs], X.Shadow, sizeof X.Shadow);
      memcpy(Got[Packs] + Inputs, Cells, sizeof Cells);
      expectClean(R.context());
    }
    EXPECT_LE(Bytes[true], Bytes[false]);
    if (Kind >= 15)
      EXPECT_LT(Bytes[true], Bytes[false] * 3 / 4) << Kind;
    for (uint32_t I = 0; I != 2 * Inputs; ++I)
      EXPECT_DOUBLE_EQ(Got[true][I], Got[false][I]) << I << " of " << Kind;
  }
}

/// One operand of one element is another: what stands before and behind it is
/// packed, wherever that is.
TEST(Sweep, PackedRowsAreCutAnywhere) {
  constexpr uint32_t Inputs = 64, N = 60, Words = 3;
  for (uint32_t Other = 0; Other != N * Words; ++Other) {
    double Got[2][2 * Inputs];
    size_t Bytes[2];
    for (bool Packs : {false, true}) {
      Tracked<double, Inputs> X = {};
      double Cells[Inputs] = {};
      Recorder R;
      R.context()->direct = reinterpret_cast<char *>(Cells);
      uint32_t Leaf = R.next();
      for (double &P : X.Primal)
        R.load(&P, X.offset());
      const char *Begin = R.context()->cursor;
      std::vector<uint32_t> Operands;
      for (uint32_t I = 0; I != N; ++I)
        for (uint32_t Operand : {Leaf + I, VERSO_ID_DIRECT | I, Leaf + I + 2})
          Operands.push_back(Operand);
      Operands[Other] = Leaf + Inputs - 1;
      R.row(Operands, Words, {0.5, -2}, Packs);
      Bytes[Packs] = R.context()->cursor - Begin;
      for (uint32_t I = 0; I != N; ++I)
        R.adjoint(R.next() - N + I) = 1 + I;
      R.sweepAndEnd();
      memcpy(Got[Packs], X.Shadow, sizeof X.Shadow);
      memcpy(Got[Packs] + Inputs, Cells, sizeof Cells);
      expectClean(R.context());
    }
    EXPECT_LT(Bytes[true], Bytes[false] / 2) << Other;
    for (uint32_t I = 0; I != 2 * Inputs; ++I)
      EXPECT_DOUBLE_EQ(Got[true][I], Got[false][I]) << I << " of " << Other;
  }
}

TEST(Sweep, InPlaceUpdate) {
  // x = x * x, twice; seed in the shadow.
  Tracked<double, 1> X = {{3}, {2}};
  Recorder R;
  for (int I = 0; I != 2; ++I) {
    auto A = R.load(X.Primal, X.offset());
    R.store(R.multiply(A, A), X.Primal, X.offset());
  }
  R.sweepAndEnd();
  EXPECT_EQ(X.Primal[0], 81);
  EXPECT_EQ(X.Shadow[0], 2 * 4 * 27);
  expectClean(R.context());
}

TEST(Sweep, InactiveStoreEndsTheAdjoint) {
  Tracked<double, 2> X = {{3, 4}, {7, 1}};
  Recorder R;
  R.load(&X.Primal[0], X.offset());
  R.store(Active<double>{1, 0}, &X.Primal[0], X.offset());
  auto Again = R.load(&X.Primal[0], X.offset());
  EXPECT_EQ(Again.Id, uint32_t(VERSO_ID_CONSTANT));
  R.store(R.multiply(Again, R.load(&X.Primal[1], X.offset())), &X.Primal[1],
          X.offset());
  R.sweepAndEnd();
  EXPECT_EQ(X.Shadow[0], 0);
  EXPECT_EQ(X.Shadow[1], 1);
  expectClean(R.context());
}

TEST(Sweep, ClearedRangeIsConstant) {
  Tracked<double, 4> X = {{1, 2, 3, 4}, {}};
  Recorder R;
  memset(X.Primal, 0, 24);
  entry::__verso_clear_images(R.context(), X.Primal, 24, X.offset());
  auto Sum = R.load(&X.Primal[3], X.offset());
  for (int I = 0; I != 3; ++I) {
    auto A = R.load(&X.Primal[I], X.offset());
    EXPECT_EQ(A.Id, uint32_t(VERSO_ID_CONSTANT));
    Sum = R.add(Sum, A);
  }
  R.adjoint(Sum.Id) = 1;
  R.sweepAndEnd();
  for (int I = 0; I != 3; ++I)
    EXPECT_EQ(X.Shadow[I], 0);
  EXPECT_EQ(X.Shadow[3], 1);
  expectClean(R.context());
}

TEST(Sweep, ClearedGranuleOfAByte) {
  Tracked<float, 2> X = {{1, 2}, {}};
  Recorder R;
  R.load(&X.Primal[0], X.offset());
  auto B = R.load(&X.Primal[1], X.offset());
  entry::__verso_clear_images(R.context(),
                              reinterpret_cast<char *>(X.Primal) + 1, 1, 0);
  EXPECT_EQ(R.load(&X.Primal[0]).Id, 0u);
  EXPECT_EQ(R.load(&X.Primal[1]).Id, B.Id);
  R.sweepAndEnd();
}

TEST(Sweep, FloatsAndLongDoubles) {
  Tracked<float, 2> F = {{2, 3}, {}};
  Tracked<long double, 1> L = {{5}, {}};
  Recorder R;
  auto A = R.load(&F.Primal[0], F.offset());
  auto B = R.load(&F.Primal[1], F.offset());
  auto C = R.load(L.Primal, L.offset());
  uint32_t Product = R.record({{15, A.Id}, {10, B.Id}, {6, C.Id}});
  R.adjoint(Product) = 1;
  R.sweepAndEnd();
  EXPECT_EQ(F.Shadow[0], 15);
  EXPECT_EQ(F.Shadow[1], 10);
  EXPECT_EQ(L.Shadow[0], 6);
  expectClean(R.context());
}

TEST(Sweep, ImagesTravelThroughUntrackedMemory) {
  Tracked<double, 2> X = {{3, 5}, {}};
  double Buffer[2];
  Recorder R;
  R.store(R.load(&X.Primal[0], X.offset()), &Buffer[0]);
  R.store(R.load(&X.Primal[1], X.offset()), &Buffer[1]);
  double Moved[2];
  for (size_t I = 0; I != sizeof(Moved); ++I) // Byte by byte.
    R.copy(reinterpret_cast<char *>(Moved) + I,
           reinterpret_cast<char *>(Buffer) + I, 1, 0, 0);
  auto P = R.multiply(R.load(&Moved[0]), R.load(&Moved[1]));
  R.adjoint(P.Id) = 2;
  R.sweepAndEnd();
  EXPECT_EQ(X.Shadow[0], 10);
  EXPECT_EQ(X.Shadow[1], 6);
}

TEST(Sweep, CellOverwrittenInPartIsLost) {
  Tracked<double, 1> X = {{3}, {}};
  double Cell;
  Recorder R;
  R.store(R.load(X.Primal, X.offset()), &Cell);
  auto *Low = reinterpret_cast<char *>(&Cell);
  entry::__verso_clear_images(R.context(), Low, 4, 0);
  EXPECT_EQ(R.load(&Cell).Id, 0u);
  R.store(R.load(X.Primal, X.offset()), &Cell);
  entry::__verso_clear_images(R.context(), Low + 4, 4, 0);
  EXPECT_EQ(R.load(&Cell).Id, uint32_t(VERSO_ID_LOST));
  R.sweepAndEnd();
}

TEST(Sweep, RawLeavesSettleAsDoubles) {
  Tracked<double, 3> X = {{2, 3, 5}, {}};
  double Copy[3];
  Recorder R;
  R.copy(Copy, X.Primal, sizeof(Copy), 0, X.offset());
  auto P = R.multiply(R.load(&Copy[0]), R.load(&Copy[2]));
  // The origin was settled with the copy.
  auto Q = R.add(P, R.load(&X.Primal[0], X.offset()));
  // A second copy of the same bytes settles to the same leaf.
  double Other[3];
  R.copy(Other, X.Primal, sizeof(Other), 0, X.offset());
  EXPECT_EQ(R.load(&Other[2]).Id, R.load(&Copy[2]).Id);
  R.adjoint(Q.Id) = 1;
  R.sweepAndEnd();
  EXPECT_EQ(X.Shadow[0], 6);
  EXPECT_EQ(X.Shadow[1], 0);
  EXPECT_EQ(X.Shadow[2], 2);
  expectClean(R.context());
}

TEST(Sweep, RawLeavesSettleAsFloatsAndLongDoubles) {
  Tracked<float, 2> F = {{2, 3}, {}};
  Tracked<long double, 1> L = {{5}, {}};
  float FloatCopy[2];
  long double LongCopy;
  Recorder R;
  R.copy(FloatCopy, F.Primal, sizeof(FloatCopy), 0, F.offset());
  R.copy(&LongCopy, L.Primal, sizeof(LongCopy), 0, L.offset());
  auto A = R.load(&FloatCopy[0]), B = R.load(&FloatCopy[1]);
  auto C = R.load(&LongCopy);
  R.adjoint(R.record({{15, A.Id}, {10, B.Id}, {6, C.Id}})) = 1;
  R.sweepAndEnd();
  EXPECT_EQ(F.Shadow[0], 15);
  EXPECT_EQ(F.Shadow[1], 10);
  EXPECT_EQ(L.Shadow[0], 6);
  expectClean(R.context());
}

TEST(Sweep, CopyToTrackedOutput) {
  // y = (x0 * x1, stale, x1): untracked temporaries, then memcpy to y.
  Tracked<double, 2> X = {{2, 3}, {}};
  Tracked<double, 3> Y = {{}, {1, 10, 100}};
  double Local[3] = {};
  Recorder R;
  auto A = R.load(&X.Primal[0], X.offset());
  auto B = R.load(&X.Primal[1], X.offset());
  R.store(R.multiply(A, B), &Local[0]);
  R.store(B, &Local[2]);
  R.copy(Y.Primal, Local, sizeof(Local), Y.offset(), 0);
  // What was stored there is known to be inactive, not a new input.
  EXPECT_EQ(R.load(&Y.Primal[1], Y.offset()).Id, uint32_t(VERSO_ID_CONSTANT));
  R.sweepAndEnd();
  EXPECT_EQ(X.Shadow[0], 3);
  EXPECT_EQ(X.Shadow[1], 102);
  for (double Adjoint : Y.Shadow)
    EXPECT_EQ(Adjoint, 0);
  expectClean(R.context());
}

TEST(Sweep, CopyFromInputToOutputByteByByte) {
  Tracked<double, 1> X = {{2}, {}}, Y = {{0}, {7}};
  Recorder R;
  auto *From = reinterpret_cast<char *>(X.Primal);
  auto *To = reinterpret_cast<char *>(Y.Primal);
  R.load(X.Primal, X.offset());
  for (int I = 0; I != 8; ++I)
    R.copy(To + I, From + I, 1, Y.offset(), X.offset());
  R.sweepAndEnd();
  EXPECT_EQ(Y.Primal[0], 2);
  EXPECT_EQ(X.Shadow[0], 7);
  EXPECT_EQ(Y.Shadow[0], 0);
  expectClean(R.context());
}

TEST(Sweep, OverlappingMoveWithinTrackedArray) {
  Tracked<double, 4> X = {{1, 2, 3, 4}, {1, 10, 100, 1000}};
  Recorder R;
  R.load(&X.Primal[0], X.offset());
  R.copy(&X.Primal[1], &X.Primal[0], 24, X.offset(), X.offset());
  R.sweepAndEnd();
  EXPECT_EQ(X.Primal[3], 3);
  EXPECT_EQ(X.Shadow[0], 11);
  EXPECT_EQ(X.Shadow[1], 100);
  EXPECT_EQ(X.Shadow[2], 1000);
  EXPECT_EQ(X.Shadow[3], 0);
  expectClean(R.context());
}

TEST(Sweep, CopiesNeverReadAsNumbersMoveBits) {
  Tracked<double, 2> X = {{2, 3}, {}}, Y = {{}, {0.1, 1}};
  Tracked<float, 3> F = {{2, 3, 4}, {}}, G = {{}, {0.1f, 1, -3}};
  Recorder R;
  R.copy(Y.Primal, X.Primal, 16, Y.offset(), X.offset());
  R.copy(G.Primal, F.Primal, 12, G.offset(), F.offset());
  R.sweepAndEnd();
  EXPECT_EQ(X.Shadow[0], 0.1);
  EXPECT_EQ(X.Shadow[1], 1);
  EXPECT_EQ(Y.Shadow[0], 0);
  EXPECT_EQ(F.Shadow[0], 0.1f);
  EXPECT_EQ(F.Shadow[2], -3);
  EXPECT_EQ(G.Shadow[2], 0);
  expectClean(R.context());
}

TEST(Sweep, CopyIsTypedByAnotherRead) {
  // Read through another copy, through the origin, or in the output itself.
  Tracked<double, 3> X = {{2, 3, 4}, {1, 1, 1}}, Y = {{}, {0.1, 2, 3}};
  double Local;
  Recorder R;
  EXPECT_NE(R.load(&Y.Primal[2], Y.offset()).Id, 0u);
  R.copy(Y.Primal, X.Primal, 24, Y.offset(), X.offset());
  R.copy(&Local, X.Primal, 8, 0, X.offset());
  auto Sum = R.add(R.load(&Local), R.load(&X.Primal[1], X.offset()));
  R.adjoint(Sum.Id) = 10;
  R.sweepAndEnd();
  EXPECT_EQ(X.Shadow[0], 11.1);
  EXPECT_EQ(X.Shadow[1], 13);
  EXPECT_EQ(X.Shadow[2], 4);
  expectClean(R.context());
}

TEST(Sweep, SwapByRawCopies) {
  Tracked<double, 2> X = {{2, 3}, {5, 7}};
  double Local;
  Recorder R;
  R.copy(&Local, &X.Primal[0], 8, 0, X.offset());
  R.copy(&X.Primal[0], &X.Primal[1], 8, X.offset(), X.offset());
  R.copy(&X.Primal[1], &Local, 8, X.offset(), 0);
  R.sweepAndEnd();
  EXPECT_EQ(X.Shadow[0], 7);
  EXPECT_EQ(X.Shadow[1], 5);
  expectClean(R.context());
}

TEST(SweepDeathTest, CopyOfUnknownTypeIntoNonZeroShadow) {
  Tracked<double, 1> X = {{2}, {1}}, Y = {{}, {0.1}};
  Recorder R("copy.c:1:1");
  R.copy(Y.Primal, X.Primal, 8, Y.offset(), X.offset());
  EXPECT_EXIT((__verso_release(R.context()), __verso_resolve(R.context())),
              testing::ExitedWithCode(86),
              "copy.c:1:1: memory that is copied but never read");
  entry::__verso_end(R.context());
}

TEST(Sweep, RawPointerOfShadowStructureGetsAHandle) {
  struct Node {
    double *Values;
    double Scale;
  };
  Tracked<double, 1> V = {{3}, {}};
  Node Primal = {V.Primal, 2}, Shadow = {V.Shadow, 0}, Copy;
  Recorder R;
  R.copy(&Copy, &Primal, sizeof(Node), 0, offsetOf(&Primal, &Shadow));
  uint32_t Handle =
      entry::__verso_settle(R.context(), &Copy.Values, VERSO_CELL_POINTER);
  ASSERT_NE(Handle, 0u);
  double *Found;
  memcpy(&Found, &R.adjoint(Handle), sizeof(Found));
  EXPECT_EQ(Found, V.Shadow);
  EXPECT_EQ(uint32_t(entry::__verso_settle(R.context(), &Copy.Values,
                                           VERSO_CELL_POINTER)),
            Handle);
  auto P = R.multiply(R.load(&Copy.Scale), R.load(Copy.Values, V.offset()));
  R.adjoint(P.Id) = 1;
  R.sweepAndEnd();
  EXPECT_EQ(V.Shadow[0], 2);
  EXPECT_EQ(Shadow.Scale, 3);
  EXPECT_EQ(Shadow.Values, V.Shadow);
  expectClean(R.context());
}

TEST(Sweep, NullShadowPointerIsUntracked) {
  double Value = 3, *Primal = &Value, *Shadow = nullptr, *Copy;
  Recorder R;
  R.copy(&Copy, &Primal, sizeof(Copy), 0, offsetOf(&Primal, &Shadow));
  EXPECT_EQ(entry::__verso_settle(R.context(), &Copy, VERSO_CELL_POINTER), 0u);
  EXPECT_EQ(entry::__verso_settle(R.context(), &Copy, VERSO_CELL_POINTER), 0u);
  R.sweepAndEnd();
  EXPECT_EQ(Shadow, nullptr);
}

TEST(Sweep, HalvesReadInARowMakeANumber) {
  Tracked<double, 1> X = {{3}, {}};
  double Copy;
  Recorder R;
  R.copy(&Copy, X.Primal, 4, 0, X.offset());
  R.copy(reinterpret_cast<char *>(&Copy) + 4,
         reinterpret_cast<char *>(X.Primal) + 4, 4, 0, X.offset());
  R.adjoint(R.load(&Copy).Id) = 5;
  R.sweepAndEnd();
  EXPECT_EQ(X.Shadow[0], 5);
}

TEST(Sweep, HalvesReadOneByOneMakeANumber) {
  Tracked<double, 2> X = {{3, 4}, {10, 20}};
  double Copy;
  Recorder R;
  R.copy(&Copy, X.Primal, 4, 0, X.offset());
  R.load(&X.Primal[1], X.offset());
  R.copy(reinterpret_cast<char *>(&Copy) + 4,
         reinterpret_cast<char *>(X.Primal) + 4, 4, 0, X.offset());
  auto P = R.multiply(R.load(&Copy), R.load(X.Primal, X.offset()));
  R.adjoint(P.Id) = 1;
  R.sweepAndEnd();
  EXPECT_EQ(X.Shadow[0], 10 + 6);
  EXPECT_EQ(X.Shadow[1], 20);
  expectClean(R.context());
}

TEST(SweepDeathTest, NumberFromScatteredHalves) {
  Tracked<double, 2> X = {{3, 4}, {}};
  double Copy;
  Recorder R("halves.c:7:1");
  R.copy(&Copy, X.Primal, 4, 0, X.offset());
  R.copy(reinterpret_cast<char *>(&Copy) + 4,
         reinterpret_cast<char *>(&X.Primal[1]) + 4, 4, 0, X.offset());
  EXPECT_EXIT(R.load(&Copy), testing::ExitedWithCode(86),
              "halves.c:7:1: .* put together from bytes .* different places");
  R.sweepAndEnd();
}

TEST(Sweep, RawLeafReadAsTwoHalves) {
  Tracked<uint16_t, 4> X = {{0x3c00, 0x4000, 0x4200, 0x4400}, {}};
  uint16_t Copy[4] = {0x3c00, 0x4000, 0x4200, 0x4400};
  Recorder R;
  R.copy(Copy, X.Primal, 8, 0, X.offset());
  for (int I = 0; I != 4; ++I) {
    uint32_t Id =
        entry::__verso_load_half(R.context(), &Copy[I], 0, VERSO_CELL_HALF);
    ASSERT_GT(Id, uint32_t(VERSO_ID_LOST));
    R.adjoint(Id) += I + 1;
  }
  R.sweepAndEnd();
  EXPECT_EQ(X.Shadow[0], 0x3c00);
  EXPECT_EQ(X.Shadow[1], 0x4000);
  EXPECT_EQ(X.Shadow[2], 0x4200);
  EXPECT_EQ(X.Shadow[3], 0x4400);
}

TEST(Sweep, HalvesAreRoundedToNearest) {
  auto RoundTrip = [](verso_cell_kind Kind, uint16_t Cell, double Add) {
    entry::__verso_give_half(&Cell, Kind, &Add);
    return Cell;
  };
  EXPECT_EQ(RoundTrip(VERSO_CELL_HALF, 0x3c00, 0x1p-11), 0x3c00); // Tie.
  EXPECT_EQ(RoundTrip(VERSO_CELL_HALF, 0x3c01, 0x1p-11), 0x3c02);
  EXPECT_EQ(RoundTrip(VERSO_CELL_HALF, 0, 0x1p-24), 0x0001);
  EXPECT_EQ(RoundTrip(VERSO_CELL_HALF, 0x03ff, 0x1p-24), 0x0400);
  EXPECT_EQ(RoundTrip(VERSO_CELL_HALF, 0, 65520), 0x7c00);
  EXPECT_EQ(RoundTrip(VERSO_CELL_HALF, 0, 65519), 0x7bff);
  EXPECT_EQ(RoundTrip(VERSO_CELL_HALF, 0xbc00, -1), 0xc000);
  EXPECT_EQ(RoundTrip(VERSO_CELL_BFLOAT, 0x3f80, 1), 0x4000);
  EXPECT_EQ(RoundTrip(VERSO_CELL_BFLOAT, 0, 0x1p-133), 0x0001);
  uint16_t Cell = 0xc500;
  double Sum = 1;
  entry::__verso_take_half(&Cell, VERSO_CELL_HALF, &Sum);
  EXPECT_EQ(Sum, -4);
  EXPECT_EQ(Cell, 0);
}

TEST(Sweep, RangesLargerThanAChunkAreSplitBetweenNumbers) {
  const size_t N = (size_t(1) << 20) + 12345; // Two IDs each.
  std::vector<double> X(N, 1), Shadow(N), Copy(N);
  Recorder R;
  R.copy(Copy.data(), X.data(), 8 * N, 0, offsetOf(X.data(), Shadow.data()));
  for (size_t I = 0; I != N; ++I)
    R.adjoint(R.load(&Copy[I]).Id) += double(I % 7);
  R.sweepAndEnd();
  for (size_t I = 0; I != N; ++I)
    ASSERT_EQ(Shadow[I], double(I % 7)) << I;
}

TEST(Sweep, StaleImagesOfEarlierRequests) {
  Tracked<double, 1> X = {{3}, {}};
  double Local;
  for (int I = 0; I != 3; ++I) {
    Recorder R;
    EXPECT_EQ(R.load(&Local).Id, 0u);
    auto A = R.load(X.Primal, X.offset());
    R.store(R.multiply(A, A), &Local);
    R.adjoint(R.load(&Local).Id) = 1;
    R.sweepAndEnd();
    EXPECT_EQ(X.Shadow[0], 6 * (I + 1));
  }
}
