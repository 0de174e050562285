#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# memtrace import of what perf itself has recorded here: each page that a program touches, in its mapping; and what perf lost.
. "$top_srcdir/tests/lib/tap.sh"
command -v perf >/dev/null || skip_all 'perf is not installed (package linux-perf)'
command -v python3 >/dev/null || skip_all 'python3 is not installed, which touches memory'
cd "$tmp" || exit 1
PATH=$top_builddir/memtrace:$PATH
perf record -q -e page-faults -c 1 -d -o probe.data true >out 2>err || skip_all "perf cannot record page faults here: $(tail -n 1 err)"

cat >touch.py <<'END'
import ctypes, mmap, sys
pages, rounds = int(sys.argv[1]), int(sys.argv[2])
area = mmap.mmap(-1, pages * mmap.PAGESIZE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
area.madvise(mmap.MADV_NOHUGEPAGE)
start = ctypes.addressof(ctypes.c_char.from_buffer(area))
for round in range(rounds):
    for page in range(pages):
        area[page * mmap.PAGESIZE] = 1
    if round + 1 < rounds:
        area.madvise(mmap.MADV_DONTNEED)
print(f"{start:#x}-{start + pages * mmap.PAGESIZE:#x}")
END
perf record -q -e page-faults -c 1 -d -o faults.data -- python3 touch.py 3000 1 >range 2>err
check_exit 0 "import of a perf.data of page faults succeeds" memtrace import -o faults.mtr faults.data
check "import has as many samples as perf" test "$(sed -n 's/.*: \([0-9]*\) samples of page-faults.*/\1/p' "$tmp/err")" = \
	"$(perf script -i faults.data -F addr 2>/dev/null | wc -l)"
memtrace export --range "area=$(tail -n 1 range)/$(getconf PAGESIZE)" --region area faults.mtr 2>err >area.csv
is "each page that was touched has a sample" "$(sed 1d area.csv | cut -d, -f10 | sort -u | wc -l)" 3000
check_exit 0 "report of the imported recording succeeds" memtrace report faults.mtr
check "nearly all samples are in a known mapping" awk '/^named/ { exit !($2 > 95) }' "$tmp/out"

# perf writes what it knows of the events of a pipe into the stream.
perf record -q -e page-faults -c 1 -d -o - -- python3 touch.py 3000 1 >piped.data 2>err
check_exit 0 "import of what perf record -o - wrote succeeds" memtrace import -o piped.mtr piped.data
is "import of what perf record -o - wrote has as many samples as perf" \
	"$(sed -n 's/.*: \([0-9]*\) samples of page-faults.*/\1/p' "$tmp/err")" \
	"$(perf script -i piped.data -F addr 2>/dev/null | grep -vc '^$')"
check_exit 2 "import refuses a perf.data on standard input" sh -c 'memtrace import -o none.mtr - <piped.data'
check "the refusal of a perf.data on standard input says how to record it" grep -q 'perf record -o FILE' "$tmp/err"

# A ring of one page, and a reader with the least priority: perf loses some.
nice -n 19 perf record -q -m 1 -e page-faults -c 1 -d -o lost.data -- python3 touch.py 2000 100 >out 2>err
lost=$(perf script -i lost.data --show-lost-events -F pid,tid,time,event,addr 2>/dev/null |
	awk '/PERF_RECORD_LOST lost/ { n += $NF } END { print n + 0 }')
if [ "$lost" -gt 0 ]; then
	check_exit 0 "import of a perf.data with losses succeeds" memtrace import -q -o lost.mtr lost.data
	is "report says how many samples perf lost" \
		"$(memtrace report lost.mtr | sed -n 's/^missing  *\([0-9]*\) lost by the kernel.*/\1/p')" "$lost"
else
	skip "import of a perf.data with losses succeeds" 'perf lost nothing'
fi
tap_done
