/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "common/counters.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/sysfs.h"

#define TEXT 512

static const char *const disk_names[COUNTERS_DISK] = {"disk.read_ios", "disk.read_merges", "disk.read_sectors",
	"disk.read_ticks_ms", "disk.write_ios", "disk.write_merges", "disk.write_sectors", "disk.write_ticks_ms",
	"disk.in_flight", "disk.io_ticks_ms", "disk.time_in_queue_ms", "disk.discard_ios", "disk.discard_merges",
	"disk.discard_sectors", "disk.discard_ticks_ms", "disk.flush_ios", "disk.flush_ticks_ms"};

/* sysfs_read is of one line. */
static bool read_text(const char *root, const char *path, char text[TEXT])
{
	char whole[256];
	ssize_t size;
	int fd;

	snprintf(whole, sizeof(whole), "%s%s", root, path);
	fd = open(whole, O_RDONLY | O_CLOEXEC);
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

/* "some avg10=0.00 avg60=0.00 avg300=0.00 total=17", and a line of "full". */
static bool find_total(const char *text, const char *kind, uint64_t *us)
{
	const char *line = strstr(text, kind), *total = line ? strstr(line, "total=") : NULL;

	return total && sysfs_scan_u64(total + strlen("total="), us);
}

bool counters_read_pressure(const char *root, const char *resource, const char *kind, uint64_t *us)
{
	char path[48], text[TEXT];

	snprintf(path, sizeof(path), "/proc/pressure/%s", resource);
	return read_text(root, path, text) && find_total(text, kind, us);
}

void counters_read(const char *root, const char *stat_path, uint64_t now_ns, struct counters *counters)
{
	char text[TEXT];

	*counters = (struct counters){.time_ns = now_ns};
	counters->has_disk = counters_read_disk(root, stat_path, counters->disk) > COUNTERS_TIME_IN_QUEUE_MS;
	counters->has_pressure = read_text(root, "/proc/pressure/io", text) &&
				 find_total(text, "some", &counters->io_some_us) &&
				 find_total(text, "full", &counters->io_full_us) &&
				 counters_read_pressure(root, "cpu", "some", &counters->cpu_some_us);
}

static void add(struct vmcounters *counters, const char *name, uint64_t from, uint64_t to)
{
	struct vmcounters_value *value = &counters->values[counters->count++];

	snprintf(value->name, sizeof(value->name), "%s", name);
	value->value = to - from;
}

void counters_difference(const struct counters *from, const struct counters *to, struct vmcounters *difference)
{
	difference->raw_ns = to->time_ns - from->time_ns;
	difference->count = difference->left_out = 0;
	for (unsigned i = 0; i < COUNTERS_DISK && from->has_disk && to->has_disk; i++) {
		if (i != COUNTERS_IN_FLIGHT)
			add(difference, disk_names[i], from->disk[i], to->disk[i]);
	}
	if (!from->has_pressure || !to->has_pressure)
		return;
	add(difference, "psi.io.some.total", from->io_some_us, to->io_some_us);
	add(difference, "psi.io.full.total", from->io_full_us, to->io_full_us);
	add(difference, "psi.cpu.some.total", from->cpu_some_us, to->cpu_some_us);
}
