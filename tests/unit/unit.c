/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The main of each group's program: runs the file that the program is called by, or else that its argument names. */
#include "tests/unit/unit.h"

#include <string.h>

static struct unit *units;

void unit_add(struct unit *unit)
{
	unit->next = units;
	units = unit;
}

/* DIR/NAME and DIR/NAME.c alike. */
static bool is_file(const char *path, const char *file)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;
	const char *base = strrchr(file, '/');

	base = base ? base + 1 : file;
	return strcspn(name, ".") == strcspn(base, ".") && !strncmp(name, base, strcspn(name, "."));
}

int main(int argc, char **argv)
{
	for (int i = 0; i < 2 && i < argc; i++)
		for (const struct unit *unit = units; unit; unit = unit->next)
			if (is_file(argv[i], unit->file))
				return unit->run();
	fprintf(stderr, "%s: usage: %s test_NAME, one of\n", argv[0], argv[0]);
	for (const struct unit *unit = units; unit; unit = unit->next)
		fprintf(stderr, "\t%s\n", unit->file);
	return 2;
}
