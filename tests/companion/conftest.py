# SPDX-License-Identifier: GPL-3.0-or-later
"""Fixtures of all tests of the companion."""

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
sys.path.insert(0, str(Path(__file__).parent))
# How long an example takes depends on what else the machine does.
settings.register_profile("companion", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("companion")


@pytest.fixture
def memstor(capsys):
    """Calls the program; returns status, standard output and standard error."""
    from memstor.cli import main

    def call(*arguments):
        try:
            status = main([str(argument) for argument in arguments])
        except SystemExit as end:
            status = end.code
        out, err = capsys.readouterr()
        assert "Traceback" not in err
        return status, out, err

    return call


@pytest.fixture
def changed(tmp_path):
    """A copy of a report with one text replaced, in XML."""

    def change(source, old, new, name="changed.xml", count=1):
        text = Path(source).read_text(encoding="utf-8")
        assert old in text
        target = tmp_path / name
        target.write_text(text.replace(old, new, count), encoding="utf-8")
        return target

    return change


MEMSTOR = """#!{python} -I
import subprocess
import sys
sys.path.insert(0, "{root}")
from memstor import cli, programs
programs._own = lambda: []
sys.exit(cli.main())
"""
# What runs is not measured: its report is a recorded one, with its labels, its command and the time.
WITH_PRESSURE = r"""#!/bin/sh
[ "$1" = --help ] && { echo "  -f, --file=FILE"; exit; }
labels=
while [ "$1" != -- ]; do
	case $1 in
	-f) report=$2 ;;
	--label) labels="$labels<label name=\"${2%%=*}\">${2#*=}</label>" ;;
	esac
	shift
done
shift
"$@"
status=$?
uuid=$(cat /proc/sys/kernel/random/uuid)
doubt='<verdict status="untrustworthy"><reason code="failed">x</reason></verdict>'
[ $status = 0 ] && doubt='&'
sed "s|<uuid>.*</uuid>|<uuid>$uuid</uuid>|
	s|<wall_start>.*</wall_start>|<wall_start>$(date -u +%FT%T.%NZ)</wall_start>|
	s|<option name=.command.>.*</option>|<option name=\"command\">$1</option>|
	s|<label name=.*</label>|$labels|
	s|<verdict status=.ok./>|$doubt|" FIXTURE >"$report"
exit $status
"""


@pytest.fixture
def shell(tmp_path):
    """A folder bin with memstor and such a with-pressure, and a function that runs a line of a shell with it
    in PATH, as a user with no settings of git."""
    texts = {
        "memstor": MEMSTOR.format(python=sys.executable, root=ROOT),
        "with-pressure": WITH_PRESSURE.replace("FIXTURE", f"{ROOT}/tests/fixtures/with-pressure/sort.xml"),
    }
    (tmp_path / "bin").mkdir()
    for name, text in texts.items():
        (tmp_path / "bin" / name).write_text(text, encoding="utf-8")
        (tmp_path / "bin" / name).chmod(0o755)
    people = {f"GIT_{who}_{what}": "x@y" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    plain = {
        "PATH": f"{tmp_path}/bin:/usr/bin:/bin",
        "HOME": str(tmp_path),
        "GIT_CONFIG_NOSYSTEM": "1",
    } | people

    def run(line, folder=tmp_path, **more):
        return subprocess.run(
            ["sh", "-c", line],
            cwd=folder,
            env=plain | {name: str(value) for name, value in more.items()},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    return run
