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
	code = predict_options_parse(command, argc, argv, &work->options);
	if (!code)
		code = predict_all(work);
	free(work);
	return code;
}

const struct command command_predict = {
	.program = &iowrite_program,
	.name = "predict",
	.arguments = "[SCENARIO]",
	.summary = "say what writes would cost, by three models",
	.doc = "Predicts what each write of a scenario, of a table or of a pattern costs its caller, from a calibration. "
	       "Nothing is written to any disk but the files that are asked for.\v"
	       "  iowrite-bench predict --system system.xml c2\n"
	       "  iowrite-bench predict --system system.xml --trace ops.csv --per-write\n"
	       "  iowrite-bench predict --system system.xml --bs 64k --rw randwrite --regime overwrite\n"
	       "  iowrite-bench predict --system system.xml c2 --limit-bg 1g --limit-hard 2g\n",
	.argp_options = predict_option_table,
	.run = run,
};
