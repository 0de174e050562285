/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A file that is written as it is made, for what may be too large to hold: the same promises as report_file_write. "-"
 * is stdout. A plain file is there under its name when it is complete; pipes, devices and stdout get what there is.
 */
#ifndef COMMON_REPORT_OUTPUT_H
#define COMMON_REPORT_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

struct report_output;

/* 0 or -errno, without a message. */
int report_output_open(const char *path, struct report_output **output);
/* Write here; its errors stick and are told at the end. */
FILE *report_output_stream(struct report_output *output);
/* Frees it. Complete: what was written takes the place of what path held; otherwise path holds what it did. 0 or
 * -errno, of any write before, too. NULL is 0. */
int report_output_close(struct report_output *output, bool is_complete);

#endif
