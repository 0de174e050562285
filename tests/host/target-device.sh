#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# What protects a device, and the file that one is made of, when little can be seen: few descriptors, no /sys; another process
# that has it open; what an own device has become since. Both storage tools.
. "$top_srcdir/tests/lib/tap.sh"
. "$top_srcdir/tests/lib/ssd.sh"
[ "$(id -u)" -eq 0 ] || skip_all 'needs root'
[ -w /dev/loop-control ] || skip_all 'needs loop devices (modprobe loop)'
need_direct
device='' second=''
clean_up() {
	exec 9<&-
	[ -z "$device" ] || losetup -d "$device"
	[ -z "$second" ] || losetup -d "$second"
	ssd_cleanup
}
trap clean_up EXIT
image=$work/image
new_device() { # BYTES
	[ -z "$device" ] || losetup -d "$device"
	rm -f "$image"
	head -c "$1" /dev/urandom >"$image"
	device=$(losetup -f -P --show "$image")
	sum=$(cksum <"$image")
}
unchanged() {
	sync "$image"
	is "$1: the device is not changed" "$(cksum <"$image")" "$sum"
}
write_ssd() { # DEVICE OPTION...
	write_small "$@" --destroy-data="$1"
}
write_iow() { iowrite-bench run --bs=4k --size=64k --rounds=1 --mode=direct --filename="$1" --destroy-data="$1"; }

# --- the file of a loop device, with every limit of descriptors: refused always
new_device $((4 << 20))
others='' changes=''
limit=64
while [ $limit -ge 3 ]; do
	for tool in write_ssd write_iow; do
		status=0
		(
			exec >"$tmp/out" 2>"$tmp/err"
			# shellcheck disable=SC3045 # every sh has it
			ulimit -n $limit
			$tool "$image"
		) || status=$?
		# 127: the program's libraries cannot be opened.
		case $status in
		2 | 3 | 127) ;;
		*) others="$others $tool:$limit:$status" ;;
		esac
		[ "$(cksum <"$image")" = "$sum" ] || changes="$changes $tool:$limit"
	done
	limit=$((limit - 1))
done
is 'the file of a loop device is refused with 3 to 64 descriptors' "$others" ''
is 'a device is not changed by any refusal' "$changes" ''

# --- the same with an empty /sys
if unshare -m sh -c 'mount -t tmpfs none /sys' 2>/dev/null; then
	hidden() { unshare -m sh -c 'mount -t tmpfs none /sys && exec "$@"' sh "$@"; }
	for target in "$image" "$device"; do
		# shellcheck disable=SC2086 # words
		check_exit 3 "ssd-workloads run: $target with /sys hidden is refused" hidden ssd-workloads run $small --runtime=100ms \
			--target="$target" --destroy-data="$target"
		check 'the refusal with /sys hidden names /sys in one line' \
			grep -q "^ssd-workloads: $target: cannot check whether it is in use: /sys " "$tmp/err"
		check_exit 3 "iowrite-bench run: $target with /sys hidden is refused" hidden iowrite-bench run --bs=4k --size=64k \
			--filename="$target" --destroy-data="$target"
		unchanged "$target with /sys hidden"
	done
	# Parts of it, which look as if there were no loop device, or none with a file.
	for folder in /sys/block "/sys/block/${device#/dev/}" /sys/devices/virtual/block; do
		# shellcheck disable=SC2016 # the inner shell expands
		check_exit 3 "iowrite-bench run: the file of a loop device with $folder hidden is refused" \
			unshare -m sh -c 'mount -t tmpfs none "$1" && shift && exec "$@"' sh "$folder" \
			iowrite-bench run --bs=4k --size=64k --filename="$image" --destroy-data="$image"
		check 'the refusal of a file with /sys hidden names /sys in one line' \
			grep -q "cannot check whether it is in use: /sys " "$tmp/err"
		unchanged "$folder hidden"
	done
	# Other folders and files of sysfs and procfs over these, which have the same type of file system.
	name=${device#/dev/}
	hide() { # FOLDER OVER TARGET PLACE
		# shellcheck disable=SC2016 # the inner shell expands
		check_exit 3 "iowrite-bench run: $3 with $1 over $2 is refused" \
			unshare -m sh -c 'mount --bind "$1" "$2" && shift 2 && exec "$@"' sh "$1" "$2" \
			iowrite-bench run --bs=4k --size=64k --filename="$3" --destroy-data="$3"
		check "the refusal with $1 over $2 names $4 in one line" grep -q "cannot check .*: $4 " "$tmp/err"
		unchanged "$1 over $2"
	}
	hide /sys/class/net /sys "$image" /sys
	hide /sys/class/net /sys/block "$image" /sys
	hide /sys/class/net /sys/devices/virtual/block "$image" /sys
	hide "/sys/block/$name/queue" "/sys/block/$name" "$image" /sys
	hide "/sys/block/$name/queue" "/sys/block/$name/loop" "$image" /sys
	hide "/sys/block/$name/queue" "/sys/block/$name" "$device" /sys
	hide /sys/class/net /sys/dev/block "$device" /sys
	hide /proc/version /proc/swaps "$image" /proc
else
	skip 'a file with /sys hidden is refused' 'cannot mount over it here'
fi

# --- an acknowledgement log that cannot be made: refused before anything is written
file=$work/data
head -c 4194304 /dev/urandom >"$file"
before=$(cksum <"$file")
for mount in size=4k,nr_inodes=1 ro; do
	if unshare -m mount -t tmpfs -o $mount none /dev/shm 2>/dev/null; then
		# shellcheck disable=SC2016,SC2086 # the inner shell expands; words
		check_exit 3 "ssd-workloads run --durability: /dev/shm mounted with $mount is refused" \
			unshare -m sh -c 'mount -t tmpfs -o "$1" none /dev/shm && shift && exec "$@"' sh $mount \
			ssd-workloads run $small --runtime=100ms --durability=fdatasync --target="$file" --destroy-data="$file"
		check 'the refusal with /dev/shm mounted otherwise names it in one line' grep -qF 'acknowledgement log in /dev/shm' "$tmp/err"
		is 'the file is not changed by the refusal' "$(cksum <"$file")" "$before"
	else
		skip "/dev/shm mounted with $mount is refused" 'cannot mount over it here'
	fi
done
rm -f "$file"

# --- a device that another process has open without O_EXCL
new_device $((64 << 20))
exec 9<>"$device"
for tool in write_ssd write_iow; do
	check_exit 2 "$tool: a device that another process has open is refused" $tool "$device"
	check 'the refusal names the process that has the device open' grep -q "$device: process $$ has it" "$tmp/err"
done
unchanged 'open in another process'
exec 9<&-
exec 9<"$device"
check_exit 2 'a device that another process reads is refused' write_ssd "$device"
exec 9<&-
printf '\0\0\0\0\203\0\0\0\0\010\0\0\0\0\001\0' | dd of="$device" bs=1 seek=446 conv=notrunc 2>/dev/null
printf '\125\252' | dd of="$device" bs=1 seek=510 conv=notrunc 2>/dev/null
losetup -d "$device"
device=$(losetup -f -P --show "$image")
name=${device#/dev/}
[ -d "/sys/block/$name/${name}p1" ] || addpart "$device" 1 2048 65536 2>/dev/null
if [ -d "/sys/block/$name/${name}p1" ]; then
	part=$work/${name}p1
	numbers=$(cat "/sys/block/$name/${name}p1/dev")
	mknod "$part" b "${numbers%:*}" "${numbers#*:}"
	exec 9<>"$part"
	check_exit 2 'a disk of which another process has a partition open is refused' write_ssd "$device"
	exec 9<>"$device"
	check_exit 2 'a partition of which another process has the disk open is refused' write_ssd "$part"
	exec 9<&-
	check_exit 0 'a device is written when the process has closed it' write_ssd "$part"
else
	skip 'a disk of which a partition is open' 'loop devices have no partitions here'
fi

# --- a second loop device over the same file: it may be mounted, or written by another run
new_device $((16 << 20))
for options in '' '-r' '-o 1048576' '--sizelimit 8388608'; do
	# shellcheck disable=SC2086 # words
	second=$(losetup -f --show $options "$image")
	for tool in write_ssd write_iow; do
		check_exit 2 "$tool: a device with another over the same file ($options) is refused" $tool "$device"
		check 'the refusal names the other device' grep -q "$device: .*$second" "$tmp/err"
	done
	check_exit 2 'ssd-workloads run --log-target: another device over the same file is refused' \
		write_ssd "$device" --log-target="$second" --log-destroy-data="$second"
	losetup -d "$second"
	second=
done
unchanged 'another device over the same file'
losetup -d "$device"
device=$(losetup -f --show --sizelimit 8388608 "$image")
second=$(losetup -f --show -o 8388608 "$image")
check_exit 0 'devices over disjoint parts of one file are written' \
	write_ssd "$device" --log-target="$second" --log-destroy-data="$second"
losetup -d "$second"
second=

# --- an own device: taken again, unless it has become something else
new_device $((16 << 20))
check_exit 2 'a device without a header is refused' write_small "$device" --keep
check_exit 0 'a device that is confirmed is written' write_small "$device" --destroy-data="$device" --keep
check_exit 0 'an own device is written again without confirmation' write_small "$device" --keep --verify
check_exit 0 'verify accepts a device that was kept' ssd-workloads verify "$device"
check_exit 0 'a kept device is written without --keep' write_small "$device"
sync "$image"
# The smallest file system that leaves the first 32 KiB alone.
head -c 1048576 "$image" >"$work/own"
printf '\001CD001\001' | dd of="$device" bs=1 seek=32768 conv=notrunc 2>/dev/null
sync "$image"
sum=$(cksum <"$image")
check_exit 2 'an own device that has a file system since is refused' write_small "$device"
check 'the refusal names the signature iso9660' grep -q iso9660 "$tmp/err"
unchanged 'an own device with a file system'
check_exit 0 'a device with a signature is written when confirmed' write_small "$device" --destroy-data="$device"
# A member of an array, version 1.2: its superblock begins behind the header.
sb() { printf '\374N+\251\001\0\0\0'; }
{ sb; head -c 136 /dev/zero; printf '\010\0\0\0\0\0\0\0'; head -c 64 /dev/zero; printf '\005O+\251'; head -c 292 /dev/zero; } >"$work/sb"
dd if="$work/sb" of="$device" bs=4096 seek=1 conv=notrunc 2>/dev/null
sync "$image"
sum=$(cksum <"$image")
for confirm in '' --destroy-data="$device"; do
	# shellcheck disable=SC2086 # no word or one
	check_exit 2 "an own device that is a part of an array since is refused $confirm" write_small "$device" $confirm
	check 'the refusal names the signature linux_raid_member' grep -q linux_raid_member "$tmp/err"
done
unchanged 'an own device in an array'
# A device with a broken header is not an own device.
dd if="$work/own" of="$device" bs=1M count=1 conv=notrunc 2>/dev/null
spoil_byte "$device" 100
check_exit 2 'a device with a broken header is refused' write_small "$device"
check 'the refusal says that the header is broken' grep -q 'its header is broken' "$tmp/err"
tap_done
