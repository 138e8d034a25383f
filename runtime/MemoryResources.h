//===- MemoryResources.h - std::pmr's functions without names ---*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_RUNTIME_MEMORYRESOURCES_H
#define VERSO_RUNTIME_MEMORYRESOURCES_H

namespace verso {

/// What stands for \p Function where it is a virtual function of one of the C++
/// library's memory resources that no module can name; null if it is not.
void *namedResourceFunction(const void *Function);

} // namespace verso

#endif // VERSO_RUNTIME_MEMORYRESOURCES_H
