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

#include <algorithm>

namespace verso {

/// The last granules of which only some bytes were written. Copies go along
/// memory, several at once in a loop; what is not finished is forgotten.
class PartlyWritten {
public:
  void clear() { *this = PartlyWritten(); }

  enum Progress { Some, All, AllInOrder };

  /// Bytes [First, End) of the granule at \p Granule were written: whether with
  /// those before them all four have been by now.
  Progress note(const char *Granule, unsigned First, unsigned End) {
    Entry *E = std::find_if(Entries, Entries + Count, [&](const Entry &Each) {
      return Each.Granule == Granule;
    });
    if (E == Entries + Count) {
      E = &Entries[Oldest++ % Count];
      *E = {Granule};
    }
    E->add({First, End});
    return E->Run.First == 0 && E->Run.End == 4 ? AllInOrder
           : E->Mask == 0xf                     ? All
                                                : Some;
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

  static constexpr unsigned Count = 32;
  Entry Entries[Count];
  unsigned Oldest = 0;
};

} // namespace verso

#endif // VERSO_RUNTIME_PARTLYWRITTEN_H
