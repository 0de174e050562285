#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Steps that page for real: with a relative swap file in their own folder; and memstor killed in the middle of one
# leaves no swap, cgroup or process, and can be continued.
. "$top_srcdir/tests/lib/paging.sh"
need_host zram
cd "$work" || exit 1
cat >small.suite <<'END'
set seconds 100ms
step file
    run pmbench -m 96 -i -c --ram 48M --swap file:swap,192M $seconds
    needs root cgroup space:192M
    budget 30s
step zram
    run pmbench -m 96 -i -c --ram 48M --swap zram:192M $seconds
    needs root cgroup zram
    budget 30s
END
status=0
memstor run ./small.suite -o one >"$tmp/out" 2>"$tmp/err" || status=$?
check "both steps page (status $status)" test $status = 0 -o $status = 4
sed 's/^/# /' "$tmp/err" "$tmp/out"
for step in file zram; do
	check "the step $step has major faults" test "$(total one/$step/1/report.xml kernel_major_faults)" -gt 0
done
is 'memstor run removes the swap file' "$(find one -name 'swap*')" ''

memstor run ./small.suite --set seconds=60 --step zram --label "token=$token" -o two >"$tmp/out" 2>"$tmp/err" &
front=$!
nothing_runs() { ! job_runs; }
swaps() { [ "$(grep -c zram /proc/swaps)" -gt "$before" ]; }
before=$(grep -c zram /proc/swaps)
check 'the suite pages to swap' within 20 swaps
keep_journal
kill -9 $front
wait $front 2>/dev/null
check 'kill -9 of memstor leaves no process' within 20 nothing_runs
keep_journal
check 'kill -9 of memstor leaves a journal' grep -q '^swap' "$work/journal"
check 'kill -9 of memstor leaves cgroup and swap as before' within 10 is_clean "$work/journal"
status=0
memstor run ./small.suite --set seconds=60 --step zram --label "token=$token" -o two --resume --dry-run >"$tmp/out" 2>&1 || status=$?
is '--resume continues after kill -9 of memstor' "$status" 0
tap_done
