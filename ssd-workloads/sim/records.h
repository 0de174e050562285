/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The simulated device's own records: units of 32 bytes, little-endian, without padding bytes, in the order of events
 * (times never decrease). Every kind has its type at byte 16. A record of several units never wraps around the end
 * of the ring; padding units fill it instead.
 *
 * Stations of a slice (a page-sized part of a command; times in ns of the device's clock, which the host's records share):
 *   3 the command is cut into slices     4 the FTL begins with the slice     5 the FTL is done with it
 *   6 its flash operation is in the way's queue, after its waits for the buffer entry and its order in the block
 *   7 the bus begins to transfer         8 the operation's end is detected   9 the host DMA is issued
 *  10 the DMA is done                   11 the command is completed (one record, of slice 0)
 * A buffered write waits for the program of the page that it evicts: 6 to 8 are of that operation, and absent for a hit or a
 * clean victim. In the modes write-through and direct the data comes first: 9, 10, then 6, 7, 8 of its own program. Of a
 * read-modify-write the read has records 6 to 8 as well, with the flag SIM_READ; it comes before 9.
 * A host record (record/record.h) has in `batch` the number of its command, `cmd` here; station 1 is its enter_ns, station 2
 * is the section's fetch_ns later, unless all command slots were in use.
 */
#ifndef SSD_WORKLOADS_SIM_RECORDS_H
#define SSD_WORKLOADS_SIM_RECORDS_H

#include <stdint.h>

#define SIM_UNIT 32u               /* bytes */
#define SIM_NONE UINT32_MAX        /* no lsa, no command, all channels */
#define SIM_NO_PLACE 0xffu         /* ch, way: not assigned; owner: not known */

enum sim_type { SIM_PAD, SIM_IO, SIM_GC, SIM_INDEX, SIM_INDEX_CHANNEL, SIM_TYPES };

enum sim_station { SIM_CUT = 3, SIM_FTL, SIM_FTL_DONE, SIM_QUEUED, SIM_TRANSFER, SIM_FLASH_DONE, SIM_DMA, SIM_DMA_DONE,
	SIM_COMPLETED };

enum sim_flag {
	SIM_LAST_SLICE = 1,
	SIM_HIT = 2,               /* the page was in the buffer */
	SIM_RMW = 4,               /* a partial page: the rest is read first, unless it was a hit or is not mapped */
	SIM_CLEAN_VICTIM = 8,      /* the evicted entry was clean */
	SIM_HAS_GC = 16,           /* its page allocation caused a collection */
	SIM_READ = 32,             /* the operation reads the rest of the page; not set in the records of other stations */
};

struct sim_io {                    /* one unit */
	uint64_t t_ns;
	uint32_t cmd;              /* number of the command, from 0, over the device's life */
	uint32_t lsa;              /* logical slice: byte offset div page size */
	uint8_t type;              /* SIM_IO */
	uint8_t station;           /* enum sim_station */
	uint8_t ch, way;           /* of its flash operation */
	uint16_t slice;            /* index in the command */
	uint8_t stream;            /* enum mix_stream, by its address */
	uint8_t flags;             /* enum sim_flag: the flags known at this station */
	uint32_t op;               /* number of its flash operation, from 1; 0 = none */
	uint32_t aux;              /* station 4: evicted lsa, or SIM_NONE; 6: physical page, die * blocks * pages + block *
	                            * pages + page; 11: slices of the command; else 0 */
};
_Static_assert(sizeof(struct sim_io) == SIM_UNIT, "no padding");

enum sim_task { SIM_GC_BEGIN, SIM_RD_QUEUED, SIM_RD_START, SIM_RD_END, SIM_WR_QUEUED, SIM_WR_START, SIM_WR_END, SIM_ER_QUEUED,
	SIM_ER_START, SIM_ER_END, SIM_GC_END, SIM_TASKS };

struct sim_gc {                    /* one unit; a way's array is busy from RD_START, ER_START (command issued), WR_START
	                            * (transfer begins) to ..._END (known to be done) */
	uint64_t t_ns;
	uint32_t cmd;              /* command whose allocation triggered it */
	uint32_t lsa;              /* copied lsa; SIM_NONE for begin, erase and end */
	uint8_t type;              /* SIM_GC */
	uint8_t task;              /* enum sim_task */
	uint8_t ch, way;
	uint16_t block;            /* of the die: source of a read, target of a write, else the victim */
	uint8_t page_lo;           /* page in that block, low 8 bits; of GC_BEGIN the number of copies, 255 = that or more */
	uint8_t owner;             /* stream that last wrote lsa */
	uint32_t gc_id;            /* from 1, over the device's life */
	uint32_t age_us;           /* time since lsa was written, at the decision; 0 for begin, erase and end */
};
_Static_assert(sizeof(struct sim_gc) == SIM_UNIT, "no padding");

struct sim_prefix {                /* prefix of records of several units */
	uint64_t t_ns;
	uint32_t ch;               /* SIM_NONE = the whole device */
	uint32_t interval_us;
	uint8_t type, units;       /* SIM_INDEX or SIM_INDEX_CHANNEL; 3 */
	uint16_t zero;
	uint32_t zeros;
};
_Static_assert(sizeof(struct sim_prefix) == 24, "no padding");

struct sim_index {                 /* three units, each interval; cumulative over the device's life unless noted */
	struct sim_prefix prefix;
	uint64_t commands;         /* completed */
	uint64_t hits;             /* slices */
	uint64_t rmw;              /* slices */
	uint64_t erases;
	uint64_t way_busy_ns;      /* all ways */
	uint64_t bus_busy_ns;      /* all channels */
	uint64_t flash_bytes;      /* between buffer and flash */
	uint64_t host_bytes;       /* between host and buffer */
	uint32_t depth;            /* commands in the device now */
	uint32_t least_free;       /* free blocks of the die with the fewest, now */
};
_Static_assert(sizeof(struct sim_index) == 3 * SIM_UNIT, "no padding");

struct sim_index_channel {         /* three units, for each channel, each interval */
	struct sim_prefix prefix;
	uint64_t programs, reads, erases;
	uint64_t bus_busy_ns, way_busy_ns;
	uint64_t wait_ns;          /* wait of operations in a way's queue */
	uint64_t bytes;
	uint32_t queued, queued_most; /* operations in the queues of its ways: now; the most since the last record */
	uint64_t zero;
};
_Static_assert(sizeof(struct sim_index_channel) == 3 * SIM_UNIT, "no padding");

union sim_unit {
	struct sim_io io;
	struct sim_gc gc;
	struct sim_prefix prefix;
	uint64_t words[4];
};

/* description of the units, which it precedes in a dump */
struct sim_section {
	uint64_t unit_count;               /* number of units that follow */
	uint64_t emitted, overwritten, dropped; /* units: emitted = kept + overwritten, padding included; dropped: after a freeze */
	uint64_t fired_ns, fired_unit;     /* time of the freeze and number of the unit; 0 = no freeze */
	uint64_t post;                     /* units kept after the freeze */
	uint64_t exported_pages;
	uint32_t channels, ways, blocks, pages; /* per device; per channel; per die; per block */
	uint32_t page_bytes, buffer_entries, reserve_blocks, slots;
	uint32_t write_mode, gc_choices;   /* enum sim_write_mode; gc_choices 0 = greedy, else the best of this number */
	uint32_t sample, stations;         /* one of this number of commands is recorded, or after --at one of fewer; bit n =
	                                    * station n was recorded all the time */
	uint64_t fetch_ns, command_ns, cut_ns, ftl_ns, issue_ns, done_ns, dma_issue_ns, copy_ns, completion_ns, turnaround_ns;
	uint64_t transfer_ns;              /* of a page on the bus */
	uint64_t read_ns, program_ns, jitter_ns, erase_ns;
	uint64_t dma_bytes_per_second, dma_latency_ns;
};
_Static_assert(sizeof(struct sim_section) == 248, "no padding");

enum sim_write_mode { SIM_BUFFERED, SIM_WRITE_THROUGH, SIM_DIRECT };

#endif
