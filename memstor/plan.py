# SPDX-License-Identifier: GPL-3.0-or-later
"""What memstor run will do: the command line of each step and side, and the order of the runs."""

from __future__ import annotations

import argparse
import fnmatch
import os
import shutil
import subprocess
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Callable, Iterator, NamedTuple, Sequence

from memstor import mpi, needs, programs, suite
from memstor.error import HOST, OK, USAGE, Problem, warn
from memstor.programs import REPORT, Tool
from memstor.suite import Step, Suite

DONE, UNTRUSTWORTHY, MISSED = WITH_RESULT = ("done", "untrustworthy", "missed")
FAILED, EXCEEDED, INTERRUPTED, SKIPPED, WAITING = "failed", "overrun", "interrupted", "skipped", "waiting"
Record = dict[str, Any]  # as in the index


class Side(NamedTuple):
    """name: "" = there are no sides."""

    name: str = ""
    bin: str = ""  # the folder of its programs; "" = no other than usual
    env: tuple[str, ...] = ()  # NAME=VALUE
    settings: tuple[str, ...] = ()  # PATH=VALUE, by with-pressure


@dataclass(slots=True)
class Planned:
    """A step of a side."""

    step: Step
    side: Side
    tool: Tool | None  # None: any other command
    path: str  # of the program; "" = it is not installed
    runs: int
    warmup: int
    labels: list[str]
    skipped: str = ""  # why it cannot run on this host
    records: dict[int, Record] = field(default_factory=dict)  # by number of the run

    @property
    def name(self) -> str:
        """Of its folder."""
        return os.path.join(self.side.name, self.step.name)

    @property
    def is_built(self) -> bool:
        """Whether the program is in the folder of its side."""
        return bool(self.side.bin) and self.path.startswith(f"{self.side.bin}/")

    @property
    def result(self) -> str:
        """The file that it leaves; "" = none."""
        return self.tool.result if self.tool and not self.step.launcher else REPORT * can_report()

    def state(self, number: int) -> str:
        return str(self.records.get(number, {}).get("state", WAITING))

    def with_result(self) -> list[int]:
        """The runs that have a result, in the order of their starts."""
        found = [number for number in self.records if self.state(number) in WITH_RESULT]
        return sorted(found, key=lambda number: str(self.records[number].get("wall_start")))

    def states(self) -> list[str]:
        """Of each run."""
        return [self.state(number) for number in range(1, self.runs + 1)]

    @property
    def env(self) -> dict[str, str]:
        own = dict(text.split("=", 1) for text in self.side.env)
        found = dict(os.environ) | dict(self.step.env) | own
        if self.side.bin:
            found["PATH"] = f"{self.side.bin}:{found.get('PATH', os.defpath)}"
        return found


class Turn(NamedTuple):
    step: Planned
    number: int
    is_warmup: bool = False

    def __str__(self) -> str:
        return f"{self.step.name} {'warm-up' if self.is_warmup else 'run'} {self.number}"


def _rounds(steps: list[Planned], count: Callable[[Planned], int], is_warmup: bool) -> Iterator[Turn]:
    """Each step once, then in the other direction: A B B A. A slow drift of a machine falls on all alike."""
    for number in range(1, max(map(count, steps), default=0) + 1):
        for step in steps if number % 2 else steps[::-1]:
            if number <= count(step):
                yield Turn(step, number, is_warmup)


def turns(steps: list[Planned]) -> list[Turn]:
    """Those that are to be run. While there is something to measure warm-ups come again: what was warm is
    cold."""
    rounds = _rounds([step for step in steps if not step.skipped], lambda step: step.runs, False)
    measured = [turn for turn in rounds if turn.step.state(turn.number) not in WITH_RESULT]
    names = {turn.step.name for turn in measured}
    warmed = [step for step in steps if step.name in names]
    return [*_rounds(warmed, lambda step: step.warmup, True), *measured]


# --- command lines ---


@cache
def can_report() -> bool:
    """Whether with-pressure, which measures other commands, is there and writes reports."""
    path = programs.find("with-pressure")
    asked = [path or "false", "--help"]
    return b"--file" in subprocess.run(asked, capture_output=True, check=False).stdout


def words_of(planned: Planned, number: int, own: Sequence[str], report: str) -> list[str]:
    """The command line of a run. own: the words of the step; report: where its result goes, "" = it only
    checks its options."""
    tool, labels = planned.tool, [*planned.labels, f"run={number}"]
    signed = [word for label in labels for word in ("--label", label)]
    if planned.step.launcher and report:
        return [*planned.step.launcher, programs.find("memstor"), "mpi", "-f", report, *signed, "--", *own]
    # By PATH where it can be, so that the command of both sides is the same.
    is_of_side = planned.path == f"{planned.side.bin}/{own[0]}" and not tool
    words = [own[0] if is_of_side else planned.path, *own[1:]]
    if tool:
        # Before the step's own, which may end the options.
        output = [tool.output, report] if report else ["--dry-run"]
        at = len(tool.words)
        words[at:at] = output + signed * tool.has_labels
    pressure = [word for text in planned.side.settings for word in ("--set", text)]
    if not tool and planned.result:
        pressure += ["-f", report, *signed]
    return [programs.find("with-pressure"), "--quiet", *pressure, "--", *words] if pressure else words


# --- the plan ---


def _planned(of: Suite, step: Step, side: Side, options: argparse.Namespace) -> Planned:
    words = [suite.fill(word) for word in step.run]
    tool, path = programs.tool_of(words), programs.find(words[0], side.bin)
    for option in programs.reserved(words) if tool else ():
        why = f"step {step.name}: {option} cannot be given: memstor run gives the report its name"
        raise Problem(f"{why} and runs the step", of.path, step.line)
    if tool and step.metric:
        why = f"step {step.name}: metric: {words[0]} has a report of its own: it is for other commands"
        raise Problem(why, of.path, step.line)
    skipped = "" if path else f"{words[0]} is not installed: neither in memstor's folder nor in PATH"
    if step.launcher and not shutil.which(step.launcher[0]):
        skipped = f"{step.launcher[0]}, its launcher, is not installed"
    if step.launcher and side.bin:
        why = f"step {step.name}: launcher: not with --base-bin and --new-bin, since hosts have one build"
        raise Problem(why, of.path, step.line)
    if side.settings and not programs.find("with-pressure"):
        skipped = "with-pressure, which --base-set and --new-set need, is not installed"
    if step.metric and not can_report():
        skipped = "with-pressure, whose report takes its metrics, is not installed"
    warmup = step.warmup if options.warmup is None else options.warmup
    labels = [f"suite={of.name}", f"step={step.name}", *options.label]
    return Planned(step, side, tool, path, options.runs or step.runs, warmup, labels, skipped)


def _refuse_others(planned: Planned, steps: Sequence[Planned]) -> None:
    """A program that is not of the build of its side. An interpreter, which is of no build, finds others by
    PATH."""
    if planned.is_built or not planned.side.bin:
        return
    name = suite.fill(planned.step.run[0])
    if planned.tool or any(one.is_built for one in steps if one.step is planned.step):
        why = f"has no program {name}, which step {planned.name} runs"
        raise Problem(f"{why}; name the folder that it is in", planned.side.bin)
    warn(f"step {planned.name}: {name} is not in {planned.side.bin}: {planned.path or 'none'} is measured")


def _ask(planned: Planned, path: str, folder: str) -> str:
    """Asks the program of a step whether it accepts its options; why it cannot run on this host."""
    name, null = planned.step.run[0], subprocess.DEVNULL
    own = [suite.fill(word) for word in planned.step.run]
    if planned.step.launcher:
        own = mpi.filled(own, 0, mpi.host_name(), 1)
    words = words_of(planned, 1, own, "")
    done = subprocess.run(
        words, cwd=folder, env=planned.env, stdin=null, stdout=null, stderr=subprocess.PIPE, check=False
    )
    said = done.stderr.decode(errors="replace").strip().partition("\n")[0].removeprefix(f"{name}: ")
    if done.returncode not in (OK, HOST):
        what = "refuses" if done.returncode == USAGE else "--dry-run failed"
        raise Problem(f"step {planned.name}: {name} {what}: {said}", path, planned.step.line)
    return said if done.returncode == HOST else ""


def make(of: Suite, sides: list[Side], options: argparse.Namespace, folder: str) -> list[Planned]:
    """Everything wrong with the suite is refused here. folder: of the results, or the one that it will be
    in."""
    chosen = [step for step in of.steps if not options.step]
    for pattern in options.step:
        found = [step for step in of.steps if fnmatch.fnmatchcase(step.name, pattern)]
        if not found:
            why = f"no step of {of.path} has this name; memstor run --dry-run lists them"
            raise Problem(f"--step '{pattern}': {why}")
        chosen += [step for step in found if step not in chosen]
    steps = [_planned(of, step, side, options) for step in of.steps if step in chosen for side in sides]
    for planned in steps:
        _refuse_others(planned, steps)
        planned.skipped = planned.skipped or needs.lacks(planned.step.needs, folder)
        # Options are checked even of a skipped step, but not before the results that it takes are there.
        if planned.path and planned.tool and planned.tool.has_check and not planned.step.references():
            planned.skipped = _ask(planned, of.path, folder) or planned.skipped
        if options.require_all and planned.skipped:
            why = f"step {planned.name} cannot be run here: {planned.skipped}"
            raise Problem(f"--require-all: {why}", status=HOST)
    return steps
