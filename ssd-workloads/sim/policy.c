/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "ssd-workloads/sim/policy.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/base/units.h"

const struct sim_policy_row sim_policy_rows[SIM_POLICY_ROWS + 1] = {
#define ROW(id, name, kind, manual, ...) [SIM_POLICY_##id] = {name, kind, {__VA_ARGS__}},
	SIM_POLICIES(ROW)
#undef ROW
	[SIM_POLICY_ROWS] = {NULL, SIM_POLICY_KINDS, {{NULL, SIM_POLICY_NONE, 0}}},
};

/* --- the option --- */

static int set_value(struct sim_policy *policy, const char *text, char *why, size_t length)
{
	size_t key = strcspn(text, "=");

	for (size_t i = 0; i < SIM_POLICY_VALUES && policy->row->values[i].key; i++) {
		const char *name = policy->row->values[i].key;
		bool is_time = policy->row->values[i].type == SIM_POLICY_TIME;
		uint64_t value;

		if (!text[key] || strlen(name) != key || strncmp(name, text, key) != 0)
			continue;
		if ((is_time ? units_parse_duration(text + key + 1, &value) : units_parse_size(text + key + 1, 1, &value)) ||
			!value || value > UINT64_MAX / 4) {
			snprintf(why, length, "%s takes a %s above 0, as %s", name, is_time ? "time" : "size",
				is_time ? "5ms" : "64m");
			return -EINVAL;
		}
		policy->values[i] = value;
		return 0;
	}
	if (!policy->row->values[0].key)
		snprintf(why, length, "%s has no parameters", policy->row->name);
	else
		snprintf(why, length, "the parameters of %s are %s=VALUE and %s=VALUE", policy->row->name,
			policy->row->values[0].key, policy->row->values[1].key);
	return -EINVAL;
}

/* Parses "COND" or "COND for TIME". */
static int set_condition(struct sim_policy *policy, char *text, char *why, size_t length)
{
	char *hold = strstr(text, " for ");
	const char *what;

	if (hold) {
		*hold = '\0';
		hold += strlen(" for ");
		if (units_parse_duration(hold, &policy->hold_ns) || !policy->hold_ns || policy->hold_ns > UINT64_MAX / 4) {
			snprintf(why, length, "after `for` a time above 0 is needed, as in for 50ms");
			return -EINVAL;
		}
	}
	if (freeze_parse(text, &policy->condition, &what)) {
		snprintf(why, length, "%s", what);
		return -EINVAL;
	}
	what = freeze_host_word(&policy->condition);
	if (!what)
		return 0;
	snprintf(why, length, "%s is known to the host only; a policy reacts to step(A,B), copies, busy, qdepth and cmd", what);
	return -EINVAL;
}

static const struct sim_policy_row *find_row(const char *name)
{
	for (const struct sim_policy_row *row = sim_policy_rows; row->name; row++) {
		if (!strcmp(row->name, name))
			return row;
	}
	return NULL;
}

int sim_policy_add(struct sim_policies *policies, const char *text, char *why, size_t length)
{
	struct sim_policy policy = {.row = NULL};
	char copy[SIM_POLICY_TEXT], *condition, *next, *name = copy;
	const struct sim_policy_row *other;

	if ((size_t)snprintf(copy, sizeof(copy), "%s", text) >= sizeof(copy)) {
		snprintf(why, length, "is too long");
		return -EINVAL;
	}
	condition = strstr(copy, ":if=");
	if (condition) {
		*condition = '\0';
		condition += strlen(":if=");
	}
	next = strchr(copy, ',');
	if (next)
		*next++ = '\0';
	policy.row = find_row(name);
	if (!policy.row) {
		snprintf(why, length, "must be multistream, fdp, log-first, hints or history, with ,KEY=VALUE and :if=COND");
		return -EINVAL;
	}
	other = policies->list[policy.row->kind].row;
	if (other) {
		snprintf(why, length, "contradicts --policy %s, which %s, too; keep one", other->name,
			policy.row->kind == SIM_PLACEMENT ? "places pages" : "orders what waits");
		return -EINVAL;
	}
	for (size_t i = 0; i < SIM_POLICY_VALUES; i++)
		policy.values[i] = policy.row->values[i].preset;
	while (next) {
		char *value = next;

		next = strchr(value, ',');
		if (next)
			*next++ = '\0';
		if (set_value(&policy, value, why, length))
			return -EINVAL;
	}
	if (condition && set_condition(&policy, condition, why, length))
		return -EINVAL;
	policies->list[policy.row->kind] = policy;
	return 0;
}

bool sim_policies_have_condition(const struct sim_policies *policies)
{
	for (int i = 0; i < SIM_POLICY_KINDS; i++) {
		if (policies->list[i].condition.count)
			return true;
	}
	return false;
}

const char *sim_policy_text(const struct sim_policy *policy, char *text, size_t length)
{
	size_t used = (size_t)snprintf(text, length, "%s", policy->row->name);

	for (size_t i = 0; i < SIM_POLICY_VALUES && policy->row->values[i].key && used < length; i++) {
		if (policy->values[i])
			used += (size_t)snprintf(text + used, length - used, ",%s=%" PRIu64 "%s", policy->row->values[i].key,
				policy->values[i], policy->row->values[i].type == SIM_POLICY_TIME ? "ns" : "");
	}
	if (policy->condition.count && used < length)
		used += (size_t)snprintf(text + used, length - used, ":if=%s", policy->condition.text);
	if (policy->hold_ns && used < length)
		snprintf(text + used, length - used, " for %" PRIu64 "ns", policy->hold_ns);
	return text;
}
