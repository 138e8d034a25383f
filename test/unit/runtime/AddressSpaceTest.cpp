//===- AddressSpaceTest.cpp - windows for any layout ----------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Proves that the planner finds windows for the layouts that kernels give, and
// that this process's own windows reach everything that it maps.
//
//===----------------------------------------------------------------------===//

#include "AddressSpace.h"
#include "ImageWindows.h"

#include <gtest/gtest.h>

#include <atomic>
#include <stdlib.h>
#include <sys/mman.h>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace verso;

namespace {

constexpr uint64_t GiB = UINT64_C(1) << 30, TiB = GiB << 10;

/// So many windows for data at these places.
bool canPlan(int Count, std::initializer_list<Range> Data,
             std::initializer_list<Range> Other = {},
             bool LowExecutable = false) {
  AddressSpace Space;
  Space.LowExecutable = LowExecutable;
  for (Range R : Data)
    Space.Data.add(R);
  for (Range R : Other)
    Space.Other.add(R);
  int64_t Spacing = findSpacing(Space, Count);
  bool Ok = Spacing != 0;
  RangeSet Taken;
  for (Range R : Other)
    Taken.add(R);
  for (Range R : Data)
    Taken.add(R);
  for (int I = 0; Ok && I != Count; ++I)
    for (Range R : Space.Data) {
      EXPECT_FALSE(Taken.overlaps(R + (I + 1) * Spacing));
      EXPECT_TRUE((Range{UserBegin, UserEnd}).contains(R + (I + 1) * Spacing));
      Taken.add(R + (I + 1) * Spacing);
    }
  Taken.release();
  Space.Data.release();
  Space.Other.release();
  return Ok;
}

uint64_t address(const void *P) { return reinterpret_cast<uint64_t>(P); }

bool reachable(const void *P) {
  return shadowMap().covers({address(P), address(P) + 1});
}

} // namespace

TEST(RangeSet, MergesAndCloses) {
  RangeSet S;
  S.add({30, 40});
  S.add({10, 20});
  S.add({20, 25});
  EXPECT_EQ(S.size(), 2u);
  S.add({24, 35});
  EXPECT_EQ(S.size(), 1u);
  EXPECT_TRUE(S.contains({10, 40}));
  S.add({50, 60});
  S.add({5, 5});
  EXPECT_EQ(S.size(), 2u);
  EXPECT_FALSE(S.overlaps({40, 50}));
  S.closeGaps(11);
  EXPECT_TRUE(S.contains({10, 60}));
  S.release();
}

TEST(AddressSpace, GapIsFilledFromTheTrialsEnd) {
  const Range Gap = {TiB, 32 * TiB};
  auto Expect = [](Range R, uint64_t Begin, uint64_t End) {
    EXPECT_EQ(R.Begin, Begin);
    EXPECT_EQ(R.End, End);
  };
  Range AtEnd = {Gap.End - LeastGrowth, Gap.End};
  Range AtBegin = {Gap.Begin, Gap.Begin + LeastGrowth};
  Expect(filledFirst(Gap, AtEnd, TiB), 31 * TiB, 32 * TiB);
  Expect(filledFirst(Gap, AtBegin, TiB), TiB, 2 * TiB);
  // Another thread maps in the trial's place, at its end or in its middle.
  for (uint64_t Taken : {UINT64_C(1) << 20, LeastGrowth / 2, LeastGrowth}) {
    Range Rest = {Gap.Begin, Gap.End - Taken};
    Expect(filledFirst(Rest, AtEnd, TiB), Rest.End - TiB, Rest.End);
  }
}

// As another thread leaves it that maps while the kernel is asked.
TEST(AddressSpace, ReachesBehindAHole) {
  const size_t Hole = LeastGrowth + GiB, Beyond = 3 * LeastGrowth;
  const int Flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  char *P = static_cast<char *>(mmap(nullptr, Hole, PROT_NONE, Flags, -1, 0));
  ASSERT_NE(P, MAP_FAILED);
  void *Beside = mmap(P - PageBytes, PageBytes, PROT_READ,
                      Flags | MAP_FIXED_NOREPLACE, -1, 0);
  munmap(P, Hole);
  AddressSpace Space;
  ASSERT_EQ(learnAddressSpace(4 * LeastGrowth, Space), nullptr);
  void *Next = mmap(nullptr, Beyond, PROT_NONE, Flags, -1, 0);
  ASSERT_NE(Next, MAP_FAILED);
  EXPECT_TRUE(Space.Data.contains({address(Next), address(Next) + Beyond}));
  EXPECT_TRUE(Space.Data.contains({address(P), address(P) + Hole}));
  munmap(Next, Beyond);
  if (Beside != MAP_FAILED)
    munmap(Beside, PageBytes);
  Space.Data.release();
  Space.Other.release();
}

// What a thread maps while this one looks does not mislead it.
TEST(AddressSpace, IsLearntWhileThreadsMap) {
  const size_t Block = 64 * PageBytes, Blocks = 256, Beyond = LeastGrowth;
  const int Flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  std::vector<void *> Mapped(Blocks);
  for (int Round = 0; Round != 300; ++Round) {
    std::atomic<bool> Begun = false;
    std::thread Other([&] {
      for (void *&P : Mapped) {
        P = mmap(nullptr, Block, PROT_READ, Flags, -1, 0);
        Begun = true;
      }
    });
    while (!Begun)
      ;
    AddressSpace Space;
    EXPECT_EQ(learnAddressSpace(4 * LeastGrowth, Space), nullptr);
    Other.join();
    void *Next = mmap(nullptr, Beyond, PROT_NONE, Flags, -1, 0);
    ASSERT_NE(Next, MAP_FAILED);
    EXPECT_TRUE(Space.Data.contains({address(Next), address(Next) + Beyond}))
        << "round " << Round;
    munmap(Next, Beyond);
    for (void *P : Mapped)
      munmap(P, Block);
    Space.Data.release();
    Space.Other.release();
  }
}

TEST(Plan, PositionIndependent) {
  for (uint64_t Random = 0; Random <= 16; ++Random) { // Up to 32 random bits.
    uint64_t Executable = 0x555555554000 + Random * TiB;
    for (uint64_t Base = 0; Base <= 16; Base += 4) {
      uint64_t Top = UserEnd - 16 * GiB - Base * TiB;
      EXPECT_TRUE(canPlan(5, {{Executable, Executable + TiB},
                              {Top - 4 * TiB, Top},
                              {UserEnd - 64 * GiB, UserEnd}}))
          << Random << " " << Base;
      EXPECT_TRUE(canPlan(24, {{Executable, Executable + TiB / 4},
                               {Top - TiB / 2, Top},
                               {UserEnd - 64 * GiB, UserEnd}}))
          << Random << " " << Base;
    }
  }
}

TEST(Plan, MappingsGrowUpwards) {
  EXPECT_TRUE(canPlan(5, {{0x1515a1000000, 0x1515a1000000 + 4 * TiB},
                          {0x555555554000, 0x555555554000 + TiB},
                          {UserEnd - TiB, UserEnd}}));
}

TEST(Plan, BesideAddressSanitizer) {
  EXPECT_TRUE(canPlan(5,
                      {{0x500000000000, 0x540000000000},
                       {0x555555554000, 0x555555554000 + TiB},
                       {UserEnd - 4 * TiB, UserEnd}},
                      {{0x7fff8000, 0x10007fff8000}}));
}

TEST(Plan, LowExecutable) {
  EXPECT_TRUE(canPlan(5, {{0x400000, TiB}, {UserEnd - 2 * TiB, UserEnd}}, {},
                      /*LowExecutable=*/true));
  // Unless addresses wrap around, the two ends of user space cannot be moved.
  EXPECT_FALSE(canPlan(5, {{0x400000, TiB}, {UserEnd - 2 * TiB, UserEnd}}));
}

TEST(ShadowMap, ReachesEverythingOfThisProcess) {
  static int Global;
  int Local = 0;
  shadowMap().prepare("test");
  EXPECT_TRUE(reachable(&Global));
  EXPECT_TRUE(reachable(&Local));
  EXPECT_TRUE(reachable(sbrk(0)));
  EXPECT_TRUE(reachable("constant"));
  EXPECT_TRUE(reachable(reinterpret_cast<void *>(&malloc)));
  bool OnThread = false;
  std::thread([&OnThread] {
    int Mine = 0;
    OnThread = reachable(&Mine);
  }).join();
  EXPECT_TRUE(OnThread);
}

TEST(ShadowMap, ReachesLaterMappings) {
  shadowMap().prepare("test");
  for (uint64_t Bytes : {GiB, 200 * GiB}) {
    void *P = mmap(nullptr, Bytes, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    ASSERT_NE(P, MAP_FAILED);
    EXPECT_TRUE(shadowMap().covers({address(P), address(P) + Bytes}));
    munmap(P, Bytes);
  }
}

TEST(ShadowMap, WindowsAreApart) {
  int X = 0;
  auto Cell = [&X](unsigned Window) {
    return reinterpret_cast<int *>(
        verso_displaced(address(&X), shadowMap().distance(Window)));
  };
  ImageWindow Taken[ShadowMap::MaxDepth], SecondOfDepth[ShadowMap::MaxDepth];
  for (unsigned I = 0; I != ShadowMap::MaxDepth; ++I) {
    Taken[I] = imageWindows().take(I, {}, "test");
    SecondOfDepth[I] = imageWindows().take(I, {}, "test");
    *Cell(Taken[I].Index) = int(I) + 1;
    *Cell(SecondOfDepth[I].Index) = -int(I);
  }
  unsigned Adjoints = shadowMap().adjoints("test");
  *Cell(Adjoints) = 77;
  for (unsigned I = 0; I != ShadowMap::MaxDepth; ++I) {
    EXPECT_EQ(*Cell(Taken[I].Index), int(I) + 1);
    EXPECT_EQ(*Cell(SecondOfDepth[I].Index), -int(I));
  }
  imageWindows().drop();
  for (unsigned I = 0; I != ShadowMap::MaxDepth; ++I) {
    EXPECT_EQ(*Cell(Taken[I].Index), 0);
    EXPECT_EQ(*Cell(SecondOfDepth[I].Index), 0);
    imageWindows().giveBack(I, Taken[I]);
    imageWindows().giveBack(I, SecondOfDepth[I]);
  }
  EXPECT_EQ(*Cell(Adjoints), 77);
}

// More threads than there are windows take turns; no two have the same one.
TEST(ImageWindows, AreHeldByOneThread) {
  std::atomic<int> Holders[64] = {};
  std::atomic<int> Shared = 0, Strange = 0;
  auto Work = [&] {
    ImageWindow Mine;
    for (int I = 0; I != 2000; ++I) {
      Mine = imageWindows().take(0, Mine, "test");
      if (Mine.Index < 1 || Mine.Index > 63) {
        ++Strange;
        continue;
      }
      Shared += Holders[Mine.Index]++ != 0;
      std::this_thread::yield();
      --Holders[Mine.Index];
      imageWindows().giveBack(0, Mine);
    }
  };
  std::vector<std::thread> Threads;
  for (int I = 0; I != 20; ++I)
    Threads.emplace_back(Work);
  for (std::thread &T : Threads)
    T.join();
  EXPECT_EQ(Shared, 0);
  EXPECT_EQ(Strange, 0);
}
