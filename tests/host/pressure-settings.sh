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

# --- settings of /sys and /proc
thp=/sys/kernel/mm/transparent_hugepage/enabled
thp_before=$(cat $thp)
case $thp_before in *'[always]'*) other=never ;; *) other=always ;; esac
is '--set writes a choice for the run' "$(with-pressure -q --set $thp=$other -- sed 's/.*\[\(.*\)\].*/\1/' $thp)" $other
is 'a choice that --set wrote is restored' "$(cat $thp)" "$thp_before"
is '--set alone does not change page-cluster' "$(with-pressure -q --set $thp=$other -- cat $page_cluster)" "$before"
queue=/sys/block/$(basename "$(find /sys/block -maxdepth 1 -name '[vsn]*' | head -n 1)")/queue/read_ahead_kb
ahead=$(cat "$queue")
is '--set writes several values' \
	"$(with-pressure -q --set "$queue=$((ahead + 4))" --set $page_cluster=5 -- cat "$queue" $page_cluster | tr '\n' ' ')" \
	"$((ahead + 4)) 5 "
is 'values that --set wrote are restored' "$(cat "$queue" $page_cluster | tr '\n' ' ')" "$ahead $before "
for wrong in /proc/sysrq-trigger=b /sys/kernel/mm/damon/admin/kdamonds/nr_kdamonds=1 /proc/sys/vm/../kernel/panic=1 \
	/proc/sys/vm/page-cluster /sys/fs/cgroup/memory/cgroup.procs=1 /sys/fs/cgroup/memory/release_agent=x relative=1 \
	/sys/block/loop0/loop/backing_file=x; do
	check_exit 125 "--set $wrong is refused" with-pressure --set "$wrong" -- true
	is "--set $wrong is refused in one line" "$(wc -l <"$tmp/err")" 1
done
check_exit 125 '--set refuses a file that does not exist' with-pressure --set /proc/sys/vm/none=1 -- true
check_exit 125 '--set refuses a value that the kernel refuses' with-pressure --set $thp=sometimes -- true
is '--set of a value that the kernel refuses leaves what was there' "$(cat $thp)" "$thp_before"
if [ -e /sys/module/zswap/parameters/enabled ]; then
	zswap=/sys/module/zswap/parameters
	zswap_before=$(cat $zswap/enabled $zswap/max_pool_percent $zswap/compressor | tr '\n' ' ')
	check_exit 125 '--set refuses a value that the kernel prints in another form' \
		with-pressure --set $zswap/max_pool_percent=07 -- true
	check 'the refusal of a value in another form names the one that the kernel prints' grep -q "reads '7'" "$tmp/err"
	is '--set of a value in another form leaves what was there' \
		"$(cat $zswap/enabled $zswap/max_pool_percent $zswap/compressor | tr '\n' ' ')" "$zswap_before"
	# --- zswap before a swap file
	check_exit 0 '--swap zswap: runs a command that pages' with-pressure --ram 16M --swap "zswap:$work/z.swap,256M,7%" -- \
		sh -c "cat $zswap/enabled $zswap/max_pool_percent; exec pmbench -m 64 -i --accesses 20000 -q 20"
	is 'zswap is enabled, with the pool that was given' "$(head -n 2 "$tmp/out" | tr '\n' ' ')" 'Y 7 '
	check 'pages are swapped out to zswap' grep -q '^with-pressure: swapped out to zswap: [1-9]' "$tmp/err"
	check 'the summary counts refaults, and pages scanned and reclaimed' \
		test "$(grep -cE '^with-pressure: anonymous pages (refaulted.*|scanned|reclaimed): [1-9]' "$tmp/err")" = 3
	is 'the parameters of zswap are restored' \
		"$(cat $zswap/enabled $zswap/max_pool_percent $zswap/compressor | tr '\n' ' ')" "$zswap_before"
	check 'the swap file behind zswap is removed' test ! -e "$work/z.swap"
	check_exit 0 'pmbench takes --swap zswap:' pmbench -m 64 -i --ram 32M --swap "zswap:$work/z.swap,256M,7%" --dry-run 1
	check 'the plan of pmbench names zswap and its pool' grep -q 'behind zswap, pool of 7 % of the memory' "$tmp/out"
	check_exit 2 'pmbench refuses --swap zswap: without a pool' pmbench --swap "zswap:$work/z.swap,256M" 1
	check_exit 125 '--swap zswap: with an unknown compressor is refused' \
		with-pressure --swap "zswap:$work/z.swap,256M,7%,nonsense" -- true
	is 'zswap is as before when its compressor is refused' \
		"$(cat $zswap/enabled $zswap/max_pool_percent $zswap/compressor | tr '\n' ' ')" "$zswap_before"
else
	skip '--swap zswap: runs a command that pages' 'this kernel has no zswap'
fi

# --- kill -9 of both supervisors
with-pressure -q --set $thp=$other --page-cluster 6 --swappiness 33 --ram 64M -- sh -c ": $token; : >'$work/two'; sleep 60" 2>/dev/null &
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
is 'what --set wrote is restored after --recover' "$(cat $thp)" "$thp_before"
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
