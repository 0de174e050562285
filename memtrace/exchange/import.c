/* SPDX-License-Identifier: GPL-3.0-or-later */
/* memtrace import: makes a recording from a perf.data, which perf itself prints as text. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "common/base/diag.h"
#include "common/base/find.h"
#include "common/base/input.h"
#include "common/base/units.h"
#include "common/report/report.h"
#include "common/report/report_file.h"
#include "memtrace/commands.h"
#include "memtrace/exchange/perf_text.h"
#include "memtrace/file/losses.h"
#include "memtrace/file/output.h"
#include "memtrace/perf/recording.h"

#define SCRIPT_OPTIONS "--header -G --ns --show-mmap-events --show-task-events --show-lost-events"
#define FIELDS "pid,tid,time,event,addr,ip"

struct import_options {
	const char *path, *output;
	bool is_quiet;
};

struct import {
	const struct import_options *options;
	struct perf_text_header header;
	struct trace_writer *writer;
	struct report_output *output; /* the recording */
	uint64_t line, last_ns;
	uint64_t lost, lost_total; /* from records of losses, and from records at the end, which repeat the totals */
	uint64_t losses[TRACE_LOSSES];
};

#define FIELD(NAME) offsetof(struct import_options, NAME)

static const struct opt rows[] = {
	{"output", 'o', "FILE", OPT_STRING, OPT_OUTPUT, .offset = FIELD(output), .begins = TRACE_MAGIC, .preset = "recording.mtr",
		.help = "write the recording to FILE",
		.manual = "Write the recording to FILE. A recording is replaced; any other file with content is refused."},
	{"quiet", 'q', .type = OPT_FLAG, .offset = FIELD(is_quiet), .help = "print no summary"},
	{0},
};

static int take(void *data, const char *text, bool is_behind)
{
	struct import_options *options = data;

	(void)is_behind;
	if (options->path) {
		diag_error(0, "import: one file at a time; %s is a second", text);
		return DIAG_EXIT_USAGE;
	}
	options->path = text;
	return DIAG_EXIT_OK;
}

static int check(void *data, struct opt_line *line)
{
	struct import_options *options = data;

	if (!options->path) {
		diag_error(0, "import: the name of a perf.data file is missing");
		return DIAG_EXIT_USAGE;
	}
	if (report_is_same_file(options->output, options->path))
		return opt_refuse(line, "output", "is the file that is imported; give it another name");
	return DIAG_EXIT_OK;
}

/* --- the recording's header --- */

static void put(FILE *out, const char *name, const char *value)
{
	fprintf(out, "%s\t", name);
	for (; *value; value++)
		putc((unsigned char)*value < ' ' ? '?' : *value, out);
	putc('\n', out);
}

static char *make_header(const struct perf_text_header *header)
{
	const struct engine *engine = header->engine;
	/* The engine page-faults records each fault. */
	bool is_each = header->events == 1 && header->period == 1 && !header->is_frequency;
	const struct engine *like = engine && (is_each || engine->source != PERF_MEMORY_FAULTS) ? engine : NULL;
	char *text = NULL, date[64];
	size_t length;
	FILE *out = open_memstream(&text, &length);
	time_t now = time(NULL);
	struct tm utc;

	if (!out)
		return NULL;
	strftime(date, sizeof(date), "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
	put(out, "tool", "memtrace " PACKAGE_VERSION);
	put(out, "imported", date);
	put(out, "host", header->host);
	put(out, "kernel", header->kernel);
	put(out, "arch", header->arch);
	put(out, "engine", engine ? engine->name : "perf");
	if (header->events)
		fprintf(out, "engine_reason\timported; %u event%s of perf, the first is %s\n", header->events,
			header->events == 1 ? "" : "s", header->event);
	else
		put(out, "engine_reason", "imported from a text without header: events, period, command and host are unknown");
	put(out, "engine_sees", like ? like->sees : "what these events sample");
	put(out, "engine_misses", like ? like->misses : "what these events do not sample");
	put(out, "privilege", "as recorded");
	put(out, "period_unit", engine ? engine->unit : "events");
	if (header->period)
		fprintf(out, "%s\t%" PRIu64 "\n", header->is_frequency ? "frequency_hz" : "period", header->period);
	put(out, "clock", "perf (the kernel's sched_clock unless perf was told another one), ns");
	put(out, "command", header->command);
	return fclose(out) ? free(text), NULL : text;
}

/* Returns a diag_exit code, after one line when it is not 0. */
static int check_events(const struct import *import)
{
	const struct perf_text_header *header = &import->header;

	if (!header->lacks)
		return DIAG_EXIT_OK;
	diag_error(0, "%s: event %s was recorded without %s; record with perf record -d, or perf mem record",
		import->options->path, header->event,
		!strcmp(header->lacks, "ADDR") ? "addresses" : !strcmp(header->lacks, "TID") ? "threads" : "times");
	return DIAG_EXIT_USAGE;
}

/* The events are known, or the text has no header. Returns a diag_exit code, after one line when it is not 0. */
static int begin(struct import *import)
{
	const struct perf_text_header *header = &import->header;
	const struct import_options *options = import->options;
	char *text;
	int err, code;

	if (check_events(import))
		return DIAG_EXIT_USAGE;
	/* The output replaces a file only when it is complete: a wrong line does not cost an earlier recording. */
	code = recording_create(options->output, &import->output);
	if (code)
		return code;
	text = make_header(header);
	err = text ? 0 : -ENOMEM;
	if (!err)
		err = trace_writer_open(fileno(report_output_stream(import->output)), text, 1, &import->writer);
	free(text);
	if (err)
		diag_error(err, "cannot write %s", options->output);
	return err ? DIAG_EXIT_HOST : DIAG_EXIT_OK;
}

/* --- the text --- */

static int take_line(struct import *import, char *line)
{
	struct perf_text parsed;
	struct trace_sample sample;
	enum trace_loss loss;
	int code, err = 0;

	if (*line == '#') {
		if (!import->writer)
			perf_text_header(&import->header, line);
		return DIAG_EXIT_OK;
	}
	if (!*line)
		return DIAG_EXIT_OK;
	code = import->writer ? DIAG_EXIT_OK : begin(import);
	if (code)
		return code;
	switch (perf_text_parse(line, &parsed)) {
	case PERF_TEXT_NOTHING:
		break;
	case PERF_TEXT_SAMPLE:
		if (!import->header.events && !parsed.fields.ip) {
			diag_error(0, "%s: line %" PRIu64 ": the text has no header, and one number after the event (address and "
				"instruction are needed); make it by perf script " SCRIPT_OPTIONS " -F " FIELDS,
				import->options->path, import->line);
			return DIAG_EXIT_USAGE;
		}
		loss = perf_text_sample(&parsed, &sample);
		if (loss != TRACE_LOSSES) {
			import->losses[loss]++;
			break;
		}
		import->last_ns = sample.time_ns;
		err = trace_write_sample(import->writer, &sample);
		break;
	case PERF_TEXT_EVENT:
		err = trace_write_event(import->writer, &parsed.event);
		break;
	case PERF_TEXT_LOST:
		*(parsed.is_total ? &import->lost_total : &import->lost) += parsed.lost;
		break;
	case PERF_TEXT_WRONG:
		diag_error(0, "%s: line %" PRIu64 " is not output of perf script " SCRIPT_OPTIONS " -F " FIELDS,
			import->options->path, import->line);
		return DIAG_EXIT_USAGE;
	}
	if (err)
		diag_error(err, "cannot write %s", import->options->output);
	return err ? DIAG_EXIT_HOST : DIAG_EXIT_OK;
}

static int take_text(struct import *import, FILE *in)
{
	char *line = malloc(PERF_TEXT_LINE);
	int got = line ? 1 : -ENOMEM, code = 0;

	while (!code && got > 0) {
		got = perf_text_read(in, line);
		import->line++;
		if (got > 0)
			code = take_line(import, line);
	}
	free(line);
	if (got == -E2BIG)
		diag_error(0, "%s: line %" PRIu64 " is longer than %d bytes", import->options->path, import->line,
			PERF_TEXT_LINE - 1);
	else if (got < 0)
		diag_error(got, "cannot read %s", import->options->path);
	return got == -E2BIG ? DIAG_EXIT_USAGE : got < 0 ? DIAG_EXIT_HOST : code;
}

static int end(struct import *import)
{
	const struct import_options *options = import->options;
	struct trace_event event = {.type = TRACE_LOST, .text = ""};
	uint64_t missing = 0;
	char size[UNITS_TEXT], text[LOSSES_TEXT];
	int err = 0, code = import->writer ? DIAG_EXIT_OK : begin(import);

	if (code)
		return code;
	import->losses[TRACE_LOST_BY_KERNEL] = import->lost > import->lost_total ? import->lost : import->lost_total;
	for (unsigned i = 0; i < TRACE_LOSSES; i++) {
		missing += import->losses[i];
		event.value[0] = import->losses[i];
		event.value[1] = i;
		if (!err && import->losses[i])
			err = trace_write_event(import->writer, &event);
	}
	if (!trace_writer_samples(import->writer) && !missing) {
		diag_error(0, "%s: no sample in it; make the text by perf script " SCRIPT_OPTIONS " -F " FIELDS, options->path);
		return DIAG_EXIT_USAGE;
	}
	if (!trace_writer_samples(import->writer)) {
		diag_error(0, "%s: none of %" PRIu64 " samples has an address; record an event of memory, as page-faults, "
			"with perf record -d", options->path, missing);
		return DIAG_EXIT_USAGE;
	}
	event = (struct trace_event){.type = TRACE_END, .time_ns = import->last_ns, .text = ""};
	if (!err)
		err = trace_write_event(import->writer, &event);
	if (!err)
		err = trace_writer_flush(import->writer);
	if (err) {
		diag_error(err, "cannot write %s", options->output);
		return DIAG_EXIT_HOST;
	}
	if (options->is_quiet)
		return DIAG_EXIT_OK;
	if (!import->header.events)
		diag_warn("%s: no line '# event': events, period and host are unknown; perf script --header prints them",
			options->path);
	diag_info("%s: %" PRIu64 " samples of %s, %s", options->output, trace_writer_samples(import->writer),
		import->header.engine ? import->header.engine->name : "perf",
		units_format_size(trace_writer_bytes(import->writer), size, sizeof(size)));
	for (unsigned i = 0; i < TRACE_LOSSES; i++) {
		if (import->losses[i])
			diag_warn("%s: %" PRIu64 " samples are missing: %s", options->output, import->losses[i],
				losses_phrase(import->losses, trace_writer_samples(import->writer), i, text));
	}
	return DIAG_EXIT_OK;
}

/* --- perf --- */

/* Returns a diag_exit code, after one line when it is not 0. */
static int run_perf(struct import *import, const char *perf, const char *const *argv,
	int (*take_output)(struct import *import, FILE *in))
{
	struct output output;
	int err = output_open(perf, (char *const *)argv, &output), code, status;

	if (err) {
		diag_error(err, "cannot run %s", perf);
		return DIAG_EXIT_HOST;
	}
	code = take_output(import, output.stream);
	/* After a refused line perf ends by SIGPIPE. */
	status = output_close(&output);
	if (!code && status) {
		diag_error(0, "%s: perf script cannot read it; perf script -i %s says why", import->options->path,
			import->options->path);
		code = DIAG_EXIT_HOST;
	}
	return code;
}

static int take_header(struct import *import, FILE *in)
{
	char line[PERF_TEXT_LINE];

	while (perf_text_read(in, line) > 0) {
		if (*line == '#')
			perf_text_header(&import->header, line);
	}
	return DIAG_EXIT_OK;
}

static int take_throttled(struct import *import, FILE *in)
{
	char line[PERF_TEXT_LINE];

	while (perf_text_read(in, line) > 0) {
		char *at = line + strspn(line, " "), *count;

		if (strncmp(at, "THROTTLE events:", 16) != 0)
			continue;
		count = at + 16 + strspn(at + 16, " ");
		count[strspn(count, "0123456789")] = '\0';
		(void)units_parse_u64(count, 0, UINT64_MAX, &import->losses[TRACE_THROTTLED]);
		break;
	}
	return DIAG_EXIT_OK;
}

/* perf refuses a field that an event lacks, so the header is read first for the fields. */
static int import_data(struct import *import)
{
	char perf[PATH_MAX], fields[sizeof(FIELDS) + sizeof(",data_src,weight")];
	const char *path = import->options->path;
	const char *header[] = {"perf", "script", "-f", "-i", path, "--header-only", NULL};
	/* For a recording made through a pipe perf knows the events only after it has read the records. */
	const char *of_pipe[] = {"perf", "script", "-f", "-i", path, "--header", "-F", "pid", NULL};
	const char *stats[] = {"perf", "report", "-f", "-i", path, "--stats", NULL};
	const char *script[] = {"perf", "script", "-f", "-i", path, "--header", "-G", "--ns", "--show-mmap-events",
		"--show-task-events", "--show-lost-events", "-F", fields, NULL, NULL};
	int code;

	if (find_in_path("perf", perf, sizeof(perf))) {
		diag_error(0, "perf (package linux-perf), which reads %s, is not installed; memtrace import - reads the text of "
			"perf script made elsewhere", path);
		return DIAG_EXIT_HOST;
	}
	code = run_perf(import, perf, header, take_header);
	if (!code && !import->header.events)
		code = run_perf(import, perf, of_pipe, take_header);
	if (code)
		return code;
	if (!import->header.events) {
		diag_error(0, "%s: perf finds no event in it; perf script -i %s says why", path, path);
		return DIAG_EXIT_USAGE;
	}
	code = check_events(import);
	if (code)
		return code;
	snprintf(fields, sizeof(fields), FIELDS "%s%s", import->header.has_source ? ",data_src" : "",
		import->header.has_weight ? ",weight" : "");
	if (import->header.is_aux)
		/* "M" prints an access once, not again for each cache that it missed. */
		script[sizeof(script) / sizeof(script[0]) - 2] = "--itrace=M";
	import->header = (struct perf_text_header){0};
	import->line = 0;
	code = run_perf(import, perf, script, take_text);
	return code ? code : run_perf(import, perf, stats, take_throttled);
}

/* --- the command --- */

/* A text does not begin like a perf.data. Even a pipe can take back one byte. */
static bool is_perf_data(FILE *in)
{
	char magic[8] = "";
	int first = getc(in);

	if (first != 'P' && first != '2') {
		ungetc(first, in);
		return false;
	}
	magic[0] = (char)first;
	return fread(magic + 1, 1, sizeof(magic) - 1, in) == sizeof(magic) - 1 &&
		(!memcmp(magic, "PERFILE2", sizeof(magic)) || !memcmp(magic, "2ELIFREP", sizeof(magic)));
}

static int import_file(struct import *import)
{
	const char *path = import->options->path;
	FILE *in = stdin;
	struct stat status;
	int code = strcmp(path, "-") ? input_stream(path, INPUT_RECORDING_MAX, &in) : 0;

	if (code)
		return diag_usage("cannot read %s: %s", path, input_error(code));
	if (!is_perf_data(in)) {
		code = take_text(import, in);
	} else if (in == stdin || fstat(fileno(in), &status) || !S_ISREG(status.st_mode)) {
		diag_error(0, "%s: a perf.data is read from a file only; write it to one (perf record -o FILE)", path);
		code = DIAG_EXIT_USAGE;
	} else {
		code = import_data(import);
	}
	if (in != stdin)
		fclose(in);
	return code ? code : end(import);
}

static int run(const struct command *command, int argc, char **argv)
{
	struct import_options options = {0};
	struct import import = {.options = &options};
	struct opt_line line;
	int err, code = command_parse(command, argc, argv, &options, &line, NULL);

	if (!code)
		code = import_file(&import);
	trace_writer_close(import.writer);
	err = report_output_close(import.output, !code);
	if (err && !code) {
		diag_error(err, "cannot write %s", options.output);
		code = DIAG_EXIT_HOST;
	}
	opt_free(&line);
	return code;
}

const struct command memtrace_import = {
	.program = &memtrace_program,
	.name = "import",
	.arguments = "FILE",
	.summary = "make a recording from a perf.data file",
	.doc = "Make a recording from FILE, a perf.data of perf record -d or perf mem record (Intel PEBS, AMD IBS, ARM SPE, page "
	       "faults), which perf reads, or the text printed by perf script; - is standard input.",
	.examples = "  perf record -e page-faults -c 1 -d -- sort big.txt\n"
		    "  memtrace import -o sort.mtr perf.data\n",
	.options = rows,
	.take = take,
	.check = check,
	.run = run,
};
