//===- OpenMP.cpp - parallel regions of differentiated code ---------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the calls mean, and what they do in a team of one: LLVM's openmp/runtime
// (kmp.h, kmp_csupport.cpp, kmp_sched.cpp, kmp_tasking.cpp). What is not
// here (barriers, critical sections, the thread's number) is still asked of
// the OpenMP runtime, which is told that the team has one thread
// (rules/KnownCalls.def).
//
//===----------------------------------------------------------------------===//

#include "prepare/OpenMP.h"

#include "emit/Location.h"
#include "prepare/Worksharing.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace verso;

namespace {

enum class Construct {
  None,
  Region,        ///< fork_call
  RegionIf,      ///< fork_call_if, as flang emits it
  StaticBounds,  ///< for_static_init: the thread's part of a loop
  DispatchBegin, ///< dispatch_init: the bounds of a loop
  DispatchNext,  ///< dispatch_next: some of its iterations, if there are any
  Alone,         ///< 1: this thread does it
  Barrier,       ///< nothing, where nobody has told OpenMP of the team
  TeamSize,      ///< 1: how many threads a region would have
  End,           ///< nothing, for a team of one
  NewTask,
  Task,
  TaskLoop,
  TaskEnd ///< of a task that the code ran itself
};

Construct classify(StringRef Name) {
  using C = Construct;
  static const StringMap<Construct> Known = {
      {"fork_call", C::Region},
      {"fork_call_if", C::RegionIf},
      {"for_static_init_4", C::StaticBounds},
      {"for_static_init_4u", C::StaticBounds},
      {"for_static_init_8", C::StaticBounds},
      {"for_static_init_8u", C::StaticBounds},
      {"for_static_fini", C::End},
      {"dispatch_init_4", C::DispatchBegin},
      {"dispatch_init_4u", C::DispatchBegin},
      {"dispatch_init_8", C::DispatchBegin},
      {"dispatch_init_8u", C::DispatchBegin},
      {"dispatch_next_4", C::DispatchNext},
      {"dispatch_next_4u", C::DispatchNext},
      {"dispatch_next_8", C::DispatchNext},
      {"dispatch_next_8u", C::DispatchNext},
      {"dispatch_fini_4", C::End},
      {"dispatch_fini_4u", C::End},
      {"dispatch_fini_8", C::End},
      {"dispatch_fini_8u", C::End},
      {"dispatch_deinit", C::End},
      {"barrier", C::Barrier},
      {"single", C::Alone},
      {"end_single", C::End},
      {"copyprivate", C::End},
      {"reduce", C::Alone},
      {"reduce_nowait", C::Alone},
      {"end_reduce", C::End},
      {"end_reduce_nowait", C::End},
      {"omp_task_alloc", C::NewTask},
      {"omp_task", C::Task},
      {"omp_task_with_deps", C::Task},
      {"taskloop", C::TaskLoop},
      {"taskloop_5", C::TaskLoop},
      {"omp_task_begin_if0", C::End},
      {"omp_task_complete_if0", C::TaskEnd},
      {"omp_taskwait", C::End},
      {"omp_taskwait_deps_51", C::End},
      {"omp_wait_deps", C::End},
      {"omp_taskyield", C::End},
      {"taskgroup", C::End},
      {"end_taskgroup", C::End}};
  if (Name == "omp_get_max_threads" || Name == "omp_get_max_threads_")
    return C::TeamSize;
  return Name.consume_front("__kmpc_") ? Known.lookup(Name) : C::None;
}

/// The calls of one function.
class Serializer {
public:
  explicit Serializer(Function &F) : F(F), M(*F.getParent()) {}
  void run();

private:
  /// What became of a task's allocation.
  struct NewTask {
    Value *Entry;
    bool Destroys; ///< Its privates have destructors.
  };
  /// What is left of a loop whose iterations are given out in pieces; in it,
  /// 64 bits for every width.
  struct Dispatched {
    AllocaInst *IsLeft, *First, *Last, *Stride;
  };

  void region(CallInst &Call, ArrayRef<Value *> Arguments);
  bool regionIf(CallInst &Call);
  void staticBounds(CallInst &Call);
  void dispatchBegin(CallInst &Call);
  void dispatchNext(CallInst &Call);
  void newTask(CallInst &Call);
  bool task(CallInst &Call, bool IsLoop, bool Runs);
  void checkTeam(CallInst &Call);
  void remove(CallInst &Call, uint64_t Result);
  AllocaInst *variable(Type *T, const Twine &Name);
  const Dispatched &dispatched();
  FunctionCallee known(StringRef Name, Type *Result, ArrayRef<Type *> Params);

  Function &F;
  Module &M;
  DenseMap<Value *, NewTask> Tasks;
  std::optional<Dispatched> Loop;
};

} // namespace

AllocaInst *Serializer::variable(Type *T, const Twine &Name) {
  IRBuilder<> B(&F.getEntryBlock(), F.getEntryBlock().begin());
  return B.CreateAlloca(T, nullptr, Name);
}

FunctionCallee Serializer::known(StringRef Name, Type *Result,
                                 ArrayRef<Type *> Params) {
  return M.getOrInsertFunction(Name, FunctionType::get(Result, Params, false));
}

void Serializer::remove(CallInst &Call, uint64_t Result) {
  if (!Call.getType()->isVoidTy())
    Call.replaceAllUsesWith(ConstantInt::get(Call.getType(), Result));
  Call.eraseFromParent();
}

/// What threads share is given to one. A function may be differentiated by
/// every thread of a team that the program has made; a loop that these share
/// is not in it as a whole.
void Serializer::checkTeam(CallInst &Call) {
  if (isOfSharedLoop(Call))
    return;
  IRBuilder<> B(&Call);
  Value *Threads =
      B.CreateCall(known("omp_get_num_threads", B.getInt32Ty(), {}));
  B.CreateCall(known("__verso_check_team", B.getVoidTy(),
                     {B.getInt32Ty(), B.getPtrTy()}),
               {Threads, emitLocation(B, Call)});
}

/// region(&thread, &0, ...), as clang emits it for a region with `if (0)`.
void Serializer::region(CallInst &Call, ArrayRef<Value *> Arguments) {
  IRBuilder<> B(&Call);
  Value *Where = Call.getArgOperand(0);
  auto *Region = Call.getArgOperand(2);
  // A team of one is no place to start another one in: none of the region's
  // loops would be shared. Nobody asks there what thread it is.
  auto *Known = dyn_cast<Function>(Region);
  bool IsShared = Known && sharesLoops(*Known);
  Value *Thread = B.getInt32(0);
  if (!IsShared)
    Thread = B.CreateCall(
        known("__kmpc_global_thread_num", B.getInt32Ty(), {B.getPtrTy()}),
        {Where});
  auto Note = [&](StringRef Name) {
    B.CreateCall(known(Name, B.getVoidTy(), {B.getPtrTy(), B.getInt32Ty()}),
                 {Where, Thread});
  };
  if (!IsShared)
    Note("__kmpc_serialized_parallel");
  AllocaInst *Global = variable(B.getInt32Ty(), "verso.thread"),
             *Bound = variable(B.getInt32Ty(), "verso.bound");
  B.CreateStore(Thread, Global);
  B.CreateStore(B.getInt32(0), Bound);
  SmallVector<Value *, 8> All = {Global, Bound};
  append_range(All, Arguments);
  SmallVector<Type *, 8> Types;
  for (Value *V : All)
    Types.push_back(V->getType());
  B.CreateCall(FunctionType::get(B.getVoidTy(), Types, false), Region, All);
  if (!IsShared)
    Note("__kmpc_end_serialized_parallel");
  Call.eraseFromParent();
}

/// fork_call_if(loc, n, region, condition, arguments): one pointer, if any.
bool Serializer::regionIf(CallInst &Call) {
  auto *Region = dyn_cast<Function>(Call.getArgOperand(2));
  if (!Region || Region->arg_size() > 3)
    return false;
  region(Call, Region->arg_size() == 3
                   ? ArrayRef<Value *>(Call.getArgOperand(4))
                   : ArrayRef<Value *>());
  return true;
}

/// for_static_init(loc, thread, schedule, &last, &first, &end, &stride,
/// increment, chunk): the bounds are what the loop has, and are left.
void Serializer::staticBounds(CallInst &Call) {
  checkTeam(Call);
  IRBuilder<> B(&Call);
  Value *Last = Call.getArgOperand(3), *Increment = Call.getArgOperand(7);
  Type *T = Increment->getType();
  if (!isa<ConstantPointerNull>(Last))
    B.CreateStore(B.getInt32(1), Last);
  Value *First = B.CreateLoad(T, Call.getArgOperand(4)),
        *End = B.CreateLoad(T, Call.getArgOperand(5));
  Value *IsUp = B.CreateICmpSGT(
      Increment, ConstantInt::getNullValue(Increment->getType()));
  Value *Distance = B.CreateSub(End, First);
  B.CreateStore(B.CreateSelect(IsUp,
                               B.CreateAdd(Distance, ConstantInt::get(T, 1)),
                               B.CreateSub(Distance, ConstantInt::get(T, 1))),
                Call.getArgOperand(6));
  Call.eraseFromParent();
}

const Serializer::Dispatched &Serializer::dispatched() {
  if (!Loop) {
    Type *I64 = Type::getInt64Ty(M.getContext());
    Loop = {variable(Type::getInt1Ty(M.getContext()), "verso.left"),
            variable(I64, "verso.first"), variable(I64, "verso.last"),
            variable(I64, "verso.stride")};
  }
  return *Loop;
}

/// dispatch_init(loc, thread, schedule, first, last, stride, chunk)
void Serializer::dispatchBegin(CallInst &Call) {
  checkTeam(Call);
  IRBuilder<> B(&Call);
  const Dispatched &D = dispatched();
  B.CreateStore(B.getTrue(), D.IsLeft);
  AllocaInst *Bounds[] = {D.First, D.Last, D.Stride};
  for (unsigned K = 0; K != 3; ++K)
    B.CreateStore(B.CreateSExt(Call.getArgOperand(3 + K), B.getInt64Ty()),
                  Bounds[K]);
  Call.eraseFromParent();
}

/// dispatch_next(loc, thread, &last, &first, &end, &stride). Nobody reads the
/// bounds if there are no more iterations.
void Serializer::dispatchNext(CallInst &Call) {
  IRBuilder<> B(&Call);
  const Dispatched &D = dispatched();
  StringRef Name = Call.getCalledFunction()->getName();
  Type *T = Name.contains("_4") ? B.getInt32Ty() : B.getInt64Ty();
  if (!isa<ConstantPointerNull>(Call.getArgOperand(2)))
    B.CreateStore(B.getInt32(1), Call.getArgOperand(2));
  AllocaInst *Bounds[] = {D.First, D.Last, D.Stride};
  for (unsigned K = 0; K != 3; ++K)
    B.CreateStore(B.CreateTrunc(B.CreateLoad(B.getInt64Ty(), Bounds[K]), T),
                  Call.getArgOperand(3 + K));
  Value *Left =
      B.CreateZExt(B.CreateLoad(B.getInt1Ty(), D.IsLeft), Call.getType());
  B.CreateStore(B.getFalse(), D.IsLeft);
  Call.replaceAllUsesWith(Left);
  Call.eraseFromParent();
}

// A task (kmp_task_t): a pointer to what it shares, its function, its part, its
// destructor, its priority; then what is private to it. What it shares follows.
static constexpr uint64_t EntryAt = 8, DestructorAt = 24;
// Of a loop: first, last, stride, and whether the last iteration is in it.
static constexpr uint64_t LastIterationBehindLast = 16;

/// task_alloc(loc, thread, flags, size of the task, size of what it shares,
/// function)
void Serializer::newTask(CallInst &Call) {
  constexpr uint64_t HasDestructors = 8;
  IRBuilder<> B(&Call);
  Value *Flags = Call.getArgOperand(2), *Own = Call.getArgOperand(3),
        *Shared = Call.getArgOperand(4), *Entry = Call.getArgOperand(5);
  auto *Known = dyn_cast<ConstantInt>(Flags);
  Own = B.CreateAnd(B.CreateAdd(Own, ConstantInt::get(Own->getType(), 7)),
                    ConstantInt::getSigned(Own->getType(), -8));
  CallInst *Task = B.CreateMalloc(
      Own->getType(), B.getInt8Ty(), ConstantInt::get(Own->getType(), 1),
      B.CreateAdd(Own, Shared), nullptr, "verso.task");
  B.CreateStore(B.CreatePtrAdd(Task, Own), Task);
  B.CreateStore(Entry, B.CreatePtrAdd(Task, B.getInt64(EntryAt)));
  Tasks[Task] = {Entry, !Known || (Known->getZExtValue() & HasDestructors)};
  Call.replaceAllUsesWith(Task);
  Call.eraseFromParent();
}

/// omp_task(loc, thread, task, ...)
bool Serializer::task(CallInst &Call, bool IsLoop, bool Runs) {
  Value *Task = Call.getArgOperand(2);
  auto Known = Tasks.find(getUnderlyingObject(Task));
  if (Known == Tasks.end())
    return false;
  IRBuilder<> B(&Call);
  Value *Thread = Call.getArgOperand(1);
  FunctionType *T =
      FunctionType::get(B.getInt32Ty(), {B.getInt32Ty(), B.getPtrTy()}, false);
  if (IsLoop)
    B.CreateStore(B.getInt32(1),
                  B.CreatePtrAdd(Call.getArgOperand(5),
                                 B.getInt64(LastIterationBehindLast)));
  if (Runs)
    B.CreateCall(T, Known->second.Entry, {Thread, Task});
  if (Known->second.Destroys)
    B.CreateCall(T,
                 B.CreateLoad(B.getPtrTy(),
                              B.CreatePtrAdd(Task, B.getInt64(DestructorAt))),
                 {Thread, Task});
  B.CreateFree(Task);
  remove(Call, 0);
  return true;
}

void Serializer::run() {
  SmallVector<std::pair<CallInst *, Construct>, 16> Calls;
  for (Instruction &I : instructions(F)) {
    auto *Call = dyn_cast<CallInst>(&I);
    Function *Callee = Call ? Call->getCalledFunction() : nullptr;
    if (!Callee || !Callee->isDeclaration())
      continue;
    if (Construct C = classify(Callee->getName()); C != Construct::None)
      Calls.push_back({Call, C});
  }
  // Tasks are known before they are run.
  for (auto [Call, C] : Calls)
    if (C == Construct::NewTask)
      newTask(*Call);
  for (auto [Call, C] : Calls)
    switch (C) {
    case Construct::None:
    case Construct::NewTask:
      break;
    case Construct::Region:
      region(*Call, SmallVector<Value *, 8>(drop_begin(Call->args(), 3)));
      break;
    case Construct::RegionIf:
      regionIf(*Call);
      break;
    case Construct::StaticBounds:
      staticBounds(*Call);
      break;
    case Construct::DispatchBegin:
      dispatchBegin(*Call);
      break;
    case Construct::DispatchNext:
      dispatchNext(*Call);
      break;
    case Construct::Alone:
      checkTeam(*Call);
      remove(*Call, 1);
      break;
    case Construct::TeamSize:
      remove(*Call, 1);
      break;
    case Construct::Barrier:
      if (isOfSharedLoop(*Call))
        remove(*Call, 0);
      break;
    case Construct::End:
      remove(*Call, 0);
      break;
    case Construct::Task:
      task(*Call, /*IsLoop=*/false, /*Runs=*/true);
      break;
    case Construct::TaskLoop:
      task(*Call, /*IsLoop=*/true, /*Runs=*/true);
      break;
    case Construct::TaskEnd:
      task(*Call, /*IsLoop=*/false, /*Runs=*/false);
      break;
    }
}

void verso::serializeTeams(Function &F) { Serializer(F).run(); }

bool verso::isGivenToTeam(const Use &U) {
  auto *Call = dyn_cast<CallBase>(U.getUser());
  const Function *To = Call ? Call->getCalledFunction() : nullptr;
  return To && Call->isArgOperand(&U) &&
         (To->getName().starts_with("__kmpc_fork_call") ||
          To->getName().starts_with("__kmpc_reduce"));
}
