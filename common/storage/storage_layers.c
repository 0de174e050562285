/* SPDX-License-Identifier: GPL-3.0-or-later */
/* durability_read: finds the devices below a file (storage.h). */
#include "config.h"
#include "common/storage/storage.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "common/base/sysfs.h"
#include "common/kernel/blockdev.h"
#include "common/kernel/swap.h"

#define DEPTH_MAX 6             /* nested loop devices over files */
#define MOUNTINFO_MAX (4u << 20)

static bool exists(const char *root, const char *folder, const char *name)
{
	return !access(SYSFS_PATH("%s%s/%s", root, folder, name), F_OK);
}

/* --- mounts --- */

struct mount {
	char type[32], options[256]; /* options: the file system's, after those of the mount */
	char point[PATH_MAX], source[PATH_MAX], upper[PATH_MAX]; /* upper: of an overlay, "" = it has no upper folder */
	bool is_volatile; /* an overlay that drops syncs */
};

/* Parses a line of mountinfo if it has this number or, with number 0, this device: several mounts of a device have the same
 * file system options. */
static bool take_mount(char *line, uint64_t number, const char *device, struct mount *mount)
{
	char *words[32] = {NULL}, *word, *options;
	size_t count = 0, dash;
	uint64_t found;

	while (count < 32 && (word = strsep(&line, " ")))
		words[count++] = word;
	for (dash = 6; dash < count && strcmp(words[dash], "-") != 0; dash++)
		;
	if (count < 7 || dash + 3 >= count || !sysfs_scan_u64(words[0], &found))
		return false;
	if (number ? found != number : strcmp(words[2], device) != 0)
		return false;
	options = words[dash + 3];
	snprintf(mount->type, sizeof(mount->type), "%s", words[dash + 1]);
	snprintf(mount->options, sizeof(mount->options), "%s,%s", words[5], options);
	snprintf(mount->point, sizeof(mount->point), "%s", words[4]);
	snprintf(mount->source, sizeof(mount->source), "%s", words[dash + 2]);
	mount->is_volatile = sysfs_has_word(options, ",", "volatile") || sysfs_has_word(options, ",", "fsync=volatile");
	while ((word = strsep(&options, ","))) {
		if (!strncmp(word, "upperdir=", 9))
			snprintf(mount->upper, sizeof(mount->upper), "%s", word + 9);
	}
	sysfs_unescape(mount->point);
	sysfs_unescape(mount->source);
	sysfs_unescape(mount->upper);
	return true;
}

static bool find_mount(const char *root, dev_t device, uint64_t number, struct mount *mount)
{
	char *text, *rest, *line, name[32];
	bool is_found = false;
	size_t size;

	*mount = (struct mount){.type = ""};
	if (sysfs_slurp(root, "/proc/self/mountinfo", MOUNTINFO_MAX, &text, &size))
		return false;
	snprintf(name, sizeof(name), "%u:%u", major(device), minor(device));
	rest = text;
	while (!is_found && (line = strsep(&rest, "\n")))
		is_found = take_mount(line, number, name, mount);
	free(text);
	return is_found;
}

int storage_mount(int fd, uint64_t *mount)
{
	return sysfs_read_field("", SYSFS_PATH("/proc/self/fdinfo/%d", fd), "mnt_id", 10, mount);
}

/* --- devices --- */

static void say_unknown(struct durability *durability, const char *what, const char *name)
{
	if (!durability->unknown[0])
		snprintf(durability->unknown, sizeof(durability->unknown), "%s%s%.60s", what, *name ? " " : "", name);
}

static void say_not_durable(struct durability *durability, const char *what, const char *name)
{
	if (!durability->not_durable[0])
		snprintf(durability->not_durable, sizeof(durability->not_durable), "%s: nothing is durable (%.60s)", what, name);
}

#define MEMORY "the target is memory"

static bool is_memory_device(const struct durability_layer *layer)
{
	static const char *const names[] = {"ram", "zram", "nullb"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		size_t length = strlen(names[i]);

		if (!strncmp(layer->name, names[i], length) && layer->name[length] >= '0' && layer->name[length] <= '9')
			return true;
	}
	return !strcmp(layer->model, "scsi_debug");
}

static void read_fact(const char *root, const char *folder, const char *name, char *value, size_t length)
{
	if (sysfs_read(root, SYSFS_PATH("%s/%s", folder, name), value, length))
		value[0] = '\0';
}

static void walk_file(const char *root, dev_t device, uint64_t number, unsigned depth, struct durability *durability);
static void walk_device(const char *root, dev_t device, const char *mount_options, unsigned depth,
	struct durability *durability);

/* Walks the devices in a folder of links: members of an array, volume or cache (dm, md, bcache), or of a file system (btrfs).
 * Returns their number. If only some of them are in memory, the result is unknown. */
static unsigned walk_members(const char *root, const char *folder, const char *mount_options, unsigned depth,
	struct durability *durability)
{
	DIR *members = opendir(SYSFS_PATH("%s%s", root, folder));
	size_t firsts[DURABILITY_LAYERS], first_count = 0, first;
	unsigned count = 0, in_memory = 0;
	char above[sizeof(durability->not_durable)];
	const struct dirent *entry;
	dev_t device;

	memcpy(above, durability->not_durable, sizeof(above));
	while (members && (entry = readdir(members))) {
		if (entry->d_name[0] == '.' ||
			blockdev_number(root, SYSFS_PATH("%s/%.100s/dev", folder, entry->d_name), &device))
			continue;
		count++;
		first = durability->count;
		durability->not_durable[0] = '\0';
		walk_device(root, device, mount_options, depth + 1, durability);
		in_memory += durability->not_durable[0] != '\0';
		if (first < durability->count)
			firsts[first_count++] = first;
	}
	if (members)
		closedir(members);
	for (size_t i = 0; i < first_count && count > 1; i++)
		durability->layers[firsts[i]].stack = (unsigned)firsts[0] + 1;
	if (in_memory && in_memory < count) {
		durability->not_durable[0] = '\0';
		say_unknown(durability, "a part of it is in memory", "");
	}
	/* Syncs that an overlay drops do not reach the members, so that reason stays. */
	if (above[0])
		memcpy(durability->not_durable, above, sizeof(above));
	return count;
}

static bool examine(const char *path, struct stat *facts, uint64_t *mount)
{
	int fd = open(path, O_PATH | O_CLOEXEC);
	bool is_known;

	if (fd < 0)
		return false;
	is_known = !fstat(fd, facts) && !storage_mount(fd, mount);
	close(fd);
	return is_known;
}

static void walk_backing(const char *root, const char *folder, const char *name, unsigned depth,
	struct durability *durability)
{
	char path[PATH_MAX], whole[PATH_MAX + 64];
	struct stat facts;
	uint64_t mount;

	read_fact(root, folder, "loop/backing_file", path, sizeof(path));
	snprintf(whole, sizeof(whole), "%s%s", root, path);
	if (!path[0] || !examine(whole, &facts, &mount))
		say_unknown(durability, "cannot examine the backing file of", name);
	else if (S_ISBLK(facts.st_mode))
		walk_device(root, facts.st_rdev, "", depth + 1, durability);
	/* The path comes from another mount namespace, where it may name another file. */
	else if (!loopdev_is_over(SYSFS_PATH("%s/dev/%s", root, name), facts.st_dev, facts.st_ino))
		say_unknown(durability, "another file than here has the name of the backing file of", name);
	else
		walk_file(root, facts.st_dev, mount, depth + 1, durability);
}

static void walk_device(const char *root, dev_t device, const char *mount_options, unsigned depth,
	struct durability *durability)
{
	struct durability_layer *layer = &durability->layers[durability->count];
	char folder[96], target[PATH_MAX], text[8];
	const char *name;

	snprintf(folder, sizeof(folder), "/sys/dev/block/%u:%u", major(device), minor(device));
	/* Only disks count flushes, and a partition uses its disk's queue. */
	if (exists(root, folder, "partition"))
		snprintf(folder, sizeof(folder), "/sys/dev/block/%u:%u/..", major(device), minor(device));
	name = realpath(SYSFS_PATH("%s%s", root, folder), target) ? strrchr(target, '/') + 1 : NULL;
	if (!name || depth > DEPTH_MAX || durability->count == DURABILITY_LAYERS) {
		say_unknown(durability, name ? "there are too many devices below" : "no block device is known", name ? name : "");
		return;
	}
	for (size_t i = 0; i < durability->count; i++) {
		if (!strcmp(durability->layers[i].name, name))
			return;
	}
	*layer = (struct durability_layer){.name = ""};
	durability->count++;
	snprintf(layer->name, sizeof(layer->name), "%.63s", name);
	snprintf(layer->mount_options, sizeof(layer->mount_options), "%s", mount_options);
	read_fact(root, folder, "device/model", layer->model, sizeof(layer->model));
	read_fact(root, folder, "device/firmware_rev", layer->firmware, sizeof(layer->firmware));
	if (!layer->firmware[0])
		read_fact(root, folder, "device/rev", layer->firmware, sizeof(layer->firmware));
	read_fact(root, folder, "queue/write_cache", layer->write_cache, sizeof(layer->write_cache));
	read_fact(root, folder, "queue/fua", layer->fua, sizeof(layer->fua));
	read_fact(root, folder, "queue/iostats", text, sizeof(text));
	/* A driver that takes bios (dm, md, nvme multipath) passes flushes on without counting them. */
	if (exists(root, folder, "mq") && strcmp(text, "0") != 0)
		snprintf(layer->stat_path, sizeof(layer->stat_path), "%s/stat", folder);
	if (is_memory_device(layer))
		say_not_durable(durability, MEMORY, layer->name);
	layer->is_followed = walk_members(root, SYSFS_PATH("%s/slaves", folder), "", depth, durability) != 0;
	if (!layer->is_followed && (exists(root, folder, "dm") || exists(root, folder, "md")))
		say_unknown(durability, "no device is known below", layer->name);
	if (exists(root, folder, "loop/backing_file"))
		walk_backing(root, folder, layer->name, depth, durability);
}

/* Walks the device that a btrfs was mounted from, and with it all devices of the file system. */
static void walk_btrfs(const char *root, const struct mount *mount, unsigned depth, struct durability *durability)
{
	DIR *systems = opendir(SYSFS_PATH("%s/sys/fs/btrfs", root));
	const struct dirent *entry;
	char target[PATH_MAX], folder[PATH_MAX] = "";
	const char *name = NULL;
	struct stat facts;

	if (!stat(SYSFS_PATH("%s%.600s", root, mount->source), &facts) && S_ISBLK(facts.st_mode) &&
		realpath(SYSFS_PATH("%s/sys/dev/block/%u:%u", root, major(facts.st_rdev), minor(facts.st_rdev)), target))
		name = strrchr(target, '/') + 1;
	while (name && systems && !folder[0] && (entry = readdir(systems))) {
		if (entry->d_name[0] != '.' && exists(root, SYSFS_PATH("/sys/fs/btrfs/%s/devices", entry->d_name), name))
			snprintf(folder, sizeof(folder), "/sys/fs/btrfs/%s/devices", entry->d_name);
	}
	if (systems)
		closedir(systems);
	if (!folder[0] || !walk_members(root, folder, mount->options, depth, durability))
		say_unknown(durability, "the devices of a btrfs are not known", "");
}

/* Walks the folder that an overlay writes to. The kernel keeps its path from the mount, which may name another folder here, so
 * the sizes of the file systems are compared: an overlay reports that of its upper folder. */
static void walk_overlay(const char *root, const struct mount *mount, unsigned depth, struct durability *durability)
{
	const char *upper = SYSFS_PATH("%s%.600s", root, mount->upper);
	struct statfs above, below;
	struct stat facts;
	uint64_t number;

	if (mount->is_volatile)
		say_not_durable(durability, "an overlay drops syncs", "it is mounted volatile");
	if (!mount->upper[0] || !examine(upper, &facts, &number) || statfs(upper, &below) ||
		statfs(SYSFS_PATH("%s%.600s", root, mount->point), &above) || above.f_blocks != below.f_blocks ||
		above.f_bsize != below.f_bsize)
		say_unknown(durability, "the upper folder of an overlay is not visible here", "");
	else
		walk_file(root, facts.st_dev, number, depth + 1, durability);
}

static void walk_file(const char *root, dev_t device, uint64_t number, unsigned depth, struct durability *durability)
{
	static const char *const memory[] = {"tmpfs", "ramfs", "devtmpfs", "hugetlbfs", "rootfs"};
	struct mount *mount = malloc(sizeof(*mount));
	bool is_found = mount && ((number && find_mount(root, device, number, mount)) || find_mount(root, device, 0, mount));
	bool is_memory = false;

	for (size_t i = 0; is_found && i < sizeof(memory) / sizeof(memory[0]); i++) {
		if (strcmp(mount->type, memory[i]) != 0)
			continue;
		/* This is the file's own file system, not that of an image below a loop device. */
		is_memory = true;
		durability->is_page_cache = !durability->count;
		say_not_durable(durability, MEMORY, mount->type);
	}
	if (depth > DEPTH_MAX)
		say_unknown(durability, "there are too many file systems below", "");
	else if (is_found && !strcmp(mount->type, "overlay"))
		walk_overlay(root, mount, depth, durability);
	else if (is_found && !strcmp(mount->type, "btrfs"))
		walk_btrfs(root, mount, depth, durability);
	else if (!is_memory)
		walk_device(root, device, is_found ? mount->options : "", depth, durability);
	free(mount);
}

void durability_read(const char *root, dev_t device, uint64_t mount, struct durability *durability)
{
	memset(durability, 0, sizeof(*durability));
	walk_file(root, device, mount, 0, durability);
}

bool durability_read_path(const char *root, const char *path, struct durability *durability)
{
	struct stat facts;
	uint64_t mount;

	if (!examine(path, &facts, &mount))
		return false;
	durability_read(root, S_ISBLK(facts.st_mode) ? facts.st_rdev : facts.st_dev, S_ISBLK(facts.st_mode) ? 0 : mount,
		durability);
	return true;
}
