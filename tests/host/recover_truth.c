/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * recover_truth STEPS COMMAND [ARGUMENT...]: executes STEPS instructions of COMMAND one by one. After each load that overwrites a
 * register of its address memtrace's decoder gets the registers, as the engine cpu-clock would; what it answers is compared with
 * the address before the load, or with the next such load that is executed. Prints the numbers of loads, of those recovered by
 * each way, and of wrong answers.
 */
#include "config.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/units.h"
#include "common/kernel/perf_memory.h"
#include "memtrace/code/decode.h"
#include "memtrace/code/instruction.h"
#include "memtrace/target/process.h"

#ifdef __x86_64__
static struct regions *regions;
static struct decoder *decoder;
static uint64_t step, loads, wrong, expected_ip, expected_address;

static int add(void *context, const struct trace_event *event)
{
	(void)context;
	return regions_add(regions, event);
}

static struct instruction_registers general_of(const struct user_regs_struct *user, const uint64_t *segments)
{
	return (struct instruction_registers){.general = {user->rax, user->rcx, user->rdx, user->rbx, user->rsp, user->rbp,
		user->rsi, user->rdi, user->r8, user->r9, user->r10, user->r11, user->r12, user->r13, user->r14, user->r15},
		.flags = user->eflags, .segments = segments};
}

static enum trace_loss ask(pid_t pid, const struct user_regs_struct *after, struct trace_sample *sample)
{
	/* As perf orders them. */
	const uint64_t words[PERF_MEMORY_REGISTERS] = {after->rax, after->rbx, after->rcx, after->rdx, after->rsi, after->rdi,
		after->rbp, after->rsp, after->rip, after->eflags, after->r8, after->r9, after->r10, after->r11, after->r12,
		after->r13, after->r14, after->r15};
	uint8_t stack[PERF_MEMORY_STACK];
	struct iovec here = {stack, sizeof(stack)}, there = {(void *)(uintptr_t)after->rsp, sizeof(stack)};
	ssize_t copied = process_vm_readv(pid, &here, 1, &there, 1, 0);
	/* The first of several accesses. */
	const struct sample_fields fields = {.ip = after->rip, .time_ns = step << 16, .pid = (uint32_t)pid, .tid = (uint32_t)pid,
		.abi = PERF_SAMPLE_REGS_ABI_64, .registers = words, .stack = stack,
		.stack_bytes = copied > 0 ? (size_t)copied : 0};
	enum trace_loss loss = decoder_take(decoder, regions, &fields, sample);

	if ((loss == TRACE_NO_CODE || loss == TRACE_OUTSIDE) && !process_list_mappings("", pid, fields.time_ns, add, NULL) &&
		!regions_sort(regions))
		loss = decoder_take(decoder, regions, &fields, sample);
	return loss;
}

static void compare(pid_t pid, const uint8_t *code, size_t size, const struct user_regs_struct *before,
	const struct user_regs_struct *after)
{
	const uint64_t segments[2] = {before->fs_base, before->gs_base};
	const struct instruction_registers old = general_of(before, segments), new = general_of(after, segments);
	uint64_t preceding = decoder_recovered(decoder)[TRACE_BY_PRECEDING];
	struct instruction_access truth, access;
	struct trace_sample sample;

	if (instruction_access(code, size, before->rip, &old, false, 0, &truth) != INSTRUCTION_ACCESS)
		return;
	if (instruction_access(code, size, before->rip, &new, true, 0, &access) != INSTRUCTION_CLOBBERED)
		return;
	loads++;
	if (expected_ip && (expected_ip != before->rip || expected_address != truth.address)) {
		fprintf(stderr, "step %llu: expected %#llx at %#llx, was %#llx at %#llx\n", (unsigned long long)step,
			(unsigned long long)expected_address, (unsigned long long)expected_ip, (unsigned long long)truth.address,
			before->rip);
		wrong++;
	}
	expected_ip = 0;
	/* After a jump it is not known as such. */
	if (after->rip != before->rip + size || ask(pid, after, &sample) != TRACE_LOSSES)
		return;
	if (decoder_recovered(decoder)[TRACE_BY_PRECEDING] == preceding) {
		expected_ip = sample.ip;
		expected_address = sample.address;
	} else if (sample.address != truth.address || sample.ip != before->rip) {
		fprintf(stderr, "step %llu: %#llx at %#llx, was %#llx at %#llx\n", (unsigned long long)step,
			(unsigned long long)sample.address, (unsigned long long)sample.ip, (unsigned long long)truth.address,
			before->rip);
		wrong++;
	}
}

int main(int argc, char **argv)
{
	struct user_regs_struct before, after;
	uint64_t steps;
	int status;
	pid_t pid;

	if (argc < 3 || units_parse_u64(argv[1], 1, 1u << 30, &steps) || decoder_new(1, &decoder) || regions_new(&regions))
		return 2;
	if (instruction_why_not()) {
		printf("%s\n", instruction_why_not());
		return 77;
	}
	pid = fork();
	if (!pid) {
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		execvp(argv[2], argv + 2);
		_exit(127);
	}
	if (pid < 0 || waitpid(pid, &status, 0) < 0 || !WIFSTOPPED(status) ||
		process_list_mappings("", pid, 0, add, NULL) || regions_sort(regions))
		return 3;
	ptrace(PTRACE_SETOPTIONS, pid, NULL, (void *)(uintptr_t)PTRACE_O_EXITKILL);
	ptrace(PTRACE_GETREGS, pid, NULL, &before);
	for (step = 1; step <= steps; step++, before = after) {
		uint8_t code[INSTRUCTION_MAX] = {0};
		struct iovec here = {code, sizeof(code)}, there = {(void *)(uintptr_t)before.rip, sizeof(code)};
		struct instruction_shape shape;
		bool is_there = process_vm_readv(pid, &here, 1, &there, 1, 0) > 0 &&
			instruction_shape(code, sizeof(code), &shape);
		bool is_signal = WIFSTOPPED(status) && WSTOPSIG(status) != SIGTRAP;

		if (ptrace(PTRACE_SINGLESTEP, pid, NULL, (void *)(uintptr_t)(is_signal ? WSTOPSIG(status) : 0)) ||
			waitpid(pid, &status, 0) < 0 || !WIFSTOPPED(status) || ptrace(PTRACE_GETREGS, pid, NULL, &after))
			break;
		if (is_there && !is_signal)
			compare(pid, code, shape.bytes, &before, &after);
		else
			expected_ip = 0;
	}
	kill(pid, SIGKILL);
	printf("steps %llu loads %llu preceding %llu next %llu wrong %llu\n", (unsigned long long)step - 1,
		(unsigned long long)loads, (unsigned long long)decoder_recovered(decoder)[TRACE_BY_PRECEDING],
		(unsigned long long)decoder_recovered(decoder)[TRACE_BY_NEXT], (unsigned long long)wrong);
	decoder_free(decoder);
	regions_free(regions);
	return wrong ? 1 : 0;
}
#else
int main(void)
{
	fputs("recover_truth: the engine cpu-clock decodes instructions of x86-64 only\n", stderr);
	return 3;
}
#endif
