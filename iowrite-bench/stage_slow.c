/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A file system of its own on a loop device over a file without a name (docs/adr/0023). Image, device and mount hang on
 * descriptors of this process alone, so that none of them outlives it.
 */
#include "config.h"
#include "iowrite-bench/stage_private.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "common/detached.h"
#include "common/diag.h"
#include "common/units.h"

#define SIZE_MIN (64 * UNITS_MIB)
#define SIZE_MAX_BYTES (UNITS_MIB << 24) /* ext4's 16 TiB of 4 KiB blocks */
#define RATE_MIN UNITS_MIB
#define RATE_MAX (UNITS_MIB << 20)
#define ROUND (64 * UNITS_MIB)
#define PAUSE_MS 10
#define TRIES (10 * 1000 / PAUSE_MS)

uint64_t stage_slow_size(uint64_t file_bytes, uint64_t dirty_bytes, uint64_t free_bytes)
{
	uint64_t dirty = dirty_bytes && dirty_bytes < file_bytes ? dirty_bytes : file_bytes;
	uint64_t least = file_bytes + STAGE_MORE_ROOM, more, spare;

	least += -least % (least + ROUND <= free_bytes ? ROUND : UNITS_MIB);
	spare = free_bytes > least ? (free_bytes - least) / 2 : 0;
	more = 2 * dirty < spare ? 2 * dirty : spare;
	return least + more / ROUND * ROUND;
}

static int check(const struct stage_request *request, const char *folder)
{
	char text[UNITS_TEXT];
	struct stat stat_of;

	if (request->slow_bytes_per_second < RATE_MIN || request->slow_bytes_per_second > RATE_MAX) {
		diag_error(0, "a slow device of %s/s: 1 MiB/s to 1 TiB/s are possible",
			units_format_size(request->slow_bytes_per_second, text, sizeof(text)));
		return DIAG_EXIT_USAGE;
	}
	if (request->slow_size_bytes < SIZE_MIN || request->slow_size_bytes > SIZE_MAX_BYTES) {
		diag_error(0, "a slow device of %s: 64 MiB to 16 TiB are possible",
			units_format_size(request->slow_size_bytes, text, sizeof(text)));
		return DIAG_EXIT_USAGE;
	}
	if (stat(folder, &stat_of) || !S_ISDIR(stat_of.st_mode)) {
		diag_error(0, "the slow device's image needs a folder: %s is none", folder);
		return DIAG_EXIT_USAGE;
	}
	return DIAG_EXIT_OK;
}

/* Its blocks are there before: the run meets no full disk, and no block is looked for while it measures. */
static int make_image(struct stage *stage, const char *folder, uint64_t bytes)
{
	const struct target_request request = {.path = folder, .bytes = bytes, .needs_direct = true};
	struct stage_slow *slow = &stage->slow;
	int code = target_open(&request, &slow->image);

	if (code)
		return code;
	slow->has_image = true;
	if (!fallocate(slow->image.fd, 0, 0, (off_t)bytes))
		return DIAG_EXIT_OK;
	diag_error(errno, "cannot reserve %" PRIu64 " bytes in %s for the slow device", bytes, folder);
	return DIAG_EXIT_HOST;
}

static int attach(struct stage *stage, int *device_fd)
{
	struct stage_slow *slow = &stage->slow;
	struct undo_action action = {.act = UNDO_LOOP};
	struct stat stat_of;
	bool is_direct;
	int ret = fstat(slow->image.fd, &stat_of) ? -errno : 0;

	if (!ret)
		ret = loopdev_attach(slow->image.fd, slow->device, device_fd, &is_direct);
	if (ret) {
		diag_error(ret, "cannot make a loop device (modprobe loop; in a container it needs /dev/loop-control)");
		return DIAG_EXIT_HOST;
	}
	if (!is_direct) {
		diag_error(0, "%s cannot be written past the page cache there: the slow device would be cached twice; "
			      "take a folder of ext4 or xfs",
			slow->device);
		return DIAG_EXIT_HOST;
	}
	/* Later than the action, because its number is known only then; until here it hangs on our descriptor. */
	action.a = stat_of.st_dev;
	action.b = stat_of.st_ino;
	snprintf(action.path, sizeof(action.path), "%s", slow->device);
	return undo_add(stage->undo, &action) ? DIAG_EXIT_HOST : DIAG_EXIT_OK;
}

static int mount_device(struct stage_slow *slow)
{
	int ret = detached_mount("ext4", slow->device, &slow->mount_fd);

	if (!ret) {
		snprintf(slow->folder, sizeof(slow->folder), "/proc/self/fd/%d", slow->mount_fd);
		return DIAG_EXIT_OK;
	}
	slow->mount_fd = -1;
	diag_error(ret, "cannot mount %s%s", slow->device,
		ret == -ENODEV ? ": this kernel has no ext4 (modprobe ext4)"
			       : ret == -ENOSYS ? " (fsmount, Linux 5.2)" : "");
	return DIAG_EXIT_HOST;
}

int stage_slow_open(struct stage *stage, const struct stage_request *request)
{
	const char *folder = request->slow_folder ? request->slow_folder : ".";
	struct stage_slow *slow = &stage->slow;
	struct stat stat_of;
	int device_fd = -1, code = check(request, folder);

	if (!code)
		code = make_image(stage, folder, request->slow_size_bytes);
	if (!code)
		code = attach(stage, &device_fd);
	if (!code)
		code = stage_mkfs(slow->device);
	if (!code)
		code = mount_device(slow);
	if (!code && fstat(device_fd, &stat_of)) {
		diag_error(errno, "cannot look at %s", slow->device);
		code = DIAG_EXIT_HOST;
	}
	/* From now on the mount holds it. */
	if (device_fd >= 0)
		close(device_fd);
	if (!code)
		code = stage_throttle(stage, stat_of.st_rdev, request->slow_bytes_per_second);
	return code;
}

/* The kernel unmounts behind our back once the last descriptor is closed. */
static int wait_for_end(const struct stage_slow *slow, const struct stat *image)
{
	const struct timespec pause = {.tv_nsec = PAUSE_MS * 1000 * 1000};

	for (int tries = 0; loopdev_is_over(slow->device, image->st_dev, image->st_ino); tries++) {
		if (tries == TRIES) {
			diag_error(0, "%s is still in use: somebody has a file open on the slow device", slow->device);
			return DIAG_EXIT_HOST;
		}
		nanosleep(&pause, NULL);
	}
	return DIAG_EXIT_OK;
}

int stage_slow_close(struct stage *stage)
{
	struct stage_slow *slow = &stage->slow;
	struct stat stat_of;
	int code;

	/* First: what is still dirty is then written at full speed. */
	code = stage_unthrottle(stage);
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
