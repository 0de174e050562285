#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# A log striped over two loop devices: each is checked by itself, and flushes of one alone confirm nothing.
. "$top_srcdir/tests/lib/tap.sh"
[ "$(id -u)" -eq 0 ] || skip_all 'needs root'
[ -w /dev/loop-control ] || skip_all 'needs loop devices (modprobe loop)'
command -v mkfs.ext4 >/dev/null || skip_all 'needs mkfs.ext4 (e2fsprogs)'
command -v xmllint >/dev/null || skip_all 'needs xmllint (libxml2-utils)'
work=$(mktemp -d /var/tmp/striped-test.XXXXXX) || exit 99
one='' two='' writer=''
clean_up() {
	trap - EXIT
	[ -z "$writer" ] || kill "$writer" 2>/dev/null
	wait
	umount "$work/disk" 2>/dev/null
	for device in $one $two; do
		losetup -d "$device"
	done
	rm -rf "$work"
	tap_cleanup
}
trap clean_up EXIT
mkdir "$work/disk"
truncate -s 64m "$work/image1" "$work/image2"
one=$(losetup --find --show "$work/image1") || skip_all 'no free loop device'
two=$(losetup --find --show "$work/image2") || skip_all 'no free loop device'
[ "$(cat "/sys/block/${one#/dev/}/queue/write_cache")" = 'write back' ] || skip_all 'this loop device has no volatile write cache'
[ "$(wc -w <"/sys/block/${one#/dev/}/stat")" -ge 17 ] || skip_all 'this kernel counts no flushes'

value() { xmllint --xpath "string($2)" "$1" 2>/dev/null; }
is_true() { is "$1" "$(xmllint --xpath "$3" "$2" 2>/dev/null)" true; }
log_only() { # REPORT OPTION...
	report=$1
	shift
	ssd-workloads run --mix=1-0 --log-bs=4k --log-size=8m --runtime=500ms --records=0 --trace=off --target="$one" \
		--log-target="$two" --destroy-data="$one" --log-destroy-data="$two" --verify -f "$report" "$@" >"$tmp/out" 2>"$tmp/err"
}
first="//durability_check[not(@stream)]" second="//durability_check[@stream='log']"
flushed="flushes[@device='${one#/dev/}']/@count" second_flushed="flushes[@device='${two#/dev/}']/@count"

# --- both are flushed. The verdict as a whole is not checked: a busy machine may give it other reasons.
for engine in uring threads; do
	log_only "$work/all.xml" --durability=fdatasync --engine=$engine
	is_true "$engine, fdatasync: each log write has a flush in the first device" "$work/all.xml" \
		"$first/$flushed >= $first/acknowledged_syncs and $first/acknowledged_syncs > 0"
	is_true "$engine, fdatasync: each log write has a flush in the second device" "$work/all.xml" \
		"$second/$second_flushed >= $second/acknowledged_syncs and $second/acknowledged_syncs > 0"
	is_true "$engine, fdatasync: both devices have a sync of each write" "$work/all.xml" \
		"$first/acknowledged_syncs = $second/acknowledged_syncs"
	is_true "$engine, fdatasync: syncs were examined in both devices, and each had a flush" "$work/all.xml" \
		'count(//durability_check[examined_syncs > 0][unflushed_syncs = 0]) = 2'
	is_true "$engine, fdatasync: the disk rows of both devices have their flushes" "$work/all.xml" \
		"//repetition/counters/counter[@name='disk.flush_ios']/@value > 0 and
		 //repetition/second_counters/counter[@name='disk.flush_ios']/@value > 0"
	log_only "$work/own.xml" --durability=dsync --engine=$engine
	is_true "$engine, dsync: each device has a flush for the writes of its blocks" "$work/own.xml" \
		"$first/$flushed >= $first/acknowledged_syncs and $second/$second_flushed >= $second/acknowledged_syncs"
	is_true "$engine, dsync: each device has half of the writes" "$work/own.xml" \
		"$first/acknowledged_syncs - $second/acknowledged_syncs <= 1 and $second/acknowledged_syncs - $first/acknowledged_syncs <= 1"
	is_true "$engine: no flush is missing" "$work/own.xml" "not(//reason[@code='durability-not-confirmed'])"
	check_exit 0 "$engine: both devices are verified" ssd-workloads verify "$two" "$one"
done
check_exit 2 'one device alone is refused' ssd-workloads verify "$two"

# --- one is not: fdatasync does nothing in the device that NOT_SYNCED names
if command -v cc >/dev/null && cat >"$work/one.c" <<-'END' && cc -shared -fPIC -o "$work/one.so" "$work/one.c" 2>/dev/null; then
	#include <stdlib.h>
	#include <sys/stat.h>
	#include <sys/syscall.h>
	#include <unistd.h>
	int fdatasync(int fd)
	{
		struct stat of, not;
		if (!fstat(fd, &of) && !stat(getenv("NOT_SYNCED"), &not) && of.st_rdev == not.st_rdev)
			return 0;
		return (int)syscall(SYS_fdatasync, fd);
	}
END
	for which in first second; do
		[ $which = first ] && device=$one found=$first other=$second || device=$two found=$second other=$first
		status=0
		NOT_SYNCED=$device LD_PRELOAD=$work/one.so log_only "$work/none.xml" --durability=fdatasync --engine=threads \
			--slo='commit:p99<10s' || status=$?
		is "a log of which the $which device is not flushed ends with 4" $status 4
		is 'the check of the device that is not flushed does not confirm' "$(value "$work/none.xml" "$found/status")" not-confirmed
		is 'the check of the other device confirms' "$(value "$work/none.xml" "$other/status")" flushed
		is_true 'the verdict names the device' "$work/none.xml" \
			"contains(//reason[@code='durability-not-confirmed'], '${device#/dev/}')"
		is_true 'the objective of commits is undecided' "$work/none.xml" 'boolean(//objective/undecided)'
	done
else
	skip 'a log of which one device is not flushed ends with 4' 'needs cc'
fi

# --- other programs
write_always() {
	trap 'kill $dd 2>/dev/null; wait; exit' TERM
	while :; do
		dd if=/dev/zero of="$two" bs=1M count=16 seek=40 oflag=direct conv=notrunc 2>/dev/null &
		dd=$!
		wait
	done
}
write_always &
writer=$!
log_only "$work/foreign.xml" --durability=dsync
kill $writer
wait
writer=
is_true 'another writer on the second device is a reason' "$work/foreign.xml" "boolean(//reason[@code='foreign-traffic'])"
is_true 'the traffic is that of both disks' "$work/foreign.xml" \
	"contains(//traffic/@disks, '${one#/dev/}') and contains(//traffic/@disks, '${two#/dev/}')"
mkfs.ext4 -q -F "$two" && mount "$two" "$work/disk" || skip_all 'ext4 cannot be mounted'
sum=$(cksum <"$one")
check_exit 2 'a second device that is mounted is refused' log_only "$work/mounted.xml"
is 'the first device is not changed then' "$(cksum <"$one")" "$sum"

# --- space is that of each file system
check_exit 3 'a second target without enough space is refused' ssd-workloads run --mix=1-0 --log-size=200m --runtime=100ms --records=0 \
	--trace=off --target="$work/first" --log-target="$work/disk/second" --keep
check 'the refusal names the target without space' grep -q "$work/disk/second" "$tmp/err"
check 'no file is left in either' test ! -e "$work/first" -a ! -e "$work/disk/second"
tap_done
