//===- ApartSpans.cpp - a test whether memory is apart --------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "structured/memory/ApartSpans.h"
#include "emit/Runtime.h"
#include "verso/Layout.h"

using namespace llvm;
using namespace verso;

/// The longest table that is looked through, in bytes.
static constexpr uint64_t MaxTable = uint64_t(1) << 24;

Span ApartTest::rows(Value *Table, Interval Pointers, uint64_t Stride,
                     bool IsRead, Interval Offsets) {
  Value *None = ConstantPointerNull::get(B.getPtrTy());
  Interval Addresses = Bounds.addresses(Table, Pointers);
  add(Bounds.areAddresses(Addresses));
  Value *Bytes = B.CreateSub(Pointers.High, Pointers.Low);
  add(B.CreateICmpSLE(Bytes, ConstantInt::get(Bytes->getType(), MaxTable)));
  // Offsets of less than 2^62 bytes.
  Interval Limited = Bounds.addresses(None, Offsets);
  add(B.CreateICmpEQ(Limited.Low, Offsets.Low));
  add(B.CreateICmpEQ(Limited.High, Offsets.High));
  return {Offsets, B.CreatePtrAdd(Table, in64Bits(Pointers.Low)),
          in64Bits(Bytes), Stride, IsRead};
}

void ApartTest::addDistinct(Span &S) {
  int Known = S.IsRead ? VERSO_ROWS_FIRST_IS_READ : 0;
  Value *How =
      B.CreateSelect(B.CreateFreeze(Result), B.getInt32(VERSO_ROWS_ASK | Known),
                     B.getInt32(0));
  Result = B.CreateICmpNE(
      callRuntime(B, RuntimeFunction::RowsAreDistinct,
                  {How, S.Table, S.Bytes, B.getInt64(S.Stride),
                   in64Bits(S.Range.Low), in64Bits(S.Range.High)}),
      B.getInt32(0));
  S.IsRead = true;
}

/// Tables are looked through if all else holds: only then are their bounds
/// addresses.
void ApartTest::addApart(MutableArrayRef<Span> Spans,
                         ArrayRef<std::pair<unsigned, unsigned>> Pairs) {
  if (Bounds.bits() <= 64)
    add(Bounds.isExact());
  for (auto [P, Q] : Pairs)
    if (!Spans[P].Table && !Spans[Q].Table)
      add(Bounds.areApart(Spans[P].Range, Spans[Q].Range));
  for (auto [P, Q] : Pairs) {
    if (!Spans[P].Table && !Spans[Q].Table)
      continue;
    int Known = (Spans[P].IsRead ? VERSO_ROWS_FIRST_IS_READ : 0) |
                (Spans[Q].IsRead ? VERSO_ROWS_SECOND_IS_READ : 0);
    SmallVector<Value *, 11> Arguments{
        B.CreateSelect(B.CreateFreeze(Result),
                       B.getInt32(VERSO_ROWS_ASK | Known), B.getInt32(0))};
    for (const Span &S : {Spans[P], Spans[Q]}) {
      Value *None = ConstantPointerNull::get(B.getPtrTy());
      append_range(Arguments,
                   std::initializer_list<Value *>{
                       S.Table ? S.Table : None,
                       S.Table ? S.Bytes : B.getInt64(0), B.getInt64(S.Stride),
                       in64Bits(S.Range.Low), in64Bits(S.Range.High)});
    }
    Result =
        B.CreateICmpNE(callRuntime(B, RuntimeFunction::RowsAreApart, Arguments),
                       B.getInt32(0));
    Spans[P].IsRead = Spans[Q].IsRead = true;
  }
}
