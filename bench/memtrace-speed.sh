#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Cost of recording and analyzing; prints results/memtrace-speed.md.
# Usage: memtrace-speed.sh [PART...]    about faults rate clock refault analyses; all if none is given.
# Run it on an idle machine; the parts can be run one after another into one file, about first. Needs perf (faults), root and zram
# (refault), GNU time. BENCH_DIR: a folder on a disk, for a trace of SAMPLES samples (default .; 100000000 take 1 GiB). ROUNDS
# (default 15; of analyses ANALYSIS_ROUNDS, default 5).
set -eu
here=$(dirname "$0")
# shellcheck source=bench/lib.sh
. "$here/lib.sh"
build=${top_builddir:-$here/../build}
memtrace=$build/memtrace/memtrace
work=$build/bench/memory_work
folder=${BENCH_DIR:-.}
rounds=${ROUNDS:-15}
analysis_rounds=${ANALYSIS_ROUNDS:-5}
samples=${SAMPLES:-100000000}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
trap 'exit 1' HUP INT TERM

about() {
	cat <<END
# Overhead of memtrace

\`sh bench/memtrace-speed.sh\` on $(date -u +%F): $(nproc) CPUs, $(sed -n 's/^model name.*: //p' /proc/cpuinfo | head -n 1), Linux $(uname -r),
$(perf --version 2>/dev/null || echo 'no perf'); load before the run: $(cut -d' ' -f1 /proc/loadavg). Tables have medians with the quartiles of
$rounds rounds. A round runs the program alone and under each recorder, in alternating order; differences and slowdowns are computed per round.
END
}

# show FILE: "median (quartile..quartile)"
show() {
	sort -g "$1" | awk '
	function at(share, place, low) {
		place = 1 + (NR - 1) * share
		low = int(place)
		return low == NR ? v[low] : v[low] + (place - low) * (v[low + 1] - v[low])
	}
	{ v[NR] = $1 }
	END { printf "%.4g (%.4g..%.4g)", at(0.5), at(0.25), at(0.75) }'
}

# by A B: ratio of the medians
by() { awk -v a="$(median "$1")" -v b="$(median "$2")" 'BEGIN { printf "%.3g", a / b }'; }

# minus A B: line by line
minus() { paste "$1" "$2" | awk '{ print $1 - $2 }'; }

alone() { "$work" faults "$1"; }
by_perf() { perf record -q -e page-faults -c 1 -d -o "$dir/perf.data" "$work" faults "$1" 2>/dev/null; }
by_memtrace() { "$memtrace" record -q -e page-faults -o "$dir/faults.mtr" -- "$work" faults "$1"; }

faults() {
	times=8
	for round in $(seq "$rounds"); do
		order='alone by_perf by_memtrace'
		[ $((round % 2)) -eq 1 ] || order='by_memtrace by_perf alone'
		for recorder in $order; do
			$recorder $times >>"$dir/$recorder"
		done
		wc -c <"$dir/perf.data" >>"$dir/perf.bytes"
		wc -c <"$dir/faults.mtr" >>"$dir/memtrace.bytes"
		"$memtrace" report --json "$dir/faults.mtr" >"$dir/json"
		grep -o '"lost by the kernel (ring full)": *[0-9]*' "$dir/json" | grep -o '[0-9]*$' >>"$dir/memtrace.lost"
		grep -o -m 1 '"samples": *[0-9]*' "$dir/json" | head -n 1 | grep -o '[0-9]*$' >>"$dir/memtrace.samples"
		perf script -i "$dir/perf.data" --show-lost-events -F pid,tid,time,event,addr 2>/dev/null |
			awk '/PERF_RECORD_LOST/ { n += $NF } END { print n + 0 }' >>"$dir/perf.lost"
	done
	for recorder in by_perf by_memtrace; do
		minus "$dir/$recorder" "$dir/alone" >"$dir/$recorder.added"
	done
	cat <<END

## Recording every page fault

$times times 32768 first accesses to pages, in ns per fault: alone, under \`perf record -e page-faults -c 1 -d\` and under \`memtrace record -e
page-faults\` ($(awk -v ns="$(median "$dir/by_memtrace")" 'BEGIN { printf "%.0f", 1e6 / ns }') thousand faults per second). The goals are 0.8 times perf's added cost, a third of its file, and no lost fault.

| | ns per fault | added ns | added relative to perf | bytes per fault | file relative to perf | lost |
|---|---|---|---|---|---|---|
| alone | $(show "$dir/alone") | | | | | |
| perf | $(show "$dir/by_perf") | $(show "$dir/by_perf.added") | 1 | $(per_fault "$dir/perf.bytes") | 1 | $(show "$dir/perf.lost") |
| memtrace | $(show "$dir/by_memtrace") | $(show "$dir/by_memtrace.added") | $(by "$dir/by_memtrace.added" "$dir/by_perf.added") | $(per_fault "$dir/memtrace.bytes") | $(by "$dir/memtrace.bytes" "$dir/perf.bytes") | $(show "$dir/memtrace.lost") |
END
}

# As fast as two CPUs can: two copies at once.
rate() {
	for round in 1 2 3 4 5; do
		begin=$(date +%s%N)
		"$memtrace" record -q -e page-faults -o "$dir/rate.mtr" -- sh -c "'$work' faults 16 & '$work' faults 16; wait" >/dev/null
		echo $(($(date +%s%N) - begin)) >"$dir/ns"
		"$memtrace" report --json "$dir/rate.mtr" >"$dir/json"
		grep -o -m 1 '"samples": *[0-9]*' "$dir/json" | head -n 1 | grep -o '[0-9]*$' | awk -v ns="$(cat "$dir/ns")" '{ print $1 / ns * 1e6 }' \
			>>"$dir/rate"
		grep -o '"lost by the kernel (ring full)": *[0-9]*' "$dir/json" | grep -o '[0-9]*$' >>"$dir/rate.lost"
	done
	cat <<END

Two such programs at the same time, five runs: $(show "$dir/rate") thousand faults per second, lost $(show "$dir/rate.lost"). The goal is 400 thousand
without loss. A run's value is the median of $times rounds of the program.
END
}

per_fault() { awk -v bytes="$(median "$1")" -v faults="$(median "$dir/memtrace.samples")" 'BEGIN { printf "%.1f", bytes / faults }'; }

# slowdown NAME COUNT BYTES
slowdown() {
	rm -f "$dir"/clock.*
	for round in $(seq "$rounds"); do
		[ $((round % 2)) -eq 1 ] || "$work" loads 8 "$2" "$3" >>"$dir/clock.alone"
		"$memtrace" record -q -e cpu-clock -F 1000 -o "$dir/clock.mtr" -- "$work" loads 8 "$2" "$3" >>"$dir/clock.recorded"
		[ $((round % 2)) -eq 0 ] || "$work" loads 8 "$2" "$3" >>"$dir/clock.alone"
	done
	ratios "$dir/clock.recorded" "$dir/clock.alone" >"$dir/clock.ratio"
	printf '| %s | %s | %s | %s |\n' "$1" "$(show "$dir/clock.alone")" "$(show "$dir/clock.recorded")" "$(show "$dir/clock.ratio")"
}

clock() {
	cat <<'END'

## Sampling by the CPU clock, 1000 samples per second

Dependent loads at random addresses, recorded by `memtrace record -e cpu-clock -F 1000`, in ns per load. The goal is a slowdown of 1.03.

| memory | alone | recorded | slowdown |
|---|---|---|---|
END
	slowdown '64 KiB' 20000000 64k
	slowdown '256 MiB' 400000 256m
}

# What a page that is paged out takes of the program. Needs root and python3. REFAULT_SWAPS: values of with-pressure --swap (default:
# zram, and a file in BENCH_DIR). REFAULT_HZ (default 8000).
refault() {
	cat <<'END' >"$dir/page.py"
import csv, json, statistics, sys

folder = sys.argv[1]
more_cpu, more, stores = map(float, open(folder + "/refault.more").read().split())
faults = json.load(open(folder + "/refault.json"))["cost"]["pages that were paged out and come back by a page fault"]
calls = [int(row["weight"]) // 2 for row in csv.DictReader(open(folder + "/refault.csv"))]
for name, value in (("fault", faults["ns"] / faults["count"]), ("call", statistics.median(calls)),
                    ("cpu", more_cpu * stores / faults["count"]), ("wall", more * stores / faults["count"])):
    with open(folder + "/refault." + name, "a") as out:
        print(value / 1e3, file=out)
END
	hz=${REFAULT_HZ:-8000}
	cat <<END

## Pages that are paged out and come back

Stores to random pages of 64 MiB that do not compress, which \`memtrace record -e refault -F $hz\` records for 20 ms and does not
record for 20 ms, in turn; $rounds runs of 300 pairs. In us per page: the time of its page fault, which memtrace measures in the
kernel; the call of process_madvise on the other CPU; what the program took more while it was recorded, of CPU time and wall time.

| swap | page fault | call | CPU time added | wall time added |
|---|---|---|---|---|
END
	for swap in ${REFAULT_SWAPS:-zram:256m file:$folder/memtrace-speed.swap,256m}; do
		rm -f "$dir"/refault.*
		# shellcheck disable=SC2016 # for the inner shell
		"$build/with-pressure/with-pressure" -q "--swap=$swap" -- sh -euc '
			dir=$1 hz=$2 rounds=$3 memtrace=$4 work=$5
			for round in $(seq "$rounds"); do
				"$memtrace" record -q -e refault -F "$hz" --control "$dir/fifo" --paused -o "$dir/refault.mtr" -- \
					"$work" recorded 300 500000 64m >"$dir/refault.more"
				"$memtrace" report --json "$dir/refault.mtr" >"$dir/refault.json"
				"$memtrace" export --kind out -o "$dir/refault.csv" "$dir/refault.mtr"
				python3 "$dir/page.py" "$dir"
			done' refault "$dir" "$hz" "$rounds" "$memtrace" "$work"
		printf '| %s | %s | %s | %s | %s |\n' "${swap%%:*}" "$(show "$dir/refault.fault")" "$(show "$dir/refault.call")" \
			"$(show "$dir/refault.cpu")" "$(show "$dir/refault.wall")"
	done
}

analyses() {
	trace=$folder/memtrace-speed.mtr
	[ -e "$trace" ] || "$build/bench/trace_make" "$trace" "$samples"
	cat <<END

## Analyzing $((samples / 1000000)) million samples

The recording of $(($(wc -c <"$trace") / 1048576)) MiB is in the page cache: two threads, a power-law popularity over 262144 pages. Time and largest resident set of
$analysis_rounds runs of each, median and quartiles. The goals are 10 s and 1 GiB.

| | seconds | MiB |
|---|---|---|
END
	cat "$trace" >/dev/null
	all=${ANALYSES:-report pattern count hotset missratio skew reuse sharing}
	for round in $(seq "$analysis_rounds"); do
		for analysis in $all; do
			command=$analysis
			[ "$analysis" = report ] || command="analyze $analysis"
			# shellcheck disable=SC2086 # two words
			if /usr/bin/time -o "$dir/time" -f '%e %M' "$memtrace" $command "$trace" >/dev/null 2>"$dir/error"; then
				awk '{ print $1 }' "$dir/time" >>"$dir/$analysis.seconds"
				awk '{ print $2 / 1024 }' "$dir/time" >>"$dir/$analysis.mib"
			else
				head -n 1 "$dir/error" >"$dir/$analysis.error"
			fi
		done
	done
	for analysis in $all; do
		command=$analysis
		[ "$analysis" = report ] || command="analyze $analysis"
		if [ -e "$dir/$analysis.error" ]; then
			echo "| $command | | $(cat "$dir/$analysis.error") |"
		else
			echo "| $command | $(show "$dir/$analysis.seconds") | $(show "$dir/$analysis.mib") |"
		fi
	done
	rm -f "$trace"
}

[ $# -gt 0 ] || set -- about faults rate clock refault analyses
for part; do
	$part
done
