/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Throttling of the slow device. Version 1 of cgroups (blkio): a line for the device in the root group, which all write-back
 * belongs to, and in this process's own group, which its direct and synchronous writes belong to. Version 2: limits are in
 * leaves alone, and write-back belongs to the group that made the pages dirty, when that has both the io and the memory
 * controller; so this process moves into a leaf of its own.
 */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "common/base/diag.h"
#include "common/base/sysfs.h"
#include "common/undo/journal.h"
#include "iowrite-bench/setup/test_setup_throttle.h"

#define V1_FILE "blkio.throttle.write_bps_device"

static int throttle_group(struct test_setup *setup, const char *dir, dev_t device, uint64_t bytes_per_second)
{
	struct undo_action *action = &setup->slow.throttle[setup->slow.throttles];
	int ret;

	*action = (struct undo_action){.act = UNDO_LINE};
	snprintf(action->ours, sizeof(action->ours), "%u:%u %" PRIu64, major(device), minor(device), bytes_per_second);
	if (snprintf(action->path, sizeof(action->path), "%s%s/" V1_FILE, setup->root, dir) >= (int)sizeof(action->path))
		return diag_host(ENAMETOOLONG, "cannot throttle in %s", dir);
	if (undo_add(setup->undo, action))
		return DIAG_EXIT_HOST;
	setup->slow.throttles++;
	ret = sysfs_write("", action->path, action->ours);
	if (!ret)
		return DIAG_EXIT_OK;
	return diag_host(ret, "cannot write '%s' to %s (the kernel needs CONFIG_BLK_DEV_THROTTLING)", action->ours,
		action->path);
}

static int throttle_v1(struct test_setup *setup, const struct cgroup_place *place, dev_t device, uint64_t bytes_per_second)
{
	char root_only[2 * CGROUP_DIR + 64];
	int code;

	/* A container sees a part of the hierarchy, which has no root group. */
	snprintf(root_only, sizeof(root_only), "%s%s/release_agent", setup->root, place->mount_point);
	if (access(root_only, F_OK))
		return diag_host(0,
			"%s is not the root of its cgroups, to which write-back belongs, so that no device can be made "
			"slow: run it outside of the container", place->mount_point);
	code = throttle_group(setup, place->mount_point, device, bytes_per_second);
	if (!code && strcmp(place->dir, place->mount_point))
		code = throttle_group(setup, place->dir, device, bytes_per_second);
	return code;
}

/* Finds the nearest cgroup from the own one upwards that gives both controllers to its children. */
static bool find_parent(const char *root, const struct cgroup_place *place, char parent[CGROUP_DIR])
{
	char path[CGROUP_DIR + 64], text[512], *slash;

	for (snprintf(parent, CGROUP_DIR, "%s", place->dir);; *slash = '\0') {
		snprintf(path, sizeof(path), "%s/cgroup.subtree_control", parent);
		if (!sysfs_read(root, path, text, sizeof(text)) && sysfs_has_word(text, " ", "io") &&
			sysfs_has_word(text, " ", "memory"))
			return true;
		slash = strrchr(parent, '/');
		if (!slash || (size_t)(slash - parent) < strlen(place->mount_point))
			return false;
	}
}

/* Moves this process with all its threads. */
static int move_into(const char *root, const char *dir)
{
	char path[CGROUP_DIR + 64], pid[24];

	snprintf(path, sizeof(path), "%s/cgroup.procs", dir);
	snprintf(pid, sizeof(pid), "%d", (int)getpid());
	return sysfs_write(root, path, pid);
}

/* 0 bytes a second: no limit. */
static int limit_leaf(const struct test_setup *setup, uint64_t bytes_per_second)
{
	unsigned major_number = major(setup->slow.limited), minor_number = minor(setup->slow.limited);
	char path[CGROUP_DIR + 64], line[64];

	snprintf(path, sizeof(path), "%s/io.max", setup->slow.leaf);
	if (bytes_per_second)
		snprintf(line, sizeof(line), "%u:%u wbps=%" PRIu64, major_number, minor_number, bytes_per_second);
	else
		snprintf(line, sizeof(line), "%u:%u wbps=max", major_number, minor_number);
	return sysfs_write(setup->root, path, line);
}

static int throttle_v2(struct test_setup *setup, const struct cgroup_place *place, dev_t device, uint64_t bytes_per_second)
{
	struct undo_action leaf = {.act = UNDO_FOLDER};
	char parent[CGROUP_DIR];
	uint64_t ticks = 0;
	int ret;

	if (!find_parent(setup->root, place, parent))
		return diag_host(0, "no cgroup from %s upwards gives the controllers io and memory to its children, so that no "
			"device can be made slow: as root, 'echo \"+io +memory\" > %s/cgroup.subtree_control' (in a "
			"container move its processes into a child cgroup first)", place->dir, place->mount_point);
	journal_start_time(getpid(), &ticks);
	if (snprintf(leaf.path, sizeof(leaf.path), "%s%s/iowrite-bench-%d-%" PRIu64, setup->root, parent, (int)getpid(),
		    ticks) >= CGROUP_DIR)
		return diag_host(ENAMETOOLONG, "cannot make a cgroup in %s", parent);
	if (undo_add(setup->undo, &leaf))
		return DIAG_EXIT_HOST;
	ret = mkdir(leaf.path, 0755) ? -errno : 0;
	if (!ret) {
		snprintf(setup->slow.leaf, sizeof(setup->slow.leaf), "%s", leaf.path + strlen(setup->root));
		setup->slow.limited = device;
		ret = limit_leaf(setup, bytes_per_second);
		/* An empty leaf keeps test_setup_unthrottle from lifting a limit that was not set. */
		if (ret)
			setup->slow.leaf[0] = '\0';
		else
			ret = move_into(setup->root, setup->slow.leaf);
	}
	if (ret)
		return diag_host(ret, "cannot make the slow device's cgroup %s", leaf.path);
	snprintf(setup->slow.home, sizeof(setup->slow.home), "%s", place->dir);
	return DIAG_EXIT_OK;
}

int test_setup_throttle(struct test_setup *setup, dev_t device, uint64_t bytes_per_second)
{
	struct cgroup_place place;

	if (!cgroup_find_hierarchy(setup->root, "blkio", &place))
		return throttle_v1(setup, &place, device, bytes_per_second);
	if (!cgroup_find_hierarchy(setup->root, NULL, &place))
		return throttle_v2(setup, &place, device, bytes_per_second);
	return diag_host(0, "no cgroups are mounted, so that no device can be made slow: mount cgroup2 on /sys/fs/cgroup");
}

int test_setup_unthrottle(struct test_setup *setup)
{
	struct test_setup_slow *slow = &setup->slow;
	int code = DIAG_EXIT_OK, ret;

	while (slow->throttles) {
		if (undo_revert(setup->undo, &slow->throttle[--slow->throttles]))
			code = DIAG_EXIT_HOST;
	}
	/* The limit goes before this process leaves: dirty pages stay the leaf's and are then written at full speed. */
	ret = slow->leaf[0] ? limit_leaf(setup, 0) : 0;
	if (ret)
		code = diag_host(ret, "cannot lift the limit of the slow device in %s", slow->leaf);
	slow->leaf[0] = '\0';
	ret = slow->home[0] ? move_into(setup->root, slow->home) : 0;
	if (ret)
		code = diag_host(ret, "cannot return to the cgroup %s", slow->home);
	slow->home[0] = '\0';
	return code;
}
