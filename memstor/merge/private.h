/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by merge/ only. All texts are in the arena. */
#ifndef MEMSTOR_MERGE_PRIVATE_H
#define MEMSTOR_MERGE_PRIVATE_H

#include "common/arena.h"
#include "common/field.h"
#include "common/histogram.h"
#include "common/report.h"
#include "memstor/merge/merge.h"
#include "memstor/metric.h"
#include "schema/shared.h"

#define MERGE_PARTS_MAX 10000     /* each uuid is compared with each */
#define MERGE_TEXTS_MAX 512       /* options, facts, ... of one part, likewise */
#define MERGE_ELEMENTS_MAX 3000000 /* kept of all inputs: what is written must be read (common/report_read.h) */
#define MERGE_TOGETHER_PERCENT 95 /* parts that overlap by less did not run side by side */

/* One run, as the <part> that is written of it: of a report that is no merge it is made from that. */
struct merge_part {
	struct report_document *document; /* NULL: the node is in the arena */
	const struct report_node *node;
	const char *file, *uuid, *status;
	const char *wall_start;     /* "" = unknown */
	bool has_clock;
	int64_t wall_ns;            /* wall_start since 1970 */
	uint64_t start_ns, end_ns;  /* on CLOCK_MONOTONIC of boot_id */
	const char *boot_id;
	uint64_t threads;
};

struct merge_parts {
	size_t count, room;
	struct merge_part *items;
};

/* When the parts ran, all on the clock of the first one. */
struct merge_window {
	bool is_known, is_apart;
	uint64_t start_ns, end_ns; /* from the first begin to the last end, CLOCK_MONOTONIC */
	const char *wall_start;    /* the earliest */
	double any_s, sum_s;       /* while at least one ran; their lengths together */
	double overlap_percent;    /* while all ran, of any_s */
};

struct merge_histogram {
	const char *type, *class, *layout;
	struct loaded_histogram sum;
	size_t class_order;
	size_t inputs; /* how many had it */
	bool has_summary;
};

struct merge_type { /* how many inputs have histograms of it; seen: by which input last, from 1 */
	const char *name;
	size_t inputs, seen;
};

struct merge {
	struct arena arena;
	unsigned flags;
	size_t inputs, elements;
	struct loaded *first; /* what has no rule is written as it stands there */
	bool is_original;     /* an input has the original's elements only: so has the merged report */
	struct merge_parts parts;
	struct merge_window window;
	struct merge_sum *sum; /* <report> of all, added up */
	const struct report_node *original_like; /* an element of an original that is kept whole */
	int64_t end;           /* of the input that ended last */
	size_t number_count, number_room;
	struct merge_numbers *numbers;
	size_t histogram_count, histogram_room, type_count, type_room, with_histograms;
	struct merge_histogram *histograms;
	struct merge_type *types;
	size_t omission_count, omission_room;
	struct named_text_values *omissions; /* why, by name */
	size_t note_count, note_room;
	const char **notes;
	/* of the input being added */
	const char *path;
	bool is_last;  /* it ended after those before */
	bool adds_original;
	char *why;
	size_t length;
};

/* --- merge/text.c --- */

/* "FILE:LINE: text" (without a node "FILE: text") into why; returns err. */
int merge_refuse(struct merge *merge, int err, const struct report_node *node, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
/* *items, an array of things of that size on the heap, has room for one more; or false, and memory is short. */
bool merge_grow(struct merge *merge, void *items, size_t count, size_t *room, size_t size);
/* The first omission of that name stays; name and why are in the arena. */
void merge_omit(struct merge *merge, const char *name, const char *why);
void merge_remark(struct merge *merge, const char *line);
/* "first, more" unless more is among them. */
const char *merge_join(struct merge *merge, const char *first, const char *more);
/* The whole number that is the element's text; 0 or refused. */
int merge_read_u64(struct merge *merge, const struct report_node *node, uint64_t *value);
/* That of find(parent, path), refused when absent. */
int merge_need_u64(
	struct merge *merge, const struct report_node *parent, const char *path, uint64_t *value);

/* --- merge/sum.c: elements by the rules of their lists --- */

/* Adds what is below <report>. 0 or refused. */
int merge_add_tree(struct merge *merge, const struct report_node *report);
/* Notes what cannot be written of it as omissions; before the writing. */
void merge_settle_tree(struct merge *merge);
/* Writes the child of <report> of that name, if all inputs have it. */
void merge_write_tree(struct merge *merge, struct report *report, const char *name);

/* A value that all inputs have alike, by a path below <report>; else NAN. */
double merge_tree_number(const struct merge *merge, const char *path);

/* --- merge/write.c --- */

/* A child of an element of the signature that no rule makes; false when there is a rule. */
bool merge_write_own(struct merge *merge, struct report *report, const char *around, const char *name);

/* --- merge/part.c: what was merged --- */

/* The part or parts of an input, checked. 0 or refused. */
int merge_add_parts(struct merge *merge, const struct loaded *loaded);
/* The number of that name that each part has, by the rules TIME and RATE; NAN: some part has none. */
double merge_parts_time(const struct merge *merge, const char *name);
double merge_parts_rate(const struct merge *merge, const char *name);
/* A pair of the parts' lists, as "options", that all have alike. */
bool merge_is_shared(const struct merge *merge, const char *list, const char *name);
void merge_write_parts(struct merge *merge, struct report *report); /* and what there is to remark */

/* --- merge/clock.c --- */

void merge_make_window(struct merge *merge);
int merge_read_wall(const char *text, int64_t *ns); /* "2026-11-21T09:24:29.000000042Z": 0 or -EINVAL */

/* --- merge/histogram.c --- */

int merge_add_histograms(struct merge *merge, const struct loaded *loaded);
void merge_settle_histograms(struct merge *merge); /* omissions: what not all inputs have */
void merge_write_statistics(struct merge *merge, struct report *report);
/* <latency_histogram> of one that is called otherwise. */
void merge_write_histogram(struct report *report, const char *type, const char *class, const char *layout,
	const struct loaded_histogram *histogram, bool has_summary, bool has_buckets);
/* Whether all inputs have it. */
bool merge_has_all(const struct merge *merge, const struct merge_histogram *histogram);

/* --- merge/original.c: what is only in reports of pmbench --- */

/* When an input of the original ended, in a number that rises with the time; -1: it does not say. */
int64_t merge_original_end(const struct report_node *report);
const char *merge_original_os(const struct report_node *signature); /* uname -s; "" = it does not say */
/* Whether it is the element of the original's format version, which is then written. */
bool merge_write_original_version(const struct merge *merge, struct report *report, const char *name);
void merge_write_original_histogram(struct report *report, const struct merge_histogram *histogram);
/* An element of that name is made from the histograms, or left out when these do not give it. false: it is none of
 * these. Without a report it is not written. */
bool merge_write_derived(struct merge *merge, struct report *report, const char *name);

#endif
