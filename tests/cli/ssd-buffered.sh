#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# ssd-workloads run --ckpt-io=buffered: the checkpoint goes through the page cache, with sync_file_range after every N bytes
# and fdatasync at its end.
. "$top_srcdir/tests/lib/tap.sh"
. "$top_srcdir/tests/lib/ssd.sh"
need_direct
cd "$work" || exit 99
value() { sed -n "s|.*<$2>\(.*\)</$2>.*|\1|p" "$1" | head -n 1; }
buffered() { # OPTION...
	write_small log --ckpt-target=data --ckpt-io=buffered "$@"
}
for engine in uring threads; do
	if ! ssd-workloads run --mix=1-1 --target=try --dry-run --require=$engine >/dev/null 2>"$tmp/why"; then
		skip "$engine: a buffered checkpoint runs" "$(cat "$tmp/why")"
		continue
	fi
	check_exit 0 "$engine: a buffered checkpoint is written and read back" buffered --require=$engine --verify -f $engine.xml
	is "$engine: the report has the mode, hints and syncs of a buffered checkpoint" \
		"$(value $engine.xml checkpoint_io) $(value $engine.xml flush_after_bytes) $(value $engine.xml checkpoint_sync)" \
		'buffered 262144 pass'
	check "$engine: each pass of a buffered checkpoint is synced" grep -q 'type="sync"' $engine.xml
	is "$engine: no write of a buffered checkpoint fails" "$(sed -n 's|.*<failed>\(.*\)</failed>|\1|p' $engine.xml | sort -u)" 0
	check_exit 0 "$engine: write-back hints behind each write are accepted" \
		buffered --require=$engine --ckpt-flush-after=8k --verify
	check_exit 0 "$engine: a buffered checkpoint without hints and syncs is accepted" \
		buffered --runtime=1s --require=$engine --ckpt-flush-after=0 --ckpt-sync=none --verify
	check_exit 0 "$engine: the log and a buffered checkpoint are written to one file" \
		write_small both --ckpt-io=buffered --require=$engine --verify
	check_exit 0 "$engine: a paced buffered checkpoint is measured with baselines" \
		buffered --require=$engine --ckpt-every=1s --ckpt-completion=0.5 \
		--baselines --runs=1
	# System calls for the page cache, where strace is available.
	if command -v strace >/dev/null && strace -o /dev/null true 2>/dev/null && [ $engine = threads ]; then
		strace -f -o trace -e trace=sync_file_range,fdatasync ssd-workloads run --mix=custom --log-depth=0 --ckpt-depth=1 \
			--ckpt-bs=8k --ckpt-size=128k --records=0 --trace=off --interval=0 --runtime=200ms --target=data --no-prepare \
			--require=threads --ckpt-io=buffered --ckpt-flush-after=32k >/dev/null 2>&1
		is 'write-back hints cover 32 KiB each without gaps from the beginning of each pass' "$(sed -n \
			's/.*sync_file_range([0-9]*, \([0-9]*\), \([0-9]*\), SYNC_FILE_RANGE_WRITE) *= 0$/\1 \2/p' trace | sort -u | sort -n |
			tr '\n' ' ')" '1048576 32768 1081344 32768 1114112 32768 1146880 32768 '
		# The fourth one: two are of the header, then one before each run. A leak checker fails under strace.
		if [ -z "$sanitizer" ]; then
			check_exit 3 'pages of a run that cannot be written back end the next run with 3' strace -f -o failed \
				-e trace=fdatasync -e inject=fdatasync:error=EIO:when=4 ssd-workloads run --mix=custom \
				--log-depth=0 --ckpt-depth=1 --ckpt-bs=8k --ckpt-size=128k --records=0 --trace=off --interval=0 \
				--runtime=100ms --runs=2 --target=data --no-prepare --require=threads --ckpt-io=buffered \
				--ckpt-sync=none -f failed.xml
			check 'the report says that pages could not be written back' grep -q 'code="io-error"' failed.xml
		fi
	fi
done
# --- in random order, direct and buffered
for io in direct buffered; do
	rm -f data run.rec
	check_exit 0 "a random checkpoint by $io is written and read back" ssd-workloads run --mix=custom --log-depth=1 \
		--log-bs=4k --log-size=64k --ckpt-depth=2 --ckpt-bs=8k --ckpt-size=512k --workers=2 --ckpt-order=random --ckpt-io=$io \
		--trace=off --interval=0 --runtime=200ms --target=data --keep --verify --dump=run.rec -f random-$io.xml
	is "a random checkpoint by $io is reported as random" "$(value random-$io.xml checkpoint_order)" random
	check_exit 0 "verify accepts the target of a random checkpoint by $io" ssd-workloads verify data
	ssd-workloads analyze records run.rec | awk -F , '$6 != 0' >records.csv # without syncs
	is "a random checkpoint by $io writes each block at most once in a pass" \
		"$(awk -F , '$1 == "checkpoint" { n[$2, $4]++; seen[$2, $4, $5]++ }
		END { for (i in n) if (n[i] > 32) bad++; for (i in seen) if (seen[i] > 1) bad++; print bad + 0 }' records.csv)" 0
	check "most writes of a random checkpoint by $io do not follow the block before" \
		awk -F , '$1 == "checkpoint" { n++; near += $5 == last[$2] + 8192
		last[$2] = $5 } END { exit !(n && near < n / 2) }' records.csv
done
if command -v xmllint >/dev/null; then
	for report in *.xml; do
		check "$report is valid by the schema" xmllint --noout --schema "$top_srcdir/docs/memstor-report.xsd" "$report"
	done
fi
tap_done
