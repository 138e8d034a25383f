#===- verso_program.py - lit format of the end-to-end programs ------------===//
#
# Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
#
# A test is a program, nothing else: its first comment says what it proves, its
# exit code is the verdict. The format compiles it with the plugin at several
# levels, which makes one lit test a level, links the static runtime and runs it.
# O1 is with -verso-strategy=auto; O3-taped has the tape do what the structured
# strategy would have taken; in O2g-checked every request is judged by the
# dot-product test as well, with lines as all that debuggers are told. A request that works prints nothing, so any output of
# the compiler, and any output of a program that succeeds, is a failure too.
#
# Which of these are run: one row of IN_TURN, by the program's name, of a heavy
# program one of HEAVY_IN_TURN; where the program names its levels, all
# DEFAULT_RUNS of these; with --param matrix=full FULL_RUNS, else what
# --param levels and strategies say.
#
# A program may say, each on a line of a comment of its own:
#   FLAGS: <options>     more options for the compiler
#   LIBS: <options>      more options for the linker, after the program
#   LEVELS: <level>...   other levels than all
#   STRATEGY: <strategy> another one than auto
#   REQUIRES: <feature>  a feature of lit.cfg.py, else the test is unsupported
#   UNCHECKED: <reason>  why -verso-check has nothing to say of this program
#   PROCESSES: <number>... a program of MPI, run by as many processes, in turn
#   HEAVY: <reason>      why it takes clang long, so that it is run once or twice
#
#===------------------------------------------------------------------------===//

import os
import shlex
import zlib

import lit.Test
import lit.formats.base
import lit.util

import mpi
from directives import LEVELS, read_directives

DEFAULT_LEVELS = ["O0", "O1", "O2g", "O3"]
STRATEGIES = ["auto", "taped", "structured"]
# Levels that are also run taped where no strategies are asked for.
TAPED_LEVELS = ["O0", "O3"]
# The check runs the tape and forward mode beside what `auto` takes. Where the
# other run is of vectorised code, it is of code that is not.
CHECKED = "O2g-checked"
QUICKLY_CHECKED = "O1-checked"
IN_TURN = [[CHECKED, "O0"], [CHECKED, "O1"], [QUICKLY_CHECKED, "O3"],
           [CHECKED, "O0-taped"], [QUICKLY_CHECKED, "O3-taped"]]
HEAVY_IN_TURN = [[CHECKED, "O0"], [CHECKED], [QUICKLY_CHECKED, "O0-taped"]]
# What is judged by -verso-check goes without LLVM's longest passes over machine
# code, which the other levels have, and so does what would be judged if it could
# be: that is up to a third of the compile time. (With LLVM's fast instruction
# selection and register allocation, which are for -O0, three programs fail.)
QUICK_CODE = ["-disable-lsr", "-regalloc=basic"]
DEFAULT_RUNS = [CHECKED, "O0", "O1", "O3", "O0-taped", "O3-taped"]
FULL_RUNS = DEFAULT_RUNS + [QUICKLY_CHECKED, "O2g"]


class VersoProgram(lit.formats.base.FileBasedTest):
    """One lit test for each program and level, which ends the test's path."""

    def __init__(self, toolchain, levels, strategies, matrix):
        self.toolchain = toolchain
        self.levels = levels
        self.strategies = strategies
        self.matrix = matrix

    def getTestsForPath(self, suite, path_in_suite, lit_config, config):
        for test in super().getTestsForPath(suite, path_in_suite, lit_config,
                                            config):
            directives = read_directives(test.getSourcePath())
            for run in self.runs(path_in_suite[-1], directives):
                test = lit.Test.Test(suite, path_in_suite + (run,), config)
                # What takes long comes first, also where no times are known.
                if directives["HEAVY"] and not test.previous_elapsed:
                    test.previous_elapsed = 1000
                yield test

    def runs(self, program, directives):
        """The names of the tests that a program is: a level each, and what is
        not as by default there."""
        own = directives["LEVELS"]
        if self.matrix == "full":
            runs = FULL_RUNS
        elif self.levels or self.strategies or self.toolchain.checked:
            return self.chosen_runs(own)
        elif own and not directives["HEAVY"]:
            runs = DEFAULT_RUNS
        else:
            turns = HEAVY_IN_TURN if directives["HEAVY"] else IN_TURN
            runs = turns[zlib.crc32(program.encode()) % len(turns)]
        if own and "O1" not in own:
            runs = [CHECKED if run == QUICKLY_CHECKED else run for run in runs]
        if self.toolchain.sanitize:
            runs = [run.replace("-checked", "") for run in runs]
        if directives["UNCHECKED"]:
            runs = [run.replace("-checked", "-quick") for run in runs]
        if own:
            runs = [run for run in runs if run.split("-")[0] in own]
            runs += [level for level in own if level not in DEFAULT_LEVELS]
        return list(dict.fromkeys(runs))

    def chosen_runs(self, own):
        """All combinations of the levels and strategies that are asked for."""
        levels = self.levels or own or DEFAULT_LEVELS
        if own:
            levels = [level for level in levels if level in own] or own[:1]
        runs = []
        for strategy in self.strategies or ["auto", "taped"]:
            for level in levels:
                if strategy == "auto":
                    runs.append(level)
                elif len(self.strategies) == 1 or level in TAPED_LEVELS:
                    runs.append(level + "-" + strategy)
        return runs

    def execute(self, test, lit_config):
        if test.config.unsupported:
            return lit.Test.UNSUPPORTED, "this directory is unsupported"
        source, name = os.path.split(test.getSourcePath())
        level, _, how = name.partition("-")
        directives = read_directives(source)
        processes = directives["PROCESSES"]
        missing = [
            feature
            for feature in directives["REQUIRES"] + (["mpi"] if processes else [])
            if feature not in test.config.available_features
        ]
        if missing:
            return lit.Test.UNSUPPORTED, "requires " + ", ".join(missing)
        if self.toolchain.checked and directives["UNCHECKED"]:
            return (lit.Test.UNSUPPORTED,
                    "not checked: " + directives["UNCHECKED"][0])
        if lit_config.noExecute:
            return lit.Test.PASS, ""

        program = test.getExecPath() + ".exe"
        os.makedirs(os.path.dirname(program), exist_ok=True)
        compile_command = self.toolchain.compile_command(
            source, program,
            LEVELS[level]
            + (["-gline-tables-only"] if how in ("checked", "quick") else [])
            + directives["FLAGS"]
            + self.toolchain.plugin_options(
                how if how in STRATEGIES
                else "".join(directives["STRATEGY"]) or "auto", how),
            directives["LIBS"], processes)
        for command in ([compile_command]
                        + self.toolchain.run_commands(program, processes)):
            report = self.run(command, test, lit_config)
            if report:
                return lit.Test.FAIL, report
        return lit.Test.PASS, ""

    @staticmethod
    def run(command, test, lit_config):
        """Runs a command that must succeed in silence; else says how not."""
        line = " ".join(shlex.quote(word) for word in command)
        # coreutils' timeout: lit's own needs a Python module to be installed.
        limit = str(lit_config.maxIndividualTestTime or 300)
        out, err, code = lit.util.executeCommand(
            ["timeout", "--kill-after=5", limit] + command,
            env=test.config.environment)
        if code == 124:
            return "%s\ntimed out after %s s\n%s%s" % (line, limit, out, err)
        if code:
            return "%s\nexit code %d\n%s%s" % (line, code, out, err)
        # At a pole, -verso-check says where there is nothing to compare.
        err = "".join(line for line in err.splitlines(keepends=True)
                      if "-verso-check: nothing to compare: " not in line)
        if out or err:
            return "%s\nsucceeded, but printed\n%s%s" % (line, out, err)
        return ""


def plugin_flags(config):
    """The flags of clang for the plugin. Before LLVM 22 clang reads -mllvm
    options before it loads pass plugins, but after other plugins."""
    flags = ["-fpass-plugin=" + config.verso_plugin]
    if int(config.verso_llvm_version) < 22:
        flags.insert(0, "-fplugin=" + config.verso_plugin)
    return flags


class Toolchain:
    """How programs are compiled and run; `mode` "syntax" only parses them;
    `checked`: by -verso-check."""

    def __init__(self, config, mode, sanitize, checked):
        self.checked = checked
        self.tools = config.verso_llvm_tools
        self.include = [
            "-I" + os.path.join(config.verso_source, "include"),
            "-I" + os.path.join(config.verso_source, "test", "exec"),
        ]
        self.plugin_flags = plugin_flags(config)
        # A third of the time of ld; test/driver links as clang does by default.
        linker = os.path.join(self.tools, "ld.lld")
        self.link_flags = (["--ld-path=" + linker] if os.path.exists(linker)
                           else [])
        self.runtime = config.verso_runtime
        self.syntax_only = mode == "syntax"
        self.mpi = mpi.find()
        self.sanitize = ["-fsanitize=" + sanitize] if sanitize else []

    def compiler(self, source):
        """The compiler of a source file, with the language's standard."""
        if source.endswith(".c"):
            return [os.path.join(self.tools, "clang"), "-std=gnu17"]
        return [os.path.join(self.tools, "clang++"), "-std=c++20"]

    def compile_command(self, source, program, flags, libs, processes=()):
        if processes:
            flags = flags + self.mpi["flags"]
            libs = libs + self.mpi["libs"]
        if self.syntax_only:
            return (self.compiler(source) + flags + self.include
                    + ["-fsyntax-only", "-Wall", "-Wextra",
                       "-Wno-unused-parameter", source])
        return (self.compiler(source) + flags + self.include + self.sanitize
                + self.plugin_flags + self.link_flags
                + [source, "-o", program, self.runtime] + libs + ["-lm", "-lpthread", "-ldl"])

    def plugin_options(self, strategy, how):
        if self.syntax_only:
            return []
        options = ["-verso-strategy=" + strategy]
        if how == "checked":
            options.append("-verso-check")
        if how in ("checked", "quick"):
            options += QUICK_CODE
        return [word for option in options for word in ("-mllvm", option)]

    def run_commands(self, program, processes):
        if self.syntax_only:
            return []
        if not processes:
            return [[program]]
        return [self.mpi["run"] + ["-n", number, program]
                for number in processes]
