/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ssd-workloads validate: compares the simulated device with results in closed form. */
#include "config.h"
#include "ssd-workloads/commands.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/diag.h"
#include "common/hot/rng.h"
#include "common/table.h"
#include "ssd-workloads/engine/simulate.h"
#include "ssd-workloads/sim/check.h"
#include "ssd-workloads/sim/mean_field.h"

#define ROWS_MAX 64
#define SECOND_NS 1000000000ull

struct row {
	char what[80];
	const char *source, *verdict;
	double expected, found, deviation, allowed;
};

struct validation {
	struct table_output output;
	uint64_t overwrites;
	uint64_t seed;
	struct row rows[ROWS_MAX];
	size_t count;
};

static struct row *add(struct validation *validation, const char *source, double expected, double found, double allowed)
{
	struct row *row = &validation->rows[validation->count++];

	*row = (struct row){.source = source, .expected = expected, .found = found, .deviation = 100 * (found / expected - 1),
		.allowed = allowed};
	row->verdict = fabs(row->deviation) <= allowed ? "ok" : "DEVIATES";
	return row;
}

/* --- write amplification of random writes, by the FTL alone --- */

enum source { CLOSED_FORM, SIMULATION, MEAN_FIELD };

static const struct amplified {
	double op, expected, allowed; /* expected: of an independent simulation of the same method */
	uint32_t blocks, pages, choices;
	enum source source;
	double hot_set, hot_writes;   /* 0 = uniform */
} amplified[] = {
	{.07, 0, 2, 1024, 512, 0, CLOSED_FORM, 0, 0}, {.10, 0, 2, 1024, 512, 0, CLOSED_FORM, 0, 0},
	{.20, 0, 2, 1024, 512, 0, CLOSED_FORM, 0, 0}, {.28, 0, 2, 1024, 512, 0, CLOSED_FORM, 0, 0},
	{.30, 0, 2, 1024, 512, 0, CLOSED_FORM, 0, 0}, {.40, 0, 2, 1024, 512, 0, CLOSED_FORM, 0, 0},
	{.10, 4.911, 1.5, 4096, 32, 0, SIMULATION, 0, 0}, {.20, 2.936, 1.5, 4096, 32, 0, SIMULATION, 0, 0},
	{.10, 5.466, 1.5, 4096, 128, 0, SIMULATION, 0, 0}, {.20, 3.123, 1.5, 4096, 128, 0, SIMULATION, 0, 0},
	{.10, 5.64, 2, 4096, 128, 10, SIMULATION, 0, 0},
	{.10, 0, 1, 4096, 32, 0, MEAN_FIELD, 0, 0}, {.10, 0, 1, 4096, 32, 2, MEAN_FIELD, 0, 0},
	{.20, 0, 1, 4096, 32, 5, MEAN_FIELD, 0, 0}, {.20, 0, 1, 4096, 128, 10, MEAN_FIELD, 0, 0},
	{.20, 0, 1, 4096, 32, 10, MEAN_FIELD, .2, .8}, {.20, 0, 1, 4096, 32, 10, MEAN_FIELD, .1, .9},
	{.10, 0, 1, 4096, 16, 2, MEAN_FIELD, .2, .8},
};

static uint32_t draw(const struct amplified *asked, uint64_t exported, struct rng *rng)
{
	uint64_t hot = (uint64_t)(asked->hot_set * (double)exported);

	if (!hot)
		return (uint32_t)rng_below(rng, exported);
	if (rng_double(rng) < asked->hot_writes)
		return (uint32_t)rng_below(rng, hot);
	return (uint32_t)(hot + rng_below(rng, exported - hot));
}

static int amplify(const struct validation *validation, const struct amplified *asked, double *found)
{
	const struct ftl_geometry geometry = {.dies = 1, .blocks = asked->blocks, .pages = asked->pages, .reserve_blocks = 1,
		.gc_choices = asked->choices, .seed = validation->seed,
		.exported = (uint64_t)((double)asked->blocks * asked->pages / (1 + asked->op))};
	uint64_t total = validation->overwrites * geometry.exported, writes = 0, copied = 0;
	/* Cold pages are written more rarely. */
	double patience = asked->hot_set > 0 ? (1 - asked->hot_set) / (1 - asked->hot_writes) : 1;
	uint64_t before = (uint64_t)((double)total * patience);
	uint32_t block, page;
	struct ftl_gc gc;
	struct ftl ftl;
	struct rng rng;
	int rc = ftl_open(&geometry, &ftl);

	if (rc)
		return rc;
	rng_seed(&rng, validation->seed, 0);
	for (uint64_t i = 0; i < geometry.exported; i++)
		ftl_write(&ftl, (uint32_t)i, &block, &page, &gc);
	for (uint64_t i = 0; i < before + total; i++) {
		if (i == before) {
			writes = ftl.writes;
			copied = ftl.copied;
		}
		ftl_write(&ftl, draw(asked, geometry.exported, &rng), &block, &page, &gc);
	}
	*found = 1 + (double)(ftl.copied - copied) / (double)(ftl.writes - writes);
	ftl_close(&ftl);
	return 0;
}

static int check_amplification(struct validation *validation)
{
	static const char *const sources[] = {[CLOSED_FORM] = "closed form", [SIMULATION] = "simulation",
		[MEAN_FIELD] = "mean field"};

	for (size_t i = 0; i < sizeof(amplified) / sizeof(amplified[0]); i++) {
		const struct amplified *asked = &amplified[i];
		char choices[24] = "", hot[32] = "";
		double found, expected = asked->expected;
		int rc = amplify(validation, asked, &found);
		struct row *row;

		if (rc)
			return rc;
		if (asked->source == CLOSED_FORM)
			expected = mean_field_closed_form(1 + asked->op);
		else if (asked->source == MEAN_FIELD)
			expected = asked->hot_set > 0 ? mean_field_hot(1 + asked->op, asked->pages, asked->choices, asked->hot_set,
								 asked->hot_writes)
						      : mean_field_uniform(1 + asked->op, asked->pages, asked->choices);
		row = add(validation, sources[asked->source], expected, found, asked->allowed);
		if (asked->choices)
			snprintf(choices, sizeof(choices), ", best of %u", asked->choices);
		if (asked->hot_set > 0)
			snprintf(hot, sizeof(hot), ", hot %.0f/%.0f", asked->hot_set * 100, asked->hot_writes * 100);
		snprintf(row->what, sizeof(row->what), "write amplification, OP %.2f, %u pages a block%s%s", asked->op,
			asked->pages, choices, hot);
	}
	return 0;
}

/* --- times, by the whole device --- */

struct trial {
	struct sim_params params;
	struct workload workload;
	struct layout layout;
	struct engine_position position;
	struct engine_setup setup;
	struct engine_result result;
	const struct sim_policies *policies; /* NULL = none */
};

/* pattern NULL: a mix on a quarter of the device for each area; else random writes of a page to all that it exports. */
static int run_trial(struct validation *validation, const char *mix, const char *const *values, uint64_t runtime_ns,
	const struct pattern_spec *pattern, struct trial *trial)
{
	struct workload_override override = {.workers = 1};
	char text[192];
	const char *why;

	sim_params_init(sim_preset_find("small"), &trial->params);
	for (; *values; values++) {
		if (sim_params_set(&trial->params, *values, text, sizeof(text)))
			return -EINVAL;
	}
	for (int i = 0; i < MIX_STREAMS; i++)
		override.streams[i].area_bytes = sim_pages(&trial->params) / 4 * trial->params.page_bytes;
	if (pattern) {
		override.streams[MIX_CHECKPOINT].area_bytes =
			sim_exported_pages(&trial->params) * trial->params.page_bytes - LAYOUT_HEADER_BYTES;
		override.streams[MIX_CHECKPOINT].block_bytes = trial->params.page_bytes;
	}
	if (workload_make(mix_find(mix), &override, &trial->workload, &why))
		return -EINVAL;
	layout_make(&trial->workload, &trial->layout);
	trial->setup = (struct engine_setup){.layout = &trial->layout, .workload = &trial->workload, .backend = &backend_simulated,
		.group_commit = 1, .runtime_ns = runtime_ns, .run = 1, .seed = validation->seed, .position = &trial->position,
		.device = &trial->params, .has_device_records = !pattern, .pattern = pattern};
	trial->setup.policies = trial->policies;
	trial->setup.is_array_checked = trial->policies;
	for (int i = 0; i < MIX_STREAMS; i++)
		trial->setup.record_capacity[i] = 1u << 16;
	return engine_run(&trial->setup, &trial->result) ? -ENOMEM : 0;
}

/* Of the end state, and of the records of host and device. Returns 0; -EPROTO, and in why the violated law; or -ENOMEM. */
static int check_laws(struct trial *trial, char *why, size_t length)
{
	struct dump *dump = calloc(1, sizeof(*dump)); /* large for a stack */
	struct sim_section section;
	int rc = dump ? 0 : -ENOMEM;

	if (!rc) {
		engine_fill_dump(&trial->workload, &trial->layout, &trial->result, 0, NULL, &section, dump);
		rc = sim_check(trial->result.device->device, dump, why, length);
	}
	free(dump);
	return rc;
}

static const char *const idle[] = {"channels=1", "ways=1", "blocks=16", "pages=32", "buffer=8", "jitter=0", "op=0.2",
	"precondition=none", NULL};
static const char *const copying[] = {"channels=1", "ways=1", "blocks=16", "pages=32", "buffer=8", "jitter=0", "op=0.2",
	"precondition=random", NULL};
static const char *const busy[] = {"blocks=16", "fill=1", "turnaround=0", NULL};

static void check_lone(struct validation *validation, const struct trial *trial)
{
	const struct sim_params *params = &trial->params;
	const struct latency *response = &trial->result.streams[MIX_LOG].counts->latencies[COUNTS_RESPONSE];
	uint64_t firmware = params->fetch_ns + params->command_ns + params->cut_ns + params->ftl_ns;
	uint64_t dma = params->dma_issue_ns + sim_dma_ns(params, params->page_bytes) + params->dma_latency_ns;
	uint64_t clean = firmware + dma + params->completion_ns;
	uint64_t flash = params->issue_ns + sim_transfer_ns(params) + params->program_ns + params->done_ns;
	struct row *row = add(validation, "sum of steps", (double)clean, (double)response->min_ns, 0);

	snprintf(row->what, sizeof(row->what), "single write into a free entry, ns");
	row = add(validation, "sum of steps", (double)(clean + flash), latency_percentile(response, 50), 1);
	snprintf(row->what, sizeof(row->what), "single write after an eviction, median, ns");
}

/* The collections of a run: how far the one that is furthest from its sum is. */
static void check_collections(struct validation *validation, const struct trial *trial, const char *name)
{
	const struct sim_params *params = &trial->params;
	const struct sim_cache *cache = sim_device_cache(trial->result.device->device);
	uint64_t erase = params->issue_ns + params->erase_ns + params->done_ns, begin_ns = 0, copies = 0;
	uint64_t copy = 3 * (params->issue_ns + params->done_ns) + 2 * sim_transfer_ns(params) + params->read_ns +
			params->program_ns;
	double expected = 0, found = 0;
	struct row *row;

	for (uint64_t at = cache->first; at < cache->emitted; at += sim_unit_span(&cache->units[at & cache->mask])) {
		const struct sim_gc *gc = &cache->units[at & cache->mask].gc;

		if (gc->type == SIM_GC && gc->task == SIM_GC_BEGIN) {
			begin_ns = gc->t_ns;
			copies = gc->page_lo;
		} else if (gc->type == SIM_GC && gc->task == SIM_GC_END && begin_ns) {
			expected += (double)(erase + copies * copy);
			found += (double)(gc->t_ns - begin_ns);
		}
	}
	row = add(validation, "sum of steps", expected, found, 0);
	snprintf(row->what, sizeof(row->what), "%s, all of a run, ns", name);
}

static void check_little(struct validation *validation, const struct trial *trial, const char *mix)
{
	for (int i = 0; i < MIX_STREAMS; i++) {
		const struct engine_stream *stream = &trial->result.streams[i];
		struct row *row;

		if (!stream->is_run)
			continue;
		row = add(validation, "Little's law", trial->workload.streams[i].depth,
			stream->counts->latencies[COUNTS_RESPONSE].sum_ns / 1e9 / stream->seconds, 1);
		snprintf(row->what, sizeof(row->what), "%s of %s: latency times rate", mix_stream_name((enum mix_stream)i), mix);
	}
}

static int check_times(struct validation *validation)
{
	static const struct { const char *mix; const char *const *values; uint64_t runtime_ns; } trials[] = {
		{"1-0", idle, 4 * SECOND_NS}, {"1-0", copying, 4 * SECOND_NS}, {"1-1", busy, 2 * SECOND_NS},
		{"1-N", busy, 5 * SECOND_NS}, {"M-N", busy, 2 * SECOND_NS}};
	struct trial *trial = calloc(1, sizeof(*trial));
	char why[256];
	int rc = trial ? 0 : -ENOMEM;

	for (size_t i = 0; i < sizeof(trials) / sizeof(trials[0]) && !rc; i++) {
		rc = run_trial(validation, trials[i].mix, trials[i].values, trials[i].runtime_ns, NULL, trial);
		if (rc)
			break;
		rc = check_laws(trial, why, sizeof(why));
		if (rc == -EPROTO)
			diag_error(0, "%s: the model violates one of its laws: %s", trials[i].mix, why);
		if (!i)
			check_lone(validation, trial);
		if (i < 2)
			check_collections(validation, trial, i ? "collections that copy" : "collections of empty blocks");
		else
			check_little(validation, trial, trials[i].mix);
		engine_result_free(&trial->result);
	}
	free(trial);
	return rc;
}

/* The same as by the FTL alone, with all else that is in a device: its buffer is small, and keeps few writes from the flash. */
static int check_device(struct validation *validation)
{
	static const char *const values[] = {"channels=1", "ways=2", "blocks=256", "pages=32", "buffer=1", "gc=best-of:5", "op=0.2",
		"program=10us", "read=10us", "erase=10us", "jitter=0", "fill=32", NULL};
	static const char *const patterns[] = {"uniform", "hotset,20,80"};
	struct trial *trial = calloc(1, sizeof(*trial));
	int rc = trial ? 0 : -ENOMEM;

	for (size_t i = 0; i < sizeof(patterns) / sizeof(patterns[0]) && !rc; i++) {
		const struct sim_totals *totals;
		struct pattern_spec spec;
		double space, expected;
		struct row *row;
		const char *why;

		rc = pattern_parse(patterns[i], &spec, &why);
		if (!rc)
			rc = run_trial(validation, "0-N", values, 20 * SECOND_NS, &spec, trial);
		if (rc)
			break;
		/* A block of each die is in reserve. */
		space = (double)sim_dies(&trial->params) * (trial->params.blocks - trial->params.reserve_blocks) *
			trial->params.pages * trial->params.page_bytes /
			(double)trial->workload.streams[MIX_CHECKPOINT].area_bytes;
		totals = &trial->result.device->totals;
		expected = i ? mean_field_hot(space, trial->params.pages, trial->params.gc_choices, spec.hot_set, spec.hot_access)
			     : mean_field_uniform(space, trial->params.pages, trial->params.gc_choices);
		row = add(validation, "mean field", expected, 1 + (double)totals->copies / (double)totals->host_programs, 3);
		snprintf(row->what, sizeof(row->what), "write amplification of a device, %s", patterns[i]);
		engine_result_free(&trial->result);
	}
	free(trial);
	return rc;
}

/* --- the laws, over each policy in each mix --- */

static const char *const small[] = {"channels=2", "ways=3", "blocks=16", "pages=32", "buffer=4", "fill=1", NULL};

static int check_policy(struct validation *validation, const struct sim_policy_row *row, struct trial *trial)
{
	struct sim_policies policies = {0};
	const char *name = row->name ? row->name : "no policy";
	char why[256], text[192];
	int rc = row->name ? sim_policy_add(&policies, row->name, text, sizeof(text)) : 0;
	unsigned held = 0, runs = 0;
	struct row *added;

	for (const struct mix *mix = mixes; !rc && strcmp(mix->name, "custom") != 0; mix++, runs++) {
		trial->policies = row->name ? &policies : NULL;
		rc = run_trial(validation, mix->name, small, SECOND_NS / 4, NULL, trial);
		if (rc)
			break;
		rc = check_laws(trial, why, sizeof(why));
		if (rc == -EPROTO)
			diag_error(0, "%s, %s: the model violates one of its laws: %s", mix->name, name, why);
		held += !rc;
		rc = rc == -EPROTO ? 0 : rc;
		engine_result_free(&trial->result);
	}
	trial->policies = NULL;
	if (rc)
		return rc;
	added = add(validation, "laws", runs, held, 0);
	snprintf(added->what, sizeof(added->what), "mixes in which every law holds, %s", name);
	return 0;
}

static int check_policies(struct validation *validation)
{
	struct trial *trial = calloc(1, sizeof(*trial));
	int rc = trial ? 0 : -ENOMEM;

	/* The row behind the last stands for no policy. */
	for (const struct sim_policy_row *row = sim_policy_rows; !rc; row++) {
		rc = check_policy(validation, row, trial);
		if (!row->name)
			break;
	}
	free(trial);
	return rc;
}

/* --- the command --- */

#define SHOW(NAME, FORMAT)                                                                                  \
	static void show_##NAME(const void *from, char *text, size_t length)                                \
	{                                                                                                   \
		snprintf(text, length, FORMAT, ((const struct row *)from)->NAME);                           \
	}
SHOW(expected, "%.10g")
SHOW(found, "%.10g")
SHOW(deviation, "%+.2f")
SHOW(allowed, "%.1f")

#define AT(member) .offset = offsetof(struct row, member)
#define BOTH (TABLE_SHOWN | TABLE_JSON)
static const struct table_column columns[] = {
	{"what", TABLE_CHARS, BOTH, AT(what)},
	{"source", TABLE_STRING, BOTH, AT(source)},
	{"expected", TABLE_NUMBER, BOTH | TABLE_RIGHT, AT(expected), .show = show_expected},
	{"found", TABLE_NUMBER, BOTH | TABLE_RIGHT, AT(found), .show = show_found},
	{"deviation_percent", TABLE_NUMBER, BOTH | TABLE_RIGHT, AT(deviation), .show = show_deviation, .heading = "off %"},
	{"allowed_percent", TABLE_NUMBER, BOTH | TABLE_RIGHT, AT(allowed), .show = show_allowed, .heading = "allowed %"},
	{"verdict", TABLE_STRING, BOTH, AT(verdict)},
	{0},
};

static int validate(const struct command *command, int argc, char **argv)
{
	static int (*const checks[])(struct validation *validation) = {check_times, check_amplification, check_device,
		check_policies};
	struct validation *validation = calloc(1, sizeof(*validation));
	struct table table = {.columns = columns};
	struct opt_line line = {.count = 0};
	int code = DIAG_EXIT_HOST, rc = validation ? 0 : -ENOMEM;

	if (!rc)
		code = command_parse(command, argc, argv, validation, &line, NULL);
	if (!rc && !code)
		code = table_check(columns, &validation->output);
	if (!rc && code)
		goto out;
	for (size_t i = 0; i < sizeof(checks) / sizeof(checks[0]) && !rc; i++)
		rc = checks[i](validation);
	for (size_t i = 0; !rc && i < validation->count; i++)
		rc = table_add(&table, &validation->rows[i], "");
	if (rc && rc != -EPROTO)
		diag_error(rc, "cannot validate the simulated device");
	code = !rc ? table_show(&table, &validation->output) : rc == -EPROTO ? DIAG_EXIT_NEGATIVE : DIAG_EXIT_HOST;
	for (size_t i = 0; !code && i < validation->count; i++)
		code = fabs(validation->rows[i].deviation) <= validation->rows[i].allowed ? DIAG_EXIT_OK : DIAG_EXIT_NEGATIVE;
out:
	table_free(&table);
	opt_free(&line);
	free(validation);
	return code;
}

static const struct opt validate_options[] = {
	{"overwrites", 0, "N", OPT_U64, .offset = offsetof(struct validation, overwrites), .min = 1, .max = 1000, .preset = "6",
		.help = "overwrite the logical pages N times before, and N times while write amplification is measured",
		.manual = "Overwrite the logical pages N times, 1 to 1000, before write amplification is measured, and N times "
			  "while it is (default: 6). Fewer overwrites are faster and deviate more."},
	{"seed", 0, "N", OPT_U64, .offset = offsetof(struct validation, seed), .preset = "1", .help = "seed the random numbers",
		.manual = "Seed the random numbers, 0 to 2^64 - 1."},
	TABLE_OPTIONS("`what`, `source`, `expected`,\n`found`, `deviation_percent`, `allowed_percent`, `verdict`"),
	{0},
};

const struct command command_validate = {
	.program = &ssd_program,
	.name = "validate",
	.summary = "check the simulated device against known results",
	.doc = "Check the simulated device against known results: the closed form of write amplification, an independent "
	       "simulation of it, mean-field results for drawn victims and for hot and cold pages, Little's law, the sums "
	       "of the steps of single operations, and the laws of the model in each mix with each policy. The exit "
	       "status is 1 when one "
	       "deviates by more than is allowed.",
	.examples = "  ssd-workloads validate\n"
		    "  ssd-workloads validate --overwrites=30 --json\n",
	.notes = "The command takes some ten seconds. It measures and writes nothing on the host. See ssd-workloads(1).",
	.options = validate_options,
	.run = validate,
};
