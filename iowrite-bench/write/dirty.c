/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "iowrite-bench/write/dirty.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/base/sysfs.h"
#include "common/kernel/cgroup.h"

#define TEXT_BYTES 16384 /* /proc/vmstat has some 6 KiB */
#define SAMPLE_EVERY_NS 10000000

int dirty_open(const char *root, struct dirty *dirty)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/proc/vmstat", root);
	dirty->fd = open(path, O_RDONLY | O_CLOEXEC);
	dirty->page_bytes = (uint64_t)sysconf(_SC_PAGESIZE);
	return dirty->fd < 0 ? -errno : 0;
}

void dirty_close(struct dirty *dirty)
{
	if (dirty->fd >= 0)
		close(dirty->fd);
	dirty->fd = -1;
}

/* Finds the 17 of "\nname 17\n" in the text. Returns 0 or -ENODATA. */
static int find(const char *text, const char *name, uint64_t *value)
{
	size_t length = strlen(name);

	for (const char *line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (!strncmp(line, name, length) && line[length] == ' ')
			return sysfs_scan_u64(line + length + 1, value) ? 0 : -ENODATA;
	}
	return -ENODATA;
}

int dirty_read(const struct dirty *dirty, struct dirty_state *state)
{
	struct dirty_state pages;
	char text[TEXT_BYTES];
	ssize_t length = pread(dirty->fd, text, sizeof(text) - 1, 0);

	if (length < 0)
		return -errno;
	text[length] = '\0';
	if (find(text, "nr_dirty", &pages.dirty) || find(text, "nr_writeback", &pages.writeback) ||
		find(text, "nr_dirty_background_threshold", &pages.background_threshold) ||
		find(text, "nr_dirty_threshold", &pages.threshold))
		return -ENODATA;
	state->dirty = pages.dirty * dirty->page_bytes;
	state->writeback = pages.writeback * dirty->page_bytes;
	state->background_threshold = pages.background_threshold * dirty->page_bytes;
	state->threshold = pages.threshold * dirty->page_bytes;
	return 0;
}

uint64_t dirty_settle(const struct dirty *dirty, uint64_t limit, uint64_t timeout_ns, int wants_sync,
	const volatile int *stop)
{
	const struct timespec pause = {0, SAMPLE_EVERY_NS};
	uint64_t end = clock_ns(CLOCK_MONOTONIC) + timeout_ns, left = UINT64_MAX;
	struct dirty_state state = {0};

	if (wants_sync)
		sync();
	for (;;) {
		if (!dirty_read(dirty, &state))
			left = state.dirty + state.writeback;
		if (left <= limit || clock_ns(CLOCK_MONOTONIC) >= end || __atomic_load_n(stop, __ATOMIC_RELAXED))
			return left;
		nanosleep(&pause, NULL);
	}
}

/* --- bdi --- */

static int take_name(const char *from, char *name, size_t length)
{
	if (!*from || strlen(from) >= length)
		return -ENODEV;
	memcpy(name, from, strlen(from) + 1);
	return 0;
}

/* /sys/dev/block/254:0/bdi is a link to ../../bdi/254:0; a partition has none, the disk above it has. */
static int name_of_link(const char *root, dev_t device, const char *below, char *name, size_t length)
{
	char path[PATH_MAX], target[PATH_MAX];
	const char *last;
	ssize_t size;

	snprintf(path, sizeof(path), "%s/sys/dev/block/%u:%u/%s", root, major(device), minor(device), below);
	size = readlink(path, target, sizeof(target) - 1);
	if (size <= 0)
		return -ENODEV;
	target[size] = '\0';
	last = strrchr(target, '/');
	return take_name(last ? last + 1 : target, name, length);
}

int bdi_of(const char *root, dev_t device, char *name, size_t length)
{
	char path[PATH_MAX];
	struct stat status;

	if (!name_of_link(root, device, "bdi", name, length) || !name_of_link(root, device, "../bdi", name, length))
		return 0;
	/* File systems without a block device have one by their own number (nfs), where they have any. */
	snprintf(path, sizeof(path), "%s/sys/class/bdi/%u:%u", root, major(device), minor(device));
	if (stat(path, &status))
		return -ENODEV;
	return take_name(strrchr(path, '/') + 1, name, length);
}

/* Returns whether a file system has SB_I_CGROUPWB; all pages of others belong to the first cgroup. */
static bool has_cgroups(const char *file_system)
{
	static const char *const names[] = {"ext2", "ext3", "ext4", "xfs", "btrfs", "f2fs", "bcachefs", "none"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (!strcmp(file_system, names[i]))
			return true;
	}
	return false;
}

static uint64_t number_of(const char *root, const char *dir)
{
	char path[PATH_MAX];
	struct stat status;

	snprintf(path, sizeof(path), "%s%s", root, dir);
	return stat(path, &status) ? 0 : status.st_ino;
}

/* inode_cgwb_enabled(): both controllers are version 2's. The pages belong to the nearest cgroup upwards that has
 * the memory controller. */
uint64_t bdi_cgroup(const char *root, const char *file_system)
{
	struct cgroup_place place;
	char path[CGROUP_DIR + 32], controllers[256];
	size_t top;
	int rc;

	if (!has_cgroups(file_system) || !cgroup_find_hierarchy(root, "blkio", &place))
		return BDI_CGROUP_FIRST;
	rc = cgroup_find_hierarchy(root, NULL, &place);
	if (rc)
		return rc == -ENODEV ? BDI_CGROUP_FIRST : 0;
	for (top = strlen(place.mount_point);; *strrchr(place.dir, '/') = '\0') {
		snprintf(path, sizeof(path), "%s/cgroup.controllers", place.dir);
		if (!sysfs_read(root, path, controllers, sizeof(controllers)) && sysfs_has_word(controllers, " \n", "memory"))
			return number_of(root, place.dir);
		if (strlen(place.dir) <= top)
			return BDI_CGROUP_FIRST;
	}
}
