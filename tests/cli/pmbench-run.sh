#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# What holds for each run, whatever it measures: the sums, the requested counts, the lines of the original. The
# runs need no root and no paging; tests/cli/pmbench-run-nobody.sh runs pmbench without privileges.
. "$top_srcdir/tests/lib/tap.sh"
. "$top_srcdir/tests/lib/report.sh"
cd "$tmp" || exit 1
case $(uname -m) in
x86_64) timers='rdtscp rdtscp-unfenced rdtsc perfc' ;;
aarch64) timers='cntvct perfc' ;;
*) timers='perfc' ;;
esac

# The pages that a sanitizer touches count for the program: its runs do not check exact counts.
exactly() { # exactly TEST DESCRIPTION ...
	if [ -n "${sanitizer:-}" ]; then
		skip "$2" "the sanitizer's own faults count, too"
	else
		"$@"
	fi
}

# runs WHAT ARGUMENT...: quietly, to r.xml, which is lawful
runs() {
	what=$1
	shift
	rm -f r.xml
	check_run "pmbench with $what runs" pmbench -q -f r.xml "$@"
	lawful "pmbench with $what" r.xml
}
accesses() { total r.xml details_samples; }
says() { check "$1" grep -qE "$2" out; }

# --- the original's text, as LKP-tests reads it
check_run "a run as LKP-tests starts it" pmbench -s4 -m4 -puniform -j1 -tperfc -ahisto -d0 -i -o-1 -r50 -h0 -f r.xml 1
cp "$tmp/out" text
line() { check "$1" grep -qE "$2" text; }
line "the text of the original has the line of the latency" '^  Page latency during benchmark \(inc\. gen\): [0-9]+\.[0-9]{4} us \([0-9]+ clks\)$'
line "the text of the original has the line of the end" '^\[1\] Benchmark done - took [0-9]+\.[0-9]{3} sec for [0-9]+ page access$'
line "the text of the original has the line of the initialisation" '^Initialization took [0-9]+\.[0-9]{4} ms$'
for what in Read Write; do
	sed -n "/^$what:\$/,/^Total samples/p" text >part
	is "$what: the original's histogram has one bucket below 2^8 ns" "$(grep -cE '^2\^\(00,08\) ns: [0-9]+$' part)" 1
	is "$what: the original's histogram has fifteen doublings in sixteen parts" \
		"$(grep -cE '^2\^\([0-9]{2},[0-9]{2}\) ns: [0-9]+  \[([0-9]+, ){15}[0-9]+\]$' part)" 15
	is "$what: the original's histogram has seven doublings as a whole" \
		"$(grep -cE '^2\^\(2[3-9],[0-9]{2}\) ns: [0-9]+$' part)" 7
	is "$what: the original's histogram has one bucket of 2^30 ns and more" "$(grep -cE '^2\^\(30,32\) ns: [0-9]+$' part)" 1
	is "$what: the original's histogram adds up to its accesses" \
		"$(awk '/^2\^/ { sum += $3 } END { printf "%.0f\n", sum }' part)" \
		"$(sed -n 's/^Total samples: //p' part)"
done
is "the original's histograms of reads and writes add up to the accesses" \
	"$(awk '/^Total samples: / { sum += $3 } END { printf "%.0f\n", sum }' text)" "$(accesses)"
is 'the text of the original has as many accesses as the report' \
	"$(sed -n 's/^\[1\] Benchmark done .* for \([0-9]*\) page access$/\1/p' text)" "$(accesses)"
lawful "a run as LKP-tests starts it" r.xml

# --- numbers of accesses, threads and processes
for jobs in 1 3; do
	runs "$jobs threads" -m 1 --accesses 10007 -j $jobs
	is "$jobs threads: each thread makes the accesses of --accesses" "$(values r.xml details_samples | tr '\n' ' ')" \
		"$(yes 10007 | head -n $jobs | tr '\n' ' ')"
done
runs "two processes of two threads" -m 1 --accesses 5003 --processes 2 -j 2
is 'two processes of two threads make the accesses of all four' "$(accesses)" 20012
is 'two processes of two threads are named by process in the report' "$(values r.xml process | tr '\n' ' ')" '0 0 1 1 '
# Each process maps its own set: read while they run.
if [ -z "${sanitizer:-}" ]; then
	pmbench -f r.xml --setsize-list 1,24 -c -i --accesses 1000000000 30 >out 2>err &
	coordinator=$!
	until grep -q 'Starting main' out || ! kill -0 $coordinator 2>/dev/null; do sleep 0.05; done
	job=$(pgrep -P $coordinator)
	for worker in $(pgrep -P "$job"); do
		sed -n 's/^RssAnon:[^0-9]*\([0-9]*\) kB/\1/p' "/proc/$worker/status"
	done | sort -n >resident
	kill $coordinator
	finish $coordinator
	is '--setsize-list of two sizes starts two processes' "$(wc -l <resident)" 2
	check 'the process with the smaller set has the smaller map' test "$(head -n 1 resident)" -lt 16384
	check 'the process with the larger set has the larger map' test "$(tail -n 1 resident)" -ge 24576
	is "maps of two sizes: the report names the largest" "$(values r.xml map_bytes)" 25165824
	is 'maps of two sizes: the report names the map of the first process' "$(values r.xml mapsize)" 1
	lawful "maps of two sizes" r.xml
fi
runs "sets of three sizes" -m 1 --setsize-list 4k,512k,1024k --accesses 100 -i
is '--setsize-list of three sizes gives each process its set' "$(values r.xml set_bytes | tr '\n' ' ')" '4096 524288 1048576 '
runs "two phases" -m 1 --phase 200ms:uniform --phase 200ms:linear -j 2
is 'two phases are both in the report' "$(grep -c '<phase ' r.xml)" 2
is 'each of two phases has accesses' "$(sed -n '/<phase /,/<.phase>/p' r.xml | grep -c '<accesses>0<')" 0
runs "--accesses before the duration's end" -m 1 --accesses 1000 100
is '--accesses ends the run before its duration' "$(accesses)" 1000

# --- the same seed
# A page faults when it is first touched: the number of faults depends on the draws alone. Other paging on this host
# can only add faults to a run: of three pairs of runs one must agree.
faults() {
	pmbench -q -c -m 4 -r 0 --accesses 700 -p "$@" -f r.xml >out 2>err
	total r.xml kernel_minor_faults
}
twice() { # PATTERN SEED: sets first and again
	for _ in 1 2 3; do
		first=$(faults "$1" --seed "$2")
		again=$(faults "$1" --seed "$2")
		[ "$first" != "$again" ] || break
	done
}
for pattern in zipf,1.1 hotset,10%,90%,3 uniform; do
	twice $pattern 5
	exactly is "$pattern: two runs of one seed touch the same number of pages" "$again" "$first"
	exactly check "$pattern: not all pages are touched" test "$first" -gt 0 -a "$first" -lt 700
done
of_five=$first
twice uniform 6
exactly check "uniform: another seed touches another number of pages" test "$first" -ne "$of_five"
twice linear 5
exactly is "linear: each access touches another page" "$first" 700
runs "--seed" -m 1 --accesses 2000 --seed 18446744073709551615
is 'the seed is in the report' "$(values r.xml seed)" 18446744073709551615
by_direction() { sed -n '/<latency_histogram type="read" class="all"/,/<count>/s/ *<count>\(.*\)<.*/\1/p' r.xml; }
first=$(by_direction)
runs "the same --seed" -m 1 --accesses 2000 --seed 18446744073709551615
is 'the same seed makes as many reads again' "$(by_direction)" "$first"

# --- options of accesses
for ratio in 0 100; do
	[ $ratio = 0 ] && other="read" || other="write"
	runs "-r $ratio" -r $ratio -m 1 --accesses 1000
	is "-r $ratio leaves out the histogram of ${other}s" "$(grep -c "istogram type=\"$other\"" r.xml)" 0
	is "-r $ratio leaves the ${other}s out of the text" "$(grep -ciE "^$other:?s?\$" out)" 0
done
for timer in $timers; do
	runs "-t $timer" -t "$timer" -m 1 --accesses 3000
	is "-t $timer is named in the report" "$(values r.xml tsops)" "$timer"
done
runs "--store-visible" --store-visible -m 1 --accesses 3000
runs "--hdr" --hdr -m 1 -j 2 --accesses 3000
check '--hdr writes fine histograms' grep -q 'class="hit" layout="hdr"' r.xml
runs "option -z" -z -r 0 -m 1 --accesses 3000
runs "option -o" -o 17 -m 1 --accesses 3000
runs "--classify none" --classify none -m 1 --accesses 3000
is '--classify none writes no histograms of classes' "$(grep -c 'class="hit"' r.xml)" 0
runs "-a touch" -a touch -m 1 --accesses 3000
is '-a touch counts its accesses' "$(accesses)" 3000
is '-a touch writes no histogram' "$(grep -cE '<(latency_)?histogram' r.xml)" 0
runs "--scatter" --scatter -p zipf -m 1 --accesses 3000

# 1000 waits of 1,000,000 ticks last at least 0.25 s on a clock of up to 4 GHz.
run_ns() { values r.xml run_ns; }
runs "option -d" -d 1000000 -m 1 --accesses 1000
check "-d: the run takes at least the time of its waits" test "$(run_ns)" -gt 250000000

# --- memory
for kind in anon shared memfd "file:$tmp/map"; do
	runs "--map ${kind%%:*}" --map "$kind" -m 1 -i --accesses 3000
done
check '--map file removes the file that it made' test ! -e map
head -c 1048576 /dev/zero >existing
runs "--map file: an existing one" --map "file:$tmp/existing" -r 100 -m 1 --accesses 3000
check '--map file with -r 100 leaves an existing file as it was' sh -c "head -c 1048576 /dev/zero | cmp - existing"
for content in none zero ptr random ratio:0 ratio:37 ratio:100; do
	runs "--content $content" --content $content -m 1 --accesses 3000
done
runs "--thp" --thp -m 8 -i --accesses 3000

# --- sizes
for pattern in uniform normal normal_ih linear pareto zipf hotset,10%,90%,5; do
	runs "$pattern over one page" -p $pattern -m 4k --accesses 1000 -c -i
done
runs "an odd size" -m 5000k --accesses 1000
is 'an odd size of the map is kept' "$(values r.xml map_bytes) $(values r.xml set_bytes)" '5120000 5120000'
is "an odd size: the original's line rounds down" "$(sed -n 's/^  mapsize_mib  = //p' out)" 4

# --- the warm-up: printed before it begins, and ended by its limit
check_run "pmbench runs with a limit of the warm-up" pmbench -m 64 -p zipf --warmup-limit 1ms -f r.xml 100ms
check "pmbench prints the warm-up and its limit before it begins" awk '/^\[1\] Performing [0-9]* page accesses for warmup$/ { said = NR }
	/^The warmup ends after 1 ms at the latest/ { limit = NR } /^\[1\] Warmup done/ { done = NR }
	END { exit !(said && said < limit && limit < done) }' "$tmp/out"
check "the report notes a warm-up that its limit ended" grep -q '<check code="warm-up-cut"' r.xml
is "the report has the limit of the warm-up" "$(sed -n 's|.*<option name="warmup-limit">\(.*\)</option>|\1|p' r.xml)" 1000000ns

# --- the short text
check_run "pmbench --brief runs" pmbench --brief -m 4 200ms
check '--brief prints rates, classes and the verdict' \
	awk '/^Accesses  *: / { a = 1 } /^  all  *[1-9]/ { b = 1 } /^Result  *: / { c = 1 }
	END { exit !(a && b && c && NR < 30) }' "$tmp/out"
check "--brief prints nothing of the long text" sh -c '! grep -q "Benchmark signature\|Benchmark done" "$0"' "$tmp/out"

# --- a replay
runs "many options" -m 3 -s 2 -p zipf,1.3 --scatter -r 70 -j 2 -c -z --hdr --content ratio:20 --seed 9 \
	-o 3 --accesses 500 --interval 1s --label 'a=b c'
mv r.xml first.xml
options() { sed -n '/<options>/,/<\/options>/p' "$1"; }
runs "--replay of many options" --replay first.xml
options first.xml >first
check 'a replay has the options of its report' sh -c 'sed -n "/<options>/,/<\/options>/p" r.xml | diff first -'
is 'a replay has the seed of its report' "$(values r.xml seed)" 9
is 'a replay makes as many accesses as its report' "$(accesses)" 1000

# --- on an idle machine every fault that the kernel counts is classified
for how in '-j 1' '-j 3' '--processes 2 -j 2' '--hdr -j 2'; do
	# shellcheck disable=SC2086 # several words
	runs "$how, classes" $how -c -m 8 200ms
	exactly is "$how: every fault is classified exactly" "$(total r.xml total_inexact_faults)" 0
	exactly says "$how: the text says that every fault is classified exactly" '^Classification: exact, all [1-9][0-9]* faults that the kernel counted$'
done

# The window has no faults of its own, even with cold code: the page is filled, and there is no warm-up.
if [ -z "${sanitizer:-}" ]; then
	for pattern in uniform zipf; do
		for _ in 1 2 3 4; do
			pmbench -m 4k -c -i -p $pattern --accesses 1000
		done >out
		# One of the runs may access a page that the kernel moves.
		check "a run without faults with $pattern prints an exact classification of 0 faults" \
			test "$(grep -c '^Classification: exact, all 0 faults' out)" -ge 3
	done
fi
tap_done
