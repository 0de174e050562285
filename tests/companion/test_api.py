# SPDX-License-Identifier: GPL-3.0-or-later
"""The API for notebooks: read, frame, and the example."""

import os
import re
import subprocess
import sys
import types

import pytest
from conftest import ROOT

import memstor as api

GOLDEN = ROOT / "tests/golden/pmbench-report.xml"
ORIGINAL = ROOT / "tests/fixtures/pmbench-original/uniform.xml"
SSD = ROOT / "tests/fixtures/ssd/run.xml"
COLUMNS = ["file", "run", "tool", "step", "wall_start", "status"]
LAST = ["subject", "class", "name", "unit", "value"]


def numbers(*paths):
    return {(row["subject"], row["class"], row["name"]): row["value"] for row in api.frame(*map(str, paths))}


def test_what_is_documented_is_there():
    for name in api.__all__:
        assert getattr(api, name).__name__ == name
    assert not hasattr(api, "unheard_of")


def test_help_loads_no_library():
    code = (
        "import sys, memstor.cli; memstor.cli.main(['--help']);"
        "sys.exit(bool({'numpy', 'lxml', 'scipy', 'matplotlib', 'rich'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, stdout=subprocess.DEVNULL).returncode == 0


def test_read_takes_files_and_folders(tmp_path):
    (tmp_path / "a.xml").write_bytes(ORIGINAL.read_bytes())
    found = [one.path for one in api.read(str(tmp_path), str(ORIGINAL))]
    assert found == [f"{tmp_path}/a.xml", str(ORIGINAL)]


def test_a_frame_is_tidy(changed):
    labelled = changed(GOLDEN, "<labels>", '<labels><label name="step">paging</label>')
    rows = api.frame(str(labelled), str(SSD))
    labels = ["label.step", "label.kind", "label.empty"]
    assert list(rows[0]) == COLUMNS + labels + LAST and list(rows[-1]) == COLUMNS + ["label.made"] + LAST
    assert {row["step"] for row in rows} == {"paging", ""}
    assert {row["subject"] for row in rows if row["file"] == str(SSD)} >= {"", "log", "log-alone"}
    keys = [(row["file"], row["subject"], row["class"], row["name"]) for row in rows]
    assert len(keys) == len(set(keys)) and all(type(row["value"]) is float for row in rows)


def test_a_frame_has_values_and_histograms():
    golden, mixed = numbers(GOLDEN), numbers(SSD)
    (one,) = api.read(str(GOLDEN))
    assert golden["", "", "run_s"] == 7200
    assert golden["", "major", "read.mean_ns"] == 8480.682154542763
    assert golden["", "major", "read.count"] == one.histogram("read", "major").count
    assert golden["", "all", "write.p99_ns"] == one.histogram("write").percentile(99).value
    # The first bucket goes to 256 ns: all that is known of the median is that it is below.
    assert one.histogram("read", "all", "log16").percentile(50).is_bounded
    (log,) = [h for h in next(api.read(str(SSD))).finest if (h.type, h.of_class) == ("service", "log")]
    assert mixed["log", "", "service.max_ns"] == log.max


def test_a_frame_is_of_pandas_where_that_is_installed(monkeypatch):
    pandas = types.ModuleType("pandas")
    pandas.DataFrame = tuple
    monkeypatch.setitem(sys.modules, "pandas", pandas)
    frame = api.frame(str(SSD))
    monkeypatch.setitem(sys.modules, "pandas", None)
    assert type(frame) is tuple and api.frame(str(SSD)) == list(frame)


@pytest.fixture
def runs(tmp_path):
    """Writes a report of a step that can be trusted, with texts replaced."""

    def run(side, step, *changes):
        text = GOLDEN.read_text().replace('<verdict status="untrustworthy">', '<verdict status="ok">')
        text = text.replace("<labels>", f'<labels><label name="step">{step}</label>')
        for old, new in changes:
            assert old in text
            text = text.replace(old, new)
        (tmp_path / side / step).mkdir(parents=True)
        (tmp_path / side / step / "report.xml").write_text(text)

    return run


def test_the_example_says_which_step_and_class(runs, tmp_path):
    for step in ("paging", "resident"):
        runs("base", step)
    runs("new", "resident")
    runs("new", "paging", ("8480.682154542763", "9480.5"), ("114.4103324481497", "115.5"))
    example = [sys.executable, str(ROOT / "memstor/examples/slower.py"), tmp_path / "base", tmp_path / "new"]
    done = subprocess.run(example, env=os.environ | {"PYTHONPATH": str(ROOT)}, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert re.search(r"paging +read +114\.4 ns +\+1\.0%", done.stdout)
    assert re.search(r"resident +read +114\.4 ns +\+0\.0%", done.stdout)
    assert "paging, read: +1.1 ns an access" in done.stdout
    assert "most of it in the class major\n" in done.stdout
