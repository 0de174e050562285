/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "memstor/plot/plot.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/diag.h"
#include "common/units.h"

#define SIDE_MIN 200
#define SIDE_MAX 10000
#define AT(member) offsetof(struct plot_options, member)
#define NAMES "must be up to 16 names with commas between"
#define RANGE "must be LOW:HIGH, latencies above 0 as 100ns:1ms"

/* The part before `end`, if it fits. */
static int cut(const char *text, char end, char *part, size_t length)
{
	const char *at = strchr(text, end);
	int used = snprintf(part, length, "%.*s", at ? (int)(at - text) : 0, text);

	return at && used > 0 && (size_t)used < length ? 0 : -EINVAL;
}

/* An empty one, too. */
static int set_text(struct opt_value *in)
{
	*(const char **)opt_field(in) = in->text;
	return 0;
}

/* "960x600" */
static int set_size(struct opt_value *in)
{
	struct plot_options *options = in->options;
	uint64_t width, height;
	char part[16];

	if (cut(in->text, 'x', part, sizeof(part)) || units_parse_u64(part, SIDE_MIN, SIDE_MAX, &width) ||
		units_parse_u64(strchr(in->text, 'x') + 1, SIDE_MIN, SIDE_MAX, &height))
		return -EINVAL;
	options->width = (unsigned)width;
	options->height = (unsigned)height;
	return 0;
}

/* "100ns:1ms", rising, above 0 */
static int set_range(struct opt_value *in)
{
	uint64_t low, high;
	char part[32];

	if (cut(in->text, ':', part, sizeof(part)) || units_parse_duration(part, &low) ||
		units_parse_duration(strchr(in->text, ':') + 1, &high) || low == 0 || high <= low)
		return -EINVAL;
	*(struct plot_range *)opt_field(in) = (struct plot_range){true, (double)low, (double)high};
	return 0;
}

/* A rate if it ends in "/s", else a latency if it ends in s, a size if it ends in another letter, otherwise a number; a label
 * follows the first ':'. */
static int set_threshold(struct opt_value *in)
{
	struct plot_options *options = in->options;
	const char *colon = strchr(in->text, ':');
	size_t size = colon ? (size_t)(colon - in->text) : strlen(in->text);
	struct plot_threshold threshold = {.label = colon ? colon + 1 : ""};
	uint64_t number = 0;
	char value[32];
	int err;

	if (options->threshold_count == PLOT_LIST_MAX) {
		in->why = "exceeds the limit: up to 16 are allowed";
		return -ERANGE;
	}
	if (size == 0 || size >= sizeof(value))
		return -EINVAL;
	memcpy(value, in->text, size);
	value[size] = '\0';
	if (size > 2 && !strcmp(value + size - 2, "/s")) {
		value[size - 2] = '\0';
		threshold.unit = PLOT_THRESHOLD_RATE;
		err = units_parse_double(value, 0, DBL_MAX, &threshold.value);
	} else if (value[size - 1] == 's') {
		threshold.unit = PLOT_THRESHOLD_NS;
		err = units_parse_duration(value, &number);
		threshold.value = (double)number;
	} else if (!units_parse_double(value, 0, DBL_MAX, &threshold.value)) {
		threshold.unit = PLOT_THRESHOLD_COUNT;
		err = 0;
	} else {
		threshold.unit = PLOT_THRESHOLD_BYTES;
		err = units_parse_size(value, 1, &number);
		threshold.value = (double)number;
	}
	if (err)
		return -EINVAL;
	options->thresholds[options->threshold_count++] = threshold;
	return 0;
}

static int add_name(struct opt_value *in, const char *word)
{
	struct plot_options *options = in->options;
	struct plot_list *list = opt_field(in);

	if (list->count == PLOT_LIST_MAX)
		return -ERANGE;
	list->items[list->count] = arena_text(&options->arena, word, strlen(word));
	return list->items[list->count++] ? 0 : -ENOMEM;
}

static int set_names(struct opt_value *in)
{
	return opt_each_word(in, add_name);
}

static int add_model(struct opt_value *in, const char *word)
{
	return opt_choice(in->row->choices, word) < 0 ? -EINVAL : add_name(in, word);
}

static int set_models(struct opt_value *in)
{
	return opt_each_word(in, add_model);
}

static int add_mark(struct opt_value *in, const char *word)
{
	struct plot_options *options = in->options;
	size_t count = options->marks.count;
	int rc = add_name(in, word);

	if (rc)
		return rc;
	return word[0] == 'p' ? units_parse_double(word + 1, 0, 100, &options->mark_percents[count]) : -EINVAL;
}

static int set_marks(struct opt_value *in)
{
	struct plot_options *options = in->options;

	options->has_marks = true;
	if (strcmp(in->text, "none") != 0)
		return opt_each_word(in, add_mark);
	options->marks.count = 0;
	return 0;
}

static const char *const formats[] = {"svg", "png", "pdf", NULL};
static const char *const scales[] = {[PLOT_SCALE_LOG] = "log", [PLOT_SCALE_LINEAR] = "linear", NULL};
static const char *const types[] = {"read", "write", "both", "sync", "response", "service", "commit", NULL};
static const char *const classes[] = {"all", "hit", "minor", "major", NULL};
static const char *const models[] = {"naive", "cawl", "kernel", NULL};

const struct opt plot_option_rows[] = {
	{.type = OPT_TITLE, .help = "Picture"},
	{"output", 'o', "FILE", OPT_STRING, OPT_OUTPUT, .offset = AT(output),
		.help = "write the picture to FILE; - is standard output",
		.manual = "Writes the picture to FILE, which appears only when it is complete. Its suffix gives the "
			  "format, unless --format does. `-` is standard output. Required."},
	{"format", 0, "svg|png|pdf", OPT_CHOICE, .offset = AT(format_index), .choices = formats,
		.help = "write this format (default: by FILE's suffix)",
		.manual = "Writes this format, whatever the suffix of the file. An SVG keeps texts as text, and its "
			  "description has the options, labels and uuid of each report."},
	{"keep-script", 0, "FILE", OPT_OWN, OPT_OUTPUT, .offset = AT(script), .bare = "", .set = set_text,
		.help = "keep gnuplot's script with its data (default: OUTPUT.gp)",
		.manual = "Keeps gnuplot's script, which contains the data, in FILE, or next to the picture with the "
			  "suffix `.gp`. `gnuplot FILE >PICTURE` draws the picture again. With `-o -` the name is "
			  "required."},
	{"template", 0, "FILE", OPT_STRING, .offset = AT(template),
		.help = "draw by the gnuplot template FILE",
		.manual = "Draws by FILE instead of KIND's own template. Those are installed in the folder `plot` of "
			  "memstor's data as KIND`.gp`, to be copied and changed: gnuplot commands that follow the data "
			  "blocks and the definitions of `common.gp`. --keep-script shows all of them. gnuplot runs "
			  "all commands in FILE."},
	{"size", 0, "WxH", OPT_OWN, .set = set_size,
		.allowed = "must be WIDTHxHEIGHT in pixels, each from 200 to 10000, as 960x600",
		.help = "draw in pixels (default: 960x600, png 1920x1200)",
		.manual = "Sets width and height in pixels, each from 200 to 10000. The default is 960x600, for a "
			  "PNG 1920x1200. More pixels give an SVG or PDF (96 pixels per inch) more area, and a PNG "
			  "a finer resolution."},
	{"title", 0, "TEXT", OPT_OWN, .offset = AT(title), .set = set_text,
		.help = "set the title (default: from the options)",
		.manual = "Sets the title. The default is what the reports have in common."},
	{"legend", 0, "NAME,...", OPT_OWN, OPT_REPEATS, AT(legend), .set = set_names, .allowed = NAMES,
		.help = "name reports by labels, options or facts",
		.manual = "Names the reports by these labels, options or facts: `file`, `host`, `kernel`, `cpu`, "
			  "`start`, `tool`, `version`, `uuid`. The default is what differs between the reports."},
	{.type = OPT_TITLE, .help = "Data (if KIND has it)"},
	{"type", 0, "TYPE", OPT_STRING, .offset = AT(type), .choices = types, .preset = "both",
		.help = "draw this type, as read or sync",
		.manual = "Draws only `read`, `write` or `sync`; of streams `response`, `service` or `commit`. "
			  "`both` draws all types as separate curves, of streams the response times. For histogram, "
			  "cdf and percentile."},
	{"class", 0, "CLASS,...", OPT_OWN, OPT_REPEATS, AT(classes), .choices = classes, .set = set_names,
		.allowed = NAMES,
		.help = "draw hit, minor, major or cells (default: all)",
		.manual = "Draws these classes of accesses over one another: `hit`, `minor`, `major`, or `all` "
			  "accesses, which is the default. Of iowrite-bench these cells, with shell wildcards, as "
			  "`'*.fsync.*'`; all cells by default. Of ssd-workloads these streams, as `log,log-alone`. "
			  "For histogram, cdf and percentile; cells also for series and cost."},
	{"metric", 0, "NAME,...", OPT_OWN, OPT_REPEATS, AT(metrics), .set = set_names, .allowed = NAMES,
		.help = "draw these values, as p99 or write.p50",
		.manual = "Draws these values.\n\n"
			  "bars: values as `memstor compare` names them.\n\n"
			  "series: `throughput`, `mean`, any percentile as `p99.9`, or another value of an "
			  "interval, as `major_faults`; the default is throughput, p50 and p99. Values that end in "
			  "_bytes, as `nr_dirty_bytes`, use the second axis.\n\n"
			  "cost: up to four values of a cell, of one unit; the default is write.mean and "
			  "sync.mean.\n\n"
			  "errors: up to three of `per-write-error`, `total-error`, `mean-write-error` and "
			  "`curve-gap`; the default is the first two."},
	{"counter", 0, "NAME,...", OPT_OWN, OPT_REPEATS, AT(counters), .set = set_names, .allowed = NAMES,
		.help = "draw kernel counters, as meminfo.Dirty",
		.manual = "Draws kernel counters by their names in the report; of ssd-workloads those of its "
			  "intervals, as `disk.flush_ios` or `psi.io.some.total`. Levels such as `meminfo.Dirty` "
			  "are drawn as recorded, events such as `vmstat.pswpin` per second, stalls such as "
			  "`psi.memory.some.total` and CPU time such as `stat.steal` in percent of the time. All "
			  "counters of a picture must have the same unit. For series."},
	{"from", 0, "TIME", OPT_TIME, .offset = AT(from_ns), .help = "start at TIME of the run",
		.manual = "Draws only what was measured from TIME of the run's clock, by whole intervals. Intervals "
			  "do not distinguish reads from writes, nor classes. Not for bars."},
	{"to", 0, "TIME", OPT_TIME, .offset = AT(to_ns), .help = "end at TIME of the run",
		.manual = "Draws only what was measured before TIME of the run's clock, as --from does."},
	{"scenario", 0, "ID[:N]", OPT_STRING, .offset = AT(scenario),
		.help = "draw scenario ID, repetition N (default: first)",
		.manual = "Draws this scenario of `iowrite-bench evaluate`, in its repetition N. The default is the "
			  "first of each. For prediction."},
	{"model", 0, "NAME,...", OPT_OWN, OPT_REPEATS, AT(models), .choices = models, .set = set_models,
		.allowed = "must be up to 16 of naive, cawl and kernel, with commas between",
		.help = "draw naive, cawl, kernel (default: all)",
		.manual = "Draws only these models: `naive`, `cawl`, `kernel`. For prediction and errors."},
	{"group-by", 0, "NAME", OPT_STRING, .offset = AT(group_by),
		.help = "group runs with the same label, option or fact",
		.manual = "Puts runs of one tool with the same label, option or fact (see --legend) into one group, "
			  "on each side of `--` separately. For bars, and for histogram, cdf and percentile, whose curves "
			  "are then the sums of a group's runs."},
	{.type = OPT_TITLE, .help = "Axes and marks (if KIND has them)"},
	{"y", 0, "log|linear", OPT_CHOICE, .offset = AT(y), .choices = scales, .help = "set the scale of the y axis",
		.manual = "Sets the scale of the y axis; of a series, of the latencies. Without this option bars have "
			  "a log scale where their values differ by more than a factor of 30, and are then drawn as "
			  "strokes, since a bar on a log scale has no beginning."},
	{"share", 0, NULL, OPT_FLAG, .offset = AT(is_share), .help = "draw shares of all accesses instead of counts",
		.manual = "Draws shares of all accesses (per sixteenth of a doubling, about the width of a bucket) "
			  "instead of counts, to compare runs of different length. For histogram and heatmap."},
	{"mark", 0, "PERCENTILES", OPT_OWN, OPT_REPEATS, AT(marks), .set = set_marks,
		.allowed = "must be none, or up to 16 percentiles from p0 to p100 with commas between",
		.help = "mark percentiles, as p50,p99.9, or none",
		.manual = "Draws vertical lines at percentiles such as `p50,p99.9`; `none` draws none. The default "
			  "is p50 and p99 for up to two curves. For histogram and cdf."},
	{"threshold", 0, "VALUE", OPT_OWN, OPT_REPEATS, .set = set_threshold,
		.allowed = "must be a latency (100us), a size (1G), a number (5000) or a rate (2e6/s), then perhaps "
			   ":LABEL",
		.help = "draw a line at 100us, 1G, 5000, 2e6/s[:LABEL]",
		.manual = "Draws a horizontal line at VALUE: a latency (ends in s: `100us`), a size on the "
			  "counters' axis (another letter: `1G`), a rate (`2e6/s`), or a bare number on the "
			  "counters' axis, without counters on that of rates. Text after `:` labels the line: "
			  "`100us:goal`. Up to 16 lines. For series."},
	{"x-range", 0, "LOW:HIGH", OPT_OWN, .offset = AT(x_range), .set = set_range, .allowed = RANGE,
		.help = "limit the x axis to latencies, as 100ns:1ms",
		.manual = "Limits the x axis to these latencies, as `100ns:1ms`. For histogram and cdf."},
	{"y-range", 0, "LOW:HIGH", OPT_OWN, .offset = AT(y_range), .set = set_range, .allowed = RANGE,
		.help = "limit the y axis to latencies, as 100ns:1ms",
		.manual = "Limits the y axis to these latencies, as `100ns:1ms`. For percentile, series and heatmap."},
	{0},
};

int plot_options_take(void *data, const char *text, bool is_behind)
{
	struct plot_options *options = data;
	struct plot_files *files = &options->files;
	struct plot_file_argument *grown;
	size_t last = files->count ? files->items[files->count - 1].group : 0;

	(void)is_behind;
	if (!strcmp(text, "--")) {
		/* Two without a report between are one. */
		files->has_groups |= files->count > 0;
		files->is_group_over = files->count > 0;
		return DIAG_EXIT_OK;
	}
	if (!options->kind_name) {
		options->kind_name = text;
		return DIAG_EXIT_OK;
	}
	grown = reallocarray(files->items, files->count + 1, sizeof(*grown));
	if (!grown)
		return diag_host(ENOMEM, "cannot read the command line");
	files->items = grown;
	files->items[files->count++] = (struct plot_file_argument){text, last + files->is_group_over};
	files->is_group_over = false;
	return DIAG_EXIT_OK;
}

static int check_kind(struct plot_options *options, struct opt_line *line)
{
	const struct plot_kind *kind;
	char names[512], why[512];

	if (!options->kind_name)
		return diag_usage("no KIND given: it must be %s", plot_kind_names(NULL, names, sizeof(names)));
	options->kind = kind = plot_kind_find(options->kind_name);
	if (!kind)
		return diag_usage("KIND '%s': must be %s", options->kind_name, plot_kind_names(NULL, names, sizeof(names)));
	if (options->files.count == 0)
		return diag_usage("no reports given: memstor plot %s FILE... -o picture.svg", kind->name);
	for (size_t i = 0; i < line->count; i++) {
		const char *name = line->given[i].row->name;

		if (plot_kind_takes(kind, name))
			continue;
		snprintf(why, sizeof(why), "%s does not have it; it is for %s", kind->name,
			plot_kind_names(name, names, sizeof(names)));
		return opt_refuse(line, name, why);
	}
	if (options->files.has_groups && !plot_kind_takes(kind, "--"))
		return diag_usage("--: %s has no groups of reports; they are for %s", kind->name,
			plot_kind_names("--", names, sizeof(names)));
	return DIAG_EXIT_OK;
}

static const char *format_of_file(const char *path)
{
	const char *dot = strrchr(path, '.');

	for (size_t i = 0; dot && formats[i]; i++) {
		if (!strcasecmp(formats[i], dot + 1))
			return formats[i];
	}
	return NULL;
}

int plot_options_check(void *data, struct opt_line *line)
{
	struct plot_options *options = data;
	int code = check_kind(options, line);

	if (code)
		return code;
	if (!opt_is_typed(line, "y"))
		options->y = PLOT_SCALE_DEFAULT;
	options->has_window = opt_is_typed(line, "from") || opt_is_typed(line, "to");
	options->from_s = (double)options->from_ns / 1e9;
	options->to_s = opt_is_typed(line, "to") ? (double)options->to_ns / 1e9 : INFINITY;
	if (options->from_s >= options->to_s)
		return opt_refuse(line, "to", "must be after --from");
	if (!options->output)
		return diag_usage("no -o FILE given: it names the picture, as -o picture.svg");
	options->format = opt_is_typed(line, "format") ? formats[options->format_index] : format_of_file(options->output);
	if (!options->format)
		return opt_refuse(line, "output", "the suffix must be .svg, .png or .pdf, or give --format");
	if (!options->width) {
		options->width = strcmp(options->format, "png") ? 960 : 1920;
		options->height = strcmp(options->format, "png") ? 600 : 1200;
	}
	if (options->script && !options->script[0] && opt_is_stdout(options->output))
		return diag_usage("--keep-script: with -o - name the file, as --keep-script=picture.gp");
	return DIAG_EXIT_OK;
}

int plot_options_parse(const struct command *command, int argc, char **argv, struct plot_options *options)
{
	*options = (struct plot_options){0};
	return command_parse(command, argc, argv, options, &options->line, NULL);
}

void plot_options_free(struct plot_options *options)
{
	free(options->files.items);
	arena_free(&options->arena);
	opt_free(&options->line);
}
