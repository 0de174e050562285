/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "iowrite-bench/run/options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/diag.h"
#include "iowrite-bench/memory.h"
#include "iowrite-bench/run/option_rows.h"

#define FIRST_KEY 0x1000 /* of an option without a letter: this and its index in the table */
#define EFFECTIVE_MAX (64 + RUN_SLOS_MAX)

const struct argp_option run_option_table[] = {
	{NULL, 0, NULL, 0, "What is written (lists are combined with each other):", 1},
	{"preset", FIRST_KEY + 1, "PRESET", 0, "as this program writes its log: etcd-wal, pg-wal, pg_test_fsync, sqlite, kafka", 1},
	{"method", FIRST_KEY + 2, "LIST", 0,
		"by write, pwrite (default), writev, pwritev2, io_uring, fwrite, mmap", 1},
	{"mode", FIRST_KEY + 3, "LIST", 0,
		"opened buffered (default), sync, dsync, direct, direct-sync, direct-dsync", 1},
	{"sync-each", FIRST_KEY + 4, "LIST", 0,
		"after each write none (default), fsync, fdatasync, sync_file_range, rwf-dsync, syncfs, msync", 1},
	{"sync-every", FIRST_KEY + 31, "LIST", 0, "sync after every N writes (1)", 1},
	{"regime", FIRST_KEY + 5, "LIST", 0, "append (default), prealloc, overwrite", 1},
	{"rw", FIRST_KEY + 6, "LIST", 0,
		"write (default), randwrite, backwrite: each begins before the last one's end", 1},
	{"back", FIRST_KEY + 7, "FRACTION", 0, "by so much of a write, with --rw=backwrite (0.5)", 1},
	{"bs", FIRST_KEY + 8, "SIZES", 0, "bytes of a write, as 512,4k,1m (4k)", 1},
	{"bsrange", FIRST_KEY + 9, "RANGES", 0, "bytes of a write drawn from 512-64k", 1},
	{"stdio-buffer", FIRST_KEY + 10, "LIST", 0, "fwrite's buffer: glibc (default), a size, unbuffered", 1},
	{"buffer-compress-percentage", FIRST_KEY + 32, "N", 0, "write N % of zeros into every 512 bytes (0)", 1},
	{"dedupe-percentage", FIRST_KEY + 33, "N", 0, "write the bytes of the last write again in N % of the writes (0)", 1},
	{NULL, 0, NULL, 0, "How much, how often, where:", 2},
	{"size", FIRST_KEY + 12, "SIZE", 0, "bytes that each thread writes in each round (64m)", 2},
	{"runtime", FIRST_KEY + 13, "TIME", 0,
		"of each round; --size is then written again and again unless it is given, too (1s without either)", 2},
	{"warmup", FIRST_KEY + 34, "TIME", 0, "write for TIME before each round, uncounted (0)", 2},
	{"rounds", FIRST_KEY + 14, "N", 0, "of all combinations, forth and back (3)", 2},
	{"numjobs", FIRST_KEY + 15, "N", 0, "threads, each with a file of its own, or its part of --filename", 2},
	{"files", FIRST_KEY + 35, "N", 0, "write N files of each thread in turn (1)", 2},
	{"thinktime", FIRST_KEY + 16, "TIME", 0, "between the end of a write and the next", 2},
	{"thinktime-type", FIRST_KEY + 17, "busy|sleep", 0, "computing (default) or sleeping", 2},
	{"mem", FIRST_KEY + 18, MEMORY_NAMES, 0, "memory that the page cache takes (as-is)", 2},
	{"cpus", FIRST_KEY + 19, "LIST", 0, "pin threads in turn to 0-3, core:0-3, numa:1", 2},
	{"directory", FIRST_KEY + 20, "DIR", 0, "a file without a name in this folder (.)", 2},
	{"filename", FIRST_KEY + 21, "FILE", 0, "this file or block device instead", 2},
	{"destroy-data", FIRST_KEY + 22, "FILE", 0, "yes, what is in this file or on this device may be lost", 2},
	{NULL, 0, NULL, 0, "What comes out:", 3},
	{"interval", FIRST_KEY + 24, "TIME", 0, "of the series, 0 for none (1s)", 3},
	{"system", FIRST_KEY + 25, "FILE", 0, "a calibration: says where the time of buffered writes went", 3},
	{"slo", FIRST_KEY + 26, "OBJECTIVE", 0, "as 'p99<10ms', 'sync:max<1s': status 1 when missed; repeatable", 3},
	{"label", FIRST_KEY + 27, "NAME=VALUE", 0, "a label in the report; repeatable", 3},
	{"ops-csv", FIRST_KEY + 28, "FILE", 0, "every write of one combination and round", 3},
	{"look", FIRST_KEY + 29, "TIME", 0, "for it, read the dirty bytes so often, 0 for before each write (1ms)", 3},
	{"file", 'f', "FILE", 0, "write the report as XML", 3},
	{"json", FIRST_KEY + 30, "FILE", OPTION_ARG_OPTIONAL, "write the report as JSON, to stdout by default", 3},
	{"dry-run", 'n', NULL, 0, "check everything, say what would be measured, and end", 3},
	{0},
};

const char *run_order_name(enum run_order order)
{
	static const char *const names[RUN_ORDERS] = {
		[RUN_WRITE] = "write", [RUN_RANDWRITE] = "randwrite", [RUN_BACKWRITE] = "backwrite"};

	return names[order];
}

/* --- what was typed: applied only when the preset is known, which gives way to it --- */

struct typed {
	const struct option_row *row;
	const char *text;
};

struct words {
	struct run_options *options;
	struct typed *list;
	size_t count;
};

static const struct option_row *row_of_key(int key)
{
	for (const struct argp_option *option = run_option_table; option->name || option->doc; option++) {
		if (option->name && option->key == key)
			return option_row(option->name);
	}
	return NULL;
}

static int refuse(const struct option_row *row, const char *text, const char *why)
{
	char title[32];

	snprintf(title, sizeof(title), "--%s", row->name);
	return command_refuse(strcmp(title, "--file") ? title : "-f", text ? text : "", why);
}

static int apply(struct run_options *options, const struct option_row *row, const char *text)
{
	const char *why = row->allowed;
	int rc = row->set(options, text, &why);

	return rc ? refuse(row, text, why) : 0;
}

static bool is_typed(const struct words *words, const char *name)
{
	for (size_t i = 0; i < words->count; i++) {
		if (!strcmp(words->list[i].row->name, name))
			return true;
	}
	return false;
}

static const char *last_typed(const struct words *words, const struct option_row *row)
{
	const char *text = NULL;

	for (size_t i = 0; i < words->count; i++)
		text = words->list[i].row == row ? words->list[i].text : text;
	return text;
}

/* Two options of which only one can hold, or one that is nothing without another. */
static int check_pairs(const struct words *words)
{
	static const struct {
		const char *one, *other, *why;
	} pairs[] = {
		{"bs", "bsrange", "both say how large a write is; keep one"},
		{"directory", "filename", "both say where to write; keep one"},
		{"files", "filename", "several files have no names; give --directory"},
		{"files", "bsrange", "writes of several files are of one size; give --bs"},
	};

	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		if (!is_typed(words, pairs[i].one) || !is_typed(words, pairs[i].other))
			continue;
		diag_error(0, "--%s and --%s: %s", pairs[i].one, pairs[i].other, pairs[i].why);
		return EINVAL;
	}
	if (!is_typed(words, "destroy-data") || is_typed(words, "filename"))
		return 0;
	diag_error(0, "--destroy-data is of a file or device: --filename names it");
	return EINVAL;
}

static const char *preset_value(const struct run_options *options, const char *name)
{
	if (!options->preset)
		return NULL;
	for (const struct preset_option *option = options->preset->options; option->name; option++) {
		if (!strcmp(option->name, name))
			return option->value;
	}
	return NULL;
}

/* Typed, else the preset's, else the standard one; of those that repeat all that were typed. */
static int apply_row(struct words *words, const struct option_row *row)
{
	struct run_options *options = words->options;
	const char *value = preset_value(options, row->name);
	int rc = 0;

	if (!is_typed(words, row->name)) {
		bool gives_way = !strcmp(row->name, "bs") && is_typed(words, "bsrange");

		value = value ? value : row->standard;
		return value && !gives_way ? apply(options, row, value) : 0;
	}
	if (!row->is_repeated)
		return apply(options, row, last_typed(words, row));
	for (size_t i = 0; i < words->count && !rc; i++) {
		if (words->list[i].row == row)
			rc = apply(options, row, words->list[i].text);
	}
	return rc;
}

static void add_effective(struct run_options *options, const char *name, const char *value)
{
	if (options->effective_count < EFFECTIVE_MAX)
		options->effective[options->effective_count++] = (struct report_option){name, value};
}

static void list_effective(const struct words *words)
{
	struct run_options *options = words->options;

	for (const struct option_row *row = option_rows; row->name; row++) {
		const char *value = preset_value(options, row->name);

		if (row->is_unreported || !strcmp(row->name, "slo"))
			continue;
		if (!strcmp(row->name, "bs") && is_typed(words, "bsrange"))
			continue;
		value = value ? value : row->standard;
		value = is_typed(words, row->name) ? last_typed(words, row) : value;
		if (value)
			add_effective(options, row->name, value);
	}
	for (size_t i = 0; i < options->slo_count; i++)
		add_effective(options, "slo", options->slos[i].text);
}

static error_t apply_all(struct words *words)
{
	const struct option_row *preset = option_row("preset");
	int rc = check_pairs(words);

	/* Before all others: it gives them their values. */
	if (!rc && is_typed(words, "preset"))
		rc = apply(words->options, preset, last_typed(words, preset));
	for (const struct option_row *row = option_rows; row->name && !rc; row++) {
		if (row != preset)
			rc = apply_row(words, row);
	}
	words->options->is_size_of_preset = words->options->size_bytes && !is_typed(words, "size");
	if (!rc && words->options->preset && words->options->preset->ways &&
		(is_typed(words, "mode") || is_typed(words, "sync-each"))) {
		diag_error(0, "--%s: the preset %s compares modes and syncs of its own; leave it out, or the preset",
			is_typed(words, "mode") ? "mode" : "sync-each", words->options->preset->name);
		rc = EINVAL;
	}
	words->options->is_folder = !is_typed(words, "filename");
	if (!rc && !words->options->path)
		words->options->path = ".";
	if (!rc)
		list_effective(words);
	return rc;
}

static error_t take_key(int key, char *text, struct argp_state *state)
{
	struct words *words = state->input;
	const struct option_row *row;

	if (key == ARGP_KEY_ARG)
		return command_refuse("argument", text, "run takes none: the target is --directory or --filename");
	if (key == ARGP_KEY_END)
		return apply_all(words);
	if (key == 'n') {
		/* Not into the list: "-nnn" is one word. */
		words->options->is_dry_run = true;
		return 0;
	}
	row = row_of_key(key);
	if (!row)
		return ARGP_ERR_UNKNOWN;
	words->list[words->count++] = (struct typed){row, text};
	return 0;
}

int run_options_parse(const struct command *command, int argc, char **argv, struct run_options *options)
{
	struct words words = {.options = options};
	int code = DIAG_EXIT_USAGE;

	memset(options, 0, sizeof(*options));
	options->argc = argc;
	/* argp sorts the words in place. */
	options->argv = calloc((size_t)argc + 1, sizeof(*options->argv));
	options->effective = calloc(EFFECTIVE_MAX, sizeof(*options->effective));
	words.list = calloc((size_t)argc + 1, sizeof(*words.list));
	if (!options->argv || !options->effective || !words.list) {
		diag_error(ENOMEM, "cannot read the command line");
	} else {
		memcpy(options->argv, argv, (size_t)argc * sizeof(*argv));
		code = command_parse_argp(command, take_key, argc, argv, &words);
	}
	free(words.list);
	if (code)
		run_options_free(options);
	return code;
}

void run_options_free(struct run_options *options)
{
	label_free(&options->labels);
	free(options->argv);
	free(options->effective);
	options->argv = NULL;
	options->effective = NULL;
}

static bool is_stdout(const char *path)
{
	return path && !strcmp(path, "-");
}

bool run_options_print_text(const struct run_options *options)
{
	return !is_stdout(options->xml_path) && !is_stdout(options->json_path);
}
