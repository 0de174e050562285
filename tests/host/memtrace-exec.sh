#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# memtrace record -e refault, popularity and burst of a program behind launchers, which replace themselves by exec, start it by vfork
# or leave it as a daemon: its pages are sampled as without a launcher.
. "$top_srcdir/tests/lib/tap.sh"
cd "$tmp" || exit 1
PATH=$top_builddir/memtrace:$top_builddir/with-pressure:$PATH
trap 'rm -rf "$tmp"' EXIT

# Touches 2048 pages at random for 2 s, after it has printed the address of the first; each page is accessed several times per
# second, so that a page that was paged out soon comes back.
cat >known.c <<'END_C'
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#define PAGES 2048u
int main(int argc, char **argv)
{
	volatile char *map = mmap(NULL, PAGES * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	FILE *place = argc > 1 ? fopen(argv[1], "w") : NULL;
	struct timespec begun, now;
	unsigned seed = 1;
	if (map == MAP_FAILED || !place)
		return 3;
	madvise((void *)map, PAGES * 4096, MADV_NOHUGEPAGE);
	fprintf(place, "%lu\n", (unsigned long)map);
	fclose(place);
	clock_gettime(CLOCK_MONOTONIC, &begun);
	do {
		for (int i = 0; i < 1000; i++)
			map[(seed = seed * 1103515245 + 12345) / 65536 % PAGES * 4096]++;
		clock_gettime(CLOCK_MONOTONIC, &now);
	} while (now.tv_sec + now.tv_nsec / 1e9 < begun.tv_sec + begun.tv_nsec / 1e9 + 2);
	if (argc > 2)
		remove(argv[2]);
	return 0;
}
END_C
"${CC:-cc}" -O1 -o known known.c
# Runs its arguments as a child of vfork(2), as GNU time and make do.
cat >vforked.c <<'END_C'
#include <sys/wait.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	pid_t child = vfork();
	int status = 1;
	if (!child) {
		usleep(400000);
		execv(argv[1], argv + 1);
		_exit(127);
	}
	waitpid(child, &status, 0);
	return argc < 2 || status != 0;
}
END_C
"${CC:-cc}" -o vforked vforked.c
# As pg_ctl does: the program is the child of a process that has ended, in a session of its own, and the launcher waits for its end.
cat >daemonised <<'END_SH'
: >running
setsid sh -c "sleep 0.05; $* running & exit" </dev/null >/dev/null 2>&1
while [ -e running ]; do sleep 0.1; done
END_SH
numactl=$(command -v numactl) || numactl=
time=/usr/bin/time
[ -x $time ] || time=

sampled() { # ENGINE COMMAND...: into csv the samples of the engine
	engine=$1
	shift
	rm -f place
	status=0
	with-pressure -q --swap=zram:64m -- memtrace record -q -e "$engine" -o out.mtr -- "$@" >out 2>err || status=$?
	[ $status = 0 ] && memtrace export --kind load,store,update,out -o csv out.mtr 2>/dev/null
}

sampled refault ./known place || {
	[ $status = 3 ] || [ $status = 125 ] && skip_all "$(head -n 1 err)"
	cat err
	exit 1
}
# launcher NAME COMMAND...: refault pages out known pages, and no fewer of them than without a launcher by more than half.
pages_out() { awk -F, -v b="$(cat place)" '$4 == "out" && $5 >= b && $5 < b + 2048 * 4096 { n++ } END { print n + 0 }' csv; }
alone=$(pages_out)
check "record -e refault pages out the known pages of a program ($alone)" test "$alone" -ge 1000
launcher() {
	name=$1
	shift
	sampled refault "$@"
	is "record -e refault of a program behind $name ends with 0" $status 0
	through=$(pages_out)
	check "record -e refault pages out the known pages of a program behind $name ($through)" test "$through" -ge $((alone / 2))
}
launcher 'env' env A=b ./known place
launcher 'nice' nice ./known place
launcher 'timeout' timeout 60 ./known place
launcher 'taskset' taskset -c 0 ./known place
launcher 'a shell with exec' sh -c 'sleep 0.4; exec ./known place'
launcher 'a shell that executes another' sh -c 'sleep 0.3; exec sh -c "sleep 0.3; exec nice env ./known place"'
launcher 'vfork' ./vforked ./known place
launcher 'a daemon' sh ./daemonised ./known place
for program in "$numactl --localalloc" "$time"; do
	case $program in /*) launcher "${program%% *}" $program ./known place ;; esac
done
sampled popularity sh -c 'sleep 0.4; exec ./known place'
through=$(pages_out)
check "record -e popularity pages out the known pages of a program behind a shell with exec ($through)" \
	test "$through" -ge $((alone / 2))
updates() { awk -F, -v b="$(cat place)" '$4 != "out" && $5 >= b && $5 < b + 2048 * 4096 { n++ }
	END { print n + 0 }' csv; }
check "record -e popularity has accesses of bursts to the known pages behind a shell with exec ($(updates))" \
	test "$(updates)" -ge 100
for name in 'sh -c sleep${IFS}0.4;exec${IFS}./known${IFS}place' 'sh ./daemonised ./known place' './vforked ./known place'; do
	# shellcheck disable=SC2086 # words
	sampled burst $name
	check "record -e burst has accesses to the known pages: $name ($(updates))" test "$(updates)" -ge 100
done
tap_done
