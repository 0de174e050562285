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

const char *compare_text(const struct compare_texts *texts, const char *name)
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

static int want_all(struct compare_wanted *wanted, const struct metric *metrics, size_t count)
{
	size_t unused;

	for (size_t i = 0; i < count; i++) {
		if (compare_want_metric(wanted, &metrics[i], &unused))
			return -ENOMEM;
	}
	return 0;
}

static int want_defaults(struct compare_wanted *wanted, const struct loaded *loaded)
{
	struct metric metrics[COMPARE_DEFAULTS_MAX], *own = NULL;
	size_t count = 0;
	int err;

	if (!wanted->is_default)
		return 0;
	err = metric_subject_defaults(loaded, &own, &count);
	if (!err)
		err = want_all(wanted, metrics, metric_defaults(loaded->tool, metrics, COMPARE_DEFAULTS_MAX));
	if (!err)
		err = want_all(wanted, own, count);
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
	struct arena *arena, const struct loaded_text *texts, size_t count, struct compare_texts *kept)
{
	const struct loaded_text **sorted = reallocarray(NULL, count + 1, sizeof(*sorted));
	struct loaded_text *copies = arena_array(arena, count, sizeof(*copies));

	*kept = (struct compare_texts){copies, count};
	if (!sorted || !copies) {
		free(sorted);
		return -ENOMEM;
	}
	for (size_t i = 0; i < count; i++)
		sorted[i] = &texts[i];
	qsort(sorted, count, sizeof(*sorted), compare_names);
	for (size_t i = 0; i < count; i++)
		copies[i] = (struct loaded_text){keep(arena, sorted[i]->name), keep(arena, sorted[i]->value)};
	free(sorted);
	return 0;
}

static int keep_histogram(struct arena *arena, const struct loaded_histogram *from, struct loaded_histogram *kept)
{
	struct loaded_bucket *buckets = arena_array(arena, from->bucket_count, sizeof(*buckets));

	if (!buckets)
		return -ENOMEM;
	if (from->bucket_count)
		memcpy(buckets, from->buckets, from->bucket_count * sizeof(*buckets));
	*kept = *from;
	kept->type = kept->class = kept->layout = "";
	kept->buckets = buckets;
	return 0;
}

static int keep_histograms(struct arena *arena, const struct compare_wanted *wanted, const struct loaded *loaded,
	struct compare_run *run)
{
	run->histograms = arena_array(arena, wanted->histogram_count, sizeof(*run->histograms));
	if (!run->histograms)
		return -ENOMEM;
	for (size_t i = 0; i < wanted->histogram_count; i++) {
		const struct metric *metric = &wanted->histograms[i];
		const struct loaded_histogram *list[LOADED_HISTOGRAMS_MAX];
		size_t count = metric_histograms(loaded, metric, list, LOADED_HISTOGRAMS_MAX);
		struct loaded_histogram sum;
		int err = count ? metric_merge(list, count, &sum) : -EINVAL;

		if (!err) {
			err = keep_histogram(arena, &sum, &run->histograms[i]);
			metric_merge_free(&sum);
		}
		if (err == -ENOMEM)
			return err;
	}
	return 0;
}

static int keep_numbers(struct arena *arena, const struct compare_wanted *wanted, const struct loaded *loaded,
	struct compare_run *run)
{
	run->numbers = arena_array(arena, wanted->metric_count, sizeof(*run->numbers));
	if (!run->numbers)
		return -ENOMEM;
	run->number_count = wanted->metric_count;
	for (size_t i = 0; i < wanted->metric_count; i++)
		run->numbers[i] = metric_number(&wanted->metrics[i], loaded);
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
		for (size_t k = 0; k < loaded->histograms[i].bucket_count; k++)
			add_to_digest(&digest, &loaded->histograms[i].buckets[k], sizeof(struct loaded_bucket));
	}
	return digest;
}

static int keep_run(struct compare_runs *runs, enum compare_side side, struct compare_wanted *wanted,
	const struct loaded *loaded)
{
	struct arena *arena = &runs->arena;
	struct compare_run *run = arena_array(arena, 1, sizeof(*run));
	int err = run ? want_defaults(wanted, loaded) : -ENOMEM;

	if (!err)
		err = arena_grow(&runs->runs, &runs->room, runs->count, sizeof(run));
	if (err)
		return err;
	/* It is opened again, by whatever name it has. */
	*run = (struct compare_run){.side = side, .index = runs->count, .digest = digest_of(loaded),
		.path = arena_copy(arena, loaded->path), .tool = keep(arena, loaded->tool),
		.tool_version = keep(arena, loaded->tool_version), .uuid = keep(arena, loaded->uuid),
		.boot_id = keep(arena, loaded->boot_id), .wall_start = keep(arena, loaded->wall_start)};
	err = keep_texts(arena, loaded->options, loaded->option_count, &run->options);
	if (!err)
		err = keep_texts(arena, loaded->labels, loaded->label_count, &run->labels);
	if (!err)
		err = keep_texts(arena, loaded->machine, loaded->machine_count, &run->machine);
	if (!err)
		err = keep_numbers(arena, wanted, loaded, run);
	if (!err)
		err = keep_histograms(arena, wanted, loaded, run);
	runs->runs[runs->count++] = run;
	return arena->is_short ? -ENOMEM : err;
}

static bool is_steady(const struct loaded *loaded)
{
	for (size_t i = 0; i < loaded->check_count; i++) {
		if (strcmp(loaded->checks[i].code, "not-steady") == 0)
			return false;
	}
	return true;
}

bool compare_is_same_run(const struct compare_run *one, const struct compare_run *other)
{
	return one->uuid[0] || other->uuid[0] ? !strcmp(one->uuid, other->uuid) : !strcmp(one->path, other->path);
}

static const struct compare_run *same_report(
	const struct compare_runs *runs, enum compare_side side, const struct loaded *loaded)
{
	for (size_t i = 0; i < runs->count; i++) {
		const struct compare_run *run = runs->runs[i];
		const struct compare_run this = {.uuid = loaded->uuid, .path = loaded->path};

		if (run->side == side && compare_is_same_run(run, &this))
			return run;
	}
	return NULL;
}

/* "" = it is compared. */
static void reason_to_leave_out(const struct compare_runs *runs, enum compare_side side,
	const struct compare_wanted *wanted, const struct loaded *loaded, char *why, size_t length)
{
	const struct compare_run *same = same_report(runs, side, loaded);
	size_t used;

	why[0] = '\0';
	if (same) {
		snprintf(why, length, "is the same report as %s", same->path);
	} else if (!wanted->is_forced && strcmp(loaded->status, "ok") != 0) {
		snprintf(why, length, "is %s", loaded->status);
		for (size_t i = 0; i < loaded->reason_count; i++) {
			used = strlen(why);
			snprintf(why + used, length - used, "%s%.40s", i ? ", " : ": ", loaded->reasons[i].code);
		}
	} else if (!wanted->is_forced && wanted->must_be_steady && !is_steady(loaded)) {
		snprintf(why, length, "is not steady");
	}
}

static int leave_out(struct compare_runs *runs, enum compare_side side, const char *path, const char *why)
{
	struct compare_left_out left_out = {side, keep(&runs->arena, path), keep(&runs->arena, why)};

	if (arena_grow(&runs->left_out, &runs->left_out_room, runs->left_out_count, sizeof(left_out)))
		return -ENOMEM;
	runs->left_out[runs->left_out_count++] = left_out;
	return runs->arena.is_short ? -ENOMEM : 0;
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
		err = why[0] ? leave_out(runs, side, loaded->path, why) : keep_run(runs, side, wanted, loaded);
		loaded_free(loaded);
		if (err)
			return diag_host(err, "cannot keep %s", inputs->paths[i]);
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
