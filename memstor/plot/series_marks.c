/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "memstor/plot/series.h"

#include <string.h>

#include "memstor/plot/text.h"

/* Elements of a report that say when something began. A tool adds its rows. */
static const struct mark_source {
	const char *element; /* below report; may repeat */
	const char *time;    /* its child with the seconds on the run's clock */
	const char *text;    /* its child with the text, or NULL */
	const char *word;    /* before the text */
	bool is_alone;       /* also when it is the only one */
} sources[] = {
	{"result/phases/phase", "begin_s", "pattern", "", false},
};

static void add(struct plot_series *series, double time, const char *word, const char *text)
{
	struct plot_series_mark *mark = &series->marks[series->mark_count];
	char joined[PLOT_TEXT];

	if (series->mark_count == PLOT_SERIES_MARKS_MAX)
		return;
	snprintf(joined, sizeof(joined), "%s%s%s", word, word[0] && text[0] ? " " : "", text);
	plot_text_clean(joined, sizeof(mark->text) - 1, mark->text, sizeof(mark->text));
	mark->time = time;
	series->mark_count++;
}

void plot_series_take_marks(struct plot_series *series, const struct loaded *loaded)
{
	const struct report_node *report = report_read_find(report_read_root(loaded->document), "report");

	for (size_t i = 0; report && i < sizeof(sources) / sizeof(sources[0]); i++) {
		const struct mark_source *source = &sources[i];
		const struct report_node *node = report_read_find(report, source->element);

		if (node && !source->is_alone && !report_read_next(node))
			continue;
		for (; node; node = report_read_next(node)) {
			double time;

			if (!report_read_double(node, source->time, &time))
				add(series, time, source->word, source->text ? report_read_text(node, source->text) : "");
		}
	}
}
