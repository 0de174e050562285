/* SPDX-License-Identifier: GPL-3.0-or-later */
/* In what memory, where, under what pressure; and the labels. */
#include "config.h"
#include "pmbench/options_table.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RAM_MIN_BYTES (4 * UNITS_MIB)
#define NODES_LIMIT 1024 /* MAX_NUMNODES of the largest kernels */

static int parse_share(const char *text, struct units_share *share)
{
	struct units_share value = {0};
	int rc = units_parse_share(text, UNITS_MIB, &value);

	if (rc)
		return rc;
	if (!value.is_percent && !value.bytes)
		return -ERANGE;
	*share = value;
	return 0;
}

int options_set_mapsize(struct options_reading *in, const char *text)
{
	int rc = parse_share(text, &in->options->map);

	if (!rc)
		in->options->has_map = true;
	return rc;
}

bool options_get_mapsize(struct options_writing *out)
{
	if (!out->options->has_map)
		return false;
	options_format_share(&out->options->map, out->value, out->length);
	return true;
}

int options_set_setsize(struct options_reading *in, const char *text)
{
	int rc = parse_share(text, &in->options->set);

	if (!rc)
		in->options->has_set = true;
	return rc;
}

bool options_get_setsize(struct options_writing *out)
{
	if (!out->options->has_set)
		return false;
	options_format_share(&out->options->set, out->value, out->length);
	return true;
}

int options_set_setsize_list(struct options_reading *in, const char *text)
{
	struct units_share shares[OPTIONS_SETSIZES];
	char size[64];
	size_t count = 0;

	for (;; text++) {
		size_t length = strcspn(text, ",");

		if (length >= sizeof(size))
			return -EINVAL;
		if (count == OPTIONS_SETSIZES)
			return -ERANGE;
		memcpy(size, text, length);
		size[length] = '\0';
		if (parse_share(size, &shares[count++]))
			return -EINVAL;
		text += length;
		if (!*text)
			break;
	}
	if (count < 2)
		return -ERANGE;
	memcpy(in->options->setsizes, shares, count * sizeof(shares[0]));
	in->options->setsize_count = count;
	return 0;
}

bool options_get_setsize_list(struct options_writing *out)
{
	size_t used = 0;

	if (!out->options->setsize_count)
		return false;
	for (size_t i = 0; i < out->options->setsize_count && used + 2 < out->length; i++) {
		if (i)
			out->value[used++] = ',';
		options_format_share(&out->options->setsizes[i], out->value + used, out->length - used);
		used += strlen(out->value + used);
	}
	return true;
}

int options_set_map(struct options_reading *in, const char *text)
{
	return mapping_parse_kind(text, &in->options->mapping, &in->why);
}

bool options_get_map(struct options_writing *out)
{
	const struct mapping_request *request = &out->options->mapping;

	if (request->kind == MAPPING_FILE)
		snprintf(out->value, out->length, "file:%s", request->path);
	else
		snprintf(out->value, out->length, "%s", mapping_kind_name(request->kind));
	return true;
}

int options_set_content(struct options_reading *in, const char *text)
{
	return mapping_parse_content(text, &in->options->mapping, &in->why);
}

bool options_get_content(struct options_writing *out)
{
	const struct mapping_request *request = &out->options->mapping;
	char percent[32];

	if (request->content == CONTENT_RATIO) {
		options_format_double(request->compressible_percent, percent, sizeof(percent));
		snprintf(out->value, out->length, "ratio:%s", percent);
	} else {
		snprintf(out->value, out->length, "%s", mapping_content_name(request->content));
	}
	return true;
}

int options_set_initialize(struct options_reading *in, const char *text)
{
	if (text && strcmp(text, "yes"))
		return -EINVAL;
	in->options->mapping.content = CONTENT_RANDOM;
	return 0;
}

/* Rows of three policies; which one is in row->min. */
int options_set_nodes(struct options_reading *in, const char *text)
{
	struct placement_request *request = &in->options->placement;
	unsigned nodes[NODES_LIMIT];
	size_t count;
	int rc = units_parse_list(text, NODES_LIMIT, nodes, NODES_LIMIT, &count);

	if (rc)
		return rc;
	if (!count || strlen(text) >= sizeof(request->nodes))
		return -EINVAL;
	snprintf(request->nodes, sizeof(request->nodes), "%s", text);
	request->policy = (enum placement_policy)in->row->min;
	return 0;
}

bool options_get_nodes(struct options_writing *out)
{
	const struct placement_request *request = &out->options->placement;

	if (request->policy != (enum placement_policy)out->row->min)
		return false;
	snprintf(out->value, out->length, "%s", request->nodes);
	return true;
}

/* A list, perhaps of a kind of location; which ones there are is the plan's business. */
bool options_is_cpu_list(const char *text)
{
	unsigned numbers[CPU_SETSIZE];
	size_t kind = strspn(text, "abcdefghijklmnopqrstuvwxyz"), count;

	if (kind && text[kind] == ':')
		text += kind + 1;
	return !units_parse_list(text, CPU_SETSIZE, numbers, CPU_SETSIZE, &count) && count;
}

int options_set_cpus(struct options_reading *in, const char *text)
{
	struct placement_request *request = &in->options->placement;

	if (!options_is_cpu_list(text) || strlen(text) >= sizeof(request->cpus))
		return -EINVAL;
	snprintf(request->cpus, sizeof(request->cpus), "%s", text);
	return 0;
}

bool options_get_cpus(struct options_writing *out)
{
	if (!*out->options->placement.cpus)
		return false;
	snprintf(out->value, out->length, "%s", out->options->placement.cpus);
	return true;
}

int options_set_ram(struct options_reading *in, const char *text)
{
	uint64_t bytes;
	int rc = units_parse_size(text, 1, &bytes);

	if (rc)
		return rc;
	if (bytes < RAM_MIN_BYTES)
		return -ERANGE;
	in->options->pressure.ram_bytes = bytes;
	return 0;
}

bool options_get_ram(struct options_writing *out)
{
	if (!out->options->pressure.ram_bytes)
		return false;
	options_format_size(out->options->pressure.ram_bytes, 1, out->value, out->length);
	return true;
}

int options_set_high(struct options_reading *in, const char *text)
{
	return pressure_parse_high(text, &in->options->pressure, &in->why);
}

bool options_get_high(struct options_writing *out)
{
	if (!out->options->pressure.high_bytes)
		return false;
	options_format_size(out->options->pressure.high_bytes, 1, out->value, out->length);
	return true;
}

int options_set_page_cluster(struct options_reading *in, const char *text)
{
	return pressure_parse_page_cluster(text, &in->options->pressure, &in->why);
}

bool options_get_page_cluster(struct options_writing *out)
{
	const struct pressure_plan *plan = &out->options->pressure;

	if (!plan->has_page_cluster)
		return false;
	if (plan->page_cluster < 0)
		snprintf(out->value, out->length, "keep");
	else
		snprintf(out->value, out->length, "%d", plan->page_cluster);
	return true;
}

int options_set_swappiness(struct options_reading *in, const char *text)
{
	return pressure_parse_swappiness(text, &in->options->pressure, &in->why);
}

bool options_get_swappiness(struct options_writing *out)
{
	if (!out->options->pressure.has_swappiness)
		return false;
	snprintf(out->value, out->length, "%u", out->options->pressure.swappiness);
	return true;
}

int options_set_destroy_data(struct options_reading *in, const char *text)
{
	in->options->pressure.destroy_data = text;
	return *text ? 0 : -EINVAL;
}

int options_set_swap(struct options_reading *in, const char *text)
{
	struct pressure_swap swap = {0};
	int rc = pressure_parse_swap(text, &swap, &in->why);

	if (!rc)
		in->options->pressure.swap = swap;
	return rc;
}

bool options_get_swap(struct options_writing *out)
{
	const struct pressure_swap *swap = &out->options->pressure.swap;
	unsigned long long bytes = swap->bytes;

	switch (swap->kind) {
	case PRESSURE_SWAP_KEEP:
		return false;
	case PRESSURE_SWAP_NONE:
		snprintf(out->value, out->length, "none");
		return true;
	case PRESSURE_SWAP_ZRAM:
		snprintf(out->value, out->length, "zram:%lluB%s%s", bytes, *swap->algorithm ? "," : "",
			swap->algorithm);
		return true;
	case PRESSURE_SWAP_FILE:
		snprintf(out->value, out->length, "file:%s,%lluB", swap->path, bytes);
		return true;
	case PRESSURE_SWAP_LOOP:
		snprintf(out->value, out->length, "loop:%s,%lluB", swap->path, bytes);
		return true;
	case PRESSURE_SWAP_DEVICE:
		snprintf(out->value, out->length, "dev:%s", swap->path);
		return true;
	}
	return false;
}

int options_set_eater(struct options_reading *in, const char *text)
{
	struct pressure_plan *plan = &in->options->pressure;
	struct pressure_eater eater = {0};
	int rc;

	if (plan->eater_count == PRESSURE_EATERS) {
		in->why = "at most 8 eaters";
		return -ERANGE;
	}
	rc = pressure_parse_eater(text, &eater, &in->why);
	if (!rc)
		plan->eaters[plan->eater_count++] = eater;
	return rc;
}

int options_set_recover(struct options_reading *in, const char *text)
{
	if (text && strcmp(text, "set-aside"))
		return -EINVAL;
	in->options->wants_recover = true;
	in->options->sets_aside = text != NULL;
	return 0;
}

bool options_get_eater(struct options_writing *out)
{
	const struct pressure_plan *plan = &out->options->pressure;
	const struct pressure_eater *eater = &plan->eaters[out->index];
	char node[16] = "any", begin[32], end[32];

	if (out->index >= plan->eater_count)
		return false;
	if (eater->node >= 0)
		snprintf(node, sizeof(node), "%d", eater->node);
	options_format_duration(eater->begin_ns, begin, sizeof(begin));
	options_format_duration(eater->end_ns, end, sizeof(end));
	snprintf(out->value, out->length, "%s=%lluB@%s-%s", node, (unsigned long long)eater->bytes, begin,
		end);
	return true;
}

int options_set_media(struct options_reading *in, const char *text)
{
	return units_parse_double(text, 0.001, 1e6, &in->options->media_latency_us);
}

bool options_get_media(struct options_writing *out)
{
	if (out->options->media_latency_us <= 0)
		return false;
	options_format_double(out->options->media_latency_us, out->value, out->length);
	return true;
}

int options_set_label(struct options_reading *in, const char *text)
{
	return label_add(&in->options->labels, text, &in->why);
}

bool options_get_label(struct options_writing *out)
{
	const struct report_option *label = &out->options->labels.list[out->index];

	if (out->index >= out->options->labels.count)
		return false;
	snprintf(out->value, out->length, "%s=%s", label->name, label->value);
	return true;
}
