#!/usr/bin/env python3
# ===- table.py - one table and one plot of the benchmark suite -------------===#
#
# Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===-----------------------------------------------------------------------===#
"""Prints gradient over primal, kernel by kernel, beside the goals.

Reads what run.py wrote. All ratios are of medians of the processor time of one
process. The goal is half of the best of today's tapes (CoDiPack 3.1 and Adept
2.1, the "tape" column) where that is above 4, and no more than it elsewhere;
the geometric mean of Verso over that tape has to be at most 0.5.

    table.py results.json [--markdown] [--plot ratios.svg]
"""

import argparse
import json
import math
from html import escape

VARIANTS = ("verso", "adolc", "hand")
MICROSECONDS = {"ns": 1e-3, "us": 1.0, "ms": 1e3, "s": 1e6}


def goal_of(reference):
    """The issue's rule, from the ratio of the best of today's tapes."""
    if not reference:
        return None
    return reference / 2 if reference > 4 else reference


class Kernel:
    """The medians of one kernel: runs[variant][n] is a benchmark's entry."""

    def __init__(self, name):
        self.name = name
        self.runs = {}
        self.instructions = {}

    def sizes(self):
        return sorted(self.runs["primal"])

    def time(self, variant, n):
        """Microseconds, or None."""
        run = self.runs.get(variant, {}).get(n)
        return run and run["cpu_time"] * MICROSECONDS[run["time_unit"]]

    def ratio(self, variant, n=None):
        n = n or self.sizes()[0]
        return divide(self.time(variant, n), self.time("primal", n))

    def reference(self):
        return self.runs["primal"][self.sizes()[0]]["reference"]

    def tape_bytes(self, variant, n):
        run = self.runs.get(variant, {}).get(n)
        return run and run["tape_bytes"]

    def tape_per_operation(self, variant):
        n = self.sizes()[0]
        return divide(self.tape_bytes(variant, n),
                      self.runs["primal"][n]["operations"])

    def growth(self, measure, variant):
        """What doubling n does to a measure."""
        sizes = self.sizes()
        if len(sizes) < 2:
            return None
        return divide(measure(variant, sizes[1]), measure(variant, sizes[0]))

    def instruction_ratio(self, variant):
        return divide(self.instructions.get(variant),
                      self.instructions.get("primal"))


def divide(a, b):
    return a / b if a is not None and b else None


def geometric_mean(values):
    values = [value for value in values if value]
    if not values:
        return None
    return math.exp(sum(map(math.log, values)) / len(values))


def read(paths):
    """The kernels in the order of their first appearance in the files."""
    kernels = {}
    for path in paths:
        with open(path, encoding="utf-8") as file:
            results = json.load(file)
        for entry in results["benchmarks"]:
            if entry.get("aggregate_name") != "median":
                continue
            name, variant, n = entry["run_name"].split("/")
            kernel = kernels.setdefault(name, Kernel(name))
            kernel.runs.setdefault(variant, {})[int(n)] = entry
        for run, count in results.get("instructions", {}).items():
            name, variant, _ = run.split("/")
            if name in kernels:
                kernels[name].instructions[variant] = count
    return [kernel for kernel in kernels.values() if "primal" in kernel.runs]


def number(value, digits=3):
    """At least `digits` significant digits, without an exponent."""
    if value is None:
        return "-"
    if value == 0:
        return "0"
    places = max(0, digits - 1 - math.floor(math.log10(abs(value))))
    return f"{value:.{min(places, 4)}f}"


def verdict(kernel):
    goal, ratio = goal_of(kernel.reference()), kernel.ratio("verso")
    if not goal or not ratio:
        return "-"
    return "met" if ratio <= goal else f"x{ratio / goal:.2f}"


COLUMNS = (
    ("kernel", lambda k: k.name),
    ("n", lambda k: str(k.sizes()[0])),
    ("primal us", lambda k: number(k.time("primal", k.sizes()[0]))),
    ("verso", lambda k: number(k.ratio("verso"))),
    ("goal", lambda k: number(goal_of(k.reference()))),
    ("", verdict),
    ("tape", lambda k: number(k.reference() or None)),
    ("ADOL-C", lambda k: number(k.ratio("adolc"))),
    ("hand", lambda k: number(k.ratio("hand"))),
    ("B/op", lambda k: number(k.tape_per_operation("verso"))),
    ("ADOL-C", lambda k: number(k.tape_per_operation("adolc"))),
    ("time", lambda k: number(k.growth(k.time, "verso"))),
    ("B", lambda k: number(k.growth(k.tape_bytes, "verso"))),
    ("verso", lambda k: number(k.instruction_ratio("verso"))),
    ("ADOL-C", lambda k: number(k.instruction_ratio("adolc"))),
    ("hand", lambda k: number(k.instruction_ratio("hand"))),
)
# (title, columns) of what stands above the columns' own titles.
GROUPS = (("", 3), ("gradient / primal: time", 6), ("tape", 2),
          ("2n / n, verso", 2), ("instructions", 3))


def summary(kernels):
    """The line of geometric means, by column."""
    means = [""] * len(COLUMNS)
    means[0] = "geometric mean"
    for column, values in ((3, [k.ratio("verso") for k in kernels]),
                           (7, [k.ratio("adolc") for k in kernels]),
                           (8, [k.ratio("hand") for k in kernels]),
                           (13, [k.instruction_ratio("verso")
                                 for k in kernels]),
                           (14, [k.instruction_ratio("adolc")
                                 for k in kernels]),
                           (15, [k.instruction_ratio("hand")
                                 for k in kernels])):
        means[column] = number(geometric_mean(values))
    return means


def against_tape(kernels):
    mean = geometric_mean([divide(k.ratio("verso"), k.reference())
                           for k in kernels if k.ratio("verso")])
    if mean is None:
        return "Verso was not measured."
    return (f"Verso over the best of today's tapes, geometric mean: "
            f"{mean:.2f} (goal: at most 0.50)")


def plain_table(kernels):
    rows = [[title for title, _ in COLUMNS]]
    rows += [[cell(kernel) for _, cell in COLUMNS] for kernel in kernels]
    rows.append(summary(kernels))
    widths = [max(len(row[i]) for row in rows) for i in range(len(COLUMNS))]
    first, groups = 0, []
    for title, count in GROUPS:
        width = sum(widths[first:first + count]) + 2 * (count - 1)
        if len(title) > width:
            widths[first] += len(title) - width
            width = len(title)
        groups.append(title.center(width))
        first += count
    lines = ["  ".join(groups).rstrip()]
    for row in rows:
        lines.append("  ".join(
            cell.ljust(width) if i == 0 else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(row, widths))).rstrip())
    rule = "-" * max(map(len, lines))
    lines[2:2] = [rule]
    lines[-1:-1] = [rule]
    return "\n".join(lines)


def markdown_table(kernels):
    prefixes = [title for title, count in GROUPS for _ in range(count)]
    titles = [f"{prefix}: {title}" if prefix else title
              for prefix, (title, _) in zip(prefixes, COLUMNS)]
    rows = [titles, ["---"] + ["--:"] * (len(titles) - 1)]
    rows += [[cell(kernel) for _, cell in COLUMNS] for kernel in kernels]
    rows.append(summary(kernels))
    return "\n".join("| " + " | ".join(row) + " |" for row in rows)


# What each series looks like: label, colour, and the shape of its mark.
SERIES = {
    "hand": ("adjoint written by hand", "#2a6f97", "square"),
    "verso": ("Verso", "#c8553d", "disc"),
    "adolc": ("ADOL-C", "#8a8f98", "diamond"),
    "tape": ("best of CoDiPack, Adept", "#b08900", "bar"),
}
LEFT, RIGHT, TOP, ROW, WIDTH = 120, 30, 92, 34, 880


def mark(shape, colour, x, y):
    if shape == "disc":
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="6.5" fill="{colour}"/>'
    if shape == "square":
        return (f'<rect x="{x - 5:.1f}" y="{y - 5:.1f}" width="10" height="10" '
                f'fill="#fff" stroke="{colour}" stroke-width="2.2"/>')
    if shape == "diamond":
        return (f'<path d="M{x:.1f} {y - 6.5:.1f}l6.5 6.5l-6.5 6.5l-6.5 -6.5z" '
                f'fill="{colour}"/>')
    return (f'<rect x="{x - 1.5:.1f}" y="{y - 9:.1f}" width="3" height="18" '
            f'fill="{colour}"/>')


class Axis:
    """A logarithmic axis that holds all the values."""

    def __init__(self, values):
        self.low = min([0.5] + [0.8 * value for value in values])
        self.high = max([100.0] + [1.25 * value for value in values])

    def at(self, value):
        share = math.log(value / self.low) / math.log(self.high / self.low)
        return LEFT + share * (WIDTH - LEFT - RIGHT)

    def ticks(self):
        decade = 10.0 ** math.floor(math.log10(self.low))
        while decade <= self.high:
            for step in (1, 2, 5):
                if self.low <= step * decade <= self.high:
                    yield step * decade
            decade *= 10


def plot_legend(series):
    x, lines = LEFT, []
    for name in series:
        label, colour, shape = SERIES[name]
        lines.append(mark(shape, colour, x + 6, 62))
        lines.append(f'<text x="{x + 19}" y="66.5">{escape(label)}</text>')
        x += 46 + 7 * len(label)
    return lines


def plot_axis(axis, bottom):
    lines = []
    for tick in axis.ticks():
        x = axis.at(tick)
        colour = "#8d99ae" if tick == 1 else "#e3e7ee"
        lines.append(f'<path d="M{x:.1f} {TOP}V{bottom}" stroke="{colour}"/>')
        lines.append(f'<text x="{x:.1f}" y="{bottom + 20}" fill="#5c6470" '
                     f'text-anchor="middle">{tick:g}</text>')
    lines.append(f'<text x="{(LEFT + WIDTH - RIGHT) / 2}" y="{bottom + 44}" '
                 f'fill="#5c6470" text-anchor="middle">time of the gradient / '
                 f'time of the function, logarithmic</text>')
    return lines


def plot(kernels):
    """The SVG: a row a kernel, a mark a variant."""
    points = {k.name: {name: k.ratio(name) for name in VARIANTS
                       if k.ratio(name)} for k in kernels}
    for kernel in kernels:
        if kernel.reference():
            points[kernel.name]["tape"] = kernel.reference()
    axis = Axis([v for row in points.values() for v in row.values()])
    bottom = TOP + ROW * len(kernels)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" '
        f'height="{bottom + 60}" viewBox="0 0 {WIDTH} {bottom + 60}" '
        f'font-family="Helvetica, Arial, sans-serif" font-size="13" '
        f'fill="#22262d">',
        '<rect width="100%" height="100%" fill="#fff"/>',
        f'<text x="{LEFT}" y="34" font-size="18" font-weight="bold">'
        'The cost of a gradient</text>',
    ]
    present = [name for name in SERIES
               if any(name in row for row in points.values())]
    lines += plot_legend(present) + plot_axis(axis, bottom)
    for i, kernel in enumerate(kernels):
        y = TOP + ROW * (i + 0.5)
        row = points[kernel.name]
        if row:
            lines.append(
                f'<path d="M{axis.at(min(row.values())):.1f} {y:.1f}'
                f'H{axis.at(max(row.values())):.1f}" stroke="#cdd3dd" '
                f'stroke-width="1.5"/>')
        lines.append(f'<text x="{LEFT - 14}" y="{y + 4.5:.1f}" '
                     f'text-anchor="end">{escape(kernel.name)}</text>')
        for name in ("tape", "adolc", "hand", "verso"):
            if name in row:
                _, colour, shape = SERIES[name]
                lines.append(mark(shape, colour, axis.at(row[name]), y))
    return "\n".join(lines + ["</svg>", ""])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("results", nargs="+", help="files of run.py")
    parser.add_argument("--markdown", action="store_true")
    parser.add_argument("--plot", metavar="FILE", help="write an SVG plot")
    arguments = parser.parse_args()
    kernels = read(arguments.results)
    print((markdown_table if arguments.markdown else plain_table)(kernels))
    print()
    print(against_tape(kernels))
    if arguments.plot:
        with open(arguments.plot, "w", encoding="utf-8") as file:
            file.write(plot(kernels))


if __name__ == "__main__":
    main()
