#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# memstor plot on reports of iowrite-bench: kinds for them alone, and the other kinds on cells.
. "$top_srcdir/tests/lib/tap.sh"
. "$top_srcdir/tests/lib/plot.sh"
run=$iowrite/run.xml evaluate=$iowrite/evaluate.xml trace=$iowrite/trace.xml

drawn() { # COUNT DESCRIPTION ARGUMENT...: COUNT names in the legends
	wanted=$1
	what=$2
	shift 2
	rm -f drawn.svg
	check_exit 0 "memstor plot draws $what" memstor plot "$@" -o drawn.svg
	is "memstor plot draws $what and prints nothing" "$(cat out err)" ''
	check "memstor plot draws $what as an SVG" is_svg drawn.svg
	is "memstor plot draws $what with a legend entry for each line" "$(count_named drawn.svg)" "$wanted"
}
written() { # DESCRIPTION TEXT
	check "$1" grep -qF "$2" drawn.svg
}
refuses() { # LINE ARGUMENT...
	line=$1
	shift
	rm -f r.svg
	check_exit 2 "memstor plot refuses: $*" memstor plot "$@" -o r.svg
	is "memstor plot prints the expected refusal: $*" "$(cat err)" "memstor: $line"
	check "memstor plot writes nothing when it refuses: $*" test ! -e r.svg
}

# --- prediction: what was measured, three models and a band, the page cache and the model's, where flushing and throttling begin
drawn 9 'the prediction of a scenario' prediction "$evaluate"
written 'memstor plot prediction has the scenario as its title' \
	'<text>Scenario c2 (figure 6A of CAWL): 16 MiB at a time, without a delay</text>'
written 'memstor plot prediction shows the background threshold' '<text>background 512 MiB</text>'
written 'memstor plot prediction shows where throttling begins' '<text>throttling begins 768 MiB</text>'
written 'memstor plot prediction shows the limit of dirty memory' '<text>limit 1 GiB</text>'
written 'memstor plot prediction prints the errors of the models' '<text>kernel: off by '
written 'memstor plot prediction prints the floor of the errors' '<text>Floor: 11.2 % per write'
written 'memstor plot prediction prints when flushing and throttling begin' \
	'<text>Flushing begins after 0.103 s (kernel'\''s model: after 0.103 s), throttling after 0.159 s'
drawn 4 'the prediction of one model' prediction "$evaluate" --scenario c4:2 --model cawl --y linear
awk '/<write / && ++n % 2 { sub(/ kernel_ns="[0-9.]*"/, " kernel_ns=\"20\"") } { print }' "$evaluate" >jumps.xml
check_exit 0 'memstor plot prediction draws costs that jump' memstor plot prediction jumps.xml -o drawn.svg --keep-script=jumps.gp
check 'memstor plot prediction draws costs that jump as points' grep -qx 'is_jumping = 1' jumps.gp
check_exit 0 'memstor plot prediction draws single stalls' memstor plot prediction "$evaluate" -o drawn.svg --keep-script=jumps.gp
check 'memstor plot prediction draws single stalls as lines' grep -qx 'is_jumping = 0' jumps.gp
drawn 5 'the prediction of writes of several sizes' prediction "$evaluate" --scenario f4b
written 'memstor plot prediction draws writes of several sizes by size' '<text>size of a write</text>'
sed 's|<background_bytes>.*||; s|<freerun_bytes>.*||; s|<limit_bytes>.*||; s/ [a-z_]*dirty_bytes="[0-9]*"//g
	s/ low_ns="[0-9]*"//; s/ [a-z_]*writeback_bytes="[0-9]*"//g' "$evaluate" >bare.xml
drawn 4 'the prediction of a report without bands and bytes' prediction bare.xml
refuses "--scenario 'c9': $evaluate does not have it; it has: c2, c4, f4b" prediction "$evaluate" --scenario c9
refuses "--scenario 'c2:3': $evaluate does not have it; it has: c2, c4, f4b" prediction "$evaluate" --scenario c2:3
refuses "--model kernel,linux: must be up to 16 of naive, cawl and kernel, with commas between" prediction "$evaluate" --model kernel,linux
refuses 'prediction draws at most 1 report, these are 2' prediction "$evaluate" "$evaluate"
refuses "$run: no report of iowrite-bench evaluate, which is what prediction draws" prediction "$run"
refuses "$small: no report of iowrite-bench evaluate, which is what errors draws" errors "$small"

# --- errors: three models, and a floor
drawn 4 'errors of three models' errors "$evaluate"
written 'memstor plot errors names a goal that was missed' \
	'<text>Goals that are missed: buffered-slow per-write 22.5 (20) %.</text>'
written 'memstor plot errors names the scenarios' '<text>f4b</text>'
drawn 1 'errors of one model' errors "$evaluate" --metric curve-gap --model kernel
drawn 4 'errors of two reports of one device' errors "$evaluate" "$evaluate" --y linear
written 'memstor plot errors says that the goals are those of the first report' \
	'<text>The goals are those of the first report.</text>'
check 'memstor plot errors does not warn about two reports of one device' sh -c '! grep -q "different devices" drawn.svg'
sed 's,<option name="slow-device">[^<]*<,<option name="slow-device">40MiB<,' "$evaluate" >other.xml
drawn 4 'errors of two devices' errors "$evaluate" other.xml
written 'memstor plot errors says that the reports are of different devices' \
	'<text>The reports are of different devices, and are put together here.</text>'
refuses "--metric 'p99': must be up to 3 of per-write-error, total-error, mean-write-error and curve-gap" \
	errors "$evaluate" --metric p99

# --- kernel-trace: all, dirty, the model's sum; tasks and three rates; pauses, costs, the model's
drawn 10 'a kernel trace' kernel-trace "$trace"
written 'memstor plot kernel-trace prints the number of pauses' ' pauses, '
check_exit 0 'memstor plot kernel-trace draws thresholds that are close' \
	memstor plot kernel-trace "$iowrite/trace-recorded.xml" -o drawn.svg
for name in 'background 24 MiB' 'throttling begins 36 MiB' 'limit 48 MiB'; do
	written "memstor plot kernel-trace labels thresholds that are close: $name" "<text>$name</text>"
done
sed '/<ratelimit /d; /<pause /d' "$trace" >quiet.xml
drawn 5 'a kernel trace of a writer that never paused' kernel-trace quiet.xml
sed '/<kernel_state /d; /<write /d' "$trace" >none.xml
refuses 'none.xml: the trace has neither events nor writes' kernel-trace none.xml

# --- cost: four ways, one of them with syncs
drawn 5 'costs by size' cost "$run"
written 'memstor plot cost has the common properties in its title' '<text>Cost of a write by size: append, write, warm</text>'
written 'memstor plot cost names each line by the properties that differ' '<text>pwrite buffered fsync, sync.mean</text>'
drawn 2 'costs by cell' cost "$run" --class '*.4k' --metric write.p50,write.p99
drawn 4 'throughput by size' cost "$run" --metric throughput
drawn 10 'costs of two runs' cost "$run" "$run" --legend file
refuses "--metric 'throughput': is in 1/s, write.p50 in ns; one axis has one unit, draw two pictures" \
	cost "$run" --metric write.p50,throughput
refuses "--metric 'a:p50': without a cell: it is drawn of each, --class chooses some" cost "$run" --metric a:p50
refuses "$run: no cell has costs or is one of --class" cost "$run" --class 'mmap.*'
refuses "$evaluate: no report of iowrite-bench run, which is what cost draws" cost "$evaluate"
refuses '12 ways to write: a picture distinguishes at most 8; choose with --class, as --class '"'*.fsync.*'" \
	cost "$run" "$run" "$run" --legend file

# --- the others
drawn 2 'a distribution of a cell' cdf "$run" --class pwrite.buffered.fsync.append.write.4k
drawn 3 'percentiles of cells that a pattern chooses' percentile "$run" --class '*.fsync.*'
refuses '1 reports of 12 classes and 2 types: a picture distinguishes at most 8 and 4; draw fewer' histogram "$run"
drawn 4 'a series of cells' series "$run" --class '*.1m' --metric p99
drawn 2 'a series of bandwidth and dirty memory of a cell' series "$run" --class fwrite.buffered.none.append.write.1m --metric bandwidth,nr_dirty_bytes
refuses "$run: no cell of --class has intervals" series "$run" --class none
refuses "--class: of a series it chooses cells of iowrite-bench or streams, and $small has none" series "$small" --class hit
refuses "$run: its intervals have no histograms: series draws them" heatmap "$run"
drawn 0 'bars of the first numbers' bars "$run"
written 'memstor plot bars has the metric and its unit as the title of a panel' '<text>throughput (1/s)</text>'
check 'memstor plot bars prints below a panel what distinguishes its cell' \
	grep -Eq '<text>[a-z0-9.-]+, higher is better</text>' drawn.svg
check 'memstor plot bars prints once what all cells share' grep -Eq '<text>All cells are of [a-z0-9.-]+[.]</text>' drawn.svg
check 'memstor plot bars prints no whole name of a cell' \
	sh -c "! grep -q '<text>[^<]*pwrite[.]buffered[.][a-z-]*[.]append[.]write[.][0-9]' drawn.svg"
written 'memstor plot bars says that the report has more numbers' \
	'<text>The first 12 of 57 numbers: --metric chooses others.</text>'
drawn 0 'bars of a scenario' bars "$evaluate" --metric c2:kernel.total-error
tap_done
