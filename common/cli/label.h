/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Labels that the user adds to a report: --label NAME=VALUE, the same in every tool. */
#ifndef COMMON_CLI_LABEL_H
#define COMMON_CLI_LABEL_H

#include <stddef.h>

#include "common/report/report_common.h"

#define LABEL_MAX 32 /* of a report */
/* The message about a malformed label, as a constant for tables. */
#define LABEL_FORM \
	"must be NAME=VALUE: a name of 1 to 64 letters, digits or _.-, up to 500 printable bytes, no blank at either end"

struct label_list {
	size_t count;
	struct named_text_values list[LABEL_MAX]; /* the names are owned, and with each its value */
};

/* Checks the form NAME=VALUE. Returns 0, or -EINVAL and *why (static text). */
int label_check(const char *text, const char **why);
/* Adds a copy. Errors as for label_check; also -ERANGE when there are LABEL_MAX already, and -ENOMEM, with *why as well. */
int label_add(struct label_list *labels, const char *text, const char **why);
/* Adds the value of an option (common/cli/opt.h) whose field is a list. */
struct opt_value;
int label_set(struct opt_value *in);
void label_free(struct label_list *labels);

#endif
