//===- PartlyWritten.h - memory that is written byte by byte ----*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A constant that is copied byte by byte, or in unequal parts, over a number of
// tracked memory leaves an image of zeros, as untouched memory has; so do, while
// they are copied, the lower bytes of an ID. Which of the two it was shows when
// all bytes of a granule have been written: an ID is live then.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_RUNTIME_PARTLYWRITTEN_H
#define VERSO_RUNTIME_PARTLYWRITTEN_H

#include <stdint.h>

namespace verso {

/// The last granules of which only some bytes were written. Copies go along
/// memory, several at once in a loop; what is not finished is forgotten.
class PartlyWritten {
public:
  void clear() { *this = PartlyWritten(); }

  /// The bytes in \p Mask of the granule at \p Granule were written: whether
  /// all four of it have been by now.
  bool note(const char *Granule, unsigned Mask) {
    for (Entry &E : Entries)
      if (E.Granule == Granule)
        return finish(E, Mask);
    Entry &E = Entries[Oldest++ % Count];
    E = {Granule, 0};
    return finish(E, Mask);
  }

private:
  struct Entry {
    const char *Granule = nullptr;
    unsigned Written = 0;
  };

  static bool finish(Entry &E, unsigned Mask) {
    E.Written |= Mask;
    if (E.Written != 0xf)
      return false;
    E = {};
    return true;
  }

  static constexpr unsigned Count = 8;
  Entry Entries[Count];
  unsigned Oldest = 0;
};

} // namespace verso

#endif // VERSO_RUNTIME_PARTLYWRITTEN_H
