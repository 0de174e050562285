#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# kill -9 of both supervisors at moments all over set-up and tear-down: --recover leaves nothing behind.
. "$top_srcdir/tests/lib/pressure.sh"
need_host zram loop
make_swap_device

devices() { find /sys/block -name 'zram*' | sort; }
before=$(cat /proc/swaps; devices; cat /proc/sys/vm/page-cluster; losetup -a)

for kind in zram file loop device; do
	for delay in 0 0.003 0.006 0.009 0.012 0.015 0.018 0.022 0.026 0.03 0.04 0.05 0.07 0.1 0.15 0.2; do
		with-pressure --ram 64M --swap "$(swap_spec $kind)" -- sh -c ": $token; sleep 0.06" >/dev/null 2>&1 &
		front=$!
		sleep $delay
		# The guardian may not be there yet, or no longer.
		# shellcheck disable=SC2046
		kill -9 $front $(pgrep -P $front) 2>/dev/null
		wait $front 2>/dev/null
		cat "$WITH_PRESSURE_DIR"/* >"$work/journal" 2>/dev/null
		reached=$(tail -n 1 "$work/journal" | cut -d ' ' -f 1)
		check_exit 0 "$kind killed after ${delay} s (${reached:-no journal}): --recover ends with 0" with-pressure --recover
		sed 's/^/# /' "$tmp/err"
		within 5 is_clean "$work/journal"
		is "$kind killed after ${delay} s: everything is as before" "$(leftovers "$work/journal")" ''
	done
done
check 'the swap device of the user stays as it was' device_stays
is 'swap areas, zram and loop devices and page-cluster of the machine are as before' \
	"$(cat /proc/swaps; devices; cat /proc/sys/vm/page-cluster; losetup -a)" "$before"
tap_done
