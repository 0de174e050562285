#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Usage: fuzz.sh SOURCE BUILD     runs each tests/fuzz/fuzz_NAME for FUZZ_SECONDS from its seeds in
# tests/fuzz/corpus-NAME. What is found lies in BUILD/fuzz-findings/; exit 1 when there is any.
set -eu
source=$(cd "$1" && pwd)
build=$(cd "$2" && pwd)
seconds=${FUZZ_SECONDS:-10}
findings=$build/fuzz-findings
mkdir -p "$findings"
jobs=$(nproc)
rm -f "$findings/failed"

# NAME: in the background, its output in BUILD/fuzz-NAME.log. New inputs go to the first folder; the seeds are only read.
fuzz() {
	seeds=$source/tests/fuzz/corpus-$1 grown=$build/fuzz-corpus-$1
	mkdir -p "$grown"
	set -- "$1" "$grown"
	[ ! -d "$seeds" ] || set -- "$@" "$seeds"
	name=$1
	shift
	"$build/tests/fuzz/fuzz_$name" -max_total_time="$seconds" -timeout=5 -rss_limit_mb=1024 \
		-artifact_prefix="$findings/$name-" "$@" >"$build/fuzz-$name.log" 2>&1 || echo "$name" >>"$findings/failed"
}

# As many at a time as there are CPUs: each takes the same time.
count=0
for target in "$source"/tests/fuzz/fuzz_*.c; do
	[ -f "$target" ] || continue
	name=$(basename "$target" .c)
	fuzz "${name#fuzz_}" &
	count=$((count + 1))
	[ $((count % jobs)) -gt 0 ] || wait
done
wait
[ "$count" -gt 0 ] || { echo "fuzz: no targets" >&2; exit 1; }
for log in "$build"/fuzz-*.log; do
	echo "$(basename "$log" .log): $(tail -n 1 "$log")"
done
if [ -s "$findings/failed" ]; then
	while read -r name; do tail -n 30 "$build/fuzz-$name.log"; done <"$findings/failed"
	echo "fuzz: findings in $findings by: $(tr '\n' ' ' <"$findings/failed")" >&2
	exit 1
fi
echo "fuzz: $count targets, no findings"
