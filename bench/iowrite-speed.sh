#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# What iowrite-bench itself costs; writes results/iowrite-speed.md: what measuring adds to a write, what predicting
# costs, and the same writes by fio.
# Usage: iowrite-speed.sh [PART...]    about overhead model, and those of iowrite-vs-fio.sh; all if none is given.
# To be run on an idle machine; in slices: the parts one after another into one file, about first.
# BENCH_DIR: a folder on the disk (default .); BENCH_MEMORY: a folder of a tmpfs (default /dev/shm).
set -eu
here=$(dirname "$0")
build=${top_builddir:-$here/../build}
target=${BENCH_DIR:-.}
memory=${BENCH_MEMORY:-/dev/shm}
pairs=${PAIRS:-7}

about() {
	cat <<END
# What iowrite-bench itself costs

\`make bench\` on $(date -u +%F): $(nproc) CPUs, $(sed -n 's/^model name.*: //p' /proc/cpuinfo | head -n 1), Linux $(uname -r),
disk $(df --output=fstype,source "$target" | awk 'NR == 2 { print $1 " on " $2 }'); load $(cut -d' ' -f1 /proc/loadavg) before. Tables have medians with the smallest and the largest value.
Pairs are interleaved (A B B A), so that a machine that becomes slower does so to both. Of $pairs ratios the smallest and the
largest hold the median with $(awk -v n="$pairs" 'BEGIN { printf "%.0f", 100 * (1 - 2 ^ (1 - n)) }') %: where 1 lies between them, there is no difference to be seen.
END
}

overhead() {
	cat <<'END'

## What measuring adds to a buffered write

65536 pwrites over pages that are cached and dirty, as cheap as writes get: bare in a loop with one stamp before and one
after all of them, and by the measured loop of `iowrite-bench run`, which stamps and records each; ns a write. *Added*
is the difference of the two loops in a pair; *inside* is what of it lies between the two stamps of a write, and so in
each reported cost (a run reports the two stamps alone as `clock/overhead_ns`). The goal is less than 100 ns, and no
page fault between the first stamp and the last.

| file system, write | bare | measured | added | inside | page faults: bare, measured |
|---|---|---|---|---|---|
END
	"$build/bench/iowrite_overhead" 61 "$memory" "$target"
}

model() {
	cat <<'END'

## What predicting costs

A million random writes of 64 KiB in a file of 64 GiB, half of which may stay dirty: time, and the resident set of the
whole process, the list of writes in it. The goal is less than 5 s and less than 200 MiB for each model.

| model | time | a write | resident | predicts |
|---|---|---|---|---|
END
	for name in naive cawl kernel; do
		"$build/bench/model_speed" "$name"
	done
}

fio_table() { # fio_table PART...
	cat <<END

## The same writes by fio ($*)

\`iowrite-bench run --method=pwrite\` and $(fio --version), psync engine, $pairs pairs; cases have the names of reports:
mode, sync, regime, order, size. Files that are written over have 64 MiB, and are written again and again for
${BENCH_TIME:-1000} ms; one that grows is written once.

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
