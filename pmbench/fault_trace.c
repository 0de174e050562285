/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "pmbench/fault_trace.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include "pmbench/result.h"
#include "pmbench/scratch.h"

/* Small: it is emptied after every slow access, and unprivileged users may lock little. 682 records. */
#define RING_PAGES 4

/* A record's words, by sample_type = IDENTIFIER | ADDR. */
enum record_word { WORD_HEADER, WORD_ID, WORD_ADDRESS };
/* PERF_RECORD_LOST: header, id, how many. */
#define WORD_LOST WORD_ADDRESS

static int open_event(uint64_t config, int *fd, uint64_t *id)
{
	struct perf_event_attr attr = perf_software(config, PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_ADDR);
	int new = perf_open(&attr, 0, -1);

	if (new < 0)
		return new;
	if (ioctl(new, PERF_EVENT_IOC_ID, id)) {
		int err = -errno;

		close(new);
		return err;
	}
	*fd = new;
	return 0;
}

static void take_sample(struct fault_trace *trace, uint64_t position, uint64_t page, struct fault_trace_faults *faults)
{
	bool is_major = perf_ring_word(&trace->ring, position, WORD_ID) == trace->major_id;
	uint64_t address = perf_ring_word(&trace->ring, position, WORD_ADDRESS);
	bool is_in_map = address >= trace->map_begin && address < trace->map_end;

	trace->records++;
	if (is_in_map)
		*(is_major ? &trace->in_map_major : &trace->in_map_minor) += 1;
	else
		*(is_major ? &trace->outside_major : &trace->outside_minor) += 1;
	if (is_in_map && (address & trace->page_mask) == page)
		*(is_major ? &faults->major : &faults->minor) += 1;
}

void fault_trace_take(struct fault_trace *trace, const void *address, struct fault_trace_faults *faults)
{
	uint64_t head = perf_ring_head(&trace->ring);
	uint64_t page = (uint64_t)(uintptr_t)address & trace->page_mask;
	struct fault_trace_faults new = {0};

	while (trace->tail != head) {
		uint64_t word = perf_ring_word(&trace->ring, trace->tail, WORD_HEADER);
		struct perf_event_header header;

		memcpy(&header, &word, sizeof(header));
		if (header.type == PERF_RECORD_SAMPLE)
			take_sample(trace, trace->tail, page, &new);
		else if (header.type == PERF_RECORD_LOST)
			trace->lost += perf_ring_word(&trace->ring, trace->tail, WORD_LOST);
		trace->tail += header.size;
	}
	perf_ring_release(&trace->ring, head);
	*faults = new;
}

static int switch_events(const struct fault_trace *trace, unsigned long request)
{
	if (ioctl(trace->minor_fd, request, 0) || ioctl(trace->major_fd, request, 0))
		return -errno;
	return 0;
}

int fault_trace_begin(struct fault_trace *trace)
{
	return switch_events(trace, PERF_EVENT_IOC_ENABLE);
}

int fault_trace_end(struct fault_trace *trace)
{
	struct fault_trace_faults faults;
	int err = switch_events(trace, PERF_EVENT_IOC_DISABLE);

	fault_trace_take(trace, NULL, &faults);
	return err;
}

static int switch_trace(void *trace, bool is_on)
{
	return is_on ? fault_trace_begin(trace) : fault_trace_end(trace);
}

void fault_trace_forget(struct fault_trace *trace)
{
	trace->records = trace->lost = 0;
	trace->in_map_minor = trace->in_map_major = 0;
	trace->outside_minor = trace->outside_major = 0;
}

int fault_trace_open(struct fault_trace *trace, const struct timebase *timebase, const void *map, size_t bytes,
	char *reason, size_t reason_length)
{
	struct fault_trace new = {.minor_fd = -1, .major_fd = -1, .map_begin = (uintptr_t)map,
		.map_end = (uintptr_t)map + bytes};
	int err = open_event(PERF_COUNT_SW_PAGE_FAULTS_MIN, &new.minor_fd, &new.minor_id);

	if (!err)
		err = open_event(PERF_COUNT_SW_PAGE_FAULTS_MAJ, &new.major_fd, &new.major_id);
	if (err) {
		perf_open_reason("", err, 2, reason, reason_length);
		goto out;
	}
	new.page_mask = ~(uint64_t)(sysconf(_SC_PAGESIZE) - 1);
	err = perf_ring_open(new.minor_fd, RING_PAGES, &new.ring);
	if (!err && ioctl(new.major_fd, PERF_EVENT_IOC_SET_OUTPUT, new.minor_fd))
		err = -errno;
	if (err) {
		snprintf(reason, reason_length, "ring of %u KiB for perf events: %s%s",
			(unsigned)(new.ring.bytes / 1024), strerror(-err),
			err == -EPERM ? " (raise ulimit -l or kernel.perf_event_mlock_kb)" : "");
		goto out;
	}
	err = scratch_cost(timebase, switch_trace, &new, &new.cost_ns);
	if (err) {
		snprintf(reason, reason_length, "measuring the cost of a traced fault: %s", strerror(-err));
		goto out;
	}
	fault_trace_forget(&new);
	*trace = new;
	return 0;
out:
	fault_trace_close(&new);
	return err;
}

void fault_trace_close(struct fault_trace *trace)
{
	perf_ring_close(&trace->ring);
	if (trace->major_fd >= 0)
		close(trace->major_fd);
	if (trace->minor_fd >= 0)
		close(trace->minor_fd);
}

void fault_trace_result(const struct fault_trace *trace, struct result_fault_trace *result)
{
	*result = (struct result_fault_trace){
		.is_available = true,
		.counts = {NULL, trace->records, trace->lost, trace->in_map_minor, trace->in_map_major,
			trace->outside_minor + trace->outside_major, trace->cost_ns},
	};
}
