#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# A calibration of a real ext4 on a loop device, O_DIRECT and buffered, with the thresholds of --stage: laws only, and
# everything is put back.
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

check_exit 0 "calibrate" iowrite-bench calibrate --directory "$folder" --size=512m --runtime=6s -o "$tmp/a.xml"
check "is valid" memstor validate "$tmp/a.xml"
check "nothing is left" sh -c 'test -z "$(ls -A "$1")"' sh "$folder"
check "of ext4" grep -q '<file_system>ext4</file_system>' "$tmp/a.xml"
check "on the loop device" grep -q "<device>${loop#/dev/}</device>" "$tmp/a.xml"
# A slow hour may not have time for all, which is said then.
for curve in direct.append direct.overwrite direct-sync.append sync.prealloc dsync.overwrite buffered.append; do
	check "$curve is known, or it is said why not" grep -q -e "<curve mode=\"${curve%.*}\" regime=\"${curve#*.}\"" \
		-e "<unknown name=\"$curve\" why=\"--runtime" "$tmp/a.xml"
done
for parameter in bw_dev bw_rdev lat_rdev bw_cache_warm bw_mem sc_w lib_metacost bf limit_bg limit_hard; do
	check "$parameter, too" grep -q -e "<parameter name=\"$parameter\"" -e "<unknown name=\"$parameter\" why=\"--runtime" "$tmp/a.xml"
done
check "more than half is known" sh -c 'test "$(grep -c "<parameter\|<curve" "$1")" -ge 20' sh "$tmp/a.xml"
check "throttled writes are not, and why" grep -q '<unknown name="throttled" why="' "$tmp/a.xml"
is "thresholds are as they were" "$(settings)" "$before"

# --- with the stage: of the whole machine, and another run may have it now
for _ in $(seq 100); do
	[ -z "$(ls -A /run/iowrite-bench 2>/dev/null)" ] && break
	sleep 0.3
done
before=$(settings)
check_exit 0 "--stage" iowrite-bench calibrate --stage --directory "$folder" --size=1g --runtime=8s -o "$tmp/b.xml"
check "is valid" memstor validate "$tmp/b.xml"
is "thresholds are put back" "$(settings)" "$before"
iowrite-bench calibrate -q --stage --directory "$folder" --size=1g --runtime=60s -o "$tmp/c.xml" >"$tmp/out" 2>"$tmp/err" &
pid=$!
sleep 3
kill -KILL $pid
wait $pid 2>/dev/null
for _ in $(seq 100); do
	[ "$(settings)" = "$before" ] && break
	sleep 0.1
done
is "put back after kill -9, too" "$(settings)" "$before"
check "nothing is left" sh -c 'test -z "$(ls -A "$1")"' sh "$folder"
check "and no calibration" test ! -e "$tmp/c.xml"

# --- a device that fails: it is full of its image's disk
dd if=/dev/zero of="$folder/fill" bs=1M count=1100 conv=fsync 2>/dev/null
check_exit 3 "no room" iowrite-bench calibrate -q --directory "$folder" --size=512m --runtime=2s -o "$tmp/d.xml"
is "one line" "$(wc -l <"$tmp/err")" 1
check "says what is missing" grep -q 'has room for .* MiB, and 512 MiB' "$tmp/err"
check "no calibration" test ! -e "$tmp/d.xml"
tap_done
