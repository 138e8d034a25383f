#!/usr/bin/env python3
#===- compile_time.py - what a request costs the compiler ----------------===//
#
# Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Compiles with and without the plugin and prints a table: the smallest user
time of several runs, in turn.

    compile_time.py build/lib/libVerso.so                    the kernels
    compile_time.py build/lib/libVerso.so --straight-line    straight_line.py's

Of a kernel: requests/Class.cpp at -O3, as the suite compiles it; without the
plugin its request is the call of an unknown function. Of straight-line code: a
table of seconds and of MiB for each number of statements.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
import time

import straight_line

HERE = os.path.dirname(os.path.abspath(__file__))
MODES = {"auto": [], "taped": ["-mllvm", "-verso-strategy=taped"],
         "forward": ["-DVERSO_BENCH_FORWARD"]}


class Compiler:
    def __init__(self, options):
        self.options = options
        self.directory = tempfile.mkdtemp()

    def cost(self, arguments):
        """User seconds and MiB of one compilation; None after the time limit."""
        command = [self.options.cxx, *arguments, "-c", "-o",
                   os.path.join(self.directory, "out.o")]
        process = subprocess.Popen(command)
        end = time.monotonic() + self.options.limit
        while True:
            pid, status, usage = os.wait4(process.pid, os.WNOHANG)
            if pid:
                break
            if time.monotonic() > end:
                process.kill()
                os.wait4(process.pid, 0)
                return None
            time.sleep(0.005)
        if status:
            sys.exit("failed: " + " ".join(command))
        return usage.ru_utime, usage.ru_maxrss / 1024

    def costs(self, variants):
        """The cheapest of several runs of each variant, in turn."""
        best = {}
        for _ in range(self.options.runs):
            for name, arguments in variants.items():
                cost = self.cost(arguments)
                best[name] = min(filter(None, [best.get(name), cost]),
                                 default=None)
        return best


def kernels(options):
    with open(os.path.join(HERE, "Kernels.def"), encoding="utf-8") as file:
        found = re.findall(r'^VERSO_BENCHMARK\((\w+), "(\w+)"', file.read(),
                           re.MULTILINE)
    return [each for each in found
            if not options.kernel or each[1] in options.kernel]


def measure_kernels(options, compiler):
    print("| kernel | seconds without | times that: %s |\n| --- | --: %s|" % (
        " | ".join(MODES), "| --: " * len(MODES)))
    for class_name, name in kernels(options):
        plain = ["-std=c++20", "-O3", "-march=native", "-I" + HERE,
                 "-DVERSO_BENCH_CLASS=" + class_name,
                 '-DVERSO_BENCH_HEADER="kernels/%s.h"' % class_name,
                 "-DVERSO_BENCH_STRATEGY=Verso",
                 os.path.join(HERE, "requests", class_name + ".cpp")]
        variants = {"": plain}
        for mode, flags in MODES.items():
            variants[mode] = ["-fpass-plugin=" + options.plugin, *flags, *plain]
        best = compiler.costs(variants)
        print("| %s | %.2f | %s |" % (name, best[""][0], " | ".join(
            "%.2f" % (best[m][0] / best[""][0]) if best[m] else "-"
            for m in MODES)), flush=True)


def measure_straight_lines(options, compiler):
    rows = [("none", "no request", [])]
    for strategy in ["structured", "taped"]:
        rows.append(("reverse", strategy,
                     ["-mllvm", "-verso-strategy=" + strategy]))
    rows.append(("forward", "forward", []))
    print("| v | level | | %s |\n| --- | --- | --- %s|" % (
        " | ".join(map(str, options.statements)),
        "| --: " * len(options.statements)))
    for variant in options.variant:
        for level in options.level:
            for mode, title, flags in rows:
                cells = []
                for count in options.statements:
                    source = os.path.join(compiler.directory, "straight.c")
                    with open(source, "w", encoding="utf-8") as file:
                        file.write(straight_line.program(variant, count, mode))
                    plugin = (["-fpass-plugin=" + options.plugin]
                              if mode != "none" else [])
                    best = compiler.costs(
                        {"": ["-x", "c", level, *plugin, *flags, source]})[""]
                    cells.append("%.1f s, %.0f" % best if best
                                 else "> %d s" % options.limit)
                print("| %s | %s | %s | %s |" % (variant, level, title,
                                                " | ".join(cells)), flush=True)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("plugin")
    parser.add_argument("--cxx", default="clang++-22")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--limit", type=int, default=300)
    parser.add_argument("--kernel", action="append")
    parser.add_argument("--straight-line", action="store_true")
    parser.add_argument("--variant", action="append",
                        choices=straight_line.VARIANTS)
    parser.add_argument("--level", action="append")
    parser.add_argument("--statements", action="append", type=int)
    options = parser.parse_args()
    options.variant = options.variant or straight_line.VARIANTS
    options.level = options.level or ["-O2"]
    options.statements = options.statements or [3750, 7500, 15000, 30000]
    if not options.plugin.startswith("/"):
        options.plugin = os.path.abspath(options.plugin)
    compiler = Compiler(options)
    if options.straight_line:
        measure_straight_lines(options, compiler)
    else:
        measure_kernels(options, compiler)


if __name__ == "__main__":
    main()
