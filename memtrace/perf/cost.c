/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "memtrace/perf/cost.h"

#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/base/units.h"
#include "common/kernel/perf.h"
#include "common/stats/stats.h"

#define RING_PAGES 16
#define SAMPLES 101u
#define CLOCK_PERIOD_NS 100000u /* 10 ms for all samples */
#define CLOCK_MOST_NS 1000000000ull
#define FAULTS 256u

/* Returns the median time between two readings of the clock with a sample in between. */
static double clock_sample_ns(struct perf_ring *ring, int fd)
{
	double gaps[SAMPLES], median = 0;
	uint64_t begin = clock_ns(CLOCK_MONOTONIC), before = begin, head = perf_ring_head(ring);
	size_t count = 0;

	if (ioctl(fd, PERF_EVENT_IOC_ENABLE, 0))
		return 0;
	while (count < SAMPLES && before - begin < CLOCK_MOST_NS) {
		uint64_t now = clock_ns(CLOCK_MONOTONIC), seen = perf_ring_head(ring);

		if (seen != head) {
			/* The sample may have come after the clock was read. */
			now = clock_ns(CLOCK_MONOTONIC);
			gaps[count++] = (double)(now - before);
			perf_ring_release(ring, seen);
			head = seen;
		}
		before = now;
	}
	return count == SAMPLES && !stats_median(gaps, count, &median) ? median : 0;
}

/* Times first accesses to pages, every second group of 16 with the event. */
static double fault_ns(struct perf_ring *ring, int fd)
{
	static const unsigned group = 16;
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	double times[2][FAULTS], medians[2] = {0};
	size_t counts[2] = {0};
	char *memory = mmap(NULL, 2 * FAULTS * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int err = memory == MAP_FAILED;

	if (!err)
		(void)madvise(memory, 2 * FAULTS * page, MADV_NOHUGEPAGE);
	for (unsigned i = 0; i < 2 * FAULTS && !err; i++) {
		unsigned with = i / group % 2;
		uint64_t begin;

		if (!(i % group))
			err = ioctl(fd, with ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0);
		begin = clock_ns(CLOCK_MONOTONIC);
		((volatile char *)memory)[i * page] = 1;
		times[with][counts[with]++] = (double)(clock_ns(CLOCK_MONOTONIC) - begin);
		perf_ring_release(ring, perf_ring_head(ring));
	}
	for (unsigned with = 0; with < 2 && !err; with++)
		err = stats_median(times[with], counts[with], &medians[with]);
	if (memory != MAP_FAILED)
		munmap(memory, 2 * FAULTS * page);
	return !err && medians[1] > medians[0] ? medians[1] - medians[0] : 0;
}

uint64_t cost_calibrate(const struct engine_choice *choice)
{
	bool is_clock = choice->engine->is_decoded;
	struct perf_event_attr attr = choice->events[0].attr;
	struct perf_ring ring = {0};
	double ns = 0;
	int fd;

	if (engine_is_sampler(choice->engine) || (!is_clock && choice->engine->source != PERF_MEMORY_FAULTS))
		return 0;
	attr.sample_period = is_clock ? CLOCK_PERIOD_NS : 1;
	fd = perf_open(&attr, 0, -1);
	if (fd < 0)
		return 0;
	if (!perf_ring_open(fd, RING_PAGES, &ring))
		ns = is_clock ? clock_sample_ns(&ring, fd) : fault_ns(&ring, fd);
	perf_ring_close(&ring);
	close(fd);
	return (uint64_t)ns;
}

const char *cost_phrase(enum trace_cost type, const struct cost *cost, uint64_t recorded_ns, char text[COST_TEXT])
{
	char all[UNITS_TEXT], recorded[UNITS_TEXT], each[UNITS_TEXT];

	snprintf(text, COST_TEXT, "%.2g %% of the recorded time (%s of %s): %llu %s, %s each",
		recorded_ns ? 100 * (double)cost->ns / (double)recorded_ns : 0,
		units_format_duration((double)cost->ns, all, sizeof(all)),
		units_format_duration((double)recorded_ns, recorded, sizeof(recorded)), (unsigned long long)cost->count,
		trace_cost_name(type),
		units_format_duration(cost->count ? (double)cost->ns / (double)cost->count : 0, each, sizeof(each)));
	return text;
}
