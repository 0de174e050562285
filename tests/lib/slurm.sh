# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=sh disable=SC2154 # tmp comes from tap.sh
# A private Slurm cluster on loopback, with several virtual nodes on this host. Needs tap.sh and root. Nothing of /etc or of
# Slurm services of this host is used or changed.
#   slurm_need            skips the test, with the reason, where a program is missing
#   slurm_start DIR N     starts the nodes n1 ... nN, with 4 CPUs each; all files are below DIR; returns when all are idle
#   slurm_stop            ends jobs and daemons; also called by the trap of this file
# A test with a trap of its own calls slurm_stop and tap_cleanup there.
slurm_pids='' slurm_dir=''
trap 'slurm_stop; tap_cleanup' EXIT

slurm_need() {
	[ "$(id -u)" = 0 ] || skip_all 'needs root'
	for slurm_program in munged slurmctld slurmd srun sinfo squeue scancel; do
		command -v $slurm_program >/dev/null ||
			skip_all "needs $slurm_program (Debian: munge slurmctld slurmd slurm-client)"
	done
	slurmd -h 2>&1 | grep -q -- '-N node' || skip_all 'this slurmd cannot run several nodes on one host'
}

slurm_daemon() { # NAME COMMAND...
	slurm_name=$1
	shift
	"$@" </dev/null >"$slurm_dir/$slurm_name.out" 2>&1 &
	slurm_pids="$slurm_pids $!"
}

# slurm_within SECONDS COMMAND...: repeats the command until it succeeds.
slurm_within() {
	slurm_tries=$(($1 * 10))
	shift
	until "$@"; do
		slurm_tries=$((slurm_tries - 1))
		[ $slurm_tries -gt 0 ] || return 1
		sleep 0.1
	done
}
slurm_all_idle() { [ "$(sinfo -h -N -t idle 2>/dev/null | wc -l)" = "$slurm_nodes" ]; }

slurm_no_daemon() {
	for slurm_pid in $slurm_pids; do
		! kill -0 "$slurm_pid" 2>/dev/null || return 1
	done
}

# Prints the first of COUNT consecutive ports without a socket, below the range of ports that the kernel gives to clients.
slurm_free_ports() { # COUNT
	slurm_first=$((20000 + $$ % 10000))
	slurm_port=$slurm_first
	while [ $slurm_port -lt $((slurm_first + $1)) ]; do
		if grep -q "^ *[0-9]*: [0-9A-F]*:$(printf %04X "$slurm_port") " /proc/net/tcp; then
			slurm_first=$((slurm_port + 1))
		fi
		slurm_port=$((slurm_port + 1))
	done
	echo "$slurm_first"
}

slurm_start() { # DIR NODES
	slurm_dir=$1 slurm_nodes=$2
	slurm_host=$(uname -n)
	slurm_host=${slurm_host%%.*}
	slurm_base=$(slurm_free_ports $((slurm_nodes + 1)))
	mkdir -p "$slurm_dir/state"
	chmod 755 "$slurm_dir"
	(
		umask 077
		head -c 128 /dev/urandom >"$slurm_dir/munge.key"
	)
	# A node needs a TmpFS of its own: mpi/pmix makes a folder there that is named after the user and the step only.
	# Slurm adds the time limit in minutes; a task then gets SIGTERM, and SIGKILL after KillWait seconds.
	cat >"$slurm_dir/slurm.conf" <<-END
		ClusterName=memstor-test
		SlurmctldHost=$slurm_host(127.0.0.1)
		SlurmctldPort=$slurm_base
		SlurmUser=root
		CommunicationParameters=NoCtldInAddrAny,NoInAddrAny
		AuthType=auth/munge
		AuthInfo=socket=$slurm_dir/munge.socket
		CredType=cred/munge
		StateSaveLocation=$slurm_dir/state
		SlurmctldPidFile=$slurm_dir/slurmctld.pid
		SlurmctldLogFile=$slurm_dir/slurmctld.log
		SlurmdPidFile=$slurm_dir/%n.pid
		SlurmdLogFile=$slurm_dir/%n.log
		SlurmdSpoolDir=$slurm_dir/spool.%n
		TmpFS=$slurm_dir/tmp.%n
		SlurmdParameters=config_overrides
		ProctrackType=proctrack/linuxproc
		TaskPlugin=task/none
		SelectType=select/cons_tres
		SelectTypeParameters=CR_CPU
		JobAcctGatherType=jobacct_gather/none
		AccountingStorageType=accounting_storage/none
		MpiDefault=none
		SwitchType=switch/none
		KillWait=5
		InactiveLimit=0
		ReturnToService=2
		NodeName=n[1-$slurm_nodes] NodeHostname=$slurm_host NodeAddr=127.0.0.1 Port=[$((slurm_base + 1))-$((slurm_base + slurm_nodes))] CPUs=4 State=UNKNOWN
		PartitionName=test Nodes=ALL Default=YES MaxTime=INFINITE State=UP
	END
	export SLURM_CONF="$slurm_dir/slurm.conf"
	# --force: the folder of a test may be below one that others can write to.
	slurm_daemon munged munged --foreground --force --key-file="$slurm_dir/munge.key" --socket="$slurm_dir/munge.socket" \
		--pid-file="$slurm_dir/munged.pid" --log-file="$slurm_dir/munged.log" --seed-file="$slurm_dir/munged.seed"
	slurm_within 10 test -S "$slurm_dir/munge.socket" || {
		slurm_why munged.out
		return 1
	}
	slurm_daemon slurmctld slurmctld -D -i -f "$SLURM_CONF"
	slurm_number=1
	while [ $slurm_number -le "$slurm_nodes" ]; do
		mkdir -p "$slurm_dir/tmp.n$slurm_number" "$slurm_dir/spool.n$slurm_number"
		slurm_daemon n$slurm_number slurmd -D -N n$slurm_number -f "$SLURM_CONF"
		slurm_number=$((slurm_number + 1))
	done
	slurm_within 30 slurm_all_idle || {
		slurm_why slurmctld.out n1.out
		return 1
	}
}

slurm_why() { # FILE...: the end of what the daemons said
	echo '# the Slurm of this test did not start:'
	for slurm_file; do
		tail -n 5 "$slurm_dir/$slurm_file" | sed "s/^/# $slurm_file: /"
	done
}

# Prints the processes that were started with the configuration of this Slurm and have the variable in their environment.
slurm_processes() ( # VARIABLE
	unset SLURM_CONF
	grep -lzxF "SLURM_CONF=$slurm_dir/slurm.conf" /proc/[0-9]*/environ 2>/dev/null |
		xargs -r grep -lz "^$1=" 2>/dev/null | cut -d/ -f3
)
# A child that a task forks while Slurm kills the step escapes proctrack/linuxproc, and slurmstepd waits for it: find the
# tasks by their environment.
slurm_end_jobs() {
	# shellcheck disable=SC2046 # one word a process
	kill -KILL $(slurm_processes SLURM_PROCID) 2>/dev/null
	[ -z "$(squeue -h 2>/dev/null)" ] && ! ls "$slurm_dir"/spool.*/n[0-9]*_*.* >/dev/null 2>&1
}

# Jobs end first: slurmstepd and the tasks outlive slurmd.
slurm_stop() {
	[ -n "$slurm_pids" ] || return 0
	slurm_jobs=$(squeue -h -o %i 2>/dev/null)
	# shellcheck disable=SC2086 # one word a job
	[ -z "$slurm_jobs" ] || scancel $slurm_jobs 2>/dev/null
	slurm_within 15 slurm_end_jobs
	# shellcheck disable=SC2086 # one word a process
	kill $slurm_pids 2>/dev/null
	# shellcheck disable=SC2086
	slurm_within 3 slurm_no_daemon || kill -KILL $slurm_pids 2>/dev/null
	# shellcheck disable=SC2046
	kill -KILL $(slurm_processes SLURM_CONF) 2>/dev/null
	# shellcheck disable=SC2086
	wait $slurm_pids 2>/dev/null
	slurm_pids=''
	unset SLURM_CONF
}
