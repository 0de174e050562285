# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=sh disable=SC2154,SC2034 # top_srcdir comes from the harness; the tests use what is set here
# For tests that read reports of pmbench, on top of tap.sh.

values() { # values FILE ELEMENT: the text of each
	sed -n "s|^ *<$2\( [^>]*\)*>\([^<]*\)</$2>\$|\2|p" "$1"
}
total() { # total FILE ELEMENT: their sum
	values "$1" "$2" | awk '{ sum += $1 } END { printf "%.0f\n", sum }'
}

# lawful WHAT FILE: it is valid by the schema, and its numbers agree.
lawful() { check "$1: the report is valid" memstor validate "$2"; }

# check_run DESCRIPTION COMMAND...: it ends with 0; output as by check_exit. When only the host disturbs the
# numbers (other load, a clock), status 4 is no failure. The text is in out, or for a report on stdout its verdict.
# A page that the kernel moves in the window is by chance a fault outside all accesses: such a run is repeated.
check_run() {
	run_description=$1
	shift
	for run_try in first second third; do
		run_status=0
		"$@" >"$tmp/out" 2>"$tmp/err" || run_status=$?
		[ $run_status = 4 ] && is_stray || break
		echo "# $run_try try: a stray fault"
	done
	if [ $run_status = 0 ] || { [ $run_status = 4 ] && spoilt_by_host; }; then
		tap_result ok "$run_description"
	else
		tap_result 'not ok' "$run_description"
		echo "# status $run_status: $*"
		sed 's/^/# /' "$tmp/err"
		grep -E '^(Result|WARNING|Classification)' "$tmp/out" | sed 's/^/# /'
	fi
}
is_stray() { [ -z "${sanitizer:-}" ] && reasons | grep -qx inexact && ! reasons | grep -qvxE 'inexact|steal|contention|foreign-traffic|clock|clock-[a-z]*'; }
spoilt_by_host() {
	reasons=$(reasons)
	# The pages of a sanitizer cannot be locked (mlock does nothing under it): their faults are outside all accesses.
	[ -n "${sanitizer:-}" ] && own='|inexact' || own=
	[ -n "$reasons" ] && ! echo "$reasons" | grep -qvxE "steal|contention|foreign-traffic|clock|clock-[a-z]*$own"
}

# finish PID [COMMAND]: waits for a run and sets status; runs the command meanwhile, and ends a run that hangs.
finish() {
	read -r uptime _ </proc/uptime
	deadline=$((${uptime%.*} + 60))
	while kill -0 "$1" 2>/dev/null; do
		${2:-:}
		sleep 0.05
		read -r uptime _ </proc/uptime
		[ "${uptime%.*}" -le $deadline ] || kill -9 "$1"
	done
	status=0
	wait "$1" 2>/dev/null || status=$?
}
