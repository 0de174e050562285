#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# How well the engines that need no hardware find the pages that programs access most; prints a section of
# results/memtrace-accuracy.md.
# Usage: memtrace-engines.sh [PART...]    known databases bound; all if none is given.
# Run it as root, on an idle machine; it needs python3, util-linux, zram for refault, and for
# two programs python3's sqlite3 and DuckDB for node (MEMTRACE_MODULES, default /usr/local/lib/node_modules).
# BEFORE=PATH: also run the engine cpu-clock of this memtrace. TIME: seconds of a run (default 6). PAGES (default 16384).
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "${top_builddir:-$here/../build}" && pwd)
PATH=$build/memtrace:$build/with-pressure:$PATH
time=${TIME:-6}
pages=${PAGES:-16384}
modules=${MEMTRACE_MODULES:-/usr/local/lib/node_modules}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
trap 'exit 1' HUP INT TERM
cd "$dir"
paused=

# count TEXT: the number in the summary before this text
count() { sed -n "s/.*: \([0-9]*\) samples $1.*/\1/p" summary | awk '{ n += $1 } END { print n + 0 }'; }

# row PROGRAM ENGINE TRUTH: of the recording and its summary
row() {
	memtrace export --kind access,load,store,update,minor,major,out -o recording.csv recording.mtr 2>/dev/null || [ $? = 4 ]
	taken=$(count 'by ')
	dropped=$(($(count 'are missing: whose base') + $(count 'are missing: without an address') +
		$(count 'are missing: in code without') + $(count 'are missing: outside')))
	# shellcheck disable=SC2046 # six numbers
	set -- "$1" "$2" $(python3 "$here/../tests/lib/page_accuracy.py" "$3" recording.csv) $(count 'whose base register was overwritten were recovered')
	awk -v program="$1" -v engine="$2" -v samples="$3" -v ranks="$4" -v found="$5" -v share="$6" -v true="$7" -v recovered="$8" \
		-v taken="$taken" -v dropped="$dropped" 'BEGIN {
		all = taken + dropped
		printf "| %s | %s | %d | %.1f | %.1f | %s | %s | %s | %s |\n", program, engine, samples, all ? 100 * recovered / all : 0,
			all ? 100 * dropped / all : 0, ranks, found, share, true }'
}

# run PROGRAM ENGINE TRUTH COMMAND...
# shellcheck disable=SC2086 # paused has several words
run() {
	program=$1 engine=$2 truth=$3
	shift 3
	status=0
	rm -f control
	case $engine in
	before) "$BEFORE" record -e cpu-clock $paused -o recording.mtr -- "$@" >output 2>summary || status=$? ;;
	refault) with-pressure -q --swap=zram:512m -- memtrace record -e refault $paused -o recording.mtr -- "$@" >output 2>summary || status=$? ;;
	*) memtrace record -e "$engine" $paused -o recording.mtr -- "$@" >output 2>summary || status=$? ;;
	esac
	case $status in
	0 | 4) row "$program" "$engine" "$truth" ;;
	*) echo "| $program | $engine: $(tail -n 1 summary) |" ;;
	esac
}

# against NAME COMMAND...
against() {
	name=$1
	shift
	memtrace record -q -e burst -F 20 -c 1000 -o truth.mtr -- setarch -R "$@" >output 2>summary || [ $? = 4 ]
	memtrace export -o truth.csv truth.mtr 2>/dev/null || [ $? = 4 ]
	python3 - >truth <<-'END'
		import collections, csv
		counts = collections.Counter(int(row["address"], 0) // 4096 * 4096 for row in csv.DictReader(open("truth.csv")))
		for page, count in counts.items():
		    print("%x %d" % (page, count))
	END
	for engine in ${BEFORE:+before} cpu-clock burst; do
		run "$name" "$engine" truth setarch -R "$@"
	done
}

python_program() {
	cat <<END
import sqlite3

db = sqlite3.connect(":memory:")
db.execute("CREATE TABLE item (id INTEGER PRIMARY KEY, key INTEGER, text TEXT)")
db.executemany("INSERT INTO item VALUES (?, ?, ?)", ((i, i * 7919 % 100003, str(i) * 3) for i in range(200000)))
db.execute("CREATE INDEX by_key ON item (key)")
for i in range(150000):
    db.execute("SELECT count(*), sum(id) FROM item WHERE key = ?", (i * i * 31 % 100003,)).fetchone()
END
}

known() {
	cat <<END
## Engines without hardware

\`sh bench/memtrace-engines.sh\` on $(date -u +%F): $(nproc) CPUs, $(sed -n 's/^model name.*: //p' /proc/cpuinfo | head -n 1), Linux $(uname -r).
Each engine records at its default rate. The programs of the first table count their accesses themselves: \`page_truth\` follows a
\`list\` of pointers, reads an \`array\` by computed indices, looks keys up in a \`hash\` table, and reads each \`pointer\` from a table
before what it points to, for $time s in $pages pages whose popularity falls with the rank to the power 0.8. The loads overwrite the register of their address.
Dropped: of the samples that may be accesses, those without an address. Ranks: Spearman's correlation of all pages. Top 1 %: the
share of the most popular 1 % of the pages that the engine finds, and their share of the accesses, by the engine and in truth.

| program | engine | samples | recovered % | dropped % | ranks | top 1 % found | their share | true share |
|---|---|---|---|---|---|---|---|---|
END

	paused='--control control --paused'
	for kind in list pointer array hash; do
		for engine in ${BEFORE:+before} cpu-clock burst refault; do
			run $kind "$engine" truth "$build/tests/host/page_truth" $kind "$pages" "$time" truth
		done
	done
}

databases() {
	cat <<END

SQLite and DuckDB are compared with a recording by long bursts (\`-e burst -F 20 -c 1000\`) of another run at the same addresses
(setarch -R), of all pages that it has: it is unbiased, but has few bursts, so that no engine can agree with it fully.

| program | engine | samples | recovered % | dropped % | ranks | top 1 % found | their share | share by long bursts |
|---|---|---|---|---|---|---|---|---|
END
	paused=
	python_program >sqlite.py
	against SQLite env PYTHONHASHSEED=0 python3 sqlite.py
	if [ -d "$modules/@duckdb/node-api" ]; then
		MEMTRACE_CONTROL=$dir/control MODULES=$modules
		export MEMTRACE_CONTROL MODULES
		against DuckDB node "$here/../suites/memtrace/duckdb.mjs" 1000000 4
	fi
}

bound() {
	cat <<END

How wrong the engine cpu-clock becomes by what it drops: the most popular 1 % of $pages pages get a part of the accesses, by
loads that it cannot recover, the other pages the rest, by loads that it can. An engine without this loss has the last two columns equal.

| part of the accesses, % | engine | samples | recovered % | dropped % | ranks | top 1 % found | their share | true share |
|---|---|---|---|---|---|---|---|---|
END
	paused='--control control --paused'
	for percent in 1 2 5 10 20 50; do
		run $percent cpu-clock truth "$build/tests/host/page_truth" mixed "$pages" "$time" truth $percent
	done
}

[ $# -gt 0 ] || set -- known databases bound
for part; do
	"$part"
done
