#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# kill -9 of pmbench's front, its guardian, a process that measures, both supervisors or all at once, at random
# moments from the first fork to the last report: nothing is left, no process survives, a report is complete or absent.
. "$top_srcdir/tests/lib/paging.sh"
need_host zram

ROUNDS=${ROUNDS:-7}
# About as long as such a run takes, in ms.
SPAN=${SPAN:-1200}

random_below() { # random_below N
	od -An -N4 -tu4 /dev/urandom | awk -v n="$1" '{ print int($1 % n) }'
}

choose_victims() {
	find_family
	case $1 in
	front) victims=$front ;;
	guardian) victims=$guardian ;;
	worker) victims=${worker:-$job} ;;
	both) victims="$front $guardian" ;;
	all) victims="$front $guardian $keeper $job $worker" ;;
	esac
	[ -n "$victims" ]
}

# Hundredths of a second since boot, without a process for it.
now() { read -r uptime _ </proc/uptime && echo "${uptime%.*}${uptime#*.}"; }

# kill_at MS VICTIM: as soon after that as there is such a process; false when the run ended first
kill_at() {
	until=$(($(now) + $1 / 10))
	while [ "$(now)" -lt $until ] && kill -0 "$front" 2>/dev/null; do
		keep_journal
	done
	until choose_victims "$2"; do
		kill -0 "$front" 2>/dev/null || return 1
	done
	keep_journal
	# shellcheck disable=SC2086 # several numbers
	kill -9 $victims 2>/dev/null
}

is_whole() { [ ! -e "$work/r.xml" ] || tail -n 1 "$work/r.xml" | grep -qx '</pmbenchmark>'; }

# Its cgroups are named after the front, whether its journal could be copied in time or not.
traces() {
	leftovers "$work/journal"
	find /sys/fs/cgroup -type d -name "with-pressure-$front-*" 2>/dev/null
	grep -F "$(printf %s "$work" | sed 's/ /\\040/g')" /proc/swaps
}
nobody_runs() { ! job_runs; }
has_no_trace() { [ -z "$(traces)" ]; }
# Before there was a guardian there was nothing to undo: a journal without an action, which the next run removes.
noted() { cat "$work/journal" "$WITH_PRESSURE_DIR"/* 2>/dev/null | grep -v '^memstor-journal' | grep -q .; }
settled() { has_no_trace || ! noted; }

for victim in front guardian worker both all; do
	round=0
	while [ $round -lt "$ROUNDS" ]; do
		round=$((round + 1))
		ms=$(random_below "$SPAN")
		what="$victim after $ms ms"
		case $((round % 2)) in
		0) swap=zram:192M ;;
		1) swap="file:$work/swap file,192M" ;;
		esac
		starts -q --ram 48M --swap "$swap" -m 64 -i --processes 2 --warmup 100ms 500ms
		was_killed=yes
		kill_at "$ms" "$victim" || was_killed=no
		touch "$work/journal"
		ends
		[ $was_killed = yes ] || what="$what (it had ended)"
		if [ "$victim" = all ] || [ "$victim" = both ]; then
			check "$what: no process is left" within 10 nobody_runs
			keep_journal
			check_exit 0 "$what: --recover ends with 0" pmbench --recover
		elif [ "$victim" != front ] && [ $was_killed = yes ]; then
			check "$what: the front survives and ends with a status of its own" test "$status" -ge 0 -a "$status" -le 4
		fi
		within 10 settled
		has_no_trace || noted || pmbench --recover 2>/dev/null
		is "$what: nothing is left" "$(traces)" ''
		check "$what: the report is complete or absent" is_whole
	done
done

# Killed before anything was measured: the messages name the guardian, and nothing else.
starts --ram 48M --swap zram:1G -m 512 -i -c 60
within 30 grep -q 'Initializing memory map' "$tmp/out"
keep_journal
find_family
kill -9 "$guardian"
ends
is 'guardian killed before the window: pmbench ends with 3' "$status" 3
is 'guardian killed before the window: a warning and an error name the guardian' "$(cat "$tmp/err")" \
	'pmbench: warning: the guardian was killed: everything is restored without it
pmbench: the guardian of --ram, --swap and --eater was killed before the first access was measured, and the run with it'
is 'guardian killed before the window: nothing is left' "$(traces)" ''

# All processes that ^C on a terminal reaches get the signal.
starts --ram 48M --swap zram:192M -m 128 -i -c 60
within 30 grep -q 'Starting main' "$tmp/out"
keep_journal
find_family
kill -INT "$front" "$keeper" "$job"
ends
is 'SIGINT ends pmbench with 4' "$status" 4
lawful 'a run that SIGINT ended' "$work/r.xml"
check 'SIGINT marks the report as interrupted' grep -q '<interrupted>1<' "$work/r.xml"
is 'SIGINT leaves nothing behind' "$(traces)" ''
tap_done
