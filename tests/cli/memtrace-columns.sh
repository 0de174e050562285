#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# memtrace columns: the same results whatever the threads and partitions, the skew it promises, names and phases in a recording.
. "$top_srcdir/tests/lib/tap.sh"
. "$top_srcdir/tests/lib/program.sh"
command -v python3 >/dev/null || skip_all 'python3 is not installed, which reads the result'
cd "$tmp" || exit 1

for arguments in columns 'columns nonsense' 'columns sort average' 'columns sort --scale 0' 'columns sort --partition month' \
	'columns average --without-orders' 'columns queries -n 3 --without-orders' 'columns sort -f sort.xml'; do
	# shellcheck disable=SC2086 # several words
	check_exit 2 "memtrace $arguments is refused" memtrace $arguments
	is "memtrace $arguments is refused in one line" "$(wc -l <"$tmp/err")" 1
done

results() { memtrace columns queries --scale 0.01 -n 40 "$@" | grep '^[dgl]'; }
results -j 1 >expected
is "columns queries: queries of each kind find rows" "$(awk '$3 > 0' expected | wc -l)" 3
for options in '-j 2' '-j 3 --partition year' '-j 2 --partition order' '-j 1 --partition year'; do
	# shellcheck disable=SC2086 # several words
	results $options >found
	check "columns queries $options gives the results of one thread" cmp expected found
done
results -j 1 --seed 2 >other
check "columns queries --seed 2 gives other results" sh -c '! cmp -s expected other'

# Queries without the table orders are those that do not read it.
results -j 2 --without-orders >fewer
is "columns queries --without-orders runs no query by date" "$(head -n 1 fewer)" 'date rows 0 sum 0'
is "columns queries --without-orders gives the same results for the other queries" "$(tail -n 2 fewer)" "$(tail -n 2 expected)"
check_exit 0 "columns queries -f writes a report" memtrace columns queries --scale 0.01 -n 40 --without-orders -f queries.xml
check "columns queries -f still prints time and faults on stdout" \
	sh -c "grep -q '^seconds ' '$tmp/out' && grep -q '^faults [0-9]*$' '$tmp/out'"
check_exit 0 "memstor validate accepts the report of columns queries" memstor validate queries.xml
is "the report of columns queries --without-orders has half of the queries and their rate" \
	"$(python3 -c 'import sys, xml.etree.ElementTree as tree
part = tree.parse("queries.xml").find("report/result/column_store")
value = lambda name: float(part.find(name).text)
print(value("queries"), abs(value("queries_per_second") * value("seconds") / value("queries") - 1) < 1e-6)')" '20.0 True'

memtrace columns average --scale 0.01 >average
awk '$1 == "items" { items = $2; orders = $4; prices = $6 }
	$1 == "popular" { n++; rows += $4; if (!least || $4 < least) least = $4 }
	END { print orders, n, (100 * (items - prices) / items > 97.7), (rows / items > 0.24 && rows / items < 0.27), (least > 10 * items / prices) }' average >skew
is "columns average: 20 prices have a quarter of the items, each many times the mean, and 97.77 % are duplicates" \
	"$(cat skew)" '15000 20 1 1 1'
memtrace columns queries --scale 0.01 -n 1 --partition order >parts
is "columns queries: each of 5 populous orders has a twentieth of the items in one range" \
	"$(awk '$1 == "items" { items = $2 } $1 == "populous" && $2 == "l_orderkey" { n++; bad += ($5 - $4) * 4 < items / 21 || ($5 - $4) * 4 > items / 19 }
		END { print n, bad + 0 }' parts)" '5 0'
memtrace columns sort --scale 0.01 >sorted
is "columns sort: the list is sorted" "$(awk '$1 == "sorted" { print ($2 > 5000), $4 }' sorted)" '1 0'

status=0
memtrace record -q -e page-faults --control c -o sort.mtr -- "$top_builddir/memtrace/memtrace" columns sort --scale 0.01 >"$tmp/out" 2>"$tmp/err" || status=$?
if [ $status = 3 ]; then
	echo "ok $((tap_count + 1)) # SKIP $(cat "$tmp/err")"
	tap_count=$((tap_count + 1))
	tap_done
	exit
fi
is "record of columns sort succeeds" $status 0
# Memory of the result is new when it is written.
check_exit 0 "analyze count --phase materialise --region result succeeds" \
	memtrace analyze count --phase materialise --region result --bucket 4k --rows 1000 --json sort.mtr
is "columns sort: each page of the result is accessed once in the phase materialise, at the number of an element" \
	"$(python3 -c 'import json, sys
d = json.load(open(sys.argv[1]))
rows = d["hot_bucket"]
print(all(b["samples"] == 1 for b in rows), len(rows) > 0, all(0 <= b["element"] < 45000 for b in rows))' "$tmp/out")" 'True True True'
tap_done
