/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is picked of a process, and bursts of it: a child that this process may trace without privileges. */
#include "config.h"
#include "tests/unit/unit.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/sysfs.h"
#include "memtrace/active/burst.h"
#include "memtrace/active/family.h"
#include "memtrace/active/sampler.h"
#include "memtrace/code/instruction.h"

#define PAGE 4096ull
#define PAGES 64ull

struct child {
	pid_t pid;
	char *memory; /* at the same address in both; the even pages are resident in the child */
};

/* It stores to the even pages of memory that only it has, until it is killed. */
static struct child start(void)
{
	struct child child = {.memory = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)};
	int ready[2];
	char byte;

	assert_true(child.memory != MAP_FAILED);
	madvise(child.memory, PAGES * PAGE, MADV_NOHUGEPAGE);
	assert_int_equal(pipe(ready), 0);
	child.pid = fork();
	if (!child.pid) {
		volatile char *memory = child.memory;

		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (unsigned long i = 0;; i += 2) {
			memory[i % PAGES * PAGE + 8] = 1;
			if (i == PAGES && write(ready[1], "r", 1) != 1)
				_exit(1);
		}
	}
	assert_true(child.pid > 0);
	assert_int_equal(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	close(ready[1]);
	return child;
}

static void end(const struct child *child)
{
	int status;

	kill(child->pid, SIGKILL);
	assert_int_equal(waitpid(child->pid, &status, 0), child->pid);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	munmap(child->memory, PAGES * PAGE);
}

TEST("pages that are picked are resident ones of the process, each about as often")
{
	struct child child;
	unsigned picked[PAGES] = {0}, inside = 0;
	struct family_page page;
	struct family *family;
	struct rng rng;

	/* Most pages are the sanitizer's, and an emulator's addresses are not the kernel's. */
	if (unit_is_sanitized() || unit_is_emulated())
		skip();
	child = start();
	rng_seed(&rng, 3, 0);
	assert_int_equal(family_new(child.pid, &family), 0);
	assert_int_equal(family_refresh(family), 0);
	for (unsigned i = 0; i < 20000; i++) {
		uint64_t at;

		assert_int_equal(family_pick_page(family, &rng, &page), 0);
		assert_int_equal(page.pid, child.pid);
		assert_true(family_is_resident(family, &page));
		at = page.address - (uint64_t)(uintptr_t)child.memory;
		if (at < PAGES * PAGE) {
			picked[at / PAGE]++;
			inside++;
		}
	}
	for (unsigned i = 0; i < PAGES; i++) {
		if (i % 2)
			assert_int_equal(picked[i], 0);
		else
			assert_in_range(picked[i], inside / (PAGES / 2) / 2, inside / (PAGES / 2) * 2);
	}
	end(&child);
	assert_int_equal(family_refresh(family), -ESRCH);
	family_free(family);
}

/* Waits until the process has executed sleep(1), which has mappings of its own. */
static void wait_for_exec(pid_t pid)
{
	char path[64], name[32] = "";

	snprintf(path, sizeof(path), "/proc/%d/comm", (int)pid);
	for (unsigned i = 0; i < 5000 && strcmp(name, "sleep\n"); i++) {
		FILE *file = fopen(path, "r");

		if (!file || !fgets(name, sizeof(name), file))
			name[0] = '\0';
		if (file)
			fclose(file);
		usleep(2000);
	}
	assert_string_equal(name, "sleep\n");
	/* The program has touched its memory when it sleeps. */
	usleep(50000);
}

static int exec_on_byte(void *data)
{
	const int *fd = data;
	char byte;

	if (read(*fd, &byte, 1) == 1)
		execlp("sleep", "sleep", "60", (char *)NULL);
	_exit(1);
}

/* A process that executes sleep(1) when a byte arrives; by vfork: as a child that has the memory of its parent until then. */
static pid_t start_exec(bool by_vfork, int *go_fd)
{
	static _Alignas(16) char stack[65536];
	int go[2];
	pid_t pid;

	assert_int_equal(pipe(go), 0);
	pid = fork();
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		close(go[1]);
		if (!by_vfork)
			exec_on_byte(&go[0]);
		clone(exec_on_byte, stack + sizeof(stack), CLONE_VM | CLONE_VFORK | SIGCHLD, &go[0]);
		for (;;)
			pause();
	}
	assert_true(pid > 0);
	close(go[0]);
	*go_fd = go[1];
	return pid;
}

TEST("pages of a program are picked as soon as the process has executed it")
{
	struct family_page page;
	struct family *family;
	struct rng rng;
	int go_fd, err = -ENODATA;
	pid_t pid;

	if (unit_is_sanitized() || unit_is_emulated())
		skip();
	pid = start_exec(false, &go_fd);
	rng_seed(&rng, 3, 0);
	assert_int_equal(family_new(pid, &family), 0);
	assert_int_equal(family_refresh(family), 0);
	assert_int_equal(write(go_fd, "g", 1), 1);
	wait_for_exec(pid);
	for (unsigned i = 0; i < 100 && err; i++)
		err = family_pick_page(family, &rng, &page);
	assert_int_equal(err, 0);
	assert_int_equal(page.pid, pid);
	close(go_fd);
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	family_free(family);
}

TEST("pages of a program that a child of vfork has executed are picked after a refresh")
{
	struct family_page page;
	struct family *family;
	struct rng rng;
	unsigned of_child = 0;
	char path[64], text[32];
	uint64_t child = 0;
	int go_fd;
	pid_t pid;
	FILE *file;

	if (unit_is_sanitized() || unit_is_emulated())
		skip();
	pid = start_exec(true, &go_fd);
	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", (int)pid, (int)pid);
	for (unsigned i = 0; i < 5000; i++) {
		file = fopen(path, "r");
		assert_non_null(file);
		if (fgets(text, sizeof(text), file)) {
			fclose(file);
			break;
		}
		fclose(file);
		usleep(2000);
	}
	assert_non_null(sysfs_scan_u64(text, &child));
	rng_seed(&rng, 3, 0);
	assert_int_equal(family_new(pid, &family), 0);
	assert_int_equal(family_refresh(family), 0);
	assert_int_equal(write(go_fd, "g", 1), 1);
	wait_for_exec((pid_t)child);
	assert_int_equal(family_refresh(family), 0);
	for (unsigned i = 0; i < 10000; i++)
		of_child += !family_pick_page(family, &rng, &page) && page.pid == (pid_t)child;
	assert_true(of_child > 0);
	close(go_fd);
	kill((pid_t)child, SIGKILL);
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	family_free(family);
}

TEST("a process is added once, also when it has lost its parents")
{
	struct child child = start();
	struct family_page page;
	struct family *family;
	struct rng rng;
	unsigned of_child = 0;
	int go_fd;
	pid_t pid;

	if (unit_is_sanitized() || unit_is_emulated()) {
		end(&child);
		skip();
	}
	/* Not its child: of a common parent. */
	pid = start_exec(false, &go_fd);
	rng_seed(&rng, 3, 0);
	assert_int_equal(family_new(pid, &family), 0);
	assert_int_equal(family_refresh(family), 0);
	assert_int_equal(family_add(family, child.pid), 0);
	assert_int_equal(family_add(family, child.pid), 0);
	assert_int_equal(family_refresh(family), 0);
	for (unsigned i = 0; i < 1000; i++)
		of_child += !family_pick_page(family, &rng, &page) && page.pid == child.pid;
	assert_in_range(of_child, 1, 1000);
	close(go_fd);
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	end(&child);
	assert_int_equal(family_refresh(family), -ESRCH);
	family_free(family);
}

TEST("a burst has the accesses of 500 instructions, and the program continues without a tracer")
{
	struct child child = start();
	struct burst burst = {.end_fd = -1};
	unsigned inside = 0;
	int steps;

	if (instruction_why_not() || unit_is_sanitized()) {
		end(&child);
		skip();
	}
	steps = burst_take(&burst, child.pid, 500);
	/* A container may allow no tracing. */
	if (steps == -EPERM) {
		end(&child);
		skip();
	}
	assert_int_equal(steps, 500);
	assert_true(burst.count > 0);
	for (size_t i = 0; i < burst.count; i++) {
		uint64_t at = burst.samples[i].address - (uint64_t)(uintptr_t)child.memory;

		assert_int_equal(burst.samples[i].tid, child.pid);
		if (at >= PAGES * PAGE)
			continue;
		inside++;
		assert_int_equal(at % (2 * PAGE), 8);
		assert_int_equal(burst.samples[i].kind, TRACE_STORE);
	}
	/* A loop of up to some 12 instructions with one such store. */
	assert_in_range(inside, 500 / 12, 500 / 2);
	burst_free(&burst);
	end(&child);
}

TEST("a signal ends a burst and is delivered, and one that stops the program stops it")
{
	struct child child = start();
	struct burst burst = {.end_fd = -1};
	siginfo_t ended;
	int status = 0, steps = instruction_why_not() ? -EPERM : burst_take(&burst, child.pid, 10);

	if (steps == -EPERM) {
		end(&child);
		skip();
	}
	assert_int_equal(kill(child.pid, SIGSTOP), 0);
	assert_int_equal(waitpid(child.pid, &status, WUNTRACED), child.pid);
	assert_true(burst_take(&burst, child.pid, 10) <= 0);
	assert_int_equal(waitpid(child.pid, &status, WUNTRACED | WNOHANG), 0);
	assert_int_equal(kill(child.pid, SIGCONT), 0);
	assert_int_equal(waitpid(child.pid, &status, WCONTINUED), child.pid);
	assert_true(WIFCONTINUED(status));
	assert_int_equal(burst_take(&burst, child.pid, 10), 10);
	assert_int_equal(kill(child.pid, SIGTERM), 0);
	/* Delivered immediately, or by the burst that it ends. */
	burst_take(&burst, child.pid, 100000);
	/* Wait, without reaping it where the burst has not. */
	waitid(P_PID, (id_t)child.pid, &ended, WEXITED | WNOWAIT);
	assert_int_equal(burst_take(&burst, child.pid, 10), -ESRCH);
	burst_free(&burst);
	munmap(child.memory, PAGES * PAGE);
}

TEST("a process that has ended cannot be traced")
{
	struct child child = start();
	struct burst burst = {.end_fd = -1};
	siginfo_t ended;

	if (instruction_why_not()) {
		end(&child);
		skip();
	}
	/* Not reaped, then reaped. */
	assert_int_equal(kill(child.pid, SIGKILL), 0);
	assert_int_equal(waitid(P_PID, (id_t)child.pid, &ended, WEXITED | WNOWAIT), 0);
	assert_int_equal(burst_take(&burst, child.pid, 10), -ESRCH);
	end(&child);
	assert_int_equal(burst_take(&burst, child.pid, 10), -ESRCH);
	burst_free(&burst);
}

TEST("without swap the reason is one line")
{
	const char *why = sampler_pages_why_not("/no/such/root");

	assert_non_null(why);
	assert_null(strchr(why, '\n'));
	assert_non_null(strstr(why, "no swap is active"));
}
