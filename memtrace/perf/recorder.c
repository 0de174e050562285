/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "memtrace/perf/recorder.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "common/base/arena.h"
#include "common/base/sysfs.h"
#include "memtrace/perf/recorder_state.h"
#include "memtrace/target/process.h"

#define RING_MIN (64u << 10)

static void fill_dummy(const struct recorder *recorder, struct perf_event_attr *attr)
{
	*attr = (struct perf_event_attr){
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(*attr),
		.config = PERF_COUNT_SW_DUMMY,
		.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME,
		.sample_id_all = 1,
		.disabled = 1,
		.enable_on_exec = recorder->request.target == RECORDER_COMMAND,
		.mmap = 1,
		.mmap_data = 1,
		.mmap2 = 1,
		.comm = 1,
		.comm_exec = 1,
		.task = 1,
		.context_switch = recorder->sampler ||
			(recorder->attr && !(recorder->attr->sample_type & PERF_SAMPLE_TID)),
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};
}

static void finish_attr(const struct recorder *recorder, struct perf_event_attr *attr)
{
	attr->inherit = recorder->request.target != RECORDER_SYSTEM;
	attr->watermark = 1;
	if (recorder->sampler) {
		attr->use_clockid = 1;
		attr->clockid = CLOCK_MONOTONIC;
	}
	attr->wakeup_watermark = (uint32_t)(recorder->request.ring_bytes / 2);
}

/* The descriptor is taken over. The first event maps the ring, the others write to it. */
static int add_event(struct recorder *recorder, struct cpu_ring *ring, int fd, bool is_sampler)
{
	uint64_t pages = recorder->request.ring_bytes / (uint64_t)sysconf(_SC_PAGESIZE);

	if (arena_grow(&ring->opened, &ring->capacity, ring->count, sizeof(*ring->opened))) {
		close(fd);
		return -ENOMEM;
	}
	ring->opened[ring->count++] = (struct opened){fd, is_sampler};
	if (ring->count == 1)
		return perf_ring_open(fd, pages, &ring->ring);
	return ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, ring->opened[0].fd) ? -errno : 0;
}

static int open_thread(struct recorder *recorder, struct cpu_ring *ring, pid_t tid)
{
	struct perf_event_attr dummy;
	int fds[PERF_MEMORY_EVENTS], err, fd;

	fill_dummy(recorder, &dummy);
	finish_attr(recorder, &dummy);
	fd = perf_open(&dummy, tid, ring->cpu);
	if (fd < 0)
		return fd;
	err = add_event(recorder, ring, fd, false);
	if (err)
		return err;
	err = perf_memory_open(recorder->events, recorder->event_count, tid, ring->cpu, perf_open_in, fds);
	/* A CPU without any of these events (-ENOENT) only gets the dummy, without samples. */
	if (err)
		return err == -ENOENT ? 0 : err;
	for (unsigned i = 0; i < recorder->event_count; i++) {
		if (fds[i] < 0)
			continue;
		if (!err)
			err = add_event(recorder, ring, fds[i], true);
		else
			close(fds[i]);
		/* One event that writes to the AUX area maps it; others of the ring share it. */
		if (!err && recorder->request.choice->engine->source == PERF_MEMORY_SPE && !ring->aux.area)
			err = perf_aux_open(fds[i], &ring->ring, recorder->request.ring_bytes, &ring->aux);
	}
	return err;
}

static void close_rings(struct recorder *recorder)
{
	for (unsigned i = 0; i < recorder->ring_count; i++) {
		struct cpu_ring *ring = &recorder->rings[i];

		perf_aux_close(&ring->aux);
		perf_ring_close(&ring->ring);
		while (ring->count)
			close(ring->opened[--ring->count].fd);
	}
}

static int open_rings(struct recorder *recorder, const pid_t *tids, size_t count)
{
	struct perf_anchor anchor;
	size_t gone = 0;
	int err = 0;

	for (size_t i = 0; i < recorder->event_count; i++)
		finish_attr(recorder, &recorder->events[i].attr);
	for (size_t thread = 0; !err && thread < count; thread++) {
		for (unsigned i = 0; !err && i < recorder->ring_count; i++)
			err = open_thread(recorder, &recorder->rings[i], tids[thread]);
		/* The thread has ended since it was listed. */
		if (err == -ESRCH && count > 1) {
			gone++;
			err = 0;
		}
	}
	if (!err && gone == count)
		err = -ESRCH;
	/* Try it now: each reading of the anchor also locks memory for a moment. */
	if (!err)
		err = perf_read_anchor(&anchor);
	if (err)
		close_rings(recorder);
	return err;
}

static int choose_attr(struct recorder *recorder)
{
	const struct engine_choice *choice = recorder->request.choice;
	bool is_command = recorder->request.target == RECORDER_COMMAND;

	memcpy(recorder->events, choice->events, sizeof(recorder->events));
	recorder->event_count = choice->count;
	for (unsigned i = 0; i < choice->count; i++) {
		struct perf_event_attr *attr = &recorder->events[i].attr;

		attr->enable_on_exec = is_command && !recorder->request.is_paused;
		if (!is_command && choice->engine->source == PERF_MEMORY_FAULTS)
			attr->sample_type |= PERF_SAMPLE_TID;
		if (!recorder->events[i].is_sampling)
			continue;
		if (!recorder->attr)
			recorder->attr = attr;
		else if (attr->sample_type & PERF_SAMPLE_CPU && choice->engine->pages_out)
			recorder->begin = attr;
		else if (attr->sample_type != recorder->attr->sample_type)
			recorder->major = attr;
	}
	if (!choice->engine->is_decoded)
		return 0;
	return decoder_new(choice->skid.instructions, &recorder->decoder) || regions_new(&recorder->regions) ? -ENOMEM : 0;
}

static void explain(int err, const struct recorder_request *request, size_t threads, char *reason, size_t length)
{
	const struct engine_choice *choice = request->choice;
	pid_t pid = request->pid;

	if (err == -EPERM)
		snprintf(reason, length, "perf events: a ring of %u KiB for each CPU cannot be locked "
			"(raise ulimit -l or kernel.perf_event_mlock_kb)", RING_MIN >> 10);
	else if (err == -ESRCH || (err == -ENOENT && pid > 0))
		snprintf(reason, length, "process %d: no such process", (int)pid);
	else if (err == -EMFILE)
		snprintf(reason, length, "perf events: %zu threads need some %zu descriptors; raise ulimit -n", threads,
			threads * (size_t)sysconf(_SC_NPROCESSORS_ONLN) * (1 + choice->count));
	/* Own processes can be recorded with this engine, as was tested. */
	else if (err == -EACCES && request->target == RECORDER_PROCESS)
		snprintf(reason, length, "process %d: %s (it is another user's, or may not be traced: this needs CAP_PERFMON%s; "
			"run as root)", (int)pid, strerror(-err), choice->engine->steps ? " and CAP_SYS_PTRACE" : "");
	else
		perf_open_reason("", err, request->target == RECORDER_SYSTEM ? 0 : choice->sees_kernel ? 1 : 2, reason, length);
}

static void raise_descriptor_limit(void)
{
	struct rlimit limit;

	if (!getrlimit(RLIMIT_NOFILE, &limit) && limit.rlim_cur < limit.rlim_max) {
		limit.rlim_cur = limit.rlim_max;
		(void)setrlimit(RLIMIT_NOFILE, &limit);
	}
}

static void list_cpus(struct recorder *recorder, long possible)
{
	for (long cpu = 0; cpu < possible; cpu++) {
		char state[8];

		if (!sysfs_read("", SYSFS_PATH("/sys/devices/system/cpu/cpu%ld/online", cpu), state, sizeof(state)) &&
			state[0] == '0')
			continue;
		recorder->rings[recorder->ring_count++] = (struct cpu_ring){.cpu = (int)cpu,
			.tid = (uint32_t)recorder->request.pid};
	}
}

int recorder_open(const struct recorder_request *request, struct recorder **recorder, char *reason, size_t length)
{
	long possible = sysconf(_SC_NPROCESSORS_CONF);
	struct recorder *new = calloc(1, sizeof(*new) + (size_t)possible * sizeof(new->rings[0]));
	pid_t one = request->target == RECORDER_SYSTEM ? -1 : request->pid, *tids = NULL;
	size_t count = 1;
	int err = new ? 0 : -ENOMEM;

	if (!err) {
		new->request = *request;
		new->is_sampling = !request->is_paused;
		new->own_pid = request->target == RECORDER_SYSTEM ? getpid() : 0;
		new->polls = calloc((size_t)possible + 2, sizeof(*new->polls));
		err = new->polls ? choose_attr(new) : -ENOMEM;
	}
	/* The sampler's process must have no copies of the rings' descriptors. */
	if (!err && engine_is_sampler(request->choice->engine))
		err = sampler_new(&request->choice->rates, &new->sampler);
	if (!err && request->target == RECORDER_PROCESS) {
		raise_descriptor_limit();
		err = process_threads("", request->pid, &tids, &count);
	}
	if (!err) {
		list_cpus(new, possible);
		err = open_rings(new, tids ? tids : &one, count);
	}
	while (err == -EPERM && new->request.ring_bytes > RING_MIN) {
		new->request.ring_bytes /= 2;
		err = open_rings(new, tids ? tids : &one, count);
	}
	free(tids);
	if (err) {
		explain(err, request, count, reason, length);
		recorder_close(new);
		return err;
	}
	*recorder = new;
	return 0;
}

unsigned recorder_cpus(const struct recorder *recorder)
{
	return recorder->ring_count + 1;
}

uint64_t recorder_ring_bytes(const struct recorder *recorder)
{
	return recorder->rings[0].ring.bytes;
}

/* --- control --- */

static int control(struct recorder *recorder, unsigned long request, bool is_sampler)
{
	for (unsigned i = 0; i < recorder->ring_count; i++) {
		const struct cpu_ring *ring = &recorder->rings[i];

		for (size_t j = 0; j < ring->count; j++) {
			if (ring->opened[j].is_sampler == is_sampler && ioctl(ring->opened[j].fd, request, 0))
				return -errno;
		}
	}
	return 0;
}

int recorder_pause(struct recorder *recorder)
{
	recorder->is_sampling = false;
	if (recorder->sampler)
		sampler_pause(recorder->sampler);
	return control(recorder, PERF_EVENT_IOC_DISABLE, true);
}

int recorder_resume(struct recorder *recorder)
{
	int err = control(recorder, PERF_EVENT_IOC_ENABLE, true);

	recorder->is_sampling = true;
	if (!err && recorder->sampler)
		sampler_resume(recorder->sampler);
	return err;
}

int recorder_end(struct recorder *recorder, struct trace_writer *writer)
{
	int err = recorder->sampler ? sampler_end(recorder->sampler, writer, recorder->ring_count) : 0;

	recorder->is_sampling = false;
	if (!err)
		err = control(recorder, PERF_EVENT_IOC_DISABLE, true);
	return err ? err : control(recorder, PERF_EVENT_IOC_DISABLE, false);
}

struct beginning {
	struct recorder *recorder;
	struct trace_writer *writer;
};

static int take_listed(void *context, const struct trace_event *event)
{
	const struct beginning *beginning = context;
	int err = trace_write_event(beginning->writer, event);

	if (!err && beginning->recorder->regions)
		err = regions_add(beginning->recorder->regions, event);
	return err;
}

int recorder_begin(struct recorder *recorder, struct trace_writer *writer, uint64_t time_ns)
{
	struct beginning beginning = {recorder, writer};
	pid_t pid = recorder->request.pid;
	int err;

	if (recorder->sampler && !recorder->request.is_paused)
		sampler_resume(recorder->sampler);
	err = recorder->sampler ? sampler_begin(recorder->sampler, pid) : 0;
	if (err || recorder->request.target == RECORDER_COMMAND)
		return err;
	/* The events come first: memory that is mapped while /proc is read is written twice rather than never. */
	err = control(recorder, PERF_EVENT_IOC_ENABLE, false);
	if (!err && recorder->request.target == RECORDER_SYSTEM)
		err = process_list_all("", time_ns, take_listed, &beginning);
	if (!err && recorder->request.target == RECORDER_PROCESS) {
		err = process_list_threads("", pid, time_ns, take_listed, &beginning);
		if (!err)
			err = process_list_mappings("", pid, time_ns, take_listed, &beginning);
	}
	if (!err && !recorder->request.is_paused)
		err = recorder_resume(recorder);
	return err;
}

const uint64_t *recorder_losses(const struct recorder *recorder)
{
	return recorder->losses;
}

const uint64_t *recorder_recovered(const struct recorder *recorder)
{
	return recorder->decoder ? decoder_recovered(recorder->decoder) : NULL;
}

bool recorder_sampled(const struct recorder *recorder, struct sampler_counts *counts)
{
	if (recorder->sampler)
		sampler_counts(recorder->sampler, counts);
	return recorder->sampler;
}

void recorder_close(struct recorder *recorder)
{
	if (!recorder)
		return;
	close_rings(recorder);
	for (unsigned i = 0; i < recorder->ring_count; i++)
		free(recorder->rings[i].opened);
	sampler_free(recorder->sampler);
	decoder_free(recorder->decoder);
	regions_free(recorder->regions);
	execs_free(&recorder->execs);
	free(recorder->refreshed);
	free(recorder->piece);
	free(recorder->polls);
	free(recorder);
}
