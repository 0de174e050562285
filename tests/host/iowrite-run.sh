#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# iowrite-bench run on a real ext4 of its own: buffered and O_DIRECT; and what it says and leaves when the disk becomes
# full, read-only or broken, when files may not grow any more, and when it is killed.
[ "$(id -u)" -eq 0 ] || { echo '1..0 # SKIP needs root, to mount a file system'; exit 0; }
if [ -z "${IS_INSIDE:-}" ]; then
	unshare -m true 2>/dev/null || { echo '1..0 # SKIP cannot make a mount namespace'; exit 0; }
	IS_INSIDE=yes exec unshare -m sh "$0"
fi
. "$top_srcdir/tests/lib/tap.sh"
command -v mkfs.ext4 >/dev/null || skip_all 'needs mkfs.ext4 (e2fsprogs)'
work=$(mktemp -d /var/tmp/iowrite-run-test.XXXXXX) || exit 99
disk=$work/disk
mkdir "$disk" "$work/memory"
run=
device=
group=
clean_up() {
	trap - EXIT
	[ -z "$run" ] || kill -9 "$run" 2>/dev/null
	cd /
	[ -z "$device" ] || losetup -d "$device"
	[ -z "$group" ] || rmdir "$group"
	umount "$disk" 2>/dev/null
	umount "$work/memory" 2>/dev/null
	rm -rf "$work"
	tap_cleanup
}
trap clean_up EXIT

# The loop device is detached with the mount.
fresh() { # fresh IMAGE SIZE
	umount "$disk" 2>/dev/null
	rm -f "$1"
	truncate -s "$2" "$1"
	mkfs.ext4 -q -F "$1" && mount -o loop "$1" "$disk" && rmdir "$disk/lost+found"
}
fresh "$work/image" 400M 2>"$tmp/why" || skip_all "cannot mount an ext4: $(tr '\n' ' ' <"$tmp/why")"
cd "$work" || exit 99

values() { sed -n "s|^ *<$2\( [^>]*\)*>\([^<]*\)</$2>\$|\2|p" "$1"; }
is_valid() {
	check "$1: the report is valid by the schema" \
		sh -c 'xmllint --noout --schema "$top_srcdir/docs/memstor-report.xsd" "$0" && memstor validate "$0"' "$2"
}
# begins ARGUMENT...: in the background, until it writes.
begins() {
	rm -f r.xml
	iowrite-bench run --directory="$disk" --interval=10ms --rounds=1 -f r.xml "$@" >out 2>err &
	run=$!
	tries=200
	# The file has no name, but its blocks are taken.
	until [ "$(($(stat -f -c %f "$disk") * 4096))" -lt $(($(cat free) - 2000000)) ]; do
		tries=$((tries - 1))
		[ $tries -gt 0 ] && kill -0 $run 2>/dev/null || break
		sleep 0.05
	done
}
ends() { # ends WHAT STATUS LINE: of the run, and that nothing of it is left
	status=0
	wait $run || status=$?
	run=
	is "$1: the run ends with $2" $status "$2"
	is "$1: one line names the cause" "$(cat err)" "$3"
	is "$1: the text does not repeat the line" "$(grep -c "${3##*: }" out) $(grep -c '^! ended early' out)" '0 1'
	is_valid "$1" r.xml
	is "$1: the report has the failure" "$(values r.xml failure)" "${3#iowrite-bench: *: }"
	check "$1: the report counts the writes before the failure" test "$(values r.xml operations | head -n 1)" -gt 0
	check "$1: the verdict is untrustworthy" grep -q '<verdict status="untrustworthy">' r.xml
	is "$1: the run leaves no file" "$(find "$disk" -mindepth 1 ! -name filler)" ''
}
note_free() { echo $(($(stat -f -c %f "$disk") * 4096)) >free; }

# --- measurements
check_exit 0 'every mode is measured on ext4' \
	iowrite-bench run --directory="$disk" --mode=buffered,sync,dsync,direct,direct-sync,direct-dsync \
	--regime=append,prealloc,overwrite --method=pwrite,pwritev2 --bs=4k,64k --size=256k --rounds=2 --interval=10ms -f all.xml
is_valid 'all modes' all.xml
is 'every mode has its cells in the report' "$(grep -c '<cell ' all.xml)" 72
is 'all modes: each cell writes the whole size' "$(values all.xml bytes | sort -u)" $((2 * 262144))
is 'the report names file system and device' "$(values all.xml file_system) $(values all.xml device | cut -c 1-4)" 'ext4 loop'
is 'a run leaves no file on the file system' "$(ls -A "$disk")" ''
check_exit 0 'a run of direct writes ends with 0' \
	iowrite-bench run --directory="$disk" --mode=direct --bs=64k --size=32m --rounds=1 \
	--interval=10ms -f direct.xml
sectors=$(sed -n 's/.*<counter name="block.write_sectors" value="\([0-9]*\)".*/\1/p' direct.xml | awk '{ sum += $1 } END { print sum + 0 }')
check "direct writes reach the device ($sectors sectors)" test "$sectors" -ge $((32 * 2048 * 9 / 10))
check_exit 0 'two pinned threads with warm memory are measured' iowrite-bench run --directory="$disk" --numjobs=2 --cpus=pu:0 --mem=warm --bs=64k --size=8m \
	--rounds=1 -f warm.xml
is_valid 'two pinned threads' warm.xml
check_exit 2 'O_DIRECT with 1000 bytes is refused' iowrite-bench run --directory="$disk" --mode=direct --bs=1000
is 'O_DIRECT with 1000 bytes is refused in one line' "$(cat "$tmp/err")" \
	"iowrite-bench: pwrite.direct.none.append.write.1000: O_DIRECT on $disk needs multiples of $(values all.xml offset_align_bytes) bytes"
check_exit 3 'a run without enough free space is refused' iowrite-bench run --directory="$disk" --size=1g
check 'the refusal names free space and reserve in one line' \
	sh -c 'test "$(wc -l <"$0")" = 1 && grep -q "+ 64 reserve); free some, or write less" "$0"' "$tmp/err"

# --- a device
truncate -s 32M device.image
if device=$(losetup -f --show device.image 2>/dev/null); then
	check_exit 2 'a device without --destroy-data is refused' iowrite-bench run --filename="$device" --regime=overwrite --size=4m
	check 'a device without --destroy-data is refused in one line' test "$(wc -l <"$tmp/err")" = 1
	check_exit 2 '--regime=append on a device is refused' \
		iowrite-bench run --filename="$device" --destroy-data="$device" --size=4m
	is '--regime=append on a device is refused in one line' "$(cat "$tmp/err")" \
		'iowrite-bench: pwrite.buffered.none.append.write.4k: a device is always overwritten: use --regime=overwrite'
	check_exit 3 'more than the device has is refused' \
		iowrite-bench run --filename="$device" --destroy-data="$device" --regime=overwrite --size=64m
	is 'more than the device has is refused in one line' "$(cat "$tmp/err")" \
		"iowrite-bench: $device: has 33554432 bytes, 67108864 needed; name a larger device or write less"
	check 'a refused run writes nothing to the device' sh -c 'cmp -n 33554432 /dev/zero "$0"' device.image
	check_exit 0 'a device is overwritten' \
		iowrite-bench run --filename="$device" --destroy-data="$device" --regime=overwrite --size=4m --numjobs=2 \
		--mode=buffered,direct --rw=write,randwrite --rounds=1 -f device.xml
	is_valid 'a device' device.xml
	is 'the report says that the target is a device' "$(values device.xml kind) $(values device.xml file_system)" 'device none'
	losetup -d "$device"
	device=
	check 'nothing is written to the device behind the 8 MiB of the run' \
		sh -c 'cmp -i 8388608 -n 25165824 /dev/zero "$0"' device.image
else
	device=
	skip 'a device is overwritten' 'no loop device can be set up here'
fi

# --- warm memory, and less of it than is asked for
for hierarchy in /sys/fs/cgroup/memory /sys/fs/cgroup; do
	[ -z "$group" ] || break
	mkdir "$hierarchy/iowrite-run-test.$$" 2>/dev/null || continue
	group=$hierarchy/iowrite-run-test.$$
	limit=$group/memory.max
	[ -f "$limit" ] || limit=$group/memory.limit_in_bytes
	[ -f "$limit" ] && echo 150000000 >"$limit" && continue
	rmdir "$group"
	group=
done
if [ -n "$group" ]; then
	# Only the shell is in the cgroup, until it ends.
	check_exit 3 '--mem=warm of more memory than available is refused' \
		sh -c 'echo $$ >"$1/cgroup.procs" && exec iowrite-bench run --directory="$0" --bs=1m \
		--mem=warm --size=100m --rounds=1 -f r.xml' "$disk" "$group"
	check 'the refusal of --mem=warm says how much is available' \
		grep -q ': --mem=warm needs [0-9]* MiB of memory, and 1[0-9][0-9] MiB are available: ' "$tmp/err"
	check_exit 0 '--mem=warm of all of the size is measured' \
		iowrite-bench run --directory="$disk" --bs=1m --mem=warm --size=20m --rounds=1 -f r.xml
	check 'the page pool of --mem=warm is not exhausted' sh -c '! grep -q host-memory-exhausted r.xml'
else
	skip '--mem=warm of more memory than available is refused' 'no memory cgroup can be made'
fi

# --- the disk becomes full
for method in pwrite mmap; do
	note_free
	begins --method=$method --bs=64k --size=200m --thinktime=3ms --thinktime-type=sleep
	dd if=/dev/zero of="$disk/filler" bs=1M 2>/dev/null
	ends "a full disk, $method" 3 "iowrite-bench: $method.buffered.none.append.write.64k: $disk became full while writing: free some or write less (No space left on device)"
	rm "$disk/filler"
	sync -f "$disk"
done
note_free
begins --mode=direct --bs=64k --size=200m --thinktime=3ms --thinktime-type=sleep
dd if=/dev/zero of="$disk/filler" bs=1M 2>/dev/null
ends 'a full disk, direct' 3 "iowrite-bench: pwrite.direct.none.append.write.64k: $disk became full while writing: free some or write less (No space left on device)"
rm "$disk/filler"

# --- a limit comes while it runs
if command -v prlimit >/dev/null; then
	note_free
	begins --bs=64k --size=100m --thinktime=3ms --thinktime-type=sleep
	prlimit --pid=$run --fsize=1000000
	ends 'a file size limit' 3 "iowrite-bench: pwrite.buffered.none.append.write.64k: $disk exceeds the file size limit while writing: raise ulimit -f or write less (File too large)"
else
	skip 'a file size limit ends a run' 'prlimit is not installed'
fi

# --- killed
before=$(stat -f -c %f "$disk")
note_free
begins --bs=64k --size=200m --thinktime=1ms --ops-csv=ops.csv
kill -9 $run
wait $run 2>/dev/null
run=
sync -f "$disk"
is 'kill -9 leaves no name in the folder' "$(ls -A "$disk")$(find . -name '*ops*')" ''
check "kill -9 leaves no block allocated (of $before)" test $(($(stat -f -c %f "$disk") + 64)) -ge "$before"
check 'kill -9 leaves no report' test ! -e r.xml

# --- a file system that is or becomes read-only
mount -o remount,ro "$disk"
check_exit 3 'a read-only file system is refused' iowrite-bench run --directory="$disk"
is 'a read-only file system is refused in one line' \
	"$(cat "$tmp/err")" "iowrite-bench: cannot make a file in $disk: Read-only file system"
mount -o remount,rw "$disk"
note_free
begins --bs=64k --size=200m --sync-each=fsync --thinktime=3ms --thinktime-type=sleep
if mount -o remount,abort "$disk" 2>/dev/null; then
	status=0
	wait $run || status=$?
	run=
	is 'a file system that becomes read-only ends a run with 3' $status 3
	check 'a file system that becomes read-only is reported in one line' \
		sh -c 'test "$(wc -l <"$0")" = 1 && grep -Eq "fsync.append.write.64k: .* while (writing|syncing): " "$0"' err
	sed 's/^/# /' err
	is_valid 'a file system that becomes read-only' r.xml
else
	kill -9 $run
	wait $run 2>/dev/null
	run=
	skip 'a file system that becomes read-only ends a run with 3' 'this kernel cannot abort an ext4'
fi

# --- the device breaks: the file system below it is full, and it has more blocks than that has space for
umount "$disk"
if mount -t tmpfs -o size=40m tmpfs "$work/memory" && fresh "$work/memory/image" 400M; then
	note_free
	begins --mode=direct --bs=64k --size=100m
	tries=600
	until [ -s r.xml ] || [ $tries = 0 ]; do
		tries=$((tries - 1))
		sleep 0.05
	done
	# Which of the two it is depends on the kernel's loop device.
	said="$disk had an I/O error while writing: see the kernel's log (Input/output error)"
	grep -q 'Input/output' err || said="$disk became full while writing: free some or write less (No space left on device)"
	ends 'a broken device' 3 "iowrite-bench: pwrite.direct.none.append.write.64k: $said"
else
	skip 'a broken device ends a run' 'cannot mount a tmpfs and an ext4 in it'
fi
tap_done
