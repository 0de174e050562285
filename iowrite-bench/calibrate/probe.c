/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "iowrite-bench/calibrate/probe.h"

#include <errno.h>

#define CURVE(m, r)                                                                                    \
	{                                                                                              \
		.name = "synchronous", .weight = 1, .run = probe_synchronous, .lacks = lacks_mode,     \
		.is_curve = true, .mode = (m), .regime = (r)                                               \
	}
#define CURVES(m) CURVE(m, OP_APPEND), CURVE(m, OP_PREALLOCATED), CURVE(m, OP_OVERWRITE)

static const char *lacks_direct(const struct rig *rig, const struct probe *probe)
{
	(void)probe;
	return rig->plan->has_direct ? NULL : "O_DIRECT does not reach a device here";
}

/* Each file system has it or not, and some have it for some files: it is tried. The file is cut before anything is
 * written; what else fails will fail again, and be told, when it is measured. */
static bool has_reserve(const struct rig *rig)
{
	const struct calibrate_hooks *hooks = rig->hooks;

	return hooks->reserve(hooks->state, rig->plan->written_bytes, rig->plan->fs_block) != -EOPNOTSUPP;
}

static const char *lacks_mode(const struct rig *rig, const struct probe *probe)
{
	if (probe->regime != OP_OVERWRITE && !rig->plan->has_append)
		return "a device does not grow";
	if (probe->regime == OP_PREALLOCATED && !has_reserve(rig))
		return "fallocate(2) is not possible on this file system";
	return probe->mode >= OP_DIRECT ? lacks_direct(rig, probe) : NULL;
}

static const char *lacks_cold(const struct rig *rig, const struct probe *probe)
{
	(void)probe;
	return rig->plan->is_fed ? NULL : "with --mem=as-is no memory is told apart";
}

/* The one that looks at memory as it is goes first: the others warm it. */
const struct probe probes[] = {
	{.name = "cold", .weight = 5, .run = probe_cold, .lacks = lacks_cold, .give_count = 2,
		.gives = {SYSTEM_BW_CACHE_COLD, SYSTEM_WARM_POOL}},
	{.name = "memory", .weight = 1, .run = probe_memory, .give_count = 3,
		.gives = {SYSTEM_BW_MEM, SYSTEM_BW_MEM_L2, SYSTEM_BW_MEM_DRAM}},
	{.name = "library", .weight = 1, .run = probe_library, .give_count = 3,
		.gives = {SYSTEM_LIB_METACOST, SYSTEM_LIB_BUFFER, SYSTEM_LIB_FIRST}},
	{.name = "call", .weight = 1, .run = probe_call, .give_count = 1, .gives = {SYSTEM_SC_W}},
	{.name = "append", .weight = 3, .run = probe_append, .give_count = 1,
		.gives = {SYSTEM_BW_CACHE_WARM}, .is_curve = true, .mode = OP_BUFFERED, .regime = OP_APPEND},
	{.name = "rewrite", .weight = 2, .run = probe_rewrite, .give_count = 1, .gives = {SYSTEM_BW_CACHE_REWRITE},
		.is_curve = true, .mode = OP_BUFFERED, .regime = OP_OVERWRITE},
	{.name = "device", .weight = 2, .run = probe_device, .lacks = lacks_direct, .give_count = 1,
		.gives = {SYSTEM_BW_DEV}},
	{.name = "read", .weight = 1, .run = probe_read, .lacks = lacks_direct, .give_count = 2,
		.gives = {SYSTEM_BW_RDEV, SYSTEM_LAT_RDEV}},
	{.name = "seek", .weight = 1, .run = probe_seek, .lacks = lacks_direct, .give_count = 1,
		.gives = {SYSTEM_SC_SK}},
	CURVES(OP_DIRECT),
	CURVES(OP_DIRECT_SYNC),
	CURVES(OP_DIRECT_DSYNC),
	CURVES(OP_SYNC),
	CURVES(OP_DSYNC),
	{.name = "edge", .weight = 1, .run = probe_edge, .give_count = 1, .gives = {SYSTEM_LAT_RMW}},
	{.name = "writeback", .weight = 5, .run = probe_writeback, .is_staged = true,
		.give_count = 3, .gives = {SYSTEM_COEFF_BG, SYSTEM_BW_SYNC, SYSTEM_SYNC_BURST}},
	{.name = "throttled", .weight = 8, .turns = 6, .run = probe_throttled, .lacks = probe_throttled_lacks, .is_staged = true},
	{.name = "burst", .run = probe_burst, .lacks = probe_burst_lacks, .is_last = true, .give_count = 2,
		.gives = {SYSTEM_SYNC_CACHE, SYSTEM_BW_SYNC_LATE}},
};
const size_t probe_count = sizeof(probes) / sizeof(probes[0]);
