/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What figures of the simulated device are made of, and what their checks look at. */
#ifndef SSD_WORKLOADS_ANALYZE_DEVICE_FIGURES_H
#define SSD_WORKLOADS_ANALYZE_DEVICE_FIGURES_H

#include "ssd-workloads/analyze/attribution.h"
#include "ssd-workloads/analyze/figure.h"

/* The life of the slice that is done last, each part up to the station of this number; a hit or a clean victim has no build,
 * way_wait and flash. */
enum device_segment { DEVICE_FETCH, DEVICE_FTL_WAIT, DEVICE_FTL, DEVICE_BUILD, DEVICE_WAY_WAIT, DEVICE_FLASH, DEVICE_LLS_WAIT,
	DEVICE_DMA, DEVICE_COMPLETION, DEVICE_SEGMENTS };
/* Of a whole command. Their sum is its latency without the time to fetch it. */
void device_segments(const struct device_table *table, const struct device_command *command, uint64_t ns[DEVICE_SEGMENTS]);

/* Sorts; of no values 0. */
uint64_t device_median(uint64_t *values, size_t count);
/* W and E: a flash write and an erase that wait for nothing, from the way's queue until they are known to be done. Of the log
 * alone with one outstanding write they are the medians (ssd-workloads validate). */
uint64_t device_write_baseline(const struct device_table *table);
uint64_t device_erase_baseline(const struct device_table *table);

/* What a whole command waited for, by its last slice: nothing; its way, without a collection there; the firmware core before
 * the FTL took it; its way for half a baseline and more, half of that or more behind collections without, or with copies. */
enum device_class { DEVICE_CLEAN, DEVICE_WAY, DEVICE_FIRMWARE, DEVICE_GC_EMPTY, DEVICE_GC_COPYING, DEVICE_OTHER };
/* How long it waited for the core before the FTL took its last slice. */
uint64_t device_firmware_wait(const struct device_table *table, const struct device_command *command);
enum device_class device_classify(const struct device_table *table, const struct device_command *command, uint64_t baseline_ns);

struct device_fit { /* time of a collection over E = intercept + slope * copies */
	size_t count;
	double slope, intercept, r2; /* NAN: too few, or all with the same number of copies */
	uint64_t baseline_ns;        /* E */
};
int device_fit_collections(const struct device_table *table, struct device_fit *fit);

/* Of writes that triggered collections, by the valid pages copied for them: 0, 1, 2, 3-4, 5-8, ... */
#define DEVICE_COPIES_BINS 20
struct device_copies {
	uint64_t writes, bins[DEVICE_COPIES_BINS];
	uint32_t mode;               /* the fullest bin without 0; 0 = no copies */
	uint32_t most;
};
void device_copies(const struct device_table *table, int stream, struct device_copies *copies); /* MIX_STREAMS: of all */
void device_copies_bin(uint32_t bin, uint32_t *from, uint32_t *to);

/* Commands in the table, DEVICE_NONE = there is none. Of the clean ones of a stream that in the middle: */
int device_find_scheduled(const struct figure_input *input, enum mix_stream stream, uint32_t *found);
/* A write of the checkpoint of which exactly one page waited for its way for half a baseline and more, and there while an erase
 * ran for the log; of several that in the middle. count: how many there are. */
int device_find_delayed(const struct figure_input *input, uint32_t *found, size_t *count);

/* --- attribution --- */

struct device_matrix { /* of a stream's whole commands */
	uint64_t writes, tail_writes;        /* tail: slower than 99 of 100 */
	uint64_t latency_ns, tail_latency_ns;
	uint64_t slack_ns, slack_slices;     /* how much earlier than the last slice the others were done */
	struct attribution_parts all, tail, largest; /* largest: writes of which this is the largest part that is not their own */
};
/* 0 or -ENOMEM. */
int device_matrix_make(const struct device_table *table, int stream, struct device_matrix *matrix);
/* Of every whole command and each of its slices the parts add up to the time that they are of. As a figure_check. */
int device_matrix_assert(const struct figure_input *input, char *why, size_t length);

#endif
