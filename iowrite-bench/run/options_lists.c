/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Options whose values are lists: of words, of sizes. */
#include "config.h"
#include "iowrite-bench/run/option_rows.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/units.h"

#define WORD 64
#define LIST_TEXT 1024
#define SIZE_MAX_BYTES (1ull << 40) /* of one write: write(2) itself takes 2 GiB at a time */

/* Takes each word of "a,b,c": add returns 0 or -errno. -EINVAL for an empty word as well. */
static int each_word(const char *text, struct run_options *options,
	int (*add)(struct run_options *options, const char *word, const char **why), const char **why)
{
	char copy[LIST_TEXT];
	char *rest = copy;
	int rc = 0;

	if (strlen(text) >= sizeof(copy))
		return -EINVAL;
	snprintf(copy, sizeof(copy), "%s", text);
	while (rest && !rc)
		rc = add(options, strsep(&rest, ","), why);
	return rc;
}

/* Whether there is room for one more that is not there yet; doubles would measure the same twice. */
#define ADD(list, count, value, why)                                                                         \
	do {                                                                                                 \
		for (size_t i_ = 0; i_ < (count); i_++) {                                                    \
			if ((list)[i_] == (value)) {                                                         \
				*(why) = "names something twice";                                            \
				return -EINVAL;                                                              \
			}                                                                                    \
		}                                                                                            \
		if ((count) == sizeof(list) / sizeof((list)[0]))                                             \
			return -EINVAL;                                                                      \
		(list)[(count)++] = (value);                                                                 \
	} while (0)

static int add_method(struct run_options *options, const char *word, const char **why)
{
	const struct method *method = method_of(word);

	if (!method)
		return -EINVAL;
	ADD(options->methods, options->method_count, method, why);
	return 0;
}

int option_set_methods(struct run_options *options, const char *text, const char **why)
{
	options->method_count = 0;
	return each_word(text, options, add_method, why);
}

static int add_mode(struct run_options *options, const char *word, const char **why)
{
	for (int mode = 0; mode < OP_MODES; mode++) {
		if (strcmp(op_mode_name((enum op_mode)mode), word))
			continue;
		ADD(options->modes, options->mode_count, (enum op_mode)mode, why);
		return 0;
	}
	return -EINVAL;
}

int option_set_modes(struct run_options *options, const char *text, const char **why)
{
	options->mode_count = 0;
	return each_word(text, options, add_mode, why);
}

static int add_sync(struct run_options *options, const char *word, const char **why)
{
	const struct method_sync *sync = method_sync_of(word);

	if (!sync)
		return -EINVAL;
	ADD(options->syncs, options->sync_count, sync, why);
	return 0;
}

int option_set_syncs(struct run_options *options, const char *text, const char **why)
{
	options->sync_count = 0;
	return each_word(text, options, add_sync, why);
}

static int add_regime(struct run_options *options, const char *word, const char **why)
{
	for (int regime = 0; regime < OP_REGIMES; regime++) {
		if (strcmp(op_regime_name((enum op_regime)regime), word))
			continue;
		ADD(options->regimes, options->regime_count, (enum op_regime)regime, why);
		return 0;
	}
	return -EINVAL;
}

int option_set_regimes(struct run_options *options, const char *text, const char **why)
{
	options->regime_count = 0;
	return each_word(text, options, add_regime, why);
}

static int add_order(struct run_options *options, const char *word, const char **why)
{
	for (int order = 0; order < RUN_ORDERS; order++) {
		if (strcmp(run_order_name((enum run_order)order), word))
			continue;
		ADD(options->orders, options->order_count, (enum run_order)order, why);
		return 0;
	}
	return -EINVAL;
}

int option_set_orders(struct run_options *options, const char *text, const char **why)
{
	options->order_count = 0;
	return each_word(text, options, add_order, why);
}

/* --- sizes --- */

static int add_size(struct run_options *options, struct run_size size, const char **why)
{
	if (!size.low || size.high > SIZE_MAX_BYTES || size.low > size.high)
		return -EINVAL;
	for (size_t i = 0; i < options->size_count; i++) {
		if (options->sizes[i].low == size.low && options->sizes[i].high == size.high) {
			*why = "names something twice";
			return -EINVAL;
		}
	}
	if (options->size_count == RUN_SIZES_MAX) {
		*why = "at most 32 sizes";
		return -EINVAL;
	}
	options->sizes[options->size_count++] = size;
	return 0;
}

static int add_one_size(struct run_options *options, const char *word, const char **why)
{
	struct run_size size;

	if (units_parse_size(word, 1, &size.low))
		return -EINVAL;
	size.high = size.low;
	return add_size(options, size, why);
}

int option_set_sizes(struct run_options *options, const char *text, const char **why)
{
	options->size_count = 0;
	return each_word(text, options, add_one_size, why);
}

static int add_every(struct run_options *options, const char *word, const char **why)
{
	uint64_t count;

	if (units_parse_u64(word, 1, 1000000, &count))
		return -EINVAL;
	ADD(options->sync_every, options->every_count, (unsigned)count, why);
	return 0;
}

int option_set_every(struct run_options *options, const char *text, const char **why)
{
	options->every_count = 0;
	return each_word(text, options, add_every, why);
}

static int add_range(struct run_options *options, const char *word, const char **why)
{
	const char *dash = strchr(word, '-');
	char low[WORD];
	struct run_size size;

	if (!dash || (size_t)(dash - word) >= sizeof(low))
		return -EINVAL;
	snprintf(low, sizeof(low), "%.*s", (int)(dash - word), word);
	if (units_parse_size(low, 1, &size.low) || units_parse_size(dash + 1, 1, &size.high))
		return -EINVAL;
	return size.low == size.high ? -EINVAL : add_size(options, size, why);
}

int option_set_ranges(struct run_options *options, const char *text, const char **why)
{
	options->size_count = 0;
	return each_word(text, options, add_range, why);
}

static int add_buffer(struct run_options *options, const char *word, const char **why)
{
	struct run_buffer buffer = {METHOD_FULL, 0};

	if (!strcmp(word, "glibc"))
		buffer.buffering = METHOD_LIBC_DEFAULT;
	else if (!strcmp(word, "unbuffered"))
		buffer.buffering = METHOD_UNBUFFERED;
	else if (units_parse_size(word, 1, &buffer.bytes) || !buffer.bytes || buffer.bytes > 1 << 30)
		return -EINVAL;
	for (size_t i = 0; i < options->buffer_count; i++) {
		const struct run_buffer *other = &options->buffers[i];

		if (other->buffering == buffer.buffering && other->bytes == buffer.bytes) {
			*why = "names something twice";
			return -EINVAL;
		}
	}
	if (options->buffer_count == RUN_WORDS_MAX)
		return -EINVAL;
	options->buffers[options->buffer_count++] = buffer;
	return 0;
}

int option_set_buffers(struct run_options *options, const char *text, const char **why)
{
	options->buffer_count = 0;
	return each_word(text, options, add_buffer, why);
}

/* --- labels --- */

int option_set_label(struct run_options *options, const char *text, const char **why)
{
	return label_add(&options->labels, text, why) ? -EINVAL : 0;
}
