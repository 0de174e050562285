#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# A run that another process stops and continues is not "ok": the latency of an access includes the stop.
. "$top_srcdir/tests/lib/tap.sh"
cd "$tmp" || exit 99
pid=
clean_up() {
	# shellcheck disable=SC2046 # each of them
	[ -z "$pid" ] || kill -9 "$pid" $(child) 2>/dev/null
	tap_cleanup
}
trap clean_up EXIT
child() { cat "/proc/$pid/task/$pid/children" 2>/dev/null; }

# measures SECONDS: begins a run, and waits for its window; the shell that starts it may empty the last one's output too late
measures() {
	: >err
	rm -f r.xml
	pmbench -m 4 --interval 50ms -f r.xml "$1" >out 2>err &
	pid=$!
	tries=200
	until grep -q 'accesses/s' err || [ $((tries -= 1)) -lt 0 ]; do sleep 0.05; done
}
# stopped WHAT WHOM: begins a run, stops and continues whom (process numbers) within its window
stopped() {
	measures 3
	# shellcheck disable=SC2046 # each of them
	kill -STOP $($2)
	sleep 1
	# shellcheck disable=SC2046
	kill -CONT $($2)
	status=0
	wait $pid || status=$?
	pid=
	is "$1: the run ends with 4" $status 4
	check "$1: the verdict says that the run was stopped" grep -qE '^WARNING: stopped: the run was stopped (for|and)' out
	check "$1: the report is not ok" grep -q '<reason code="stopped"' r.xml
}
# As timeout(1) ends a run: its SIGCONT is no stop.
interrupted() {
	measures 60
	kill -TERM $pid
	# shellcheck disable=SC2046
	kill -CONT $pid $(child)
	status=0
	wait $pid || status=$?
	pid=
	is 'an interrupted run ends with 4' $status 4
	check 'an interrupted run: the report says so' grep -q '<interrupted>1</interrupted>' r.xml
	is 'an interrupted run was not stopped' "$(cat out r.xml | grep -c 'stopped and continued')" 0
}
whole() { echo "$pid" "$(child)"; }
if [ -e /proc/self/task/$$/children ]; then
	stopped 'a stop of the whole run, as by Ctrl-Z' whole
	stopped 'a stop of the measuring process alone, as by a debugger' child
	interrupted
else
	skip 'a stopped run ends with 4' 'the kernel does not list children (CONFIG_PROC_CHILDREN)'
fi
pid=
tap_done
