# SPDX-License-Identifier: GPL-3.0-or-later
"""memstor plot: of each kind the numbers are the report's and no text is cut."""

import math

import numpy as np
import pytest
from conftest import ROOT
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree
from pictures import GOLDEN, MEMTRACE, SAMPLES, SWAP, UNIFORM
from pictures import check_texts, column, draw, sample, svg_texts

from memstor import metric, plot
from memstor.histogram import Histogram, edges
from memstor.plot.latency import coarsen
from memstor.plot.picture import KINDS
from memstor.report import read_file

# --- every kind ---


def test_each_kind_has_a_sample():
    assert set(SAMPLES) | {"buffer", "history"} == set(KINDS)  # history: test_history.py


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


def test_errors_are_the_models():
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
