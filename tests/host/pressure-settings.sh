#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# --page-cluster, --swappiness and --high, also after kill -9; and the summary at the end of with-pressure.
. "$top_srcdir/tests/lib/pressure.sh"
need_host zram
page_cluster=/proc/sys/vm/page-cluster
before=$(cat $page_cluster)
swappiness=$(cat /proc/sys/vm/swappiness)

# --- page-cluster
quietly() { with-pressure -q --ram 64M --swap zram:64M "$@"; }
is 'without --page-cluster it is 0 during the run' "$(quietly -- cat $page_cluster)" 0
is '--page-cluster 2 is 2 during the run' "$(quietly --page-cluster 2 -- cat $page_cluster)" 2
is '--page-cluster keep leaves it as it is' "$(quietly --page-cluster keep -- cat $page_cluster)" "$before"
is '--page-cluster needs no other option' "$(with-pressure -q --page-cluster 5 -- cat $page_cluster)" 5
is 'page-cluster is restored after the run' "$(cat $page_cluster)" "$before"
# shellcheck disable=SC2016 # the command's shell expands
quietly --page-cluster 2 -- sh -c ': >"$0"; until [ -e "$1" ]; do sleep 0.05; done' "$work/up" "$work/over" &
first=$!
within 10 test -e "$work/up"
check_exit 125 'a second run with another --page-cluster is refused' quietly --page-cluster 4 -- true
check 'the refusal of another --page-cluster names both values' \
	grep -q 'page-cluster is 2 for another run, and this one needs 4' "$tmp/err"
is 'the first run keeps its value' "$(cat $page_cluster)" 2
is 'a second run with the same value runs' "$(quietly --page-cluster 2 -- cat $page_cluster)" 2
: >"$work/over"
wait $first
is 'page-cluster is restored by the last run' "$(cat $page_cluster)" "$before"

# --- kill -9 of both supervisors
with-pressure -q --page-cluster 6 --swappiness 33 --ram 64M -- sh -c ": $token; : >'$work/two'; sleep 60" 2>/dev/null &
front=$!
within 10 test -e "$work/two"
cat "$WITH_PRESSURE_DIR"/* >"$work/journal"
# Stopped: otherwise it may see that the other has died, and restore, before it is killed.
kill -STOP $front
kill -9 "$(child_of $front)" $front
wait $front 2>/dev/null
is 'page-cluster is left when both supervisors are killed' "$(cat $page_cluster)" 6
check_exit 0 '--recover ends with 0 after both supervisors were killed' with-pressure --recover
is 'page-cluster is restored after --recover' "$(cat $page_cluster)" "$before"
is 'swappiness is restored after --recover' "$(cat /proc/sys/vm/swappiness)" "$swappiness"
is 'nothing is left after --recover' "$(leftovers "$work/journal")" ''

# --- swappiness and memory.high
case $(cgroup_version) in
1)
	# shellcheck disable=SC2016
	own='cat /sys/fs/cgroup/memory$(awk -F: "\$2 == \"memory\" { print \$3 }" /proc/self/cgroup)/memory.swappiness'
	is '--swappiness applies to the cgroup of the run' "$(with-pressure -q --swappiness 17 -- sh -c "$own")" 17
	is 'swappiness of the machine is not changed' \
		"$(with-pressure -q --swappiness 17 -- cat /proc/sys/vm/swappiness)" "$swappiness"
	check_exit 125 '--high is refused with cgroup version 1' with-pressure --high 64M -- true
	is '--high without cgroup version 2 is refused in one line' "$(wc -l <"$tmp/err")" 1
	check 'the refusal of --high names cgroup version 2' grep -q 'needs memory.high of cgroup version 2' "$tmp/err"
	check_exit 3 'pmbench --high ends with 3 with cgroup version 1' pmbench --high 64M 1
	;;
2)
	is '--swappiness applies to the machine' "$(with-pressure -q --swappiness 17 -- cat /proc/sys/vm/swappiness)" 17
	is 'swappiness is restored after the run' "$(cat /proc/sys/vm/swappiness)" "$swappiness"
	# shellcheck disable=SC2016
	own='cat /sys/fs/cgroup$(sed -n "s/^0:://p" /proc/self/cgroup)/memory.high'
	is '--high sets memory.high of the run' "$(with-pressure -q --high 64M -- sh -c "$own")" 67108864
	;;
esac

# --- pmbench records what it did
check_exit 0 'pmbench with --page-cluster and --swappiness runs' \
	pmbench -q --ram 64M --swap zram:128M --page-cluster 1 --swappiness 44 -m 96 -i -f "$work/r.xml" 1
check 'the report has the page-cluster of the run' grep -q '<setting name="vm.page-cluster">1</setting>' "$work/r.xml"
check 'the report of pmbench has --page-cluster' grep -q 'page-cluster">1<\|page-cluster</name>\|name="page-cluster"' "$work/r.xml"

# --- the summary
check_exit 0 'a command that pages ends with 0' with-pressure --ram 64M --swap zram:256M -- "$hog" 128 1 "$token"
for line in 'peak memory: 6[0-9.]* MiB$' 'swapped in: [1-9]' 'swapped out: [1-9]' 'major faults: [1-9][0-9]*$' \
	'OOM kills: 0$'; do
	check "the summary has a line '$line'" grep -q "^with-pressure: $line" "$tmp/err"
done
if [ -r /proc/pressure/memory ]; then
	check 'the summary has memory stalls' grep -q '^with-pressure: memory stalls (PSI): some .*, full ' "$tmp/err"
else
	skip 'the summary has memory stalls' 'this kernel has no PSI'
fi
if grep -q '^swpout_zero ' /proc/vmstat; then
	check_exit 0 'a command that pages zeros ends with 0' \
		with-pressure --ram 32M --swap zram:256M -- sh -c 'head -c 96M /dev/zero | tail -c 96M >/dev/null'
	check 'the summary has pages of zeros' grep -q '^with-pressure: swapped out as pages of zeros: [1-9]' "$tmp/err"
else
	skip 'the summary has pages of zeros' 'this kernel writes them to the device'
fi
check_exit 137 'a command that is killed for lack of memory ends with 137' \
	with-pressure --ram 16M --swap none -- "$hog" 64 5 "$token"
check 'the summary counts the kill' grep -q '^with-pressure: OOM kills: [1-9]' "$tmp/err"
check_exit 0 '--quiet runs its command' with-pressure -q --ram 64M --swap none -- true
is '--quiet prints no summary' "$(cat "$tmp/err")" ''
check_exit 0 'a command without options runs' with-pressure -- true
is 'a plain command has no summary' "$(cat "$tmp/err")" ''
tap_done
