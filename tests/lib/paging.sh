# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=sh disable=SC2154,SC2034 # top_srcdir comes from the harness; the tests use what is set here
# For tests/host/pmbench-*.sh: runs of pmbench under pressure, their reports and leftovers.
. "$top_srcdir/tests/lib/pressure.sh"
. "$top_srcdir/tests/lib/report.sh"

# starts ARGUMENT...: pmbench in the background, with a report in $work/r.xml; sets front
starts() {
	rm -f "$work/r.xml" "$tmp/err" "$work/journal"
	: >"$tmp/out"
	env --default-signal=INT pmbench --label "token=$token" -f "$work/r.xml" "$@" >"$tmp/out" 2>"$tmp/err" &
	front=$!
}

# The longest copy of the journal lists everything that the run made.
keep_journal() {
	cat "$WITH_PRESSURE_DIR"/[0-9]* >"$work/journal.now" 2>/dev/null
	[ "$(wc -c <"$work/journal.now")" -le "$(wc -c 2>/dev/null <"$work/journal" || echo 0)" ] ||
		mv "$work/journal.now" "$work/journal"
}

# The tree of processes, one level a word, empty when there is none yet.
find_family() {
	guardian=$(child_of "$front")
	keeper=
	job=
	worker=
	[ -z "$guardian" ] || keeper=$(child_of "$guardian")
	[ -z "$keeper" ] || job=$(child_of "$keeper")
	[ -z "$job" ] || worker=$(child_of "$job")
}

ends() { finish "$front" keep_journal; }

# restored WHAT: everything that the journal lists is removed or restored
restored() {
	check "$1: the journal of the run lists a cgroup or swap" grep -q '^cgroup\|^swap' "$work/journal"
	is "$1: nothing that the journal lists is left" "$(leftovers "$work/journal")" ''
}
