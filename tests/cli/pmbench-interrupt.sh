#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# A signal in the window ends pmbench with a marked report; before the window, with one line and no report. No process
# is left, and a process that is killed is reported.
. "$top_srcdir/tests/lib/tap.sh"
. "$top_srcdir/tests/lib/report.sh"
cd "$tmp" || exit 1
# A shell starts background commands with SIGINT ignored.
env --default-signal=INT true 2>/dev/null || skip_all 'needs env --default-signal (coreutils 8.31)'
mine() { pgrep -f -- "where=$tmp"; }
stop() {
	for pid in $(mine); do
		kill -9 "$pid" 2>/dev/null
	done
	tap_cleanup
}
trap stop EXIT

# begins LINE ARGUMENT...: in the background, until the line has been printed; sets run
begins() {
	line=$1
	shift
	rm -f r.xml err
	: >out
	env --default-signal=INT pmbench -f r.xml "$@" >out 2>err &
	run=$!
	tries=600
	until grep -q "$line" out; do
		tries=$((tries - 1))
		[ $tries -gt 0 ] && kill -0 $run 2>/dev/null || break
		sleep 0.05
	done
	check "$what: pmbench prints that the stage began" grep -q "$line" out
}
ends() { # ends STATUS: the run, and all its processes
	finish $run
	is "$what: pmbench ends with status $1" $status "$1"
	nobody
}
# Waits until accesses are measured, which the lines of --interval show.
measuring() {
	tries=600
	until grep -q ' [1-9][0-9]* accesses/s' err; do
		tries=$((tries - 1))
		[ $tries -gt 0 ] && kill -0 $run 2>/dev/null || break
		sleep 0.05
	done
	check "$what: pmbench prints that it measures accesses" grep -q ' accesses/s' err
}
nobody() {
	tries=200
	while [ -n "$(mine)" ] && [ $tries -gt 0 ]; do
		tries=$((tries - 1))
		sleep 0.05
	done
	is "$what: no process is left" "$(mine | tr "\n" " ")" ""
}
said() { grep -v ' accesses/s' err; }
# The label finds the processes that are left.
begin() {
	until_line=$1
	shift
	begins "$until_line" --label "where=$tmp" -m 8 -j 2 "$@" 100
}

for signal in INT TERM HUP; do
	what="SIG$signal in the window"
	begin 'Starting main' -c -i --interval=50ms
	measuring
	kill -$signal $run
	ends 4
	lawful "$what" r.xml
	check "$what: the report is marked as interrupted" grep -q '<interrupted>1</interrupted>' r.xml
	verdict=$(sed -n 's/.*<verdict status="\([a-z]*\)".*/\1/p' r.xml)
	# Other disturbances by the host do not count here.
	[ "$verdict" = untrustworthy ] && spoilt_by_host && verdict=interrupted
	is "$what: the verdict is interrupted" "$verdict" interrupted
	check "$what: the report has accesses" test "$(total r.xml details_samples)" -gt 0
	check "$what: the text says that the run was interrupted" \
		grep -qx 'Note: User interruption ended the benchmark earlier than scheduled.' out
	is "$what: pmbench prints nothing but intervals on stderr" "$(said)" ''

	what="SIG$signal in the warm-up"
	begin 'Pattern generation' -i --warmup=90s
	kill -$signal $run
	ends 4
	is "$what: one line says that there is no report" \
		"$(cat err)" 'pmbench: interrupted before the first access was measured: there is no report'
	check "$what: no report is written" test ! -e r.xml
done

what='SIGINT while the map is filled'
begins 'Initializing' --label "where=$tmp" -m 1g -i --warmup 90s 100
kill -INT $run
ends 4
is "$what: one line says that there is no report" \
	"$(cat err)" 'pmbench: interrupted before the first access was measured: there is no report'
check "$what: no report is written" test ! -e r.xml

what='two SIGINTs'
begin 'Starting main' -c -i
kill -INT $run
kill -INT $run
finish $run
# The second signal may come before or after the report is written; half a report is an error in both cases.
check "$what: a second signal ends pmbench" test $status = 4 -o $status = 130
check "$what: the report is complete or not written" sh -c 'test ! -e r.xml || tail -n 1 r.xml | grep -qx "</pmbenchmark>"'
nobody

# One of several processes is killed: the others do not wait for it.
what='a lost process'
begins 'Starting main' --label "where=$tmp" -m 8 -c --processes 3 --interval 50ms 100
measuring
job=$(pgrep -P $run)
kill -9 "$(pgrep -P "$job" | head -n 1)"
ends 4
lawful "$what" r.xml
is "$what: the report has one incomplete and two complete threads" "$(values r.xml is_complete | sort | uniq -c | tr -s ' \n' ' ')" ' 1 false 2 true '
check "$what: pmbench warns of one lost thread of three" \
	grep -q '^WARNING: lost-threads: 1 of 3 threads did not end by themselves$' out
check "$what: pmbench does not warn of the OOM killer" sh -c '! grep -q "^WARNING: oom" out'

what='the only process is lost'
begins 'Starting main' --label "where=$tmp" -m 8 -c --interval 50ms 100
measuring
kill -9 "$(pgrep -P $run)"
ends 4
lawful "$what" r.xml
check "$what: pmbench warns of its only thread as lost" grep -q '^WARNING: lost-threads: 1 of 1 threads' out
check "$what: the report has a run time" test "$(values r.xml run_ns)" -gt 0
is "$what: the report has no fault counts of the kernel" "$(grep -c kernel_m r.xml)" 0

what='the coordinator is lost'
begins 'Starting main' --label "where=$tmp" -m 8 -c --processes 2 100
kill -9 $run
finish $run
nobody

what='the parent of the processes is lost'
begins 'Starting main' --label "where=$tmp" -m 8 -c --processes 2 --interval 50ms 100
measuring
kill -9 "$(pgrep -P $run)"
ends 4
check "$what: pmbench warns of two lost threads of two" grep -q '^WARNING: lost-threads: 2 of 2 threads' out

what='a process lost in the warm-up'
begins 'Pattern generation' --label "where=$tmp" -m 8 -i --warmup 90s --processes 2 100
job=$(pgrep -P $run)
kill -9 "$(pgrep -P "$job" | tail -n 1)"
ends 3
is "$what: one line says that a process was killed" "$(cat err)" 'pmbench: process 2 was killed by signal 9'
check "$what: no report is written" test ! -e r.xml
tap_done
