# SPDX-License-Identifier: GPL-3.0-or-later
"""What a command's parser says to other programs: to the completion of shells, and to memstor.1.

The lines of --completion-rows are those that completion/memstor.bash reads from every tool:
"option LONG LETTER VALUE TIMES CHOICE..." and "argument - - VALUE TIMES CHOICE...", in which - is none.
"""

from __future__ import annotations

import argparse
import re
from importlib import import_module
from typing import Callable, Iterable, Iterator

from memstor.cli import COMMANDS, Parser, command_of, parser_of, value_of
from memstor.error import OK

WRITTEN = ("output", "file", "json", "csv", "markdown", "keep_data", "junit")
HISTOGRAM = ("mean", "max", "p50", "p90", "p99", "p99.9")
# What values may be that have other forms, too: the words are offered.
OFFERS: dict[str, Callable[[], Iterable[str]]] = {
    "suite": lambda: import_module("memstor.suite").shipped(),
    "metric": lambda: [*import_module("memstor.metric").names(), *HISTOGRAM],
    "allow_different": lambda: ("options", "machine", "sets"),
    "class_": lambda: ("all", "hit", "minor", "major"),
    "type": lambda: ("read", "write", "both", "sync", "response", "service", "commit"),
    "model": lambda: ("naive", "cawl", "kernel"),
}
REPEATED = (argparse._AppendAction, argparse._ExtendAction)


def _value(action: argparse.Action, is_bare: bool) -> str:
    """none, text, list, file, report, output or folder, and ? if the value may be missing."""
    if action.nargs == 0:
        return "none"
    name = str(action.metavar or "").strip("[]")
    kinds = {"FILE": "file" if action.option_strings else "report", "REPORT": "report", "SUITE": "file"}
    kinds |= {"DIR": "folder"}
    kind = kinds.get(name, "list" if name.endswith(",...") else "text")
    kind = "output" if kind == "file" and action.dest in WRITTEN else kind
    return kind + "?" * is_bare


def _row(name: str, letter: str, value: str, is_many: bool, choices: Iterable[object]) -> str:
    kind = "argument" if name == letter == "-" else "option"
    return " ".join([kind, name, letter, value, "many" if is_many else "once", *map(str, choices)])


def rows(parser: Parser | None) -> Iterator[str]:
    """Lines for completion: of a command, or of memstor itself."""
    if parser is None:
        yield from (f"command {command.name}" for command in COMMANDS)
        yield _row("--help", "-h", "none", False, ())
        yield _row("--version", "-V", "none", False, ())
        return
    for action in parser._actions:
        longs = [word for word in action.option_strings if word.startswith("--")]
        letters = [word for word in action.option_strings if word not in longs]
        is_many = isinstance(action, REPEATED) or action.nargs in ("+", "*")
        value = _value(action, bool(set(longs) & set(parser.bare)))
        yield _row(
            "".join(longs) or "-",
            "".join(letters) or "-",
            value,
            is_many,
            action.choices or OFFERS.get(action.dest, tuple)(),
        )
    for value, is_many, choices in parser.arguments:
        yield _row("-", "-", value, is_many, choices)


def _roff(text: str) -> str:
    return re.sub(r"^([.'])", r"\\&\1", text.replace("\\", "\\e").replace("-", "\\-"), flags=re.M)


def manual(parser: Parser) -> Iterator[str]:
    """The options of a command as paragraphs of a manual page, by group."""
    for group in parser._action_groups:
        actions = [
            action for action in group._group_actions if action.option_strings and action.dest != "help"
        ]
        if actions and group.title not in ("options", "positional arguments"):
            yield f".I {_roff(str(group.title).capitalize())}"
        for action in actions:
            value = re.sub(r"[^][=|]+", lambda name: f"\\fI{_roff(name[0])}\\fR", value_of(action))
            yield ".TP"
            yield ", ".join(f"\\fB{_roff(word)}\\fR" for word in action.option_strings) + value
            text = str(action.help).replace("%%", "%")
            yield f"{_roff(text[0].upper() + text[1:])}."


def main(arguments: list[str]) -> int:
    """Prints what [COMMAND] --completion-rows or COMMAND --manual-options asks for."""
    *names, asked = arguments
    parser = parser_of(command_of(names[0])) if names else None
    lines = manual(parser) if parser and asked == "--manual-options" else rows(parser)
    print(*lines, sep="\n")
    return OK
