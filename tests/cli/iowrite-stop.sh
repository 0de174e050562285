#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# A run that another process stops and continues is not "ok": a write took as long as the stop. Nor is one whose mapping loses
# its file.
. "$top_srcdir/tests/lib/tap.sh"
cd "$tmp" || exit 99
pid=
clean_up() {
	[ -z "$pid" ] || kill -9 "$pid" 2>/dev/null
	tap_cleanup
}
trap clean_up EXIT

# begins FILE: waits until the run has written to FILE, and one second more
begins() {
	tries=400
	until [ -s "$1" ] || [ $((tries -= 1)) -lt 0 ]; do sleep 0.05; done
	sleep 1
}

iowrite-bench run --filename=f --regime=overwrite --runtime=6s --rounds=1 -f r.xml >out 2>err &
pid=$!
begins f
kill -STOP $pid
sleep 1.5
kill -CONT $pid
status=0
wait $pid || status=$?
pid=
is 'run: a stopped run ends with 4' $status 4
check 'run: the verdict states the time for which the run was stopped' \
	grep -qE '^WARNING: stopped: [^ ]+: the run was stopped for about [0-9.]+ s' out
check 'run: the report is untrustworthy, with the reason' grep -q '<reason code="stopped"' r.xml

iowrite-bench run --filename=m --method=mmap --regime=overwrite --runtime=6s --rounds=1 >out 2>err &
pid=$!
begins m
truncate -s 0 m
status=0
wait $pid || status=$?
pid=
# A write fails with SIGBUS, or the check of the file between two passes finds it.
case $status in
3) wanted='was truncated under its mapping' ;;
*) wanted='was changed by another process' ;;
esac
check 'run: a mapped file that is truncated ends the run with 3 or 4' test $status = 3 -o $status = 4
is 'run: a truncated file is one line on stderr' "$(wc -l <err)" 1
check 'run: the line says that the file was truncated or changed' grep -q "$wanted" err
tap_done
