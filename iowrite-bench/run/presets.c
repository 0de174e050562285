/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "iowrite-bench/run/presets.h"

#include <stddef.h>
#include <string.h>

#define OPTIONS(...) (const struct preset_option[]){__VA_ARGS__, {NULL, NULL}}

/* In the order of PostgreSQL's documentation; it opens with O_DIRECT what it opens with O_DSYNC or O_SYNC in its own test. */
static const struct preset_way wal_sync_methods[] = {
	{"open_datasync", "direct-dsync", "none"},
	{"fdatasync", "buffered", "fdatasync"},
	{"fsync", "buffered", "fsync"},
	{"fsync_writethrough", NULL, NULL},
	{"open_sync", "direct-sync", "none"},
	{0},
};

const struct preset presets[] = {
	{"etcd-wal", "etcd's log: small records into a preallocated segment, fdatasync after each",
		"64 MiB segments are fallocated (SegmentSizeBytes), a batch of entries is some 2 KiB and is written and "
		"fdatasynced at once; etcd asks for a 99th percentile of the sync below 10 ms",
		OPTIONS({"method", "write"}, {"mode", "buffered"}, {"sync-each", "fdatasync"}, {"regime", "prealloc"},
			{"rw", "write"}, {"bs", "2300"}, {"size", "22m"}, {"slo", "sync:p99<10ms"}), NULL, NULL},
	{"pg-wal", "PostgreSQL's log: pages of 8 KiB over a recycled segment, fdatasync at each commit",
		"wal_segment_size 16 MiB, XLOG_BLCKSZ 8 KiB, wal_init_zero and wal_recycle on (segments are written "
		"before they are used), wal_sync_method fdatasync, pwrite(2)",
		OPTIONS({"method", "pwrite"}, {"mode", "buffered"}, {"sync-each", "fdatasync"}, {"regime", "overwrite"},
			{"rw", "write"}, {"bs", "8k"}, {"size", "16m"}), NULL, NULL},
	{"pg_test_fsync", "PostgreSQL's choice of wal_sync_method: commits of one and of two pages of 8 KiB by each",
		"the comparison of pg_test_fsync: one write of 8 KiB to a commit, and two; over a segment of 16 MiB that was "
		"written before, from its begin to its end and again, where pg_test_fsync writes its first pages again and again",
		OPTIONS({"method", "pwrite"}, {"sync-every", "1,2"}, {"regime", "overwrite"}, {"rw", "write"}, {"bs", "8k"},
			{"size", "16m"}, {"runtime", "1s"}, {"rounds", "5"}), "wal_sync_method", wal_sync_methods},
	{"sqlite", "SQLite's WAL: a page and its frame header over a log that is begun again, fdatasync at each commit",
		"page_size 4096 and 24 bytes of frame header, wal_autocheckpoint 1000 pages, after which the log is written "
		"from its begin again, synchronous=FULL",
		OPTIONS({"method", "pwrite"}, {"mode", "buffered"}, {"sync-each", "fdatasync"}, {"regime", "overwrite"},
			{"rw", "write"}, {"bs", "4120"}, {"size", "4120000"}), NULL, NULL},
	{"kafka", "a Kafka broker's log: batches appended to a segment, left to the kernel's write-back",
		"batch.size 16 KiB, log.segment.bytes 1 GiB, preallocate=false, log.flush.interval.messages unlimited: "
		"nothing is synced",
		OPTIONS({"method", "write"}, {"mode", "buffered"}, {"sync-each", "none"}, {"regime", "append"},
			{"rw", "write"}, {"bs", "16k"}, {"size", "1g"}), NULL, NULL},
	{0},
};

const struct preset *preset_of(const char *name)
{
	for (const struct preset *preset = presets; preset->name; preset++) {
		if (!strcmp(preset->name, name))
			return preset;
	}
	return NULL;
}
