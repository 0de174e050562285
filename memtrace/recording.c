/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "memtrace/recording.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/diag.h"
#include "common/opt.h"
#include "memtrace/trace_file.h"

int recording_create(const char *path)
{
	struct trace_reader *reader;
	struct stat status = {0};
	int fd, err;

	if (opt_is_stdout(path)) {
		diag_error(0, "-o -: a recording is not written to standard output; name a file");
		return -DIAG_EXIT_USAGE;
	}
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
	if (fd < 0 && (errno == EACCES || errno == EISDIR || errno == ENXIO)) {
		err = errno;
		fd = open(path, O_WRONLY | O_CLOEXEC);
		if (fd < 0)
			errno = err; /* not that of a file that was not created */
	}
	if (fd < 0 || fstat(fd, &status)) {
		diag_error(-errno, "cannot write %s", path);
		return -DIAG_EXIT_HOST;
	}
	if (!S_ISREG(status.st_mode) || !status.st_size)
		return fd;
	err = trace_reader_open(path, &reader);
	if (!err)
		trace_reader_close(reader);
	if (!err || err == -ENOTSUP)
		return fd;
	diag_error(0, "%s: exists and is not a recording; name another file", path);
	close(fd);
	return -DIAG_EXIT_USAGE;
}
