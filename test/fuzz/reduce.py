#!/usr/bin/env python3
# ===- reduce.py - makes a failing generated program small ------------------===//
#
# Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------===//
#
# reduce.py --plugin libVerso.so --runtime libverso.a [--jobs 2] [--seconds 600]
#           fuzz17.c > small.c
#
# C-Vise (apt install cvise) does the work; what this adds is the question it
# asks. A smaller program counts if it is defined (sanitizers, warnings) and gets
# the same verdict in the same configurations. A wrong number must stay far
# outside of its bound, or reduction would end in rounding errors.
#
# ===----------------------------------------------------------------------===//

import argparse
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

import judge

# What sanitizers would find out too, but slowly.
WARNINGS = ["-Werror=" + w for w in (
    "implicit-function-declaration", "return-type", "uninitialized", "conditional-uninitialized",
    "int-conversion", "incompatible-pointer-types", "array-bounds", "incompatible-function-pointer-types")]


def summary(verdict):
    """The part of a verdict that must stay: its word, the configurations, what a
    compiler says without its numbers and names, and whether it is far off."""
    word = verdict.split()[0]
    names = re.findall(r"\b(\w+-O\w)\b", verdict)
    if word in ("COMPILE", "CRASH", "REFUSED"):
        message = re.sub(r"'[^']*'|\"[^\"]*\"|[0-9]+|/\S+", "", verdict.split(None, 2)[-1])
        return word, names, message
    numbers = re.search(r"got (\S+) expected (\S+) bound (\S+)", verdict)
    if not numbers:
        return word, names, ""
    got, expected, bound = map(float, numbers.groups())
    return word, names, "" if abs(got - expected) <= 1e3 * bound else "far off"


def verdict_of(source, args, configurations):
    toolchain = judge.Toolchain(args.plugin, args.runtime, args.cc, args.verify_each)
    strategies = sorted({c.split("-O")[0] for c in configurations})
    levels = sorted({c.split("-O")[1] for c in configurations})
    with tempfile.TemporaryDirectory() as work:
        found = judge.judge(source, work, toolchain, levels, strategies)
        if summary(found) == args.wanted and not found.startswith("COMPILE"):
            found = judge.undefined(source, work, toolchain) or found
        return found


def is_interesting(args):
    toolchain = judge.Toolchain(args.plugin, args.runtime, args.cc)
    quick = [a for a in toolchain.base(args.source) if a != "-w"]
    if judge.run(quick + ["-DPLAIN", "-fsyntax-only", "-Wno-everything"] + WARNINGS, 20).returncode:
        return False
    args.wanted = (args.word, args.configurations.split(","), args.message)
    return summary(verdict_of(args.source, args, args.wanted[1])) == args.wanted


def reduce(args):
    args.wanted = None
    known = args.configurations.split(",") if args.configurations else ["taped-O0", "taped-O2"]
    wanted = args.wanted = summary(verdict_of(args.source, args, known))
    print(f"{args.source}: {wanted}", file=sys.stderr)
    if wanted[0] == "OK":
        return 1
    with tempfile.TemporaryDirectory() as work:
        shutil.copy(args.source, os.path.join(work, "small.c"))
        question = [sys.executable, os.path.abspath(__file__), "--plugin", os.path.abspath(args.plugin),
                    "--runtime", os.path.abspath(args.runtime), "--cc", args.cc, "--word", wanted[0],
                    "--configurations", ",".join(wanted[1]), "--message", wanted[2], "small.c"]
        question += ["--verify-each"] * args.verify_each
        script = os.path.join(work, "interesting.sh")
        with open(script, "w", encoding="utf-8") as f:
            f.write("#!/bin/sh\nexec " + shlex.join(question) + "\n")
        os.chmod(script, 0o755)
        subprocess.run(["timeout", str(args.seconds), "cvise", "--n", str(args.jobs), "--timeout", "60",
                        script, "small.c"], cwd=work, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
        with open(os.path.join(work, "small.c"), encoding="utf-8") as f:
            print(f.read())
    return 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("source")
    parser.add_argument("--plugin", required=True)
    parser.add_argument("--runtime", required=True)
    parser.add_argument("--cc", default="clang-22")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seconds", type=int, default=600)
    parser.add_argument("--configurations", default="")
    parser.add_argument("--verify-each", action="store_true")
    # For the question itself:
    parser.add_argument("--word")
    parser.add_argument("--message", default="")
    args = parser.parse_args()
    if args.word:
        return not is_interesting(args)
    return reduce(args)


if __name__ == "__main__":
    sys.exit(main())
