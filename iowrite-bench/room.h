/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Warm room for a file that is going to grow. ext4 reads a group's block bitmap when it needs one that is not in memory:
 * the flusher waits for it behind all that is being written, and a buffered write of new data waits for the flusher
 * (i_data_sem in ext4_da_get_block_prep), tens of ms, though nothing holds it back. It is an affair of the file system,
 * once for each 128 MiB that have not been looked at for a while, and no model of write-back knows it.
 */
#ifndef IOWRITE_BENCH_ROOM_H
#define IOWRITE_BENCH_ROOM_H

#include <stdint.h>

#define ROOM_MOST (8ull << 30) /* that is reserved at a time */

/* Bytes that a folder's file system has free, less what is left to others (common/target.h). 0 or -errno. */
int room_free(const char *folder, uint64_t *bytes);
/* What of so many bytes is reserved where so many are free: whole blocks, half of what is free at most; 0 = nothing. */
uint64_t room_bytes(uint64_t wanted, uint64_t free_bytes);

/* fd: an empty file, and bytes that are going to be written. Its blocks are reserved and given back, so that the bitmaps are
 * in memory, but for the first one of a long free stretch: behind it the file system will look for those of the run. Of
 * more than ROOM_MOST, or than half of what is free, only so much is warmed, and nothing where files are memory. What
 * cannot be done is left out: the file is a block long then, or empty, as before, and has no room that was only reserved;
 * but one that this process is killed over keeps it, so nobody's own file is for this. 0, or -errno when what was reserved
 * cannot be given back. */
int room_warm(int fd, uint64_t bytes);
/* The same behind the first length bytes of a file, of which the last block is written again: its room adjoins. Also
 * -errno when that cannot be written. */
int room_warm_behind(int fd, uint64_t length, uint64_t bytes);

#endif
