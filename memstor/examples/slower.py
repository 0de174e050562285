# SPDX-License-Identifier: GPL-3.0-or-later
"""Which step got slower, and in which class of access?

    python3 slower.py monday/ tuesday/        # two folders of `memstor run`

Each "# %%" begins a cell: editors such as VS Code, Spyder and Jupyter (with jupytext) run it as a notebook.
"""

# %% Of each step, type and class of access one histogram: the sum over its runs that can be trusted.
import sys
from collections import defaultdict

import memstor
from memstor.histogram import merge


def read(folder):
    found = defaultdict(list)
    for report in memstor.read(folder):
        for histogram in report.finest if report.status == "ok" else ():
            step = report.labels.get("step", report.tool)
            found[step, histogram.type, histogram.of_class].append(histogram)
    return {key: merge(histograms) for key, histograms in found.items()}


base, new = read(sys.argv[1]), read(sys.argv[2])

# %% Which step? The mean over all accesses tells.
change = {key: new[key].mean / base[key].mean - 1 for key in base if key[2] == "all" and key in new}
if not change:
    sys.exit("no step is in both folders")
for key, fraction in change.items():
    print(f"{key[0]:24} {key[1]:6} {base[key].mean:10.1f} ns {fraction:+8.1%}")

# %% In which class? The mean over all accesses is the sum of share times mean over the classes: a class adds
# to it by being slower and by being more frequent. Percentiles within a class do not see that hits became
# major faults.
slowest = max(change, key=change.get)
step, of_type, _ = slowest


def share_and_mean(side, key):
    of_class = side.get(key)
    return (of_class.count / side[slowest].count, of_class.mean) if of_class and of_class.count else (0, 0)


print(f"\n{step}, {of_type}: {new[slowest].mean - base[slowest].mean:+.1f} ns an access, of which")
added = {}
for key in dict.fromkeys([*base, *new]):
    if key[:2] == (step, of_type) and key[2] != "all":
        (share, mean), (new_share, new_mean) = share_and_mean(base, key), share_and_mean(new, key)
        added[key[2]] = new_share * new_mean - share * mean
        shares, means = f"{share:.2%} -> {new_share:.2%}", f"{mean:.1f} -> {new_mean:.1f} ns"
        print(f"  {key[2]:6} {added[key[2]]:+10.1f} ns: share {shares}, mean {means}")
if added:
    print(f"most of it in the class {max(added, key=added.get)}")

# %% The same numbers as one table: a pandas.DataFrame where pandas is installed, else a list of rows.
table = memstor.frame(sys.argv[1], sys.argv[2])
print(f"\n{len(table):,} numbers in all")
