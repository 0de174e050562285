# SPDX-License-Identifier: GPL-3.0-or-later
"""Points over time: what is added, what makes a series, and which change ends a check with 1."""

import json
import math
import os
import re
import shlex
import sqlite3
import subprocess
import sys
import uuid
from html import escape

import numpy as np
import pytest
from conftest import ROOT
from pictures import check_texts, draw, svg_texts
from test_html import Page

from memstor import changes, output
from memstor import history as history_
from memstor import series as series_

SORT = (ROOT / "tests/fixtures/with-pressure/sort.xml").read_text(encoding="utf-8")


@pytest.fixture
def report(tmp_path):
    """Writes a run of a command: its wall time in ns, day, and other replaced texts."""
    made = []

    def write(wall=40e6, day=1, label="sort", **texts):
        path = tmp_path / f"{len(made):04}.xml"
        text = re.sub("<uuid>.*</uuid>", f"<uuid>{uuid.uuid5(uuid.NAMESPACE_OID, path.name)}</uuid>", SORT)
        text = re.sub("<wall_ns>.*</wall_ns>", f"<wall_ns>{wall:.0f}</wall_ns>", text)
        moment = f"2026-{1 + day // 28:02}-{1 + day % 28:02}T08:00:{len(made) % 60:02}.{len(made):09}Z"
        text = re.sub("<wall_start>.*</wall_start>", f"<wall_start>{moment}</wall_start>", text)
        text = text.replace('<label name="commit">abc</label>', f'<label name="step">{label}</label>')
        for name, value in texts.items():
            text, count = re.subn(f"<{name}>[^<]*</{name}>", f"<{name}>{value}</{name}>", text)
            assert count
        path.write_text(text, encoding="utf-8")
        made.append(path)
        return path

    return write


@pytest.fixture
def history(memstor, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return lambda *words: memstor("history", *words, "--db", "h.db")


def series(count, at, ratio, noise=0.01, seed=1):
    values = 40e6 * np.exp(np.random.default_rng(seed).normal(0, noise, count))
    values[at:] *= ratio
    return values


def rows(query):
    with sqlite3.connect("h.db") as db:
        return db.execute(query).fetchall()


# --- changes ---


def test_a_step_is_found_where_it_is():
    for ratio in (1.05, 0.95):
        (found,) = changes.changes(series(60, 30, ratio), 0.02)
        assert abs(found.at - 30) <= 1 and found.low <= ratio <= found.high and found.p <= changes.LEVEL


def test_the_last_digit_of_a_value_decides_nothing():
    for seed in range(20):
        values = np.log(series(12, 6, 1.05, seed=seed))
        assert changes.divide(values) == changes.divide(np.nextafter(values, 99))


def test_equal_runs_and_a_lone_outlier_are_no_change():
    for seed in range(20):
        values = series(40, 40, 1, seed=seed)
        values[17] *= 2
        assert changes.changes(values, 0.0) == []


def test_a_change_below_the_least_is_none_but_two_are_seen():
    values = np.concatenate(
        [series(25, 25, 1, 0.001, 1), series(25, 0, 1.01, 0.001, 2), series(25, 0, 1.1, 0.001, 3)]
    )
    assert [one.at for one in changes.changes(values, 0.005)] == [25, 50]
    assert [one.at for one in changes.changes(values, 0.03)] == [50]


def test_the_same_values_give_the_same_changes():
    values = series(50, 20, 1.02)
    assert changes.changes(values, 0) == changes.changes(values.copy(), 0)


# --- add ---


def test_a_report_is_added_once(report, history):
    one, two = report(), report()
    assert history("add", one)[1].startswith("1 report added with 4 points; 0 were there, 0 left out")
    assert history("add", one, two)[1].startswith("1 report added with 4 points; 1 were there")
    assert rows("SELECT count(*) FROM run") == [(2,)]


def test_a_doubted_run_is_left_out(report, history, changed):
    doubted = changed(
        report(),
        '<verdict status="ok"/>',
        '<verdict status="untrustworthy"><reason code="x">y</reason></verdict>',
    )
    status, out, err = history("add", doubted)
    assert status == 0 and "0 reports added" in out and "left out: it is untrustworthy" in err


def test_a_reboot_and_a_sister_machine_are_the_same_series_and_another_kernel_is_not(report, history):
    history(
        "add", report(), report(boot_id="x", hostname="sister", memory_bytes=25276510208, release="6.18.45")
    )
    assert rows("SELECT count(*) FROM host") == [(1,)]
    history("add", report(release="6.19.1"))
    assert rows("SELECT count(*) FROM host") == [(2,)]
    history("add", report(hostname="a"), report(hostname="b"), "--by-host")
    assert rows("SELECT count(*) FROM host") == [(4,)]


@pytest.mark.parametrize(
    "option, one, other, is_same",
    [
        ("directory", "/builds/71/x", "/builds/72/y", True),
        ("target", "/mnt/a", "./b", True),
        ("target", "sim:small", "sim:large", False),
        ("command", "/builds/71/sort -n /tmp/a.txt", "/builds/72/sort -n /var/a.txt", True),
        ("command", "/usr/bin/sort -n", "/usr/bin/uniq -n", False),
        ("swap", "file:/tmp/71/swap,512M", "file:/tmp/72/swap,512M", True),
        ("swap", "file:/tmp/71/swap,512M", "file:/tmp/71/swap,1G", False),
    ],
)
def test_the_folder_of_a_job_is_no_condition(option, one, other, is_same):
    assert (history_._condition(option, one) == history_._condition(option, other)) == is_same


def test_memory_is_as_it_was_built_in():
    gib = 2**30
    for built, left in ((8, 7.51), (16, 15.3), (24, 23.49), (24, 23.54), (64, 61.9), (64, 62.6), (96, 94.3)):
        assert history_._memory_gib(left * gib) == str(built)
    assert history_._memory_gib(math.nan) == ""


def test_two_builds_are_not_of_one_commit(report, history, tmp_path):
    for side in ("base", "new"):
        (tmp_path / "runs" / side).mkdir(parents=True)
        report().rename(tmp_path / "runs" / side / "one.xml")
    status, _, err = history("add", "runs")
    assert status == 2 and "runs: has runs of two builds; name one, as runs/new" in err
    assert history("add", "runs/new")[1].startswith("1 report added")


def test_links_and_devices_are_not_written(report, history, tmp_path):
    one = report()
    (tmp_path / "h.db").symlink_to("other.db")
    status, _, err = history("add", one)
    assert status == 3 and "symbolic link" in err and not (tmp_path / "other.db").exists()


def test_many_writers(report, tmp_path, history):
    groups = [[str(report()) for _ in range(5)] for _ in range(4)]
    command = [sys.executable, "-m", "memstor", "history", "add", "--db", "h.db"]
    environment = dict(os.environ, PYTHONPATH=str(ROOT))
    running = [
        subprocess.Popen([*command, *group], env=environment, stdout=subprocess.DEVNULL) for group in groups
    ]
    assert [one.wait() for one in running] == [0] * 4
    assert rows("SELECT count(*) FROM run") == [(20,)] and rows("SELECT count(*) FROM point") == [(80,)]


def test_other_files_are_refused(report, history, tmp_path):
    one = report()
    for content in (b"text", b"<?xml version='1.0'?>"):
        (tmp_path / "h.db").write_bytes(content)
        for words in (("add", one), ("show",)):
            status, _, err = history(*words)
            assert status == (3 if words[0] == "add" else 2) and "h.db: " in err and err.count("\n") == 1
        assert (tmp_path / "h.db").read_bytes() == content
    (tmp_path / "h.db").unlink()
    with sqlite3.connect("h.db") as db:
        db.execute("CREATE TABLE a (b)")
    for words in (("add", one), ("show",)):
        status, _, err = history(*words)
        assert status == 2 and "is another program's file" in err
    (tmp_path / "h.db").unlink()
    history("add", one)
    with open("h.db", "r+b") as file:
        file.seek(4096)
        file.write(b"\xff" * 4096)
    status, _, err = history("show")
    assert status == 2 and "damaged" in err and err.count("\n") == 1
    assert history("show", "x")[0] == 2
    (tmp_path / "h.db").unlink()
    status, _, err = history("show")
    assert status == 2 and "there is no such file" in err


def test_nothing_is_left_beside_the_file(report, history, tmp_path):
    assert history("add", "none.xml")[0] == 2 and not (tmp_path / "h.db").exists()
    history("add", report())
    for words in (("show",), ("check",)):
        history(*words)
        assert not list(tmp_path.glob("h.db-*"))


def test_a_file_that_cannot_be_written_shows(report, history, tmp_path):
    history("add", report())
    os.chmod("h.db", 0o444)
    assert history("show")[0] == 0
    # A folder, too: no file beside it can be made.
    for name in ("h.db-wal", "h.db-shm"):
        (tmp_path / name).unlink(missing_ok=True)
    os.chmod(tmp_path, 0o555)
    try:
        assert history("show")[0] == 0
    finally:
        os.chmod(tmp_path, 0o755)


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE host SET text = 'no JSON'",
        "UPDATE facts SET text = '[1]'",
        "UPDATE point SET value = -1",
        "UPDATE point SET value = 9e999",
        "UPDATE series SET better = 'sideways'",
        "DELETE FROM run",
        "DROP TABLE ack",
        "DROP TABLE ack; CREATE TABLE ack (series, time BLOB, reason)",
    ],
)
def test_what_no_program_of_ours_wrote_is_refused(report, history, statement):
    one = report()
    history("add", one)
    with sqlite3.connect("h.db") as db:
        db.executescript(f"PRAGMA ignore_check_constraints = ON; {statement}")
    for words in (("add", one), ("show",), ("check",), ("ack", "sort wall", "2026-01-02", "x")):
        status, _, err = history(*words)
        assert status == 2 and "damaged" in err and err.count("\n") == 1


def test_texts_that_are_no_utf8(report, history, tmp_path):
    one = report()
    other = os.fsdecode(os.fsencode(tmp_path) + b"/\xff.xml")
    os.rename(one, other)
    status, out, _ = history("add", other, "--commit", "\udcff", "--branch", "\udcff")
    assert status == 0 and out.startswith("1 report added")
    assert rows("SELECT revision, branch FROM run") == [("\\udcff", "\\udcff")]
    assert history("show", "--main", "\udcff")[0] == 0


def test_a_metric_of_another_unit_is_another_series(report, history):
    history("add", report())
    with sqlite3.connect("h.db") as db:
        db.execute("UPDATE series SET unit = 'furlongs' WHERE metric = 'wall'")
    assert history("add", report())[1].startswith("1 report added with 4 points")
    assert rows("SELECT count(*) FROM series") == [(5,)]


def test_many_may_look_at_the_file_at_once(tmp_path):
    path = str(tmp_path / "h.db")
    with output.writing(path):
        output.check(path, is_shared=True)


def test_the_branch_is_said_and_never_guessed(report, history, tmp_path, monkeypatch):
    one, two = report(), report()
    assert history("add", one)[1].endswith("; branch main\n")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    git = ["git", "-c", "user.name=x", "-c", "user.email=x@example.org"]
    subprocess.run([*git, "init", "-q", "-b", "topic"], check=True)
    status, _, err = history("add", two)
    assert status == 2 and "give --commit and --branch" in err and err.count("\n") == 1
    subprocess.run([*git, "commit", "-q", "--allow-empty", "-m", "x"], check=True)
    subprocess.run(["git", "checkout", "-q", "--detach"], check=True)
    status, _, err = history("add", two)
    assert status == 2 and "no branch is checked out here; give --branch" in err
    subprocess.run(["git", "checkout", "-q", "topic"], check=True)
    assert history("add", two)[1].endswith("; branch topic\n")


# --- check ---


def fill(report, history, values, **texts):
    """A commit a day, of three runs; its points are of the branch main."""
    for day, value in enumerate(values):
        files = [report(value * (1 + 0.002 * k), day, **texts) for k in range(3)]
        history("add", *files, "--commit", f"{day:02x}{0:038}", "--branch", "main")


def test_a_regression_ends_with_1_until_it_is_acknowledged(report, history):
    fill(report, history, series(16, 9, 1.10))
    status, out, _ = history("check", "sort wall")
    assert status == 1 and out.startswith(
        "1 series, 16 points of main: 1 change slower, 0 faster; 1 new and open\n"
    )
    assert re.search(
        "^sort wall: slower [+](9|10)[.][0-9]+ % .* in 080000000000[.][.]090000000000, 2026-01-10$", out, re.M
    )
    assert "--step sort --base-bin" in out and "history ack 'sort wall' 2026-01-10" in out
    status, _, err = history("check", "nothing*")
    assert status == 2 and "no series matches 'nothing*'" in err
    status, _, err = history("ack", "sort wall", "2026-01-03", "no")
    assert status == 2 and "no change of this day: its changes are of 2026-01-10" in err
    assert history("ack", "sort wall", "2026-01-10", "a new sort")[0] == 0
    status, out, _ = history("check", "sort wall")
    assert status == 0 and "[acknowledged: a new sort]" in out


def test_a_faster_one_and_one_that_was_taken_back_end_with_0(report, history):
    values = series(21, 7, 1.10)
    values[14:] /= 1.10
    fill(report, history, values)
    status, out, _ = history("check", "sort wall")
    assert status == 0 and "1 change slower, 1 faster; 0 new and open" in out and "[taken back]" in out


def test_the_command_that_accepts_a_change_can_be_pasted(report, history, memstor):
    name = "it's; $(x) [a]"
    fill(report, history, series(16, 9, 1.10), label=name)
    assert history("add", report(day=20), "--branch", "topic")[0] == 0
    status, out, _ = history("check", "* wall", "--min-change", "3")
    (line,) = re.findall("to accept: memstor (.*)", out)
    assert status == 1 and memstor(*shlex.split(line))[0] == 0
    assert history("check", "* wall", "--min-change", "3")[0] == 0


def test_another_setting_is_the_environment(report, history, tmp_path):
    for day, value in enumerate(series(16, 8, 1.10)):
        one = report(value, day)
        if day >= 8:
            text = one.read_text(encoding="utf-8")
            assert "6.18.44-fc-v782" in text
            one.write_text(text.replace("6.18.44-fc-v782", "6.18.45"), encoding="utf-8")
        history("add", one, "--commit", f"{day:02x}{0:038}", "--branch", "main")
    status, out, _ = history("check", "sort wall")
    assert status == 0 and "[environment: release: 6.18.44-fc-v782 to 6.18.45]" in out


def test_what_changes_all_the_time_is_no_cause(report, history):
    """As of two sister machines that take turns."""
    for day, value in enumerate(series(16, 8, 1.10)):
        one = report(value, day, release=f"6.18.{day % 2}")
        history("add", one, "--commit", f"{day:02x}{0:038}", "--branch", "main")
    status, out, _ = history("check", "sort wall")
    assert status == 1 and "environment" not in out


def test_an_acknowledged_change_stays_so_when_it_moves(report, history):
    fill(report, history, series(16, 9, 1.10))
    for day, expected in (("2026-01-10", 0), ("2026-01-12", 0), ("2026-01-14", 1)):
        with sqlite3.connect("h.db") as db:
            db.execute("DELETE FROM ack")
            db.execute("INSERT INTO ack SELECT id, ?, 'x' FROM series WHERE metric = 'wall'", [day])
        assert history("check", "sort wall")[0] == expected


@pytest.mark.parametrize(
    "ratios, causes, is_over",
    [
        ((1.1, 1 / 1.1), ("", ""), True),
        ((1.1, 1 / 1.1), ("", "release: 1 to 2"), False),
        ((2.0, 0.55), ("", ""), False),  # +10 % is left
        ((1.05, 0.97), ("", ""), True),  # 2 %, less than counts
    ],
)
def test_a_regression_is_taken_back_when_less_than_counts_is_left(ratios, causes, is_over):
    logs = [math.log(ratio) for ratio in ratios]
    assert series_._is_taken_back(0, logs, causes, 0.04) == is_over


def test_two_changes_of_a_day_are_both_acknowledged_and_a_later_one_is_not(report, history):
    values = np.concatenate([series(20, 20, 1, 0.001), series(20, 0, 1.1, 0.001), series(20, 0, 1.2, 0.001)])

    def fill_one(begin, end):
        for i in range(begin, end):
            history("add", report(values[i], 1), "--commit", f"c{i}", "--branch", "main")

    fill_one(0, 40)
    assert history("check", "sort wall")[0] == 1
    assert history("ack", "sort wall", "2026-01-02", "x")[0] == 0
    assert history("check", "sort wall")[0] == 0
    fill_one(40, 60)
    status, out, _ = history("check", "sort wall")
    assert status == 1 and "2 changes slower" in out
    assert history("ack", "sort wall", "2026-01-02", "y")[0] == 0
    assert history("check", "sort wall")[0] == 0


def test_an_ack_makes_no_file_and_has_a_reason(report, history, tmp_path):
    status, _, err = history("ack", "sort wall", "2026-01-02", "x")
    assert status == 2 and "there is no such file" in err and not (tmp_path / "h.db").exists()
    history("add", report())
    status, _, err = history("ack", "sort wall", "2026-01-02", " ")
    assert status == 2 and "the reason is empty" in err


def test_what_cannot_be_judged_is_said(report, history):
    fill(report, history, series(5, 5, 1))
    status, out, _ = history("check", "sort wall")
    assert status == 4 and "1 of the series cannot be judged yet: fewer than 12 commits" in out
    fill(report, history, series(12, 12, 1), label="other")
    status, out, _ = history("check", "* wall")
    assert status == 0 and "1 of the series cannot be judged yet" in out
    assert "1 of the series have no point of the newest commit, as sort wall" in out
    status, _, err = history("check", "--main", "trunk")
    assert status == 2 and "no point is of the branch 'trunk'" in err


def test_changes_of_one_direction_name_the_method(report, history):
    # Each has a step far above its noise, and as many points before as after it.
    for step in range(10):
        fill(report, history, series(20, 10, 1.2, seed=step), label=f"s{step}")
    assert "point to the method or the host" in history("check", "* wall")[1]


def test_a_branch_is_compared_with_main(report, history):
    fill(report, history, series(16, 8, 1.10))
    for name, ratio in (("slow", 1.25), ("same", 1.10), ("fast", 1.0)):
        history("add", report(40e6 * ratio, 20), "--commit", name, "--branch", name)
    for name, said in (("slow", "slower [+]1[0-9]"), ("same", "no difference"), ("fast", "faster -[0-9]")):
        status, out, _ = history("show", "sort wall", "--branch", name)
        assert status == 0 and re.search(said, out)
    status, _, err = history("show", "--branch", "none")
    assert status == 2 and "there are points of fast, same, slow" in err


def test_other_branches_do_not_enter_the_series(report, history):
    fill(report, history, series(12, 12, 1))
    for day in range(10):
        history("add", report(80e6, 20 + day), "--commit", f"b{day}", "--branch", "topic")
    status, out, _ = history("check", "sort wall")
    assert status == 0 and "12 points of main" in out
    assert "22 points" not in history("check", "sort wall", "--main", "topic")[1]


# --- plot and html ---


@pytest.fixture
def steps(report, history, tmp_path):
    """A file of four steps with 16 series: one is slower, one acknowledged, one of another kernel."""
    for day, slower in enumerate(series(16, 9, 1.10)):
        equal = slower / (1.10 if day >= 9 else 1)
        texts = {"release": "6.18.45" if day >= 9 else "6.18.44"}
        files = [report(slower * (1 + 0.002 * k), day, label=escape(f"of {EVIL}")) for k in range(3)]
        files += [report(slower, day, label="known"), report(slower, day, label="kernel", **texts)]
        files += [report(equal, day, label="equal")]
        history("add", *files, "--commit", f"{day:02x}{0:038}", "--branch", "main")
    history("add", report(44e6, 12, label="known"), "--commit", "f" * 40, "--branch", EVIL)
    assert history("ack", "known wall", "2026-01-10", EVIL)[0] == 0
    return str(tmp_path / "h.db")


EVIL = "</script><img src=x onerror=alert(1)>&\u202e$x^2$"


def test_series_are_shown_in_the_order_of_what_is_to_be_done(steps):
    every = series_.read(steps, "main")
    assert [one.state for one in every if one.state] == ["slower", "environment", "acknowledged"]
    text = series_.headline(every, "main")
    assert text == "16 series, 256 points of main: 3 changes slower, 0 faster; 1 new and open"
    first, known = every[0], next(one for one in every if one.name == "known wall")
    assert [(a, b) for a, b, _ in first.levels] == [(0, 8), (9, 15)]
    assert first.points[0].interval == pytest.approx((40e6, 40.16e6), rel=0.05)
    assert known.places == [12.5] and known.others[0].branch == EVIL
    assert first.about == "" and not any(one.about for one in every)


def test_an_interval_of_few_runs_is_their_extent():
    point = series_.Point("", "", [3.0, 1.0, 2.0], {})
    assert point.interval == (1, 3)
    point.values = [float(value) for value in range(1, 10)]
    assert point.interval == (2, 8)


def test_two_hosts_of_one_name_are_told_apart(report, history):
    history("add", report(), "--branch", "main")
    history("add", report(release="6.19.1"), "--branch", "main")
    assert {one.about for one in series_.read("h.db", "main", ["sort wall"])} == {
        "kernel 6.18",
        "kernel 6.19",
    }


def test_a_picture_has_the_medians_and_says_what_it_leaves_out(steps):
    picture, made, rows = draw("history", steps)
    check_texts(picture)
    texts = " ".join(svg_texts(made))
    assert "7 of 16 series are not shown" in texts and "6.18.44 to 6.18.45" in texts
    one, *_ = series_.read(steps, "main")
    points = one.points
    assert one.changes[0].size in texts
    own = [row for row in rows if row["series"] == one.name]
    assert [float(row["value"]) for row in own] == pytest.approx([point.value for point in points])
    assert [float(row["low"]) for row in own] == pytest.approx([min(point.values) for point in points])
    assert {row["runs"] for row in own} == {"3"} and own[0]["commit"] == points[0].revision


def test_a_picture_of_chosen_series(steps):
    assert {row["series"] for row in draw("history", steps, "known", "--metric", "wall")[2]} == {"known wall"}
    branches = [row["branch"] for row in draw("history", steps, "known wall")[2]]
    assert branches.count("main") == 16 and len(branches) == 17
    assert len(draw("history", steps, "known wall", "--main", EVIL)[2]) == 17


def test_a_picture_is_refused_in_one_line(steps, memstor):
    refused = {
        ("none.db",): "none.db",
        (steps, "nothing*"): "no series matches 'nothing*'",
        (steps, "--main", "other", "--counter", "x"): "--counter: history does not have it",
        (): "a history is missing",
        (steps, "--", steps): "history has no sides",
        (__file__,): "no history of memstor",
    }
    for words, text in refused.items():
        status, _, err = memstor("plot", "history", *words, "-o", "x.svg")
        assert status in (2, 3) and text in err and err.count("\n") == 1 and not os.path.exists("x.svg")
    status, _, err = memstor("plot", "history", steps, "-o", steps, "--format", "svg")
    assert status == 2 and "is read" in err


def test_a_page_of_a_history(steps, memstor):
    assert memstor("html", "--history", steps, "-o", "x.html") == (0, "", "")
    page = Page("x.html")
    found = json.loads(page.data["memstor-history"])
    assert found["headline"].endswith("1 new and open") and found["main"] == "main"
    first, known = found["series"][0], next(one for one in found["series"] if one["step"] == "known")
    assert (first["step"], first["metric"], first["state"]) == (f"of {EVIL}", "wall", "slower")
    assert len(first["points"]) == 16 and first["points"][0][0] == f"00{0:038}" and first["points"][0][5] == 3
    (change,) = first["changes"]
    assert change["between"] == "080000000000..090000000000" and change["at"] == 9 and change["why"] == ""
    assert known["others"][0][5:] == [1, 12.5, EVIL] and known["changes"][0]["why"] == EVIL
    assert page.reports == [] and page.summary is None
    assert "img" not in page.tags and any("&lt;img" in page.text for _ in page.cells)
    assert f"of {EVIL} wall".replace("\u202e", "\ufffd") in page.cells


def test_a_page_of_a_history_and_reports(steps, memstor, report):
    assert memstor("html", report(), "--history", steps, "--main", EVIL, "-o", "x.html")[0] == 0
    page = Page("x.html")
    assert len(page.reports) == 1 and page.summary is None
    found = json.loads(page.data["memstor-history"])
    assert sum(len(one["points"]) for one in found["series"]) == 4 and ", 4 points of " in found["headline"]
    status, _, err = memstor("html", "--history", steps, "--main", "x", "-o", "y.html")
    assert status == 2 and "no point is of the branch 'x'" in err
    status, _, err = memstor("html", "--history", "none.db", "-o", "y.html")
    assert status in (2, 3) and "none.db" in err and not os.path.exists("y.html")
    assert memstor("html", report(), "-o", "x.html")[0] == 0
    assert json.loads(Page("x.html").data["memstor-history"]) is None
