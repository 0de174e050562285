#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# --dry-run prints the plan of a run, as in tests/golden/, and runs nothing.
. "$top_srcdir/tests/lib/tap.sh"
cd "$tmp" || exit 1

# golden NAME ARGUMENT...
golden() {
	name=$1
	shift
	check_exit 0 "--dry-run plans: $name" pmbench --dry-run "$@"
	# Pages of 16 or 64 KiB give other counts.
	sed 's/ [0-9]* pages of [0-9]* bytes/ N pages/; s/^\(warm-up *\)[0-9]* accesses per thread, /\1N accesses per thread, /
		s/ about .* in memory (\(.*\)), .* when each/ about TIME in memory (\1), TIME when each/' "$tmp/out" >"$tmp/plan"
	if [ -n "$UPDATE_GOLDEN" ]; then
		cp "$tmp/plan" "$top_srcdir/tests/golden/pmbench-dry-run-$name.txt"
	fi
	check "--dry-run prints the expected plan: $name" diff -u "$top_srcdir/tests/golden/pmbench-dry-run-$name.txt" "$tmp/plan"
}
golden plain -t perfc --seed 1 -m 64 -p uniform 300
golden full -t perfc --seed 18446744073709551615 -m 64 -s 16 -p zipf -e 1.1 --scatter -r 80 -j 3 -c -i -z -o 16 \
	-d 100 -h 5000 --hdr --store-visible --kernel-split --accesses 1000 --interval 2s \
	-f run.xml --json=run.json --label cpu=first --label note='two words' 1.5h
golden processes -t perfc --seed 2 --setsize-list 1,2,3 -m 8 --cpus 0 --membind 0 --warmup 2s --content ratio:25 \
	--phase 10s:hotset,10%,90%,1000 --phase 500ms:linear,3
golden sets -t perfc --seed 6 --setsize-list 40,2048k,1 -c 300
golden touch -t perfc --seed 3 -a touch --map memfd --thp -r 100 -y 0:2 --accesses 5
golden zero-page -t perfc --seed 4 -m 1 -c -r 100 --json 2
set -- -t perfc --seed 5 -m 256 -i --ram 64M --swap zram:1G --eater any=8M@1s-2s -q 5
if pmbench --dry-run "$@" >/dev/null 2>"$tmp/reason"; then
	golden pressure "$@"
else
	skip '--dry-run plans pressure' "$(cat "$tmp/reason")"
fi
check '--dry-run makes no report' test ! -e run.xml -a ! -e run.json

# The call of LKP-tests, options and values run together.
check_exit 0 "--dry-run accepts the options of LKP-tests" pmbench -s64 -m64 -pnormal_ih -j2 -tperfc -c -ahisto -d0 -i -o-1 \
	-q -r80 -h0 300 --dry-run
check '--dry-run prints the share of reads' grep -q '^accesses *80 % reads, a random word' "$tmp/out"
check_exit 0 "--dry-run accepts a shape without effect" pmbench -e1 -puniform -m64 --dry-run 1
check 'an option without effect prints a warning' grep -qx 'pmbench: warning: -e 1 has no effect on the pattern uniform' "$tmp/err"
check_exit 0 "--dry-run accepts -m without -s" pmbench -m 96 --dry-run 1
check '--dry-run prints a set as large as the map for -m without -s' grep -q '^set *96 MiB' "$tmp/out"
check_exit 0 '--dry-run without -m and -s is accepted' pmbench --dry-run 1
check 'without -s the set has 128 MiB as in the original' grep -q '^set *128 MiB' "$tmp/out"
check 'without -m the map has 256 MiB as in the original' grep -q '^map *256 MiB' "$tmp/out"
check_exit 0 "--dry-run accepts -s above 256 without -m" pmbench -s 300 --dry-run 1
check 'a set above 256 MiB enlarges the default map' grep -q '^map *300 MiB' "$tmp/out"
check_exit 0 '-m accepts a share of memory' pmbench -m 1% --dry-run 1
tap_done
