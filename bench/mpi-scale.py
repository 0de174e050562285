#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""mpi-scale.py [RANKS...]: time and memory of rank 0 of memstor mpi for that many reports, which are copies of a
real one of pmbench with other hosts, times and counts. Each number of ranks has a process of its own."""

import os
import pickle
import re
import resource
import subprocess
import sys
import tempfile
import time
import uuid

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))
from memstor import merge, programs  # noqa: E402


def others(first: merge.Input, count: int):
    """As they come from other ranks: pickled."""
    for rank in range(count):
        document = re.sub(
            rb"(<part>.*?<uuid>)[^<]*", rb"\g<1>%s" % str(uuid.uuid4()).encode(), first.document, flags=re.S
        )
        document = re.sub(rb"<hostname>[^<]*", b"<hostname>node%d" % rank, document)
        document = re.sub(rb"<boot_id>[^<]*", b"<boot_id>%s" % str(uuid.UUID(int=rank)).encode(), document)
        yield pickle.dumps(first._replace(path=f"{rank}/report.xml", document=document))


def measure(path: str, count: int) -> None:
    first = merge.load(path, merge.Clock(1000, 500))
    merged, begun, received, spent = merge.Merge(True), time.monotonic(), 0, 0.0
    for data in others(first, count):
        start = time.monotonic()
        received += len(data)
        merged.add(pickle.loads(data))
        spent += time.monotonic() - start
    start = time.monotonic()
    added = spent
    try:
        root = merged.report()
        size = f"{len(merge.xml_of(root)) / 1e6:.1f}"
        spent += time.monotonic() - start
        start = time.monotonic()
        merge.document(root)
        spent += time.monotonic() - start
        end = "valid"
    except merge.Problem as problem:
        end = str(problem)
    rss = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"{count:>6} {received / 1e6:>12.1f} {added:>8.2f} {spent:>9.2f} {rss:>8.0f} {size:>9}  {end}",
        flush=True,
    )


def main() -> None:
    if len(sys.argv) == 4 and sys.argv[1] == "--one":
        measure(sys.argv[2], int(sys.argv[3]))
        return
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/report.xml"
        subprocess.run(
            [programs.find("pmbench"), "-q", "-m", "64", "-f", path, "2"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            check=False,
        )
        print(" ranks  received MB    add s   whole s   RSS MB  report MB  result")
        for count in map(int, sys.argv[1:] or (100, 1000, 10000)):
            subprocess.run([sys.executable, __file__, "--one", path, str(count)], check=True)


main()
