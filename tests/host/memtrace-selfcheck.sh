#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# memtrace selfcheck with real engines: they find what is popular, and burst is not biased; pages are paged out to a zram of its
# own. Nothing is left.
. "$top_srcdir/tests/lib/tap.sh"
. "$top_srcdir/tests/lib/program.sh"
command -v python3 >/dev/null || skip_all 'python3 is not installed, which reads the result'
cd "$tmp" || exit 1
PATH=$top_builddir/memtrace:$top_builddir/with-pressure:$PATH
mkdir empty
TMPDIR=$tmp/empty
export TMPDIR
status=0
memtrace record -q -e page-faults -o probe.mtr -- true 2>err || status=$?
[ $status = 0 ] || skip_all "$(head -n 1 err)"

# rows EXPRESSION: of each row of the table in out
rows() {
	python3 -c 'import json, sys
rows = json.load(open("out")); rows = rows if isinstance(rows, list) else next(iter(rows.values()))
print(*(eval(sys.argv[1]) for row in rows), sep="; ")' "$1"
}

for engine in cpu-clock burst; do
	status=0
	memtrace selfcheck -e $engine --json >out 2>err || status=$?
	if [ $status = 3 ]; then
		skip "selfcheck -e $engine runs to its end" "$(head -n 1 err)"
		continue
	fi
	# 4: the kernel throttled it.
	check "selfcheck -e $engine runs to its end ($status)" test $status = 0 -o $status = 4
	is "selfcheck -e $engine runs it five times" "$(rows 'row["runs"]')" 5
	# By chance 1.
	check "selfcheck -e $engine finds popular pages ($(rows 'row["recall"]') %)" \
		test "$(rows 'row["samples"] < 100 or row["recall"] > 3')" = True
	is "selfcheck -e $engine: shares are percentages, and the error is in its interval" \
		"$(rows '0 <= row["dropped"] + row["recovered"] <= 100 and 0 <= row["recall"] <= 100 and 0 < row["share"] < 100 and (
			row["low"] is None or row["low"] <= row["error"] <= row["high"])')" True
	if [ $engine = burst ]; then
		check "selfcheck -e burst is not biased ($(rows 'row["error"]'))" test "$(rows 'row["accuracy"]')" != biased
	else
		check "selfcheck -e cpu-clock recovers loads that overwrite their register ($(rows 'row["recovered"]') %)" \
			test "$(rows 'row["samples"] < 100 or row["recovered"] > 0')" = True
	fi
done

cp /proc/swaps swaps.before
status=0
with-pressure -q --swap=zram:256m -- memtrace selfcheck -e refault -n 2 -t 1s -s 32m --json \
	>out 2>err || status=$?
if [ $status = 3 ] || [ $status = 125 ]; then
	skip "selfcheck -e refault runs to its end" "$(head -n 1 err)"
else
	is "selfcheck -e refault runs to its end" $status 0
	is "selfcheck -e refault has samples of pages" "$(rows 'row["samples"] > 0')" True
	is "selfcheck -e refault leaves no swap switched on" "$(cat /proc/swaps)" "$(cat swaps.before)"
fi

# --- killed while it records
memtrace selfcheck -e page-faults -n 20 -t 2s -s 1m --seed $$ >out 2>err &
victim=$!
while ! pgrep -P $victim >/dev/null && kill -0 $victim 2>/dev/null; do sleep 0.05; done
sleep 3
kill -KILL $victim
wait $victim 2>/dev/null
# generating: its generator runs, which the seed distinguishes from those of other tests; the pattern does not
# match the command line that it is part of
generating() { pgrep -f "[m]emtrace selfcheck --generate.*--seed $$\$" >/dev/null; }
for _ in 1 2 3 4 5 6 7 8 9 10; do
	generating || break
	sleep 1
done
check "the generator of a killed selfcheck ends by itself" eval '! generating'
is "a killed selfcheck leaves nothing in TMPDIR" "$(ls -A empty)" ''
tap_done
