# SPDX-License-Identifier: GPL-3.0-or-later
"""What ends a command with one line, and the exit statuses of all tools (docs/ARCHITECTURE.md)."""

from __future__ import annotations

import sys
from typing import Sequence

OK, NEGATIVE, USAGE, HOST, UNTRUSTED, DIFFERENT = 0, 1, 2, 3, 4, 5
LINES_MAX = 20  # of one kind


def clean(text: str) -> str:
    """The text on one line: what a terminal would take for a command becomes an escape."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


class Problem(Exception):
    """One line for the user, and the exit status.

    path and line, where known, begin the line as "PATH:LINE: ".
    """

    def __init__(self, text: str, path: str = "", line: int | None = None, status: int = USAGE):
        where = f"{path}:{line}: " if path and line else f"{path}: " if path else ""
        super().__init__(clean(where + text))
        self.status = status


def warn(text: str) -> None:
    print(clean(f"memstor: warning: {text}"), file=sys.stderr)


def warn_left_out(left_out: Sequence[tuple[str, str]]) -> None:
    """Paths, and what is wrong with each as a predicate."""
    for path, why in left_out[:LINES_MAX]:
        warn(f"{path}: left out: it {why}")
    if len(left_out) > LINES_MAX:
        warn(f"{len(left_out) - LINES_MAX} more are left out")
