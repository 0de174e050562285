#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# ssd-workloads run --slo: met is 0, missed is 1, in the text and in the report; objectives that no write has are refused.
. "$top_srcdir/tests/lib/tap.sh"
. "$top_srcdir/tests/lib/program.sh"
cd "$tmp" || exit 1

simulate() { # OPTION...
	ssd-workloads run --mix=1-1 --target=sim:small --runtime=500ms --sim blocks=8 "$@"
}
no() { # MIX OPTION OBJECTIVE
	check_exit 2 "--slo=$3 is refused with $2" simulate --mix="$1" "$2" --slo="$3"
	check "the refusal of $3 is one line that names it" sh -c 'test "$(wc -l <"$1")" = 1 && grep -qF -e "--slo $2: " "$1"' \
		sh "$tmp/err" "$3"
}

check_exit 0 'objectives that are met end with 0' simulate --slo='p99<1s' --slo='checkpoint:mean<=1s' -f met.xml
check_exit 1 'one missed objective of two ends with 1' simulate --slo='p99<1s' --slo='checkpoint:mean<=1us' -f missed.xml
check_exit 1 'the text of a run has objectives' simulate --slo='p99<1s' --slo='checkpoint:mean<=1us'
check 'the text has the met objective and its value' grep -Eq '^p99<1s is met: [0-9.]+ ms$' "$tmp/out"
check 'the text has the missed objective and its value' grep -Eq '^checkpoint:mean<=1us is MISSED: [0-9.]+ ms$' "$tmp/out"
is 'the report has both objectives' "$(grep -o '<objective text="[^"]*">' missed.xml | tr '\n' ' ')" \
	'<objective text="p99&lt;1s"> <objective text="checkpoint:mean&lt;=1us"> '
is 'the report has which one is met' "$(sed -n 's,.*<is_met>\(.*\)</is_met>.*,\1,p' missed.xml | tr '\n' ' ')" 'true false '
check 'a missed objective does not make the result untrustworthy' grep -q '<verdict status="ok"' missed.xml
check_exit 0 'the reports are valid and keep the laws' memstor validate met.xml missed.xml
check_exit 0 'an objective of commits is decided with --durability' simulate --durability=dsync --slo='commit:p99<1s'
check_exit 4 'an objective without a sample is undecided' simulate --durability=dsync --slo='sync:p99<1s'
check 'the text says that nothing was measured' grep -q '^sync:p99<1s is UNDECIDED: -; nothing was measured$' "$tmp/out"
no 1-1 --records=0 'commit:p99<1s'
no 1-1 --records=0 'sync:p99<1s'
no 1-1 --durability=none 'p99>1s'
no 1-1 --durability=none 'write:p99<1s'
no 1-0 --records=0 'checkpoint:p99<1s'
no 0-1 --records=0 'p99<1s'
tap_done
