/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "memtrace/engine_check.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "common/report_read.h"
#include "common/units.h"

#define LINE_MAX_BYTES 1024 /* of a header */

/* In the order of a header's line. */
static const struct {
	const char *name, *text; /* in JSON, and for people */
	size_t offset;
} numbers[] = {
	{"slowdown", "slowdown", offsetof(struct mt_engine_check_values, slowdown)},
	{"recall1", "top 1 %", offsetof(struct mt_engine_check_values, recall_top_1)},
	{"recall10", "top 10 %", offsetof(struct mt_engine_check_values, recall_top_10)},
	{"correlation", "ranks", offsetof(struct mt_engine_check_values, rank_correlation)},
	{"error", "misses", offsetof(struct mt_engine_check_values, miss_ratio_error)},
};
#define NUMBERS (sizeof(numbers) / sizeof(numbers[0]))

static double number_of(const struct mt_engine_check_values *row, size_t index)
{
	double value;

	memcpy(&value, (const char *)row + numbers[index].offset, sizeof(value));
	return value;
}

__attribute__((format(printf, 4, 5)))
static int refuse(int err, char *why, size_t length, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(why, length, format, arguments);
	va_end(arguments);
	return err;
}

/* Blanks and control characters would be more than one word of a header's line. */
static void copy(char *to, size_t room, const char *from, bool is_word)
{
	size_t at = 0;

	for (; from[at] && at + 1 < room; at++)
		to[at] = (unsigned char)from[at] < ' ' || (is_word && from[at] == ' ') ? '?' : from[at];
	to[at] = '\0';
}

/* --- from a report --- */

static bool add_row(const struct report_node *node, struct engine_check *check)
{
	struct mt_engine_check_values *row = &check->rows[check->count];
	const struct report_node *group = report_read_find(node, "rank_group");
	const struct field *wrong;
	size_t groups = 0;

	if (FIELD_READ(node, mt_engine_check, row, &wrong))
		return false;
	for (; group && groups < QUALITY_GROUPS; group = report_read_next(group)) {
		if (FIELD_READ(group, mt_rank_group, &check->groups[check->count][groups++], &wrong))
			return false;
	}
	copy(check->patterns[check->count], sizeof(check->patterns[0]), row->pattern, true);
	row->pattern = check->patterns[check->count];
	row->rank_group = FIELD_MANY(check->groups[check->count], groups);
	check->count++;
	return true;
}

int engine_check_read(const char *path, const char *engine, const char *model, const char *kernel, struct engine_check *check,
	char *why, size_t length)
{
	struct report_document *document;
	const struct report_node *root, *node;
	int err = report_read_file(path, &document, why, length);

	if (err)
		return err;
	memset(check, 0, sizeof(*check));
	root = report_read_root(document);
	node = report_read_find(root, "report/result/self_check");
	if (strcmp(root->name, "memtrace") || !node)
		err = refuse(-EBADMSG, why, length, "%s: is not a report of memtrace selfcheck -f", path);
	for (node = err ? NULL : report_read_find(node, "check"); node && !err; node = report_read_next(node)) {
		if (strcmp(report_read_text(node, "sampling_engine"), engine) || check->count == ENGINE_CHECK_PATTERNS)
			continue;
		if (!add_row(node, check))
			err = refuse(-EBADMSG, why, length, "%s:%u: the check lacks its numbers", path, node->line);
	}
	if (!err) {
		copy(check->date, sizeof(check->date), report_read_text(root, "report/signature/wall_start"), false);
		copy(check->model, sizeof(check->model), report_read_text(root, "report/machine_info/modelname"), false);
		copy(check->kernel, sizeof(check->kernel), report_read_text(root, "report/signature/host/release"), false);
		if (strcmp(check->model, model) || strcmp(check->kernel, kernel))
			err = refuse(-EXDEV, why, length,
				"%s: was made on another machine (%s, %s; this is %s, %s); repeat selfcheck here", path,
				check->model, check->kernel, model, kernel);
	}
	if (!err && !check->count)
		err = refuse(-ENOENT, why, length, "%s: has no check of engine %s; make one with memtrace selfcheck -e %s -f FILE",
			path, engine, engine);
	report_read_free(document);
	return err;
}

/* --- a header --- */

static void put_number(FILE *out, double value)
{
	if (isnan(value))
		fputs(" -", out);
	else
		fprintf(out, " %.6g", value);
}

void engine_check_write(const struct engine_check *check, FILE *header)
{
	fprintf(header, "selfcheck\t%s\nselfcheck_machine\t%s\nselfcheck_kernel\t%s\n", check->date, check->model, check->kernel);
	for (size_t i = 0; i < check->count; i++) {
		fprintf(header, "selfcheck_%zu\t%s", i, check->patterns[i]);
		for (size_t j = 0; j < NUMBERS; j++)
			put_number(header, number_of(&check->rows[i], j));
		for (size_t j = 0; j < check->rows[i].rank_group.count; j++) {
			fprintf(header, " %llu", (unsigned long long)check->groups[i][j].last_rank);
			put_number(header, check->groups[i][j].bias);
		}
		fputc('\n', header);
	}
}

/* False: there is no such number. */
static bool take_number(char **rest, double *value)
{
	const char *word = strtok_r(*rest, " ", rest);

	*value = NAN;
	return word && (!strcmp(word, "-") || !units_parse_double(word, -1e300, 1e300, value));
}

static bool take_row(const char *line, struct engine_check *check)
{
	char words[LINE_MAX_BYTES], *rest = words;
	struct mt_engine_check_values *row = &check->rows[check->count];
	struct mt_rank_group_values *groups = check->groups[check->count];
	const char *word;
	size_t count = 0;
	uint64_t last = 0;
	double number;

	if (strlen(line) >= sizeof(words))
		return false;
	memcpy(words, line, strlen(line) + 1);
	word = strtok_r(rest, " ", &rest);
	if (!word)
		return false;
	copy(check->patterns[check->count], sizeof(check->patterns[0]), word, true);
	for (size_t i = 0; i < NUMBERS; i++) {
		if (!take_number(&rest, &number))
			return false;
		memcpy((char *)row + numbers[i].offset, &number, sizeof(number));
	}
	for (; (word = strtok_r(rest, " ", &rest)) && count < QUALITY_GROUPS; count++) {
		groups[count].first_rank = last + 1;
		if (units_parse_u64(word, last + 1, UINT64_MAX - 1, &last) || !take_number(&rest, &groups[count].bias))
			return false;
		groups[count].last_rank = last;
	}
	row->pattern = check->patterns[check->count++];
	row->rank_group = FIELD_MANY(groups, count);
	return !word;
}

int engine_check_of(const struct trace_reader *reader, struct engine_check *check)
{
	const char *const texts[] = {trace_header(reader, "selfcheck"), trace_header(reader, "selfcheck_machine"),
		trace_header(reader, "selfcheck_kernel")};
	const char *line = "";

	memset(check, 0, sizeof(*check));
	if (!texts[0] || !texts[1] || !texts[2])
		return -ENOENT;
	copy(check->date, sizeof(check->date), texts[0], false);
	copy(check->model, sizeof(check->model), texts[1], false);
	copy(check->kernel, sizeof(check->kernel), texts[2], false);
	while (check->count < ENGINE_CHECK_PATTERNS && line) {
		char name[32];

		snprintf(name, sizeof(name), "selfcheck_%zu", check->count);
		line = trace_header(reader, name);
		if (line && !take_row(line, check))
			return -ENOENT;
	}
	return check->count ? 0 : -ENOENT;
}

/* --- what is printed --- */

void engine_check_line(const struct engine_check *check, size_t index, char text[ENGINE_CHECK_TEXT])
{
	const struct mt_engine_check_values *row = &check->rows[index];
	const struct mt_rank_group_values *groups = row->rank_group.rows;
	FILE *out = fmemopen(text, ENGINE_CHECK_TEXT, "w");

	text[0] = '\0';
	if (!out)
		return;
	fprintf(out, "%s:", row->pattern);
	for (size_t i = 0; i < NUMBERS; i++) {
		double value = number_of(row, i);

		if (!isnan(value))
			fprintf(out, "%s %s %.3g", i ? "," : "", numbers[i].text, value);
	}
	for (size_t i = 0, shown = 0; i < row->rank_group.count; i++) {
		if (!isnan(groups[i].bias))
			fprintf(out, "%s to %llu %.2g", shown++ ? "," : "; bias of ranks", (unsigned long long)groups[i].last_rank,
				groups[i].bias);
	}
	fclose(out);
	text[ENGINE_CHECK_TEXT - 1] = '\0';
}

void engine_check_json(const struct engine_check *check, struct json *json)
{
	json_begin(json, "selfcheck", '{');
	json_text(json, "date", check->date);
	json_text(json, "machine", check->model);
	json_text(json, "kernel", check->kernel);
	json_begin(json, "checks", '[');
	for (size_t i = 0; i < check->count; i++) {
		const struct mt_rank_group_values *groups = check->rows[i].rank_group.rows;

		json_begin(json, NULL, '{');
		json_text(json, "pattern", check->rows[i].pattern);
		for (size_t j = 0; j < NUMBERS; j++)
			json_number(json, numbers[j].name, number_of(&check->rows[i], j));
		json_begin(json, "bias", '[');
		for (size_t j = 0; j < check->rows[i].rank_group.count; j++) {
			json_begin_flat(json, NULL, '{');
			json_whole(json, "last_rank", groups[j].last_rank);
			json_number(json, "bias", groups[j].bias);
			json_end(json, '}');
		}
		json_end(json, ']');
		json_end(json, '}');
	}
	json_end(json, ']');
	json_end(json, '}');
}
