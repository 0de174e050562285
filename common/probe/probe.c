/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of probes, and what they answer with. */
#include "config.h"
#include "common/probe/probe_private.h"

#include <errno.h>
#include <linux/capability.h>
#include <linux/io_uring.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/diag.h"
#include "common/base/sysfs.h"
#include "common/base/units.h"
#include "common/host/machine.h"
#include "common/kernel/cgroup.h"
#include "common/kernel/counters.h"

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

/* Files of the kernel and names of folders may hold what terminals obey. */
#define FORMAT_LINE(text, format) \
	do { \
		va_list arguments; \
\
		va_start(arguments, format); \
		vsnprintf(text, sizeof(text), format, arguments); \
		va_end(arguments); \
		diag_clean(text, strlen(text), ""); \
	} while (0)

void probe_say(struct probe_answer *answer, enum probe_status status, const char *format, ...)
{
	answer->status = status;
	FORMAT_LINE(answer->value, format);
}

void probe_mean(struct probe_answer *answer, const char *format, ...)
{
	FORMAT_LINE(answer->meaning, format);
}

void probe_fix(struct probe_answer *answer, const char *format, ...)
{
	answer->has_fix = true;
	FORMAT_LINE(answer->fix, format);
}

void probe_no_fix(struct probe_answer *answer)
{
	answer->has_fix = true;
	answer->fix[0] = '\0';
}

bool probe_can(const struct probe_host *host, int capability)
{
	return host->capabilities >> capability & 1;
}

void probe_fix_privilege(const struct probe_host *host, struct probe_answer *answer)
{
	if (host->uid)
		probe_fix(answer, "sudo COMMAND");
	else if (probe_can(host, CAP_SYS_ADMIN))
		probe_no_fix(answer);
	else
		probe_fix(answer, "docker run --privileged");
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
	/* The second of four is the effective one. */
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

/* Writing past the page cache, many requests in flight, and what decides when writes are throttled. */

#define DIRTY_BYTES "/proc/sys/vm/dirty_bytes"
#define BLKIO_FILE "blkio.throttle.write_bps_device"

#ifndef IORING_SETUP_SINGLE_ISSUER /* Linux 6.0 */
#define IORING_SETUP_SINGLE_ISSUER (1u << 12)
#endif
#ifndef IORING_SETUP_DEFER_TASKRUN /* Linux 6.1 */
#define IORING_SETUP_DEFER_TASKRUN (1u << 13)
#endif

void probe_o_direct(const struct probe_host *host, struct probe_answer *answer)
{
	struct probe_direct direct = {0};
	int err = host->hooks->direct(answer->path, &direct);
	const char *filesystem = direct.filesystem[0] ? direct.filesystem : "a file system of another kind";

	if (err == -EACCES || err == -EPERM || err == -EROFS || err == -ENOSPC || err == -EDQUOT) {
		/* Says nothing about the file system. */
		probe_say(answer, PROBE_MISSING, "%s: %s: %s", filesystem, direct.step, strerror(-err));
		probe_mean(answer, "this user cannot write here");
		if (err == -EACCES || err == -EPERM)
			probe_fix_privilege(host, answer);
	} else if (err) {
		probe_say(answer, PROBE_MISSING, "%s: %s: %s", filesystem, direct.step, strerror(-err));
	} else if (direct.is_cached) {
		probe_say(answer, PROBE_MISSING, "%s: accepted, but its files are in memory", filesystem);
	} else if (direct.has_alignment && !direct.memory_bytes) {
		probe_say(answer, PROBE_MISSING, "%s: accepted, but the kernel reports that it is not direct", filesystem);
	} else if (!direct.has_alignment) {
		probe_say(answer, PROBE_LIMITED, "%s: works in whole pages, alignment unknown", filesystem);
	} else {
		probe_say(answer, PROBE_OK, "%s, memory aligned to %u bytes, offsets to %u", filesystem,
			direct.memory_bytes, direct.offset_bytes);
	}
}

void probe_io_uring(const struct probe_host *host, struct probe_answer *answer)
{
	int err = host->hooks->uring(0);
	char disabled[16] = "0";

	(void)sysfs_read(host->root, "/proc/sys/kernel/io_uring_disabled", disabled, sizeof(disabled));
	if (!err) {
		probe_say(answer, PROBE_OK, "a ring was set up");
	} else if (err == -EPERM && strcmp(disabled, "0")) {
		probe_say(answer, PROBE_MISSING, "kernel.io_uring_disabled=%s", disabled);
		probe_fix(answer, "sysctl kernel.io_uring_disabled=0");
	} else if ((err == -EPERM || err == -ENOSYS) && host->is_filtered) {
		probe_say(answer, PROBE_MISSING, "%s: a seccomp filter is on this process", strerror(-err));
		probe_fix(answer, "docker run --security-opt seccomp=unconfined");
	} else if (err == -ENOMEM) {
		/* Before Linux 5.12 rings counted as locked memory. */
		probe_say(answer, PROBE_MISSING, "%s", strerror(-err));
		probe_fix(answer, "ulimit -l unlimited");
	} else {
		probe_say(answer, PROBE_MISSING, "%s", err == -ENOSYS ? "not in this kernel" : strerror(-err));
	}
}

/* A row of its own: a program that waits for one request at a time is no worse without it. */
void probe_io_uring_deferred(const struct probe_host *host, struct probe_answer *answer)
{
	int err = host->hooks->uring(0);

	if (err) {
		answer->status = PROBE_NOTHING; /* the row before has said it */
		return;
	}
	err = host->hooks->uring(IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN);
	if (!err)
		probe_say(answer, PROBE_OK, "completions can be deferred");
	else if (err == -EINVAL)
		probe_say(answer, PROBE_LIMITED, "not in this kernel");
	else
		probe_say(answer, PROBE_LIMITED, "%s", strerror(-err));
}

/* "background 512 MiB, limit 1 GiB", as the kernel has them now. */
void probe_dirty_thresholds(const struct probe_host *host, struct probe_answer *answer)
{
	struct vmcounters *counters = calloc(1, sizeof(*counters));
	char text[128] = "not in /proc/vmstat", low[UNITS_TEXT], high[UNITS_TEXT];
	int err = host->hooks->is_writable(DIRTY_BYTES);
	uint64_t background, limit;

	if (counters && !vmcounters_read(host->root, NULL, VMCOUNTERS_VMSTAT, counters) &&
		vmcounters_get(counters, "vmstat.nr_dirty_background_threshold", &background) &&
		vmcounters_get(counters, "vmstat.nr_dirty_threshold", &limit))
		snprintf(text, sizeof(text), "background %s, limit %s",
			units_format_size(background * host->machine->page_bytes, low, sizeof(low)),
			units_format_size(limit * host->machine->page_bytes, high, sizeof(high)));
	free(counters);
	if (!err) {
		probe_say(answer, PROBE_OK, "%s; can be set", text);
		return;
	}
	probe_say(answer, PROBE_LIMITED, "%s; cannot be set: %s", text, strerror(-err));
	if (err == -EACCES || err == -EPERM || err == -EROFS)
		probe_fix_privilege(host, answer);
}

void probe_io_throttle(const struct probe_host *host, struct probe_answer *answer)
{
	struct cgroup_place place;
	char controllers[512];

	if (!cgroup_find_hierarchy(host->root, "blkio", &place) &&
		!access(SYSFS_PATH("%s%s/" BLKIO_FILE, host->root, place.dir), F_OK))
		probe_say(answer, PROBE_OK, "blkio (cgroup version 1)");
	/* Write-back belongs to the group that made the pages dirty only where it has both controllers. */
	else if (!cgroup_find_hierarchy(host->root, NULL, &place) &&
		!sysfs_read(host->root, SYSFS_PATH("%s/cgroup.controllers", place.mount_point), controllers, sizeof(controllers)) &&
		sysfs_has_word(controllers, " ", "io") && sysfs_has_word(controllers, " ", "memory"))
		probe_say(answer, PROBE_OK, "io.max (cgroup version 2)");
	else
		probe_say(answer, PROBE_MISSING, "neither blkio nor io and memory in version 2");
}

void probe_cold_memory(const struct probe_host *host, struct probe_answer *answer)
{
	struct balloon balloon;

	balloon_read(host->root, &balloon);
	if (balloon.reports_pages)
		probe_say(answer, PROBE_NOTE, "free pages go back to the hypervisor (page reporting)");
	else if (balloon.count)
		probe_say(answer, PROBE_NOTE, "the hypervisor may take free pages (virtio_balloon)");
	else
		probe_say(answer, PROBE_OK, "no balloon, no page reporting");
}
