/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A file in the making, in the folder of its name-to-be. Where the file system can it has no name until it is
 * complete: killed before, nothing of it is left. Elsewhere, and for the moment in which it takes the place of
 * another file, its name is NAME.<16 hexadecimal digits>.tmp (NAME cut where that would be too long).
 * For common/report*.c, and for those that write files of their own beside reports. Return 0 or -errno, without a message.
 */
#ifndef COMMON_REPORT_DRAFT_H
#define COMMON_REPORT_DRAFT_H

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>

struct report_draft {
	int fd;     /* write here */
	int folder;
	char name[NAME_MAX + 1];      /* in the folder, of the file-to-be */
	char temporary[NAME_MAX + 1]; /* "": it has no name */
};

/*
 * The folder that a path's last name is in, opened (O_PATH), and that name ("." when the path ends in a slash); nothing
 * need have the name. Links are followed, the last one as well, but only those that no other user can have put there:
 * they belong to root or the effective user, for ordinary users also to the owner of their folder (as
 * fs.protected_symlinks has it). -EACCES for other links.
 */
int report_draft_place(const char *path, int *folder, char name[NAME_MAX + 1]);
/* After its -EACCES: the reason is another user's link, and not a folder that this user may not search. */
bool report_draft_met_link(const char *path);

/* Without is_nameless the draft has a name from the beginning. */
int report_draft_open(const char *path, bool is_nameless, struct report_draft *draft);
/* Gives the file, complete and on disk, its name, in place of what carries it. */
int report_draft_publish(struct report_draft *draft);
/* What was not published is gone. */
void report_draft_close(struct report_draft *draft);

/* Removes other drafts of the same name whose writers are dead: of this user, not locked, and untouched for ten
 * minutes. */
void report_draft_remove_abandoned(const struct report_draft *draft);

/*
 * A file that is written as it is made, for what may be too large to hold: the same promises as report_file_write. "-"
 * is stdout. A plain file is there under its name when it is complete; pipes, devices and stdout get what there is.
 */

struct report_output;

/* 0 or -errno, without a message. */
int report_output_open(const char *path, struct report_output **output);
/* Write here; its errors stick and are told at the end. */
FILE *report_output_stream(struct report_output *output);
/* Frees it. Complete: what was written takes the place of what path held; otherwise path holds what it did. 0 or
 * -errno, of any write before, too. NULL is 0. */
int report_output_close(struct report_output *output, bool is_complete);

#endif
