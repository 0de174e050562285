/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "pmbench/plan_parts.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "common/diag.h"
#include "common/report.h"

/* The file that path names once it exists: its folder's real name, and its own. NULL: nowhere, or no memory. */
static char *real_path(const char *path)
{
	const char *slash = strrchr(path, '/');
	char *folder = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
	char *resolved = folder ? realpath(folder, NULL) : NULL;
	char *real = NULL;

	if (resolved && asprintf(&real, "%s/%s", resolved, slash ? slash + 1 : path) < 0)
		real = NULL;
	free(resolved);
	free(folder);
	return real;
}

static bool is_same_file(const char *one, const char *other)
{
	char *first = real_path(one), *second = real_path(other);
	bool is_same = strcmp(one, "-") && strcmp(other, "-") && first && second && !strcmp(first, second);

	free(first);
	free(second);
	return is_same;
}

static int check_output(const char *option, const char *path)
{
	int rc = path && strcmp(path, "-") ? report_check_path(path) : 0;

	if (!rc)
		return DIAG_EXIT_OK;
	diag_error(rc, "%s %s: cannot be written", option, path);
	return DIAG_EXIT_HOST;
}

static int check_distinct(const struct pmbench_options *options)
{
	const struct {
		const char *option, *path;
	} files[] = {
		{"-f", options->xml_path},
		{"--json", options->json_path},
		{"--map file:", options->mapping.kind == MAPPING_FILE ? options->mapping.path : NULL},
		{"--swap", options->pressure.swap.kind == PRESSURE_SWAP_FILE ||
					   options->pressure.swap.kind == PRESSURE_SWAP_LOOP
				   ? options->pressure.swap.path
				   : NULL},
		{"--replay", options->replay_path},
	};
	const size_t count = sizeof(files) / sizeof(files[0]);

	for (size_t i = 0; i < count; i++) {
		for (size_t j = i + 1; j < count; j++) {
			if (!files[i].path || !files[j].path || !is_same_file(files[i].path, files[j].path))
				continue;
			diag_error(0, "%s and %s: both name %s; give them two files", files[i].option,
				files[j].option, files[j].path);
			return DIAG_EXIT_USAGE;
		}
	}
	return DIAG_EXIT_OK;
}

/* mapping_open makes the file and unlinks it at once: two processes doing so could meet. */
static int check_shared_file(const struct pmbench_plan *plan)
{
	const struct mapping_request *request = &plan->options->mapping;

	if (request->kind != MAPPING_FILE || plan->processes == 1 || !access(request->path, F_OK))
		return DIAG_EXIT_OK;
	diag_error(0,
		"--map file:%s: %u processes cannot each make it; use one, or an existing file with -r 100",
		request->path, plan->processes);
	return DIAG_EXIT_USAGE;
}

static int check_map(const struct pmbench_plan *plan)
{
	const struct mapping_request *request = &plan->options->mapping;
	bool is_writable = plan->options->ratio < 100 || request->content != CONTENT_NONE;
	/* Huge pages are taken out of one store by all, of a file that is there each maps its part. */
	bool is_shared = request->kind == MAPPING_HUGETLB;
	char why[512];
	int rc = mapping_check(request, is_shared ? plan_total_bytes(plan) : plan->map_bytes,
		is_shared ? 1 : plan->processes, is_writable, why, sizeof(why));

	if (!rc)
		return check_shared_file(plan);
	diag_error(0, "--map %s: %s", mapping_kind_name(request->kind), why);
	return rc == -EINVAL || rc == -EEXIST || rc == -ERANGE ? DIAG_EXIT_USAGE : DIAG_EXIT_HOST;
}

int plan_files(const struct pmbench_plan *plan)
{
	const struct pmbench_options *options = plan->options;
	int rc = check_output("-f", options->xml_path);

	if (!rc)
		rc = check_output("--json", options->json_path);
	if (!rc)
		rc = check_distinct(options);
	return rc ? rc : check_map(plan);
}
