#!/usr/bin/env python3
# ===- table.py - one table and one plot of the benchmark suite -------------===#
#
# Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===-----------------------------------------------------------------------===#
"""Prints what gradients cost, kernel by kernel.

Reads what run.py and count.py wrote. All ratios of times are of medians of the
processor time of one process. "Verso" is the strategy that the plugin chooses,
"taped" the tape where it was measured apart. Columns without numbers are left
out. JVP is forward mode in one direction. Below the table: the geometric means
that goals are set for, and the kernels that miss theirs. The goal beside other tapes is half of the best of
them (CoDiPack 3.1 and Adept 2.1) where that is above 4, and no more than it
elsewhere; the one beside adjoint code is at most 15 % more than the best known.

    table.py results.json [--markdown] [--plot ratios.svg] [--readme README.md]
"""

import argparse
import itertools
import json
import math
from html import escape

LABELS = {"hand": "hand", "verso": "Verso", "taped": "taped",
          "adolc": "ADOL-C"}
WIDTHS = (4, 8, 16, 26)
MICROSECONDS = {"ns": 1e-3, "us": 1.0, "ms": 1e3, "s": 1e6}


def goal_beside_tapes(kernel):
    best = kernel.known("best_tape")
    return best and (best / 2 if best > 4 else best)


def goal_beside_adjoints(kernel):
    best = kernel.known("best_adjoint")
    return best and 1.15 * best


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

    def over(self, variant, other):
        """Time over time of two variants at the smaller size."""
        n = self.sizes()[0]
        return divide(self.time(variant, n), self.time(other, n))

    def known(self, what):
        """A number of Kernels.def, or None."""
        return self.runs["primal"][self.sizes()[0]].get(what) or None

    def tape_bytes(self, variant, n):
        run = self.runs.get(variant, {}).get(n)
        return run and run["tape_bytes"]

    def memory_over_hand(self):
        """Verso's tape, with adjoints of local arrays, over that by hand."""
        n = self.sizes()[0]
        hand = self.runs.get("hand", {}).get(n, {}).get("memory_bytes")
        return divide(self.tape_bytes("verso", n), hand)

    def tape_kilobytes(self, variant):
        size = self.tape_bytes(variant, self.sizes()[0])
        return size / 1e3 if size is not None else None

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

    def width_ratio(self, width):
        """So many directions at once over as many runs of one."""
        return divide(self.over(f"jvp{width}", "jvp"), width)

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


class Column:
    """A title below a group's title, and the number of each kernel."""

    def __init__(self, group, title, value, mean=False, show=number):
        self.group, self.title = group, title
        self.value, self.mean, self.show = value, mean, show

    def cell(self, kernel):
        return self.show(self.value(kernel))

    def summary(self, kernels):
        return number(geometric_mean(map(self.value, kernels))) \
            if self.mean else ""


def by_variant(group, variants, method, mean):
    return [Column(group, LABELS[v], lambda k, v=v: method(k, v), mean)
            for v in variants]


def columns(kernels):
    """Those that have a number for some kernel."""
    present = {variant for k in kernels for variant in k.runs}
    variants = [v for v in LABELS if v in present]
    table = [
        Column("", "n", lambda k: k.sizes()[0], show=str),
        Column("", "primal us", lambda k: k.time("primal", k.sizes()[0])),
        *by_variant("gradient / primal", variants, Kernel.ratio, True),
        Column("Verso /", "hand", lambda k: k.over("verso", "hand"), True),
        Column("known", "adjoint", lambda k: k.known("best_adjoint")),
        Column("known", "tape", lambda k: k.known("best_tape")),
        Column("plain / restrict", "primal",
               lambda k: k.over("primal", "primal_restrict"), True),
        Column("plain / restrict", "Verso",
               lambda k: k.over("verso", "verso_restrict"), True),
        *by_variant("kB of tape", variants, Kernel.tape_kilobytes, False),
        Column("kB of tape and work arrays", "hand", lambda k: (
            k.runs["hand"][k.sizes()[0]].get("memory_bytes") or 0) / 1e3),
        Column("B/op", "Verso", lambda k: k.tape_per_operation("verso")),
        Column("2n / n, Verso", "time", lambda k: k.growth(k.time, "verso")),
        Column("2n / n, Verso", "B",
               lambda k: k.growth(k.tape_bytes, "verso")),
        *by_variant("instructions / primal", variants,
                    Kernel.instruction_ratio, True),
        Column("JVP / primal", "hand", lambda k: k.ratio("jvp_hand"), True),
        Column("JVP / primal", "time", lambda k: k.ratio("jvp"), True),
        Column("JVP / primal", "instructions",
               lambda k: k.instruction_ratio("jvp"), True),
        *(Column("k JVPs at once / k apart", str(width),
                 lambda k, width=width: k.width_ratio(width))
          for width in WIDTHS),
    ]
    return [column for column in table
            if any(column.value(k) is not None for k in kernels)]


def missed(kernels, goal):
    return [f"{k.name} ({number(k.ratio('verso'))} for {number(goal(k))})"
            for k in kernels
            if goal(k) and k.ratio("verso") and k.ratio("verso") > goal(k)]


def judged(title, most, ratios, misses):
    """A geometric mean with its goal and the kernels that miss theirs."""
    mean = geometric_mean(ratios)
    if mean is None:
        return f"{title}: not measured."
    text = f"{title}, geometric mean: {mean:.2f} (goal: at most {most:.2f})."
    return text + (f" Missed by {', '.join(misses)}." if misses else "")


def by_hand(kernel):
    ratio = kernel.ratio("jvp_hand")
    return f"; by hand {number(ratio)}" if ratio else ""


def judgement(kernels):
    tapes = [divide(k.ratio("verso"), k.known("best_tape")) for k in kernels]
    hands = [k.over("verso", "hand") for k in kernels]
    restricts = [k.over("verso", "verso_restrict") for k in kernels]
    slow = [f"{k.name} ({number(k.over('verso', 'verso_restrict'))})"
            for k in kernels
            if (k.over("verso", "verso_restrict") or 0) > 1.1]
    large = [f"{k.name} ({number(k.memory_over_hand())})" for k in kernels
             if (k.memory_over_hand() or 0) > 1.25]
    tangents = [k.ratio("jvp") for k in kernels]
    return "\n\n".join((
        judged("JVP over primal", 2.5, tangents,
               [f"{k.name} ({number(k.ratio('jvp'))}{by_hand(k)})"
                for k in kernels if (k.ratio("jvp") or 0) > 2.5]),
        judged("Verso over the best of today's tapes", 0.5, tapes,
               missed(kernels, goal_beside_tapes)),
        judged("Verso over adjoints written by hand", 1.0, hands,
               missed(kernels, goal_beside_adjoints)),
        judged("Verso's memory over that of adjoints by hand, where these "
               "take any, work arrays included", 1.25,
               [k.memory_over_hand() for k in kernels], large),
        judged("Verso without restrict over Verso with it, each kernel", 1.1,
               restricts, slow)))


def grid(kernels):
    """Rows of cells: the titles first, the means last."""
    table = columns(kernels)
    rows = [["kernel"] + [column.title for column in table]]
    rows += [[k.name] + [column.cell(k) for column in table] for k in kernels]
    rows.append(["geometric mean"] +
                [column.summary(kernels) for column in table])
    return rows, [("", 1)] + [
        (group, len(list(members))) for group, members in
        itertools.groupby(table, key=lambda column: column.group)]


def plain_table(kernels):
    rows, groups = grid(kernels)
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    first, titles = 0, []
    for title, count in groups:
        width = sum(widths[first:first + count]) + 2 * (count - 1)
        if len(title) > width:
            widths[first] += len(title) - width
            width = len(title)
        titles.append(title.center(width))
        first += count
    lines = ["  ".join(titles).rstrip()]
    for row in rows:
        lines.append("  ".join(
            cell.ljust(width) if i == 0 else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(row, widths))).rstrip())
    rule = "-" * max(map(len, lines))
    lines[2:2] = [rule]
    lines[-1:-1] = [rule]
    return "\n".join(lines)


def markdown_table(kernels):
    rows, groups = grid(kernels)
    prefixes = [title for title, count in groups for _ in range(count)]
    rows[0] = [f"{prefix}: {title}" if prefix else title
               for prefix, title in zip(prefixes, rows[0])]
    rows.insert(1, ["---"] + ["--:"] * (len(rows[0]) - 1))
    return "\n".join("| " + " | ".join(row) + " |" for row in rows)


# What each series looks like: label, colour, and the shape of its mark.
SERIES = {
    "hand": ("by hand", "#2a6f97", "square"),
    "verso": ("Verso", "#c8553d", "disc"),
    "taped": ("Verso, taped", "#e0a99c", "disc"),
    "adolc": ("ADOL-C", "#8a8f98", "diamond"),
    "best_tape": ("best tape known", "#b08900", "bar"),
    "best_adjoint": ("best adjoint known", "#3f7d58", "bar"),
}
LEFT, RIGHT, TOP, ROW, WIDTH = 140, 30, 92, 26, 960


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
    points = {k.name: {name: k.ratio(name) or k.known(name)
                       for name in SERIES if k.ratio(name) or k.known(name)}
              for k in kernels}
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
        for name in reversed(SERIES):
            if name in row:
                _, colour, shape = SERIES[name]
                lines.append(mark(shape, colour, axis.at(row[name]), y))
    return "\n".join(lines + ["</svg>", ""])


BEGIN, END = "<!-- table.py: begin -->", "<!-- table.py: end -->"


def put_into(path, text):
    """Replaces what stands between the two marks of a file."""
    with open(path, encoding="utf-8") as file:
        before, rest = file.read().split(BEGIN)
    after = rest.split(END)[1]
    with open(path, "w", encoding="utf-8") as file:
        file.write(f"{before}{BEGIN}\n\n{text}\n\n{END}{after}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("results", nargs="+", help="files of run.py")
    parser.add_argument("--markdown", action="store_true")
    parser.add_argument("--plot", metavar="FILE", help="write an SVG plot")
    parser.add_argument("--readme", metavar="FILE",
                        help=f"put the table between {BEGIN} and {END}")
    arguments = parser.parse_args()
    kernels = read(arguments.results)
    print((markdown_table if arguments.markdown else plain_table)(kernels))
    print()
    print(judgement(kernels))
    if arguments.plot:
        with open(arguments.plot, "w", encoding="utf-8") as file:
            file.write(plot(kernels))
    if arguments.readme:
        put_into(arguments.readme,
                 f"{markdown_table(kernels)}\n\n{judgement(kernels)}")


if __name__ == "__main__":
    main()
