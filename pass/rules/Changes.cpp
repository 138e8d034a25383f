//===- Changes.cpp - what inactive functions change -----------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "rules/Changes.h"
#include "rules/KnownCalls.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace verso;

Changes verso::changesOf(const Function &F) {
  const StringRef Name = F.getName();
  const std::string Qualified = qualifiedName(Name);
  auto Has = [&](StringRef Part) { return Name.contains(Part); };
  auto Starts = [&](StringRef Prefix) {
    return StringRef(Qualified).starts_with(Prefix);
  };
  if (any_of(ArrayRef{"std::_Hash_bytes", "std::_Fnv_hash_bytes",
                      "std::__cmp_cat::", "std::allocator<char>::"},
             Starts) ||
      Name.starts_with("__ubsan_handle_"))
    return Changes::Nothing;
  if (Starts("std::char_traits<char>"))
    return any_of(ArrayRef{"6length", "7compare", "4find", "2eq", "2lt"}, Has)
               ? Changes::Nothing
               : Changes::Arguments;
  if (!isOfText(F) &&
      none_of(ArrayRef{"std::basic_string_view<char",
                       "std::__detail::_Prime_rehash_policy::",
                       "std::exception::", "std::logic_error::",
                       "std::domain_error::", "std::invalid_argument::",
                       "std::length_error::", "std::out_of_range::",
                       "std::runtime_error::", "std::range_error::",
                       "std::overflow_error::", "std::underflow_error::"},
              Starts))
    return Changes::Anything;
  // Moves take from what they are given.
  if (any_of(ArrayRef{"4swap", "4copy", "EO"}, Has))
    return Changes::Arguments;
  return Name.starts_with("_ZNK") && !F.getReturnType()->isVoidTy()
             ? Changes::Nothing
             : Changes::First;
}

bool verso::printsToMemory(const Function &F) {
  return is_contained(
      ArrayRef<StringRef>{"snprintf", "sprintf", "vsnprintf", "vsprintf"},
      F.getName());
}
