#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# memstor mpi in jobs of Open MPI and MPICH: sums, differences and failures.
. "$top_srcdir/tests/lib/tap.sh"
top_srcdir=$(cd "$top_srcdir" && pwd)
cd "$tmp" || exit 1
. "$top_srcdir/tests/lib/mpi.sh"
# ranks N WORD...: in $status, out and err what job said
ranks() {
	status=0
	(job "$@") >out 2>err || status=$?
}
# Runs of 4 ranks on 2 CPUs disturb each other, and may begin and end apart.
# shellcheck disable=SC2317 # called by check
measured() { [ "$status" = 0 ] || { [ "$status" = 4 ] && ! grep -q lost-rank "$1"; }; }

# --- sums
for library in openmpi mpich; do
	all=$library.xml
	ranks 4 -f $all -- pmbench -m 16 --seed '{rank}' 2
	check "$library: 4 ranks of pmbench are measured ($status)" measured $all
	sed 's/^/# /' out err
	check "$library: the merged report is valid" memstor validate $all
	is "$library: each rank has a report" "$(cd $all.ranks && echo */report.xml)" "0/report.xml 1/report.xml 2/report.xml 3/report.xml"
	# Its verdict may be that of a busy machine.
	memstor merge --allow-different -o own.xml $all.ranks 2>err || [ $? = 4 ]
	sed -n '/<statistics>/,/<\/statistics>/p' $all >all.sums
	sed -n '/<statistics>/,/<\/statistics>/p' own.xml >own.sums
	check "$library: sums are those of memstor merge" cmp all.sums own.sums
	check "$library: there are sums" grep -q '<bucket ' all.sums
	is "$library: each report has its rank as a label" \
		"$(cat $all.ranks/*/report.xml | sed -n 's/.*<label name="rank">\([0-9]*\).*/\1/p' | tr '\n' ' ')" "0 1 2 3 "
	is "$library: {rank} is the rank" "$(cat $all.ranks/*/report.xml | sed -n 's/.*<seed>\([0-9]*\).*/\1/p' | tr '\n' ' ')" "0 1 2 3 "
	for rank in 0 1 2 3; do
		check "$library: rank $rank is a line of the table" grep -q "^ *$rank  $(hostname) " out
	done
	check "$library: the table says the common window" grep -q 'rate of all in their common window of ' out
	check "$library: what ranks used while they waited is shown" grep -q 'a waiting rank used at most .* of a CPU' out
	check "$library: ranks are groups of a picture" memstor plot bars $all.ranks --group-by rank -o ranks.svg
	is "$library: a folder stands for the merged report alone" "$(memstor convert --to csv . | grep -c 'ranks/')" 0
	ranks 2 -f $all -- pmbench -m 16 1
	is "$library: results of other runs are not replaced" $status 2
	check "$library: results of other runs are named" grep -q "$all.ranks.*exists: results of other runs are not replaced" err
done
library=openmpi
status=0
timeout 60 mpirun.mpich -n 2 memstor mpi -f one.xml -- pmbench -m 16 1 >out 2>err || status=$?
is "mpi4py of Open MPI under mpirun of MPICH ends with 3" $status 3
check "launcher and library that differ are named in one line" says_in_one_line err \
	'the launcher started 2 processes (PMI_SIZE), but the MPI library (Open MPI v'
check "nothing is started by worlds of one" test ! -e one.xml.ranks

# --- other commands, and one a host
ranks 3 --per-host -f host.xml -- sh -c 'echo {rank} of {size}'
check "one command a host is measured ($status)" measured host.xml
is "one command a host is run" "$(cat host.xml.ranks/*/stdout)" "0 of 3"

# --- what cannot run: nothing is started
ranks 2 -f none.xml -- ./no-such-program
is "a program that is not there ends with 3" $status 3
is "a program that is not there is named by each rank" "$(grep -c 'rank [01] (.*): ./no-such-program is not installed' err)" 2
ranks 2 -f none.xml -- pmbench --bogus 1
is "an option that is wrong ends with 2" $status 2
check "nothing is left of what cannot run" test ! -e none.xml -a ! -e none.xml.ranks
if mount -t tmpfs -o size=1m memstor-mpi "$(mkdir -p at/0 at/1 && echo at/1)" 2>/dev/null; then
	ranks 2 -f none.xml -- sh -c 'touch ran at/{rank}/file' at/'{rank}'/file
	is "file systems that differ end with 5" $status 5
	check "file systems that differ are named" grep -q "differ in file system of at/{rank}/file" err
	check "file systems that differ start nothing" test ! -e ran
	ranks 2 -f two.xml --allow-different -- sh -c 'touch ran at/{rank}/file; sleep 2' at/'{rank}'/file
	check "--allow-different starts it anyway ($status)" measured two.xml
	check "--allow-different has run it" test -e ran
	umount at/1
else
	skip "file systems that differ are refused" "cannot mount"
fi

# --- one of them fails, is late, or finishes first
ranks 3 -f lost.xml -- sh -c '[ {rank} != 1 ] || { echo no luck >&2; exit 7; }'
is "a command that fails ends with 4" $status 4
check "a command that fails is named with its reason" grep -q 'rank 1 (.*): exit status 7: no luck' err
check "a command that fails is in the verdict" grep -q '<reason code="lost-rank">rank 1 ' lost.xml
check "the merged report without it is valid" memstor validate lost.xml
is "the others are in the merged report" "$(grep -c '<part index' lost.xml)" 2
ranks 2 -f late.xml --start-in 0.000001 -- pmbench -m 16 1
is "a start that has passed ends with 4" $status 4
is "a start that has passed is named by each rank" "$(grep -c 'rank [01] (.*start-at' err)" 2
ranks 3 -f apart.xml -- sh -c 'sleep {rank}'
is "commands that end at other times end with 4" $status 4
check "commands that end at other times are named" grep -q 'code="not-together"' apart.xml
ranks 3 --stonewall -f wall.xml -- sh -c '[ {rank} = 1 ] && exec sleep 4; exec sleep 600'
check "--stonewall ends all with the first ($status)" measured wall.xml
is "--stonewall counts partial reports" "$(grep -c '<part index' wall.xml)" 3
ranks 2 --time-limit 1 -f long.xml -- sleep '60{rank}'
is "--time-limit ends commands with 4" $status 4

check_exit 0 "make the folder for --slo" mkdir slo
ranks 2 -f slo.xml --allow-different -- iowrite-bench run --directory=slo --size=4k --bs=4k --runtime=2s '--slo=p99<1ns'
# 4: the machine is busy
check "a missed objective is in the status ($status)" test $status = 1 -o $status = 4
is "a missed objective is named by each rank whose result counts" "$(grep -c 'rank [01] (.*): an objective was missed' err)" \
	"$(cat slo.xml.ranks/*/report.xml | grep -c '<verdict status="ok"')"
is "a missed objective is a result" "$(grep -c '<part index' slo.xml)" 2
check "a missed objective is no lost rank" sh -c '! grep lost-rank slo.xml'

# --- a host that shares no folder with rank 0: rank 1 has a file system of its own, which is full the second time
mkdir own
for fill in true 'dd if=/dev/zero of=own/filler bs=4k'; do
	rm -rf own/*
	status=0
	timeout -k 5 100 mpirun.openmpi -n 1 memstor mpi --allow-different -f own/all.xml -- pmbench -m 16 1 : -n 1 \
		unshare -m sh -c "mount -t tmpfs -o size=1m tmpfs own && { $fill 2>/dev/null
			exec memstor mpi --allow-different -f own/all.xml -- pmbench -m 16 1; }" \
		>out 2>err || status=$?
	sed 's/^/# /' out err
	case $fill in
	true)
		check "a rank with a folder of its own is measured ($status)" measured own/all.xml
		check "the report of a rank with a folder of its own is copied to rank 0" memstor validate own/all.xml.ranks/1/report.xml
		is "a rank with a folder of its own is a part" "$(grep -c '<part index' own/all.xml)" 2
		;;
	*)
		is "a full disk of one rank ends with 4" $status 4
		check "a full disk of one rank is named in one line" \
			grep -qx 'memstor: warning: rank 1 (.*): exit status 3: no space is left in .*' err
		is "a full disk of one rank loses no other" "$(grep -c '<part index' own/all.xml)" 1
		;;
	esac
done

# --- a suite
cat >hosts.toml <<'END_OF_SUITE'
about = "Two ranks"
launcher = "mpirun.openmpi -n {ranks}"
set.ranks = 2
[[step]]
name = "pmbench"
run = "pmbench -m 16 --seed {{rank}} 2"
[[step]]
name = "sleep"
run = "sleep 1.{{rank}}"
launcher = "mpirun.openmpi -n 1"
END_OF_SUITE
memstor run hosts.toml -o suite --label a=b >out 2>err || [ $? = 4 ]
sed 's/^/# /' out err
check "memstor run --dry-run shows the launcher" sh -c 'memstor run hosts.toml --dry-run | grep -F "pmbench: mpirun.openmpi -n 2 pmbench -m 16"'
is "a step with a launcher has the report of all ranks" "$(grep -c '<part index' suite/pmbench/1/report.xml)" 2
is "a step has its own launcher" "$(grep -c '<part index' suite/sleep/1/report.xml)" 1
is "reports have the labels of memstor run" "$(grep -c '<label name="step">pmbench<' suite/pmbench/1/report.xml)" 3
check_exit 2 "two builds are refused with a launcher" memstor run hosts.toml -o two --base-bin . --new-bin .
tap_done
