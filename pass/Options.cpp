//===- Options.cpp - what the user can choose -----------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All cl::opts of Verso. An option is one entry here and one line in the list
// that parse() and get() share.
//
//===----------------------------------------------------------------------===//

#include "Options.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Process.h"

#include <optional>

using namespace llvm;
using namespace verso;

static cl::OptionCategory Category("Verso options");

static cl::opt<Options::StrategyKind> StrategyOption(
    "verso-strategy", cl::cat(Category), cl::init(Options::Auto),
    cl::desc("How gradients are computed"),
    cl::values(clEnumValN(Options::Auto, "auto",
                          "structured where possible, else taped"),
               clEnumValN(Options::Taped, "taped", "by a tape"),
               clEnumValN(Options::Structured, "structured",
                          "by reversed control flow")));

static cl::opt<Options::Choice> KernelsOption(
    "verso-kernels", cl::cat(Category), cl::init(Options::Automatic),
    cl::desc("Whether a loop of a taped function that can be reversed by itself "
             "is one record"),
    cl::values(clEnumValN(Options::Automatic, "auto",
                          "where the strategy is auto, and it pays"),
               clEnumValN(Options::Never, "never", "never"),
               clEnumValN(Options::Always, "always",
                          "on all tapes, however little the loop does")));

static cl::opt<Options::Choice> PartsOption(
    "verso-parts", cl::cat(Category), cl::init(Options::Automatic),
    cl::desc("Whether a function that is called in several places is reversed "
             "once, by itself"),
    cl::values(clEnumValN(Options::Automatic, "auto",
                          "where the call tree would be many copies of it"),
               clEnumValN(Options::Never, "never", "never"),
               clEnumValN(Options::Always, "always",
                          "every function that can be, however small")));

static cl::opt<bool>
    CheckOption("verso-check", cl::cat(Category), cl::init(false),
                cl::desc("Check every request by the dot-product test when the "
                         "program runs"));

static cl::opt<bool> MergeDirectionsOption(
    "verso-merge-directions", cl::cat(Category), cl::init(true),
    cl::desc("Make loops of forward requests, one a direction, wide ones"));

static cl::opt<bool> AllTwinsOption(
    "verso-all-twins", cl::cat(Category), cl::init(false),
    cl::desc("Differentiate all functions whose address is taken, for requests "
             "of other files that call them through pointers"));

static cl::opt<bool>
    PrintRequestsOption("verso-print-requests", cl::cat(Category),
                        cl::init(false), cl::Hidden,
                        cl::desc("Print each request as it was understood"));

/// The list: calls \p Visit(cl::opt, member of Options) for each option.
template <typename VisitorT> static void forEachOption(VisitorT Visit) {
  Visit(StrategyOption, &Options::Strategy);
  Visit(KernelsOption, &Options::Kernels);
  Visit(PartsOption, &Options::Parts);
  Visit(CheckOption, &Options::Check);
  Visit(MergeDirectionsOption, &Options::MergeDirections);
  Visit(AllTwinsOption, &Options::AllTwins);
  Visit(PrintRequestsOption, &Options::PrintRequests);
}

/// Reads \p Text, null if no value was given. On failure the result says what
/// was expected.
static std::optional<std::string> readValue(cl::opt<bool> &, StringRef *Text,
                                            bool &Value) {
  if (!Text || *Text == "true" || *Text == "1") {
    Value = true;
    return std::nullopt;
  }
  Value = false;
  if (*Text == "false" || *Text == "0")
    return std::nullopt;
  return "true or false";
}

template <typename EnumT>
static std::optional<std::string> readValue(cl::opt<EnumT> &Option,
                                            StringRef *Text, EnumT &Value) {
  auto &Parser = Option.getParser();
  SmallVector<StringRef, 4> Names;
  for (unsigned K = 0, E = Parser.getNumOptions(); K != E; ++K) {
    Names.push_back(Parser.getOption(K));
    if (!Text || *Text != Names.back())
      continue;
    const auto &Found = Parser.getOptionValue(K);
    Value = static_cast<const cl::OptionValue<EnumT> &>(Found).getValue();
    return std::nullopt;
  }
  return "one of " + join(Names, ", ");
}

std::optional<Options::StrategyKind> Options::strategyNamed(StringRef Name) {
  StrategyKind Result;
  if (readValue(StrategyOption, &Name, Result))
    return std::nullopt;
  return Result;
}

static Error wrong(const Twine &Message) {
  return createStringError(inconvertibleErrorCode(),
                           "VERSO_OPTIONS: " + Message);
}

/// One word, such as -verso-strategy=taped, into \p Result.
static Error parseWord(StringRef Word, Options &Result) {
  StringRef Name = Word.ltrim('-');
  StringRef Value;
  bool HasValue = Name.contains('=');
  std::tie(Name, Value) = Name.split('=');
  bool Known = false;
  std::optional<std::string> Expected;
  forEachOption([&](auto &Option, auto Member) {
    if (!Word.starts_with("-") || Option.ArgStr != Name)
      return;
    Known = true;
    Expected = readValue(Option, HasValue ? &Value : nullptr, Result.*Member);
  });
  if (!Known) {
    std::string Names;
    forEachOption([&](auto &Option, auto) {
      if (Option.getOptionHiddenFlag() == cl::NotHidden)
        Names += (Names.empty() ? "-" : ", -") + Option.ArgStr.str();
    });
    return wrong("unknown option '" + Word + "'; there are " + Names);
  }
  if (Expected)
    return wrong("'" + Word + "' is not valid: the value must be " + *Expected);
  return Error::success();
}

Expected<Options> Options::parse(StringRef Text) {
  Options Result;
  SmallVector<StringRef, 8> Words;
  SplitString(Text, Words);
  for (StringRef Word : Words)
    if (Error E = parseWord(Word, Result))
      return E;
  return Result;
}

Expected<Options> Options::get() {
  Expected<Options> Result =
      parse(sys::Process::GetEnv("VERSO_OPTIONS").value_or(""));
  if (!Result)
    return Result;
  forEachOption([&](auto &Option, auto Member) {
    if (Option.getNumOccurrences())
      *Result.*Member = Option.getValue();
  });
  return Result;
}
