# SPDX-License-Identifier: GPL-3.0-or-later
"""memstor plot: names, files, refusals, and texts of others."""

import math
import subprocess
import sys

import pytest
from conftest import ROOT
from lxml import etree
from pictures import GOLDEN, IOWRITE, MEMTRACE, ORIGINAL, SSD, SWAP, UNIFORM
from pictures import check_texts, column, draw, sample, svg_texts

from memstor import plot
from memstor.plot.picture import KINDS
from memstor.report import read_file

# --- names ---


def test_sides_are_base_and_new():
    _, made, rows = draw("histogram", SWAP, UNIFORM, "--", GOLDEN, "--type", "read")
    assert {row["curve"].split(",")[0] for row in rows} == {"base", "new"}
    for text in svg_texts(made):
        assert "/" not in text.replace("1/16", "") and "and 1 more" not in text


def test_names_are_what_differs(changed):
    a = changed(GOLDEN, 'name="kind">&lt;fake&gt;', 'name="kind">one', "a.xml")
    b = changed(GOLDEN, 'name="kind">&lt;fake&gt;', 'name="kind">two', "b.xml")
    texts = svg_texts(draw("cdf", a, b, "--type", "read", "--mark", "none")[1])
    assert "kind one, read" in texts and "kind two, read" in texts
    c = changed(GOLDEN, "<uuid>", "<uuid>", "c.xml")
    texts = svg_texts(draw("cdf", GOLDEN, c, "--type", "read", "--mark", "none")[1])
    assert "pmbench-report.xml, read" in texts and "c.xml, read" in texts
    texts = svg_texts(
        draw("cdf", SWAP, UNIFORM, "--legend", "setsize", "--type", "read", "--mark", "none")[1]
    )
    assert "set of 512 MiB, read" in texts


def test_a_name_that_begins_with_a_line_is_in_the_legend(changed):
    a = changed(GOLDEN, "<uuid>", "<uuid>", "_a.xml")
    b = changed(GOLDEN, "<uuid>", "<uuid>", "_b.xml")
    for kind, more in (("percentile", ("--type", "read")), ("bars", ()), ("series", ())):
        texts = svg_texts(draw(kind, a, b, "--legend", "file", *more)[1])
        assert any(text.split(",")[0] == "_a.xml" for text in texts), (kind, texts)


def test_groups_are_sums():
    picture, _, rows = draw("cdf", ORIGINAL, "--group-by", "tool", "--type", "read")
    assert "Each curve is the sum of its group's runs, 4 in all." in picture.notes
    assert {row["curve"] for row in rows} == {"read"}


def test_many_types_are_told_by_dashes():
    picture, made, _ = draw("histogram", SWAP, UNIFORM, GOLDEN)
    assert "Solid lines: read, dashed: write." in picture.notes


def test_cells_of_different_length_share_no_time_axis():
    picture, _, rows = draw("series", IOWRITE / "run.xml", "--class", "*.1m")
    ends = {}
    for row in rows:
        ends[row["curve"]] = max(ends.get(row["curve"], 0), float(row["time_s"]))
    assert len(ends) == 4
    for ax in picture.panels:
        lengths = {line.get_xdata()[-1] for line in ax.get_lines() if len(line.get_xdata())}
        assert max(lengths) <= 1.1 * min(lengths)
    check_texts(picture)


def test_bars_of_many_cells_have_whole_titles():
    picture, made, _ = draw("bars", IOWRITE / "run.xml")
    check_texts(picture)
    texts = svg_texts(made)
    assert "throughput (1/s)" in texts and any(t.startswith("The first 12 of ") for t in texts)
    assert not any("pwrite.buffered.fsync.append" in text for text in texts)


def test_notes_of_a_prediction():
    texts = svg_texts(sample("prediction")[1])
    for wanted in (
        "Scenario c2 (figure 6A of CAWL): 16 MiB at a time, without a delay",
        "background 512 MiB",
        "throttling begins 768 MiB",
        "limit 1 GiB",
        "Floor: 11.2 % per write, with three costs chosen knowing the result.",
    ):
        assert wanted in texts
    assert any(
        text.startswith("Flushing begins after 0.103 s (kernel's model: after 0.103 s), throttling")
        for text in texts
    )
    assert "size of a write" in svg_texts(
        draw("prediction", IOWRITE / "evaluate.xml", "--scenario", "f4b")[1]
    )


def test_an_untrustworthy_run_is_marked(changed):
    assert sample("histogram")[0].notes["pmbench-report.xml is not to be trusted: inexact."]
    other = changed(GOLDEN, 'status="untrustworthy"', 'status="interrupted"', "i.xml")
    assert "i.xml is of an interrupted run: inexact." in draw("cdf", other)[0].notes


def test_untrustworthy_runs_of_one_reason_are_one_note(changed, tmp_path):
    for i in "12":
        changed(GOLDEN, "<uuid>", f"<uuid>{i}", f"{i}.xml")
        (tmp_path / i).mkdir()
        (tmp_path / f"{i}.xml").rename(tmp_path / i / "report.xml")
    notes = draw("bars", tmp_path / "1", "--", tmp_path / "2")[0].notes
    assert [note for note, is_warning in notes.items() if is_warning] == [
        f"2 reports are not to be trusted: inexact; the first is {tmp_path}/1/report.xml."
    ]


def test_a_group_of_several_steps_says_so(changed):
    command = ROOT / "tests/fixtures/with-pressure/sort.xml"
    label = '<label name="commit">abc</label>'
    steps = [changed(command, label, f'<label name="step">{name}</label>', f"{name}.xml") for name in "xy"]
    words = "bars", *steps, "--", *steps, "--metric", "wall"
    notes = draw(*words)[0].notes
    assert "base has runs of 2 steps: --group-by step draws them apart." in notes
    assert not any(" steps: " in note for note in draw(*words, "--group-by", "step")[0].notes)
    # Without sides each step is a group.
    picture, made, _ = draw("bars", *steps, *steps, "--metric", "wall")
    assert {"step x", "step y"} <= set(svg_texts(made))
    assert any("medians of 2 runs a group" in note for note in picture.notes)


def test_titles_of_low_panels_are_apart():
    run = IOWRITE / "run.xml"
    check_texts(draw("series", run, "--class", "*.1m", "--size", "800x330")[0])


def test_every_run_is_whole_and_bytes_have_units():
    command = ROOT / "tests/fixtures/with-pressure/sort.xml"
    picture, made, _ = draw("bars", command, "--", command, "--metric", "wall,peak-memory")
    texts = svg_texts(made)
    assert "peak-memory" in texts and "6.88 MiB" in texts
    # A run at the end of an axis has its whole point.
    picture = draw("bars", command, command, "--", command, "--metric", "wall")[0]
    points = [line for ax in picture.panels for line in ax.get_lines() if line.get_marker() == "o"]
    assert points and not any(line.get_clip_on() for line in points)


def test_a_window_draws_its_intervals_only():
    picture, _, rows = draw("histogram", GOLDEN, "--to", "1500ms")
    first = read_file(str(GOLDEN)).series[0].histogram
    assert column(rows, "count").sum() == first.count
    assert "Only what was measured from 0 s to 1.5 s." in picture.notes


@pytest.mark.parametrize(
    "unit, x, text",
    [
        ("ns", 999.9996, "1 us"),
        ("ns", 0.5, "0.5 ns"),
        ("ns", 2.5e9, "2.5 s"),
        ("B", 1 << 29, "512 MiB"),
        ("", 5851, "5.85 k"),
        ("%", 99.5, "99.5 %"),
        ("B/s", 1024, "1 KiB/s"),
        ("", 0, "0"),
        ("%", 0, "0 %"),
        ("", math.nan, "-"),
        ("s", 0.04, "0.04"),
    ],
)
def test_numbers(unit, x, text):
    assert plot.style.number(x, unit) == text


# --- files ---


def test_formats_and_files(memstor, tmp_path):
    for name, begin in (("a.png", b"\x89PNG\r\n"), ("a.PDF", b"%PDF-"), ("a.svg", b"<?xml")):
        status, out, err = memstor(
            "plot", "cdf", SWAP, "-o", tmp_path / name, "--keep-data", tmp_path / "a.csv"
        )
        assert (status, out, err) == (0, "", "")
        assert (tmp_path / name).read_bytes().startswith(begin)
    assert (tmp_path / "a.csv").read_text().startswith("curve,")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.PDF", "a.csv", "a.png", "a.svg"]


def test_size_of_a_png():
    made = draw("cdf", SWAP, "-o", "a.png", "--size", "700x400")[1]
    assert (int.from_bytes(made[16:20], "big"), int.from_bytes(made[20:24], "big")) == (700, 400)


def test_pictures_are_the_same_each_time():
    one, other = (draw("histogram", SWAP, "--title", "same", "--type", t)[1] for t in ("read", "read"))
    draw.cache_clear()
    again = draw("histogram", SWAP, "--title", "same", "--type", "read")[1]
    assert one == other == again and b"dc:date" not in again


def test_a_style_is_used(tmp_path):
    path = tmp_path / "own.mplstyle"
    path.write_text(
        "axes.prop_cycle: cycler('color', ['123456', 'abcdef'])\ntext.usetex: True\nxtick.color: 654321\n"
    )
    made = draw("histogram", SWAP, "--style", path, "--type", "read")[1]
    assert b"#123456" in made and b"fill: #654321" in made


def test_matplotlib_is_loaded_by_pictures_alone():
    code = "import sys, memstor.plot; print('matplotlib' in sys.modules)"
    found = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert found.stdout == "False\n"


def test_help_lists_kinds_by_tool(memstor):
    status, out, _ = memstor("plot", "--help")
    assert status == 0 and out.index("kinds of any tool:") < out.index("kinds of iowrite-bench:") < out.index(
        "  prediction "
    )
    for kind in KINDS:
        assert f"  {kind} " in out


# --- what is refused, in one line ---


REFUSALS = [
    (["pie", GOLDEN], "KIND 'pie': must be histogram, cdf"),
    (["cdf"], "a report is missing"),
    (["cdf", GOLDEN, "-o", "r.gif"], "-o r.gif: the suffix must be .svg, .png or .pdf, or give --format"),
    (["cdf", GOLDEN, "--size", "0x0"], "'0x0': must be WIDTHxHEIGHT"),
    (["cdf", GOLDEN, "--mark", "p50,p101"], "must be none, or percentiles"),
    (["cdf", GOLDEN, "--mark", "50"], "must be none, or percentiles"),
    (["cdf", GOLDEN, "--class", "hit,,major"], "names with commas between"),
    (["prediction", GOLDEN, "--model", "naive,linear"], "must be some of kernel, cawl, naive"),
    (["cdf", GOLDEN, "--x-range", "1ms"], "must be LOW:HIGH"),
    (["cdf", GOLDEN, "--from", "soon"], "must be a time"),
    (["cdf", GOLDEN, "--from", "2", "--to", "2"], "--to: must be after --from"),
    (["series", GOLDEN, "--threshold", "1 ms"], "must be a latency (100us)"),
    (
        ["histogram", GOLDEN, "--counter", "vmstat.pswpin"],
        "--counter: histogram does not have it; it is for series",
    ),
    (["series", GOLDEN, "--", GOLDEN], "--: series has no sides of reports; they are for histogram"),
    (["cdf", GOLDEN, "--type", "read", "--from", "0"], "intervals have one histogram of all accesses"),
    (
        ["cdf", GOLDEN, "--type", "fsync"],
        "has no histogram of type fsync, class all; it has: read all, read hit",
    ),
    (
        ["cdf", SWAP, "--class", "hit"],
        "has no histogram of type (any), class hit; it has: read all, write all",
    ),
    (
        ["series", SWAP],
        "no report of a run with a series, which is what series draws; this one is for histogram, cdf",
    ),
    (
        ["heatmap", GOLDEN, "--from", "100"],
        "no interval lies between --from and --to; the run ended after 3 s",
    ),
    (["series", GOLDEN, "--metric", "p101"], "no interval has 'p101'"),
    (["series", GOLDEN, "--counter", "vmstat.nonsense"], "has no counter 'vmstat.nonsense'"),
    (["series", GOLDEN, "--counter", "vmstat.pswpin,meminfo.MemFree"], "one axis has one unit"),
    (["series", GOLDEN, "--threshold", "1G"], "a size needs a --counter of memory"),
    (["bars", GOLDEN, "--group-by", "weather"], "no report has such a label, option or fact"),
    (["bars", GOLDEN, "--metric", "q99"], "--metric 'q99': must be throughput"),
    (["bars", SWAP, "--metric", "major.p99"], "--metric 'major.p99': no report has such a number"),
    (["heatmap", *[GOLDEN] * 5], "heatmap draws at most 4 reports, these are 5"),
    (
        ["cdf", *[GOLDEN] * 9],
        "cdf draws at most 8 reports, these are 9: draw fewer, or pool runs by --group-by",
    ),
    (["series", GOLDEN, "--size", "200x200"], "the picture would have no room for its data"),
    (
        ["prediction", IOWRITE / "run.xml"],
        "no report of iowrite-bench evaluate, which is what prediction draws; this one is for",
    ),
    (["prediction", IOWRITE / "evaluate.xml", "--scenario", "c9"], "does not have it; it has: c2, c4, f4b"),
    (["errors", IOWRITE / "evaluate.xml", "--metric", "p99"], "must be up to 3 of per-write-error"),
    (["cost", IOWRITE / "run.xml", "--metric", "write.p50,throughput"], "one axis has one unit"),
    (["cost", IOWRITE / "run.xml", "--metric", "a:p50"], "without a cell"),
    (["cost", IOWRITE / "run.xml", "--class", "mmap.*"], "no cell has costs or is one of --class"),
    (["histogram", IOWRITE / "run.xml"], "1 reports of 12 classes and 2 types: a picture distinguishes at"),
    (["series", IOWRITE / "run.xml", "--class", "none"], "nothing of --class has intervals"),
    (["heatmap", IOWRITE / "run.xml"], "no report of a run whose series has histograms"),
    (
        ["segments", SSD / "fig4.xml"],
        "no report of ssd-workloads analyze fig4 of a simulated device, which is what segments",
    ),
    (["slowest", SSD / "sim-fig4.xml"], "this one is for segments"),
    (["lba", SSD / "fig9.xml"], "this one is for tail"),
    (
        ["stride", MEMTRACE / "skew.xml"],
        "no report of memtrace analyze stride, which is what stride draws; this one is for",
    ),
    (["buffer", MEMTRACE / "skew.xml"], "must be the report of a run with a rate"),
    (["cdf", "none.xml"], "none.xml: No such file"),
    (["cdf", GOLDEN, "--style", "none.mplstyle"], "none.mplstyle: No such file or directory"),
]


@pytest.mark.parametrize("words, line", REFUSALS, ids=[line[:40] for _, line in REFUSALS])
def test_refusals(memstor, tmp_path, monkeypatch, words, line):
    monkeypatch.chdir(tmp_path)
    words = [*words, *([] if "-o" in words else ["-o", "r.svg"])]
    status, out, err = memstor("plot", *words)
    assert status == 2 and line in err and err.count("\n") == 1, err
    assert list(tmp_path.iterdir()) == []


def test_refuses_a_wrong_style_and_outputs(memstor, tmp_path):
    bad = tmp_path / "bad.mplstyle"
    for text in ("no such: parameter\n", "lines.linewidth: wide\n", "axes.nothing: 3\n"):
        bad.write_text(text)
        status, _, err = memstor("plot", "cdf", SWAP, "-o", tmp_path / "r.svg", "--style", bad)
        assert status == 2 and err.count("\n") == 1 and "is no style of matplotlib" in err
    own = tmp_path / "own.svg"
    own.write_bytes(SWAP.read_bytes())
    for words in (
        ["-o", own],
        ["-o", tmp_path / "r.svg", "--keep-data", own],
        ["-o", bad, "--format", "svg", "--style", bad],
    ):
        before = {path: path.read_bytes() for path in tmp_path.iterdir()}
        status, _, err = memstor("plot", "cdf", own, *words)
        assert status == 2 and err.count("\n") == 1 and "give another name" in err
        assert before == {path: path.read_bytes() for path in tmp_path.iterdir()}


# --- texts of others ---


HOSTILE = [
    "a\nb\tc",
    "$x^2$ \\frac{1}{2} $",
    "<script>&amp;]]>",
    "\x1b[31mred\x07",
    "\u202eabc",
    "%s%n{0}",
    "x" * 10000,
    "\ufffe\ud7ff",
]


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_texts_are_drawn_as_text(tmp_path, text):
    paths = []
    for i in range(2):
        tree = etree.parse(str(GOLDEN))
        clean = "".join(c for c in text if c in "\n\t" or c >= " " and c not in "\ufffe\ud7ff")
        tree.find(".//labels/label").text = f"{clean}{i}" if len(text) < 1000 else f"{i}{clean}"
        paths.append(tmp_path / f"{i}.xml")
        tree.write(str(paths[-1]))
    picture, made, _ = draw("cdf", *paths, "--title", text, "--type", "read", "--mark", "none")
    root = etree.fromstring(made)
    assert not root.findall(".//{*}script")
    check_texts(picture)
    if text == "<script>&amp;]]>":
        assert text in svg_texts(made) and f"kind {text}0, read" in svg_texts(made)
    if text.startswith("$"):
        assert text in svg_texts(made)
    picture, made, _ = draw("series", paths[0], "--threshold", f"100ns:{text}")
    etree.fromstring(made)
    check_texts(picture)


def test_a_long_name_is_cut(tmp_path):
    tree = etree.parse(str(IOWRITE / "evaluate.xml"))
    for i, node in enumerate(tree.iterfind(".//scenario")):
        node.set("id", "scenario" * 50 + str(i))
    path = tmp_path / "long.xml"
    tree.write(str(path))
    check_texts(draw("errors", path)[0])
