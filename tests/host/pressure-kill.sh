#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# kill -9 of the job, its keeper, the front, the guardian, or both supervisors, while the job and what it has
# started page on each kind of swap: nothing is left on the machine and no process of the job lives.
. "$top_srcdir/tests/lib/pressure.sh"
need_host zram loop
make_swap_device

# Two hogs and a daemon that has left the session: what a job may start.
script='"$0" 96 60 "$1" & setsid "$0" 96 60 "$1" & echo up >"$2"; wait'

start() { # start KIND: sets front guardian keeper job
	rm -f "$work/up"
	with-pressure --ram 64M --swap "$(swap_spec "$1")" -- sh -c "$script" "$hog" "$token" "$work/up" \
		>"$work/out" 2>"$work/err" &
	front=$!
	within 20 test -s "$work/up" || return 1
	guardian=$(child_of "$front")
	keeper=$(child_of "$guardian")
	job=$(child_of "$keeper")
	cat "$WITH_PRESSURE_DIR"/* >"$work/journal"
	within 20 is_swapping
}

is_swapping() { # the hogs are at work in our area: at least 20 MB
	area=$(awk '$1 == "swap" || $1 == "swap-device" { print $4 }' "$work/journal")
	in_proc_swaps "$(journal_text "$area")" | awk '{ exit !($4 > 20000) }'
}

for kind in zram file loop device; do
	for victim in job keeper front guardian both; do
		case="$victim on $kind"
		check "$case: the command pages" start $kind
		case $victim in
		job) kill -9 "$job" ;;
		keeper) kill -9 "$keeper" ;;
		front) kill -9 "$front" ;;
		guardian) kill -9 "$guardian" ;;
		both) kill -9 "$guardian" "$front" ;;
		esac
		wait "$front" 2>/dev/null
		is "$case: with-pressure ends with 137" $? 137
		if [ $victim = both ]; then
			is "$case: the swap area is left" "$(leftovers "$work/journal" | grep -c '^swap:')" 1
			check_exit 0 "$case: --recover ends with 0" with-pressure --recover
			check "$case: --recover says what it restored" grep -q 'restored: memory cgroup .* removed' "$tmp/err"
		fi
		within 5 is_clean "$work/journal"
		is "$case: everything is as before" "$(leftovers "$work/journal")" ''
		check "$case: the swap device of the user stays as it was" device_stays
	done
done
tap_done
