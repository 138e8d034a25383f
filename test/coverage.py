#!/usr/bin/env python3
#===- coverage.py - which gradients of exec/ run structured ---------------===//
#
# Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Compiles every program of exec/ under -verso-strategy=auto and reads the
remarks: how many requests are structured, and why the others are taped.

    coverage.py build/lib/libVerso.so [--only control/ ...] [--level O2g]

A program counts as structured if no request of it is refused. Linear maps, and
requests of functions with VERSO_STRATEGY(taped), are tapes because somebody
asked for one: they are counted, but not among the others. Programs that watch
memory or have the tape in their name have a table of their own. Requests that
structured code could do, but not as fast as a tape, are taped by choice: they
do not count as structured, and are named in the totals.
"""

import argparse
import collections
import concurrent.futures
import os
import re
import subprocess
import sys

import determinism
import directives
import mpi

REMARK = re.compile(
    r"remark: gradient of '.*?' (?:(by reversed control flow)|(by tape)|"
    r"is not structured: (.*?)) \[-Rpass")
WHERE = re.compile(r" at ([^ ]*:\d+:\d+(?:, called at [^ ]*:\d+:\d+)?)$")
BY_CHOICE = re.compile(r"which a tape does faster$")
ABOUT_TAPE = re.compile(r"\bverso_watch\(")


class Program:
    def __init__(self, name, source, remarks):
        with open(source, encoding="utf-8") as file:
            text = file.read()
        self.name = name
        self.is_about_tape = bool(
            ABOUT_TAPE.search(text)
            or "tape" in re.split(r"\W", os.path.basename(name)))
        self.structured = self.taped = self.asked = 0
        self.reasons = []
        for structured, taped, why in REMARK.findall(remarks):
            self.structured += bool(structured)
            self.taped += bool(taped)
            if why:
                where = WHERE.search(why)
                self.reasons.append((WHERE.sub("", why),
                                     where.group(1) if where else ""))
        self.asked = self.taped - len(self.reasons)
        self.taped = len(self.reasons)

    def requests(self):
        return self.structured + self.taped


def remarks_of(options, source):
    """What the compiler says, or None if it fails."""
    language = (["clang", "-std=gnu17"] if source.endswith(".c")
                else ["clang++", "-std=c++20"])
    said = directives.read_directives(source)
    flags = (mpi.find() or {"flags": []})["flags"] if said["PROCESSES"] else []
    command = [os.path.join(options.tools, language[0]), language[1],
               *directives.LEVELS[options.level], *said["FLAGS"], *flags,
               "-I" + os.path.join(determinism.TESTS, "..", "include"),
               "-I" + os.path.join(determinism.TESTS, "exec"),
               "-fpass-plugin=" + options.plugin, "-w", "-Rpass=verso",
               "-Rpass-missed=verso", "-fno-caret-diagnostics", "-emit-llvm",
               "-c", source, "-o", os.devnull]
    environment = dict(os.environ, VERSO_OPTIONS="-verso-strategy=auto")
    try:
        done = subprocess.run(command, env=environment, timeout=options.limit,
                              stderr=subprocess.PIPE, encoding="utf-8",
                              errors="replace")
    except subprocess.TimeoutExpired:
        return None
    return None if done.returncode else done.stderr


def without_names(why):
    return re.sub(r"'[^']*'", "'...'", why)


def print_program(p):
    if p.taped:
        why, where = p.reasons[0]
        print("%-44s %3d of %3d taped: %s%s"
              % (p.name, p.taped, p.requests(), why,
                 " at " + os.path.basename(where) if where else ""),
              flush=True)


def print_reasons(programs):
    """A program counts for each reason that it has, a request for its own."""
    of = collections.defaultdict(collections.Counter)
    for p in programs:
        for why, _ in p.reasons:
            of[without_names(why)][p.name] += 1
    print("\nprograms, requests, reason\n")
    for why, names in sorted(of.items(), key=lambda e: (-len(e[1]), e[0])):
        print("%3d %4d  %s" % (len(names), sum(names.values()), why))


def print_totals(title, programs):
    structured = sum(not p.taped for p in programs)
    requests = sum(p.requests() for p in programs)
    print("%s: %d of %d programs (%.1f %%), %d of %d requests (%.1f %%)"
          % (title, structured, len(programs),
             100 * structured / max(1, len(programs)),
             sum(p.structured for p in programs), requests,
             100 * sum(p.structured for p in programs) / max(1, requests)))


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("plugin")
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--level", default="O2g", choices=directives.LEVELS)
    parser.add_argument("--tools", default="/usr/lib/llvm-22/bin")
    parser.add_argument("--limit", type=int, default=600)
    options = parser.parse_args()
    options.plugin = os.path.abspath(options.plugin)
    sources = list(determinism.programs(options.only))
    programs = []
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        said = pool.map(lambda source: remarks_of(options, source[1]), sources)
    for (name, path), remarks in zip(sources, said):
        if remarks is None:
            print("does not compile: " + name, flush=True)
            continue
        program = Program(name, path, remarks)
        if program.requests():
            programs.append(program)
            if not program.is_about_tape:
                print_program(program)
    ordinary = [p for p in programs if not p.is_about_tape]
    apart = [p for p in programs if p.is_about_tape]
    print_reasons(ordinary)
    print("\nprograms about the tape\n")
    for program in apart:
        print_program(program)
    print_reasons(apart)
    print()
    print_totals("structured", ordinary)
    print_totals("about the tape", apart)
    print_totals("all", programs)
    print("tapes that were asked for: %d" % sum(p.asked for p in programs))
    print("taped by choice alone: %d programs"
          % sum(bool(p.taped) and all(BY_CHOICE.search(why)
                                      for why, _ in p.reasons)
                for p in ordinary))
    sys.exit(not programs)


if __name__ == "__main__":
    main()
