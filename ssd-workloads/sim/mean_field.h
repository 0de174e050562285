/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Write amplification of random writes of one page, in the limit of many blocks with mutually independent states (a mean field, as
 * by Van Houdt, SIGMETRICS 2013, for victims of d choices; derived from the balance of flows, not from that text). One open block
 * is shared by the host's and the collector's pages; the victim is the block with the fewest valid pages of `choices` drawn blocks,
 * 0 = of all (greedy); if all its pages are valid, others are drawn. space: physical / logical pages, above 1.
 */
#ifndef SSD_WORKLOADS_SIM_MEAN_FIELD_H
#define SSD_WORKLOADS_SIM_MEAN_FIELD_H

#include <stddef.h>
#include <stdint.h>

/* Returns the amplification of uniform writes; pages per block, above 1. */
double mean_field_uniform(double space, uint32_t pages, uint32_t choices);
/* Computes the same as a curve: count values of space, rising from near 1 to above 8, and the amplification at each. */
void mean_field_curve(uint32_t pages, uint32_t choices, size_t count, double *space, double *amplification);
/* Returns the amplification if a share hot_set of the pages receives a share hot_writes of the writes, both in (0, 1). choices
 * must be above 0, since with all blocks there is no derivative. The time is cubic in pages: half a second for 32. Returns NAN
 * if there is no memory. */
double mean_field_hot(double space, uint32_t pages, uint32_t choices, double hot_set, double hot_writes);
/* Returns the amplification of uniform writes, greedy, large blocks, in closed form: Xiang and Kurkoski, arXiv 1110.4245. */
double mean_field_closed_form(double space);

#endif
