# SPDX-License-Identifier: GPL-3.0-or-later
"""memstor plot: of each kind the numbers are the report's and no text is cut; names, refusals, and texts of
others."""

import csv
import io
import math
import subprocess
import sys
from functools import cache

import numpy as np
import pytest
from conftest import ROOT
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from memstor import cli, metric, plot
from memstor.histogram import Histogram, edges
from memstor.plot.latency import coarsen
from memstor.plot.picture import KINDS
from memstor.report import read_file

GOLDEN = ROOT / "tests/golden/pmbench-report.xml"
FIXTURES = ROOT / "tests/fixtures"
ORIGINAL = FIXTURES / "pmbench-original"
SWAP, UNIFORM = ORIGINAL / "uniform-swap.xml", ORIGINAL / "uniform.xml"
IOWRITE, SSD, MEMTRACE = FIXTURES / "iowrite", FIXTURES / "ssd", FIXTURES / "memtrace"
PLOT = next(command for command in cli.COMMANDS if command.name == "plot")

SAMPLES = {
    "histogram": GOLDEN,
    "cdf": SWAP,
    "percentile": SWAP,
    "series": GOLDEN,
    "heatmap": GOLDEN,
    "bars": GOLDEN,
    "prediction": IOWRITE / "evaluate.xml",
    "errors": IOWRITE / "evaluate.xml",
    "kernel-trace": IOWRITE / "trace.xml",
    "cost": IOWRITE / "run.xml",
    "interference": SSD / "run.xml",
    "lba": SSD / "fig11.xml",
    "tail": SSD / "fig9.xml",
    "ratios": SSD / "fig6.xml",
    "slowest": SSD / "fig4.xml",
    "segments": SSD / "sim-fig4.xml",
    "collections": SSD / "sim-fig5.xml",
    "gantt": SSD / "sim-fig8.xml",
    "copies": SSD / "sim-fig10.xml",
    "attribution": SSD / "sim-attribution.xml",
    "counters": SSD / "sim-counters.xml",
    "window": SSD / "sim-window.xml",
    "bandwidth": SSD / "sim-bandwidth.xml",
    "access-pattern": MEMTRACE / "pattern.xml",
    "access-count": MEMTRACE / "count.xml",
    "hot-set": MEMTRACE / "hotset.xml",
    "miss-ratio": MEMTRACE / "missratio.xml",
    "popularity": MEMTRACE / "skew.xml",
    "reuse-distance": MEMTRACE / "reuse.xml",
    "stride": MEMTRACE / "stride.xml",
    "accessed-volume": MEMTRACE / "partition.xml",
}


@cache
def draw(*arguments):
    """The picture, its file, and the rows of --keep-data; arguments without -o: an SVG."""
    words = [str(argument) for argument in arguments]
    words += [] if "-o" in words else ["-o", "unwritten.svg"]
    options = cli.parser_of(PLOT).parse(words)
    picture, made = plot.make(options)
    return picture, made, list(csv.DictReader(io.StringIO(picture.data())))


def sample(kind):
    return draw(kind, SAMPLES[kind])


def column(rows, name, **where):
    """The numbers of a column, where others are as given."""
    chosen = [row for row in rows if all(row.get(key) == value for key, value in where.items())]
    return np.array([float(row[name]) for row in chosen if row.get(name)])


def texts_of(picture):
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.text import Text

    FigureCanvasAgg(picture.figure)
    picture.figure.draw_without_rendering()
    renderer = picture.figure.canvas.get_renderer()
    for text in picture.figure.findobj(Text):
        if text.get_visible() and text.get_text().strip():
            box = text.get_window_extent(renderer)
            if box.width:
                yield text, box


def check_texts(picture):
    """No text is cut by the picture's end, and none covers another one."""
    page, before = picture.figure.bbox, []
    for text, box in texts_of(picture):
        inside = box.x0 >= -1 and box.y0 >= -1 and box.x1 <= page.x1 + 1 and box.y1 <= page.y1 + 1
        assert inside, f"{text.get_text()!r} is cut: {box} of {page}"
        if text.get_rotation() % 90:
            continue
        for other, taken in before:
            wide = min(box.x1, taken.x1) - max(box.x0, taken.x0)
            high = min(box.y1, taken.y1) - max(box.y0, taken.y0)
            assert wide < 2 or high < 3, f"{text.get_text()!r} covers {other.get_text()!r}"
        before.append((text, box))


def svg_texts(made):
    root = etree.fromstring(made)
    return ["".join(node.itertext()).strip() for node in root.iter("{*}text")]


# --- every kind ---


def test_each_kind_has_a_sample():
    assert set(SAMPLES) | {"buffer"} == set(KINDS)


@pytest.mark.parametrize("kind", SAMPLES)
def test_texts_are_whole_and_apart(kind):
    check_texts(sample(kind)[0])


@pytest.mark.parametrize("kind", SAMPLES)
def test_svg_is_described(kind):
    picture, made, rows = sample(kind)
    root = etree.fromstring(made)
    assert root.get("role") == "img" and rows
    about = "".join(root.find(".//{*}description").itertext())
    assert read_file(str(SAMPLES[kind])).uuid in about and KINDS[kind].about in about
    named = [node.text for node in root.iterfind(".//{*}g/{*}title")]
    assert len(named) == len(picture._named)


# Of a kind: a column of --keep-data, and where in the report the same numbers are.
PLAIN = {
    "prediction": ("measured_ns", "//scenario[1]/write/@measured_ns"),
    "interference": ("ratio", "//baselines/interference[not(contains(@statistic, 'throughput'))]/value"),
    "access-pattern": ("samples", "//map_cell/@samples"),
    "hot-set": ("value", "//size_step/samples"),
    "miss-ratio": ("miss_ratio", "//curve_point/miss_ratio"),
    "popularity": ("samples", "//ranked/samples"),
    "reuse-distance": ("percent", "//reuse_bin/percent"),
    "stride": ("percent", "//stride/percent"),
    "accessed-volume": ("after_bytes", "//change/after_bytes"),
}


@pytest.mark.parametrize("kind", PLAIN)
def test_plain_columns(kind):
    name, path = PLAIN[kind]
    found = etree.parse(str(SAMPLES[kind])).xpath(path)
    wanted = [float(node if isinstance(node, str) else node.text) for node in found]
    assert sorted(column(sample(kind)[2], name)) == pytest.approx(sorted(wanted)) and wanted


# Of a table of ssd-workloads: columns of --keep-data, those of the table, and which rows are drawn.
TABLES = {
    "lba": {"offset_bytes": "offset", "time_s": "time_s"},
    "tail": {"response_ns": "response_ns"},
    "ratios": {"ratio_from": "ratio_from"},
    "collections": {"copies": "copies"},
    "attribution": {"ns": "mean_ns tail_mean_ns"},
    "bandwidth": {"bytes_per_second": "bytes_per_second", "loss_percent": "loss_percent"},
}


def table(path):
    analysis = etree.parse(str(path)).find(".//analysis")
    header = [node.text for node in analysis.iterfind("column")]
    return [dict(zip(header, (f.text for f in row.iterfind("field")))) for row in analysis.iterfind("row")]


@pytest.mark.parametrize("kind", TABLES)
def test_tables(kind):
    rows = table(SAMPLES[kind])
    if kind == "tail":
        rows = [row for row in rows if float(row["percent"]) < 100 and float(row["response_ns"]) > 0]
    if kind == "collections":
        rows = [row for row in rows if row["kind"] != "fit"]
    if kind == "attribution":
        rows = [row for row in rows if row["cause"] not in ("latency", "slack")]
    for name, columns in TABLES[kind].items():
        values = [float(row[c]) for row in rows for c in columns.split() if row[c] not in ("-", "")]
        wanted = [value for value in values if value > 0] if kind == "attribution" else values
        assert sorted(column(sample(kind)[2], name)) == pytest.approx(sorted(wanted)) and wanted


def test_histogram_counts_are_the_reports():
    rows = sample("histogram")[2]
    for one in read_file(str(GOLDEN)).histograms:
        if one.of_class == "all" and one.count:
            lo, hi = (column(rows, f"latency_{end}_ns", curve=one.type) for end in ("from", "to"))
            counts, heights = column(rows, "count", curve=one.type), column(rows, "height", curve=one.type)
            assert counts.sum() == one.count
            closed = lo > 0
            assert heights[closed] == pytest.approx((counts / np.log2(hi / np.maximum(lo, 1)))[closed])


@given(
    layout=st.sampled_from(["log16", "hdr"]),
    places=st.sets(st.integers(0, 270), min_size=1),
    step=st.sampled_from([math.nan, 0.3, 1.0, 10.0, 27.0, 100.0, 1000.0, 40000.0]),
)
def test_coarse_buckets_have_all_counts_and_are_apart(layout, places, step):
    ends = edges(layout)[:: 16 if layout == "hdr" else 1]
    at = np.array(sorted(place for place in places if place < len(ends) - 1) or [0])
    counts = np.arange(1, len(at) + 1, dtype=np.uint64)
    whole = Histogram("read", "all", layout, ends[at], ends[at + 1], counts, int(counts.sum()))
    found = coarsen(whole, step)
    assert found.counts.sum() == whole.count
    assert (found.lo < found.hi).all() and (found.lo[1:] >= found.hi[:-1]).all()
    middles = np.where(np.isinf(whole.hi), whole.lo, (whole.lo + whole.hi) / 2)
    cells = np.searchsorted(found.lo, middles, side="right") - 1
    assert (middles < found.hi[cells]).all()
    assert list(np.bincount(cells, counts)) == list(found.counts)


def test_cdf_and_percentiles_are_the_histograms():
    whole = read_file(str(SWAP)).histogram("read")
    rows = sample("cdf")[2]
    shares = column(rows, "percent", curve="read")
    assert shares[0] == 0 and shares[-1] == pytest.approx(100) and (np.diff(shares) >= 0).all()
    upto = 100 * np.cumsum(whole.counts) / whole.count
    assert shares[1::2] == pytest.approx(upto)
    rows = sample("percentile")[2]
    for row in rows:
        if row["curve"] == "read" and whole.percentile(float(row["percentile"])).value >= 1:
            assert float(row["latency_ns"]) == pytest.approx(whole.percentile(float(row["percentile"])).value)


def test_a_bounded_percentile_says_so():
    texts = svg_texts(draw("histogram", UNIFORM, "--type", "read")[1])
    assert any("p50 <256 ns" in text for text in texts), texts


def test_series_are_the_intervals():
    rows, report = sample("series")[2], read_file(str(GOLDEN))
    for name in ("p50", "p99"):
        wanted = [value.value for i in report.series if (value := i.values.get(f"{name}_ns"))]
        assert sorted(set(column(rows, "value", metric=name))) == pytest.approx(sorted(set(wanted)))
    rows = draw("series", GOLDEN, "--counter", "vmstat.pswpin")[2]
    wanted = {i.counters.get("vmstat.pswpin", 0) / i.seconds for i in report.series}
    assert sorted(set(column(rows, "value", metric="vmstat.pswpin"))) == pytest.approx(sorted(wanted))


def test_a_bounded_percentile_of_a_series_has_a_note():
    path = ROOT / "results/ci/resident-uniform/1/report.xml"
    notes = draw("series", path, "--metric", "p50")[0].notes
    assert "A percentile at 256 ns is known to be below that only." in notes


def test_options_stand_anywhere():
    picture, _, rows = draw("bars", SWAP, "--metric", "throughput", "--", UNIFORM)
    assert [row["group"].split(",")[0] for row in rows if row.get("median")] == ["base", "new"]


def test_heatmap_counts_are_the_intervals():
    rows, report = sample("heatmap")[2], read_file(str(GOLDEN))
    assert column(rows, "count").sum() == sum(i.histogram.count for i in report.series if i.histogram)


def test_bars_are_the_metrics():
    rows, report = sample("bars")[2], read_file(str(GOLDEN))
    for row in rows:
        if row.get("median"):
            assert float(row["median"]) == metric.number(metric.parse(row["metric"]), report).value
    picture, _, rows = draw("bars", *[SWAP] * 2, "--", UNIFORM, "--metric", "throughput")
    values = [metric.number(metric.parse("throughput"), read_file(str(p))).value for p in (SWAP, UNIFORM)]
    assert sorted(column(rows, "median")) == pytest.approx(sorted(values))


def test_kernel_trace_and_errors():
    tree = etree.parse(str(SAMPLES["kernel-trace"]))
    wanted = [float(value) for value in tree.xpath("//pause/@pause_ns")]
    assert sorted(column(sample("kernel-trace")[2], "pause_ns")) == pytest.approx(sorted(wanted))
    tree = etree.parse(str(SAMPLES["errors"]))
    for model in ("kernel", "cawl", "naive"):
        found = tree.xpath(f"//scenario/model[@name='{model}']/total_error_percent")
        rows = column(sample("errors")[2], "percent", model=model, error="total-error")
        assert sorted(rows) == pytest.approx(sorted(abs(float(node.text)) for node in found))


def test_cost_is_of_cells():
    rows, report = sample("cost")[2], read_file(str(SAMPLES["cost"]))
    wanted = []
    for subject in report.subjects:
        for name in ("write.mean", "sync.mean"):
            found = metric.number(metric.parse(f"{subject}:{name}"), report)
            wanted += [found.value] if found else []
    assert sorted(column(rows, "value")) == pytest.approx(sorted(wanted))


def test_device_kinds():
    rows, drawn = table(SAMPLES["slowest"]), sample("slowest")[2]
    wanted = sum(
        float(row[c])
        for row in rows
        for c in row
        if c in ("late_ns", "batching_ns", "submit_ns", "queue_ns", "device_ns", "reap_ns")
        and row[c] not in ("-", "")
    )
    assert column(drawn, "ns").sum() == pytest.approx(wanted)
    rows, drawn = table(SAMPLES["segments"]), sample("segments")[2]
    shown = [row for row in rows if row["kind"] != "slow"]
    assert set(column(drawn, "over_flash_write")) == {float(row["over_flash_write"]) for row in shown}
    rows, drawn = table(SAMPLES["copies"]), sample("copies")[2]
    assert column(drawn, "percent").sum() == pytest.approx(100)
    most = max(float(row["writes"]) for row in rows) / sum(float(row["writes"]) for row in rows)
    assert column(drawn, "percent").max() >= 100 * most - 1e-9
    rows, drawn = table(SAMPLES["counters"]), sample("counters")[2]
    whole = [row for row in rows if row["channel"] == "all" and float(row["seconds"]) > 0]
    assert list(column(drawn, "value", curve="ways")) == [float(row["way_busy_percent"]) for row in whole]
    rows, drawn = table(SAMPLES["window"]), sample("window")[2]
    assert list(column(drawn, "seconds")) == [float(r["seconds"]) for r in rows if r["records"] == "all"]
    drawn = sample("gantt")[2]
    for row in drawn:
        assert float(row["from_ns"]) <= float(row["to_ns"])
    works = {row["work"] for row in table(SAMPLES["gantt"])}
    assert {row["work"] for row in drawn} <= works and "erase" in {row["work"] for row in drawn}


def test_access_count_sums_to_the_samples():
    rows = sample("access-count")[2]
    part = etree.parse(str(SAMPLES["access-count"])).find(".//access_count")
    per = float(part.findtext("bucket_bytes"))
    lo, hi, height = (column(rows, name) for name in ("from_bytes", "to_bytes", "samples_of_a_bucket"))
    wanted = sum(float(node.get("samples")) for node in part.iterfind("address_bin"))
    assert ((hi - lo) / per * height).sum() == pytest.approx(wanted)


# --- buffer ---


@pytest.fixture
def runs(tmp_path):
    """Makes a folder of runs with a limit of memory in MiB (0 = none) and a rate, and the curve of a
    recording."""

    def make(name, pairs, points=None, analysis="missratio"):
        folder = tmp_path / name
        folder.mkdir()
        for i, (mib, rate) in enumerate(pairs):
            tree = etree.parse(str(GOLDEN))
            machine = tree.find(".//machine_info")
            for node in machine.findall("cgroup"):
                machine.remove(node)
            if mib:
                etree.SubElement(etree.SubElement(machine, "cgroup"), "limit_bytes").text = str(mib << 20)
            tree.find(".//totals/accesses_per_second").text = str(rate)
            tree.find(".//signature/uuid").text = f"{i:08d}-0000-4000-8000-000000000000"
            tree.write(str(folder / f"{i}.xml"))
        tree = etree.parse(str(MEMTRACE / f"{analysis}.xml"))
        if points:
            part = tree.find(".//miss_ratio_curve")
            for node in part.findall("curve_point"):
                part.remove(node)
            for mib, ratio in points:
                node = etree.SubElement(part, "curve_point")
                for tag, text in (
                    ("buffer_bytes", mib << 20),
                    ("miss_ratio", ratio),
                    ("low", 0),
                    ("high", 1),
                ):
                    etree.SubElement(node, tag).text = str(text)
        tree.write(str(folder / "curve.xml"))
        return folder

    return make


PAIRS = ((16, 1), (16, 1), (16, 1.25), (32, 5), (32, 4), (32, 2), (64, 10), (64, 10), (64, 10))


def test_buffer_compares_sizes(runs):
    a = runs("a", PAIRS, ((16, 0.5), (32, 0.25), (64, 0)))
    picture, made, rows = draw("buffer", a)
    found = [
        tuple(float(row[c]) for c in ("memory_bytes", "slowdown", "least", "most"))
        for row in rows
        if row["slowdown"]
    ]
    assert found == [(16 << 20, 10, 8, 10), (32 << 20, 2.5, 2, 5), (64 << 20, 1, 1, 1)]
    # A sixth of the excess of 9 is a miss ratio of a twelfth, which lies at two thirds from 32 to 64 MiB.
    assert any(
        "at most 67 % apart in size, 32 MiB measured and 53.3 MiB predicted." in note
        for note in picture.notes
    )
    check_texts(picture)


def test_buffer_of_two_programs_and_without_a_limit(runs):
    a = runs("a", ((16, 1), (32, 4), (0, 20)), ((16, 0.5), (32, 0.25), (64, 0)))
    b = runs("b", ((8, 1), (32, 4)), ((8, 0.5), (16, 0)))
    picture, made, rows = draw("buffer", a, "--", b)
    assert column(rows, "slowdown", curve="a").tolist() == [20, 5]
    assert {"a", "b"} <= set(svg_texts(made))
    hot = runs("hot", ((16, 1), (64, 8)), analysis="hotset")
    assert column(draw("buffer", hot, "--y", "log")[2], "samples").size
    for words, line in (
        ([a / "0.xml"], "program 1 of 1, separated by --: no report of memtrace analyze missratio or hotset"),
        ([a / "curve.xml"], "no report of a run"),
        ([a, b], "a second recording of this program"),
        ([a, "--", hot], "give reports of the same analysis"),
    ):
        with pytest.raises(plot.Problem, match=line):
            draw("buffer", *words)


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
