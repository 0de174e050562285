/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "common/pressure_check.h"

#include <errno.h>
#include <inttypes.h>
#include <libgen.h>
#include <linux/fs.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "common/blockdev.h"
#include "common/diag.h"
#include "common/report_draft.h"
#include "common/swap.h"
#include "common/target.h"
#include "common/units.h"
#include "common/zram.h"

#ifndef XFS_SUPER_MAGIC
#define XFS_SUPER_MAGIC 0x58465342
#endif
#ifndef F2FS_SUPER_MAGIC
#define F2FS_SUPER_MAGIC 0xF2F52010
#endif

struct filesystem {
	unsigned long magic;
	const char *name;
};

static const struct filesystem can_swap[] = {
	{EXT4_SUPER_MAGIC, "ext2/3/4"},
	{XFS_SUPER_MAGIC, "xfs"},
	{BTRFS_SUPER_MAGIC, "btrfs"},
	{F2FS_SUPER_MAGIC, "f2fs"},
};

static const struct filesystem known_others[] = {
	{TMPFS_MAGIC, "tmpfs (its files are memory themselves)"},
	{RAMFS_MAGIC, "ramfs (its files are memory themselves)"},
	{OVERLAYFS_SUPER_MAGIC, "overlay (a container's root: give a path on a volume)"},
	{NFS_SUPER_MAGIC, "nfs"},
	{FUSE_SUPER_MAGIC, "fuse"},
	{V9FS_MAGIC, "9p"},
};

static const char *name_of(const struct filesystem *list, size_t count, unsigned long magic)
{
	for (size_t i = 0; i < count; i++)
		if (list[i].magic == magic)
			return list[i].name;
	return NULL;
}

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static int check_filesystem(const char *path, const char *folder, char *why, size_t length)
{
	struct statfs statfs_of;
	const char *name;
	unsigned long magic;

	if (statfs(folder, &statfs_of))
		return pressure_refuse(
			-errno, why, length, "--swap: cannot look at %s: %s", folder, strerror(errno));
	magic = (unsigned long)(uint32_t)statfs_of.f_type;
	if (name_of(can_swap, COUNT(can_swap), magic))
		return 0;
	name = name_of(known_others, COUNT(known_others), magic);
	return pressure_refuse(-EOPNOTSUPP, why, length,
		"--swap: %s is on %s, which cannot hold a swap file: give a path on ext4, xfs, btrfs or f2fs",
		path, name ? name : "a file system of another kind");
}

static int check_space(const char *folder, uint64_t bytes, char *why, size_t length)
{
	char need[32], have[32];
	struct statvfs space;
	uint64_t free_bytes;

	if (statvfs(folder, &space))
		return pressure_refuse(
			-errno, why, length, "--swap: cannot look at %s: %s", folder, strerror(errno));
	free_bytes = (uint64_t)space.f_bavail * space.f_frsize;
	if (free_bytes >= bytes)
		return 0;
	return pressure_refuse(-ENOSPC, why, length,
		"--swap: %s wanted, but %s has only %s free: give a smaller SIZE",
		units_format_size(bytes, need, sizeof(need)), folder,
		units_format_size(free_bytes, have, sizeof(have)));
}

static int check_file(const struct pressure_swap *swap, char *why, size_t length)
{
	char copy[sizeof(swap->path)], name[NAME_MAX + 1], *folder;
	int ret, folder_fd;

	ret = report_draft_place(swap->path, &folder_fd, name);
	if (!ret)
		close(folder_fd);
	else if (ret == -EACCES && report_draft_met_link(swap->path))
		return pressure_refuse(ret, why, length,
			"--swap: %s: a symbolic link of another user is on the way (only links of root or of the user are "
			"followed); name the file without it", swap->path);
	snprintf(copy, sizeof(copy), "%s", swap->path);
	folder = dirname(copy);
	if (access(folder, W_OK))
		return pressure_refuse(-errno, why, length, "--swap: the folder %s cannot be written: %s",
			folder, strerror(errno));
	/* Not access(): a dangling link is in the way, too. */
	if (readlink(swap->path, (char[1]){0}, 1) >= 0 || errno != ENOENT)
		return pressure_refuse(-EEXIST, why, length,
			"--swap: %s exists already: give a path that does not, it is created and removed",
			swap->path);
	ret = check_filesystem(swap->path, folder, why, length);
	return ret ? ret : check_space(folder, swap->bytes, why, length);
}

static bool is_listed(const char *list, const char *word)
{
	size_t length = strlen(word);

	for (const char *at = list; (at = strstr(at, word)); at += length)
		if ((at == list || at[-1] == ' ') && (at[length] == ' ' || !at[length]))
			return true;
	return false;
}

static int check_zram(const char *root, const struct pressure_swap *swap, char *why, size_t length)
{
	char list[256];

	if (!zram_is_available(root))
		return pressure_refuse(-ENODEV, why, length,
			"--swap: this kernel has no zram (/sys/class/zram-control is missing): "
			"run 'modprobe zram' as root, or use file:PATH,SIZE");
	/* Without any device there is nobody to ask; making ours will tell. */
	if (!swap->algorithm[0] || zram_algorithms(root, list, sizeof(list)) ||
		is_listed(list, swap->algorithm))
		return 0;
	return pressure_refuse(-EINVAL, why, length,
		"--swap: zram has no compressor '%s' here; available: %s", swap->algorithm, list);
}

/* What its header says: an area that swapon(8) would take. An image of a suspended system is no such area. */
static bool holds_area(const char *path)
{
	struct blockdev_content content;

	return !blockdev_content(path, &content) && !strcmp(content.type, "swap");
}

int pressure_open_device(const struct pressure_plan *plan, struct target *target, bool *is_area)
{
	struct target_request request = {
		.path = plan->swap.path, .bytes = SWAP_MIN_BYTES, .destroy_data = plan->destroy_data};
	char self[32];
	struct stat stat_of;
	bool is_reused;
	int code;

	if (stat(plan->swap.path, &stat_of) || !S_ISBLK(stat_of.st_mode)) {
		diag_error(0, "--swap dev:%s: not a block device; file:PATH,SIZE makes a swap file", plan->swap.path);
		return -ENOTBLK;
	}
	/* Nothing is lost by using an area as what it is. */
	is_reused = holds_area(plan->swap.path);
	if (is_reused)
		request.destroy_data = plan->swap.path;
	code = target_open(&request, target);
	if (code)
		return code == DIAG_EXIT_USAGE ? -EEXIST : -EIO;
	snprintf(self, sizeof(self), "/proc/self/fd/%d", target->fd);
	if (target->kind == TARGET_DEVICE && holds_area(self) == is_reused) {
		*is_area = is_reused;
		return 0;
	}
	target_close(target);
	diag_error(0, "--swap dev:%s: it was changed by another program just now; try again", plan->swap.path);
	return -ESTALE;
}

uint64_t pressure_swap_bytes(const struct pressure_swap *swap)
{
	struct blockdev facts;
	struct stat stat_of;

	if (swap->kind != PRESSURE_SWAP_DEVICE)
		return swap->bytes;
	if (stat(swap->path, &stat_of) || !S_ISBLK(stat_of.st_mode) || blockdev_read("", stat_of.st_rdev, &facts))
		return 0;
	return facts.size_bytes;
}

static int check_device(const struct pressure_plan *plan, char *why)
{
	struct target target;
	bool is_area;
	int ret = pressure_open_device(plan, &target, &is_area);

	if (!ret)
		target_close(&target);
	why[0] = '\0';
	return ret;
}

int pressure_check_swap(const char *root, const struct pressure_plan *plan, char *why, size_t length)
{
	const struct pressure_swap *swap = &plan->swap;
	uint64_t page_bytes = (uint64_t)sysconf(_SC_PAGESIZE);
	char path[512];

	if (swap->kind == PRESSURE_SWAP_KEEP || swap->kind == PRESSURE_SWAP_NONE)
		return 0;
	snprintf(path, sizeof(path), "%s/proc/swaps", root);
	if (access(path, F_OK))
		return pressure_refuse(-ENOSYS, why, length,
			"--swap: this kernel is built without swap (/proc/swaps is missing): use --swap "
			"none");
	/* The header counts pages in 32 bits. */
	if (pressure_swap_bytes(swap) / page_bytes > UINT32_MAX)
		return pressure_refuse(-ERANGE, why, length, "--swap: SIZE must be below 2^32 pages");
	if (swap->kind == PRESSURE_SWAP_ZRAM)
		return check_zram(root, swap, why, length);
	if (swap->kind == PRESSURE_SWAP_DEVICE)
		return check_device(plan, why);
	if (swap->kind == PRESSURE_SWAP_LOOP && access("/dev/loop-control", R_OK | W_OK))
		return pressure_refuse(-ENODEV, why, length,
			"--swap: this kernel has no loop devices (/dev/loop-control): run 'modprobe loop' as "
			"root, "
			"or use file:PATH,SIZE");
	return check_file(swap, why, length);
}

void pressure_forbid_copy_on_write(int fd)
{
	struct statfs statfs_of;
	int flags;

	if (fstatfs(fd, &statfs_of) || (unsigned long)(uint32_t)statfs_of.f_type != BTRFS_SUPER_MAGIC)
		return;
	/* When it fails, swapon refuses the file with its own reason. */
	if (!ioctl(fd, FS_IOC_GETFLAGS, &flags)) {
		flags |= FS_NOCOW_FL;
		(void)ioctl(fd, FS_IOC_SETFLAGS, &flags);
	}
}
