#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The suite of memory traces of databases: its statements hold here, or its steps are skipped with a reason.
. "$top_srcdir/tests/lib/tap.sh"
. "$top_srcdir/tests/lib/program.sh"
cd "$tmp" || exit 1
PATH=$top_builddir/memtrace:$top_builddir/bench:$PATH
suite=$top_srcdir/suites/memtrace/databases.toml

status=0
memtrace record -q -e burst -o probe.mtr -- true 2>err || status=$?
if [ $status = 3 ]; then
	echo "1..0 # SKIP $(cat err)"
	exit
fi
# --- a server whose script is killed is stopped, and its data are removed
server=/usr/lib/postgresql/15/bin
if [ -x $server/postgres ] && command -v psql >/dev/null && { [ "$(id -u)" != 0 ] || id postgres >/dev/null 2>&1; }; then
	mkdir -m 755 temporary killed
	chmod 755 .
	TMPDIR=$tmp/temporary sh "$top_srcdir/suites/memtrace/postgres.sh" killed cpu-clock 100000 $server >killed.txt 2>&1 &
	script=$!
	tries=0
	# A number below 0 is of a process of initdb.
	while [ $tries -lt 600 ]; do
		pid=$(head -n 1 temporary/*/db/postmaster.pid 2>/dev/null)
		case $pid in [1-9]*) break ;; esac
		sleep 0.1
		tries=$((tries + 1))
	done
	check "the server of the script runs" test "${pid:-0}" -gt 0
	kill -KILL $script
	wait $script 2>/dev/null
	tries=0
	while ls temporary/* >/dev/null 2>&1 && [ $tries -lt 600 ]; do sleep 0.1; tries=$((tries + 1)); done
	check "a killed script leaves no data" sh -c '! ls temporary/* >/dev/null 2>&1'
	# Its parent, the recorder, waits for it.
	while [ -e "/proc/${pid:-self}" ] && [ $tries -lt 600 ]; do sleep 0.1; tries=$((tries + 1)); done
	check "a killed script leaves no server" test ! -e "/proc/${pid:-self}"
else
	skip "a killed script leaves no server" "PostgreSQL 15 is not installed"
fi

# --- its statements
mkdir -m 755 results
check_exit 0 "memstor run of the suite ends with 0" \
	memstor run "$suite" -o results --step columns-sort --step columns-average --step columns-buffer --step sqlite \
	--step postgres --step duckdb --set buffer_scale=0.2 --set recorded=1500 --set sizes='100 25 16' \
	--set sizes_without='100 25 8' ${MEMTRACE_MODULES:+--set "modules=$MEMTRACE_MODULES"}
sed 's/^/# /' "$tmp/out"
for step in results/*/1; do
	name=$(basename "$(dirname "$step")")
	check "the step $name has statements" grep -q '^ok ' "$step/stdout"
	check "the step $name: all statements hold" sh -c "! grep '^FAILED' '$step/stdout'"
	sed 's/^/# /' "$step/stdout"
done
# --- a foreign reader of the CSV
modules=${MEMTRACE_MODULES:-/usr/local/lib/node_modules}
if [ -d "$modules/@duckdb/node-api" ]; then
	memtrace record -q -e page-faults -o faults.mtr -- true
	memtrace export faults.mtr -o probe.csv
	cat >rows.cjs <<-'END'
		const { DuckDBInstance } = require(process.argv[2] + "/@duckdb/node-api");
		DuckDBInstance.create(":memory:").then(async (instance) => {
			const db = await instance.connect();
			const all = await db.runAndReadAll("SELECT count(*), count(DISTINCT address) > 1 FROM read_csv('probe.csv')");
			console.log(all.getRows().join(" "));
		});
	END
	check 'the recording of the CSV has samples' test "$(wc -l <probe.csv)" -gt 1
	is 'DuckDB reads every row of the CSV' "$(node rows.cjs "$modules")" "$(($(wc -l <probe.csv) - 1)),true"
else
	skip 'DuckDB reads every row of the CSV' '@duckdb/node-api is not installed'
fi
# A statement that is wrong is found: page faults are the first accesses to pages, not all to a dictionary.
check_exit 1 "memstor run of a statement that does not hold ends with 1" \
	memstor run "$suite" --set scale=0.05 --set accesses=page-faults -o wrong --step columns-average
check "the output names the statement that does not hold" grep -q '^FAILED' wrong/columns-average/1/stdout
check_exit 1 "finish ends with 1 when statements do not hold" \
	sh -c 'keep=.; . "$1"; holds one "1 > 2"; holds two "2 > 1"; holds three "3 < 3"; finish' \
	sh "$top_srcdir/suites/memtrace/lib.sh"
is "the last line of finish names the statements that do not hold" \
	"$(tail -n 1 "$tmp/err")" 'does not hold: one (1 > 2); three (3 < 3)'
check_exit 0 "finish ends with 0 when all statements hold" \
	sh -c 'keep=.; . "$1"; holds two "2 > 1"; finish' sh "$top_srcdir/suites/memtrace/lib.sh"
tap_done
