# SPDX-License-Identifier: GPL-3.0-or-later
"""What reports are called in a picture: its title, and the names of curves, groups and cells."""

from __future__ import annotations

from collections import ChainMap
from typing import Callable, Mapping, NamedTuple, Sequence

from memstor.plot.style import joined, number, one_line, parse_seconds, parse_size, span
from memstor.report import Report

Facts = ChainMap[str, str]  # labels, options, facts of the report; the first that has a name counts
LABEL, OPTION, FACT = range(3)


def facts_of(report: Report) -> Facts:
    own = {
        "tool": report.tool,
        "version": report.tool_version,
        "kernel": report.release,
        "cpu": report.cpu_model,
        "host": report.hostname,
        "start": report.wall_start,
        "uuid": report.uuid,
        "file": report.path.rstrip("/").rpartition("/")[2],
        "path": report.path,
    }
    maps = (report.labels, report.options, own)
    return ChainMap(*({name: one_line(text) for name, text in of.items() if text} for of in maps))


# --- options in words ---


def _mib(text: str) -> str:
    return number(parse_size(text, 1 << 20), "B")


def _bytes(text: str) -> str:
    return number(parse_size(text), "B")


def _time(text: str) -> str:
    return number(parse_seconds(text) * 1e9, "ns")


class Phrase(NamedTuple):
    before: str = ""
    behind: str = ""
    form: Callable[[str], str] = str
    one: Mapping[str, str] = {}  # instead of certain values
    absent: str = ""
    is_in_title: bool = True
    unless: str = ""  # not in the title when this option is there
    is_silent: bool = False  # of what is written about a run, not of the run: names no curve


SILENT, NAME = Phrase(is_in_title=False, is_silent=True), Phrase(is_in_title=False)


# In the order of titles; of "" every tool has it.
PHRASES: dict[str, dict[str, Phrase]] = {
    "pmbench": {
        "pattern": Phrase(unless="phase"),
        "phase": Phrase("phases "),
        "shape": Phrase("shape "),
        "setsize": Phrase("set of ", form=_mib),
        "mapsize": Phrase("map of ", form=_mib, unless="setsize"),
        "ratio": Phrase(behind=" % reads"),
        "jobs": Phrase(behind=" threads", one={"1": "1 thread"}, absent="1 thread"),
        "processes": Phrase(behind=" processes", one={"1": "1 process"}, absent="1 process"),
        "map": Phrase("map ", absent="map anon", is_in_title=False),
        "ram": Phrase("in ", " of memory", _bytes, absent="memory not limited"),
        "swap": Phrase(
            "swap on ", "", lambda text: text.split(":")[0], {"none": "no swap"}, "swap of the system"
        ),
        "duration": Phrase(form=_time, is_in_title=False),
    }
    | dict.fromkeys(("hdr", "interval", "media-latency", "quiet"), SILENT),
    "ssd-workloads": {
        "mix": Phrase(),
        "durability": Phrase("durability "),
        "group-commit": Phrase(behind=" commits a write", one={"1": "1 commit a write"}),
        "rate": Phrase(behind=" commits/s", absent="closed loop"),
        "workers": Phrase(behind=" threads a stream", one={"1": "1 thread a stream"}),
        "runtime": Phrase(form=_time, is_in_title=False),
        "file": SILENT,
    },
    "": {
        "version": Phrase("version ", is_in_title=False),
        "kernel": Phrase("Linux ", is_in_title=False),
        "host": Phrase("host ", is_in_title=False),
        "cpu": NAME,
        "tool": NAME,
    }
    | dict.fromkeys(("file", "path", "seed", "label", "start", "uuid"), SILENT),
}


def phrase_of(tool: str, name: str) -> Phrase | None:
    return PHRASES.get(tool, {}).get(name) or PHRASES[""].get(name)


def say(tool: str, name: str, value: str | None) -> str:
    """An option in words: "swap" = "zram:1G" is "swap on zram". None: it was not given."""
    phrase = phrase_of(tool, name)
    if phrase is None:
        return name if value == "yes" else f"no {name}" if value is None else f"{name} {value}"
    if value is None or value in phrase.one:
        return phrase.absent if value is None else phrase.one[value]
    try:
        text = phrase.form(value)
    except ValueError:
        text = value
    return f"{phrase.before}{text}{phrase.behind}"


def is_common(facts: Sequence[Facts], name: str) -> bool:
    return len({of.get(name) for of in facts}) == 1


def title_of(facts: Sequence[Facts]) -> str:
    """What all have in common: "pmbench: uniform, map of 8 GiB, 2 threads"."""
    if not is_common(facts, "tool"):
        return f"{len(facts)} reports"
    first, tool = facts[0], facts[0].get("tool", "")
    parts = [
        say(tool, name, first[name])
        for name, phrase in PHRASES.get(tool, {}).items()
        if phrase.is_in_title
        and name in first
        and not (first[name] == "1" and "1" in phrase.one)
        and not (phrase.unless and phrase.unless in first)
        and is_common(facts, name)
    ]
    return joined(tool, ", ".join(parts), by=": ")


def machine_of(facts: Sequence[Facts]) -> str:
    """Processor and kernel, if all have the same, and the days on which the runs began."""
    shared = [name for name in ("cpu", "kernel") if name in facts[0] and is_common(facts, name)]
    parts = [say("", name, facts[0][name]) for name in shared]
    days = sorted({of.get("start", "")[:10] for of in facts})
    return joined(*parts, span(days) if days[0] else "")


# --- names of reports ---


def _are_distinct(names: Sequence[str]) -> bool:
    return all(names) and len(set(names)) == len(names)


def _said(facts: Sequence[Facts], wanted: Sequence[str]) -> list[str]:
    """Of each what it says of these labels, options and facts."""
    return [joined(*(say(of.get("tool", ""), name, of.get(name)) for name in wanted)) for of in facts]


def differences(facts: Sequence[Facts]) -> list[str]:
    """Of each what differs: labels, which are the user's own words; if these do not tell all apart, options,
    then facts."""
    wanted: list[str] = []
    for kind in (LABEL, OPTION, FACT):
        if _are_distinct(_said(facts, wanted)):
            break
        for name in dict.fromkeys(name for of in facts for name in of.maps[kind]):
            phrase = next((p for of in facts if (p := phrase_of(of.get("tool", ""), name))), None)
            if not (phrase and phrase.is_silent) and not is_common(facts, name):
                wanted.append(name)
    return _said(facts, wanted)


def _tails(paths: Sequence[str]) -> list[str]:
    """The ends of paths from where they differ; a path alone is its last name."""
    split = [path.strip("/").split("/") for path in paths]
    ends = (["/".join(parts[-count:]) for parts in split] for count in range(1, max(map(len, split)) + 1))
    return next(filter(_are_distinct, ends), list(paths))


def names_of(facts: Sequence[Facts], wanted: Sequence[str]) -> list[str]:
    """Of each report what the user wants to see of it; else what differs, and where that is not enough its
    file."""
    names = _said(facts, wanted) if wanted else differences(facts)
    if wanted or _are_distinct(names):
        return names
    return [joined(*pair) for pair in zip(names, _tails([of["path"] for of in facts]))]


def common(facts: Sequence[Facts]) -> Facts:
    """What all of a group say the same."""
    maps = ({name: of[name] for name in of if is_common(facts, name)} for of in facts[0].maps)
    return ChainMap(*maps)


def side_names(count: int) -> list[str]:
    """Of what stands between "--"."""
    return ["base", "new"] if count == 2 else [f"side {i + 1}" for i in range(count)]


# --- names of cells, "pwrite.direct.append.write.4k" ---


def shorten(names: Sequence[str]) -> tuple[dict[str, str], str]:
    """Of each name the parts in which it differs from the others, and the parts that all share; "" if it is
    not shortened."""
    split = [name.split(".") for name in dict.fromkeys(names)]
    differs = [len(set(parts)) > 1 for parts in zip(*split)] if len(set(map(len, split))) == 1 else []
    if not any(differs):
        return {name: name for name in names}, ""
    short = {".".join(p): ".".join(t for t, d in zip(p, differs) if d) for p in split}
    return short, ".".join(t for t, d in zip(split[0], differs) if not d)
