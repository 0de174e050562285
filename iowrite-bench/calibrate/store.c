/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "iowrite-bench/calibrate/store.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/counters.h"
#include "common/diag.h"
#include "common/interrupt.h"
#include "common/sysfs.h"
#include "iowrite-bench/dirty.h"
#include "iowrite-bench/validity.h"
#include "iowrite-bench/measure.h"
#include "iowrite-bench/memory.h"

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

	/* A file that existed before keeps its room when this program is killed. */
	if (device->target->kind != TARGET_NAMELESS && !device->target->is_created)
		return 0;
	return memory_space_prepare_behind(device->target->fd, offset, size);
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
	memory_pool_close(&device->feed);
	return memory_pool_open(size, memory_limit(), &device->feed);
}

static void give(void *state, uint64_t size)
{
	struct device *device = state;

	memory_pool_refill(&device->feed, size);
}

/* Kept: to touch new memory would cost more than all the writes. */
static void rewarm(void *state)
{
	struct device *device = state;

	memory_pool_reclaim(&device->feed);
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

int device_open(const struct target *target, struct test_setup *stage, uint64_t largest_bytes, struct device *device)
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
	if (stage && throttle_state_open(test_setup_undo(stage), target, &device->throttle, &why)) {
		diag_error(ENOMEM, "cannot prepare the calibration");
		device_close(device);
		return DIAG_EXIT_HOST;
	}
	return DIAG_EXIT_OK;
}

void device_close(struct device *device)
{
	device_flush_wait(device);
	memory_pool_close(&device->feed);
	throttle_state_close(device->throttle);
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
		.control = device->throttle ? device_control : NULL,
		.thresholds = device->stage ? device_thresholds : NULL,
	};
}

/* What the kernel says of its write-back, and making it begin. */

#define SETTLE_NS 100000000u
#define NS_PER_US 1000
#define TEXT_BYTES 65536

/* --- how busy the machine is --- */

/* Without PSI: time of all CPUs that was neither idle nor our own. */
static uint64_t busy_ns(void)
{
	unsigned long long ticks[8] = {0};
	struct rusage own;
	uint64_t busy, ours;
	char line[512];

	if (sysfs_read("", "/proc/stat", line, sizeof(line)) || getrusage(RUSAGE_SELF, &own) ||
		sscanf(line, "cpu %llu %llu %llu %llu %llu %llu %llu %llu", &ticks[0], &ticks[1], &ticks[2], &ticks[3],
			&ticks[4], &ticks[5], &ticks[6], &ticks[7]) != 8)
		return 0;
	busy = (ticks[0] + ticks[1] + ticks[2] + ticks[5] + ticks[6] + ticks[7]) *
	       (1000000000ull / (uint64_t)sysconf(_SC_CLK_TCK)) / (uint64_t)sysconf(_SC_NPROCESSORS_ONLN);
	ours = ((uint64_t)(own.ru_utime.tv_sec + own.ru_stime.tv_sec) * 1000000u +
		       (uint64_t)(own.ru_utime.tv_usec + own.ru_stime.tv_usec)) *
	       NS_PER_US / (uint64_t)sysconf(_SC_NPROCESSORS_ONLN);
	return busy > ours ? busy - ours : 0;
}

uint64_t device_others_ns(void *state)
{
	uint64_t us;

	(void)state;
	return busy_waited_us("", &us) ? us * NS_PER_US : busy_ns();
}

uint64_t device_foreign_ns(void *state)
{
	struct device *device = state;
	struct foreign_counts counts = {.own_syncs = device->syncs};
	struct dirty_state dirty;

	if (!device->storage.disk[0] || dirty_read(&device->dirty, &dirty) ||
		foreign_read("", device->storage.disk, &counts))
		return (uint64_t)device->foreign.ns;
	counts.pending_bytes = dirty.dirty + dirty.writeback;
	return foreign_add(&device->foreign, &counts);
}

/* --- write-back --- */

static bool scan_after(const char *text, const char *name, uint64_t *value)
{
	const char *at = strstr(text, name);

	if (!at)
		return false;
	at += strlen(name);
	at += strspn(at, " \t");
	return sysfs_scan_u64(at, value);
}

/* Bytes of this device by the kernel's own count, where debugfs is available. */
static int bdi_written(const struct device *device, uint64_t *bytes)
{
	char *text;
	size_t length;
	uint64_t kib = 0;
	int rc = sysfs_slurp("", device->written_path, TEXT_BYTES, &text, &length);

	if (rc)
		return rc;
	if (!scan_after(text, "BdiWritten:", &kib))
		rc = -ENODATA;
	free(text);
	*bytes = kib * 1024;
	return rc;
}

/* Of all devices: pages whose write-back has ended. */
static int vm_written(uint64_t *bytes)
{
	char *text;
	size_t length;
	uint64_t pages = 0;
	int rc = sysfs_slurp("", "/proc/vmstat", TEXT_BYTES, &text, &length);

	if (rc)
		return rc;
	if (!scan_after(text, "\nnr_written ", &pages))
		rc = -ENODATA;
	free(text);
	*bytes = pages * (uint64_t)sysconf(_SC_PAGESIZE);
	return rc;
}

void device_find_counters(struct device *device)
{
	char name[64];
	uint64_t bytes;

	device->written_path[0] = '\0';
	if (bdi_of("", device->target->device, name, sizeof(name)))
		return;
	snprintf(device->written_path, sizeof(device->written_path), "/sys/kernel/debug/bdi/%s/stats", name);
	if (bdi_written(device, &bytes))
		device->written_path[0] = '\0';
}

int device_look(void *state, struct dirty_state *dirty, uint64_t *written_bytes)
{
	const struct device *device = state;
	int rc = dirty_read(&device->dirty, dirty);

	if (rc)
		return rc;
	return device->written_path[0] ? bdi_written(device, written_bytes) : vm_written(written_bytes);
}

/* Of this file system only, and not for long: others write, too. */
int device_settle(void *state)
{
	struct device *device = state;
	static const volatile int never;

	device->syncs++;
	if (syncfs(device->target->fd))
		return -errno;
	dirty_settle(&device->dirty, MEASURE_QUIET_BYTES, SETTLE_NS, 0, &never);
	return 0;
}

/* syncfs(2) has the device's flusher write all that is dirty, as at the threshold. */
static void *flush_in_background(void *state)
{
	struct device *device = state;

	pin_leave(device->pin);
	device->flush_error = syncfs(device->target->fd) ? -errno : 0;
	atomic_store(&device->is_flushing, false);
	return NULL;
}

int device_flush(void *state)
{
	struct device *device = state;
	int rc;

	atomic_store(&device->is_flushing, true);
	rc = pthread_create(&device->flusher, NULL, flush_in_background, device);
	device->has_flusher = !rc;
	if (rc)
		atomic_store(&device->is_flushing, false);
	return -rc;
}

bool device_is_flushing(void *state)
{
	struct device *device = state;

	return atomic_load(&device->is_flushing);
}

int device_flush_wait(void *state)
{
	struct device *device = state;

	if (!device->has_flusher)
		return 0;
	pthread_join(device->flusher, NULL);
	device->has_flusher = false;
	return device->flush_error;
}

void device_control(void *state, struct model_control *control)
{
	struct device *device = state;

	throttle_state_read(device->throttle, &device->dirty, control);
}

int device_thresholds(void *state, uint64_t background_bytes, uint64_t dirty_bytes)
{
	struct device *device = state;

	return test_setup_thresholds(device->stage, background_bytes, dirty_bytes);
}

/*
 * The libc's streams. How its first large fwrite(3) reaches the kernel is seen through a socket that keeps the writes
 * apart; the calls themselves go to the target, by the method that run measures.
 */

#define PROBE_BYTES 64
#define FIRST_BYTES 10240 /* a socket's stream has a buffer of one page */

/* The first fwrite(3) on a stream, of two buffers and a half: whole buffers at once, or (no rule) one buffer, or (what
 * gathers) all of it. */
static int first_write(FILE *file, const char *data, int receiver, bool *has_rule)
{
	ssize_t first;
	size_t buffer;

	if (fwrite(data, 1, FIRST_BYTES, file) != FIRST_BYTES)
		return -EIO;
	first = recv(receiver, NULL, 0, MSG_TRUNC | MSG_DONTWAIT);
	if (first < 0)
		return -errno;
	buffer = __fbufsize(file);
	*has_rule = buffer && (size_t)first > buffer && (size_t)first == FIRST_BYTES - FIRST_BYTES % buffer;
	return 0;
}

static int see_rule(const struct device *device, bool *has_rule)
{
	int ends[2], rc = 0;
	FILE *file;

	*has_rule = false;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
		return -errno;
	file = fdopen(ends[0], "w");
	if (!file) {
		rc = -errno;
		close(ends[0]);
	} else {
		rc = first_write(file, device->data, ends[1], has_rule);
	}
	/* Its end must be able to write what it still holds. */
	if (file)
		fclose(file);
	close(ends[1]);
	return rc;
}

/* What the libc gives a stream of this file: known after its first write. */
static int see_buffer(const struct device *device, uint64_t *buffer_bytes)
{
	FILE *file;
	int fd, rc = target_reopen(device->target, O_WRONLY, &fd);

	if (rc)
		return rc;
	file = fdopen(fd, "w");
	if (!file) {
		rc = -errno;
		close(fd);
		return rc;
	}
	if (fwrite(device->data, 1, PROBE_BYTES, file) != PROBE_BYTES)
		rc = -EIO;
	*buffer_bytes = __fbufsize(file);
	if (fclose(file) && !rc)
		rc = -errno;
	return rc;
}

int device_lib_open(void *state, uint64_t *buffer_bytes, bool *has_first_rule)
{
	struct device *device = state;
	struct method_setup setup = {.data = device->data, .largest_bytes = device->data_bytes};
	int rc = see_buffer(device, buffer_bytes);

	if (!rc)
		rc = see_rule(device, has_first_rule);
	if (!rc)
		rc = target_reopen(device->target, O_WRONLY, &setup.fd);
	if (rc)
		return rc;
	device->stream = method_of("fwrite");
	device->stream_at = 0;
	rc = device->stream->open(&setup, &device->stream_state);
	if (rc)
		close(setup.fd);
	/* The buffer is made by the first write. */
	if (!rc)
		rc = device_lib_write(device, PROBE_BYTES, 1);
	return rc ? rc : device_lib_flush(device);
}

int device_lib_write(void *state, uint64_t size, unsigned times)
{
	struct device *device = state;

	for (unsigned i = 0; i < times; i++) {
		int64_t written = device->stream->write(device->stream_state, device->stream_at, size);

		if (written < 0)
			return (int)written;
		device->stream_at += size;
	}
	return 0;
}

/* Also goes back to the beginning: the stream stays in the file's first part. */
int device_lib_flush(void *state)
{
	struct device *device = state;
	int64_t written;
	int rc = device->stream->flush(device->stream_state);

	if (rc)
		return rc;
	device->stream_at = 0;
	written = device->stream->write(device->stream_state, 0, 0);
	return written < 0 ? (int)written : 0;
}

int device_lib_close(void *state)
{
	struct device *device = state;

	return device->stream->close(device->stream_state);
}

/* --- foreign --- */

#define SECTOR 512
#define NS_PER_MS 1000000u
#define PROC_IO_BYTES 4096

/* Counters of 32 bits begin again. */
static double since(uint64_t before, uint64_t now)
{
	return now > before ? (double)(now - before) : 0;
}

uint64_t foreign_add(struct foreign *foreign, const struct foreign_counts *now)
{
	const struct foreign_counts *last = &foreign->last;
	double moved, own, theirs;

	if (foreign->has_last) {
		moved = since(last->moved_bytes, now->moved_bytes);
		own = foreign->ahead_bytes + since(last->own_bytes, now->own_bytes) -
		      since(last->cancelled_bytes, now->cancelled_bytes) +
		      FOREIGN_METADATA * since(last->own_syncs, now->own_syncs);
		theirs = fmax(0, moved - fmax(0, own));
		if (moved > 0)
			foreign->ns += since(last->busy_ns, now->busy_ns) * theirs / moved;
		/* No more than there is: what was reckoned for metadata must not hide others for ever. */
		foreign->ahead_bytes = fmin(fmax(0, own - moved), (double)now->pending_bytes);
	}
	foreign->last = *now;
	foreign->has_last = true;
	return (uint64_t)foreign->ns;
}

static int read_own(const char *root, struct foreign_counts *counts)
{
	unsigned long long own_read, own_written, cancelled;
	size_t length;
	char *text;
	int rc = sysfs_slurp(root, "/proc/self/io", PROC_IO_BYTES, &text, &length);

	if (rc)
		return rc;
	if (sscanf(text, "rchar: %*u wchar: %*u syscr: %*u syscw: %*u read_bytes: %llu write_bytes: %llu "
			 "cancelled_write_bytes: %llu", &own_read, &own_written, &cancelled) != 3)
		rc = -EINVAL;
	free(text);
	if (rc)
		return rc;
	counts->own_bytes = own_read + own_written;
	counts->cancelled_bytes = cancelled;
	return 0;
}

int foreign_read(const char *root, const char *disk, struct foreign_counts *counts)
{
	uint64_t values[COUNTERS_DISK];
	char path[96];
	int rc;

	snprintf(path, sizeof(path), "/sys/block/%.63s/stat", disk);
	if (counters_read_disk(root, path, values) <= COUNTERS_IO_TICKS_MS)
		return -EINVAL;
	rc = read_own(root, counts);
	if (rc)
		return rc;
	counts->moved_bytes = (values[COUNTERS_READ_SECTORS] + values[COUNTERS_WRITE_SECTORS]) * SECTOR;
	counts->busy_ns = values[COUNTERS_IO_TICKS_MS] * NS_PER_MS;
	return 0;
}
