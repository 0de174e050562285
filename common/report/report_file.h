/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A draft of a file in the folder of its final name. Where the file system supports it the draft has no name until it is
 * complete, so that nothing is left when the process is killed. Elsewhere, and for the moment in which it replaces another file,
 * its name is NAME.<16 hexadecimal digits>.tmp (NAME is cut where that would be too long). For common/report/ and for programs
 * that write other files. Functions return 0 or -errno, without a message.
 */
#ifndef COMMON_REPORT_REPORT_FILE_H
#define COMMON_REPORT_REPORT_FILE_H

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>

struct report_draft {
	int fd;     /* write here */
	int folder;
	char name[NAME_MAX + 1];      /* the final name in the folder */
	char temporary[NAME_MAX + 1]; /* "": it has no name */
};

/*
 * Opens (O_PATH) the folder of a path's last component, and returns that component ("." when the path ends in a slash), which
 * need not exist. For targets, not for output files. Links are followed, including the last one, but only those that no other
 * user can have created: they belong to root or the effective user, for ordinary users also to the owner of their folder (as with
 * fs.protected_symlinks). -EACCES for other links.
 */
int report_draft_place(const char *path, int *folder, char name[NAME_MAX + 1]);
/* Tells, after its -EACCES, whether the reason is another user's link and not a folder without search permission. */
bool report_draft_met_link(const char *path);

/* Opens a draft of path; without is_nameless it has a name from the start. -ELOOP: the path is a link; -EREMOTE: root, in
 * another user's folder. */
int report_draft_open(const char *path, bool is_nameless, struct report_draft *draft);
/* Syncs the complete file and gives it its final name, replacing an existing file. */
int report_draft_publish(struct report_draft *draft);
/* Closes the draft, and removes it if it was not published. */
void report_draft_close(struct report_draft *draft);

/* Removes other drafts of the same name whose writers are dead: of this user, not locked, and untouched for ten
 * minutes. */
void report_draft_remove_abandoned(const struct report_draft *draft);

/*
 * Claims an output file before anything is measured. Checks that report_check_path accepts it, no other program has claimed it,
 * and its content is empty or begins as this kind of file does. begins NULL: a table or picture, which replaces anything but
 * reports and other programs' data. Until *lock is closed (-1: nothing is locked, as for stdout) no second program can claim it.
 * Returns 0 or -errno, whose text report_output_error returns.
 */
int report_claim(const char *path, const char *begins, int *lock);
const char *report_output_error(int error);

/*
 * A file that is written incrementally, for content that may be too large for memory, with the guarantees of
 * report_file_write. "-" is stdout. A plain file gets its name when it is complete; stdout, open pipes and /dev/null are written
 * to directly.
 */

struct report_output;

/* Returns 0 or -errno, without a message. */
int report_output_open(const char *path, struct report_output **output);
/* Gives the file its name now, for content that should survive a kill; later content is added. Returns 0 or -errno. */
int report_output_publish(struct report_output *output);
/* Returns the stream to write to; its errors are kept and returned by report_output_close. */
FILE *report_output_stream(struct report_output *output);
/* Frees it. With is_complete the new content replaces that of path; otherwise path is unchanged. Returns 0 or -errno, also that
 * of an earlier write. NULL is 0. */
int report_output_close(struct report_output *output, bool is_complete);

#endif
