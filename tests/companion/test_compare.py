# SPDX-License-Identifier: GPL-3.0-or-later
"""memstor compare: verdicts, refusals, gates, outputs and exit statuses."""

import csv
import io
import itertools
import json
import os
from functools import partial
from pathlib import Path

import pytest

from memstor import compare
from memstor.compare import Request

FIXTURES = Path(__file__).parents[1] / "fixtures"
SERIAL = itertools.count(1)
REPORT = """<pmbenchmark><report><signature><uuid>{uuid}</uuid>
<tool>{tool}</tool><tool_version>{version}</tool_version>
<report_version>1.0</report_version>
<options><option name="mapsize">4</option><option name="pattern">{pattern}</option>
<option name="seed">{serial}</option>
{options}</options>
<wall_start>{start}</wall_start>
<host><boot_id>{boot}</boot_id><release>{release}</release><arch>x86_64</arch></host>
<labels>{labels}</labels></signature>
<machine_info><modelname>Fake</modelname></machine_info>
<result><totals><accesses_per_second>{throughput}</accesses_per_second></totals></result>
<statistics>{histograms}</statistics><verdict status="{status}">{reason}</verdict></report></pmbenchmark>"""


def histogram(of_class, latency, count=1000):
    """Around the latency, in buckets of 10 ns."""
    edges = [10 * int(latency * (1 + i / 100) / 10) for i in range(-10, 10)]
    rows = "".join(
        f'<bucket lo="{lo}" hi="{lo + 10}" count="{count // 20 * edges.count(lo)}"/>'
        for lo in sorted(set(edges))
    )
    return (
        f'<latency_histogram type="read" class="{of_class}" layout="hdr" unit="ns"><summary>'
        f"<count>{count}</count><min_ns>{edges[0]}</min_ns><mean_ns>{latency}</mean_ns>"
        f"<max_ns>{edges[-1] + 9}</max_ns></summary>{rows}</latency_histogram>"
    )


def report(
    path,
    throughput=1e6,
    latency=5000.0,
    step="",
    kind="",
    reason="",
    major=None,
    options="",
    **other,
):
    """major: the count and latency of major faults."""
    facts = {
        "tool": "pmbench",
        "version": "0.1",
        "pattern": "uniform",
        "start": "",
        "boot": "one",
        "release": "6.1",
    }
    facts |= {"status": "ok"} | other
    serial = next(SERIAL)
    labels = {"step": step, "kind": kind}
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(
        REPORT.format(
            uuid=f"00000000-0000-4000-8000-{serial:012}",
            serial=serial,
            throughput=throughput,
            options=options,
            labels="".join(f'<label name="{n}">{text}</label>' for n, text in labels.items() if text),
            reason=f'<reason code="{reason}">so it is</reason>' if reason else "",
            histograms=histogram("all", latency) + (histogram("major", major[1], major[0]) if major else ""),
            **facts,
        )
    )
    return path


def group(folder, factors, **other):
    for factor in factors:
        serial = next(SERIAL)
        report(folder / f"{serial:06}.xml", 1e6 / factor, 5000 * factor, **other)
    return folder


FIVE = [1, 1.002, 1.004, 1.006, 1.008]
SLOW = [1.1 * factor for factor in FIVE]
NOISY = [1, 1.05, 1.1, 1.15, 1.2]


@pytest.fixture
def memstor(tmp_path, monkeypatch, memstor):
    """memstor compare in tmp_path: the exit status, stdout and stderr."""
    monkeypatch.chdir(tmp_path)
    return partial(memstor, "compare")


@pytest.fixture
def sides(tmp_path):
    """a and a copy of its runs b; slow, which is 10 % slower."""
    for name, factors in (("a", FIVE), ("b", FIVE), ("slow", SLOW)):
        group(tmp_path / name, factors)
    return tmp_path


def row_of(out, metric):
    return " ".join(next(line for line in out.splitlines() if line.startswith(f"{metric} ")).split())


# --- the verdict ---


def test_five_slower_runs_end_with_1_and_say_it_first(memstor, sides):
    status, out, err = memstor("a", "slow")
    assert status == 1 and not err
    first, _, heading, title, *_ = out.splitlines()
    assert first.startswith("5 of 5 metrics slower, worst: ")
    assert first.endswith(")") and "+10.0 % (+9." in first
    assert heading.split()[:4] == ["metric", "base", "new", "change"] and title == "pmbench, 5 runs against 5"
    # 5.5/5.04 is the least of 25 ratios; the third one is 5.511/5.04 or 5.5/5.03.
    assert row_of(out, "mean") == "mean 5.02 us 5.52 us +10.0 % +9.35 to +10.7 0.0079 slower"
    assert row_of(out, "geometric mean") == "geometric mean +9.97 % of 5 changes, + is slower"
    assert "overall: slower (5 slower, 0 faster, 0 no difference, 0 inconclusive;" in out


def test_faster_and_equal_runs_end_with_0(memstor, sides):
    status, out, _ = memstor("slow", "a")
    assert status == 0 and out.startswith("5 of 5 metrics faster, best: ")
    status, out, _ = memstor("a", "b")
    assert status == 0 and out.startswith("no difference in 5 metrics\n")


def test_undecided_runs_end_with_4_and_the_number_of_runs_that_decide_them(memstor, tmp_path):
    group(tmp_path / "a", NOISY), group(tmp_path / "b", NOISY)
    status, out, _ = memstor("a", "b")
    assert status == 4
    assert (
        out.startswith("5 of 5 metrics inconclusive; ")
        and "more runs a side would decide half of these for 2 %" in out
    )
    assert "inconclusive," in row_of(out, "mean") and "more runs for 2 %" in row_of(out, "mean")
    status, out, _ = memstor("a", "b", "--margin", "50")
    assert status == 0


def test_single_runs_have_no_interval(memstor, sides):
    one, other = (next((sides / name).iterdir()) for name in ("a", "slow"))
    status, out, _ = memstor(one, other)
    assert status == 4 and out.startswith("5 of 5 metrics inconclusive; 3 more runs a side needed\n")
    assert row_of(out, "mean").split("%")[1].strip() == "inconclusive, too few runs"
    assert "note: there are too few runs for an interval" in out


def test_three_runs_say_what_their_interval_assumes(memstor, tmp_path):
    group(tmp_path / "a", FIVE[:3]), group(tmp_path / "b", SLOW[:3])
    status, out, _ = memstor("a", "b", "--metric", "mean")
    assert status == 1 and "note: intervals of 3 runs take them as log-normally" in out


def test_a_metric_that_some_runs_lack_is_left_out_unless_it_is_asked_for(memstor, sides):
    one = next((sides / "b").iterdir())
    one.write_text(
        one.read_text().split("<statistics>")[0] + "<statistics></statistics></report></pmbenchmark>"
    )
    _, out, _ = memstor("b", "a")
    assert "note: mean is in 4 of 5 runs of BASE and 5 of 5 of NEW, so it is left out; --metric mean" in out
    assert not any(line.startswith("mean ") for line in out.splitlines())
    _, out, _ = memstor("b", "a", "--metric", "mean")
    assert row_of(out, "mean").endswith("no difference")


def test_differences_of_many_metrics_may_be_chance(memstor, tmp_path):
    quiet, bump = [1, 1.01, 1.02, 1.03], [1.035, 1.04, 1.07, 1.05]
    for step in range(12):
        group(tmp_path / "a", quiet, pattern=f"s{step}")
        group(tmp_path / "b", bump if not step else quiet, pattern=f"s{step}")
    status, out, _ = memstor("--metric", "throughput", "--margin=1", "a", "b")
    assert status == 4 and "; 1 difference may be chance" in out.splitlines()[0]
    assert "slower, may be chance" in row_of(out, "throughput")


def test_changed_shows_only_metrics_that_changed(memstor, sides):
    group(sides / "a", FIVE, pattern="zipf"), group(sides / "slow", FIVE, pattern="zipf")
    status, out, _ = memstor("--changed", "a", "slow")
    assert status == 1 and "pattern=uniform: pmbench" in out and "pattern=zipf: pmbench" not in out
    assert "5 metrics without a change not shown" in out and "of 10 changes" in out


def test_the_geometric_mean_takes_what_is_better_high_as_its_inverse(memstor, tmp_path):
    group(tmp_path / "a", [1] * 5)
    group(tmp_path / "b", [2] * 5)
    _, out, _ = memstor("--metric", "throughput", "--metric", "mean", "a", "b")
    assert row_of(out, "geometric mean").startswith("geometric mean +100 % of 2 changes")


# --- classes ---


def test_latencies_of_a_class_do_not_decide_where_its_share_changed(memstor, tmp_path):
    # As with read-ahead: faster in all, but the major faults that are left are slow.
    for i, factor in enumerate(FIVE):
        report(tmp_path / f"a/{i}.xml", 1e6 / factor, 5000 * factor, major=(400, 9000 * factor))
        report(tmp_path / f"b/{i}.xml", 2e6 / factor, 2500 * factor, major=(20, 18000 * factor))
    status, out, _ = memstor("a", "b")
    assert status == 0 and "faster, best: " in out.splitlines()[0]
    assert row_of(out, "major.p99").endswith("slower, not counted: major.share changed -95.0 %")
    assert row_of(out, "major.share").startswith("major.share 40.0 % 2.00 % -95.0 %")
    assert "2 not counted" in out and "note: not counted: the share of the class" in out
    # A gate is decided as it says.
    assert memstor("a", "b", "--gate", "major.p99<+5%")[0] == 1
    status, out, _ = memstor("a", "b", "--metric", "major.p99")
    assert status == 4 and out.startswith("no metric decides: major.share changed -95.0 %\n")


def test_latencies_of_a_class_decide_where_its_share_is_the_same(memstor, tmp_path):
    for i, factor in enumerate(FIVE):
        report(tmp_path / f"a/{i}.xml", 1e6, 5000, major=(400, 9000 * factor))
        report(tmp_path / f"b/{i}.xml", 1e6, 5000, major=(400, 18000 * factor))
    status, out, _ = memstor("a", "b")
    assert status == 1 and row_of(out, "major.p99").endswith("slower")


# --- arguments ---


def test_two_paths_need_no_dashes_and_three_do(memstor, sides):
    assert memstor("a", "b")[0] == 0
    assert memstor("a", "--", "b")[0] == 0
    status, out, err = memstor("a", "b", "slow")
    assert status == 2 and not out
    assert (
        err == "memstor: no NEW given: memstor compare BASE NEW, or BASE... -- NEW... "
        "(files, or folders of reports)\n"
    )
    assert memstor("a", "b", "--", "slow")[0] == 1


@pytest.mark.parametrize(
    "words, missing", [([], "BASE"), (["a"], "NEW"), (["--", "a"], "BASE"), (["a", "--"], "NEW")]
)
def test_a_missing_side_is_named(memstor, sides, words, missing):
    status, _, err = memstor(*words)
    assert status == 2 and err.startswith(f"memstor: no {missing} given: ")


def test_one_folder_of_two_steps_is_told_the_command_that_compares_them(memstor, sides):
    for names in (("one", "two"), ("base", "new")):
        for name in names:
            group(sides / "runs" / name, FIVE)
        _, _, err = memstor("runs")
        like = " ".join(f"runs/{name}" for name in names)
        assert err == f"memstor: no NEW given: memstor compare {like} (files, or folders of reports)\n"


def test_options_stand_anywhere_before_a_second_dashes(memstor, sides):
    os.rename(next((sides / "b").iterdir()), sides / "-x.xml")
    status, out, _ = memstor(
        "--margin", "1", "a", "--metric", "mean", "--", "b", "--confidence=90", "--csv=o.csv"
    )
    assert status == 0 and "90 % interval" in out and (sides / "o.csv").exists()
    assert memstor("a", "--", "--metric", "mean", "--", "-x.xml")[0] == 4
    assert memstor("a", "--", "b", "--nonsense")[0] == 2


def test_an_output_without_a_value_does_not_take_a_path(memstor, sides):
    status, out, _ = memstor("--json", "a", "b")
    assert status == 0 and json.loads(out)["overall"] == "no difference"


@pytest.mark.parametrize(
    "words, text",
    [
        (["--metric", "fast"], "--metric 'fast': must be throughput, "),
        (["--metric", "write.p99"], "--metric write.p99: no compared report has it"),
        (["--gate", "p99"], "--gate 'p99': must be METRIC<LIMIT"),
        (["--gate", "p99<=5%"], "--gate 'p99<=5%': must be METRIC<LIMIT"),
        (["--gate", "p99<nan%"], "--gate 'p99<nan%': must be METRIC<LIMIT"),
        (["--gate", "p99<5"], "--gate 'p99<5': must be in ns, us, ms or s"),
        (["--gate", "p99<1m"], "--gate 'p99<1m': must be in ns, us, ms or s"),
        (
            ["--gate", "set:p99>1us"],
            "--gate 'set:p99>1us': must be METRIC<LIMIT: of this metric lower is better",
        ),
        (
            ["--gate", "throughput<1e6"],
            "--gate 'throughput<1e6': must be METRIC>LIMIT: of this metric higher is better",
        ),
        (
            ["--gate", "c2:kernel.total-error<5%"],
            "must be +5% or -5% of the change, or 5 of the value itself",
        ),
        (["--gate", "slow<5%"], "--gate 'slow': must be throughput, "),
        (["--gate", "write.p99<5%"], "--gate write.p99<5%: no compared report has write.p99"),
        (["--margin", "x"], "--margin 'x': must be 0 to 1000 percent"),
        (["--margin=-1"], "--margin '-1': must be 0 to 1000 percent"),
        (["--confidence", "100"], "--confidence '100': must be 50 to 99.99 percent"),
        (
            ["--group-by", "a,,b"],
            "--group-by 'a,,b': must be names of labels or options, with commas between",
        ),
        (["--group-by", "colour"], "--group-by colour: no report has such a label or option"),
        (
            ["--allow-different=bogus"],
            "--allow-different bogus: no report has such an option or fact (options, machine, sets",
        ),
        (["--floor", "a"], "--floor: no compared set of options has 8 runs"),
        (["--json", "--csv"], "only one of --json, --csv, --markdown, --junit and --github can go"),
        (["--floor", "nowhere"], "nowhere: No such file or directory"),
    ],
)
def test_a_wrong_argument_is_one_line(memstor, sides, words, text):
    status, out, err = memstor(*words, "a", "b")
    assert status == 2 and not out and text in err
    assert err.count("\n") == 1 and err.startswith("memstor: ")


def test_a_file_that_is_no_report_is_named_with_its_line(memstor, sides):
    (sides / "x.xml").write_text("<nonsense/>")
    status, out, err = memstor("a", "x.xml")
    assert status == 2 and not out and err.startswith("memstor: x.xml:1: ") and err.count("\n") == 1


# --- sets ---


def test_folders_are_compared_set_by_set(memstor, sides):
    for side, factors in (("a", FIVE), ("slow", FIVE)):
        group(sides / side, factors, pattern="zipf")
    group(sides / "a", FIVE, pattern="linear")
    status, out, _ = memstor("a", "slow")
    assert status == 1 and out.splitlines()[0].endswith("; 1 set of BASE without runs in NEW")
    assert "pattern=uniform: pmbench, 5 runs against 5\n" in out and "pattern=zipf: pmbench" in out
    assert "note: only in BASE, 5 runs: pattern=linear\n" in out


def test_a_set_without_runs_in_new_makes_equal_ones_inconclusive_unless_it_may_be_missing(memstor, sides):
    group(sides / "a", FIVE, pattern="linear")
    assert memstor("a", "b")[0] == 4
    assert memstor("a", "b", "--allow-different=sets")[0] == 0
    assert memstor("b", "a")[0] == 0


def test_sets_are_called_as_their_step(memstor, sides):
    for side in ("a", "b"):
        group(sides / "s" / side, FIVE, step="popular"), group(
            sides / "s" / side, FIVE, step="other", pattern="zipf"
        )
    _, out, _ = memstor("s/a", "s/b")
    assert "popular: pmbench, 5 runs against 5" in out and "other: pmbench" in out


def test_group_by_makes_a_set_of_each_label(memstor, tmp_path):
    for side in ("a", "b"):
        for kind, factors in (("x", FIVE), ("y", [2 * factor for factor in FIVE])):
            group(tmp_path / side, factors, kind=kind)
    status, out, _ = memstor("--group-by", "kind", "a", "b")
    assert status == 0 and "kind=x: pmbench, 5 runs against 5" in out and "kind=y: " in out


def test_equal_sets_are_paired_before_those_that_may_differ(memstor, tmp_path):
    for side, last in (("a", "linear"), ("b", "pareto")):
        for pattern in ("uniform", "zipf", last):
            group(tmp_path / side, FIVE, pattern=pattern)
    _, out, _ = memstor("--allow-different", "a", "b")
    titles = [line.split(":")[0] for line in out.splitlines() if "runs against" in line]
    assert titles == ["pattern=uniform", "pattern=zipf", "pattern=linear->pareto"]


def test_steps_are_paired_by_their_names_before_others(memstor, tmp_path):
    for side, patterns in (("a", ("uniform", "zipf")), ("b", ("linear", "pareto"))):
        for step, pattern in zip(("one", "two"), patterns):
            group(tmp_path / side, FIVE, pattern=pattern, step=step)
    _, out, _ = memstor("--allow-different", "a", "b")
    assert "one: pmbench, 5 runs against 5" in out and "two: pmbench, 5 runs against 5" in out


# --- what is not compared ---


def test_runs_that_differ_are_refused_with_the_flag_that_allows_it(memstor, sides):
    group(sides / "z", FIVE, pattern="zipf", release="6.2")
    status, out, err = memstor("a", "z")
    assert status == 5 and not out
    assert err.splitlines() == [
        "memstor: not compared: the runs differ in more than the measured values:",
        "memstor:   option pattern: uniform in BASE, zipf in NEW",
        "memstor:   machine release: 6.1 in BASE, 6.2 in NEW",
        "memstor: to compare them anyway add --allow-different=pattern,release",
    ]
    status, out, _ = memstor(err.split()[-1], "a", "z")
    assert status == 0
    assert "note: different, but accepted: machine release: 6.1 in BASE, 6.2 in NEW\n" in out


def test_runs_that_differ_within_a_side_need_the_name(memstor, sides):
    group(sides / "z", FIVE, pattern="zipf"), group(sides / "hot", FIVE, pattern="hot")
    status, _, err = memstor("--allow-different", "a", "z", "--", "hot")
    assert status == 5 and "option pattern: uniform and zipf in BASE, hot in NEW" in err
    assert memstor("--allow-different=pattern", "a", "z", "--", "hot")[0] != 5


def test_a_name_that_no_shell_takes_is_not_in_the_flag(memstor, sides):
    group(sides / "z", FIVE, options='<option name="odd; name">1</option>')
    _, _, err = memstor("a", "z")
    assert err.endswith("--allow-different=options\n")


def test_two_tools_are_never_compared(memstor, sides):
    group(sides / "z", FIVE, tool="other")
    status, _, err = memstor("--allow-different", "a", "z")
    assert status == 5 and err.endswith("memstor: runs of two tools are never compared\n")
    path, other = FIXTURES / "ssd/run.xml", FIXTURES / "with-pressure/sort.xml"
    assert memstor(path, other)[2].count("\n") == 3


def test_escapes_of_a_report_do_not_reach_the_terminal(memstor, sides):
    group(sides / "z", FIVE, release="6\u009b[31m")
    _, _, err = memstor("a", "z")
    assert "\\x9b[31m" in err and "\u009b" not in err


def test_untrustworthy_runs_are_left_out_with_a_warning(memstor, sides):
    report(sides / "bad/1.xml", status="untrustworthy", reason="steal")
    report(sides / "bad/2.xml", status="interrupted")
    status, _, err = memstor("a", "bad")
    assert status == 4 and err.splitlines() == [
        "memstor: warning: bad/1.xml: left out: it is untrustworthy: steal",
        "memstor: warning: bad/2.xml: left out: it is interrupted",
        "memstor: no run of NEW can be compared: --force accepts interrupted and untrustworthy ones",
    ]
    status, out, _ = memstor("a", "--", "b", "bad")
    assert status == 0 and "5 runs against 5" in out


def test_runs_without_a_metric_are_inconclusive(memstor):
    recordings = [FIXTURES / f"memtrace/{name}.xml" for name in ("hotset", "reuse")]
    status, out, _ = memstor("--allow-different", *recordings)
    assert status == 4 and out.startswith("no metric decides: the runs have none in common\n")


def test_an_option_that_is_absent_is_told_from_none(memstor, sides):
    report(sides / "other/1.xml", options='<option name="swap">none</option>')
    status, _, err = memstor("a", "other")
    assert status == 5 and "memstor:   option swap: absent in BASE, none in NEW\n" in err


def test_only_twenty_reports_are_named_that_are_left_out(memstor, sides):
    for i in range(23):
        report(sides / f"bad/{i}.xml", status="interrupted")
    _, _, err = memstor("a", "--", "b", "bad")
    assert len(err.splitlines()) == 21 and err.endswith("memstor: warning: 3 more are left out\n")


def test_force_marks_every_output_with_the_reasons(memstor, sides):
    report(sides / "slow/bad.xml", 1e6 / 1.1, 5500, status="untrustworthy", reason="steal")
    words = ("--force", "a", "slow", "--json=r.json", "--csv=r.csv", "--markdown=r.md")
    status, out, _ = memstor(*words)
    assert status == 4
    mark = "NOT TRUSTWORTHY (1 run by --force: untrustworthy: steal): "
    assert out.startswith(mark) and "slower, worst" in out.splitlines()[0]
    assert "note: not trustworthy, compared by --force: slow/bad.xml: untrustworthy: steal\n" in out
    document = json.loads((sides / "r.json").read_text())
    assert document["untrustworthy"] == [{"report": "slow/bad.xml", "why": "untrustworthy: steal"}]
    assert document["is_trustworthy"] is False and document["headline"].startswith(mark)
    assert "NOT TRUSTWORTHY" in (sides / "r.md").read_text().splitlines()[0]
    rows = list(csv.DictReader(open(sides / "r.csv")))
    assert {row["untrustworthy"] for row in rows} == {"untrustworthy: steal"}


def test_force_without_untrustworthy_runs_leaves_no_mark(memstor, sides):
    status, out, _ = memstor("--force", "a", "slow")
    assert status == 1 and "TRUSTWORTHY" not in out


def test_a_report_that_is_given_twice_counts_once(memstor, sides):
    one = next((sides / "b").iterdir())
    (sides / "again.xml").write_text(one.read_text())
    status, out, err = memstor("a", "--", "b", "again.xml")
    assert "5 runs against 5" in out
    assert err == f"memstor: warning: again.xml: left out: it is the same report as b/{one.name}\n"


def test_a_run_that_is_on_both_sides_causes_a_warning(memstor, sides):
    status, out, err = memstor("a", "a")
    text = "5 of 5 reports of NEW are in BASE, too: a run compared with itself says nothing"
    assert status == 0 and err == f"memstor: warning: {text}\n" and f"note: {text}\n" in out


def test_other_possible_causes_are_notes(memstor, tmp_path):
    for side, boot, version in (("a", "one", "1"), ("b", "two", "2")):
        group(tmp_path / side, FIVE, boot=boot, version=version)
    _, out, _ = memstor("a", "b")
    assert (
        "note: BASE ran in one boot and NEW in another" in out
        and "note: the versions of pmbench differ: 1, 2" in out
    )
    for side, start in (("c", "2026-01-01T00:00:00Z"), ("d", "2026-01-02T00:00:00Z")):
        group(tmp_path / side, FIVE, start=start)
    assert "note: all of one group ran before the other" in memstor("c", "d")[1]


# --- the floor ---


def test_a_floor_decides_single_runs_and_is_named(memstor, tmp_path):
    group(tmp_path / "floor", [1 + at * 0.003 for at in range(10)])
    group(tmp_path / "a", [1]), group(tmp_path / "b", [1.1]), group(tmp_path / "c", [1.01])
    status, out, _ = memstor("--floor", "floor", "a", "b")
    assert (
        status == 1 and "floor of 10" in out and "note: intervals of so few runs are the A/A floor's" in out
    )
    status, out, _ = memstor("--floor", "floor", "a", "c")
    assert status == 4 and "inconclusive, floor " in row_of(out, "mean")
    assert "note: the A/A floor is wider than the margin" in out
    assert memstor("--floor", "floor", "--margin=10", "a", "c")[0] == 0


# --- gates ---


@pytest.mark.parametrize(
    "gates, status, states",
    [
        (["mean<+12%", "throughput>-12%"], 0, ["passed", "passed"]),
        (["mean<+12%", "mean<+5%"], 1, ["passed", "failed"]),
        (["mean<+12%", "mean<+10%"], 4, ["passed", "inconclusive"]),
        (["mean<6us", "read.p50<6us", "throughput>800000"], 0, ["passed"] * 3),
        (["mean<5us"], 1, ["failed"]),
        (["read.p90<6us", "read.p90<+20%"], 0, ["passed", "passed"]),
    ],
)
def test_gates_decide_instead_of_the_verdicts(memstor, sides, gates, status, states):
    words = [word for gate in gates for word in ("--gate", gate)]
    found, out, _ = memstor(*words, "a", "slow")
    assert found == status
    assert [line.split(": ")[-1] for line in out.splitlines() if line.startswith("gate ")] == states


def test_a_gate_is_the_first_line_with_value_and_interval(memstor, sides):
    out = memstor("--gate", "mean<+5%", "--gate", "p99<6s", "a", "slow")[1]
    assert out.startswith("1 of 2 gates failed: mean<+5%: +10.0 % (+9.35 to +10.7)\n")
    out = memstor("--gate", "mean<5us", "a", "slow")[1]
    assert out.startswith("1 of 1 gate failed: mean<5us: 5.52 us (5.50 us to 5.54 us)\n")
    assert memstor("--gate", "mean<6us", "a", "slow")[1].startswith("1 gate passed\n")


def test_a_gate_may_be_for_one_set(memstor, sides):
    group(sides / "a", FIVE, pattern="zipf"), group(sides / "slow", FIVE, pattern="zipf")
    group(sides / "a", FIVE, pattern="linear")

    def gate(text):
        return memstor("--allow-different=sets", "--gate", text, "a", "slow")

    assert [gate(f"pattern={name}:mean<+5%")[0] for name in ("uniform", "zipf", "none", "linear")] == [
        1,
        0,
        2,
        4,
    ]
    assert gate("pattern=uniform:mean<+5%")[1].count("\ngate ") == 1
    assert gate("mean<+5%")[1].count("\ngate ") == 2
    err = gate("pattern=none:mean<+5%")[2]
    assert err == (
        "memstor: --gate pattern=none:mean<+5%: no set and no subject is called 'pattern=none' "
        "(sets: pattern=uniform, pattern=zipf)\n"
    )
    assert "this set has runs in BASE alone" in gate("pattern=linear:mean<+5%")[2]


def test_a_gate_is_inconclusive_when_a_set_has_no_runs_in_new(memstor, sides):
    group(sides / "a", FIVE, pattern="zipf")
    status, out, _ = memstor("--gate", "mean<+12%", "a", "slow")
    assert status == 4 and out.startswith("1 gate passed, but 1 set of BASE without runs in NEW\n")


# --- git bisect ---


def test_bisect_knows_good_bad_and_skip_only(memstor, sides):
    group(sides / "z", FIVE, pattern="zipf"), group(sides / "bad", FIVE, status="interrupted")
    group(sides / "noisy", NOISY)

    def bisect(*words):
        return memstor("--bisect", *words)[0]

    assert bisect("a", "b") == 0 and bisect("a", "slow") == 1 and bisect("slow", "a") == 0
    assert bisect("a", "noisy") == 125
    assert bisect("a", "z") == 125 and bisect("a", "bad") == 125 and bisect("--force", "a", "bad") == 125
    assert (
        bisect("a", "nowhere") == 125
        and bisect("--margin=x", "a", "b") == 125
        and bisect("--bogus", "a", "b") == 125
    )
    assert bisect("--gate", "mean<+20%", "a", "slow") == 0 and bisect("--gate", "mean<+5%", "a", "slow") == 1


def test_bisect_says_why_it_skips(memstor, sides):
    _, _, err = memstor("--bisect", "a", "nowhere")
    assert err == "memstor: nowhere: No such file or directory\n"


# --- outputs ---


def test_json_has_everything(memstor, sides):
    status, out, _ = memstor("--json", "a", "slow")
    document = json.loads(out)
    assert status == document["exit_status"] == 1 and document["overall"] == "slower"
    assert document["headline"].startswith("5 of 5 metrics slower")
    one = document["sets"][0]
    metric = next(m for m in one["metrics"] if m["metric"] == "throughput")
    assert (metric["verdict"], metric["basis"], metric["holds"]) == ("slower", "ranks", True)
    assert metric["base"] == pytest.approx(1e6 / 1.004) and metric["more_runs"] is None
    assert one["options"] == {"mapsize": "4", "pattern": "uniform"}
    assert len(one["base_reports"]) == 5 and one["base_reports"][0].startswith("a/")
    assert document["geometric_mean"]["metrics"] == 5


def test_a_path_that_is_no_utf_8_stays_readable(memstor, sides):
    os.rename(next((sides / "b").iterdir()), os.fsencode(sides / "b") + b"/\xff\x1b.xml")
    status, out, _ = memstor("--json", "a", "b")
    assert status == 0 and "b/\udcff\x1b.xml" in json.loads(out)["sets"][0]["new_reports"]
    os.rename(os.fsencode(sides / "b") + b"/\xff\x1b.xml", sides / "again.xml")
    (sides / "again.xml").write_text("")
    status, _, err = memstor("a", "again.xml")
    assert status == 2 and err.startswith("memstor: again.xml")


def test_json_has_null_for_what_is_unknown(memstor, sides):
    one, other = (next((sides / name).iterdir()) for name in ("a", "b"))
    metric = json.loads(memstor("--json", one, other)[1])["sets"][0]["metrics"][0]
    assert [metric[name] for name in ("low", "p_value", "floor")] == [None, None, None]


def test_csv_has_a_line_a_metric_and_changes_in_percent(memstor, sides):
    status, out, _ = memstor("--csv", "a", "slow")
    rows = list(csv.DictReader(io.StringIO(out)))
    assert status == 1 and len(rows) == 5
    assert float(rows[1]["change_percent"]) == pytest.approx(10, abs=0.1)
    assert (rows[0]["metric"], rows[0]["holds"], rows[0]["untrustworthy"]) == ("throughput", "true", "")


def test_markdown_begins_with_the_headline(memstor, sides):
    status, out, _ = memstor("--markdown", "--gate", "mean<+12%", "a", "slow")
    lines = out.splitlines()
    assert status == 0 and lines[0] == "**1 gate passed**" and lines[2] == "### pmbench, 5 runs against 5"
    assert "|---|---:|---:|---:|---:|---:|---|" in lines
    assert any(line.startswith("- gate mean\\<+12%: ") and line.endswith("**passed**") for line in lines)


def test_files_and_text_are_written_together(memstor, sides):
    text = memstor("a", "slow")[1]
    assert memstor("a", "slow", "--json=r.json", "--csv=r.csv", "--markdown=r.md")[1] == text
    assert memstor("a", "slow", "--json")[1] == (sides / "r.json").read_text()
    status, out, err = memstor("a", "slow", "--json=nowhere/r.json")
    assert status == 3 and err.startswith("memstor: --json nowhere/r.json: cannot be written: ")


def test_labels_of_a_report_are_text_in_markdown_and_csv(memstor, tmp_path):
    for side in ("a", "b"):
        group(tmp_path / side, FIVE, kind="&lt;b&gt;|`x`,&quot;y&quot;")
    assert '### kind=\\<b\\>\\|\\`x\\`,"y": ' in memstor("--group-by", "kind", "--markdown", "a", "b")[1]
    assert '"kind=<b>|`x`,""y""",pmbench' in memstor("--group-by", "kind", "--csv", "a", "b")[1]


def test_reports_of_every_tool_are_compared_with_themselves(memstor):
    for name in ("iowrite/run", "iowrite/evaluate", "ssd/run"):
        path = FIXTURES / f"{name}.xml"
        assert memstor(path, path)[0] == 4
    for path in sorted((FIXTURES / "pmbench-original").glob("*.xml")):
        assert memstor(path, path)[0] == 4


def test_many_runs_are_read_in_several_processes(memstor, sides):
    for side in ("many-a", "many-b"):
        group(sides / side, [1 + i % 7 / 1000 for i in range(30)])
    status, out, _ = memstor("many-a", "many-b")
    assert status == 0 and "30 runs against 30" in out
    (sides / "many-b/x.xml").write_text("<nonsense/>")
    status, _, err = memstor("many-a", "many-b")
    assert status == 2 and err.startswith("memstor: many-b/x.xml:1: ") and err.count("\n") == 1


def test_a_comparison_is_an_object_for_other_commands(sides):
    result = compare.compare(Request(), [str(sides / "a")], [str(sides / "slow")])
    assert [row.metric.name for row in result.held("slower")] and result.overall == "slower"
