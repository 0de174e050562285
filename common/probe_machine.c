/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The clock, memory and its pages, and the programs that others are asked to run. */
#include "config.h"
#include "common/probe_private.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/capability.h>
#include <stdlib.h>
#include <string.h>

#include "common/units.h"
#include "common/vmcounters.h"

#define DEFAULT_MAP (256 * UNITS_MIB) /* what a program that wants some huge pages wants */
#define MIN_AVAILABLE (512 * UNITS_MIB)
#define MIN_MEMLOCK (8 * UNITS_MIB) /* the kernel's own default since Linux 5.16 */

void probe_time_source(const struct probe_host *host, struct probe_answer *answer)
{
	struct timebase timebase;
	int err = host->hooks->time_source(host->root, &timebase);
	const char *name = timebase_method_name(err ? TICKS_DEFAULT : timebase.method);

	if (err) {
		probe_say(answer, PROBE_LIMITED, "%s: %s", name, strerror(-err));
	} else if (timebase.distrust[0]) {
		probe_say(answer, PROBE_LIMITED, "%s: %s", name, timebase.distrust);
	} else if (timebase.method == TICKS_PERFC) {
		probe_say(answer, PROBE_LIMITED, "perfc: clock_gettime, %.0f ns a pair of stamps", timebase.overhead_ns);
		probe_mean(answer, "no counter of this CPU is known: the system's clock stamps, which takes longer");
		probe_no_fix(answer);
	} else {
		probe_say(answer, PROBE_OK, "%s, %.3f MHz, invariant, the same on all CPUs, %.0f ns a pair", name,
			timebase.start.khz / 1000, timebase.overhead_ns);
	}
}

void probe_page_size(const struct probe_host *host, struct probe_answer *answer)
{
	char size[UNITS_TEXT];

	probe_say(answer, PROBE_OK, "%s", units_format_size(host->machine->page_bytes, size, sizeof(size)));
}

void probe_memory(const struct probe_host *host, struct probe_answer *answer)
{
	const struct machine *machine = host->machine;
	char all[UNITS_TEXT], left[UNITS_TEXT], limit[UNITS_TEXT];
	uint64_t available = machine->available_bytes;

	units_format_size(machine->memory_bytes, all, sizeof(all));
	units_format_size(available, left, sizeof(left));
	units_format_size(machine->cgroup_limit_bytes, limit, sizeof(limit));
	if (machine->cgroup_limit_bytes < available)
		available = machine->cgroup_limit_bytes;
	if (machine->cgroup_limit_bytes < machine->memory_bytes)
		probe_say(answer, PROBE_OK, "%s, %s available, limit of our cgroup %s", all, left, limit);
	else
		probe_say(answer, PROBE_OK, "%s, %s available", all, left);
	if (available < MIN_AVAILABLE)
		answer->status = PROBE_LIMITED;
}

void probe_numa(const struct probe_host *host, struct probe_answer *answer)
{
	const struct machine *machine = host->machine;
	size_t without_cpus = 0;

	for (size_t i = 0; i < machine->node_count; i++)
		without_cpus += !machine->nodes[i].cpus[0];
	if (machine->node_count < 2)
		probe_say(answer, PROBE_OK, "1 node: --membind and its like have no choice");
	else if (without_cpus)
		probe_say(answer, PROBE_OK, "%zu nodes, %zu of memory only", machine->node_count, without_cpus);
	else
		probe_say(answer, PROBE_OK, "%zu nodes", machine->node_count);
}

void probe_thp(const struct probe_host *host, struct probe_answer *answer)
{
	const char *enabled = machine_setting(host->machine, "thp.enabled");

	if (enabled) {
		probe_say(answer, strcmp(enabled, "never") ? PROBE_OK : PROBE_LIMITED, "%s", enabled);
		return;
	}
	probe_say(answer, PROBE_MISSING, "not in this kernel");
	probe_no_fix(answer);
}

void probe_hugetlb(const struct probe_host *host, struct probe_answer *answer)
{
	struct vmcounters *meminfo = calloc(1, sizeof(*meminfo));
	uint64_t total, unused = 0, size_bytes = 0, wanted;
	char size[UNITS_TEXT];

	if (!meminfo || vmcounters_read(host->root, NULL, VMCOUNTERS_MEMINFO, meminfo) ||
		!vmcounters_get(meminfo, "meminfo.HugePages_Total", &total)) {
		probe_say(answer, PROBE_MISSING, "not in this kernel");
		goto out;
	}
	vmcounters_get(meminfo, "meminfo.HugePages_Free", &unused);
	vmcounters_get(meminfo, "meminfo.Hugepagesize", &size_bytes);
	units_format_size(size_bytes, size, sizeof(size));
	probe_say(answer, unused ? PROBE_OK : PROBE_NOTE,
		"%" PRIu64 " of %" PRIu64 " pages of %s are free", unused, total, size);
	wanted = size_bytes ? (DEFAULT_MAP + size_bytes - 1) / size_bytes : 1;
	probe_fix(answer, "sysctl vm.nr_hugepages=%" PRIu64, total - unused + wanted);
out:
	free(meminfo);
}

void probe_memlock(const struct probe_host *host, struct probe_answer *answer)
{
	char limit[UNITS_TEXT];
	uint64_t bytes;
	int err = host->hooks->memlock_limit(&bytes);

	if (err)
		probe_say(answer, PROBE_LIMITED, "unknown: %s", strerror(-err));
	else if (probe_can(host, CAP_IPC_LOCK))
		probe_say(answer, PROBE_OK, "no limit (CAP_IPC_LOCK)");
	else if (bytes == UINT64_MAX)
		probe_say(answer, PROBE_OK, "no limit");
	else
		probe_say(answer, bytes < MIN_MEMLOCK ? PROBE_LIMITED : PROBE_OK, "%s",
			units_format_size(bytes, limit, sizeof(limit)));
}

void probe_gnuplot(const struct probe_host *host, struct probe_answer *answer)
{
	char line[96];
	int err = host->hooks->program_version("gnuplot", line, sizeof(line));

	if (!err)
		probe_say(answer, PROBE_OK, "%s", line);
	else if (err == -ENOENT)
		probe_say(answer, PROBE_MISSING, "not in PATH");
	else
		probe_say(answer, PROBE_MISSING, "gnuplot --version: %s", strerror(-err));
}
