/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "tests/unit/unit.h"
#include "common/report_validate.h"
#include "memstor/embedded.h"
#include "tests/unit/fake_result.h"
#include "tests/unit/golden.h"

#define FOUND_MAX 4

struct found {
	size_t count;
	char lines[FOUND_MAX][512];
};

static void keep(void *data, unsigned line, const char *text)
{
	struct found *found = data;

	if (found->count < FOUND_MAX)
		snprintf(found->lines[found->count], sizeof(found->lines[0]), "%u: %s", line, text);
	found->count++;
}

static struct report_schema *own_schema(void)
{
	struct embedded embedded = embedded_schema();
	struct report_schema *schema = NULL;
	char why[256] = "";

	assert_int_equal(report_schema_new(embedded.text, embedded.size, "own", &schema, why, sizeof(why)), 0);
	return schema;
}

/* The text with `from` replaced by `to`, validated. */
static struct found validate_changed(
	const struct report_schema *schema, const char *text, const char *from, const char *to)
{
	size_t room = strlen(text) + strlen(to) + 1;
	char *changed = malloc(room);
	const char *at = strstr(text, from);
	struct found found = {0};

	assert_non_null(at);
	snprintf(changed, room, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
	assert_int_equal(report_validate(schema, changed, strlen(changed), keep, &found), 0);
	free(changed);
	return found;
}

TEST("written reports are valid")
{
	struct report_schema *schema = own_schema();

	for (size_t i = 0; i < FAKE_VARIANTS; i++) {
		struct fake *fake = fake_variant(i);
		char *text = fake_written(fake, report_write_xml);
		struct found found = {0};

		assert_int_equal(report_validate(schema, text, strlen(text), keep, &found), 0);
		if (found.count)
			fail_msg("%s: %s", fake_variant_name(i), found.lines[0]);
		free(text);
		fake_free(fake);
	}
	report_schema_free(schema);
}

TEST("findings name what is allowed")
{
	static const struct {
		const char *from, *to, *said;
	} changes[] = {
		{"<jobs>2<", "<jobs>x<", "39: <jobs> is 'x': allowed are whole numbers from 0 to 2^64-1"},
		{"<ratio>50<", "<ratio>150<", "41: <ratio> is '150': the largest allowed is ('100')"},
		{"<quiet>0<", "<quiet>yes<", "37: <quiet> is 'yes': allowed are 0 and 1"},
		{"<mday>20<", "<mday>2.5<", "22: <mday> is '2.5': allowed are whole numbers from -2^63 to 2^63-1"},
		{"<access>histo<", "<access>no<", "43: <access> is 'no': allowed are {'histo', 'touch'}"},
		{"<uuid>d6b4", "<uuid>D6b4",
			"29: <uuid> is 'D6b4a292-cd2a-4cdb-834b-b8845fc0e5a9': allowed are UUIDs in lower case"},
		{"42Z</wall", "42</wall",
			"63: <wall_start> is '2026-11-20T09:24:29.000000042': "
			"allowed are times like 2026-11-20T13:08:15.966814597Z"},
		{"<seed>18446744073709551615</seed>", "<sed/>", "62: <sed>: not expected here, but ( seed )"},
		{"<granularity_ns>10.0148", "<granularity_ns>NaN",
			"122: <granularity_ns> is 'NaN': allowed are numbers like 12, -0.5 and 1e-07"},
		{"<granularity_ns>10", "<granularity_ns>-1", "122: <granularity_ns> is '-1.0148': the smallest allowed is ('0')"},
		{"<is_invariant>true", "<is_invariant>1", "123: <is_invariant> is '1': allowed are true and false"},
		{"<check code=\"zero-page\"", "<check code=\"Zero\"",
			"164: code of <check> is 'Zero': allowed are small letters, digits and -"},
		{"<check code=\"zero-page\"", "<check", "164: <check>: the attribute 'code' is required but missing"},
		{"<check code", "<check lo=\"1\" code", "164: lo of <check>: the attribute 'lo' is not allowed"},
		{"<advice>run longer</advice>", "", "171: <check>: incomplete, expected is ( advice )"},
		{"<tlb_info/>", "<tlb_info>a</tlb_info>",
			"82: <tlb_info>: text is not allowed because the content type is 'element-only'"},
		{"<capacity>32<", "<capacity>0000000000000000000000000000000000000000000000000000000000000000000000000000000032x<",
			"86: <capacity> is '0000000000000000000000000000000000000000000000000000000000000000000000000000000...: "
			"allowed are whole numbers from 0 to 2^64-1"},
	};
	struct report_schema *schema = own_schema();
	char path[512], *text;

	snprintf(path, sizeof(path), "%s/tests/fixtures/report-1.0.xml", unit_srcdir());
	text = golden_read(path);
	for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
		struct found found = validate_changed(schema, text, changes[i].from, changes[i].to);

		assert_int_equal(found.count, 1);
		assert_string_equal(found.lines[0], changes[i].said);
	}
	free(text);
	report_schema_free(schema);
}

TEST("all findings come in order")
{
	static const char text[] = "<pmbenchmark><report>\n<signature/>\n<machine_info/>\n<verdict status=\"x\"/>\n"
				   "</report></pmbenchmark>";
	struct report_schema *schema = own_schema();
	struct found found = {0};

	assert_int_equal(report_validate(schema, text, sizeof(text) - 1, keep, &found), 0);
	assert_int_equal(found.count, 3);
	assert_string_equal(found.lines[0], "2: <signature>: incomplete, expected is ( pmbench_info )");
	assert_string_equal(found.lines[1], "3: <machine_info>: incomplete, expected is ( modelname )");
	assert_string_equal(
		found.lines[2], "4: <verdict>: not expected here, but one of ( environment, result )");
	assert_int_equal(report_validate(schema, "<a>", 3, keep, &found), -EBADMSG);
	report_schema_free(schema);
}

TEST("files that are no schema are refused")
{
	static const struct {
		const char *text, *why;
	} cases[] = {
		{"<a>\n</b>", "s:2: not well-formed XML: "},
		{"<a/>", "s:1: <a> is not a schema: the document element must be xs:schema"},
		{"<xs:schema xmlns:xs=\"http://www.w3.org/2001/XMLSchema\">\n"
		 "<xs:include schemaLocation=\"/etc/passwd\"/></xs:schema>",
			"s:2: a schema is one file without document type, xs:include, xs:import and xs:redefine"},
		{"<!DOCTYPE a [<!ENTITY b SYSTEM \"/etc/passwd\">]>"
		 "<xs:schema xmlns:xs=\"http://www.w3.org/2001/XMLSchema\"/>",
			"s:1: a schema is one file without document type, xs:include, xs:import and xs:redefine"},
		{"<xs:schema xmlns:xs=\"http://www.w3.org/2001/XMLSchema\">\n<xs:element name=\"a\" type=\"b\"/></xs:schema>",
			"s:2: "},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct report_schema *schema = NULL;
		char why[512] = "";

		assert_int_equal(report_schema_new(cases[i].text, strlen(cases[i].text), "s", &schema, why, sizeof(why)),
			-EINVAL);
		assert_null(schema);
		assert_null(strchr(why, '\n'));
		why[strlen(cases[i].why)] = '\0';
		assert_string_equal(why, cases[i].why);
	}
}
