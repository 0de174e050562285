/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "memstor/compare/compare.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/diag.h"

/* How many runs of a group have the metric. */
static size_t count_having(const struct compare_set *set, enum compare_side side, size_t metric)
{
	size_t count = 0;

	for (size_t i = 0; i < set->counts[side]; i++)
		count += !isnan(compare_number(set->runs[side][i], metric).value);
	return count;
}

static void list_metric(size_t *list, size_t *count, size_t metric)
{
	for (size_t i = 0; i < *count; i++) {
		if (list[i] == metric)
			return;
	}
	list[(*count)++] = metric;
}

/* Those asked for, or the tool's, and then what only gates are about. list has room for all that are wanted. */
static size_t list_metrics(const struct compare_request *request, const char *tool, size_t *list)
{
	const struct compare_wanted *wanted = &request->wanted;
	struct metric metrics[COMPARE_DEFAULTS_MAX];
	size_t defaults = wanted->is_default ? metric_defaults(tool, metrics, COMPARE_DEFAULTS_MAX) : 0, count = 0;

	for (size_t i = 0; i < request->asked_count; i++)
		list_metric(list, &count, i);
	for (size_t i = 0; i < defaults; i++) {
		for (size_t k = 0; k < wanted->metric_count; k++) {
			if (strcmp(metrics[i].name, wanted->metrics[k].name) == 0)
				list_metric(list, &count, k);
		}
	}
	for (size_t k = 0; k < wanted->metric_count && wanted->is_default; k++) {
		if (metric_is_subject_default(tool, &wanted->metrics[k]))
			list_metric(list, &count, k);
	}
	for (size_t i = 0; i < request->gate_count; i++)
		list_metric(list, &count, request->gates[i].ways[0].index);
	return count;
}

static int decide_metric(const struct compare_request *request, const struct compare_set *set,
	const struct compare_within *within, struct compare_row *row)
{
	const struct metric *metric = &request->wanted.metrics[row->index];
	size_t room = set->counts[COMPARE_BASE] + set->counts[COMPARE_NEW] + set->counts[COMPARE_AA];
	struct metric_number *numbers = reallocarray(NULL, room, sizeof(*numbers));
	double *floor = reallocarray(NULL, set->counts[COMPARE_AA] + 1, sizeof(*floor));
	struct compare_samples samples;
	int err = -ENOMEM;

	row->set = set->title;
	row->tool = set->tool;
	row->metric = metric->name;
	row->unit = metric->unit;
	row->better = metric->better == METRIC_LOWER ? "lower" : "higher";
	if (numbers && floor) {
		samples = (struct compare_samples){numbers, numbers + set->counts[COMPARE_BASE], set->counts[COMPARE_BASE],
			set->counts[COMPARE_NEW], floor, 0, within && !isnan(within->low) ? within : NULL};
		for (size_t side = 0, next = 0; side < COMPARE_SIDES; side++) {
			for (size_t i = 0; i < set->counts[side]; i++)
				numbers[next++] = compare_number(set->runs[side][i], row->index);
		}
		for (size_t i = room - set->counts[COMPARE_AA]; i < room; i++) {
			if (!isnan(numbers[i].value))
				floor[samples.floor_count++] = numbers[i].value;
		}
		err = compare_metric_decide(&request->rule, metric->better, &samples, &row->change);
	}
	free(floor);
	free(numbers);
	return err;
}

/* A metric that was not requested is compared where every run has it. */
static int decide_rows(struct compare_request *request, struct compare_sets *sets,
	const struct compare_within *within, struct compare_outcome *outcome)
{
	const struct compare_set *set = outcome->set;
	size_t *list = arena_array(&sets->arena, request->wanted.metric_count, sizeof(*list)), count;
	int err = 0;

	count = list ? list_metrics(request, set->tool, list) : 0;
	outcome->rows = arena_array(&sets->arena, count, sizeof(*outcome->rows));
	if (!list || !outcome->rows)
		return -ENOMEM;
	for (size_t i = 0; i < count && !err; i++) {
		size_t metric = list[i], base = count_having(set, COMPARE_BASE, metric);
		size_t new = count_having(set, COMPARE_NEW, metric);
		bool is_shown = metric < request->asked_count ||
				(base == set->counts[COMPARE_BASE] && new == set->counts[COMPARE_NEW]);
		const char *name = request->wanted.metrics[metric].name;

		for (size_t k = 0; k < request->gate_count; k++)
			is_shown |= request->gates[k].ways[0].index == metric;
		if (base + new == 0)
			continue;
		if (!is_shown) {
			err = compare_note(sets,
				"%s%s%s is in %zu of %zu runs of BASE and %zu of %zu of NEW, so it is left out; "
				"--metric %s compares those that have it",
				set->title, set->title[0] ? ": " : "", name, base, set->counts[COMPARE_BASE], new,
				set->counts[COMPARE_NEW], name);
			continue;
		}
		outcome->rows[outcome->row_count].index = metric;
		err = decide_metric(request, set, within ? &within[metric] : NULL, &outcome->rows[outcome->row_count]);
		outcome->row_count += !err;
	}
	return err;
}

static int compare_digests(const void *a, const void *b)
{
	uint64_t one = *(const uint64_t *)a, other = *(const uint64_t *)b;

	return (one > other) - (one < other);
}

/* Groups whose runs have the same data, in whatever order, need no statistics. 0 or -ENOMEM. */
static int decide_identical(struct arena *arena, const struct compare_set *set, struct compare_outcome *outcome)
{
	size_t count = set->counts[COMPARE_BASE];
	uint64_t *digests = arena_array(arena, 2 * count, sizeof(*digests));

	if (!digests)
		return -ENOMEM;
	if (count != set->counts[COMPARE_NEW])
		return 0;
	for (size_t i = 0; i < count; i++) {
		digests[i] = set->runs[COMPARE_BASE][i]->digest;
		digests[count + i] = set->runs[COMPARE_NEW][i]->digest;
	}
	qsort(digests, count, sizeof(*digests), compare_digests);
	qsort(digests + count, count, sizeof(*digests), compare_digests);
	for (size_t i = 0; i < outcome->row_count && !memcmp(digests, digests + count, count * sizeof(*digests)); i++)
		compare_decide_identical(&outcome->rows[i].change);
	return 0;
}

static size_t list_histograms(const struct compare_set *set, enum compare_side side, size_t index,
	const struct loaded_histogram **list)
{
	size_t count = 0;

	for (size_t i = 0; i < set->counts[side]; i++) {
		if (set->runs[side][i]->histograms[index].count)
			list[count++] = &set->runs[side][i]->histograms[index];
	}
	return count;
}

static int decide_shifts(
	const struct compare_request *request, struct compare_sets *sets, struct compare_outcome *outcome)
{
	const struct compare_set *set = outcome->set;
	size_t room = set->counts[COMPARE_BASE] + set->counts[COMPARE_NEW];
	const struct loaded_histogram **list = arena_array(&sets->arena, room, sizeof(*list));
	int err = 0;

	outcome->shifts = arena_array(&sets->arena, request->wanted.histogram_count, sizeof(*outcome->shifts));
	if (!list || !outcome->shifts)
		return -ENOMEM;
	for (size_t i = 0; i < request->wanted.histogram_count && !err; i++) {
		struct compare_shift *shift = &outcome->shifts[outcome->shift_count];
		size_t base = list_histograms(set, COMPARE_BASE, i, list);
		size_t new = list_histograms(set, COMPARE_NEW, i, list + base);
		const char *name = request->wanted.histograms[i].name;
		size_t length = strlen(name) - strlen("p50");

		err = compare_quantiles(
			list, base, list + base, new, request->rule.level, request->rule.seed, shift);
		/* "read" of "read.p50". */
		snprintf(shift->name, sizeof(shift->name), "%.*s", length ? (int)length - 1 : 3, length ? name : "all");
		outcome->shift_count += !err;
		if (err && err != -ENOMEM)
			err = base && new ? compare_note(sets,
				"%s%sthe histograms %s do not fit together, so there is no shift of quantiles",
				set->title, set->title[0] ? ": " : "", shift->name) : 0;
	}
	return err;
}

const struct compare_row *compare_gate_row(const struct compare_gate *gate, const struct compare_outcome *outcome)
{
	if (gate->ways[0].set_length && !compare_is_set_called(outcome->set, gate->text, gate->ways[0].set_length))
		return NULL;
	for (size_t k = 0; k < outcome->row_count; k++) {
		if (outcome->rows[k].index == gate->ways[0].index)
			return &outcome->rows[k];
	}
	return NULL;
}

/* Brings the way to the front that names a set, if there is such a set. */
static void resolve_gates(struct compare_request *request, const struct compare_sets *sets)
{
	for (size_t i = 0; i < request->gate_count; i++) {
		struct compare_gate *gate = &request->gates[i];
		struct compare_gate_way found = gate->ways[0];

		for (size_t w = 0; w < gate->way_count; w++) {
			for (size_t k = 0; k < sets->count && gate->ways[w].set_length; k++) {
				if (compare_is_set_called(&sets->sets[k], gate->text, gate->ways[w].set_length))
					found = gate->ways[w];
			}
		}
		gate->ways[0] = found;
	}
}

static int decide_set(
	struct compare_request *request, struct compare_result *result, struct compare_outcome *outcome)
{
	const struct compare_set *set = outcome->set;
	const struct compare_rule *rule = &request->rule;
	struct compare_within *within = NULL;
	size_t count = request->wanted.metric_count;
	int code = DIAG_EXIT_OK, err;

	/* Of one run a side the series are read again: they are large, and nothing else needs them. */
	if (set->counts[COMPARE_BASE] == 1 && set->counts[COMPARE_NEW] == 1) {
		within = arena_array(&result->sets.arena, count, sizeof(*within));
		if (!within)
			return diag_host(ENOMEM, "cannot compare");
		code = compare_within(set->runs[COMPARE_BASE][0]->path, set->runs[COMPARE_NEW][0]->path,
			request->wanted.metrics, count, rule->level, rule->seed, within);
	}
	if (code)
		return code;
	err = decide_rows(request, &result->sets, within, outcome);
	if (!err)
		err = decide_identical(&result->sets.arena, set, outcome);
	if (!err)
		err = decide_shifts(request, &result->sets, outcome);
	if (err)
		return diag_host(err, "cannot compare");
	for (size_t i = 0; i < request->gate_count; i++) {
		const struct compare_row *row = compare_gate_row(&request->gates[i], outcome);

		outcome->gates[i] = row ? compare_gate_decide(&request->gates[i], &row->change) : COMPARE_GATE_ABSENT;
	}
	return DIAG_EXIT_OK;
}

static int settle(const struct compare_request *request, struct compare_result *result)
{
	struct compare_change **changes;
	size_t count = 0, next = 0;
	int err;

	for (size_t i = 0; i < result->outcome_count; i++)
		count += result->outcomes[i].row_count;
	changes = arena_array(&result->sets.arena, count, sizeof(*changes));
	if (!changes)
		return -ENOMEM;
	for (size_t i = 0; i < result->outcome_count; i++) {
		for (size_t k = 0; k < result->outcomes[i].row_count; k++) {
			struct compare_row *row = &result->outcomes[i].rows[k];

			changes[next++] = &row->change;
			row->basis = compare_basis_names[row->change.basis];
			row->verdict = compare_verdict_names[row->change.verdict];
			row->base_runs = row->change.base_count;
			row->new_runs = row->change.new_count;
			row->floor = expm1(row->change.floor.radius);
		}
	}
	err = compare_settle(request->rule.level, changes, count, &result->overall);
	for (size_t i = 0; i < count && !err; i++)
		result->verdicts[changes[i]->verdict]++;
	return err;
}

static int refuse_gate(const struct compare_gate *gate, struct compare_result *result)
{
	const struct compare_gate_way *way = &gate->ways[0];
	const char *names = "";

	for (size_t i = 0; i < result->sets.count && way->set_length; i++) {
		const struct compare_set *set = &result->sets.sets[i];

		if (set->is_paired || !compare_is_set_called(set, gate->text, way->set_length))
			continue;
		diag_error(0, "--gate %s: this set has runs in %s alone", gate->text,
			set->counts[COMPARE_BASE] ? "BASE" : "NEW");
		return DIAG_EXIT_UNTRUSTED;
	}
	for (size_t i = 0; i < result->outcome_count; i++)
		names = arena_format(&result->sets.arena, "%s%s%s", names, i ? ", " : "", result->outcomes[i].set->title);
	if (way->metric.subject[0] && names[0])
		return diag_usage("--gate %s: no compared report has %s, and no set is called so (sets: %s)", gate->text,
			way->metric.name, names);
	return diag_usage("--gate %s: no compared report has %s", gate->text, way->metric.name);
}

/* A gate that no set can be held against was not meant. */
static int check_gates(const struct compare_request *request, struct compare_result *result)
{
	for (size_t i = 0; i < request->gate_count; i++) {
		size_t absent = 0;

		for (size_t k = 0; k < result->outcome_count; k++)
			absent += result->outcomes[k].gates[i] == COMPARE_GATE_ABSENT;
		if (absent == result->outcome_count)
			return refuse_gate(&request->gates[i], result);
	}
	return DIAG_EXIT_OK;
}

/* So with a metric that was asked for. */
static int check_metrics(const struct compare_request *request, const struct compare_result *result)
{
	for (size_t i = 0; i < request->asked_count; i++) {
		bool is_there = false;

		for (size_t k = 0; k < result->outcome_count && !is_there; k++) {
			for (size_t row = 0; row < result->outcomes[k].row_count; row++)
				is_there |= result->outcomes[k].rows[row].index == i;
		}
		if (!is_there)
			return diag_usage("--metric %s: no compared report has it", request->wanted.metrics[i].name);
	}
	return DIAG_EXIT_OK;
}

static void conclude(const struct compare_request *request, struct compare_result *result)
{
	bool is_failed = false, is_undecided;

	for (size_t i = 0; i < result->sets.count && !request->pairing.are_sets_allowed; i++) {
		const struct compare_set *set = &result->sets.sets[i];

		result->lost_sets += set->counts[COMPARE_BASE] && !set->is_paired;
	}
	/* What is not there any more may be what got slower. */
	if (result->lost_sets && result->overall != COMPARE_SLOWER)
		result->overall = COMPARE_INCONCLUSIVE;
	is_undecided = result->lost_sets > 0;
	for (size_t i = 0; i < result->outcome_count; i++) {
		for (size_t k = 0; k < request->gate_count; k++) {
			is_failed |= result->outcomes[i].gates[k] == COMPARE_GATE_FAILED;
			is_undecided |= result->outcomes[i].gates[k] == COMPARE_GATE_UNDECIDED;
		}
	}
	if (!request->gate_count) {
		is_failed = result->overall == COMPARE_SLOWER;
		is_undecided = result->overall == COMPARE_INCONCLUSIVE;
	}
	result->exit_code = is_failed ? DIAG_EXIT_NEGATIVE : is_undecided ? DIAG_EXIT_UNTRUSTED : DIAG_EXIT_OK;
}

int compare_decide(struct compare_request *request, struct compare_result *result)
{
	int code = DIAG_EXIT_OK, err;

	result->outcomes = arena_array(&result->sets.arena, result->sets.paired_count, sizeof(*result->outcomes));
	if (!result->outcomes)
		return diag_host(ENOMEM, "cannot compare");
	resolve_gates(request, &result->sets);
	for (size_t i = 0; i < result->sets.count && !code; i++) {
		struct compare_outcome *outcome = &result->outcomes[result->outcome_count];

		if (!result->sets.sets[i].is_paired)
			continue;
		outcome->set = &result->sets.sets[i];
		result->outcome_count++;
		code = decide_set(request, result, outcome);
	}
	if (!code)
		code = check_metrics(request, result);
	if (!code)
		code = check_gates(request, result);
	if (code)
		return code;
	err = settle(request, result);
	if (err)
		return diag_host(err, "cannot compare");
	conclude(request, result);
	return DIAG_EXIT_OK;
}

void compare_result_free(struct compare_result *result)
{
	compare_sets_free(&result->sets);
	compare_runs_free(&result->runs);
}
