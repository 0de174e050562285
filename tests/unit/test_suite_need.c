/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "tests/unit/unit.h"
#include "common/units.h"
#include "memstor/suite/need.h"

static char why[512];

/* Against the machine of a fixture. */
static int check(const char *text, const char *fixture, const char *folder)
{
	struct suite_need need;
	char root[512] = "";
	struct suite_host host = {root, folder};

	if (fixture)
		snprintf(root, sizeof(root), "%s/tests/fixtures/sysroot-%s", unit_srcdir(), fixture);
	assert_int_equal(suite_need_parse(text, &need, why, sizeof(why)), 0);
	assert_string_equal(need.text, text);
	snprintf(why, sizeof(why), "untouched");
	return suite_need_check(&need, &host, why, sizeof(why));
}

static void absent(const char *text, const char *fixture, const char *reason)
{
	assert_int_equal(check(text, fixture, "/"), -ENOTSUP);
	assert_string_equal(why, reason);
}

static void present(const char *text, const char *fixture)
{
	assert_int_equal(check(text, fixture, "/"), 0);
	assert_string_equal(why, "untouched");
}

TEST("root is available to root only")
{
	if (geteuid())
		absent("root", NULL, "needs root");
	else
		present("root", NULL);
}

TEST("swap, memory, zram, nodes and huge pages are checked")
{
	present("swap", "zram");
	absent("swap", "noswap", "needs swap: no area");
	present("memory:5G", "1socket");
	absent("memory:6.1G", "1socket", "needs 6.1 GiB of memory, 6 GiB are available");
	/* Less than what is available is what a limit leaves. */
	assert_int_equal(check("memory:5G", "cgroup2", "/"), -ENOTSUP);
	absent("zram", "noswap", "needs zram: neither in this kernel nor a module");
	present("nodes:2", "2nodes");
	absent("nodes:3", "2nodes", "needs 3 NUMA nodes, there are 2");
	present("hugetlb", "1socket");
	present("hugetlb:3", "1socket");
	absent("hugetlb:4", "1socket", "needs 4 huge pages, 3 are free: sysctl vm.nr_hugepages=N");
}

TEST("free space is checked where the results go")
{
	present("space:1", NULL);
	assert_int_equal(check("space:15000P", NULL, "/"), -ENOTSUP);
	assert_non_null(strstr(why, "needs 14.6 EiB of space where the results go, "));
	assert_int_equal(check("space:1", NULL, "/no/such/folder"), -ENOTSUP);
	assert_string_equal(why, "needs space: /no/such/folder: No such file or directory");
}

TEST("CPUs and programs are checked on this machine")
{
	present("cpus:1", NULL);
	assert_int_equal(check("cpus:65536", NULL, "/"), -ENOTSUP);
	assert_non_null(strstr(why, "needs 65536 CPUs, there are "));
	present("program:sh", NULL);
	absent("program:no-such-program-here", NULL, "needs the program no-such-program-here, which is not in PATH");
	present("program:/bin/sh", NULL);
	absent("program:/no/such/program", NULL, "needs /no/such/program, which does not exist");
}

TEST("malformed needs are refused")
{
	static const char *const texts[] = {"", ":", "Root", "rootx", "root:", "space", "space:", "space:-1", "cpus", "cpus:0",
		"hugetlb:", "hugetlb:0", "program:", "program:a/b", "io_uring:1"};
	struct suite_need need;

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		snprintf(why, sizeof(why), "untouched");
		if (suite_need_parse(texts[i], &need, why, sizeof(why)) != -EINVAL || !strcmp(why, "untouched"))
			fail_msg("needs '%s' is accepted, or refused without a reason", texts[i]);
	}
}

TEST("amounts are parsed with their units")
{
	struct suite_need need;

	assert_int_equal(suite_need_parse("space:1.5G", &need, why, sizeof(why)), 0);
	assert_true(need.amount == 3 * UNITS_GIB / 2);
	assert_int_equal(suite_need_parse("hugetlb", &need, why, sizeof(why)), 0);
	assert_true(need.amount == 1);
	assert_int_equal(suite_need_parse("hugetlb:12", &need, why, sizeof(why)), 0);
	assert_true(need.amount == 12);
}
