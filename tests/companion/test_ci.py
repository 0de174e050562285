# SPDX-License-Identifier: GPL-3.0-or-later
"""memstor compare --junit and --github: what the readers of these formats see of a comparison."""

import re

import junitparser
import pytest
from hostile import TEXTS
from hypothesis import given, settings
from test_compare import FIVE, NOISY, SLOW, group, report

from memstor import ci, metric
from memstor.compare import Request, compare_runs
from memstor.error import clean
from memstor.metric import Metric, Number, Row
from memstor.pairing import Run
from memstor.verdicts import headline

STEPS = {"same": FIVE, "slow": SLOW, "noisy": NOISY}
COMMAND = re.compile(r"::(error|warning|notice) title=([^\r\n:,]*)::([^\r\n]*)")


@pytest.fixture
def memstor(tmp_path, monkeypatch, memstor):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    return lambda *words: memstor("compare", *words)


def runs_of(folder, steps, **other):
    for step, factors in steps.items():
        group(folder / step, factors, step=step, options=f'<option name="k">{step}</option>', **other)


@pytest.fixture
def sides(tmp_path):
    """base and new, with a step that is the same, one that is slower, and a noisy one."""
    runs_of(tmp_path / "base", dict.fromkeys(STEPS, FIVE))
    runs_of(tmp_path / "new", STEPS)
    return tmp_path


def run(side, number, step, values, fact="fact", doubt=""):
    """In memory. values: of metrics by name, of which those of the step have the unit fact."""
    own = {n: Metric(n, Row(n, "value", "lower", fact)) for n in values if n.startswith("metric.")}
    return Run(
        path=f"{side}{number}",
        tool="tool",
        version="1",
        uuid="",
        boot="",
        start="",
        options={"k": step},
        labels={"step": step},
        facts={fact: fact},
        doubt=clean(doubt),
        numbers={name: Number(value, value, value) for name, value in values.items()},
        usual=list(values),
        own=own,
    )


def cases_of(path="j.xml"):
    """By suite and name: the one result, "" of a case that passed, and its message."""
    document = junitparser.JUnitXml.fromfile(str(path))
    found = {}
    for suite in document:
        counts = {"failure": suite.failures, "error": suite.errors, "skipped": suite.skipped}
        cases = {case.name: [(one._tag, one.message) for one in case.result] for case in suite}
        assert len(suite) == suite.tests == len(cases) and all(len(of) < 2 for of in cases.values())
        states = {name: of[0] if of else ("", "") for name, of in cases.items()}
        assert all([s for s, _ in states.values()].count(what) == count for what, count in counts.items())
        assert {case.classname for case in suite} == {suite.name}
        found[suite.name] = states
    document.update_statistics()
    before = junitparser.JUnitXml.fromfile(str(path))
    assert (before.tests, before.failures, before.errors) == (
        document.tests,
        document.failures,
        document.errors,
    )
    return found


# --- JUnit ---


def test_a_suite_a_step_and_a_case_a_metric(memstor, sides):
    status, out, _ = memstor("base", "new", "--junit", "j.xml")
    assert status == 1 and out.startswith("5 of 15 metrics slower")
    found = cases_of()
    assert {step: {state for state, _ in of.values()} for step, of in found.items()} == {
        "same": {""},
        "slow": {"failure"},
        "noisy": {"skipped"},
    }
    assert list(found["slow"]) == ["throughput", "mean", "read.p50", "read.p99", "read.p99.9"]
    # More is better, and it is less.
    assert re.match(
        r"slower: -9\.09 % \(-9\.\d+ to -8\.\d+\), base 996 k/s, new 905 k/s", found["slow"]["throughput"][1]
    )
    assert re.match(r"inconclusive, \d+ more runs for 2 %: \+9", found["noisy"]["mean"][1])
    (suite, *_) = junitparser.JUnitXml.fromfile("j.xml")
    facts = {one.name: one.value for one in suite.properties()}
    assert facts["cpu_model"] == "Fake" and facts["release"] == "6.1" and facts["new.runs"] == "5"


def test_more_bandwidth_is_no_failure(memstor, tmp_path):
    runs_of(tmp_path / "base", {"a": SLOW})
    runs_of(tmp_path / "new", {"a": FIVE})
    assert memstor("base", "new", "--junit=j.xml")[0] == 0
    assert {state for state, _ in cases_of()["a"].values()} == {""}


@pytest.mark.parametrize("factors", [*STEPS.values(), FIVE[:1]], ids=[*STEPS, "one run"])
@pytest.mark.parametrize("gates", [[], ["mean<+5%"], ["mean<+50%", "throughput>-20%"], ["p99<1us"]])
def test_a_failure_is_the_status_1(memstor, tmp_path, factors, gates):
    group(tmp_path / "a", FIVE)
    group(tmp_path / "b", factors)
    status, _, _ = memstor("a", "b", "--junit", "j.xml", *(f"--gate={gate}" for gate in gates))
    (cases,) = cases_of().values()
    states = [state for state, _ in cases.values()]
    assert ("failure" in states) == (status == 1) and (status != 4 or "skipped" in states)
    assert not gates or list(cases) == gates


def test_untrustworthy_runs_are_errors_if_they_are_compared(memstor, sides):
    report(
        sides / "new/same/x.xml",
        step="same",
        status="untrustworthy",
        reason="noisy",
        options='<option name="k">same</option>',
    )
    assert memstor("base", "new", "--junit", "j.xml")[0] == 1
    assert cases_of()["left out"] == {"new/same/x.xml": ("skipped", "it is untrustworthy: noisy")}
    assert memstor("base", "new", "--junit", "j.xml", "--force")[0] == 4
    found = cases_of()
    assert {state for state, _ in found["same"].values()} == {"error"} and "left out" not in found
    assert found["same"]["mean"][1].startswith("not trustworthy: untrustworthy: noisy; ")
    assert {state for state, _ in found["slow"].values()} == {"failure"}


def test_a_step_that_is_not_in_new_is_an_error(memstor, sides):
    for path in (sides / "new/slow").iterdir():
        path.unlink()
    assert memstor("base", "new", "--junit", "j.xml")[0] == 4
    assert cases_of()["slow"] == {
        "runs in NEW": ("error", "5 runs in BASE, but none in NEW that can be compared")
    }
    memstor("base", "new", "--junit", "j.xml", "--allow-different=sets")
    assert list(cases_of()) == ["noisy", "same"]


def test_at_most_8_metrics_a_step_and_what_is_slower_among_them(tmp_path):
    names = [f"metric.m{n}" for n in range(12)]
    sides = [
        [
            run(side, n, "s", {name: f * (last if name == names[11] else 1) for name in names})
            for n, f in enumerate(FIVE)
        ]
        for side, last in (("a", 1), ("b", 1.3))
    ]
    for metrics, count in (([], 8), (names, 12)):
        request = Request(metrics=metric.asked("--metric", metrics))
        (tmp_path / "j.xml").write_text(ci.junit_of(compare_runs(request, *sides)))
        (cases,) = cases_of(tmp_path / "j.xml").values()
        assert len(cases) == count
        assert [name for name, (state, _) in cases.items() if state == "failure"] == [names[11]]


def test_what_may_be_chance_is_skipped(tmp_path):
    result = compare_runs(
        Request(),
        *([run(s, n, "s", {"wall": f}) for n, f in enumerate(of)] for s, of in (("a", FIVE), ("b", SLOW))),
    )
    result.rows[0].change.holds = False
    (tmp_path / "j.xml").write_text(ci.junit_of(result))
    assert cases_of(tmp_path / "j.xml")["s"]["wall"][0] == "skipped"


def test_a_bound_stays_a_bound(memstor, tmp_path):
    one = '<latency_histogram type="read" class="all" layout="log16" unit="ns"><summary><count>9</count>'
    one += "<min_ns>10</min_ns><mean_ns>50</mean_ns><max_ns>255</max_ns></summary>"
    one += '<bucket lo="0" hi="256" count="9"/></latency_histogram>'
    for side in "ab":
        for i in range(5):
            path = report(tmp_path / side / f"{i}.xml")
            path.write_text(re.sub("<latency_histogram.*</latency_histogram>", one, path.read_text()))
    memstor("a", "b", "--junit", "j.xml", "--metric=p50")
    (cases,) = cases_of().values()
    assert cases["p50"][0] != "failure" and cases["p50"][1].endswith("base <256 ns, new <256 ns")


def test_junit_replaces_junit_and_no_report(memstor, sides):
    assert [memstor("base", "new", "--junit", "j.xml")[0] for _ in range(2)] == [1, 1]
    theirs = next((sides / "base/same").iterdir())
    before = theirs.read_text()
    status, _, err = memstor("base", "new", "--junit", theirs)
    assert status == 3 and "content of another kind" in err and theirs.read_text() == before


# --- GitHub ---


def parsed(line):
    """As the runner reads a command."""
    level, title, text = COMMAND.fullmatch(line).groups()
    for code, character in (("%3A", ":"), ("%2C", ","), ("%0D", "\r"), ("%0A", "\n"), ("%25", "%")):
        title = title.replace(code, character)
        text = text.replace(code, character) if character not in ":," else text
    return level, title, text


def test_the_verdict_comes_first_and_then_what_failed(memstor, sides):
    status, out, _ = memstor("base", "new", "--github")
    lines = out.splitlines()
    end = next(i for i, line in enumerate(lines) if line.startswith("::stop-commands::"))
    first, *others = map(parsed, lines[:end])
    assert status == 1 and first[:2] == ("error", "memstor compare") and first[2] == lines[end + 1]
    assert [one[:2] for one in others][:2] == [("error", "slow throughput"), ("error", "slow mean")]
    assert len(others) == 5 and others[0][2].startswith("slower: -9.09 % (")
    assert lines[-1] == f"::{lines[end].removeprefix('::stop-commands::')}::"
    assert lines[end + 1 : -1] == memstor("base", "new")[1].splitlines()


@pytest.mark.parametrize(
    "new, gates, levels",
    [
        ("same", [], ["notice"]),
        ("noisy", [], ["warning"]),
        ("noisy", ["mean<+5%"], ["warning", "warning"]),
        ("slow", ["mean<+5%", "mean<+50%"], ["error", "error"]),
    ],
)
def test_levels(memstor, sides, new, gates, levels):
    _, out, _ = memstor(
        "base/same", f"new/{new}", "--allow-different=k", "--github", *(f"--gate={g}" for g in gates)
    )
    assert [parsed(line)[0] for line in out.split("::stop-commands")[0].splitlines()] == levels


def test_errors_come_before_warnings(memstor, sides):
    _, out, _ = memstor("base", "new", "--github", "--gate=mean<+5%")
    found = [parsed(line)[:2] for line in out.split("::stop-commands")[0].splitlines()]
    assert found[1:] == [("error", "slow mean<+5%"), ("warning", "noisy mean<+5%")]


def test_at_most_10_annotations(memstor, tmp_path):
    steps = [f"s{i}" for i in range(4)]
    runs_of(tmp_path / "base", dict.fromkeys(steps, FIVE))
    runs_of(tmp_path / "new", dict.fromkeys(steps, SLOW))
    _, out, _ = memstor("base", "new", "--github")
    found = [parsed(line) for line in out.split("::stop-commands")[0].splitlines()]
    assert len(found) == 10 and found[-1] == (
        "notice",
        "memstor compare",
        "12 more: see the summary of the job",
    )


def test_what_is_refused_is_annotated(memstor, tmp_path):
    group(tmp_path / "a", FIVE)
    group(tmp_path / "b", FIVE, pattern="zipf")
    status, out, err = memstor("a", "b", "--github")
    assert status == 5 and parsed(out.strip())[:2] == ("error", "memstor compare")
    assert "--allow-different=pattern" in out and "--allow-different=pattern" in err


def test_the_summary_is_appended(memstor, sides, monkeypatch):
    (sides / "summary").write_text("before\n")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", "summary")
    _, _, err = memstor("base", "new", "--github", "--markdown=m.md")
    markdown = (sides / "m.md").read_text()
    assert not err and (sides / "summary").read_text() == f"before\n{markdown}\n"
    monkeypatch.setattr(ci, "SUMMARY_MAX", 900)
    memstor("base", "new", "--github")
    memstor("base", "new", "--github")
    text = (sides / "summary").read_text()
    monkeypatch.setattr(ci, "SUMMARY_MAX", 4000)
    memstor("base", "new", "--github")
    assert (sides / "summary").stat().st_size <= 4000
    assert (sides / "summary").read_text().startswith(text)
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", "none/summary")
    status, _, err = memstor("base", "new", "--github")
    assert (
        status == 3
        and err == "memstor: GITHUB_STEP_SUMMARY none/summary: cannot be written: No such file or directory\n"
    )


def test_one_output_goes_to_standard_output(memstor, sides):
    status, out, err = memstor("base", "new", "--github", "--junit=-")
    assert (status, out, err.count("\n")) == (2, "", 1) and "--github" in err


# --- hostile names ---


@settings(max_examples=50)
@given(TEXTS, TEXTS, TEXTS, TEXTS)
def test_hostile_names_stay_texts(tmp_path_factory, step, name, fact, doubt):
    sides = [
        [
            run(side, n, step, {"throughput": 1 / f, f"metric.{name}": f}, fact, doubt)
            for n, f in enumerate(of)
        ]
        for side, of in (("a", FIVE), ("b", SLOW))
    ]
    result = compare_runs(Request(is_forced=True), *sides)
    path = tmp_path_factory.getbasetemp() / "hostile.xml"
    path.write_text(ci.junit_of(result), encoding="utf-8")
    ((suite, cases),) = cases_of(path).items()
    assert suite == clean(step) and list(cases) == ["throughput", clean(f"metric.{name}")]
    assert all(clean(doubt) in message for _, message in cases.values())
    (first, *others) = map(parsed, ci.commands_of(result))
    assert first[2] == clean(headline(result)) and [text for _, _, text in others] == [
        t for _, t in cases.values()
    ]
    assert first[0] == "warning" and len(others) == 2 and all(level == "error" for level, _, _ in others)
    assert others[1][1] == clean(f"{step} metric.{name}")
