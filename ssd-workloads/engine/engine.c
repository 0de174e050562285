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

#include "common/base/clock.h"
#include "common/base/diag.h"
#include "common/base/interrupt.h"
#include "common/base/units.h"
#include "ssd-workloads/engine/simulate.h"

#define START_NS 20000000u   /* delay of the first write, in which threads are created */
#define SLICE_NS (uint64_t)CONTENTION_SAMPLE_NS /* maximum delay until a failed worker is noticed */
#define TRIAL_ROW_NS 20000000u /* length of an interval of a trial */

/* --- during the run --- */

struct run {
	const struct engine_setup *setup;
	struct engine_result *result;
	struct engine_threads threads;
	struct engine_times times;
	size_t sample_capacity;
	double cpu_ns;             /* of the process when the measurement began, NAN before */
	double process_begin_ns, own_begin_ns; /* CPU time of the process and of this thread, before the workers exist */
};

static void take_sample(struct run *run, uint64_t now_ns)
{
	const struct storage *storage = run->setup->storage, *second = run->setup->second_storage;
	struct engine_result *result = run->result;

	if (second)
		counters_read("", second->stat_path, now_ns, &result->second_samples[result->sample_count > 0]);
	if (result->sample_count < run->sample_capacity)
		counters_read("", storage ? storage->stat_path : "", now_ns, &result->samples[result->sample_count++]);
}

/* Samples are taken at the begin of the measurement, after each interval, and at the end. */
static uint64_t next_sample(const struct run *run)
{
	size_t count = run->result->sample_count;
	uint64_t next = run->times.measure_ns + count * run->setup->interval_ns;

	if (!count)
		return run->times.measure_ns;
	return run->setup->interval_ns && next < run->times.until_ns ? next : run->times.until_ns;
}

static bool is_changed(struct run *run)
{
	const struct engine_setup *setup = run->setup;
	bool is_found = false;

	for (size_t i = 0; i < setup->place_count; i++) {
		if (target_is_changed(&setup->places[i].target, &setup->marks[i], false, run->result->changed[i]))
			is_found = true;
	}
	return is_found;
}

static void watch(struct run *run)
{
	struct pollfd signal = {.fd = run->setup->stop ? interrupt_fd() : -1, .events = POLLIN};
	uint64_t now_ns = clock_ns(CLOCK_MONOTONIC), next = next_sample(run);

	while (now_ns < run->times.until_ns && !engine_threads_is_stopped(&run->threads)) {
		uint64_t left = next > now_ns ? next - now_ns : 0;
		const struct timespec time = {.tv_nsec = (long)(left < SLICE_NS ? left : SLICE_NS)};

		contention_rest(&run->result->stops);
		(void)ppoll(&signal, 1, &time, NULL);
		contention_wake(&run->result->stops, (uint64_t)time.tv_nsec);
		if (engine_is_stopped(run->setup) || is_changed(run))
			engine_threads_stop(&run->threads);
		now_ns = clock_ns(CLOCK_MONOTONIC);
		if (now_ns < next || now_ns >= run->times.until_ns)
			continue;
		if (!run->result->sample_count)
			run->cpu_ns = (double)clock_ns(CLOCK_PROCESS_CPUTIME_ID);
		take_sample(run, now_ns);
		next = next_sample(run);
	}
}

/* --- results --- */

static void decide_steady(struct engine_stream *stream, const struct engine_times *times, uint64_t end_ns)
{
	const struct counts *counts = stream->counts;
	uint64_t last = end_ns < times->until_ns ? end_ns : times->until_ns, whole;
	double *values;

	latency_steady_last(NULL, 0, &stream->steady);
	if (!counts->row_count || last <= times->measure_ns)
		return;
	whole = (last - times->measure_ns) / counts->interval_ns;
	whole = whole < counts->row_count ? whole : counts->row_count;
	values = calloc(whole + 1, sizeof(*values));
	if (!values)
		return;
	for (uint64_t i = 0; i < whole; i++)
		values[i] = (double)counts->rows[i].operations * (double)UNITS_NS_PER_SEC / (double)counts->interval_ns;
	latency_steady_last(values, whole, &stream->steady);
	free(values);
}

static int sum_up(const struct engine_threads *threads, const struct engine_times *times, struct engine_result *result)
{
	for (int which = 0; which < MIX_STREAMS; which++) {
		struct engine_stream *stream = &result->streams[which];
		/* A stream's time includes idle time at the end. */
		uint64_t end_ns = engine_threads_is_stopped(threads) ? times->measure_ns : times->until_ns, rows = 0;

		stream->is_run = threads->setup->workload->streams[which].depth > 0;
		for (size_t i = 0; i < threads->count; i++) {
			if (threads->list[i].worker.stream_id == which)
				rows = threads->list[i].worker.counts->row_count;
		}
		stream->counts = counts_new(rows);
		if (!stream->counts)
			return -ENOMEM;
		for (size_t i = 0; i < threads->count; i++) {
			const struct worker *worker = &threads->list[i].worker;

			if (worker->stream_id != which)
				continue;
			counts_merge(stream->counts, worker->counts);
			stream->cpu_ns += (double)worker->cpu_ns;
			end_ns = worker->ended_ns > end_ns ? worker->ended_ns : end_ns;
		}
		/* Virtual time consumes no CPU time. */
		if (threads->setup->device)
			stream->cpu_ns = NAN;
		stream->seconds = (double)(end_ns - times->measure_ns) / (double)UNITS_NS_PER_SEC;
		decide_steady(stream, times, end_ns);
		result->end_ns = end_ns > result->end_ns ? end_ns : result->end_ns;
	}
	return 0;
}

static int first_error(const struct engine_threads *threads)
{
	for (size_t i = 0; i < threads->count; i++) {
		if (threads->list[i].worker.error)
			return threads->list[i].worker.error;
	}
	return 0;
}

static int collect(struct run *run)
{
	struct engine_threads *threads = &run->threads;
	struct engine_result *result = run->result;
	double measured, whole, rest;
	int rc;

	result->begin_ns = result->end_ns = run->times.measure_ns;
	result->interval_ns = run->setup->interval_ns;
	result->workers = calloc(threads->count, sizeof(*result->workers));
	rc = result->workers ? sum_up(threads, &run->times, result) : -ENOMEM;
	if (rc) {
		diag_error(rc, "cannot sum up the results");
		return DIAG_EXIT_HOST;
	}
	result->error = first_error(threads);
	result->is_interrupted = engine_is_stopped(run->setup);
	/* Contention includes warm-up and trials, whose workers run on the same CPUs. */
	result->is_disturbed = contention_find(&threads->list[0].contention, sizeof(threads->list[0]), threads->count,
		&result->contention);
	snprintf(result->features, sizeof(result->features), "%s", run->setup->backend->features(threads->list[0].state));
	if (run->setup->device && simulate_take(run->setup, result)) {
		diag_error(ENOMEM, "cannot sum up the results");
		return DIAG_EXIT_HOST;
	}
	result->control = threads->control;
	result->control.device = NULL;
	rest = (double)clock_ns(CLOCK_PROCESS_CPUTIME_ID) - run->process_begin_ns;
	rest -= (double)clock_ns(CLOCK_THREAD_CPUTIME_ID) - run->own_begin_ns;
	for (size_t i = 0; i < threads->count; i++) {
		struct engine_thread *thread = &threads->list[i];
		const struct worker *worker = &thread->worker;
		uint64_t end_ns = worker->until_ns < worker->ended_ns ? worker->until_ns : worker->ended_ns;
		uint64_t due_ns = worker->turn_ns ? worker->turn_ns + worker->every_ns : worker->pace.den ? worker->pace.due_ns : 0;

		rest -= (double)worker->cpu_whole_ns;
		result->workers[result->worker_count++] = (struct engine_worker){
			.stream = worker->stream_id,
			.worker = worker->worker_id,
			.first_sequence = thread->first_sequence,
			.first_due_ns = thread->first_due_ns,
			.period_num = thread->period_num,
			.period_den = worker->pace.den,
			.late_ns = due_ns && due_ns < end_ns ? end_ns - due_ns : 0,
			.ring = thread->ring,
		};
		for (unsigned k = 0; k < STRIPE_TARGETS; k++) {
			result->workers[i].examined[k] = worker->probes[k].examined;
			result->workers[i].unflushed[k] = worker->probes[k].unflushed;
		}
		/* The result takes over the ring; no records are added any more. */
		result->workers[i].ring.control = NULL;
		thread->ring = (struct ring){.records = NULL};
	}
	/* CPU time is known for the whole run, and the measurement gets its share. Clock errors can make it slightly negative. */
	measured = (double)(result->end_ns - run->times.measure_ns);
	whole = (double)(result->end_ns - run->times.start_ns);
	result->other_cpu_ns = measured > 0 ? fmax(0, rest * measured / whole) : 0;
	if (run->setup->device)
		result->process_cpu_ns = result->other_cpu_ns = NAN;
	return DIAG_EXIT_OK;
}

/* Runs in virtual time, on a new device with its sequences at 0. */
static int run_simulated(const struct engine_setup *asked, struct engine_result *result)
{
	struct engine_position *position = calloc(1, sizeof(*position));
	struct engine_setup setup = *asked;
	struct run run = {.setup = &setup, .result = result};
	int code = position ? simulate_open(&setup) : DIAG_EXIT_HOST;

	memset(result, 0, sizeof(*result));
	setup.position = position;
	if (!code) {
		code = engine_threads_open(&setup, true, &run.threads);
		if (!code) {
			simulate(&run.threads, &run.times);
			code = collect(&run);
			engine_threads_close(&run.threads);
		}
		simulate_close(&setup);
	}
	free(position);
	if (code)
		engine_result_free(result);
	return code;
}

int engine_run(const struct engine_setup *setup, struct engine_result *result)
{
	struct run run = {.setup = setup, .result = result, .cpu_ns = NAN};
	uint64_t rows = setup->interval_ns ? setup->runtime_ns / setup->interval_ns : 0;
	int code;

	if (setup->device)
		return run_simulated(setup, result);
	memset(result, 0, sizeof(*result));
	code = engine_threads_open(setup, true, &run.threads);
	if (code)
		return code;
	run.sample_capacity = (rows < ENGINE_ROWS_MAX ? rows : ENGINE_ROWS_MAX) + 3;
	result->samples = calloc(run.sample_capacity, sizeof(*result->samples));
	if (!result->samples) {
		diag_error(ENOMEM, "cannot start writing");
		code = DIAG_EXIT_HOST;
		goto out;
	}
	run.times.start_ns = clock_ns(CLOCK_MONOTONIC) + START_NS;
	run.times.measure_ns = run.times.start_ns + setup->warmup_ns;
	run.times.until_ns = run.times.measure_ns + setup->runtime_ns;
	run.process_begin_ns = (double)clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	run.own_begin_ns = (double)clock_ns(CLOCK_THREAD_CPUTIME_ID);
	contention_expect_stops();
	contention_begin(&result->stops);
	code = engine_threads_start(&run.threads, &run.times);
	if (code)
		goto out;
	watch(&run);
	engine_threads_join(&run.threads);
	contention_end(&result->stops);
	result->process_cpu_ns = (double)clock_ns(CLOCK_PROCESS_CPUTIME_ID) - run.cpu_ns;
	if (result->sample_count == run.sample_capacity)
		result->sample_count--;
	take_sample(&run, clock_ns(CLOCK_MONOTONIC));
	code = collect(&run);
out:
	engine_threads_close(&run.threads);
	if (code)
		engine_result_free(result);
	return code;
}

int engine_rehearse(const struct engine_setup *setup)
{
	struct engine_threads threads;
	pthread_attr_t attributes;
	size_t stack = 0;
	void *stacks;
	int code = engine_threads_open(setup, true, &threads);

	if (code)
		return code;
	if (!pthread_getattr_default_np(&attributes)) {
		(void)pthread_attr_getstacksize(&attributes, &stack);
		pthread_attr_destroy(&attributes);
	}
	stacks = mmap(NULL, threads.count * stack + 1, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
	if (stacks == MAP_FAILED) {
		diag_error(errno, "cannot create %zu threads", threads.count);
		code = DIAG_EXIT_HOST;
	} else {
		munmap(stacks, threads.count * stack + 1);
	}
	engine_threads_close(&threads);
	return code;
}

void engine_result_free(struct engine_result *result)
{
	for (int i = 0; i < MIX_STREAMS; i++)
		counts_free(result->streams[i].counts);
	for (size_t i = 0; i < result->worker_count; i++)
		ring_close(&result->workers[i].ring);
	free(result->workers);
	free(result->samples);
	engine_devices_free(result->device, result->device_count);
	memset(result, 0, sizeof(*result));
}

/* The other stream's writes in flight were in another device, whose records this dump lacks. */
static void forget_other(struct ring *ring)
{
	for (uint64_t i = 0; ring->records && i < ring_count(ring); i++)
		ring->records[i].inflight_other = 0;
}

void engine_fill_dump(const struct workload *workload, const struct layout *layout, struct engine_result *result, size_t which,
	struct split *const *splits, struct sim_section *section, struct dump *dump)
{
	const struct ring_control *control = &result->control;
	struct sim_device *device = result->device ? result->device[which].device : NULL;
	struct dump_header *head = &dump->head;

	dump_describe(dump, workload, layout);
	snprintf(head->freeze, sizeof(head->freeze), "%s", control->freeze.text);
	head->begin_ns = result->begin_ns;
	head->end_ns = result->end_ns;
	head->post = control->post;
	head->fired_ns = control->fired_ns;
	head->fired_stream = control->fired_stream;
	head->fired_worker = control->fired_worker;
	head->fired_sequence = control->fired_sequence;
	if (device && sim_device_cache(device)->units) {
		sim_device_section(device, section);
		dump->section = section;
		dump->units = sim_device_cache(device)->units;
	}
	for (size_t i = 0; i < result->worker_count && i < DUMP_SEGMENTS; i++) {
		struct engine_worker *worker = &result->workers[i];

		if (!layout->areas[worker->stream].bytes)
			continue;
		if (device && !layout->areas[!worker->stream].bytes)
			forget_other(&worker->ring);
		dump->segments[head->segment_count++] = (struct dump_segment){
			.part = {.stream = worker->stream, .worker = worker->worker, .count = ring_count(&worker->ring),
				.emitted = worker->ring.emitted, .overwritten = ring_overwritten(&worker->ring),
				.dropped = worker->ring.dropped, .first_due_ns = worker->first_due_ns,
				.first_due_sequence = worker->first_sequence, .period_num = worker->period_num,
				.period_den = worker->period_den},
			.records = ring_sort(&worker->ring), .splits = splits ? splits[i] : NULL};
	}
}

int engine_trial(const struct engine_setup *setup, uint64_t ns, struct engine_rate rates[MIX_STREAMS],
	struct engine_failure *failure)
{
	struct engine_setup trial = *setup;
	struct engine_threads threads;
	struct engine_times times;
	int code;

	trial.runtime_ns = ns;
	trial.interval_ns = TRIAL_ROW_NS;
	trial.rate = 0;
	for (int i = 0; i < MIX_STREAMS; i++)
		rates[i] = (struct engine_rate){0, 0};
	code = engine_threads_open(&trial, false, &threads);
	if (code)
		return code;
	times.start_ns = times.measure_ns = clock_ns(CLOCK_MONOTONIC) + START_NS;
	times.until_ns = times.start_ns + ns;
	code = engine_threads_start(&threads, &times);
	if (!code)
		engine_threads_join(&threads);
	*failure = (struct engine_failure){.error = code ? 0 : first_error(&threads)};
	for (size_t i = 0; i < threads.count && !code; i++) {
		const struct worker *worker = &threads.list[i].worker;
		const struct counts *counts = worker->counts;
		const struct latency *service = &counts->latencies[COUNTS_SERVICE];
		struct engine_rate *rate = &rates[worker->stream_id];
		uint64_t most = 0;

		/* The last row contains completions after the end. */
		for (uint64_t row = 0; row + 1 < counts->row_count; row++)
			most = counts->rows[row].operations > most ? counts->rows[row].operations : most;
		rate->peak = fmax(rate->peak, (double)most * (double)UNITS_NS_PER_SEC / (double)counts->interval_ns);
		if (service->count && service->min_ns)
			rate->ceiling = fmax(rate->ceiling, worker->depth * (double)UNITS_NS_PER_SEC / (double)service->min_ns);
		counts_merge_errors(failure->errors, counts->errors);
	}
	engine_threads_close(&threads);
	return code;
}
