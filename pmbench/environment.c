/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "pmbench/environment.h"

#include <stdio.h>
#include <string.h>
#include "common/diag.h"

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

void environment_check_run(const struct control *control, struct pmbench_result *result)
{
	const char *page_cluster = machine_setting(&result->machine, "vm.page-cluster");
	char value[32];

	if (page_cluster && !strcmp(page_cluster, "0"))
		drop_check(result, "page-cluster");
	check_window(result);
	if (result->has_zero_pages && result->zero_pages) {
		snprintf(value, sizeof(value), "%llu pages", (unsigned long long)result->zero_pages);
		add_check(result, "zero-page",
			"pages of the set were never written and share the kernel's zero page, so they are never paged",
			value, "fill the map with -i");
	}
	if (!control->slots[0].status.is_locked)
		add_check(result, "not-locked", "what measures could not be locked in memory", "memlock",
			"raise ulimit -l, or run as root");
	if (result->steady.is_known && !result->steady.is_steady)
		add_check(result, "not-steady", "throughput still changed at the end", "",
			"run longer, or judge by the series");
}
