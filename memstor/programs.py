# SPDX-License-Identifier: GPL-3.0-or-later
"""The programs that steps of a suite run: how each is told where its report goes, and where it is found."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from functools import cache
from typing import NamedTuple, Sequence

from memstor.error import Problem

REPORT = "report.xml"
# Options that memstor run gives itself, or that make no run.
RESERVED = {*"-f --file --json --label -n --dry-run --recover --start-at --help --usage --version".split()}


class Tool(NamedTuple):
    """A program whose result is a file."""

    words: tuple[str, ...]  # the program, and its command
    output: str = "-f"
    result: str = REPORT
    has_labels: bool = True
    has_check: bool = True  # --dry-run only checks the options
    has_start: bool = False  # --start-at


TOOLS = (
    Tool(("pmbench",), has_start=True),
    Tool(("iowrite-bench", "run"), has_start=True),
    Tool(("iowrite-bench", "evaluate")),
    Tool(("iowrite-bench", "calibrate"), output="-o", result="system.xml", has_labels=False),
    Tool(("ssd-workloads", "run"), has_start=True),
    Tool(("ssd-workloads", "analyze"), has_labels=False, has_check=False),
)


def reserved(words: Sequence[str]) -> list[str]:
    """Those of RESERVED among the words of a tool, also as -fFILE and --fil=FILE."""
    names = [word.partition("=")[0] for word in words]
    short = [name[:2] for name in names if name[:2] in RESERVED and not name.startswith("--")]
    long = [name for name in names if len(name) > 3 and any(option.startswith(name) for option in RESERVED)]
    return short + long


def tool_of(words: Sequence[str]) -> Tool | None:
    """None: any other command, which with-pressure measures."""
    return next((tool for tool in TOOLS if tuple(words[: len(tool.words)]) == tool.words), None)


@cache
def _own() -> list[str]:
    """Folders in which the programs of this package may be: the launcher's, and that of a build tree. First
    asked before memstor run enters another folder, to which the launcher's may be relative."""
    launcher = os.path.dirname(os.path.realpath(sys.argv[0]))
    package = os.path.dirname(os.path.realpath(__file__))
    trees = (f"{launcher}/..", f"{package}/../build")
    return [launcher, *(os.path.realpath(tree) for tree in trees if os.path.exists(f"{tree}/config.status"))]


def git(*words: str, outside: str | None = None) -> str:
    """What git says of the current folder. outside: where there is no clone, or no git; Problem otherwise."""
    try:
        done = subprocess.run(
            ["git", *words], capture_output=True, check=False, env={**os.environ, "LC_ALL": "C"}
        )
    except OSError as problem:
        if outside is not None:
            return outside
        raise Problem(f"git: {problem.strerror}") from None
    said, why = (text.decode(errors="backslashreplace").strip() for text in (done.stdout, done.stderr))
    if done.returncode and outside is not None and "not a git repository" in why:
        return outside
    if done.returncode:
        raise Problem(f"git {words[0]}: {why.splitlines()[0] if why else 'failed'}")
    return said


def find(name: str, folder: str = "") -> str:
    """The absolute path of a program: in this folder, beside memstor, in its build tree, or in PATH. A build
    tree has it in a folder of its name, and memstor-doctor in doctor. "" = there is none."""
    folders = [folder] * bool(folder) + _own()
    places = [place for of in folders for place in (of, f"{of}/{name.removeprefix('memstor-')}")]
    path = shutil.which(name, path=":".join([*places, os.environ.get("PATH", os.defpath)]))
    return os.path.abspath(path) if path else ""
