/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a shell offers for pmbench's options is what they take, and all of it. */
#include "config.h"
#include "tests/unit/unit.h"
#include "common/host/timebase.h"
#include "pmbench/plan/options_parse.h"

static struct pmbench_options options;

static int set(const struct opt *row, const char *text)
{
	struct opt_value in = {.row = row, .options = &options, .text = text};

	return row->type == OPT_CHOICE ? opt_choice(row->choices, text) : row->set(&in);
}

static bool is_offered(const char *option, const char *word)
{
	const char *const *words = opt_row(pm_options, option)->choices;
	size_t length = strlen(word);

	for (; *words; words++) {
		if (!strncmp(*words, word, length) && (!(*words)[length] || !strcmp(*words + length, ":")))
			return true;
	}
	return false;
}

TEST("every offered value is accepted")
{
	size_t offered = 0;

	for (const struct opt *row = pm_options; row->type != OPT_END; row++) {
		for (const char *const *word = row->choices; word && *word; word++, offered++) {
			int rc = (*word)[strlen(*word) - 1] == ':' ? 0 : set(row, *word);

			/* -t: another architecture's timer is known, and said not to be here. */
			if (rc < 0 && !(rc == -ENOTSUP && row->letter == 't'))
				fail_msg("--%s %s is offered and refused: %d", row->name, *word, rc);
		}
	}
	assert_in_range(offered, 25, 60);
}

TEST("every accepted value is offered")
{
	for (unsigned i = 0; i < PATTERN_KINDS; i++)
		assert_true(is_offered("pattern", pattern_name((enum pattern_kind)i)));
	for (unsigned i = 0; i < TICKS_METHODS; i++)
		assert_true(is_offered("timestamp", timebase_method_name((enum ticks_method)i)));
	for (unsigned i = 0; i <= MAPPING_HUGETLB; i++)
		assert_true(is_offered("map", mapping_kind_name((enum mapping_kind)i)));
	for (unsigned i = 0; i <= CONTENT_RATIO; i++)
		assert_true(is_offered("content", mapping_content_name((enum mapping_content)i)));
	assert_false(is_offered("map", "ano"));
}

/* The part of a value behind the ":" is checked, so its beginning is the option's. */
TEST("an offer that ends in a colon begins a valid value")
{
	static const char *const whole[][2] = {
		{"map", "file:/x"}, {"content", "ratio:50"}, {"swap", "zram:1G"}, {"swap", "file:/x,1G"}, {"swap", "loop:/x,1G"}};

	for (size_t i = 0; i < sizeof(whole) / sizeof(whole[0]); i++) {
		const struct opt *row = opt_row(pm_options, whole[i][0]);
		char begin[16] = "";

		memcpy(begin, whole[i][1], strcspn(whole[i][1], ":"));
		assert_true(is_offered(whole[i][0], begin));
		assert_int_equal(set(row, whole[i][1]), 0);
	}
}
