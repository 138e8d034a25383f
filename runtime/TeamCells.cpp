//===- TeamCells.cpp - what threads of a team have of adjoints ------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where threads that share a loop of a gradient (pass/structured/team) add to
// the same cells, all but the first have cells of their own. They are in what
// is free of the arena of the thread that starts the team: the loop takes
// nothing from there, and once the team has ended nobody needs them.
//
//===----------------------------------------------------------------------===//

#include "ContextStack.h"
#include "Interface.h"

using namespace verso;

/// Adds up a part of the cells. Each cell's sum is in the order of the threads,
/// whichever thread makes it.
template <typename Real>
static void addPart(void *Cells, const void *Room, size_t Bytes, size_t Thread,
                    size_t Team) {
  size_t Count = Bytes / sizeof(Real);
  size_t From = Thread < Team ? Count * Thread / Team : Count,
         To = Thread < Team ? Count * (Thread + 1) / Team : Count;
  size_t Distance = (Bytes + 63) & ~size_t(63);
  Real *Sum = static_cast<Real *>(Cells);
  for (size_t Other = 0; Other + 1 < Team; ++Other) {
    const Real *Part = reinterpret_cast<const Real *>(
        static_cast<const char *>(Room) + Other * Distance);
    for (size_t K = From; K != To; ++K)
      Sum[K] += Part[K];
  }
}

namespace verso::entry {

I64 __verso_team_size(I64 Threads, I64 Bytes) {
  return ContextStack::ofThread().Kept.hasRoom(size_t(Threads), size_t(Bytes))
             ? Threads
             : 1;
}

Ptr __verso_team_room(I64 Bytes) {
  return ContextStack::ofThread().Kept.room(size_t(Bytes));
}

void __verso_team_add_doubles(Ptr Cells, Ptr Room, I64 Bytes, I64 Thread,
                              I64 Team) {
  addPart<double>(Cells, Room, size_t(Bytes), size_t(Thread), size_t(Team));
}

void __verso_team_add_floats(Ptr Cells, Ptr Room, I64 Bytes, I64 Thread,
                             I64 Team) {
  addPart<float>(Cells, Room, size_t(Bytes), size_t(Thread), size_t(Team));
}

} // namespace verso::entry
