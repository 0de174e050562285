/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "tests/unit/unit.h"
#include "common/report/report_json.h"
#include "common/report/report_read.h"
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
