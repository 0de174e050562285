#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# A run that the cgroup freezer holds for a while (docker pause) is not "ok", however short the pauses; a run whose own real-time
# threads take the coordinator's CPU was not stopped.
. "$top_srcdir/tests/lib/tap.sh"
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

if command -v chrt >/dev/null && command -v taskset >/dev/null; then
	cpu=$(sed -n 's/^Cpus_allowed_list:[^0-9]*\([0-9]*\).*/\1/p' /proc/self/status)
	taskset -c "$cpu" chrt -f 10 pmbench -q -m 4 -j 2 -f r.xml 2 >out 2>err || :
	check 'a real-time run on one CPU measures' grep -q '<accesses>[1-9]' r.xml
	is 'a real-time run whose threads take the coordinators CPU was not stopped' "$(grep -c '"stopped"' r.xml)" 0
else
	skip 'a real-time run on one CPU measures' 'needs chrt and taskset (util-linux)'
fi
tap_done
