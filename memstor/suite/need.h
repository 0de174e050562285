/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Requirements of a step on the host: "root", "zram", "space:2G". Each has a row in a table. A step whose requirement is
 * not met is skipped, with the reason from this table.
 */
#ifndef MEMSTOR_SUITE_NEED_H
#define MEMSTOR_SUITE_NEED_H

#include <stddef.h>
#include <stdint.h>

#define SUITE_NEED_TEXT 512

struct suite_need {
	const struct suite_need_row *row;
	char text[SUITE_NEED_TEXT]; /* as written */
	uint64_t amount;            /* bytes, or a count */
};

/* Parses a requirement. Returns 0, or -EINVAL and in why what is allowed. */
int suite_need_parse(const char *text, struct suite_need *need, char *why, size_t length);
/* The host to check: root as in common/sysfs.h; folder is on the file system whose free space counts. */
struct suite_host {
	const char *root, *folder;
};
/* Checks a requirement. Returns 0, or -ENOTSUP and in why what is missing and how to fix it. */
int suite_need_check(const struct suite_need *need, const struct suite_host *host, char *why, size_t length);

#endif
