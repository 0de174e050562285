#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# iowrite-bench recover: puts back what the journals of dead runs say, and no more; what it cannot read it says, and sets
# aside when told to.
. "$top_srcdir/tests/lib/tap.sh"
export IOWRITE_BENCH_DIR="$tmp/journals"
setting="$tmp/a setting"
said() { # STATUS LINES WORD...
	said_status=$1
	said_lines=$2
	shift 2
	check_exit "$said_status" "recover $*" iowrite-bench recover "$@"
	is 'and says' "$(cat "$tmp/err")" "$said_lines"
	check 'nothing on stdout' test ! -s "$tmp/out"
}
write_journal() { # NAME BOOT LINE...
	name=$1
	boot=$2
	shift 2
	mkdir -p "$IOWRITE_BENCH_DIR" && chmod 700 "$IOWRITE_BENCH_DIR"
	{
		printf 'undo-journal 1 %s 00112233445566778899aabbccddeeff %s\n' "$boot" "$(stat -Lc %i /proc/self/ns/pid)"
		printf '%s\n' "$@"
	} >"$IOWRITE_BENCH_DIR/$name"
}
this_boot=$(cat /proc/sys/kernel/random/boot_id)
dead=1-1-0123abcd
line="setting 0 0 $tmp/a\\040setting ours \\000 as\\040it\\040was"
found="iowrite-bench: found the journal $dead of a run that was killed"

said 0 'iowrite-bench: nothing to put back'
said 2 "iowrite-bench: argument 'x': recover takes none" x
said 0 'iowrite-bench: nothing to put back' --set-aside

echo ours >"$setting"
write_journal $dead "$this_boot" "$line"
said 0 "$found
iowrite-bench: restored: $setting is 'as it was' again"
is 'it is so' "$(cat "$setting")" 'as it was'
check 'the journal is gone, and its folder' test ! -e "$IOWRITE_BENCH_DIR"

write_journal $dead "$this_boot" "$line"
said 0 "$found"
echo "somebody's" >"$setting"
write_journal $dead "$this_boot" "$line"
said 0 "$found
iowrite-bench: warning: left alone: $setting is 'somebody's', and that is not from this run (before it $setting was 'as it was')"
is "somebody's stays" "$(cat "$setting")" "somebody's"

echo ours >"$setting"
write_journal $dead another-boot "$line"
said 0 "$found"
is 'a setting of another boot is not ours' "$(cat "$setting")" ours

# A journal that cannot be understood is not acted upon at all.
write_journal $dead "$this_boot" "$line" 'nonsense 1 2'
damaged="$found
iowrite-bench: the journal $IOWRITE_BENCH_DIR/$dead is damaged or of another version, and what it lists is not put back: read it, \
undo by hand what is still there (sysctl, losetup -d, rm), then rename it to $dead.bad"
said 3 "$damaged"
said 3 "$damaged"
is 'nothing is done' "$(cat "$setting")" ours
said 0 "iowrite-bench: set aside as $IOWRITE_BENCH_DIR/$dead.bad: nothing that it lists was put back" --set-aside
said 0 'iowrite-bench: nothing to put back'
check 'it is there to be read' grep -q nonsense "$IOWRITE_BENCH_DIR/$dead.bad"

# Nobody else may have written one.
write_journal $dead "$this_boot" "$line"
chmod 777 "$IOWRITE_BENCH_DIR"
said 3 "iowrite-bench: cannot read the journals in $IOWRITE_BENCH_DIR (the folder must belong to this user alone): Operation not permitted"
is 'nothing is done' "$(cat "$setting")" ours
chmod 700 "$IOWRITE_BENCH_DIR"

# Somebody who lives has it.
flock "$IOWRITE_BENCH_DIR/$dead" sleep 300 &
locker=$!
until ! flock -n "$IOWRITE_BENCH_DIR/$dead" true; do sleep 0.05; done
mv "$IOWRITE_BENCH_DIR/$dead" "$IOWRITE_BENCH_DIR/$$-$(sed 's/.*) //' /proc/$$/stat | cut -d ' ' -f 20)-0123abcd"
said 0 'iowrite-bench: nothing to put back'
is 'nothing is done' "$(cat "$setting")" ours
pkill -P $locker
kill $locker 2>/dev/null
tap_done
