/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One set of columns as a table, JSON, CSV and Markdown. */
#include "config.h"
#include <sys/resource.h>
#include <sys/wait.h>
#include "common/cli/table.h"
#include "tests/unit/unit.h"

struct fruit {
	const char *name;
	double share;
	uint64_t count, bytes;
	bool is_ripe;
	const char *words[3];
};

static const struct fruit fruits[] = {
	{"apple", 0.25, 12, 16384, true, {"red", "round", NULL}},
	{"=cher,ry \"x\"", NAN, 18446744073709551615ull, 0, false, {NULL}},
	{"p\303\244r", INFINITY, 0, 1536, true, {"a|b", NULL}},
};

static void get_count(const void *row, struct table_cell *cell)
{
	cell->whole = ((const struct fruit *)row)->count;
	cell->is_absent = !cell->whole;
}

static void show_story(const void *row, char *text, size_t length)
{
	snprintf(text, length, "%s is a fruit that is long described\n\tfix: cut it with a knife that is sharp, then eat\033",
		((const struct fruit *)row)->name);
}

#define AT(member) .offset = offsetof(struct fruit, member)

static const struct table_column columns[] = {
	{"name", TABLE_STRING, TABLE_SHOWN | TABLE_JSON, AT(name)},
	{"share", TABLE_NUMBER, TABLE_SHOWN | TABLE_JSON | TABLE_RIGHT, AT(share)},
	{"count", TABLE_WHOLE, TABLE_JSON | TABLE_RIGHT, .get = get_count, .heading = "how many"},
	{"ripe", TABLE_TRUTH, TABLE_SHOWN | TABLE_JSON, AT(is_ripe)},
	{"size", TABLE_SIZE, TABLE_JSON | TABLE_RIGHT | TABLE_OMIT, AT(bytes)},
	{"words", TABLE_WORDS, TABLE_JSON, AT(words)},
	{"story", TABLE_STRING, TABLE_WRAP, .show = show_story},
	{0},
};

static char *text;
static size_t length;
static FILE *out;

static struct table fill(void)
{
	struct table table = {.columns = columns, .width = 60};

	for (size_t i = 0; i < sizeof(fruits) / sizeof(fruits[0]); i++)
		assert_int_equal(table_add(&table, &fruits[i], i ? "" : "\033[32m"), 0);
	out = open_memstream(&text, &length);
	assert_non_null(out);
	return table;
}

static void is(struct table *table, const char *wanted)
{
	assert_int_equal(fclose(out), 0);
	assert_string_equal(text, wanted);
	free(text);
	table_free(table);
}

/* It is a file: a small system has none, and where no file can be opened there is none either. In a process of its own,
 * before the others: the C library keeps what it found. */
TEST("a table is printed where there is no UTF-8 locale")
{
	pid_t child = fork();
	int status;

	assert_true(child >= 0);
	if (!child) {
		struct table table = fill();
		char why[TABLE_TEXT];

		table.width = 40;
		table.has_no_headings = true;
		if (table_choose(&table, "ripe,story,name", why, sizeof(why)) ||
			setrlimit(RLIMIT_NOFILE, &(struct rlimit){0}) || table_print_part(&table, 2, 3, true, out) || fclose(out))
			_exit(2);
		_exit(!!strcmp(text, "yes  p\\xc3\\xa4r is a fruit that is long           p\\xc3\\xa4r\n"
				     "     described\n"
				     "     fix: cut it with a knife that is sharp, then eat?\n"));
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

TEST("a table aligns its columns whatever the bytes of a cell")
{
	struct table table = fill();
	char why[TABLE_TEXT];

	assert_int_equal(table_choose(&table, "ripe,count,name", why, sizeof(why)), 0);
	table.coloured = 3;
	assert_int_equal(table_print(&table, out), 0);
	is(&table, "ripe              how many  name\n"
		   "\033[32myes\033[0m                     12  apple\n"
		   "no    18446744073709551615  =cher,ry \"x\"\n"
		   "yes                      -  p\303\244r\n");
}

TEST("sizes are printed with a unit, 0 as absent")
{
	struct table table = fill();
	char why[TABLE_TEXT];

	assert_int_equal(table_choose(&table, "size", why, sizeof(why)), 0);
	assert_int_equal(table_print(&table, out), 0);
	is(&table, "   size\n 16 KiB\n      -\n1.5 KiB\n");
}

TEST("text is wrapped and cleaned")
{
	struct table table = fill();
	char why[TABLE_TEXT];

	table.width = 40;
	table.has_no_headings = true;
	assert_int_equal(table_choose(&table, "ripe,story", why, sizeof(why)), 0);
	assert_int_equal(table_print_part(&table, 2, 3, true, out), 0);
	is(&table, "yes  p\303\244r is a fruit that is long\n"
		   "     described\n"
		   "     fix: cut it with a knife that is sharp, then eat?\n");
}

/* Parts have equal widths; headings where they are wanted, and their width everywhere. */
TEST("parts of a table have the widths of the whole")
{
	struct table table = fill();
	char why[TABLE_TEXT];

	table.indent = 2;
	assert_int_equal(table_choose(&table, "ripe,count", why, sizeof(why)), 0);
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(table_print_part(&table, i, i + 1, i == 1, out), 0);
	is(&table, "  yes                     12\n"
		   "  ripe              how many\n"
		   "  no    18446744073709551615\n"
		   "  yes                      -\n");
}

TEST("json has all columns or those chosen")
{
	struct table table = fill();
	struct json json = {.out = out};
	char why[TABLE_TEXT];

	table.rows++;
	table.count = 1;
	json_begin(&json, NULL, '{');
	table_print_json(&table, "fruits", &json);
	table.rows++;
	assert_int_equal(table_choose(&table, "count,words", why, sizeof(why)), 0);
	table_print_json(&table, "chosen", &json);
	json_end(&json, '}');
	table.rows -= 2;
	is(&table, "{\n"
		   "\t\"fruits\": [\n"
		   "\t\t{\n"
		   "\t\t\t\"name\": \"=cher,ry \\\"x\\\"\",\n"
		   "\t\t\t\"share\": null,\n"
		   "\t\t\t\"count\": 18446744073709551615,\n"
		   "\t\t\t\"ripe\": false,\n"
		   "\t\t\t\"words\": []\n"
		   "\t\t}\n"
		   "\t],\n"
		   "\t\"chosen\": [\n"
		   "\t\t{\n"
		   "\t\t\t\"words\": [\"a|b\"]\n"
		   "\t\t}\n"
		   "\t]\n"
		   "}\n");
}

TEST("unknown columns are refused")
{
	static const char *const wrong[] = {"", "nme", "names", "name,", ",name", "name,,ripe", "name ripe"};
	struct table table = {.columns = columns};
	char why[TABLE_TEXT];

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		assert_int_equal(table_choose(&table, wrong[i], why, sizeof(why)), -EINVAL);
		assert_string_equal(why, "must be columns with commas between: name, share, count, ripe, size, words, story");
	}
}
