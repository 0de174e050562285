#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# A recording that lacks most of what the engine was asked for: a program that the kernel does not sample for its user, an engine
# that finds nothing to sample. record, report and analyze say why and end with 4.
. "$top_srcdir/tests/lib/tap.sh"
cd "$tmp" || exit 1
cp "$top_builddir/memtrace/memtrace" "$tmp" || exit 1
PATH=$tmp:$PATH
chmod 755 .
user=
[ "$(id -u)" != 0 ] || user='setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=-all'
mkdir -m 777 out.d

cat >busy.c <<'END_C'
#include <time.h>
static volatile char memory[1 << 20];
int main(void)
{
	for (unsigned i = 0; clock() < CLOCKS_PER_SEC / 2; i++)
		for (unsigned j = 0; j < 100000; j++)
			memory[(i + j) * 4097 % sizeof(memory)]++;
	return 0;
}
END_C
"${CC:-cc}" -O1 -o busy busy.c || exit 1
cp busy unreadable
cp busy caller
chmod 711 unreadable
[ -n "$user" ] || chmod 111 unreadable

$user memtrace record -q -e page-faults -o out.d/none.mtr -- true 2>err || skip_all "$(head -n 1 err)"
said() { sed -n 's/^memtrace: [^ ]*: lacks all samples of \([0-9]*\) program.*/\1/p' "$tmp/err"; }
stopped() { # ENGINE WHAT COMMAND...: record ends with 4 and names one program, and so do the readers
	engine=$1 what=$2
	shift 2
	check_exit 4 "record -e $engine of $what ends with 4" $user memtrace record -q -e "$engine" -o out.d/s.mtr -- "$@"
	is "record -e $engine of $what says that a program was not sampled" "$(said)" 1
	check_exit 4 "report of a recording of $what ends with 4" memtrace report out.d/s.mtr
	check "report of a recording of $what says why" grep -q 'lacks all samples of 1 program .*set-user-ID' "$tmp/err"
}
stopped page-faults 'a program that may not be read' ./unreadable
stopped page-faults 'a shell that starts such a program' sh -c './busy; ./unreadable; ./busy'
check_exit 4 "analyze of a recording without a program ends with 4" memtrace analyze count out.d/s.mtr -f out.xml
check "the verdict of analyze has the reason" grep -q 'code="sampling-stopped"' out.xml
if [ -n "$user" ]; then
	chmod 4755 caller
	stopped page-faults 'a set-user-ID program' ./caller
else
	skip "record of a set-user-ID program ends with 4" "only root can make one"
fi
check_exit 0 "record of a program that may be read ends with 0" $user memtrace record -q -e page-faults -o out.d/s.mtr -- ./busy
check_exit 0 "record of a shell and its programs ends with 0" \
	$user memtrace record -q -e page-faults -o out.d/s.mtr -- sh -c './busy; sh -c "exec ./busy"; (./busy &) ; ./busy'
if $user memtrace record -q -e cpu-clock -o out.d/none.mtr -- true 2>err; then
	stopped cpu-clock 'a program that may not be read' ./unreadable
	check "record -e cpu-clock says how many samples it should have had" \
		grep -q 'lacks [1-9][0-9]* samples, bursts or pages, more than 90 %' "$tmp/err"
	check_exit 0 "record -e cpu-clock of a program that may be read ends with 0" \
		$user memtrace record -q -e cpu-clock -o out.d/s.mtr -- ./busy
else
	skip "record -e cpu-clock of a program that may not be read ends with 4" "$(head -n 1 err)"
fi
# --- one thread of many runs: the one that is drawn is idle nearly each time
cat >many.c <<'END'
#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>
static void *rest(void *data)
{
	for (;;)
		pause();
	return data;
}
int main(void)
{
	volatile long word = 0;
	struct rusage used;
	pthread_t thread;
	for (int i = 0; i < 400; i++)
		if (pthread_create(&thread, NULL, rest, NULL))
			return 3;
	do {
		for (int i = 0; i < 1000000; i++)
			word++;
		getrusage(RUSAGE_SELF, &used);
	} while (used.ru_utime.tv_sec < 1);
	return 0;
}
END
"${CC:-cc}" -O1 -pthread -o many many.c
if $user memtrace record -q -e burst -o out.d/none.mtr -- true 2>err; then
	check_exit 4 "record -e burst of 401 threads, of which one runs, ends with 4" \
		$user memtrace record -q -e burst -F 1000 -o out.d/s.mtr -- ./many
	check "record -e burst says how many bursts it should have had" \
		grep -q 'lacks [1-9][0-9]* samples, bursts or pages, more than 90 %' "$tmp/err"
else
	skip "record -e burst of 401 threads, of which one runs, ends with 4" "$(head -n 1 err)"
fi
# --- what an ordinary user needs
paranoid=$(cat /proc/sys/kernel/perf_event_paranoid)
if [ "$paranoid" -gt 0 ]; then
	check_exit 3 "record -a of an ordinary user ends with 3" $user memtrace record -q -e page-faults -a -d 1ms -o out.d/a.mtr
	check "record -a of an ordinary user names the value and the capability" \
		grep -q "perf_event_paranoid is $paranoid and must be at most 0, .*CAP_PERFMON" "$tmp/err"
else
	skip "record -a of an ordinary user ends with 3" "kernel.perf_event_paranoid is $paranoid"
fi
if [ -n "$user" ] || [ "$(stat -c %u /proc/1)" != "$(id -u)" ]; then
	for engine in page-faults burst; do
		check_exit 3 "record -e $engine -p of another user's process ends with 3" \
			$user memtrace record -q -e $engine -p 1 -d 1ms -o out.d/p.mtr
		check "record -e $engine -p of another user's process names the capability" \
			grep -q 'process 1: Permission denied .*CAP_PERFMON' "$tmp/err"
	done
else
	skip "record -p of another user's process ends with 3" "process 1 is this user's"
fi
check "record that is not permitted leaves no file" test ! -e out.d/a.mtr -a ! -e out.d/p.mtr
tap_done
