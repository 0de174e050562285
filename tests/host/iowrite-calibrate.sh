#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# A calibration of a real ext4 on a loop device, O_DIRECT and buffered, with the thresholds of --stage: laws only, and
# everything is restored.
. "$top_srcdir/tests/lib/tap.sh"
[ "$(id -u)" = 0 ] || skip_all 'needs root'
for program in losetup mkfs.ext4 mount; do
	command -v $program >/dev/null || skip_all "needs $program"
done
image=$(mktemp /var/tmp/memstor-calibrate-XXXXXX)
folder=$tmp/disk
mkdir "$folder"
cleanup() {
	umount "$folder" 2>/dev/null
	[ -z "$loop" ] || losetup -d "$loop"
	rm -f "$image"
	tap_cleanup
}
trap cleanup EXIT
truncate -s 1536M "$image"
loop=$(losetup --find --show --direct-io=on "$image") || skip_all 'no loop device'
mkfs.ext4 -q -F "$loop" || skip_all 'cannot make an ext4'
mount "$loop" "$folder" || skip_all 'cannot mount it'
rmdir "$folder/lost+found"
settings() { head /proc/sys/vm/dirty_bytes /proc/sys/vm/dirty_background_bytes /proc/sys/vm/dirty_ratio /proc/sys/vm/dirty_background_ratio; }
before=$(settings)

# In some seconds few values become stable: status 4, and a line that names the others.
calibrates() { # DESCRIPTION ARGUMENT...
	description=$1
	shift
	status=0
	iowrite-bench calibrate "$@" >"$tmp/out" 2>"$tmp/err" || status=$?
	check "$description ends with 0, or with 4 and a line that says why" sh -c '
		test "$1" = 0 || { test "$1" = 4 && grep -qE ": (values that predictions need are unstable|other processes competed)" "$2"; }' sh "$status" "$tmp/err"
}
calibrates "calibrate" --directory "$folder" --size=512m --runtime=6s -o "$tmp/a.xml"
check 'memstor validate accepts the calibration' memstor validate "$tmp/a.xml"
check 'calibrate leaves no file in its folder' sh -c 'test -z "$(ls -A "$1")"' sh "$folder"
check 'the calibration names the file system ext4' grep -q '<file_system>ext4</file_system>' "$tmp/a.xml"
check 'the calibration names the loop device' grep -q "<device>${loop#/dev/}</device>" "$tmp/a.xml"
# A slow machine may not have time for all values; the calibration says so then.
for curve in direct.append direct.overwrite direct-sync.append sync.prealloc dsync.overwrite buffered.append; do
	check "the calibration has the curve $curve or says why it is unknown" \
		grep -q -e "<curve mode=\"${curve%.*}\" regime=\"${curve#*.}\"" \
		-e "<unknown name=\"$curve\" why=\"--runtime" "$tmp/a.xml"
done
for parameter in bw_dev bw_rdev lat_rdev bw_cache_warm bw_mem sc_w lib_metacost bf limit_bg limit_hard; do
	check "the calibration has $parameter or says why it is unknown" \
		grep -q -e "<parameter name=\"$parameter\"" -e "<unknown name=\"$parameter\" why=\"--runtime" "$tmp/a.xml"
done
# The number of known values depends on the machine and its load.
check "the calibration has at least 20 values, or reasons why they are unknown" \
	sh -c 'test "$(grep -c "<parameter\|<curve\|<unknown" "$1")" -ge 20' sh "$tmp/a.xml"
check "the calibration says why throttled writes are unknown" grep -q '<unknown name="throttled" why="' "$tmp/a.xml"
is "calibrate without --stage does not change the thresholds" "$(settings)" "$before"

# --- with --stage: its thresholds are of the whole machine, and another run may have set them now
for _ in $(seq 100); do
	[ -z "$(ls -A /run/iowrite-bench 2>/dev/null)" ] && break
	sleep 0.3
done
before=$(settings)
calibrates "calibrate --stage" --stage --directory "$folder" --size=1g --runtime=8s -o "$tmp/b.xml"
check 'memstor validate accepts the calibration with thresholds' memstor validate "$tmp/b.xml"
is 'calibrate restores the thresholds' "$(settings)" "$before"
# near NAME COUNTER: within a half of what the kernel counts now: of its own ratios, and memory comes and goes
near() {
	awk -v name="$1" -v page="$(getconf PAGESIZE)" -v now="$(awk -v name="$2" '$1 == name { print $2 }' /proc/vmstat)" '
		index($0, "name=\"" name "\"") && match($0, / value="[^"]*/) {
			value = substr($0, RSTART + 8, RLENGTH - 8) / (page * now); found = 1 }
		END { exit !(found && value > 0.5 && value < 2) }' "$tmp/b.xml"
}
check "limit_hard is near the kernel's own threshold" near limit_hard nr_dirty_threshold
check "limit_bg is near the kernel's own threshold" near limit_bg nr_dirty_background_threshold
iowrite-bench calibrate -q --stage --directory "$folder" --size=1g --runtime=12s -o "$tmp/c.xml" >"$tmp/out" 2>"$tmp/err" &
pid=$!
# Two thirds of the time go by before: killed earlier, nothing would have to be restored.
staged=0
for _ in $(seq 600); do
	[ "$(cat /proc/sys/vm/dirty_bytes)" = 536870912 ] && staged=1 && break
	kill -0 $pid 2>/dev/null || break
	sleep 0.1
done
is 'calibrate measures with thresholds of its own' $staged 1
kill -KILL $pid
wait $pid 2>/dev/null
for _ in $(seq 100); do
	[ "$(settings)" = "$before" ] && break
	sleep 0.1
done
is "calibrate restores the thresholds after kill -9" "$(settings)" "$before"
check 'calibrate leaves no file after kill -9' sh -c 'test -z "$(ls -A "$1")"' sh "$folder"
# Journals are named by the process; other runs may have some.
journals() { find /run/iowrite-bench -name "$pid-*" 2>/dev/null; }
for _ in $(seq 100); do
	[ -z "$(journals)" ] && break
	sleep 0.1
done
is 'calibrate leaves no journal after kill -9' "$(journals)" ''
check 'calibrate writes no calibration after kill -9' test ! -e "$tmp/c.xml"

# --- the disk becomes full meanwhile
iowrite-bench calibrate -q --directory "$folder" --size=512m --runtime=20s -o "$tmp/full.xml" >"$tmp/out" 2>"$tmp/err" &
pid=$!
free=$(stat -f -c %f "$folder")
for _ in $(seq 600); do
	[ "$(stat -f -c %f "$folder")" -ge "$free" ] || break
	sleep 0.05
done
dd if=/dev/zero of="$folder/fill" bs=1M 2>/dev/null
status=0
wait $pid || status=$?
is 'calibrate ends with 3 when the disk becomes full' $status 3
is 'calibrate says in one line that the disk became full' "$(wc -l <"$tmp/err")" 1
check 'calibrate says how to proceed when the disk became full' \
	grep -q ', free some space or use a smaller --size: No space left on device$' "$tmp/err"
sed 's/^/# /' "$tmp/err"
check "memstor validate accepts the calibration when the disk became full" memstor validate "$tmp/full.xml"
check 'the calibration says that it is partial when the disk became full' \
	grep -q '<partial>it failed before everything was measured</partial>' "$tmp/full.xml"
check "calibrate leaves no file when the disk became full" sh -c 'test "$(ls -A "$1")" = fill' sh "$folder"
rm "$folder/fill"
sync -f "$folder"

# --- a device that fails: it is full of its image's disk
dd if=/dev/zero of="$folder/fill" bs=1M count=1100 conv=fsync 2>/dev/null
check_exit 3 'calibrate refuses a folder without enough free space' \
	iowrite-bench calibrate -q --directory "$folder" --size=512m --runtime=2s -o "$tmp/d.xml"
is 'calibrate refuses a folder without enough free space in one line' "$(wc -l <"$tmp/err")" 1
check 'calibrate says how much free space is needed' grep -q ' MiB free, 576 MiB needed' "$tmp/err"
check 'calibrate writes no calibration without enough free space' test ! -e "$tmp/d.xml"
tap_done
