#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Overhead of iowrite-bench; writes results/iowrite-speed.md: overhead of measuring a write, cost of a prediction, comparison
# with fio.
# Usage: iowrite-speed.sh [PART...]    about overhead model, and those of iowrite-vs-fio.sh; all if none is given.
# Run it on an idle machine; the parts can be run one after another into one file, about first.
# BENCH_DIR: a folder on the disk (default .); BENCH_MEMORY: a folder of a tmpfs (default /dev/shm).
set -eu
here=$(dirname "$0")
build=${top_builddir:-$here/../build}
target=${BENCH_DIR:-.}
memory=${BENCH_MEMORY:-/dev/shm}
pairs=${PAIRS:-7}

about() {
	cat <<END
# Overhead of iowrite-bench

\`make bench\` on $(date -u +%F): $(nproc) CPUs, $(sed -n 's/^model name.*: //p' /proc/cpuinfo | head -n 1), Linux $(uname -r),
disk $(df --output=fstype,source "$target" | awk 'NR == 2 { print $1 " on " $2 }'); load before the run: $(cut -d' ' -f1 /proc/loadavg). Tables have medians with the smallest and the largest value.
Pairs are interleaved (A B B A), so that a slowdown of the machine affects both programs. The smallest and the largest of $pairs
ratios contain the median with a probability of $(awk -v n="$pairs" 'BEGIN { printf "%.0f", 100 * (1 - 2 ^ (1 - n)) }') %: if 1 is between them, no difference was found.
END
}

overhead() {
	cat <<'END'

## Overhead of measuring a buffered write

65536 pwrites over cached, dirty pages, the cheapest kind of write, in ns per write: in a bare loop with one stamp before and
one after all writes, and in the measured loop of `iowrite-bench run`, which stamps and records each write. *Added* is the
difference of the two loops in a pair. *Inside* is the part of it between the two stamps of a write, which each reported cost
includes (a run reports the two stamps alone as `clock/overhead_ns`). The goals are less than 100 ns, and no page fault between the
first and the last stamp.

| file system, write | bare | measured | added | inside | page faults: bare, measured |
|---|---|---|---|---|---|
END
	"$build/bench/iowrite_overhead" 61 "$memory" "$target"
}

model() {
	cat <<'END'

## Cost of a prediction

Time to predict a million random writes of 64 KiB in a file of 64 GiB, half of which may stay dirty, and resident set of the process,
including the list of writes. The goals are less than 5 s and less than 200 MiB per model.

| model | time | per write | resident set | predicted total |
|---|---|---|---|---|
END
	for name in naive cawl kernel; do
		"$build/bench/model_speed" "$name"
	done
}

fio_table() { # fio_table PART...
	cat <<END

## Comparison with fio ($*)

\`iowrite-bench run --method=pwrite\` and $(fio --version), psync engine, $pairs pairs; cases have the names of reports:
mode, sync, regime, order, size. Overwritten files have 64 MiB and are written repeatedly for ${BENCH_TIME:-1000} ms; growing files are
written once.

| case | | iowrite-bench: median (min..max) | fio | ratio of pairs: median (min..max) |
|---|---|---|---|---|
END
	sh "$here/iowrite-vs-fio.sh" "$@"
}

[ $# -gt 0 ] || set -- about overhead model overwrite append direct direct-sync sync each
for part; do
	case $part in
	about | overhead | model) "$part" ;;
	*) fio_table "$part" ;;
	esac
done
