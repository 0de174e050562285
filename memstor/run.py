# SPDX-License-Identifier: GPL-3.0-or-later
"""memstor run: the steps of a suite, or one command, in rounds A B B A; reports are in a folder."""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import os
import platform
import re
import shlex
import shutil
import time
from dataclasses import dataclass
from functools import partial
from math import isfinite, nan
from statistics import median
from typing import Any, Container, Iterator

import rich.progress
from rich.console import Console
from rich.progress import BarColumn, TextColumn, TimeRemainingColumn

from memstor import child, folder, metric, plan, report, suite, units
from memstor.child import Runner
from memstor.cli import Parser, version
from memstor.error import HOST, NEGATIVE, OK, UNTRUSTED, Problem, clean
from memstor.folder import SIDES, Folder, moment
from memstor.plan import DONE, EXCEEDED, FAILED, INTERRUPTED, MISSED, SKIPPED, UNTRUSTWORTHY, WAITING
from memstor.plan import WITH_RESULT, Planned, Record, Side, Turn
from memstor.programs import REPORT

EXAMPLES = (
    "memstor run smoke -o runs",
    "memstor run ci --base-bin old/ --new-bin new/ -o runs",
    "memstor run ./my.toml --set seconds=5 --step 'paging-*' --runs 7",
    "memstor run ci -o runs --resume",
    "memstor run --runs 10 --base-env LEVEL=1 --new-env LEVEL=9 -o levels -- gzip -k numbers.txt",
)
OPEN, UNLIKE = "inconclusive", "not compared"  # of a gate and a comparison
COLUMNS = {"throughput": "1/s", "p99": "ns"}  # of the summary: metrics, and their units
GRAVEST = (FAILED, EXCEEDED, MISSED, INTERRUPTED, WAITING, SKIPPED, UNTRUSTWORTHY)


# --- the command line ---


def count(least: int, option: str, text: str) -> int:
    if not (text.isdecimal() and least <= int(text) <= suite.RUNS_MAX):
        raise Problem(f"{option} '{text}': must be {least} to {suite.RUNS_MAX}")
    return int(text)


def _pair(option: str, text: str) -> str:
    if not re.fullmatch(r"[^=\x00-\x1f\x7f]+=[^\x00-\x1f\x7f]*", text):
        raise Problem(f"{option} '{text}': must be NAME=VALUE, on one line")
    return text


def _label(option: str, text: str) -> str:
    if _pair(option, text).split("=")[0] in ("suite", "step", "run"):
        raise Problem(f"{option} '{text}': suite, step and run are given by memstor run itself")
    return text


def _until(option: str, text: str) -> str:
    if text != "decided":
        raise Problem(f"{option} '{text}': must be decided")
    return text


# Options, argument ("" = none, with "..." repeatable), its check, and help.
OPTIONS: tuple[tuple[str, str, Any, str], ...] = (
    ("-r --runs", "N", partial(count, 1), "measure each step N times (default: the suite's number)"),
    ("-w --warmup", "N", partial(count, 0), "run each step N times before (default: the suite's number)"),
    ("-o --output", "DIR", None, "write to the new or empty folder DIR (default: SUITE-DATE-TIME)"),
    ("--label", "NAME=VALUE...", _label, "put a label into every report"),
    ("--set", "NAME=VALUE...", _pair, "replace a variable, or the values of a loop, with blanks between"),
    ("--step", "NAME...", None, "run only steps that match NAME, as 'zram-*'"),
    ("--base-bin", "DIR", None, "the folder of the programs of the side base"),
    ("--new-bin", "DIR", None, "the folder of the programs of the side new"),
    ("--base-env", "NAME=VALUE...", _pair, "an environment variable of the side base"),
    ("--new-env", "NAME=VALUE...", _pair, "an environment variable of the side new"),
    ("--base-set", "PATH=VALUE...", _pair, "a setting of the side base, as /proc/sys/vm/swappiness=1"),
    ("--new-set", "PATH=VALUE...", _pair, "a setting of the side new, by with-pressure"),
    ("--require-all", "", None, "fail if this host cannot run a step (default: skip it)"),
    ("--retry", "N", partial(count, 0), "repeat an untrustworthy run up to N times (default: 0)"),
    ("--until", "decided", _until, "add rounds until all gates, or comparisons, are decided"),
    ("--runs-most", "N", partial(count, 1), "with --until: at most N runs of a step (default: 30)"),
    ("--resume", "", None, "continue in DIR with the runs without a trustworthy result"),
    ("-n --dry-run", "", None, "check everything, print the plan, and exit"),
    ("--list", "", None, "list the suites installed with memstor"),
)


def add_options(parser: Parser) -> None:
    parser.usage = "memstor run [OPTION...] SUITE\n       memstor run [OPTION...] -- COMMAND [ARGUMENT...]"
    parser.has_command = True
    parser.epilog = (
        "Status: 0 done; 1 a run failed or missed an objective, or a gate failed; 2 the suite or an option\n"
        "is wrong; 3 nothing could be run on this host; 4 interrupted, or a result is not trustworthy."
    )
    parser.add_argument("suite", nargs="?", metavar="SUITE", help="a name of --list, or a file: ./NAME.toml")
    parser.set_defaults(retry=0, runs_most=30)
    for names, argument, check, text in OPTIONS:
        words: dict[str, Any] = {"metavar": argument} if argument else {"action": "store_true"}
        if argument.endswith("..."):
            words = {"metavar": argument[:-3], "action": "append", "default": []}
            text += "; repeatable"
        if check:
            words["type"] = partial(check, names.split()[-1])
        parser.add_argument(*names.split(), help=text, **words)


def _sides(options: argparse.Namespace) -> list[Side]:
    if bool(options.base_bin) != bool(options.new_bin):
        raise Problem("--base-bin, --new-bin: one of them is missing; give the other one as well")
    sides = []
    for name in SIDES:
        bin, env, settings = (getattr(options, f"{name}_{key}") for key in ("bin", "env", "set"))
        if bin and not os.path.isdir(bin):
            raise Problem(f"--{name}-bin {bin}: must be a folder")
        sides.append(Side(name, os.path.abspath(bin) if bin else "", tuple(env), tuple(settings)))
    return sides if any(any(side[1:]) for side in sides) else [Side()]


def _suite(options: argparse.Namespace) -> suite.Suite:
    if options.suite and options.command:
        raise Problem("a suite and a command: give one of them")
    if options.command:
        return suite.of_command(options.command)
    if not options.suite:
        why = "no suite given: memstor run SUITE, where SUITE is a name of memstor run --list or a file"
        raise Problem(why)
    return suite.read(options.suite, dict(text.split("=", 1) for text in options.set))


# --- what is printed ---


def _print_table(rows: list[list[str]], right: Container[int] = ()) -> None:
    widths = [max(map(len, column)) for column in zip(*rows)]
    for row in rows:
        cells = [f"{cell:{'>' if i in right else '<'}{widths[i]}}" for i, cell in enumerate(row)]
        print(clean("  ".join(cells).rstrip()))


def print_plan(of: suite.Suite, steps: list[Planned], given: str) -> None:
    print(clean(f"suite {of.name}: {of.about}".removesuffix(": ")))
    print(clean(f"results in {given}"))
    for planned in steps:
        step, limit = planned.step, units.text(planned.step.limit_s, "s")
        after = f" after {units.plural(planned.warmup, 'warm-up')}" if planned.warmup else ""
        wanted = f"; needs {' '.join(step.needs)}" if step.needs else ""
        print(clean(f"{planned.name}: {shlex.join(map(suite.fill, [*step.launcher, *step.run]))}"))
        print(clean(f"    {units.plural(planned.runs, 'run')}{after}, each at most {limit}{wanted}"))
        if planned.skipped:
            print(clean(f"    would be skipped: {planned.skipped}"))
    turns = plan.turns(steps)
    print("order:", *(f"{turn.step.name}{' (warm-up)' * turn.is_warmup}" for turn in turns))
    print(f"at most {units.text(sum(turn.step.step.limit_s for turn in turns), 's')}")


class Progress:
    """A bar on a terminal, and a line a run elsewhere; each warning once."""

    def __init__(self) -> None:
        self.done = 0
        self.said: set[str] = set()
        console = Console(stderr=True, soft_wrap=True, markup=False, emoji=False, highlight=False)
        columns = TextColumn("{task.description}", markup=False), BarColumn(20), TimeRemainingColumn()
        # Nothing else runs while a program is measured, so no thread refreshes it.
        self.bar = rich.progress.Progress(
            *columns,
            console=console,
            auto_refresh=False,
            transient=True,
            disable=not console.is_interactive,
        )
        self.task = self.bar.add_task("", total=None)
        self.bar.start()

    def close(self) -> None:
        if not self.bar.disable:
            self.bar.stop()

    def say(self, text: str) -> None:
        self.bar.console.print(clean(f"memstor: {text}"))

    def once(self, key: str) -> bool:
        is_new = key not in self.said
        self.said.add(key)
        return is_new

    def warn(self, text: str, key: str) -> None:
        if self.once(key):
            self.say(f"warning: {text}")

    def begin(self, left: int) -> None:
        """left: with the run that begins."""
        self.bar.update(self.task, completed=self.done, total=self.done + left)
        self.done += 1

    def _place(self, turn: Turn) -> str:
        return f"[{self.done}/{self.bar.tasks[0].total}] {turn}"

    def show(self, turn: Turn, seconds: float) -> None:
        limit = units.text(turn.step.step.limit_s, "s")
        what = f"{self._place(turn)}: {units.text(seconds, 's')} of at most {limit}"
        self.bar.update(self.task, description=clean(what), refresh=True)

    def end(self, turn: Turn, record: Record) -> None:
        state, reason = record["state"], record.get("reason", "")
        if state == DONE and not self.bar.disable:
            return
        code = reason.split(": ")[0]
        if state == UNTRUSTWORTHY and not self.once(f"reason {code}"):
            reason = code  # without the whole sentence, which was said
        after = f" after {units.text(record['seconds'], 's')}" if "seconds" in record else ""
        self.say(f"{self._place(turn)}: {state}{after}: {reason}".removesuffix(": "))


# --- a run ---


def _decide(planned: Planned, outcome: child.Outcome, where: str, progress: Progress) -> tuple[str, str]:
    """State and reason of the run whose files are in the folder where."""
    status, path = outcome.status, f"{where}/{planned.result}"
    if outcome.end == child.OVERRUN:
        limit = units.text(planned.step.limit_s, "s")
        return EXCEEDED, f"it was ended when its time limit of {limit} was used up"
    if outcome.end == child.STOPPED and status != OK:
        return INTERRUPTED, ""
    said = child.last_line(f"{where}/stderr", planned.step.run[0])
    how = f"killed by signal {-status}" if status < 0 else f"exit status {status}"
    failed = FAILED, f"{how}: {said}".removesuffix(": ")
    # Statuses 0 and 4 come with a report, and 1 if an objective was missed.
    if status not in (OK, NEGATIVE, UNTRUSTED):
        return failed
    if planned.result != REPORT:
        return (DONE, "") if status == OK else failed
    try:
        of = report.read_file(path)
    except Problem as problem:
        return failed if status == NEGATIVE else (FAILED, f"{how} without a report: {said or problem}")
    for check in of.checks:
        progress.warn(f"{check.code}: {check.finding or check.measured}: {check.advice}", check.code)
    if of.status == "interrupted":
        return INTERRUPTED, ""
    is_failed = not planned.tool and any(one.code == "failed" for one in of.reasons)
    if is_failed or (status == NEGATIVE and not of.missed):
        return failed
    if of.status != "ok":
        return UNTRUSTWORTHY, "; ".join(f"{one.code}: {one.measured}" for one in of.reasons[:1])
    if of.missed:
        return MISSED, f"objective {of.missed}"
    return (UNTRUSTWORTHY, said) if status == UNTRUSTED else (DONE, "")


def _took(planned: Planned, outcome: child.Outcome, where: str) -> float:
    """Seconds. Those of a command are in its report, without the start and end of with-pressure."""
    if planned.tool or planned.result != REPORT:
        return outcome.seconds
    with contextlib.suppress(Problem, KeyError):
        return report.read_file(f"{where}/{REPORT}").values["wall_ns"].value / 1e9
    return outcome.seconds


def _metric(of: dict[str, str], text: str) -> float:
    """What a metric finds in the output, of several the last; NaN if it finds no number."""
    with contextlib.suppress(ValueError, LookupError, TypeError, RecursionError):
        if "regex" in of:
            match = list(re.finditer(of["regex"], text, re.MULTILINE))[-1]
            return float(match[match.re.groups and 1])
        value = json.loads(text)
        for key in of["json"].split("."):
            value = value[int(key) if isinstance(value, list) else key]
        return float(value)
    return nan


def _take_metrics(step: suite.Step, where: str) -> str:
    """From the output into the report. Why not, "" = they are there."""
    with open(f"{where}/stdout", encoding="utf-8", errors="replace") as file:
        text = file.read()
    found = {name: _metric(of, text) for name, of in step.metric.items()}
    absent = [name for name, value in found.items() if not isfinite(value)]
    if absent:
        return f"metric.{absent[0]}: its output has no such number"
    rows = ((name, of.get("unit", ""), of.get("better", "lower")) for name, of in step.metric.items())
    report.add_metrics(f"{where}/{REPORT}", ((*row, found[row[0]]) for row in rows))
    return ""


@dataclass
class Execution:
    """Runs the turns of a plan. The folder of results is the working folder."""

    steps: list[Planned]
    folder: Folder
    runner: Runner
    options: argparse.Namespace
    progress: Progress

    def path_of(self, side: Side, name: str, file: str) -> str:
        """Of the newest result of a step, or a file beside it; "" = there is none."""
        for other in self.steps:
            if (other.side, other.step.name) == (side, name) and other.with_result():
                path = f"{other.name}/{other.with_result()[-1]}/{file or other.result}"
                return path if os.path.exists(path) else ""
        return ""

    def start(self, turn: Turn, what: str, words: list[str], cwd: str, where: str) -> child.Outcome:
        """what: "run", "setup" or "cleanup"; where: the folder of what is printed."""
        names = ("stdout", "stderr") if what == "run" else (what, what)
        with open(f"{where}/{names[0]}", "ab") as out, open(f"{where}/{names[1]}", "ab") as err:
            step, show = turn.step, partial(self.progress.show, turn)
            limit, is_kept = step.step.limit_s, what == "cleanup"
            return self.runner.run(words, cwd, (out, err), limit, step.env, show, is_kept)

    def aside(self, turn: Turn, what: str, words: list[str], cwd: str, where: str) -> str:
        """Runs setup or cleanup. Why it failed, "" = it did not."""
        outcome = self.start(turn, what, words, cwd, where) if words else child.Outcome(child.ENDED, OK, 0)
        if outcome.end == child.ENDED and outcome.status == OK:
            return ""
        how = f"exit status {outcome.status}" if outcome.end == child.ENDED else outcome.end
        return f"{what}: {how}: {child.last_line(f'{where}/{what}', words[0])}".removesuffix(": ")

    def run_once(self, turn: Turn, where: str) -> Record:
        planned, step = turn.step, turn.step.step
        cwd = step.cwd or where
        paths = {found: self.path_of(planned.side, *found) for found in step.references()}
        for (name, file), path in paths.items():
            if not path:
                why = f"it takes {file or 'the result'} of step {name}, which has none"
                return {"state": FAILED if self.options.require_all else SKIPPED, "reason": why}
        shutil.rmtree(where, ignore_errors=True)
        os.makedirs(where)
        # Relative, so that the options of all runs and sides are the same.
        fill = partial(suite.fill, path_of=lambda *found: os.path.relpath(paths[found], cwd))
        run, setup, cleanup = (list(map(fill, words)) for words in (step.run, step.setup, step.cleanup))
        output = os.path.relpath(f"{where}/{planned.result}", cwd)
        words = plan.words_of(planned, turn.number, run, output)
        record: Record = {"wall_start": moment()}
        try:
            if why := self.aside(turn, "setup", setup, cwd, where):
                return record | {"state": INTERRUPTED if self.runner.signal else FAILED, "reason": why}
            outcome = self.start(turn, "run", words, cwd, where)
        finally:
            if why := self.aside(turn, "cleanup", cleanup, cwd, where):
                self.progress.warn(f"{planned.name}: {why}", why)
        state, reason = _decide(planned, outcome, where, self.progress)
        if step.metric and state in WITH_RESULT and (why := _take_metrics(step, where)):
            state, reason = FAILED, why
        record |= {"state": state, "seconds": _took(planned, outcome, where), "exit_status": outcome.status}
        record |= {"reason": reason} if reason else {}
        return record

    def take(self, turn: Turn, left: int) -> None:
        """Runs a turn, and again while its result is not trustworthy and --retry allows it."""
        self.progress.begin(left)
        where = f"{turn.step.name}/{'warmup-' * turn.is_warmup}{turn.number}"
        for _ in range(1 if turn.is_warmup else 1 + self.options.retry):
            record = self.run_once(turn, where)
            self.progress.end(turn, record)
            if turn.is_warmup:
                shutil.rmtree(where, ignore_errors=True)
            else:
                self.keep(turn.step, turn.number, record)
            if record["state"] != UNTRUSTWORTHY or self.runner.signal:
                return

    def keep(self, planned: Planned, number: int, record: Record) -> None:
        planned.records[number] = record
        self.folder.append({"step": planned.name, "run": number} | record)

    def run(self) -> None:
        for planned in self.steps:
            if planned.skipped:
                self.progress.say(f"{planned.name}: skipped: {planned.skipped}")
                for number, state in enumerate(planned.states(), 1):
                    if state == WAITING:
                        self.keep(planned, number, {"state": SKIPPED, "reason": planned.skipped})
        turns = plan.turns(self.steps)
        while turns and not self.runner.signal:
            self.take(turns[0], len(turns))
            turns = turns[1:] or self.one_more()

    def one_more(self) -> list[Turn]:
        """With --until decided: a further round of the steps that are not."""
        if not self.options.until:
            return []
        names = {step for step, _, state in _gates(self.steps, True) if state.startswith(OPEN)}
        named = [one for one in self.steps if one.step.name in names and one.state(one.runs) in WITH_RESULT]
        grow = [one for one in named if one.runs < self.options.runs_most]
        for planned in grow:
            planned.runs += 1
        return [turn for turn in plan.turns(grow) if not turn.is_warmup]


# --- gates, and --until ---


def _gates(steps: list[Planned], is_all: bool) -> list[tuple[str, str, str]]:
    """(step, gate, state) of each gate of each step with two sides. is_all: one without gates has "", the
    verdict of the whole comparison."""
    return [
        (base.step.name, text, state)
        for base in steps
        if base.side.name == SIDES[0] and base.result == REPORT and (base.step.gate or is_all)
        for text, state in _held(base.step.name, base.step.gate, _allowed(steps, base.step))
    ]


def _allowed(steps: list[Planned], step: suite.Step | None = None) -> list[str]:
    """What sides with other settings differ in: facts of the machine, and the option of with-pressure."""
    sided = [one for one in steps if one.side.settings and step in (None, one.step)]
    return ["machine"] * bool(sided) + ["set"] * any(not one.tool for one in sided)


def _held(step: str, gates: list[str], allowed: list[str]) -> Iterator[tuple[str, str]]:
    from memstor import compare, stats
    from memstor.pairing import Rules

    asked = compare.Request(rules=Rules(allowed=frozenset(allowed)))
    asked.gates = [stats.parse_gate(text) for text in gates]
    try:
        # What it warns of was said when the runs ended.
        with contextlib.redirect_stderr(io.StringIO()):
            result = compare.compare(asked, *([f"{side}/{step}"] for side in SIDES))
        yield from [(held.gate.text, held.state) for held in result.gates] or [("", result.overall)]
    except Problem as problem:
        # More rounds do not help against a wrong gate, or runs that differ.
        state = OPEN if problem.status == UNTRUSTED else UNLIKE
        yield from ((text, f"{state}: {problem}") for text in gates or [""])


# --- the end ---


def _states(steps: list[Planned]) -> list[str]:
    return [state for planned in steps for state in planned.states()]


def _reports(planned: Planned) -> Iterator[report.Report]:
    for number in planned.with_result() if planned.result == REPORT else ():
        with contextlib.suppress(Problem):
            yield report.read_file(f"{planned.name}/{number}/{REPORT}")


def _median(values: list[float], unit: str) -> str:
    return units.text(median(values) if values else nan, unit)


def _result(planned: Planned) -> str:
    """The gravest state, with the reason of its first run."""
    states = planned.states()
    gravest = next((state for state in GRAVEST if state in states), "")
    if not gravest:
        return "ok"
    reason = planned.records.get(states.index(gravest) + 1, {}).get("reason", "")
    if gravest == UNTRUSTWORTHY:
        reason = reason.split(": ")[0]
    return f"{'not run' if gravest == WAITING else gravest}: {reason}".removesuffix(": ")


def _row(planned: Planned) -> list[str]:
    """The medians of a step's reports."""
    reports = list(_reports(planned))
    columns = []
    for name, unit in COLUMNS.items():
        numbers = [metric.number(metric.parse(name), one) for one in reports]
        columns.append(_median([number.value for number in numbers if number], unit))
    took = [planned.records[number]["seconds"] for number in planned.with_result()]
    columns.append(_median(took, "s"))
    return [planned.name, f"{len(took)}/{planned.runs}", *columns, _result(planned)]


def _status(states: list[str], is_interrupted: bool, gates: list[tuple[str, str, str]]) -> tuple[int, str]:
    """The exit status, and the sentence that explains it."""
    all, missed, doubted = len(states), states.count(MISSED), states.count(UNTRUSTWORTHY)
    failed = states.count(FAILED) + states.count(EXCEEDED)
    why = "their reports have the reason. --retry N or --resume repeats them."
    verdicts = {state.split(":")[0] for _, _, state in gates}
    rows = (
        (is_interrupted, UNTRUSTED, "Interrupted: finished runs are kept."),
        (failed, NEGATIVE, f"{failed} of {all} runs failed: their folders have stdout and stderr."),
        (missed, NEGATIVE, f"{missed} of {all} results missed an objective."),
        (INTERRUPTED in states, UNTRUSTED, ""),
        (not {*WITH_RESULT} & {*states}, HOST, "Nothing could be run on this host."),
        (doubted, UNTRUSTED, f"{doubted} of {all} results are not trustworthy; {why}"),
        ("failed" in verdicts, NEGATIVE, ""),
        ({OPEN, UNLIKE} & verdicts, UNTRUSTED, ""),
    )
    return next(((status, text) for is_so, status, text in rows if is_so), (OK, ""))


def _print_next(steps: list[Planned], given: str, options: argparse.Namespace) -> None:
    lines = [f"Results are in {given}"]
    if any(True for planned in steps for _ in _reports(planned)):
        lines.append(f"Show them: memstor html {shlex.quote(given)} -o {shlex.quote(given + '.html')}")
        if steps[0].side.name:
            words = [f"{given}/{side}" for side in SIDES]
            if allowed := _allowed(steps):
                words.append(f"--allow-different={','.join(allowed)}")
            own = {one.step.name: one.step.gate for one in steps}
            sets = len(own) > 1
            words += [f"--gate={f'{name}:' * sets}{text}" for name, gates in own.items() for text in gates]
            lines.append(f"Compare the two: memstor compare {shlex.join(words)}")
        else:
            lines.append(f"Compare with another run: memstor compare BASE {shlex.quote(given)}")
            # The first two values of a loop.
            same = [a for a in steps if a.result == REPORT and a.step.line == steps[0].step.line][:2]
            if len(same) == 2:
                words = [f"{given}/{planned.name}" for planned in same]
                lines.append(f"Compare two steps: memstor compare {shlex.join(words)}")
    if not {*_states(steps)} <= {DONE, MISSED}:
        more = ([] if options.output else ["-o", given]) + ([] if options.resume else ["--resume"])
        end = options.words.index("--") if options.command else len(options.words)
        words = options.words[:end] + more + options.words[end:]
        lines.append(f"Continue with the rest: memstor run {shlex.join(words)}")
    for line in lines:
        print(clean(line))


def summary(steps: list[Planned], given: str, options: argparse.Namespace, is_cut: bool) -> int:
    """Prints what became of each step, and what to do next; the exit status. is_cut: by a signal."""
    heading = ["step", "runs", *COLUMNS, "time", "result"]
    _print_table([heading, *map(_row, steps)], right=range(1, len(heading) - 1))
    gates = [] if is_cut else _gates(steps, False)
    for step, text, state in gates:
        print(clean(f"{step}: gate {text}: {state}"))
    status, why = _status(_states(steps), is_cut, gates)
    if why:
        print(why)
    _print_next(steps, given, options)
    return status


# --- all of it ---


def _given(options: argparse.Namespace) -> dict[str, Any]:
    """What must be the same when the folder is continued, by the words of a message."""
    sided = [f"{side}_{kind}" for side in SIDES for kind in ("bin", "env", "set")]
    names = ("runs", "warmup", "set", "step", "label", *sided)
    host = {"memstor": version(), "the host": platform.node(), "the kernel": platform.release()}
    return {f"--{name.replace('_', '-')}": getattr(options, name) for name in names} | host


def _take_over(of: suite.Suite, steps: list[Planned], where: Folder, given: dict[str, Any]) -> None:
    """Takes the trustworthy results of the earlier runs, if they were of the same."""
    path = f"{where.given}/{folder.INDEX}"
    if where.first.get("suite") != of.text:
        raise Problem(f"--resume: {of.path} is not the suite of the earlier run, which is in {path}")
    for name, now in given.items():
        before = where.first.get(name)
        if before != now:
            was, is_now = (f"'{value}'" if value else "not given" for value in (before, now))
            raise Problem(f"--resume: {path}: {name} was {was} and is {is_now} now")
    for planned in steps:
        for number in range(1, suite.RUNS_MAX + 1):
            record = where.records.get((planned.name, number), {})
            is_whole = record.get("state") in (DONE, MISSED) and isinstance(record.get("seconds"), float)
            # A report that another process removed is no result.
            if is_whole and os.path.exists(f"{planned.name}/{number}/{planned.result or 'stdout'}"):
                planned.records[number] = record
                planned.runs = max(planned.runs, number)


def measure(of: suite.Suite, steps: list[Planned], where: Folder, options: argparse.Namespace) -> int:
    """Runs what has no result yet. The signal that ended it, 0 = none."""
    same = _given(options)
    if where.first:
        _take_over(of, steps, where, same)
    begun = {"index": folder.VERSION, "begun": moment(), "command": ["memstor", "run", *options.words]}
    where.append(begun | same | {"suite": of.text})
    with contextlib.closing(Progress()) as progress, Runner(where.lock) as runner:
        Execution(steps, where, runner, options, progress).run()
    where.append({"ended": moment(), "state": INTERRUPTED if runner.signal else "complete"})
    return runner.signal


def execute(of: suite.Suite, steps: list[Planned], given: str, options: argparse.Namespace) -> int:
    with folder.entered(given, options.resume) as where:
        is_cut = bool(measure(of, steps, where, options))
        return summary(steps, given, options, is_cut)


def run(options: argparse.Namespace) -> int:
    if options.list:
        _print_table([[name, suite.read(name).about] for name in suite.shipped()])
        return OK
    sides, of = _sides(options), _suite(options)
    if options.resume and not options.output:
        raise Problem("--resume: continues in the folder of an earlier run: give it with -o DIR")
    if options.until and len(sides) < 2:
        raise Problem("--until decided: needs two sides, as of --base-bin and --new-bin")
    given = options.output or f"{of.name}-{time.strftime('%Y%m%d-%H%M%S')}"
    near = given if os.path.isdir(given) else os.path.dirname(os.path.abspath(given))
    steps = plan.make(of, sides, options, near)
    if options.dry_run:
        print_plan(of, steps, given)
        return OK
    return execute(of, steps, given, options)
