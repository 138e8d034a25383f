//===- FlagsTest.cpp - sizes in environment variables ---------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Flags.h"

#include <gtest/gtest.h>

#include <stdlib.h>

using namespace verso;

TEST(Flags, Sizes) {
  size_t N = 7;
  EXPECT_TRUE(parseSize("0", N) && N == 0);
  EXPECT_TRUE(parseSize("65536", N) && N == 65536);
  EXPECT_TRUE(parseSize("64k", N) && N == 65536);
  EXPECT_TRUE(parseSize("3M", N) && N == size_t(3) << 20);
  EXPECT_TRUE(parseSize("2G", N) && N == size_t(2) << 30);
  EXPECT_TRUE(parseSize("1t", N) && N == size_t(1) << 40);
  for (const char *Bad : {"", "k", "-1", "1.5G", "3MB", "2 G",
                          "99999999999999999999", "999999999999T"})
    EXPECT_FALSE(parseSize(Bad, N)) << Bad;
}

TEST(FlagsDeathTest, BadValue) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  setenv("VERSO_TAPE_LIMIT", "lots", 1);
  EXPECT_EXIT(flags(), testing::ExitedWithCode(86),
              "VERSO_TAPE_LIMIT=lots is not a size");
  unsetenv("VERSO_TAPE_LIMIT");
}
