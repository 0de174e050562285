/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "tests/unit/unit.h"
#include "schema/pmbench.h"
#include "schema/ssd.h"

static const char *document(struct report *report)
{
	const char *text;
	size_t size;

	assert_int_equal(report_document(report, &text, &size), 0);
	return text;
}

TEST("a record is written in the order of its list")
{
	const struct ssd_loss_values losses[] = {{"torn", 2}, {"old-data", UINT64_MAX}};
	const struct ssd_verification_values verification = {
		.blocks = 1, .is_complete = 1, .loss = FIELD_MANY(losses, 2), .first_loss = "a < b"};
	struct report *report;

	assert_int_equal(report_new("r", &report), 0);
	FIELD_WRITE(report, "verification", ssd_verification, &verification);
	assert_string_equal(document(report), "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<r>\n  <verification>\n"
		"    <blocks>1</blocks>\n    <bytes>0</bytes>\n    <acknowledged>0</acknowledged>\n    <later>0</later>\n"
		"    <is_complete>true</is_complete>\n    <loss kind=\"torn\" count=\"2\"/>\n"
		"    <loss kind=\"old-data\" count=\"18446744073709551615\"/>\n    <first_loss>a &lt; b</first_loss>\n"
		"  </verification>\n</r>\n");
	report_free(report);
}

TEST("an absent value has no element")
{
	const struct ssd_split_values split = {"no tracefs", FIELD_NO_COUNT, FIELD_NO_COUNT, FIELD_NO_COUNT, FIELD_NO_COUNT,
		FIELD_NO_COUNT, FIELD_NO_COUNT, {0}, {0}};
	const struct ssd_steady_values steady = {FIELD_NO_TRUTH, NAN, 0.1, INFINITY};
	struct report *report;

	assert_int_equal(report_new("r", &report), 0);
	FIELD_WRITE(report, "split", ssd_split, &split);
	FIELD_WRITE(report, "steady", ssd_steady, &steady);
	assert_string_equal(document(report), "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<r>\n  <split>\n"
		"    <not_available>no tracefs</not_available>\n  </split>\n  <steady>\n"
		"    <range_percent>0.1</range_percent>\n  </steady>\n</r>\n");
	report_free(report);
}

TEST("what is behind the first alternative of a choice is left out")
{
	const struct pm_kernel_split_values absent = {.not_available = "no perf", .cost_ns_per_fault = 6};
	const struct pm_kernel_split_values measured = {.cost_ns_per_fault = 7};
	struct report *report;

	assert_int_equal(report_new("r", &report), 0);
	FIELD_WRITE(report, "split", pm_kernel_split, &absent);
	FIELD_WRITE(report, "split", pm_kernel_split, &measured);
	assert_non_null(strstr(document(report), "  <split>\n    <not_available>no perf</not_available>\n  </split>\n"
		"  <split>\n    <cost_ns_per_fault>7</cost_ns_per_fault>\n  </split>\n"));
	report_free(report);
}

TEST("a record and its values are found by their names")
{
	const struct field_record *record = ssd_stream_result_record();

	assert_int_equal(record->kind, FIELD_IS_SUBJECT);
	assert_int_equal(field_find(record, "operations")->merge, FIELD_MERGE_SUM);
	assert_string_equal(field_find(record, "depth_achieved")->first, "operations");
	assert_null(field_find(record, "what"));
	assert_ptr_equal(field_root("ssdworkloads"), ssd_document_record());
	assert_null(field_root("what"));
}

TEST("a record is read back by its list")
{
	static const char text[] = "<r><loss kind=\"torn\" count=\"2\"/><loss count=\"3\"/><loss kind=\"x\"/><loss count=\"-1\"/>"
				   "</r>";
	struct report_document *parsed;
	const struct report_node *node;
	const struct field *wrong;
	struct ssd_loss_values loss;
	char why[128];

	assert_int_equal(report_read_memory(text, sizeof(text) - 1, &parsed, why, sizeof(why)), 0);
	node = report_read_root(parsed)->child;
	assert_int_equal(FIELD_READ(node, ssd_loss, &loss, &wrong), 0);
	assert_string_equal(loss.kind, "torn");
	assert_int_equal(loss.count, 2);
	node = node->next;
	assert_int_equal(FIELD_READ(node, ssd_loss, &loss, &wrong), 0);
	assert_null(loss.kind);
	for (int i = 0; i < 2; i++) {
		node = node->next;
		assert_int_equal(FIELD_READ(node, ssd_loss, &loss, &wrong), -EINVAL);
		assert_string_equal(wrong->name, "count");
	}
	report_read_free(parsed);
}
