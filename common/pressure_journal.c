/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "common/pressure_journal.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/diag.h"
#include "common/sysfs.h"

#define MAGIC "with-pressure-journal 1"
#define TEXT_LIMIT (64 * 1024)

/* Line: "word a b path", the path last because it may have blanks. */
static const char *const act_words[] = {
	[PRESSURE_ACT_PAGE_CLUSTER] = "page-cluster",
	[PRESSURE_ACT_HOT_ADD] = "hot-add",
	[PRESSURE_ACT_ZRAM] = "zram",
	[PRESSURE_ACT_FILE] = "file",
	[PRESSURE_ACT_LOOP] = "loop",
	[PRESSURE_ACT_SWAP] = "swap",
	[PRESSURE_ACT_CGROUP] = "cgroup",
};
#define ACT_COUNT (sizeof(act_words) / sizeof(act_words[0]))

static int boot_id(char text[64])
{
	return sysfs_read("", "/proc/sys/kernel/random/boot_id", text, 64);
}

static int write_line(int fd, const char *line, size_t length)
{
	ssize_t done = write(fd, line, length);

	if (done < 0 || fdatasync(fd))
		return -errno;
	return (size_t)done == length ? 0 : -ENOSPC;
}

/* Process numbers mean something only in the namespace that they are from. */
static uint64_t pid_namespace(void)
{
	struct stat stat_of;

	return stat("/proc/self/ns/pid", &stat_of) ? 0 : stat_of.st_ino;
}

static int write_heading(const struct pressure_journal *journal)
{
	char line[256], boot[64], uuid[2 * SWAP_UUID_BYTES + 1];
	int length, ret = boot_id(boot);

	if (ret)
		return ret;
	for (size_t i = 0; i < SWAP_UUID_BYTES; i++)
		snprintf(uuid + 2 * i, 3, "%02x", journal->uuid[i]);
	length = snprintf(line, sizeof(line), MAGIC " %s %s %" PRIu64 "\n", boot, uuid, pid_namespace());
	return write_line(journal->fd, line, (size_t)length);
}

/* A name that no other run has, or ever had in this boot. */
static int choose_name(struct pressure_journal *journal)
{
	uint64_t ticks;
	int ret = pressure_journal_start_time(getpid(), &ticks);

	if (ret)
		return ret;
	if (getrandom(journal->uuid, SWAP_UUID_BYTES, 0) != SWAP_UUID_BYTES)
		return -EIO;
	snprintf(journal->name, sizeof(journal->name), "%d-%" PRIu64 "-%02x%02x%02x%02x", (int)getpid(),
		ticks, journal->uuid[0], journal->uuid[1], journal->uuid[2], journal->uuid[3]);
	return 0;
}

/* The file is made and locked under the folder's lock: nobody sees it without its lock, or the folder go. */
static int make_file(struct pressure_journal *journal)
{
	int dir_fd, fd, ret;

	do {
		if (mkdir(journal->dir, 0700) && errno != EEXIST)
			return -errno;
		ret = pressure_journal_lock_dir(journal->dir, &dir_fd);
	} while (ret == -ENOENT);
	if (ret)
		return ret;
	fd = openat(dir_fd, journal->name, O_RDWR | O_APPEND | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0 || flock(fd, LOCK_EX | LOCK_NB)) {
		ret = -errno;
		if (fd >= 0)
			close(fd);
	} else {
		journal->fd = fd;
	}
	close(dir_fd);
	return ret;
}

static void discard(struct pressure_journal *journal)
{
	int dir_fd;

	if (journal->fd < 0)
		return;
	if (!pressure_journal_lock_dir(journal->dir, &dir_fd)) {
		pressure_journal_remove(journal);
		close(dir_fd);
	}
	close(journal->fd);
}

int pressure_journal_create(struct pressure_journal *journal)
{
	struct pressure_journal made = {.fd = -1, .is_this_boot = true};
	int ret = 0;

	if (snprintf(made.dir, sizeof(made.dir), "%s", pressure_journal_dir()) >= (int)sizeof(made.dir))
		ret = -ENAMETOOLONG;
	if (!ret)
		ret = choose_name(&made);
	if (!ret)
		ret = make_file(&made);
	if (!ret)
		ret = write_heading(&made);
	if (ret) {
		diag_error(ret, "cannot make a journal in %s (the folder must belong to this user alone)",
			pressure_journal_dir());
		discard(&made);
		return ret;
	}
	*journal = made;
	return 0;
}

int pressure_journal_open(const char *dir, const char *name, struct pressure_journal *journal)
{
	struct pressure_journal found = {.fd = -1};
	struct stat stat;
	char path[512];
	int ret = 0;

	snprintf(found.dir, sizeof(found.dir), "%s", dir);
	snprintf(found.name, sizeof(found.name), "%s", name);
	snprintf(path, sizeof(path), "%s/%s", dir, name);
	found.fd = open(path, O_RDWR | O_APPEND | O_CLOEXEC | O_NOFOLLOW);
	if (found.fd < 0)
		return -errno;
	if (flock(found.fd, LOCK_EX | LOCK_NB) || fstat(found.fd, &stat))
		ret = -errno;
	else if (!stat.st_nlink || !S_ISREG(stat.st_mode))
		ret = -ENOENT; /* its keeper finished between our open and our lock */
	if (ret)
		close(found.fd);
	else
		*journal = found;
	return ret;
}

int pressure_journal_peek(const char *dir, const char *name, struct pressure_journal *journal,
	struct pressure_action actions[PRESSURE_ACTIONS], size_t *count)
{
	struct pressure_journal found = {.fd = -1};
	char path[512];
	int ret;

	snprintf(found.dir, sizeof(found.dir), "%s", dir);
	snprintf(found.name, sizeof(found.name), "%s", name);
	snprintf(path, sizeof(path), "%s/%s", dir, name);
	found.fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	if (found.fd < 0)
		return -errno;
	ret = pressure_journal_load(&found, actions, count);
	close(found.fd);
	found.fd = -1;
	if (!ret)
		*journal = found;
	return ret;
}

int pressure_journal_append(const struct pressure_journal *journal, const struct pressure_action *action)
{
	char line[600];
	int length = snprintf(line, sizeof(line), "%s %" PRIu64 " %" PRIu64 " %s\n", act_words[action->act],
		action->a, action->b, action->path);
	int ret = length < (int)sizeof(line) ? write_line(journal->fd, line, (size_t)length) : -ENAMETOOLONG;

	if (ret)
		diag_error(ret, "cannot write the journal %s/%s", journal->dir, journal->name);
	return ret;
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

static bool parse_heading(const char *line, struct pressure_journal *journal)
{
	char boot[64], now[64], uuid[64];
	uint64_t namespace;

	if (sscanf(line, MAGIC " %63s %63s %" SCNu64, boot, uuid, &namespace) != 3 ||
		strlen(uuid) != 2 * SWAP_UUID_BYTES)
		return false;
	for (size_t i = 0; i < SWAP_UUID_BYTES; i++)
		if (sscanf(uuid + 2 * i, "%2hhx", &journal->uuid[i]) != 1)
			return false;
	journal->is_this_boot = !boot_id(now) && !strcmp(boot, now);
	journal->is_this_namespace = namespace == pid_namespace();
	return true;
}

/* Fills what is there; a heading cut off means that nothing was done yet. */
static int parse_text(
	char *text, struct pressure_journal *journal, struct pressure_action *actions, size_t *count)
{
	char *rest = text, *line = strsep(&rest, "\n");
	size_t found = 0;

	if (rest && !parse_heading(line, journal))
		return -EBADMSG;
	/* The piece after the last newline is not a line. */
	while (rest && (line = strsep(&rest, "\n")) && rest) {
		if (found == PRESSURE_ACTIONS || !parse_action(line, &actions[found]))
			return -EBADMSG;
		found++;
	}
	*count = found;
	return 0;
}

int pressure_journal_load(
	struct pressure_journal *journal, struct pressure_action actions[PRESSURE_ACTIONS], size_t *count)
{
	char path[64], *text;
	size_t size;
	int ret;

	/* Through the descriptor, not the name: it is the locked file that is read. */
	snprintf(path, sizeof(path), "/proc/self/fd/%d", journal->fd);
	ret = sysfs_slurp("", path, TEXT_LIMIT, &text, &size);
	if (ret)
		return ret;
	ret = parse_text(text, journal, actions, count);
	free(text);
	return ret;
}

int pressure_journal_set_aside(const struct pressure_journal *journal)
{
	char from[512], to[512];

	snprintf(from, sizeof(from), "%s/%s", journal->dir, journal->name);
	snprintf(to, sizeof(to), "%s/" PRESSURE_SET_ASIDE, journal->dir, journal->name);
	return rename(from, to) ? -errno : 0;
}

int pressure_journal_remove(const struct pressure_journal *journal)
{
	char path[512];

	snprintf(path, sizeof(path), "%s/%s", journal->dir, journal->name);
	if (unlink(path) && errno != ENOENT)
		return -errno;
	rmdir(journal->dir); /* fails while others have journals there, as it should */
	return 0;
}
