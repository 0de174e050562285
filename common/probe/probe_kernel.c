/* SPDX-License-Identifier: GPL-3.0-or-later */
/* System calls that test features of the kernel: struct probe_hooks for a real machine. */
#include "config.h"
#include "common/probe/probe_checks.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/capability.h>
#include <linux/io_uring.h>
#include <linux/magic.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/base/diag.h"
#include "common/base/find.h"
#include "common/base/nameless.h"
#include "common/base/sysfs.h"
#include "common/base/units.h"
#include "common/kernel/perf.h"
#include "common/kernel/swap.h"
#include "common/kernel/tracefs_dir.h"
#include "common/pressure/pressure_check.h"

#ifndef STATX_DIOALIGN /* Linux 6.1 */
#define STATX_DIOALIGN 0x2000U
#endif
#ifndef XFS_SUPER_MAGIC
#define XFS_SUPER_MAGIC 0x58465342
#endif
#ifndef F2FS_SUPER_MAGIC
#define F2FS_SUPER_MAGIC 0xF2F52010
#endif
#define ZFS_MAGIC 0x2FC12FC1
#define DIOALIGN_PLACE 0x98 /* offset of stx_dio_mem_align, which headers before 6.1 call spare; stx_dio_offset_align follows it */

#define CALIBRATION_NS 50000000ull
#define VERSION_WAIT_MS 5000 /* a program without output by then has no version */

static int time_source(const char *root, struct timebase *timebase)
{
	return timebase_init(timebase, TICKS_DEFAULT, false, CALIBRATION_NS, root);
}

static int memlock_limit(uint64_t *bytes)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_MEMLOCK, &limit))
		return -errno;
	*bytes = limit.rlim_cur == RLIM_INFINITY ? UINT64_MAX : limit.rlim_cur;
	return 0;
}

/* unshare affects later children, so a child without any calls it. */
static int pid_namespace(void)
{
	int status = 0;
	pid_t child = fork();

	if (child < 0)
		return -errno;
	if (!child)
		_exit(unshare(CLONE_NEWPID) ? errno : 0);
	if (TEMP_FAILURE_RETRY(waitpid(child, &status, 0)) < 0)
		return -errno;
	return WIFEXITED(status) ? -WEXITSTATUS(status) : -EIO;
}

static int is_writable(const char *path)
{
	return access(path, W_OK) ? -errno : 0;
}

static int swap_file(const char *root, const char *folder, char *why, size_t length)
{
	struct pressure_plan plan = {.swap = {.kind = PRESSURE_SWAP_FILE, .bytes = SWAP_MIN_BYTES}};

	if (snprintf(plan.swap.path, sizeof(plan.swap.path), "%s/memstor-probe.swap", folder) >= (int)sizeof(plan.swap.path))
		return diag_explain(-ENAMETOOLONG, why, length, "the path is longer than 255 bytes");
	return pressure_check_swap(root, &plan, why, length);
}

static int uring(unsigned flags)
{
	struct io_uring_params params = {.flags = flags};
	int fd = (int)syscall(SYS_io_uring_setup, 4, &params);

	if (fd < 0)
		return -errno;
	close(fd);
	return 0;
}

static const struct {
	unsigned long magic;
	const char *name;
	bool is_memory;
} filesystems[] = {
	{EXT4_SUPER_MAGIC, "ext4", false},
	{XFS_SUPER_MAGIC, "xfs", false},
	{BTRFS_SUPER_MAGIC, "btrfs", false},
	{F2FS_SUPER_MAGIC, "f2fs", false},
	{ZFS_MAGIC, "zfs", false},
	{OVERLAYFS_SUPER_MAGIC, "overlay", false},
	{NFS_SUPER_MAGIC, "nfs", false},
	{FUSE_SUPER_MAGIC, "fuse", false},
	{V9FS_MAGIC, "9p", false},
	{TMPFS_MAGIC, "tmpfs", true},
	{RAMFS_MAGIC, "ramfs", true},
};

/* Moves one block, of a page or the size that the kernel requires. */
static int move_block(int fd, bool is_device, const struct probe_direct *direct)
{
	size_t size = (size_t)sysconf(_SC_PAGESIZE);
	ssize_t moved;
	void *block;
	int err = 0;

	if (direct->offset_bytes > size)
		size = direct->offset_bytes;
	if (posix_memalign(&block, size, size))
		return -ENOMEM;
	memset(block, 0x5a, size);
	moved = is_device ? pread(fd, block, size, 0) : pwrite(fd, block, size, 0);
	if (moved < 0)
		err = -errno;
	else if ((size_t)moved != size)
		err = -EIO;
	free(block);
	return err;
}

static int try_direct(const char *path, struct probe_direct *direct)
{
	union {
		struct statx statx;
		uint32_t words[sizeof(struct statx) / sizeof(uint32_t)];
	} answer = {0};
	struct statfs system;
	struct stat status;
	char *folder, *slash;
	bool is_device;
	int fd, err;

	*direct = (struct probe_direct){.step = "open"};
	if (stat(path, &status))
		return -errno;
	is_device = S_ISBLK(status.st_mode);
	if (is_device)
		snprintf(direct->filesystem, sizeof(direct->filesystem), "device");
	for (size_t i = 0; !is_device && i < sizeof(filesystems) / sizeof(filesystems[0]) && !statfs(path, &system); i++) {
		if (filesystems[i].magic != (unsigned long)(uint32_t)system.f_type)
			continue;
		snprintf(direct->filesystem, sizeof(direct->filesystem), "%s", filesystems[i].name);
		direct->is_cached = filesystems[i].is_memory;
	}
	if (is_device) {
		fd = open(path, O_RDONLY | O_DIRECT | O_CLOEXEC);
		fd = fd < 0 ? -errno : fd;
	} else {
		/* For a file its folder is tested, so that the file is not changed. */
		folder = strdup(path);
		if (!folder)
			return -ENOMEM;
		slash = S_ISDIR(status.st_mode) ? NULL : strrchr(folder, '/');
		if (slash)
			slash[slash == folder] = '\0';
		fd = nameless_open(slash || S_ISDIR(status.st_mode) ? folder : ".", O_DIRECT);
		free(folder);
	}
	if (fd < 0)
		return fd;
	if (!statx(fd, "", AT_EMPTY_PATH, STATX_DIOALIGN, &answer.statx) && answer.statx.stx_mask & STATX_DIOALIGN) {
		direct->has_alignment = true;
		direct->memory_bytes = answer.words[DIOALIGN_PLACE / sizeof(uint32_t)];
		direct->offset_bytes = answer.words[DIOALIGN_PLACE / sizeof(uint32_t) + 1];
	}
	direct->step = is_device ? "read" : "write";
	err = move_block(fd, is_device, direct);
	close(fd);
	return err;
}

/* A sample with PERF_SAMPLE_ADDR alone is its header and the address. */
enum { WORD_HEADER, WORD_ADDRESS };

static int find_fault(const struct perf_ring *ring, uint64_t page, uint64_t page_mask)
{
	uint64_t head = perf_ring_head(ring);

	for (uint64_t at = 0; at < head;) {
		uint64_t word = perf_ring_word(ring, at, WORD_HEADER);
		struct perf_event_header header;

		memcpy(&header, &word, sizeof(header));
		if (header.type == PERF_RECORD_SAMPLE && (perf_ring_word(ring, at, WORD_ADDRESS) & page_mask) == page)
			return 0;
		if (header.size < sizeof(header))
			break;
		at += header.size;
	}
	return -ENOMSG;
}

static int fault_address(void)
{
	struct perf_event_attr attr = perf_software(PERF_COUNT_SW_PAGE_FAULTS, PERF_SAMPLE_ADDR);
	size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE);
	int fd = perf_open(&attr, 0, -1), err;
	struct perf_ring ring;
	volatile char *page;

	if (fd < 0)
		return fd;
	err = perf_ring_open(fd, 1, &ring);
	page = mmap(NULL, page_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (!err && page == MAP_FAILED)
		err = -ENOMEM;
	if (!err && ioctl(fd, PERF_EVENT_IOC_ENABLE, 0))
		err = -errno;
	if (!err)
		page[0] = 1;
	if (!err && ioctl(fd, PERF_EVENT_IOC_DISABLE, 0))
		err = -errno;
	if (!err)
		err = find_fault(&ring, (uint64_t)(uintptr_t)page, ~(uint64_t)(page_bytes - 1));
	if (page != MAP_FAILED)
		munmap((void *)page, page_bytes);
	perf_ring_close(&ring);
	close(fd);
	return err;
}

static int tracefs(void)
{
	int dirfd, err = tracefs_open_dir(&dirfd);

	if (err)
		return err;
	if (faccessat(dirfd, "trace_marker", W_OK, AT_EACCESS))
		err = -errno;
	close(dirfd);
	return err;
}

static int process_madvise_nothing(void)
{
	int fd = (int)syscall(SYS_pidfd_open, getpid(), 0), err;

	if (fd < 0)
		return -errno;
	err = syscall(SYS_process_madvise, fd, NULL, 0ul, MADV_PAGEOUT, 0u) < 0 ? -errno : 0;
	close(fd);
	return err;
}

const struct probe_hooks probe_real_hooks = {
	.time_source = time_source,
	.memlock_limit = memlock_limit,
	.pid_namespace = pid_namespace,
	.is_writable = is_writable,
	.swap_file = swap_file,
	.uring = uring,
	.direct = try_direct,
	.perf_open = perf_open_in,
	.process_madvise = process_madvise_nothing,
	.fault_address = fault_address,
	.tracefs = tracefs,
	.pause = clock_pause,
};
