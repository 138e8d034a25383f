//===- Diagnostics.cpp - errors and remarks -------------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// clang locates a diagnostic in the source, with the line quoted, only when it
// is a DiagnosticInfoUnsupported, and takes the bare message; everybody else
// prints the object, for which LLVM's own class spells out the function's IR
// type. So ours is derived from it and prints the message alone.
//
//===----------------------------------------------------------------------===//

#include "Diagnostics.h"
#include "request/EntryPoints.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Analysis/OptimizationRemarkEmitter.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace verso;

/// The functions that requests are lowered to are named by this and the primal.
static constexpr StringRef RequestPrefix = "verso.gradient.";

namespace {

class UserError : public DiagnosticInfoUnsupported {
public:
  using DiagnosticInfoUnsupported::DiagnosticInfoUnsupported;
  void print(DiagnosticPrinter &DP) const override {
    if (isLocationAvailable())
      DP << getLocationStr() << ": ";
    DP << getMessage();
  }
};

class OptionError : public DiagnosticInfo {
public:
  explicit OptionError(const Twine &Message)
      : DiagnosticInfo(Kind, DS_Error), Message(Message) {}
  void print(DiagnosticPrinter &DP) const override { DP << Message; }

private:
  static const int Kind;
  const Twine &Message;
};

} // namespace

const int OptionError::Kind = getNextAvailablePluginDiagnosticKind();

/// Whether the instruction has a line of the user's source.
static bool isLocated(const Instruction &I) {
  return I.getDebugLoc() && I.getDebugLoc().getLine() != 0;
}

std::string verso::sourceName(const Function &F) {
  StringRef Name = F.getName();
  if (const DISubprogram *SP = F.getSubprogram()) {
    Name = SP->getLinkageName().empty() ? SP->getName() : SP->getLinkageName();
    return demangle(Name);
  }
  for (StringRef Prefix :
       {RequestPrefix, StringRef("verso.twin."), StringRef("verso.custom.of.")})
    Name.consume_front(Prefix);
  for (StringRef Suffix :
       {".unpacked", ".expanded", ".prepared", ".twin", ".tangent", ".taped"})
    Name = Name.take_front(Name.find(Suffix));
  return demangle(Name);
}

/// "file:line:col".
static std::string lineOf(const DILocation &L) {
  return (L.getFilename() + ":" + Twine(L.getLine()) + ":" +
          Twine(L.getColumn()))
      .str();
}

/// The same, the empty string if it is not known.
static std::string lineOf(const Instruction &I) {
  return isLocated(I) ? lineOf(*I.getDebugLoc()) : "";
}

static bool isOfSystem(const DILocation &L) {
  StringRef File = L.getFilename();
  return File.contains("/include/c++/") || File.starts_with("/usr/include/") ||
         File.starts_with("/usr/lib/");
}

std::string verso::placeOf(const Instruction &At) {
  if (!isLocated(At))
    return "";
  std::string Text = lineOf(*At.getDebugLoc());
  const DILocation *L = At.getDebugLoc().get();
  while (L && isOfSystem(*L))
    L = L->getInlinedAt();
  if (L && L != At.getDebugLoc().get())
    Text += ", called at " + lineOf(*L);
  return Text;
}

/// The function of the source that \p L lies in.
static std::string functionOf(const DILocation &L) {
  const DISubprogram *SP = L.getScope()->getSubprogram();
  if (!SP)
    return "";
  return demangle(SP->getLinkageName().empty() ? SP->getName()
                                               : SP->getLinkageName());
}

/// The function of the source that \p I was written in, also after inlining.
static std::string functionOf(const Instruction &I) {
  std::string Name = isLocated(I) ? functionOf(*I.getDebugLoc()) : "";
  return Name.empty() ? sourceName(*I.getFunction()) : Name;
}

std::string verso::describeLocation(const Instruction &At) {
  std::string Line = lineOf(At);
  return (Line.empty() ? Line : Line + ": ") + "in '" + functionOf(At) + "'";
}

/// The IR of \p I in at most this many characters, without its metadata.
static std::string textOf(const Instruction &I) {
  constexpr size_t Longest = 160;
  std::string Text;
  raw_string_ostream(Text) << I;
  StringRef Trimmed = StringRef(Text).trim();
  Trimmed = Trimmed.take_front(Trimmed.find(", !"));
  Trimmed = Trimmed.take_front(Trimmed.find('\n'));
  return Trimmed.size() <= Longest
             ? Trimmed.str()
             : Trimmed.take_front(Longest - 3).str() + "...";
}

/// A call of an entry point, or what has replaced it.
static bool isRequest(const Instruction &I) {
  const auto *Call = dyn_cast<CallBase>(&I);
  const auto *Callee =
      Call ? dyn_cast<Function>(Call->getCalledOperand()) : nullptr;
  return Callee && (classifyEntryPoint(*Callee) ||
                    Callee->getName().starts_with(RequestPrefix));
}

/// ", called at f.c:3:4 in 'f'" for every call that was inlined around \p I.
static std::string describeInlining(const Instruction &I) {
  std::string Text;
  if (isLocated(I))
    for (const DILocation *L = I.getDebugLoc()->getInlinedAt(); L;
         L = L->getInlinedAt())
      Text += ", called at " + lineOf(*L) + " in '" + functionOf(*L) + "'";
  return Text;
}

/// ", in 'g' at '...' (without a line), called at f.c:3:4 in 'f', requested at
/// ..."
static std::string describeChain(const Instruction &At,
                                 ArrayRef<const Instruction *> Chain) {
  std::string Text;
  if (!isRequest(At))
    Text = ", in '" + functionOf(At) + "'";
  if (!isRequest(At) && !isLocated(At))
    Text += " at '" + textOf(At) + "'";
  Text += describeInlining(At);
  for (const Instruction *Call : Chain) {
    if (!Call || Call == &At)
      continue;
    std::string Line = lineOf(*Call);
    Text += isRequest(*Call) ? ", requested " : ", called ";
    Text += (Line.empty() ? "" : "at " + Line + " ");
    Text += "in '" + functionOf(*Call) + "'" + describeInlining(*Call);
  }
  return Text;
}

/// The innermost instruction on the way to \p At that has a line.
static const Instruction &locate(const Instruction &At,
                                 ArrayRef<const Instruction *> Chain) {
  if (isLocated(At))
    return At;
  for (const Instruction *Call : Chain)
    if (Call && isLocated(*Call))
      return *Call;
  return At;
}

void Diagnostics::error(const Instruction &At, const Twine &Message,
                        const Twine &Remedy,
                        ArrayRef<const Instruction *> Chain) {
  HadError = true;
  std::string Text = (Message + describeChain(At, Chain)).str();
  SmallString<64> Storage;
  StringRef Advice = Remedy.toStringRef(Storage);
  if (!Advice.empty())
    Text += "; " + Advice.str();
  const Instruction &Place = locate(At, Chain);
  DiagnosticLocation Location(Place.getDebugLoc());
  if (!isLocated(Place)) {
    if (const DISubprogram *SP = Place.getFunction()->getSubprogram())
      Location = DiagnosticLocation(SP);
    else
      Text += " (compile with -gline-tables-only to see the source line)";
  }
  if (Reported.insert(lineOf(Place) + Text).second)
    Context.diagnose(UserError(*Place.getFunction(), Text, Location));
}

void Diagnostics::error(const GlobalVariable &At, const Twine &Message,
                        const Twine &Remedy) {
  HadError = true;
  const Module &M = *At.getParent();
  std::string Text = (Message + "; " + Remedy).str();
  SmallVector<DIGlobalVariableExpression *, 1> Lines;
  At.getDebugInfo(Lines);
  DiagnosticLocation Location;
  if (Lines.empty()) {
    Text += " (compile with -g to see the source line)";
  } else { // A location is that of an instruction or of a function.
    const DIGlobalVariable *V = Lines[0]->getVariable();
    Location = DiagnosticLocation(DISubprogram::getDistinct(
        Context, V->getFile(), V->getName(), V->getName(), V->getFile(),
        V->getLine(), nullptr, V->getLine(), nullptr, 0, 0, DINode::FlagZero,
        DISubprogram::SPFlagDefinition, nullptr));
  }
  if (Reported.insert(Text).second && !M.empty())
    Context.diagnose(UserError(*M.begin(), Text, Location));
}

void Diagnostics::error(const Twine &Message) {
  HadError = true;
  Context.diagnose(OptionError(Message));
}

/// One optimisation remark of class \p RemarkT.
template <typename RemarkT>
static void emitRemark(OptimizationRemarkEmitter &ORE, StringRef Name,
                       const Instruction &At, const Twine &Message) {
  ORE.emit([&] { return RemarkT("verso", Name, &At) << Message.str(); });
}

void Diagnostics::remark(Remark Which, const Instruction &At,
                         const Twine &Message) {
  using Passed = OptimizationRemark;
  using Missed = OptimizationRemarkMissed;
  using Analysis = OptimizationRemarkAnalysis;
  OptimizationRemarkEmitter ORE(At.getFunction());
  switch (Which) {
#define VERSO_REMARK(NAME, CLASS, WHAT)                                        \
  case Remark::NAME:                                                           \
    return emitRemark<CLASS>(ORE, #NAME, At, Message);
    VERSO_REMARKS(VERSO_REMARK)
#undef VERSO_REMARK
  }
}
