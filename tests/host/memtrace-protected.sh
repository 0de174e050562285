#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# memtrace record -e uffd-wp: what becomes of write-protected memory by fork, exec, exit, threads, munmap, mremap and
# madvise, and of a program whose memtrace, or the process in it that scans, is killed.
. "$top_srcdir/tests/lib/tap.sh"
cd "$tmp" || exit 1
PATH=$top_builddir/memtrace:$PATH
victim='' recorder=''
trap 'kill -KILL $victim $recorder 2>/dev/null; wait; rm -rf "$tmp"' EXIT
memtrace record -q -e uffd-wp -o none.mtr -- true 2>err || {
	echo "1..0 # SKIP $(head -n 1 err)"
	exit
}
# Prints process and address of each write that is to be found: there is a scan between two writes of a page.
cat >lives.c <<'END'
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#define BASE 0x100000000000ul
#define PAGES 64
static char *map(unsigned long which, int flags)
{
	void *wanted = (void *)(BASE + which * 0x1000000);
	if (mmap(wanted, PAGES * 4096, PROT_READ | PROT_WRITE, MAP_FIXED_NOREPLACE | MAP_ANONYMOUS | flags, -1, 0) != wanted)
		exit(2);
	return wanted;
}
static int is_protected(int fd, const char *at)
{
	uint64_t entry = 0;
	return pread(fd, &entry, sizeof(entry), (off_t)((uintptr_t)at / 4096 * sizeof(entry))) == sizeof(entry) && entry >> 57 & 1;
}
static void scanned(const char *at)
{
	int fd = open("/proc/self/pagemap", O_RDONLY);
	for (int i = 0; !is_protected(fd, at); i++) {
		if (i == 6000)
			exit(3);
		usleep(10000);
	}
	close(fd);
}
static void expect(const char *at, int page)
{
	dprintf(1, "%d %lu\n", (int)getpid(), (unsigned long)at + (unsigned long)page * 4096);
}
static void put(char *at, int page)
{
	at[page * 4096]++;
	expect(at, page);
}
static void *work(void *at)
{
	for (int i = 0; i < 5; i++)
		put(at, i);
	return NULL;
}
static int status_of(pid_t child)
{
	int status;
	return waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : 9;
}
static void forks(void)
{
	char *own = map(0, MAP_PRIVATE), *shared = map(1, MAP_SHARED);
	pid_t child;
	for (int i = 0; i < 10; i++)
		put(own, i);
	scanned(own + 9 * 4096);
	shared[0] = 1;
	child = fork();
	if (!child) {
		put(own, 3);
		put(own, 20);
		shared[4096] = 7;
		exit(own[3 * 4096] == 2 && shared[0] == 1 ? 0 : 4);
	}
	if (status_of(child) || own[3 * 4096] != 1 || shared[4096] != 7)
		exit(4);
	put(own, 30);
	scanned(own + 30 * 4096);
}
static void threads(void)
{
	char *own = map(2, MAP_PRIVATE);
	pthread_t thread;
	if (pthread_create(&thread, NULL, work, own) || pthread_join(thread, NULL))
		exit(5);
	scanned(own + 4 * 4096);
	put(own, 2);
	scanned(own + 2 * 4096);
}
static void mappings(void)
{
	char *gone = map(3, MAP_PRIVATE), *dropped = map(4, MAP_PRIVATE), *moved = map(5, MAP_PRIVATE);
	for (int i = 0; i < 6; i++) {
		put(gone, i);
		put(dropped, i);
		put(moved, i);
	}
	scanned(gone + 5 * 4096);
	scanned(dropped + 5 * 4096);
	scanned(moved + 5 * 4096);
	munmap(gone, PAGES * 4096);
	put(map(3, MAP_PRIVATE), 5);
	scanned(gone + 5 * 4096);
	/* Read between: the kernel's page of zeros was not written. */
	if (madvise(dropped, 3 * 4096, MADV_DONTNEED) || dropped[0] || dropped[4096] || dropped[3 * 4096] != 1)
		exit(6);
	put(dropped, 1);
	scanned(dropped + 4096);
	if (mremap(moved, PAGES * 4096, PAGES * 4096, MREMAP_MAYMOVE | MREMAP_FIXED, (void *)(BASE + 6 * 0x1000000)) == MAP_FAILED)
		exit(7);
	moved += 0x1000000;
	for (int i = 0; i < 6; i++)
		expect(moved, i);
	scanned(moved + 5 * 4096);
	if (moved[4096] != 1)
		exit(7);
	put(moved, 1);
	scanned(moved + 4096);
}
static volatile sig_atomic_t is_asked, is_to_execute, is_to_end;
static void on_signal(int number)
{
	is_asked |= number == SIGUSR1;
	is_to_execute |= number == SIGUSR2;
	is_to_end |= number == SIGTERM;
}
static void forever(void)
{
	char *own = map(0, MAP_PRIVATE);
	signal(SIGUSR1, on_signal);
	signal(SIGUSR2, on_signal);
	signal(SIGTERM, on_signal);
	memset(own, 1, PAGES * 4096);
	scanned(own + 63 * 4096);
	dprintf(1, "%d\n", (int)getpid());
	for (; !is_to_end; usleep(10000)) {
		int fd = open("/proc/self/pagemap", O_RDONLY), count = 0;
		for (int i = 0; i < PAGES; i++)
			count += is_protected(fd, own + i * 4096);
		close(fd);
		own[0]++;
		if (is_asked)
			dprintf(1, "%d protected\n", count);
		if (is_to_execute && !fork())
			execlp("grep", "grep", "THP_enabled", "/proc/self/status", (char *)NULL);
		is_asked = is_to_execute = 0;
	}
}
int main(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "forever"))
		return forever(), 0;
	if (argc == 1) {
		forks();
		threads();
		mappings();
		execl("/proc/self/exe", argv[0], "again", (char *)NULL);
		return 8;
	}
	/* Of the program that was there before, nothing is left; this one's last writes are seen when it exits. */
	work(map(2, MAP_PRIVATE));
	return 0;
}
END
"${CC:-cc}" -O1 -pthread -o lives lives.c
# within SECONDS COMMAND...
within() {
	tries=$(($1 * 10))
	shift
	until "$@"; do
		tries=$((tries - 1))
		[ $tries -gt 0 ] || return 1
		sleep 0.1
	done
}

# --- fork, exec, exit, threads, mappings
check_exit 0 "record -e uffd-wp of a program that forks, executes, exits, moves and drops memory succeeds" \
	memtrace record -q -e uffd-wp -o lives.mtr -- ./lives
LC_ALL=C sort "$tmp/out" >written
memtrace export -o lives.csv lives.mtr
awk -F, 'NR > 1 && $5 >= 17592186044416 && $5 < 17592320262144 { printf "%d %.0f\n", $2, $5 }' lives.csv | LC_ALL=C sort >found
# each REGION NAME: the writes found there are those that were made, and as many
each() {
	for list in written found; do
		awk -v r="$1" '$2 >= (n = 17592186044416 + r * 16777216) && $2 < n + 16777216' $list >$list.part
	done
	check "$2" cmp written.part found.part
}
each 0 "after fork parent and child have their own writes, and a copied page is the child's"
check "the program wrote in two processes" test "$(cut -d ' ' -f 1 written | uniq | wc -l)" = 2
each 1 "memory that is shared with a child is not recorded, and works"
each 2 "writes of an ended thread, then of the executed program up to its exit, are found"
each 3 "writes to a new mapping in the place of an unmapped one are found"
each 4 "of pages that madvise has dropped, those written again are found, and those read are not"
each 5 "writes before memory is moved are found"
each 6 "behind mremap all pages are found once, and then those that are written"

# --- kill -9
asked() { kill -USR1 "$victim"; grep -q protected said; }
none_protected() { ! grep -q '^VmFlags:.* uw' "/proc/$victim/smaps"; }
starts() {
	: >said
	memtrace record -q -e uffd-wp -o kill.mtr -- ./lives forever >said 2>err &
	recorder=$!
	within 60 test -s said
	read -r victim <said
	helper=$(ps -o pid=,comm= --ppid $recorder | awk '$2 == "mt-step" { print $1 }')
}
continues() { # WHAT
	check "$1: no memory is protected any longer" within 20 none_protected
	: >said
	check "$1: the program runs" within 20 asked
	is "$1: none of its pages is protected" "$(sed -n '1s/ protected//p' said)" 0
	kill -USR2 "$victim"
	check "$1: a program that it starts may have huge pages" within 20 grep -q '^THP_enabled:.*1' said
}
starts
is "memory is recorded without huge pages" "$(awk '/^THP_enabled/ { print $2 }' /proc/"$victim"/status)" 0
check "the scanning process is memtrace's child" test -n "$helper"
kill -KILL $recorder
wait $recorder 2>/dev/null
recorder=''
continues "kill -9 of memtrace"
kill -KILL "$victim"
check "kill -9 of memtrace ends the scanning process" within 20 sh -c "! kill -0 $helper 2>/dev/null"
check "kill -9 of memtrace: the recording can be read up to there" sh -c 'memtrace report kill.mtr >report 2>&1 || test $? = 4'
starts
kill -KILL "$helper"
continues "kill -9 of the process that scans"
kill -TERM "$victim"
status=0
wait $recorder || status=$?
recorder=''
check "memtrace ends with the program and says that the scanning process was killed" \
	grep -q 'samples by uffd-wp was ended by signal 9' err
is "record ends with 4 when the scanning process was killed" "$status" 4
check_exit 4 "the recording is cut off when the scanning process was killed" memtrace report kill.mtr
tap_done
