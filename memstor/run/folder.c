/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "memstor/run/run.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include "common/diag.h"
#include "common/interrupt.h"
#include "common/report.h"
#include "common/report_file.h"

#define OPEN_FOLDERS 16
#define LOCK_PAUSE_MS 50
/* A killed memstor's keeper ends its program within the grace, and what that has left within half a minute more. */
#define LOCK_TRIES (45 * 1000 / LOCK_PAUSE_MS)

static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *at)
{
	(void)status, (void)kind, (void)at;
	return remove(path);
}

/* Links are removed, not followed. */
static int remove_tree(const char *path)
{
	if (!nftw(path, remove_one, OPEN_FOLDERS, FTW_DEPTH | FTW_PHYS | FTW_MOUNT))
		return 0;
	return errno == ENOENT ? 0 : -errno;
}

/* Refuses a folder that has other files, or with is_resume one that has files but no index. */
static int check_content(struct run_folder *folder, bool is_resume)
{
	DIR *listing = opendir(".");
	const struct dirent *entry;
	bool is_empty = true;

	if (!listing)
		return diag_usage_errno(errno, "-o %s", folder->given);
	while ((entry = readdir(listing))) {
		const char *name = entry->d_name;
		/* Files that are written before the index are no reason to refuse. */
		bool is_early = !strcmp(name, "suite.txt") || !strcmp(name, "machine.txt") || !strcmp(name, RUN_FOLDER_SCRATCH);

		if (!strcmp(name, ".") || !strcmp(name, ".."))
			continue;
		folder->is_begun |= !strcmp(name, "index.xml");
		is_empty &= is_resume && is_early;
	}
	closedir(listing);
	if (is_empty || (is_resume && folder->is_begun))
		return DIAG_EXIT_OK;
	if (is_resume)
		return diag_usage("-o %s: not a resumable run directory (no index.xml)", folder->given);
	if (folder->is_begun)
		return diag_usage("-o %s: already contains results; continue with --resume or name another DIR",
			folder->given);
	return diag_usage("-o %s: exists and is not empty: give the name of a new folder", folder->given);
}

/* Makes the folder unless it is there, opens, locks and enters it. */
static int enter_folder(const char *given, struct run_folder *folder)
{
	char path[PATH_MAX], name[NAME_MAX + 1];
	size_t length = strlen(given);
	struct stat status = {0};
	int place, err;

	/* For all that is written in it, by steps as well. */
	umask(umask(0) | S_IWGRP | S_IWOTH);
	while (length > 1 && given[length - 1] == '/')
		length--;
	err = snprintf(path, sizeof(path), "%.*s", (int)length, given) < (int)sizeof(path) ? 0 : -ENAMETOOLONG;
	if (!err)
		err = report_draft_place(path, &place, name);
	if (err == -EACCES)
		return diag_usage_errno(err,
			"-o %s: a folder of its path has no search permission, or is a link of another user", given);
	if (err)
		return diag_usage_errno(err, "-o %s: cannot be made", given);
	if (mkdirat(place, name, 0755) && errno != EEXIST) {
		err = errno;
		close(place);
		diag_error(err, "-o %s: cannot be made", given);
		return err == ENOSPC ? DIAG_EXIT_HOST : DIAG_EXIT_USAGE;
	}
	folder->lock = openat(place, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	err = folder->lock < 0 || fstat(folder->lock, &status) ? errno : 0;
	close(place);
	if (err)
		return diag_usage_errno(err == ENOTDIR ? 0 : err, "-o %s: %s", given,
			err == ENOTDIR ? "not a folder" : "cannot be opened");
	if (status.st_uid != geteuid())
		return diag_usage("-o %s: belongs to user %u (must be user %u, who runs this); give the name of a new folder",
			given, (unsigned)status.st_uid, (unsigned)geteuid());
	if (status.st_mode & (S_IWGRP | S_IWOTH))
		return diag_usage("-o %s: other users may write to it (mode %04o, must be 0755 or less); run chmod go-w on it",
			given, (unsigned)status.st_mode & 07777);
	if (flock(folder->lock, LOCK_EX | LOCK_NB))
		return diag_usage_errno(errno == EWOULDBLOCK ? 0 : errno, "-o %s: %s", given,
			errno == EWOULDBLOCK ? "another memstor run uses it" : "cannot be locked");
	if (!fchdir(folder->lock))
		return DIAG_EXIT_OK;
	return diag_usage_errno(errno, "-o %s: cannot be entered", given);
}

/* Makes, opens and locks .scratch. A keeper holds its lock, too, which so outlives a memstor that is killed. Returns 0 or
 * -errno. */
static int open_scratch(struct run_folder *folder)
{
	const struct timespec pause = {.tv_nsec = LOCK_PAUSE_MS * 1000 * 1000};

	if (mkdir(RUN_FOLDER_SCRATCH, 0755) && errno != EEXIST)
		return -errno;
	folder->scratch_lock = open(RUN_FOLDER_SCRATCH, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (folder->scratch_lock < 0)
		return -errno;
	for (int tries = 0; tries < LOCK_TRIES && !interrupt_signal(); tries++) {
		if (!flock(folder->scratch_lock, LOCK_EX | LOCK_NB))
			return 0;
		if (errno != EWOULDBLOCK)
			return -errno;
		if (!tries)
			diag_info("-o %s: the step of a killed run is still ending: waiting for it", folder->given);
		nanosleep(&pause, NULL);
	}
	return -EBUSY;
}

int run_folder_open(const char *given, bool is_resume, struct run_folder *folder)
{
	int code, err;

	memset(folder, 0, sizeof(*folder));
	folder->lock = folder->scratch_lock = -1;
	snprintf(folder->given, sizeof(folder->given), "%s", given);
	code = enter_folder(given, folder);
	if (!code)
		code = check_content(folder, is_resume);
	err = code ? 0 : open_scratch(folder);
	if (err)
		code = diag_host(err, "%s/" RUN_FOLDER_SCRATCH, folder->given);
	if (code)
		run_folder_close(folder);
	return code;
}

void run_folder_close(struct run_folder *folder)
{
	if (folder->scratch_lock >= 0) {
		remove_tree(RUN_FOLDER_SCRATCH);
		close(folder->scratch_lock);
	}
	if (folder->lock >= 0)
		close(folder->lock);
	folder->lock = folder->scratch_lock = -1;
}

int run_folder_part(const char *path)
{
	char made[PATH_MAX];
	int err = remove_tree(path);

	for (const char *slash = strchr(path, '/'); slash && !err; slash = strchr(slash + 1, '/')) {
		snprintf(made, sizeof(made), "%.*s", (int)(slash - path), path);
		if (mkdir(made, 0755) && errno != EEXIST)
			err = -errno;
	}
	return err ? err : mkdir(path, 0755) ? -errno : 0;
}

int run_folder_scratch(void)
{
	DIR *listing = opendir(RUN_FOLDER_SCRATCH);
	const struct dirent *entry;
	char path[PATH_MAX];
	int err = 0;

	if (!listing)
		return -errno;
	while (!err && (entry = readdir(listing))) {
		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
			continue;
		snprintf(path, sizeof(path), RUN_FOLDER_SCRATCH "/%s", entry->d_name);
		err = remove_tree(path);
	}
	closedir(listing);
	return err;
}

int run_folder_keep(const char *name, const char *path)
{
	char from[PATH_MAX], to[PATH_MAX];

	if (snprintf(from, sizeof(from), RUN_FOLDER_SCRATCH "/%s", name) >= (int)sizeof(from) ||
		snprintf(to, sizeof(to), "%s/%s", path, name) >= (int)sizeof(to))
		return -ENAMETOOLONG;
	return rename(from, to) && errno != ENOENT ? -errno : 0;
}

int run_folder_write(const char *name, const char *text, size_t size)
{
	char draft[PATH_MAX];
	int fd, err;

	if (snprintf(draft, sizeof(draft), RUN_FOLDER_SCRATCH "/%s", name) >= (int)sizeof(draft))
		return -ENAMETOOLONG;
	fd = open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0644);
	if (fd < 0)
		return -errno;
	err = report_write_all(fd, text, size);
	if (!err && fsync(fd) && errno != EINVAL)
		err = -errno;
	if (close(fd) && !err)
		err = -errno;
	if (!err && rename(draft, name))
		err = -errno;
	if (err)
		unlink(draft);
	return err;
}

uint64_t run_folder_space(void)
{
	struct statvfs fs;

	return statvfs(".", &fs) ? 0 : (uint64_t)fs.f_bavail * fs.f_frsize;
}
