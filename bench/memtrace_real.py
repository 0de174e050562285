#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""memtrace_real.py MEMTRACE PAGE_TRUTH [TRIALS]: how often the 95 % intervals of analyze contain the truth, on real programs.

PAGE_TRUTH (tests/host/page_truth.c) counts its accesses to each page itself; its pages' popularity falls with the rank to
the power 0.8. It is recorded TRIALS times (default 100) by the engine burst, with other seeds, for as short as it takes to
get some 500 samples of these pages. Miss ratios are compared with those of an LRU buffer under a million independent accesses
with the counted frequencies. Prints a section of results/memtrace-accuracy.md; a cell is the percentage of the trials, and
in brackets the median width of the interval, as a part of the truth.
"""
import collections
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile

PAGE = 4096
SIZES = (1 / 64, 1 / 32, 1 / 16, 1 / 8, 1 / 4, 1 / 2, 3 / 4)


def miss_ratios(counts: list[float], sizes: list[int]) -> list[float]:
    """Of LRU buffers of so many pages, by one pass over a million draws (half of them to fill the buffers)."""
    rng = random.Random(1)
    buffers = [collections.OrderedDict() for _ in sizes]
    misses = [0] * len(sizes)
    draws = rng.choices(range(len(counts)), weights=counts, k=1_000_000)
    for i, page in enumerate(draws):
        for which, (buffer, size) in enumerate(zip(buffers, sizes)):
            if page in buffer:
                buffer.move_to_end(page)
                continue
            misses[which] += i >= len(draws) // 2
            buffer[page] = None
            if len(buffer) > size:
                buffer.popitem(last=False)
    return [missed / (len(draws) / 2) for missed in misses]


def analyze(memtrace: str, what: str, area: str) -> dict:
    done = subprocess.run([memtrace, "analyze", what, "--range", f"area={area}/{PAGE}", "--region", "area", "--json", "trial.mtr"],
                          capture_output=True, text=True)
    if done.returncode not in (0, 4):
        sys.exit(done.stderr)
    return json.loads(done.stdout)


def main() -> None:
    memtrace, program, trials = sys.argv[1], sys.argv[2], int(sys.argv[3]) if len(sys.argv) > 3 else 100
    print("| program | pages | samples | working set | miss ratio | top 1 % | top 10 % | Gini |\n|---|---|---|---|---|---|---|---|")
    for kind, pages in (("array", 256), ("array", 4096), ("hash", 1024), ("list", 1024)):
        held, widths, samples, truth = collections.defaultdict(list), collections.defaultdict(list), [], None
        sizes = [max(1, int(pages * size)) for size in SIZES]

        def judge(name: str, true: float, low: float | None, high: float | None) -> None:
            if low is None:
                return
            high = float("inf") if high is None else high
            held[name].append(low <= true * (1 + 1e-9) and true <= high * (1 + 1e-9))
            widths[name].append((high - low) / true if true else 0)

        for _ in range(trials):
            subprocess.run([memtrace, "record", "-q", "-e", "burst", "-F", "100", "-o", "trial.mtr", "--", program, kind,
                            str(pages), "0.8", "truth"], check=False, stderr=subprocess.DEVNULL)
            rows = [line.split() for line in open("truth")]
            counts = [float(count) for _, count in rows]
            area = f"{rows[0][0]}-{int(rows[-1][0], 16) + PAGE:x}"
            total, ordered = sum(counts), sorted(counts, reverse=True)
            if truth is None:
                truth = miss_ratios(counts, sizes)
            skew = analyze(memtrace, "skew", area)
            samples.append(skew["selected"])
            for percent in (1, 10):
                # A part of a page's share where the percentage is no whole number of pages.
                first = pages * percent / 100
                share = (sum(ordered[:int(first)]) + (first - int(first)) * ordered[int(first)]) / total * 100
                name = f"top_{percent}_percent_share"
                judge(f"top {percent} %", share, skew.get(name + "_low"), skew.get(name + "_high"))
            gini = sum(count * (pages - 1 - 2 * i) for i, count in enumerate(ordered)) / pages / total
            judge("Gini", gini, skew.get("gini_low"), skew.get("gini_high"))
            hotset = analyze(memtrace, "hotset", area)
            judge("working set", PAGE * sum(count > 0 for count in counts), hotset.get("working_set_low_bytes"),
                  hotset.get("working_set_high_bytes"))
            curve = analyze(memtrace, "missratio", area)["curve_point"]
            for size, true in zip(sizes, truth):
                before = [point for point in curve if point["buffer_bytes"] <= size * PAGE]
                after = [point for point in curve if point["buffer_bytes"] >= size * PAGE]
                if before and after:
                    judge("miss ratio", true, after[0]["low"], before[-1]["high"])
        cells = [f"{100 * statistics.mean(held[name]):.0f} ({statistics.median(widths[name]):.2g})" if held[name] else "indication"
                 for name in ("working set", "miss ratio", "top 1 %", "top 10 %", "Gini")]
        print(f"| {kind} | {pages} | {statistics.median(samples):.0f} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        sys.argv[1:3] = [os.path.abspath(path) for path in sys.argv[1:3]]
        os.chdir(folder)
        main()
