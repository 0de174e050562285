#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# memtrace record -e uffd-wp: of a program's known pages those that it writes are found and no others; the program continues
# without write protection when memtrace is killed.
. "$top_srcdir/tests/lib/tap.sh"
cd "$tmp" || exit 1
PATH=$top_builddir/memtrace:$PATH
victim=
trap 'kill -KILL $victim 2>/dev/null; wait; rm -rf "$tmp"' EXIT
memtrace record -q -e uffd-wp -o none.mtr -- true 2>err || {
	echo "1..0 # SKIP $(head -n 1 err)"
	exit
}
cat >write.c <<'END'
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	char *m = mmap(0, 128 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	volatile char sum = 0;
	for (int i = 0; i < 64; i++)
		sum += m[i * 4096];
	usleep(300000);
	for (int i = 0; i < 64; i += 3) /* the last 64 are never touched */
		m[i * 4096] = 1;
	printf("%d %ld\n", (int)getpid(), (long)m);
	fflush(stdout);
	for (usleep(300000); argc > 1; usleep(10000))
		m[0]++;
	return argv == 0;
}
END
"${CC:-cc}" -o write write.c
memtrace record -q -e uffd-wp -o pages.mtr -- ./write >out
read -r _ base <out
memtrace export -o pages.csv pages.mtr
awk -F, -v b="$base" 'NR > 1 && $5 >= b && $5 < b + 128 * 4096 { print ($5 - b) / 4096 }' pages.csv | sort -n >found
seq 0 3 63 >written
check "each page that is written is found once, and no page that is read or never touched" cmp -s found written
memtrace record -q -e uffd-wp -o kill.mtr -- ./write forever >ready &
recorder=$!
while [ ! -s ready ]; do sleep 0.05; done
read -r victim _ <ready
check "memory is protected while it is recorded" grep -q '^VmFlags:.* uw' "/proc/$victim/smaps"
kill -KILL $recorder
wait $recorder 2>/dev/null
sleep 1
check "kill -9 of memtrace: no memory is protected any longer" sh -c "! grep -q '^VmFlags:.* uw' /proc/$victim/smaps"
check "kill -9 of memtrace: the program runs" kill -0 "$victim"
check_exit 2 "record -e uffd-wp --pid is refused" memtrace record -e uffd-wp -p "$victim" -o pid.mtr
tap_done
