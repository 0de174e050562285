/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The engine cpu-clock: what memory access a sample of registers shows.
 *
 * An interrupt waits until the instruction that has stalled is done, so the instruction pointer is behind it, and the registers
 * are those after it: the instruction before is decoded. What cannot be known is dropped, by enum trace_loss. Where the
 * processor interrupts a stalled load (skid 0) the instruction itself is decoded.
 *
 * At the target of a branch the instruction before is taken as well. It need not have run; but of what may have, it is the memory
 * access on which a program stalls, not the branch.
 */
#ifndef MEMTRACE_DECODE_H
#define MEMTRACE_DECODE_H

#include "memtrace/regions.h"
#include "memtrace/sample.h"
#include "memtrace/trace_file.h"

struct decoder;

/* skid: of memtrace/skid.h, 0 or 1 instructions. 0 or -ENOMEM. */
int decoder_new(unsigned skid, struct decoder **decoder);
/*
 * fields: with the registers of common/perf_memory.h. regions: sorted, with everything up to the sample. TRACE_LOSSES = sample has
 * time, address, instruction, thread and kind (cpu and the rest are the caller's), or why there is none.
 */
enum trace_loss decoder_take(struct decoder *decoder, const struct regions *regions, const struct sample_fields *fields,
	struct trace_sample *sample);
void decoder_free(struct decoder *decoder);

#endif
