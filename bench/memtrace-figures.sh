#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# memtrace-figures.sh OUT [FIGURE...]: Figures 3 to 9 and Table 1 of the memory-trace paper on this machine: pictures in the folder
# OUT, and a row for each statement of the paper on standard output, for results/memtrace/README.md.
# FIGURE: 3 4 5 6 7 table1; all if none is given. Run it as root, on an idle machine; it takes three minutes.
# It needs python3, zram for figure 6, DuckDB for node (MEMTRACE_MODULES, default /usr/local/lib/node_modules) for a row of figure 3,
# and valgrind for the last row. KEEP=FOLDER keeps the recordings there.
set -eu
export LC_ALL=C
here=$(cd "$(dirname "$0")" && pwd)
suite=$(cd "$here/../suites/memtrace" && pwd)
build=$(cd "${top_builddir:-$here/../build}" && pwd)
PATH=$build/memtrace:$build/memstor:$build/with-pressure:$build/bench:$PATH
export MODULES="${MEMTRACE_MODULES:-/usr/local/lib/node_modules}"
make -s -C "$build" tests/host/page_truth
mkdir -p "$1"
out=$(cd "$1" && pwd)
shift
work=${KEEP:-$(mktemp -d)}
mkdir -p "$work"
[ "${KEEP:-}" ] || trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
cd "$work"
# Statements are about what was recorded, also where a recording lacks samples (status 4).
memtrace() { command memtrace "$@" || [ $? = 4 ]; }

# row FIGURE STATEMENT HERE RECALL INTERVAL
row() { printf '| %s | %s | %s | %s | %s |\n' "$@"; }
# numbers FILE PHASE REGION ARGUMENT...: of memtrace_figures.py
numbers() {
	recording=$1 phase=$2 region=$3
	shift 3
	memtrace export --phase "$phase" --region "$region" "$recording.mtr" 2>/dev/null | python3 "$here/memtrace_figures.py" "$@"
}
# picture NAME KIND ANALYSIS ARGUMENT...
picture() {
	name=$1 kind=$2
	shift 2
	memtrace analyze "$@" -f "$name.xml" >"$name.txt" 2>&1
	memstor plot "$kind" "$name.xml" -o "$out/$name.svg"
}
# suite PART ENGINE SCALE ARGUMENT...: records, and checks the statements; what does not hold is on stderr
suite() { sh "$suite/columns.sh" "$work" "$@" >"suite-$1.txt" || true; }

figure_3() {
	suite sort burst 1
	picture fig3-columns access-pattern pattern --x samples --region row_ids --region filtered_column --region position_list \
		--region o_totalprice --region result sort.mtr
	row 3 'filtering reads the table in order' '`o_totalprice`: successive samples of a burst that go up' - \
		"$(numbers sort filter o_totalprice up 1 65536), in truth 100 %"
	row 3 'sorting reads the column at random, the position list in order from both ends of a sublist' \
		'[picture](fig3-columns.svg); `filtered_column`: samples that go up' - \
		"$(numbers sort sort filtered_column up), in truth 50 %"
	row 3 'materialising reads the list in order' '`position_list`: samples that go up' - \
		"$(numbers sort materialise position_list up 1 65536), in truth 100 %"
	row 3 'and the table at random' '`o_totalprice`: samples that go up' - \
		"$(numbers sort materialise o_totalprice up), in truth 50 %"
	[ -d "$MODULES/@duckdb/node-api" ] || return 0
	cp "$suite/duckdb.mjs" .
	memtrace record -q -e burst -F 500 -c 64 --allocs=64k --control c -o duck.mtr -- node duckdb.mjs 1000000 8 >duck.txt
	memory='libduckdb.so:duckdb_je_pages_map*'
	picture fig3-duckdb access-pattern pattern --x samples --phase query --region "$memory" duck.mtr
	row 3 'DuckDB shows the same phases, without its source' '[picture](fig3-duckdb.svg); a scan: samples that go up' - \
		"$(numbers duck scan "$memory" up)"
	row 3 '' 'the query, which sorts: samples that go up' - "$(numbers duck query "$memory" up)"
}

figure_4() {
	suite average burst 0.2
	picture fig4a access-pattern pattern --x samples --phase average --region 'l_extendedprice*' average.mtr
	picture fig4b access-count count --phase average --region l_extendedprice_dictionary --bucket 8 average.mtr
	row 4a 'the encoded column is read in order' '[picture](fig4a.svg); samples of a burst that go up' - \
		"$(numbers average average l_extendedprice up 1 65536), in truth 100 %"
	row 4a 'its dictionary at random' 'samples that go up' - \
		"$(numbers average average l_extendedprice_dictionary up), in truth 50 %"
	numbers average average l_extendedprice_dictionary entries average.txt | while IFS='|' read -r recall share samples; do
		row 4b '20 dictionary entries are accessed more often than others, found by their position' \
			"[picture](fig4b.svg); $samples" "$recall entries" "$share"
	done
}

# Of the recordings of the queries.
record_queries() { [ -s order.mtr ] || suite queries burst 0.2; }

figure_5() {
	record_queries
	picture fig5 access-count count --phase queries --region 'l_*' --region 'o_*' none.mtr
	numbers none queries 'l_*' orders none.txt | while IFS='|' read -r columns found ratios; do
		statement='2 populous orders, of 1993 and 1994, are accessed more often than other rows' truth='1993 1994'
		case $columns in
		*quantity) statement='5 populous orders are' truth='1993 1994 1995 1996 1997' ;;
		esac
		row 5 "$statement ($columns)" "[picture](fig5.svg); found: $found" \
			"$(printf '%s\n' "$found" "$truth" | awk 'NR == 1 { found = " " $0 " " }
				NR == 2 { for (i = 1; i <= NF; i++) n += index(found, " " $i " ") > 0; print n + 0, "of", NF }') orders" \
			"times: $ratios"
	done
}

# text_of FILE ELEMENT: MiB
mib_of() { sed -n "s/^[[:space:]]*<$2>\(.*\)<.*/\1/p" "$1" | awk 'NR == 1 { printf "%.1f", $1 / 1048576 } END { if (!NR) printf "?" }'; }

figure_6() {
	# What is hot, by a program that counts its own accesses.
	memtrace record -q -e burst --control c --paused -o known.mtr -- "$build/tests/host/page_truth" array 16384 8 truth
	memtrace export -o known.csv known.mtr 2>/dev/null
	begin=$(head -n 1 truth | cut -d ' ' -f 1)
	end=$(printf '%x' $((0x$begin + 16384 * 4096)))
	memtrace analyze skew --range "pages=$begin-$end" --region pages known.mtr -f known.xml >/dev/null
	share() { sed -n "s/^[[:space:]]*<top_1_percent_share$1>\(.*\)<.*/\1/p" known.xml | awk 'NR == 1 { printf "%.1f", $1 } END { if (!NR) printf "-" }'; }
	# shellcheck disable=SC2046 # five numbers
	set -- $(python3 "$here/../tests/lib/page_accuracy.py" truth known.csv)
	row 6a 'some data are hotter than others' "a program that counts its accesses to 16384 pages: $1 samples" \
		"$(awk "BEGIN { print 100 * $3 }") % of the hottest 1 % of the pages" \
		"share of the hottest 1 %: $(share '') % ($(share _low) to $(share _high)), in truth $(awk "BEGIN { print 100 * $5 }") %"
	suite buffer popularity 1 150 '400 110 90 50' '400 90 60 40' 1
	memstor plot hot-set with-orders/hotset.xml without-orders/hotset.xml -o "$out/fig6a.svg"
	# The true sizes are computed from the queries.
	for workload in with-orders:117:'the working set is smaller than the tables (1.8 of 3.8 GB)' \
		without-orders:54:'and smaller without the table orders'; do
		file=${workload%%:*}/hotset.xml
		low=$(mib_of "$file" working_set_low_bytes) high=$(mib_of "$file" working_set_high_bytes)
		truth=${workload#*:}
		interval="$low to $high MiB"
		[ "$low" != '?' ] || interval="indication: $(sed -n 's/^[[:space:]]*<indication>\(.*\)<.*/\1/p' "$file")"
		row 6a "${truth#*:}" \
			"[picture](fig6a.svg); at least $(mib_of "$file" working_set_bytes) MiB" - "$interval, by construction ${truth%%:*} MiB"
	done
	for workload in with-orders without-orders; do
		for size in $(grep "^ *$workload in" suite-buffer.txt | sed 's/.* in \([0-9]*\) MiB.*/\1/'); do
			sed -n "s/^seconds /$size /p" $workload/run-"$size"-*.txt
		done | awk '!best { best = $2 }
			{ printf "%s%s MiB: %.1f", (NR > 1 ? ", " : ""), $1, $2 / best }' >slowdowns.txt
		row 6b "execution slows down below the size that 6a shows ($workload)" \
			"pages from swap: $(grep "^ *$workload in" suite-buffer.txt |
				sed 's/.* in \([0-9]*\) MiB: \([0-9]*\) pages.*/\1 MiB: \2/' |
				awk '{ printf "%s%s", (NR > 1 ? ", " : ""), $0 }')" - "times slower in a run each: $(cat slowdowns.txt)"
	done
}

figure_7() {
	record_queries
	for column in l_shipdate l_orderkey o_orderdate; do
		for run in none year order; do
			picture fig7-$column-$run access-count count --phase queries --region $column $run.mtr
		done
	done
	for run in year order; do
		picture fig7-9-$run accessed-volume partition --phase queries --region 'l_*' --region 'o_*' --equal equal.mtr none.mtr \
			$run.mtr
		memtrace analyze partition --phase queries --equal equal.mtr none.mtr $run.mtr --noheadings \
			-o id,change_percent,low_percent,high_percent,decision 2>/dev/null >changes.txt
		# By construction: computed from the queries.
		for change in 7:l_shipdate:year:-72:-64 8:l_orderkey:year:-5:0 9:o_orderdate:year:-93:-86 \
			7:l_shipdate:order:-19:-15 8:l_orderkey:order:-15:-16 9:o_orderdate:order:0:0; do
			IFS=: read -r figure column by paper truth <<-END
				$change
			END
			[ "$by" = $run ] || continue
			row "$figure" "by $by, the volume of $column changes by $paper %" "[picture](fig7-9-$run.svg); $(awk -v column="$column" \
				'$1 == column { print $5 }' changes.txt)" - "$(awk -v column="$column" -v truth="$truth" '$1 == column {
				printf "%+.0f %% (%+.0f to %+.0f), in truth %+d %%", $2, $3, $4, truth }' changes.txt)"
		done
	done
}

figure_table1() {
	for rates in cpu-clock:100,1000,10000 burst:4,20,100; do
		engine=${rates%%:*}
		command memtrace overhead --no-lackey -n 5 -e "$engine" -F "${rates#*:}" --noheadings \
			-o slowdown,least,most,samples,trace,id -- column_store queries 0.2 300 >overhead.txt
		awk 'NR > 1' overhead.txt | while read -r slowdown least most samples size unit id; do
			row 'Table 1' '2.30 to 1.05 times at a sample per 200 to 4000 loads' "$id: $samples samples, $size $unit" - \
				"$slowdown times ($least to $most)"
		done
	done
	command -v valgrind >/dev/null || return 0
	command memtrace overhead -n 1 -e cpu-clock -F 1000 --noheadings -o slowdown,samples,trace,id -- \
		column_store queries 0.001 5 >lackey.txt
	grep lackey lackey.txt | while read -r slowdown samples size unit id; do
		row 'section 5' 'more than an order of magnitude faster than binary instrumentation' \
			"$id on a small run: $samples accesses, $size $unit" - "$slowdown times (one run)"
	done
}

echo "\`sh bench/memtrace-figures.sh results/memtrace\` on $(date -u +%F): $(nproc) CPUs, $(sed -n 's/^model name.*: //p' /proc/cpuinfo |
	head -n 1), Linux $(uname -r), load $(cut -d ' ' -f 1 /proc/loadavg) at the start."
echo
row figure "the paper's statement" here recall 'value (95 % interval)'
echo '|---|---|---|---|---|'
[ $# -gt 0 ] || set -- 3 4 5 6 7 table1
for figure; do
	"figure_$figure"
done
