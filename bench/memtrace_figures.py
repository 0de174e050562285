#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
# The numbers of memtrace-figures.sh, with 95 % intervals. Reads the CSV of memtrace export on standard input:
#   up [BYTES [NEAR]]     percent of successive samples of a thread that go to a higher piece of BYTES, of those at most NEAR apart
#   entries TEXT          of the values that `column_store average` printed to TEXT: how many are the most sampled ones, and their share
#   orders TEXT           of the populous orders that `column_store queries` printed to TEXT: samples relative to as many other rows
# Samples of one burst are not independent: intervals are of ten parts of the recording, by Student's t.
import csv
import math
import statistics
import sys

PARTS = 10
STUDENT = 2.262  # 9 degrees of freedom, 0.975
NEXT_NS = 3_000_000  # two samples of one burst
GROUPS = {"l_orderkey": "l_orderkey and l_quantity", "l_quantity": "l_orderkey and l_quantity", "l_shipdate": "l_shipdate",
          "l_partkey": "l_partkey, l_suppkey, l_shipmode", "l_suppkey": "l_partkey, l_suppkey, l_shipmode",
          "l_shipmode": "l_partkey, l_suppkey, l_shipmode"}


def parts_of(values):
    """The values in ten consecutive parts."""
    return [values[len(values) * i // PARTS:len(values) * (i + 1) // PARTS] for i in range(PARTS)]


def percent(values):
    """Of a list of 0 and 1 in order of time: the percentage of 1, with its interval."""
    if len(values) < PARTS:
        return "no interval: %d samples" % len(values)
    each = [100 * statistics.mean(part) for part in parts_of(values)]
    width = STUDENT * statistics.stdev(each) / math.sqrt(PARTS)
    mean = 100 * statistics.mean(values)
    return "%.1f %% (%.1f to %.1f)" % (mean, max(0, mean - width), min(100, mean + width))


def up(size=1, near=0):
    size, near = int(size), int(near)
    last, steps = {}, []
    for row in csv.DictReader(sys.stdin):
        time, at = int(row["time_ns"]), int(row["address"]) // size
        before = last.get(row["thread"])
        last[row["thread"]] = time, at
        if before and time - before[0] <= NEXT_NS and at != before[1] and (not near or abs(at - before[1]) * size <= near):
            steps.append(int(at > before[1]))
    print(percent(steps))


def entries(text):
    rows, known = 0, {}
    for line in open(text, encoding="ascii"):
        words = line.split()
        if words[0] == "items":
            rows = int(words[1])
        elif words[0] == "popular":
            known[int(words[1])] = int(words[3])
    samples = [int(row["element"]) for row in csv.DictReader(sys.stdin)]
    counts = {}
    for element in samples:
        counts[element] = counts.get(element, 0) + 1
    best = sorted(counts, key=lambda element: -counts[element])
    found = set(best[:len(known)]) & set(known)
    print("%d of %d|%s of the accesses, in truth %.1f %%|%d to %d samples each, any other entry at most %d" % (
        len(found), len(known), percent([int(element in known) for element in samples]), 100 * sum(known.values()) / rows,
        min(counts.get(element, 0) for element in known), max(counts.get(element, 0) for element in known),
        max((counts[element] for element in counts if element not in known), default=0)))


def spread(parts):
    """Variance of a sum of counts: at least that of a Poisson process."""
    return max(sum(parts), PARTS * statistics.variance(parts))


def orders(text):
    ranges = {}
    for line in open(text, encoding="ascii"):
        words = line.split()
        if words[0] == "populous":
            ranges.setdefault(words[1], {})[words[2]] = int(words[3]), int(words[4])
    rows = [(row["region"], int(row["element"])) for row in csv.DictReader(sys.stdin) if row["region"] in GROUPS]
    for group in dict.fromkeys(GROUPS.values()):
        inside = {year: [0] * PARTS for year in sorted(ranges["l_shipdate"])}
        rest = [0] * PARTS
        for i, part in enumerate(parts_of([row for row in rows if GROUPS[row[0]] == group])):
            for region, element in part:
                years = [year for year, (first, last) in ranges[region].items() if first <= element <= last]
                for year in years:
                    inside[year][i] += 1
                rest[i] += not years
        texts, found = [], []
        for year, parts in inside.items():
            # An order has a twentieth of the rows, those of no order have three quarters.
            count, others = sum(parts), sum(rest)
            ratio = count / (others / 15) if others else math.nan
            error = math.sqrt(spread(parts) / count ** 2 + spread(rest) / others ** 2) if count and others else math.inf
            low, high = (ratio * math.exp(sign * 1.96 * error) for sign in (-1, 1)) if count and others else (0, math.nan)
            texts.append("%s: %.1f (%.1f to %.1f)" % (year, ratio, low, high) if count else "%s: no samples" % year)
            found += [year] if low > 1 else []
        print("%s|%s|%s" % (group, " ".join(found) or "none", ", ".join(texts)))


{"up": up, "entries": entries, "orders": orders}[sys.argv[1]](*sys.argv[2:])
