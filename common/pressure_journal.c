/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "common/pressure_journal.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/pressure_run.h"
#include "common/swap.h"

#define PEERS 64

_Static_assert(JOURNAL_UUID_BYTES == SWAP_UUID_BYTES, "swap areas are marked with the journal's");

/* Line: "word a b path", the path last because it may have blanks. */
static const char *const act_words[] = {
	[PRESSURE_ACT_PAGE_CLUSTER] = "page-cluster",
	[PRESSURE_ACT_SWAPPINESS] = "swappiness",
	[PRESSURE_ACT_HOT_ADD] = "hot-add",
	[PRESSURE_ACT_ZRAM] = "zram",
	[PRESSURE_ACT_FILE] = "file",
	[PRESSURE_ACT_LOOP] = "loop",
	[PRESSURE_ACT_SWAP] = "swap",
	[PRESSURE_ACT_DEVICE] = "device",
	[PRESSURE_ACT_CGROUP] = "cgroup",
};
#define ACT_COUNT (sizeof(act_words) / sizeof(act_words[0]))

const char *pressure_journal_dir(void)
{
	const char *dir = secure_getenv(PRESSURE_DIR_VARIABLE);

	return dir && dir[0] ? dir : PRESSURE_DIR;
}

int pressure_journal_append(const struct journal *journal, const struct pressure_action *action)
{
	char line[600];

	snprintf(line, sizeof(line), "%s %" PRIu64 " %" PRIu64 " %s", act_words[action->act], action->a, action->b,
		action->path);
	return journal_append(journal, line);
}

static bool parse_action(const char *line, struct pressure_action *action)
{
	char word[16];
	int path_at = 0;

	if (sscanf(line, "%15s %" SCNu64 " %" SCNu64 "%n", word, &action->a, &action->b, &path_at) != 3)
		return false;
	if (line[path_at] == ' ')
		path_at++;
	if (snprintf(action->path, sizeof(action->path), "%s", line + path_at) >= (int)sizeof(action->path))
		return false;
	for (size_t i = 0; i < ACT_COUNT; i++) {
		if (!strcmp(word, act_words[i])) {
			action->act = (enum pressure_act)i;
			return true;
		}
	}
	return false;
}

static int check(struct journal *journal)
{
	struct pressure_action actions[PRESSURE_ACTIONS];
	size_t count;

	return pressure_journal_load(journal, actions, &count);
}

const struct journal_kind pressure_journal_kind = {
	.magic = "with-pressure-journal 1",
	.check = check,
	.undo = pressure_undo,
};

struct taken {
	struct pressure_action *actions;
	size_t count;
};

static int take(void *arg, const char *line)
{
	struct taken *taken = arg;

	if (taken->count == PRESSURE_ACTIONS || !parse_action(line, &taken->actions[taken->count]))
		return -EBADMSG;
	taken->count++;
	return 0;
}

int pressure_journal_load(struct journal *journal, struct pressure_action actions[PRESSURE_ACTIONS], size_t *count)
{
	struct taken taken = {.actions = actions};
	int ret = journal_load(&pressure_journal_kind, journal, take, &taken);

	if (!ret)
		*count = taken.count;
	return ret;
}

int pressure_journal_peek(const char *dir, const char *name, struct journal *journal,
	struct pressure_action actions[PRESSURE_ACTIONS], size_t *count)
{
	struct taken taken = {.actions = actions};
	int ret = journal_peek(&pressure_journal_kind, dir, name, journal, take, &taken);

	if (!ret)
		*count = taken.count;
	return ret;
}

const char *pressure_setting_path(enum pressure_act act)
{
	switch (act) {
	case PRESSURE_ACT_PAGE_CLUSTER:
		return "/proc/sys/vm/page-cluster";
	case PRESSURE_ACT_SWAPPINESS:
		return "/proc/sys/vm/swappiness";
	default:
		return NULL;
	}
}

bool pressure_journal_others_setting(const struct journal *journal, enum pressure_act act, struct pressure_action *found)
{
	char names[PEERS][JOURNAL_NAME];
	size_t count;

	if (journal_list(journal->dir, names, PEERS, &count))
		return false;
	for (size_t i = 0; i < count; i++) {
		struct pressure_action actions[PRESSURE_ACTIONS];
		struct journal other;
		size_t acts;

		if (!strcmp(names[i], journal->name) ||
			pressure_journal_peek(journal->dir, names[i], &other, actions, &acts) ||
			!other.is_this_boot)
			continue;
		for (size_t j = 0; j < acts; j++) {
			if (actions[j].act == act) {
				*found = actions[j];
				return true;
			}
		}
	}
	return false;
}
