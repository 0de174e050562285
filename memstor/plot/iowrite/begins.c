/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "memstor/plot/iowrite/begins.h"

#include <math.h>

#define WRITEBACK_LEAST (1. / 64) /* of the background threshold: less may be another program's */

static void look(struct plot_begin *begins, double time_s, double dirty, double cached,
	const struct plot_thresholds *thresholds)
{
	const bool has_begun[PLOT_BEGINS] = {
		dirty >= thresholds->background || cached - dirty >= WRITEBACK_LEAST * thresholds->background,
		cached >= thresholds->freerun};

	for (int i = 0; i < PLOT_BEGINS; i++) {
		if (isnan(begins[i].time_s) && isfinite(time_s) && has_begun[i])
			begins[i] = (struct plot_begin){time_s, cached};
	}
}

struct plot_begins plot_begins_find(const struct plot_writes *writes, const struct plot_thresholds *thresholds)
{
	struct plot_begins begins = {{{NAN, NAN}, {NAN, NAN}}, {{NAN, NAN}, {NAN, NAN}}, {{NAN, NAN}, {NAN, NAN}}};

	for (size_t i = 0; i < writes->count; i++) {
		const struct plot_write *write = &writes->items[i];

		look(begins.measured, write->time_s, write->dirty, write->cached, thresholds);
		look(begins.predicted, write->time_s, write->predicted_dirty, write->predicted_cached, thresholds);
		look(begins.cawl, write->time_s, write->cawl_dirty, write->cawl_dirty, thresholds);
	}
	return begins;
}

bool plot_begins_has(const struct plot_begin *begins)
{
	return isfinite(begins[PLOT_BEGIN_FLUSH].time_s) || isfinite(begins[PLOT_BEGIN_THROTTLE].time_s);
}

static void format_time(const struct plot_begin *begin, char *text, size_t length)
{
	if (isfinite(begin->time_s))
		snprintf(text, length, "after %.3g s", begin->time_s);
	else
		snprintf(text, length, "never");
}

char *plot_begins_say(const struct plot_begins *begins, bool has_predicted, bool has_cawl, char *text, size_t length)
{
	static const char *const words[PLOT_BEGINS] = {"Flushing begins", "throttling"};
	size_t used = 0;

	text[0] = '\0';
	if (!plot_begins_has(begins->measured) && !(has_predicted && plot_begins_has(begins->predicted)) &&
		!(has_cawl && plot_begins_has(begins->cawl)))
		return text;
	for (int i = 0; i < PLOT_BEGINS && used < length; i++) {
		char measured[32], predicted[32], cawl[32];

		format_time(&begins->measured[i], measured, sizeof(measured));
		format_time(&begins->predicted[i], predicted, sizeof(predicted));
		format_time(&begins->cawl[i], cawl, sizeof(cawl));
		used += (size_t)snprintf(text + used, length - used, "%s%s %s%s%s%s%s%s%s", i ? ", " : "", words[i], measured,
			has_predicted || has_cawl ? " (" : "", has_predicted ? "kernel's model: " : "",
			has_predicted ? predicted : "", has_predicted && has_cawl ? ", " : "", has_cawl ? "cawl: " : "",
			has_cawl ? cawl : "");
		if (used < length && (has_predicted || has_cawl))
			used += (size_t)snprintf(text + used, length - used, ")");
	}
	if (used < length)
		snprintf(text + used, length - used, ".");
	return text;
}

void plot_begins_write(FILE *out, const char *name, const struct plot_begin *begins)
{
	fprintf(out, "%s << END\n", name);
	for (int i = 0; i < PLOT_BEGINS; i++) {
		if (isfinite(begins[i].time_s) && isfinite(begins[i].cached))
			fprintf(out, "%.10g %.10g\n", begins[i].time_s, begins[i].cached);
	}
	fprintf(out, "END\n");
}
