/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The folder of a suite's results:
 *   index.xml  suite.txt  machine.txt  STEP/1/{report.xml,records.rec,stdout,stderr}  STEP/warmup-1/{stdout,stderr}
 * and, while a step runs, .scratch, the folder that it runs in. One memstor run holds it at a time.
 */
#ifndef MEMSTOR_RUN_FOLDER_H
#define MEMSTOR_RUN_FOLDER_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct run_folder {
	char path[PATH_MAX];    /* absolute */
	char given[PATH_MAX];   /* as the user calls it */
	char scratch[PATH_MAX];
	int lock, scratch_lock; /* descriptors */
	bool is_begun;          /* it has an index */
};

/* Makes it, or takes the one that is there: an empty one, or with is_resume one of memstor run. What a killed run has
 * left running is waited for. 0, or a diag_exit code after one line. */
int run_folder_open(const char *given, bool is_resume, struct run_folder *folder);
void run_folder_close(struct run_folder *folder);

/* An empty folder NAME/PART in it; whatever was there is removed. path gets PATH_MAX bytes. 0 or -errno. */
int run_folder_part(const struct run_folder *folder, const char *name, const char *part, char *path);
/* An empty .scratch. 0 or -errno. */
int run_folder_scratch(const struct run_folder *folder);
/* Moves the file of this name out of .scratch into the folder `path`. 0, also when there is none, or -errno. */
int run_folder_keep(const struct run_folder *folder, const char *name, const char *path);
/* A file of it, whole, on disk. 0 or -errno. */
int run_folder_write(const struct run_folder *folder, const char *name, const char *text, size_t size);
/* path of a file of it. 0 or -ENAMETOOLONG. */
int run_folder_path(const struct run_folder *folder, const char *name, char *path);
/* Free bytes for this user on its file system. */
uint64_t run_folder_space(const struct run_folder *folder);

#endif
