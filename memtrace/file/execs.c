/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "memtrace/file/execs.h"

#include <errno.h>
#include <stdlib.h>

#include "common/base/arena.h"

int execs_add(struct execs *execs, enum exec_kind kind, uint32_t pid, uint64_t time_ns)
{
	struct exec_note *last = execs->count ? &execs->notes[execs->count - 1] : NULL;

	/* A program has many mappings, of which one is enough. */
	if (last && kind == EXEC_MAPPED && last->kind == kind && last->pid == pid) {
		last->time_ns = time_ns > last->time_ns ? time_ns : last->time_ns;
		return 0;
	}
	if (arena_grow(&execs->notes, &execs->capacity, execs->count, sizeof(*execs->notes)))
		return -ENOMEM;
	execs->notes[execs->count++] = (struct exec_note){time_ns, pid, kind};
	return 0;
}

static int compare_notes(const void *a, const void *b)
{
	const struct exec_note *one = a, *other = b;

	if (one->pid != other->pid)
		return one->pid < other->pid ? -1 : 1;
	if (one->time_ns != other->time_ns)
		return one->time_ns < other->time_ns ? -1 : 1;
	return (one->kind > other->kind) - (one->kind < other->kind);
}

uint64_t execs_stopped(struct execs *execs)
{
	uint64_t stopped = 0;
	size_t kept = 0;

	if (execs->count)
		qsort(execs->notes, execs->count, sizeof(*execs->notes), compare_notes);
	/* The list keeps the exec of a process that has neither mapped nor ended since. */
	for (size_t i = 0; i < execs->count; i++) {
		const struct exec_note note = execs->notes[i];

		if (kept && execs->notes[kept - 1].pid == note.pid) {
			stopped += note.kind == EXEC_ENDED;
			kept--;
		}
		if (note.kind == EXEC_BEGUN)
			execs->notes[kept++] = note;
	}
	execs->count = kept;
	return stopped;
}

void execs_clear(struct execs *execs)
{
	execs->count = 0;
}

void execs_free(struct execs *execs)
{
	free(execs->notes);
	*execs = (struct execs){0};
}
