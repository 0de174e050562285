#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The wall time of a short command by with-pressure -f against that of hyperfine --shell=none, or of perf stat where hyperfine is
# not installed: batches of RUNS (default 20) in turn, A B B A, ROUNDS (default 20) pairs; of each batch the median. COMMAND
# (default true). Prints a Markdown table: ms, median and spread of the batches, and the median ratio.
set -eu
here=$(dirname "$0")
# shellcheck source=bench/lib.sh
. "$here/lib.sh"
build=${top_builddir:-$here/../build}
rounds=${ROUNDS:-20}
runs=${RUNS:-20}
command=${COMMAND:-true}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

# Each writes RUNS times in ms to the file batch.
with_pressure()
{
	i=0
	while [ "$i" -lt "$runs" ]; do
		# shellcheck disable=SC2086 # words
		"$build/with-pressure/with-pressure" -f "$dir/report" -- $command
		sed -n 's,.*<wall_ns>\(.*\)</wall_ns>.*,\1,p' "$dir/report" | awk '{ print $1 / 1e6 }'
		i=$((i + 1))
	done >"$dir/batch"
}
by_hyperfine()
{
	hyperfine --shell=none --style=none --runs "$runs" --export-json "$dir/json" "$command" >/dev/null 2>&1
	sed -n '/"times": \[/,/\]/p' "$dir/json" | tr -d ' ,' | awk '/^[0-9]/ { print $1 * 1e3 }' >"$dir/batch"
}
by_perf()
{
	i=0
	while [ "$i" -lt "$runs" ]; do
		# shellcheck disable=SC2086 # words
		perf stat -x, -e duration_time -o "$dir/stat" -- $command
		awk -F, '/duration_time/ { print $1 / 1e6 }' "$dir/stat"
		i=$((i + 1))
	done >"$dir/batch"
}

if command -v hyperfine >/dev/null; then
	other=hyperfine
elif command -v perf >/dev/null; then
	other=perf
else
	echo 'with-pressure-speed skipped: needs hyperfine or perf'
	exit 0
fi
round=0
while [ "$round" -lt "$rounds" ]; do
	order="with_pressure by_$other"
	[ $((round % 2)) = 0 ] || order="by_$other with_pressure"
	for tool in $order; do
		$tool
		median "$dir/batch" >>"$dir/$tool"
	done
	round=$((round + 1))
done
echo "## \`$command\`, $rounds pairs of $runs runs"
echo
echo "| command | with-pressure: ms | $other: ms | ratio |"
echo '|---|---|---|---|'
row "$command" "$dir/with_pressure" "$dir/by_$other"
