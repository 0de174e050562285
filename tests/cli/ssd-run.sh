#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# ssd-workloads run: what it writes and says, what stays, what a signal leaves.
. "$top_srcdir/tests/lib/tap.sh"
schema=$top_srcdir/docs/memstor-report.xsd
mkdir "$tmp/work"
cd "$tmp/work" || exit 1
small='--log-size=4m --ckpt-size=8m --runtime=300ms --interval=100ms'

# 3: no O_DIRECT here, which is an answer.
# shellcheck disable=SC2086 # words
ssd-workloads run --mix=1-1 --target=. $small >"$tmp/out" 2>"$tmp/err" || {
	grep -q 'O_DIRECT' "$tmp/err" && skip_all "$(cat "$tmp/err")"
}
is 'a folder: nothing is left' "$(ls -A)" ''

# shellcheck disable=SC2086 # words
run() { ssd-workloads run --target=. $small "$@"; }
# shellcheck disable=SC2086,SC2317 # words
on() { # TARGET OPTION...
	target=$1
	shift
	ssd-workloads run --mix=1-1 --target="$target" $small "$@"
}
valid() {
	check "$1: valid" xmllint --noout --schema "$schema" "$2"
	check_exit 0 "$1: lawful" memstor validate "$2"
}
value() { sed -n "s|.*<$2>\([^<]*\)</$2>.*|\1|p" "$1" | head -n 1; }
count() { grep -c "$2" "$1"; }

# --- every mix
for mix in 1-1 1-N M-N 1-0 M-0 0-1 0-N; do
	check_exit 0 "$mix" run --mix=$mix -f $mix.xml
	valid "$mix" $mix.xml
	is "$mix: its name" "$(value $mix.xml mix)" $mix
	streams=2
	case $mix in *0*) streams=1 ;; esac
	is "$mix: its streams" "$(count $mix.xml '<stream_result ')" $streams
	rm $mix.xml
done
is 'nothing is left' "$(ls -A)" ''
check_exit 0 'a mix of one'"'"'s own' run --mix=custom --log-depth=4 --log-bs=8k --ckpt-depth=2 --ckpt-bs=64k -f custom.xml
is 'has a name' "$(value custom.xml mix)" '4x8k-2x64k'
check_exit 0 'a mix that options make another' run --mix=1-1 --log-depth=64 --ckpt-depth=8 -f custom.xml
is 'is that one' "$(value custom.xml mix)" 'M-N'

# --- the text, and what is not text
check_exit 0 'text' run --mix=1-N
for words in '^1-N (CALC) on ' '^mix  *1 log  *[1-9]' '^mix  *1 checkpoint  *[1-9]' '^log  *response  *[1-9]' '^checkpoint  *service '; do
	check "text: $words" grep -q "$words" "$tmp/out"
done
check 'text: the disk and the pressure, or that they are not known' awk '/^disk, pressure / { on = NR } on && NR == on + 1 {
	good = $1 == "mix" && $2 == 1 && NF >= 11; for (i = 3; i <= NF; i++) good = good && $i ~ /^([0-9.]+|-|[num]?s)$/ }
	END { exit !good }' "$tmp/out"
check_exit 0 'not traced' run --mix=1-0 --trace=off
check 'what is not known is not named' grep -q '^stream  *mean of  *queue  device or below  not traced: --trace=off$' "$tmp/out"
check 'there are two parts' grep -Eq '^log  *parts  *[0-9.]+ [a-z]+  *[0-9.]+ [a-z]+$' "$tmp/out"
check_exit 0 'JSON alone on stdout' run --mix=1-1 --json
check 'is JSON' python3 -c 'import json, sys; json.load(open(sys.argv[1]))["ssdworkloads"]["report"]["result"]["repetition"][0]' "$tmp/out"
check_exit 0 'XML alone on stdout' run --mix=1-1 -f -
cp "$tmp/out" stdout.xml
valid 'stdout' stdout.xml

# --- threads, engines
check_exit 0 'threads of each stream' run --mix=1-N --engine=threads --workers=2 -f threads.xml
check 'threads of each stream: the text' grep -q ' by threads: pwritev2 log-threads:1 checkpoint-threads:8$' "$tmp/out"
is 'threads of each stream: the report' "$(value threads.xml features)" 'pwritev2 log-threads:1 checkpoint-threads:8'
check_exit 0 'threads of one stream' run --mix=0-1 --engine=threads --dry-run
check 'threads of one stream: no other' grep -qx 'engine: threads (pwritev2 checkpoint-threads:1)' "$tmp/out"
check_exit 0 'threads instead of io_uring' run --mix=M-N --engine=threads -f threads.xml
valid 'threads' threads.xml
is 'threads: they are said' "$(value threads.xml used)" threads
check_exit 0 'several workers' run --mix=M-N --workers=3 -f workers.xml --verify
valid 'workers' workers.xml
is 'workers: as many' "$(value workers.xml workers)" 3

# --- durability and commits
for durability in dsync fdatasync; do
	check_exit 0 "$durability" run --mix=1-1 --durability=$durability --verify -f durable.xml
	valid "$durability" durable.xml
	is "$durability: nothing is lost" "$(count durable.xml '<loss ')" 0
	is "$durability: all is known" "$(value durable.xml is_complete)" true
	check "$durability: commits" grep -q '<latency_histogram type="commit" class="log"' durable.xml
done
# sync WANTED NAME OPTION...: whether each checkpoint was made durable at its end; each pass of a worker but its first begins behind a sync.
sync_of() {
	wanted=$1 name=$2
	shift 2
	check_exit 0 "$name" run --ckpt-size=2m --verify -f sync.xml "$@"
	cp "$tmp/out" text
	valid "$name" sync.xml
	is "$name: $wanted" "$(value sync.xml checkpoint_sync)" "$wanted"
	passes=$(sed -n '/<stream_result stream="checkpoint">/,$p' sync.xml | sed -n 's|.*<passes>\(.*\)</passes>.*|\1|p')
	syncs=$(sed -n '/<pass_sync>/,/<\/pass_sync>/s|.*<count>\(.*\)</count>.*|\1|p' sync.xml)
	if [ "$wanted" = none ]; then
		is "$name: none" "$syncs" ''
	else
		check "$name: ${passes:-no} passes, ${syncs:-no} syncs" test $((${passes:-0} - ${syncs:-0})) -le 2
	fi
}
sync_of pass 'a checkpoint beside a durable log' --mix=1-N --durability=dsync
sync_of pass 'its durability alone' --mix=0-1 --ckpt-sync=pass
check 'the text has it' grep -q '^checkpoint  *sync  *[0-9]' text
sync_of pass 'by threads' --mix=1-N --durability=fdatasync --engine=threads --workers=2
sync_of none 'none beside a durable log' --mix=1-1 --durability=fdatasync --ckpt-sync=none
sync_of none 'none without' --mix=0-1
check_exit 0 'the plan says it' run --mix=1-1 --durability=dsync --dry-run
check 'of each checkpoint' grep -qx 'durability: dsync, and of each checkpoint at its end' "$tmp/out"
check_exit 0 'a group of commits' run --mix=1-0 --durability=dsync --group-commit=8 -f group.xml
valid 'a group of commits' group.xml
check 'eight a write' awk '/type="(response|commit)"/ { type = $0 ~ /commit/ } /<count>/ && /<count>/ { split($0, part, /[<>]/); n[type] = part[3] }
	/<\/latency_histogram>/ { } END { exit n[1] != 8 * n[0] }' <<END
$(sed -n '/<latency_histogram type="response"/,/<\/summary>/p; /<latency_histogram type="commit"/,/<\/summary>/p' group.xml)
END
check_exit 0 'an open loop' run --mix=1-1 --rate=500 -f rate.xml
valid 'an open loop' rate.xml
is 'an open loop: its rate' "$(value rate.xml rate_per_second)" 500
# The last of three writes is due at 1 s; the rest of the time is idle, and is time.
check_exit 0 'an open loop that is idle at its end' run --mix=1-0 --rate=2 --runtime=1400ms -f rate.xml
check 'is as long as it was to be' awk -v seconds="$(sed -n '/<repetition /,$p' rate.xml | sed -n 's|.*<seconds>\(.*\)</seconds>.*|\1|p' | head -n 1)" \
	'BEGIN { exit !(seconds >= 1.4) }'

# --- baselines
check_exit 0 'baselines' run --mix=1-N --baselines --runs=2 -f base.xml
check 'baselines: the text has them' grep -q '^log  *p99  *[0-9.]* ([0-9.]* to [0-9.]*)$' "$tmp/out"
check 'baselines: the text says what the streams cost each other in throughput' \
	grep -q '^checkpoint  *throughput  *[0-9.]* ([0-9.]* to [0-9.]*)$' "$tmp/out"
valid 'baselines' base.xml
check 'baselines: the time of the series goes on' sh -c 'sed -n "s|.*<time_s>\(.*\)</time_s>|\1|p" base.xml | sort -gc'
is 'baselines: each cell as often' "$(grep -o '<repetition index="[0-9]*" cell_id="[a-z-]*"' base.xml | sort | tr '\n' ' ')" \
	"$(for i in 0 1; do for cell in checkpoint-alone log-alone mix; do printf '<repetition index="%s" cell_id="%s" ' $i $cell; done; done)"
is 'baselines: two streams, four statistics of latency and one of throughput' "$(count base.xml '<interference ')" 10
check 'baselines: the ratio of throughput is of what the repetitions say' awk '/<repetition / { cell = $3 } /<stream_result / { stream = $2 }
	/<\/repetition>/ { cell = "" } cell && /<operations_per_second>/ { split($0, part, /[<>]/); sum[cell, stream] += part[3] }
	/stream="log" statistic="throughput"/ { on = 1 } on && /<value>/ { split($0, part, /[<>]/); value = part[3]; on = 0 }
	END { ratio = sum["cell_id=\"mix\">", "stream=\"log\">"] / sum["cell_id=\"log-alone\">", "stream=\"log\">"]
	exit !((value / ratio - 1) ^ 2 < 1e-12) }' base.xml
memstor compare --force --metric log:interference-throughput base.xml -- base.xml >"$tmp/compared" 2>&1
check 'baselines: memstor has the ratio of throughput' grep -q log:interference-throughput "$tmp/compared"
# --- the series: all writes, and no interval that is a remnant
check 'series: no interval is less than half of one' awk '/<series>/ { on = 1 } on && /<seconds>/ { split($0, part, /[<>]/)
	if (part[3] < 0.05) bad++; n++ } END { exit bad || n < 12 }' base.xml
check 'series: all writes are in it' awk '/<operations>/ { split($0, part, /[<>]/); sum[on + 0] += part[3] } /<series>/ { on = 1 }
	END { exit !(sum[0] && sum[0] == sum[1]) }' base.xml
check 'series: its time ends with the repetition' awk '/<repetition / { on = 1 } on && /<seconds>/ { split($0, part, /[<>]/)
	whole += part[3]; on = 0 } /<interval / { first = /stream="log"/ || /checkpoint-alone/; in_row = 1 }
	in_row && /<seconds>/ { split($0, part, /[<>]/); if (first) rows += part[3]; in_row = 0 }
	END { exit !((rows / whole - 1) ^ 2 < 1e-12) }' base.xml
check_exit 2 'more rows than there is room for' run --mix=1-1 --runtime=20m --interval=10ms
is 'more rows: one line' "$(cat "$tmp/err")" \
	'ssd-workloads: --interval: gives more than 100000 rows in this --runtime; take 12ms or more, or 0 for no series'
check_exit 0 'what a commit costs beside the checkpoint' run --mix=1-N --durability=fdatasync --baselines --runs=2 -f commit.xml
check 'commits: the text has them' grep -q '^log  *commit.p99  *[0-9.]* ([0-9.]* to [0-9.]*)$' "$tmp/out"
is 'commits: the table has the commits a second of the log alone' "$(awk '/ commits\/s / { for (i = 1; i <= NF; i++) if ($i == "commits/s") column = i }
	column && ($3 == "log" || $3 == "checkpoint") { print $3, $column ~ /^[0-9]+$/ }' "$tmp/out" | sort -u | tr '\n' ' ')" 'checkpoint 0 log 1 '
valid 'commits' commit.xml
is 'commits: each cell with a log has its commits a second' "$(count commit.xml '<commits_per_second>')" 4
is 'commits: of the log alone' "$(sed -n 's|.*<interference stream="\([a-z]*\)" statistic="commit\.\(.*\)">|\1 \2|p' commit.xml | tr '\n' ' ')" \
	'log mean log p50 log p99 log p99.9 '
# The median of two is their mean, to what a number in a report has.
check 'commits: the ratio is of what the repetitions say' awk '/<repetition / { cell = $3 } /<stream_result / { stream = $2 } /<commit>/ { in_commit = 1 }
	in_commit && /<mean_ns>/ { split($0, part, /[<>]/); sum[cell] += part[3]; in_commit = 0 }
	/statistic="commit.mean"/ { on = 1 } on && /<value>/ { split($0, part, /[<>]/); value = part[3]; on = 0 }
	END { ratio = sum["cell_id=\"mix\">"] / sum["cell_id=\"log-alone\">"]; exit !((value / ratio - 1) ^ 2 < 1e-12) }' commit.xml
for statistic in mean p50 p99 p99.9; do
	memstor compare --force --metric "log:interference-commit-$statistic" commit.xml -- commit.xml >"$tmp/compared" 2>&1
	check "commits: memstor has $statistic" grep -q "log:interference-commit-$statistic" "$tmp/compared"
done
check_exit 0 'baselines of one repetition' run --mix=1-N --baselines --runs=1 -f once.xml
check 'one repetition: the ratio has no interval' grep -q '^log  *p99  *[0-9.]*$' "$tmp/out"
check 'one repetition: the text says that there is no interval' grep -qx 'no interval: one repetition shows no spread; use --runs=5' \
	"$tmp/out"
is 'one repetition: the report has no interval' "$(count once.xml '<interference ') $(count once.xml '<low>\|<high>')" '10 0'
valid 'one repetition' once.xml
check_exit 2 'baselines of one stream' run --mix=1-0 --baselines --runs=2
is 'one line' "$(cat "$tmp/err")" 'ssd-workloads: --baselines: this mix has one stream; take one of two streams'

# --- files
rm -f ./*
check_exit 0 'a file that is made' on new
is 'is gone' "$(ls -A)" ''
check_exit 0 'dry-run' on new --dry-run
check 'dry-run: says what' test -s "$tmp/out"
is 'dry-run: makes nothing' "$(ls -A)" ''
check_exit 0 'a file that is kept' on kept --keep -f kept.xml
check 'was prepared' grep -q '<prepared>' kept.xml
check_exit 0 'is its own' on kept -f kept.xml
is 'and was not prepared again' "$(count kept.xml '<prepared>')" 0
check 'and is there' test -f kept
cp kept foreign && printf 'somebody else' | dd of=foreign conv=notrunc 2>/dev/null
before=$(cksum <foreign)
if on foreign --destroy-data=foreign --require=uring --iopoll --dry-run >"$tmp/out" 2>"$tmp/err"; then
	skip 'an engine that cannot be had' 'what is here can be polled'
else
	check_exit 3 'an engine that cannot be had' on foreign --destroy-data=foreign --require=uring --iopoll
	is 'is known before anything is lost' "$(cksum <foreign)" "$before"
	check_exit 3 'of a file that is made' on new --keep --require=uring --iopoll
	is 'nothing is left' "$(ls new 2>/dev/null)" ''
fi
rm foreign
check_exit 4 'without preparing' run --mix=1-1 --no-prepare -f raw.xml
check 'the verdict says so' grep -q '<reason code="unprepared">--no-prepare: ' raw.xml
check_exit 0 'of what is its own and prepared' on kept --no-prepare --interval=0 -f raw.xml
is 'the verdict does not' "$(count raw.xml '<reason code="unprepared">')" 0
check_exit 0 'nor a dry run' on kept --no-prepare --dry-run
check 'it is prepared already' grep -qx 'prepared: already' "$tmp/out"
is 'no durability, no commits' "$(count raw.xml '<commit>\|type="commit"')" 0
is 'the program is named first' "$(value raw.xml argument)" ssd-workloads
echo precious >mine
check_exit 2 "somebody's file" on mine
is 'one line' "$(wc -l <"$tmp/err")" 1
check_exit 2 'other words' on mine --destroy-data=./mine
is 'is as it was' "$(cat mine)" precious
: >mine
check_exit 2 'also an empty one' on mine
is 'one line' "$(cat "$tmp/err")" 'ssd-workloads: mine: exists already and is empty; name a new file, or confirm with --destroy-data=mine'
check 'is there still' test -f mine
check_exit 0 'named a second time' on mine --destroy-data=mine
check 'is there still' test -f mine
if command -v mkswap >/dev/null; then
	rm mine
	truncate -s 16m mine
	mkswap -L precious mine >/dev/null 2>&1
	printf '\370' | dd of=mine bs=1 seek=5000 conv=notrunc 2>/dev/null
	check_exit 2 'a file with a signature' on mine
	is 'one line' "$(cat "$tmp/err")" "ssd-workloads: mine: holds data of another program (swap labelled precious); name a new file, or confirm with --destroy-data=mine"
	printf '\0\0\0\0\203\0\0\0\0\010\0\0\0\100\0\0' | dd of=mine bs=1 seek=446 conv=notrunc 2>/dev/null
	printf '\125\252' | dd of=mine bs=1 seek=510 conv=notrunc 2>/dev/null
	check_exit 2 'a file with two' on mine
	check 'both are named' grep -q "holds data of another program (swap labelled precious, dos); " "$tmp/err"
	check_exit 0 'named a second time' on mine --destroy-data=mine
	is 'nothing of it is left before the areas' "$(head -c 1048576 mine | tail -c +4097 | tr -d '\000' | wc -c)" 0
else
	skip 'a file with a signature' 'needs mkswap'
fi

# --- a kept target in other blocks
rm -f ./*
check_exit 0 'in blocks of 4 KiB' on kept --keep --log-bs=4k --ckpt-bs=8k
check_exit 0 'in other whole pages' on kept --log-bs=16k --ckpt-bs=4k --dry-run
check 'it is prepared' grep -qx 'prepared: already' "$tmp/out"
if on kept --log-bs=6k --dry-run >"$tmp/out" 2>"$tmp/err"; then
	is 'in halves of them it is not' "$(grep -cx 'prepared: already' "$tmp/out")" 0
	check_exit 0 'it is prepared again' on kept --log-bs=6k --ckpt-bs=8k --verify -f kept.xml
	check 'as the report says' grep -q '<prepared>' kept.xml
	check_exit 0 'in the same halves' on kept --log-bs=6k --ckpt-bs=8k --dry-run
	check 'it is prepared' grep -qx 'prepared: already' "$tmp/out"
else
	skip 'in halves of them' "$(cat "$tmp/err")"
fi
rm -f ./*

# --- records
check_exit 0 'a freeze' run --mix=M-N '--freeze-if=log.own>=2' --post=5 --dump=records -f freeze.xml
valid 'a freeze' freeze.xml
check 'a freeze: it fired' grep -q '<fired_stream>log</fired_stream>' freeze.xml
check 'a freeze: nothing after it is kept' awk -v dropped="$(value freeze.xml dropped)" 'BEGIN { exit !(dropped > 0) }'
check 'a dump of 64 bytes each' awk -v size="$(wc -c <records)" -v kept="$(value freeze.xml kept)" \
	'BEGIN { exit !(kept > 0 && size >= 64 * kept) }'
check_exit 0 'no records' run --mix=M-N --records=0 -f none.xml
valid 'no records' none.xml
rm -f ./*

# --- what cannot be written
check_exit 3 'a report that has no place' run --mix=1-1 -f /nowhere/x
is 'one line' "$(cat "$tmp/err")" "ssd-workloads: -f /nowhere/x: cannot be written: No such file or directory"
is 'nothing is left of it' "$(ls -A)" ''

# until_threads PID TEST NUMBER: so many threads it has, or it has ended.
until_threads() {
	for _ in $(seq 600); do
		threads=$(find "/proc/$1/task" -maxdepth 1 -mindepth 1 2>/dev/null | wc -l)
		if [ "$threads" -eq 0 ] || test "$threads" "$2" "$3"; then
			return
		fi
		sleep 0.05
	done
}
# What fails beside the measurement takes nothing from it.
mkdir gone
# shellcheck disable=SC2086 # words
ssd-workloads run --mix=1-1 --target=. $small --runtime=2s --dump=gone/records -f dumped.xml >"$tmp/out" 2>"$tmp/err" &
pid=$!
until_threads $pid -ge 3
rmdir gone
status=0
wait $pid || status=$?
is 'a dump that has no place any more: status' $status 3
is 'one line' "$(cat "$tmp/err")" \
	'ssd-workloads: --dump gone/records: the records could not be written: No such file or directory'
check 'the text is there' grep -q '^mix  *1 log  *[1-9]' "$tmp/out"
valid 'and the report' dumped.xml
rm -f ./*

# A write that fails, at the last of 20 blocks: a limit of file sizes that comes in the midst of it needs no broken device.
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
	check_exit 0 'a target' ssd-workloads run --target=log --mix=1-0 --log-depth=8 --log-bs=4k --log-size=80k --runtime=100ms --keep
	limited --records=0
	is 'a write that fails: status' $status 4
	valid 'a write that fails' limited.xml
	check 'the run ended there' grep -q '<reason code="io-error">mix: the run ended early: File too large<' limited.xml
	# The others in flight are acknowledged, and held against what is there.
	is 'what was acknowledged behind it is known' "$(value limited.xml later) $(count limited.xml '<loss ')" '0 0'
	limited
	is 'a write that fails early: status' $status 4
	valid 'a write that fails early' limited.xml
	if grep -q '<repetition ' limited.xml; then
		skip 'a write of the trial that fails' 'it was over before the limit came'
	else
		check 'nothing goes on behind it' grep -q '<reason code="io-error">the trial before the run ended early: File too large<' \
			limited.xml
		is 'what it wrote is held against what is there' "$(value limited.xml later) $(count limited.xml '<loss ')" '0 0'
	fi
	check_exit 0 'and afterwards' ssd-workloads verify log
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
		is 'a repetition that cannot begin: status' $status 3
		is 'one line' "$(wc -l <"$tmp/err")" 1
		valid 'those before it are told' some.xml
		is 'all of them' "$(count some.xml '<repetition ')" 2
		check 'and that there are no more' grep -q '<reason code="incomplete">only 2 of 6 repetitions could be made<' some.xml
	else
		skip 'a repetition that cannot begin' 'no io_uring here, or it was over too soon'
	fi
else
	skip 'a write that fails' 'needs prlimit (util-linux)'
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
	is 'interrupted: status' $status 4
	check 'interrupted: the text says so, and how far it came' grep -Eqx \
		'Note: User interruption ended the run earlier than scheduled: [0-9.]+ [num]?s of 1 min measured\.' "$tmp/out"
	valid 'interrupted' cut.xml
	check 'interrupted: marked' grep -q '<verdict status="interrupted"' cut.xml
	check 'interrupted: nothing was verified' grep -q '<reason code="not-verified">not verified: interrupted<' cut.xml
	is 'interrupted: nor said to be' "$(count cut.xml '<verification>')" 0
	rm -f cut.xml
	cut_short 1 --runtime=20s --baselines
	is 'interrupted among repetitions: status' $status 4
	check 'interrupted among repetitions: of how many' grep -Eqx \
		'Note: .* scheduled: [0-9.]+ [num]?s of 5 min measured, in [01] of 15 repetitions\.' "$tmp/out"
	# It comes while all is read back: the measurement is whole, and told.
	env --default-signal=INT ssd-workloads run --mix=0-N --target=. --ckpt-size=512m --runtime=300ms --verify --no-prepare --trace=off \
		-f cut.xml >"$tmp/out" 2>"$tmp/err" &
	pid=$!
	until_threads $pid -ge 2
	until_threads $pid -le 1
	kill -INT $pid 2>/dev/null
	status=0
	wait $pid || status=$?
	if grep -q '<verification>' cut.xml; then
		skip 'interrupted while it reads back' 'it was faster than the signal'
	else
		is 'interrupted while it reads back: status' $status 4
		valid 'interrupted while it reads back' cut.xml
		check 'it says so' grep -q '<reason code="not-verified">not verified: interrupted<' cut.xml
		is 'what was measured is there' "$(count cut.xml '<stream_result ')" 1
		is 'nothing else is said' "$(cat "$tmp/err")" ''
	fi
	rm -f cut.xml
else
	skip 'interrupted' 'needs env --default-signal (coreutils 8.31)'
fi
# --- a reader that leaves does not leave the target behind, nor does an engine that cannot be had
{ ssd-workloads run --mix=1-1 --target=new --log-size=4m --ckpt-size=8m --runtime=200ms -f - 2>"$tmp/err"; echo $? >"$tmp/status"; } | :
is 'a reader that leaves' "$(cat "$tmp/status" "$tmp/err")" \
	"3
ssd-workloads: -f (standard output): the report could not be written: Broken pipe"
is 'nothing is left' "$(ls -A)" ''
status=0
ssd-workloads run --mix=1-1 --target=new --keep --log-size=4m --ckpt-size=8m --runtime=1ms --require=uring --iopoll \
	>/dev/null 2>"$tmp/err" || status=$?
if [ $status -eq 3 ]; then
	is 'an engine that cannot be had: nothing is left' "$(ls -A)" ''
else
	skip 'an engine that cannot be had' 'the device can be polled'
fi
rm -f new
# What is acknowledged is kept in memory, here of a file that nobody can ask about any more.
ssd-workloads run --mix=1-1 --target=. --durability=dsync --log-size=4m --ckpt-size=8m --runtime=60s -f killed.xml >/dev/null 2>&1 &
pid=$!
sleep 1
grep '/dev/shm/ssd-workloads' /proc/$pid/maps >"$tmp/maps"
kill -9 $pid
wait $pid 2>/dev/null
is 'killed: nothing is left' "$(ls -A)" ''
check 'killed: nor in memory' sh -c 'test -s "$0" && ! grep -v deleted "$0"' "$tmp/maps"
tap_done
