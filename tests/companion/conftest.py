# SPDX-License-Identifier: GPL-3.0-or-later
"""Fixtures of all tests of the companion."""

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
