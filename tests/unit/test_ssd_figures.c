/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Figures of records whose answers are known. */
#include "config.h"
#include "tests/unit/unit.h"
#include "tests/unit/ssd_dump.h"
#include "tests/unit/ssd_figure.h"

static void assert_refused(const char *name, const struct figure_input *input, const char *part)
{
	struct figure_table table = {.figure = figure_find(name), .every = 1};
	const char *why = "";

	assert_int_equal(table.figure->compute(input, &table, &why), -ENODATA);
	assert_non_null(strstr(why, part));
	figure_table_free(&table);
}

/* The log's responses are 1000, 2000, ... ns, the checkpoint's 40300. */
static struct ssd_dump *make_rising(void)
{
	struct ssd_dump *made = ssd_dump_make();

	made->dump.segments[0].part.period_den = 0;
	for (int i = 0; i < 2; i++) {
		for (int k = 0; k < SSD_DUMP_RECORDS; k++) {
			struct record *record = &made->records[i][k];

			record->enter_ns = record->prep_ns + 300;
			record->reap_ns = record->prep_ns + 1000 * (uint64_t)(2 * k + i + 1);
		}
	}
	return made;
}

TEST("a figure is found by its exact name")
{
	struct ssd_dump *made = make_rising();
	const struct figure_input input = {.dump = &made->dump, .alone = {{.dump = &made->dump}, {.dump = &made->dump}}};

	assert_null(figure_find("fig1"));
	for (const struct figure *figure = figures; figure->name; figure++) {
		struct figure_table table;

		assert_ptr_equal(figure_of(figure_find(figure->name), figure->source == FIGURE_DEVICE), figure);
		if (!figure->compute || figure->source == FIGURE_DEVICE)
			continue;
		table = computed(figure->name, &input);
		assert_true(table.row_count > 0);
		figure_table_free(&table);
	}
	free(made);
}

TEST("fig9 has a row for each percentile that the records support")
{
	struct ssd_dump *made = make_rising();
	const struct figure_input input = {.dump = &made->dump};

	/* Of 80: 5, 10, ... 85 %, 90, 92, 93.5, 95, 96, 97, 98 and 98.5 %: above that there is one. */
	ASSERT_FIGURE("fig9", &input, 17 + 8 + 17 + 6 + 2,
		{0, "log\t5\t4000\t76"},
		{9, "log\t50\t40000\t40"},
		{17, "log\t90\t72000\t8"},
		{20, "log\t95\t76000\t4"},
		{24, "log\t98.5\t79000\t1"},
		{25, "log\t100\t80000\t0"},
		{26, "checkpoint\t5\t40300\t0"},
		{49, "checkpoint\t100\t40300\t0"});
	free(made);
}

TEST("failed and short writes count in no figure")
{
	struct ssd_dump *made = make_rising();
	const struct figure_input input = {.dump = &made->dump};

	made->records[1][39].result = -EIO;
	made->records[0][39].result = 512;
	ASSERT_FIGURE("fig9", &input, 0,
		{9, "log\t50\t39000\t39"});
	for (int i = 0; i < 3; i++) {
		for (int k = 0; k < SSD_DUMP_RECORDS; k++)
			made->records[i][k].result = -EIO;
	}
	for (const struct figure *figure = figures; figure->name; figure++) {
		if (figure->compute && figure->source != FIGURE_DEVICE && strcmp(figure->name, "fig6") != 0)
			assert_refused(figure->name, &input, "no write");
	}
	assert_refused("fig6", &input, "--alone=FILE");
	free(made);
}

/* Due every 50000 ns from 1000000 on: write k of the first worker was prepared 50000 * k behind 1000000. */
TEST("in an open loop latency begins when the write was due")
{
	struct ssd_dump *made = ssd_dump_make();
	const struct figure_input input = {.dump = &made->dump, .rows = 1};

	made->dump.segments[0].part.first_due_sequence = 2;
	made->dump.head.segment_count = 1;
	made->records[0][39].enter_ns += 100000;
	made->records[0][39].reap_ns += 100000;
	ASSERT_FIGURE("fig4", &input, 0,
		{1, "log\tslow\t0\t49\t0.002450000\t240300\t100000\t-\t-\t100300\t40000\t-\t-\tno\t-"});
	/* Each is waited for while the two behind it are due: the last one stands for three, then every third of 10 to 46. */
	assert_figure("fig4", &(struct figure_input){.dump = &made->dump, .rows = 100}, 1 + 1 + 13, &(struct figure_row){0, NULL});
	/* A file may say what it likes. */
	made->dump.segments[0].part.first_due_ns = UINT64_MAX;
	ASSERT_FIGURE("fig4", &input, 0,
		{1, "log\tslow\t0\t49\t0.002450000\t140300\t0\t-\t-\t100300\t40000\t-\t-\tno\t-"});
	made->dump.segments[0].part.first_due_ns = 0;
	made->dump.segments[0].part.period_num = UINT64_MAX;
	ASSERT_FIGURE("fig4", &input, 0,
		{1, "log\tslow\t0\t49\t0.002450000\t140300\t0\t-\t-\t100300\t40000\t-\t-\tno\t-"});
	free(made);
}

TEST("fig4 lists the slowest writes with their stages")
{
	struct ssd_dump *made = make_rising();
	const struct figure_input input = {.dump = &made->dump, .rows = 2};

	made->splits[4] = (struct split){.ns = {300, 2000, 61000, 30000, 6000, 1000}, .state = SPLIT_MERGED, .requests = 1};
	made->records[2][4].reap_ns += 60000;
	/* As usual, then one of each time: the slowest of the log was under way together with the one of the other worker, and
	 * with those that began before it ended. */
	ASSERT_FIGURE("fig4", &input, 6,
		{0, "log\tmedian\t1\t29\t0.001450001\t40000\t0\t-\t-\t300\t39700\t-\t-\tno\t-"},
		{1, "log\tslow\t1\t49\t0.002450001\t80000\t0\t-\t-\t300\t79700\t-\t-\tno\t-"},
		{2, "log\tslow\t1\t47\t0.002350001\t76000\t0\t-\t-\t300\t75700\t-\t-\tno\t-"},
		{4, "checkpoint\tslow\t0\t14\t0.000700007\t100300\t0\t300\t2000\t61000\t30000\t6000\t1000\tmerged\tqueue"});
	free(made);
}

/* All of them, and what the stream alone says is usual: there the queue takes long anyway. */
TEST("the slowest writes are compared with the same stream alone")
{
	struct ssd_dump *made = make_rising(), *alone = ssd_dump_make();
	const struct figure_input input = {.dump = &made->dump, .alone = {{.dump = NULL}, {.dump = &alone->dump}}};

	for (int k = 0; k < SSD_DUMP_RECORDS; k++)
		alone->splits[k] = (struct split){.ns = {100, 200, 60000, 300, 0, 400}, .state = SPLIT_OWN, .requests = 1};
	made->splits[4] = (struct split){.ns = {300, 2000, 61000, 30000, 6000, 1000}, .state = SPLIT_MERGED, .requests = 1};
	made->records[2][4].reap_ns += 60000;
	ASSERT_FIGURE("fig4", &input, 1 + 2 * SSD_DUMP_RECORDS + 2 + SSD_DUMP_RECORDS,
		{1, "log\tslow\t1\t49\t0.002450001\t80000\t0\t-\t-\t300\t79700\t-\t-\tno\t-"},
		{2, "log\tslow\t0\t49\t0.002450000\t79000\t0\t-\t-\t300\t78700\t-\t-\tno\t-"},
		{82, "checkpoint\talone\t0\t30\t0.001500007\t40300\t0\t100\t200\t60000\t300\t0\t400\town\t-"},
		{83, "checkpoint\tslow\t0\t14\t0.000700007\t100300\t0\t300\t2000\t61000\t30000\t6000\t1000\tmerged\tdevice"});
	free(made);
	free(alone);
}

TEST("fig6 relates each latency to the median of the stream alone")
{
	struct ssd_dump *made = make_rising(), *alone = ssd_dump_make();
	const struct figure_input input = {.dump = &made->dump, .alone = {{.dump = NULL}, {.dump = &alone->dump}}};

	/* Alone the median is 40300: half of the writes take twice as long here, one more than can be shown. */
	for (int k = 0; k < SSD_DUMP_RECORDS / 2; k++)
		made->records[2][k].reap_ns += 40300;
	made->records[2][0].reap_ns += 100 * 40300;
	ASSERT_FIGURE("fig6", &input, 101,
		{19, "checkpoint\t0.95\t1.00\t0\t0.0000"},
		{20, "checkpoint\t1.00\t1.05\t20\t50.0000"},
		{40, "checkpoint\t2.00\t2.05\t19\t47.5000"},
		{100, "checkpoint\t5.00\t-\t1\t2.5000"});
	free(made);
	free(alone);
}

TEST("fig11 has a row for each write, thinned to the limit")
{
	struct ssd_dump *made = make_rising();
	struct figure_input input = {.dump = &made->dump};
	struct figure_table table = computed("fig11", &input);

	assert_int_equal(table.row_count, 120);
	assert_int_equal(table.every, 1);
	assert_string_equal(table.rows[0], "log\t0\t0.000500000\t1212416\t16384\t0\t1000");
	assert_string_equal(table.rows[1], "log\t1\t0.000500001\t1736704\t16384\t0\t2000");
	figure_table_free(&table);
	input.rows = 30;
	table = computed("fig11", &input);
	assert_int_equal(table.every, 4);
	assert_int_equal(table.row_count, 20 + 10);
	figure_table_free(&table);
	free(made);
}

/* The log has two stalls, the checkpoint one, at the time of the log's second. */
TEST("stalls of one stream are matched with those of the other")
{
	struct ssd_dump *made = ssd_dump_make(), *alone = ssd_dump_make();
	const struct figure_input input = {.dump = &made->dump, .alone = {{.dump = &alone->dump}}};

	made->dump.segments[0].part.period_den = alone->dump.segments[0].part.period_den = 0;
	made->records[0][5].reap_ns += 403000 - 40300;
	made->records[1][5].reap_ns += 300000 - 40300;   /* of the same episode */
	made->records[0][25].reap_ns += 403000 - 40300;
	made->records[2][26].reap_ns += 403000 - 40300;
	for (int k = 0; k < SSD_DUMP_RECORDS; k++) /* the slow ones had more beside them */
		made->records[2][k].inflight_other = (uint16_t)(made->records[2][k].reap_ns - made->records[2][k].prep_ns > 50000);
	ASSERT_FIGURE("interference", &input, 2,
		{0, "log\t80\t52614\t40300\t403000\t403000\t1.3056\t1.0000\t10.0000\t10.0000\t201500\t2\t1\t40.4964\t-"},
		{1, "checkpoint\t40\t49368\t40300\t403000\t403000\t-\t-\t-\t-\t201500\t1\t1\t20.2482\t1.0000"});
	free(made);
	free(alone);
}
