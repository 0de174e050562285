/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "tests/unit/fakeroot.h"

#include <errno.h>
#include "common/base/sysfs.h"

struct expectation {
	const char *text;
	int err;
	const char *value;
};

static int make_root(void **state)
{
	char *root = malloc(64);

	assert_non_null(root);
	fakeroot_make(root);
	*state = root;
	return 0;
}

static int remove_root(void **state)
{
	fakeroot_remove(*state);
	free(*state);
	return 0;
}

TEST_WITH("reads up to the newline", make_root, remove_root)
{
	static const struct expectation cases[] = {
		{"60\n", 0, "60"},
		{"60", 0, "60"},
		{"", 0, ""},
		{"\n\n", 0, ""},
		{"lz4 [zstd] \t\nsecond\n", 0, "lz4 [zstd]"},
		{"123456789012345", 0, "123456789012345"},
		{"1234567890123456", -EOVERFLOW, NULL},
	};
	char value[16];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		snprintf(value, sizeof(value), "untouched");
		fakeroot_put(*state, "/sys/a/value", cases[i].text);
		assert_int_equal(sysfs_read(*state, "/sys/a/value", value, sizeof(value)), cases[i].err);
		assert_string_equal(value, cases[i].value ? cases[i].value : "untouched");
	}
	assert_int_equal(sysfs_read(*state, "/sys/a/none", value, sizeof(value)), -ENOENT);
	assert_int_equal(sysfs_read(*state, "/sys/a", value, sizeof(value)), -EISDIR);
	fakeroot_put_bytes(*state, "/sys/nul", "ab\0cd\n", 6);
	assert_int_equal(sysfs_read(*state, "/sys/nul", value, sizeof(value)), 0);
	assert_string_equal(value, "ab");
}

TEST_WITH("numbers are read from files of sysfs", make_root, remove_root)
{
	static const struct expectation cases[] = {
		{"0\n", 0, "0"},
		{"18446744073709551615\n", 0, "18446744073709551615"},
		{"18446744073709551616\n", -ERANGE, NULL},
		{"99999999999999999999999\n", -ERANGE, NULL},
		{"-1\n", -EINVAL, NULL},
		{"12x\n", -EINVAL, NULL},
		{" 12\n", -EINVAL, NULL},
		{"0x10\n", -EINVAL, NULL},
		{"max\n", -EINVAL, NULL},
		{"\n", -EINVAL, NULL},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint64_t value = 77;

		fakeroot_put(*state, "/n", cases[i].text);
		assert_int_equal(sysfs_read_u64(*state, "/n", &value), cases[i].err);
		assert_int_equal(value, cases[i].value ? strtoull(cases[i].value, NULL, 10) : 77);
	}
}

TEST_WITH("reads the marked choice", make_root, remove_root)
{
	static const struct expectation cases[] = {
		{"always [madvise] never\n", 0, "madvise"},
		{"[tsc]\n", 0, "tsc"},
		{"[]\n", 0, ""},
		{"tsc hpet\n", -EINVAL, NULL},
		{"] [open\n", -EINVAL, NULL},
		{"[a-name-that-is-too-long]\n", -EOVERFLOW, NULL},
	};
	char value[16];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		snprintf(value, sizeof(value), "untouched");
		fakeroot_put(*state, "/c", cases[i].text);
		assert_int_equal(sysfs_read_choice(*state, "/c", value, sizeof(value)), cases[i].err);
		assert_string_equal(value, cases[i].value ? cases[i].value : "untouched");
	}
}

TEST_WITH("writes existing files only", make_root, remove_root)
{
	char value[16];

	fakeroot_put(*state, "/w", "600000\n");
	assert_int_equal(sysfs_write(*state, "/w", "1"), 0);
	assert_int_equal(sysfs_read(*state, "/w", value, sizeof(value)), 0);
	assert_string_equal(value, "1");
	assert_int_equal(sysfs_write(*state, "/new", "1"), -ENOENT);
	assert_int_equal(sysfs_read(*state, "/new", value, sizeof(value)), -ENOENT);
}

TEST_WITH("slurps up to the limit", make_root, remove_root)
{
	size_t sizes[] = {0, 1, 16383, 16384, 16385, 100000};
	char *text = NULL, *bytes = malloc(100000);
	size_t length = 0;

	for (size_t i = 0; i < 100000; i++)
		bytes[i] = (char)(i * 31);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		fakeroot_put_bytes(*state, "/long", bytes, sizes[i]);
		assert_int_equal(sysfs_slurp(*state, "/long", sizes[i], &text, &length), 0);
		assert_int_equal(length, sizes[i]);
		assert_memory_equal(text, bytes, length);
		assert_int_equal(text[length], '\0');
		free(text);
		text = NULL;
		if (sizes[i])
			assert_int_equal(sysfs_slurp(*state, "/long", sizes[i] - 1, &text, &length), -EFBIG);
		assert_null(text);
	}
	assert_int_equal(sysfs_slurp(*state, "/none", 10, &text, &length), -ENOENT);
	free(bytes);
}

TEST("reads the real kernel")
{
	char *text;
	size_t length;
	uint64_t limit;

	assert_int_equal(sysfs_read_u64("", "/proc/sys/kernel/pid_max", &limit), 0);
	assert_true(limit > 0);
	assert_int_equal(sysfs_slurp("", "/proc/self/stat", 1 << 20, &text, &length), 0);
	assert_int_equal(strtol(text, NULL, 10), getpid());
	free(text);
}

TEST("refuses a path that is too long")
{
	char *path = malloc(5000);
	char value[8];

	memset(path, '/', 4999);
	path[4999] = '\0';
	assert_int_equal(sysfs_read("", path, value, sizeof(value)), -ENAMETOOLONG);
	free(path);
}

TEST("octal escapes of mount tables are decoded")
{
	static const struct {
		const char *from, *to;
	} cases[] = {{"", ""}, {"/a\\040b", "/a b"}, {"\\134040", "\\040"}, {"\\", "\\"}, {"\\04", "\\04"},
		{"\\400\\378\\0x0", "\\400\\378\\0x0"}, {"\\377", "\377"}, {"x\\011", "x\t"}};
	char text[32];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		snprintf(text, sizeof(text), "%s", cases[i].from);
		sysfs_unescape(text);
		assert_string_equal(text, cases[i].to);
	}
}

TEST("a field is found at the beginning of a line, behind a colon or blanks")
{
	static const char text[] = "flags\t\t: fpu vme\nMemFree:  12 kB\npgfault 7\nMem:";

	assert_memory_equal(sysfs_field(text, "flags"), "fpu", 3);
	assert_memory_equal(sysfs_field(text, "MemFree"), "12 kB", 5);
	assert_memory_equal(sysfs_field(text, "pgfault"), "7\n", 2);
	assert_string_equal(sysfs_field(text, "Mem"), "");
	assert_null(sysfs_field(text, "flag"));
	assert_null(sysfs_field(text, "vme"));
	assert_null(sysfs_field(text, "Mem:x"));
	assert_null(sysfs_field("Mem", "Mem"));
}

TEST("a word is found between separators, not within other words")
{
	assert_true(sysfs_has_word("memory", ",", "memory"));
	assert_true(sysfs_has_word("cpu,memory,io", ",", "memory"));
	assert_true(sysfs_has_word(" cpu  memory ", " ", "memory"));
	assert_true(sysfs_has_word("rw,memory\tcpu", ",\t", "cpu"));
	assert_false(sysfs_has_word("memoryless,hugememory", ",", "memory"));
	assert_false(sysfs_has_word("cpu memory", ",", "memory"));
	assert_false(sysfs_has_word("", ",", "memory"));
	assert_false(sysfs_has_word(",,", ",", ""));
}
