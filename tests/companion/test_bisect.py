# SPDX-License-Identifier: GPL-3.0-or-later
"""memstor bisect, run by git, of programs that print invented costs: nothing is timed."""

import re
from functools import partial

import pytest

SUITE = """[[step]]
name = "sort"
run = "probe"
metric.cost = {regex = "cost ([0-9]+)", unit = "ns"}
metric.rate = {regex = "cost ([0-9]+)", better = "higher"}
"""
# What a build makes: a program whose cost is LEVEL, and up to 6 % more by the number of the run.
PROBE = "run=${PWD##*/}\necho cost $((LEVEL + LEVEL * (run * 37 % 100) / 1600))\n"
WILD = "echo cost $((LEVEL / 2 + LEVEL * (${PWD##*/} % 2)))\n"  # half of it, or half more
# Of each commit the level; the seventh is 10 % slower.
LEVELS = (10000, 10100, 10000, 10050, 10000, 10000, 11000, 11020, 11050)
BISECT = "memstor bisect --suite ../perf.toml --step sort --metric metric.cost --limit +5%"
BINS = "--base-bin ../good/out --new-bin out"
BUILD = f"{BINS} --build 'sh build.sh'"


WRONG = (
    "--most 0",
    "--step x",
    "--metric x",
    "--metric metric.x",
    "--limit 5",
    "--limit=-5%",
    "--suite ./none.toml",
)
WRONG += ("--base-bin none", "--base-bin ..", "--base-bin out", "--metric p99", "--most", "--new")


@pytest.fixture
def repository(tmp_path, shell):
    """Makes a clone, with the suite and a build of its first commit beside it, and runs a line in it.
    fifth: the program of the fifth commit, the first that git chooses; "" = it does not build."""

    def make(fifth=PROBE):
        (tmp_path / "clone").mkdir()
        (tmp_path / "perf.toml").write_text(SUITE, encoding="utf-8")
        run = partial(shell, folder=tmp_path / "clone")
        run("git init -q -b main && echo out >.gitignore")
        for number, level in enumerate(LEVELS, 1):
            text = fifth if number == 5 else PROBE
            lines = ["mkdir -p out", "cat >out/probe <<'END'", "#!/bin/sh", f"LEVEL={level}", text, "END"]
            lines += ["chmod +x out/probe", "exit 1" * (not text), f"# {number}"]
            (tmp_path / "clone/build.sh").write_text("\n".join(lines), encoding="utf-8")
            assert run(f"git add . && git commit -q -m {number} && git tag c{number}").returncode == 0
        run("mkdir ../good && git show c1:build.sh | (cd ../good && sh)")
        return run

    return make


@pytest.mark.parametrize(
    "fifth, why", [("", "--build ended with status 1$"), (WILD, ".*, 7 runs against 7; ")]
)
def test_git_names_the_commit_that_made_it_slower(repository, fifth, why):
    run = repository(fifth)
    run("git bisect start main c1")
    done = run(f"git bisect run {BISECT} {BUILD} --most 7")
    names = {
        name[:12]: number for number, name in enumerate(run("git rev-list --reverse main").stdout.split(), 1)
    }
    first = re.search(r"^(\w{12})\w* is the first bad commit$", done.stdout, re.M)
    assert done.returncode == 0 and names[first[1]] == 7, done.stdout
    answers = re.findall(r"^memstor: (\w{12}) (.*?): (.*)", done.stdout, re.M)
    said = {names[name]: (answer, text) for name, answer, text in answers}
    assert said[5][0] == "cannot be tested" and re.match(why, said[5][1])
    shown = r"metric.cost \+10.0 % \(.* to .*\), 5 runs against 5; reports are in .git/memstor-bisect/\w{12}$"
    assert said[7][0] == "bad" and re.match(shown, said[7][1])
    assert all(said[number][0] == ("good" if number < 7 else "bad") for number in said if number != 5)


@pytest.mark.parametrize("option", WRONG)
def test_what_is_wrong_has_the_status_that_ends_a_bisection(repository, option):
    done = repository()(f"{BISECT} {BUILD} {option}")
    lines = [line for line in done.stdout.splitlines() if "warning: " not in line]
    named = option.split("=")[0].split(" ")[-1 if "suite" in option else 0]
    # That a tool's metric is not in its reports is known when there are some.
    assert done.returncode == 128 and len(lines) == (11 if option == "--metric p99" else 1), done.stdout
    assert named in lines[-1]


def test_git_takes_what_is_wrong_for_no_answer(repository):
    run = repository()
    run("git bisect start main c1")
    done = run(f"git bisect run {BISECT} {BUILD} --step x")
    assert "exit code 128 from" in done.stdout and "is < 0 or >= 128" in done.stdout
    assert run("git bisect log | grep -v '^#' | wc -l").stdout == "1\n"  # the start


@pytest.mark.parametrize(
    "build, status, part",
    [
        ("true", 125, "/out: has no program probe, which step new/sort runs"),
        ("no-such-command", 125, "--build ended with status 127"),
        ("mkdir out; ln -s /bin/false out/probe", 125, "no run of NEW can be compared"),
        ("ln -sf /bin/false ../good/out/probe; sh build.sh", 128, "no run of base/sort has a result"),
    ],
)
def test_what_cannot_be_measured(repository, build, status, part):
    """125 if it is because of the commit; of base it is the same with all commits."""
    done = repository()(f"{BISECT} {BINS} --build '{build}'")
    assert (done.returncode, part in done.stdout.splitlines()[-1]) == (status, True), done.stdout


@pytest.mark.parametrize(
    "build",
    [
        "kill -INT $PPID; exec sleep 600",
        # From the program, below with-pressure.
        "sh build.sh; echo 'kill -INT $(cut -d \" \" -f 4 /proc/$PPID/stat); exec sleep 600' >>out/probe",
    ],
)
def test_an_interrupt_ends_the_bisection(repository, build):
    done = repository()(f'{BISECT} {BINS} --build "$BUILD"', BUILD=build)
    assert (done.returncode, done.stdout.splitlines()[-1]) == (130, "memstor: interrupted"), done.stdout
