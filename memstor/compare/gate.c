/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "memstor/compare/compare.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/units.h"

static const char form[] = "must be METRIC<LIMIT or METRIC>LIMIT as p99<+5%, throughput>-3% (of the change) "
			   "or p99<3us, throughput>1e6 (of NEW itself), optionally after SET:";
static const char lower[] = "must be METRIC<LIMIT: of this metric lower is better";
static const char higher[] = "must be METRIC>LIMIT: of this metric higher is better";
static const char unit[] = "must be in ns, us, ms or s";
static const char sign[] = "must be +5% or -5% of the change, or 5 of the value itself, which is in percent";

static int parse_change(const char *text, size_t length, struct compare_gate *gate)
{
	char number[32];

	/* The parser of numbers refuses a '+', which says here that a change is meant. */
	if (text[0] == '+' && text[1] != '-') {
		text++;
		length--;
	}
	if (length >= sizeof(number))
		return -EINVAL;
	snprintf(number, sizeof(number), "%.*s", (int)length, text);
	gate->is_change = true;
	if (units_parse_double(number, -100, 1e6, &gate->limit))
		return -EINVAL;
	gate->limit /= 100;
	return 0;
}

/* Latencies are times, and a bare number would be seconds: it must have its unit. No latency is in minutes, which
 * "m" would be. */
static int parse_value(const char *text, struct compare_gate *gate, const char **why)
{
	const char *suffix = text + strspn(text, "0123456789.");
	uint64_t ns;

	gate->is_change = false;
	if (strcmp(gate->ways[0].metric.unit, "ns") != 0)
		return units_parse_double(text, 0, 1e300, &gate->limit) ? -EINVAL : 0;
	if (suffix == text)
		return -EINVAL;
	*why = unit;
	if (strcmp(suffix, "ns") && strcmp(suffix, "us") && strcmp(suffix, "ms") && strcmp(suffix, "s"))
		return -EINVAL;
	if (units_parse_duration(text, &ns))
		return -EINVAL;
	gate->limit = (double)ns;
	return 0;
}

static void add_way(struct compare_gate *gate, const char *name, size_t set_length, const char **why)
{
	struct compare_gate_way *way = &gate->ways[gate->way_count];

	if (metric_parse(name + (set_length ? set_length + 1 : 0), &way->metric, why))
		return;
	way->set_length = set_length;
	gate->way_count++;
}

/* A name is read as a metric of every set; and with a set before its last colon, or before its first. */
static int parse_name(const char *name, struct compare_gate *gate, const char **why)
{
	const char *last = strrchr(name, ':'), *first = strchr(name, ':');
	const char *unused;

	add_way(gate, name, 0, why);
	if (last && last > name)
		add_way(gate, name, (size_t)(last - name), &unused);
	if (first != last && first > name)
		add_way(gate, name, (size_t)(first - name), &unused);
	return gate->way_count ? 0 : -EINVAL;
}

int compare_gate_parse(const char *text, struct compare_gate *gate, const char **why)
{
	struct compare_gate new = {.text = text};
	size_t length = strlen(text), used = length;
	char name[4 * METRIC_NAME];
	const char *limit;
	int err;

	*why = form;
	/* The name of a set may have any sign. */
	while (used && !strchr("<>", text[used - 1]))
		used--;
	if (used < 1 || used > sizeof(name))
		return -EINVAL;
	snprintf(name, sizeof(name), "%.*s", (int)used - 1, text);
	if (parse_name(name, &new, why))
		return -EINVAL;
	new.is_below = text[used - 1] == '<';
	if (new.is_below != (new.ways[0].metric.better == METRIC_LOWER)) {
		*why = new.is_below ? higher : lower;
		return -EINVAL;
	}
	*why = form;
	limit = text + used;
	if (text[length - 1] != '%') {
		err = parse_value(limit, &new, why);
	} else if (!strcmp(new.ways[0].metric.unit, "%") && !strchr("+-", limit[0])) {
		*why = sign;
		err = -EINVAL;
	} else {
		err = parse_change(limit, strlen(limit) - 1, &new);
	}
	if (!err)
		*gate = new;
	return err;
}

enum compare_gate_state compare_gate_decide(const struct compare_gate *gate, const struct compare_change *change)
{
	double low = gate->is_change ? change->low : change->new_low;
	double high = gate->is_change ? change->high : change->new_high;

	if (change->base_count == 0 && change->new_count == 0)
		return COMPARE_GATE_ABSENT;
	if (isnan(low))
		return COMPARE_GATE_UNDECIDED;
	if (gate->is_below ? high < gate->limit : low > gate->limit)
		return COMPARE_GATE_PASSED;
	if (gate->is_below ? low >= gate->limit : high <= gate->limit)
		return COMPARE_GATE_FAILED;
	return COMPARE_GATE_UNDECIDED;
}

const char *const compare_gate_state_names[] = {"passed", "failed", "inconclusive", "absent"};
