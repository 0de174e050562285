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
	check_exit 2 "selfcheck $options" memtrace selfcheck $options
	is "is one line" "$(wc -l <"$tmp/err")" 1
done

# --- the generator makes the accesses that it is asked for, or those of a time
check_exit 0 "the generator" env -u MEMTRACE_CONTROL memtrace selfcheck --generate 12345 -p uniform -s 1m
check "says where its memory is, and makes the accesses that it is asked for" awk 'NF != 3 || $1 % 4096 || $2 != 12345 || !$3 { exit 1 }' out
check_exit 0 "the generator for a time" env -u MEMTRACE_CONTROL memtrace selfcheck --generate 0 -t 20ms -p zipf,1+scatter -s 1m
check "ends after the time" awk '{ exit !($2 > 0 && $3 >= 20000000) }' out
check_exit 3 "the generator without its recording" env MEMTRACE_CONTROL="$tmp/none" memtrace selfcheck --generate 1 -s 1m
is "is one line" "$(wc -l <"$tmp/err")" 1
memtrace selfcheck --help >help
check "is not offered" sh -c '! grep -q generate help'

status=0
memtrace record -q -e page-faults -o probe.mtr -- true 2>"$tmp/err" || status=$?
if [ $status = 3 ]; then
	skip "runs" "$(cat "$tmp/err")"
	tap_done
	exit
fi
# 256 pages: of the most popular 3, estimates that are all equal find 3 in 256.
check_exit 0 "page faults of resident memory" memtrace selfcheck -e page-faults --no-lackey -n 2 -t 20ms -s 1m \
	-p zipf,1+scatter -p hotset --json -f check.xml
is "are none, which tells nothing" "$(python3 -c 'import json, sys
rows = json.load(open(sys.argv[1])); rows = rows if isinstance(rows, list) else next(iter(rows.values()))
for row in rows:
    print(row["id"], row["runs"], row["accesses"] > 0, row["samples"], row["met"], row["recall1"] == 3 / 256, row["ideal_recall1"] == 3 / 256,
        row["correlation"], row["error"], row["bias1"], row["goal"], 0 < row["least"] <= row["slowdown"] <= row["most"])' out)" \
	'zipf,1+scatter, page-faults 2 True 0 0 True True None None None False True
hotset, page-faults 2 True 0 0 True True None None None False True'
check_exit 0 "the report is valid" memstor validate check.xml
is "has a check for each pattern" "$(grep -c '<check id=' check.xml)" 2
is "and the groups of ranks" "$(sed -n 's/.*<last_rank>\(.*\)<.*/\1/p' check.xml | head -n 5 | tr '\n' ' ')" '1 4 16 64 256 '
# --- a recording keeps what was found of its engine
check_exit 0 "a recording with the check" memtrace record -q -e page-faults --selfcheck check.xml -o kept.mtr -- true
check_exit 0 "is read" memtrace report kept.mtr
is "and shows the patterns" "$(sed -n 's/^ *\(.*\): slowdown.*/\1/p' out | tr '\n' ' ')" 'zipf,1+scatter hotset '
check_exit 0 "as JSON" memtrace report --json kept.mtr
is "too" "$(python3 -c 'import json, sys
print(*[row["pattern"] for row in json.load(open(sys.argv[1]))["selfcheck"]["checks"]])' out)" 'zipf,1+scatter hotset'
check_exit 0 "and in a report" memtrace analyze count kept.mtr -f kept.xml
check "an analysis shows the date" grep -q '^selfcheck  *of 20' out
is "it has the patterns" "$(sed -n '/<engine_checks>/,/<.engine_checks>/s/.*<pattern>\(.*\)<.*/\1/p' kept.xml | tr '\n' ' ')" 'zipf,1+scatter hotset '
check_exit 0 "and is valid" memstor validate kept.xml
memtrace report probe.mtr >out
check "a recording without shows none" sh -c '! grep -q selfcheck out'
sed 's/<release>/&other-/' check.xml >other.xml
sed 's/page-faults</burst</' check.xml >burst.xml
rm -f refused.mtr ran
for file in other.xml burst.xml probe.mtr none.xml; do
	check_exit 2 "--selfcheck $file" memtrace record -q -e page-faults --selfcheck $file -o refused.mtr -- touch ran
	is "is one line" "$(wc -l <err)" 1
done
check "and nothing is recorded or run" sh -c '[ ! -e refused.mtr ] && [ ! -e ran ]'
check_exit 0 "all columns" memtrace selfcheck -e page-faults --no-lackey -n 1 -t 20ms -s 1m -p uniform --noheadings \
	-o id,samples,lost,recall10,met,goal
is "can be chosen" "$(tr -s ' ' <out)" 'uniform, page-faults 0 0 0.10 0 missed'
# --- interrupted: the runs up to there are shown.
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
is "an interrupted check ends with 4" $status 4
is "says so in one line" "$(grep -v 'not checked' err)" 'memtrace: interrupted'
is "prints the patterns that have a run" "$(grep -o '"id": "[^"]*"' out)" '"id": "uniform, page-faults"'
is "and reports them as interrupted" "$(grep -c '<check id=' stopped.xml) $(grep -c 'verdict status="interrupted"' stopped.xml)" '1 1'
if [ "$(wc -l </proc/swaps)" -le 1 ]; then
	check_exit 3 "an engine that is not available" memtrace selfcheck -e refault --no-lackey -n 1 -t 20ms -s 1m
	is "is one line" "$(wc -l <err)" 1
fi
# --- killed: neither the generator nor a command that is recorded goes on for its time, a minute
present() { # PATTERN: a process has such a command line, or will soon
	tries=0
	until pgrep -f -- "$1" >/dev/null; do
		[ $tries -lt 300 ] || return 1
		sleep 0.1
		tries=$((tries + 1))
	done
}
gone() { # PATTERN: no process has it any more, or soon
	tries=0
	while pgrep -f -- "$1" >/dev/null; do
		[ $tries -lt 300 ] || return 1
		sleep 0.1
		tries=$((tries + 1))
	done
}
memtrace selfcheck -e page-faults --no-lackey -n 1 -t 60s -s 1m -p uniform --seed $$ >out 2>err &
pid=$!
check "selfcheck has a generator" present "--generate .*--seed $$\$"
kill -KILL $pid
wait $pid 2>/dev/null
check "killed, it leaves none" gone "--generate .*--seed $$\$"
# Alone the command ends at once.
memtrace overhead --no-lackey -n 1 -e page-faults -c 1 -- sh -c '[ -z "$MEMTRACE_CONTROL" ] || exec sleep "$0"' 60.$$ >out 2>err &
pid=$!
check "overhead has a command that is recorded" present "^sleep 60[.]$$\$"
kill -KILL $pid
wait $pid 2>/dev/null
check "killed, it leaves none" gone "^sleep 60[.]$$\$"
is "nothing is left in TMPDIR" "$(ls -A empty)" ''
tap_done
