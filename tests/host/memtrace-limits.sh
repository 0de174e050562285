#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# memtrace record at the limits of a machine: 4096 threads, 100 GiB of mappings, set-user-ID programs.
. "$top_srcdir/tests/lib/tap.sh"
. "$top_srcdir/tests/lib/program.sh"
cd "$tmp" || exit 1
PATH=$top_builddir/memtrace:$PATH
victim=
trap 'kill -KILL $victim 2>/dev/null; rm -rf "$tmp"' EXIT
status=0
memtrace record -q -e cpu-clock -o probe.mtr -- true 2>err || status=$?
if [ $status = 3 ] || [ "$(id -u)" != 0 ]; then
	echo "1..0 # SKIP $(cat err; [ "$(id -u)" = 0 ] || echo 'needs root')"
	exit
fi

# --- many threads: all sleep but the first, until their standard input ends
cat >threads.c <<'E'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static volatile int is_over;
static void *wait_end(void *words)
{
	while (!is_over) {
		((volatile char *)words)[0]++;
		usleep(200000);
	}
	return NULL;
}
int main(int argc, char **argv)
{
	int count = atoi(argv[argc - 1]), made = 0;
	pthread_t *threads = calloc(count, sizeof(*threads));
	char *words = calloc(count, 4096);
	pthread_attr_t small;
	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 65536);
	while (made < count && !pthread_create(&threads[made], &small, wait_end, words + 4096l * made))
		made++;
	printf("%d\n", made);
	fflush(stdout);
	/* As many steps as take some seconds. */
	for (volatile unsigned long i = 0; i < 1500000000; i++)
		;
	is_over = 1;
	for (int i = 0; i < made; i++)
		pthread_join(threads[i], NULL);
	return made != count;
}
E
check "a program of many threads is built" "${CC:-cc}" -O1 -pthread -o threads threads.c
for engine in cpu-clock page-faults burst; do
	status=0
	memtrace record -e $engine -o threads.mtr -- ./threads 4096 >out 2>err || status=$?
	check "record -e $engine of 4096 threads runs to its end ($status)" sh -c "[ $status = 0 ] || [ $status = 4 ]"
	is "record -e $engine of 4096 threads leaves the program its threads" "$(cat out)" 4096
	# A burst is of a thread drawn from all, and nearly all of them sleep: how many were drawn is what does not depend on chance.
	if [ $engine = burst ]; then
		drawn=$(sed -n 's/.* in \([0-9]*\) bursts; \([0-9]*\) times the chosen thread did not run$/\1 \2/p' err |
			awk '{ print $1 + $2 }')
		check "record -e burst of 4096 threads draws threads ($drawn)" test "${drawn:-0}" -gt 0
	else
		check "record -e $engine of 4096 threads has samples" test "$(memtrace report --json threads.mtr |
			sed -n 's/.*"samples": \([0-9]*\).*/\1/p' | head -n 1)" -gt 0
	fi
done
memtrace record -q -e page-faults -o threads.mtr -- ./threads 4096 >out 2>err
memtrace report --by thread --noheadings -o samples threads.mtr >groups
check "record -e page-faults has samples of each of 4096 threads ($(wc -l <groups))" test "$(wc -l <groups)" -ge 4096
./threads 1000 >made &
victim=$!
while [ ! -s made ]; do sleep 0.05; done
# Both limits: memtrace raises the soft one to the hard one.
status=0
prlimit --nofile=500 memtrace record -q -e page-faults -p $victim -d 1s -o pid.mtr 2>err || status=$?
is "record -p without descriptors for all threads ends with 3" $status 3
check "record -p without descriptors for all threads says how many it needs" \
	grep -q '^memtrace: perf events: 1001 threads need some [0-9]* descriptors; raise ulimit -n$' err
kill -KILL $victim
wait $victim 2>/dev/null
victim=

# --- 100 GiB of which every 4096th part has one page
cat >large.py <<'E'
import mmap
area = mmap.mmap(-1, 100 << 30, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x4000)
area.madvise(mmap.MADV_NOHUGEPAGE)
for _ in range(500):
    for place in range(0, 100 << 30, 25 << 20):
        area[place] = 1
E
for engine in cpu-clock page-faults burst; do
	status=0
	memtrace record -q -e $engine -o large.mtr -- python3 large.py 2>err || status=$?
	check "record -e $engine of 100 GiB runs to its end ($status)" sh -c "[ $status = 0 ] || [ $status = 4 ]"
	for analysis in pattern count hotset skew; do
		status=0
		memtrace analyze $analysis large.mtr >out 2>err || status=$?
		check "analyze $analysis of 100 GiB by $engine succeeds ($status)" sh -c "[ $status = 0 ] || [ $status = 4 ]"
	done
done
memtrace record -q -e page-faults -o large.mtr -- python3 large.py
memtrace report --noheadings -o samples,name large.mtr >groups
check "record -e page-faults has each page of 100 GiB that is accessed" awk '$2 == "//anon" { n += $1 } END { exit n < 4096 }' groups

# --- an ordinary user: set-user-ID programs, which no engine may sample, and those after them
mkdir user
chown 65534:65534 user
chmod 711 "$tmp"
cat >spin.c <<'E'
#include <time.h>
int main(void)
{
	volatile char area[65536];
	for (time_t end = time(0) + 3; time(0) < end;)
		for (unsigned i = 0; i < 1000000; i++)
			area[i % 65536]++;
	return 0;
}
E
check "a program is built" "${CC:-cc}" -O1 -o spin spin.c
cp spin setuid
chmod 4755 setuid
cp "$(command -v memtrace)" ordinary
chmod 755 ordinary
ordinary() { (cd user && exec setpriv --reuid=65534 --regid=65534 --clear-groups "$@"); }
for engine in cpu-clock page-faults burst; do
	check_exit 4 "record -e $engine of a set-user-ID program ends with 4" \
		ordinary ../ordinary record -q -e $engine -o setuid.mtr -- sh -c '../setuid; ../spin'
	check "record -e $engine says that a program is not sampled, and no more" \
		sh -c "grep -q 'lacks all samples of 1 program .*set-user-ID' '$tmp/err' && ! grep -q 'ended early' '$tmp/err'"
	memtrace report --json user/setuid.mtr >json 2>err
	check "record -e $engine of a set-user-ID program has samples of the next one" \
		test "$(sed -n 's/.*"samples": \([0-9]*\).*/\1/p' json | head -n 1)" -gt 0
done
for engine in cpu-clock page-faults burst; do
	status=0
	ordinary prlimit --memlock=0 ../ordinary record -q -e $engine -o locked.mtr -- ../spin 2>err || status=$?
	check "record -e $engine uses what kernel.perf_event_mlock_kb permits, and no more ($status)" sh -c "[ $status = 0 ] ||
		[ $status = 4 ] || grep -q 'ulimit -l or kernel.perf_event_mlock_kb' err"
done
tap_done
