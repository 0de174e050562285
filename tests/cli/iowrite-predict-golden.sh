#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Predictions of recorded writes equal their golden files (tests/fixtures/iowrite/README). With --make the golden files
# are written anew.
. "$top_srcdir/tests/lib/tap.sh"
fixtures=$top_srcdir/tests/fixtures/iowrite
columns='index naive_ns cawl_ns cawl_state cawl_dirty_bytes kernel_ns kernel_typical_ns kernel_low_ns kernel_high_ns
	kernel_throttle_ns kernel_state kernel_dirty_bytes kernel_writeback_bytes'

# said TRACE ARGUMENT...: those columns of each write.
said() {
	said_trace=$1
	shift
	iowrite-bench predict --system "$fixtures/system.xml" --trace "$fixtures/$said_trace.csv" --per-write --mode=buffered --sync-each=none "$@" |
		awk -F , -v wanted="$columns" '
			BEGIN { count = split(wanted, name, " ") }
			NR == 1 { for (i = 1; i <= NF; i++) place[$i] = i }
			{ for (i = 1; i <= count; i++) printf "%s%s", $place[name[i]], i < count ? "," : "\n" }'
}

# Numbers may differ by 10^-6 between processors and C libraries; words may not.
same() {
	awk -F , '
		function differ(a, b) { return a !~ /^[0-9.]+$/ ? a != b : (a - b) ^ 2 > (0.2 + 1e-6 * a) ^ 2 }
		NR == FNR { golden[FNR] = $0; lines = FNR; next }
		{
			if (split(golden[FNR], cell, ",") != NF)
				exit failed = 1
			for (i = 1; i <= NF; i++)
				if (differ(cell[i], $i)) {
					printf "line %d, column %d: %s, was %s\n", FNR, i, $i, cell[i]
					exit failed = 1
				}
			seen = FNR
		}
		END { exit failed || seen != lines }' "$1" "$2"
}

golden() { # NAME ARGUMENT...
	golden_file=$top_srcdir/tests/golden/iowrite-predict-$1.csv
	said "$@" >"$tmp/said.csv"
	[ -z "$make" ] || cp "$tmp/said.csv" "$golden_file"
	check "the prediction equals its golden file: $*" same "$golden_file" "$tmp/said.csv"
}

make=${1-}
golden buffered-slow --limit-bg 64m --limit-hard 128m
golden backwrite-slow --limit-bg 64m --limit-hard 128m
golden fwrite-1000 --stdio=glibc
golden sync --mode sync
golden direct-overwrite --mode direct --regime overwrite

# The comparison finds differences.
sed '3s/[0-9][0-9]*\.[0-9]/1.0/' "$top_srcdir/tests/golden/iowrite-predict-sync.csv" >"$tmp/other.csv"
check_exit 1 'the comparison with a golden file sees another number' \
	same "$top_srcdir/tests/golden/iowrite-predict-sync.csv" "$tmp/other.csv"
sed '$d' "$top_srcdir/tests/golden/iowrite-predict-sync.csv" >"$tmp/other.csv"
check_exit 1 'the comparison with a golden file sees a missing write' \
	same "$top_srcdir/tests/golden/iowrite-predict-sync.csv" "$tmp/other.csv"
sed '3s/device/throttled/' "$top_srcdir/tests/golden/iowrite-predict-sync.csv" >"$tmp/other.csv"
check_exit 1 'the comparison with a golden file sees another state' \
	same "$top_srcdir/tests/golden/iowrite-predict-sync.csv" "$tmp/other.csv"
tap_done
