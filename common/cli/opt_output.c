/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "common/cli/opt.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "common/base/diag.h"
#include "common/report/report.h"
#include "common/report/report_file.h"

static const char *title_of(const struct opt *row, char title[64])
{
	if (row->letter)
		snprintf(title, 64, "-%c", row->letter);
	else
		snprintf(title, 64, "--%s", row->name);
	return title;
}

static const char *path_of(const struct opt_line *line, const struct opt *row)
{
	const char *path = row->flags & OPT_OUTPUT ? opt_text(line, row->name) : NULL;
	bool is_derived = path && !*path && row->bare && !*row->bare; /* the command makes up the name */

	return is_derived ? NULL : path;
}

static int claim(struct opt_line *line, const struct opt *row, const char *path)
{
	int lock, *grown = reallocarray(line->claims, line->claim_count + 1, sizeof(*grown)), err = grown ? 0 : -ENOMEM;
	char title[64], other[64];

	if (grown)
		line->claims = grown;
	for (const struct opt *before = line->rows; before != row; before++) {
		const char *taken = path_of(line, before);

		if (report_is_same_file(path, taken))
			return diag_usage("%s and %s: both would write %s; give them two names", title_of(before, other),
				title_of(row, title), opt_is_stdout(taken) ? "stdout" : taken);
	}
	if (!err) {
		err = report_claim(path, row->begins, &lock);
		if (lock >= 0)
			line->claims[line->claim_count++] = lock;
	}
	if (!err)
		return DIAG_EXIT_OK;
	diag_error(0, "%s %s: cannot be written: %s", title_of(row, title), *path ? path : "''", report_output_error(err));
	return err == -EEXIST ? DIAG_EXIT_USAGE : DIAG_EXIT_HOST;
}

int opt_claim_outputs(struct opt_line *line)
{
	int code = DIAG_EXIT_OK;

	for (const struct opt *row = line->rows; row->type != OPT_END && !code; row++) {
		const char *path = path_of(line, row);

		code = path ? claim(line, row, path) : DIAG_EXIT_OK;
	}
	return code;
}

void opt_release_outputs(struct opt_line *line)
{
	while (line->claim_count)
		close(line->claims[--line->claim_count]);
	free(line->claims);
	line->claims = NULL;
}
