# SPDX-License-Identifier: GPL-3.0-or-later
"""Suites of measurements: TOML files with steps. All of a suite is checked before anything runs.

A text may have {NAME}, the value of a variable (set, for, --set, or here: the folder of the suite), and a
word of a command {STEP} or {STEP/FILE}, the newest result of another step or a file beside it. {{ and }} are
braces.
"""

from __future__ import annotations

import itertools
import math
import os
import re
import shlex
import tomllib
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Callable, Iterator, Mapping, NamedTuple

from memstor import needs
from memstor.error import Problem
from memstor.output import input_bytes

SUFFIX = ".toml"
BYTES_MAX = 256 << 10
STEPS_MAX, RUNS_MAX = 1000, 1000
LIMIT_LEAST_S, LIMIT_MOST_S = 0.01, 168 * 3600.0
NAME = r"[A-Za-z0-9][A-Za-z0-9._,+=%-]{0,63}"
VARIABLE = r"[A-Za-z_]\w{0,31}"
BRACES = re.compile(rf"\{{\{{|\}}\}}|\{{({VARIABLE}|{NAME})(?:/([\w.-]+))?\}}", re.ASCII)
TIMES = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0, "h": 3600.0}
OWN_FILES = ("index.jsonl",)  # in the folder of results, beside those of the steps
COMMANDS = ("run", "setup", "cleanup")
DEFAULTS = {"runs": 1, "warmup": 0, "time_limit": "10m", "launcher": ""}


@dataclass(frozen=True, slots=True)
class Step:
    """In the words of commands are references still: see fill()."""

    name: str
    line: int  # of its run
    run: list[str]
    setup: list[str] = field(default_factory=list)
    cleanup: list[str] = field(default_factory=list)
    runs: int = 1
    warmup: int = 0
    limit_s: float = 600.0
    needs: list[str] = field(default_factory=list)
    env: dict[str, str] = field(default_factory=dict)
    cwd: str = ""  # absolute; "" = the folder of the run
    gate: list[str] = field(default_factory=list)
    metric: dict[str, dict[str, str]] = field(default_factory=dict)
    launcher: list[str] = field(
        default_factory=list
    )  # as srun, under which memstor mpi runs it on many hosts

    def references(self) -> set[tuple[str, str]]:
        return {found for words in (self.run, self.setup, self.cleanup) for found in references(words)}


class Suite(NamedTuple):
    name: str
    path: str  # as given, for messages
    text: str
    about: str
    steps: list[Step]


def seconds(text: str) -> float:
    """Of "300", "5m", "250ms"; NaN of anything else."""
    match = re.fullmatch(r"(\d{1,12}(?:\.\d{1,12})?)(ns|us|ms|s|m|h)?", text, re.ASCII)
    return float(match[1]) * TIMES[match[2] or "s"] if match else math.nan


# --- texts with braces ---


def _escape(text: str) -> str:
    return text.replace("{", "{{").replace("}", "}}")


def expand(text: Any, scope: Mapping[str, str]) -> str:
    """{NAME} of a known variable becomes its value, whose braces are doubled."""

    def value(match: re.Match[str]) -> str:
        return _escape(scope[match[1]]) if match[1] in scope and not match[2] else match[0]

    return BRACES.sub(value, str(text))


def fill(text: str, path_of: Callable[[str, str], str] | None = None) -> str:
    """The text of an expanded one: with path_of(STEP, FILE) for each {STEP/FILE}, FILE "" of {STEP}."""

    def value(match: re.Match[str]) -> str:
        if not match[1]:
            return match[0][0]
        return path_of(match[1], match[2] or "") if path_of else match[0]

    return BRACES.sub(value, text)


def references(texts: list[str]) -> Iterator[tuple[str, str]]:
    """(STEP, FILE) of each reference in expanded texts."""
    for match in itertools.chain.from_iterable(map(BRACES.finditer, texts)):
        if match[1]:
            yield match[1], match[2] or ""


# --- keys ---

Check = Callable[[Any], bool]


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and "\0" not in value


def _is_scalar(value: Any) -> bool:
    return _is_text(value) or type(value) in (int, float)


def _is_list(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(map(_is_scalar, value))


def _is_words(value: Any) -> bool:
    return bool(value.strip()) if _is_text(value) else _is_list(value)


def _is_count(least: int) -> Check:
    return lambda value: type(value) is int and least <= value <= RUNS_MAX


def _is_table(of: Check) -> Check:
    def check(value: Any) -> bool:
        if not isinstance(value, dict):
            return False
        return all(re.fullmatch(VARIABLE, name, re.ASCII) and of(inner) for name, inner in value.items())

    return check


def _is_metric(value: Any) -> bool:
    if not _is_table(_is_text)(value) or not value.keys() <= {"regex", "json", "unit", "better"}:
        return False
    try:
        re.compile(value.get("regex", ""))
    except (re.error, OverflowError, RecursionError):
        return False
    return ("regex" in value) != ("json" in value) and value.get("better", "lower") in ("lower", "higher")


class Key(NamedTuple):
    places: str
    is_right: Check
    allowed: str


HEAD, STEP = "before the first step", "in a step"
TABLE, WORDS = "must be names with a text or number each", "must be a text, or a list of words"
LIMIT = 'must be a time from 10ms to 168h, as "30s" or "5m"'
METRIC = 'must be as metric.NAME = {regex = "...", unit = "ns", better = "lower"}, or json = "path" for regex'
KEYS = {
    "about": Key(HEAD, _is_text, "must be a text"),
    "set": Key(HEAD, _is_table(_is_scalar), TABLE),
    "step": Key(HEAD, lambda value: isinstance(value, list), "must be tables: [[step]]"),
    "runs": Key(HEAD + STEP, _is_count(1), f"must be 1 to {RUNS_MAX}"),
    "warmup": Key(HEAD + STEP, _is_count(0), f"must be 0 to {RUNS_MAX}"),
    "time_limit": Key(HEAD + STEP, _is_text, LIMIT),
    "launcher": Key(HEAD + STEP, _is_words, WORDS),
    "needs": Key(HEAD + STEP, _is_list, "must be a list of needs"),
    "env": Key(HEAD + STEP, _is_table(_is_scalar), TABLE),
    "name": Key(STEP, _is_text, "must be a text"),
    "for": Key(STEP, _is_table(_is_list), "must be names with a list of texts or numbers each"),
    "run": Key(STEP, _is_words, WORDS),
    "shell": Key(STEP, lambda value: isinstance(value, bool), "must be true or false"),
    "setup": Key(STEP, _is_words, WORDS),
    "cleanup": Key(STEP, _is_words, WORDS),
    "cwd": Key(STEP, _is_text, "must be a text"),
    "gate": Key(STEP, _is_list, "must be a list of gates"),
    "metric": Key(STEP, _is_table(_is_metric), METRIC),
}


class _Wrong(Exception):
    """A key of the suite, or of the step that is read, is wrong; parse() adds file and line."""

    def __init__(self, text: str, key: str = ""):
        super().__init__(text)
        self.key = key


def _line_of(text: str, step: int | None, key: str) -> int:
    """Of a key ("for.pattern") of the step with this index, else of its [[step]]; None: of the suite."""
    strings = re.compile(r'("""|\'\'\')[\s\S]*?\1')
    plain = strings.sub(lambda match: "\n" * match[0].count("\n"), text).splitlines()
    heads = [i for i, line in enumerate(plain) if re.match(r"\s*\[\[\s*step\s*\]\]", line)]
    begin, end = 0, len(plain)
    if step is not None and step < len(heads):
        begin, end = heads[step], (heads + [end])[step + 1]
    last = re.escape(key.split(".")[-1])
    pattern = re.compile(rf'\s*(?:\[.*\b{last}\b|(?:[\w"-]+\s*\.\s*)*"?{last}"?\s*[.=])')
    return next((i for i in range(begin, end) if key and pattern.match(plain[i])), begin) + 1


def _load(path: str, data: bytes) -> tuple[str, dict[str, Any]]:
    """Text and keys."""
    if len(data) > BYTES_MAX:
        raise Problem(f"a suite has up to {BYTES_MAX >> 10} KiB", path)
    try:
        text = data.decode()
        return text, tomllib.loads(text)
    except UnicodeDecodeError as problem:
        raise Problem("is not UTF-8", path, data[: problem.start].count(b"\n") + 1) from None
    except RecursionError:
        raise Problem("is nested too deeply", path, 1) from None
    except ValueError as problem:
        what, _, place = str(problem).partition(" (at ")
        number = re.match(r"line (\d+)", place)
        raise Problem(what, path, int(number[1]) if number else text.count("\n") + 1) from None


def _check_keys(table: Any, place: str) -> None:
    if not isinstance(table, dict):
        raise _Wrong(f"step: {KEYS['step'].allowed}")
    for name, value in table.items():
        key = KEYS.get(name)
        if key is None or place not in key.places:
            allowed = ", ".join(of for of, key in KEYS.items() if place in key.places)
            raise _Wrong(f"'{name[:40]}' is not allowed {place}; allowed: {allowed}", name)
        if not key.is_right(value):
            raise _Wrong(f"{name}: {key.allowed}", name)


# --- steps ---


def _words(value: Any, key: str, is_shell: bool = False) -> list[str]:
    """Of a command, before variables are expanded: a value with blanks stays one word."""
    if value and is_shell:
        if not isinstance(value, str):
            raise _Wrong(f"{key}: must be a text, for the shell", key)
        return ["sh", "-c", value]
    try:
        return shlex.split(value) if isinstance(value, str) else value
    except ValueError as problem:
        raise _Wrong(f"{key}: {str(problem).lower()}", key) from None


def _text(key: str, value: Any, scope: Mapping[str, str]) -> str:
    """Of a key without references."""
    expanded = expand(value, scope)
    for name, file in references([expanded]):
        what = "{" + name + f"/{file}" * bool(file) + "}"
        raise _Wrong(f"{key}: {what}: no such variable; there are: {', '.join(scope)}", key)
    return fill(expanded)


def _texts(
    key: str, table: Mapping[str, Any], scope: Mapping[str, str], check: Callable[[str], Any]
) -> list[str]:
    texts = [_text(key, value, scope) for value in table.get(key, [])]
    try:
        for text in texts:
            check(text)
    except (ValueError, Problem) as problem:
        raise _Wrong(f"{key} {problem}".replace("gate --gate", "gate"), key) from None
    return texts


def _check_gate(text: str, own: Mapping[str, Any]) -> None:
    """own: the step's metrics."""
    from memstor import metric
    from memstor.stats import parse_gate

    of = parse_gate(text).ways[0][1]
    if of.name.startswith(metric.STEP) and of.name.removeprefix(metric.STEP) not in own:
        has = ", ".join(metric.STEP + name for name in own) or "none"
        raise ValueError(f"{text!r}: the step has no {of.name}; it has: {has}")


def _scopes(
    table: Mapping[str, Any], scope: Mapping[str, str], settings: Mapping[str, str]
) -> Iterator[dict[str, str]]:
    """The variables of each combination of the values of a step's loops."""
    loops = {}
    for name, values in table.get("for", {}).items():
        if name in scope:
            raise _Wrong(f"for.{name}: is set already", f"for.{name}")
        given = _words(settings.get(name, ""), "for")
        loops[name] = given or [_text("for", value, scope) for value in values]
    for combination in itertools.product(*loops.values()):
        yield {**scope, **dict(zip(loops, combination))}


def _step(table: Mapping[str, Any], line: int, scope: Mapping[str, str]) -> Step:
    name, limit = _text("name", table["name"], scope), _text("time_limit", table["time_limit"], scope)
    if not re.fullmatch(NAME, name) or name in OWN_FILES:
        allowed = "up to 64 letters, digits and ._,+=%-, a letter or digit first"
        raise _Wrong(f"step '{name[:80]}': a name is of {allowed}", "name")
    if not LIMIT_LEAST_S <= seconds(limit) <= LIMIT_MOST_S:
        raise _Wrong(f"time_limit '{limit[:40]}': {LIMIT}", "time_limit")
    words = {key: [expand(word, scope) for word in table[key]] for key in COMMANDS}
    launcher = [_text("launcher", word, scope) for word in _words(table["launcher"], "launcher")]
    if launcher and table.get("metric"):
        raise _Wrong("metric: is not taken from the output of many hosts: not with a launcher", "metric")
    if not words["run"] or not words["run"][0]:
        raise _Wrong(f"run: {WORDS}", "run")
    return Step(
        name=name,
        line=line,
        **words,
        runs=table["runs"],
        warmup=table["warmup"],
        limit_s=seconds(limit),
        needs=_texts("needs", table, scope, needs.check),
        env={of: _text("env", value, scope) for of, value in table["env"].items()},
        cwd=os.path.join(scope["here"], _text("cwd", table["cwd"], scope)) if "cwd" in table else "",
        gate=_texts("gate", table, scope, partial(_check_gate, own=table.get("metric", {}))),
        metric=table.get("metric", {}),
        launcher=launcher,
    )


def _table(own: dict[str, Any], head: Mapping[str, Any]) -> dict[str, Any]:
    """The keys of a step, with those of the suite and the defaults."""
    _check_keys(own, STEP)
    for key in ("name", "run"):
        if key not in own:
            raise _Wrong(f"a step without '{key}'")
    table = {key: own.get(key, head.get(key, default)) for key, default in DEFAULTS.items()} | own
    table["needs"] = head.get("needs", []) + own.get("needs", [])
    table["env"] = head.get("env", {}) | own.get("env", {})
    return table | {key: _words(own.get(key, []), key, own.get("shell", False)) for key in COMMANDS}


def _check_references(step: Step, scope: Mapping[str, str], names: Mapping[str, Any]) -> None:
    for key in COMMANDS:
        for name, _ in references(getattr(step, key)):
            if name not in names:
                has = ", ".join(scope)
                raise _Wrong(f"{key}: {{{name}}}: no such variable or step; variables are: {has}", key)
            if name == step.name:
                raise _Wrong(f"{key}: {{{name}}}: a step cannot use its own result", key)


def parse(path: str, data: bytes, settings: Mapping[str, str] = {}) -> Suite:
    """The suite of a file's bytes. settings: other values of variables. Problem with file and line."""
    text, head = _load(path, data)
    index = None
    steps: dict[str, tuple[int, Step, dict[str, str]]] = {}
    try:
        _check_keys(head, HEAD)
        if not head.get("step"):
            raise _Wrong('a suite without a step; a step is: [[step]], name = "...", run = "..."', "step")
        variables = {"here": os.path.realpath(os.path.dirname(path) or ".")}
        for name, value in head.get("set", {}).items():
            if name in variables:
                raise _Wrong(f"set.{name}: is set already", f"set.{name}")
            variables[name] = settings[name] if name in settings else _text("set", value, variables)
        known = [*head.get("set", {})]
        for index, own in enumerate(head["step"]):
            table, line = _table(own, head), _line_of(text, index, "run")
            known += own.get("for", {})
            for scope in _scopes(table, variables, settings):
                step = _step(table, line, scope)
                if step.name in steps:
                    why = "there is one of this name; variables of for must be part of the name"
                    raise _Wrong(f"step '{step.name}': {why}", "name")
                if len(steps) == STEPS_MAX:
                    raise _Wrong(f"more than {STEPS_MAX} steps", "for")
                steps[step.name] = index, step, scope
        for index, step, scope in steps.values():
            _check_references(step, scope, steps)
    except _Wrong as wrong:
        raise Problem(str(wrong), path, _line_of(text, index, wrong.key)) from None
    for name in settings:
        if name not in known:
            has = ", ".join(dict.fromkeys(known)) or "none"
            raise Problem(f"--set '{name}={settings[name]}': {path} has no such variable; it has: {has}")
    return Suite(name_of(path), path, text, head.get("about", ""), [step for _, step, _ in steps.values()])


def of_command(words: list[str]) -> Suite:
    """A suite of one step, a command that runs in the current folder. {NAME} is meant as it is."""
    path = os.path.abspath(words[0]) if "/" in words[0] else words[0]
    name = name_of(path)
    step = Step(name, 1, [_escape(word) for word in (path, *words[1:])], cwd=os.getcwd())
    return Suite(name, "the command", shlex.join(words), "", [step])


def name_of(path: str) -> str:
    """It becomes a label and part of a folder's name."""
    name = re.sub(r"[^A-Za-z0-9._,+=%-]", "_", os.path.basename(path).removesuffix(SUFFIX))[:64]
    return name if re.match(r"[A-Za-z0-9]", name) else f"_{name[1:]}"


# --- files ---


def shipped() -> dict[str, str]:
    """The paths of the suites that memstor comes with, by name."""
    here = Path(__file__).resolve().parent
    for folder in (here / "suites", here / "../suites", here / "../../../../share/memstor/suites"):
        if (folder / f"smoke{SUFFIX}").exists():
            return {path.stem: str(path) for path in sorted(folder.glob(f"*{SUFFIX}"))}
    return {}


def read(word: str, settings: Mapping[str, str] = {}) -> Suite:
    """The suite of a name, or of a file: with a slash in its name or .toml at its end."""
    path = word
    if word.endswith(".suite"):
        raise Problem("suites are TOML files, NAME.toml: memstor(1) has their keys", word)
    if "/" not in word and not word.endswith(SUFFIX):
        known = shipped()
        if word not in known:
            # pip installs none.
            allowed = f"{', '.join(known)}, or a file" if known else "a file"
            raise Problem(f"'{word}' is not an installed suite; allowed: {allowed}, as ./{word}{SUFFIX}")
        path = known[word]
    return parse(path, input_bytes(path, BYTES_MAX + 1), settings)
