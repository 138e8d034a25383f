#===- lit.cfg.py - configuration of the lit tests -------------------------===//
#
# Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
#
# Two kinds of tests. Below exec/ a test is a program (verso_program.py). All
# others have RUN lines, with these substitutions:
#   %clang_verso, %clangxx_verso   the compilers with plugin and include path
#   %flang_verso, %flang           the same for Fortran
#   %clang, %clangxx               the compilers without the plugin
#   %opt_verso                     opt with the plugin loaded
#   %verso_libs                    what a program links: runtime, libm, threads
#   %verso_plugin                  the plugin
#   %lld                           the linker, for -fuse-ld=
#   %python, %source               the interpreter, the source directory
#   %shared_runtime                the shared runtime, and where it is:
#   %runtime_directory
#
# Parameters: levels=O0,O3 (levels of exec/), strategies=auto,taped (which of
# them, at these levels), matrix=full (all that a program of exec/ is ever run
# as, where by default some runs are left out: verso_program.py), mode=syntax
# (only parse them), sanitize=address,undefined (run them under sanitizers).
#
#===------------------------------------------------------------------------===//

import os
import shutil
import subprocess
import sys

import lit.formats

sys.path.insert(0, os.path.join(config.verso_source, "test"))
import verso_program  # noqa: E402

config.name = "Verso"
config.test_source_root = os.path.join(config.verso_source, "test")
config.test_exec_root = os.path.join(config.verso_build, "test", "output")
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".ll", ".c", ".cpp", ".test"]
config.excludes = ["Inputs", "unit", "demo", "Output", "CMakeLists.txt",
                   "lit.cfg.py", "lit.local.cfg"]

mode = lit_config.params.get("mode", "run")
if mode not in ("run", "syntax"):
    lit_config.fatal("mode is 'run' or 'syntax', not '%s'" % mode)
if mode == "run" and not os.path.exists(config.verso_plugin):
    lit_config.fatal("the plugin is not built: " + config.verso_plugin)

levels = lit_config.params.get("levels", "")
config.verso_levels = levels.split(",") if levels else []
for level in config.verso_levels:
    if level not in verso_program.LEVELS:
        lit_config.fatal("no such level: '%s'" % level)

# As on the command line: --param options=-verso-check.
options = lit_config.params.get("options", "")
if options:
    config.excludes.append("compile")  # What compilers say of other options.
    config.environment["VERSO_OPTIONS"] = options
strategies = lit_config.params.get("strategies", "")
config.verso_strategies = strategies.split(",") if strategies else []
for strategy in config.verso_strategies:
    if strategy not in verso_program.STRATEGIES:
        lit_config.fatal("no such strategy: '%s'" % strategy)

config.verso_matrix = lit_config.params.get("matrix", "default")
if config.verso_matrix not in ("default", "full"):
    lit_config.fatal("matrix is 'default' or 'full', not '%s'"
                     % config.verso_matrix)

sanitize = lit_config.params.get("sanitize", "")
# Shadow windows and leak checking at exit are not for the same run. What fills
# new memory would be adjoints in the padding of shadow structures.
config.environment["ASAN_OPTIONS"] = "detect_leaks=0:max_malloc_fill_size=0"
config.environment["UBSAN_OPTIONS"] = "halt_on_error=1"
config.verso_toolchain = verso_program.Toolchain(
    config, mode, sanitize, "-verso-check" in options)

tools = config.verso_llvm_tools
config.environment["PATH"] = os.pathsep.join(
    [tools, config.environment.get("PATH", "")])

plugin_flag = " ".join(verso_program.plugin_flags(config))
include = "-I" + os.path.join(config.verso_source, "include")
clang = os.path.join(tools, "clang")
clangxx = os.path.join(tools, "clang++")
config.substitutions += [
    ("%clang_verso", " ".join([clang, plugin_flag, include])),
    ("%clangxx_verso", " ".join([clangxx, plugin_flag, include])),
    ("%clangxx", clangxx + " " + include),
    ("%clang", clang + " " + include),
    ("%flang_verso", " ".join([os.path.join(tools, "flang"),
                               "-fpass-plugin=" + config.verso_plugin])),
    ("%flang", os.path.join(tools, "flang")),
    ("%opt_verso", "%s -load-pass-plugin=%s" % (os.path.join(tools, "opt"),
                                                config.verso_plugin)),
    ("%verso_libs", config.verso_runtime + " -lm -lpthread -ldl"),
    ("%verso_plugin", config.verso_plugin),
    ("%shared_runtime", config.verso_shared_runtime),
    ("%runtime_directory", os.path.dirname(config.verso_shared_runtime)),
    ("%python", sys.executable),
    ("%source", config.verso_source),
    ("%lld", os.path.join(tools, "ld.lld")),
]

for feature, header in [
    ("eigen", "/usr/include/eigen3/Eigen/Dense"),
    ("boost", "/usr/include/boost/numeric/odeint.hpp"),
    ("fftw", "/usr/include/fftw3.h"),
    ("openmp", os.path.join(tools, "..", "lib", "libomp.so")),
    ("flang", os.path.join(tools, "flang")),
]:
    if os.path.exists(header):
        config.available_features.add(feature)
# Rust's bitcode is of the LLVM that rustc was built with.
if shutil.which("rustc"):
    rustc = subprocess.run(["rustc", "-vV"], capture_output=True, text=True)
    if "LLVM version: %s." % config.verso_llvm_version in rustc.stdout:
        config.available_features.add("rust")
if config.verso_toolchain.mpi:
    config.available_features.add("mpi")
    mpi = config.verso_toolchain.mpi
    if mpi.get("fortran"):
        config.available_features.add("mpi_fortran")
    config.substitutions += [
        ("%mpi_flags", " ".join(mpi["flags"])),
        ("%mpi_libs", " ".join(mpi["libs"])),
        ("%mpi_fortran", " ".join(mpi.get("fortran", []))),
        ("%mpiexec", " ".join(mpi["run"]))]
if not sanitize:
    config.available_features.add("unsanitized")
if config.verso_sanitizers:
    config.available_features.add("sanitizers")
with open("/proc/cpuinfo", encoding="utf-8") as cpu:
    flags = cpu.read().split()
    if "avx2" in flags and "fma" in flags:
        config.available_features.add("avx2")
config.available_features.add("llvm" + config.verso_llvm_version)
if config.verso_assertions:
    config.available_features.add("asserts")
