#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# ssd-workloads run on several simulated devices: each has its own row, write amplification and dump.
. "$top_srcdir/tests/lib/tap.sh"
command -v xmllint >/dev/null || skip_all 'needs xmllint (libxml2-utils)'
cd "$tmp" || exit 99
small='--sim blocks=16 --sim pages=32 --sim precondition=random --runtime=200ms --warmup=100ms --interval=0 --target=sim:small'
simulate() { # OPTION...
	# shellcheck disable=SC2086 # words
	ssd-workloads run $small "$@"
}
value() { xmllint --xpath "string($2)" "$1" 2>/dev/null; }
refused() { # DESCRIPTION LINE COMMAND...
	description=$1 line=$2
	shift 2
	check_exit 2 "$description is refused" "$@"
	is "$description is refused in one line" "$(cat "$tmp/err")" "ssd-workloads: $line"
}

# --- the log and the checkpoint on a device each: as each alone
check_exit 0 'the log and the checkpoint are written to a device each' simulate --mix=1-N --ckpt-order=uniform \
	--ckpt-target=sim:small --dump=log.rec --ckpt-dump=checkpoint.rec -f both.xml
check 'the text has a row for each device' grep -q '^mix, checkpoint target  *1 ' "$tmp/out"
check_exit 0 'the log is written alone' simulate --mix=1-0 --dump=log-alone.rec -f log.xml
check_exit 0 'the checkpoint is written alone' simulate --mix=0-N --ckpt-order=uniform --dump=checkpoint-alone.rec -f checkpoint.xml
check 'the report of two devices is valid by the schema' \
	xmllint --noout --schema "$top_srcdir/docs/memstor-report.xsd" both.xml
is 'the report has both devices' "$(value both.xml 'count(//repetition/device)')" 2
for number in write_amplification copies host_programs slices collections; do
	is "$number of the log's device is that of the log alone" "$(value both.xml "//device[not(@target)]/$number")" \
		"$(value log.xml "//device/$number")"
	is "$number of the checkpoint's device is that of the checkpoint alone" \
		"$(value both.xml "//device[@target='checkpoint']/$number")" "$(value checkpoint.xml "//device/$number")"
done
check 'collections copy pages' test "$(value both.xml 'sum(//device/copies)')" -gt 0
is 'the report has the dumps of both devices' \
	"$(value both.xml 'count(//records/dump_uuid | //records/checkpoint_dump_uuid)')" 2
for stream in log checkpoint; do
	for figure in attribution fig4 fig9; do
		ssd-workloads analyze $figure $stream.rec >one 2>&1
		ssd-workloads analyze $figure $stream-alone.rec >other 2>&1
		check "$figure of the $stream's dump is that of the $stream alone" cmp one other
	done
done
check_exit 0 'the same seed is simulated again' simulate --mix=1-N --ckpt-order=uniform --ckpt-target=sim:small --dump=log.again \
	--ckpt-dump=checkpoint.again
check 'the same seed gives the same dump of the log'"'"'s device' cmp log.rec log.again
check 'the same seed gives the same dump of the checkpoint'"'"'s device' cmp checkpoint.rec checkpoint.again
check_exit 0 '--replay takes simulated targets' ssd-workloads run --replay both.xml --json=again.json
check 'the replayed run has two devices' grep -q '"target": "checkpoint"' again.json
check_exit 0 'memstor validate accepts the JSON report of two devices' memstor validate again.json
check_exit 0 'baselines are measured on two devices' simulate --mix=1-N --ckpt-target=sim:small --baselines --runs=2

# --- a striped log
check_exit 0 'a log is striped over two devices' simulate --mix=M-0 --log-target=sim:small --durability=fdatasync -f striped.xml
is 'the report of a striped log has both devices' "$(value striped.xml 'count(//repetition/device)')" 2
check 'both devices of the log have half of the pages' test "$(value striped.xml \
	"//device[@target='log']/slices * 100 > //device[not(@target)]/slices * 90 and
	 //device[@target='log']/slices * 100 < //device[not(@target)]/slices * 110")" = true
is 'the report names both targets of the log' "$(value striped.xml '//stream_plan/path')$(value striped.xml '//stream_plan/second_path')" \
	sim:smallsim:small
check_exit 0 'a striped log and a checkpoint are written to three devices' simulate --mix=M-N --log-target=sim:small \
	--ckpt-target=sim:small --ckpt-dump=third.rec -f three.xml
is 'the report has three devices' "$(value three.xml 'count(//repetition/device)')" 3
check_exit 0 'the dump of the third device is read' ssd-workloads analyze fig9 third.rec
check_exit 0 'the checkpoint shares a device with half of the log' simulate --mix=M-N --log-target=sim:small -f shared.xml
is 'the report has two devices then' "$(value shared.xml 'count(//repetition/device)')" 2

# --- half of a log that fits into the buffer of its device never reaches the flash
ssd-workloads run --sim blocks=16 --sim pages=32 --runtime=200ms --interval=0 --target=sim:small --log-target=sim:small --mix=1-1 \
	--log-size=8m --ckpt-size=8m >"$tmp/out"
check 'a device that was not preconditioned is named' grep -q '^not-steady: mix, log target: 0.00 capacities' "$tmp/out"

# --- refusals
refused 'another preset for the checkpoint' \
	'--ckpt-target sim:full: must be the same sim:PRESET as --target: simulated devices are equal' \
	simulate --mix=1-N --ckpt-target=sim:full
refused 'a file beside a simulated device' \
	'--log-target file: must be the same sim:PRESET as --target: simulated devices are equal' simulate --mix=1-N --log-target=file
refused 'a simulated device beside a file' '--ckpt-target sim:small: is simulated, and --target is not; of a file give ./sim:NAME' \
	ssd-workloads run --mix=1-N --target=file --ckpt-target=sim:small
refused 'a dump of a striped log' \
	'--dump x: a log that is striped over simulated devices has no dump; omit one' simulate --mix=1-N --log-target=sim:small --dump=x
refused '--ckpt-dump of one device' '--ckpt-dump: needs --ckpt-target' simulate --mix=1-N --ckpt-dump=x
refused '--ckpt-dump of real targets' '--ckpt-dump x: needs --target sim:PRESET; --dump has both streams' \
	ssd-workloads run --mix=1-N --target=file --ckpt-target=other --ckpt-dump=x
refused '--without of two devices' '--without gc: needs one simulated device; omit --log-target and --ckpt-target' \
	simulate --mix=1-N --ckpt-target=sim:small --without=gc
check_exit 2 'one file for both dumps is refused' simulate --mix=1-N --ckpt-target=sim:small --dump=x --ckpt-dump=x
check_exit 2 '--baselines excludes --ckpt-dump' simulate --mix=1-N --ckpt-target=sim:small --ckpt-dump=x --baselines
check 'no refused run wrote a file' test ! -e x -a ! -e file
tap_done
