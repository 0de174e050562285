/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The numbers of <result>. */
#include "config.h"
#include "memstor/loaded/private.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "common/report_json.h"
#include "common/units.h"

static bool is_among(const char *name, const char *const *names)
{
	for (; *names; names++) {
		if (strcmp(name, *names) == 0)
			return true;
	}
	return false;
}

int loaded_add_values(struct loading *loading, const struct report_node *parent, const char *const *but,
	struct loaded_value *values, size_t *count)
{
	for (const struct report_node *node = parent ? parent->child : NULL; node; node = node->next) {
		bool is_truth = !strcmp(node->text, "true") || !strcmp(node->text, "false");
		double value;
		int err;

		if (node->child || is_truth || is_among(node->name, but) || report_json_is_text(node->name))
			continue;
		err = units_parse_double(node->text, -DBL_MAX, DBL_MAX, &value);
		if (err == -ENOMEM)
			return err;
		if (!err)
			values[(*count)++] = (struct loaded_value){node->name, value};
		else if (!loading->loaded.is_newer)
			return loaded_refuse(loading, node, "<%.40s> is '%.40s': allowed are finite numbers", node->name,
				node->text);
	}
	return 0;
}

struct threads {
	double accesses, per_second, latency_ns, net_ns; /* sums; the latter two weighted by accesses */
};

/* Ours says it in ns and unrounded, the original in us with four decimals. */
static int thread_ns(struct loading *loading, const struct report_node *thread, const char *ours,
	const char *original_parent, const char *original, double *ns)
{
	const struct report_node *details = report_read_find(thread, "thread_details");
	const struct report_node *parent = report_read_find(thread, original_parent);
	int err;

	*ns = NAN;
	if (details)
		return loaded_child_double(loading, details, ours, ns);
	if (!parent)
		return 0;
	err = loaded_child_double(loading, parent, original, ns);
	*ns *= 1e3;
	return err;
}

static int add_thread(struct loading *loading, const struct report_node *thread, struct threads *threads)
{
	const struct report_node *details = report_read_find(thread, "result_details");
	double latency_ns, net_ns;
	uint64_t accesses = 0;
	int err = details ? loaded_child_u64(loading, details, "details_samples", &accesses) : 0;

	if (!err)
		err = thread_ns(loading, thread, "latency_ns", "result_details/details_latency", "latency_us",
			&latency_ns);
	if (!err)
		err = thread_ns(loading, thread, "net_ns", "result_netavg", "netavg_us", &net_ns);
	if (err || accesses == 0)
		return err;
	threads->accesses += (double)accesses;
	threads->latency_ns += latency_ns * (double)accesses;
	threads->net_ns += net_ns * (double)accesses;
	threads->per_second += 1e9 / latency_ns;
	return 0;
}

static void add_value(struct loaded *loaded, struct loaded_value *values, const char *name, double value)
{
	if (isfinite(value))
		values[loaded->value_count++] = (struct loaded_value){name, value};
}

/* What <totals> says in our reports, as far as the original's threads tell it. */
static int add_original_totals(
	struct loading *loading, const struct threads *threads, struct loaded_value *values)
{
	const struct report_node *params = report_read_find(loading->report, "signature/params");
	double map_mib = NAN, set_mib = NAN;
	int err = params ? loaded_child_double(loading, params, "mapsize", &map_mib) : 0;

	if (!err && params)
		err = loaded_child_double(loading, params, "setsize", &set_mib);
	if (err)
		return err;
	add_value(&loading->loaded, values, "accesses", threads->accesses);
	add_value(&loading->loaded, values, "accesses_per_second", threads->per_second);
	add_value(&loading->loaded, values, "map_bytes", map_mib * 0x1p20);
	add_value(&loading->loaded, values, "set_bytes", set_mib * 0x1p20);
	return 0;
}

int loaded_take_values(struct loading *loading)
{
	static const char *const parts[] = {"totals", "steady_state", "paging_overhead"};
	static const char *const none[] = {NULL};
	const struct report_node *result = report_read_find(loading->report, "result");
	const struct report_node *nodes[3] = {NULL};
	struct threads threads = {0};
	size_t room = 8;
	struct loaded_value *values;
	int err = 0;

	for (size_t i = 0; i < 3; i++) {
		nodes[i] = result ? report_read_find(result, parts[i]) : NULL;
		room += loaded_count(nodes[i], NULL);
	}
	values = loaded_array(loading, room, sizeof(*values));
	if (!values)
		return -ENOMEM;
	loading->loaded.values = values;
	for (size_t i = 0; i < 3 && !err; i++)
		err = loaded_add_values(loading, nodes[i], none, values, &loading->loaded.value_count);
	for (const struct report_node *thread = result ? report_read_find(result, "result_thread") : NULL; thread && !err;
		thread = report_read_next(thread))
		err = add_thread(loading, thread, &threads);
	if (!err && loading->loaded.is_original)
		err = add_original_totals(loading, &threads, values);
	if (err)
		return err;
	add_value(&loading->loaded, values, "latency_ns", threads.latency_ns / threads.accesses);
	add_value(&loading->loaded, values, "net_ns", threads.net_ns / threads.accesses);
	err = loaded_take_cells(loading);
	if (!err)
		err = loaded_take_scenarios(loading);
	return err ? err : loaded_take_streams(loading);
}
