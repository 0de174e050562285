# SPDX-License-Identifier: GPL-3.0-or-later
# Usage: page_accuracy.py TRUTH CSV     compares a recording (memtrace export --to csv) with what a program counted itself, lines of
# a page's address and its accesses. Pages that were paged out are in the order of the mean logarithm of the times until they came
# back, none below 0.1 ms; those that never were have the mean of all. Prints samples in these pages, Spearman's rank correlation of
# all pages, the share of the most popular 1 % of the pages that is found, and the share of the accesses to these pages by the
# recording ("-": it orders pages only) and in truth.
import csv
import math
import sys

PAGE = 4096


def ranks(values):
    order = sorted(range(len(values)), key=lambda i: values[i])
    result = [0.0] * len(values)
    at = 0
    while at < len(order):
        end = at
        while end < len(order) and values[order[end]] == values[order[at]]:
            end += 1
        for i in range(at, end):
            result[order[i]] = (at + end - 1) / 2
        at = end
    return result


def correlation(one, other):
    mean_one, mean_other = sum(one) / len(one), sum(other) / len(other)
    both = sum((a - mean_one) * (b - mean_other) for a, b in zip(one, other))
    squares = sum((a - mean_one) ** 2 for a in one) * sum((b - mean_other) ** 2 for b in other)
    return both / squares ** 0.5 if squares else 0.0


known = {}
for line in open(sys.argv[1], encoding="ascii"):
    page, count = line.split()
    known[int(page, 16) // PAGE] = float(count)
pages = list(known)
found = dict.fromkeys(pages, 0)
out, times = {}, {page: [] for page in pages}
with open(sys.argv[2], encoding="utf-8", newline="") as rows:
    samples = sorted(csv.DictReader(rows), key=lambda row: int(row["time_ns"]))
last_ns = int(samples[-1]["time_ns"]) if samples else 0
for row in samples:
    page, time_ns = int(row["address"], 0) // PAGE, int(row["time_ns"])
    if page not in found:
        continue
    if row["kind"] == "out":
        out.setdefault(page, time_ns)
        continue
    found[page] += 1
    if page in out:
        times[page].append(math.log(max(time_ns - out.pop(page), 100000)))
samples = sum(found.values())
for page, time_ns in out.items():
    times[page].append(math.log(max(last_ns - time_ns, 100000)))
count = sum(map(len, times.values()))
if count:
    mean = sum(map(sum, times.values())) / count
    found = {page: -sum(times[page]) / len(times[page]) if times[page] else -mean for page in pages}
top = max(1, len(pages) // 100)
best = sorted(pages, key=lambda page: -known[page])[:top]
# Of equal pages the first by address, which has nothing to do with their popularity.
chosen = sorted(pages, key=lambda page: (-found[page], page))[:top]
share = "-" if count else "%.3f" % (sum(found[page] for page in best) / (sum(found.values()) or 1))
print("%d %.2f %.2f %s %.3f" % (
    samples, correlation(ranks([known[page] for page in pages]), ranks([found[page] for page in pages])),
    len(set(best) & set(chosen)) / top, share, sum(known[page] for page in best) / sum(known.values())))
