/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "ssd-workloads/backend/ladder.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/diag.h"

static const struct backend_ops *const rungs[LADDER_RUNGS] = {&backend_uring, &backend_threads};

const struct backend_ops *ladder_find(const char *name)
{
	for (int i = 0; i < LADDER_RUNGS; i++) {
		if (!strcmp(rungs[i]->name, name))
			return rungs[i];
	}
	return NULL;
}

/* What one of them lacks not all have. */
static void note_features(const char *features, bool is_first, struct ladder *ladder)
{
	if (is_first || strlen(features) < strlen(ladder->features))
		snprintf(ladder->features, sizeof(ladder->features), "%s", features);
}

static int try_rung(const struct backend_setup *setups, size_t count, const struct backend_ops *ops, void **states,
	struct ladder *ladder)
{
	struct ladder_try *attempt = &ladder->tries[ladder->count++];
	size_t opened = 0;

	*attempt = (struct ladder_try){.name = ops->name};
	for (; opened < count && !attempt->error; opened += !attempt->error) {
		attempt->error = ops->open(&setups[opened], &states[opened], &attempt->why);
		if (!attempt->error)
			note_features(ops->features(states[opened]), !opened, ladder);
	}
	while (opened--)
		ops->close(states[opened]);
	if (attempt->error)
		return attempt->error;
	attempt->why = NULL;
	ladder->ops = ops;
	return 0;
}

static int refuse(const struct ladder *ladder, const char *only)
{
	const struct ladder_try *first = &ladder->tries[0], *last = &ladder->tries[ladder->count - 1];

	if (only)
		diag_error(last->error, "--require %s: %s", only, last->why);
	else if (first == last)
		diag_error(last->error, "nothing can write here: %s: %s", last->name, last->why);
	else
		diag_error(0, "nothing can write here: %s: %s; %s: %s", first->name, first->why, last->name, last->why);
	return DIAG_EXIT_HOST;
}

static int climb(const struct backend_setup *setups, size_t count, const char *first, const char *only, void **states,
	struct ladder *ladder)
{
	const char *from = only ? only : first;
	bool has_begun = !from;

	for (int i = 0; i < LADDER_RUNGS; i++) {
		has_begun = has_begun || !strcmp(rungs[i]->name, from);
		if (!has_begun || (only && strcmp(rungs[i]->name, only) != 0))
			continue;
		if (!try_rung(setups, count, rungs[i], states, ladder))
			return DIAG_EXIT_OK;
	}
	return refuse(ladder, only);
}

int ladder_choose(const struct backend_setup *setups, size_t count, const char *first, const char *only,
	struct ladder *ladder)
{
	void **states = calloc(count, sizeof(*states));
	int code;

	*ladder = (struct ladder){.ops = NULL};
	if (!states) {
		diag_error(ENOMEM, "cannot begin");
		return DIAG_EXIT_HOST;
	}
	code = climb(setups, count, first, only, states, ladder);
	free(states);
	return code;
}
