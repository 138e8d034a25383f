//===- DeclaredParameters.cpp - what a name says of arguments -------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "prepare/DeclaredParameters.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/Function.h"

#include <cstdlib>

using namespace llvm;
using namespace verso;

SmallVector<std::string, 4> verso::declaredParameters(const Function &F) {
  ItaniumPartialDemangler Name;
  const std::string Mangled = F.getName().str(); // It keeps pointing into it.
  if (!F.getName().starts_with("_Z") || Name.partialDemangle(Mangled.c_str()) ||
      !Name.isFunction())
    return {};
  size_t Size = 0;
  char *Text = Name.getFunctionParameters(nullptr, &Size);
  const std::string All = Text ? Text : "";
  std::free(Text);
  StringRef Rest = All;
  Rest.consume_front("(");
  Rest.consume_back(")");
  SmallVector<std::string, 4> Each;
  unsigned Depth = 0;
  for (char C : Rest) {
    Depth += (C == '<' || C == '(') - (C == '>' || C == ')');
    if (Each.empty() || (C == ',' && !Depth))
      Each.emplace_back();
    if (Depth || (C != ',' && (C != ' ' || !Each.back().empty())))
      Each.back() += C;
  }
  return Each;
}
