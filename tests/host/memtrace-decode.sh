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

# --- pointers that are read from memory: what cannot be recovered makes the recording untrustworthy, in one line with the share
check_exit 4 "pointer: record -e cpu-clock ends with 4" \
	memtrace record -e cpu-clock -F 2000 -o pointer.mtr -- "$host/page_truth" pointer 1024 1 truth
check "pointer: the reason is stated once, with the share" \
	test "$(grep -c 'lacks [0-9.e+]* % of the accesses that were sampled, whose base register was overwritten' err)" = 1
check "pointer: it is no second time among the missing ones" sh -c '! grep -q "are missing: whose base register" "$1"' sh err
check_exit 4 "pointer: report ends with 4" memtrace report pointer.mtr
check_exit 4 "pointer: analyze ends with 4" memtrace analyze hotset -f pointer.xml pointer.mtr
check "pointer: the text of analyze has the reason" grep -q '^not trusted .*whose base register was overwritten' out
check "pointer: the verdict of the report has the reason" grep -q 'reason code="accesses-dropped"' pointer.xml

# --- generated code, by the map that its program writes for perf
if command -v node >/dev/null; then
	cat >loads.mjs <<-'END'
		import { writeFileSync } from "node:fs";
		writeFileSync("pid", String(process.pid));
		const count = 1 << 21, values = new Float64Array(count);
		const end = Date.now() + 1000;
		let sum = 0, at = 1;
		while (Date.now() < end)
			for (let i = 0; i < count; i++) {
				at = (at * 1103515245 + 12345) & (count - 1);
				sum += values[at];
			}
		console.log(sum);
	END
	for option in --no-perf-basic-prof --perf-basic-prof; do
		status=0
		memtrace record -e cpu-clock -o node.mtr -- node $option loads.mjs >out 2>err || status=$?
		rm -f "/tmp/perf-$(cat pid).map"
		missing=$(sed -n 's/.* \([0-9]*\) samples are missing: in code without.*/\1/p' err)
		taken=$(sed -n 's/.*: \([0-9]*\) samples by .*/\1/p' err)
		case $option in
		--no*)
			is "node without a map: the recording is not trusted" $status 4
			check "node without a map: for the code without a table" grep -q 'lacks .* %.* in code without a table' err
			;;
		*) check "node with a map: few samples are missing ($taken, ${missing:-0} missing)" test $((10 * ${missing:-0})) -lt "$taken" ;;
		esac
	done
else
	skip "node with a map: few samples are missing" "node is not installed"
fi
tap_done
