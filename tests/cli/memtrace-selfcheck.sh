#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# memtrace selfcheck: what is refused; its table, JSON and report by an engine that sees nothing of resident memory; its generator.
. "$top_srcdir/tests/lib/tap.sh"
. "$top_srcdir/tests/lib/program.sh"
command -v python3 >/dev/null || skip_all 'python3 is not installed, which reads the result'
cd "$tmp" || exit 1
mkdir empty
TMPDIR=$tmp/empty
export TMPDIR

for options in '-e nonsense' '-e page-faults,nonsense' '-e page-faults -F 100' '-e page-faults,page-faults' '-p nonsense' '-p zipf,x' '-p +scatter' \
	'--json -f -' '-p linear,300 -s 1m' '-s 1000' '-n 0' '-n 21' '-t 0' '-t 1h' '-o nonsense' 'word'; do
	# shellcheck disable=SC2086 # several words
	check_exit 2 "selfcheck $options is refused" memtrace selfcheck $options
	is "selfcheck $options is refused in one line" "$(wc -l <"$tmp/err")" 1
done

# --- the generator runs for the time that it is asked for
check_exit 0 "selfcheck --generate succeeds" \
	env -u MEMTRACE_CONTROL memtrace selfcheck --generate -t 20ms -p uniform -s 1m
check "selfcheck --generate prints its address and its accesses, and runs for the time given" \
	awk '{ exit !(NF == 3 && $1 % 4096 == 0 && $2 > 0 && $3 >= 20000000) }' out
check_exit 3 "selfcheck --generate without its recording ends with 3" \
	env MEMTRACE_CONTROL="$tmp/none" memtrace selfcheck --generate -s 1m
is "selfcheck --generate without its recording is refused in one line" "$(wc -l <"$tmp/err")" 1
memtrace selfcheck --help >help
check "selfcheck --help does not list --generate" sh -c '! grep -q generate help'

status=0
memtrace record -q -e page-faults -o probe.mtr -- true 2>"$tmp/err" || status=$?
if [ $status = 3 ]; then
	skip "selfcheck -e page-faults of resident memory succeeds" "$(cat "$tmp/err")"
	tap_done
	exit
fi
# 256 pages: equal estimates find 3 / 256 of the 3 most popular pages.
check_exit 0 "selfcheck -e page-faults of resident memory succeeds" \
	memtrace selfcheck -e page-faults -n 2 -t 20ms -s 1m -p hotset --json -f check.xml
is "selfcheck -e page-faults of resident memory has no samples, no error, and is blind" "$(python3 -c 'import json, sys
rows = json.load(open(sys.argv[1])); rows = rows if isinstance(rows, list) else next(iter(rows.values()))
for row in rows:
    print(row["engine"], row["runs"], row["samples"], row["dropped"], row["recovered"], 3 < row["share"] < 7, row["error"], row["low"],
        round(row["recall"], 3), row["ideal_recall"] == row["recall"], 0 < row["least"] <= row["slowdown"] <= row["most"],
        row["accuracy"])' out)" 'page-faults 2 0 0 0 True None None 1.172 True True blind'
check_exit 0 "memstor validate accepts the report of selfcheck" memstor validate check.xml
is "the report of selfcheck has the engine and its accuracy" \
	"$(sed -n 's/.*<check id="\(.*\)">/\1/p; s/.*<accuracy>\(.*\)<.*/\1/p' check.xml | tr '\n' ' ')" 'page-faults blind '
check_exit 0 "selfcheck -o with --noheadings succeeds" \
	memtrace selfcheck -e page-faults -n 1 -t 20ms -s 1m -p uniform --noheadings -o engine,samples,lost,low,accuracy
is "selfcheck -o prints the chosen columns only" "$(tr -s ' ' <out)" 'page-faults 0 0 - blind'
# --- interrupted: the runs until then are shown
memtrace selfcheck -e page-faults -n 20 -t 1s -s 1m --seed $$ --json -f stopped.xml >out 2>err &
pid=$!
# The second run that is not recorded is of the second round.
alone() { pgrep -P $pid -f -- "^[^ ]* selfcheck --generate .*--seed $$\$" >/dev/null; }
recorded() { pgrep -P $pid -f -- "^[^ ]* record .*--seed $$\$" >/dev/null; }
tries=0
for state in alone recorded alone; do
	until $state || [ $((tries += 1)) -ge 300 ]; do sleep 0.1; done
done
kill -TERM $pid
status=0
wait $pid || status=$?
is "selfcheck interrupted by SIGTERM ends with 4" $status 4
is "selfcheck interrupted by SIGTERM says so in one line" "$(grep -v 'not checked' err)" 'memtrace: interrupted'
is "selfcheck interrupted by SIGTERM prints the runs until then" \
	"$(grep -o '"\(engine\|runs\)": [^,]*' out | tr '\n' ' ')" '"engine": "page-faults" "runs": 1 '
is "the report of an interrupted selfcheck has the engine and the verdict interrupted" \
	"$(grep -c '<check id=' stopped.xml) $(grep -c 'verdict status="interrupted"' stopped.xml)" '1 1'
if [ "$(wc -l </proc/swaps)" -le 1 ]; then
	check_exit 3 "selfcheck of an engine that is not available ends with 3" \
		memtrace selfcheck -e refault -n 1 -t 20ms -s 1m
	is "selfcheck of an engine that is not available is refused in one line" "$(wc -l <err)" 1
fi
# --- killed: neither the generator nor a recorded command continues for its time, a minute
present() { # PATTERN: waits up to 30 s for a process with such a command line
	tries=0
	until pgrep -f -- "$1" >/dev/null; do
		[ $tries -lt 300 ] || return 1
		sleep 0.1
		tries=$((tries + 1))
	done
}
gone() { # PATTERN: waits up to 30 s until no process has such a command line
	tries=0
	while pgrep -f -- "$1" >/dev/null; do
		[ $tries -lt 300 ] || return 1
		sleep 0.1
		tries=$((tries + 1))
	done
}
memtrace selfcheck -e page-faults -n 1 -t 60s -s 1m --seed $$ >out 2>err &
pid=$!
check "selfcheck starts a generator" present "--generate .*--seed $$\$"
kill -KILL $pid
wait $pid 2>/dev/null
check "selfcheck that is killed leaves no generator" gone "--generate .*--seed $$\$"
# The command ends at once when it is not recorded.
memtrace overhead --no-lackey -n 1 -e page-faults -c 1 -- sh -c '[ -z "$MEMTRACE_CONTROL" ] || exec sleep "$0"' 60.$$ >out 2>err &
pid=$!
check "overhead starts the command that it records" present "^sleep 60[.]$$\$"
kill -KILL $pid
wait $pid 2>/dev/null
check "overhead that is killed leaves no recorded command" gone "^sleep 60[.]$$\$"
is "selfcheck and overhead that are killed leave nothing in TMPDIR" "$(ls -A empty)" ''
tap_done
