/* SPDX-License-Identifier: GPL-3.0-or-later */
/* JSON by the rules of docs/report.md: one report is an object, several are an array; NDJSON is a line for each. */
#include "config.h"
#include "memstor/convert/convert.h"

#include "common/report_json.h"

static int check(struct convert *convert, const struct loaded *loaded)
{
	const struct report_node *root = report_read_root(loaded->document), *where;
	char reason[256];
	int err = report_json_check(root, loaded->is_newer, &where, reason, sizeof(reason));

	if (err)
		snprintf(convert->why, sizeof(convert->why), "%s:%u: %s", loaded->path, where->line, reason);
	return err;
}

static int begin_json(struct convert *convert)
{
	if (convert->total > 1)
		fputs_unlocked("[\n", convert->out);
	return 0;
}

static int add_json(struct convert *convert, const struct loaded *loaded)
{
	int err = check(convert, loaded);

	if (err)
		return err;
	if (convert->count)
		fputs_unlocked(",\n", convert->out);
	report_json_print(convert->out, report_read_root(loaded->document), false);
	return 0;
}

static int end_json(struct convert *convert)
{
	fputs_unlocked(convert->total > 1 ? "\n]\n" : "\n", convert->out);
	return 0;
}

static int add_line(struct convert *convert, const struct loaded *loaded)
{
	int err = check(convert, loaded);

	if (err)
		return err;
	report_json_print(convert->out, report_read_root(loaded->document), true);
	putc_unlocked('\n', convert->out);
	return 0;
}

const struct convert_format convert_json = {"json", begin_json, add_json, end_json};
const struct convert_format convert_ndjson = {"ndjson", NULL, add_line, NULL};
