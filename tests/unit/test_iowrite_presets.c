/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The presets of iowrite-bench: every value is one that the options take. */
#include "config.h"
#include "tests/unit/unit.h"
#include "iowrite-bench/commands.h"
#include "iowrite-bench/run/plan.h"

TEST("each preset parses to the options that it lists")
{
	for (const struct preset *preset = presets; preset->name; preset++) {
		static struct iow_run_options options;
		char argument[64], *argv[] = {(char *)"run", argument, NULL};

		snprintf(argument, sizeof(argument), "--preset=%s", preset->name);
		assert_ptr_equal(preset_of(preset->name), preset);
		assert_non_null(strstr(opt_row(iow_run_option_table, "preset")->allowed, preset->name));
		assert_true(strlen(preset->meaning) > 10 && strlen(preset->why) > 10);
		assert_int_equal(iow_run_options_parse(&iow_command_run, 2, argv, &options), 0);
		assert_ptr_equal(options.preset, preset);
		for (const struct preset_option *option = preset->options; option->name; option++) {
			assert_non_null(opt_row(iow_run_option_table, option->name));
			assert_string_equal(opt_text(&options.line, option->name), option->value);
		}
		iow_run_options_free(&options);
	}
	assert_null(preset_of("mysql"));
}
