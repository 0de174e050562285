# SPDX-License-Identifier: GPL-3.0-or-later
"""Reports of iowrite-bench evaluate as a table in Markdown: how well each scenario repeats, its errors by naive, cawl and
kernel as median (least to most) over the series, the goals that each series met, and how far off the earlier series would
have been as a prediction. Called by iowrite-models.sh."""
import statistics
import sys
import xml.etree.ElementTree as tree

EARLIER_LEAST = 3
MODELS = ("naive", "cawl", "kernel")
PLAIN = "per-write, the clock's step in it"


def spread(values, digits=0):
    if not values:
        return "-"
    middle = f"{statistics.median(values):.{digits}f}"
    if len(values) == 1:
        return middle
    return f"{middle} ({min(values):.{digits}f} to {max(values):.{digits}f})"


def number(node, path):
    found = node.find(path)
    return None if found is None or found.text is None else float(found.text)


# What the kernel model's errors are to stay below, in percent: per write and of the total, as means over a set's scenarios.
GOALS = {"sync": (15, None), "buffered-slow": (20, 5), "buffered-fast": (30, 9), "fwrite": (15, 3)}


def goals_of(scenarios, is_slow):
    """(set, error, limit, reached) of each set that was measured; of fwrite per write also with nothing taken off for the
    clock."""
    for name, limits in GOALS.items():
        if name.startswith("buffered-") and name.endswith("-slow") != is_slow:
            continue
        found = [s for scenario, s in scenarios.items() if set_of(scenario) == name.split("-")[0] and "kernel" in s]
        for which, error in enumerate(("per-write", "total")):
            if not found or limits[which] is None:
                continue
            yield (name, error, limits[which], statistics.mean(abs(s["kernel"][which]) for s in found))
            plain = [s["kernel"][0] + s["unresolved"] for s in found if s["unresolved"] is not None]
            if name == "fwrite" and error == "per-write" and plain:
                yield (name, PLAIN, limits[which], statistics.mean(plain))


def read(path, is_slow):
    root = tree.parse(path).getroot()
    step = number(root, ".//granularity_ns") or 0
    scenarios = {}
    for scenario in root.iter("scenario"):
        errors = {"measured": number(scenario, "measured_s"),
                  "writes": [(int(w.get("size")), float(w.get("measured_ns"))) for w in scenario.findall("write")],
                  "step": step, "unresolved": number(scenario, "model[@name='kernel']/unresolved_percent")}
        for model in scenario.findall("model"):
            errors[model.get("name")] = (number(model, "per_write_error_percent"), number(model, "total_error_percent"))
        scenarios[scenario.get("id")] = errors
    return {"path": path, "scenarios": scenarios, "goals": list(goals_of(scenarios, is_slow)), "root": root}


def by_size(runs):
    """The median cost of the writes of each size, over these runs."""
    costs = {}
    for run in runs:
        for size, cost in run["writes"]:
            costs.setdefault(size, []).append(cost)
    return {size: statistics.median(found) for size, found in costs.items()}


def write_error(predicted, measured, left_out, step):
    """As iowrite-bench/evaluate/measured.h: as far as the clock can tell."""
    return max(0, abs(predicted - measured) - left_out) / max(measured, step / 2)


def mean_error(run, predicted, error):
    left_out = left_out_of(run, error)
    return 100 * statistics.mean(write_error(p, cost, left_out, run["step"]) for p, (_, cost) in zip(predicted, run["writes"]))


def left_out_of(run, error):
    return 0 if error == PLAIN else run["step"]


def remembered(name, reports, error="per-write"):
    """How far off is who has seen all earlier series of the very same scenario (EARLIER_LEAST or more) and predicts their
    median, in percent, a pair for each series: errors per write, of each write the better of that write's median and that of
    all writes of its size, and of the total. A series with fewer before it has none."""
    found = []
    for at, report in enumerate(reports):
        run = report["scenarios"].get(name)
        earlier = [r["scenarios"][name] for r in reports[:at] if name in r["scenarios"]]
        if run is None or len(earlier) < EARLIER_LEAST:
            found.append((None, None))
            continue
        same = [statistics.median(costs) for costs in zip(*([c for _, c in e["writes"]] for e in earlier))]
        sizes = by_size(earlier)
        per_write = min(mean_error(run, same, error), mean_error(run, [sizes[size] for size, _ in run["writes"]], error))
        total = statistics.median(e["measured"] for e in earlier) / run["measured"] - 1
        found.append((per_write, 100 * total))
    return found


def least_error(measured, left_out=0, step=0):
    """Of the one answer that is least off, chosen afterwards, in parts: a bound for whoever says the same in each series.
    The mean of the errors has its least a step beside one of the measured costs."""
    answers = {m + side * left_out for m in measured for side in (-1, 1)}
    return min(statistics.mean(write_error(c, m, left_out, step) for m in measured) for c in answers)


def least_of(name, error, reports):
    """That bound for a scenario, in percent: of the total, or the mean over its writes, an answer for each."""
    runs = [r["scenarios"][name] for r in reports if name in r["scenarios"]]
    if error == "total":
        return 100 * least_error([run["measured"] for run in runs])
    left_out, step = max(left_out_of(run, error) for run in runs), max(run["step"] for run in runs)
    writes = zip(*([cost for _, cost in run["writes"]] for run in runs))
    return 100 * statistics.mean(least_error(costs, left_out, step) for costs in writes)


def least_by_size(name, reports):
    """The same per write for whoever says the same of all writes of one size: of synchronous ones no model knows more. Without
    the clock's step, which is nothing to them."""
    costs = {}
    runs = [r["scenarios"][name] for r in reports if name in r["scenarios"]]
    for run in runs:
        for size, cost in run["writes"]:
            costs.setdefault(size, []).append(cost)
    total = sum(len(found) * relative_median_error(found) for found in costs.values())
    return 100 * total / sum(len(found) for found in costs.values())


def relative_median_error(measured):
    """Mean of |c - m| / m for the best c, the median by the weight 1 / m."""
    rising, below = sorted(measured), 0
    half = sum(1 / m for m in rising) / 2
    for answer in rising:
        below += 1 / answer
        if below >= half:
            return statistics.mean(abs(answer - m) / m for m in rising)
    raise AssertionError("half of a sum is reached before its end")


# The sets by the scenarios' names.
def set_of(name):
    return {"f4": "sync", "f5": "sync", "f9": "fwrite"}.get(name[:2], "buffered")


def remembered_goal(goal, names, reports):
    """The same goal's figure of remembered(), for each series that has one: the mean over the set's scenarios."""
    which = int(goal[1] == "total")
    rows = [remembered(n, reports, goal[1]) for n in names if set_of(n) == goal[0].split("-")[0]]
    columns = [[abs(row[i][which]) for row in rows if row[i][which] is not None] for i in range(len(reports))]
    return [statistics.mean(column) for column in columns if column]


def table(title, reports):
    if not reports:
        return
    print(f"\n## {title}\n\n{len(reports)} series. Measured: the whole time of the scenario, ms, and by how much the series "
          "differ from their median at most: no total can be predicted better than it repeats. Error per write, then of the "
          "total, in percent. Earlier series: their "
          "median as the prediction of those that follow: what the machine itself changes. What is less than a step of the "
          "clock is no error per write; unresolved: what the kernel model's would be more if it were.\n")
    print("| scenario | measured | differ by | earlier series | naive | cawl | kernel | unresolved | earlier series, total "
          "| kernel, total | cawl, total |\n" + "|---" * 11 + "|")
    names = []
    for report in reports:
        names += [name for name in report["scenarios"] if name not in names]
    for name in names:
        found = [r["scenarios"][name] for r in reports if name in r["scenarios"]]
        times = [f["measured"] * 1e3 for f in found]
        middle = statistics.median(times)
        row = [f"{middle:.0f}", f"{100 * max(abs(t / middle - 1) for t in times):.1f} %"]
        again = [r for r in remembered(name, reports) if r[0] is not None]
        row += [spread([r[0] for r in again])]
        row += [spread([f[m][0] for f in found if m in f]) for m in MODELS]
        row += [spread([f["unresolved"] for f in found if f["unresolved"] is not None])]
        row += [spread([r[1] for r in again], 1)]
        row += [spread([f[m][1] for f in found if m in f], 1) for m in ("kernel", "cawl")]
        print(f"| {name} | " + " | ".join(row) + " |")
    print("\n| set | error | goal | " + " | ".join(f"series {i + 1}" for i in range(len(reports))) +
          " | mean | by all earlier series | no fixed answer is below |\n|---|---|---|" + "---|" * (len(reports) + 3))
    for key in [(g[0], g[1], g[2]) for g in reports[0]["goals"]]:
        reached = [g[3] for r in reports for g in r["goals"] if (g[0], g[1]) == key[:2]]
        again = remembered_goal(key, names, reports)
        memory = f"{statistics.mean(again):.1f}" if again else "-"
        least = [least_of(n, key[1], reports) for n in names if set_of(n) == key[0].split("-")[0]]
        bound = f"{statistics.mean(least):.1f}" if least else "-"
        print(f"| {key[0]} | {key[1]} | {key[2]:g} | " + " | ".join(f"{v:.1f}" for v in reached) +
              f" | {statistics.mean(reached):.1f} | {memory} | {bound} |")
    print(f"\nBy all earlier series: who has measured the very same scenario {EARLIER_LEAST} times or more and predicts the "
          "median of that is off by so much, in the mean of the series that follow.")
    print("\nNo fixed answer is below: one cost for each write, or one total for each scenario, the best for these series and "
          "chosen afterwards, is off by so much in the mean. Whoever predicts the same in each series is off by more.")
    equal = [least_by_size(name, reports) for name in names if set_of(name) == "sync"]
    if equal:
        print(f"\nOf synchronous writes, who says the same of all writes of one size is off by {statistics.mean(equal):.1f} per "
              "write at least: their state is the disk's, and no model sees it.")
    against_cawl(reports)


def compare(pairs):
    """(name, kernel's error, cawl's) as counts of better and of ties (up to 3 points), and what is worse in words."""
    better = sum(kernel <= cawl - 3 for _, kernel, cawl in pairs)
    worse = [f"{name} ({kernel:.1f}, cawl {cawl:.1f})" for name, kernel, cawl in pairs if kernel > cawl + 3]
    return (f"{better} better, {len(pairs) - better - len(worse)} ties (up to 3 points), "
            f"{len(worse)} worse{': ' + '; '.join(worse) if worse else ''}.")


def against_cawl(reports):
    pairs = [(f"{name} {error}", abs(s["kernel"][which]), abs(s["cawl"][which])) for report in reports
             for name, s in report["scenarios"].items() if "kernel" in s and "cawl" in s
             for which, error in enumerate(("per-write", "total"))]
    names = dict.fromkeys(pair[0] for pair in pairs)
    means = [(name,) + tuple(statistics.mean(p[i] for p in pairs if p[0] == name) for i in (1, 2)) for name in names]
    print(f"\nAgainst cawl, per write and of the total. In each series: {compare(pairs)}")
    print(f"\nThe means of the series: {compare(means)}")


def series_of(device, paths):
    """In the order of their numbers, which is that of time."""
    found = [p for p in paths if p.startswith(device + "-")]
    return [read(p, device == "slow") for p in sorted(found, key=lambda path: int(path.split("-")[1].split(".")[0]))]


def main(paths):
    fast, slow = series_of("fast", paths), series_of("slow", paths)
    print("# How far the models are off\n\nMade by `bench/iowrite-models.sh`: one calibration of each device, then series of "
          "`iowrite-bench evaluate --scenarios quick` at other times, each predicted from that calibration.")
    for report in (fast + slow)[:1]:
        root = report["root"]
        for name in ("modelname", "os_name", "os_release", "os_version"):
            found = next(root.iter(name), None)
            if found is not None and found.text:
                print(f"{name}: {found.text.strip()}  ")
    table("The machine's own disk", fast)
    table("A slow device (loop, 400 MB/s)", slow)


main(sys.argv[1:])
