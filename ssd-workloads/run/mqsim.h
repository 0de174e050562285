/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Workload definitions of MQSim (FAST 2018): an XML file of scenarios, each with up to 8 flows that run at once. Taken are one
 * or two synthetic flows that write blocks of one size by queue depth, in sequence or at random; what else a flow asks for is
 * refused by the name of its element. Elements that say where MQSim places data or with what it seeds are passed over.
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
	unsigned working_percent;    /* of its part of the logical space, which all flows share equally; 1 to 100 */
	bool is_random;
	unsigned hot_percent;        /* of a random flow: this share of its blocks gets 100 - this of its writes; 0 = all alike */
};

struct mqsim_scenario {
	/* A flow in sequence is the log, a random one the checkpoint; of two in sequence the first is the log. depth 0: none. */
	struct mqsim_flow flows[MIX_STREAMS];
	unsigned count;
	uint64_t stop_ns;            /* the longest of its flows; 0 = not said */
	bool is_uncached;            /* Device_Level_Data_Caching_Mode TURNED_OFF or READ_CACHE */
};

/* The scenario of this number, from 1. 0; -EINVAL, -ENOMEM or the error of reading, and in why one line, with the line of the
 * file where there is one, without its name. */
int mqsim_read(const char *path, unsigned number, struct mqsim_scenario *scenario, char *why, size_t length);
/* The same of a file's bytes. */
int mqsim_parse(const char *text, size_t size, unsigned number, struct mqsim_scenario *scenario, char *why, size_t length);

#endif
