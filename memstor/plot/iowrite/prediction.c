/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which scenario is drawn, what is said of it in words, and the picture in time. */
#include "config.h"
#include "memstor/plot/iowrite/kinds.h"

#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/diag.h"
#include "memstor/plot/frame.h"
#include "memstor/plot/style.h"

#define MEASURED "#202020"
#define CACHED "#9a9a9a"
#define KEYS (PLOT_MODELS + 7)
#define JUMP 3.0      /* from one write to the next, as a factor */
#define JUMPS_FEW 40  /* single stalls are seen as such */
#define JUMPS_MANY 20 /* one write in so many */

/* "c2" is its first repetition, "c2:3" the third. */
static bool is_asked_for(const struct report_node *scenario, const char *asked)
{
	const char *id = report_read_attribute(scenario, "id"), *repetition = report_read_attribute(scenario, "repetition");
	size_t length = id ? strlen(id) : 0;

	if (!asked)
		return true;
	if (!id || strncmp(id, asked, length))
		return false;
	return !asked[length] || (asked[length] == ':' && repetition && !strcmp(asked + length + 1, repetition));
}

static void refuse_scenario(const struct loaded *loaded, const char *asked)
{
	char names[512] = "";
	size_t used = 0;

	for (size_t i = 0; i < loaded->subject_count && used < sizeof(names); i++)
		used += (size_t)snprintf(names + used, sizeof(names) - used, "%s%.40s", i ? ", " : "", loaded->subjects[i].id);
	diag_error(0, "--scenario '%s': %s has no such one; there are: %s", asked, loaded->path, used ? names : "none");
}

static void note_models(struct plot *plot, const struct report_node *scenario)
{
	double floor = report_read_number(scenario, "floor_percent");

	for (size_t i = 0; i < PLOT_MODELS; i++) {
		const struct report_node *model = plot_model_node(scenario, (enum plot_model)i);
		double coverage = model ? report_read_number(model, "coverage_percent") : NAN;
		char band[64] = "";

		if (!model || !plot_model_is_wanted(plot->options, (enum plot_model)i))
			continue;
		if (!isnan(coverage))
			snprintf(band, sizeof(band), ", %.0f %% of the writes in the band", coverage);
		plot_note(plot, false, "%s: off by %.1f %% per write, %+.1f %% in all%s.", plot_model_name((enum plot_model)i),
			report_read_number(model, "per_write_error_percent"), report_read_number(model, "total_error_percent"),
			band);
	}
	if (!isnan(floor))
		plot_note(plot, false, "Floor: %.1f %% per write, with three costs chosen knowing the result.", floor);
}

static void note_outside(struct plot *plot, const struct report_node *scenario)
{
	const struct report_node *node = report_read_find(scenario, "outside_model");

	for (; node; node = report_read_next(node)) {
		const char *code = report_read_attribute(node, "code");

		plot_note(plot, true, "Outside the models: %s%s%.120s.", code ? code : "", node->text[0] ? ": " : "", node->text);
	}
}

static void make_title(struct plot *plot, const struct report_node *scenario)
{
	const char *figure = report_read_text(scenario, "figure");
	const char *id = report_read_attribute(scenario, "id");

	snprintf(plot->title, sizeof(plot->title), "Scenario %.40s%s%.20s%s: %.150s", id ? id : "",
		figure[0] ? " (figure " : "", figure, figure[0] ? " of CAWL)" : "",
		report_read_text(scenario, "meaning"));
}

static bool has_sizes(const struct plot_writes *writes)
{
	for (size_t i = 1; i < writes->count; i++) {
		if (writes->items[i].size != writes->items[0].size)
			return true;
	}
	return false;
}

int plot_prediction_take(struct plot *plot, const struct loaded *loaded)
{
	struct plot_prediction *prediction = plot->state;
	const char *asked = plot->options->scenario;
	const struct report_node *evaluation = plot_iowrite_part(loaded, "prediction", "evaluate", "evaluation");
	const struct report_node *node = evaluation ? report_read_find(evaluation, "scenario") : NULL;
	int rc;

	if (!evaluation)
		return DIAG_EXIT_USAGE;
	while (node && !is_asked_for(node, asked))
		node = report_read_next(node);
	if (!node && asked) {
		refuse_scenario(loaded, asked);
		return DIAG_EXIT_USAGE;
	}
	rc = node ? plot_writes_take(node, &prediction->writes) : DIAG_EXIT_OK;
	if (!rc && !prediction->writes.count) {
		diag_error(0, "%s: %s", loaded->path, node ? "the scenario has no writes" : "no scenario was measured");
		rc = DIAG_EXIT_USAGE;
	}
	if (rc)
		return rc;
	prediction->is_by_size = has_sizes(&prediction->writes);
	prediction->is_buffered = !strcmp(report_read_text(node, "mode"), "buffered");
	prediction->thresholds = plot_thresholds_of(node);
	prediction->begins = plot_begins_find(&prediction->writes, &prediction->thresholds);
	make_title(plot, node);
	note_outside(plot, node);
	note_models(plot, node);
	return DIAG_EXIT_OK;
}

void plot_prediction_free(struct plot *plot)
{
	struct plot_prediction *prediction = plot->state;

	free(prediction->writes.items);
}

static void write_value(FILE *out, double value)
{
	if (isfinite(value))
		fprintf(out, " %.10g", value);
	else
		fputs(" NaN", out);
}

/* It is not looked at beside every write. */
static void write_cached(FILE *out, const struct plot_writes *writes, const char *name, const char *whose, size_t offset)
{
	fprintf(out, "# seconds, bytes dirty and being written%s\n%s << END\n", whose, name);
	for (size_t i = 0; i < writes->count; i++) {
		double bytes;

		memcpy(&bytes, (const char *)&writes->items[i] + offset, sizeof(bytes));
		if (isfinite(bytes))
			fprintf(out, "%.10g %.10g\n", writes->items[i].time_s, bytes);
	}
	fprintf(out, "END\n");
}

static void write_data(const struct plot *plot)
{
	const struct plot_prediction *prediction = plot->state;
	FILE *out = plot->script;

	fprintf(out, "# seconds, measured ns, kernel, cawl, naive, low, high\n"
		     "$writes << END\n");
	for (size_t i = 0; i < prediction->writes.count; i++) {
		const struct plot_write *write = &prediction->writes.items[i];

		fprintf(out, "%.10g", write->time_s);
		write_value(out, write->measured_ns);
		for (size_t j = 0; j < PLOT_MODELS; j++)
			write_value(out, write->predicted_ns[j]);
		write_value(out, write->low_ns);
		write_value(out, write->high_ns);
		fputc('\n', out);
	}
	fprintf(out, "END\n");
	write_cached(out, &prediction->writes, "$cached", "", offsetof(struct plot_write, cached));
	write_cached(out, &prediction->writes, "$predicted", " by the model", offsetof(struct plot_write, predicted_cached));
	write_cached(out, &prediction->writes, "$cawl", " by cawl", offsetof(struct plot_write, cawl_dirty));
	fprintf(out, "# seconds, bytes: where flushing and throttling begin\n");
	plot_begins_write(out, "$begins", prediction->begins.measured);
	fprintf(out, "# by the model\n");
	plot_begins_write(out, "$expected", prediction->begins.predicted);
	fprintf(out, "# by cawl\n");
	plot_begins_write(out, "$expected_cawl", prediction->begins.cawl);
}

struct shown { /* what there is to draw */
	bool models[PLOT_MODELS], has_band, has_cached, has_predicted, has_begins, has_expected, has_cawl, has_cawl_begins;
	bool is_jumping;
};

/* fwrite(3) costs what a write(2) does once in so many calls, and nothing in between: a line is a wall then. */
static bool is_jumping(const struct plot_writes *writes, const struct shown *shown)
{
	for (size_t i = 0; i < PLOT_MODELS; i++) {
		size_t jumps = 0;

		for (size_t j = 1; j < writes->count && shown->models[i]; j++)
			jumps += fabs(log(writes->items[j].predicted_ns[i] / writes->items[j - 1].predicted_ns[i])) > log(JUMP);
		if (jumps > JUMPS_FEW + writes->count / JUMPS_MANY)
			return true;
	}
	return false;
}

static struct shown look(const struct plot *plot)
{
	const struct plot_prediction *prediction = plot->state;
	struct shown shown = {.has_band = false};

	for (size_t i = 0; i < prediction->writes.count; i++) {
		const struct plot_write *write = &prediction->writes.items[i];

		for (size_t j = 0; j < PLOT_MODELS; j++)
			shown.models[j] |=
				isfinite(write->predicted_ns[j]) && plot_model_is_wanted(plot->options, (enum plot_model)j);
		shown.has_band |= isfinite(write->low_ns) && isfinite(write->high_ns);
		shown.has_cached |= prediction->is_buffered && isfinite(write->cached);
		shown.has_predicted |= isfinite(write->predicted_cached);
		shown.has_cawl |= isfinite(write->cawl_dirty);
	}
	shown.has_band &= shown.models[PLOT_MODEL_KERNEL];
	shown.is_jumping = is_jumping(&prediction->writes, &shown);
	shown.has_predicted &= shown.models[PLOT_MODEL_KERNEL] && shown.has_cached;
	shown.has_cawl &= shown.models[PLOT_MODEL_CAWL] && shown.has_cached;
	shown.has_cawl_begins = shown.has_cawl && plot_begins_has(prediction->begins.cawl);
	shown.has_begins = shown.has_cached && plot_begins_has(prediction->begins.measured);
	shown.has_expected = shown.has_predicted && plot_begins_has(prediction->begins.predicted);
	return shown;
}

static void fit_axes(
	const struct plot *plot, const struct shown *shown, struct plot_axis *x, struct plot_axis *y, struct plot_axis *y2)
{
	const struct plot_prediction *prediction = plot->state;
	struct plot_extent time = PLOT_EXTENT_NONE, cost = PLOT_EXTENT_NONE, bytes = PLOT_EXTENT_NONE;

	for (size_t i = 0; i < prediction->writes.count; i++) {
		const struct plot_write *write = &prediction->writes.items[i];

		plot_extent_add(&time, write->time_s);
		plot_extent_add(&cost, write->measured_ns);
		for (size_t j = 0; j < PLOT_MODELS; j++) {
			if (shown->models[j])
				plot_extent_add(&cost, write->predicted_ns[j]);
		}
		plot_extent_add(&bytes, write->cached);
		plot_extent_add(&bytes, shown->has_predicted ? write->predicted_cached : NAN);
		plot_extent_add(&bytes, shown->has_cawl ? write->cawl_dirty : NAN);
	}
	/* The upper half is of the costs, which are highest when most is dirty. */
	plot_extent_add(&bytes, 2 * bytes.high);
	plot_axis_fit(y, &cost);
	plot_axis_fit(y2, &bytes);
	x->low = time.low;
	x->high = time.high > time.low ? time.high : time.low + 1;
}

static size_t list_keys(const struct shown *shown, struct plot_key *keys)
{
	static const char *const names[PLOT_MODELS] = {"kernel", "cawl", "naive"};
	size_t count = 0;

	keys[count++] = (struct plot_key){"measured", MEASURED, PLOT_KEY_POINTS};
	for (size_t i = 0; i < PLOT_MODELS; i++) {
		if (shown->models[i])
			keys[count++] = (struct plot_key){
				i == PLOT_MODEL_KERNEL && shown->has_band ? "kernel, and where 10 to 90 % lie" : names[i],
				plot_model_colour((enum plot_model)i),
				shown->is_jumping ? PLOT_KEY_POINTS : plot_model_dash((enum plot_model)i)};
	}
	if (shown->has_cached)
		keys[count++] = (struct plot_key){"dirty and being written (right)", CACHED, "solid"};
	if (shown->has_predicted)
		keys[count++] = (struct plot_key){"the same by the kernel's model (right)", CACHED, plot_style_dash(1)};
	if (shown->has_cawl)
		keys[count++] = (struct plot_key){"by cawl (right)", plot_model_colour(PLOT_MODEL_CAWL), plot_style_dash(2)};
	if (shown->has_begins)
		keys[count++] = (struct plot_key){"begin of flushing, of throttling", MEASURED, PLOT_KEY_MARKS};
	if (shown->has_expected)
		keys[count++] = (struct plot_key){
			"both by the kernel's model", plot_model_colour(PLOT_MODEL_KERNEL), PLOT_KEY_HOLLOW};
	if (shown->has_cawl_begins)
		keys[count++] = (struct plot_key){"both by cawl", plot_model_colour(PLOT_MODEL_CAWL), PLOT_KEY_HOLLOW};
	return count;
}

static void plot_begins(struct plot *plot, const struct shown *shown)
{
	if (shown->has_begins) {
		plot_drawn(plot, "begin of flushing, of throttling");
		fprintf(plot->script, ", \\\n\t$begins using 1:2 axes x1y2 with points pointtype 13 pointsize 1 linecolor rgb "
				      "\"" MEASURED "\"");
	}
	if (shown->has_expected) {
		plot_drawn(plot, "both by the kernel's model");
		fprintf(plot->script, ", \\\n\t$expected using 1:2 axes x1y2 with points pointtype 12 pointsize 1.4 linewidth "
				      "1.4 linecolor rgb \"%s\"", plot_model_colour(PLOT_MODEL_KERNEL));
	}
	if (shown->has_cawl_begins) {
		plot_drawn(plot, "both by cawl");
		fprintf(plot->script, ", \\\n\t$expected_cawl using 1:2 axes x1y2 with points pointtype 12 pointsize 1.8 linewidth "
				      "1.4 linecolor rgb \"%s\"", plot_model_colour(PLOT_MODEL_CAWL));
	}
}

static void plot_lines(struct plot *plot, const struct shown *shown)
{
	FILE *out = plot->script;
	const char *glue = "plot ";

	if (shown->has_cached) {
		plot_drawn(plot, "dirty and being written");
		fprintf(out, "%s$cached using 1:2 axes x1y2 with filledcurves y2=0 fillcolor rgb \"" CACHED "\"", glue);
		glue = ", \\\n\t";
		plot_drawn(plot, "dirty and being written");
		fprintf(out, "%s$cached using 1:2 axes x1y2 with lines linewidth 1.2 linecolor rgb \"" CACHED "\"", glue);
	}
	if (shown->has_predicted) {
		plot_drawn(plot, "the same by the kernel's model");
		fprintf(out, "%s$predicted using 1:2 axes x1y2 with lines linewidth 1.2 dashtype %s linecolor rgb \"" CACHED "\"",
			glue, plot_style_dash(1));
	}
	if (shown->has_cawl) {
		plot_drawn(plot, "by cawl");
		fprintf(out, "%s$cawl using 1:2 axes x1y2 with lines linewidth 1.2 dashtype %s linecolor rgb \"%s\"", glue,
			plot_style_dash(2), plot_model_colour(PLOT_MODEL_CAWL));
	}
	if (shown->has_band) {
		plot_drawn(plot, "10 to 90 % by the kernel's model");
		fprintf(out, "%s$writes using 1:6:7 with filledcurves fillcolor rgb \"%s\"", glue,
			plot_model_colour(PLOT_MODEL_KERNEL));
		glue = ", \\\n\t";
	}
	plot_drawn(plot, "measured");
	fprintf(out, "%s$writes using 1:2 with points pointtype 7 pointsize 0.35 linecolor rgb \"" MEASURED "\"", glue);
	glue = ", \\\n\t";
	for (size_t i = PLOT_MODELS; i-- > 0;) {
		if (!shown->models[i])
			continue;
		plot_drawn(plot, plot_model_name((enum plot_model)i));
		if (shown->is_jumping)
			fprintf(out, "%s$writes using 1:%zu with points pointtype 7 pointsize 0.3 linecolor rgb \"%s\"", glue,
				3 + i, plot_model_colour((enum plot_model)i));
		else
			fprintf(out, "%s$writes using 1:%zu with lines linewidth 1.6 dashtype %s linecolor rgb \"%s\"", glue,
				3 + i, plot_model_dash((enum plot_model)i), plot_model_colour((enum plot_model)i));
	}
	plot_begins(plot, shown);
	fprintf(out, "\n");
}

static void note_begins(struct plot *plot, const struct shown *shown)
{
	const struct plot_prediction *prediction = plot->state;
	char text[200];

	if (shown->has_cached &&
		*plot_begins_say(&prediction->begins, shown->has_predicted, shown->has_cawl, text, sizeof(text)))
		plot_note(plot, false, "%s", text);
}

static int draw_in_time(struct plot *plot)
{
	const struct plot_prediction *prediction = plot->state;
	struct shown shown = look(plot);
	struct plot_axis x = {"x", "time since the first write (s)", PLOT_UNIT_SECONDS, false, 0, 0};
	struct plot_axis y = {"y", "cost of a write", PLOT_UNIT_NS, plot->options->y != PLOT_SCALE_LINEAR, 0, 0};
	struct plot_axis y2 = {"y2", "page cache of the machine", PLOT_UNIT_BYTES, false, 0, 0};
	struct plot_key keys[KEYS];
	size_t key_count = list_keys(&shown, keys);
	struct plot_frame frame;
	struct plot_rect rect;

	note_begins(plot, &shown);
	fit_axes(plot, &shown, &x, &y, &y2);
	write_data(plot);
	plot_frame_begin(&frame, plot, 1);
	rect = frame.area;
	rect.bottom += PLOT_FRAME_BELOW;
	rect.right -= shown.has_cached ? PLOT_FRAME_RIGHT_AXIS - PLOT_FRAME_RIGHT : 0;
	rect.top -= plot_frame_key_height(&rect, keys, key_count);
	plot_frame_panel(&frame, &rect);
	plot_frame_key(&frame, &rect, rect.top, keys, key_count);
	plot_frame_axis(&frame, &rect, &x);
	plot_frame_axis(&frame, &rect, &y);
	plot_style_border(plot->script, shown.has_cached);
	if (shown.has_cached) {
		plot_frame_axis(&frame, &rect, &y2);
		plot_thresholds_put(&frame, &rect, &y2, &prediction->thresholds);
	}
	plot_lines(plot, &shown);
	plot_frame_end(&frame);
	return DIAG_EXIT_OK;
}

int plot_prediction_draw(struct plot *plot)
{
	const struct plot_prediction *prediction = plot->state;

	return prediction->is_by_size ? plot_prediction_draw_sizes(plot) : draw_in_time(plot);
}
