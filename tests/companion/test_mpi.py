# SPDX-License-Identifier: GPL-3.0-or-later
"""memstor mpi: what rank 0 decides, in one process. tests/host/memstor-mpi.sh runs jobs."""

import argparse
import math
import os
import pickle
import re

import numpy as np
import pytest
from conftest import ROOT

from memstor import child, merge, mpi, report
from memstor.error import DIFFERENT, HOST, NEGATIVE, OK, UNTRUSTED, Problem

GOLDEN = ROOT / "tests/golden/pmbench-report.xml"
RUN = GOLDEN.read_text(encoding="utf-8")


class World:
    rank, size = 0, 4


def options(**others):
    usual = {"file": "all.xml", "per_host": False, "start_in": 2.0, "stonewall": False, "time_limit": None}
    return argparse.Namespace(
        **usual | {"allow_different": False, "label": [], "command": ["pmbench", "1"]} | others
    )


@pytest.fixture
def job(tmp_path, monkeypatch):
    """Of rank 0, with ranks of as many hosts."""
    monkeypatch.chdir(tmp_path)

    def make(*ranks, **others):
        job = mpi.Job(World(), None, options(**others))
        job.everyone = [mpi.Mine(*one) for one in ranks]
        return job

    return make


def rank(host, why="", status=OK, has_command=True, **facts):
    return (
        host,
        f"boot of {host}",
        has_command,
        why,
        status,
        {name.replace("_", " "): f for name, f in facts.items()},
    )


# --- launcher and library ---


@pytest.fixture
def launched(monkeypatch):
    def by(**variables):
        for name in {name for pair in mpi.LAUNCHERS for name in pair}:
            monkeypatch.delenv(name, raising=False)
        for name, text in variables.items():
            monkeypatch.setenv(name, str(text))

    return by


@pytest.mark.parametrize(
    "variables, size",
    [
        ({}, 1),
        ({"OMPI_COMM_WORLD_SIZE": 2, "SLURM_NTASKS": 4}, 2),
        ({"PMI_SIZE": 3, "PMI_RANK": 1}, 3),
        ({"SLURM_STEP_NUM_TASKS": 2, "SLURM_NTASKS": 4}, 2),
    ],
)
def test_a_world_that_the_launcher_made_is_right(launched, variables, size):
    launched(**variables)
    mpi._check_world(size, "Open MPI v4")


@pytest.mark.parametrize("name", ["OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS", "SLURM_NTASKS"])
def test_a_world_of_one_in_a_job_of_four_names_launcher_and_library(launched, name):
    launched(**{name: 4})
    with pytest.raises(
        Problem, match=rf"started 4 processes \({name}\).*\(Open MPI v4\.1\.4\) sees 1"
    ) as problem:
        mpi._check_world(1, "Open MPI v4.1.4, package: Debian OpenMPI, ident: 4.1.4")
    assert problem.value.status == HOST


def test_only_the_first_of_the_worlds_of_one_says_so(launched):
    launched(PMI_SIZE=4, PMI_RANK=2)
    with pytest.raises(SystemExit) as end:
        mpi._check_world(1, "Open MPI v4.1.4")
    assert end.value.code == HOST


# --- before anything runs ---


def test_words_of_the_command_name_rank_host_and_size_only():
    words = mpi.filled(["-o", "f-{rank}", "{host}/{size}", "{other}", "{}"], 3, "a", 8)
    assert words == ["-o", "f-3", "a/8", "{other}", "{}"]


def test_equal_ranks_start(job):
    assert job(rank("a", memory="8 GiB"), rank("b", memory="8 GiB"))._decide() == OK


def test_hosts_that_differ_are_named_and_nothing_starts(job, capsys):
    ranks = [rank("a", CPU_model="x", memory="8 GiB"), rank("b", CPU_model="x", memory="16 GiB")]
    assert job(*ranks)._decide() == DIFFERENT
    said = capsys.readouterr().err
    assert "the hosts differ in memory: '8 GiB' on rank 0 (a), '16 GiB' on rank 1 (b)" in said
    assert "CPU" not in said and "--allow-different starts it anyway" in said
    assert job(*ranks, allow_different=True)._decide() == OK
    assert "the hosts differ in memory" in capsys.readouterr().err


def test_each_rank_that_cannot_run_is_named_and_nothing_starts(job, capsys):
    ranks = [rank("a"), rank("b", "x is not installed", HOST), rank("c", "--bogus: no such option", 2)]
    assert job(*ranks)._decide() == HOST
    said = capsys.readouterr().err.splitlines()
    assert said == [
        "memstor: rank 1 (b): x is not installed",
        "memstor: rank 2 (c): --bogus: no such option",
    ]


def test_ranks_without_a_command_are_not_compared(job):
    assert job(rank("a", memory="8 GiB"), rank("a", has_command=False))._decide() == OK


def test_more_ranks_than_a_merged_report_can_have_are_refused(job, capsys):
    assert job(*[rank("a")] * (mpi.RANKS_MAX + 1))._decide() == 2
    assert "allowed are 10000; --per-host" in capsys.readouterr().err


# --- results ---


def result_of(tmp_path, number, start="2026-11-20T09:24:29.000000042Z", **others):
    """A run of the golden report's length. start: by the clock of its host."""
    path = tmp_path / f"{number}.xml"
    text = re.sub("<uuid>[0-9a-f]{8}", f"<uuid>{number:08x}", RUN)
    text = re.sub('\n *<reason code="[^\n]*', "", text.replace('status="untrustworthy"', 'status="ok"'))
    text = re.sub("<wall_start>[^<]*", f"<wall_start>{start}", text)
    text = re.sub("<boot_id>[^<]*", f"<boot_id>boot-{number}", text)
    path.write_text(others.pop("change", lambda text: text)(text), encoding="utf-8")
    read = merge.load(str(path), others.pop("clock", merge.Clock(0, 0)))
    return mpi.Result("", read, b"", 0.1)


def collect(job, results, monkeypatch):
    job.start_ns = merge.wall_ns("2026-11-20T09:24:29.000000042Z")
    sent = {}

    def send(_, value, to, tag):
        sent[job.rank] = to, pickle.dumps(value)

    def receive(_, source, tag):
        to, data = sent.pop(source)
        assert to == job.rank
        return pickle.loads(data)

    monkeypatch.setattr(World, "send", send, raising=False)
    monkeypatch.setattr(World, "recv", receive, raising=False)
    # The last first: a rank hears only of later ones.
    for job.rank in reversed(range(len(results))):
        status = job.collect(results[job.rank])
    assert not sent
    return status


def test_the_merged_report_is_that_of_all_ranks(job, tmp_path, monkeypatch, capsys):
    results = [result_of(tmp_path, number) for number in range(2)]
    assert collect(job(rank("a"), rank("b")), results, monkeypatch) == OK
    merged, one = merge.load("all.xml"), results[0].report
    for key, h in merged.histograms.items():
        assert h.count == 2 * one.histograms[key].count
    out = capsys.readouterr().out
    assert "a " in out and "b " in out and "100 % of the time" in out


def test_groups_give_the_report_of_all_at_once(job, tmp_path, monkeypatch, capsys):
    def slower(text):
        text = re.sub("<memory_bytes>[0-9]*", "<memory_bytes>17", text)
        return text.replace("<cores>4<", "<cores>5<")

    written = []
    for least in (32, 2):
        monkeypatch.setattr(mpi, "GROUP_LEAST", least)
        results = [result_of(tmp_path, n, **{"change": slower} if n % 3 == 1 else {}) for n in range(7)]
        results[4] = mpi.Result("exit status 1", None, b"", 0)
        results[5] = results[5]._replace(missed=True, data=b"<?xml version='1.0'?><a/>")
        assert collect(job(*map(rank, "abcdefg")), results, monkeypatch) == UNTRUSTED
        said = capsys.readouterr()
        assert (tmp_path / "all.xml.ranks/5/report.xml").read_bytes() == results[5].data
        # Sums of squares are rounded in another order.
        text = re.sub(
            "(?<=<stddev_ns>)[^<]*",
            lambda found: f"{float(found[0]):.12g}",
            (tmp_path / "all.xml").read_text(),
        )
        written.append([said.out, said.err, text])
    assert written[0] == written[1]
    out, err, text = written[0]
    assert "rank 4 (e): exit status 1" in err and "rank 5 (f): an objective was missed" in err
    assert text.count("<part index") == 6 and '<difference name="cores">5<' in text


def test_a_report_that_does_not_match_loses_no_other(job, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(mpi, "GROUP_LEAST", 2)
    for wrong in range(1, 6):
        # Groups of 3, each with another place of the one that is no report of pmbench.
        results = [result_of(tmp_path, n) for n in range(6)]
        results[wrong] = results[wrong]._replace(report=merge.load(str(ROOT / "tests/fixtures/ssd/run.xml")))
        assert collect(job(*map(rank, "abcdef")), results, monkeypatch) == UNTRUSTED
        err, text = capsys.readouterr().err, (tmp_path / "all.xml").read_text()
        assert err.count("its report cannot be merged") == 1 and f"rank {wrong} (" in err
        assert text.count("<part index") == 5 and text.count('code="lost-rank"') == 1


def test_parts_after_the_first_have_the_facts_that_differ(job, tmp_path, monkeypatch):
    results = [result_of(tmp_path, n) for n in range(3)]
    collect(job(*map(rank, "abc")), results, monkeypatch)
    merged = report.read_file("all.xml").report
    first, *others = [
        [of.get("name") for of in part.iterfind("facts/fact")] for part in merged.iterfind("parts/part")
    ]
    assert "cpu_model" in first and others == [[], []]


def test_a_lost_rank_is_in_the_verdict(job, tmp_path, monkeypatch, capsys):
    results = [result_of(tmp_path, 0), mpi.Result("exit status 1: no space", None, b"", 0)]
    assert collect(job(rank("a"), rank("b")), results, monkeypatch) == UNTRUSTED
    assert "rank 1 (b): exit status 1: no space" in capsys.readouterr().err
    text = (tmp_path / "all.xml").read_text()
    assert '<reason code="lost-rank">rank 1 (b): exit status 1: no space</reason>' in text


def test_a_missed_objective_is_a_result_and_the_status(job, tmp_path, monkeypatch, capsys):
    (tmp_path / "stderr").write_text("")
    (tmp_path / "report.xml").write_text(RUN, encoding="utf-8")
    ended = child.Outcome(child.ENDED, NEGATIVE, 1.0)
    assert mpi._result(str(tmp_path), ended, False, (OK, UNTRUSTED, NEGATIVE), merge.Clock(0, 0)).missed
    assert mpi._result(str(tmp_path), ended, False, (OK, UNTRUSTED), merge.Clock(0, 0)).failed
    missed = result_of(tmp_path, 1)._replace(missed=True)
    results = [result_of(tmp_path, 0), missed]
    assert collect(job(rank("a"), rank("b")), results, monkeypatch) == NEGATIVE
    assert "rank 1 (b): an objective was missed" in capsys.readouterr().err
    text = (tmp_path / "all.xml").read_text()
    assert '<verdict status="ok"/>' in text and text.count("<part index") == 2


def test_no_report_at_all_writes_nothing(job, tmp_path, monkeypatch, capsys):
    results = [mpi.Result("exit status 1", None, b"", 0)]
    assert collect(job(rank("a")), results, monkeypatch) == UNTRUSTED
    assert "nothing is written" in capsys.readouterr().err and not (tmp_path / "all.xml").exists()


def test_a_clock_that_is_wrong_and_measured_is_no_delay(job, tmp_path, monkeypatch):
    late, clock = "2026-11-20T11:24:29.000000042Z", merge.Clock(7200 * 10**9, 1000)
    ranks = rank("a"), rank("b")
    right = [result_of(tmp_path, 0), result_of(tmp_path, 1, late, clock=clock)]
    assert collect(job(*ranks), right, monkeypatch) == OK
    assert "<clock_offset_ns>7200000000000</clock_offset_ns>" in (tmp_path / "all.xml").read_text()
    wrong = [result_of(tmp_path, 0), result_of(tmp_path, 1, late)]
    assert collect(job(*ranks), wrong, monkeypatch) == UNTRUSTED
    text = (tmp_path / "all.xml").read_text()
    assert 'code="late-start"' in text and 'code="not-together"' in text


def test_a_rank_that_another_ended_counts_with_stonewall_only(job, tmp_path, monkeypatch):
    def interrupted(text):
        assert 'status="ok"' in text
        return text.replace('status="ok"', 'status="interrupted"')

    results = [result_of(tmp_path, 0), result_of(tmp_path, 1, change=interrupted)]
    assert collect(job(rank("a"), rank("b"), stonewall=True), results, monkeypatch) == OK
    assert collect(job(rank("a"), rank("b")), results, monkeypatch) == UNTRUSTED


def test_with_stonewall_too_what_no_rank_ended_is_untrustworthy(job, tmp_path, monkeypatch, capsys):
    limited = result_of(tmp_path, 1)._replace(failed="it reached the time limit")
    results = [result_of(tmp_path, 0), limited]
    assert collect(job(rank("a"), rank("b"), stonewall=True), results, monkeypatch) == UNTRUSTED
    assert "rank 1 (b): it reached the time limit" in capsys.readouterr().err
    assert "<part index" in (tmp_path / "all.xml").read_text()


def test_the_file_of_a_host_that_rank_0_does_not_see_is_copied(job, tmp_path, monkeypatch):
    results = [result_of(tmp_path, 0), result_of(tmp_path, 1)._replace(data=b"<?xml version='1.0'?><a/>")]
    assert collect(job(rank("a"), rank("b")), results, monkeypatch) == OK
    assert (tmp_path / "all.xml.ranks/1/report.xml").read_bytes() == results[1].data
    assert not os.path.exists(tmp_path / "all.xml.ranks/0")


def row(number, rate, start=0.0, end=1.0, progress=()):
    progress = np.array(progress, dtype=float).reshape(-1, 2)
    return mpi.Row(number, f"h{number}", start, end, rate, "1 ns", "2 ns", "ok", progress)


def test_operations_between_two_times_are_those_of_the_intervals():
    even = row(0, 100.0, 1.0, 5.0)
    assert even.operations(1.0, 5.0) == 400 and even.operations(2.0, 3.0) == 100
    # 300 of the 400 operations in the first of four seconds.
    uneven = row(0, 100.0, 1.0, 5.0, [(1, 30), (2, 32), (4, 40)])
    assert uneven.operations(1.0, 5.0) == 400 and uneven.operations(2.0, 5.0) == pytest.approx(100)
    assert uneven.operations(1.0, 1.5) == pytest.approx(150)


def test_a_report_with_intervals_has_its_progress(tmp_path):
    result = result_of(tmp_path, 1)
    rows = report.read_file(str(GOLDEN)).report.findall("series/interval")
    assert len(rows) > 1 and result.report.progress.shape == (len(rows), 2)
    last = [report.text_of(rows[-1], "time_s"), sum(int(report.text_of(one, "accesses")) for one in rows)]
    assert result.report.progress[-1].tolist() == [float(last[0]), last[1]]


def test_the_outlier_is_named_and_nobody_else():
    rates = [1000, 1010, 990, 1005, 500, 995]
    found = list(mpi._outliers([row(i, rate) for i, rate in enumerate(rates)]))
    assert len(found) == 1 and found[0].startswith("rank 4 (h4) is an outlier: 500 ")
    assert not list(mpi._outliers([row(i, rate) for i, rate in enumerate(rates[:4])]))
    assert not list(mpi._outliers([row(0, 1000), row(1, 500), row(2, math.nan)]))
