#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# ssd-workloads run when the device breaks, after a signal, and by each engine: messages, reports and files left.
[ "$(id -u)" -eq 0 ] || { echo '1..0 # SKIP needs root, to make a loop device'; exit 0; }
if [ -z "${IS_INSIDE:-}" ]; then
	unshare -m true 2>/dev/null || { echo '1..0 # SKIP cannot make a mount namespace'; exit 0; }
	IS_INSIDE=yes exec unshare -m sh "$0"
fi
. "$top_srcdir/tests/lib/tap.sh"
work=$(mktemp -d /var/tmp/ssd-errors-test.XXXXXX) || exit 99
run=
device=
longest=
ack_log=
clean_up() {
	trap - EXIT
	[ -z "$run" ] || kill -9 "$run" 2>/dev/null
	cd /
	[ -z "$longest" ] || echo "$longest" >"$requests"
	[ -z "$device" ] || losetup -d "$device"
	umount "$work/memory" 2>/dev/null
	umount "$work/disk" 2>/dev/null
	[ -z "$ack_log" ] || rm -f "$ack_log"
	rm -rf "$work"
	tap_cleanup
}
trap clean_up EXIT
mkdir "$work/memory" "$work/files"
cd "$work" || exit 99
ssd-workloads run --mix 1-1 --target files --dry-run >/dev/null 2>"$tmp/why" || skip_all "$(cat "$tmp/why")"

# As in tests/lib/ssd.sh, which makes a folder of its own.
ack_log_of() { echo "/dev/shm/ssd-workloads-$(dd if="$1" bs=8 skip=2 count=1 2>/dev/null | od -An -tx8 | tr -d ' ')"; }
is_valid() { xmllint --noout --schema "$top_srcdir/docs/memstor-report.xsd" "$1"; }
value() { xmllint --xpath "string($2)" "$1" 2>/dev/null; }
is_true() { is "$1" "$(xmllint --xpath "$3" "$2" 2>/dev/null)" true; }
command -v xmllint >/dev/null || skip_all 'needs xmllint (libxml2-utils)'

# --- a device that fails during the run: 64 MiB of memory under 256 MiB of device
if mount -t tmpfs -o size=64m none memory 2>/dev/null && truncate -s 256m memory/image &&
	device=$(losetup --find --show memory/image 2>"$tmp/why"); then
	check_exit 4 'a device that breaks ends the run with 4' \
		ssd-workloads run --mix M-N --target "$device" --destroy-data="$device" --no-prepare \
		--log-size 64m --ckpt-size 128m --runtime 30s --records 0 --trace off -f broken.xml
	is 'a device that breaks is reported in one line' "$(grep -c "^ssd-workloads: $device: the run ended early: " "$tmp/err")" 1
	check 'the report of a broken device is valid by the schema' is_valid broken.xml
	is_true 'the verdict of a broken device has the reason io-error' \
		broken.xml 'boolean(//verdict[@status="untrustworthy"]/reason[@code="io-error"])'
	is_true 'the report of a broken device counts the failed writes by error' \
		broken.xml 'sum(//io_error/@count) = sum(//stream_result/failed) and sum(//failed) > 0'
	is_true 'the report of a broken device has the writes before the failure' broken.xml 'sum(//stream_result/operations) > 0'
	is_true 'failed writes are not counted as operations' broken.xml \
		'sum(//stream_result/operations) = sum(//stream_result/response/count)'
	losetup -d "$device" && device=
	umount -l memory
else
	skip 'a device that breaks ends the run with 4' 'no loop device over a tmpfs here'
fi

# --- one that breaks before anything is measured: no space for more than the header
before() { # PLACE OPTION...
	place=$1
	shift
	rm -f before.xml
	check_exit 4 "a device that breaks in its $place ends the run with 4" \
		ssd-workloads run --mix M-N --target "$device" --destroy-data="$device" \
		--log-size 64m --ckpt-size 128m --runtime 1s --trace off -f before.xml "$@"
	is 'a device that breaks before the run is reported in one line' \
		"$(grep -c "^ssd-workloads: .*: \(No space left on device\|Input/output error\)\$" "$tmp/err")" 1
	check 'the report of a device that broke before the run is valid by the schema' is_valid before.xml
	check 'memstor validate accepts the report of a device that broke before the run' memstor validate before.xml
	is_true "the verdict has the reason io-error when the device breaks in its $place" \
		before.xml 'boolean(//verdict[@status="untrustworthy"]/reason[@code="io-error"])'
	is_true "the report counts the errors by name when the device breaks in its $place" \
		before.xml "sum(//result/io_error[@place='$place']/@count) > 0"
	is_true "the report has no repetition and no other error when the device breaks in its $place" \
		before.xml "not(//repetition) and not(//io_error[@place!='$place'])"
	is_true "the report has no lost data when the device breaks in its $place" before.xml 'not(//reason[@code="lost-data"])'
}
# Requests of one page: a loop device acknowledges the whole of a longer one that it stored in part. (Such a loss is
# found.)
by_page() {
	requests=/sys/block/${device#/dev/}/queue/max_sectors_kb
	longest=$(cat "$requests")
	echo 4 >"$requests"
}
if mount -t tmpfs -o size=4m none memory 2>/dev/null && truncate -s 256m memory/image &&
	device=$(losetup --find --show memory/image 2>"$tmp/why") && by_page 2>"$tmp/why"; then
	before trial --no-prepare --verify
	before preparing --verify
	is_true 'the report has the bytes that were prepared before the device broke' before.xml '//prepared/bytes >= 0'
	before preparing --baselines --runs 2
	echo "$longest" >"$requests" && longest=
	losetup -d "$device" && device=
	umount -l memory
else
	skip 'a device that breaks before the run ends it with 4' 'no loop device over a tmpfs here'
fi

# --- a device that is removed: nothing can be written any more, not even the header. A shut down ext4 behaves like one.
shut_down() { # FOLDER
	python3 -c 'import fcntl, os, struct, sys
fcntl.ioctl(os.open(sys.argv[1], os.O_RDONLY), 0x8004587D, struct.pack("I", 2))' "$1" 2>"$tmp/why" # EXT4_IOC_SHUTDOWN, NOLOGFLUSH
}
mkdir disk
if command -v mkfs.ext4 >/dev/null && truncate -s 256m image && mkfs.ext4 -q -F image && mount -o loop image disk 2>"$tmp/why"; then
	ssd-workloads run --mix 1-1 --target disk/t --keep --durability dsync --log-size 16m --ckpt-size 32m --runtime 60s \
		--verify --dump records -f gone.xml >"$tmp/out" 2>"$tmp/err" &
	run=$!
	for _ in $(seq 200); do
		[ -e disk/t ] && ack_log=$(ack_log_of disk/t) && [ -s "$ack_log" ] && break
		sleep 0.1
	done
	# Past the trial, which comes before the first repetition.
	sleep 2
	shut_down disk || echo "# $(cat "$tmp/why")"
	status=0
	wait $run || status=$?
	run=
	is 'a device that is removed ends the run with 4' $status 4
	check 'the report of a removed device is valid by the schema' is_valid gone.xml
	is_true 'the verdict of a removed device has the reason io-error' \
		gone.xml 'boolean(//verdict[@status="untrustworthy"]/reason[@code="io-error"])'
	is_true 'blocks of a removed device that cannot be read are not reported as lost' \
		gone.xml 'not(//reason[@code="lost-data"]) and sum(//verification/blocks) = 0'
	is_true 'the verdict of a removed device has the reason not-verified' gone.xml 'boolean(//reason[@code="not-verified"])'
	is_true 'the verdict of a removed device has the reason header-not-written' \
		gone.xml 'boolean(//reason[@code="header-not-written"])'
	is_true 'the report of a removed device has the writes before the removal' gone.xml 'sum(//stream_result/operations) > 0'
	check 'the records of a removed device are written' test -s records
	check 'the acknowledgement log of a removed device is kept' test -s "$ack_log"
	rm -f "$ack_log"
	umount disk
else
	skip 'a device that is removed ends the run with 4' "no ext4 on a loop device here: $(cat "$tmp/why")"
fi

# --- a signal: the report has what was measured, and no file is left
ssd-workloads run --mix 1-N --target files/t --log-size 16m --ckpt-size 32m --runtime 60s -f ended.xml >out 2>err &
run=$!
for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
	sleep 0.5
	grep -q . /proc/$run/task/*/comm 2>/dev/null && [ "$(find /proc/$run/task -maxdepth 1 -mindepth 1 | wc -l)" -ge 3 ] && break
done
sleep 1
kill -TERM $run
status=0
wait $run || status=$?
run=
is 'SIGTERM ends a run with 4' $status 4
check 'the report of an ended run is valid by the schema' is_valid ended.xml
is 'the verdict of an ended run is interrupted' "$(value ended.xml '//verdict/@status')" interrupted
is 'an ended run leaves no file' "$(ls files)" ''

# --- the engines: both write the same
for engine in uring threads; do
	if ! ssd-workloads run --mix M-N --target files --require $engine --dry-run >/dev/null 2>"$tmp/why"; then
		skip "$engine runs in a folder" "$(cat "$tmp/why")"
		continue
	fi
	for durability in none dsync fdatasync; do
		check_exit 0 "$engine, $durability: no acknowledged write is lost" \
			ssd-workloads run --mix M-N --workers 2 --target files \
			--require $engine --durability $durability --verify --log-size 8m --ckpt-size 16m --runtime 1s \
			--interval 100ms -f $engine.xml
		check "$engine, $durability: the report is valid by the schema" is_valid $engine.xml
		is "$engine, $durability: the report names the engine" "$(value $engine.xml //engine/used)" $engine
		is_true "$engine, $durability: every write is counted once" $engine.xml \
			'sum(//stream_result/operations) = sum(//statistics/latency_histogram[@type="response"]/bucket/@count)'
		is_true "$engine, $durability: the series has no more writes than the run" \
			$engine.xml 'sum(//interval/operations) <= sum(//stream_result/operations)'
		is_true "$engine, $durability: no more writes are in flight than asked for" $engine.xml \
			'//stream_result[@stream="log"]/depth_achieved <= 64 and //stream_result[@stream="checkpoint"]/depth_achieved <= 8'
		# Without durability there are no commits.
		is_true "$engine, $durability: a commit takes no less time than its write" $engine.xml \
			'not(//stream_result[@stream="log"]/commit) or //stream_result[@stream="log"]/commit/mean_ns >= //stream_result[@stream="log"]/response/mean_ns'
		is_true "$engine, $durability: the report has no loss and knows every acknowledged write" \
			$engine.xml 'not(//loss) and //verification/is_complete = "true"'
	done
done
is 'runs of every engine leave no file' "$(ls files)" ''
tap_done
