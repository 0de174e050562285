# SPDX-License-Identifier: GPL-3.0-or-later
"""What a step needs of the host. memstor-doctor knows the features of the kernel; the rest is asked here."""

from __future__ import annotations

import glob
import json
import os
import re
import shutil
import subprocess
from functools import cache, partial
from pathlib import Path
from typing import Any, Callable, Iterable, NamedTuple

from memstor import programs, units

SIZE = r"(\d{1,18}(?:\.\d{1,9})?)([kmgtp]?)(?:i?b)?"


def size(text: str) -> int:
    """Bytes of "4k", "512MiB", "1.5G"; ValueError of anything else."""
    match = re.fullmatch(SIZE, text, re.ASCII | re.IGNORECASE)
    if not match:
        raise ValueError(f"'{text}' is no size")
    return int(float(match[1]) * 1024 ** " kmgtp".index(match[2].lower() or " "))


@cache
def _doctor() -> dict[str, dict[str, Any]]:
    """The facts of memstor-doctor by their codes; none if it is not installed."""
    path = programs.find("memstor-doctor")
    if not path:
        return {}
    done = subprocess.run([path, "--json"], capture_output=True, check=False)
    return {fact["code"]: fact for fact in json.loads(done.stdout)["facts"]}


def _meminfo(name: str) -> int:
    match = re.search(rf"^{name}: *(\d+)", Path("/proc/meminfo").read_text(encoding="utf-8"), re.MULTILINE)
    return int(match[1]) if match else 0


def _memory(folder: str) -> int:
    """Bytes that are available, within the limits of this process's cgroups."""
    found = re.search(r"^0::(/.*)", Path("/proc/self/cgroup").read_text(encoding="utf-8"), re.MULTILINE)
    own = Path("/sys/fs/cgroup" + (found[1] if found else ""))
    limits = [of / "memory.max" for of in (own, *own.parents)]
    texts = [limit.read_text(encoding="ascii").strip() for limit in limits if limit.exists()]
    return min(_meminfo("MemAvailable") * 1024, *(int(text) for text in texts if text != "max"), 1 << 63)


def _space(folder: str) -> int:
    facts = os.statvfs(folder)
    return facts.f_bavail * facts.f_frsize


# --- why a need is not met, "" = it is met ---


def _lacks_feature(code: str, value: str, folder: str) -> str:
    fact = _doctor().get(code)
    if fact is None:
        return "memstor-doctor, which answers that, is not installed"
    return "" if fact["status"] == "ok" else ": ".join(filter(None, (fact["value"], fact.get("fix"))))


def _lacks_amount(what: str, unit: str, count: Callable[[str], int], value: str, folder: str) -> str:
    wanted, there = size(value or "1"), count(folder)
    if there >= wanted:
        return ""
    texts = [units.text(amount, unit) if unit else str(amount) for amount in (wanted, there)]
    return f"{texts[0]} {what}, there are {texts[1]}"


def _lacks_program(value: str, folder: str) -> str:
    if value.startswith("/"):
        return "" if os.path.exists(value) else f"{value}, which does not exist"
    return "" if shutil.which(value) else f"the program {value}, which is not in PATH"


class Row(NamedTuple):
    value: str  # a pattern of what follows the colon; "" = nothing does
    like: str
    lacks: Callable[[str, str], str]  # of the value, and the folder of the results


def _feature(code: str) -> Row:
    return Row("", "it takes no value", partial(_lacks_feature, code))


def _size(what: str, count: Callable[[str], int]) -> Row:
    return Row(SIZE, "a size follows, as in space:2G", partial(_lacks_amount, what, "bytes", count))


def _number(what: str, count: Callable[[str], int], pattern: str = r"[1-9]\d{0,4}") -> Row:
    return Row(
        pattern, "a number from 1 to 99999 follows, as in cpus:2", partial(_lacks_amount, what, "", count)
    )


ROWS = {
    "root": Row("", "it takes no value", lambda value, folder: "to be run by root" if os.geteuid() else ""),
    "swap": _feature("swap"),
    "zram": _feature("zram"),
    "loop": _feature("loop"),
    "cgroup": _feature("memory-cgroup"),
    "io_uring": _feature("io-uring"),
    "perf": _feature("page-fault-events"),
    "space": _size("of space where the results go", _space),
    "memory": _size("of memory", _memory),
    "cpus": _number("CPUs", lambda folder: len(os.sched_getaffinity(0))),
    "nodes": _number("NUMA nodes", lambda folder: len(glob.glob("/sys/devices/system/node/node[0-9]*")) or 1),
    "hugetlb": _number("free huge pages", lambda folder: _meminfo("HugePages_Free"), r"(?:[1-9]\d{0,4})?"),
    "program": Row(r"/.*|[^/]+", "a program's name follows, or the path of a file from /", _lacks_program),
}


def check(text: str) -> str:
    """The text, as "space:2G"; ValueError says what is wrong and what is allowed."""
    name, _, value = text.partition(":")
    if name not in ROWS:
        raise ValueError(f"'{text[:64]}': not known; allowed: {' '.join(ROWS)}")
    if not re.fullmatch(ROWS[name].value, value, re.ASCII | re.IGNORECASE):
        raise ValueError(f"'{text[:64]}': {ROWS[name].like}")
    return text


def lacks(wanted: Iterable[str], folder: str) -> str:
    """The first need that this host does not meet, as "needs zram: no module"; "" = none. folder: of the
    results."""
    for text in wanted:
        name, _, value = text.partition(":")
        if why := ROWS[name].lacks(value, folder):
            return f"needs {text}: {why}"
    return ""
