//===- AddressSpace.h - where a process keeps its data ----------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Learns which ranges of addresses the pointers of this process may ever point
// to, and finds distances at which all of them can be mirrored. Nothing is
// assumed about the places (they are random, up to vm.mmap_rnd_bits = 32)
// except that user space ends at 2^47: /proc/self/maps says what is mapped, a
// trial mapping says where the kernel would put more, brk says where the heap
// grows.
//
// The planner is a pure function of the ranges, so that tests can hand it any
// machine's layout.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_RUNTIME_ADDRESSSPACE_H
#define VERSO_RUNTIME_ADDRESSSPACE_H

#include "Lookup.h"
#include "Vector.h"

#include <stdint.h>

namespace verso {

inline constexpr uint64_t PageBytes = 4096;
/// The first and the last page of user space are never mapped.
inline constexpr uint64_t UserBegin = 0x10000;
inline constexpr uint64_t UserEnd = (UINT64_C(1) << 47) - PageBytes;

/// The least that a program has to be able to map later. (Valgrind leaves it
/// eight times that.)
inline constexpr uint64_t LeastGrowth = UINT64_C(16) << 30;

/// Addresses in [Begin, End).
struct Range {
  uint64_t Begin;
  uint64_t End;

  uint64_t bytes() const { return End - Begin; }
  bool overlaps(Range R) const { return Begin < R.End && R.Begin < End; }
  bool contains(Range R) const { return Begin <= R.Begin && R.End <= End; }
  Range operator+(int64_t Distance) const {
    uint64_t Moved = verso_displaced(Begin, Distance);
    return {Moved, Moved + bytes()};
  }
};

/// Disjoint ranges in ascending order.
class RangeSet {
public:
  void add(Range R);
  /// Merges ranges that lie closer than \p Bytes.
  void closeGaps(uint64_t Bytes);
  bool overlaps(Range R) const;
  bool contains(Range R) const;
  size_t size() const { return Ranges.size(); }
  const Range *begin() const { return Ranges.begin(); }
  const Range *end() const { return Ranges.end(); }
  void clear() { Ranges.clear(); }
  void release() { Ranges.release(); }

private:
  Vector<Range> Ranges;
};

/// What a process uses of its address space.
struct AddressSpace {
  RangeSet Data;  ///< Where pointers of the program may point, now or later.
  RangeSet Other; ///< Mapped, but never the program's data.
  bool LowExecutable = false; ///< The executable is linked to low addresses.
};

/// Reads this process; the region for mappings may grow by \p Growth, at least
/// LeastGrowth. Returns null, or the reason why it is impossible.
const char *learnAddressSpace(uint64_t Growth, AddressSpace &Space);

/// The part of \p Gap that the kernel fills first, which put \p Trial there:
/// downwards from its end as a rule, upwards where the stack is unlimited. The
/// kernel may have aligned the trial.
Range filledFirst(Range Gap, Range Trial, uint64_t Bytes);

/// A distance D such that Data, moved by D, 2 D, ..., \p Count D, lies in user
/// space and touches neither itself nor Other; the smallest possible. Zero if
/// there is none. Moved addresses wrap around only beside a low executable.
int64_t findSpacing(const AddressSpace &Space, unsigned Count);

/// \p Function for each line of /proc/self/maps; false if it cannot be read.
bool forEachMapping(void (*Function)(Range, void *), void *State);

} // namespace verso

#endif // VERSO_RUNTIME_ADDRESSSPACE_H
