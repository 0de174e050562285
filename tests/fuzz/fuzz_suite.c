/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Any bytes as a suite: refused with one line, or steps whose names and words hold what their header says. */
#include "config.h"
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "memstor/suite/suite.h"

static void check(bool is_true)
{
	if (!is_true)
		abort();
}

static void check_step(const struct suite *suite, size_t index)
{
	const struct suite_step *step = &suite->steps[index];

	check(suite_is_name(step->name) && step->line > 0);
	for (size_t i = 0; i < index; i++)
		check(strcmp(step->name, suite->steps[i].name) != 0);
	check(step->word_count > 0 && step->word_count <= SUITE_WORDS_MAX && !step->words[step->word_count]);
	for (size_t i = 0; i < step->word_count; i++)
		check(strlen(step->words[i]) < SUITE_LINE_MAX);
	check(step->repeat >= 1 && step->repeat <= SUITE_RUNS_MAX && step->warmup <= SUITE_RUNS_MAX);
	check(step->budget_ns >= 10000000 && step->need_count <= SUITE_NEEDS_MAX);
	for (size_t i = 0; i < step->need_count; i++)
		check(step->needs[i].row && step->needs[i].text[0]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct suite_variable variables[] = {{"seconds", "$map '"}, {"pattern", "a 'b c' d"}};
	const struct suite_scope settings = {size % 3 ? 0 : 2, variables};
	struct suite suite;
	char why[512] = "";
	/* Without a byte behind it that happens to be there. */
	char *text = malloc(size + !size);
	int err;

	if (!text)
		return 0;
	memcpy(text, data, size);
	err = suite_parse("f", "/h", text, size, &settings, &suite, why, sizeof(why));
	free(text);
	if (err) {
		check(err == -EINVAL && why[0] && !strchr(why, '\n') && !suite.steps);
		return 0;
	}
	check(suite.step_count > 0 && suite.step_count <= SUITE_STEPS_MAX);
	for (size_t i = 0; i < suite.step_count; i++)
		check_step(&suite, i);
	suite_free(&suite);
	return 0;
}
