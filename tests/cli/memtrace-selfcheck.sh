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

for options in '-e nonsense' '-e page-faults,nonsense' '-e page-faults -F 100' '-e page-faults,page-faults' '-p uniform -p uniform' '-p nonsense' '-p zipf,x' '-p +scatter' \
	'--json -f -' '-p linear,300 -s 1m' '-s 1000' '-n 0' '-n 21' '-t 0' '-t 1h' '-o nonsense' 'word'; do
	# shellcheck disable=SC2086 # several words
	check_exit 2 "selfcheck $options is refused" memtrace selfcheck $options
	is "selfcheck $options is refused in one line" "$(wc -l <"$tmp/err")" 1
done

# --- the generator makes the accesses that it is asked for, or those of a time
check_exit 0 "selfcheck --generate with a number of accesses succeeds" \
	env -u MEMTRACE_CONTROL memtrace selfcheck --generate 12345 -p uniform -s 1m
check "selfcheck --generate prints its address and makes the number of accesses given" \
	awk 'NF != 3 || $1 % 4096 || $2 != 12345 || !$3 { exit 1 }' out
check_exit 0 "selfcheck --generate with a time succeeds" \
	env -u MEMTRACE_CONTROL memtrace selfcheck --generate 0 -t 20ms -p zipf,1+scatter -s 1m
check "selfcheck --generate runs for the time given" awk '{ exit !($2 > 0 && $3 >= 20000000) }' out
check_exit 3 "selfcheck --generate without its recording ends with 3" \
	env MEMTRACE_CONTROL="$tmp/none" memtrace selfcheck --generate 1 -s 1m
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
	memtrace selfcheck -e page-faults --no-lackey -n 2 -t 20ms -s 1m \
	-p zipf,1+scatter -p hotset --json -f check.xml
is "selfcheck -e page-faults of resident memory has no samples and misses the goal" "$(python3 -c 'import json, sys
rows = json.load(open(sys.argv[1])); rows = rows if isinstance(rows, list) else next(iter(rows.values()))
for row in rows:
    print(row["id"], row["runs"], row["accesses"] > 0, row["samples"], row["met"], row["recall1"] == 3 / 256, row["ideal_recall1"] == 3 / 256,
        row["correlation"], row["error"], row["bias1"], row["goal"], 0 < row["least"] <= row["slowdown"] <= row["most"])' out)" \
	'zipf,1+scatter, page-faults 2 True 0 0 True True None None None False True
hotset, page-faults 2 True 0 0 True True None None None False True'
check_exit 0 "memstor validate accepts the report of selfcheck" memstor validate check.xml
is "the report of selfcheck has a check for each pattern" "$(grep -c '<check id=' check.xml)" 2
is "the report of selfcheck has the groups of ranks" \
	"$(sed -n 's/.*<last_rank>\(.*\)<.*/\1/p' check.xml | head -n 5 | tr '\n' ' ')" '1 4 16 64 256 '
check_exit 0 "selfcheck -o with --noheadings succeeds" \
	memtrace selfcheck -e page-faults --no-lackey -n 1 -t 20ms -s 1m -p uniform --noheadings \
	-o id,samples,lost,recall10,met,goal
is "selfcheck -o prints the chosen columns only" "$(tr -s ' ' <out)" 'uniform, page-faults 0 0 0.10 0 missed'
# --- interrupted: the runs until then are shown
memtrace selfcheck -e page-faults --no-lackey -n 1 -t 1s -s 1m -p uniform -p hotset --seed $$ --json -f stopped.xml >out 2>err &
pid=$!
tries=0
until pgrep -f -- "--generate .*--pattern hotset .*--seed $$\$" >/dev/null || [ $tries -eq 300 ]; do
	sleep 0.1
	tries=$((tries + 1))
done
kill -TERM $pid
status=0
wait $pid || status=$?
is "selfcheck interrupted by SIGTERM ends with 4" $status 4
is "selfcheck interrupted by SIGTERM says so in one line" "$(grep -v 'not checked' err)" 'memtrace: interrupted'
is "selfcheck interrupted by SIGTERM prints the patterns that have a run" \
	"$(grep -o '"id": "[^"]*"' out)" '"id": "uniform, page-faults"'
is "the report of an interrupted selfcheck has the patterns run and the verdict interrupted" \
	"$(grep -c '<check id=' stopped.xml) $(grep -c 'verdict status="interrupted"' stopped.xml)" '1 1'
if [ "$(wc -l </proc/swaps)" -le 1 ]; then
	check_exit 3 "selfcheck of an engine that is not available ends with 3" \
		memtrace selfcheck -e refault --no-lackey -n 1 -t 20ms -s 1m
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
memtrace selfcheck -e page-faults --no-lackey -n 1 -t 60s -s 1m -p uniform --seed $$ >out 2>err &
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
