/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "pmbench/plan/options_values.h"

#include <ctype.h>
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "common/base/diag.h"
#include "common/host/timebase.h"

#define OFFSET_WORD_MAX 16383 /* of the largest pages, 64 KiB; the plan checks the actual page size */
#define NODES_LIMIT 1024      /* MAX_NUMNODES of the largest kernels */

static const void *field_of(const struct opt *row, const void *options)
{
	return (const char *)options + row->offset;
}

/* --- plain values in a report --- */

bool pm_get_seed(const struct opt *row, const void *options, size_t index, char text[OPT_TEXT])
{
	return ((const struct pmbench_options *)options)->has_seed && opt_get_plain(row, options, index, text);
}

/* --- sizes --- */

static int parse_share(const char *text, struct units_share *share)
{
	struct units_share value = {0};
	int rc = units_parse_share(text, UNITS_MIB, &value);

	if (rc)
		return rc;
	if (!value.is_percent && !value.bytes)
		return -ERANGE;
	*share = value;
	return 0;
}

static void format_share(const struct units_share *share, char *text, size_t length)
{
	char percent[32];

	if (share->is_percent) {
		units_write_double(share->percent, percent, sizeof(percent));
		snprintf(text, length, "%s%%", percent);
	} else if (share->bytes % UNITS_MIB == 0) {
		snprintf(text, length, "%llu", (unsigned long long)(share->bytes / UNITS_MIB));
	} else {
		snprintf(text, length, "%lluB", (unsigned long long)share->bytes);
	}
}

int pm_set_share(struct opt_value *in)
{
	return parse_share(in->text, opt_field(in));
}

bool pm_get_share(const struct opt *row, const void *options, size_t index, char text[OPT_TEXT])
{
	const struct units_share *share = field_of(row, options);

	(void)index;
	format_share(share, text, OPT_TEXT);
	return share->is_percent || share->bytes;
}

static int add_setsize(struct opt_value *in, const char *word)
{
	struct pmbench_options *options = in->options;

	if (options->setsize_count == OPTIONS_SETSIZES)
		return -ERANGE;
	return parse_share(word, &options->setsizes[options->setsize_count++]);
}

int pm_set_setsize_list(struct opt_value *in)
{
	struct pmbench_options *options = in->options;
	int rc;

	options->setsize_count = 0;
	rc = opt_each_word(in, add_setsize);
	return rc || options->setsize_count > 1 ? rc : -ERANGE;
}

bool pm_get_setsize_list(const struct opt *row, const void *options, size_t index, char text[OPT_TEXT])
{
	const struct pmbench_options *all = options;
	size_t used = 0;

	(void)row, (void)index;
	for (size_t i = 0; i < all->setsize_count && used + 2 < OPT_TEXT; i++) {
		if (i)
			text[used++] = ',';
		format_share(&all->setsizes[i], text + used, OPT_TEXT - used);
		used += strlen(text + used);
	}
	return all->setsize_count;
}

/* --- patterns --- */

bool pm_heeds_shape(enum pattern_kind kind)
{
	return kind == PATTERN_NORMAL || kind == PATTERN_LINEAR || kind == PATTERN_PARETO || kind == PATTERN_ZIPF;
}

int pm_set_pattern(struct opt_value *in)
{
	return pattern_parse(in->text, opt_field(in), &in->why);
}

/* Writes the percentage whose hundredth is exactly the share. */
static void format_percent(double share, char *text, size_t length)
{
	for (int digits = 15; digits <= 17; digits++) {
		snprintf(text, length, "%.*g", digits, share * 100);
		if (strtod(text, NULL) / 100 == share)
			return;
	}
}

/* Writes text from which pattern_parse makes the same spec, except is_scattered. */
static void format_pattern(const struct pattern_spec *spec, bool has_shape, char *text, size_t length)
{
	char shape[32], set[32];

	if (spec->kind == PATTERN_HOTSET) {
		format_percent(spec->hot_set, set, sizeof(set));
		format_percent(spec->hot_access, shape, sizeof(shape));
		snprintf(text, length, "hotset,%s%%,%s%%,%llu", set, shape, (unsigned long long)spec->hot_drift);
	} else if (has_shape) {
		units_write_double(spec->shape, shape, sizeof(shape));
		snprintf(text, length, "%s,%s", pattern_name(spec->kind), shape);
	} else {
		snprintf(text, length, "%s", pattern_name(spec->kind));
	}
}

/* A shape from -e is reported as the value of -e, not here. */
bool pm_get_pattern(const struct opt *row, const void *options, size_t index, char text[OPT_TEXT])
{
	const struct pmbench_options *all = options;
	bool came_by_e = all->has_shape && pm_heeds_shape(all->pattern.kind);

	(void)row, (void)index;
	format_pattern(&all->pattern, all->pattern.has_shape && !came_by_e, text, OPT_TEXT);
	return !all->phase_count && !all->pattern_path;
}

bool pm_get_shape(const struct opt *row, const void *options, size_t index, char text[OPT_TEXT])
{
	const struct pmbench_options *all = options;

	(void)row, (void)index;
	units_write_double(all->shape, text, OPT_TEXT);
	return all->has_shape;
}

int pm_set_phase(struct opt_value *in)
{
	struct pmbench_options *options = in->options;
	struct options_phase phase = {0};
	const char *colon = strchr(in->text, ':');
	char time[32];
	int rc;

	if (options->phase_count == OPTIONS_PHASES)
		return diag_why(-ERANGE, &in->why, "at most 64 phases");
	if (!colon || (size_t)(colon - in->text) >= sizeof(time))
		return -EINVAL;
	snprintf(time, sizeof(time), "%.*s", (int)(colon - in->text), in->text);
	rc = units_parse_duration(time, &phase.duration_ns);
	if (!rc && (phase.duration_ns < OPTIONS_TIME_MIN || phase.duration_ns > OPTIONS_TIME_MAX / OPTIONS_PHASES))
		rc = -ERANGE;
	if (rc)
		return diag_why(rc, &in->why, "must be TIME:PATTERN, the time from 1ms to 1562500s");
	rc = pattern_parse(colon + 1, &phase.pattern, &in->why);
	if (!rc)
		options->phases[options->phase_count++] = phase;
	return rc;
}

bool pm_get_phase(const struct opt *row, const void *options, size_t index, char text[OPT_TEXT])
{
	const struct pmbench_options *all = options;
	const struct options_phase *phase = &all->phases[index];
	size_t used;

	(void)row;
	if (index >= all->phase_count)
		return false;
	units_write_duration(phase->duration_ns, text, OPT_TEXT);
	used = strlen(text);
	text[used++] = ':';
	format_pattern(&phase->pattern, phase->pattern.has_shape, text + used, OPT_TEXT - used);
	return true;
}

/* --- accesses --- */

/* A number without unit counts 4-byte words, as in the original; "64B" is in bytes. */
int pm_set_offset(struct opt_value *in)
{
	struct pmbench_options *options = in->options;
	size_t length = strlen(in->text);
	int64_t word = -1;
	uint64_t bytes;
	int rc = 0;

	if (length && toupper((unsigned char)in->text[length - 1]) == 'B') {
		rc = units_parse_size(in->text, 1, &bytes);
		if (!rc && (bytes % 4 || bytes > 4 * OFFSET_WORD_MAX))
			return diag_why(-ERANGE, &in->why,
				"must be a multiple of 4 bytes inside the page (at most 4092B in a page of 4 KiB)");
		word = rc ? -1 : (int64_t)(bytes / 4);
	} else if (strcmp(in->text, "random")) {
		rc = units_parse_i64(in->text, -1, OFFSET_WORD_MAX, &word);
	}
	if (!rc)
		options->offset = (int)word;
	return rc;
}

bool pm_get_offset(const struct opt *row, const void *options, size_t index, char text[OPT_TEXT])
{
	(void)row, (void)index;
	snprintf(text, OPT_TEXT, "%d", ((const struct pmbench_options *)options)->offset);
	return true;
}

int pm_set_timer(struct opt_value *in)
{
	int rc = timebase_method_parse(in->text, opt_field(in));

	if (rc == -ENOTSUP)
		in->why = "this processor has no such counter; perfc works everywhere";
	return rc;
}

bool pm_get_timer(const struct opt *row, const void *options, size_t index, char text[OPT_TEXT])
{
	(void)row, (void)index;
	snprintf(text, OPT_TEXT, "%s", timebase_method_name(((const struct pmbench_options *)options)->method));
	return true;
}

int pm_set_warmup(struct opt_value *in)
{
	struct pmbench_options *options = in->options;
	uint64_t ns = 0;
	int rc;

	if (!strcmp(in->text, "none")) {
		options->warmup = WARMUP_NONE;
	} else if (!strcmp(in->text, "pattern")) {
		options->warmup = WARMUP_PATTERN;
	} else {
		rc = units_parse_duration(in->text, &ns);
		if (rc)
			return rc;
		if (ns < OPTIONS_TIME_MIN || ns > OPTIONS_HOUR)
			return -ERANGE;
		options->warmup = WARMUP_TIME;
	}
	options->warmup_ns = ns;
	return 0;
}

bool pm_get_warmup(const struct opt *row, const void *options, size_t index, char text[OPT_TEXT])
{
	const struct pmbench_options *all = options;

	(void)row, (void)index;
	if (all->warmup == WARMUP_TIME)
		units_write_duration(all->warmup_ns, text, OPT_TEXT);
	else
		snprintf(text, OPT_TEXT, "%s", all->warmup == WARMUP_NONE ? "none" : "pattern");
	return true;
}

/* --- placement --- */

/* Accepts a list, optionally after a kind of location; the plan checks that it exists. */
static bool is_cpu_list(const char *text)
{
	unsigned numbers[CPU_SETSIZE];
	size_t kind = strspn(text, "abcdefghijklmnopqrstuvwxyz"), count;

	if (kind && text[kind] == ':')
		text += kind + 1;
	return !units_parse_list(text, CPU_SETSIZE, numbers, CPU_SETSIZE, &count) && count;
}

int pm_set_cpus(struct opt_value *in)
{
	struct placement_request *request = opt_field(in);

	if (!is_cpu_list(in->text) || strlen(in->text) >= sizeof(request->cpus))
		return -EINVAL;
	snprintf(request->cpus, sizeof(request->cpus), "%s", in->text);
	return 0;
}

int pm_set_affinity(struct opt_value *in)
{
	struct pmbench_options *options = in->options;
	struct options_affinity set = {0};
	const char *colon = strchr(in->text, ':');
	uint64_t threads = 0;
	size_t length;

	/* A location (core:0-3) contains a colon; a list of CPUs does not. */
	if (colon && isalpha((unsigned char)*in->text))
		colon = strchr(colon + 1, ':');
	length = colon ? (size_t)(colon - in->text) : strlen(in->text);
	if (options->affinity_count == OPTIONS_AFFINITY)
		return diag_why(-ERANGE, &in->why, "at most 64 affinity sets");
	if (length >= sizeof(set.cpus) || (colon && units_parse_u64(colon + 1, 1, 1024, &threads)))
		return -EINVAL;
	snprintf(set.cpus, sizeof(set.cpus), "%.*s", (int)length, in->text);
	if (!is_cpu_list(set.cpus))
		return -EINVAL;
	set.threads = (unsigned)threads;
	options->affinity[options->affinity_count++] = set;
	return 0;
}

bool pm_get_affinity(const struct opt *row, const void *options, size_t index, char text[OPT_TEXT])
{
	const struct pmbench_options *all = options;
	const struct options_affinity *set = &all->affinity[index];

	(void)row;
	if (index >= all->affinity_count)
		return false;
	if (set->threads)
		snprintf(text, OPT_TEXT, "%s:%u", set->cpus, set->threads);
	else
		snprintf(text, OPT_TEXT, "%s", set->cpus);
	return true;
}

/* Three options use this function; row->min is the policy. */
int pm_set_nodes(struct opt_value *in)
{
	struct placement_request *request = opt_field(in);
	unsigned nodes[NODES_LIMIT];
	size_t count;
	int rc = units_parse_list(in->text, NODES_LIMIT, nodes, NODES_LIMIT, &count);

	if (rc)
		return rc;
	if (!count || strlen(in->text) >= sizeof(request->nodes))
		return -EINVAL;
	snprintf(request->nodes, sizeof(request->nodes), "%s", in->text);
	request->policy = (enum placement_policy)in->row->min;
	return 0;
}

/* --- mapping --- */

int pm_set_map(struct opt_value *in)
{
	return mapping_parse_kind(in->text, opt_field(in), &in->why);
}

bool pm_map_writes_file(const char *text)
{
	return !strncmp(text, "file:", 5);
}

int pm_set_content(struct opt_value *in)
{
	return mapping_parse_content(in->text, opt_field(in), &in->why);
}

bool pm_get_content(const struct opt *row, const void *options, size_t index, char text[OPT_TEXT])
{
	const struct mapping_request *request = field_of(row, options);
	char percent[32];

	(void)index;
	if (request->content == CONTENT_RATIO) {
		units_write_double(request->compressible_percent, percent, sizeof(percent));
		snprintf(text, OPT_TEXT, "ratio:%s", percent);
	} else {
		snprintf(text, OPT_TEXT, "%s", mapping_content_name(request->content));
	}
	return true;
}
