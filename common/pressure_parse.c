/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "common/pressure.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "common/pressure_check.h"
#include "common/swap.h"
#include "common/units.h"

#define FORM_SWAP "must be zram:SIZE[,ALGO], file:PATH,SIZE, loop:PATH,SIZE, dev:PATH or none"
#define FORM_EATER "must be NODE=SIZE@T0-T1, NODE a number or any, for example 0=512M@10s-30s"

static int fail(int err, const char **why, const char *text)
{
	*why = text;
	return err;
}

/* Copies [text, end) as a string of its own. */
static bool copy_part(const char *text, const char *end, char *part, size_t length)
{
	return snprintf(part, length, "%.*s", (int)(end - text), text) < (int)length;
}

static int parse_swap_size(const char *text, uint64_t *bytes, const char **why)
{
	uint64_t value;
	int ret = units_parse_size(text, 1, &value);

	if (ret == -ERANGE || (!ret && value < SWAP_MIN_BYTES))
		return fail(
			-ERANGE, why, "SIZE of a swap area must be at least 1 MiB and less than 2^64 bytes");
	if (ret)
		return fail(ret, why, "SIZE must be a size such as 512M or 4G; " FORM_SWAP);
	*bytes = value;
	return 0;
}

static int parse_zram(const char *text, struct pressure_swap *swap, const char **why)
{
	const char *comma = strchrnul(text, ',');
	char size[64];

	if (!copy_part(text, comma, size, sizeof(size)))
		return fail(-EINVAL, why, FORM_SWAP);
	if (*comma) {
		const char *algorithm = comma + 1;
		size_t length = strlen(algorithm);

		for (const char *c = algorithm; *c; c++)
			if (!isalnum((unsigned char)*c) && *c != '-' && *c != '_')
				length = 0;
		if (!length || length >= sizeof(swap->algorithm))
			return fail(-EINVAL, why,
				"ALGO must be a compressor's name such as lzo-rle, lz4 or zstd");
		memcpy(swap->algorithm, algorithm, length + 1);
	}
	return parse_swap_size(size, &swap->bytes, why);
}

static int parse_path(const char *text, struct pressure_swap *swap, const char **why)
{
	/* The last comma, so that a path may have some. */
	const char *comma = strrchr(text, ',');

	if (!comma || comma == text)
		return fail(-EINVAL, why, FORM_SWAP);
	/* The journal keeps one action a line. */
	if (strchr(text, '\n'))
		return fail(-EINVAL, why, "PATH must not have a newline in it");
	if (!copy_part(text, comma, swap->path, sizeof(swap->path)))
		return fail(-ERANGE, why, "PATH must be shorter than 256 bytes");
	return parse_swap_size(comma + 1, &swap->bytes, why);
}

static int parse_device(const char *text, struct pressure_swap *swap, const char **why)
{
	if (text[0] != '/')
		return fail(-EINVAL, why, "PATH must be the full path of a block device such as /dev/nvme0n1p3");
	if (strchr(text, '\n'))
		return fail(-EINVAL, why, "PATH must not have a newline in it");
	if (!copy_part(text, text + strlen(text), swap->path, sizeof(swap->path)))
		return fail(-ERANGE, why, "PATH must be shorter than 256 bytes");
	return 0;
}

int pressure_parse_swap(const char *text, struct pressure_swap *swap, const char **why)
{
	struct pressure_swap parsed = {.kind = PRESSURE_SWAP_NONE};
	int ret = 0;

	if (!strncmp(text, "zram:", 5)) {
		parsed.kind = PRESSURE_SWAP_ZRAM;
		ret = parse_zram(text + 5, &parsed, why);
	} else if (!strncmp(text, "file:", 5) || !strncmp(text, "loop:", 5)) {
		parsed.kind = text[0] == 'f' ? PRESSURE_SWAP_FILE : PRESSURE_SWAP_LOOP;
		ret = parse_path(text + 5, &parsed, why);
	} else if (!strncmp(text, "dev:", 4)) {
		parsed.kind = PRESSURE_SWAP_DEVICE;
		ret = parse_device(text + 4, &parsed, why);
	} else if (strcmp(text, "none")) {
		ret = fail(-EINVAL, why, FORM_SWAP);
	}
	if (!ret)
		*swap = parsed;
	return ret;
}

static int parse_node(const char *text, int *node, const char **why)
{
	uint64_t value;

	if (!strcmp(text, "any")) {
		*node = -1;
		return 0;
	}
	if (units_parse_u64(text, 0, 1023, &value))
		return fail(
			-EINVAL, why, "NODE must be any or the number of a NUMA node (0-1023); " FORM_EATER);
	*node = (int)value;
	return 0;
}

static int parse_times(char *text, struct pressure_eater *eater, const char **why)
{
	char *dash = strchr(text, '-');

	if (!dash)
		return fail(-EINVAL, why, FORM_EATER);
	*dash = '\0';
	if (units_parse_duration(text, &eater->begin_ns) || units_parse_duration(dash + 1, &eater->end_ns))
		return fail(-EINVAL, why, "T0 and T1 must be times such as 10s, 500ms or 2m; " FORM_EATER);
	if (eater->end_ns <= eater->begin_ns)
		return fail(-ERANGE, why, "T1 must be later than T0");
	return 0;
}

int pressure_parse_eater(const char *text, struct pressure_eater *eater, const char **why)
{
	struct pressure_eater parsed = {0};
	char copy[128], *equals, *at;
	int ret;

	if (snprintf(copy, sizeof(copy), "%s", text) >= (int)sizeof(copy))
		return fail(-EINVAL, why, FORM_EATER);
	equals = strchr(copy, '=');
	at = equals ? strchr(equals, '@') : NULL;
	if (!at)
		return fail(-EINVAL, why, FORM_EATER);
	*equals = *at = '\0';
	ret = parse_node(copy, &parsed.node, why);
	if (!ret && units_parse_size(equals + 1, 1, &parsed.bytes))
		ret = fail(-EINVAL, why, "SIZE must be a size such as 512M or 4G; " FORM_EATER);
	if (!ret && parsed.bytes < UNITS_MIB)
		ret = fail(-ERANGE, why, "SIZE of an eater must be at least 1 MiB");
	if (!ret)
		ret = parse_times(at + 1, &parsed, why);
	if (!ret)
		*eater = parsed;
	return ret;
}

int pressure_parse_page_cluster(const char *text, struct pressure_plan *plan, const char **why)
{
	uint64_t value = 0;
	int ret = strcmp(text, "keep") ? units_parse_u64(text, 0, 31, &value) : 0;

	if (ret)
		return fail(ret, why, "must be keep, or 0 to 31: one fault reads 2^N pages of swap");
	plan->has_page_cluster = true;
	plan->page_cluster = strcmp(text, "keep") ? (int)value : -1;
	return 0;
}

int pressure_parse_swappiness(const char *text, struct pressure_plan *plan, const char **why)
{
	uint64_t value;
	int ret = units_parse_u64(text, 0, 200, &value);

	if (ret)
		return fail(ret, why, "must be 0 to 200");
	plan->has_swappiness = true;
	plan->swappiness = (unsigned)value;
	return 0;
}

int pressure_parse_finish(const struct pressure_plan *plan, const char **why)
{
	if (plan->high_bytes && plan->ram_bytes && plan->high_bytes >= plan->ram_bytes)
		return fail(-EINVAL, why, "--high must be below --ram: the limit would be reached first");
	if (plan->has_swappiness && plan->swap.kind == PRESSURE_SWAP_NONE)
		return fail(-EINVAL, why, "--swappiness with --swap none: the run may not swap; drop one of them");
	if (plan->destroy_data && plan->swap.kind != PRESSURE_SWAP_DEVICE)
		return fail(-EINVAL, why, "--destroy-data is of a device: --swap dev:PATH names it");
	return 0;
}
