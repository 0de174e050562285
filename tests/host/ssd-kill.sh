#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# ssd-workloads run is killed at any moment, in every mix and by every kind of durability: verify finds each write that
# was acknowledged. SSD_KILLS: the number of kills (8).
. "$top_srcdir/tests/lib/tap.sh"
. "$top_srcdir/tests/lib/ssd.sh"
need_direct
target=$work/target
pid=
trap '[ -z "$pid" ] || kill -9 $pid; ssd_cleanup' EXIT

options_of() { # NUMBER
	case $(($1 % 6)) in
	0) echo --mix=M-N --durability=dsync ;;
	1) echo --mix=1-N --durability=fdatasync ;;
	2) echo --mix=M-N --durability=dsync --workers=3 ;;
	3) echo --mix=1-1 --durability=dsync --engine=threads ;;
	4) echo --mix=M-0 --durability=fdatasync --group-commit=4 --workers=2 ;;
	5) echo --mix=1-1 --durability=dsync --rate=2000 ;;
	esac
}

# The moments: 0.2 to 2 s, by a generator of a known seed, so that a failure can be reproduced.
moments=$(awk -v n="${SSD_KILLS:-8}" 'BEGIN { srand(7); while (n--) printf "%.3f ", 0.2 + 1.8 * rand() }')
number=0
for moment in $moments; do
	options=$(options_of $number)
	# shellcheck disable=SC2086 # words
	ssd-workloads run $options --target="$target" --log-size=16m --ckpt-size=32m --runtime=60s --keep >/dev/null 2>"$tmp/run.err" &
	pid=$!
	sleep "$moment"
	kill -9 $pid
	wait $pid 2>/dev/null
	killed=$?
	pid=
	is "$options: the run is killed after $moment s" "$killed $(cat "$tmp/run.err")" '137 '
	ssd_ack_logs=$(ack_log_of "$target")
	status=0
	ssd-workloads verify "$target" >"$tmp/out" 2>"$tmp/err" || status=$?
	if [ -e "$ssd_ack_logs" ]; then
		is "$options, killed after $moment s: no acknowledged write is lost" \
			"$status $(grep -c ' 0 lost$' "$tmp/out")" '0 1'
		echo "# $(cat "$tmp/out" "$tmp/err")"
	else
		# It had acknowledged nothing yet.
		is "$options, killed after $moment s: nothing was acknowledged and nothing is broken" \
			"$status $(grep -c ' 0 lost$' "$tmp/out")" '4 1'
	fi
	number=$((number + 1))
done
# In the trial that comes before the run (its threads are the first): its acknowledged writes are known, too.
ssd-workloads run --mix=M-N --target="$target" --log-size=16m --ckpt-size=32m --runtime=60s --durability=dsync --trace=off --keep \
	>/dev/null 2>"$tmp/run.err" &
pid=$!
for _ in $(seq 600); do
	[ "$(find /proc/$pid/task -maxdepth 1 -mindepth 1 2>/dev/null | wc -l)" -le 1 ] || break
	sleep 0.05
done
sleep 0.1
kill -9 $pid
wait $pid 2>/dev/null
pid=
ssd_ack_logs=$(ack_log_of "$target")
check 'a run killed in its trial keeps its acknowledgement log' test -s "$ssd_ack_logs"
check_exit 0 'a run killed in its trial has lost no acknowledged write' ssd-workloads verify "$target"

check_exit 0 'the next run uses the target of a run killed in its trial' \
	ssd-workloads run --mix=M-N --target="$target" --log-size=16m --ckpt-size=32m --runtime=200ms \
	--verify --keep
check 'the next run leaves no acknowledgement log behind' test ! -e "$ssd_ack_logs"
check_exit 0 'the next run leaves every acknowledged write' ssd-workloads verify "$target"
tap_done
