#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# columns.sh FOLDER PART ENGINE SCALE [ARGUMENT...]: a use case of the memory-trace paper on bench/column_store, whose skew is known.
keep=$1 part=$2 engine=$3 scale=$4
shift 4
# shellcheck source=suites/memtrace/lib.sh
. "$(dirname "$0")/lib.sh"

# Section 4.1, Figure 3: which phase reads which structure in order.
run_sort() {
	record "$engine" sort column_store sort "$scale" 40
	is_named sort --phase sort
	is_named sort --phase materialise
	holds "the filter reads the table in order" "$(forward sort filter o_totalprice 1 65536) >= 90"
	share=$(forward sort sort filtered_column)
	holds "the sort reads the filtered column at random" "$share >= 40 && $share <= 60"
	holds "materialising reads the position list in order" "$(forward sort materialise position_list 1 65536) >= 90"
	share=$(forward sort materialise o_totalprice)
	holds "and the table at random" "$share >= 40 && $share <= 60"
}

# Section 4.2, Figure 4: the encoded column in order, its dictionary at random; the 20 hot entries, by position.
run_average() {
	# A pass over the column takes about as long as the pause between two short bursts: its order is that within a burst.
	steps=256
	# Until there are samples enough to tell entries apart: on a busy machine bursts take longer, and are fewer.
	for passes in 1000 4000 16000; do
		record "$engine" average column_store average "$scale" "$(awk "BEGIN { print int($passes / $scale) }")" \
			>"$keep/average.txt"
		[ "$(field selected average --region l_extendedprice_dictionary)" -lt 2000 ] || break
	done
	is_named average --phase average
	holds "the encoded column is read in order" "$(forward average average l_extendedprice 1 65536) >= 90"
	share=$(forward average average l_extendedprice_dictionary)
	holds "the dictionary is read at random" "$share >= 40 && $share <= 60"
	column=$(field selected average --region l_extendedprice)
	dictionary=$(field selected average --region l_extendedprice_dictionary)
	holds "the dictionary is accessed more often than the column" "$dictionary > $column"
	memtrace analyze count --phase average --region l_extendedprice_dictionary --bucket 8 --rows 21 --noheadings \
		-o element,samples "$keep/average.mtr" >"$keep/entries.txt"
	found=$(head -n 20 "$keep/entries.txt" | awk '
		FILENAME == ARGV[1] && $1 == "popular" { known[$2] }
		FILENAME == "-" && $1 in known { n++ }
		END { print n + 0 }' "$keep/average.txt" -)
	holds "the 20 popular values are the 20 most accessed entries" "$found == 20"
	holds "each of them has 3 times the samples of any other entry" \
		"$(awk 'NR == 20 { print $2 }' "$keep/entries.txt") >= 3 * $(awk 'NR == 21 { print $2 }' "$keep/entries.txt")"
}

# densities: for each year with a populous order and group of columns that queries read alike, the samples of the order's elements
# over those of as many elements of no populous order. Bursts begin at moments, so rows that are fetched one here and one there,
# slowly, have more samples than accesses: a ratio is rather too small.
densities() {
	memtrace export --phase queries "$keep/none.mtr" | awk -F, '
		BEGIN {
			group["l_orderkey"] = group["l_quantity"] = "all"
			group["l_partkey"] = group["l_suppkey"] = group["l_shipmode"] = "fetched"
			group["l_shipdate"] = "scanned"
		}
		FILENAME == ARGV[1] {
			split($0, word, " ")
			if (word[1] == "populous") {
				years[word[3]]
				first[word[2], word[3]] = word[4]
				last[word[2], word[3]] = word[5]
			}
			next
		}
		FNR > 1 && $8 in group {
			in_one = 0
			for (year in years) {
				if ($10 >= first[$8, year] && $10 <= last[$8, year]) {
					in_one = 1
					count[group[$8], year]++
				}
			}
			rest[group[$8]] += !in_one
		}
		# Each has a twentieth of the rows, the others have three quarters.
		END {
			for (name in rest) {
				for (year in years)
					printf "%s %s %.2f\n", name, year, count[name, year] / (rest[name] / 15)
			}
		}' "$keep/none.txt" - >"$keep/densities.txt"
}
density() { awk -v name="$1" -v year="$2" '$1 == name && $2 == year { print $3 }' "$keep/densities.txt"; }

# change OTHER COLUMN: percent, and the decision
change() {
	memtrace analyze partition --phase queries --equal "$keep/equal.mtr" "$keep/none.mtr" "$keep/$1.mtr" --noheadings \
		-o id,change_percent,low_percent,high_percent,decision | awk -v column="$2" '$1 == column { print $2, $3, $4, $5 }'
}

# Section 4.4, Figures 5 and 7 to 9: populous orders, and what partitions save.
run_queries() {
	for run in none equal year order; do
		partition=$run
		[ "$run" != equal ] && [ "$run" != none ] || partition=
		# shellcheck disable=SC2086 # one word or none
		record "$engine" $run column_store queries "$scale" "$(awk "BEGIN { print int(300 / $scale) }")" $partition \
			>"$keep/$run.txt"
		grep '^[dgl]' "$keep/$run.txt" >"$keep/$run.results"
		cmp "$keep/none.results" "$keep/$run.results"
	done
	is_named none --phase queries
	densities
	for year in 1993 1994 1995 1996 1997; do
		holds "l_orderkey and l_quantity: the populous order of $year is accessed more" "$(density all $year) >= 1.3"
	done
	for year in 1993 1994; do
		holds "l_partkey, l_suppkey and l_shipmode: that of $year is accessed much more" "$(density fetched $year) >= 2"
		holds "l_shipdate: that of $year is accessed more" "$(density scanned $year) >= 1.5"
	done
	for year in 1995 1996 1997; do
		holds "l_partkey, l_suppkey and l_shipmode: that of $year is not" "$(density fetched $year) < 1"
	done
	for other in year order; do
		for column in l_shipdate l_orderkey o_orderdate; do
			echo "        by $other, $column: $(change $other $column)"
		done
	done
	holds "by year, the volume of l_shipdate shrinks" "$(change year l_shipdate | awk '{ print $4 == "less" }')"
	holds "and that of o_orderdate" "$(change year o_orderdate | awk '{ print $4 == "less" }')"
	holds "by year, l_shipdate shrinks more than l_orderkey" \
		"$(change year l_shipdate | cut -d ' ' -f 1) < $(change year l_orderkey | cut -d ' ' -f 1)"
	holds "l_shipdate shrinks more by year than by order" \
		"$(change year l_shipdate | cut -d ' ' -f 1) < $(change order l_shipdate | cut -d ' ' -f 1)"
	holds "by order, that of o_orderdate does not shrink" "$(change order o_orderdate | awk '{ print $4 != "less" }')"
}

# faults WORKLOAD SIZE: pages that came from swap during the queries, the median of the rounds
faults() {
	sed -n 's/^faults //p' "$keep/$1/run-$2-"*.txt | sort -n |
		awk '{ faults[NR] = $1 } END { print faults[int((NR + 1) / 2)] }'
}
# text_of FILE ELEMENT: of a report
text_of() { sed -n "s/^[[:space:]]*<$2>\(.*\)<.*/\1/p" "$keep/$1" | head -n 1; }

# Section 4.3, Figure 6: the working set, also without the table orders; then the same queries in less and less memory.
# RECORDED SIZES SIZES-WITHOUT ROUNDS: queries that are recorded; MiB, falling, of all queries, of those that need no orders; numbers of
# rounds, which can be added to those that are there. The first size is as good as no limit, in the last one the queries page, in
# the second one those without orders do not.
run_buffer() {
	recorded=$1 rounds=$4
	shift
	for workload in with-orders without-orders; do
		fewer=
		[ $workload = with-orders ] || fewer='without-orders'
		mkdir -p "$keep/$workload"
		under='with-pressure -q --swap=zram:1g --'
		# shellcheck disable=SC2086 # one word or none
		[ -s "$keep/$workload.mtr" ] || record "$engine" $workload column_store queries "$scale" "$recorded" $fewer \
			>"$keep/$workload.txt"
		is_named $workload --phase queries
		memtrace analyze hotset --phase queries -f "$keep/$workload/hotset.xml" "$keep/$workload.mtr" >"$keep/$workload/hotset.txt"
	done
	for round in $rounds; do
		for workload in with-orders without-orders; do
			fewer='' sizes=$1
			[ $workload = with-orders ] || fewer='without-orders' sizes=$2
			for size in $sizes; do
				# shellcheck disable=SC2086 # one word or none
				with-pressure -q --ram="${size}M" --swap=zram:1g -- column_store queries "$scale" 40 $fewer \
					>"$keep/$workload/run-$size-$round.txt"
			done
		done
	done
	for workload in with-orders without-orders; do
		sizes=$1
		[ $workload = with-orders ] || sizes=$2
		for size in $sizes; do
			echo "        $workload in $size MiB: $(faults $workload "$size") pages came from swap"
		done
	done
	most=${1%% *} least=${1##* } least_without=${2##* }
	second=${2#* }
	second=${second%% *}
	with=$(text_of with-orders/hotset.xml working_set_bytes) without=$(text_of without-orders/hotset.xml working_set_bytes)
	holds "without orders the working set is smaller" "$without < $with"
	holds "the working set is between $least and $most MiB" "$with > $least * 1048576 && $with < $most * 1048576"
	holds "in $least MiB pages come back from swap much more often than in $most" \
		"$(faults with-orders "$least") > 100 * ($(faults with-orders "$most") + 10)"
	holds "without orders it is smaller than $second MiB" "$without < $second * 1048576"
	holds "and pages come back much less often" "5 * $(faults without-orders "$second") < $(faults with-orders "$least")"
	holds "in $least_without MiB they do, too" "$(faults without-orders "$least_without") > 3 * $(faults without-orders "$second")"
}

run_"$part" "$@"
finish
