//===- Arena.cpp - what structured sweeps keep ----------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Arena.h"
#include "Fatal.h"
#include "ShadowMap.h"

using namespace verso;

static size_t rounded(size_t Bytes) { return (Bytes + 63) & ~size_t(63); }

char *Arena::begin(const char *W) {
  Where = W;
  bool IsEmpty = Top == Memory.data();
  if (!Memory.data() || (IsEmpty && LimitInForce != tapeLimit())) {
    LimitInForce = tapeLimit();
    // What is kept has shadows, for requests around this one.
    shadowMap().prepare(Where);
    Memory.release();
    if (LimitInForce)
      Memory.reserve(rounded(LimitInForce), "tape", Where);
    else
      Memory.reserveShare(physicalMemory(), "tape", Where);
    Top = Memory.data();
    End = Top + (LimitInForce ? rounded(LimitInForce) : Memory.bytes());
  }
  return Top;
}

void Arena::end(char *Mark) { Top = Mark; }

char *Arena::take(size_t Bytes) {
  char *Block = Top;
  if (Bytes > size_t(End - Top)) {
    size_t MiB = Memory.bytes() >> 20;
    fatal(Where,
          "the tape is full: the limit is %zu %s; VERSO_TAPE_LIMIT or "
          "verso_set_tape_limit() sets it",
          MiB ? MiB : Memory.bytes(), MiB ? "MiB" : "bytes");
  }
  Top += rounded(Bytes);
  if (Top > End)
    Top = End;
  return Block;
}

/// Where a request keeps nothing, nobody has begun.
static constexpr char OfTeam[] = "a loop that threads share";

char *Arena::room(size_t Bytes) {
  if (!Memory.data())
    begin(OfTeam);
  char *Block = take(Bytes);
  Top = Block;
  return Block;
}

bool Arena::hasRoom(size_t Count, size_t Each) {
  if (!Memory.data())
    begin(OfTeam);
  return Each <= size_t(End - Top) / 2 / Count;
}

char *Arena::extend(char *Old, size_t OldBytes, size_t NewBytes) {
  if (!Old || Old + rounded(OldBytes) != Top)
    return take(NewBytes);
  Top = Old;
  return take(NewBytes);
}
