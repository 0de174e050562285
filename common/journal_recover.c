/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What dead runs have left. */
#include "config.h"
#include "common/journal.h"

#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "common/diag.h"

#define JOURNALS 256
#define PAUSE_MS 20
#define TRIES (5 * 1000 / PAUSE_MS)

/* A killed guardian holds the lock until the kernel is done with it, and one whose front was killed until it
 * has restored: both are over soon. */
static int open_when_free(const struct journal_kind *kind, const char *dir, const char *name, struct journal *journal)
{
	const struct timespec pause = {.tv_nsec = PAUSE_MS * 1000 * 1000};
	int ret = journal_open(dir, name, journal);

	for (int tries = 0; ret == -EWOULDBLOCK && tries < TRIES; tries++) {
		if (!journal_is_orphan(kind, dir, name))
			break;
		nanosleep(&pause, NULL);
		ret = journal_open(dir, name, journal);
	}
	if (!ret)
		journal->kind = kind;
	return ret;
}

/* is_found: nobody holds it, and it is being restored. */
static int recover(const struct journal_kind *kind, const char *dir, const char *name, bool *is_found)
{
	struct journal journal;
	int ret = open_when_free(kind, dir, name, &journal);

	*is_found = !ret;
	if (ret == -EWOULDBLOCK || ret == -ENOENT)
		return 0;
	if (ret == -EPERM)
		diag_error(0, "%s/%s: not a file that this user alone can read and write under one name, so nothing that it "
			      "lists is restored; remove it", dir, name);
	else if (ret)
		diag_error(ret, "cannot open the journal %s/%s", dir, name);
	if (ret)
		return ret;
	diag_info("found the journal %s of a run that was killed", name);
	ret = kind->undo(&journal, true);
	close(journal.fd);
	return ret;
}

/* is_found: it cannot be read, and has another name now. */
static int set_aside(const struct journal_kind *kind, const char *dir, const char *name, bool *is_found)
{
	struct journal journal;
	int ret;

	*is_found = false;
	if (open_when_free(kind, dir, name, &journal))
		return 0; /* recovery says why */
	if (!journal_is_unreadable(kind->check(&journal))) {
		close(journal.fd);
		return 0;
	}
	ret = journal_set_aside(&journal);
	if (ret)
		diag_error(ret, "cannot rename the journal %s/%s to " JOURNAL_SET_ASIDE, dir, name, name);
	else
		diag_info("set aside as %s/" JOURNAL_SET_ASIDE ": nothing that it lists was put back", dir, name);
	*is_found = !ret;
	close(journal.fd);
	return ret;
}

/* One that was killed before it had a journal leaves the folder. */
static void remove_empty(const char *dir)
{
	int dir_fd;

	if (journal_lock_dir(dir, &dir_fd))
		return;
	journal_remove_dir(dir, dir_fd);
	close(dir_fd);
}

static int for_each(const struct journal_kind *kind, const char *dir,
	int (*what)(const struct journal_kind *kind, const char *dir, const char *name, bool *is_found), unsigned *count)
{
	char (*names)[JOURNAL_NAME] = calloc(JOURNALS, sizeof(*names));
	unsigned found = 0;
	size_t listed = 0;
	int first = names ? journal_list(dir, names, JOURNALS, &listed) : -ENOMEM;

	if (first) {
		diag_error(first,
			"cannot read the journals in %s (" JOURNAL_FOLDER_RULE ")", dir);
		free(names);
		return first;
	}
	for (size_t i = 0; i < listed; i++) {
		bool is_found;
		int ret = what(kind, dir, names[i], &is_found);

		found += is_found;
		if (ret && !first)
			first = ret;
	}
	free(names);
	remove_empty(dir);
	*count = found;
	return first;
}

int journal_recover(const struct journal_kind *kind, const char *dir, unsigned *count)
{
	return for_each(kind, dir, recover, count);
}

int journal_set_aside_unreadable(const struct journal_kind *kind, const char *dir, unsigned *count)
{
	return for_each(kind, dir, set_aside, count);
}
