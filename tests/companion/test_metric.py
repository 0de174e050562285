# SPDX-License-Identifier: GPL-3.0-or-later
"""memstor.metric: what names mean, by the rows of schema.json."""

import math
from pathlib import Path

import pytest

from memstor import metric
from memstor.metric import Number, number, parse
from memstor.report import read_file

FIXTURES = Path(__file__).parents[1] / "fixtures"
CELL = "pwrite.buffered.fsync.append.write.64k"


@pytest.fixture(scope="module")
def reports():
    return {
        name: read_file(str(FIXTURES / f"{name}.xml"))
        for name in ("iowrite/run", "iowrite/evaluate", "ssd/run")
    }


def value(report, name):
    found = number(parse(name), report)
    return math.nan if found is None else found.value


@pytest.mark.parametrize(
    "text, name, unit, better",
    [
        ("throughput", "throughput", "1/s", "higher"),
        ("p99.90", "p99.9", "ns", "lower"),
        ("p.5", "p0.5", "ns", "lower"),
        ("read.major.p50", "read.major.p50", "ns", "lower"),
        ("all.mean", "all.mean", "ns", "lower"),
        ("kernel.total-error", "kernel.total-error", "%", "lower"),
        ("c2:kernel.coverage", "c2:kernel.coverage", "%", "higher"),
        (f"{CELL}:bandwidth", f"{CELL}:bandwidth", "B/s", "higher"),
        ("log:interference-p99.9", "log:interference-p99.9", "x", "lower"),
        ("major.share", "major.share", "%", "lower"),
        ("read.hit.share", "read.hit.share", "%", "higher"),
        ("faults-per-access", "faults-per-access", "", "lower"),
        ("major_faults", "major_faults", "", "lower"),
        ("c2:kernel.curve_gap_percent", "c2:kernel.curve_gap_percent", "%", "lower"),
    ],
)
def test_each_spelling_has_one_canonical_name(text, name, unit, better):
    found = parse(text)
    assert (found.name, found.unit, found.better) == (name, unit, better)
    assert parse(found.name) == found


@pytest.mark.parametrize(
    "text",
    [
        "",
        "p",
        "p100",
        "p0",
        "p1e1",
        "p²",
        "pnan",
        "p99.",
        "fast",
        "read.throughput",
        "major.read.p50",
        "CELL:major.p50",
    ]
    + [":p50", "kernel.mean", "total-error", "read.kernel.total-error", "share", "all.share", "x:major.share"]
    + ["seed", "read.major.throughput", "major.major.share"],
)
def test_unknown_names_are_refused_with_what_is_allowed(text):
    with pytest.raises(ValueError, match="must be throughput, .* as p99.9, .* write.major.p50"):
        parse(text)


def test_every_row_is_a_name():
    for name, row in metric.rows().items():
        text = f"kernel.{name}" if row.source == "model" else "p99" if name == "p" else name
        assert parse(text).name == text and parse(text).row == row


def test_values_of_a_cell_are_its_own(reports):
    run = reports["iowrite/run"]
    assert value(run, f"{CELL}:throughput") == run[CELL].values["operations_per_second"].value
    assert value(run, f"{CELL}:bandwidth") == run[CELL].values["bytes_per_second"].value
    assert value(run, f"{CELL}:sync.p99") == run.histogram("sync", CELL).percentile(99).value
    assert (
        value(run, f"{CELL}:p50") == run.histogram("write", CELL).percentile(50).value
    )  # not with the syncs
    assert math.isnan(value(run, "none:p50"))


def test_without_a_cell_the_writes_of_all_cells_are_meant(reports):
    run = reports["iowrite/run"]
    writes = [h for h in run.histograms if h.type == "write"]
    mean = sum(h.mean * h.count for h in writes) / sum(h.count for h in writes)
    assert value(run, "write.mean") == value(run, "mean") == pytest.approx(mean)
    assert value(run, "throughput") == run.values["operations"].value / run.values["run_s"].value


def test_an_error_of_a_model_is_over_the_repetitions_of_its_scenario(reports):
    run = reports["iowrite/evaluate"]
    assert value(run, "c2:kernel.total-error") == run["c2"].values["kernel.total_error_percent"].value
    assert value(run, "c2:kernel.total_error_percent") == value(run, "c2:kernel.total-error")
    each = [subject.values["kernel.per_write_error_percent"].value for subject in run.subjects.values()]
    assert value(run, "kernel.per-write-error") == pytest.approx(sum(each) / len(each))
    assert value(run, "c2:floor") == 11.2


def test_a_stream_has_responses_and_without_a_stream_those_of_the_mix_are_meant(reports):
    run = reports["ssd/run"]
    assert value(run, "log:p50") == value(run, "log:response.p50")
    assert value(run, "log:service.mean") == run.histogram("service", "log").mean
    mix = [run.histogram("response", name) for name in ("log", "checkpoint")]
    assert value(run, "mean") == pytest.approx(sum(h.mean * h.count for h in mix) / sum(h.count for h in mix))
    assert math.isnan(value(run, "log-alone:interference-mean")) and value(run, "log:interference-mean") > 0


def test_each_subject_has_its_default_metrics(reports):
    found = metric.defaults(reports["iowrite/run"])
    # Four of each of 12 cells, and three more where there are syncs.
    assert len(found) == 12 * 4 + 3 * 3 and None not in found.values()
    assert next(iter(found)) == "pwrite.direct.none.append.write.4k:throughput"
    assert len(metric.defaults(reports["iowrite/evaluate"])) == 3 * 7


PMBENCH = """<pmbenchmark><report><signature><tool>{tool}</tool>
<report_version>1.0</report_version></signature>
<machine_info><time_source><effective_step_ns>10</effective_step_ns></time_source></machine_info>
<result><totals><accesses_per_second>1000</accesses_per_second>
<faults_per_second>250</faults_per_second></totals></result>
<statistics>{histograms}</statistics></report></pmbenchmark>"""


def histogram(of_type, of_class, buckets, layout="hdr", mean=None, most=None):
    count = sum(bucket[2] for bucket in buckets)
    summary = f"<summary><count>{count}</count>"
    summary += f"<min_ns>4</min_ns><mean_ns>{mean}</mean_ns><max_ns>{most}</max_ns>" if mean else ""
    rows = "".join(
        f'<bucket lo="{lo}" ' + (f'hi="{hi}" ' if hi else "") + f'count="{n}"/>' for lo, hi, n in buckets
    )
    return (
        f'<latency_histogram type="{of_type}" class="{of_class}" layout="{layout}" unit="ns">'
        f"{summary}</summary>{rows}</latency_histogram>"
    )


@pytest.fixture
def pmbench(tmp_path):
    def make(*histograms, tool="pmbench"):
        path = tmp_path / "r.xml"
        path.write_text(PMBENCH.format(tool=tool, histograms="".join(histograms)))
        return read_file(str(path))

    return make


READ = histogram("read", "all", [(0, 10, 2), (20, 30, 6)], mean=20, most=28)
COARSE = histogram("read", "all", [(0, 16, 2), (16, 32, 6)], "log16", mean=20, most=28)
WRITE = histogram("write", "all", [(20, 30, 4), (30, None, 8)], mean=100, most=400)
MAJOR = histogram("write", "major", [(30, None, 8)], mean=140, most=400)
MINOR = histogram("write", "minor", [])


def test_histograms_of_one_metric_are_added_the_finest_of_each(pmbench):
    report = pmbench(COARSE, READ, WRITE, MAJOR)
    assert number(parse("p50"), report) == Number(pytest.approx(28), 20, 30, 10)
    assert value(report, "mean") == (8 * 20 + 12 * 100) / 20
    assert number(parse("mean"), report).step == 0
    assert value(report, "max") == 400
    assert number(parse("p99"), report)[1:3] == (30, math.inf)
    assert value(report, "major.p50") == 30 + (400 - 30) * 0.5
    assert number(parse("read.p99"), report)[1:3] == (20, 30)
    assert number(parse("minor.p50"), report) is None and number(parse("hit.p50"), report) is None


def test_buckets_that_overlap_have_no_common_percentile(pmbench):
    assert number(parse("p50"), pmbench(READ, COARSE.replace('"read"', '"write"'))) is None


def test_a_percentile_in_the_first_bucket_is_its_end_in_every_run(pmbench):
    # Not the run's own maximum, which would make all p50 below 256 ns differ.
    first = [(0, 256, 100)]
    for most in (150, 250):
        report = pmbench(histogram("read", "all", first, "log16", mean=100, most=most))
        assert number(parse("p50"), report) == Number(256, 0, 256, 10, True)


def test_a_share_is_of_all_accesses_of_its_type(pmbench):
    report = pmbench(READ, WRITE, MAJOR, MINOR)
    assert value(report, "major.share") == 100 * 8 / 20
    assert value(report, "write.major.share") == pytest.approx(100 * 8 / 12)
    assert value(report, "minor.share") == 0
    assert math.isnan(value(report, "hit.share"))  # without classes nothing is known
    assert parse("write.major.p50").share == parse("write.major.share")
    assert parse("p50").share is None and parse("all.p50").share is None


def test_faults_per_access_are_a_ratio_of_two_rates(pmbench):
    assert value(pmbench(READ), "faults-per-access") == 0.25


def test_a_tool_that_is_not_listed_has_the_common_metrics(pmbench):
    assert list(metric.defaults(pmbench(READ, tool="another"))) == [
        "throughput",
        "mean",
        "p50",
        "p99",
        "p99.9",
    ]
    found = metric.defaults(pmbench(READ))
    assert "major.share" in found and found["throughput"] == Number(1000, 1000, 1000)
