//===- PartlyWritten.h - memory that is written byte by byte ----*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A constant that is copied byte by byte, or in unequal parts, over a number of
// tracked memory leaves an image of zeros, as untouched memory has; so do,
// while they are copied, the lower bytes of an ID. Which of the two it was
// shows when all bytes of a granule have been written: an ID is live then.
// Bytes count as those of one copy if they follow one another, up or down: what
// was written in part before is none of it.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_RUNTIME_PARTLYWRITTEN_H
#define VERSO_RUNTIME_PARTLYWRITTEN_H

#include "Fatal.h"

#include <algorithm>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

namespace verso {

/// The granules of which only some bytes were written since the request began:
/// a table that grows, as bytes may be copied in planes, the first ones of all
/// numbers and then the second ones. Copies that go along memory finish a
/// granule before the next, and take no room.
class PartlyWritten {
public:
  PartlyWritten() = default;
  PartlyWritten(const PartlyWritten &) = delete;
  PartlyWritten &operator=(const PartlyWritten &) = delete;

  void clear() {
    free(Entries);
    Entries = nullptr;
    Room = Used = 0;
  }

  enum Progress { Some, All, AllInOrder };

  /// Bytes [First, End) of the granule at \p Granule were written: whether with
  /// those before them all four have been by now.
  Progress note(const char *Granule, unsigned First, unsigned End) {
    if (2 * (Used + 1) > Room)
      grow();
    Entry &E = find(Granule);
    if (!E.Granule) {
      E = Entry();
      E.Granule = Granule;
      ++Used;
    }
    E.add({First, End});
    if (E.Run.First == 0 && E.Run.End == 4) {
      erase(E);
      return AllInOrder;
    }
    return E.Mask == 0xf ? All : Some;
  }

  /// Nothing was written of it so far.
  void forget(const char *Granule) {
    if (!Room)
      return;
    Entry &E = find(Granule);
    if (E.Granule)
      erase(E);
  }

private:
  struct Bytes {
    unsigned First = 0, End = 0;
    unsigned size() const { return End - First; }
  };
  enum Direction { None, Up, Down };
  struct Entry {
    const char *Granule = nullptr;
    Bytes Run, Last;
    Direction Goes = None;
    unsigned Mask = 0;

    void add(Bytes Next) {
      const bool IsAny = Last.End != 0;
      const bool AreSingle = Last.size() == 1 && Next.size() == 1;
      const Direction To = IsAny && Next.First == Last.End       ? Up
                           : AreSingle && Next.End == Last.First ? Down
                                                                 : None;
      if (To == None)
        Run = Next;
      else if (Goes != None && To != Goes)
        Run = {std::min(Last.First, Next.First), std::max(Last.End, Next.End)};
      else
        Run = {std::min(Run.First, Next.First), std::max(Run.End, Next.End)};
      Goes = To;
      Last = Next;
      Mask |= (1u << Next.End) - (1u << Next.First);
    }
  };

  size_t placeOf(const char *Granule) const {
    return reinterpret_cast<uint64_t>(Granule) / 4 *
                   UINT64_C(0x9e3779b97f4a7c15) >>
               32 &
           (Room - 1);
  }

  /// Its entry, or the free one where it belongs.
  Entry &find(const char *Granule) {
    size_t I = placeOf(Granule);
    while (Entries[I].Granule && Entries[I].Granule != Granule)
      I = (I + 1) & (Room - 1);
    return Entries[I];
  }

  /// What came behind it for want of its place moves up.
  void erase(Entry &E) {
    size_t Hole = &E - Entries;
    for (size_t I = (Hole + 1) & (Room - 1); Entries[I].Granule;
         I = (I + 1) & (Room - 1)) {
      size_t Distance = (I - placeOf(Entries[I].Granule)) & (Room - 1);
      if (Distance >= ((I - Hole) & (Room - 1))) {
        Entries[Hole] = Entries[I];
        Hole = I;
      }
    }
    Entries[Hole].Granule = nullptr;
    --Used;
  }

  void grow() {
    Entry *Old = Entries;
    size_t Before = Room;
    Room = Before ? 2 * Before : 64;
    Entries = static_cast<Entry *>(calloc(Room, sizeof(Entry)));
    if (!Entries)
      fatal(nullptr, "out of memory");
    for (size_t I = 0; I != Before; ++I)
      if (Old[I].Granule)
        find(Old[I].Granule) = Old[I];
    free(Old);
  }

  Entry *Entries = nullptr;
  size_t Room = 0; ///< A power of two.
  size_t Used = 0;
};

} // namespace verso

#endif // VERSO_RUNTIME_PARTLYWRITTEN_H
