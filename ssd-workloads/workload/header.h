/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The header at the start of every target: its run, the layout of its areas, and the acknowledged writes. It is written before the
 * first data and after the last, and read by `verify` and by the next run. 4096 bytes, little-endian, with a checksum.
 */
#ifndef SSD_WORKLOADS_WORKLOAD_HEADER_H
#define SSD_WORKLOADS_WORKLOAD_HEADER_H

#include <stdbool.h>
#include <stdint.h>

#include "ssd-workloads/workload/layout.h"

#define HEADER_MAGIC "ssd-workloads/1\n" /* 16 bytes, compared by common/storage/target */
#define HEADER_MAGIC_BYTES 16
#define HEADER_BYTES 4096

enum header_durability { HEADER_NONE, HEADER_DSYNC, HEADER_FDATASYNC };

struct header {
	uint64_t run;             /* random, above 0; also in stamps */
	char uuid[40];            /* UUID of the report */
	struct layout layout;
	enum header_durability durability;
	bool is_prepared;         /* every block of the areas was written once, by this run or an earlier one */
	bool is_random;           /* the checkpoint's blocks were written in layout_order */
	bool is_ended;            /* acknowledged is final; else the acknowledgement log (ack_log.h) is used, if it exists */
	/* by worker: all writes below are acknowledged; later ones are unknown */
	uint64_t acknowledged[MIX_STREAMS][MIX_WORKERS_MAX];
};

/* Formats the header into HEADER_BYTES. */
void header_format(const struct header *header, void *bytes);
/* Stores the checksum of the bytes; header_format calls it. */
void header_seal(void *bytes);
/* Parses untrusted bytes; a parsed layout is one that layout_make could have made. Returns 0 or -EBADMSG. */
int header_parse(const void *bytes, struct header *header);

/* Writes and syncs the header; fd is that of the target, without O_DIRECT. Returns 0 or -errno. */
int header_write(int fd, const struct header *header);
/* Reads the header. Returns 0 or -errno; -EBADMSG if it is not a header or is broken. */
int header_read(int fd, struct header *header);

#endif
