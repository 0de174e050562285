/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "iowrite-bench/run/result.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/diag.h"

int run_result_init(struct run_result *result, const struct run_plan *plan, struct frame *frame)
{
	struct run_result fresh = {.plan = plan, .frame = frame};

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
		measured->has_flush = cell->method->flush != NULL;
		if (!measured->round_rates || tally_init(&measured->tally, cell->sync->sync != NULL)) {
			free(measured->round_rates);
			measured->round_rates = NULL;
			run_result_free(&fresh);
			return -ENOMEM;
		}
		fresh.cell_count++;
	}
	*result = fresh;
	return 0;
}

void run_result_free(struct run_result *result)
{
	for (size_t i = 0; i < result->cell_count; i++) {
		tally_free(&result->cells[i].tally);
		free(result->cells[i].round_rates);
	}
	free(result->cells);
	series_close(&result->series);
	result->cells = NULL;
	result->cell_count = 0;
}

static const struct latency *latency_of(const struct run_measured *measured, const struct slo *slo)
{
	static const enum tally_of parts[] = {
		[SLO_BOTH] = TALLY_BOTH, [SLO_WRITE] = TALLY_WRITE, [SLO_SYNC] = TALLY_SYNC};

	return tally_latency(&measured->tally, parts[slo->of]);
}

bool run_result_concerns(const struct run_measured *measured, const struct slo *slo)
{
	return latency_of(measured, slo) != NULL;
}

double run_result_reached_ns(const struct run_measured *measured, const struct slo *slo)
{
	const struct latency *latency = latency_of(measured, slo);

	return latency ? slo_reached_ns(slo, latency) : NAN;
}

void run_result_decide(struct run_result *result)
{
	const struct run_options *options = result->plan->options;

	result->missed = 0;
	for (size_t i = 0; i < result->cell_count; i++) {
		const struct run_measured *measured = &result->cells[i];

		for (size_t k = 0; k < options->slo_count; k++) {
			const struct slo *slo = &options->slos[k];

			if (run_result_concerns(measured, slo) &&
				!slo_is_met(slo, run_result_reached_ns(measured, slo)))
				result->missed++;
		}
	}
}

int run_result_code(const struct run_result *result)
{
	for (size_t i = 0; i < result->cell_count; i++) {
		/* What another process has done to the file is no fault of the host. */
		if (result->cells[i].failure[0] && result->cells[i].error != ESTALE)
			return DIAG_EXIT_HOST;
	}
	if (result->is_interrupted || result->frame->reason_count)
		return DIAG_EXIT_UNTRUSTED;
	return result->missed ? DIAG_EXIT_NEGATIVE : DIAG_EXIT_OK;
}

double run_result_rate(const struct run_measured *measured, uint64_t amount)
{
	return measured->run_s > 0 ? (double)amount / measured->run_s : NAN;
}

/* --- gather --- */

static uint64_t add_times(const struct measurement *all, unsigned threads, struct run_measured *measured)
{
	uint64_t begin = UINT64_MAX, end = 0, between = UINT64_MAX, flush = 0, closing = 0, count = 0;

	for (unsigned i = 0; i < threads; i++) {
		const struct measurement *found = &all[i];

		flush = found->flush_ns > flush ? found->flush_ns : flush;
		closing = found->close_ns > closing ? found->close_ns : closing;
		measured->faults += found->faults;
		measured->fill_ns += found->fill_ns;
		count += found->count;
		measured->unbacked_bytes += found->unbacked_bytes;
		if (!found->count)
			continue;
		begin = found->begin_ns < begin ? found->begin_ns : begin;
		end = found->end_ns > end ? found->end_ns : end;
		between = found->between_ns < between ? found->between_ns : between;
	}
	if (!end)
		return 0;
	measured->run_s += (double)(end - begin - between) / 1e9;
	if (end - begin > between)
		measured->round_rates[measured->rounds] = (double)count * 1e9 / (double)(end - begin - between);
	measured->flush_ns = (measured->flush_ns * measured->rounds + flush) / (measured->rounds + 1);
	measured->close_ns = (measured->close_ns * measured->rounds + closing) / (measured->rounds + 1);
	measured->rounds++;
	/* It is the whole machine's, and the same in each. */
	measured->busy.waited_ns += all[0].busy.waited_ns;
	measured->busy.others_ns += all[0].busy.others_ns;
	measured->busy.whole_ns += all[0].busy.whole_ns;
	return end;
}

uint64_t gather(const struct measure_job *jobs, const struct measurement *found, unsigned count, bool is_stopped,
	struct run_measured *measured)
{
	const struct contention_stops *stops = &measured->stops;
	uint64_t end_ns = add_times(found, count, measured);
	struct contention_finding finding;

	if (contention_find(&found[0].contention, sizeof(found[0]), count, &finding) &&
		!(measured->is_disturbed && measured->contention.percent > finding.percent)) {
		measured->is_disturbed = true;
		measured->contention = finding;
	}
	if (!stops->stopped_ns && !stops->was_continued && contention_suspended_ns(stops) <= CONTENTION_JUMP_NS &&
		llabs(contention_clock_set_ns(stops)) <= CONTENTION_JUMP_NS)
		measured->stops = found[0].stops;
	if (jobs[0].dirty && found[0].count) {
		if (!measured->has_dirty)
			measured->dirty_before_bytes = found[0].before.dirty;
		measured->has_dirty = true;
		measured->dirty_after_bytes = found[0].after.dirty;
	}
	for (unsigned i = 0; i < count && !measured->failure[0]; i++) {
		/* Whoever was told to stop says so by this. */
		if (!found[i].error || (found[i].error == EINTR && is_stopped))
			continue;
		measured->error = found[i].error;
		failure_text(jobs[i].target->path, found[i].failed_at, found[i].error, measured->failure,
			sizeof(measured->failure));
	}
	return end_ns;
}

void gather_outside(const struct run_plan *plan, const struct machine *machine, const struct system *system,
	struct run_measured *measured)
{
	const struct run_options *options = plan->options;
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

/* The model of the libc has one buffer, and each file has its own. */
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

/* One that setvbuf(3) was given is only another size to the libc: glibc's first write goes past it as past its own. */
static const struct stdio_policy *policy_of(const struct run_cell *cell)
{
	return cell->buffer.buffering == METHOD_UNBUFFERED ? stdio_policy("unbuffered") : stdio_policy_here();
}

static int begin_round(struct explain *explain, const struct dirty_state *before)
{
	const struct model_kind *kind = model_kind(MODEL);
	int rc;

	explain->setup = (struct model_setup){
		.mode = explain->cell->mode,
		.regime = explain->cell->regime,
		.memory = explain->memory,
		.is_cached = explain->cell->regime == OP_OVERWRITE,
		.is_stdio = explain->is_stdio,
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
	return stdio_init(&explain->stdio, policy_of(explain->cell), explain->cell->buffer.bytes, explain->system, kind,
		explain->model, &explain->missing);
}

static void add_cost(struct model_cost *sum, const struct model_cost *cost)
{
	sum->ns += cost->ns;
	sum->syscall_ns += cost->syscall_ns;
	sum->copy_ns += cost->copy_ns;
	sum->throttle_ns += cost->throttle_ns;
	sum->device_ns += cost->device_ns;
}

void explain_add(struct explain *explain, const struct dirty_state *before, const struct record *records, size_t count)
{
	if (!explain->system || explain->is_spoiled)
		return;
	explain->is_spoiled = !explain->model && begin_round(explain, before);
	for (size_t i = 0; i < count && !explain->is_spoiled; i++) {
		const struct op op = {records[i].delay_ns, records[i].offset, records[i].size};
		struct model_cost cost;

		explain->is_spoiled = explain->is_stdio ? stdio_write(&explain->stdio, &op, &cost)
							: model_kind(MODEL)->write(explain->model, &op, &cost);
		if (explain->is_spoiled)
			break;
		add_cost(&explain->sum, &cost);
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

static int open_draft(struct ops_csv *csv, const char *path)
{
	/* Not every file system has nameless files. */
	return report_draft_open(path, true, &csv->draft) ? report_draft_open(path, false, &csv->draft) : 0;
}

int ops_csv_open(struct ops_csv *csv, const char *path, const char *mode, const char *regime, const char *sync,
	bool has_files)
{
	int rc, fd;

	*csv = (struct ops_csv){.has_files = has_files};
	snprintf(csv->words, sizeof(csv->words), ",%s,%s,%s", mode, regime, sync);
	rc = open_draft(csv, path);
	if (rc)
		return rc;
	fd = dup(csv->draft.fd);
	csv->file = fd >= 0 ? fdopen(fd, "w") : NULL;
	if (!csv->file) {
		rc = -errno;
		if (fd >= 0)
			close(fd);
		report_draft_close(&csv->draft);
		return rc;
	}
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

void ops_csv_add(struct ops_csv *csv, const struct record *records, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct record *record = &records[i];

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
	int rc = csv->error;

	if (fclose(csv->file) && !rc)
		rc = -errno;
	if (!rc)
		rc = report_draft_publish(&csv->draft);
	report_draft_close(&csv->draft);
	csv->file = NULL;
	return rc;
}
