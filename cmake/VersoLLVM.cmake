#===- VersoLLVM.cmake - the LLVM that the plugin is built for -------------===//
#
# Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
#
# Finds LLVM by LLVM_DIR, or else by llvm-config of VERSO_LLVM_VERSION. Defines
#   Verso::LLVM        headers, definitions and the shared library
#   VERSO_LLVM_TOOLS   the directory of clang, opt, FileCheck, lit
#
# A plugin must use the very LLVM of the compiler that loads it, so another
# major version than the one that was asked for is an error.
#
#===------------------------------------------------------------------------===//

if(NOT LLVM_DIR)
  find_program(VERSO_LLVM_CONFIG
    NAMES llvm-config-${VERSO_LLVM_VERSION} llvm-config
    HINTS "/usr/lib/llvm-${VERSO_LLVM_VERSION}/bin" NO_CACHE)
  if(NOT VERSO_LLVM_CONFIG)
    message(FATAL_ERROR
      "LLVM ${VERSO_LLVM_VERSION} is not installed: run cmake/bootstrap.sh "
      "deps, or give -DLLVM_DIR=<directory of LLVMConfig.cmake>.")
  endif()
  execute_process(COMMAND "${VERSO_LLVM_CONFIG}" --cmakedir
    OUTPUT_VARIABLE _verso_cmakedir OUTPUT_STRIP_TRAILING_WHITESPACE
    COMMAND_ERROR_IS_FATAL ANY)
  set(LLVM_DIR "${_verso_cmakedir}" CACHE PATH "Where LLVMConfig.cmake is")
endif()

find_package(LLVM REQUIRED CONFIG)
if(NOT LLVM_VERSION_MAJOR EQUAL VERSO_LLVM_VERSION)
  message(FATAL_ERROR
    "found LLVM ${LLVM_PACKAGE_VERSION} in ${LLVM_DIR}, but "
    "VERSO_LLVM_VERSION is ${VERSO_LLVM_VERSION}")
endif()
if(NOT TARGET LLVM)
  message(FATAL_ERROR
    "this LLVM has no shared library (LLVM_LINK_LLVM_DYLIB); a plugin that "
    "carried its own copy of LLVM could not be loaded by clang")
endif()

set(VERSO_LLVM_TOOLS "${LLVM_TOOLS_BINARY_DIR}")
message(STATUS "LLVM ${LLVM_PACKAGE_VERSION} in ${VERSO_LLVM_TOOLS}")

separate_arguments(_verso_definitions UNIX_COMMAND "${LLVM_DEFINITIONS}")
add_library(Verso_LLVM INTERFACE)
add_library(Verso::LLVM ALIAS Verso_LLVM)
target_include_directories(Verso_LLVM SYSTEM INTERFACE ${LLVM_INCLUDE_DIRS})
target_compile_definitions(Verso_LLVM INTERFACE ${_verso_definitions})
target_link_libraries(Verso_LLVM INTERFACE LLVM)
unset(_verso_definitions)
unset(_verso_cmakedir)
