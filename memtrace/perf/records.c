/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Processes the records of a recorder's rings. */
#include "config.h"
#include "memtrace/perf/aux.h"
#include "memtrace/perf/recorder.h"

#include <errno.h>
#include <string.h>

#include "common/base/arena.h"
#include "memtrace/active/returns.h"
#include "memtrace/file/losses.h"
#include "memtrace/perf/recorder_state.h"
#include "memtrace/target/process.h"

/* The end of every record but a sample (sample_id_all). */
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

/* Converts a record to an event of the recording, with the record's text. False: the recording has no such event. */
static bool read_event(const struct perf_event_header *header, const uint64_t *words, struct trace_event *event)
{
	size_t count = (header->size - sizeof(*header)) / 8;
	struct sample_id id;

	if (count < 2)
		return false;
	memcpy(&id, words + count - 2, sizeof(id));
	*event = (struct trace_event){.pid = id.pid, .tid = id.tid, .time_ns = id.time, .text = ""};
	switch (header->type) {
	case PERF_RECORD_MMAP2: {
		const struct record_mmap2 *map = (const void *)words;

		event->type = TRACE_MAP;
		event->pid = map->pid;
		event->tid = map->tid;
		event->value[0] = map->address;
		event->value[1] = map->bytes;
		event->value[2] = map->offset;
		event->value[3] = map->prot;
		event->text = map->name;
		return true;
	}
	case PERF_RECORD_COMM: {
		const struct record_comm *comm = (const void *)words;

		event->type = TRACE_COMM;
		event->pid = comm->pid;
		event->tid = comm->tid;
		event->value[0] = !!(header->misc & PERF_RECORD_MISC_COMM_EXEC);
		event->text = comm->name;
		return true;
	}
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT: {
		const struct record_task *task = (const void *)words;

		event->type = header->type == PERF_RECORD_FORK ? TRACE_FORK : TRACE_EXIT;
		event->pid = task->pid;
		event->tid = task->tid;
		event->value[0] = task->parent_pid;
		event->value[1] = task->parent_tid;
		event->time_ns = task->time;
		return true;
	}
	default:
		return false;
	}
}

/* --- samples --- */

struct refresh {
	struct recorder *recorder;
	struct trace_writer *writer;
};

static int take_mapping(void *context, const struct trace_event *event)
{
	const struct refresh *refresh = context;
	struct regions *regions = refresh->recorder->regions;
	const struct region *known = regions_find(regions, event->pid, event->value[0], event->time_ns);
	int err;

	if (known && known->begin == event->value[0] && known->end == event->value[0] + event->value[1])
		return 0;
	err = trace_write_event(refresh->writer, event);
	if (!err)
		err = regions_add(regions, event);
	return err;
}

/* mremap, for one, moves a mapping without an event. Once for each process and drain; returns 1 = read, 0 = not, or -errno. */
static int read_mappings(struct recorder *recorder, pid_t pid, uint64_t time_ns, struct trace_writer *writer)
{
	struct refresh refresh = {recorder, writer};
	int err;

	for (size_t i = 0; i < recorder->refreshed_count; i++) {
		if (recorder->refreshed[i] == pid)
			return 0;
	}
	if (arena_grow(&recorder->refreshed, &recorder->refreshed_capacity, recorder->refreshed_count, sizeof(pid)))
		return -ENOMEM;
	recorder->refreshed[recorder->refreshed_count++] = pid;
	err = process_list_mappings("", pid, time_ns, take_mapping, &refresh);
	if (err == -ENOENT || err == -ESRCH || err == -EACCES || err == -EPERM)
		return 0;
	if (!err)
		err = regions_sort(recorder->regions);
	return err ? err : 1;
}

/* Measures a fault from its beginning to its record, which the kernel makes after it has handled the fault. */
static void time_fault(struct recorder *recorder, struct cpu_ring *ring, const struct trace_sample *sample)
{
	const struct trace_sample *begun = &ring->begun;
	struct fault_times *times = sample->kind == TRACE_MAJOR_FAULT ? &recorder->majors : &recorder->minors;

	times->count++;
	if (begun->tid && begun->tid == sample->tid && begun->address == sample->address) {
		times->timed++;
		times->ns += sample->time_ns - begun->time_ns;
	}
	ring->begun.tid = 0;
}

static int take_sample(struct recorder *recorder, struct cpu_ring *ring, const struct perf_event_header *header,
	const uint64_t *words, struct trace_writer *writer)
{
	size_t count = (header->size - sizeof(*header)) / 8;
	size_t more = count - (size_t)__builtin_popcountll(recorder->attr->sample_type);
	bool is_fault = recorder->major, is_begin = recorder->begin && more == 2, is_major = is_fault && more == 1;
	bool is_kernel = (header->misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_KERNEL;
	const struct engine_choice *choice = recorder->request.choice;
	struct trace_sample sample = {.cpu = (uint16_t)(ring - recorder->rings), .node = UINT8_MAX};
	enum trace_loss loss = TRACE_LOSSES;
	struct sample_fields fields;

	if (!sample_parse(is_begin ? recorder->begin : is_major ? recorder->major : recorder->attr, words, count, &fields))
		return -EBADMSG;
	if (recorder->own_pid && fields.pid == (uint32_t)recorder->own_pid) {
		loss = TRACE_OWN;
	} else if (!is_fault && (is_kernel ? !choice->sees_kernel : !choice->sees_user)) {
		loss = TRACE_PRIVILEGE;
	} else if (is_fault) {
		sample.time_ns = fields.time_ns;
		sample.address = fields.address;
		sample.tid = recorder->attr->sample_type & PERF_SAMPLE_TID ? fields.tid : ring->tid;
		sample.kind = is_major ? TRACE_MAJOR_FAULT : TRACE_MINOR_FAULT;
		if (is_begin) {
			ring->begun = sample;
			return 0;
		}
		time_fault(recorder, ring, &sample);
		loss = sample.tid ? TRACE_LOSSES : TRACE_NO_THREAD;
	} else if (recorder->decoder) {
		loss = decoder_take(recorder->decoder, recorder->regions, &fields, &sample);
		if (loss == TRACE_OUTSIDE) {
			int read = read_mappings(recorder, (pid_t)fields.pid, fields.time_ns, writer);

			if (read < 0)
				return read;
			if (read)
				loss = decoder_take(recorder->decoder, recorder->regions, &fields, &sample);
		}
	} else {
		loss = sample_from_source(&fields, &sample);
	}
	if (loss == TRACE_LOSSES)
		return trace_write_sample(writer, &sample);
	recorder->losses[loss]++;
	return 0;
}

/* --- records --- */

static int take_event(struct recorder *recorder, const struct trace_event *event, struct trace_writer *writer)
{
	int err = trace_write_event(writer, event);

	if (recorder->sampler && event->type == TRACE_FORK && event->pid != event->value[0])
		sampler_follow(recorder->sampler, (pid_t)event->pid);
	/* A sampled CPU has no program whose exec could end the sampling. */
	if (err || recorder->request.target == RECORDER_SYSTEM)
		return err;
	if (event->type == TRACE_COMM && event->value[0])
		return execs_add(&recorder->execs, EXEC_BEGUN, event->pid, event->time_ns);
	if (event->type == TRACE_MAP)
		return execs_add(&recorder->execs, EXEC_MAPPED, event->pid, event->time_ns);
	if (event->type == TRACE_EXIT && event->pid == event->tid)
		return execs_add(&recorder->execs, EXEC_ENDED, event->pid, event->time_ns);
	return 0;
}

static int take_record(struct recorder *recorder, struct cpu_ring *ring, const struct perf_event_header *header,
	const uint64_t *words, struct trace_writer *writer)
{
	size_t count = (header->size - sizeof(*header)) / 8;
	struct trace_event event;
	struct sample_id id;

	switch (header->type) {
	case PERF_RECORD_SAMPLE:
		return take_sample(recorder, ring, header, words, writer);
	case PERF_RECORD_SWITCH:
		if (count >= 2)
			memcpy(&id, words + count - 2, sizeof(id));
		ring->tid = count < 2 || header->misc & PERF_RECORD_MISC_SWITCH_OUT ? 0 : id.tid;
		/* Other threads run before this fault is handled. */
		if (header->misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT)
			ring->begun.tid = 0;
		return 0;
	case PERF_RECORD_LOST:
	case PERF_RECORD_LOST_SAMPLES:
		if (count >= 2)
			recorder->losses[TRACE_LOST_BY_KERNEL] += words[header->type == PERF_RECORD_LOST];
		/* A context switch or a mapping may be among the lost records. */
		ring->tid = 0;
		execs_clear(&recorder->execs);
		return 0;
	case PERF_RECORD_AUX:
		return aux_take(recorder, ring, words, count, writer);
	case PERF_RECORD_THROTTLE:
		recorder->losses[TRACE_THROTTLED]++;
		return 0;
	default:
		return read_event(header, words, &event) ? take_event(recorder, &event, writer) : 0;
	}
}

/* Copies the record at position into one piece. Returns 0 or -EBADMSG. */
static int read_record(struct recorder *recorder, const struct cpu_ring *ring, uint64_t position, struct perf_event_header *header)
{
	uint64_t word = perf_ring_word(&ring->ring, position, 0);

	memcpy(header, &word, sizeof(*header));
	if (header->size < sizeof(*header) || header->size % 8)
		return -EBADMSG;
	for (unsigned i = 1; i < header->size / 8u; i++)
		recorder->record[i - 1] = perf_ring_word(&ring->ring, position, i);
	return 0;
}

static int drain_ring(struct recorder *recorder, struct cpu_ring *ring, struct trace_writer *writer)
{
	struct perf_event_header header;
	int err = 0;

	while (!err && ring->tail < ring->head) {
		err = read_record(recorder, ring, ring->tail, &header);
		if (!err)
			err = take_record(recorder, ring, &header, recorder->record, writer);
		ring->tail += err ? 0 : header.size;
	}
	perf_ring_release(&ring->ring, ring->tail);
	return err;
}

/* Adds all mappings up to now, because those of a sample were made before it, maybe on another CPU. */
static int note_mappings(struct recorder *recorder)
{
	bool is_new = !recorder->is_sorted;
	int err = 0;

	for (unsigned i = 0; i < recorder->ring_count; i++) {
		struct cpu_ring *ring = &recorder->rings[i];
		uint64_t head = perf_ring_head(&ring->ring);

		while (!err && ring->noted < head) {
			struct perf_event_header header;
			struct trace_event event;

			err = read_record(recorder, ring, ring->noted, &header);
			if (err)
				break;
			ring->noted += header.size;
			if (header.type == PERF_RECORD_SAMPLE || !read_event(&header, recorder->record, &event))
				continue;
			err = regions_add(recorder->regions, &event);
			is_new = true;
		}
	}
	if (!err && is_new)
		err = regions_sort(recorder->regions);
	recorder->is_sorted = true;
	return err;
}

int recorder_drain(struct recorder *recorder, struct trace_writer *writer, const int fds[2], int timeout_ms)
{
	unsigned count = recorder->ring_count;
	int err = 0;

	for (unsigned i = 0; i < count; i++)
		recorder->polls[i] = (struct pollfd){.fd = recorder->rings[i].opened[0].fd, .events = POLLIN};
	for (unsigned i = 0; i < 2; i++)
		recorder->polls[count + i] = (struct pollfd){.fd = fds[i], .events = POLLIN};
	if (poll(recorder->polls, count + 2, timeout_ms) < 0 && errno != EINTR)
		return -errno;
	recorder->refreshed_count = 0;
	/* All heads are read first: a mapping that is older than a sample below them is then in its ring. */
	for (unsigned i = 0; i < count; i++)
		recorder->rings[i].head = perf_ring_head(&recorder->rings[i].ring);
	if (recorder->decoder)
		err = note_mappings(recorder);
	for (unsigned i = 0; !err && i < count; i++)
		err = drain_ring(recorder, &recorder->rings[i], writer);
	recorder->losses[TRACE_EXEC] += execs_stopped(&recorder->execs);
	if (!err && recorder->sampler)
		err = sampler_drain(recorder->sampler, writer, count);
	if (recorder->sampler) {
		struct cost costs[TRACE_COSTS], *refaults = &costs[TRACE_COST_REFAULTS];

		recorder_costs(recorder, costs);
		sampler_set_page_cost(recorder->sampler, refaults->count ? refaults->ns / refaults->count : 0);
	}
	return err;
}

static double mean_ns(const struct fault_times *times)
{
	return times->timed ? (double)times->ns / (double)times->timed : 0;
}

static uint64_t paged_out(const struct recorder *recorder, const struct sampler_counts *counts)
{
	return returns_left(counts->outs, counts->stayed, recorder->majors.count + recorder->minors.count);
}

void recorder_costs(const struct recorder *recorder, struct cost costs[TRACE_COSTS])
{
	struct sampler_counts counts;
	uint64_t majors, outs;

	memset(costs, 0, TRACE_COSTS * sizeof(costs[0]));
	if (!recorder_sampled(recorder, &counts))
		return;
	/* An estimate: the program may have major faults of its own, and a page in the swap cache comes back by a minor fault. */
	outs = paged_out(recorder, &counts);
	majors = recorder->majors.count < outs ? recorder->majors.count : outs;
	costs[TRACE_COST_BURSTS] = (struct cost){counts.bursts, counts.stopped_ns, recorder->request.choice->engine->steps};
	costs[TRACE_COST_REFAULTS] = (struct cost){outs, (uint64_t)((double)majors * mean_ns(&recorder->majors) +
		(double)(outs - majors) * mean_ns(&recorder->minors)), recorder->request.choice->engine->pages_out};
}

static uint64_t not_taken(uint64_t taken, uint64_t asked)
{
	return losses_is_short(taken, asked) ? asked - taken : 0;
}

void recorder_expect(struct recorder *recorder, uint64_t samples, uint64_t asked)
{
	struct sampler_counts counts;

	if (recorder_sampled(recorder, &counts)) {
		/* The drawn threads may have been idle each time although others ran, so that too few bursts were requested. */
		recorder->losses[TRACE_NOT_TAKEN] += not_taken(paged_out(recorder, &counts), counts.outs_asked) +
			not_taken(counts.bursts, asked > counts.bursts_asked ? asked : counts.bursts_asked);
		return;
	}
	for (unsigned i = 0; i < TRACE_LOSSES; i++)
		samples += recorder->losses[i];
	recorder->losses[TRACE_NOT_TAKEN] += not_taken(samples, asked);
}

int recorder_write_losses(struct recorder *recorder, struct trace_writer *writer)
{
	struct sampler_counts counts;
	int err = 0;

	if (recorder_sampled(recorder, &counts))
		recorder->losses[TRACE_NO_ADDRESS] = counts.no_address;
	for (unsigned i = 0; !err && i < TRACE_LOSSES; i++) {
		struct trace_event event = {.type = TRACE_LOST, .value = {recorder->losses[i], i}, .text = ""};

		err = recorder->losses[i] ? trace_write_event(writer, &event) : 0;
	}
	for (unsigned i = 0; !err && i < TRACE_RECOVERIES && recorder->decoder; i++) {
		struct trace_event event = {.type = TRACE_RECOVERED, .value = {recorder_recovered(recorder)[i], i}, .text = ""};

		err = event.value[0] ? trace_write_event(writer, &event) : 0;
	}
	return err;
}
