//===- AddressSpace.cpp - where a process keeps its data ------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AddressSpace.h"
#include "Memory.h"

#include <fcntl.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

using namespace verso;

// Of AddressSanitizer, where it is linked.
extern "C" __attribute__((weak)) void __asan_get_shadow_mapping(size_t *Scale,
                                                                size_t *Offset);

static constexpr uint64_t GiB = UINT64_C(1) << 30;
/// Less between two mappings belongs to them.
static constexpr uint64_t HoleBytes = 256 * GiB;

//===----------------------------------------------------------------------===//
// RangeSet
//===----------------------------------------------------------------------===//

void RangeSet::add(Range R) {
  if (R.Begin >= R.End)
    return;
  size_t I = Ranges.size();
  while (I && Ranges[I - 1].Begin > R.Begin)
    --I;
  Ranges.insert(I, R);
  if (I && Ranges[I - 1].End >= R.Begin)
    --I;
  size_t Merged = 0;
  for (size_t J = I + 1; J < Ranges.size() && Ranges[J].Begin <= Ranges[I].End;
       ++J, ++Merged)
    if (Ranges[J].End > Ranges[I].End)
      Ranges[I].End = Ranges[J].End;
  Ranges.erase(I + 1, Merged);
}

void RangeSet::closeGaps(uint64_t Bytes) {
  for (size_t I = 1; I < Ranges.size();) {
    if (Ranges[I].Begin - Ranges[I - 1].End >= Bytes) {
      ++I;
      continue;
    }
    Ranges[I - 1].End = Ranges[I].End;
    Ranges.erase(I);
  }
}

bool RangeSet::overlaps(Range R) const {
  for (const Range &Mine : Ranges)
    if (Mine.overlaps(R))
      return true;
  return false;
}

bool RangeSet::contains(Range R) const {
  for (const Range &Mine : Ranges)
    if (Mine.contains(R))
      return true;
  return false;
}

//===----------------------------------------------------------------------===//
// Learning
//===----------------------------------------------------------------------===//

/// All of a file; false on an error.
static bool readFile(const char *Path, Vector<char> &Text) {
  int File = open(Path, O_RDONLY | O_CLOEXEC);
  if (File < 0)
    return false;
  char Buffer[4096];
  ssize_t N;
  while ((N = read(File, Buffer, sizeof(Buffer))) > 0)
    for (ssize_t I = 0; I != N; ++I)
      Text.push_back(Buffer[I]);
  close(File);
  return N == 0 && !Text.empty();
}

/// A number at \p P, which moves behind it.
static uint64_t readHex(const char *&P) {
  uint64_t N = 0;
  for (;; ++P) {
    if (*P >= '0' && *P <= '9')
      N = N << 4 | uint64_t(*P - '0');
    else if (*P >= 'a' && *P <= 'f')
      N = N << 4 | uint64_t(*P - 'a' + 10);
    else
      return N;
  }
}

bool verso::forEachMapping(void (*Function)(Range, void *), void *State) {
  Vector<char> Text;
  bool Read = readFile("/proc/self/maps", Text);
  if (Read) {
    Text.push_back('\0');
    // Each line: 7f0123456000-7f0123457000 rw-p ...
    for (const char *P = Text.begin(); *P;) {
      Range R;
      R.Begin = readHex(P);
      ++P;
      R.End = readHex(P);
      if (R.End <= UserEnd + PageBytes)
        Function(R, State);
      while (*P && *P++ != '\n')
        ;
    }
  }
  Text.release();
  return Read;
}

/// AddressSanitizer's own shadow memory; empty without it.
static Range sanitizerShadow() {
  if (!__asan_get_shadow_mapping)
    return {0, 0};
  size_t Scale, Offset;
  __asan_get_shadow_mapping(&Scale, &Offset);
  return {Offset, Offset + ((UserEnd + PageBytes) >> Scale) + GiB};
}

namespace {

struct Survey {
  AddressSpace &Space;
  Range Sanitizer;
  uint64_t OnStack;     ///< An address in the stack of the main thread.
  uint64_t Trial;       ///< Where the kernel would put the next mapping.
  Range Stack = {0, 0}; ///< Of the main thread.
  Range Gap = {UserBegin, UserEnd}; ///< Around Trial.
};

} // namespace

/// How far the stack of the main thread may grow.
static uint64_t stackBytes() {
  rlimit Limit;
  if (getrlimit(RLIMIT_STACK, &Limit) || Limit.rlim_cur == RLIM_INFINITY ||
      Limit.rlim_cur > 1024 * GiB)
    return 1024 * GiB;
  return Limit.rlim_cur > 16 * GiB ? Limit.rlim_cur : 16 * GiB;
}

static void survey(Range R, void *State) {
  Survey &S = *static_cast<Survey *>(State);
  if (R.Begin >= S.Trial)
    S.Gap.End = R.Begin < S.Gap.End ? R.Begin : S.Gap.End;
  else
    S.Gap.Begin = R.End > S.Gap.Begin ? R.End : S.Gap.Begin;
  if (R.Begin <= S.OnStack && S.OnStack < R.End) {
    uint64_t Bytes = stackBytes();
    if (R.bytes() < Bytes)
      R.Begin = R.End - Bytes;
    S.Stack = R;
    return;
  }
  // What lies above the stack belongs to the kernel, or to an emulator
  // (valgrind) that gives the program a stack of its own further down.
  // Mappings below 4 GiB beside a high executable are code of a just-in-time
  // compiler or the like. They are out of reach of every window but those of
  // a low executable, and so are they for requests.
  bool Foreign = S.Sanitizer.overlaps(R) || R.Begin > S.OnStack ||
                 (!S.Space.LowExecutable && R.End <= 4 * GiB);
  (Foreign ? S.Space.Other : S.Space.Data).add(R);
}

/// The heap of brk may grow by a quarter of a TiB, or as far as memory allows.
static Range heap() {
  uint64_t Now = reinterpret_cast<uint64_t>(sbrk(0));
  uint64_t Bytes = 2 * physicalMemory() + PageBytes;
  if (Bytes < 256 * GiB)
    Bytes = 256 * GiB;
  return {Now & -PageBytes, (Now + Bytes) & -PageBytes};
}

Range verso::filledFirst(Range Gap, Range Trial, uint64_t Bytes) {
  // Negative where another thread mapped in the trial's place since.
  int64_t Above = int64_t(Gap.End - Trial.End);
  int64_t Below = int64_t(Trial.Begin - Gap.Begin);
  if (Above < Below)
    return {Gap.End - Bytes, Gap.End};
  return {Gap.Begin, Gap.Begin + Bytes};
}

/// Maps what the kernel would put next, at \p Where if given; empty if it
/// cannot. Small, since other threads map around it what will be theirs for
/// long: a stack that lies far from everything else leaves no room for windows.
static Range mapTrial(uint64_t Where = 0) {
  void *P = mmap(reinterpret_cast<void *>(Where), LeastGrowth, PROT_NONE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE |
                     (Where ? MAP_FIXED_NOREPLACE : 0),
                 -1, 0);
  if (P == MAP_FAILED)
    return {0, 0};
  uint64_t Begin = reinterpret_cast<uint64_t>(P);
  return {Begin, Begin + LeastGrowth};
}

static void unmap(Range R) {
  if (R.bytes())
    munmap(reinterpret_cast<void *>(R.Begin), R.bytes());
}

/// The kernel fills holes between mappings before it comes to the gap, among
/// them the one that another thread leaves that maps beside a trial. So a trial
/// in a hole is put back until another one has found the gap.
static const char *findGap(Survey &S, Range &Trial, uint64_t Growth) {
  constexpr unsigned MostHoles = 16;
  Range Holes[MostHoles];
  const char *Reason = "address space is limited (ulimit -v, or "
                       "vm.overcommit_memory=2)";
  unsigned Count = 0;
  while ((Trial = mapTrial()).bytes()) {
    unmap(Trial);
    S.Trial = Trial.Begin;
    S.Gap = {UserBegin, UserEnd};
    if (!forEachMapping(survey, &S)) {
      Reason = "/proc/self/maps cannot be read";
      break;
    }
    if (S.Gap.bytes() >= Growth) {
      Reason = nullptr;
      break;
    }
    Reason = "what the process has mapped leaves no gap (see /proc/self/maps)";
    if (Count == MostHoles || S.Gap.bytes() >= HoleBytes)
      break;
    Holes[Count++] = mapTrial(Trial.Begin);
  }
  while (Count)
    unmap(Holes[--Count]);
  return Reason;
}

const char *verso::learnAddressSpace(uint64_t Growth, AddressSpace &Space) {
  uint64_t Executable = getauxval(AT_PHDR);
  Space.LowExecutable = Executable && Executable < 4 * GiB;
  Survey S = {Space, sanitizerShadow(), getauxval(AT_RANDOM), 0};
  if (!S.OnStack)
    return "the kernel does not say where the stack is (no auxiliary vector)";
  Range Trial;
  if (const char *Reason = findGap(S, Trial, Growth))
    return Reason;
  Space.Data.add(filledFirst(S.Gap, Trial, Growth));
  Space.Data.add(heap());
  Space.Data.add(S.Stack);
  Space.Data.closeGaps(HoleBytes);
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Planning
//===----------------------------------------------------------------------===//

/// Adds \p Data, moved by \p D, to \p Occupied, if there is room for it.
static bool place(const RangeSet &Data, RangeSet &Occupied, int64_t D,
                  bool MayWrap) {
  for (const Range &R : Data) {
    Range Moved = R + D;
    bool Wrapped = Moved.Begin != R.Begin + uint64_t(D);
    if ((Wrapped && !MayWrap) || Moved.Begin < UserBegin ||
        Moved.Begin >= UserEnd || Moved.End > UserEnd ||
        Occupied.overlaps(Moved))
      return false;
    Occupied.add(Moved);
  }
  return true;
}

static bool placeAll(const AddressSpace &Space, unsigned Count, int64_t Spacing,
                     bool MayWrap) {
  RangeSet Occupied;
  for (const Range &R : Space.Data)
    Occupied.add(R);
  for (const Range &R : Space.Other)
    Occupied.add(R);
  bool Fits = true;
  for (unsigned I = 1; I <= Count && Fits; ++I)
    Fits = place(Space.Data, Occupied, I * Spacing, MayWrap);
  Occupied.release();
  return Fits;
}

int64_t verso::findSpacing(const AddressSpace &Space, unsigned Count) {
  const int64_t Step = 16 * GiB;
  // Beside the step: the first-level caches of AMD's processors tell lines of
  // one set apart by a hash of bits 12 to 27 and hold one line of each hash. A
  // cell and its image at a distance without such bits would evict each other
  // at every access (heat: 1.9 times the time).
  const int64_t Skew = 0x2d000;
  // Wrapping is for code that masks addresses: the last resort.
  for (int MayWrap = 0; MayWrap <= int(Space.LowExecutable); ++MayWrap)
    for (int64_t D = Step; D <= int64_t(UserEnd / Count); D += Step) {
      if (placeAll(Space, Count, -D - Skew, MayWrap))
        return -D - Skew;
      if (placeAll(Space, Count, D + Skew, MayWrap))
        return D + Skew;
    }
  return 0;
}
