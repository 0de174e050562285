/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "tests/unit/fakeroot.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/sysmacros.h>
#include "pmbench/memory/mapping.h"

#define PAGES 64

static size_t page_bytes(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

TEST("a kind of map is parsed, others are refused")
{
	static const struct {
		const char *text;
		enum mapping_kind kind;
	} good[] = {{"anon", MAPPING_ANONYMOUS}, {"shared", MAPPING_SHARED}, {"memfd", MAPPING_MEMFD},
		{"file:/a/b:c", MAPPING_FILE}, {"hugetlb", MAPPING_HUGETLB}};
	static const char *const bad[] = {"", "file", "file:", "anonymous", "anon ", "hugetlb:2M", "Anon"};
	struct mapping_request request = {.wants_thp = true};
	const char *why = NULL;
	char long_path[300] = "file:";

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		assert_int_equal(mapping_parse_kind(good[i].text, &request, &why), 0);
		assert_int_equal(request.kind, good[i].kind);
		assert_int_equal(strncmp(good[i].text, mapping_kind_name(request.kind), strcspn(good[i].text, ":")), 0);
	}
	assert_string_equal(request.path, "/a/b:c");
	assert_true(request.wants_thp);
	assert_null(why);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		why = NULL;
		assert_int_equal(mapping_parse_kind(bad[i], &request, &why), -EINVAL);
		assert_non_null(strstr(why, "file:PATH"));
		assert_int_equal(request.kind, MAPPING_HUGETLB);
	}
	memset(long_path + 5, 'x', 255);
	assert_int_equal(mapping_parse_kind(long_path, &request, &why), 0);
	long_path[260] = 'x';
	assert_int_equal(mapping_parse_kind(long_path, &request, &why), -ERANGE);
}

TEST("a kind of content is parsed, others are refused")
{
	static const struct {
		const char *text;
		enum mapping_content content;
		double percent;
	} good[] = {{"none", CONTENT_NONE, 0}, {"random", CONTENT_RANDOM, 0}, {"ptr", CONTENT_POINTER, 0},
		{"zero", CONTENT_ZERO, 0}, {"ratio:0", CONTENT_RATIO, 0}, {"ratio:33.5", CONTENT_RATIO, 33.5},
		{"ratio:100", CONTENT_RATIO, 100}};
	static const struct {
		const char *text;
		int err;
	} bad[] = {{"", -EINVAL}, {"ratio", -EINVAL}, {"ratio:", -EINVAL}, {"ratio:x", -EINVAL}, {"ratio:101", -ERANGE},
		{"ratio:-1", -ERANGE}, {"rnd", -EINVAL}, {"ratio:50%", -EINVAL}};
	const char *why = NULL;

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		struct mapping_request request = {.kind = MAPPING_SHARED};

		assert_int_equal(mapping_parse_content(good[i].text, &request, &why), 0);
		assert_int_equal(request.content, good[i].content);
		assert_true(request.compressible_percent == good[i].percent);
		assert_int_equal(request.kind, MAPPING_SHARED);
		assert_int_equal(strncmp(good[i].text, mapping_content_name(request.content),
			strcspn(good[i].text, ":")), 0);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct mapping_request request = {.content = CONTENT_ZERO};

		why = NULL;
		assert_int_equal(mapping_parse_content(bad[i].text, &request, &why), bad[i].err);
		assert_non_null(why);
		assert_int_equal(request.content, CONTENT_ZERO);
	}
}

static void open_map(const struct mapping_request *request, struct mapping *mapping)
{
	assert_int_equal(mapping_open(request, PAGES * page_bytes(), true, mapping), 0);
	assert_int_equal(mapping->bytes, PAGES * page_bytes());
}

/* Every kind is zero before it is filled, and holds what is written. */
TEST("each kind of map keeps what is written")
{
	enum mapping_kind kinds[] = {MAPPING_ANONYMOUS, MAPPING_SHARED, MAPPING_MEMFD, MAPPING_FILE};
	char root[64];

	fakeroot_make(root);
	for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++) {
		struct mapping_request request = {.kind = kinds[k]};
		struct mapping mapping;

		snprintf(request.path, sizeof(request.path), "%s/map", root);
		open_map(&request, &mapping);
		for (size_t i = 0; i < mapping.bytes; i += 512)
			assert_int_equal(((char *)mapping.base)[i], 0);
		memset(mapping.base, 'x', mapping.bytes);
		assert_int_equal(((char *)mapping.base)[mapping.bytes - 1], 'x');
		assert_int_equal(access(request.path, F_OK), -1);
		mapping_close(&mapping);
		mapping_close(&mapping);
		assert_int_equal(access(request.path, F_OK), -1);
	}
	fakeroot_remove(root);
}

/* Two mappings of the same new file are two files, blocks allocated. */
TEST("a new file is allocated and private")
{
	struct mapping_request request = {.kind = MAPPING_FILE};
	struct mapping one, two;
	struct stat status;
	char root[64];

	fakeroot_make(root);
	snprintf(request.path, sizeof(request.path), "%s/map", root);
	open_map(&request, &one);
	open_map(&request, &two);
	assert_int_equal(fstat(one.fd, &status), 0);
	assert_int_equal(status.st_size, PAGES * page_bytes());
	assert_true((size_t)status.st_blocks * 512 >= PAGES * page_bytes());
	assert_int_equal(status.st_nlink, 0);
	memset(one.base, 'x', one.bytes);
	assert_int_equal(*(char *)two.base, 0);
	mapping_close(&one);
	mapping_close(&two);
	fakeroot_remove(root);
}

TEST("an existing file is only read")
{
	struct mapping_request request = {.kind = MAPPING_FILE};
	size_t bytes = PAGES * page_bytes();
	char *content = malloc(bytes);
	struct mapping mapping;
	char root[64], why[256];

	fakeroot_make(root);
	memset(content, 'y', bytes);
	fakeroot_put_bytes(root, "/old", content, bytes);
	snprintf(request.path, sizeof(request.path), "%s/old", root);
	assert_int_equal(mapping_open(&request, bytes, true, &mapping), -EEXIST);
	request.content = CONTENT_RANDOM;
	assert_int_equal(mapping_open(&request, bytes, false, &mapping), -EEXIST);
	request.content = CONTENT_NONE;
	assert_int_equal(mapping_open(&request, bytes + page_bytes(), false, &mapping), -ERANGE);
	assert_int_equal(mapping_open(&request, bytes, false, &mapping), 0);
	assert_memory_equal(mapping.base, content, bytes);
	assert_int_equal(fcntl(mapping.fd, F_GETFL) & O_ACCMODE, O_RDONLY);
	assert_int_equal(mprotect(mapping.base, page_bytes(), PROT_READ | PROT_WRITE), -1);
	mapping_close(&mapping);

	assert_int_equal(mapping_check(&request, bytes, 1, false, why, sizeof(why)), 0);
	assert_int_equal(mapping_check(&request, bytes, 1, true, why, sizeof(why)), -EEXIST);
	assert_non_null(strstr(why, "exists and would be written"));
	assert_int_equal(mapping_check(&request, bytes + 1, 1, false, why, sizeof(why)), -ERANGE);
	free(content);
	fakeroot_remove(root);
}

/* Nodes of our own below a folder of our own: a mistake in the code under test, run by root, must not reach the
 * machine's devices. */
static void make_nodes(const char *root)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/folder", root);
	assert_int_equal(mkdir(path, 0700), 0);
	snprintf(path, sizeof(path), "%s/fifo", root);
	assert_int_equal(mkfifo(path, 0600), 0);
	snprintf(path, sizeof(path), "%s/device", root);
	/* The null device where we may, otherwise another fifo. */
	assert_true(!mknod(path, S_IFCHR | 0600, makedev(1, 3)) || !mkfifo(path, 0600));
}

TEST("a map of a folder, FIFO or device is refused")
{
	static const char *const nodes[] = {"folder", "fifo", "device"};
	struct mapping_request request = {.kind = MAPPING_FILE};
	struct mapping mapping;
	char root[64], why[256];

	fakeroot_make(root);
	make_nodes(root);
	for (size_t i = 0; i < sizeof(nodes) / sizeof(nodes[0]); i++) {
		snprintf(request.path, sizeof(request.path), "%s/%s", root, nodes[i]);
		assert_int_equal(mapping_open(&request, page_bytes(), true, &mapping), -EEXIST);
		assert_int_equal(mapping_open(&request, page_bytes(), false, &mapping), -EINVAL);
		assert_int_equal(mapping_check(&request, page_bytes(), 1, false, why, sizeof(why)), -EINVAL);
		assert_non_null(strstr(why, "not a regular file"));
		assert_int_equal(access(request.path, F_OK), 0);
	}
	fakeroot_remove(root);
}

TEST("paths that cannot be used are refused")
{
	struct mapping_request request = {.kind = MAPPING_FILE};
	struct mapping mapping;
	char root[64], why[256];

	fakeroot_make(root);
	snprintf(request.path, sizeof(request.path), "%s/none/map", root);
	assert_int_equal(mapping_check(&request, page_bytes(), 1, true, why, sizeof(why)), -ENOENT);
	assert_int_equal(mapping_open(&request, page_bytes(), true, &mapping), -ENOENT);
	snprintf(request.path, sizeof(request.path), "%s/map", root);
	assert_int_equal(mapping_check(&request, page_bytes(), 1, true, why, sizeof(why)), 0);
	assert_int_equal(mapping_check(&request, (size_t)1 << 60, 1, true, why, sizeof(why)), -ENOSPC);
	assert_non_null(strstr(why, "MiB"));
	assert_int_equal(access(request.path, F_OK), -1);
	fakeroot_remove(root);
}

/* A new file is made by a name that is free: what a link promises is said before, for reading as for writing. */
TEST("links to missing files are refused")
{
	struct mapping_request request = {.kind = MAPPING_FILE};
	struct mapping mapping;
	char root[64], why[512], target[80];

	fakeroot_make(root);
	snprintf(request.path, sizeof(request.path), "%s/link", root);
	snprintf(target, sizeof(target), "%s/target", root);
	assert_int_equal(symlink("target", request.path), 0);
	for (int is_writable = 0; is_writable < 2; is_writable++) {
		assert_int_equal(mapping_check(&request, page_bytes(), 1, is_writable, why, sizeof(why)), -EEXIST);
		assert_non_null(strstr(why, "/link is a link to a file that does not exist: name that file"));
		assert_true(mapping_open(&request, page_bytes(), is_writable, &mapping) < 0);
	}
	assert_int_equal(access(target, F_OK), -1);
	fakeroot_put(root, "/target", "x");
	assert_int_equal(mapping_check(&request, 1, 1, false, why, sizeof(why)), 0);
	assert_int_equal(unlink(request.path), 0);
	assert_int_equal(symlink("link", request.path), 0);
	assert_int_equal(mapping_check(&request, 1, 1, true, why, sizeof(why)), -ELOOP);
	fakeroot_remove(root);
}

/* As root: a link that an ordinary user has put on the way, to a folder as to a file. */
TEST("links of other users are not followed")
{
	struct mapping_request request = {.kind = MAPPING_FILE};
	size_t bytes = page_bytes();
	char root[64], way[80], why[512], *content;
	struct mapping mapping;

	if (geteuid())
		skip();
	fakeroot_make(root);
	content = calloc(1, bytes);
	assert_non_null(content);
	fakeroot_put_bytes(root, "/private/old", content, bytes);
	free(content);
	snprintf(way, sizeof(way), "%s/way", root);
	assert_int_equal(symlink("private", way), 0);
	for (int is_foreign = 0; is_foreign < 2; is_foreign++) {
		if (is_foreign && lchown(way, 65534, 65534))
			skip();
		snprintf(request.path, sizeof(request.path), "%s/new", way);
		assert_int_equal(mapping_check(&request, bytes, 1, true, why, sizeof(why)), is_foreign ? -EINVAL : 0);
		assert_true(!is_foreign || strstr(why, "symbolic link of another user"));
		assert_int_equal(mapping_open(&request, bytes, true, &mapping), is_foreign ? -EACCES : 0);
		if (!is_foreign)
			mapping_close(&mapping);
		snprintf(request.path, sizeof(request.path), "%s/old", way);
		assert_int_equal(mapping_check(&request, bytes, 1, false, why, sizeof(why)), is_foreign ? -EINVAL : 0);
		assert_int_equal(mapping_open(&request, bytes, false, &mapping), is_foreign ? -EACCES : 0);
		if (!is_foreign)
			mapping_close(&mapping);
	}
	fakeroot_remove(root);
}

TEST("a file that does not fit leaves nothing")
{
	struct mapping_request request = {.kind = MAPPING_FILE};
	struct mapping mapping;
	char root[64];

	fakeroot_make(root);
	snprintf(request.path, sizeof(request.path), "%s/map", root);
	assert_true(mapping_open(&request, (size_t)1 << 60, true, &mapping) < 0);
	assert_int_equal(access(request.path, F_OK), -1);
	fakeroot_remove(root);
}

TEST("read only maps cannot be written")
{
	struct mapping_request request = {.kind = MAPPING_ANONYMOUS};
	struct mapping mapping;
	int fds[2];

	assert_int_equal(pipe(fds), 0);
	assert_int_equal(write(fds[1], "x", 1), 1);
	assert_int_equal(mapping_open(&request, page_bytes(), false, &mapping), 0);
	/* The kernel's own write says EFAULT where ours would die. */
	assert_int_equal(read(fds[0], mapping.base, 1), -1);
	assert_int_equal(errno, EFAULT);
	mapping_close(&mapping);
	/* Filling before a run that only reads needs to write. */
	request.content = CONTENT_RANDOM;
	assert_int_equal(mapping_open(&request, page_bytes(), false, &mapping), 0);
	mapping_fill(&mapping, 1);
	mapping_close(&mapping);
	close(fds[0]);
	close(fds[1]);
}

/* More huge pages than any machine has: refused with the remedy; the same by the kernel. */
TEST("the refusal of hugetlb names the remedy")
{
	struct mapping_request request = {.kind = MAPPING_HUGETLB};
	struct mapping mapping;
	char why[256];
	int err = mapping_check(&request, (size_t)1 << 46, 4, true, why, sizeof(why));

	if (err == -ENOTSUP || unit_is_emulated())
		skip();
	assert_int_equal(err, -ENOMEM);
	assert_non_null(strstr(why, "/proc/sys/vm/nr_hugepages"));
	assert_int_equal(mapping_open(&request, (size_t)1 << 46, true, &mapping), -ENOMEM);
}
