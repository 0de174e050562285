/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "memtrace/recorder.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "common/perf.h"
#include "common/sysfs.h"

#define RING_MIN (64u << 10)
#define RECORD_MAX 65536u /* header.size is 16 bits */
#define EVENTS 3

struct ring {
	int cpu;          /* as the kernel numbers it */
	int fds[EVENTS];  /* the dummy first, whose ring it is; -1 = closed */
	struct perf_ring ring;
	uint64_t tail;
	uint32_t tid;     /* the thread that runs there; 0 = unknown */
};

struct recorder {
	bool sees_kernel;
	unsigned count;
	uint64_t losses[TRACE_LOSSES];
	struct pollfd *polls;
	uint64_t record[RECORD_MAX / 8]; /* one, in one piece */
	struct ring rings[];
};

/* --- opening --- */

static void fill_dummy(struct perf_event_attr *attr)
{
	attr->config = PERF_COUNT_SW_DUMMY;
	attr->sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME;
	attr->mmap = attr->mmap_data = attr->mmap2 = 1;
	attr->comm = attr->comm_exec = attr->task = 1;
	attr->context_switch = 1;
	attr->exclude_kernel = 1;
}

static int open_events(struct recorder *recorder, struct ring *ring, pid_t pid, uint64_t ring_bytes)
{
	for (int i = 0; i < EVENTS; i++) {
		struct perf_event_attr attr = {
			.type = PERF_TYPE_SOFTWARE,
			.size = sizeof(attr),
			.config = i == 1 ? PERF_COUNT_SW_PAGE_FAULTS_MIN : PERF_COUNT_SW_PAGE_FAULTS_MAJ,
			.sample_period = 1,
			.sample_type = PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR | (i == 2 ? PERF_SAMPLE_IDENTIFIER : 0),
			.sample_id_all = 1,
			.disabled = 1,
			.inherit = 1,
			.enable_on_exec = 1,
			.exclude_kernel = !recorder->sees_kernel,
			.exclude_hv = 1,
			.watermark = 1,
			.wakeup_watermark = (uint32_t)(ring_bytes / 2),
		};

		if (!i)
			fill_dummy(&attr);
		ring->fds[i] = perf_open(&attr, pid, ring->cpu);
		if (ring->fds[i] < 0)
			return ring->fds[i];
		if (i && ioctl(ring->fds[i], PERF_EVENT_IOC_SET_OUTPUT, ring->fds[0]))
			return -errno;
		if (!i) {
			int err = perf_ring_open(ring->fds[0], ring_bytes / (uint64_t)sysconf(_SC_PAGESIZE), &ring->ring);

			if (err)
				return err;
		}
	}
	return 0;
}

static void close_ring(struct ring *ring)
{
	perf_ring_close(&ring->ring);
	for (int i = EVENTS - 1; i >= 0; i--) {
		if (ring->fds[i] >= 0)
			close(ring->fds[i]);
		ring->fds[i] = -1;
	}
}

static int open_rings(struct recorder *recorder, pid_t pid, uint64_t ring_bytes)
{
	int err = 0;

	for (unsigned i = 0; !err && i < recorder->count; i++)
		err = open_events(recorder, &recorder->rings[i], pid, ring_bytes);
	for (unsigned i = 0; err && i < recorder->count; i++)
		close_ring(&recorder->rings[i]);
	return err;
}

int recorder_open(pid_t pid, uint64_t ring_bytes, struct recorder **recorder, char *reason, size_t length)
{
	long possible = sysconf(_SC_NPROCESSORS_CONF);
	struct recorder *new = calloc(1, sizeof(*new) + (size_t)possible * sizeof(new->rings[0]));
	int err = new ? 0 : -ENOMEM;

	if (new) {
		new->polls = calloc((size_t)possible + 1, sizeof(*new->polls));
		err = new->polls ? 0 : -ENOMEM;
	}
	if (err) {
		free(new);
		snprintf(reason, length, "%s", strerror(-err));
		return err;
	}
	new->sees_kernel = true;
	for (long cpu = 0; cpu < possible; cpu++) {
		char path[64], state[8];

		snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%ld/online", cpu);
		if (!sysfs_read("", path, state, sizeof(state)) && state[0] == '0')
			continue;
		new->rings[new->count++] = (struct ring){.cpu = (int)cpu, .fds = {-1, -1, -1}, .tid = (uint32_t)pid};
	}
	err = open_rings(new, pid, ring_bytes);
	if (err == -EACCES) {
		new->sees_kernel = false;
		err = open_rings(new, pid, ring_bytes);
	}
	while (err == -EPERM && ring_bytes > RING_MIN) {
		ring_bytes /= 2;
		err = open_rings(new, pid, ring_bytes);
	}
	if (err) {
		if (err == -EPERM)
			snprintf(reason, length, "perf events: a ring of %u KiB for each CPU cannot be locked "
				"(raise ulimit -l or kernel.perf_event_mlock_kb)", RING_MIN >> 10);
		else if (err == -ESRCH)
			snprintf(reason, length, "process %d: no such process", (int)pid);
		else
			perf_open_reason(err, reason, length);
		recorder_close(new);
		return err;
	}
	*recorder = new;
	return 0;
}

bool recorder_sees_kernel(const struct recorder *recorder)
{
	return recorder->sees_kernel;
}

unsigned recorder_cpus(const struct recorder *recorder)
{
	return recorder->count;
}

uint64_t recorder_ring_bytes(const struct recorder *recorder)
{
	return recorder->rings[0].ring.bytes;
}

int recorder_end(struct recorder *recorder)
{
	for (unsigned i = 0; i < recorder->count; i++) {
		for (int j = 0; j < EVENTS; j++) {
			if (ioctl(recorder->rings[i].fds[j], PERF_EVENT_IOC_DISABLE, 0))
				return -errno;
		}
	}
	return 0;
}

/* --- records --- */

/* Behind every record but a sample: process and thread, time (sample_id_all). */
struct sample_id {
	uint32_t pid, tid;
	uint64_t time;
};

struct record_mmap2 {
	uint32_t pid, tid;
	uint64_t address, bytes, offset;
	uint64_t file[3]; /* device, inode, generation; or a build id */
	uint32_t prot, flags;
	char name[];
};

struct record_comm {
	uint32_t pid, tid;
	char name[];
};

struct record_task {
	uint32_t pid, parent_pid, tid, parent_tid;
	uint64_t time;
};

static int take_sample(struct recorder *recorder, struct ring *ring, const uint64_t *words, size_t count,
	struct trace_writer *writer)
{
	bool is_major = count == 3;
	struct trace_sample sample = {.cpu = (uint16_t)(ring - recorder->rings), .node = UINT8_MAX, .tid = ring->tid,
		.kind = is_major ? TRACE_MAJOR_FAULT : TRACE_MINOR_FAULT};

	words += is_major;
	sample.time_ns = words[0];
	sample.address = words[1];
	if (!sample.tid) {
		recorder->losses[TRACE_NO_THREAD]++;
		return 0;
	}
	return trace_write_sample(writer, &sample);
}

static int take_record(struct recorder *recorder, struct ring *ring, const struct perf_event_header *header,
	const uint64_t *words, struct trace_writer *writer)
{
	size_t count = (header->size - sizeof(*header)) / 8;
	struct sample_id id = {0};
	struct trace_event event = {.text = ""};

	if (header->type == PERF_RECORD_SAMPLE)
		return take_sample(recorder, ring, words, count, writer);
	if (count < 2)
		return 0;
	memcpy(&id, words + count - 2, sizeof(id));
	event.pid = id.pid;
	event.tid = id.tid;
	event.time_ns = id.time;
	switch (header->type) {
	case PERF_RECORD_SWITCH:
		ring->tid = header->misc & PERF_RECORD_MISC_SWITCH_OUT ? 0 : id.tid;
		return 0;
	case PERF_RECORD_LOST:
		recorder->losses[TRACE_LOST_BY_KERNEL] += words[1];
		/* A context switch may be among them. */
		ring->tid = 0;
		return 0;
	case PERF_RECORD_THROTTLE:
		recorder->losses[TRACE_THROTTLED]++;
		return 0;
	case PERF_RECORD_MMAP2: {
		const struct record_mmap2 *map = (const void *)words;

		event.type = TRACE_MAP;
		event.pid = map->pid;
		event.tid = map->tid;
		event.value[0] = map->address;
		event.value[1] = map->bytes;
		event.value[2] = map->offset;
		event.value[3] = map->prot;
		event.text = map->name;
		break;
	}
	case PERF_RECORD_COMM: {
		const struct record_comm *comm = (const void *)words;

		event.type = TRACE_COMM;
		event.pid = comm->pid;
		event.tid = comm->tid;
		event.value[0] = !!(header->misc & PERF_RECORD_MISC_COMM_EXEC);
		event.text = comm->name;
		break;
	}
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT: {
		const struct record_task *task = (const void *)words;

		event.type = header->type == PERF_RECORD_FORK ? TRACE_FORK : TRACE_EXIT;
		event.pid = task->pid;
		event.tid = task->tid;
		event.value[0] = task->parent_pid;
		event.value[1] = task->parent_tid;
		event.time_ns = task->time;
		break;
	}
	default:
		return 0;
	}
	return trace_write_event(writer, &event);
}

static int drain_ring(struct recorder *recorder, struct ring *ring, struct trace_writer *writer)
{
	uint64_t head = perf_ring_head(&ring->ring);
	int err = 0;

	while (!err && ring->tail < head) {
		struct perf_event_header header;
		uint64_t word = perf_ring_word(&ring->ring, ring->tail, 0);

		memcpy(&header, &word, sizeof(header));
		if (header.size < sizeof(header) || header.size % 8)
			return -EBADMSG;
		for (unsigned i = 1; i < header.size / 8u; i++)
			recorder->record[i - 1] = perf_ring_word(&ring->ring, ring->tail, i);
		err = take_record(recorder, ring, &header, recorder->record, writer);
		ring->tail += header.size;
	}
	perf_ring_release(&ring->ring, ring->tail);
	return err;
}

int recorder_drain(struct recorder *recorder, struct trace_writer *writer, int fd, int timeout_ms)
{
	int err = 0;

	for (unsigned i = 0; i < recorder->count; i++)
		recorder->polls[i] = (struct pollfd){.fd = recorder->rings[i].fds[0], .events = POLLIN};
	recorder->polls[recorder->count] = (struct pollfd){.fd = fd, .events = POLLIN};
	if (poll(recorder->polls, recorder->count + 1, timeout_ms) < 0 && errno != EINTR)
		return -errno;
	for (unsigned i = 0; !err && i < recorder->count; i++)
		err = drain_ring(recorder, &recorder->rings[i], writer);
	return err;
}

int recorder_write_losses(struct recorder *recorder, struct trace_writer *writer)
{
	int err = 0;

	for (unsigned i = 0; !err && i < TRACE_LOSSES; i++) {
		struct trace_event event = {.type = TRACE_LOST, .value = {recorder->losses[i], i}, .text = ""};

		err = recorder->losses[i] ? trace_write_event(writer, &event) : 0;
	}
	return err;
}

const uint64_t *recorder_losses(const struct recorder *recorder)
{
	return recorder->losses;
}

void recorder_close(struct recorder *recorder)
{
	if (!recorder)
		return;
	for (unsigned i = 0; i < recorder->count; i++)
		close_ring(&recorder->rings[i]);
	free(recorder->polls);
	free(recorder);
}
