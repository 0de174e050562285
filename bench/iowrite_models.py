# SPDX-License-Identifier: GPL-3.0-or-later
"""Pairs of a calibration and an evaluation (iowrite-models.sh) as tables in Markdown: the errors of each model by scenario,
and each pair's means beside the goals. Arguments: the evaluations, PLACE-NUMBER.xml, beside PLACE-NUMBER.system.xml."""
import statistics
import sys
import xml.etree.ElementTree as tree

MODELS = ("naive", "cawl", "kernel")
PLACES = {"fast": "The disk of the machine", "slow": "A slow device (loop)"}
# What the kernel model's errors are to stay below, in percent, as means over the scenarios: per write, of the total.
GOALS = {("buffered", "slow"): (20, 5), ("buffered", "fast"): (30, 9), ("sync", "fast"): (15, None), ("fwrite", "fast"): (15, 3)}
TIE = 3  # points: less is no difference


def number(node, path):
    found = node.find(path)
    return None if found is None or found.text is None else float(found.text)


def set_of(scenario):
    if scenario.startswith("c"):
        return "buffered"
    return "sync" if scenario[:2] in ("f4", "f5") else "fwrite"


def interval(model):
    """Low and high end of the predicted total in seconds; None without an interval."""
    ends = number(model, "predicted_low_s"), number(model, "predicted_high_s")
    return None if None in ends else ends


def covered(found):
    """"2 of 3": measured totals inside their interval."""
    known = [f for f in found if f["interval"]]
    return f"{sum(f['interval'][0] <= f['measured'] <= f['interval'][1] for f in known)} of {len(known)}" if known else "-"


def read(path):
    pair = {}
    for scenario in tree.parse(path).getroot().iter("scenario"):
        models = {model.get("name"): model for model in scenario.findall("model")}
        pair[scenario.get("id")] = {
            "measured": number(scenario, "measured_s"),
            "write": {m: number(models[m], "per_write_error_percent") for m in models},
            "near": {m: number(models[m], "within_tenth_percent") for m in models},
            "total": {m: number(models[m], "total_error_percent") for m in models},
            "interval": interval(models["kernel"]) if "kernel" in models else None,
            "band": number(models["kernel"], "coverage_percent") if "kernel" in models else None}
    return pair


def spread(values, digits=0):
    values = [value for value in values if value is not None]
    if not values:
        return "-"
    return f"{statistics.median(values):.{digits}f} ({min(values):.{digits}f} to {max(values):.{digits}f})"


def row(cells):
    print("| " + " | ".join(str(cell) for cell in cells) + " |")


def head(cells):
    row(cells)
    row(["---"] * len(cells))


def scenarios(pairs):
    head(["scenario", "measured, s"] + [f"{m}, a write" for m in MODELS] + [f"{m}, near" for m in MODELS] +
         [f"{m}, total" for m in MODELS] + ["in the band", "total in its interval"])
    for name in pairs[0]:
        found = [pair[name] for pair in pairs if name in pair]
        row([name, spread([f["measured"] for f in found], 2)] +
            [spread([f[kind].get(m) for f in found]) for kind in ("write", "near", "total") for m in MODELS] +
            [spread([f["band"] for f in found]), covered(found)])


def goals(place, pairs):
    head(["set", "error, %", "goal"] + [f"pair {i + 1}" for i in range(len(pairs))] + ["mean"])
    for name in ("sync", "buffered", "fwrite"):
        limits = GOALS.get((name, place), (None, None))
        for kind, limit in zip(("write", "total", "band"), limits + ("75 to 90",)):
            means = []
            for pair in pairs:
                found = [s[kind] if kind == "band" else abs(s[kind]["kernel"]) for scenario, s in pair.items()
                         if set_of(scenario) == name and (s["band"] is not None if kind == "band" else "kernel" in s[kind])]
                if found:
                    means.append(statistics.mean(found))
            if means:
                row([name, {"write": "a write", "band": "in the band"}.get(kind, kind), limit or "-"] +
                    [f"{mean:.1f}" for mean in means] + [f"{statistics.mean(means):.1f}"])


def beside_cawl(pairs):
    """How often the kernel model is nearer than cawl, by the medians of the pairs."""
    better, worse, ties = 0, [], 0
    for name in pairs[0]:
        for kind in ("write", "total"):
            errors = {m: statistics.median([abs(pair[name][kind][m]) for pair in pairs if name in pair]) for m in MODELS}
            if errors["kernel"] > errors["cawl"] + TIE:
                worse.append(f"{name} {kind} ({errors['kernel']:.1f}, cawl {errors['cawl']:.1f})")
            elif errors["kernel"] < errors["cawl"] - TIE:
                better += 1
            else:
                ties += 1
    print(f"\nBeside cawl: {better} better, {ties} within {TIE} points, {len(worse)} worse" +
          (": " + ", ".join(worse) if worse else "") + ".")


def main(paths):
    print("# How far the models of iowrite-bench are off\n")
    print("Made by `bench/iowrite-models.sh`. A pair is a calibration with defaults and an evaluation right behind it. Errors in\n"
          "percent, median (least to most) of the pairs; near: writes predicted within 10 %; in the band: throttled writes inside\n"
          "the kernel model's 10 to 90 %; total in its interval: pairs whose measured total is inside the kernel model's interval.")
    for place, title in PLACES.items():
        found = [path for path in paths if path.rsplit("/", 1)[-1].startswith(place)]
        if not found:
            continue
        pairs = [read(path) for path in found]
        print(f"\n## {title}\n\n{len(pairs)} pairs.\n")
        scenarios(pairs)
        print()
        goals(place, pairs)
        beside_cawl(pairs)


main(sys.argv[1:])
