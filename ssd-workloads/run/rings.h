/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sizes of the rings of records: enough for the mix's writes in the requested time, within the available memory. */
#ifndef SSD_WORKLOADS_RUN_RINGS_H
#define SSD_WORKLOADS_RUN_RINGS_H

#include "ssd-workloads/engine/engine.h"
#include "ssd-workloads/run/plan.h"

/* Returns the most time in ns that a ring of the run has to hold. */
uint64_t rings_held_ns(const struct ssd_run_options *options);
/* Returns the length in ns of the trial before the run: a tenth of the run, from 100 ms to 1 s. */
uint64_t rings_trial_ns(const struct ssd_run_options *options);
/* Returns the capacity of a worker's ring for `ns`, a power of two: at least twice the trial's peak rate. Since a trial may fall
 * into a slow phase, it is also enough for all the depth at the latency of the fastest write, up to 64 MiB per stream. */
uint64_t rings_wanted(const struct engine_rate *rate, unsigned workers, uint64_t ns);
/* The same from a measured run, with a margin of one half; measured_ns 0: the smallest ring. */
uint64_t rings_wanted_again(uint64_t emitted, uint64_t measured_ns, uint64_t ns);
/* Raises capacities that are not enough for another run like this one. Returns whether there were any. */
bool rings_raise(const struct engine_result *engine, uint64_t ns, uint64_t capacity[MIX_STREAMS]);

/* Sets capacities for a simulated device: enough for the pages that its buses can transfer in that time, divided among the
 * workers of each stream. */
void rings_of_device(const struct ssd_run_plan *plan, uint64_t capacity[MIX_STREAMS]);

/* Returns the bytes that rings may use: three quarters of the memory that is available here and within the limits of this memory
 * cgroup and its ancestors. root is "" except in tests. */
uint64_t rings_memory(const char *root);
/* Halves capacities (records per worker, times workers) until all fit into memory_bytes. Returns the smallest remaining share of a
 * capacity, 1 = all; 0 = the smallest rings do not fit either. */
double rings_fit(uint64_t capacity[MIX_STREAMS], const unsigned workers[MIX_STREAMS], uint64_t memory_bytes);
/* Applies rings_fit to a run of this plan, which keeps the rings of the mix's last repetition during the next one. Warns once,
 * and then sets *is_short. If the smallest rings do not fit either they are used nevertheless, since they were tried before the
 * first write. */
void rings_shorten(const struct ssd_run_plan *plan, uint64_t memory_bytes, uint64_t capacity[MIX_STREAMS], bool *is_short);
/* Checks, before anything is written, that there is memory for the workers and the smallest rings. Returns 0, or DIAG_EXIT_HOST
 * after an error message. */
int rings_check(const struct ssd_run_plan *plan, uint64_t memory_bytes);

#endif
