# SPDX-License-Identifier: GPL-3.0-or-later
"""Suites in TOML: what is refused, with file and line, and what steps become of the rest."""

import os

import pytest
from conftest import ROOT
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memstor import needs, suite
from memstor.error import Problem

STEP = '[[step]]\nname = "a"\nrun = "pmbench 1"\n'
SHIPPED = sorted((ROOT / "suites").glob("**/*.toml"))


def steps_of(text, **values):
    return suite.parse("x/y.toml", text.encode(), values).steps


def words_of(step):
    return [suite.fill(word) for word in step.run]


def in_step(line):
    return f"about = 'x'\n{STEP}{line}\n"


@pytest.mark.parametrize(
    "text, line, part",
    [
        ("", 1, "a suite without a step"),
        (
            "about = 'x'\nstop = 1\n" + STEP,
            2,
            "'stop' is not allowed before the first step; allowed: about, set,",
        ),
        (in_step("about = 'y'"), 5, "'about' is not allowed in a step; allowed: runs,"),
        (STEP + "stop = 1", 4, "'stop' is not allowed in a step"),
        (STEP + STEP, 5, "step 'a': there is one of this name"),
        ('[[step]]\nname = "a"\nfor.x = [1, 2]\nrun = "b"', 2, "variables of for must be part of the name"),
        ('[[step]]\nname = "a"', 1, "a step without 'run'"),
        ('\n[[step]]\nrun = "a"', 2, "a step without 'name'"),
        ('[[step]]\nname = "../a"\nrun = "a"', 2, "step '../a': a name is of"),
        ('[[step]]\nname = "index.jsonl"\nrun = "a"', 2, "a name is of"),
        ('[[step]]\nname = ["a"]\nrun = "a"', 2, "name: must be a text"),
        ('[[step]]\nname = "a"\nrun = 7', 3, "run: must be a text, or a list of words"),
        ('[[step]]\nname = "a"\nrun = []', 3, "run: must be a text, or a list of words"),
        ('[[step]]\nname = "a"\nrun = " "', 3, "run: must be a text, or a list of words"),
        ('[[step]]\nname = "a"\nrun = "b \'c"', 3, "run: no closing quotation"),
        ('[[step]]\nname = "a"\nshell = true\nrun = ["a"]', 4, "run: must be a text, for the shell"),
        ('[[step]]\nname = "a"\nrun = "b {map}"', 3, "run: {map}: no such variable or step"),
        ('[[step]]\nname = "a-{x}"\nrun = "b"', 2, "name: {x}: no such variable"),
        ('[[step]]\nname = "a"\nrun = "b {a}"', 3, "run: {a}: a step cannot use its own result"),
        (in_step("env.A = '{x}'"), 5, "env: {x}: no such variable; there are: here"),
        (in_step("runs = 0"), 5, "runs: must be 1 to 1000"),
        (in_step("runs = true"), 5, "runs: must be 1 to 1000"),
        (in_step("warmup = 1001"), 5, "warmup: must be 0 to 1000"),
        (in_step("time_limit = '9ms'"), 5, "time_limit '9ms': must be a time from 10ms to 168h"),
        (in_step("time_limit = '169h'"), 5, "time_limit '169h': must be a time"),
        (in_step("time_limit = 'x'"), 5, "time_limit 'x': must be a time"),
        (in_step("time_limit = 40"), 5, "time_limit: must be a time"),
        (in_step("needs = ['fun']"), 5, "needs 'fun': not known; allowed: root swap"),
        (in_step("needs = ['root:1']"), 5, "needs 'root:1': it takes no value"),
        (in_step("needs = ['space']"), 5, "needs 'space': a size follows"),
        (in_step("needs = ['cpus:0']"), 5, "needs 'cpus:0': a number from 1 to 99999 follows"),
        (in_step("needs = ['program:a/b']"), 5, "needs 'program:a/b': a program's name follows"),
        (in_step("needs = 'root'"), 5, "needs: must be a list"),
        (in_step("for.map = []"), 5, "for: must be names with a list"),
        (in_step("for.map = 'x'"), 5, "for: must be names with a list"),
        (in_step("for.here = ['x']"), 5, "for.here: is set already"),
        (in_step("for.x = [1]\nfor.y = [true]"), 5, "for: must be names with a list"),
        (in_step("gate = ['p99<']"), 5, "gate"),
        (in_step("gate = ['nothing<5%']"), 5, "gate"),
        (
            in_step("metric.ops = {regex = '(1)'}\ngate = ['metric.ops2<5%']"),
            6,
            "gate 'metric.ops2<5%': the step has no metric.ops2; it has: metric.ops",
        ),
        (in_step("metric.x = {regex = '('}"), 5, "metric: must be as metric.NAME"),
        (in_step("metric.x = {unit = 'ns'}"), 5, "metric: must be as metric.NAME"),
        (in_step("metric.x = {json = 'a', better = 'more'}"), 5, "metric: must be as metric.NAME"),
        ("[set]\nx = [1]\n" + STEP, 1, "set: must be names with a text or number"),
        ("[set]\nhere = 1\n" + STEP, 2, "set.here: is set already"),
        ("step = 7", 1, "step: must be tables: [[step]]"),
        ("step = [7]", 1, "step: must be tables: [[step]]"),
        ("a = ", 1, "Invalid value"),
        ("a = 1\na = 2\n", 2, "Cannot overwrite a value"),
        ("about = '''\n[[step]]\n'''\n" + STEP + "stop = 1", 7, "'stop' is not allowed in a step"),
        (in_step(r'env.A = "\u0000"'), 5, "env: must be names"),
        ("a = " + "[" * 5000, 1, "nested too deeply"),
        (
            '[[step]]\nname = "{a}{b}{c}{d}"\nrun = "x"\n'
            + "".join(f"for.{c} = [1,2,3,4,5,6,7,8]\n" for c in "abcd"),
            4,
            "more than 1000",
        ),
    ],
)
def test_refused(text, line, part):
    with pytest.raises(Problem) as caught:
        steps_of(text)
    assert str(caught.value).startswith(f"x/y.toml:{line}: ")
    assert part in str(caught.value) and caught.value.status == 2


def test_refused_bytes():
    for data, part in (
        (b"a = 1\n\xff", "x.toml:2: is not UTF-8"),
        (b"#" * 300_000, "x.toml: a suite has up to 256 KiB"),
    ):
        with pytest.raises(Problem) as caught:
            suite.parse("x.toml", data)
        assert str(caught.value) == part


def test_products_of_for_are_steps_and_the_last_is_fastest():
    steps = steps_of('[[step]]\nname = "s-{a}-{b}"\nfor.a = [1, 2]\nfor.b = ["x", "y,1.1"]\nrun = "t {b}{a}"')
    assert [step.name for step in steps] == ["s-1-x", "s-1-y,1.1", "s-2-x", "s-2-y,1.1"]
    assert words_of(steps[3]) == ["t", "y,1.12"]


def test_words():
    text = """[set]
one = 'a  b'
two = '{one}!'
[[step]]
name = "s"
run = "t {one} 'c d' --x={two} {{one}} } {print $1} '' {one}{one}"
[[step]]
name = "l"
run = ["t", "{one}", "", 5]
[[step]]
name = "sh"
shell = true
run = "echo {one} | cat"
setup = "true {one}"
"""
    string, listed, shell = steps_of(text)
    assert words_of(string) == [
        "t",
        "a  b",
        "c d",
        "--x=a  b!",
        "{one}",
        "}",
        "{print",
        "$1}",
        "",
        "a  ba  b",
    ]
    assert words_of(listed) == ["t", "a  b", "", "5"]
    assert shell.run == ["sh", "-c", "echo a  b | cat"] and shell.setup == ["sh", "-c", "true a  b"]


def test_defaults_of_the_suite_and_values_of_steps():
    text = """runs = 3
time_limit = "40s"
needs = ["root"]
env.A = "1"
set.t = "2m"
[[step]]
name = "a"
run = "x"
[[step]]
name = "b"
run = "x"
runs = 1
warmup = 2
time_limit = "{t}"
needs = ["cpus:{n}"]
for.n = [2]
env.B = "{n}"
cwd = "sub"
gate = ["p99<+5%"]
metric.m = {regex = 'took (\\d{1,3})', unit = "ns"}
"""
    text = text.replace('name = "b"', 'name = "b{n}"')
    first, second = steps_of(text)
    assert (first.runs, first.warmup, first.limit_s, first.env, first.cwd) == (3, 0, 40.0, {"A": "1"}, "")
    assert first.needs == ["root"]
    assert (second.runs, second.warmup, second.limit_s, second.env) == (1, 2, 120.0, {"A": "1", "B": "2"})
    assert second.needs == ["root", "cpus:2"]
    assert second.cwd == os.path.realpath("x/sub") and second.gate == ["p99<+5%"]
    assert second.metric == {"m": {"regex": "took (\\d{1,3})", "unit": "ns"}}
    assert steps_of(STEP)[0].limit_s == 600.0


def test_set_replaces_values_and_lists():
    text = '[set]\nmap = 5\n[[step]]\nname = "s-{p}"\nfor.p = ["x"]\nrun = "t {map}"'
    steps = steps_of(text, map="a b", p="'u v' z".replace("u v", "u"))
    assert [(step.name, words_of(step)) for step in steps] == [("s-u", ["t", "a b"]), ("s-z", ["t", "a b"])]
    with pytest.raises(Problem, match="--set 'pap=1': x/y.toml has no such variable; it has: map, p"):
        steps_of(text, pap="1")
    with pytest.raises(Problem, match="x/y.toml:5: for: "):
        steps_of(text, p="'")


def test_references():
    text = """[[step]]
name = "rec-{m}"
for.m = ["1-1", "1-N"]
run = "ssd-workloads run --dump=records.rec"
[[step]]
name = "fig-{m}"
for.m = ["1-1", "1-N"]
run = "ssd-workloads analyze {rec-{m}/records.rec} --other={rec-1-1}"
"""
    step = steps_of(text)[3]
    assert list(suite.references(step.run)) == [("rec-1-N", "records.rec"), ("rec-1-1", "")]
    paths = lambda name, file: f"../{name}/7/{file or 'report.xml'}"
    assert [suite.fill(word, paths) for word in step.run][2:] == [
        "../rec-1-N/7/records.rec",
        "--other=../rec-1-1/7/report.xml",
    ]


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_shipped(path):
    found = suite.read(str(path))
    assert found.steps and found.about and found.name == path.stem


def test_names_and_files(tmp_path):
    assert {"smoke", "ci", "paging"} <= set(suite.shipped())
    for word, part in (
        ("ci.suite", "suites are TOML files"),
        ("nothing", "'nothing' is not an installed suite; allowed: ci, "),
        (f"{tmp_path}/no.toml", "No such file"),
    ):
        with pytest.raises(Problem, match=part):
            suite.read(word)
    assert suite.name_of("/a/-b c.toml") == "_b_c"


def test_needs(tmp_path):
    def lacks(text):
        return needs.lacks([needs.check(text)], str(tmp_path))

    assert (
        lacks("space:4k")
        == lacks("memory:1M")
        == lacks("cpus:1")
        == lacks("nodes:1")
        == lacks("program:sh")
        == ""
    )
    assert lacks("space:900000T").startswith("needs space:900000T: 879 PiB of space where the results go, ")
    assert lacks("memory:900T").startswith("needs memory:900T: 900 TiB of memory, there are ")
    assert lacks("cpus:65000").startswith("needs cpus:65000: 65000 CPUs, there are ")
    assert lacks("program:/no/such") == "needs program:/no/such: /no/such, which does not exist"
    assert lacks("program:no-such") == "needs program:no-such: the program no-such, which is not in PATH"
    assert [needs.size(text) for text in ("4k", "512MiB", "1.5G", "10", "7B")] == [
        4096,
        512 << 20,
        3 << 29,
        10,
        7,
    ]
    for text in ("", "x", "-1", "1e3"):
        with pytest.raises(ValueError):
            needs.size(text)


def test_needs_of_doctor(monkeypatch):
    facts = {"zram": {"status": "ok"}, "loop": {"status": "missing", "value": "none", "fix": "modprobe loop"}}
    monkeypatch.setattr(needs, "_doctor", lambda: facts)
    assert needs.lacks(["zram"], ".") == ""
    assert needs.lacks(["zram", "loop"], ".") == "needs loop: none: modprobe loop"
    assert "is not installed" in needs.lacks(["cgroup"], ".")


@pytest.mark.parametrize(
    "text, value", [("300", 300), ("5m", 300), ("250ms", 0.25), ("1.5h", 5400), ("50ns", 5e-8)]
)
def test_seconds(text, value):
    assert suite.seconds(text) == pytest.approx(value)


PIECES = st.sampled_from(
    [
        "[[step]]\n",
        "[set]\n",
        "[step.for]\n",
        "name = 'a-{x}'\n",
        "run = 'pmbench {x} {a}'\n",
        "for.x = [1, 2]\n",
        "x = 1\n",
    ]
    + [
        "needs = ['root', 'space:{x}']\n",
        "time_limit = '{x}'\n",
        "metric.m = {regex = '{x}'}\n",
        "{",
        "'",
        '"""',
        "=",
        "\n",
    ]
    + [
        "run = ['{{', '}}', '{a/b}']\n",
        "env.A = 1\n",
        "gate = ['{x}']\n",
        "step = 1\n",
        "for = 1979-05-27\n",
        "\0",
        "[",
        "]",
    ]
)


@settings(max_examples=300, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    st.one_of(st.lists(PIECES, max_size=12).map("".join), st.text()), st.dictionaries(st.just("x"), st.text())
)
def test_any_text_is_a_suite_or_one_line(text, values):
    try:
        found = suite.parse("x.toml", text.encode(errors="surrogatepass"), values)
    except Problem as problem:
        assert "\n" not in str(problem) and problem.status == 2
    else:
        assert found.steps and len({step.name for step in found.steps}) == len(found.steps)


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_a_damaged_suite_is_a_suite_or_one_line(data):
    text = bytearray(data.draw(st.sampled_from(SHIPPED)).read_bytes())
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(text) - 1))
        text[at : at + data.draw(st.integers(0, 3))] = data.draw(st.binary(max_size=3))
    try:
        suite.parse("x.toml", bytes(text))
    except Problem as problem:
        assert "\n" not in str(problem) and problem.status == 2
