# SPDX-License-Identifier: GPL-3.0-or-later
"""memstor compare: what is faster and what is slower in one group of reports than in another."""

from __future__ import annotations

import argparse
import math
import sys
from dataclasses import dataclass, field
from functools import partial
from typing import Callable, Iterable, Iterator, NamedTuple

from memstor import ci, metric, stats, units
from memstor.cli import Parser, sides
from memstor.error import DIFFERENT, LINES_MAX, NEGATIVE, OK, UNTRUSTED, Problem, clean, warn, warn_left_out
from memstor.metric import Metric
from memstor.output import check, writing
from memstor.pairing import BASE, FLOOR, NEW, Difference, Rules, Run, Set
from memstor.pairing import choose, confusions, described, differences, flag_of, pair, run_of
from memstor.report import find, parse_number, read_file
from memstor.stats import ABSENT, FAILED, INCONCLUSIVE, SLOWER, UNDECIDED, Change, Gate, Rule, parse_gate
from memstor.verdicts import csv_of, json_of, markdown_of, print_text
from memstor.workers import each

EXAMPLES = (
    "memstor compare monday/ tuesday/",
    "memstor compare a*.xml -- b*.xml --gate 'p99<+5%'",
    "memstor compare runs/base runs/new --changed --markdown=summary.md",
    "memstor compare runs/base runs/new --gate 'p99<+5%' --junit gates.xml --github",
    "git bisect run sh -c 'make && ./measure new/ && memstor compare --bisect base/ new/'",
)
SKIP = 125  # for git bisect: this commit says nothing
WHAT = "options, machine, sets, or names of options or facts"
WRITERS: dict[str, Callable[[Comparison, bool], str]] = {
    "json": json_of,
    "csv": csv_of,
    "markdown": markdown_of,
    "junit": ci.junit_of,
}
BEGINS = {"junit": ci.JUNIT_BEGINS}


# --- what is asked ---


@dataclass(slots=True)
class Request:
    rule: Rule = field(default_factory=Rule)
    rules: Rules = field(default_factory=Rules)
    metrics: list[Metric] = field(default_factory=list)  # none: those of the tool
    gates: list[Gate] = field(default_factory=list)
    is_forced: bool = False

    @property
    def gated(self) -> list[Metric]:
        return [of for gate in self.gates for _, of in gate.ways]


@dataclass(slots=True)
class Row:
    """A metric of a set. why_not: it does not decide, because of this."""

    set: Set
    metric: Metric
    change: Change
    why_not: str = ""

    @property
    def name(self) -> str:
        return f"{self.set.title} {self.metric.name}".strip()


class Held(NamedTuple):
    """A gate held against a set."""

    gate: Gate
    set: Set
    row: Row | None
    state: str


@dataclass(slots=True)
class Comparison:
    request: Request
    sets: list[Set]
    rows: list[Row] = field(default_factory=list)
    gates: list[Held] = field(default_factory=list)
    left_out: list[tuple[str, str]] = field(default_factory=list)  # path, why
    doubted: list[Run] = field(default_factory=list)  # compared by --force
    differences: list[Difference] = field(default_factory=list)  # that are allowed
    notes: list[str] = field(default_factory=list)
    overall: str = INCONCLUSIVE
    lost: int = 0  # sets of BASE without runs in NEW
    status: int = UNTRUSTED

    @property
    def deciding(self) -> list[Row]:
        return [row for row in self.rows if not row.why_not]

    def count(self, verdict: str) -> int:
        return sum(row.change.verdict == verdict for row in self.deciding)

    def held(self, verdict: str) -> list[Row]:
        """Rows whose difference holds among all, the largest change first."""
        rows = [row for row in self.deciding if row.change.holds and row.change.verdict == verdict]
        return sorted(rows, key=lambda row: _size(row.change.change), reverse=True)


def _size(change: float) -> float:
    """A half is as far as a double."""
    return abs(math.log1p(change)) if change > -1 else math.inf


# --- the command line ---


def _percent(option: str, text: str, low: float, high: float) -> float:
    """ "2", "2%": a fraction."""
    value = parse_number(text.removesuffix("%"))
    if not low <= value <= high:
        raise Problem(f"{option} {text!r}: must be {low:g} to {high:g} percent")
    return value / 100


def _names(option: str, texts: Iterable[str], what: str) -> list[str]:
    names = [name for text in texts for name in text.split(",")]
    if not all(names):
        raise Problem(f"{option} {','.join(names)!r}: must be {what}, with commas between")
    return names


# Name, argument ("" = none) and help; those with "..." may be repeated.
OPTIONS = (
    ("metric", "NAME...", "compare this metric instead of the tool's; repeatable"),
    ("gate", "METRIC<LIMIT...", "require METRIC below (>: above) LIMIT: p99<+5%%, p99<3us, SET:p99<3us"),
    ("group-by", "NAME,...", "form sets from runs that are equal in these labels or options"),
    ("margin", "PERCENT", "treat changes up to PERCENT as no difference (default: 2)"),
    ("confidence", "PERCENT", "confidence of the intervals (default: 95)"),
    (
        "floor",
        "REPORT...",
        "take the noise from at least 8 runs of one and the same thing (a file or folder)",
    ),
    ("allow-different", "[WHAT,...]", f"compare runs that differ in {WHAT} (without WHAT: options,machine)"),
    ("force", "", "compare interrupted and untrustworthy runs, too; every output says so, the status is 4"),
    ("changed", "", "show only metrics that changed"),
    ("bisect", "", "exit with 0, 1, or 125 for all that is not decided, as git bisect run wants"),
    ("json", "[FILE]", "write everything as JSON to FILE, or to standard output instead of the text"),
    ("csv", "[FILE]", "write the metrics as CSV, as --json does"),
    ("markdown", "[FILE]", "write tables for GitHub, as --json does"),
    (
        "junit",
        "FILE",
        "write JUnit's XML: a suite a set, a case a gate, or a metric (8 a set at most without --metric)",
    ),
    ("github", "", "begin with annotations for GitHub's workflows, and append tables to the job's summary"),
)


def add_options(parser: Parser) -> None:
    usage = "memstor compare [OPTION...] BASE"
    parser.usage = f"{usage} NEW\n       {usage}... -- NEW..."
    parser.epilog = (
        "Status: 0 not slower, or all gates passed; 1 slower, or a gate failed; 4 inconclusive, or --force\n"
        "compared what is not trustworthy; 5 not compared: the runs differ in more than the measured values."
    )
    parser.has_sides = True
    parser.arguments = [("report", True, [])]
    optional = [name for name, argument, _ in OPTIONS if argument == "[FILE]"]
    parser.bare = {"--allow-different": "options,machine"} | {f"--{name}": "-" for name in optional}
    parser.statuses = {"--bisect": SKIP}
    for name, argument, text in OPTIONS:
        if not argument:
            parser.add_argument(f"--{name}", action="store_true", help=text)
        elif argument.rstrip("]").endswith("..."):
            metavar = argument if "," in argument else argument[:-3]
            parser.add_argument(f"--{name}", metavar=metavar, action="append", default=[], help=text)
        else:
            parser.add_argument(f"--{name}", metavar=argument, help=text)


def request_of(options: argparse.Namespace) -> Request:
    allowed = _names("--allow-different", options.allow_different, WHAT)
    groups = _names("--group-by", options.group_by, "names of labels or options")
    return Request(
        Rule(
            _percent("--confidence", options.confidence or "95", 50, 99.99),
            _percent("--margin", options.margin or "2", 0, 1000),
            options.margin is not None,
        ),
        Rules(groups, frozenset(allowed)),
        metric.asked("--metric", options.metric),
        [parse_gate(text) for text in options.gate],
        options.force,
    )


# --- reading ---


def _read(path: str, request: Request) -> Run:
    return run_of(read_file(path), request.metrics, request.gated)


# --- refusals ---


def _refuse_names(rules: Rules, runs: list[Run]) -> None:
    """Names that no run has."""
    for name in rules.group_by:
        if not any(name in run.options or name in run.labels for run in runs):
            raise Problem(f"--group-by {name}: no report has such a label or option")
    for name in sorted(rules.allowed - {"options", "machine", "sets"}):
        if not any(name in run.options or name in run.facts for run in runs):
            known = " ".join([*sorted(runs[0].options), *sorted(runs[0].facts)])
            raise Problem(
                f"--allow-different {name}: no report has such an option or fact (options, machine, sets, or "
                f"of {runs[0].path}: {known})"
            )


def _refuse_differences(refused: list[Difference]) -> None:
    if not refused:
        return
    # The options of one tool say nothing of those of another.
    refused = [one for one in refused if one.kind == "tool"] or refused
    lines = ["not compared: the runs differ in more than the measured values:"]
    lines += [f"  {one}" for one in refused[:LINES_MAX]]
    if len(refused) > LINES_MAX:
        lines.append(f"  and {len(refused) - LINES_MAX} more")
    for line in lines:
        print(f"memstor: {clean(line)}", file=sys.stderr)
    if any(one.kind == "tool" for one in refused):
        raise Problem("runs of two tools are never compared", status=DIFFERENT)
    raise Problem(f"to compare them anyway add --allow-different={flag_of(refused)}", status=DIFFERENT)


def _refuse_absent(result: Comparison) -> None:
    """Metrics and gates that nothing can be held against."""
    there = {row.metric for row in result.rows}
    for of in result.request.metrics:
        if of not in there:
            raise Problem(f"--metric {of.name}: no compared report has it")
    for gate in result.request.gates:
        if any(held.gate is gate and held.state != ABSENT for held in result.gates):
            continue
        name, of = _way(gate, result.sets)
        for one in result.sets:
            if name and not one.is_paired and one.is_called(name):
                side = BASE if one.runs[BASE] else NEW
                raise Problem(f"--gate {gate.text}: this set has runs in {side} alone", status=UNTRUSTED)
        titles = ", ".join(filter(None, (one.title for one in result.sets if one.is_paired)))
        called = "" if name else next((way[0] for way in gate.ways if way[0]), "")
        if called and called not in {row.metric.subject for row in result.rows}:
            known = f" (sets: {titles})" if titles else ""
            raise Problem(f"--gate {gate.text}: no set and no subject is called {called!r}{known}")
        raise Problem(f"--gate {gate.text}: no compared report has {of.name}")


# --- the comparison ---


def _way(gate: Gate, sets: list[Set]) -> tuple[str, Metric]:
    """As the text is meant: with a set, if one is called so."""
    named = [way for way in gate.ways if way[0] and any(one.is_called(way[0]) for one in sets)]
    return named[-1] if named else gate.ways[0]


def _change(request: Request, one: Set, of: Metric) -> Change:
    base, new, floor = ([run.numbers.get(of.name) for run in one.runs[side]] for side in (BASE, NEW, FLOOR))
    return stats.decide(request.rule, of.better, base, new, [n.value for n in floor if n is not None])


def _rows(result: Comparison, one: Set, gated: list[Metric]) -> Iterator[Row]:
    """A metric that nobody asked for is compared where every run has it, and one is not 0."""
    request = result.request
    usual = [] if request.metrics else [metric.parse(name) for run in one.all for name in run.usual]
    shares: dict[Metric, Change] = {}
    for of in dict.fromkeys([*request.metrics, *usual, *gated]):
        of = described(of, one.all)
        numbers = [[run.numbers.get(of.name) for run in one.runs[side]] for side in (BASE, NEW)]
        counts = [sum(n is not None for n in of_side) for of_side in numbers]
        if not any(counts):
            continue
        if of not in request.metrics and of not in gated:
            if not all(all(n is not None for n in of_side) for of_side in numbers):
                base, new = (f"{count} of {len(of_side)}" for count, of_side in zip(counts, numbers))
                result.notes.append(
                    f"{one.prefix}{of.name} is in {base} runs of BASE and {new} of NEW, so it is left out; "
                    f"--metric {of.name} compares those that have it"
                )
                continue
            if not any(n.value for of_side in numbers for n in of_side if n):
                continue
        row = Row(one, of, _change(request, one, of))
        if of.share:
            if of.share not in shares:
                shares[of.share] = _change(request, one, of.share)
            share = shares[of.share]
            if share.is_difference:
                # As read-ahead turns major faults into minor ones: those that are left are others.
                row.why_not = f"{of.share.name} changed {units.change(share.change)}"
        yield row


def compare(
    request: Request, base: Iterable[str], new: Iterable[str], floor: Iterable[str] = ()
) -> Comparison:
    """Of the reports of files and folders; see compare_runs()."""
    read = partial(_read, request=request)
    return compare_runs(request, *(each(read, list(find(paths))) for paths in (base, new, floor)))


def compare_runs(
    request: Request, base: Iterable[Run], new: Iterable[Run], floor: Iterable[Run] = ()
) -> Comparison:
    """Problem with DIFFERENT: the runs differ in more than the measured values."""
    runs: list[Run] = []
    left_out: list[tuple[str, str]] = []
    has_floor = False
    for side, found in ((BASE, base), (NEW, new), (FLOOR, floor)):
        of_side, out = choose(found, side, request.is_forced)
        has_floor |= side == FLOOR and bool(of_side or out)
        runs, left_out = runs + of_side, left_out + out
    warn_left_out(left_out)
    for side in (BASE, NEW):
        if not any(run.side == side for run in runs):
            why = f"no run of {side} can be compared: --force accepts interrupted and untrustworthy ones"
            raise Problem(why, status=UNTRUSTED)
    _refuse_names(request.rules, runs)
    sets = pair(runs, request.rules)
    unlike = differences(sets, request.rules)
    _refuse_differences([one for one in unlike if not one.is_allowed])
    paired = [one for one in sets if one.is_paired]
    if not paired:
        raise Problem("no set of BASE has runs in NEW", status=DIFFERENT)
    if has_floor and not any(len(one.runs[FLOOR]) >= stats.FLOOR_RUNS for one in paired):
        raise Problem(f"--floor: no compared set of options has {stats.FLOOR_RUNS} runs")
    result = Comparison(request, sets, left_out=left_out, differences=unlike)
    result.doubted = [run for run in runs if run.doubt]
    result.notes = list(dict.fromkeys(note for one in paired for note in confusions(one)))
    _note_same(result, runs)
    ways = [(gate, *_way(gate, sets)) for gate in request.gates]
    for one in paired:
        here = [(gate, of) for gate, name, of in ways if not name or one.is_called(name)]
        rows = {row.metric: row for row in _rows(result, one, [of for _, of in here])}
        result.rows += rows.values()
        for gate, of in here:
            row = rows.get(of)
            if row and gate.is_below != (row.metric.better == "lower"):
                raise Problem(f"--gate {gate.text!r}: of this metric {row.metric.better} is better")
            result.gates.append(Held(gate, one, row, gate.state(row.change) if row else ABSENT))
    _refuse_absent(result)
    _conclude(result)
    return result


def _note_same(result: Comparison, runs: list[Run]) -> None:
    base = {run.identity for run in runs if run.side == BASE}
    new = [run.identity in base for run in runs if run.side == NEW]
    if same := sum(new):
        text = (
            f"{same} of {units.plural(len(new), 'report')} of NEW {'is' if same == 1 else 'are'} "
            "in BASE, too: a run compared with itself says nothing"
        )
        warn(text)
        result.notes.append(text)


def _conclude(result: Comparison) -> None:
    """The overall verdict, and the exit status."""
    result.overall = stats.settle(result.request.rule.level, [row.change for row in result.deciding])
    if "sets" not in result.request.rules.allowed:
        result.lost = sum(bool(one.runs[BASE]) and not one.is_paired for one in result.sets)
    # What is not there any more may be what got slower.
    if result.lost and result.overall != SLOWER:
        result.overall = INCONCLUSIVE
    states = {held.state for held in result.gates}
    is_failed = FAILED in states if result.gates else result.overall == SLOWER
    is_open = UNDECIDED in states or result.lost if result.gates else result.overall == INCONCLUSIVE
    result.status = UNTRUSTED if result.doubted else NEGATIVE if is_failed else UNTRUSTED if is_open else OK


def _run(options: argparse.Namespace) -> int:
    outputs = {name: path for name in WRITERS if (path := getattr(options, name)) is not None}
    if list(outputs.values()).count("-") + options.github > 1:
        one_of = "one of --json, --csv, --markdown, --junit and --github"
        raise Problem(f"only {one_of} can go to standard output: name a file for the others")
    request = request_of(options)
    base, new = sides(options.paths, "compare")
    for name, path in outputs.items():
        check(path, BEGINS.get(name, b""), f"--{name}")
    try:
        result = compare(request, base, new, options.floor)
    except Problem as problem:
        if options.github:
            print(ci.annotation("error", "memstor compare", str(problem)))
        raise
    for name, path in outputs.items():
        with writing(path, BEGINS.get(name, b""), option=f"--{name}") as file:
            file.write(WRITERS[name](result, options.changed))
    if "-" not in outputs.values():
        (ci.print_github if options.github else print_text)(result, options.changed)
    return result.status


def run(options: argparse.Namespace) -> int:
    if not options.bisect:
        return _run(options)
    # git takes every other status up to 127 as bad.
    try:
        status = _run(options)
    except Problem as problem:
        print(f"memstor: {problem}", file=sys.stderr)
        return SKIP
    return status if status in (OK, NEGATIVE) else SKIP
