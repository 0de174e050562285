#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The rates of error of one metric in memstor.1 are what bench/compare_rates measures, and false alarms what is stated.
. "$top_srcdir/tests/lib/tap.sh"
. "$top_srcdir/tests/lib/rates.sh"

for table in alarms power equal floor; do
	check_table $table 0.45
done
# 5 % of 1000 are 50 +- 7.
check "memstor compare: false alarms of one metric are 5 % within the sampling error" awk 'NR > 1 { for (i = NF - 6; i <= NF; i++) if ($i > 7.1) exit 1 }' "$tmp/alarms"
check_exit 2 "compare_rates refuses an unknown table" "$rates" 1000 nonsense
check_exit 2 "compare_rates refuses 0 pairs" "$rates" 0 alarms
tap_done
