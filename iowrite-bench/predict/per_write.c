/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A row a write: what was asked, what was measured, and what each model says of it. */
#include "config.h"
#include "iowrite-bench/predict/result.h"

#include <inttypes.h>
#include <string.h>

#include "common/diag.h"
#include "common/report_output.h"

static const char *const state_names[] = {
	[MODEL_FREE] = "free",
	[MODEL_BACKGROUND] = "background",
	[MODEL_THROTTLED] = "throttled",
	[MODEL_DEVICE] = "device",
};

/* "kernel warm" is kernel_warm_ns ... */
static void print_names(FILE *out, const struct predict_row *row, bool is_compared)
{
	static const char *const names[] = {"ns", "typical_ns", "low_ns", "high_ns", "syscall_ns", "copy_ns", "throttle_ns",
		"device_ns", "state", "dirty_bytes", "writeback_bytes"};
	const char *blank = row->bound ? "_" : "", *bound = row->bound ? row->bound : "";

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		fprintf(out, ",%s%s%s_%s", row->kind->name, blank, bound, names[i]);
	if (is_compared)
		fprintf(out, ",%s%s%s_error_percent", row->kind->name, blank, bound);
}

static void print_cost(FILE *out, const struct model_cost *cost)
{
	fprintf(out, ",%.1f,%.1f,%.1f,%.1f,%.1f,%.1f,%.1f,%.1f,%s,%.0f,%.0f", cost->ns, cost->typical_ns,
		cost->low_ns, cost->high_ns, cost->syscall_ns, cost->copy_ns, cost->throttle_ns, cost->device_ns,
		state_names[cost->state], cost->dirty_bytes, cost->writeback_bytes);
}

static void print_write(FILE *out, const struct predict_plan *plan, const struct predict_result *result, size_t index)
{
	const double *measured = plan->writes.measured_ns;
	const struct op *op = &plan->writes.ops[index];

	if (plan->writes.files > 1)
		fprintf(out, "%zu,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64, index, op->offset / OP_FILE_BYTES,
			op->offset % OP_FILE_BYTES, op->size, op->delay_ns);
	else
		fprintf(out, "%zu,%" PRIu64 ",%" PRIu64 ",%" PRIu64, index, op->offset, op->size, op->delay_ns);
	if (measured)
		fprintf(out, ",%.0f", measured[index]);
	for (size_t i = 0; i < result->count; i++) {
		const struct predict_row *row = &result->rows[i];
		double typical;

		if (row->missing)
			continue;
		typical = row->prediction.costs[index].typical_ns;
		print_cost(out, &row->prediction.costs[index]);
		if (measured && measured[index] > 0)
			fprintf(out, ",%.2f", 100 * (typical - measured[index]) / measured[index]);
		else if (measured)
			fputc(',', out);
	}
	fputc('\n', out);
}

int predict_per_write(const struct predict_options *options, const struct predict_plan *plan,
	const struct predict_result *result)
{
	bool is_compared = plan->writes.measured_ns != NULL;
	struct report_output *output;
	int rc = report_output_open(options->per_write_path, &output);

	if (!rc) {
		FILE *out = report_output_stream(output);

		fprintf(out, "index,%soffset,size,delay_ns%s", plan->writes.files > 1 ? "file," : "",
			is_compared ? ",write_ns" : "");
		for (size_t i = 0; i < result->count; i++) {
			if (!result->rows[i].missing)
				print_names(out, &result->rows[i], is_compared);
		}
		fputc('\n', out);
		for (size_t i = 0; i < plan->writes.count; i++)
			print_write(out, plan, result, i);
		rc = report_output_close(output, true);
	}
	if (!rc)
		return DIAG_EXIT_OK;
	diag_error(rc, "--per-write %s: cannot be written", options->per_write_path);
	return DIAG_EXIT_HOST;
}
