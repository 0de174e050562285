/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "iowrite-bench/evaluate/result.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

const char *result_model_name(enum result_model model)
{
	static const char *const names[RESULT_MODELS] = {
		[RESULT_NAIVE] = "naive", [RESULT_CAWL] = "cawl", [RESULT_KERNEL] = "kernel"};

	return names[model];
}

/* Room for one more of size bytes; the list, or NULL. */
static void *grow(void *list, size_t count, size_t *room, size_t size)
{
	size_t wanted = *room ? *room * 2 : 16;
	void *grown;

	if (count < *room)
		return list;
	grown = reallocarray(list, wanted, size);
	if (grown)
		*room = wanted;
	return grown;
}

double result_improvement_percent(const struct result_trial *trial, enum result_model model)
{
	const struct result_judgement *naive = &trial->models[RESULT_NAIVE], *judgement = &trial->models[model];

	if (model == RESULT_NAIVE || !naive->is_there || !judgement->is_there || !(naive->errors.per_write > 0))
		return NAN;
	return 100 * (1 - judgement->errors.per_write / naive->errors.per_write);
}

struct result_trial *result_add_trial(struct evaluate_result *result)
{
	struct result_trial *trials =
		grow(result->trials, result->trial_count, &result->trial_room, sizeof(*trials));

	if (!trials)
		return NULL;
	result->trials = trials;
	trials[result->trial_count] = (struct result_trial){0};
	return &trials[result->trial_count++];
}

int result_skip(struct evaluate_result *result, const char *name, const char *format, ...)
{
	struct result_skipped *skipped =
		grow(result->skipped, result->skipped_count, &result->skipped_room, sizeof(*skipped));
	va_list arguments;

	if (!skipped)
		return -ENOMEM;
	result->skipped = skipped;
	skipped += result->skipped_count++;
	snprintf(skipped->name, sizeof(skipped->name), "%s", name);
	va_start(arguments, format);
	vsnprintf(skipped->reason, sizeof(skipped->reason), format, arguments);
	va_end(arguments);
	return 0;
}

void result_free(struct evaluate_result *result)
{
	for (size_t i = 0; i < result->trial_count; i++)
		free(result->trials[i].writes);
	free(result->trials);
	free(result->skipped);
	*result = (struct evaluate_result){0};
}
