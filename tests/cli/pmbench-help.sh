#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Help and version go to stdout and fit a terminal; -h is the original's threshold.
. "$top_srcdir/tests/lib/tap.sh"

for option in --help '-?' --usage --version -V; do
	check_exit 0 "$option ends with 0" pmbench "$option"
	check "and says something on stdout" test -s "$tmp/out"
	check "and nothing on stderr" test ! -s "$tmp/err"
	check "within 80 columns" awk 'length > 80 { exit 1 }' "$tmp/out"
done
check_exit 0 "help comes before what is wrong" pmbench --help --nonsense
pmbench --help >"$tmp/help"
is "first the examples" "$(sed -n 's/^Examples:$/examples/p; s/^  -[a-z?],.*/options/p' "$tmp/help" | uniq | tr '\n' ' ')" 'examples options '
for title in "The original pmbench's:" Workload: Memory: Pressure Measuring: Output:; do
	check "the group '$title' is there" grep -q "^ $title" "$tmp/help"
done
pmbench --version >"$tmp/version"
check "the version is one line" grep -Exq 'pmbench \(memstor\) [0-9]+\.[0-9]+\.[0-9]+.*' "$tmp/version"

check_exit 0 "-h takes a threshold" pmbench -h 5000 --dry-run -m 1 1
check "which the plan names" grep -q 'accesses of 5000 ns and more' "$tmp/out"

if [ -w /dev/full ]; then
	for option in --help '-?' --usage --version; do
		check_exit 3 "$option >/dev/full" sh -c "pmbench '$option' >/dev/full"
		is "one line" "$(cat "$tmp/err")" 'pmbench: cannot write to standard output'
	done
else
	skip "a full stdout" 'there is no /dev/full'
fi
tap_done
