#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The rates of error in memstor.1 are what bench/compare_rates measures, and those of false alarms are what they are
# stated to be.
. "$top_srcdir/tests/lib/tap.sh"
page=$top_srcdir/memstor/memstor.1
rates=$top_builddir/bench/compare_rates
# shellcheck disable=SC2154 # from the makefile
[ -z "$sanitizer" ] || skip_all 'arithmetic is the same under a sanitizer, and slow'

manual() { awk -v mark=".\\\\\" rates $1" '$0 == mark { on = 1; next } /^\.EE/ { on = 0 } on && !/^\.EX/' "$page"; }

# Other compilers and libraries may round one pair of a thousand to the other side.
same_table() {
	paste -d '\n' "$1" "$2" | awk '
	NR % 2 { n = split($0, wanted); next }
	{
		if (split($0, got) != n)
			exit failed = 1
		for (i = 1; i <= n; i++) {
			difference = wanted[i] - got[i]
			if (wanted[i] ~ /^[0-9.]+$/ ? difference > 0.45 || difference < -0.45 : wanted[i] != got[i]) {
				print wanted[i] " in the manual, " got[i] " measured: " $0
				failed = 1
			}
		}
	}
	END { exit failed }'
}

for table in alarms power equal overall suite floor; do
	manual $table >"$tmp/manual"
	"$rates" 1000 $table >"$tmp/measured"
	check "$table: in the manual" test "$(wc -l <"$tmp/manual")" -ge 5
	is "$table: as many lines" "$(wc -l <"$tmp/measured")" "$(wc -l <"$tmp/manual")"
	check "$table: as measured" same_table "$tmp/manual" "$tmp/measured"
done

# 5 % of 1000 are 50 +- 7; of 250, where there are 20 sets, 12.5 +- 3.4.
"$rates" 1000 alarms >"$tmp/alarms"
check "false alarms of one metric: 5 %" awk 'NR > 1 { for (i = NF - 6; i <= NF; i++) if ($i > 7.1) exit 1 }' "$tmp/alarms"
manual overall >"$tmp/overall"
check "and of all together" awk 'NR > 1 { for (i = NF - 4; i <= NF; i++) if ($i > ($1 == 1 ? 7.1 : 9.1)) exit 1 }' "$tmp/overall"
check_exit 2 "a table that there is not" "$rates" 1000 nonsense
check_exit 2 "no pairs" "$rates" 0 alarms
tap_done
