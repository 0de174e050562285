# SPDX-License-Identifier: GPL-3.0-or-later
"""Usage: pytest_tap.py FILE [OPTION...]: runs a file of pytest; each of its tests is a line of TAP."""

import sys

import pytest


class Tap:
    count = 0

    def pytest_addoption(self, parser):
        # Of the terminal plugin; what explains a failed assertion asks for it.
        parser.addoption("--verbose", type=int, default=0)

    def line(self, word, report, text=""):
        self.count += 1
        print(f"{word} {self.count} - {report.nodeid.partition('::')[2]}{text}")

    def pytest_runtest_logreport(self, report):
        if report.skipped:
            reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else ""
            self.line("ok", report, f" # SKIP {reason.removeprefix('Skipped: ')}")
        elif report.failed:
            self.line("not ok", report)
            print("".join(f"# {line}\n" for line in str(report.longrepr).splitlines()), end="")
        elif report.when == "call":
            self.line("ok", report)

    def pytest_collectreport(self, report):
        if report.failed:
            print(f"Bail out! {str(report.longrepr).splitlines()[-1]}")


tap = Tap()
options = ["-p", "no:cacheprovider", "-p", "no:terminal", *sys.argv[1:]]
status = pytest.main(options, plugins=[tap])
print(f"1..{tap.count}")
sys.exit(0 if status == pytest.ExitCode.TESTS_FAILED else status)
