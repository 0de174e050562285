/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "memstor/metric.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/units.h"

/* Where the number is. */
enum metric_source { SOURCE_VALUE, SOURCE_MODEL, SOURCE_MEAN, SOURCE_MAX, SOURCE_PERCENTILE };

struct metric_row {
	const char *name, *unit;
	enum metric_better better;
	enum metric_source source;
	const char *value; /* of loaded_value, behind "MODEL." of a model's; */
	const char *other; /* and as other tools call it; NULL = none does */
};

/* A tool adds what it has that others have not. */
static const struct metric_row rows[] = {
	{"throughput", "1/s", METRIC_HIGHER, SOURCE_VALUE, "accesses_per_second", "operations_per_second"},
	{"bandwidth", "B/s", METRIC_HIGHER, SOURCE_VALUE, "bytes_per_second", NULL},
	{"latency", "ns", METRIC_LOWER, SOURCE_VALUE, "latency_ns", NULL},
	{"net", "ns", METRIC_LOWER, SOURCE_VALUE, "net_ns", NULL},
	{"os-overhead", "ns", METRIC_LOWER, SOURCE_VALUE, "os_overhead_ns", NULL},
	{"time-over-100us", "%", METRIC_LOWER, SOURCE_VALUE, "time_over_100us_percent", NULL},
	{"time-over-1ms", "%", METRIC_LOWER, SOURCE_VALUE, "time_over_1ms_percent", NULL},
	{"swap-in", "B/s", METRIC_HIGHER, SOURCE_VALUE, "swap_in_bytes_per_second", NULL},
	{"swap-out", "B/s", METRIC_LOWER, SOURCE_VALUE, "swap_out_bytes_per_second", NULL},
	{"flush", "ns", METRIC_LOWER, SOURCE_VALUE, "flush_ns", NULL},
	{"close", "ns", METRIC_LOWER, SOURCE_VALUE, "close_ns", NULL},
	{"cpu", "ns", METRIC_LOWER, SOURCE_VALUE, "cpu_ns_per_operation", NULL},
	{"interference-mean", "x", METRIC_LOWER, SOURCE_VALUE, "interference.mean", NULL},
	{"interference-p50", "x", METRIC_LOWER, SOURCE_VALUE, "interference.p50", NULL},
	{"interference-p99", "x", METRIC_LOWER, SOURCE_VALUE, "interference.p99", NULL},
	{"interference-p99.9", "x", METRIC_LOWER, SOURCE_VALUE, "interference.p99.9", NULL},
	{"interference-commit-mean", "x", METRIC_LOWER, SOURCE_VALUE, "interference.commit.mean", NULL},
	{"interference-commit-p50", "x", METRIC_LOWER, SOURCE_VALUE, "interference.commit.p50", NULL},
	{"interference-commit-p99", "x", METRIC_LOWER, SOURCE_VALUE, "interference.commit.p99", NULL},
	{"interference-commit-p99.9", "x", METRIC_LOWER, SOURCE_VALUE, "interference.commit.p99.9", NULL},
	{"interference-throughput", "x", METRIC_HIGHER, SOURCE_VALUE, "interference.throughput", NULL},
	{"floor", "%", METRIC_LOWER, SOURCE_VALUE, "floor_percent", NULL},
	{"per-write-error", "%", METRIC_LOWER, SOURCE_MODEL, "per_write_error_percent", NULL},
	{"mean-write-error", "%", METRIC_LOWER, SOURCE_MODEL, "mean_write_error_percent", NULL},
	{"total-error", "%", METRIC_LOWER, SOURCE_MODEL, "total_error_percent", NULL},
	{"curve-gap", "%", METRIC_LOWER, SOURCE_MODEL, "curve_gap_percent", NULL},
	{"coverage", "%", METRIC_HIGHER, SOURCE_MODEL, "coverage_percent", NULL},
	{"mean", "ns", METRIC_LOWER, SOURCE_MEAN, NULL, NULL},
	{"max", "ns", METRIC_LOWER, SOURCE_MAX, NULL, NULL},
	{"p", "ns", METRIC_LOWER, SOURCE_PERCENTILE, NULL, NULL},
};
#define ROWS (sizeof(rows) / sizeof(rows[0]))

static const char *const types[] = {"read", "write", "both", "sync", "response", "service", "commit", NULL};
static const char *const classes[] = {"all", "hit", "minor", "major", NULL};
static const char *const models[] = {"kernel", "cawl", "naive", NULL};
static const char allowed[] =
	"must be throughput, latency, net, os-overhead, time-over-100us, time-over-1ms, swap-in or swap-out, or mean, max "
	"or a percentile as p99.9, these perhaps after read., write. or both. and all., hit., minor. or major., as in "
	"write.major.p50; of iowrite-bench bandwidth, or "
	"CELL:write.p99, CELL:sync.p99, SCENARIO:kernel.total-error; of ssd-workloads STREAM:response.p99, "
	"STREAM:commit.p99, STREAM:cpu, STREAM:interference-p99, STREAM:interference-commit-p99";

static const struct {
	const char *tool, *names;
} defaults[] = {
	{"pmbench", "throughput mean read.p50 read.p99 read.p99.9 write.p50 write.p99 write.p99.9 major.p50 "
		    "major.p99"},
	/* What cells do in all is a sum of unlike things. */
	{"iowrite-bench", ""},
	{"ssd-workloads", ""},
	{NULL, "throughput mean p50 p99 p99.9"},
};

/* Of each cell or scenario, where the report has it. */
static const struct {
	const char *tool, *names;
} subject_defaults[] = {
	{"iowrite-bench", "throughput write.mean write.p50 write.p99 sync.mean sync.p50 sync.p99 "
			  "kernel.per-write-error kernel.total-error kernel.coverage cawl.per-write-error cawl.total-error "
			  "naive.per-write-error naive.total-error"},
	{"ssd-workloads", "throughput response.mean response.p50 response.p99 response.p99.9 commit.p50 commit.p99 cpu "
			  "interference-mean interference-p50 interference-p99 interference-p99.9 interference-commit-p50 "
			  "interference-commit-p99 interference-throughput"},
};
#define SUBJECT_DEFAULTS_MAX 16

/* Takes "read." from the front of *text when read is among the words; "" otherwise. */
static void take_word(const char **text, const char *const *words, char *word, size_t length)
{
	size_t used = strcspn(*text, ".");

	word[0] = '\0';
	for (; *words && (*text)[used] == '.'; words++) {
		if (strlen(*words) == used && strncmp(*words, *text, used) == 0) {
			snprintf(word, length, "%s", *words);
			*text += used + 1;
			return;
		}
	}
}

static const struct metric_row *row_of(const char *text, double *percent)
{
	*percent = NAN;
	for (size_t i = 0; i < ROWS; i++) {
		if (rows[i].source != SOURCE_PERCENTILE && strcmp(rows[i].name, text) == 0)
			return &rows[i];
		if (rows[i].source == SOURCE_PERCENTILE && text[0] == 'p' && strlen(text) <= 9 &&
			text[1 + strspn(text + 1, "0123456789.")] == '\0' &&
			units_parse_double(text + 1, 1e-6, 100 - 1e-6, percent) == 0)
			return &rows[i];
	}
	return NULL;
}

const char *metric_row_name(size_t i)
{
	for (size_t row = 0; row < ROWS; row++) {
		if (rows[row].source != SOURCE_PERCENTILE && rows[row].source != SOURCE_MODEL && !i--)
			return rows[row].name;
	}
	return NULL;
}

static int refuse(const char **why)
{
	*why = allowed;
	return -EINVAL;
}

/* What stands before the last colon: no word of a metric has one. */
static int take_subject(const char **text, struct metric *metric)
{
	const char *colon = strrchr(*text, ':');
	size_t length = colon ? (size_t)(colon - *text) : 0;

	if (!colon)
		return 0;
	if (length == 0 || length >= sizeof(metric->subject))
		return -EINVAL;
	snprintf(metric->subject, sizeof(metric->subject), "%.*s", (int)length, *text);
	*text = colon + 1;
	return 0;
}

static bool is_possible(const struct metric *metric, bool has_model)
{
	enum metric_source source = metric->row->source;

	if (metric->subject[0] && metric->class[0])
		return false;
	if (has_model || source == SOURCE_MODEL)
		return has_model && source == SOURCE_MODEL && !metric->class[0];
	return source != SOURCE_VALUE || (!metric->type[0] && !metric->class[0]);
}

int metric_parse(const char *text, struct metric *metric, const char **why)
{
	struct metric new = {.name = ""};
	bool has_model = false;
	char name[32];

	if (take_subject(&text, &new))
		return refuse(why);
	take_word(&text, types, new.type, sizeof(new.type));
	if (!new.type[0]) {
		take_word(&text, models, new.type, sizeof(new.type));
		has_model = new.type[0];
	}
	take_word(&text, classes, new.class, sizeof(new.class));
	new.row = row_of(text, &new.percent);
	if (!new.row || !is_possible(&new, has_model))
		return refuse(why);
	if (isnan(new.percent))
		snprintf(name, sizeof(name), "%s", new.row->name);
	else
		snprintf(name, sizeof(name), "p%.9g", new.percent);
	snprintf(new.name, sizeof(new.name), "%s%s%s%s%s%s%s", new.subject, new.subject[0] ? ":" : "", new.type,
		new.type[0] ? "." : "", new.class, new.class[0] ? "." : "", name);
	new.unit = new.row->unit;
	new.better = new.row->better;
	*metric = new;
	return 0;
}

static struct metric_number exact(double value)
{
	return (struct metric_number){value, value, value, 0};
}

/* The bucket is that of loaded_percentile: a percentile that is an edge belongs to the one below. */
struct metric_number metric_percentile(const struct loaded_histogram *histogram, double percent)
{
	struct metric_number number = exact(loaded_percentile(histogram, percent));

	for (size_t i = 0; i < histogram->bucket_count; i++) {
		const struct loaded_bucket *bucket = &histogram->buckets[i];

		if (number.value <= bucket->hi_ns) {
			number.low = bucket->lo_ns;
			number.high = bucket->hi_ns;
			break;
		}
	}
	return number;
}

double metric_below(const struct metric_number *number)
{
	return number->low == 0 && number->high > 1 && isfinite(number->high) ? number->high : 0;
}

struct metric_number metric_of_histogram(const struct metric *metric, const struct loaded_histogram *histogram)
{
	switch (metric->row->source) {
	case SOURCE_MEAN:
		return exact(histogram->mean_ns);
	case SOURCE_MAX:
		return exact(histogram->max_ns);
	case SOURCE_PERCENTILE:
		return metric_percentile(histogram, metric->percent);
	case SOURCE_VALUE:
	case SOURCE_MODEL:
		break;
	}
	return exact(NAN);
}

static double value_of(const struct metric *metric, const struct loaded *loaded, const char *name)
{
	const struct loaded_subject *subject = metric->subject[0] ? loaded_subject(loaded, metric->subject) : NULL;

	if (metric->subject[0])
		return subject ? loaded_subject_value(subject, name) : NAN;
	return loaded_value(loaded, name);
}

static double named_value(const struct metric *metric, const struct loaded *loaded)
{
	const struct metric_row *row = metric->row;
	char name[64];
	double value;

	snprintf(name, sizeof(name), "%s%s%s", metric->type, metric->type[0] ? "." : "", row->value);
	value = value_of(metric, loaded, name);
	return isnan(value) && row->other ? value_of(metric, loaded, row->other) : value;
}

struct metric_number metric_number(const struct metric *metric, const struct loaded *loaded)
{
	const struct loaded_histogram **list;
	struct metric_number number = exact(NAN);
	struct loaded_histogram sum;
	size_t count;

	if (metric->row->source == SOURCE_VALUE || metric->row->source == SOURCE_MODEL)
		return exact(named_value(metric, loaded));
	list = calloc(LOADED_HISTOGRAMS_MAX, sizeof(*list));
	count = list ? metric_histograms(loaded, metric, list, LOADED_HISTOGRAMS_MAX) : 0;
	if (count == 1) {
		number = metric_of_histogram(metric, list[0]);
	} else if (count && !metric_merge(list, count, &sum)) {
		number = metric_of_histogram(metric, &sum);
		metric_merge_free(&sum);
	}
	free(list);
	/* A mean is of many, between the steps. */
	if (metric->row->source != SOURCE_MEAN)
		number.step = fmax(0, loaded_clock_step_ns(loaded));
	return number;
}

double metric_value(const struct metric *metric, const struct loaded *loaded)
{
	return metric_number(metric, loaded).value;
}

static double interval_value(const struct loaded_interval *interval, const char *name)
{
	for (size_t i = 0; i < interval->value_count; i++) {
		if (strcmp(interval->values[i].name, name) == 0)
			return interval->values[i].value;
	}
	return NAN;
}

bool metric_of_interval(
	const struct metric *metric, const struct loaded_interval *interval, double *value, double *weight)
{
	/* That of a cell is of a write with its sync, which no metric is. */
	bool is_of_all = (!metric->type[0] || !strcmp(metric->type, "both")) && !interval->cell[0] &&
			 (!metric->class[0] || !strcmp(metric->class, "all"));

	if (strcmp(metric->subject, interval->cell) != 0)
		return false;
	if (metric->row->source == SOURCE_VALUE) {
		*value = interval_value(interval, metric->row->value);
		if (isnan(*value) && metric->row->other)
			*value = interval_value(interval, metric->row->other);
		*weight = interval->seconds;
	} else if (metric->row->source == SOURCE_MEAN && is_of_all) {
		*value = interval_value(interval, "mean_ns");
		*weight = interval_value(interval, "accesses");
	} else {
		return false;
	}
	return *weight > 0 && !isnan(*value);
}

/* Of a subject, "" = none. */
static size_t parse_names(const char *subject, const char *names, struct metric *metrics, size_t max)
{
	const char *why;
	size_t count = 0;

	for (; *names && count < max; names += strspn(names, " ")) {
		size_t used = strcspn(names, " ");
		char name[2 * METRIC_NAME];
		int length = snprintf(name, sizeof(name), "%.*s%s%.*s", METRIC_NAME, subject, subject[0] ? ":" : "",
			(int)used, names);

		count += length > 0 && metric_parse(name, &metrics[count], &why) == 0;
		names += used;
	}
	return count;
}

size_t metric_defaults(const char *tool, struct metric *metrics, size_t max)
{
	size_t row = 0;

	while (defaults[row].tool && strcmp(defaults[row].tool, tool) != 0)
		row++;
	return parse_names("", defaults[row].names, metrics, max);
}

static const char *subject_names(const char *tool)
{
	for (size_t i = 0; i < sizeof(subject_defaults) / sizeof(subject_defaults[0]); i++) {
		if (strcmp(subject_defaults[i].tool, tool) == 0)
			return subject_defaults[i].names;
	}
	return "";
}

int metric_subject_defaults(const struct loaded *loaded, struct metric **metrics, size_t *count)
{
	const char *names = subject_names(loaded->tool);
	struct metric *list = calloc(loaded->subject_count * SUBJECT_DEFAULTS_MAX + 1, sizeof(*list));
	size_t kept = 0;

	if (!list)
		return -ENOMEM;
	for (size_t i = 0; i < loaded->subject_count; i++) {
		struct metric *of_subject = list + kept;
		size_t these = parse_names(loaded->subjects[i].id, names, of_subject, SUBJECT_DEFAULTS_MAX);

		for (size_t j = 0; j < these; j++) {
			if (!isnan(metric_value(&of_subject[j], loaded)))
				list[kept++] = of_subject[j];
		}
	}
	*metrics = list;
	*count = kept;
	return 0;
}

bool metric_is_subject_default(const char *tool, const struct metric *metric)
{
	const char *names = subject_names(tool), *own = strrchr(metric->name, ':');
	size_t length = own ? strlen(own + 1) : 0;

	for (; own && *names; names += strspn(names, " ")) {
		size_t used = strcspn(names, " ");

		if (used == length && strncmp(names, own + 1, used) == 0)
			return true;
		names += used;
	}
	return false;
}
