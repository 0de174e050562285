/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "ssd-workloads/engine/look.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/units.h"

#define TEXT 512

/* Documentation/admin-guide/iostats.rst. */
const char *look_disk_name(unsigned index)
{
	static const char *const names[ENGINE_DISK] = {"disk.read_ios", "disk.read_merges", "disk.read_sectors",
		"disk.read_ticks_ms", "disk.write_ios", "disk.write_merges", "disk.write_sectors", "disk.write_ticks_ms",
		"disk.in_flight", "disk.io_ticks_ms", "disk.time_in_queue_ms", "disk.discard_ios", "disk.discard_merges",
		"disk.discard_sectors", "disk.discard_ticks_ms", "disk.flush_ios", "disk.flush_ticks_ms"};

	return names[index];
}

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

static bool read_disk(const char *root, const struct storage *storage, uint64_t values[ENGINE_DISK])
{
	char text[TEXT], *rest = text, *word;
	unsigned count = 0;

	if (!storage || !storage->stat_path[0] || !read_text(root, storage->stat_path, text))
		return false;
	memset(values, 0, ENGINE_DISK * sizeof(*values));
	while (count < ENGINE_DISK && (word = strsep(&rest, " \n"))) {
		if (*word && units_parse_u64(word, 0, UINT64_MAX, &values[count++]))
			return false;
	}
	return count > 10;
}

/* "some avg10=0.00 ... total=17" */
static bool read_total(const char *text, const char *kind, uint64_t *us)
{
	const char *line = strstr(text, kind), *total = line ? strstr(line, "total=") : NULL;
	char number[32];

	if (!total)
		return false;
	total += strlen("total=");
	snprintf(number, sizeof(number), "%.*s", (int)strcspn(total, "\n"), total);
	return !units_parse_u64(number, 0, UINT64_MAX, us);
}

void look_take(const char *root, const struct storage *storage, uint64_t now_ns, struct engine_look *look)
{
	char text[TEXT];

	*look = (struct engine_look){.time_ns = now_ns};
	look->has_disk = read_disk(root, storage, look->disk);
	look->has_pressure = read_text(root, "/proc/pressure/io", text) && read_total(text, "some", &look->io_some_us) &&
			     read_total(text, "full", &look->io_full_us) && read_text(root, "/proc/pressure/cpu", text) &&
			     read_total(text, "some", &look->cpu_some_us);
}
