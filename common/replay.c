/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "common/replay.h"

#include <errno.h>
#include <string.h>

#include "common/diag.h"
#include "common/report_read.h"

#define OPTIONS_MAX 512

int replay_add(struct opt_line *line, const char *path, const char *name, const char *value)
{
	const struct opt *row = opt_row(line->rows, name);

	if (!row)
		return -EINVAL;
	return row->flags & OPT_UNREPORTED ? 0 : opt_add(line, row, value, OPT_BY_REPORT, path);
}

static int take_ours(const struct report_node *signature, const struct report_node *options, struct opt_line *line,
	const char *path)
{
	const struct report_node *seed = report_read_find(signature, "seed");
	bool has_seed = false;
	unsigned count = 0;
	int rc = 0;

	for (const struct report_node *node = report_read_find(options, "option"); node && !rc; node = report_read_next(node)) {
		const char *name = report_read_attribute(node, "name");

		if (!name)
			continue;
		if (count++ == OPTIONS_MAX) {
			diag_error(0, "%s: more than %d options", path, OPTIONS_MAX);
			return -EALREADY;
		}
		rc = replay_add(line, path, name, node->text);
		if (rc == -EINVAL) {
			diag_error(0, "%s: --%s: this version has no such option", path, name);
			return -EALREADY;
		}
		has_seed = has_seed || !strcmp(name, "seed");
	}
	if (!rc && seed && !has_seed && opt_row(line->rows, "seed"))
		rc = replay_add(line, path, "seed", seed->text);
	return rc;
}

/* argv[0] is the program or its subcommand. */
static bool is_of_command(const struct report_node *signature, const char *command)
{
	const struct report_node *argument = report_read_find(signature, "command/argument");

	for (int i = 0; i < 2 && argument; i++, argument = report_read_next(argument)) {
		if (!strcmp(argument->text, command))
			return true;
	}
	return false;
}

static int take(const struct replay *replay, const char *path, const struct report_node *root, struct opt_line *line)
{
	const struct report_node *signature = report_read_find(root, "report/signature");
	const struct report_node *options = signature ? report_read_find(signature, "options") : NULL;
	int rc = -EINVAL;

	if (signature && !strcmp(root->name, replay->root)) {
		if (options && (!replay->command || is_of_command(signature, replay->command)))
			rc = take_ours(signature, options, line, path);
		else if (!options && replay->take_other)
			rc = replay->take_other(signature, line, path);
	}
	if (rc == -EINVAL)
		diag_error(0, "%s: not a report of this command: it has no options to repeat", path);
	else if (rc && rc != -EALREADY)
		diag_error(rc, "%s", path);
	return rc ? DIAG_EXIT_USAGE : DIAG_EXIT_OK;
}

/* Paths, and what writes a file or makes swap, are used because they were typed, not because a report says so. */
static bool must_be_typed(const struct opt *row, const char *text)
{
	if (row->must_be_typed)
		return row->must_be_typed(text);
	return row->flags & OPT_TYPED_ONLY && (!row->preset || strcmp(text, row->preset) != 0);
}

static int check_typed(const struct opt_line *line, const char *path)
{
	for (size_t i = 0; i < line->count; i++) {
		const struct opt_given *given = &line->given[i];

		if (given->source != OPT_BY_REPORT || !must_be_typed(given->row, given->text))
			continue;
		diag_error(0, "%s: --%s %s: is not taken from a report; give it, or another one, on the command line", path,
			given->row->name, given->text);
		return DIAG_EXIT_USAGE;
	}
	return DIAG_EXIT_OK;
}

static void say_taken(const struct opt_line *line, const char *path)
{
	char text[768] = " no option";
	size_t used = 0;

	for (size_t i = 0; i < line->count && used < sizeof(text); i++) {
		if (line->given[i].source == OPT_BY_REPORT)
			used += (size_t)snprintf(text + used, sizeof(text) - used, " %s=%s", line->given[i].row->name,
				line->given[i].text);
	}
	diag_info("--replay %s: takes%s", path, text);
}

int replay_take(const struct replay *replay, const char *path, struct opt_line *line)
{
	struct report_document *document = NULL;
	char why[256];
	int code;

	if (report_read_file(path, &document, why, sizeof(why))) {
		diag_error(0, "--replay %s", why);
		return DIAG_EXIT_USAGE;
	}
	code = take(replay, path, report_read_root(document), line);
	report_read_free(document);
	if (!code) {
		opt_drop_replaced(line);
		code = check_typed(line, path);
	}
	if (!code)
		say_taken(line, path);
	return code;
}
