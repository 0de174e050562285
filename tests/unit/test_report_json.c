/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "tests/unit/unit.h"
#include "common/report_json.h"
#include "common/report_private.h"
#include "common/report_read.h"
#include "tests/unit/fake_result.h"

static const struct report_node *named(const struct report_node *schema, const char *kind, const char *name)
{
	const struct report_node *node = report_read_find(schema, kind);

	while (node && strcmp(report_read_attribute(node, "name"), name) != 0)
		node = report_read_next(node);
	return node;
}

/* 1 text, 0 number or truth, -1 an element that holds elements or nothing. */
static int is_textual(const struct report_node *schema, const char *type)
{
	const struct report_node *node;

	if (strncmp(type, "xs:", 3) == 0)
		return strcmp(type, "xs:string") == 0;
	node = named(schema, "xs:simpleType", type);
	if (node)
		return is_textual(
			schema, report_read_attribute(report_read_find(node, "xs:restriction"), "base"));
	node = report_read_find(named(schema, "xs:complexType", type), "xs:simpleContent/xs:extension");
	return node ? is_textual(schema, report_read_attribute(node, "base")) : -1;
}

static unsigned check_tables(const struct report_node *schema, const struct report_node *node)
{
	const char *name = report_read_attribute(node, "name");
	const char *most = report_read_attribute(node, "maxOccurs");
	unsigned checked = 0;

	if (strcmp(node->name, "xs:element") == 0 || strcmp(node->name, "xs:attribute") == 0) {
		int textual = is_textual(schema, report_read_attribute(node, "type"));

		if (textual >= 0 && textual != report_json_is_text(name))
			fail_msg("%s is %s in the schema, which report_json.c does not say", name,
				textual ? "text" : "no text");
		/* <interval> has one <latency_histogram>, <statistics> many: lists are by name. */
		if (most && !report_json_is_list(name))
			fail_msg("%s may repeat in the schema, which report_json.c does not say", name);
		checked = 1;
	}
	for (const struct report_node *child = node->child; child; child = child->next)
		checked += check_tables(schema, child);
	return checked;
}

TEST("json knows the schema")
{
	struct report_document *document;
	char path[512], why[256];

	snprintf(path, sizeof(path), "%s/docs/memstor-report.xsd", unit_srcdir());
	assert_int_equal(report_read_file(path, &document, why, sizeof(why)), 0);
	assert_true(check_tables(report_read_root(document), report_read_root(document)) > 200);
	report_read_free(document);
}

/* A value of JSON at *at; NULL when it is none. Duplicate keys are looked for in the goldens by eye. */
static const char *behind_json(const char *at);

static const char *json_string(const char *at)
{
	for (at++; *at != '"'; at++) {
		if ((unsigned char)*at < 0x20)
			return NULL;
		if (*at == '\\' && !strchr("\"\\u", *++at))
			return NULL;
	}
	return at + 1;
}

static const char *json_members(const char *at, char close)
{
	bool is_object = close == '}';

	at += 1 + strspn(at + 1, " \n");
	if (*at == close)
		return at + 1;
	for (;;) {
		if (is_object) {
			at = *at == '"' ? json_string(at) : NULL;
			if (!at || strncmp(at, ": ", 2) != 0)
				return NULL;
			at += 2;
		}
		at = behind_json(at);
		if (!at)
			return NULL;
		at += strspn(at, " \n");
		if (*at == close)
			return at + 1;
		if (*at++ != ',')
			return NULL;
		at += strspn(at, " \n");
	}
}

static const char *behind_json(const char *at)
{
	size_t digits = strspn(at, "-+.eE0123456789");

	if (*at == '"')
		return json_string(at);
	if (*at == '{')
		return json_members(at, '}');
	if (*at == '[')
		return json_members(at, ']');
	if (strncmp(at, "true", 4) == 0)
		return at + 4;
	if (strncmp(at, "false", 5) == 0)
		return at + 5;
	return digits ? at + digits : NULL;
}

TEST("every report variant is valid JSON")
{
	assert_null(behind_json("{\"a\": [1, }"));
	assert_null(behind_json("\"\x01\""));
	for (size_t i = 0; i < FAKE_VARIANTS; i++) {
		struct fake *fake = fake_variant(i);
		const char *end;
		char *json;

		json = fake_written(fake, report_write_json);
		end = behind_json(json);
		assert_non_null(end);
		assert_string_equal(end, "\n");
		/* All 64 bits, texts that look like numbers, single members of lists. */
		assert_non_null(strstr(json, "\"seed\": \"18446744073709551615\","));
		assert_non_null(strstr(json, "\"version_xmloutput\": \"1.1\""));
		assert_non_null(strstr(json, "\"set_bytes\": [\n"));
		assert_non_null(strstr(json, "\"is_invariant\": true,"));
		assert_non_null(strstr(json, "\"hypervisor\": \"\","));
		assert_non_null(strstr(json, "\"tlb_info\": {}"));
		free(json);
		fake_free(fake);
	}
}

static void same_trees(const struct report_node *one, const struct report_node *other)
{
	assert_string_equal(one->name, other->name);
	assert_string_equal(one->whole, other->whole);
	assert_int_equal(one->attribute_count, other->attribute_count);
	for (size_t i = 0; i < 2 * one->attribute_count; i++)
		assert_string_equal(one->attributes[i], other->attributes[i]);
	for (one = one->child, other = other->child; one && other; one = one->next, other = other->next)
		same_trees(one, other);
	assert_true(!one && !other);
}

/* To JSON and back. */
static void check_round_trip(const struct report_document *document)
{
	struct report_document *back;
	char *json, *xml, why[256];
	size_t size, xml_size;
	unsigned line;
	FILE *out = open_memstream(&json, &size);

	report_json_print(&(struct json){.out = out}, report_read_root(document), false);
	fclose(out);
	assert_int_equal(report_json_read(json, size, &xml, &xml_size, &line, why, sizeof(why)), 0);
	assert_int_equal(report_read_memory(xml, xml_size, &back, why, sizeof(why)), 0);
	same_trees(report_read_root(document), report_read_root(back));
	report_read_free(back);
	free(xml);
	free(json);
}

TEST("a report of each kind is the same after json")
{
	static const char *const fixtures[] = {"report-1.0.xml", "pmbench-original/uniform.xml",
		"pmbench-original/normal-j2-r80-cold.xml", "iowrite/run.xml", "iowrite/evaluate.xml", "iowrite/system.xml",
		"iowrite/trace.xml", "ssd/run.xml", "ssd/fig4.xml", "ssd/fig9.xml", "ssd/fig11.xml"};

	for (size_t i = 0; i < sizeof(fixtures) / sizeof(fixtures[0]); i++) {
		struct report_document *document;
		char path[512], why[256];

		snprintf(path, sizeof(path), "%s/tests/fixtures/%s", unit_srcdir(), fixtures[i]);
		assert_int_equal(report_read_file(path, &document, why, sizeof(why)), 0);
		check_round_trip(document);
		report_read_free(document);
	}
}

static const char *refusal(const char *json, unsigned *line)
{
	static char why[256];
	size_t size;
	char *xml;

	assert_int_equal(report_json_read(json, strlen(json), &xml, &size, line, why, sizeof(why)), -EBADMSG);
	assert_null(xml);
	return why;
}

TEST("what is no report in json is refused with its line")
{
	static const struct {
		const char *json;
		unsigned line;
		const char *why;
	} cases[] = {
		{"[]", 1, "a report is one object"},
		{"{}", 1, "a name in quotes is due"},
		{"{\"a\": [1]}", 1, "a report is one object"},
		{"{\"a\": {}", 1, "the file ends too early"},
		{"{\"a\": {}} {\"a\": {}}", 1, "a file holds one report"},
		{"{\"a\": {}, \"b\": {}}", 1, "a file holds one report"},
		{"{\"a\": {\n\"b\": null}}", 2, "a value that no report has (allowed are strings, numbers, true, false, "
			"objects, arrays)"},
		{"{\"a\": {\n\"b\": 01}}", 2, "a value that no report has (allowed are strings, numbers, true, false, "
			"objects, arrays)"},
		{"{\"a\": {\"b\": \"\\u0001\"}}", 1, "a control character that no report has"},
		{"{\"a\": {\"b\": \"\\ud800x\"}}", 1, "half a surrogate pair in a string"},
		{"{\"a\": {\"b\": \"\\x41\"}}", 1, "an unknown escape in a string"},
		{"{\"a\": {\"b\": [[1]]}}", 1, "an array in an array"},
		{"{\"a\": {\"b\": []}}", 1, "an array without members (a report leaves the name out)"},
		{"{\"a\": {\"<b>\": 1}}", 1, "a name that no element of a report has"},
		{"{\"a\": {\"verdict\": {\"x\": 1,\n\n\"status\": \"ok\"}}}", 3,
			"an attribute after elements (attributes come first)"},
		{"{\"a\": {\"b\" 1}}", 1, "a colon is due after a name"},
		{"{\"a\": {\"b\": 1 \"c\": 2}}", 1, "a comma or } is due"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		unsigned line;

		assert_string_equal(refusal(cases[i].json, &line), cases[i].why);
		assert_int_equal(line, cases[i].line);
	}
}

TEST("objects nested more than 64 deep are refused")
{
	char json[6 * 70 + 1] = "";
	unsigned line;

	for (int i = 0; i < 70; i++)
		memcpy(json + 6 * i, "{\"a\": ", 6);
	assert_string_equal(refusal(json, &line), "objects are nested more than 64 deep");
}

/* A name stands once in JSON, and twice in XML with each member of its array. */
TEST("an array that is too large as xml is refused before it is made")
{
	const size_t head = 6 + 1 + 100 + 3, members = 400000;
	char *json = malloc(head + 2 * members + 3);
	unsigned line;

	assert_non_null(json);
	memcpy(json, "{\"a\":{\"", 7);
	memset(json + 7, 'n', 100);
	memcpy(json + 107, "\":[", 3);
	for (size_t i = 0; i < members; i++)
		memcpy(json + head + 2 * i, i + 1 < members ? "1," : "1]", 2);
	memcpy(json + head + 2 * members, "}}", 3);
	assert_string_equal(refusal(json, &line), "larger than 64 MiB as XML");
	free(json);
}

TEST("strings keep their characters")
{
	static const char json[] = "{\"a\": {\"b\": \"<&>\\u20ac\\ud83d\\ude00\\n\\\"\\/\\\\\"}}";
	struct report_document *document;
	char *xml, why[128];
	size_t size;
	unsigned line;

	assert_int_equal(report_json_read(json, sizeof(json) - 1, &xml, &size, &line, why, sizeof(why)), 0);
	assert_int_equal(report_read_memory(xml, size, &document, why, sizeof(why)), 0);
	assert_string_equal(report_read_find(report_read_root(document), "b")->whole, "<&>\u20ac\U0001f600\n\"/\\");
	report_read_free(document);
	free(xml);
}

/* Each attribute of the schema is one to JSON, each element is none. */
static unsigned check_members(const struct report_node *schema, const struct report_node *node)
{
	const char *type = report_read_attribute(node, "type"), *name = report_read_attribute(node, "name");
	const struct report_node *complex = type ? named(schema, "xs:complexType", type) : report_read_find(node, "xs:complexType");
	unsigned checked = 0;

	if (strcmp(node->name, "xs:element") == 0 && complex) {
		const struct report_node *text = report_read_find(complex, "xs:simpleContent/xs:extension");

		for (const struct report_node *part = text ? text->child : complex->child; part; part = part->next) {
			if (strcmp(part->name, "xs:attribute") != 0)
				continue;
			if (report_json_member(name, report_read_attribute(part, "name")) != REPORT_JSON_ATTRIBUTE)
				fail_msg("%s is an attribute of <%s>, which report_json.c does not say",
					report_read_attribute(part, "name"), name);
			checked++;
		}
		if ((report_json_member(name, "value") == REPORT_JSON_TEXT) != (text != NULL))
			fail_msg("<%s> has %s, which report_json.c does not say", name, text ? "text" : "no text");
		for (const struct report_node *part = report_read_find(complex, "xs:sequence"); part; part = part->next) {
			for (const struct report_node *child = part->child; child; child = child->next) {
				const char *child_name = report_read_attribute(child, "name");

				if (child_name && report_json_member(name, child_name) != REPORT_JSON_ELEMENT)
					fail_msg("<%s> is an element of <%s>, which report_json.c does not say", child_name,
						name);
			}
		}
	}
	for (const struct report_node *child = node->child; child; child = child->next)
		checked += check_members(schema, child);
	return checked;
}

TEST("json knows the attributes of the schema")
{
	struct report_document *document;
	char path[512], why[256];

	snprintf(path, sizeof(path), "%s/docs/memstor-report.xsd", unit_srcdir());
	assert_int_equal(report_read_file(path, &document, why, sizeof(why)), 0);
	assert_true(check_members(report_read_root(document), report_read_root(document)) > 100);
	report_read_free(document);
}
