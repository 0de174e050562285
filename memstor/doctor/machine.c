/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The clock, memory and its pages, and the programs that others are asked to run. */
#include "config.h"
#include "memstor/doctor/doctor.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/capability.h>
#include <stdlib.h>
#include <string.h>

#include "common/units.h"
#include "common/vmcounters.h"

#define DEFAULT_MAP (256 * UNITS_MIB) /* pmbench's -m */
#define MIN_AVAILABLE (512 * UNITS_MIB)
#define MIN_MEMLOCK (8 * UNITS_MIB) /* the kernel's own default since Linux 5.16 */

void doctor_time_source(const struct doctor_host *host, const char *path, struct doctor_finding *finding)
{
	struct timebase timebase;
	int err = host->hooks->time_source(host->root, &timebase);
	const char *name = timebase_method_name(err ? TICKS_DEFAULT : timebase.method);

	(void)path;
	if (err) {
		doctor_say(finding, DOCTOR_LIMITED, "%s: %s", name, strerror(-err));
	} else if (timebase.distrust[0]) {
		doctor_say(finding, DOCTOR_LIMITED, "%s: %s", name, timebase.distrust);
	} else if (timebase.method == TICKS_PERFC) {
		doctor_say(finding, DOCTOR_LIMITED, "perfc: clock_gettime, %.0f ns a pair of stamps", timebase.overhead_ns);
		doctor_mean(finding, "pmbench knows no counter of this CPU: the system's clock stamps, which takes longer");
		doctor_mend(finding, "%s", "");
	} else {
		doctor_say(finding, DOCTOR_OK, "%s, %.3f MHz, invariant, the same on all CPUs, %.0f ns a pair", name,
			timebase.start.khz / 1000, timebase.overhead_ns);
	}
}

void doctor_page_size(const struct doctor_host *host, const char *path, struct doctor_finding *finding)
{
	char size[UNITS_TEXT];

	(void)path;
	doctor_say(finding, DOCTOR_OK, "%s", units_format_size(host->machine->page_bytes, size, sizeof(size)));
}

void doctor_memory(const struct doctor_host *host, const char *path, struct doctor_finding *finding)
{
	const struct machine *machine = host->machine;
	char all[UNITS_TEXT], left[UNITS_TEXT], limit[UNITS_TEXT];
	uint64_t available = machine->available_bytes;

	(void)path;
	units_format_size(machine->memory_bytes, all, sizeof(all));
	units_format_size(available, left, sizeof(left));
	units_format_size(machine->cgroup_limit_bytes, limit, sizeof(limit));
	if (machine->cgroup_limit_bytes < available)
		available = machine->cgroup_limit_bytes;
	if (machine->cgroup_limit_bytes < machine->memory_bytes)
		doctor_say(finding, DOCTOR_OK, "%s, %s available, limit of our cgroup %s", all, left, limit);
	else
		doctor_say(finding, DOCTOR_OK, "%s, %s available", all, left);
	if (available < MIN_AVAILABLE)
		finding->status = DOCTOR_LIMITED;
}

void doctor_numa(const struct doctor_host *host, const char *path, struct doctor_finding *finding)
{
	const struct machine *machine = host->machine;
	size_t without_cpus = 0;

	(void)path;
	for (size_t i = 0; i < machine->node_count; i++)
		without_cpus += !machine->nodes[i].cpus[0];
	if (machine->node_count < 2)
		doctor_say(finding, DOCTOR_OK, "1 node: --membind and its like have no choice");
	else if (without_cpus)
		doctor_say(finding, DOCTOR_OK, "%zu nodes, %zu of memory only", machine->node_count, without_cpus);
	else
		doctor_say(finding, DOCTOR_OK, "%zu nodes", machine->node_count);
}

void doctor_thp(const struct doctor_host *host, const char *path, struct doctor_finding *finding)
{
	const char *enabled = machine_setting(host->machine, "thp.enabled");

	(void)path;
	if (enabled) {
		doctor_say(finding, strcmp(enabled, "never") ? DOCTOR_OK : DOCTOR_LIMITED, "%s", enabled);
		return;
	}
	doctor_say(finding, DOCTOR_MISSING, "not in this kernel");
	doctor_mend(finding, "%s", "");
}

void doctor_hugetlb(const struct doctor_host *host, const char *path, struct doctor_finding *finding)
{
	struct vmcounters *meminfo = calloc(1, sizeof(*meminfo));
	uint64_t total, unused = 0, size_bytes = 0, wanted;
	char size[UNITS_TEXT];

	(void)path;
	if (!meminfo || vmcounters_read(host->root, NULL, VMCOUNTERS_MEMINFO, meminfo) ||
		!vmcounters_get(meminfo, "meminfo.HugePages_Total", &total)) {
		doctor_say(finding, DOCTOR_MISSING, "not in this kernel");
		goto out;
	}
	vmcounters_get(meminfo, "meminfo.HugePages_Free", &unused);
	vmcounters_get(meminfo, "meminfo.Hugepagesize", &size_bytes);
	units_format_size(size_bytes, size, sizeof(size));
	doctor_say(finding, unused ? DOCTOR_OK : DOCTOR_NOTE,
		"%" PRIu64 " of %" PRIu64 " pages of %s are free", unused, total, size);
	/* As many as pmbench maps without -m. */
	wanted = size_bytes ? (DEFAULT_MAP + size_bytes - 1) / size_bytes : 1;
	doctor_mend(finding, "sysctl vm.nr_hugepages=%" PRIu64, total - unused + wanted);
out:
	free(meminfo);
}

void doctor_memlock(const struct doctor_host *host, const char *path, struct doctor_finding *finding)
{
	char limit[UNITS_TEXT];
	uint64_t bytes;
	int err = host->hooks->memlock_limit(&bytes);

	(void)path;
	if (err)
		doctor_say(finding, DOCTOR_LIMITED, "unknown: %s", strerror(-err));
	else if (doctor_can(host, CAP_IPC_LOCK))
		doctor_say(finding, DOCTOR_OK, "no limit (CAP_IPC_LOCK)");
	else if (bytes == UINT64_MAX)
		doctor_say(finding, DOCTOR_OK, "no limit");
	else
		doctor_say(finding, bytes < MIN_MEMLOCK ? DOCTOR_LIMITED : DOCTOR_OK, "%s",
			units_format_size(bytes, limit, sizeof(limit)));
}

void doctor_gnuplot(const struct doctor_host *host, const char *path, struct doctor_finding *finding)
{
	char line[96];
	int err = host->hooks->program_version("gnuplot", line, sizeof(line));

	(void)path;
	if (!err)
		doctor_say(finding, DOCTOR_OK, "%s", line);
	else if (err == -ENOENT)
		doctor_say(finding, DOCTOR_MISSING, "not in PATH");
	else
		doctor_say(finding, DOCTOR_MISSING, "gnuplot --version: %s", strerror(-err));
}
