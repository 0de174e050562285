/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which instruction an interrupt of the clock finds when a load has stalled: the load itself, or the one behind it. */
#ifndef MEMTRACE_SKID_H
#define MEMTRACE_SKID_H

struct skid {
	unsigned instructions;       /* 1: the next one (registers are those after the load); 0: the load */
	unsigned samples, agreeing;  /* of the loop, and those that say so; none: 1 is assumed */
};

/* Samples itself for some 50 ms while it follows a chain of pointers through memory. 0 or -errno. */
int skid_calibrate(struct skid *skid);
/* Counts where samples of the loop lie; for skid_calibrate and its test. load, next: addresses of the load, and behind it. */
void skid_decide(const unsigned long *ips, unsigned count, unsigned long load, unsigned long next, struct skid *skid);

#endif
