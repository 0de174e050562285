# SPDX-License-Identifier: GPL-3.0-or-later
"""A comparison for CI: JUnit's XML, and GitHub's annotations and job summary.

JUnit's XML has no standard; elements and attributes are those of junit-10.xsd of Jenkins' xunit plugin, which
GitLab and python3-junitparser (2.8) read, too. Commands, their escapes, how many annotations and how large a
summary GitHub shows: docs.github.com, "Workflow commands for GitHub Actions" (of 2025).
"""

from __future__ import annotations

import os
import secrets
from typing import TYPE_CHECKING, NamedTuple

from lxml import etree
from lxml.etree import _Element as Element

from memstor import metric, units
from memstor.error import HOST, NEGATIVE, OK, Problem, clean
from memstor.pairing import BASE, NEW, Set
from memstor.stats import ABSENT, FAILED, FASTER, NO_DIFFERENCE, PASSED, SLOWER, UNDECIDED
from memstor.verdicts import cells_of, gate_text, headline, markdown_of, print_text

if TYPE_CHECKING:
    from memstor.compare import Comparison, Row

CASES_MAX = 8  # of a set, unless the user names metrics or gates
ANNOTATIONS_MAX = 10
SUMMARY_MAX = 1 << 20  # bytes, of which GitHub shows none if there are more
JUNIT_BEGINS = b'<?xml version="1.0" encoding="UTF-8"?>\n<testsuites'
PASS, SKIP, FAILURE, ERROR = "", "skipped", "failure", "error"
OF_GATE = {PASSED: PASS, UNDECIDED: SKIP, FAILED: FAILURE}
LEVELS = {ERROR: "error", FAILURE: "error", SKIP: "warning"}


class Case(NamedTuple):
    """A metric, or a gate. text: why it did not pass, and the numbers."""

    name: str
    state: str
    text: str


def _state(row: Row) -> str:
    """As the exit status takes it: what may be chance is not decided."""
    if not row.why_not and row.change.verdict == SLOWER and row.change.holds:
        return FAILURE
    return PASS if not row.why_not and row.change.verdict in (FASTER, NO_DIFFERENCE) else SKIP


def _cases(result: Comparison, one: Set) -> list[Case]:
    """Gates are what decides where there are any; else the metrics, those that are slower first."""
    held = [gate for gate in result.gates if gate.set is one and gate.state != ABSENT]
    found = [Case(gate.gate.text, OF_GATE[gate.state], f"{gate.state}: {gate_text(gate)}") for gate in held]
    if not result.gates:
        rows = [row for row in result.rows if row.set is one]
        order = metric.spread(row.metric for row in rows)
        rows.sort(key=lambda row: (_state(row) != FAILURE, order.index(row.metric)))
        for row in rows if result.request.metrics else rows[:CASES_MAX]:
            name, base, new, change, interval, _, verdict = cells_of(row)
            text = f"{verdict}: {change}{interval and f' ({interval})'}, base {base}, new {new}"
            found.append(Case(name, _state(row), text))
        if not rows:
            found = [Case("metrics", SKIP, "the runs have no metric in common")]
    if doubts := ", ".join(dict.fromkeys(run.doubt for run in one.all if run.doubt)):
        found = [Case(case.name, ERROR, f"not trustworthy: {doubts}; {case.text}") for case in found]
    return found


def _suites(result: Comparison) -> dict[Set, list[Case]]:
    suites = {one: _cases(result, one) for one in result.sets if one.is_paired}
    for one in result.sets:
        if result.lost and one.runs[BASE] and not one.is_paired:
            text = f"{units.plural(len(one.runs[BASE]), 'run')} in BASE, but none in NEW that can be compared"
            suites[one] = [Case("runs in NEW", ERROR, text)]
    return suites


def _step(one: Set) -> str:
    return one.title or one.all[0].step or one.all[0].tool


# --- JUnit ---


def _element(around: Element, tag: str, /, **texts: str) -> Element:
    return etree.SubElement(around, tag, {name: clean(text) for name, text in texts.items()})


def _add_suite(root: Element, name: str, facts: dict[str, str], cases: list[Case]) -> None:
    counts = {f"{what}s": [case.state for case in cases].count(what) for what in (FAILURE, ERROR)}
    counts |= {SKIP: [case.state for case in cases].count(SKIP), "tests": len(cases)}
    suite = _element(root, "testsuite", name=name, **{what: str(count) for what, count in counts.items()})
    if facts:
        properties = _element(suite, "properties")
        for fact, text in facts.items():
            _element(properties, "property", name=fact, value=text)
    for case in cases:
        node = _element(suite, "testcase", classname=name, name=case.name)
        if case.state:
            _element(node, case.state, type=case.state, message=case.text)
        else:
            _element(node, "system-out").text = clean(case.text)


def _facts(one: Set) -> dict[str, str]:
    """Of NEW, and of BASE what is another there."""
    base, new = (one.runs[side][:1] for side in (BASE, NEW))
    found = {"tool": one.all[0].tool}
    for side in (BASE, NEW):
        found[f"{side.lower()}.runs"] = str(len(one.runs[side]))
        found |= {f"{side.lower()}.version": run.version for run in one.runs[side][:1]}
    facts = (new or base)[0].facts
    others = base[0].facts.items() if base and new else ()
    return found | facts | {f"base.{name}": text for name, text in others if facts.get(name) != text}


def junit_of(result: Comparison, is_changed: bool = False) -> str:
    """A suite a step, a case a metric or gate. Runs that are left out are a suite of their own."""
    root = etree.Element("testsuites", name="memstor compare")
    for one, cases in _suites(result).items():
        _add_suite(root, _step(one), _facts(one), cases)
    if result.left_out:
        _add_suite(root, "left out", {}, [Case(path, SKIP, f"it {why}") for path, why in result.left_out])
    for name in ("tests", "failures", "errors"):
        root.set(name, str(sum(int(suite.get(name, "0")) for suite in root)))
    etree.indent(root)
    return JUNIT_BEGINS.decode().removesuffix("<testsuites") + etree.tostring(root, encoding="unicode") + "\n"


# --- GitHub ---


def _escape(text: str, others: str = "") -> str:
    for character in "%\r\n" + others:
        text = text.replace(character, f"%{ord(character):02X}")
    return text


def annotation(level: str, title: str, text: str) -> str:
    """A workflow command. level: "error", "warning" or "notice"."""
    return f"::{level} title={_escape(clean(title), ':,')}::{_escape(clean(text))}"


def commands_of(result: Comparison) -> list[str]:
    """The verdict; then what failed, and what of gates and named metrics is not decided."""
    level = {OK: "notice", NEGATIVE: "error"}.get(result.status, "warning")
    found = [
        (
            LEVELS[case.state],
            case.name if case.name.startswith(_step(one)) else f"{_step(one)} {case.name}",
            case.text,
        )
        for one, cases in _suites(result).items()
        for case in cases
        if case.state in (ERROR, FAILURE) or (case.state and (result.gates or result.request.metrics))
    ]
    found += [("warning", "not compared", f"{path}: it {why}") for path, why in result.left_out]
    found.sort(key=lambda row: row[0])
    found.insert(0, (level, "memstor compare", headline(result)))
    if len(found) > ANNOTATIONS_MAX:
        more = len(found) - ANNOTATIONS_MAX + 1
        found[-more:] = [("notice", "memstor compare", f"{more} more: see the summary of the job")]
    return [annotation(*row) for row in found]


def _summarise(path: str, text: str) -> None:
    """Appends to the summary of the job; what is too long for GitHub is cut."""
    data = text.encode()
    try:
        with open(path, "ab") as file:
            left = SUMMARY_MAX - file.tell()
            if len(data) > left:
                cut = "\n\nCut: GitHub shows 1 MiB.\n".encode()
                data = data[: max(0, left - len(cut))].rpartition(b"\n")[0] + cut
            file.write(data)
    except OSError as problem:
        text = f"GITHUB_STEP_SUMMARY {path}: cannot be written: {problem.strerror}"
        raise Problem(text, status=HOST) from None


def print_github(result: Comparison, is_changed: bool) -> None:
    """Annotations, then the text, in which nothing is taken for a command."""
    token = secrets.token_hex(16)
    print(*commands_of(result), f"::stop-commands::{token}", sep="\n")
    print_text(result, is_changed)
    print(f"::{token}::")
    if path := os.environ.get("GITHUB_STEP_SUMMARY"):
        _summarise(path, markdown_of(result, is_changed) + "\n")
