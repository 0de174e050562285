#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# How many pages beyond the map a measuring process references in a second: /proc/PID/clear_refs, then Referenced in
# smaps. Counted are the program's own pages: its code and data, stacks, heap and counters. Pages of shared libraries
# and of the vDSO are marked by every process that uses them, so they cannot be told; that the loop calls none is a
# test's business (tests/cli/hot-rule.sh). Needs root and an otherwise idle pmbench; sizes in MiB.
set -eu
build=${top_builddir:-$(dirname "$0")/../build}
[ "$(id -u)" = 0 ] || { echo "skipped: needs root"; exit 0; }

# seconds_of NAME MAP_MIB ARGUMENT...: three seconds of one run.
seconds_of() {
	name=$1
	size=$2
	shift 2
	"$build/pmbench/pmbench" -q -c -i --interval 1h -m "$size" "$@" 20 >/dev/null &
	front=$!
	sleep 6
	# The youngest is the one that measures.
	worker=$(pgrep -n -x pmbench)
	for second in 1 2 3; do
		echo 1 >"/proc/$worker/clear_refs"
		sleep 1
		awk -v map_kib=$((size * 1024)) -v what="$name, second $second" '
			/^[0-9a-f]+-[0-9a-f]+ / { name = $6 }
			/^Size:/ { size = $2 }
			/^Referenced:/ && size < map_kib && name !~ /\.so|vdso|vvar/ { pages += $2 / 4 }
			END { printf "- %s: %d pages\n", what, pages }' "/proc/$worker/smaps"
	done
	kill -INT "$front"
	wait "$front" || true
}

echo "## Pages referenced beyond the map in one second, one thread"
echo
seconds_of 'resident 64 MiB' 64
if [ -e /sys/class/zram-control ]; then
	seconds_of 'paging 512 MiB in 128 MiB' 512 --ram 128M --swap zram:1G
fi
