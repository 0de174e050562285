#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Files of records: analyze records prints all that is in them, and docs/dump-format.md is enough to read them.
. "$top_srcdir/tests/lib/tap.sh"
. "$top_srcdir/tests/lib/ssd.sh"
command -v python3 >/dev/null || skip_all 'needs python3'
is_same_by_the_page() { # DESCRIPTION FILE
	ssd-workloads analyze records "$2" >"$work/ours.csv"
	python3 "$top_srcdir/tests/lib/read-dump.py" "$2" >"$work/theirs.csv" 2>"$work/why"
	check "$1: a reader made from docs/dump-format.md gives the same records" cmp "$work/ours.csv" "$work/theirs.csv"
}
is_same_by_the_page 'records with a trace' "$top_srcdir/tests/fuzz/corpus-ssd_dump/small"
is 'records with a trace: all 6 records are printed' "$(wc -l <"$work/ours.csv" | tr -d ' ')" 7
is 'version 1 of the format: the time of flushes is not known' \
	"$(awk -F , 'NR > 1 && ($16 == "own") && $17 > 0 && $22 > 0 && $23 $24 == "" { right++ } END { print (right > 0) }' "$work/ours.csv")" 1
is_same_by_the_page 'writes with their syncs' "$top_srcdir/tests/fuzz/corpus-ssd_dump/syncs"
is 'writes with their syncs: a flush has a time' \
	"$(awk -F , 'NR > 1 && ($6 == 0) != ($24 > 0) { wrong++ } END { print wrong + 0, (NR == 7) }' "$work/ours.csv")" '0 1'
is 'fig4 lists every sync with --rows=0' \
	"$(ssd-workloads analyze fig4 "$top_srcdir/tests/fuzz/corpus-ssd_dump/syncs" --rows=0 | cut -f 2,15 | grep -c '^sync	')" 3
need_direct
record() { # OPTION...
	ssd-workloads run --mix=custom --log-depth=4 --log-bs=4k --log-size=1m --ckpt-depth=2 --ckpt-bs=64k --ckpt-size=4m \
		--trace=off --runtime=300ms --target="$work" --dump="$work/run.rec" "$@" >"$tmp/out"
}
check_exit 0 'a closed loop is recorded' record
is_same_by_the_page 'a closed loop' "$work/run.rec"
is 'a closed loop: writes are due when they begin' \
	"$(awk -F , 'NR > 1 && $11 != $12 { wrong++ } END { print wrong + 0 }' "$work/ours.csv")" 0
record --rate=3000 --group-commit=3 --workers=2
is_same_by_the_page 'an open loop of two workers' "$work/run.rec"
is 'an open loop: no write of the log begins before it is due' \
	"$(awk -F , '$1 == "log" && $12 < $11 { wrong++ } END { print wrong + 0 }' "$work/ours.csv")" 0
is 'a dump in CSV has records of each stream' "$(cut -d , -f 1 "$work/ours.csv" | sort -u | tr '\n' ' ')" 'checkpoint log stream '
check_exit 2 'analyze records refuses -f -' ssd-workloads analyze records "$work/run.rec" -f -
is 'analyze records refuses -f - in one line' \
	"$(cat "$tmp/err")" 'ssd-workloads: -f -: records prints CSV on standard output; omit it'
check_exit 2 'analyze records refuses --rows' ssd-workloads analyze records "$work/run.rec" --rows=5
check_exit 2 'analyze records refuses --alone' ssd-workloads analyze records "$work/run.rec" --alone="$work/run.rec"
tap_done
