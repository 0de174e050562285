/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "memtrace/check/generator.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "common/base/clock.h"
#include "common/hot/chase.h"
#include "memtrace/target/control.h"

#define WORDS (GENERATOR_PAGE / sizeof(double))
#define BATCH 1000 /* accesses between two readings of the clock */
#define WAIT_NS 10000000000ull
#define PAUSE_NS 10000000u

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23 /* Linux 5.14 */
#endif

/* Pages are small, because a pager works by pages. */
static int map_area(size_t bytes, volatile double **area)
{
	void *map = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (map == MAP_FAILED)
		return -ENOMEM;
	(void)madvise(map, bytes, MADV_NOHUGEPAGE);
	*area = map;
	/* The kernel populates the pages without accesses of the program. */
	if (!madvise(map, bytes, MADV_POPULATE_WRITE))
		return 0;
	if (errno != EINVAL)
		return -errno;
	for (size_t i = 0; i < bytes / sizeof(double); i += WORDS)
		(*area)[i] = 0;
	return 0;
}

static int start_recording(void)
{
	const char *path = getenv(CONTROL_VARIABLE);
	int err = path ? mt_control_send(path, CONTROL_START, "") : 0;

	if (!path)
		return 0;
	if (!err)
		err = mt_control_settle(path, WAIT_NS);
	/* The recording reads the line before it acts on it. */
	clock_pause(PAUSE_NS);
	return err;
}

uint32_t *generator_draw(const struct generator *generator, uint64_t *count)
{
	uint64_t draws = generator->accesses && generator->accesses < GENERATOR_DRAWS ? generator->accesses : GENERATOR_DRAWS;
	uint32_t *sequence = malloc(draws * sizeof(*sequence));
	struct pattern pattern;

	pattern_init(&pattern, &generator->spec, generator->pages, generator->seed, 0);
	for (uint64_t i = 0; i < draws && sequence; i++)
		sequence[i] = (uint32_t)pattern.next(&pattern);
	*count = draws;
	return sequence;
}

void generator_count(const uint32_t *sequence, uint64_t count, uint64_t accesses, double *known)
{
	for (uint64_t i = 0; i < count; i++) {
		uint64_t times = accesses / count + (i < accesses % count);

		known[sequence[i]] += (double)times;
	}
}

int generator_run(const struct generator *generator, struct generated *generated)
{
	volatile double *area = NULL;
	uint64_t begun_ns, now_ns, count, done = 0, at = 0;
	uint32_t *sequence = generator_draw(generator, &count);
	/* A double, because compilers would load an integer into the register of the address in every second access. */
	double sum = 0;
	int err = sequence ? map_area(generator->pages * GENERATOR_PAGE, &area) : -ENOMEM;

	if (!err)
		err = start_recording();
	if (err) {
		free(sequence);
		return err;
	}
	begun_ns = clock_ns(CLOCK_MONOTONIC);
	do {
		uint64_t end = done + BATCH;

		end = generator->accesses && generator->accesses < end ? generator->accesses : end;
		for (; done < end; done++) {
			/* The sum is 0, which compilers do not know, so that the address depends on the value loaded before.
			 * Lines and words of a page take turns. */
			uint64_t index = sequence[at] * WORDS + (done * 9 + (uint64_t)sum) % WORDS;
			volatile double *word = &area[index];

			at = at + 1 < count ? at + 1 : 0;
			if (done & 1)
				*word = sum;
			else if (done & 2)
				sum += load_element(area, index);
			else
				sum += *word;
		}
		now_ns = clock_ns(CLOCK_MONOTONIC);
	} while (generator->accesses ? done < generator->accesses : now_ns - begun_ns < generator->time_ns);
	*generated = (struct generated){(uint64_t)(uintptr_t)area, done, now_ns - begun_ns};
	free(sequence);
	return 0;
}
