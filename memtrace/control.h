/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A FIFO through which a running recording is stopped, started and marked, and through which a program names its objects: lines
 * "start", "stop", "mark TEXT", "name NAME START END [ELEMENT_BYTES]", "forget NAME".
 */
#ifndef MEMTRACE_CONTROL_H
#define MEMTRACE_CONTROL_H

#include "memtrace/trace_file.h"

#define CONTROL_TEXT 1024 /* of a line, NUL included */
#define CONTROL_WORDS "start, stop, mark TEXT, name NAME START END [ELEMENT_BYTES], forget NAME"
#define CONTROL_VARIABLE "MEMTRACE_CONTROL" /* the FIFO's path, for the command that is recorded */

struct control;

enum control_word { CONTROL_NONE, CONTROL_START, CONTROL_STOP, CONTROL_MARK, CONTROL_NAME, CONTROL_FORGET, CONTROL_UNKNOWN };
enum control_word control_find(const char *word); /* UNKNOWN = none of them */
const char *control_text(enum control_word word); /* what has to stand behind it, "" = nothing */

/* Makes the FIFO when the path does not exist. 0 or -errno: -EEXIST something else has this name, -EBUSY another recording
 * listens there. */
int control_open(const char *path, struct control **control);
int control_fd(const struct control *control); /* readable when a line came; -1 for NULL */
/* The next line; text: what stands behind the word, or the whole line when it is unknown. */
enum control_word control_next(struct control *control, char text[CONTROL_TEXT]);
/* The event of "name" or "forget" from what stands behind it, which is cut into words; its text is there. 0, or -EINVAL and why. */
int control_event(enum control_word word, char text[CONTROL_TEXT], struct trace_event *event, const char **why);
/* Removes the FIFO that control_open made. */
void control_close(struct control *control);

/* Writes one line to a recording that listens there. 0 or -errno: -ENXIO none does, -EMSGSIZE the text is too long. */
int control_send(const char *path, enum control_word word, const char *text);
/* Waits until the recording has read all lines, up to wait_ns. 0 or -errno: -ETIMEDOUT, -ENXIO no recording listens there. */
int control_settle(const char *path, uint64_t wait_ns);

#endif
