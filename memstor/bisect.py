# SPDX-License-Identifier: GPL-3.0-or-later
"""memstor bisect: whether the commit that is checked out is slower, as git bisect run asks.

base is a build of a good commit and is measured again with each commit, in turn with it: a machine that
drifts is neither good nor bad.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
from dataclasses import replace

from memstor import compare, folder, metric, plan, programs, suite, units
from memstor import run as runs
from memstor.cli import Parser, command_of, parser_of
from memstor.compare import SKIP, Comparison
from memstor.error import HOST, NEGATIVE, OK, USAGE, Problem, clean
from memstor.plan import Planned, Side
from memstor.stats import parse_gate
from memstor.suite import Suite

EXAMPLES = (
    "memstor bisect --suite ../perf.toml --step sort --metric p99 --limit +5% --build make --base-bin ../v1",
    "git bisect run memstor bisect ...    (after git bisect start BAD GOOD)",
)
FOLDER = "memstor-bisect"  # in git's
LEAST = 5  # runs a side: of fewer, a look after each round decides by chance
WORDS = {OK: "good", NEGATIVE: "bad", SKIP: "cannot be tested"}

# Option, argument, default (None: must be given), help.
OPTIONS = (
    ("suite", "SUITE", None, "a name of memstor run --list, or a file, best outside of the repository"),
    ("step", "NAME", None, "the step of the suite"),
    ("metric", "NAME", None, "the metric, as of memstor compare"),
    ("limit", "PERCENT", None, "from this change a commit is bad: +5%%, or -5%% where higher is better"),
    ("build", "COMMAND", None, "builds the commit that is checked out; a line of a shell"),
    ("base-bin", "DIR", None, "the folder of the programs of a good commit"),
    ("new-bin", "DIR", ".", "the folder of the programs that COMMAND builds (default: this one)"),
    ("most", "RUNS", "30", "measure each side at most RUNS times (default: 30)"),
)


def add_options(parser: Parser) -> None:
    parser.usage = "git bisect run memstor bisect [OPTION...]"
    parser.epilog = (
        "Status: 0 good; 1 bad: worse by the limit or more; 125 the commit cannot be built or measured, or\n"
        "is not decided; 128 an option is wrong, or the host cannot measure; 130 interrupted. git stops at\n"
        "128 and above."
    )
    for name, argument, default, text in OPTIONS:
        needed = default is None
        parser.add_argument(f"--{name}", metavar=argument, default=default, required=needed, help=text)


def _gate(options: argparse.Namespace, steps: list[Planned]) -> str:
    """As of memstor compare. What is wrong with it is said before anything is measured, where it is known."""
    name, limit = options.metric, options.limit
    if not re.fullmatch(r"[+-]\d+(\.\d+)?%", limit):
        raise Problem(f"--limit {limit}: must be as +5%, or -5% where higher is better")
    try:
        better = metric.parse(name).better
    except ValueError as problem:
        raise Problem(f"--metric {name}: {problem}") from None
    for planned in steps if name.startswith(metric.STEP) else ():
        own = planned.step.metric
        if name.removeprefix(metric.STEP) not in own:
            has = ", ".join(f"{metric.STEP}{of}" for of in own) or "none"
            raise Problem(f"--metric {name}: step {planned.step.name} has no such metric; it has: {has}")
        better = own[name.removeprefix(metric.STEP)].get("better", "lower")
    if (limit[0] == "+") != (better == "lower"):
        other = ("-" if limit[0] == "+" else "+") + limit[1:]
        raise Problem(f"--limit {limit}: must be {other}: of {name} {better} is better")
    return f"{name}{'<' if better == 'lower' else '>'}{limit}"


def _change(result: Comparison) -> str:
    """ "sort metric.time +9.96 % (+9.34 to +10.6), 8 runs against 8"."""
    texts = []
    for row in result.rows:
        of = row.change
        interval = f"{units.change(of.low)} to {units.change(of.high)}" if of.low == of.low else "no interval"
        texts.append(
            f"{row.name} {units.change(of.change)} ({interval}), {of.base_runs} runs against {of.new_runs}"
        )
    return "; ".join(texts)


def _answer(commit: str, status: int, why: str) -> int:
    print(clean(f"memstor: {commit[:12]} {WORDS[status]}: {why}"), file=sys.stderr)
    return status


def _measure(
    of: Suite, steps: list[Planned], request: compare.Request, place: str, asked: argparse.Namespace
) -> tuple[int, str]:
    """The exit status, and what it is based on."""
    with folder.entered(place, False) as where:
        if number := runs.measure(of, steps, where, asked):
            raise Problem("interrupted", status=128 + number)
        broken = [one for one in steps if one.side.name == folder.SIDES[0] and not one.with_result()]
        if broken:
            reason = broken[0].records.get(1, {}).get("reason", "")
            raise Problem(f"--base-bin: no run of {broken[0].name} has a result: {reason}")
        try:
            result = compare.compare(request, *([side] for side in folder.SIDES))
        except Problem as problem:
            if problem.status == USAGE:
                raise
            return SKIP, str(problem)
    return (result.status if result.status in (OK, NEGATIVE) else SKIP), _change(result)


def run(options: argparse.Namespace) -> int:
    bins = [os.path.abspath(path) for path in (options.base_bin, options.new_bin)]
    if not os.path.isdir(bins[0]) or bins[0] == bins[1]:
        raise Problem(f"--base-bin {options.base_bin}: must be a folder, and another one than --new-bin")
    asked = parser_of(command_of("run")).parse(
        [options.suite, f"--step={options.step}", "--until", "decided"]
    )
    asked.runs_most = runs.count(1, "--most", options.most)
    sides = [Side(name, path) for name, path in zip(folder.SIDES, bins)]
    of = suite.read(options.suite)
    # What is wrong with base alone is wrong with every commit.
    base = plan.make(of, sides[:1], asked, ".")
    for one in base:
        if not one.is_built:
            name = suite.fill(one.step.run[0])
            raise Problem(f"--base-bin {options.base_bin}: has no program {name}, which step {one.name} runs")
        if one.skipped:
            raise Problem(f"step {one.name} cannot be run here: {one.skipped}", status=HOST)
    asked.require_all = True
    gate = _gate(options, base)
    request = compare.Request(metrics=[metric.parse(options.metric)], gates=[parse_gate(gate)])
    steps = [replace(s, gate=[gate], runs=min(max(s.runs, LEAST), asked.runs_most)) for s in of.steps]
    of = of._replace(steps=steps)
    commit, place = (programs.git("rev-parse", *words) for words in (("HEAD",), ("--git-path", FOLDER)))
    if status := subprocess.run(options.build, shell=True, check=False).returncode:
        return _answer(commit, SKIP, f"--build ended with status {status}")
    try:
        planned = plan.make(of, sides, asked, ".")
    except Problem as problem:
        return _answer(commit, SKIP, str(problem))
    place = os.path.join(place, commit[:12])
    shutil.rmtree(place, ignore_errors=True)
    os.makedirs(os.path.dirname(place), exist_ok=True)
    status, why = _measure(of, planned, request, place, asked)
    return _answer(commit, status, f"{why}; reports are in {place}")
