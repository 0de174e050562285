/* SPDX-License-Identifier: GPL-3.0-or-later */
/* --at: what it says, and each mistake's message. */
#include "config.h"
#include "tests/unit/unit.h"
#include "ssd-workloads/record/script.h"

#define MS 1000000ull

static struct script_command command_of(const char *text)
{
	struct script script = {.count = 0};
	const char *why = NULL;

	if (script_add(&script, text, &why))
		fail_msg("%s: %s", text, why);
	assert_int_equal(script.count, 1);
	return script.commands[0];
}

TEST("a command is parsed into time, action and value, with blanks or without")
{
	static const struct { const char *text; uint64_t at_ns; enum script_action action; uint32_t number; } cases[] = {
		{"0:freeze", 0, SCRIPT_FREEZE, 0}, {"1.5s: freeze ", 1500 * MS, SCRIPT_FREEZE, 0},
		{"20ms:arm", 20 * MS, SCRIPT_ARM, 0},
		{"1:clear", 1000 * MS, SCRIPT_CLEAR, 0}, {"1:reset", 1000 * MS, SCRIPT_RESET, 0},
		{"1ms:sample 1/1", MS, SCRIPT_SAMPLE, 1}, {"1ms:sample  1/1000000", MS, SCRIPT_SAMPLE, 1000000},
		{"1ms:stations all", MS, SCRIPT_STATIONS, UINT32_MAX}, {"1ms:stations 3", MS, SCRIPT_STATIONS, 1u << 3},
		{"1ms:stations 11,6-8", MS, SCRIPT_STATIONS, 1u << 6 | 1u << 7 | 1u << 8 | 1u << 11},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct script_command command = command_of(cases[i].text);

		if (command.at_ns != cases[i].at_ns || command.action != cases[i].action || command.number != cases[i].number)
			fail_msg("%s: %llu, %d, %u", cases[i].text, (unsigned long long)command.at_ns, (int)command.action,
				command.number);
	}
}

TEST("freeze-if takes a condition, and what is kept after it")
{
	struct script_command command = command_of("2s:freeze-if checkpoint.step(6,7)>1ms && busy>20 post 1000 ");

	assert_int_equal(command.action, SCRIPT_FREEZE_IF);
	assert_int_equal(command.freeze.count, 2);
	assert_string_equal(command.freeze.text, "checkpoint.step(6,7)>1ms && busy>20");
	assert_int_equal(command.post, 1000);
	command = command_of("2s:freeze-if own>1");
	assert_string_equal(command.freeze.text, "own>1");
	assert_int_equal(command.post, 0);
}

TEST("a malformed command is refused with its reason, and changes nothing")
{
	static const char form[] = "must be TIME:COMMAND, as 500ms:freeze";
	static const char alone[] = "freeze, arm, clear and reset take no argument";
	static const char sample[] = "sample takes 1/K, K from 1 to 1000000";
	static const char stations[] = "stations takes a list of numbers from 3 to 11, as 3,6-8, or all";
	static const char post[] = "post needs a number, as freeze-if latency>5ms post 1000";
	static const char word[] = "the command is freeze, freeze-if COND [post N], arm, clear, sample 1/K, stations LIST or reset";
	static const struct { const char *text, *why; } cases[] = {
		{"", form}, {"freeze", form}, {"1s", form}, {":freeze", form}, {"soon:freeze", form}, {"-1s:freeze", form},
		{"1s:", word}, {"1s:thaw", word}, {"1s:Freeze", word}, {"1s:freezer", word},
		{"1s:dump", "a dump is written at the end of the run; give --dump"},
		{"1s:freeze now", alone}, {"1s:arm 1", alone}, {"1s:clear x", alone}, {"1s:reset all", alone},
		{"1s:sample", sample}, {"1s:sample 10", sample}, {"1s:sample 1/0", sample}, {"1s:sample 2/10", sample},
		{"1s:sample 1/1000001", sample}, {"1s:stations", stations}, {"1s:stations 2", stations},
		{"1s:stations 12", stations},
		{"1s:stations 3;4", stations}, {"1s:freeze-if own>1 post", post}, {"1s:freeze-if own>1 post5", post},
		{"1s:freeze-if own>1 post -1", post}, {"1s:freeze-if own>1 post 4294967296", post},
		{"1s:freeze-if", "a term is missing: it is TERM or TERM&&TERM, as log.latency>5ms&&other>=8"},
	};
	struct script script = {.count = 0};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *why = NULL;

		if (script_add(&script, cases[i].text, &why) != -EINVAL)
			fail_msg("%s was taken", cases[i].text);
		if (strcmp(why, cases[i].why) != 0)
			fail_msg("%s: %s", cases[i].text, why);
		assert_int_equal(script.count, 0);
	}
}

TEST("sixteen commands are taken, and the last one in time is known")
{
	struct script script = {.count = 0};
	const char *why = NULL;

	assert_int_equal(script_last_ns(&script), 0);
	for (unsigned i = 0; i < SCRIPT_COMMANDS; i++)
		assert_int_equal(script_add(&script, i == 3 ? "9s:arm" : "1s:clear", &why), 0);
	assert_int_equal(script_add(&script, "1s:clear", &why), -EINVAL);
	assert_string_equal(why, "up to 16 commands are allowed");
	assert_int_equal(script_last_ns(&script), 9000 * MS);
	assert_false(script_has_condition(&script));
	script.commands[7] = command_of("0:freeze-if own>1");
	assert_true(script_has_condition(&script));
}
