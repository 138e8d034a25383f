# ===- judge.py - the verdict on one generated program ----------------------===//
#
# Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------===//
#
# A program is compiled with each strategy at each level, with LLVM's verifier,
# and run. Its code is generated at -O0, in a second step: that took more than half
# of the time, and is nothing that Verso has a part in. Verdicts, the worst first:
#
#   UNDEFINED  (only when asked) a sanitizer objects to the program without Verso
#   COMPILE    the compiler failed, or crashed, or said anything
#   CRASH      the program ended by a signal, or too late
#   PRIMAL, REPEAT, DOT, LINEAR, SECOND, DIFFER   what oracle.h says
#   LEVELS     gradients differ between two configurations
#   REFUSED    Verso ended the program with an error of its own (status 86)
#   UNSEEDED   the same, but all is well with outputs that have no seeds
#   OK         "OK structured" where a gradient was one of reversed control flow
#
# ===----------------------------------------------------------------------===//

import hashlib
import os
import shutil
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))
ORACLES = ("PRIMAL", "REPEAT", "DOT", "LINEAR", "SECOND", "DIFFER")
REFUSED = 86
# A third of the time of ld.
LLD = shutil.which("ld.lld-22") or shutil.which("ld.lld")
LINKER = ["--ld-path=" + LLD] if LLD else []
# Gradients of two configurations agree to this part of the largest entry:
# levels differ in the order of sums only, and MIXED programs round to float.
TOLERANCE, TOLERANCE_MIXED = 1e-11, 1e-4


class Toolchain:
    def __init__(self, plugin, runtime, compiler="clang-22", verify_each=True):
        self.plugin, self.runtime, self.compiler = plugin, runtime, compiler
        self.verify = ["-Xclang", "-llvm-verify-each"] if verify_each else ["-fverify-intermediate-code"]

    def base(self, source):
        # Absolute, since oracle.h includes the program by __BASE_FILE__.
        return [self.compiler, "-std=gnu17", "-w", "-ffp-contract=off", "-I" + HERE, os.path.abspath(source)]

    def compile(self, source, binary, level, strategy, more=()):
        environment = dict(os.environ, VERSO_OPTIONS=f"-verso-strategy={strategy}")
        return build(self.base(source) + [*more, "-O" + level, *self.verify, "-Rpass=verso", "-fno-caret-diagnostics",
                                          "-fpass-plugin=" + self.plugin], self.runtime, binary, 600, environment)

    def compile_plain(self, source, binary, sanitize):
        return run(self.base(source) + [
            "-DPLAIN", "-g", "-O1", "-fsanitize=" + sanitize, "-fno-sanitize-recover=all", "-lm", "-o", binary], 120)


def run(command, seconds, environment=None):
    limited = ["timeout", "-s", "KILL", str(seconds)] + command
    return subprocess.run(limited, capture_output=True, text=True, errors="replace",
                          env=environment, check=False)


def build(command, runtime, binary, seconds, environment=None, libraries=()):
    """Optimises by `command`, then generates code and links."""
    module = binary + ".bc"
    built = run(command + ["-emit-llvm", "-c", "-o", module], seconds, environment)
    if built.returncode == 0:
        linked = run([command[0], "-w", "-O0", *LINKER, module, runtime, *libraries, "-lm", "-lpthread", "-ldl",
                      "-o", binary], seconds)
        built.returncode, built.stderr = linked.returncode, built.stderr + linked.stderr
        os.remove(module)
    return built


def tail(text, lines=1):
    return " | ".join(text.strip().splitlines()[:lines])[:200]


def undefined(source, work, toolchain):
    """What sanitizers say about the program without Verso, or None."""
    binary = os.path.join(work, "plain")
    for sanitize in ("address,undefined", "memory"):
        built = toolchain.compile_plain(source, binary, sanitize)
        if built.returncode:
            return "UNDEFINED does not compile: " + tail(built.stderr)
        out = run([binary], 20)
        if out.returncode:
            return f"UNDEFINED {sanitize}: status {out.returncode} {tail(out.stderr, 2)}"
    return None


def errors_of(compiler_output):
    lines = [l for l in compiler_output.splitlines() if "error" in l or "Assertion" in l or "Verif" in l]
    return lines[0][-250:] if lines else tail(compiler_output)


def observe(source, binary, level, strategy, toolchain, seen):
    """Two pairs (verdict or None, gradient) of one configuration: seeded and
    unseeded. A binary that was run before is not run again: `seen`."""
    # Forward mode and linear maps were judged where structured code was.
    again = strategy == "taped" and level in seen["structured"]
    built = toolchain.compile(source, binary, level, strategy, ["-DONLY_GRADIENT"] if again else [])
    said = [l for l in built.stderr.splitlines() if "remark: " not in l and not l.startswith("In file included")]
    if built.returncode or said:
        return [("COMPILE " + errors_of("\n".join(said)), [])] * 2
    if "by reversed control flow" in built.stderr:
        seen["structured"].add(level)
    with open(binary, "rb") as f:
        digest = hashlib.sha256(f.read()).hexdigest()
    if digest not in seen:
        seen[digest] = [read_run(run([binary, "print"] + more, 20)) for more in ([], ["unseeded"])]
    os.remove(binary)
    return seen[digest]


def read_run(out):
    if out.returncode == REFUSED:
        return "REFUSED " + tail(out.stderr), []
    if out.returncode not in (0, 1) or out.stderr:
        return f"CRASH status {out.returncode} {tail(out.stderr)}", []
    lines = out.stdout.splitlines()
    gradient = [float(l.split()[1]) for l in lines if l.startswith("G ")]
    for oracle in ORACLES:
        wrong = [l for l in lines if l.startswith(oracle)]
        if wrong:
            return f"{wrong[0]} ({len(wrong)})", gradient
    if out.returncode or not gradient:
        return "CRASH without a verdict", gradient
    return None, gradient


def compare(results, mixed):
    """Whether gradients (configuration -> gradient) agree, or what does not."""
    tolerance = TOLERANCE_MIXED if mixed else TOLERANCE
    (name, first), *others = results.items()
    scale = 1 + max(map(abs, first))
    for other, g in others:
        for k, (u, v) in enumerate(zip(first, g)):
            if not abs(u - v) <= tolerance * scale:
                return f"LEVELS {name} and {other}, number {k}: {u!r} and {v!r}"
    return None


def judge(source, work, toolchain, levels, strategies):
    """The verdict, a word first, and in which configuration."""
    with open(source, encoding="utf-8") as f:
        mixed = "#define MIXED" in f.read()
    binary = os.path.join(work, "program")
    tried = set()
    results, seen, verdict = ({}, {}), {"structured": set()}, "OK"
    for strategy in sorted(strategies):
        for level in levels:
            # Then "auto" was the tape, too.
            if strategy == "taped" and f"auto-O{level}" in tried and level not in seen["structured"]:
                continue
            tried.add(f"{strategy}-O{level}")
            name = f"{strategy}-O{level}"
            runs = observe(source, binary, level, strategy, toolchain, seen)
            for (found, gradient), gradients in zip(runs, results):
                word, _, rest = (found or "").partition(" ")
                if word == "REFUSED":
                    refused = "UNSEEDED" if gradients is results[0] else "REFUSED"
                    if verdict == "OK" or refused == "REFUSED":
                        verdict = f"{refused} {name} {rest}"
                elif found:
                    return f"{word} {name} {rest}"
                else:
                    gradients[name] = gradient
    for gradients in results:
        disagreement = compare(gradients, mixed) if gradients else None
        if disagreement:
            return disagreement
    return "OK structured" if verdict == "OK" and seen["structured"] else verdict
