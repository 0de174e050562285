/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "iowrite-bench/calibrate/device.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/diag.h"
#include "common/interrupt.h"
#include "iowrite-bench/measure.h"
#include "iowrite-bench/room.h"

#define ALIGN (2ull << 20)
#define DIRECT_BYTES 65536

/* --- time --- */

static uint64_t now_ns(void *state)
{
	(void)state;
	return clock_ns(CLOCK_MONOTONIC);
}

static void sleep_ns(void *state, uint64_t ns)
{
	const struct timespec time = clock_timespec(ns);

	(void)state;
	nanosleep(&time, NULL);
}

static bool is_stopped(void *state)
{
	(void)state;
	return interrupt_signal();
}

/* --- the target --- */

static void fill(void *state, uint64_t bytes)
{
	struct device *device = state;

	content_fill(&device->content, device->data, bytes);
	device->data_at = 0;
}

/* One write behind the other has the bytes behind the other's, as far as they were made. */
static int64_t write_some(void *state, enum op_mode mode, uint64_t offset, uint64_t size)
{
	struct device *device = state;
	uint64_t at = device->data_at + size <= device->data_bytes ? device->data_at : 0;
	ssize_t written = pwrite(device->fds[mode], device->data + at, size, (off_t)offset);

	if (written < 0)
		return -errno;
	device->data_at = at + (uint64_t)written;
	device->syncs += mode != OP_BUFFERED;
	return written;
}

static int64_t read_some(void *state, uint64_t offset, uint64_t size)
{
	const struct device *device = state;
	ssize_t got = pread(device->fds[OP_DIRECT], device->data + device->data_bytes, size, (off_t)offset);

	return got < 0 ? -errno : got;
}

/* A device keeps its size: what would be behind is forgotten. */
static int cut(void *state, uint64_t size)
{
	struct device *device = state;

	device->syncs++;
	if (device->target->kind != TARGET_DEVICE)
		return ftruncate(device->target->fd, (off_t)size) ? -errno : 0;
	if (fsync(device->target->fd))
		return -errno;
	return -posix_fadvise(device->target->fd, (off_t)size, 0, POSIX_FADV_DONTNEED);
}

static int reserve(void *state, uint64_t offset, uint64_t size)
{
	const struct device *device = state;

	return fallocate(device->target->fd, 0, (off_t)offset, (off_t)size) ? -errno : 0;
}

static int warm_room(void *state, uint64_t offset, uint64_t size)
{
	const struct device *device = state;

	/* A file that somebody had before keeps its room when this program is killed. */
	if (device->target->kind != TARGET_NAMELESS && !device->target->is_created)
		return 0;
	return room_warm_behind(device->target->fd, offset, size);
}

static int sync_all(void *state)
{
	struct device *device = state;

	device->syncs++;
	return fsync(device->target->fd) ? -errno : 0;
}

static int forget(void *state, uint64_t size)
{
	const struct device *device = state;

	return -posix_fadvise(device->target->fd, 0, (off_t)size, POSIX_FADV_DONTNEED);
}

/* --- memory --- */

static int warm(void *state, uint64_t size)
{
	struct device *device = state;

	if (device->feed.bytes - device->feed.used >= size)
		return 0;
	feed_close(&device->feed);
	return feed_open(size, feed_most(), &device->feed);
}

static void give(void *state, uint64_t size)
{
	struct device *device = state;

	feed_give(&device->feed, size);
}

/* Kept: to touch new memory would cost more than all the writes. */
static void rewarm(void *state)
{
	struct device *device = state;

	feed_refill(&device->feed);
}

static void copy(void *state, uint64_t size, unsigned times)
{
	const struct device *device = state;
	/* Not known to the compiler, or it would copy once. */
	void *(*volatile copying)(void *, const void *, size_t) = memcpy;

	for (unsigned i = 0; i < times; i++)
		copying(device->data + device->data_bytes, device->data, size);
}

/* --- opening --- */

/* Both parts, so that no first touch is in any number. */
static int make_data(struct device *device, uint64_t bytes)
{
	bytes += -bytes % ALIGN;
	device->data = mmap(NULL, 2 * bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (device->data == MAP_FAILED) {
		device->data = NULL;
		return -errno;
	}
	device->data_bytes = bytes;
	content_init(0, 0, &device->content);
	content_fill(&device->content, device->data, bytes);
	memcpy(device->data + bytes, device->data, bytes);
	return 0;
}

static int open_modes(struct device *device)
{
	for (int mode = 0; mode < OP_MODES; mode++) {
		int rc;

		if (mode >= OP_DIRECT && !device->target->has_direct)
			continue;
		rc = target_reopen(device->target, O_RDWR | measure_open_flags(mode), &device->fds[mode]);
		if (rc) {
			diag_error(rc, "cannot open %s (%s)", device->target->path, op_mode_name(mode));
			return DIAG_EXIT_HOST;
		}
	}
	return DIAG_EXIT_OK;
}

int device_open(const struct target *target, struct stage *stage, uint64_t largest_bytes, struct device *device)
{
	const char *why;
	int rc;

	*device = (struct device){.target = target, .stage = stage, .dirty = {.fd = -1}};
	for (int mode = 0; mode < OP_MODES; mode++)
		device->fds[mode] = -1;
	rc = dirty_open("", &device->dirty);
	if (!rc)
		rc = make_data(device, largest_bytes);
	if (rc) {
		diag_error(rc, "cannot prepare the calibration");
		rc = DIAG_EXIT_HOST;
	} else {
		rc = open_modes(device);
	}
	if (rc) {
		device_close(device);
		return rc;
	}
	storage_read("", target->device, &device->storage);
	device_find_counters(device);
	if (stage && gauge_open(stage_undo(stage), target, &device->gauge, &why)) {
		diag_error(ENOMEM, "cannot prepare the calibration");
		device_close(device);
		return DIAG_EXIT_HOST;
	}
	return DIAG_EXIT_OK;
}

void device_close(struct device *device)
{
	device_flush_wait(device);
	feed_close(&device->feed);
	gauge_close(device->gauge);
	dirty_close(&device->dirty);
	if (device->data)
		munmap(device->data, 2 * device->data_bytes);
	for (int mode = 0; mode < OP_MODES; mode++) {
		if (device->fds[mode] >= 0)
			close(device->fds[mode]);
		device->fds[mode] = -1;
	}
	device->data = NULL;
}

static bool is_cached(int fd)
{
	unsigned char pages[DIRECT_BYTES / 4096] = {0};
	void *map = mmap(NULL, DIRECT_BYTES, PROT_READ, MAP_SHARED, fd, 0);
	bool has_any = false;

	if (map == MAP_FAILED)
		return false;
	if (!mincore(map, DIRECT_BYTES, pages)) {
		for (size_t i = 0; i < sizeof(pages); i++)
			has_any |= pages[i] & 1;
	}
	munmap(map, DIRECT_BYTES);
	return has_any;
}

bool device_is_direct(const struct device *device)
{
	int fd = device->fds[OP_DIRECT];

	return fd >= 0 && pwrite(fd, device->data, DIRECT_BYTES, 0) == DIRECT_BYTES && !is_cached(device->target->fd);
}

void device_hooks(struct device *device, struct calibrate_hooks *hooks)
{
	*hooks = (struct calibrate_hooks){
		.state = device,
		.now_ns = now_ns,
		.sleep_ns = sleep_ns,
		.is_stopped = is_stopped,
		.others_ns = device_others_ns,
		.foreign_ns = device_foreign_ns,
		.fill = fill,
		.write = write_some,
		.read = read_some,
		.cut = cut,
		.reserve = reserve,
		.room = warm_room,
		.sync = sync_all,
		.forget = forget,
		.warm = warm,
		.give = give,
		.rewarm = rewarm,
		.copy = copy,
		.lib_open = device_lib_open,
		.lib_write = device_lib_write,
		.lib_flush = device_lib_flush,
		.lib_close = device_lib_close,
		.settle = device_settle,
		.flush = device_flush,
		.is_flushing = device_is_flushing,
		.flush_wait = device_flush_wait,
		.look = device_look,
		.control = device->gauge ? device_control : NULL,
		.thresholds = device->stage ? device_thresholds : NULL,
	};
}
