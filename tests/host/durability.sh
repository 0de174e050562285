#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Acknowledged syncs are checked against the flushes that the devices below completed: ext4 on a loop device, with and
# without barriers.
. "$top_srcdir/tests/lib/tap.sh"
[ "$(id -u)" -eq 0 ] || skip_all 'needs root'
[ -w /dev/loop-control ] || skip_all 'needs loop devices (modprobe loop)'
command -v mkfs.ext4 >/dev/null || skip_all 'needs mkfs.ext4 (e2fsprogs)'
command -v xmllint >/dev/null || skip_all 'needs xmllint (libxml2-utils)'
work=$(mktemp -d /var/tmp/durability-test.XXXXXX) || exit 99
device=
clean_up() {
	trap - EXIT
	umount "$work/disk" 2>/dev/null
	# The kernel keeps this setting of a loop device that has lost its file.
	[ -z "$device" ] || echo 'write back' >"/sys/block/${device#/dev/}/queue/write_cache"
	[ -z "$device" ] || losetup -d "$device"
	umount "$work/memory" 2>/dev/null
	rm -rf "$work"
	tap_cleanup
}
trap clean_up EXIT
mkdir "$work/disk"
truncate -s 256m "$work/image"
mkfs.ext4 -q -F "$work/image" || skip_all 'mkfs.ext4 failed'
device=$(losetup --find --show "$work/image") || skip_all 'no free loop device'
name=${device#/dev/}
[ "$(cat "/sys/block/$name/queue/write_cache")" = 'write back' ] || skip_all 'this loop device has no volatile write cache'
[ "$(wc -w <"/sys/block/$name/stat")" -ge 17 ] || skip_all 'this kernel counts no flushes'

is_valid() { xmllint --noout --schema "$top_srcdir/docs/memstor-report.xsd" "$1"; }
value() { xmllint --xpath "string($2)" "$1" 2>/dev/null; }
is_true() { is "$1" "$(xmllint --xpath "$3" "$2" 2>/dev/null)" true; }
mounted() { # OPTION...
	umount "$work/disk" 2>/dev/null
	mount "$@" "$device" "$work/disk"
}
log_only() { # DEPTH DURABILITY REPORT
	ssd-workloads run --mix=custom --log-depth="$1" --log-bs=4k --log-size=8m --durability="$2" --runtime=1s --records=0 \
		--trace=off --target="$work/disk" -f "$3"
}
each_write() { # SYNC REPORT OPTION...
	sync=$1 report=$2
	shift 2
	iowrite-bench run --method=pwrite --mode=buffered --sync-each="$sync" --bs=4k --regime=overwrite --size=2m --rounds=1 \
		--directory="$work/disk" -f "$report" "$@"
}

# --- without barriers nothing that is acknowledged is durable
if mounted -o nobarrier 2>/dev/null; then
	for sync in fdatasync dsync; do
		check_exit 4 "ssd-workloads: $sync without barriers is not ok" log_only 1 $sync "$work/none.xml"
		check "ssd-workloads: the report of $sync without barriers is valid" is_valid "$work/none.xml"
		is_true "ssd-workloads: the verdict on $sync without barriers names the finding" "$work/none.xml" \
			'boolean(//verdict[@status="untrustworthy"]/reason[@code="durability-not-confirmed"])'
		is_true "ssd-workloads: the report of $sync without barriers has the numbers" "$work/none.xml" \
			"//durability_check/acknowledged_syncs > 2 * //durability_check/flushes[@device='$name']/@count"
	done
	is_true 'ssd-workloads: the mount options are in the report' "$work/none.xml" \
		"contains(//storage/layer[@device='$name']/mount_options, 'nobarrier')"
	is 'ssd-workloads: the state of the write cache is in the report' \
		"$(value "$work/none.xml" "//storage/layer[@device='$name']/write_cache")" 'write back'
	check_exit 4 'ssd-workloads: several writes at a time without barriers are not ok' log_only 8 fdatasync "$work/none.xml"
	check_exit 0 'ssd-workloads: a log that is not made durable needs no flushes' log_only 1 none "$work/none.xml"
	is_true 'ssd-workloads: without durability nothing is checked' "$work/none.xml" 'not(//durability_check)'
	check_exit 4 'iowrite-bench: fdatasync without barriers is not ok' each_write fdatasync "$work/none.xml"
	check 'iowrite-bench: the report without barriers is valid' is_valid "$work/none.xml"
	is_true 'iowrite-bench: the verdict without barriers names the finding' "$work/none.xml" \
		'boolean(//verdict[@status="untrustworthy"]/reason[@code="durability-not-confirmed"])'
	is_true 'iowrite-bench: the mount options are in the report' "$work/none.xml" \
		"contains(//storage/layer[@device='$name']/mount_options, 'nobarrier')"
	check_exit 0 'iowrite-bench: sync_file_range promises no durability' each_write sync_file_range "$work/none.xml"
	is_true 'iowrite-bench: sync_file_range is not checked against flushes' "$work/none.xml" 'not(//durability_check)'
else
	skip 'runs without barriers are not ok' 'ext4 here cannot be mounted with nobarrier'
fi

# --- with barriers each sync has its flush, and several that wait together may share one
mounted -o barrier || skip_all 'ext4 cannot be mounted'
# The verdict as a whole is not checked: a busy machine may give it other reasons.
confirmed() { # DESCRIPTION REPORT
	is_true "$1" "$2" "not(//reason[@code='durability-not-confirmed']) and
		//durability_check/acknowledged_syncs <= //durability_check/outstanding * //flushes[@device='$name']/@count"
}
for sync in fdatasync dsync; do
	log_only 1 $sync "$work/all.xml" >"$tmp/out" 2>&1
	confirmed "ssd-workloads: $sync with barriers has a flush for each sync" "$work/all.xml"
	log_only 16 $sync "$work/all.xml" >"$tmp/out" 2>&1
	confirmed "ssd-workloads: syncs of $sync that wait together may share a flush" "$work/all.xml"
done
for sync in fsync fdatasync syncfs; do
	each_write $sync "$work/all.xml" >"$tmp/out" 2>&1
	confirmed "iowrite-bench: $sync with barriers has a flush for each sync" "$work/all.xml"
done
each_write fsync "$work/all.xml" --threads=4 >"$tmp/out" 2>&1
confirmed 'iowrite-bench: threads that sync at the same time may share a flush' "$work/all.xml"
each_write rwf-dsync "$work/all.xml" --method=pwritev2 >"$tmp/out" 2>&1
confirmed 'iowrite-bench: RWF_DSYNC with barriers has a flush for each write' "$work/all.xml"

# --- a sync that does nothing, while another process syncs on the same device
if command -v cc >/dev/null && printf '%s\n' 'int fdatasync(int fd) { return fd < 0; }' >"$work/nothing.c" &&
	cc -shared -fPIC -o "$work/nothing.so" "$work/nothing.c" 2>/dev/null; then
	sync_elsewhere() { # COMMAND...
		timeout 20 dd if=/dev/zero of="$work/disk/other" bs=4k count=1000000 oflag=dsync conv=notrunc 2>/dev/null &
		other=$!
		"$@"
		elsewhere=$?
		kill $other
		wait $other
		return $elsewhere
	}
	sync_nothing() { LD_PRELOAD=$work/nothing.so "$@"; }
	check_exit 4 'iowrite-bench: syncs that flush nothing are not confirmed by flushes of another process' \
		sync_elsewhere sync_nothing each_write fdatasync "$work/nothing.xml" --size=100k --thinktime=50ms --slo='sync:p99<10s'
	is_true 'iowrite-bench: flushes enough were counted, and examined syncs had none' "$work/nothing.xml" \
		"boolean(//durability_check[flushes[@device='$name']/@count >= acknowledged_syncs][unflushed_syncs > 0])"
	is_true 'iowrite-bench: the verdict names the examined syncs' "$work/nothing.xml" \
		"contains(//reason[@code='durability-not-confirmed'], 'examined syncs')"
	is_true 'iowrite-bench: the objective is undecided' "$work/nothing.xml" "boolean(//objective/undecided)"
	sync_elsewhere each_write fdatasync "$work/nothing.xml" --size=100k --thinktime=10ms >"$tmp/out" 2>&1
	is_true 'iowrite-bench: each examined sync had a flush, also while another process syncs' "$work/nothing.xml" \
		'boolean(//durability_check[examined_syncs > 0][unflushed_syncs = 0])'
	rm "$work/disk/other"
else
	skip 'syncs that flush nothing are not confirmed by flushes of another process' 'needs cc'
fi
for depth in 1 16; do
	log_only $depth fdatasync "$work/all.xml" >"$tmp/out" 2>&1
	is_true "ssd-workloads: with --log-depth=$depth each examined sync had a flush" "$work/all.xml" \
		'boolean(//durability_check[examined_syncs > 0][unflushed_syncs = 0])'
done

# --- what the device declares
if echo 'write through' >"/sys/block/$name/queue/write_cache" 2>/dev/null; then
	log_only 1 fdatasync "$work/through.xml" >"$tmp/out" 2>&1
	is 'the state of a write cache is in the report as the device declares it' \
		"$(value "$work/through.xml" "//storage/layer[@device='$name']/write_cache")" 'write through'
	is 'the verdict does not name a device without a volatile write cache as missing flushes' \
		"$(value "$work/through.xml" '//reason[@code="durability-not-confirmed"]' | grep -c "$name.*, whose write cache is volatile")" 0
fi

# --- a loop device over a file in memory
umount "$work/disk"
losetup -d "$device" && device=
mkdir "$work/memory"
mount -t tmpfs -o size=320m none "$work/memory"
cp --sparse=always "$work/image" "$work/memory/image"
device=$(losetup --find --show "$work/memory/image") || device=
if [ -n "$device" ] && mounted; then
	check_exit 4 'a loop device over tmpfs: an objective of syncs is not ok' each_write fdatasync "$work/memory.xml" \
		--slo='sync:p99<10s'
	check 'the objective is undecided: the target is memory' grep -q 'UNDECIDED: .*memory: nothing is durable (tmpfs)' "$tmp/out"
	check_exit 4 'a loop device over tmpfs: a verified log is not ok' log_only 1 fdatasync "$work/memory.xml"
	is_true 'the verdict of the log names the reason' "$work/memory.xml" "boolean(//reason[@code='not-durable'])"
	check_exit 0 'a loop device over tmpfs: a log that is not synced is measured' log_only 1 none "$work/memory.xml"
else
	skip 'a loop device over tmpfs' 'it cannot be mounted here'
fi
tap_done
