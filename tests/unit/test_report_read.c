/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "common/report/report_read.h"
#include "tests/unit/unit.h"

static int read_text(const char *text, struct report_document **document, char *why)
{
	return report_read_memory(text, strlen(text), document, why, 256);
}

TEST("the tree equals the written document")
{
	static const char text[] = "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n"
				   "<r><!-- no -->\n<a x=\"1\" y=\"&lt;&amp;\">\n  one "
				   "<b/>two\t\n</a>\n<c/><a>  </a><a><d>7</d></a></r>";
	struct report_document *document;
	const struct report_node *root, *a;
	char why[256];
	uint64_t value;

	assert_int_equal(read_text(text, &document, why), 0);
	root = report_read_root(document);
	assert_string_equal(root->name, "r");
	assert_null(root->parent);
	a = report_read_find(root, "a");
	assert_string_equal(a->text, "one two");
	assert_string_equal(report_read_attribute(a, "y"), "<&");
	assert_null(report_read_attribute(a, "z"));
	assert_int_equal(a->line, 3);
	assert_ptr_equal(a->parent, root);
	assert_string_equal(a->child->name, "b");
	a = report_read_next(a);
	assert_string_equal(a->text, "");
	assert_null(report_read_next(report_read_next(a)));
	/* The first <a> has no <d>. */
	assert_int_equal(report_read_u64(root, "a/d", &value), 0);
	assert_int_equal(value, 7);
	assert_null(report_read_find(root, "a/d/e"));
	assert_null(report_read_find(root, "ab"));
	report_read_free(document);
}

TEST("a byte order mark is skipped")
{
	struct report_document *document;
	char why[256];

	assert_int_equal(read_text("\xef\xbb\xbf<?xml version=\"1.0\"?>\n<r>\xef\xbb\xbf</r>", &document, why), 0);
	assert_int_equal(report_read_root(document)->line, 2);
	assert_string_equal(report_read_root(document)->text, "\xef\xbb\xbf");
	report_read_free(document);
	assert_int_equal(read_text("\xef\xbb\xbf", &document, why), -EBADMSG);
	assert_int_equal(read_text("\xef\xbb\xbf\xef\xbb\xbf<r/>", &document, why), -EBADMSG);
}

TEST("a number in a report is read strictly")
{
	struct report_document *document;
	const struct report_node *root;
	char why[256];
	uint64_t value = 5;
	double real;

	assert_int_equal(
		read_text("<r><big>18446744073709551615</big><over>18446744073709551616</over><neg>-1</neg>"
			  "<junk>1x</junk><none/><real>-1.5e-3</real></r>",
			&document, why),
		0);
	root = report_read_root(document);
	assert_int_equal(report_read_u64(root, "big", &value), 0);
	assert_true(value == UINT64_MAX);
	assert_int_equal(report_read_u64(root, "over", &value), -ERANGE);
	assert_int_equal(report_read_u64(root, "neg", &value), -EINVAL);
	assert_int_equal(report_read_u64(root, "junk", &value), -EINVAL);
	assert_int_equal(report_read_u64(root, "none", &value), -EINVAL);
	assert_int_equal(report_read_u64(root, "absent", &value), -ENOENT);
	assert_null(report_read_find(root, "bi"));
	assert_true(value == UINT64_MAX);
	assert_int_equal(report_read_double(root, "real", &real), 0);
	assert_true(real == -1.5e-3);
	assert_int_equal(report_read_double(root, "junk", &real), -EINVAL);
	report_read_free(document);
}

TEST("refusals name the reason and the line")
{
	static const struct {
		const char *text, *why; /* how the message begins: the rest is libxml2's */
	} cases[] = {
		{"", "the file is empty"},
		{"<r>\n<a>\n</r>", "line 3: not well-formed XML: "},
		{"<r/><r/>", "line 1: not well-formed XML: "},
		{"{}", "line 1: this is JSON; only XML is read"},
		{"a,b\n", "line 1: not XML"},
		{"\x4c\x6f\xa7\x94", "line 1: not XML"},
		{"<!DOCTYPE r [<!ENTITY e SYSTEM \"/etc/passwd\">]><r>&e;</r>",
			"line 1: a report has no document type and no entities"},
		{"<r>\n<a>1</a>\n<b>2</", "line 3: not well-formed XML: "},
		{"<?xml version=\"1.0\"?>", "line 1: not well-formed XML: "},
		{"<r>&e;</r>", "line 1: not well-formed XML: Entity 'e' "},
		{"<r>\xff</r>", NULL},
		{"<r>&#1;</r>", NULL},
		{"<r><a></a>", NULL},
		{"<r a=\"1\" a=\"2\"/>", NULL},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct report_document *document = NULL;
		char why[256] = "";

		assert_int_equal(read_text(cases[i].text, &document, why), -EBADMSG);
		assert_null(document);
		assert_true(why[0] && !strchr(why, '\n'));
		if (cases[i].why)
			assert_memory_equal(why, cases[i].why, strlen(cases[i].why));
	}
}

TEST("other encodings do not bypass the checks")
{
	/* A document type in UTF-16, and one in ASCII under a declaration that says otherwise. */
	static const char utf16[] = "\xff\xfe<\0!\0D\0O\0C\0T\0Y\0P\0E\0 \0r\0>\0<\0r\0/\0>\0";
	struct report_document *document;
	char why[256];

	assert_int_equal(report_read_memory(utf16, sizeof(utf16) - 1, &document, why, sizeof(why)), -EBADMSG);
	assert_int_equal(
		read_text("<?xml version=\"1.0\" encoding=\"UTF-7\"?><r>+ADw-x/+AD4-</r>", &document, why),
		0);
	assert_string_equal(report_read_root(document)->text, "+ADw-x/+AD4-");
	report_read_free(document);
}

TEST("a report that is too deep or too large is refused")
{
	struct report_document *document;
	size_t size = 65u << 20;
	char *text = malloc(size + 1), *to = text;
	char why[256];

	for (int i = 0; i < 65; i++)
		to = stpcpy(to, "<a>");
	for (int i = 0; i < 65; i++)
		to = stpcpy(to, "</a>");
	assert_int_equal(read_text(text, &document, why), -EBADMSG);
	assert_string_equal(why, "line 1: elements are nested more than 64 deep");

	to = stpcpy(text, "<a ");
	for (int i = 0; i < 20000; i++)
		to += snprintf(to, 32, "a%d=\"\" ", i);
	stpcpy(to, "/>");
	assert_int_equal(read_text(text, &document, why), -EBADMSG);
	assert_string_equal(why, "line 1: more than 64 KiB from one tag to the next");

	to = stpcpy(text, "<a>");
	for (int i = 0; i < 4000000; i++)
		to = stpcpy(to, "<b/>");
	stpcpy(to, "</a>");
	assert_int_equal(read_text(text, &document, why), -EBADMSG);
	assert_string_equal(why, "line 1: more than 4000000 elements");

	memset(text, ' ', size);
	assert_int_equal(report_read_memory(text, size, &document, why, sizeof(why)), -EBADMSG);
	assert_string_equal(why, "larger than 64 MiB");
	free(text);
}

/* Beyond 10 MB and 65535 lines, where libxml2 has limits of its own. */
TEST("a report of 70 MB and 800000 lines is read")
{
	struct report_document *document;
	char *text = malloc(70u << 20), *to = stpcpy(text, "<r>\n");
	const struct report_node *node;
	char why[256] = "";
	unsigned count = 0;

	for (int i = 0; i < 800000; i++)
		to = stpcpy(to, "<bucket lo=\"123456789\" hi=\"1234567890\" count=\"12345\">text of the "
				"bucket</bucket>\n");
	stpcpy(to, "</r>");
	assert_int_equal(read_text(text, &document, why), 0);
	free(text);
	for (node = report_read_find(report_read_root(document), "bucket"); node;
		node = report_read_next(node)) {
		assert_string_equal(node->text, "text of the bucket");
		count++;
	}
	assert_int_equal(count, 800000);
	report_read_free(document);
}

TEST("a report of the original pmbench is read")
{
	static const struct {
		const char *name;
		uint64_t threads, samples;
		const char *items;
	} files[] = {
		{"linear-r100", 1, 37330000, "pre-warmup pre-run mid-run post-run post-unmap "},
		{"normal-j2-r80-cold", 2, 15330000 + 15340000, "pre-run mid-run post-run post-unmap "},
		{"uniform-swap", 1, 300000, "pre-run mid-run post-run post-unmap "},
		{"uniform", 1, 0, NULL},
	};

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		struct report_document *document;
		const struct report_node *root, *node;
		char path[512], why[256], items[256] = "", *end = items;
		uint64_t value, samples = 0, threads = 0, counted = 0;

		snprintf(path, sizeof(path), "%s/tests/fixtures/pmbench-original/%s.xml", unit_srcdir(),
			files[i].name);
		assert_int_equal(report_read_file(path, &document, why, sizeof(why)), 0);
		root = report_read_root(document);
		assert_string_equal(root->name, "pmbenchmark");
		for (node = report_read_find(root, "report/result/result_thread"); node;
			node = report_read_next(node)) {
			assert_int_equal(report_read_u64(node, "result_details/details_samples", &value), 0);
			samples += value;
			threads++;
		}
		assert_int_equal(threads, files[i].threads);
		if (files[i].samples)
			assert_int_equal(samples, files[i].samples);
		for (node = report_read_find(root, "report/statistics/histogram"); node;
			node = report_read_next(node)) {
			const struct report_node *bucket = report_read_find(node, "histo_bucket");

			for (; bucket; bucket = report_read_next(bucket)) {
				assert_int_equal(report_read_u64(bucket, "sum_count", &value), 0);
				counted += value;
			}
		}
		assert_int_equal(counted, samples);
		for (node = report_read_find(root, "report/sys_mem_info/sys_mem_item"); node;
			node = report_read_next(node)) {
			end = stpcpy(stpcpy(end, report_read_attribute(node, "name")), " ");
		}
		if (files[i].items)
			assert_string_equal(items, files[i].items);
		report_read_free(document);
	}
}

TEST("unreadable files are refused")
{
	struct report_document *document;
	char why[256], small[8];

	assert_int_equal(report_read_file("/nonexistent.xml", &document, why, sizeof(why)), -ENOENT);
	assert_string_equal(why, "/nonexistent.xml: No such file or directory");
	assert_int_equal(report_read_file("/", &document, why, sizeof(why)), -EISDIR);
	assert_int_equal(report_read_file("/dev/null", &document, why, sizeof(why)), -ENODEV);
	assert_string_equal(why, "/dev/null: is a device or socket (a file or an open pipe is read)");
	assert_int_equal(report_read_file("/dev/zero", &document, small, sizeof(small)), -ENODEV);
	assert_string_equal(small, "/dev/ze");
}
