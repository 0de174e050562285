/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The instruction at which a clock interrupt finds a stalled load: the load itself, or the next one. */
#ifndef MEMTRACE_CODE_SKID_H
#define MEMTRACE_CODE_SKID_H

struct skid {
	unsigned instructions;       /* 1: the next one (registers are those after the load); 0: the load */
	unsigned samples, agreeing;  /* samples in the loop, and those that agree; none: 1 is assumed */
};

/* Measures the skid: samples this process for about 50 ms while it follows a chain of pointers through memory. Returns 0 or
 * -errno. */
int skid_calibrate(struct skid *skid);
/* Decides from the instruction pointers of samples, for skid_calibrate and its test. load and next are the addresses of the load
 * and of the instruction after it. */
void skid_decide(const unsigned long *ips, unsigned count, unsigned long load, unsigned long next, struct skid *skid);

#endif
