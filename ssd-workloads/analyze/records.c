/* SPDX-License-Identifier: GPL-3.0-or-later */
/* analyze records: every record of a file as CSV (docs/dump-format.md). */
#include "config.h"
#include "ssd-workloads/analyze/figure.h"

#include <inttypes.h>

#include "ssd-workloads/analyze/writes.h"

/* Of a file that somebody else has written a time may be anything. */
static int64_t since(uint64_t ns, const struct dump *dump)
{
	return (int64_t)(ns - dump->begin_ns);
}

static void print_split(FILE *out, const struct split *split)
{
	static const char *const names[] = {[SPLIT_NONE] = "no", [SPLIT_OWN] = "own", [SPLIT_MERGED] = "merged"};

	if (!split || split->state == SPLIT_NONE) {
		fprintf(out, "%s,,,,,,\n", split ? names[SPLIT_NONE] : "");
		return;
	}
	fprintf(out, "%s,%" PRIu32, names[split->state], split->requests);
	for (int part = 0; part < SPLIT_PARTS; part++)
		fprintf(out, ",%" PRIu64, split->ns[part]);
	fputc('\n', out);
}

void figure_print_records(FILE *out, const struct dump *dump)
{
	fputs("stream,worker,sequence,pass,offset,bytes,result,batch,inflight_own,inflight_other,due_ns,prep_ns,enter_ns,"
	      "entered_ns,reap_ns,joined,requests,batching_ns,submit_ns,queue_ns,device_ns,reaping_ns\n", out);
	for (size_t i = 0; i < dump->segment_count; i++) {
		const struct dump_segment *segment = &dump->segments[i];

		for (uint64_t k = 0; k < segment->count; k++) {
			const struct record *record = &segment->records[k];

			fprintf(out, "%s,%u,%" PRIu64 ",%u,%" PRIu64 ",%" PRIu32 ",%" PRId32 ",%" PRIu32
				",%u,%u,%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRIu32 ",%" PRId64 ",",
				mix_stream_name((enum mix_stream)record->stream),
				record->worker, record->sequence, record->pass, record->offset, record->length, record->result,
				record->batch, record->inflight_own, record->inflight_other,
				since(writes_due_ns(segment, record), dump), since(record->prep_ns, dump),
				since(record->enter_ns, dump), record->entered_ns, since(record->reap_ns, dump));
			print_split(out, segment->splits ? &segment->splits[k] : NULL);
		}
	}
}
