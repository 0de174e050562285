#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# iowrite-bench run against fio's psync engine: the same sizes, modes and bytes, in interleaved pairs (A B B A), pinned to
# one CPU. Mean cost of a write, of a sync, and operations a second. BENCH_DIR (a folder on the disk; default .), PAIRS
# (default 7), BENCH_SIZE and BENCH_SYNC_SIZE (bytes of a buffered or direct, and of a synced run; 256m, 16m), BENCH_CPU.
# Needs fio, python3 and an idle machine. Prints Markdown tables. Both write over a file that was written, fsynced and not
# dropped from the page cache, or is fallocated: fio has no file that grows (it sets the length first). fio scrambles
# its buffer between writes, which iowrite-bench does not: turned off.
set -eu
here=$(dirname "$0")
# shellcheck source=bench/lib.sh
. "$here/lib.sh"
build=${top_builddir:-$here/../build}
ours=$build/iowrite-bench/iowrite-bench
target=${BENCH_DIR:-.}
pairs=${PAIRS:-7}
size=${BENCH_SIZE:-256m}
sync_size=${BENCH_SYNC_SIZE:-16m}
cpu=${BENCH_CPU:-$(nproc --all | awk '{ print $1 - 1 }')}
dir=$(mktemp -d)
file=$target/iowrite-vs-fio.$$
trap 'rm -rf "$dir" "$file"' EXIT
trap 'exit 1' HUP INT TERM

for need in fio python3; do
	command -v $need >/dev/null || { echo "skipped: $need is not installed"; exit 0; }
done

# Three lines: operations a second, mean write in ns, mean sync in ns (or nothing).
cat >"$dir/ours.py" <<'END'
import json, sys
cell = json.load(open(sys.argv[1]))["iowritebench"]["report"]["result"]["cells"]["cell"][0]
for name in ("operations_per_second", "write_mean_ns", "sync_mean_ns"):
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

keep() { # keep NAME SIDE: of the three lines on stdin
	for what in rate write sync; do
		read -r value || value=
		[ -z "$value" ] || echo "$value" >>"$dir/$1.$what.$2"
	done
}

# once SIDE NAME BS BYTES MODE REGIME SYNC RW
once() {
	sync -f "$target"
	if [ "$1" = a ]; then
		"$ours" run --directory="$target" --cpus="pu:$cpu" --rounds=1 --interval=0 --method=pwrite --bs="$3" --size="$4" --mode="$5" \
			--regime="$6" --sync-each="$7" --rw="$8" --json="$dir/out" >/dev/null
		python3 "$dir/ours.py" "$dir/out" | keep "$2" a
		return
	fi
	rm -f "$file"
	# As iowrite-bench does it: written by writes of this size, and on the disk.
	[ "$6" = prealloc ] || fio --name=lay --filename="$file" --ioengine=psync --fallocate=none --bs="$3" --size="$4" --rw=write \
		--end_fsync=1 >/dev/null
	sync -f "$target"
	set -- "$@" --bs="$3" --size="$4" --rw="$8"
	[ "$5" = direct ] && set -- "$@" --direct=1
	[ "$7" = none ] || set -- "$@" --"$7"=1
	case $6 in
	overwrite) set -- "$@" --overwrite=1 --fallocate=none ;;
	prealloc) set -- "$@" --fallocate=native ;;
	esac
	name=$2
	shift 8
	taskset -c "$cpu" fio --name=bench --filename="$file" --ioengine=psync --invalidate=0 --scramble_buffers=0 --thread \
		--randrepeat=1 --output-format=json "$@" >"$dir/out"
	python3 "$dir/fio.py" "$dir/out" | keep "$name" b
}

compare() { # compare NAME BS BYTES MODE REGIME SYNC RW
	i=0
	while [ "$i" -lt "$pairs" ]; do
		if [ $((i % 2)) -eq 0 ]; then order='a b'; else order='b a'; fi
		for side in $order; do
			once "$side" "$@"
		done
		i=$((i + 1))
	done
	for what in rate write sync; do
		[ -s "$dir/$1.$what.a" ] || continue
		row "$1" "$dir/$1.$what.a" "$dir/$1.$what.b" >>"$dir/$what"
	done
}

table() { # table WHAT TITLE
	echo "## $2"
	echo
	echo '| case | iowrite-bench: median (min..max) | fio | ratio of pairs: median (min..max) |'
	echo '|---|---|---|---|'
	cat "$dir/$1"
	echo
}

compare buffered-4k 4k "$size" buffered overwrite none write
compare buffered-64k 64k "$size" buffered overwrite none write
compare buffered-1m 1m "$size" buffered overwrite none write
compare buffered-rand-4k 4k "$size" buffered overwrite none randwrite
compare direct-4k 4k "$sync_size" direct overwrite none write
compare direct-64k 64k "$size" direct overwrite none write
compare direct-prealloc-4k 4k "$sync_size" direct prealloc none write
compare fdatasync-4k 4k "$sync_size" buffered overwrite fdatasync write
compare fsync-4k 4k "$sync_size" buffered overwrite fsync write
echo "iowrite-bench run and $(fio --version), psync, $pairs pairs on CPU $cpu, $(stat -f -c %T "$target")"
echo
table rate 'Operations a second'
table write 'Mean cost of a write, ns'
table sync 'Mean cost of a sync, ns'
