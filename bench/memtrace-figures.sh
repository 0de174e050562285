#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# memtrace-figures.sh WORK OUT: the memory-trace paper's figures on this machine, for results/memtrace. WORK has the recordings of
#   memstor run suites/memtrace/databases.suite --set keep=WORK --set recorded=1200 --set rounds='1 2 3 4 5' \
#     --set sizes='400 200 160 130 110 90 70 50' --set sizes_without='400 200 110 90 70 60 50 40 30' -o RESULTS
# with --set budget_buffer=30m for columns-buffer, and gets those that are made here; OUT gets the pictures. memtrace and memstor
# are in PATH. DuckDB's figure needs MODULES, the folder with @duckdb/node-api. FIGURES chooses some: 3 4 5 6 7 table1.
set -eu
# A recording by cpu-clock may lack a kind of access (status 4).
memtrace() { command memtrace "$@" || [ $? = 4 ]; }
export LC_ALL=C
work=$1 out=$2
here=$(cd "$(dirname "$0")/../suites/memtrace" && pwd)
mkdir -p "$out"
work=$(cd "$work" && pwd) out=$(cd "$out" && pwd)

# picture NAME KIND ANALYSIS ARGUMENT...: of recordings in WORK, which is the current folder
picture() {
	name=$1 kind=$2
	shift 2
	memtrace analyze "$@" -f "$name.xml" >"$name.txt" 2>&1
	memstor plot "$kind" "$name.xml" -o "$out/$name.svg"
}

figure_3() {
	memtrace record -q -e cpu-clock -F 10000 --control c -o sort4.mtr -- memtrace columns sort --scale 4 >/dev/null
	picture fig3-columns access-pattern pattern --x samples --region row_ids --region filtered_column --region position_list \
		--region o_totalprice --region result sort4.mtr
	[ -n "${MODULES:-}" ] || return 0
	cp "$here/duckdb.mjs" .
	memtrace record -q -e cpu-clock -F 10000 --allocs=64k --control c -o duck1.mtr -- node duckdb.mjs 4000000 1 >/dev/null
	picture fig3-duckdb access-pattern pattern --x samples --phase query --region 'libduckdb.so:*' duck1.mtr
}

figure_4() {
	memtrace record -q -e burst -F 20000 -c 32 --control c -o average1.mtr -- memtrace columns average --scale 4 -j 1 >/dev/null
	picture fig4a access-pattern pattern --x samples --phase average --region 'l_extendedprice*' average1.mtr
	picture fig4b access-count count --phase average --region l_extendedprice_dictionary --bucket 8 average.mtr
}

figure_5() {
	picture fig5 access-count count --phase queries --region 'l_*' --region 'o_*' none.mtr
}

# Of the step columns-buffer.
figure_6() {
	for analysis in hotset:hot-set:fig6a missratio:miss-ratio:fig6a-missratio; do
		name=${analysis#*:}
		memstor plot "${name%:*}" with-orders/"${analysis%%:*}.xml" without-orders/"${analysis%%:*}.xml" -o "$out/${name#*:}.svg"
	done
	for analysis in missratio:fig6b hotset:fig6b-frequency; do
		memstor plot buffer with-orders/"${analysis%:*}.xml" with-orders/run-*.xml -- \
			without-orders/"${analysis%:*}.xml" without-orders/run-*.xml -o "$out/${analysis#*:}.svg"
	done
}

figure_7() {
	for column in l_shipdate l_orderkey o_orderdate; do
		for run in none year order; do
			picture fig7-$column-$run access-count count --phase queries --region $column $run.mtr
		done
	done
	for run in year order; do
		picture fig7-9-$run accessed-volume partition --phase queries --region 'l_*' --region 'o_*' --equal equal.mtr none.mtr \
			$run.mtr
	done
}

# Lackey takes hundreds of times as long: a small run of its own.
figure_table1() {
	memtrace overhead --no-lackey -n 5 -e cpu-clock -F 100,1000,4000,10000 -f table1.xml -- \
		memtrace columns queries --scale 0.2 -n 400 >table1.txt
	memtrace overhead -n 1 -e cpu-clock -F 1000 -f lackey.xml -- memtrace columns queries --scale 0.01 -n 20 >lackey.txt
}

cd "$work"
for figure in ${FIGURES:-3 4 5 6 7 table1}; do
	figure_"$figure"
done
