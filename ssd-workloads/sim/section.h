/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The device's part of a dump, checked before it is used: for record/dump, which reads it. */
#ifndef SSD_WORKLOADS_SIM_SECTION_H
#define SSD_WORKLOADS_SIM_SECTION_H

#include <stddef.h>

#include "ssd-workloads/sim/records.h"

#define SIM_WAYS_MAX 64u     /* of a channel; and channels of a device */
#define SIM_BLOCKS_MAX 65535u /* of a die */
#define SIM_PAGES_MAX 4096u  /* of a block */

/* Whether the numbers can be those of a device. 0; -EBADMSG and in why one line without the file's name. */
int sim_section_check(const struct sim_section *section, char *why, size_t length);
/* The units of such a section, section->unit_count of them: every record is whole, of a known kind, names places that exist,
 * and times do not decrease. As above. */
int sim_units_check(const struct sim_section *section, const union sim_unit *units, char *why, size_t length);
/* Units of the record at this unit: 1 of padding and single ones. */
static inline uint64_t sim_unit_span(const union sim_unit *unit)
{
	return unit->io.type == SIM_INDEX || unit->io.type == SIM_INDEX_CHANNEL ? 3 : 1;
}

#endif
