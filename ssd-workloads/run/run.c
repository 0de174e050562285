/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ssd-workloads run: measures a mix; and the measurement itself, which sweep repeats. */
#include "config.h"
#include "common/storage/target_use.h"
#include "ssd-workloads/commands.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/base/diag.h"
#include "common/base/interrupt.h"
#include "common/probe/probe.h"
#include "common/undo/tracefs.h"
#include "common/undo/undo.h"
#include "ssd-workloads/dump/trace.h"
#include "ssd-workloads/engine/threads.h"
#include "ssd-workloads/run/execute.h"
#include "ssd-workloads/run/report.h"
#include "ssd-workloads/run/rings.h"
#include "ssd-workloads/run/run.h"
#include "ssd-workloads/run/text.h"
#include "ssd-workloads/workload/ack_log.h"

#define DESCRIPTORS 16 /* that a run opens in addition to those it counts */

struct run_session {
	const struct ssd_run_options *options;
	struct ssd_run_plan plan;
	struct place_request requests[LAYOUT_TARGETS];
	struct place places[LAYOUT_TARGETS];
	size_t place_count;             /* number of open places */
	struct undo *undo;              /* removes the trace instance after any end; NULL: the run has none */
	struct execution execution;
	struct frame frame;
	struct ssd_run_result result;
};

/* --- before the measurement --- */

/* A simulated device has neither engine, file nor descriptors. */
static int open_simulated(struct run_session *session)
{
	struct backend_choice *choice = &session->result.backend;
	const struct sim_params *params = &session->options->device.params;
	struct target *target = &session->places[0].target;

	*target = (struct target){.kind = TARGET_SIMULATED, .fd = -1, .file_system = "none",
		.size_bytes = sim_exported_pages(params) * params->page_bytes};
	snprintf(target->path, sizeof(target->path), "%s", session->options->target);
	execute_set_up(&session->execution, &session->plan, session->places, &session->result);
	*choice = (struct backend_choice){.ops = &backend_simulated, .count = 1, .tries = {{.name = backend_simulated.name}}};
	snprintf(choice->features, sizeof(choice->features), "virtual-time");
	session->execution.setup.backend = choice->ops;
	return DIAG_EXIT_OK;
}

/* Tries the engine with all workers at once, as in the run; nothing is written from their common buffer. */
static int choose_backend(struct run_session *session)
{
	const struct workload *workload = &session->plan.workload;
	struct backend_setup setups[MIX_STREAMS * MIX_WORKERS_MAX];
	struct backend_choice *choice = &session->result.backend;
	size_t count = 0, bytes = 0;
	char *memory;
	int code;

	for (int i = 0; i < MIX_STREAMS; i++) {
		for (unsigned worker = 0; worker < workload->streams[i].workers; worker++, count++) {
			engine_backend_setup(&session->execution.setup, (enum mix_stream)i, worker, NULL, &setups[count]);
			if (setups[count].slots * (size_t)setups[count].slot_bytes > bytes)
				bytes = setups[count].slots * (size_t)setups[count].slot_bytes;
		}
	}
	memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED) {
		diag_error(errno, "cannot begin");
		return DIAG_EXIT_HOST;
	}
	for (size_t i = 0; i < count; i++)
		setups[i].buffers = memory;
	code = backend_choose(setups, count, session->options->engine, session->options->require, choice);
	munmap(memory, bytes);
	session->execution.setup.backend = choice->ops;
	/* A setup has one worker only, so the numbers of threads are added here. */
	for (int i = 0; i < MIX_STREAMS && !code && choice->ops == &backend_threads; i++) {
		size_t used = strlen(choice->features);

		if (workload->streams[i].depth)
			snprintf(choice->features + used, sizeof(choice->features) - used, " %s-threads:%u",
				mix_stream_name((enum mix_stream)i), workload->streams[i].depth);
	}
	return code;
}

/* --trace=on is checked before anything is written. */
static int check_trace(const struct run_session *session)
{
	char lacking[256];
	const char *why = lacking;
	int rc;

	if (session->options->trace != RUN_TRACE_ON)
		return DIAG_EXIT_OK;
	rc = probe_require("", "tracefs", lacking, sizeof(lacking));
	if (!rc)
		rc = trace_check(&session->places[0].target, &why);
	if (!rc)
		return DIAG_EXIT_OK;
	diag_error(why == lacking ? 0 : rc, "--trace=on: %s%s", why == lacking ? "tracing: " : "", why);
	return DIAG_EXIT_HOST;
}

/* Returns the number of descriptors for backends, the kernel's trace (one per CPU) and files. */
static unsigned count_descriptors(const struct ssd_run_plan *plan)
{
	const struct ssd_run_options *options = plan->options;
	long cpus = options->trace == RUN_TRACE_OFF || !options->record_ns ? 0 : sysconf(_SC_NPROCESSORS_CONF);
	unsigned count = DESCRIPTORS + (cpus > 0 ? (unsigned)cpus : 0);

	for (int i = 0; i < MIX_STREAMS; i++)
		count += 2 * plan->workload.streams[i].workers;
	return count;
}

/* All targets are checked before the first of them is changed. */
static int open_places(struct run_session *session)
{
	const struct ssd_run_options *options = session->options;
	const struct ssd_run_plan *plan = &session->plan;
	struct ack_log *ack_log = NULL;
	int code = rings_check(plan, rings_memory(""));

	if (!code && options->device.preset)
		return open_simulated(session);
	for (size_t i = 0; i < plan->place_count && !code; i++) {
		session->requests[i] = (struct place_request){.path = plan->places[i].path,
			.destroy_data = plan->places[i].destroy_data, .layout = &plan->places[i].layout, .run = plan->run,
			.is_kept = options->is_kept, .is_read_only_check = options->is_dry_run};
		code = place_open(&session->requests[i], &session->places[i]);
		session->place_count += !code;
	}
	if (code)
		return code;
	execute_set_up(&session->execution, plan, session->places, &session->result);
	code = choose_backend(session);
	if (!code)
		code = check_trace(session);
	/* Tries whether the acknowledgement log can be created, which the run does after the preparation. */
	if (!code)
		code = execute_open_ack_log(plan, &ack_log);
	ack_log_close(ack_log, true);
	return code ? code : target_check_descriptors(options->target, count_descriptors(plan));
}

/* Reserves space in all targets before the contents of any are overwritten. */
static int claim_places(struct run_session *session)
{
	size_t count = session->place_count;
	int code = DIAG_EXIT_OK;

	for (size_t i = 0; i < count && !code; i++)
		code = place_reserve(&session->requests[i], &session->places[i]);
	for (size_t i = 0; i < count && code; i++)
		place_release(&session->places[i]);
	for (size_t i = 0; i < count && !code; i++)
		code = place_claim(&session->requests[i], &session->places[i]);
	return code;
}

/* Called after all checks of options and targets. */
static int measure(struct run_session *session, run_take_fn *take, void *data)
{
	const struct ssd_run_options *options = session->options;
	struct report_signature *signature = &session->frame.signature;
	struct ssd_run_result *result = &session->result;
	int code = options->device.preset ? DIAG_EXIT_OK : execute_rehearse(&session->execution);

	signature->seed = options->seed;
	signature->options = options->line.effective;
	signature->option_count = options->line.effective_count;
	signature->labels = options->labels.list;
	signature->label_count = options->labels.count;
	if (!code)
		code = claim_places(session);
	if (code)
		return code;
	session->frame.accepts_limits = options->accepts_limits;
	for (size_t i = 1; i < session->place_count; i++) {
		const struct target *target = &session->places[i].target;

		durability_read("", target->device, target->mount, &result->layers[i]);
		frame_add_disks(&session->frame, &result->layers[i]);
	}
	if (layout_stripes(&session->plan.layout) > 1)
		storage_read("", session->places[1].target.device, &result->second_storage);
	code = execute(&session->execution, session->undo);
	if (code)
		return code;
	ssd_run_result_decide(result);
	return take(result, data);
}

int run_measure(const struct ssd_run_options *options, run_take_fn *take, void *data)
{
	struct run_session *session = calloc(1, sizeof(*session));
	int code, rc = session ? interrupt_install() : -ENOMEM;
	void (*on_pipe)(int);

	if (rc) {
		free(session);
		return diag_host(rc, "cannot begin");
	}
	session->options = options;
	code = ssd_run_plan_make(options, &session->plan);
	if (!code)
		code = ssd_run_result_init(&session->result, &session->plan, &session->frame);
	/* If the reader of stdout ends early, the system must still be restored. */
	on_pipe = signal(SIGPIPE, SIG_IGN);
	/* undo_open forks: there must be no threads yet. */
	if (!code && !options->is_dry_run && options->trace != RUN_TRACE_OFF && options->record_ns && !trace_instance_try() &&
		undo_open("ssd-workloads", &session->undo)) {
		session->undo = NULL;
		code = options->trace == RUN_TRACE_ON ? DIAG_EXIT_HOST : DIAG_EXIT_OK;
	}
	if (!code)
		code = open_places(session);
	if (!code && options->is_dry_run)
		ssd_run_plan_print(&session->plan, session->places, &session->result.backend);
	else if (!code)
		code = frame_start(&session->frame, "ssd-workloads", options->argc, options->argv, &session->places[0].target);
	if (!code && !options->is_dry_run)
		code = measure(session, take, data);
	execute_close(&session->execution);
	ssd_run_result_free(&session->result);
	while (session->place_count)
		place_close(&session->places[--session->place_count]);
	if (undo_close(session->undo) && !code)
		code = DIAG_EXIT_HOST;
	signal(SIGPIPE, on_pipe);
	free(session);
	return code;
}

/* --- the command --- */

static int publish(const struct ssd_run_result *result, void *data)
{
	int code;

	(void)data;
	if (ssd_run_options_print_text(result->plan->options))
		ssd_run_text(stdout, result);
	code = ssd_run_report(result);
	return code ? code : ssd_run_result_code(result);
}

static int run(const struct command *command, int argc, char **argv)
{
	struct ssd_run_options *options = malloc(sizeof(*options));
	int code = options ? ssd_run_options_parse(command, argc, argv, options) : diag_host(ENOMEM, "cannot begin");

	if (!code) {
		code = run_measure(options, publish, NULL);
		ssd_run_options_free(options);
	}
	free(options);
	return code;
}

const struct command ssd_command_run = {
	.program = &ssd_program,
	.name = "run",
	.summary = "write a log and a checkpoint, and measure every write",
	.doc = "Write a log and a checkpoint to a file or block device, as databases do, and measure each write.",
	.examples = "  ssd-workloads run --mix=1-1 --target=/mnt/disk\n"
		    "  ssd-workloads run --mix=M-N --target=/mnt/disk --baselines -f mn.xml\n"
		    "  ssd-workloads run --mix=1-N --target=log.bin --durability=fdatasync --verify\n",
	.notes = "Sizes are in bytes, or 16k, 1g; times are in seconds, or 20ms. See ssd-workloads(1).",
	.options = ssd_run_option_rows,
	.relations = ssd_run_option_relations,
	.add = ssd_run_options_add,
	.check = ssd_run_options_check,
	.run = run,
};
