/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tables of CSV that are made from the field lists of a report; for convert/csv.c only. */
#ifndef MEMSTOR_CONVERT_CSV_H
#define MEMSTOR_CONVERT_CSV_H

#include <stdio.h>

#include "memstor/convert/convert.h"

/* A row for each number of a report: file, run, subject, name, unit, value. */
void csv_add_values(FILE *out, const struct loaded *loaded);
/* A row for each interval's values and counters, and for each attribute of other rows in time; with the subject only
 * where has_subject. */
void csv_add_series(FILE *out, const struct loaded *loaded, bool has_subject);

/* A row for each subject, kept until csv_write_subjects: the columns are those that any report has. 0 or -ENOMEM. */
int csv_keep_subjects(struct convert *convert, const struct loaded *loaded);
void csv_write_subjects(struct convert *convert);

#endif
