//===- PagesTest.cpp - which pages there are ------------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the kernel said is remembered of pages that are there alone, and that a
// page can be read only where it stays.
//
//===----------------------------------------------------------------------===//

#include "Pages.h"
#include "AddressSpace.h"
#include "Interface.h"

#include <gtest/gtest.h>

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

using namespace verso;
using namespace verso::entry;

namespace {

uint64_t address(const void *P) { return reinterpret_cast<uint64_t>(P); }

TEST(Pages, WhatIsNotThereIsAskedForAgain) {
  const size_t Bytes = 4 * PageBytes;
  void *P = mmap(nullptr, Bytes, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(P, MAP_FAILED);
  char *Memory = static_cast<char *>(P);
  EXPECT_TRUE(isMapped(address(Memory + 5)));
  EXPECT_FALSE(isResident(address(Memory + 5)));
  Memory[5] = 1;
  EXPECT_TRUE(isResident(address(Memory + 5)));
  EXPECT_FALSE(isMapped(8));
  EXPECT_FALSE(isMapped(UserEnd));
  uint64_t Last = address(Memory + 3 * PageBytes);
  munmap(Memory + 3 * PageBytes, PageBytes);
  EXPECT_FALSE(isMapped(Last));
  munmap(P, 3 * PageBytes);
}

TEST(Pages, CanBeReadWhileTheyAreMapped) {
  const size_t Bytes = 100 * PageBytes;
  void *P = mmap(nullptr, Bytes, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(P, MAP_FAILED);
  char *Memory = static_cast<char *>(P);
  EXPECT_TRUE(canBeRead(Memory + 8, Bytes - 16));
  EXPECT_TRUE(canBeRead(Memory, 0));
  mprotect(Memory + 90 * PageBytes, PageBytes, PROT_NONE);
  EXPECT_FALSE(canBeRead(Memory + 8, Bytes - 16));
  EXPECT_TRUE(canBeRead(Memory + 8, 90 * PageBytes - 8));
  munmap(P, Bytes);
  EXPECT_FALSE(canBeRead(Memory + 8, 8));
}

TEST(Pages, TheHeapIsReadAsFarAsItReaches) {
  char *Old = static_cast<char *>(sbrk(3 * PageBytes));
  ASSERT_NE(Old, reinterpret_cast<char *>(-1));
  EXPECT_TRUE(canBeRead(Old, 3 * PageBytes));
  EXPECT_TRUE(canBeRead(Old, 3 * PageBytes));
  if (sbrk(0) != Old + 3 * PageBytes)
    return; // Somebody else took some meanwhile.
  sbrk(-3 * int64_t(PageBytes));
  EXPECT_FALSE(canBeRead(Old + PageBytes, PageBytes));
}

TEST(Pages, ASurveyReadsNothingThatIsNotThere) {
  constexpr size_t Count = 40;
  void *P = mmap(nullptr, Count * PageBytes, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(P, MAP_FAILED);
  char *Memory = static_cast<char *>(P);
  mprotect(Memory + 20 * PageBytes, PageBytes, PROT_NONE);
  for (int Round = 0; Round < 2; ++Round) {
    uint64_t Seen[VERSO_SURVEYED_WORDS] = {};
    errno = 5;
    for (size_t Each = 0; Each < 2 * Count; ++Each) {
      const size_t Page = Each % Count;
      EXPECT_EQ(__verso_can_be_read(Memory + Page * PageBytes + 16, 8, Seen),
                Page != 20);
      // Across the end of a page.
      if (Page + 1 < Count)
        EXPECT_EQ(
            __verso_can_be_read(Memory + (Page + 1) * PageBytes - 4, 8, Seen),
            Page != 20 && Page != 19);
    }
    for (uint64_t Wild : {UINT64_C(0), UINT64_C(8), ~UINT64_C(0), ~UINT64_C(7),
                          UINT64_C(1) << 63, UserEnd, UINT64_C(0xffff)})
      EXPECT_FALSE(
          __verso_can_be_read(reinterpret_cast<void *>(Wild), 8, Seen));
    EXPECT_EQ(errno, 5);
  }
  munmap(P, Count * PageBytes);
  uint64_t Seen[VERSO_SURVEYED_WORDS] = {};
  EXPECT_FALSE(__verso_can_be_read(Memory, 8, Seen));
}

} // namespace
