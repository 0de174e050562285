/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "ssd-workloads/run/mqsim.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/report_read.h"
#include "common/units.h"

#define SECTOR 512u
#define FILE_MAX (1u << 20)

struct flow { /* as it is read */
	struct mqsim_flow flow;
	uint64_t depth, sectors, working, stop_ns, total, hot, alignment, reads;
	bool is_hot, is_uncached;
	const struct report_node *node;
	const char *priority;
};

struct refusal { char *why; size_t length; };

static int refuse(const struct refusal *to, const struct report_node *node, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
static int refuse(const struct refusal *to, const struct report_node *node, const char *format, ...)
{
	size_t used = (size_t)snprintf(to->why, to->length, "line %u, %.40s: ", node->line, node->name);
	va_list arguments;

	if (used < to->length) {
		va_start(arguments, format);
		vsnprintf(to->why + used, to->length - used, format, arguments);
		va_end(arguments);
	}
	return -EINVAL;
}

/* --- elements --- */

enum kind {
	PASSED,   /* over: of MQSim's own placement, or of what another element says */
	NUMBER,   /* from least to most, into the member */
	WORD,     /* one of words, separated by blanks; the index goes to `take` */
};

enum words_of { OF_NOTHING, OF_CACHING, OF_GENERATOR, OF_ADDRESSES, OF_SIZES, OF_ALIGNED, OF_PRIORITY };

static const struct element {
	const char *name;
	enum kind kind;
	size_t offset;
	uint64_t least, most;
	const char *words[9];
	unsigned allowed;             /* bit n: words[n] is taken */
	enum words_of of;
	bool is_needed;
} elements[] = {
#define IN(member) offsetof(struct flow, member)
	{"Channel_IDs", .kind = PASSED}, {"Chip_IDs", .kind = PASSED}, {"Die_IDs", .kind = PASSED}, {"Plane_IDs", .kind = PASSED},
	{"Initial_Occupancy_Percentage", .kind = PASSED}, {"Seed", .kind = PASSED}, {"Variance_Request_Size", .kind = PASSED},
	{"Bandwidth", .kind = PASSED}, {"Intensity", .kind = PASSED}, {"Type", .kind = PASSED},
	{"Priority_Class", .kind = WORD, .words = {"URGENT", "HIGH", "MEDIUM", "LOW"}, .allowed = 15, .of = OF_PRIORITY},
	{"Device_Level_Data_Caching_Mode", .kind = WORD, .of = OF_CACHING, .allowed = 15,
		.words = {"TURNED_OFF", "READ_CACHE", "WRITE_CACHE", "WRITE_READ_CACHE"}},
	{"Working_Set_Percentage", .kind = NUMBER, .offset = IN(working), .least = 1, .most = 100, .is_needed = true},
	{"Synthetic_Generator_Type", .kind = WORD, .of = OF_GENERATOR, .allowed = 1, .is_needed = true,
		.words = {"QUEUE_DEPTH", "BANDWIDTH", "ARRIVAL_RATE"}},
	{"Read_Percentage", .kind = NUMBER, .offset = IN(reads), .least = 0, .most = 0, .is_needed = true},
	{"Address_Distribution", .kind = WORD, .of = OF_ADDRESSES, .allowed = 31, .is_needed = true,
		.words = {"STREAMING", "RANDOM_UNIFORM", "UNIFORM_RANDOM", "RANDOM_HOTCOLD", "HOTCOLD_RANDOM",
			"MIXED_STREAMING_RANDOM"}},
	{"Percentage_of_Hot_Region", .kind = NUMBER, .offset = IN(hot), .least = 0, .most = 100},
	{"Generated_Aligned_Addresses", .kind = WORD, .words = {"true", "false"}, .allowed = 1, .of = OF_ALIGNED},
	{"Address_Alignment_Unit", .kind = NUMBER, .offset = IN(alignment), .least = 1, .most = MIX_BLOCK_MAX / SECTOR},
	{"Request_Size_Distribution", .kind = WORD, .words = {"FIXED", "NORMAL"}, .allowed = 1, .of = OF_SIZES, .is_needed = true},
	{"Average_Request_Size", .kind = NUMBER, .offset = IN(sectors), .least = 1, .most = MIX_BLOCK_MAX / SECTOR,
		.is_needed = true},
	{"Average_No_of_Reqs_in_Queue", .kind = NUMBER, .offset = IN(depth), .least = 1, .most = MIX_DEPTH_MAX, .is_needed = true},
	{"Stop_Time", .kind = NUMBER, .offset = IN(stop_ns), .least = 0, .most = 7 * 86400 * UNITS_NS_PER_SEC},
	{"Total_Requests_To_Generate", .kind = NUMBER, .offset = IN(total), .least = 0, .most = UINT32_MAX},
#undef IN
};
#define ELEMENTS (sizeof(elements) / sizeof(elements[0]))

static int take_word(const struct element *element, const struct report_node *node, struct flow *flow, const struct refusal *to)
{
	char allowed[128] = "";
	size_t used = 0;

	for (unsigned i = 0; element->words[i]; i++) {
		if (!strcasecmp(element->words[i], node->text) && element->allowed >> i & 1) {
			flow->flow.is_random = element->of == OF_ADDRESSES ? i > 0 : flow->flow.is_random;
			flow->is_hot = element->of == OF_ADDRESSES ? i > 2 : flow->is_hot;
			flow->is_uncached = element->of == OF_CACHING ? i < 2 : flow->is_uncached;
			flow->priority = element->of == OF_PRIORITY ? element->words[i] : flow->priority;
			return 0;
		}
		if (element->allowed >> i & 1 && used < sizeof(allowed))
			used += (size_t)snprintf(allowed + used, sizeof(allowed) - used, "%s%s", used ? ", " : "",
				element->words[i]);
	}
	return refuse(to, node, "%.40s is not supported; this can be %s", node->text, allowed);
}

static int take_element(const struct element *element, const struct report_node *node, struct flow *flow, const struct refusal *to)
{
	uint64_t value;

	if (element->kind == PASSED)
		return 0;
	if (element->kind == WORD)
		return take_word(element, node, flow, to);
	if (!units_parse_u64(node->text, element->least, element->most, &value)) {
		*(uint64_t *)(void *)((char *)flow + element->offset) = value;
		return 0;
	}
	if (element->least == element->most)
		return refuse(to, node, "%.40s is not supported; flows write only, which is %" PRIu64, node->text,
			element->least);
	return refuse(to, node, "must be a whole number from %" PRIu64 " to %" PRIu64, element->least, element->most);
}

/* --- a flow --- */

static int read_flow(const struct report_node *node, struct flow *flow, const struct refusal *to)
{
	bool is_there[ELEMENTS] = {false};

	*flow = (struct flow){.node = node};
	if (strcmp(node->name, "IO_Flow_Parameter_Set_Synthetic") != 0)
		return refuse(to, node, "is not supported; flows are IO_Flow_Parameter_Set_Synthetic");
	for (const struct report_node *child = node->child; child; child = child->next) {
		size_t i = 0;
		int rc;

		while (i < ELEMENTS && strcmp(elements[i].name, child->name) != 0)
			i++;
		if (i == ELEMENTS)
			return refuse(to, child, "is not supported");
		if (is_there[i])
			return refuse(to, child, "is there twice");
		is_there[i] = true;
		rc = take_element(&elements[i], child, flow, to);
		if (rc)
			return rc;
	}
	for (size_t i = 0; i < ELEMENTS; i++) {
		if (elements[i].is_needed && !is_there[i])
			return refuse(to, node, "%s is missing", elements[i].name);
	}
	if (!flow->stop_ns && flow->total)
		return refuse(to, node, "Total_Requests_To_Generate is not supported; give Stop_Time");
	if (flow->is_hot && (!flow->hot || flow->hot == 100))
		return refuse(to, node, "Percentage_of_Hot_Region must be from 1 to 99");
	if (flow->flow.is_random && flow->alignment && flow->sectors % flow->alignment)
		return refuse(to, node, "Address_Alignment_Unit must divide Average_Request_Size: random writes begin at "
					"multiples of their size");
	flow->flow.depth = (unsigned)flow->depth;
	flow->flow.block_bytes = (uint32_t)flow->sectors * SECTOR;
	flow->flow.working_percent = (unsigned)flow->working;
	flow->flow.hot_percent = flow->is_hot ? (unsigned)flow->hot : 0;
	return 0;
}

/* --- a scenario --- */

/* What all flows of a run have in common here. */
static int join(const struct flow *flows, unsigned count, struct mqsim_scenario *scenario, const struct refusal *to)
{
	const struct flow *last = &flows[count - 1];
	unsigned log = 0;

	if (count > 1 && flows[0].is_uncached != flows[1].is_uncached)
		return refuse(to, last->node, "Device_Level_Data_Caching_Mode must be that of the first flow");
	if (count > 1 && flows[0].priority && flows[1].priority && strcmp(flows[0].priority, flows[1].priority) != 0)
		return refuse(to, last->node, "Priority_Class must be that of the first flow");
	if (count > 1 && flows[0].flow.is_random && flows[1].flow.is_random)
		return refuse(to, last->node, "Address_Distribution: one flow may be random; the other can be STREAMING");
	*scenario = (struct mqsim_scenario){.count = count, .is_uncached = flows[0].is_uncached};
	if (count > 1)
		log = flows[0].flow.is_random ? 1 : 0;
	for (unsigned i = 0; i < count; i++) {
		bool is_log = count > 1 ? i == log : !flows[i].flow.is_random;

		scenario->flows[is_log ? MIX_LOG : MIX_CHECKPOINT] = flows[i].flow;
		scenario->stop_ns = flows[i].stop_ns > scenario->stop_ns ? flows[i].stop_ns : scenario->stop_ns;
	}
	return 0;
}

static int read_scenario(const struct report_node *node, struct mqsim_scenario *scenario, const struct refusal *to)
{
	struct flow flows[MIX_STREAMS];
	unsigned count = 0;

	for (const struct report_node *child = node->child; child; child = child->next) {
		int rc;

		if (count == MIX_STREAMS)
			return refuse(to, child, "up to two flows are supported: one is the log, one the checkpoint");
		rc = read_flow(child, &flows[count], to);
		if (rc)
			return rc;
		count++;
	}
	return count ? join(flows, count, scenario, to) : refuse(to, node, "has no flow");
}

static int find_scenario(const struct report_node *root, unsigned number, struct mqsim_scenario *scenario, const struct refusal *to)
{
	unsigned count = 0;

	if (strcmp(root->name, "MQSim_IO_Scenarios") != 0)
		return refuse(to, root, "a workload definition of MQSim begins with MQSim_IO_Scenarios");
	for (const struct report_node *node = root->child; node; node = node->next) {
		if (strcmp(node->name, "IO_Scenario") != 0)
			return refuse(to, node, "is not supported; scenarios are IO_Scenario");
		if (++count == number)
			return read_scenario(node, scenario, to);
	}
	return refuse(to, root, "has %u scenario%s, not %u", count, count == 1 ? "" : "s", number);
}

int mqsim_parse(const char *text, size_t size, unsigned number, struct mqsim_scenario *scenario, char *why, size_t length)
{
	struct report_document *document = NULL;
	const struct refusal to = {why, length};
	int rc;

	if (size > FILE_MAX) {
		snprintf(why, length, "is larger than 1 MiB");
		return -EINVAL;
	}
	rc = report_read_memory(text, size, &document, why, length);
	if (rc)
		return rc == -ENOMEM ? rc : -EINVAL;
	rc = find_scenario(report_read_root(document), number, scenario, &to);
	report_read_free(document);
	/* A value may have had lines. */
	for (char *at = why; rc && *at; at++)
		*at = (unsigned char)*at < ' ' || *at == 127 ? ' ' : *at;
	return rc;
}

int mqsim_read(const char *path, unsigned number, struct mqsim_scenario *scenario, char *why, size_t length)
{
	char *text = NULL;
	size_t size = 0;
	int rc = report_read_bytes(path, &text, &size, why, length);

	if (!rc)
		rc = mqsim_parse(text, size, number, scenario, why, length);
	else if (!strncmp(why, path, strlen(path)) && !strncmp(why + strlen(path), ": ", 2))
		memmove(why, why + strlen(path) + 2, strlen(why + strlen(path) + 2) + 1);
	free(text);
	return rc;
}
