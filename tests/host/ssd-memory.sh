#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# ssd-workloads run where there is little memory: rings are shortened or refused in one line, and no process is killed for them.
. "$top_srcdir/tests/lib/tap.sh"
. "$top_srcdir/tests/lib/ssd.sh"
[ "$(id -u)" -eq 0 ] || skip_all 'needs root, to make a cgroup'
need_direct
# As in tests/lib/pressure.sh, which makes a folder of its own.
if grep -q :memory: /proc/self/cgroup; then
	group=/sys/fs/cgroup/memory$(awk -F: '$2 == "memory" { print $3 }' /proc/self/cgroup)
	limit=memory.limit_in_bytes oom=memory.oom_control
else
	group=/sys/fs/cgroup$(sed -n 's/^0:://p' /proc/self/cgroup)
	limit=memory.max oom=memory.events
fi
group=$group/ssd-memory-test.$$
clean_up() {
	[ ! -d "$group" ] || rmdir "$group"
	ssd_cleanup
}
trap clean_up EXIT
mkdir "$group" 2>"$tmp/why" || skip_all "$(cat "$tmp/why")"
[ -w "$group/$limit" ] || skip_all 'no limits of memory in cgroups here'

# limited BYTES COMMAND...: in a cgroup with BYTES of memory.
limited() {
	echo "$1" >"$group/$limit" || return 99
	shift
	# shellcheck disable=SC2016 # by the shell that is in it
	sh -c 'echo $$ >"$0/cgroup.procs" && exec "$@"' "$group" "$@"
}
kills() { sed -n 's/^oom_kill //p' "$group/$oom"; }
value() { sed -n "s|.*<$2>\([^<]*\)</$2>.*|\1|p" "$1" | head -n 1; }
mix='--mix=custom --log-depth=32 --log-bs=512 --log-size=1m --ckpt-depth=0 --trace=off --interval=0'

# A day of records is more than any machine has memory for: 64 bytes of each of thousands a second.
# shellcheck disable=SC2086 # words
limited $((160 << 20)) timeout -s INT 8 ssd-workloads run $mix --target="$work" --runtime=86400s --records=86400s -f "$work/short.xml" \
	>"$tmp/out" 2>"$tmp/err"
status=$?
is 'a run with more records than memory runs until it is ended' $status 124
is 'one line says that rings are shortened' "$(grep -c '^ssd-workloads: warning: rings of records are shortened to ' "$tmp/err")" 1
is 'a run with more records than memory prints no other line' "$(grep -vc 'rings of records are shortened to ' "$tmp/err")" 0
check 'a run with more records than memory is recorded' test "$(value "$work/short.xml" kept)" -gt 0
is 'a run with more records than memory is not killed for it' "$(kills)" 0

# shellcheck disable=SC2086 # words
check_exit 3 'a run that needs more memory than available is refused' \
	limited $((40 << 20)) ssd-workloads run $mix --log-bs=1m --log-size=128m --target="$work/new" --keep --runtime=1s
check 'the refusal says how much memory is needed and available' \
	grep -q '^ssd-workloads: at least [0-9.]*[a-zA-Z ]* of memory are needed, .* are available ' "$tmp/err"
is 'the refusal of too little memory is one line' "$(wc -l <"$tmp/err")" 1
is 'a run that is refused for memory makes no file' "$(ls "$work")" short.xml
is 'a run that is refused for memory is not killed' "$(kills)" 0
tap_done
