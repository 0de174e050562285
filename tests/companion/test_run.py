# SPDX-License-Identifier: GPL-3.0-or-later
"""memstor run: order, folder, index, signals, --resume, sides and gates. Programs are small scripts."""

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import time

import pytest
from conftest import ROOT

from memstor import plan, programs, report

GOLDEN = (ROOT / "tests/golden/pmbench-report.xml").read_text(encoding="utf-8")
GOOD = re.sub('\n *<reason code="[^\n]*', "", GOLDEN.replace('status="untrustworthy"', 'status="ok"'))
HANG_S = 250  # no test waits so long
# What it does is said by its arguments. Each start is a line "STEP RUN" in log.
TOOL = r"""#!/bin/sh
tmp=@
step= run= report= words= checks=
for word; do
	case $word in step=*) step=${word#step=} ;; run=*) run=${word#run=} ;; esac
done
[ "$1" = --dry-run ] || echo "$*" >>$tmp/words
while [ $# -gt 0 ]; do
	case $1 in
	-f) report=$2; shift ;;
	--label) shift ;;
	--dry-run) checks=1 ;;
	*) words="$words $1" ;;
	esac
	shift
done
if [ "$checks" ]; then
	case $words in
	*refuse*) echo "pmbench: -p 'x': must be a pattern" >&2; exit 2 ;;
	*cannot*) echo 'pmbench: this host has no such thing' >&2; exit 3 ;;
	esac
	exit 0
fi
echo "${SIDE}$step $run" >>$tmp/log
ls -A >>$tmp/listing
ok='<verdict status="ok">'
interrupted() { sed "s|$ok|<verdict status=\"interrupted\">|" $tmp/good.xml >"$report"; exit 4; }
trap interrupted INT TERM HUP
echo "out of$words"
stolen='<reason code="steal">stolen</reason>'
doubt() { sed "s|$ok|<verdict status=\"untrustworthy\">$stolen|" $tmp/good.xml >"$report"; exit 4; }
for word in $words; do
	case $word in
	fail) echo 'pmbench: it broke' >&2; exit 1 ;;
	die) kill -9 $$ ;;
	no-report) exit 0 ;;
	broken) echo '<pmbenchmark>' >"$report"; exit 0 ;;
	untrusted) doubt ;;
	flaky) [ -e $tmp/calm ] || { touch $tmp/calm; doubt; } ;;
	missed) sed 's|</result>|<cells><cell id="c"><objective text="p99\&lt;1us"><limit_ns>1000</limit_ns>\
<reached_ns>2500</reached_ns><is_met>false</is_met></objective></cell></cells></result>|' \
			$tmp/good.xml >"$report"
		exit 1 ;;
	wait) echo $$ >$tmp/pid; while [ ! -e $tmp/go ]; do sleep 0.02; done ;;
	leave) sleep 600 & echo $! >$tmp/pid ;;
	left) touch left ;;
	esac
done
sed "s/<uuid>......../<uuid>$(printf %08x $$)/" $tmp/good.xml >"$report"
"""


@pytest.fixture
def tmp(tmp_path, monkeypatch):
    """The working folder, with a fake pmbench in PATH."""
    (tmp_path / "good.xml").write_text(GOOD, encoding="utf-8")
    (tmp_path / "bin").mkdir(mode=0o755)
    tool(tmp_path / "bin/pmbench", TOOL.replace("@", str(tmp_path)))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", f"{tmp_path}/bin:/usr/bin:/bin")
    monkeypatch.setattr(programs, "_own", lambda: [])
    monkeypatch.setattr(plan, "can_report", lambda: False)
    return tmp_path


def tool(path, text):
    path.write_text(text, encoding="utf-8")
    path.chmod(0o755)


def suite(tmp, *steps, head="", name="s"):
    """Steps are (name, run) or (name, run, further lines)."""
    texts = [
        f"[[step]]\nname = '{step}'\nrun = \"{words}\"\n" + "\n".join(more) for step, words, *more in steps
    ]
    (tmp / f"{name}.toml").write_text(head + "\n" + "\n".join(texts), encoding="utf-8")
    return f"./{name}.toml"


def log(tmp):
    path = tmp / "log"
    lines = path.read_text().split("\n")[:-1] if path.exists() else []
    path.unlink(missing_ok=True)
    return lines


def entries(where):
    return [json.loads(line) for line in (where / "index.jsonl").read_text(encoding="utf-8").splitlines()]


def states(where):
    """The last state and reason of each run."""
    return {
        f"{entry['step']} {entry['run']}": ": ".join(filter(None, (entry["state"], entry.get("reason"))))
        for entry in entries(where)
        if "step" in entry
    }


# memstor is killed as soon as a program was started.
DIES = """
import os, subprocess
begin = subprocess.Popen
def popen(words, *others, **how):
    made = begin(words, *others, **how)
    if words[0].endswith("deaf"):
        os.kill(os.getpid(), 9)
    return made
subprocess.Popen = popen
"""


def start(*arguments, stderr=subprocess.PIPE, grace_s=2 * HANG_S, before=""):
    """memstor run in a process of its own, to be killed."""
    code = (
        "import memstor.programs as p, memstor.plan as q, memstor.child as d, memstor.cli as c\n"
        f"p._own = lambda: []; q.can_report = lambda: False; d.GRACE_S = {grace_s}\n"
        f"{before}raise SystemExit(c.main())"
    )
    environment = dict(os.environ, PYTHONPATH=str(ROOT), TERM="xterm", COLUMNS="100")
    command = [sys.executable, "-c", code, "run", *arguments]
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=stderr, text=True)


def until(condition):
    end = time.monotonic() + HANG_S
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)


def is_running(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def pid_in(tmp):
    until(lambda: (tmp / "pid").exists() and (tmp / "pid").read_text().strip())
    return int((tmp / "pid").read_text())


# --- order, folder, words ---


def test_rounds_alternate(tmp, memstor):
    path = suite(tmp, ("a", "pmbench"), ("b", "pmbench", "runs = 2"), ("c", "pmbench"))
    status, out, err = memstor("run", path, "-o", "o", "--runs", "4")
    assert status == 0
    assert log(tmp) == "a 1,b 1,c 1,c 2,b 2,a 2,a 3,b 3,c 3,c 4,b 4,a 4".split(",")
    assert all(line.startswith("memstor: ") for line in err.splitlines())
    lines = [line.partition(" after ")[0] for line in err.splitlines() if line.startswith("memstor: [")]
    assert lines[:2] == ["memstor: [1/12] a run 1: done", "memstor: [2/12] b run 1: done"]
    rows = [line.split() for line in out.splitlines()]
    assert rows[0] == ["step", "runs", "throughput", "p99", "time", "result"]
    assert rows[1][:6] == ["a", "4/4", "5.37", "M/s", "161", "ns"] and rows[1][-1] == "ok"
    assert memstor("run", path, "-o", "o2")[0] == 0 and log(tmp) == ["a 1", "b 1", "c 1", "b 2"]
    status, _, err = memstor("run", path, "-o", "o")
    assert (
        status == 2
        and err == "memstor: -o o: already contains results; continue with --resume or name another DIR\n"
    )


def test_warnings_once(tmp, memstor):
    _, _, err = memstor("run", suite(tmp, ("a", "pmbench untrusted")), "-o", "o", "--runs", "3")
    assert err.count("zero-page: pages of the set were never written: fill the map with -i") == 1
    assert err.count("stolen") == 1 and err.count("untrustworthy after") == 3


def test_warmups_come_first_and_have_no_report(tmp, memstor):
    path = suite(tmp, ("a", "pmbench"), ("b", "pmbench"))
    assert memstor("run", path, "-o", "o", "--runs", 1, "--warmup", 2, "--step", "a*")[0] == 0
    assert log(tmp) == ["a 1", "a 2", "a 1"]
    files = sorted(str(of.relative_to(tmp / "o")) for of in (tmp / "o").rglob("*") if of.is_file())
    assert files == ["a/1/report.xml", "a/1/stderr", "a/1/stdout", "index.jsonl"]
    assert entries(tmp / "o")[0]["suite"] == (tmp / "s.toml").read_text()


def test_words_and_folder_of_a_run(tmp, memstor):
    path = suite(tmp, ("s-{p}", "pmbench '{one}' left", "for.p = ['1', '2,x']"), head="set.one = 'a  b'")
    memstor("run", path, "-o", "o", "--runs", 2, "--label", "note=two words", "--step", "s-2,x")
    first = (tmp / "words").read_text().splitlines()[0]
    labels = "--label suite=s --label step=s-2,x --label note=two words --label run=1"
    assert first == f"-f report.xml {labels} a  b left"
    assert (tmp / "listing").read_text() == "stderr\nstdout\n" * 2


def test_outcomes(tmp, memstor):
    names = ("fail", "no-report", "broken", "die", "untrusted", "missed", "cannot", "good")
    path = suite(
        tmp,
        *[(name, f"pmbench {name}") for name in names],
        ("need", "pmbench", "needs = ['program:no-such']"),
    )
    status, out, err = memstor("run", path, "-o", "o")
    found = states(tmp / "o")
    without = "failed: exit status 0 without a report"
    assert found.pop("broken 1").startswith(f"{without}: broken/1/report.xml:")
    assert found == {
        "fail 1": "failed: exit status 1: it broke",
        "no-report 1": f"{without}: no-report/1/report.xml: No such file or directory",
        "die 1": "failed: killed by signal 9",
        "untrusted 1": "untrustworthy: steal: stolen",
        "missed 1": "missed: objective p99<1us: 2.50 us in c",
        "cannot 1": "skipped: this host has no such thing",
        "good 1": "done",
        "need 1": "skipped: needs program:no-such: the program no-such, which is not in PATH",
    }
    assert status == 1 and "4 of 9 runs failed: their folders have stdout and stderr." in out
    assert out.endswith("Continue with the rest: memstor run ./s.toml -o o --resume\n")
    for step, expected in (("untrusted", 4), ("missed", 1), ("cannot", 3), ("good", 0)):
        assert memstor("run", path, "-o", f"o-{step}", "--step", step)[0] == expected
    status, _, err = memstor("run", path, "-o", "r", "--step", "cannot", "--require-all")
    assert (status, err) == (
        3,
        "memstor: --require-all: step cannot cannot be run here: this host has no such thing\n",
    )
    assert not (tmp / "r").exists()


@pytest.mark.parametrize(
    "words, part",
    [
        ("pmbench refuse", "s.toml:4: step a: pmbench refuses: -p 'x': must be a pattern"),
        ("pmbench -f x", "-f cannot be given: memstor run gives the report its name and runs the step"),
        ("pmbench --file=x", "--file cannot be given"),
        ("ssd-workloads run --dry-run", "--dry-run cannot be given"),
    ],
)
def test_refused(tmp, memstor, words, part):
    status, out, err = memstor("run", suite(tmp, ("a", words), ("b", "true")), "-o", "o")
    assert status == 2 and part in err and err.count("\n") == 1 and not out
    assert not (tmp / "o").exists() and not log(tmp)


@pytest.mark.parametrize(
    "arguments, part",
    [
        ([], "no suite given"),
        (["s.toml", "--", "true"], "a suite and a command"),
        (["s.toml", "--runs", "0"], "--runs '0': must be 1 to 1000"),
        (["s.toml", "--set", "x"], "--set 'x': must be NAME=VALUE"),
        (["s.toml", "--label", "step=x"], "suite, step and run are given by memstor run itself"),
        (["s.toml", "--step", "x*"], "--step 'x*': no step of s.toml has this name"),
        (["s.toml", "--base-bin", "bin"], "--base-bin, --new-bin: one of them is missing"),
        (["s.toml", "--resume"], "--resume: continues in the folder of an earlier run: give it with -o DIR"),
        (["s.toml", "--until", "decided"], "--until decided: needs two sides"),
        (
            ["s.toml", "-o", "none/here", "--step", "b"],
            "-o none/here: cannot be made: No such file or directory",
        ),
        (["s.toml", "-o", "none/here"], "/none: No such file or directory"),
        (["s.toml", "-o", "s.toml"], "-o s.toml: not a folder"),
        (["s.toml", "-o", "bin"], "-o bin: exists and is not empty: give the name of a new folder"),
        (["s.toml", "-o", "bin", "--resume"], "-o bin: not a resumable run directory"),
        (
            ["--base-bin", "bin", "--new-bin", "empty", "s.toml"],
            "empty: has no program pmbench, which step new/a runs",
        ),
        (
            ["--base-bin", "bin", "--new-bin", "empty", "--", "pmbench2"],
            "empty: has no program pmbench2, which step new/pmbench2 runs",
        ),
    ],
)
def test_usage(tmp, memstor, arguments, part):
    (tmp / "empty").mkdir()
    suite(tmp, ("a", "pmbench"), ("b", "true"))
    (tmp / "bin/pmbench2").symlink_to("/bin/true")
    status, out, err = memstor("run", *arguments)
    assert status == 2 and part in err and err.count("\n") == 1 and not out and not log(tmp)


@pytest.mark.parametrize("mode", [0o777, 0o775, 0o757, 0o1777])
def test_folders_that_others_may_write_to(tmp, memstor, mode):
    (tmp / "o").mkdir()
    (tmp / "o").chmod(mode)
    status, _, err = memstor("run", suite(tmp, ("a", "pmbench")), "-o", "o")
    why = f"(mode {mode:04o}, must be 0755 or less); run chmod go-w on it"
    assert (status, err) == (2, f"memstor: -o o: other users may write to it {why}\n")
    assert os.listdir(tmp / "o") == []


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder away")
def test_folders_and_links_of_other_users(tmp, memstor):
    path = suite(tmp, ("a", "pmbench"))
    (tmp / "theirs").mkdir()
    os.chown(tmp / "theirs", 12345, 12345)
    assert "belongs to user 12345" in memstor("run", path, "-o", "theirs")[2]
    (tmp / "mine").mkdir()
    (tmp / "link").symlink_to("mine")
    os.chown(tmp / "link", 12345, 12345, follow_symlinks=False)
    assert "is a link of another user" in memstor("run", path, "-o", "link/o")[2]
    assert os.listdir(tmp / "mine") == []


def test_nothing_is_writable_by_others(tmp, memstor):
    before = os.umask(0)
    try:
        assert memstor("run", suite(tmp, ("a", "pmbench")), "-o", "o")[0] == 0
        assert os.umask(0) == 0
    finally:
        os.umask(before)
    assert [of for of in (tmp / "o").rglob("*") if of.stat().st_mode & 0o022] == []


# --- commands ---


def test_commands(tmp, memstor):
    path = suite(
        tmp,
        ("says", "sh -c 'echo took 9 ms; echo x >&2'", "runs = 2"),
        ("fails", "sh -c 'echo why >&2; exit 7'"),
        ("text", "no-program"),
        ("absent", "no-such-program"),
        ("shell", "echo $A | tr a b; pwd", "shell = true", "env.A = 'aa'", "cwd = 'bin'"),
        ("set", "cat ../../state", "setup = 'cp /dev/null ../../state'", "cleanup = 'rm ../../state'"),
        ("bad", "true", "setup = ['sh', '-c', 'echo no; exit 3']"),
    )
    tool(tmp / "bin/no-program", "\0")
    status, out, _ = memstor("run", path, "-o", "o")
    assert status == 1
    assert states(tmp / "o") == {
        "says 1": "done",
        "says 2": "done",
        "fails 1": "failed: exit status 7: why",
        "text 1": f"failed: exit status 127: cannot run {tmp}/bin/no-program: Exec format error",
        "absent 1": "skipped: no-such-program is not installed: neither in memstor's folder nor in PATH",
        "shell 1": "done",
        "set 1": "done",
        "bad 1": "failed: setup: exit status 3: no",
    }
    assert (tmp / "o/shell/1/stdout").read_text() == f"bb\n{tmp}/bin\n" and not (tmp / "state").exists()
    says = next(entry for entry in entries(tmp / "o") if entry.get("step") == "says")
    assert says["seconds"] > 0
    assert re.search(r"^says +2/2 +- +- +[\d.]+ ms +ok$", out, re.MULTILINE)


PRESSURE = """#!/bin/sh
[ "$1" = --help ] && { echo "  -f, --file=FILE"; exit; }
echo "$*" >>@/pressed
while [ "$1" != -- ]; do
	[ "$1" = -f ] && report=$2
	shift
done
shift
"$@"
status=$?
reason='<reason code="CODE">x</reason>'
doubt() { sed "s|<verdict status=.ok.>|<verdict status='untrustworthy'>$reason|; s|CODE|$1|" @/good.xml; }
case $status in
0) sed "s/UUID/$(cat /proc/sys/kernel/random/uuid)/" @/good.xml >"$report" ;;
9) doubt oom >"$report"; exit 4 ;;
*) doubt failed >"$report" ;;
esac
exit $status
"""


def test_commands_are_measured_by_with_pressure(tmp, memstor, monkeypatch):
    monkeypatch.undo()
    monkeypatch.chdir(tmp)
    monkeypatch.setenv("PATH", f"{tmp}/bin:/usr/bin:/bin")
    monkeypatch.setattr(programs, "_own", lambda: [])
    tool(tmp / "bin/with-pressure", PRESSURE.replace("@/", f"{tmp}/"))
    sort = (ROOT / "tests/fixtures/with-pressure/sort.xml").read_text(encoding="utf-8")
    (tmp / "good.xml").write_text(sort.replace('"ok"/>', '"ok"></verdict>'), encoding="utf-8")
    for side in ("b", "n"):
        (tmp / side).mkdir()
        tool(tmp / side / "tool", "#!/bin/sh\nexit\n")
    plan.can_report.cache_clear()
    path = suite(tmp, ("a", "tool x"), ("f", "sh -c 'exit 4'"), ("o", "sh -c 'exit 9'"))
    assert memstor("run", path, "-o", "o", "--base-bin", "b", "--new-bin", "n", "--label", "l=m")[0] == 1
    plan.can_report.cache_clear()
    first, second = (tmp / "pressed").read_text().splitlines()[:2]
    labels = "--label suite=s --label step=a --label l=m --label run=1"
    assert first == second == f"--quiet -f report.xml {labels} -- tool x"
    assert states(tmp / "o") == {
        f"{side}/{name}": state
        for side in ("base", "new")
        for name, state in (
            ("a 1", "done"),
            ("f 1", "failed: exit status 4"),
            ("o 1", "untrustworthy: oom: x"),
        )
    }
    assert memstor("compare", "o/base/a", "o/new/a")[0] != 2
    # Its own time, without with-pressure's start and end.
    assert {entry["seconds"] for entry in entries(tmp / "o") if entry.get("state") == "done"} == {0.039679934}


def test_metrics_of_a_step_are_in_its_report_and_compared(tmp, memstor, monkeypatch):
    """By a real with-pressure's report, which this one hands out."""
    monkeypatch.undo()
    monkeypatch.chdir(tmp)
    monkeypatch.setenv("PATH", f"{tmp}/bin:/usr/bin:/bin")
    monkeypatch.setattr(programs, "_own", lambda: [])
    tool(tmp / "bin/with-pressure", PRESSURE.replace("@/", f"{tmp}/"))
    sort = (ROOT / "tests/fixtures/with-pressure/sort.xml").read_text(encoding="utf-8")
    (tmp / "good.xml").write_text(re.sub("<uuid>.*</uuid>", "<uuid>UUID</uuid>", sort), encoding="utf-8")
    for side, took in (("b", 9), ("n", 12)):
        (tmp / side).mkdir()
        tool(tmp / side / "timed", f"#!/bin/sh\necho '{{\"took\": [{took}]}}'\n")
    lines = [
        "runs = 4",
        "metric.took = {json = 'took.0', unit = 'ms'}",
        "metric.digits = {regex = '([0-9]+)\\]', better = 'higher'}",
    ]
    plan.can_report.cache_clear()
    try:
        path = suite(tmp, ("a", "timed", *lines, "gate = ['metric.took<+5%', 'metric.digits>11']"))
        both = ("--base-bin", "b", "--new-bin", "n")
        status, out, _ = memstor("run", path, "-o", "o", *both)
        assert status == 1 and "metric.took<+5%: failed" in out, out
        assert report.read_file("o/new/a/1/report.xml").values["metric.took"].unit == "ms"
        assert memstor("validate", "o")[0] == 0
        assert "metric.took,ms,9.0\n" in memstor("convert", "--to", "csv", "--what", "values", "o/base")[1]
        _, out, _ = memstor("compare", "o/base/a", "o/new/a")
        assert re.search("metric.took +9.00 ms +12.0 ms +[+]33.3 %.* slower", out), out
        assert re.search("metric.digits +9.00 +12.0 +[+]33.3 %.* faster", out), out
        status, _, err = memstor("compare", "o/base/a", "o/new/a", "--gate", "metric.digits<5%")
        assert status == 2 and "of this metric higher is better" in err
        status, _, err = memstor("compare", "o/base/a", "o/new/a", "--metric", "metric.none")
        assert status == 2 and "no compared report has it" in err
        # A suite that says otherwise what is better is not compared with the first.
        path = suite(tmp, ("a", "timed", "metric.took = {json = 'took.0', better = 'higher'}"))
        assert memstor("run", path, "-o", "p", *both)[0] in (0, 4)
        status, _, err = memstor("compare", "o/base/a", "p/new/a")
        assert status == 5 and "metric.took: higher is better" in err
        path = suite(tmp, ("a", "timed", "metric.took = {regex = 'took: ([0-9]+)'}"))
        assert memstor("run", path, "-o", "q", *both)[0] == 1
        why = "failed: metric.took: its output has no such number"
        assert states(tmp / "q") == {"base/a 1": why, "new/a 1": why}
        status, _, err = memstor("run", suite(tmp, ("a", "pmbench", "metric.x = {json = 'x'}")), "-o", "r")
        assert status == 2 and "s.toml:" in err and "pmbench has a report of its own" in err
    finally:
        plan.can_report.cache_clear()


def test_steps_of_a_loop_are_told_the_command_that_compares_two(tmp, memstor):
    path = suite(tmp, ("cluster-{c}", "pmbench {c}", "for.c = [0, 3, 4]"), ("b", "pmbench"))
    _, out, _ = memstor("run", path, "-o", "o")
    assert "Compare two steps: memstor compare o/cluster-0 o/cluster-3\n" in out
    _, out, _ = memstor("run", suite(tmp, ("a", "pmbench"), ("b", "pmbench")), "-o", "p")
    assert "Compare two steps" not in out


def test_one_command(tmp, memstor):
    status, out, _ = memstor("run", "-o", "o", "--runs", 2, "--", "echo", "-n", "{x}", "{{", "--runs")
    assert status == 0 and (tmp / "o/echo/2/stdout").read_text() == "{x} {{ --runs"
    tool(tmp / "here", "#!/bin/sh\npwd\n")
    assert memstor("run", "-o", "p", "--", "./here")[0] == 0
    assert (tmp / "p/here/1/stdout").read_text() == f"{tmp}\n"
    assert memstor("run", "-o", "q", "--", "pmbench", "fail")[0] == 1
    status, out, _ = memstor("run", "-o", "r", "--", "false")
    assert out.endswith("Continue with the rest: memstor run -o r --resume -- false\n")


def test_results_of_other_steps(tmp, memstor):
    tool(
        tmp / "bin/iowrite-bench",
        """#!/bin/sh
command=$1; shift
while [ $# -gt 0 ]; do
	case $1 in
	-f|-o) output=$2; shift ;;
	--label) shift ;;
	--dry-run) echo $command >>@/checks; exit ;;
	*) words="$words $1" ;;
	esac
	shift
done
echo "$command$words" >>@/said
echo 1 >ops.csv
case $command in calibrate) echo '<iowritesystem/>' >$output ;; *) cp @/good.xml $output ;; esac
""".replace(
            "@", str(tmp)
        ),
    )
    path = suite(
        tmp,
        ("cal", "iowrite-bench calibrate", "runs = 2"),
        ("judge", "iowrite-bench evaluate --system={cal} {ops/ops.csv}"),
        ("ops", "iowrite-bench run --ops-csv=ops.csv", "runs = 1"),
        head="runs = 3",
    )
    assert memstor("run", path, "-o", "o")[0] == 0
    assert (tmp / "said").read_text().splitlines() == [
        "calibrate",
        "run --ops-csv=ops.csv",
        "evaluate --system=../../cal/1/system.xml ../../ops/1/ops.csv",
        "calibrate",
        "evaluate --system=../../cal/2/system.xml ../../ops/1/ops.csv",
    ]
    assert states(tmp / "o")["judge 1"].startswith("skipped: it takes ops.csv of step ops, which has none")
    assert (tmp / "checks").read_text() == "calibrate\nrun\n" and (tmp / "o/ops/1/ops.csv").exists()
    assert memstor("run", path, "-o", "p", "--step", "judge")[0] == 3


# --- sides ---


def test_sides_of_programs_and_environment(tmp, memstor):
    for side in ("base", "new"):
        (tmp / f"{side}-bin").mkdir()
        tool(tmp / f"{side}-bin/pmbench", (tmp / "bin/pmbench").read_text())
        tool(tmp / f"{side}-bin/tool", f"#!/bin/sh\necho $SIDE tool of {side} >>{tmp}/log\n")
    path = suite(tmp, ("a", "pmbench", "gate = ['p99<+5%']"), ("b", "sh -c tool"))
    sides = "--base-bin base-bin --new-bin new-bin --base-env SIDE=B- --new-env SIDE=N-".split()
    status, out, err = memstor("run", path, "--runs", 2, *sides, "-o", "o")
    assert f"warning: step base/b: sh is not in {tmp}/base-bin: " in err
    assert log(tmp) == [
        *("B-a 1", "N-a 1", "B- tool of base", "N- tool of new"),
        *("N- tool of new", "B- tool of base", "N-a 2", "B-a 2"),
    ]
    reports = sorted(str(of.relative_to(tmp)) for of in (tmp / "o").rglob("*.xml"))
    assert reports == [f"o/{side}/a/{number}/report.xml" for side in ("base", "new") for number in (1, 2)]
    assert "Compare the two: memstor compare o/base o/new '--gate=a:p99<+5%'\n" in out
    assert memstor("compare", "o/base", "o/new")[0] != 2


def test_sides_of_settings(tmp, memstor):
    tool(
        tmp / "bin/with-pressure",
        f'#!/bin/sh\necho "$*" >>{tmp}/pressed\nwhile [ "$1" != -- ]; do shift; done\nshift\nexec "$@"\n',
    )
    path = suite(tmp, ("a", "pmbench"))
    status, out, _ = memstor(
        "run", path, "-o", "o", "--base-set", "/proc/sys/vm/a=1", "--new-set", "/proc/sys/vm/a=9"
    )
    assert status == 0 and log(tmp) == ["a 1", "a 1"]
    pressed = [line.split(" -- ")[0] for line in (tmp / "pressed").read_text().splitlines() if "-f" in line]
    assert pressed == ["--quiet --set /proc/sys/vm/a=1", "--quiet --set /proc/sys/vm/a=9"]
    assert "memstor compare o/base o/new --allow-different=machine\n" in out


SLOWER = """#!/bin/sh
[ "$1" = --dry-run ] && exit
while [ "$1" != -f ]; do shift; done
report=$2
n=$(cat @/count-$SIDE 2>/dev/null || echo 0)
echo $((n + 1)) >@/count-$SIDE
rate=$(($BASE + n * 37 % 100))
sed "s/<uuid>......../<uuid>$(printf %08x $$)/
	s|<accesses_per_second>[^<]*|<accesses_per_second>$rate|" @/good.xml >"$report"
"""


@pytest.mark.parametrize(
    "gate, new, most, runs, status, state",
    [
        ("throughput>-5%", 5000, 12, 3, 1, "failed"),
        ("throughput>-60%", 5000, 12, 3, 0, "passed"),
        ("throughput>-0.1%", 9990, 5, 5, 4, "inconclusive"),
    ],
)
def test_until_decided(tmp, memstor, gate, new, most, runs, status, state):
    tool(tmp / "bin/pmbench", SLOWER.replace("@", str(tmp)))
    path = suite(tmp, ("a", "pmbench", f"gate = ['{gate}']", "runs = 2"))
    sides = [
        "--base-env",
        "SIDE=b",
        "--base-env",
        "BASE=10000",
        "--new-env",
        "SIDE=n",
        "--new-env",
        f"BASE={new}",
    ]
    ended, out, _ = memstor("run", path, "-o", "o", *sides, "--until", "decided", "--runs-most", most)
    assert f"a: gate {gate}: {state}\n" in out and ended == status
    assert len(states(tmp / "o")) == 2 * runs


def test_more_rounds_do_not_help_against_what_is_never_compared(tmp, memstor):
    """The reports have no such metric."""
    path = suite(tmp, ("a", "pmbench", "gate = ['sync.p99<+5%']", "runs = 2"))
    sides = ["--base-env", "A=1", "--new-env", "A=2"]
    status, out, _ = memstor("run", path, "-o", "o", *sides, "--until", "decided", "--runs-most", 3)
    assert status == 4 and "a: gate sync.p99<+5%: not compared: --gate sync.p99<+5%: no compared" in out
    assert len(log(tmp)) == 4


# --- ends, signals, --resume ---


def test_retry(tmp, memstor):
    path = suite(tmp, ("a", "pmbench flaky"), ("b", "pmbench untrusted"))
    status, _, _ = memstor("run", path, "-o", "o", "--retry", 2)
    assert status == 4 and log(tmp) == ["a 1", "a 1", "b 1", "b 1", "b 1"]
    assert states(tmp / "o") == {"a 1": "done", "b 1": "untrustworthy: steal: stolen"}


def test_resume_repeats_untrustworthy_runs(tmp, memstor):
    path = suite(tmp, ("a", "pmbench flaky"), ("b", "pmbench"))
    assert memstor("run", path, "-o", "o")[0] == 4 and log(tmp) == ["a 1", "b 1"]
    assert memstor("run", path, "-o", "o", "--resume")[0] == 0 and log(tmp) == ["a 1"]


def test_resume_repeats_failed_runs_after_warmups(tmp, memstor):
    path = suite(tmp, ("a", "pmbench"), ("b", "pmbench"), ("c", "pmbench fail"))
    assert memstor("run", path, "-o", "o", "--runs", 2, "--warmup", 1)[0] == 1
    log(tmp)
    (tmp / "o/b/2/report.xml").unlink()
    assert memstor("run", path, "-o", "o", "--runs", 2, "--warmup", 1, "--resume")[0] == 1
    assert log(tmp) == ["b 1", "c 1", "c 1", "c 2", "b 2"]
    assert memstor("run", path, "-o", "o", "--runs", 2, "--warmup", 1, "--resume")[0] == 1
    assert log(tmp) == ["c 1", "c 1", "c 2"]


def test_resume_refuses_what_differs(tmp, memstor):
    path = suite(tmp, ("a", "pmbench"))
    memstor("run", path, "-o", "o", "--runs", 2, "--label", "a=b")
    for arguments, part in (
        (["--runs", "3", "--label", "a=b"], "--runs was '2' and is '3' now"),
        (["--runs", "2"], "--label was '['a=b']' and is not given now"),
        (
            ["--runs", "2", "--label", "a=b", "--base-env", "A=1"],
            "--base-env was not given and is '['A=1']' now",
        ),
    ):
        status, _, err = memstor("run", path, "-o", "o", "--resume", *arguments)
        assert (status, err) == (2, f"memstor: --resume: o/index.jsonl: {part}\n")
    index = tmp / "o/index.jsonl"
    text = index.read_text()
    kernel = os.uname().release
    index.write_text(text.replace(f'"the kernel": "{kernel}"', '"the kernel": "1.2"'))
    assert (
        f"the kernel was '1.2' and is '{kernel}' now"
        in memstor("run", path, "-o", "o", "--resume", "--runs", 2, "--label", "a=b")[2]
    )
    for damaged, part in (
        (text.replace('"index": 3', '"index": 2'), "o/index.jsonl:1: has version 2, known is 3"),
        (text.replace("{", "[", 1), "o/index.jsonl:1: is no line of an index"),
        ("7\n", "o/index.jsonl:1: is no line of an index"),
        (text.replace('"step": ', '"step": [], "x": '), "o/index.jsonl:2: is no line of an index"),
    ):
        index.write_text(damaged)
        assert part in memstor("run", path, "-o", "o", "--resume")[2]
    index.write_text(text)
    (tmp / "s.toml").write_text((tmp / "s.toml").read_text() + "# x\n")
    assert (
        "is not the suite of the earlier run, which is in o/index.jsonl"
        in memstor("run", path, "-o", "o", "--resume")[2]
    )


def test_resume_cuts_off_a_torn_line(tmp, memstor):
    path = suite(tmp, ("a", "pmbench"), ("b", "pmbench"))
    memstor("run", path, "-o", "o")
    log(tmp)
    lines = (tmp / "o/index.jsonl").read_bytes().splitlines(keepends=True)
    (tmp / "o/index.jsonl").write_bytes(b"".join(lines[:2]) + lines[2][:20])
    assert memstor("run", path, "-o", "o", "--resume")[0] == 0 and log(tmp) == ["b 1"]
    assert states(tmp / "o") == {"a 1": "done", "b 1": "done"}
    assert memstor("run", path, "-o", "fresh", "--resume")[0] == 0


def test_time_limit(tmp, memstor):
    path = suite(tmp, ("slow", "pmbench wait", "time_limit = '200ms'"), ("next", "pmbench"))
    status, _, _ = memstor("run", path, "-o", "o")
    limit = "overrun: it was ended when its time limit of 200 ms was used up"
    assert status == 1 and states(tmp / "o") == {"slow 1": limit, "next 1": "done"}
    # By SIGTERM: it could have written a report.
    assert all(entry.get("exit_status") != -signal.SIGKILL for entry in entries(tmp / "o"))
    assert not (tmp / "pid").exists() or not is_running(pid_in(tmp))


def test_what_a_program_leaves_ends(tmp, memstor):
    assert memstor("run", suite(tmp, ("a", "pmbench leave")), "-o", "o")[0] == 0
    assert not is_running(pid_in(tmp))


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_signals_leave_a_resumable_folder(tmp, memstor, number):
    path = suite(tmp, ("first", "pmbench"), ("second", "pmbench wait"), ("third", "pmbench"))
    running = start(path, "-o", "o")
    pid = pid_in(tmp)
    running.send_signal(number)
    out, err = running.communicate(timeout=HANG_S)
    assert running.returncode == 4 and "Traceback" not in err and not is_running(pid)
    assert states(tmp / "o") == {"first 1": "done", "second 1": "interrupted"}
    assert entries(tmp / "o")[-1]["state"] == "interrupted"
    assert 'status="interrupted"' in (tmp / "o/second/1/report.xml").read_text()
    assert "Interrupted: finished runs are kept.\n" in out
    assert out.endswith("Continue with the rest: memstor run ./s.toml -o o --resume\n")
    log(tmp)
    (tmp / "go").touch()
    assert memstor("run", path, "-o", "o", "--resume")[0] == 0 and log(tmp) == ["second 1", "third 1"]


def test_kill_and_resume(tmp, memstor):
    path = suite(tmp, ("first", "pmbench"), ("second", "pmbench wait"))
    running = start(path, "-o", "o")
    pid = pid_in(tmp)
    status, _, err = memstor("run", path, "-o", "o", "--resume")
    assert (status, err) == (2, "memstor: -o o: another memstor run uses it\n")
    running.kill()
    running.communicate()
    until(lambda: not is_running(pid))
    log(tmp)
    (tmp / "go").touch()
    assert memstor("run", path, "-o", "o", "--resume")[0] == 0
    assert log(tmp) == ["second 1"]
    assert states(tmp / "o") == {"first 1": "done", "second 1": "done"}


def test_kill_ends_the_group_of_the_program_also_what_is_deaf(tmp):
    tool(tmp / "deaf", f"#!/bin/sh\ntrap '' TERM\nsleep 600 &\necho $! >{tmp}/pid\nwait\n")
    running = start("-o", "o", "--", "./deaf", grace_s=0.1)
    pid = pid_in(tmp)
    assert is_running(pid)
    running.kill()
    running.communicate()
    until(lambda: not is_running(pid))


def test_kill_right_after_the_start_ends_the_program(tmp):
    tool(tmp / "deaf", f"#!/bin/sh\ntrap '' TERM\necho $$ >{tmp}/pid\nsleep 600\n")
    running = start("-o", "o", "--", "./deaf", grace_s=0.1, before=DIES)
    running.communicate()
    until(lambda: not (tmp / "pid").exists() or not is_running(pid_in(tmp)))


def test_resume_waits_for_the_program_of_a_killed_run(tmp):
    loop = f"while [ ! -e {tmp}/go ]; do sleep 0.02; done"
    tool(tmp / "deaf", f"#!/bin/sh\ntrap '' TERM\necho $$ >{tmp}/pid\n{loop}\n")
    running = start("-o", "o", "--", "./deaf")
    pid = pid_in(tmp)
    running.kill()
    running.communicate()
    with open(tmp / "err", "wb") as file:
        running = start("-o", "o", "--resume", "--", "./deaf", stderr=file)
    until(lambda: "waiting for the program of a killed run" in (tmp / "err").read_text())
    (tmp / "go").touch()
    running.communicate(timeout=HANG_S)
    assert running.returncode == 0 and not is_running(pid)


def test_a_second_interrupt_kills(tmp):
    tool(
        tmp / "deaf",
        f"#!/bin/sh\ntrap 'touch {tmp}/heard' INT TERM\necho $$ >{tmp}/pid\nwhile :; do sleep 0.02; done\n",
    )
    running = start("-o", "o", "--", "./deaf")
    pid = pid_in(tmp)
    running.send_signal(signal.SIGINT)
    until((tmp / "heard").exists)
    running.send_signal(signal.SIGINT)
    out, err = running.communicate(timeout=HANG_S)
    assert running.returncode == 4 and "Interrupted: finished runs are kept.\n" in out
    assert states(tmp / "o") == {"deaf 1": "interrupted"} and not is_running(pid)


def test_a_bar_on_a_terminal(tmp):
    end, terminal = os.openpty()
    path = suite(tmp, ("a", "pmbench"), ("b", "pmbench fail"))
    running = start(path, "-o", "o", stderr=terminal)
    os.close(terminal)
    running.communicate(timeout=HANG_S)
    shown = b""
    with contextlib.suppress(OSError):  # the other end is closed
        while data := os.read(end, 4096):
            shown += data
    os.close(end)
    assert b"memstor: [2/2] b run 1: failed" in shown and b"a run 1: done" not in shown and b"\x1b[" in shown


# --- lists ---


def test_lists(tmp, memstor):
    status, out, _ = memstor("run", "--list")
    assert status == 0 and re.search(r"^smoke +Run every way of measuring once", out, re.MULTILINE)
    path = suite(
        tmp,
        ("a", "pmbench 'x y'", "needs = ['cpus:1']", "warmup = 1"),
        ("b", "pmbench cannot"),
        head="runs = 2",
    )
    status, out, _ = memstor("run", path, "-n", "-o", "o")
    assert (status, out.splitlines()) == (
        0,
        [
            *("suite s", "results in o", "a: pmbench 'x y'"),
            *("    2 runs after 1 warm-up, each at most 10.0 min; needs cpus:1", "b: pmbench cannot"),
            *("    2 runs, each at most 10.0 min", "    would be skipped: this host has no such thing"),
            *("order: a (warm-up) a a", "at most 30.0 min"),
        ],
    )
    assert not (tmp / "o").exists() and not log(tmp)


def test_default_folder(tmp, memstor):
    memstor("run", suite(tmp, ("a", "pmbench")))
    assert [name for name in os.listdir(tmp) if re.fullmatch(r"s-20\d{6}-\d{6}", name)]
