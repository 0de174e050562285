/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of probes. */
#include "config.h"
#include "common/probe/probe.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/diag.h"
#include "common/base/sysfs.h"
#include "common/host/machine.h"
#include "common/probe/probe_checks.h"

static const struct probe probes[] = {
	{"time-source", .check = probe_time_source},
	{"page-size", .check = probe_page_size},
	{"memory", .check = probe_memory},
	{"numa", .check = probe_numa},
	{"thp", .check = probe_thp, .fix = "echo madvise > /sys/kernel/mm/transparent_hugepage/enabled"},
	{"hugetlb", .check = probe_hugetlb},
	{"memlock", .check = probe_memlock, .fix = "echo '* - memlock unlimited' >> /etc/security/limits.conf, then log in again"},
	{"cpu-quota", .check = probe_cpu_quota},
	{"privilege", .check = probe_privilege},
	{"pid-namespace", .check = probe_pid_namespace},
	{"memory-cgroup", .check = probe_memory_cgroup},
	{"swap", .check = probe_swap},
	{"zram", .check = probe_zram},
	{"loop", .check = probe_loop},
	{"swap-file", .check = probe_swap_file, .is_of_paths = true},
	{"o-direct", .check = probe_o_direct, .is_of_paths = true},
	{"io-limit", .check = probe_io_limit, .is_of_paths = true},
	{"io-uring", .check = probe_io_uring},
	{"io-uring-deferred", .check = probe_io_uring_deferred},
	{"dirty-thresholds", .check = probe_dirty_thresholds},
	{"io-throttle", .check = probe_io_throttle},
	{"cold-memory", .check = probe_cold_memory},
	{"perf-paranoid", .check = probe_perf_paranoid, .fix = "sysctl kernel.perf_event_paranoid=1"},
	{"page-fault-events", .check = probe_perf_faults},
	{"hardware-counters", .check = probe_perf_cycles},
	{"memory-sampling", .check = probe_memory_trace},
	{"perf-mlock", .check = probe_perf_mlock, .fix = "sysctl kernel.perf_event_mlock_kb=4100"},
	{"ptrace-scope", .check = probe_ptrace_scope, .fix = "sysctl kernel.yama.ptrace_scope=0"},
	{"lockdown", .check = probe_lockdown},
	{"process-madvise", .check = probe_process_madvise},
	{"tracefs", .check = probe_tracefs},
};

const struct probe *probe_find(const char *name)
{
	for (size_t i = 0; i < sizeof(probes) / sizeof(probes[0]); i++) {
		if (!strcmp(probes[i].name, name))
			return &probes[i];
	}
	return NULL;
}

const char *probe_status_name(enum probe_status status)
{
	static const char *const names[] = {
		[PROBE_OK] = "ok", [PROBE_NOTE] = "note", [PROBE_LIMITED] = "limited", [PROBE_MISSING] = "missing",
		[PROBE_NOTHING] = ""};

	return names[status];
}

void probe_read_credentials(struct probe_host *host)
{
	const char *capabilities, *filter, *uid;
	uint64_t number;
	char *status;
	size_t length;

	host->capabilities = UINT64_MAX;
	host->is_filtered = false;
	host->uid = 0;
	if (sysfs_slurp(host->root, "/proc/self/status", 1 << 16, &status, &length))
		return;
	capabilities = sysfs_field(status, "CapEff");
	if (capabilities)
		host->capabilities = strtoull(capabilities, NULL, 16);
	filter = sysfs_field(status, "Seccomp");
	host->is_filtered = filter && *filter == '2';
	/* The line has four numbers; the second is the effective uid. */
	uid = sysfs_field(status, "Uid");
	uid = uid ? sysfs_scan_u64(uid, &number) : NULL;
	if (uid && sysfs_scan_u64(uid + strspn(uid, "\t "), &number))
		host->uid = (unsigned)number;
	free(status);
}

void probe_ask(const struct probe_host *host, const struct probe *probe, const char *path, struct probe_answer *answer)
{
	*answer = (struct probe_answer){.path = path};
	probe->check(host, answer);
	if (answer->status == PROBE_OK)
		answer->meaning[0] = answer->fix[0] = '\0';
	else if (!answer->has_fix && probe->fix)
		probe_fix(answer, "%s", probe->fix);
}

int probe_require(const char *root, const char *name, char *why, size_t length)
{
	struct machine *machine = malloc(sizeof(*machine));
	struct probe_host host = {.root = root, .hooks = &probe_real_hooks, .machine = machine};
	struct probe_answer answer = {.status = PROBE_MISSING};

	if (machine && !machine_read(root, machine)) {
		probe_read_credentials(&host);
		probe_ask(&host, probe_find(name), NULL, &answer);
	} else {
		probe_say(&answer, PROBE_MISSING, "not stated in /proc or /sys");
	}
	free(machine);
	if (answer.status == PROBE_OK)
		return 0;
	return diag_explain(-ENOTSUP, why, length, "%s%s%s", answer.value, answer.fix[0] ? ": " : "", answer.fix);
}
