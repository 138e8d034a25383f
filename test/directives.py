#===- directives.py - what a program of exec/ says about itself ----------===//
#
# Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
#
# Levels, and the directives that verso_program.py describes; without lit, for
# scripts that run by themselves.
#
#===------------------------------------------------------------------------===//

import re
import shlex

# Debug information must change nothing, so one level carries it.
LEVELS = {
    "O0": ["-O0"],
    "O1": ["-O1", "-g"],
    "O2g": ["-O2", "-g"],
    "O3": ["-O3"],
    "Os": ["-Os"],
    "Oz": ["-Oz"],
    "O0g": ["-O0", "-g"],
}
DIRECTIVE = re.compile(
    r"^\s*(?://|\*)\s*"
    r"(FLAGS|LIBS|LEVELS|STRATEGY|REQUIRES|UNCHECKED|HEAVY|PROCESSES):(.*)$")


def read_directives(path):
    """The directives of a program, each a list of words."""
    found = {"FLAGS": [], "LIBS": [], "LEVELS": [], "STRATEGY": [],
             "REQUIRES": [], "UNCHECKED": [], "HEAVY": [],
             "PROCESSES": []}
    with open(path, encoding="utf-8") as file:
        for line in file:
            match = DIRECTIVE.match(line)
            if match:
                words = match.group(2)
                found[match.group(1)] += (
                    [words.strip()] if match.group(1) in ("UNCHECKED", "HEAVY")
                    else shlex.split(words))
    return found
