/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "iowrite-bench/setup/test_setup.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/diag.h"
#include "common/base/find.h"
#include "common/base/nameless.h"
#include "common/base/sysfs.h"
#include "common/probe/probe.h"
#include "iowrite-bench/commands.h"
#include "iowrite-bench/setup/test_setup_throttle.h"

/* --- thresholds --- */

#define VM "/proc/sys/vm/"

/* Writing one sets its twin to 0; writing 0 to *_bytes is refused by the kernel (Linux 6.18), so that a ratio comes
 * back only by a write to the ratio. */
static int set_threshold(struct test_setup *setup, const char *name, const char *twin, uint64_t bytes)
{
	struct undo_action action = {.act = UNDO_SETTING};
	int ret;

	snprintf(action.path, sizeof(action.path), VM "%s", name);
	snprintf(action.twin, sizeof(action.twin), "%s", twin);
	snprintf(action.ours, sizeof(action.ours), "%" PRIu64, bytes);
	if (!bytes)
		return undo_revert(setup->undo, &action) ? DIAG_EXIT_HOST : DIAG_EXIT_OK;
	if (undo_add(setup->undo, &action))
		return DIAG_EXIT_HOST;
	ret = sysfs_write("", action.path, action.ours);
	if (!ret)
		return DIAG_EXIT_OK;
	return diag_host(ret, "cannot write %s to %s%s", action.ours, action.path,
		ret == -EROFS || ret == -EACCES ? " (in a container /proc/sys must be writable)" : "");
}

/* Writes " vm.name = 64 MiB", or "" for 0. */
static void name_value(const char *name, uint64_t bytes, char *text, size_t length)
{
	char size[UNITS_TEXT];

	text[0] = '\0';
	if (bytes)
		snprintf(text, length, " vm.%s = %s", name, units_format_size(bytes, size, sizeof(size)));
}

/* Warns once for each pair: a list of scenarios sets the same pairs repeatedly. */
static void warn(struct test_setup *setup, uint64_t background_bytes, uint64_t dirty_bytes)
{
	char background[64], dirty[64];

	if (!background_bytes && !dirty_bytes)
		return;
	for (size_t i = 0; i < setup->warned_count; i++) {
		if (setup->warned[i][0] == background_bytes && setup->warned[i][1] == dirty_bytes)
			return;
	}
	if (setup->warned_count < TEST_SETUP_WARNED) {
		setup->warned[setup->warned_count][0] = background_bytes;
		setup->warned[setup->warned_count++][1] = dirty_bytes;
	}
	name_value("dirty_background_bytes", background_bytes, background, sizeof(background));
	name_value("dirty_bytes", dirty_bytes, dirty, sizeof(dirty));
	diag_warn("until this run ends the writes of all programs are throttled by its thresholds:%s%s%s", background,
		background_bytes && dirty_bytes ? "," : "", dirty);
}

static int check_thresholds(uint64_t background_bytes, uint64_t dirty_bytes)
{
	uint64_t least = 2 * (uint64_t)sysconf(_SC_PAGESIZE);

	if (dirty_bytes && dirty_bytes < least)
		return diag_usage("a dirty threshold of %" PRIu64 " bytes: the kernel's minimum is two pages, %" PRIu64,
			dirty_bytes, least);
	if (background_bytes && dirty_bytes && background_bytes >= dirty_bytes)
		return diag_usage("a background threshold of %" PRIu64 " bytes is not below the dirty threshold of %" PRIu64
			": the kernel would take half of that", background_bytes, dirty_bytes);
	return DIAG_EXIT_OK;
}

int test_setup_thresholds(struct test_setup *setup, uint64_t background_bytes, uint64_t dirty_bytes)
{
	int code = check_thresholds(background_bytes, dirty_bytes);

	if (code)
		return code;
	code = set_threshold(setup, "dirty_bytes", "dirty_ratio", dirty_bytes);
	if (!code)
		code = set_threshold(setup, "dirty_background_bytes", "dirty_background_ratio", background_bytes);
	/* A refusal has its own line, so that the warning comes after success. */
	if (!code)
		warn(setup, background_bytes, dirty_bytes);
	return code;
}

/*
 * A file system of its own on a loop device over a file without a name (docs/adr/0023). Only descriptors of this process hold
 * image, device and mount, so that none of them outlives it.
 */

#define SIZE_MIN (64 * UNITS_MIB)
#define SIZE_MAX_BYTES (UNITS_MIB << 24) /* ext4's 16 TiB of 4 KiB blocks */
#define RATE_MIN UNITS_MIB
#define RATE_MAX (UNITS_MIB << 20)
#define ROUND (64 * UNITS_MIB)
#define PAUSE_MS 10
#define TRIES (10 * 1000 / PAUSE_MS)

#define MISSING 127 /* as a shell's */

/* Lazy initialisation would make the kernel write in the background while we measure, discard would free the image's blocks,
 * and many inodes would be more to write. */
static _Noreturn void exec_mkfs(const char *device, int output)
{
	static const char *const places[] = {"/usr/sbin/mkfs.ext4", "/sbin/mkfs.ext4"};
	int null = open("/dev/null", O_RDONLY);
	char found[PATH_MAX];
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	if (dup2(null, 0) < 0 || dup2(output, 1) < 0 || dup2(output, 2) < 0)
		_exit(1);
	/* The search path of a user's shell often lacks sbin. */
	for (size_t i = 0; i < 1 + sizeof(places) / sizeof(places[0]); i++) {
		if (!i && find_in_path("mkfs.ext4", found, sizeof(found)))
			continue;
		execl(i ? places[i - 1] : found, "mkfs.ext4", "-q", "-m", "0", "-i", "262144", "-E",
			"nodiscard,lazy_itable_init=0,lazy_journal_init=0", device, (char *)NULL);
	}
	_exit(errno == ENOENT ? MISSING : 1);
}

static const char *last_line(int output, char *text, size_t length)
{
	off_t size = lseek(output, 0, SEEK_END);
	off_t from = size > (off_t)length - 1 ? size - (off_t)length + 1 : 0;
	ssize_t got = pread(output, text, length - 1, from);
	char *newline;

	text[got > 0 ? got : 0] = '\0';
	while ((newline = strrchr(text, '\n')) && !newline[1])
		*newline = '\0';
	return newline ? newline + 1 : text;
}

/* Makes an empty ext4 that writes nothing by itself later. */
static int make_file_system(const char *device)
{
	int output = memfd_create("mkfs.ext4", MFD_CLOEXEC), status = 0, code;
	char text[256];
	pid_t pid;

	fflush(NULL);
	pid = output < 0 ? -1 : fork();
	if (pid == 0)
		exec_mkfs(device, output);
	if (pid < 0) {
		code = diag_host(errno, "cannot start mkfs.ext4");
	} else {
		while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
			;
		if (WIFEXITED(status) && !WEXITSTATUS(status))
			code = DIAG_EXIT_OK;
		else if (WIFEXITED(status) && WEXITSTATUS(status) == MISSING)
			code = diag_host(0, "mkfs.ext4 is missing: install the package e2fsprogs");
		else if (WIFSIGNALED(status))
			code = diag_host(0, "mkfs.ext4 on %s was ended by signal %d", device, WTERMSIG(status));
		else
			code = diag_host(0, "mkfs.ext4 on %s failed: %s", device, last_line(output, text, sizeof(text)));
	}
	if (output >= 0)
		close(output);
	return code;
}

uint64_t test_setup_slow_size(uint64_t file_bytes, uint64_t dirty_bytes, uint64_t free_bytes)
{
	uint64_t dirty = dirty_bytes && dirty_bytes < file_bytes ? dirty_bytes : file_bytes;
	uint64_t least = file_bytes + TEST_SETUP_MORE_BYTES, more, spare;

	least += -least % (least + ROUND <= free_bytes ? ROUND : UNITS_MIB);
	spare = free_bytes > least ? (free_bytes - least) / 2 : 0;
	more = 2 * dirty < spare ? 2 * dirty : spare;
	return least + more / ROUND * ROUND;
}

static int check_slow_device(const struct test_setup_request *request, const char *folder)
{
	char text[UNITS_TEXT];
	struct stat stat_of;

	if (request->slow_bytes_per_second < RATE_MIN || request->slow_bytes_per_second > RATE_MAX)
		return diag_usage("a slow device of %s/s: must be 1 MiB/s to 1 TiB/s",
			units_format_size(request->slow_bytes_per_second, text, sizeof(text)));
	if (request->slow_size_bytes < SIZE_MIN || request->slow_size_bytes > SIZE_MAX_BYTES)
		return diag_usage("a slow device of %s: must be 64 MiB to 16 TiB",
			units_format_size(request->slow_size_bytes, text, sizeof(text)));
	if (stat(folder, &stat_of) || !S_ISDIR(stat_of.st_mode))
		return diag_usage("the slow device's image needs a folder: %s is not one", folder);
	return DIAG_EXIT_OK;
}

/* Allocates the blocks in advance, so that no write meets a full disk or waits for an allocation. */
static int make_image(struct test_setup *setup, const char *folder, uint64_t bytes)
{
	const struct target_request request = {.path = folder, .bytes = bytes, .needs_direct = true};
	struct test_setup_slow *slow = &setup->slow;
	int code = target_open(&request, &slow->image);

	if (code)
		return code;
	slow->has_image = true;
	if (!fallocate(slow->image.fd, 0, 0, (off_t)bytes))
		return DIAG_EXIT_OK;
	return diag_host(errno, "cannot reserve %" PRIu64 " bytes in %s for the slow device", bytes, folder);
}

static int attach(struct test_setup *setup, int *device_fd)
{
	struct test_setup_slow *slow = &setup->slow;
	struct undo_action action = {.act = UNDO_LOOP};
	struct stat stat_of;
	bool is_direct;
	int ret = fstat(slow->image.fd, &stat_of) ? -errno : 0;

	if (!ret)
		ret = loopdev_attach(slow->image.fd, slow->device, device_fd, &is_direct);
	if (ret)
		return diag_host(ret, "cannot make a loop device");
	if (!is_direct)
		return diag_host(0, "%s has no direct I/O there: the slow device would be cached twice; "
			"use a folder of ext4 or xfs", slow->device);
	/* The action needs the device's number, which is known only now; until here our descriptor held the device. */
	action.a = stat_of.st_dev;
	action.b = stat_of.st_ino;
	snprintf(action.path, sizeof(action.path), "%s", slow->device);
	return undo_add(setup->undo, &action) ? DIAG_EXIT_HOST : DIAG_EXIT_OK;
}

static int mount_device(struct test_setup_slow *slow)
{
	int ret = detached_mount("ext4", slow->device, &slow->mount_fd);

	if (!ret) {
		snprintf(slow->folder, sizeof(slow->folder), "/proc/self/fd/%d", slow->mount_fd);
		return DIAG_EXIT_OK;
	}
	slow->mount_fd = -1;
	return diag_host(ret, "cannot mount %s%s", slow->device, ret == -ENODEV ? ": this kernel has no ext4 (modprobe ext4)"
		: ret == -ENOSYS ? " (fsmount, Linux 5.2)" : "");
}

static int open_slow_device(struct test_setup *setup, const struct test_setup_request *request)
{
	const char *folder = request->slow_folder ? request->slow_folder : ".";
	struct test_setup_slow *slow = &setup->slow;
	struct stat stat_of;
	int device_fd = -1, code = check_slow_device(request, folder);

	if (!code)
		code = make_image(setup, folder, request->slow_size_bytes);
	if (!code)
		code = attach(setup, &device_fd);
	if (!code)
		code = make_file_system(slow->device);
	if (!code)
		code = mount_device(slow);
	if (!code && fstat(device_fd, &stat_of))
		code = diag_host(errno, "cannot examine %s", slow->device);
	/* The mount holds the device from now on. */
	if (device_fd >= 0)
		close(device_fd);
	if (!code)
		code = test_setup_throttle(setup, stat_of.st_rdev, request->slow_bytes_per_second);
	return code;
}

/* Waits until the kernel has unmounted, which it does in the background once the last descriptor is closed. */
static int wait_for_end(const struct test_setup_slow *slow, const struct stat *image)
{
	const struct timespec pause = {.tv_nsec = PAUSE_MS * 1000 * 1000};

	for (int tries = 0; loopdev_is_over(slow->device, image->st_dev, image->st_ino) == 1; tries++) {
		if (tries == TRIES)
			return diag_host(0, "%s is still in use: another process has a file open on the slow device",
				slow->device);
		nanosleep(&pause, NULL);
	}
	return DIAG_EXIT_OK;
}

static int close_slow_device(struct test_setup *setup)
{
	struct test_setup_slow *slow = &setup->slow;
	struct stat stat_of;
	int code;

	/* The throttle goes first, so that dirty pages are written at full speed. */
	code = test_setup_unthrottle(setup);
	if (slow->mount_fd >= 0)
		close(slow->mount_fd);
	slow->mount_fd = -1;
	if (slow->has_image && slow->device[0] && !fstat(slow->image.fd, &stat_of)) {
		int left = wait_for_end(slow, &stat_of);

		code = code ? code : left;
	}
	if (slow->has_image)
		target_close(&slow->image);
	slow->has_image = false;
	return code;
}

/* --- the whole test setup --- */

int test_setup_lacks(bool has_thresholds, bool has_slow_device, char *why, size_t length)
{
	static const struct {
		const char *probe;
		bool is_of_device;
	} needs[] = {{"dirty-thresholds", false}, {"privilege", true}, {"loop", true}};

	for (size_t i = 0; i < sizeof(needs) / sizeof(needs[0]); i++) {
		char lacking[TEST_SETUP_WHY];

		if (!(needs[i].is_of_device ? has_slow_device : has_thresholds) ||
			!probe_require("", needs[i].probe, lacking, sizeof(lacking)))
			continue;
		snprintf(why, length, "%s: %s", needs[i].probe, lacking);
		return -ENOTSUP;
	}
	return 0;
}

int test_setup_open(const struct test_setup_request *request, struct test_setup **setup)
{
	bool has_thresholds = request->background_bytes || request->dirty_bytes;
	struct test_setup *made;
	char why[TEST_SETUP_WHY];
	int code = check_thresholds(request->background_bytes, request->dirty_bytes);

	if (code)
		return code;
	if (test_setup_lacks(has_thresholds, request->slow_bytes_per_second, why, sizeof(why)))
		return diag_host(0, "the test setup needs %s", why);
	made = calloc(1, sizeof(*made));
	if (!made)
		return diag_host(ENOMEM, "cannot prepare the test setup");
	made->root = "";
	made->slow.mount_fd = -1;
	if (undo_open(iowrite_program.name, &made->undo)) {
		free(made);
		return DIAG_EXIT_HOST;
	}
	/* The device comes first: the thresholds must not throttle the making of its file system. */
	code = request->slow_bytes_per_second ? open_slow_device(made, request) : DIAG_EXIT_OK;
	if (!code && has_thresholds)
		code = test_setup_thresholds(made, request->background_bytes, request->dirty_bytes);
	if (code)
		test_setup_close(made);
	else
		*setup = made;
	return code;
}

struct undo *test_setup_undo(const struct test_setup *setup)
{
	return setup->undo;
}

const char *test_setup_folder(const struct test_setup *setup)
{
	return setup->slow.folder[0] ? setup->slow.folder : NULL;
}

int test_setup_close(struct test_setup *setup)
{
	int code;

	if (!setup)
		return DIAG_EXIT_OK;
	code = close_slow_device(setup);
	if (undo_close(setup->undo))
		code = diag_host(0,
			"not everything is restored: fix what the lines above name, then run 'iowrite-bench recover'");
	free(setup);
	return code;
}
