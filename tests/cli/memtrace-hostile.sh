#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# memtrace: recordings whose blocks are valid and which are hostile as a whole. Every reader ends with one line or a right
# result, within 256 MiB and 20 s of CPU time, far more than it needs; the seeds of the fuzz target are the inputs.
. "$top_srcdir/tests/lib/tap.sh"
. "$top_srcdir/tests/lib/program.sh"
seeds=$(cd "$top_srcdir/tests/fuzz/corpus-recording" && pwd)
cd "$tmp" || exit 1

is_sanitized=
! grep -q __asan_init "$top_builddir/memtrace/memtrace" || is_sanitized=--as=unlimited
# A reader that does not end is killed by SIGXCPU, one that fills the memory ends with 3. The address sanitizer reserves terabytes.
bounded() {
	prlimit --cpu=20 ${is_sanitized:---as=268435456} "$@"
}

for name in cycle-fork cycle-pid; do
	for arguments in report 'report --by thread' 'analyze pattern'; do
		# shellcheck disable=SC2086 # several words
		check_exit 0 "$arguments of forks in a cycle ($name) ends with 0" bounded memtrace $arguments "$seeds/$name"
	done
	check_exit 0 "report --by thread --json of $name succeeds" bounded memtrace report --by thread --noheadings -o samples,name \
		"$seeds/$name"
	is "report --by thread of $name counts all samples for a thread without a name" "$(tr -d ' ' <"$tmp/out")" 100
done

# The seed has a header of 89 bytes, 100 equal blocks of 65 bytes with 7000 events each, and samples.
{
	head -c 89 "$seeds/bomb"
	parts=0
	while [ $((parts += 1)) -le 60 ]; do
		tail -c +90 "$seeds/bomb" | head -c 6500
	done
	tail -c +6590 "$seeds/bomb"
} >bomb
for arguments in report 'report --by thread' 'analyze pattern' export; do
	# shellcheck disable=SC2086
	check_exit 2 "$arguments of events that unpack to gigabytes is refused" bounded memtrace $arguments bomb
	check "$arguments says so in one line" says_in_one_line "$tmp/err" \
		'bomb: its events unpack to more than 256 times their size'
done

if command -v python3 >/dev/null; then
	check_exit 4 "analyze pattern of times from 0 to the largest ends with 4" \
		bounded memtrace analyze pattern -f extreme.xml "$seeds/extreme"
	is "the map has all samples, and its last column ends at the last time" "$(python3 -c 'import sys
import xml.etree.ElementTree as tree
columns = list(tree.parse(sys.argv[1]).iter("map_column"))
print(sum(int(c.findtext("samples")) for c in columns), "%.4g" % float(columns[-1].findtext("to_s")))' extreme.xml)" '480 1.845e+10'
	check_exit 4 "analyze hotset of pages that never came back ends with 4" bounded memtrace analyze hotset --json "$seeds/rates"
	check "analyze hotset of pages that never came back is JSON" python3 -c 'import json, sys
json.load(open(sys.argv[1]))' "$tmp/out"

	# 120,000 names of one range, each forgotten before the next; 120,000 mappings of one address, one after the other; and one
	# mapping inside the other.
	python3 "$top_srcdir/tests/lib/trace.py" names names.mtr
	python3 "$top_srcdir/tests/lib/trace.py" mappings mappings.mtr
	python3 "$top_srcdir/tests/lib/trace.py" nested nested.mtr
	check_exit 0 "report of many names succeeds" bounded memtrace report --noheadings -o samples,name names.mtr
	is "each name has its sample, and the mapping the others" \
		"$(awk '$1 == 1 { n++ } $2 == "//anon" { print $1 } END { print n }' "$tmp/out" | xargs)" '120000 120000'
	check_exit 0 "analyze partition of many names succeeds" \
		bounded memtrace analyze partition --noheadings -o id names.mtr names.mtr
	check_exit 0 "report of many mappings of one address succeeds" \
		bounded memtrace report --noheadings -o samples,name mappings.mtr
	is "each mapping has its sample" "$(awk '$1 == 1 { n++ } END { print n }' "$tmp/out")" 120000
	check_exit 0 "report of mappings inside each other succeeds" \
		bounded memtrace report --noheadings -o samples,name nested.mtr
	is "each nested mapping has its sample" "$(awk '$1 == 1 { n++ } END { print n }' "$tmp/out")" 120000
else
	skip 'times and names' 'python3 is not installed'
fi
tap_done
