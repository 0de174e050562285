#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# ssd-workloads run --log-target: a log striped over two targets, which are only verified together, and every refusal for both.
. "$top_srcdir/tests/lib/tap.sh"
. "$top_srcdir/tests/lib/ssd.sh"
need_direct
cd "$work" || exit 99
mkdir one two three
value() { sed -n "s|.*<$2>\(.*\)</$2>.*|\1|p" "$1" | head -n 1; }
striped() { write_small one/log --log-target=two/log "$@"; }
refused() { # DESCRIPTION EXPECTED COMMAND...
	description=$1 expected=$2
	shift 2
	check_exit 2 "$description is refused" "$@"
	is "$description is refused in one line" "$(cat "$tmp/err")" "ssd-workloads: $expected"
}

check_exit 0 '--dry-run of a striped log is accepted' striped --dry-run
check '--dry-run names the second target of the log' grep -q '^log target: two/log, ' "$tmp/out"
is '--dry-run of a striped log makes no file' "$(ls -A one)$(ls -A two)" ''
for engine in uring threads; do
	for durability in none dsync fdatasync; do
		check_exit 0 "$engine, $durability: a striped log is written, read back and kept" \
			striped --keep --verify --durability=$durability --engine=$engine -f run.xml
		is "$engine, $durability: the run reads all 16 + 16 blocks back" "$(value run.xml blocks)" 32
		check_exit 0 "$engine, $durability: both targets are verified" ssd-workloads verify one/log two/log -f verify.xml
		is "$engine, $durability: verify reads all blocks" "$(value verify.xml blocks)" 32
	done
done
is 'half of the log is in the first target, with the checkpoint behind it' "$(wc -c <one/log | tr -d ' ')" $((checkpoint_at + 16 * 8192))
is 'half of the log is in the second target' "$(wc -c <two/log | tr -d ' ')" $((log_at + 8 * 4096))
check 'the report names the first target of the log' grep -q '<path>one/log</path>' run.xml
check 'the report names the second target of the log' grep -q '<second_path>two/log</second_path>' run.xml
is 'the syncs are checked against the devices of both targets' "$(grep -c '<durability_check cell_id="mix"' run.xml)" 2
is 'one of these checks is of the second target' "$(grep -c '<durability_check cell_id="mix" stream="log">' run.xml)" 1
# With fdatasync each log write has a sync in both.
is 'with fdatasync both targets have as many syncs' "$(grep -o '<acknowledged_syncs>.*<' run.xml | uniq | wc -l | tr -d ' ')" 1
if command -v xmllint >/dev/null; then
	check 'the report of a striped log is valid by the schema' \
		xmllint --noout --schema "$top_srcdir/docs/memstor-report.xsd" run.xml
else
	skip 'the report of a striped log is valid by the schema' 'needs xmllint (libxml2-utils)'
fi
check_exit 0 'a striped log is written with several workers and a log alone' ssd-workloads run --mix=M-0 --workers=3 --log-size=1m \
	--log-bs=4k --records=0 --trace=off --interval=0 --runtime=100ms --target=one/log --log-target=two/log --durability=dsync --verify
check_exit 0 'the checkpoint has a third target' striped --ckpt-target=three/ckpt --keep --verify --durability=fdatasync -f run.xml
check 'the text names both targets of the log' grep -q ' on one/log and two/log by ' "$tmp/out"
check 'the text has a row for the disk of the second target' grep -q '^mix, log target  *1 ' "$tmp/out"
is 'with a third target all blocks are read back' "$(value run.xml blocks)" 32
check_exit 0 'the third target is verified by itself' ssd-workloads verify three/ckpt -f verify.xml
is 'the third target has the blocks of the checkpoint' "$(value verify.xml blocks)" 16
check_exit 0 '--json of a striped log is written' striped --keep --json=run.json
check_exit 0 'memstor validate accepts the JSON report of a striped log' memstor validate run.json
check_exit 0 'a kept striped log is planned again' striped --dry-run
check 'a kept striped log needs no preparation' grep -qx 'prepared: already' "$tmp/out"
check_exit 0 'a folder as both targets gives each a file without a name' write_small one --log-target=one --verify

# --- one half alone, or another one
check_exit 0 'a striped log is written for verify' striped --keep --durability=fdatasync
check_exit 0 'the order of the targets does not matter' ssd-workloads verify two/log one/log
refused 'the first target alone' 'one/log has every second block of a log: name the run'"'"'s --log-target as well, which has the others' \
	ssd-workloads verify one/log
refused 'the second target alone' 'two/log has every second block of a log: name the run'"'"'s --target as well, which has the others' \
	ssd-workloads verify two/log
refused 'one target twice' 'two/log and two/log have the same blocks of the log: name the run'"'"'s --target as well' \
	ssd-workloads verify two/log two/log
cp --sparse=always two/log two/before
check_exit 0 'both targets are written by another run' striped --keep --durability=fdatasync
refused 'a target of an earlier run' 'one/log and two/before were written by different runs: name both targets of one run' \
	ssd-workloads verify one/log two/before
refused 'a target of the checkpoint beside one of the log' 'three/ckpt has no part of a striped log: verify it by itself' \
	ssd-workloads verify one/log three/ckpt
check_exit 2 'three targets are refused by verify' ssd-workloads verify one/log two/log three/ckpt
check_exit 2 'a missing second target is refused by verify' ssd-workloads verify one/log two/missing
check 'the refusal names the missing target' grep -q 'two/missing' "$tmp/err"
check_exit 2 'verify refuses a report that would replace the second target' ssd-workloads verify one/log two/log -f two/log
for file in one/log two/log; do
	spoil_byte $file $((log_at + 3 * 4096 + 100))
	check_exit 1 "verify finds damage in $file" ssd-workloads verify one/log two/log -f verify.xml
	is "damage in $file is one block" "$(value verify.xml first_loss | grep -c "at byte $((log_at + 3 * 4096)): ")" 1
	spoil_byte $file $((log_at + 3 * 4096 + 100))
done
check_exit 0 'undamaged targets are verified' ssd-workloads verify one/log two/log

# --- refusals, before any is changed
echo precious >mine
sums=$(cksum one/log two/log)
check_exit 2 'a file of another program is refused as the second target' write_small one/log --log-target=mine
check 'the refusal of a file of another program names the file' grep -q ' mine: ' "$tmp/err"
check_exit 2 '--destroy-data does not confirm the second target' write_small one/log --log-target=mine --destroy-data=mine
check_exit 2 'a file of another program is refused as the first target' write_small mine --log-target=two/log
is 'a refused file of another program is not changed' "$(cat mine)" precious
is 'a refused run does not change its other target' "$(cksum one/log two/log)" "$sums"
refused 'one file for both targets' '--log-target one/log: --target names the same file; omit one or name another' \
	write_small one/log --log-target=one/log
refused 'the second target of the log as that of the checkpoint' \
	'--ckpt-target two/log: --log-target names the same file; omit one or name another' striped --ckpt-target=two/log
refused '--log-target of a mix without a log' '--log-target: this mix has no log' \
	ssd-workloads run --mix=0-1 --target=one/log --log-target=two/log
refused '--log-destroy-data without --log-target' '--log-destroy-data: needs --log-target' write_small one/log --log-destroy-data=mine
refused '--trace=on of a striped log' '--trace on: kernel events cover one target; omit --log-target' \
	ssd-workloads run --mix=1-1 --target=one/log --log-target=two/log --trace=on
check_exit 2 '-f refuses the name of the second target' striped -f two/log
check_exit 3 'a second target in a folder that does not exist is refused' write_small one/fresh --log-target=nowhere/file
check 'a refused second target leaves no new file' test ! -e one/fresh
check_exit 3 'a striped log without enough space is refused' write_small one/fresh --log-target=two/fresh --log-size=512t
check 'a refusal for lack of space leaves no new files' test ! -e one/fresh -a ! -e two/fresh
check_exit 2 'a simulated device has no second target of the log' write_small sim:small --log-target=two/log

# --- killed: the acknowledged writes of both targets are known
kill_one() { # OPTION...
	# shellcheck disable=SC2086 # words
	ssd-workloads run $small --runtime=20s --target=one/log --log-target=two/log --keep --durability=fdatasync "$@" >/dev/null 2>&1 &
	run=$!
	for _ in $(seq 300); do
		ssd_ack_log=$(ack_log_of one/log)
		[ -f "$ssd_ack_log" ] && [ "$(ack_log_of two/log)" = "$ssd_ack_log" ] && break
		sleep 0.1
	done
	ssd_ack_logs="$ssd_ack_logs $ssd_ack_log"
	sleep 0.5
	kill -9 $run
	wait $run 2>/dev/null
}
rm -f one/* two/*
kill_one
check_exit 0 'verify of both targets of a killed run ends with 0' ssd-workloads verify one/log two/log -f verify.xml
is 'verify of a killed run knows the acknowledged writes' "$(value verify.xml is_complete)" true
check_exit 2 'one target of a killed run is refused' ssd-workloads verify one/log
spoil_byte two/log $((log_at + 100))
check_exit 1 'verify of a killed run finds damage in the second target' ssd-workloads verify one/log two/log
cp --sparse=always one/log one/before
cp --sparse=always two/log two/before
check_exit 0 'the first target of the killed run is reused' write_small one/log
check 'the acknowledgement log is removed with the first target, which has the checkpoint' test ! -e "$ssd_ack_log"
check_exit 2 'what is left of the killed run is refused' ssd-workloads verify one/log two/log

# The checkpoint's target is asked about until it is reused itself.
kill_one --ckpt-target=three/ckpt
check_exit 0 'the second target of the killed run is reused' write_small two/log
check 'the acknowledgement log stays for the target of the checkpoint' test -f "$ssd_ack_log"
check_exit 0 'the target of the checkpoint is verified by itself' ssd-workloads verify three/ckpt -f verify.xml
is 'its acknowledged writes are known' "$(value verify.xml is_complete)" true
check_exit 0 'the first target is reused' write_small one/log
check 'the acknowledgement log still stays' test -f "$ssd_ack_log"
check_exit 0 'the target of the checkpoint is reused' write_small three/ckpt
check 'the acknowledgement log is removed with the last target' test ! -e "$ssd_ack_log"

# --- changed by another process while they are written
rm -f one/log two/log changed.xml
# shellcheck disable=SC2086 # words
ssd-workloads run $small --runtime=2m --target=one/log --log-target=two/log --keep --durability=fdatasync -f changed.xml \
	>"$tmp/run.out" 2>"$tmp/run.err" &
run=$!
for _ in $(seq 300); do
	[ -f one/log ] && [ -f two/log ] && ssd_ack_log=$(ack_log_of one/log) && [ -f "$ssd_ack_log" ] && break
	sleep 0.1
done
ssd_ack_logs="$ssd_ack_logs $ssd_ack_log"
check_exit 2 'a second target in use is refused' write_small three/new --log-target=two/log
sleep 0.3
truncate -s 1G two/log
status=0
wait $run || status=$?
is 'a run whose second target is extended ends with 4' $status 4
check 'stderr names the extended target' grep -q '^ssd-workloads: two/log: another process changed the size' "$tmp/run.err"
check 'the verdict names the target' grep -q 'log target: another process changed the size of the file' changed.xml
tap_done
