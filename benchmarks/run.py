#!/usr/bin/env python3
# ===- run.py - runs the benchmark suite and keeps its results --------------===#
#
# Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===-----------------------------------------------------------------------===#
"""Runs every kernel in a process of its own and writes one JSON file.

A process each, since ADOL-C's store grows with the largest kernel that it has
seen and every later recording pays for that. The file is Google Benchmark's
JSON, the medians of all kernels in one list. count.py adds instructions to it;
table.py makes the table and the plot of it.

    run.py build/verso_benchmarks --output results.json
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile


def list_runs(executable):
    """The runs that there are: (kernel, variant, n)."""
    listing = subprocess.run([executable, "--list"], check=True,
                             capture_output=True, text=True).stdout
    return [tuple(line.split()) for line in listing.splitlines()]


def time_kernel(executable, kernel, options):
    """Google Benchmark's JSON for one kernel."""
    with tempfile.TemporaryDirectory() as directory:
        out = os.path.join(directory, "out.json")
        subprocess.run(
            [executable, f"--benchmark_filter=^{kernel}/",
             f"--benchmark_out={out}", "--benchmark_out_format=json",
             *options],
            check=True, stdout=subprocess.DEVNULL)
        with open(out, encoding="utf-8") as file:
            return json.load(file)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("executable", help="verso_benchmarks")
    parser.add_argument("--kernels", metavar="REGEX", default=".*",
                        help="only the kernels with such names")
    parser.add_argument("--repetitions", type=int, default=9)
    parser.add_argument("--min-time", default="0.05",
                        help="seconds a repetition takes at least")
    parser.add_argument("--output", default="benchmarks.json")
    arguments = parser.parse_args()

    runs = [run for run in list_runs(arguments.executable)
            if re.fullmatch(arguments.kernels, run[0])]
    options = [f"--benchmark_repetitions={arguments.repetitions}",
               f"--benchmark_min_time={arguments.min_time}"]
    results = {"context": {}, "benchmarks": []}
    for kernel in dict.fromkeys(run[0] for run in runs):
        print(f"timing {kernel}", file=sys.stderr)
        timed = time_kernel(arguments.executable, kernel, options)
        results["context"] = timed["context"]
        results["benchmarks"] += timed["benchmarks"]
    with open(arguments.output, "w", encoding="utf-8") as file:
        json.dump(results, file, indent=1)


if __name__ == "__main__":
    main()
