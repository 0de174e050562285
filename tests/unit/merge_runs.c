/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "tests/unit/merge_runs.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "common/hot/bucket.h"
#include "common/hot/rng.h"
#include "tests/unit/unit.h"

#define ACCESSES 3000

static void add(struct result_histogram *histogram, uint64_t ns)
{
	struct histogram_moments one = {1, (double)ns, (double)ns * (double)ns, (double)ns, (double)ns};

	histogram->count[bucket_log16(ns)]++;
	histogram->hdr[bucket_hdr(ns)]++;
	histogram_moments_add(&histogram->moments, &one);
}

static void clear(struct result_histogram *histogram)
{
	memset(histogram->count, 0, sizeof(histogram->count));
	memset(histogram->hdr, 0, BUCKET_HDR_COUNT * sizeof(*histogram->hdr));
	memset(&histogram->moments, 0, sizeof(histogram->moments));
}

/* From some ten ns to some ten us, and nothing in the class of minor faults. */
static void draw(struct pmbench_result *result, unsigned seed)
{
	struct rng rng;

	rng_seed(&rng, seed, 0);
	for (int class = 0; class < RESULT_CLASSES; class ++)
		for (int direction = 0; direction < ACCESS_DIRECTIONS; direction++)
			clear(&result->total[class][direction]);
	for (unsigned i = 0; i < ACCESSES; i++) {
		uint64_t random = rng_next(&rng);
		enum access_direction direction = random & 1 ? ACCESS_READ : ACCESS_WRITE;
		enum result_class class = random & 14 ? RESULT_HIT : RESULT_MAJOR;
		uint64_t ns = 30 + (random >> 32) % (class == RESULT_HIT ? 300 : 40000) + seed;

		add(&result->total[RESULT_ALL][direction], ns);
		add(&result->total[class][direction], ns);
	}
}

struct fake *merge_run(unsigned seed)
{
	struct fake *run = fake_new();
	struct pmbench_result *result = &run->result;
	uint64_t accesses = 0;

	draw(result, seed);
	for (int i = 0; i < ACCESS_DIRECTIONS; i++)
		accesses += result->total[RESULT_ALL][i].moments.count;
	result->threads[0].accesses = accesses / 3;
	result->threads[1].accesses = accesses - accesses / 3;
	snprintf(result->signature.uuid, sizeof(result->signature.uuid), "d6b4a292-cd2a-4cdb-834b-%012u", seed);
	result->signature.seed = seed;
	result->accesses_per_second = 100.5 * seed;
	result->faults_per_second = 7 + seed;
	result->phases[0].accesses = accesses / 4;
	result->phases[0].mean_ns = 100 + seed;
	result->phases[1].accesses = accesses - accesses / 4;
	result->zero_pages = seed;
	result->pressure.setup_ns = 57000000 + seed;
	return run;
}

static void join_histograms(struct pmbench_result *to, const struct pmbench_result *from)
{
	for (int class = 0; class < RESULT_CLASSES; class ++) {
		for (int i = 0; i < ACCESS_DIRECTIONS; i++) {
			struct result_histogram *sum = &to->total[class][i];
			const struct result_histogram *more = &from->total[class][i];

			assert_int_equal(histogram_merge(&histogram_log16, sum->count, more->count), 0);
			assert_int_equal(histogram_merge(&histogram_hdr, sum->hdr, more->hdr), 0);
			histogram_moments_add(&sum->moments, &more->moments);
		}
	}
}

static void join_threads(struct pmbench_result *to, const struct pmbench_result *from, unsigned process)
{
	size_t count = to->thread_count + from->thread_count;

	to->threads = realloc(to->threads, count * sizeof(*to->threads));
	assert_non_null(to->threads);
	for (size_t i = 0; i < from->thread_count; i++) {
		struct result_thread *thread = &to->threads[to->thread_count + i];

		*thread = from->threads[i];
		thread->details.process += process;
	}
	to->thread_count = count;
}

static void join_phases(struct pmbench_result *to, const struct pmbench_result *from)
{
	for (size_t i = 0; i < 2; i++) {
		struct pm_phase_values *sum = &to->phases[i];
		const struct pm_phase_values *more = &from->phases[i];
		double all = (double)(sum->accesses + more->accesses);

		sum->mean_ns = (sum->mean_ns * (double)sum->accesses + more->mean_ns * (double)more->accesses) / all;
		sum->accesses += more->accesses;
		sum->minor_faults += more->minor_faults;
		sum->major_faults += more->major_faults;
	}
}

struct fake *merge_union(const struct fake *a, const struct fake *b)
{
	struct fake *both = merge_run(0);
	struct pmbench_result *result = &both->result;
	const struct pmbench_result *parts[] = {&a->result, &b->result};

	both->plan.processes = 0;
	both->options.wants_kernel_split = both->options.wants_fault_trace = false;
	result->has_steady = false;
	result->thread_count = 0;
	result->accesses_per_second = result->faults_per_second = 0;
	result->infrastructure_pages = result->zero_pages = 0;
	memset(result->phases, 0, sizeof(result->phases));
	for (int class = 0; class < RESULT_CLASSES; class ++)
		for (int i = 0; i < ACCESS_DIRECTIONS; i++)
			clear(&result->total[class][i]);
	for (size_t i = 0; i < 2; i++) {
		unsigned processes = both->plan.processes;

		join_histograms(result, parts[i]);
		join_threads(result, parts[i], processes);
		join_phases(result, parts[i]);
		for (unsigned j = 0; j < parts[i]->plan->processes; j++)
			both->plan.process[both->plan.processes++] = parts[i]->plan->process[j];
		result->accesses_per_second += parts[i]->accesses_per_second;
		result->faults_per_second += parts[i]->faults_per_second;
		result->infrastructure_pages += parts[i]->infrastructure_pages;
		result->zero_pages += parts[i]->zero_pages;
		if (parts[i]->pressure.setup_ns > result->pressure.setup_ns)
			result->pressure.setup_ns = parts[i]->pressure.setup_ns;
		for (size_t j = 0; j < 2; j++) {
			result->phases[j].begin_s = parts[i]->phases[j].begin_s;
			result->phases[j].end_s = parts[i]->phases[j].end_s;
		}
	}
	return both;
}

void merge_run_free(struct fake *run)
{
	fake_free(run);
}

struct loaded *merge_load_text(const char *xml, const char *name)
{
	struct report_document *document;
	struct loaded *loaded = NULL;
	char why[512];

	if (report_read_memory(xml, strlen(xml), &document, why, sizeof(why)) ||
		loaded_make(document, name, 0, &loaded, why, sizeof(why)))
		fail_msg("%s: %s", name, why);
	return loaded;
}

struct loaded *merge_loaded(const struct fake *run, const char *name)
{
	char *xml = fake_written(run, report_write_xml);
	struct loaded *loaded = merge_load_text(xml, name);

	free(xml);
	return loaded;
}

char *merge_texts_of(unsigned flags, struct loaded *const *reports, size_t count)
{
	struct merge *merge;
	struct report *report;
	const char *text;
	char why[512], *copy;
	size_t size;

	assert_int_equal(merge_new(flags, &merge), 0);
	for (size_t i = 0; i < count; i++) {
		if (merge_add(merge, reports[i], why, sizeof(why)))
			fail_msg("%s", why);
	}
	assert_int_equal(merge_report(merge, &report), 0);
	assert_int_equal(report_document(report, &text, &size), 0);
	copy = strdup(text);
	assert_non_null(copy);
	assert_int_equal(strlen(copy), size);
	report_free(report);
	merge_free(merge);
	return copy;
}
