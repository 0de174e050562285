#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# memstor with reports of iowrite-bench: validate, convert, compare, merge, html.
. "$top_srcdir/tests/lib/tap.sh"
fixtures=$top_srcdir/tests/fixtures/iowrite
run=$fixtures/run.xml evaluate=$fixtures/evaluate.xml trace=$fixtures/trace.xml
cell=pwrite.buffered.fsync.append.write.64k
cd "$tmp" || exit 1

check_exit 0 'the reports are valid' memstor validate "$fixtures"

# --- tables: as many cells in each row as in the first
cells() { sed 's/"[^"]*"/q/g' "$1" | awk -F, '{ print NF }' | sort -u | wc -l; }
table() { # LINES FILE ARGUMENT...: the table has so many lines
	lines=$1
	shift
	check_exit 0 "CSV of $*" memstor convert --to csv "$@"
	is "CSV of $*: every row has the same cells" "$(cells out)" 1
	is "CSV of $*: lines" "$(wc -l <out)" "$lines"
}
table 13 "$run"
is 'a row a cell' "$(awk -F, 'NR > 1 { print $7 }' out | sort -u | wc -l)" 12
column() { # NAME SUBJECT: of out
	awk -F, -v name="$1" -v subject="$2" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
		$at["subject"] == subject { print $at[name] }' out
}
is 'a cell that is not synced has no cost of that' "$(column sync.p50_ns pwrite.direct.none.append.write.4k)" ''
check 'a cell that is synced has the cost of a sync' test -n "$(column sync.p50_ns $cell)"
is 'a cell has its words and numbers' "$(column method $cell) $(column operations $cell)" 'pwrite 600'
table 4 "$evaluate"
is 'a row a scenario, over its repetitions' "$(awk -F, 'NR > 1 { print $7 }' out | sort -u | wc -l)" 3
table 179 --what values "$evaluate"
is 'values: a model of a scenario and repetition' \
	"$(grep -c ',c2 repetition [12],model.kernel.per_write_error_percent,%,' out)" 2
check_exit 2 'a trace has no summary' memstor convert --to csv "$trace"
is 'a trace has no summary: one line' "$(cat err)" \
	"memstor: $trace: has no summary; --what values prints its numbers, --what series its events"
check_exit 2 'unlike tables' memstor convert --to csv "$run" "$evaluate"
is 'unlike tables: one line' "$(cat err)" \
	"memstor: $evaluate: its table has other columns than that of the reports before: convert them apart"
for report in "$run" "$evaluate" "$trace"; do
	for what in series facts; do
		memstor convert --to csv --what $what "$report" >out
		is "CSV of $what of ${report##*/}: every row has the same cells" "$(cells out)" 1
	done
	memstor convert --to json "$report" >out.json
	check "JSON of ${report##*/}" grep -q '"iowritebench": *{' out.json
done
memstor convert --to csv --what series "$trace" >out
is 'the kernel'"'"'s states' "$(grep -c ',kernel_state.dirty_bytes,' out)" "$(grep -c '<kernel_state ' "$trace")"
memstor convert --to csv --what facts "$run" >out
check 'where it was written is a fact' grep -q ',machine,storage.device,loop0$' out
check 'so is what a cell did' grep -q ",value,$cell:operations,600\$" out
memstor convert --to markdown "$run" >out
is 'Markdown of a run: a row a histogram' "$(grep -c '^| `run.xml` | `[a-z]*` | `[pf]write' out)" 15
memstor convert --to markdown "$evaluate" >out
is 'Markdown of an evaluation: a row a model' "$(grep -c '^| `evaluate.xml` | `c2` | `[a-z]*` |' out)" 3
check_exit 2 'Markdown of a trace' memstor convert --to markdown "$trace"
is 'Markdown of a trace: one line' "$(cat err)" "memstor: $trace: has no summary; --to csv prints its numbers (--what values) and events (--what series)"
check_exit 2 'pmgraph' memstor convert --to pmgraph "$run"
is 'pmgraph: one line' "$(cat err)" "memstor: $run: a report of iowrite-bench: pmgraph knows those of pmbench only"
is 'pmgraph: nothing else' "$(cat out)" ''
check_exit 2 'a run merged with itself' memstor merge "$run" "$run"

# --- merge: cells are added, scenarios stand one after another
for report in run evaluate trace; do
	sed 's/<uuid>......../<uuid>00000009/' "$fixtures/$report.xml" >"second-$report.xml"
	check_exit 0 "merge of $report" memstor merge -o "merged-$report.xml" "$fixtures/$report.xml" "second-$report.xml"
	check_exit 0 "merge of $report: the result is valid" memstor validate "merged-$report.xml"
done
memstor convert --to csv merged-run.xml >out
is 'merge of run: operations of a cell are added' "$(column operations $cell)" 1200
is 'merge of run: so is its time' "$(column run_s $cell | cut -c 1-6)" "$(memstor convert --to csv "$run" >out; column run_s $cell |
	awk '{ print substr(2 * $1, 1, 6) }')"
memstor convert --to csv --what buckets merged-run.xml | awk -F, -v cell="$cell" '$4 == cell && $3 == "write" { sum += $8 }
	END { print sum }' >out
is 'merge of run: its histogram holds the writes of both' "$(cat out)" 1200
is 'merge of evaluate: repetitions are numbered on' "$(grep -o '<scenario id="c2" repetition="[0-9]*"' merged-evaluate.xml |
	cut -d '"' -f 4 | tr '\n' ' ')" '1 2 3 4 '
check 'merge of trace: what has no sum is named' grep -q '<omission name="kernel_trace">' merged-trace.xml
check_exit 2 'merge of a merge and one of its parts' memstor merge -o again.xml merged-run.xml "$run"

# --- compare: cell by cell
variant() { # NUMBER FACTOR: a run whose writes took so many times as long
	mkdir -p "${3:-new}"
	sed "s/<uuid>........-/<uuid>$(printf %08d "$1")-/" "$run" |
		awk -v factor="$2" '/<operations_per_second>/ { split($0, part, /[<>]/); sub(/>[0-9.]*</, ">" part[3] / factor "<") }
			{ print }' >"${3:-new}/$1.xml"
}
for i in 1 2 3 4; do
	variant $i "1.00$i" base
	variant 1$i "1.30$i" new
done
check_exit 1 'four runs against four' memstor compare base -- new
check 'a cell is slower' grep -q "^  $cell:throughput .* slower" out
is 'all of them' "$(grep -c ':throughput .* slower' out)" 12
check_exit 1 'a gate on a cell' memstor compare --gate "$cell:throughput>-5%" base -- new
check_exit 0 'a gate that holds' memstor compare --gate "$cell:sync.p99<+5%" base -- new
check_exit 0 'some metrics' memstor compare --metric "$cell:bandwidth" --metric write.p99 base -- new
is 'are all that is compared' "$(grep -c '^  .*%' out | awk '{ print $1 - 1 }')" 2
check_exit 2 'a metric that no report has' memstor compare --metric none:write.p99 base -- new
is 'a metric that no report has: one line' "$(cat err)" "memstor: --metric none:write.p99: no compared report has it"
for word in kernel.p99 total-error "$cell:" ":p99" "$cell:write.major.p99"; do
	check_exit 2 "no metric: $word" memstor compare --metric "$word" base -- new
	is "no metric: $word: one line" "$(wc -l <err)" 1
done
check_exit 0 'models' memstor compare --metric c2:kernel.total-error "$evaluate" -- "$evaluate"
check 'in percent' grep -q '^  c2:kernel.total-error  *3.[0-9]* %' out
check_exit 0 'what evaluations are compared by' memstor compare "$evaluate" -- "$evaluate"
is 'seven numbers a scenario' "$(grep -c '^  [a-z0-9]*:[a-z]*\.[a-z-]* ' out)" 21
mkdir other
for i in 1 2 3 4; do
	sed 's|<option name="mem">warm|<option name="mem">cold|' new/1$i.xml >other/$i.xml
done
check_exit 5 'other options' memstor compare base -- other
check 'are named' grep -q 'option mem: warm in BASE, cold in NEW' err
for i in 1 2 3 4; do
	sed 's|<device>loop0|<device>sda|' new/1$i.xml >other/$i.xml
done
check_exit 5 'another device' memstor compare base -- other
check 'is named' grep -q 'machine storage.device: loop0 in BASE, sda in NEW' err
check_exit 1 'is let through' memstor compare --allow-different=storage.device base -- other

# --- a page
check_exit 0 'html' memstor html "$run" "$evaluate" "$trace" -o page.html
is 'html: all of them' "$(grep -o '<tr><td><bdi>[^<]*iowrite/' page.html | wc -l)" 3

check 'html: costs of a cell without JavaScript' grep -q "$cell sync: 600, p50 4" page.html

# --- what the tool itself writes
iowrite-bench run --directory . --bs=4k,16k --sync-each=none,fdatasync --size=64k --rounds=2 --interval=10ms --mem=as-is \
	-f fresh.xml >log 2>&1
check_exit 0 'a fresh report is valid' memstor validate fresh.xml
memstor convert --to csv fresh.xml >out
is 'and has its cells' "$(awk -F, 'NR > 1 { print $7 }' out | wc -l)" 4
tap_done
