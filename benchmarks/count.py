#!/usr/bin/env python3
# ===- count.py - counts the instructions of the benchmarks -----------------===#
#
# Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===-----------------------------------------------------------------------===#
"""Adds what callgrind counts to the file of results that run.py wrote.

Every variant of every kernel of that file but the restrict twins, at its
smaller size and with a warm tape. The file is written after each count, and what
it holds already is not counted again (--again does), so the command can be
stopped and taken up. A run that fails or takes too long is reported, left out,
and makes the exit status 1.

    count.py build/verso_benchmarks_counted results.json
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile


def smallest_runs(executable):
    """(kernel, variant, n) with the smallest n of each kernel and variant. The
    twins with restrict are compared by time only."""
    listing = subprocess.run([executable, "--list"], check=True,
                             capture_output=True, text=True).stdout
    smallest = {}
    for line in listing.splitlines():
        kernel, variant, n = line.split()
        if not variant.endswith("_restrict"):
            smallest.setdefault((kernel, variant), n)
    return [(*run, n) for run, n in smallest.items()]


def count_instructions(executable, run, timeout):
    """The instructions of one run with a warm tape, by callgrind; or why there
    is no count."""
    with tempfile.TemporaryDirectory() as directory:
        out = os.path.join(directory, "callgrind.out")
        try:
            result = subprocess.run(
                ["valgrind", "--tool=callgrind",
                 f"--callgrind-out-file={out}", "--collect-atstart=no",
                 "--toggle-collect=verso_bench_counted",
                 executable, "--instructions", *run],
                capture_output=True, text=True, timeout=timeout)
        except subprocess.TimeoutExpired:
            return f"more than {timeout} seconds"
        if result.returncode != 0:
            return "\n".join(line for line in result.stderr.splitlines()
                             if not line.startswith("=="))
        with open(out, encoding="utf-8") as file:
            totals = re.search(r"^totals: (\d+)", file.read(), re.MULTILINE)
        return int(totals.group(1)) if totals else "no totals"


def write(results, path):
    """At once or not at all."""
    with open(path + ".new", "w", encoding="utf-8") as file:
        json.dump(results, file, indent=1)
    os.replace(path + ".new", path)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("executable", help="verso_benchmarks_counted")
    parser.add_argument("results", help="the file of run.py")
    parser.add_argument("--kernels", metavar="REGEX", default=".*",
                        help="only the kernels with such names")
    parser.add_argument("--again", action="store_true",
                        help="count what was counted already")
    parser.add_argument("--timeout", type=float, default=600,
                        help="seconds for one run")
    arguments = parser.parse_args()

    with open(arguments.results, encoding="utf-8") as file:
        results = json.load(file)
    counts = results.setdefault("instructions", {})
    timed = {entry["run_name"].split("/")[0]
             for entry in results["benchmarks"]}
    failures = 0
    for run in smallest_runs(arguments.executable):
        name = "/".join(run)
        if run[0] not in timed or not re.fullmatch(arguments.kernels, run[0]):
            continue
        if name in counts and not arguments.again:
            continue
        count = count_instructions(arguments.executable, run,
                                   arguments.timeout)
        if isinstance(count, int):
            counts[name] = count
            write(results, arguments.results)
        else:
            failures += 1
        print(f"{name}: {count}", file=sys.stderr, flush=True)
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
