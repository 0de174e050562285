/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "pmbench/plan.h"

#include <sys/random.h>
#include "common/clock.h"
#include "common/diag.h"
#include "pmbench/plan_parts.h"

#define DEFAULT_WARMUP_LIMIT_NS 600000000000ull /* of a run that only --accesses bounds */
#define DEFAULT_INTERVAL_NS UNITS_NS_PER_SEC
#define MAX_INTERVALS 1000
#define WORD_BYTES 4

/* As it was given, with no default filled. */
static const struct pattern_spec *given_pattern(const struct pmbench_options *options, unsigned phase)
{
	return options->phase_count ? &options->phases[phase].pattern : &options->pattern;
}

void plan_pattern(const struct pmbench_plan *plan, unsigned phase, uint64_t pages, struct pattern_spec *spec)
{
	const char *why;

	*spec = *given_pattern(plan->options, phase);
	pattern_check(spec, pages, &why);
}

/* The pattern must suit the set of every process. */
static int check_pattern(struct pmbench_plan *plan, const struct machine *machine, unsigned phase)
{
	for (unsigned i = plan->processes; i-- > 0;) {
		struct pattern_spec filled = *given_pattern(plan->options, phase);
		uint64_t pages = plan->process[i].set_bytes / machine->page_bytes;
		const char *why;

		if (pattern_check(&filled, pages, &why)) {
			diag_error(0, "pattern %s over a set of %llu pages: %s", pattern_name(filled.kind),
				(unsigned long long)pages, why);
			return DIAG_EXIT_USAGE;
		}
		plan->phases[phase].pattern = filled;
	}
	return DIAG_EXIT_OK;
}

static int plan_phases(struct pmbench_plan *plan, const struct machine *machine)
{
	const struct pmbench_options *options = plan->options;
	int rc = DIAG_EXIT_OK;

	plan->phase_count = options->phase_count ? (unsigned)options->phase_count : 1;
	plan->duration_ns = 0;
	for (unsigned i = 0; i < plan->phase_count && !rc; i++) {
		plan->phases[i].duration_ns =
			options->phase_count ? options->phases[i].duration_ns : options->duration_ns;
		plan->duration_ns += plan->phases[i].duration_ns;
		rc = check_pattern(plan, machine, i);
	}
	return rc;
}

static int check_offset(const struct pmbench_plan *plan, const struct machine *machine)
{
	int words = (int)(machine->page_bytes / WORD_BYTES);

	if (plan->options->offset < words)
		return DIAG_EXIT_OK;
	diag_error(0,
		"-o %d: past the page: must be a word from 0 to %d of the page of %u bytes, or -1 for "
		"random",
		plan->options->offset, words - 1, machine->page_bytes);
	return DIAG_EXIT_USAGE;
}

/* A run's numbers should not be those of the run before unless that is asked for. */
static void draw_seed(struct pmbench_plan *plan)
{
	if (plan->options->has_seed)
		plan->seed = plan->options->seed;
	else if (getrandom(&plan->seed, sizeof(plan->seed), GRND_NONBLOCK) != sizeof(plan->seed))
		plan->seed = clock_ns(CLOCK_REALTIME);
}

/* A private anonymous page that is read before it is written is the zero page, the same for all. */
static bool reads_zero_page(const struct pmbench_options *options)
{
	if (options->mapping.kind != MAPPING_ANONYMOUS || options->mapping.content != CONTENT_NONE)
		return false;
	return options->ratio == 100 || (options->warmup == WARMUP_NONE && options->ratio > 0);
}

static int check_pressure(const struct pmbench_options *options)
{
	char why[512];

	if (!pressure_is_wanted(&options->pressure) || !pressure_check(&options->pressure, why, sizeof(why)))
		return DIAG_EXIT_OK;
	if (why[0])
		diag_error(0, "%s", why);
	return DIAG_EXIT_HOST;
}

/* A row holds all counters: unasked, a run of days has no more of them than can be kept and read. */
static uint64_t interval_of(const struct pmbench_plan *plan)
{
	uint64_t least = plan->duration_ns / MAX_INTERVALS;

	if (plan->options->has_interval)
		return plan->options->interval_ns;
	return least > DEFAULT_INTERVAL_NS ? least : DEFAULT_INTERVAL_NS;
}

static int check_interval(const struct pmbench_plan *plan)
{
	char interval[32], duration[32];

	if (plan->duration_ns / plan->interval_ns <= PLAN_ROWS_MAX)
		return DIAG_EXIT_OK;
	diag_error(0, "--interval %s: more than %d rows in %s; give a longer one",
		units_format_duration((double)plan->interval_ns, interval, sizeof(interval)), PLAN_ROWS_MAX,
		units_format_duration((double)plan->duration_ns, duration, sizeof(duration)));
	return DIAG_EXIT_USAGE;
}

uint64_t plan_warmup_accesses(enum pattern_kind kind, uint64_t pages)
{
	switch (kind) {
	case PATTERN_UNIFORM:
	case PATTERN_HOTSET:
		return 4 * pages;
	case PATTERN_PARETO:
	case PATTERN_ZIPF:
		return 8 * pages;
	default:
		return pages;
	}
}

int plan_make(const struct pmbench_options *options, const struct machine *machine, struct pmbench_plan *plan)
{
	int rc;

	*plan = (struct pmbench_plan){.options = options};
	plan->read_threshold = (uint64_t)((unsigned __int128)options->ratio * (1ull << 63) / 100);
	plan->prints_interval = options->has_interval;
	plan->warns_zero_page = reads_zero_page(options);
	draw_seed(plan);
	rc = plan_threads(plan, machine);
	if (!rc)
		rc = plan_sizes(plan, machine);
	if (!rc)
		rc = plan_phases(plan, machine);
	if (!rc)
		rc = check_offset(plan, machine);
	if (!rc)
		rc = plan_memory(plan, machine);
	if (!rc)
		rc = plan_files(plan);
	if (!rc) {
		plan->interval_ns = interval_of(plan);
		plan->warmup_limit_ns = options->warmup_limit_ns ? options->warmup_limit_ns :
			plan->duration_ns ? plan->duration_ns : DEFAULT_WARMUP_LIMIT_NS;
		rc = check_interval(plan);
	}
	return rc ? rc : check_pressure(options);
}
