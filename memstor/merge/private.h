/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by merge*.c only. All texts are in the arena. */
#ifndef MEMSTOR_MERGE_PRIVATE_H
#define MEMSTOR_MERGE_PRIVATE_H

#include "common/arena.h"
#include "common/histogram.h"
#include "common/report_copy.h"
#include "memstor/merge/merge.h"

#define MERGE_PARTS_MAX 10000     /* each uuid is compared with each */
#define MERGE_TEXTS_MAX 512       /* options, facts, ... of one part, likewise */
#define MERGE_HISTOGRAMS_MAX 256  /* different ones */
#define MERGE_ELEMENTS_MAX 3000000 /* kept of all inputs: what is written must be read (common/report_read.h) */
#define MERGE_MONOTONIC_MAX (1ull << 60) /* ns: 36 years */
#define MERGE_TOGETHER_PERCENT 95 /* parts that overlap by less did not run side by side */

struct merge_texts {
	size_t count;
	struct loaded_text *items;
};

struct merge_check { /* of the environment, or a reason of the verdict (measured alone) */
	const char *code, *finding, *measured, *advice;
};

struct merge_checks {
	size_t count;
	struct merge_check *items;
};

struct merge_row { /* all accesses of one type of one part */
	const char *type;
	const struct histogram_layout *layout;
	struct histogram_summary summary;
};

/* One run. */
struct merge_part {
	const char *file, *uuid, *tool_version, *report_version;
	const char *seed, *wall_start; /* "" = unknown */
	bool has_clock;
	int64_t wall_ns;            /* wall_start since 1970 */
	uint64_t start_ns, end_ns;  /* on CLOCK_MONOTONIC of boot_id */
	const char *hostname, *boot_id, *os_name, *release, *os_version, *arch;
	struct merge_texts options, labels, facts;
	struct merge_checks checks, reasons;
	const char *status;
	uint64_t threads, accesses;
	double run_s, accesses_per_second, faults_per_second; /* NAN = unknown */
	size_t row_count;
	struct merge_row *rows;
};

struct merge_parts {
	size_t count, room;
	struct merge_part *items;
};

/* When the parts ran, all on the clock of the first one. */
struct merge_window {
	bool is_known;
	uint64_t start_ns, end_ns; /* from the first begin to the last end, CLOCK_MONOTONIC */
	const char *wall_start;    /* the earliest */
	double any_s, sum_s;       /* while at least one ran; their lengths together */
	double overlap_percent;    /* while all ran, of any_s */
};

struct merge_histogram {
	const char *type, *class;
	const struct histogram_layout *layout;
	uint64_t *counts;
	uint64_t count;
	size_t inputs;       /* how many had it */
	size_t contributors; /* how many of these had counts */
	bool has_summary, has_deviation;
	long double mean_ns, squares_ns2; /* squares: sum of squared distances from the mean */
	double min_ns, max_ns, only_stddev_ns; /* the last one of a single contributor */
};

struct merge_phase {
	const struct report_node *node; /* kept of the first: says what was accessed how */
	size_t occurrence; /* which of the phases that say the same, in each input */
	double begin_s, end_s;
	uint64_t accesses, minor, major;
	bool has_mean;
	long double sum_ns;
};

struct merge_thread { /* kept <result_thread> */
	const struct report_node *node;
	uint64_t process; /* added to its process */
	double clk_ratio; /* of the merged report's clock ticks to its own */
};

struct merge_totals {
	uint64_t accesses, inexact, map_bytes, zero_pages, infrastructure_pages;
	double slow_threshold_ns;
	size_t slow_inputs, inexact_inputs, zero_inputs; /* how many had it */
	size_t set_count, set_room;
	uint64_t *set_bytes;
};

struct merge_pressure {
	size_t inputs;
	bool was_oom, is_restored;
	uint64_t setup_ns, teardown_ns;
};

struct merge {
	struct arena arena;
	unsigned flags;
	size_t inputs, elements;
	struct loaded *first; /* its machine and signature speak for all */
	bool is_original;     /* an input has the original's elements only: so has the merged report */
	struct merge_parts parts;
	struct merge_window window;
	const struct report_node *time_info; /* the latest end */
	size_t thread_count, thread_room;
	struct merge_thread *threads;
	uint64_t processes;
	struct merge_totals totals;
	struct merge_pressure pressure;
	size_t phase_count, phase_room;
	struct merge_phase *phases;
	size_t media_inputs;
	double media_ns; /* NAN = the inputs do not agree */
	size_t histogram_count;
	struct merge_histogram histograms[MERGE_HISTOGRAMS_MAX];
	size_t without_reads, without_writes; /* inputs whose options allow none */
	struct merge_texts omissions;
	size_t omission_room;
	size_t note_count, note_room;
	const char **notes;
	bool is_short; /* memory was: what was kept since is not to be used */
	/* of the input being added */
	const char *path;
	char *why;
	size_t length;
};

/* "FILE:LINE: text" (without a node "FILE: text") into why; returns err. */
int merge_refuse(struct merge *merge, int err, const struct report_node *node, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
/* Texts in the arena; "" and is_short when memory is short. */
const char *merge_text(struct merge *merge, const char *text);
const char *merge_format(struct merge *merge, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* *items, an array of things of that size on the heap, has room for one more; or false and is_short. */
bool merge_grow(struct merge *merge, void *items, size_t count, size_t *room, size_t size);
/* Cleared, in the arena; NULL and is_short. */
void *merge_array(struct merge *merge, size_t count, size_t size);
/* The first omission of that name stays; name and why are in the arena. */
void merge_omit(struct merge *merge, const char *name, const char *why);
void merge_remark(struct merge *merge, const char *line);
/* The whole number that is the element's text; 0 or refused. */
int merge_read_u64(struct merge *merge, const struct report_node *node, uint64_t *value);
/* That of find(parent, path), refused when absent. */
int merge_need_u64(
	struct merge *merge, const struct report_node *parent, const char *path, uint64_t *value);
/* Likewise; absent is NAN. */
int merge_take_double(
	struct merge *merge, const struct report_node *parent, const char *path, double *value);
/* *sum += more, refused when it overflows; what is its name. */
int merge_sum(struct merge *merge, const char *what, uint64_t *sum, uint64_t more);

/* Steps of merge_add: 0 or refused. */
int merge_add_parts(struct merge *merge, const struct loaded *loaded);      /* merge/part.c: its part or parts */
int merge_check_parts(struct merge *merge, size_t first);                   /* merge/differ.c: new ones from first on */
int merge_add_result(struct merge *merge, const struct loaded *loaded);     /* merge/result.c */
bool merge_is_counted(const char *name);                                    /* of a phase: an element that is added */
int merge_add_histograms(struct merge *merge, const struct loaded *loaded); /* merge/histogram.c */
/* Of merge_add_parts: a <part> of a merged report, as merge_write_parts writes it (merge/part_read.c). */
int merge_read_part(struct merge *merge, const struct report_node *node, struct merge_part *part);
/* From the signature or a <part>: wall_start and what belongs to it; <host>. */
int merge_take_clock(struct merge *merge, const struct report_node *from, struct merge_part *part);
void merge_take_host(struct merge *merge, const struct report_node *host, struct merge_part *part);
const struct histogram_layout *merge_layout(const char *name); /* NULL: not one that we know */
/* The elements of a list of the report or of a <part>; merge/part_read.c. */
int merge_read_checks(struct merge *merge, const struct report_node *from, const char *list, const char *element,
	struct merge_checks *checks);

/* Steps of merge_report. */
void merge_make_window(struct merge *merge); /* merge/clock.c */
int merge_read_wall(const char *text, int64_t *ns); /* "2026-11-21T09:24:29.000000042Z": 0 or -EINVAL */
void merge_make_omissions(struct merge *merge); /* merge/histogram.c: what not all inputs have */
bool merge_is_complete(const struct merge *merge, const struct merge_histogram *histogram);
void merge_summarize(const struct merge_histogram *histogram, struct histogram_summary *summary);
/* merge/differ.c: a name and what each has, for each difference of the part from the first one. */
typedef void merge_difference_fn(const char *name, const char *first, const char *part, void *data);
void merge_differ(struct merge *merge, const struct merge_part *part, merge_difference_fn *tell, void *data);
/* The same of the options alone. */
void merge_differ_options(
	struct merge *merge, const struct merge_part *part, merge_difference_fn *tell, void *data);
/* Whether each part has the same values under this name. */
bool merge_is_shared(const struct merge *merge, size_t list_offset, const char *name);
/* merge/text.c: the different texts of the parts in their order, with commas between. */
const char *merge_join(
	struct merge *merge, const char *(*text_of)(const struct merge_part *part, const void *data), const void *data);

void merge_write_signature(struct merge *merge, struct report *report);
void merge_write_result(struct merge *merge, struct report *report);
void merge_write_parts(struct merge *merge, struct report *report); /* and what there is to remark */

#endif
