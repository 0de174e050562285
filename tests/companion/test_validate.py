# SPDX-License-Identifier: GPL-3.0-or-later
"""memstor validate: verdicts, one line a finding with file and line, each form of a law, and damaged
reports."""

import random

import pytest
from conftest import ROOT
from damage import damaged
from lxml import etree

from memstor import report, schema, validate

REPORT = ROOT / "tests/fixtures/report-1.0.xml"
FIXTURES = sorted((ROOT / "tests/fixtures").glob("*/*.xml")) + [ROOT / "tests/golden/pmbench-report.xml"]


def test_every_fixture_is_valid(memstor):
    status, out, err = memstor("validate", *FIXTURES)
    assert (status, err) == (0, "")
    assert out == "".join(f"{path}: valid\n" for path in FIXTURES)


def test_quiet_prints_findings_only(memstor, changed):
    bad = changed(REPORT, "<ratio>50<", "<ratio>101<")
    status, out, err = memstor("validate", "-q", REPORT, bad)
    assert status == 1
    assert out.startswith(f"{bad}:41: ") and out.count("\n") == 1 and "'100'" in out


def test_a_report_in_json_has_the_same_findings(memstor, changed, tmp_path):
    bad = changed(REPORT, "<ratio>50<", "<ratio>101<")
    memstor("convert", "--to", "json", bad, "-o", tmp_path / "bad.json")
    line = next(i for i, text in enumerate(open(tmp_path / "bad.json"), 1) if '"ratio"' in text)
    status, out, _ = memstor("validate", tmp_path / "bad.json")
    assert status == 1 and out.startswith(f"{tmp_path}/bad.json:{line}: ")


@pytest.mark.parametrize(
    "old, new, line, text",
    [
        (
            'hi="256" count="34359738368"',
            'hi="256" count="34359738369"',
            1209,
            "the buckets hold 34363804944",
        ),
        ("<monotonic_start_ns>1000<", "<monotonic_start_ns>8000000000000<", 4, "above monotonic_end_ns"),
        (
            'name="meminfo.MemFree" value="-78848"',
            'name="meminfo.MemFree" value="+5"',
            1488,
            "is a number",
        ),
        ("<jobs>2<", "<jobs>3<", 3, "signature/params/jobs is 3, which is not count(result/result_thread)"),
    ],
)
def test_what_contradicts_itself_is_a_finding(memstor, changed, old, new, line, text):
    status, out, err = memstor("validate", changed(REPORT, old, new))
    assert (status, err) == (1, "")
    assert f":{line}: " in out and text in out


@pytest.mark.parametrize(
    "of_class, layout, changes, text",
    [
        # Both the bucket and the count of the summary: the histogram agrees with itself.
        (
            "major",
            "log16",
            [("count>4000032<", "count>4000033<"), ('count="4000000"', 'count="4000001"')],
            "the other classes hold 34363804944, all",
        ),
        (
            "major",
            "log16",
            [('count="4000000"', 'count="4000001"'), ('count="31"', 'count="30"')],
            "in the bucket from 6912",
        ),
        (
            "major",
            "hdr",
            [("min_ns>7161<", "min_ns>7135<")],
            "min_ns is 7135, the first bucket goes from 7136",
        ),
        (
            "major",
            "log16",
            [("max_ns>5000000000<", "max_ns>1073741823<")],
            "the last bucket goes from 1073741824",
        ),
        (
            "major",
            "hdr",
            [("p90_ns>7167.3", "p90_ns>7167.2")],
            "p90_ns is 7167.2000504, the buckets say 7167.30",
        ),
    ],
)
def test_histograms_agree_with_their_summaries_and_classes(memstor, changed, of_class, layout, changes, text):
    before, begin, behind = REPORT.read_text().partition(f'type="read" class="{of_class}" layout="{layout}"')
    one, end, behind = behind.partition("</latency_histogram>")
    for old, new in changes:
        assert old in one
        one = one.replace(old, new)
    bad = changed(REPORT, REPORT.read_text(), before + begin + one + end + behind)
    status, out, err = memstor("validate", bad)
    assert (status, err) == (1, "") and out.startswith(f"{bad}:") and text in out


def test_a_histogram_is_of_a_subject(memstor, changed):
    ssd = ROOT / "tests/fixtures/ssd/run.xml"
    bad = changed(ssd, 'type="service" class="log"', 'type="service" class="logs"')
    assert ":1043: a histogram is of logs, which is not among" in memstor("validate", bad)[1]


def test_a_series_goes_on(memstor, changed):
    bad = changed(REPORT, '<interval index="1">', '<interval index="0">')
    assert f"{bad}:1500: index is 0, not above that" in memstor("validate", bad)[1]


def test_many_findings_are_counted(memstor, tmp_path):
    bad = tmp_path / "many.xml"
    bad.write_text(REPORT.read_text().replace('<hex index="3">', "<hex>"))
    status, out, _ = memstor("validate", bad)
    lines = out.splitlines()
    assert status == 1 and len(lines) == 21 and lines[-1] == f"{bad}: 30 findings in all"


def test_what_is_no_report_is_refused_and_hides_no_other(memstor, changed, tmp_path):
    (tmp_path / "page.html").write_text("<html/>")
    (tmp_path / "half.xml").write_bytes(REPORT.read_bytes()[:3000])
    newer = changed(REPORT, "<report_version>1.0", "<report_version>2.1")
    status, out, err = memstor(
        "validate", tmp_path / "none.xml", tmp_path / "page.html", tmp_path / "half.xml", newer, REPORT
    )
    assert status == 2 and out == f"{REPORT}: valid\n"
    assert [line.split(": ")[1].split(":")[0] for line in err.splitlines()] == [
        str(tmp_path / name) for name in ("none.xml", "page.html", "half.xml", "changed.xml")
    ]


def test_a_schema_of_the_user(memstor, tmp_path):
    xsd = (ROOT / "docs/memstor-report.xsd").read_text()
    (tmp_path / "other.xsd").write_text(xsd.replace('<xs:element name="seed"', '<xs:element name="sed"'))
    assert memstor("validate", "-s", ROOT / "docs/memstor-report.xsd", REPORT)[0] == 0
    assert memstor("validate", "-s", tmp_path / "other.xsd", REPORT)[0] == 1
    (tmp_path / "more.xsd").write_text(
        '<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"><xs:include schemaLocation="other.xsd"/>'
        "</xs:schema>"
    )
    for bad in (REPORT, tmp_path / "none.xsd", tmp_path / "more.xsd"):
        status, out, err = memstor("validate", "-s", bad, REPORT)
        assert (status, out, err.count("\n")) == (2, "", 1) and str(bad) in err


# --- laws ---


class Known:
    """Of a report with one subject, "a"."""

    class report:
        status = "ok"

    def of_subject(self, subject, sign, name):
        assert subject == ""
        return {"#": 7.0, "@": 2.5, "$": 40.0, "%": 41.0}[sign] if name in ("", "read") else float("nan")


NODE = etree.fromstring(
    '<all><plan id="a"><size>3</size></plan><plan id="b"><size>5</size></plan>'
    '<row id="a" kind="x"><n>6</n><n>4</n><yes>true</yes><kinds>n</kinds><half>0.1</half></row></all>'
)[2]


@pytest.mark.parametrize(
    "law, holds",
    [
        ("n = 10", True),  # several values are added
        ("n = 10.0000001", False),
        ("n = 10.000000001", True),
        ("count(n) = 2", True),
        ("yes = 1", True),
        ("n + half * 10 - 1 = 10", True),
        ("n / 2 / 5 = 1", True),
        ("n / 0 = 1", True),  # says nothing
        ("half * 3 = 0.3", True),  # to 1e-9
        ("half * 3 = 0.3000001", False),
        ("half ~ 0.10000001", True),
        ("half ~ 0.1001", False),
        ("half ~~ 0.10001", True),
        ("half ~~ 0.11", False),
        ("half <= n <= 10 <= 10", True),
        ("n <= 9", False),
        ("n < 10", False),
        ("missing = 1", True),
        ("missing? = 0", True),
        ("missing? = 1", False),
        ("../plan/size = 3", True),  # of the same id
        ("{kinds} = 10", True),
        ("!n -> n = 1", True),
        ("!missing -> n = 1", False),
        ("yes = 1 -> n = 1", False),
        ("yes = 0 -> n = 1", True),
        ("# = 7", True),
        ("#read <= n", True),
        ("@read = 2.5", True),
        ("#write = 1", True),
        ("$read < %read", True),
        ("%read < $read", False),
        ("id starts {id}{-every-|missing}", True),
        ("kind starts {id}", False),
    ],
)
def test_each_form_of_a_law(law, holds):
    why = validate.ask(Known(), NODE, law)
    assert (why == "") == holds
    assert holds or "which" in why


def test_every_law_of_the_schema_is_understood():
    for record in schema.records().values():
        for law in record.laws:
            # All is missing, of which nothing is said, but counts.
            why = validate.ask(Known(), etree.Element("none"), law)
            assert why == "" or "count(" in law


# --- damage ---


def test_damaged_reports_are_refused_in_one_line(memstor, tmp_path):
    draw = random.Random(25)
    verdicts = set()
    for i in range(150):
        path = tmp_path / f"{i}.xml"
        path.write_bytes(damaged(draw, draw.choice(FIXTURES).read_bytes()))
        outcome = validate.validate(str(path))
        lines = [outcome.refused] if outcome.refused else outcome.findings
        verdicts.add((bool(outcome.refused), bool(lines)))
        for line in lines:
            assert line.startswith(f"{path}:") and "\n" not in line and line.isprintable()
    assert len(verdicts) == 3


def test_a_hostile_document_is_refused(memstor, tmp_path):
    for i, text in enumerate(
        (
            '<!DOCTYPE a [<!ENTITY b "c"><!ENTITY d "&b;&b;">]><pmbenchmark>&d;</pmbenchmark>',
            '<!DOCTYPE a SYSTEM "file:///etc/passwd"><pmbenchmark/>',
            "<a>" * 300 + "</a>" * 300,
            "",
            "{",
            '{"a": 1, "b": 2}',
            '{"pmbenchmark": {"report": "\\ud800"}}',
            '{"pmbenchmark": {"report": "\\u0000"}}',
            '{"pmbenchmark": {"report": {"a": 1, "a": 2}}}',
            '{"pmbenchmark": ' + '{"a": ' * 900 + "1" + "}" * 901,
            "[" * 5000,
            "{" * 5000,
            '{"pmbenchmark": [[1]]}',
            '{"pmbenchmark": {"<a": 1}}',
            '{"pmbenchmark": {"report": {"signature": {"report_version": NaN}}}}',
        )
    ):
        path = tmp_path / f"{i}.xml"
        path.write_text(text)
        status, out, err = memstor("validate", path)
        assert (status, out, err.count("\n")) == (2, "", 1) and str(path) in err


def test_a_large_file_is_refused(memstor, tmp_path, monkeypatch):
    monkeypatch.setattr(report, "BYTES_MAX", 1000)
    assert "larger than" in memstor("validate", REPORT)[2]
