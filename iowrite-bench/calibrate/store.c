/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "iowrite-bench/calibrate/store.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/base/diag.h"
#include "common/base/interrupt.h"
#include "common/base/sysfs.h"
#include "common/run/traffic.h"
#include "common/storage/storage.h"
#include "iowrite-bench/setup/throttle_state.h"
#include "iowrite-bench/write/bench.h"
#include "iowrite-bench/write/content.h"

#define ALIGN (2ull << 20)
#define DIRECT_BYTES 65536
#define SETTLE_NS 100000000u

struct store {
	const struct target *target;
	const struct pin *pin;
	struct test_setup *setup;
	const struct method *pwrite, *fwrite;
	int fds[OP_MODES];      /* -1 = this mode is not possible here */
	void *writers[OP_MODES], *stream; /* states of the methods, which close the descriptors; NULL = not open */
	char *data;             /* data_bytes of it, twice */
	uint64_t data_bytes;
	struct content content;
	struct memory_pool pool;
	struct dirty dirty;
	struct traffic traffic;
	struct contention_watch watch;
	struct contention_machine machine; /* at the last store_load */
	double others_ns;
	uint64_t syncs;         /* calls for which the file system writes blocks of its own */
	struct throttle_state *throttle; /* NULL = none: no test setup, or no tracing */
	char written_path[96];  /* debugfs: BdiWritten; "" = it is not available */
	pthread_t flusher;
	bool has_flusher;
	atomic_bool is_flushing;
	int flush_error;
};

/* --- measured operations --- */

void store_clock(struct store *store, struct writer *writer)
{
	(void)store;
	writer->now_ns = NULL;
	writer->stop = interrupt_flag();
}

void store_sleep(struct store *store, uint64_t ns)
{
	const struct timespec time = clock_timespec(ns);

	(void)store;
	/* A signal ends the sleep. */
	nanosleep(&time, NULL);
}

static int64_t read_some(void *state, uint64_t offset, uint64_t size)
{
	const struct store *store = state;
	ssize_t got = pread(store->fds[OP_DIRECT], store->data + store->data_bytes, size, (off_t)offset);

	return got < 0 ? -errno : got;
}

static int64_t copy_all(void *state, uint64_t piece, uint64_t size)
{
	const struct store *store = state;
	/* A volatile pointer, or the compiler would copy once. */
	void *(*volatile copying)(void *, const void *, size_t) = memcpy;

	for (uint64_t done = 0; done < size; done += piece)
		copying(store->data + store->data_bytes, store->data, piece);
	return (int64_t)size;
}

static int64_t sync_file(void *state, uint64_t offset, uint64_t size)
{
	const struct store *store = state;

	(void)offset;
	return fsync(store->target->fd) ? -errno : (int64_t)size;
}

void store_path(struct store *store, unsigned path, struct writer *writer)
{
	writer->write_state = store;
	if (path < OP_MODES) {
		writer->write = store->pwrite->write;
		writer->write_state = store->writers[path];
	} else if (path == STORE_STREAM) {
		writer->write = store->fwrite->write;
		writer->write_state = store->stream;
	} else {
		writer->write = path == STORE_READ ? read_some : path == STORE_COPY ? copy_all : sync_file;
	}
	store->syncs += path == STORE_SYNC || (path < OP_MODES && path != OP_BUFFERED && path != OP_DIRECT);
}

void store_fill(struct store *store, uint64_t bytes)
{
	content_fill(&store->content, store->data, bytes);
}

/* --- the target --- */

/* A device keeps its size: its pages behind are dropped from the cache. */
int store_cut(struct store *store, uint64_t size)
{
	store->syncs++;
	if (store->target->kind != TARGET_DEVICE)
		return ftruncate(store->target->fd, (off_t)size) ? -errno : 0;
	if (fsync(store->target->fd))
		return -errno;
	return -posix_fadvise(store->target->fd, (off_t)size, 0, POSIX_FADV_DONTNEED);
}

int store_reserve(struct store *store, uint64_t offset, uint64_t size)
{
	return fallocate(store->target->fd, 0, (off_t)offset, (off_t)size) ? -errno : 0;
}

int store_space(struct store *store, uint64_t offset, uint64_t size)
{
	/* An existing file would keep the space if this program were killed. */
	if (store->target->kind != TARGET_NAMELESS && !store->target->is_created)
		return 0;
	return memory_space_prepare_behind(store->target->fd, offset, size);
}

int store_forget(struct store *store, uint64_t size)
{
	return -posix_fadvise(store->target->fd, 0, (off_t)size, POSIX_FADV_DONTNEED);
}

/* --- memory --- */

int store_hold(struct store *store, uint64_t size)
{
	if (store->pool.bytes - store->pool.used >= size)
		return 0;
	memory_pool_close(&store->pool);
	return memory_pool_open(size, memory_limit(), &store->pool);
}

void store_refill(struct store *store, uint64_t size)
{
	memory_pool_refill(&store->pool, size);
}

/* The memory is kept: touching new memory would cost more than all the writes. */
void store_reclaim(struct store *store)
{
	memory_pool_reclaim(&store->pool);
}

/* --- opening --- */

static int open_modes(struct store *store)
{
	struct method_setup setup = {.data = store->data, .largest_bytes = store->data_bytes};

	for (int mode = 0; mode < OP_MODES; mode++) {
		int rc;

		if (mode >= OP_DIRECT && !store->target->has_direct)
			continue;
		rc = target_reopen(store->target, O_RDWR | measure_open_flags(mode), &setup.fd);
		if (!rc) {
			rc = store->pwrite->open(&setup, &store->writers[mode]);
			if (rc)
				close(setup.fd);
		}
		if (rc)
			return diag_host(rc, "cannot open %s (%s)", store->target->path, op_mode_name(mode));
		store->fds[mode] = setup.fd;
	}
	return DIAG_EXIT_OK;
}

/* Reads the bytes written back: of this device where debugfs is available, else of all. */
static int read_written(const struct store *store, uint64_t *bytes)
{
	bool is_of_device = store->written_path[0];
	uint64_t units;
	int rc = sysfs_read_field("", is_of_device ? store->written_path : "/proc/vmstat",
		is_of_device ? "BdiWritten" : "nr_written", 10, &units);

	if (!rc)
		*bytes = units * (is_of_device ? 1024 : store->dirty.page_bytes);
	return rc;
}

int store_open(const struct target *target, struct test_setup *setup, const struct pin *pin, uint64_t largest_bytes,
	struct store **opened)
{
	struct store *store = calloc(1, sizeof(*store));
	uint64_t bytes = largest_bytes + -largest_bytes % ALIGN, written;
	struct durability durability;
	char name[64];
	const char *why;
	int rc;

	if (!store)
		return diag_host(ENOMEM, "cannot prepare the calibration");
	*store = (struct store){.target = target, .setup = setup, .pin = pin, .pwrite = method_of("pwrite"),
		.fwrite = method_of("fwrite"), .dirty = {.fd = -1}};
	for (int mode = 0; mode < OP_MODES; mode++)
		store->fds[mode] = -1;
	rc = dirty_open("", &store->dirty);
	if (rc)
		goto failed;
	/* Both parts are filled, so that no measurement includes a first touch. */
	store->data = mmap(NULL, 2 * bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (store->data == MAP_FAILED) {
		store->data = NULL;
		rc = -errno;
		goto failed;
	}
	store->data_bytes = bytes;
	content_init(0, 0, &store->content);
	content_fill(&store->content, store->data, bytes);
	memcpy(store->data + bytes, store->data, bytes);
	if (open_modes(store)) {
		store_close(store);
		return DIAG_EXIT_HOST;
	}
	durability_read("", target->device, target->mount, &durability);
	traffic_watch(&durability, &store->traffic);
	if (!bdi_of("", target->device, name, sizeof(name)))
		snprintf(store->written_path, sizeof(store->written_path), "/sys/kernel/debug/bdi/%s/stats", name);
	if (store->written_path[0] && read_written(store, &written))
		store->written_path[0] = '\0';
	if (setup)
		rc = throttle_state_open(test_setup_undo(setup), target, &store->throttle, &why);
	if (rc)
		goto failed;
	*opened = store;
	return DIAG_EXIT_OK;
failed:
	diag_error(rc, "cannot prepare the calibration");
	store_close(store);
	return DIAG_EXIT_HOST;
}

void store_close(struct store *store)
{
	if (!store)
		return;
	store_flush_wait(store);
	memory_pool_close(&store->pool);
	throttle_state_close(store->throttle);
	dirty_close(&store->dirty);
	for (int mode = 0; mode < OP_MODES; mode++) {
		if (store->writers[mode])
			store->pwrite->close(store->writers[mode]);
	}
	if (store->data)
		munmap(store->data, 2 * store->data_bytes);
	free(store);
}

bool store_is_direct(const struct store *store)
{
	unsigned char pages[DIRECT_BYTES / 4096] = {0};
	int fd = store->fds[OP_DIRECT];
	bool is_cached = false;
	void *map;

	if (fd < 0 || pwrite(fd, store->data, DIRECT_BYTES, 0) != DIRECT_BYTES)
		return false;
	map = mmap(NULL, DIRECT_BYTES, PROT_READ, MAP_SHARED, store->target->fd, 0);
	if (map == MAP_FAILED)
		return true;
	if (!mincore(map, DIRECT_BYTES, pages)) {
		for (size_t i = 0; i < sizeof(pages); i++)
			is_cached |= pages[i] & 1;
	}
	munmap(map, DIRECT_BYTES);
	return !is_cached;
}

/* --- how busy the machine is --- */

void store_load(struct store *store, struct store_load *load)
{
	struct traffic_counts counts = {0};
	struct contention_machine now, since = {0};

	contention_machine_read("", clock_ns(CLOCK_MONOTONIC), &now);
	contention_machine_add(&store->machine, &now, &since);
	store->machine = now;
	if (contention_others_computed(&since))
		store->others_ns += fmax(0, isfinite(since.waited_ns) ? since.waited_ns : since.others_ns);
	load->others_ns = (uint64_t)store->others_ns;
	if (!traffic_read("", &store->traffic, &counts) && !traffic_read_process("", 0, &counts)) {
		counts.metadata_bytes = store->syncs * traffic_metadata(store->target, false);
		traffic_add(&store->traffic, &counts);
	}
	load->foreign_ns = (uint64_t)store->traffic.sums.foreign_ns;
}

void store_watch_begin(struct store *store)
{
	contention_watch_begin(&store->watch, pin_others(store->pin));
}

void store_watch_end(struct store *store, struct contention_stops *stops)
{
	contention_watch_end(&store->watch, stops);
}

/* --- write-back --- */

int store_sample(struct store *store, struct dirty_state *dirty, uint64_t *written_bytes)
{
	int rc = dirty_read(&store->dirty, dirty);

	return rc ? rc : read_written(store, written_bytes);
}

/* Syncs this file system only, and does not wait long, because other processes write, too. */
int store_settle(struct store *store)
{
	static const volatile int never;

	store->syncs++;
	if (syncfs(store->target->fd))
		return -errno;
	dirty_settle(&store->dirty, MEASURE_QUIET_BYTES, SETTLE_NS, 0, &never);
	return 0;
}

/* syncfs(2) has the device's flusher write all that is dirty, as at the threshold. */
static void *flush_in_background(void *state)
{
	struct store *store = state;

	pin_leave(store->pin);
	store->flush_error = syncfs(store->target->fd) ? -errno : 0;
	atomic_store(&store->is_flushing, false);
	return NULL;
}

int store_flush(struct store *store)
{
	int rc;

	atomic_store(&store->is_flushing, true);
	rc = pthread_create(&store->flusher, NULL, flush_in_background, store);
	store->has_flusher = !rc;
	if (rc)
		atomic_store(&store->is_flushing, false);
	return -rc;
}

bool store_is_flushing(struct store *store)
{
	return atomic_load(&store->is_flushing);
}

int store_flush_wait(struct store *store)
{
	if (!store->has_flusher)
		return 0;
	pthread_join(store->flusher, NULL);
	store->has_flusher = false;
	return store->flush_error;
}

bool store_control(struct store *store, struct model_control *control)
{
	if (store->throttle)
		throttle_state_read(store->throttle, &store->dirty, control);
	return store->throttle;
}

int store_thresholds(struct store *store, uint64_t background_bytes, uint64_t dirty_bytes)
{
	return test_setup_thresholds(store->setup, background_bytes, dirty_bytes);
}

/*
 * Streams of the libc. A socket that preserves the boundaries of writes shows how the first large fwrite(3) reaches the kernel;
 * the measured calls go to the target, by the method that `run` measures.
 */

#define PROBE_BYTES 64
#define FIRST_BYTES 10240 /* a socket's stream has a buffer of one page */

/* Tests whether the first fwrite(3) on a stream, of two buffers and a half, writes whole buffers at once; without this rule it
 * writes one buffer, or (a libc that gathers) all of it. */
static int see_rule(const struct store *store, bool *has_rule)
{
	int ends[2], rc = 0;
	ssize_t first;
	size_t buffer;
	FILE *file;

	*has_rule = false;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
		return -errno;
	file = fdopen(ends[0], "w");
	if (!file) {
		rc = -errno;
		close(ends[0]);
		close(ends[1]);
		return rc;
	}
	if (fwrite(store->data, 1, FIRST_BYTES, file) == FIRST_BYTES) {
		first = recv(ends[1], NULL, 0, MSG_TRUNC | MSG_DONTWAIT);
		rc = first < 0 ? -errno : 0;
		buffer = __fbufsize(file);
		*has_rule = first > 0 && buffer && (size_t)first > buffer && (size_t)first == FIRST_BYTES - FIRST_BYTES % buffer;
	} else {
		rc = -EIO;
	}
	/* fclose(3) writes the rest, so that the other end is closed after it. */
	fclose(file);
	close(ends[1]);
	return rc;
}

/* Reads the size of the buffer that the libc gives a stream of this file, which is known after its first write. */
static int see_buffer(const struct store *store, uint64_t *buffer_bytes)
{
	FILE *file;
	int fd, rc = target_reopen(store->target, O_WRONLY, &fd);

	if (rc)
		return rc;
	file = fdopen(fd, "w");
	if (!file) {
		rc = -errno;
		close(fd);
		return rc;
	}
	if (fwrite(store->data, 1, PROBE_BYTES, file) != PROBE_BYTES)
		rc = -EIO;
	*buffer_bytes = __fbufsize(file);
	if (fclose(file) && !rc)
		rc = -errno;
	return rc;
}

int store_stream_open(struct store *store, uint64_t *buffer_bytes, bool *has_first_rule)
{
	struct method_setup setup = {.data = store->data, .largest_bytes = store->data_bytes};
	int rc = see_buffer(store, buffer_bytes);
	int64_t written;

	if (!rc)
		rc = see_rule(store, has_first_rule);
	if (!rc)
		rc = target_reopen(store->target, O_WRONLY, &setup.fd);
	if (rc)
		return rc;
	rc = store->fwrite->open(&setup, &store->stream);
	if (rc) {
		close(setup.fd);
		return rc;
	}
	/* The buffer is made by the first write. */
	written = store->fwrite->write(store->stream, 0, PROBE_BYTES);
	rc = written < 0 ? (int)written : store_stream_flush(store);
	if (rc)
		store_stream_close(store);
	return rc;
}

/* Flushes, and seeks to the beginning now so that no measured write includes the seek. */
int store_stream_flush(struct store *store)
{
	int64_t written;
	int rc = store->fwrite->flush(store->stream);

	if (rc)
		return rc;
	written = store->fwrite->write(store->stream, 0, 0);
	return written < 0 ? (int)written : 0;
}

int store_stream_close(struct store *store)
{
	return store->fwrite->close(store->stream);
}
