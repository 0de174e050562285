/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "memstor/metric.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/units.h"

/* Where the number is. */
enum metric_source { SOURCE_VALUE, SOURCE_MEAN, SOURCE_MAX, SOURCE_PERCENTILE };

struct metric_row {
	const char *name, *unit;
	enum metric_better better;
	enum metric_source source;
	const char *value; /* of loaded_value */
};

/* A tool adds what it has that others have not. */
static const struct metric_row rows[] = {
	{"throughput", "1/s", METRIC_HIGHER, SOURCE_VALUE, "accesses_per_second"},
	{"latency", "ns", METRIC_LOWER, SOURCE_VALUE, "latency_ns"},
	{"net", "ns", METRIC_LOWER, SOURCE_VALUE, "net_ns"},
	{"os-overhead", "ns", METRIC_LOWER, SOURCE_VALUE, "os_overhead_ns"},
	{"mean", "ns", METRIC_LOWER, SOURCE_MEAN, NULL},
	{"max", "ns", METRIC_LOWER, SOURCE_MAX, NULL},
	{"p", "ns", METRIC_LOWER, SOURCE_PERCENTILE, NULL},
};
#define ROWS (sizeof(rows) / sizeof(rows[0]))

static const char *const types[] = {"read", "write", "both", NULL};
static const char *const classes[] = {"all", "hit", "minor", "major", NULL};
static const char allowed[] =
	"must be throughput, latency, net or os-overhead, or mean, max or a percentile as p99.9, these "
	"perhaps after "
	"read., write. or both. and all., hit., minor. or major., as in write.major.p50";

static const struct {
	const char *tool, *names;
} defaults[] = {
	{"pmbench", "throughput mean read.p50 read.p99 read.p99.9 write.p50 write.p99 write.p99.9 major.p50 "
		    "major.p99"},
	{NULL, "throughput mean p50 p99 p99.9"},
};

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
		if (rows[row].source != SOURCE_PERCENTILE && !i--)
			return rows[row].name;
	}
	return NULL;
}

int metric_parse(const char *text, struct metric *metric, const char **why)
{
	struct metric new = {.name = ""};
	char name[32];

	take_word(&text, types, new.type, sizeof(new.type));
	take_word(&text, classes, new.class, sizeof(new.class));
	new.row = row_of(text, &new.percent);
	if (!new.row || (new.row->source == SOURCE_VALUE && (new.type[0] || new.class[0]))) {
		*why = allowed;
		return -EINVAL;
	}
	if (isnan(new.percent))
		snprintf(name, sizeof(name), "%s", new.row->name);
	else
		snprintf(name, sizeof(name), "p%.9g", new.percent);
	snprintf(new.name, sizeof(new.name), "%s%s%s%s%s", new.type, new.type[0] ? "." : "", new.class,
		new.class[0] ? "." : "", name);
	new.unit = new.row->unit;
	new.better = new.row->better;
	*metric = new;
	return 0;
}

static struct metric_number exact(double value)
{
	return (struct metric_number){value, value, value};
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
		break;
	}
	return exact(NAN);
}

#define HISTOGRAMS_MAX 32

struct metric_number metric_number(const struct metric *metric, const struct loaded *loaded)
{
	const struct loaded_histogram *list[HISTOGRAMS_MAX];
	struct metric_number number = exact(NAN);
	struct loaded_histogram sum;
	size_t count;

	if (metric->row->source == SOURCE_VALUE)
		return exact(loaded_value(loaded, metric->row->value));
	count = metric_histograms(loaded, metric->type, metric->class, list, HISTOGRAMS_MAX);
	if (count == 1)
		return metric_of_histogram(metric, list[0]);
	if (count == 0 || metric_merge(list, count, &sum))
		return number;
	number = metric_of_histogram(metric, &sum);
	metric_merge_free(&sum);
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
	bool is_of_all = (!metric->type[0] || !strcmp(metric->type, "both")) &&
			 (!metric->class[0] || !strcmp(metric->class, "all"));

	if (metric->row->source == SOURCE_VALUE) {
		*value = interval_value(interval, metric->row->value);
		*weight = interval->seconds;
	} else if (metric->row->source == SOURCE_MEAN && is_of_all) {
		*value = interval_value(interval, "mean_ns");
		*weight = interval_value(interval, "accesses");
	} else {
		return false;
	}
	return *weight > 0 && !isnan(*value);
}

size_t metric_defaults(const char *tool, struct metric *metrics, size_t max)
{
	const char *names, *why;
	size_t row = 0, count = 0;

	while (defaults[row].tool && strcmp(defaults[row].tool, tool) != 0)
		row++;
	for (names = defaults[row].names; *names && count < max; names += strspn(names, " ")) {
		size_t used = strcspn(names, " ");
		char name[METRIC_NAME];

		snprintf(name, sizeof(name), "%.*s", (int)used, names);
		count += metric_parse(name, &metrics[count], &why) == 0;
		names += used;
	}
	return count;
}
