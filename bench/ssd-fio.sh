#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# ssd-workloads run, with all its records, against fio's io_uring engine: the same jobs in the same file on the same areas, in
# interleaved pairs (A B B A). Operations a second and CPU time an operation of each stream. BENCH_DIR (a folder on the
# disk; default .), PAIRS (default 5), BENCH_SECONDS (of a run; 10), BENCH_MIXES, BENCH_LOG and BENCH_CKPT (bytes of the areas;
# 512m, 1g).
# Needs fio, python3 and an idle machine. Prints Markdown tables. fio has its rings' task work, registered buffers and file
# as ours (fixedbufs, registerfiles), one thread a job; its latency logs are off, our records are on: 64 bytes of every write.
# Both wait for one completion at least and take all that are there. fio submits each write by itself, as it does without
# being told otherwise; ours what has become free together. Of fio the CPU time is its thread's; ours has the kernel's own
# threads for io_uring in it as well. Ours begins with a trial of a tenth of the run, up to a second: so does fio's, or the
# one of the two would have more of what a disk lends in bursts.
set -eu
here=$(dirname "$0")
# shellcheck source=bench/lib.sh
. "$here/lib.sh"
build=${top_builddir:-$here/../build}
ours=$build/ssd-workloads/ssd-workloads
target=${BENCH_DIR:-.}
pairs=${PAIRS:-5}
seconds=${BENCH_SECONDS:-10}
trial=$(awk -v s="$seconds" 'BEGIN { s *= 100; print int(s < 100 ? 100 : s > 1000 ? 1000 : s) "ms" }')
mixes=${BENCH_MIXES:-M-N M-0 0-N 1-1 1-N 1-0 0-1}
log=${BENCH_LOG:-512m}
ckpt=${BENCH_CKPT:-1g}

for need in fio python3; do
	command -v $need >/dev/null || { echo "skipped: $need is not installed"; exit 0; }
done
fio --enghelp 2>/dev/null | grep -q 'io_uring$' || { echo "skipped: this fio has no engine io_uring"; exit 0; }
dir=$(mktemp -d)
file=$target/ssd-fio.$$
trap 'rm -rf "$dir" "$file"' EXIT
trap 'exit 1' HUP INT TERM

# "STREAM IOPS CPU_NS" a line. CPU: user and system time of the stream's thread.
cat >"$dir/ours.py" <<'END'
import json, sys
result = json.load(open(sys.argv[1]))["ssdworkloads"]["report"]["result"]
if result["engine"]["used"] != "uring":
    sys.exit("ssd-workloads used no io_uring here")
records = result["records"]
total = sum(stream["operations"] for stream in result["repetition"][0]["stream_result"])
if records["emitted"] < total or records["dropped"]:
    sys.exit("ssd-workloads has lost records")
for stream in result["repetition"][0]["stream_result"]:
    print(stream["stream"], stream["operations_per_second"], stream["cpu_ns_per_operation"])
END
cat >"$dir/fio.py" <<'END'
import json, sys
text = open(sys.argv[1]).read()
for job in json.loads(text[text.index("{"):])["jobs"]:
    cpu = (job["usr_cpu"] + job["sys_cpu"]) / 100 * job["job_runtime"] * 1e6
    print(job["jobname"], job["write"]["iops"], cpu / job["write"]["total_ios"])
END

keep() { # keep MIX SIDE: of the lines on stdin
	while read -r stream iops cpu; do
		echo "$iops" >>"$dir/$1.$stream.iops.$2"
		echo "$cpu" >>"$dir/$1.$stream.cpu.$2"
	done
}

# The plan has the areas' places and depths: fio gets the same.
fio_jobs() { # PLAN TIME
	python3 - "$1" "$file" "$2" <<'END'
import json, sys
plans = json.load(open(sys.argv[1]))["ssdworkloads"]["report"]["result"]["workload"]["stream_plan"]
print(f"""[global]
filename={sys.argv[2]}
direct=1
ioengine=io_uring
fixedbufs=1
registerfiles=1
rw=write
time_based=1
runtime={sys.argv[3]}
thread=1
invalidate=0
scramble_buffers=0
refill_buffers=0
overwrite=1
allow_file_create=0""")
for plan in plans:
    if plan["depth"]:
        print(f"""[{plan['stream']}]
bs={plan['block_bytes']}
iodepth={plan['depth']}
offset={plan['begin_bytes']}
size={plan['area_bytes']}""")
END
}

# A run that was disturbed counts, as fio's does: fio would not say so.
run_ours() { # OPTION...
	"$ours" run --target="$file" --keep --interval=0 --trace=off --log-size="$log" --ckpt-size="$ckpt" --require=uring "$@" \
		>"$dir/text" 2>&1 || [ $? -eq 4 ] || { cat "$dir/text" >&2; exit 1; }
}

once() { # SIDE MIX
	sync -f "$target"
	if [ "$1" = a ]; then
		run_ours --mix="$2" --runtime="${seconds}s" --json="$dir/out"
		python3 "$dir/ours.py" "$dir/out" >"$dir/lines"
	else
		fio_jobs "$dir/plan.$2" "$trial" >"$dir/job"
		fio "$dir/job" >/dev/null
		fio_jobs "$dir/plan.$2" "${seconds}s" >"$dir/job"
		fio --output-format=json "$dir/job" >"$dir/out"
		python3 "$dir/fio.py" "$dir/out" >"$dir/lines"
	fi
	keep "$2" "$1" <"$dir/lines"
}

compare() { # MIX
	# The first of ours makes and writes the file, and is not counted.
	rm -f "$file"
	run_ours --mix="$1" --runtime=1s --json="$dir/plan.$1"
	i=0
	while [ "$i" -lt "$pairs" ]; do
		if [ $((i % 2)) -eq 0 ]; then order='a b'; else order='b a'; fi
		for side in $order; do
			once "$side" "$1"
		done
		i=$((i + 1))
	done
	for stream in log checkpoint; do
		for what in iops cpu; do
			[ -s "$dir/$1.$stream.$what.a" ] || continue
			row "$1 $stream" "$dir/$1.$stream.$what.a" "$dir/$1.$stream.$what.b" >>"$dir/$what"
		done
	done
}

table() { # WHAT TITLE
	echo "## $2"
	echo
	echo '| case | ssd-workloads: median (min..max) | fio | ratio of pairs: median (min..max) |'
	echo '|---|---|---|---|'
	cat "$dir/$1"
	echo
}

for mix in $mixes; do
	compare "$mix"
done
echo "ssd-workloads run and $(fio --version), io_uring, $pairs pairs of $seconds s, $(stat -f -c %T "$target")"
echo
table iops 'Operations a second'
table cpu 'CPU time an operation, ns'
