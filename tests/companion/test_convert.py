# SPDX-License-Identifier: GPL-3.0-or-later
"""memstor convert: known answers of each format, columns, several tools, outputs that are whole, and
refusals."""

import csv
import json
import os
import random

import pytest
from conftest import ROOT
from damage import damaged

from memstor import convert, output, report, workers
from memstor.error import Problem

GOLDEN = ROOT / "tests/golden/pmbench-report.xml"
ORIGINAL = ROOT / "tests/fixtures/pmbench-original"
SSD = ROOT / "tests/fixtures/ssd/run.xml"
CELLS = ROOT / "tests/fixtures/iowrite/run.xml"
COMMAND = ROOT / "tests/fixtures/with-pressure/sort.xml"
FIXTURES = [
    path for path in sorted((ROOT / "tests/fixtures").glob("*/*.xml")) if path.name != "system.xml"
] + [GOLDEN]
ONE_A_TOOL = [GOLDEN, ORIGINAL / "uniform.xml", SSD, CELLS, ROOT / "tests/fixtures/memtrace/skew.xml"]
TABLES = tuple(convert.TABLES)


@pytest.fixture
def table(memstor):
    def rows(what, *paths):
        status, out, err = memstor("convert", "--to", "csv", "--what", what, *paths)
        assert (status, err) == (0, "")
        return list(csv.DictReader(out.splitlines()))

    return rows


# --- JSON ---


def test_json_is_that_of_the_tools(memstor, changed):
    version = GOLDEN.read_text().partition("<version_number>")[2].partition("<")[0]
    status, out, _ = memstor("convert", "--to", "json", changed(GOLDEN, version, "@"))
    assert status == 0 and out == (ROOT / "tests/golden/pmbench-report.json").read_text()


def test_several_reports_are_an_array_or_lines(memstor):
    status, out, _ = memstor("convert", "--to", "json", GOLDEN, ORIGINAL)
    lines = memstor("convert", "--to", "ndjson", GOLDEN, ORIGINAL)[1].splitlines()
    assert status == 0 and len(lines) == 5
    assert json.loads(out) == [json.loads(line) for line in lines]


@pytest.mark.parametrize("path", ONE_A_TOOL, ids=lambda path: path.stem)
def test_a_report_in_json_is_the_report_in_xml(memstor, table, tmp_path, path):
    copy = tmp_path / "copy.json"
    assert memstor("convert", "--to", "json", path, "-o", copy)[0] == 0
    for what in TABLES:
        ours, theirs = table(what, copy), table(what, path)
        assert [row | {"file": ""} for row in ours] == [row | {"file": ""} for row in theirs]


@pytest.mark.parametrize(
    "old, new, line",
    [
        ("<ratio>50<", "<ratio>x<", 41),
        ("<ratio>50<", "<ratio>1e999<", 41),
        ("<params>", "<params>x", 30),
        ("<params>", '<params ratio="1">', 30),
        ("<ratio>50<", '<ratio value="1">50<', 41),
    ],
)
def test_what_json_cannot_say_is_refused(memstor, changed, old, new, line):
    bad = changed(ROOT / "tests/fixtures/report-1.0.xml", old, new)
    status, out, err = memstor("convert", "--to", "json", bad)
    assert (status, out, err.count("\n")) == (2, "", 1) and f"{bad}:{line}: " in err


# --- tables ---


def test_labels_and_begin_are_columns_of_every_table(table, changed):
    labels = '<labels><label name="commit">=1+2</label><label name="set">a,"b"</label>'
    labelled = changed(GOLDEN, "<labels>", labels)
    for what in TABLES:
        rows = table(what, labelled, ORIGINAL)
        sets = {(row["label.commit"], row["label.set"]) for row in rows}
        assert ("'=1+2", 'a,"b"') in sets and sets <= {("'=1+2", 'a,"b"'), ("", "")}
        assert "2026-11-20T09:24:29.000000042Z" in {row["wall_start"] for row in rows}
        names = list(rows[0])
        assert names[:5] == ["file", "run", "tool", "wall_start", "status"] and len(names) == len(set(names))


def test_summary_of_accesses(table):
    rows = table("summary", GOLDEN)
    assert [(row["type"], row["class"]) for row in rows[:2]] == [("read", "all"), ("read", "hit")]
    assert rows[0]["count"] == "34363804943" and rows[0]["layout"] == "hdr"


def test_summary_of_subjects(table):
    rows = table("summary", SSD)
    assert [row["subject"] for row in rows][:2] == ["log", "checkpoint"]
    assert rows[0]["block_bytes"] == "16384" and float(rows[0]["service.p99_ns"]) > 0


def test_summary_of_a_command(table):
    (row,) = table("summary", COMMAND)
    assert row["wall_ns"] == "39679934" and "count" not in row and row["label.commit"] == "abc"


SWEEP = """<result><clock><overhead_ns>1</overhead_ns></clock>
<sweep over="rate"><outcome>met</outcome><point load="10">
<load_value>10</load_value><runs>1</runs><status>met</status></point></sweep></result>"""


def test_summary_has_each_name_once(memstor, changed):
    # The status of a load of a sweep is not that of the run.
    text = SSD.read_text()
    result = text[text.index("<result>") : text.index("</result>") + len("</result>")]
    status, out, _ = memstor("convert", "--to", "csv", changed(SSD, result, SWEEP))
    head, row = csv.reader(out.splitlines())
    assert status == 0 and len(head) == len(set(head))
    assert dict(zip(head, row))["point.status"] == "met" and dict(zip(head, row))["status"] == "ok"


def test_no_percentile_contradicts_the_mean(table, changed):
    # All in the first bucket, below 256 ns, with a mean of 44.5 ns: nothing is known of percentiles.
    before, _, behind = GOLDEN.read_text().partition("<statistics>")
    wide = before + WIDE + behind.partition("</statistics>")[2]
    (row,) = table("summary", changed(GOLDEN, GOLDEN.read_text(), wide))
    assert row["mean_ns"] == "44.5" and row["p50_ns"] == row["p90_ns"] == row["p95_ns"] == ""
    for path in FIXTURES:
        for row in table("summary", path):
            for name, percent in convert.PERCENTILES.items():
                if row.get(name) and row["mean_ns"]:
                    assert float(row[name]) <= float(row["mean_ns"]) / (1 - percent / 100) * (1 + 1e-9)


WIDE = """<statistics><latency_histogram type="read" class="all" layout="log16" unit="ns"><summary>
<count>4</count>
<min_ns>40</min_ns><mean_ns>44.5</mean_ns><max_ns>250</max_ns></summary><bucket lo="0" hi="256" count="4"/>
</latency_histogram></statistics>"""


def test_values_are_as_they_are_written(table):
    rows = {(row["subject"], row["name"]): row for row in table("values", GOLDEN)}
    assert rows["", "totals.run_s"]["value"] == "7200" and rows["", "totals.run_s"]["unit"] == "s"
    assert rows["result_thread 2", "thread_details.run_ns"]["value"] == "7200000000000"
    assert sum(name.endswith(".p99_ns") for _, name in rows) == 7
    # What only counts records is no value.
    assert not [name for _, name in rows if name.rpartition(".")[2] in ("process", "thread_num", "index")]


def test_buckets_add_up(table):
    rows = table("buckets", ORIGINAL / "uniform-swap.xml")
    assert sum(int(row["count"]) for row in rows) == 300000


def test_series_names_its_subject(table):
    assert {row["subject"] for row in table("series", SSD)} == {
        f"{stream}{alone} repetition {i}"
        for stream in ("log", "checkpoint")
        for alone in ("", "-alone")
        for i in "01"
    }


def test_facts(table):
    facts = {(row["kind"], row["name"]): row["value"] for row in table("facts", GOLDEN)}
    assert facts["option", "mapsize"] == "8192MiB" and facts["verdict", "status"] == "untrustworthy"


def test_a_table_of_several_tools(memstor, table, tmp_path):
    for what in ("values", "buckets", "series", "facts"):
        assert {row["tool"] for row in table(what, GOLDEN, SSD, CELLS)} <= {
            "pmbench",
            "ssd-workloads",
            "iowrite-bench",
        }
    status, out, err = memstor("convert", "--to", "csv", GOLDEN, SSD)
    assert (status, out, err.count("\n")) == (2, "", 1) and "-o DIR/" in err
    folder = tmp_path / "tables"
    assert memstor("convert", "--to", "csv", GOLDEN, SSD, CELLS, "-o", f"{folder}/") == (0, "", "")
    assert sorted(os.listdir(folder)) == ["iowrite-bench.csv", "pmbench.csv", "ssd-workloads.csv"]
    assert memstor("convert", "--to", "json", GOLDEN, SSD, SSD, "-o", folder)[0] == 0
    assert len(json.load(open(folder / "ssd-workloads.json"))) == 2


def test_pmgraph_is_that_of_the_viewer(memstor):
    status, out, _ = memstor("convert", "--to", "pmgraph", ORIGINAL)
    assert status == 0 and out == (ROOT / "tests/golden/convert-pmgraph.csv").read_text()
    status, out, err = memstor("convert", "--to", "pmgraph", ORIGINAL, SSD)
    assert (status, out) == (2, "") and "ssd-workloads" in err


def test_pmgraph_folds_fine_buckets():
    golden, column = report.read_file(str(GOLDEN)), convert.column_of(str(GOLDEN))
    for of_type, counts in column.counts.items():
        assert golden.histogram(of_type).layout == "hdr"
        coarse = golden.histogram(of_type, "all", "log16")
        filled = {low: count for low, count in zip(convert.LOG16, counts) if count}
        assert filled == dict(zip(coarse.lo.tolist(), coarse.counts.tolist()))


# --- many files ---


def test_several_processes_say_what_one_says(memstor, monkeypatch, changed):
    bad = changed(GOLDEN, "<run_s>7200<", "<run_s>x<")
    calls = [("csv", GOLDEN, ORIGINAL), ("ndjson", SSD, CELLS, GOLDEN), ("csv", GOLDEN, bad, ORIGINAL)]
    alone = [memstor("convert", "--to", *call) for call in calls]
    monkeypatch.setattr(workers, "FEW", 0)
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: {0, 1})
    assert [memstor("convert", "--to", *call) for call in calls] == alone
    assert [status for status, _, _ in alone] == [0, 0, 2] and alone[2][2].count("\n") == 1


def _die(path):
    os._exit(1)


def test_a_process_that_dies_is_one_line(monkeypatch):
    monkeypatch.setattr(workers, "FEW", 0)
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: {0, 1})
    with pytest.raises(Problem, match="was killed"):
        list(workers.each(_die, [str(GOLDEN)] * 4))


# --- outputs ---


@pytest.mark.parametrize(
    "options", [(), ("--to", "xml"), ("--to", "csv", "-w", "all"), ("--to", "json", "-w", "values")]
)
def test_wrong_options(memstor, options):
    status, out, err = memstor("convert", GOLDEN, *options)
    assert (status, out, err.count("\n")) == (2, "", 1)


def test_an_output_is_whole_or_as_it_was(memstor, changed, tmp_path):
    bad = changed(ROOT / "tests/fixtures/report-1.0.xml", "<ratio>50<", "<ratio>x<")
    kept = tmp_path / "kept"
    kept.write_text("before")
    assert memstor("convert", "--to", "json", "-o", kept, GOLDEN, bad)[0] == 2
    assert kept.read_text() == "before" and len(os.listdir(tmp_path)) == 2


def test_a_write_that_fails_leaves_what_was_there(tmp_path):
    kept = tmp_path / "kept"
    kept.write_text("before")
    with pytest.raises(KeyboardInterrupt), output.writing(str(kept)) as file:
        file.write("half")
        raise KeyboardInterrupt
    assert kept.read_text() == "before" and os.listdir(tmp_path) == ["kept"]


@pytest.mark.parametrize("name", ["", ".", "folder", "none/x.csv", "link", "pipe", "report.xml", "a" * 256])
def test_what_is_not_written_to(tmp_path, name):
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to("target")
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "report.xml").write_bytes(GOLDEN.read_bytes()[:1000])
    before = sorted(os.listdir(tmp_path))
    with pytest.raises(Problem) as problem, output.writing(f"{tmp_path}/{name}") as file:
        file.write("x")
    assert problem.value.status == 3 and "cannot be written" in str(problem.value)
    assert sorted(os.listdir(tmp_path)) == before


def test_a_report_replaces_a_report_only(tmp_path):
    (tmp_path / "report.xml").write_text("<?xml old")
    (tmp_path / "notes").write_text("mine")
    with output.writing(str(tmp_path / "report.xml"), b"<?xml") as file:
        file.write("<?xml new")
    assert (tmp_path / "report.xml").read_text() == "<?xml new"
    with pytest.raises(Problem), output.writing(str(tmp_path / "notes"), b"<?xml") as file:
        file.write("<?xml")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make files of other users")
def test_root_writes_not_where_another_user_decides(tmp_path, monkeypatch):
    (tmp_path / "theirs").mkdir()
    (tmp_path / "ours").mkdir()
    os.chown(tmp_path / "theirs", 12345, 12345)
    (tmp_path / "link").symlink_to("ours")
    os.lchown(tmp_path / "link", 12345, 12345)
    for path in ("theirs/x", "link/x"):
        with pytest.raises(Problem, match="another user"), output.writing(f"{tmp_path}/{path}"):
            pass
    monkeypatch.setenv("SUDO_UID", "12345")
    with output.writing(f"{tmp_path}/theirs/x"):
        pass
    assert os.listdir(tmp_path / "theirs") == ["x"]


def test_a_full_device(memstor):
    assert memstor("convert", "--to", "csv", GOLDEN, "-o", "/dev/null") == (0, "", "")
    status, _, err = memstor("convert", "--to", "csv", GOLDEN, "-o", "/dev/full")
    assert status == 3 and err.count("\n") == 1 and "No space left" in err


def test_damaged_reports_are_converted_or_refused_in_one_line(memstor, tmp_path):
    draw = random.Random(26)
    path, statuses = tmp_path / "bad.xml", set()
    for _ in range(100):
        path.write_bytes(damaged(draw, draw.choice(FIXTURES).read_bytes()))
        what = draw.choice((*(("csv", "-w", what) for what in TABLES), ("json",), ("ndjson",), ("pmgraph",)))
        status, out, err = memstor("convert", path, "--to", *what)
        assert status in (0, 2) and err.count("\n") == (status == 2)
        statuses.add(status)
    assert statuses == {0, 2}
