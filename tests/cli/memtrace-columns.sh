#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# bench/column_store, which suites/memtrace/columns.sh records: the same results whatever the partitions, the skew that the suite
# relies on, names and phases in a recording.
. "$top_srcdir/tests/lib/tap.sh"
PATH=$top_builddir/memtrace:$top_builddir/bench:$PATH
cd "$tmp" || exit 1

for arguments in '' 'nonsense 1 1' 'sort 0 1' 'queries 1 1 month' 'average 1 1 without-orders'; do
	# shellcheck disable=SC2086 # several words
	check_exit 2 "column_store $arguments is refused" column_store $arguments
done

results() { column_store queries 0.01 40 "$@" | grep '^[dgl]'; }
results >expected
is "column_store queries: queries of each kind find rows" "$(awk '$3 > 0' expected | wc -l)" 3
for partition in year order; do
	results $partition >found
	check "column_store queries partitioned by $partition gives the same results" cmp expected found
done
results without-orders >fewer
is "column_store queries without-orders runs no query by date" "$(head -n 1 fewer)" 'date rows 0 sum 0'
is "column_store queries without-orders gives the same results for the other queries" "$(tail -n 2 fewer)" "$(tail -n 2 expected)"

column_store average 0.01 1 >average
check "column_store average prints seconds and major faults" \
	sh -c "grep -q '^seconds [0-9.]*$' average && grep -q '^faults [0-9]*$' average"
awk '$1 == "items" { items = $2; orders = $4; prices = $6 }
	$1 == "popular" { n++; rows += $4; if (!least || $4 < least) least = $4 }
	END { print orders, n, (100 * (items - prices) / items > 97.7), (rows / items > 0.24 && rows / items < 0.27), (least > 10 * items / prices) }' average >skew
is "column_store average: 20 prices have a quarter of the items, each many times the mean, and 97.77 % are duplicates" \
	"$(cat skew)" '15000 20 1 1 1'
column_store queries 0.01 1 order >parts
is "column_store queries: each of 5 populous orders has a twentieth of the items in one range" \
	"$(awk '$1 == "items" { items = $2 } $1 == "populous" && $2 == "l_orderkey" { n++; bad += ($5 - $4) * 4 < items / 21 || ($5 - $4) * 4 > items / 19 }
		END { print n, bad + 0 }' parts)" '5 0'
column_store sort 0.01 1 >sorted
is "column_store sort: the list is sorted" "$(awk '$1 == "sorted" { print ($2 > 5000), $4 }' sorted)" '1 0'

status=0
memtrace record -q -e page-faults --control c -o sort.mtr -- column_store sort 0.01 1 >"$tmp/out" 2>"$tmp/err" || status=$?
if [ $status = 3 ]; then
	skip "record of column_store sort succeeds" "$(cat "$tmp/err")"
	tap_done
fi
is "record of column_store sort succeeds" $status 0
# Memory of the result is new when it is written.
memtrace export --phase materialise --region result sort.mtr >samples.csv
is "column_store sort: each page of the result is accessed once in the phase materialise, at the number of an element" \
	"$(awk -F, 'NR > 1 { n++; page = int((($5 - $9) % 4096 + $9) / 4096); bad += seen[page]++ > 0 || $10 == "" || $10 < 0 || $10 >= 45000 }
		END { print (n > 0), bad + 0 }' samples.csv)" '1 0'
tap_done
