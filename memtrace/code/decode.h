/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Decoding for the engine cpu-clock: finds the memory access of a sample of registers.
 *
 * An interrupt is taken when the stalled instruction has completed, so that the instruction pointer is at the next one and the
 * registers are those after the access: the preceding instruction is decoded. Samples whose access cannot be determined are
 * dropped and counted by enum trace_loss. If the processor interrupts a stalled load itself (skid 0), the instruction at the
 * instruction pointer is decoded.
 *
 * A load that has overwritten a register of its address is evaluated by memtrace/code/recover.h: its own address by the
 * instructions before it, or else that of the next such load. Both are counted.
 *
 * At the target of a branch the preceding instruction is decoded as well. It may not have run; but the program stalls on its
 * memory access, not on the branch.
 */
#ifndef MEMTRACE_CODE_DECODE_H
#define MEMTRACE_CODE_DECODE_H

#include "memtrace/file/sample.h"
#include "memtrace/file/trace_file.h"
#include "memtrace/names/regions.h"

struct decoder;

/* Creates a decoder. skid is that of memtrace/code/skid.h, 0 or 1 instructions. Returns 0 or -ENOMEM. */
int decoder_new(unsigned skid, struct decoder **decoder);
/*
 * Decodes a sample. fields has the registers of common/kernel/perf_memory.h; regions are sorted and hold all events up to
 * the sample. Returns TRACE_LOSSES if the sample's time, address, instruction, thread and kind are set (cpu and the other
 * fields are the caller's), else the reason why there is no sample.
 */
enum trace_loss decoder_take(struct decoder *decoder, const struct regions *regions, const struct sample_fields *fields,
	struct trace_sample *sample);
/* Numbers of samples of loads that overwrote a register of their address, by enum trace_recovery. */
const uint64_t *decoder_recovered(const struct decoder *decoder);
void decoder_free(struct decoder *decoder);

#endif
