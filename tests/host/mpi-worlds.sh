#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# What the tests of memstor mpi stand on: each launcher makes one world of four ranks, with Open MPI and with MPICH, and the
# private Slurm leaves nothing.
. "$top_srcdir/tests/lib/tap.sh"
. "$top_srcdir/tests/lib/slurm.sh"
slurm_need
for command in mpirun.openmpi mpirun.mpich; do
	command -v $command >/dev/null || skip_all "needs $command (Debian: openmpi-bin mpich)"
done
/usr/bin/python3 -I -c 'import mpi4py' 2>/dev/null || skip_all 'needs mpi4py (Debian: python3-mpi4py)'
cd "$tmp" || exit 1
mpich=$(cd "$top_srcdir" && pwd)/tests/lib/mpich

cat >world.py <<'END'
import time
from mpi4py import MPI

world = MPI.COMM_WORLD
rank, size = world.Get_rank(), world.Get_size()
objects = ["x" * other * 1000 for other in range(size)]
assert world.allgather(objects[rank]) == objects
assert world.gather({"rank": rank}) == ([{"rank": other} for other in range(size)] if rank == 0 else None)
assert world.bcast(objects if rank == 0 else None) == objects
assert world.scatter(objects if rank == 0 else None) == objects[rank]
assert world.Split_type(MPI.COMM_TYPE_SHARED).Get_size() <= size
barrier = world.Ibarrier()
while not barrier.Test():
    time.sleep(0.01)
try:
    world.bcast(None, root=size)
except MPI.Exception as error:
    assert "root" in str(error)
name = MPI.Get_library_version().split(" v")[0].split(" Version")[0]
lines = world.gather(f"{rank} of {size}, {name}")
if rank == 0:
    print(*lines, sep="\n")
END
world() { # WHAT LIBRARY COMMAND...
	world_what=$1 world_library=$2
	shift 2
	"$@" /usr/bin/python3 world.py >out 2>err || sed 's/^/# /' err
	is "$world_what: four ranks are one world" "$(cat out)" "$(for rank in 0 1 2 3; do echo "$rank of 4, $world_library"; done)"
}
# shellcheck disable=SC2317 # called by world
on_mpich() { PYTHONPATH=$mpich PYTHONDONTWRITEBYTECODE=1 "$@"; }

world 'mpirun of Open MPI' 'Open MPI' timeout 60 mpirun.openmpi --allow-run-as-root --oversubscribe -n 4
world 'mpirun of MPICH' MPICH on_mpich timeout 60 mpirun.mpich -n 4

check 'slurm_start: two nodes are idle' slurm_start "$tmp/slurm" 2
world 'srun --mpi=pmix, Open MPI' 'Open MPI' timeout 60 srun -N2 -n4 --mpi=pmix
world 'srun --mpi=pmi2, MPICH' MPICH on_mpich timeout 60 srun -N2 -n4 --mpi=pmi2
# shellcheck disable=SC2016 # the shell of the task
srun -N2 -n2 sh -c 'echo $$ >"$SLURM_PROCID.pid"; exec sleep 600' >/dev/null 2>&1 &
check 'a job of two tasks begins' slurm_within 20 test -s 0.pid -a -s 1.pid
daemons="$slurm_pids $(cat 0.pid 1.pid)"
slurm_stop
wait
left=''
for pid in $daemons; do ! kill -0 "$pid" 2>/dev/null || left="$left $pid"; done
is 'slurm_stop: no daemon and no task is left' "$left" ''
tap_done
