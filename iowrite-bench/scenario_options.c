/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "iowrite-bench/scenario_options.h"

#include <errno.h>

#include "common/diag.h"
#include "common/frame.h"
#include "iowrite-bench/scenario.h"

int scenario_options_add_label(struct opt_value *in)
{
	return label_add(opt_field(in), in->text, &in->why);
}

int scenario_options_name(struct opt_value *in)
{
	const struct scenario **scenario = opt_field(in);

	*scenario = scenario_of(in->text);
	return *scenario ? 0 : -EINVAL;
}

int scenario_options_need_system(const struct opt_line *line)
{
	if (opt_text(line, "system"))
		return DIAG_EXIT_OK;
	return opt_refuse(line, "system", "is required: the calibration that iowrite-bench calibrate -o FILE writes");
}

int scenario_options_check(const void *whole, struct scenario_options *shared)
{
	shared->slow_text = opt_text(&shared->line, "slow-device");
	shared->slow_size_text = opt_text(&shared->line, "slow-size");
	if (opt_list_effective(&shared->line, whole)) {
		diag_error(ENOMEM, "cannot read the command line");
		return DIAG_EXIT_HOST;
	}
	return frame_check_outputs(shared->xml_path, shared->json_path);
}

void scenario_options_free(struct scenario_options *options)
{
	label_free(&options->labels);
	opt_free(&options->line);
}

void scenario_options_sign(const struct scenario_options *options, struct report_signature *signature)
{
	signature->options = options->line.effective;
	signature->option_count = options->line.effective_count;
	signature->labels = options->labels.list;
	signature->label_count = options->labels.count;
}

bool scenario_options_take_stdout(const struct scenario_options *options)
{
	return opt_is_stdout(options->xml_path) || opt_is_stdout(options->json_path);
}
