#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# iowrite-bench recover: restores what the journals of dead runs list, and nothing else; reports journals that it cannot
# read, and sets them aside with --set-aside.
. "$top_srcdir/tests/lib/tap.sh"
export IOWRITE_BENCH_DIR="$tmp/journals"
file="$tmp/a file"
said() { # STATUS LINES WORD...
	said_status=$1
	said_lines=$2
	shift 2
	said_last=${said_lines##*iowrite-bench: }
	check_exit "$said_status" "recover${*:+ $*} ends with $said_status: $said_last" iowrite-bench recover "$@"
	is "recover${*:+ $*} says: $said_last" "$(cat "$tmp/err")" "$said_lines"
	check "recover${*:+ $*} prints nothing on stdout: $said_last" test ! -s "$tmp/out"
}
write_journal() { # NAME BOOT LINE...
	name=$1
	boot=$2
	shift 2
	[ -d "$IOWRITE_BENCH_DIR" ] || mkdir -m 700 "$IOWRITE_BENCH_DIR"
	rm -f "$IOWRITE_BENCH_DIR/$name"
	{
		printf 'memstor-journal 1 %s 00112233445566778899aabbccddeeff %s\n' "$boot" "$(stat -Lc %i /proc/self/ns/pid)"
		printf '%s\n' "$@"
	} >"$IOWRITE_BENCH_DIR/$name"
	chmod 600 "$IOWRITE_BENCH_DIR/$name"
}
this_boot=$(cat /proc/sys/kernel/random/boot_id)
dead=1-1-0123abcd
found="iowrite-bench: found the journal $dead of a run that did not clean up"
make_file() { # and the line of a journal that would remove it
	: >"$file"
	line="file $(stat -c '%d %i' "$file") $tmp/a\\040file \\000 \\000 \\000"
}

said 0 'iowrite-bench: nothing to restore'
said 2 'iowrite-bench: x: no argument is expected; --help lists the options' x
said 0 'iowrite-bench: nothing to restore' --set-aside

make_file
write_journal $dead "$this_boot" "$line"
chmod 1700 "$IOWRITE_BENCH_DIR"
said 0 "$found
iowrite-bench: restored: $file removed"
check 'the file of the run is removed' test ! -e "$file"
check 'the journal is removed with the folder that the run made' test ! -e "$IOWRITE_BENCH_DIR"

write_journal $dead "$this_boot" "$line"
said 0 "$found"
check 'a folder that the user made stays' test -d "$IOWRITE_BENCH_DIR"
said 0 'iowrite-bench: nothing to restore'
check 'a folder that the user made stays when it holds no journal' test -d "$IOWRITE_BENCH_DIR"

vm=/proc/sys/vm/dirty_ratio
write_journal $dead "$this_boot" "setting 0 0 $vm ours \\000 7777"
said 0 "$found
iowrite-bench: warning: left alone: $vm is '$(cat $vm)', which this run did not set (before the run $vm was '7777')"

make_file
write_journal $dead another-boot "setting 0 0 $vm $(cat $vm) \\000 7777"
said 0 "$found"

# Nothing that an unreadable journal lists is restored.
write_journal $dead "$this_boot" "$line" 'nonsense 1 2'
damaged="$found
iowrite-bench: the journal $IOWRITE_BENCH_DIR/$dead is damaged or of another version, and what it lists is not restored: read it, \
undo by hand what is still there (swapoff, zramctl -r, sysctl, losetup -d, rm, rmdir), then set it aside as $dead.bad"
said 3 "$damaged"
said 3 "$damaged"
check 'a damaged journal undoes nothing' test -e "$file"
said 0 "iowrite-bench: set aside as $IOWRITE_BENCH_DIR/$dead.bad: nothing that it lists was restored" --set-aside
said 0 'iowrite-bench: nothing to restore'
check 'the damaged journal is kept for reading' grep -q nonsense "$IOWRITE_BENCH_DIR/$dead.bad"
rm "$IOWRITE_BENCH_DIR/$dead.bad"

# Settings are those of /proc/sys/vm and of cgroups.
mkdir "$tmp/folder"
for path in "$tmp/other" /proc/sys/vm/../kernel/panic /proc/sys/kernel/panic "$tmp/sys/fs/cgroup/x"; do
	for action in 'setting 0 0' 'line 0 0'; do
		echo ours >"$tmp/other"
		write_journal $dead "$this_boot" "$action $path ours \\000 before"
		said 3 "$damaged"
		is "a journal cannot change $path by $action" "$(cat "$tmp/other")" ours
	done
done
write_journal $dead "$this_boot" "setting 0 0 /proc/sys/vm/dirty_bytes 0 ../../../../$tmp/other 0"
said 3 "$damaged"
write_journal $dead "$this_boot" "folder 0 0 $tmp/folder \\000 \\000 \\000"
said 3 "$damaged"
write_journal $dead "$this_boot" 'folder 0 0 /sys/fs/cgroup/nowhere/.. \000 \000 \000'
said 3 "$damaged"
check 'a journal cannot remove an empty folder of the user' test -d "$tmp/folder"

# A journal is a file of this user alone, under one name.
refused="iowrite-bench: $IOWRITE_BENCH_DIR/$dead: not a file with one link that only this user can read and write, so nothing \
that it lists is restored; remove it"
for mode in 644 620 606; do
	write_journal $dead "$this_boot" "$line"
	chmod $mode "$IOWRITE_BENCH_DIR/$dead"
	said 3 "$refused"
	check "a journal of mode $mode undoes nothing" test -e "$file"
done
chmod 600 "$IOWRITE_BENCH_DIR/$dead"
ln "$IOWRITE_BENCH_DIR/$dead" "$tmp/journal"
said 3 "$refused"
check 'a journal with a second name undoes nothing' test -e "$file"
rm "$IOWRITE_BENCH_DIR/$dead"
ln -s "$tmp/journal" "$IOWRITE_BENCH_DIR/$dead"
said 3 "$refused"
check 'a symbolic link to a journal undoes nothing' test -e "$file"
rm "$IOWRITE_BENCH_DIR/$dead"
mkfifo "$IOWRITE_BENCH_DIR/$dead"
check_exit 3 'recover ends with 3 at once for a FIFO in the place of a journal' timeout 10 iowrite-bench recover
rm "$IOWRITE_BENCH_DIR/$dead"
if [ "$(id -u)" -eq 0 ]; then
	write_journal $dead "$this_boot" "$line"
	chown 1:1 "$IOWRITE_BENCH_DIR/$dead"
	said 3 "$refused"
	check 'a journal of another user undoes nothing' test -e "$file"
	chown 0:0 "$IOWRITE_BENCH_DIR/$dead"
fi

# No other user may have written one, or hold the lock of the folder.
write_journal $dead "$this_boot" "$line"
for mode in 777 755; do
	chmod $mode "$IOWRITE_BENCH_DIR"
	said 3 "iowrite-bench: cannot read the journals in $IOWRITE_BENCH_DIR (the folder must belong to this user, and no other may \
read or write it: chmod 700 it): Operation not permitted"
	check "a folder of mode $mode is not trusted" test -e "$file"
done
chmod 700 "$IOWRITE_BENCH_DIR"

# A living process has the journal.
flock "$IOWRITE_BENCH_DIR/$dead" sleep 300 &
locker=$!
until ! flock -n "$IOWRITE_BENCH_DIR/$dead" true; do sleep 0.05; done
mv "$IOWRITE_BENCH_DIR/$dead" "$IOWRITE_BENCH_DIR/$$-$(sed 's/.*) //' /proc/$$/stat | cut -d ' ' -f 20)-0123abcd"
said 0 'iowrite-bench: nothing to restore'
check 'the journal of a living run is left alone' test -e "$file"
pkill -P $locker
kill $locker 2>/dev/null
tap_done
