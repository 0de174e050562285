/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Workload definitions of MQSim (FAST 2018): an XML file of scenarios, each with up to 8 flows that run at once. Supported are one
 * or two synthetic flows that write blocks of one size by queue depth, sequentially or at random; other properties of a flow are
 * refused by the name of their element. Elements for MQSim's data placement and seeds are ignored.
 */
#ifndef SSD_WORKLOADS_RUN_MQSIM_H
#define SSD_WORKLOADS_RUN_MQSIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ssd-workloads/mix.h"

#define MQSIM_SCENARIOS 1000u

struct mqsim_flow {
	unsigned depth;              /* outstanding writes, 1 to MIX_DEPTH_MAX */
	uint32_t block_bytes;        /* a multiple of 512, up to MIX_BLOCK_MAX */
	unsigned working_percent;    /* share of its part of the logical space, which all flows divide equally; 1 to 100 */
	bool is_random;
	unsigned hot_percent;        /* of a random flow: this % of its blocks gets (100 - this) % of its writes; 0 = uniform */
};

struct mqsim_scenario {
	/* A sequential flow is the log, a random one the checkpoint; of two sequential ones the first is the log. depth 0: none. */
	struct mqsim_flow flows[MIX_STREAMS];
	unsigned count;
	uint64_t stop_ns;            /* longest stop time of its flows; 0 = not set */
	bool is_uncached;            /* Device_Level_Data_Caching_Mode TURNED_OFF or READ_CACHE */
};

/* Reads the scenario of this number, from 1. Returns 0, or -EINVAL, -ENOMEM or the error of reading, and in why one line, with
 * the line number if known, without the file's name. */
int mqsim_read(const char *path, unsigned number, struct mqsim_scenario *scenario, char *why, size_t length);
/* The same from the bytes of a file. */
int mqsim_parse(const char *text, size_t size, unsigned number, struct mqsim_scenario *scenario, char *why, size_t length);

#endif
