#!/usr/bin/env bash
#===- bootstrap.sh - from a fresh machine to a running Verso --------------===//
#
# Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
#
#   cmake/bootstrap.sh demo    fit the Lotka-Volterra model to the pelt counts
#   cmake/bootstrap.sh test    run all tests; further arguments go to ctest
#   cmake/bootstrap.sh bench   run the benchmarks
#   cmake/bootstrap.sh build   only build
#   cmake/bootstrap.sh deps    only install the packages
#
# After the command, --llvm=19 takes that version of LLVM, in build-19/.
#
# Each does all that comes before it: packages (Debian 12, by
# apt-get, through sudo when not root; skipped when all are there), configure
# and build in build/. Environment:
#   VERSO_LLVM_VERSION   22 (default) or 19, as --llvm
#   VERSO_BUILD_DIR      another build directory
#   VERSO_JOBS           parallel jobs; default: the number of processors
#
#===------------------------------------------------------------------------===//

set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
llvm=${VERSO_LLVM_VERSION:-22}
case ${2:-} in
--llvm=*) llvm=${2#--llvm=} ;;
esac
directory=build
[ "$llvm" = 22 ] || directory=build-$llvm
build=${VERSO_BUILD_DIR:-$root/$directory}
jobs=${VERSO_JOBS:-$(nproc)}

# What LLVM alone has to offer, and what the distribution has.
llvm_packages=("llvm-$llvm-dev" "llvm-$llvm-tools" "clang-$llvm" "lld-$llvm"
  "libclang-rt-$llvm-dev" "libomp-$llvm-dev")
packages=(cmake ninja-build g++ python3 valgrind libgtest-dev libbenchmark-dev
  libeigen3-dev libboost-dev libfftw3-dev libnlopt-dev libnlopt-cxx-dev libadolc-dev
  zlib1g-dev libzstd-dev mpich libmpich-dev)

# What some tests need, where there is a package of it: Fortran, of LLVM 22.
optional_packages=()
[ "$llvm" != 22 ] || optional_packages=("flang-$llvm")

say() { printf 'bootstrap: %s\n' "$*" >&2; }
die() {
  say "$*"
  exit 1
}

# The packages among the arguments that are not installed.
missing() {
  local package
  for package in "$@"; do
    dpkg-query -W -f '${db:Status-Status}\n' "$package" 2>/dev/null |
      grep -qx installed || printf '%s\n' "$package"
  done
}

# Runs a command as root.
as_root() {
  if [ "$(id -u)" -eq 0 ]; then
    "$@"
  elif command -v sudo >/dev/null; then
    sudo "$@"
  else
    die "not root and no sudo; install these yourself, then run again: ${wanted[*]}"
  fi
}

apt() { as_root env DEBIAN_FRONTEND=noninteractive apt-get -q "$@"; }

has_candidate() { apt-cache show "$1" >/dev/null 2>&1; }

install_packages() {
  if ! command -v dpkg-query >/dev/null; then
    say "not a Debian or Ubuntu system: expecting LLVM $llvm, CMake, Ninja," \
      "GoogleTest, Google Benchmark, Eigen, Boost, NLopt to be installed"
    return
  fi
  mapfile -t wanted < <(missing "${llvm_packages[@]}" "${packages[@]}")
  if [ "${#wanted[@]}" -eq 0 ]; then
    return
  fi
  say "installing ${wanted[*]}"
  apt update || say "apt-get update failed; going on with the lists at hand"
  if ! has_candidate "llvm-$llvm-dev"; then
    local other=
    if [ "$llvm" != 19 ] && has_candidate llvm-19-dev; then
      other=", or take LLVM 19, which it has: --llvm=19"
    fi
    die "this system has no packages of LLVM $llvm: add the LLVM project's" \
      "package source for it (https://apt.llvm.org) and run again$other"
  fi
  apt install -y --no-install-recommends "${wanted[@]}" ||
    die "apt-get could not install: ${wanted[*]}"
}

install_optional_packages() {
  command -v dpkg-query >/dev/null || return 0
  local package
  for package in $(missing "${optional_packages[@]}"); do
    has_candidate "$package" || continue
    say "installing $package"
    apt install -y --no-install-recommends "$package" ||
      say "could not install $package: what needs it is not tested"
  done
}

configure() {
  local bin=/usr/lib/llvm-$llvm/bin
  local arguments=(-S "$root" -B "$build" -G Ninja
    -DVERSO_LLVM_VERSION="$llvm")
  if [ -x "$bin/clang++" ]; then
    arguments+=(-DCMAKE_C_COMPILER="$bin/clang"
      -DCMAKE_CXX_COMPILER="$bin/clang++")
  fi
  say "configuring $build"
  mkdir -p "$build"
  cmake "${arguments[@]}" >"$build/configure.log" 2>&1 || {
    cat "$build/configure.log" >&2
    die "configuration failed"
  }
}

make_target() { cmake --build "$build" --parallel "$jobs" "$@"; }

# Builds the program that a target stands for, and runs it.
run_program() {
  local target=$1 program
  shift
  make_target --target "$target"
  program=$(find "$build" -type f -name "$target" -perm -u+x | head -n 1)
  [ -n "$program" ] || die "$target was not built"
  "$program" "$@"
}

main() {
  local command=${1:-}
  [ "$#" -eq 0 ] || shift
  case ${1:-} in
  --llvm=*) shift ;;
  esac
  case $command in
  demo | test | bench | build | deps) ;;
  *) die "usage: cmake/bootstrap.sh demo|test|bench|build|deps [--llvm=19]" ;;
  esac
  install_packages
  [ "$command" != deps ] || return 0
  [ "$command" != test ] || install_optional_packages
  configure
  case $command in
  build) make_target "$@" ;;
  demo) run_program lotka_volterra_demo "$@" ;;
  bench) run_program verso_benchmarks "$@" ;;
  test)
    make_target && ctest --test-dir "$build" --parallel "$jobs" \
      --output-on-failure "$@"
    ;;
  esac
}

main "$@"
