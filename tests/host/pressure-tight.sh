#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Paging at random over four times a tight limit with swap to spare: never an OOM kill. Without the guardian's
# reading of memory.stat the kernel kills a quarter to a half of such runs (docs/adr/0014).
. "$top_srcdir/tests/lib/pressure.sh"
need_host zram

for run in 1 2 3 4 5 6 7 8; do
	check_exit 0 "run $run pages and is not killed" with-pressure -q --ram 64M --swap zram:512M -- "$hog" 256 3 "$token"
	check "run $run: no OOM kill is reported" sh -c '! grep -qi oom "$1"' sh "$tmp/err"
done
tap_done
