//===- LinearMap.cpp - the derivative of a function at a point ------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LinearMap.h"
#include "Fatal.h"
#include "Halves.h"
#include "Kernels.h"
#include "LostNumbers.h"

#include <math.h>

using namespace verso;

//===----------------------------------------------------------------------===//
// Building
//===----------------------------------------------------------------------===//

typedef LinearMap Sink;

INLINE void moveAdjoint(Sink *S, verso_cell_kind Kind, uint32_t Id, char *At) {
  S->move(Kind, Id, At);
}
INLINE void endAdjoint(Sink *S, char *At) { S->end(At); }
INLINE void endByte(Sink *S, char *At) { S->endByte(At); }
INLINE void loseByte(Sink *S, char *At) { S->loseByte(At); }
INLINE void deferBits(Sink *S, uint32_t Id, char *At) { S->copyBits(Id, At); }
INLINE void deferByte(Sink *S, Context *C, uint32_t Id, uint32_t Byte,
                      char *At) {
  const verso_cell *Raw = verso_find_raw_entry(C, Id);
  S->copyByte(Raw->adjoint + 4 * uint64_t(Id - Raw->leaf) + Byte, At);
}
/// The shadow structure belongs to the point, not to the map: it is settled
/// now.
INLINE void movePointer(Sink *, Context *C, uint32_t Handle, char *At) {
  *reinterpret_cast<UnalignedPointer *>(At) =
      *reinterpret_cast<UnalignedPointer *>(C->adj + Handle);
}

#include "Release.h"

namespace verso {

/// The IDs that the rows read so far are made of.
class UsedIds {
public:
  UsedIds(const char *Where, uint32_t NumIds) : NumIds(NumIds) {
    Used = static_cast<bool *>(calloc(NumIds, 1));
    if (!Used)
      fatal(Where, "out of memory");
  }
  UsedIds(const UsedIds &) = delete;
  ~UsedIds() { free(Used); }
  void use(uint32_t Id) {
    if (Id < NumIds)
      Used[Id] = true;
  }
  bool isUsed(uint32_t Id) const { return Used[Id]; }

private:
  bool *Used;
  const uint32_t NumIds;
};

} // namespace verso

void LinearMap::useIds(UsedIds &Used) const {
  for (uint32_t Id : Operands)
    Used.use(Id);
  for (const Port &P : Outputs)
    Used.use(P.Id);
  for (const Copy &C : Copied)
    if (C.Bytes == 4)
      Used.use(C.Id);
  for (uint32_t Id : Returned)
    Used.use(Id);
  for (uint32_t Id : Arguments)
    Used.use(Id);
}

/// One run of a kernel, as the records that the tape would have.
void LinearMap::readKernel(const Request &R, char *End) {
  struct Reader {
    LinearMap &Map;
    UsedIds Used;
    uint32_t Terms;
  } Me{*this, {Where, NumIds}, 0};
  useIds(Me.Used);
  readRowsOfKernel(R, End,
                   {&Me,
                    [](void *Who, uint32_t Id) {
                      return static_cast<Reader *>(Who)->Used.isUsed(Id);
                    },
                    [](void *Who, double Partial, uint32_t Operand) {
                      auto *Me = static_cast<Reader *>(Who);
                      Me->Map.Partials.push_back(Partial);
                      Me->Map.Operands.push_back(Operand);
                      ++Me->Terms;
                    },
                    [](void *Who, uint32_t Id) {
                      auto *Me = static_cast<Reader *>(Who);
                      Me->Map.Rows.push_back({Id, Me->Terms});
                      Me->Terms = 0;
                    }});
}

/// The tape can be walked from its end only.
void LinearMap::readTape(const Request &R) {
  uint32_t Id = R.next;
  for (const char *P = R.cursor; P != R.tape_begin;) {
    uint32_t Header = *reinterpret_cast<const UnalignedWord *>(P - 4);
    if (isRow(Header)) {
      RowView Row = viewRow(P);
      P = Row.Begin;
      for (uint32_t I = Row.N; I--;) {
        double Partial;
        uint32_t Operand, Terms = 0;
        for (; rowTerm(&Row, I, Terms, &Partial, &Operand); ++Terms) {
          Partials.push_back(Partial);
          Operands.push_back(Operand);
        }
        Rows.push_back({--Id, Terms});
      }
      continue;
    }
    RecordView Record = readRecord(P, R.tape_begin);
    if (Record.Kind == VERSO_RECORD_HALVES &&
        Record.N == VERSO_HALVES_ARE_KERNEL)
      readKernel(R, const_cast<char *>(P));
    P = Record.Begin;
    Id -= Record.Ids;
    if (Record.Kind > VERSO_RECORD_SHARED)
      continue;
    uint32_t Terms = Record.N;
    if (Record.Kind == VERSO_RECORD_SUM) {
      Partials.push_back(1);
      Operands.push_back(Record.Operand[-1]);
      ++Terms;
    }
    for (uint32_t I = 0; I != Record.N; ++I) {
      Partials.push_back(Record.Partial[I]);
      Operands.push_back(Record.Operand[I]);
    }
    Rows.push_back({Id, Terms});
  }
}

void LinearMap::readLeaves(const Request &R) {
  for (const verso_cell *E = R.log_begin; E != R.log; ++E) {
    if (!E->leaf)
      continue;
    auto Kind = static_cast<verso_cell_kind>(E->kind);
    if (Kind != VERSO_CELL_RAW) {
      Inputs.push_back({E->adjoint, E->leaf, Kind});
      continue;
    }
    auto *Slots = reinterpret_cast<const AdjointBits *>(R.adj);
    for (uint64_t I = 0; I + 4 <= E->bytes; I += 4) {
      uint32_t Id = E->leaf + uint32_t(I / 4);
      if (halvesOf(&R, Id) || piecesOf(&R, Id)) // Leaves of their own.
        continue;
      uint64_t Settled = I + 8 <= E->bytes ? Slots[Id + 1] : 0;
      if (Settled == VERSO_SETTLED_DOUBLE) {
        Inputs.push_back({E->adjoint + I, Id, VERSO_CELL_DOUBLE});
        I += 4;
      } else if (Settled == VERSO_SETTLED_X86_FP80) {
        Inputs.push_back({E->adjoint + I, Id, VERSO_CELL_X86_FP80});
        I += 4;
      } else {
        Inputs.push_back({E->adjoint + I, Id, VERSO_CELL_RAW});
      }
    }
  }
}

/// Untyped bytes that nothing depends on are no inputs: pointers may be among
/// them, beside which no number may be written.
void LinearMap::dropUnused() {
  UsedIds Used(Where, NumIds);
  useIds(Used);
  size_t Kept = 0;
  for (const Port &P : Inputs)
    if (P.Kind != VERSO_CELL_RAW || Used.isUsed(P.Id))
      Inputs[Kept++] = P;
  Inputs.erase(Kept, Inputs.size() - Kept);
}

void LinearMap::build(Request &R, const uint32_t *Ids, uint32_t NumArguments,
                      uint32_t NumReturned, const double *ReturnedValues,
                      bool Takes) {
  Where = R.where();
  Direct = reinterpret_cast<double *>(R.direct);
  NumIds = R.next;
  for (uint32_t I = 0; I != NumArguments; ++I)
    Arguments.push_back(Ids[I]);
  for (uint32_t I = 0; I != NumReturned; ++I) {
    Returned.push_back(Ids[NumArguments + I]);
    Values.push_back(ReturnedValues[I]);
  }
  releaseOutputs(this, &R);
  readTape(R);
  readLeaves(R);
  dropUnused();
  // Of a double that was moved as bytes the second half is no input by itself.
  for (Copy &C : Copied)
    if (C.Bytes == 4) {
      const verso_cell *Raw = verso_find_raw_entry(&R, C.Id);
      C.From = Raw->adjoint + 4 * uint64_t(C.Id - Raw->leaf);
    }
  // Handles, and what raw leaves were settled as.
  if (Takes)
    discard(R.adj, sizeof(double) * R.next);
  Adjoints = static_cast<double *>(calloc(NumIds, sizeof(double)));
  if (!Adjoints)
    fatal(Where, "out of memory");
}

void LinearMap::release() {
  free(Adjoints);
  Rows.release();
  Partials.release();
  Operands.release();
  Inputs.release();
  Outputs.release();
  Ended.release();
  EndedBytes.release();
  LostBytes.release();
  Copied.release();
  Arguments.release();
  Returned.release();
  Values.release();
}

//===----------------------------------------------------------------------===//
// Cells
//===----------------------------------------------------------------------===//

static double read(const LinearMap::Port &P) {
  switch (P.Kind) {
  case VERSO_CELL_DOUBLE:
    return *reinterpret_cast<UnalignedDouble *>(P.At);
  case VERSO_CELL_X86_FP80:
    return double(*reinterpret_cast<AliasingLongDouble *>(P.At));
  case VERSO_CELL_HALF:
  case VERSO_CELL_BFLOAT:
    return readHalf(P.At, P.Kind);
  default: // Raw granules that nobody read as anything wider are floats.
    return *reinterpret_cast<UnalignedFloat *>(P.At);
  }
}

static void write(const LinearMap::Port &P, double Value) {
  switch (P.Kind) {
  case VERSO_CELL_DOUBLE:
    *reinterpret_cast<UnalignedDouble *>(P.At) = Value;
    break;
  case VERSO_CELL_X86_FP80:
    *reinterpret_cast<AliasingLongDouble *>(P.At) = Value;
    break;
  case VERSO_CELL_HALF:
  case VERSO_CELL_BFLOAT:
    writeHalf(P.At, P.Kind, Value);
    break;
  default:
    *reinterpret_cast<UnalignedFloat *>(P.At) = float(Value);
    break;
  }
}

static uint32_t bits(const char *At) {
  return *reinterpret_cast<const UnalignedWord *>(At);
}

static uint32_t bits(const char *At, unsigned Bytes) {
  return Bytes == 4 ? bits(At) : static_cast<unsigned char>(*At);
}

/// Whether the cell of the shadow holds an integer that the structure repeats.
static bool isInteger(const LinearMap::Port &P) {
  return P.Id == VERSO_ID_LOST && bits(P.At) && holdsInteger(P.Kind, P.At);
}

static void setBits(char *At, uint32_t Bits, unsigned Bytes = 4) {
  if (Bytes == 4)
    *reinterpret_cast<UnalignedWord *>(At) = Bits;
  else
    *At = static_cast<char>(Bits);
}

//===----------------------------------------------------------------------===//
// Both directions. All cells are read before any is written: inputs may be
// outputs.
//===----------------------------------------------------------------------===//

void LinearMap::resolveUpwards() {
  size_t Term = Operands.size();
  for (size_t I = Rows.size(); I--;) {
    double Sum = 0;
    Term -= Rows[I].Terms;
    for (uint32_t K = 0; K != Rows[I].Terms; ++K)
      if (double Dot = *cell(Operands[Term + K]); Dot != 0)
        Sum += Partials[Term + K] * Dot;
    Adjoints[Rows[I].Id] = Sum;
  }
}

void LinearMap::resolveDownwards() {
  size_t Term = 0;
  for (const Row &R : Rows) {
    double A = Adjoints[R.Id];
    Adjoints[R.Id] = 0;
    for (uint32_t K = 0; A != 0 && K != R.Terms; ++K)
      *cell(Operands[Term + K]) += A * Partials[Term + K];
    Term += R.Terms;
  }
}

void LinearMap::pushforward(const double *Tangents, double *Results) {
  if ((!Tangents && inputs()) || (!Results && outputs()))
    fatal(Where, "verso_pushforward: null for the tangents of out arguments, "
                 "or for the results of returned numbers");
  Guard G(M);
  for (const Port &P : Inputs)
    Adjoints[P.Id] = read(P);
  for (size_t I = 0; I != Arguments.size(); ++I)
    Adjoints[Arguments[I]] = Tangents[I];
  Adjoints[VERSO_ID_LOST] = NAN; // Nobody knows.
  resolveUpwards();
  for (size_t I = 0; I != Returned.size(); ++I)
    Results[I] = *cell(Returned[I]);
  Vector<uint32_t> Moved;
  for (const Copy &C : Copied)
    Moved.push_back(C.From ? bits(C.From, C.Bytes) : 0);
  for (const Port &P : Outputs)
    if (!isInteger(P))
      write(P, Adjoints[P.Id]);
  for (char *At : Ended)
    setBits(At, 0);
  for (char *At : EndedBytes)
    *At = 0;
  for (char *At : LostBytes)
    *At = char(0xff); // As a number a NaN, if all of it are.
  for (size_t I = 0; I != Copied.size(); ++I)
    setBits(Copied[I].At, Moved[I], Copied[I].Bytes);
  Moved.release();
  memset(Adjoints, 0, sizeof(double) * NumIds);
}

void LinearMap::pullback(const double *Cotangents, double *Derivatives) {
  if ((!Cotangents && outputs()) || (!Derivatives && inputs()))
    fatal(Where, "verso_pullback: null for the cotangents of returned numbers, "
                 "or for the derivatives of out arguments");
  Guard G(M);
  for (const Port &P : Outputs) {
    if (!isInteger(P))
      Adjoints[P.Id] += read(P);
    write(P, 0);
  }
  for (char *At : Ended)
    setBits(At, 0);
  for (char *At : EndedBytes)
    *At = 0;
  Vector<uint32_t> Moved;
  for (const Copy &C : Copied) {
    Moved.push_back(bits(C.At, C.Bytes));
    setBits(C.At, 0, C.Bytes);
  }
  for (size_t I = 0; I != Copied.size(); ++I) {
    if (!Moved[I] || !Copied[I].From)
      continue;
    if (bits(Copied[I].From, Copied[I].Bytes))
      fatal(Where, "memory that is copied but never read as a number has two "
                   "adjoints, and their type is not known; copy it as numbers");
    setBits(Copied[I].From, Moved[I], Copied[I].Bytes);
  }
  Moved.release();
  for (size_t I = 0; I != Returned.size(); ++I)
    *cell(Returned[I]) += Cotangents[I];
  resolveDownwards();
  for (const Port &P : Inputs)
    if (double A = Adjoints[P.Id]; A != 0)
      write(P, read(P) + A);
  for (size_t I = 0; I != Arguments.size(); ++I)
    Derivatives[I] = Adjoints[Arguments[I]];
  bool Lost = Adjoints[VERSO_ID_LOST] != 0;
  for (char *At : LostBytes) {
    Lost |= *At != 0;
    *At = 0;
  }
  memset(Adjoints, 0, sizeof(double) * NumIds);
  if (Lost)
    failLost(Where, "");
}

void LinearMap::pushVector(const double *V, double *Jv) {
  for (const Port &P : Inputs)
    Adjoints[P.Id] = *V++;
  for (uint32_t Id : Arguments)
    Adjoints[Id] = *V++;
  resolveUpwards();
  for (const Port &P : Outputs)
    *Jv++ = Adjoints[P.Id];
  for (uint32_t Id : Returned)
    *Jv++ = Adjoints[Id];
  memset(Adjoints, 0, sizeof(double) * NumIds);
}

void LinearMap::pullVector(const double *W, double *JtW) {
  for (const Port &P : Outputs)
    Adjoints[P.Id] += *W++;
  for (uint32_t Id : Returned)
    Adjoints[Id] += *W++;
  resolveDownwards();
  for (const Port &P : Inputs)
    *JtW++ = Adjoints[P.Id];
  for (uint32_t Id : Arguments)
    *JtW++ = Adjoints[Id];
  memset(Adjoints, 0, sizeof(double) * NumIds);
}
