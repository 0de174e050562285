/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef MEMTRACE_PERF_AUX_H
#define MEMTRACE_PERF_AUX_H

#include "memtrace/perf/recorder_state.h"

/* Processes the AUX data that a PERF_RECORD_AUX of this ring announces; words are those after the record's header. Returns 0 or
 * -errno; -EBADMSG if it is not such a record. */
int aux_take(struct recorder *recorder, struct cpu_ring *ring, const uint64_t *words, size_t count, struct trace_writer *writer);

#endif
