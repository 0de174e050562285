/* SPDX-License-Identifier: GPL-3.0-or-later */
/* iowrite-bench run: measures. */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "common/base/diag.h"
#include "common/base/interrupt.h"
#include "common/base/progress.h"
#include "common/storage/target_use.h"
#include "iowrite-bench/commands.h"
#include "iowrite-bench/run/result.h"
#include "iowrite-bench/write/memory.h"

#define SETTLE_NS 3000000000u /* limit for each round of a cell: while other programs write it is never quiet */
#define DESCRIPTORS 16     /* that a run opens */
#define DESCRIPTORS_EACH 4 /* and each of its threads: the file, a ring */

/* --- before anything is measured --- */

static int check_paths(const struct iow_run_options *options)
{
	/* Files that are written in a folder have no name. */
	const struct frame_file files[] = {{"-f", options->xml_path}, {"--json", options->json_path},
		{"--ops-csv", options->csv_path}, {"--filename", options->is_folder ? NULL : options->path}};

	return frame_check_apart(files, sizeof(files) / sizeof(files[0]));
}

struct run_writer {
	struct run_execution *execution;
	struct op_source source;
	struct tally tally;
	struct measure_stream stream;
	cpu_set_t cpus;
};

struct run_execution { /* too large for a stack */
	struct iow_run_options options;
	struct system system;          /* of --system */
	struct iow_run_plan plan;
	size_t target_count;
	struct target *targets;        /* one, or the files of each thread one after another */
	struct frame frame;
	struct iow_run_result result;
	struct dirty dirty;
	bool has_dirty, has_csv;
	volatile int stop;
	struct run_writer *workers;        /* one for each thread, as are jobs and measurements */
	struct measure_job *jobs;
	struct measurement *measurements;
	struct explain *explain;       /* of the cell that is measured; NULL = it is not explained */
	struct ops_csv csv;
	struct progress progress;
	unsigned round;
	size_t cell;                   /* that is measured */
	bool has_window;               /* it has begun to write */
};

/* The first target checks the space for all; in a folder each thread gets files of its own. */
static int open_targets(struct run_execution *execution)
{
	const struct iow_run_options *options = &execution->options;
	struct target_request request = {
		.path = options->path,
		.needs_folder = options->is_folder,
		.bytes = execution->plan.bytes,
		.destroy_data = options->destroy_data,
	};
	size_t count = (size_t)options->threads * options->files;
	int code = DIAG_EXIT_OK;

	execution->targets = calloc(count, sizeof(*execution->targets));
	if (!execution->targets)
		return diag_host(ENOMEM, "cannot open the target");
	for (size_t i = 0; i < count && !code; i++) {
		code = target_open(&request, &execution->targets[i]);
		execution->target_count += !code;
		if (!code && execution->targets[0].kind != TARGET_NAMELESS)
			break;
	}
	return code;
}

/* --- between windows --- */

static void drain(void *state, const struct measurement *found, const struct write_record *records, size_t count)
{
	struct run_writer *worker = state;
	struct run_execution *execution = worker->execution;

	tally_add(&worker->tally, records, count);
	if (execution->explain)
		explain_add(execution->explain, &found->before, records, count);
	if (execution->has_csv)
		ops_csv_add(&execution->csv, records, count);
}

static size_t refill(void *state, struct op *ops, size_t capacity)
{
	struct run_writer *worker = state;

	return source_refill(&worker->source, ops, capacity);
}

static void woken(void *state)
{
	struct run_execution *execution = state;

	__atomic_store_n(&execution->stop, 1, __ATOMIC_RELAXED);
}

static void observe(void *state, enum measure_phase phase, uint64_t now_ns)
{
	struct run_execution *execution = state;
	struct write_series *series = &execution->result.series;

	/* Only the first window of the run waits. A signal meanwhile ends it before its first write. */
	if (phase == MEASURE_READY && !execution->frame.signature.start.at_ns &&
		frame_wait(&execution->frame, &execution->options.start, interrupt_fd(), -1))
		woken(execution);
	if (phase == MEASURE_RUNS)
		write_series_sample_edge(series, now_ns);
	if (phase == MEASURE_ENDS)
		write_series_end(series, now_ns);
	if (phase != MEASURE_BEGINS)
		return;
	frame_window_begin(&execution->frame);
	execution->has_window = true;
	write_series_begin(series, now_ns);
	for (unsigned i = 0; i < execution->options.threads; i++)
		tally_reset(&execution->workers[i].tally, now_ns, series->interval_ns);
}

/* --- a round of a cell --- */

static void make_job(struct run_execution *execution, unsigned thread, const struct run_cell *cell)
{
	const struct iow_run_options *options = &execution->options;
	struct run_writer *worker = &execution->workers[thread];

	source_init(&worker->source, &execution->plan, cell, thread);
	worker->stream = (struct measure_stream){
		.ring = cell->ring,
		.file_bytes = worker->source.begin_bytes + cell->file_bytes,
		.largest_bytes = cell->size.high,
		.total_bytes = execution->plan.size_bytes,
		.begin_bytes = worker->source.begin_bytes,
		.is_repeated = execution->plan.is_repeated,
		.refill = refill,
		.drain = drain,
		.state = worker,
	};
	execution->jobs[thread] = (struct measure_job){
		.target = &execution->targets[execution->target_count == 1 ? 0 : (size_t)thread * options->files],
		.file_count = options->files,
		.method = cell->method,
		.sync = cell->sync,
		.sync_every = cell->sync_every,
		.compress_percent = options->compress_percent,
		.dedupe_percent = options->dedupe_percent,
		.mode = cell->mode,
		.regime = cell->regime,
		.stream = &worker->stream,
		.memory = options->memory,
		.buffering = cell->buffer.buffering,
		.buffer_bytes = cell->buffer.bytes,
		.is_sleeping = options->is_sleeping,
		.dirty = execution->has_dirty ? &execution->dirty : NULL,
		.sample_every_ns = execution->has_csv ? options->sample_every_ns : UINT64_MAX,
		.settle_ns = SETTLE_NS,
		.warmup_ns = options->warmup_ns,
		.runtime_ns = execution->plan.runtime_ns,
		.cpus = options->cpu_count ? &worker->cpus : NULL,
		.stop = &execution->stop,
	};
}

static void take_round(struct run_execution *execution, struct run_measured *measured)
{
	unsigned count = execution->options.threads;
	struct tally *first = &execution->workers[0].tally;
	struct write_series *series = &execution->result.series;
	uint64_t end_ns = gather(execution->jobs, execution->measurements, count, writer_is_told(&execution->stop), measured);

	for (unsigned i = 0; i < count; i++)
		tally_merge(&measured->tally, &execution->workers[i].tally);
	for (unsigned i = 1; i < count; i++)
		series->lacks_memory |= tally_merge_rows(first, &execution->workers[i].tally) != 0;
	if (!end_ns || !series->interval_ns)
		return;
	write_series_join(series, execution->cell, measured->series_s, first, end_ns);
	measured->series_s += (double)(end_ns - series->begin_ns) / 1e9;
}

/* Returns whether each write is durable without a sync after it. */
static bool is_each_durable(const struct run_cell *cell)
{
	bool is_durable = cell->sync->rwf_flags || (cell->mode != OP_BUFFERED && cell->mode != OP_DIRECT);

	return !cell->sync->sync && is_durable && !cell->method->flush;
}

static bool is_synced(const struct run_cell *cell)
{
	return cell->sync->sync ? !cell->sync->leaves_cache : is_each_durable(cell);
}

/* Counts operations acknowledged as durable so far: a method that buffers, as fwrite(3), syncs fewer times than it writes. */
static uint64_t count_syncs(const struct run_measured *measured)
{
	const struct run_cell *cell = measured->cell;
	const struct latency *syncs = measured->tally.of[TALLY_SYNC];

	if (cell->sync->sync)
		return cell->sync->leaves_cache || !syncs ? 0 : syncs->count;
	return is_each_durable(cell) ? measured->tally.operations : 0;
}

/* Returns the bytes that the file system may have written for the syncs of a round; only the tally knows their number. */
static uint64_t count_metadata(const struct run_execution *execution, const struct run_cell *cell, const struct tally *round)
{
	const struct latency *syncs = round->of[TALLY_SYNC];
	bool has_times = cell->mode == OP_SYNC || cell->mode == OP_DIRECT_SYNC || cell->sync->is_whole;
	uint64_t count = cell->sync->sync && syncs ? syncs->count : 0;

	if ((cell->mode != OP_BUFFERED && cell->mode != OP_DIRECT) || cell->sync->rwf_flags)
		count = round->operations;
	return count * traffic_metadata(&execution->targets[0], cell->regime == OP_OVERWRITE && !has_times);
}

static int measure_cell(struct run_execution *execution)
{
	const struct durability *durability = &execution->frame.durability;
	unsigned count = execution->options.threads;
	struct run_measured *measured = &execution->result.cells[execution->cell];
	const struct run_cell *cell = measured->cell;
	const struct measure_watch watch = {
		.every_ns = execution->result.series.interval_ns,
		.observe = observe,
		.wake_fd = interrupt_fd(),
		.woken = woken,
		.state = execution,
	};
	struct durability_flushes before, after;
	uint64_t metadata = 0;
	struct durability_counter counter;
	int rc = 0;

	execution->has_window = false;
	for (unsigned i = 0; i < count && !rc; i++) {
		rc = tally_init(&execution->workers[i].tally, cell->sync->sync != NULL);
		make_job(execution, i, cell);
	}
	progress_line(&execution->progress, "round %u of %u, %s", execution->round + 1, execution->plan.rounds, cell->id);
	execution->explain = explain_can(cell, count, execution->options.files) ? &measured->explain : NULL;
	durability_counter_open("", durability, &counter);
	for (unsigned i = 0; i < count && counter.fd >= 0 && is_synced(cell); i++)
		execution->jobs[i].flushes = &counter;
	durability_flushes("", durability, &before);
	if (!rc)
		rc = measure_together(execution->jobs, count, &watch, execution->measurements);
	for (unsigned i = 0; i < count && execution->has_window; i++)
		metadata += count_metadata(execution, cell, &execution->workers[i].tally);
	if (execution->has_window)
		frame_window_end(&execution->frame, cell->id, metadata);
	if (!rc)
		take_round(execution, measured);
	durability_flushes("", durability, &after);
	durability_add(&before, &after, &measured->durability);
	for (unsigned i = 0; i < count && !rc; i++) {
		measured->durability.examined += execution->measurements[i].examined;
		measured->durability.unflushed += execution->measurements[i].unflushed;
	}
	measured->durability.layer = counter.layer;
	durability_counter_close(&counter);
	measured->durability.syncs = count_syncs(measured);
	measured->durability.outstanding = count;
	measured->durability.is_fua_possible = !cell->sync->sync;
	for (unsigned i = 0; i < count; i++)
		tally_free(&execution->workers[i].tally);
	if (execution->explain)
		explain_end_round(execution->explain);
	if (measured->failure[0]) {
		progress_clear(&execution->progress);
		diag_error(0, "%s: %s", cell->id, measured->failure);
	}
	return rc;
}

/* --- all rounds --- */

/* Gives each thread its CPU in turn, and this thread the others if there are any. */
static void place(struct run_execution *execution)
{
	const struct iow_run_options *options = &execution->options;
	cpu_set_t rest;

	if (!options->cpu_count || sched_getaffinity(0, sizeof(rest), &rest))
		return;
	for (unsigned i = 0; i < options->threads; i++) {
		unsigned cpu = options->cpus[i % options->cpu_count];

		CPU_ZERO(&execution->workers[i].cpus);
		CPU_SET(cpu, &execution->workers[i].cpus);
		CPU_CLR(cpu, &rest);
	}
	if (CPU_COUNT(&rest))
		(void)sched_setaffinity(0, sizeof(rest), &rest);
}

static void explain_all(struct run_execution *execution)
{
	const struct system *system = execution->options.system_path ? &execution->system : NULL;

	for (size_t i = 0; i < execution->result.cell_count; i++) {
		struct run_measured *measured = &execution->result.cells[i];

		gather_outside(&execution->plan, &execution->frame.machine, system, measured);
		if (measured->cell->mode != OP_BUFFERED || !explain_split(&measured->explain, &measured->split))
			continue;
		/* Overwritten pages are in memory already. */
		measured->is_memory_hidden = measured->cell->regime != OP_OVERWRITE &&
					     validity_hides_memory(&measured->validity, system, execution->options.memory);
		measured->has_split = !measured->is_memory_hidden;
	}
}

static int prepare(struct run_execution *execution)
{
	const struct iow_run_options *options = &execution->options;
	struct iow_run_result *result = &execution->result;
	int rc = iow_run_result_init(result, &execution->plan, &execution->frame);

	if (rc)
		return rc;
	execution->has_dirty = !dirty_open("", &execution->dirty);
	execution->workers = calloc(options->threads, sizeof(*execution->workers));
	execution->jobs = calloc(options->threads, sizeof(*execution->jobs));
	execution->measurements = calloc(options->threads, sizeof(*execution->measurements));
	if (!execution->workers || !execution->jobs || !execution->measurements)
		return -ENOMEM;
	for (size_t i = 0; i < options->threads; i++)
		execution->workers[i].execution = execution;
	for (size_t i = 0; i < result->cell_count; i++)
		explain_init(&result->cells[i].explain, options->system_path ? &execution->system : NULL, result->cells[i].cell,
			options->memory);
	return write_series_open(&result->series, execution->has_dirty ? &execution->dirty : NULL, &execution->frame.storage,
		options->interval_ns);
}

/* Runs the rounds forward and backward through the cells, so that a drift of the machine affects all of them. Returns
 * DIAG_EXIT_OK when there is a result, whole or partial; each failed cell was reported. */
static int measure_cells(struct run_execution *execution)
{
	const struct iow_run_options *options = &execution->options;
	struct iow_run_result *result = &execution->result;
	const struct run_cell *cell = result->cells[0].cell; /* --ops-csv is of one */
	size_t count = result->cell_count;
	int rc = options->csv_path ? ops_csv_open(&execution->csv, options->csv_path, op_mode_name(cell->mode),
					     op_regime_name(cell->regime), cell->sync->name, options->files > 1)
				   : 0, csv = 0;

	if (rc)
		return diag_host(rc, "--ops-csv %s: cannot be written", options->csv_path);
	execution->has_csv = options->csv_path;
	place(execution);
	for (execution->round = 0; execution->round < execution->plan.rounds && !rc; execution->round++) {
		for (size_t i = 0; i < count && !rc && !interrupt_signal(); i++) {
			execution->cell = execution->round % 2 ? count - 1 - i : i;
			if (!result->cells[execution->cell].failure[0])
				rc = measure_cell(execution);
		}
	}
	progress_clear(&execution->progress);
	result->is_interrupted = interrupt_signal() != 0;
	if (rc)
		diag_error(rc, "cannot create %u threads", options->threads);
	write_series_sort(&result->series);
	explain_all(execution);
	if (execution->has_csv)
		csv = ops_csv_close(&execution->csv);
	if (csv)
		diag_error(csv, "--ops-csv %s: could not be written", options->csv_path);
	return rc || csv ? DIAG_EXIT_HOST : DIAG_EXIT_OK;
}

/* --- the verdict --- */

static void decide(struct iow_run_result *result)
{
	struct frame *frame = result->frame;

	frame->signature.is_interrupted = result->is_interrupted;
	for (size_t i = 0; i < result->cell_count; i++) {
		const struct run_measured *measured = &result->cells[i];
		const char *id = measured->cell->id;

		if (measured->failure[0])
			frame_reason(frame, "failed-cells", "%s: %s", id, measured->failure);
		else if (!measured->tally.operations && !result->is_interrupted)
			frame_reason(frame, "no-samples", "%s: no write was measured", id);
		if (!measured->failure[0])
			frame_decide_durability(frame, &frame->durability, id, &result->cells[i].durability);
		validity_distrust(frame, id, measured->tally.bytes, measured->unbacked_bytes);
		frame_decide_stops(frame, &measured->stops, id);
		if (measured->is_disturbed)
			frame_decide_contention(frame, &measured->contention, id);
		for (size_t k = 0; k < measured->validity.count; k++) {
			const struct validity_reason *reason = &measured->validity.reasons[k];

			if (reason->is_measured)
				frame_reason(frame, reason->code, "%s: %s", id, reason->text);
		}
	}
	frame_decide_limits(frame);
	if (result->series.lacks_memory)
		frame_reason(frame, "short-series", "there was no memory for all intervals of the series");
	iow_run_result_decide(result);
}

static int measure_plan(struct run_execution *execution)
{
	const struct iow_run_options *options = &execution->options;
	struct report_signature *signature = &execution->frame.signature;
	int rc, code = frame_start(&execution->frame, "iowrite-bench", options->argc, options->argv, &execution->targets[0]);

	if (code)
		return code;
	execution->frame.accepts_limits = options->accepts_limits;
	signature->options = options->line.effective;
	signature->option_count = options->line.effective_count;
	signature->labels = options->labels.list;
	signature->label_count = options->labels.count;
	progress_init(&execution->progress, false);
	rc = prepare(execution);
	if (rc)
		return diag_host(rc, "cannot begin to measure");
	code = measure_cells(execution);
	execution->result.series.dirty = NULL;
	if (code)
		return code;
	decide(&execution->result);
	if (iow_run_options_print_text(options))
		iow_run_text(stdout, &execution->result);
	code = iow_run_report(&execution->result);
	return code ? code : iow_run_result_code(&execution->result);
}

static int run(const struct command *command, int argc, char **argv)
{
	struct run_execution *execution = calloc(1, sizeof(*execution));
	struct iow_run_options *options = &execution->options;
	int code, rc = execution ? interrupt_install() : -ENOMEM;

	contention_expect_stops();
	if (rc) {
		free(execution);
		return diag_host(rc, "cannot begin");
	}
	execution->dirty.fd = -1;
	system_init(&execution->system);
	code = iow_run_options_parse(command, argc, argv, options);
	if (!code)
		code = check_paths(options);
	if (!code && options->system_path)
		code = system_read(options->system_path, &execution->system);
	if (!code)
		code = iow_run_plan_make(options, &execution->plan);
	if (!code)
		code = open_targets(execution);
	if (!code && options->memory == MODEL_WARM)
		execution->plan.memory_bytes = memory_available();
	if (!code)
		code = iow_run_plan_fit(&execution->plan, &execution->targets[0]);
	if (!code)
		code = target_check_descriptors(options->path, DESCRIPTORS + DESCRIPTORS_EACH * options->threads);
	if (!code && options->is_dry_run)
		iow_run_plan_print(&execution->plan, &execution->targets[0]);
	else if (!code)
		code = measure_plan(execution);
	iow_run_result_free(&execution->result);
	dirty_close(&execution->dirty);
	free(execution->workers);
	free(execution->jobs);
	free(execution->measurements);
	while (execution->target_count)
		target_close(&execution->targets[--execution->target_count]);
	free(execution->targets);
	iow_run_plan_free(&execution->plan);
	system_free(&execution->system);
	iow_run_options_free(options);
	free(execution);
	return code;
}

const struct command iow_command_run = {
	.program = &iowrite_program,
	.name = "run",
	.summary = "measure each write in every combination of the given lists",
	.doc = "Measure what each write to a file costs, for every combination of method, mode, sync, file state, order "
	       "and size in the lists, in interleaved rounds.",
	.examples = "  iowrite-bench run --bs=4k,64k --mode=buffered,direct,sync\n"
		    "  iowrite-bench run --sync-each=fsync,fdatasync,rwf-dsync --method=pwritev2\n"
		    "  iowrite-bench run --preset=etcd-wal --directory=/var/lib/etcd -f etcd.xml\n",
	.notes = "Sizes are bytes, or 4k, 1m; times are seconds, or 20ms. The run leaves no files behind. "
		 "See iowrite-bench(1).",
	.options = iow_run_option_table,
	.relations = iow_run_option_relations,
	.add = iow_run_options_add,
	.check = iow_run_options_check,
	.run = run,
};
