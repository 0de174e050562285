/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The main of each group's program: runs the file that the program is called by, or else that its argument names. */
#include "tests/unit/unit.h"

#include <string.h>

static struct unit_test *tests, **last_test = &tests;
static struct unit_group *groups;

void unit_add_test(struct unit_test *test)
{
	*last_test = test;
	last_test = &test->next;
}

void unit_add_group(struct unit_group *group)
{
	group->next = groups;
	groups = group;
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

/* cmocka's own skip() prints "not ok", which the TAP driver takes for a failure. */
static int run_file(const char *path, size_t count)
{
	struct CMUnitTest *chosen = calloc(count, sizeof(*chosen));
	CMFixtureFunction set_up = NULL, tear_down = NULL;
	int failed;

	if (!chosen)
		return 2;
	for (const struct unit_group *group = groups; group; group = group->next) {
		const char *why;

		if (!is_file(path, group->file))
			continue;
		why = group->begin ? group->begin() : NULL;
		if (why) {
			printf("1..0 # SKIP %s\n", why);
			free(chosen);
			return 0;
		}
		set_up = group->set_up ? group->set_up : set_up;
		tear_down = group->tear_down ? group->tear_down : tear_down;
	}
	count = 0;
	for (const struct unit_test *test = tests; test; test = test->next)
		if (is_file(path, test->file))
			chosen[count++] = test->test;
	failed = _cmocka_run_group_tests("tests", chosen, count, set_up, tear_down);
	free(chosen);
	return failed;
}

int main(int argc, char **argv)
{
	const char *file = "";

	for (int i = 0; i < 2 && i < argc; i++) {
		size_t count = 0;

		for (const struct unit_test *test = tests; test; test = test->next)
			count += is_file(argv[i], test->file);
		if (count)
			return run_file(argv[i], count);
	}
	fprintf(stderr, "%s: usage: %s test_NAME, one of\n", argv[0], argv[0]);
	for (const struct unit_test *test = tests; test; test = test->next) {
		if (strcmp(test->file, file))
			fprintf(stderr, "\t%s\n", test->file);
		file = test->file;
	}
	return 2;
}
