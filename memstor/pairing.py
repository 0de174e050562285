# SPDX-License-Identifier: GPL-3.0-or-later
"""Sets of runs that are compared with each other, and what else differs in them.

A set has the runs of one tool with equal options, or with equal values of the names of --group-by. Seeds,
labels and the names of outputs are no differences.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any, Iterable, Iterator, NamedTuple, Sequence

from memstor import metric
from memstor.error import DIFFERENT, Problem, clean
from memstor.metric import Metric, Number
from memstor.report import Report

BASE, NEW, FLOOR = SIDES = ("BASE", "NEW", "--floor")
NO_CONDITIONS = frozenset(("seed", "label", "file", "json", "csv", "markdown", "ndjson", "output", "quiet"))
VALUES_SHOWN = 3
NAMES_SHOWN = 8  # of one kind in a flag to paste


@dataclass(slots=True, eq=False)
class Run:
    """What a comparison keeps of a report, so that a thousand need little memory."""

    path: str
    tool: str
    version: str
    uuid: str
    boot: str
    start: str
    options: dict[str, str]
    labels: dict[str, str]
    facts: dict[str, str]
    doubt: str  # why it is not trustworthy, or interrupted; "" = it is
    numbers: dict[str, Number | None]  # by the name of the metric
    usual: list[str]  # of these the metrics that are compared unless others are asked for
    own: dict[str, Metric]  # of these the metrics of the suite's step
    side: str = BASE

    @property
    def identity(self) -> str:
        return self.uuid or self.path

    @property
    def step(self) -> str:
        return self.labels.get("step", "")

    def texts(self, kind: str) -> dict[str, str]:
        """kind: "option" or "machine"."""
        return (
            {n: t for n, t in self.options.items() if n not in NO_CONDITIONS}
            if kind == "option"
            else self.facts
        )


def run_of(report: Report, metrics: Iterable[Metric], gated: Iterable[Metric] = ()) -> Run:
    """metrics: instead of those of the tool; gated: besides."""
    names = [of.name for of in (*metrics, *gated)]
    numbers = {} if metrics else metric.defaults(report)
    usual = list(numbers)
    for name in [*names, *usual]:
        of = metric.parse(name)
        for one in (of, of.share):
            if one and one.name not in numbers:
                numbers[one.name] = metric.number(one, report)
    return Run(
        report.path,
        clean(report.tool),
        clean(report.tool_version),
        report.uuid,
        report.boot_id,
        report.wall_start,
        report.options,
        report.labels,
        report.facts,
        clean(report.doubt),
        numbers,
        usual,
        metric.of_step(report),
    )


def choose(found: Iterable[Run], side: str, is_forced: bool) -> tuple[list[Run], list[tuple[str, str]]]:
    """The runs, and what is left out with the reason."""
    runs: dict[str, Run] = {}
    left_out = []
    for run in found:
        run.side = side
        same = runs.get(run.identity)
        if same:
            left_out.append((run.path, f"is the same report as {same.path}"))
        elif run.doubt and not is_forced:
            left_out.append((run.path, f"is {run.doubt}"))
        else:
            runs[run.identity] = run
    return list(runs.values()), left_out


@dataclass(slots=True)
class Rules:
    """What makes a set, and what may differ in one: "options", "machine", "sets", or names of options and
    facts."""

    group_by: list[str] = field(default_factory=list)
    allowed: frozenset[str] = frozenset()

    def allows(self, kind: str, name: str) -> bool:
        return name in self.allowed or ("options" if kind == "option" else kind) in self.allowed


@dataclass(slots=True, eq=False)
class Set:
    runs: dict[str, list[Run]]  # by side
    title: str = ""

    @property
    def prefix(self) -> str:
        """Of a sentence."""
        return f"{self.title}: " if self.title else ""

    @property
    def is_paired(self) -> bool:
        return bool(self.runs[BASE] and self.runs[NEW])

    @property
    def all(self) -> list[Run]:
        return [run for side in SIDES for run in self.runs[side]]

    def is_called(self, name: str) -> bool:
        """By its title, or by the step of all of its runs."""
        return name == self.title or (bool(name) and {run.step for run in self.all} == {name})


def described(of: Metric, runs: Iterable[Run]) -> Metric:
    """With unit and direction, which of a suite's step the reports alone have."""
    if of.better:
        return of
    found = [(run, run.own[of.name]) for run in runs if of.name in run.own]
    for run, other in found:
        if other.row != found[0][1].row:
            one, first = other.row, found[0][1].row
            raise Problem(
                f"{of.name}: {one.better} is better, in {one.unit!r}; in {found[0][0].path} {first.better}, "
                f"in {first.unit!r}: change the suite, and run both sides",
                run.path,
                status=DIFFERENT,
            )
    return found[0][1] if found else of


class Difference(NamedTuple):
    kind: str  # "option", "machine", "tool"
    name: str
    values: tuple[str, ...]  # of each side that has runs: "4", "4 and 8", "none"
    sides: tuple[str, ...]
    is_allowed: bool

    def __str__(self) -> str:
        values = (f"{value} in {side}" for value, side in zip(self.values, self.sides))
        return f"{self.kind} {self.name}: {', '.join(values)}"


def _key(run: Run, rules: Rules, is_relaxed: bool, with_step: bool = False) -> tuple[Any, ...]:
    """Runs of one set have the same."""
    if rules.group_by:
        return (run.tool, *(run.labels.get(n, run.options.get(n)) for n in rules.group_by))
    options = run.texts("option").items()
    same = frozenset((n, t) for n, t in options if not (is_relaxed and rules.allows("option", n)))
    return (run.tool, run.step if with_step else None, same)


def _groups(runs: Iterable[Run], *key: Any) -> list[Set]:
    found: dict[tuple[Any, ...], Set] = {}
    for run in runs:
        one = found.setdefault(_key(run, *key), Set({side: [] for side in SIDES}))
        one.runs[run.side].append(run)
    return list(found.values())


def pair(runs: Sequence[Run], rules: Rules) -> list[Set]:
    """All sets in the order of their first runs, paired or not.

    First those with equal options; of the rest, if options may differ, those that are equal but for these,
    of the same step before of any.
    """
    is_relaxed = not rules.group_by and bool(rules.allowed - {"machine", "sets"})
    passes = [(False, False), (True, True), (True, False)] if is_relaxed else [(False, False)]
    left, sets = list(runs), []
    for key in passes:
        paired = [one for one in _groups(left, rules, *key) if one.is_paired]
        sets += paired
        taken = {run for one in paired for run in one.all}
        left = [run for run in left if run not in taken]
    for run in [run for run in left if run.side == FLOOR and is_relaxed]:
        # Runs of --floor that no set has the options of belong to the one that differs from them in what may.
        fits = [one for one in sets if _key(run, rules, True) == _key(one.runs[BASE][0], rules, True)]
        if len(fits) == 1:
            fits[0].runs[FLOOR].append(run)
            left.remove(run)
    sets += _groups(left, rules, False)
    order = {run: i for i, run in enumerate(runs)}
    sets.sort(key=lambda one: min(order[run] for run in one.all))
    _name(sets, rules)
    return sets


def _is_distinct(sets: list[Set], one: Set, option: str) -> bool:
    """Whether sets have different values of the option, and the runs of each group the same."""
    if len({other.all[0].options.get(option) for other in sets}) == 1:
        return False
    return all(len({run.options.get(option) for run in one.runs[side]}) < 2 for side in (BASE, NEW))


def _title(sets: list[Set], one: Set, rules: Rules, is_step_enough: bool) -> str:
    run = one.all[0]
    if rules.group_by:
        named = {name: run.labels.get(name, run.options.get(name, "none")) for name in rules.group_by}
        return " ".join(f"{name}={value}" for name, value in named.items())
    words = [run.step] if run.step and one.is_called(run.step) else []
    if words and is_step_enough:
        return words[0]
    for name, value in sorted(run.texts("option").items()):
        if not _is_distinct(sets, one, name):
            continue
        new = one.runs[NEW][0].options.get(name, "none") if one.is_paired else value
        change = f"={value}->{new}" if value != new else "" if value == "yes" else f"={value}"
        words.append(name + change)
    return " ".join(words).replace("\n", " ") or "other options"


def _name(sets: list[Set], rules: Rules) -> None:
    """By the step that memstor run gave, unless two are called so; else by the options in which they
    differ."""
    if len(sets) < 2 and not rules.group_by:
        return
    for is_step_enough in (True, False):
        for one in sets:
            one.title = _title(sets, one, rules, is_step_enough)
        if len({(one.title, one.all[0].tool) for one in sets}) == len(sets):
            return


# --- differences ---


def _shown(values: list[str | None]) -> str:
    texts = ["absent" if text is None else text.replace("\n", " ") for text in values]
    return " and ".join(texts[:VALUES_SHOWN] + ["others"] * (len(texts) > VALUES_SHOWN))


def _differences_in(one: Set, rules: Rules) -> Iterator[Difference]:
    sides = tuple(side for side in SIDES if one.runs[side])
    tools = tuple(one.runs[side][0].tool for side in (BASE, NEW))
    if tools[0] != tools[1]:
        yield Difference("tool", "name", tools, (BASE, NEW), False)
    for kind in ("option", "machine"):
        texts = {side: [run.texts(kind) for run in one.runs[side]] for side in sides}
        for name in sorted({name for of_side in texts.values() for of in of_side for name in of}):
            values = [list(dict.fromkeys(of.get(name) for of in texts[side])) for side in sides]
            if len({text for of_side in values for text in of_side}) == 1:
                continue
            # BASE may differ from NEW, but unlike measurements do not become one group unless the option is
            # named.
            is_pool = kind == "option" and max(len(values[0]), len(values[1])) > 1
            is_allowed = name in rules.allowed if is_pool else rules.allows(kind, name)
            yield Difference(kind, name, tuple(map(_shown, values)), sides, is_allowed)


def _unlike(one: Run, other: Run, rules: Rules) -> int:
    return 1000 * (one.tool != other.tool) + sum(
        one.options.get(name) != other.options.get(name) and not rules.allows("option", name)
        for name in {*one.texts("option"), *other.texts("option")}
    )


def differences(sets: list[Set], rules: Rules) -> list[Difference]:
    """Each once. If nothing is paired: between the first set of BASE and the set of NEW that is most like
    it."""
    paired = [one for one in sets if one.is_paired]
    if not paired:
        base = next(one for one in sets if one.runs[BASE]).runs[BASE]
        others = [one.runs[NEW] for one in sets if one.runs[NEW]]
        new = min(others, key=lambda runs: _unlike(base[0], runs[0], rules))
        paired = [Set({BASE: base, NEW: new, FLOOR: []})]
    return list(dict.fromkeys(found for one in paired for found in _differences_in(one, rules)))


def flag_of(refused: list[Difference]) -> str:
    """The names to allow, or all of a kind where they are many or cannot be given one by one in a shell."""
    names = []
    for kind, everything in (("option", "options"), ("machine", "machine")):
        of_kind = list(dict.fromkeys(one.name for one in refused if one.kind == kind))
        is_plain = all(re.fullmatch(r"[\w.-]+", name, re.ASCII) for name in of_kind)
        names += of_kind if is_plain and len(of_kind) <= NAMES_SHOWN else [everything]
    return ",".join(names)


def confusions(one: Set) -> list[str]:
    """Other possible causes of a change, a sentence each."""
    base, new = one.runs[BASE], one.runs[NEW]
    found = []
    if base[0].version != new[0].version:
        found.append(f"the versions of {base[0].tool} differ: {base[0].version}, {new[0].version}")
    boots = [{run.boot for run in runs} for runs in (base, new)]
    starts = [[run.start for run in runs] for runs in (base, new)]
    if all(len(of) == 1 and "" not in of for of in boots) and boots[0] != boots[1]:
        found.append(
            "BASE ran in one boot and NEW in another: every change includes differences between boots; use "
            "runs of several boots each, or --floor with them"
        )
    elif len(base) > 1 and len(new) > 1 and "" not in starts[0] + starts[1]:
        # ISO 8601 in UTC: the order of the texts is that of the times.
        if max(starts[0]) < min(starts[1]) or max(starts[1]) < min(starts[0]):
            found.append(
                "all of one group ran before the other: every change includes a slow drift of the machine; "
                "interleave the runs to avoid it"
            )
    return found
