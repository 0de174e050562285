/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "common/undo/undo_list.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/arena.h"
#include "common/base/sysfs.h"

#define PEERS 256 /* journals of one folder */

bool undo_is_setting(enum undo_act act)
{
	return act == UNDO_SETTING || act == UNDO_LINE || act == UNDO_SHARED;
}

size_t undo_key_length(const char *line)
{
	return strcspn(line, " ");
}

bool undo_is_same_place(const struct undo_action *one, const struct undo_action *other)
{
	size_t length = undo_key_length(one->ours);

	if (one->act != other->act || !undo_is_setting(one->act) || strcmp(one->path, other->path))
		return false;
	return one->act != UNDO_LINE ||
	       (length == undo_key_length(other->ours) && !strncmp(one->ours, other->ours, length));
}

const struct undo_action *undo_last_of(const struct undo_list *list, const struct undo_action *place)
{
	for (size_t i = list->count; i-- > 0;)
		if (undo_is_same_place(place, &list->actions[i]))
			return &list->actions[i];
	return NULL;
}

/* Lines of a journal: "word a b path ours twin before", with blanks and the like escaped as in mountinfo. */

#define EMPTY "\\000"

static const char *const words[UNDO_ACTS] = {
	[UNDO_SETTING] = "setting",
	[UNDO_LINE] = "line",
	[UNDO_SHARED] = "shared",
	[UNDO_FILE] = "file",
	[UNDO_FOLDER] = "folder",
	[UNDO_TRACE] = "trace",
	[UNDO_LOOP] = "loop",
	[UNDO_HOT_ADD] = "hot-add",
	[UNDO_ZRAM] = "zram",
	[UNDO_SWAP_FILE] = "swap-file",
	[UNDO_SWAP_LOOP] = "swap-loop",
	[UNDO_SWAP] = "swap",
	[UNDO_SWAP_DEVICE] = "swap-device",
	[UNDO_CGROUP] = "cgroup",
};

static int put_field(char line[UNDO_LINE_BYTES], const char *text)
{
	size_t used = strlen(line);
	int length;

	if (!*text)
		length = snprintf(line + used, UNDO_LINE_BYTES - used, " " EMPTY);
	else
		length = snprintf(line + used, UNDO_LINE_BYTES - used, " ");
	for (; *text && (size_t)length < UNDO_LINE_BYTES - used; text++) {
		unsigned char c = (unsigned char)*text;

		used += (size_t)length;
		length = c <= ' ' || c == '\\' || c == 127 ? snprintf(line + used, UNDO_LINE_BYTES - used, "\\%03o", c)
							   : snprintf(line + used, UNDO_LINE_BYTES - used, "%c", c);
	}
	return (size_t)length < UNDO_LINE_BYTES - used ? 0 : -ENAMETOOLONG;
}

int undo_format(const struct undo_action *action, char line[UNDO_LINE_BYTES])
{
	int ret;

	snprintf(line, UNDO_LINE_BYTES, "%s %" PRIu64 " %" PRIu64, words[action->act], action->a, action->b);
	ret = put_field(line, action->path);
	if (!ret)
		ret = put_field(line, action->ours);
	if (!ret)
		ret = put_field(line, action->twin);
	if (!ret)
		ret = put_field(line, action->before);
	return ret;
}

static bool take_word(char **rest, enum undo_act *act)
{
	const char *word = strsep(rest, " ");

	for (size_t i = 0; word && i < UNDO_ACTS; i++) {
		if (!strcmp(word, words[i])) {
			*act = (enum undo_act)i;
			return true;
		}
	}
	return false;
}

static bool take_number(char **rest, uint64_t *number)
{
	const char *word = strsep(rest, " "), *end = word ? sysfs_scan_u64(word, number) : NULL;

	return end && !*end;
}

static bool take_text(char **rest, char *text, size_t length)
{
	char *word = strsep(rest, " ");

	if (!word || !*word)
		return false;
	sysfs_unescape(word);
	return (size_t)snprintf(text, length, "%s", word) < length;
}

static bool parse(char *line, struct undo_action *action)
{
	*action = (struct undo_action){0};
	return take_word(&line, &action->act) && take_number(&line, &action->a) && take_number(&line, &action->b) &&
	       take_text(&line, action->path, sizeof(action->path)) &&
	       take_text(&line, action->ours, sizeof(action->ours)) &&
	       take_text(&line, action->twin, sizeof(action->twin)) &&
	       take_text(&line, action->before, sizeof(action->before)) && !line;
}

int undo_list_add(struct undo_list *list, const struct undo_action *action)
{
	if (arena_grow(&list->actions, &list->capacity, list->count, sizeof(*list->actions)))
		return -ENOMEM;
	list->actions[list->count++] = *action;
	return 0;
}

void undo_list_free(struct undo_list *list)
{
	free(list->actions);
	*list = (struct undo_list){0};
}

struct undo_taking {
	bool (*allows)(const struct undo_action *action);
	struct undo_list *list;
};

static int take(void *arg, const char *line)
{
	const struct undo_taking *taking = arg;
	struct undo_action action;
	char copy[UNDO_LINE_BYTES];

	if (snprintf(copy, sizeof(copy), "%s", line) >= (int)sizeof(copy) || !parse(copy, &action))
		return -EBADMSG;
	/* No run writes such an action. */
	if (!taking->allows(&action))
		return -EBADMSG;
	return undo_list_add(taking->list, &action);
}

int undo_load(struct journal *journal, struct undo_list *list)
{
	struct undo_taking taking = {.allows = journal->allows, .list = list};
	int ret = journal_load(journal, take, &taking);

	if (ret)
		undo_list_free(list);
	return ret;
}

bool undo_find_other(const struct journal *journal, const struct undo_action *action, char name[JOURNAL_NAME],
	struct undo_action *theirs)
{
	char (*names)[JOURNAL_NAME] = calloc(PEERS, sizeof(*names));
	bool is_found = false;
	size_t listed = 0;

	if (!names || journal_list(journal->dir, names, PEERS, &listed))
		listed = 0;
	for (size_t i = 0; i < listed && !is_found; i++) {
		struct undo_list list = {0};
		struct undo_taking taking = {.allows = journal->allows, .list = &list};
		struct journal other;

		if (!strcmp(names[i], journal->name))
			continue;
		if (journal_peek(journal->dir, names[i], &other, take, &taking)) {
			undo_list_free(&list);
			continue;
		}
		for (size_t j = 0; other.is_this_boot && j < list.count && !is_found; j++) {
			is_found = undo_is_same_place(action, &list.actions[j]);
			*theirs = list.actions[j];
		}
		if (is_found)
			memcpy(name, names[i], JOURNAL_NAME);
		undo_list_free(&list);
	}
	free(names);
	return is_found;
}
