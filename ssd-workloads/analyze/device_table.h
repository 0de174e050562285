/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Tables made from the records of the simulated device (sim/records.h): commands with their pages and times, operations of each
 * way, and garbage collections. The beginning or the end of a dump may be lost; missing values are not guessed.
 */
#ifndef SSD_WORKLOADS_ANALYZE_DEVICE_TABLE_H
#define SSD_WORKLOADS_ANALYZE_DEVICE_TABLE_H

#include "ssd-workloads/dump/dump.h"

#define DEVICE_NONE UINT32_MAX

enum device_work { DEVICE_PROGRAM, DEVICE_READ /* the rest of a page */, DEVICE_GC_READ, DEVICE_GC_PROGRAM, DEVICE_ERASE };
const char *device_work_name(enum device_work work);

struct device_slice {
	uint64_t at_ns[SIM_COMPLETED]; /* by station; 0 = no record */
	uint64_t read_ns[3];           /* read of the rest of its page: queued, begun, done */
	uint32_t command, next;        /* indices in the table; next: next slice of the command, DEVICE_NONE = last */
	uint32_t lsa, bytes;           /* bytes: the host's data; 0 = not known */
	uint32_t before;               /* slice that used its buffer entry before; DEVICE_NONE = not known */
	uint32_t ahead, read_ahead;    /* indices in the table: the commands whose program, copy or erase in the same block
				        * precedes its program, and its read; DEVICE_NONE = none */
	uint32_t die, read_die;        /* die of its program and of that read, way * channels + ch; DEVICE_NONE = none */
	uint16_t index;
	uint8_t flags;                 /* enum sim_flag of all its records, SIM_READ included */
};

struct device_command {
	const struct record *record;   /* the host's record; NULL = not kept */
	uint64_t done_ns;              /* time of station 11; 0 = not kept */
	uint32_t number, first, count; /* slices: the first, their number */
	uint32_t critical;             /* the slice that was done last, the first of equal ones */
	uint32_t gcs, copies;          /* garbage collections and copies that it triggered, as far as kept */
	uint8_t stream;
	bool is_whole;                 /* all its times are known and in order */
};

struct device_op { /* that occupied a way */
	uint64_t begin_ns, end_ns;     /* lost times: the first or last kept time */
	uint32_t slice, gc;            /* one of them is DEVICE_NONE */
	uint8_t work;
};

struct device_gc {
	uint64_t begin_ns, end_ns;     /* 0 = not kept */
	uint64_t read_ns, program_ns, erase_ns; /* total times in the array or on the bus */
	uint32_t id, command, number, die; /* command: index in the table, DEVICE_NONE = not kept */
	uint32_t copies;
};

struct device_way {
	size_t count, capacity;
	struct device_op *ops;         /* by time, without overlaps */
};

struct device_table {
	const struct dump *dump;
	const struct sim_section *section;
	uint64_t first_ns, last_ns;    /* of the kept units */
	uint64_t known_ns;             /* from here on all operations have records; UINT64_MAX = never */
	bool is_sampled;               /* some commands or stations were not recorded: known_ns is not valid */
	size_t command_count, command_capacity, slice_count, slice_capacity, gc_count, gc_capacity;
	struct device_command *commands; /* sorted by the first kept record */
	struct device_slice *slices;
	struct device_gc *gcs;         /* sorted by begin */
	uint32_t dies;
	struct device_way *ways;       /* by die */
};

/* Makes the tables of a dump with a section; free them if this returns 0. Returns 0, -EBADMSG if two operations ran on a way at
 * once, or -ENOMEM. */
int device_table_make(const struct dump *dump, struct device_table *made);
void device_table_free(struct device_table *table);
/* Returns the index of the command of this number in the table, or DEVICE_NONE. */
uint32_t device_table_find(const struct device_table *table, uint32_t number);

/* Times of a whole command: its issue by the host, its arrival in the device, and its latency. fetched does not include a wait
 * for one of the device's command slots. */
uint64_t device_issued_ns(const struct device_command *command);
uint64_t device_fetched_ns(const struct device_table *table, const struct device_command *command);
uint64_t device_latency_ns(const struct device_command *command);
/* Returns the time when a slice is done: the end of its DMA, or, in modes in which a write waits for its own program, the end of
 * that. */
uint64_t device_slice_done_ns(const struct device_table *table, const struct device_slice *slice);
/* Returns the command of an operation, for a collection the one that triggered it; DEVICE_NONE = not kept. */
uint32_t device_op_command(const struct device_table *table, const struct device_op *op);
/* Returns the index of the first operation of the way that ends after this time. */
size_t device_way_find(const struct device_way *way, uint64_t t_ns);

#endif
