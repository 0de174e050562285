# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=sh disable=SC2154,SC2034 # from the harness; for the tests
# For tests/host/iowrite-stage.sh and undo-kill.sh, on top of tap.sh: stage_hold, and its leftovers on the machine.
# Journals are in a folder of the test, so that a run of another process is never taken for a leftover.
. "$top_srcdir/tests/lib/tap.sh"
[ "$(id -u)" -eq 0 ] || skip_all 'needs root'

vm=/proc/sys/vm
mib=1048576
work=$(mktemp -d /var/tmp/iowrite-stage-test.XXXXXX) || exit 99
export IOWRITE_BENCH_DIR="$work/journals"
hold=$top_builddir/tests/host/stage_hold
front=
before=

clean_up() {
	trap - EXIT
	exec 7>&- 8>&- 9>&-
	[ -z "$front" ] || kill -9 "$front" 2>/dev/null
	sleep 0.2
	iowrite-bench recover >/dev/null 2>&1
	[ -z "$before" ] || write_thresholds "$before"
	rm -rf "$work"
	tap_cleanup
}
trap clean_up EXIT

within() { # within SECONDS COMMAND...: until it succeeds
	tries=$(($1 * 20))
	shift
	until "$@"; do
		tries=$((tries - 1))
		[ $tries -gt 0 ] || return 1
		sleep 0.05
	done
}

# "dirty_ratio dirty_bytes dirty_background_ratio dirty_background_bytes"
thresholds() { cat $vm/dirty_ratio $vm/dirty_bytes $vm/dirty_background_ratio $vm/dirty_background_bytes | xargs; }
# Those that are not 0; each sets its twin to 0.
write_thresholds() {
	# shellcheck disable=SC2086 # four words
	set -- $1
	write_pair dirty_ratio "$1" dirty_bytes "$2"
	write_pair dirty_background_ratio "$3" dirty_background_bytes "$4"
}
write_pair() { # RATIO VALUE BYTES VALUE
	if [ "$4" != 0 ]; then
		echo "$4" >$vm/"$3"
	else
		[ "$2" != 0 ] || echo 1 >$vm/"$1"
		echo "$2" >$vm/"$1"
	fi
}

# blkio is on cgroups of version 1 here.
throttle=/sys/fs/cgroup/blkio/blkio.throttle.write_bps_device
need_slow() {
	[ -w /dev/loop-control ] || skip_all 'needs loop devices (modprobe loop)'
	[ -w $throttle ] || grep -qw io /sys/fs/cgroup/cgroup.subtree_control 2>/dev/null || skip_all 'needs blkio or io of cgroups'
	command -v mkfs.ext4 >/dev/null || [ -x /usr/sbin/mkfs.ext4 ] || skip_all 'needs mkfs.ext4 (e2fsprogs)'
}

# start WORDS OF stage_hold...: sets front, guardian and folder; fd 9 is its stdin.
start() {
	rm -f "$work/in" "$work/out"
	# Another run may have begun since, on a shared machine.
	within 120 flock -n $vm/dirty_bytes true
	mkfifo "$work/in"
	"$hold" "$@" <"$work/in" >"$work/out" 2>"$work/err" &
	front=$!
	exec 9>"$work/in"
	within 60 is_up 1 || { cat "$work/err"; return 1; }
	guardian=$(pgrep -P "$front" -x undo-guard)
	folder=$(head -n 1 "$work/out" | sed "s,/proc/self/,/proc/$front/,")
	cat "$IOWRITE_BENCH_DIR"/* >"$work/journal"
	device=$(sed -n 's,^loop .* /dev/\(loop[0-9]*\) .*,\1,p' "$work/journal")
}
is_up() { [ "$(wc -l <"$work/out")" -ge "$1" ]; }
go_on() { # LINES: that it will have printed then
	echo >&9
	within 60 is_up "$1"
}
finish() { # sets status
	echo >&9
	exec 9>&-
	status=0
	wait "$front" || status=$?
	front=
}
wait_for_end() { # of one that was killed
	exec 9>&-
	status=0
	wait "$front" || status=$?
	front=
}

# Prints a line for each object of a run that still exists, from its journal and by the folder of its image.
leftovers() {
	[ "$(thresholds)" = "$before" ] || echo "thresholds: $(thresholds), before: $before"
	losetup -a | grep -F "$work/" | sed 's/^/loop: /'
	[ -z "$device" ] || [ ! -d "/sys/fs/ext4/$device" ] || echo "file system: $device"
	[ -z "$device" ] || [ ! -r $throttle ] ||
		sed -n "s,^\($(cat "/sys/block/$device/dev") .*\),throttle: \1,p" $throttle
	find /sys/fs/cgroup -type d -name "iowrite-bench-${1:-x}-*" | sed 's/^/cgroup: /'
	[ ! -e "$IOWRITE_BENCH_DIR" ] || echo "journals: $(ls "$IOWRITE_BENCH_DIR")"
}
is_clean() { [ -z "$(leftovers "$@")" ]; }

# A write to a run that has ended fails; the check after it finds the error.
trap '' PIPE
# Tests that write thresholds themselves wait for each other, by a lock that no run takes.
exec 6<$vm/dirty_ratio
flock -w 200 6 || skip_all 'another test has changed the thresholds'
# Thresholds are global, and a run that sets them has a lock on them: wait while another run has it.
is_free() { [ ! -e /run/iowrite-bench ] && flock -n $vm/dirty_bytes true; }
within 120 is_free || skip_all "another iowrite-bench has changed this machine ($(lslocks | grep dirty_bytes))"
before=$(thresholds)
