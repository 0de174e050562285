#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# A run without the pressure that was asked for: its processes leave the cgroup, its limits are changed, or its pages go to
# other swap areas.
. "$top_srcdir/tests/lib/pressure.sh"
need_host zram
limit=$(case $(cgroup_version) in 1) echo memory.limit_in_bytes ;; 2) echo memory.max ;; esac)
# The cgroup of the only run, as its journal has it.
its_cgroup() { sed -n 's/^cgroup [12] 0 \([^ ]*\) .*/\1/p' "$WITH_PRESSURE_DIR"/*; }
# Writing "$0" to "$1" of the run's cgroup, or joining the cgroup "$0".
# shellcheck disable=SC2016 # the command's shell expands
set_limit='dir=$(sed -n "s/^cgroup [12] 0 \([^ ]*\) .*/\1/p" "$WITH_PRESSURE_DIR"/*)
[ ! -e "$dir/memory.memsw.limit_in_bytes" ] || echo "$0" >"$dir/memory.memsw.limit_in_bytes"
echo "$0" >"$dir/$1"
sleep 0.3'
# shellcheck disable=SC2016
leave='echo $$ >"$0/cgroup.procs" || exit 9; exec "$@"'
inside() { with-pressure --ram 32M --swap none "$@"; }
reason() { sed -n 's/^with-pressure: warning: \([a-z-]*-[a-z]*\): .*/\1/p' "$tmp/err"; }
parent=$(own_cgroup)

# --- leaving
check_exit 4 'a command that leaves the cgroup ends with 4' inside -- sh -c "$leave" "$parent" "$hog" 150 1 "$token"
is 'a command that leaves is the only reason' "$(reason)" left-cgroup
used=$(sed -n 's/.* outside of it used up to \([0-9]*\)[0-9.]* MiB .*/\1/p' "$tmp/err")
check 'the reason has the memory that was used outside' test "${used:-0}" -ge 150 -a "${used:-0}" -le 170
check_exit 7 'a command that leaves and fails keeps its status' inside -- sh -c "$leave" "$parent" sh -c 'sleep 0.3; exit 7'
is 'a command that leaves and fails is told the reason' "$(reason)" left-cgroup
check_exit 4 'a daemon that leaves is found' inside -- sh -c "setsid sh -c '$leave' \"\$0\" sleep 60 & sleep 0.5" "$parent"
is 'a daemon that leaves is the reason' "$(reason)" left-cgroup
check_exit 137 '--contain kills a command that leaves' inside --contain -- sh -c "$leave" "$parent" sleep 60
check '--contain says so' grep -q -- '--contain: the command was killed' "$tmp/err"

# --- limits
check_exit 4 'a command that raises its limit ends with 4' inside -- sh -c "$set_limit" 1073741824 $limit
is 'a raised limit is the only reason' "$(reason)" limit-changed
check 'the reason has both limits' grep -q ' was changed from 32 MiB to 1 GiB ' "$tmp/err"
check_exit 137 '--contain kills a command that raises its limit' \
	inside --contain -- sh -c "$set_limit; sleep 60" 1073741824 $limit

# --- neither
# shellcheck disable=SC2016
check_exit 0 'a command with many short processes, ended in any order, has not left' inside --contain -- sh -c '
	for i in 1 2 3 4 5 6 7 8 9 10; do
		for j in 1 2 3 4 5 6 7 8 9 10; do { true | /bin/true; } & /bin/true; done
		sleep 0.02
	done; wait'
is 'a command with many short processes has no reason' "$(reason)" ''
# A cgroup of its own below the run's, which version 2 does not let a process make there.
if [ "$(cgroup_version)" = 1 ]; then
	# shellcheck disable=SC2016
	check_exit 0 'a command in a cgroup below the one of the run has not left' inside --contain -- sh -c '
		cd "$0"/with-pressure-* && mkdir below && echo $$ >below/cgroup.procs && sleep 0.3' "$parent"
fi

# --- swap areas of two runs
# The first ends when the second is over.
first_pages() { # first_pages MIB: a run whose command fills that much and waits; sets area
	rm -f "$work/over"
	# shellcheck disable=SC2016
	with-pressure -q --ram 48M --swap zram:256M -- sh -c '"$0" "$1" 1 && : >"$2"; until [ -e "$3" ]; do sleep 0.05; done' \
		"$hog" "$1" "$work/up" "$work/over" 2>"$work/first" &
	first=$!
	within 20 test -e "$work/up"
	rm "$work/up"
	area=$(sed -n 's/^swap 0 0 \([^ ]*\) .*/\1/p' "$WITH_PRESSURE_DIR"/*)
}
first_ends() {
	: >"$work/over"
	wait $first
}
# shellcheck disable=SC2016
own_priority='awk -v area="$1" "\$1 ~ /zram/ && \$1 != area { print \$NF }" /proc/swaps'
first_pages 16
check_exit 0 'a later run that does not swap ends with 0' \
	with-pressure -q --ram 64M --swap zram:64M -- sh -c "$own_priority" - "$area"
is 'its area has a lower priority than that of the first run' "$(cat "$tmp/out")" 32766
check_exit 4 'a later run that swaps ends with 4' with-pressure -q --ram 48M --swap zram:256M -- "$hog" 128 1 "$token"
is 'its pages elsewhere are the only reason' "$(reason)" swapped-elsewhere
check 'the reason names the area of the first run' grep -qF "$area" "$tmp/err"
first_ends
is 'the first run, which kept its area, ends with 0' $? 0

# --- an area that appears for a moment, and the own one that disappears
trap 'swapoff "$work/foreign" 2>/dev/null; clean_up' EXIT
truncate -s 0 "$work/foreign"
fallocate -l 64M "$work/foreign"
chmod 600 "$work/foreign"
mkswap "$work/foreign" >/dev/null
(
	within 20 test -e "$work/up"
	swapon -p 32767 "$work/foreign"
	swapoff "$work/foreign"
) &
moment=$!
# shellcheck disable=SC2016
check_exit 4 'a run with an area of the same priority for a moment ends with 4' \
	with-pressure -q --ram 48M --swap zram:256M -- sh -c ': >"$1"; exec "$0" 128 1' "$hog" "$work/up"
wait $moment
is 'the area of the same priority is the only reason' "$(reason)" swapped-elsewhere
check 'the reason names that area' grep -qF "$work/foreign was active with priority 32767, not below 32767" "$tmp/err"
swapon -p 32767 "$work/foreign"
check_exit 0 'a run that swaps nothing out ends with 0 beside an area of the same priority' \
	with-pressure --ram 48M --swap zram:64M -- true
swapoff "$work/foreign"
check 'its warning is of pages that are swapped out' \
	grep -q 'foreign has a priority that is not below ours: .* will not be ok if any are swapped out' "$tmp/err"
# shellcheck disable=SC2016
check_exit 4 'a run whose area was switched off ends with 4' with-pressure -q --ram 48M --swap zram:64M -- sh -c '
	swapoff "$(sed -n "s/^swap 0 0 \([^ ]*\) .*/\1/p" "$WITH_PRESSURE_DIR"/*)" && sleep 0.2'
is 'the area that was switched off is the only reason' "$(reason)" swap-lost

# --- pmbench
pmbench -m 16 --ram 64M --swap none -f "$work/r.xml" 3 >"$tmp/out" 2>"$tmp/err" &
front=$!
is_limited() { [ "$(cat "$(its_cgroup)/$limit" 2>/dev/null)" = 67108864 ]; }
within 20 is_limited
sleep 1
echo 33554432 >"$(its_cgroup)/$limit"
wait $front
is 'pmbench whose limit another program changed ends with 4' $? 4
check 'the report has the changed limit as a reason' grep -q '<reason code="limit-changed"' "$work/r.xml"
tap_done
