/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ssd-workloads run: measures. */
#include "config.h"
#include "ssd-workloads/commands.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/diag.h"
#include "common/interrupt.h"
#include "common/trace_instance.h"
#include "common/undo.h"
#include "ssd-workloads/data/witness.h"
#include "ssd-workloads/run/execute.h"
#include "ssd-workloads/run/report.h"
#include "ssd-workloads/run/rings.h"
#include "ssd-workloads/run/text.h"
#include "ssd-workloads/trace/trace.h"

#define DESCRIPTORS 16 /* that a run opens beside those it counts */

/* --- before anything is measured --- */

static int check_paths(const struct run_options *options)
{
	int code = frame_check_output("-f", options->xml_path);

	if (!code)
		code = frame_check_output("--json", options->json_path);
	return code ? code : frame_check_output("--dump", options->dump_path);
}

/* Of each worker, as they are in the run; their buffers, which nobody writes to, are the same. */
static size_t list_setups(const struct run_plan *plan, const struct place *places,
	struct backend_setup setups[MIX_STREAMS * MIX_WORKERS_MAX], size_t *bytes)
{
	const struct run_options *options = plan->options;
	size_t count = 0;

	*bytes = 0;
	for (int i = 0; i < MIX_STREAMS; i++) {
		const struct workload_stream *stream = &plan->workload.streams[i];

		for (unsigned worker = 0; worker < stream->workers; worker++) {
			unsigned slots = workload_depth(stream, worker);
			size_t room = (size_t)slots * stream->block_bytes;
			const struct place *place = &places[plan->place_count > 1 ? i : 0];
			bool is_buffered = options->is_buffered && i == MIX_CHECKPOINT;
			int fd = is_buffered ? place->target.fd : place->direct_fd;

			setups[count++] = (struct backend_setup){.fd = fd, .slots = slots,
				.hint_bytes = is_buffered ? options->hint_bytes : 0, .slot_bytes = stream->block_bytes,
				.is_sqpoll = options->is_sqpoll, .is_iopoll = options->is_iopoll,
				.durability = i == MIX_LOG ? options->durability : BACKEND_NONE,
				.has_syncs = i == MIX_CHECKPOINT && plan->has_pass_syncs};
			*bytes = room > *bytes ? room : *bytes;
		}
	}
	return count;
}

/* Of each stream: no setup knows what the others have. */
static void name_threads(const struct run_plan *plan, struct ladder *ladder)
{
	for (int i = 0; i < MIX_STREAMS; i++) {
		size_t used = strlen(ladder->features);

		if (plan->workload.streams[i].depth)
			snprintf(ladder->features + used, sizeof(ladder->features) - used, " %s-threads:%u",
				mix_stream_name((enum mix_stream)i), plan->workload.streams[i].depth);
	}
}

static int choose_backend(const struct run_plan *plan, const struct place *places, struct ladder *ladder)
{
	struct backend_setup setups[MIX_STREAMS * MIX_WORKERS_MAX];
	size_t bytes, count = list_setups(plan, places, setups, &bytes);
	void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int code;

	if (memory == MAP_FAILED) {
		diag_error(errno, "cannot begin");
		return DIAG_EXIT_HOST;
	}
	for (size_t i = 0; i < count; i++)
		setups[i].buffers = memory;
	code = ladder_choose(setups, count, plan->options->engine, plan->options->require, ladder);
	munmap(memory, bytes);
	if (!code && ladder->ops == &backend_threads)
		name_threads(plan, ladder);
	return code;
}

/* --- measuring --- */

static int publish(struct run_result *result)
{
	int code;

	run_result_judge(result);
	if (run_options_print_text(result->plan->options))
		run_text(stdout, result);
	code = run_report(result);
	return code ? code : run_result_code(result);
}

/* Space for all of them before the first byte of any is changed. */
static int claim_places(const struct run_plan *plan, const struct place_request *requests, struct place *places)
{
	int code = DIAG_EXIT_OK;

	for (size_t i = 0; i < plan->place_count && !code; i++)
		code = place_reserve(&requests[i], &places[i]);
	for (size_t i = 0; i < plan->place_count && code; i++)
		place_release(&places[i]);
	for (size_t i = 0; i < plan->place_count && !code; i++)
		code = place_claim(&requests[i], &places[i]);
	return code;
}

/* Behind everything that can refuse the run. */
static int measure(const struct run_plan *plan, const struct place_request *requests, struct place *places,
	const struct ladder *ladder, struct undo *undo, struct frame *frame)
{
	struct execution *execution;
	struct run_result result;
	int code, rc = run_result_init(&result, plan, frame);

	if (rc) {
		diag_error(rc, "cannot begin to measure");
		return DIAG_EXIT_HOST;
	}
	result.ladder = *ladder;
	code = execute_open(plan, places, &result, &execution);
	if (!code)
		code = claim_places(plan, requests, places);
	if (!code && plan->place_count > 1)
		durability_read("", places[MIX_CHECKPOINT].target.device, &result.checkpoint_layers);
	if (!code)
		code = execute(execution, undo);
	if (!code)
		code = publish(&result);
	execute_close(execution);
	run_result_free(&result);
	return code;
}

static int with_frame(const struct run_plan *plan, const struct place_request *requests, struct place *places,
	const struct ladder *ladder, struct undo *undo)
{
	const struct run_options *options = plan->options;
	struct frame *frame = malloc(sizeof(*frame));
	int code;

	if (!frame) {
		diag_error(ENOMEM, "cannot begin to measure");
		return DIAG_EXIT_HOST;
	}
	code = frame_start(frame, "ssd-workloads", options->argc, options->argv, &places[0].target);
	if (!code) {
		frame->signature.seed = options->seed;
		frame->signature.options = options->line.effective;
		frame->signature.option_count = options->line.effective_count;
		frame->signature.labels = options->labels.list;
		frame->signature.label_count = options->labels.count;
		code = measure(plan, requests, places, ladder, undo, frame);
	}
	free(frame);
	return code;
}

/* What is asked for in any case is looked for before anything is written. */
static int check_trace(const struct run_options *options, const struct place *place)
{
	const char *why;
	int rc = options->trace == RUN_TRACE_ON ? trace_check(&place->target, &why) : 0;

	if (!rc)
		return DIAG_EXIT_OK;
	diag_error(rc, "--trace=on: %s", why);
	return DIAG_EXIT_HOST;
}

/* Made when the run begins, behind the first writes; whether it can be is tried before them. */
static int check_witness(const struct run_plan *plan)
{
	const struct layout_area *areas = plan->layout.areas;
	struct witness *witness;
	int rc;

	if (plan->options->durability == BACKEND_NONE && !plan->options->has_verify)
		return DIAG_EXIT_OK;
	rc = witness_open(plan->run, areas[MIX_LOG].workers + areas[MIX_CHECKPOINT].workers, &witness);
	if (rc) {
		diag_error(rc, "cannot keep in memory what is acknowledged (/dev/shm)");
		return DIAG_EXIT_HOST;
	}
	witness_close(witness, true);
	return DIAG_EXIT_OK;
}

/* Of every backend, which choose_backend has tried; of the kernel's trace one for each CPU; of files that are read. */
static unsigned count_descriptors(const struct run_plan *plan)
{
	const struct run_options *options = plan->options;
	long cpus = options->trace == RUN_TRACE_OFF || !options->record_ns ? 0 : sysconf(_SC_NPROCESSORS_CONF);
	unsigned count = DESCRIPTORS + (cpus > 0 ? (unsigned)cpus : 0);

	for (int i = 0; i < MIX_STREAMS; i++)
		count += 2 * plan->workload.streams[i].workers;
	return count;
}

/* Whatever can refuse is asked of all targets before the first byte of any is changed. */
static int with_places(const struct run_plan *plan, struct undo *undo)
{
	const struct run_options *options = plan->options;
	struct place_request requests[MIX_STREAMS];
	struct ladder ladder;
	struct place places[MIX_STREAMS];
	size_t count = 0;
	int code = rings_check(plan, rings_room(""));

	for (size_t i = 0; i < plan->place_count; i++)
		requests[i] = (struct place_request){.path = i ? options->checkpoint_target : options->target,
			.destroy_data = i ? options->checkpoint_destroy : options->destroy_data,
			.layout = &plan->place_layouts[i], .run = plan->run, .is_kept = options->is_kept,
			.is_read_only_check = options->is_dry_run};
	while (!code && count < plan->place_count) {
		code = place_open(&requests[count], &places[count]);
		count += !code;
	}
	if (!code)
		code = choose_backend(plan, places, &ladder);
	if (!code)
		code = check_trace(options, &places[0]);
	if (!code)
		code = check_witness(plan);
	if (!code)
		code = target_check_descriptors(options->target, count_descriptors(plan));
	if (!code && options->is_dry_run)
		run_plan_print(plan, places, &ladder);
	else if (!code)
		code = with_frame(plan, requests, places, &ladder, undo);
	/* Of what was not begun nothing is kept. */
	while (count)
		place_close(&places[--count]);
	return code;
}

/* Before there are threads: what takes the trace instance away after any end. NULL: there is going to be none. */
static int open_undo(const struct run_options *options, struct undo **undo)
{
	*undo = NULL;
	if (options->is_dry_run || options->trace == RUN_TRACE_OFF || !options->record_ns || trace_instance_try())
		return DIAG_EXIT_OK;
	if (!undo_open("ssd-workloads", undo))
		return DIAG_EXIT_OK;
	*undo = NULL;
	return options->trace == RUN_TRACE_ON ? DIAG_EXIT_HOST : DIAG_EXIT_OK;
}

static int with_options(const struct run_options *options)
{
	struct run_plan plan;
	struct undo *undo = NULL;
	void (*on_pipe)(int);
	int code = check_paths(options);

	if (!code)
		code = run_plan_make(options, &plan);
	if (!code)
		code = open_undo(options, &undo);
	/* A reader who leaves (| head) does not take with him what is to be put back and removed. */
	on_pipe = signal(SIGPIPE, SIG_IGN);
	if (!code)
		code = with_places(&plan, undo);
	if (undo_close(undo) && !code)
		code = DIAG_EXIT_HOST;
	signal(SIGPIPE, on_pipe);
	return code;
}

static int run(const struct command *command, int argc, char **argv)
{
	struct run_options *options = malloc(sizeof(*options));
	int rc, code = DIAG_EXIT_HOST;

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
	.program = &ssd_program,
	.name = "run",
	.summary = "write as a database does, and measure every write",
	.doc = "Write a log and a checkpoint to a file or block device, as databases do, and measure each write.",
	.examples = "  ssd-workloads run --mix=1-1 --target=/mnt/disk\n"
		    "  ssd-workloads run --mix=M-N --target=/mnt/disk --baselines -f mn.xml\n"
		    "  ssd-workloads run --mix=1-N --target=log.bin --durability=fdatasync --verify\n",
	.notes = "Sizes are in bytes, or 16k, 1g; times are in seconds, or 20ms. See ssd-workloads(1).",
	.options = run_option_rows,
	.relations = run_option_relations,
	.add = run_options_add,
	.check = run_options_check,
	.run = run,
};
