/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Analyses of recordings, each a row of a table. An analysis reads the selected samples of a source as often as it needs and fills
 * the record of its element in the report (schema/memtrace.h); the text, the JSON and the report are made from that record.
 */
#ifndef MEMTRACE_ANALYZE_ANALYSIS_H
#define MEMTRACE_ANALYZE_ANALYSIS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/arena.h"
#include "memtrace/active/returns.h"
#include "memtrace/analyze/source.h"
#include "memtrace/estimate/buckets.h"
#include "memtrace/estimate/estimate.h"
#include "memtrace/estimate/order.h"
#include "schema/memtrace.h"

#define ANALYSIS_ROWS 20       /* default of --rows, for lists of the most popular buckets */
#define ANALYSIS_COLUMNS_MAX 240 /* of a map */
#define ANALYSIS_BANDS_MAX 128
#define ANALYSIS_BINS 2048     /* maximum of bins of counts in address order */
#define ANALYSIS_CURVE 400     /* maximum of rows of a curve */

enum analysis_estimator { ANALYSIS_AUTO, ANALYSIS_STATSTACK, ANALYSIS_CHE };

struct analysis_options {
	uint64_t bucket_bytes; /* 0 = the analysis's default */
	uint64_t rows;
	unsigned x, y;         /* of pattern: x 0 time, 1 samples; y 0 rank, 1 address */
	unsigned estimator;    /* of missratio */
};

/* State of a running analysis. Texts and rows belong to the arena. */
struct analysis_run {
	const struct analysis *analysis;
	const struct analysis_options *options;
	struct source *source;         /* of partition: the earlier recording */
	struct source *after, *equal;  /* of partition, equal only with --equal; else NULL */
	unsigned shift;                /* log2 of the bucket's size */
	struct arena arena;
	void *values;                  /* values of the record of the element */
	struct mt_interval_values *intervals; /* of pattern by time; else NULL */
	size_t interval_count;
	uint64_t interval_ns;
	uint64_t *touched;             /* buckets with a sample, by name of the source; NULL = not counted */
};

struct analysis {
	const char *name;       /* "count" */
	const char *question;   /* for --help and the manual, without a period */
	const char *takes;      /* applicable options, separated by blanks */
	const char *element;    /* name of the field in <result> whose record it fills */
	const char *rows;       /* name of the rows in that record that are printed */
	const char *plot;       /* the kind of picture */
	uint64_t bucket_bytes;  /* default of --bucket */
	bool takes_returns;     /* can use pages that were paged out, without any sample of accesses */
	/* Fills run->values. Returns 0, -ENOMEM, -E2BIG (too many buckets), or -ENODATA; then why names the data that the
	 * recording lacks. */
	int (*run)(struct analysis_run *run, const char **why);
};

/* Ended by a row without a name. */
extern const struct analysis analyses[];
const struct analysis *analysis_find(const char *name); /* NULL if there is none */
const char *analysis_name(size_t index);                /* NULL if index is too large */
/* Returns why the analysis cannot use a source that has no samples of accesses; NULL if it can, or the source has some. */
const char *analysis_why_not(const struct analysis *analysis, const struct source *source);
/* Returns the field of the analysis's element in mt_result. */
const struct field *analysis_field(const struct analysis *analysis);

/* --- for analyses --- */

/* Allocates zeroed memory of the arena. Returns NULL if there is no memory. */
void *analysis_allocate(struct analysis_run *run, size_t count, size_t size);
const char *analysis_hex(struct analysis_run *run, uint64_t address); /* NULL = no memory */
/* Counts all selected samples by bucket; a bucket's extra is the name (index of the source's names) of its first sample. Fills
 * run->touched if source is run->source. Returns 0, -ENOMEM or -E2BIG. */
int analysis_buckets(struct analysis_run *run, struct source *source, struct buckets *buckets);
/* Conclusions about all accesses from the selected samples of a source. */
struct analysis_sampled {
	struct spectrum spectrum;
	enum order_kind order;
	struct estimate buckets; /* buckets that were accessed */
	const char *indication;  /* why intervals of the buckets' popularity are invalid; NULL = they are valid */
	double accesses, most;   /* upper end of all accesses, NAN: not known; buckets that can be accessed, INFINITY: not known */
};
/* Fills sampled, and sorts buckets as by analysis_buckets and buckets_sort. Returns 0, -ENOMEM or -E2BIG. */
int analysis_sample(struct analysis_run *run, struct buckets *buckets, struct analysis_sampled *sampled);
/* Returns the first address of a bucket. */
uint64_t analysis_address(const struct analysis_run *run, uint64_t key);
static inline double analysis_percent(double part, double whole)
{
	return whole > 0 ? 100 * part / whole : 0;
}
/* Tells whether a curve over the ranks 1 to all has a row of this rank: all ranks, or up to about ANALYSIS_CURVE of them,
 * evenly in their logarithm, and the last. before: the rank of the row before; 0 = none. */
bool analysis_is_shown(uint64_t rank, uint64_t before, uint64_t all);
/* Returns an estimate of the accesses, samples times period; NAN if the engine does not sample by accesses. */
struct estimate analysis_accesses(const struct source *source, uint64_t samples);

/* Computes the returns of the pages of a source with has_returns. Returns 0, -ENOMEM or -E2BIG. */
int analysis_returns(struct source *source, struct returns *returns);
/* Does the same for buckets that are pages; otherwise returns -ENODATA and the reason in why. */
int analysis_returns_of_pages(struct analysis_run *run, struct returns *returns, const char **why);
/* Sets the values of the working set that returns support, and leaves the other values. */
int analysis_returns_hotset(struct analysis_run *run, struct mt_hotset_values *values, const char **why);

int analysis_pattern(struct analysis_run *run, const char **why);
int analysis_count(struct analysis_run *run, const char **why);
int analysis_hotset(struct analysis_run *run, const char **why);
int analysis_missratio(struct analysis_run *run, const char **why);
int analysis_skew(struct analysis_run *run, const char **why);
int analysis_partition(struct analysis_run *run, const char **why);
int analysis_reuse(struct analysis_run *run, const char **why);
int analysis_stride(struct analysis_run *run, const char **why);
int analysis_sharing(struct analysis_run *run, const char **why);

#endif
