#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# A run that the cgroup freezer holds for a while (docker pause) is not "ok", however short the pauses; a run whose own real-time
# threads take the coordinator's CPU was not stopped.
. "$top_srcdir/tests/lib/tap.sh"
. "$top_srcdir/tests/lib/iowrite.sh"
[ "$(id -u)" = 0 ] || skip_all 'needs root'
[ -e "/proc/$$/task/$$/children" ] || skip_all 'the kernel does not list children (CONFIG_PROC_CHILDREN)'
cd "$tmp" || exit 99

pid='' group='' freezer='' mounted=''
# freezes FROZEN|THAWED
freezes() {
	case $version in
	1) echo "$1" >"$group/freezer.state" ;;
	2) if [ "$1" = FROZEN ]; then echo 1; else echo 0; fi >"$group/cgroup.freeze" ;;
	esac
}
clean_up() {
	if [ -n "$freezer" ] && [ "$freezer" != "$group" ] && [ -d "$freezer" ]; then
		echo THAWED >"$freezer/freezer.state"
		# shellcheck disable=SC2046 # each of them
		[ -z "$pid" ] || kill -9 "$pid" $(child) 2>/dev/null
		sleep 1
		rmdir "$freezer"
	fi
	if [ -n "$group" ] && [ -d "$group" ]; then
		freezes THAWED
		# shellcheck disable=SC2046
		[ -z "$pid" ] || kill -9 "$pid" $(child) 2>/dev/null
		tries=100
		until rmdir "$group" 2>/dev/null || [ $((tries -= 1)) -lt 0 ]; do sleep 0.05; done
	fi
	[ -z "$mounted" ] || umount "$mounted"
	tap_cleanup
}
trap clean_up EXIT
child() { cat "/proc/$pid/task/$pid/children" 2>/dev/null; }

version=2
for top in /sys/fs/cgroup /sys/fs/cgroup/unified; do
	mkdir "$top/memstor-frozen.$$" 2>/dev/null || continue
	group=$top/memstor-frozen.$$
	[ ! -e "$group/cgroup.freeze" ] || break
	rmdir "$group"
	group=
done
if [ -z "$group" ]; then
	version=1
	top=/sys/fs/cgroup/freezer
	if ! [ -e $top/cgroup.procs ] && mkdir freezer && mount -t cgroup -o freezer memstor-frozen freezer 2>/dev/null; then
		top=$tmp/freezer
		mounted=$top
	fi
	mkdir "$top/memstor-frozen.$$" 2>/dev/null || skip_all 'needs the cgroup freezer'
	group=$top/memstor-frozen.$$
fi

# pauses TIMES SECONDS PROCESS...: freezes them within the run
pauses() {
	times=$1 seconds=$2
	shift 2
	for process; do
		echo "$process" >"$group/cgroup.procs"
	done
	while [ $((times -= 1)) -ge 0 ]; do
		freezes FROZEN
		sleep "$seconds"
		freezes THAWED
		sleep 0.2
	done
}
# ended WHAT REASON: the run ends with 4 and this reason
ended() {
	status=0
	wait "$pid" || status=$?
	pid=
	is "$1: the run ends with 4" $status 4
	check "$1: the text has the reason $2" grep -q "^WARNING: $2: .*the cgroup freezer" out
	check "$1: the report has the reason $2" grep -q "<reason code=\"$2\"" r.xml
}
starts() { # pmbench OPTION...; the shell that starts it may empty the output of the last one too late for measures
	: >err
	pmbench "$@" >out 2>err &
	pid=$!
}
measures() { # until the window has begun
	tries=200
	until grep -q 'accesses/s' err || [ $((tries -= 1)) -lt 0 ]; do sleep 0.05; done
}
begins() { # begins FILE: the file is written, and one second more
	tries=400
	until [ -s "$1" ] || [ $((tries -= 1)) -lt 0 ]; do sleep 0.05; done
	sleep 1
}

starts -m 4 -i --interval 50ms -f r.xml 5
measures
# shellcheck disable=SC2046 # each of them
pauses 6 0.4 $pid $(child)
ended 'pmbench, frozen as a whole' stopped
check 'pmbench, frozen as a whole: the report has the time' grep -q '<stopped_ns>[0-9]\{10,\}<' r.xml

starts -m 4 -i --interval 50ms -f r.xml 5
measures
# shellcheck disable=SC2046
pauses 1 1.5 $(child)
ended 'pmbench, its measuring process frozen' stopped

# One thread: no process is seen to be frozen, but its own time tells.
if [ $version = 1 ]; then
	freezer=$group
else
	freezer=/sys/fs/cgroup/freezer/memstor-frozen.$$
	mkdir "$freezer" 2>/dev/null || freezer=
fi
if [ -n "$freezer" ]; then
	starts -m 4 -i --interval 50ms -f r.xml 5
	measures
	process=$(child)
	for task in "/proc/${process% }"/task/*; do :; done
	echo "${task##*/}" >"$freezer/tasks"
	echo FROZEN >"$freezer/freezer.state"
	sleep 1
	echo THAWED >"$freezer/freezer.state"
	ended 'pmbench, its measuring thread frozen' unexplained-time
	check 'pmbench, its measuring thread frozen: the report has the time' grep -q '<unexplained_ns>[0-9]\{9,\}<' r.xml
	[ "$freezer" = "$group" ] || rmdir "$freezer"
else
	skip 'pmbench, its measuring thread frozen: the run ends with 4' 'needs the freezer of version 1 of cgroups'
fi

iowrite-bench run --filename=f --regime=overwrite --runtime=6s --rounds=1 -f r.xml >out 2>err &
pid=$!
begins f
pauses 6 0.4 $pid
ended 'iowrite-bench run, frozen as a whole' stopped

ssd-workloads run --target=. --mix=1-0 --log-size=4m --engine=threads --runtime=6s -f r.xml >out 2>err &
pid=$!
sleep 2
pauses 6 0.4 $pid
ended 'ssd-workloads run, frozen as a whole' stopped

# Blocks in which it is frozen are left out: what is left may do, but it is not said to be ok.
iowrite-bench calibrate --size=64m --runtime=8s -o r.xml >out 2>err &
pid=$!
sleep 2
pauses 4 0.4 $pid
status=0
wait "$pid" || status=$?
pid=
is 'iowrite-bench calibrate, frozen as a whole: it ends with 4' $status 4
check 'iowrite-bench calibrate, frozen as a whole: a line says so' \
	grep -q '^iowrite-bench: r.xml: the run was stopped for about .*the cgroup freezer' err
check 'iowrite-bench calibrate, frozen as a whole: the table says so' \
	grep -q '^STOPPED: the run was stopped for about .*the cgroup freezer' out
check 'iowrite-bench calibrate, frozen as a whole: the file says so' \
	grep -q '<stopped>the run was stopped for about .*the cgroup freezer' r.xml
is_valid 'iowrite-bench calibrate, frozen as a whole: the file is valid by the schema' r.xml
iowrite-bench calibrate --size=64m --runtime=2s -o r.xml >out 2>err || :
is 'iowrite-bench calibrate, not frozen: nothing says that it was stopped' "$(cat out err r.xml | grep -c 'was stopped')" 0

# Writes with pauses between them: of 6 s or more on any disk.
write_system s.xml no-such-device ext4 500000000
iowrite-bench evaluate --system s.xml --thresholds=keep --dry-run >out 2>err || :
here=$(sed -n 's/.* and \. is on \(.*\) (\(.*\)): take --directory there, or calibrate here$/\1 \2/p' err)
write_system s.xml "${here% *}" "${here##* }" 500000000
set -- --system s.xml --thresholds=keep --warm-up=0s --mem=as-is --scenarios=c4
if iowrite-bench evaluate "$@" --dry-run >out 2>err; then
	iowrite-bench evaluate "$@" -f r.xml >out 2>err &
	pid=$!
	tries=1200
	until [ "$(sed -n 's/^wchar: //p' "/proc/$pid/io")" -ge 64000000 ] || [ $((tries -= 1)) -lt 0 ]; do sleep 0.05; done
	pauses 4 0.4 $pid
	status=0
	wait "$pid" || status=$?
	pid=
	is 'iowrite-bench evaluate, frozen as a whole: it ends with 4' $status 4
	check 'iowrite-bench evaluate, frozen as a whole: a line has the reason' \
		grep -q '^iowrite-bench: warning: stopped: c4: .*the cgroup freezer' err
	check 'iowrite-bench evaluate, frozen as a whole: the report has the reason' grep -q '<reason code="stopped"' r.xml
else
	skip 'iowrite-bench evaluate, frozen as a whole: it ends with 4' "$(tail -n 1 err)"
fi

if command -v chrt >/dev/null && command -v taskset >/dev/null; then
	cpu=$(sed -n 's/^Cpus_allowed_list:[^0-9]*\([0-9]*\).*/\1/p' /proc/self/status)
	taskset -c "$cpu" chrt -f 10 pmbench -q -m 4 -j 2 -f r.xml 2 >out 2>err || :
	check 'a real-time run on one CPU measures' grep -q '<accesses>[1-9]' r.xml
	is 'a real-time run whose threads take the coordinators CPU was not stopped' "$(grep -c '"stopped"' r.xml)" 0
else
	skip 'a real-time run on one CPU measures' 'needs chrt and taskset (util-linux)'
fi
tap_done
