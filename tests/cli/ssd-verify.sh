#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# ssd-workloads verify: the writes of a run are there; each kind of loss is reported; other files are refused.
. "$top_srcdir/tests/lib/tap.sh"
. "$top_srcdir/tests/lib/ssd.sh"
need_direct
target=$work/target

# verified STATUS DESCRIPTION LINE...: the text of verify begins with these lines.
verified() {
	check_exit "$1" "$2 ends with $1" ssd-workloads verify "$target"
	description=$2
	shift 2
	is "$description prints what it found" "$(cat "$tmp/out")" "$(printf '%s\n' "$@")"
}
whole='verified: 32 blocks read, 32 with a write that was acknowledged, 0 with a later one, 0 lost'
lost='verified: 32 blocks read, 32 with a write that was acknowledged, 0 with a later one, 1 lost'

# --- a run that ended
# Until this machine has written every block once.
for runtime in 100ms 1s 10s 60s; do
	rm -f "$target"
	check_exit 0 "run --keep --verify ends with 0 after $runtime" write_small "$target" --runtime=$runtime --keep --verify
	! grep -q ', 32 with' "$tmp/out" || break
done
is 'run --verify reads back every block that it wrote' "$(grep ^verified "$tmp/out")" "$whole"
verified 0 'verify of a complete target' "$whole"
check_exit 0 'verify writes reports in XML and JSON' ssd-workloads verify "$target" -f "$tmp/report.xml" --json="$tmp/report.json"
is 'verify prints its text beside the reports' "$(cat "$tmp/out")" "$whole"
check 'the report of verify is valid by the schema' xmllint --noout --schema "$top_srcdir/docs/memstor-report.xsd" "$tmp/report.xml"
check 'the report of verify has the verdict ok' grep -q '<verdict status="ok"' "$tmp/report.xml"
check_exit 0 'verify --json prints the report on stdout' ssd-workloads verify "$target" --json
check 'verify --json prints nothing but a valid report' memstor validate "$tmp/out"
for option in --file --json; do
	check_exit 2 "verify refuses $option in the place of the target" \
		ssd-workloads verify "$target" $option="$work/../${work##*/}/target"
	is "verify names the target that $option would replace" \
		"$(cat "$tmp/err")" "ssd-workloads: $target: the report would replace the target; give it another name"
done
check_exit 0 'a refused report leaves the target unchanged' ssd-workloads verify "$target"
cp "$target" "$work/good"

# --- what is lost; the number of the write differs from run to run
losing() { # DESCRIPTION KIND PLACE
	check_exit 1 "verify of a target with $1 ends with 1" ssd-workloads verify "$target"
	is "verify of a target with $1 says what is lost" "$(sed 's/write [0-9][0-9]*/write N/g' "$tmp/out")" "$lost
lost: $(printf '%-10s' "$2") 1
first: $3 must be there; found: $2"
	check_exit 1 "verify -f of a target with $1 ends with 1" ssd-workloads verify "$target" -f "$tmp/report.xml"
	check "the report of a target with $1 is valid by the schema" \
		xmllint --noout --schema "$top_srcdir/docs/memstor-report.xsd" "$tmp/report.xml"
	check "the report of a target with $1 has the loss" grep -q "<loss kind=\"$2\" count=\"1\"/>" "$tmp/report.xml"
	check "the report of a target with $1 has the reason lost-data" grep -q '<reason code="lost-data">' "$tmp/report.xml"
	cp "$work/good" "$target"
}
spoil_byte "$target" $((log_at + 4096 + 100))
losing 'a wrong byte' damaged "log worker 0, block 1 at byte $((log_at + 4096)): write N"
copy_bytes "$target" $checkpoint_at "$target" $((checkpoint_at + 8192)) 8192
losing 'a copied block' astray "checkpoint worker 0, block 1 at byte $((checkpoint_at + 8192)): write N"
copy_bytes /dev/zero 0 "$target" $log_at 4096
losing 'a block of zeros' foreign "log worker 0, block 0 at byte $log_at: write N"
truncate -s $((checkpoint_at + 15 * 8192 + 512)) "$target"
lost='verified: 31 blocks read, 32 with a write that was acknowledged, 0 with a later one, 1 lost'
losing 'a missing end' unreadable "checkpoint worker 0, block 15 at byte $((checkpoint_at + 15 * 8192)): write N"

# --- a run that is killed
# shellcheck disable=SC2086,SC2154 # words of tests/lib/ssd.sh
ssd-workloads run $small --target="$target" --keep --runtime=60s --durability=dsync >/dev/null 2>&1 &
pid=$!
trap 'kill -9 $pid; ssd_cleanup' EXIT
seen=
for _ in $(seq 100); do
	ack_log=$(ack_log_of "$target")
	[ -e "$ack_log" ] && [ -n "$(tr -d '\000' <"$ack_log" | head -c 1)" ] && seen=yes && break
	sleep 0.1
done
ssd_ack_logs=$ack_log
is 'a run writes its acknowledgement log' "$seen" yes
check_exit 3 'verify of a target that a run writes is refused' ssd-workloads verify "$target"
is 'verify of a target that a run writes is refused in one line' "$(sed "s, (process [0-9]*),," "$tmp/err")" \
	"ssd-workloads: $target: another run is writing it or reading it back; wait for its end, or name another target"
check_exit 2 'a second run on a target that a run writes is refused' write_small "$target"
is 'a second run on a target that a run writes is refused in one line' "$(sed "s, (process [0-9]*),," "$tmp/err")" \
	"ssd-workloads: $target: another run is writing it or reading it back; wait for its end, or name another target"
# While nothing is being written: a block that is read during its write has parts of two writes.
kill -STOP $pid
for _ in $(seq 100); do
	copy_bytes "$target" $checkpoint_at "$work/old" 0 8192
	sleep 0.1
	copy_bytes "$target" $checkpoint_at "$work/again" 0 8192
	cmp -s "$work/old" "$work/again" && break
done
kill -CONT $pid
number() { od -An -tu8 -j $((checkpoint_at + 16)) -N 8 "$target"; }
then=$(number)
for _ in $(seq 100); do
	[ "$(number)" != "$then" ] && break
	sleep 0.1
done
# Once more, so that the write after the copied one is acknowledged.
then=$(number)
for _ in $(seq 100); do
	[ "$(number)" != "$then" ] && break
	sleep 0.1
done
kill -9 $pid
wait $pid 2>/dev/null
trap ssd_cleanup EXIT
check_exit 0 'verify of the target of a killed run ends with 0' ssd-workloads verify "$target"
check 'verify of the target of a killed run finds no loss in any block' \
	grep -q '^verified: 32 blocks read, [0-9]* with a write that was acknowledged, .* 0 lost$' "$tmp/out"
copy_bytes "$work/old" 0 "$target" $checkpoint_at 8192
check_exit 1 'verify finds an acknowledged write that was replaced by old data' ssd-workloads verify "$target"
check 'verify reports the loss as old-data' grep -q '^lost: old-data   1$' "$tmp/out"
rm "$ack_log"
check_exit 4 'without its acknowledgement log verify ends with 4' ssd-workloads verify "$target"
is 'the text says that what was acknowledged is unknown' "$(sed 1d "$tmp/out")" \
	'the acknowledged writes are unknown: broken blocks are found, missing writes are not'
check_exit 4 'verify without an acknowledgement log ends with 4' ssd-workloads verify "$target" -f "$tmp/report.xml"
check 'the report without an acknowledgement log is valid by the schema' \
	xmllint --noout --schema "$top_srcdir/docs/memstor-report.xsd" "$tmp/report.xml"
check 'the report says that the acknowledged writes are unknown' grep -q '<reason code="unknown-acknowledged">' "$tmp/report.xml"

# --- files that are no target
refused() { # STATUS LINE WORDS...
	status=$1 line=$2
	shift 2
	check_exit "$status" "verify refuses $*" ssd-workloads verify "$@"
	is "verify refuses in one line: $*" "$(cat "$tmp/err")" "ssd-workloads: $line"
	is "verify prints nothing on stdout when it refuses $*" "$(cat "$tmp/out")" ''
}
refused 2 'TARGET: name the file or block device to read, or both targets of a striped log'
refused 2 'TARGET c: is allowed twice, for both targets of a striped log' a b c
refused 2 "TARGET '': must not be empty" ''
refused 2 "cannot read $work/none: No such file or directory" "$work/none"
refused 2 "cannot read $work: is a folder (a file or block device is read)" "$work"
refused 2 'cannot read /dev/null: is a character device or socket (a file or block device is read)' /dev/null
refused 2 "-f '': must be a file name" -f '' "$target"
refused 2 "-f b: is given twice: once is allowed" -f a -f b "$target"
refused 2 "-f and --json: both would write stdout; give them two names" -f - --json "$target"
refused 3 "-f $work/none/x: cannot be written: No such file or directory" -f "$work/none/x" "$target"
echo text >"$work/text"
no_target='is no target of ssd-workloads, or its header is broken: name one that '\''ssd-workloads run --keep'\'' has written'
refused 2 "$work/text $no_target" "$work/text"
cp "$work/good" "$target"
spoil_byte "$target" 200
refused 2 "$target $no_target" "$target"
# A target with a broken header is not overwritten without confirmation, either.
check_exit 2 'run refuses a target with a damaged header' write_small "$target"
is 'run refuses a target with a damaged header in one line' \
	"$(cat "$tmp/err")" "ssd-workloads: $target: begins as a target of ssd-workloads, but its header is broken; \
name a new file, or confirm with --destroy-data=$target"
for runtime in 100ms 1s 10s 60s; do
	check_exit 0 "run --destroy-data overwrites a target with a damaged header, in $runtime" \
		write_small "$target" --runtime=$runtime --destroy-data="$target" --verify
	! grep -q ', 32 with' "$tmp/out" || break
done
verified 0 'verify of an overwritten target' "$whole"
tap_done
