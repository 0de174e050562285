#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# iowrite-bench trace on the real kernel: what it sees, and that its instance is gone whatever happens to it, while
# that of another user stays.
. "$top_srcdir/tests/lib/tap.sh"
[ "$(id -u)" -eq 0 ] || skip_all 'needs root'
command -v xmllint >/dev/null || skip_all 'needs xmllint (libxml2-utils)'
work=$(mktemp -d /var/tmp/iowrite-trace-test.XXXXXX) || exit 99
# Journals of the test's own: the run of another user is never taken for a leftover.
export IOWRITE_BENCH_DIR="$work/journals"
foreign=memstor-iowrite-test-$$
tracing=
mounted=
front=
disk=

clean_up() {
	trap - EXIT
	[ -z "$front" ] || kill -9 "$front" 2>/dev/null
	sleep 0.2
	iowrite-bench recover >/dev/null 2>&1
	[ -z "$tracing" ] || rmdir "$tracing/instances/$foreign" 2>/dev/null
	[ -z "$mounted" ] || umount "$mounted"
	[ -z "$disk" ] || umount "$disk" 2>/dev/null
	rm -rf "$work"
	tap_cleanup
}
trap clean_up EXIT

# Where tracefs is not mounted, this test mounts it in its own folder.
tracing=/sys/kernel/tracing
if [ ! -d $tracing/instances ]; then
	tracing=$work/tracing
	mkdir "$tracing"
	mount -t tracefs none "$tracing" 2>"$tmp/why" || skip_all "needs tracefs: $(cat "$tmp/why")"
	mounted=$tracing
fi
mkdir "$work/here"
iowrite-bench trace c1 --directory "$work/here" --thresholds keep --dry-run >/dev/null 2>"$tmp/why" || skip_all "$(cat "$tmp/why")"

ours() {
	for folder in "$tracing/instances/memstor-iowrite-$1"-*; do
		[ ! -d "$folder" ] || basename "$folder"
	done
}
within() { # within SECONDS COMMAND...: until it succeeds
	tries=$(($1 * 20))
	shift
	until "$@"; do
		tries=$((tries - 1))
		[ $tries -gt 0 ] || return 1
		sleep 0.05
	done
}
no_instance() { [ -z "$(ours "$1")" ]; }
is_tracing() { [ "$(cat "$tracing/instances/$(ours "$1")/tracing_on" 2>/dev/null)" = 1 ]; }
# Attributes of all elements of a name, one line each.
attributes() { grep -o "<$1 [^>]*>" "$2" | sed -n "s/.* $3=\"\([^\"]*\)\".*/\1/p"; }
is_valid() { xmllint --noout --schema "$top_srcdir/docs/memstor-report.xsd" "$1"; }
# 77: there is no jsonschema.
is_valid_json() {
	python3 "$top_srcdir/tests/lib/json-valid.py" "$top_srcdir/docs/memstor-report.schema.json" "$1" || [ $? -eq 77 ]
}
rises() { attributes "$1" "$work/r.xml" time_s | sort -c -g; }
writes() { # writes COUNT BYTES DELAY_NS
	awk -v n="$1" -v size="$2" -v delay="$3" 'BEGIN {
		print "offset,size,delay_ns"
		for (i = 0; i < n; i++)
			printf "%.0f,%.0f,%.0f\n", i * size, size, delay
	}'
}

# A trace instance of another user, with events, a clock and a line of its own, and a name like ours.
theirs=$tracing/instances/$foreign
mkdir "$theirs"
echo 64 >"$theirs/buffer_size_kb"
echo global >"$theirs/trace_clock"
echo 1 >"$theirs/events/writeback/writeback_bdi_register/enable"
echo 'theirs stays' >"$theirs/trace_marker"
state_of_theirs() {
	cat "$theirs/tracing_on" "$theirs/trace_clock" "$theirs/buffer_size_kb" "$theirs/events/writeback/writeback_bdi_register/enable" \
		"$theirs/events/writeback/global_dirty_state/enable"
	grep -c 'theirs stays' "$theirs/trace"
}
before=$(state_of_theirs)
clock=$(cat "$tracing/trace_clock") events=$(cat "$tracing/set_event")

# --- a short trace, under the thresholds that are there
writes 64 1048576 2000000 >"$work/ops.csv"
# In the background, so that its process is known, and with it its instance: others may trace meanwhile.
traces() {
	iowrite-bench trace --trace "$work/ops.csv" --directory "$work/here" --mem as-is "$@" &
	front=$!
	wait "$front"
}
check_exit 0 'trace writes reports in XML and JSON' traces -f "$work/r.xml" --json="$work/r.json" --label step=one
is 'trace prints nothing on stderr' "$(cat "$tmp/err")" ''
for line in "$work/ops.csv" 'writer .*pinned' 'writes .* 64 of 64 MiB in' 'events .* 0 lost' 'thresholds' 'free run' 'background' 'throttled' 'pauses' \
	'ratelimit'; do
	check "the text of trace has a line '$line'" grep -q "^$line" "$tmp/out"
done
check 'the XML of trace is valid by the schema' is_valid "$work/r.xml"
check 'memstor validate accepts the XML of trace' memstor validate "$work/r.xml"
check 'the JSON of trace is valid by the schema' is_valid_json "$work/r.json"
is 'the report of trace has each write' "$(attributes write "$work/r.xml" index | tail -n 1)" 63
check 'the report of trace has states of the kernel' test "$(attributes kernel_state "$work/r.xml" time_s | wc -l)" -ge 1
check 'states of the kernel are in the order of time' rises kernel_state
check 'writes are in the order of time' rises write
check 'the states of the kernel have dirty bytes' \
	sh -c "[ \$1 -gt 0 ]" sh "$(attributes kernel_state "$work/r.xml" dirty_bytes | sort -n | tail -n 1)"
is 'the report of trace has the label' "$(grep -c '<label name="step">one</label>' "$work/r.xml")" 1
is 'trace leaves no trace instance' "$(ours "$front")" ''
is 'trace leaves no file in its folder' "$(ls "$work/here")" ''

# --- reports on stdout
check_exit 0 'trace -f - ends with 0' traces -f -
check 'trace -f - prints nothing but the report' is_valid "$tmp/out"
check_exit 0 'trace --json ends with 0' traces --json
check 'trace --json prints nothing but the report' is_valid_json "$tmp/out"

# --- thresholds of its own: the kernel throttles, and the trace has it
writes 48 4194304 0 >"$work/ops.csv"
setting() { cat /proc/sys/vm/dirty_bytes /proc/sys/vm/dirty_background_bytes /proc/sys/vm/dirty_ratio /proc/sys/vm/dirty_background_ratio; }
settings=$(setting)
if [ "$(cat /proc/sys/vm/dirty_bytes)" != 0 ]; then
	skip 'trace sets thresholds' 'vm.dirty_bytes is set already'
else
	check_exit 0 'trace sets thresholds' traces --thresholds 32M,64M -f "$work/r.xml"
	check 'the report of trace with thresholds is valid by the schema' is_valid "$work/r.xml"
	is 'the report of trace has the thresholds' \
		"$(sed -n 's/ *<\(background\|freerun\)_bytes>\(.*\)<.*/\2/p' "$work/r.xml" | tr '\n' ' ')" \
		'33554432 50331648 '
	is 'the states of the kernel have the background threshold' \
		"$(attributes kernel_state "$work/r.xml" background_bytes | sort -u)" 33554432
	is 'trace restores the thresholds' "$(setting)" "$settings"
fi

# --- trace is interrupted or killed
writes 400 65536 50000000 >"$work/ops.csv"
cpus_of() { sed -n 's/^Cpus_allowed_list:[[:blank:]]*//p' "/proc/$1/status"; }
cpus=$(cpus_of self)
starts() {
	env --default-signal=INT iowrite-bench trace --trace "$work/ops.csv" --directory "$work/here" --mem as-is -f "$work/r.xml" \
		>"$tmp/out" 2>"$tmp/err" &
	front=$!
	rm -f "$work/r.xml"
	within 60 is_tracing "$front"
}
for signal in INT TERM HUP; do
	check "$signal: trace has begun" starts
	sleep 0.5
	[ "$signal" != INT ] || is 'trace pins the writer to the last of several CPUs' "$(cpus_of "$front")" "${cpus##*[,-]}"
	kill -s "$signal" "$front"
	status=0
	wait "$front" || status=$?
	is "$signal: trace ends with 4" "$status" 4
	is "$signal: the trace instance is removed" "$(ours "$front")" ''
	check "$signal: the report is valid by the schema" is_valid "$work/r.xml"
	check "$signal: the report has some of the writes" test "$(attributes write "$work/r.xml" index | tail -n 1)" -lt 399
	check "$signal: the verdict is interrupted" grep -q '<verdict status="interrupted"' "$work/r.xml"
done
check 'KILL: trace has begun' starts
journal=$(ls "$IOWRITE_BENCH_DIR")
check 'KILL: trace has a journal' test -n "$journal"
kill -9 "$front"
wait "$front" 2>/dev/null
check 'KILL: the trace instance is removed' within 20 no_instance "$front"
check 'KILL: the journal is removed' within 20 sh -c '[ -z "$(ls "$1" 2>/dev/null)" ]' sh "$IOWRITE_BENCH_DIR"
is 'KILL: trace leaves no report and no part of one' "$(find "$work" -maxdepth 1 -name '*r.xml*')" ''

# Its guardian, too: the next run finds the journal.
check 'trace and guardian killed: trace has begun' starts
guardian=$(pgrep -P "$front")
kill -9 "$guardian" "$front"
wait "$front" 2>/dev/null
check 'trace and guardian killed: the trace instance stays' test -n "$(ours "$front")"
check_exit 0 'trace and guardian killed: recover ends with 0' iowrite-bench recover
check 'trace and guardian killed: recover removes the trace instance' within 20 no_instance "$front"
front=

# --- the disk becomes full
if command -v mkfs.ext4 >/dev/null && truncate -s 256M "$work/image" && mkfs.ext4 -q -F "$work/image" &&
	mkdir "$work/disk" && mount -o loop "$work/image" "$work/disk" 2>"$tmp/why"; then
	disk=$work/disk
	writes 100 65536 50000000 >"$work/ops.csv"
	iowrite-bench trace --trace "$work/ops.csv" --directory "$disk" --mem as-is --thresholds keep -f "$work/r.xml" \
		>"$tmp/out" 2>"$tmp/err" &
	front=$!
	check 'a disk that becomes full: trace has begun' within 60 is_tracing "$front"
	dd if=/dev/zero of="$disk/filler" bs=1M 2>/dev/null
	status=0
	wait "$front" || status=$?
	front=
	is 'a disk that becomes full: trace ends with 3' "$status" 3
	check 'a disk that becomes full: one line names the cause' sh -c 'test "$(wc -l <"$1/err")" = 1 &&
		grep -q "of 100 writes $2 became full while writing: free some or write less" "$1/err"' sh "$tmp" "$disk"
	sed 's/^/# /' "$tmp/err"
	check 'a disk that becomes full: the report is valid by the schema' is_valid "$work/r.xml"
	check 'a disk that becomes full: the verdict has the reason write-failed' \
		grep -q '<reason code="write-failed">' "$work/r.xml"
	umount "$disk"
	disk=
else
	skip 'a disk that becomes full: trace ends with 3' 'cannot mount an ext4'
fi

# --- traces of other users
is "a foreign trace instance is unchanged" "$(state_of_theirs)" "$before"
is 'trace leaves clock and events of other users as they were' \
	"$(cat "$tracing/trace_clock") $(cat "$tracing/set_event")" "$clock $events"
tap_done
