# SPDX-License-Identifier: GPL-3.0-or-later
"""Reports of memstor's tools in Python.

    import memstor
    for report in memstor.read("results/"):
        print(report.tool, report.options.get("pattern"), report.values["accesses_per_second"])
    table = memstor.frame("results/")     # a pandas.DataFrame where pandas is installed, else a list of rows

README.md of this package says what there is. What is here is imported when it is used first: without numpy
`memstor --help` takes a third of the time.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from memstor.error import Problem
    from memstor.histogram import Histogram
    from memstor.report import Report, Subject, Value, read
    from memstor.table import frame

__version__ = "0.1.0"
__all__ = ["Histogram", "Problem", "Report", "Subject", "Value", "frame", "read"]
MODULES = {"Problem": "error", "Histogram": "histogram", "frame": "table"}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'memstor' has no attribute '{name}'")
    return getattr(import_module(f"memstor.{MODULES.get(name, 'report')}"), name)
