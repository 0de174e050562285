/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a step needs of the host: "root", "zram", "space:2G". One table row each; a step whose need is absent is
 * skipped, with the reason in the words of this table.
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

/* 0, or -EINVAL and in why what is allowed. */
int suite_need_parse(const char *text, struct suite_need *need, char *why, size_t length);
/* Where a need is looked for: root as in common/sysfs.h; folder is on the file system whose space counts. */
struct suite_host {
	const char *root, *folder;
};
/* 0, or -ENOTSUP and in why what is missing and what fixes it. */
int suite_need_check(const struct suite_need *need, const struct suite_host *host, char *why, size_t length);

#endif
