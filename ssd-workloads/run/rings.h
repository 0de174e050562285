/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How large the rings of records are: for what the mix writes in the time asked for, and never more than there is memory. */
#ifndef SSD_WORKLOADS_RUN_RINGS_H
#define SSD_WORKLOADS_RUN_RINGS_H

#include "ssd-workloads/engine/engine.h"
#include "ssd-workloads/run/plan.h"

/* Of the run: a ring never has to hold more. ns. */
uint64_t rings_held_ns(const struct run_options *options);
/* Of the trial before it: a tenth of the run, from 100 ms to 1 s. ns. */
uint64_t rings_trial_ns(const struct run_options *options);
/* Records of a worker's ring for that time, a power of two: of twice the trial's peak at the least; a trial that fell into a slow
 * moment has seen a quick write nevertheless, so for what the depth could do with such ones, up to 64 MiB of a stream. */
uint64_t rings_wanted(const struct engine_rate *rate, unsigned workers, uint64_t ns);
/* The same of a run that was measured: half as much again. */
uint64_t rings_wanted_again(uint64_t emitted, uint64_t measured_ns, uint64_t ns);
/* Capacities that are not enough for another run like this one are raised. Whether there were any. */
bool rings_raise(const struct engine_result *engine, uint64_t ns, uint64_t capacity[MIX_STREAMS]);

/* Of a simulated device: for as many pages as its buses can transfer in that time, shared by the workers of each stream. */
void rings_of_device(const struct run_plan *plan, uint64_t capacity[MIX_STREAMS]);

/* Bytes that may be taken: of what is available here and left in this memory cgroup and those above it, three quarters. root:
 * "" but in tests. */
uint64_t rings_room(const char *root);
/* Halves capacities (records of a worker, times workers) until all fit. The least part that is left of one, 1 = all; 0: also
 * the smallest rings do not fit. */
double rings_fit(uint64_t capacity[MIX_STREAMS], const unsigned workers[MIX_STREAMS], uint64_t room);
/* As rings_fit for a run of this plan, of which the mix's last repetition is kept beside the next one. Warns once (*is_short is
 * set then). Where not even the smallest fit in room they are used nevertheless: they were tried before the first write. */
void rings_shorten(const struct run_plan *plan, uint64_t room, uint64_t capacity[MIX_STREAMS], bool *is_short);
/* Before anything is written: whether there is memory for the workers and the smallest rings. 0, or DIAG_EXIT_HOST after one
 * line. */
int rings_check(const struct run_plan *plan, uint64_t room);

#endif
