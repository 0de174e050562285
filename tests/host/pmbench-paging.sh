#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# pmbench pages for real, four times its memory, on each kind of swap: runs come to their end, each fault is
# accounted for as the kernel counts it, and the machine is as before.
. "$top_srcdir/tests/lib/paging.sh"
need_host zram loop
cd "$work" || exit 99

# pages WHAT ARGUMENT...: a run of 256 MiB in 64 MiB, exact, lawful, restored
pages() {
	what=$1
	shift
	starts -q --ram 64M -m 256 -i "$@"
	ends
	cp "$tmp/out" "$work/out"
	check "$what: pmbench ends well" \
		sh -c "test $status = 0 || ! grep '^WARNING:' out | grep -vE '^WARNING: (steal|clock|contention|foreign-traffic)'"
	check "$what: every fault is classified exactly" \
		grep -qE '^Classification: exact, all [1-9][0-9]* faults that the kernel counted$' out
	is "$what: no fault is unaccounted for" "$(values r.xml total_inexact_faults)" 0
	check "$what: pmbench has paged" test "$(total r.xml kernel_major_faults)" -gt 100
	lawful "$what" r.xml
	is "$what: the report says that all is restored" "$(values r.xml is_restored) $(values r.xml was_oom)" 'true false'
	restored "$what"
}

# A command in a cgroup with a tight limit whose statistics no process reads is killed now and then although swap is free.
for run in 1 2 3 4 5; do
	pages "zram, run $run" -c --swap zram:512M 300ms
done
check 'zram: the report names it as swap' grep -q '<path>/dev/zram[0-9]*<' r.xml

pages 'two threads' -c --swap zram:512M -j 2 400ms
pages 'two processes of two threads' -c --swap zram:512M -m 128 --processes 2 -j 2 400ms
is 'two processes of two threads: every thread is complete' "$(values r.xml is_complete | sort -u)" true
pages 'reads' -c --swap zram:512M -r 100 --hdr 400ms
is 'reads: the fine histogram has the same faults' \
	"$(sed -n '/class="major" layout="hdr"/,/<count>/s/.*<count>\(.*\)<.*/\1/p' r.xml)" \
	"$(sed -n '/class="major" layout="log16"/,/<count>/s/.*<count>\(.*\)<.*/\1/p' r.xml)"
pages 'a warm-up' --swap zram:512M --warmup 300ms -p zipf,1.1 --scatter 300ms
pages 'a swap file' -c --swap "file:$work/swap file,512M" 400ms
pages 'a loop device' -c --swap "loop:$work/swap file,512M" 400ms
pages 'shared memory' -c --swap zram:512M --map shared 400ms

# --- the kernel's own view
pages 'a split' -c --swap zram:512M --kernel-split 400ms
if grep -q '<not_available>' r.xml; then
	skip 'a split: no part is longer than the whole' "$(values r.xml not_available)"
else
	part() { sed -n "/kind=\"major\"/,/fault_parts>/s/.*<$1_ns>\(.*\)<.*/\1/p" r.xml; }
	check 'a split: no part is longer than the whole' awk 'BEGIN {
		exit !(ARGV[1] > 0 && ARGV[2] > 0 && ARGV[3] > 0 && ARGV[4] > ARGV[1] + 0 && ARGV[4] > ARGV[2] + 0)
	}' "$(part entry)" "$(part handle)" "$(part exit)" "$(part total)"
fi

# --- marks of long accesses, read by a mount of tracefs in a namespace of its own
trace() {
	# shellcheck disable=SC2016
	unshare -m sh -c 'mount -t tracefs tracefs "$1" && cat "$1/$2"' - "$work/tracefs" "$1"
}
find_tasks() { # of the process that measures: they distinguish its marks from those of other runs
	find_family
	tasks=$(ls "/proc/${job:-none}/task" 2>/dev/null)
	[ "$(echo "$tasks" | wc -l)" -ge 2 ]
}
mkdir tracefs
if [ "$(trace tracing_on 2>/dev/null)" = 1 ]; then
	# A few of the longest only. Until something has traced since boot, the kernel's ring has 7 KiB a CPU, some 60 marks: on a
	# loaded machine the first are overwritten, and the number of written ones then proves that each was.
	written() { sed -n 's|.*entries-written: [0-9]*/\([0-9]*\).*|\1|p' "$1"; }
	trace trace >ring
	before=$(written ring)
	starts -q --ram 64M -m 256 -i -c --swap zram:512M -h 2000000 400ms
	check 'a threshold: the threads of pmbench are found' within 30 find_tasks
	ends
	lawful 'a threshold' r.xml
	trace trace >ring
	grep -E -e "-($(echo "$tasks" | tr '\n' '|')none) .*: pmbench: access over threshold: " ring >marks
	over=$(total r.xml over_threshold)
	check 'a threshold: a mark for each access over it' sh -c '[ "$1" -eq "$2" ] || { [ "$1" -gt 0 ] && [ "$1" -lt "$2" ] &&
		[ "$3" -ge "$2" ]; }' - "$(wc -l <marks)" "$over" $(($(written ring) - before))
	check 'a threshold: no mark is below it' awk '{ sub(/.*threshold: /, "") } $1 < 2000000 { exit 1 }' marks
else
	skip "a threshold: marks are in the kernel's trace" 'needs tracefs, with tracing on'
fi

# --- an interval for each 100 ms
pages 'intervals' -c --swap zram:512M -j 2 --interval 100ms 650ms
check 'intervals: the series has at least three' test "$(grep -c '<interval ' r.xml)" -ge 3
check 'intervals: the series has counters of the cgroup' grep -q 'name="cgroup\.' r.xml

# --- an eater: it is started and ended
pages 'an eater' -c --swap zram:512M --eater any=16M@200ms-500ms 800ms
is 'an eater: nothing on stderr is about it' "$(grep -c eater "$tmp/err")" 0

# --- no swap, and memory runs out in the window
starts -q --ram 64M -m 64 --swap none -c -r 0 20
ends
cp "$tmp/out" out
is 'out of memory: pmbench ends with 4' "$status" 4
lawful 'out of memory' r.xml
is 'out of memory: the verdict is untrustworthy' "$(sed -n 's/.*<verdict status="\(.*\)">/\1/p' r.xml)" untrustworthy
check 'out of memory: the verdict has the reason' grep -q '<reason code="oom">' r.xml
check 'out of memory: the text has a warning' grep -q '^WARNING: oom: ' out
check 'out of memory: what was counted is there' test "$(total r.xml details_samples)" -gt 1000
check 'out of memory: faults are classified' test "$(total r.xml classified_minor_faults)" -gt 1000
restored 'out of memory'

# ... and while the map is filled: no numbers, no report
starts -q --ram 64M -m 64 --swap none -c -i 20
ends
is 'out of memory before the window: pmbench ends with 3' "$status" 3
is 'out of memory before the window: one line names the cause' "$(cat "$tmp/err")" \
	'pmbench: the measuring process was killed for lack of memory before the first access was measured: '\
'give more --ram or --swap, or map less'
check 'out of memory before the window: no report is written' test ! -e r.xml
restored 'out of memory before the window'

check_exit 3 'a map of four times the memory without swap is refused' pmbench --ram 64M -m 256 --swap none 1
is 'a map of four times the memory without swap is refused in one line' "$(wc -l <"$tmp/err")" 1
tap_done
