/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The output of --dry-run: one line per topic, a name and a sentence. */
#include "config.h"
#include "pmbench/plan/plan.h"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>
#include "common/host/timebase.h"

#define TEXT 64

static void __attribute__((format(printf, 2, 3))) say(const char *name, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	printf("%-12s ", name);
	vprintf(format, arguments);
	putchar('\n');
	va_end(arguments);
}

static const char *size_of(uint64_t bytes, char *text)
{
	return units_format_size(bytes, text, TEXT);
}

static const char *time_of(uint64_t ns, char *text)
{
	return units_format_duration((double)ns, text, TEXT);
}

static void print_map(const struct pmbench_plan *plan)
{
	const struct mapping_request *mapping = &plan->options->mapping;
	uint64_t least = plan->map_bytes;
	char size[TEXT], smallest[TEXT], total[TEXT];

	for (unsigned i = 0; i < plan->processes; i++)
		least = plan->process[i].map_bytes < least ? plan->process[i].map_bytes : least;
	say("map", "%s%s%s, %s%s%s", least < plan->map_bytes ? size_of(least, smallest) : "",
		least < plan->map_bytes ? " to " : "", size_of(plan->map_bytes, size),
		mapping_kind_name(mapping->kind), mapping->kind == MAPPING_FILE ? " " : "",
		mapping->kind == MAPPING_FILE ? mapping->path : "");
	if (plan->processes > 1)
		say("", "%s in %u processes", size_of(plan_total_bytes(plan), total), plan->processes);
	if (mapping->kind != MAPPING_HUGETLB)
		say("huge pages",
			mapping->wants_thp ? "requested (MADV_HUGEPAGE)" : "none (MADV_NOHUGEPAGE)");
	if (mapping->content == CONTENT_RATIO)
		say("content", "ratio: %g %% of each page zero, the rest random",
			mapping->compressible_percent);
	else
		say("content", "%s",
			mapping->content == CONTENT_NONE ? "none: nothing is written before the run"
							 : mapping_content_name(mapping->content));
}

static void print_sets(const struct pmbench_plan *plan, const struct machine *machine)
{
	bool is_same = true;
	char size[TEXT];

	for (unsigned i = 1; i < plan->processes; i++)
		is_same = is_same && plan->process[i].set_bytes == plan->process[0].set_bytes;
	for (unsigned i = 0; i < (is_same ? 1 : plan->processes); i++) {
		printf("%-12s ", i ? "" : "set");
		if (!is_same)
			printf("process %u: ", i + 1);
		printf("%s, %llu pages of %u bytes\n", size_of(plan->process[i].set_bytes, size),
			(unsigned long long)(plan->process[i].set_bytes / machine->page_bytes), machine->page_bytes);
	}
}

static void print_patterns(const struct pmbench_plan *plan)
{
	char time[TEXT];

	for (unsigned i = 0; i < plan->phase_count; i++) {
		const struct pattern_spec *spec = &plan->phases[i].pattern;

		printf("%-12s ", i ? "" : "pattern");
		if (plan->phase_count > 1)
			printf("%s: ", time_of(plan->phases[i].duration_ns, time));
		printf("%s", pattern_name(spec->kind));
		if (spec->kind == PATTERN_HOTSET)
			printf(", %g %% of the set takes %g %% of the accesses", spec->hot_set * 100, spec->hot_access * 100);
		else if (spec->has_shape && spec->kind != PATTERN_UNIFORM)
			printf(", shape %g", spec->shape);
		if (spec->kind == PATTERN_HOTSET && spec->hot_drift)
			printf(", the window moves one page every %llu draws", (unsigned long long)spec->hot_drift);
		puts(spec->is_scattered ? ", scattered" : "");
	}
}

static void print_accesses(const struct pmbench_plan *plan)
{
	const struct pmbench_options *options = plan->options;

	printf("%-12s %u %% reads%s, ", "accesses", options->ratio,
		options->write_needs_read ? ", each write after a read" : "");
	if (options->offset < 0)
		printf("a random word of the page");
	else
		printf("word %d of the page", options->offset);
	if (options->delay_ticks)
		printf(", %llu ticks between them", (unsigned long long)options->delay_ticks);
	putchar('\n');
	say("seed", "%llu%s", (unsigned long long)plan->seed,
		options->has_seed ? "" : " (drawn for each run)");
}

static void print_threads(const struct pmbench_plan *plan)
{
	static const char *const policies[] = {
		[PLACEMENT_BIND] = "bound to",
		[PLACEMENT_INTERLEAVE] = "interleaved over",
		[PLACEMENT_PREFERRED] = "preferably on",
	};
	const struct placement_request *placement = &plan->options->placement;
	unsigned count = plan->threads, end, cpus[CPU_SETSIZE];
	char text[256];

	say("threads", "%u in %u process%s, %s", plan->threads, plan->processes,
		plan->processes > 1 ? "es" : "", plan->thread[0].is_pinned ? "pinned" : "not pinned");
	/* Consecutive threads with the same CPUs share a line. */
	for (unsigned i = 0; i < count; i = end) {
		const struct plan_thread *thread = &plan->thread[i];
		size_t cpu_count = 0;

		for (end = i + 1; end < count && CPU_EQUAL(&thread->cpus, &plan->thread[end].cpus); end++)
			;
		if (!thread->is_pinned)
			continue;
		for (unsigned cpu = 0; cpu < CPU_SETSIZE; cpu++) {
			if (CPU_ISSET(cpu, &thread->cpus))
				cpus[cpu_count++] = cpu;
		}
		units_format_list(cpus, cpu_count, text, sizeof(text));
		if (end - i > 1)
			say("", "threads %u to %u on CPUs %s", i + 1, end, text);
		else
			say("", "thread %u on CPUs %s", i + 1, text);
	}
	for (unsigned i = 0; i < plan->processes; i++) {
		if (*plan->process[i].nodes)
			say("memory", "of process %u bound to nodes %s", i + 1, plan->process[i].nodes);
	}
	if (placement->policy != PLACEMENT_DEFAULT)
		say("memory", "%s nodes %s%s", policies[placement->policy], placement->nodes,
			placement->is_balancing ? ", with NUMA balancing" : "");
}

static void print_measuring(const struct pmbench_options *options)
{
	if (options->access == ACCESS_TOUCH) {
		say("timing", "none: accesses are only counted");
		return;
	}
	say("timing", "%s%s, log histogram%s", timebase_method_name(options->method),
		options->is_store_visible ? " with visible stores" : "",
		options->wants_hdr ? " and a fine one" : "");
	say("classes", "%s%s", options->classify == CLASSIFY_AUTO ? "hits, minor and major faults" : "none",
		options->wants_kernel_split ? ", the kernel's parts timed" : "");
	if (options->threshold_ns)
		say("marks", "in the kernel's trace for accesses of %llu ns and more",
			(unsigned long long)options->threshold_ns);
}

static void print_length(const struct pmbench_plan *plan)
{
	const struct pmbench_options *options = plan->options;
	uint64_t accesses = 0, limit_ns = plan->warmup_limit_ns;
	char time[TEXT], least[TEXT], most[TEXT];

	for (unsigned i = 0; i < plan->processes; i++) {
		uint64_t here = plan_warmup_accesses(plan->phases[0].pattern.kind,
			plan->process[i].set_bytes / (uint64_t)sysconf(_SC_PAGESIZE));

		accesses = here > accesses ? here : accesses;
	}
	if (options->warmup == WARMUP_TIME) {
		say("warm-up", "%s", time_of(options->warmup_ns, time));
	} else if (options->warmup == WARMUP_NONE) {
		say("warm-up", "none");
	} else {
		say("warm-up", "%llu accesses per thread, %s at most (--warmup-limit)", (unsigned long long)accesses,
			time_of(limit_ns, time));
		/* An access takes about 100 ns in memory, and 100 us when its page is read from a disk's swap area. */
		say("", "about %s in memory (100 ns per access), %s when each page is read from a disk (100 us)",
			time_of(accesses * 100 < limit_ns ? accesses * 100 : limit_ns, least),
			time_of(accesses < limit_ns / 100000 ? accesses * 100000 : limit_ns, most));
	}
	if (plan->duration_ns && options->accesses)
		say("duration", "%s, or %llu accesses per thread", time_of(plan->duration_ns, time),
			(unsigned long long)options->accesses);
	else if (options->accesses)
		say("duration", "%llu accesses per thread", (unsigned long long)options->accesses);
	else
		say("duration", "%s", time_of(plan->duration_ns, time));
	say("series", "one row every %s%s", time_of(plan->interval_ns, time),
		plan->prints_interval ? ", also printed" : "");
}

static void print_pressure(const struct pressure_plan *pressure)
{
	const struct pressure_swap *swap = &pressure->swap;
	char size[TEXT], begin[TEXT], end[TEXT], node[TEXT];

	if (!pressure_is_wanted(pressure)) {
		say("pressure", "none: the system's memory and swap as they are");
		return;
	}
	if (pressure->ram_bytes)
		say("pressure", "a memory cgroup of %s", size_of(pressure->ram_bytes, size));
	if (pressure->high_bytes)
		say("pressure", "slowed down above %s", size_of(pressure->high_bytes, size));
	size_of(pressure_swap_bytes(swap), size);
	switch (swap->kind) {
	case PRESSURE_SWAP_KEEP:
		break;
	case PRESSURE_SWAP_NONE:
		say("pressure", "no swap for the run");
		break;
	case PRESSURE_SWAP_ZRAM:
		say("pressure", "a new zram device of %s%s%s as swap", size, *swap->algorithm ? ", " : "", swap->algorithm);
		break;
	case PRESSURE_SWAP_FILE:
		say("pressure", "a new swap file %s of %s", swap->path, size);
		break;
	case PRESSURE_SWAP_LOOP:
		say("pressure", "a new file %s of %s as swap, through a loop device", swap->path, size);
		break;
	case PRESSURE_SWAP_ZSWAP:
		say("pressure", "a new swap file %s of %s behind zswap, pool of %u %% of the memory", swap->path, size,
			swap->pool_percent);
		break;
	case PRESSURE_SWAP_DEVICE:
		say("pressure", "the device %s of %s as swap", swap->path, size);
		break;
	}
	if (pressure->has_swappiness)
		say("pressure", "swappiness %u", pressure->swappiness);
	for (size_t i = 0; i < pressure->eater_count; i++) {
		const struct pressure_eater *eater = &pressure->eaters[i];

		snprintf(node, sizeof(node), eater->node < 0 ? "any node" : "node %d", eater->node);
		say("pressure", "an eater of %s on %s from %s to %s", size_of(eater->bytes, size), node,
			time_of(eater->begin_ns, begin), time_of(eater->end_ns, end));
	}
	if (pressure->page_cluster < 0)
		say("", "vm.page-cluster stays as it is");
	else
		say("", "vm.page-cluster set to %d (%s per fault)", pressure->page_cluster,
			pressure->page_cluster ? "several pages" : "one page");
	say("", "everything is restored when the run ends");
}

void plan_print(const struct pmbench_plan *plan, const struct machine *machine)
{
	const struct pmbench_options *options = plan->options;

	print_map(plan);
	print_sets(plan, machine);
	print_patterns(plan);
	print_accesses(plan);
	print_threads(plan);
	print_measuring(options);
	print_length(plan);
	print_pressure(&options->pressure);
	if (!options->xml_path && !options->json_path)
		say("report", "none (-f FILE)");
	if (options->xml_path)
		say("report", "XML to %s", opt_is_stdout(options->xml_path) ? "stdout" : options->xml_path);
	if (options->json_path)
		say("report", "JSON to %s", opt_is_stdout(options->json_path) ? "stdout" : options->json_path);
	for (size_t i = 0; i < options->labels.count; i++)
		say("label", "%s=%s", options->labels.list[i].name, options->labels.list[i].value);
	if (plan->warns_zero_page)
		say("note", "pages that are read before they are written share the kernel's zero page and are never "
			    "paged; -i fills the map first");
}
