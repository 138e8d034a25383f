//===- OptionsTest.cpp - VERSO_OPTIONS ------------------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Options.h"

#include "gtest/gtest.h"

#include <cstdlib>

using namespace llvm;
using namespace verso;

namespace {

std::string errorOf(StringRef Text) {
  Expected<Options> O = Options::parse(Text);
  return O ? "" : toString(O.takeError());
}

TEST(OptionsTest, DefaultsAndValues) {
  Options Defaults = cantFail(Options::parse(""));
  EXPECT_EQ(Defaults.Strategy, Options::Auto);
  EXPECT_FALSE(Defaults.Check);
  Options O = cantFail(Options::parse(" --verso-strategy=taped -verso-check "));
  EXPECT_EQ(O.Strategy, Options::Taped);
  EXPECT_TRUE(O.Check);
  EXPECT_FALSE(
      cantFail(Options::parse("-verso-check -verso-check=false")).Check);
}

TEST(OptionsTest, MistakesSayWhatIsExpected) {
  EXPECT_EQ(errorOf("-verso-strategy=fast"),
            "VERSO_OPTIONS: '-verso-strategy=fast' is not valid: the value "
            "must be one of auto, taped, structured");
  EXPECT_NE(errorOf("-verso-strategy").find("one of auto"), std::string::npos);
  EXPECT_NE(errorOf("-verso-check=maybe").find("true or false"),
            std::string::npos);
  EXPECT_NE(errorOf("-verso-speed").find("unknown option"), std::string::npos);
  EXPECT_NE(errorOf("taped").find("unknown option"), std::string::npos);
}

TEST(OptionsTest, ReadFromTheEnvironment) {
  ::setenv("VERSO_OPTIONS", "-verso-strategy=structured", 1);
  EXPECT_EQ(cantFail(Options::get()).Strategy, Options::Structured);
  ::unsetenv("VERSO_OPTIONS");
  EXPECT_EQ(cantFail(Options::get()).Strategy, Options::Auto);
}

} // namespace
