//===- ReachedObjects.cpp - memory that a call may come to ----------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "structured/memory/Objects.h"

#include "llvm/IR/GlobalVariable.h"

using namespace llvm;
using namespace verso;

/// The objects that the arguments of \p Call lead to, and what those hold leads
/// to; null if that may be anything.
const BitVector *Objects::reachedBy(const CallBase &Call) const {
  auto [At, IsNew] = Reached.try_emplace(&Call);
  if (!IsNew)
    return At->second ? &*At->second : nullptr;
  BitVector Found(size());
  SmallVector<unsigned, 16> Work;
  bool LeadsOutside = false;
  auto Add = [&](unsigned Object) {
    if (Found.test(Object))
      return;
    Found.set(Object);
    Work.push_back(Object);
    LeadsOutside |= All[Object].isExternal();
  };
  for (const Use &A : Call.args()) {
    if (!A->getType()->isPointerTy() || isa<llvm::Constant>(A))
      continue;
    if (placesOf(A).empty())
      return nullptr;
    for (const Place &P : placesOf(A))
      Add(P.Object);
  }
  auto Follow = [&] {
    while (!Work.empty())
      for (const Object::Content &C : All[Work.pop_back_val()].Contents)
        Add(C.Target.Object);
  };
  Follow();
  if (LeadsOutside) {
    for (unsigned K = 0; K != size(); ++K)
      if (All[K].isExternal() || knownOutside().test(K))
        Add(K);
    Follow();
  }
  At->second = std::move(Found);
  return &*At->second;
}

bool Objects::mayLeadTo(const CallBase &Call, const Value *Pointer) const {
  const BitVector *Found = reachedBy(Call);
  return !Found || placesOf(Pointer).empty() ||
         any_of(placesOf(Pointer),
                [&](const Place &P) { return Found->test(P.Object); });
}

bool Objects::leadsToLocalOnly(const Value &Pointer) const {
  BitVector Found(size());
  SmallVector<unsigned, 16> Work;
  auto Add = [&](unsigned Object) {
    if (Found.test(Object))
      return true;
    Found.set(Object);
    if (All[Object].isLocal()) {
      Work.push_back(Object);
      return true;
    }
    // Nothing is changed behind a table of virtual functions.
    auto *G = dyn_cast_or_null<GlobalVariable>(All[Object].Base);
    return All[Object].K == Object::Text ||
           (G && G->isConstant() && G->getName().starts_with("_ZTV"));
  };
  const Places Given = placesOf(&Pointer);
  if (Given.empty() ||
      !all_of(Given, [&](const Place &P) { return Add(P.Object); }))
    return false;
  while (!Work.empty())
    if (!all_of(All[Work.pop_back_val()].Contents,
                [&](const Object::Content &C) { return Add(C.Target.Object); }))
      return false;
  return true;
}

static bool holdsPointers(Type *T) {
  return T->isPointerTy() || any_of(T->subtypes(), holdsPointers);
}

std::optional<Places> Objects::tablesBehind(const CallBase &Call) const {
  const BitVector *Found = reachedBy(Call);
  if (!Found)
    return std::nullopt;
  Places Tables;
  for (unsigned K : Found->set_bits()) {
    // What the caller's objects are is not known.
    if (All[K].K == Object::Table || All[K].K == Object::Text)
      continue;
    if (All[K].isExternal())
      return std::nullopt;
    for (const Object::Content &C : All[K].Contents) {
      const Object &To = All[C.Target.Object];
      auto *G = dyn_cast_or_null<GlobalVariable>(To.Base);
      if (To.K != Object::Table || !G || !holdsPointers(G->getValueType()))
        continue;
      if (!G->hasDefinitiveInitializer())
        return std::nullopt;
      Tables.push_back(C.Target);
    }
  }
  return Tables;
}
