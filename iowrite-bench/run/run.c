/* SPDX-License-Identifier: GPL-3.0-or-later */
/* iowrite-bench run: measures. */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "common/diag.h"
#include "common/interrupt.h"
#include "common/progress.h"
#include "iowrite-bench/commands.h"
#include "iowrite-bench/memory.h"
#include "iowrite-bench/measure.h"
#include "iowrite-bench/run/result.h"
#include "iowrite-bench/run/plan.h"

#define DESCRIPTORS 16     /* that a run opens */
#define DESCRIPTORS_EACH 4 /* and each of its threads: the file, a ring */

/* --- before anything is measured --- */

static int check_paths(const struct run_options *options)
{
	/* What is written in a folder has no name. */
	const struct frame_file files[] = {{"-f", options->xml_path}, {"--json", options->json_path},
		{"--ops-csv", options->csv_path}, {"--filename", options->is_folder ? NULL : options->path}};
	size_t count = sizeof(files) / sizeof(files[0]), outputs = count - 1; /* the last one is the target */
	int code = frame_check_apart(files, count);

	for (size_t i = 0; i < outputs && !code; i++)
		code = frame_check_output(files[i].option, files[i].path);
	return code;
}

struct targets {
	size_t count;
	struct target *list;
};

static void close_targets(struct targets *targets)
{
	while (targets->count)
		target_close(&targets->list[--targets->count]);
	free(targets->list);
	targets->list = NULL;
}

/* The first is asked for the room of all; of a folder each thread gets files of its own. */
static int open_targets(const struct run_plan *plan, struct targets *targets)
{
	struct target_request request = {
		.path = plan->options->path,
		.needs_folder = plan->options->is_folder,
		.bytes = plan->bytes,
		.destroy_data = plan->options->destroy_data,
	};
	size_t count = (size_t)plan->options->threads * plan->options->files;
	int code = DIAG_EXIT_OK;

	targets->list = calloc(count, sizeof(*targets->list));
	if (!targets->list)
		return diag_host(ENOMEM, "cannot open the target");
	for (size_t i = 0; i < count && !code; i++) {
		code = target_open(&request, &targets->list[i]);
		if (!code)
			targets->count++;
		if (!code && targets->list[0].kind != TARGET_NAMELESS)
			break;
	}
	return code;
}

static int read_calibration(const struct run_options *options, struct system *system)
{
	system_init(system);
	return options->system_path ? system_read(options->system_path, system) : DIAG_EXIT_OK;
}

/* --- measuring --- */

/* What is called disturbed is not "ok". */
static void decide_disturbed(struct frame *frame, const struct run_measured *measured)
{
	const struct validity *validity = &measured->validity;
	char text[256];

	if (measured->is_disturbed) {
		contention_text(&measured->contention, text, sizeof(text));
		frame_reason(frame, "contention", "%s: %s", measured->cell->id, text);
	}
	for (size_t i = 0; i < validity->count; i++) {
		const struct validity_reason *reason = &validity->reasons[i];

		if (reason->is_measured)
			frame_reason(frame, reason->code,
				"%s: %s", measured->cell->id, reason->text);
	}
}

static void decide(struct run_result *result)
{
	struct frame *frame = result->frame;

	frame->signature.is_interrupted = result->is_interrupted;
	for (size_t i = 0; i < result->cell_count; i++) {
		const struct run_measured *measured = &result->cells[i];

		if (measured->failure[0])
			frame_reason(frame, "failed-cells", "%s: %s", measured->cell->id, measured->failure);
		else if (!measured->tally.operations && !result->is_interrupted)
			frame_reason(frame, "no-samples", "%s: not one write was measured", measured->cell->id);
		if (!measured->failure[0])
			frame_decide_durability(frame, &frame->durability, measured->cell->id, &result->cells[i].durability);
		validity_distrust(frame, measured->cell->id, measured->tally.bytes, measured->unbacked_bytes);
		frame_decide_stops(frame, &measured->stops, measured->cell->id);
		decide_disturbed(frame, measured);
	}
	if (result->series.lacks_memory)
		frame_reason(frame, "short-series", "there was no memory for all intervals of the series");
	run_result_decide(result);
}

static int publish(struct run_result *result)
{
	int code;

	decide(result);
	if (run_options_print_text(result->plan->options))
		run_text(stdout, result);
	code = run_report(result);
	return code ? code : run_result_code(result);
}

static int measure_plan(const struct run_plan *plan, const struct targets *targets, const struct system *system,
	struct frame *frame)
{
	const struct execute_request request = {plan, targets->list, targets->count,
		plan->options->system_path ? system : NULL};
	struct run_result result;
	int code, rc = run_result_init(&result, plan, frame);

	if (rc)
		return diag_host(rc, "cannot begin to measure");
	code = execute(&request, &result);
	if (!code)
		code = publish(&result);
	run_result_free(&result);
	return code;
}

static int with_frame(const struct run_plan *plan, const struct targets *targets, const struct system *system)
{
	const struct run_options *options = plan->options;
	struct frame *frame = malloc(sizeof(*frame));
	int code;

	if (!frame)
		return diag_host(ENOMEM, "cannot begin to measure");
	code = frame_start(frame, "iowrite-bench", options->argc, options->argv, &targets->list[0]);
	if (!code) {
		frame->signature.options = options->line.effective;
		frame->signature.option_count = options->line.effective_count;
		frame->signature.labels = options->labels.list;
		frame->signature.label_count = options->labels.count;
		code = measure_plan(plan, targets, system, frame);
	}
	free(frame);
	return code;
}

static int with_targets(struct run_plan *plan, const struct system *system)
{
	struct targets targets = {0};
	int code = open_targets(plan, &targets);

	if (plan->options->memory == MODEL_WARM)
		plan->memory_bytes = memory_available();
	if (!code)
		code = run_plan_fit(plan, &targets.list[0]);
	if (!code)
		code = target_check_descriptors(plan->options->path, DESCRIPTORS + DESCRIPTORS_EACH * plan->options->threads);
	if (!code && plan->options->is_dry_run)
		run_plan_print(plan, &targets.list[0]);
	else if (!code)
		code = with_frame(plan, &targets, system);
	close_targets(&targets);
	return code;
}

static int with_plan(const struct run_options *options, const struct system *system)
{
	struct run_plan plan;
	int code = run_plan_make(options, &plan);

	if (code)
		return code;
	code = with_targets(&plan, system);
	run_plan_free(&plan);
	return code;
}

static int with_options(const struct run_options *options)
{
	struct system *system;
	int code = check_paths(options);

	if (code)
		return code;
	system = calloc(1, sizeof(*system)); /* too large for a frame */
	if (!system)
		return diag_host(ENOMEM, "cannot begin");
	code = read_calibration(options, system);
	if (!code) {
		code = with_plan(options, system);
		system_free(system);
	}
	free(system);
	return code;
}

static int run(const struct command *command, int argc, char **argv)
{
	struct run_options *options = malloc(sizeof(*options));
	int rc, code = DIAG_EXIT_HOST;

	contention_expect_stops();
	rc = options ? interrupt_install() : -ENOMEM;
	if (rc) {
		diag_error(rc, "cannot begin");
	} else {
		code = run_options_parse(command, argc, argv, options);
		if (!code) {
			code = with_options(options);
			run_options_free(options);
		}
	}
	free(options);
	return code;
}

const struct command command_run = {
	.program = &iowrite_program,
	.name = "run",
	.summary = "measure each write, by every combination of the lists given",
	.doc = "Measure what each write to a file costs, for every combination of method, mode, sync, file state, order "
	       "and size in the lists, in interleaved rounds.",
	.examples = "  iowrite-bench run --bs=4k,64k --mode=buffered,direct,sync\n"
		    "  iowrite-bench run --sync-each=fsync,fdatasync,rwf-dsync --method=pwritev2\n"
		    "  iowrite-bench run --preset=etcd-wal --directory=/var/lib/etcd -f etcd.xml\n",
	.notes = "Sizes are bytes, or 4k, 1m; times are seconds, or 20ms. Nothing is left behind. "
		 "See iowrite-bench(1).",
	.options = run_option_table,
	.relations = run_option_relations,
	.add = run_options_add,
	.check = run_options_check,
	.run = run,
};

/* --- execute --- */

#define SETTLE_NS 3000000000u /* of each round of each cell: where others write all the time it is never quiet */

struct execution;

/* What one thread has of its own. */
struct worker {
	struct execution *execution;
	struct source source;
	struct tally tally;
	struct measure_stream stream;
	cpu_set_t cpus;
};

struct execution {
	const struct execute_request *request;
	const struct run_plan *plan;
	struct run_result *result;
	struct dirty dirty;
	bool has_dirty, has_csv;
	volatile int stop;
	unsigned thread_count;
	struct worker *workers;
	struct measure_job *jobs;
	struct measurement *measurements;
	struct explain *explains;  /* of each cell */
	struct explain *explain;   /* of the cell that runs; NULL = it is not explained */
	struct ops_csv csv;
	struct progress progress;
	unsigned round;
	size_t cell;               /* that runs */
};

/* --- between windows --- */

static void drain(void *state, const struct measurement *found, const struct record *records, size_t count)
{
	struct worker *worker = state;
	struct execution *execution = worker->execution;

	tally_add(&worker->tally, records, count);
	if (execution->explain)
		explain_add(execution->explain, &found->before, records, count);
	if (execution->has_csv)
		ops_csv_add(&execution->csv, records, count);
}

static size_t refill(void *state, struct op *ops, size_t room)
{
	struct worker *worker = state;

	return source_refill(&worker->source, ops, room);
}

static void woken(void *state)
{
	struct execution *execution = state;

	__atomic_store_n(&execution->stop, 1, __ATOMIC_RELAXED);
}

static void show_progress(struct execution *execution)
{
	const struct run_plan *plan = execution->plan;

	progress_line(&execution->progress, "round %u of %u, %s", execution->round + 1, plan->rounds,
		execution->result->cells[execution->cell].cell->id);
}

static void look(void *state, enum measure_phase phase, uint64_t now_ns)
{
	struct execution *execution = state;
	struct series *series = &execution->result->series;

	if (phase == MEASURE_RUNS)
		series_look(series, now_ns);
	if (phase == MEASURE_ENDS)
		series_end(series, now_ns);
	if (phase != MEASURE_BEGINS)
		return;
	series_begin(series, now_ns);
	for (unsigned i = 0; i < execution->thread_count; i++)
		tally_reset(&execution->workers[i].tally, now_ns, series->interval_ns);
}

/* --- a round of a cell --- */

static void make_job(struct execution *execution, unsigned thread, const struct run_cell *cell)
{
	const struct run_options *options = execution->plan->options;
	const struct execute_request *request = execution->request;
	struct worker *worker = &execution->workers[thread];

	source_init(&worker->source, execution->plan, cell, thread);
	worker->stream = (struct measure_stream){
		.ring = cell->ring,
		.file_bytes = worker->source.begin_bytes + cell->file_bytes,
		.largest_bytes = cell->size.high,
		.total_bytes = execution->plan->size_bytes,
		.begin_bytes = worker->source.begin_bytes,
		.is_repeated = execution->plan->is_repeated,
		.refill = refill,
		.drain = drain,
		.state = worker,
	};
	execution->jobs[thread] = (struct measure_job){
		.target = &request->targets[request->target_count == 1 ? 0 : (size_t)thread * options->files],
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
		.runtime_ns = execution->plan->runtime_ns,
		.cpus = options->cpu_count ? &worker->cpus : NULL,
		.stop = &execution->stop,
	};
}

static void take_round(struct execution *execution, struct run_measured *measured)
{
	struct tally *first = &execution->workers[0].tally;
	struct series *series = &execution->result->series;
	const struct gather_round round = {execution->thread_count, execution->jobs, execution->measurements,
		writer_is_told(&execution->stop)};
	uint64_t end_ns = gather(&round, measured);

	for (unsigned i = 0; i < execution->thread_count; i++)
		tally_merge(&measured->tally, &execution->workers[i].tally);
	for (unsigned i = 1; i < execution->thread_count; i++)
		series->lacks_memory |= tally_merge_rows(first, &execution->workers[i].tally) != 0;
	if (!end_ns || !series->interval_ns)
		return;
	series_join(series, execution->cell, measured->series_s, first, end_ns);
	measured->series_s += (double)(end_ns - series->begin_ns) / 1e9;
}

static void free_tallies(struct execution *execution)
{
	for (unsigned i = 0; i < execution->thread_count; i++)
		tally_free(&execution->workers[i].tally);
}

static int prepare_lanes(struct execution *execution, const struct run_cell *cell)
{
	for (unsigned i = 0; i < execution->thread_count; i++) {
		if (tally_init(&execution->workers[i].tally, cell->sync->sync != NULL))
			return -ENOMEM;
		make_job(execution, i, cell);
	}
	return 0;
}

/* Acknowledged as durable so far. What holds data back itself, as fwrite(3), syncs fewer times than it writes. */
static uint64_t count_syncs(const struct run_measured *measured)
{
	const struct run_cell *cell = measured->cell;
	bool is_each_write = cell->sync->rwf_flags || (cell->mode != OP_BUFFERED && cell->mode != OP_DIRECT);

	if (cell->sync->sync)
		return cell->sync->leaves_cache || !measured->tally.of[TALLY_SYNC] ? 0
										    : measured->tally.of[TALLY_SYNC]->count;
	return is_each_write && !cell->method->flush ? measured->tally.operations : 0;
}

static void check_durability(const struct execution *execution, const struct durability_flushes *before,
	struct run_measured *measured)
{
	struct durability_flushes after;

	durability_flushes("", &execution->result->frame->durability, &after);
	durability_add(before, &after, &measured->durability);
	measured->durability.syncs = count_syncs(measured);
	measured->durability.outstanding = execution->thread_count;
	measured->durability.is_fua_possible = !measured->cell->sync->sync;
}

static int measure_cell(struct execution *execution)
{
	struct durability_flushes before;
	struct run_measured *measured = &execution->result->cells[execution->cell];
	const struct measure_watch watch = {
		.every_ns = execution->result->series.interval_ns,
		.look = look,
		.wake_fd = interrupt_fd(),
		.woken = woken,
		.state = execution,
	};
	int rc = prepare_lanes(execution, measured->cell);

	show_progress(execution);
	execution->explain = explain_can(measured->cell, execution->thread_count, execution->plan->options->files)
				     ? &execution->explains[execution->cell]
				     : NULL;
	durability_flushes("", &execution->result->frame->durability, &before);
	if (!rc)
		rc = measure_together(execution->jobs, execution->thread_count, &watch, execution->measurements);
	if (!rc)
		take_round(execution, measured);
	check_durability(execution, &before, measured);
	free_tallies(execution);
	if (execution->explain)
		explain_end_round(execution->explain);
	if (!measured->failure[0])
		return rc;
	progress_clear(&execution->progress);
	diag_error(0, "%s: %s", measured->cell->id, measured->failure);
	return rc;
}

/* --- all rounds --- */

static int measure_all(struct execution *execution)
{
	size_t count = execution->result->cell_count;
	int rc = 0;

	for (execution->round = 0; execution->round < execution->plan->rounds && !rc; execution->round++) {
		for (size_t i = 0; i < count && !rc && !interrupt_signal(); i++) {
			execution->cell = execution->round % 2 ? count - 1 - i : i;
			if (!execution->result->cells[execution->cell].failure[0])
				rc = measure_cell(execution);
		}
	}
	progress_clear(&execution->progress);
	execution->result->is_interrupted = interrupt_signal() != 0;
	return rc;
}

/* Each thread its CPU in turn; whoever looks on elsewhere, where there is an elsewhere. */
static void place(struct execution *execution)
{
	const struct run_options *options = execution->plan->options;
	cpu_set_t rest;

	if (!options->cpu_count || sched_getaffinity(0, sizeof(rest), &rest))
		return;
	for (unsigned i = 0; i < execution->thread_count; i++) {
		unsigned cpu = options->cpus[i % options->cpu_count];

		CPU_ZERO(&execution->workers[i].cpus);
		CPU_SET(cpu, &execution->workers[i].cpus);
		CPU_CLR(cpu, &rest);
	}
	if (CPU_COUNT(&rest))
		(void)sched_setaffinity(0, sizeof(rest), &rest);
}

static void explain_all(struct execution *execution)
{
	for (size_t i = 0; i < execution->result->cell_count; i++) {
		struct run_measured *measured = &execution->result->cells[i];

		gather_outside(execution->plan, &execution->result->frame->machine, execution->request->system, measured);
		if (measured->cell->mode != OP_BUFFERED || !explain_split(&execution->explains[i], &measured->split))
			continue;
		/* What overwrites is in memory already. */
		measured->is_memory_hidden = measured->cell->regime != OP_OVERWRITE &&
					     validity_hides_memory(&measured->validity, execution->request->system,
						     execution->plan->options->memory);
		measured->has_split = !measured->is_memory_hidden;
	}
}

static int open_csv(struct execution *execution)
{
	const char *path = execution->plan->options->csv_path;
	const struct run_cell *cell = execution->result->cells[0].cell; /* --ops-csv is of one */
	int rc = path ? ops_csv_open(&execution->csv, path, op_mode_name(cell->mode), op_regime_name(cell->regime),
				cell->sync->name, execution->plan->options->files > 1)
		      : 0;

	execution->has_csv = path && !rc;
	return rc ? diag_host(rc, "--ops-csv %s: cannot be written", path) : DIAG_EXIT_OK;
}

static int close_csv(struct execution *execution)
{
	int rc = execution->has_csv ? ops_csv_close(&execution->csv) : 0;

	return rc ? diag_host(rc, "--ops-csv %s: could not be written", execution->plan->options->csv_path) : DIAG_EXIT_OK;
}

static int allocate(struct execution *execution)
{
	size_t count = execution->thread_count;

	execution->workers = calloc(count, sizeof(*execution->workers));
	execution->jobs = calloc(count, sizeof(*execution->jobs));
	execution->measurements = calloc(count, sizeof(*execution->measurements));
	execution->explains = calloc(execution->result->cell_count, sizeof(*execution->explains));
	if (!execution->workers || !execution->jobs || !execution->measurements || !execution->explains)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		execution->workers[i].execution = execution;
	for (size_t i = 0; i < execution->result->cell_count; i++)
		explain_init(&execution->explains[i], execution->request->system, execution->result->cells[i].cell,
			execution->plan->options->memory);
	return series_open(&execution->result->series, execution->has_dirty ? &execution->dirty : NULL,
		&execution->result->frame->storage, execution->plan->options->interval_ns);
}

static int run_cells(struct execution *execution)
{
	int code, rc = allocate(execution);

	if (rc)
		return diag_host(rc, "cannot begin to measure");
	code = open_csv(execution);
	if (code)
		return code;
	place(execution);
	rc = measure_all(execution);
	if (rc)
		diag_error(rc, "cannot create %u threads", execution->thread_count);
	series_sort(&execution->result->series);
	explain_all(execution);
	code = close_csv(execution);
	return rc ? DIAG_EXIT_HOST : code;
}

int execute(const struct execute_request *request, struct run_result *result)
{
	struct execution execution = {
		.request = request,
		.plan = request->plan,
		.result = result,
		.dirty = {.fd = -1},
		.thread_count = request->plan->options->threads,
	};
	int code;

	execution.has_dirty = !dirty_open("", &execution.dirty);
	progress_init(&execution.progress, false);
	code = run_cells(&execution);
	dirty_close(&execution.dirty);
	result->series.dirty = NULL;
	free(execution.workers);
	free(execution.jobs);
	free(execution.measurements);
	free(execution.explains);
	return code;
}
