#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# ssd-workloads run --trace on the real kernel: writes are found in its events, on a file, a device and a partition; the
# instance is gone whatever happens; records of a frozen run.
. "$top_srcdir/tests/lib/tap.sh"
[ "$(id -u)" -eq 0 ] || skip_all 'needs root'
work=$(mktemp -d /var/tmp/ssd-trace-test.XXXXXX) || exit 99
export SSD_WORKLOADS_DIR="$work/journals"
mounted=
loop=
front=

clean_up() {
	trap - EXIT
	[ -z "$front" ] || kill -9 "$front" 2>/dev/null
	sleep 0.3
	# A partition would outlive the detaching.
	[ -z "$loop" ] || delpart "$loop" 1 2>/dev/null
	[ -z "$loop" ] || losetup -d "$loop"
	[ -z "$mounted" ] || umount "$mounted"
	rm -rf "$work"
	tap_cleanup
}
trap clean_up EXIT

tracing=/sys/kernel/tracing
if [ ! -d $tracing/instances ]; then
	tracing=$work/tracing
	mkdir "$tracing"
	mount -t tracefs none "$tracing" 2>"$tmp/why" || skip_all "needs tracefs: $(cat "$tmp/why")"
	mounted=$tracing
fi
mix="--mix=custom --log-depth=4 --ckpt-depth=2 --log-size=2m --ckpt-size=4m"
run() { # run REPORT OPTION...
	report=$1
	shift
	# shellcheck disable=SC2086 # words
	ssd-workloads run $mix --runtime=300ms --trace=on -f "$report" "$@" >"$tmp/out" 2>"$tmp/err" &
	ran=$!
	wait $ran
}
run "$work/file.xml" --target="$work" --dump="$work/file.rec" --label=a=b
status=$?
[ $status -ne 3 ] || skip_all "$(cat "$tmp/err")"
ours() {
	for folder in "$tracing/instances/memstor-ssd-$1"*; do
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
value() { sed -n "s,.*<$2>\(.*\)</$2>.*,\1,p" "$1" | head -n 1; }
# All recorded writes are found; a machine under load may lose a few events, which the report counts.
is_joined() {
	[ "$(value "$1" joined)" -gt 0 ] || return 1
	[ "$(value "$1" lost_events)" -gt 0 ] || [ "$(value "$1" unjoined)" -eq 0 ]
}

# is_measured DESCRIPTION STATUS REPORT: status 4 when events of --trace=on were lost or other processes disturbed the run.
is_measured() {
	wanted=0
	[ "$(value "$3" lost_events)" = 0 ] || wanted=4
	! grep -qE '<reason code="(contention|busy-machine|steal|foreign-traffic)"' "$3" || wanted=4
	is "$1: the run is measured" "$2$(cat "$tmp/err")" $wanted
}
is_measured "a file" $status "$work/file.xml"
check "a file: every write is found in the kernel's events" is_joined "$work/file.xml"
check 'a file: no trace instance is left' no_instance "$ran-"
is "a file: the writes found and not found add up to those recorded" \
	"$(($(value "$work/file.xml" joined) + $(value "$work/file.xml" unjoined)))" \
	"$(value "$work/file.xml" emitted)"
# Parts of the mean add up to the mean of the responses (all of them were joined, none failed).
sums() {
	awk '/<(stream|sync)_split/ { sum = 0 } /<(batching|submit|queue|device|flush|reap)_ns>/ { gsub(/<[^>]*>/, ""); sum += $1 }
		/<\/(stream|sync)_split/ { printf "%.12g\n", sum }' "$1"
}
means() { # REPORT ELEMENT
	awk '/<'"$2"'>/ { inside = 1 } inside && /<mean_ns>/ { gsub(/<[^>]*>/, ""); print $1; inside = 0 }' "$1"
}
sums "$work/file.xml" >"$tmp/sums"
means "$work/file.xml" response >"$tmp/means"
is "a file: the parts of the mean add up to the mean response time" \
	"$(paste "$tmp/sums" "$tmp/means" | awk '{ d = $1 / $2 - 1; print (d < 1e-6 && d > -1e-6) }' | tr '\n' ' ')" '1 1 '
check 'analyze reads the records of a traced file' ssd-workloads analyze fig4 "$work/file.rec"
is 'records of a traced file have their parts' \
	"$(ssd-workloads analyze fig4 "$work/file.rec" --rows=0 | cut -f 14 | sed 1d | sort -u | grep -vc -e own -e merged)" 0

# --- a device
truncate -s 64M "$work/disk"
loop=$(losetup --find --show --direct-io=on "$work/disk" 2>/dev/null || losetup --find --show "$work/disk")
run "$work/loop.xml" --target="$loop" --destroy-data="$loop"
is_measured "a device" $? "$work/loop.xml"
check 'a device: every write is found in the trace' is_joined "$work/loop.xml"

# --- flushes: of a device with a volatile cache
durable() { # DURABILITY
	run "$work/$1.xml" --ckpt-depth=0 --log-depth=1 --durability="$1" --target="$loop" --destroy-data="$loop" --dump="$work/$1.rec"
	ssd-workloads analyze records "$work/$1.rec" >"$work/$1.csv"
}
if [ "$(cat "/sys/block/${loop#/dev/}/queue/write_cache")" = 'write back' ]; then
	durable dsync
	is "dsync: the device's flush is a part of each write's time" \
		"$(awk -F , 'NR > 1 && $16 == "own" && !($23 > 0 && $24 > 0) { wrong++ } END { print wrong + 0, (NR > 2) }' "$work/dsync.csv")" '0 1'
	is 'dsync: the parts add up to the time of each write' \
		"$(awk -F , 'NR > 1 && $16 == "own" && $18 + $19 + $20 + $21 + $22 + $24 != $15 - $12 { wrong++ } END { print wrong + 0 }' \
			"$work/dsync.csv")" 0
	durable fdatasync
	is 'fdatasync: each write is followed by the record of its sync' \
		"$(awk -F , 'NR > 1 && ($7 == 0) != (NR % 2) { wrong++ } END { print wrong + 0, (NR > 2) }' "$work/fdatasync.csv")" '0 1'
	is 'fdatasync: the parts of write and sync add up to the commit' \
		"$(awk -v sum="$(sums "$work/fdatasync.xml" | paste -sd+ | tr -d '\n')" -v mean="$(means "$work/fdatasync.xml" commit)" \
			'BEGIN { split(sum, parts, "+"); d = (parts[1] + parts[2]) / mean - 1; print (d < 1e-6 && d > -1e-6) }')" 1
	is 'fdatasync: each sync has a flush' "$(value "$work/fdatasync.xml" unflushed)" 0
	is 'fdatasync: fig4 lists the slowest syncs' \
		"$(ssd-workloads analyze fig4 "$work/fdatasync.rec" --rows=1 | cut -f 2 | tr '\n' ' ')" 'kind median slow sync-median sync '
else
	skip 'durable writes and their flushes' 'loop devices here have no volatile cache'
fi
# A partition's sectors are those of the disk.
if command -v addpart >/dev/null && command -v delpart >/dev/null && addpart "$loop" 1 20480 90000 2>/dev/null && within 2 test -b "${loop}p1"; then
	run "$work/part.xml" --target="${loop}p1" --destroy-data="${loop}p1"
	is_measured "a partition" $? "$work/part.xml"
	check 'a partition: every write is found in the trace' is_joined "$work/part.xml"
else
	skip 'a partition: every write is found in the trace' "loop devices here have none"
fi

# --- frozen
run "$work/frozen.xml" --target="$work" --freeze-if='log.sequence>=20' --post=5 --dump="$work/frozen.rec"
is "frozen: the condition fired, and later records were dropped" \
	"$(value "$work/frozen.xml" fired_stream) $(($(value "$work/frozen.xml" dropped) > 0))" "log 1"

# --- ends
begin() {
	# shellcheck disable=SC2086
	ssd-workloads run $mix --runtime=60s --trace=on --target="$work" -f "$work/end.xml" >"$tmp/out" 2>&1 &
	front=$!
	within 20 is_tracing "$front"
}
check 'a trace instance exists while a run is traced' begin
check 'only writes are traced' grep -q 'rwbs ~ "\*W\*"' "$tracing/instances/$(ours "$front")/events/block/block_rq_issue/filter"
kill -TERM "$front"
wait "$front"
is 'SIGTERM ends a traced run with a partial report' "$? $(grep -c 'status="interrupted"' "$work/end.xml")" "4 1"
check 'SIGTERM: no trace instance is left' no_instance "$front"
begin
kill -9 "$front"
wait "$front" 2>/dev/null
check 'kill -9: the trace instance is removed' within 10 no_instance "$front"
front=

# --- not available
ssd-workloads run --mix=1-0 --runtime=300ms --target="$work" --log-size=2m --trace=off -f "$work/off.xml" >"$tmp/out" 2>&1
is '--trace=off is the reason in the report' "$(value "$work/off.xml" not_available)" '--trace=off'
# shellcheck disable=SC2086 # words
SSD_WORKLOADS_DIR=$work/none/at/all ssd-workloads run $mix --runtime=200ms --target="$work" -f "$work/off.xml" >/dev/null 2>&1
is 'the report says that the journal could not be made, not that privilege is missing' "$(value "$work/off.xml" not_available)" \
	'the journal of changes to restore could not be made'
tap_done
