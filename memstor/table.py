# SPDX-License-Identifier: GPL-3.0-or-later
"""Reports as one tidy table, for notebooks: a row a number."""

from __future__ import annotations

import math
from typing import Any, Iterable, Iterator

from memstor.report import Report, Subject, read


def _numbers(report: Report) -> Iterator[tuple[str, str, str, str, float]]:
    """Subject, class, name, unit and value."""
    for subject in (Subject("", "", report.values), *report.subjects.values()):
        for value in subject.values.values():
            yield subject.id, "", value.name, value.unit, value.value
    for h in report.finest:
        where = (h.of_class, "") if h.of_class in report.subjects else ("", h.of_class)
        yield *where, f"{h.type}.count", "", float(h.count)
        for name, number in h.statistics().items():
            if math.isfinite(number):
                yield *where, f"{h.type}.{name}", "ns", number


def rows(reports: Iterable[Report]) -> Iterator[dict[str, Any]]:
    """Each value of a run (subject "") and of its subjects, and each statistic of a histogram, as
    "read.p99_ns" of class "major". step: of `memstor run`. A percentile whose bucket is too wide to say is
    left out."""
    for report in reports:
        about = {
            "file": report.path,
            "run": report.uuid,
            "tool": report.tool,
            "step": report.labels.get("step", ""),
            "wall_start": report.wall_start,
            "status": report.status,
            **{f"label.{name}": text for name, text in report.labels.items()},
        }
        for numbers in _numbers(report):
            yield about | dict(zip(("subject", "class", "name", "unit", "value"), numbers))


def frame(*paths: str) -> Any:
    """rows() of files and folders as a pandas.DataFrame; where pandas is not installed, as a list.
    Problem as of read()."""
    table = list(rows(read(*paths)))
    try:
        import pandas
    except ImportError:
        return table
    return pandas.DataFrame(table)
