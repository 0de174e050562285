#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# pmbench against the original, in interleaved pairs (A B B A), and both beside the serial floor.
# PEER_PMBENCH=path of the original's binary; PAIRS (default 7); SECONDS_EACH (default 3). Needs an idle machine; the
# paging part needs root and zram. Prints Markdown tables.
set -eu
here=$(dirname "$0")
# shellcheck source=bench/lib.sh
. "$here/lib.sh"
build=${top_builddir:-$here/../build}
ours=$build/pmbench/pmbench
pressure=$build/with-pressure/with-pressure
floor=$build/bench/floor
peer=${PEER_PMBENCH:-}
pairs=${PAIRS:-7}
seconds=${SECONDS_EACH:-3}
cpu=${BENCH_CPU:-$(nproc --all | awk '{ print $1 - 1 }')}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

if [ -z "$peer" ]; then
	echo "skipped: set PEER_PMBENCH to the path of the original pmbench"
	exit 0
fi
[ -x "$peer" ] || { echo "bench: PEER_PMBENCH=$peer: not an executable" >&2; exit 2; }

# Accesses per second of the run in $1, by the original's own line.
rate()
{
	awk '/Benchmark done - took/ { rate += $9 / $6 } END { if (!rate) exit 1; printf "%.0f\n", rate }' "$1"
}

run_peer() { taskset -c "$cpu" "$peer" "$@" "$seconds" > "$dir/out" 2>&1; }
run_ours() { taskset -c "$cpu" "$ours" "$@" "$seconds" > "$dir/out"; }

# once a|b FILE TIMER_OF_OURS SIZE
once()
{
	case $1 in
	a) run_ours -m "$4" -s "$4" -p uniform -r 50 -t "$3" ;;
	b) run_peer -m "$4" -s "$4" -p uniform -r 50 -t rdtscp ;;
	esac
	rate "$dir/out" >> "$2"
}

# compare NAME TIMER SIZE
compare()
{
	i=0
	while [ "$i" -lt "$pairs" ]; do
		if [ $((i % 2)) -eq 0 ]; then order='a b'; else order='b a'; fi
		for side in $order; do
			once "$side" "$dir/$1.$side" "$2" "$3"
		done
		taskset -c "$cpu" "$floor" "$3" "${seconds}s" | awk '{ print $1 }' >> "$dir/$1.floor"
		i=$((i + 1))
	done
	row "$1" "$dir/$1.a" "$dir/$1.b"
	awk -v a="$(median "$dir/$1.a")" -v b="$(median "$dir/$1.b")" -v f="$(median "$dir/$1.floor")" -v n="$1" 'BEGIN {
		printf "%s: serial floor %.2f ns, pmbench %.2f ns (+%.1f), original %.2f ns (+%.1f)\n", n, 1e9 / f,
			1e9 / a, 1e9 / a - 1e9 / f, 1e9 / b, 1e9 / b - 1e9 / f }' >> "$dir/floors"
}

echo "## Resident maps, accesses per second (1 thread, half reads, $seconds s, $pairs pairs, classes and percentiles on)"
echo
echo '| case | pmbench: median (min..max) | original | ratio of pairs: median (min..max) |'
echo '|---|---|---|---|'
compare same-timer-256MiB rdtscp-unfenced 256
compare same-timer-1MiB rdtscp-unfenced 1
compare fenced-256MiB rdtscp 256
compare fenced-1MiB rdtscp 1
echo
sed 's/^/- /' "$dir/floors"
echo

if [ "$(id -u)" -ne 0 ] || [ ! -e /sys/class/zram-control ]; then
	echo "paging skipped: needs root and zram"
	exit 0
fi
# All writes and no initialisation: then both programs store the same words, and zram compresses the same content.
page="-m 512 -s 512 -c -r 0 -p uniform"
inexact=0
i=0
while [ "$i" -lt "$pairs" ]; do
	if [ $((i % 2)) -eq 0 ]; then order='a b'; else order='b a'; fi
	for side in $order; do
		case $side in
		a) command="$ours -t rdtscp-unfenced" ;;
		b) command="$peer -t rdtscp" ;;
		esac
		# shellcheck disable=SC2086
		"$pressure" --ram 128M --swap zram:1G -- taskset -c "$cpu" $command $page "$seconds" > "$dir/out" 2>"$dir/err" ||
			{ cat "$dir/err" >&2; exit 1; }
		histogram_median 2048 < "$dir/out" >> "$dir/paging.$side"
		if [ "$side" = a ]; then
			inexact=$((inexact + $(grep -c INEXACT "$dir/out" || true)))
		fi
	done
	i=$((i + 1))
done
echo "## Paging 512 MiB in 128 MiB on zram, median latency of accesses over 2048 ns, in ns"
echo
echo '| case | pmbench: median (min..max) | original | ratio of pairs: median (min..max) |'
echo '|---|---|---|---|'
row paging "$dir/paging.a" "$dir/paging.b"
echo
echo "- runs with inexact classification, of $pairs: $inexact"
