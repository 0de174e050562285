/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Actions as lines of a journal: "word a b path ours twin before", blanks and the like as in mountinfo. */
#include "config.h"
#include "common/undo_private.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/sysfs.h"

#define EMPTY "\\000"

/* The guardian has another working folder: all names are absolute. */
static int make_absolute(const char *name, char dir[UNDO_DIR])
{
	char here[UNDO_DIR];
	int length;

	if (name[0] == '/')
		length = snprintf(dir, UNDO_DIR, "%s", name);
	else if (getcwd(here, sizeof(here)))
		length = snprintf(dir, UNDO_DIR, "%s/%s", here, name);
	else
		return errno == ERANGE ? -ENAMETOOLONG : -errno;
	return length < UNDO_DIR ? 0 : -ENAMETOOLONG;
}

int undo_dir(const char *program, char dir[UNDO_DIR])
{
	char variable[64], folder[64];
	const char *set;

	if (snprintf(variable, sizeof(variable), "%s_DIR", program) >= (int)sizeof(variable))
		return -ENAMETOOLONG;
	for (char *c = variable; *c; c++)
		*c = *c == '-' ? '_' : (char)toupper((unsigned char)*c);
	set = secure_getenv(variable);
	snprintf(folder, sizeof(folder), "/run/%s", program);
	return make_absolute(set && set[0] ? set : folder, dir);
}

/* " text" behind what is in line. */
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

	snprintf(line, UNDO_LINE_BYTES, "%s %" PRIu64 " %" PRIu64, undo_acts[action->act].word, action->a, action->b);
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
		if (!strcmp(word, undo_acts[i].word)) {
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
	if (list->count == list->room) {
		size_t room = list->room ? 2 * list->room : 16;
		struct undo_action *larger = reallocarray(list->actions, room, sizeof(*larger));

		if (!larger)
			return -ENOMEM;
		list->actions = larger;
		list->room = room;
	}
	list->actions[list->count++] = *action;
	return 0;
}

void undo_list_free(struct undo_list *list)
{
	free(list->actions);
	*list = (struct undo_list){0};
}

struct taking {
	bool (*allows)(const struct undo_action *action);
	struct undo_list *list;
};

static int take(void *arg, const char *line)
{
	const struct taking *taking = arg;
	struct undo_action action;
	char copy[UNDO_LINE_BYTES];

	if (snprintf(copy, sizeof(copy), "%s", line) >= (int)sizeof(copy) || !parse(copy, &action))
		return -EBADMSG;
	/* Whatever has written this, it was not us. */
	if (!taking->allows(&action))
		return -EBADMSG;
	return undo_list_add(taking->list, &action);
}

static const struct undo_kind *kind_of(const struct journal *journal)
{
	return (const struct undo_kind *)journal->kind;
}

bool undo_journal_allows(const struct journal *journal, const struct undo_action *action)
{
	return kind_of(journal)->allows(action);
}

int undo_load(struct journal *journal, struct undo_list *list)
{
	struct taking taking = {.allows = kind_of(journal)->allows, .list = list};
	int ret = journal_load(journal->kind, journal, take, &taking);

	if (ret)
		undo_list_free(list);
	return ret;
}

int undo_peek(const struct journal *like, const char *name, struct journal *journal, struct undo_list *list)
{
	struct taking taking = {.allows = kind_of(like)->allows, .list = list};
	int ret = journal_peek(like->kind, like->dir, name, journal, take, &taking);

	if (ret)
		undo_list_free(list);
	return ret;
}

static int check(struct journal *journal)
{
	struct undo_list list = {0};
	int ret = undo_load(journal, &list);

	undo_list_free(&list);
	return ret;
}

struct undo_kind undo_kind(undo_allows_fn *allows)
{
	return (struct undo_kind){
		.journal = {.magic = "memstor-journal 1", .check = check, .undo = undo_all}, .allows = allows};
}
