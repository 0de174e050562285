/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A check of an engine on its way from the report of selfcheck through a recording's header. */
#include "config.h"
#include "tests/unit/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "memtrace/engine_check.h"

#define CHECK(ID, ENGINE, NUMBERS) "<check id=\"" ID "\"><pattern>" ID "</pattern>" \
	"<sampling_engine>" ENGINE "</sampling_engine>" NUMBERS "</check>"
#define NUMBERS "<slowdown>1.25</slowdown><recall_top_1>0.5</recall_top_1><recall_top_10>0.75</recall_top_10>" \
	"<rank_correlation>-0.25</rank_correlation>" \
	"<rank_group><first_rank>1</first_rank><last_rank>1</last_rank><bias>0.01</bias>" \
	"</rank_group><rank_group><first_rank>2</first_rank><last_rank>4</last_rank></rank_group>"
#define REPORT "<memtrace><report><signature><wall_start>2026-01-02T03:04:05Z</wall_start><host><release>6.1</release></host>" \
	"</signature><machine_info><modelname>A CPU</modelname></machine_info><result><self_check>" \
	CHECK("zipf,1", "cpu-clock", NUMBERS) CHECK("uniform", "burst", NUMBERS) CHECK("hotset", "cpu-clock", NUMBERS) \
	"</self_check></result></report></memtrace>"

static char path[64], why[512];
static struct engine_check *check, *read_back;

static int set_up(void **state)
{
	int fd;

	(void)state;
	check = calloc(1, sizeof(*check));
	read_back = calloc(1, sizeof(*read_back));
	snprintf(path, sizeof(path), "/tmp/memtrace.XXXXXX");
	fd = mkstemp(path);
	return fd < 0 || !check || !read_back ? -1 : close(fd);
}

static int tear_down(void **state)
{
	(void)state;
	free(check);
	free(read_back);
	return unlink(path);
}

static int read_text(const char *text, const char *engine, const char *model, const char *kernel)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	fputs(text, file);
	assert_int_equal(fclose(file), 0);
	return engine_check_read(path, engine, model, kernel, check, why, sizeof(why));
}

/* A recording with these lines in its header is read. */
static int read_header(const char *header)
{
	struct trace_reader *reader;
	struct trace_writer *writer;
	int fd = open(path, O_WRONLY | O_TRUNC), err;

	assert_int_equal(trace_writer_open(fd, header, 1, &writer), 0);
	trace_writer_close(writer);
	close(fd);
	assert_int_equal(trace_reader_open(path, &reader), 0);
	err = engine_check_of(reader, read_back);
	trace_reader_close(reader);
	return err;
}

TEST_WITH("the checks of the engine are kept, each with its numbers and its bias by group", set_up, tear_down)
{
	char *header = NULL, line[ENGINE_CHECK_TEXT];
	size_t length;
	FILE *out = open_memstream(&header, &length);
	const struct mt_rank_group_values *groups;

	assert_int_equal(read_text(REPORT, "cpu-clock", "A CPU", "6.1"), 0);
	assert_int_equal(check->count, 2);
	fputs("engine\tcpu-clock\n", out);
	engine_check_write(check, out);
	fputs("command\ttrue\n", out);
	fclose(out);
	assert_int_equal(read_header(header), 0);
	free(header);
	assert_int_equal(read_back->count, 2);
	assert_string_equal(read_back->date, "2026-01-02T03:04:05Z");
	assert_string_equal(read_back->model, "A CPU");
	assert_string_equal(read_back->kernel, "6.1");
	assert_string_equal(read_back->rows[0].pattern, "zipf,1");
	assert_string_equal(read_back->rows[1].pattern, "hotset");
	assert_true(read_back->rows[1].slowdown == 1.25 && read_back->rows[1].recall_top_1 == 0.5);
	assert_true(read_back->rows[1].recall_top_10 == 0.75 && read_back->rows[1].rank_correlation == -0.25);
	assert_true(isnan(read_back->rows[1].miss_ratio_error));
	assert_int_equal(read_back->rows[1].rank_group.count, 2);
	groups = read_back->rows[1].rank_group.rows;
	assert_true(groups[0].last_rank == 1 && groups[0].bias == 0.01);
	assert_true(groups[1].first_rank == 2 && groups[1].last_rank == 4 && isnan(groups[1].bias));
	engine_check_line(read_back, 0, line);
	assert_string_equal(line, "zipf,1: slowdown 1.25, top 1 % 0.5, top 10 % 0.75, ranks -0.25; bias of ranks to 1 0.01");
}

TEST_WITH("a check of another engine, CPU or kernel is refused, as is what is no report of selfcheck", set_up, tear_down)
{
	assert_int_equal(read_text(REPORT, "pebs", "A CPU", "6.1"), -ENOENT);
	assert_non_null(strstr(why, "has no check of engine pebs"));
	assert_int_equal(read_text(REPORT, "cpu-clock", "B CPU", "6.1"), -EXDEV);
	assert_non_null(strstr(why, "another machine"));
	assert_int_equal(read_text(REPORT, "cpu-clock", "A CPU", "6.2"), -EXDEV);
	assert_int_equal(read_text("<memtrace><report><result/></report></memtrace>", "cpu-clock", "A CPU", "6.1"), -EBADMSG);
	assert_null(strchr(why, '\n'));
	assert_int_equal(read_text("nonsense", "cpu-clock", "A CPU", "6.1"), -EBADMSG);
}

TEST_WITH("a recording without a check, or with one that cannot be read, has none", set_up, tear_down)
{
#define HEAD "selfcheck\tnow\nselfcheck_machine\tx\nselfcheck_kernel\ty\n"
	static const char *const bad[] = {"engine\tcpu-clock\n", HEAD, HEAD "selfcheck_0\tuniform 1 2\n",
		HEAD "selfcheck_0\t\n", HEAD "selfcheck_0\tuniform 1 2 3 4 5 4 1 4 1\n", HEAD "selfcheck_0\tuniform 1 2 3 4 x\n",
		HEAD "selfcheck_0\tu 1 2 3 4 5 1 1 2 1 3 1 4 1 5 1 6 1 7 1 8 1 9 1 10 1 11 1 12 1 13 1\n"};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(read_header(bad[i]), -ENOENT);
	assert_int_equal(read_header(HEAD "selfcheck_0\tuniform - - - - -\n"), 0);
	assert_true(isnan(read_back->rows[0].slowdown));
}
