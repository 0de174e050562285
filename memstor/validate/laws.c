/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checks the laws of the field lists, and those of the parts of every report: histograms, subjects and series. */
#include "config.h"
#include "memstor/validate/laws.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>


#define TOLERANCE 1e-9

struct deciding {
	const struct loaded *loaded;
	void (*found)(void *data, unsigned line, const char *text);
	void *data;
	char last[512]; /* what was found last: a law of a subject is asked of each of its repetitions */
};

static void __attribute__((format(printf, 3, 4))) broken(
	struct deciding *deciding, const struct report_node *node, const char *format, ...)
{
	va_list arguments;
	char text[600];

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	deciding->found(deciding->data, node->line, text);
}

static bool ask_laws(struct deciding *deciding, const struct report_node *node, const struct field_record *record)
{
	bool hold = true;

	for (const struct field *field = record->fields; field->name; field++) {
		char why[512];

		if (field->kind != FIELD_LAW || law_holds(field->name, deciding->loaded, node, why, sizeof(why)))
			continue;
		hold = false;
		if (strchr(field->name, '$') && !strcmp(why, deciding->last))
			continue;
		memcpy(deciding->last, why, sizeof(why));
		broken(deciding, node, "<%s>: %s", node->name, why);
	}
	return hold;
}

/* --- histograms --- */

static void decide_summary(
	struct deciding *deciding, const struct report_node *summary, const struct loaded_histogram *histogram)
{
	const struct loaded_bucket *first = histogram->buckets, *last = first + histogram->bucket_count - 1;
	double low = histogram->min_ns, high = histogram->max_ns;

	if (low < first->lo_ns || low > first->hi_ns)
		broken(deciding, summary, "min_ns is %.15g, the first bucket goes from %.15g to %.15g", low, first->lo_ns,
			first->hi_ns);
	if (high < last->lo_ns || high > last->hi_ns)
		broken(deciding, summary, "max_ns is %.15g, the last bucket goes from %.15g to %.15g", high, last->lo_ns,
			last->hi_ns);
	for (const struct report_node *node = summary->child; node; node = node->next) {
		double percent = loaded_percent(node->name), value, counted;

		if (isnan(percent) || report_read_double(summary, node->name, &value))
			continue;
		counted = loaded_known_percentile(histogram, percent);
		/* Doubles are written so that they read back to the same; sums of many are not that exact. */
		if (fabs(value - counted) > TOLERANCE * fmax(fabs(value), fabs(counted)))
			broken(deciding, summary, "%s is %.15g, the buckets say %.15g", node->name, value, counted);
	}
}

/* The count of the bucket that begins at lo; *at moves on and never back. */
static uint64_t count_at(const struct loaded_histogram *histogram, double lo, size_t *at)
{
	while (*at < histogram->bucket_count && histogram->buckets[*at].lo_ns < lo)
		(*at)++;
	return *at < histogram->bucket_count && histogram->buckets[*at].lo_ns == lo ? histogram->buckets[*at].count : 0;
}

#define CLASSES_MAX 16

/* What is of class "all" is of exactly one of the other classes, if there are others. */
static void decide_classes(struct deciding *deciding, const struct report_node *node, const struct loaded_histogram *all)
{
	const struct loaded *loaded = deciding->loaded;
	const struct loaded_histogram *parts[CLASSES_MAX];
	size_t at[CLASSES_MAX] = {0}, count = 0;
	uint64_t total = 0;

	for (size_t i = 0; i < loaded->histogram_count && count < CLASSES_MAX; i++) {
		const struct loaded_histogram *other = &loaded->histograms[i];

		if (other == all || strcmp(other->type, all->type) || strcmp(other->layout, all->layout))
			continue;
		parts[count++] = other;
		total += other->count;
	}
	if (!count)
		return;
	if (total != all->count) {
		broken(deciding, node, "the other classes hold %" PRIu64 ", all holds %" PRIu64, total, all->count);
		return;
	}
	for (size_t b = 0; b < all->bucket_count; b++) {
		double lo = all->buckets[b].lo_ns;
		uint64_t sum = 0;

		for (size_t i = 0; i < count; i++)
			sum += count_at(parts[i], lo, &at[i]);
		if (sum == all->buckets[b].count)
			continue;
		broken(deciding, node, "the other classes hold %" PRIu64 " in the bucket from %.0f, all holds %" PRIu64, sum, lo,
			all->buckets[b].count);
		return;
	}
}

static void decide_histogram(struct deciding *deciding, const struct report_node *node)
{
	const struct loaded *loaded = deciding->loaded;
	const struct report_node *summary = report_read_find(node, "summary");
	const char *type = report_read_attribute(node, "type"), *class = report_read_attribute(node, "class");
	const struct loaded_histogram *histogram = loaded_histogram_of(loaded, type, class, report_read_attribute(node, "layout"));

	if (!histogram)
		return;
	if (!strcmp(class, "all"))
		decide_classes(deciding, node, histogram);
	else if (loaded->subject_count && !loaded_subject(loaded, class))
		broken(deciding, node, "a histogram is of %.100s, which is not among the subjects", class);
	if (summary && histogram->bucket_count && ask_laws(deciding, summary, field_record_of(summary)))
		decide_summary(deciding, summary, histogram);
}

/* --- series --- */

/* Each subject and repetition has its own time. */
static void decide_time(struct deciding *deciding, const struct report_node *node, const struct field_record *record,
	const struct report_node *before)
{
	double time = loaded_time(node), earlier, index = report_read_attribute_number(node, "index");

	if (!before || !loaded_is_same(record, node, before))
		return;
	earlier = loaded_time(before);
	if (index <= report_read_attribute_number(before, "index"))
		broken(deciding, node, "index is %.15g, not above that of the <%s> before", index, node->name);
	if (time < earlier)
		broken(deciding, node, "time_s is %.15g, below that of the <%s> before, %.15g", time, node->name, earlier);
}

/* --- everything --- */

static void decide(struct deciding *deciding, const struct report_node *node, const struct field_record *record)
{
	const struct report_node *before = NULL;

	if (record->kind == FIELD_IS_HISTOGRAM && node->parent && !strcmp(node->parent->name, "statistics")) {
		decide_histogram(deciding, node);
		return;
	}
	ask_laws(deciding, node, record);
	for (const struct report_node *child = node->child; child; child = child->next) {
		const struct field_record *inner = field_within(record, child->name);

		if (!inner || inner->kind == FIELD_IS_BUCKET || inner->kind == FIELD_IS_COUNTERS)
			continue;
		if (inner->kind == FIELD_IS_SERIES) {
			decide_time(deciding, child, inner, before && !strcmp(before->name, child->name) ? before : NULL);
			before = child;
		}
		decide(deciding, child, inner);
	}
}

void validate_laws(const struct loaded *loaded, void (*found)(void *data, unsigned line, const char *text), void *data)
{
	const struct report_node *root = report_read_root(loaded->document);
	struct deciding deciding = {.loaded = loaded, .found = found, .data = data};

	if (field_root(root->name))
		decide(&deciding, root, field_root(root->name));
}
