/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A maintainer's command: generates what docs/ says of reports from the lists of schema/ (scripts/schema.sh runs it).
 *
 *	describe xsd                  docs/memstor-report.xsd
 *	describe json                 memstor/schema.json
 *	describe page PAGE PAGES...   PAGE with its tables, each between "<!-- fields RECORD -->" and "<!-- end -->".
 *	                              A record that has a table on one of PAGES is not expanded in other tables.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/report/field.h"
#include "common/report/report_common.h"
#include "schema/metric.h"

#define RECORDS 256
#define LINE 8192

static const struct field_record *records[RECORDS]; /* all of them, each before those within it */
static size_t record_count;

static void collect(const struct field_record *record)
{
	for (size_t i = 0; i < record_count; i++) {
		if (records[i] == record)
			return;
	}
	if (record_count == RECORDS)
		abort();
	records[record_count++] = record;
	for (const struct field *field = record->fields; field->name; field++) {
		if (field->kind == FIELD_RECORD)
			collect(field->record());
	}
}

/* A record that is its text alone has that text's type. */
static const struct field *only_text(const struct field_record *record)
{
	const struct field *field = record->fields;

	return field->kind == FIELD_VALUE && field->place == FIELD_BODY && !field[1].name ? field : NULL;
}

/* --- XSD --- */

static const char *const type_names[] = {
	[FIELD_text] = "text", [FIELD_code] = "code", [FIELD_uuid] = "uuid", [FIELD_moment] = "moment",
	[FIELD_descriptor] = "descriptor", [FIELD_bits] = "bits", [FIELD_count] = "count", [FIELD_flag] = "flag",
	[FIELD_percent] = "percent", [FIELD_integer] = "integer", [FIELD_whole] = "whole", [FIELD_number] = "number",
	[FIELD_amount] = "amount", [FIELD_truth] = "truth",
};

static const char xsd_head[] =
	"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
	"<!-- SPDX-License-Identifier: GPL-3.0-or-later -->\n"
	"<!--\n"
	"  Reports of memstor, format " REPORT_FORMAT_VERSION "; docs/report.md explains each element. Made from schema/ by "
	"scripts/schema.sh.\n"
	"  Reports of the original pmbench (version_xmloutput 0.1) are valid too: what they have is required, what is ours is\n"
	"  optional. Every element and attribute has a named type, and one name has one kind of value everywhere.\n"
	"-->\n"
	"<xs:schema xmlns:xs=\"http://www.w3.org/2001/XMLSchema\" elementFormDefault=\"qualified\" version=\""
	REPORT_FORMAT_VERSION "\">\n"
	"\n"
	"  <!-- Values -->\n"
	"  <xs:simpleType name=\"text\"><xs:restriction base=\"xs:string\"/></xs:simpleType>\n"
	"  <xs:simpleType name=\"count\"><xs:restriction base=\"xs:unsignedLong\"/></xs:simpleType>\n"
	"  <xs:simpleType name=\"integer\"><xs:restriction base=\"xs:long\"/></xs:simpleType>\n"
	"  <xs:simpleType name=\"whole\">\n"
	"    <xs:restriction base=\"xs:integer\">\n"
	"      <xs:minInclusive value=\"-9223372036854775808\"/><xs:maxInclusive value=\"18446744073709551615\"/>\n"
	"    </xs:restriction>\n"
	"  </xs:simpleType>\n"
	"  <xs:simpleType name=\"number\">\n"
	"    <xs:restriction base=\"xs:double\"><xs:pattern value=\"-?[0-9]+(\\.[0-9]+)?(e[+\\-][0-9]+)?\"/></xs:restriction>\n"
	"  </xs:simpleType>\n"
	"  <xs:simpleType name=\"amount\"><xs:restriction base=\"number\"><xs:minInclusive value=\"0\"/></xs:restriction>"
	"</xs:simpleType>\n"
	"  <xs:simpleType name=\"flag\">\n"
	"    <xs:restriction base=\"xs:unsignedLong\"><xs:maxInclusive value=\"1\"/></xs:restriction>\n"
	"  </xs:simpleType>\n"
	"  <xs:simpleType name=\"truth\">\n"
	"    <xs:restriction base=\"xs:boolean\"><xs:pattern value=\"true|false\"/></xs:restriction>\n"
	"  </xs:simpleType>\n"
	"  <xs:simpleType name=\"percent\">\n"
	"    <xs:restriction base=\"xs:unsignedLong\"><xs:maxInclusive value=\"100\"/></xs:restriction>\n"
	"  </xs:simpleType>\n"
	"  <xs:simpleType name=\"uuid\">\n"
	"    <xs:restriction base=\"xs:string\">\n"
	"      <xs:pattern value=\"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\"/>\n"
	"    </xs:restriction>\n"
	"  </xs:simpleType>\n"
	"  <xs:simpleType name=\"moment\">\n"
	"    <xs:restriction base=\"xs:string\">\n"
	"      <xs:pattern value=\"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\\.[0-9]{9}Z\"/>\n"
	"    </xs:restriction>\n"
	"  </xs:simpleType>\n"
	"  <xs:simpleType name=\"bits\">\n"
	"    <xs:restriction base=\"xs:string\"><xs:pattern value=\"0|[1-9][0-9]{0,19}\"/></xs:restriction>\n"
	"  </xs:simpleType>\n"
	"  <xs:simpleType name=\"descriptor\">\n"
	"    <xs:restriction base=\"xs:string\"><xs:pattern value=\"[0-9a-f]{2}\"/></xs:restriction>\n"
	"  </xs:simpleType>\n"
	"  <xs:simpleType name=\"code\">\n"
	"    <xs:restriction base=\"xs:string\"><xs:pattern value=\"[a-z0-9][a-z0-9\\-]*\"/></xs:restriction>\n"
	"  </xs:simpleType>\n";

/* The type of a value; a choice has one of its own, named after its record. */
static void print_type(const struct field_record *record, const struct field *field)
{
	if (field->type == FIELD_choice)
		printf("%s_%s", record->name, field->name);
	else
		fputs(type_names[field->type], stdout);
}

static void print_choices(const struct field_record *record)
{
	for (const struct field *field = record->fields; field->name; field++) {
		if (field->kind != FIELD_VALUE || field->type != FIELD_choice)
			continue;
		printf("  <xs:simpleType name=\"%s_%s\">\n    <xs:restriction base=\"xs:string\">\n", record->name, field->name);
		for (const char *at = field->choices; *at; at += strspn(at, "|")) {
			size_t length = strcspn(at, "|");

			printf("      <xs:enumeration value=\"%.*s\"/>\n", (int)length, at);
			at += length;
		}
		puts("    </xs:restriction>\n  </xs:simpleType>");
	}
}

static void print_attributes(const struct field_record *record, const char *indent)
{
	for (const struct field *field = record->fields; field->name; field++) {
		if (field->kind != FIELD_VALUE || field->place != FIELD_ATTR)
			continue;
		printf("%s<xs:attribute name=\"%s\" type=\"", indent, field->name);
		print_type(record, field);
		printf("\"%s/>\n", field->least ? " use=\"required\"" : "");
	}
}

static void print_element(const struct field_record *record, const struct field *field, int depth)
{
	const struct field_record *inner = field->kind == FIELD_RECORD ? field->record() : NULL;

	printf("%*s<xs:element name=\"%s\" type=\"", 2 * depth, "", field->name);
	if (!inner)
		print_type(record, field);
	else if (only_text(inner))
		print_type(inner, only_text(inner));
	else
		fputs(inner->name, stdout);
	putchar('"');
	if (field->least != 1)
		printf(" minOccurs=\"%u\"", field->least);
	if (field->most > 1)
		printf(" maxOccurs=\"%u\"", field->most);
	else if (!field->most)
		fputs(" maxOccurs=\"unbounded\"", stdout);
	puts("/>");
}

static void print_elements(const struct field_record *record)
{
	bool is_choice = false;
	int depth = 3;

	for (const struct field *field = record->fields; field->name; field++) {
		if (field->kind == FIELD_RECORD || (field->kind == FIELD_VALUE && field->place == FIELD_NEED)) {
			print_element(record, field, depth);
			continue;
		}
		if (field->kind != FIELD_GROUP)
			continue;
		switch (field->group) {
		case FIELD_OPTIONAL:
			printf("%*s<xs:sequence minOccurs=\"0\">\n", 2 * depth++, "");
			break;
		case FIELD_CHOICE:
			is_choice = true;
			printf("%*s<xs:choice>\n%*s<xs:sequence>\n", 2 * depth, "", 2 * depth + 2, "");
			depth += 2;
			break;
		case FIELD_OR:
			printf("%*s</xs:sequence>\n%*s<xs:sequence>\n", 2 * depth - 2, "", 2 * depth - 2, "");
			break;
		case FIELD_END:
			printf("%*s</xs:sequence>\n", 2 * --depth, "");
			if (is_choice)
				printf("%*s</xs:choice>\n", 2 * --depth, "");
			is_choice = false;
			break;
		}
	}
}

static void print_record(const struct field_record *record)
{
	const struct field *body = NULL;
	bool has_elements = false;

	for (const struct field *field = record->fields; field->name; field++) {
		if (field->kind == FIELD_VALUE && field->place == FIELD_BODY)
			body = field;
		has_elements = has_elements || field->kind == FIELD_RECORD ||
			(field->kind == FIELD_VALUE && field->place == FIELD_NEED);
	}
	if (only_text(record))
		return;
	print_choices(record);
	printf("  <xs:complexType name=\"%s\">\n", record->name);
	if (body) {
		fputs("    <xs:simpleContent>\n      <xs:extension base=\"", stdout);
		print_type(record, body);
		puts("\">");
		print_attributes(record, "        ");
		puts("      </xs:extension>\n    </xs:simpleContent>");
	} else {
		if (has_elements) {
			puts("    <xs:sequence>");
			print_elements(record);
			puts("    </xs:sequence>");
		}
		print_attributes(record, "    ");
	}
	puts("  </xs:complexType>");
}

static void print_xsd(void)
{
	fputs(xsd_head, stdout);
	puts("\n  <!-- Documents -->");
	for (const struct field_root *root = field_roots; root->element; root++) {
		if (root->is_private)
			continue;
		printf("  <xs:element name=\"%s\" type=\"%s\"/>\n", root->element, root->record()->name);
		collect(root->record());
	}
	puts("\n  <!-- Records -->");
	for (size_t i = 0; i < record_count; i++)
		print_record(records[i]);
	puts("</xs:schema>");
}

/* --- JSON, for the companion --- */

static const char *const kind_names[] = {
	[FIELD_IS_PLAIN] = "plain", [FIELD_IS_SUBJECT] = "subject", [FIELD_IS_HISTOGRAM] = "histogram",
	[FIELD_IS_SUMMARY] = "summary", [FIELD_IS_BUCKET] = "bucket", [FIELD_IS_SERIES] = "series",
	[FIELD_IS_COUNTERS] = "counters", [FIELD_IS_COUNTER] = "counter", [FIELD_IS_PAIR] = "pair",
	[FIELD_IS_FINDING] = "finding",
};
static const char *const merge_names[] = {
	[FIELD_MERGE_NONE] = "", [FIELD_MERGE_SUM] = "sum", [FIELD_MERGE_MAX] = "max", [FIELD_MERGE_MIN] = "min",
	[FIELD_MERGE_SAME] = "same", [FIELD_MERGE_FIRST] = "first", [FIELD_MERGE_LAST] = "last", [FIELD_MERGE_ANY] = "any",
	[FIELD_MERGE_NUMBER] = "number", [FIELD_MERGE_EACH] = "each", [FIELD_MERGE_ERROR] = "error",
	[FIELD_MERGE_MEAN] = "mean", [FIELD_MERGE_PER] = "per", [FIELD_MERGE_RATIO] = "ratio",
	[FIELD_MERGE_TIME] = "time", [FIELD_MERGE_RATE] = "rate",
};
static const char *const better_names[] = {
	[FIELD_BETTER_NONE] = "", [FIELD_BETTER_LOWER] = "lower", [FIELD_BETTER_HIGHER] = "higher",
};
static const char *const source_names[] = {
	[METRIC_VALUE] = "value", [METRIC_MODEL] = "model", [METRIC_MEAN] = "mean", [METRIC_MAX] = "max",
	[METRIC_PERCENTILE] = "percentile", [METRIC_SHARE] = "share", [METRIC_RATIO] = "ratio",
	[METRIC_SUM] = "sum",
};
static const char *const place_names[] = {[FIELD_ATTR] = "attr", [FIELD_NEED] = "", [FIELD_BODY] = "body"};

/* ,"name":"text", unless the text is "" or NULL */
static void print_member(const char *name, const char *text)
{
	if (!text || !*text)
		return;
	printf(",\"%s\":\"", name);
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			putchar('\\');
		putchar(*text);
	}
	putchar('"');
}

static void print_field(const struct field *field, const char *before)
{
	printf("%s\n  {\"name\":\"%s\"", before, field->name);
	if (field->kind == FIELD_RECORD) {
		print_member("record", field->record()->name);
		if (field->most != 1)
			printf(",\"most\":%u", field->most);
	} else {
		print_member("type", field->type == FIELD_choice ? "choice" : type_names[field->type]);
		print_member("choices", field->choices);
	}
	print_member("place", place_names[field->place]);
	if (!field->least)
		fputs(",\"optional\":true", stdout);
	print_member("unit", field->unit);
	print_member("merge", merge_names[field->merge]);
	print_member("first", field->first);
	print_member("second", field->second);
	print_member("better", better_names[field->better]);
	print_member("meaning", field->meaning);
	putchar('}');
}

static void print_json_record(const struct field_record *record)
{
	const char *before = "";

	printf("\"%s\":{\"kind\":\"%s\"", record->name, kind_names[record->kind]);
	print_member("subject", record->subject);
	print_member("key", record->key);
	fputs(",\"fields\":[", stdout);
	for (const struct field *field = record->fields; field->name; field++) {
		if (field->kind > FIELD_RECORD)
			continue;
		print_field(field, before);
		before = ",";
	}
	fputs("],\"laws\":[", stdout);
	before = "";
	for (const struct field *field = record->fields; field->name; field++) {
		if (field->kind != FIELD_LAW)
			continue;
		printf("%s\n  \"%s\"", before, field->name);
		before = ",";
	}
	fputs("]}", stdout);
}

static void print_words(const char *name, const char *const *words)
{
	printf(",\n\"%s\":[", name);
	for (size_t i = 0; words[i]; i++)
		printf("%s\"%s\"", i ? "," : "", words[i]);
	putchar(']');
}

static void print_usual(const char *name, const struct metric_usual *row)
{
	printf(",\n\"%s\":{", name);
	for (; row->tool; row++)
		printf("\"%s\":\"%s\",", row->tool, row->names);
	printf("\"\":\"%s\"}", row->names);
}

static void print_metrics(void)
{
	fputs("\"metrics\":{\"rows\":[", stdout);
	for (const struct metric_row *row = metric_rows; row->name; row++) {
		printf("%s\n  {\"name\":\"%s\"", row == metric_rows ? "" : ",", row->name);
		print_member("source", source_names[row->source]);
		print_member("unit", row->unit);
		print_member("better", better_names[row->better]);
		print_member("value", row->value);
		print_member("other", row->other);
		putchar('}');
	}
	putchar(']');
	print_words("types", metric_types);
	print_words("classes", metric_classes);
	print_words("models", metric_models);
	print_usual("usual", metric_usual);
	print_usual("usual_of_subjects", metric_usual_of_subjects);
	putchar('}');
}

static void print_json(void)
{
	printf("{\"version\":\"%s\",\n\"roots\":{", REPORT_FORMAT_VERSION);
	for (const struct field_root *root = field_roots; root->element; root++) {
		printf("%s\"%s\":\"%s\"", root == field_roots ? "" : ",", root->element, root->record()->name);
		collect(root->record());
	}
	puts("},\n\"records\":{");
	for (size_t i = 0; i < record_count; i++) {
		print_json_record(records[i]);
		puts(i + 1 < record_count ? "," : "");
	}
	puts("},");
	print_metrics();
	puts("}");
}

/* --- tables --- */

static char *tabled[RECORDS]; /* records that have a table of their own */
static size_t tabled_count;

/* Stores NAME of a line "<!-- fields NAME -->"; false for other lines. */
static bool is_directive(const char *line, char name[64])
{
	return sscanf(line, "<!-- fields %63[a-z_] -->", name) == 1;
}

static bool has_table(const struct field_record *record)
{
	for (size_t i = 0; i < tabled_count; i++) {
		if (!strcmp(tabled[i], record->name))
			return true;
	}
	return false;
}

static void print_rows(const struct field_record *record, const char *path)
{
	for (const struct field *field = record->fields; field->name; field++) {
		const struct field_record *inner = field->kind == FIELD_RECORD ? field->record() : NULL;
		const struct field *text = inner ? only_text(inner) : NULL;
		char inside[512];

		if (field->kind > FIELD_RECORD || (!inner && field->place == FIELD_BODY))
			continue;
		snprintf(inside, sizeof(inside), "%s%s%s", path, !inner && field->place == FIELD_ATTR ? "@" : *path ? "/" : "",
			field->name);
		if (!inner || *field->meaning || has_table(inner) || text) {
			printf("| `%s` | %s | ", inside, text ? text->unit : field->unit);
			for (const char *at = !inner && field->choices ? field->choices : ""; *at;) {
				size_t length = strcspn(at, "|");

				printf("`%.*s`%s", (int)length, at, at[length] ? ", " : *field->meaning ? ": " : "");
				at += length + (at[length] == '|');
			}
			printf("%s |\n", field->meaning);
		}
		if (inner && !has_table(inner))
			print_rows(inner, inside);
	}
}

static int print_page(char **pages)
{
	char line[LINE], name[64];
	bool is_in_table = false;
	FILE *page;

	for (const struct field_root *root = field_roots; root->element; root++)
		collect(root->record());
	for (char **path = pages; *path; path++) {
		page = fopen(*path, "r");
		if (!page) {
			perror(*path);
			return 1;
		}
		while (fgets(line, sizeof(line), page) && tabled_count < RECORDS) {
			if (is_directive(line, name))
				tabled[tabled_count++] = strdup(name);
		}
		fclose(page);
	}
	page = fopen(pages[0], "r");
	if (!page) {
		perror(pages[0]);
		return 1;
	}
	while (fgets(line, sizeof(line), page)) {
		size_t i = 0;

		is_in_table = is_in_table && strcmp(line, "<!-- end -->\n") != 0;
		if (!is_in_table)
			fputs(line, stdout);
		if (!is_directive(line, name))
			continue;
		while (i < record_count && strcmp(records[i]->name, name) != 0)
			i++;
		if (i == record_count) {
			fprintf(stderr, "%s: no record %s\n", pages[0], name);
			fclose(page);
			return 1;
		}
		is_in_table = true;
		puts("\n| element | unit | meaning |\n|---|---|---|");
		print_rows(records[i], "");
		putchar('\n');
	}
	fclose(page);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "xsd")) {
		print_xsd();
		return 0;
	}
	if (argc == 2 && !strcmp(argv[1], "json")) {
		print_json();
		return 0;
	}
	if (argc > 2 && !strcmp(argv[1], "page"))
		return print_page(argv + 2);
	fputs("usage: describe xsd | describe json | describe page PAGE [PAGES...]\n", stderr);
	return 2;
}
