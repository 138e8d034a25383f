//===- TwinsTest.cpp - looking up instrumented twins ----------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Interface.h"
#include "Twins.h"

#include <gtest/gtest.h>

#include <math.h>
#include <thread>
#include <vector>

using namespace verso;

namespace {

void *pointer(uint64_t N) { return reinterpret_cast<void *>(N); }
char Where[] = "call.c:4:2";

} // namespace

TEST(Twins, FindsWhatWasRegistered) {
  void *Triples[] = {pointer(1000), pointer(1), pointer(0),
                     pointer(2000), pointer(2), pointer(0),
                     pointer(1000), pointer(4), pointer(8)};
  entry::__verso_register_twins(Triples, 3);
  EXPECT_EQ(entry::__verso_twin_of(pointer(1000), 0, Where), pointer(1));
  EXPECT_EQ(entry::__verso_twin_of(pointer(1000), 8, Where), pointer(4));
  EXPECT_EQ(entry::__verso_twin_of(pointer(2000), 0, Where), pointer(2));
  void *Again[] = {pointer(1000), pointer(3), pointer(0)};
  entry::__verso_register_twins(Again, 1);
  EXPECT_EQ(entry::__verso_twin_of(pointer(1000), 0, Where), pointer(3));
}

TEST(TwinsDeathTest, IsOfTheTypeThatIsCalled) {
  constexpr uint32_t Mine = VERSO_TWIN_KIND(1, 0xfedc);
  constexpr uint32_t Others = VERSO_TWIN_KIND(1, 0xfedd);
  void *Triple[] = {pointer(3000), pointer(5), pointer(Mine)};
  entry::__verso_register_twins(Triple, 1);
  EXPECT_EQ(entry::__verso_twin_of(pointer(3000), int(Mine), Where),
            pointer(5));
  EXPECT_EXIT(entry::__verso_twin_of(pointer(3000), int(Others), Where),
              testing::ExitedWithCode(86), "call.c:4:2: .*its own type");
}

TEST(Twins, ReadersDoNotWaitForWriters) {
  static TwinTable Table; // Never freed: see Twins.h.
  std::thread Writer([] {
    for (uint64_t I = 1; I != 20000; ++I)
      Table.add(pointer(16 * I), 0, pointer(I));
  });
  for (uint64_t I = 1; I != 20000; ++I) {
    void *Found = Table.find(pointer(16 * I), 0).Twin;
    EXPECT_TRUE(!Found || Found == pointer(I));
  }
  Writer.join();
  for (uint64_t I = 1; I != 20000; ++I)
    ASSERT_EQ(Table.find(pointer(16 * I), 0).Twin, pointer(I));
}

TEST(TwinsDeathTest, NamesTheFunction) {
  auto *Function = reinterpret_cast<void *>(
      static_cast<double (*)(double, double)>(&hypot));
  EXPECT_EXIT(entry::__verso_twin_of(Function, 0, Where),
              testing::ExitedWithCode(86),
              "call.c:4:2: .*called through a pointer.*Verso");
  EXPECT_EXIT(entry::__verso_twin_of(nullptr, 0, Where),
              testing::ExitedWithCode(86), "null pointer");
  EXPECT_EXIT(entry::__verso_twin_of(pointer(12), 0, Where),
              testing::ExitedWithCode(86), "function at 0xc");
}
