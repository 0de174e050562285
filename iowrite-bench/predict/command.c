/* SPDX-License-Identifier: GPL-3.0-or-later */
/* iowrite-bench predict: what a list of writes would cost, by each model, from a calibration. */
#include "config.h"
#include "iowrite-bench/commands.h"

#include <errno.h>
#include <stdlib.h>

#include "common/diag.h"
#include "iowrite-bench/predict/result.h"

static int publish(const struct predict_options *options, const struct predict_plan *plan,
	const struct predict_result *result)
{
	int code = DIAG_EXIT_OK;

	if (!predict_options_take_stdout(options))
		predict_text(options, plan, result);
	if (options->per_write_path)
		code = predict_per_write(options, plan, result);
	if (options->json_path) {
		int json = predict_json(options, plan, result);

		code = code ? code : json;
	}
	return code;
}

struct work { /* some 15 KiB: not for a stack */
	struct predict_options options;
	struct opt_line line;
	struct predict_plan plan;
	struct predict_result result;
};

static int predict_all(struct work *work)
{
	int code = predict_plan_make("", &work->options, &work->plan);

	if (code)
		return code;
	code = predict_result_make(&work->options, &work->plan, &work->result);
	if (!code)
		code = publish(&work->options, &work->plan, &work->result);
	predict_result_free(&work->result);
	predict_plan_free(&work->plan);
	return code;
}

static int run(const struct command *command, int argc, char **argv)
{
	struct work *work = calloc(1, sizeof(*work));
	int code;

	if (!work) {
		diag_error(ENOMEM, "cannot predict");
		return DIAG_EXIT_HOST;
	}
	code = command_parse(command, argc, argv, &work->options, &work->line, NULL);
	if (!code)
		code = predict_all(work);
	opt_free(&work->line);
	free(work);
	return code;
}

const struct command command_predict = {
	.program = &iowrite_program,
	.name = "predict",
	.arguments = "[SCENARIO]",
	.summary = "say what writes would cost, by three models",
	.doc = "Predict what each write of a scenario, of a table or of a pattern costs its caller, from a calibration. "
	       "Only the files that are asked for are written.",
	.examples = "  iowrite-bench predict --system s.xml c2\n"
		    "  iowrite-bench predict --system s.xml --trace ops.csv --per-write\n"
		    "  iowrite-bench predict --system s.xml --bs 4k --rw randwrite --regime overwrite\n"
		    "  iowrite-bench predict --system s.xml c2 --limit-bg 1g --limit-hard 2g\n",
	.options = predict_option_rows,
	.relations = predict_option_relations,
	.check = predict_options_check,
	.run = run,
};
