#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# memtrace selfcheck with real engines: lackey's trace is what is known, to the last access; the engines find what is popular;
# pages are paged out to a zram of its own. Nothing is left.
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

if command -v valgrind >/dev/null; then
	check_exit 0 "selfcheck with lackey succeeds" \
		memtrace selfcheck -e page-faults -n 1 -t 20ms -s 1m -p linear -p zipf,1+scatter --json
	is "lackey's trace of the last pattern has each access to each page" \
		"$(rows '(row["engine"], row["samples"], row.get("bias1"), row.get("bias10"), row.get("bias_rest"), row.get("correlation"))' |
			sed 's/.*; //')" "('valgrind lackey', 20000, 1, 1, 1, 1)"
	is "selfcheck has no goal for lackey" "$(rows 'row.get("goal")')" 'False; False; None'
else
	skip "selfcheck with lackey succeeds" 'valgrind is not installed'
fi

for engine in cpu-clock burst; do
	status=0
	memtrace selfcheck -e $engine --no-lackey -n 2 -t 1s -s 64m -p zipf,1+scatter --json >out 2>err || status=$?
	if [ $status = 3 ]; then
		skip "selfcheck -e $engine runs to its end" "$(head -n 1 err)"
		continue
	fi
	# 4: the kernel throttled it.
	check "selfcheck -e $engine runs to its end ($status)" test $status = 0 -o $status = 4
	is "selfcheck -e $engine samples pages, not more of them than samples" \
		"$(rows '0 < row["met"] <= row["samples"] and row["runs"] == 2')" True
	# By chance 0.01.
	check "selfcheck -e $engine finds popular pages ($(rows 'row["recall1"]'))" \
		test "$(rows 'row["samples"] < 100 or row["recall1"] > 0.03')" = True
	is "selfcheck -e $engine: recall, error and correlation are in their ranges" \
		"$(rows '0 <= row["recall1"] <= 1 and 0 <= row["recall10"] <= 1 and 0 <= row["error"] <= 1 and -1 <= row["correlation"] <= 1')" True
done

cp /proc/swaps swaps.before
status=0
with-pressure -q --swap=zram:256m -- memtrace selfcheck -e refault --no-lackey -n 1 -t 2s -s 32m -p zipf,1+scatter --json \
	>out 2>err || status=$?
if [ $status = 3 ] || [ $status = 125 ]; then
	skip "selfcheck -e refault runs to its end" "$(head -n 1 err)"
else
	is "selfcheck -e refault runs to its end" $status 0
	is "selfcheck -e refault has samples of pages" "$(rows 'row["samples"] > 0 and row["met"] > 0')" True
	check "selfcheck -e refault distinguishes popular pages from others ($(rows 'row.get("met_correlation")'))" \
		test "$(rows 'row["met"] < 500 or row["met_correlation"] > 0.1')" = True
	is "selfcheck -e refault leaves no swap switched on" "$(cat /proc/swaps)" "$(cat swaps.before)"
fi

# --- killed while it records
memtrace selfcheck -e page-faults --no-lackey -n 20 -t 2s -s 1m -p uniform --seed $$ >out 2>err &
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
