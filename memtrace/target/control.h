/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A FIFO through which a running recording is stopped, started and marked, and through which a program names its objects. Its lines
 * are "start", "stop", "mark TEXT", "name NAME START END [ELEMENT_BYTES]" and "forget NAME".
 */
#ifndef MEMTRACE_TARGET_CONTROL_H
#define MEMTRACE_TARGET_CONTROL_H

#include "memtrace/file/trace_file.h"

#define CONTROL_TEXT 1024 /* bytes of a line, NUL included */
#define CONTROL_WORDS "start, stop, mark TEXT, name NAME START END [ELEMENT_BYTES], forget NAME"
#define CONTROL_VARIABLE "MEMTRACE_CONTROL" /* the FIFO's path, for the command that is recorded */

struct mt_control;

enum control_word { CONTROL_NONE, CONTROL_START, CONTROL_STOP, CONTROL_MARK, CONTROL_NAME, CONTROL_FORGET, CONTROL_UNKNOWN };
enum control_word mt_control_find(const char *word); /* CONTROL_UNKNOWN if there is no such command */
const char *mt_control_text(enum control_word word); /* the arguments that the command requires, "" = none */

/* Opens the FIFO, and creates it if the path does not exist; then a child process removes it when this one is killed. Returns 0 or
 * -errno; -EEXIST if the path is not a FIFO, -EREMOTE if another user owns it or may write to it, -EBUSY if another recording
 * listens there. */
int mt_control_open(const char *path, struct mt_control **control);
int mt_control_fd(const struct mt_control *control); /* becomes readable when a line arrives; -1 for NULL */
/* Returns the next line's command; text receives its arguments, or the whole line if the command is unknown. */
enum control_word mt_control_next(struct mt_control *control, char text[CONTROL_TEXT]);
/* Fills the event of "name" or "forget" from the command's arguments. Splits text into words; event->text points into it.
 * Returns 0, or -EINVAL and the reason in why. */
int mt_control_event(enum control_word word, char text[CONTROL_TEXT], struct trace_event *event, const char **why);
/* Removes the FIFO that mt_control_open made. */
void mt_control_close(struct mt_control *control);

/* Writes one line to the recording that listens at path. Returns 0 or -errno; -ENXIO if no recording listens there, -EMSGSIZE if
 * the text is too long. */
int mt_control_send(const char *path, enum control_word word, const char *text);
/* Waits for at most wait_ns until the recording has read all lines. Returns 0 or -errno; -ETIMEDOUT, or -ENXIO if no recording
 * listens there. */
int mt_control_settle(const char *path, uint64_t wait_ns);

#endif
