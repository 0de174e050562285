/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Options that act together, and options that contradict each other. What depends on the machine: plan.c. */
#include "config.h"
#include "pmbench/options_values.h"

#include <stdio.h>
#include <string.h>
#include "common/diag.h"

static bool is_given(const struct opt_line *line, const char *name)
{
	return opt_source_of(line, name) != OPT_BY_DEFAULT;
}

static int refuse(const char *text)
{
	diag_error(0, "%s", text);
	return DIAG_EXIT_USAGE;
}

/* -e and --scatter become part of the patterns. */
static int merge_patterns(struct pmbench_options *options, const struct opt_line *line)
{
	struct pattern_spec *spec = &options->pattern;

	for (size_t i = 0; i < options->phase_count; i++)
		options->phases[i].pattern.is_scattered = options->is_scattered;
	spec->is_scattered = options->is_scattered;
	if (!options->has_shape)
		return DIAG_EXIT_OK;
	if (!pm_heeds_shape(spec->kind)) {
		if (opt_is_typed(line, "shape"))
			diag_warn("-e %g has no effect on the pattern %s", options->shape,
				pattern_name(spec->kind));
		return DIAG_EXIT_OK;
	}
	if (spec->has_shape && opt_source_of(line, "pattern") == opt_source_of(line, "shape")) {
		diag_error(0, "-e %g and -p %s,%g: the shape is given twice; keep one", options->shape,
			pattern_name(spec->kind), spec->shape);
		return DIAG_EXIT_USAGE;
	}
	spec->has_shape = true;
	spec->shape = options->shape;
	return DIAG_EXIT_OK;
}

static int check_length(const struct pmbench_options *options)
{
	uint64_t sum_ns = 0;

	if (!options->has_duration && !options->accesses && !options->phase_count)
		return refuse("how long? give DURATION in seconds (pmbench ... 300), --accesses N or --phase "
			      "TIME:PATTERN");
	for (size_t i = 0; i < options->phase_count; i++)
		sum_ns += options->phases[i].duration_ns;
	if (options->phase_count && options->has_duration && options->duration_ns != sum_ns) {
		diag_error(0, "DURATION %g s and phases of %g s together: drop DURATION, phases say how long",
			(double)options->duration_ns / 1e9, (double)sum_ns / 1e9);
		return DIAG_EXIT_USAGE;
	}
	return DIAG_EXIT_OK;
}

static int check_processes(struct pmbench_options *options, const struct opt_line *line)
{
	if (options->affinity_count && options->processes > 1) {
		diag_error(0, "--processes %u with -y: each -y is a process of its own; give more of them",
			options->processes);
		return DIAG_EXIT_USAGE;
	}
	if (!options->setsize_count)
		return DIAG_EXIT_OK;
	if (!is_given(line, "processes"))
		options->processes = (unsigned)options->setsize_count;
	if (options->processes != options->setsize_count) {
		diag_error(0,
			"--setsize-list has %zu sizes for --processes %u: give one size for each process",
			options->setsize_count, options->processes);
		return DIAG_EXIT_USAGE;
	}
	return DIAG_EXIT_OK;
}

/* Touching keeps no latency: nothing that needs one can be asked for. */
static int check_touch(const struct pmbench_options *options)
{
	const struct {
		bool is_given;
		const char *name;
	} needs_stamps[] = {
		{options->wants_hdr, "--hdr"},
		{options->threshold_ns > 0, "-h"},
		{options->is_store_visible, "--store-visible"},
		{options->wants_fault_trace, "--fault-trace"},
		{options->wants_kernel_split, "--kernel-split"},
		{options->media_latency_us > 0, "--media-latency"},
	};

	if (options->access != ACCESS_TOUCH)
		return DIAG_EXIT_OK;
	for (size_t i = 0; i < sizeof(needs_stamps) / sizeof(needs_stamps[0]); i++) {
		if (needs_stamps[i].is_given) {
			diag_error(0, "%s and -a touch: touched accesses are not timed; use -a histo",
				needs_stamps[i].name);
			return DIAG_EXIT_USAGE;
		}
	}
	return DIAG_EXIT_OK;
}

static int check_measuring(const struct pmbench_options *options)
{
	bool is_classified = options->classify != CLASSIFY_NONE;

	if (options->wants_fault_trace && !is_classified)
		return refuse("--fault-trace and --classify none: traced faults are matched with classified "
			      "accesses; use --classify auto");
	if (options->wants_kernel_split && !is_classified)
		return refuse(
			"--kernel-split and --classify none: it splits what was classified as a fault; use "
			"--classify auto");
	if (options->media_latency_us > 0 && !is_classified)
		return refuse(
			"--media-latency and --classify none: the overhead is that of major faults; use "
			"--classify auto");
	if (options->warmup_limit_ns && options->warmup != WARMUP_PATTERN)
		return refuse("--warmup-limit: only ends the warm-up of a pattern; drop it, or use --warmup pattern");
	if (options->placement.is_balancing && options->placement.policy != PLACEMENT_BIND)
		return refuse("--balancing: only with --membind NODES");
	if (options->mapping.wants_thp && options->mapping.kind == MAPPING_HUGETLB)
		return refuse("--thp and --map hugetlb: such pages are huge already; drop --thp");
	return check_touch(options);
}

static int check_outputs(const struct pmbench_options *options)
{
	const char *xml = options->xml_path, *json = options->json_path;

	if (!xml || !json || strcmp(xml, json))
		return DIAG_EXIT_OK;
	if (!strcmp(xml, "-"))
		return refuse("-f - and --json: both would go to stdout; give one of them a file");
	diag_error(0, "-f and --json: both would write %s; give them two names", xml);
	return DIAG_EXIT_USAGE;
}

int options_check(void *values, struct opt_line *line)
{
	struct pmbench_options *options = values;
	const char *why;
	int rc;

	if (pressure_parse_finish(&options->pressure, &why))
		return refuse(why);
	options->has_map = is_given(line, "mapsize");
	options->has_set = is_given(line, "setsize");
	options->has_shape = is_given(line, "shape");
	options->has_seed = is_given(line, "seed");
	options->has_interval = is_given(line, "interval");
	options->has_duration = is_given(line, "duration");
	/* -c and -i are values of --warmup and --content, which excludes them. */
	if (options->is_cold)
		options->warmup = WARMUP_NONE;
	if (options->is_initialized)
		options->mapping.content = CONTENT_RANDOM;
	options->is_cold = options->warmup == WARMUP_NONE;
	options->is_initialized = options->mapping.content != CONTENT_NONE;
	rc = merge_patterns(options, line);
	if (!rc)
		rc = check_processes(options, line);
	/* Recovery measures nothing. */
	if (!rc && options->recovery == PRESSURE_RECOVER_NOT)
		rc = check_length(options);
	if (!rc)
		rc = check_measuring(options);
	return rc ? rc : check_outputs(options);
}
