/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Any text as a pattern: it is refused with a reason, or draws pages of the set. */
#include "config.h"
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "common/stats/pattern.h"

#define TEXT_MAX 128u
#define DRAWS 50

static void check(bool is_true)
{
	if (!is_true)
		abort();
}

static void fuzz_draws(struct pattern_spec spec, uint64_t pages, bool is_scattered)
{
	const char *why = NULL;
	struct pattern pattern;
	int err = pattern_check(&spec, pages, &why);

	check(err == 0 || (err == -ERANGE && why));
	if (err)
		return;
	spec.is_scattered = is_scattered;
	pattern_init(&pattern, &spec, pages, pages, 1);
	for (int i = 0; i < DRAWS; i++)
		check(pattern.next(&pattern) < pages);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The first 8 bytes choose the set: a number of up to 64 bits, each number of bits equally often ("w......."
 * is 92 pages). The rest is the text. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char text[TEXT_MAX];
	struct pattern_spec spec;
	const char *why = NULL;
	uint64_t pages;
	int err;

	if (size < sizeof(pages) || size - sizeof(pages) >= sizeof(text))
		return 0;
	memcpy(&pages, data, sizeof(pages));
	pages >>= pages & 63;
	size -= sizeof(pages);
	memcpy(text, data + sizeof(pages), size);
	text[size] = '\0';
	err = pattern_parse(text, &spec, &why);
	check(err == 0 || ((err == -EINVAL || err == -ERANGE) && why));
	if (err)
		return 0;
	fuzz_draws(spec, pages, false);
	fuzz_draws(spec, pages, true);
	return 0;
}
