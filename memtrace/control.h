/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A FIFO through which a running recording is stopped, started and marked: lines "start", "stop", "mark TEXT". */
#ifndef MEMTRACE_CONTROL_H
#define MEMTRACE_CONTROL_H

#define CONTROL_TEXT 1024 /* of a line, NUL included */
#define CONTROL_VARIABLE "MEMTRACE_CONTROL" /* the FIFO's path, for the command that is recorded */

struct control;

enum control_word { CONTROL_NONE, CONTROL_START, CONTROL_STOP, CONTROL_MARK, CONTROL_UNKNOWN };

/* Makes the FIFO when the path does not exist. 0 or -errno: -EEXIST something else has this name, -EBUSY another recording
 * listens there. */
int control_open(const char *path, struct control **control);
int control_fd(const struct control *control); /* readable when a line came; -1 for NULL */
/* The next line; text: what stands behind the word, or the whole line when it is unknown. */
enum control_word control_next(struct control *control, char text[CONTROL_TEXT]);
/* Removes the FIFO that control_open made. */
void control_close(struct control *control);

/* Writes one line to a recording that listens there. 0 or -errno: -ENXIO none does, -EMSGSIZE the text is too long. */
int control_send(const char *path, enum control_word word, const char *text);

#endif
