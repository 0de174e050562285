/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "common/pressure/pressure_check.h"

#include <errno.h>
#include <inttypes.h>
#include <libgen.h>
#include <linux/capability.h>
#include <linux/fs.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "common/base/diag.h"
#include "common/base/sysfs.h"
#include "common/base/units.h"
#include "common/kernel/blockdev.h"
#include "common/kernel/cgroup.h"
#include "common/kernel/swap.h"
#include "common/report/report_file.h"
#include "common/storage/target.h"
#include "common/undo/undo_actions.h"

#ifndef XFS_SUPER_MAGIC
#define XFS_SUPER_MAGIC 0x58465342
#endif
#ifndef F2FS_SUPER_MAGIC
#define F2FS_SUPER_MAGIC 0xF2F52010
#endif

static const struct {
	unsigned long magic;
	const char *refused; /* NULL: it can hold a swap file */
} filesystems[] = {
	{EXT4_SUPER_MAGIC, NULL}, /* ext2 and ext3, too */
	{XFS_SUPER_MAGIC, NULL},
	{BTRFS_SUPER_MAGIC, NULL},
	{F2FS_SUPER_MAGIC, NULL},
	{TMPFS_MAGIC, "tmpfs (its files are memory themselves)"},
	{RAMFS_MAGIC, "ramfs (its files are memory themselves)"},
	{OVERLAYFS_SUPER_MAGIC, "overlay (a container's root: give a path on a volume)"},
	{NFS_SUPER_MAGIC, "nfs"},
	{FUSE_SUPER_MAGIC, "fuse"},
	{V9FS_MAGIC, "9p"},
};

static int check_file(const struct pressure_swap *swap, char *why, size_t length)
{
	char copy[sizeof(swap->path)], name[NAME_MAX + 1], need[32], have[32], *folder;
	const char *refused = "a file system of another kind";
	struct statfs system;
	struct statvfs space;
	uint64_t free_bytes;
	int ret, folder_fd;

	ret = report_draft_place(swap->path, &folder_fd, name);
	if (!ret)
		close(folder_fd);
	else if (ret == -EACCES && report_draft_met_link(swap->path))
		return diag_explain(ret, why, length,
			"--swap: %s: a symbolic link of another user is on the way (only links of root or of the user are "
			"followed); name the file without it", swap->path);
	snprintf(copy, sizeof(copy), "%s", swap->path);
	folder = dirname(copy);
	if (access(folder, W_OK))
		return diag_explain(-errno, why, length, "--swap: the folder %s cannot be written: %s",
			folder, strerror(errno));
	/* access() would miss a dangling link, which also blocks the path. */
	if (readlink(swap->path, (char[1]){0}, 1) >= 0 || errno != ENOENT)
		return diag_explain(-EEXIST, why, length,
			"--swap: %s exists already: give a path that does not, it is created and removed",
			swap->path);
	if (statfs(folder, &system) || statvfs(folder, &space))
		return diag_explain(-errno, why, length, "--swap: cannot examine %s: %s", folder, strerror(errno));
	for (size_t i = 0; i < sizeof(filesystems) / sizeof(filesystems[0]); i++) {
		if (filesystems[i].magic == (unsigned long)(uint32_t)system.f_type)
			refused = filesystems[i].refused;
	}
	if (refused)
		return diag_explain(-EOPNOTSUPP, why, length,
			"--swap: %s is on %s, which cannot hold a swap file: give a path on ext4, xfs, btrfs or f2fs",
			swap->path, refused);
	free_bytes = (uint64_t)space.f_bavail * space.f_frsize;
	if (free_bytes >= swap->bytes)
		return 0;
	return diag_explain(-ENOSPC, why, length,
		"--swap: %s wanted, but %s has only %s free: give a smaller SIZE",
		units_format_size(swap->bytes, need, sizeof(need)), folder,
		units_format_size(free_bytes, have, sizeof(have)));
}

static int check_zram(const char *root, const struct pressure_swap *swap, char *why, size_t length)
{
	char list[256];

	if (!zram_is_available(root))
		return diag_explain(-ENODEV, why, length,
			"--swap: this kernel has no zram (/sys/class/zram-control is missing): "
			"run 'modprobe zram' as root, or use file:PATH,SIZE");
	/* Without a device the compressors are unknown; the setup will show whether this one exists. */
	if (!swap->algorithm[0] || zram_algorithms(root, list, sizeof(list)) ||
		sysfs_has_word(list, " ", swap->algorithm))
		return 0;
	return diag_explain(-EINVAL, why, length,
		"--swap: zram has no compressor '%s' here; available: %s", swap->algorithm, list);
}

/* Tells whether the header is that of an area that swapon(8) would take; an image of a suspended system is not. */
static bool holds_area(const char *path)
{
	struct blockdev_content content;

	return !blockdev_content(path, &content) && !strcmp(content.type, "swap");
}

int pressure_open_device(const struct pressure_plan *plan, struct target *target, bool *is_area)
{
	struct target_request request = {
		.path = plan->swap.path, .bytes = SWAP_MIN_BYTES, .destroy_data = plan->destroy_data};
	struct stat stat_of;
	bool is_reused;
	int code;

	if (stat(plan->swap.path, &stat_of) || !S_ISBLK(stat_of.st_mode)) {
		diag_error(0, "--swap dev:%s: not a block device; file:PATH,SIZE makes a swap file", plan->swap.path);
		return -ENOTBLK;
	}
	/* Reusing a swap area destroys no data, so no confirmation is needed. */
	is_reused = holds_area(plan->swap.path);
	if (is_reused)
		request.destroy_data = plan->swap.path;
	code = target_open(&request, target);
	if (code)
		return code == DIAG_EXIT_USAGE ? -EEXIST : -EIO;
	if (target->kind == TARGET_DEVICE && holds_area(SYSFS_PATH("/proc/self/fd/%d", target->fd)) == is_reused) {
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

int pressure_check_swap(const char *root, const struct pressure_plan *plan, char *why, size_t length)
{
	const struct pressure_swap *swap = &plan->swap;
	uint64_t page_bytes = (uint64_t)sysconf(_SC_PAGESIZE);
	struct target target;
	char enabled[8];
	bool is_area;
	int ret;

	if (swap->kind == PRESSURE_SWAP_KEEP || swap->kind == PRESSURE_SWAP_NONE)
		return 0;
	if (access(SYSFS_PATH("%s/proc/swaps", root), F_OK))
		return diag_explain(-ENOSYS, why, length,
			"--swap: this kernel is built without swap (/proc/swaps is missing): use --swap none");
	/* The header counts pages in 32 bits. */
	if (pressure_swap_bytes(swap) / page_bytes > UINT32_MAX)
		return diag_explain(-ERANGE, why, length, "--swap: SIZE must be below 2^32 pages");
	if (swap->kind == PRESSURE_SWAP_ZRAM)
		return check_zram(root, swap, why, length);
	if (swap->kind == PRESSURE_SWAP_DEVICE) {
		ret = pressure_open_device(plan, &target, &is_area);
		if (!ret)
			target_close(&target);
		why[0] = '\0';
		return ret;
	}
	if (swap->kind == PRESSURE_SWAP_ZSWAP && sysfs_read(root, "/sys/module/zswap/parameters/enabled", enabled, sizeof(enabled)))
		return diag_explain(-ENODEV, why, length,
			"--swap: this kernel has no zswap (/sys/module/zswap; CONFIG_ZSWAP): use file:PATH,SIZE or zram:SIZE");
	if (swap->kind == PRESSURE_SWAP_LOOP && access("/dev/loop-control", R_OK | W_OK))
		return diag_explain(-ENODEV, why, length,
			"--swap: this kernel has no loop devices (/dev/loop-control): run 'modprobe loop' as root, or "
			"use file:PATH,SIZE");
	return check_file(swap, why, length);
}

void pressure_forbid_copy_on_write(int fd)
{
	struct statfs statfs_of;
	int flags;

	if (fstatfs(fd, &statfs_of) || (unsigned long)(uint32_t)statfs_of.f_type != BTRFS_SUPER_MAGIC)
		return;
	/* If this fails, swapon refuses the file with its own reason. */
	if (!ioctl(fd, FS_IOC_GETFLAGS, &flags)) {
		flags |= FS_NOCOW_FL;
		(void)ioctl(fd, FS_IOC_SETFLAGS, &flags);
	}
}

/* Share of a full zram area that is counted as memory: real heaps compress to about a half, half random pages to 0.53 with
 * lzo-rle; the rest is for zram's own tables and fragments. */
#define ZRAM_SHARE 0.6

static bool available_here(const char *root, uint64_t *bytes)
{
	if (sysfs_read_field(root, "/proc/meminfo", "MemAvailable", 10, bytes))
		return false;
	*bytes *= 1024;
	return true;
}

static int check_privilege(const char *root, char *why, size_t length)
{
	uint64_t capabilities;

	if (sysfs_read_field(root, "/proc/self/status", "CapEff", 16, &capabilities) ||
		(capabilities >> CAP_SYS_ADMIN & 1))
		return 0;
	return diag_explain(-EPERM, why, length,
		"--ram, --high, --swap, --swappiness, --page-cluster and --eater need CAP_SYS_ADMIN (swap areas, cgroups, PID "
		"namespaces): run as root");
}

/* An eater that ends as another begins still counts, because it is still freeing its memory. */
static uint64_t eaten_at(const struct pressure_plan *plan, uint64_t ns)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < plan->eater_count; i++) {
		const struct pressure_eater *eater = &plan->eaters[i];

		if (eater->begin_ns <= ns && ns <= eater->end_ns)
			sum = eater->bytes < UINT64_MAX - sum ? sum + eater->bytes : UINT64_MAX;
	}
	return sum;
}

uint64_t pressure_eaten_bytes(const struct pressure_plan *plan, uint64_t until_ns)
{
	uint64_t most = 0;

	for (size_t i = 0; i < plan->eater_count; i++) {
		uint64_t begin_ns = plan->eaters[i].begin_ns, sum = eaten_at(plan, begin_ns);

		if (begin_ns < until_ns && sum > most)
			most = sum;
	}
	return most;
}

/* With a limit on the job, eaters allocate within it. */
static uint64_t resident_bytes(const struct pressure_plan *plan)
{
	return plan->ram_bytes ? plan->ram_bytes : pressure_eaten_bytes(plan, UINT64_MAX);
}

static int check_ram(const char *root, const struct pressure_plan *plan, char *why, size_t length)
{
	char limit_text[32], ram_text[32];
	struct cgroup parent;
	uint64_t limit;
	int ret;

	if (plan->ram_bytes && plan->ram_bytes < PRESSURE_MIN_RAM)
		return diag_explain(-ERANGE, why, length,
			"--ram %s is too small for any program: give at least 4 MiB",
			units_format_size(plan->ram_bytes, ram_text, sizeof(ram_text)));
	if (!plan->ram_bytes && !plan->high_bytes && plan->swap.kind != PRESSURE_SWAP_NONE && !plan->has_swappiness)
		return 0;
	limit = cgroup_own_limit(root);
	if (plan->ram_bytes > limit)
		return diag_explain(-ENOMEM, why, length,
			"--ram %s is more than the limit of %s that binds this process already: give less",
			units_format_size(plan->ram_bytes, ram_text, sizeof(ram_text)),
			units_format_size(limit, limit_text, sizeof(limit_text)));
	ret = cgroup_find_parent(root, &parent, why, length);
	if (ret && (plan->ram_bytes || plan->high_bytes || plan->swap.kind == PRESSURE_SWAP_NONE))
		return ret;
	/* Without a cgroup, swappiness is a setting of the machine. */
	if (ret) {
		why[0] = '\0';
		return 0;
	}
	if (plan->high_bytes && parent.version == 1)
		return diag_explain(-EOPNOTSUPP, why, length,
			"--high: needs memory.high of cgroup version 2, and this machine's memory controller is version 1, "
			"whose soft limit slows nothing down; use --ram, or start the kernel with "
			"cgroup_no_v1=memory");
	return 0;
}

bool pressure_wants_cgroup(const struct pressure_plan *plan, int version)
{
	return plan->ram_bytes || plan->high_bytes || plan->swap.kind == PRESSURE_SWAP_NONE ||
	       (plan->has_swappiness && version == 1);
}

/* Refuses a swap area larger than the job's swap limit: the job would be OOM-killed while swap is free. */
static int check_swap_limit(const char *root, const struct pressure_swap *swap, char *why, size_t length)
{
	char limit_text[32], swap_text[32];
	uint64_t limit = cgroup_own_swap_limit(root), bytes = pressure_swap_bytes(swap);

	if (bytes <= limit)
		return 0;
	return diag_explain(-ENOMEM, why, length,
		"--swap %s is more than the %s of swap that this process's cgroup may use (memory.swap.max): "
		"give less, or raise that limit",
		units_format_size(bytes, swap_text, sizeof(swap_text)),
		units_format_size(limit, limit_text, sizeof(limit_text)));
}

static int check_memory(const char *root, const struct pressure_plan *plan, char *why, size_t length)
{
	char need_text[32], have_text[32];
	uint64_t need = resident_bytes(plan), have, zram;
	const char *with_zram = "";

	if (plan->swap.kind == PRESSURE_SWAP_ZRAM) {
		zram = (uint64_t)((double)plan->swap.bytes * ZRAM_SHARE);
		need = zram < UINT64_MAX - need ? need + zram : UINT64_MAX;
		with_zram = ", with zram counted at 60 % of its size because compressed pages stay in memory";
	}
	if (!available_here(root, &have) || need <= have)
		return 0;
	return diag_explain(-ENOMEM, why, length,
		"the sizes need %s of memory%s, but only %s is available: give smaller sizes",
		units_format_size(need, need_text, sizeof(need_text)), with_zram,
		units_format_size(have, have_text, sizeof(have_text)));
}

static int check_eaters(const char *root, const struct pressure_plan *plan, char *why, size_t length)
{
	uint64_t kib, sum = pressure_eaten_bytes(plan, UINT64_MAX);
	char size[32], total[32], text[128];

	for (size_t i = 0; i < plan->eater_count; i++) {
		const struct pressure_eater *eater = &plan->eaters[i];

		if (eater->node < 0)
			continue;
		snprintf(text, sizeof(text), "Node %d MemTotal", eater->node);
		if (sysfs_read_field(root, SYSFS_PATH("/sys/devices/system/node/node%d/meminfo", eater->node), text, 10, &kib)) {
			if (sysfs_read(root, "/sys/devices/system/node/online", text, sizeof(text)))
				snprintf(text, sizeof(text), "any");
			return diag_explain(-ENODEV, why, length,
				"--eater: there is no NUMA node %d here; allowed: %s", eater->node, text);
		}
		if (eater->bytes >= kib * 1024)
			return diag_explain(-ENOMEM, why, length, "--eater: %s does not fit into node %d of %s: give less",
				units_format_size(eater->bytes, size, sizeof(size)), eater->node,
				units_format_size(kib * 1024, total, sizeof(total)));
	}
	/* Eaters lock their memory, so the rest of the limit must hold the job. */
	if (!plan->ram_bytes || (plan->ram_bytes >= PRESSURE_MIN_RAM && sum <= plan->ram_bytes - PRESSURE_MIN_RAM))
		return 0;
	return diag_explain(-ERANGE, why, length,
		"--eater: eaters of %s within --ram %s leave the command less than 4 MiB: give smaller eaters "
		"or more ram",
		units_format_size(sum, size, sizeof(size)),
		units_format_size(plan->ram_bytes, total, sizeof(total)));
}

static int check_settings(const struct pressure_plan *plan, char *why, size_t length)
{
	for (size_t i = 0; i < plan->setting_count; i++) {
		struct undo_action action = {.act = UNDO_SHARED};
		const char *path = plan->settings[i].path;
		char value[sizeof(action.before)];
		int ret;

		snprintf(action.path, sizeof(action.path), "%s", path);
		ret = access(path, W_OK) ? -errno : undo_read_setting(&action, value);
		if (ret == -EINVAL)
			return diag_explain(ret, why, length, "--set %s: must be a file of one value", path);
		if (ret)
			return diag_explain(ret, why, length, "--set %s: cannot be set: %s", path, strerror(-ret));
	}
	return 0;
}

int pressure_check(const char *root, const struct pressure_plan *plan, char *why, size_t length)
{
	int ret;

	if (!pressure_is_wanted(plan))
		return 0;
	ret = check_privilege(root, why, length);
	if (!ret)
		ret = check_settings(plan, why, length);
	if (!ret)
		ret = check_ram(root, plan, why, length);
	if (!ret)
		ret = pressure_check_swap(root, plan, why, length);
	if (!ret)
		ret = check_swap_limit(root, &plan->swap, why, length);
	if (!ret)
		ret = check_memory(root, plan, why, length);
	if (!ret)
		ret = check_eaters(root, plan, why, length);
	return ret;
}

uint64_t pressure_zram_limit(const char *root, const struct pressure_plan *plan)
{
	uint64_t have, left;

	if (!available_here(root, &have))
		return 0;
	left = have > resident_bytes(plan) ? have - resident_bytes(plan) : 0;
	/* A tenth stays with the rest of the machine. Above the limit zram refuses pages, which slows the job's own cgroup, not
	 * the machine. */
	left -= left / 10;
	return plan->swap.bytes <= left || left < SWAP_MIN_BYTES ? 0 : left;
}

void pressure_warn(const char *root, const struct pressure_plan *plan)
{
	bool is_ours = plan->swap.kind != PRESSURE_SWAP_KEEP && plan->swap.kind != PRESSURE_SWAP_NONE;
	struct swap_area areas[SWAP_AREAS];
	const char *higher = NULL;
	size_t count, others = 0;
	int free_priority = swap_free_priority(root);

	if (swap_list(root, areas, SWAP_AREAS, &count))
		return;
	for (size_t i = 0; i < count; i++)
		if (areas[i].priority >= free_priority)
			higher = areas[i].path;
	while (others < count && swap_is_of_a_run(areas[others].path))
		others++;
	if (plan->swap.kind == PRESSURE_SWAP_KEEP && plan->ram_bytes && count && others == count && !plan->is_never_swapped)
		diag_warn("--ram without --swap: the only swap (%s%s) belongs to another run, which removes it at its end, and "
			  "cannot while pages of this command are in it; add --swap zram:SIZE", areas[0].path,
			count > 1 ? ", ..." : "");
	if (is_ours && higher)
		diag_warn("the swap area %s has a priority that is not below ours: pages go there first, and the result will "
			  "not be ok if any are swapped out; wait for the end of the run that it belongs to, or swapoff", higher);
	else if (is_ours && count)
		diag_warn("%zu other swap area%s active (%s%s): ours is filled first, pages of the command may reach the "
			  "others only when it is full",
			count, count == 1 ? " is" : "s are", areas[0].path, count > 1 ? ", ..." : "");
	if (plan->swap.kind == PRESSURE_SWAP_KEEP && plan->ram_bytes && !count && !plan->is_never_swapped)
		diag_warn("--ram without swap: this machine has none, so memory beyond the limit ends in an "
			  "OOM kill; --swap zram:SIZE adds some");
}
