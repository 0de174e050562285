/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "common/pressure_watch.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/sysfs.h"
#include "common/units.h"

/* --- limits --- */

void pressure_watch_begin(struct pressure_watch *watch, const struct cgroup *cgroup)
{
	cgroup_read_limits(cgroup, watch->limits);
}

bool pressure_watch_limits(struct pressure_watch *watch, const struct cgroup *cgroup)
{
	struct cgroup_limit now[CGROUP_LIMIT_FILES];
	bool is_any = false;

	cgroup_read_limits(cgroup, now);
	for (size_t i = 0; i < CGROUP_LIMIT_FILES; i++) {
		if (watch->limits[i].value[0] && strcmp(now[i].value, watch->limits[i].value))
			snprintf(watch->changed[i], sizeof(watch->changed[i]), "%s", now[i].value[0] ? now[i].value : "?");
		is_any = is_any || watch->changed[i][0];
	}
	return is_any;
}

static const char *limit_text(const struct cgroup_limit *limit, const char *value, char text[32])
{
	uint64_t bytes;

	if (!strcmp(value, "max"))
		return "no limit";
	if (!strcmp(value, "?"))
		return "a value that cannot be read";
	if (strstr(limit->name, "swappiness") || units_parse_u64(value, 0, UINT64_MAX, &bytes))
		return value;
	return bytes < CGROUP_NO_LIMIT ? units_format_size(bytes, text, 32) : "no limit";
}

/* --- processes --- */

#define PF_EXITING 0x4 /* include/linux/sched.h */

/* "12 (a name) S 1 12 12 0 -1 4194304 ...": the ninth field has the flags. */
static bool is_exiting(const char *proc, pid_t pid)
{
	uint64_t flags = PF_EXITING;
	char *text, *rest;
	size_t size;

	/* Not a single line: the name may have a newline. */
	if (sysfs_slurp(proc, SYSFS_PATH("/%d/stat", (int)pid), 64 * 1024, &text, &size))
		return true;
	rest = strrchr(text, ')');
	for (int i = 0; rest && i < 7; i++)
		rest = strchr(rest + 1, ' ');
	if (rest)
		sysfs_scan_u64(rest + 1, &flags);
	free(text);
	return flags & PF_EXITING;
}

/* One that is ending may have lost its cgroup. Another may get the number of one that has ended, so the cgroup is read again. */
static bool is_outside(const struct cgroup *cgroup, const char *proc, pid_t pid)
{
	return !cgroup_holds(cgroup, proc, pid) && !is_exiting(proc, pid) && !cgroup_holds(cgroup, proc, pid);
}

static uint64_t memory_of(const char *proc, pid_t pid)
{
	static const char *const fields[] = {"VmRSS", "VmSwap"};
	uint64_t kib, sum = 0;

	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		if (!sysfs_read_field(proc, SYSFS_PATH("/%d/status", (int)pid), fields[i], 10, &kib))
			sum += kib * 1024;
	return sum;
}

bool pressure_watch_members(struct pressure_watch *watch, const struct cgroup *cgroup, const char *proc)
{
	struct dirent *entry;
	uint64_t pid, sum = 0;
	DIR *dir;

	if (sysfs_open_folder(AT_FDCWD, proc, &dir))
		return watch->outside_pid;
	while ((entry = readdir(dir))) {
		if (units_parse_u64(entry->d_name, 2, INT32_MAX, &pid) || !is_outside(cgroup, proc, (pid_t)pid))
			continue;
		sum += memory_of(proc, (pid_t)pid);
		if (watch->outside_pid)
			continue;
		watch->outside_pid = (pid_t)pid;
		if (sysfs_read(proc, SYSFS_PATH("/%d/comm", (int)pid), watch->outside_name, sizeof(watch->outside_name)))
			watch->outside_name[0] = '\0';
	}
	closedir(dir);
	if (sum > watch->outside_bytes)
		watch->outside_bytes = sum;
	return watch->outside_pid;
}

/* --- reasons --- */

static void __attribute__((format(printf, 3, 4))) add_reason(struct pressure_outcome *outcome, const char *code,
	const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	report_reason_add(outcome->reasons, &outcome->reason_count, PRESSURE_REASONS, code, format, arguments);
	va_end(arguments);
}

void pressure_watch_reasons(const struct pressure_watch *watch, struct pressure_outcome *outcome)
{
	char before[32], after[32];

	if (outcome->eaters_lost)
		add_reason(outcome, "lost-eaters", "%u of the eaters were killed before their end: give smaller eaters, or more "
			"--ram or --swap", outcome->eaters_lost);
	for (size_t i = 0; i < CGROUP_LIMIT_FILES; i++) {
		const struct cgroup_limit *limit = &watch->limits[i];

		if (limit->name && watch->changed[i][0])
			add_reason(outcome, "limit-changed",
				"%s of the run's cgroup was changed from %s to %s during the run: find what writes to it, and "
				"repeat the run without that", limit->name, limit_text(limit, limit->value, before),
				limit_text(limit, watch->changed[i], after));
	}
	if (watch->outside_pid)
		add_reason(outcome, "left-cgroup",
			"process %d (%s) left the run's memory cgroup, and processes outside of it used up to %s that no "
			"limit of the run applies to: start it so that nothing moves its processes",
			(int)watch->outside_pid, watch->outside_name,
			units_format_size(watch->outside_bytes, before, sizeof(before)));
}
