# SPDX-License-Identifier: GPL-3.0-or-later
"""memstor validate: reports against the schema, and against the laws that a schema cannot express."""

from __future__ import annotations

import argparse
import math
import re
import sys
from collections import Counter, defaultdict
from functools import cache, cached_property, lru_cache, partial
from pathlib import Path
from typing import Callable, Iterator, NamedTuple

from lxml import etree
from lxml.etree import _Element as Element

from memstor import report, schema, workers
from memstor.error import NEGATIVE, OK, USAGE, Problem, clean
from memstor.histogram import Histogram
from memstor.report import NoReport, Report, parse_number
from memstor.schema import Record

EXAMPLES = ("memstor validate report.xml", "memstor validate --quiet results/")
FINDINGS_MAX = 20  # printed, of each file
TOLERANCE = 1e-9  # doubles are written so that they read back to the same; sums of many are not that exact
CALIBRATION = "iowritesystem"  # no report, but of the same schema, which says all there is to say
SCHEMA = Path(__file__).with_name("memstor-report.xsd")


# --- laws ---
#
#   LAW   = [GUARD ... "->"] SUM OP SUM [OP SUM ...]    a guarded law is not checked for interrupted runs
#   GUARD = "!" PATH (PATH does not exist) | SUM OP SUM
#   OP    = "=" (to 1e-9 of the larger; whole numbers exactly) | "~" (to 1e-6) | "~~" (to 1e-3) | "<=" | "<"
#   SUM   = TERM {("+"|"-") TERM}, TERM = FACTOR {("*"|"/") FACTOR}
#   FACTOR = a number; a PATH; count(PATH), the number of its elements; and for the subject of the element (if
#           it has none, for the whole run): #TYPE the count of its histogram of this type, # the count of all
#           types, @TYPE the mean of the histogram, $NAME the value over all repetitions, %NAME the sum over
#           its series
#   PATH  = names separated by "/"; ".." is the parent element; {NAME} the text of a value, as in
#           ../write/{name}_ns; with "?" at its end a missing value is 0. Several values are added. An element
#           elsewhere that shares an attribute with this one counts only if the texts are equal.
#
# "id starts {a}.{b}{-every-|c}." compares texts: {TEXT|c} is nothing where c is absent. A law that refers to
# a missing value is not checked.

OPERATORS = re.compile(r" (~~|~|<=|<|=) ")
ARITHMETIC = re.compile(r" ([+*/-]) ")
NAME = re.compile(r"\.\.|\w[\w.-]*")
TOLERANCES = {"~~": 1e-3, "~": 1e-6}
WRONG = {"<=": "is above", "<": "is not below"}
SIGNS = {
    "#": "the histogram's count of ",
    "@": "the histogram's mean of ",
    "$": "over all repetitions ",
    "%": "over all intervals ",
}


class Law(NamedTuple):
    absent: list[str]  # paths
    guard: list[str]  # sum, operator, sum
    terms: list[str]  # sum, operator, sum, ...
    is_guarded: bool


@cache
def law_of(text: str) -> Law:
    guards, arrow, law = text.rpartition("->")
    guard = re.sub(r"!\S+", "", guards).strip()
    terms = OPERATORS.split(law.strip())
    return Law(re.findall(r"!(\S+)", guards), OPERATORS.split(guard) if guard else [], terms, bool(arrow))


class _Known:
    """What laws ask of a report as a whole."""

    def __init__(self, of: Report):
        self.report = of
        self.histograms: dict[str, list[Histogram]] = defaultdict(list)  # the finest of each type, by class
        for histogram in of.finest:
            self.histograms[histogram.of_class].append(histogram)

    @cached_property
    def series(self) -> dict[tuple[str, str], float]:
        """Sums by subject and name."""
        sums: dict[tuple[str, str], float] = defaultdict(float)
        for interval in self.report.series:
            for value in interval.values.values():
                sums[interval.subject, value.name] += value.value
        return sums

    def of_subject(self, subject: str, sign: str, name: str) -> float:
        if sign == "%":
            return self.series.get((subject, name), math.nan)
        if sign == "$":
            among = self.report.subjects.get(subject)
            value = (among.values if among else self.report.values).get(name)
            return value.value if value else math.nan
        found = [h for h in self.histograms.get(subject or "all", []) if name in ("", h.type)]
        if not found:
            return math.nan
        return found[0].mean if sign == "@" else float(sum(h.count for h in found))


def _subject_of(node: Element | None) -> str:
    """The nearest subject that it is of."""
    while node is not None:
        record = schema.record_of(node)
        subject = record.subject_of(node) if record else ""
        if subject:
            return subject
        node = node.getparent()
    return ""


def _text_at(node: Element, name: str) -> str:
    text = node.get(name)
    return report.text_of(node, name) if text is None else text


def _expand(node: Element, form: str) -> str:
    def text(match: re.Match[str]) -> str:
        before, _, name = match[1].rpartition("|")
        found = _text_at(node, name)
        return before + found if found else ""

    return re.sub(r"{([^}]*)}", text, form) if "{" in form else form


@lru_cache(4096)
def _steps(path: str) -> list[str]:
    steps = path.removesuffix("?").split("/")
    # What a report has in {NAME} may be no name.
    return steps if all(map(NAME.fullmatch, steps)) else []


def _find(asked: Element, path: str) -> list[str]:
    """The texts of attributes and elements."""

    def below(nodes: list[Element], name: str) -> list[Element]:
        found = [child for node in nodes for child in node.iterchildren(name)]
        if not is_outside:
            return found
        return [one for one in found if all(asked.get(key, text) == text for key, text in one.items())]

    nodes, is_outside = [asked], False
    *steps, last = _steps(_expand(asked, path)) or [""]
    for step in steps:
        if step == "..":
            nodes, is_outside = [parent for node in nodes if (parent := node.getparent()) is not None], True
        else:
            nodes = below(nodes, step)
    if not last:
        return []
    attributes = [text for node in nodes if (text := node.get(last)) is not None]
    # No element has both; the search below each of a thousand buckets would take most of the time.
    elements = below(nodes, last) if len(attributes) < len(nodes) else []
    return attributes + [report.text_of(child) for child in elements]


def _number(text: str) -> float:
    return float(text == "true") if text in ("true", "false") else parse_number(text)


def _total(texts: list[str], default: float = math.nan) -> float:
    """Of whole numbers exactly; default: of no number."""
    together = "".join(texts)
    if together.isdigit() and together.isascii() and all(0 < len(one) <= 40 for one in texts):
        return float(sum(map(int, texts)))
    numbers = [value for value in map(_number, texts) if not math.isnan(value)]
    return sum(numbers) if numbers else default


@lru_cache(1)
def _numbers(node: Element) -> dict[str, float]:
    """Of its attributes and children by name, NaN of no number: one law of an element after another asks for
    them."""
    texts: dict[str, list[str]] = {}
    for child in node:
        texts.setdefault(child.tag, []).append(report.text_of(child))
    # No element has both.
    texts |= {name: [text] for name, text in node.items()}
    return {name: _total(of_name) for name, of_name in texts.items()}


Sum = Callable[[_Known, Element], float]


def _factor(text: str) -> Sum:
    name = text.removesuffix("?")
    if text[0].isdigit():
        return lambda known, node: float(text)
    if text[0] in SIGNS:
        return lambda known, node: known.of_subject(_subject_of(node), text[0], _expand(node, text[1:]))
    if text.startswith("count("):
        return lambda known, node: float(len(_find(node, text[6:-1])))
    if NAME.fullmatch(text):
        return lambda known, node: _numbers(node).get(text, math.nan)
    default = math.nan if name == text else 0.0
    return lambda known, node: _total(_find(node, name), default)


@cache
def _sum(text: str) -> Sum:
    first, *rest = ARITHMETIC.split(text)
    begin, factors = _factor(first), [(sign, _factor(one)) for sign, one in zip(rest[::2], rest[1::2])]

    def added(known: _Known, node: Element) -> float:
        total, term = 0.0, begin(known, node)
        for sign, factor in factors:
            value = factor(known, node)
            if sign == "*":
                term *= value
            elif sign == "/":
                term = term / value if value else math.nan
            else:
                total, term = total + term, value if sign == "+" else -value
        return total + term

    return added if factors else begin


def _is_true(left: float, sign: str, right: float) -> bool:
    size = max(abs(left), abs(right))
    is_near = abs(left - right) <= TOLERANCES.get(sign, TOLERANCE) * size
    if sign == "=" and left.is_integer() and right.is_integer() and size < 2**53:
        return left == right
    if sign == "<":
        return left < right
    return left <= right or (is_near and not left.is_integer()) if sign == "<=" else is_near


def _words(text: str) -> str:
    """A part of a law as a person reads it."""
    text = re.sub(r"#(?= |$)", "the count of all histograms", text.replace("?", ""))
    return re.sub("[#@$%]", lambda sign: SIGNS[sign[0]], text)


def _broken(known: _Known, node: Element, terms: list[str]) -> str:
    """The first comparison that does not hold, "" if all do."""
    name, left = terms[0], _sum(terms[0])(known, node)
    for sign, next_name in zip(terms[1::2], terms[2::2]):
        right = _sum(next_name)(known, node)
        if math.isfinite(left) and math.isfinite(right) and not _is_true(left, sign, right):
            value = "" if next_name[0].isdigit() else f", {right:.15g}"
            return (
                f"{_words(name)} is {left:.15g}, which {WRONG.get(sign, 'is not')} {_words(next_name)}{value}"
            )
        if not math.isnan(right):
            left = right
        name = next_name
    return ""


def ask(known: _Known, node: Element, text: str) -> str:
    """What is wrong by the law, "" if it holds."""
    name, starts, form = text.partition(" starts ")
    if starts:
        begin, own = _expand(node, form), node.get(name)
        if own is None or own.startswith(begin):
            return ""
        return f"{name} is {own[:100]}, which does not begin with {begin[:100]}"
    law = law_of(text)
    if law.is_guarded and (
        known.report.status == "interrupted"
        or any(_find(node, path) for path in law.absent)
        or (law.guard and _broken(known, node, law.guard))
    ):
        return ""
    return _broken(known, node, law.terms)


# --- the parts of every report ---


class Finding(NamedTuple):
    node: Element
    text: str


@cache
def _percent(name: str) -> float:
    """99.9 of "p999_ns", NaN of what is no percentile."""
    match = re.fullmatch(r"p(\d{1,2})(\d{0,10})_ns", name)
    return float(f"{match[1]}.{match[2] or 0}") if match else math.nan


def _check_summary(summary: Element, histogram: Histogram) -> Iterator[Finding]:
    for name, value, i in (("min", histogram.min, 0), ("max", histogram.max, -1)):
        low, high = histogram.lo[i], histogram.hi[i]
        if value < low or value > high:
            which = "last" if i else "first"
            yield Finding(
                summary,
                f"{name}_ns is {value:.15g}, the {which} bucket goes from {low:.15g} to {high:.15g}",
            )
    for node in summary:
        percent, value = _percent(node.tag), parse_number(report.text_of(node))
        if math.isnan(percent) or math.isnan(value):
            continue
        counted = histogram.percentile(percent)
        is_near = abs(value - counted.value) <= TOLERANCE * max(abs(value), abs(counted.value))
        if not (is_near or counted.is_bounded or math.isnan(counted.value)):
            yield Finding(summary, f"{node.tag} is {value:.15g}, the buckets say {counted.value:.15g}")


def _check_classes(known: _Known, node: Element, whole: Histogram) -> Iterator[Finding]:
    """What is of class "all" is of exactly one of the other classes, if there are others."""
    parts = [
        h
        for h in known.report.histograms
        if h is not whole and (h.type, h.layout) == (whole.type, whole.layout)
    ]
    if not parts:
        return
    total = sum(part.count for part in parts)
    if total != whole.count:
        yield Finding(node, f"the other classes hold {total}, all holds {whole.count}")
        return
    sums: Counter[float] = Counter()
    for part in parts:
        sums.update(dict(zip(part.lo.tolist(), part.counts.tolist())))
    for low, count in zip(whole.lo.tolist(), whole.counts.tolist()):
        if sums[low] != count:
            yield Finding(
                node, f"the other classes hold {sums[low]} in the bucket from {low:.0f}, all holds {count}"
            )
            return


def _check_histogram(known: _Known, node: Element, record: Record) -> Iterator[Finding]:
    of_class, summary = node.get("class") or "", node.find("summary")
    histogram = known.report.histogram(node.get("type") or "", of_class, node.get("layout") or "")
    if histogram is None:
        return
    if of_class == "all":
        yield from _check_classes(known, node, histogram)
    elif known.report.subjects and of_class not in known.report.subjects:
        yield Finding(node, f"a histogram is of {of_class[:100]}, which is not among the subjects")
    inner = record.within("summary")
    if summary is None or inner is None or not histogram.count:
        return
    broken = [why for text in inner.laws if (why := ask(known, summary, text))]
    if broken:
        yield from (Finding(summary, f"<summary>: {why}") for why in broken)
    else:
        yield from _check_summary(summary, histogram)


def _check_time(node: Element, record: Record, before: Element | None) -> Iterator[Finding]:
    """Each subject and repetition has its own time."""
    if before is None or before.tag != node.tag:
        return
    if (record.subject_of(node), record.key_of(node)) != (record.subject_of(before), record.key_of(before)):
        return
    index, time = (parse_number(_text_at(node, name)) for name in ("index", "time_s"))
    if index <= parse_number(_text_at(before, "index")):
        yield Finding(node, f"index is {index:.15g}, not above that of the <{node.tag}> before")
    earlier = parse_number(_text_at(before, "time_s"))
    if time < earlier:
        yield Finding(node, f"time_s is {time:.15g}, below that of the <{node.tag}> before, {earlier:.15g}")


@cache
def _is_checked(record: str) -> bool:
    """Whether there is anything to ask of a record or of those within it."""
    of = schema.records()[record]
    return (
        bool(of.laws)
        or of.kind in ("histogram", "series")
        or any(_is_checked(one.name) for one in of.inner.values())
    )


def _check(known: _Known, node: Element, record: Record) -> Iterator[Finding]:
    around = node.getparent()
    if record.kind == "histogram" and around is not None and around.tag == "statistics":
        yield from _check_histogram(known, node, record)
        return
    for text in record.laws:
        if why := ask(known, node, text):
            yield Finding(node, f"<{node.tag}>: {why}")
    before: Element | None = None
    for child in node:
        inner = record.within(child.tag)
        if inner is None or not _is_checked(inner.name):
            continue
        if inner.kind == "series":
            yield from _check_time(child, inner, before)
            before = child
        yield from _check(known, child, inner)


def check(of: Report) -> list[str]:
    """What is wrong by the laws: "LINE: text"."""
    found = _check(_Known(of), of.root, schema.roots()[of.root.tag])
    # A law of a subject is asked of each of its repetitions.
    return list(dict.fromkeys(str(of.refuse(finding.node, finding.text)) for finding in found))


# --- the command ---


class Outcome(NamedTuple):
    path: str
    findings: list[str]  # "PATH:LINE: text"
    refused: str = ""  # why it is no report


@cache
def rules_of(path: str) -> etree.XMLSchema:
    try:
        data = report.read_bytes(path)
        tree = etree.fromstring(data, report.parser(), base_url=path).getroottree()
        if tree.docinfo.doctype:
            raise Problem("a schema has no document type", path, 1)
        for name in ("include", "import", "redefine"):
            for node in tree.iter(f"{{http://www.w3.org/2001/XMLSchema}}{name}"):
                raise Problem(f"a schema is one file, without xs:{name}", path, node.sourceline)
        return etree.XMLSchema(tree)
    except OSError as problem:
        raise Problem(problem.strerror or "cannot be read", path) from None
    except etree.LxmlError as problem:
        raise Problem(str(problem), path) from None


def validate(path: str, by: str = str(SCHEMA)) -> Outcome:
    """A file by the schema, and if it obeys that by the laws."""
    try:
        root = report.parse(report.read_bytes(path), path)
        try:
            of = None if root.tag == CALIBRATION else Report(root, path)
            refused = []
        except NoReport:
            raise
        except Problem as problem:
            of, refused = None, [str(problem)]
    except Problem as problem:
        return Outcome(path, [], str(problem))
    rules = rules_of(by)
    if not rules.validate(root):
        errors = [Problem(error.message, path, error.line) for error in rules.error_log]
        return Outcome(path, [str(error) for error in errors])
    try:
        if of:
            of.subjects, of.histograms, of.series  # what cannot be read is a finding, too
        return Outcome(path, check(of) if of else refused)
    except Problem as problem:
        return Outcome(path, [str(problem)])


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("files", nargs="+", metavar="FILE", help="reports, or folders of them")
    parser.add_argument("-q", "--quiet", action="store_true", help="print no line for valid files")
    parser.add_argument(
        "-s", "--schema", metavar="FILE", default=str(SCHEMA), help="use this schema (XSD), one file"
    )


def run(options: argparse.Namespace) -> int:
    """NEGATIVE if a report is not valid, USAGE if one is none or cannot be read."""
    rules_of(options.schema)
    status, paths = OK, list[str]()
    for path in options.files:
        try:
            paths += report.find([path])
        except Problem as problem:
            # The other files are validated all the same.
            status = max(status, problem.status)
            print(f"memstor: {problem}", file=sys.stderr)
    for outcome in workers.each(partial(validate, by=options.schema), paths):
        if outcome.refused:
            status = max(status, USAGE)
            sys.stdout.flush()
            print(f"memstor: {outcome.refused}", file=sys.stderr)
            continue
        print("".join(line + "\n" for line in outcome.findings[:FINDINGS_MAX]), end="")
        if len(outcome.findings) > FINDINGS_MAX:
            print(clean(f"{outcome.path}: {len(outcome.findings)} findings in all"))
        elif not outcome.findings and not options.quiet:
            print(clean(f"{outcome.path}: valid"))
        status = max(status, NEGATIVE if outcome.findings else OK)
    return status
