/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "tests/unit/unit.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "memstor/run/find.h"

static void rows(void **state)
{
	char names[64];

	(void)state;
	assert_string_equal(run_program((const char *const[]){"pmbench", NULL})->name, "pmbench");
	assert_null(run_program((const char *const[]){"pmbenc", NULL}));
	assert_null(run_program((const char *const[]){"./pmbench", NULL}));
	run_program_names(names, sizeof(names));
	assert_non_null(strstr(names, "pmbench"));
	run_program_names(names, 4);
	assert_true(strlen(names) < 4);
}

static void reserved(void **state)
{
	static const struct {
		const char *word, *option;
	} cases[] = {
		{"-f", "-f"}, {"-fx", "-f"}, {"--file", "--file"}, {"--file=x", "--file"}, {"--fi", "--file"},
		{"--json=-", "--json"}, {"--j", "--json"}, {"--dry-run", "--dry-run"}, {"-?", "-?"}, {"--", "--"},
		{"--version", "--version"}, {"-V", "-V"},
		{"-p", NULL}, {"--files", NULL}, {"--jobs=2", NULL}, {"-", NULL}, {"", NULL}, {"uniform", NULL}, {"file", NULL},
		{"--label", NULL}, {"--replay=x", NULL}, {"--force", NULL}, {"--fault-trace", NULL}, {"-1", NULL}, {"---", NULL},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *option = run_program_reserves(run_program((const char *const[]){"pmbench", NULL}), cases[i].word);

		if (cases[i].option)
			assert_string_equal(option, cases[i].option);
		else
			assert_null(option);
	}
}

static void in_path(void **state)
{
	char folder[] = "/tmp/test_run_find.XXXXXX", variable[128], path[PATH_MAX], file[64];
	const char *before = getenv("PATH");
	FILE *out;

	(void)state;
	assert_non_null(mkdtemp(folder));
	snprintf(file, sizeof(file), "%s/tool", folder);
	out = fopen(file, "w");
	assert_non_null(out);
	fclose(out);
	snprintf(variable, sizeof(variable), "/nowhere:%s", folder);
	before = before ? strdup(before) : NULL;
	setenv("PATH", variable, 1);
	chmod(file, 0644);
	/* Root may execute what nobody can only when one may. */
	assert_int_equal(run_find_in_path("tool", path, sizeof(path)), -ENOENT);
	chmod(file, 0755);
	assert_int_equal(run_find_in_path("tool", path, sizeof(path)), 0);
	assert_string_equal(path, file);
	assert_int_equal(run_find_in_path("tool", path, strlen(file)), -ENOENT);
	assert_int_equal(run_find_in_path(".", path, sizeof(path)), -ENOENT);
	assert_int_equal(chdir(folder), 0);
	setenv("PATH", ":/nowhere", 1);
	assert_int_equal(run_find("tool", path, sizeof(path)), 0);
	assert_string_equal(path, "./tool");
	unsetenv("PATH");
	assert_int_equal(run_find_in_path("tool", path, sizeof(path)), -ENOENT);
	if (before)
		setenv("PATH", before, 1);
	free((char *)before);
	assert_int_equal(chdir("/"), 0);
	unlink(file);
	rmdir(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows),
		cmocka_unit_test(reserved),
		cmocka_unit_test(in_path),
	};

	return cmocka_run_group_tests_name("run_find", tests, NULL, NULL);
}
