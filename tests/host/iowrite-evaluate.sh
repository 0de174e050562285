#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# iowrite-bench evaluate as root: synchronous and buffered writes to a real ext4, a slow device, small thresholds, and all
# of that restored, also when it is interrupted or killed.
. "$top_srcdir/tests/lib/tap.sh"
. "$top_srcdir/tests/lib/iowrite.sh"
[ "$(id -u)" -eq 0 ] || skip_all 'needs root, to mount a file system and set thresholds'
command -v mkfs.ext4 >/dev/null || skip_all 'needs mkfs.ext4'
export IOWRITE_BENCH_DIR="$tmp/journals"

# The thresholds of a scenario are 512 MiB and 1 GiB; others may set their own meanwhile (iowrite-stage.sh tests exactly what is
# restored).
ours() { [ "$(sysctl -n vm.dirty_bytes)" = 1073741824 ] || [ "$(sysctl -n vm.dirty_background_bytes)" = 536870912 ]; }
loops() { losetup -n -O NAME,BACK-FILE | sort; }
ours && skip_all 'the thresholds are those of a scenario already'
loops_before=$(loops)
work=$(mktemp -d /var/tmp/iowrite-evaluate-XXXXXX)
runner=
clean() {
	[ -z "$runner" ] || kill "$runner" 2>/dev/null
	cd /
	mountpoint -q "$work/disk" && umount "$work/disk"
	rm -rf "$work"
	tap_cleanup
}
trap clean EXIT

# --- an ext4 of its own
mkdir "$work/disk"
truncate -s 384M "$work/image"
mkfs.ext4 -q -F "$work/image" && mount -o loop "$work/image" "$work/disk" || skip_all 'cannot mount an ext4'
loop=$(basename "$(findmnt -n -o SOURCE "$work/disk")")
write_system "$tmp/s.xml" "$loop" ext4 500000000
check_exit 0 'evaluate measures synchronous writes, parts of blocks and fwrite' iowrite-bench evaluate --system "$tmp/s.xml" \
	--directory "$work/disk" --scenarios f4a,f5r,f9-4096 -f "$tmp/r.xml"
sed 's/^/# /' "$tmp/out"
is_valid 'the report of three scenarios is valid by the schema' "$tmp/r.xml"
check 'memstor validate accepts the report of evaluate' memstor validate "$tmp/r.xml"
is 'the report of evaluate has all three scenarios' "$(grep -o '<scenario id="[^"]*"' "$tmp/r.xml" | tr '\n' ' ')" \
	'<scenario id="f4a" <scenario id="f5r" <scenario id="f9-4096" '
is 'the report of evaluate has three models for each scenario' "$(grep -c '<model name=' "$tmp/r.xml")" 9
check 'the report of evaluate names the device' grep -q "<device>$loop</device>" "$tmp/r.xml"
is 'evaluate leaves no file in its folder' "$(find "$work/disk" -mindepth 1 -not -name lost+found)" ''
check_exit 3 'evaluate ends with 3 when no scenario has enough free space' \
	iowrite-bench evaluate --system "$tmp/s.xml" --directory "$work/disk" --scenarios c7
check 'evaluate says in one line how much free space a scenario needs' \
	grep -Eq 'the first one \(c7\): needs 2560 MiB of free space, and the folder has [0-9]+ MiB beyond the reserve' \
	"$tmp/err"

# --- the disk becomes full: while it writes, or while it prepares. What is free is read before a scenario can have its
# file: read later, no smaller figure may ever be seen. Most of the space is used before, so that the rest goes at once, and
# not before a scenario's file has 512 blocks: with a file of one the tool only asks what the folder can do.
fallocate -l 200M "$work/disk/filler"
blocks=$(stat -f -c %f "$work/disk")
iowrite-bench evaluate --system "$tmp/s.xml" --directory "$work/disk" --scenarios f4a --repetitions 100 -f "$tmp/r.xml" \
	>"$tmp/out" 2>"$tmp/err" &
runner=$!
for _ in $(seq 600); do
	[ "$(stat -f -c %f "$work/disk")" -gt "$((blocks - 512))" ] || break
	sleep 0.02
done
dd if=/dev/zero of="$work/disk/filler" bs=1M seek=200 2>/dev/null
status=0
wait "$runner" || status=$?
runner=
is 'evaluate ends with 3 when the disk becomes full' "$status" 3
sed 's/^/# /' "$tmp/err" | head -n 4
check 'evaluate says which scenario filled the disk' \
	grep -Eq "f4a.*(became full while writing: free some or write less|could not be prepared)" "$tmp/err"
is_valid 'the report is valid by the schema when the disk became full' "$tmp/r.xml"
check 'the verdict is untrustworthy when the disk became full' grep -q '<verdict status="untrustworthy">' "$tmp/r.xml"
check 'the verdict says why when the disk became full' grep -Eq '<reason code="(write-failed|not-prepared)">' "$tmp/r.xml"
is 'evaluate leaves no file when the disk became full' "$(find "$work/disk" -mindepth 1 -not -name lost+found -not -name filler)" ''
umount "$work/disk"
rm "$work/image"

# --- a slow device
write_system "$tmp/slow.xml" loop0 ext4 209715200
check_exit 0 'evaluate measures on a slow device' \
	iowrite-bench evaluate --system "$tmp/slow.xml" --directory "$work" --slow-device 200M \
	--slow-size 640M --scenarios f9-4096,f4a -f "$tmp/r.xml"
sed 's/^/# /' "$tmp/out" "$tmp/err"
is_valid 'the report of a slow device is valid by the schema' "$tmp/r.xml"
check 'the slow device of evaluate is a loop device' grep -q '<device[^>]*>loop[0-9]*</device>' "$tmp/r.xml"
check 'evaluate skips synchronous writes on a slow device' \
	grep -q '<skipped name="f4a">the slow device.s throttle would decide the cost of a synchronous write' "$tmp/r.xml"
is 'evaluate leaves no loop device of the slow device' "$(loops)" "$loops_before"
is 'evaluate leaves no image of the slow device' "$(ls -A "$work/disk" && ls -A "$work")" disk

# --- small thresholds, restored when the run is interrupted or killed
check_exit 2 'evaluate refuses a calibration of another device' iowrite-bench evaluate --system "$tmp/slow.xml" --directory "$work"
here=$(sed -n 's/.* is on \(.*\) (\(.*\)): take --directory there.*/\1 \2/p' "$tmp/err")
write_system "$tmp/here.xml" "${here% *}" "${here##* }" 500000000
buffered() { iowrite-bench evaluate --system "$tmp/here.xml" --directory "$work" --scenarios c7 --mem as-is "$@"; }
if ! buffered --dry-run 2>/dev/null | grep -q '^1 of 1'; then
	skip 'evaluate sets small thresholds' "$(buffered --dry-run 2>&1 | grep c7)"
	tap_done
fi
start() { # until the thresholds are the scenario's
	iowrite-bench evaluate --system "$tmp/here.xml" --directory "$work" --scenarios c7,c3 --mem as-is -f "$tmp/r.xml" \
		>"$tmp/out" 2>"$tmp/err" &
	runner=$!
	for _ in $(seq 300); do
		ours && return 0
		sleep 0.1
	done
	return 1
}
back() {
	for _ in $(seq 300); do
		ours || return 0
		sleep 0.1
	done
	return 1
}
rm -f "$tmp/r.xml"
check 'evaluate sets the thresholds of a scenario' start
sleep 1
kill -TERM "$runner"
status=0
wait "$runner" || status=$?
is 'SIGTERM ends evaluate with 4' "$status" 4
runner=
check 'evaluate restores the thresholds after SIGTERM' back
is_valid 'the report of an interrupted evaluate is valid by the schema' "$tmp/r.xml"
check 'the report says that evaluate was interrupted' grep -q '<verdict status="interrupted"' "$tmp/r.xml"
check 'the report names the scenarios that were not measured' grep -q '<skipped name="c[37]">interrupted ' "$tmp/r.xml"

check 'evaluate sets the thresholds of a scenario again' start
kill -KILL "$runner"
wait "$runner" 2>/dev/null
runner=
check 'evaluate restores the thresholds after kill -9' back
tap_done
