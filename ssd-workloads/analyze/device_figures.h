/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Data of the figures of the simulated device. */
#ifndef SSD_WORKLOADS_ANALYZE_DEVICE_FIGURES_H
#define SSD_WORKLOADS_ANALYZE_DEVICE_FIGURES_H

#include "ssd-workloads/analyze/attribution.h"
#include "ssd-workloads/analyze/figure.h"

/* Segments of the time of the slice that is done last, each up to its station; a hit or a clean victim has no build, way_wait
 * and flash. */
enum device_segment { DEVICE_FETCH, DEVICE_FTL_WAIT, DEVICE_FTL, DEVICE_BUILD, DEVICE_WAY_WAIT, DEVICE_FLASH, DEVICE_LLS_WAIT,
	DEVICE_DMA, DEVICE_COMPLETION, DEVICE_SEGMENTS };
/* Computes the segments of a whole command. Their sum is its latency without the time to fetch it. */
void device_segments(const struct device_table *table, const struct device_command *command, uint64_t ns[DEVICE_SEGMENTS]);

/* Returns the median, or 0 if there are no values. Sorts the values. */
uint64_t device_median(uint64_t *values, size_t count);
/* W and E: the time of a flash write and of an erase that do not wait, from the way's queue until the firmware detects that they
 * are done. For the log alone with one outstanding write they are the medians. */
uint64_t device_write_baseline(const struct device_table *table);
uint64_t device_erase_baseline(const struct device_table *table);

/* The cause for which a whole command waited, by its last slice. CLEAN: it did not wait. WAY: it waited at least half a baseline
 * for its way, mostly not for collections. FIRMWARE: it waited at least a tenth of a baseline for the core before the FTL took
 * it. GC_EMPTY, GC_COPYING: it waited at least half a baseline for its way, at least half of that for collections, mostly
 * without or with copies. */
enum device_class { DEVICE_CLEAN, DEVICE_WAY, DEVICE_FIRMWARE, DEVICE_GC_EMPTY, DEVICE_GC_COPYING, DEVICE_OTHER };
enum device_class device_classify(const struct device_table *table, const struct device_command *command, uint64_t baseline_ns);

/* Writes that triggered collections, by the number of valid pages copied for them: 0, 1, 2, 3-4, 5-8, ... */
#define DEVICE_COPIES_BINS 20
struct device_copies {
	uint64_t writes, bins[DEVICE_COPIES_BINS];
	uint32_t mode;               /* the bin with the most writes, without bin 0; 0 = no copies */
	uint32_t most;
};
void device_copies(const struct device_table *table, int stream, struct device_copies *copies); /* stream MIX_STREAMS: all */
void device_copies_bin(uint32_t bin, uint32_t *from, uint32_t *to);

/* Finds a command in the table: the median one of a stream's clean commands, DEVICE_NONE = there is none. Returns 0 or -ENOMEM. */
int device_find_scheduled(const struct figure_input *input, enum mix_stream stream, uint32_t *found);
/* Finds a write of the checkpoint of which exactly one page waited at least half a baseline for its way, while an erase for the
 * log ran there; the median one of several. count receives their number. Returns 0 or -ENOMEM. */
int device_find_delayed(const struct figure_input *input, uint32_t *found, size_t *count);

/* --- attribution --- */

struct device_matrix { /* sums over a stream's whole commands */
	uint64_t writes, tail_writes;        /* tail: slower than the 99th percentile */
	uint64_t latency_ns, tail_latency_ns;
	uint64_t slack_ns, slack_slices;     /* time from the end of the other slices to that of the last one; their number */
	struct attribution_parts all, tail, largest; /* largest: writes whose largest part other than own service is this one */
};
/* Sums up a stream's commands; stream MIX_STREAMS: all. Returns 0 or -ENOMEM. */
int device_matrix_make(const struct device_table *table, int stream, struct device_matrix *matrix);
/* Checks that the parts of every whole command, and of each of its slices, add up to its time. Returns 0; -EPROTO, and in why one
 * line that names the command; or -ENOMEM. */
int device_matrix_assert(const struct figure_input *input, char *why, size_t length);

#endif
