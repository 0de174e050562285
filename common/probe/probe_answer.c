/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "common/probe/probe_answer.h"

#include <linux/capability.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "common/base/diag.h"

/* Cleans the text: kernel files and folder names may contain control characters for terminals. */
#define FORMAT_LINE(text, format) \
	do { \
		va_list arguments; \
\
		va_start(arguments, format); \
		vsnprintf(text, sizeof(text), format, arguments); \
		va_end(arguments); \
		diag_clean(text, strlen(text), ""); \
	} while (0)

void probe_say(struct probe_answer *answer, enum probe_status status, const char *format, ...)
{
	answer->status = status;
	FORMAT_LINE(answer->value, format);
}

void probe_mean(struct probe_answer *answer, const char *format, ...)
{
	FORMAT_LINE(answer->meaning, format);
}

void probe_fix(struct probe_answer *answer, const char *format, ...)
{
	answer->has_fix = true;
	FORMAT_LINE(answer->fix, format);
}

void probe_no_fix(struct probe_answer *answer)
{
	answer->has_fix = true;
	answer->fix[0] = '\0';
}

bool probe_can(const struct probe_host *host, int capability)
{
	return host->capabilities >> capability & 1;
}

void probe_fix_privilege(const struct probe_host *host, struct probe_answer *answer)
{
	if (host->uid)
		probe_fix(answer, "sudo COMMAND");
	else if (probe_can(host, CAP_SYS_ADMIN))
		probe_no_fix(answer);
	else
		probe_fix(answer, "docker run --privileged");
}
