# SPDX-License-Identifier: GPL-3.0-or-later
"""memstor html: what the page holds, and that nothing of a report is markup in it."""

import base64
import json
import re
import zlib
from html.parser import HTMLParser
from pathlib import Path

import pytest
from test_compare import report

from memstor import html

ROOT = Path(__file__).parents[2]
GOLDEN = ROOT / "tests/golden/pmbench-report.xml"
RESIDENT = ROOT / "results/reference/resident/report.xml"
JOBS = '<option name="jobs">2</option>'
EVIL = "</script><script>alert(1)</script><!--</noscript></title>\u2028\u202e\"'&"


class Page(HTMLParser):
    """As a browser without JavaScript reads it."""

    def __init__(self, path):
        super().__init__()
        self.text = Path(path).read_text(encoding="utf-8")
        self.tags, self.data, self.cells, self.place = [], {}, [], ""
        self.feed(self.text)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.place = dict(attrs).get("id") or tag
        if tag == "td":
            self.cells.append("")

    def handle_endtag(self, tag):
        self.place = ""

    def handle_data(self, data):
        self.data[self.place] = self.data.get(self.place, "") + data
        if self.place == "bdi" and self.cells:
            self.cells[-1] += data

    @property
    def reports(self):
        return json.loads(self.data["memstor-reports"])

    @property
    def summary(self):
        return json.loads(self.data["memstor-summary"])


def text_of(one):
    """The report's text, as the page puts it together."""
    return "".join(
        part if isinstance(part, str) else zlib.decompress(base64.b64decode(part["zlib"])).decode()
        for part in one["xml"]
    )


@pytest.fixture
def page(memstor, tmp_path):
    """The page of these arguments, which prints nothing but what err matches."""

    def make(*arguments, err=""):
        status, out, said = memstor("html", *arguments, "-o", tmp_path / "page.html")
        assert (status, out) == (0, "") and re.fullmatch(err, said, re.DOTALL)
        return Page(tmp_path / "page.html")

    return make


@pytest.fixture
def two_sides(tmp_path):
    """A folder with base/ and new/, of which "slow" is slower in new, and "same" is not."""
    for number in range(6):
        noise = 1 + number / 1000
        for side, by in (("base", 1.0), ("new", 1.3)):
            folder = tmp_path / "run" / side
            for step, factor in (("slow", by), ("same", 1.0)):
                (folder / step / str(number)).mkdir(parents=True)
                report(
                    folder / step / str(number) / "report.xml",
                    1e6 / noise / factor,
                    5000 * noise * factor,
                    step=step,
                    options=JOBS * (step == "slow"),
                )
    return tmp_path / "run"


def test_a_page_holds_reports_byte_by_byte(page):
    made = page(GOLDEN, RESIDENT, ROOT / "tests/fixtures/pmbench-original/uniform.xml")
    assert [one["name"] for one in made.reports][:2] == [str(GOLDEN), str(RESIDENT)]
    assert text_of(made.reports[0]) == GOLDEN.read_text(encoding="utf-8")
    assert text_of(made.reports[1]) == RESIDENT.read_text(encoding="utf-8")
    assert made.summary is None


def test_large_parts_are_compressed(page):
    (one,) = page(RESIDENT).reports
    packed = [part["part"] for part in one["xml"] if isinstance(part, dict)]
    assert packed == ["statistics", "series", "sys_mem_info"]
    assert not re.search(
        "<(series|statistics|sys_mem_info)>", "".join(p for p in one["xml"] if isinstance(p, str))
    )


def test_a_part_that_a_comment_names_stays_as_it_is(page, changed):
    source = changed(RESIDENT, "<modelname>", "<!-- <series> --><modelname>")
    (one,) = page(source).reports
    assert text_of(one) == source.read_text(encoding="utf-8")
    assert "<series>" in "".join(part for part in one["xml"] if isinstance(part, str))


def test_json_and_other_encodings_become_xml(page, memstor, tmp_path):
    assert memstor("convert", "--to=json", "-o", tmp_path / "a.json", GOLDEN)[0] == 0
    text = GOLDEN.read_text(encoding="utf-8")
    text = text[text.index("<pmbenchmark") :]
    (tmp_path / "latin.xml").write_bytes(
        b"<?xml version='1.0' encoding='iso-8859-1'?>\n" + text.encode("latin-1", "xmlcharrefreplace")
    )
    (tmp_path / "mark.xml").write_bytes(b"\xef\xbb\xbf" + GOLDEN.read_bytes())
    made = page(tmp_path / "a.json", tmp_path / "latin.xml", tmp_path / "mark.xml")
    texts = [text_of(one) for one in made.reports]
    assert texts[0].startswith("<pmbenchmark") and texts[1].startswith("<pmbenchmark")
    assert texts[2] == GOLDEN.read_text(encoding="utf-8")


def test_nothing_of_a_report_is_markup(page, tmp_path):
    text = GOLDEN.read_text(encoding="utf-8")
    text = re.sub(r"<modelname>[^<]*", lambda _: f"<modelname><![CDATA[{EVIL}]]>", text)
    text = text.replace('<label name="empty">', '<label name="step">&lt;img src=x onerror=alert(1)&gt;')
    text += f"<!-- {EVIL.replace('<!--', '')} -->"
    target = tmp_path / "<img src=x onerror=alert(3)>.xml"
    target.write_text(text, encoding="utf-8")
    made, plain = page(target, "--title", EVIL[:100]), Page(html.VIEWER)
    assert text_of(made.reports[0]) == text
    assert made.tags.count("script") == plain.tags.count("script")
    assert "img" not in made.tags and made.reports[0]["step"] == "<img src=x onerror=alert(1)>"
    assert made.data["title"].startswith("</script><script>alert(1)")
    before = made.text[: made.text.rindex("<script>")]
    assert re.search("[^ -~\n]", before[before.index("<noscript>") :]) is None
    assert any("</script><script>alert(1)" in cell for cell in made.cells)
    assert not any("\u202e" in cell for cell in made.cells)


def test_the_table_has_verdict_and_numbers(page):
    cells = page(GOLDEN).cells
    assert cells[0] == str(GOLDEN) and cells[1].startswith("untrustworthy: 3 faults")
    assert "throughput" in cells[6]


def test_the_page_begins_with_what_is_slower(page, two_sides):
    made = page(two_sides)
    about = made.summary
    assert about["verdict"] == "slower" and "slow" in about["headline"]
    changed = {row["step"] for row in about["rows"] if row["is_changed"]}
    assert changed == {"slow"} and {row["step"] for row in about["rows"]} == {"slow", "same"}
    row = next(row for row in about["rows"] if row["cells"][0] == "throughput" and row["step"] == "slow")
    assert row["cells"][6] == row["verdict"] == "slower" and row["decides"]
    assert len(row["cells"]) == len(about["head"])
    assert " to -" in row["cells"][4]
    assert {(one["side"], one["step"]) for one in made.reports} == {
        (side, step) for side in ("base", "new") for step in ("slow", "same")
    }
    assert about["headline"] in made.data["strong"] and "throughput" in made.cells


@pytest.mark.parametrize("between", [[], ["--"]])
def test_two_paths_are_sides(page, two_sides, between):
    made = page(two_sides / "base", *between, two_sides / "new")
    assert made.summary["verdict"] == "slower"
    assert [one["side"] for one in made.reports] == ["base"] * 12 + ["new"] * 12


def test_runs_that_differ_are_shown_but_not_compared(page, two_sides, tmp_path):
    for number in range(4):
        (tmp_path / "other").mkdir(exist_ok=True)
        report(tmp_path / f"other/{number}.xml", step="slow", pattern="zipf", options=JOBS)
    made = page(two_sides / "base/slow", tmp_path / "other", err="memstor: not compared.*")
    assert made.summary["headline"].endswith("add --allow-different=pattern")
    assert made.summary["notes"] == ["option pattern: uniform in BASE, zipf in NEW"]
    assert {one["step"] for one in made.reports} == {"slow"}
    made = page(two_sides / "base/slow", tmp_path / "other", "--allow-different=pattern")
    assert made.summary["verdict"] and made.summary["rows"]


def test_untrustworthy_runs_are_shown_and_left_out(page, tmp_path):
    for side in ("base", "new"):
        (tmp_path / side).mkdir()
        for number in range(4):
            report(tmp_path / side / f"{number}.xml", status="untrustworthy", reason="noisy")
    made = page(tmp_path / "base", tmp_path / "new", err=".*left out.*")
    assert made.summary["headline"].startswith("not compared: no run of BASE") and len(made.reports) == 8
    forced = page(tmp_path / "base", tmp_path / "new", "--force")
    assert forced.summary["headline"].startswith("NOT TRUSTWORTHY")


def test_steps_are_folders_or_labels(page, tmp_path):
    for name, step in (("suite/a/1", "a"), ("suite/a/2", "a"), ("plain", ""), ("", "of-label")):
        (tmp_path / "all" / name).mkdir(parents=True, exist_ok=True)
        report(tmp_path / "all" / name / "report.xml", step=step)
    steps = [one["step"] for one in page(tmp_path / "all").reports]
    assert steps == ["plain", "of-label", "suite/a", "suite/a"]
    (one,) = page(tmp_path / "all/suite/a/1/report.xml").reports
    assert (one["step"], one["folder"], one["side"]) == ("a", "", "")


def test_refusals(memstor, tmp_path, monkeypatch):
    target = tmp_path / "none.html"
    (tmp_path / "svg.xml").write_text("<svg/>")
    assert memstor("html", GOLDEN)[0] == 2
    status, _, err = memstor("html", "-o", target)
    assert (status, err) == (
        2,
        "memstor: no report given: name the reports of the page, or a folder of them\n",
    )
    assert memstor("html", "-o", target, GOLDEN, "--")[0] == 2
    assert "is not a report" in memstor("html", "-o", target, GOLDEN, "--", tmp_path / "svg.xml")[2]
    assert memstor("html", "-o", target, GOLDEN, "--title", "")[0] == 2
    assert memstor("html", "-o", GOLDEN, GOLDEN)[0] == 3
    monkeypatch.setattr(html, "PAGE_MAX", 1000)
    status, _, err = memstor("html", "-o", target, GOLDEN)
    assert status == 2 and "with report 1 of 1 the page exceeds" in err
    assert not target.exists() and GOLDEN.read_bytes().startswith(b"<?xml")
