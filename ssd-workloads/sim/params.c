/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "ssd-workloads/sim/params.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/input.h"
#include "common/base/units.h"
#include "common/cli/opt.h"

#define LINE_BYTES 256
#define FILE_MAX (1u << 20)

enum type { COUNT, SIZE, SHARE, CHOICES, MODE, FILL, TIME };

static const struct row {
	const char *key;
	enum type type;
	size_t offset;
	const char *least, *most, *preset, *help;
} rows[] = {
#define ROW(member, key, type, least, most, preset, help) \
	{key, type, offsetof(struct sim_params, member), least, most, preset, help},
	SIM_PARAMS(ROW)
#undef ROW
};
#define ROWS (sizeof(rows) / sizeof(rows[0]))

static const char *const modes[] = {
	[SIM_BUFFERED] = "buffered", [SIM_WRITE_THROUGH] = "write-through", [SIM_DIRECT] = "direct", NULL};
static const char *const fills[] = {[SIM_FILL_MIX] = "mix", [SIM_FILL_SEQUENTIAL] = "sequential", [SIM_FILL_RANDOM] = "random",
	[SIM_FILL_NONE] = "none", NULL};

/* This is MQSim's own model without its write cache: no firmware core, and all programs of one length. */
static const char *const mqsim_like[] = {"blocks=256", "spare=0", "read=60us", "jitter=0", "dma=4000", "mode=direct",
	"dma-latency=0", "fetch=0", "command=0", "cut=0", "ftl=0", "copy=0", "issue=0", "done=0", "dma-issue=0", "completion=0",
	"turnaround=0", NULL};

const struct sim_preset sim_presets[] = {
	{"small", "the geometry of the paper with 64 blocks a die: 4 GiB", (const char *const[]){"blocks=64", NULL}},
	{"full", "the geometry of the paper: 512 GiB, 0.6 GiB of memory", (const char *const[]){NULL}},
	{"mqsim-like", "16 GiB without a buffer and without firmware costs", mqsim_like},
	{NULL, NULL, NULL},
};

const struct sim_preset *sim_preset_find(const char *name)
{
	for (const struct sim_preset *preset = sim_presets; preset->name; preset++) {
		if (!strcmp(preset->name, name))
			return preset;
	}
	return NULL;
}

/* --- values --- */

static int parse(enum type type, const char *text, double *value)
{
	uint64_t whole = 0;
	int rc;

	switch (type) {
	case MODE:
	case FILL:
		rc = opt_choice(type == MODE ? modes : fills, text);
		*value = rc;
		return rc < 0 ? rc : 0;
	case SHARE:
		return units_parse_double(text, 0, 1e9, value);
	case CHOICES:
		if (!strcmp(text, "greedy")) {
			*value = 0;
			return 0;
		}
		if (!strncmp(text, "best-of:", 8))
			text += 8;
		rc = units_parse_u64(text, 0, UINT32_MAX, &whole);
		break;
	case SIZE:
		rc = units_parse_size(text, 1, &whole);
		break;
	case TIME:
		rc = units_parse_duration(text, &whole);
		break;
	default:
		rc = units_parse_u64(text, 0, UINT32_MAX, &whole);
		break;
	}
	*value = (double)whole;
	return rc;
}

static void store(const struct row *row, double value, struct sim_params *params)
{
	void *member = (char *)params + row->offset;

	if (row->type == SHARE)
		*(double *)member = value;
	else if (row->type == TIME)
		*(uint64_t *)member = (uint64_t)value;
	else
		*(uint32_t *)member = (uint32_t)value;
}

static int set(const struct row *row, const char *text, struct sim_params *params)
{
	double value, least = 0, most = INFINITY;
	int rc = parse(row->type, text, &value);

	if (rc)
		return rc;
	if (*row->least && (parse(row->type, row->least, &least) || parse(row->type, row->most, &most)))
		return -EINVAL;
	/* "greedy" is not a number of blocks, so the range does not apply. */
	if ((value < least && !(row->type == CHOICES && !strcmp(text, "greedy"))) || value > most)
		return -ERANGE;
	store(row, value, params);
	return 0;
}

void sim_params_init(const struct sim_preset *preset, struct sim_params *params)
{
	char why[LINE_BYTES];

	memset(params, 0, sizeof(*params));
	for (size_t i = 0; i < ROWS; i++)
		(void)set(&rows[i], rows[i].preset, params);
	for (size_t i = 0; preset && preset->values[i]; i++)
		(void)sim_params_set(params, preset->values[i], why, sizeof(why));
}

static const char *allowed(const struct row *row, char *text, size_t length)
{
	const char *const *words = row->type == MODE ? modes : fills;

	if (row->type == MODE || row->type == FILL) {
		size_t used = (size_t)snprintf(text, length, "must be ");

		for (size_t i = 0; words[i]; i++)
			used += (size_t)snprintf(text + used, length - used, "%s%s",
				!i ? "" : words[i + 1] ? ", " : " or ", words[i]);
	} else if (row->type == CHOICES) {
		snprintf(text, length, "must be greedy or best-of:D, D from %s to %s", row->least, row->most);
	} else {
		snprintf(text, length, "must be from %s to %s", row->least, row->most);
	}
	return text;
}

int sim_params_set(struct sim_params *params, const char *text, char *why, size_t length)
{
	size_t key = strcspn(text, "=");

	if (!text[key]) {
		snprintf(why, length, "must be KEY=VALUE, as ways=8");
		return -EINVAL;
	}
	for (size_t i = 0; i < ROWS; i++) {
		if (strlen(rows[i].key) != key || strncmp(rows[i].key, text, key) != 0)
			continue;
		if (!set(&rows[i], text + key + 1, params))
			return 0;
		allowed(&rows[i], why, length);
		return -EINVAL;
	}
	snprintf(why, length, "no parameter has this name; ssd-workloads(1) names them below --sim");
	return -EINVAL;
}

int sim_params_read(struct sim_params *params, const char *path, char *why, size_t length)
{
	FILE *in = NULL;
	char line[LINE_BYTES], what[LINE_BYTES];
	unsigned number = 0;
	int got, rc = input_stream(path, FILE_MAX, &in);

	if (rc) {
		snprintf(why, length, "%s", input_error(rc));
		return rc;
	}
	while ((got = input_line(in, line, sizeof(line))) > 0 && !rc) {
		size_t end = strlen(line);

		number++;
		while (end && (line[end - 1] == ' ' || line[end - 1] == '\t' || line[end - 1] == '\r'))
			line[--end] = '\0';
		if (!*line || *line == '#')
			continue;
		rc = sim_params_set(params, line, what, sizeof(what));
		if (rc)
			snprintf(why, length, "line %u, %.60s: %.120s", number, line, what);
	}
	fclose(in);
	if (!rc && got < 0) {
		snprintf(why, length, "line %u %s", number + 1, got == -EMSGSIZE ? "is too long" : input_error(got));
		rc = got;
	}
	return rc;
}

const char *sim_params_value(const struct sim_params *params, size_t index, const char **key, char text[64])
{
	const struct row *row = &rows[index];
	const void *member;

	if (index >= ROWS)
		return NULL;
	member = (const char *)params + row->offset;
	*key = row->key;
	if (row->type == SHARE)
		(void)units_write_double(*(const double *)member, text, 64);
	else if (row->type == TIME)
		snprintf(text, 64, "%" PRIu64 "ns", *(const uint64_t *)member);
	else if (row->type == MODE)
		snprintf(text, 64, "%s", modes[*(const uint32_t *)member]);
	else if (row->type == FILL)
		snprintf(text, 64, "%s", fills[*(const uint32_t *)member]);
	else if (row->type == CHOICES && !*(const uint32_t *)member)
		snprintf(text, 64, "greedy");
	else
		snprintf(text, 64, "%s%" PRIu32, row->type == CHOICES ? "best-of:" : "", *(const uint32_t *)member);
	return text;
}

/* --- derived values --- */

uint32_t sim_dies(const struct sim_params *params)
{
	return params->channels * params->ways;
}

uint64_t sim_pages(const struct sim_params *params)
{
	return (uint64_t)sim_dies(params) * params->blocks * params->pages;
}

uint64_t sim_exported_pages(const struct sim_params *params)
{
	uint64_t usable = (uint64_t)sim_dies(params) * (params->blocks - params->reserve_blocks) * params->pages;

	return params->reserve_blocks < params->blocks ? (uint64_t)((double)usable / (1 + params->over_provisioning)) : 0;
}

uint64_t sim_transfer_ns(const struct sim_params *params)
{
	return ((uint64_t)params->page_bytes + params->spare_bytes) * 1000 / params->bus_mts;
}

uint64_t sim_dma_ns(const struct sim_params *params, uint32_t bytes)
{
	return (uint64_t)bytes * 1000 / params->dma_mbs;
}

int sim_params_check(const struct sim_params *params, char *why, size_t length)
{
	*why = '\0';
	if (params->page_bytes & (params->page_bytes - 1))
		snprintf(why, length, "page: must be a power of two");
	else if (params->blocks < params->reserve_blocks + 2)
		snprintf(why, length, "blocks: must be at least two more than reserve");
	else if (sim_pages(params) >= UINT32_MAX)
		snprintf(why, length, "%" PRIu64 " pages: a device has fewer than 4294967295; use fewer blocks or ways",
			sim_pages(params));
	else if (!sim_exported_pages(params))
		snprintf(why, length, "op: nothing is left to export; use a smaller share or more blocks");
	else if (params->jitter_ns > params->program_ns)
		snprintf(why, length, "jitter: must not be longer than program");
	else if ((uint64_t)params->dma_fifo * 4096 < params->page_bytes)
		snprintf(why, length, "dma-fifo: must hold a page");
	return *why ? -EINVAL : 0;
}
