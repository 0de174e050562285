#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# iowrite-bench run against fio's psync engine: the same sizes, modes, layouts and bytes, in interleaved pairs (A B B A),
# both pinned to one CPU. Operations a second, mean cost of a write, of a sync.
# Usage: iowrite-vs-fio.sh [PART...]    overwrite append direct direct-sync sync each; all if none is given.
# BENCH_DIR (a folder on the disk; default .), PAIRS (default 7), BENCH_TIME (ms of a run that writes the same 64 MiB
# again and again; default 1000), BENCH_APPEND (bytes of a file that grows, written once; default 512m), BENCH_CPU.
# Needs fio, python3 and an idle machine. Prints Markdown.
#
# What is done so that both do the same: nothing is pinned but the thread that writes; a file that is written over was
# laid by buffered writes of the same size, fsynced, and is in the page cache; a file that grows is empty, and the one
# before is gone; fio's data is the same in each write and aligned to a page, as ours is, it gives the kernel no advice, and its own
# process waits elsewhere.
set -eu
here=$(dirname "$0")
# shellcheck source=bench/lib.sh
. "$here/lib.sh"
build=${top_builddir:-$here/../build}
ours=$build/iowrite-bench/iowrite-bench
target=${BENCH_DIR:-.}
pairs=${PAIRS:-7}
time=${BENCH_TIME:-1000}
append=${BENCH_APPEND:-512m}
cpu=${BENCH_CPU:-$(nproc --all | awk '{ print $1 - 1 }')}
dir=$(mktemp -d)
file=$target/iowrite-vs-fio.$$
trap 'rm -rf "$dir" "$file"' EXIT
trap 'exit 1' HUP INT TERM

for need in fio python3; do
	command -v $need >/dev/null || { echo "iowrite-vs-fio: skipped: $need is not installed" >&2; exit 0; }
done

# Three lines: operations a second, mean write in ns, mean sync in ns (or nothing); and a fourth, page faults of ours.
cat >"$dir/ours.py" <<'END'
import json, sys
cell = json.load(open(sys.argv[1]))["iowritebench"]["report"]["result"]["cells"]["cell"][0]
for name in ("operations_per_second", "write_mean_ns", "sync_mean_ns", "page_faults"):
    print(cell.get(name, ""))
END
cat >"$dir/fio.py" <<'END'
import json, sys
text = open(sys.argv[1]).read()
job = json.loads(text[text.index("{"):])["jobs"][0]
print(job["write"]["iops"])
print(job["write"]["lat_ns"]["mean"])
print(job["sync"]["lat_ns"]["mean"] if job["sync"]["lat_ns"].get("N") else "")
END

keep() { # keep CASE SIDE: of the lines on stdin
	for what in rate write sync faults; do
		read -r value || value=
		[ -z "$value" ] || echo "$value" >>"$dir/$1.$what.$2"
	done
}

# run_ours CASE BS MODE REGIME SYNC RW
run_ours() {
	set -- "$@" --directory="$target" --cpus="pu:$cpu" --rounds=1 --interval=0 --method=pwrite --bs="$2" --mode="$3" \
		--regime="$4" --sync-each="$5" --rw="$6"
	if [ "$4" = append ]; then set -- "$@" --size="$append"; else set -- "$@" --runtime="${time}ms"; fi
	name=$1
	shift 6
	# A run that was disturbed counts, as fio's does: fio would not say so.
	"$ours" run "$@" --json="$dir/out" >"$dir/text" 2>&1 || [ $? -eq 4 ] || { cat "$dir/text" >&2; exit 1; }
	python3 "$dir/ours.py" "$dir/out" | keep "$name" a
}

run_fio() { # as run_ours
	if [ "$4" = overwrite ]; then
		fio --name=lay --filename="$file" --ioengine=psync --fallocate=none --bs="$2" --size=64m --rw=write --end_fsync=1 \
			>/dev/null
		set -- "$@" --overwrite=1 --size=64m --time_based --runtime="${time}ms"
	else
		set -- "$@" --create_on_open=1 --size="$append"
	fi
	case $3 in
	direct) set -- "$@" --direct=1 ;;
	sync) set -- "$@" --sync=1 ;;
	direct-sync) set -- "$@" --direct=1 --sync=1 ;;
	esac
	[ "$5" = none ] || set -- "$@" --"$5"=1
	set -- "$@" --bs="$2" --rw="$6"
	name=$1
	shift 6
	fio --name=bench --filename="$file" --ioengine=psync --fallocate=none --invalidate=0 --fadvise_hint=0 \
		--scramble_buffers=0 --iomem_align=4096 --randrepeat=1 --thread --cpus_allowed="$cpu" --output-format=json "$@" >"$dir/out"
	rm -f "$file"
	python3 "$dir/fio.py" "$dir/out" | keep "$name" b
}

# compare BS MODE REGIME SYNC RW
compare() {
	set -- "$2.$4.$3.$5.$1" "$@" # as the report names it
	i=0
	while [ "$i" -lt "$pairs" ]; do
		if [ $((i % 2)) -eq 0 ]; then order='ours fio'; else order='fio ours'; fi
		for side in $order; do
			sync -f "$target"
			"run_$side" "$@"
		done
		i=$((i + 1))
	done
	for what in rate write sync; do
		[ -s "$dir/$1.$what.a" ] || continue
		case $what in
		rate) title='operations a second' ;;
		*) title="mean $what, ns" ;;
		esac
		row "$1 | $title" "$dir/$1.$what.a" "$dir/$1.$what.b"
	done
}

part() {
	case $1 in
	overwrite)
		for bs in 4k 64k 1m; do compare $bs buffered overwrite none write; done
		compare 4k buffered overwrite none randwrite
		;;
	append) for bs in 4k 64k 1m; do compare $bs buffered append none write; done ;;
	direct) for bs in 4k 64k 1m; do compare $bs direct overwrite none write; done ;;
	direct-sync) for bs in 4k 64k 1m; do compare $bs direct-sync overwrite none write; done ;;
	sync) for bs in 4k 64k 1m; do compare $bs sync overwrite none write; done ;;
	each)
		compare 4k buffered overwrite fsync write
		compare 4k buffered overwrite fdatasync write
		;;
	*) echo "iowrite-vs-fio: '$1': overwrite, append, direct, direct-sync, sync or each" >&2; exit 2 ;;
	esac
}

[ $# -gt 0 ] || set -- overwrite append direct direct-sync sync each
for part; do
	part "$part"
done
