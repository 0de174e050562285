/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by the files of merge/ only. All texts are in the arena. */
#ifndef MEMSTOR_MERGE_PRIVATE_H
#define MEMSTOR_MERGE_PRIVATE_H

#include "common/arena.h"
#include "common/field.h"
#include "common/histogram.h"
#include "common/report.h"
#include "memstor/merge/merge.h"
#include "memstor/metric.h"
#include "schema/shared.h"

#define MERGE_PARTS_MAX 10000     /* the uuids of all pairs are compared */
#define MERGE_TEXTS_MAX 512       /* options, facts, ... of one part, for the same reason */
#define MERGE_ELEMENTS_MAX 3000000 /* over all inputs, so that the result is readable (common/report_read.h) */
#define MERGE_TOGETHER_PERCENT 95 /* parts with a smaller overlap did not run at the same time */

/* The lists of a part in which parts may differ. */
enum merge_list { MERGE_OPTIONS, MERGE_LABELS, MERGE_FACTS, MERGE_LISTS };

/* One run, as its element <part>: of a report that is not a merge it is made from that report. */
struct merge_part {
	struct report_document *document; /* holds the node; NULL = the node is in the arena */
	const struct report_node *node;
	const char *file, *uuid, *status;
	const char *wall_start;     /* "" = unknown */
	bool has_clock;
	int64_t wall_ns;            /* wall_start in ns since 1970 */
	uint64_t start_ns, end_ns;  /* on CLOCK_MONOTONIC of boot_id */
	const char *boot_id;
	uint64_t threads;
	struct loaded_texts lists[MERGE_LISTS];
};

struct merge_parts {
	size_t count, room;
	struct merge_part *items;
};

/* The time of the parts, on the clock of the first one. */
struct merge_window {
	bool is_known, is_apart;
	uint64_t start_ns, end_ns; /* the first begin and the last end, on CLOCK_MONOTONIC */
	const char *wall_start;    /* the earliest */
	double any_s, sum_s;       /* time while at least one part ran; sum of their durations */
	double overlap_percent;    /* time while all parts ran, in percent of any_s */
};

struct merge_histogram {
	const char *type, *class, *layout;
	struct loaded_histogram sum;
	size_t class_order;
	size_t inputs; /* number of inputs that have it */
	bool has_summary;
};

struct merge_type { /* inputs: number of inputs with histograms of it; seen: number of the last of these, from 1 */
	const char *name;
	size_t inputs, seen;
};

struct merge {
	struct arena arena;
	unsigned flags;
	size_t inputs, elements;
	struct loaded *first; /* values without a merge rule are those of this report */
	bool is_original;     /* an input has the original's elements only, and so has the merged report */
	struct merge_parts parts;
	struct merge_window window;
	struct merge_sum *sum; /* the sum of the <report> of all inputs */
	const struct report_node *original_like; /* an element of a report of the original that is kept unchanged */
	int64_t end;           /* end of the input that ended last */
	size_t number_count, number_room;
	struct merge_numbers *numbers;
	size_t histogram_count, histogram_room, type_count, type_room, with_histograms;
	struct merge_histogram *histograms;
	struct merge_type *types;
	size_t omission_count, omission_room;
	struct named_text_values *omissions; /* name and reason of each */
	size_t note_count, note_room;
	const char **notes;
	/* the input being added */
	const char *path;
	bool is_last;  /* it ended later than the earlier inputs */
	bool adds_original;
	char *why;
	size_t length;
};

/* --- merge/text.c --- */

/* Writes "FILE:LINE: text" (without a node "FILE: text") into why. Returns err. */
int merge_refuse(struct merge *merge, int err, const struct report_node *node, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
/* Makes room for one more item of this size in *items, an array on the heap. Returns false if memory is short. */
bool merge_grow(struct merge *merge, void *items, size_t count, size_t *room, size_t size);
/* Adds an omission, unless there is one of this name; name and why must be in the arena. merge_remark adds a note. */
void merge_omit(struct merge *merge, const char *name, const char *why);
void merge_remark(struct merge *merge, const char *line);
/* Returns "first, more", or first if that list contains more. */
const char *merge_join(struct merge *merge, const char *first, const char *more);
/* Reads the text of an element as a whole number. Returns 0 or as merge_refuse. */
int merge_read_u64(struct merge *merge, const struct report_node *node, uint64_t *value);
/* The same for the element at path below parent, which must exist. */
int merge_need_u64(
	struct merge *merge, const struct report_node *parent, const char *path, uint64_t *value);

/* --- merge/sum.c: elements, added by the merge rules of their lists --- */

/* Adds the elements below <report>. Returns 0 or as merge_refuse. */
int merge_add_tree(struct merge *merge, const struct report_node *report);
/* Adds an omission for each value that cannot be written; call it before merge_write_tree. */
void merge_settle_tree(struct merge *merge);
/* Writes the child of <report> of this name, if all inputs have it. */
void merge_write_tree(struct merge *merge, struct report *report, const char *name);

/* Returns the value at a path below <report> if it is the same in all inputs; else NAN. */
double merge_tree_number(const struct merge *merge, const char *path);

/* --- merge/write.c --- */

/* Writes a child of the element `around` of the signature that has no merge rule. Returns false if it has one. */
bool merge_write_own(struct merge *merge, struct report *report, const char *around, const char *name);

/* --- merge/part.c: the merged parts --- */

/* Checks and adds the part or the parts of an input. Returns 0 or as merge_refuse. */
int merge_add_parts(struct merge *merge, const struct loaded *loaded);
/* Return the value of this name over all parts by the merge rules TIME and RATE; NAN = a part has none. */
double merge_parts_time(const struct merge *merge, const char *name);
double merge_parts_rate(const struct merge *merge, const char *name);
/* Whether a name in a list has the same values in all parts. */
bool merge_is_shared(const struct merge *merge, enum merge_list list, const char *name);
void merge_write_parts(struct merge *merge, struct report *report); /* also adds the notes on the parts */

/* --- merge/clock.c --- */

void merge_make_window(struct merge *merge); /* of all parts */
int merge_read_wall(const char *text, int64_t *ns); /* "2026-11-21T09:24:29.000000042Z": 0 or -EINVAL */

/* --- merge/histogram.c --- */

/* Adds the histograms of an input. Returns 0 or as merge_refuse. */
int merge_add_histograms(struct merge *merge, const struct loaded *loaded);
void merge_settle_histograms(struct merge *merge); /* adds an omission for each histogram that not all inputs have */
void merge_write_statistics(struct merge *merge, struct report *report);
/* Writes a <latency_histogram> with this type, class and layout. */
void merge_write_histogram(struct report *report, const char *type, const char *class, const char *layout,
	const struct loaded_histogram *histogram, bool has_summary, bool has_buckets);
/* Whether all inputs have this histogram. */
bool merge_has_all(const struct merge *merge, const struct merge_histogram *histogram);

/* --- merge/original.c: elements that only reports of pmbench have --- */

/* Returns a number that increases with the time of the end of an input of the original; -1 = unknown. */
int64_t merge_original_end(const struct report_node *report);
const char *merge_original_os(const struct report_node *signature); /* as of uname -s; "" = unknown */
/* Writes the element if it is that of the original's format version. Returns whether it is. */
bool merge_write_original_version(const struct merge *merge, struct report *report, const char *name);
/* Writes the original's <histogram>, if this histogram is one of reads or writes of class "all" in its layout. */
void merge_write_original_histogram(struct report *report, const struct merge_histogram *histogram);
/* Writes the element of this name if it is computed from the histograms and these suffice; with report NULL it is not
 * written. Returns whether it is such an element. */
bool merge_write_derived(struct merge *merge, struct report *report, const char *name);

#endif
