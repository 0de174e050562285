# SPDX-License-Identifier: GPL-3.0-or-later
"""memstor convert --to openmetrics, bmf and github-action-benchmark: what their readers see of reports."""

import json
import math
import re

import jsonschema
import pytest
from conftest import ROOT
from hostile import TEXTS
from hypothesis import given, settings
from prometheus_client.openmetrics.parser import text_string_to_metric_families
from test_ci import run
from test_compare import FIVE, NOISY, group, report

from memstor import export
from memstor.error import clean
from memstor.histogram import merge
from memstor.report import read

COMMAND = ROOT / "tests/fixtures/with-pressure/sort.xml"
SSD = ROOT / "tests/fixtures/ssd/run.xml"
# As bencher.dev/bmf.json; limits of names and slugs: bencher.dev/docs/reference/bencher-metric-format.
VALUE = {
    "type": "object",
    "properties": {name: {"type": "number"} for name in ("value", "lower_value", "upper_value")},
    "required": ["value"],
    "additionalProperties": False,
}
MEASURES = {"type": "object", "propertyNames": {"pattern": "^[a-z0-9]+(-[a-z0-9]+)*$", "maxLength": 64}}
MEASURES |= {"additionalProperties": VALUE, "minProperties": 1}
BMF = {
    "type": "object",
    "propertyNames": {"minLength": 1, "maxLength": 1024},
    "additionalProperties": MEASURES,
}
# BenchmarkResult of the action's src/extract.ts.
ACTION = {
    "type": "array",
    "items": {
        "type": "object",
        "properties": {name: {"type": "string"} for name in ("name", "unit", "range", "extra")}
        | {"value": {"type": "number"}},
        "required": ["name", "unit", "value"],
        "additionalProperties": False,
    },
}


@pytest.fixture
def convert(tmp_path, monkeypatch, memstor):
    monkeypatch.chdir(tmp_path)
    return lambda *words: memstor("convert", "--to", *words)


def families_of(text):
    """By name; each family is there once, and its samples have different labels."""
    found = list(text_string_to_metric_families(text))
    assert text.endswith("# EOF\n") and len({one.name for one in found}) == len(found)
    for one in found:
        keys = [(sample.name, *sorted(sample.labels.items())) for sample in one.samples]
        assert len(set(keys)) == len(keys) and all(math.isfinite(sample.value) for sample in one.samples)
        assert all(all(sample.labels.values()) for sample in one.samples)
    return {one.name: one for one in found}


def bmf_of(text):
    document = json.loads(text)
    jsonschema.validate(document, BMF)
    return document


def action_of(text):
    found = json.loads(text)
    jsonschema.validate(found, ACTION)
    assert len({one["name"] for one in found}) == len(found)
    return {one["name"]: one for one in found}


def values_of(family):
    return {
        tuple(sample.labels.get(name, "") for name in ("step", "subject", "type")): sample.value
        for sample in family.samples
    }


# --- values ---


def test_openmetrics_has_units_and_exact_sums(convert, tmp_path):
    group(tmp_path / "a", FIVE, step="one")
    group(tmp_path / "b", NOISY, step="two", options='<option name="k">two</option>')
    status, out, err = convert("openmetrics", "a", "b")
    found = families_of(out)
    assert (status, err) == (0, "") and list(found) == [
        "memstor_throughput_per_second",
        "memstor_operation_seconds",
    ]
    rates = found["memstor_throughput_per_second"]
    assert (rates.type, rates.unit) == ("gauge", "per_second")
    assert values_of(rates)["one", "", ""] == pytest.approx(1e6 / 1.004, rel=1e-14)
    latencies = found["memstor_operation_seconds"]
    assert (latencies.type, latencies.unit) == ("summary", "seconds")
    whole = merge([one.histogram("read") for one in read("b")])
    samples = {
        (s.name, s.labels["step"], s.labels.get("type"), s.labels.get("quantile")): s.value
        for s in latencies.samples
    }
    assert samples["memstor_operation_seconds_count", "two", "read", None] == whole.count == 5000
    total = sum(one.histogram("read").mean * 1000 for one in read("b"))
    assert samples["memstor_operation_seconds_sum", "two", "read", None] == pytest.approx(
        total / 1e9, rel=1e-14
    )
    for quantile, percent in (("0.5", 50), ("0.99", 99), ("0.999", 99.9)):
        expected = whole.percentile(percent).value / 1e9
        assert samples["memstor_operation_seconds", "two", "read", quantile] == pytest.approx(
            expected, rel=1e-14
        )


def test_bmf_has_the_median_between_the_least_and_the_largest_run(convert, tmp_path):
    group(tmp_path / "a", FIVE, step="one")
    report(tmp_path / "b/one.xml", 5, step="two", options='<option name="k">two</option>')
    document = bmf_of(convert("bmf", "a", "b")[1])
    assert list(document) == ["one", "two"]
    assert list(document["one"]) == ["throughput", "mean", "read-p50", "read-p99", "read-p99-9"]
    assert document["one"]["throughput"] == {
        "value": 1e6 / 1.004,
        "lower_value": 1e6 / 1.008,
        "upper_value": 1e6,
    }
    assert document["two"]["throughput"] == {"value": 5}


def test_the_action_has_a_file_a_direction(convert, tmp_path):
    group(tmp_path / "a", FIVE, step="one")
    assert convert("github-action-benchmark", "a", "-o", "out/")[0] == 0
    smaller, bigger = (
        action_of((tmp_path / f"out/custom{word}IsBetter.json").read_text()) for word in ("Smaller", "Bigger")
    )
    assert list(bigger) == ["one throughput"] and "one mean" in smaller and len(smaller) == 4
    assert bigger["one throughput"]["value"] == 996016 and bigger["one throughput"]["unit"] == "1/s"
    assert bigger["one throughput"]["range"] == "992063 to 1e+06"
    assert smaller["one mean"]["unit"] == "ns" and smaller["one mean"]["extra"] == "5 runs of pmbench 0.1"
    status, out, err = convert("github-action-benchmark", "a")
    assert (status, out) == (2, "") and "-o DIR/ writes customSmallerIsBetter.json and customBigger" in err
    assert list(action_of(convert("github-action-benchmark", "a", "--metric", "throughput")[1])) == [
        "one throughput"
    ]


def test_subjects(convert):
    status, out, _ = convert("openmetrics", SSD)
    rates = values_of(families_of(out)["memstor_throughput_per_second"])
    assert status == 0 and {subject for _, subject, _ in rates} >= {"log", "checkpoint"}
    document = bmf_of(convert("bmf", SSD)[1])
    assert "throughput" in document["ssd-workloads/log"] and sum(map(len, document.values())) == 8


def test_numbers_of_a_command(convert, changed):
    new = '<metric name="rows" unit="MB/s" better="higher">7</metric>'
    new += '<metric name="t" unit="ms" better="lower">5</metric><clock>'
    found = families_of(convert("openmetrics", changed(COMMAND, "<clock>", new))[1])
    assert found["memstor_metric"].samples[0].labels | {"step": "", "tool": ""} == {
        "step": "",
        "tool": "",
        "metric": "rows",
        "unit": "MB/s",
    }
    assert found["memstor_metric_seconds"].samples[0].value == 0.005
    assert found["memstor_wall_seconds"].samples[0].value == 0.039679934
    assert found["memstor_peak_memory_bytes"].unit == "bytes"


def test_metrics_by_name(convert, tmp_path):
    group(tmp_path / "a", FIVE, step="one")
    document = bmf_of(
        convert("bmf", "a", "--metric", "p90", "--metric", "max", "--metric", "all.share")[1] or "{}"
    )
    assert document == {}
    document = bmf_of(convert("bmf", "a", "--metric", "p90", "--metric", "max")[1])
    assert list(document["one"]) == ["p90", "max"]
    (family,) = families_of(convert("openmetrics", "a", "--metric", "max", "--metric", "p90")[1]).values()
    assert [s.labels["quantile"] for s in family.samples if "quantile" in s.labels] == ["1.0", "0.9"]
    assert family.samples[0].value == max(one.histogram("read").max for one in read("a")) / 1e9
    for words, status, text in (
        (("bmf", "a", "--metric", "fast"), 2, "--metric 'fast': must be"),
        (("bmf", "a", "--metric", "write.p99"), 2, "--metric write.p99: no exported report has it"),
        (("csv", "a", "--metric", "p90"), 2, "--metric p90: is for --to openmetrics, bmf"),
    ):
        found, out, err = convert(*words)
        assert (found, out, err.count("\n")) == (status, "", 1) and text in err


# --- what is not known, not trusted or not one thing ---


def bounded(path, count=9):
    """All latencies are below 256 ns."""
    text = report(path, step="one").read_text()
    one = (
        f'<latency_histogram type="read" class="all" layout="log16" unit="ns"><summary><count>{count}</count>'
    )
    one += "<min_ns>10</min_ns><mean_ns>50</mean_ns><max_ns>255</max_ns></summary>"
    one += f'<bucket lo="0" hi="256" count="{count}"/></latency_histogram>'
    path.write_text(re.sub("<latency_histogram.*</latency_histogram>", one, text))


def test_a_percentile_that_is_not_known_is_no_number(convert, tmp_path):
    for i in range(2):
        bounded(tmp_path / f"a/{i}.xml")
    for to in ("openmetrics", "bmf"):
        status, out, err = convert(to, "a")
        assert (status, err) == (0, "") and not re.search("p50|p99|quantile", out) and "throughput" in out
    (document,) = bmf_of(convert("bmf", "a")[1]).values()
    assert document["mean"]["value"] == 50
    status, out, err = convert("bmf", "a", "--metric", "p50", "--metric", "mean")
    assert status == 0 and "p50" not in out and "one: p50 is left out: it is known in 0 of 2 runs" in err
    status, out, err = convert("bmf", "a", "--metric", "p50")
    assert (status, out) == (2, "") and "no report has a metric that is known" in err


def test_a_percentile_beyond_the_last_edge_is_no_number(convert, tmp_path):
    bounded(tmp_path / "a.xml")
    text = (
        (tmp_path / "a.xml")
        .read_text()
        .replace("<max_ns>255</max_ns>", "")
        .replace('lo="0" hi="256"', 'lo="2147483648"')
    )
    (tmp_path / "a.xml").write_text(
        text.replace("<min_ns>10", "<min_ns>3000000000").replace("<mean_ns>50", "<mean_ns>4e9")
    )
    for to in ("openmetrics", "bmf"):
        status, out, _ = convert(to, "a.xml")
        assert status == 0 and not re.search("p50|quantile", out)


def test_untrustworthy_runs_are_left_out(convert, tmp_path):
    group(tmp_path / "a", FIVE, step="one")
    report(tmp_path / "a/bad.xml", 1, step="one", status="untrustworthy", reason="noisy")
    report(tmp_path / "b/bad.xml", 1, step="one", status="interrupted")
    status, out, err = convert("bmf", "a", "b")
    assert status == 0 and bmf_of(out)["one"]["throughput"]["lower_value"] > 9e5
    assert err.splitlines() == [
        "memstor: warning: a/bad.xml: left out: it is untrustworthy: noisy",
        "memstor: warning: b/bad.xml: left out: it is interrupted",
    ]
    (tmp_path / "out").write_text("before")
    status, out, err = convert("bmf", "b", "-o", "out")
    assert status == 4 and err.endswith("memstor: nothing is exported: no run is trustworthy\n")
    assert (tmp_path / "out").read_text() == "before"


def test_runs_of_two_machines_are_not_one_value(convert, tmp_path):
    group(tmp_path / "a", FIVE, step="one")
    group(tmp_path / "b", FIVE, step="one", release="6.5")
    status, out, err = convert("bmf", "a", "b")
    assert (status, out, err.count("\n")) == (
        5,
        "",
        1,
    ) and "the runs of one differ in release: 6.1 and 6.5" in err


def test_runs_of_two_builds_are_not_one_value(convert, tmp_path):
    for side in ("base", "new"):
        group(tmp_path / "runs" / side / "one", FIVE, step="one")
    status, out, err = convert("bmf", "runs")
    assert (status, out) == (2, "") and "runs: has runs of two builds; name one, as runs/new" in err
    assert convert("bmf", "runs/new")[0] == 0


def test_other_options_are_another_benchmark(convert, tmp_path):
    group(tmp_path / "a", FIVE)
    group(tmp_path / "b", FIVE, pattern="zipf")
    assert list(bmf_of(convert("bmf", "a", "b")[1])) == ["pmbench pattern=uniform", "pmbench pattern=zipf"]
    assert list(bmf_of(convert("bmf", "a")[1])) == ["pmbench"]


def test_the_same_report_counts_once(convert, tmp_path):
    report(tmp_path / "a.xml")
    (one,) = bmf_of(convert("bmf", "a.xml", "a.xml")[1]).values()
    assert one["throughput"] == {"value": 1e6}


# --- hostile names ---


@settings(max_examples=60)
@given(TEXTS, TEXTS, TEXTS, TEXTS)
def test_hostile_names_stay_texts(step, other, name, unit):
    # Two steps, whose names may become the same.
    values = {"throughput": 3.0, f"metric.{name}": 0.5, f"{other}:mean" if ":" not in other else "mean": 7.0}
    steps = []
    for one in (step, other):
        runs = [run(one, i, one, values, unit) for i in range(2)]
        found = export._values(one, runs, [])
        steps.append(export.Step(export._unique(one, [of.name for of in steps], 200), runs, found, {}))
    for of_step in steps:
        for of in [of for of in of_step.values if of.row.source == "mean"]:
            of_step.histograms[export._key(of)] = next(read(str(SSD))).finest[0]
    texts = {row.file: row.write(steps) for row in export.ROWS}
    found = families_of(texts["openmetrics.txt"])
    rates = [sample.labels for sample in found["memstor_throughput_per_second"].samples]
    assert [labels["step"] for labels in rates] == [one.name for one in steps]
    own = [s.labels for n, f in found.items() if n.startswith("memstor_metric") for s in f.samples]
    assert [labels["metric"] for labels in own] == 2 * [clean(name)]
    document = bmf_of(texts["bmf.json"])
    assert sum(map(len, document.values())) == sum(len(one.values) for one in steps)
    smaller, bigger = (action_of(texts[f"custom{word}IsBetter.json"]) for word in ("Smaller", "Bigger"))
    assert len(bigger) == 2 and len(smaller) == 4
