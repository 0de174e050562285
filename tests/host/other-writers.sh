#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Another program on the disk of a run, and limits of the run's cgroups, are reasons with a number; a run alone on its disk has
# neither. On a loop device of its own, with cgroups of version 1 of its own. No verdict depends on other load of the machine.
. "$top_srcdir/tests/lib/tap.sh"
. "$top_srcdir/tests/lib/ssd.sh"
[ "$(id -u)" -eq 0 ] || skip_all 'needs root'
[ -w /dev/loop-control ] || skip_all 'needs loop devices (modprobe loop)'
command -v mkfs.ext4 >/dev/null || skip_all 'needs mkfs.ext4 (e2fsprogs)'
need_direct
device='' folder=$work/mounted blkio=/sys/fs/cgroup/blkio/memstor-test-$$ cpu=/sys/fs/cgroup/cpu/memstor-test-$$ writer=''
clean_up() {
	stop_writer
	umount "$folder" 2>/dev/null
	[ -z "$device" ] || losetup -d "$device"
	for group in "$blkio" "$cpu"; do
		[ ! -d "$group" ] || rmdir "$group"
	done
	ssd_cleanup
}
trap clean_up EXIT
stop_writer() {
	[ -z "$writer" ] || kill "$writer"
	wait
	writer=
}
# Ends with its dd.
write_always() {
	trap 'kill $dd 2>/dev/null; wait; exit' TERM
	while :; do
		dd if=/dev/zero of="$folder/foreign" bs=1M count=64 oflag=direct conv=notrunc 2>/dev/null &
		dd=$!
		wait
	done
}
start_writer() {
	write_always &
	writer=$!
}
truncate -s 600M "$work/image"
device=$(losetup -f --show "$work/image")
name=${device#/dev/}
mkdir "$folder"
mkfs.ext4 -q -E lazy_itable_init=0,lazy_journal_init=0 "$device"
mount "$device" "$folder"

iow() { iowrite-bench run --bs=4k --size=8m --runtime=500ms --rounds=1 --directory="$folder" --json=- "$@"; }
ssd() { ssd-workloads run --mix=1-1 --log-size=8m --ckpt-size=16m --runtime=500ms --target="$folder" --json=- "$@"; }
page() { pmbench -m 64 -s 64 -i --ram 32M --page-cluster 0 --json "$@" 1; }
# go DESCRIPTION REASON|'' NOT COMMAND...: the run ends with a report whose reasons include REASON and not NOT.
go() {
	go_text=$1 go_has=$2 go_not=$3 status=0
	shift 3
	"$@" >"$tmp/out" 2>"$tmp/err" || status=$?
	case $status in 0 | 4) ;; *) sed 's/^/# /' "$tmp/err" ;; esac
	reasons >"$tmp/reasons"
	if [ -n "$go_has" ]; then
		check "$go_text" grep -qx "$go_has" "$tmp/reasons"
		is "$go_text: status 4" "$status" 4
	fi
	[ -z "$go_not" ] || check "$go_text: not $go_not" sh -c '! grep -qxE "$1" "$2" && grep -q "\"verdict\"" "$3"' sh "$go_not" \
		"$tmp/reasons" "$tmp/out"
}

# --- alone on the disk
for words in '--mode=direct --regime=overwrite' '--mode=buffered --regime=append' '--mode=buffered --sync-each=fsync' \
	'--mode=direct --sync-each=fdatasync' '--mode=dsync --regime=prealloc'; do
	# shellcheck disable=SC2086 # words
	go "iowrite-bench run $words alone on its disk" '' 'foreign-traffic|io-limit|cpu-quota' iow $words
done
check 'the report has the traffic of the disk' grep -q "\"disks\": \"$name\"" "$tmp/out"
go 'ssd-workloads run alone on its disk' '' 'foreign-traffic|io-limit|cpu-quota' ssd --durability=fdatasync
go 'ssd-workloads run --ckpt-io=buffered alone on its disk' '' 'foreign-traffic' ssd --ckpt-io=buffered
can_page=
if status=$(with-pressure --ram 32M --swap "file:$folder/swap,128M" -- true >/dev/null 2>&1; echo $?) && [ "$status" = 0 ]; then
	can_page=1
	go 'pmbench --swap file: alone on its disk' '' foreign-traffic page --swap "file:$folder/swap,128M"
	go 'pmbench --map file: alone on its disk' '' foreign-traffic page --swap none --map "file:$folder/map"
else
	skip 'pmbench alone on its disk' 'cannot swap to a file here'
fi

# --- with another writer
start_writer
go 'iowrite-bench run with another writer' foreign-traffic '' iow --mode=direct --regime=overwrite
check 'the reason names the disk' grep -q "other programs read or wrote .* on $name in .* the run itself" "$tmp/out"
go 'ssd-workloads run with another writer' foreign-traffic '' ssd --durability=fdatasync
if [ -n "$can_page" ]; then
	go 'pmbench --swap file: with another writer on its disk' foreign-traffic '' page --swap "file:$folder/swap,128M"
	go 'pmbench --map file: with another writer on its disk' foreign-traffic '' page --swap none --map "file:$folder/map"
else
	skip 'pmbench with another writer' 'cannot swap to a file here'
fi
stop_writer

# --- limits
inside() (
	echo 0 >"$1/cgroup.procs"
	shift
	"$@"
)
if mkdir "$blkio" 2>/dev/null && echo "$(cat "/sys/block/$name/dev") 4194304" >"$blkio/blkio.throttle.write_bps_device"; then
	go 'iowrite-bench run within blkio.throttle' io-limit '' inside "$blkio" iow --mode=direct --regime=overwrite --size=1m
	check 'the report has the limit' grep -q '"name": "blkio.throttle.write_bps_device"' "$tmp/out"
	go 'iowrite-bench run --accept-limit' '' io-limit inside "$blkio" iow --mode=direct --regime=overwrite --size=1m --accept-limit
	check 'the report with --accept-limit has the limit' grep -q '"name": "blkio.throttle.write_bps_device"' "$tmp/out"
	go 'ssd-workloads run within blkio.throttle' io-limit '' inside "$blkio" ssd --log-size=1m --ckpt-size=1m
	go 'ssd-workloads run --accept-limit' '' io-limit inside "$blkio" ssd --log-size=1m --ckpt-size=1m --accept-limit
	status=0
	inside "$blkio" iowrite-bench calibrate --runtime 5s --directory "$folder" -o "$work/system.xml" 2>"$tmp/err" || status=$?
	is 'calibrate within blkio.throttle: status 3' $status 3
	check 'the refusal names the limit' grep -q "blkio.throttle.write_bps_device of $blkio is 4194304 for $name" "$tmp/err"
	inside "$blkio" memstor doctor "$folder" >"$tmp/out" 2>&1
	check 'memstor doctor lists the limit' grep -q 'blkio.throttle.write_bps_device' "$tmp/out"
else
	skip 'limits of I/O' 'no blkio controller of version 1'
fi
# With the largest share other programs do not keep it from its quota.
if mkdir "$cpu" 2>/dev/null && echo 5000 >"$cpu/cpu.cfs_quota_us" && echo 262144 >"$cpu/cpu.shares"; then
	go 'pmbench within a CPU quota' cpu-quota '' inside "$cpu" pmbench -m 16 -s 16 --json 1
	check 'the reason names the quota and its periods' grep -q "stopped the run in .* periods.*cpu.cfs_quota_us of $cpu" "$tmp/out"
	go 'pmbench --accept-limit' '' cpu-quota inside "$cpu" pmbench -m 16 -s 16 --json --accept-limit 1
	check 'the report with --accept-limit has the quota' grep -q '"name": "cpu.cfs_quota_us"' "$tmp/out"
	go 'iowrite-bench run within a CPU quota' cpu-quota '' inside "$cpu" iow --mode=buffered --regime=overwrite --size=256m
	go 'ssd-workloads run within a CPU quota' cpu-quota '' inside "$cpu" ssd
	status=0
	inside "$cpu" iowrite-bench calibrate --runtime 5s --directory "$folder" -o "$work/system.xml" 2>"$tmp/err" || status=$?
	is 'calibrate within a CPU quota: status 3' $status 3
	inside "$cpu" memstor doctor >"$tmp/out" 2>&1
	check 'memstor doctor lists the quota' grep -q 'cpu.cfs_quota_us' "$tmp/out"
	echo -1 >"$cpu/cpu.cfs_quota_us"
	echo $((1000 * 100000)) >"$cpu/cpu.cfs_quota_us"
	go 'pmbench within a quota that it does not reach' '' cpu-quota inside "$cpu" pmbench -m 16 -s 16 --json 1
else
	skip 'CPU quotas' 'no cpu controller of version 1'
fi
tap_done
