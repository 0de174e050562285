#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The error rates of the overall verdict on many metrics in memstor.1 are what bench/compare_rates measures.
. "$top_srcdir/tests/lib/tap.sh"
. "$top_srcdir/tests/lib/rates.sh"

# One comparison of 100 is 1 %.
check_table overall 0.45
check_table suite 1.05
# 5 % of 1000 are 50 +- 7; of 250, where there are 20 sets, 12.5 +- 3.4.
check "memstor compare: false alarms of the overall verdict are 5 % within the sampling error" awk 'NR > 1 { for (i = NF - 4; i <= NF; i++) if ($i > ($1 == 1 ? 7.1 : 9.1)) exit 1 }' \
	"$tmp/overall"
tap_done
