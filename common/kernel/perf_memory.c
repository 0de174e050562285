/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "common/kernel/perf_memory.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/base/sysfs.h"
#include "common/kernel/perf.h"

#define COUNT(ARRAY) (sizeof(ARRAY) / sizeof((ARRAY)[0]))
#define SAMPLED (PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR | PERF_SAMPLE_DATA_SRC)

#define CLOCK_PERIOD_MIN 10000 /* ns */
#define SPE_INTERVAL 256       /* intervals must be a multiple of it */
#define SPE_INTERVAL_MAX 0xffffff00u

struct list {
	const char *root;
	const struct perf_memory_request *request;
	struct perf_memory_event *events;
	unsigned count;
};

static struct perf_event_attr attr_of(const struct list *list, uint64_t period, uint64_t sample_type)
{
	struct perf_event_attr attr = {.size = sizeof(attr), .sample_type = sample_type, .sample_id_all = 1, .disabled = 1,
		.exclude_kernel = !list->request->with_kernel, .exclude_user = !list->request->with_user, .exclude_hv = 1};

	if (list->request->hz) {
		attr.freq = 1;
		attr.sample_freq = list->request->hz;
	} else {
		attr.sample_period = list->request->period ? list->request->period : period;
	}
	return attr;
}

static void add(struct list *list, const struct perf_event_attr *attr, bool is_alone, bool is_sampling)
{
	list->events[list->count++] = (struct perf_memory_event){*attr, is_alone, is_sampling};
}

/* Uses a fixed period and no sample type that forces an interrupt for each sample, as the weight does on older kernels, so that
 * the processor fills a buffer with many samples. */
static int add_pebs(struct list *list, const char *unit)
{
	struct perf_event_attr loads = attr_of(list, perf_memory_default_period(PERF_MEMORY_PEBS), SAMPLED), stores = loads, leader;
	bool has_leader;
	int err;

	loads.precise_ip = stores.precise_ip = 2;
	leader = loads;
	leader.precise_ip = 0;
	/* Kernels that have this event refuse loads with their data source unless it leads the group. */
	has_leader = !perf_unit_event(list->root, unit, "mem-loads-aux", &leader);
	leader.sample_period = 0;
	leader.freq = 0;
	leader.sample_type = 0;
	err = perf_unit_event(list->root, unit, "mem-loads", &loads);
	if (err)
		return err;
	if (has_leader)
		add(list, &leader, true, false);
	add(list, &loads, !has_leader, true);
	err = perf_unit_event(list->root, unit, "mem-stores", &stores);
	if (!err)
		add(list, &stores, true, true);
	return err == -ENOENT ? 0 : err;
}

static int list_pebs(struct list *list)
{
	static const char *const units[] = {"cpu", "cpu_core", "cpu_atom"};
	int found = -ENOENT;

	for (size_t i = 0; i < COUNT(units); i++) {
		int err = add_pebs(list, units[i]);

		if (err && err != -ENOENT)
			return err;
		found = err ? found : 0;
	}
	return found;
}

static int list_ibs(struct list *list)
{
	struct perf_event_attr attr = attr_of(list, perf_memory_default_period(PERF_MEMORY_IBS),
		SAMPLED | PERF_SAMPLE_WEIGHT_STRUCT);
	int err = perf_unit_term(list->root, "ibs_op", "cnt_ctl", 1, &attr);

	if (err)
		return err;
	if (!attr.freq && attr.sample_period % 16)
		return -EINVAL;
	attr.exclude_hv = 0;
	/* A unit without a software filter cannot exclude kernel or user mode and refuses the request: the reader drops those
	 * samples. */
	if ((attr.exclude_kernel || attr.exclude_user) && perf_unit_term(list->root, "ibs_op", "swfilt", 1, &attr))
		attr.exclude_kernel = attr.exclude_user = 0;
	add(list, &attr, true, true);
	return 0;
}

static int add_spe(struct list *list, const char *unit)
{
	static const char *const terms[] = {"load_filter", "store_filter", "ts_enable", "jitter"};
	struct perf_event_attr attr = attr_of(list, perf_memory_default_period(PERF_MEMORY_SPE),
		PERF_SAMPLE_TID | PERF_SAMPLE_TIME);
	uint64_t least, period = attr.sample_period;
	int err = perf_unit_type(list->root, unit, &attr);

	for (size_t i = 0; i < COUNT(terms) && !err; i++)
		err = perf_unit_term(list->root, unit, terms[i], 1, &attr);
	if (sysfs_read_u64(list->root, SYSFS_PATH("/sys/bus/event_source/devices/%s/caps/min_interval", unit), &least))
		least = SPE_INTERVAL;
	/* The kernel would silently round to the nearest interval that the processor has. */
	if (!err && (attr.freq || period < least || period > SPE_INTERVAL_MAX || period % SPE_INTERVAL))
		err = -EINVAL;
	if (!err)
		add(list, &attr, true, true);
	return err;
}

/* Lists a unit for each kind of core. */
static int list_spe(struct list *list)
{
	int found = -ENOENT;

	for (unsigned i = 0; i < PERF_MEMORY_EVENTS; i++) {
		char unit[32];
		int err;

		snprintf(unit, sizeof(unit), "arm_spe_%u", i);
		err = add_spe(list, unit);
		if (err && err != -ENOENT)
			return err;
		found = err ? found : 0;
	}
	return found;
}

static int list_clock(struct list *list)
{
	struct perf_event_attr attr = attr_of(list, perf_memory_default_period(PERF_MEMORY_CLOCK),
		PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_REGS_USER |
			PERF_SAMPLE_STACK_USER);

	/* A sample in kernel mode would have the registers of the system call. */
	if (!list->request->with_user)
		return -EINVAL;
	attr.exclude_kernel = 1;
	attr.type = PERF_TYPE_SOFTWARE;
	attr.config = PERF_COUNT_SW_CPU_CLOCK;
	/* Other architectures have other registers behind these bits, but as many. */
	attr.sample_regs_user = PERF_MEMORY_REGISTER_MASK;
	attr.sample_stack_user = PERF_MEMORY_STACK;
	if (attr.freq) {
		attr.freq = 0;
		attr.sample_period = 1000000000u / list->request->hz;
	}
	/* The kernel would silently use its shortest period. */
	if (attr.sample_period < CLOCK_PERIOD_MIN)
		return -EINVAL;
	add(list, &attr, true, true);
	return 0;
}

static int list_faults(struct list *list)
{
	struct perf_event_attr attr = attr_of(list, perf_memory_default_period(PERF_MEMORY_FAULTS),
		PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR);

	attr.type = PERF_TYPE_SOFTWARE;
	attr.config = PERF_COUNT_SW_PAGE_FAULTS_MIN;
	add(list, &attr, true, true);
	attr.config = PERF_COUNT_SW_PAGE_FAULTS_MAJ;
	attr.sample_type |= PERF_SAMPLE_IDENTIFIER;
	add(list, &attr, true, true);
	if (list->request->with_begins) {
		/* The kernel counts this event before it handles a fault, the others after it. */
		attr.config = PERF_COUNT_SW_PAGE_FAULTS;
		attr.sample_type |= PERF_SAMPLE_CPU;
		add(list, &attr, true, true);
	}
	return 0;
}

static const struct {
	uint64_t period;
	int (*list)(struct list *list);
} sources[PERF_MEMORY_SOURCES] = {
	[PERF_MEMORY_PEBS] = {4000, list_pebs},
	[PERF_MEMORY_IBS] = {65536, list_ibs},
	[PERF_MEMORY_SPE] = {4096, list_spe},
	[PERF_MEMORY_CLOCK] = {1000000, list_clock},
	[PERF_MEMORY_FAULTS] = {1, list_faults},
};

uint64_t perf_memory_default_period(enum perf_memory source)
{
	return sources[source].period;
}

int perf_memory_events(const char *root, enum perf_memory source, const struct perf_memory_request *request,
	struct perf_memory_event events[PERF_MEMORY_EVENTS], unsigned *count)
{
	struct list list = {.root = root, .request = request, .events = events};
	int err = sources[source].list(&list);

	if (!err)
		*count = list.count;
	return err;
}

static void close_all(int fds[PERF_MEMORY_EVENTS], unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		if (fds[i] >= 0)
			close(fds[i]);
		fds[i] = -1;
	}
}

int perf_memory_open(const struct perf_memory_event *events, unsigned count, int pid, int cpu, perf_memory_open_fn *open,
	int fds[PERF_MEMORY_EVENTS])
{
	unsigned opened = 0;

	for (unsigned i = 0; i < count; i++) {
		bool has_leader = events[i].is_alone || fds[i - 1] >= 0;

		/* A member's leader must belong to the same kind of CPU. */
		fds[i] = has_leader ? open(&events[i].attr, pid, cpu, events[i].is_alone ? -1 : fds[i - 1]) : -ENOENT;
		if (fds[i] == -ENOENT || fds[i] == -ENODEV) {
			fds[i] = -1;
			continue;
		}
		if (fds[i] < 0) {
			int err = fds[i];

			close_all(fds, i);
			return err;
		}
		opened += events[i].is_sampling;
	}
	if (opened)
		return 0;
	close_all(fds, count);
	return -ENOENT;
}
