/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Synthetic runs of pmbench whose accesses are known, so that runs can also be put together by hand. */
#ifndef TESTS_UNIT_MERGE_RUNS_H
#define TESTS_UNIT_MERGE_RUNS_H

#include "memstor/merge/merge.h"
#include "tests/unit/fake_result.h"

/* A run of one process and two threads whose latencies are drawn from seed; different uuids, the same host and time. */
struct fake *merge_run(unsigned seed);
/* The run that has all accesses of both: a process more. a and b stay as they are. */
struct fake *merge_union(const struct fake *a, const struct fake *b);
void merge_run_free(struct fake *run);

/* Its report, loaded under a name. */
struct loaded *merge_loaded(const struct fake *run, const char *name);
/* The text of the merged report of these reports, which are taken over; freed by the caller. */
char *merge_texts_of(unsigned flags, struct loaded *const *reports, size_t count);
struct loaded *merge_load_text(const char *xml, const char *name);

#endif
