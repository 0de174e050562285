/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "tests/unit/unit.h"
#include <dirent.h>
#include <sys/stat.h>
#include "common/report/report_file.h"
#include "tests/unit/golden.h"

static char folder[64];

static const char *path_of(const char *name)
{
	static char path[4][128];
	static unsigned turn;

	turn = (turn + 1) % 4;
	snprintf(path[turn], sizeof(path[turn]), "%s/%s", folder, name);
	return path[turn];
}

static int set_up(void **state)
{
	(void)state;
	snprintf(folder, sizeof(folder), "/tmp/test_output.XXXXXX");
	return mkdtemp(folder) ? 0 : -1;
}

static int tear_down(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf '%s'", folder);
	return system(command);
}

static unsigned files_in_folder(void)
{
	DIR *stream = opendir(folder);
	unsigned count = 0;
	struct dirent *entry;

	while ((entry = readdir(stream)))
		count += entry->d_name[0] != '.';
	closedir(stream);
	return count;
}

static void write_text(const char *path, const char *text, bool is_complete)
{
	struct report_output *output;

	assert_int_equal(report_output_open(path, &output), 0);
	fputs(text, report_output_stream(output));
	fflush(report_output_stream(output));
	assert_int_equal(report_output_close(output, is_complete), 0);
}

static void check_content(const char *path, const char *wanted)
{
	char *text = golden_read(path);

	assert_string_equal(text, wanted);
	free(text);
}

TEST("an output file gets its name when it is complete")
{
	struct report_output *output;
	struct stat status;
	mode_t mask = umask(027);

	assert_int_equal(report_output_open(path_of("a"), &output), 0);
	fputs("one", report_output_stream(output));
	fflush(report_output_stream(output));
	assert_int_equal(access(path_of("a"), F_OK), -1);
	assert_int_equal(report_output_close(output, true), 0);
	umask(mask);
	check_content(path_of("a"), "one");
	assert_int_equal(stat(path_of("a"), &status), 0);
	assert_int_equal(status.st_mode & 07777, 0640);
	write_text(path_of("a"), "two", true);
	check_content(path_of("a"), "two");
	assert_int_equal(files_in_folder(), 1);
}

TEST("an incomplete output leaves no file")
{
	unsigned before = files_in_folder();

	write_text(path_of("b"), "one", false);
	assert_int_equal(files_in_folder(), before);
	write_text(path_of("b"), "one", true);
	write_text(path_of("b"), "two", false);
	check_content(path_of("b"), "one");
	assert_int_equal(files_in_folder(), before + 1);
	assert_int_equal(report_output_close(NULL, true), 0);
}

TEST("links, named FIFOs and devices are refused")
{
	struct report_output *output;

	write_text(path_of("target"), "one", true);
	assert_int_equal(symlink("target", path_of("link")), 0);
	assert_int_equal(report_output_open(path_of("link"), &output), -ELOOP);
	check_content(path_of("target"), "one");
	assert_int_equal(mkfifo(path_of("pipe"), 0600), 0);
	assert_int_equal(report_output_open(path_of("pipe"), &output), -ESPIPE);
	assert_int_equal(report_output_open("/dev/zero", &output), -ENODEV);
}

TEST("an open pipe is written to directly")
{
	char got[8] = "", path[32];
	int ends[2];

	assert_int_equal(pipe(ends), 0);
	snprintf(path, sizeof(path), "/dev/fd/%d", ends[1]);
	write_text(path, "one", false);
	assert_int_equal(read(ends[0], got, sizeof(got) - 1), 3);
	assert_string_equal(got, "one");
	close(ends[0]);
	close(ends[1]);
}

TEST("content that is published early has its name and can be added to")
{
	struct report_output *output;

	assert_int_equal(report_output_open(path_of("early"), &output), 0);
	fputs("one", report_output_stream(output));
	assert_int_equal(report_output_publish(output), 0);
	check_content(path_of("early"), "one");
	fputs(", two", report_output_stream(output));
	assert_int_equal(report_output_close(output, false), 0);
	check_content(path_of("early"), "one, two");
}

TEST("a file is claimed once, until the claim ends")
{
	int first, second;

	assert_int_equal(report_claim(path_of("claimed"), "<?xml", &first), 0);
	assert_int_equal(report_claim(path_of("claimed"), "<?xml", &second), -EADDRINUSE);
	assert_int_equal(second, -1);
	assert_int_equal(report_claim(path_of("other"), NULL, &second), 0);
	close(second);
	close(first);
	assert_int_equal(report_claim(path_of("claimed"), "<?xml", &first), 0);
	close(first);
	assert_int_equal(report_claim("-", "<?xml", &first), 0);
	assert_int_equal(first, -1);
}

TEST("a file is replaced by content of its kind only")
{
	static const struct {
		const char *there, *begins;
		int error;
	} cases[] = {
		{"", "<?xml", 0}, {"<?xml version", "<?xml", 0}, {"<?x", "<?xml", -EEXIST}, {"memtrace..", "<?xml", -EEXIST},
		{"a,b\n", NULL, 0}, {"{", NULL, 0}, {"<?xml version='1.0'?><!DOCTYPE svg>", NULL, 0},
		{"<?xml version='1.0'?><pmbenchmark>", NULL, -EEXIST}, {"memtrace..", NULL, -EEXIST}, {"PERFILE2", NULL, -EEXIST},
	};
	int lock;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		FILE *file = fopen(path_of("kind"), "w");

		assert_non_null(file);
		fputs(cases[i].there, file);
		fclose(file);
		assert_int_equal(report_claim(path_of("kind"), cases[i].begins, &lock), cases[i].error);
		if (lock >= 0)
			close(lock);
	}
}

TEST("a report that cannot be opened or written returns its error")
{
	struct report_output *output;

	assert_int_equal(report_output_open(folder, &output), -EISDIR);
	assert_int_equal(report_output_open(path_of("none/a"), &output), -ENOENT);
	/* A write that fails early is not forgotten. */
	assert_int_equal(report_output_open("/dev/full", &output), 0);
	for (int i = 0; i < 100000; i++)
		fputs("a line of text\n", report_output_stream(output));
	assert_int_equal(report_output_close(output, true), -ENOSPC);
}

UNIT_GROUP(set_up, tear_down)
