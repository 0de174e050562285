/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "pmbench/access/kernel_split.h"

#include <errno.h>
#include <math.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include "common/hot/bucket.h"
#include "common/kernel/perf.h"
#include "common/stats/histogram.h"
#include "pmbench/memory/scratch.h"

/* --- stamps in the kernel --- */

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

/* Loads a program that sets stamps->ns[at] = bpf_ktime_get_ns() and returns 0, so that perf writes no record. Returns a descriptor
 * or -errno. */
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

static void stamps_close(struct stamps *stamps)
{
	for (int at = 0; at < STAMPS; at++)
		if (stamps->event_fd[at] >= 0)
			close(stamps->event_fd[at]);
	if (stamps->ns)
		munmap(stamps->ns, (size_t)sysconf(_SC_PAGESIZE));
	if (stamps->map_fd >= 0)
		close(stamps->map_fd);
}

/* Opens the stamps of the calling thread, switched off. Needs CAP_BPF, CAP_PERFMON and Linux 5.5. Returns 0, or -errno and the
 * cause in reason. */
static int stamps_open(struct stamps *stamps, char *reason, size_t reason_length)
{
	struct stamps new = {.map_fd = -1, .event_fd = {-1, -1, -1}};
	const char *what = "BPF map", *remedy = "";
	union bpf_attr attr;
	void *page;
	int err = 0;

	memset(&attr, 0, sizeof(attr));
	attr.map_type = BPF_MAP_TYPE_ARRAY;
	attr.key_size = sizeof(uint32_t);
	attr.value_size = STAMPS * sizeof(uint64_t);
	attr.max_entries = 1;
	attr.map_flags = BPF_F_MMAPABLE;
	new.map_fd = bpf(BPF_MAP_CREATE, &attr);
	if (new.map_fd < 0) {
		err = new.map_fd;
		goto explain;
	}
	page = mmap(NULL, (size_t)sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED | MAP_POPULATE, new.map_fd, 0);
	if (page == MAP_FAILED) {
		err = -errno;
		goto explain;
	}
	new.ns = page;
	what = "BPF program";
	for (int at = 0; at < STAMPS; at++) {
		struct perf_event_attr event = perf_software(events[at], 0);
		int program;

		new.event_fd[at] = perf_open(&event, 0, -1);
		if (new.event_fd[at] < 0) {
			err = new.event_fd[at];
			perf_open_reason("", err, 2, reason, reason_length);
			goto out;
		}
		program = load_program(&new, at);
		if (program < 0) {
			err = program;
			goto explain;
		}
		/* The event keeps the program; its descriptor is not needed further. */
		if (ioctl(new.event_fd[at], PERF_EVENT_IOC_SET_BPF, program))
			err = -errno;
		close(program);
		if (err)
			goto explain;
	}
	*stamps = new;
	return 0;
explain:
	if (err == -EPERM || err == -EACCES)
		remedy = " (needs CAP_BPF and CAP_PERFMON; run as root)";
	else if (err == -EINVAL || err == -ENOSYS)
		remedy = " (needs Linux 5.5 with CONFIG_BPF_SYSCALL and CONFIG_BPF_EVENTS)";
	snprintf(reason, reason_length, "%s: %s%s", what, strerror(-err), remedy);
out:
	stamps_close(&new);
	return err;
}

static int switch_stamps(void *from, bool is_on)
{
	const struct stamps *stamps = from;

	for (int at = 0; at < STAMPS; at++)
		if (ioctl(stamps->event_fd[at], is_on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0))
			return -errno;
	return 0;
}

/* --- the parts of a fault --- */

/* NTP steers a clock by at most 500 ppm: 2.5 us in this time. */
#define ANCHOR_MAX_NS 5000000u
#define ANCHOR_TRIES 8

struct kernel_split_counts {
	uint64_t count[KERNEL_SPLIT_KINDS][SPLIT_SPANS][BUCKET_HDR_COUNT];
};

/* Returns the middle of the shortest of a few brackets. */
static struct kernel_split_anchor read_anchor(enum ticks_method method)
{
	struct kernel_split_anchor anchor = {0};
	uint64_t width = UINT64_MAX;

	for (int i = 0; i < ANCHOR_TRIES; i++) {
		uint64_t before = ticks_stop(method), after;
		struct timespec now;

		clock_gettime(CLOCK_MONOTONIC, &now);
		after = ticks_stop(method);
		if (after - before >= width)
			continue;
		width = after - before;
		anchor.ticks = before + width / 2;
		anchor.monotonic_ns = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
	}
	return anchor;
}

static uint64_t to_monotonic(const struct kernel_split *split, uint64_t ticks)
{
	const struct kernel_split_anchor *anchor = &split->anchor;

	if (ticks >= anchor->ticks)
		return anchor->monotonic_ns + ticks_to_ns(ticks - anchor->ticks, split->mult);
	return anchor->monotonic_ns - ticks_to_ns(anchor->ticks - ticks, split->mult);
}

int kernel_split_open(struct kernel_split *split, const struct timebase *timebase, char *reason, size_t reason_length)
{
	struct kernel_split new = {.method = timebase->method, .mult = timebase->mult,
		.anchor_ticks_max = timebase_from_ns(timebase, ANCHOR_MAX_NS)};
	int err = stamps_open(&new.stamps, reason, reason_length);

	if (err)
		return err;
	err = scratch_cost(timebase, switch_stamps, &new.stamps, &new.cost_ns);
	if (err) {
		snprintf(reason, reason_length, "measuring the cost of the stamps: %s", strerror(-err));
		stamps_close(&new.stamps);
		return err;
	}
	new.counts = mmap(NULL, sizeof(*new.counts), PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (new.counts == MAP_FAILED) {
		err = -errno;
		snprintf(reason, reason_length, "memory for the split's histograms: %s", strerror(-err));
		stamps_close(&new.stamps);
		return err;
	}
	/* If mlock fails, a histogram page may be paged out; its fault then shows as an inexact count. */
	(void)mlock(new.counts, sizeof(*new.counts));
	new.anchor = read_anchor(new.method);
	*split = new;
	return 0;
}

int kernel_split_begin(struct kernel_split *split)
{
	split->anchor = read_anchor(split->method);
	return switch_stamps(&split->stamps, true);
}

int kernel_split_end(struct kernel_split *split)
{
	return switch_stamps(&split->stamps, false);
}

void kernel_split_forget(struct kernel_split *split)
{
	memset(split->counts, 0, sizeof(*split->counts));
	split->strays = 0;
}

void kernel_split_close(struct kernel_split *split)
{
	munmap(split->counts, sizeof(*split->counts));
	stamps_close(&split->stamps);
}

void kernel_split_take(struct kernel_split *split, enum kernel_split_kind kind, uint64_t start_ticks,
	uint64_t stop_ticks)
{
	uint64_t begin = stamps_read(&split->stamps, STAMPS_BEGIN);
	uint64_t end = stamps_read(&split->stamps, kind == KERNEL_SPLIT_MAJOR ? STAMPS_END_MAJOR : STAMPS_END_MINOR);
	uint64_t start, stop;
	uint64_t (*count)[BUCKET_HDR_COUNT] = split->counts->count[kind];

	if (stop_ticks - split->anchor.ticks > split->anchor_ticks_max)
		split->anchor = read_anchor(split->method);
	start = to_monotonic(split, start_ticks);
	stop = to_monotonic(split, stop_ticks);
	if (begin < start || end < begin || stop < end) {
		split->strays++;
		return;
	}
	count[SPLIT_ENTRY][bucket_hdr(begin - start)]++;
	count[SPLIT_HANDLE][bucket_hdr(end - begin)]++;
	count[SPLIT_EXIT][bucket_hdr(stop - end)]++;
	count[SPLIT_TOTAL][bucket_hdr(stop - start)]++;
}

static double median_ns(const uint64_t *counts, uint64_t total)
{
	/* Sum and extremes are not counted: these bounds restrict nothing. */
	const struct histogram_moments moments = {.count = total, .sum_ns = NAN, .min_ns = 0, .max_ns = 1e18};

	return histogram_percentile(&histogram_hdr, counts, &moments, 50);
}

void kernel_split_summarize(const struct kernel_split *split, struct kernel_split_summary *summary)
{
	static const char *const names[] = {[KERNEL_SPLIT_MINOR] = "minor", [KERNEL_SPLIT_MAJOR] = "major"};

	*summary = (struct kernel_split_summary){.is_available = true, .cost_ns_per_fault = split->cost_ns};
	for (int kind = 0; kind < KERNEL_SPLIT_KINDS; kind++) {
		uint64_t (*count)[BUCKET_HDR_COUNT] = split->counts->count[kind];
		uint64_t total = histogram_total(&histogram_hdr, count[SPLIT_TOTAL]);

		summary->parts[kind].kind = names[kind];
		if (total)
			summary->parts[kind] = (struct pm_fault_parts_values){names[kind], total,
				median_ns(count[SPLIT_ENTRY], total), median_ns(count[SPLIT_HANDLE], total),
				median_ns(count[SPLIT_EXIT], total), median_ns(count[SPLIT_TOTAL], total)};
	}
}
