/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is missing from a recording, as text, and whether its results can still be trusted. */
#ifndef MEMTRACE_FILE_LOSSES_H
#define MEMTRACE_FILE_LOSSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "memtrace/file/trace_file.h"

#define LOSSES_TEXT 160
/* Least part of the samples asked for that an engine must take; the kernel's losses are allowed up to one hundredth. */
#define LOSSES_LEAST_PART 10
#define LOSSES_LEAST_ASKED 100 /* fewer samples asked for say nothing */
/* Percent of the sampled accesses that may be dropped for one reason. What is dropped is of a kind, so that what remains is
 * biased: measured recordings that lacked 6 % had none of the accesses to popular pages (results/memtrace-accuracy.md). */
#define LOSSES_DROPPED_MOST 5

/* Whether so few of the samples asked for were taken that the recording says little of the program. */
static inline bool losses_is_short(uint64_t taken, uint64_t asked)
{
	return asked >= LOSSES_LEAST_ASKED && taken < asked / LOSSES_LEAST_PART;
}

/* Bursts per second that hz and --overhead ask for; bursts were taken, for which the program was stopped this long.
 * most_percent: of --overhead, 0 = not given. */
double losses_bursts_asked(double hz, double most_percent, uint64_t bursts, double stopped_s);

/* Whether the class counts samples of the target; others count times, processes, and samples that were never begun. */
bool losses_counts_samples(enum trace_loss loss);

/* Formats a class of missing samples and its share of all samples, as "lost by the kernel (ring full), 1.2 %". A class that counts
 * something else than samples has no share. samples: those in the recording. */
const char *losses_phrase(const uint64_t losses[TRACE_LOSSES], uint64_t samples, enum trace_loss loss, char text[LOSSES_TEXT]);

/* Whether this class makes results untrustworthy. */
bool losses_is_reason(const uint64_t losses[TRACE_LOSSES], uint64_t samples, enum trace_loss loss);

/* Returns the number of sampled accesses: samples, and those whose address is unknown. */
double losses_accesses(const uint64_t losses[TRACE_LOSSES], uint64_t samples);

/* Returns the percentage of the sampled accesses that this class of missing samples is; NAN if its samples are not accesses whose
 * address is unknown. Behind calls and jumps mostly accesses to the stack are missing; they count as sampled. */
double losses_dropped_percent(const uint64_t losses[TRACE_LOSSES], uint64_t samples, enum trace_loss loss);

struct losses_reason {
	const char *code; /* "samples-lost" */
	char text[LOSSES_TEXT];
};

#define LOSSES_REASONS 4
/* Fills in why results of the recording are not to be trusted, as far as that is due to missing samples. Returns the number of
 * reasons; 0 = they are. */
size_t losses_reasons(const uint64_t losses[TRACE_LOSSES], uint64_t samples, struct losses_reason reasons[LOSSES_REASONS]);

#endif
