/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "memstor/run/folder.h"

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
#include "memstor/run/child.h"

#define SCRATCH ".scratch"
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

static int join(const char *folder, const char *name, char *path)
{
	int used = snprintf(path, PATH_MAX, "%s/%s", folder, name);

	return used > 0 && used < PATH_MAX ? 0 : -ENAMETOOLONG;
}

int run_folder_path(const struct run_folder *folder, const char *name, char *path)
{
	return join(folder->path, name, path);
}

/* Files that are written before the index are no reason to refuse. */
static bool is_before_index(const char *name)
{
	return !strcmp(name, "suite.txt") || !strcmp(name, "machine.txt") || !strcmp(name, SCRATCH);
}

static int look_inside(struct run_folder *folder, bool is_resume)
{
	DIR *listing = opendir(folder->path);
	const struct dirent *entry;
	bool is_empty = true;

	if (!listing)
		return -errno;
	while ((entry = readdir(listing))) {
		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
			continue;
		if (!strcmp(entry->d_name, "index.xml"))
			folder->is_begun = true;
		if (!is_resume || !is_before_index(entry->d_name))
			is_empty = false;
	}
	closedir(listing);
	return is_empty || (is_resume && folder->is_begun) ? 0 : -ENOTEMPTY;
}

static int refuse_content(const struct run_folder *folder, bool is_resume, int err)
{
	if (err != -ENOTEMPTY)
		diag_error(err, "-o %s", folder->given);
	else if (is_resume)
		diag_error(0, "-o %s: has no index.xml, so it is no folder of memstor run that could be gone on with",
			folder->given);
	else if (folder->is_begun)
		diag_error(0, "-o %s: holds results already: --resume goes on with them, another DIR begins anew",
			folder->given);
	else
		diag_error(0, "-o %s: is there and is not empty: give the name of a new folder", folder->given);
	return DIAG_EXIT_USAGE;
}

static int make_folder(const char *given, struct run_folder *folder)
{
	int err;

	snprintf(folder->given, sizeof(folder->given), "%s", given);
	if (mkdir(given, 0777) && errno != EEXIST) {
		err = errno;
		diag_error(err, "-o %s: cannot be made", given);
		return err == ENOSPC ? DIAG_EXIT_HOST : DIAG_EXIT_USAGE;
	}
	if (!realpath(given, folder->path) || join(folder->path, SCRATCH, folder->scratch)) {
		diag_error(errno, "-o %s", given);
		return DIAG_EXIT_USAGE;
	}
	folder->lock = open(folder->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (folder->lock < 0) {
		err = errno;
		diag_error(err == ENOTDIR ? 0 : err, "-o %s: %s", given, err == ENOTDIR ? "is no folder" : "cannot be opened");
		return DIAG_EXIT_USAGE;
	}
	if (!flock(folder->lock, LOCK_EX | LOCK_NB))
		return DIAG_EXIT_OK;
	if (errno == EWOULDBLOCK)
		diag_error(0, "-o %s: another memstor run works in it", given);
	else
		diag_error(errno, "-o %s: cannot be locked", given);
	return DIAG_EXIT_USAGE;
}

static int lock_scratch(const struct run_folder *folder)
{
	const struct timespec pause = {.tv_nsec = LOCK_PAUSE_MS * 1000 * 1000};

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

/* Its lock is held by a keeper, too, and so outlives a memstor that is killed. */
static int open_scratch(struct run_folder *folder)
{
	int err = 0;

	if (mkdir(folder->scratch, 0777) && errno != EEXIST)
		err = -errno;
	if (!err) {
		folder->scratch_lock = open(folder->scratch, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		err = folder->scratch_lock < 0 ? -errno : lock_scratch(folder);
	}
	if (!err)
		return DIAG_EXIT_OK;
	diag_error(err, "%s", folder->scratch);
	return DIAG_EXIT_HOST;
}

int run_folder_open(const char *given, bool is_resume, struct run_folder *folder)
{
	int code, err;

	memset(folder, 0, sizeof(*folder));
	folder->lock = folder->scratch_lock = -1;
	code = make_folder(given, folder);
	if (!code) {
		err = look_inside(folder, is_resume);
		code = err ? refuse_content(folder, is_resume, err) : open_scratch(folder);
	}
	if (code)
		run_folder_close(folder);
	return code;
}

void run_folder_close(struct run_folder *folder)
{
	if (folder->scratch_lock >= 0) {
		remove_tree(folder->scratch);
		close(folder->scratch_lock);
	}
	if (folder->lock >= 0)
		close(folder->lock);
	folder->lock = folder->scratch_lock = -1;
}

int run_folder_part(const struct run_folder *folder, const char *name, const char *part, char *path)
{
	char step[PATH_MAX];
	int err = join(folder->path, name, step);

	if (!err)
		err = join(step, part, path);
	if (!err && mkdir(step, 0777) && errno != EEXIST)
		err = -errno;
	if (!err)
		err = remove_tree(path);
	if (!err && mkdir(path, 0777))
		err = -errno;
	return err;
}

int run_folder_scratch(const struct run_folder *folder)
{
	DIR *listing = opendir(folder->scratch);
	const struct dirent *entry;
	char path[PATH_MAX];
	int err = 0;

	if (!listing)
		return -errno;
	while (!err && (entry = readdir(listing))) {
		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
			continue;
		err = join(folder->scratch, entry->d_name, path);
		if (!err)
			err = remove_tree(path);
	}
	closedir(listing);
	return err;
}

int run_folder_keep(const struct run_folder *folder, const char *name, const char *path)
{
	char from[PATH_MAX], to[PATH_MAX];
	int err = join(folder->scratch, name, from);

	if (!err)
		err = join(path, name, to);
	if (err)
		return err;
	return rename(from, to) && errno != ENOENT ? -errno : 0;
}

static int write_all(int fd, const char *text, size_t size)
{
	while (size) {
		ssize_t done = write(fd, text, size);

		if (done < 0 && errno != EINTR)
			return -errno;
		if (done > 0) {
			text += done;
			size -= (size_t)done;
		}
	}
	return fsync(fd) && errno != EINVAL ? -errno : 0;
}

int run_folder_write(const struct run_folder *folder, const char *name, const char *text, size_t size)
{
	char path[PATH_MAX], draft[PATH_MAX];
	int err = join(folder->path, name, path), fd;

	if (!err)
		err = join(folder->scratch, name, draft);
	if (err)
		return err;
	fd = open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (fd < 0)
		return -errno;
	err = write_all(fd, text, size);
	if (close(fd) && !err)
		err = -errno;
	if (!err && rename(draft, path))
		err = -errno;
	if (err)
		unlink(draft);
	return err;
}

uint64_t run_folder_space(const struct run_folder *folder)
{
	struct statvfs fs;

	return statvfs(folder->path, &fs) ? 0 : (uint64_t)fs.f_bavail * fs.f_frsize;
}
