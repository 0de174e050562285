# SPDX-License-Identifier: GPL-3.0-or-later
"""The command line: a row a command, one-line errors, and the exit statuses of all tools.

A command is a module with EXAMPLES (lines of a shell), add_options(parser) and run(options), which returns
the exit status. Only the module of the command that is called is imported.
"""

from __future__ import annotations

import argparse
import importlib
import os
import signal
import sys
from types import FrameType
from typing import Any, NamedTuple, NoReturn

from memstor import __version__
from memstor.error import HOST, OK, USAGE, Problem, clean


class Command(NamedTuple):
    name: str
    about: str  # one line of memstor --help
    wrong: int = 0  # the status of every error; 0: each has its own


COMMANDS = (
    Command("run", "run the steps of a suite, or one command, in turn, and keep their reports"),
    Command("compare", "say what is faster and what is slower, with intervals; --gate for CI"),
    Command("validate", "check reports against the schema and its laws"),
    Command("convert", "write reports as JSON, CSV, or numbers for other programs"),
    Command("merge", "add the histograms and counters of reports exactly"),
    Command("mpi", "run one command on every rank of an MPI job at one moment, and merge the reports"),
    Command("plot", "draw reports as SVG, PNG or PDF"),
    Command("html", "write one page with verdicts, tables and charts"),
    Command("bisect", "say whether the commit that is checked out is slower, to git bisect run", wrong=128),
    Command("history", "keep numbers over time in one file, and find the commits that changed them"),
    Command("doctor", "list what this machine lacks for each tool, with remedies"),
)


BEHIND = "\0--"  # a "--" between sides, among the arguments of a command that has them


def value_of(action: argparse.Action) -> str:
    """The value of an option as help writes it: =FILE, [=FILE], =json|csv; empty for a flag."""
    if action.nargs == 0:
        return ""
    name = str(action.metavar or "|".join(action.choices or ()) or action.dest.upper())
    return f"[={name[1:-1]}]" if name.startswith("[") else f"={name}"


class Help(argparse.RawDescriptionHelpFormatter):
    """Options as the other tools list them: -o, --output=FILE."""

    def add_usage(self, usage: Any, actions: Any, groups: Any, prefix: str | None = None) -> None:
        super().add_usage(usage, actions, groups, prefix or "Usage: ")

    def _format_action_invocation(self, action: argparse.Action) -> str:
        if not action.option_strings:
            return super()._format_action_invocation(action)
        return ", ".join(action.option_strings) + value_of(action)


class Parser(argparse.ArgumentParser):
    """Errors are one line, and help begins with examples.

    bare: options that mean --OPTION=VALUE when they are given without a value, which is never the next
    argument. has_sides: "--" stands between two sides, options may stand anywhere, and a second "--" ends
    them; see sides(). has_command: what follows "--" is a command with its own options, options.command.
    statuses: of a usage error, by an option among the arguments.
    """

    def __init__(self, **keywords: Any):
        super().__init__(**keywords)
        self.bare: dict[str, str] = {}
        self.has_sides = False
        self.sides_most = 2
        self.has_command = False
        self.statuses: dict[str, int] = {}
        self.status = USAGE
        # What has_sides and has_command take, for the shells: kind of value, many of them, choices.
        self.arguments: list[tuple[str, bool, list[str]]] = []

    def error(self, message: str) -> NoReturn:
        raise Problem(f"{message} (see '{self.prog} --help')", status=self.status)

    def parse(self, arguments: list[str]) -> argparse.Namespace:
        words = list(arguments)
        self.status = next((of for option, of in self.statuses.items() if option in words), USAGE)
        for _ in range(self.sides_most - 1 if self.has_sides else 0):
            if "--" in words:
                words[words.index("--")] = BEHIND
        end = words.index("--") if "--" in words else len(words)
        words[:end] = [f"{word}={self.bare[word]}" if word in self.bare else word for word in words[:end]]
        if self.has_command:
            options = self.parse_args(words[:end])
            options.words, options.command = arguments, words[end + 1 :]
            return options
        if not self.has_sides:
            return self.parse_intermixed_args(words)
        options, paths = self.parse_known_args(words[:end])
        unknown = next((path for path in paths if path.startswith("-") and path != "-"), None)
        if unknown is not None:
            self.error(f"unrecognized arguments: {unknown}")
        options.paths = paths + words[end + 1 :]
        return options


def two_of(folder: str) -> list[str]:
    """Two folders in this one that may be compared: base and new, or the first two steps."""
    found = [entry.path for entry in os.scandir(folder) if entry.is_dir()] if os.path.isdir(folder) else []
    named = [path for path in (f"{folder}/base", f"{folder}/new") if path in found]
    return named if len(named) == 2 else sorted(found)[:2] if len(found) > 1 else ["BASE", "NEW"]


def sides(paths: list[str], command: str) -> tuple[list[str], list[str]]:
    """BASE and NEW of the paths of a command with two sides; exactly two paths need no "--" between them."""
    if BEHIND not in paths and len(paths) == 2:
        return paths[:1], paths[1:]
    at = paths.index(BEHIND) if BEHIND in paths else len(paths)
    base, new = paths[:at], paths[at + 1 :]
    if not base or not new:
        missing = "NEW" if base else "BASE"
        like = " ".join(two_of(base[0])) if len(base) == 1 else "BASE NEW, or BASE... -- NEW..."
        raise Problem(f"no {missing} given: memstor {command} {like} (files, or folders of reports)")
    return base, new


def command_of(name: str) -> Command:
    """Problem if there is none of this name."""
    command = next((c for c in COMMANDS if c.name == name), None)
    if command is None:
        raise Problem(f"'{name}' is no command: allowed are {', '.join(c.name for c in COMMANDS)}")
    return command


def parser_of(command: Command) -> Parser:
    """Imports the module of a command."""
    module = importlib.import_module(f"memstor.{command.name}")
    examples = "".join(f"  {line}\n" for line in module.EXAMPLES)
    parser = Parser(
        prog=f"memstor {command.name}",
        allow_abbrev=False,
        formatter_class=Help,
        description=f"{command.about[0].upper()}{command.about[1:]}.\n\nExamples:\n{examples}",
    )
    module.add_options(parser)
    parser.set_defaults(run=module.run)
    return parser


def usage() -> str:
    width = max(len(command.name) for command in COMMANDS)
    lines = [f"  {command.name:<{width}}  {command.about}" for command in COMMANDS]
    return "\n".join(
        [
            "Usage: memstor COMMAND [OPTION...] ...",
            "Runs measurements, and works with the reports of memstor's tools.",
            "",
            *lines,
            "",
            "memstor COMMAND --help explains a command; memstor(1) explains them all.",
            "",
        ]
    )


def version() -> str:
    return __version__


def doctor(arguments: list[str]) -> None:
    """Becomes memstor-doctor, a program of its own."""
    from memstor import programs

    path = programs.find("memstor-doctor")
    if not path:
        raise Problem(
            "memstor-doctor is neither beside memstor nor in PATH: install it from the same sources",
            status=HOST,
        )
    os.execv(path, ["memstor", *arguments])


def call(arguments: list[str]) -> int:
    """Runs a command; a Problem is the caller's."""
    if arguments[:1] == ["doctor"]:
        doctor(arguments[1:])
    if arguments[-1:] in (["--completion-rows"], ["--manual-options"]) and len(arguments) <= 2:
        from memstor import describe

        return describe.main(arguments)
    if not arguments:
        raise Problem("a command is missing (see 'memstor --help')")
    name, *rest = arguments
    if name in ("-h", "--help", "help"):
        print(usage(), end="")
        return OK
    if name in ("-V", "--version"):
        print(f"memstor {version()}")
        return OK
    parser = parser_of(command_of(name))
    options = parser.parse(rest)
    return int(options.run(options))


def _interrupt(_: int, frame: FrameType | None) -> None:
    """KeyboardInterrupt, again until main() has it: at a fork, Python loses it. While a module is imported it
    waits, since those in C go on without it, and while Python tells of one that it lost."""
    signal.setitimer(signal.ITIMER_REAL, 0.02)
    while frame is not None and not (
        frame.f_code.co_filename.startswith("<frozen importlib") or frame.f_code is _lost.__code__
    ):
        frame = frame.f_back
    # What cleans up is not interrupted.
    if frame is None and not isinstance(sys.exc_info()[1], KeyboardInterrupt):
        raise KeyboardInterrupt


def _lost(of: Any) -> None:
    if not isinstance(of.exc_value, KeyboardInterrupt):
        sys.__unraisablehook__(of)


def _listen() -> None:
    """Unless the caller ignores interrupts, as a shell does for what runs in the background."""
    if signal.getsignal(signal.SIGINT) == signal.default_int_handler:
        sys.unraisablehook = _lost
        signal.signal(signal.SIGALRM, _interrupt)
        signal.signal(signal.SIGINT, _interrupt)


def _explained(error: Exception) -> tuple[str, int]:
    """The line for the user, and the exit status; status 0: it is a mistake of ours."""
    if isinstance(error, Problem):
        return str(error), error.status
    if isinstance(error, ImportError):
        package = f"python3-{(error.name or '').split('.')[0]}"
        return f"Python's module {error.name} is missing: install {package}", HOST
    if isinstance(error, MemoryError):
        return "not enough memory", HOST
    if isinstance(error, OSError):
        where = f"{error.filename}: " if error.filename else ""
        return (
            clean(f"{where}{error.strerror or error}"),
            HOST if error.errno in (12, 23, 24, 28, 122) else USAGE,
        )
    return clean(f"{type(error).__name__}: {error}"), 0


def _drop_output() -> None:
    """What cannot be written is not tried again at the end, where Python would replace the exit status."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def main(arguments: list[str] | None = None) -> int:
    """The exit status of the command line, after at most one line on stderr. None: this is the program."""
    words = sys.argv[1:] if arguments is None else arguments
    wrong = next((of.wrong for of in COMMANDS if words[:1] == [of.name]), 0)
    try:
        if arguments is None:
            _listen()
        status = call(words)
        sys.stdout.flush()
        return status
    except BrokenPipeError:
        # The reader, as head, has seen enough.
        _drop_output()
        return wrong
    except KeyboardInterrupt:
        signal.setitimer(signal.ITIMER_REAL, 0)
        print("memstor: interrupted", file=sys.stderr)
        return 128 + signal.SIGINT
    except Exception as error:
        text, status = _explained(error)
        if not status | wrong:
            raise
        print(f"memstor: {text}", file=sys.stderr)
        if isinstance(error, OSError) and arguments is None:
            _drop_output()
        return max(wrong, status)
