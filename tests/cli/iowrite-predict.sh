#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# iowrite-bench predict: what it says, in which forms, and what it refuses.
. "$top_srcdir/tests/lib/tap.sh"
cp "$top_srcdir/tests/fixtures/iowrite/system.xml" "$tmp/s.xml"
cd "$tmp" || exit 1
rows() { sed -n 's/^\(measured\|naive\|cawl\|kernel\)\( warm\| cold\|\) .*/\1\2/p' out | tr '\n' ' '; }
# predicts DESCRIPTION ARGUMENT...
predicts() {
	predicts_description=$1
	shift
	check_exit 0 "$predicts_description" iowrite-bench predict --system s.xml "$@"
	is "$predicts_description: nothing on stderr" "$(cat err)" ''
}

# --- text
predicts 'a scenario' c2
is 'a line for each model' "$(rows)" 'naive cawl kernel '
check 'its thresholds' grep -qx 'write-back from 512 MiB dirty on, throttling from 768 MiB, limit 1 GiB (of the scenario)' out
check 'naive is size by bandwidth' grep -q '^naive *7.68 s *40.0 ms *40.0 ms *40.0 ms *0.0 %' out
predicts 'given thresholds' c2 --limit-bg 1g --limit-hard 3g
check 'are said' grep -q 'write-back from 1 GiB dirty on, throttling from 2 GiB, limit 3 GiB (as given)' out
for id in $(iowrite-bench scenarios | sed '1d; s/ .*//'); do
	predicts "scenario $id" "$id"
done
predicts 'one model' --model kernel c2
is 'its line only' "$(rows)" 'kernel '
predicts 'two models' --model naive,kernel c2
is 'their lines' "$(rows)" 'naive kernel '
predicts 'two models, repeated' --model kernel --model naive c2
is 'in the order of the table' "$(rows)" 'naive kernel '
predicts 'a pattern' --bs 64k --size 64m
check 'its writes' grep -qx '1024 writes of 64 KiB, 64 MiB in all; buffered, append, warm memory' out
predicts 'a pattern by fwrite' --bs 100 --size 100k --stdio=musl --buffer 1k --thinktime 1ms --rw backwrite --back 0.25
check 'by that libc' grep -q "1024 writes of 100 B, 100 KiB in all; .* by musl's fwrite" out
predicts 'a write larger than the total' --bs 1m --size 4k
check 'is one' grep -q '^1 write of 1 MiB' out
predicts 'direct writes' --bs 4k --mode direct --regime overwrite
check 'have no thresholds' sh -c '! grep write-back out'

# --- the libc's buffer is nothing to a model without a cache
predicts 'fwrite of 100 bytes' --bs 100 --size 100000 --stdio --model naive
check 'naive: 1000 times 100 / 419430400' grep -q '^naive *238 us *238 ns' out

# --- the paper as printed, and not
predicts 'beyond the limit' --bs 512m --size 4g --limit-bg 64m --limit-hard 128m --model cawl --per-write
check 'no cost is negative' sh -c "! cut -d , -f 5 out | grep -e -"
predicts 'beyond the limit, as printed' --bs 512m --size 4g --limit-bg 64m --limit-hard 128m --model cawl --paper-literal --per-write
check 'costs are' sh -c "cut -d , -f 5 out | grep -q -e '^-'"

# --- pauses in detail: small writes that are held back cost what the table says, or milliseconds
predicts 'pauses by share' --bs 64k --size 3g --limit-bg 64m --limit-hard 128m --model kernel
check 'half of the writes cost the same' grep -Eq '^kernel +[^ ]+ s +1[0-9]+ us +1[0-9]+ us' out
predicts 'pauses in detail' --bs 64k --size 3g --limit-bg 64m --limit-hard 128m --model kernel --detail
check 'half of the writes do not pause' grep -Eq '^kernel +[^ ]+ s +1[0-9]+ us +14\.4 us' out

# --- cold memory costs more
seconds() { iowrite-bench predict --system s.xml --json --model kernel "$@" | sed -n 's/.*"total_s": \(.*\),/\1/p'; }
check 'cold is dearer than warm' sh -c "awk 'BEGIN { exit !($(seconds c2 --mem cold) > $(seconds c2 --mem warm)) }'"
predicts 'memory as it is, of which nobody knows' c2 --mem as-is
is 'two bounds for who knows of memory' "$(rows)" 'naive cawl warm cawl cold kernel warm kernel cold '
check 'and no point' grep -q '^warm and cold are bounds, not predictions' out
predicts 'for direct writes it is nothing' f4a --mem as-is
is 'one prediction each' "$(rows)" 'naive cawl kernel '

# --- tables
printf 'size,offset,write_ns\n65536,0,13000\n65536,65536,26000\n' >ops.csv
predicts 'a table with what was measured' --trace ops.csv --model naive,kernel
is 'has a line for it' "$(rows)" 'measured naive kernel '
check 'measured' grep -q '^measured *39.0 us *19.5 us' out
# 13000 by the table of sizes, twice: errors 0 and 50 %, in total 26000 of 39000.
check 'the errors' grep -Eq '^kernel .* 25\.0 %  +-33\.3 %' out
# A mean of twice the median: the total is of the mean, the error per write of the median.
sed '/mode="buffered"/,/<\/curve>/s/ size_bytes="65536" value="13000"/& mean="26000"/' s.xml >means.xml
check_exit 0 'a calibration with means' iowrite-bench predict --system means.xml --trace ops.csv --model kernel --per-write=w.csv
check 'the errors' grep -Eq '^kernel .* 25\.0 %  +\+33\.3 %' out
is 'of each write' "$(sed -n 's/^1,65536,65536,0,26000,\([^,]*,[^,]*\),.*,\([^,]*\)$/\1 \2/p' w.csv)" '26000.0,13000.0 -50.00'
check_exit 0 'from standard input' sh -c 'iowrite-bench predict --system s.xml --trace - <ops.csv'
check 'which is named' grep -qx 'writes of -' out
printf 'offset,size\n0,4096\n' >short.csv
predicts 'without what was measured' --trace short.csv
is 'no line for it' "$(rows)" 'naive cawl kernel '
printf 'offset,size,dirty_bytes,writeback_bytes\n0,1048576,1500000000,100000000\n' >late.csv
predicts 'what is dirty before the first write' --trace late.csv --model kernel --per-write --limit-bg 1600m --limit-hard 2g
check 'is in the state' sh -c "sed -n 2p out | grep -q ',15010485[0-9]*,'"

# What run recorded; that it may be untrustworthy on this machine is nothing to us.
iowrite-bench run --bs 4k --size 256k --rounds 1 --ops-csv run.csv >run.out 2>&1
check 'run records a table' test -s run.csv
predicts 'it is read' --trace run.csv
check 'all of it' grep -q '^64 writes of 4 KiB, 256 KiB in all' out
is 'with what was measured' "$(rows)" 'measured naive cawl kernel '

# --- outputs
predicts 'CSV to stdout' c2 --per-write
is 'a row a write' "$(wc -l <out)" 193
is 'the same cells in each' "$(awk -F , '{ print NF }' out | sort -u)" 37
predicts 'CSV to a file' c2 --per-write=w.csv
check 'the same' sh -c 'iowrite-bench predict --system s.xml c2 --per-write | cmp - w.csv'
is 'beside the text' "$(rows)" 'naive cawl kernel '
predicts 'CSV of a table with what was measured' --trace ops.csv --model kernel --per-write
is 'has it and the error' "$(sed -n 's/^1,65536,65536,0,26000,\([^,]*\),.*,\([^,]*\)$/\1 \2/p' out)" '13000.0 -50.00'
predicts 'JSON' --json c2
if command -v python3 >/dev/null; then
	check 'is JSON' sh -c "python3 -c 'import json, sys; d = json.load(sys.stdin)[\"iowriteprediction\"]
assert [m[\"name\"] for m in d[\"model\"]] == [\"naive\", \"cawl\", \"kernel\"] and d[\"operations\"] == 192' <out"
else
	skip 'is JSON' 'needs python3'
fi
predicts 'JSON and CSV to files' c2 --json=p.json --per-write=w.csv
check 'both are there' test -s p.json -a -s w.csv
is 'beside the text' "$(rows)" 'naive cawl kernel '
predicts 'the same seed' --bs 4k --size 4m --rw randwrite --seed 7 --per-write=a.csv
predicts 'again' --bs 4k --size 4m --rw randwrite --seed 7 --per-write=b.csv
check 'the same writes' cmp a.csv b.csv
predicts 'another seed' --bs 4k --size 4m --rw randwrite --seed 8 --per-write=b.csv
check 'others' sh -c '! cmp -s a.csv b.csv'

# --- a calibration that lacks something
sed '/"bw_cache_warm"/d' s.xml >poor.xml
check_exit 0 'a calibration that lacks what two models need' iowrite-bench predict --system poor.xml c2
check 'says so' grep -qx 'cawl          no prediction: the calibration lacks bw_cache_warm' out
sed 's|.*"bw_cache_warm".*|<unknown name="bw_cache_warm" why="nobody is root"/>|' s.xml >why.xml
check_exit 0 'a calibration that says why' iowrite-bench predict --system why.xml c2
check 'passes it on' grep -qx 'kernel        no prediction: the calibration lacks bw_cache_warm: nobody is root' out
check_exit 2 'when no model is left' iowrite-bench predict --system poor.xml --model cawl,kernel c2
is 'one line' "$(cat err)" 'iowrite-bench: poor.xml: lacks bw_cache_warm, which the model cawl needs: calibrate again'

# --- calibrations of before: their bands are of writes of other sizes
sed 's/<iowritesystem version="1.1"/<iowritesystem version="1.0"/' s.xml >old.xml
check_exit 0 'a calibration of the format before' iowrite-bench predict --system old.xml --model kernel c2
is 'is read without its bands' "$(cat err)" 'iowrite-bench: warning: old.xml: its bands of throttled writes are of an older version, which measured other sizes: they are left out (calibrate again)'
check 'there is no band' grep -Eq '^kernel .* - +-$' out
sed '/<throttled/d' old.xml >bandless.xml
check_exit 0 'one that has none' iowrite-bench predict --system bandless.xml --model kernel c2
is 'is read as it is' "$(cat err)" ''
for bad in 'typical="99"' 'typical="x"' 'think="y"'; do
	sed "s/<throttled /&$bad /" s.xml >band.xml
	check_exit 2 "a band with $bad" iowrite-bench predict --system band.xml c2
	check 'says what is allowed' grep -qx "iowrite-bench: band.xml:[0-9]*: throttled: needs an index from 0 to 5, a size, rising p10, p50 and p90 above 0, and typical between them" err
done
sed 's/<iowritesystem version="1.1"/<iowritesystem version="0.9"/' s.xml >older.xml
check_exit 2 'one that is older still' iowrite-bench predict --system older.xml c2
is 'is refused' "$(cat err)" \
	'iowrite-bench: older.xml:3: iowritesystem: is of another version than 1.1 or 1.0: calibrate again'

# --- refusals: refused LINE ARGUMENT...
refused_by() { # STATUS LINE ARGUMENT...
	refused_status=$1
	refused_line=$2
	shift 2
	check_exit "$refused_status" "refused: $*" iowrite-bench predict "$@"
	is "refused: $*: in one line" "$(cat err)" "$refused_line"
	check "refused: $*: nothing on stdout" test ! -s out
}
refused() {
	refused_by 2 "$@"
}
p='iowrite-bench: predict:'
refused "$p --system is missing: the file that iowrite-bench calibrate -o FILE makes" c2
refused "$p nothing to predict: a SCENARIO (iowrite-bench scenarios lists them), --trace FILE or --bs SIZE" --system s.xml
refused "$p a SCENARIO, --trace and --bs exclude each other" --system s.xml c2 --bs 4k
refused "$p a SCENARIO, --trace and --bs exclude each other" --system s.xml c2 --trace ops.csv
refused "$p --size, --rw, --thinktime and --back are for --bs" --system s.xml c2 --thinktime 1ms
refused "$p --back is for --rw=backwrite" --system s.xml --bs 4k --rw randwrite --back 0.1
refused "$p --mode, --regime and --stdio are for --trace and --bs: a scenario has its own" --system s.xml c2 --mode sync
refused "$p --buffer is for --stdio" --system s.xml --bs 4k --buffer 8k
refused "$p --stdio cannot keep the alignment that O_DIRECT needs: another --mode" --system s.xml --bs 4k --stdio --mode direct
refused "$p --limit-bg must be below --limit-hard: write-back begins before the limit" --system s.xml c2 --limit-bg 2g --limit-hard 1g
refused "$p write-back at 536870912 dirty bytes is not below the limit of 1048576: give both --limit-bg and --limit-hard" \
	--system s.xml c2 --limit-hard 1m
refused "$p --paper-literal is for --model=cawl" --system s.xml c2 --paper-literal --model kernel
refused "$p --detail is for --model=kernel" --system s.xml c2 --detail --model cawl
refused "iowrite-bench: --per-write and --json: both would write stdout; give them two names" --system s.xml c2 --json --per-write
refused "$p --size is 268435456 writes of --bs: up to 10000000" --system s.xml --bs 4k --size 1t
refused "iowrite-bench: scenario 'c99': there is none of this name: iowrite-bench scenarios lists them" --system s.xml c99
refused "iowrite-bench: argument 'c1': one scenario at a time" --system s.xml c2 c1
refused "iowrite-bench: --model 'fast': allowed are naive, cawl and kernel, with commas between" --system s.xml c2 --model fast
refused "iowrite-bench: --model 'cawl,': allowed are naive, cawl and kernel, with commas between" --system s.xml c2 --model cawl,
refused "iowrite-bench: --mode 'slow': allowed are buffered, sync, dsync, direct, direct-sync and direct-dsync" \
	--system s.xml --bs 4k --mode slow
refused "iowrite-bench: --regime 'new': allowed are append, prealloc and overwrite" --system s.xml --bs 4k --regime new
refused "iowrite-bench: --mem 'hot': allowed are warm, cold and as-is" --system s.xml c2 --mem hot
refused "iowrite-bench: --stdio 'bsd': allowed are glibc, musl, unbuffered and paper" --system s.xml --bs 4k --stdio=bsd
refused "iowrite-bench: --rw 'read': allowed are write, randwrite and backwrite" --system s.xml --bs 4k --rw read
refused "iowrite-bench: --bs '0': a size above 0, up to 64 GiB, as 4096, 64k or 1.5G" --system s.xml --bs 0
refused "iowrite-bench: --bs '65g': a size above 0, up to 64 GiB, as 4096, 64k or 1.5G" --system s.xml --bs 65g
refused "iowrite-bench: --limit-bg 'x': a size above 0, up to 1 PiB, as 4096, 64k or 1.5G" --system s.xml c2 --limit-bg x
refused "iowrite-bench: --ratelimit0 '-1': a size above 0, up to 1 PiB, as 4096, 64k or 1.5G" --system s.xml c2 --ratelimit0 -1
refused "iowrite-bench: --thinktime '2d': a time up to a day, as 20ms, 0.5s or 100us" --system s.xml --bs 4k --thinktime 2d
refused "iowrite-bench: --back '1': a share of a write from 0 to below 1, as 0.25" --system s.xml --bs 4k --back 1
refused "iowrite-bench: --seed 'x': a whole number from 0 to 2^64 - 1" --system s.xml --bs 4k --seed x
refused_by 3 "iowrite-bench: --per-write /nowhere/x: cannot be written: No such file or directory" --system s.xml c2 --per-write=/nowhere/x
refused "iowrite-bench: --per-write and --json: both would write x; give them two names" --system s.xml c2 --per-write=x --json=x
refused_by 3 "iowrite-bench: --json /nowhere/x: cannot be written: No such file or directory" --system s.xml c2 --json=/nowhere/x

refused "iowrite-bench: --trace none.csv: cannot be opened: No such file or directory" --system s.xml --trace none.csv
refused "iowrite-bench: --trace .: cannot be read: Is a directory" --system s.xml --trace .
printf 'offset,size\n0,4k\n' >bad.csv
refused "iowrite-bench: bad.csv:2: size '4k' is no number: digits only" --system s.xml --trace bad.csv
check_exit 2 'refused: a calibration that is none' iowrite-bench predict --system ops.csv c2
check 'says where' grep -q '^iowrite-bench: ops.csv:1: not well-formed XML: ' err
refused "iowrite-bench: none.xml: No such file or directory" --system none.xml c2
if [ -w /dev/full ]; then
	check_exit 3 'a full device' sh -c 'iowrite-bench predict --system s.xml c2 --per-write >/dev/full'
	is 'one line' "$(cat err)" 'iowrite-bench: --per-write -: cannot be written: No space left on device'
fi
tap_done
