#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# memstor with reports of iowrite-bench: validate, convert, compare, merge, html.
. "$top_srcdir/tests/lib/tap.sh"
fixtures=$top_srcdir/tests/fixtures/iowrite
run=$fixtures/run.xml evaluate=$fixtures/evaluate.xml trace=$fixtures/trace.xml
cell=pwrite.buffered.fsync.append.write.64k
cd "$tmp" || exit 1

check_exit 0 'memstor validate accepts all reports of iowrite-bench' memstor validate "$fixtures"

# --- tables: as many cells in each row as in the first
cells() { sed 's/"[^"]*"/q/g' "$1" | awk -F, '{ print NF }' | sort -u | wc -l; }
table() { # LINES FILE ARGUMENT...: the table has LINES lines
	lines=$1
	shift
	check_exit 0 "memstor convert --to csv accepts $*" memstor convert --to csv "$@"
	is "the CSV of $* has the same number of cells in each row" "$(cells out)" 1
	is "the CSV of $* has a header and all its rows" "$(wc -l <out)" "$lines"
}
table 13 "$run"
is 'the CSV of a run has a row for each cell' "$(awk -F, 'NR > 1 { print $7 }' out | sort -u | wc -l)" 12
column() { # NAME SUBJECT: of out
	awk -F, -v name="$1" -v subject="$2" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
		$at["subject"] == subject { print $at[name] }' out
}
is 'a cell without syncs has no latency of syncs in the CSV' "$(column sync.p50_ns pwrite.direct.none.append.write.4k)" ''
check 'a cell with syncs has their latency in the CSV' test -n "$(column sync.p50_ns $cell)"
is 'a row of the CSV has method and operations of its cell' "$(column method $cell) $(column operations $cell)" 'pwrite 600'
table 4 "$evaluate"
is 'the CSV of an evaluation has a row for each scenario' "$(awk -F, 'NR > 1 { print $7 }' out | sort -u | wc -l)" 3
table 179 --what values "$evaluate"
is 'the values of an evaluation have a row for each model, scenario and repetition' \
	"$(grep -c ',c2 repetition [12],model.kernel.per_write_error_percent,%,' out)" 2
check_exit 2 'memstor convert refuses a summary of a trace' memstor convert --to csv "$trace"
is 'the refusal of a summary of a trace says what to print instead' "$(cat err)" \
	"memstor: $trace: has no summary; --what values prints its numbers, --what series its events"
check_exit 2 'memstor convert refuses reports whose tables have different columns' memstor convert --to csv "$run" "$evaluate"
is 'the refusal of different columns says to convert them separately' "$(cat err)" \
	"memstor: $evaluate: its table has other columns than the reports before: convert it separately"
for report in "$run" "$evaluate" "$trace"; do
	for what in series facts; do
		memstor convert --to csv --what $what "$report" >out
		is "the CSV of $what of ${report##*/} has the same number of cells in each row" "$(cells out)" 1
	done
	memstor convert --to json "$report" >out.json
	check "the JSON of ${report##*/} has its root element" grep -q '"iowritebench": *{' out.json
done
memstor convert --to csv --what series "$trace" >out
is 'the series of a trace has every state of the kernel' \
	"$(grep -c ',kernel_state.dirty_bytes,' out)" "$(grep -c '<kernel_state ' "$trace")"
memstor convert --to csv --what facts "$run" >out
check 'the facts of a run name its device' grep -q ',machine,storage.device,loop0$' out
check 'the facts of a run have the operations of each cell' grep -q ",value,$cell:operations,600\$" out
memstor convert --to markdown "$run" >out
is 'the Markdown of a run has one row per histogram' "$(grep -c '^| `run.xml` | `[a-z]*` | `[pf]write' out)" 15
memstor convert --to markdown "$evaluate" >out
is 'the Markdown of an evaluation has one row per model' "$(grep -c '^| `evaluate.xml` | `c2` | `[a-z]*` |' out)" 3
check_exit 2 'memstor convert refuses Markdown of a trace' memstor convert --to markdown "$trace"
is 'the refusal of Markdown of a trace says what to print instead' \
	"$(cat err)" "memstor: $trace: has no summary; --to csv prints its numbers (--what values) and events (--what series)"
check_exit 2 'memstor convert refuses pmgraph of a report of iowrite-bench' memstor convert --to pmgraph "$run"
is 'the refusal of pmgraph names the tool that it knows' \
	"$(cat err)" "memstor: $run: a report of iowrite-bench: pmgraph knows those of pmbench only"
is 'the refusal of pmgraph prints nothing on stdout' "$(cat out)" ''
check_exit 2 'memstor merge refuses a run with itself' memstor merge "$run" "$run"

# --- merge: cells are added, scenarios stand one after another
for report in run evaluate trace; do
	sed 's/<uuid>......../<uuid>00000009/' "$fixtures/$report.xml" >"second-$report.xml"
	check_exit 0 "memstor merge accepts two reports of $report" \
		memstor merge -o "merged-$report.xml" "$fixtures/$report.xml" "second-$report.xml"
	check_exit 0 "memstor merge of two reports of $report gives a valid report" memstor validate "merged-$report.xml"
done
memstor convert --to csv merged-run.xml >out
is 'memstor merge adds the operations of a cell' "$(column operations $cell)" 1200
is 'memstor merge adds the run time of a cell' \
	"$(column run_s $cell | cut -c 1-6)" "$(memstor convert --to csv "$run" >out; column run_s $cell |
	awk '{ print substr(2 * $1, 1, 6) }')"
memstor convert --to csv --what buckets merged-run.xml | awk -F, -v cell="$cell" '$4 == cell && $3 == "write" { sum += $8 }
	END { print sum }' >out
is 'memstor merge adds the histograms of a cell' "$(cat out)" 1200
is 'memstor merge numbers the repetitions of the second evaluation after those of the first' \
	"$(grep -o '<scenario id="c2" repetition="[0-9]*"' merged-evaluate.xml |
	cut -d '"' -f 4 | tr '\n' ' ')" '1 2 3 4 '
check 'memstor merge of traces names the kernel trace as left out' grep -q '<omission name="kernel_trace">' merged-trace.xml
check_exit 2 'memstor merge refuses a merged report with one of its parts' memstor merge -o again.xml merged-run.xml "$run"

# --- compare: cell by cell
variant() { # NUMBER FACTOR: a run whose writes took FACTOR times as long
	mkdir -p "${3:-new}"
	sed "s/<uuid>........-/<uuid>$(printf %08d "$1")-/" "$run" |
		awk -v factor="$2" '/<operations_per_second>/ { split($0, part, /[<>]/); sub(/>[0-9.]*</, ">" part[3] / factor "<") }
			{ print }' >"${3:-new}/$1.xml"
}
for i in 1 2 3 4; do
	variant $i "1.00$i" base
	variant 1$i "1.30$i" new
done
check_exit 1 'memstor compare of four slower runs ends with 1' memstor compare base -- new
check 'memstor compare finds the throughput of a cell slower' grep -q "^  $cell:throughput .* slower" out
is 'memstor compare finds every cell slower' "$(grep -c ':throughput .* slower' out)" 12
check_exit 1 'memstor compare fails a gate on a cell' memstor compare --gate "$cell:throughput>-5%" base -- new
check_exit 0 'memstor compare passes a gate on the syncs of a cell' memstor compare --gate "$cell:sync.p99<+5%" base -- new
check_exit 0 'memstor compare takes --metric of a cell and of all writes' \
	memstor compare --metric "$cell:bandwidth" --metric write.p99 base -- new
is 'memstor compare prints only the metrics of --metric' "$(grep -c '^  .*%' out | awk '{ print $1 - 1 }')" 2
check_exit 2 'memstor compare refuses a metric that no report has' memstor compare --metric none:write.p99 base -- new
is 'the refusal of a metric that no report has names it' "$(cat err)" "memstor: --metric none:write.p99: no compared report has it"
for word in kernel.p99 total-error "$cell:" ":p99" "$cell:write.major.p99"; do
	check_exit 2 "memstor compare refuses the metric $word" memstor compare --metric "$word" base -- new
	is "memstor compare refuses the metric $word in one line" "$(wc -l <err)" 1
done
check_exit 0 'memstor compare takes --metric of a model' memstor compare --metric c2:kernel.total-error "$evaluate" -- "$evaluate"
check 'memstor compare prints errors of models in percent' grep -q '^  c2:kernel.total-error  *3.[0-9]* %' out
check_exit 0 'memstor compare of an evaluation with itself ends with 0' memstor compare "$evaluate" -- "$evaluate"
is 'memstor compare of evaluations has seven metrics per scenario' "$(grep -c '^  [a-z0-9]*:[a-z]*\.[a-z-]* ' out)" 21
mkdir other
for i in 1 2 3 4; do
	sed 's|<option name="mem">warm|<option name="mem">cold|' new/1$i.xml >other/$i.xml
done
check_exit 5 'memstor compare refuses runs with other options' memstor compare base -- other
check 'the refusal of other options names them' grep -q 'option mem: warm in BASE, cold in NEW' err
for i in 1 2 3 4; do
	sed 's|<device>loop0|<device>sda|' new/1$i.xml >other/$i.xml
done
check_exit 5 'memstor compare refuses runs on another device' memstor compare base -- other
check 'the refusal of another device names it' grep -q 'machine storage.device: loop0 in BASE, sda in NEW' err
check_exit 1 'memstor compare --allow-different=storage.device accepts another device' \
	memstor compare --allow-different=storage.device base -- other

# --- a page
check_exit 0 'memstor html makes a page of three reports of iowrite-bench' memstor html "$run" "$evaluate" "$trace" -o page.html
is 'the page of html names every report of iowrite-bench' "$(grep -o '<tr><td><bdi>[^<]*iowrite/' page.html | wc -l)" 3

check 'the page of html has latencies of a cell without JavaScript' grep -q "$cell sync: 600, p50 4" page.html

# --- a fresh report of iowrite-bench
iowrite-bench run --directory . --bs=4k,16k --sync-each=none,fdatasync --size=64k --rounds=2 --interval=10ms --mem=as-is \
	-f fresh.xml >log 2>&1
check_exit 0 'memstor validate accepts a fresh report of iowrite-bench run' memstor validate fresh.xml
memstor convert --to csv fresh.xml >out
is 'the CSV of a fresh report of iowrite-bench has a row for each cell' "$(awk -F, 'NR > 1 { print $7 }' out | wc -l)" 4
tap_done
