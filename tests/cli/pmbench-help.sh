#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# --help and --version print lines of up to 80 columns on stdout; -h is the threshold of the original.
. "$top_srcdir/tests/lib/tap.sh"

for option in --help '-?' --usage --version -V; do
	check_exit 0 "pmbench $option ends with 0" pmbench "$option"
	check "pmbench $option prints on stdout" test -s "$tmp/out"
	check "pmbench $option prints nothing on stderr" test ! -s "$tmp/err"
	check "pmbench $option prints lines of up to 80 columns" awk 'length > 80 { exit 1 }' "$tmp/out"
done
check_exit 0 'pmbench --help wins over an unknown option' pmbench --help --nonsense
pmbench --help >"$tmp/help"
is 'pmbench --help has its examples before its options' \
	"$(sed -n 's/^Examples:$/examples/p; s/^  -[a-z?],.*/options/p' "$tmp/help" | uniq | tr '\n' ' ')" 'examples options '
for title in "Options of the original pmbench:" Workload: Memory: Pressure Measuring: Output:; do
	check "pmbench --help has the group $title" grep -q "^ $title" "$tmp/help"
done
pmbench --version >"$tmp/version"
check 'pmbench --version prints one line with program, suite and version' \
	grep -Exq 'pmbench \(memstor\) [0-9]+\.[0-9]+\.[0-9]+.*' "$tmp/version"

check_exit 0 'pmbench -h takes a threshold as the original does' pmbench -h 5000 --dry-run -m 1 1
check 'the plan of pmbench names the threshold of -h' grep -q 'accesses of 5000 ns and more' "$tmp/out"

if [ -w /dev/full ]; then
	for option in --help '-?' --usage --version; do
		check_exit 3 "pmbench $option ends with 3 when stdout is full" sh -c "pmbench '$option' >/dev/full"
		is "pmbench $option says in one line that stdout is full" \
			"$(cat "$tmp/err")" 'pmbench: cannot write to standard output'
	done
else
	skip 'pmbench --help ends with 3 when stdout is full' 'there is no /dev/full'
fi
tap_done
