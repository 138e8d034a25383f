#!/usr/bin/env python3
#===- determinism.py - the same input, the same object file --------------===//
#
# Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Compiles programs of exec/ twice, with another environment and address space
layout, and compares the object files bit for bit; and at -O2 the code with that
of -O2 -g.

    determinism.py build/lib/libVerso.so [--only control/ ...]
"""

import argparse
import os
import subprocess
import sys
import tempfile

import directives

TESTS = os.path.dirname(os.path.abspath(__file__))
STRATEGIES = ["auto", "taped"]


def programs(only):
    for directory, _, files in sorted(os.walk(os.path.join(TESTS, "exec"))):
        for name in sorted(files):
            path = os.path.join(directory, name)
            inner = os.path.relpath(path, os.path.join(TESTS, "exec"))
            if (name.endswith((".c", ".cpp")) and "/compile/" not in inner
                    and "/Inputs/" not in inner
                    and (not only or inner.startswith(tuple(only)))):
                yield inner, path


def compile_object(options, source, strategy, flags, out, padding):
    language = (["clang", "-std=gnu17"] if source.endswith(".c")
                else ["clang++", "-std=c++20"])
    command = [os.path.join(options.tools, language[0]), language[1], *flags,
               *directives.read_directives(source)["FLAGS"],
               "-I" + os.path.join(TESTS, "..", "include"),
               "-I" + os.path.join(TESTS, "exec"),
               "-fpass-plugin=" + options.plugin, "-w", "-c", source, "-o", out]
    environment = dict(os.environ, VERSO_PADDING="x" * padding,
                       VERSO_OPTIONS="-verso-strategy=" + strategy)
    return subprocess.run(command, env=environment, timeout=options.limit,
                          stderr=subprocess.DEVNULL).returncode == 0


def code_of(options, path):
    """The sections that are loaded, without the names of symbols."""
    out = path + ".bin"
    subprocess.run([os.path.join(options.tools, "llvm-objcopy"), "-O", "binary",
                    "--only-section=.text*", path, out], check=True)
    with open(out, "rb") as file:
        return file.read()


def differences(options, source, directory):
    """What differs, in words; None where the program does not compile."""
    found = []
    first, second = (os.path.join(directory, n) for n in ["1.o", "2.o"])
    for strategy in STRATEGIES:
        for level in options.levels:
            flags = directives.LEVELS[level]
            if not (compile_object(options, source, strategy, flags, first, 1)
                    and compile_object(options, source, strategy, flags, second,
                                       5000)):
                return None
            with open(first, "rb") as one, open(second, "rb") as two:
                if one.read() != two.read():
                    found.append("%s %s" % (level, strategy))
        if options.debug:
            if (compile_object(options, source, strategy, ["-O2"], first, 1)
                    and compile_object(options, source, strategy, ["-O2", "-g"],
                                       second, 1)
                    and code_of(options, first) != code_of(options, second)):
                found.append("-g " + strategy)
    return found


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("plugin")
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--levels", nargs="*", default=["O0", "O2g"])
    parser.add_argument("--debug", action="store_true",
                        help="compare -O2 with -O2 -g as well")
    parser.add_argument("--tools", default="/usr/lib/llvm-22/bin")
    parser.add_argument("--limit", type=int, default=600)
    options = parser.parse_args()
    options.plugin = os.path.abspath(options.plugin)
    same = different = 0
    with tempfile.TemporaryDirectory() as directory:
        for name, path in programs(options.only):
            try:
                found = differences(options, path, directory)
            except subprocess.TimeoutExpired:
                print("takes too long: " + name, flush=True)
                continue
            if found is None:
                print("does not compile: " + name, flush=True)
            elif found:
                different += 1
                print("%s: differs: %s" % (name, ", ".join(found)), flush=True)
            else:
                same += 1
                print(name, flush=True)
    print("%d programs the same, %d not" % (same, different))
    sys.exit(different or not same)


if __name__ == "__main__":
    main()
