/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Any bytes as a report: refused in one line, or a report whose histograms keep their laws. */
#include "config.h"
#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "memstor/loaded/loaded.h"

static void check(bool is_true)
{
	if (!is_true)
		abort();
}

static void check_histogram(const struct loaded_histogram *histogram)
{
	static const double percents[] = {0, 1, 50, 90, 99, 99.9, 99.99, 100};
	double before = -INFINITY, end = 0;
	uint64_t sum = 0;

	check(histogram->type && histogram->class && histogram->layout);
	for (size_t i = 0; i < histogram->bucket_count; i++) {
		const struct loaded_bucket *bucket = &histogram->buckets[i];

		check(bucket->count > 0 && bucket->lo_ns >= end && bucket->hi_ns >= bucket->lo_ns);
		check(!isinf(bucket->hi_ns) || i + 1 == histogram->bucket_count);
		end = bucket->hi_ns;
		sum += bucket->count;
	}
	check(sum == histogram->count);
	for (size_t i = 0; i < sizeof(percents) / sizeof(percents[0]); i++) {
		double value = loaded_percentile(histogram, percents[i]);

		check(isnan(value) == (sum == 0));
		check(sum == 0 || (isfinite(value) && value >= before * (1 - 1e-9)));
		check(!(value < histogram->min_ns) && !(value > histogram->max_ns * (1 + 1e-9)));
		before = value;
	}
}

static void check_texts(const struct loaded_text *texts, size_t count)
{
	for (size_t i = 0; i < count; i++)
		check(texts[i].name && texts[i].value && strlen(texts[i].name) + strlen(texts[i].value) < SIZE_MAX);
}

static void check_values(const struct loaded_value *values, size_t count)
{
	for (size_t i = 0; i < count; i++)
		check(values[i].name && isfinite(values[i].value));
}

static void check_loaded(const struct loaded *loaded)
{
	const char *const texts[] = {loaded->tool, loaded->tool_version, loaded->report_version, loaded->uuid,
		loaded->wall_start, loaded->hostname, loaded->boot_id, loaded->release, loaded->arch,
		loaded->cpu_model, loaded->status};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		check(texts[i]);
	check_texts(loaded->options, loaded->option_count);
	check_texts(loaded->labels, loaded->label_count);
	check_texts(loaded->machine, loaded->machine_count);
	check_values(loaded->values, loaded->value_count);
	for (size_t i = 0; i < loaded->check_count; i++)
		check(loaded->checks[i].code && loaded->checks[i].measured && loaded->checks[i].advice);
	for (size_t i = 0; i < loaded->reason_count; i++)
		check(loaded->reasons[i].code && loaded->reasons[i].measured && !loaded->reasons[i].advice[0]);
	for (size_t i = 0; i < loaded->histogram_count; i++) {
		check_histogram(&loaded->histograms[i]);
		check(loaded_histogram(loaded, loaded->histograms[i].type, loaded->histograms[i].class));
	}
	for (size_t i = 0; i < loaded->interval_count; i++) {
		check_values(loaded->intervals[i].values, loaded->intervals[i].value_count);
		check_values(loaded->intervals[i].counters, loaded->intervals[i].counter_count);
		if (loaded->intervals[i].histogram)
			check_histogram(loaded->intervals[i].histogram);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct report_document *document;
	struct loaded *loaded = NULL;
	char why[600] = "";
	int err;

	if (report_read_memory((const char *)data, size, &document, why, sizeof(why)))
		return 0;
	why[0] = '\0';
	err = loaded_make(document, "name", LOADED_SERIES, &loaded, why, sizeof(why));
	check((err == 0) == (loaded != NULL));
	if (err) {
		check(err == -EBADMSG && strncmp(why, "name:", 5) == 0 && !strpbrk(why, "\r\n\033"));
		return 0;
	}
	check_loaded(loaded);
	loaded_free(loaded);
	return 0;
}
