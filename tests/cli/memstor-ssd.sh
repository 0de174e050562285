#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# memstor with reports of ssd-workloads: validate, convert, compare, merge, html, plot.
. "$top_srcdir/tests/lib/tap.sh"
run=$top_srcdir/tests/fixtures/ssd/run.xml
cd "$tmp" || exit 1

check_exit 0 'the report is valid' memstor validate "$run"

# --- tables
cells() { sed 's/"[^"]*"/q/g' "$1" | awk -F, '{ print NF }' | sort -u | wc -l; }
column() { # NAME STREAM: of out
	awk -F, -v name="$1" -v stream="$2" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
		$at["subject"] == stream { print $at[name] }' out
}
check_exit 0 'CSV' memstor convert --to csv "$run"
is 'every row has the same cells' "$(cells out)" 1
is 'a row a stream, in the mix and alone' "$(sed 1d out | cut -d , -f 7 | sort | tr '\n' ' ')" \
	'checkpoint checkpoint-alone log log-alone '
is 'with the shape of its writes' "$(column depth log) $(column block_bytes log) $(column depth checkpoint-alone)" '64 16384 8'
is 'and the workload' "$(column mix log) $(column durability log)" 'M-N none'
check 'numbers follow from each other' awk -v bytes="$(column bytes_per_second log)" -v size="$(column block_bytes log)" \
	-v rate="$(column operations_per_second log)" 'BEGIN { exit !(rate > 0 && (bytes / size / rate - 1) ^ 2 < 1e-12) }'
is 'interference is of the mix' "$(column interference.p50 log-alone)" ''
check 'where it is a number' awk -v value="$(column interference.p50 log)" 'BEGIN { exit !(value > 0) }'
for what in values series facts buckets; do
	memstor convert --to csv --what $what "$run" >out
	is "CSV of $what: every row has the same cells" "$(cells out)" 1
done
memstor convert --to csv --what series "$run" >out
is 'series: an interval a repetition' "$(cut -d , -f 3 out | sort -u | grep -c '^log repetition ')" 2
memstor convert --to csv --what facts "$run" >out
check 'facts: what a stream did' grep -q ',value,log-alone:operations,[1-9]' out
memstor convert --to markdown "$run" >out
is 'Markdown: a row a histogram' "$(grep -c '^| `run.xml` | `\(response\|service\|commit\)` ' out)" "$(grep -c '<latency_histogram ' "$run")"
memstor convert --to json "$run" >out.json
check 'JSON' grep -q '"ssdworkloads": *{' out.json
check_exit 2 'pmgraph' memstor convert --to pmgraph "$run"
is 'pmgraph: one line' "$(cat err)" "memstor: $run: a report of ssd-workloads: pmgraph knows those of pmbench only"
check_exit 2 'a run merged with itself' memstor merge "$run" "$run"
sed 's/<uuid>......../<uuid>00000009/' "$run" >second.xml
check_exit 0 'merge' memstor merge -o merged.xml "$run" second.xml
check_exit 0 'merge: the result is valid' memstor validate merged.xml
is 'merge: repetitions are numbered on' "$(grep -o '<repetition index="[0-9]*" cell_id="mix"' merged.xml | cut -d '"' -f 2 |
	tr '\n' ' ')" '0 1 2 3 '
memstor convert --to csv merged.xml >out
is 'merge: a stream has the writes of both' "$(column operations log)" 10164
check 'merge: ratios of medians have no sum' grep -q '<omission name="baselines">' merged.xml

# --- compare: stream by stream
variant() { # NUMBER FACTOR FOLDER: a run with so much less throughput
	mkdir -p "$3"
	sed "s/<uuid>........-/<uuid>$(printf %08d "$1")-/" "$run" |
		awk -v factor="$2" '/<[a-z]*_per_second>/ { split($0, part, /[<>]/); sub(/>[0-9.]*</, ">" part[3] / factor "<") }
			{ print }' >"$3/$1.xml"
}
for i in 1 2 3 4 5 6; do
	variant $i "1.00$i" base
	variant 1$i "1.30$i" new
done
check_exit 1 'six runs against six' memstor compare base -- new
for stream in log checkpoint log-alone checkpoint-alone; do
	check "$stream is slower" grep -q "^  $stream:throughput .* slower" out
done
check_exit 1 'a gate on a stream' memstor compare --gate 'log:throughput>-5%' base -- new
check_exit 0 'a gate that holds' memstor compare --gate 'checkpoint:response.p99<+5%' base -- new
check_exit 0 'some metrics' memstor compare --metric log:response.p99.9 --metric log:interference-p99 --metric log:cpu \
	base -- new
is 'are all that is compared' "$(grep -c '^  log:' out)" 3
for word in 'log:' ':p99' log:response.major.p99 log:interference-p98; do
	check_exit 2 "no metric: $word" memstor compare --metric "$word" base -- new
	is "no metric: $word: one line" "$(wc -l <err)" 1
done

# --- a page
check_exit 0 'html' memstor html "$run" -o page.html
check 'html: it is there' grep -q '<tr><td><bdi>[^<]*ssd/' page.html

# --- pictures
if command -v gnuplot >/dev/null; then
	drawn() { # COUNT DESCRIPTION ARGUMENT...: so many names in the legends
		wanted=$1 what=$2
		shift 2
		rm -f drawn.svg
		check_exit 0 "$what" memstor plot "$@" -o drawn.svg
		is "$what: silent" "$(cat out err)" ''
		is "$what: what the legends name" "$(grep -c '<g id="memstor_plot_[0-9]*"><title>' drawn.svg)" "$wanted"
	}
	# Two panels: as alone, and a point each report.
	drawn 0 'interference' interference "$run"
	check 'its streams' grep -q '<text>checkpoint, response times</text>' drawn.svg
	drawn 2 'of two runs' interference "$run" "$run" --legend file
	drawn 4 'distributions of all streams' cdf "$run" --mark none
	drawn 1 'service times of one' histogram "$run" --type service --class log --mark none
	drawn 2 'tails' cdf "$run" --class 'log*' --y log --mark none
	drawn 2 'a series of streams' series "$run" --class log,checkpoint --metric p99
	drawn 3 'with the pressure' series "$run" --class log,checkpoint --metric p99 --counter psi.io.some.total
	check 'pressure is a share' grep -q '<text>share of the time</text>' drawn.svg
	check 'repetitions are apart' grep -q '<text>time since the first measurement began (s)</text>' drawn.svg
	memstor plot series "$run" --class log --metric p99 --counter disk.write_ios -o drawn.svg --keep-script
	instants() { sed '/^\$data /,/^END/!d; /[DN]$/d' drawn.gp | awk -v part="$1" 'BEGIN { RS = ""; FS = "\n" } NR == part { for (i = 1; i <= NF; i++) { sub(/ .*/, "", $i); print $i } }'; }
	is 'the machine while others ran is not drawn' "$(instants 2)" "$(instants 1)"
	drawn 1 'one line' series "$run" --class log --metric throughput --keep-script
	is 'repetitions are apart' "$(sed -n '/^\$data /,/^END/p' drawn.gp | grep -c ' NaN$')" 1
	check_exit 2 'no such counter' memstor plot series "$run" --counter disk.none -o r.svg
	sed '/<baselines>/,/<\/baselines>/d' "$run" >none.xml
	check_exit 2 'a run without baselines' memstor plot interference none.xml -o r.svg
	is 'a run without baselines: one line' "$(cat err)" \
		"memstor: none.xml: no report of ssd-workloads run --baselines, or of analyze interference --alone, \
which is what interference draws"
	sed '/<low>/d; /<high>/d' "$run" >once.xml
	drawn 0 'baselines of one repetition' interference once.xml
	check 'baselines of one repetition: there are no bars, and it is said' grep -q '<text>Without bars: ' drawn.svg
	check 'baselines of one repetition: of no median' sh -c '! grep -q "Medians over" drawn.svg'
else
	skip 'pictures' 'gnuplot is not installed'
fi

# --- what the tool itself writes
# 4: beside busy neighbours there is a result, too.
status=0
ssd-workloads run --mix=1-1 --target=kept --keep --log-size=4m --ckpt-size=8m --runtime=200ms --interval=100ms \
	--dump=records -f fresh.xml >log 2>&1 || status=$?
if [ $status = 0 ] || [ $status = 4 ]; then
	check_exit 0 'a fresh report is valid' memstor validate fresh.xml
	memstor convert --to csv fresh.xml >out
	is 'and has its streams' "$(sed 1d out | cut -d , -f 7 | tr '\n' ' ')" 'log checkpoint '
	ssd-workloads verify kept -f verify.xml >log 2>&1
	check_exit 0 'so is one of verify' memstor validate verify.xml
	check_exit 0 'which has facts' memstor convert --to csv --what facts verify.xml
	check_exit 2 'and no summary' memstor convert --to csv verify.xml
	is 'and no summary: one line' "$(cat err)" \
		'memstor: verify.xml: has no summary; --what values prints its numbers, --what series its events'
	for stream in 1-0 0-1; do
		ssd-workloads run --mix=$stream --target=. --log-size=4m --ckpt-size=8m --runtime=100ms --dump=records-$stream >log 2>&1
	done
	for figure in fig4 fig6; do
		ssd-workloads analyze $figure records --alone=records-1-0 --alone=records-0-1 -f $figure.xml >log 2>&1
		check_exit 0 "a report of $figure is valid" memstor validate $figure.xml
	done
	ssd-workloads analyze interference records --alone=records-1-0 --alone=records-0-1 -f ratio.xml >log 2>&1
	check 'whose records they are' grep -q '<mix>1-1</mix>' fig6.xml
	for figure in fig9 fig11 interference; do
		ssd-workloads analyze $figure records -f $figure.xml >log 2>&1
		check_exit 0 "a report of $figure is valid" memstor validate $figure.xml
	done
	if command -v gnuplot >/dev/null; then
		drawn 2 'places' lba fig11.xml
		drawn 2 'tails of two streams' tail fig9.xml
		check 'the title says of what' grep -q '<text>The tail of the response times: 1-1</text>' drawn.svg
		ssd-workloads analyze fig9 records-1-0 -f fig9-alone.xml >log 2>&1
		drawn 3 'tails of two mixes' tail fig9.xml fig9-alone.xml
		check 'each by its name' grep -q '<text>1-0, log</text>' drawn.svg
		drawn 2 'ratios of two streams' ratios fig6.xml
		check 'and what is beyond' grep -q '<text>Beyond the axis: [0-9.e-]* % of the log, [0-9.e-]* % of the checkpoint.</text>' drawn.svg
		drawn 0 'ratios of one run' interference ratio.xml
		check_exit 2 'without records of a stream alone' memstor plot interference interference.xml -o r.svg
		rm -f drawn.svg
		check_exit 0 'the slowest writes' memstor plot slowest fig4.xml -o drawn.svg
		for text in 'log, typical' 'log, alone' 'checkpoint, typical' 'checkpoint, alone'; do
			check "the slowest writes: $text" grep -q "<text>$text</text>" drawn.svg
		done
		is 'the slowest writes: ten of each' "$(grep -c '<text>\(log\|checkpoint\) at [0-9.]* s</text>' drawn.svg)" \
			"$(grep -c '<field>slow</field>' fig4.xml)"
		sed '/<field>slow</s/slow/<!-- -->/; s/<field>log</<field>other</; s/<field>checkpoint</<field>other</' fig4.xml >others.xml
		check_exit 2 'slowest writes of no stream' memstor plot slowest others.xml -o r.svg
		is 'slowest writes of no stream: one line' "$(cat err)" \
			'memstor: others.xml: no report of ssd-workloads analyze fig4, which is what slowest draws'
		check_exit 2 'places of another figure' memstor plot lba fig9.xml -o r.svg
		is 'places of another figure: one line' "$(cat err)" \
			'memstor: fig9.xml: no report of ssd-workloads analyze fig11, which is what lba draws'
	fi
	cat >own.suite <<-'END'
		about of its own
		step records
		    run ssd-workloads run --mix=1-0 --target=. --log-size=4m --runtime=100ms --dump=records.rec
		step none
		    run ssd-workloads run --mix=1-0 --target=. --log-size=4m --runtime=100ms
	END
	status=0
	memstor run ./own.suite -o kept-by-suite --warmup 1 >out 2>err || status=$?
	check 'a suite runs, whatever its neighbours do' grep -qx '[04]' <<-END
		$status
	END
	is 'a suite: records are kept' "$(cd kept-by-suite && find . -name 'records.rec')" ./records/1/records.rec
	check_exit 0 'a suite: and can be analyzed' ssd-workloads analyze fig9 kept-by-suite/records/1/records.rec
	check_exit 0 'a page of both' memstor html fresh.xml verify.xml -o page.html
else
	grep -q O_DIRECT log
	check 'there is no O_DIRECT' test $? = 0
fi
tap_done
