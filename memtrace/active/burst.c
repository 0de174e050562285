/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "memtrace/active/burst.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/arena.h"
#include "common/base/clock.h"
#include "common/base/sysfs.h"
#include "memtrace/code/instruction.h"

void burst_free(struct burst *burst)
{
	free(burst->samples);
	*burst = (struct burst){0};
}

/* Tries it with a child that traces another child, as the process that makes the bursts will trace the command. */
const char *burst_why_not(void)
{
	pid_t traced = fork(), tracer;
	int status = 0;

	if (!traced) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			pause();
	}
	tracer = traced < 0 ? -1 : fork();
	if (!tracer)
		_exit(ptrace(PTRACE_SEIZE, traced, NULL, NULL) ? 1 : 0);
	while (tracer > 0 && waitpid(tracer, &status, 0) < 0 && errno == EINTR)
		;
	if (traced > 0)
		kill(traced, SIGKILL);
	while (traced > 0 && waitpid(traced, NULL, 0) < 0 && errno == EINTR)
		;
	if (tracer < 0)
		return "cannot start a process";
	return status ? "ptrace is denied (by a seccomp filter, or kernel.yama.ptrace_scope)" : NULL;
}

#ifdef HAVE_ZYDIS

#define CODE_PAGE 4096ull
#define CODE_SLOTS 16
#define STEPS_UNSEEN 32 /* steps between two checks whether to end */
/* The kernel's internal errors -ERESTARTSYS to -ERESTART_RESTARTBLOCK: an interrupted system call that will be entered again. */
#define RESTART_FIRST 512
#define RESTART_LAST 516

/* Pages of code that this burst has read. */
struct code {
	uint64_t addresses[CODE_SLOTS]; /* 1 = none */
	uint8_t bytes[CODE_SLOTS][CODE_PAGE];
};

static const uint8_t *code_page(struct code *code, pid_t tid, uint64_t page)
{
	size_t slot = page / CODE_PAGE % CODE_SLOTS;
	struct iovec here = {code->bytes[slot], CODE_PAGE}, there = {(void *)(uintptr_t)page, CODE_PAGE};

	if (code->addresses[slot] != page) {
		code->addresses[slot] = 1;
		if (process_vm_readv(tid, &here, 1, &there, 1, 0) != (ssize_t)CODE_PAGE)
			return NULL;
		code->addresses[slot] = page;
	}
	return code->bytes[slot];
}

/* Returns the number of bytes, at most INSTRUCTION_MAX. */
static size_t read_code(struct code *code, pid_t tid, uint64_t address, uint8_t *bytes)
{
	uint64_t offset = address % CODE_PAGE;
	size_t first = CODE_PAGE - offset < INSTRUCTION_MAX ? CODE_PAGE - offset : INSTRUCTION_MAX;
	const uint8_t *page = code_page(code, tid, address - offset);

	if (!page)
		return 0;
	memcpy(bytes, page + offset, first);
	if (first == INSTRUCTION_MAX)
		return first;
	page = code_page(code, tid, address - offset + CODE_PAGE);
	if (!page)
		return first;
	memcpy(bytes + first, page, INSTRUCTION_MAX - first);
	return INSTRUCTION_MAX;
}

/* A system call, or pushf, which saves the trap flag of the step: the program dies when it restores that later. */
static bool is_end(const uint8_t *code, size_t size)
{
	size_t prefix = size && (code[0] == 0x66 || (code[0] & 0xf0) == 0x40);

	if (size < 2)
		return true;
	/* 0x9c is pushf, the others are syscall, sysenter and int 0x80. */
	return code[prefix] == 0x9c || (code[0] == 0x0f && (code[1] == 0x05 || code[1] == 0x34)) ||
		(code[0] == 0xcd && code[1] == 0x80);
}

/* Adds the accesses of an instruction before it is executed. Returns 0 or -ENOMEM. */
static int add_accesses(struct burst *burst, pid_t tid, const uint8_t *code, size_t size, const struct user_regs_struct *user)
{
	const uint64_t segments[2] = {user->fs_base, user->gs_base};
	const struct instruction_registers registers = {.general = {user->rax, user->rcx, user->rdx, user->rbx, user->rsp,
		user->rbp, user->rsi, user->rdi, user->r8, user->r9, user->r10, user->r11, user->r12, user->r13, user->r14,
		user->r15}, .flags = user->eflags, .segments = segments};
	unsigned accesses = 1;
	uint64_t time_ns = clock_ns(CLOCK_MONOTONIC);

	if (!user->rcx && instruction_repeats(code, size))
		return 0;
	for (unsigned i = 0; i < accesses; i++) {
		struct instruction_access access = {0};
		enum instruction_answer answer = instruction_access(code, size, user->rip, &registers, false, i, &access);

		if (answer == INSTRUCTION_NO_MEMORY)
			return 0;
		accesses = access.of;
		if (answer != INSTRUCTION_ACCESS) {
			burst->no_address++;
			continue;
		}
		if (arena_grow(&burst->samples, &burst->capacity, burst->count, sizeof(*burst->samples)))
			return -ENOMEM;
		burst->samples[burst->count++] = (struct trace_sample){.time_ns = time_ns, .address = access.address,
			.ip = user->rip, .tid = (uint32_t)tid, .kind = access.is_read && access.is_written ? TRACE_UPDATE
				: access.is_written ? TRACE_STORE : TRACE_LOAD};
	}
	return 0;
}

static bool is_over(const struct burst *burst)
{
	struct pollfd end = {.fd = burst->end_fd};

	return poll(&end, 1, 0) > 0 && end.revents & POLLHUP;
}

enum stop { STOP_STEP, STOP_INTERRUPT, STOP_SIGNAL, STOP_GROUP, STOP_GONE };

/* Waits for the next stop. signal: the signal to deliver, 0 = none. */
static enum stop wait_stop(pid_t tid, int *signal)
{
	siginfo_t info;
	pid_t waited;
	int status;

	*signal = 0;
	do
		waited = waitpid(tid, &status, __WALL);
	while (waited < 0 && errno == EINTR);
	if (waited != tid || !WIFSTOPPED(status))
		return STOP_GONE;
	if (status >> 16 == PTRACE_EVENT_STOP)
		return WSTOPSIG(status) == SIGTRAP ? STOP_INTERRUPT : STOP_GROUP;
	*signal = WSTOPSIG(status);
	/* A SIGTRAP of the program itself, as from int3, is delivered like other signals. */
	if (*signal == SIGTRAP && !ptrace(PTRACE_GETSIGINFO, tid, NULL, &info) &&
		(info.si_code == TRAP_TRACE || info.si_code == SIGTRAP)) {
		*signal = 0;
		return STOP_STEP;
	}
	return STOP_SIGNAL;
}

/* ptrace gives the same error for a thread that has ended but is not reaped as for one that may not be traced. */
static bool has_ended(pid_t tid)
{
	char text[1024];
	const char *name_end;

	if (sysfs_read("", SYSFS_PATH("/proc/%d/stat", (int)tid), text, sizeof(text)))
		return true;
	name_end = strrchr(text, ')');
	return name_end && name_end[1] == ' ' && (name_end[2] == 'Z' || name_end[2] == 'X');
}

/* The program is set-user-ID, or this user may not read it; other programs of the same recording may be traced. */
static bool is_privileged(pid_t tid)
{
	struct stat status;

	return geteuid() && !stat(SYSFS_PATH("/proc/%d", (int)tid), &status) && !status.st_uid;
}

/* Seizes and stops a thread. Returns 0, after which it is traced, or -errno; *signal: the signal to deliver. */
static int stop_thread(pid_t tid, bool *is_stopped, int *signal)
{
	enum stop stop;

	if (ptrace(PTRACE_SEIZE, tid, NULL, NULL)) {
		int err = errno;

		return err == EPERM && (has_ended(tid) || is_privileged(tid)) ? -ESRCH : -err;
	}
	*is_stopped = false;
	*signal = 0;
	/* This fails only if the thread has ended, which wait_stop reports. */
	(void)ptrace(PTRACE_INTERRUPT, tid, NULL, NULL);
	stop = wait_stop(tid, signal);
	if (stop == STOP_GONE)
		return -ESRCH;
	*is_stopped = stop == STOP_INTERRUPT;
	return 0;
}

int burst_take(struct burst *burst, pid_t tid, unsigned steps)
{
	struct code *code = malloc(sizeof(*code));
	struct user_regs_struct registers;
	unsigned done = 0;
	bool goes_on = false;
	int signal = 0, err = code ? stop_thread(tid, &goes_on, &signal) : -ENOMEM;

	burst->count = 0;
	for (size_t i = 0; !err && i < CODE_SLOTS; i++)
		code->addresses[i] = 1;
	while (!err && goes_on && done < steps && (done % STEPS_UNSEEN || !is_over(burst))) {
		uint8_t bytes[INSTRUCTION_MAX];
		size_t size, before = burst->count;
		enum stop stop;

		if (ptrace(PTRACE_GETREGS, tid, NULL, &registers)) {
			err = -ESRCH;
			break;
		}
		/* The thread was asleep in a system call. */
		if (!done && (long)registers.orig_rax >= 0 && -(long)registers.rax >= RESTART_FIRST &&
			-(long)registers.rax <= RESTART_LAST)
			break;
		size = read_code(code, tid, registers.rip, bytes);
		if (is_end(bytes, size))
			break;
		err = add_accesses(burst, tid, bytes, size, &registers);
		if (err)
			break;
		if (ptrace(PTRACE_SINGLESTEP, tid, NULL, NULL)) {
			burst->count = before;
			err = -ESRCH;
			break;
		}
		stop = wait_stop(tid, &signal);
		goes_on = stop == STOP_STEP;
		done += goes_on;
		/* The instruction was not executed, or not to its end. */
		if (!goes_on)
			burst->count = before;
		if (stop == STOP_GONE)
			err = -ESRCH;
	}
	/* A thread that has ended needs no detaching. */
	if (code)
		(void)ptrace(PTRACE_DETACH, tid, NULL, (void *)(uintptr_t)signal);
	free(code);
	return err && !done ? err : (int)done;
}

#else

int burst_take(struct burst *burst, pid_t tid, unsigned steps)
{
	(void)tid;
	(void)steps;
	burst->count = 0;
	return -ENOSYS;
}

#endif
