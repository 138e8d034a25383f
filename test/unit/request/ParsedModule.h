//===- ParsedModule.h - a module from text, and what it reports -*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What every test here starts from: IR as text, a context whose diagnostics are
// collected, and the x86-64 data layout.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_TEST_UNIT_REQUEST_PARSEDMODULE_H
#define VERSO_TEST_UNIT_REQUEST_PARSEDMODULE_H

#include "Diagnostics.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/DiagnosticHandler.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

#include "gtest/gtest.h"

#include <memory>
#include <string>
#include <vector>

namespace verso::test {

class ParsedModule {
  /// Takes everything, remarks too.
  struct Collector : llvm::DiagnosticHandler {
    explicit Collector(std::vector<std::string> &Messages)
        : Messages(Messages) {}
    bool handleDiagnostics(const llvm::DiagnosticInfo &Info) override {
      llvm::raw_string_ostream OS(Messages.emplace_back());
      llvm::DiagnosticPrinterRawOStream Printer(OS);
      Info.print(Printer);
      return true;
    }
    using llvm::DiagnosticHandler::isAnyRemarkEnabled;
    bool isAnalysisRemarkEnabled(llvm::StringRef) const override {
      return true;
    }
    bool isMissedOptRemarkEnabled(llvm::StringRef) const override {
      return true;
    }
    bool isPassedOptRemarkEnabled(llvm::StringRef) const override {
      return true;
    }
    bool isAnyRemarkEnabled() const override { return true; }
    std::vector<std::string> &Messages;
  };

public:
  explicit ParsedModule(llvm::StringRef Text) : Reports(Context) {
    Context.setDiagnosticHandler(std::make_unique<Collector>(Messages));
    std::string Whole =
        "target datalayout = \"e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-"
        "i128:128-f80:128-n8:16:32:64-S128\"\n" +
        Text.str();
    llvm::SMDiagnostic Error;
    M = llvm::parseAssemblyString(Whole, Error, Context);
    if (!M)
      ADD_FAILURE() << "line " << Error.getLineNo() << ": "
                    << Error.getMessage().str();
  }

  bool isValid() const { return !llvm::verifyModule(*M, &llvm::errs()); }
  std::string text() const {
    std::string Text;
    llvm::raw_string_ostream OS(Text);
    M->print(OS, nullptr);
    return Text;
  }

  llvm::LLVMContext Context;
  std::unique_ptr<llvm::Module> M;
  std::vector<std::string> Messages;
  Diagnostics Reports;
};

} // namespace verso::test

#endif // VERSO_TEST_UNIT_REQUEST_PARSEDMODULE_H
