# SPDX-License-Identifier: GPL-3.0-or-later
"""The lists of schema/: each element of every report, with unit, merge rule, direction and laws
(schema.json)."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any, Iterator

from lxml.etree import _Element as Element

TEXTS = frozenset(("text", "code", "uuid", "moment", "descriptor", "choice", "bits"))


@dataclass(frozen=True, slots=True)
class Field:
    """A value of a record, or (record set) records within it; see common/report/field.h for the words."""

    name: str
    type: str = ""
    place: str = ""  # "attr", "body", or "" for an element
    unit: str = ""
    merge: str = ""
    better: str = ""  # "lower", "higher" or "" for no direction
    meaning: str = ""
    choices: str = ""
    first: str = ""  # the siblings of merge
    second: str = ""
    optional: bool = False
    record: str = ""
    most: int = 1  # 0 = no bound

    @property
    def is_text(self) -> bool:
        return self.type in TEXTS

    @property
    def is_numeric(self) -> bool:
        return bool(self.type) and not self.is_text and self.type != "truth"

    def text(self, node: Element) -> str | None:
        """The text of this value in its record's element; None when it is absent."""
        if self.place == "attr":
            return node.get(self.name)
        if self.place == "body":
            return (node.text or "").strip()
        child = node.find(self.name)
        return None if child is None else (child.text or "").strip()


@dataclass(slots=True)
class Record:
    """The fields of an element by name, and what it is to a reader that does not know its name."""

    name: str
    kind: str
    subject: str
    key: str
    fields: dict[str, Field]
    laws: list[str]
    body: Field | None = field(init=False)
    numbers: dict[str, Field] = field(init=False)  # those that are numeric
    inner: dict[str, Record] = field(init=False)
    is_numbered: bool = field(init=False)  # siblings are told apart by a number, as threads are

    def __post_init__(self) -> None:
        values = list(self.fields.values())
        self.body = next((f for f in values if f.place == "body"), None)
        self.numbers = {f.name: f for f in values if f.is_numeric}
        key = self.key.split(",")
        self.is_numbered = any(f.merge == "number" and f.name in key for f in values)

    def within(self, name: str) -> Record | None:
        """The record of an element of this name in this one."""
        return self.inner.get(name)

    def subject_of(self, node: Element) -> str:
        """Which subject an element of this record is or belongs to; "" = none."""
        return _evaluate(self.subject, node)

    def at(self, row: Field, node: Element) -> Field:
        """The field with the unit and direction that the node itself has, as a metric of a suite's step."""
        if not self.fields.keys() >= {"unit", "better"}:
            return row
        return replace(row, unit=node.get("unit", ""), better=node.get("better", ""))

    def key_of(self, node: Element) -> str:
        """What distinguishes an element of this record from its siblings."""
        return _evaluate(self.key, node)


def _find(node: Element | None, name: str) -> str | None:
    """The text of a name in this node or the nearest one around that has it."""
    while node is not None:
        text = node.get(name)
        if text is not None:
            return text
        child = node.find(name)
        if child is not None:
            return (child.text or "").strip()
        node = node.getparent()
    return None


def _evaluate(expression: str, node: Element) -> str:
    """ "a=x|b,c": of each part the first alternative that is there and not what it must not be."""
    found = []
    for part in expression.split(",") if expression else ():
        for alternative in part.split("|"):
            name, unequal, unwanted = alternative.partition("=")
            text = _find(node, name)
            if text is not None and not (unequal and text == unwanted):
                found.append(text)
                break
        else:
            return ""
    return " ".join(found)


@cache
def _loaded() -> dict[str, Any]:
    return json.loads(Path(__file__).with_name("schema.json").read_text(encoding="utf-8"))


@cache
def version() -> tuple[int, int]:
    """Of the report format that this program writes, major and minor."""
    major, minor = _loaded()["version"].split(".")
    return int(major), int(minor)


@cache
def records() -> dict[str, Record]:
    """All records by name."""
    found = {
        name: Record(
            name,
            of["kind"],
            of.get("subject", ""),
            of.get("key", ""),
            {f["name"]: Field(**f) for f in of["fields"]},
            of["laws"],
        )
        for name, of in _loaded()["records"].items()
    }
    for record in found.values():
        record.inner = {f.name: found[f.record] for f in record.fields.values() if f.record}
    return found


@cache
def roots() -> dict[str, Record]:
    """The records of the document elements, by element."""
    return {element: records()[name] for element, name in _loaded()["roots"].items()}


@cache
def lists() -> frozenset[str]:
    """Names of elements that may repeat, in any record."""
    return frozenset(
        f.name for record in records().values() for f in record.fields.values() if f.record and f.most != 1
    )


@cache
def parents() -> tuple[str, ...]:
    """Names of elements in which several stand that may not repeat."""
    several = {
        record.name
        for record in records().values()
        if len([f for f in record.fields.values() if not f.place and f.most == 1]) > 1
    }
    rows = [f for record in records().values() for f in record.fields.values()]
    return tuple({f.name for f in rows if f.record in several}.union(roots()))


@cache
def record_at(root: str, path: str) -> Record | None:
    """The record of the elements at a path, as "report/result", below a document element."""
    record = roots().get(root)
    for name in path.split("/") if path else ():
        record = record.within(name) if record else None
    return record


def record_of(node: Element) -> Record | None:
    """The record of an element anywhere in a document, by the names on the way to it."""
    path = [node.tag, *(around.tag for around in node.iterancestors())]
    return record_at(path[-1], "/".join(path[-2::-1]))


@cache
def metrics() -> dict[str, Any]:
    """rows of the metrics; types, classes and models, which may stand before their names; the usual ones
    by tool, and those of_subjects."""
    of: dict[str, Any] = _loaded()["metrics"]
    return of


def fields() -> Iterator[Field]:
    """Each value of every record."""
    for record in records().values():
        yield from (f for f in record.fields.values() if f.type)
