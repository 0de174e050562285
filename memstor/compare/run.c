/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "memstor/compare/compare.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/diag.h"

const char *const compare_side_names[] = {"BASE", "NEW", "--floor"};

const char *compare_text(const struct loaded_texts *texts, const char *name)
{
	return loaded_text_of(texts->texts, texts->count, name);
}

int compare_want_metric(struct compare_wanted *wanted, const struct metric *metric, size_t *index)
{
	for (*index = 0; *index < wanted->metric_count; ++*index) {
		if (strcmp(wanted->metrics[*index].name, metric->name) == 0)
			return 0;
	}
	if (arena_grow(&wanted->metrics, &wanted->metric_room, wanted->metric_count, sizeof(*metric)))
		return -ENOMEM;
	wanted->metrics[wanted->metric_count++] = *metric;
	return 0;
}

static int want_defaults(struct compare_wanted *wanted, const struct loaded *loaded)
{
	struct metric common[COMPARE_DEFAULTS_MAX], *own = NULL;
	size_t count = 0, common_count = metric_defaults(loaded->tool, common, COMPARE_DEFAULTS_MAX), unused;
	int err = metric_subject_defaults(loaded, &own, &count);

	for (size_t i = 0; i < common_count && !err; i++)
		err = compare_want_metric(wanted, &common[i], &unused);
	for (size_t i = 0; i < count && !err; i++)
		err = compare_want_metric(wanted, &own[i], &unused);
	free(own);
	return err;
}

/* What a report holds may be made for a terminal. */
static const char *keep(struct arena *arena, const char *text)
{
	char *copy = (char *)arena_copy(arena, text);

	if (copy[0])
		diag_clean(copy, strlen(copy), "");
	return copy;
}

/* Of equal names the first one of the list comes first. */
static int compare_names(const void *a, const void *b)
{
	const struct loaded_text *one = *(const struct loaded_text *const *)a, *other = *(const struct loaded_text *const *)b;
	int order = strcmp(one->name, other->name);

	return order ? order : (one > other) - (one < other);
}

static int keep_texts(
	struct arena *arena, const struct loaded_text *texts, size_t count, struct loaded_texts *kept)
{
	const struct loaded_text **sorted = arena_array(arena, count, sizeof(*sorted));
	struct loaded_text *copies = arena_array(arena, count, sizeof(*copies));

	if (!sorted || !copies)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		sorted[i] = &texts[i];
	qsort(sorted, count, sizeof(*sorted), compare_names);
	for (size_t i = 0; i < count; i++)
		copies[i] = (struct loaded_text){keep(arena, sorted[i]->name), keep(arena, sorted[i]->value)};
	*kept = (struct loaded_texts){copies, count};
	return 0;
}

/* Adds up the histograms that each of the wanted ones stands for. */
static int keep_histograms(struct arena *arena, const struct compare_wanted *wanted, const struct loaded *loaded,
	struct compare_run *run)
{
	run->histograms = arena_array(arena, wanted->histogram_count, sizeof(*run->histograms));
	if (!run->histograms)
		return -ENOMEM;
	for (size_t i = 0; i < wanted->histogram_count; i++) {
		const struct loaded_histogram *list[LOADED_HISTOGRAMS_MAX];
		size_t count = metric_histograms(loaded, &wanted->histograms[i], list, LOADED_HISTOGRAMS_MAX);
		struct loaded_histogram sum;
		struct loaded_bucket *buckets;
		int err = count ? metric_merge(list, count, &sum) : -EINVAL;

		if (err == -ENOMEM)
			return err;
		if (err)
			continue;
		buckets = arena_array(arena, sum.bucket_count, sizeof(*buckets));
		if (buckets && sum.bucket_count)
			memcpy(buckets, sum.buckets, sum.bucket_count * sizeof(*buckets));
		metric_merge_free(&sum);
		if (!buckets)
			return -ENOMEM;
		sum.buckets = buckets;
		run->histograms[i] = sum;
	}
	return 0;
}

/* FNV-1a. */
static void add_to_digest(uint64_t *digest, const void *bytes, size_t size)
{
	for (const unsigned char *at = bytes; size--; at++)
		*digest = (*digest ^ *at) * 0x100000001b3;
}

static void add_values(uint64_t *digest, const struct loaded_value *values, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		add_to_digest(digest, values[i].name, strlen(values[i].name));
		add_to_digest(digest, &values[i].value, sizeof(values[i].value));
	}
}

static uint64_t digest_of(const struct loaded *loaded)
{
	uint64_t digest = 0xcbf29ce484222325;

	add_values(&digest, loaded->values, loaded->value_count);
	for (size_t i = 0; i < loaded->subject_count; i++)
		add_values(&digest, loaded->subjects[i].values, loaded->subjects[i].value_count);
	for (size_t i = 0; i < loaded->histogram_count; i++) {
		add_to_digest(&digest, &loaded->histograms[i].mean_ns, sizeof(double));
		add_to_digest(&digest, loaded->histograms[i].buckets,
			loaded->histograms[i].bucket_count * sizeof(struct loaded_bucket));
	}
	return digest;
}

static int keep_run(struct compare_runs *runs, enum compare_side side, struct compare_wanted *wanted,
	const struct loaded *loaded)
{
	struct arena *arena = &runs->arena;
	struct compare_run *run = arena_array(arena, 1, sizeof(*run));
	int err = run ? 0 : -ENOMEM;

	if (!err && wanted->is_default)
		err = want_defaults(wanted, loaded);
	if (!err)
		err = arena_grow(&runs->runs, &runs->room, runs->count, sizeof(run));
	if (err)
		return err;
	/* The path stays as it is: it is opened again. */
	*run = (struct compare_run){.side = side, .index = runs->count, .digest = digest_of(loaded),
		.path = arena_copy(arena, loaded->path), .tool = keep(arena, loaded->tool),
		.tool_version = keep(arena, loaded->tool_version), .uuid = keep(arena, loaded->uuid),
		.boot_id = keep(arena, loaded->boot_id), .wall_start = keep(arena, loaded->wall_start)};
	err = keep_texts(arena, loaded->options, loaded->option_count, &run->options);
	if (!err)
		err = keep_texts(arena, loaded->labels, loaded->label_count, &run->labels);
	if (!err)
		err = keep_texts(arena, loaded->machine, loaded->machine_count, &run->machine);
	if (err)
		return err;
	run->numbers = arena_array(arena, wanted->metric_count, sizeof(*run->numbers));
	if (!run->numbers)
		return -ENOMEM;
	run->number_count = wanted->metric_count;
	for (size_t i = 0; i < wanted->metric_count; i++)
		run->numbers[i] = metric_number(&wanted->metrics[i], loaded);
	err = keep_histograms(arena, wanted, loaded, run);
	runs->runs[runs->count++] = run;
	return arena->is_short ? -ENOMEM : err;
}

bool compare_is_same_run(const struct compare_run *one, const struct compare_run *other)
{
	return one->uuid[0] || other->uuid[0] ? !strcmp(one->uuid, other->uuid) : !strcmp(one->path, other->path);
}

/* Stores why the report is not compared; "" = it is. */
static void reason_to_leave_out(const struct compare_runs *runs, enum compare_side side,
	const struct compare_wanted *wanted, const struct loaded *loaded, char *why, size_t length)
{
	const struct compare_run this = {.uuid = loaded->uuid, .path = loaded->path};
	bool is_steady = true;
	size_t used;

	why[0] = '\0';
	for (size_t i = 0; i < runs->count; i++) {
		if (runs->runs[i]->side != side || !compare_is_same_run(runs->runs[i], &this))
			continue;
		snprintf(why, length, "is the same report as %s", runs->runs[i]->path);
		return;
	}
	if (wanted->is_forced)
		return;
	for (size_t i = 0; i < loaded->check_count; i++)
		is_steady &= strcmp(loaded->checks[i].code, "not-steady") != 0;
	if (strcmp(loaded->status, "ok") != 0) {
		snprintf(why, length, "is %s", loaded->status);
		for (size_t i = 0; i < loaded->reason_count; i++) {
			used = strlen(why);
			snprintf(why + used, length - used, "%s%.40s", i ? ", " : ": ", loaded->reasons[i].code);
		}
	} else if (wanted->must_be_steady && !is_steady) {
		snprintf(why, length, "is not steady");
	}
}

int compare_read(const struct inputs *inputs, enum compare_side side, struct compare_wanted *wanted,
	struct compare_runs *runs)
{
	for (size_t i = 0; i < inputs->count; i++) {
		struct loaded *loaded;
		char why[256];
		int err = loaded_read(inputs->paths[i], 0, &loaded);

		if (err)
			return err;
		reason_to_leave_out(runs, side, wanted, loaded, why, sizeof(why));
		if (!why[0])
			err = keep_run(runs, side, wanted, loaded);
		else
			err = arena_grow(&runs->left_out, &runs->left_out_room, runs->left_out_count, sizeof(*runs->left_out));
		if (why[0] && !err)
			runs->left_out[runs->left_out_count++] = (struct compare_left_out){
				keep(&runs->arena, loaded->path), keep(&runs->arena, why)};
		loaded_free(loaded);
		if (err || runs->arena.is_short)
			return diag_host(ENOMEM, "cannot keep %s", inputs->paths[i]);
	}
	return DIAG_EXIT_OK;
}

void compare_runs_free(struct compare_runs *runs)
{
	free(runs->left_out);
	free(runs->runs);
	arena_free(&runs->arena);
}

struct metric_number compare_number(const struct compare_run *run, size_t metric)
{
	static const struct metric_number none = {NAN, NAN, NAN, 0};

	return metric < run->number_count ? run->numbers[metric] : none;
}
