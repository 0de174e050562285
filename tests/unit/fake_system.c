/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "tests/unit/fake_system.h"

#include <stdio.h>

static void set(struct system *system, enum system_parameter parameter, double value)
{
	system->parameters[parameter].value = value;
}

void fake_system(struct system *system)
{
	static struct system_point warm[] = {{4096, {.value = 3000}}, {65536, {.value = 20000}},
		{1 << 20, {.value = 200000}}, {64 << 20, {.value = 12800000}}};
	static struct system_point sync[] = {{512, {.value = 100000}}, {4096, {.value = 110240}}};

	system_init(system);
	snprintf(system->device, sizeof(system->device), "vdz");
	snprintf(system->file_system, sizeof(system->file_system), "ext4");
	set(system, SYSTEM_BW_DEV, 100e6);
	set(system, SYSTEM_BW_SYNC, 100e6);
	set(system, SYSTEM_BW_CACHE_WARM, 5e9);
	set(system, SYSTEM_BW_CACHE_COLD, 0.5e9);
	set(system, SYSTEM_BW_CACHE_REWRITE, 7e9);
	set(system, SYSTEM_BW_RDEV, 200e6);
	set(system, SYSTEM_LAT_RDEV, 50000);
	set(system, SYSTEM_BW_MEM, 10e9);
	set(system, SYSTEM_COEFF_BG, 0.9);
	set(system, SYSTEM_SC_W, 1000);
	set(system, SYSTEM_SC_SK, 5000);
	set(system, SYSTEM_LIB_METACOST, 20);
	set(system, SYSTEM_LIB_BUFFER, 4096);
	set(system, SYSTEM_BLOCK, 512);
	set(system, SYSTEM_FS_BLOCK, 4096);
	set(system, SYSTEM_LIMIT_BG, 4e9);
	set(system, SYSTEM_LIMIT_HARD, 8e9);
	set(system, SYSTEM_DIRTY_EXPIRE, 30e9);
	set(system, SYSTEM_DIRTY_WRITEBACK, 5e9);
	system->curves[OP_BUFFERED][OP_APPEND] = (struct system_curve){.count = 4, .points = warm};
	for (int mode = OP_SYNC; mode < OP_MODES; mode++) {
		system->curves[mode][OP_APPEND] = (struct system_curve){.count = 2, .points = sync,
			.segment_count = 1, .segments = {{0, 100000, 2.5}}};
		system->curves[mode][OP_OVERWRITE] = system->curves[mode][OP_APPEND];
	}
}
