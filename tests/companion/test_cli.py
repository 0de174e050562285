# SPDX-License-Identifier: GPL-3.0-or-later
"""The command line of all commands: help, versions, completion, what is missing."""

import re
import subprocess
import sys
import tomllib

import pytest
from conftest import ROOT

import memstor as package
from memstor import workers
from memstor.cli import COMMANDS

NAMES = [command.name for command in COMMANDS if command.name != "doctor"]


def python(code):
    return subprocess.run(
        [sys.executable, "-I", "-c", f"import sys; sys.path.insert(0, {str(ROOT)!r}); {code}"],
        capture_output=True,
        text=True,
    )


def test_the_version_is_that_of_the_tools(memstor):
    tools = re.search(r"AC_INIT\(\[memstor\], \[([^]]*)\]", (ROOT / "configure.ac").read_text())[1]
    assert memstor("--version") == (0, f"memstor {tools}\n", "")


def test_pip_installs_what_make_installs():
    pip = tomllib.loads((ROOT / "memstor/pyproject.toml").read_text())["tool"]["setuptools"]
    folders = {name: ROOT / name.replace(".", "/") for name in pip["packages"]}
    files = {path for folder in folders.values() for path in folder.glob("*.py")}
    files |= {folders[name] / file for name, data in pip["package-data"].items() for file in data}
    text = (ROOT / "memstor/memstor.am").read_text().partition("\nstart =")[0]
    assert files == {ROOT / "memstor" / path for path in re.findall(r"%D%/(\S+)", text)}


def test_help_lists_each_command_and_loads_no_large_library():
    done = python(
        "from memstor.cli import main; main(['--help']); print('numpy' in sys.modules, file=sys.stderr)"
    )
    assert re.findall(r"^  (\w+)  ", done.stdout, re.M) == [command.name for command in COMMANDS]
    assert done.stderr == "False\n"


@pytest.mark.parametrize("name", NAMES)
def test_help_of_a_command_begins_with_examples(memstor, name):
    status, out, err = memstor(name, "--help")
    assert (status, err) == (0, "")
    start = "mpirun -n 4 memstor " if name == "mpi" else "memstor "
    assert out.index(f"Examples:\n  {start}{name}") < out.index("options:")


@pytest.mark.parametrize("name", NAMES)
def test_what_the_shell_is_offered_are_the_options_of_help(memstor, name):
    rows = [line.split(" ") for line in memstor(name, "--completion-rows")[1].splitlines()]
    assert all(row[0] in ("option", "argument") and row[4] in ("once", "many") for row in rows)
    words = {row[1] for row in rows if row[0] == "option"}
    assert words == set(re.findall(r"^  (?:-\w, )?(--[\w-]+)", memstor(name, "--help")[1], re.M))


@pytest.mark.parametrize("name", NAMES)
def test_the_manual_has_a_paragraph_an_option(memstor, name):
    out = memstor(name, "--manual-options")[1].splitlines()
    starts = [i for i, line in enumerate(out) if line == ".TP"]
    options = re.findall(r"^option (\S+)", memstor(name, "--completion-rows")[1], re.M)
    assert len(starts) == len(options) - 1  # --help
    assert all(out[i + 1].startswith(r"\fB") and re.match(r"[A-Z]", out[i + 2]) for i in starts)


def test_a_missing_library_is_named_by_its_package():
    done = python(
        "sys.modules['lxml'] = None; from memstor.cli import main; sys.exit(main(['validate', 'x.xml']))"
    )
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr == "memstor: Python's module lxml is missing: install python3-lxml\n"


@pytest.mark.parametrize(("status", "is_made"), [(3, True), (1, False)])
def test_without_libraries_the_manual_page_names_help(tmp_path, status, is_made):
    program, page = tmp_path / "memstor", tmp_path / "page"
    program.write_text(f"#!/bin/sh\nexit {status}\n")
    program.chmod(0o755)
    page.write_text("@OPTIONS compare@\n")
    made = subprocess.run(
        ["sh", ROOT / "scripts/manual.sh", program, page], capture_output=True, text=True, check=False
    )
    assert (made.returncode == 0) == is_made
    assert made.stdout == ".PP\n.B memstor compare \\-\\-help\nlists the options.\n" * is_made


def test_an_unknown_command_is_one_line(memstor):
    status, out, err = memstor("nonsense")
    assert (status, out, err.count("\n")) == (2, "", 1) and "'nonsense' is no command" in err


def test_the_package_names_what_is_public():
    assert package.Report.__module__ == "memstor.report"
    with pytest.raises(AttributeError):
        package.nonsense


def test_doctor_becomes_memstor_doctor(memstor, monkeypatch):
    became = []
    monkeypatch.setattr("memstor.programs.find", lambda name: f"/opt/{name}")
    monkeypatch.setattr("os.execv", lambda path, words: became.append((path, words)))
    memstor("doctor", "--json", "a b")
    assert became == [("/opt/memstor-doctor", ["memstor", "--json", "a b"])]
    monkeypatch.setattr("memstor.programs.find", lambda name: "")
    status, out, err = memstor("doctor")
    assert (status, out, err.count("\n")) == (3, "", 1) and "memstor-doctor" in err


INTERRUPTED = """
import os, sys, time
sys.path[:0] = ["{root}", "."]
from memstor import cli, workers

def interrupt():
    os.kill(os.getpid(), 2)

def slow(*of):
    if sys._getframe(1).f_code.co_name.endswith("lost"):
        end = time.monotonic() + 0.1
        while time.monotonic() < end:
            pass
    return isinstance(*of)

def call(arguments):
    os.sched_getaffinity = lambda _: {{0, 1}}
    {what}
    while True:
        time.sleep(1)

cli.call = call
sys.exit(cli.main())
"""
AT_FORK = "os.register_at_fork(after_in_parent=interrupt); "


@pytest.mark.parametrize(
    "what",
    [
        "interrupt()",
        # Python and modules in C lose the exception here.
        AT_FORK + "os.fork() or os._exit(0)",
        # The second comes while Python tells of the first that it lost.
        AT_FORK + "cli.isinstance = slow; os.fork() or os._exit(0)",
        "import loses",
        # Of a pool that is begun.
        AT_FORK + "list(workers.each(len, ['a', 'b']))",
    ],
)
def test_an_interrupt_is_one_line_wherever_it_comes(tmp_path, what):
    loses = "import os\ntry:\n    os.kill(os.getpid(), 2)\n    list(map(str, range(99)))\n"
    (tmp_path / "loses.py").write_text(f"{loses}except KeyboardInterrupt:\n    pass\n")
    for name in "ab":
        (tmp_path / name).write_bytes(bytes(workers.FEW))
    code = INTERRUPTED.format(root=ROOT, what=what)
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, timeout=250
    )
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "memstor: interrupted\n")


def test_git_bisect_takes_no_error_for_an_answer(memstor, monkeypatch):
    """Nor a mistake of ours; git takes 1 to 127 as bad, and 0 as good."""
    for error in (OSError(28, "full"), ImportError(name="x"), MemoryError(), RuntimeError("x")):

        def call(arguments, error=error):
            raise error

        monkeypatch.setattr("memstor.cli.call", call)
        assert memstor("bisect")[0] == 128
        if not isinstance(error, RuntimeError):
            assert memstor("compare")[0] == 3
