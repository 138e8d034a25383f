#!/usr/bin/env bash
#===- other-llvm.sh - the other LLVM that is supported --------------------===//
#
# Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
#
#   other-llvm.sh VERSION DIRECTORY LIT
#
# Builds plugin and runtime for that version in DIRECTORY, without optimising
# them, and runs what tests the emitted code. All tests: cmake/bootstrap.sh test
# --llvm=VERSION.
#
#===------------------------------------------------------------------------===//

set -euo pipefail

version=$1 build=$2 lit=$3
source=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
bin=/usr/lib/llvm-$version/bin

cmake -S "$source" -B "$build" -G Ninja -DVERSO_LLVM_VERSION="$version" \
  -DCMAKE_C_COMPILER="$bin/clang" -DCMAKE_CXX_COMPILER="$bin/clang++" \
  -DCMAKE_CXX_FLAGS_RELEASE=-O0 -DVERSO_BUILD_BENCHMARKS=OFF \
  -DVERSO_BUILD_DEMO=OFF >/dev/null
cmake --build "$build" --parallel "$(nproc)" --target Verso \
  verso_runtime_static verso_runtime_shared
"$lit" -j2 -v "$build/test/pass"
"$lit" -j2 -v "$build/test/exec/rules" --param levels=O2g
