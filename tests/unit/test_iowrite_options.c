/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The options of iowrite-bench run: what was typed, else the preset's, else the default. */
#include "config.h"
#include "tests/unit/unit.h"
#include "common/base/diag.h"
#include "iowrite-bench/commands.h"
#include "iowrite-bench/run/plan.h"

static struct iow_run_options options; /* too large for a stack */

/* Words between blanks; stderr is not the test's. */
static int parse(const char *words)
{
	static char text[1024];
	char *argv[64] = {(char *)"run"}, *rest = text, *word;
	int argc = 1, before = dup(STDERR_FILENO), null = open("/dev/null", O_WRONLY), code;

	snprintf(text, sizeof(text), "%s", words);
	while ((word = strsep(&rest, " "))) {
		if (*word)
			argv[argc++] = word;
	}
	fflush(stderr);
	dup2(null, STDERR_FILENO);
	code = iow_run_options_parse(&iow_command_run, argc, argv, &options);
	dup2(before, STDERR_FILENO);
	close(before);
	close(null);
	return code;
}

static const char *effective(const char *name)
{
	for (size_t i = 0; i < options.line.effective_count; i++) {
		if (!strcmp(options.line.effective[i].name, name))
			return options.line.effective[i].value;
	}
	return NULL;
}

TEST("defaults are those of the manual")
{
	assert_int_equal(parse(""), 0);
	assert_int_equal(options.method_count, 1);
	assert_string_equal(options.methods[0]->name, "pwrite");
	assert_int_equal(options.modes[0], OP_BUFFERED);
	assert_string_equal(options.syncs[0]->name, "none");
	assert_int_equal(options.regimes[0], OP_APPEND);
	assert_int_equal(options.orders[0], RUN_WRITE);
	assert_int_equal(options.sizes[0].low, 4096);
	assert_int_equal(options.sizes[0].high, 4096);
	assert_int_equal(options.threads, 1);
	assert_int_equal(options.rounds, 0);
	assert_int_equal(options.memory, MODEL_AS_IS);
	assert_false(options.is_sleeping);
	assert_string_equal(options.path, ".");
	assert_int_equal(options.interval_ns, 1000000000);
	assert_int_equal(options.sample_every_ns, 1000000);
	assert_true(iow_run_options_print_text(&options));
	assert_string_equal(effective("method"), "pwrite");
	assert_null(effective("size"));
	iow_run_options_free(&options);
}

TEST("every value of a list is taken")
{
	assert_int_equal(parse("--method=write,mmap --mode=sync,direct-dsync --sync-each=none,syncfs --regime=overwrite,append "
			       "--rw=backwrite,write --bs=1,1m,512 --stdio-buffer=unbuffered,64k,glibc"),
		0);
	assert_int_equal(options.method_count, 2);
	assert_string_equal(options.methods[1]->name, "mmap");
	assert_int_equal(options.modes[1], OP_DIRECT_DSYNC);
	assert_string_equal(options.syncs[1]->name, "syncfs");
	assert_int_equal(options.regimes[0], OP_OVERWRITE);
	assert_int_equal(options.orders[0], RUN_BACKWRITE);
	assert_int_equal(options.size_count, 3);
	assert_int_equal(options.sizes[1].low, 1 << 20);
	assert_int_equal(options.buffer_count, 3);
	assert_int_equal(options.buffers[0].buffering, METHOD_UNBUFFERED);
	assert_int_equal(options.buffers[1].buffering, METHOD_FULL);
	assert_int_equal(options.buffers[1].bytes, 65536);
	assert_string_equal(effective("bs"), "1,1m,512");
	iow_run_options_free(&options);
}

TEST("the last value of an option is used")
{
	assert_int_equal(parse("--bs=1,2,3 --bs=8k --size=1m --size=2m"), 0);
	assert_int_equal(options.size_count, 1);
	assert_int_equal(options.sizes[0].low, 8192);
	assert_int_equal(options.size_bytes, 2 << 20);
	iow_run_options_free(&options);
	assert_int_equal(parse("--bsrange=512-64k"), 0);
	assert_int_equal(options.size_count, 1);
	assert_int_equal(options.sizes[0].low, 512);
	assert_int_equal(options.sizes[0].high, 65536);
	assert_null(effective("bs"));
	assert_string_equal(effective("bsrange"), "512-64k");
	iow_run_options_free(&options);
}

TEST("options replace those of a preset")
{
	/* Wherever it stands. */
	assert_int_equal(parse("--bs=1k --preset=etcd-wal --slo=max<1s --slo=mean<1s"), 0);
	assert_int_equal(options.sizes[0].low, 1024);
	assert_int_equal(options.size_bytes, 22 << 20);
	assert_int_equal(options.regimes[0], OP_PREALLOCATED);
	assert_string_equal(options.syncs[0]->name, "fdatasync");
	assert_int_equal(options.slo_count, 2);
	assert_string_equal(options.slos[0].text, "max<1s");
	assert_string_equal(effective("regime"), "prealloc");
	assert_string_equal(effective("bs"), "1k");
	iow_run_options_free(&options);
	assert_int_equal(parse("--preset=etcd-wal --bsrange=512-4k"), 0);
	assert_int_equal(options.size_count, 1);
	assert_int_equal(options.sizes[0].high, 4096);
	assert_int_equal(options.slo_count, 1);
	assert_string_equal(effective("slo"), "sync:p99<10ms");
	iow_run_options_free(&options);
}

TEST("times, threads, files and labels are parsed")
{
	assert_int_equal(parse("--runtime=1.5s --rounds=7 --numjobs=3 --thinktime=20ms --thinktime-type=sleep --mem=cold "
			       "--interval=0 --look=0 --filename=x --destroy-data=x --ops-csv=o --system=s -f - --label=a=b "
			       "--label=c= -nnnnnnnn"),
		0);
	assert_int_equal(options.runtime_ns, 1500000000);
	assert_int_equal(options.rounds, 7);
	assert_int_equal(options.threads, 3);
	assert_int_equal(options.delay_ns, 20000000);
	assert_true(options.is_sleeping);
	assert_int_equal(options.memory, MODEL_COLD);
	assert_int_equal(options.interval_ns, 0);
	assert_int_equal(options.sample_every_ns, 0);
	assert_string_equal(options.path, "x");
	assert_string_equal(options.destroy_data, "x");
	assert_true(options.is_dry_run);
	assert_false(iow_run_options_print_text(&options));
	assert_int_equal(options.labels.count, 2);
	assert_string_equal(options.labels.list[0].name, "a");
	assert_string_equal(options.labels.list[0].value, "b");
	assert_string_equal(options.labels.list[1].value, "");
	/* Where things go to is no part of what was measured. */
	assert_null(effective("ops-csv"));
	assert_string_equal(effective("system"), "s");
	iow_run_options_free(&options);
	assert_int_equal(parse("--json"), 0);
	assert_string_equal(options.json_path, "-");
	iow_run_options_free(&options);
	assert_int_equal(parse("--bs=x"), DIAG_EXIT_USAGE);
	assert_int_equal(parse("word"), DIAG_EXIT_USAGE);
	assert_int_equal(parse("--bogus"), DIAG_EXIT_USAGE);
}

TEST("a default is effective as it is shown")
{
	size_t defaults = 0;

	assert_int_equal(parse(""), 0);
	for (const struct opt *row = iow_run_option_table; row->type != OPT_END; row++) {
		if (!row->preset)
			continue;
		assert_string_equal(effective(row->name), row->preset);
		defaults++;
	}
	assert_true(defaults > 10);
	assert_int_equal(options.line.effective_count, defaults);
	iow_run_options_free(&options);
}

TEST("files exclude a name and a range")
{
	assert_int_equal(parse("--files=2 --bs=8k"), 0);
	assert_int_equal(options.files, 2);
	iow_run_options_free(&options);
	assert_int_equal(parse("--files=1 --filename=x"), DIAG_EXIT_USAGE);
	assert_int_equal(parse("--files=2 --bsrange=4k-8k"), DIAG_EXIT_USAGE);
	/* The default of --files is in no one's way. */
	assert_int_equal(parse("--filename=x --bsrange=4k-8k"), 0);
	assert_int_equal(options.files, 1);
	assert_string_equal(effective("files"), "1");
	iow_run_options_free(&options);
}

TEST("a size of the preset is not one that was typed")
{
	assert_int_equal(parse("--preset=sqlite"), 0);
	assert_true(options.is_size_of_preset);
	iow_run_options_free(&options);
	assert_int_equal(parse("--preset=sqlite --size=4120000"), 0);
	assert_false(options.is_size_of_preset);
	iow_run_options_free(&options);
	assert_int_equal(parse("--size=1m"), 0);
	assert_false(options.is_size_of_preset);
	iow_run_options_free(&options);
}
