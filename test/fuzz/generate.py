#!/usr/bin/env python3
# ===- generate.py - random programs, each judged by the others ------------===//
#
# Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------===//
#
# Writes one random C program a seed (program.py) and judges it (judge.py): the
# dot-product test between forward and reverse mode, equal gradients across
# levels and strategies, LLVM's verifier, and central differences.
#
#   generate.py --plugin libVerso.so --runtime libverso.a [--seeds 1:200]
#               [--levels 0123] [--strategies taped,auto] [--jobs 2]
#               [--each 1]         so many of the levels for each seed, in turn
#               [--seconds 600]    no new seed after this time
#               [--sanitize 10]    every 10th program under sanitizers as well
#               [--verify-each 32] the verifier after every pass for every 32nd;
#                                  for the others where the pipeline ends
#               [--work DIR]       failing programs stay there, as fuzz<seed>.c
#   generate.py --print 17         only shows the program of seed 17
#
# Prints a line a seed that is not OK, and a summary: how many seeds were run, how
# many agree (and in how many of them a second strategy took part), how many end
# in an error of Verso's own, wholly or for some seeds of outputs, how many are
# wrong. Exit status 1 if any is wrong, or more than a tenth are REFUSED.
# reduce.py makes a failing program small.
#
# ===----------------------------------------------------------------------===//

import argparse
import collections
import concurrent.futures
import os
import shutil
import sys
import tempfile
import time

import judge
from program import Program


def check(seed, args):
    """Judges one seed; runs in a process of its own."""
    toolchain = judge.Toolchain(args.plugin, args.runtime, args.cc, seed % args.verify_each == 0)
    with tempfile.TemporaryDirectory(dir=args.work) as work:
        source = os.path.join(work, f"fuzz{seed}.c")
        with open(source, "w", encoding="utf-8") as f:
            f.write(Program(seed).text())
        verdict = None
        if args.sanitize and seed % args.sanitize == 0:
            verdict = judge.undefined(source, work, toolchain)
        levels = args.levels
        if args.each:
            levels = "".join(sorted({levels[(seed + k) % len(levels)] for k in range(args.each)}))
        verdict = verdict or judge.judge(source, work, toolchain, levels, args.strategies.split(","))
        if not verdict.startswith(("OK", "UNSEEDED")):
            shutil.copy(source, args.work)
    return seed, verdict


def summary(verdicts):
    wrong = sum(n for v, n in verdicts.items() if v not in ("OK", "STRUCTURED", "UNSEEDED", "REFUSED"))
    return (f"{sum(verdicts.values())} run, {verdicts['OK'] + verdicts['STRUCTURED']} agree"
            f" ({verdicts['STRUCTURED']} with structured code), {verdicts['UNSEEDED']} refused with seeds,"
            f" {verdicts['REFUSED']} refused, {wrong} wrong"), wrong


def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument("--plugin")
    parser.add_argument("--runtime")
    parser.add_argument("--seeds", default="1:20")
    parser.add_argument("--work", default=os.path.join(tempfile.gettempdir(), "verso-fuzz"))
    parser.add_argument("--cc", default="clang-22")
    parser.add_argument("--levels", default="0123")
    parser.add_argument("--strategies", default="taped,auto")
    parser.add_argument("--each", type=int, default=0)
    parser.add_argument("--seconds", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--sanitize", type=int, default=0)
    parser.add_argument("--verify-each", type=int, default=32)
    parser.add_argument("--print", type=int, dest="shown")
    return parser.parse_args()


def main():
    args = parse()
    if args.shown is not None:
        print(Program(args.shown).text())
        return 0
    os.makedirs(args.work, exist_ok=True)
    first, last = map(int, args.seeds.split(":"))
    end = time.monotonic() + args.seconds if args.seconds else None
    verdicts = collections.Counter()
    with concurrent.futures.ProcessPoolExecutor(args.jobs) as pool:
        waiting, seed = set(), first
        while waiting or seed <= last:
            while seed <= last and len(waiting) < args.jobs:
                waiting.add(pool.submit(check, seed, args))
                seed += 1
            done, waiting = concurrent.futures.wait(waiting, return_when=concurrent.futures.FIRST_COMPLETED)
            for number, verdict in (d.result() for d in done):
                verdicts["STRUCTURED" if verdict == "OK structured" else verdict.split()[0]] += 1
                if not verdict.startswith("OK"):
                    print(number, verdict, flush=True)
                if number % 100 == 0:
                    print(f"up to {number}: {summary(verdicts)[0]}", flush=True)
            if end and time.monotonic() > end:
                last = seed - 1
    text, wrong = summary(verdicts)
    print(f"seeds {first} to {last}: {text}")
    return wrong != 0 or verdicts["REFUSED"] * 10 > last + 1 - first


if __name__ == "__main__":
    sys.exit(main())
