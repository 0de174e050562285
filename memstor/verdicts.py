# SPDX-License-Identifier: GPL-3.0-or-later
"""A comparison as text, Markdown, JSON and CSV."""

from __future__ import annotations

import csv
import io
import json
import math
import re
import sys
from dataclasses import fields
from typing import TYPE_CHECKING, Any, Iterable, Sequence

from memstor import stats, units
from memstor.cli import version
from memstor.error import LINES_MAX, NEGATIVE, clean
from memstor.metric import Metric
from memstor.pairing import BASE, FLOOR, NEW, Set
from memstor.stats import (
    ABSENT,
    Change,
    FAILED,
    FASTER,
    INCONCLUSIVE,
    NO_DIFFERENCE,
    PASSED,
    SLOWER,
    UNDECIDED,
)

if TYPE_CHECKING:
    from memstor.compare import Comparison, Held, Row

JSON_VERSION = "2.0"


# --- what people read ---


def _interval(low: float, high: float) -> str:
    """ "-1.20 to +3.40", in percent."""
    return f"{units.change(low, '')} to {units.change(high, '')}"


def _margin(result: Comparison) -> str:
    return f"{100 * result.request.rule.margin:g} %"


def _value(value: float, of: Metric, is_bound: bool = False) -> str:
    return ("<" if is_bound else "") + units.text(value, of.unit)


def _p(p: float) -> str:
    """Two digits that count, and no "0.000"."""
    if math.isnan(p):
        return ""
    return "<0.0001" if p < 0.0001 else f"{p:.{5 if p < 0.001 else 4 if p < 0.01 else 3 if p < 0.1 else 2}f}"


def _verdict(row: Row) -> str:
    change, reason = row.change, ""
    if row.why_not:
        reason = f"not counted: {row.why_not}"
    elif change.is_difference:
        reason = "" if change.holds else "may be chance"
    elif change.base_is_bound or change.new_is_bound or not math.isnan(change.bucket):
        reason = "one bucket"
    elif change.verdict == NO_DIFFERENCE or change.floor > change.margin:
        reason = "" if math.isnan(change.floor) else f"floor {units.change(change.floor)[1:]}"
    elif change.basis == "none":
        reason = "too few runs"
    elif change.more_runs:
        reason = f"{units.plural(change.more_runs, 'more run')} for {100 * change.margin:.3g} %"
    return f"{change.verdict}, {reason}" if reason else change.verdict


def geometric_mean(rows: Sequence[Row]) -> tuple[float, int]:
    """Of the changes as costs: where higher is better, the inverse. NaN of no rows; and of how many."""
    known = [row for row in rows if math.isfinite(row.change.change) and row.change.change > -1]
    known = [row for row in known if not (row.change.base_is_bound or row.change.new_is_bound)]
    logs = [math.log1p(row.change.change) * (1 if row.metric.better == "lower" else -1) for row in known]
    return math.expm1(sum(logs) / len(logs)) if logs else math.nan, len(logs)


def _one(row: Row) -> str:
    """ "writes/4k p99 +12.0 % (+8.00 to +15.0)"."""
    return f"{row.name} {units.change(row.change.change)} ({_interval(row.change.low, row.change.high)})"


def _gate_headline(result: Comparison) -> str:
    held = [one for one in result.gates if one.state != ABSENT]
    for state in (FAILED, UNDECIDED):
        if of_state := [one for one in held if one.state == state]:
            return f"{len(of_state)} of {units.plural(len(held), 'gate')} {state}: {gate_text(of_state[0])}"
    lost = f", but {units.plural(result.lost, 'set')} of BASE without runs in NEW" if result.lost else ""
    return f"{units.plural(len(held), 'gate')} passed{lost}"


def _metric_headline(result: Comparison) -> str:
    if not result.deciding:
        why = result.rows[0].why_not if result.rows else "the runs have none in common"
        return f"no metric decides: {why}"
    count = units.plural(len(result.deciding), "metric")
    slower, faster = result.held(SLOWER), result.held(FASTER)
    if slower or faster:
        rows, word, most = (slower, SLOWER, "worst") if slower else (faster, FASTER, "best")
        others = f"; {len(faster)} faster" if slower and faster else ""
        return f"{len(rows)} of {count} {word}, {most}: {_one(rows[0])}{others}"
    if result.overall == NO_DIFFERENCE:
        return f"no difference in {count}"
    undecided = result.count(INCONCLUSIVE)
    words = [f"{undecided} of {count} inconclusive"] if undecided else [f"no certain change in {count}"]
    if chance := sum(row.change.is_difference for row in result.deciding):
        words.append(f"{units.plural(chance, 'difference')} may be chance")
    if equal := result.count(NO_DIFFERENCE):
        words.append(f"{equal} no difference")
    more = sorted(row.change.more_runs for row in result.deciding if row.change.more_runs)
    if more and any(row.change.basis != "none" for row in result.deciding):
        half = units.plural(more[len(more) // 2], "more run")
        words.append(f"{half} a side would decide half of these for {_margin(result)}")
    elif more:
        words.append(f"{units.plural(more[0], 'more run')} a side needed")
    return "; ".join(words)


def headline(result: Comparison) -> str:
    """What to know first."""
    words = _gate_headline(result) if result.gates else _metric_headline(result)
    if result.lost and not result.gates:
        words += f"; {units.plural(result.lost, 'set')} of BASE without runs in NEW"
    if result.doubted:
        reasons = ", ".join(dict.fromkeys(run.doubt for run in result.doubted))
        words = f"NOT TRUSTWORTHY ({units.plural(len(result.doubted), 'run')} by --force: {reasons}): {words}"
    return words


def summary(result: Comparison) -> str:
    counts = ", ".join(f"{result.count(verdict)} {verdict}" for verdict in reversed(stats.VERDICTS))
    others = len(result.rows) - len(result.deciding)
    counts += f", {others} not counted" if others else ""
    return f"overall: {result.overall} ({counts}; a change within {_margin(result)} counts as none)"


def gate_text(held: Held) -> str:
    """ "p99<+5%: +9.96 % (+9.34 to +10.6)"."""
    where = "" if held.gate.text.startswith(held.set.title) else held.set.prefix
    if held.row is None:
        return f"{where}{held.gate.text}: no such metric"
    value, low, high = held.gate.held_to(held.row.change)
    if held.gate.is_change:
        shown, interval = units.change(value), _interval(low, high)
    else:
        of = held.row.metric
        shown = _value(value, of, held.row.change.new_is_bound)
        interval = f"{_value(low, of)} to {_value(high, of)}"
    interval = "too few runs for an interval" if math.isnan(low) else interval
    return f"{where}{held.gate.text}: {shown} ({interval})"


def notes(result: Comparison) -> list[str]:
    """What a reader must know of the numbers."""
    doubted = result.doubted[:LINES_MAX]
    found = [f"not trustworthy, compared by --force: {run.path}: {run.doubt}" for run in doubted]
    found += [f"different, but accepted: {one}" for one in result.differences[:LINES_MAX]]
    for kind, count in (("runs", len(result.doubted)), ("differences", len(result.differences))):
        if count > LINES_MAX:
            found.append(f"and {count - LINES_MAX} more {kind}")
    found += result.notes
    for one in result.sets:
        for side in (BASE, NEW, FLOOR):
            if one.runs[side] and not one.is_paired:
                found.append(f"only in {side}, {units.plural(len(one.runs[side]), 'run')}: {one.title}")
        if one.is_paired and 0 < len(one.runs[FLOOR]) < stats.FLOOR_RUNS:
            count = len(one.runs[FLOOR])
            found.append(f"{one.prefix}a floor needs {stats.FLOOR_RUNS} runs and has {count}: it is not used")
    said = {f"basis {row.change.basis}: {_verdict(row)}" for row in result.rows}
    found += [text for words, text in REMARKS.items() if any(words in of_row for of_row in said)]
    return [clean(note) for note in found]


# What is said of rows whose basis, or verdict, has these words.
REMARKS = {
    "basis none": "there are too few runs for an interval: use 4 a side, or --floor",
    "basis floor": "intervals of so few runs are the A/A floor's around the change",
    "basis welch": "intervals of 3 runs take them as log-normally distributed; 4 a side need no assumption",
    "inconclusive, floor": "the A/A floor is wider than the margin: use quieter runs, or a larger --margin",
    "one bucket": "one bucket: the histogram says no more of all runs; pmbench --hdr is finer",
    "may be chance": "may be chance: of many metrics some differ by chance; these do not decide",
    "not counted": "not counted: the share of the class changed, so that it has other accesses",
}


# --- tables ---

Cells = tuple[str, ...]


def heading(result: Comparison) -> Cells:
    """Of the columns of cells_of()."""
    interval = f"{100 * result.request.rule.level:g} % interval"
    return ("metric", "base", "new", "change", interval, "p", "verdict")


def cells_of(row: Row) -> Cells:
    """A row of a table, as texts."""
    change, of = row.change, row.metric
    return (
        clean(of.name),
        _value(change.base, of, change.base_is_bound),
        _value(change.new, of, change.new_is_bound),
        units.change(change.change),
        "" if math.isnan(change.low) else _interval(change.low, change.high),
        _p(change.p_value),
        _verdict(row),
    )


def _mean_cells(result: Comparison) -> Cells:
    """The last row."""
    mean, count = geometric_mean(result.deciding)
    what = f"of {units.plural(count, 'change')}, + is slower"
    return ("geometric mean", "", "", units.change(mean), "", "", what)


def _set_title(one: Set) -> str:
    base, new, floor = (len(one.runs[side]) for side in (BASE, NEW, FLOOR))
    of_floor = f", floor of {floor}" if floor else ""
    return clean(f"{one.prefix}{one.all[0].tool}, {units.plural(base, 'run')} against {new}{of_floor}")


def _tables(result: Comparison, is_changed: bool) -> list[tuple[str, list[Row], list[Held]]]:
    """Of each set the title, the rows that are shown, and its gates."""
    found = []
    for one in result.sets:
        rows = [row for row in result.rows if row.set is one]
        rows = [row for row in rows if row.change.is_difference or not is_changed]
        gates = [held for held in result.gates if held.set is one and held.state != ABSENT]
        if rows or gates:
            found.append((_set_title(one), rows, gates))
    return found


COLOURS = {INCONCLUSIVE: "yellow", NO_DIFFERENCE: "", FASTER: "green", SLOWER: "red"}
GATE_COLOURS = {PASSED: "green", FAILED: "red", UNDECIDED: "yellow"}


def print_text(result: Comparison, is_changed: bool) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console(highlight=False, markup=False, emoji=False, width=None if sys.stdout.isatty() else 1000)
    tables = _tables(result, is_changed)
    everything = [heading(result), _mean_cells(result)]
    everything += [cells_of(row) for _, rows, _ in tables for row in rows]
    widths = [max(map(len, column)) for column in zip(*everything)]
    # The last column may wrap between words, and a narrow terminal has no room for p.
    words = max(len(word) for cells in everything for word in cells[6].split())
    is_narrow = sum(widths[:6]) + 2 * 6 + words > console.width
    shown = [i for i in range(7) if i != 5 or not is_narrow]

    def put(rows: Iterable[tuple[Cells, str]]) -> None:
        table = Table.grid(padding=(0, 2, 0, 0))
        for i in shown:
            table.add_column(
                justify="right" if 0 < i < 6 else "left", min_width=widths[i] if i < 6 else words
            )
        for cells, colour in rows:
            table.add_row(*(Text(cells[i], colour if i == 6 else "") for i in shown))
        console.print(table)

    with console.capture() as captured:
        colour = "red" if result.doubted or result.status == NEGATIVE else COLOURS[result.overall]
        console.print(Text(clean(headline(result)), f"bold {colour}"))
        console.print()
        put([(heading(result), "")])
        for title, rows, gates in tables:
            console.print(Text(title, "bold"))
            put((cells_of(row), COLOURS[row.change.verdict]) for row in rows)
            for held in gates:
                state = (held.state, GATE_COLOURS[held.state])
                console.print(Text.assemble("gate ", clean(gate_text(held)), ": ", state))
        put([(_mean_cells(result), "")])
        hidden = len(result.rows) - sum(len(rows) for _, rows, _ in tables)
        if hidden:
            console.print(f"{units.plural(hidden, 'metric')} without a change not shown")
        console.print()
        console.print(summary(result))
        for note in notes(result):
            console.print(f"note: {note}")
    for line in captured.get().splitlines():
        print(line.rstrip())


def _markdown_text(text: str) -> str:
    return re.sub(r"([\\`*_{}\[\]<>|#~])", r"\\\1", clean(text))


def markdown_of(result: Comparison, is_changed: bool) -> str:
    lines = [f"**{_markdown_text(headline(result))}**", ""]

    def row_of(cells: Cells) -> str:
        return f"| {' | '.join(map(_markdown_text, cells))} |"

    for title, rows, gates in _tables(result, is_changed):
        lines += [f"### {_markdown_text(title)}", ""]
        if rows:
            lines += [
                row_of(heading(result)),
                "|---|---:|---:|---:|---:|---:|---|",
                *(row_of(cells_of(row)) for row in rows),
            ]
            lines.append("")
        lines += [f"- gate {_markdown_text(gate_text(held))}: **{held.state}**" for held in gates]
        lines += [""] * bool(gates)
    mean, count = geometric_mean(result.deciding)
    lines += [f"Geometric mean of {units.plural(count, 'change')}: {units.change(mean)} (+ is slower)", ""]
    lines += [_markdown_text(summary(result)), ""]
    lines += [f"- {_markdown_text(note)}" for note in notes(result)]
    return "\n".join(lines).rstrip("\n") + "\n"


# --- JSON and CSV: the same columns ---

OF_METRIC = ("unit", "better")
OF_CHANGE = [field.name for field in fields(Change) if field.name != "p"]
PERCENT = ("change", "low", "high", "floor", "bucket", "margin")  # in CSV


def _finite(value: Any) -> Any:
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _members(row: Row) -> dict[str, Any]:
    members = {"metric": row.metric.name} | {name: getattr(row.metric, name) for name in OF_METRIC}
    members |= {name: _finite(getattr(row.change, name)) for name in OF_CHANGE}
    return members | {"why_not": row.why_not}


def csv_of(result: Comparison, is_changed: bool = False) -> str:
    from memstor.convert import text

    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    columns = ["metric", *OF_METRIC, *OF_CHANGE, "why_not"]
    headings = [f"{name}_percent" if name in PERCENT else name for name in columns]
    writer.writerow(["set", "tool", *headings, "untrustworthy"])
    for row in result.rows:
        values = _members(row)
        values |= {name: 100 * values[name] for name in PERCENT if values[name] is not None}
        texts = [str(value).lower() if isinstance(value, bool) else value for value in values.values()]
        doubts = "; ".join(dict.fromkeys(run.doubt for run in row.set.all if run.doubt))
        writer.writerow([text(clean(row.set.title)), text(row.set.all[0].tool), *texts, doubts])
    return out.getvalue()


def _set_members(one: Set) -> dict[str, Any]:
    reports = {
        f"{side.strip('-').lower()}_reports": [run.path for run in runs] for side, runs in one.runs.items()
    }
    return {"title": one.title, "tool": one.all[0].tool, **reports}


def _gate_members(held: Held) -> dict[str, Any]:
    members = {"gate": held.gate.text, "result": held.state}
    if held.row:
        values = map(_finite, held.gate.held_to(held.row.change))
        members |= dict(zip(("value", "low", "high"), values))
    return members


def json_of(result: Comparison, is_changed: bool = False) -> str:
    """Changes are fractions, values in the metric's unit; null for what is absent or has no bound."""
    mean, count = geometric_mean(result.deciding)
    sets = []
    for one in result.sets:
        if one.is_paired:
            options = one.runs[BASE][0].texts("option")
            metrics = [_members(row) for row in result.rows if row.set is one]
            gates = [_gate_members(held) for held in result.gates if held.set is one]
            sets.append(_set_members(one) | {"options": options, "metrics": metrics, "gates": gates})
    document = {
        "comparison": JSON_VERSION,
        "program": f"memstor {version()}",
        "headline": headline(result),
        "overall": result.overall,
        "exit_status": result.status,
        "is_trustworthy": not result.doubted,
        "untrustworthy": [{"report": run.path, "why": run.doubt} for run in result.doubted],
        "confidence": result.request.rule.level,
        "margin": result.request.rule.margin,
        "geometric_mean": {"change": _finite(mean), "metrics": count},
        "lost_sets": result.lost,
        "sets": sets,
        "unpaired": [_set_members(one) for one in result.sets if not one.is_paired],
        "left_out": [{"report": path, "why": why} for path, why in result.left_out],
        "notes": notes(result),
    }
    return json.dumps(document, indent=1) + "\n"
