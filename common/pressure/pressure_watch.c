/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "common/pressure/pressure_watch.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/sysfs.h"
#include "common/base/units.h"

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

/* Reads the flags, the ninth field of "12 (a name) S 1 12 12 0 -1 4194304 ...". */
static bool is_exiting(const char *proc, pid_t pid)
{
	uint64_t flags = PF_EXITING;
	char *text, *rest;
	size_t size;

	/* Reads the whole file because the name may contain a newline. */
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

/* An exiting process may have lost its cgroup. Its number may then go to another process, so the cgroup is read again. */
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

/* --- swap --- */

void pressure_watch_own(struct pressure_watch *watch, const char *path, int priority)
{
	snprintf(watch->own_path, sizeof(watch->own_path), "%s", path);
	watch->own_priority = priority;
}

static void note_other(struct pressure_watch *watch, const struct swap_line *line)
{
	struct pressure_watch_area *area = watch->others;
	size_t i = 0;

	while (i < watch->other_count && strncmp(area[i].path, line->path, sizeof(area->path) - 1) != 0)
		i++;
	if (i == SWAP_AREAS)
		return;
	area += i;
	if (i == watch->other_count) {
		snprintf(area->path, sizeof(area->path), "%s", line->path);
		area->first_bytes = line->used_bytes;
		area->priority = line->priority;
		watch->other_count++;
	}
	if (line->priority > area->priority)
		area->priority = line->priority;
	if (line->used_bytes > area->most_bytes)
		area->most_bytes = line->used_bytes;
}

/* Returns the possible error of a count of swapped pages. */
static uint64_t slack_bytes(void)
{
	return (uint64_t)CGROUP_STAT_PAGES * (uint64_t)sysconf(_SC_NPROCESSORS_ONLN) * (uint64_t)sysconf(_SC_PAGESIZE);
}

/* A swap file stays active after it is removed. */
static bool is_own(const struct pressure_watch *watch, const char *path)
{
	size_t length = strlen(watch->own_path);

	return !strncmp(path, watch->own_path, length) && (!path[length] || !strcmp(path + length, " (deleted)"));
}

/* Reads the bytes in use of the run's own area; -errno when that fails. */
static int read_areas(struct pressure_watch *watch, const char *root, uint64_t *used_bytes)
{
	struct swap_line line;
	bool is_there = false;
	char *text, *rest;
	size_t size;
	int ret = sysfs_slurp(root, "/proc/swaps", 64 * 1024, &text, &size);

	if (ret)
		return ret;
	rest = text;
	while (swap_next(&rest, &line)) {
		if (!is_own(watch, line.path)) {
			note_other(watch, &line);
			continue;
		}
		is_there = true;
		*used_bytes = line.used_bytes;
		watch->was_own_full = watch->was_own_full || line.used_bytes >= line.size_bytes / 100 * 99;
	}
	free(text);
	if (!is_there)
		watch->is_own_lost = true;
	return is_there ? 0 : -ENOENT;
}

void pressure_watch_swap(struct pressure_watch *watch, const char *root, const struct cgroup *cgroup)
{
	uint64_t before, after, swapped, elsewhere, least;

	if (!watch->own_path[0] || read_areas(watch, root, &before))
		return;
	if (!cgroup->version || cgroup_swapped(cgroup, &swapped) || read_areas(watch, root, &after))
		return;
	watch->is_swapped_known = true;
	if (swapped > watch->swapped_bytes)
		watch->swapped_bytes = swapped;
	/* Pages move between the readings, so the larger reading of the own area is used, and the smaller difference of two
	 * samples. Other programs' pages in the area make the difference smaller, never larger. */
	before = before > after ? before : after;
	elsewhere = swapped > before ? swapped - before : 0;
	least = elsewhere < watch->last_elsewhere_bytes ? elsewhere : watch->last_elsewhere_bytes;
	if (least > watch->elsewhere_bytes)
		watch->elsewhere_bytes = least;
	watch->last_elsewhere_bytes = elsewhere;
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

/* Finds the area that took most pages, among those with at least this priority. */
static const struct pressure_watch_area *find_other(const struct pressure_watch *watch, int priority)
{
	const struct pressure_watch_area *found = NULL;

	for (size_t i = 0; i < watch->other_count; i++) {
		const struct pressure_watch_area *area = &watch->others[i];

		if (area->priority >= priority && (!found || area->most_bytes - area->first_bytes >
				found->most_bytes - found->first_bytes))
			found = area;
	}
	return found;
}

#define ALONE "repeat the run while no other area is active (swapoff), or with another area of lower priority (swapon -p)"

static void add_elsewhere(const struct pressure_watch *watch, struct pressure_outcome *outcome)
{
	static const char code[] = "swapped-elsewhere";
	const struct pressure_watch_area *first = find_other(watch, watch->own_priority), *any = find_other(watch, INT_MIN);
	const struct pressure_watch_area *other = first ? first : any;
	char most[32], elsewhere[32], swapped[32];

	if (!other)
		return;
	units_format_size(other->most_bytes, most, sizeof(most));
	units_format_size(watch->swapped_bytes, swapped, sizeof(swapped));
	if (watch->elsewhere_bytes > slack_bytes() + watch->swapped_bytes / 100)
		add_reason(outcome, code,
			"at least %s of up to %s that the run had swapped out were not in its own area but in others, such as %s "
			"(priority %d, the own one's is %d): %s",
			units_format_size(watch->elsewhere_bytes, elsewhere, sizeof(elsewhere)), swapped, other->path,
			other->priority, watch->own_priority,
			watch->was_own_full ? "the own area was full, make it larger" : ALONE);
	else if (first && (watch->is_swapped_known ? watch->swapped_bytes : first->most_bytes - first->first_bytes))
		add_reason(outcome, code,
			"the swap area %s was active with priority %d, not below %d, the own area's, and up to %s were in use "
			"there: pages of the run went there first or in turn; " ALONE,
			first->path, first->priority, watch->own_priority, most);
	else if (watch->was_own_full)
		add_reason(outcome, code,
			"the run's own swap area was full while %s was active, where up to %s were in use, so pages of the run "
			"may be there: make the own area larger", any->path, most);
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
	if (watch->is_own_lost)
		add_reason(outcome, "swap-lost",
			"the run's swap area %s was switched off by another program during the run: find what did that, and repeat "
			"the run without it", watch->own_path);
	add_elsewhere(watch, outcome);
	if (watch->outside_pid)
		add_reason(outcome, "left-cgroup",
			"process %d (%s) left the run's memory cgroup, and processes outside of it used up to %s that no "
			"limit of the run applies to: start it so that nothing moves its processes",
			(int)watch->outside_pid, watch->outside_name,
			units_format_size(watch->outside_bytes, before, sizeof(before)));
}
