//===- Sparsity.cpp - the pattern of a linear map -------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Sparsity.h"
#include "Fatal.h"
#include "LostNumbers.h"

#include <stdlib.h>

using namespace verso;

//===----------------------------------------------------------------------===//
// Numbering
//===----------------------------------------------------------------------===//

int Numbering::compare(const void *A, const void *B) {
  const char *X = static_cast<const Range *>(A)->Begin;
  const char *Y = static_cast<const Range *>(B)->Begin;
  return X < Y ? -1 : X > Y;
}

void Numbering::build(const verso_cells *Cells, size_t Count,
                      const char *Where) {
  size_t Sum = 0;
  for (size_t I = 0; I != Count; ++I) {
    const verso_cells &C = Cells[I];
    if (C.count && C.size)
      Ranges.push_back(
          {static_cast<char *>(C.shadow), C.count, C.size, uint32_t(Sum)});
    Sum += C.count;
  }
  if (Sum >= None)
    fatal(Where, "too many numbers for a pattern");
  Total = uint32_t(Sum);
  if (!Ranges.empty())
    qsort(Ranges.begin(), Ranges.size(), sizeof(Range), compare);
}

uint32_t Numbering::of(const char *At) {
  if (Ranges.empty())
    return None;
  if (!covers(Ranges[Last], At)) {
    size_t Low = 0, High = Ranges.size(); // The last that begins at or before.
    while (High - Low > 1) {
      size_t Middle = Low + (High - Low) / 2;
      (Ranges[Middle].Begin <= At ? Low : High) = Middle;
    }
    if (!covers(Ranges[Low], At))
      return None;
    Last = Low;
  }
  const Range &R = Ranges[Last];
  return R.First + uint32_t(size_t(At - R.Begin) / R.Size);
}

//===----------------------------------------------------------------------===//
// What the outputs hold
//===----------------------------------------------------------------------===//

/// As LinearMap::pushforward writes them: a cell that the function left alone
/// holds what it held.
void Sparsity::findSources() {
  for (uint32_t I = 0; I != Out.size(); ++I)
    Sources.push_back({0, Numbering::None});
  Out.each(
      [&](uint32_t Row, const char *At) { Sources[Row].Column = In.of(At); });
  for (const LinearMap::Port &P : Map.Outputs)
    if (uint32_t Row = Out.of(P.At); Row != Numbering::None)
      Sources[Row] = {P.Id, Numbering::None};
  for (const char *At : Map.Ended)
    if (uint32_t Row = Out.of(At); Row != Numbering::None)
      Sources[Row] = {0, Numbering::None};
  for (const char *At : Map.EndedBytes)
    if (uint32_t Row = Out.of(At); Row != Numbering::None)
      Sources[Row] = {0, Numbering::None};
  for (const LinearMap::Copy &C : Map.Copied)
    if (uint32_t Row = Out.of(C.At); Row != Numbering::None)
      Sources[Row] = {0, C.From ? In.of(C.From) : Numbering::None};
  for (uint32_t Id : Map.Returned)
    Sources.push_back({Id, Numbering::None});
}

//===----------------------------------------------------------------------===//
// From inputs to outputs
//===----------------------------------------------------------------------===//

void Sparsity::markLive() {
  auto Mark = [&](uint32_t Operand) {
    if (!(Operand & VERSO_ID_DIRECT))
      Live[Operand] = 1;
  };
  for (const Source &S : Sources)
    Mark(S.Id);
  size_t Term = 0;
  for (const LinearMap::Row &R : Map.Rows) { // From the last ID down.
    for (uint32_t K = 0; Live[R.Id] && K != R.Terms; ++K)
      Mark(Map.Operands[Term + K]);
    Term += R.Terms;
  }
  if (Live[VERSO_ID_LOST])
    failLost(Map.Where, "the pattern is not known: ");
}

void Sparsity::listInputs() {
  auto List = [&](uint32_t Id, uint32_t Column) {
    if (Column == Numbering::None || !Live[Id])
      return;
    Sets[Id] = {Lists.size(), 1, 0};
    Lists.push_back(Column);
  };
  for (const LinearMap::Port &P : Map.Inputs)
    List(P.Id, In.of(P.At));
  for (size_t I = 0; I != Map.Arguments.size(); ++I)
    if (!(Map.Arguments[I] & VERSO_ID_DIRECT))
      List(Map.Arguments[I], In.size() + uint32_t(I));
}

void Sparsity::add(uint32_t Column) {
  if (Column == Numbering::None || Seen[Column] == Walk)
    return;
  Seen[Column] = Walk;
  Found.push_back(Column);
}

void Sparsity::addOperand(uint32_t Operand) {
  if (Operand & VERSO_ID_DIRECT) {
    add(In.of(reinterpret_cast<const char *>(Map.Direct +
                                             (Operand & ~VERSO_ID_DIRECT))));
    return;
  }
  Set &S = Sets[Operand];
  if (!(S.Count & Wide)) {
    for (uint32_t I = 0; I != S.Count; ++I)
      add(Lists[S.Start + I]);
  } else if (S.Stamp != Walk) {
    S.Stamp = Walk;
    Pending.push_back(Operand);
  }
}

/// Makes the set of \p Id from those of its operands.
void Sparsity::summarize(uint32_t Id, size_t Term, uint32_t Terms) {
  ++Walk;
  Found.clear();
  Pending.clear();
  for (uint32_t K = 0; K != Terms; ++K)
    addOperand(Map.Operands[Term + K]);
  if (Pending.size() == 1 && Found.empty()) {
    Sets[Id] = Sets[Pending[0]];
    return;
  }
  if (!Pending.empty() || Found.size() > Few) {
    Sets[Id] = {Term, Terms | Wide, 0};
    return;
  }
  for (uint32_t K = 0; K != Terms; ++K) {
    uint32_t Operand = Map.Operands[Term + K];
    if (Operand & VERSO_ID_DIRECT || Sets[Operand].Count != Found.size())
      continue;
    Sets[Id] = Sets[Operand]; // It has all of them.
    return;
  }
  Sets[Id] = {Lists.size(), uint32_t(Found.size()), 0};
  for (uint32_t Column : Found)
    Lists.push_back(Column);
}

/// Appends the inputs of \p Id to the current row.
void Sparsity::walk(uint32_t Id) {
  Pending.clear();
  addOperand(Id);
  while (!Pending.empty()) {
    Set S = Sets[Pending.back()];
    Pending.erase(Pending.size() - 1);
    for (uint32_t K = 0; K != (S.Count & ~Wide); ++K)
      addOperand(Map.Operands[S.Start + K]);
  }
}

verso_pattern *Sparsity::compute(const verso_cells *Inputs, size_t NumInputs,
                                 const verso_cells *Outputs,
                                 size_t NumOutputs) {
  In.build(Inputs, NumInputs, Map.Where);
  Out.build(Outputs, NumOutputs, Map.Where);
  Columns = In.size() + uint32_t(Map.Arguments.size());
  findSources();
  Live = static_cast<unsigned char *>(zeroed(Map.NumIds, 1));
  Sets = static_cast<Set *>(zeroed(Map.NumIds, sizeof(Set)));
  Seen = static_cast<uint32_t *>(zeroed(Columns, sizeof(uint32_t)));
  markLive();
  listInputs();
  size_t Term = Map.Operands.size();
  for (size_t I = Map.Rows.size(); I--;) {
    const LinearMap::Row &R = Map.Rows[I];
    Term -= R.Terms;
    if (Live[R.Id])
      summarize(R.Id, Term, R.Terms);
  }
  Found.clear();
  for (const Source &S : Sources) {
    ++Walk;
    add(S.Column);
    walk(S.Id);
    Ends.push_back(Found.size());
  }
  return assemble();
}

//===----------------------------------------------------------------------===//
// The result
//===----------------------------------------------------------------------===//

/// Transposed twice, all rows are in order, without a comparison.
void Sparsity::sortRows() {
  size_t Rows = Ends.size(), Entries = Found.size();
  auto *Next = static_cast<size_t *>(zeroed(Columns + 1, sizeof(size_t)));
  auto *RowOf = static_cast<uint32_t *>(zeroed(Entries, sizeof(uint32_t)));
  for (uint32_t Column : Found)
    ++Next[Column + 1];
  for (uint32_t C = 0; C != Columns; ++C)
    Next[C + 1] += Next[C];
  for (size_t R = 0, I = 0; R != Rows; ++R)
    for (; I != Ends[R]; ++I)
      RowOf[Next[Found[I]]++] = uint32_t(R);
  // Next[C] is now the end of column C.
  auto *At = static_cast<size_t *>(zeroed(Rows, sizeof(size_t)));
  for (size_t R = 1; R < Rows; ++R)
    At[R] = Ends[R - 1];
  size_t I = 0;
  for (uint32_t C = 0; C != Columns; ++C)
    for (; I != Next[C]; ++I)
      Found[At[RowOf[I]]++] = C;
  free(At);
  free(RowOf);
  free(Next);
}

verso_pattern *Sparsity::assemble() {
  sortRows();
  auto *P = static_cast<verso_pattern *>(zeroed(1, sizeof(verso_pattern)));
  P->rows = Ends.size();
  P->columns = Columns;
  P->starts = static_cast<size_t *>(zeroed(P->rows + 1, sizeof(size_t)));
  P->indices = static_cast<uint32_t *>(zeroed(Found.size(), sizeof(uint32_t)));
  for (size_t R = 0; R != P->rows; ++R)
    P->starts[R + 1] = Ends[R];
  for (size_t I = 0; I != Found.size(); ++I)
    P->indices[I] = Found[I];
  return P;
}

void *Sparsity::zeroed(size_t Count, size_t Size) const {
  void *Memory = calloc(Count ? Count : 1, Size);
  if (!Memory)
    fatal(Map.Where, "out of memory");
  return Memory;
}

Sparsity::~Sparsity() {
  free(Sets);
  free(Live);
  free(Seen);
  In.release();
  Out.release();
  Sources.release();
  Lists.release();
  Pending.release();
  Found.release();
  Ends.release();
}
