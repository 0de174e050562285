/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files that are part of the program, so that it works wherever it is copied to. */
#ifndef MEMSTOR_EMBEDDED_H
#define MEMSTOR_EMBEDDED_H

#include <stddef.h>

struct embedded {
	const char *text; /* with a NUL behind it */
	size_t size;      /* without */
};

struct embedded embedded_viewer(void); /* viewer/viewer.html */
struct embedded embedded_schema(void); /* docs/memstor-report.xsd */
/* suites/NAME.suite; suite/find.h has them by name. */
struct embedded embedded_suite_smoke(void);
struct embedded embedded_suite_ci(void);
struct embedded embedded_suite_paging(void);
struct embedded embedded_suite_paper_pmbench(void);
struct embedded embedded_suite_paper_cawl(void);
struct embedded embedded_suite_log_checkpoint(void);
struct embedded embedded_suite_write_cost(void);

#endif
