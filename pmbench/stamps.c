/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "pmbench/stamps.h"

#include <errno.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "common/perf.h"

static const uint64_t events[STAMPS] = {
	[STAMPS_BEGIN] = PERF_COUNT_SW_PAGE_FAULTS,
	[STAMPS_END_MINOR] = PERF_COUNT_SW_PAGE_FAULTS_MIN,
	[STAMPS_END_MAJOR] = PERF_COUNT_SW_PAGE_FAULTS_MAJ,
};

static int bpf(enum bpf_cmd command, union bpf_attr *attr)
{
	int result = (int)syscall(SYS_bpf, command, attr, sizeof(*attr));

	return result < 0 ? -errno : result;
}

static int open_map(struct stamps *stamps)
{
	union bpf_attr attr;
	void *page;

	memset(&attr, 0, sizeof(attr));
	attr.map_type = BPF_MAP_TYPE_ARRAY;
	attr.key_size = sizeof(uint32_t);
	attr.value_size = STAMPS * sizeof(uint64_t);
	attr.max_entries = 1;
	attr.map_flags = BPF_F_MMAPABLE;
	stamps->map_fd = bpf(BPF_MAP_CREATE, &attr);
	if (stamps->map_fd < 0)
		return stamps->map_fd;
	page = mmap(NULL, (size_t)sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED | MAP_POPULATE, stamps->map_fd, 0);
	if (page == MAP_FAILED)
		return -errno;
	stamps->ns = page;
	return 0;
}

/* stamps->ns[at] = bpf_ktime_get_ns(); return 0, which keeps perf from writing a record. Descriptor or -errno. */
static int load_program(const struct stamps *stamps, enum stamps_at at)
{
	const struct bpf_insn program[] = {
		{.code = BPF_JMP | BPF_CALL, .imm = BPF_FUNC_ktime_get_ns},
		{.code = BPF_LD | BPF_IMM | BPF_DW, .dst_reg = BPF_REG_1, .src_reg = BPF_PSEUDO_MAP_VALUE,
			.imm = stamps->map_fd},
		{.imm = (int)(at * sizeof(uint64_t))},
		{.code = BPF_STX | BPF_MEM | BPF_DW, .dst_reg = BPF_REG_1, .src_reg = BPF_REG_0},
		{.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0, .imm = 0},
		{.code = BPF_JMP | BPF_EXIT},
	};
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.prog_type = BPF_PROG_TYPE_PERF_EVENT;
	attr.insns = (uintptr_t)program;
	attr.insn_cnt = sizeof(program) / sizeof(program[0]);
	attr.license = (uintptr_t)"GPL";
	return bpf(BPF_PROG_LOAD, &attr);
}

static int open_event(enum stamps_at at)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = events[at],
		.sample_period = 1,
		.disabled = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};

	return perf_open(&attr, 0, -1);
}

/* The event keeps the program; its descriptor is not needed further. */
static int attach(const struct stamps *stamps, enum stamps_at at)
{
	int program = load_program(stamps, at);
	int err = 0;

	if (program < 0)
		return program;
	if (ioctl(stamps->event_fd[at], PERF_EVENT_IOC_SET_BPF, program))
		err = -errno;
	close(program);
	return err;
}

static void explain(int err, const char *what, char *reason, size_t reason_length)
{
	const char *remedy = "";

	if (err == -EPERM || err == -EACCES)
		remedy = " (needs CAP_BPF and CAP_PERFMON; run as root)";
	else if (err == -EINVAL || err == -ENOSYS)
		remedy = " (needs Linux 5.5 with CONFIG_BPF_SYSCALL and CONFIG_BPF_EVENTS)";
	snprintf(reason, reason_length, "%s: %s%s", what, strerror(-err), remedy);
}

int stamps_open(struct stamps *stamps, char *reason, size_t reason_length)
{
	struct stamps new = {.map_fd = -1, .event_fd = {-1, -1, -1}};
	int err = open_map(&new);

	if (err) {
		explain(err, "BPF map", reason, reason_length);
		goto out;
	}
	for (int at = 0; at < STAMPS; at++) {
		new.event_fd[at] = open_event(at);
		if (new.event_fd[at] < 0) {
			err = new.event_fd[at];
			perf_open_reason(err, reason, reason_length);
			goto out;
		}
		err = attach(&new, at);
		if (err) {
			explain(err, "BPF program", reason, reason_length);
			goto out;
		}
	}
	*stamps = new;
	return 0;
out:
	stamps_close(&new);
	return err;
}

static int switch_events(const struct stamps *stamps, unsigned long request)
{
	for (int at = 0; at < STAMPS; at++)
		if (ioctl(stamps->event_fd[at], request, 0))
			return -errno;
	return 0;
}

int stamps_begin(const struct stamps *stamps)
{
	return switch_events(stamps, PERF_EVENT_IOC_ENABLE);
}

int stamps_end(const struct stamps *stamps)
{
	return switch_events(stamps, PERF_EVENT_IOC_DISABLE);
}

void stamps_close(struct stamps *stamps)
{
	for (int at = 0; at < STAMPS; at++)
		if (stamps->event_fd[at] >= 0)
			close(stamps->event_fd[at]);
	if (stamps->ns)
		munmap(stamps->ns, (size_t)sysconf(_SC_PAGESIZE));
	if (stamps->map_fd >= 0)
		close(stamps->map_fd);
}
