#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# memtrace record --allocs: samples named by the allocation that they are in, in threads and processes; programs that load no
# library.
. "$top_srcdir/tests/lib/tap.sh"
. "$top_srcdir/tests/lib/program.sh"
cd "$tmp" || exit 1
for options in '--allocs -p 1' '--allocs -a' '--allocs=1' '--allocs=nonsense'; do
	# shellcheck disable=SC2086 # several words
	check_exit 2 "record $options is refused" memtrace record $options -- true
	is "record $options is refused in one line" "$(wc -l <"$tmp/err")" 1
done

cat >target.c <<'END'
#define _GNU_SOURCE
#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#define PAGE 4096
static void touch(volatile char *memory, size_t pages)
{
	for (size_t i = 0; i < pages; i++)
		memory[i * PAGE + PAGE / 2] = 1;
}
__attribute__((noinline)) static char *load_table(void)
{
	char *table = malloc(300 * PAGE);
	return table;
}
__attribute__((noinline)) static char *grow_table(char *table)
{
	table = realloc(table, 700 * PAGE);
	return table;
}
__attribute__((noinline)) static char *map_area(void)
{
	char *area = mmap(NULL, 200 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return area;
}
__attribute__((noinline)) static void *work(void *none)
{
	for (int i = 0; i < 50; i++) {
		char *block = calloc(40, PAGE);
		touch(block, 40);
		free(block);
	}
	return none;
}
int main(void)
{
	pthread_t threads[4];
	char *table, *area, *small;
	prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
	mallopt(M_MMAP_THRESHOLD, 16 * PAGE);
	table = load_table();
	touch(table, 300);
	table = grow_table(table);
	touch(table, 700);
	area = map_area();
	touch(area, 200);
	munmap(area, 200 * PAGE);
	/* Too small to be logged, at an address that had a name. */
	small = mmap(area, 8 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	touch(small, 8);
	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, work, NULL);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	if (!fork()) {
		touch(load_table(), 300);
		_exit(0);
	}
	wait(NULL);
	free(table);
	puts(small == area ? "reused" : "moved");
	return 5;
}
END
"$CC" -g -O1 -pthread target.c -o target 2>/dev/null || skip_all 'no compiler'
status=0
memtrace record -q -e page-faults -o probe.mtr -- true 2>"$tmp/err" || status=$?
if [ $status = 3 ]; then
	echo "ok $((tap_count + 1)) # SKIP $(cat "$tmp/err")"
	tap_count=$((tap_count + 1))
	tap_done
	exit
fi

# samples NAME [RECORDING]: the sum of the samples of groups whose name matches
samples() { memtrace report --noheadings -o samples,name "${2:-allocs.mtr}" | awk -v name="$1" '$0 ~ name { sum += $1 } END { print sum + 0 }'; }

check_exit 5 "record --allocs of a program with threads and a child ends with the program's status" \
	memtrace record -q -e page-faults --allocs -o allocs.mtr -- ./target
reused=$(cat "$tmp/out")
is "record -q --allocs prints nothing on stderr" "$(cat "$tmp/err")" ''
memtrace report allocs.mtr >report
check "report leaves out what memtrace maps into the program, and says so once" \
	sh -c '! grep -q "memfd:\|libmemtrace-allocs" report && [ "$(grep -c "^missing .* of memtrace itself" report)" = 1 ]'
check "report states the share of samples in allocations" grep -Eq '^named .* [1-9][0-9.]* % in allocations' report
if command -v addr2line >/dev/null; then
	line=$(grep -n 'table = malloc' target.c | cut -d: -f1)
	check "report names an allocation by source line and function" grep -q "target.c:$line load_table" report
	how='target.c:[0-9]* '
else
	how='target:'
fi
# The allocator writes to the first page of a block before it is logged.
table=$(samples "${how}load_table")
check "pages of a malloc block are named in both processes ($table of 600)" test "$table" -ge 598 -a "$table" -le 600
table=$(samples "${how}grow_table")
check "pages that realloc added are named by it ($table of 400)" test "$table" -ge 399 -a "$table" -le 401
is "pages of an mmap are named by it" "$(samples "${how}map_area")" 200
blocks=$(samples "${how}work")
check "pages of calloc in four threads are named by it ($blocks of 8000)" test "$blocks" -ge 7800 -a "$blocks" -le 8200
is "report lists one allocation site in both processes" \
	"$(memtrace report --noheadings -o id,name allocs.mtr | awk '/load_table/ { print $1 }' | sort -u | wc -l)" 2
[ "$reused" != reused ] || check "memory mapped again at an unmapped address does not keep the old name" \
	test "$(samples "${how}map_area")" -eq 200
check_exit 0 "analyze count --region of one allocation site succeeds" memtrace analyze count --region '*map_area*' --json allocs.mtr
check "analyze count --region counts the pages of the allocation site" grep -q '"in_allocations": 200' "$tmp/out"
memtrace record -q -e page-faults --allocs=2m -o large.mtr -- ./target >/dev/null 2>&1
is "record --allocs=2m names no allocation below the limit" "$(samples "${how}map_area" large.mtr)" 0
check "record --allocs=2m names an allocation above the limit" test "$(samples "${how}grow_table" large.mtr)" -ge 399

# --- symbols without line numbers, no symbols, and a file that has changed since
"$CC" -O1 -pthread target.c -o named && memtrace record -q -e page-faults --allocs -o named.mtr -- ./named >/dev/null 2>&1
is "without line numbers an allocation is named by function and offset" "$(samples 'named:map_area\+0x[0-9a-f]+$' named.mtr)" 200
"$CC" -O1 -s -pthread target.c -o bare && memtrace record -q -e page-faults --allocs -o bare.mtr -- ./bare >/dev/null 2>&1
check "without symbols an allocation is named by file and offset" test "$(samples 'bare\+0x[0-9a-f]+$' bare.mtr)" -ge 8900
sleep 0.02
touch named
is "a program file newer than the recording gives no function names" "$(samples 'named:map_area' named.mtr)" 0
check "a program file newer than the recording gives names of file and offset" test "$(samples 'named\+0x' named.mtr)" -ge 8900

# --- the names of a program that was started by another
check_exit 5 "record --allocs of a shell that runs a program ends with the program's status" \
	memtrace record -q -e page-faults --allocs -o shell.mtr -- sh -c './target; exit $?'
is "record --allocs names the allocations of a program that a shell runs" "$(samples "${how}map_area" shell.mtr)" 200

# --- functions that allocate for others
cat >wrapped.c <<'END'
#include <stdlib.h>
#include <string.h>
#ifdef __cplusplus
#define ALLOCATE(bytes) new char[bytes]
#else
__attribute__((noinline)) static void *xmalloc(size_t bytes)
{
	void *memory = malloc(bytes);
	if (!memory)
		abort();
	return memory;
}
#define ALLOCATE(bytes) xmalloc(bytes)
#endif
__attribute__((noinline)) static void fill(volatile char *memory, size_t pages)
{
	for (size_t i = 0; i < pages; i++)
		memory[i * 4096 + 2048] = 1;
}
__attribute__((noinline)) static char *make_index(void)
{
	char *memory = (char *)ALLOCATE(300 * 4096);
	fill(memory, 300);
	return memory;
}
__attribute__((noinline)) static char *make_rows(void)
{
	char *memory = (char *)ALLOCATE(500 * 4096);
	fill(memory, 500);
	return memory;
}
int main(void)
{
	return make_index() == make_rows();
}
END
for language in c c++; do
	compiler=$CC
	[ $language = c ] || compiler=${CXX:-c++}
	# shellcheck disable=SC2086 # several words
	if ! $compiler -x $language -g -O2 -fomit-frame-pointer wrapped.c -o wrapped 2>/dev/null; then
		skip "memory of a wrapper is named by its callers: $language" "no compiler"
		continue
	fi
	check_exit 0 "record --allocs of a program with a wrapper succeeds: $language" \
		memtrace record -q -e page-faults --allocs -o wrapped.mtr -- ./wrapped
	# The allocator itself writes to the first page.
	index=$(samples 'make_index' wrapped.mtr) rows=$(samples 'make_rows' wrapped.mtr)
	check "memory of a wrapper is named by its callers: $language ($index of 300, $rows of 500)" \
		test "$index" -ge 298 -a "$index" -le 301 -a "$rows" -ge 498 -a "$rows" -le 501
done

# --- programs that load no library
if "$CC" -g -O1 -static -pthread target.c -o static 2>/dev/null; then
	check_exit 5 "record --allocs of a static program ends with the program's status" \
		memtrace record -q -e page-faults --allocs -o static.mtr -- ./static
	is "record --allocs of a static program warns in one line" \
		"$(cat "$tmp/err")" 'memtrace: warning: --allocs: ./static did not load the library (it is static, set-user-ID or cleared its environment); no allocation is named'
else
	skip "record --allocs of a static program ends with the program's status" 'no static C library'
fi
if [ "$(id -u)" = 0 ] && cp target suid && chown nobody suid && chmod 4755 suid && chmod 755 . &&
	memtrace record -q -e page-faults --allocs -o suid.mtr -- ./suid >/dev/null 2>"$tmp/err"; [ -s "$tmp/err" ]; then
	check "record --allocs of a set-user-ID program warns that it did not load the library" \
		grep -q '^memtrace: warning: --allocs: ./suid did not load the library' "$tmp/err"
fi

# --- a program continues after its recorder is killed
memtrace record -q -e page-faults --allocs -o kill.mtr -- sh -c './target; echo ready >ready; sleep 1; ./target >third' &
recorder=$!
while [ ! -s ready ]; do sleep 0.05; done
kill -KILL $recorder
wait $recorder 2>/dev/null
while [ ! -s third ]; do sleep 0.05; done
is "a program recorded with --allocs continues after its recorder is killed" "$(cat third)" "$reused"
tap_done
