/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "ssd-workloads/workload/mix.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/base/units.h"

#define LOG_BLOCK 16384u
#define CHECKPOINT_BLOCK 131072u
#define LOG_AREA (512 * UNITS_MIB)
#define CHECKPOINT_AREA UNITS_GIB
#define COMPLETION 0.9 /* checkpoint_completion_target of PostgreSQL */

#define MIX(NAME, METHOD, MEANING, LOG, CHECKPOINT)                                                            \
	{.name = (NAME), .method = (METHOD), .meaning = (MEANING),                                             \
		.streams = {[MIX_LOG] = {(LOG), LOG_BLOCK}, [MIX_CHECKPOINT] = {(CHECKPOINT), CHECKPOINT_BLOCK}}}

const struct mix mixes[] = {
	MIX("1-1", "ARIES + IPP", "classic: one outstanding write each", 1, 1),
	MIX("1-N", "CALC", "one log write, a parallel checkpoint", 1, 8),
	MIX("M-N", "SILO/CPR", "a parallel log and a parallel checkpoint", 64, 8),
	MIX("1-0", "log alone", "baseline of 1-1 and 1-N", 1, 0),
	MIX("M-0", "parallel log alone", "baseline of M-N", 64, 0),
	MIX("0-1", "checkpoint alone", "baseline of 1-1", 0, 1),
	MIX("0-N", "parallel checkpoint alone", "baseline of 1-N and M-N", 0, 8),
	MIX("custom", "-", "depths of --log-depth and --ckpt-depth", 0, 0),
	{.name = NULL},
};

const char *mix_stream_name(enum mix_stream stream)
{
	static const char *const names[] = {[MIX_LOG] = "log", [MIX_CHECKPOINT] = "checkpoint"};

	return names[stream];
}

const struct mix *mix_find(const char *name)
{
	for (const struct mix *mix = mixes; mix->name; mix++) {
		if (!strcmp(mix->name, name))
			return mix;
	}
	return NULL;
}

static int make_stream(const struct mix_shape *shape, const struct workload_override *override, enum mix_stream which,
	struct workload_stream *stream, const char **why)
{
	static const uint64_t areas[] = {[MIX_LOG] = LOG_AREA, [MIX_CHECKPOINT] = CHECKPOINT_AREA};
	const typeof(override->streams[0]) *set = &override->streams[which];
	unsigned workers = override->workers ? override->workers : 1;

	stream->stripes = which == MIX_LOG && override->log_stripes ? override->log_stripes : 1;
	stream->depth = set->has_depth ? set->depth : shape->depth;
	stream->block_bytes = set->block_bytes ? set->block_bytes : shape->block_bytes;
	stream->every_ns = set->every_ns;
	if (stream->every_ns)
		stream->completion = set->has_completion ? set->completion : COMPLETION;
	stream->pause_ns = set->pause_ns;
	stream->workers = stream->depth < workers ? stream->depth : workers;
	if (!stream->depth)
		return 0;
	stream->area_bytes = set->area_bytes ? set->area_bytes : areas[which];
	stream->area_bytes -= stream->area_bytes % ((uint64_t)stream->stripes * stream->workers * stream->block_bytes);
	if (stream->area_bytes / stream->block_bytes >= 2ull * stream->depth)
		return 0;
	*why = which == MIX_LOG ? "--log-size: must hold at least two blocks for each outstanding write"
				: "--ckpt-size: must hold at least two blocks for each outstanding write";
	return -EINVAL;
}

int workload_make(const struct mix *mix, const struct workload_override *override, struct workload *workload,
	const char **why)
{
	int rc = 0;

	*workload = (struct workload){.mix = mix};
	for (int i = 0; i < MIX_STREAMS && !rc; i++)
		rc = make_stream(&mix->streams[i], override, (enum mix_stream)i, &workload->streams[i], why);
	if (!rc && !workload->streams[MIX_LOG].depth && !workload->streams[MIX_CHECKPOINT].depth) {
		*why = "--mix: no stream has a depth; give --log-depth or --ckpt-depth";
		rc = -EINVAL;
	}
	return rc;
}

void workload_alone(const struct workload *workload, enum mix_stream stream, struct workload *alone)
{
	enum mix_stream other = stream == MIX_LOG ? MIX_CHECKPOINT : MIX_LOG;

	*alone = *workload;
	alone->streams[other].depth = 0;
	alone->streams[other].workers = 0;
}

unsigned workload_depth(const struct workload_stream *stream, unsigned worker)
{
	return stream->depth / stream->workers + (worker < stream->depth % stream->workers);
}

static bool has_shape(const struct workload *workload, const struct mix *mix)
{
	for (int i = 0; i < MIX_STREAMS; i++) {
		const struct workload_stream *stream = &workload->streams[i];

		if (stream->depth != mix->streams[i].depth)
			return false;
		if (stream->depth && stream->block_bytes != mix->streams[i].block_bytes)
			return false;
	}
	return true;
}

void workload_name(const struct workload *workload, char *name, size_t length)
{
	char texts[MIX_STREAMS][32];

	for (const struct mix *mix = mixes; mix->name; mix++) {
		if (has_shape(workload, mix)) {
			snprintf(name, length, "%s", mix->name);
			return;
		}
	}
	/* Sizes are formatted as the options accept them: "16k", "4m", "4.5k". */
	for (int i = 0; i < MIX_STREAMS; i++) {
		unsigned depth = workload->streams[i].depth;
		uint32_t bytes = workload->streams[i].block_bytes;

		if (!depth)
			snprintf(texts[i], sizeof(texts[i]), "0");
		else if (bytes % (1u << 20) == 0)
			snprintf(texts[i], sizeof(texts[i]), "%ux%" PRIu32 "m", depth, bytes >> 20);
		else
			snprintf(texts[i], sizeof(texts[i]), "%ux%" PRIu32 "%sk", depth, bytes >> 10, bytes % 1024 ? ".5" : "");
	}
	snprintf(name, length, "%s-%s", texts[MIX_LOG], texts[MIX_CHECKPOINT]);
}
