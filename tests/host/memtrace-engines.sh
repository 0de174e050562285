#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# memtrace with real perf events: the clock's samples lie where the program accesses memory, a process that runs and the whole
# machine are recorded, a recording is controlled, and nothing is left stopped.
. "$top_srcdir/tests/lib/tap.sh"
. "$top_srcdir/tests/lib/program.sh"
cd "$tmp" || exit 1
hot=$top_builddir/tests/host/hot_array
PATH=$top_builddir/memtrace:$PATH
victim=
recorder=
trap 'kill -KILL $victim $recorder 2>/dev/null; rm -rf "$tmp"' EXIT

status=0
memtrace record -q -e cpu-clock -o probe.mtr -- true 2>err || status=$?
if [ $status = 3 ]; then
	echo "1..0 # SKIP $(cat err)"
	exit
fi

# share RECORDING COLUMN: percent of the samples in hot.data, and of those in it the percent that COLUMN counts
share() {
	memtrace report --noheadings -o "samples,$2,name" "$1" >groups
	awk '{ all += $1 } $3 ~ /hot.data$/ { hot += $1; kind += $2 }
		END { print int(all ? 100 * hot / all : 0), int(hot ? 100 * kind / hot : 0) }' groups
}

# begun RECORDING: its header is there
begun() { while [ ! -s "$1" ]; do sleep 0.05; done; }

# --- most decoded addresses lie in the array that the program accesses, with their kind
for kind in load store; do
	check_exit 0 "$kind: record -e cpu-clock succeeds" \
		memtrace record -e cpu-clock -F 2000 -o $kind.mtr -- "$hot" hot.data 64 1 $kind
	# shellcheck disable=SC2046
	set -- $(share $kind.mtr ${kind}s)
	check "$kind: most samples are in the array ($1 %)" test "$1" -ge 80
	check "$kind: nearly all samples in the array are ${kind}s ($2 %)" test "$2" -ge 95
	memtrace report $kind.mtr >out
	check "$kind: the report says how many samples were dropped" grep -q '^missing  *[0-9]* not a memory operation' out
	check "$kind: the report says how the engine was chosen" grep -q '^engine  *cpu-clock (asked for)' out
done
check_exit 0 "record -e cpu-clock of two threads succeeds" \
	memtrace record -q -e cpu-clock -F 2000 -o two.mtr -- "$hot" hot.data 64 1 load 2
memtrace report --by thread --noheadings -o samples,id two.mtr >threads
check "record -e cpu-clock has samples of both threads" awk '$1 > 50 { n++ } END { exit n < 2 }' threads

# --- a process that runs
"$hot" hot.data 64 600 load 2 >ready &
victim=$!
while [ ! -s ready ]; do sleep 0.05; done
sleep 0.2
check_exit 0 "record -p of a running process succeeds" memtrace record -e cpu-clock -F 2000 -p $victim -d 1s -o pid.mtr
# shellcheck disable=SC2046
set -- $(share pid.mtr loads)
check "record -p knows the mappings, and most samples are in the array ($1 %)" test "$1" -ge 80
check "the process continues after record -p" sh -c "grep -q '^State:[[:space:]]*[RS]' /proc/$victim/status"
if [ "$(id -u)" = 0 ]; then
	# 4: of what else runs here many addresses may not be known.
	status=0
	memtrace record -q -e cpu-clock -F 2000 -a -d 1s -o all.mtr 2>err || status=$?
	check "record -a of the whole machine runs to its end ($status)" sh -c "[ $status = 0 ] || [ $status = 4 ]"
	memtrace report --noheadings -o samples,id,name all.mtr >groups
	check "record -a has samples of the process" \
		awk -v "pid=$victim" '$2 == pid && $3 ~ /hot.data$/ { exit !($1 > 500) }' groups
fi

# --- SIGINT ends a recording of a process, kill -9 leaves the process alone
# A background job of a shell ignores SIGINT.
env --default-signal=INT memtrace record -q -e cpu-clock -p $victim -o int.mtr &
recorder=$!
begun int.mtr
kill -INT $recorder
status=0
wait $recorder || status=$?
is "SIGINT ends record -p with 0" $status 0
check_exit 0 "the recording that SIGINT ended is complete" memtrace report int.mtr
memtrace record -q -e cpu-clock -p $victim -o kill.mtr &
recorder=$!
begun kill.mtr
sleep 1.5
kill -KILL $recorder
wait $recorder 2>/dev/null
check_exit 4 "the recording of a killed memtrace is cut off" memtrace report kill.mtr
check "the process continues after kill -9 of memtrace" sh -c "grep -q '^State:[[:space:]]*[RS]' /proc/$victim/status"

# --- the process ends
memtrace record -q -e cpu-clock -p $victim -o gone.mtr &
recorder=$!
begun gone.mtr
kill -KILL $victim
wait $victim 2>/dev/null
status=0
wait $recorder || status=$?
is "record -p ends with 0 when the process ends" $status 0
check_exit 3 "record -p of a process that has ended is refused" memtrace record -p $victim -o gone.mtr
victim=
check "record -p of a process that has ended is refused in one line" test "$(wc -l <err)" = 1

# --- control: nothing is sampled before start and after stop, phases are marked
cat >phases.sh <<END
"$hot" hot.data 16 0.3 load >/dev/null
memtrace mark first
memtrace control start
"$hot" hot.data 16 0.5 load >/dev/null
memtrace control stop
sleep 0.3
"$hot" hot.data 16 0.3 load >/dev/null
END
check_exit 0 "record --control --paused succeeds" \
	memtrace record -e cpu-clock -F 2000 --control fifo --paused -o phases.mtr -- sh phases.sh
memtrace report --noheadings -o samples,id,name phases.mtr >groups
check "only the process between start and stop has many samples" awk '$3 ~ /hot.data$/ && $1 > 100 { n++ } END { exit n != 1 }' groups
check "record removes the FIFO of --control" test ! -e fifo

# --- page faults of a process that runs: as many as the kernel counts
cat >faults.py <<'END'
import mmap, resource, sys, time
sys.stdout.write("ready\n"); sys.stdout.flush()
sys.stdin.readline()
area = mmap.mmap(-1, 5000 * mmap.PAGESIZE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
area.madvise(mmap.MADV_NOHUGEPAGE)
before = resource.getrusage(resource.RUSAGE_SELF)
for page in range(5000):
    area[page * mmap.PAGESIZE] = 1
after = resource.getrusage(resource.RUSAGE_SELF)
sys.stdout.write("%d\n" % (after.ru_minflt - before.ru_minflt)); sys.stdout.flush()
sys.stdin.readline()
END
mkfifo in
python3 faults.py <in >out.py &
victim=$!
exec 9>in
while [ ! -s out.py ]; do sleep 0.05; done
env --default-signal=INT memtrace record -q -e page-faults -p $victim -o faults.mtr &
recorder=$!
begun faults.mtr
sleep 0.3
echo go >&9
while [ "$(wc -l <out.py)" -lt 2 ]; do sleep 0.05; done
kill -INT $recorder
wait $recorder
memtrace report --noheadings -o samples,name faults.mtr >groups
faults=$(tail -n 1 out.py)
recorded=$(awk '$2 == "//anon" { n += $1 } END { print n + 0 }' groups)
check "each fault of the window is recorded ($recorded of $faults)" test "$recorded" -ge "$faults" -a "$recorded" -le $((faults + 50))
exec 9>&-
wait $victim
victim=
tap_done
