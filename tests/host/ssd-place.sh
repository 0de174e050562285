#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Targets that ssd-workloads never writes to, and those that it writes to only when they are named a second time: loop
# devices with a file system, swap, partitions, a volume group; files in use; places that cannot be written.
. "$top_srcdir/tests/lib/tap.sh"
. "$top_srcdir/tests/lib/ssd.sh"
[ "$(id -u)" -eq 0 ] || skip_all 'needs root'
[ -w /dev/loop-control ] || skip_all 'needs loop devices (modprobe loop)'
need_direct
mib=$((1 << 20))
mounted=$work/new
device='' other='' mapped=''
mkdir "$mounted"
clean_up() {
	swapoff "$work/swap" 2>/dev/null
	[ -z "$device" ] || swapoff "$device" 2>/dev/null
	umount "$mounted" 2>/dev/null
	[ -z "$mapped" ] || dmsetup remove "$mapped" 2>/dev/null
	[ -z "$device" ] || losetup -d "$device"
	[ -z "$other" ] || losetup -d "$other"
	ssd_cleanup
}
trap clean_up EXIT

# refused STATUS DESCRIPTION LINE OPTION...: a run and a dry run, which names a new file by its folder.
refused() {
	wanted=$1 description=$2 line=$3
	shift 3
	for dry in '' --dry-run; do
		# shellcheck disable=SC2086 # no word or one
		check_exit "$wanted" "the target is refused${dry:+ with $dry}: $description" write_small "$@" $dry
		is "the target is refused in one line${dry:+ with $dry}: $description" \
			"$(sed 's,/new: \([0-9]* MiB free\),/new/file: \1,; s,/new: is on,/new/file: is on,' "$tmp/err")" "ssd-workloads: $line"
	done
}
new_device() { # BYTES
	[ -z "$device" ] || losetup -d "$device"
	rm -f "$work/image"
	truncate -s "$1" "$work/image"
	device=$(losetup -f -P --show "$work/image")
}
unchanged() { is "$1: the device is not changed" "$(cksum <"$work/image")" "$sum"; }
in_use="is in use (mounted, swap, or held by another program); end that use, or name another target"
would_be_lost() { echo "$device: holds $1; writing would destroy it: name another device, or confirm with --destroy-data=$device"; }
unknown() { echo "$device: contents unknown; writing would destroy them: name another device, or confirm with --destroy-data=$device"; }

# --- a device with nothing, and what is on it after it was taken
new_device $((64 * mib))
sum=$(cksum <"$work/image")
refused 2 'a device without confirmation' "$(unknown)" "$device"
refused 2 'a device confirmed by another name' "$(unknown)" "$device" --destroy-data="$device"x
unchanged 'a device'
check_exit 0 'a confirmed device is planned' write_small "$device" --destroy-data="$device" --dry-run
unchanged 'only looked at'
check_exit 0 'a confirmed device is written' write_small "$device" --destroy-data="$device" --verify
check_exit 0 'verify accepts a written device' ssd-workloads verify "$device"
check_exit 0 'a device of an earlier run is written again without confirmation' write_small "$device"
new_device 65536
refused 3 'a device that is too small' "$device: has 65536 bytes, $((checkpoint_at + 16 * 8192)) needed; name a larger device or write less" "$device" --destroy-data="$device"

# --- a device that another one is made of, which the kernel does not hold for it; its other name; one that is read only
new_device $((64 * mib))
other=$(losetup -f --show "$device")
refused 2 'a device below another' "$device: is in use, $other is built on it; name another target" "$device" --destroy-data="$device"
numbers=$(stat -c '%Hr %Lr' "$device")
# shellcheck disable=SC2086 # two words
if mknod "$work/node" b $numbers 2>/dev/null; then
	refused 2 'a device below another by another node' "$work/node: is in use, $other is built on it; name another target" "$work/node" \
		--destroy-data="$work/node"
	rm "$work/node"
else
	skip 'the target is refused: a device below another by another node' 'no nodes can be made here'
fi
check_exit 0 'a device made of another is written' write_small "$other" --destroy-data="$other"
losetup -d "$other"
other=
losetup -d "$device"
device=$(losetup -r -f --show "$work/image")
refused 3 'a read-only device' "cannot write to $device: Read-only file system" "$device" --destroy-data="$device"

# --- a file system, mounted or not
new_device $((64 * mib))
mkfs.ext4 -q -F -L precious "$device"
sum=$(cksum <"$work/image")
refused 2 'a device with a file system' "$(would_be_lost 'ext4 labelled precious')" "$device"
unchanged 'a file system'
mount "$device" "$mounted"
refused 2 'a mounted device' "$device: $in_use" "$device" --destroy-data="$device"
refused 2 'the file behind a device' "$work/image: is in use, $device is built on it; name another target" "$work/image" \
	--destroy-data="$work/image"

# --- not enough space, a read-only file system
free=$(($(stat -f -c '%a * %S' "$mounted")))
refused 3 'a file on a full file system' "$mounted/file: $((free >> 20)) MiB free, 68 MiB needed (4 + 64 reserve); free some, or write less" "$mounted/file"
is 'a refused run leaves no file on a full file system' "$(ls "$mounted")" lost+found
umount "$mounted"
new_device $((160 * mib))
mkfs.ext4 -q -F "$device"
mount "$device" "$mounted"
for dry in '' --dry-run; do
	# shellcheck disable=SC2086 # no word or one
	check_exit 0 "a run${dry:+ with $dry} on a file system ends with 0" write_small "$mounted/new" $dry
	check "a run${dry:+ with $dry} releases the file system at its end" umount "$mounted"
	mount "$device" "$mounted"
done
check_exit 0 'a file is written and kept' write_small "$mounted/file" --keep
fallocate -l $(($(stat -f -c '%a * %S' "$mounted") - mib)) "$mounted/rest"
check_exit 0 'a kept file is written on a full disk' write_small "$mounted/file" --keep
refused 3 'more than a kept file on a full disk' "$mounted/file: $((($(stat -f -c '%a * %S' "$mounted") + $(stat -c %s "$mounted/file")) / mib)) \
MiB free, 75 MiB needed (11 + 64 reserve); free some, or write less" "$mounted/file" --ckpt-size=8m
cp --sparse=always "$mounted/file" "$mounted/holes" && fallocate -d "$mounted/holes"
has=$(($(stat -c '%b * %B' "$mounted/holes")))
refused 3 'a kept file with holes on a full disk' "$mounted/holes: $((($(stat -f -c '%a * %S' "$mounted") + has) / mib)) \
MiB free, 68 MiB needed (4 + 64 reserve); free some, or write less" "$mounted/holes"
rm "$mounted/holes" "$mounted/rest" "$mounted/file"
mount -o remount,ro "$mounted"
check_exit 3 'a read-only file system is refused' write_small "$mounted/file"
is 'a read-only file system is refused in one line' "$(cat "$tmp/err")" "ssd-workloads: cannot open for writing: $mounted/file: Read-only file system"
# A user who sees neither the device nor its file, as in a container, can compare names only: a file with another name
# is another file.
if mkdir "$work/hidden" "$work/seen" && mv "$work/image" "$work/hidden" && chmod 700 "$work/hidden" && chmod 711 "$work" &&
	chown 65534 "$work/seen" && command -v setpriv >/dev/null &&
	setpriv --reuid=65534 --regid=65534 --clear-groups ssd-workloads --version >/dev/null 2>&1; then
	for name in own image; do
		truncate -s 4m "$work/seen/$name"
		chown 65534 "$work/seen/$name"
	done
	ln "$work/seen/own" "$work/twin"
	# A loop device of another user over a file that is removed: its name could be any.
	truncate -s 1m "$work/gone"
	other=$(losetup -f --show "$work/gone")
	rm "$work/gone"
	# another FILE: a dry run by another user.
	another() {
		setpriv --reuid=65534 --regid=65534 --clear-groups ssd-workloads run --mix=1-0 --log-size=1m --target="$1" \
			--destroy-data="$1" --dry-run
	}
	check_exit 2 'a file of two names behind a device is refused' another "$work/seen/own"
	rm "$work/twin"
	check_exit 0 'a file with another name than the file behind a device is accepted' another "$work/seen/own"
	exec 9<"$work/seen/own"
	check_exit 2 'a file behind a device that another process has open is refused' another "$work/seen/own"
	exec 9<&-
	check_exit 2 'a file with the name of the file behind a device is refused' another "$work/seen/image"
	check 'the refusal says what cannot be checked' grep -q "^ssd-workloads: $work/seen/image: cannot check whether $device is built on it" "$tmp/err"
	losetup -d "$other"
	other=
else
	skip 'a file with the name of the file behind a device is refused' 'needs setpriv, and a program that others may run'
fi
mv "$work/hidden/image" "$work/image"
rm -rf "$work/hidden" "$work/seen"
ln "$work/image" "$work/twin"
rm "$work/image"
refused 2 'the file behind a device, by another name' \
	"$work/twin: is in use, $device is built on it; name another target" "$work/twin" \
	--destroy-data="$work/twin"
# A user who may not open the device knows only the name of its file, which is removed.
if chmod 711 "$work" && chown 65534 "$work/twin" && command -v setpriv >/dev/null &&
	setpriv --reuid=65534 --regid=65534 --clear-groups ssd-workloads --version >/dev/null 2>&1; then
	check_exit 2 'the file behind a device is refused for a user who may not open the device' \
		setpriv --reuid=65534 --regid=65534 --clear-groups ssd-workloads run --mix=1-0 \
		--target="$work/twin" --destroy-data="$work/twin" --dry-run
	# There may be others whose files are gone; it is one of them that is named.
	check 'the refusal of a twin says what cannot be checked' grep -q "^ssd-workloads: $work/twin: cannot check whether /dev/loop[0-9]* is built on it" "$tmp/err"
else
	skip 'the file behind a device is refused for a user who may not open the device' \
		'needs setpriv, and a program that others may run'
fi
mv "$work/twin" "$work/image"
umount "$mounted"

# --- two targets on one file system, which has space for either of them
new_device $((256 * mib))
mkfs.ext4 -q -F "$device"
mount "$device" "$mounted"
check_exit 0 'the log has a target that stays' write_small "$mounted/file" --keep
sum=$(cksum <"$mounted/file")
each=$(($(stat -f -c '%a * %S' "$mounted") / mib - 70))
check_exit 3 'two targets of which only one has space are refused' \
	write_small "$mounted/file" --ckpt-target="$mounted/second" --keep \
	--log-size=${each}m --ckpt-size=${each}m
check 'the refusal of two targets names the second one' \
	grep -q "^ssd-workloads: cannot extend $mounted/second to [0-9]* bytes" "$tmp/err"
is 'the refusal of two targets does not change the first one' "$(cksum <"$mounted/file")" "$sum"
is 'the refusal of two targets leaves nothing of the second one' "$(ls "$mounted" | tr '\n' ' ')" 'file lost+found '
umount "$mounted"

# --- swap
mkswap "$device" >/dev/null 2>&1
refused 2 'a device with a swap area' "$(would_be_lost swap)" "$device"
if swapon "$device" 2>/dev/null; then
	refused 2 'a device in use as swap' "$device: $in_use" "$device" --destroy-data="$device"
	swapoff "$device"
else
	skip 'the target is refused: a device in use as swap' 'swapon is not possible here'
fi
dd if=/dev/zero of="$work/swap" bs=1M count=8 2>/dev/null
chmod 600 "$work/swap"
mkswap "$work/swap" >/dev/null 2>&1
if swapon "$work/swap" 2>/dev/null; then
	refused 2 'a file in use as swap' "$work/swap: is in use as swap; name another target" "$work/swap" --destroy-data="$work/swap"
	swapoff "$work/swap"
else
	skip 'the target is refused: a file in use as swap' 'swapon is not possible here'
fi

# --- a part of something larger: the label of a volume group, alone and below another signature
label_volume() { # DEVICE
	printf 'LABELONE\001\0\0\0\0\0\0\0\221\007\333\053\040\0\0\0LVM2 001abcdefghijklmnopqrstuvwxyz012345' |
		dd of="$1" bs=512 seek=1 conv=notrunc,sync 2>/dev/null
}
new_device $((64 * mib))
label_volume "$device"
member="is part of an array, group or pool (LVM2_member), which is never written to; name another device"
refused 2 'a device of a volume group' "$device: $member" "$device" --destroy-data="$device"
mkswap "$device" >/dev/null 2>&1
label_volume "$device"
refused 2 'a device of a volume group with swap' "$device: $member" "$device" --destroy-data="$device"
if dmsetup create "ssd-place-$$" --table "0 65536 linear $device 0" 2>/dev/null; then
	mapped=ssd-place-$$
	refused 2 'a device that is mapped' "$device: $in_use" "$device" --destroy-data="$device"
	dmsetup remove "$mapped"
	mapped=
else
	skip 'the target is refused: a device that is mapped' 'no device mapper here'
fi

# --- partitions: one from 1 MiB on, of 32 MiB; by hand, where the kernel knows no table of the disk's
new_device $((64 * mib))
printf '\0\0\0\0\203\0\0\0\0\010\0\0\0\0\001\0' | dd of="$device" bs=1 seek=446 conv=notrunc 2>/dev/null
printf '\125\252' | dd of="$device" bs=1 seek=510 conv=notrunc 2>/dev/null
refused 2 'a disk with a table' "$(would_be_lost dos)" "$device"
losetup -d "$device"
device=$(losetup -f -P --show "$work/image")
name=${device#/dev/}
[ -d "/sys/block/$name/${name}p1" ] || addpart "$device" 1 2048 65536 2>/dev/null
if [ -d "/sys/block/$name/${name}p1" ]; then
	part=$work/${name}p1
	numbers=$(cat "/sys/block/$name/${name}p1/dev")
	mknod "$part" b "${numbers%:*}" "${numbers#*:}"
	mkfs.ext4 -q -F "$part"
	mount "$part" "$mounted"
	refused 2 'a device of which a partition is mounted' "$device: $in_use" "$device" --destroy-data="$device"
	refused 2 'a mounted partition' "$part: $in_use" "$part" --destroy-data="$part"
	umount "$mounted"
	check_exit 0 'a device whose partition is unmounted is planned' write_small "$device" --destroy-data="$device" --dry-run
	dd if=/dev/zero of="$part" bs=1M count=1 2>/dev/null
	label_volume "$part"
	refused 2 'a device of which a partition is of a volume group' "$device: its partition ${name}p1 $member" "$device" \
		--destroy-data="$device"
else
	skip 'the target is refused: a device of which a partition is in use' 'loop devices have none here'
fi

# --- files
: >"$work/locked"
chattr +i "$work/locked" 2>/dev/null && {
	refused 3 'a file that cannot be changed' "cannot open for writing: $work/locked: Operation not permitted" "$work/locked"
	chattr -i "$work/locked"
}
if [ "$(stat -f -c %T /dev/shm)" = tmpfs ]; then
	shm=$(mktemp -d /dev/shm/ssd-place.XXXXXX)/new
	mkdir "$shm"
	refused 3 'a file on tmpfs' "$shm/file: is on tmpfs, which has no O_DIRECT; name a target on another file system" "$shm/file"
	is 'a refused run leaves no file on tmpfs' "$(ls "$shm")" ''
	rmdir "$shm" "${shm%/new}"
fi
tap_done
