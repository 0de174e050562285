/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "iowrite-bench/run/result.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/diag.h"
#include "iowrite-bench/model/kinds.h"

int iow_run_result_init(struct iow_run_result *result, const struct iow_run_plan *plan, struct frame *frame)
{
	struct iow_run_result fresh = {.plan = plan, .frame = frame};

	fresh.cells = calloc(plan->measured_count ? plan->measured_count : 1, sizeof(*fresh.cells));
	if (!fresh.cells)
		return -ENOMEM;
	for (size_t i = 0; i < plan->cell_count; i++) {
		const struct run_cell *cell = &plan->cells[i];
		struct run_measured *measured = &fresh.cells[fresh.cell_count];

		if (cell->skipped[0])
			continue;
		measured->cell = cell;
		measured->round_rates = calloc(plan->rounds, sizeof(*measured->round_rates));
		if (!measured->round_rates || tally_init(&measured->tally, cell->sync->sync != NULL)) {
			free(measured->round_rates);
			measured->round_rates = NULL;
			iow_run_result_free(&fresh);
			return -ENOMEM;
		}
		fresh.cell_count++;
	}
	*result = fresh;
	return 0;
}

void iow_run_result_free(struct iow_run_result *result)
{
	for (size_t i = 0; i < result->cell_count; i++) {
		tally_free(&result->cells[i].tally);
		free(result->cells[i].round_rates);
	}
	free(result->cells);
	write_series_close(&result->series);
	result->cells = NULL;
	result->cell_count = 0;
}

/* Returns whether the objective concerns syncs, also those of writes that are durable by themselves. */
static bool is_of_sync(const struct run_measured *measured, enum tally_of of)
{
	return measured->cell->sync->sync ? of != TALLY_WRITE : measured->durability.syncs;
}

void iow_run_result_decide(struct iow_run_result *result)
{
	const struct iow_run_options *options = result->plan->options;

	result->missed = 0;
	for (size_t i = 0; i < result->cell_count; i++) {
		struct run_measured *measured = &result->cells[i];

		measured->objective_count = 0;
		for (size_t k = 0; k < options->slo_count; k++) {
			const struct slo *slo = &options->slos[k];
			const struct latency *latency = tally_latency(&measured->tally, (enum tally_of)slo->of);
			struct objective_values *objective = &measured->objectives[measured->objective_count];
			const char *doubt;

			if (!latency)
				continue;
			doubt = is_of_sync(measured, (enum tally_of)slo->of)
				      ? frame_durability_doubt(result->frame, &result->frame->durability, &measured->durability)
				      : NULL;
			slo_decide(slo, latency, doubt, objective);
			if (doubt)
				frame_reason(result->frame, "objective-undecided", "%s: %s is undecided: %s", measured->cell->id,
					slo->text, doubt);
			result->missed += !objective->is_met && !doubt;
			measured->objective_count++;
		}
	}
}

int iow_run_result_code(const struct iow_run_result *result)
{
	for (size_t i = 0; i < result->cell_count; i++) {
		/* A file that another process changed is no failure of the host. */
		if (result->cells[i].failure[0] && result->cells[i].error != ESTALE)
			return DIAG_EXIT_HOST;
	}
	if (result->is_interrupted || result->frame->reason_count)
		return DIAG_EXIT_UNTRUSTED;
	return result->missed ? DIAG_EXIT_NEGATIVE : DIAG_EXIT_OK;
}

double iow_run_result_rate(const struct run_measured *measured, uint64_t amount)
{
	return measured->run_s > 0 ? (double)amount / measured->run_s : NAN;
}

/* --- gather --- */

uint64_t gather(const struct measure_job *jobs, const struct measurement *found, unsigned count, bool is_stopped,
	struct run_measured *measured)
{
	uint64_t begin = UINT64_MAX, end = 0, between = UINT64_MAX, flush = 0, closing = 0, operations = 0;
	const struct contention_stops *stops = &measured->stops;
	struct contention_finding finding;
	char text[256];

	for (unsigned i = 0; i < count; i++) {
		const struct measurement *one = &found[i];

		flush = one->flush_ns > flush ? one->flush_ns : flush;
		closing = one->close_ns > closing ? one->close_ns : closing;
		measured->faults += one->faults;
		measured->fill_ns += one->fill_ns;
		measured->unbacked_bytes += one->unbacked_bytes;
		operations += one->count;
		if (one->count) {
			begin = one->begin_ns < begin ? one->begin_ns : begin;
			end = one->end_ns > end ? one->end_ns : end;
			between = one->between_ns < between ? one->between_ns : between;
		}
		/* A thread that was interrupted as requested did not fail. */
		if (!one->error || measured->failure[0] || (one->error == EINTR && is_stopped))
			continue;
		measured->error = one->error;
		failure_text(jobs[i].target->path, one->failed_at, one->error, measured->failure, sizeof(measured->failure));
	}
	if (end) {
		measured->run_s += (double)(end - begin - between) / 1e9;
		if (end - begin > between)
			measured->round_rates[measured->rounds] = (double)operations * 1e9 / (double)(end - begin - between);
		measured->flush_ns = (measured->flush_ns * measured->rounds + flush) / (measured->rounds + 1);
		measured->close_ns = (measured->close_ns * measured->rounds + closing) / (measured->rounds + 1);
		measured->rounds++;
		/* These are of the whole machine, the same in all threads. */
		measured->busy.waited_ns += found[0].busy.waited_ns;
		measured->busy.others_ns += found[0].busy.others_ns;
		measured->busy.whole_ns += found[0].busy.whole_ns;
	}
	if (contention_find(&found[0].contention, sizeof(found[0]), count, &finding) &&
		!(measured->is_disturbed && measured->contention.percent > finding.percent)) {
		measured->is_disturbed = true;
		measured->contention = finding;
	}
	if (!contention_stopped_text(stops, "", text, sizeof(text)) && contention_suspended_ns(stops) <= CONTENTION_JUMP_NS &&
		llabs(contention_clock_set_ns(stops)) <= CONTENTION_JUMP_NS)
		measured->stops = found[0].stops;
	if (jobs[0].dirty && found[0].count) {
		if (!measured->has_dirty)
			measured->dirty_before_bytes = found[0].before.dirty;
		measured->has_dirty = true;
		measured->dirty_after_bytes = found[0].after.dirty;
	}
	return end;
}

void gather_outside(const struct iow_run_plan *plan, const struct machine *machine, const struct system *system,
	struct run_measured *measured)
{
	const struct iow_run_options *options = plan->options;
	const struct validity_question question = {
		.root = "",
		.machine = machine,
		.system = system,
		.writers = options->threads,
		.memory = options->memory,
		.bytes = plan->size_bytes * options->threads,
		.is_direct = measured->cell->mode >= OP_DIRECT,
		.busy = measured->busy,
		.written_bytes = measured->tally.bytes,
		.unbacked_bytes = measured->unbacked_bytes,
	};
	if (measured->cell->mode == OP_BUFFERED)
		validity_model(&question, &measured->validity);
	validity_measured(&question, &measured->validity);
}

/* --- explain --- */

#define MODEL "kernel"

/* fwrite(3) has a buffer for each of several files, and the model has one. */
bool explain_can(const struct run_cell *cell, unsigned threads, unsigned files)
{
	if (files > 1 && !strcmp(cell->method->name, "fwrite"))
		return false;
	return threads == 1 && cell->mode == OP_BUFFERED && !cell->method->is_mapped && !cell->sync->sync &&
	       !cell->sync->rwf_flags;
}

void explain_init(struct explain *explain, const struct system *system, const struct run_cell *cell,
	enum model_memory memory)
{
	*explain = (struct explain){.system = system, .cell = cell, .memory = memory,
		.is_stdio = !strcmp(cell->method->name, "fwrite")};
}

static int begin_round(struct explain *explain, const struct dirty_state *before)
{
	const struct run_cell *cell = explain->cell;
	const struct model_kind *kind = model_kind(MODEL);
	int rc;

	explain->setup = (struct model_setup){
		.mode = cell->mode,
		.regime = cell->regime,
		.memory = explain->memory,
		.is_cached = cell->regime == OP_OVERWRITE,
		.dirty_bytes = before->dirty,
		.writeback_bytes = before->writeback,
	};
	rc = kind->create(explain->system, &explain->setup, &explain->model, &explain->missing);
	if (rc) {
		explain->model = NULL;
		return rc;
	}
	if (!explain->is_stdio)
		return 0;
	/* A buffer given by setvbuf(3) has the libc's policy, too: glibc's first large write bypasses it as its own. */
	return stdio_init(&explain->stdio,
		cell->buffer.buffering == METHOD_UNBUFFERED ? stdio_policy("unbuffered") : stdio_policy_here(),
		cell->buffer.bytes, explain->system, kind, explain->model, &explain->missing);
}

void explain_add(struct explain *explain, const struct dirty_state *before, const struct write_record *records, size_t count)
{
	struct model_cost *sum = &explain->sum, cost;

	if (!explain->system || explain->is_spoiled)
		return;
	explain->is_spoiled = !explain->model && begin_round(explain, before);
	for (size_t i = 0; i < count && !explain->is_spoiled; i++) {
		const struct op op = {records[i].delay_ns, records[i].offset, records[i].size};

		explain->is_spoiled = explain->is_stdio ? stdio_write(&explain->stdio, &op, &cost)
							: model_kind(MODEL)->write(explain->model, &op, &cost);
		if (explain->is_spoiled)
			break;
		sum->ns += cost.ns;
		sum->syscall_ns += cost.syscall_ns;
		sum->copy_ns += cost.copy_ns;
		sum->throttle_ns += cost.throttle_ns;
		sum->device_ns += cost.device_ns;
		explain->measured_ns += (double)records[i].write_ns;
	}
}

void explain_end_round(struct explain *explain)
{
	if (explain->model)
		model_kind(MODEL)->free(explain->model);
	explain->model = NULL;
}

bool explain_split(const struct explain *explain, struct iow_cost_split_values *split)
{
	struct model_cost sum = explain->sum;
	const struct prediction whole = {.count = 1, .costs = &sum, .total_ns = sum.ns};

	if (!explain->system || explain->is_spoiled || explain->measured_ns <= 0)
		return false;
	split_make(&whole, MODEL, explain->measured_ns, split);
	return true;
}

/* --- ops csv --- */

int ops_csv_open(struct ops_csv *csv, const char *path, const char *mode, const char *regime, const char *sync,
	bool has_files)
{
	int rc;

	*csv = (struct ops_csv){.has_files = has_files};
	snprintf(csv->words, sizeof(csv->words), ",%s,%s,%s", mode, regime, sync);
	rc = report_output_open(path, &csv->output);
	if (rc)
		return rc;
	csv->file = report_output_stream(csv->output);
	fprintf(csv->file, OPS_CSV_HEADER "%s\n", has_files ? ",file" : "");
	return 0;
}

static void write_amount(FILE *file, uint64_t amount)
{
	if (amount == WRITER_NOT_SAMPLED)
		fputc(',', file);
	else
		fprintf(file, ",%" PRIu64, amount);
}

void ops_csv_add(struct ops_csv *csv, const struct write_record *records, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct write_record *record = &records[i];

		if (record->error)
			continue;
		fprintf(csv->file, "%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64,
			csv->has_files ? record->offset % OP_FILE_BYTES : record->offset,
			record->size, record->delay_ns, record->start_ns, record->write_ns, record->sync_ns);
		write_amount(csv->file, record->dirty_bytes);
		write_amount(csv->file, record->writeback_bytes);
		fputs(csv->words, csv->file);
		if (csv->has_files)
			fprintf(csv->file, ",%" PRIu64, record->offset / OP_FILE_BYTES);
		fputc('\n', csv->file);
	}
	if (ferror(csv->file) && !csv->error)
		csv->error = -(errno ? errno : EIO);
}

int ops_csv_close(struct ops_csv *csv)
{
	int rc = report_output_close(csv->output, !csv->error);

	csv->file = NULL;
	return csv->error ? csv->error : rc;
}
