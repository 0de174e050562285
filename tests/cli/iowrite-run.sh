#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# iowrite-bench run: what it says is what it did; reports are valid, their sums agree; nothing is left behind.
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
	check "$1: and keeps its laws" memstor validate "$2"
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
	check "$1: sums agree" awk -f "$tmp/laws.awk" "$2"
}

# --- every method
check_exit 0 'all methods' run --method=write,pwrite,writev,pwritev2,fwrite,mmap --stdio-buffer=glibc,64k,unbuffered --bs=1000,64k \
	--size=1m --rounds=2 --interval=10ms -f all.xml --json=all.json --label=a=b
lawful 'all methods' all.xml
is 'all methods: cells' "$(grep -c '<cell ' all.xml)" 16
is 'all methods: each writes all of it' "$(values all.xml bytes | sort -u | tr '\n' ' ')" \
	"$((1048576 / 1000 * 1000 * 2)) $((1048576 * 2)) "
is 'all methods: names tell the buffers apart' "$(values all.xml method | sort -u | grep fwrite | tr '\n' ' ')" \
	'fwrite fwrite-64k fwrite-unbuffered '
is 'all methods: a row for each' "$(grep -c -E '^(write|pwrite|writev|pwritev2|fwrite|fwrite-64k|fwrite-unbuffered|mmap)\.[0-9k]+ ' "$tmp/out")" 16
check 'all methods: the label' grep -q '<label name="a">b</label>' all.xml
check 'all methods: the options' grep -q '<option name="bs">1000,64k</option>' all.xml
check 'all methods: JSON' python3 -c 'import json, sys; d = json.load(open("all.json")); sys.exit(len(d["iowritebench"]["report"]["result"]["cells"]["cell"]) != 16)'
is 'nothing is left behind' "$(ls -A "$tmp/target")" ''
if [ -n "${sanitizer:-}" ]; then
	skip 'no page fault within a window' "$sanitizer has its own"
else
	# A page of code may have been taken away meanwhile; three times it is not.
	for _ in 1 2 3; do
		run --method=write,pwrite,writev,pwritev2 --regime=append,overwrite --sync-each=none,fsync --size=256k --rounds=1 \
			-f faults.xml >"$tmp/out"
		faults=$(values faults.xml page_faults | sort -u | tr '\n' ' ')
		[ "$faults" != '0 ' ] || break
	done
	is 'no page fault within a window' "$faults" '0 '
fi

# --- syncs stand apart; what cannot be is a row
check_exit 0 'syncs' run --method=pwrite,pwritev2 --sync-each=fsync,fdatasync,rwf-dsync --size=64k --rounds=1 -f sync.xml
lawful 'syncs' sync.xml
is 'syncs: one cannot be' "$(sed -n 's/.*<skipped name="\([^"]*\)".*/\1/p' sync.xml)" 'pwrite.buffered.rwf-dsync.append.write.4k'
is 'syncs: the text says so, too' "$(sed -n 's/^not measured: \([^:]*\):.*/\1/p' "$tmp/out")" 'pwrite.buffered.rwf-dsync.append.write.4k'
is 'syncs: histograms of four' "$(grep -c 'latency_histogram type="sync"' sync.xml)" 4
is 'syncs: means of four' "$(grep -c '<sync_mean_ns>' sync.xml)" 4

# --- orders, regimes, ranges
check_exit 0 'orders' run --rw=write,randwrite,backwrite --regime=append,prealloc,overwrite --back=0.25 --size=256k --rounds=1 -f order.xml
lawful 'orders' order.xml
is 'orders: eight of nine can be' "$(grep -c '<cell ' order.xml)" 8
check_exit 0 'ranges' run --bsrange=512-8k --regime=overwrite --rw=write,randwrite --size=256k --rounds=3 -f range.xml
lawful 'ranges' range.xml
is 'ranges: no single size' "$(grep -c '<size_bytes>' range.xml)" 0
check 'ranges: the same writes in each round' awk '{ n++; sum += $1; if ($1 % 3) exit 1 } END { exit n != 2 }' <<END
$(values range.xml operations | head -n 2)
END

# --- more writes than are kept at a time
check_exit 0 'a long list' run --bs=1 --size=200000 --rounds=1 -f long.xml
lawful 'a long list' long.xml
is 'a long list: none is lost' "$(values long.xml operations | head -n 1)" 200000

# --- threads, and time
check_exit 0 'threads' run --numjobs=3 --size=256k --rounds=2 --interval=10ms -f threads.xml
lawful 'threads' threads.xml
is 'threads: all of them' "$(values threads.xml bytes | head -n 1)" $((3 * 2 * 256 * 1024))
check_exit 0 'a shared file' run --numjobs=3 --size=256k --rounds=1 --regime=prealloc,overwrite -f shared.xml --directory="$tmp/target"
check_exit 0 'a file of this name' iowrite-bench run --filename=shared --numjobs=2 --size=256k --rounds=1 --regime=prealloc,overwrite -f shared.xml
lawful 'a file of this name' shared.xml
check 'a file of this name is gone' test ! -e shared
check_exit 0 'time' run --runtime=200ms --rounds=1 --regime=append,prealloc,overwrite --thinktime=100us --size=1g --dry-run
check 'time: --dry-run says what' grep -q '^each round  1 thread, up to 1 GiB each for up to 200 ms$' "$tmp/out"
is 'time: nothing is measured' "$(grep -c ops/s "$tmp/out")" 0
check_exit 0 'time alone' run --runtime=100ms --rounds=1 --regime=append,prealloc,overwrite --bs=1m -f time.xml
lawful 'time alone' time.xml

# --- every write as a line
check_exit 0 'ops.csv' run --bs=64k --size=1m --rw=backwrite --back=0.5 --thinktime=1ms --ops-csv=ops.csv -f ops.xml
is 'ops.csv: its names' "$(head -n 1 ops.csv)" 'offset,size,delay_ns,start_ns,write_ns,sync_ns,dirty_bytes,writeback_bytes'
is 'ops.csv: a line a write' "$(sed 1d ops.csv | wc -l)" "$(values ops.xml operations | head -n 1)"
check 'ops.csv: each begins in the middle of the last' awk -F, 'NR > 2 && $1 != last + 32768 { exit 1 } { last = $1 }' ops.csv
check 'ops.csv: delays are real, times rise' awk -F, 'NR > 1 { if ($3 < 1000000 || $4 < end) exit 1; end = $4 + $5 + $6 }' ops.csv

check_exit 0 'ops.csv: a look before each write' run --bs=4k --size=1m --rounds=1 --look=0 --ops-csv=ops.csv
is 'ops.csv: no line without' "$(awk -F, 'NR > 1 && $7 != "" && $8 != ""' ops.csv | wc -l)" 256
check_exit 0 'ops.csv: never a look but the first' run --bs=4k --size=1m --rounds=1 --look=1h --ops-csv=ops.csv
is 'ops.csv: one line has it' "$(awk -F, 'NR > 1 && $7 != ""' ops.csv | wc -l)" 1

# --- where the time went
check_exit 0 'a split' run --bs=64k --size=1m --regime=append,overwrite --mem=warm --system="$top_srcdir/tests/fixtures/iowrite/system.xml"
is 'of both' "$(grep -c ': by the model kernel the call is ' "$tmp/out")" 2
check_exit 0 'none of memory that may be cold' run --bs=64k --size=1m --regime=append,overwrite \
	--system="$top_srcdir/tests/fixtures/iowrite/system.xml" -f split.xml
is 'what is in memory has one' "$(grep -c ': by the model kernel the call is ' "$tmp/out")" 1
check 'and it says why the other has not' grep -q '^pwrite.buffered.none.append.write.64k: no cost split: .* --mem=warm ' "$tmp/out"
is 'nor has the report' "$(grep -c '<cost_split>' split.xml)" 1

# --- objectives and presets
check_exit 0 'an objective that is met' run --size=64k --rounds=1 --sync-each=none,fsync '--slo=write:p50<1h' '--slo=sync:p99<1h' -f slo.xml
valid 'an objective that is met' slo.xml
is 'what is said of syncs is not about writes alone' "$(grep -c '<objective ' slo.xml)" 3
check_exit 1 'one that is missed' run --size=64k --rounds=1 '--slo=max<=1ns' -f slo.xml
check 'the report says so' grep -q '<is_met>false</is_met>' slo.xml
check 'the text says so' grep -q '^pwrite.buffered.none.append.write.4k: max<=1ns is MISSED: ' "$tmp/out"
for preset in etcd-wal pg-wal sqlite kafka; do
	check_exit 0 "preset $preset" run --preset=$preset --size=256k --rounds=1 '--slo=p99<1h' -f preset.xml
	valid "preset $preset" preset.xml
done
check_exit 0 'a preset gives way' run --preset=etcd-wal --bs=1k --dry-run
is 'to what was typed' "$(sed -n '$p' "$tmp/out")" '  write.buffered.fdatasync.prealloc.write.1k'

# --- reports on stdout
check_exit 0 'JSON on stdout' run --size=64k --rounds=1 --json
check 'and nothing else' python3 -c 'import json, sys; json.load(open(sys.argv[1]))' "$tmp/out"
if [ -w /dev/full ]; then
	check_exit 3 'a report that cannot be written' sh -c 'iowrite-bench run --directory="$0" --size=64k --rounds=1 -f /dev/full' "$tmp/target"
	is 'one line' "$(cat "$tmp/err")" 'iowrite-bench: -f /dev/full: the report could not be written: No space left on device'
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
	is 'interrupted: status' $status 4
	is 'interrupted: no word' "$(cat "$tmp/err")" ''
	lawful 'interrupted' cut.xml
	is 'interrupted: marked' "$(values cut.xml interrupted) $(sed -n 's/.*<verdict status="\([a-z]*\)".*/\1/p' cut.xml)" '1 interrupted'
	is 'interrupted: the writes so far' "$(sed 1d cut.csv | wc -l)" "$(values cut.xml operations | head -n 1)"
else
	skip 'interrupted' 'needs env --default-signal (coreutils 8.31)'
fi
iowrite-bench run --directory="$tmp/target" --runtime=60s --ops-csv=killed.csv -f killed.xml >/dev/null 2>&1 &
pid=$!
sleep 0.5
kill -9 $pid
wait $pid 2>/dev/null
is 'killed: nothing is left' "$(ls -A "$tmp/target")$(find . -name '*killed*')" ''
tap_done
