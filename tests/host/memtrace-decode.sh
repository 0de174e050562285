#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The engine cpu-clock's decoder: what it recovers of loads that overwrite the register of their address is right, in programs that
# are executed step by step, and enough to find what a program has accessed.
. "$top_srcdir/tests/lib/tap.sh"
cd "$tmp" || exit 1
host=$top_builddir/tests/host
PATH=$top_builddir/memtrace:$PATH

status=0
memtrace record -q -e cpu-clock -o probe.mtr -- true 2>err || status=$?
if [ $status = 3 ]; then
	echo "1..0 # SKIP $(cat err)"
	exit
fi

# --- no address is wrong, whatever the program
for command in 'sort /etc/services' 'python3 -c pass' 'ls -lR /usr/lib' "$host/page_truth hash 64 0 truth"; do
	check_exit 0 "$command: each recovered address is the one that was accessed" "$host/recover_truth" 150000 $command
	line=$(grep -a '^steps' out)
	check "$command: loads are recovered both ways ($line)" \
		sh -c 'test "$6" -gt 0 && test "$8" -gt 0' sh $line
done

# --- a list and an array by loads that overwrite their register: nearly all samples are there
for kind in list array; do
	check_exit 0 "$kind: record -e cpu-clock succeeds" \
		memtrace record -e cpu-clock -F 2000 -o $kind.mtr -- "$host/page_truth" $kind 1024 1 truth
	check "$kind: recovered samples are counted" grep -q 'samples whose base register was overwritten were recovered' err
	memtrace export -o $kind.csv $kind.mtr
	samples=$(python3 "$top_srcdir/tests/lib/page_accuracy.py" truth $kind.csv | cut -d' ' -f1)
	dropped=$(sed -n 's/.* \([0-9]*\) samples are missing: whose base register was overwritten/\1/p' err)
	check "$kind: few samples are dropped ($samples, ${dropped:-0} dropped)" test $((20 * ${dropped:-0})) -lt "$samples"
done
tap_done
