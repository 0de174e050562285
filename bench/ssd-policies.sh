#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# What the policies of the simulated device do to each mix: RUNS runs (default 3, each with a seed of its own) of SECONDS_EACH of
# virtual time (default 10) of each policy in each mix, as Markdown tables for results/ssd-policies.md. Virtual time: the same
# numbers on every machine, idle or not. Each area is written three times before (FILL): in the second pass of 1-1
# amplification still has an echo of the first. Needs python3; takes 10 minutes of CPU time.
set -eu
build=${top_builddir:-$(dirname "$0")/../build}
ours=$build/ssd-workloads/ssd-workloads
runs=${RUNS:-3}
seconds=${SECONDS_EACH:-10}
fill=${FILL:-3}

command -v python3 >/dev/null || { echo "skipped: python3 is not installed"; exit 0; }
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
trap 'exit 1' HUP INT TERM

cat >"$dir/row.py" <<'END'
import json, sys

name, path = sys.argv[1:]
repetitions = json.load(open(path))["ssdworkloads"]["report"]["result"]["repetition"]

def of(repetition, stream, member):
    for result in repetition["stream_result"]:
        if result["stream"] == stream:
            return member(result)
    return None

def handle(repetition, data):
    for row in repetition["device"].get("handle", []):
        if row["data"] == data:
            return row.get("write_amplification")
    return None

def cell(values, form):
    if any(value is None for value in values):
        return "-"
    values = sorted(values)
    low, middle, high = (form % values[at] for at in (0, len(values) // 2, -1))
    return middle if low == high else f"{middle} ({low}..{high})"

def copies(repetition):
    device = repetition["device"]
    return device["copies"] / device["collections"] if device["collections"] else 0

columns = [
    ("%.2f", lambda r: of(r, "log", lambda s: s["response"]["mean_ns"] / 1e6)),
    ("%.2f", lambda r: of(r, "log", lambda s: s["response"]["p999_ns"] / 1e6)),
    ("%.1f", lambda r: of(r, "log", lambda s: s["bytes_per_second"] / 1e6)),
    ("%.1f", lambda r: of(r, "checkpoint", lambda s: s["bytes_per_second"] / 1e6)),
    ("%.2f", copies),
    ("%.3f", lambda r: r["device"]["write_amplification"]),
    ("%.3f", lambda r: handle(r, "log")),
    ("%.3f", lambda r: handle(r, "checkpoint")),
]
print(f"| {name} | " + " | ".join(cell([value(r) for r in repetitions], form) for form, value in columns) + " |")
END

# row NAME OPTION...
row() {
	name=$1
	shift
	"$ours" run --target=sim:small --runtime="${seconds}s" --runs="$runs" --records=0 --sim fill="$fill" \
		"$@" --json="$dir/run.json" >/dev/null
	python3 "$dir/row.py" "$name" "$dir/run.json"
}

# table TITLE OPTION...
table() {
	printf '\n## %s\n\n' "$1"
	shift
	echo '| policy | log mean ms | log p99.9 ms | log MB/s | checkpoint MB/s | copies/GC | WA | WA log | WA checkpoint |'
	echo '|---|---|---|---|---|---|---|---|---|'
	row 'none (the firmware)' "$@"
	row multistream "$@" --policy=multistream
	row fdp "$@" --policy=fdp
	row log-first "$@" --policy=log-first
	row hints "$@" --policy=hints
	row 'hints, checkpoint sooner' "$@" --policy=hints,log=20ms,checkpoint=1ms
	row history "$@" --policy=history
	row 'history, recovery=32m' "$@" --policy=history,recovery=32m
	row 'log-first when the log waits' "$@" --policy='log-first:if=log.step(6,7)>2ms && busy>=4 for 20ms'
	row 'multistream when pages are copied' "$@" --policy='multistream:if=copies>=8'
	row 'multistream, log-first' "$@" --policy=multistream --policy=log-first
}

echo "ssd-workloads run --target=sim:small, $runs runs of $seconds s of virtual time after $fill passes of each area:"
echo "median (least..most)"
for mix in 1-1 1-N M-N 1-0 M-0 0-1 0-N; do
	table "$mix" --mix=$mix
done
table '1-N, the checkpoint writes pages of 16 KiB drawn from a larger area' --mix=1-N --ckpt-bs=16k --ckpt-order=uniform \
	--log-size=512m --ckpt-size=2500m
