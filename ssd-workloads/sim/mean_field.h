/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Write amplification of random writes of one page, in the limit of many blocks of which each one's state is independent of the
 * others' (a mean field, as Van Houdt, SIGMETRICS 2013, has it for victims of d choices; written from the balance of flows, not
 * from that text). One open block is shared by the host's and the collector's pages; the victim is the block with fewest valid
 * pages of `choices` blocks that are drawn, 0 = of all (greedy); where all pages of it are valid, others are drawn. space: physical
 * by logical pages, above 1.
 */
#ifndef SSD_WORKLOADS_SIM_MEAN_FIELD_H
#define SSD_WORKLOADS_SIM_MEAN_FIELD_H

#include <stddef.h>
#include <stdint.h>

/* Uniform writes. pages: of a block, above 1. */
double mean_field_uniform(double space, uint32_t pages, uint32_t choices);
/* The same as a curve: count values of space, rising from near 1 to above 8, and the amplification at each. */
void mean_field_curve(uint32_t pages, uint32_t choices, size_t count, double *space, double *amplification);
/* A share of the pages, hot_set, gets a share of the writes, both in (0, 1). choices above 0: of all blocks it would have no
 * derivative. Takes time with the cube of pages: half a second of 32. NAN: out of memory. */
double mean_field_hot(double space, uint32_t pages, uint32_t choices, double hot_set, double hot_writes);
/* Uniform writes, greedy, large blocks, in closed form: Xiang and Kurkoski, arXiv 1110.4245. */
double mean_field_closed_form(double space);

#endif
