#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# A run that was not limited as asked: its processes leave the cgroup, or its limits are changed.
. "$top_srcdir/tests/lib/pressure.sh"
need_host
limit=$(case $(cgroup_version) in 1) echo memory.limit_in_bytes ;; 2) echo memory.max ;; esac)
# Writing "$0" to "$1" of the run's cgroup, or joining the cgroup "$0".
# shellcheck disable=SC2016 # the command's shell expands
set_limit='for dir in "$2"/with-pressure-*; do
	[ ! -e "$dir/memory.memsw.limit_in_bytes" ] || echo "$0" >"$dir/memory.memsw.limit_in_bytes"
	echo "$0" >"$dir/$1"
done
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
check_exit 4 'a command that raises its limit ends with 4' inside -- sh -c "$set_limit" 1073741824 $limit "$parent"
is 'a raised limit is the only reason' "$(reason)" limit-changed
check 'the reason has both limits' grep -q ' was changed from 32 MiB to 1 GiB ' "$tmp/err"
check_exit 137 '--contain kills a command that raises its limit' \
	inside --contain -- sh -c "$set_limit; sleep 60" 1073741824 $limit "$parent"

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

# --- pmbench
pmbench -m 16 --ram 64M --swap none -f "$work/r.xml" 3 >"$tmp/out" 2>"$tmp/err" &
front=$!
its_cgroup() { find "$parent" -maxdepth 1 -name 'with-pressure-*' | grep .; }
within 20 its_cgroup >/dev/null
sleep 1
dir=$(its_cgroup)
echo 33554432 >"$dir/$limit"
wait $front
is 'pmbench whose limit another program changed ends with 4' $? 4
check 'the report has the changed limit as a reason' grep -q '<reason code="limit-changed"' "$work/r.xml"
tap_done
