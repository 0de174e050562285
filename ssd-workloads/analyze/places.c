/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fig11: where each write went, and when. */
#include "config.h"
#include "ssd-workloads/analyze/figure.h"

#include <errno.h>

#include "common/hot/rng.h"
#include "ssd-workloads/analyze/writes.h"

static int add_places(const struct figure_input *input, enum mix_stream stream, struct figure_table *table)
{
	struct writes writes;
	struct rng rng;
	int rc = writes_of(input->dump, stream, &writes);

	/* Equal steps would beat with the circle that the writes go round in, and draw what never was. */
	rng_seed(&rng, table->every, stream);
	for (size_t i = 0; i < writes.count && !rc; i += table->every) {
		uint64_t left = writes.count - i < table->every ? writes.count - i : table->every;
		const struct write *write = &writes.list[i + rng_below(&rng, left)];
		const struct record *record = write->record;

		rc = figure_table_add(table, "%s\t%u\t%.9f\t%llu\t%u\t%u\t%llu", mix_stream_name(stream), record->worker,
			writes_time_s(input->dump, write), (unsigned long long)record->offset, record->length, record->pass,
			(unsigned long long)write->response_ns);
	}
	writes_free(&writes);
	return rc;
}

int figure_places(const struct figure_input *input, struct figure_table *table, const char **why)
{
	uint64_t count = 0;
	int rc = 0;

	for (size_t i = 0; i < input->dump->segment_count; i++)
		count += input->dump->segments[i].count;
	table->every = input->rows && count > input->rows ? (count + input->rows - 1) / input->rows : 1;
	for (int stream = 0; stream < MIX_STREAMS && !rc; stream++)
		rc = add_places(input, (enum mix_stream)stream, table);
	*why = "holds no write that was completed";
	return rc || table->row_count ? rc : -ENODATA;
}
