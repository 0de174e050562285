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

#include "memstor/suite/suite.h"

struct run_folder {
	char given[PATH_MAX];   /* as the user calls it */
	int lock, scratch_lock; /* descriptors */
	bool is_begun;          /* it has an index */
};

#define RUN_FOLDER_SCRATCH ".scratch"
/* Of the paths in it: a side, a step, a run and a file. */
#define RUN_PATH_MAX (SUITE_NAME_MAX + 80)

/*
 * Makes it, or takes the one that is there: an empty one, or with is_resume one of memstor run. It belongs to the
 * effective user and no other one may write in it; nobody can put links there, or another folder in its place, since it
 * becomes the working directory and names below are relative to it. What a killed run has left running is waited for.
 * 0, or a diag_exit code after one line.
 */
int run_folder_open(const char *given, bool is_resume, struct run_folder *folder);
void run_folder_close(struct run_folder *folder);

/* An empty folder `path`, and the folders on its way; whatever was there is removed. 0 or -errno. */
int run_folder_part(const char *path);
/* An empty .scratch. 0 or -errno. */
int run_folder_scratch(void);
/* Moves the file of this name out of .scratch into the folder `path`. 0, also when there is none, or -errno. */
int run_folder_keep(const char *name, const char *path);
/* A file of it, whole, on disk. 0 or -errno. */
int run_folder_write(const char *name, const char *text, size_t size);
/* Free bytes for this user on its file system. */
uint64_t run_folder_space(void);

#endif
