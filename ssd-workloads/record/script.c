/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "ssd-workloads/record/script.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "common/base/units.h"

#define TEXT_BYTES (FREEZE_TEXT + 64)
#define STATION_FIRST 3u
#define BLANKS " \t"

/* rest: the arguments of the command, without blanks around them */
typedef int parse_fn(char *rest, struct script_command *command, const char **why);

static int parse_nothing(char *rest, struct script_command *command, const char **why)
{
	(void)command;
	*why = "freeze, arm, clear and reset take no argument";
	return *rest ? -EINVAL : 0;
}

/* No term of a condition contains "post". */
static int parse_condition(char *rest, struct script_command *command, const char **why)
{
	char *post = strstr(rest, "post");

	if (post) {
		char *number = post + strlen("post");

		*why = "post needs a number, as freeze-if latency>5ms post 1000";
		if (!strspn(number, BLANKS) ||
			units_parse_u64(number + strspn(number, BLANKS), 0, UINT32_MAX, &command->post))
			return -EINVAL;
		while (post > rest && strchr(BLANKS, post[-1]))
			post--;
		*post = '\0';
	}
	return freeze_parse(rest, &command->freeze, why);
}

static int parse_sample(char *rest, struct script_command *command, const char **why)
{
	uint64_t k;

	*why = "sample takes 1/K, K from 1 to 1000000";
	if (strncmp(rest, "1/", 2) != 0 || units_parse_u64(rest + 2, 1, 1000000, &k))
		return -EINVAL;
	command->number = (uint32_t)k;
	return 0;
}

static int parse_stations(char *rest, struct script_command *command, const char **why)
{
	unsigned stations[FREEZE_STATIONS];
	size_t count = 0;

	command->number = UINT32_MAX;
	if (!strcmp(rest, "all"))
		return 0;
	*why = "stations takes a list of numbers from 3 to 11, as 3,6-8, or all";
	if (units_parse_list(rest, FREEZE_STATIONS, stations, FREEZE_STATIONS, &count) || !count || stations[0] < STATION_FIRST)
		return -EINVAL;
	command->number = 0;
	for (size_t i = 0; i < count; i++)
		command->number |= 1u << stations[i];
	return 0;
}

static const struct {
	const char *word;
	parse_fn *parse;
} commands[] = {
	[SCRIPT_FREEZE] = {"freeze", parse_nothing},
	[SCRIPT_FREEZE_IF] = {"freeze-if", parse_condition},
	[SCRIPT_ARM] = {"arm", parse_nothing},
	[SCRIPT_CLEAR] = {"clear", parse_nothing},
	[SCRIPT_SAMPLE] = {"sample", parse_sample},
	[SCRIPT_STATIONS] = {"stations", parse_stations},
	[SCRIPT_RESET] = {"reset", parse_nothing},
};

static int parse_command(char *text, struct script_command *command, const char **why)
{
	size_t length;

	text += strspn(text, BLANKS);
	length = strcspn(text, BLANKS);
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		char *rest = text + length;

		if (strlen(commands[i].word) != length || strncmp(commands[i].word, text, length) != 0)
			continue;
		command->action = (enum script_action)i;
		return commands[i].parse(rest + strspn(rest, BLANKS), command, why);
	}
	*why = length == 4 && !strncmp(text, "dump", length)
		? "a dump is written at the end of the run; give --dump"
		: "the command is freeze, freeze-if COND [post N], arm, clear, sample 1/K, stations LIST or reset";
	return -EINVAL;
}

int script_add(struct script *script, const char *text, const char **why)
{
	struct script_command command = {.at_ns = 0};
	char copy[TEXT_BYTES];
	size_t length = strlen(text), colon = strcspn(text, ":");

	*why = "up to 16 commands are allowed";
	if (script->count == SCRIPT_COMMANDS)
		return -EINVAL;
	*why = "is too long";
	if (length >= sizeof(copy))
		return -EINVAL;
	snprintf(copy, sizeof(copy), "%s", text);
	while (length && strchr(BLANKS, copy[length - 1]))
		copy[--length] = '\0';
	*why = "must be TIME:COMMAND, as 500ms:freeze";
	if (colon >= length)
		return -EINVAL;
	copy[colon] = '\0';
	if (units_parse_duration(copy, &command.at_ns) || parse_command(copy + colon + 1, &command, why))
		return -EINVAL;
	script->commands[script->count++] = command;
	return 0;
}

uint64_t script_last_ns(const struct script *script)
{
	uint64_t last_ns = 0;

	for (size_t i = 0; i < script->count; i++)
		last_ns = script->commands[i].at_ns > last_ns ? script->commands[i].at_ns : last_ns;
	return last_ns;
}

bool script_has_condition(const struct script *script)
{
	for (size_t i = 0; i < script->count; i++) {
		if (script->commands[i].action == SCRIPT_FREEZE_IF)
			return true;
	}
	return false;
}
