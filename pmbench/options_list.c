/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "pmbench/options_table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The most values that all rows together can write. */
#define LIST_MAX (64 + OPTIONS_PHASES + OPTIONS_AFFINITY + LABEL_MAX + PRESSURE_EATERS)

int options_list(const struct pmbench_options *options, struct report_option **list, size_t *count)
{
	size_t row_count, used = 0;
	const struct options_row *rows = options_table(&row_count);
	struct report_option *result = calloc(LIST_MAX, sizeof(*result));
	char value[OPTIONS_TEXT] = "";

	if (!result)
		return -ENOMEM;
	for (size_t i = 0; i < row_count; i++) {
		struct options_writing out = {&rows[i], options, 0, value, sizeof(value)};

		if (!rows[i].get || rows[i].flags & OPTIONS_COMMAND_ONLY)
			continue;
		for (; (!out.index || rows[i].flags & OPTIONS_REPEATS) && rows[i].get(&out); out.index++) {
			result[used].name = rows[i].name;
			result[used].value = strdup(value);
			if (!result[used++].value) {
				options_list_free(result, used);
				return -ENOMEM;
			}
		}
	}
	*list = result;
	*count = used;
	return 0;
}

void options_list_free(struct report_option *list, size_t count)
{
	for (size_t i = 0; i < count; i++)
		free((char *)list[i].value);
	free(list);
}
