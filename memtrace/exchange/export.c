/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * memtrace export: the samples of a recording for other programs. A format is a row of a table: its output before, after and for
 * each batch of samples. Binary formats are little-endian, and are written to a file.
 */
#include "config.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/diag.h"
#include "common/base/units.h"
#include "common/report/report_file.h"
#include "common/stats/recorded.h"
#include "memtrace/analyze/analysis.h"
#include "memtrace/analyze/source.h"
#include "memtrace/commands.h"
#include "memtrace/estimate/buckets.h"

#define CHAMPSIM_BYTES 64
#define DRMEMTRACE_BYTES 12
#define ORACLE_BYTES 24
#define PMBENCH_MOST 4e9   /* largest count of a page: it has 32 bits */
#define PMBENCH_UNSEEN 0.05 /* unseen share of the accesses above which there is a warning */
#define ORACLE_NEXT 16     /* offset of the number of the next request of the object */

struct export_options {
	struct selection selection;
	unsigned format;
	uint64_t bucket_bytes;
	const char *output; /* "-" is stdout */
	bool is_smooth;
	const char *path;
};

struct export {
	const struct export_options *options;
	struct source *source;
	FILE *out;
	unsigned shift;
	struct buckets buckets; /* oraclegeneral: extra is the number of the last request */
	uint8_t *records;       /* oraclegeneral: the file in memory */
	uint64_t number;
	bool has_order;         /* pmbench */
	uint32_t tid;           /* drmemtrace: thread of the following samples; 0 = none yet */
};

/* Returns 0, or the error of a failed write: no other call has failed since, because the stream is not flushed meanwhile. */
static int written(FILE *out)
{
	return !ferror(out) ? 0 : errno ? -errno : -EIO;
}

static void put_number(uint8_t *at, uint64_t value)
{
	value = htole64(value);
	memcpy(at, &value, sizeof(value));
}

/* --- CSV --- */

static void put_csv_text(FILE *out, const char *text)
{
	bool is_plain = !strpbrk(text, ",\"\r\n");

	if (is_plain) {
		fputs_unlocked(text, out);
		return;
	}
	putc_unlocked('"', out);
	for (; *text; text++) {
		if (*text == '"')
			putc_unlocked('"', out);
		putc_unlocked(*text, out);
	}
	putc_unlocked('"', out);
}

static int begin_csv(struct export *export)
{
	fputs("time_ns,process,thread,kind,address,ip,weight,region,offset,element\n", export->out);
	return 0;
}

static int take_csv(void *data, const struct access *batch, size_t count)
{
	struct export *export = data;

	for (size_t i = 0; i < count; i++) {
		const struct source_name *name = &export->source->names[batch[i].name];
		uint64_t offset = batch[i].address - batch[i].begin;
		bool has_offset = name->kind != REGION_NONE && name->kind != REGION_MAPPING;

		fprintf(export->out, "%" PRIu64 ",%" PRIu32 ",%" PRIu32 ",%s,%" PRIu64 ",", batch[i].time_ns,
			export->source->processes[(batch[i].place >> 48) - 1], batch[i].tid, trace_kind_name(batch[i].kind),
			batch[i].address);
		if (batch[i].ip)
			fprintf(export->out, "%" PRIu64, batch[i].ip);
		putc_unlocked(',', export->out);
		if (batch[i].weight)
			fprintf(export->out, "%" PRIu32, batch[i].weight);
		putc_unlocked(',', export->out);
		put_csv_text(export->out, name->text);
		putc_unlocked(',', export->out);
		if (has_offset)
			fprintf(export->out, "%" PRIu64, offset);
		putc_unlocked(',', export->out);
		if (has_offset && name->element)
			fprintf(export->out, "%" PRIu64, offset / name->element);
		putc_unlocked('\n', export->out);
	}
	return written(export->out);
}

/* --- ChampSim: each sample is an instruction that loads or stores --- */

static int take_champsim(void *data, const struct access *batch, size_t count)
{
	struct export *export = data;

	for (size_t i = 0; i < count; i++) {
		/* Fields of a record: the instruction; two bytes of branches; 2 and 4 registers; 2 addresses that it writes and
		 * 4 that it reads. */
		uint64_t record[CHAMPSIM_BYTES / 8] = {htole64(batch[i].ip)};

		if (trace_is_store(batch[i].kind))
			record[2] = htole64(batch[i].address);
		if (batch[i].kind != TRACE_STORE)
			record[4] = htole64(batch[i].address);
		fwrite(record, 1, CHAMPSIM_BYTES, export->out);
	}
	return written(export->out);
}

/* --- drmemtrace: entries of DynamoRIO's final traces: type and size as u16, an address or value as u64; packed --- */

/* Values of trace_type_t and trace_marker_type_t in clients/drcachesim/common/trace_entry.h, of version 3 of the format. */
enum dr_type { DR_READ, DR_WRITE, DR_THREAD = 22, DR_PID = 24, DR_HEADER, DR_FOOTER, DR_MARKER = 28, DR_NO_FETCH };
enum dr_marker { DR_FILETYPE = 9, DR_VERSION = 12 };
#define DR_FORMAT 3
#define DR_FILTERED 0x180 /* instructions and data are incomplete */

static void put_entry(struct export *export, enum dr_type type, unsigned size, uint64_t value)
{
	uint8_t entry[DRMEMTRACE_BYTES] = {(uint8_t)type, 0, (uint8_t)size, 0};

	put_number(entry + 4, value);
	fwrite(entry, 1, sizeof(entry), export->out);
}

static int begin_drmemtrace(struct export *export)
{
	put_entry(export, DR_HEADER, 0, DR_FORMAT);
	put_entry(export, DR_MARKER, DR_VERSION, DR_FORMAT);
	put_entry(export, DR_MARKER, DR_FILETYPE, DR_FILTERED);
	return written(export->out);
}

static int take_drmemtrace(void *data, const struct access *batch, size_t count)
{
	struct export *export = data;

	for (size_t i = 0; i < count; i++) {
		const struct access *access = &batch[i];

		if (access->tid != export->tid) {
			export->tid = access->tid;
			put_entry(export, DR_THREAD, 4, access->tid);
			put_entry(export, DR_PID, 4, export->source->processes[(access->place >> 48) - 1]);
		}
		/* An entry without a size is no fetch; it names the instruction of the next accesses. */
		if (access->ip)
			put_entry(export, DR_NO_FETCH, 0, access->ip);
		if (access->kind != TRACE_STORE)
			put_entry(export, DR_READ, 1, access->address);
		if (trace_is_store(access->kind))
			put_entry(export, DR_WRITE, 1, access->address);
	}
	return written(export->out);
}

static int end_drmemtrace(struct export *export)
{
	put_entry(export, DR_FOOTER, 0, 0);
	return 0;
}

/* --- oracleGeneral: time in seconds, object, size, number of the object's next request or -1 --- */

/* Fills the file in memory, because a record has the number of the object's next request, which comes later. */
static int begin_oracle(struct export *export)
{
	int err = source_read(export->source, NULL, NULL), fd = fileno(export->out);
	size_t size = (size_t)export->source->selected * ORACLE_BYTES;
	struct stat status;

	if (err || !size)
		return err;
	if (export->source->selected >= BUCKETS_NEW)
		return -EFBIG;
	if (fstat(fd, &status) || !S_ISREG(status.st_mode))
		return -ESPIPE;
	err = posix_fallocate(fd, 0, (off_t)size);
	if (err)
		return -err;
	export->records = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (export->records == MAP_FAILED) {
		export->records = NULL;
		return -errno;
	}
	return 0;
}

static int take_oracle(void *data, const struct access *batch, size_t count)
{
	struct export *export = data;
	struct bucket *found[SOURCE_BATCH];
	int err = source_count(&export->buckets, batch, count, export->shift, found);

	for (size_t i = 0; i < count && !err; i++) {
		uint8_t *record = export->records + export->number * ORACLE_BYTES;
		uint32_t seconds = htole32((uint32_t)(batch[i].time_ns / UNITS_NS_PER_SEC));
		uint32_t size = htole32((uint32_t)1 << export->shift);

		if (found[i]->extra != BUCKETS_NEW)
			put_number(export->records + (size_t)found[i]->extra * ORACLE_BYTES + ORACLE_NEXT, export->number);
		memcpy(record, &seconds, sizeof(seconds));
		put_number(record + 4, found[i]->key);
		memcpy(record + 12, &size, sizeof(size));
		put_number(record + ORACLE_NEXT, UINT64_MAX);
		found[i]->extra = (uint32_t)export->number++;
	}
	return err;
}

static int end_oracle(struct export *export)
{
	if (export->records)
		munmap(export->records, (size_t)export->source->selected * ORACLE_BYTES);
	buckets_free(&export->buckets);
	return 0;
}

/* --- pmbench: the count of each page by address, and the order of accesses where every one was recorded --- */

static int gather(void *data, const struct access *batch, size_t count)
{
	struct export *export = data;
	struct bucket *found[SOURCE_BATCH];

	return source_count(&export->buckets, batch, count, export->shift, found);
}

static int compare_keys(const void *a, const void *b)
{
	const struct bucket *one = a, *other = b;

	return (one->key > other->key) - (one->key < other->key);
}

struct pmbench_scale {
	double seen, unseen; /* counts of a sample, and of a bucket without one */
	uint64_t buckets;    /* without a sample */
};

/* Finds the unseen share and, with --smooth, scales the counts: buckets of the mappings without a sample get the unseen share. */
static int find_scale(struct export *export, struct pmbench_scale *scale)
{
	const struct source *source = export->source;
	uint32_t *samples = buckets_samples(&export->buckets);
	uint64_t size = source_size(source) >> export->shift;
	struct spectrum spectrum = {0};
	struct estimate share;
	int err = samples ? spectrum_make(samples, export->buckets.count, &spectrum) : -ENOMEM;

	free(samples);
	*scale = (struct pmbench_scale){.seen = 1};
	if (err)
		return err;
	share = estimate_unseen_share(&spectrum);
	if (size > spectrum.buckets && export->options->is_smooth && share.value > 0 && share.value < 1) {
		double most = (double)spectrum.rows[spectrum.count - 1].samples, factor;

		scale->buckets = size - spectrum.buckets;
		scale->unseen = share.value * (double)spectrum.samples / (double)scale->buckets;
		scale->seen = 1 - share.value;
		/* Counts are whole numbers: an unseen bucket needs some, and the most popular must fit. */
		factor = fmin(PMBENCH_MOST / (most * scale->seen), fmax(16 / scale->unseen, 1));

		scale->unseen = fmax(scale->unseen * factor, 1);
		scale->seen *= factor;
	} else if (share.high > PMBENCH_UNSEEN && !export->options->is_smooth) {
		diag_warn("%s: %.0f %% of the accesses (95 %%: up to %.0f %%) go to pages without a sample, which the pattern "
			  "omits; record longer, or give --smooth", export->options->path, 100 * share.value, 100 * share.high);
	}
	spectrum_free(&spectrum);
	return 0;
}

static int begin_pmbench(struct export *export)
{
	struct pmbench_scale scale = {.seen = 1};
	int err;

	/* Pages that were drawn uniformly have no popularity. */
	if (export->source->has_returns && !export->source->is_bursts)
		return -EDOM;
	err = source_read(export->source, gather, export);
	if (!err)
		err = buckets_sort(&export->buckets);
	if (!err && export->source->period != 1)
		err = find_scale(export, &scale);
	if (err)
		return err;
	fprintf(export->out, RECORDED_MAGIC "\npage_bytes %llu\npages %zu\n", 1ull << export->shift,
		export->buckets.count ? export->buckets.count + (size_t)scale.buckets : 1);
	for (size_t i = 0; i < export->buckets.count; i++)
		fprintf(export->out, "%zu %.0f\n", i, fmax(export->buckets.slots[i].samples * scale.seen, 1));
	for (uint64_t i = 0; i < scale.buckets; i++)
		fprintf(export->out, "%" PRIu64 " %.0f\n", export->buckets.count + i, scale.unseen);
	export->has_order = export->source->is_every_access && export->source->selected <= RECORDED_ORDER_MAX;
	if (export->has_order)
		fprintf(export->out, "order %" PRIu64 "\n", export->source->selected);
	return written(export->out);
}

static int take_pmbench(void *data, const struct access *batch, size_t count)
{
	struct export *export = data;

	for (size_t i = 0; i < count && export->has_order; i++) {
		const struct bucket wanted = {.key = batch[i].place >> export->shift};
		const struct bucket *found = bsearch(&wanted, export->buckets.slots, export->buckets.count, sizeof(wanted),
			compare_keys);

		if (found)
			fprintf(export->out, "%zu\n", (size_t)(found - export->buckets.slots));
	}
	return written(export->out);
}

static int end_pmbench(struct export *export)
{
	buckets_free(&export->buckets);
	return 0;
}

/* --- the table --- */

static const struct format {
	const char *name;
	bool is_binary;
	int (*begin)(struct export *export); /* NULL = nothing */
	source_take *take;
	int (*end)(struct export *export);   /* also after an error; NULL = nothing */
} formats[] = {
	{"csv", false, begin_csv, take_csv, NULL},
	{"champsim", true, NULL, take_champsim, NULL},
	{"drmemtrace", true, begin_drmemtrace, take_drmemtrace, end_drmemtrace},
	{"oraclegeneral", true, begin_oracle, take_oracle, end_oracle},
	{"pmbench", false, begin_pmbench, take_pmbench, end_pmbench},
};
static const char *const format_names[] = {"csv", "champsim", "drmemtrace", "oraclegeneral", "pmbench", NULL};

/* --- options --- */

#define FIELD(NAME) offsetof(struct export_options, NAME)

static const struct opt rows[] = {
	{"to", 0, "csv|champsim|drmemtrace|oraclegeneral|pmbench", OPT_CHOICE, .offset = FIELD(format), .choices = format_names,
		.preset = "csv",
		.help = "write samples in this format",
		.manual = "Write samples in this format. `csv`: one line per sample, with time in ns, process, thread, kind, "
			  "address, instruction, weight, region, and in a range or object offset and element. `champsim`: one "
			  "instruction per sample, of 64 bytes, which loads or stores. `drmemtrace`: entries of 12 bytes "
			  "of DynamoRIO's drcachesim, with thread, process and instruction, marked as filtered; "
			  "an access has one byte, since its size is not "
			  "recorded. `oraclegeneral`: requests of libCacheSim, 24 bytes each, an "
			  "object is a bucket. `pmbench`: the popularity of each bucket and, when every access was recorded, their "
			  "order, for `pmbench --pattern-file`. Samples are not all accesses: what a simulator finds is of the "
			  "samples."},
	{"output", 'o', "FILE", OPT_STRING, OPT_OUTPUT, .offset = FIELD(output), .preset = "-",
		.help = "write to FILE",
		.manual = "Write to FILE. `-` is standard output, for binary formats only when it is no terminal; `oraclegeneral` "
			  "needs a file."},
	{"bucket", 'b', "SIZE", OPT_SIZE, .offset = FIELD(bucket_bytes), .min = 1, .max = 1ull << 30, .preset = "4k",
		.help = "use objects or pages of SIZE for oraclegeneral and pmbench, a power of two"},
	{"smooth", 0, .type = OPT_FLAG, .offset = FIELD(is_smooth),
		.help = "with pmbench, give pages without a sample the accesses that no sample has met",
		.manual = "With `--to pmbench`, add the pages of the mappings without a sample, as the last pages of the pattern, "
			  "and give them the share of the accesses that no sample has met (Good and Turing), each the same. Choose "
			  "memory by `--region`: else they are those of all mappings."},
	SELECTION_OPTIONS(FIELD(selection)),
	{0},
};

static int take(void *data, const char *text, bool is_behind)
{
	struct export_options *options = data;

	(void)is_behind;
	if (options->path) {
		diag_error(0, "export: one recording at a time; %s is a second", text);
		return DIAG_EXIT_USAGE;
	}
	options->path = text;
	return DIAG_EXIT_OK;
}

static int check(void *data, struct opt_line *line)
{
	struct export_options *options = data;
	const struct format *format = &formats[options->format];

	if (!options->path) {
		diag_error(0, "export: the name of a recording is missing");
		return DIAG_EXIT_USAGE;
	}
	if (options->bucket_bytes & (options->bucket_bytes - 1))
		return opt_refuse(line, "bucket", "must be a power of two");
	if (options->is_smooth && format->begin != begin_pmbench)
		return opt_refuse(line, "smooth", "is for --to pmbench only");
	if (format->begin == begin_oracle && opt_is_stdout(options->output))
		return opt_refuse(line, "to", "needs a file; name one by --output");
	if (format->is_binary && opt_is_stdout(options->output) && isatty(STDOUT_FILENO))
		return opt_refuse(line, "to", "is not for a terminal; name a file by --output");
	if (report_is_same_file(options->output, options->path))
		return opt_refuse(line, "output", "the recording is read from there; give it another name");
	return selection_check(&options->selection);
}

/* --- the command --- */

static int export_to(struct export *export)
{
	const struct export_options *options = export->options;
	const struct format *format = &formats[options->format];
	const char *name = opt_is_stdout(options->output) ? "standard output" : options->output;
	int err = format->begin ? format->begin(export) : 0;

	if (!err)
		err = source_read(export->source, format->take, export);
	if (format->end)
		format->end(export);
	if (!err && fflush(export->out))
		err = -errno;
	if (err == -E2BIG)
		diag_error(0, "%s: more than 29 million buckets; give a larger --bucket, or choose samples", options->path);
	else if (err == -EDOM)
		diag_error(0, "%s: has no samples of accesses, and its pages were drawn uniformly: pmbench needs their popularity; "
			"record by popularity or burst", options->path);
	else if (err == -ESPIPE)
		diag_error(0, "%s: is not a regular file, which oraclegeneral needs", name);
	else if (err)
		diag_error(err, "cannot write %s", name);
	if (err)
		return err == -E2BIG || err == -EDOM || err == -ESPIPE ? DIAG_EXIT_USAGE : DIAG_EXIT_HOST;
	if (!export->source->selected) {
		diag_error(0, "%s: no sample is left by the filters", options->path);
		return DIAG_EXIT_USAGE;
	}
	if (export->source->is_complete)
		return DIAG_EXIT_OK;
	diag_warn("%s: the recording was cut off; exported up to there", options->path);
	return DIAG_EXIT_UNTRUSTED;
}

static int run(const struct command *command, int argc, char **argv)
{
	struct export_options options = {0};
	struct export export = {.options = &options};
	struct report_output *output = NULL;
	struct opt_line line;
	int code = command_parse(command, argc, argv, &options, &line, NULL), err;

	if (!code)
		code = source_open(options.path, &options.selection, &export.source);
	if (!code) {
		err = report_output_open(options.output, &output);
		if (err) {
			diag_error(err, "cannot write %s", options.output);
			code = DIAG_EXIT_HOST;
		}
	}
	if (!code) {
		export.out = report_output_stream(output);
		/* Other formats than pmbench's get all recorded samples. */
		export.source->takes_no_faults &= formats[options.format].begin == begin_pmbench;
		export.shift = (unsigned)__builtin_ctzll(options.bucket_bytes);
		code = export_to(&export);
	}
	/* A partial trace is discarded, and the earlier file stays, unless the recording itself was truncated, which has an
	 * exit status of its own. */
	err = report_output_close(output, !code || code == DIAG_EXIT_UNTRUSTED);
	if (err && code != DIAG_EXIT_HOST) {
		diag_error(err, "cannot write %s", options.output);
		code = DIAG_EXIT_HOST;
	}
	source_free(export.source);
	selection_free(&options.selection);
	opt_free(&line);
	return code;
}

const struct command memtrace_export = {
	.program = &memtrace_program,
	.name = "export",
	.arguments = "FILE",
	.summary = "write the samples of a recording for other programs",
	.doc = "Write the samples of a recording as CSV, as a trace of the simulators ChampSim, DynamoRIO's drcachesim and "
	       "libCacheSim, or as a pattern of pmbench.",
	.examples = "  memtrace export -o scan.csv scan.mtr\n"
		    "  memtrace export --to champsim --kind load,store -o scan.champsim scan.mtr\n",
	.notes = "The exit status is 4 when the recording was cut off.",
	.options = rows,
	.take = take,
	.check = check,
	.run = run,
};
