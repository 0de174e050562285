#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# iowrite-bench run: reports are valid, their sums agree with the run, and no file is left behind.
. "$top_srcdir/tests/lib/tap.sh"
work=$tmp/work
mkdir "$work" "$tmp/target"
cd "$work" || exit 1
run() { iowrite-bench run --directory="$tmp/target" "$@"; }
values() { sed -n "s|^ *<$2\( [^>]*\)*>\([^<]*\)</$2>\$|\2|p" "$1"; }
valid() {
	if command -v xmllint >/dev/null; then
		check "$1: the report is valid" xmllint --noout --schema "$top_srcdir/docs/memstor-report.xsd" "$2"
	else
		skip "$1: the report is valid" 'needs xmllint (libxml2-utils)'
	fi
	check "$1: memstor validate accepts the report" memstor validate "$2"
}

# Buckets of each class and type make the operations of the cell; bytes are operations by size.
cat >"$tmp/laws.awk" <<'LAWS'
function attribute(name) { return match($0, " " name "=\"[^\"]*\"") ? substr($0, RSTART + length(name) + 3, RLENGTH - length(name) - 4) : "" }
function text() { return match($0, />[^<]*</) ? substr($0, RSTART + 1, RLENGTH - 2) : "" }
/<cell / { id = attribute("id"); cells++ }
/<size_bytes>/ { size[id] = text() }
/<operations>/ && id { operations[id] = text(); id_done = id }
/<bytes>/ && id { bytes[id] = text() }
/<\/cell>/ { id = "" }
/<latency_histogram / { class = attribute("class"); type = attribute("type"); sum = 0; histograms++ }
/<bucket / { sum += attribute("count") }
/<\/latency_histogram>/ { if (sum != operations[class]) { print class, type, sum, "of", operations[class]; bad = 1 } }
/<interval / { cell = attribute("cell_id") }
/<operations>/ && cell { series[cell] += text() }
/<\/interval>/ { cell = "" }
END {
	for (id in size) if (bytes[id] - operations[id] * size[id]) { print id, bytes[id], "bytes"; bad = 1 }
	for (id in series) if (series[id] != operations[id]) { print id, series[id], "in the series, of", operations[id]; bad = 1 }
	if (!cells || !histograms) { print "nothing there"; bad = 1 }
	exit bad
}
LAWS
lawful() {
	valid "$1" "$2"
	check "$1: counts, sums and histograms of the report agree" awk -f "$tmp/laws.awk" "$2"
}

# --- every method
check_exit 0 'run: every method writes with every buffer and size' \
	run --method=write,pwrite,writev,pwritev2,fwrite,mmap --stdio-buffer=glibc,64k,unbuffered --bs=1000,64k \
	--size=1m --rounds=2 --interval=10ms -f all.xml --json=all.json --label=a=b
lawful 'run: every method' all.xml
is 'run: each method, buffer and size has its own cell' "$(grep -c '<cell ' all.xml)" 16
is 'run: each method writes the whole size' "$(values all.xml bytes | sort -u | tr '\n' ' ')" \
	"$((1048576 / 1000 * 1000 * 2)) $((1048576 * 2)) "
is 'run: cells of fwrite are named by their buffers' "$(values all.xml method | sort -u | grep fwrite | tr '\n' ' ')" \
	'fwrite fwrite-64k fwrite-unbuffered '
is 'run: the text has a row for each cell' \
	"$(grep -c -E '^(write|pwrite|writev|pwritev2|fwrite|fwrite-64k|fwrite-unbuffered|mmap)\.[0-9k]+ ' "$tmp/out")" 16
check 'run: --label is in the report' grep -q '<label name="a">b</label>' all.xml
check 'run: options are in the report' grep -q '<option name="bs">1000,64k</option>' all.xml
check 'run: --json writes a JSON report with every cell' \
	python3 -c 'import json, sys; d = json.load(open("all.json")); sys.exit(len(d["iowritebench"]["report"]["result"]["cells"]["cell"]) != 16)'
is 'run: files of the run are removed' "$(ls -A "$tmp/target")" ''
if [ -n "${sanitizer:-}" ]; then
	skip 'run: a measured window has no page fault' "$sanitizer has its own"
else
	# The kernel may reclaim a page of code meanwhile, but not three times in a row.
	for _ in 1 2 3; do
		run --method=write,pwrite,writev,pwritev2 --regime=append,overwrite --sync-each=none,fsync --size=256k --rounds=1 \
			-f faults.xml >"$tmp/out"
		faults=$(values faults.xml page_faults | sort -u | tr '\n' ' ')
		[ "$faults" != '0 ' ] || break
	done
	is 'run: a measured window has no page fault' "$faults" '0 '
fi

# --- syncs have histograms of their own; impossible combinations are listed
check_exit 0 'run: every kind of sync is measured' \
	run --method=pwrite,pwritev2 --sync-each=fsync,fdatasync,rwf-dsync --size=64k --rounds=1 -f sync.xml
lawful 'run: every sync' sync.xml
is 'run: the report names the sync that pwrite cannot have' \
	"$(sed -n 's/.*<skipped name="\([^"]*\)".*/\1/p' sync.xml)" 'pwrite.buffered.rwf-dsync.append.write.4k'
is 'run: the text names the sync that pwrite cannot have' \
	"$(sed -n 's/^not measured: \([^:]*\):.*/\1/p' "$tmp/out")" 'pwrite.buffered.rwf-dsync.append.write.4k'
is 'run: each synced cell has a histogram of its syncs' "$(grep -c 'latency_histogram type="sync"' sync.xml)" 4
is 'run: each synced cell has a mean of its syncs' "$(grep -c '<sync_mean_ns>' sync.xml)" 4

# --- a mapping: msync and fsync are different syncs
check_exit 0 'run: --method=mmap is synced by msync and by fsync' \
	run --method=mmap --sync-each=msync,fsync --size=64k --rounds=1 -f map.xml
lawful 'run: mmap with syncs' map.xml
if command -v strace >/dev/null && strace -o "$tmp/trace" true 2>/dev/null; then
	calls() { strace -f -qq -e trace=msync -o "$tmp/trace" iowrite-bench run --directory="$tmp/target" --method=mmap --size=64k --rounds=1 "$@" >"$tmp/out" 2>&1; grep -c 'msync(' "$tmp/trace"; }
	is 'run: fsync of a mapping makes no msync' "$(calls --sync-each=fsync)" 0
	is 'run: msync is called once per write' "$(calls --sync-each=msync)" 16
	is 'run: msync covers the range written' "$(grep -c 'msync(0x[0-9a-f]*, 4096, MS_SYNC' "$tmp/trace")" 16
else
	skip 'run: fsync of a mapping makes no msync' 'needs strace'
fi
check_exit 2 'run: msync is refused without a mapping' run --sync-each=msync --size=64k
check 'run: the refusal of msync names mmap' grep -q 'use --method=mmap, or fsync$' "$tmp/err"

# --- orders, regimes, ranges
check_exit 0 'run: each order is measured in each regime' \
	run --rw=write,randwrite,backwrite --regime=append,prealloc,overwrite --back=0.25 --size=256k --rounds=1 -f order.xml
lawful 'run: every order' order.xml
is 'run: randwrite with append is left out' "$(grep -c '<cell ' order.xml)" 8
check_exit 0 'run: --bsrange is measured in both orders' \
	run --bsrange=512-8k --regime=overwrite --rw=write,randwrite --size=256k --rounds=3 -f range.xml
lawful 'run: --bsrange' range.xml
is 'run: a cell of --bsrange has no single size' "$(sed -n '/<cell /,/<\/cell>/p' range.xml | grep -c '<size_bytes>')" 0
check 'run: --bsrange has the same writes in each round' awk '{ n++; sum += $1; if ($1 % 3) exit 1 } END { exit n != 2 }' <<END
$(values range.xml operations | head -n 2)
END

# --- more writes than the buffer of records has at a time
check_exit 0 'run: 200000 writes of one byte are measured' run --bs=1 --size=200000 --rounds=1 -f long.xml
lawful 'run: 200000 writes' long.xml
is 'run: no record of 200000 writes is lost' "$(values long.xml operations | head -n 1)" 200000

# --- threads, and time
check_exit 0 'run: --numjobs=3 with a series is measured' run --numjobs=3 --size=256k --rounds=2 --interval=10ms -f threads.xml
lawful 'run: --numjobs=3' threads.xml
is 'run: the bytes of every thread are counted' "$(values threads.xml bytes | head -n 1)" $((3 * 2 * 256 * 1024))
check_exit 0 'run: three threads write files of one directory' \
	run --numjobs=3 --size=256k --rounds=1 --regime=prealloc,overwrite -f shared.xml --directory="$tmp/target"
check_exit 0 'run: two threads write the file of --filename' \
	iowrite-bench run --filename=shared --numjobs=2 --size=256k --rounds=1 --regime=prealloc,overwrite -f shared.xml
lawful 'run: the file of --filename' shared.xml
check 'run: the file of --filename is removed' test ! -e shared
check_exit 0 'run: --runtime with --dry-run is accepted' \
	run --runtime=200ms --rounds=1 --regime=append,prealloc,overwrite --thinktime=100us --size=1g --dry-run
check 'run: --dry-run prints threads, size and time of a round' \
	grep -q '^each round  1 thread, up to 1 GiB each for up to 200 ms$' "$tmp/out"
is 'run: --dry-run measures nothing' "$(grep -c writes/s "$tmp/out")" 0
check_exit 0 'run: --runtime without --size is measured in each regime' \
	run --runtime=100ms --rounds=1 --regime=append,prealloc,overwrite --bs=1m -f time.xml
lawful 'run: --runtime' time.xml

# --- every write as a line
check_exit 0 'run: --ops-csv with backward writes is accepted' \
	run --bs=64k --size=1m --rw=backwrite --back=0.5 --thinktime=1ms --ops-csv=ops.csv -f ops.xml
is 'run: --ops-csv has a column for each property of a write' \
	"$(head -n 1 ops.csv)" 'offset,size,delay_ns,start_ns,write_ns,sync_ns,dirty_bytes,writeback_bytes,mode,regime,sync'
is 'run: --ops-csv has one line per write' "$(sed 1d ops.csv | wc -l)" "$(values ops.xml operations | head -n 1)"
check 'run: --back=0.5 begins each write in the middle of the last' \
	awk -F, 'NR > 2 && $1 != last + 32768 { exit 1 } { last = $1 }' ops.csv
check 'run: --thinktime is in the delays of --ops-csv, and times rise' \
	awk -F, 'NR > 1 { if ($3 < 1000000 || $4 < end) exit 1; end = $4 + $5 + $6 }' ops.csv

check_exit 0 'run: --look=0 with --ops-csv is accepted' run --bs=4k --size=1m --rounds=1 --look=0 --ops-csv=ops.csv
is 'run: --look=0 samples dirty bytes before each write' "$(awk -F, 'NR > 1 && $7 != "" && $8 != ""' ops.csv | wc -l)" 256
check_exit 0 'run: --look=1h with --ops-csv is accepted' run --bs=4k --size=4m --rounds=1 --look=1h --ops-csv=ops.csv
is 'run: --look=1h records exactly one sample, before the first write' \
	"$(awk -F, 'NR > 1 && $7 != "" { print NR }' ops.csv)" 2

# --- several files
check_exit 0 'run: --files=3 with a size that does not divide is accepted' \
	run --bs=4k --files=3 --size=30k --rounds=1 --rw=write --ops-csv=files.csv -f files.xml
check 'run: memstor validate accepts the report of --files' memstor validate files.xml
check 'run: the report has --files' grep -q '<option name="files">3</option>' files.xml
check 'run: the text has --files' grep -q ', 1 round, 1 thread, 3 files$' "$tmp/out"
is 'run: --files=3 writes three files in turn, each from its beginning' \
	"$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "file") at = i } NR > 1 { printf "%s:%s ", $at, $1 }' files.csv)" \
	'0:0 1:0 2:0 0:4096 1:4096 2:4096 0:8192 '
check_exit 0 'run: predict accepts the table of three files' \
	iowrite-bench predict --system "$top_srcdir/tests/fixtures/iowrite/system.xml" --trace files.csv
check 'run: predict takes the table as one of three files' \
	grep -qx '7 writes of 4 KiB, 28 KiB in all; buffered, append, warm memory, 3 files in turn' "$tmp/out"
if command -v strace >/dev/null && strace -o "$tmp/trace" true 2>/dev/null; then
	strace -f -qq -e trace=pwrite64,fsync -o "$tmp/trace" iowrite-bench run --directory="$tmp/target" --bs=4k --files=3 --size=28k --rounds=1 \
		--sync-each=fsync >"$tmp/out" 2>&1
	# The descriptors of the writes, each followed by the sync of the same, by the order in which they come first.
	is 'run: each write, and its sync, is of the next of three files' "$(sed -n 's/.* pwrite64(\([0-9]*\),.*, \([0-9]*\)) *= .*/w\1 \2/p; s/.* fsync(\([0-9]*\)).*/s\1/p' "$tmp/trace" | awk '
		/^w/ { fd = substr($1, 2); if (!(fd in name)) name[fd] = n++; line = name[fd] ":" $2; writing = fd }
		/^s/ { if (writing != "") printf "%s%s ", line, substr($1, 2) == writing ? "" : "?"; writing = "" }')" \
		'0:0 1:0 2:0 0:4096 1:4096 2:4096 0:8192 '
else
	skip 'run: each write, and its sync, is of the next of three files' 'needs strace'
fi
check_exit 0 'run: --files=3 works with every method, order and sync' \
	run --bs=16k --files=3 --size=112k --rounds=2 --numjobs=2 --method=write,pwrite,fwrite,mmap,io_uring \
	--regime=append,prealloc,overwrite --rw=write,randwrite,backwrite --sync-each=none,fsync --mem=warm -f ways.xml \
	--system="$top_srcdir/tests/fixtures/iowrite/system.xml"
lawful 'run: --files=3' ways.xml
check 'run: no cell of --files=3 fails' sh -c '! grep -q "<failure>" ways.xml'
check_exit 0 'run: --files=3 with --runtime and --warmup is accepted' \
	run --bs=16k --files=3 --size=256k --runtime=100ms --warmup=20ms --rounds=1 --regime=append,prealloc
is 'run: every file of --files is removed' "$(ls -A "$tmp/target")" ''

# --- where the time went
check_exit 0 'run: --system with warm memory is accepted' \
	run --bs=64k --size=1m --regime=append,overwrite --mem=warm --system="$top_srcdir/tests/fixtures/iowrite/system.xml"
is 'run: each cell with warm memory has a cost split' "$(grep -c ': by the model kernel the call is ' "$tmp/out")" 2
check_exit 0 'run: --system with memory as it is is accepted' run --bs=64k --size=1m --regime=append,overwrite \
	--system="$top_srcdir/tests/fixtures/iowrite/system.xml" -f split.xml
is 'run: only the overwrite has a cost split when memory may be cold' "$(grep -c ': by the model kernel the call is ' "$tmp/out")" 1
check 'run: the text says why a cell has no cost split' \
	grep -q '^pwrite.buffered.none.append.write.64k: no cost split: .* --mem=warm ' "$tmp/out"
is 'run: the report has no cost split for that cell either' "$(grep -c '<cost_split>' split.xml)" 1

# --- content: neither compressible nor repeated, unless options ask for it
content() { iowrite-bench run --filename="$tmp/content" --destroy-data="$tmp/content" --rounds=1 "$@" >"$tmp/out" 2>"$tmp/err"; }
# blocks BYTES: the number of different blocks
blocks() { od -An -v -tx8 -w"$1" "$tmp/content" | sort -u | wc -l; }
if command -v zstd >/dev/null; then
	packed() { zstd -q -c "$tmp/content" | wc -c; }
else
	packed() { gzip -c "$tmp/content" | wc -c; }
fi
for bs in 4k 1000 64k; do
	: >"$tmp/content"
	content --bs=$bs --size=1m
	written=$(wc -c <"$tmp/content")
	check "run: writes of $bs cannot be compressed" test "$(packed)" -gt $((written * 99 / 100))
	is "run: no two blocks of writes of $bs are the same" "$(blocks 4096)" $(((written + 4095) / 4096))
done
: >"$tmp/content"
content --bs=4k --size=1m --buffer-compress-percentage=50
check 'run: --buffer-compress-percentage=50 leaves half after compression' sh -c \
	'test "$1" -gt 524288 && test "$1" -lt 640000' sh "$(packed)"
: >"$tmp/content"
content --bs=4k --size=1m --dedupe-percentage=100
is 'run: --dedupe-percentage=100 writes the same block each time' "$(blocks 4096)" 1
: >"$tmp/content"
content --bs=4k --size=4m --dedupe-percentage=50
check 'run: --dedupe-percentage=50 writes half of the blocks twice' sh -c 'test "$1" -gt 400 && test "$1" -lt 620' sh "$(blocks 4096)"
rm -f "$tmp/content"

# --- a sync after every N writes
check_exit 0 'run: --sync-every=1,8 is accepted' \
	run --bs=4k --size=402k --sync-each=fdatasync --sync-every=1,8 --rounds=1 -f every.xml
check 'run: memstor validate accepts the report of --sync-every' memstor validate every.xml
is 'run: each value of --sync-every has its own cell' "$(sed -n 's/.*<cell id="\([^"]*\)".*/\1/p' every.xml | tr '\n' ' ')" \
	'pwrite.buffered.fdatasync.append.write.4k pwrite.buffered.fdatasync-every-8.append.write.4k '
is 'run: --sync-every=8 makes 12 syncs for 100 writes' "$(values every.xml syncs)" 12
if command -v strace >/dev/null && strace -o "$tmp/trace" true 2>/dev/null; then
	strace -f -qq -e trace=sync_file_range -o "$tmp/trace" iowrite-bench run --directory="$tmp/target" --bs=4k --size=64k --rounds=1 \
		--sync-each=sync_file_range --sync-every=4 >"$tmp/out" 2>&1
	is 'run: sync_file_range covers all writes since the last sync' \
		"$(sed -n 's/.*sync_file_range([0-9]*, \([0-9]*, [0-9]*\),.*/\1/p' "$tmp/trace" | tr '\n' ';')" \
		'0, 16384;16384, 16384;32768, 16384;49152, 16384;'
else
	skip 'run: sync_file_range covers all writes since the last sync' 'needs strace'
fi
check_exit 2 'run: --sync-every without a sync is refused' run --sync-every=8 --size=64k
check 'run: the refusal of --sync-every names --sync-each' grep -q 'use --sync-each=fsync' "$tmp/err"

# --- writes that are not counted, before those that are
check_exit 0 'run: --warmup before rounds of a size is accepted' \
	run --bs=4k --size=256k --warmup=50ms --rounds=2 --interval=10ms -f warmup.xml
lawful 'run: --warmup before a size' warmup.xml
is 'run: the whole size is counted after a warm-up' "$(values warmup.xml bytes | head -n 1)" 524288
check_exit 0 'run: --warmup before rounds of a time is accepted' \
	run --bs=64k --runtime=50ms --warmup=50ms --rounds=1 --regime=append,overwrite --numjobs=2 -f warmup.xml
lawful 'run: --warmup before a time' warmup.xml
check_exit 0 'run: --warmup with --dry-run is accepted' run --warmup=2s --dry-run
check 'run: --dry-run says how long the warm-up is' grep -q '^warm-up     2 s before each round$' "$tmp/out"

# --- objectives and presets
check_exit 0 'run: an objective that is met ends with 0' \
	run --size=64k --rounds=1 --sync-each=none,fsync '--slo=write:p50<1h' '--slo=sync:p99<1h' -f slo.xml
valid 'run: an objective that is met' slo.xml
is 'run: an objective on writes and syncs applies to each histogram that it names' "$(grep -c '<objective ' slo.xml)" 3
check_exit 1 'run: an objective that is missed ends with 1' run --size=64k --rounds=1 '--slo=max<=1ns' -f slo.xml
check 'run: the report says that an objective is missed' grep -q '<is_met>false</is_met>' slo.xml
check 'run: the text says that an objective is missed' \
	grep -q '^pwrite.buffered.none.append.write.4k: max<=1ns is MISSED: ' "$tmp/out"
for preset in etcd-wal pg-wal pg_test_fsync sqlite kafka; do
	check_exit 0 "run: --preset=$preset is measured" run --preset=$preset --size=256k --rounds=1 '--slo=p99<1h' -f preset.xml
	valid "run: --preset=$preset" preset.xml
done
check_exit 0 'run: a preset with --size and --runtime is accepted' run --preset=etcd-wal --size=46000 --runtime=1h --dry-run
check 'run: --size given with a preset bounds the round' grep -q '^each round  1 thread, up to 44.9 KiB each for up to ' "$tmp/out"
check_exit 0 'run: a preset with --runtime alone is accepted' run --preset=etcd-wal --runtime=1h --dry-run
check 'run: the size of a preset is written again until --runtime is over' \
	grep -q '^each round  1 thread, up to 22 MiB each repeatedly for up to ' "$tmp/out"
check_exit 0 'run: --preset=pg_test_fsync is measured' run --preset=pg_test_fsync --size=256k --rounds=2
is 'run: the text of pg_test_fsync ends with a ranking for one and two writes' \
	"$(grep -c '^wal_sync_method by median commits/s, [12] writes* of 8 KiB a commit, 2 rounds$' "$tmp/out")" 2
is 'run: the text of pg_test_fsync names the rate of writes and that of commits' \
	"$(grep -cE '^ +of +writes/s +MB/s ' "$tmp/out") $(grep -cE '^ +commits/s +lowest +highest *$' "$tmp/out")" '1 2'
for method in open_datasync fdatasync fsync open_sync; do
	is "run: $method has a line in each ranking" "$(grep -c "^ *[-1-4]  $method  " "$tmp/out")" 2
done
is 'run: fsync_writethrough is listed as not available' \
	"$(grep -c '^  -  fsync_writethrough .* not available on Linux$' "$tmp/out")" 2
check_exit 2 'run: --mode with a preset that compares modes is refused' run --preset=pg_test_fsync --mode=direct
check_exit 0 'run: an option with a preset is accepted' run --preset=etcd-wal --bs=1k --dry-run
is 'run: an option given with a preset overrides it' "$(sed -n '$p' "$tmp/out")" '  write.buffered.fdatasync.prealloc.write.1k'

# --- reports on stdout
check_exit 0 'run: --json prints the report to stdout' run --size=64k --rounds=1 --json
check 'run: --json prints nothing but JSON' python3 -c 'import json, sys; json.load(open(sys.argv[1]))' "$tmp/out"
if [ -w /dev/full ]; then
	check_exit 3 'run: a report to a full device ends with 3' \
		sh -c 'iowrite-bench run --directory="$0" --size=64k --rounds=1 -f /dev/full' "$tmp/target"
	is 'run: a report to a full device is reported in one line' \
		"$(cat "$tmp/err")" 'iowrite-bench: -f /dev/full: the report could not be written: No space left on device'
fi

# --- a signal: what was measured so far, marked
if env --default-signal=INT true 2>/dev/null; then
	env --default-signal=INT iowrite-bench run --directory="$tmp/target" --runtime=60s --thinktime=1ms --bs=1k,4k --interval=10ms \
		--ops-csv=cut.csv --bs=4k -f cut.xml >"$tmp/out" 2>"$tmp/err" &
	pid=$!
	sleep 1
	kill -INT $pid
	status=0
	wait $pid || status=$?
	is 'run: SIGINT ends a run with 4' $status 4
	is 'run: SIGINT prints nothing on stderr' "$(cat "$tmp/err")" ''
	lawful 'run: a run that SIGINT ended' cut.xml
	is 'run: SIGINT marks cell and verdict as interrupted' \
		"$(values cut.xml interrupted) $(sed -n 's/.*<verdict status="\([a-z]*\)".*/\1/p' cut.xml)" '1 interrupted'
	is 'run: --ops-csv has the writes until SIGINT' "$(sed 1d cut.csv | wc -l)" "$(values cut.xml operations | head -n 1)"
else
	skip 'run: SIGINT ends a run with 4' 'needs env --default-signal (coreutils 8.31)'
fi
iowrite-bench run --directory="$tmp/target" --runtime=60s --ops-csv=killed.csv -f killed.xml >/dev/null 2>&1 &
pid=$!
sleep 0.5
kill -9 $pid
wait $pid 2>/dev/null
is 'run: kill -9 leaves no file behind' "$(ls -A "$tmp/target")$(find . -name '*killed*')" ''
tap_done
