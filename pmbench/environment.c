/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "pmbench/environment.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "common/diag.h"
#include "pmbench/judge.h"

#define OWN_CHECKS 8 /* room for those that are made here */

void environment_check_start(const struct machine *machine, struct pmbench_result *result)
{
	result->machine = *machine;
	result->check_count = machine_checks("", machine, result->checks, RESULT_CHECKS - OWN_CHECKS);
}

void environment_describe(uint64_t limit, const char *cgroup_dir, struct pmbench_result *result)
{
	if (machine_read("", &result->machine))
		diag_warn("this machine's facts could not be read again");
	if (cgroup_dir)
		snprintf(result->machine.cgroup_dir, sizeof(result->machine.cgroup_dir), "%s", cgroup_dir);
	if (limit && limit < result->machine.cgroup_limit_bytes)
		result->machine.cgroup_limit_bytes = limit;
}

static void add_check(struct pmbench_result *result, const char *code, const char *finding, const char *value,
	const char *advice)
{
	struct machine_check *check;

	if (result->check_count == RESULT_CHECKS)
		return;
	check = &result->checks[result->check_count++];
	snprintf(check->code, sizeof(check->code), "%s", code);
	snprintf(check->value, sizeof(check->value), "%s", value);
	snprintf(check->advice, sizeof(check->advice), "%s", advice);
	check->finding = finding;
}

static void drop_check(struct pmbench_result *result, const char *code)
{
	for (size_t i = 0; i < result->check_count; i++) {
		if (strcmp(result->checks[i].code, code))
			continue;
		result->check_count--;
		memmove(&result->checks[i], &result->checks[i + 1],
			(result->check_count - i) * sizeof(result->checks[i]));
		return;
	}
}

/* What happened to the machine while the run went on, beyond the run's own faults. */
static void check_window(struct pmbench_result *result)
{
	uint64_t own_major_faults = 0;

	if (!result->has_snapshot[SNAPSHOT_PRE_RUN] || !result->has_snapshot[SNAPSHOT_POST_RUN])
		return;
	for (size_t i = 0; i < result->thread_count; i++)
		own_major_faults += result->threads[i].kernel_major;
	result->check_count += machine_checks_run(&result->snapshots[SNAPSHOT_PRE_RUN],
		&result->snapshots[SNAPSHOT_POST_RUN], own_major_faults, result->checks + result->check_count,
		RESULT_CHECKS - result->check_count);
}

static void check_file(struct pmbench_result *result)
{
	const struct result_map_file *file = &result->file;
	char value[64];

	if (!file->pages || !file->was_there || (file->is_known && !file->resident_before))
		return;
	if (file->is_known)
		snprintf(value, sizeof(value), "%.0f %% of %llu pages",
			(double)file->resident_before * 100 / (double)file->pages, (unsigned long long)file->pages);
	else
		snprintf(value, sizeof(value), "unknown");
	add_check(result, "page-cache", "pages of the file were in the page cache before the run, and are not read from the device",
		value, "compare only runs that begin with the same share; dd of=FILE oflag=nocache conv=notrunc,fdatasync count=0 "
		"empties it");
}

/* Pages of one byte's value never reach the device: Linux 6.12 keeps a bit for them (swpin_zero), zram their value. */
static void check_content(struct pmbench_result *result)
{
	const struct mapping_request *mapping = &result->plan->options->mapping;
	const struct vmcounters *before = &result->snapshots[SNAPSHOT_PRE_RUN], *after = &result->snapshots[SNAPSHOT_POST_RUN];
	uint64_t zero[2], whole[2], major = 0;
	char value[64] = "";

	if (mapping->content != CONTENT_ZERO && !(mapping->content == CONTENT_RATIO && mapping->compressible_percent >= 99.9))
		return;
	for (size_t i = 0; i < result->thread_count; i++)
		major += result->threads[i].classified_major;
	if (!major || !result->has_snapshot[SNAPSHOT_PRE_RUN] || !result->has_snapshot[SNAPSHOT_POST_RUN])
		return;
	if (vmcounters_get(before, "vmstat.swpin_zero", &zero[0]) && vmcounters_get(after, "vmstat.swpin_zero", &zero[1]) &&
		vmcounters_get(before, "vmstat.pswpin", &whole[0]) && vmcounters_get(after, "vmstat.pswpin", &whole[1]))
		snprintf(value, sizeof(value), "%llu zero pages, %llu read from a device",
			(unsigned long long)(zero[1] - zero[0]), (unsigned long long)(whole[1] - whole[0]));
	else
		snprintf(value, sizeof(value), "%llu major faults", (unsigned long long)major);
	add_check(result, "zero-content", "pages of zeros are not written to the swap device, or not stored by it", value,
		"major faults of this run say nothing about the device: use --content random or ratio:50");
}

void environment_check_run(const struct control *control, struct pmbench_result *result)
{
	const char *page_cluster = machine_setting(&result->machine, "vm.page-cluster");
	char value[32];

	if (page_cluster && !strcmp(page_cluster, "0"))
		drop_check(result, "page-cluster");
	check_window(result);
	check_file(result);
	check_content(result);
	if (result->has_zero_pages && result->zero_pages) {
		snprintf(value, sizeof(value), "%llu pages", (unsigned long long)result->zero_pages);
		add_check(result, "zero-page",
			"pages of the set were never written and share the kernel's zero page, so they are never paged",
			value, "fill the map with -i");
	}
	if (llabs(contention_clock_set_ns(&result->stops)) > CONTENTION_JUMP_NS) {
		snprintf(value, sizeof(value), "%+.1f s", (double)contention_clock_set_ns(&result->stops) / 1e9);
		add_check(result, "clock-set", "the wall clock was set during the run",
			value, "durations are right, dates are of two clocks: stop what sets the clock (NTP) during runs");
	}
	for (size_t i = 0; i < control->count; i++) {
		if (!control->slots[i].status.is_warmup_cut)
			continue;
		snprintf(value, sizeof(value), "%llu accesses", (unsigned long long)control->slots[i].status.warm_accesses);
		add_check(result, "warm-up-cut", "the warm-up ended at its limit, and the run may begin colder than others",
			value, "raise --warmup-limit, or judge by the series");
		break;
	}
	if (!control->slots[0].status.is_locked)
		add_check(result, "not-locked", "what measures could not be locked in memory", "memlock",
			"raise ulimit -l, or run as root");
	if (result->steady.is_known && !result->steady.is_steady)
		add_check(result, "not-steady", "throughput still changed at the end", "",
			"run longer, or judge by the series");
}
