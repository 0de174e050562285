/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "tests/unit/fakeroot.h"

#include <inttypes.h>
#include <unistd.h>

#include "memtrace/code/instruction.h"
#include "memtrace/code/jit.h"

/* "Generated" code of this process: mov (%rdi),%rax; add %rbx,%rax; ret */
static uint8_t code[] = {0x48, 0x8b, 0x07, 0x48, 0x01, 0xd8, 0xc3, 0x90};
#define CODE ((uint64_t)(uintptr_t)code)

static char root[64], map_path[128];

static int set_up(void **state)
{
	char path[128];

	(void)state;
	fakeroot_make(root);
	snprintf(path, sizeof(path), "/proc/%d/status", (int)getpid());
	fakeroot_put(root, path, "Name:\tunit\nNSpid:\t4711\t17\nNSpgid:\t4711\t17\n");
	snprintf(map_path, sizeof(map_path), "/proc/%d/root/tmp/perf-17.map", (int)getpid());
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	fakeroot_remove(root);
	return 0;
}

UNIT_GROUP(set_up, tear_down)

static void put_map(const char *before, const char *after)
{
	char text[512];

	snprintf(text, sizeof(text), "%s%" PRIx64 " %zx function one\n%s", before, CODE, sizeof(code), after);
	fakeroot_put(root, map_path, text);
}

TEST("generated code is found by the map that its program writes, by its number in its own namespace")
{
	struct image *image;
	unsigned back = 0;
	struct jit *jit;

	if (instruction_why_not())
		skip();
	assert_int_equal(jit_new(root, &jit), 0);
	assert_null(jit_image(jit, (uint32_t)getpid(), CODE + 3));
	put_map("nonsense\n10 zz name\n10 20\nffffffffffffffff 10 wraps\n", "10 20 cut o");
	image = jit_image(jit, (uint32_t)getpid(), CODE + 3);
	assert_non_null(image);
	assert_int_equal(image_before(image, CODE + 3, &back), IMAGE_FOUND);
	assert_int_equal(back, 3);
	assert_int_equal(image_before(image, CODE + 4, &back), IMAGE_NO_CODE);
	assert_int_equal(image_block(image, CODE + 6, 9), 0);
	/* The same code is not read anew; another one at its place is. */
	assert_ptr_equal(jit_image(jit, (uint32_t)getpid(), CODE + 6), image);
	code[0] = 0x90;
	image = jit_image(jit, (uint32_t)getpid(), CODE + 3);
	assert_int_equal(image_before(image, CODE + 1, &back), IMAGE_FOUND);
	code[0] = 0x48;
	assert_null(jit_image(jit, (uint32_t)getpid(), CODE + sizeof(code)));
	assert_null(jit_image(jit, (uint32_t)getpid(), CODE - 1));
	assert_null(jit_image(jit, (uint32_t)getpid() + 1, CODE));
	jit_free(jit);
}

TEST("a later line of the map replaces an earlier one, and what cannot be read is no code")
{
	char later[128];
	struct jit *jit;

	if (instruction_why_not())
		skip();
	assert_int_equal(jit_new(root, &jit), 0);
	put_map("", "");
	assert_non_null(jit_image(jit, (uint32_t)getpid(), CODE + 6));
	snprintf(later, sizeof(later), "%" PRIx64 " 3 shorter\n10 20 below\n", CODE);
	put_map("", later);
	assert_null(jit_image(jit, (uint32_t)getpid(), CODE + 6));
	assert_non_null(jit_image(jit, (uint32_t)getpid(), CODE + 2));
	assert_null(jit_image(jit, (uint32_t)getpid(), 0x15));
	fakeroot_put(root, map_path, "10 20 begun anew\n");
	assert_null(jit_image(jit, (uint32_t)getpid(), CODE + 2));
	jit_free(jit);
}
