/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "iowrite-bench/run/ops_csv.h"

#include <errno.h>
#include <inttypes.h>
#include <unistd.h>

static int open_draft(struct ops_csv *csv, const char *path)
{
	/* Not every file system has nameless files. */
	return report_draft_open(path, true, &csv->draft) ? report_draft_open(path, false, &csv->draft) : 0;
}

int ops_csv_open(struct ops_csv *csv, const char *path, const char *mode, const char *regime, const char *sync,
	bool has_files)
{
	int rc, fd;

	*csv = (struct ops_csv){.has_files = has_files};
	snprintf(csv->words, sizeof(csv->words), ",%s,%s,%s", mode, regime, sync);
	rc = open_draft(csv, path);
	if (rc)
		return rc;
	fd = dup(csv->draft.fd);
	csv->file = fd >= 0 ? fdopen(fd, "w") : NULL;
	if (!csv->file) {
		rc = -errno;
		if (fd >= 0)
			close(fd);
		report_draft_close(&csv->draft);
		return rc;
	}
	fprintf(csv->file, OPS_CSV_HEADER "%s\n", has_files ? ",file" : "");
	return 0;
}

static void write_amount(FILE *file, uint64_t amount)
{
	if (amount == WRITER_NOT_LOOKED)
		fputc(',', file);
	else
		fprintf(file, ",%" PRIu64, amount);
}

void ops_csv_add(struct ops_csv *csv, const struct record *records, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct record *record = &records[i];

		if (record->error)
			continue;
		fprintf(csv->file, "%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64,
			csv->has_files ? record->offset % OP_FILE_BYTES : record->offset,
			record->size, record->delay_ns, record->start_ns, record->write_ns, record->sync_ns);
		write_amount(csv->file, record->dirty_bytes);
		write_amount(csv->file, record->writeback_bytes);
		fputs(csv->words, csv->file);
		if (csv->has_files)
			fprintf(csv->file, ",%" PRIu64, record->offset / OP_FILE_BYTES);
		fputc('\n', csv->file);
	}
	if (ferror(csv->file) && !csv->error)
		csv->error = -(errno ? errno : EIO);
}

int ops_csv_close(struct ops_csv *csv)
{
	int rc = csv->error;

	if (fclose(csv->file) && !rc)
		rc = -errno;
	if (!rc)
		rc = report_draft_publish(&csv->draft);
	report_draft_close(&csv->draft);
	csv->file = NULL;
	return rc;
}
