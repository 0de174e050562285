/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of probes, and what they answer with. */
#include "config.h"
#include "common/probe_private.h"

#include <errno.h>
#include <linux/capability.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/diag.h"
#include "common/sysfs.h"

static const struct probe probes[] = {
	{"time-source", .check = probe_time_source},
	{"page-size", .check = probe_page_size},
	{"memory", .check = probe_memory},
	{"numa", .check = probe_numa},
	{"thp", .check = probe_thp, .fix = "echo madvise > /sys/kernel/mm/transparent_hugepage/enabled"},
	{"hugetlb", .check = probe_hugetlb},
	{"memlock", .check = probe_memlock, .fix = "echo '* - memlock unlimited' >> /etc/security/limits.conf, then log in again"},
	{"privilege", .check = probe_privilege},
	{"pid-namespace", .check = probe_pid_namespace},
	{"memory-cgroup", .check = probe_memory_cgroup},
	{"swap", .check = probe_swap},
	{"zram", .check = probe_zram},
	{"loop", .check = probe_loop},
	{"swap-file", .check = probe_swap_file, .is_of_paths = true},
	{"o-direct", .check = probe_o_direct, .is_of_paths = true},
	{"io-uring", .check = probe_io_uring},
	{"io-uring-deferred", .check = probe_io_uring_deferred},
	{"dirty-thresholds", .check = probe_dirty_thresholds},
	{"io-throttle", .check = probe_io_throttle},
	{"cold-memory", .check = probe_cold_memory},
	{"perf-paranoid", .check = probe_perf_paranoid, .fix = "sysctl kernel.perf_event_paranoid=1"},
	{"page-fault-events", .check = probe_perf_faults},
	{"hardware-counters", .check = probe_perf_cycles},
	{"memory-sampling", .check = probe_memory_trace},
	{"tracefs", .check = probe_tracefs},
	{"userfaultfd", .check = probe_userfaultfd},
	{"gnuplot", .check = probe_gnuplot, .fix = "apt-get install gnuplot-nox"},
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
__attribute__((format(printf, 3, 0)))
static void format_line(char *text, size_t length, const char *format, va_list arguments)
{
	vsnprintf(text, length, format, arguments);
	diag_clean(text, strlen(text), "");
}

void probe_say(struct probe_answer *answer, enum probe_status status, const char *format, ...)
{
	va_list arguments;

	answer->status = status;
	va_start(arguments, format);
	format_line(answer->value, sizeof(answer->value), format, arguments);
	va_end(arguments);
}

void probe_mean(struct probe_answer *answer, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	format_line(answer->meaning, sizeof(answer->meaning), format, arguments);
	va_end(arguments);
}

void probe_fix(struct probe_answer *answer, const char *format, ...)
{
	va_list arguments;

	answer->has_fix = true;
	va_start(arguments, format);
	format_line(answer->fix, sizeof(answer->fix), format, arguments);
	va_end(arguments);
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

/* "CapEff:\t00ff" in the text of /proc/self/status: what stands behind the name, NULL when it is not there. */
static const char *status_field(const char *status, const char *name)
{
	for (const char *line = status; *line; line += strcspn(line, "\n"), line += *line == '\n') {
		if (!strncmp(line, name, strlen(name)))
			return line + strlen(name) + strspn(line + strlen(name), "\t ");
	}
	return NULL;
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
	capabilities = status_field(status, "CapEff:");
	if (capabilities)
		host->capabilities = strtoull(capabilities, NULL, 16);
	filter = status_field(status, "Seccomp:");
	host->is_filtered = filter && *filter == '2';
	/* The second of four is the effective one. */
	uid = status_field(status, "Uid:");
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
		probe_say(&answer, PROBE_MISSING, "/proc and /sys do not tell");
	}
	free(machine);
	if (answer.status == PROBE_OK)
		return 0;
	snprintf(why, length, "%s%s%s", answer.value, answer.fix[0] ? ": " : "", answer.fix);
	return -ENOTSUP;
}
