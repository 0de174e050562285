/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "memstor/plot/plot.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "common/diag.h"
#include "memstor/inputs.h"
#include "memstor/plot/format.h"
#include "memstor/plot/kind.h"
#include "memstor/plot/style.h"
#include "memstor/plot/text.h"

void plot_note(struct plot *plot, bool is_warning, const char *format, ...)
{
	struct plot_note note = {.is_warning = is_warning};
	va_list arguments;
	size_t at = 0;

	va_start(arguments, format);
	vsnprintf(note.text, sizeof(note.text), format, arguments);
	va_end(arguments);
	for (size_t i = 0; i < plot->note_count; i++) {
		if (!strcmp(plot->notes[i].text, note.text))
			return;
	}
	while (is_warning && at < plot->note_count && plot->notes[at].is_warning)
		at++;
	if (!is_warning)
		at = plot->note_count;
	if (at == PLOT_NOTES_MAX)
		return;
	if (plot->note_count == PLOT_NOTES_MAX)
		plot->note_count--;
	memmove(&plot->notes[at + 1], &plot->notes[at], (plot->note_count - at) * sizeof(note));
	plot->notes[at] = note;
	plot->note_count++;
}

void plot_drawn(struct plot *plot, const char *name)
{
	char **names = realloc(plot->drawn, (plot->drawn_count + 1) * sizeof(*names));

	/* Without memory for a name the picture is still the picture. */
	if (!names)
		return;
	plot->drawn = names;
	names[plot->drawn_count] = strdup(name);
	plot->drawn_count += names[plot->drawn_count] != NULL;
}

/* What the picture shows of a run that did not go well must be read with that in mind. */
static void note_status(struct plot *plot, const struct plot_facts *facts)
{
	char name[PLOT_TEXT];

	if (!strcmp(facts->status, "ok"))
		return;
	plot_text_clean(plot_fact(facts, "file"), 60, name, sizeof(name));
	plot_note(plot, true, "%s is %s%s%s.", name, !strcmp(facts->status, "interrupted") ? "of an interrupted run"
			  : "not to be trusted", facts->reasons[0] ? ": " : "", facts->reasons);
}

static int take_report(struct plot *plot, const char *path, size_t group)
{
	const struct plot_options *options = plot->options;
	bool wants_series = options->kind->needs_series || options->has_window;
	struct loaded *loaded;
	int rc = loaded_read(path, wants_series ? LOADED_SERIES : 0, &loaded);

	if (rc)
		return rc;
	rc = plot_facts_take(loaded, group, &plot->reports[plot->report_count]);
	if (rc) {
		diag_error(rc, "cannot draw");
		rc = DIAG_EXIT_HOST;
	} else {
		note_status(plot, &plot->reports[plot->report_count++]);
		rc = options->kind->take(plot, loaded);
	}
	loaded_free(loaded);
	return rc;
}

/* inputs: the files of each argument, and the group of each file. */
static int list_inputs(const struct plot_options *options, struct inputs *inputs, size_t **groups)
{
	size_t done = 0;
	int rc = 0;

	for (size_t i = 0; i < options->files.count && !rc; i++) {
		size_t *grown;

		rc = inputs_add(inputs, options->files.items[i].text);
		grown = rc ? NULL : realloc(*groups, inputs->count * sizeof(**groups));
		if (!rc && !grown) {
			diag_error(ENOMEM, "cannot draw");
			return DIAG_EXIT_HOST;
		}
		if (rc)
			return rc;
		*groups = grown;
		while (done < inputs->count)
			grown[done++] = options->files.items[i].group;
	}
	if (!rc && options->kind->reports_max && inputs->count > options->kind->reports_max) {
		diag_error(0, "%s draws at most %zu report%s, these are %zu", options->kind->name, options->kind->reports_max,
			options->kind->reports_max == 1 ? "" : "s", inputs->count);
		return DIAG_EXIT_USAGE;
	}
	return rc;
}

static int take_all(struct plot *plot)
{
	struct inputs inputs = {0};
	size_t *groups = NULL;
	int rc = list_inputs(plot->options, &inputs, &groups);

	if (!rc) {
		plot->reports = calloc(inputs.count + 1, sizeof(*plot->reports));
		plot->state = calloc(1, plot->options->kind->state_size);
		if (!plot->reports || !plot->state) {
			diag_error(ENOMEM, "cannot draw");
			rc = DIAG_EXIT_HOST;
		}
	}
	for (size_t i = 0; i < inputs.count && !rc; i++)
		rc = take_report(plot, inputs.paths[i], groups[i]);
	inputs_free(&inputs);
	free(groups);
	return rc;
}

static void write_head(const struct plot *plot)
{
	const struct plot_options *options = plot->options;

	fprintf(plot->script, "# A picture by memstor " PACKAGE_VERSION ": gnuplot THIS-FILE >picture.%s\n",
		options->format->name);
	plot_format_write(plot->script, options->format, options->width, options->height);
	plot_style_write(plot->script);
}

/* Head, texts, and what was drawn. 0 or -ENOMEM. */
static int join(struct plot *plot, const char *drawing, size_t drawing_size, char **script, size_t *size)
{
	char *text = NULL;

	if (plot->texts.is_short)
		return -ENOMEM;
	plot->script = open_memstream(&text, size);
	if (!plot->script)
		return -ENOMEM;
	write_head(plot);
	plot_text_write_block(plot->script, &plot->texts);
	fwrite(drawing, 1, drawing_size, plot->script);
	if (fclose(plot->script)) {
		free(text);
		return -ENOMEM;
	}
	*script = text;
	return 0;
}

int plot_make(struct plot *plot, char **script, size_t *size)
{
	char *drawing = NULL;
	size_t drawing_size = 0;
	int rc = take_all(plot);

	if (rc)
		return rc;
	plot->script = open_memstream(&drawing, &drawing_size);
	if (plot->script)
		rc = plot->options->kind->draw(plot);
	if (!rc && plot->is_too_small) {
		diag_error(0, "the picture would have no room for its data: draw fewer, or give a larger --size than %ux%u",
			plot->options->width, plot->options->height);
		rc = DIAG_EXIT_USAGE;
	}
	if (!plot->script || fclose(plot->script) || (!rc && join(plot, drawing, drawing_size, script, size))) {
		diag_error(ENOMEM, "cannot draw");
		rc = DIAG_EXIT_HOST;
	}
	plot->script = NULL;
	free(drawing);
	return rc;
}

void plot_free(struct plot *plot)
{
	if (plot->state && plot->options->kind->free)
		plot->options->kind->free(plot);
	free(plot->state);
	for (size_t i = 0; i < plot->report_count; i++)
		plot_facts_free(&plot->reports[i]);
	free(plot->reports);
	for (size_t i = 0; i < plot->drawn_count; i++)
		free(plot->drawn[i]);
	free(plot->drawn);
	plot_text_free(&plot->texts);
}
