/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "common/pressure_run.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "common/diag.h"

#define JOURNALS 256
#define PAUSE_MS 20
#define TRIES (5 * 1000 / PAUSE_MS)

/* A killed guardian holds the lock until the kernel is done with it, and one whose front was killed until it
 * has restored: both are over soon. */
static int open_when_free(const char *dir, const char *name, struct pressure_journal *journal)
{
	const struct timespec pause = {.tv_nsec = PAUSE_MS * 1000 * 1000};
	int ret = pressure_journal_open(dir, name, journal);

	for (int tries = 0; ret == -EWOULDBLOCK && tries < TRIES; tries++) {
		if (!pressure_journal_is_orphan(dir, name))
			break;
		nanosleep(&pause, NULL);
		ret = pressure_journal_open(dir, name, journal);
	}
	return ret;
}

/* is_found: nobody holds it, and it is being restored. */
static int recover(const char *dir, const char *name, bool *is_found)
{
	struct pressure_journal journal;
	int ret = open_when_free(dir, name, &journal);

	*is_found = !ret;
	if (ret == -EWOULDBLOCK || ret == -ENOENT)
		return 0;
	if (ret) {
		diag_error(ret, "cannot open the journal %s/%s", dir, name);
		return ret;
	}
	diag_info("found the journal %s of a run that was killed", name);
	ret = pressure_undo(&journal, true);
	close(journal.fd);
	return ret;
}

/* is_found: it cannot be read, and has another name now. */
static int set_aside(const char *dir, const char *name, bool *is_found)
{
	struct pressure_action actions[PRESSURE_ACTIONS];
	struct pressure_journal journal;
	size_t count;
	int ret;

	*is_found = false;
	if (open_when_free(dir, name, &journal))
		return 0; /* recovery says why */
	if (!pressure_journal_is_unreadable(pressure_journal_load(&journal, actions, &count))) {
		close(journal.fd);
		return 0;
	}
	ret = pressure_journal_set_aside(&journal);
	if (ret)
		diag_error(ret, "cannot rename the journal %s/%s to " PRESSURE_SET_ASIDE, dir, name, name);
	else
		diag_info("set aside as %s/" PRESSURE_SET_ASIDE ": nothing that it lists was put back", dir, name);
	*is_found = !ret;
	close(journal.fd);
	return ret;
}

static int for_each(int (*what)(const char *dir, const char *name, bool *is_found), unsigned *journals)
{
	char (*names)[PRESSURE_NAME] = calloc(JOURNALS, sizeof(*names));
	const char *dir = pressure_journal_dir();
	unsigned found = 0;
	size_t count = 0;
	int first = names ? pressure_journal_list(dir, names, JOURNALS, &count) : -ENOMEM;

	if (first) {
		diag_error(first,
			"cannot read the journals in %s (the folder must belong to this user alone)", dir);
		free(names);
		return first;
	}
	for (size_t i = 0; i < count; i++) {
		bool is_found;
		int ret = what(dir, names[i], &is_found);

		found += is_found;
		if (ret && !first)
			first = ret;
	}
	free(names);
	*journals = found;
	return first;
}

int pressure_recover(unsigned *journals)
{
	return for_each(recover, journals);
}

int pressure_set_aside(unsigned *journals)
{
	return for_each(set_aside, journals);
}
