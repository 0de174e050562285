/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checks of the device's part of a dump before use, for dump/dump, which reads it. */
#ifndef SSD_WORKLOADS_SIM_SECTION_H
#define SSD_WORKLOADS_SIM_SECTION_H

#include <stddef.h>

#include "ssd-workloads/sim/records.h"

#define SIM_WAYS_MAX 64u     /* per channel; also channels per device */
#define SIM_BLOCKS_MAX 65535u /* per die */
#define SIM_PAGES_MAX 4096u  /* per block */

/* Checks that the numbers are possible for a device. Returns 0, or -EBADMSG and in why one line without the file's name. */
int sim_section_check(const struct sim_section *section, char *why, size_t length);
/* Checks the section->unit_count units of such a section: every record is complete, of a known kind and names existing places,
 * and times do not decrease. Returns as above. */
int sim_units_check(const struct sim_section *section, const union sim_unit *units, char *why, size_t length);
/* Returns the number of units of the record at this unit: 1 for padding and single units. */
static inline uint64_t sim_unit_span(const union sim_unit *unit)
{
	return unit->io.type == SIM_INDEX || unit->io.type == SIM_INDEX_CHANNEL ? 3 : 1;
}

#endif
