#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# memtrace record -e refault and -e burst: real paging to a zram of its own, real stepping; signals arrive, and a program whose
# memtrace is killed continues untraced.
. "$top_srcdir/tests/lib/tap.sh"
. "$top_srcdir/tests/lib/program.sh"
cd "$tmp" || exit 1
uniform=$top_builddir/tests/host/page_uniform
hot=$top_builddir/tests/host/hot_array
PATH=$top_builddir/pmbench:$top_builddir/memtrace:$top_builddir/with-pressure:$PATH
victim=
recorder=
trap 'kill -KILL $victim $recorder 2>/dev/null; wait; rm -rf "$tmp"' EXIT

begun() { while [ ! -s "$1" ]; do sleep 0.05; done; }
state_of() { sed -n 's/^State:[[:space:]]*\(.\).*/\1/p' "/proc/$1/status"; }
# untraced PID: within 5 s (stopping takes as long as what the sampler is about to do)
untraced() {
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		! grep -q '^TracerPid:[[:space:]]*0$' "/proc/$1/status" || return 0
		sleep 0.5
	done
	return 1
}

# --- refaults
if [ "$(wc -l </proc/swaps)" -le 1 ]; then
	check_exit 3 "record -e refault without swap ends with 3" memtrace record -e refault -o none.mtr -- true
	is "record -e refault without swap is refused in one line" "$(wc -l <err)" 1
	check "record -e refault without swap names with-pressure as the remedy" grep -q 'with-pressure --swap' err
fi
cp /proc/swaps swaps.before
status=0
with-pressure -q --swap=zram:256m -- memtrace record -e refault -o out.mtr -- "$uniform" 16 3 >out 2>err || status=$?
if [ $status = 3 ] || [ $status = 125 ]; then
	echo "1..0 # SKIP $(head -n 1 err)"
	exit
fi
is "record -e refault of a program that pages succeeds" $status 0
check "a program recorded with refault does its work" grep -q 'accesses$' out
memtrace report out.mtr >report
outs=$(sed -n 's/^refault .* \([0-9]*\) paged out, .*/\1/p' report)
check "the report counts the pages that were paged out ($outs)" test "${outs:-0}" -ge 1000
check "the report says what the pages that came back took" grep -q '^cost  .* pages that were paged out and come back by a page fault' report
memtrace export --kind out,minor,major -o out.csv out.mtr
# Each page that was paged out, and whether the next event of this page is a fault.
awk -F, 'NR > 1 { printf "%.0f,%.0f,%s\n", int($5 / 4096), $1, $4 }' out.csv | sort -t, -k1,1n -k2,2n >events
awk -F, '$3 == "out" { n++; page = $1; next } page == $1 && page { back++; page = 0 } { if ($1 != page) page = 0 }
	END { print n + 0, back + 0 }' events >pairs
read -r outs back <pairs
check "nearly all pages that were paged out come back by a page fault ($back of $outs)" test "$back" -ge $((outs * 8 / 10))
check "pages that were paged out are of anonymous memory" \
	awk -F, '$4 == "out" && $8 !~ /anon|stack|heap|lib|uniform|unknown/ { bad++ } END { exit bad > 0 }' out.csv
# The program accesses its pages equally often, which its pace must not hide.
check_exit 2 "analyze count refuses to order pages that are accessed equally often" memtrace analyze count out.mtr
check "analyze count names why pages have no order" grep -q 'no order of its pages' "$tmp/err"
check_exit 0 "analyze hotset has the working set of pages that were paged out" memtrace analyze hotset out.mtr
check_exit 2 "analyze skew of pages that were drawn uniformly is refused" memtrace analyze skew out.mtr
check_exit 0 "report -o samples of refaults succeeds" memtrace report --noheadings -o samples out.mtr
# Locked pages cannot be paged out.
with-pressure -q --swap=zram:256m -- memtrace record -e refault -o lock.mtr -- pmbench -m 16 -s 3 >out 2>err || :
check "record -e refault samples a program that locks some of its memory" grep -q 'pages were paged out' err
check "record -e refault of a program that locks memory runs to its end" sh -c '! grep -q "ended early" err'
check_exit 4 "record -e refault of a program that has hardly any page ends with 4" \
	with-pressure -q --swap=zram:64m -- memtrace record -q -e refault -o idle.mtr -- sleep 1
check "record -e refault of a program that has hardly any page says what is missing" \
	grep -q 'idle.mtr: lacks [0-9]* samples, bursts or pages, more than 90 %' "$tmp/err"
check_exit 4 "report of such a recording ends with 4" memtrace report idle.mtr
is "record -e refault leaves no swap switched on" "$(sort /proc/swaps)" "$(sort swaps.before)"

# --- bursts
status=0
"$hot" hot.data 16 600 load >ready &
victim=$!
begun ready
memtrace record -e burst -F 40 -d 2s -p $victim -o burst.mtr >out 2>err || status=$?
kill $victim
wait $victim 2>/dev/null
victim=
if [ $status = 3 ]; then
	echo "ok $((tap_count + 1)) # SKIP $(cat err)"
	tap_count=$((tap_count + 1))
	tap_done
	exit
fi
is "record -e burst of a running process succeeds" $status 0
# The second process begins when the sampler has ended.
check_exit 4 "record -e burst ends with 4 when ptrace is denied" python3 "$top_srcdir/tests/lib/deny-ptrace.py" \
	memtrace record -e burst -o denied.mtr -- sh -c '"$0" hot.data 16 1 load; "$0" hot.data 16 1 load; true' "$hot"
check "record -e burst names what may deny ptrace" grep -q 'denied ptrace.*seccomp.*kernel.yama.ptrace_scope' "$tmp/err"
memtrace report --noheadings -o samples,loads,name burst.mtr >groups
check "most samples of bursts are loads from the array of the program" \
	awk '{ all += $1 } $3 ~ /hot.data$/ { hot += $1; loads += $2 }
	END { exit !(hot > 20 && loads == hot && hot > 0.5 * all) }' groups
check_exit 0 "record -e burst of two threads succeeds" memtrace record -q -e burst -o two.mtr -- "$hot" hot.data 16 3 load 2
memtrace report --by thread --noheadings -o samples,id two.mtr >threads
check "record -e burst has samples of both threads" awk '$1 > 20 { n++ } END { exit n < 2 }' threads
# --- the sampling process is killed while it traces nothing
memtrace record -q -e burst -o helper.mtr -- sleep 3 2>err &
recorder=$!
while helper=$(ps -o pid=,comm= --ppid $recorder | awk '$2 == "mt-step" { print $1 }') && [ -z "$helper" ]; do sleep 0.05; done
begun helper.mtr
kill -KILL "$helper"
status=0
wait $recorder || status=$?
recorder=
is "record ends with 4 when the sampling process was killed" $status 4
check "record says that the sampling process was killed" grep -q 'samples by burst was ended by signal 9' err
check_exit 4 "the recording is cut off when the sampling process was killed" memtrace report helper.mtr
# A thread that is about to end refuses to be traced.
cat >short.c <<'END'
#include <pthread.h>
#include <time.h>
static void *spin(void *unused)
{
	for (volatile unsigned n = 0; n < 60000; n++)
		;
	return unused;
}
int main(void)
{
	pthread_t threads[4];
	for (time_t end = time(NULL) + 10; time(NULL) < end;) {
		for (int i = 0; i < 4; i++)
			pthread_create(&threads[i], NULL, spin, NULL);
		for (int i = 0; i < 4; i++)
			pthread_join(threads[i], NULL);
	}
	return 0;
}
END
check "a program of short threads is built" "${CC:-cc}" -O1 -pthread -o short short.c
# More bursts than a slow host can make: 4, but to the end.
status=0
memtrace record -q -e burst -F 5000 -c 64 -o short.mtr -- ./short 2>err || status=$?
check "threads that end between bursts do not end the recording ($status)" sh -c \
	"[ $status = 0 ] || { [ $status = 4 ] && ! grep -v 'engine was asked for' err; }"
# Bursts one after another would leave it no time of its own.
status=0
timeout 100 memtrace record -q -e burst -F 100000 -c 65536 -o greedy.mtr -- "$hot" hot.data 16 1 load >out 2>err || status=$?
is "a program ends also where bursts are asked for without a pause" $status 4
# share RECORDING KEY: percent of the recorded time
share() {
	memtrace report --json "$1" | python3 -c 'import json, sys
cost = json.load(sys.stdin)["cost"]
print(int(100 * sum(cost[name]["ns"] for name in sys.argv[1:]) / cost["recorded_ns"]))' "$2"
}
# Half of the time would go into bursts; the last one has no pause after it.
check_exit 0 "record --overhead 2 succeeds, although most bursts that were asked for are not made" \
	memtrace record -e burst -F 100000 -c 50 --overhead 2% -o bound.mtr -- "$hot" hot.data 16 3 load
bound=$(share bound.mtr 'bursts, in which a thread waits')
check "--overhead 2 bounds the time of bursts ($bound %)" test "$bound" -lt 20

# --- memtrace is killed in the middle of a burst: the program continues
"$uniform" 8 120 >/dev/null &
victim=$!
sleep 0.3
for round in 1 2 3 4 5; do
	rm -f kill.mtr
	memtrace record -q -e burst -c 60000 -p $victim -o kill.mtr &
	recorder=$!
	begun kill.mtr
	while grep -q '^TracerPid:[[:space:]]*0$' /proc/$victim/status; do :; done
	kill -KILL $recorder
	wait $recorder 2>/dev/null
	check "kill -9 of memtrace, $round: the program is not traced any more" untraced $victim
	check "kill -9 of memtrace, $round: the program runs" test "$(state_of $victim)" = R
done
recorder=

# --- what is left of a recording of less than a second
for engine in cpu-clock page-faults burst refault popularity; do
	rm -f early.mtr
	# shellcheck disable=SC2016 # for the inner shell
	with-pressure -q --swap=zram:64m -- sh -c 'memtrace record -q -e $1 -o early.mtr -- "$2" 8 2 >/dev/null & recorder=$!
		while [ ! -s early.mtr ] && kill -0 $recorder; do sleep 0.05; done
		sleep 0.8
		kill -KILL $recorder' sh $engine "$uniform" >/dev/null 2>err
	if [ ! -s early.mtr ]; then
		skip "kill -9 of memtrace within a second leaves samples by $engine" "$(head -n 1 err)"
		continue
	fi
	memtrace report --json early.mtr >early.json 2>err
	early=$(sed -n 's/.*"samples": \([0-9]*\).*/\1/p' early.json | head -n 1)
	check "kill -9 of memtrace within a second leaves samples by $engine (${early:-0})" test "${early:-0}" -gt 0
done

# --- a program that is stopped stays stopped until SIGCONT
env --default-signal=INT memtrace record -q -e burst -p $victim -o stop.mtr &
recorder=$!
begun stop.mtr
sleep 0.5
kill -STOP $victim
sleep 0.5
is "SIGSTOP stops a program that is recorded with bursts" "$(state_of $victim)" T
kill -CONT $victim
sleep 0.3
kill -INT $recorder
wait $recorder
check "SIGCONT continues a program that is recorded with bursts" test "$(state_of $victim)" = R
kill -KILL $victim
wait $victim 2>/dev/null
victim=

# --- every signal arrives: each is sent after the one before was counted, for 1.5 s. The program is in C, because CPython 3.11 may
# lose a signal that arrives while it takes its lock again after write(2), and single-stepping prolongs that moment.
cat >signals.c <<'END'
#include <signal.h>
#include <unistd.h>
static volatile sig_atomic_t count;
static void take(int number)
{
	(void)number;
	count++;
	if (write(1, "x", 1) != 1)
		_exit(1);
}
int main(void)
{
	struct sigaction action = {.sa_handler = take};
	volatile unsigned long work = 0;
	sigaction(SIGUSR1, &action, NULL);
	if (write(1, "r", 1) != 1)
		return 1;
	while (count < 300)
		work = work * 3 + 1;
	return 0;
}
END
"${CC:-cc}" -O1 -o signals signals.c
cat >send.py <<'END'
import os, select, signal, subprocess, time
victim = subprocess.Popen(["./signals"], stdout=subprocess.PIPE, bufsize=0)
victim.stdout.read(1)
recorder = subprocess.Popen(["memtrace", "record", "-q", "-e", "burst", "-F", "200", "-p", str(victim.pid), "-o", "signal.mtr"])
while not os.path.exists("signal.mtr") or not os.path.getsize("signal.mtr"):
    pass
counted = 0
for i in range(300):
    time.sleep(0.005)
    victim.send_signal(signal.SIGUSR1)
    if not select.select([victim.stdout], [], [], 10)[0]:
        victim.kill()
        break
    counted += len(victim.stdout.read(1))
print(counted, victim.wait(30), recorder.wait(30))
END
# Where bursts are asked for faster than this machine makes them, record says so: 4.
is "a program recorded with bursts takes every signal and ends with 0" "$(python3 send.py | sed 's/ 4$/ 0/')" '300 0 0'
memtrace report --noheadings -o samples signal.mtr >groups
check "the recording has samples from the time of the signals" awk '{ all += $1 } END { exit !(all > 100) }' groups
tap_done
