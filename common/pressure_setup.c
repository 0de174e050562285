/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "common/pressure_run.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/blockdev.h"
#include "common/diag.h"
#include "common/loopdev.h"
#include "common/pressure_check.h"
#include "common/report_draft.h"
#include "common/swap.h"
#include "common/sysfs.h"
#include "common/target.h"
#include "common/units.h"
#include "common/zram.h"

static int note(const struct pressure_run *run, enum undo_act act, uint64_t a, uint64_t b, const char *path)
{
	struct undo_action action = {.act = act, .a = a, .b = b};

	if (snprintf(action.path, sizeof(action.path), "%s", path) >= (int)sizeof(action.path)) {
		diag_error(ENAMETOOLONG, "cannot note %s", path);
		return -ENAMETOOLONG;
	}
	return undo_add(run->undo, &action);
}

/* Whether the setting was asked for decides what it means that it cannot be changed. */
static int pin_setting(struct pressure_run *run, const char *path, unsigned value, bool is_asked_for)
{
	struct undo_action action = {.act = UNDO_SHARED};
	uint64_t before;
	int ret;

	if (!is_asked_for && sysfs_read_u64("", path, &before)) {
		diag_warn("%s cannot be read: it stays as it is", path);
		return 0;
	}
	snprintf(action.path, sizeof(action.path), "%s", path);
	snprintf(action.ours, sizeof(action.ours), "%u", value);
	ret = undo_add(run->undo, &action);
	if (ret)
		return ret;
	ret = sysfs_write("", path, action.ours);
	if (ret && is_asked_for)
		diag_error(ret, "cannot write %s to %s", action.ours, path);
	else if (ret)
		diag_warn("%s cannot be written: it stays as it is", path);
	return is_asked_for ? ret : 0;
}

/* What hot_add makes is known only afterwards. Until then the journal tells what it will be at least, and
 * the folder's lock keeps other runs from making one. */
static int add_zram(struct pressure_run *run, struct zram *zram)
{
	unsigned ids[ZRAM_DEVICES];
	size_t count;
	int dir_fd, ret = zram_list("", ids, ZRAM_DEVICES, &count);

	if (!ret)
		ret = journal_lock_dir(undo_journal(run->undo)->dir, &dir_fd);
	if (ret) {
		diag_error(ret, "cannot prepare for a zram device");
		return ret;
	}
	ret = note(run, UNDO_HOT_ADD, zram_next_id(ids, count), zram_newest_diskseq("") + 1, "");
	if (!ret) {
		ret = zram_add(zram);
		if (ret)
			diag_error(ret, "cannot make a zram device");
	}
	if (!ret)
		ret = note(run, UNDO_ZRAM, zram->id, zram->diskseq, "");
	close(dir_fd);
	return ret;
}

static int activate(struct pressure_run *run, const char *path)
{
	int fd, ret = note(run, UNDO_SWAP, 0, 0, path);

	if (ret)
		return ret;
	ret = swap_open(path, undo_journal(run->undo)->uuid, &fd);
	if (!ret) {
		ret = swap_on(fd);
		close(fd);
	}
	if (ret)
		diag_error(ret, "cannot swap on %s", path);
	return ret;
}

static int format_device(const struct pressure_run *run, const char *path)
{
	int ret, fd;

	ret = blockdev_open_unused(path, &fd);
	if (!ret) {
		ret = swap_format(fd, run->plan.swap.bytes, undo_journal(run->undo)->uuid);
		close(fd);
	}
	if (ret)
		diag_error(ret, "cannot write a swap header to %s", path);
	return ret;
}

static int setup_zram(struct pressure_run *run)
{
	const struct pressure_swap *swap = &run->plan.swap;
	struct zram zram;
	char path[32];
	int ret = add_zram(run, &zram);

	if (ret)
		return ret;
	ret = zram_configure("", zram.id, swap->algorithm, pressure_zram_limit("", &run->plan), swap->bytes);
	if (ret) {
		char size[32];

		diag_error(ret, "cannot give zram%u %s with compressor %s", zram.id,
			units_format_size(swap->bytes, size, sizeof(size)),
			swap->algorithm[0] ? swap->algorithm : "of the kernel's choice");
		return ret;
	}
	snprintf(path, sizeof(path), "/dev/zram%u", zram.id);
	ret = format_device(run, path);
	return ret ? ret : activate(run, path);
}

/* The folder, and the path in the kernel's words, so that /proc/swaps and we agree. *folder is the caller's to close. */
static int resolve(const char *path, int *folder, char name[NAME_MAX + 1], char *resolved, size_t length)
{
	struct stat opened, named;
	char self[32], text[PATH_MAX];
	ssize_t used;
	int ret = report_draft_place(path, folder, name);

	if (ret)
		return ret;
	snprintf(self, sizeof(self), "/proc/self/fd/%d", *folder);
	used = readlink(self, text, sizeof(text) - 1);
	text[used > 0 ? used : 0] = '\0';
	/* Of a folder that no path leads to (removed, or mounted elsewhere) the text is another's. */
	if (used < 0 || fstat(*folder, &opened) || lstat(text, &named))
		ret = -errno;
	else if (opened.st_dev != named.st_dev || opened.st_ino != named.st_ino)
		ret = -ENOENT;
	else if (snprintf(resolved, length, "%s/%s", strcmp(text, "/") ? text : "", name) >= (int)length)
		ret = -ENAMETOOLONG;
	/* The journal keeps one action a line. */
	else if (strchr(resolved, '\n'))
		ret = -EINVAL;
	if (ret)
		close(*folder);
	return ret;
}

static int allocate_file(struct pressure_run *run, int folder, int *fd)
{
	const struct pressure_swap *swap = &run->plan.swap;
	int file = openat(folder, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	int ret = 0;

	if (file < 0)
		return -errno;
	pressure_forbid_copy_on_write(file);
	if (fallocate(file, 0, 0, (off_t)swap->bytes))
		ret = -errno;
	if (!ret)
		ret = swap_format(file, swap->bytes, undo_journal(run->undo)->uuid);
	if (ret)
		close(file);
	else
		*fd = file;
	return ret;
}

/* The file has no name until the journal knows its inode: killed before, it is gone by itself; after, what
 * carries the name is compared with what is noted. */
static int make_file(struct pressure_run *run, int folder, const char *name, const char *path, int *fd, struct stat *stat)
{
	char self[64];
	int file = -1, ret;

	ret = allocate_file(run, folder, &file);
	if (!ret && fstat(file, stat))
		ret = -errno;
	if (!ret)
		ret = note(run, UNDO_SWAP_FILE, stat->st_dev, stat->st_ino, path);
	snprintf(self, sizeof(self), "/proc/self/fd/%d", file);
	if (!ret && linkat(AT_FDCWD, self, folder, name, AT_SYMLINK_FOLLOW))
		ret = -errno;
	if (ret) {
		diag_error(ret, "cannot make the swap file %s", path);
		if (file >= 0)
			close(file);
		return ret;
	}
	*fd = file;
	return 0;
}

static int setup_loop(struct pressure_run *run, int file_fd, const struct stat *stat)
{
	char path[LOOPDEV_PATH];
	bool is_direct;
	int device_fd, ret = loopdev_attach(file_fd, path, &device_fd, &is_direct);

	if (ret) {
		diag_error(ret, "cannot attach %s to a loop device", run->plan.swap.path);
		return ret;
	}
	if (!is_direct)
		diag_warn("%s is without direct I/O on this file system: the page cache holds swapped pages "
			  "too",
			path);
	/* Until it is swapped on it detaches itself when this process dies, so the note may come after. */
	ret = note(run, UNDO_SWAP_LOOP, stat->st_dev, stat->st_ino, path);
	if (!ret)
		ret = activate(run, path);
	close(device_fd);
	return ret;
}

static int setup_file(struct pressure_run *run)
{
	char path[512], name[NAME_MAX + 1];
	struct stat stat;
	int fd = -1, folder, ret = resolve(run->plan.swap.path, &folder, name, path, sizeof(path));

	if (ret) {
		diag_error(ret, "cannot find the folder of %s", run->plan.swap.path);
		return ret;
	}
	ret = make_file(run, folder, name, path, &fd, &stat);
	close(folder);
	if (ret)
		return ret;
	if (run->plan.swap.kind == PRESSURE_SWAP_LOOP)
		ret = setup_loop(run, fd, &stat);
	else
		ret = activate(run, path);
	close(fd);
	return ret;
}

/* An area that the device holds already is used as it is; anything else is written over when that is confirmed. All is
 * looked at through one descriptor, which keeps others out until just before swapon(2), which does the same. */
static int setup_device(struct pressure_run *run)
{
	struct target target;
	char path[PATH_MAX], self[32];
	bool is_area = false;
	int fd = -1, ret = pressure_open_device(&run->plan, &target, &is_area);

	if (ret)
		return ret;
	snprintf(self, sizeof(self), "/proc/self/fd/%d", target.fd);
	if (!realpath(run->plan.swap.path, path))
		ret = -errno;
	if (!ret && !is_area)
		ret = swap_format(target.fd, target.size_bytes, undo_journal(run->undo)->uuid);
	if (!ret) {
		fd = open(self, O_RDONLY | O_CLOEXEC);
		ret = fd < 0 ? -errno : 0;
	}
	if (ret)
		diag_error(ret, "cannot prepare %s as swap", run->plan.swap.path);
	else
		ret = note(run, UNDO_SWAP_DEVICE, target.device, blockdev_diskseq("", target.device), path);
	target_close(&target);
	if (!ret) {
		ret = swap_on(fd);
		if (ret)
			diag_error(ret, "cannot swap on %s", run->plan.swap.path);
	}
	if (fd >= 0)
		close(fd);
	return ret;
}

static int setup_swap(struct pressure_run *run)
{
	switch (run->plan.swap.kind) {
	case PRESSURE_SWAP_ZRAM:
		return setup_zram(run);
	case PRESSURE_SWAP_FILE:
	case PRESSURE_SWAP_LOOP:
		return setup_file(run);
	case PRESSURE_SWAP_DEVICE:
		return setup_device(run);
	case PRESSURE_SWAP_KEEP:
	case PRESSURE_SWAP_NONE:
		break;
	}
	return 0;
}

static int setup_cgroup(struct pressure_run *run, struct cgroup cgroup)
{
	const struct cgroup_limits limits = {
		.bytes = run->plan.ram_bytes,
		.high_bytes = run->plan.high_bytes,
		.without_swap = run->plan.swap.kind == PRESSURE_SWAP_NONE,
		.has_swappiness = run->plan.has_swappiness,
		.swappiness = run->plan.swappiness,
	};
	size_t used = strlen(cgroup.dir);
	int ret;

	if (snprintf(cgroup.dir + used, sizeof(cgroup.dir) - used, "/with-pressure-%s", undo_journal(run->undo)->name) >=
		(int)(sizeof(cgroup.dir) - used)) {
		diag_error(ENAMETOOLONG, "cannot make a memory cgroup in %s", cgroup.dir);
		return -ENAMETOOLONG;
	}
	ret = note(run, UNDO_CGROUP, (uint64_t)cgroup.version, 0, cgroup.dir);
	if (ret)
		return ret;
	ret = cgroup_create(&cgroup);
	if (!ret)
		ret = cgroup_limit(&cgroup, &limits);
	if (ret)
		diag_error(ret, "cannot make and limit the memory cgroup %s", cgroup.dir);
	else
		run->shared->cgroup = cgroup;
	return ret;
}

int pressure_setup(struct pressure_run *run)
{
	const struct pressure_plan *plan = &run->plan;
	struct cgroup parent = {0};
	int ret = 0, no_cgroup;
	char why[512];

	no_cgroup = cgroup_find_parent("", &parent, why, sizeof(why));
	/* Readahead of swap would turn one fault into the reading of eight pages. */
	if (plan->page_cluster >= 0)
		ret = pin_setting(run, "/proc/sys/vm/page-cluster", (unsigned)plan->page_cluster, plan->has_page_cluster);
	if (!ret && plan->has_swappiness && (no_cgroup || parent.version == 2))
		ret = pin_setting(run, "/proc/sys/vm/swappiness", plan->swappiness, true);
	if (!ret)
		ret = setup_swap(run);
	if (ret || !pressure_wants_cgroup(plan, parent.version))
		return ret;
	if (no_cgroup) {
		diag_error(0, "%s", why);
		return no_cgroup;
	}
	return setup_cgroup(run, parent);
}
