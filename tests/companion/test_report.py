# SPDX-License-Identifier: GPL-3.0-or-later
"""Reports: what is read of each tool, the same of XML and JSON, files of a folder, and refusals with file and
line."""

import json
import math
import random
import re

import pytest
from conftest import ROOT
from damage import damaged

import memstor as api
from memstor import convert, report, schema, table
from memstor.error import Problem

GOLDEN = ROOT / "tests/golden/pmbench-report.xml"
FIXTURES = ROOT / "tests/fixtures"
ORIGINAL = FIXTURES / "pmbench-original/uniform-swap.xml"
CELLS, SSD = FIXTURES / "iowrite/run.xml", FIXTURES / "ssd/run.xml"
ALL = [path for path in sorted(FIXTURES.glob("*/*.xml")) if path.name != "system.xml"] + [GOLDEN]


def of(path):
    return report.read_file(str(path))


def values(some):
    return {name: value.value for name, value in some.values.items()}


# --- what is read ---


def test_a_report_of_pmbench():
    golden = of(GOLDEN)
    assert (golden.tool, golden.status, golden.hostname) == ("pmbench", "untrustworthy", 'ho<st&"1"?[0m')
    assert golden.options["mapsize"] == "8192MiB" and golden.options["label"] == 'a=<b>&"c"'
    assert golden.labels == {"kind": "<fake>", "empty": ""}
    assert golden.facts["cores"] == "4" and golden.facts["page_bytes"] == "4096"
    assert golden.facts["swap_area.1"].startswith("zram ")
    assert golden.values["run_s"].value == 7200 and golden.values["run_s"].unit == "s"
    assert golden.values["accesses_per_second"].better == "higher"
    assert golden.operations == golden.values["accesses"].value == 38662772240
    assert golden.histogram("read").layout == "hdr"
    assert golden.histogram("read", "all", "log16").count == golden.histogram("read").count == 34363804943
    assert [reason.code for reason in golden.reasons] == ["inexact"]
    assert [one.time for one in golden.series] == sorted(one.time for one in golden.series)


def test_a_report_of_the_original():
    old = of(ORIGINAL)
    assert old.is_original and old.tool == "pmbench" and old.tool_version == "0.9"
    assert old.options["pattern"] == "uniform" and old.options["initialize"] == "yes"
    assert old.operations == 300000
    assert sum(h.count for h in old.histograms) == 300000
    assert old.histogram("read").layout == "original" and math.isnan(old.histogram("read").mean)
    assert old.values["latency_ns"].value == pytest.approx(16837.3)


def test_a_command_has_no_operations():
    # The first number that is summed is a time, and faults are none that it was asked for.
    command = report.read_file(str(FIXTURES / "with-pressure/sort.xml"))
    assert command.operations == 0 and command.values["user_ns"].value > 0


def test_subjects_over_their_repetitions():
    ssd = of(SSD)
    assert list(ssd.subjects) == ["log", "checkpoint", "checkpoint-alone", "log-alone"]
    assert ssd["log-alone"].is_alone and not ssd["log"].is_alone
    mix = ssd.report.findall("result/repetition[@cell_id='mix']/stream_result[@stream='log']")
    assert len(mix) == 2
    assert ssd["log"].values["operations"].value == sum(int(report.text_of(n, "operations")) for n in mix)
    # What ran alone once more is no part of the whole.
    whole = ssd["log"].values["operations"].value + ssd["checkpoint"].values["operations"].value
    assert ssd.values["operations"].value == whole


def test_what_is_unknown_is_kept_out(changed):
    more = changed(GOLDEN, "<totals>", "<unheard_of>7</unheard_of><totals><new>8</new>")
    assert values(of(more)) == values(of(GOLDEN))


def test_a_newer_minor_version_is_read(changed):
    major, minor = schema.version()
    version = f"<report_version>{major}.{minor}<"
    newer = changed(GOLDEN, version, f"<report_version>{major}.{minor + 1}<").read_text()
    again = changed(GOLDEN, GOLDEN.read_text(), newer.replace("<run_s>7200<", "<run_s>two hours<"))
    assert of(again).is_newer and "run_s" not in of(again).values


# --- XML and JSON ---


@pytest.mark.parametrize("path", ALL, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_a_report_in_json_is_the_same(tmp_path, path):
    xml = of(path)
    (tmp_path / "copy.json").write_text(convert.json_of(xml, is_flat=True), encoding="utf-8")
    copy = of(tmp_path / "copy.json")
    for name in (
        "tool",
        "tool_version",
        "uuid",
        "wall_start",
        "options",
        "labels",
        "facts",
        "status",
        "checks",
    ):
        assert getattr(copy, name) == getattr(xml, name)
    assert values(copy) == values(xml) and copy.reasons == xml.reasons
    assert {key: values(subject) for key, subject in copy.subjects.items()} == {
        key: values(subject) for key, subject in xml.subjects.items()
    }
    assert list(map(str, copy.histograms)) == list(map(str, xml.histograms))
    assert list(map(str, copy.series)) == list(map(str, xml.series))


def test_json_of_any_layout(tmp_path):
    document = json.loads(convert.json_of(of(GOLDEN), is_flat=True))
    for indent in (None, 0, 1, 8):
        path = tmp_path / "copy.json"
        path.write_text("\ufeff" * (indent == 8) + json.dumps(document, indent=indent), encoding="utf-8")
        assert values(of(path)) == values(of(GOLDEN))


def test_names_in_texts_of_json_are_no_names(changed, tmp_path):
    odd = of(changed(GOLDEN, "&lt;fake&gt;", '{"a\\": "b": [1,\n2]}'))
    for is_flat in (True, False):
        path = tmp_path / "copy.json"
        path.write_text(convert.json_of(odd, is_flat), encoding="utf-8")
        assert of(path).labels["kind"] == odd.labels["kind"] == '{"a\\": "b": [1,\n2]}'


# --- files ---


def test_the_reports_of_a_folder(tmp_path):
    data = ORIGINAL.read_bytes()
    for name in (
        "b/report.xml",
        "a/1/report.xml",
        "a.xml",
        "a/.hidden/x.xml",
        ".x.xml",
        "a/report.json",
        "notes.txt",
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(data)
    for name in ("index.xml", "system.xml"):
        (tmp_path / "a" / name).write_text("<no-report/>")
    (tmp_path / "c").symlink_to(tmp_path / "a")
    (tmp_path / "gone.xml").symlink_to("nowhere")
    found = [path.removeprefix(f"{tmp_path}/") for path in report.find([str(tmp_path)])]
    assert found == ["a/1/report.xml", "a.xml", "b/report.xml"]
    assert [one.path for one in api.read(str(tmp_path / "b"), str(ORIGINAL))] == [
        f"{tmp_path}/b/report.xml",
        str(ORIGINAL),
    ]


def test_a_folder_without_reports(tmp_path):
    with pytest.raises(Problem, match="no report"):
        list(report.find([str(tmp_path)]))


# --- refusals ---


@pytest.mark.parametrize(
    "old, new, line, why",
    [
        ("<pmbenchmark>", "<pmbenchmarks>", 2, "is not a report: allowed are <pmbenchmark>, <iowritebench>"),
        ("<report>", "<rapport>", 2, "has no <report>"),
        ("<report_version>1.", "<report_version>2.", 48, "newer than this program"),
        ("<report_version>1.", "<report_version>x.", 48, "allowed are versions like 1.0"),
        ("<run_s>7200<", "<run_s>x<", None, "<run_s> is 'x': allowed are finite numbers"),
        ("<run_s>7200<", "<run_s>1e999<", None, "allowed are finite numbers"),
        ("<totals>", "<totals/><totals>", None, "a second <totals> in one <result>"),
        ('<option name="mapsize">', "<option>", 58, "<option> has no name"),
        ('<verdict status="untrustworthy">', '<verdict status="good">', None, "allowed are ok, interrupted"),
        ('<reason code="inexact">', "<reason>", None, "<reason> has no code"),
        ('class="all" layout="log16"', 'class="all"', None, "has no layout"),
        ('unit="ns"', 'unit="s"', None, 'unit="s" of <latency_histogram>: allowed is ns'),
        ('class="hit" layout="log16"', 'class="all" layout="log16"', None, "a second <latency_histogram>"),
        ('<bucket lo="0" hi="256"', '<bucket lo="x" hi="256"', None, 'lo="x" of <bucket>'),
        ('<bucket lo="0" hi="256"', '<bucket lo="\u0663" hi="256"', None, "allowed are whole numbers"),
        ('<bucket lo="0" hi="256"', '<bucket lo="0" hi="2 56"', None, 'hi="2 56" of <bucket>'),
        ('<bucket lo="0" hi="256"', '<bucket hi="256"', None, "<bucket> has no lo"),
        ('<bucket lo="0" hi="256"', '<bucket lo="0" hi="18446744073709551616"', None, "from 0 to 2^64-1"),
        ('<bucket lo="0" hi="256"', '<bucket lo="256" hi="256"', None, "it must end above"),
        (
            '<bucket lo="0" hi="256"',
            '<bucket lo="0" hi="9999"',
            None,
            "begins below the end of the one before",
        ),
        (
            '<bucket lo="0" hi="256" count="34359738368"',
            '<bucket lo="0" hi="256" count="1"',
            None,
            "the <summary> says",
        ),
        ("<count>34363804943</count>", "", None, "<summary> has no <count>"),
        ("<count>34363804943<", "<count>x<", None, "<count> is 'x': allowed are whole numbers"),
        (
            "<count>34363804943<",
            "<count>7<",
            None,
            "the buckets hold 34363804943 in all, the <summary> says 7",
        ),
        ('<counter name="', '<counter nam="', None, "needs a name and a value"),
    ],
)
def test_refusals_name_file_and_line(changed, old, new, line, why):
    bad = changed(GOLDEN, old, new)
    if old in ("<pmbenchmark>", "<report>"):
        bad.write_text(bad.read_text().replace(f"</{old[1:]}", f"</{new[1:]}"))
    with pytest.raises(Problem) as problem:
        one = of(bad)
        one.values, one.histograms, one.series, one.checks
    assert why in str(problem.value)
    text = GOLDEN.read_text()
    if line is None:
        # Of what stands in it or is told of what is around it.
        line = text.count("\n", 0, text.index(old)) + 1
        assert int(str(problem.value).removeprefix(f"{bad}:").split(":")[0]) in range(line - 12, line + 200)
    else:
        assert str(problem.value).startswith(f"{bad}:{line}: ")


@pytest.mark.parametrize(
    "old, new, why",
    [
        ("<interval_lo>0</interval_lo>", "", "<bucket_interval> has no <interval_lo>"),
        ("<interval_lo>0<", "<interval_lo>1<", "from 2^1 to 2^8 ns: allowed is from 2^0 up"),
        ("<interval_lo>0<", "<interval_lo>zero<", "<interval_lo> is 'zero': allowed are whole numbers"),
        ('<hex index="1">', '<hex index="2">', "<hex> 2 where 1 of 0 to 15 is due"),
        ("<sum_count>14<", "<sum_count>15<", "the parts hold 14 in all, <sum_count> says 15"),
    ],
)
def test_refusals_of_buckets_of_the_original(changed, old, new, why):
    with pytest.raises(Problem, match=re.escape(why)):
        of(changed(ORIGINAL, old, new)).histograms


@pytest.mark.parametrize(
    "text, line, why",
    [
        ('{"pmbenchmark": {\n"report" {}}}', 2, "':' delimiter"),
        ('{"pmbenchmark": {\n"report": {"signature": {\n"<": 1}}}}', 3, "no name of an element"),
        ('{"pmbenchmark": {"report": {"signature":\n{"report_version": 9.0}}}}', 2, "newer"),
        ('{"pmbenchmark": {"report": {"a": 1, "a": 2}}}', None, "a second 'a'"),
        ('{"pmbenchmark": {\n"report": [[1]]}}', 2, "array of arrays"),
        ('{"page": 1}', 1, "is not a report"),
        ("{}", None, "one member"),
    ],
)
def test_refusals_of_json_name_their_line(tmp_path, text, line, why):
    path = tmp_path / "bad.json"
    path.write_text(text)
    with pytest.raises(Problem, match=why) as problem:
        of(path)
    assert str(problem.value).startswith(f"{path}:{line}: " if line else f"{path}: ")


def test_damaged_reports_give_a_problem_or_a_report(tmp_path):
    draw, kinds = random.Random(28), set()
    for i in range(150):
        data = damaged(draw, draw.choice(ALL).read_bytes())
        try:
            one = report.Report(report.parse(data, "x.xml"), "x.xml")
            found = (
                values(one),
                one.subjects,
                one.histograms,
                one.series,
                one.facts,
                one.checks,
                list(table.rows([one])),
            )
            assert all(map(math.isfinite, found[0].values()))
            kinds.add("report")
        except Problem as problem:
            assert str(problem).startswith("x.xml") and "\n" not in str(problem)
            kinds.add("problem")
    assert kinds == {"report", "problem"}


def test_damaged_json_gives_a_problem_or_a_report():
    draw, kinds = random.Random(29), set()
    texts = [convert.json_of(of(path), is_flat=False).encode() for path in (GOLDEN, CELLS)]
    for i in range(80):
        data = draw.choice(texts)
        for _ in range(draw.choice((1, 2))):
            at = draw.randrange(len(data))
            data = draw.choice(
                (
                    data[:at],
                    data[:at] + bytes([draw.choice(b'{}[]:,"\\1n.-\x00\xff')]) + data[at + 1 :],
                    data[:at] + data[at + 20 :],
                )
            )
        try:
            one = report.Report(report.parse(data, "x.json"), "x.json")
            one.values, one.histograms, one.series, one.checks
            kinds.add("report")
        except Problem as problem:
            assert str(problem).startswith("x.json") and "\n" not in str(problem)
            kinds.add("problem")
    assert "problem" in kinds
