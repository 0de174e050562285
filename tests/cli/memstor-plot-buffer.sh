#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# memstor plot buffer: slowdowns of runs with memory limits, drawn with the curve of a recording; refusals.
. "$top_srcdir/tests/lib/tap.sh"
. "$top_srcdir/tests/lib/plot.sh"

# curve FILE MIB RATIO...: the report of an analysis with these points
curve() {
	file=$1
	shift
	awk -v points="$*" '
		/<curve_point>/ { skipping = 1 }
		!skipping
		/<\/curve_point>/ {
			skipping = 0
			n = done ? 0 : split(points, point, " ")
			for (i = 1; i < n; i += 2)
				printf "<curve_point><buffer_bytes>%d</buffer_bytes><miss_ratio>%s</miss_ratio><low>0</low><high>1</high></curve_point>\n",
					point[i] * 1048576, point[i + 1]
			done = 1
		}' "$memtrace/missratio.xml" >"$file"
}
# block NAME FILE: of a script
block() { awk -v begin="\$$1 << END" '$0 == "END" { inside = 0 } inside; $0 == begin { inside = 1 }' "$2"; }
has() { check "$1" grep -qF -e "$2" "$3"; }

mkdir a b
curve a/curve.xml 16 0.5 32 0.25 64 0
for run in '16 1 1' '16 1 2' '16 1.25 3' '32 5 4' '32 4 5' '32 2 6' '64 10 7' '64 10 8' '64 10 9'; do
	# shellcheck disable=SC2086 # words
	set -- $run
	run_in "$1" "$2" a/"$3".xml
done
check_exit 0 "memstor validate accepts the runs and the curve" memstor validate a
check_exit 0 "memstor plot buffer draws runs and a curve" memstor plot buffer a -o a.svg --keep-script=a.gp
is "memstor plot buffer of runs and a curve prints nothing" "$(cat out err)" ''
is "memstor plot buffer draws median, least and largest slowdown per size, over the median of the largest size" \
	"$(block data a.gp)" "$(printf '%s\n' \
	'16777216 10 8 10' '33554432 2.5 2 5' '67108864 1 1 1')"
is "memstor plot buffer draws the miss ratios of the curve" \
	"$(block curves a.gp)" "$(printf '%s\n' '16777216 0.5' '33554432 0.25' '67108864 0')"
has "memstor plot buffer says how many runs each size has" 'medians of 3 runs per size' a.gp
# A sixth of the excess of 9 is a miss ratio of a twelfth, which lies at two thirds from 32 to 64 MiB.
has "memstor plot buffer says how far runs and curve are apart in size" \
	'scaled to 16 MiB (slowdown 10, miss ratio 50 %): at most 67 % apart in size, 32 MiB measured and 53.3 MiB predicted.' a.gp

# --- without a limit
rm a/[789].xml
run_in none 20 a/7.xml
check_exit 0 "memstor plot buffer accepts a run without a limit" memstor plot buffer a -o a.svg --keep-script=a.gp
is "memstor plot buffer takes slowdowns over a run without a limit and draws no point for it" \
	"$(block data a.gp)" "$(printf '%s\n' '16777216 20 16 20' '33554432 5 4 10')"

# --- two programs
curve b/curve.xml 8 0.5 16 0
run_in 8 1 b/1.xml
run_in 32 4 b/2.xml
check_exit 0 "memstor plot buffer accepts two programs" memstor plot buffer a -- b -o b.svg --keep-script=b.gp
is "memstor plot buffer names two programs by their folders" "$(block names b.gp)" "$(printf ' %s\n' a b)"
is "memstor plot buffer has both programs in the legend" "$(count_named b.svg)" 2
has "memstor plot buffer says of each program when no size between is clearly slower" 'b: No other size is clearly slower' b.gp
check "memstor plot buffer has an index of data for each of two programs" test "$(block data b.gp | grep -c '^$')" = 2

# --- a hot set in place of the curve
mkdir hot
cp "$memtrace/hotset.xml" a/[17].xml hot
check_exit 0 "memstor plot buffer accepts a hot set" memstor plot buffer hot -o hot.svg --keep-script=hot.gp
has "memstor plot buffer draws a hot set by accesses" 'is_hot_set = 1' hot.gp
check_exit 0 "memstor plot buffer --y log draws a hot set" memstor plot buffer hot -o log.svg --y log

# --- refusals
refused() { # LINE ARGUMENT...
	line=$1
	shift
	check_exit 2 "memstor plot buffer refuses: $*" memstor plot buffer "$@" -o no.svg
	is "memstor plot buffer prints the expected refusal: $*" "$(cat err)" "memstor: $line"
}
refused 'program 1 of 1, separated by --: no report of memtrace analyze missratio or hotset' a/1.xml
refused 'program 1 of 1, separated by --: no report of a run' a/curve.xml
refused 'program 2 of 2, separated by --: no report of a run' a -- b/curve.xml
refused 'b/curve.xml: a second recording of this program (give one); separate programs by --' a b
refused 'hot/hotset.xml: a report of analyze hotset, but another one is of missratio; give reports of the same analysis' a -- hot
refused "$memtrace/skew.xml: must be the report of a run with a rate, or of memtrace analyze missratio or hotset" "$memtrace/skew.xml"
tap_done
