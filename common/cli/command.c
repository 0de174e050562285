/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "common/cli/command.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/diag.h"
#include "common/cli/opt.h"
#include "common/report/report_read.h"

#define MANUAL_OPTIONS "--manual-options"
#define FIRST_LONG 0x100 /* getopt's value of a row without a letter is this plus its index */

enum { KEY_HELP = '?' + 0x10000, KEY_USAGE, KEY_VERSION };

/* --- usage and version --- */

static void print_usage(const struct command *command)
{
	printf("Usage: %s%s%s [OPTION...]%s%s\n", command->program->name, command->name ? " " : "",
		command->name ? command->name : "", command->arguments ? " " : "",
		command->arguments ? command->arguments : "");
}

static void print_help(const struct command *command)
{
	print_usage(command);
	opt_print_paragraph(stdout, command->doc);
	if (command->examples)
		printf("\nExamples:\n%s", command->examples);
	putchar('\n');
	opt_print_help(stdout, command->options);
	if (command->notes) {
		putchar('\n');
		opt_print_paragraph(stdout, command->notes);
	}
}

static void print_version(const struct program *program)
{
	printf("%s (" PACKAGE_NAME ") " PACKAGE_VERSION "\n", program->name);
}

/* --- getopt --- */

struct replay_reading {
	const struct command *command;
	void *options;
	struct opt_line *line;
	struct option *names;  /* for getopt_long */
	char letters[3 * 128]; /* for getopt */
	char **words;          /* a copy of argv, which getopt may reorder */
	bool has_argument;
};

static int make_tables(struct replay_reading *reading)
{
	static const struct option standard[] = {{"help", no_argument, NULL, KEY_HELP}, {"usage", no_argument, NULL, KEY_USAGE},
		{"version", no_argument, NULL, KEY_VERSION}};
	const struct opt *rows = reading->command->options;
	char *letter = reading->letters;
	struct option *name;
	int count = 0;

	while (rows[count].type != OPT_END)
		count++;
	reading->names = calloc((size_t)count + 4, sizeof(*reading->names));
	if (!reading->names)
		return -ENOMEM;
	name = reading->names;
	/* "-" makes getopt return arguments in place; ":" leaves the messages to this file. */
	*letter++ = reading->command->flags & COMMAND_IN_ORDER ? '+' : '-';
	*letter++ = ':';
	for (int i = 0; i < count; i++) {
		int takes = !rows[i].value ? no_argument : rows[i].bare ? optional_argument : required_argument;

		if (!rows[i].name || rows[i].flags & OPT_ARGUMENT)
			continue;
		*name++ = (struct option){rows[i].name, takes, NULL, rows[i].letter ? rows[i].letter : FIRST_LONG + i};
		if (!rows[i].letter)
			continue;
		*letter++ = (char)rows[i].letter;
		for (int colon = 0; colon < takes; colon++)
			*letter++ = ':';
	}
	memcpy(name, standard, sizeof(standard));
	*letter = 'V';
	return 0;
}

/* Reports the word that getopt has just rejected. result: getopt's '?' or ':'. */
static int refuse_word(const struct replay_reading *reading, int result)
{
	const char *word = reading->words[optind - 1];
	int length = (int)strcspn(word, "=");
	char like[512] = "";
	size_t used = 0;

	if (optopt > 0 && optopt < 128 && strncmp(word, "--", 2) != 0)
		return diag_usage("-%c: %s", optopt, result == ':' ? "needs a value" : "no such option; --help lists them");
	if (result == ':' || optopt)
		return diag_usage("%.*s: %s", length, word, result == ':' ? "needs a value" : "takes no value");
	for (const struct option *name = reading->names; name->name && used < sizeof(like); name++) {
		if (!strncmp(name->name, word + 2, (size_t)length - 2))
			used += (size_t)snprintf(like + used, sizeof(like) - used, " --%s", name->name);
	}
	if (used)
		diag_error(0, "%.*s: could be any of%s", length, word, like);
	else
		diag_error(0, "%.*s: no such option; --help lists them", length, word);
	return DIAG_EXIT_USAGE;
}

static int add_given(struct replay_reading *reading, const struct opt *row, const char *text)
{
	if (!opt_add(reading->line, row, text, OPT_BY_USER, NULL))
		return DIAG_EXIT_OK;
	return diag_host(ENOMEM, "cannot read the command line");
}

static int take_argument(struct replay_reading *reading, const char *text, bool is_behind)
{
	const struct command *command = reading->command;

	reading->has_argument = true;
	if (command->take)
		return command->take(reading->options, text, is_behind);
	for (const struct opt *row = command->options; row->type != OPT_END; row++) {
		if (!(row->flags & OPT_ARGUMENT))
			continue;
		if (row->flags & OPT_REPEATS || !opt_is_typed(reading->line, row->name))
			return add_given(reading, row, text);
		return diag_usage("%s: one argument too many: %s is %s already", text, row->value, opt_text(reading->line,
			row->name));
	}
	return diag_usage("%s: no argument is expected; --help lists the options", text);
}

static int take_option(struct replay_reading *reading, int key)
{
	const struct opt *row = reading->command->options;

	switch (key) {
	case KEY_HELP:
		print_help(reading->command);
		exit(EXIT_SUCCESS);
	case KEY_USAGE:
		print_usage(reading->command);
		exit(EXIT_SUCCESS);
	case KEY_VERSION:
	case 'V':
		print_version(reading->command->program);
		exit(EXIT_SUCCESS);
	case 1:
		return take_argument(reading, optarg, false);
	default:
		if (key >= FIRST_LONG)
			row += key - FIRST_LONG;
		while (key < FIRST_LONG && row->letter != key)
			row++;
		return add_given(reading, row, optarg ? optarg : row->bare);
	}
}

static int read_words(struct replay_reading *reading, int argc, bool is_behind)
{
	bool has_groups = reading->command->flags & COMMAND_GROUPS;
	int key, next, rc = DIAG_EXIT_OK;

	opterr = 0;
	do {
		next = optind ? optind : 1;
		key = getopt_long(argc, reading->words, reading->letters, reading->names, NULL);
		/* getopt returns -1 at the end, where optind stays, and at "--", which it consumes. */
		if (key == -1 && !(has_groups && optind > next))
			break;
		if (key == -1)
			rc = take_argument(reading, "--", false);
		else if (key == 1 && is_behind)
			rc = take_argument(reading, optarg, true);
		else if ((key == '?' || key == ':') && optopt == '?')
			rc = take_option(reading, KEY_HELP);
		else if (key == '?' || key == ':')
			rc = refuse_word(reading, key);
		else
			rc = take_option(reading, key);
	} while (!rc);
	return rc;
}

/* Returns 0, and in *next the first word that has not been read. */
static int read_all(struct replay_reading *reading, int argc, int *next)
{
	unsigned flags = reading->command->flags;
	int rc;

	optind = 0; /* glibc: start again, with these letters */
	rc = read_words(reading, argc, false);
	*next = optind;
	if (rc || flags & COMMAND_IN_ORDER)
		return rc;
	if (flags & COMMAND_OPTIONS_BEHIND && reading->has_argument && *next < argc) {
		/* getopt takes words[0] for the program's name. */
		reading->words += *next - 1;
		argc -= *next - 1;
		optind = 0;
		rc = read_words(reading, argc, true);
		reading->words -= *next - 1;
		argc += *next - 1;
		*next += optind - 1;
	}
	while (!rc && *next < argc)
		rc = take_argument(reading, reading->words[(*next)++], true);
	return rc;
}

int command_parse(const struct command *command, int argc, char **argv, void *options, struct opt_line *line, char ***rest)
{
	struct replay_reading reading = {.command = command, .options = options, .line = line};
	int rc = DIAG_EXIT_HOST, next = argc;

	*line = (struct opt_line){.rows = command->options, .relations = command->relations};
	if (completion_is_wanted(argc, argv)) {
		completion_print_options(stdout, command->options, command->program->option_nouns);
		completion_print_arguments(stdout, command->arguments, command->program->argument_nouns);
		exit(EXIT_SUCCESS);
	}
	if (argc == 2 && !strcmp(argv[1], MANUAL_OPTIONS)) {
		opt_print_manual(stdout, command->options);
		exit(EXIT_SUCCESS);
	}
	reading.words = calloc((size_t)argc + 1, sizeof(*reading.words));
	if (!reading.words || make_tables(&reading)) {
		diag_error(ENOMEM, "cannot read the command line");
		goto out;
	}
	memcpy(reading.words, argv, (size_t)argc * sizeof(*argv));
	rc = read_all(&reading, argc, &next);
	if (rest)
		*rest = argv + next;
	if (!rc)
		rc = opt_apply_first(line, options);
	if (!rc && command->add)
		rc = command->add(options, line);
	if (!rc)
		rc = opt_apply(line, options);
	if (!rc && command->check)
		rc = command->check(options, line);
	if (!rc)
		rc = opt_claim_outputs(line);
out:
	free(reading.names);
	free(reading.words);
	return rc;
}

/* --- programs of several commands --- */

int command_main(const struct program *program, int argc, char **argv)
{
	diag_claim_descriptors();
	diag_watch_stdout();
	if (argc < 2)
		return diag_usage("no command given: %s --help lists them", program->name);
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-?")) {
		printf("Usage: %s COMMAND [OPTION...] [ARGUMENT...]\n%s\n\n", program->name, program->summary);
		if (program->examples)
			printf("Examples:\n%s\n", program->examples);
		for (const struct command *const *row = program->commands; *row; row++)
			printf("  %-10s %s\n", (*row)->name, (*row)->summary);
		printf("\n%s COMMAND --help lists the options of a command.\nThe manual is %s(1).\n", program->name, program->name);
		return DIAG_EXIT_OK;
	}
	if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V")) {
		print_version(program);
		return DIAG_EXIT_OK;
	}
	if (completion_is_wanted(argc, argv)) {
		for (const struct command *const *row = program->commands; *row; row++)
			printf("command %s\n", (*row)->name);
		completion_print_standard(stdout, false);
		return DIAG_EXIT_OK;
	}
	for (const struct command *const *row = program->commands; *row; row++) {
		if (!strcmp((*row)->name, argv[1]))
			return (*row)->run(*row, argc - 1, argv + 1);
	}
	return diag_usage("'%s' is not a command of %s: %s --help lists them", argv[1], program->name, program->name);
}

/* --- replay --- */

#define OPTIONS_MAX 512

int replay_add(struct opt_line *line, const char *path, const char *name, const char *value)
{
	const struct opt *row = opt_row(line->rows, name);

	if (!row)
		return -EINVAL;
	return row->flags & OPT_UNREPORTED ? 0 : opt_add(line, row, value, OPT_BY_REPORT, path);
}

static int take_ours(const struct report_node *signature, const struct report_node *options, struct opt_line *line,
	const char *path)
{
	const struct report_node *seed = report_read_find(signature, "seed");
	bool has_seed = false;
	unsigned count = 0;
	int rc = 0;

	for (const struct report_node *node = report_read_find(options, "option"); node && !rc; node = report_read_next(node)) {
		const char *name = report_read_attribute(node, "name");

		if (!name)
			continue;
		if (count++ == OPTIONS_MAX) {
			diag_error(0, "%s: more than %d options", path, OPTIONS_MAX);
			return -EALREADY;
		}
		rc = replay_add(line, path, name, node->text);
		if (rc == -EINVAL) {
			diag_error(0, "%s: --%s: this version has no such option", path, name);
			return -EALREADY;
		}
		has_seed = has_seed || !strcmp(name, "seed");
	}
	if (!rc && seed && !has_seed && opt_row(line->rows, "seed"))
		rc = replay_add(line, path, "seed", seed->text);
	return rc;
}

static int take(const struct replay *replay, const char *path, const struct report_node *root, struct opt_line *line)
{
	const struct report_node *signature = report_read_find(root, "report/signature");
	const struct report_node *options = signature ? report_read_find(signature, "options") : NULL;
	const struct report_node *argument = signature ? report_read_find(signature, "command/argument") : NULL;
	bool is_of_command = !replay->command;
	int rc = -EINVAL;

	/* argv[0] is the program or its subcommand. */
	for (int i = 0; i < 2 && argument && !is_of_command; i++, argument = report_read_next(argument))
		is_of_command = !strcmp(argument->text, replay->command);
	if (signature && !strcmp(root->name, replay->root)) {
		if (options && is_of_command)
			rc = take_ours(signature, options, line, path);
		else if (!options && replay->take_other)
			rc = replay->take_other(signature, line, path);
	}
	if (rc == -EINVAL)
		diag_error(0, "%s: not a report of this command: it has no options to repeat", path);
	else if (rc && rc != -EALREADY)
		diag_error(rc, "%s", path);
	return rc ? DIAG_EXIT_USAGE : DIAG_EXIT_OK;
}

/* Tells whether a value must come from the command line: paths, and options that write a file or make swap. */
static bool must_be_typed(const struct opt *row, const char *text)
{
	if (row->must_be_typed)
		return row->must_be_typed(text);
	return row->flags & OPT_TYPED_ONLY && (!row->preset || strcmp(text, row->preset) != 0);
}

int replay_take(const struct replay *replay, const char *path, struct opt_line *line)
{
	struct report_document *document = NULL;
	char text[768] = " no option", why[256];
	size_t used = 0;
	int code;

	if (report_read_file(path, &document, why, sizeof(why)))
		return diag_usage("--replay %s", why);
	code = take(replay, path, report_read_root(document), line);
	report_read_free(document);
	if (code)
		return code;
	opt_drop_replaced(line);
	for (size_t i = 0; i < line->count; i++) {
		const struct opt_given *given = &line->given[i];

		if (given->source != OPT_BY_REPORT)
			continue;
		if (must_be_typed(given->row, given->text))
			return diag_usage("%s: --%s %s: is not taken from a report; give it, or another one, on the command line",
				path, given->row->name, given->text);
		if (used < sizeof(text))
			used += (size_t)snprintf(text + used, sizeof(text) - used, " %s=%s", given->row->name, given->text);
	}
	diag_info("--replay %s: takes%s", path, text);
	return DIAG_EXIT_OK;
}
