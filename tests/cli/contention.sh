#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# A run on the CPU of two busy loops is not "ok": its text and report have the time that it waited for the CPU.
. "$top_srcdir/tests/lib/tap.sh"
command -v taskset >/dev/null || skip_all 'needs taskset (util-linux)'
running=0
read -r running _ 2>/dev/null </proc/$$/schedstat
[ "${running:-0}" != 0 ] || skip_all 'the kernel counts no run delays'
cpu=$(sed -n 's/^Cpus_allowed_list:[^0-9]*\([0-9]*\).*/\1/p' /proc/self/status)
cd "$tmp" || exit 99

loops=
clean_up() {
	# shellcheck disable=SC2086 # each of them
	[ -z "$loops" ] || kill $loops 2>/dev/null
	tap_cleanup
}
trap clean_up EXIT
for _ in 1 2; do
	taskset -c "$cpu" timeout 60 sh -c 'while :; do :; done' &
	loops="$loops $!"
done

# disturbed WHAT COMMAND...: text, report and exit status show the disturbance
disturbed() {
	what=$1
	shift
	status=0
	taskset -c "$cpu" "$@" -f r.xml >out 2>err || status=$?
	is "$what with two busy loops on its CPU ends with 4" $status 4
	check "$what with two busy loops on its CPU warns that it waited for a CPU" grep -qE '^WARNING: (contention|busy-machine): .*waited for a CPU' out
	check "$what with two busy loops on its CPU writes an untrustworthy report" grep -q '<verdict status="untrustworthy"' r.xml
}
disturbed pmbench pmbench -q -m 4 -i 1
check "pmbench names the thread that waited" grep -q '^WARNING: contention: thread 1 waited for a CPU for' out
check "pmbench prints the time it waited for a CPU" grep -qE '^Waiting for a CPU: [0-9.]+ % of the time, [0-9]+ involuntary' out
check "the report of pmbench has the run delay of a thread" grep -q '<run_delay_ns>[1-9]' r.xml
disturbed 'iowrite-bench run' iowrite-bench run --directory=. --size=16m --rounds=10
disturbed 'ssd-workloads run' ssd-workloads run --target=. --mix=1-0 --log-size=4m --engine=threads --runtime=1s
tap_done
