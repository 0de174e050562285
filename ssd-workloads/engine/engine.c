/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "ssd-workloads/engine/engine.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "common/clock.h"
#include "common/diag.h"
#include "common/interrupt.h"
#include "common/units.h"
#include "ssd-workloads/engine/crew.h"

#define START_NS 20000000u   /* threads are made and wait until then */
#define SLICE_NS (uint64_t)CONTENTION_SAMPLE_NS /* a worker that has failed is noticed so soon */
#define TRIAL_ROW_NS 20000000u /* rates of a trial are of so long */

/* --- while it runs --- */

struct watch {
	const struct engine_setup *setup;
	struct crew *crew;
	struct crew_times times;
	struct counters *samples;
	size_t count, room;
	char changed[MIX_STREAMS][TARGET_CHANGE];
	double cpu_ns;             /* of the process when the measurement began, NAN before */
	double process_begin_ns, own_begin_ns; /* processor time of the process and of this thread, before there were workers */
};

static void take_sample(struct watch *watch, uint64_t now_ns)
{
	if (watch->count < watch->room)
		counters_read("", watch->setup->storage ? watch->setup->storage->stat_path : "", now_ns, &watch->samples[watch->count++]);
}

/* Edges are at the measurement's begin and each interval after it; the last sample is at its end, whenever that is. */
static uint64_t next_edge(const struct watch *watch)
{
	uint64_t edge = watch->times.measure_ns + watch->count * watch->setup->interval_ns;

	if (!watch->count)
		return watch->times.measure_ns;
	return watch->setup->interval_ns && edge < watch->times.until_ns ? edge : watch->times.until_ns;
}

static void wait_until(const struct engine_setup *setup, uint64_t now_ns, uint64_t ns)
{
	uint64_t left = ns > now_ns ? ns - now_ns : 0;
	struct pollfd signal = {.fd = setup->stop ? interrupt_fd() : -1, .events = POLLIN};
	struct timespec time;

	left = left < SLICE_NS ? left : SLICE_NS;
	time = (struct timespec){.tv_nsec = (long)left};
	(void)ppoll(&signal, 1, &time, NULL);
}

static bool is_told(const struct engine_setup *setup)
{
	return setup->stop && __atomic_load_n(setup->stop, __ATOMIC_RELAXED);
}

static bool is_changed(struct watch *watch)
{
	const struct engine_setup *setup = watch->setup;
	bool is_found = false;

	for (int i = 0; i < MIX_STREAMS; i++) {
		/* Mostly both are one. */
		if (i && setup->marks[i] == setup->marks[0])
			break;
		if (target_is_changed(&setup->places[i]->target, setup->marks[i], false, watch->changed[i]))
			is_found = true;
	}
	return is_found;
}

static void watch_run(struct watch *watch, struct contention_stops *stops)
{
	uint64_t now_ns = clock_ns(CLOCK_MONOTONIC), edge = next_edge(watch);

	while (now_ns < watch->times.until_ns && !crew_is_stopped(watch->crew)) {
		wait_until(watch->setup, now_ns, edge);
		contention_sample(stops, false);
		if (is_told(watch->setup) || is_changed(watch))
			crew_stop(watch->crew);
		now_ns = clock_ns(CLOCK_MONOTONIC);
		if (now_ns < edge || now_ns >= watch->times.until_ns)
			continue;
		if (!watch->count)
			watch->cpu_ns = (double)clock_ns(CLOCK_PROCESS_CPUTIME_ID);
		take_sample(watch, now_ns);
		edge = next_edge(watch);
	}
}

/* --- what came out of it --- */

static void keep_worker(struct crew_member *member, struct engine_worker *kept)
{
	const struct worker_pace *pace = &member->worker.pace;
	uint64_t end_ns = member->worker.until_ns < member->worker.ended_ns ? member->worker.until_ns : member->worker.ended_ns;

	*kept = (struct engine_worker){
		.stream = member->worker.stream_id,
		.worker = member->worker.worker_id,
		.first_sequence = member->first_sequence,
		.first_due_ns = member->first_due_ns,
		.period_num = member->period_num,
		.period_den = pace->den,
		.late_ns = pace->den && pace->due_ns < end_ns ? end_ns - pace->due_ns : 0,
		.ring = member->ring,
	};
	/* The ring is the result's from now on, and nobody adds to it. */
	kept->ring.control = NULL;
	member->ring = (struct ring){.records = NULL};
}

static void judge_steady(struct engine_stream *stream, const struct crew_times *times, uint64_t end_ns)
{
	const struct tally *tally = stream->tally;
	uint64_t last = end_ns < times->until_ns ? end_ns : times->until_ns, whole;
	double *values;

	steady_judge(NULL, 0, &stream->steady);
	if (!tally->row_count || last <= times->measure_ns)
		return;
	whole = (last - times->measure_ns) / tally->interval_ns;
	whole = whole < tally->row_count ? whole : tally->row_count;
	values = calloc(whole + 1, sizeof(*values));
	if (!values)
		return;
	for (uint64_t i = 0; i < whole; i++)
		values[i] = (double)tally->rows[i].operations * (double)UNITS_NS_PER_SEC / (double)tally->interval_ns;
	steady_judge(values, whole, &stream->steady);
	free(values);
}

static int sum_up(struct crew *crew, const struct crew_times *times, struct engine_result *result)
{
	for (int which = 0; which < MIX_STREAMS; which++) {
		struct engine_stream *stream = &result->streams[which];
		/* What writes seldom is idle at the end, which belongs to its time. */
		uint64_t end_ns = crew_is_stopped(crew) ? times->measure_ns : times->until_ns, rows = 0;

		stream->is_run = crew->setup->workload->streams[which].depth > 0;
		for (size_t i = 0; i < crew->count; i++) {
			if (crew->members[i].worker.stream_id == which)
				rows = crew->members[i].worker.tally->row_count;
		}
		stream->tally = total_new(rows);
		if (!stream->tally)
			return -ENOMEM;
		for (size_t i = 0; i < crew->count; i++) {
			const struct worker *worker = &crew->members[i].worker;

			if (worker->stream_id != which)
				continue;
			total_add(stream->tally, worker->tally);
			stream->cpu_ns += (double)worker->cpu_ns;
			end_ns = worker->ended_ns > end_ns ? worker->ended_ns : end_ns;
		}
		stream->seconds = (double)(end_ns - times->measure_ns) / (double)UNITS_NS_PER_SEC;
		judge_steady(stream, times, end_ns);
		result->end_ns = end_ns > result->end_ns ? end_ns : result->end_ns;
	}
	return 0;
}

/* The part of the measurement in what is known of the whole time; a little less than nothing is an error of clocks. */
static double other_cpu(const struct watch *watch, uint64_t end_ns)
{
	double rest = (double)clock_ns(CLOCK_PROCESS_CPUTIME_ID) - watch->process_begin_ns;
	double measured = (double)(end_ns - watch->times.measure_ns), whole = (double)(end_ns - watch->times.start_ns);

	rest -= (double)clock_ns(CLOCK_THREAD_CPUTIME_ID) - watch->own_begin_ns;
	for (size_t i = 0; i < watch->crew->count; i++)
		rest -= (double)watch->crew->members[i].worker.cpu_whole_ns;
	return end_ns > watch->times.measure_ns ? fmax(0, rest * measured / whole) : 0;
}

static int first_error(const struct crew *crew)
{
	for (size_t i = 0; i < crew->count; i++) {
		if (crew->members[i].worker.error)
			return crew->members[i].worker.error;
	}
	return 0;
}

/* Warm-up and trials are no measurement, but their workers run on the same CPUs. */
static void take_contention(const struct crew *crew, struct engine_result *result)
{
	result->is_disturbed = contention_find(&crew->members[0].contention, sizeof(crew->members[0]), crew->count,
		&result->contention);
}

static int collect(struct watch *watch, struct engine_result *result)
{
	struct crew *crew = watch->crew;
	int rc;

	result->begin_ns = result->end_ns = watch->times.measure_ns;
	result->interval_ns = watch->setup->interval_ns;
	result->workers = calloc(crew->count, sizeof(*result->workers));
	rc = result->workers ? sum_up(crew, &watch->times, result) : -ENOMEM;
	if (rc) {
		diag_error(rc, "cannot sum up what was measured");
		return DIAG_EXIT_HOST;
	}
	result->other_cpu_ns = other_cpu(watch, result->end_ns);
	result->error = first_error(crew);
	take_contention(crew, result);
	result->is_interrupted = is_told(watch->setup);
	memcpy(result->changed, watch->changed, sizeof(result->changed));
	result->samples = watch->samples;
	result->sample_count = watch->count;
	watch->samples = NULL;
	snprintf(result->features, sizeof(result->features), "%s",
		crew->setup->backend->features(crew->members[0].state));
	result->control = crew->control;
	for (size_t i = 0; i < crew->count; i++)
		keep_worker(&crew->members[i], &result->workers[result->worker_count++]);
	return DIAG_EXIT_OK;
}

static size_t sample_room(const struct engine_setup *setup)
{
	uint64_t count = setup->interval_ns ? setup->runtime_ns / setup->interval_ns : 0;

	return (count < ENGINE_ROWS_MAX ? count : ENGINE_ROWS_MAX) + 3;
}

static int run_crew(struct watch *watch, struct engine_result *result)
{
	int code;

	watch->room = sample_room(watch->setup);
	watch->samples = calloc(watch->room, sizeof(*watch->samples));
	if (!watch->samples) {
		diag_error(ENOMEM, "cannot begin to write");
		return DIAG_EXIT_HOST;
	}
	watch->times.start_ns = clock_ns(CLOCK_MONOTONIC) + START_NS;
	watch->times.measure_ns = watch->times.start_ns + watch->setup->warmup_ns;
	watch->times.until_ns = watch->times.measure_ns + watch->setup->runtime_ns;
	watch->process_begin_ns = (double)clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	watch->own_begin_ns = (double)clock_ns(CLOCK_THREAD_CPUTIME_ID);
	contention_expect_stops();
	contention_begin(&result->stops);
	code = crew_start(watch->crew, &watch->times);
	if (!code) {
		watch_run(watch, &result->stops);
		crew_join(watch->crew);
		contention_end(&result->stops);
		result->process_cpu_ns = (double)clock_ns(CLOCK_PROCESS_CPUTIME_ID) - watch->cpu_ns;
		if (watch->count == watch->room)
			watch->count--;
		take_sample(watch, clock_ns(CLOCK_MONOTONIC));
		code = collect(watch, result);
	}
	free(watch->samples);
	return code;
}

int engine_rehearse(const struct engine_setup *setup)
{
	struct crew crew;
	pthread_attr_t attributes;
	size_t stack = 0;
	void *stacks;
	int code = crew_open(setup, true, &crew);

	if (code)
		return code;
	if (!pthread_getattr_default_np(&attributes)) {
		(void)pthread_attr_getstacksize(&attributes, &stack);
		pthread_attr_destroy(&attributes);
	}
	stacks = mmap(NULL, crew.count * stack + 1, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
	if (stacks == MAP_FAILED) {
		diag_error(errno, "cannot start %zu threads", crew.count);
		code = DIAG_EXIT_HOST;
	} else {
		munmap(stacks, crew.count * stack + 1);
	}
	crew_close(&crew);
	return code;
}

int engine_run(const struct engine_setup *setup, struct engine_result *result)
{
	struct crew crew;
	struct watch watch = {.setup = setup, .crew = &crew, .cpu_ns = NAN};
	int code;

	memset(result, 0, sizeof(*result));
	code = crew_open(setup, true, &crew);
	if (code)
		return code;
	code = run_crew(&watch, result);
	crew_close(&crew);
	if (code)
		engine_result_free(result);
	return code;
}

void engine_result_free(struct engine_result *result)
{
	for (int i = 0; i < MIX_STREAMS; i++)
		total_free(result->streams[i].tally);
	for (size_t i = 0; i < result->worker_count; i++)
		ring_close(&result->workers[i].ring);
	free(result->workers);
	free(result->samples);
	memset(result, 0, sizeof(*result));
}

/* The last row is of what was completed after the end. */
static void raise_rate(const struct worker *worker, struct engine_rate *rate)
{
	const struct tally *tally = worker->tally;
	const struct tally_latency *service = &tally->latencies[TALLY_SERVICE];
	uint64_t most = 0;

	for (uint64_t i = 0; i + 1 < tally->row_count; i++)
		most = tally->rows[i].operations > most ? tally->rows[i].operations : most;
	rate->peak = fmax(rate->peak, (double)most * (double)UNITS_NS_PER_SEC / (double)tally->interval_ns);
	if (service->count && service->min_ns)
		rate->ceiling = fmax(rate->ceiling, worker->depth * (double)UNITS_NS_PER_SEC / (double)service->min_ns);
}

int engine_trial(const struct engine_setup *setup, uint64_t ns, struct engine_rate rates[MIX_STREAMS],
	struct engine_failure *failure)
{
	struct engine_setup trial = *setup;
	struct crew crew;
	struct crew_times times;
	int code;

	trial.runtime_ns = ns;
	trial.interval_ns = TRIAL_ROW_NS;
	trial.rate = 0;
	for (int i = 0; i < MIX_STREAMS; i++)
		rates[i] = (struct engine_rate){0, 0};
	code = crew_open(&trial, false, &crew);
	if (code)
		return code;
	times.start_ns = times.measure_ns = clock_ns(CLOCK_MONOTONIC) + START_NS;
	times.until_ns = times.start_ns + ns;
	code = crew_start(&crew, &times);
	if (!code)
		crew_join(&crew);
	*failure = (struct engine_failure){.error = code ? 0 : first_error(&crew)};
	for (size_t i = 0; i < crew.count && !code; i++) {
		const struct worker *worker = &crew.members[i].worker;

		raise_rate(worker, &rates[worker->stream_id]);
		total_add_errors(failure->errors, worker->tally->errors);
	}
	crew_close(&crew);
	return code;
}

void engine_moments(const struct tally_latency *latency, struct histogram_moments *moments)
{
	*moments = (struct histogram_moments){latency->count, latency->sum_ns, latency->sum_squares_ns2,
		(double)latency->min_ns, (double)latency->max_ns};
}
