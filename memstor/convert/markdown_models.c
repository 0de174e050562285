/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How well models predicted: a row for each scenario, repetition and model of iowrite-bench evaluate. */
#include "config.h"
#include "memstor/convert/markdown.h"

#include <errno.h>
#include <math.h>
#include <string.h>

static const char *copy_attribute(struct convert *convert, const struct report_node *node, const char *name)
{
	const char *value = report_read_attribute(node, name);

	return value ? arena_text(&convert->arena, value, strlen(value)) : "";
}

static int keep_model(struct convert *convert, const struct report_node *scenario, const struct report_node *node,
	struct markdown_model *model)
{
	*model = (struct markdown_model){
		.scenario = copy_attribute(convert, scenario, "id"),
		.repetition = copy_attribute(convert, scenario, "repetition"),
		.model = copy_attribute(convert, node, "name"),
		.floor = report_read_number(scenario, "floor_percent"),
		.per_write = report_read_number(node, "per_write_error_percent"),
		.mean_write = report_read_number(node, "mean_write_error_percent"),
		.total = report_read_number(node, "total_error_percent"),
		.curve_gap = report_read_number(node, "curve_gap_percent"),
		.coverage = report_read_number(node, "coverage_percent"),
	};
	return model->scenario && model->repetition && model->model ? 0 : -ENOMEM;
}

int markdown_keep_models(struct convert *convert, const struct loaded *loaded, struct markdown_report *report)
{
	const struct report_node *first =
		report_read_find(report_read_root(loaded->document), "report/result/evaluation/scenario");
	size_t room = 0;

	for (const struct report_node *node = first; node; node = report_read_next(node)) {
		for (const struct report_node *model = report_read_find(node, "model"); model; model = report_read_next(model))
			room++;
	}
	if (room == 0)
		return 0;
	report->models = arena_allocate(&convert->arena, room * sizeof(*report->models));
	if (!report->models)
		return -ENOMEM;
	for (const struct report_node *node = first; node; node = report_read_next(node)) {
		for (const struct report_node *model = report_read_find(node, "model"); model; model = report_read_next(model)) {
			int err = keep_model(convert, node, model, &report->models[report->model_count++]);

			if (err)
				return err;
		}
	}
	return 0;
}

static void write_percent(FILE *out, double value)
{
	if (isfinite(value))
		fprintf(out, " %.*f %% |", fabs(value) < 10 ? 2 : fabs(value) < 100 ? 1 : 0, value);
	else
		fputs(" |", out);
}

static void write_row(FILE *out, const char *name, const struct markdown_model *model)
{
	const char *const texts[] = {name, model->scenario, model->repetition, model->model};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		fputs(i ? " | " : "| ", out);
		markdown_write_code(out, texts[i]);
	}
	fputs(" |", out);
	write_percent(out, model->per_write);
	write_percent(out, model->floor);
	write_percent(out, model->mean_write);
	write_percent(out, model->total);
	write_percent(out, model->curve_gap);
	write_percent(out, model->coverage);
	fputc('\n', out);
}

void markdown_write_models(FILE *out, const struct markdown *markdown, bool has_paths, bool has_rows)
{
	bool has_head = false;

	for (const struct markdown_report *report = markdown->first; report; report = report->next) {
		if (report->model_count && !has_head)
			fprintf(out, "%s| report | scenario | repetition | model | error per write | floor | of the mean | "
				     "of the total | curve gap | in the band |\n|---|---|---|---|---:|---:|---:|---:|---:|---:|\n",
				has_rows ? "\n" : "");
		has_head = has_head || report->model_count;
		for (size_t i = 0; i < report->model_count; i++)
			write_row(out, markdown_name(report, has_paths), &report->models[i]);
	}
}
