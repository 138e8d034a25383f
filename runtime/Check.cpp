//===- Check.cpp - requests that check themselves -------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Check.h"
#include "ContextStack.h"
#include "Fatal.h"
#include "Flags.h"
#include "Halves.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace verso;

namespace {

/// One end of the conversation.
struct Peer {
  int Read = -1, Write = -1;
  pid_t Copy = 0;
};

/// A cell in the order in which both sides count components.
using Component = LinearMap::Port;

} // namespace

static thread_local Peer Other;
/// In a copy that runs a structured request by tape, and whom it tells.
static thread_local bool AsksForTape = false;
/// What a copy ends with whose request an exception leaves.
static constexpr int LeftByException = 113;
static thread_local Peer ToProcess;
/// In the copy: the outputs, and which shadows have got their component.
static constinit Vector<Component> Outputs;
static constinit Vector<char *> Known;
static uint64_t Extra = 0;

/// Where forward mode had no number that could be compared; said once.
static thread_local constinit Vector<const char *> Unjudged;

/// Where a partial is infinite, what is not finite is multiplied by zero in one
/// direction, not in the other, and there may be no saying which is right: at 0
/// the cubic root's sixth power has the derivative 0, and its third one 1.
static void sayUnjudged(const char *Where, double Forward, double Reverse) {
  if (isfinite(Forward) || !isfinite(Reverse))
    return;
  for (const char *Said : Unjudged)
    if (strcmp(Said, Where) == 0)
      return;
  Unjudged.push_back(Where);
  warn(Where,
       "-verso-check: nothing to compare: <J v, w> is %g in forward mode, <v, "
       "J' w> is %.17g in reverse mode; a partial derivative is infinite, or a "
       "number is",
       Forward, Reverse);
}

//===----------------------------------------------------------------------===//
// Directions
//===----------------------------------------------------------------------===//

/// The I-th component of a direction: splitmix64, in [-1, 1] and away from 0.
static double component(uint64_t Stream, uint64_t I) {
  uint64_t Z = flags().CheckSeed * 0x9e3779b97f4a7c15 +
               Stream * 0xd1342543de82ef95 + (I + 1) * 0x9e3779b97f4a7c15;
  Z = (Z ^ (Z >> 30)) * 0xbf58476d1ce4e5b9;
  Z = (Z ^ (Z >> 27)) * 0x94d049bb133111eb;
  Z ^= Z >> 31;
  double X = double(Z >> 11) / double(UINT64_C(1) << 53);
  X = 0.25 + 0.75 * X;
  return double(float(Z & 1 ? X : -X)); // Exact in a float as well.
}

static void write(char *At, uint32_t Kind, double X) {
  if (Kind == VERSO_CELL_DOUBLE)
    *reinterpret_cast<UnalignedDouble *>(At) = X;
  else if (Kind == VERSO_CELL_X86_FP80)
    *reinterpret_cast<AliasingLongDouble *>(At) = X;
  else if (Kind == VERSO_CELL_HALF || Kind == VERSO_CELL_BFLOAT)
    writeHalf(At, verso_cell_kind(Kind), X);
  else
    *reinterpret_cast<UnalignedFloat *>(At) = float(X);
}

static double read(const char *At, uint32_t Kind) {
  if (Kind == VERSO_CELL_DOUBLE)
    return *reinterpret_cast<const UnalignedDouble *>(At);
  if (Kind == VERSO_CELL_X86_FP80)
    return double(*reinterpret_cast<const AliasingLongDouble *>(At));
  if (Kind == VERSO_CELL_HALF || Kind == VERSO_CELL_BFLOAT)
    return readHalf(At, verso_cell_kind(Kind));
  return *reinterpret_cast<const UnalignedFloat *>(At);
}

//===----------------------------------------------------------------------===//
// The conversation
//===----------------------------------------------------------------------===//

static bool transfer(bool Sends, void *Data, size_t Bytes) {
  char *P = static_cast<char *>(Data);
  while (Bytes) {
    ssize_t N =
        Sends ? ::write(Other.Write, P, Bytes) : ::read(Other.Read, P, Bytes);
    if (N < 0 && errno == EINTR)
      continue;
    if (N <= 0)
      return false;
    P += N;
    Bytes -= size_t(N);
  }
  return true;
}

template <typename T> static bool send(const T *Data, size_t Count = 1) {
  return transfer(true, const_cast<T *>(Data), Count * sizeof(T));
}

template <typename T> static bool receive(T *Data, size_t Count = 1) {
  return transfer(false, Data, Count * sizeof(T));
}

static void sendCells(const Vector<Component> &Cells) {
  uint64_t N = Cells.size();
  send(&N);
  send(Cells.begin(), N);
}

static bool isDue(uint64_t *Calls) {
  uint64_t Call = __atomic_fetch_add(Calls, 1, __ATOMIC_RELAXED);
  return !Call || (flags().CheckEvery && Call % flags().CheckEvery == 0);
}

/// Whether this is the process; the copy's standard output goes nowhere.
static bool forkCopy(const char *Where) {
  int Down[2], Up[2];
  if (pipe2(Down, O_CLOEXEC) || pipe2(Up, O_CLOEXEC))
    fatal(Where, "-verso-check: no pipe (error %d)", errno);
  pid_t Copy = fork();
  if (Copy < 0)
    fatal(Where, "-verso-check: no copy of the process (error %d)", errno);
  close(Copy ? Down[0] : Down[1]);
  close(Copy ? Up[1] : Up[0]);
  Other = Copy ? Peer{Up[0], Down[1], Copy} : Peer{Down[0], Up[1], 0};
  if (Copy)
    return true;
  // Nobody speaks to it any more where an exception left the request.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  int Nowhere = open("/dev/null", O_WRONLY);
  dup2(Nowhere, 1);
  return false;
}

/// Returns what a copy ended with.
static int closePeer() {
  int Status = 0;
  close(Other.Read);
  close(Other.Write);
  if (Other.Copy)
    waitpid(Other.Copy, &Status, 0);
  return Status;
}

uint32_t verso::forkForCheck(const char *Where, uint64_t *Calls) {
  if (!isDue(Calls))
    return 0;
  if (forkCopy(Where))
    return 1;
  AsksForTape = false; // That is for whoever compares.
  return 2;
}

//===----------------------------------------------------------------------===//
// In the copy
//===----------------------------------------------------------------------===//

static bool receiveCells(Vector<Component> &Cells) {
  uint64_t N = 0;
  return receive(&N) && receive(Cells.append(N), N);
}

/// \p Sorted is in ascending order.
static bool isAmong(const Vector<char *> &Sorted, const char *At) {
  size_t Low = 0, High = Sorted.size();
  while (Low != High) {
    size_t Middle = Low + (High - Low) / 2;
    if (Sorted[Middle] < At)
      Low = Middle + 1;
    else
      High = Middle;
  }
  return Low != Sorted.size() && Sorted[Low] == At;
}

static int compareAddresses(const void *A, const void *B) {
  char *X = *static_cast<char *const *>(A), *Y = *static_cast<char *const *>(B);
  return X < Y ? -1 : X > Y;
}

static void makeKnown(char *At) {
  size_t I = Known.size();
  while (I && Known[I - 1] > At)
    --I;
  Known.insert(I, At);
}

/// Forward mode knows nothing of verso_watch: the tangents of watched memory
/// are where it is mapped.
static void findTangents(Tangents &Memory, Vector<Component> &Cells) {
  const WatchList &Watched = ContextStack::ofThread().Watched;
  for (Component &C : Cells)
    if (uint64_t P = Watched.watchedAt(C.At)) {
      Memory.touch(P, 16);
      C.At = reinterpret_cast<char *>(verso_displaced(P, Memory.delta[0]));
    }
}

void verso::receiveDirection(Tangents &Memory, double *Direction,
                             uint32_t Count) {
  Vector<Component> Inputs;
  if (!receiveCells(Inputs) || !receiveCells(Outputs))
    _exit(0); // The process has ended.
  findTangents(Memory, Inputs);
  findTangents(Memory, Outputs);
  // Zeros may have been written over pointers, too: their shadows are there.
  for (const Component &C : Outputs)
    if (C.Id != VERSO_ID_CONSTANT)
      write(C.At, C.Kind, 0);
  for (size_t I = 0; I != Inputs.size(); ++I)
    write(Inputs[I].At, Inputs[I].Kind, component(0, I));
  for (uint32_t I = 0; I != Count; ++I)
    Direction[I] = component(0, Inputs.size() + I);
  for (const Component &C : Inputs)
    Known.push_back(C.At);
  for (const Component &C : Outputs)
    Known.push_back(C.At);
  if (!Known.empty())
    qsort(Known.begin(), Known.size(), sizeof(char *), compareAddresses);
  Inputs.release();
}

void verso::readInCopy(char *Shadow, verso_cell_kind Kind) {
  if (isAmong(Known, Shadow))
    return;
  write(Shadow, Kind, component(2, Extra++));
  makeKnown(Shadow);
}

void verso::reply(const double *Tangents, uint32_t Count) {
  Vector<double> Written;
  for (const Component &C : Outputs)
    Written.push_back(read(C.At, C.Kind));
  send(Written.begin(), Written.size());
  send(Tangents, Count);
  send(&Extra);
  _exit(0);
}

//===----------------------------------------------------------------------===//
// In the process
//===----------------------------------------------------------------------===//

namespace {

/// What the copy said of a structured request that is running.
struct Judgement {
  Vector<Component> Inputs, Outputs;
  uint64_t Arguments = 0, Returned = 0;
  double Tolerance = 0;
  double *V = nullptr, *Jv = nullptr;
  double *Before = nullptr; ///< The shadows of the inputs that it adds to.
  double *Seeds = nullptr;  ///< Those of the outputs.

  void release() {
    Inputs.release();
    Outputs.release();
    for (double *Numbers : {V, Jv, Before, Seeds})
      free(Numbers);
    free(this);
  }
};

/// A structured request that is running; null: not to be judged.
struct Running {
  const char *Where;
  uint64_t Frame; ///< Of the function that forked.
  Judgement *J;
};

} // namespace

static thread_local Vector<Running> Judgements;

static void dropLastJudgement() {
  if (Judgement *J = Judgements.back().J)
    J->release();
  Judgements.erase(Judgements.size() - 1);
}

/// Exceptions leave others behind: those whose frames are gone, where a request
/// begins at \p Frame. Another one may have been inlined beside it.
static void dropAbandonedJudgements(const char *Where, uint64_t Frame) {
  auto IsOver = [&](const Running &R) {
    return ContextStack::ofThread().isOver(R.Frame, Frame) &&
           (R.Frame != Frame || !strcmp(R.Where, Where));
  };
  while (!Judgements.empty() && IsOver(Judgements.back()))
    dropLastJudgement();
}

static double *doubles(size_t Count) {
  return static_cast<double *>(calloc(Count + 1, sizeof(double)));
}

/// The last thing that the copy does.
[[noreturn]] static void tellStructured(const LinearMap &Map, const double *V,
                                        const double *Jv, double Tolerance) {
  Other = ToProcess;
  sendCells(Map.inputCells());
  sendCells(Map.outputCells());
  uint64_t Arguments = Map.inputs(), Returned = Map.outputs();
  send(&Arguments);
  send(&Returned);
  send(&Tolerance);
  send(V, Map.inputCells().size() + Arguments);
  send(Jv, Map.outputCells().size() + Returned);
  _exit(0);
}

/// The direction that the copy takes: cells that share a shadow have one
/// tangent, and that is what was written there last.
static void fillDirection(const Vector<LinearMap::Port> &Cells, double *V,
                          size_t Count) {
  struct Place {
    char *At;
    size_t I;
  };
  Vector<Place> Places;
  for (size_t I = 0; I != Cells.size(); ++I)
    Places.push_back({Cells[I].At, I});
  auto Compare = [](const void *A, const void *B) {
    auto *X = static_cast<const Place *>(A), *Y = static_cast<const Place *>(B);
    return X->At != Y->At ? (X->At < Y->At ? -1 : 1)
                          : (X->I < Y->I ? -1 : X->I > Y->I);
  };
  if (!Places.empty())
    qsort(Places.begin(), Places.size(), sizeof(Place), Compare);
  for (size_t K = Places.size(); K; --K) {
    const Place &P = Places[K - 1];
    bool Shares = K != Places.size() && Places[K].At == P.At;
    V[P.I] = Shares ? V[Places[K].I] : component(0, P.I);
  }
  for (size_t I = Cells.size(); I != Count; ++I)
    V[I] = component(0, I);
  Places.release();
}

void verso::compareWithCopy(LinearMap &Map, const char *Where,
                            uint32_t Precision) {
  sendCells(Map.inputCells());
  sendCells(Map.outputCells());
  size_t NumIn = Map.inputCells().size() + Map.inputs();
  size_t NumOut = Map.outputCells().size() + Map.outputs();
  auto *Numbers =
      static_cast<double *>(calloc(2 * NumIn + 3 * NumOut + 1, sizeof(double)));
  if (!Numbers)
    fatal(Where, "out of memory");
  double *V = Numbers, *JtW = V + NumIn, *W = JtW + NumIn, *Jv = W + NumOut,
         *Taped = Jv + NumOut;
  uint64_t ExtraReads = 0;
  bool Complete = receive(Jv, NumOut) && receive(&ExtraReads);
  closePeer();
  if (!Complete)
    fatal(Where, "-verso-check: forward mode did not run to its end, in a copy "
                 "of the process");
  fillDirection(Map.inputCells(), V, NumIn);
  for (size_t I = 0; I != NumOut; ++I)
    W[I] = component(1, I);
  Map.pushVector(V, Taped);
  Map.pullVector(W, JtW);
  double Forward = 0, Reverse = 0, Scale = 0, Worst = -1;
  size_t WorstIndex = 0;
  for (size_t I = 0; I != NumIn; ++I) {
    Reverse += V[I] * JtW[I];
    Scale += fabs(V[I] * JtW[I]);
  }
  for (size_t I = 0; I != NumOut; ++I) {
    Forward += W[I] * Jv[I];
    Scale += fabs(W[I] * Jv[I]);
    double Error = fabs(Jv[I] - Taped[I]);
    if (!(Error <= Worst)) {
      Worst = Error;
      WorstIndex = I;
    }
  }
  double Tolerance = double(flags().CheckTolerance) * 1e-15;
  // Narrower numbers are rounded in other places, too.
  if (Precision < 53)
    Tolerance = fmin(ldexp(Tolerance, 55 - int(Precision)), 0.05);
  // Written so that a NaN in reverse mode fails.
  bool Agree = fabs(Forward - Reverse) <= Tolerance * fmax(Scale, 1e-300) ||
               Forward == Reverse || !isfinite(Forward);
  if (!Agree) {
    size_t Cells = Map.outputCells().size();
    fatal(Where,
          "-verso-check: the dot-product test fails with seed %zu: <J v, w> is "
          "%.17g in forward mode, <v, J' w> is %.17g in reverse mode; worst is "
          "%s %zu, whose tangent is %.17g and on the tape %.17g%s",
          flags().CheckSeed, Forward, Reverse,
          WorstIndex < Cells ? "output cell" : "returned number",
          WorstIndex < Cells ? WorstIndex : WorstIndex - Cells, Jv[WorstIndex],
          Taped[WorstIndex],
          ExtraReads ? "; forward mode reads numbers that the tape has not"
                     : "");
  }
  if (AsksForTape)
    tellStructured(Map, V, Jv, Tolerance);
  else
    sayUnjudged(Where, Forward, Reverse);
  free(Numbers);
}

//===----------------------------------------------------------------------===//
// Structured code
//===----------------------------------------------------------------------===//

/// \p Sorted is in ascending order.
static bool hasTwice(const Vector<char *> &Sorted) {
  for (size_t I = 1; I < Sorted.size(); ++I)
    if (Sorted[I] == Sorted[I - 1])
      return true;
  return false;
}

void verso::leaveCopy() { _exit(LeftByException); }

uint32_t verso::forkForStructured(const char *Where, uint64_t Frame,
                                  uint64_t *Calls) {
  dropAbandonedJudgements(Where, Frame);
  if (!Calls || !isDue(Calls)) {
    Judgements.push_back({Where, Frame, nullptr});
    return 0;
  }
  // The copy of an outer request speaks to somebody already.
  Peer Outer = Other;
  if (!forkCopy(Where)) {
    AsksForTape = true;
    ToProcess = Other;
    return 2;
  }
  auto *J = static_cast<Judgement *>(calloc(1, sizeof(Judgement)));
  bool Complete = J && receiveCells(J->Inputs) && receiveCells(J->Outputs) &&
                  receive(&J->Arguments) && receive(&J->Returned) &&
                  receive(&J->Tolerance);
  if (Complete) {
    size_t NumIn = J->Inputs.size() + J->Arguments;
    size_t NumOut = J->Outputs.size() + J->Returned;
    J->V = doubles(NumIn);
    J->Jv = doubles(NumOut);
    J->Before = doubles(J->Inputs.size());
    J->Seeds = doubles(J->Outputs.size());
    Complete = J->V && J->Jv && J->Before && J->Seeds && receive(J->V, NumIn) &&
               receive(J->Jv, NumOut);
  }
  const int Status = closePeer();
  Other = Outer;
  if (!Complete && WIFEXITED(Status) &&
      WEXITSTATUS(Status) == LeftByException) {
    if (J)
      J->release();
    Judgements.push_back({Where, Frame, nullptr});
    return 0;
  }
  if (!Complete)
    fatal(Where, "-verso-check: the request by tape did not run to its end, in "
                 "a copy of the process");
  // What is written is a seed, and gone in the end; to the rest is added.
  Vector<char *> Written;
  for (size_t I = 0; I != J->Outputs.size(); ++I) {
    J->Seeds[I] = read(J->Outputs[I].At, J->Outputs[I].Kind);
    Written.push_back(J->Outputs[I].At);
  }
  if (!Written.empty())
    qsort(Written.begin(), Written.size(), sizeof(char *), compareAddresses);
  for (size_t I = 0; I != J->Inputs.size(); ++I)
    if (!isAmong(Written, J->Inputs[I].At))
      J->Before[I] = read(J->Inputs[I].At, J->Inputs[I].Kind);
  // Untyped bytes, or cells that are listed twice, cannot be added up here.
  bool CanJudge = !hasTwice(Written);
  Written.clear();
  for (const Component &C : J->Inputs) {
    CanJudge &= C.Kind != VERSO_CELL_RAW;
    Written.push_back(C.At);
  }
  for (const Component &C : J->Outputs)
    CanJudge &= C.Kind != VERSO_CELL_RAW;
  if (!Written.empty())
    qsort(Written.begin(), Written.size(), sizeof(char *), compareAddresses);
  CanJudge &= !hasTwice(Written);
  Written.release();
  if (!CanJudge) {
    J->release();
    J = nullptr;
  }
  Judgements.push_back({Where, Frame, J});
  return 1;
}

void verso::compareStructured(const char *Where, const double *Derivatives,
                              uint32_t Count, const double *Seeds,
                              uint32_t SeedCount) {
  // Exceptions leave others behind.
  while (!Judgements.empty() && strcmp(Judgements.back().Where, Where) != 0)
    dropLastJudgement();
  if (Judgements.empty())
    return;
  Judgement *J = Judgements.back().J;
  Judgements.erase(Judgements.size() - 1);
  if (!J)
    return;
  double Forward = 0, Reverse = 0, Scale = 0, Largest = -1;
  size_t Worst = 0;
  auto AddReverse = [&](size_t I, double X) {
    Reverse += J->V[I] * X;
    Scale += fabs(J->V[I] * X);
    if (!(fabs(X) <= Largest)) {
      Largest = fabs(X);
      Worst = I;
    }
  };
  auto AddForward = [&](size_t I, double Seed) {
    Forward += Seed * J->Jv[I];
    Scale += fabs(Seed * J->Jv[I]);
  };
  for (size_t I = 0; I != J->Inputs.size(); ++I) {
    // An integer of the shadow, beside which numbers were looked for.
    if (isnan(J->Before[I]))
      continue;
    Scale += fabs(J->V[I] * J->Before[I]);
    AddReverse(I, read(J->Inputs[I].At, J->Inputs[I].Kind) - J->Before[I]);
  }
  for (uint32_t I = 0; I != Count && I != J->Arguments; ++I)
    AddReverse(J->Inputs.size() + I, Derivatives[I]);
  for (size_t I = 0; I != J->Outputs.size(); ++I)
    AddForward(I, J->Seeds[I]);
  for (uint32_t I = 0; I != SeedCount && I != J->Returned; ++I)
    AddForward(J->Outputs.size() + I, Seeds[I]);
  if (!(fabs(Forward - Reverse) <= J->Tolerance * fmax(Scale, 1e-300) ||
        Forward == Reverse || !isfinite(Forward))) {
    size_t Cells = J->Inputs.size();
    fatal(
        Where,
        "-verso-check: the dot-product test fails with seed %zu: <J v, w> is "
        "%.17g in forward mode, <v, J' w> is %.17g by reversed control flow "
        "(by tape the test holds); largest is the derivative by %s %zu, %.17g",
        flags().CheckSeed, Forward, Reverse,
        Worst < Cells ? "input cell" : "argument",
        Worst < Cells ? Worst : Worst - Cells, Largest);
  }
  sayUnjudged(Where, Forward, Reverse);
  J->release();
}
