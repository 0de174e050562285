/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A report as JSON, by the rules of docs/report.md. XML does not say what is a number and what may repeat: the two
 * tables here do, and a test compares them with the schema.
 */
#include "config.h"
#include "common/report_json.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "common/report_private.h"

/* Elements and attributes that are text whatever they look like. Sorted. */
static const char *const text_names[] = {
	"access", "advice", "algorithm", "arch", "argument", "backing", "boot_id", "cell_id", "cgroup_dir",
	"checkpoint_io", "checkpoint_order", "checkpoint_sync", "class", "clocksource", "code", "column",
	"compiler", "compiler_flags", "condition",
	"control_unknown_reason", "cpus",
	"date", "device", "device_model", "difference", "distrust", "durability", "error", "fact", "failure",
	"features", "field", "figure", "file", "file_system", "finding", "fired_stream", "firmware",
	"first_loss", "fua", "hostname", "hypervisor", "id", "kernel", "kind", "label", "layout",
	"meaning", "measured", "memory", "merged_by", "method", "mix", "mode", "modelname",
	"mount_options", "name",
	"not_available", "omission", "option", "os_name", "os_version", "outside_model", "partial", "path",
	"pattern", "place", "predicted_by", "reason", "records_file", "regime", "release", "report_version",
	"rw", "seed", "set", "setting", "skipped", "statistic", "status", "stream", "swap_type",
	"sync", "system_date", "system_file", "text", "tool", "tool_version", "tsops", "type",
	"unit", "unlisted", "unstable", "used", "uuid", "vendor", "version_number",
	"version_options", "version_xmloutput", "wall_start", "way", "when", "why", "write_cache", "writer"};

/* Elements that may stand more than once in one place: always arrays. Sorted. */
static const char *const list_names[] = {
	"analysis", "argument", "bucket", "cache", "calibration", "cell", "check", "column", "counter",
	"curve", "difference", "durability_check", "fact", "fault_parts", "field", "flushes", "goal", "hex",
	"histo_bucket", "histogram",
	"interference", "interval", "io_error", "kernel_state", "label", "latency_histogram", "layer", "loss", "model",
	"numa_node", "objective", "omission", "option", "outside_model", "parameter", "part", "pause", "phase",
	"point", "ratelimit", "reason", "repetition", "result_thread", "row", "rung", "scenario", "segment",
	"set_bytes", "setting", "size_cost", "skipped", "stream_plan", "stream_result", "stream_split", "swap_area",
	"sys_mem_item", "throttled", "tlb_item", "unknown", "write"};

/* The attributes of elements that have some, and whether these elements hold text. Sorted. */
static const struct element {
	const char *name, *attributes;
	bool has_text;
} elements[] = {
	{"analysis", "figure", false},
	{"bucket", "count hi lo", false},
	{"cache", "instances type", false},
	{"cache_info", "deterministic", false},
	{"calibration", "when", false},
	{"cell", "id", false},
	{"cgroup", "version", false},
	{"check", "code", false},
	{"counter", "name value", false},
	{"counter_deltas", "left_out unlisted", false},
	{"counters", "left_out unlisted", false},
	{"curve", "mode regime", false},
	{"difference", "name", true},
	{"durability_check", "cell_id stream", false},
	{"fact", "name", true},
	{"fault_parts", "kind", false},
	{"flushes", "count device", false},
	{"goal", "error set", false},
	{"hex", "index", true},
	{"histo_bucket", "index", false},
	{"histogram", "type", false},
	{"interference", "statistic stream", false},
	{"interval", "cell_id index repetition stream", false},
	{"io_error", "count error place", false},
	{"iowritesystem", "version", false},
	{"kernel_state", "background_bytes dirty_bytes limit_bytes time_s writeback_bytes", false},
	{"label", "name", true},
	{"latency_histogram", "class layout type unit", false},
	{"layer", "device", false},
	{"loss", "count kind", false},
	{"model", "name", false},
	{"numa_node", "index", false},
	{"objective", "text", false},
	{"omission", "name", true},
	{"option", "name", true},
	{"outside_model", "code", true},
	{"parameter", "high low mean method n name p25 p5 p75 p95 unit unstable value", false},
	{"part", "index", false},
	{"pause", "dirtied_bytes pause_ns task_bytes_per_second time_s", false},
	{"phase", "index", false},
	{"point", "high low mean method n p25 p5 p75 p95 size_bytes unstable value", false},
	{"ratelimit", "balanced_bytes_per_second dirty_bytes_per_second"
		" time_s write_bytes_per_second", false},
	{"reason", "code", true},
	{"repetition", "cell_id index", false},
	{"result_thread", "thread_num", false},
	{"rung", "name", false},
	{"scenario", "id repetition", false},
	{"segment", "fixed_ns from_bytes ns_per_byte", false},
	{"setting", "name", true},
	{"skipped", "name", true},
	{"stream_plan", "stream", false},
	{"stream_result", "stream", false},
	{"stream_split", "stream", false},
	{"sys_mem_item", "name", false},
	{"throttled", "index p10 p50 p90 size_bytes think typical unstable", false},
	{"tlb_item", "id index", false},
	{"unknown", "name why", false},
	{"verdict", "status", false},
	{"write", "cawl_dirty_bytes cawl_ns dirty_bytes high_ns index kernel_ns low_ns measured_ns"
		" naive_ns offset predicted_dirty_bytes predicted_writeback_bytes size time_s typical_ns writeback_bytes", false},
};

/* Asked for every value of a report: the first letter mostly decides. */
static int compare_names(const void *a, const void *b)
{
	const char *key = a, *name = *(const char *const *)b;

	return key[0] == name[0] ? strcmp(key, name) : (unsigned char)key[0] - (unsigned char)name[0];
}

bool report_json_is_text(const char *name)
{
	return bsearch(name, text_names, sizeof(text_names) / sizeof(text_names[0]), sizeof(text_names[0]),
		compare_names);
}

bool report_json_is_list(const char *name)
{
	return bsearch(name, list_names, sizeof(list_names) / sizeof(list_names[0]), sizeof(list_names[0]),
		compare_names);
}

static int compare_elements(const void *a, const void *b)
{
	const struct element *one = a, *other = b;

	return strcmp(one->name, other->name);
}

enum report_json_member report_json_member(const char *element, const char *member)
{
	struct element key = {.name = element};
	const struct element *found =
		bsearch(&key, elements, sizeof(elements) / sizeof(elements[0]), sizeof(elements[0]), compare_elements);
	size_t length = strlen(member);

	for (const char *at = found ? found->attributes : ""; *at; at += strspn(at, " ")) {
		size_t word = strcspn(at, " ");

		if (word == length && !memcmp(at, member, length))
			return REPORT_JSON_ATTRIBUTE;
		at += word;
	}
	return found && found->has_text && !strcmp(member, "value") ? REPORT_JSON_TEXT : REPORT_JSON_ELEMENT;
}

static void write_string(FILE *out, const char *text)
{
	const char *from = text;

	putc_unlocked('"', out);
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;

		if (c >= 0x20 && c != '"' && c != '\\')
			continue;
		fwrite_unlocked(from, 1, (size_t)(text - from), out);
		if (c < 0x20)
			fprintf(out, "\\u%04x", c);
		else
			fprintf(out, "\\%c", c);
		from = text + 1;
	}
	fwrite_unlocked(from, 1, (size_t)(text - from), out);
	putc_unlocked('"', out);
}

/* -?(0|[1-9][0-9]*)(.[0-9]+)?([eE][+-]?[0-9]+)? */
bool report_json_is_number(const char *text)
{
	static const char digits[] = "0123456789";
	size_t whole;

	text += *text == '-';
	whole = strspn(text, digits);
	if (whole == 0 || (whole > 1 && *text == '0'))
		return false;
	text += whole;
	if (*text == '.') {
		size_t fraction = strspn(++text, digits);

		if (fraction == 0)
			return false;
		text += fraction;
	}
	if (*text == 'e' || *text == 'E') {
		text++;
		text += *text == '+' || *text == '-';
		return strspn(text, digits) > 0 && text[strspn(text, digits)] == '\0';
	}
	return *text == '\0';
}

static void write_value(FILE *out, const char *name, const char *text)
{
	bool is_literal = report_json_is_number(text) || strcmp(text, "true") == 0 || strcmp(text, "false") == 0;

	if (is_literal && !report_json_is_text(name))
		fputs_unlocked(text, out);
	else
		write_string(out, text);
}

#define ONE_LINE (-1) /* depth of what has no line of its own */

/* Between members: a new line when the object has elements in it, a blank when it has attributes only. */
static void write_gap(FILE *out, int depth)
{
	static const char blanks[] = "                                                                ";
	size_t columns = depth < 0 ? 0 : 2 * (size_t)depth;

	putc_unlocked(depth < 0 ? ' ' : '\n', out);
	for (size_t part; columns > 0; columns -= part) {
		part = columns < sizeof(blanks) - 1 ? columns : sizeof(blanks) - 1;
		fwrite_unlocked(blanks, 1, part, out);
	}
}

static void write_key(FILE *out, bool *is_first, int depth, const char *name)
{
	if (!*is_first)
		putc_unlocked(',', out);
	if (!*is_first || depth >= 0)
		write_gap(out, depth);
	*is_first = false;
	/* Names of XML have nothing to escape. */
	putc_unlocked('"', out);
	fputs_unlocked(name, out);
	fputs_unlocked("\": ", out);
}

/* Elements of one name mostly stand together, so that the first step decides. */
static bool has_same_before(const struct report_node *node, const struct report_node *before)
{
	if (before && before->name == node->name)
		return true;
	for (const struct report_node *other = node->parent->child; other != node; other = other->next) {
		if (strcmp(other->name, node->name) == 0)
			return true;
	}
	return false;
}

static int inner_depth(int depth)
{
	return depth < 0 ? ONE_LINE : depth + 1;
}

static void write_element(FILE *out, const struct report_node *node, int depth);

static void write_list(FILE *out, const struct report_node *first, int depth)
{
	putc_unlocked('[', out);
	for (const struct report_node *node = first; node; node = report_read_next(node)) {
		if (node != first)
			putc_unlocked(',', out);
		if (depth >= 0 || node != first)
			write_gap(out, inner_depth(depth));
		write_element(out, node, inner_depth(depth));
	}
	if (depth >= 0)
		write_gap(out, depth);
	putc_unlocked(']', out);
}

static void write_object(FILE *out, const struct report_node *node, int depth)
{
	const struct report_node *child = node->child, *before = NULL;
	int inner = child ? inner_depth(depth) : ONE_LINE;
	bool is_first = true;

	putc_unlocked('{', out);
	for (size_t i = 0; i < node->attribute_count; i++) {
		write_key(out, &is_first, inner, node->attributes[2 * i]);
		write_value(out, node->attributes[2 * i], node->attributes[2 * i + 1]);
	}
	if (!child && (node->whole[0] || report_json_is_text(node->name))) {
		write_key(out, &is_first, inner, "value");
		write_value(out, node->name, node->whole);
	}
	for (; child; before = child, child = child->next) {
		if (has_same_before(child, before))
			continue;
		write_key(out, &is_first, inner, child->name);
		if (report_json_is_list(child->name) || report_read_next(child))
			write_list(out, child, inner);
		else
			write_element(out, child, inner);
	}
	if (inner >= 0)
		write_gap(out, depth);
	putc_unlocked('}', out);
}

static void write_element(FILE *out, const struct report_node *node, int depth)
{
	if (node->child || node->attribute_count || (!node->whole[0] && !report_json_is_text(node->name)))
		write_object(out, node, depth);
	else
		write_value(out, node->name, node->whole);
}

void report_json_print(FILE *out, const struct report_node *root, bool is_one_line)
{
	int depth = is_one_line ? ONE_LINE : 1;
	bool is_first = true;

	putc_unlocked('{', out);
	write_key(out, &is_first, depth, root->name);
	write_element(out, root, depth);
	fputs_unlocked(is_one_line ? "}" : "\n}", out);
}

static int to_json(const char *text, size_t size, char **json, size_t *length)
{
	struct report_document *document;
	char why[256];
	int error = report_read_memory(text, size, &document, why, sizeof(why));
	FILE *out = error ? NULL : open_memstream(json, length);

	if (out) {
		report_json_print(out, report_read_root(document), false);
		putc_unlocked('\n', out);
		error = ferror(out) ? -ENOMEM : 0;
		if (fclose(out) != 0)
			error = -ENOMEM;
	} else if (!error) {
		error = -ENOMEM;
	}
	if (!error || out)
		report_read_free(document);
	return error;
}

int report_write_json(struct report *report, const char *path)
{
	const char *text;
	char *json = NULL;
	size_t size, length;
	int error = report_document(report, &text, &size);

	if (!error)
		error = to_json(text, size, &json, &length);
	if (!error)
		error = report_file_write(path, json, length);
	free(json);
	return error;
}
