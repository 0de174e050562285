#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Journals that name things of another user, or numbers that were reused since: recovery leaves them alone.
. "$top_srcdir/tests/lib/pressure.sh"
need_host zram loop

boot=$(cat /proc/sys/kernel/random/boot_id)
uuid=00112233445566778899aabbccddeeff
namespace=$(stat -L -c %i /proc/self/ns/pid)
zram=
loop=
trap 'undo_foreign; clean_up' EXIT

# shellcheck disable=SC2317 # called by the trap
undo_foreign() {
	if [ -n "$zram" ]; then
		swapoff "/dev/zram$zram" 2>/dev/null
		echo 1 >"/sys/block/zram$zram/reset"
		echo "$zram" >/sys/class/zram-control/hot_remove
		zram=
	fi
	[ -z "$loop" ] || losetup -d "$loop"
	loop=
	[ -z "${cgroup:-}" ] || rmdir "$cgroup" 2>/dev/null
}

# write_journal BOOT LINE...: as a killed run would have left it
write_journal() {
	[ -d "$WITH_PRESSURE_DIR" ] || mkdir -m 700 "$WITH_PRESSURE_DIR"
	{
		echo "memstor-journal 1 $1 $uuid $namespace"
		shift
		for line; do
			case $line in shared*) printf '%s\n' "$line" ;; *) journal_line "$line" ;; esac
		done
	} >"$WITH_PRESSURE_DIR/1-1-00112233"
	chmod 600 "$WITH_PRESSURE_DIR/1-1-00112233"
}
recovers() { # recovers DESCRIPTION: without having restored anything, and the journal goes
	check_exit 0 "$1: --recover ends with 0" with-pressure --recover
	is "$1: --recover restores nothing" "$(grep -c restored: "$tmp/err")" 0
	is "$1: --recover removes the journal" "$(ls "$WITH_PRESSURE_DIR" 2>/dev/null)" ''
}
diskseq() { cat "/sys/block/zram$zram/diskseq"; }

# --- zram
zram=$(cat /sys/class/zram-control/hot_add)
write_journal "$boot" "zram $zram $(($(diskseq) - 1)) "
recovers 'a zram number that was reused'
check 'a zram number that was reused: the device stays' test -d "/sys/block/zram$zram"

write_journal "$boot" "hot-add $zram $(($(diskseq) + 1)) "
recovers 'killed before hot_add: an older device'
check 'killed before hot_add: an older device: the device stays' test -d "/sys/block/zram$zram"

write_journal "$boot" "hot-add $((zram + 1)) 1 "
recovers 'killed before hot_add: another number'
check 'killed before hot_add: another number: the device stays' test -d "/sys/block/zram$zram"

write_journal "$boot" "hot-add $zram $(diskseq) " "zram 7777 1 "
recovers 'a device that was noted already is not looked for twice'
check 'a device that was noted already is not looked for twice: the device stays' test -d "/sys/block/zram$zram"

write_journal another-boot "zram $zram $(diskseq) "
recovers 'a journal of an earlier boot'
check 'a journal of an earlier boot: the device stays' test -d "/sys/block/zram$zram"

echo 16M >"/sys/block/zram$zram/disksize"
write_journal "$boot" "hot-add $zram $(diskseq) "
recovers 'killed before hot_add: a device in use'
check 'killed before hot_add: a device in use: the device stays' test -d "/sys/block/zram$zram"

# --- swap
mkswap "/dev/zram$zram" >/dev/null 2>&1
swapon "/dev/zram$zram"
write_journal "$boot" "swap 0 0 /dev/zram$zram"
recovers 'a swap area with another header'
check 'a swap area with another header: it stays on' in_proc_swaps "/dev/zram$zram"
swapoff "/dev/zram$zram"

echo 1 >"/sys/block/zram$zram/reset"
write_journal "$boot" "hot-add $zram $(diskseq) "
check_exit 0 'killed between hot_add and noting the number: --recover ends with 0' with-pressure --recover
check 'killed between hot_add and noting the number: the device is removed' test ! -d "/sys/block/zram$zram"
check 'killed between hot_add and noting the number: --recover names the device that it removed' \
	grep -q "restored: /dev/zram$zram removed" "$tmp/err"
[ -d "/sys/block/zram$zram" ] || zram=

# --- files and loop devices
file="$work/some file"
truncate -s 16M "$file"
write_journal "$boot" "swap-file $(stat -c '%d %i' "$file") $file"
recovers 'a file without our header, at the same place with the same inode'
check 'a file without our header, at the same place with the same inode: it stays' test -e "$file"

mkswap -U 00112233-4455-6677-8899-aabbccddeeff "$file" >/dev/null 2>&1
write_journal "$boot" "swap-file $(stat -c %d "$file") 1 $file"
recovers 'a file with our header and another inode'
check 'a file with our header and another inode: it stays' test -e "$file"

loop=$(losetup -f --show "$file")
write_journal "$boot" "swap-loop $(stat -c %d "$file") 1 $loop"
recovers 'a loop device over another file'
check 'a loop device over another file: it stays attached' losetup "$loop"
losetup -d "$loop"
loop=

write_journal another-boot "swap-file 1 $(stat -c %i "$file") $file"
check_exit 0 'our file of an earlier boot: --recover ends with 0' with-pressure --recover
check 'our file of an earlier boot: it is removed' test ! -e "$file"

# --- cgroups and settings
cgroup=$(own_cgroup)/with-pressure-test-$$
if mkdir "$cgroup" 2>/dev/null; then
	write_journal "$boot" "cgroup $(cgroup_version) 0 $cgroup"
	recovers 'a cgroup without our name'
	check 'a cgroup without our name: it stays' test -d "$cgroup"
	rmdir "$cgroup"
fi

value=$(cat /proc/sys/vm/page-cluster)
if [ "$value" != 0 ]; then
	write_journal "$boot" "shared 0 0 /proc/sys/vm/page-cluster 0 \\000 $((value + 1))"
	recovers 'page-cluster that another process has set since'
	is 'page-cluster that was set meanwhile keeps its value' "$(cat /proc/sys/vm/page-cluster)" "$value"
fi

# --- another program's pages in the swap area of a run
# shellcheck disable=SC2016 # the command's shell expands
with-pressure --ram 64M --swap zram:256M -- sh -c ': >"$0"; until [ -e "$1" ]; do sleep 0.05; done' "$work/up" "$work/over" \
	>/dev/null 2>"$work/first" &
first=$!
within 10 test -e "$work/up"
area=$(sed -n 's/^swap 0 0 \([^ ]*\) .*/\1/p' "$WITH_PRESSURE_DIR"/*)
with-pressure --ram 32M -- "$hog" 96 5 "$token" >/dev/null 2>"$work/second" &
second=$!
used_kib() { awk -v path="$area" '$1 == path { print $4 }' /proc/swaps; }
pages_there() { [ "$(used_kib)" -gt 40000 ]; }
check "a second program's pages are in the swap area of a run" within 10 pages_there
check 'a run without --swap is warned that the only swap belongs to another run' \
	grep -qF "the only swap ($area) belongs to another run" "$work/second"
: >"$work/over"
wait $first
is 'swapoff is repeated until the second program has ended' $? 0
sed 's/^/# /' "$work/first"
check 'the swap area is removed' test ! -e "/sys/block/${area#/dev/}"
wait $second

# --- a command that nests cgroups with long names
deep=$(printf %0200d 0)
# shellcheck disable=SC2016
with-pressure --ram 64M --swap none -- sh -c 'cd "$0" && cd with-pressure-* || exit 1
	for level in 1 2 3 4 5 6; do mkdir "$1" && cd "$1" || exit 1; done' "$(own_cgroup)" "$deep" 2>"$work/nested"
is 'a command that nests cgroups with long names ends with its own status' $? 0
sed 's/^/# /' "$work/nested"
is 'nested cgroups with long names are removed' "$(find "$(own_cgroup)" -maxdepth 1 -name 'with-pressure-[0-9]*')" ''

# --- journals themselves
write_journal "$boot" 'nonsense 1 2 3'
check_exit 3 'a journal of an unknown format is refused' with-pressure --recover
check 'a journal of an unknown format is kept' test -e "$WITH_PRESSURE_DIR/1-1-00112233"
rm "$WITH_PRESSURE_DIR/1-1-00112233"
write_journal "$boot"
printf 'zram 0 1' >>"$WITH_PRESSURE_DIR/1-1-00112233"
recovers 'a line that was cut off'
mkdir -p "$WITH_PRESSURE_DIR"
chmod 777 "$WITH_PRESSURE_DIR"
check_exit 3 'a folder of journals that every user can write to is refused' with-pressure --recover
chmod 700 "$WITH_PRESSURE_DIR"
tap_done
