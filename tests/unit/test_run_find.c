/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "tests/unit/unit.h"
#include <limits.h>
#include <sys/stat.h>
#include "common/find.h"
#include "memstor/run/run.h"

TEST("only the tools' exact names are programs")
{
	char names[64];

	assert_string_equal(run_program((const char *const[]){"pmbench", NULL})->name, "pmbench");
	assert_null(run_program((const char *const[]){"pmbenc", NULL}));
	assert_null(run_program((const char *const[]){"./pmbench", NULL}));
	run_program_names(names, sizeof(names));
	assert_non_null(strstr(names, "pmbench"));
	run_program_names(names, 4);
	assert_true(strlen(names) < 4);
}

TEST("options that memstor sets itself are reserved")
{
	static const struct {
		const char *word, *option;
	} cases[] = {
		{"-f", "-f"}, {"-fx", "-f"}, {"--file", "--file"}, {"--file=x", "--file"}, {"--fi", "--file"},
		{"--json=-", "--json"}, {"--j", "--json"}, {"--dry-run", "--dry-run"}, {"-?", "-?"}, {"--", "--"},
		{"--version", "--version"}, {"-V", "-V"}, {"-qf/path", "-f"}, {"-qfx", "-f"}, {"-iczf", "-f"}, {"-qV", "-V"},
		{"-p", NULL}, {"--files", NULL}, {"--jobs=2", NULL}, {"-", NULL}, {"", NULL}, {"uniform", NULL}, {"file", NULL},
		{"--label", NULL}, {"--replay=x", NULL}, {"--force", NULL}, {"--fault-trace", NULL}, {"-1", NULL}, {"---", NULL},
		{"-pfile", NULL}, {"-qpf", NULL}, {"-tVf", NULL}, {"-qi", NULL},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *option = run_program_reserves(run_program((const char *const[]){"pmbench", NULL}), cases[i].word);

		if (cases[i].option)
			assert_string_equal(option, cases[i].option);
		else
			assert_null(option);
	}
}

TEST("a result that a step may write is one word")
{
	const struct run_program *ssd = run_program((const char *const[]){"ssd-workloads", "run", NULL});
	const struct run_program *writes = run_program((const char *const[]){"iowrite-bench", "run", NULL});

	assert_null(run_program_reserves(ssd, "--dump=records.rec"));
	assert_string_equal(run_program_reserves(ssd, "--dump=/etc/passwd"), "--dump");
	assert_string_equal(run_program_reserves(ssd, "--dum=records.rec"), "--dump");
	assert_string_equal(run_program_reserves(ssd, "--dump"), "--dump");
	assert_null(run_program_reserves(writes, "--ops-csv=ops.csv"));
	assert_string_equal(run_program_reserves(writes, "--ops-csv=../ops.csv"), "--ops-csv");
	assert_string_equal(run_program_reserves(writes, "--ops"), "--ops-csv");
}

/* What others could have put into a folder of PATH. */
TEST("root starts only programs of root")
{
	char folder[] = "/tmp/test_run_find.XXXXXX", path[PATH_MAX], file[64], *before = getenv("PATH");
	FILE *out;

	if (geteuid())
		skip();
	before = before ? strdup(before) : NULL;
	assert_non_null(mkdtemp(folder));
	snprintf(file, sizeof(file), "%s/tool", folder);
	out = fopen(file, "w");
	assert_non_null(out);
	fclose(out);
	assert_int_equal(chmod(file, 0755), 0);
	setenv("PATH", folder, 1);
	assert_int_equal(find_in_path("tool", path, sizeof(path)), 0);
	assert_int_equal(chmod(file, 0757), 0);
	assert_int_equal(find_in_path("tool", path, sizeof(path)), -ENOENT);
	assert_int_equal(chmod(file, 0755), 0);
	assert_int_equal(chmod(folder, 0775), 0);
	assert_int_equal(find_in_path("tool", path, sizeof(path)), -ENOENT);
	assert_int_equal(chmod(folder, 0755), 0);
	if (!chown(file, 65534, 65534)) {
		assert_int_equal(find_in_path("tool", path, sizeof(path)), -ENOENT);
		assert_int_equal(find_of_owner(file, 65534), 0);
		assert_int_equal(chown(file, 0, 0), 0);
		assert_int_equal(chown(folder, 65534, 65534), 0);
		assert_int_equal(find_in_path("tool", path, sizeof(path)), -ENOENT);
	}
	setenv("PATH", before, 1);
	free(before);
	unlink(file);
	rmdir(folder);
}

TEST("a program is found in PATH")
{
	char folder[] = "/tmp/test_run_find.XXXXXX", variable[128], path[PATH_MAX], file[64];
	const char *before = getenv("PATH");
	FILE *out;

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
	assert_int_equal(find_in_path("tool", path, sizeof(path)), -ENOENT);
	chmod(file, 0755);
	assert_int_equal(find_in_path("tool", path, sizeof(path)), 0);
	assert_string_equal(path, file);
	assert_int_equal(find_in_path("tool", path, strlen(file)), -ENOENT);
	assert_int_equal(find_in_path(".", path, sizeof(path)), -ENOENT);
	assert_int_equal(chdir(folder), 0);
	setenv("PATH", ":/nowhere", 1);
	assert_int_equal(run_find("tool", path, sizeof(path)), 0);
	assert_string_equal(path, "./tool");
	unsetenv("PATH");
	assert_int_equal(find_in_path("tool", path, sizeof(path)), -ENOENT);
	if (before)
		setenv("PATH", before, 1);
	free((char *)before);
	assert_int_equal(chdir("/"), 0);
	unlink(file);
	rmdir(folder);
}
