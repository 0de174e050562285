#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The test setup of an evaluation: thresholds whatever they were before, a slow device that is slow, what is refused, and
# what other processes have changed meanwhile.
. "$top_srcdir/tests/lib/stage.sh"
images=$work/images
mkdir "$images"
free=$IOWRITE_BENCH_DIR/none
device=

all_is_as_before() { # DESCRIPTION [PID]
	is "$1: everything is as before" "$(leftovers "${2:-}")" ''
}
refused() { # STATUS LINE STAGE_HOLD'S WORDS...
	refused_status=$1
	refused_line=$2
	shift 2
	check_exit "$refused_status" "the command is refused: $*" "$@"
	is "the command is refused in one line: $*" "$(grep -v 'warning: until this run ends' "$tmp/err")" "$refused_line"
	all_is_as_before "refused: $*"
}
# In a mount namespace of its own, where the machine lacks something: COMMAND, then stage_hold with the other words.
without() {
	without_command=$1
	shift
	# shellcheck disable=SC2016 # the inner shell expands
	unshare -m --propagation private sh -c "$without_command"' && exec "$0" "$@"' "$hold" "$@"
}

# --- thresholds
check 'thresholds: the test setup is made' \
	start $((32 * mib)) $((96 * mib)) 0 0 "$images" $((16 * mib)) $((48 * mib)) 0 $((64 * mib)) \
	$((16 * mib)) $((48 * mib)) 0 0
is 'thresholds: both are set' "$(thresholds)" "0 $((96 * mib)) 0 $((32 * mib))"
is 'thresholds: there is no slow folder' "$folder" -
is 'thresholds: one warning names the changed thresholds' \
	"$(cat "$work/err")" 'stage_hold: warning: until this run ends the writes of all '"\
programs are throttled by its thresholds: vm.dirty_background_bytes = 32 MiB, vm.dirty_bytes = 96 MiB"
go_on 2
is 'thresholds: both are set anew' "$(thresholds)" "0 $((48 * mib)) 0 $((16 * mib))"
go_on 3
is 'thresholds: one of them is set' "$(thresholds)" "0 $((64 * mib)) ${before#* * }"
go_on 4
is 'thresholds: the pair before is set again' "$(thresholds)" "0 $((48 * mib)) 0 $((16 * mib))"
go_on 5
is 'thresholds: all are restored' "$(thresholds)" "$before"
finish
is 'thresholds: the run ends with 0' $status 0
is 'thresholds: a warning names each new pair once' \
	"$(sed 's/.*thresholds: //' "$work/err" | tr '\n' ';')" 'vm.dirty_background_bytes = 32 MiB, '\
'vm.dirty_bytes = 96 MiB;vm.dirty_background_bytes = 16 MiB, vm.dirty_bytes = 48 MiB;vm.dirty_bytes = 64 MiB;'
all_is_as_before thresholds

# Thresholds are restored, whatever they were before.
theirs=$before
for before in "0 $((300 * mib)) 0 $((200 * mib))" "0 $((300 * mib)) 5 0" "30 0 0 $((200 * mib))" '30 0 0 0' '0 0 0 0' '1 0 1 0'; do
	write_thresholds "$before"
	is "$before: thresholds are as the test set them" "$(thresholds)" "$before"
	check "$before: the test setup is made" start $((32 * mib)) $((96 * mib)) 0 0 "$images"
	is "$before: thresholds are changed" "$(thresholds)" "0 $((96 * mib)) 0 $((32 * mib))"
	finish
	all_is_as_before "$before"
	check "$before: the test setup is made once more" start $((32 * mib)) $((96 * mib)) 0 0 "$images"
	kill -9 "$guardian" "$front"
	wait_for_end
	check_exit 0 "$before: recover ends with 0" iowrite-bench recover
	all_is_as_before "$before, recovered"
done

# --- others
before='30 0 5 0'
write_thresholds "$before"
check 'others: the test setup is made' start $((32 * mib)) $((96 * mib)) 0 0 "$images"
first=$front
check_exit 3 'others: a second run is refused' "$hold" 0 $((64 * mib)) 0 0 "$images"
is 'others: the refusal names the process that was first' \
	"$(grep -v warning "$tmp/err")" "stage_hold: $vm/dirty_bytes is set for the whole machine by \
another run: wait for the end of process $first"
IOWRITE_BENCH_DIR=$work/elsewhere check_exit 3 'others: a second run with another folder of journals is refused' \
	"$hold" 0 $((64 * mib)) 0 0 "$images"
is 'others: the thresholds of the first run stay' "$(thresholds)" "0 $((96 * mib)) 0 $((32 * mib))"
echo 17 >$vm/dirty_background_ratio
finish
is 'a threshold changed by another process: the run ends with 0' $status 0
is 'a threshold changed by another process: its value stays' "$(cat $vm/dirty_background_ratio)" 17
is 'a threshold changed by another process: a warning says so' \
	"$(grep -v 'until this run' "$work/err")" "stage_hold: warning: left alone: $vm/dirty_background_ratio is '17', \
which this run did not set (before the run $vm/dirty_background_ratio was '5')"
before=$theirs
write_thresholds "$before"
all_is_as_before 'others'

# --- refusals of thresholds
refused 2 "stage_hold: a background threshold of 1048576 bytes is not below the dirty threshold of 1048576: the kernel would \
take half of that" "$hold" $mib $mib 0 0 "$images"
page=$(getconf PAGESIZE)
refused 2 "stage_hold: a dirty threshold of 4096 bytes: the kernel's minimum is two pages, $((2 * page))" \
	"$hold" 0 4096 0 0 "$images"
# The line has the current thresholds.
lacks_thresholds() { # WHY COMMAND...
	lacks_why=$1
	shift
	check_exit 3 "the command is refused: $*" "$@"
	check "one line says what the probe found: $*" grep -Eqx \
		"stage_hold: the test setup needs dirty-thresholds: background .*, limit .*; cannot be set: $lacks_why" "$tmp/err"
	is "the command is refused in one line: $*" "$(wc -l <"$tmp/err")" 1
	all_is_as_before "refused: $*"
}
lacks_thresholds 'Permission denied: sudo COMMAND' \
	setpriv --reuid 65534 --regid 65534 --clear-groups "$hold" 0 $mib 0 0 "$images"
lacks_thresholds 'Read-only file system' \
	without 'mount -o bind,ro /proc/sys /proc/sys' 0 $((16 * mib)) 0 0 "$images"

# --- a slow device
need_slow
check 'slow device: the test setup is made' start 0 0 $((10 * mib)) $((64 * mib)) "$images"
first=$front
check 'slow device: its folder is a file system' test -d "$folder/lost+found"
is 'slow device: it has the size asked for' "$(blockdev --getsize64 "/dev/$device")" $((64 * mib))
is 'slow device: the image has no name' "$(find "$images" -type f)" ''
check 'slow device: all of its blocks are allocated' test "$(df --output=used -B1 "$images" | tail -n 1)" -ge $((64 * mib))
is 'slow device: it bypasses the page cache' "$(cat "/sys/block/$device/loop/dio")" 1
is 'slow device: its mount is not visible to others' "$(grep -c "$device" /proc/mounts)" 0
is 'slow device: no other descriptor of the guardian names the folder' "$(find "/proc/$guardian/fd" -lname / | wc -l)" 0
# Version 2 of cgroups limits the group of the run, version 1 the device.
group=$(sed -n 's/^folder 0 0 \([^ ]*\) .*/\1/p' "$work/journal")
# More than a burst; only a run that is too fast is wrong, as a busy machine may be slow.
took_ms() {
	began=$(date +%s%N)
	sh -c '[ -z "$0" ] || echo 0 >"$0/cgroup.procs"; exec "$@"' "$group" "$@" 2>"$tmp/err" || return 1
	echo $((($(date +%s%N) - began) / 1000000))
}
check 'slow device: 24 MiB past the page cache take 2 s' test \
	"$(took_ms dd if=/dev/zero of="$folder/direct" bs=1M count=24 oflag=direct)" -ge 2000
check 'slow device: buffered writes are throttled' \
	test "$(took_ms dd if=/dev/zero of="$folder/cached" bs=1M count=24 conv=fsync)" -ge 2000
if [ -w $throttle ]; then
	is 'slow device: the throttle has its line' \
		"$(grep "^$(cat "/sys/block/$device/dev") " $throttle)" "$(cat "/sys/block/$device/dev") $((10 * mib))"
fi
finish
is 'slow device: the run ends with 0' $status 0
is 'slow device: the run prints nothing' "$(cat "$work/err")" ''
all_is_as_before 'slow device' "$first"

# A file of another process is open: the device is removed when that process closes it.
check 'device in use: the test setup is made' start 0 0 $((100 * mib)) $((64 * mib)) "$images"
first=$front
exec 8>"$folder/file"
finish
is 'device in use: the run ends with 3' $status 3
is 'device in use: one line names the cause' \
	"$(cat "$work/err")" "stage_hold: /dev/$device is still in use: another process has a file open on the slow device"
exec 8>&-
check 'device in use: it is removed later' within 30 is_clean "$first"

# --- a stale journal and a loop device that another user has taken since
truncate -s 16M "$work/others"
if [ -w $throttle ]; then
	check 'stale journal: the test setup is made' start 0 0 $((100 * mib)) $((64 * mib)) "$images"
	number=$(cat "/sys/block/$device/dev")
	kill -9 "$guardian" "$front"
	wait_for_end
	within 30 test ! -d "/sys/fs/ext4/$device"
	if losetup "/dev/$device" "$work/others"; then
		check_exit 0 'stale journal: recover ends with 0' iowrite-bench recover
		is 'stale journal: the device of another user stays' "$(losetup -n -O BACK-FILE "/dev/$device")" "$work/others"
		is 'stale journal: the throttle is removed' "$(grep "^$number " $throttle)" ''
		losetup -d "/dev/$device"
	fi
	check 'throttle of others: the test setup is made' start 0 0 $((100 * mib)) $((64 * mib)) "$images"
	number=$(cat "/sys/block/$device/dev")
	echo "$number 123456789" >$throttle
	finish
	is 'throttle of others: the run ends with 0' $status 0
	is 'throttle of others: their line stays' "$(grep "^$number " $throttle)" "$number 123456789"
	check 'throttle of others: a warning names the value that is left alone' \
		grep -q "left alone: $throttle is '$number 123456789'" "$work/err"
	echo "$number 0" >$throttle
fi
all_is_as_before 'stale journal'

# --- refusals of a slow device
slow() { refused "$1" "$2" "$hold" 0 0 "$3" "$4" "${5:-$images}"; }
slow 2 'stage_hold: a slow device of 512 KiB/s: must be 1 MiB/s to 1 TiB/s' 524288 $((64 * mib))
slow 2 'stage_hold: a slow device of 63 MiB: must be 64 MiB to 16 TiB' $mib $((63 * mib))
slow 2 "stage_hold: the slow device's image needs a folder: $free is not one" $mib $((64 * mib)) "$free"
slow 2 "stage_hold: the slow device's image needs a folder: /dev/null is not one" $mib $((64 * mib)) /dev/null
check_exit 3 'an image larger than the free space is refused' "$hold" 0 0 $mib $((mib * mib)) "$images"
is 'an image larger than the free space is refused in one line' "$(wc -l <"$tmp/err")" 1
all_is_as_before 'an image larger than the free space'
lacks() { # LINE COMMAND: exit 3
	refused 3 "$1" without "$2" 0 0 $mib $((64 * mib)) "$images"
}
lacks 'stage_hold: mkfs.ext4 is missing: install the package e2fsprogs' \
	"for place in /sbin /usr/sbin; do [ -L \$place ] || mount -t tmpfs none \$place; done; PATH=/bin"
lacks "stage_hold: mkfs.ext4 on /dev/$device failed: no such luck" \
	"printf '#!/bin/sh\necho one; echo no such luck >&2; exit 1\n' >$work/mkfs && chmod +x $work/mkfs && \
	mount --bind $work/mkfs \$(readlink -f \$(PATH=\$PATH:/usr/sbin command -v mkfs.ext4))"
lacks 'stage_hold: cannot make a loop device: Inappropriate ioctl for device' \
	'mount --bind /dev/null /dev/loop-control'
[ ! -w $throttle ] || lacks "stage_hold: no cgroups are mounted, so that no device can be made slow: mount cgroup2 on /sys/fs/cgroup" \
	'umount -R -l /sys/fs/cgroup'
if [ -w $throttle ]; then
	part=${throttle%/*}/memstor-test-$$
	mkdir "$part"
	lacks "stage_hold: ${throttle%/*} is not the root of its cgroups, to which write-back belongs, so that no device can be made \
slow: run it outside of the container" "mount --bind $part ${throttle%/*}"
	# Its direct writes are limited in a group of its own.
	printf '#!/bin/sh\necho 0 >%s/cgroup.procs\nexec %s "$@"\n' "$part" "$hold" >"$work/in-part"
	chmod +x "$work/in-part"
	hold=$work/in-part
	check 'own cgroup: the test setup is made' start 0 0 $mib $((64 * mib)) "$images"
	number=$(cat "/sys/block/$device/dev")
	is 'own cgroup: it has the line of the throttle' "$(cat "$part/${throttle##*/}")" "$number $mib"
	is 'own cgroup: the root has the line, too' "$(grep "^$number " $throttle)" "$number $mib"
	finish
	is 'own cgroup: the line is removed' "$(cat "$part/${throttle##*/}")" ''
	all_is_as_before 'own cgroup'
	rmdir "$part"
fi
tap_done
