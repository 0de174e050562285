/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A report below the source tree, loaded; and a word of it. */
#ifndef TESTS_UNIT_LOAD_H
#define TESTS_UNIT_LOAD_H

#include <string.h>
#include "memstor/loaded/loaded.h"
#include "tests/unit/unit.h"

static inline struct loaded *load(const char *path, unsigned flags)
{
	struct loaded *loaded = NULL;
	char full[512];

	snprintf(full, sizeof(full), "%s/%s", unit_srcdir(), path);
	assert_int_equal(loaded_read(full, flags, &loaded), 0);
	assert_string_equal(loaded->path, full);
	return loaded;
}

static inline const char *text_in(const struct loaded_text *texts, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++) {
		if (strcmp(texts[i].name, name) == 0)
			return texts[i].value;
	}
	return NULL;
}

#endif
