/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "common/stats/recorded.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/input.h"
#include "common/base/units.h"

#define FILE_MAX (22ull * (RECORDED_PAGES_MAX + 64) + 11ull * RECORDED_ORDER_MAX) /* with lines of the greatest length */

struct recorded_reading {
	FILE *file;
	char line[64];
	size_t number; /* of the line in the file */
	int error;     /* input_line's result for the last line */
	char *why;
	size_t length;
};

static int refuse(const struct recorded_reading *reading, const char *what)
{
	bool is_read = reading->error >= 0 || reading->error == -EMSGSIZE;

	snprintf(reading->why, reading->length, "line %zu: %s", reading->number, is_read ? what : input_error(reading->error));
	return is_read || reading->error == -EILSEQ ? -EINVAL : reading->error;
}

/* False at the end of the file, or when the line is too long or has a NUL byte. */
static bool next_line(struct recorded_reading *reading)
{
	reading->error = input_line(reading->file, reading->line, sizeof(reading->line));
	reading->number += reading->error != 0;
	return reading->error > 0;
}

static int read_named(struct recorded_reading *reading, const char *name, uint64_t most, uint64_t *value)
{
	size_t length = strlen(name);
	char what[80];

	snprintf(what, sizeof(what), "must be '%s N', N from 1 to %llu", name, (unsigned long long)most);
	if (!next_line(reading) || strncmp(reading->line, name, length) || reading->line[length] != ' ' ||
		units_parse_u64(reading->line + length + 1, 1, most, value))
		return refuse(reading, what);
	return 0;
}

/* Reads pages with their counts, up to the end or the line "order N", whose number goes to *order. */
static int read_counts(struct recorded_reading *reading, uint64_t *counts, uint64_t pages, uint64_t *order)
{
	uint64_t page = 0, before = 0, sum = 0;
	bool is_first = true;

	*order = 0;
	while (next_line(reading)) {
		char *blank = strchr(reading->line, ' ');

		if (!blank)
			return refuse(reading, "must be 'PAGE COUNT' or 'order N'");
		*blank = '\0';
		if (!strcmp(reading->line, "order") && !sum)
			break;
		if (!strcmp(reading->line, "order"))
			return units_parse_u64(blank + 1, 1, RECORDED_ORDER_MAX, order)
				? refuse(reading, "must be 'order N', N from 1 to 134217728") : 0;
		if (units_parse_u64(reading->line, 0, pages - 1, &page) || (!is_first && page <= before))
			return refuse(reading, "the page must be below 'pages' and above the one before");
		if (units_parse_u64(blank + 1, 1, UINT32_MAX, &counts[page]))
			return refuse(reading, "the count must be from 1 to 4294967295");
		sum += counts[page];
		before = page;
		is_first = false;
	}
	if (sum && reading->error)
		return refuse(reading, "is too long");
	return sum ? 0 : refuse(reading, "no page has a count");
}

static int read_order(struct recorded_reading *reading, struct recorded *recorded, uint64_t count)
{
	recorded->order = malloc(count * sizeof(*recorded->order));
	if (!recorded->order)
		return -ENOMEM;
	for (uint64_t i = 0; i < count; i++) {
		uint64_t page;

		if (!next_line(reading) || units_parse_u64(reading->line, 0, recorded->pages - 1, &page))
			return refuse(reading, "must be a page of the order, below 'pages'");
		recorded->order[i] = (uint32_t)page;
	}
	recorded->order_count = count;
	return next_line(reading) || reading->error ? refuse(reading, "nothing may follow the order") : 0;
}

void recorded_free(struct recorded *recorded)
{
	if (!recorded)
		return;
	free(recorded->stay);
	free(recorded->alias);
	free(recorded->order);
	free(recorded);
}

/* Fills the tables by Vose's method: a page with less than its even share is filled up by one with more. At least one count
 * must not be 0. Returns 0 or -ENOMEM. */
static int make_tables(const uint64_t *counts, uint32_t pages, struct recorded **recorded)
{
	struct recorded *made = calloc(1, sizeof(*made));
	uint32_t *less = malloc(pages * sizeof(*less)), *more = malloc(pages * sizeof(*more));
	double *share = malloc(pages * sizeof(*share));
	size_t less_count = 0, more_count = 0;

	if (made) {
		made->pages = pages;
		made->stay = malloc(pages * sizeof(*made->stay));
		made->alias = malloc(pages * sizeof(*made->alias));
	}
	if (!made || !less || !more || !share || !made->stay || !made->alias) {
		recorded_free(made);
		free(less);
		free(more);
		free(share);
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < pages; i++)
		made->accesses += counts[i];
	for (uint32_t i = 0; i < pages; i++) {
		share[i] = (double)counts[i] / (double)made->accesses * pages;
		made->stay[i] = UINT32_MAX;
		made->alias[i] = i;
		if (share[i] < 1)
			less[less_count++] = i;
		else
			more[more_count++] = i;
	}
	while (less_count && more_count) {
		uint32_t poor = less[--less_count], rich = more[more_count - 1];

		/* A page without accesses must never be kept, not even once in 2^32 draws. */
		made->stay[poor] = share[poor] > 0 ? (uint32_t)(share[poor] * 0x1p32) : 0;
		made->alias[poor] = rich;
		share[rich] -= 1 - share[poor];
		if (share[rich] < 1) {
			more_count--;
			less[less_count++] = rich;
		}
	}
	/* Rounding may leave pages in the list; pages without accesses still get an alias. */
	for (size_t i = 0; i < less_count; i++) {
		uint32_t used = 0;

		while (!counts[used])
			used++;
		if (!counts[less[i]]) {
			made->stay[less[i]] = 0;
			made->alias[less[i]] = used;
		}
	}
	free(less);
	free(more);
	free(share);
	*recorded = made;
	return 0;
}

int recorded_read(const char *path, struct recorded **recorded, char *why, size_t length)
{
	struct recorded_reading reading = {.why = why, .length = length};
	uint64_t page_bytes, pages, order, *counts = NULL;
	struct recorded *made = NULL;
	int err = input_stream(path, FILE_MAX, &reading.file);

	snprintf(why, length, "%s", err ? input_error(err) : "");
	if (err)
		return err;
	if (!next_line(&reading) || strcmp(reading.line, RECORDED_MAGIC))
		err = refuse(&reading, "must be '" RECORDED_MAGIC "'");
	if (!err)
		err = read_named(&reading, "page_bytes", 1u << 30, &page_bytes);
	if (!err)
		err = read_named(&reading, "pages", RECORDED_PAGES_MAX, &pages);
	if (!err) {
		counts = calloc(pages, sizeof(*counts));
		err = counts ? read_counts(&reading, counts, pages, &order) : -ENOMEM;
	}
	if (!err)
		err = make_tables(counts, (uint32_t)pages, &made);
	if (!err) {
		made->page_bytes = page_bytes;
		err = order ? read_order(&reading, made, order) : 0;
	}
	free(counts);
	fclose(reading.file);
	if (err) {
		recorded_free(made);
		return err;
	}
	*recorded = made;
	return 0;
}

