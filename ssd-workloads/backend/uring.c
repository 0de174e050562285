/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The backend io_uring: one ring per worker. Features that a kernel lacks are not used, and are absent from features; without the
 * features that a run requires (waiting with a timeout, Linux 5.11) the backend is unavailable.
 */
#include "config.h"
#include "ssd-workloads/backend/backend.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <liburing.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/base/sysfs.h"
#include "common/base/units.h"

#ifndef IORING_SETUP_SINGLE_ISSUER
#define IORING_SETUP_SINGLE_ISSUER (1U << 12)
#endif
#ifndef IORING_SETUP_DEFER_TASKRUN
#define IORING_SETUP_DEFER_TASKRUN (1U << 13)
#endif

#define SYNC_BIT (1ull << 32) /* in user_data: the sync of a slot */
#define WHOLE_BIT (1ull << 33) /* a sync of all writes */
#define HINT_BIT (1ull << 34)
#define SYNCS_MOST 2 /* syncs of a write */
#define SQPOLL_IDLE_MS 1000u
#define MEMORY_TRIES 20
#define MEMORY_PAUSE_NS 10000000
#define TASKS "/proc/self/task"
#define TRIES 50
#define TRY_PAUSE_NS 200000

struct uring {
	struct io_uring ring;
	struct backend_setup setup;
	int fds[STRIPE_TARGETS];
	struct backend_syncs *syncs; /* by slot, if a write has two syncs; else NULL */
	bool has_fixed_file, has_fixed_buffers, is_disabled;
	struct backend_hint hint;
	pid_t poller, owner; /* the kernel thread that submits, 0 = none; the thread whose requests its workers execute */
	char features[160];
};

/* --- kernel threads of a ring: they belong to this process, but its threads' CPU times do not include theirs --- */

/* Returns the kernel thread that submits for this ring; 0 = none, or not visible. */
static pid_t find_poller(int ring_fd)
{
	const struct timespec pause = {.tv_nsec = TRY_PAUSE_NS};
	uint64_t thread;
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", ring_fd);
	/* The kernel leaves the line empty while the ring is locked, often by this very thread. */
	for (int tries = 0; tries <= TRIES; tries++) {
		if (!sysfs_read_field("", path, "SqThread", 10, &thread) && (pid_t)thread > 0)
			return (pid_t)thread;
		if (tries < TRIES)
			nanosleep(&pause, NULL);
	}
	return 0;
}

/* Returns the user and system time of a thread of this process in ns; 0 = no such thread. */
static uint64_t cpu_of(pid_t thread)
{
	/* The kernel encodes a thread's CPU clock so; pthread_getcpuclockid accepts only threads of pthread_create. */
	return thread > 0 ? clock_ns((clockid_t)(~(unsigned)thread << 3 | 6u)) : 0;
}

/* Returns the CPU time of the thread's io-wq workers that still exist (they end after 5 s idle). Their names contain the thread's
 * number in the initial PID namespace, so none is found from another namespace. */
static uint64_t workers_cpu(pid_t owner)
{
	char wanted[32], path[320], name[32];
	const struct dirent *entry;
	uint64_t sum = 0, thread;
	DIR *folder;

	snprintf(wanted, sizeof(wanted), "iou-wrk-%d", (int)owner);
	folder = opendir(TASKS);
	while (folder && (entry = readdir(folder))) {
		snprintf(path, sizeof(path), TASKS "/%s/comm", entry->d_name);
		if (!units_parse_u64(entry->d_name, 1, INT32_MAX, &thread) && !sysfs_read("", path, name, sizeof(name)) &&
			!strcmp(name, wanted))
			sum += cpu_of((pid_t)thread);
	}
	if (folder)
		closedir(folder);
	return sum;
}

/* --- features of the kernel --- */

static const struct ring_flags {
	unsigned flags;
	const char *name;
} plain_flags[] = {
	/* Completions are made only when the worker enters the kernel: they are batched and interrupt nothing. */
	{IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN | IORING_SETUP_R_DISABLED, "single-issuer defer-taskrun"},
	{IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_R_DISABLED, "single-issuer"},
	{0, "plain"},
}, polled_flags[] = { /* a kernel thread submits, so work cannot be deferred to the worker */
	{IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_SQPOLL | IORING_SETUP_R_DISABLED, "single-issuer sqpoll"},
	{IORING_SETUP_SQPOLL, "sqpoll"},
	{0, NULL},
};

static void add_feature(struct uring *uring, const char *word)
{
	size_t used = strlen(uring->features);

	snprintf(uring->features + used, sizeof(uring->features) - used, "%s%s", used ? " " : "", word);
}

/* The kernel releases a closed ring's locked memory with a delay, so a ring that was just tried may still hold it. */
static int make_ring(unsigned entries, struct io_uring *ring, struct io_uring_params *params)
{
	const struct timespec pause = {.tv_nsec = MEMORY_PAUSE_NS};
	const struct io_uring_params asked = *params;
	int rc;

	for (int tries = MEMORY_TRIES; (rc = io_uring_queue_init_params(entries, ring, params)) == -ENOMEM && tries--;) {
		nanosleep(&pause, NULL);
		*params = asked;
	}
	return rc;
}

static int set_up_ring(struct uring *uring)
{
	const struct ring_flags *tries = uring->setup.is_sqpoll ? polled_flags : plain_flags;
	bool has_more = uring->setup.durability == BACKEND_FDATASYNC || uring->setup.hint_bytes;
	unsigned entries = uring->setup.slots * (uring->syncs ? 1 + SYNCS_MOST : has_more ? 2 : 1);
	int rc = -EINVAL;

	/* Polling is probed in open, by another thread than the worker, which excludes single-issuer rings. */
	for (int i = uring->setup.is_iopoll ? uring->setup.is_sqpoll ? 1 : 2 : 0; i < 3 && rc == -EINVAL && tries[i].name; i++) {
		struct io_uring_params params = {.flags = tries[i].flags, .sq_thread_idle = SQPOLL_IDLE_MS};

		if (uring->setup.is_iopoll)
			params.flags |= IORING_SETUP_IOPOLL;
		rc = make_ring(entries, &uring->ring, &params);
		if (rc)
			continue;
		uring->is_disabled = tries[i].flags & IORING_SETUP_R_DISABLED;
		add_feature(uring, tries[i].name);
		if (params.features & IORING_FEAT_EXT_ARG)
			return 0;
		io_uring_queue_exit(&uring->ring);
		return -ENOSYS;
	}
	return rc;
}

static const char *setup_obstacle(int rc)
{
	switch (rc) {
	case -ENOSYS:
		return "this kernel has no io_uring, or one older than Linux 5.11";
	case -EPERM:
		return "io_uring is forbidden here (sysctl kernel.io_uring_disabled, or a seccomp filter)";
	case -ENOMEM:
		return "no memory for a ring (ulimit -l)";
	case -EINVAL:
		return "this kernel's io_uring does not support this polling";
	default:
		return "io_uring cannot be set up";
	}
}

static int uring_attach(void *state)
{
	struct uring *uring = state;

	uring->poller = uring->setup.is_sqpoll ? find_poller(uring->ring.ring_fd) : 0;
	uring->owner = uring->poller ? uring->poller : (pid_t)syscall(__NR_gettid);
	if (!uring->is_disabled)
		return 0;
	/* liburing 2.3 (Debian 12) declares io_uring_enable_rings but does not export it. */
	if (syscall(__NR_io_uring_register, uring->ring.ring_fd, IORING_REGISTER_ENABLE_RINGS, NULL, 0) < 0)
		return -errno;
	uring->is_disabled = false;
	return 0;
}

/* For a partition the queue of its disk is checked. */
static bool has_poll_queues(int fd)
{
	static const char *const places[] = {"queue/io_poll", "../queue/io_poll"};
	char path[96], value[16];
	struct stat facts;
	dev_t device;

	if (fstat(fd, &facts))
		return false;
	device = S_ISBLK(facts.st_mode) ? facts.st_rdev : facts.st_dev;
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		snprintf(path, sizeof(path), "/sys/dev/block/%u:%u/%s", major(device), minor(device), places[i]);
		if (!sysfs_read("", path, value, sizeof(value)))
			return strcmp(value, "0") != 0;
	}
	return true;
}

/* Reading an empty file tests no polling, so sysfs is checked first. The read then detects a file system that refuses; it changes
 * nothing. */
static int probe_polling(struct uring *uring, int fd)
{
	struct io_uring_cqe *done;
	struct io_uring_sqe *entry;
	int rc;

	if (!has_poll_queues(fd))
		return -EOPNOTSUPP;
	entry = io_uring_get_sqe(&uring->ring);
	io_uring_prep_read(entry, fd, uring->setup.buffers, uring->setup.slot_bytes, 0);
	do
		rc = io_uring_submit_and_wait(&uring->ring, 1);
	while (rc == -EINTR);
	if (rc < 0 || (rc = io_uring_wait_cqe(&uring->ring, &done)))
		return rc;
	rc = done->res < 0 ? done->res : 0;
	io_uring_cqe_seen(&uring->ring, done);
	return rc;
}

static int uring_open(const struct backend_setup *setup, void **state, const char **why)
{
	struct iovec all = {setup->buffers, (size_t)setup->slots * setup->slot_bytes};
	struct uring *uring = calloc(1, sizeof(*uring));
	int rc;

	if (uring && backend_syncs_both(setup)) {
		uring->syncs = calloc(setup->slots, sizeof(*uring->syncs));
		if (!uring->syncs) {
			free(uring);
			uring = NULL;
		}
	}
	if (!uring) {
		*why = "no memory";
		return -ENOMEM;
	}
	uring->setup = *setup;
	uring->fds[0] = setup->fd;
	uring->fds[1] = setup->second_fd;
	rc = set_up_ring(uring);
	if (rc) {
		*why = setup_obstacle(rc);
		free(uring->syncs);
		free(uring);
		return rc;
	}
	/* Both only save time, and pinned memory is limited (ulimit -l). */
	uring->has_fixed_file = !io_uring_register_files(&uring->ring, uring->fds, setup->stripe.targets > 1 ? 2 : 1);
	uring->has_fixed_buffers = !io_uring_register_buffers(&uring->ring, &all, 1);
	if (uring->has_fixed_file)
		add_feature(uring, "fixed-file");
	if (uring->has_fixed_buffers)
		add_feature(uring, "fixed-buffers");
	if (setup->is_iopoll) {
		add_feature(uring, "iopoll");
		rc = -EINVAL;
		if (setup->durability == BACKEND_FDATASYNC) {
			*why = "a polled ring cannot sync: use --durability=dsync";
		} else if (setup->has_syncs) {
			*why = "a polled ring cannot sync a checkpoint: use --ckpt-sync=none";
		} else {
			rc = probe_polling(uring, setup->fd);
			if (!rc && setup->stripe.targets > 1)
				rc = probe_polling(uring, setup->second_fd);
			if (rc)
				*why = "the device's completions cannot be polled for";
		}
	}
	if (rc) {
		io_uring_queue_exit(&uring->ring);
		free(uring->syncs);
		free(uring);
		return rc;
	}
	*state = uring;
	return 0;
}

/* Unregisters the file: the kernel frees a closed ring with a delay, and until then the registered file would keep the file system
 * busy, even after the process has ended. Only the ring's issuer can unregister it. */
static void uring_detach(void *state)
{
	struct uring *uring = state;

	if (uring->has_fixed_file)
		(void)io_uring_unregister_files(&uring->ring);
	uring->has_fixed_file = false;
}

static void uring_close(void *state)
{
	struct uring *uring = state;

	uring_detach(uring); /* for a ring that was not used */
	io_uring_queue_exit(&uring->ring);
	free(uring->syncs);
	free(uring);
}

/* --- writing --- */

static void take_fixed_file(const struct uring *uring, struct io_uring_sqe *entry, unsigned target)
{
	if (!uring->has_fixed_file)
		return;
	entry->fd = (int)target;
	entry->flags |= IOSQE_FIXED_FILE;
}

static void queue_fdatasync(struct uring *uring, unsigned target, uint64_t user_data)
{
	struct io_uring_sqe *entry = io_uring_get_sqe(&uring->ring);

	io_uring_prep_fsync(entry, uring->fds[target], IORING_FSYNC_DATASYNC);
	take_fixed_file(uring, entry, target);
	entry->user_data = user_data;
}

static void uring_queue(void *state, uint32_t slot, uint64_t offset, uint32_t length)
{
	struct uring *uring = state;
	struct io_uring_sqe *entry = io_uring_get_sqe(&uring->ring);
	char *data = uring->setup.buffers + (size_t)slot * uring->setup.slot_bytes;
	struct backend_hint range;
	unsigned target = stripe_locate(&uring->setup.stripe, offset, &offset);

	if (uring->has_fixed_buffers)
		io_uring_prep_write_fixed(entry, uring->fds[target], data, length, offset, 0);
	else
		io_uring_prep_write(entry, uring->fds[target], data, length, offset);
	take_fixed_file(uring, entry, target);
	entry->user_data = slot;
	if (uring->setup.durability == BACKEND_DSYNC)
		entry->rw_flags = RWF_DSYNC;
	if (backend_hint_is_due(&uring->hint, uring->setup.hint_bytes, offset, length, &range)) {
		entry->flags |= IOSQE_IO_LINK;
		entry = io_uring_get_sqe(&uring->ring);
		io_uring_prep_sync_file_range(entry, uring->setup.fd, (unsigned)(range.end - range.begin), range.begin,
			SYNC_FILE_RANGE_WRITE);
		take_fixed_file(uring, entry, 0);
		entry->user_data = slot | HINT_BIT;
	}
	if (uring->syncs) {
		uring->syncs[slot].length = length;
		return;
	}
	if (uring->setup.durability != BACKEND_FDATASYNC)
		return;
	entry->flags |= IOSQE_IO_LINK;
	queue_fdatasync(uring, 0, slot | SYNC_BIT);
}

static void uring_sync(void *state)
{
	queue_fdatasync(state, 0, WHOLE_BIT);
}

static uint64_t uring_now(void *state)
{
	(void)state;
	return clock_ns(CLOCK_MONOTONIC);
}

static int submit_until(struct uring *uring, unsigned wait_for, uint64_t until_ns)
{
	uint64_t now = uring_now(uring), left = until_ns > now ? until_ns - now : 0;
	struct __kernel_timespec limit = {.tv_sec = (long long)(left / 1000000000u), .tv_nsec = (long long)(left % 1000000000u)};
	struct io_uring_cqe *done;

	if (!left)
		return io_uring_submit_and_wait(&uring->ring, 0);
	return io_uring_submit_and_wait_timeout(&uring->ring, &done, wait_for, &limit, NULL);
}

static int uring_enter(void *state, unsigned wait_for, uint64_t until_ns)
{
	struct uring *uring = state;
	int rc;

	/* Entering also completes deferred requests if there is nothing to wait for. */
	if (until_ns == BACKEND_NO_LIMIT || !wait_for)
		rc = wait_for ? io_uring_submit_and_wait(&uring->ring, wait_for) : io_uring_submit(&uring->ring);
	else
		rc = submit_until(uring, wait_for, until_ns);
	/* After a signal, a timeout or a full completion queue the caller reaps and calls again. */
	if (rc == -EINTR || rc == -ETIME || rc == -EAGAIN || rc == -EBUSY)
		return 0;
	return rc < 0 ? rc : 0;
}

static uint32_t meaning(const struct uring *uring, uint64_t user_data)
{
	if (user_data & HINT_BIT)
		return BACKEND_NOTHING;
	if (user_data & WHOLE_BIT)
		return BACKEND_SYNCED;
	if (user_data & SYNC_BIT)
		return BACKEND_DURABLE;
	return uring->setup.durability == BACKEND_FDATASYNC ? BACKEND_WRITTEN : BACKEND_WRITTEN | BACKEND_DURABLE;
}

/* Takes a completion of a write with two syncs. A link can chain only one request to the write, so both syncs are queued here for
 * the next enter. Returns whether *done is to be reported: the write, or the later sync. */
static bool take_synced(struct uring *uring, struct backend_completion *done)
{
	struct backend_syncs *syncs = &uring->syncs[done->slot];

	if (done->what == BACKEND_DURABLE) {
		syncs->error = syncs->error ? syncs->error : done->result;
		done->result = syncs->error;
		return !--syncs->left;
	}
	if (done->result != (int32_t)syncs->length) {
		done->what |= BACKEND_DURABLE;
		return true;
	}
	syncs->left = SYNCS_MOST;
	syncs->error = 0;
	for (unsigned i = 0; i < SYNCS_MOST; i++)
		queue_fdatasync(uring, i, done->slot | SYNC_BIT);
	return true;
}

static unsigned uring_reap(void *state, struct backend_completion *done, unsigned most)
{
	struct uring *uring = state;
	struct io_uring_cqe *entry;
	unsigned head, count = 0, taken = 0;

	io_uring_for_each_cqe(&uring->ring, head, entry) {
		if (count == most)
			break;
		taken++;
		done[count].what = meaning(uring, entry->user_data);
		done[count].slot = done[count].what == BACKEND_SYNCED ? BACKEND_NO_SLOT : (uint32_t)entry->user_data;
		done[count].result = entry->res;
		count += !uring->syncs || take_synced(uring, &done[count]);
	}
	io_uring_cq_advance(&uring->ring, taken);
	return count;
}

static uint64_t uring_cpu(void *state)
{
	const struct uring *uring = state;

	return cpu_of(uring->poller) + workers_cpu(uring->owner);
}

static const char *uring_features(const void *state)
{
	return ((const struct uring *)state)->features;
}

const struct backend_ops backend_uring = {
	.name = "uring",
	.meaning = "io_uring, one ring per worker",
	.probe = "io-uring",
	.open = uring_open,
	.attach = uring_attach,
	.detach = uring_detach,
	.queue = uring_queue,
	.sync = uring_sync,
	.enter = uring_enter,
	.reap = uring_reap,
	.now_ns = uring_now,
	.cpu_ns = uring_cpu,
	.close = uring_close,
	.features = uring_features,
};
