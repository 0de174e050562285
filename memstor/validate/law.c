/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "memstor/validate/laws.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/units.h"

struct asking {
	const char *at; /* the next character of the law */
	const struct loaded *loaded;
	const struct report_node *node;
	char subject[256];
};

/* Signs that end a name of a law. */
#define ENDS " ()+*=<~"

static void skip_blanks(struct asking *asking)
{
	asking->at += strspn(asking->at, " ");
}

static bool take(struct asking *asking, const char *sign)
{
	size_t length = strlen(sign);

	skip_blanks(asking);
	if (strncmp(asking->at, sign, length))
		return false;
	asking->at += length;
	return true;
}

/* --- paths --- */

static bool is_alike(const struct report_node *node, const struct report_node *other)
{
	for (size_t i = 0; i < node->attribute_count; i++) {
		const char *own = report_read_attribute(other, node->attributes[2 * i]);

		if (own && strcmp(own, node->attributes[2 * i + 1]))
			return false;
	}
	return true;
}

struct found {
	size_t count, numbers; /* elements or attributes, and those that are numbers */
	double sum;
};

static void add_text(const char *text, struct found *found)
{
	double value;

	found->count++;
	if (!strcmp(text, "true") || !strcmp(text, "false"))
		value = text[0] == 't';
	else if (units_parse_double(text, -DBL_MAX, DBL_MAX, &value))
		return;
	found->numbers++;
	found->sum += value;
}

static void follow(
	const struct report_node *asked, const struct report_node *from, const char *path, bool is_outside, struct found *found)
{
	size_t length = strcspn(path, "/");
	const char *rest = path[length] ? path + length + 1 : NULL;
	char name[96];

	if (length == 2 && !strncmp(path, "..", 2)) {
		if (from->parent && rest)
			follow(asked, from->parent, rest, true, found);
		return;
	}
	snprintf(name, sizeof(name), "%.*s", (int)length, path);
	if (!rest && report_read_attribute(from, name))
		add_text(report_read_attribute(from, name), found);
	for (const struct report_node *child = from->child; child; child = child->next) {
		if (strcmp(child->name, name) || (is_outside && !is_alike(child, asked)))
			continue;
		if (rest)
			follow(asked, child, rest, is_outside, found);
		else
			add_text(child->text, found);
	}
}

static const char *text_at(const struct report_node *node, const char *name)
{
	const char *text = report_read_attribute(node, name);

	return text ? text : report_read_text(node, name);
}

/* What *form has up to one of ends, with the text of NAME for {NAME}, and for {BEFORE|NAME}, unless that is absent, BEFORE and
 * the text. Returns its length; *form moves behind it. */
static size_t expand(const struct report_node *node, const char **form, const char *ends, char *text, size_t length)
{
	size_t used = 0;

	while (**form && !strchr(ends, **form) && used < length - 1) {
		const char *bar, *value;
		char name[64];
		size_t inner;

		if (**form != '{') {
			text[used++] = *(*form)++;
			continue;
		}
		inner = strcspn(++*form, "}");
		bar = memchr(*form, '|', inner);
		snprintf(name, sizeof(name), "%.*s", (int)(*form + inner - (bar ? bar + 1 : *form)), bar ? bar + 1 : *form);
		value = text_at(node, name);
		used += (size_t)snprintf(text + used, length - used, "%.*s%.100s", bar && value[0] ? (int)(bar - *form) : 0, *form,
			value);
		*form += inner + ((*form)[inner] == '}');
	}
	used = used < length ? used : length - 1;
	text[used] = '\0';
	return used;
}

/* The next word as a path. */
static struct found take_path(struct asking *asking)
{
	struct found found = {0};
	char path[256];
	size_t used = expand(asking->node, &asking->at, ENDS, path, sizeof(path));
	bool is_optional = used && path[used - 1] == '?';

	if (is_optional)
		path[used - 1] = '\0';
	follow(asking->node, asking->node, path, false, &found);
	found.numbers += is_optional && !found.numbers;
	return found;
}

/* --- what is known of a subject --- */

static double of_histograms(const struct asking *asking, char kind, const char *type)
{
	const struct loaded *loaded = asking->loaded;
	const char *class = asking->subject[0] ? asking->subject : "all";
	double sum = NAN;

	for (size_t i = 0; i < loaded->histogram_count; i++) {
		const struct loaded_histogram *histogram = &loaded->histograms[i];

		if (strcmp(histogram->class, class) || (type[0] && strcmp(histogram->type, type)) ||
			loaded_histogram(loaded, histogram->type, class) != histogram)
			continue;
		if (kind == '@')
			return histogram->mean_ns;
		sum = (isnan(sum) ? 0 : sum) + (double)histogram->count;
	}
	return sum;
}

static double of_series(const struct asking *asking, const char *name)
{
	const struct loaded *loaded = asking->loaded;
	double sum = NAN;

	for (size_t i = 0; i < loaded->interval_count; i++) {
		const struct loaded_interval *interval = &loaded->intervals[i];

		for (size_t j = 0; j < interval->value_count && !strcmp(interval->cell, asking->subject); j++) {
			if (!strcmp(interval->values[j].name, name))
				sum = (isnan(sum) ? 0 : sum) + interval->values[j].value;
		}
	}
	return sum;
}

static double of_subject(struct asking *asking, char kind)
{
	const struct loaded_subject *subject = loaded_subject(asking->loaded, asking->subject);
	char name[96];

	expand(asking->node, &asking->at, ENDS "-/", name, sizeof(name));
	if (kind == '#' || kind == '@')
		return of_histograms(asking, kind, name);
	if (kind == '%')
		return of_series(asking, name);
	return subject ? loaded_subject_value(subject, name) : loaded_value(asking->loaded, name);
}

/* --- sums --- */

static double take_factor(struct asking *asking)
{
	struct found found;
	char *end;
	double value;

	skip_blanks(asking);
	if (*asking->at && strchr("#@$%", *asking->at))
		return of_subject(asking, *asking->at++);
	if (take(asking, "count(")) {
		found = take_path(asking);
		take(asking, ")");
		return (double)found.count;
	}
	if (*asking->at >= '0' && *asking->at <= '9') {
		value = strtod(asking->at, &end);
		asking->at = end;
		return value;
	}
	found = take_path(asking);
	return found.numbers ? found.sum : NAN;
}

static double take_term(struct asking *asking)
{
	double value = take_factor(asking);

	for (;;) {
		if (take(asking, "* "))
			value *= take_factor(asking);
		else if (take(asking, "/ "))
			value /= take_factor(asking);
		else
			return value;
	}
}

static double take_sum(struct asking *asking)
{
	double value = take_term(asking);

	for (;;) {
		if (take(asking, "+ "))
			value += take_term(asking);
		else if (take(asking, "- "))
			value -= take_term(asking);
		else
			return value;
	}
}

static const struct operator {
	const char *sign, *wrong;
	double tolerance; /* of the larger */
} operators[] = {
	{"~~", "is not", 1e-3}, {"~", "is not", 1e-6}, {"=", "is not", 1e-9}, {"<=", "is above", 0}, {"<",
			"is not below", 0}, {NULL, NULL, 0}};

static const struct operator *take_operator(struct asking *asking)
{
	for (const struct operator *operator = operators; operator->sign; operator++) {
		if (take(asking, operator->sign))
			return operator;
	}
	return NULL;
}

static bool is_true(double left, const struct operator *operator, double right)
{
	/* Doubles are written so that they read back to the same; sums of many are not that exact. */
	bool is_near = fabs(left - right) <= fmax(operator->tolerance, 1e-9) * fmax(fabs(left), fabs(right));

	/* Counts are exact. */
	if (operator->sign[0] == '=' && left == floor(left) && right == floor(right) && fmax(fabs(left), fabs(right)) < 0x1p53)
		return left == right;
	if (operator->sign[0] != '<')
		return is_near;
	return operator->sign[1] ? left <= right || (is_near && left != floor(left)) : left < right;
}

/* A part of the law as a person reads it. */
static void describe(char *text, size_t length, const char *from, const char *to)
{
	static const struct {
		char sign;
		const char *of, *of_all;
	} signs[] = {{'#', "the histogram's count of ", "the count of all histograms"}, {'@', "the histogram's mean of ", ""},
		{'$', "over all repetitions ", ""}, {'%', "over all intervals ", ""}};
	size_t used = 0;

	while (to > from && to[-1] == ' ')
		to--;
	while (from < to && *from == ' ')
		from++;
	for (text[0] = '\0'; from < to && used + 32 < length; from++) {
		const char *words = NULL;

		for (size_t i = 0; i < sizeof(signs) / sizeof(signs[0]); i++) {
			bool is_of_all = from + 1 == to || from[1] == ' ';

			words = *from == signs[i].sign ? (is_of_all ? signs[i].of_all : signs[i].of) : words;
		}
		if (words)
			used += (size_t)snprintf(text + used, length - used, "%s", words);
		else if (*from != '?')
			text[used++] = *from;
		text[used] = '\0';
	}
}

static bool compare(struct asking *asking, char *why, size_t length)
{
	const char *begin = asking->at, *next;
	double left = take_sum(asking), right;
	const struct operator *operator;
	char names[2][160];

	describe(names[0], sizeof(names[0]), begin, asking->at);
	while ((operator = take_operator(asking))) {
		next = asking->at;
		right = take_sum(asking);
		describe(names[1], sizeof(names[1]), next, asking->at);
		if (isfinite(left) && isfinite(right) && !is_true(left, operator, right)) {
			if (names[1][0] >= '0' && names[1][0] <= '9')
				snprintf(why, length, "%s is %.15g, which %s %s", names[0], left, operator->wrong, names[1]);
			else
				snprintf(why, length, "%s is %.15g, which %s %s, %.15g", names[0], left,
						operator->wrong, names[1], right);
			return false;
		}
		left = isnan(right) ? left : right;
		memcpy(names[0], names[1], sizeof(names[0]));
	}
	return true;
}

/* --- texts --- */

static bool starts(struct asking *asking, const char *name, const char *form, char *why, size_t length)
{
	const char *text = report_read_attribute(asking->node, name);
	char begin[512];
	size_t used = expand(asking->node, &form, "", begin, sizeof(begin));

	if (!text || !strncmp(text, begin, used))
		return true;
	snprintf(why, length, "%s is %.100s, which does not begin with %.100s", name, text, begin);
	return false;
}

/* The nearest subject that it is of. */
static void find_subject(struct asking *asking)
{
	for (const struct report_node *node = asking->node; node && !asking->subject[0]; node = node->parent) {
		const struct field_record *record = field_record_of(node);

		if (record && record->subject[0])
			field_subject(record, node, asking->subject, sizeof(asking->subject));
	}
}

static bool are_guards_met(struct asking *asking, const char *end)
{
	char why[512];

	if (!strcmp(asking->loaded->status, "interrupted"))
		return false;
	for (skip_blanks(asking); asking->at < end; skip_blanks(asking)) {
		if (*asking->at == '!') {
			asking->at++;
			if (take_path(asking).count)
				return false;
		} else if (!compare(asking, why, sizeof(why))) {
			return false;
		}
	}
	asking->at = end + 2;
	return true;
}

bool law_holds(const char *law, const struct loaded *loaded, const struct report_node *node, char *why, size_t length)
{
	struct asking asking = {.at = law, .loaded = loaded, .node = node};
	const char *guard = strstr(law, "->"), *form = strstr(law, " starts ");
	char name[64];

	if (form) {
		snprintf(name, sizeof(name), "%.*s", (int)(form - law), law);
		return starts(&asking, name, form + strlen(" starts "), why, length);
	}
	if (strpbrk(law, "#@$%"))
		find_subject(&asking);
	if (guard && !are_guards_met(&asking, guard))
		return true;
	return compare(&asking, why, length);
}
