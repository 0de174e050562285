/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "tests/unit/unit.h"
#include <dirent.h>
#include <locale.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include "common/report/report.h"
#include "common/report/report_read.h"

struct place {
	char folder[64], path[128];
};

static int make_place(void **state)
{
	struct place *place = calloc(1, sizeof(*place));

	snprintf(place->folder, sizeof(place->folder), "/tmp/test_report.XXXXXX");
	if (!mkdtemp(place->folder))
		return -1;
	snprintf(place->path, sizeof(place->path), "%s/report.xml", place->folder);
	*state = place;
	return 0;
}

static int remove_place(void **state)
{
	struct place *place = *state;

	unlink(place->path);
	assert_int_equal(rmdir(place->folder), 0); /* nothing may be left behind */
	free(place);
	return 0;
}

static char *slurp(const char *path)
{
	char *text = calloc(1, 1 << 16);
	FILE *file = fopen(path, "r");

	assert_non_null(file);
	assert_true(fread(text, 1, (1 << 16) - 1, file) > 0);
	fclose(file);
	return text;
}

static unsigned files_in(const char *folder)
{
	DIR *dir = opendir(folder);
	unsigned count = 0;

	while (readdir(dir))
		count++;
	closedir(dir);
	return count - 2;
}

static void put_number(struct report *report, const char *element, double value)
{
	char text[REPORT_NUMBER];

	report_text(report, element, report_format(report, value, REPORT_SHORTEST, text));
}

static struct report *awkward(void)
{
	struct report *report;

	assert_int_equal(report_new("pmbenchmark", &report), 0);
	report_begin(report, "item");
	report_attribute(report, "name", "a<b&\"c\"\n\x01\xff");
	report_attribute(report, "count", "18446744073709551615");
	report_text(report, "text", "x\x1f y\xc3\xa9\xed\xa0\x80\xc0\xaf\xf0\x9f\x90\xa7 \xe2\x82]]>&amp;");
	put_number(report, "tenth", 0.1);
	put_number(report, "third", 1.0 / 3);
	put_number(report, "huge", 1e308);
	report_begin(report, "empty");
	report_end(report);
	report_end(report);
	return report;
}

static const char expected[] =
	"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
	"<pmbenchmark>\n"
	"  <item name=\"a&lt;b&amp;&quot;c&quot;&#10;??\" count=\"18446744073709551615\">\n"
	"    <text>x? y\xc3\xa9?????\xf0\x9f\x90\xa7 ??]]&gt;&amp;amp;</text>\n"
	"    <tenth>0.1</tenth>\n"
	"    <third>0.3333333333333333</third>\n"
	"    <huge>1e+308</huge>\n"
	"    <empty/>\n"
	"  </item>\n"
	"</pmbenchmark>\n";

TEST_WITH("text is reduced to what XML allows", make_place, remove_place)
{
	struct place *place = *state;
	struct report *report = awkward();
	char *text;

	assert_int_equal(report_write_xml(report, place->path), 0);
	report_free(report);
	text = slurp(place->path);
	assert_string_equal(text, expected);
	free(text);
	assert_int_equal(files_in(place->folder), 1);
}

TEST_WITH("real numbers are read back exactly", make_place, remove_place)
{
	static const double values[] = {0.1, 1.0 / 3, 5e-324, 1.7976931348623157e308, 123456789.123456789,
		-0.0, 2.2250738585072011e-308, 1e23};
	struct place *place = *state;

	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		struct report_document *document;
		struct report *report;
		char why[256];

		assert_int_equal(report_new("r", &report), 0);
		put_number(report, "v", values[i]);
		assert_int_equal(report_write_xml(report, place->path), 0);
		report_free(report);
		assert_int_equal(report_read_file(place->path, &document, why, sizeof(why)), 0);
		assert_true(
			strtod(report_read_find(report_read_root(document), "v")->text, NULL) == values[i]);
		report_read_free(document);
	}
}

TEST_WITH("the locale does not change numbers", make_place, remove_place)
{
	struct place *place = *state;
	struct report *report;
	char *text;

	/* Those with a decimal comma; a machine without any stays in its own. */
	if (!setlocale(LC_ALL, "de_DE.UTF-8") && !setlocale(LC_ALL, "fr_FR.UTF-8"))
		setlocale(LC_ALL, "");
	report = awkward();
	assert_int_equal(report_write_xml(report, place->path), 0);
	report_free(report);
	setlocale(LC_ALL, "C");
	text = slurp(place->path);
	assert_string_equal(text, expected);
	free(text);
}

TEST_WITH("long texts are cut", make_place, remove_place)
{
	struct place *place = *state;
	char *text = malloc(REPORT_TEXT_MAX * 2);
	struct report_document *document;
	const char *read;
	struct report *report;
	char why[256];

	memset(text, '&', REPORT_TEXT_MAX * 2 - 1);
	text[REPORT_TEXT_MAX * 2 - 1] = '\0';
	assert_int_equal(report_new("r", &report), 0);
	report_text(report, "t", text);
	free(text);
	assert_int_equal(report_write_xml(report, place->path), 0);
	report_free(report);
	assert_int_equal(report_read_file(place->path, &document, why, sizeof(why)), 0);
	read = report_read_find(report_read_root(document), "t")->text;
	assert_int_equal(strlen(read), REPORT_TEXT_MAX);
	assert_string_equal(read + REPORT_TEXT_MAX - 4, "&...");
	report_read_free(document);
}

TEST_WITH("a file is replaced, and a link to it refused", make_place, remove_place)
{
	struct place *place = *state;
	char link[128];
	struct report *report = awkward();
	FILE *old = fopen(place->path, "w");
	char *text;

	fputs("old", old);
	fclose(old);
	snprintf(link, sizeof(link), "%s/link", place->folder);
	assert_int_equal(symlink("report.xml", link), 0);
	assert_int_equal(report_write_xml(report, link), -ELOOP);
	text = slurp(place->path);
	assert_string_equal(text, "old");
	free(text);
	assert_int_equal(report_write_xml(report, place->path), 0);
	text = slurp(place->path);
	assert_string_equal(text, expected);
	free(text);
	report_free(report);
	unlink(link);
}

TEST_WITH("mode follows the umask", make_place, remove_place)
{
	struct place *place = *state;
	struct report *report = awkward();
	struct stat status;
	mode_t before = umask(027);

	assert_int_equal(report_write_xml(report, place->path), 0);
	umask(before);
	assert_int_equal(stat(place->path, &status), 0);
	assert_int_equal(status.st_mode & 07777, 0640);
	report_free(report);
}

TEST("devices are written to and not replaced")
{
	struct report *report = awkward();
	struct stat status;

	assert_int_equal(report_write_xml(report, "/dev/null"), 0);
	assert_int_equal(stat("/dev/null", &status), 0);
	assert_true(S_ISCHR(status.st_mode));
	assert_int_equal(report_write_xml(report, "/dev/full"), -ENOSPC);
	report_free(report);
}

TEST_WITH("a failed write leaves no file", make_place, remove_place)
{
	struct place *place = *state;
	struct report *report = awkward();
	char bad[160];

	snprintf(bad, sizeof(bad), "%s/none/report.xml", place->folder);
	assert_int_equal(report_write_xml(report, bad), -ENOENT);
	assert_int_equal(report_write_xml(report, place->folder), -EISDIR);
	assert_int_equal(files_in(place->folder), 0);
	report_free(report);
}

/* A disk that fills up, as far as a test can have one. */
TEST_WITH("an incomplete file does not get its name", make_place, remove_place)
{
	struct place *place = *state;
	struct report *report = awkward();
	struct rlimit before, small;
	FILE *old = fopen(place->path, "w");
	char *text;

	fputs("old", old);
	fclose(old);
	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &before);
	small = (struct rlimit){100, before.rlim_max};
	setrlimit(RLIMIT_FSIZE, &small);
	assert_int_equal(report_write_xml(report, place->path), -EFBIG);
	setrlimit(RLIMIT_FSIZE, &before);
	assert_int_equal(files_in(place->folder), 1);
	text = slurp(place->path);
	assert_string_equal(text, "old");
	free(text);
	report_free(report);
}

/* Whoever ends the document element himself has all of it as well. */
TEST_WITH("a document that the caller ended is complete", make_place, remove_place)
{
	static const char end[] = "</r>\n";
	struct report *report;
	const char *text;
	size_t size;

	assert_int_equal(report_new("r", &report), 0);
	for (int i = 0; i < 20000; i++)
		report_text(report, "i", "1");
	report_end(report);
	assert_int_equal(report_document(report, &text, &size), 0);
	assert_true(size > sizeof(end) && !strcmp(text + size - (sizeof(end) - 1), end));
	assert_int_equal(report_document(report, &text, &size), 0);
	assert_true(!strcmp(text + size - (sizeof(end) - 1), end));
	report_free(report);
}

TEST_WITH("misuse is an error of the report", make_place, remove_place)
{
	struct place *place = *state;
	struct report *report;

	assert_int_equal(report_new("r", &report), 0);
	report_begin(report, "open");
	assert_int_equal(report_write_xml(report, place->path), -EINVAL);
	report_end(report);
	assert_int_equal(report_write_xml(report, place->path), -EINVAL);
	assert_int_equal(files_in(place->folder), 0);
	report_free(report);
}

TEST_WITH("output paths are checked before a run", make_place, remove_place)
{
	struct place *place = *state;
	char path[160];

	assert_int_equal(report_check_path("-"), 0);
	assert_int_equal(report_check_path(place->path), 0);
	assert_int_equal(report_check_path("/dev/null"), 0);
	assert_int_equal(report_check_path(""), -ENOENT);
	assert_int_equal(report_check_path(place->folder), -EISDIR);
	snprintf(path, sizeof(path), "%s/none/r.xml", place->folder);
	assert_int_equal(report_check_path(path), -ENOENT);
	snprintf(path, sizeof(path), "%s/none/", place->folder);
	assert_int_equal(report_check_path(path), -EISDIR);
	assert_int_equal(report_check_path("/dev/null/r.xml"), -ENOTDIR);
	assert_int_equal(files_in(place->folder), 0);
}
