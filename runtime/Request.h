//===- Request.h - one request in flight ------------------------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A context as emitted code sees it (Layout.h), with what only the runtime
// needs to know. Tape, adjoints and log belong to a thread and a depth and are
// kept from request to request.
//
// Between requests all adjoints are zero. While one runs, `limit` bounds three
// things at once, since every ID and every log entry takes at least four bytes
// of tape: the bytes of the tape, the IDs of the chunk and the entries of the
// log. Up to VERSO_TAPE_REDZONE bytes may be written beyond it.
//
// IDs of a request are numbered as one row even if the chunks are apart: a gap
// is skipped by RUN records, and `run` tells emitted code where the current row
// without a gap starts.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_RUNTIME_REQUEST_H
#define VERSO_RUNTIME_REQUEST_H

#include "GivenMemory.h"
#include "Identifiers.h"
#include "ImageWindows.h"
#include "Lookup.h"
#include "Memory.h"
#include "PartlyWritten.h"
#include "Vector.h"
#include "verso/Layout.h"

namespace verso {

class Request : public verso_context {
public:
  GivenMemory Given;
  PartlyWritten Parts;

  static Request &of(void *Context) {
    return *static_cast<Request *>(static_cast<verso_context *>(Context));
  }

  void start(unsigned Depth, const char *Where, uint64_t Frame);
  /// Whether loops may be recorded as a whole: not where an outer request looks
  /// at what the tape does.
  void setTakesKernels(bool Takes) { TakesKernels = Takes; }
  bool takesKernels() const { return TakesKernels; }
  void setKeepsMap(bool Keeps) { KeepsMap = Keeps; }
  bool keepsMap() const { return KeepsMap; }
  /// Whether the shadows hold the adjoints that the reverse sweep begins with,
  /// and these are constants: they are neither put there later nor variables of
  /// a request around this one.
  void setSeedsAreFinal(bool Are) { SeedsAreFinal = Are; }
  bool seedsAreFinal() const { return SeedsAreFinal; }
  /// After the reverse sweep: adjoints are zero but for gaps.
  void finish();
  /// Instead of finish: nobody knows how far the request came.
  void abandon();
  /// Gives all memory back, at the end of the thread.
  void release();

  /// Makes room: afterwards cursor <= limit.
  void grow();
  void makeRoom() {
    if (cursor > limit)
      grow();
  }

  /// Appends a record of one ID without contributions and returns the ID.
  uint32_t mark(verso_record_kind Kind);
  /// How many IDs markRun may take now: at least 8.
  uint32_t roomForRun();
  /// Whether it may take \p Count now: IDs may be added for that.
  bool hasRoomForRun(uint32_t Count);
  /// Appends a record of \p Count raw leaves and returns the first one's ID.
  uint32_t markRun(uint32_t Count);
  /// How many bytes a record may have that is written all at once.
  uint64_t bytesLeft() const {
    return TapeEnd - cursor > 2 * VERSO_TAPE_REDZONE
               ? uint64_t(TapeEnd - cursor - 2 * VERSO_TAPE_REDZONE)
               : 0;
  }
  /// A kernel's record, which was written from `cursor` up to \p End.
  void endKernel(char *End);
  void logCell(char *Primal, char *Adjoint, uint32_t Leaf, uint32_t Kind,
               uint64_t Bytes) {
    if (log == log_end)
      logIsFull();
    *log = {Primal,
            Adjoint,
            Leaf,
            Kind,
            /*integers=*/0,
            Bytes,
            verso_way_back(this)};
    ++log;
  }

  /// The relative ID of an image word; 0 if it is stale.
  uint32_t live(uint32_t Word) const {
    uint32_t Id = Word - base;
    if (Id >= next)
      return 0;
    return __builtin_expect(Id >= run, 1) || inOlderRun(Id) ? Id : 0;
  }
  uint32_t absolute(uint32_t Id) const { return Id + base; }

  /// Bytes of the tape and of the cell log in use.
  size_t tapeBytes() const {
    return size_t(cursor - tape_begin) +
           size_t(log - log_begin) * sizeof(verso_cell);
  }
  const char *where() const { return Where; }
  unsigned imageWindow() const { return Images.Index; }
  void holdWindow() const { imageWindows().hold(depth, Images); }
  uint64_t frame() const { return Frame; }

private:
  /// Relative IDs [Begin, End).
  struct Run {
    uint32_t Begin;
    uint32_t End;
  };

  /// A segment's IDs and as many again.
  static constexpr uint32_t MinimumIds = 2 * VERSO_TAPE_REDZONE / 4;

  void prepareMemory();
  void reserveTape();
  void limitTape();
  void extendIds();
  [[noreturn]] void logIsFull() const;
  void skipIds(uint32_t Count);
  void checkMemory() const;
  bool inOlderRun(uint32_t Id) const;
  uint32_t idsLeft() const { return Ids.End - absolute(next); }

  IdChunk Ids; ///< Its Next counts only between requests.
  Vector<Run> OlderRuns;
  const char *Where = nullptr;
  uint64_t Frame = 0;
  char *TapeEnd = nullptr; ///< The limit that the user set, or memory sets.
  size_t LimitInForce = 0; ///< The user's, when the tape was reserved.
  unsigned Chunks = 0;     ///< Taken while running.
  bool TakesKernels = false, KeepsMap = false, SeedsAreFinal = true;
  ImageWindow Images;
  Reservation Tape, Adjoints, Log;
};

} // namespace verso

#endif // VERSO_RUNTIME_REQUEST_H
