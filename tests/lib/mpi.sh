# SPDX-License-Identifier: GPL-3.0-or-later
# Jobs of memstor mpi, by Open MPI and MPICH; after tests/lib/tap.sh, in $tmp, with an absolute $top_srcdir.
python=$(sed -n '1s/^#!\([^ ]*\).*/\1/p' "$(command -v memstor)")
for command in mpirun.openmpi mpirun.mpich; do
	command -v $command >/dev/null || skip_all "needs $command (Debian: openmpi-bin mpich)"
done
"$python" -I -c 'import mpi4py' 2>/dev/null || skip_all 'needs mpi4py (Debian: python3-mpi4py)'
# As root, and with more ranks than CPUs. Ranks of Open MPI that wait poll: they are told to yield the CPU.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 \
	OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_btl=self,vader,tcp OMPI_MCA_orte_tmpdir_base="$tmp"
# job N WORD...: memstor mpi on N ranks, of Open MPI unless $library is mpich
library=openmpi
job() {
	count=$1
	shift
	case $library in
	mpich) exec timeout -k 5 100 mpirun.mpich -n "$count" "$python" "$top_srcdir/tests/lib/on_mpich.py" "$(command -v memstor)" mpi "$@" ;;
	*) exec timeout -k 5 100 mpirun.openmpi -n "$count" memstor mpi "$@" ;;
	esac
}
