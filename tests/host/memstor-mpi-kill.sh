#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# memstor mpi in jobs of Open MPI and MPICH of which a process is killed: neither a command nor shared memory is left.
. "$top_srcdir/tests/lib/tap.sh"
top_srcdir=$(cd "$top_srcdir" && pwd)
cd "$tmp" || exit 1
. "$top_srcdir/tests/lib/mpi.sh"
# left MARK: commands whose words have it
left() { pgrep -fc "sleep $1" || true; }
gone() {
	tries=0
	while [ "$(left "$1")" != 0 ] && [ $tries -lt 300 ]; do sleep 0.1; tries=$((tries + 1)); done
	[ "$(left "$1")" = 0 ]
}
# Shared memory that was not there before, when the keepers have ended
in_shm() { find /dev/shm -mindepth 1 -maxdepth 1 | grep -E '/(memstor-mpi|vader_segment|sm_segment|mpich)' | sort; }
in_shm >before
shared() {
	tries=0
	while in_shm | comm -13 before - >now && [ -s now ] && [ $tries -lt 100 ]; do sleep 0.1; tries=$((tries + 1)); done
	cat now
}
# below PID: its descendants
below() { ps -eo pid=,ppid= | awk -v of="$1" '{ parent[$1] = $2 } END { for (p in parent) for (q = p; q in parent; q = parent[q]) if (parent[q] == of) { print p; break } }'; }
# begin MARK WORD...: a job of 2 ranks that sleep, in the background; until they do
begin() {
	mark=$1
	shift
	(job 2 -f "$mark.xml" "$@" -- sleep "$mark") >out 2>err &
	timeout=$!
	tries=0
	while [ "$(pgrep -xfc "sleep $mark" || true)" -lt 2 ] && [ $tries -lt 600 ]; do sleep 0.1; tries=$((tries + 1)); done
	check "$library: commands run before $victim" test $tries -lt 600
	mpirun=$(pgrep -P $timeout)
}
# rank_of N: the process of rank N; its keeper is its child
rank_of() {
	for pid in $(pgrep -f "python.*memstor mpi .*sleep $mark"); do
		parent=$(ps -o ppid= -p "$pid" | tr -d ' ')
		tr '\0' '\n' <"/proc/$pid/environ" | grep -qxE "(OMPI_COMM_WORLD|PMI)_RANK=$1" &&
			! grep -qz python "/proc/$parent/cmdline" && echo "$pid"
	done 2>/dev/null
}
# shellcheck disable=SC2154 # begin sets it
number=0
for library in openmpi mpich; do
	for victim in mpirun 'rank 0' 'rank 1'; do
		number=$((number + 1))
		begin 98765.$number
		case $victim in
		mpirun) pid=$mpirun ;;
		*) pid=$(rank_of "${victim#rank }") ;;
		esac
		check "$library: $victim is found" test -n "$pid"
		kill -KILL ${pid:+"$pid"} 2>/dev/null
		gone "$mark"
		is "$library: kill -9 of $victim leaves no command" "$(left "$mark")" 0
		status=0
		wait $timeout || status=$?
		check "$library: kill -9 of $victim fails the job ($status)" test $status != 0
		is "$library: kill -9 of $victim leaves no shared memory" "$(shared)" ''
	done
	number=$((number + 1)) victim=SIGINT
	begin 98765.$number
	kill -INT "$mpirun"
	wait $timeout
	gone "$mark"
	is "$library: SIGINT to mpirun leaves no command" "$(left "$mark")" 0
done
# KILLS times any process of the job, some before MPI is initialised.
kills=${KILLS:-3}
for library in openmpi mpich; do
	left=0 killed=0 number=0
	while [ $number -lt "$kills" ]; do
		number=$((number + 1)) mark=87654.$number
		(job 2 -f kill-$library-$number.xml --time-limit 3 -- sleep "$mark") >out 2>err &
		timeout=$!
		sleep "$(awk -v seed="$kills$number" 'BEGIN { srand(seed); printf "%.3f", 3 * rand() }')"
		victim=$(below $timeout | shuf -n 1)
		kill -KILL ${victim:+"$victim"} 2>/dev/null && killed=$((killed + 1))
		wait $timeout
		gone "$mark" || left=$((left + 1))
	done
	check "$library: processes were killed at $kills moments ($killed)" test $killed -gt 0
	is "$library: kills at $kills moments leave no command" $left 0
	is "$library: kills at $kills moments leave no shared memory" "$(shared)" ''
done
library=openmpi
# A host that hangs: a stopped process does not answer.
victim='a rank hangs'
begin 98765.99 --time-limit 3
pid=$(rank_of 1)
kill -STOP "${pid:-0}"
status=0
wait $timeout || status=$?
check "a rank that hangs fails the job ($status)" test $status != 0
check "a rank that hangs is named" grep -q 'no answer from rank 1 (' err
kill -CONT "$pid" 2>/dev/null
gone "$mark"
is "a rank that hangs leaves no command" "$(left "$mark")" 0
tap_done
