/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A result goes out: text, XML and JSON, to where the options say. */
#ifndef PMBENCH_PUBLISH_H
#define PMBENCH_PUBLISH_H

#include "pmbench/options.h"
#include "pmbench/result.h"

/* The program's exit status: untrusted when the result is not ok, host when a report could not be written or the system
 * not be put back. Fills the result's signature. */
int publish_result(const struct pmbench_options *options, struct pmbench_result *result);

#endif
