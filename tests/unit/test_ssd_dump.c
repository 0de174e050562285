/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Dumps: what is written comes back, and nothing else does. */
#include "config.h"
#include "tests/unit/unit.h"
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "ssd-workloads/dump/dump.h"
#include "tests/unit/ssd_dump.h"

#define WHY 256
#define MANY 1000u /* records: more than stdio holds */

struct file {
	char folder[32], path[64];
	char *bytes; /* what it holds */
	size_t size;
};

static void read_back(struct file *file)
{
	FILE *in = fopen(file->path, "r");
	long size;

	assert_non_null(in);
	assert_int_equal(fseek(in, 0, SEEK_END), 0);
	size = ftell(in);
	assert_true(size > 0);
	rewind(in);
	file->size = (size_t)size;
	file->bytes = malloc(file->size);
	assert_int_equal(fread(file->bytes, 1, file->size, in), file->size);
	fclose(in);
}

static int set_up(void **state)
{
	struct file *file = calloc(1, sizeof(*file));
	struct ssd_dump *made = ssd_dump_make();

	snprintf(file->folder, sizeof(file->folder), "/tmp/test_ssd_dump.XXXXXX");
	assert_non_null(mkdtemp(file->folder));
	snprintf(file->path, sizeof(file->path), "%s/records", file->folder);
	assert_int_equal(dump_write(file->path, &made->dump), 0);
	read_back(file);
	free(made);
	*state = file;
	return 0;
}

static int tear_down(void **state)
{
	struct file *file = *state;

	unlink(file->path);
	rmdir(file->folder);
	free(file->bytes);
	free(file);
	return 0;
}

static void assert_same_segment(const struct dump_segment *a, const struct dump_segment *b)
{
	assert_memory_equal(&a->part, &b->part, sizeof(a->part));
	assert_memory_equal(a->records, b->records, a->part.count * sizeof(*a->records));
	assert_int_equal(a->splits != NULL, b->splits != NULL);
	if (a->splits)
		assert_memory_equal(a->splits, b->splits, a->part.count * sizeof(*a->splits));
}

static void assert_same(const struct dump *a, const struct dump *b)
{
	assert_memory_equal(&a->head, &b->head, sizeof(a->head));
	for (size_t i = 0; i < a->head.segment_count; i++)
		assert_same_segment(&a->segments[i], &b->segments[i]);
}

TEST_WITH("a file on a dump is read back the same", set_up, tear_down)
{
	const struct file *file = *state;
	struct ssd_dump *made = ssd_dump_make();
	struct dump *read = calloc(1, sizeof(*read));
	char why[WHY] = "";

	assert_int_equal(dump_write(file->path, &made->dump), 0);
	assert_memory_equal(&made->dump.head, file->bytes, sizeof(made->dump.head));
	assert_int_equal(dump_read(file->path, read, why, sizeof(why)), 0);
	assert_int_equal(read->head.begin_ns, 1000000);
	assert_string_equal(read->head.mix, "2x16k-8x128k");
	assert_string_equal(read->head.row, "1-N");
	assert_same(&made->dump, read);
	dump_free(read);
	assert_int_equal(dump_read_memory(file->bytes, file->size, read, why, sizeof(why)), 0);
	assert_same(&made->dump, read);
	dump_free(read);
	free(read);
	free(made);
}

/* Of a run that kept no records, of a stream that does not run, and one of another build's mix. */
TEST_WITH("streams without records and mixes of another build are read back", set_up, tear_down)
{
	const struct file *file = *state;
	struct ssd_dump *made = ssd_dump_make();
	struct dump *read = calloc(1, sizeof(*read));
	static const struct workload_override none = {0};
	char why[WHY] = "";

	assert_int_equal(workload_make(mix_find("1-0"), &none, &made->workload, &(const char *){NULL}), 0);
	layout_make(&made->workload, &made->layout);
	dump_describe(&made->dump, &made->workload, &made->layout);
	snprintf(made->dump.head.row, sizeof(made->dump.head.row), "of-later");
	made->dump.head.segment_count = 1;
	made->dump.segments[0].part.count = made->dump.segments[0].part.emitted = made->dump.segments[0].part.overwritten = 0;
	assert_int_equal(dump_write(file->path, &made->dump), 0);
	if (dump_read(file->path, read, why, sizeof(why)))
		fail_msg("%s", why);
	assert_same(&made->dump, read);
	dump_free(read);
	made->dump.head.segment_count = 0;
	assert_int_equal(dump_write(file->path, &made->dump), 0);
	assert_int_equal(dump_read(file->path, read, why, sizeof(why)), 0);
	assert_int_equal(read->head.segment_count, 0);
	dump_free(read);
	free(read);
	free(made);
}

static void assert_refused(const char *bytes, size_t size, const char *part)
{
	struct dump *read = calloc(1, sizeof(*read));
	char why[WHY] = "";

	if (dump_read_memory(bytes, size, read, why, sizeof(why)) != -EBADMSG)
		fail_msg("%zu bytes were taken, not refused with %s", size, part);
	if (!strstr(why, part) || strchr(why, '\n') || !*why)
		fail_msg("%s, not %s", why, part);
	assert_null(read->memory);
	free(read);
}

TEST_WITH("a dump is refused at every shorter length", set_up, tear_down)
{
	const struct file *file = *state;

	for (size_t size = 0; size < file->size; size++)
		assert_refused(file->bytes, size, size < sizeof(struct dump_header) ? "is no dump" : "it is truncated");
}

TEST_WITH("a flipped bit anywhere is refused", set_up, tear_down)
{
	const struct file *file = *state;

	for (size_t at = 0; at < file->size; at++) {
		char before = file->bytes[at];

		file->bytes[at] = (char)(before ^ (1 << at % 8));
		assert_refused(file->bytes, file->size, "");
		file->bytes[at] = before;
	}
}

TEST_WITH("bytes behind the last record are refused", set_up, tear_down)
{
	const struct file *file = *state;
	char *more = calloc(1, file->size + 8);

	memcpy(more, file->bytes, file->size);
	assert_refused(more, file->size + 8, "it is truncated or was appended to");
	free(more);
}

/* --- well summed lies --- */

static struct dump_header *header_of(const struct file *file)
{
	return (struct dump_header *)(void *)file->bytes;
}

static struct dump_part *part_of(const struct file *file, size_t index)
{
	return (struct dump_part *)(void *)(file->bytes + sizeof(struct dump_header)) + index;
}

static struct record *record_of(const struct file *file, size_t segment, size_t index)
{
	return (struct record *)(void *)part_of(file, 3) + segment * SSD_DUMP_RECORDS + index;
}

static struct split *split_of(const struct file *file, size_t index)
{
	return (struct split *)(void *)record_of(file, 3, 0) + index;
}

static void assert_lie(const struct file *file, const char *part)
{
	header_of(file)->checksum = dump_checksum(0, file->bytes + DUMP_SUMMED, file->size - DUMP_SUMMED);
	assert_refused(file->bytes, file->size, part);
}

#define LIE(PLACE, VALUE, PART)                                                                              \
	do {                                                                                                 \
		typeof(PLACE) truth = (PLACE);                                                               \
		(PLACE) = (VALUE);                                                                           \
		assert_lie(file, PART);                                                                      \
		(PLACE) = truth;                                                                             \
	} while (0)

TEST_WITH("a header that contradicts the file is refused", set_up, tear_down)
{
	const struct file *file = *state;
	struct dump_header *header = header_of(file);

	LIE(header->record_bytes, 72, "records of 72 and 64 bytes");
	LIE(header->split_bytes, 0, "records of 64 and 0 bytes");
	LIE(header->source, 2, "source 2");
	LIE(header->segment_count, DUMP_SEGMENTS + 1, "129 segments");
	LIE(header->segment_count, UINT32_MAX, "4294967295 segments");
	LIE(header->segment_count, 2, "which its counts contradict");
	LIE(header->end_ns, 1, "1000000 ns to 1 ns");
	memset(header->uuid + 36, 'x', 3);
	LIE(header->uuid[39], 'x', "is not text");
	LIE(header->mix[0], '\n', "is not text");
	LIE(header->row[0], '\x7f', "is not text");
	LIE(header->backend[1], '\t', "is not text");
	LIE(header->freeze[2], '\xe4', "is not text");
	LIE(header->fired_stream, 2, "worker 0 of stream 2");
	LIE(header->fired_worker, 64, "worker 64 of stream 1");
	LIE(header->streams[0].depth, MIX_DEPTH_MAX + 1, "impossible stream: log");
	LIE(header->streams[1].workers, MIX_WORKERS_MAX + 1, "impossible stream: checkpoint");
	LIE(header->streams[1].workers, 0, "impossible stream: checkpoint");
	LIE(header->streams[0].block_bytes, 0, "impossible stream: log");
	LIE(header->streams[0].block_bytes, UINT32_MAX, "impossible stream: log");
	LIE(header->streams[0].area_bytes, UINT64_MAX, "impossible stream: log");
	LIE(header->streams[0].begin, UINT64_MAX - 4096, "impossible stream: log");
	LIE(header->layout_bytes, 1, "impossible stream: log");
}

TEST_WITH("parts of wrong streams, workers or order are refused", set_up, tear_down)
{
	const struct file *file = *state;

	LIE(part_of(file, 0)->stream, 2, "worker 0 of stream 2");
	LIE(part_of(file, 0)->worker, 2, "worker 2 of stream 0");
	LIE(part_of(file, 1)->worker, 0, "out of order");
	LIE(part_of(file, 2)->stream, 0, "out of order");
	LIE(part_of(file, 0)->count, 41, "41 records of 50");
	LIE(part_of(file, 0)->overwritten, 9, "40 records of 50");
	LIE(part_of(file, 0)->emitted, 39, "40 records of 39");
	LIE(part_of(file, 0)->has_splits, 2, "40 records of 50");
	LIE(part_of(file, 0)->has_splits, 1, "which its counts contradict");
	LIE(part_of(file, 2)->has_splits, 0, "which its counts contradict");
	part_of(file, 1)->count = part_of(file, 1)->emitted = 1ull << 60;
	part_of(file, 1)->overwritten = 0;
	assert_lie(file, "which its counts contradict");
	part_of(file, 1)->count = part_of(file, 1)->emitted = 0;
	assert_lie(file, "which its counts contradict");
}

TEST_WITH("records out of sequence or of another worker are refused", set_up, tear_down)
{
	const struct file *file = *state;
	struct record *record = record_of(file, 1, 4);

	LIE(record->stream, 1, "number 5 of worker 1 of the log");
	LIE(record->worker, 0, "number 5 of worker 1 of the log");
	LIE(record->sequence, 13, "number 5 of worker 1 of the log");
	LIE(record->sequence, 15, "number 6 of worker 1 of the log");
	LIE(record->prep_ns, record->enter_ns + 1, "number 5 of");
	LIE(record->enter_ns, record->reap_ns + 1, "number 5 of");
	LIE(record->reap_ns, 0, "number 5 of");
	LIE(record->length, UINT32_MAX, "number 5 of");
	LIE(record->offset, 0, "number 5 of");
	LIE(record->offset, UINT64_MAX - 100, "number 5 of");
	LIE(record->result, 16385, "number 5 of");
	/* Behind a sync of the same write. */
	record[-1].length = 0;
	record[-1].result = 0;
	LIE(record->sequence, 13, "number 5 of worker 1 of the log");
	record[-1].length = record->length;
	record[-1].result = record->result;
	LIE(split_of(file, 7)->state, 3, "number 8 of worker 0 of the checkpoint");
	LIE(split_of(file, 7)->ns[SPLIT_SUBMIT], 1999, "number 8 of worker 0 of the checkpoint");
	LIE(split_of(file, 7)->ns[SPLIT_REAP], 1001, "number 8 of worker 0 of the checkpoint");
	LIE(split_of(file, 7)->ns[SPLIT_DEVICE], UINT64_MAX - 4000, "number 8 of worker 0 of the checkpoint");
}

/* What is at the edge of what can be is taken. */
TEST_WITH("failed and short writes and extreme values are accepted", set_up, tear_down)
{
	const struct file *file = *state;
	struct dump *read = calloc(1, sizeof(*read));
	char why[WHY] = "";

	record_of(file, 0, 0)->result = -EIO;
	record_of(file, 0, 1)->result = 512;
	record_of(file, 0, 2)->prep_ns = record_of(file, 0, 2)->reap_ns = record_of(file, 0, 2)->enter_ns;
	record_of(file, 0, 3)->sequence = 13;
	/* A sync of this write. */
	record_of(file, 0, 4)->sequence = 13;
	record_of(file, 0, 4)->length = 0;
	record_of(file, 0, 4)->result = -EIO;
	record_of(file, 1, SSD_DUMP_RECORDS - 1)->sequence = UINT64_MAX;
	header_of(file)->checksum = dump_checksum(0, file->bytes + DUMP_SUMMED, file->size - DUMP_SUMMED);
	if (dump_read_memory(file->bytes, file->size, read, why, sizeof(why)))
		fail_msg("%s", why);
	dump_free(read);
	free(read);
}

/* A dump that does not fit leaves the file as it was, and returns the reason. */
static void assert_too_large(const struct file *file, struct dump *dump)
{
	struct rlimit limit, small;
	struct stat before, after;
	int rc;

	assert_int_equal(stat(file->path, &before), 0);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
	small = (struct rlimit){.rlim_cur = MANY * sizeof(struct record) / 2, .rlim_max = limit.rlim_max};
	assert_true(signal(SIGXFSZ, SIG_IGN) != SIG_ERR);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	rc = dump_write(file->path, dump);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	assert_true(rc == -EFBIG || rc == -ENOSPC);
	assert_int_equal(stat(file->path, &after), 0);
	assert_true(before.st_ino == after.st_ino && before.st_size == after.st_size);
}

TEST_WITH("files that cannot be read or written are named", set_up, tear_down)
{
	const struct file *file = *state;
	struct dump *read = calloc(1, sizeof(*read));
	struct ssd_dump *made = ssd_dump_make();
	struct record *records = calloc(MANY, sizeof(*records));
	char why[WHY] = "", other[96];

	assert_int_equal(dump_read(file->folder, read, why, sizeof(why)), -EISDIR);
	assert_int_equal(dump_read("/dev/zero", read, why, sizeof(why)), -ENODEV);
	snprintf(other, sizeof(other), "%s/none", file->folder);
	assert_int_equal(dump_read(other, read, why, sizeof(why)), -ENOENT);
	assert_int_equal(mkfifo(other, 0600), 0);
	assert_int_equal(dump_read(other, read, why, sizeof(why)), -ESPIPE);
	unlink(other);
	snprintf(other, sizeof(other), "%s/none/at/all", file->folder);
	assert_int_equal(dump_write(other, &made->dump), -ENOENT);
	/* What stdio holds back, and what it writes at once. */
	for (size_t count = 2; count <= MANY && !access("/dev/full", W_OK); count += MANY - 2) {
		made->dump.segments[0].splits = NULL;
		made->dump.segments[0].records = records;
		made->dump.segments[0].part.count = made->dump.segments[0].part.emitted = count;
		assert_int_equal(dump_write("/dev/full", &made->dump), -ENOSPC);
	}
	assert_too_large(file, &made->dump);
	made->dump.head.segment_count = DUMP_SEGMENTS + 1;
	assert_int_equal(dump_write(file->path, &made->dump), -EINVAL);
	free(records);
	free(read);
	free(made);
}

UNIT_BEGIN()
{
	return __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__ ? "dumps are made and read where the least byte comes first" : NULL;
}
