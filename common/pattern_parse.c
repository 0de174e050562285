/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include <errno.h>
#include <float.h>
#include <string.h>
#include "common/pattern_draw.h"
#include "common/units.h"

#define FIELDS 4
#define FIELD_BYTES 40

/* The text between the commas; the first field is the name. */
struct fields {
	size_t count;
	char text[FIELDS][FIELD_BYTES];
};

static const char junk_text[] =
	"allowed are uniform, normal[,SD], normal_ih[,SD], linear[,STRIDE], pareto[,ALPHA], zipf[,S], "
	"hotset[,SET%[,ACCESS%[,DRIFT]]]";

/* What a kind's parameters are, for a message; NULL: it takes none. */
static const char *const parameters[PATTERN_KINDS] = {
	[PATTERN_NORMAL] = "normal takes one number, its standard deviation in pages: normal,1536",
	[PATTERN_NORMAL_IH] = "normal_ih takes one number, its standard deviation in pages: normal_ih,1536",
	[PATTERN_LINEAR] = "linear takes one number, its stride in pages: linear,23",
	[PATTERN_PARETO] = "pareto takes one number, its alpha: pareto,1.161",
	[PATTERN_ZIPF] = "zipf takes one number, its exponent s: zipf,1.1",
	[PATTERN_HOTSET] =
		"hotset takes its share of the pages, of the accesses, and draws a step: hotset,20%,80%,1000",
};

static int split(const char *text, struct fields *fields)
{
	fields->count = 0;
	for (;;) {
		size_t length = strcspn(text, ",");

		if (fields->count == FIELDS || length >= FIELD_BYTES)
			return -EINVAL;
		memcpy(fields->text[fields->count], text, length);
		fields->text[fields->count++][length] = '\0';
		if (!text[length])
			return 0;
		text += length + 1;
	}
}

static int find_kind(const char *name, enum pattern_kind *kind)
{
	for (unsigned k = 0; k < PATTERN_KINDS; k++) {
		if (!strcmp(name, pattern_name((enum pattern_kind)k))) {
			*kind = (enum pattern_kind)k;
			return 0;
		}
	}
	return -EINVAL;
}

static int parse_shape(const char *text, struct pattern_spec *spec, const char **why)
{
	const char *complaint;
	int err = units_parse_double(text, -DBL_MAX, DBL_MAX, &spec->shape);

	if (err == -EINVAL)
		return err;
	/* Beyond a double is beyond every range, on the side that its sign says. */
	if (err)
		spec->shape = *text == '-' ? -DBL_MAX : DBL_MAX;
	complaint = pattern_shape_complaint(spec->kind, spec->shape);
	if (!complaint && err)
		complaint = "the number is too large";
	if (complaint)
		*why = complaint;
	spec->has_shape = true;
	return complaint ? -ERANGE : 0;
}

static int parse_percent(char *text, double *share)
{
	size_t length = strlen(text);
	double percent;
	int err;

	if (length && text[length - 1] == '%')
		text[length - 1] = '\0';
	err = units_parse_double(text, 0, 100, &percent);
	if (!err)
		*share = percent / 100;
	return err;
}

static int parse_hotset(struct fields *fields, struct pattern_spec *spec, const char **why)
{
	int err = 0;

	spec->hot_set = 0.2;
	spec->hot_access = 0.8;
	if (fields->count > 1) {
		err = parse_percent(fields->text[1], &spec->hot_set);
		if (err == -ERANGE || (!err && spec->hot_set == 0)) {
			*why = "the hot set must be above 0% and at most 100% of the pages";
			return -ERANGE;
		}
	}
	if (!err && fields->count > 2) {
		err = parse_percent(fields->text[2], &spec->hot_access);
		if (err == -ERANGE)
			*why = "the hot set's accesses must be 0% to 100%";
	}
	if (!err && fields->count > 3) {
		err = units_parse_u64(fields->text[3], 0, UINT64_MAX, &spec->hot_drift);
		if (err == -ERANGE)
			*why = "the draws a step of the hot set must be at most 2^64 - 1 (0: it stays)";
	}
	return err;
}

int pattern_parse(const char *text, struct pattern_spec *spec, const char **why)
{
	struct pattern_spec parsed = {0};
	struct fields fields;
	int err;

	*why = junk_text;
	fields.text[0][0] = '\0';
	err = split(text, &fields);
	if (find_kind(fields.text[0], &parsed.kind))
		return -EINVAL;
	*why = parameters[parsed.kind];
	if (!*why)
		*why = "uniform takes no number";
	if (err)
		return err;
	if (parsed.kind == PATTERN_HOTSET)
		err = parse_hotset(&fields, &parsed, why);
	else if (fields.count > 2 || (fields.count == 2 && parsed.kind == PATTERN_UNIFORM))
		err = -EINVAL;
	else if (fields.count == 2)
		err = parse_shape(fields.text[1], &parsed, why);
	if (!err)
		*spec = parsed;
	return err;
}
