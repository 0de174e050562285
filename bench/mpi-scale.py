#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""mpi-scale.py [RANKS...]: what memstor mpi takes after that many commands, whose reports are copies of a real one of
pmbench with other hosts: the time of the slowest group of ranks, and time and memory of rank 0, in a process of its own."""

import glob
import math
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
from memstor import merge, mpi, programs  # noqa: E402


def other(first: merge.Input, rank: int) -> merge.Input:
    document = re.sub(
        rb"(<part>.*?<uuid>)[^<]*", rb"\g<1>%s" % str(uuid.uuid4()).encode(), first.document, flags=re.S
    )
    document = re.sub(rb"<hostname>[^<]*", b"<hostname>node%d" % rank, document)
    document = re.sub(rb"<boot_id>[^<]*", b"<boot_id>%s" % str(uuid.UUID(int=rank)).encode(), document)
    return first._replace(path=f"{rank}/report.xml", document=document)


def groups(path: str, count: int) -> None:
    """What the first ranks of groups send to rank 0, one after another, into their files; the time of the
    slowest."""
    first, slowest = merge.load(path, merge.Clock(1000, 500)), 0.0
    size = max(mpi.GROUP_LEAST, math.isqrt(count - 1) + 1)
    for begin in range(0, count, size):
        sent = [pickle.dumps(other(first, rank)) for rank in range(begin, min(count, begin + size))]
        start, merged = time.monotonic(), merge.Merge(True)
        for data in sent:
            merged.add(pickle.loads(data))
        data = pickle.dumps(merged.input(path))
        slowest = max(slowest, time.monotonic() - start)
        with open(f"{path}.{begin}", "wb") as file:
            file.write(data)
    print(f"{slowest:.2f}")


def measure(path: str, count: int) -> None:
    """Rank 0, after its own group."""
    merged, received = merge.Merge(True), 0
    start = time.monotonic()
    for name in sorted(glob.glob(f"{path}.*"), key=lambda name: int(name.rpartition(".")[2])):
        with open(name, "rb") as file:
            data = file.read()
        received += len(data)
        merged.add(pickle.loads(data))
        del data
    added = time.monotonic() - start
    try:
        size, end = f"{len(merge.document(merged.report())) / 1e6:.1f}", "valid"
    except merge.Problem as problem:
        size, end = "-", str(problem)
    whole = time.monotonic() - start
    rss = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{received / 1e6:>12.1f} {added:>8.2f} {whole:>8.2f} {rss:>8.0f} {size:>9}  {end}")


def main() -> None:
    steps = {"--groups": groups, "--rank-0": measure}
    if sys.argv[1:] and sys.argv[1] in steps:
        steps[sys.argv[1]](sys.argv[2], int(sys.argv[3]))
        return
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/report.xml"
        subprocess.run(
            # As the launcher gives them: they are in each part of the merged report.
            [programs.find("pmbench"), "-m", "64", "-f", path, "--label", "rank=0", "--label", "host=node0"]
            + ["--start-at", f"{time.time() + 3:.9f}", "2"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            check=False,
        )
        print(" ranks  group s  received MB    add s  whole s   RSS MB  report MB  result")
        for count in map(int, sys.argv[1:] or (100, 1000, 10000)):
            words = [
                subprocess.run(
                    [sys.executable, __file__, step, path, str(count)],
                    check=True,
                    capture_output=True,
                    text=True,
                ).stdout.rstrip()
                for step in steps
            ]
            print(f"{count:>6} {words[0]:>8} {words[1]}", flush=True)
            for name in glob.glob(f"{path}.*"):
                os.unlink(name)


main()
