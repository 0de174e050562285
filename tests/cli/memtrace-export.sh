#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# memtrace export: each format has each sample, read back by the format's description; what is refused.
. "$top_srcdir/tests/lib/tap.sh"
. "$top_srcdir/tests/lib/program.sh"
command -v python3 >/dev/null || skip_all 'python3 is not installed, which writes the recordings'
python3 "$top_srcdir/tests/lib/trace.py" scan "$tmp/scan.mtr"
python3 "$top_srcdir/tests/lib/trace.py" query "$tmp/query.mtr"
python3 "$top_srcdir/tests/lib/trace.py" shared "$tmp/shared.mtr"
cd "$tmp" || exit 1

# --- what is refused
refuses 'memtrace: export: the name of a recording is missing' memtrace export
refuses 'memtrace: export: one recording at a time; b is a second' memtrace export a b
refuses 'memtrace: --to oraclegeneral: needs a file; name one by --output' memtrace export --to oraclegeneral scan.mtr
refuses 'memtrace: -b 3000: must be a power of two' memtrace export --bucket 3000 scan.mtr
check_exit 2 "export --to refuses a format that does not exist" memtrace export --to nonsense scan.mtr
check_exit 2 "export -o refuses the name of the recording" memtrace export -o scan.mtr scan.mtr
check_exit 0 "export: the recording that -o named can still be read" memtrace report scan.mtr
check_exit 3 "export -o in a folder that does not exist ends with 3" memtrace export -o no/such scan.mtr
check_exit 2 "export is refused when the filters leave no sample" memtrace export --kind store scan.mtr
echo nonsense >file
check_exit 2 "export refuses a file that is not a recording" memtrace export file
[ -w /dev/full ] && check_exit 3 "export -o on a full disk ends with 3" memtrace export -o /dev/full scan.mtr
status=0
memtrace export scan.mtr >&- 2>err || status=$?
is "export to a closed standard output ends with 3 and one line" \
	"$status $(cat err)" '3 memtrace: cannot write standard output: Bad file descriptor'
echo before >kept.csv
check "export fails when its file cannot be written completely" \
	sh -c '! (ulimit -f 1; memtrace export -o kept.csv scan.mtr) 2>/dev/null'
is "export leaves the old file when the new one cannot be written" "$(cat kept.csv)" before

# --- CSV
check_exit 0 "export prints CSV" memtrace export query.mtr --range 'a,"b=7f0000000000-7f0000100000/16'
check "export does not repeat which samples are missing" sh -c "! grep -q missing '$tmp/err'"
python3 - "$tmp/out" >facts <<'END'
import csv, sys
rows = list(csv.DictReader(open(sys.argv[1], newline="")))
print(len(rows), {row["thread"] for row in rows}, {row["process"] for row in rows}, {row["kind"] for row in rows})
print(sorted({row["region"] for row in rows}))
inside = [row for row in rows if row["region"] == 'a,"b']
print(len(inside), all(int(r["offset"]) == int(r["address"]) - 0x7F0000000000 for r in inside),
    all(int(r["element"]) == int(r["offset"]) // 16 for r in inside), int(rows[1]["time_ns"]) - int(rows[0]["time_ns"]))
END
is "CSV has each sample with its thread, process and kind" "$(sed -n 1p facts)" "40000 {'100'} {'100'} {'load'}"
is "CSV has the region of each sample" "$(sed -n 2p facts)" "['//anon', '[heap]', 'a,\"b']"
is "CSV has offset, element and time of the samples in a range" "$(sed -n 3p facts)" "2048 True True 1000"
check_exit 0 "export --region of one mapping succeeds" memtrace export --region '[heap]' query.mtr -o heap.csv
is "export --region writes the samples of the mapping only" "$(wc -l <heap.csv)" 20001

# --- ChampSim: ip, branch, taken, 2 and 4 registers, 2 addresses written, 4 read
check_exit 0 "export --to champsim succeeds" memtrace export --to champsim shared.mtr -o shared.champsim
is "export --to champsim writes 64 bytes per sample" "$(wc -c <shared.champsim)" $((200 * 64))
is "export --to champsim: stores write their address, and updates also read it" "$(python3 -c 'import struct
data = open("shared.champsim", "rb").read()
print({struct.unpack_from("<Q8x6Q", data, i * 64)[1:] for i in range(200)} == {(0x7F0000000000, 0, 0, 0, 0, 0), (0x7F0000000020, 0, 0x7F0000000020, 0, 0, 0)})')" True
if [ -w /dev/full ]; then
	memtrace export -o /dev/full scan.mtr >"$tmp/out" 2>"$tmp/err"
	is "export -o on a full disk names the file in one line" \
		"$? $(cat "$tmp/err")" '3 memtrace: cannot write /dev/full: No space left on device'
fi
memtrace export --to champsim scan.mtr >scan.champsim
is "export --to champsim: loads read their address" "$(python3 -c 'import struct
print(struct.unpack_from("<Q8x6Q", open("scan.champsim", "rb").read(), 64) == (0, 0, 0, 0x7F0000001000, 0, 0, 0))')" True

# --- drmemtrace: type, size, value; header, version 3, filtered; thread, process; 29 an instruction, 0 a load, 1 a store; footer
check_exit 0 "export --to drmemtrace succeeds" memtrace export --to drmemtrace shared.mtr -o shared.drmemtrace
cat >entries.py <<'END'
import struct, sys
entries = list(struct.iter_unpack("<HHQ", open(sys.argv[1], "rb").read()))
print(entries[:3], entries[-1], sorted({e[0] for e in entries[3:-1]}), sum(e[0] < 2 for e in entries))
print([e for e in entries if e[0] in (22, 24)][:4])
print(sorted({e for e in entries if e[0] < 2}))
END
python3 entries.py shared.drmemtrace >entries
is "export --to drmemtrace begins with version and filter flag and ends with a footer" "$(sed -n 1p entries)" \
	'[(25, 0, 3), (28, 12, 3), (28, 9, 384)] (26, 0, 0) [0, 1, 22, 24] 300'
is "export --to drmemtrace: each thread has its process" \
	"$(sed -n 2p entries)" '[(22, 4, 100), (24, 4, 100), (22, 4, 101), (24, 4, 100)]'
is "export --to drmemtrace: a store writes, an update reads and writes" "$(sed -n 3p entries)" \
	"[(0, 1, $((0x7F0000000020))), (1, 1, $((0x7F0000000000))), (1, 1, $((0x7F0000000020)))]"

# --- oracleGeneral: seconds, object, size, the object's next request
check_exit 0 "export --to oraclegeneral succeeds" memtrace export --to oraclegeneral scan.mtr -o scan.oracle
is "export --to oraclegeneral: each request has the next request of its object" "$(python3 -c 'import struct
rows = list(struct.iter_unpack("<IQIq", open("scan.oracle", "rb").read()))
print(len(rows), len({r[1] for r in rows}), {r[2] for r in rows}, all(r[3] == (i + 50 if i + 50 < 5000 else -1) for i, r in enumerate(rows)))')" \
	'5000 50 {4096} True'

# --- pmbench: popularity, and the order where every access was recorded
check_exit 0 "export --to pmbench succeeds" memtrace export --to pmbench scan.mtr -o scan.pattern
is "export --to pmbench writes the pages, their counts and their order" "$(sed -n '1,4p; 54,57p' scan.pattern | tr '\n' ',')" \
	'memstor-pattern 1,page_bytes 4096,pages 50,0 100,order 5000,0,1,2,'
is "export --to pmbench writes every page and every access" "$(wc -l <scan.pattern)" $((3 + 50 + 1 + 5000))
check_exit 0 "export --to pmbench of samples succeeds" memtrace export --to pmbench query.mtr -o query.pattern
check "export --to pmbench of samples writes no order" sh -c '! grep -q order query.pattern'
is "export --to pmbench of samples counts every sample" "$(awk 'NR > 3 { sum += $2 } END { print sum }' query.pattern)" 40000
check "export --to pmbench of many samples of each page warns of nothing" sh -c "! grep -q smooth '$tmp/err'"
python3 "$top_srcdir/tests/lib/trace.py" large "$tmp/few.mtr" 265
check_exit 0 "export --to pmbench of few samples succeeds" memtrace export --to pmbench few.mtr -o few.pattern
is "export --to pmbench of few samples warns that pages are missing, and names --smooth" \
	"$(grep -c 'accesses .* go to pages without a sample.*give --smooth' "$tmp/err")" 1
check_exit 0 "export --to pmbench --smooth succeeds" memtrace export --to pmbench --smooth --region //anon few.mtr -o smooth.pattern
check "export --smooth warns of no missing pages" sh -c "! grep -q smooth '$tmp/err'"
is "export --smooth has every page of the mapping, and gives the new ones the share of pages with one sample" \
	"$(awk 'FNR == NR { if (FNR > 3) { ones += $2 == 1; samples += $2; pages++ } next }
		FNR == 3 { all = $2 } FNR > 3 { sum += $2; if ($1 >= pages) more += $2 }
		END { share = ones / samples - more / sum; print all, (pages < 265), (share < 0.001 && share > -0.001) }' \
		few.pattern smooth.pattern)" '262144 1 1'
check_exit 2 "export --smooth is refused for other formats" memtrace export --smooth few.mtr
for engine in refault popularity; do
	python3 "$top_srcdir/tests/lib/trace.py" $engine "$tmp/$engine.mtr"
done
check_exit 2 "export --to pmbench of pages that were drawn uniformly is refused" memtrace export --to pmbench refault.mtr
is "export --to pmbench of pages that were drawn uniformly names what to record instead" \
	"$(grep -c 'drawn uniformly.*popularity or burst' "$tmp/err")" 1
check_exit 0 "export --to pmbench of popularity succeeds" memtrace export --to pmbench popularity.mtr -o popularity.pattern
is "export --to pmbench of popularity has the samples of the bursts alone" \
	"$(awk 'NR == 3 { pages = $2 } NR > 3 { sum += $2 } END { print pages, sum }' popularity.pattern)" '2 300'
check_exit 0 "export --to pmbench --smooth of popularity succeeds" \
	memtrace export --to pmbench --smooth --region //anon popularity.mtr -o popularity.smooth
is "export to CSV of popularity has the faults, too" "$(memtrace export popularity.mtr | wc -l)" 2301
check_exit 0 "pmbench --pattern-file accepts an exported pattern" \
	pmbench -m 1 --pattern-file scan.pattern --accesses 5000 --warmup none --dry-run 1
check "pmbench --pattern-file names its pattern recorded" grep -q '^pattern  *recorded' "$tmp/out"
check_exit 2 "pmbench --pattern-file refuses a set that is too small" pmbench -m 1 -s 100k --pattern-file scan.pattern --dry-run 1
check "pmbench --pattern-file: the error says that the pattern has more pages than the set" \
	grep -q 'more pages than the set' "$tmp/err"
check_exit 2 "pmbench -p with --pattern-file is refused" pmbench -m 1 -p zipf --pattern-file scan.pattern --dry-run 1

# --- cut off
head -c 100000 query.mtr >cut.mtr
check_exit 4 "export of a recording that was cut off ends with 4" memtrace export cut.mtr -o cut.csv
check "export of a recording that was cut off writes the samples before its end" test "$(wc -l <cut.csv)" -gt 1000
tap_done
