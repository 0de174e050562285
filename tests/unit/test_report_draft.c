/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "tests/unit/unit.h"
#include <dirent.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include "common/report/report.h"
#include "common/report/report_file.h"

#define OLD "old"
#define NEW "the whole of a report"
#define LONG_AGO 86400

struct place {
	char folder[64], path[128];
};

static int make_place(void **state)
{
	struct place *place = calloc(1, sizeof(*place));

	snprintf(place->folder, sizeof(place->folder), "/tmp/test_draft.XXXXXX");
	if (!mkdtemp(place->folder))
		return -1;
	snprintf(place->path, sizeof(place->path), "%s/r.xml", place->folder);
	*state = place;
	return 0;
}

/* Calls what with each name in the folder. */
static unsigned each_file(const struct place *place, void (*what)(int folder, const char *name))
{
	DIR *dir = opendir(place->folder);
	struct dirent *entry;
	unsigned count = 0;

	while ((entry = readdir(dir))) {
		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
			continue;
		count++;
		if (what)
			what(dirfd(dir), entry->d_name);
	}
	closedir(dir);
	return count;
}

static void remove_one(int folder, const char *name)
{
	if (unlinkat(folder, name, 0))
		assert_int_equal(unlinkat(folder, name, AT_REMOVEDIR), 0);
}

static void make_old(int folder, const char *name)
{
	const struct timespec times[2] = {{.tv_sec = time(NULL) - LONG_AGO}, {.tv_sec = time(NULL) - LONG_AGO}};

	assert_int_equal(utimensat(folder, name, times, AT_SYMLINK_NOFOLLOW), 0);
}

static int remove_place(void **state)
{
	struct place *place = *state;

	each_file(place, remove_one);
	assert_int_equal(rmdir(place->folder), 0);
	free(place);
	return 0;
}

static void put(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static void holds(const char *path, const char *text)
{
	char found[64] = "";
	FILE *file = fopen(path, "r");

	assert_non_null(file);
	assert_true(fread(found, 1, sizeof(found) - 1, file) > 0);
	fclose(file);
	assert_string_equal(found, text);
}

static unsigned files_in(const struct place *place)
{
	return each_file(place, NULL);
}

/* As report_file_write does in one of its two ways. */
static int replace_by(const char *path, bool is_nameless)
{
	struct report_draft draft;
	int error = report_draft_open(path, is_nameless, &draft);

	if (error)
		return error;
	error = report_write_all(draft.fd, NEW, strlen(NEW));
	if (!error)
		error = report_draft_publish(&draft);
	if (!error)
		report_draft_remove_abandoned(&draft);
	report_draft_close(&draft);
	return error;
}

/* Where nameless files cannot be the other way is taken. */
static void replace(const char *path, bool is_nameless)
{
	int error = replace_by(path, is_nameless);

	if (error && is_nameless)
		error = replace_by(path, false);
	assert_int_equal(error, 0);
}

/* Both ways, for a name that is free and one that is taken. */
TEST_WITH("a draft becomes the file", make_place, remove_place)
{
	struct place *place = *state;

	for (int is_nameless = 0; is_nameless < 2; is_nameless++) {
		replace(place->path, is_nameless);
		holds(place->path, NEW);
		put(place->path, OLD);
		replace(place->path, is_nameless);
		holds(place->path, NEW);
		assert_int_equal(files_in(place), 1);
		unlink(place->path);
	}
}

/* The kernel kills who writes more than it may: half of the bytes are written by then. */
static void be_killed(const char *path, bool is_nameless)
{
	const struct rlimit half = {strlen(NEW) / 2, strlen(NEW) / 2}, none = {0, 0};
	pid_t child = fork();
	int status;

	if (!child) {
		signal(SIGXFSZ, SIG_DFL);
		setrlimit(RLIMIT_CORE, &none);
		setrlimit(RLIMIT_FSIZE, &half);
		(void)replace_by(path, is_nameless);
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGXFSZ);
}

TEST_WITH("killed while writing leaves nothing", make_place, remove_place)
{
	struct place *place = *state;
	struct report_draft draft;

	if (report_draft_open(place->path, true, &draft))
		skip(); /* a file system without nameless files */
	report_draft_close(&draft);
	assert_int_equal(files_in(place), 0);
	be_killed(place->path, true);
	assert_int_equal(files_in(place), 0);
	put(place->path, OLD);
	be_killed(place->path, true);
	assert_int_equal(files_in(place), 1);
	holds(place->path, OLD);
}

TEST_WITH("drafts of killed writers are removed by the next one", make_place, remove_place)
{
	struct place *place = *state;

	be_killed(place->path, false);
	assert_int_equal(files_in(place), 1);
	assert_int_equal(access(place->path, F_OK), -1);
	/* Young: it may be a run's on another machine. */
	replace(place->path, true);
	assert_int_equal(files_in(place), 2);
	each_file(place, make_old);
	replace(place->path, true);
	assert_int_equal(files_in(place), 1);
	holds(place->path, NEW);
}

static int create(const struct place *place, const char *name)
{
	char path[PATH_MAX];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", place->folder, name);
	fd = open(path, O_RDWR | O_CREAT | O_EXCL, 0600);
	assert_true(fd >= 0);
	return fd;
}

TEST_WITH("files of other users stay", make_place, remove_place)
{
	static const char *const names[] = {"r.xml.0123456789abcde.tmp", "r.xml.0123456789abcdef0.tmp",
		"r.xml.0123456789ABCDEF.tmp", "r.xml.0123456789abcdef.tmp2", "r.xml.0123456789abcdef", "r.xml.tmp",
		"s.xml.0123456789abcdef.tmp", "xr.xml.0123456789abcdef.tmp", "r.xml-0123456789abcdef.tmp"};
	const size_t count = sizeof(names) / sizeof(names[0]);
	struct place *place = *state;
	char path[160];

	for (size_t i = 0; i < count; i++)
		close(create(place, names[i]));
	snprintf(path, sizeof(path), "%s/r.xml.00000000000000aa.tmp", place->folder);
	assert_int_equal(symlink("r.xml.tmp", path), 0);
	snprintf(path, sizeof(path), "%s/r.xml.00000000000000bb.tmp", place->folder);
	assert_int_equal(mkdir(path, 0700), 0);
	snprintf(path, sizeof(path), "%s/r.xml.00000000000000cc.tmp", place->folder);
	assert_int_equal(mkfifo(path, 0600), 0);
	each_file(place, make_old);
	replace(place->path, true);
	assert_int_equal(files_in(place), count + 4);
}

TEST_WITH("drafts of running writers stay", make_place, remove_place)
{
	struct place *place = *state;
	struct report_draft draft;

	assert_int_equal(report_draft_open(place->path, false, &draft), 0);
	each_file(place, make_old);
	replace(place->path, true);
	assert_int_equal(files_in(place), 2);
	assert_int_equal(report_draft_publish(&draft), 0);
	report_draft_close(&draft);
	assert_int_equal(files_in(place), 1);
}

/* The longest that a folder can hold leaves no space for a draft's tail. */
TEST_WITH("long names have drafts with shorter names", make_place, remove_place)
{
	struct place *place = *state;
	char path[PATH_MAX], name[NAME_MAX + 1], draft[NAME_MAX + 1];

	memset(name, 'n', NAME_MAX);
	name[NAME_MAX] = '\0';
	/* A character of two bytes where it is cut. */
	memcpy(name + NAME_MAX - 22, "\xc3\xa9", 2);
	snprintf(path, sizeof(path), "%s/%s", place->folder, name);
	for (int is_nameless = 0; is_nameless < 2; is_nameless++) {
		for (int i = 0; i < 2; i++)
			replace(path, is_nameless);
		assert_int_equal(files_in(place), 1);
		holds(path, NEW);
		snprintf(draft, sizeof(draft), "%.*s.0123456789abcdef.tmp", NAME_MAX - 22, name);
		close(create(place, draft));
		each_file(place, make_old);
		replace(path, is_nameless);
		assert_int_equal(files_in(place), 1);
	}
}

/* Written to, but not read: what is in it cannot be looked through, and it cannot be synced by name. */
TEST_WITH("a draft works in a folder without read permission", make_place, remove_place)
{
	struct place *place = *state;

	assert_int_equal(chmod(place->folder, 0300), 0);
	for (int i = 0; i < 2; i++)
		replace(place->path, true);
	assert_int_equal(chmod(place->folder, 0700), 0);
	assert_int_equal(files_in(place), 1);
	holds(place->path, NEW);
}

TEST_WITH("a failed draft leaves no file", make_place, remove_place)
{
	struct place *place = *state;

	assert_int_equal(mkdir(place->path, 0700), 0);
	for (int is_nameless = 0; is_nameless < 2; is_nameless++) {
		assert_int_equal(replace_by(place->path, is_nameless), -EISDIR);
		assert_int_equal(files_in(place), 1);
	}
}
