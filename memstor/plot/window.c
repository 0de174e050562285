/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "memstor/plot/window.h"

#include <math.h>

#include "common/diag.h"

bool plot_window_has(const struct plot_options *options, const struct loaded_interval *interval)
{
	double middle = interval->time_s - interval->seconds / 2;

	return interval->seconds > 0 && isfinite(middle) && middle >= options->from_s && middle < options->to_s;
}

int plot_window_check(const struct plot *plot, const struct loaded *loaded)
{
	const struct plot_options *options = plot->options;

	if (loaded->interval_count == 0) {
		diag_error(0, "%s: the report has no series", loaded->path);
		return DIAG_EXIT_USAGE;
	}
	for (size_t i = 0; i < loaded->interval_count; i++) {
		if (plot_window_has(options, &loaded->intervals[i]))
			return DIAG_EXIT_OK;
	}
	diag_error(0, "%s: no interval lies between --from and --to; the run ended after %.6g s, in intervals of %.6g s",
		loaded->path, loaded->intervals[loaded->interval_count - 1].time_s, loaded->interval_s);
	return DIAG_EXIT_USAGE;
}

void plot_window_note(struct plot *plot)
{
	const struct plot_options *options = plot->options;

	if (!options->has_window)
		return;
	if (isinf(options->to_s))
		plot_note(plot, false, "Only what was measured from %.6g s on.", options->from_s);
	else
		plot_note(plot, false, "Only what was measured from %.6g s to %.6g s.", options->from_s, options->to_s);
}
