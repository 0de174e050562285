/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes the original pmbench's <histogram type=> from counts in layout log16. */
#ifndef PMBENCH_REPORT_ORIGINAL_H
#define PMBENCH_REPORT_ORIGINAL_H

#include <stdint.h>

#include "common/report/report_common.h"

void original_write_histogram(struct report *report, const char *type, const uint64_t *counts);

#endif
