#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# --start-at of each tool: what it measures begins at the moment, and not before; a bad moment is refused; a signal ends
# the wait; a run that is not ready is not trustworthy.
. "$top_srcdir/tests/lib/tap.sh"
. "$top_srcdir/tests/lib/report.sh"
cd "$tmp" || exit 1
env --default-signal=INT true 2>/dev/null || skip_all 'needs env --default-signal (coreutils 8.31)'
mkdir target

in_s() { LC_ALL=C date +%s.%N | awk -v s="$1" '{ printf "%.6f\n", $1 + s }'; }
reaches() { awk -v a="$1" -v b="$2" 'BEGIN { exit !(a != "" && a >= b) }'; }
# The end of the run on CLOCK_REALTIME, less SECONDS that it measured: by the clocks at its start and end.
began() { # began REPORT SECONDS
	wall=$(values "$1" wall_start)
	values "$1" monotonic_start_ns >starts
	values "$1" monotonic_end_ns | paste starts - | awk -v wall="$(date -d "$wall" +%s.%N)" -v s="$2" \
		'{ printf "%.6f\n", wall + ($2 - $1) / 1e9 - s }'
}
has_waited() { # has_waited TOOL REPORT SECONDS
	lawful "$1" "$2"
	check "$1: the run did not begin before the moment" reaches "$(began "$2" "$3")" "$at"
	is "$1: the report has the moment" "$(date -d "$(values "$2" start_at)" +%s.%N | cut -c1-17)" "$at"
	check "$1: the report says how much later it began" reaches "$(values "$2" start_late_ns)" 0
}
ran() { # ran STATUS: other programs of the machine may have spoilt the run
	[ "$1" = 0 ] || [ "$1" = 4 ]
}

at=$(in_s 3)
status=0
pmbench -m 8 -s 8 -c --start-at "$at" -f pm.xml 1 >out 2>err || status=$?
check 'pmbench: it runs' ran $status
has_waited pmbench pm.xml 1
at=$(in_s 3)
status=0
iowrite-bench run --directory=target --size=4k --bs=4k --start-at "$at" -f iow.xml >out 2>err || status=$?
check 'iowrite-bench run: it runs' ran $status
has_waited 'iowrite-bench run' iow.xml 0
at=$(in_s 3)
status=0
ssd-workloads run --mix=1-1 --target=target --log-size=1m --ckpt-size=1m --runtime=1 --start-at "$at" -f ssd.xml >out 2>err || status=$?
check 'ssd-workloads run: it runs' ran $status
has_waited 'ssd-workloads run' ssd.xml 1
at=$(in_s 3)
status=0
with-pressure -q --start-at "$at" -f wp.xml -- date +%s.%N >out 2>err || status=$?
check 'with-pressure: it runs' ran $status
check 'with-pressure: the command did not begin before the moment' reaches "$(cat out)" "$at"
has_waited with-pressure wp.xml 0
at=$(in_s 2)
with-pressure --start-at "$at" -- date +%s.%N >out 2>err
check 'with-pressure without a report: the command did not begin before the moment' reaches "$(cat out)" "$at"

# A moment that is over is refused, one that is too far away as well, and --dry-run checks it and does not wait.
refuses() { # refuses STATUS COMMAND...
	wanted=$1
	shift
	for bad in 1764403200.25 9999999999 soon; do
		status=0
		"$@" --start-at $bad >out 2>err || status=$?
		is "$*: --start-at $bad: status" $status "$wanted"
		check "$*: --start-at $bad: one line has the option" says_in_one_line err --start-at
	done
}
refuses 2 pmbench
refuses 2 iowrite-bench run
refuses 2 ssd-workloads run
refuses 125 with-pressure
refuses 2 memtrace record
far=$(in_s 3600)
check 'pmbench --dry-run does not wait' pmbench --dry-run --start-at "$far" 1
check 'iowrite-bench run --dry-run does not wait' iowrite-bench run --dry-run --directory=target --start-at "$far"
check 'ssd-workloads run --dry-run does not wait' ssd-workloads run --dry-run --mix=1-1 --target=target --start-at "$far"
check 'with-pressure --dry-run does not wait' with-pressure --dry-run --start-at "$far" -- true

# An interruption while the tool waits for a moment an hour away. The wait is recognised by its timer.
waits() { grep -qs 'clockid: 0' /proc/"$run"/fdinfo/*; }
interrupts() { # interrupts WHAT STATUS COMMAND...
	what=$1 wanted=$2
	shift 2
	env --default-signal=INT "$@" >out 2>err &
	run=$!
	tries=600
	until waits; do
		tries=$((tries - 1))
		[ $tries -gt 0 ] && kill -0 $run 2>/dev/null || break
		sleep 0.05
	done
	check "$what: it waits" waits
	kill -INT $run
	finish $run
	is "$what: status after SIGINT" $status "$wanted"
	is "$what: nothing is left in the target" "$(ls target)" ''
}
interrupts pmbench 4 pmbench -m 8 -s 8 -c -f int.xml --start-at "$far" 1
check 'pmbench: there is no report' test ! -e int.xml
interrupts 'iowrite-bench run' 4 iowrite-bench run --directory=target --size=4k --start-at "$far"
interrupts 'ssd-workloads run' 4 ssd-workloads run --mix=1-1 --target=target --log-size=1m --ckpt-size=1m --start-at "$far"
interrupts with-pressure 130 with-pressure --start-at "$far" -- touch target/started
if memtrace record -q -e page-faults -o mt.mtr -- true >out 2>err; then
	rm mt.mtr
	interrupts 'memtrace record' 130 memtrace record -q -e page-faults -o mt.mtr --start-at "$far" -- touch target/started
	check 'memtrace record: there is no recording' test ! -e mt.mtr
	at=$(in_s 2)
	memtrace record -q -e page-faults -o mt.mtr --start-at "$at" -- date +%s.%N >out 2>err
	check 'memtrace record: the command did not begin before the moment' reaches "$(cat out)" "$at"
else
	tap_result ok 'memtrace record: waits # SKIP page faults cannot be recorded here'
fi

# SIGSTOP holds the run at its moment. The timer is there when the options have been read.
at=$(in_s 5)
pmbench -m 8 -s 8 -c --start-at "$at" -f late.xml 1 >out 2>err &
run=$!
until waits || reaches "$(in_s 0)" "$at"; do sleep 0.05; done
kill -STOP $run
until reaches "$(in_s -0.2)" "$at"; do sleep 0.1; done
kill -CONT $run
finish $run
is 'a run that begins 0.2 s late is not trustworthy' $status 4
check 'its reason is late-start' grep -q '<reason code="late-start">.* s after --start-at' late.xml
lawful 'late run' late.xml

# The moment does not decide what is measured.
status=0
pmbench --replay pm.xml -f again.xml >out 2>err || status=$?
check '--replay of a run with --start-at does not take the moment' ran $status
is 'the replayed run did not wait' "$(values again.xml start_at)" ''
at=$(in_s 2)
pmbench -m 8 -s 8 -c --start-at "$at" -f other.xml 1 >out 2>err
status=0
memstor merge -o merged.xml pm.xml other.xml >out 2>err || status=$?
check 'memstor merge takes runs with different moments' ran $status
check 'the merged report has the moment of its first part' grep -q "$(values pm.xml start_at)" merged.xml
tap_done
