/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The first bytes of every target: whose it is, how its areas lie, and what was acknowledged. Written before the first
 * data and after the last, read by `verify` and by the next run. 4096 bytes, little-endian, with a checksum.
 */
#ifndef SSD_WORKLOADS_DATA_HEADER_H
#define SSD_WORKLOADS_DATA_HEADER_H

#include <stdbool.h>
#include <stdint.h>

#include "ssd-workloads/layout.h"

#define HEADER_MAGIC "ssd-workloads/1\n" /* 16 bytes: what common/target compares */
#define HEADER_MAGIC_BYTES 16
#define HEADER_BYTES 4096

enum header_durability { HEADER_NONE, HEADER_DSYNC, HEADER_FDATASYNC };

struct header {
	uint64_t run;             /* random, above 0: stamps carry it */
	char uuid[40];            /* of the report */
	struct layout layout;
	enum header_durability durability;
	bool is_prepared;         /* every block of the areas was written once by this run or one before it */
	bool is_random;           /* the checkpoint's blocks were written in layout_order */
	bool is_ended;            /* acknowledged is final; else the acknowledgement log (data/ack_log.h) knows, while it lives */
	/* Of each worker: all writes below are acknowledged; of later ones none is known. */
	uint64_t acknowledged[MIX_STREAMS][MIX_WORKERS_MAX];
};

/* The HEADER_BYTES of it. */
void header_format(const struct header *header, void *bytes);
/* Puts the checksum of what is there in its place: header_format does. */
void header_seal(void *bytes);
/* Trusts nothing: 0, or -EBADMSG; a layout that was parsed is one that layout_make could have made. */
int header_parse(const void *bytes, struct header *header);

/* fd of the target, not O_DIRECT; synced when it returns. 0 or -errno. */
int header_write(int fd, const struct header *header);
/* 0; -EBADMSG: not a header, or a broken one; else -errno. */
int header_read(int fd, struct header *header);

#endif
