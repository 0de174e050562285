/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "memstor/plot/counter.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "common/units.h"

/* The first row whose begin and end fit. */
static const struct counter_row {
	const char *begin, *end;
	enum plot_counter_kind kind;
} rows[] = {
	{"meminfo.HugePages", "", PLOT_COUNTER_NUMBER},
	{"meminfo.", "", PLOT_COUNTER_BYTES},
	{"psi.", ".total", PLOT_COUNTER_STALLED},
	{"cgroup.psi.", ".total", PLOT_COUNTER_STALLED},
	{"stat.ctxt", "", PLOT_COUNTER_EVENTS},
	{"stat.processes", "", PLOT_COUNTER_EVENTS},
	{"stat.", "", PLOT_COUNTER_CPU},
	{"interrupts.", "", PLOT_COUNTER_EVENTS},
	{"vmstat.nr_dirtied", "", PLOT_COUNTER_EVENTS},
	{"vmstat.nr_written", "", PLOT_COUNTER_EVENTS},
	{"vmstat.nr_throttled_written", "", PLOT_COUNTER_EVENTS},
	{"vmstat.nr_vmscan_", "", PLOT_COUNTER_EVENTS},
	{"vmstat.nr_foll_pin_", "", PLOT_COUNTER_EVENTS},
	{"vmstat.nr_", "", PLOT_COUNTER_NUMBER},
	{"vmstat.workingset_nodes", "", PLOT_COUNTER_NUMBER},
	{"vmstat.", "", PLOT_COUNTER_EVENTS},
	/* memory.stat: what is not an event is in bytes. */
	{"cgroup.events.", "", PLOT_COUNTER_EVENTS},
	{"cgroup.failcnt", "", PLOT_COUNTER_EVENTS},
	{"cgroup.pg", "", PLOT_COUNTER_EVENTS},
	{"cgroup.total_pg", "", PLOT_COUNTER_EVENTS},
	{"cgroup.workingset_", "", PLOT_COUNTER_EVENTS},
	{"cgroup.total_workingset_", "", PLOT_COUNTER_EVENTS},
	{"cgroup.thp_", "", PLOT_COUNTER_EVENTS},
	{"cgroup.numa_", "", PLOT_COUNTER_EVENTS},
	{"cgroup.zswpin", "", PLOT_COUNTER_EVENTS},
	{"cgroup.zswpout", "", PLOT_COUNTER_EVENTS},
	{"cgroup.zswpwb", "", PLOT_COUNTER_EVENTS},
	{"cgroup.swpin", "", PLOT_COUNTER_EVENTS},
	{"cgroup.swpout", "", PLOT_COUNTER_EVENTS},
	{"cgroup.", "", PLOT_COUNTER_BYTES},
	{"", "", PLOT_COUNTER_EVENTS},
};

static const struct {
	const char *title;
	enum plot_unit unit;
	bool is_level;
} kinds[] = {
	[PLOT_COUNTER_BYTES] = {"memory", PLOT_UNIT_BYTES, true},
	[PLOT_COUNTER_NUMBER] = {"number", PLOT_UNIT_COUNT, true},
	[PLOT_COUNTER_EVENTS] = {"events per second", PLOT_UNIT_COUNT, false},
	[PLOT_COUNTER_STALLED] = {"share of the time", PLOT_UNIT_PERCENT, false},
	[PLOT_COUNTER_CPU] = {"share of all CPUs' time", PLOT_UNIT_PERCENT, false},
};

enum plot_counter_kind plot_counter_kind(const char *name)
{
	size_t length = strlen(name);
	const struct counter_row *row = rows;

	for (;; row++) {
		size_t end = strlen(row->end);

		if (!strncmp(name, row->begin, strlen(row->begin)) && length >= end && !strcmp(name + length - end, row->end))
			return row->kind;
	}
}

bool plot_counter_is_level(enum plot_counter_kind kind)
{
	return kinds[kind].is_level;
}

const char *plot_counter_title(enum plot_counter_kind kind)
{
	return kinds[kind].title;
}

enum plot_unit plot_counter_unit(enum plot_counter_kind kind)
{
	return kinds[kind].unit;
}

int plot_counter_begin(const struct loaded *loaded, const char *name, double *value)
{
	const struct report_node *item =
		report_read_find(report_read_root(loaded->document), "report/sys_mem_info/sys_mem_item");
	const struct report_node *counter;

	for (; item; item = report_read_next(item)) {
		const char *when = report_read_attribute(item, "name");

		if (when && !strcmp(when, "pre-run"))
			break;
	}
	for (counter = item ? report_read_find(item, "counters/counter") : NULL; counter;
		counter = report_read_next(counter)) {
		const char *own = report_read_attribute(counter, "name");
		const char *text = report_read_attribute(counter, "value");

		if (own && text && !strcmp(own, name))
			return units_parse_double(text, -DBL_MAX, DBL_MAX, value);
	}
	return -ENOENT;
}

double plot_counter_change(const struct loaded_interval *interval, const char *name)
{
	for (size_t i = 0; i < interval->counter_count; i++) {
		if (!strcmp(interval->counters[i].name, name))
			return interval->counters[i].value;
	}
	return 0;
}

double plot_counter_value(enum plot_counter_kind kind, const struct loaded_interval *interval, const char *name)
{
	double change = plot_counter_change(interval, name);
	double ticks;

	switch (kind) {
	case PLOT_COUNTER_EVENTS:
		return change / interval->seconds;
	case PLOT_COUNTER_STALLED:
		return change / (interval->seconds * 1e6) * 100;
	case PLOT_COUNTER_CPU:
		ticks = plot_counter_change(interval, "stat.total");
		return ticks > 0 ? change / ticks * 100 : NAN;
	case PLOT_COUNTER_BYTES:
	case PLOT_COUNTER_NUMBER:
		break;
	}
	return change;
}
