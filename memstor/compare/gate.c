/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "memstor/compare/gate.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/units.h"

static const char form[] = "must be METRIC<LIMIT or METRIC>LIMIT as p99<+5%, throughput>-3% (of the change) "
			   "or p99<3us, throughput>1e6 (of NEW "
			   "itself)";

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

/* Latencies are times, and a bare number would be seconds: it must have its unit. */
static int parse_value(const char *text, struct compare_gate *gate)
{
	uint64_t ns;

	gate->is_change = false;
	if (strcmp(gate->metric.unit, "ns") != 0)
		return units_parse_double(text, 0, 1e300, &gate->limit) ? -EINVAL : 0;
	if (!strpbrk(text, "munsh") || units_parse_duration(text, &ns))
		return -EINVAL;
	gate->limit = (double)ns;
	return 0;
}

int compare_gate_parse(const char *text, struct compare_gate *gate, const char **why)
{
	struct compare_gate new = {.text = text};
	size_t used = strcspn(text, "<>"), length = strlen(text);
	const char *limit;
	char name[METRIC_NAME];
	int err;

	*why = form;
	if (!text[used] || used >= sizeof(name))
		return -EINVAL;
	snprintf(name, sizeof(name), "%.*s", (int)used, text);
	if (metric_parse(name, &new.metric, why))
		return -EINVAL;
	*why = form;
	new.is_below = text[used] == '<';
	limit = text + used + 1;
	if (text[length - 1] == '%')
		err = parse_change(limit, strlen(limit) - 1, &new);
	else
		err = parse_value(limit, &new);
	if (!err)
		*gate = new;
	return err;
}

enum compare_gate_state compare_gate_judge(const struct compare_gate *gate, const struct compare_change *change)
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

const char *compare_gate_state_name(enum compare_gate_state state)
{
	static const char *const names[] = {"passed", "failed", "inconclusive", "absent"};

	return names[state];
}
