//===- MemoryTest.cpp - reservations of address space ---------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Memory.h"
#include "ShadowMap.h"

#include "gtest/gtest.h"

#include <atomic>
#include <thread>
#include <vector>

using namespace verso;

namespace {

constexpr size_t GiB = size_t(1) << 30;

// A thread's tape, adjoints and log. Without regard for each other they would
// take several times what has shadows, and the program would end.
TEST(Reservation, ThreadsThatReserveAtOnceShare) {
  const unsigned Count = 100;
  shadowMap().prepare("test");
  std::atomic<unsigned> Waiting = Count, Small = 0, Uncovered = 0;
  auto Work = [&] {
    Reservation Mine[3];
    --Waiting;
    while (Waiting)
      std::this_thread::yield();
    for (Reservation &R : Mine) {
      R.reserveShare(shadowMap().growth(), "tape", "test");
      uint64_t Begin = reinterpret_cast<uint64_t>(R.data());
      Small += R.bytes() < GiB / 4;
      Uncovered += !shadowMap().covers({Begin, Begin + R.bytes()});
    }
    for (Reservation &R : Mine)
      R.release();
  };
  std::vector<std::thread> Threads;
  for (unsigned I = 0; I != Count; ++I)
    Threads.emplace_back(Work);
  for (std::thread &T : Threads)
    T.join();
  EXPECT_EQ(Small, 0u);
  EXPECT_EQ(Uncovered, 0u);
}

TEST(Reservation, AloneTakesWhatItAsksFor) {
  shadowMap().prepare("test");
  Reservation R;
  R.reserveShare(GiB + 1, "tape", "test");
  EXPECT_EQ(R.bytes(), GiB + PageBytes);
  R.release();
}

} // namespace
