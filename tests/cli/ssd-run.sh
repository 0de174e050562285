#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# ssd-workloads run: its writes, text and reports, the files it keeps, and what a signal leaves.
. "$top_srcdir/tests/lib/tap.sh"
schema=$top_srcdir/docs/memstor-report.xsd
mkdir "$tmp/work"
cd "$tmp/work" || exit 1
small='--log-size=4m --ckpt-size=8m --runtime=100ms --interval=50ms'

# Status 3: there is no O_DIRECT here.
# shellcheck disable=SC2086 # words
ssd-workloads run --mix=1-1 --target=. $small >"$tmp/out" 2>"$tmp/err" || {
	grep -q 'O_DIRECT' "$tmp/err" && skip_all "$(cat "$tmp/err")"
}
is 'a run in a folder leaves no file behind' "$(ls -A)" ''

# shellcheck disable=SC2086 # words
run() { ssd-workloads run --target=. $small "$@"; }
# shellcheck disable=SC2086,SC2317 # words
on() { # TARGET OPTION...
	target=$1
	shift
	ssd-workloads run --mix=1-1 --target="$target" $small "$@"
}
valid() {
	check "$1: the report is valid by the schema" xmllint --noout --schema "$schema" "$2"
	check_exit 0 "$1: memstor validate accepts the report" memstor validate "$2"
}
value() { sed -n "s|.*<$2>\([^<]*\)</$2>.*|\1|p" "$1" | head -n 1; }
count() { grep -c "$2" "$1"; }

# --- every mix
for mix in 1-1 1-N M-N 1-0 M-0 0-1 0-N; do
	check_exit 0 "--mix=$mix runs" run --mix=$mix -f $mix.xml
	valid "--mix=$mix" $mix.xml
	is "--mix=$mix: the report names the mix" "$(value $mix.xml mix)" $mix
	streams=2
	case $mix in *0*) streams=1 ;; esac
	is "--mix=$mix: the report has a result for each stream" "$(count $mix.xml '<stream_result ')" $streams
	rm $mix.xml
done
is 'runs of all mixes leave no file behind' "$(ls -A)" ''
check_exit 0 '--mix=custom runs with depths and block sizes of its own' \
	run --mix=custom --log-depth=4 --log-bs=8k --ckpt-depth=2 --ckpt-bs=64k -f custom.xml
is 'a custom mix is named by its depths and block sizes' "$(value custom.xml mix)" '4x8k-2x64k'
check_exit 0 'options may turn one mix into another' run --mix=1-1 --log-depth=64 --ckpt-depth=8 -f custom.xml
is 'a mix that options turned into M-N is called M-N' "$(value custom.xml mix)" 'M-N'

# --- text, JSON and XML on stdout
check_exit 0 'a run without -f prints text' run --mix=1-N
for words in '^1-N (CALC) on ' '^mix  *1  *log  *[1-9]' '^mix  *1  *checkpoint  *[1-9]' '^log  *response  *[1-9]' '^checkpoint  *service '; do
	check "the text has a line like '$words'" grep -q "$words" "$tmp/out"
done
for table in disk pressure; do
	check "the text has the $table of the run, or nothing where it is unknown" awk "/^$table / "'{ on = NR } on && NR == on + 1 {
		good = $1 == "mix" && $2 == 1; for (i = 3; i <= NF; i++) good = good && $i ~ /^([0-9.]+|-|[num]?s)$/ }
		END { exit !good }' "$tmp/out"
done
check_exit 0 '--trace=off runs without tracing' run --mix=1-0 --trace=off
check 'without tracing the text says why queue and device times are unknown' \
	grep -q '; not traced: --trace=off$' "$tmp/out"
check 'without tracing a response time has the parts queue and device' grep -q '^parts of the mean  *queue  *device$' "$tmp/out"
check 'without tracing both parts have a mean' grep -Eq '^log +[0-9.]+ [a-z]+ +[0-9.]+ [a-z]+$' "$tmp/out"
check_exit 0 '--json alone prints the report to stdout' run --mix=1-1 --json
check 'what --json prints is JSON with a repetition' \
	python3 -c 'import json, sys; json.load(open(sys.argv[1]))["ssdworkloads"]["report"]["result"]["repetition"][0]' "$tmp/out"
check_exit 0 '-f - prints the XML report to stdout' run --mix=1-1 -f -
cp "$tmp/out" stdout.xml
valid 'the report on stdout' stdout.xml

# --- threads, engines
check_exit 0 '--engine=threads with two workers runs' run --mix=1-N --engine=threads --workers=2 -f threads.xml
check "the text names the thread engine's calls and threads per stream" \
	grep -q ' by threads: pwritev2 log-threads:1 checkpoint-threads:8$' "$tmp/out"
is "the report names the thread engine's calls and threads per stream" \
	"$(value threads.xml features)" 'pwritev2 log-threads:1 checkpoint-threads:8'
check_exit 0 '--dry-run of one stream with --engine=threads is accepted' run --mix=0-1 --engine=threads --dry-run
check 'the plan of one stream has threads for that stream only' \
	grep -qx 'engine: threads (pwritev2 checkpoint-threads:1)' "$tmp/out"
check_exit 0 '--engine=threads runs the mix M-N' run --mix=M-N --engine=threads -f threads.xml
valid '--engine=threads' threads.xml
is 'the report says that threads were used' "$(value threads.xml used)" threads
check_exit 0 'three workers run and verify the mix M-N' run --mix=M-N --workers=3 -f workers.xml --verify
valid '--workers=3' workers.xml
is 'the report says that three workers were used' "$(value workers.xml workers)" 3

# --- durability and commits
for durability in dsync fdatasync; do
	check_exit 0 "--durability=$durability runs and verifies" run --mix=1-1 --durability=$durability --verify -f durable.xml
	valid "--durability=$durability" durable.xml
	is "--durability=$durability: no acknowledged write is lost" "$(count durable.xml '<loss ')" 0
	is "--durability=$durability: every acknowledged write is known" "$(value durable.xml is_complete)" true
	check "--durability=$durability: the report has latencies of commits" \
		grep -q '<latency_histogram type="commit" class="log"' durable.xml
done
# sync WANTED NAME OPTION...: whether each checkpoint was made durable at its end; each pass of a worker but its first begins behind a sync.
sync_of() {
	wanted=$1 name=$2
	shift 2
	check_exit 0 "$name: the run succeeds" run --runtime=300ms --ckpt-size=2m --verify -f sync.xml "$@"
	cp "$tmp/out" text
	valid "$name" sync.xml
	is "$name: the report says checkpoint_sync $wanted" "$(value sync.xml checkpoint_sync)" "$wanted"
	passes=$(sed -n '/<stream_result stream="checkpoint">/,$p' sync.xml | sed -n 's|.*<passes>\(.*\)</passes>.*|\1|p')
	syncs=$(sed -n '/<pass_sync>/,/<\/pass_sync>/s|.*<count>\(.*\)</count>.*|\1|p' sync.xml)
	if [ "$wanted" = none ]; then
		is "$name: no checkpoint pass is followed by a sync" "$syncs" ''
	else
		check "$name: each of ${passes:-no} passes but the last ones has one of ${syncs:-no} syncs" \
			test $((${passes:-0} - ${syncs:-0})) -le 2
	fi
}
sync_of pass '--durability=dsync with a checkpoint' --mix=1-N --durability=dsync
sync_of pass '--ckpt-sync=pass of a checkpoint alone' --mix=0-1 --ckpt-sync=pass
check "the text has the latency of the checkpoint's sync" grep -q '^checkpoint  *sync  *[0-9]' text
sync_of pass '--durability=fdatasync by threads' --mix=1-N --durability=fdatasync --engine=threads --workers=2
sync_of none '--ckpt-sync=none with a durable log' --mix=1-1 --durability=fdatasync --ckpt-sync=none
sync_of none 'a checkpoint without durability' --mix=0-1
check_exit 0 '--dry-run of a durable mix is accepted' run --mix=1-1 --durability=dsync --dry-run
check 'the plan says that each checkpoint is made durable at its end' \
	grep -qx 'durability: dsync, and of each checkpoint at its end' "$tmp/out"
check_exit 0 '--group-commit=8 runs' run --mix=1-0 --durability=dsync --group-commit=8 -f group.xml
valid '--group-commit=8' group.xml
check '--group-commit=8 acknowledges eight commits per write' \
	awk '/type="(response|commit)"/ { type = $0 ~ /commit/ } /<count>/ && /<count>/ { split($0, part, /[<>]/); n[type] = part[3] }
	/<\/latency_histogram>/ { } END { exit n[1] != 8 * n[0] }' <<END
$(sed -n '/<latency_histogram type="response"/,/<\/summary>/p; /<latency_histogram type="commit"/,/<\/summary>/p' group.xml)
END
check_exit 0 '--rate=500 runs an open loop' run --mix=1-1 --rate=500 -f rate.xml
valid '--rate=500' rate.xml
is 'the report has the rate of the open loop' "$(value rate.xml rate_per_second)" 500
# The last of three writes is due at 1 s; the idle time after it counts as run time.
check_exit 0 'an open loop whose last write is due long before the end runs' run --mix=1-0 --rate=2 --runtime=1400ms -f rate.xml
check 'idle time at the end of an open loop counts as run time' \
	awk -v seconds="$(sed -n '/<repetition /,$p' rate.xml | sed -n 's|.*<seconds>\(.*\)</seconds>.*|\1|p' | head -n 1)" \
	'BEGIN { exit !(seconds >= 1.4) }'

# --- baselines
check_exit 0 '--baselines --runs=2 runs each stream alone and the mix' run --mix=1-N --baselines --runs=2 -f base.xml
check '--baselines: the text has the ratio of p99 with its interval' grep -q '^log  *p99  *[0-9.]* ([0-9.]* to [0-9.]*)$' "$tmp/out"
check '--baselines: the text has the ratio of throughput with its interval' \
	grep -q '^checkpoint  *throughput  *[0-9.]* ([0-9.]* to [0-9.]*)$' "$tmp/out"
valid '--baselines' base.xml
check '--baselines: time in the series rises over all repetitions' \
	sh -c 'sed -n "s|.*<time_s>\(.*\)</time_s>|\1|p" base.xml | sort -gc'
is '--baselines: each cell is repeated equally often' \
	"$(grep -o '<repetition index="[0-9]*" cell_id="[a-z-]*"' base.xml | sort | tr '\n' ' ')" \
	"$(for i in 0 1; do for cell in checkpoint-alone log-alone mix; do printf '<repetition index="%s" cell_id="%s" ' $i $cell; done; done)"
is '--baselines: the report has five interference statistics per stream' "$(count base.xml '<interference ')" 10
check '--baselines: the ratio of throughput equals that of the repetitions' \
	awk '/<repetition / { cell = $3 } /<stream_result / { stream = $2 }
	/<\/repetition>/ { cell = "" } cell && /<operations_per_second>/ { split($0, part, /[<>]/); sum[cell, stream] += part[3] }
	/stream="log" statistic="throughput"/ { on = 1 } on && /<value>/ { split($0, part, /[<>]/); value = part[3]; on = 0 }
	END { ratio = sum["cell_id=\"mix\">", "stream=\"log\">"] / sum["cell_id=\"log-alone\">", "stream=\"log\">"]
	exit !((value / ratio - 1) ^ 2 < 1e-12) }' base.xml
memstor compare --force --metric log:interference-throughput base.xml -- base.xml >"$tmp/compared" 2>&1
check '--baselines: memstor compare has the metric log:interference-throughput' grep -q log:interference-throughput "$tmp/compared"
# --- the series: all writes, and no short last interval
check 'no interval of the series is shorter than half of --interval' \
	awk '/<series>/ { on = 1 } on && /<seconds>/ { split($0, part, /[<>]/)
	if (part[3] < 0.025) bad++; n++ } END { exit bad || n < 12 }' base.xml
check 'the series has every write of the run' \
	awk '/<operations>/ { split($0, part, /[<>]/); sum[on + 0] += part[3] } /<series>/ { on = 1 }
	END { exit !(sum[0] && sum[0] == sum[1]) }' base.xml
check "the intervals of the series add up to the repetitions' time" \
	awk '/<repetition / { on = 1 } on && /<seconds>/ { split($0, part, /[<>]/)
	whole += part[3]; on = 0 } /<interval / { first = /stream="log"/ || /checkpoint-alone/; in_row = 1 }
	in_row && /<seconds>/ { split($0, part, /[<>]/); if (first) rows += part[3]; in_row = 0 }
	END { exit !((rows / whole - 1) ^ 2 < 1e-12) }' base.xml
check_exit 2 '--interval: more rows than the series can hold are refused' run --mix=1-1 --runtime=20m --interval=10ms
is '--interval: the refusal names the smallest interval in one line' "$(cat "$tmp/err")" \
	'ssd-workloads: --interval: gives more than 100000 rows in this --runtime; use 12ms or more, or 0 for no series'
check_exit 0 '--baselines --durability=fdatasync runs' run --mix=1-N --durability=fdatasync --baselines --runs=2 -f commit.xml
check "--baselines: the text has the ratio of the commits' p99" \
	grep -q '^log  *commit.p99  *[0-9.]* ([0-9.]* to [0-9.]*)$' "$tmp/out"
is '--baselines: the table has commits per second for the log alone' \
	"$(awk '/ commits\/s / { for (i = 1; i <= NF; i++) if ($i == "commits/s") column = i }
	column && ($3 == "log" || $3 == "checkpoint") { print $3, $column ~ /^[0-9.]+$/ }' "$tmp/out" | sort -u | tr '\n' ' ')" 'checkpoint 0 log 1 '
valid '--baselines --durability=fdatasync' commit.xml
is '--baselines: each cell with a log has its commits per second' "$(count commit.xml '<commits_per_second>')" 4
is '--baselines: commits have four interference statistics, of the log alone' \
	"$(sed -n 's|.*<interference stream="\([a-z]*\)" statistic="commit\.\(.*\)">|\1 \2|p' commit.xml | tr '\n' ' ')" \
	'log mean log p50 log p99 log p99.9 '
# The median of two is their mean, within the digits of a number in a report.
check '--baselines: the ratio of commits equals that of the repetitions' \
	awk '/<repetition / { cell = $3 } /<stream_result / { stream = $2 } /<commit>/ { in_commit = 1 }
	in_commit && /<mean_ns>/ { split($0, part, /[<>]/); sum[cell] += part[3]; in_commit = 0 }
	/statistic="commit.mean"/ { on = 1 } on && /<value>/ { split($0, part, /[<>]/); value = part[3]; on = 0 }
	END { ratio = sum["cell_id=\"mix\">"] / sum["cell_id=\"log-alone\">"]; exit !((value / ratio - 1) ^ 2 < 1e-12) }' commit.xml
for statistic in mean p50 p99 p99.9; do
	memstor compare --force --metric "log:interference-commit-$statistic" commit.xml -- commit.xml >"$tmp/compared" 2>&1
	check "--baselines: memstor compare has the metric log:interference-commit-$statistic" \
		grep -q "log:interference-commit-$statistic" "$tmp/compared"
done
check_exit 0 '--baselines --runs=1 runs' run --mix=1-N --baselines --runs=1 -f once.xml
check '--baselines --runs=1: the ratio has no interval' grep -q '^log  *p99  *[0-9.]*$' "$tmp/out"
check '--baselines --runs=1: the text says why there is no interval' \
	grep -qx 'no interval: one repetition shows no spread; use --runs=5' \
	"$tmp/out"
is '--baselines --runs=1: the report has ratios without intervals' \
	"$(count once.xml '<interference ') $(count once.xml '<low>\|<high>')" '10 0'
valid '--baselines --runs=1' once.xml
check_exit 2 '--baselines of a mix with one stream is refused' run --mix=1-0 --baselines --runs=2
is '--baselines: the refusal asks for a mix of two streams in one line' \
	"$(cat "$tmp/err")" 'ssd-workloads: --baselines: this mix has one stream; use one of two streams'

# --- files
rm -f ./*
check_exit 0 'a target file that does not exist is made' on new
is 'a target file that the run made is removed at its end' "$(ls -A)" ''
check_exit 0 '--dry-run of a target that does not exist is accepted' on new --dry-run
check '--dry-run prints the plan' test -s "$tmp/out"
is '--dry-run makes no file' "$(ls -A)" ''
check_exit 0 '--keep runs on a new file' on kept --keep -f kept.xml
check 'a new file is prepared' grep -q '<prepared>' kept.xml
check_exit 0 'a target that a run kept is used without --destroy-data' on kept -f kept.xml
is 'a target that a run kept is not prepared again' "$(count kept.xml '<prepared>')" 0
check 'a target that a run kept stays after the next run' test -f kept
cp kept foreign && printf 'somebody else' | dd of=foreign conv=notrunc 2>/dev/null
before=$(cksum <foreign)
if on foreign --destroy-data=foreign --require=uring --iopoll --dry-run >"$tmp/out" 2>"$tmp/err"; then
	skip 'an engine that is unavailable is refused before writing' 'what is here can be polled'
else
	check_exit 3 '--require of an unavailable engine is refused on a foreign file' \
		on foreign --destroy-data=foreign --require=uring --iopoll
	is 'an unavailable engine is refused before the foreign file is changed' "$(cksum <foreign)" "$before"
	check_exit 3 '--require of an unavailable engine is refused on a new file' on new --keep --require=uring --iopoll
	is 'an unavailable engine leaves no new file behind' "$(ls new 2>/dev/null)" ''
fi
rm foreign
check_exit 4 '--no-prepare of a new target ends with 4' run --mix=1-1 --no-prepare -f raw.xml
check 'the verdict of an unprepared target has the reason' grep -q '<reason code="unprepared">--no-prepare: ' raw.xml
check_exit 0 '--no-prepare of a prepared target of its own succeeds' on kept --no-prepare --interval=0 -f raw.xml
is 'the verdict of a prepared target has no reason unprepared' "$(count raw.xml '<reason code="unprepared">')" 0
check_exit 0 '--no-prepare --dry-run of a prepared target is accepted' on kept --no-prepare --dry-run
check 'the plan says that the target is prepared already' grep -qx 'prepared: already' "$tmp/out"
is 'a run without durability reports no commits' "$(count raw.xml '<commit>\|type="commit"')" 0
is 'the first argument in the report is the program' "$(value raw.xml argument)" ssd-workloads
echo precious >mine
check_exit 2 'a target that exists is refused' on mine
is 'a target that exists is refused in one line' "$(wc -l <"$tmp/err")" 1
check_exit 2 '--destroy-data with another spelling of the target is refused' on mine --destroy-data=./mine
is 'a refused target keeps its content' "$(cat mine)" precious
: >mine
check_exit 2 'a target that exists and is empty is refused' on mine
is 'the refusal of an empty target says how to confirm' \
	"$(cat "$tmp/err")" 'ssd-workloads: mine: exists already and is empty; name a new file, or confirm with --destroy-data=mine'
check 'a refused empty target is not removed' test -f mine
check_exit 0 '--destroy-data of the same path overwrites the target' on mine --destroy-data=mine
check 'a target that was confirmed is not removed' test -f mine
if command -v mkswap >/dev/null; then
	rm mine
	truncate -s 16m mine
	mkswap -L precious mine >/dev/null 2>&1
	printf '\370' | dd of=mine bs=1 seek=5000 conv=notrunc 2>/dev/null
	check_exit 2 'a target with a swap signature is refused' on mine
	is 'the refusal of a target names its signature and label' \
		"$(cat "$tmp/err")" "ssd-workloads: mine: holds data of another program (swap labelled precious); name a new file, or confirm with --destroy-data=mine"
	printf '\0\0\0\0\203\0\0\0\0\010\0\0\0\100\0\0' | dd of=mine bs=1 seek=446 conv=notrunc 2>/dev/null
	printf '\125\252' | dd of=mine bs=1 seek=510 conv=notrunc 2>/dev/null
	check_exit 2 'a target with two signatures is refused' on mine
	check 'the refusal of a target names both signatures' \
		grep -q "holds data of another program (swap labelled precious, dos); " "$tmp/err"
	check_exit 0 '--destroy-data of a target with signatures overwrites it' on mine --destroy-data=mine
	is 'no byte of the signatures is left before the areas' "$(head -c 1048576 mine | tail -c +4097 | tr -d '\000' | wc -c)" 0
else
	skip 'a target with a signature is refused' 'needs mkswap'
fi

# --- a kept target in other blocks
rm -f ./*
check_exit 0 'a target prepared in blocks of 4 KiB and 8 KiB is kept' on kept --keep --log-bs=4k --ckpt-bs=8k
check_exit 0 'the same target is accepted with other blocks of whole pages' on kept --log-bs=16k --ckpt-bs=4k --dry-run
check 'blocks of other whole pages need no preparation' grep -qx 'prepared: already' "$tmp/out"
if on kept --log-bs=6k --dry-run >"$tmp/out" 2>"$tmp/err"; then
	is 'blocks of halves of pages need preparation' "$(grep -cx 'prepared: already' "$tmp/out")" 0
	check_exit 0 'a target that needs preparation is prepared again' on kept --log-bs=6k --ckpt-bs=8k --verify -f kept.xml
	check 'the report says that the target was prepared again' grep -q '<prepared>' kept.xml
	check_exit 0 'the same target is accepted with the same half pages' on kept --log-bs=6k --ckpt-bs=8k --dry-run
	check 'blocks of the same half pages need no preparation' grep -qx 'prepared: already' "$tmp/out"
else
	skip 'blocks of halves of pages need preparation' "$(cat "$tmp/err")"
fi
rm -f ./*

# --- records
check_exit 0 '--freeze-if runs with --post and --dump' run --mix=M-N '--freeze-if=log.own>=2' --post=5 --dump=records -f freeze.xml
valid '--freeze-if' freeze.xml
check '--freeze-if: the report names the stream that fired' grep -q '<fired_stream>log</fired_stream>' freeze.xml
check '--freeze-if: records after the freeze are dropped' \
	awk -v dropped="$(value freeze.xml dropped)" 'BEGIN { exit !(dropped > 0) }'
check '--dump has at least 64 bytes for each record kept' awk -v size="$(wc -c <records)" -v kept="$(value freeze.xml kept)" \
	'BEGIN { exit !(kept > 0 && size >= 64 * kept) }'
check_exit 0 '--records=0 runs' run --mix=M-N --records=0 -f none.xml
valid '--records=0' none.xml
rm -f ./*

# --- reports and dumps that cannot be written
check_exit 3 '-f into a folder that does not exist is refused' run --mix=1-1 -f /nowhere/x
is '-f into a folder that does not exist is refused in one line' \
	"$(cat "$tmp/err")" "ssd-workloads: -f /nowhere/x: cannot be written: No such file or directory"
is '-f into a folder that does not exist leaves no file behind' "$(ls -A)" ''

# until_threads PID TEST NUMBER: waits until its number of threads passes the test, or it has ended.
until_threads() {
	for _ in $(seq 600); do
		threads=$(find "/proc/$1/task" -maxdepth 1 -mindepth 1 2>/dev/null | wc -l)
		if [ "$threads" -eq 0 ] || test "$threads" "$2" "$3"; then
			return
		fi
		sleep 0.05
	done
}
# A failure beside the measurement does not change the measurement.
mkdir gone
# shellcheck disable=SC2086 # words
ssd-workloads run --mix=1-1 --target=. $small --runtime=2s --dump=gone/records -f dumped.xml >"$tmp/out" 2>"$tmp/err" &
pid=$!
until_threads $pid -ge 3
rmdir gone
status=0
wait $pid || status=$?
is '--dump whose folder is removed during the run ends with 3' $status 3
is '--dump whose folder is removed is reported in one line' "$(cat "$tmp/err")" \
	'ssd-workloads: --dump gone/records: the records could not be written: No such file or directory'
check '--dump that fails does not prevent the text' grep -q '^mix  *1  *log  *[1-9]' "$tmp/out"
valid '--dump that fails' dumped.xml
rm -f ./*

# A write fails at the last of 20 blocks: a limit of file sizes that is set during the run needs no broken device.
limited() { # OPTION...
	(trap '' XFSZ && exec ssd-workloads run --target=log --mix=1-0 --log-depth=8 --log-bs=4k --log-size=80k --trace=off --runtime=30s \
		--verify -f limited.xml "$@") >"$tmp/out" 2>"$tmp/err" &
	pid=$!
	until_threads $pid -ge 2
	prlimit --pid=$pid --fsize=$(((1 << 20) + 19 * 4096)) 2>"$tmp/why"
	status=0
	wait $pid || status=$?
}
if command -v prlimit >/dev/null; then
	check_exit 0 'a small target is made for writes that fail' \
		ssd-workloads run --target=log --mix=1-0 --log-depth=8 --log-bs=4k --log-size=80k --runtime=100ms --keep
	limited --records=0
	is 'a write that fails ends the run with 4' $status 4
	valid 'a write that fails' limited.xml
	check 'the verdict says where a failed write ended the run' \
		grep -q '<reason code="io-error">mix: the run ended early: File too large<' limited.xml
	# The other writes in flight are acknowledged, and compared with what is there.
	is 'writes acknowledged after the failed one are known and not lost' \
		"$(value limited.xml later) $(count limited.xml '<loss ')" '0 0'
	limited
	is 'a write that fails early ends the run with 4' $status 4
	valid 'a write that fails early' limited.xml
	if grep -q '<repetition ' limited.xml; then
		skip 'a write that fails in the trial ends the run' 'it was over before the limit came'
	else
		check 'a write that fails in the trial ends the run before the measurement' \
			grep -q '<reason code="io-error">the trial before the run ended early: File too large<' \
			limited.xml
		is 'writes of a failed trial are known and not lost' \
			"$(value limited.xml later) $(count limited.xml '<loss ')" '0 0'
	fi
	check_exit 0 'ssd-workloads verify accepts the target after failed writes' ssd-workloads verify log
	# --seed=1: each stream alone, then the mix, which has three rings more than may be opened by then.
	# shellcheck disable=SC2086 # words
	ssd-workloads run --mix=M-N --workers=3 --target=. $small --runtime=1s --baselines --runs=2 --seed=1 --trace=off --records=0 --interval=0 \
		-f some.xml >"$tmp/out" 2>"$tmp/err" &
	pid=$!
	until_threads $pid -ge 4
	rings=$(find /proc/$pid/fd -lname 'anon_inode:*io_uring*' | sed 's|.*/||' | sort -n)
	ring=
	if [ "$(echo "$rings" | wc -w)" -eq 3 ]; then
		ring=$(echo "$rings" | tail -n 1)
		prlimit --pid=$pid --nofile=$((ring + 1)) 2>"$tmp/why"
	fi
	status=0
	wait $pid || status=$?
	if [ -n "$ring" ]; then
		is 'a repetition that cannot begin ends the run with 3' $status 3
		is 'a repetition that cannot begin is reported in one line' "$(wc -l <"$tmp/err")" 1
		valid 'a repetition that cannot begin' some.xml
		is 'the repetitions before the one that failed are in the report' "$(count some.xml '<repetition ')" 2
		check 'the verdict says how many repetitions are missing' \
			grep -q '<reason code="incomplete">only 2 of 6 repetitions could be made<' some.xml
	else
		skip 'a repetition that cannot begin ends the run with 3' 'no io_uring here, or it was over too soon'
	fi
else
	skip 'a write that fails ends the run with 4' 'needs prlimit (util-linux)'
fi
rm -f ./*

# --- a signal: what was measured so far, marked
cut_short() { # SECONDS ARGUMENT...
	after=$1
	shift
	env --default-signal=INT ssd-workloads run --mix=1-1 --target=. --log-size=4m --ckpt-size=8m "$@" >"$tmp/out" 2>"$tmp/err" &
	pid=$!
	sleep "$after"
	kill -INT $pid
	status=0
	wait $pid || status=$?
}
if env --default-signal=INT true 2>/dev/null; then
	cut_short 2 --runtime=60s --verify -f cut.xml
	is 'SIGINT ends a run with 4' $status 4
	check 'SIGINT: the text says how much of the run was measured' grep -Eqx \
		'Note: User interruption ended the run earlier than scheduled: [0-9.]+ [num]?s of 1 min measured\.' "$tmp/out"
	valid 'a run that SIGINT ended' cut.xml
	check 'SIGINT: the verdict is interrupted' grep -q '<verdict status="interrupted"' cut.xml
	check 'SIGINT: the verdict says that nothing was verified' \
		grep -q '<reason code="not-verified">not verified: interrupted<' cut.xml
	is 'SIGINT: the report has no verification' "$(count cut.xml '<verification>')" 0
	rm -f cut.xml
	cut_short 1 --runtime=20s --baselines
	is 'SIGINT during --baselines ends the run with 4' $status 4
	check 'SIGINT during --baselines: the text says how many repetitions there are' grep -Eqx \
		'Note: .* scheduled: [0-9.]+ [num]?s of 5 min measured, in [01] of 15 repetitions\.' "$tmp/out"
	# The signal comes while all is read back: the measurement is complete, and reported.
	env --default-signal=INT ssd-workloads run --mix=0-N --target=. --ckpt-size=512m --runtime=300ms --verify --no-prepare --trace=off \
		-f cut.xml >"$tmp/out" 2>"$tmp/err" &
	pid=$!
	until_threads $pid -ge 2
	until_threads $pid -le 1
	kill -INT $pid 2>/dev/null
	status=0
	wait $pid || status=$?
	if grep -q '<verification>' cut.xml; then
		skip 'SIGINT during verification ends the run with 4' 'it was faster than the signal'
	else
		is 'SIGINT during verification ends the run with 4' $status 4
		valid 'a run that SIGINT ended during verification' cut.xml
		check 'SIGINT during verification: the verdict says that it was not verified' \
			grep -q '<reason code="not-verified">not verified: interrupted<' cut.xml
		is 'SIGINT during verification: the measurement is in the report' "$(count cut.xml '<stream_result ')" 1
		is 'SIGINT during verification: stderr is empty' "$(cat "$tmp/err")" ''
	fi
	rm -f cut.xml
else
	skip 'SIGINT ends a run with 4' 'needs env --default-signal (coreutils 8.31)'
fi
# --- no target is left behind when the reader closes the pipe or the engine is unavailable
{ ssd-workloads run --mix=1-1 --target=new --log-size=4m --ckpt-size=8m --runtime=200ms -f - 2>"$tmp/err"; echo $? >"$tmp/status"; } | :
is 'a reader that closes the pipe ends the run with 3 and one line' "$(cat "$tmp/status" "$tmp/err")" \
	"3
ssd-workloads: -f (standard output): the report could not be written: Broken pipe"
is 'a reader that closes the pipe leaves no target behind' "$(ls -A)" ''
status=0
ssd-workloads run --mix=1-1 --target=new --keep --log-size=4m --ckpt-size=8m --runtime=1ms --require=uring --iopoll \
	>/dev/null 2>"$tmp/err" || status=$?
if [ $status -eq 3 ]; then
	is 'an unavailable engine leaves no kept target behind' "$(ls -A)" ''
else
	skip 'an unavailable engine leaves no kept target behind' 'the device can be polled'
fi
rm -f new
# The acknowledgement log is in memory, here of a file without a name, which cannot be verified later.
ssd-workloads run --mix=1-1 --target=. --durability=dsync --log-size=4m --ckpt-size=8m --runtime=60s -f killed.xml >/dev/null 2>&1 &
pid=$!
sleep 1
grep '/dev/shm/ssd-workloads' /proc/$pid/maps >"$tmp/maps"
kill -9 $pid
wait $pid 2>/dev/null
is 'kill -9 leaves no target file behind' "$(ls -A)" ''
check 'kill -9 leaves no acknowledgement log in /dev/shm' sh -c 'test -s "$0" && ! grep -v deleted "$0"' "$tmp/maps"
tap_done
