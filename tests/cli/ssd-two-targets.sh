#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# ssd-workloads run --ckpt-target: the log in one target and the checkpoint in another, and every refusal for both.
. "$top_srcdir/tests/lib/tap.sh"
. "$top_srcdir/tests/lib/ssd.sh"
need_direct
cd "$work" || exit 99
mkdir log other
value() { sed -n "s|.*<$2>\(.*\)</$2>.*|\1|p" "$1" | head -n 1; }
two() { write_small log/file --ckpt-target=other/file "$@"; }
# pass REPORT OPTION...: until each block of the checkpoint was written, which takes a busy machine longer
pass() {
	report=$1
	shift
	for runtime in 100ms 1s 10s; do
		passed=0
		# shellcheck disable=SC2086 # words
		ssd-workloads run $small --runtime=$runtime --target=log/file --ckpt-target=other/file -f "$report" "$@" || passed=$?
		! grep -q '<durability_check.* stream="checkpoint">' "$report" || break
	done
	return $passed
}
line() { is "$1" "$(cat "$tmp/err")" "ssd-workloads: $2"; }

check_exit 0 '--dry-run of two targets is accepted' two --dry-run
check '--dry-run of two targets names both' grep -q '^checkpoint target: other/file, ' "$tmp/out"
is '--dry-run of two targets makes no file' "$(ls -A log)$(ls -A other)" ''
check_exit 0 'two targets are written, read back and kept' pass two.xml --keep --verify --durability=fdatasync
check 'the report names the target of the log' grep -q '<path>log/file</path>' two.xml
check 'the report names the target of the checkpoint' grep -q '<path>other/file</path>' two.xml
is 'verification reads the blocks of both targets' "$(value two.xml blocks)" 32
is 'the syncs of the passes are checked against the devices of the checkpoint target' \
	"$(grep -c '<durability_check cell_id="mix" stream="checkpoint">' two.xml)" 1
is 'the syncs of the log are checked against the devices of its target' "$(grep -c '<durability_check cell_id="mix">' two.xml)" 1
if command -v xmllint >/dev/null; then
	check 'the report of two targets is valid by the schema' \
		xmllint --noout --schema "$top_srcdir/docs/memstor-report.xsd" two.xml
else
	skip 'the report of two targets is valid by the schema' 'needs xmllint (libxml2-utils)'
fi
is 'the log is in its target alone' "$(wc -c <log/file | tr -d ' ')" $(((1 << 20) + 16 * 4096))
is 'the checkpoint is in its target alone' "$(wc -c <other/file | tr -d ' ')" $(((1 << 20) + 16 * 8192))
for file in log/file other/file; do
	check_exit 0 "$file is verified by itself" ssd-workloads verify $file -f verify.xml
	is "$file: each of its blocks is read" "$(value verify.xml blocks)" 16
done
check_exit 0 'two kept targets are written and verified again' two --durability=fdatasync --verify
check_exit 0 '--ckpt-sync=pass of two targets runs' pass passes.xml --ckpt-sync=pass --json=two.json
is '--ckpt-sync=pass: only the syncs of the passes are checked' "$(grep '<durability_check' passes.xml | tr -d ' ')" \
	'<durability_checkcell_id="mix"stream="checkpoint">'
check 'the text has the durability check of the checkpoint target' grep -q '^mix, checkpoint target: durability check: ' "$tmp/out"
check_exit 0 'memstor validate accepts the JSON report of two targets' memstor validate two.json
check_exit 0 '--dry-run of two kept targets is accepted' two --dry-run
check 'kept targets need no preparation' grep -qx 'prepared: already' "$tmp/out"
# On a busy machine a shorter run may end before its first write did.
# shellcheck disable=SC2086 # words
check_exit 0 'the log goes to a prepared target, the checkpoint to a new one' \
	ssd-workloads run $small --runtime=1s --target=log/file --ckpt-target=other/new
is 'a new checkpoint target is removed at the end of the run' "$(ls other)" file
spoil_byte other/file $(((1 << 20) + 3 * 8192 + 100))
check_exit 1 'verify finds damage in the checkpoint target' ssd-workloads verify other/file
check_exit 0 'verify of the undamaged target of the log ends with 0' ssd-workloads verify log/file
check_exit 0 'baselines of two targets are measured' two --baselines --runs=1
check_exit 0 'a folder as both targets gives each stream a file without a name' write_small log --ckpt-target=log

# --- refusals, before either is changed
echo precious >mine
sum=$(cksum log/file)
check_exit 2 'a file of another program is refused as the checkpoint target' write_small log/file --ckpt-target=mine
check 'the refusal of a file of another program names the file' grep -q ' mine: ' "$tmp/err"
check_exit 2 '--destroy-data does not confirm the checkpoint target' write_small log/file --ckpt-target=mine --destroy-data=mine
check_exit 2 'a file of another program is refused as the target of the log' write_small mine --ckpt-target=other/file
is 'a refused file of another program is not changed' "$(cat mine)" precious
is 'a refused run does not change its other target' "$(cksum log/file)" "$sum"
check_exit 2 'one file for both targets is refused' write_small log/file --ckpt-target=log/file
line 'one file for both targets is refused in one line' \
	'--ckpt-target log/file: --target names the same file; omit one or name another'
ln log/file log/again
check_exit 2 'one file for both targets by two names is refused' write_small log/file --ckpt-target=log/again
check_exit 2 '--ckpt-target of a mix with one stream is refused' \
	ssd-workloads run --mix=1-0 --target=log/file --ckpt-target=other/file
line '--ckpt-target of a mix with one stream is refused in one line' \
	'--ckpt-target: this mix has one stream; name its target by --target'
check_exit 2 '--ckpt-destroy-data without --ckpt-target is refused' write_small log/file --ckpt-destroy-data=mine
line '--ckpt-destroy-data without --ckpt-target is refused in one line' '--ckpt-destroy-data: needs --ckpt-target'
check_exit 2 '--trace=on of two targets is refused' \
	ssd-workloads run --mix=1-1 --target=log/file --ckpt-target=other/file --trace=on
line '--trace=on of two targets is refused in one line' '--trace on: kernel events cover one target; omit --ckpt-target'
check_exit 2 '-f refuses the name of the checkpoint target' two -f other/file
rm -f other/new
check_exit 3 'a checkpoint target in a folder that does not exist is refused' write_small log/fresh --ckpt-target=nowhere/file
is 'a refused checkpoint target leaves no new file of the log' "$(find log -type f | sort | tr '\n' ' ')" 'log/again log/file '

# --- killed: the acknowledged writes of both targets are known
# shellcheck disable=SC2086 # words
ssd-workloads run $small --runtime=20s --target=log/file --ckpt-target=other/file --keep --durability=fdatasync >/dev/null 2>&1 &
run=$!
for _ in $(seq 300); do
	ssd_ack_log=$(ack_log_of log/file)
	[ -f "$ssd_ack_log" ] && [ "$(ack_log_of other/file)" = "$ssd_ack_log" ] && break
	sleep 0.1
done
ssd_ack_logs=$ssd_ack_log
sleep 0.5
kill -9 $run
wait $run 2>/dev/null
rm -f verify.xml
for file in log/file other/file; do
	check_exit 0 "verify of $file of a killed run ends with 0" ssd-workloads verify $file -f verify.xml
	is "verify of $file of a killed run knows the acknowledged writes" "$(value verify.xml is_complete)" true
done
# One target is reused: the acknowledgement log stays for the other, and is removed when that is reused, too.
cp --sparse=always log/file log/copy
check_exit 0 'the log'"'"'s target of the killed run is reused' write_small log/file
check 'the acknowledgement log stays for the other target' test -f "$ssd_ack_log"
check_exit 0 'verify of the other target ends with 0' ssd-workloads verify other/file -f verify.xml
is 'verify of the other target knows the acknowledged writes' "$(value verify.xml is_complete)" true
ssd-workloads verify log/copy -f verify.xml >/dev/null 2>&1
is 'verify of a copy of the reused target does not know what was acknowledged' "$(value verify.xml is_complete)" false
check_exit 0 'the other target is reused, for both streams' write_small other/file
check 'the acknowledgement log is removed when both targets are reused' test ! -e "$ssd_ack_log"

# --- changed by another process while they are written
rm -f log/file other/file changed.xml
# shellcheck disable=SC2086 # words
ssd-workloads run $small --runtime=2m --target=log/file --ckpt-target=other/file --keep --durability=fdatasync -f changed.xml \
	>"$tmp/run.out" 2>"$tmp/run.err" &
run=$!
for _ in $(seq 300); do
	[ -f log/file ] && [ -f other/file ] && ssd_ack_logs=$(ack_log_of log/file) && [ -f "$ssd_ack_logs" ] && break
	sleep 0.1
done
sleep 0.3
truncate -s 1G log/file other/file
status=0
wait $run || status=$?
is 'a run whose targets are both extended ends with 4' $status 4
for file in log/file other/file; do
	check "stderr names the extended target $file" \
		grep -q "^ssd-workloads: $file: another process changed the size" "$tmp/run.err"
done
is 'the verdict names the change of both targets' "$(grep -o 'changed the size of the file' changed.xml | wc -l | tr -d ' ')" 2
tap_done
