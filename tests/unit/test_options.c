/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every option survives the way into a report and back: parse(list(options)) == options. */
#include "config.h"
#include "tests/unit/unit.h"
#include "common/base/diag.h"
#include "pmbench/plan/options_parse.h"

#define ARGS_MAX 128

/* One that this processor has. */
#if TICKS_HAVE_TSC
#define PROCESSOR_TIMER "rdtscp-unfenced"
#elif TICKS_HAVE_CNTVCT
#define PROCESSOR_TIMER "cntvct"
#else
#define PROCESSOR_TIMER "perfc"
#endif

/* Splits a command line at single blanks; argv points into buffer. */
static int split(const char *text, char *buffer, size_t length, char **argv)
{
	int argc = 0;

	assert_true((size_t)snprintf(buffer, length, "pmbench %s", text) < length);
	for (char *word; (word = strsep(&buffer, " "));) {
		assert_true(argc < ARGS_MAX - 1);
		argv[argc++] = word;
	}
	argv[argc] = NULL;
	return argc;
}

static int parse(const char *text, struct pmbench_options *options)
{
	static char buffer[8192];
	char *argv[ARGS_MAX];

	return options_parse(split(text, buffer, sizeof(buffer), argv), argv, options);
}

/* A listed option as it is typed: the argument by itself, flags without their "yes". */
static char *as_typed(const struct named_text_values *option)
{
	const struct opt *row = opt_row(pm_options, option->name);
	char *text;

	assert_non_null(row);
	if (row->flags & OPT_ARGUMENT)
		return strdup(option->value);
	if (!row->value)
		assert_true(asprintf(&text, "--%s", option->name) > 0);
	else
		assert_true(asprintf(&text, "--%s=%s", option->name, option->value) > 0);
	return text;
}

static void parse_list(const struct named_text_values *list, size_t count, struct pmbench_options *options)
{
	char **argv = calloc(count + 2, sizeof(*argv));

	argv[0] = strdup("pmbench");
	for (size_t i = 0; i < count; i++)
		argv[i + 1] = as_typed(&list[i]);
	assert_int_equal(options_parse((int)count + 1, argv, options), 0);
	for (size_t i = 0; i <= count; i++)
		free(argv[i]);
	free(argv);
}

/* Compared field by field: padding and what points elsewhere may differ. */
static void assert_same(const struct pmbench_options *a, const struct pmbench_options *b)
{
#define SAME(field) assert_memory_equal(&a->field, &b->field, sizeof(a->field))
	SAME(has_map), SAME(has_set), SAME(map), SAME(set), SAME(has_shape), SAME(shape), SAME(pattern);
	SAME(is_scattered), SAME(jobs), SAME(method), SAME(affinity_count), SAME(affinity), SAME(ratio);
	SAME(is_quiet), SAME(is_cold), SAME(is_initialized), SAME(write_needs_read), SAME(access);
	SAME(delay_ticks), SAME(offset), SAME(threshold_ns), SAME(duration_ns), SAME(has_duration);
	SAME(has_seed), SAME(seed), SAME(phase_count), SAME(phases), SAME(accesses), SAME(warmup);
	SAME(warmup_ns), SAME(warmup_limit_ns), SAME(is_store_visible), SAME(is_forced), SAME(wants_hdr), SAME(classify);
	SAME(wants_kernel_split), SAME(mapping), SAME(placement), SAME(processes);
	SAME(setsize_count), SAME(setsizes), SAME(pressure), SAME(has_interval), SAME(interval_ns);
	SAME(media_latency_us), SAME(labels.count);
#undef SAME
	for (size_t i = 0; i < a->labels.count; i++) {
		assert_string_equal(a->labels.list[i].name, b->labels.list[i].name);
		assert_string_equal(a->labels.list[i].value, b->labels.list[i].value);
	}
}

static void assert_round_trip(const char *text)
{
	struct pmbench_options first, second;

	print_message("# %s\n", text);
	assert_int_equal(parse(text, &first), 0);
	parse_list(first.line.effective, first.line.effective_count, &second);
	assert_same(&first, &second);
	options_free(&first);
	options_free(&second);
}

static const char *const command_lines[] = {
	"5",
	"0.5",
	"250ms",
	"1.5h",
	"123456789ns",
	"--accesses 1",
	"--accesses 9223372036854775807 60",
	"-m 8192 -p uniform 300",
	"-m 8g -s 1000000k 5",
	"-m 75% -s 33.3% 5",
	"-m 4097k -s 4k 5",
	"-s 64 5",
	"-s512 -m512 -pnormal -e4096 -j2 -t" PROCESSOR_TIMER " -c -ahisto -d100 -i -o12 -q -r80 -h1000 300",
	"-p linear -e 23 5",
	"-p normal_ih 5",
	"-p uniform -e 1.5 -q 5",
	"-p zipf,1.1 5",
	"-p zipf -e 0.99 5",
	"-p pareto -e 1.161 --scatter 5",
	"-p hotset,7%,93%,1000 5",
	"-p hotset,0.1%,33.3% --scatter 5",
	"-o -1 5",
	"-o random 5",
	"-o 64B 5",
	"-o 1023 5",
	"-y 0-1 5",
	"-y 0-1:4 -y core:0 -y core:0:3 5",
	"-y package:0:2 5",
	"-a touch -z 5",
	"-t perfc 5",
	"-r 0 5",
	"-r 100 5",
	"--seed 0 5",
	"--seed 18446744073709551615 5",
	"--phase 10s:uniform --phase 250ms:zipf,1.1 --scatter",
	"--phase 2m:hotset,5%,80% --accesses 12",
	"--phase 1:linear,3 --phase 2:normal 3",
	"--warmup none 5",
	"--warmup 1500ms 5",
	"--warmup pattern 5",
	"--warmup-limit 1500ms 5",
	"--processes 3 -j 2 5",
	"--setsize-list 1,2k,50% 5",
	"--processes 2 --setsize-list 100,200 -m 300 5",
	"--map shared 5",
	"--map memfd --thp 5",
	"--map file:/tmp/a:b,c 5",
	"--map hugetlb 5",
	"--content ratio:33.3 5",
	"--content zero 5",
	"--content ptr 5",
	"--content none 5",
	"-i 5",
	"--membind 0,2-3 --balancing 5",
	"--interleave 0 5",
	"--preferred 1 5",
	"--cpus 0-3,8 5",
	"--cpus core:0-3 -j 4 5",
	"--ram 1g 5",
	"--ram 4194305B 5",
	"--swap none 5",
	"--swap dev:/dev/disk/by-id/a,b 5",
	"--page-cluster keep 5",
	"--page-cluster 0 5",
	"--swappiness 0 5",
	"--high 1g 5",
	"--swap zram:2g 5",
	"--swap zram:2g,lzo-rle 5",
	"--swap file:/a/b,1g 5",
	"--swap loop:/a/b,1025k 5",
	"--eater any=1g@1.5s-20s --eater 1=2049k@0-1ms 5",
	"--classify none 5",
	"--hdr --store-visible --kernel-split --force --accept-limit 5",
	"--interval 10ms 5",
	"--media-latency 0.125 5",
	"--label a=b --label empty= --label url=x=y&<z>\"' 5",
};

TEST("listed options parse to the same options")
{
	for (size_t i = 0; i < sizeof(command_lines) / sizeof(command_lines[0]); i++)
		assert_round_trip(command_lines[i]);
}

/* Each row once, so that none is forgotten by the lines above: its field must differ from the default. */
TEST("each option is listed in the report or excluded by name")
{
	static const char everything[] =
		"-m 64 -s 32 -p zipf -e 1.1 -r 10 -j 2 -t perfc -a histo -o 3 -d 50 -z -h 7 -q --seed 4 "
		"--scatter "
		"--accesses 5 --warmup-limit 1s --processes 2 --map memfd --content ptr --thp --membind 0 "
		"--balancing "
		"--cpus 0 --ram 64m --high 32m --swap zram:1g --page-cluster 3 --swappiness 7 "
		"--eater any=1m@0-1 --classify auto --hdr --store-visible "
		"--kernel-split --force --accept-limit --interval 1 --media-latency 5 --label a=b 9";
	/* each excludes one of the above, is written by another row, or is for the command line only */
	static const char *const absent[] = {"affinityset", "cold", "initialize", "phase", "setsize-list",
		"interleave", "preferred", "pattern-file", "file", "json", "replay", "brief", "dry-run", "start-at",
		"recover", "destroy-data"};
	struct pmbench_options options;

	assert_int_equal(parse(everything, &options), 0);
	for (const struct opt *row = pm_options; row->type != OPT_END; row++) {
		bool is_listed = false, is_absent = false;

		if (row->type == OPT_TITLE)
			continue;
		for (size_t j = 0; j < options.line.effective_count; j++)
			is_listed = is_listed || !strcmp(options.line.effective[j].name, row->name);
		for (size_t j = 0; j < sizeof(absent) / sizeof(absent[0]); j++)
			is_absent = is_absent || !strcmp(absent[j], row->name);
		if (is_listed == is_absent)
			print_message("# --%s\n", row->name);
		assert_int_not_equal(is_listed, is_absent);
	}
	options_free(&options);
}

/* Reports are read by people, too. */
TEST("option values in reports are readable")
{
	static const struct {
		const char *typed, *name, *value;
	} cases[] = {
		{"-p hotset,10%,90%,1000 5", "pattern", "hotset,10%,90%,1000"},
		{"-p zipf -e 0.99 5", "shape", "0.99"},
		{"-p linear,1000000 5", "pattern", "linear,1000000"},
		{"-m 50% 5", "mapsize", "50%"},
		{"-m 8g 5", "mapsize", "8192"},
		{"-m 64k 5", "mapsize", "65536B"},
		{"5m", "duration", "300"},
		{"250ms", "duration", "250000000ns"},
		{"--content ratio:33.3 5", "content", "ratio:33.3"},
		{"-r 080 5", "ratio", "80"},
		{"--ram 64m 5", "ram", "67108864"},
		{"--swap zram:1G,lz4 5", "swap", "zram:1073741824B,lz4"},
		{"-c 5", "warmup", "none"},
		{"-i 5", "content", "random"},
		{"--setsize-list 1g,64k 5", "processes", "2"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct pmbench_options options;
		const char *value = NULL;

		assert_int_equal(parse(cases[i].typed, &options), 0);
		for (size_t j = 0; j < options.line.effective_count; j++) {
			if (!strcmp(options.line.effective[j].name, cases[i].name))
				value = options.line.effective[j].value;
		}
		assert_non_null(value);
		assert_string_equal(value, cases[i].value);
		options_free(&options);
	}
}

TEST("defaults are those of the manual")
{
	struct pmbench_options options;

	assert_int_equal(parse("7", &options), 0);
	assert_int_equal(options.duration_ns, 7 * UNITS_NS_PER_SEC);
	assert_false(options.has_map || options.has_set || options.has_seed || options.has_shape);
	assert_int_equal(options.pattern.kind, PATTERN_UNIFORM);
	assert_int_equal(options.ratio, 50);
	assert_int_equal(options.offset, -1);
	assert_int_equal(options.processes, 1);
	assert_int_equal(options.warmup, WARMUP_PATTERN);
	assert_int_equal(options.access, ACCESS_HISTO);
	assert_int_equal(options.method, TICKS_DEFAULT);
	assert_int_equal(options.mapping.content, CONTENT_NONE);
	assert_int_equal(options.pressure.swap.kind, PRESSURE_SWAP_KEEP);
	options_free(&options);
}

/* The call of LKP-tests, the paper's command, and scripts found in the wild. */
TEST("calls by LKP, the paper and scripts parse as before")
{
	struct pmbench_options options;

	assert_int_equal(
		parse("-s8192 -m8192 -pnormal_ih -e1 -j2 -t" PROCESSOR_TIMER " -c -ahisto -d0 -i -o-1 -q -r80 -h0 300",
			&options),
		0);
	assert_int_equal(options.set.bytes, 8192 * UNITS_MIB);
	assert_int_equal(options.pattern.kind, PATTERN_NORMAL_IH);
	assert_false(options.pattern.has_shape);
	assert_true(options.is_cold && options.is_initialized && options.is_quiet);
	assert_int_equal(options.threshold_ns, 0);
	options_free(&options);
	assert_int_equal(
		parse("-m 8192 -s 8192 -j 2 -r 50 -d 0 -o -1 -p uniform -t perfc -c -i 300", &options), 0);
	assert_int_equal(options.mapping.content, CONTENT_RANDOM);
	options_free(&options);
	assert_int_equal(parse("-i -j 4 -m 8192 -s 8192 -p normal --shape=16384 -r 80 30", &options), 0);
	assert_float_equal(options.pattern.shape, 16384, 0);
	options_free(&options);
	assert_int_equal(parse("--mapsize=22000 --setsize=22000 --jobs=10 10", &options), 0);
	assert_int_equal(options.map.bytes, 22000 * UNITS_MIB);
	options_free(&options);
}

TEST("the shape is given by -e or in the pattern")
{
	struct pmbench_options options;

	assert_int_equal(parse("-e 3 -p linear 5", &options), 0);
	assert_true(options.pattern.has_shape);
	assert_float_equal(options.pattern.shape, 3, 0);
	options_free(&options);
	assert_int_equal(parse("--scatter -p zipf 5", &options), 0);
	assert_true(options.pattern.is_scattered);
	options_free(&options);
	assert_int_equal(parse("--scatter --phase 1:zipf --phase 1:pareto", &options), 0);
	assert_true(options.phases[0].pattern.is_scattered && options.phases[1].pattern.is_scattered);
	options_free(&options);
	assert_int_equal(parse("-p linear,3 -e 3 5", &options), DIAG_EXIT_USAGE);
}
