/* SPDX-License-Identifier: GPL-3.0-or-later */
/* iowrite-bench predict: what a list of writes would cost, by each model, from a calibration. */
#include "config.h"
#include "iowrite-bench/commands.h"

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

static int run(const struct command *command, int argc, char **argv)
{
	struct predict_options options;
	struct predict_result result;
	struct predict_plan plan;
	int code = predict_options_parse(command, argc, argv, &options);

	if (code)
		return code;
	code = predict_plan_make("", &options, &plan);
	if (code)
		return code;
	code = predict_result_make(&options, &plan, &result);
	if (!code)
		code = publish(&options, &plan, &result);
	predict_result_free(&result);
	predict_plan_free(&plan);
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
	       "  iowrite-bench predict --system system.xml --bs 64k --size 8g --rw randwrite\n"
	       "  iowrite-bench predict --system system.xml c2 --limit-bg 1g --limit-hard 2g\n",
	.options = predict_option_table,
	.run = run,
};
