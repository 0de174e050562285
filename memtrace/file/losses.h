/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Describes the samples that a recording lacks, and decides whether its results can still be trusted. */
#ifndef MEMTRACE_FILE_LOSSES_H
#define MEMTRACE_FILE_LOSSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "memtrace/file/trace_file.h"

#define LOSSES_TEXT 160
/* Least part of the requested samples that an engine must take; the kernel's losses are allowed up to one hundredth. */
#define LOSSES_LEAST_PART 10
#define LOSSES_LEAST_ASKED 100 /* fewer requested samples are too few for a verdict */
/* Percent of the sampled accesses that may be dropped for one reason. Dropped accesses are of one kind, so that the remaining
 * ones are biased: measured recordings that lacked 6 % had none of the accesses to popular pages
 * (results/memtrace-accuracy.md). */
#define LOSSES_DROPPED_MOST 5

/* Tells whether the engine took too few of the requested samples for a result. */
static inline bool losses_is_short(uint64_t taken, uint64_t asked)
{
	return asked >= LOSSES_LEAST_ASKED && taken < asked / LOSSES_LEAST_PART;
}

/* Returns the bursts per second that hz and --overhead request; the program was stopped this long for the bursts taken.
 * most_percent: of --overhead, 0 = not given. */
double losses_bursts_asked(double hz, double most_percent, uint64_t bursts, double stopped_s);

/* Tells whether the class counts samples of the target; others count times, processes, and samples that were never begun. */
bool losses_counts_samples(enum trace_loss loss);

/* Formats a class of missing samples and its share of all samples, as "lost by the kernel (ring full), 1.2 %". A class that counts
 * something else than samples has no share. samples: those in the recording. */
const char *losses_phrase(const uint64_t losses[TRACE_LOSSES], uint64_t samples, enum trace_loss loss, char text[LOSSES_TEXT]);

/* Tells whether this class makes results untrustworthy. */
bool losses_is_reason(const uint64_t losses[TRACE_LOSSES], uint64_t samples, enum trace_loss loss);

/* Returns the number of sampled accesses: samples, and accesses whose address is unknown. */
double losses_accesses(const uint64_t losses[TRACE_LOSSES], uint64_t samples);

/* Returns the percentage of this class in the sampled accesses; NAN if the class does not consist of accesses with an unknown
 * address. After calls and jumps mostly accesses to the stack are missing; they count as sampled. */
double losses_dropped_percent(const uint64_t losses[TRACE_LOSSES], uint64_t samples, enum trace_loss loss);

struct losses_reason {
	const char *code; /* "samples-lost" */
	char text[LOSSES_TEXT];
};

#define LOSSES_REASONS 4
/* Fills in the reasons why missing samples make results of the recording untrustworthy. Returns their number; 0 = the results
 * can be trusted. */
size_t losses_reasons(const uint64_t losses[TRACE_LOSSES], uint64_t samples, struct losses_reason reasons[LOSSES_REASONS]);

#endif
