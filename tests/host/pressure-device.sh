#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# --swap dev:PATH: an area that the device holds is used as it is; what holds anything else is refused until it is named a
# second time, and a device in use is always refused.
. "$top_srcdir/tests/lib/pressure.sh"
need_host loop
make_swap_device
holder=
trap 'undo_holder; clean_up' EXIT

# shellcheck disable=SC2317 # called by the trap
undo_holder() {
	umount "$work/mnt" 2>/dev/null
	swapoff "$swap_device" 2>/dev/null
	[ -z "$holder" ] || losetup -d "$holder"
	holder=
}
refuses() { # refuses DESCRIPTION WORDS ARGUMENT...: one line that has these words, and the device is as it was
	description=$1
	words=$2
	shift 2
	before=$(head -c 1M "$swap_device" | cksum)
	for program in 'with-pressure -- true' 'pmbench -m 16 1'; do
		tool=${program%% *}
		# shellcheck disable=SC2086 # the rest is words
		"$tool" --ram 64M "$@" ${program#* } >"$tmp/out" 2>"$tmp/err"
		status=$?
		case $tool in
		pmbench) check "$tool refuses $description with status 2 or 3" test $status -eq 3 -o $status -eq 2 ;;
		*) is "$tool refuses $description with status 125" $status 125 ;;
		esac
		is "$tool refuses $description in one line" "$(wc -l <"$tmp/err")" 1
		check "$tool says why it refuses $description" grep -qF -- "$words" "$tmp/err"
	done
	is "$description: nothing is written to it" "$(head -c 1M "$swap_device" | cksum)" "$before"
}
used() { with-pressure -q --ram 64M --swap "dev:$swap_device" "$@"; }

# --- an area that is there
check 'a job pages to the area that a device holds' used -- "$hog" 128 1 "$token"
check 'the header of the area stays, and the area is swapped off' device_stays
# shellcheck disable=SC2016 # the command's shell expands
is 'the area has the highest priority' \
	"$(used -- awk -v path="$swap_device" '$1 == path { print $NF }' /proc/swaps)" 32767
ln -s "$swap_device" "$work/by-name"
check 'a symbolic link to the device may name it' with-pressure -q --ram 64M --swap "dev:$work/by-name" -- \
	grep -q "^$swap_device " /proc/swaps
check 'the device is swapped off when a link named it' device_stays

# --- an area beside a table of partitions: one of the two is left over from before, and it need not be the table
printf '\0\0\0\0\203\0\0\0\0\010\0\0\0\0\001\0' | dd of="$swap_device" bs=1 seek=446 conv=notrunc 2>/dev/null
printf '\125\252' | dd of="$swap_device" bs=1 seek=510 conv=notrunc 2>/dev/null
refuses 'an area beside a table of partitions' "--destroy-data=$swap_device" --swap "dev:$swap_device"
dd if=/dev/zero of="$swap_device" bs=512 count=1 conv=notrunc 2>/dev/null
check 'without the table the area is used' used -- grep -q "^$swap_device " /proc/swaps

# --- in use
swapon "$swap_device"
refuses 'a device that is swapped on' 'is in use' --swap "dev:$swap_device"
swapoff "$swap_device"
holder=$(losetup -f --show "$swap_device")
refuses 'a device that a loop device is made of' 'is in use' --swap "dev:$swap_device"
losetup -d "$holder"
holder=

# --- foreign content
wipefs -qa "$swap_device"
refuses 'a device of unknown content' "--destroy-data=$swap_device" --swap "dev:$swap_device"
mkfs.ext4 -q "$swap_device" 2>/dev/null
refuses 'a device with a file system' 'ext4' --swap "dev:$swap_device"
refuses 'a device that another name confirms' 'ext4' --swap "dev:$swap_device" --destroy-data=/dev/loop9999
mkdir "$work/mnt"
# A file system mounted for writing writes at any time.
mount -o ro "$swap_device" "$work/mnt"
refuses 'a mounted device, confirmed or not' 'is in use' --swap "dev:$swap_device" --destroy-data="$swap_device"
umount "$work/mnt"
# shellcheck disable=SC2016
check 'a confirmed device is written over and used' \
	used --destroy-data="$swap_device" -- grep -q "^$swap_device " /proc/swaps
is 'a confirmed device holds a swap area afterwards' "$(blkid -p -s TYPE -o value "$swap_device")" swap
check 'a device with a swap area of its own is used without confirmation' used -- grep -q "^$swap_device " /proc/swaps
check 'a device is swapped off at the end' sh -c "! grep -q '^$swap_device ' /proc/swaps"
dd if=/dev/zero of="$swap_device" bs=1M count=4 conv=fsync 2>/dev/null
# A physical volume of LVM: its label in sector 1, without a checksum that libblkid asks for.
if command -v pvcreate >/dev/null && pvcreate -q -y "$swap_device" >/dev/null 2>&1; then
	refuses 'a physical volume of LVM, confirmed or not' 'LVM2_member' --swap "dev:$swap_device" --destroy-data="$swap_device"
	pvremove -q -y "$swap_device" >/dev/null 2>&1
else
	skip 'a physical volume of LVM is refused' 'pvcreate is not installed'
fi

# --- what is no block device
refuses 'a file' 'not a block device' --swap "dev:$work/device"
refuses 'a character device' 'not a block device' --swap dev:/dev/zero
refuses 'a folder' 'not a block device' --swap "dev:$work"
refuses 'a name that leads nowhere' 'not a block device' --swap "dev:$work/none"

# --- journals that name a device of others
mkswap "$swap_device" >/dev/null 2>&1
swapon "$swap_device"
boot=$(cat /proc/sys/kernel/random/boot_id)
number=$(($(stat -c '0x%t * 256 + 0x%T' "$swap_device")))
seq=$(cat "/sys/block/${swap_device#/dev/}/diskseq" 2>/dev/null || echo 0)
for line in "device $number $seq $swap_device" "device $number $((seq + 1)) $swap_device" "device 1 $seq $swap_device"; do
	mkdir -m 1700 "$WITH_PRESSURE_DIR"
	(umask 077 && printf 'memstor-journal 1 %s %032d 1\n%s\n' "$boot" 7 "$(journal_line "swap-$line")" >"$WITH_PRESSURE_DIR/1-1-00112233")
	check_exit 0 "--recover with '${line% *}' ends with 0" with-pressure --recover
	check 'swap that the user has switched on himself stays on' grep -q "^$swap_device " /proc/swaps
done
swapoff "$swap_device"
tap_done
