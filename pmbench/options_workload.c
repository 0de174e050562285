/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is accessed, how, by whom, for how long. */
#include "config.h"
#include "pmbench/options_table.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "common/timebase.h"

#define DURATION_MIN_NS 1000000ull
#define DURATION_MAX_NS (100000000 * UNITS_NS_PER_SEC)
#define OFFSET_WORD_MAX 16383 /* of the largest pages, 64 KiB; the plan knows the page */
#define HOUR_NS (3600 * UNITS_NS_PER_SEC)

static int parse_duration(const char *text, uint64_t min_ns, uint64_t max_ns, uint64_t *ns)
{
	uint64_t value;
	int rc = units_parse_duration(text, &value);

	if (rc)
		return rc;
	if (value < min_ns || value > max_ns)
		return -ERANGE;
	*ns = value;
	return 0;
}

int options_set_pattern(struct options_reading *in, const char *text)
{
	return pattern_parse(text, &in->options->pattern, &in->why);
}

/* The percentage that, divided by 100, is the share again. */
static void format_percent(double share, char *text, size_t length)
{
	for (int digits = 15; digits <= 17; digits++) {
		snprintf(text, length, "%.*g", digits, share * 100);
		if (strtod(text, NULL) / 100 == share)
			return;
	}
}

static void format_hotset(const struct pattern_spec *spec, char *text, size_t length)
{
	char set[32], share[32];

	format_percent(spec->hot_set, set, sizeof(set));
	format_percent(spec->hot_access, share, sizeof(share));
	snprintf(text, length, "hotset,%s%%,%s%%,%llu", set, share, (unsigned long long)spec->hot_drift);
}

/* pattern_parse reads it back to the same spec; is_scattered apart. */
static void format_pattern(const struct pattern_spec *spec, bool has_shape, char *text, size_t length)
{
	char shape[32];

	if (spec->kind == PATTERN_HOTSET) {
		format_hotset(spec, text, length);
	} else if (has_shape) {
		options_format_double(spec->shape, shape, sizeof(shape));
		snprintf(text, length, "%s,%s", pattern_name(spec->kind), shape);
	} else {
		snprintf(text, length, "%s", pattern_name(spec->kind));
	}
}

/* A shape that came by -e is written there. */
bool options_get_pattern(struct options_writing *out)
{
	const struct pattern_spec *spec = &out->options->pattern;
	bool came_by_e = out->options->has_shape && options_heeds_shape(spec->kind);

	if (out->options->phase_count)
		return false;
	format_pattern(spec, spec->has_shape && !came_by_e, out->value, out->length);
	return true;
}

int options_set_shape(struct options_reading *in, const char *text)
{
	int rc = units_parse_double(text, 0, 1e18, &in->options->shape);

	if (!rc)
		in->options->has_shape = true;
	return rc;
}

bool options_get_shape(struct options_writing *out)
{
	if (!out->options->has_shape)
		return false;
	options_format_double(out->options->shape, out->value, out->length);
	return true;
}

/* "64B": bytes. A bare number counts 4-byte words, as the original's does. */
static int parse_offset_bytes(const char *text, int64_t *word, const char **why)
{
	uint64_t bytes;
	int rc = units_parse_size(text, 1, &bytes);

	if (rc)
		return rc;
	if (bytes % 4 || bytes > 4 * OFFSET_WORD_MAX) {
		*why = "must be a multiple of 4 bytes inside the page (at most 4092B in a page of 4 KiB)";
		return -ERANGE;
	}
	*word = (int64_t)(bytes / 4);
	return 0;
}

int options_set_offset(struct options_reading *in, const char *text)
{
	size_t length = strlen(text);
	int64_t word = -1;
	int rc = 0;

	if (length && toupper((unsigned char)text[length - 1]) == 'B')
		rc = parse_offset_bytes(text, &word, &in->why);
	else if (strcmp(text, "random"))
		rc = units_parse_i64(text, -1, OFFSET_WORD_MAX, &word);
	if (!rc)
		in->options->offset = (int)word;
	return rc;
}

bool options_get_offset(struct options_writing *out)
{
	snprintf(out->value, out->length, "%d", out->options->offset);
	return true;
}

/* Where ":THREADS" begins, or NULL. A location (core:0-3) has a colon of its own; a list of CPUs has none. */
static const char *find_threads(const char *text)
{
	const char *colon = strchr(text, ':');

	if (colon && isalpha((unsigned char)*text))
		colon = strchr(colon + 1, ':');
	return colon;
}

int options_set_affinity(struct options_reading *in, const char *text)
{
	struct options_affinity *set = &in->options->affinity[in->options->affinity_count];
	const char *colon = find_threads(text);
	size_t length = colon ? (size_t)(colon - text) : strlen(text);
	uint64_t threads = 0;

	if (in->options->affinity_count == OPTIONS_AFFINITY) {
		in->why = "at most 64 affinity sets";
		return -ERANGE;
	}
	if (length >= sizeof(set->cpus) || (colon && units_parse_u64(colon + 1, 1, 1024, &threads)))
		return -EINVAL;
	snprintf(set->cpus, sizeof(set->cpus), "%.*s", (int)length, text);
	if (!options_is_cpu_list(set->cpus))
		return -EINVAL;
	set->threads = (unsigned)threads;
	in->options->affinity_count++;
	return 0;
}

bool options_get_affinity(struct options_writing *out)
{
	const struct options_affinity *set = &out->options->affinity[out->index];

	if (out->index >= out->options->affinity_count)
		return false;
	if (set->threads)
		snprintf(out->value, out->length, "%s:%u", set->cpus, set->threads);
	else
		snprintf(out->value, out->length, "%s", set->cpus);
	return true;
}

int options_set_timer(struct options_reading *in, const char *text)
{
	int rc = timebase_method_parse(text, &in->options->method);

	if (rc == -ENOTSUP)
		in->why = "this processor has no such counter; perfc works everywhere";
	return rc;
}

bool options_get_timer(struct options_writing *out)
{
	snprintf(out->value, out->length, "%s", timebase_method_name(out->options->method));
	return true;
}

int options_set_duration(struct options_reading *in, const char *text)
{
	int rc = parse_duration(text, DURATION_MIN_NS, DURATION_MAX_NS, &in->options->duration_ns);

	if (!rc)
		in->options->has_duration = true;
	return rc;
}

bool options_get_duration(struct options_writing *out)
{
	if (!out->options->has_duration)
		return false;
	options_format_duration(out->options->duration_ns, out->value, out->length);
	return true;
}

int options_set_seed(struct options_reading *in, const char *text)
{
	int rc = units_parse_u64(text, 0, UINT64_MAX, &in->options->seed);

	if (!rc)
		in->options->has_seed = true;
	return rc;
}

bool options_get_seed(struct options_writing *out)
{
	if (!out->options->has_seed)
		return false;
	snprintf(out->value, out->length, "%llu", (unsigned long long)out->options->seed);
	return true;
}

int options_set_phase(struct options_reading *in, const char *text)
{
	struct options_phase phase = {0};
	const char *colon = strchr(text, ':');
	char time[32];
	int rc;

	if (in->options->phase_count == OPTIONS_PHASES) {
		in->why = "at most 64 phases";
		return -ERANGE;
	}
	if (!colon || (size_t)(colon - text) >= sizeof(time))
		return -EINVAL;
	snprintf(time, sizeof(time), "%.*s", (int)(colon - text), text);
	rc = parse_duration(time, DURATION_MIN_NS, DURATION_MAX_NS / OPTIONS_PHASES, &phase.duration_ns);
	if (rc) {
		in->why = "must be TIME:PATTERN, the time from 1ms to 1562500s";
		return rc;
	}
	rc = pattern_parse(colon + 1, &phase.pattern, &in->why);
	if (!rc)
		in->options->phases[in->options->phase_count++] = phase;
	return rc;
}

bool options_get_phase(struct options_writing *out)
{
	const struct options_phase *phase = &out->options->phases[out->index];
	int used;

	if (out->index >= out->options->phase_count)
		return false;
	options_format_duration(phase->duration_ns, out->value, out->length);
	used = (int)strlen(out->value);
	out->value[used++] = ':';
	format_pattern(
		&phase->pattern, phase->pattern.has_shape, out->value + used, out->length - (size_t)used);
	return true;
}

int options_set_warmup(struct options_reading *in, const char *text)
{
	uint64_t ns = 0;
	int rc;

	if (!strcmp(text, "none")) {
		in->options->warmup = WARMUP_NONE;
	} else if (!strcmp(text, "pattern")) {
		in->options->warmup = WARMUP_PATTERN;
	} else {
		rc = parse_duration(text, DURATION_MIN_NS, HOUR_NS, &ns);
		if (rc)
			return rc;
		in->options->warmup = WARMUP_TIME;
	}
	in->options->warmup_ns = ns;
	return 0;
}

bool options_get_warmup(struct options_writing *out)
{
	if (out->options->warmup == WARMUP_TIME)
		options_format_duration(out->options->warmup_ns, out->value, out->length);
	else
		snprintf(out->value, out->length, "%s",
			out->options->warmup == WARMUP_NONE ? "none" : "pattern");
	return true;
}

int options_set_warmup_limit(struct options_reading *in, const char *text)
{
	return parse_duration(text, DURATION_MIN_NS, HOUR_NS, &in->options->warmup_limit_ns);
}

bool options_get_warmup_limit(struct options_writing *out)
{
	if (!out->options->warmup_limit_ns)
		return false;
	options_format_duration(out->options->warmup_limit_ns, out->value, out->length);
	return true;
}

int options_set_cold(struct options_reading *in, const char *text)
{
	if (text && strcmp(text, "yes"))
		return -EINVAL;
	in->options->warmup = WARMUP_NONE;
	return 0;
}

int options_set_interval(struct options_reading *in, const char *text)
{
	int rc = parse_duration(text, 10000000, HOUR_NS, &in->options->interval_ns);

	if (!rc)
		in->options->has_interval = true;
	return rc;
}

bool options_get_interval(struct options_writing *out)
{
	if (!out->options->has_interval)
		return false;
	options_format_duration(out->options->interval_ns, out->value, out->length);
	return true;
}
