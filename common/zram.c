/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "common/zram.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/sysfs.h"
#include "common/units.h"

#define CONTROL "/sys/class/zram-control"

static int read_number(const char *root, unsigned id, const char *name, uint64_t *value)
{
	char path[128];

	snprintf(path, sizeof(path), "/sys/block/zram%u/%s", id, name);
	return sysfs_read_u64(root, path, value);
}

static int write_text(const char *root, unsigned id, const char *name, const char *value)
{
	char path[128];

	snprintf(path, sizeof(path), "/sys/block/zram%u/%s", id, name);
	return sysfs_write(root, path, value);
}

static int write_number(const char *root, unsigned id, const char *name, uint64_t value)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRIu64, value);
	return write_text(root, id, name, text);
}

bool zram_is_available(const char *root)
{
	char path[512];

	snprintf(path, sizeof(path), "%s" CONTROL "/hot_add", root);
	return access(path, F_OK) == 0;
}

static int compare_ids(const void *a, const void *b)
{
	unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;

	return (x > y) - (x < y);
}

int zram_list(const char *root, unsigned *ids, size_t max, size_t *count)
{
	char path[512];
	struct dirent *entry;
	size_t found = 0;
	uint64_t id;
	DIR *dir;
	int ret = 0;

	snprintf(path, sizeof(path), "%s/sys/block", root);
	dir = opendir(path);
	if (!dir)
		return -errno;
	while (!ret && (entry = readdir(dir))) {
		if (strncmp(entry->d_name, "zram", 4) ||
			units_parse_u64(entry->d_name + 4, 0, UINT32_MAX, &id))
			continue;
		if (found == max)
			ret = -E2BIG;
		else
			ids[found++] = (unsigned)id;
	}
	closedir(dir);
	if (ret)
		return ret;
	qsort(ids, found, sizeof(ids[0]), compare_ids);
	*count = found;
	return 0;
}

unsigned zram_next_id(const unsigned *ids, size_t count)
{
	unsigned id = 0;

	for (size_t i = 0; i < count && ids[i] == id; i++)
		id++;
	return id;
}

int zram_identify(const char *root, unsigned id, struct zram *zram)
{
	uint64_t size, diskseq;

	if (read_number(root, id, "disksize", &size))
		return -ENODEV;
	if (read_number(root, id, "diskseq", &diskseq))
		diskseq = 0;
	*zram = (struct zram){.id = id, .diskseq = diskseq};
	return 0;
}

bool zram_is_blank(const char *root, unsigned id)
{
	uint64_t initialised, size;

	return !read_number(root, id, "initstate", &initialised) && !initialised &&
	       !read_number(root, id, "disksize", &size) && !size;
}

uint64_t zram_newest_diskseq(const char *root)
{
	char path[768];
	struct dirent *entry;
	uint64_t newest = 0, diskseq;
	DIR *dir;

	snprintf(path, sizeof(path), "%s/sys/block", root);
	dir = opendir(path);
	if (!dir)
		return 0;
	while ((entry = readdir(dir))) {
		snprintf(path, sizeof(path), "/sys/block/%s/diskseq", entry->d_name);
		if (entry->d_name[0] != '.' && !sysfs_read_u64(root, path, &diskseq) && diskseq > newest)
			newest = diskseq;
	}
	closedir(dir);
	return newest;
}

int zram_add(struct zram *zram)
{
	char text[16];
	uint64_t id;
	ssize_t got;
	int fd, ret;

	/* Reading makes the device, so it is read exactly once and not by a helper that may read again. */
	fd = open(CONTROL "/hot_add", O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	got = read(fd, text, sizeof(text) - 1);
	ret = got < 0 ? -errno : 0;
	close(fd);
	if (ret)
		return ret;
	text[got] = '\0';
	text[strcspn(text, "\n")] = '\0';
	ret = units_parse_u64(text, 0, UINT32_MAX, &id);
	return ret ? ret : zram_identify("", (unsigned)id, zram);
}

int zram_configure(const char *root, unsigned id, const char *algorithm, uint64_t limit_bytes, uint64_t bytes)
{
	int ret = 0;

	if (algorithm[0])
		ret = write_text(root, id, "comp_algorithm", algorithm);
	if (!ret && limit_bytes)
		ret = write_number(root, id, "mem_limit", limit_bytes);
	if (!ret)
		ret = write_number(root, id, "disksize", bytes);
	return ret;
}

int zram_algorithms(const char *root, char *list, size_t length)
{
	unsigned ids[ZRAM_DEVICES];
	char path[128];
	size_t count;
	char *out = list;
	int ret = zram_list(root, ids, ZRAM_DEVICES, &count);

	if (ret)
		return ret;
	if (!count)
		return -ENODEV;
	snprintf(path, sizeof(path), "/sys/block/zram%u/comp_algorithm", ids[0]);
	ret = sysfs_read(root, path, list, length);
	if (ret)
		return ret;
	for (const char *in = list; *in; in++)
		if (*in != '[' && *in != ']')
			*out++ = *in;
	*out = '\0';
	return 0;
}

/* udev and blkid open new devices for moments, which makes reset and hot_remove fail with EBUSY. */
static int retry_while_busy(int (*action)(const char *root, unsigned id), const char *root, unsigned id)
{
	const struct timespec pause = {.tv_nsec = 20 * 1000 * 1000};
	int ret = 0;

	for (int tries = 0; tries < 100; tries++) {
		ret = action(root, id);
		if (ret != -EBUSY)
			break;
		nanosleep(&pause, NULL);
	}
	return ret;
}

static int reset(const char *root, unsigned id)
{
	return write_text(root, id, "reset", "1");
}

static int hot_remove(const char *root, unsigned id)
{
	char text[16];

	snprintf(text, sizeof(text), "%u", id);
	return sysfs_write(root, CONTROL "/hot_remove", text);
}

int zram_remove(const char *root, const struct zram *zram)
{
	struct zram now;
	int ret = zram_identify(root, zram->id, &now);

	if (ret)
		return ret == -ENODEV ? 0 : ret;
	if (now.diskseq != zram->diskseq)
		return -ESTALE;
	ret = retry_while_busy(reset, root, zram->id);
	if (!ret)
		ret = retry_while_busy(hot_remove, root, zram->id);
	return ret == -ENODEV ? 0 : ret;
}
