/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "common/kernel/counters.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/base/sysfs.h"

#define US_PER_S 1000000
/* /proc/interrupts has some megabytes on a machine with hundreds of CPUs and thousands of queues. */
#define FILE_LIMIT (32u << 20)

static const char *const vmstat_kept[] = {"pg", "psw", "workingset", "numa", "thp", "zswp", "swp", "swap_ra", "allocstall",
	"compact", "kswapd", "slabs_scanned", "drop_", "oom_kill", "cow_ksm", "ksm", "balloon", "nr_free_pages",
	"nr_anon", "nr_file_", "nr_mapped", "nr_mlock", "nr_shmem", "nr_dirt", "nr_writ", "nr_inactive", "nr_active",
	"nr_unevictable", "nr_isolated", "nr_vmscan", "nr_slab", "nr_page_table", "nr_swapcached", "nr_zspages",
	"nr_throttled", NULL};
static const char *const stat_kept[] = {"ctxt", "processes", NULL};
static const char *const cpu_times[] = {
	"user", "nice", "system", "idle", "iowait", "irq", "softirq", "steal", "guest", "guest_nice"};
#define CPU_TIMES_SUMMED 8 /* user holds guest, nice holds guest_nice */

static bool is_kept(const char *const *prefixes, const char *name)
{
	for (; *prefixes; prefixes++)
		if (!strncmp(name, *prefixes, strlen(*prefixes)))
			return true;
	return false;
}

static void add(struct vmcounters *snapshot, const char *prefix, const char *name, size_t length, uint64_t value)
{
	struct vmcounters_value *slot = &snapshot->values[snapshot->count];
	size_t before = strlen(prefix);

	if (snapshot->count == VMCOUNTERS_MAX || before + length >= sizeof(slot->name)) {
		snapshot->left_out++;
		return;
	}
	memcpy(slot->name, prefix, before);
	memcpy(slot->name + before, name, length);
	slot->name[before + length] = '\0';
	slot->value = value;
	snapshot->count++;
}

/* Parses "name value", "name: value" or "name: value kB", the last to bytes. */
static void parse_pair(struct vmcounters *snapshot, const char *prefix, const char *line)
{
	size_t length = strcspn(line, ": \t");
	const char *number = line + length + strspn(line + length, ": \t");
	uint64_t value;
	const char *end = sysfs_scan_u64(number, &value);

	if (!length || !end)
		return;
	if (!strcmp(end, " kB")) {
		if (value > UINT64_MAX / 1024)
			return;
		value *= 1024;
	}
	add(snapshot, prefix, line, length, value);
}

static void parse_vmstat(struct vmcounters *snapshot, const char *prefix, const char *line)
{
	if (is_kept(vmstat_kept, line))
		parse_pair(snapshot, prefix, line);
}

/* Parses a file of one number, which is named by the prefix alone. */
static void parse_single(struct vmcounters *snapshot, const char *prefix, const char *line)
{
	uint64_t value;

	if (sysfs_scan_u64(line, &value))
		add(snapshot, prefix, "", 0, value);
}

/* Parses the total of "some avg10=0.00 avg60=0.00 avg300=0.00 total=0"; the averages are no counters. */
static void parse_pressure(struct vmcounters *snapshot, const char *prefix, const char *line)
{
	const char *total = strstr(line, " total=");
	char name[32];
	uint64_t value;
	int length = snprintf(name, sizeof(name), "%.*s.total", (int)strcspn(line, " "), line);

	if (total && length > 0 && (size_t)length < sizeof(name) && sysfs_scan_u64(total + 7, &value))
		add(snapshot, prefix, name, (size_t)length, value);
}

static void parse_stat(struct vmcounters *snapshot, const char *prefix, const char *line)
{
	uint64_t total = 0;
	const char *p = line + 4;

	if (is_kept(stat_kept, line))
		parse_pair(snapshot, prefix, line);
	if (strncmp(line, "cpu ", 4))
		return;
	for (size_t i = 0; i < sizeof(cpu_times) / sizeof(cpu_times[0]); i++) {
		uint64_t value;

		p = sysfs_scan_u64(p + strspn(p, " "), &value);
		if (!p)
			break;
		add(snapshot, prefix, cpu_times[i], strlen(cpu_times[i]), value);
		total += i < CPU_TIMES_SUMMED ? value : 0;
	}
	add(snapshot, prefix, "total", strlen("total"), total);
}

/* Parses "TLB:  12  34  TLB shootdowns", one column a CPU; lines of devices begin with a number. */
static void parse_interrupt(struct vmcounters *snapshot, const char *prefix, const char *line)
{
	const char *name = line + strspn(line, " ");
	size_t length = strcspn(name, ":");
	uint64_t sum = 0, value;
	const char *p = name + length;

	if (*p != ':' || !length || (*name >= '0' && *name <= '9'))
		return;
	for (p++; (p = sysfs_scan_u64(p + strspn(p, " "), &value)); )
		sum += value;
	add(snapshot, prefix, name, length, sum);
}

struct counters_source {
	enum vmcounters_part part;
	const char *prefix;
	const char *path; /* below the cgroup's folder for VMCOUNTERS_CGROUP */
	void (*parse)(struct vmcounters *snapshot, const char *prefix, const char *line);
};

static const struct counters_source sources[] = {
	{VMCOUNTERS_MEMINFO, "meminfo.", "/proc/meminfo", parse_pair},
	{VMCOUNTERS_VMSTAT, "vmstat.", "/proc/vmstat", parse_vmstat},
	{VMCOUNTERS_PSI, "psi.cpu.", "/proc/pressure/cpu", parse_pressure},
	{VMCOUNTERS_PSI, "psi.memory.", "/proc/pressure/memory", parse_pressure},
	{VMCOUNTERS_PSI, "psi.io.", "/proc/pressure/io", parse_pressure},
	{VMCOUNTERS_CGROUP, "cgroup.usage", "/memory.current", parse_single},
	{VMCOUNTERS_CGROUP, "cgroup.usage", "/memory.usage_in_bytes", parse_single},
	{VMCOUNTERS_CGROUP, "cgroup.swap", "/memory.swap.current", parse_single},
	{VMCOUNTERS_CGROUP, "cgroup.memsw_usage", "/memory.memsw.usage_in_bytes", parse_single},
	{VMCOUNTERS_CGROUP, "cgroup.failcnt", "/memory.failcnt", parse_single},
	{VMCOUNTERS_CGROUP, "cgroup.events.", "/memory.events", parse_pair},
	{VMCOUNTERS_CGROUP, "cgroup.events.", "/memory.oom_control", parse_pair},
	{VMCOUNTERS_CGROUP, "cgroup.psi.memory.", "/memory.pressure", parse_pressure},
	{VMCOUNTERS_CGROUP, "cgroup.psi.io.", "/io.pressure", parse_pressure},
	{VMCOUNTERS_CGROUP, "cgroup.", "/memory.stat", parse_pair},
	{VMCOUNTERS_STAT, "stat.", "/proc/stat", parse_stat},
	{VMCOUNTERS_INTERRUPTS, "interrupts.", "/proc/interrupts", parse_interrupt},
};

int vmcounters_read(const char *root, const char *cgroup_dir, unsigned parts, struct vmcounters *snapshot)
{
	uint64_t begin_ns = clock_ns(CLOCK_MONOTONIC_RAW);
	int first_err = 0;

	snapshot->count = 0;
	snapshot->left_out = 0;
	for (size_t i = 0; i < sizeof(sources) / sizeof(sources[0]); i++) {
		const struct counters_source *source = &sources[i];
		bool is_cgroup = source->part == VMCOUNTERS_CGROUP;
		char path[PATH_MAX], *text, *line, *rest;
		size_t length;
		int err;

		if (!(parts & source->part) || (is_cgroup && !cgroup_dir) ||
			snprintf(path, sizeof(path), "%s%s", is_cgroup ? cgroup_dir : "", source->path) >= (int)sizeof(path))
			continue;
		err = sysfs_slurp(root, path, FILE_LIMIT, &text, &length);
		if (err) {
			first_err = first_err ? first_err : err;
			continue;
		}
		rest = text;
		while ((line = strsep(&rest, "\n")))
			source->parse(snapshot, source->prefix, line);
		free(text);
	}
	snapshot->raw_ns = begin_ns + (clock_ns(CLOCK_MONOTONIC_RAW) - begin_ns) / 2;
	if (snapshot->count)
		return 0;
	return first_err ? first_err : -ENODATA;
}

static const struct vmcounters_value *find(const struct vmcounters *snapshot, const char *name, size_t guess)
{
	if (guess < snapshot->count && !strcmp(snapshot->values[guess].name, name))
		return &snapshot->values[guess];
	for (size_t i = 0; i < snapshot->count; i++)
		if (!strcmp(snapshot->values[i].name, name))
			return &snapshot->values[i];
	return NULL;
}

bool vmcounters_get(const struct vmcounters *snapshot, const char *name, uint64_t *value)
{
	const struct vmcounters_value *found = find(snapshot, name, 0);

	if (found)
		*value = found->value;
	return found;
}

void vmcounters_delta(const struct vmcounters *earlier, const struct vmcounters *later, struct vmcounters *delta)
{
	delta->raw_ns = later->raw_ns - earlier->raw_ns;
	delta->left_out = later->left_out;
	delta->count = 0;
	for (size_t i = 0; i < later->count; i++) {
		const struct vmcounters_value *now = &later->values[i];
		/* Both snapshots usually have a counter at the same index. */
		const struct vmcounters_value *then = find(earlier, now->name, i);

		if (!then)
			continue;
		delta->values[delta->count] = *now;
		delta->values[delta->count++].value = now->value - then->value;
	}
}

/* --- a block device and pressure, at a fixed cost --- */

#define TEXT 512

static const char *const disk_names[COUNTERS_DISK] = {"disk.read_ios", "disk.read_merges", "disk.read_sectors",
	"disk.read_ticks_ms", "disk.write_ios", "disk.write_merges", "disk.write_sectors", "disk.write_ticks_ms",
	"disk.in_flight", "disk.io_ticks_ms", "disk.time_in_queue_ms", "disk.discard_ios", "disk.discard_merges",
	"disk.discard_sectors", "disk.discard_ticks_ms", "disk.flush_ios", "disk.flush_ticks_ms"};

/* Reads all lines; sysfs_read reads one. */
static bool read_text(const char *root, const char *path, char text[TEXT])
{
	int fd = open(SYSFS_PATH("%s%s", root, path), O_RDONLY | O_CLOEXEC);
	ssize_t size;

	if (fd < 0)
		return false;
	size = read(fd, text, TEXT - 1);
	close(fd);
	if (size <= 0)
		return false;
	text[size] = '\0';
	return true;
}

unsigned counters_read_disk(const char *root, const char *stat_path, uint64_t values[COUNTERS_DISK])
{
	char text[TEXT];
	const char *rest = text;
	unsigned count = 0;

	memset(values, 0, COUNTERS_DISK * sizeof(*values));
	if (!stat_path[0] || !read_text(root, stat_path, text))
		return 0;
	while (count < COUNTERS_DISK && rest[strspn(rest, " \n")]) {
		rest = sysfs_scan_u64(rest + strspn(rest, " \n"), &values[count++]);
		if (!rest || !strchr(" \n", *rest))
			return 0;
	}
	return count;
}

/* Parses "some avg10=0.00 avg60=0.00 avg300=0.00 total=17"; kind: the first word. */
static bool find_total(const char *text, const char *kind, uint64_t *us)
{
	const char *line = strstr(text, kind), *total = line ? strstr(line, "total=") : NULL;

	return total && sysfs_scan_u64(total + strlen("total="), us);
}

bool counters_read_cpu_pressure(const char *root, uint64_t *us)
{
	char text[TEXT];

	return read_text(root, "/proc/pressure/cpu", text) && find_total(text, "some", us);
}

bool counters_read_others(const char *root, int64_t *us)
{
	char text[TEXT];
	const char *rest = text + strlen("cpu ");
	uint64_t user, nice;
	struct rusage own;

	if (!read_text(root, "/proc/stat", text) || strncmp(text, "cpu ", strlen("cpu ")) || getrusage(RUSAGE_SELF, &own) ||
		!(rest = sysfs_scan_u64(rest + strspn(rest, " "), &user)) || !sysfs_scan_u64(rest + strspn(rest, " "), &nice))
		return false;
	*us = (int64_t)((user + nice) * (US_PER_S / (uint64_t)sysconf(_SC_CLK_TCK))) -
	      (int64_t)(own.ru_utime.tv_sec * US_PER_S + own.ru_utime.tv_usec);
	return true;
}

void counters_read(const char *root, const char *stat_path, uint64_t now_ns, struct counters *counters)
{
	char text[TEXT];

	*counters = (struct counters){.time_ns = now_ns};
	counters->has_disk = counters_read_disk(root, stat_path, counters->disk) > COUNTERS_TIME_IN_QUEUE_MS;
	counters->has_pressure = read_text(root, "/proc/pressure/io", text) &&
				 find_total(text, "some", &counters->io_some_us) &&
				 find_total(text, "full", &counters->io_full_us) &&
				 counters_read_cpu_pressure(root, &counters->cpu_some_us) &&
				 counters_read_others(root, &counters->others_us);
}

void counters_difference(const struct counters *from, const struct counters *to, struct vmcounters *difference)
{
	difference->raw_ns = to->time_ns - from->time_ns;
	difference->count = difference->left_out = 0;
	for (unsigned i = 0; i < COUNTERS_DISK && from->has_disk && to->has_disk; i++) {
		if (i != COUNTERS_IN_FLIGHT)
			add(difference, disk_names[i], "", 0, to->disk[i] - from->disk[i]);
	}
	if (!from->has_pressure || !to->has_pressure)
		return;
	add(difference, "psi.io.some.total", "", 0, to->io_some_us - from->io_some_us);
	add(difference, "psi.io.full.total", "", 0, to->io_full_us - from->io_full_us);
	add(difference, "psi.cpu.some.total", "", 0, to->cpu_some_us - from->cpu_some_us);
}
