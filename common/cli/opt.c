/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "common/cli/opt.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/diag.h"
#include "common/base/units.h"

const struct opt *opt_row(const struct opt *rows, const char *name)
{
	for (const struct opt *row = rows; row->type != OPT_END; row++) {
		if (row->name && !strcmp(row->name, name))
			return row;
	}
	return NULL;
}

void *opt_field(const struct opt_value *in)
{
	return (char *)in->options + in->row->offset;
}

int opt_choice(const char *const *choices, const char *text)
{
	for (int i = 0; choices[i]; i++) {
		if (!strcmp(choices[i], text))
			return i;
	}
	return -EINVAL;
}

bool opt_is_stdout(const char *path)
{
	return path && !strcmp(path, "-");
}

int opt_each_word(struct opt_value *in, int (*add)(struct opt_value *in, const char *word))
{
	char *copy = strdup(in->text);
	char *rest = copy;
	int rc = copy ? 0 : -ENOMEM;

	while (rest && !rc) {
		const char *word = strsep(&rest, ",");

		rc = *word ? add(in, word) : -EINVAL;
	}
	free(copy);
	return rc;
}

/* --- allowed values, for messages --- */

static void add_text(char *text, size_t length, const char *format, ...) __attribute__((format(printf, 3, 4)));
static void add_text(char *text, size_t length, const char *format, ...)
{
	size_t used = strlen(text);
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text + used, length - used, format, arguments);
	va_end(arguments);
}

void opt_format(const struct opt *row, uint64_t value, char text[OPT_WHOLE])
{
	static const struct {
		const char *name;
		uint64_t size;
	} sizes[] = {{"P", 1ull << 50}, {"T", 1ull << 40}, {"G", 1ull << 30}, {"M", 1 << 20}, {"K", 1 << 10}, {"B", 1}},
	  times[] = {{"h", 3600 * UNITS_NS_PER_SEC}, {"m", 60 * UNITS_NS_PER_SEC},
		  {"s", UNITS_NS_PER_SEC}, {"ms", 1000000}, {"us", 1000}, {"ns", 1}},
	  *unit;

	if ((row->type != OPT_SIZE && row->type != OPT_TIME) || !value) {
		snprintf(text, OPT_WHOLE, "%llu", (unsigned long long)value);
		return;
	}
	unit = row->type == OPT_SIZE ? sizes : times;
	while (unit->size > 1 && (value < unit->size || value % unit->size))
		unit++;
	snprintf(text, OPT_WHOLE, "%llu%s", (unsigned long long)(value / unit->size), unit->name);
}

static const char *what_is_allowed(struct opt_value *in)
{
	const struct opt *row = in->row;
	const char *kind = row->type == OPT_SIZE ? "a size" : row->type == OPT_TIME ? "a time" : "a whole number";
	char *text = in->allowed, low[OPT_WHOLE], high[OPT_WHOLE];
	size_t length = sizeof(in->allowed);

	if (row->allowed)
		return row->allowed;
	switch (row->type) {
	case OPT_FLAG:
		return "takes no value";
	case OPT_UNSIGNED:
	case OPT_U64:
	case OPT_SIZE:
	case OPT_TIME:
		opt_format(row, row->min, low);
		opt_format(row, row->max, high);
		snprintf(text, length, "must be %s%s", row->flags & OPT_ZERO ? "0 or " : "", kind);
		if (row->max && row->max < INT64_MAX)
			add_text(text, length, " from %s to %s", low, high);
		else if (row->type == OPT_U64 && !row->max)
			add_text(text, length, " from %s to 2^64 - 1", low);
		else if (row->min)
			add_text(text, length, " of at least %s", low);
		return text;
	case OPT_DOUBLE:
		snprintf(text, length, "must be a number from %g to %g", row->low, row->high);
		return text;
	case OPT_CHOICE:
		snprintf(text, length, "must be ");
		for (size_t i = 0; row->choices[i]; i++)
			add_text(text, length, "%s%s", !i ? "" : row->choices[i + 1] ? ", " : " or ", row->choices[i]);
		return text;
	default:
		return "must not be empty";
	}
}

/* --- values --- */

static int set_value(struct opt_value *in)
{
	const struct opt *row = in->row;
	void *field = opt_field(in);
	double real;
	uint64_t whole;
	int rc;

	if (!in->text && row->type != OPT_FLAG)
		return -EINVAL;
	switch (row->type) {
	case OPT_FLAG:
		/* A report stores a flag as "yes". */
		if (in->text && strcmp(in->text, "yes"))
			return -EINVAL;
		*(bool *)field = true;
		return 0;
	case OPT_DOUBLE:
		rc = units_parse_double(in->text, row->low, row->high, &real);
		if (!rc)
			*(double *)field = real;
		return rc;
	case OPT_CHOICE:
		rc = opt_choice(row->choices, in->text);
		if (rc >= 0)
			*(unsigned *)field = (unsigned)rc;
		return rc < 0 ? rc : 0;
	case OPT_STRING:
		*(const char **)field = in->text;
		return *in->text ? 0 : -EINVAL;
	case OPT_OWN:
		return row->set(in);
	case OPT_SIZE:
		rc = units_parse_size(in->text, row->unit ? row->unit : 1, &whole);
		break;
	case OPT_TIME:
		rc = units_parse_duration(in->text, &whole);
		break;
	default:
		rc = units_parse_u64(in->text, 0, UINT64_MAX, &whole);
	}
	if (!rc && (whole < row->min || (row->max && whole > row->max)) && (whole || !(row->flags & OPT_ZERO)))
		rc = -ERANGE;
	if (!rc && row->type == OPT_UNSIGNED)
		*(unsigned *)field = (unsigned)whole;
	else if (!rc)
		*(uint64_t *)field = whole;
	return rc;
}

/* "--ram 2M", "-m 0", "DURATION x" */
static void format_title(const struct opt *row, const char *text, char *title, size_t length)
{
	bool is_quoted = text && (!*text || strchr(text, ' '));

	if (row->flags & OPT_ARGUMENT)
		snprintf(title, length, "%s", row->value);
	else if (row->letter)
		snprintf(title, length, "-%c", row->letter);
	else
		snprintf(title, length, "--%s", row->name);
	if (text && row->type != OPT_FLAG)
		add_text(title, length, is_quoted ? " '%s'" : " %s", text);
}

static int apply(const struct opt_given *given, const struct opt *row, const char *text, void *options)
{
	struct opt_value in = {.row = row, .options = options, .text = text};
	const char *origin = given ? given->origin : NULL;
	char title[OPT_TEXT + 64];
	int rc;

	in.why = what_is_allowed(&in);
	rc = set_value(&in);
	if (!rc)
		return DIAG_EXIT_OK;
	format_title(row, text, title, sizeof(title));
	if (rc == -ENOMEM)
		diag_error(rc, "%s", title);
	else if (rc != -EALREADY)
		diag_error(0, "%s%s%s: %s", origin ? origin : "", origin ? ": " : "", title, in.why);
	return rc == -ENOTSUP || rc == -ENOMEM ? DIAG_EXIT_HOST : DIAG_EXIT_USAGE;
}

/* --- lines --- */

int opt_add(struct opt_line *line, const struct opt *row, const char *text, enum opt_source source, const char *origin)
{
	struct opt_given *grown = reallocarray(line->given, line->count + 1, sizeof(*grown));
	char *copy = text ? strdup(text) : NULL;

	if (grown)
		line->given = grown;
	if (!grown || (text && !copy)) {
		free(copy);
		return -ENOMEM;
	}
	line->given[line->count++] = (struct opt_given){row, copy, source, origin};
	return 0;
}

void opt_free(struct opt_line *line)
{
	for (size_t i = 0; i < line->count; i++)
		free(line->given[i].text);
	for (size_t i = 0; i < line->effective_count; i++)
		free((char *)line->effective[i].value);
	opt_release_outputs(line);
	free(line->given);
	free(line->effective);
	*line = (struct opt_line){0};
}

enum opt_source opt_source_of(const struct opt_line *line, const char *name)
{
	const struct opt *row = opt_row(line->rows, name);
	enum opt_source source = OPT_BY_DEFAULT;

	for (size_t i = 0; i < line->count; i++) {
		if (line->given[i].row == row && line->given[i].source > source)
			source = line->given[i].source;
	}
	return source;
}

bool opt_is_typed(const struct opt_line *line, const char *name)
{
	return opt_source_of(line, name) == OPT_BY_USER;
}

static const char *text_of(const struct opt_line *line, const struct opt *row)
{
	const char *text = row->preset;
	enum opt_source source = OPT_BY_DEFAULT;

	for (size_t i = 0; i < line->count; i++) {
		const struct opt_given *given = &line->given[i];

		if (given->row == row && given->source >= source) {
			text = given->text ? given->text : "yes";
			source = given->source;
		}
	}
	return text;
}

const char *opt_text(const struct opt_line *line, const char *name)
{
	return text_of(line, opt_row(line->rows, name));
}

int opt_refuse(const struct opt_line *line, const char *name, const char *why)
{
	char title[OPT_TEXT + 64];

	format_title(opt_row(line->rows, name), opt_text(line, name), title, sizeof(title));
	return diag_usage("%s: %s", title, why);
}

/* Tells whether `typed`, of a higher source, makes `given` ineffective. */
static bool replaces(const struct opt_line *line, const struct opt *typed, const struct opt *given)
{
	if (typed == given)
		return true;
	for (const struct opt_relation *relation = line->relations; relation && relation->kind; relation++) {
		bool is_named = !strcmp(relation->one, typed->name) && !strcmp(relation->other, given->name);
		bool is_reverse = !strcmp(relation->one, given->name) && !strcmp(relation->other, typed->name);

		if (relation->kind != OPT_NEEDS && (is_named || (is_reverse && relation->kind == OPT_EXCLUDES)))
			return true;
	}
	return false;
}

void opt_drop_replaced(struct opt_line *line)
{
	size_t kept = 0;

	for (size_t i = 0; i < line->count; i++) {
		const struct opt_given *given = &line->given[i];
		bool is_replaced = false;

		for (size_t k = 0; k < line->count && !is_replaced; k++)
			is_replaced = line->given[k].source > given->source && replaces(line, line->given[k].row, given->row);
		if (is_replaced)
			free(given->text);
		else
			line->given[kept++] = *given;
	}
	line->count = kept;
}

static int check_relations(const struct opt_line *line)
{
	char one[64], other[64];

	for (const struct opt_relation *relation = line->relations; relation && relation->kind; relation++) {
		bool has_one = opt_source_of(line, relation->one) != OPT_BY_DEFAULT;
		bool has_other = opt_source_of(line, relation->other) != OPT_BY_DEFAULT;

		format_title(opt_row(line->rows, relation->one), NULL, one, sizeof(one));
		format_title(opt_row(line->rows, relation->other), NULL, other, sizeof(other));
		if (relation->kind == OPT_EXCLUDES && has_one && has_other)
			diag_error(0, "%s and %s: %s", one, other, relation->why);
		else if (relation->kind == OPT_NEEDS && has_one && !has_other)
			diag_error(0, "%s: needs %s%s%s", one, other, relation->why ? ": " : "",
				relation->why ? relation->why : "");
		else
			continue;
		return DIAG_EXIT_USAGE;
	}
	return DIAG_EXIT_OK;
}

int opt_apply_first(struct opt_line *line, void *options)
{
	int rc = DIAG_EXIT_OK;

	for (size_t i = 0; i < line->count && !rc; i++) {
		if (line->given[i].row->flags & OPT_FIRST)
			rc = apply(&line->given[i], line->given[i].row, line->given[i].text, options);
	}
	return rc;
}

/* A default is dropped when a given option excludes it. */
static bool is_default_wanted(const struct opt_line *line, const struct opt *row)
{
	if (!row->preset || row->flags & OPT_FIRST)
		return false;
	for (size_t i = 0; i < line->count; i++) {
		if (replaces(line, line->given[i].row, row))
			return false;
	}
	return true;
}

int opt_apply(struct opt_line *line, void *options)
{
	int rc;

	opt_drop_replaced(line);
	rc = check_relations(line);
	for (const struct opt *row = line->rows; row->type != OPT_END && !rc; row++) {
		if (is_default_wanted(line, row))
			rc = apply(NULL, row, row->preset, options);
	}
	for (int source = OPT_BY_PRESET; source <= OPT_BY_USER; source++) {
		for (size_t i = 0; i < line->count && !rc; i++) {
			const struct opt_given *given = &line->given[i];

			if ((int)given->source == source && !(given->row->flags & OPT_FIRST))
				rc = apply(given, given->row, given->text, options);
		}
	}
	return rc;
}

/* --- effective options --- */

static int add_effective(struct opt_line *line, const struct opt *row, const char *text)
{
	struct named_text_values *grown = reallocarray(line->effective, line->effective_count + 1, sizeof(*grown));
	char *copy = strdup(text);

	if (grown)
		line->effective = grown;
	if (!grown || !copy) {
		free(copy);
		return -ENOMEM;
	}
	line->effective[line->effective_count].name = row->name;
	line->effective[line->effective_count++].value = copy;
	return 0;
}

bool opt_get_nothing(const struct opt *row, const void *options, size_t index, char text[OPT_TEXT])
{
	(void)row, (void)options, (void)index, (void)text;
	return false;
}

bool opt_get_plain(const struct opt *row, const void *options, size_t index, char text[OPT_TEXT])
{
	const void *at = (const char *)options + row->offset;
	uint64_t value = row->type == OPT_UNSIGNED ? *(const unsigned *)at : row->type == OPT_DOUBLE ? 0 : *(const uint64_t *)at;

	(void)index;
	if (row->type == OPT_DOUBLE) {
		units_write_double(*(const double *)at, text, OPT_TEXT);
		return *(const double *)at != 0;
	}
	if (row->type == OPT_TIME)
		units_write_duration(value, text, OPT_TEXT);
	else
		snprintf(text, OPT_TEXT, "%llu", (unsigned long long)value);
	return row->type == OPT_TIME || row->type == OPT_SIZE ? value != 0 : value >= row->min;
}

static int list_row(struct opt_line *line, const struct opt *row, const void *options)
{
	bool repeats = row->flags & OPT_REPEATS, is_given = opt_source_of(line, row->name) != OPT_BY_DEFAULT;
	char text[OPT_TEXT];
	int rc = 0;

	if (row->get) {
		for (size_t index = 0; !rc && (!index || repeats) && row->get(row, options, index, text); index++)
			rc = add_effective(line, row, text);
		return rc;
	}
	if (!is_given || !repeats)
		return is_given || is_default_wanted(line, row) ? add_effective(line, row, text_of(line, row)) : 0;
	for (size_t i = 0; i < line->count && !rc; i++) {
		if (line->given[i].row == row)
			rc = add_effective(line, row, line->given[i].text ? line->given[i].text : "yes");
	}
	return rc;
}

int opt_list_effective(struct opt_line *line, const void *options)
{
	int rc = 0;

	for (size_t i = 0; i < line->effective_count; i++)
		free((char *)line->effective[i].value);
	line->effective_count = 0;
	for (const struct opt *row = line->rows; row->type != OPT_END && !rc; row++) {
		if (row->name && !(row->flags & OPT_UNREPORTED))
			rc = list_row(line, row, options);
	}
	return rc;
}
