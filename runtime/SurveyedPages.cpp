//===- SurveyedPages.cpp - what a survey may read -------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A survey walks to calls through pointers before the function does
// (pass/structured/Survey.h), and may come to what is no pointer yet. Most of
// what it reads lies in a few pages, which the kernel is asked of once.
//
//===----------------------------------------------------------------------===//

#include "AddressSpace.h"
#include "Interface.h"
#include "Pages.h"

#include <stdint.h>

namespace verso::entry {

I32 __verso_can_be_read(Ptr P, I64 Bytes, Ptr Seen) {
  const uint64_t Begin = reinterpret_cast<uint64_t>(P);
  const uint64_t Page = Begin & -PageBytes;
  if (!Page || Begin + Bytes < Begin)
    return false;
  if (Begin + Bytes > Page + PageBytes)
    return verso::canBeRead(P, size_t(Bytes));
  uint64_t &Known =
      static_cast<uint64_t *>(Seen)[Page / PageBytes % VERSO_SURVEYED_PAGES];
  if (Known == Page)
    return true;
  if (!verso::canBeRead(P, size_t(Bytes)))
    return false;
  Known = Page;
  return true;
}

} // namespace verso::entry
