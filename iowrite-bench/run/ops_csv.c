/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "iowrite-bench/run/ops_csv.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

int ops_csv_open(struct ops_csv *csv, const char *path)
{
	int fd;

	*csv = (struct ops_csv){.path = path};
	if (snprintf(csv->temporary, sizeof(csv->temporary), "%s.XXXXXX", path) >= (int)sizeof(csv->temporary))
		return -ENAMETOOLONG;
	fd = mkostemp(csv->temporary, O_CLOEXEC);
	if (fd < 0)
		return -errno;
	csv->file = fdopen(fd, "w");
	if (!csv->file) {
		int rc = -errno;

		close(fd);
		unlink(csv->temporary);
		return rc;
	}
	fprintf(csv->file, OPS_CSV_HEADER "\n");
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
	if (count && !csv->first_ns)
		csv->first_ns = records[0].start_ns;
	for (size_t i = 0; i < count; i++) {
		const struct record *record = &records[i];

		if (record->error)
			continue;
		fprintf(csv->file, "%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64, record->offset,
			record->size, record->delay_ns, record->start_ns - csv->first_ns, record->write_ns,
			record->sync_ns);
		write_amount(csv->file, record->dirty_bytes);
		write_amount(csv->file, record->writeback_bytes);
		fputc('\n', csv->file);
	}
	if (ferror(csv->file) && !csv->error)
		csv->error = -(errno ? errno : EIO);
}

/* As if it had been opened without mkstemp. */
static mode_t usual_mode(void)
{
	mode_t mask = umask(0);

	umask(mask);
	return 0666 & ~mask;
}

int ops_csv_close(struct ops_csv *csv)
{
	int rc = csv->error;

	if (!rc && (fflush(csv->file) || fchmod(fileno(csv->file), usual_mode()) || fsync(fileno(csv->file))))
		rc = -errno;
	if (fclose(csv->file) && !rc)
		rc = -errno;
	if (!rc && rename(csv->temporary, csv->path))
		rc = -errno;
	if (rc)
		unlink(csv->temporary);
	csv->file = NULL;
	return rc;
}
