/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "ssd-workloads/sim/section.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>

#include "ssd-workloads/workload/mix.h"

int sim_section_check(const struct sim_section *section, char *why, size_t length)
{
	bool has_geometry = section->channels && section->channels <= SIM_WAYS_MAX && section->ways &&
			    section->ways <= SIM_WAYS_MAX && section->blocks && section->blocks <= SIM_BLOCKS_MAX &&
			    section->pages && section->pages <= SIM_PAGES_MAX && section->page_bytes &&
			    section->write_mode <= SIM_DIRECT && section->sample;

	if (!has_geometry) {
		snprintf(why, length, "has an impossible device: %" PRIu32 " channels, %" PRIu32 " ways, %" PRIu32
			" blocks of %" PRIu32 " pages", section->channels, section->ways, section->blocks, section->pages);
		return -EBADMSG;
	}
	if (section->exported_pages > (uint64_t)section->channels * section->ways * section->blocks * section->pages ||
		section->unit_count > section->emitted || section->emitted - section->unit_count != section->overwritten) {
		snprintf(why, length, "has device counts that do not add up: %" PRIu64 " units of %" PRIu64, section->unit_count,
			section->emitted);
		return -EBADMSG;
	}
	return 0;
}

static bool is_place(const struct sim_section *section, uint8_t ch, uint8_t way)
{
	return (ch == SIM_NO_PLACE && way == SIM_NO_PLACE) || (ch < section->channels && way < section->ways);
}

static bool is_stream(uint8_t stream)
{
	return stream < MIX_STREAMS || stream == SIM_NO_PLACE;
}

static bool is_record(const struct sim_section *section, const union sim_unit *unit)
{
	const struct sim_io *io = &unit->io;
	const struct sim_gc *gc = &unit->gc;

	switch (io->type) {
	case SIM_IO:
		return io->station >= SIM_CUT && io->station <= SIM_COMPLETED && is_place(section, io->ch, io->way) &&
		       is_stream(io->stream);
	case SIM_GC:
		return gc->task < SIM_TASKS && gc->ch != SIM_NO_PLACE && is_place(section, gc->ch, gc->way) &&
		       gc->block < section->blocks && is_stream(gc->owner) && gc->gc_id;
	case SIM_INDEX:
		return unit->prefix.ch == SIM_NONE && unit->prefix.units == 3;
	case SIM_INDEX_CHANNEL:
		return unit->prefix.ch < section->channels && unit->prefix.units == 3;
	default:
		return false;
	}
}

int sim_units_check(const struct sim_section *section, const union sim_unit *units, char *why, size_t length)
{
	uint64_t last_ns = 0;

	for (uint64_t at = 0; at < section->unit_count; at += sim_unit_span(&units[at])) {
		const union sim_unit *unit = &units[at];

		if (unit->io.type == SIM_PAD)
			continue;
		if (!is_record(section, unit) || unit->io.t_ns < last_ns || sim_unit_span(unit) > section->unit_count - at) {
			snprintf(why, length, "has an impossible device record: unit %" PRIu64 ", type %u", at, unit->io.type);
			return -EBADMSG;
		}
		last_ns = unit->io.t_ns;
	}
	return 0;
}
