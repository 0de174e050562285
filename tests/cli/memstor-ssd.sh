#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# memstor with reports of ssd-workloads: validate, convert, compare, merge, html, plot.
. "$top_srcdir/tests/lib/tap.sh"
run=$top_srcdir/tests/fixtures/ssd/run.xml
cd "$tmp" || exit 1

check_exit 0 'memstor validate accepts a report of ssd-workloads run' memstor validate "$run"

# --- tables
cells() { sed 's/"[^"]*"/q/g' "$1" | awk -F, '{ print NF }' | sort -u | wc -l; }
column() { # NAME STREAM: of out
	awk -F, -v name="$1" -v stream="$2" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
		$at["subject"] == stream { print $at[name] }' out
}
check_exit 0 'a report of ssd-workloads is converted to CSV' memstor convert --to csv "$run"
is 'the CSV of streams has the same number of cells in each row' "$(cells out)" 1
is 'the CSV has a row for each stream, in the mix and alone' "$(sed 1d out | cut -d , -f 7 | sort | tr '\n' ' ')" \
	'checkpoint checkpoint-alone log log-alone '
is 'a row of the CSV has depth and block size of its stream' \
	"$(column depth log) $(column block_bytes log) $(column depth checkpoint-alone)" '64 16384 8'
is 'a row of the CSV has mix and durability' "$(column mix log) $(column durability log)" 'M-N none'
check 'bytes per second in the CSV are operations times block size' \
	awk -v bytes="$(column bytes_per_second log)" -v size="$(column block_bytes log)" \
	-v rate="$(column operations_per_second log)" 'BEGIN { exit !(rate > 0 && (bytes / size / rate - 1) ^ 2 < 1e-12) }'
is 'a stream alone has no interference in the CSV' "$(column interference.p50 log-alone)" ''
check 'a stream in the mix has interference in the CSV' awk -v value="$(column interference.p50 log)" 'BEGIN { exit !(value > 0) }'
for what in values series facts buckets; do
	memstor convert --to csv --what $what "$run" >out
	is "the CSV of $what has the same number of cells in each row" "$(cells out)" 1
done
memstor convert --to csv --what series "$run" >out
is 'the series of a stream has one row per interval and repetition' "$(cut -d , -f 3 out | sort -u | grep -c '^log repetition ')" 2
memstor convert --to csv --what facts "$run" >out
check 'the facts have the operations of each stream' grep -q ',value,log-alone:operations,[1-9]' out
memstor convert --to markdown "$run" >out
is 'the Markdown has one row per histogram' \
	"$(grep -c '^| `run.xml` | `\(response\|service\|commit\)` ' out)" "$(grep -c '<latency_histogram ' "$run")"
memstor convert --to json "$run" >out.json
check 'the JSON of a report of ssd-workloads has its root element' grep -q '"ssdworkloads": *{' out.json
check_exit 2 'a report of ssd-workloads cannot be converted to pmgraph' memstor convert --to pmgraph "$run"
is 'the refusal of pmgraph names the tool that it knows in one line' \
	"$(cat err)" "memstor: $run: a report of ssd-workloads: pmgraph knows those of pmbench only"
check_exit 2 'a report of ssd-workloads is not merged with itself' memstor merge "$run" "$run"
sed 's/<uuid>......../<uuid>00000009/' "$run" >second.xml
check_exit 0 'two reports of ssd-workloads are merged' memstor merge -o merged.xml "$run" second.xml
check_exit 0 'memstor validate accepts merged reports of ssd-workloads' memstor validate merged.xml
is 'merging numbers the repetitions of the second report after those of the first' \
	"$(grep -o '<repetition index="[0-9]*" cell_id="mix"' merged.xml | cut -d '"' -f 2 |
	tr '\n' ' ')" '0 1 2 3 '
memstor convert --to csv merged.xml >out
is 'merging adds the operations of a stream' "$(column operations log)" 10164
check 'merging names the baselines as left out' grep -q '<omission name="baselines">' merged.xml

# --- compare: stream by stream
variant() { # NUMBER FACTOR FOLDER: a run whose throughput is divided by FACTOR
	mkdir -p "$3"
	sed "s/<uuid>........-/<uuid>$(printf %08d "$1")-/" "$run" |
		awk -v factor="$2" '/<[a-z]*_per_second>/ { split($0, part, /[<>]/); sub(/>[0-9.]*</, ">" part[3] / factor "<") }
			{ print }' >"$3/$1.xml"
}
for i in 1 2 3 4 5 6; do
	variant $i "1.00$i" base
	variant 1$i "1.30$i" new
done
check_exit 1 'memstor compare of six slower runs ends with 1' memstor compare base -- new
for stream in log checkpoint log-alone checkpoint-alone; do
	check "memstor compare finds $stream slower" grep -q "^  $stream:throughput .* slower" out
done
check_exit 1 'a gate on the throughput of a stream fails' memstor compare --gate 'log:throughput>-5%' base -- new
check_exit 0 'a gate on the response times of a stream passes' memstor compare --gate 'checkpoint:response.p99<+5%' base -- new
check_exit 0 'memstor compare takes --metric of streams' \
	memstor compare --metric log:response.p99.9 --metric log:interference-p99 --metric log:cpu \
	base -- new
is 'memstor compare prints only the metrics of --metric' "$(grep -c '^  log:' out)" 3
for word in 'log:' ':p99' log:response.major.p99 log:interference-p98; do
	check_exit 2 "memstor compare refuses the metric $word" memstor compare --metric "$word" base -- new
	is "memstor compare refuses the metric $word in one line" "$(wc -l <err)" 1
done

# --- a page
check_exit 0 'memstor html makes a page of a report of ssd-workloads' memstor html "$run" -o page.html
check 'the page of html names the report of ssd-workloads' grep -q '<tr><td><bdi>[^<]*ssd/' page.html

# --- pictures
if command -v gnuplot >/dev/null; then
	drawn() { # COUNT DESCRIPTION ARGUMENT...: COUNT names in the legends
		wanted=$1 what=$2
		shift 2
		rm -f drawn.svg
		check_exit 0 "memstor plot draws $what" memstor plot "$@" -o drawn.svg
		is "memstor plot draws $what and prints nothing" "$(cat out err)" ''
		is "memstor plot draws $what with a legend entry for each line" \
			"$(grep -c '<g id="memstor_plot_[0-9]*"><title>' drawn.svg)" "$wanted"
	}
	# Two panels: as alone, and a point each report.
	drawn 0 'the interference of a run' interference "$run"
	check 'the interference of a run has a panel for the checkpoint' grep -q '<text>checkpoint, response times</text>' drawn.svg
	drawn 2 'the interference of two runs' interference "$run" "$run" --legend file
	drawn 4 'distributions of all streams' cdf "$run" --mark none
	drawn 1 'service times of one stream' histogram "$run" --type service --class log --mark none
	drawn 2 'tails of log and log alone' cdf "$run" --class 'log*' --y log --mark none
	drawn 2 'a series of two streams' series "$run" --class log,checkpoint --metric p99
	drawn 3 'a series of two streams with pressure' \
		series "$run" --class log,checkpoint --metric p99 --counter psi.io.some.total
	check 'the axis of pressure is a share of time' grep -q '<text>share of the time</text>' drawn.svg
	check 'the time axis says that it begins with the first measurement' \
		grep -q '<text>time since the first measurement began (s)</text>' drawn.svg
	memstor plot series "$run" --class log --metric p99 --counter disk.write_ios -o drawn.svg --keep-script
	instants() { sed '/^\$data /,/^END/!d; /[DN]$/d' drawn.gp | awk -v part="$1" 'BEGIN { RS = ""; FS = "\n" } NR == part { for (i = 1; i <= NF; i++) { sub(/ .*/, "", $i); print $i } }'; }
	is 'the series of a stream has no points from other cells' "$(instants 2)" "$(instants 1)"
	drawn 1 'the throughput of one stream' series "$run" --class log --metric throughput --keep-script
	is 'the line of a series is interrupted between repetitions' "$(sed -n '/^\$data /,/^END/p' drawn.gp | grep -c ' NaN$')" 1
	check_exit 2 'memstor plot refuses a counter that the report lacks' memstor plot series "$run" --counter disk.none -o r.svg
	sed '/<baselines>/,/<\/baselines>/d' "$run" >none.xml
	check_exit 2 'memstor plot interference refuses a run without baselines' memstor plot interference none.xml -o r.svg
	is 'the refusal of a run without baselines says what is needed in one line' "$(cat err)" \
		"memstor: none.xml: no report of ssd-workloads run --baselines, or of analyze interference --alone, \
which is what interference draws"
	sed '/<low>/d; /<high>/d' "$run" >once.xml
	drawn 0 'the interference of one repetition' interference once.xml
	check 'the picture of one repetition says that it has no bars' grep -q '<text>Without bars: ' drawn.svg
	check 'the picture of one repetition mentions no medians' sh -c '! grep -q "Medians over" drawn.svg'
else
	skip 'memstor plot draws reports of ssd-workloads' 'gnuplot is not installed'
fi

# --- fresh reports of ssd-workloads
# 4: with other load on the host there is a result, too.
status=0
ssd-workloads run --mix=1-1 --target=kept --keep --log-size=4m --ckpt-size=8m --runtime=200ms --interval=100ms \
	--dump=records -f fresh.xml >log 2>&1 || status=$?
if [ $status = 0 ] || [ $status = 4 ]; then
	check_exit 0 'memstor validate accepts a fresh report of ssd-workloads' memstor validate fresh.xml
	memstor convert --to csv fresh.xml >out
	is 'the CSV of a fresh report of ssd-workloads has a row for each stream' "$(sed 1d out | cut -d , -f 7 | tr '\n' ' ')" 'log checkpoint '
	ssd-workloads verify kept -f verify.xml >log 2>&1
	check_exit 0 'memstor validate accepts a fresh report of ssd-workloads verify' memstor validate verify.xml
	check_exit 0 'memstor convert prints the facts of a report of verify' memstor convert --to csv --what facts verify.xml
	check_exit 2 'memstor convert refuses a summary of a report of verify' memstor convert --to csv verify.xml
	is 'the refusal of a summary says what to print instead in one line' "$(cat err)" \
		'memstor: verify.xml: has no summary; --what values prints its numbers, --what series its events'
	for stream in 1-0 0-1; do
		ssd-workloads run --mix=$stream --target=. --log-size=4m --ckpt-size=8m --runtime=100ms --dump=records-$stream >log 2>&1
	done
	for figure in fig4 fig6; do
		ssd-workloads analyze $figure records --alone=records-1-0 --alone=records-0-1 -f $figure.xml >log 2>&1
		check_exit 0 "memstor validate accepts a report of analyze $figure with streams alone" memstor validate $figure.xml
	done
	ssd-workloads analyze interference records --alone=records-1-0 --alone=records-0-1 -f ratio.xml >log 2>&1
	check 'a report of analyze names the mix of its records' grep -q '<mix>1-1</mix>' fig6.xml
	for figure in fig9 fig11 interference; do
		ssd-workloads analyze $figure records -f $figure.xml >log 2>&1
		check_exit 0 "memstor validate accepts a report of analyze $figure" memstor validate $figure.xml
	done
	if command -v gnuplot >/dev/null; then
		drawn 2 'places of writes over time' lba fig11.xml
		drawn 2 'tails of two streams of one mix' tail fig9.xml
		check 'the title of tails names the mix' grep -q '<text>The tail of the response times: 1-1</text>' drawn.svg
		ssd-workloads analyze fig9 records-1-0 -f fig9-alone.xml >log 2>&1
		drawn 3 'tails of two mixes' tail fig9.xml fig9-alone.xml
		check 'tails of two mixes are named by mix and stream' grep -q '<text>1-0, log</text>' drawn.svg
		drawn 2 'ratios of two streams' ratios fig6.xml
		check 'the picture of ratios says how many are beyond its axis' \
			grep -q '<text>Beyond the axis: [0-9.e-]* % of the log, [0-9.e-]* % of the checkpoint.</text>' drawn.svg
		drawn 0 'the interference of one analysis' interference ratio.xml
		check_exit 2 'memstor plot interference refuses an analysis without records of a stream alone' \
			memstor plot interference interference.xml -o r.svg
		rm -f drawn.svg
		check_exit 0 'memstor plot slowest draws a report of analyze fig4' memstor plot slowest fig4.xml -o drawn.svg
		for text in 'log, typical' 'log, alone' 'checkpoint, typical' 'checkpoint, alone'; do
			check "memstor plot slowest names a bar for $text" grep -q "<text>$text</text>" drawn.svg
		done
		is 'memstor plot slowest draws the ten slowest writes of each stream' \
			"$(grep -c '<text>\(log\|checkpoint\) at [0-9.]* s</text>' drawn.svg)" \
			"$(grep -c '<field>slow</field>' fig4.xml)"
		sed '/<field>slow</s/slow/<!-- -->/; s/<field>log</<field>other</; s/<field>checkpoint</<field>other</' fig4.xml >others.xml
		check_exit 2 'memstor plot slowest refuses a report without slow writes' memstor plot slowest others.xml -o r.svg
		is 'the refusal of plot slowest names what it draws in one line' "$(cat err)" \
			'memstor: others.xml: no report of ssd-workloads analyze fig4, which is what slowest draws'
		check_exit 2 'memstor plot lba refuses a report of another figure' memstor plot lba fig9.xml -o r.svg
		is 'the refusal of plot lba names what it draws in one line' "$(cat err)" \
			'memstor: fig9.xml: no report of ssd-workloads analyze fig11, which is what lba draws'
	fi
fi

# --- figures of the simulated device
simulated() { # MIX OPTION...
	ssd-workloads run --mix="$1" --target=sim:small --sim blocks=16 --sim index=200ms --runtime=1s --dump="sim-$1.rec" >log 2>&1
}
analyzed() { # FIGURE MIX OPTION...
	figure=$1 of=$2
	shift 2
	check_exit 0 "ssd-workloads analyze $figure ends with 0 for mix $of" ssd-workloads analyze "$figure" "sim-$of.rec" "$@" -f "$figure-$of.xml"
}
if command -v gnuplot >/dev/null; then
	for mix in 1-1 M-N 1-0 0-1; do simulated $mix; done
	for figure in fig4 fig5 fig6 fig7 fig8 fig10 attribution counters window; do analyzed $figure 1-1; done
	for figure in fig4 fig10 window; do analyzed $figure M-N; done
	analyzed bandwidth 1-1 --alone=sim-1-0.rec --alone=sim-0-1.rec
	drawn 4 'garbage collections' collections fig5-1-1.xml
	check 'the picture of collections has the straight line through them' \
		grep -q '<text>[0-9.]* + 0[.][0-9]* for each page, r2 = [0-9.]*</text>' drawn.svg
	drawn 1 'a write that waited for nothing' gantt fig7-1-1.xml
	is 'memstor plot gantt has a line for each page of both streams' \
		"$(grep -c '<text>channel [0-3], way [0-7]</text>' drawn.svg)" 9
	rm -f drawn.svg
	check_exit 0 'memstor plot draws a write behind an erase' memstor plot gantt fig8-1-1.xml -o drawn.svg
	check 'memstor plot gantt names the erase' grep -q '<text>erase for the other stream</text>' drawn.svg
	drawn 2 'copies of two mixes' copies fig10-1-1.xml fig10-M-N.xml
	cp fig10-1-1.xml copy.xml
	cp fig6-1-1.xml ratios.xml
	memstor plot copies fig10-1-1.xml copy.xml -o drawn.svg
	check 'memstor plot copies names reports of the same mix by their files' \
		sh -c 'grep -q "<title>fig10-1-1.xml</title>" drawn.svg && grep -q "<title>copy.xml</title>" drawn.svg'
	memstor plot ratios fig6-1-1.xml ratios.xml -o drawn.svg
	check 'memstor plot ratios names reports of the same mix by their files, also in the note about the axis' \
		sh -c 'grep -q "<title>ratios.xml, log</title>" drawn.svg && grep -q "<text>Beyond the axis, ratios.xml: " drawn.svg'
	drawn 0 'the causes of response times' attribution attribution-1-1.xml
	check 'the picture of causes has both streams' sh -c 'grep -q "<text>log: self</text>" drawn.svg &&
		test "$(grep -c "<text>checkpoint: self</text>" drawn.svg)" -eq 2'
	drawn 4 'counters of the device' counters counters-1-1.xml
	drawn 0 'windows of two mixes' window window-1-1.xml window-M-N.xml
	check 'the picture of windows has the rate of records' grep -q '<text>.* units/s</text>' drawn.svg
	drawn 2 'bandwidths of a mix and its streams alone' bandwidth bandwidth-1-1.xml
	drawn 2 'ratios to a flash write' ratios fig6-1-1.xml
	check 'the picture of ratios names the undisturbed flash write as denominator' grep -q '<text>response time over the undisturbed flash write</text>' drawn.svg
	rm -f drawn.svg
	check_exit 0 'memstor plot draws writes by step' memstor plot segments fig4-1-1.xml fig4-M-N.xml -o drawn.svg
	check 'memstor plot segments names a write of each kind of both mixes' sh -c \
		'grep -q "<text>1-1, log, clean</text>" drawn.svg && grep -q "<text>M-N, log, way</text>" drawn.svg'
	check_exit 2 'memstor plot segments refuses the figure of a host' \
		memstor plot segments "$top_srcdir/tests/fixtures/ssd/fig4.xml" -o r.svg
	is 'memstor plot segments names in one line what it draws' \
		"$(cat err)" "memstor: $top_srcdir/tests/fixtures/ssd/fig4.xml: no report of ssd-workloads analyze fig4 of a \
simulated device, which is what segments draws"
	check_exit 2 'memstor plot gantt refuses another figure' memstor plot gantt fig5-1-1.xml -o r.svg
	sed 's/<field>clean</<field>slow</; s/<field>way</<field>slow</; s/<field>firmware</<field>slow</; s/<field>gc-[a-z]*</<field>slow</' \
		fig4-1-1.xml >slow.xml
	check_exit 2 'memstor plot segments refuses a report with the slowest writes alone' memstor plot segments slow.xml -o r.svg
	rm -f sim-*.rec
fi

if [ $status = 0 ] || [ $status = 4 ]; then
	cat >own.suite <<-'END'
		about of its own
		step records
		    run ssd-workloads run --mix=1-0 --target=. --log-size=4m --runtime=100ms --dump=records.rec
		step none
		    run ssd-workloads run --mix=1-0 --target=. --log-size=4m --runtime=100ms
	END
	status=0
	memstor run ./own.suite -o kept-by-suite --warmup 1 >out 2>err || status=$?
	check 'memstor run runs a suite of ssd-workloads to its end' grep -qx '[04]' <<-END
		$status
	END
	is 'memstor run keeps the records of a measured run only' \
		"$(cd kept-by-suite && find . -name 'records.rec')" ./records/1/records.rec
	check_exit 0 'analyze reads records that memstor run kept' ssd-workloads analyze fig9 kept-by-suite/records/1/records.rec
	check_exit 0 'memstor html makes a page of fresh reports of run and verify' memstor html fresh.xml verify.xml -o page.html
else
	grep -q O_DIRECT log
	check 'an ssd-workloads run that cannot begin says that O_DIRECT is missing' test $? = 0
fi
tap_done
