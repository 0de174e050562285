#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# memstor mpi under srun, on several nodes of a Slurm of this test.
. "$top_srcdir/tests/lib/tap.sh"
. "$top_srcdir/tests/lib/slurm.sh"
slurm_need
top_srcdir=$(cd "$top_srcdir" && pwd)
python=$(sed -n '1s/^#!\([^ ]*\).*/\1/p' "$(command -v memstor)")
"$python" -I -c 'import mpi4py' 2>/dev/null || skip_all 'needs mpi4py (Debian: python3-mpi4py)'
[ -e /usr/lib/x86_64-linux-gnu/libmpich.so.12 ] || ldconfig -p | grep -q libmpich.so.12 || skip_all 'needs MPICH (Debian: mpich)'
cd "$tmp" || exit 1
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
memstor=$(command -v memstor)
on_mpich="$python $top_srcdir/tests/lib/on_mpich.py $memstor"
check 'two nodes of Slurm are idle' slurm_start "$tmp/slurm" 2

# measured FILE: runs that share 2 CPUs disturb each other, and may begin and end apart
# shellcheck disable=SC2317 # called by check
measured() { [ "$status" = 0 ] || { [ "$status" = 4 ] && ! grep -q lost-rank "$1"; }; }
# job NAME OPTION... MEMSTOR...: 4 tasks on 2 nodes
job() {
	name=$1
	shift
	status=0
	timeout -k 5 200 srun -N2 -n4 "$@" >out 2>err || status=$?
	sed 's/^/# /' out err
	check "$name: 4 tasks are measured ($status)" measured "$name.xml"
	check "$name: the merged report is valid" memstor validate "$name.xml"
	is "$name: the merged report has 4 parts" "$(grep -c '<part index' "$name.xml")" 4
	is "$name: parts are of two nodes" "$(cat "$name.xml".ranks/*/report.xml | sed -n 's/.*<label name="host">\([^<]*\).*/\1/p' | sort -u | tr '\n' ' ')" 'n1 n2 '
}
job pmix --mpi=pmix memstor mpi -f pmix.xml -- pmbench -m 16 2
# shellcheck disable=SC2086 # words
job pmi2 --mpi=pmi2 $on_mpich mpi -f pmi2.xml -- pmbench -m 16 2
status=0
timeout -k 5 200 srun -N2 -n4 --mpi=pmix memstor mpi --per-host -f host.xml -- sh -c 'echo {rank} on {host}; sleep 2' >out 2>err || status=$?
check "--per-host measures ($status)" measured host.xml
is "--per-host runs one command a node" "$(cat host.xml.ranks/*/stdout | sed 's/.* on //' | sort | tr '\n' ' ')" 'n1 n2 '
# A library that does not know the launcher
status=0
# shellcheck disable=SC2086
timeout -k 5 60 srun -N2 -n4 --mpi=pmix $on_mpich mpi -f one.xml -- pmbench -m 16 1 >out 2>err || status=$?
is "MPICH under srun --mpi=pmix ends with 3" $status 3
check "launcher and library that differ are named" grep -q 'the launcher started 4 processes (SLURM_.*), but the MPI library (MPICH' err
check "worlds of one start nothing" test ! -e one.xml.ranks

# --- the end by Slurm: SIGTERM to each task, then SIGKILL. The shortest time limit is a minute: TIME_LIMIT=1 tries it, too.
for how in scancel 'kill -9 of srun' ${TIME_LIMIT:+'time limit'}; do
	mark=87654.${#how}
	srun -N2 -n2 --time=1 --mpi=pmix memstor mpi -f "$mark.xml" -- sleep "$mark" >out 2>err &
	srun=$!
	check "$how: commands run" slurm_within 60 sh -c "[ \"\$(pgrep -xfc 'sleep $mark')\" = 2 ]"
	case $how in
	scancel) scancel "$(squeue -h -o %i)" ;;
	'time limit') check 'the time limit ends the job' slurm_within 150 sh -c '[ -z "$(squeue -h)" ]' ;;
	*) kill -KILL $srun ;;
	esac
	wait $srun 2>/dev/null
	check "$how leaves no command" slurm_within 30 sh -c "! pgrep -xf 'sleep $mark' >/dev/null"
done
slurm_stop
check "nothing is left in /dev/shm" sh -c '! ls -d /dev/shm/memstor-mpi.* 2>/dev/null'
tap_done
