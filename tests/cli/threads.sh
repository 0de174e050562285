#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# One brief run of each program with several threads and processes, beside progress output, samples and signals.
# The thread sanitizer (make tsan) checks them here.
. "$top_srcdir/tests/lib/tap.sh"
. "$top_srcdir/tests/lib/report.sh"
. "$top_srcdir/tests/lib/ssd.sh"
cd "$tmp" || exit 1
mkdir target

for how in '-j 4' '-j 2 --processes 2' '-j 2 --hdr' '-j 2 --map shared --content random' '-j 2 -p zipf --scatter'; do
	# shellcheck disable=SC2086 # several words
	check_run "pmbench $how: runs with a series" pmbench -q -m 2 -c $how --interval 50ms -f r.xml 150ms
	lawful "pmbench $how" r.xml
done
check_run 'pmbench: two phases of three threads run' pmbench -q -m 1 -j 3 --phase 60ms:uniform --phase 60ms:linear -f r.xml
is 'pmbench: the report has both phases' "$(grep -c '<phase ' r.xml)" 2

for regime in append prealloc,overwrite; do
	check_exit 0 "iowrite-bench: three threads with a series, $regime" iowrite-bench run --directory=target --numjobs=3 --size=256k \
		--rounds=2 --interval=10ms --regime=$regime --method=pwrite,mmap -f r.xml
	check "iowrite-bench: three threads with a series, $regime: the report is valid" \
		xmllint --noout --schema "$top_srcdir/docs/memstor-report.xsd" r.xml
done
check_exit 0 'iowrite-bench: two threads with a warm-up and time to think' iowrite-bench run --directory=target --numjobs=2 --bs=64k \
	--runtime=100ms --warmup=50ms --rounds=1 --thinktime=1ms -f r.xml

# Where no write of the log is durable within the 100 ms of the run, the run says so and ends with 4.
has_run() { write_small "$@" || [ $? = 4 ]; }
if write_small "$work/try" >out 2>why || [ $? = 4 ]; then
	for engine in '' --engine=threads; do
		# shellcheck disable=SC2086 # no word, or one
		check "ssd-workloads $engine: two streams with a series" has_run "$work/file" $engine --workers=2 --interval=20ms \
			--durability=fdatasync --verify -f r.xml
		check "ssd-workloads $engine: two streams with a series: the report is valid" \
			xmllint --noout --schema "$top_srcdir/docs/memstor-report.xsd" r.xml
	done
else
	skip 'ssd-workloads: two streams with a series' "$(head -n 1 why)"
fi
tap_done
