/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "memstor/run/run.h"

#include <errno.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "common/diag.h"
#include "common/units.h"

static const char *const state_names[RUN_STATES] = {
	[RUN_WAITING] = "waiting",
	[RUN_DONE] = "done",
	[RUN_UNTRUSTED] = "untrustworthy",
	[RUN_MISSED] = "missed",
	[RUN_FAILED] = "failed",
	[RUN_OVERRUN] = "overrun",
	[RUN_INTERRUPTED] = "interrupted",
	[RUN_SKIPPED] = "skipped",
};

const char *run_state_name(enum run_state state)
{
	return state_names[state];
}

bool run_state_parse(const char *name, enum run_state *state)
{
	for (int i = 0; i < RUN_STATES; i++) {
		if (!strcmp(state_names[i], name)) {
			*state = (enum run_state)i;
			return true;
		}
	}
	return false;
}

bool run_state_is_final(enum run_state state)
{
	return state == RUN_DONE || state == RUN_UNTRUSTED || state == RUN_MISSED;
}

void run_moment(char text[RUN_MOMENT_MAX])
{
	struct timespec now;
	char seconds[32];
	struct tm utc;

	clock_gettime(CLOCK_REALTIME, &now);
	gmtime_r(&now.tv_sec, &utc);
	strftime(seconds, sizeof(seconds), "%Y-%m-%dT%H:%M:%S", &utc);
	snprintf(text, RUN_MOMENT_MAX, "%.20s.%09ldZ", seconds, now.tv_nsec);
}

static unsigned rounds_of(const struct run_step *step, bool is_warmup)
{
	if (!step->is_selected)
		return 0;
	return is_warmup ? step->warmup : step->runs;
}

/*
 * Rounds: each runs every step once, the next one in the other direction (A B B A). What drifts slowly on a machine,
 * its temperature or the age of its disk, then falls on all steps alike and not on the last ones.
 */
static void add_rounds(struct run_plan *plan, bool is_warmup)
{
	for (unsigned round = 0;; round++) {
		size_t before = plan->turn_count;

		for (size_t i = 0; i < plan->step_count; i++) {
			size_t step = round % 2 ? plan->step_count - 1 - i : i;

			if (round < rounds_of(&plan->steps[step], is_warmup))
				plan->turns[plan->turn_count++] = (struct run_turn){step, round + 1, is_warmup};
		}
		if (plan->turn_count == before)
			return;
	}
}

int run_order(struct run_plan *plan)
{
	size_t count = 0;

	for (size_t i = 0; i < plan->step_count; i++)
		count += (size_t)rounds_of(&plan->steps[i], false) + rounds_of(&plan->steps[i], true);
	if (count > RUN_TURNS_MAX)
		return -E2BIG;
	plan->turns = calloc(count + 1, sizeof(*plan->turns));
	if (!plan->turns)
		return -ENOMEM;
	plan->turn_count = 0;
	add_rounds(plan, true);
	add_rounds(plan, false);
	return 0;
}

/* --- results of other steps: "{calibrate}" in a word is the path of that step's newest result, "{records/records.rec}"
 * that of the file which it has left next to it --- */

struct taken { /* of a word: the first braces */
	char name[SUITE_NAME_MAX + 1];
	const char *begin, *end; /* where they are */
	const char *file;        /* behind the slash in them, of the word */
	size_t file_length;      /* 0 = none */
};

/* false when there are none, or what is in them is no name. */
static bool find_taken(const char *word, struct taken *taken)
{
	const char *open = strchr(word, '{'), *close = open ? strchr(open, '}') : NULL;
	const char *slash = close ? memchr(open, '/', (size_t)(close - open)) : NULL;
	size_t length = close ? (size_t)((slash ? slash : close) - open) - 1 : 0;

	if (!close || length == 0 || length > SUITE_NAME_MAX || (slash && slash + 1 == close))
		return false;
	*taken = (struct taken){.begin = open, .end = close + 1, .file = slash ? slash + 1 : close};
	taken->file_length = (size_t)(close - taken->file);
	memcpy(taken->name, open + 1, length);
	return suite_is_name(taken->name);
}

/* Of the taker's side. */
static const struct run_step *find_step(const struct run_plan *plan, const struct run_step *taker, const char *name)
{
	for (size_t i = 0; i < plan->step_count; i++) {
		if (!strcmp(plan->steps[i].suite->name, name) && plan->steps[i].bin == taker->bin)
			return &plan->steps[i];
	}
	return NULL;
}

/* Whether the step leaves a file of this name next to its result. */
static bool leaves(const struct run_step *step, const struct taken *taken)
{
	const struct run_program *program = step->program;

	if (!program->side_file || strlen(program->side_file) != taken->file_length ||
		strncmp(program->side_file, taken->file, taken->file_length) != 0)
		return false;
	for (size_t i = 1; i < step->suite->word_count; i++) {
		if (!strcmp(step->suite->words[i], program->kept))
			return true;
	}
	return false;
}

bool run_takes_any(const struct run_step *step)
{
	struct taken taken;

	for (size_t i = 1; i < step->suite->word_count; i++) {
		if (find_taken(step->suite->words[i], &taken))
			return true;
	}
	return false;
}

/* Checks that the used steps exist and have results. 0, or a diag_exit code after one line. */
static int check_taken(const struct run_plan *plan, const struct run_step *step)
{
	struct taken taken;
	size_t count = 0;

	for (size_t i = 1; i < step->suite->word_count; i++) {
		const struct run_step *other;
		bool is_left;

		if (!find_taken(step->suite->words[i], &taken))
			continue;
		other = find_step(plan, step, taken.name);
		is_left = !taken.file_length || (other && leaves(other, &taken));
		if (other && other != step && other->program->result && is_left && ++count <= RUN_TAKES_MAX)
			continue;
		return diag_usage("%s:%u: step %s: %s: %s", plan->text.file, step->suite->line, step->suite->name,
			step->suite->words[i],
			other == step ? "it cannot use its own result"
			: other && !other->program->result ? "that step has no result to use"
			: !other   ? "there is no step of that name"
			: !is_left ? "that step leaves no file of this name next to its result"
				   : "it uses more than 4 results");
	}
	return DIAG_EXIT_OK;
}

/* Of the runs that have a result the last one that began. NULL = there is none. */
static const struct run_record *newest(const struct run_step *step, unsigned *number)
{
	const struct run_record *record = NULL;

	for (unsigned i = 0; i < step->runs; i++) {
		const struct run_record *other = &step->records[i];

		if (!run_state_is_final(other->state) || (record && strcmp(other->wall_start, record->wall_start) < 0))
			continue;
		record = other;
		*number = i + 1;
	}
	return record;
}

static int fill_word(const struct run_plan *plan, const struct run_step *taker, struct run_words *words,
	const char **word, char *why, size_t length)
{
	const struct run_step *step;
	struct taken taken;
	unsigned number = 0;
	char *filled;

	if (!find_taken(*word, &taken))
		return 0;
	step = find_step(plan, taker, taken.name);
	if (!step || !newest(step, &number)) {
		snprintf(why, length, "it takes the result of step %s, which has none", taken.name);
		return -ENOENT;
	}
	if (asprintf(&filled, "%.*s../%s/%u/%s%s", (int)(taken.begin - *word), *word, step->name, number,
		    taken.file_length ? step->program->side_file : step->program->result, taken.end) < 0)
		return -ENOMEM;
	words->taken[words->taken_count++] = filled;
	*word = filled;
	return 0;
}

int run_takes_fill(const struct run_plan *plan, const struct run_step *step, struct run_words *words, char *why,
	size_t length)
{
	size_t own = step->suite->word_count - (step->program->command ? 2 : 1), count = 0;
	int err = 0;

	while (words->words[count])
		count++;
	/* Before them are a path and labels, which may hold anything. */
	for (size_t i = count - own; i < count && !err && words->taken_count < RUN_TAKES_MAX; i++)
		err = fill_word(plan, step, words, &words->words[i], why, length);
	return err;
}

/* The path is kept absolute: the program runs in a folder of its own. */
static int find_program(struct run_step *step)
{
	const char *name = step->suite->words[0];
	char path[PATH_MAX];
	int err = -ENOENT;

	if (strchr(name, '/'))
		err = snprintf(path, sizeof(path), "%s", name) < (int)sizeof(path) && !access(path, X_OK) ? 0 : -ENOENT;
	else if (step->bin)
		err = run_find_in(step->bin, name, path, sizeof(path));
	if (err && step->bin && step->program->result)
		return diag_usage("%s: has no program %s, which step %s runs; name the folder that it is in", step->bin, name,
			step->name);
	if (err && !strchr(name, '/'))
		err = run_find(name, path, sizeof(path));
	if (err) {
		snprintf(step->skipped, sizeof(step->skipped),
			"%.160s is not installed: neither in memstor's folder nor in PATH", name);
		return DIAG_EXIT_OK;
	}
	step->path = realpath(path, NULL);
	if (step->path)
		return DIAG_EXIT_OK;
	return diag_usage_errno(errno, "%s", path);
}

static int make_step(struct run_plan *plan, const struct suite_step *suite, int side, struct run_step *step)
{
	static const char *const sides[RUN_SIDES] = {"base/", "new/"};
	const struct run_options *options = plan->options;
	char known[256];

	step->suite = suite;
	step->bin = plan->bins[side];
	snprintf(step->name, sizeof(step->name), "%s%s", step->bin ? sides[side] : "", suite->name);
	step->program = suite->is_command ? &run_program_command : run_program(suite->words);
	if (!step->program) {
		run_program_names(known, sizeof(known));
		return diag_usage("%s:%u: '%s' is not a program of the suite; allowed: %s; start another program by a line: "
			"command PROGRAM", plan->text.file, suite->line, suite->words[0], known);
	}
	step->is_selected = !options->only_count;
	for (size_t i = 0; i < options->only_count; i++)
		step->is_selected |= !fnmatch(options->only[i], suite->name, 0);
	step->runs = options->runs ? options->runs : suite->repeat;
	step->warmup = options->has_warmup ? options->warmup : suite->warmup;
	step->records = calloc(step->runs, sizeof(*step->records));
	if (!step->records)
		return diag_usage_errno(ENOMEM, "%s", plan->text.file);
	for (unsigned i = 0; i < step->runs; i++)
		step->records[i].exit_status = -1;
	for (size_t i = 1; i < suite->word_count; i++) {
		const char *reserved = run_program_reserves(step->program, suite->words[i]), *kept = step->program->kept;
		bool is_kept = reserved && kept && !strncmp(kept, reserved, strlen(reserved));

		if (reserved)
			return diag_usage(
				"%s:%u: step %s: %s cannot be given%s%s: memstor run gives the report its name and runs the step",
				plan->text.file, suite->line, step->name, reserved, is_kept ? " but as " : "", is_kept ? kept : "");
	}
	return find_program(step);
}

static int read_suite(struct run_plan *plan)
{
	const struct run_options *options = plan->options;
	const struct suite_scope settings = {options->set_count, options->sets};
	size_t sides = options->bins[0] ? RUN_SIDES : 1;
	char why[1024];
	int code = suite_find(options->suite, &plan->text);

	if (code)
		return code;
	if (suite_parse(plan->text.file, plan->text.folder, plan->text.text, plan->text.size, &settings, &plan->suite, why,
		sizeof(why)))
		return diag_usage("%s", why);
	for (size_t i = 0; sides > 1 && i < RUN_SIDES; i++) {
		plan->bins[i] = realpath(options->bins[i], NULL);
		if (!plan->bins[i])
			return diag_usage_errno(errno, "%s %s", i ? "--new-bin" : "--base-bin", options->bins[i]);
	}
	plan->steps = calloc(plan->suite.step_count * sides, sizeof(*plan->steps));
	if (!plan->steps)
		return diag_usage_errno(ENOMEM, "%s", plan->text.file);
	plan->step_count = plan->suite.step_count * sides;
	for (size_t i = 0; i < plan->step_count && !code; i++)
		code = make_step(plan, &plan->suite.steps[i / sides], (int)(i % sides), &plan->steps[i]);
	for (size_t i = 0; i < plan->step_count && !code; i++)
		code = check_taken(plan, &plan->steps[i]);
	for (size_t i = 0; i < options->only_count && !code; i++) {
		bool is_found = false;

		for (size_t j = 0; j < plan->step_count && !is_found; j++)
			is_found = !fnmatch(options->only[i], plan->steps[j].suite->name, 0);
		if (!is_found)
			code = diag_usage("--step '%s': no step of %s has this name; memstor run --dry-run lists them",
				options->only[i], plan->text.file);
	}
	return code;
}

/* Finds the folder in which programs check their options, and whose file system must have space for the results. */
static int find_near(struct run_plan *plan)
{
	const char *folder = plan->options->folder ? plan->options->folder : "x";
	size_t length = strlen(folder);
	struct stat status;
	const char *slash;

	while (length > 1 && folder[length - 1] == '/')
		length--;
	if (stat(folder, &status) || !S_ISDIR(status.st_mode) || !plan->options->folder) {
		slash = memrchr(folder, '/', length);
		length = slash ? (slash == folder ? 1 : (size_t)(slash - folder)) : 0;
	}
	if (snprintf(plan->near, sizeof(plan->near), "%.*s", (int)(length ? length : 1), length ? folder : ".") <
		    (int)sizeof(plan->near) &&
		!access(plan->near, W_OK | X_OK))
		return DIAG_EXIT_OK;
	return diag_usage_errno(errno, "-o %s: cannot be made in %s", plan->options->folder ? plan->options->folder : "DIR",
		plan->near);
}

int run_plan_make(const struct run_options *options, struct run_plan *plan)
{
	struct run_session *session = &plan->sessions[0];
	int code;

	memset(plan, 0, sizeof(*plan));
	plan->options = options;
	code = read_suite(plan);
	if (!code)
		code = find_near(plan);
	if (code)
		return code;
	if (machine_read("", &plan->machine))
		return diag_host(0, MACHINE_UNREADABLE);
	plan->check_count = machine_checks("", &plan->machine, plan->checks, RUN_CHECKS_MAX);
	plan->session_count = 1;
	run_moment(session->wall_start);
	snprintf(session->boot_id, sizeof(session->boot_id), "%s", plan->machine.boot_id);
	if (run_order(plan))
		return diag_usage("%s: more than %d runs", plan->text.file, RUN_TURNS_MAX);
	return run_check_steps(plan);
}

void run_plan_free(struct run_plan *plan)
{
	for (size_t i = 0; i < plan->step_count; i++) {
		free(plan->steps[i].path);
		free(plan->steps[i].records);
	}
	for (size_t i = 0; i < RUN_SIDES; i++)
		free(plan->bins[i]);
	free(plan->steps);
	free(plan->turns);
	suite_free(&plan->suite);
	suite_text_free(&plan->text);
	memset(plan, 0, sizeof(*plan));
}

void run_words_make(const struct run_plan *plan, const struct run_step *step, unsigned number, const char *report,
	struct run_words *words)
{
	const struct run_program *program = step->program;
	size_t count = 0;

	snprintf(words->labels[0], sizeof(words->labels[0]), "suite=%s", plan->text.name);
	snprintf(words->labels[1], sizeof(words->labels[1]), "step=%s", step->suite->name);
	snprintf(words->labels[2], sizeof(words->labels[2]), "run=%u", number);
	/* Before the step's own, which may end the options. */
	words->words[count++] = step->suite->words[0];
	if (program->command)
		words->words[count++] = program->command;
	if (program->result)
		words->words[count++] = report ? program->output : program->check;
	if (program->result && report)
		words->words[count++] = report;
	for (size_t i = 0; program->label && i < 3 + plan->options->label_count; i++) {
		words->words[count++] = program->label;
		words->words[count++] = i < 3 ? words->labels[i] : plan->options->labels[i - 3];
	}
	for (size_t i = program->command ? 2 : 1; i < step->suite->word_count; i++)
		words->words[count++] = step->suite->words[i];
	words->words[count] = NULL;
}

void run_words_free(struct run_words *words)
{
	for (size_t i = 0; i < words->taken_count; i++)
		free(words->taken[i]);
	words->taken_count = 0;
}
