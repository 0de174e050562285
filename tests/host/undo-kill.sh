#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Thresholds and a slow device with dirty pages on it, whose program is interrupted, or killed with kill -9, or its
# guardian, or both: nothing is left on the machine.
. "$top_srcdir/tests/lib/stage.sh"
need_slow
mkdir "$work/images"

begin() {
	check "$1: the test setup is made" start $((64 * mib)) $((128 * mib)) $((200 * mib)) $((512 * mib)) "$work/images"
	is "$1: the thresholds are set" "$(thresholds)" "0 $((128 * mib)) 0 $((64 * mib))"
	check "$1: a file system is on $device" test -d "/sys/fs/ext4/$device"
	check "$1: the mount is not visible to others" sh -c "! grep -q $device /proc/mounts"
	check "$1: the device has dirty pages" dd if=/dev/zero of="$folder/file" bs=1M count=32
	pid=$front
}
all_is_as_before() {
	within 30 is_clean "$pid"
	is "$1: everything is as before" "$(leftovers "$pid")" ''
}

for signal in INT TERM HUP; do
	begin "SIG$signal"
	kill -$signal "$front"
	wait_for_end
	is "SIG$signal ends a run with 4" $status 4
	is "SIG$signal: everything is as before" "$(leftovers "$pid")" ''
done

begin 'kill -9'
kill -9 "$front"
wait_for_end
is 'kill -9 ends the run' $status 137
all_is_as_before 'kill -9'
is 'kill -9: the guardian prints nothing' "$(grep -vc 'warning: until this run ends' "$work/err")" 0

begin 'guardian'
kill -9 "$guardian"
finish
is 'guardian killed: the run ends with 0' $status 0
is 'guardian killed: everything is as before' "$(leftovers "$pid")" ''
check 'guardian killed: a warning says that everything is restored without it' \
	grep -q 'was killed: everything is restored without it' "$work/err"

begin 'both'
kill -9 "$guardian" "$front"
wait_for_end
within 30 test ! -d "/sys/fs/ext4/$device"
is 'both killed: thresholds, throttle and journal are left' "$(leftovers "$pid" | sed 's/:.*//' | xargs)" \
	"$([ ! -w $throttle ] && echo thresholds cgroup journals || echo thresholds throttle journals)"
check_exit 0 'both killed: recover ends with 0' iowrite-bench recover
check 'both killed: recover says what it restored' grep -q "restored: $vm/dirty_ratio is '${before%% *}' again" "$tmp/err"
is 'both killed: everything is as before' "$(leftovers "$pid")" ''
check_exit 0 'both killed: recover ends with 0 a second time' iowrite-bench recover
is 'both killed: a second recover has nothing to restore' "$(cat "$tmp/err")" 'iowrite-bench: nothing to restore'

# The next run restores before it begins.
begin 'next run'
kill -9 "$guardian" "$front"
wait_for_end
within 30 test ! -d "/sys/fs/ext4/$device"
check 'both killed: the next run makes its test setup' start 0 $((256 * mib)) 0 0 "$work/images"
check 'both killed: the next run says what it restored' grep -q "restored: $vm/dirty_background_ratio is" "$work/err"
finish
is 'both killed: the next run ends with 0' $status 0
all_is_as_before 'next run'

# Killed at any moment of the set-up: mkfs, mount, throttle, thresholds.
for delay in 0 0.01 0.02 0.04 0.06 0.08 0.1 0.12 0.15 0.2 0.3; do
	"$hold" $((64 * mib)) $((128 * mib)) $((200 * mib)) $((512 * mib)) "$work/images" </dev/zero >/dev/null 2>"$work/err" &
	front=$!
	pid=$front
	sleep $delay
	kill -9 "$front"
	wait "$front" 2>/dev/null
	front=
	# Before there was a guardian there was nothing to undo: a journal without a line, for the next run to remove.
	settled() { is_clean "$pid" || ! cat "$IOWRITE_BENCH_DIR"/* | sed 1d | grep -q .; }
	within 30 settled
	iowrite-bench recover 2>/dev/null
	within 30 is_clean "$pid"
	is "killed after $delay s: everything is as before" "$(leftovers "$pid")" ''
done
tap_done
