/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Foreign text in a page: nothing in it ends the element that holds it, and all of it comes back. */
#include "config.h"
#include "tests/unit/unit.h"
#include "memstor/embedded.h"
#include "memstor/html/html.h"
#include "tests/unit/merge_runs.h"

static char *json_of(const char *text, size_t size)
{
	char *json = NULL;
	size_t length;
	FILE *out = open_memstream(&json, &length);

	assert_non_null(out);
	html_write_json(out, text, size);
	assert_int_equal(fclose(out), 0);
	assert_int_equal(strlen(json), length);
	return json;
}

static char *text_of(const char *text)
{
	char *html = NULL;
	size_t length;
	FILE *out = open_memstream(&html, &length);

	assert_non_null(out);
	html_write_text(out, text);
	assert_int_equal(fclose(out), 0);
	return html;
}

TEST("strings are escaped for JSON and for HTML")
{
	static const struct {
		const char *text;
		size_t size;
		const char *json;
	} rows[] = {
#define TEXT(text) text, sizeof(text) - 1
		{TEXT(""), "\"\""},
		{TEXT("plain ~ 1"), "\"plain ~ 1\""},
		{TEXT("</script><script>alert(1)</script>"),
			"\"\\u003c/script\\u003e\\u003cscript\\u003ealert(1)\\u003c/script\\u003e\""},
		{TEXT("<!--<script>"), "\"\\u003c!--\\u003cscript\\u003e\""},
		{TEXT("]]>&amp;"), "\"]]\\u003e\\u0026amp;\""},
		{TEXT("\"\\'`"), "\"\\\"\\\\'`\""},
		{TEXT("a\nb\r\t\x01\x1f\x7f"), "\"a\\nb\\u000d\\u0009\\u0001\\u001f\\u007f\""},
		{TEXT("a\0b"), "\"a\\u0000b\""},
		/* line and paragraph separator, direction overrides, byte order mark */
		{TEXT("\xe2\x80\xa8\xe2\x80\xa9\xe2\x80\xae\xe2\x81\xa6\xef\xbb\xbf"),
			"\"\\u2028\\u2029\\u202e\\u2066\\ufeff\""},
		{TEXT("\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\xf4\x8f\xbf\xbf"),
			"\"\\u00e9\\u20ac\\ud83d\\ude00\\udbff\\udfff\""},
		/* no UTF-8: alone, cut off, too long a form, surrogates, beyond the last */
		{TEXT("\x80\xff\xc3"), "\"\\ufffd\\ufffd\\ufffd\""},
		{TEXT("\xc3<"), "\"\\ufffd\\u003c\""},
		{TEXT("\xe2\x80"), "\"\\ufffd\\ufffd\""},
		{TEXT("\xc0\xbc\xe0\x80\xbc"), "\"\\ufffd\\ufffd\\ufffd\\ufffd\\ufffd\""},
		{TEXT("\xed\xa0\x80"), "\"\\ufffd\\ufffd\\ufffd\""},
		{TEXT("\xf4\x90\x80\x80"), "\"\\ufffd\\ufffd\\ufffd\\ufffd\""},
#undef TEXT
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char *json = json_of(rows[i].text, rows[i].size);

		assert_string_equal(json, rows[i].json);
		free(json);
	}
}

static unsigned hex_at(const char *at)
{
	unsigned value;
	char digits[5];

	snprintf(digits, sizeof(digits), "%.4s", at);
	assert_int_equal(strspn(digits, "0123456789abcdef"), 4);
	value = (unsigned)strtoul(digits, NULL, 16);
	return value;
}

static size_t encode(unsigned code, char *to)
{
	if (code < 0x80) {
		to[0] = (char)code;
		return 1;
	}
	if (code < 0x800) {
		to[0] = (char)(0xc0 | code >> 6);
		to[1] = (char)(0x80 | (code & 0x3f));
		return 2;
	}
	if (code < 0x10000) {
		to[0] = (char)(0xe0 | code >> 12);
		to[1] = (char)(0x80 | (code >> 6 & 0x3f));
		to[2] = (char)(0x80 | (code & 0x3f));
		return 3;
	}
	to[0] = (char)(0xf0 | code >> 18);
	to[1] = (char)(0x80 | (code >> 12 & 0x3f));
	to[2] = (char)(0x80 | (code >> 6 & 0x3f));
	to[3] = (char)(0x80 | (code & 0x3f));
	return 4;
}

/* What a reader of JSON makes of a string; written apart from the writer. */
static size_t parse_json(const char *json, char *text)
{
	size_t size = 0;

	assert_int_equal(*json++, '"');
	while (*json != '"') {
		unsigned code = (unsigned char)*json++;

		assert_true(code >= ' ' && code < 0x7f && !strchr("<>&", (int)code));
		if (code == '\\' && *json == 'u') {
			code = hex_at(json + 1);
			json += 5;
			if (code >= 0xd800 && code < 0xdc00) {
				assert_int_equal(json[0], '\\');
				code = 0x10000 + ((code - 0xd800) << 10) + (hex_at(json + 2) - 0xdc00);
				json += 6;
			}
		} else if (code == '\\') {
			code = *json == 'n' ? '\n' : (unsigned char)*json;
			json++;
		}
		size += encode(code, text + size);
	}
	assert_int_equal(json[1], '\0');
	return size;
}

TEST("every character survives escaping")
{
	char text[4], *back = malloc(64);

	assert_non_null(back);
	for (unsigned code = 0; code <= 0x10ffff; code++) {
		size_t size = encode(code, text);
		char *json;

		if (code >= 0xd800 && code < 0xe000)
			continue;
		json = json_of(text, size);
		assert_int_equal(parse_json(json, back), size);
		assert_memory_equal(back, text, size);
		free(json);
	}
	free(back);
}

TEST("texts in the table are escaped")
{
	static const struct {
		const char *text, *html;
	} rows[] = {
		{"plain", "plain"},
		{"</noscript><script>", "&#x3c;/noscript&#x3e;&#x3c;script&#x3e;"},
		{"\" onclick='a' &lt;", "&#x22; onclick=&#x27;a&#x27; &#x26;lt;"},
		{"a\nb\tc\x1b[0m", "a b c&#xfffd;[0m"},
		{"evil\xe2\x80\xaetxt.exe", "evil&#xfffd;txt.exe"},
		{"\xc3\xa9\xf0\x9f\x98\x80\xff", "&#xe9;&#x1f600;&#xfffd;"},
		{"\xc2\x85\xef\xbb\xbf", "&#xfffd;&#xfffd;"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char *html = text_of(rows[i].text);

		assert_string_equal(html, rows[i].html);
		free(html);
	}
}

#define DATA "<script type=\"application/json\" id=\"memstor-reports\">[]</script>"

TEST("the places for data are found in a page")
{
	static const struct {
		const char *page;
		int err;
	} rows[] = {
		{"<title>t</title><noscript>n</noscript>" DATA "<script>'</noscript><title>'</script>", 0},
		{"<title></title>" DATA, 0},
		{"<title>t</title><noscript>n</noscript>", -EINVAL},
		{"<title>t</title>" DATA DATA, -EINVAL},
		{DATA "<title>t</title>", -EINVAL},
		{"</title><title>" DATA, -EINVAL},
		{"<title>t</title><title>t</title>" DATA, -EINVAL},
		{"<title>t</title><noscript></noscript><noscript></noscript>" DATA, -EINVAL},
		{"</noscript><title>t</title>" DATA, -EINVAL},
		{"<title>t</title><script type=\"application/json\" id=\"memstor-reports\">[1]</script>", -EINVAL},
		{"<title>t</title><script type=\"application/json\" id=\"memstor-reports\">[]", -EINVAL},
		{"", -EINVAL},
	};
	struct html_template page;
	const char *text = rows[0].page;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (html_template_find(rows[i].page, strlen(rows[i].page), &page) != rows[i].err)
			fail_msg("not %d: %s", rows[i].err, rows[i].page);
	}
	assert_int_equal(html_template_find(text, strlen(text), &page), 0);
	assert_memory_equal(text + page.title, "t</title>", 9);
	assert_int_equal(page.title_end, page.title + 1);
	assert_memory_equal(text + page.table - 1, "n</noscript>", 12);
	assert_true(page.has_noscript);
	assert_memory_equal(text + page.data - 1, ">[]<", 4);
	assert_int_equal(page.data_end, page.data + 2);
	text = rows[1].page;
	assert_int_equal(html_template_find(text, strlen(text), &page), 0);
	assert_false(page.has_noscript);
	assert_memory_equal(text + page.table, "<script", 7);
}

TEST("the built-in viewer has the places for data")
{
	struct embedded viewer = embedded_viewer();
	struct html_template page;

	assert_int_equal(html_template_find(viewer.text, viewer.size, &page), 0);
}

/* A row of a report whose texts are markup. */
TEST("a row of the table has no markup of a report")
{
	static const char wanted[] =
		"<tr><td><bdi>a&#x3c;b&#x3e;.xml</bdi></td><td><bdi>ho&#x3c;st&#x26;&#x22;1&#x22;?[0m Fake CPU (R) "
		"&#x3c;tm&#x3e; &#x26; Co</bdi></td>";
	struct fake *run = merge_run(1);
	struct loaded *loaded;
	char *html = NULL;
	size_t length;
	FILE *out = open_memstream(&html, &length);

	assert_non_null(out);
	run->result.accesses_per_second = 1005.25;
	loaded = merge_loaded(run, "a<b>.xml");
	html_write_row(out, loaded);
	assert_int_equal(fclose(out), 0);
	assert_memory_equal(html, wanted, sizeof(wanted) - 1);
	assert_non_null(strstr(html, "<td><bdi>2026-11-20 09:24:29 UTC</bdi></td>"));
	assert_non_null(strstr(html, "<bdi>--mapsize=8192MiB --duration=7200s --label=a=&#x3c;b&#x3e;&#x26;&#x22;c&#x22;</bdi>"));
	assert_non_null(strstr(html, "<td>1005 accesses/s<br>8 faults/s<br>"));
	assert_non_null(strstr(html, "<bdi>untrustworthy: 3 faults are not accounted to an access</bdi></td></tr>\n"));
	assert_null(strstr(html, "<tm>"));
	free(html);
	loaded_free(loaded);
	merge_run_free(run);
}
