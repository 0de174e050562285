#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# A run that another process stops and continues is not "ok": its writes took as long as the stop.
. "$top_srcdir/tests/lib/tap.sh"
cd "$tmp" || exit 99
pid=
clean_up() {
	[ -z "$pid" ] || kill -9 "$pid" 2>/dev/null
	tap_cleanup
}
trap clean_up EXIT

ssd-workloads run --mix=1-1 --target=. --log-size=4m --ckpt-size=8m --trace=off --runtime=5s -f r.xml >out 2>err &
pid=$!
tries=200
until [ "$(find "/proc/$pid/task" -mindepth 1 -maxdepth 1 2>/dev/null | wc -l)" -gt 1 ] || [ $((tries -= 1)) -lt 0 ]; do
	sleep 0.05
done
sleep 1.5
kill -STOP $pid
sleep 1.5
kill -CONT $pid
status=0
wait $pid || status=$?
pid=
if grep -q O_DIRECT err; then
	skip_all "$(cat err)"
fi
is 'a stopped run ends with 4' $status 4
check 'the verdict states the time for which the run was stopped' \
	grep -qE '^WARNING: stopped: mix: the run was stopped for about [0-9.]+ s' out
check 'the report is untrustworthy, with the reason' grep -q '<reason code="stopped"' r.xml
tap_done
