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
count=0 failed=''
for target in "$source"/tests/fuzz/fuzz_*.c; do
	[ -f "$target" ] || continue
	name=$(basename "$target" .c)
	name=${name#fuzz_}
	seeds=$source/tests/fuzz/corpus-$name
	# New inputs go to the first folder; the seeds are only read.
	grown=$build/fuzz-corpus-$name
	mkdir -p "$grown"
	set -- "$grown"
	[ ! -d "$seeds" ] || set -- "$grown" "$seeds"
	echo "fuzz: $name for $seconds s"
	count=$((count + 1))
	if ! "$build/tests/fuzz/fuzz_$name" -max_total_time="$seconds" -timeout=5 -rss_limit_mb=1024 \
		-artifact_prefix="$findings/$name-" "$@" >"$build/fuzz-$name.log" 2>&1; then
		tail -n 30 "$build/fuzz-$name.log"
		failed="$failed $name"
	else
		tail -n 1 "$build/fuzz-$name.log"
	fi
done
[ "$count" -gt 0 ] || { echo "fuzz: no targets" >&2; exit 1; }
[ -z "$failed" ] || { echo "fuzz: findings in $findings by:$failed" >&2; exit 1; }
echo "fuzz: $count targets, no findings"
