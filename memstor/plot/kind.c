/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "memstor/plot/kind.h"

#include <stdio.h>
#include <string.h>

#include "memstor/plot/bars.h"
#include "memstor/plot/curve.h"
#include "memstor/plot/heatmap.h"
#include "memstor/plot/iowrite/kinds.h"
#include "memstor/plot/kinds.h"
#include "memstor/plot/series.h"
#include "memstor/plot/ssd/kinds.h"

#define TAKES_CURVES "type class from to y legend"
#define CURVES                                                                                                       \
	.state_size = sizeof(struct plot_curves), .take = plot_overlay_take, .free = plot_overlay_free

const struct plot_kind plot_kind_table[] = {
	{
		.name = "histogram",
		.summary = "Histogram of latencies",
		.takes = TAKES_CURVES " mark x-range share",
		CURVES,
		.draw = plot_histogram_draw,
	},
	{
		.name = "cdf",
		.summary = "Cumulative distribution of latencies",
		.takes = TAKES_CURVES " mark x-range",
		CURVES,
		.draw = plot_cdf_draw,
	},
	{
		.name = "percentile",
		.summary = "Latencies by percentile",
		.takes = TAKES_CURVES " y-range",
		CURVES,
		.draw = plot_percentile_draw,
	},
	{
		.name = "series",
		.summary = "Rates, latencies and the kernel's counters in time",
		.takes = "metric counter threshold from to class y-range y legend",
		.needs_series = true,
		.state_size = sizeof(struct plot_series),
		.take = plot_series_take,
		.draw = plot_series_draw,
		.free = plot_series_free,
	},
	{
		.name = "heatmap",
		.summary = "Latencies in time",
		.takes = "from to y-range y share legend",
		.needs_series = true,
		.reports_max = PLOT_HEATMAP_REPORTS,
		.state_size = sizeof(struct plot_heatmap),
		.take = plot_heatmap_take,
		.draw = plot_heatmap_draw,
		.free = plot_heatmap_free,
	},
	{
		.name = "bars",
		.summary = "Groups of runs side by side",
		.takes = "metric group-by -- y legend",
		.state_size = sizeof(struct plot_bars),
		.take = plot_bars_take,
		.draw = plot_bars_draw,
		.free = plot_bars_free,
	},
	{
		.name = "prediction",
		.summary = "A scenario of iowrite-bench evaluate: cost of each write, measured and predicted",
		.takes = "scenario model y",
		.reports_max = 1,
		.state_size = sizeof(struct plot_prediction),
		.take = plot_prediction_take,
		.draw = plot_prediction_draw,
		.free = plot_prediction_free,
	},
	{
		.name = "kernel-trace",
		.summary = "The kernel's view of iowrite-bench trace beside the model's",
		.takes = "y",
		.reports_max = 1,
		.state_size = sizeof(struct plot_trace),
		.take = plot_trace_take,
		.draw = plot_trace_draw,
		.free = plot_trace_free,
	},
	{
		.name = "errors",
		.summary = "Errors of the models of iowrite-bench evaluate by scenario",
		.takes = "metric model y",
		.state_size = sizeof(struct plot_errors),
		.take = plot_errors_take,
		.draw = plot_errors_draw,
		.free = plot_errors_free,
	},
	{
		.name = "cost",
		.summary = "What a write of iowrite-bench run costs, by size or by cell",
		.takes = "metric class y legend",
		.state_size = sizeof(struct plot_cost),
		.take = plot_cost_take,
		.draw = plot_cost_draw,
		.free = plot_cost_free,
	},
	{
		.name = "interference",
		.summary = "What log and checkpoint of ssd-workloads run --baselines cost each other",
		.takes = "y legend",
		.state_size = sizeof(struct plot_interference),
		.take = plot_interference_take,
		.draw = plot_interference_draw,
	},
	{
		.name = "lba",
		.summary = "Where and when the writes of ssd-workloads analyze fig11 went",
		.reports_max = 1,
		.state_size = sizeof(struct plot_points),
		.take = plot_lba_take,
		.draw = plot_lba_draw,
		.free = plot_points_free,
	},
	{
		.name = "tail",
		.summary = "The tail of the response times of ssd-workloads analyze fig9",
		.takes = "legend",
		.reports_max = PLOT_POINTS_REPORTS,
		.state_size = sizeof(struct plot_points),
		.take = plot_tail_take,
		.draw = plot_tail_draw,
		.free = plot_points_free,
	},
	{
		.name = "ratios",
		.summary = "Response times over those of the stream alone, of ssd-workloads analyze fig6",
		.takes = "legend",
		.reports_max = PLOT_POINTS_REPORTS,
		.state_size = sizeof(struct plot_points),
		.take = plot_ratios_take,
		.draw = plot_ratios_draw,
		.free = plot_points_free,
	},
	{
		.name = "slowest",
		.summary = "The slowest writes by part, of ssd-workloads analyze fig4",
		.reports_max = 1,
		.state_size = sizeof(struct plot_slowest),
		.take = plot_slowest_take,
		.draw = plot_slowest_draw,
	},
	{.name = NULL},
};

const struct plot_kind *plot_kind_find(const char *name)
{
	for (const struct plot_kind *kind = plot_kind_table; kind->name; kind++) {
		if (!strcmp(kind->name, name))
			return kind;
	}
	return NULL;
}

const char *plot_kind_name(size_t i)
{
	return i < sizeof(plot_kind_table) / sizeof(plot_kind_table[0]) ? plot_kind_table[i].name : NULL;
}

static bool names_option(const struct plot_kind *kind, const char *option)
{
	size_t length = strlen(option), span;

	for (const char *word = kind->takes; word && *word; word += span + (word[span] == ' ')) {
		span = strcspn(word, " ");
		if (span == length && !strncmp(word, option, length))
			return true;
	}
	return false;
}

bool plot_kind_takes(const struct plot_kind *kind, const char *option)
{
	bool is_named = false;

	for (const struct plot_kind *other = plot_kind_table; other->name && !is_named; other++)
		is_named = names_option(other, option);
	return !is_named || names_option(kind, option);
}

char *plot_kind_names(const char *option, char *text, size_t length)
{
	const struct plot_kind *last = plot_kind_table;
	size_t used = 0;

	for (const struct plot_kind *kind = plot_kind_table; kind->name; kind++)
		last = !option || names_option(kind, option) ? kind : last;
	text[0] = '\0';
	for (const struct plot_kind *kind = plot_kind_table; kind->name && used < length; kind++) {
		if (!option || names_option(kind, option))
			used += (size_t)snprintf(text + used, length - used, "%s%s",
				!used ? "" : kind == last ? " or " : ", ", kind->name);
	}
	return text;
}
