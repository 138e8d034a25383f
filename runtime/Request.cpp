//===- Request.cpp - one request in flight --------------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Request.h"
#include "Fatal.h"

using namespace verso;

/// How much tape may be written until the system is asked for its memory.
static constexpr int64_t TapeStep = 64 << 20;

/// What the count in a header can be.
static constexpr uint32_t MostInRecord = VERSO_RECORD_MAX_COUNT;

/// A word of the tape; other types are written to the same place.
typedef uint32_t TapeWord __attribute__((may_alias, aligned(4)));

//===----------------------------------------------------------------------===//
// Start and end
//===----------------------------------------------------------------------===//

void Request::reserveTape() {
  const size_t Spare = VERSO_TAPE_REDZONE + PageBytes;
  const size_t Most = VERSO_TAPE_MAX_BYTES - VERSO_TAPE_REDZONE;
  auto AtMost = [&](size_t Bytes) { return Bytes < Most ? Bytes : Most; };
  LimitInForce = tapeLimit();
  Tape.release();
  size_t Limit = AtMost(LimitInForce);
  if (LimitInForce) {
    Tape.reserve(Limit + Spare, "tape", Where);
  } else {
    Tape.reserveShare(AtMost(physicalMemory()) + Spare, "tape", Where);
    Limit = Tape.bytes() - Spare;
  }
  tape_begin = Tape.data();
  TapeEnd = tape_begin + Limit;
}

void Request::prepareMemory() {
  if (!tape_begin || LimitInForce != tapeLimit())
    reserveTape();
  if (log_begin)
    return;
  Adjoints.reserveShare(sizeof(double) * IdPool::EndOfIds, "adjoints", Where);
  adj = reinterpret_cast<double *>(Adjoints.data());
  most_ids = uint32_t(Adjoints.bytes() / sizeof(double));
  size_t MostLogged = sizeof(verso_cell) * IdPool::EndOfIds;
  size_t Memory = physicalMemory();
  Log.reserveShare(Memory < MostLogged ? Memory : MostLogged, "log of cells",
                   Where);
  log_begin = reinterpret_cast<verso_cell *>(Log.data());
  log_end = log_begin + Log.bytes() / sizeof(verso_cell);
}

void Request::start(unsigned Depth, const char *W, uint64_t F) {
  Where = W;
  Frame = F & ~VERSO_FRAME_FLAGS;
  depth = Depth;
  Given.clear();
  Parts.clear();
  Images = imageWindows().take(depth, Images, Where);
  delta = shadowMap().distance(Images.Index);
  prepareMemory();
  if (Ids.Epoch != idPool().epoch() || Ids.left() < MinimumIds + 2) {
    IdChunk New = idPool().take(IdPool::ChunkIds, MinimumIds + 2);
    if (!New.Epoch)
      fatal(Where, "all 2^31 identifiers are in use by requests that are "
                   "running in other threads or around this one");
    if (New.Next == Ids.End && New.Epoch == Ids.Epoch)
      New.Next = Ids.Next;
    Ids = New;
  }
  // The ID of `base` itself is never given out: it reads as 0.
  base = Ids.Next;
  next = 1;
  run = 0;
  Chunks = 0;
  OlderRuns.clear();
  cursor = tape_begin;
  log = log_begin;
  members = 0;
  limitTape();
  uint32_t Constant = mark(VERSO_RECORD_HANDLE);
  uint32_t Lost = mark(VERSO_RECORD_LEAF);
  if (Constant != VERSO_ID_CONSTANT || Lost != VERSO_ID_LOST)
    fatal(Where, "internal error: the first identifiers are not the fixed "
                 "ones");
}

/// What requests of other threads left in the window may have been taken for
/// IDs in a gap, and so may have collected adjoints that nobody resolves.
void Request::finish() {
  Ids.Next = absolute(next);
  for (size_t I = 0; I != OlderRuns.size(); ++I) {
    uint32_t GapEnd = I + 1 == OlderRuns.size() ? run : OlderRuns[I + 1].Begin;
    discard(adj + OlderRuns[I].End,
            sizeof(double) * (GapEnd - OlderRuns[I].End));
  }
  imageWindows().giveBack(depth, Images);
}

/// `next` may have been in a register. So no ID of the chunk is used again, and
/// every adjoint that the chunks so far allow is cleared.
void Request::abandon() {
  discard(adj, sizeof(double) * (Ids.End - base));
  Ids.Next = Ids.End;
  imageWindows().giveBack(depth, Images);
}

void Request::release() {
  Given.release();
  Parts.clear();
  Tape.release();
  Adjoints.release();
  Log.release();
  OlderRuns.release();
}

//===----------------------------------------------------------------------===//
// Room
//===----------------------------------------------------------------------===//

void Request::limitTape() {
  int64_t Room = TapeEnd - cursor;
  auto AtMost = [&](int64_t Bytes) {
    if (Bytes < Room)
      Room = Bytes;
  };
  AtMost(4 * int64_t(idsLeft()) - VERSO_TAPE_REDZONE);
  AtMost(TapeStep);
  limit = cursor + Room;
}

void Request::grow() {
  if (cursor > TapeEnd) {
    size_t MiB = (TapeEnd - tape_begin) >> 20;
    fatal(Where,
          "the tape is full: the limit is %zu %s; VERSO_TAPE_LIMIT or "
          "verso_set_tape_limit() sets it",
          MiB ? MiB : size_t(TapeEnd - tape_begin), MiB ? "MiB" : "bytes");
  }
  checkMemory();
  if (idsLeft() < MinimumIds)
    extendIds();
  limitTape();
}

void Request::logIsFull() const {
  fatal(Where,
        "too many cells: the log of the user's memory is full (%zu entries)",
        size_t(log_end - log_begin));
}

/// Better an error that names the request than the kernel's choice of a victim.
void Request::checkMemory() const {
  const size_t Spare = size_t(512) << 20;
  size_t Sixteenth = physicalMemory() / 16;
  if (availableMemory() < (Spare < Sixteenth ? Spare : Sixteenth))
    fatal(Where, "memory is running out: the tape has %zu MiB for %lu values",
          size_t(cursor - tape_begin) >> 20, next);
}

/// Ever larger chunks, so that there are few gaps.
void Request::extendIds() {
  uint32_t Wanted = IdPool::ChunkIds << (Chunks < 4 ? Chunks : 4);
  ++Chunks;
  IdChunk New = idPool().take(Wanted, MinimumIds);
  if (!New.Epoch)
    fatal(Where,
          "the request takes more than the 2^31 identifiers that there "
          "are (it has %lu so far)",
          next);
  if (New.End - base > most_ids)
    fatal(Where,
          "the adjoints are full: there is room for %u values (it has %lu "
          "so far, and other requests have some of the identifiers "
          "between); fewer threads leave more",
          most_ids, next);
  if (New.Next == Ids.End) {
    Ids.End = New.End;
    return;
  }
  OlderRuns.push_back({run ? run : 1, uint32_t(next)});
  skipIds(New.Next - absolute(next));
  run = next;
  Ids = New;
}

/// A gap is a run of IDs that nobody has.
void Request::skipIds(uint32_t Count) {
  while (Count) {
    uint32_t N = Count < MostInRecord ? Count : MostInRecord;
    *reinterpret_cast<TapeWord *>(cursor) =
        VERSO_RECORD_HEADER(N, VERSO_RECORD_RUN);
    cursor += 4;
    next += N;
    Count -= N;
  }
}

//===----------------------------------------------------------------------===//
// Records
//===----------------------------------------------------------------------===//

uint32_t Request::mark(verso_record_kind Kind) {
  *reinterpret_cast<TapeWord *>(cursor) = Kind;
  cursor += 4;
  return next++;
}

uint32_t Request::roomForRun() {
  // The redzone's IDs stay for what emitted code writes unasked.
  const uint32_t Kept = VERSO_TAPE_REDZONE / 4;
  makeRoom();
  if (idsLeft() < Kept + 8)
    grow();
  uint32_t Most = idsLeft() - Kept;
  return Most < MostInRecord ? Most : MostInRecord;
}

bool Request::hasRoomForRun(uint32_t Count) {
  constexpr unsigned MostChunks = 4;
  for (unsigned Chunk = 0; roomForRun() < Count; ++Chunk) {
    if (Chunk == MostChunks)
      return false;
    extendIds();
  }
  return true;
}

uint32_t Request::markRun(uint32_t Count) {
  *reinterpret_cast<TapeWord *>(cursor) =
      VERSO_RECORD_HEADER(Count, VERSO_RECORD_RUN);
  cursor += 4;
  uint32_t Id = next;
  next += Count;
  limitTape();
  return Id;
}

void Request::endKernel(char *End) {
  *reinterpret_cast<TapeWord *>(End) = uint32_t((End + 4 - cursor) / 4);
  cursor = End + 4;
  mark(VERSO_RECORD_HALVES);
  *reinterpret_cast<TapeWord *>(cursor - 4) =
      VERSO_RECORD_HEADER(VERSO_HALVES_ARE_KERNEL, VERSO_RECORD_HALVES);
  makeRoom();
  limitTape();
}

bool Request::inOlderRun(uint32_t Id) const {
  size_t Low = 0, High = OlderRuns.size();
  while (Low != High) {
    size_t Middle = Low + (High - Low) / 2;
    if (Id < OlderRuns[Middle].Begin)
      High = Middle;
    else if (Id < OlderRuns[Middle].End)
      return true;
    else
      Low = Middle + 1;
  }
  return false;
}
