#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# iowrite-bench predict: its text, tables and JSON, and what it refuses.
. "$top_srcdir/tests/lib/tap.sh"
cp "$top_srcdir/tests/fixtures/iowrite/system.xml" "$tmp/s.xml"
cd "$tmp" || exit 1
rows() { sed -n 's/^\(measured\|naive\|cawl\|kernel\)\( warm\| cold\|\) .*/\1\2/p' out | tr '\n' ' '; }
# predicts DESCRIPTION ARGUMENT...
predicts() {
	predicts_description=$1
	shift
	check_exit 0 "$predicts_description is accepted" iowrite-bench predict --system s.xml "$@"
	is "$predicts_description prints nothing on stderr" "$(cat err)" ''
}

# --- text
predicts 'predict: the scenario c2' c2
is 'predict: the text has one line per model' "$(rows)" 'naive cawl kernel '
check 'predict: the text has the thresholds of the scenario' \
	grep -qx 'write-back from 512 MiB dirty on, throttling from 768 MiB, limit 1 GiB (of the scenario)' out
check 'predict: naive is size over bandwidth' grep -q '^naive *7.68 s *40.0 ms *40.0 ms *40.0 ms *0 %' out
predicts 'predict: --limit-bg and --limit-hard with a scenario' c2 --limit-bg 1g --limit-hard 3g
check 'predict: the text says that thresholds were given' \
	grep -q 'write-back from 1 GiB dirty on, throttling from 2 GiB, limit 3 GiB (as given)' out
for id in $(iowrite-bench scenarios | sed '1d; s/ .*//'); do
	predicts "predict: the scenario $id" "$id"
done
predicts 'predict: --model kernel' --model kernel c2
is 'predict: --model kernel prints its line only' "$(rows)" 'kernel '
predicts 'predict: --model naive,kernel' --model naive,kernel c2
is 'predict: --model naive,kernel prints both lines' "$(rows)" 'naive kernel '
predicts 'predict: --model given twice' --model kernel --model naive c2
is 'predict: --model given twice prints lines in the order of the table' "$(rows)" 'naive kernel '
predicts 'predict: --bs and --size as a pattern' --bs 64k --size 64m
check 'predict: the text counts the writes of the pattern' \
	grep -qx '1024 writes of 64 KiB, 64 MiB in all; buffered, append, warm memory' out
predicts 'predict: a pattern without --size' --bs 1m
check 'predict: without --size 1 GiB is predicted' grep -qx '1024 writes of 1 MiB, 1 GiB in all; buffered, append, warm memory' out
predicts 'predict: a single write that is larger than the default of --size' --bs 2g
check 'predict: a write larger than the default of --size is one write' \
	grep -qx '1 write of 2 GiB, 2 GiB in all; buffered, append, warm memory' out
predicts 'predict: a pattern by fwrite of musl' \
	--bs 100 --size 100k --stdio=musl --buffer 1k --thinktime 1ms --rw backwrite --back 0.25
check 'predict: the text names the libc of fwrite' grep -q "1024 writes of 100 B, 100 KiB in all; .* by musl's fwrite" out
predicts 'predict: direct overwrites' --bs 4k --mode direct --regime overwrite
check 'predict: direct writes have no write-back thresholds' sh -c '! grep write-back out'

# --- a model without a cache ignores the libc's buffer
predicts 'predict: fwrite of 100 bytes by naive' --bs 100 --size 100000 --stdio --model naive
check 'predict: naive ignores the buffer of the libc' grep -q '^naive *238 us *238 ns' out

# --- the equations of the paper, as printed and as corrected
predicts 'predict: cawl beyond the limit' --bs 512m --size 4g --limit-bg 64m --limit-hard 128m --model cawl --per-write
check 'predict: cawl has no negative cost' sh -c "! cut -d , -f 5 out | grep -e -"
predicts 'predict: cawl beyond the limit with --paper-literal' \
	--bs 512m --size 4g --limit-bg 64m --limit-hard 128m --model cawl --paper-literal --per-write
check 'predict: --paper-literal has the negative costs of the printed equations' sh -c "cut -d , -f 5 out | grep -q -e '^-'"

# Algorithm 1 of the paper has no cost of the library.
literal() { iowrite-bench predict --system s.xml --bs 100 --size 100k --model cawl --paper-literal --json "$@" | sed -n 's/.*"total_s": \(.*\),/\1/p'; }
is 'predict: with --paper-literal unbuffered fwrite costs what write does' "$(literal --stdio=unbuffered)" "$(literal)"
check 'predict: with --paper-literal write has a cost' test -n "$(literal)"

# --- pauses in detail: throttled small writes cost what the table says, or milliseconds
predicts 'predict: throttled writes of 64 KiB' --bs 64k --size 3g --limit-bg 64m --limit-hard 128m --model kernel
check 'predict: without --detail a pause is shared by all writes' grep -Eq '^kernel +[^ ]+ s +1[0-9]+ us +1[0-9]+ us' out
predicts 'predict: throttled writes of 64 KiB with --detail' \
	--bs 64k --size 3g --limit-bg 64m --limit-hard 128m --model kernel --detail
check 'predict: with --detail half of the writes do not pause' grep -Eq '^kernel +[^ ]+ s +1[0-9]+ us +14\.4 us' out

# --- cold memory costs more
seconds() { iowrite-bench predict --system s.xml --json --model kernel "$@" | sed -n 's/.*"total_s": \(.*\),/\1/p'; }
check 'predict: --mem cold costs more than --mem warm' \
	sh -c "awk 'BEGIN { exit !($(seconds c2 --mem cold) > $(seconds c2 --mem warm)) }'"
predicts 'predict: a buffered scenario with --mem as-is' c2 --mem as-is
is 'predict: --mem as-is gives cawl and kernel a warm and a cold bound' \
	"$(rows)" 'naive cawl warm cawl cold kernel warm kernel cold '
check 'predict: --mem as-is says that bounds are no predictions' grep -q '^warm and cold are bounds, not predictions' out
predicts 'predict: a direct scenario with --mem as-is' f4a --mem as-is
is 'predict: --mem as-is gives direct writes one prediction' "$(rows)" 'naive cawl kernel '

# --- tables
printf 'size,offset,write_ns,mode,sync\n65536,0,13000,buffered,none\n65536,65536,26000,buffered,none\n' >ops.csv
predicts 'predict: a table with measured times' --trace ops.csv --model naive,kernel
is 'predict: a table with measured times has a line for them' "$(rows)" 'measured naive kernel '
check 'predict: the measured line has the total and mean of the table' grep -q '^measured *39.0 us *19.5 us' out
# 13000 by the table of sizes, twice: errors 0 and 50 %, in total 26000 of 39000.
check 'predict: the errors are per write, near and in total' grep -Eq '^kernel .* 25\.0 %  +50\.0 %  +-33\.3 %' out
# A mean of twice the median: the total is of the mean, the error per write of the median.
sed '/mode="buffered"/,/<\/curve>/s/ size_bytes="65536" value="13000"/& mean="26000"/' s.xml >means.xml
check_exit 0 'predict: a calibration with means is accepted' \
	iowrite-bench predict --system means.xml --trace ops.csv --model kernel --per-write=w.csv
check 'predict: with means the total is by the mean, the error per write by the median' \
	grep -Eq '^kernel .* 25\.0 %  +50\.0 %  +\+33\.3 %' out
check 'predict: a total without an interval has the reason' grep -q '^no interval for the total of kernel: the calibrated values have none' out
sed 's/ mean="26000"/& mean_low="13000" mean_high="39000" p95="26000" outliers="3" outlier_percent="60"/' means.xml >interval.xml
check_exit 0 'predict: a calibration with intervals of means is accepted' \
	iowrite-bench predict --system interval.xml --trace ops.csv --model kernel --json=interval.json
check 'predict: the total has the interval of the mean, and p50 is the median' \
	grep -Eq '^kernel +52\.0 us +26\.0 us +78\.0 us +26\.0 us +13\.0 us ' out
check 'predict: a total with an interval has no such line' sh -c '! grep -q "no interval for the total" out'
check 'predict: the text says what the interval is of' grep -q '^from, to: 95 % interval of the total by the calibration' out
check 'predict: the outliers of a size are named' grep -Eq '^buffered.append +64 KiB .* 26\.0 us .* 3 +60\.0 %' out
check 'predict: JSON has the interval of the total' python3 -c '
import json
model = json.load(open("interval.json"))
while "model" not in model: model = next(iter(model.values()))
model = model["model"][0]
assert abs(model["total_low_s"] - 26e-6) < 1e-9 and abs(model["total_high_s"] - 78e-6) < 1e-9, model
assert model["within_tenth_percent"] == 50, model'
sed 's/ mean="26000"/ mean="5000" p5="5000" p25="13000" p75="26000" p95="40000"/' means.xml >wrong.xml
check_exit 2 'predict: a mean that its quartiles contradict is refused' iowrite-bench predict --system wrong.xml c2
check 'predict: the refusal of a mean names the reason' grep -q '^iowrite-bench: wrong.xml:.*: point: has a mean that its quartiles contradict$' err
is 'predict: with means a row has mean, median and error' \
	"$(sed -n 's/^1,65536,65536,0,26000,\([^,]*,[^,]*\),.*,\([^,]*\)$/\1 \2/p' w.csv)" '26000.0,13000.0 -50.00'
check_exit 0 'predict: --trace - reads standard input' sh -c 'iowrite-bench predict --system s.xml --trace - <ops.csv'
check 'predict: --trace - is named in the text' grep -qx 'writes of -' out
printf 'offset,size,mode,sync\n0,4096,buffered,none\n' >short.csv
predicts 'predict: a table without measured times' --trace short.csv
is 'predict: a table without measured times has no line for them' "$(rows)" 'naive cawl kernel '
printf 'offset,size,dirty_bytes,writeback_bytes,mode,sync\n0,1048576,1500000000,100000000,buffered,none\n' >late.csv
predicts 'predict: a table with dirty bytes before its first write' \
	--trace late.csv --model kernel --per-write --limit-bg 1600m --limit-hard 2g
check 'predict: dirty bytes before the first write are in the state' sh -c "sed -n 2p out | grep -q ',15010485[0-9]*,'"

# A table recorded by run; whether that run was trustworthy does not matter here.
iowrite-bench run --bs 4k --size 256k --rounds 1 --ops-csv run.csv >run.out 2>&1
check 'predict: iowrite-bench run records a table' test -s run.csv
predicts 'predict: a table recorded by run' --trace run.csv
check 'predict: a recorded table is read in full' grep -q '^64 writes of 4 KiB, 256 KiB in all' out
is 'predict: a recorded table is compared with its measured times' "$(rows)" 'measured naive cawl kernel '

# --- how the writes of a table were made: the table says so, or options do
is 'predict: a recorded table says how it was made' "$(sed -n 's/.*,\(mode,regime,sync\)$/\1/p; 2s/.*,\([a-z]*,[a-z]*,[a-z]*\)$/\1/p' run.csv | tr '\n' ' ')" \
	'mode,regime,sync buffered,append,none '
printf 'offset,size,mode,regime,sync\n0,4096,direct,overwrite,none\n' >direct.csv
predicts 'predict: a table of direct overwrites' --trace direct.csv
check 'predict: the mode and regime of a table are taken from it' grep -qx '1 write of 4 KiB, 4 KiB in all; direct, overwrite, warm memory' out
predicts 'predict: --mode and --regime with a table' --trace direct.csv --mode dsync --regime append
check 'predict: --mode and --regime override those of the table' \
	grep -qx '1 write of 4 KiB, 4 KiB in all; dsync, append, warm memory' out
sed 's/none/rwf-dsync/' direct.csv >rwf.csv
predicts 'predict: a table of writes with RWF_DSYNC' --trace rwf.csv
check 'predict: RWF_DSYNC with each write is O_DSYNC' grep -qx '1 write of 4 KiB, 4 KiB in all; direct-dsync, overwrite, warm memory' out
sed 's/none/fsync/' direct.csv >fsync.csv
predicts 'predict: a table of writes with fsync' --trace fsync.csv
check 'predict: a table with fsync keeps the mode of its file' \
	grep -qx '1 write of 4 KiB, 4 KiB in all; direct, overwrite, warm memory' out
check 'predict: fsync after a direct write takes the curve of direct-sync' grep -q '^fsync after each write: predicted as synchronous writes, by the curve direct-sync.overwrite and [0-9.]* ns for the second call (sc_w)$' out
is 'predict: the sizes used are those of the curve direct-sync' \
	"$(sed -n '/^used by kernel /,$ s/^\([a-z-]*\.[a-z]*\) .*/\1/p' out | sort -u)" direct-sync.overwrite
predicts 'predict: --sync-each=none of a table with fsync' --trace fsync.csv --sync-each=none
mean_of() { sed -n "/\"name\": \"$1\"/,/}/s/.*\"mean_ns\": \([0-9.]*\),*/\1/p" out; }
for way in buffered:fsync:sync direct:fdatasync:direct-sync; do
	way_sync=${way#*:}
	way_mode=${way##*:}
	way_sync=${way_sync%:*}
	check_exit 0 "predict: writes of --mode=${way%%:*}, synced by $way_sync, are accepted" \
		iowrite-bench predict --system s.xml --bs 4k --size 1m \
		--mode="${way%%:*}" --sync-each="$way_sync" --json
	check "predict: JSON names the curve of $way_sync" grep -q "\"sync_curve\": \"$way_mode.append\"" out
	called=$(sed -n 's/.*"sync_call_ns": \([0-9.]*\),/\1/p' out)
	synced="$(mean_of naive) $(mean_of cawl) $(mean_of kernel)"
	check_exit 0 "predict: writes of --mode=$way_mode are accepted" \
		iowrite-bench predict --system s.xml --bs 4k --size 1m --mode="$way_mode" --json
	check "predict: $way_sync after each write costs cawl and kernel the second call more than --mode=$way_mode" awk -v more="$called" \
		-v synced="$synced" -v open="$(mean_of naive) $(mean_of cawl) $(mean_of kernel)" 'BEGIN {
			split(synced, s); split(open, o)
			for (i = 1; i <= 3; i++) {
				off = s[i] - o[i] - (i > 1 ? more : 0)
				if (o[i] <= 0 || more <= 0 || off > 1 || off < -1)
					exit 1
			}
		}'
done
sed 's/mode="direct-sync"/mode="direct-dsync"/' s.xml >data.xml
check_exit 0 'predict: fdatasync is accepted where direct-dsync was calibrated' \
	iowrite-bench predict --system data.xml --bs 4k --mode=direct --sync-each=fdatasync
check 'predict: fdatasync takes the curve of direct-dsync' grep -q '^fdatasync after each write: .* by the curve direct-dsync.append and ' out
printf 'offset,size,write_ns,sync_ns,mode,sync\n0,4096,3000,100000,buffered,fsync\n4096,4096,5000,200000,buffered,fsync\n' >timed.csv
predicts 'predict: a table with times of fsync' --trace timed.csv
check 'predict: the measured time is that of the write and its sync' grep -q '^measured *308 us *154 us' out
predicts 'predict: --sync-each=none of a table with times of fsync' --trace timed.csv --sync-each=none
check 'predict: with --sync-each=none the measured time is that of the write' grep -q '^measured *8.00 us *4.00 us' out
predicts 'predict: --sync-each=fsync of a table without syncs' --trace ops.csv --sync-each=fsync
is 'predict: a table without times of syncs is not compared' "$(rows)" 'naive cawl kernel '
check 'predict: the text says why a table is not compared' \
	grep -qx 'not compared with measured times: the table has no times of syncs (sync_ns)' out
iowrite-bench run --bs 4k --size 64k --rounds 1 --sync-each=fsync --ops-csv synced.csv >run.out 2>&1
predicts 'predict: a table recorded by run --sync-each=fsync' --trace synced.csv
is 'predict: a recorded table with fsync is compared' "$(rows)" 'measured naive cawl kernel '
check 'predict: buffered writes with fsync take the curve of O_SYNC' \
	grep -q '^fsync after each write: .* by the curve sync.append ' out
printf 'offset,size,sync_ns\n0,4096,0\n' >old.csv
check_exit 2 'predict: a table without a mode is refused' iowrite-bench predict --system s.xml --trace old.csv
check 'predict: the refusal asks for --mode' grep -q '^iowrite-bench: --trace old.csv: .*; give --mode=buffered, ' err
predicts 'predict: a table without a mode, and --mode' --trace old.csv --mode buffered
printf 'offset,size\n0,4096\n' >bare.csv
check_exit 2 'predict: a table that does not say how it was synced is refused' \
	iowrite-bench predict --system s.xml --trace bare.csv --mode buffered
check 'predict: the refusal of such a table asks for --sync-each' \
	grep -q '^iowrite-bench: --trace bare.csv: .*; give --sync-each=none, or how$' err
printf 'offset,size,mode,sync\n0,4096,direct,none\n4096,4096,buffered,none\n' >both.csv
check_exit 2 'predict: a table with two modes is refused' iowrite-bench predict --system s.xml --trace both.csv
is 'predict: the refusal of two modes names the line' \
	"$(cat err)" 'iowrite-bench: both.csv:3: mode is not that of the first write: one table has one'

# --- writes that run would refuse
check_exit 2 'predict: O_DIRECT of 1000 bytes is refused' iowrite-bench predict --system s.xml --mode direct --bs 1000
check 'predict: the refusal of O_DIRECT names what is allowed' \
	grep -q '^iowrite-bench: --mode direct: write 1, of 1000 bytes at 0, cannot be made: O_DIRECT needs multiples of ' err

# --- what costs are taken from: one slow sample of 4 KiB among well-known sizes
sed '/mode="buffered" regime="append"/,/<\/curve>/ {
	s|n="0"|n="48"|
	s|\(<point size_bytes="4096"\) value="[^"]*" n="48"|\1 value="180000" low="180000" high="180000" n="1"|
}' s.xml >single.xml
check 'predict: the fixture has a size with one sample' grep -q 'size_bytes="4096" value="180000".* n="1"' single.xml
predict_seconds() { iowrite-bench predict --system "$1" --bs 4k --model kernel --json | sed -n 's/.*"total_s": \(.*\),/\1/p'; }
check 'predict: one slow sample does not make the prediction slow' awk "BEGIN { exit !($(predict_seconds single.xml) < 3 * $(predict_seconds s.xml)) }"
check_exit 0 'predict: a calibration with one sample of a size is accepted' iowrite-bench predict --system single.xml --bs 4k
check 'predict: the text names the sizes that were pooled' \
	grep -Eq '^buffered.append +4 KiB .* 180 us +[0-9.]+ us +1 +[0-9.]+ (Ki)?B +[0-9.]+ [KM]iB +[0-9]+$' out
check_exit 0 'predict: a calibration with one sample of a size is accepted with --json' \
	iowrite-bench predict --system single.xml --bs 4k --json
check 'predict: the JSON names the sizes that were pooled' grep -q '"pooled_from_bytes":' out
sed '/mode="buffered" regime="append"/,/<\/curve>/ s| n="[^"]*"| n="0"|; /mode="buffered" regime="append"/,/<\/curve>/ { /size_bytes="4096"/ s| n="0"| n="2"|; /<point/ { /size_bytes="4096"/!d } }' s.xml >two.xml
check_exit 2 'predict: a curve of two samples is refused' iowrite-bench predict --system two.xml --bs 4k --model kernel
check 'predict: the refusal of two samples says how many are needed' grep -q 'fewer than 3 samples over all sizes' err

# --- several files
predicts 'predict: a pattern of two files' --bs 4k --size 20k --files 2 --per-write=two.csv
check 'predict: the text says how many files there are' \
	grep -qx '5 writes of 4 KiB, 20 KiB in all; buffered, append, warm memory, 2 files in turn' out
is 'predict: a row of --per-write names file and offset' \
	"$(cut -d , -f 2,3 two.csv | tr '\n' ' ')" 'file,offset 0,0 1,0 0,4096 1,4096 0,8192 '
predicts 'predict: a pattern of two files with --json' --bs 4k --size 20k --files 2 --json
check 'predict: the JSON says how many files there are' grep -q '"files": 2,' out
printf 'file,offset,size,mode,sync\n0,0,4096,buffered,none\n1,0,4096,buffered,none\n0,0,4096,buffered,none\n' >same.csv
predicts 'predict: a table of two files' --trace same.csv --per-write=same.out --model cawl
is 'predict: equal offsets in two files are different bytes' \
	"$(awk -F , 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "cawl_dirty_bytes") at = i } NR > 1 { printf "%s ", $at }' same.out)" \
	'4096 8192 8192 '

# --- outputs
predicts 'predict: --per-write to stdout' c2 --per-write
is 'predict: --per-write has one row per write' "$(wc -l <out)" 193
is 'predict: --per-write has the same number of cells in each row' "$(awk -F , '{ print NF }' out | sort -u)" 37
predicts 'predict: --per-write to a file' c2 --per-write=w.csv
check 'predict: --per-write writes the same to a file and to stdout' \
	sh -c 'iowrite-bench predict --system s.xml c2 --per-write | cmp - w.csv'
is 'predict: --per-write to a file keeps the text' "$(rows)" 'naive cawl kernel '
predicts 'predict: --per-write of a table with measured times' --trace ops.csv --model kernel --per-write
is 'predict: a row of --per-write has prediction and error' \
	"$(sed -n 's/^1,65536,65536,0,26000,\([^,]*\),.*,\([^,]*\)$/\1 \2/p' out)" '13000.0 -50.00'
predicts 'predict: --json to stdout' --json c2
if command -v python3 >/dev/null; then
	check 'predict: --json prints JSON with thresholds and models' \
		sh -c "python3 -c 'import json, sys; d = json.load(sys.stdin)[\"iowriteprediction\"]
assert [m[\"name\"] for m in d[\"model\"]] == [\"naive\", \"cawl\", \"kernel\"] and d[\"operations\"] == 192' <out"
else
	skip 'predict: --json prints JSON with thresholds and models' 'needs python3'
fi
predicts 'predict: --json and --per-write to files' c2 --json=p.json --per-write=w.csv
check 'predict: --json and --per-write write both files' test -s p.json -a -s w.csv
is 'predict: --json and --per-write to files keep the text' "$(rows)" 'naive cawl kernel '
predicts 'predict: random writes with --seed 7' --bs 4k --size 4m --rw randwrite --regime overwrite --seed 7 --per-write=a.csv
predicts 'predict: random writes with --seed 7 again' --bs 4k --size 4m --rw randwrite --regime overwrite --seed 7 --per-write=b.csv
check 'predict: the same seed gives the same writes' cmp a.csv b.csv
predicts 'predict: random writes with --seed 8' --bs 4k --size 4m --rw randwrite --regime overwrite --seed 8 --per-write=b.csv
check 'predict: another seed gives other writes' sh -c '! cmp -s a.csv b.csv'

# --- a calibration that lacks something
sed '/"bw_cache_warm"/d' s.xml >poor.xml
check_exit 0 'predict: a calibration that lacks a value of two models is accepted' iowrite-bench predict --system poor.xml c2
check 'predict: the text names the missing value of a model' \
	grep -qx 'cawl: no prediction: the calibration lacks bw_cache_warm' out
check_exit 0 'predict: --per-write with a calibration that lacks a value of two models is accepted' \
	iowrite-bench predict --system poor.xml c2 --per-write
is 'predict: --per-write has columns of the models that have a prediction' \
	"$(sed -n '1s/,/\n/gp' out | sed -n 's/_ns$//p' | grep -v _ | tr '\n' ' ')" 'delay naive '
sed 's|.*"bw_cache_warm".*|<unknown name="bw_cache_warm" why="needs root"/>|' s.xml >why.xml
check_exit 0 'predict: a calibration that says why a value is missing is accepted' iowrite-bench predict --system why.xml c2
check 'predict: the text passes on why a value is missing' \
	grep -qx 'kernel: no prediction: the calibration lacks bw_cache_warm: needs root' out
check_exit 2 'predict: a calibration that lacks a value of every model is refused' \
	iowrite-bench predict --system poor.xml --model cawl,kernel c2
is 'predict: the refusal names the missing value and the model' \
	"$(cat err)" 'iowrite-bench: poor.xml: lacks bw_cache_warm, which the model cawl needs: calibrate again'

# --- bands of throttled writes
sed '/<throttled/d' s.xml >bandless.xml
check_exit 0 'predict: a calibration without bands is accepted' iowrite-bench predict --system bandless.xml --model kernel c2
is 'predict: a calibration without bands gives no warning' "$(cat err)" ''
check 'predict: without bands there is no interval' sh -c 'grep -q "^kernel " out && ! grep -q " band " out'
for bad in 'typical="99"' 'typical="x"' 'think="y"'; do
	sed "s/<throttled /&$bad /" s.xml >band.xml
	check_exit 2 "predict: a band with $bad is refused" iowrite-bench predict --system band.xml c2
	check "predict: the refusal of a band with $bad says what is allowed" \
		grep -qx "iowrite-bench: band.xml:[0-9]*: throttled: needs an index from 0 to 5, a size, rising p10, p50 and p90 above 0, and typical between them" err
done
sed 's/<iowritesystem version="1.2"/<iowritesystem version="1.1"/' s.xml >other.xml
check_exit 2 'predict: a calibration of another version is refused' iowrite-bench predict --system other.xml c2
is 'predict: the refusal of another version says to calibrate again' "$(cat err)" \
	'iowrite-bench: other.xml:3: iowritesystem: has another version than 1.2: calibrate again'

# --- refusals: refused LINE ARGUMENT...
refused_by() { # STATUS LINE ARGUMENT...
	refused_status=$1
	refused_line=$2
	shift 2
	check_exit "$refused_status" "predict: $* is refused" iowrite-bench predict "$@"
	is "predict: $* is refused in one line" "$(cat err)" "$refused_line"
	check "predict: $* prints nothing on stdout" test ! -s out
}
refused() {
	refused_by 2 "$@"
}
refused "iowrite-bench: --system: is required: the calibration that iowrite-bench calibrate -o FILE writes" c2
refused "iowrite-bench: nothing to predict: name a scenario (iowrite-bench scenarios lists them), or give --trace FILE or --bs SIZE" \
	--system s.xml
refused "iowrite-bench: SCENARIO and --bs: both give the writes; keep one" --system s.xml c2 --bs 4k
refused "iowrite-bench: SCENARIO and --trace: both give the writes; keep one" --system s.xml c2 --trace ops.csv
refused "iowrite-bench: --trace and --bs: both give the writes; keep one" --system s.xml --trace ops.csv --bs 4k
for word in --size=1m --rw=randwrite --thinktime=1ms --files=2; do
	refused "iowrite-bench: ${word%%=*}: needs --bs" --system s.xml c2 "$word"
	refused "iowrite-bench: ${word%%=*}: needs --bs" --system s.xml --trace ops.csv "$word"
done
refused "iowrite-bench: --files 257: must be a whole number from 1 to 256" --system s.xml --bs 4k --files 257
refused "iowrite-bench: --stdio: no model covers one libc buffer for each of several files; drop --stdio" \
	--system s.xml --bs 4k --stdio --files 2
refused "iowrite-bench: --files 3: is more than the 2 writes of --bs in --size; give fewer files, or a larger --size" \
	--system s.xml --bs 4k --size 8k --files 3
refused "iowrite-bench: --files: each of several files ends within 16 TiB; give a smaller --size" \
	--system s.xml --bs 64g --size 64t --files 2
printf 'offset,size,file\n17592186040320,8192,1\n' >far.csv
refused "iowrite-bench: far.csv:2: ends beyond 16 TiB, where each of several files ends at most" --system s.xml --trace far.csv
printf 'offset,size,file\n0,4096,256\n' >many.csv
refused "iowrite-bench: many.csv:2: file 256 is not from 0 to 255" --system s.xml --trace many.csv
refused "iowrite-bench: --back: needs --rw" --system s.xml --bs 4k --back 0.1
refused "iowrite-bench: --back 0.1: needs --rw=backwrite" --system s.xml --bs 4k --rw randwrite --regime overwrite --back 0.1
for word in --mode=sync --sync-each=none --regime=append --stdio; do
	refused "iowrite-bench: SCENARIO and ${word%%=*}: a scenario has its own" --system s.xml c2 "$word"
done
refused "iowrite-bench: --size 4k: is less than one write of --bs; give a larger one" --system s.xml --bs 1m --size 4k
refused "iowrite-bench: --rw randwrite: needs a preallocated or existing file; give --regime=prealloc or overwrite" --system s.xml --bs 4k --rw randwrite
refused "iowrite-bench: --back 0: is the same as --rw=write; use that, or a larger fraction" --system s.xml --bs 4k --rw backwrite --back 0
refused "iowrite-bench: --sync-each syncfs: no model predicts syncfs (fsync and fdatasync are predicted); give --sync-each=none to predict the writes alone" \
	--system s.xml --bs 4k --sync-each syncfs
refused "iowrite-bench: --sync-each fsync: with --mode=dsync each write is durable before the sync, of which no cost was calibrated; give --sync-each=none" \
	--system s.xml --bs 4k --mode dsync --sync-each fsync
refused "iowrite-bench: --sync-each fdatasync: a sync after each write leaves nothing in the libc's buffer; drop --stdio" \
	--system s.xml --bs 4k --stdio --sync-each fdatasync
sed '2s/100000/0/' timed.csv >every.csv
refused "iowrite-bench: --trace every.csv: only 1 of 2 writes are followed by a sync (sync_ns), and the models cover one after each write; give --sync-each=none to predict the writes alone" \
	--system s.xml --trace every.csv
refused "iowrite-bench: --buffer 8k: needs --stdio" --system s.xml --bs 4k --buffer 8k
refused "iowrite-bench: --stdio: cannot keep the alignment that O_DIRECT needs; give another --mode" --system s.xml --bs 4k --stdio --mode direct
refused "iowrite-bench: --limit-bg 2g: must be below --limit-hard: write-back begins before the limit" --system s.xml c2 --limit-bg 2g --limit-hard 1g
refused "iowrite-bench: write-back at 536870912 dirty bytes is not below the limit of 1048576; give both --limit-bg and --limit-hard" \
	--system s.xml c2 --limit-hard 1m
refused "iowrite-bench: --paper-literal: needs --model=cawl" --system s.xml c2 --paper-literal --model kernel
refused "iowrite-bench: --detail: needs --model=kernel" --system s.xml c2 --detail --model cawl
refused "iowrite-bench: --per-write and --json: both would write stdout; give them two names" --system s.xml c2 --json --per-write
refused "iowrite-bench: --size: is 268435456 writes of --bs, and up to 10000000 are predicted" --system s.xml --bs 4k --size 1t
refused "iowrite-bench: SCENARIO c99: no such scenario; iowrite-bench scenarios lists them" --system s.xml c99
refused "iowrite-bench: c1: one argument too many: SCENARIO is c2 already" --system s.xml c2 c1
refused "iowrite-bench: --model fast: must be a list of naive, cawl, kernel" --system s.xml c2 --model fast
refused "iowrite-bench: --model cawl,: must be a list of naive, cawl, kernel" --system s.xml c2 --model cawl,
refused "iowrite-bench: --mode slow: must be buffered, sync, dsync, direct, direct-sync or direct-dsync" \
	--system s.xml --bs 4k --mode slow
refused "iowrite-bench: --regime new: must be append, prealloc or overwrite" --system s.xml --bs 4k --regime new
refused "iowrite-bench: --mem hot: must be warm, cold or as-is" --system s.xml c2 --mem hot
refused "iowrite-bench: --stdio bsd: must be glibc, musl, unbuffered or paper" --system s.xml --bs 4k --stdio=bsd
refused "iowrite-bench: --rw read: must be write, randwrite or backwrite" --system s.xml --bs 4k --rw read
refused "iowrite-bench: --bs 0: must be a size from 1B to 64G" --system s.xml --bs 0
refused "iowrite-bench: --bs 65g: must be a size from 1B to 64G" --system s.xml --bs 65g
refused "iowrite-bench: --limit-bg x: must be a size from 1B to 1P" --system s.xml c2 --limit-bg x
refused "iowrite-bench: --ratelimit0 -1: must be a size from 1B to 1P" --system s.xml c2 --ratelimit0 -1
refused "iowrite-bench: --thinktime 2d: must be a time from 0 to 24h" --system s.xml --bs 4k --thinktime 2d
refused "iowrite-bench: --back 1: must be a number from 0 to 0.999" --system s.xml --bs 4k --rw backwrite --back 1
refused "iowrite-bench: --seed x: must be a whole number from 0 to 2^64 - 1" --system s.xml --bs 4k --seed x
refused_by 3 "iowrite-bench: --per-write /nowhere/x: cannot be written: No such file or directory" --system s.xml c2 --per-write=/nowhere/x
refused "iowrite-bench: --per-write and --json: both would write x; give them two names" --system s.xml c2 --per-write=x --json=x
refused_by 3 "iowrite-bench: --json /nowhere/x: cannot be written: No such file or directory" --system s.xml c2 --json=/nowhere/x

refused "iowrite-bench: --trace none.csv: cannot be read: No such file or directory" --system s.xml --trace none.csv
refused "iowrite-bench: --trace .: cannot be read: Is a directory" --system s.xml --trace .
printf 'offset,size\n0,4k\n' >bad.csv
refused "iowrite-bench: bad.csv:2: size '4k' is not a number: digits only" --system s.xml --trace bad.csv
check_exit 2 'predict: a calibration that is not XML is refused' iowrite-bench predict --system ops.csv c2
is 'predict: the refusal of text that is not XML names the line' "$(cat err)" 'iowrite-bench: ops.csv:1: not XML'
refused "iowrite-bench: none.xml: No such file or directory" --system none.xml c2
if [ -w /dev/full ]; then
	check_exit 3 'predict: --per-write to a full device ends with 3' \
		sh -c 'iowrite-bench predict --system s.xml c2 --per-write >/dev/full'
	is 'predict: --per-write to a full device is reported in one line' \
		"$(cat err)" 'iowrite-bench: --per-write -: cannot be written: No space left on device'
fi
tap_done
