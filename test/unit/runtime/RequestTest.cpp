//===- RequestTest.cpp - the life of requests -----------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Proves nesting, the dropping of abandoned requests, the limits, gaps between
// IDs of threads, and the restart of counting.
//
//===----------------------------------------------------------------------===//

#include "ContextStack.h"
#include "Recorder.h"

#include <gtest/gtest.h>

#include <atomic>
#include <setjmp.h>
#include <sys/resource.h>
#include <thread>
#include <vector>

using namespace verso;
using namespace verso::test;

extern "C" __attribute__((weak)) void __asan_init();

namespace {

char *frame(int Level) {
  return static_cast<char *>(__builtin_frame_address(0)) - 256 * Level;
}

/// Takes a chunk of IDs away, as another thread would.
void takeChunk() { idPool().take(IdPool::ChunkIds, 1); }

} // namespace

TEST(Request, FieldsAtTheStart) {
  Recorder R;
  const verso_context *C = R.context();
  EXPECT_EQ(C->next, 3u); // The constant's and the lost one's are the first.
  EXPECT_EQ(C->run, 0u);
  EXPECT_EQ(C->depth, 0u);
  EXPECT_EQ(C->cursor, C->tape_begin + 8);
  EXPECT_GT(C->limit, C->cursor);
  EXPECT_NE(C->delta, 0);
  EXPECT_EQ(C->adj[0], 0);
  R.sweepAndEnd();
}

TEST(Request, IdsOfSuccessiveRequestsDiffer) {
  uint32_t Last = 0;
  for (int I = 0; I != 5; ++I) {
    Recorder R;
    EXPECT_GE(R.context()->base, Last);
    R.record({{1, 1}});
    Last = R.context()->base + R.next();
    R.sweepAndEnd();
  }
}

TEST(Request, NestedRequestsHaveTheirOwnImages) {
  double X = 3, DX = 0, Inner = 0;
  Recorder Outer("outer", frame(0));
  auto A = Outer.load(&X, offsetOf(&X, &DX));
  {
    Recorder R("inner", frame(1));
    EXPECT_EQ(R.context()->depth, 1u);
    EXPECT_NE(R.context()->delta, Outer.context()->delta);
    auto B = R.load(&X, offsetOf(&X, &Inner));
    R.adjoint(R.multiply(B, B).Id) = 1;
    R.sweepAndEnd();
  }
  EXPECT_EQ(Outer.load(&X, offsetOf(&X, &DX)).Id, A.Id);
  Outer.adjoint(Outer.multiply(A, A).Id) = 10;
  Outer.sweepAndEnd();
  EXPECT_EQ(Inner, 6);
  EXPECT_EQ(DX, 60);
}

TEST(RequestDeathTest, NestedTooDeep) {
  auto Nest = [] {
    for (int I = 0; I != 5; ++I)
      Recorder R("deep.c:9:9", frame(I));
  };
  EXPECT_EXIT(Nest(), testing::ExitedWithCode(86),
              "deep.c:9:9: requests are nested more than 4 deep");
}

/// Starts a request that is left by longjmp, with adjoints that are not zero.
__attribute__((noinline)) static void leave(jmp_buf Target, double *X,
                                            double *DX, uint32_t *Id) {
  Recorder R("left", __builtin_frame_address(0));
  auto A = R.load(X, offsetOf(X, DX));
  auto B = R.multiply(A, A);
  R.store(B, X);
  R.adjoint(B.Id) = 42;
  *Id = B.Id;
  longjmp(Target, 1);
}

TEST(Request, AbandonedRequestIsDropped) {
  double X = 3, DX = 0;
  uint32_t Id = 0;
  jmp_buf Target;
  if (!setjmp(Target))
    leave(Target, &X, &DX, &Id);
  EXPECT_EQ(ContextStack::ofThread().depth(), 1u);
  Recorder R("next", frame(0));
  EXPECT_EQ(R.context()->depth, 0u);
  for (uint32_t I = 0; I <= Id; ++I)
    EXPECT_EQ(R.adjoint(I), 0);
  EXPECT_EQ(R.load(&X).Id, 0u); // The image that it left is stale.
  R.sweepAndEnd();
  EXPECT_EQ(ContextStack::ofThread().depth(), 0u);
}

TEST(Request, ItsBlocksAndTheFramesOfCallersAreThere) {
  ContextStack &Stack = ContextStack::ofThread();
  char Local[64];
  EXPECT_TRUE(Stack.holds(Local, sizeof(Local)));
  char *Below = static_cast<char *>(__builtin_frame_address(0)) - (1 << 20);
  EXPECT_FALSE(Stack.holds(Below, sizeof(Local)));
  EXPECT_FALSE(Stack.holds(Local, size_t(1) << 46));
  EXPECT_FALSE(Stack.holds(Local, SIZE_MAX));
  char *Mark = Stack.Kept.begin("blocks");
  char *Block = Stack.Kept.take(128);
  EXPECT_TRUE(Stack.holds(Block, 128));
  EXPECT_FALSE(Stack.holds(Block + 64, 65));
  EXPECT_FALSE(Stack.holds(Block, SIZE_MAX));
  Stack.Kept.end(Mark);
  EXPECT_FALSE(Stack.holds(Block, 128));
}

TEST(Request, OuterEndDropsAbandonedInner) {
  Recorder Outer("outer", frame(0));
  Recorder Inner("inner", frame(2));
  EXPECT_EQ(ContextStack::ofThread().depth(), 2u);
  Outer.sweepAndEnd();
  EXPECT_EQ(ContextStack::ofThread().depth(), 0u);
}

TEST(Request, ContiguousChunksNeedNoGap) {
  Recorder R;
  while (R.next() < 3 * IdPool::ChunkIds)
    R.record({{1, 1}});
  EXPECT_EQ(R.context()->run, 0u);
  R.sweepAndEnd();
}

TEST(Request, GapInIdsOfARequest) {
  double X = 3, DX = 0, Early = 0;
  Recorder R;
  auto A = R.load(&X, offsetOf(&X, &DX));
  R.store(R.multiply(A, A), &Early);
  uint32_t First = R.next();
  takeChunk();
  auto Sum = R.load(&Early);
  for (int Gaps = 0; Gaps != 2; ++Gaps) {
    uint32_t Run = R.context()->run;
    while (R.context()->run == Run)
      Sum = R.add(Sum, Active<double>{0, 0});
    EXPECT_GT(R.context()->run, First);
    takeChunk();
  }
  // The leaf is of an older run, found again rather than made twice.
  EXPECT_EQ(R.load(&X, offsetOf(&X, &DX)).Id, A.Id);
  Sum = R.multiply(Sum, A);
  R.adjoint(Sum.Id) = 1;
  uint32_t Next = R.next();
  R.sweepAndEnd();
  EXPECT_EQ(DX, 27);
  for (uint32_t I = 0; I < Next; I += 97)
    ASSERT_EQ(R.adjoint(I), 0);
}

TEST(Request, IdsInAGapAreNobodys) {
  double Foreign = 0, Shadow = 0;
  uint32_t Theirs;
  Recorder R;
  {
    IdChunk Chunk = idPool().take(IdPool::ChunkIds, 1);
    Theirs = Chunk.Next + 5;
  }
  while (!R.context()->run)
    R.record({{1, 1}});
  uint32_t Words[2] = {Theirs, VERSO_IMAGE_PARTNER(Theirs)};
  memcpy(R.image(&Foreign), Words, 8);
  // Through a tracked pointer: an input that was not touched yet.
  auto Leaf = R.load(&Foreign, offsetOf(&Foreign, &Shadow));
  EXPECT_EQ(Leaf.Id, R.next() - 1);
  uint32_t Gap = Theirs - R.context()->base;
  R.adjoint(Gap) = 1; // What an untracked read of it may leave behind.
  R.sweepAndEnd();
  EXPECT_EQ(R.adjoint(Gap), 0);
}

TEST(Request, ThreadsInterleave) {
  std::atomic<int> Wrong = 0;
  auto Work = [&Wrong](double Scale) {
    std::vector<double> X(1000, Scale), DX(1000);
    for (int Round = 0; Round != 4; ++Round) {
      std::fill(DX.begin(), DX.end(), 0);
      Recorder R("thread", __builtin_frame_address(0));
      int64_t Offset = offsetOf(X.data(), DX.data());
      Active<double> Sum = {0, 0};
      for (int Pass = 0; Pass != 400; ++Pass)
        for (double &Cell : X) {
          auto A = R.load(&Cell, Offset);
          Sum = R.add(Sum, R.multiply(A, A));
        }
      R.adjoint(Sum.Id) = 1;
      R.sweepAndEnd();
      for (double D : DX)
        Wrong += D != 800 * Scale;
    }
  };
  std::thread Other(Work, 2.0);
  Work(3.0);
  Other.join();
  EXPECT_EQ(Wrong, 0);
}

TEST(Request, CountingStartsAnew) {
  double Old = 1;
  uint32_t Epoch = idPool().epoch(), Word = 0;
  {
    Recorder R;
    R.store(Active<double>{1, R.record({{1, 1}})}, &Old);
    R.sweepAndEnd();
  }
  idPool().skipTo(IdPool::EndOfIds - 10);
  Recorder R;
  EXPECT_EQ(idPool().epoch(), Epoch + 1);
  EXPECT_LT(R.context()->base, IdPool::FirstId + IdPool::ChunkIds);
  memcpy(&Word, R.image(&Old), 4);
  EXPECT_EQ(Word, 0u);
  double X = 3, DX = 0;
  auto A = R.load(&X, offsetOf(&X, &DX));
  R.adjoint(R.multiply(A, A).Id) = 1;
  R.sweepAndEnd();
  EXPECT_EQ(DX, 6);
}

TEST(Request, RestartWaitsForOtherThreads) {
  std::atomic<int> Stage = 0;
  uint32_t Epoch = idPool().epoch();
  std::thread Other([&] {
    Recorder R("other", __builtin_frame_address(0));
    Stage = 1;
    while (Stage != 2)
      std::this_thread::yield();
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    R.sweepAndEnd();
  });
  while (Stage != 1)
    std::this_thread::yield();
  idPool().skipTo(IdPool::EndOfIds - 10);
  Stage = 2;
  Recorder R;
  EXPECT_EQ(idPool().epoch(), Epoch + 1);
  R.sweepAndEnd();
  Other.join();
}

TEST(RequestDeathTest, OutOfIds) {
  auto Exhaust = [] {
    Recorder R("ids.c:3:4");
    idPool().skipTo(IdPool::EndOfIds);
    for (;;)
      R.record({{1, 1}});
  };
  EXPECT_EXIT(Exhaust(), testing::ExitedWithCode(86),
              "ids.c:3:4: the request takes more than the 2.31 identifiers");
}

TEST(RequestDeathTest, OutOfAdjoints) {
  auto Exhaust = [] {
    Recorder R("adjoints.c:5:6");
    R.context()->most_ids = 2 * IdPool::ChunkIds;
    for (;;)
      R.record({{1, 1}});
  };
  EXPECT_EXIT(Exhaust(), testing::ExitedWithCode(86),
              "adjoints.c:5:6: the adjoints are full: there is room for "
              "2097152 values");
}

TEST(RequestDeathTest, TapeLimit) {
  auto Fill = [] {
    verso_set_tape_limit(1 << 20);
    Recorder R("tape.c:5:6", __builtin_frame_address(0));
    for (;;)
      R.record({{1, 1}, {2, 1}});
  };
  EXPECT_EXIT(Fill(), testing::ExitedWithCode(86),
              "tape.c:5:6: the tape is full: the limit is 1 MiB");
}

TEST(Request, TapeLimitIsForLaterRequests) {
  verso_set_tape_limit(1 << 20);
  {
    Recorder R;
    verso_set_tape_limit(0);
    while (R.context()->cursor - R.context()->tape_begin < 1 << 20)
      R.record({{1, 1}});
    R.sweepAndEnd();
  }
  Recorder R;
  while (R.context()->cursor - R.context()->tape_begin < 2 << 20)
    R.record({{1, 1}});
  R.sweepAndEnd();
}

TEST(RequestDeathTest, LimitedAddressSpace) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  if (&__asan_init)
    GTEST_SKIP() << "AddressSanitizer needs address space itself";
  auto Limited = [] {
    rlimit Limit = {1 << 30, 1 << 30};
    setrlimit(RLIMIT_AS, &Limit);
    Recorder R("small.c:1:2", __builtin_frame_address(0));
  };
  EXPECT_EXIT(Limited(), testing::ExitedWithCode(86),
              "small.c:1:2: no room for shadow memory: address space is "
              "limited");
}

TEST(RequestDeathTest, FailNamesThePlace) {
  EXPECT_EXIT(entry::__verso_fail(const_cast<char *>("because"),
                                  const_cast<char *>("here.c:1:2")),
              testing::ExitedWithCode(86), "verso: error: here.c:1:2: because");
}
