//===- SurveyedPages.cpp - what a survey may read -------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A survey walks to calls through pointers before the function does
// (pass/structured/Survey.h), and may come to what is no pointer yet. The
// kernel is asked for groups of pages: what a survey reads lies close together.
//
//===----------------------------------------------------------------------===//

#include "AddressSpace.h"
#include "ContextStack.h"
#include "Interface.h"
#include "Pages.h"

#include <stdint.h>

namespace {

/// The address of a group leaves room for a bit for each of its pages.
constexpr uint64_t PagesOfGroup = 16;
constexpr uint64_t GroupBytes = PagesOfGroup * verso::PageBytes;
static_assert(GroupBytes >= uint64_t(1) << PagesOfGroup);

/// Whether the page can be read that has that byte.
bool canBeRead(uint64_t Address, uint64_t *Seen) {
  const uint64_t Group = Address & -GroupBytes;
  const uint64_t Page = Address % GroupBytes / verso::PageBytes;
  uint64_t &Known = Seen[Group / GroupBytes % VERSO_SURVEYED_GROUPS];
  if ((Known & -GroupBytes) != Group)
    Known = Group;
  if (Known >> Page & 1)
    return true;
  // The stack stays, as does the heap; most models are there.
  if (verso::isKnownReadable(Address) ||
      verso::ContextStack::ofThread().holds(
          reinterpret_cast<const void *>(Address), 1)) {
    Known |= uint64_t(1) << Page;
    return true;
  }
  constexpr uint64_t MostQuestions = 4096; // Some ten milliseconds.
  if (++Seen[VERSO_SURVEYED_GROUPS] > MostQuestions)
    return false;
  const uint64_t Count = verso::countReadable(Address & -verso::PageBytes,
                                              size_t(PagesOfGroup - Page));
  Known |= ((uint64_t(1) << Count) - 1) << Page;
  return Count != 0;
}

} // namespace

namespace verso::entry {

I32 __verso_can_be_read(Ptr P, I64 Bytes, Ptr Seen) {
  const uint64_t Begin = reinterpret_cast<uint64_t>(P);
  const uint64_t Last = Begin + uint64_t(Bytes) - 1;
  auto *Groups = static_cast<uint64_t *>(Seen);
  const bool OnePage = Begin / PageBytes == Last / PageBytes;
  return Begin <= Last && ::canBeRead(Begin, Groups) &&
         (OnePage || ::canBeRead(Last, Groups));
}

} // namespace verso::entry
