//===- KnownCalls.cpp - library functions without a derivative ------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "rules/KnownCalls.h"
#include "rules/Shielded.h"
#include "rules/Staged.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

#include <cstdlib>
#include <string>

using namespace llvm;
using namespace verso;

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

namespace {

struct Entry {
  KnownCall Known;
  StringRef Signature;
};

/// A line of the list, which is constant data: a constructor with a statement
/// for each line takes clang half a minute.
struct Line {
  StringLiteral Names;
  StringLiteral Signature;
  KnownCall Known;
};

struct Tables {
  StringMap<Entry> ByName;
  StringSet<> Intrinsics;

  Tables();
};

} // namespace

// The vocabulary of KnownCalls.def.
static constexpr KnownCall inactive() { return {KnownCall::Inactive}; }
static constexpr KnownCall derives(int Returned) {
  KnownCall K{KnownCall::Derives};
  K.Returned = Returned;
  return K;
}
static constexpr KnownCall arraysOfPlan() {
  KnownCall K{KnownCall::ArraysOfPlan};
  K.Returned = 0;
  return K;
}
static constexpr KnownCall allocate(int Size, int Count = KnownCall::None) {
  KnownCall K{KnownCall::Allocate};
  K.Size = Size;
  K.Count = Count;
  return K;
}
static constexpr KnownCall allocateZeroed(int Size,
                                          int Count = KnownCall::None) {
  KnownCall K{KnownCall::AllocateZeroed};
  K.Size = Size;
  K.Count = Count;
  return K;
}
static constexpr KnownCall reallocate(int Source, int Size,
                                      int Count = KnownCall::None) {
  KnownCall K{KnownCall::Reallocate};
  K.Source = Source;
  K.Size = Size;
  K.Count = Count;
  return K;
}
static constexpr KnownCall reallocateFrom(int Source, int OldSize, int Size) {
  KnownCall K = reallocate(Source, Size);
  K.OldSize = OldSize;
  return K;
}
static constexpr KnownCall release(int Source) {
  KnownCall K{KnownCall::Free};
  K.Source = Source;
  return K;
}
static constexpr KnownCall copy(int Destination, int Source, int Size,
                                int Returned = KnownCall::None) {
  KnownCall K{KnownCall::Copy};
  K.Destination = Destination;
  K.Source = Source;
  K.Size = Size;
  K.Returned = Returned;
  return K;
}
static constexpr KnownCall set(int Destination, int Size,
                               int Returned = KnownCall::None) {
  KnownCall K{KnownCall::Set};
  K.Destination = Destination;
  K.Size = Size;
  K.Returned = Returned;
  return K;
}
static constexpr KnownCall writes(int Destination, int Size,
                                  int Count = KnownCall::None) {
  KnownCall K{KnownCall::WritesBytes};
  K.Destination = Destination;
  K.Size = Size;
  K.Count = Count;
  return K;
}
static constexpr KnownCall reads(int Destination, int Size,
                                 int Count = KnownCall::None) {
  KnownCall K = writes(Destination, Size, Count);
  K.Tells = Count < 0 ? KnownCall::Bytes : KnownCall::Elements;
  return K;
}
static constexpr KnownCall readsStream(int Stream, int Destination, int Size) {
  KnownCall K = writes(Destination, Size);
  K.Tells = KnownCall::InStream;
  K.Source = Stream;
  return K;
}
static constexpr KnownCall writesFixed(int Destination, unsigned Bytes) {
  KnownCall K{KnownCall::WritesBytes};
  K.Destination = Destination;
  K.FixedSize = Bytes;
  return K;
}
static constexpr KnownCall writesUnlessError(int Destination, unsigned Bytes) {
  KnownCall K = writesFixed(Destination, Bytes);
  K.Tells = KnownCall::Error;
  return K;
}
static constexpr KnownCall writesText(int Destination,
                                      int Returned = KnownCall::None) {
  KnownCall K{KnownCall::WritesBytes};
  K.Destination = Destination;
  K.Returned = Returned;
  return K;
}
static constexpr KnownCall scans(int FirstScanned) {
  KnownCall K{KnownCall::WritesBytes};
  K.FirstScanned = FirstScanned;
  return K;
}
static constexpr KnownCall sorts(int Destination, int Count, int Size,
                                 int Comparator) {
  KnownCall K{KnownCall::Sort};
  K.Destination = Destination;
  K.Count = Count;
  K.Size = Size;
  K.Comparator = Comparator;
  return K;
}

static constexpr Line Lines[] = {
#define VERSO_KNOWN_CALL(NAMES, SIGNATURE, WHAT) {NAMES, SIGNATURE, WHAT},
#include "rules/KnownCalls.def"
#define VERSO_RUNTIME_FUNCTION(ENUMERATOR, SYMBOL, RESULT, PARAMETERS)         \
  {#SYMBOL, "*", {KnownCall::VersoRuntime}},
#include "verso/RuntimeABI.def"
};
static constexpr StringLiteral QualifiedPrefixes[] = {
#define VERSO_INACTIVE_QUALIFIED(PREFIX) PREFIX,
#define VERSO_TEXT_QUALIFIED(PREFIX) PREFIX,
#include "rules/KnownCalls.def"
};
static constexpr StringLiteral TextPrefixes[] = {
#define VERSO_TEXT_QUALIFIED(PREFIX) PREFIX,
#include "rules/KnownCalls.def"
};
static constexpr StringLiteral RustPrefixes[] = {
#define VERSO_INACTIVE_RUST(PREFIX) PREFIX,
#include "rules/KnownCalls.def"
};
static constexpr StringLiteral NamePrefixes[] = {
#define VERSO_INACTIVE_NAMES(PREFIX) PREFIX,
#include "rules/KnownCalls.def"
};
static constexpr StringLiteral InactiveIntrinsics[] = {
#define VERSO_INACTIVE_INTRINSIC(NAME) "llvm." NAME,
#include "rules/KnownCalls.def"
};
static constexpr StringLiteral IntrinsicPrefixes[] = {
#define VERSO_INACTIVE_INTRINSICS(PREFIX) "llvm." PREFIX,
#include "rules/KnownCalls.def"
};

Tables::Tables() {
  for (const Line &L : Lines)
    for (StringRef Name : split(L.Names, ' '))
      ByName[Name] = Entry{L.Known, L.Signature};
  for (StringRef Name : InactiveIntrinsics)
    Intrinsics.insert(Name);
}

static const Tables &tables() {
  static const Tables T;
  return T;
}

//===----------------------------------------------------------------------===//
// Names and signatures
//===----------------------------------------------------------------------===//

/// One letter of a signature: v void, i integer, p pointer, d real, ? any.
static bool fits(char Letter, Type *T) {
  switch (Letter) {
  case 'v':
    return T->isVoidTy();
  case 'i':
    return T->isIntegerTy();
  case 'p':
    return T->isPointerTy();
  case 'd':
    return T->isFloatingPointTy();
  case '?':
    return true;
  default:
    llvm_unreachable("not a letter of a signature in KnownCalls.def");
  }
}

/// "i(pp.)": result, parameters, a point if it is variadic. "*" is anything.
static bool fits(StringRef Signature, FunctionType *T) {
  if (Signature == "*")
    return true;
  char Result = Signature.front();
  StringRef Parameters = Signature.drop_front(2).drop_back();
  bool Variadic = Parameters.consume_back(".");
  return fits(Result, T->getReturnType()) && Variadic == T->isVarArg() &&
         Parameters.size() == T->getNumParams() &&
         all_of(enumerate(T->params()),
                [&](auto P) { return fits(Parameters[P.index()], P.value()); });
}

static std::string takeName(char *Name) {
  std::string Result = Name ? Name : "";
  std::free(Name);
  return Result;
}

std::string verso::qualifiedName(StringRef Mangled) {
  if (!Mangled.starts_with("_Z"))
    return "";
  ItaniumPartialDemangler Demangler;
  std::string Text = Mangled.str(); // The demangler keeps pointing into it.
  if (Demangler.partialDemangle(Text.c_str()) || !Demangler.isFunction())
    return "";
  std::string Name =
      takeName(Demangler.getFunctionDeclContextName(nullptr, nullptr)) +
      "::" + takeName(Demangler.getFunctionBaseName(nullptr, nullptr));
  // Also within: std::chrono::_V2::steady_clock.
  for (StringRef Inline : {"::__cxx11::", "::__1::", "::_V2::"})
    for (size_t At; (At = Name.find(Inline)) != std::string::npos;)
      Name.replace(At, Inline.size(), "::");
  // fmt's is its version: fmt::v9::vformat.
  StringRef Rest = Name;
  if (Rest.consume_front("fmt::v")) {
    Rest = Rest.drop_while(isDigit);
    if (Rest.starts_with("::"))
      return "fmt" + Rest.str();
  }
  return Name;
}

/// "core::fmt::write", "<alloc::string::String>::push"; empty if it is not
/// Rust.
static std::string rustName(StringRef Mangled) {
  return Mangled.starts_with("_R") ? takeName(rustDemangle(Mangled)) : "";
}

/// Whether the body, if there is one, is only a copy of the library's.
static bool isLibrarys(const Function &F) {
  return F.isDeclaration() || F.hasAvailableExternallyLinkage();
}

/// A message comes of it. Other panics may carry a number to who catches them.
static bool isPanicOfRust(const Function &F, StringRef Name) {
  if (!F.doesNotReturn() || !Name.starts_with("_R"))
    return false;
  std::string InRust = rustName(Name);
  StringRef Path = StringRef(InRust).ltrim('<');
  return Path.starts_with("core::") || Path.starts_with("alloc::");
}

/// Whether a function of the library is made of the program's types: of an
/// iterator, say, that computes with numbers when it is read.
static bool namesProgram(StringRef Mangled) {
  constexpr StringLiteral Librarys[] = {
      "std",  "__gnu_cxx", "abi",      "cxx11",   "char",     "wchar_t",
      "bool", "short",     "int",      "long",    "unsigned", "signed",
      "void", "float",     "double",   "const",   "char8_t",  "char16_t",
      "true", "false",     "char32_t", "volatile"};
  const std::string Name = demangle(Mangled);
  for (size_t K = 0; K < Name.size();) {
    if (Name[K] == '\'' || Name[K] == '{')
      return true; // A lambda.
    if (isDigit(Name[K])) {
      while (K < Name.size() && isAlnum(Name[K]))
        ++K;
      continue;
    }
    if (!isAlpha(Name[K]) && Name[K] != '_') {
      ++K;
      continue;
    }
    const size_t Begin = K;
    while (K < Name.size() && (isAlnum(Name[K]) || Name[K] == '_'))
      ++K;
    bool IsMember =
        Begin > 1 && (Name[Begin - 1] == ':' || Name[Begin - 1] == '~');
    if (!IsMember && !is_contained(Librarys, Name.substr(Begin, K - Begin)))
      return true;
  }
  return false;
}

static bool hasTextPrefix(StringRef Qualified) {
  return any_of(TextPrefixes, [&](StringRef Prefix) {
    return Qualified.starts_with(Prefix);
  });
}

/// Whether \p Qualified begins so; where that is a function's name and not a
/// class's or a namespace's, it goes on to the end of the name at most
/// (std::unexpected, not what std::unexpected<E> has).
static bool isNamed(StringRef Qualified, StringRef Prefix) {
  return Qualified.consume_front(Prefix) &&
         (Prefix.ends_with("::") || Prefix.contains('<') ||
          !Qualified.contains("::"));
}

/// Whether \p Name is Fortran's of a function of MPI that is known:
/// mpi_type_size_ is MPI_Type_size. It writes integers.
static bool isKnownInC(StringRef Name) {
  if (!Name.consume_front("mpi_") || !Name.consume_back("_") || Name.empty())
    return false;
  std::string InC = ("MPI_" + Name).str();
  InC[4] = toUpper(InC[4]);
  return tables().ByName.contains(InC);
}

std::optional<KnownCall> verso::classifyCall(const Function &F) {
  if (isStaged(F))
    return copy(0, 1, 2);
  if (isRunOfStaged(F))
    return writes(0, 2);
  if (unsigned Bytes = bytesOfCounts(F))
    return writesFixed(0, Bytes);
  const Tables &T = tables();
  StringRef Name = F.isIntrinsic() ? Intrinsic::getBaseName(F.getIntrinsicID())
                                   : F.getName();
  if (F.isIntrinsic() && isInactiveIntrinsic(F.getIntrinsicID()))
    return inactive();
  Name.consume_front("\1");
  if (isPanicOfRust(F, Name))
    return inactive();
  if (isLibrarys(F)) {
    std::string InRust = rustName(Name);
    // What rustc makes up belongs to a crate of this name.
    StringRef ByRustc = InRust;
    auto It =
        T.ByName.find(ByRustc.consume_front("__rustc::") ? ByRustc : Name);
    if (It != T.ByName.end() && fits(It->second.Signature, F.getFunctionType()))
      return It->second.Known;
    if (isKnownInC(Name))
      return inactive();
    if (It == T.ByName.end() && any_of(NamePrefixes, [&](StringRef Prefix) {
          return Name.starts_with(Prefix);
        }))
      return inactive();
    StringRef Path = StringRef(InRust).ltrim('<');
    const FunctionType *Signature = F.getFunctionType();
    if (any_of(RustPrefixes,
               [&](StringRef Prefix) { return Path.starts_with(Prefix); }) &&
        !Signature->getReturnType()->isFPOrFPVectorTy() &&
        none_of(Signature->params(),
                [](Type *P) { return P->isFPOrFPVectorTy(); }))
      return inactive();
  }
  std::string Qualified = qualifiedName(Name);
  StringRef Library =
      StringRef(Qualified).take_until([](char C) { return C == ':'; });
  if (is_contained({"std", "fmt", "__gnu_debug"}, Library) &&
      any_of(QualifiedPrefixes,
             [&](StringRef Prefix) { return isNamed(Qualified, Prefix); }) &&
      (!hasTextPrefix(Qualified) || !namesProgram(Name)))
    return inactive();
  return std::nullopt;
}

bool verso::isOfText(const Function &F) {
  StringRef Name = F.getName();
  if (!Name.contains("basic_string"))
    return false;
  return hasTextPrefix(qualifiedName(Name)) && !namesProgram(Name);
}

bool verso::isInactiveIntrinsic(Intrinsic::ID Which) {
  if (Which == Intrinsic::not_intrinsic)
    return false;
  StringRef Name = Intrinsic::getBaseName(Which);
  return tables().Intrinsics.contains(Name) ||
         any_of(IntrinsicPrefixes,
                [&](StringRef Prefix) { return Name.starts_with(Prefix); });
}

//===----------------------------------------------------------------------===//
// Formats
//===----------------------------------------------------------------------===//

/// The bytes that one conversion writes; nothing if there is no such thing.
static std::optional<unsigned> scannedSize(StringRef Length, char Conversion) {
  const bool Long = Length == "l" || Length == "j" || Length == "z" ||
                    Length == "t" || Length == "ll" || Length == "q";
  switch (Conversion) {
  case 'd':
  case 'i':
  case 'o':
  case 'u':
  case 'x':
  case 'X':
  case 'n':
    return Long ? 8 : Length == "h" ? 2 : Length == "hh" ? 1 : 4;
  case 'a':
  case 'e':
  case 'f':
  case 'g':
  case 'A':
  case 'E':
  case 'F':
  case 'G':
    return Length == "L" ? 16 : Length == "l" ? 8 : 4;
  case 'p':
    return 8;
  case 'c':
  case 's':
  case '[':
    return 0;
  default:
    return std::nullopt;
  }
}

std::optional<SmallVector<unsigned, 8>> verso::scannedSizes(StringRef Format) {
  SmallVector<unsigned, 8> Sizes;
  while (true) {
    Format = Format.drop_until([](char C) { return C == '%'; });
    if (!Format.consume_front("%"))
      return Sizes;
    if (Format.consume_front("%"))
      continue;
    const bool Skipped = Format.consume_front("*");
    Format = Format.drop_while([](char C) { return C >= '0' && C <= '9'; });
    StringRef Length = Format.take_while(
        [](char C) { return StringRef("hljztLq").contains(C); });
    Format = Format.drop_front(Length.size());
    if (Format.empty())
      return std::nullopt;
    std::optional<unsigned> Size = scannedSize(Length, Format.front());
    if (!Size)
      return std::nullopt;
    if (Format.front() == '[') {
      // A ] that comes first belongs to the set.
      size_t End = Format.find(']', Format.starts_with("[^]")  ? 3
                                    : Format.starts_with("[]") ? 2
                                                               : 1);
      if (End == StringRef::npos)
        return std::nullopt;
      Format = Format.drop_front(End);
    }
    Format = Format.drop_front();
    if (!Skipped)
      Sizes.push_back(*Size);
  }
}

//===----------------------------------------------------------------------===//
// The user's marks
//===----------------------------------------------------------------------===//

static constexpr StringLiteral Mark = "verso_inactive";
static constexpr StringLiteral EnzymeMark = "enzyme_inactive";
static constexpr StringLiteral NoNumbersMark = "verso_writes_no_numbers";
static constexpr StringLiteral NullMark = "verso_null_before";

static bool hasAttribute(const GlobalValue &G, StringRef Name) {
  if (auto *F = dyn_cast<Function>(&G))
    return F->hasFnAttribute(Name);
  auto *Variable = dyn_cast<GlobalVariable>(&G);
  return Variable && Variable->hasAttribute(Name);
}

bool verso::isMarkedInactive(const GlobalValue &G) {
  if (hasAttribute(G, Mark) || hasAttribute(G, EnzymeMark))
    return true;
  StringRef Name = G.getName();
  if (!Name.contains(Mark) && !Name.contains(EnzymeMark))
    return false;
  std::string Demangled = qualifiedName(Name);
  if (Demangled.empty())
    Demangled = demangle(Name);
  Name = Demangled;
  if (size_t Scope = Name.rfind("::"); Scope != StringRef::npos)
    Name = Name.drop_front(Scope + 2);
  Name.consume_front("__");
  return Name.starts_with(Mark) || Name.starts_with(EnzymeMark);
}

bool verso::writesNoNumbers(const Function &F) {
  return F.hasFnAttribute(NoNumbersMark);
}

bool verso::isNullBefore(const GlobalVariable &G) {
  return G.hasAttribute(NullMark);
}

void verso::removeInactiveMarks(Function &F) {
  F.removeFnAttr(Mark);
  F.removeFnAttr(EnzymeMark);
}

/// The text of an annotation.
static StringRef annotation(const Value *Text) {
  auto *G = dyn_cast<GlobalVariable>(Text->stripPointerCasts());
  if (!G || !G->hasInitializer())
    return {};
  auto *Data = dyn_cast<ConstantDataSequential>(G->getInitializer());
  return Data && Data->isCString() ? Data->getAsCString() : StringRef();
}

static bool isMark(const Value *Text) {
  return annotation(Text) == Mark || annotation(Text) == EnzymeMark;
}

bool verso::isInactiveAnnotation(const CallBase &Call) {
  return Call.getIntrinsicID() == Intrinsic::var_annotation &&
         isMark(Call.getArgOperand(1));
}

static void mark(Value *V) {
  V = V->stripPointerCasts();
  if (auto *F = dyn_cast<Function>(V))
    F->addFnAttr(Mark);
  else if (auto *G = dyn_cast<GlobalVariable>(V))
    G->addAttribute(Mark);
}

/// Every function or variable in an initialiser.
static void markAll(Constant *C) {
  if (isa<GlobalValue>(C->stripPointerCasts()))
    return mark(C);
  for (Value *Op : C->operands())
    markAll(cast<Constant>(Op));
}

void verso::forEachAnnotation(
    const Module &M, function_ref<void(llvm::Constant &, StringRef)> Found) {
  auto *List = M.getNamedGlobal("llvm.global.annotations");
  if (auto *Array =
          List ? dyn_cast<ConstantArray>(List->getInitializer()) : nullptr)
    for (Value *Item : Array->operands())
      if (auto *S = dyn_cast<ConstantStruct>(Item))
        Found(*cast<llvm::Constant>(S->getOperand(0)->stripPointerCasts()),
              annotation(S->getOperand(1)));
}

void verso::applyInactiveMarks(Module &M) {
  forEachAnnotation(M, [](llvm::Constant &Of, StringRef Name) {
    auto *F = dyn_cast<Function>(&Of);
    auto *G = dyn_cast<GlobalVariable>(&Of);
    if (Name == Mark || Name == EnzymeMark)
      mark(&Of);
    else if (F && Name.consume_front("verso_strategy="))
      F->addFnAttr("verso-strategy", Name);
    else if (F && Name == NoNumbersMark)
      F->addFnAttr(NoNumbersMark);
    else if (G && Name == NullMark)
      G->addAttribute(NullMark);
  });
  for (GlobalVariable &G : M.globals())
    if (G.hasInitializer() &&
        (G.getName().contains("__enzyme_inactivefn") ||
         G.getName().contains("__enzyme_inactive_global")))
      markAll(G.getInitializer());
  for (Function &F : M)
    unshield(F);
}

bool verso::shieldInactiveFunctions(Module &M) {
  applyInactiveMarks(M);
  bool Any = false;
  for (Function &F : M) {
    if (F.isDeclaration() || !isMarkedInactive(F))
      continue;
    Any = true;
    shield(F);
  }
  return Any;
}

Value *verso::bytesOfCall(IRBuilderBase &B, CallBase &Call,
                          const KnownCall &K) {
  if (K.Size < 0)
    return K.FixedSize ? B.getInt64(K.FixedSize) : nullptr;
  Value *Bytes =
      B.CreateZExtOrTrunc(Call.getArgOperand(K.Size), B.getInt64Ty());
  if (K.Count >= 0)
    Bytes = B.CreateMul(Bytes, B.CreateZExtOrTrunc(Call.getArgOperand(K.Count),
                                                   B.getInt64Ty()));
  return Bytes;
}

Value *verso::bytesWritten(IRBuilderBase &B, CallBase &Call,
                           const KnownCall &K) {
  Value *Most = bytesOfCall(B, Call, K);
  if (!Most || K.Tells == KnownCall::Nothing)
    return Most;
  Value *None = B.getInt64(0), *Told = nullptr;
  switch (K.Tells) {
  case KnownCall::Nothing:
    break;
  case KnownCall::Bytes:
    Told = B.CreateBinaryIntrinsic(
        Intrinsic::smax, B.CreateSExtOrTrunc(&Call, B.getInt64Ty()), None);
    break;
  case KnownCall::Elements: {
    // Of one that is more than a number parts may have been written.
    Value *Size =
        B.CreateZExtOrTrunc(Call.getArgOperand(K.Size), B.getInt64Ty());
    Value *Begun =
        B.CreateSelect(B.CreateICmpUGT(Size, B.getInt64(16)), Size, None);
    Told = B.CreateAdd(
        B.CreateMul(B.CreateZExtOrTrunc(&Call, B.getInt64Ty()), Size), Begun);
    break;
  }
  case KnownCall::InStream: // Behind the pointer to its virtual functions.
    Told = B.CreateLoad(
        B.getInt64Ty(),
        B.CreateConstGEP1_64(B.getInt8Ty(), Call.getArgOperand(K.Source), 8));
    break;
  case KnownCall::Error: {
    auto *Result = dyn_cast<StructType>(Call.getType());
    if (!Result || Result->getNumElements() != 2 ||
        !Result->getElementType(1)->isIntegerTy())
      return Most;
    return B.CreateSelect(B.CreateIsNull(B.CreateExtractValue(&Call, 1)), Most,
                          None);
  }
  }
  return B.CreateBinaryIntrinsic(Intrinsic::umin, Told, Most);
}

Value *verso::bytesOfBlock(IRBuilderBase &B, CallBase &Call,
                           const KnownCall &K) {
  Value *Bytes = bytesOfCall(B, Call, K);
  if (!Bytes || Call.isReturnNonNull())
    return Bytes;
  return B.CreateSelect(B.CreateIsNull(&Call), B.getInt64(0),
                        B.CreateFreeze(Bytes));
}

Value *verso::bytesBeforeCall(IRBuilderBase &B, CallBase &Call,
                              const KnownCall &K) {
  if (K.OldSize >= 0)
    return B.CreateZExtOrTrunc(Call.getArgOperand(K.OldSize), B.getInt64Ty());
  FunctionCallee Usable = Call.getModule()->getOrInsertFunction(
      "malloc_usable_size",
      AttributeList::get(
          B.getContext(), AttributeList::FunctionIndex,
          {Attribute::NoUnwind, Attribute::NoCallback, Attribute::NoSync}),
      B.getInt64Ty(), B.getPtrTy());
  return B.CreateCall(Usable, Call.getArgOperand(K.Source));
}
