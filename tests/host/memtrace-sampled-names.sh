#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Names with the engines that sample by themselves: each sample of burst, refault and popularity in memory that the program has
# named, or that --range names, has that name, its offset and element, and no other sample has.
. "$top_srcdir/tests/lib/tap.sh"
cd "$tmp" || exit 1
PATH=$top_builddir/memtrace:$top_builddir/with-pressure:$PATH
cat >names.c <<'END'
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#define BASE 0x100000000000ul
#define BYTES 0x400000ul
int main(void)
{
	int fd = open(getenv("MEMTRACE_CONTROL"), O_RDWR), unread = 1;
	volatile uint64_t *memory[3];
	uint64_t state = 88172645463325252ull;
	struct timespec now;
	time_t end;
	for (int i = 0; i < 3; i++) {
		void *wanted = (void *)(BASE + (unsigned)i * 0x1000000ul);
		if (mmap(wanted, BYTES, PROT_READ | PROT_WRITE, MAP_FIXED_NOREPLACE | MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != wanted)
			return 2;
		memory[i] = wanted;
	}
	dprintf(fd, "name first %lx %lx 16\nname second %lx %lx\n", BASE + 0x1000, BASE + BYTES, BASE + 0x1000000,
		BASE + 0x1000000 + BYTES);
	while (!ioctl(fd, FIONREAD, &unread) && unread)
		usleep(1000);
	clock_gettime(CLOCK_MONOTONIC, &now);
	for (end = now.tv_sec + 4; now.tv_sec < end; clock_gettime(CLOCK_MONOTONIC, &now)) {
		for (int i = 0; i < 3000; i++) {
			state ^= state << 13;
			state ^= state >> 7;
			state ^= state << 17;
			memory[i % 3][state % (BYTES / 8)] += state;
		}
	}
	return 0;
}
END
"${CC:-cc}" -O1 -o names names.c
# all_named FILE FIRST SECOND THIRD: a sample or more in each of the three, all of them called so; the first is from its second
# page on, has elements of 16 bytes, and names what nothing else has.
all_named() {
	awk -F, -v first="$2" -v second="$3" -v third="$4" 'NR > 1 {
		at = $5 - 17592186044416
		which = at < 0 || at >= 3 * 16777216 || at % 16777216 >= 4194304 ? 0 : int(at / 16777216) + 1
		name = which == 1 && at < 4096 ? "" : which == 1 ? first : which == 2 ? second : which == 3 ? third : ""
		if (name == "" ? $8 == first || $8 == second : $8 != name) { print; bad++ }
		if (name == "first" && ($9 != at - 4096 || $10 != int((at - 4096) / 16))) { print; bad++ }
		seen[which]++
	} END { print seen[1] + 0, seen[2] + 0, seen[3] + 0; exit bad > 0 || !seen[1] || !seen[2] || !seen[3] }' "$1"
}
names_of() { # ENGINE COMMAND...
	engine=$1
	shift
	status=0
	"$@" memtrace record -q -e "$engine" --control fifo -o "$engine.mtr" -- ./names >out 2>err || status=$?
	if [ $status = 3 ] || [ $status = 125 ]; then
		tap_count=$((tap_count + 1))
		echo "ok $tap_count - $engine # SKIP $(head -n 1 err)"
		return
	fi
	# 4: a busy machine makes fewer pages or bursts than were asked for, and record says so.
	check "record -e $engine succeeds ($status)" sh -c "[ $status = 0 ] || { [ $status = 4 ] && grep -q 'engine was asked for' err; }"
	memtrace export --kind access,load,store,update,minor,major,out -o csv "$engine.mtr"
	check "$engine: each sample has the name that the program gave its memory" all_named csv first second //anon
	memtrace export --kind access,load,store,update,minor,major,out --range third=100002000000-100002400000 \
		--range other=100001000000-100001400000/8 -o csv "$engine.mtr"
	check "$engine: each sample has the name of a --range before that of the program" all_named csv first other third
	memtrace analyze hotset --range third=100002000000-100002400000/8 --json "$engine.mtr" >out
	check "$engine: analyze counts the samples by range and object" \
		sh -c "grep -q '\"in_ranges\": *[1-9]' out && grep -q '\"in_objects\": *[1-9]' out"
}
names_of burst
names_of refault with-pressure -q --swap=zram:256m --
names_of popularity with-pressure -q --swap=zram:256m --
tap_done
