/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "memtrace/file/selection.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/arena.h"
#include "common/base/diag.h"
#include "common/base/units.h"

const char *const selection_privileges[] = {"all", "user", "kernel", NULL};

/* The digits end before the first character that is not hexadecimal. */
static const char *parse_address(const char *text, uint64_t *address)
{
	static const char digits[] = "0123456789abcdef";
	const char *at = text;
	uint64_t value = 0;

	if (!strncmp(at, "0x", 2) || !strncmp(at, "0X", 2))
		at += 2;
	text = at;
	for (; *at; at++) {
		const char *digit = strchr(digits, *at >= 'A' && *at <= 'F' ? *at - 'A' + 'a' : *at);

		if (!digit)
			break;
		if (value >> 60)
			return NULL;
		value = value << 4 | (uint64_t)(digit - digits);
	}
	*address = value;
	return at > text ? at : NULL;
}

int selection_parse_range(const char *text, struct named_range *range, const char **why)
{
	const char *equal = strrchr(text, '='), *at = equal ? equal + 1 : text;
	struct named_range found = {.name = text, .length = equal ? (size_t)(equal - text) : 0};

	*why = "must be NAME=START-END or NAME=START-END/SIZE, addresses in hexadecimal, SIZE in bytes";
	if (!found.length)
		return -EINVAL;
	at = parse_address(at, &found.begin);
	if (!at || *at != '-')
		return -EINVAL;
	at = parse_address(at + 1, &found.end);
	if (!at || (*at && *at != '/'))
		return -EINVAL;
	if (*at == '/' && (units_parse_size(at + 1, 1, &found.element) || !found.element))
		return -EINVAL;
	*why = "NAME must not be `unknown`, nor begin with / or [ as mappings do";
	if (strchr("/[", *text) || (found.length == 7 && !strncmp(text, "unknown", 7)))
		return -EINVAL;
	*why = "END must be above START";
	if (found.end <= found.begin)
		return -EINVAL;
	*range = found;
	return 0;
}

int selection_set_range(struct opt_value *in)
{
	struct selection *selection = opt_field(in);

	if (selection->range_count == SELECTION_RANGES) {
		in->why = "at most 4096 are allowed";
		return -ERANGE;
	}
	if (arena_grow(&selection->ranges, &selection->range_capacity, selection->range_count, sizeof(*selection->ranges)))
		return -ENOMEM;
	return selection_parse_range(in->text, &selection->ranges[selection->range_count], &in->why) ? -EINVAL
		: (selection->range_count++, 0);
}

static int add_word(struct opt_value *in, const char **words, size_t *count)
{
	in->why = *count == SELECTION_WORDS ? "at most 16 are allowed" : "must not be empty";
	if (*count == SELECTION_WORDS || !*in->text)
		return -EINVAL;
	words[(*count)++] = in->text;
	return 0;
}

int selection_set_thread(struct opt_value *in)
{
	struct selection *selection = opt_field(in);

	return add_word(in, selection->threads, &selection->thread_count);
}

int selection_set_region(struct opt_value *in)
{
	struct selection *selection = opt_field(in);

	return add_word(in, selection->regions, &selection->region_count);
}

static int add_kind(struct opt_value *in, const char *word)
{
	struct selection *selection = opt_field(in);

	for (unsigned i = 0; i < TRACE_KINDS; i++) {
		if (strcmp(word, trace_kind_name(i)))
			continue;
		selection->kinds |= 1u << i;
		if (trace_is_load(i) || trace_is_store(i))
			selection->kinds |= 1u << TRACE_UPDATE;
		return 0;
	}
	return -EINVAL;
}

int selection_set_kinds(struct opt_value *in)
{
	((struct selection *)opt_field(in))->kinds = 0;
	in->why = "must be access, load, store, update, minor, major or out, with commas between";
	return opt_each_word(in, add_kind);
}

static int compare_ranges(const void *a, const void *b)
{
	const struct named_range *one = a, *other = b;

	return (one->begin > other->begin) - (one->begin < other->begin);
}

static int compare_names(const void *a, const void *b)
{
	const struct named_range *one = *(const struct named_range *const *)a, *other = *(const struct named_range *const *)b;
	int order = strncmp(one->name, other->name, one->length < other->length ? one->length : other->length);

	return order ? order : (one->length > other->length) - (one->length < other->length);
}

/* Refuses two ranges of one name, which results could not distinguish. */
static int check_names(const struct selection *selection)
{
	const struct named_range **ranges = calloc(selection->range_count + 1, sizeof(struct named_range *));
	int code = ranges ? DIAG_EXIT_OK : DIAG_EXIT_HOST;

	if (!ranges)
		diag_error(ENOMEM, "--range");
	for (size_t i = 0; i < selection->range_count && !code; i++)
		ranges[i] = &selection->ranges[i];
	if (!code && selection->range_count)
		qsort(ranges, selection->range_count, sizeof(*ranges), compare_names);
	for (size_t i = 1; i < selection->range_count && !code; i++) {
		if (compare_names(&ranges[i - 1], &ranges[i]))
			continue;
		diag_error(0, "--range: %.*s is given twice; ranges have different names", (int)ranges[i]->length, ranges[i]->name);
		code = DIAG_EXIT_USAGE;
	}
	free(ranges);
	return code;
}

int selection_check(struct selection *selection)
{
	if (selection->to_ns && selection->to_ns <= selection->from_ns) {
		diag_error(0, "--before: must be later than --after");
		return DIAG_EXIT_USAGE;
	}
	if (selection->range_count)
		qsort(selection->ranges, selection->range_count, sizeof(*selection->ranges), compare_ranges);
	for (size_t i = 1; i < selection->range_count; i++) {
		const struct named_range *before = &selection->ranges[i - 1], *range = &selection->ranges[i];

		if (before->end <= range->begin)
			continue;
		diag_error(0, "--range: %.*s and %.*s overlap; an address has one name", (int)before->length, before->name,
			(int)range->length, range->name);
		return DIAG_EXIT_USAGE;
	}
	return check_names(selection);
}

void selection_free(struct selection *selection)
{
	free(selection->ranges);
	selection->ranges = NULL;
}
