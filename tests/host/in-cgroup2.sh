#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# What only cgroup version 2 has: where the cgroup is made, limits above it, its counters in the report. It
# changes cgroups that it did not make, so it runs in scripts/v2-in-qemu.sh alone.
. "$top_srcdir/tests/lib/pressure.sh"
[ -e /run/v2-in-qemu ] || skip_all 'changes cgroups of the machine: run by scripts/v2-in-qemu.sh'
need_host zram

top=/sys/fs/cgroup
nobody='setpriv --reuid 65534 --regid 65534 --clear-groups'
press='--ram 32M --swap zram:256M -t perfc -i -c'

go() { echo $$ >"$top$1/cgroup.procs"; } # go PATH: "" is the root
hand_down() { echo "$2memory" >"$top$1/cgroup.subtree_control"; } # hand_down PATH +|-
says() { check "the message says: $1" grep -qF -- "$1" "$tmp/err"; }
one_line() { is 'the message is one line' "$(wc -l <"$tmp/err")" 1; }
nothing_is_left() {
	is "$1: nothing is left" "$(find $top -name 'with-pressure-*'; tail -n +2 /proc/swaps; find /sys/block -name 'zram[1-9]*';
		cat /proc/sys/vm/page-cluster; find /run/with-pressure "$WITH_PRESSURE_DIR" 2>/dev/null)" 3
}

made_in() { # made_in DESCRIPTION PATH
	check_exit 0 "$1: with-pressure runs its command" with-pressure -v --ram 32M --swap none -- true
	says "runs in $top$2/with-pressure-"
}
refused() { # refused DESCRIPTION TEXT
	check_exit 125 "$1: with-pressure is refused" with-pressure --ram 32M --swap none -- true
	says "$2"
	one_line
	# shellcheck disable=SC2086 # options
	check_exit 3 "$1: pmbench is refused" pmbench -m 64 $press 1
	says "$2"
	one_line
}

# --- the place of the cgroup
made_in 'in a leaf that systemd made' /user.slice
go ''
made_in 'in the root' ''
mkdir -p $top/a/b
go /a
made_in 'in a cgroup with processes, below the root' ''
go /a/b
made_in 'in a child of a cgroup that does not delegate memory' ''
go ''
hand_down /a +
go /a/b
made_in 'in a child of a cgroup that delegates memory' /a
go ''
hand_down /a -
hand_down /user.slice -
hand_down '' -
refused 'memory is delegated by no cgroup, in the root' "as root, 'echo +memory > $top/cgroup.subtree_control'"
go /a/b
refused 'memory is delegated by no cgroup, in a child' "as root, 'echo +memory > $top/cgroup.subtree_control'"
check_exit 0 'swap alone needs no cgroup' with-pressure --swap zram:64M -- true
go ''
hand_down '' +
hand_down /a +
go /a/b
is 'the cgroup that the advice makes can be used' \
	"$(with-pressure -v --ram 32M --swap none -- true 2>&1 | grep -c "$top/a/with-pressure-")" 1
check_exit 125 'the root of a cgroup namespace is refused' unshare -C -m sh -c \
	'umount /sys/fs/cgroup; mount -t cgroup2 none /sys/fs/cgroup; exec with-pressure --ram 32M --swap none -- true'
says 'in a container move its processes into a child cgroup first'

# --- limits of parent cgroups
echo 64M >$top/a/memory.max
check_exit 125 '--ram above the limit of a parent cgroup is refused' with-pressure --ram 65M --swap none -- true
says 'limit of 64 MiB that binds this process already'
echo max >$top/a/memory.max
echo 64M >$top/a/memory.swap.max
check_exit 125 '--swap above the swap limit of a parent cgroup is refused' with-pressure --ram 32M --swap zram:128M -- true
says 'more than the 64 MiB of swap'
check_exit 0 '--swap within the swap limit of a parent cgroup runs' with-pressure --ram 32M --swap zram:64M -- "$hog" 64 1
echo max >$top/a/memory.swap.max
go /user.slice/session.scope
hand_down /user.slice +

# --- privilege
# shellcheck disable=SC2086
check_exit 125 'with-pressure without privilege is refused' $nobody with-pressure --ram 32M --swap none -- true
says 'need CAP_SYS_ADMIN'
one_line
# shellcheck disable=SC2086
check_exit 3 'pmbench without privilege is refused' $nobody pmbench -m 64 $press 1
one_line

# --- out of memory
check_exit 137 'a command above --ram without swap is killed' with-pressure --ram 16M --swap none -- "$hog" 64 1
says 'killed processes of the command for lack of memory'
nothing_is_left 'after the kill'

# --- pmbench
report=$work/report.xml
# shellcheck disable=SC2086
check_exit 0 'pmbench runs with --kernel-split' \
	pmbench -m 128 $press --kernel-split --interval 1s -f "$report" 3
sed -n 's/^\(Classification\|Put back\|  m.* fault .* us .* us .* us\)/# &/p' "$tmp/out"
check 'faults in a cgroup of version 2 are classified exactly' grep -q '^Classification: exact, all [0-9]' "$tmp/out"
check 'major faults in a cgroup of version 2 are split' grep -Eq '^  major fault +[1-9][0-9]*( +[0-9.]+ us){4}$' "$tmp/out"
check 'the report in a cgroup of version 2 is valid by the schema' \
	xmllint --noout --schema "$top_srcdir/docs/memstor-report.xsd" "$report"
for name in pgfault pgmajfault pgscan usage swap events.max psi.memory.some.total; do
	found=$(xmllint --xpath "count(//counter[@name='cgroup.$name'])" "$report")
	echo "# cgroup.$name: $found times, $(xmllint --xpath "string(//counter[@name='cgroup.$name'][1]/@value)" "$report")"
	check "the series has the counter cgroup.$name" test "$found" -gt 0
done
nothing_is_left 'after pmbench'

# shellcheck disable=SC2086
pmbench -m 64 $press -f "$report" 60 >/dev/null 2>&1 &
front=$!
its_cgroup() { find $top -name 'with-pressure-*' | grep .; }
within 20 its_cgroup >/dev/null
sleep 4
echo 0 >"$(its_cgroup)/memory.swap.max"
wait $front
is 'pmbench that the kernel kills ends with 4' $? 4
is 'the report says that memory was short' "$(xmllint --xpath 'string(//pressure/was_oom)' "$report")" true
nothing_is_left 'after the kill of pmbench'
tap_done
