/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "ssd-workloads/backend/choose.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/diag.h"
#include "common/probe/probe.h"

static const struct backend_ops *const backends[BACKEND_KINDS] = {&backend_uring, &backend_threads};

const struct backend_ops *backend_find(const char *name)
{
	for (int i = 0; i < BACKEND_KINDS; i++) {
		if (!strcmp(backends[i]->name, name))
			return backends[i];
	}
	return NULL;
}

static bool can_open(const struct backend_setup *setups, size_t count, const struct backend_ops *ops, void **states,
	struct backend_choice *choice)
{
	struct backend_attempt *attempt = &choice->tries[choice->count++];
	size_t opened = 0;

	*attempt = (struct backend_attempt){.name = ops->name};
	for (; opened < count && !attempt->error; opened += !attempt->error) {
		const char *features;

		attempt->error = ops->open(&setups[opened], &states[opened], &attempt->why);
		if (attempt->error)
			continue;
		/* The shortest list is common to all workers. */
		features = ops->features(states[opened]);
		if (!opened || strlen(features) < strlen(choice->features))
			snprintf(choice->features, sizeof(choice->features), "%s", features);
	}
	while (opened--)
		ops->close(states[opened]);
	if (attempt->error)
		return false;
	attempt->why = NULL;
	choice->ops = ops;
	return true;
}

int backend_choose(const struct backend_setup *setups, size_t count, const char *first, const char *only,
	struct backend_choice *choice)
{
	const struct backend_attempt *tries = choice->tries, *last;
	const char *from = only ? only : first;
	void **states = calloc(count, sizeof(*states));
	bool has_begun = !from;
	char why[256];

	*choice = (struct backend_choice){.ops = NULL};
	if (!states) {
		diag_error(ENOMEM, "cannot begin");
		return DIAG_EXIT_HOST;
	}
	for (int i = 0; i < BACKEND_KINDS && !choice->ops; i++) {
		has_begun = has_begun || !strcmp(backends[i]->name, from);
		if (has_begun && (!only || !strcmp(backends[i]->name, only)))
			can_open(setups, count, backends[i], states, choice);
	}
	free(states);
	if (choice->ops)
		return DIAG_EXIT_OK;
	last = &tries[choice->count - 1];
	if (only && backend_find(only)->probe && probe_require("", backend_find(only)->probe, why, sizeof(why)))
		diag_error(0, "--require %s: %s", only, why);
	else if (only)
		diag_error(last->error, "--require %s: %s", only, last->why);
	else if (choice->count == 1)
		diag_error(last->error, "no engine can write here: %s: %s", last->name, last->why);
	else
		diag_error(0, "no engine can write here: %s: %s; %s: %s", tries->name, tries->why, last->name, last->why);
	return DIAG_EXIT_HOST;
}
