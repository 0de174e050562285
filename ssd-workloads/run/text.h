/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prints the result as text. */
#ifndef SSD_WORKLOADS_RUN_TEXT_H
#define SSD_WORKLOADS_RUN_TEXT_H

#include <stdio.h>

#include "ssd-workloads/run/result.h"

void ssd_run_text(FILE *out, const struct ssd_run_result *result);

#endif
