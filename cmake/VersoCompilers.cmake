#===- VersoCompilers.cmake - clang of the wanted LLVM ---------------------===//
#
# Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
#
# Included before project(). Picks clang-<version> and clang++-<version> when
# nobody chose compilers on the command line or in the environment.
#
#===------------------------------------------------------------------------===//

set(_verso_hints "/usr/lib/llvm-${VERSO_LLVM_VERSION}/bin")
if(LLVM_DIR)
  list(PREPEND _verso_hints "${LLVM_DIR}/../../../bin")
endif()
if(NOT CMAKE_C_COMPILER AND NOT DEFINED ENV{CC})
  find_program(VERSO_CLANG NAMES clang-${VERSO_LLVM_VERSION} clang
               HINTS ${_verso_hints})
  if(VERSO_CLANG)
    set(CMAKE_C_COMPILER "${VERSO_CLANG}" CACHE FILEPATH "C compiler")
  endif()
endif()
if(NOT CMAKE_CXX_COMPILER AND NOT DEFINED ENV{CXX})
  find_program(VERSO_CLANGXX NAMES clang++-${VERSO_LLVM_VERSION} clang++
               HINTS ${_verso_hints})
  if(VERSO_CLANGXX)
    set(CMAKE_CXX_COMPILER "${VERSO_CLANGXX}" CACHE FILEPATH "C++ compiler")
  endif()
endif()
unset(_verso_hints)
