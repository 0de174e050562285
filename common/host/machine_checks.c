/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Conditions of this machine that may spoil a measurement. Checks only report; no setting is ever changed. */
#include "config.h"
#include "common/host/machine.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "common/base/sysfs.h"
#include "common/base/units.h"
#include "common/kernel/counters.h"

#define MAX_LOAD 0.5                 /* load of the last minute; the limit is a tenth of the CPUs when that is more */
#define MIN_AVAILABLE_PERCENT 10
#define MAX_STEAL_PERCENT 0.1
#define MAX_OTHER_FAULTS 16          /* and more than 1 % of the run's own faults */

/* Writes the measured value and returns true when it may spoil a run. */
typedef bool before_function(const char *root, const struct machine *machine, char *value, size_t length);

static bool numa_balancing(const char *root, const struct machine *machine, char *value, size_t length)
{
	const char *setting = machine_setting(machine, "kernel.numa_balancing");

	(void)root;
	snprintf(value, length, "%s", setting ? setting : "");
	return machine->node_count > 1 && setting && strcmp(setting, "0");
}

static bool hypervisor(const char *root, const struct machine *machine, char *value, size_t length)
{
	(void)root;
	snprintf(value, length, "%.*s", (int)length - 1, machine->hypervisor);
	return machine->hypervisor[0];
}

static bool other_swap(const char *root, const struct machine *machine, char *value, size_t length)
{
	uint64_t used = 0;
	char size[32];

	(void)root;
	for (size_t i = 0; i < machine->swap_count; i++)
		used += machine->swaps[i].used_bytes;
	snprintf(value, length, "%s in use", units_format_size(used, size, sizeof(size)));
	return used;
}

static bool load(const char *root, const struct machine *machine, char *value, size_t length)
{
	double allowed = machine->threads * 0.1 > MAX_LOAD ? machine->threads * 0.1 : MAX_LOAD;
	char text[128], *end;

	if (sysfs_read(root, "/proc/loadavg", text, sizeof(text)))
		return false;
	end = text + strcspn(text, " ");
	*end = '\0';
	snprintf(value, length, "%.16s", text);
	return !units_parse_double(text, 0, 1e9, &(double){0}) && strtod(text, NULL) > allowed;
}

static bool low_memory(const char *root, const struct machine *machine, char *value, size_t length)
{
	char available[32], whole[32];

	(void)root;
	snprintf(value, length, "%s of %s", units_format_size(machine->available_bytes, available, sizeof(available)),
		units_format_size(machine->memory_bytes, whole, sizeof(whole)));
	return machine->available_bytes < machine->memory_bytes / 100 * MIN_AVAILABLE_PERCENT;
}

static bool cgroup_limit(const char *root, const struct machine *machine, char *value, size_t length)
{
	char limit[32];

	(void)root;
	snprintf(value, length, "%s", units_format_size(machine->cgroup_limit_bytes, limit, sizeof(limit)));
	return machine->cgroup_limit_bytes < machine->memory_bytes;
}

static const struct {
	const char *code, *meaning, *advice;
	before_function *is_found;
	const char *setting, *bad, *good; /* setting NULL: is_found decides; else its value is bad, or known and not good */
} before_checks[] = {
	{"hypervisor", "the machine is a virtual machine",
		"latencies include the hypervisor's work: compare only with runs on the same kind of virtual machine",
		.is_found = hypervisor},
	{"clocksource", "the kernel does not use the CPU's counter as its clock source",
		"the TSC may be unstable here: measure with clock_gettime, or find out why (dmesg | grep -i tsc)",
		.setting = "clocksource", .good = "tsc arch_sys_counter"},
	{"governor", "the CPU's frequency changes with the load",
		"fix it for the run: cpupower frequency-set -g performance", .setting = "cpu.governor", .good = "performance"},
	{"load", "other programs use the CPUs", "stop other programs, or pin the run to CPUs that are idle", .is_found = load},
	{"low-memory", "less than a tenth of the memory is available",
		"other programs will be paged too: stop them, or use a machine with more memory", .is_found = low_memory},
	{"cgroup-limit", "this process's memory cgroup has a limit below the machine's memory",
		"paging begins at this limit, not at the machine's memory: allow for it, or run outside the cgroup",
		.is_found = cgroup_limit},
	{"other-swap", "swap is in use before the run",
		"other programs' pages compete for it: free it with swapoff and swapon", .is_found = other_swap},
	{"thp-always", "huge pages are used wherever possible",
		"other programs' huge pages change what reclaim costs: echo madvise > /sys/kernel/mm/transparent_hugepage/enabled",
		.setting = "thp.enabled", .bad = "always"},
	{"ksm", "equal pages are merged in the background",
		"merging takes CPU time and turns writes into faults: echo 0 > /sys/kernel/mm/ksm/run",
		.setting = "ksm.run", .bad = "1"},
	{"zswap", "swapped pages are kept compressed in memory first",
		"a major fault may never reach the swap device: echo N > /sys/module/zswap/parameters/enabled",
		.setting = "zswap.enabled", .bad = "Y"},
	{"page-cluster", "swap is read ahead",
		"neighbours of a page that was read may be found in memory: sysctl vm.page-cluster=0 for single pages",
		.setting = "vm.page-cluster", .good = "0"},
	{"zone-reclaim", "a NUMA node reclaims its own pages before it uses another's memory",
		"paging begins before memory is short: sysctl vm.zone_reclaim_mode=0",
		.setting = "vm.zone_reclaim_mode", .good = "0"},
	{"numa-balancing", "the kernel moves pages and threads between NUMA nodes",
		"it adds faults of its own: sysctl kernel.numa_balancing=0, unless that is what is measured",
		.is_found = numa_balancing},
	{"damon", "a kdamond thread monitors memory and may reclaim it",
		"its schemes may page out what the run needs: keep it the same in all runs that are compared",
		.setting = "damon.running", .good = "0"},
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
_Static_assert(COUNT(before_checks) == MACHINE_CHECKS, "who has space for these has space for all");

void machine_check_add(struct machine_check *checks, size_t *count, size_t max, const char *code, const char *value,
	const char *advice, const char *finding)
{
	struct machine_check *check = &checks[*count];

	for (size_t i = 0; i < *count; i++) {
		if (!strcmp(checks[i].code, code))
			return;
	}
	if (*count == max)
		return;
	snprintf(check->code, sizeof(check->code), "%s", code);
	snprintf(check->value, sizeof(check->value), "%s", value);
	snprintf(check->advice, sizeof(check->advice), "%s", advice);
	check->finding = finding;
	++*count;
}

size_t machine_checks(const char *root, const struct machine *machine, struct machine_check *checks, size_t max)
{
	char value[sizeof(checks->value)];
	size_t count = 0;

	for (size_t i = 0; i < COUNT(before_checks); i++) {
		const char *setting = before_checks[i].setting ? machine_setting(machine, before_checks[i].setting) : NULL;
		bool is_found;

		if (!before_checks[i].setting)
			is_found = before_checks[i].is_found(root, machine, value, sizeof(value));
		else if (before_checks[i].bad)
			is_found = setting && !strcmp(setting, before_checks[i].bad);
		else
			is_found = setting && !sysfs_has_word(before_checks[i].good, " ", setting);
		if (setting)
			snprintf(value, sizeof(value), "%s", setting);
		if (is_found)
			machine_check_add(checks, &count, max, before_checks[i].code, value, before_checks[i].advice,
				before_checks[i].meaning);
	}
	return count;
}

/* Stores later - earlier of one counter; false when it is unknown or fell. */
static bool rise_of(const struct vmcounters *before, const struct vmcounters *after, const char *name, uint64_t *rise)
{
	uint64_t earlier, later;

	if (!vmcounters_get(before, name, &earlier) || !vmcounters_get(after, name, &later) || later < earlier)
		return false;
	*rise = later - earlier;
	return true;
}

size_t machine_checks_run(const struct vmcounters *before, const struct vmcounters *after, uint64_t own_major_faults,
	struct machine_check *checks, size_t max)
{
	uint64_t steal, total, faults, kills;
	char value[sizeof(checks->value)];
	size_t count = 0;

	if (rise_of(before, after, "stat.steal", &steal) && rise_of(before, after, "stat.total", &total) &&
		(double)steal * 100 > (double)total * MAX_STEAL_PERCENT) {
		snprintf(value, sizeof(value), "%.2f %%", (double)steal * 100 / (double)total);
		machine_check_add(checks, &count, max, "steal", value,
			"the hypervisor may have caused the slowest accesses: run on a quieter host, or on dedicated CPUs",
			"the hypervisor gave CPU time to other guests during the run");
	}
	if (rise_of(before, after, "vmstat.pgmajfault", &faults) && faults > own_major_faults &&
		faults - own_major_faults > MAX_OTHER_FAULTS && faults - own_major_faults > own_major_faults / 100) {
		snprintf(value, sizeof(value), "%" PRIu64 ", the run itself %" PRIu64, faults - own_major_faults, own_major_faults);
		machine_check_add(checks, &count, max, "other-faults", value,
			"other programs compete for memory and the swap device: stop them, or limit the run's memory (--ram)",
			"other programs had major faults during the run");
	}
	if (rise_of(before, after, "vmstat.oom_kill", &kills) && kills) {
		snprintf(value, sizeof(value), "%" PRIu64, kills);
		machine_check_add(checks, &count, max, "oom-kill", value,
			"memory was overcommitted: map less, or add swap",
			"the kernel killed a process for lack of memory during the run");
	}
	return count;
}
