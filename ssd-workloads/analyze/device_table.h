/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the records of the simulated device (sim/records.h) say, as tables: commands with their pages and times, what each way
 * did, and garbage collections. A dump may have lost its beginning or its end; what it does not say is not guessed.
 */
#ifndef SSD_WORKLOADS_ANALYZE_DEVICE_TABLE_H
#define SSD_WORKLOADS_ANALYZE_DEVICE_TABLE_H

#include "ssd-workloads/record/dump.h"

#define DEVICE_NONE UINT32_MAX

enum device_work { DEVICE_PROGRAM, DEVICE_READ /* the rest of a page */, DEVICE_GC_READ, DEVICE_GC_PROGRAM, DEVICE_ERASE };
const char *device_work_name(enum device_work work);

struct device_slice {
	uint64_t at_ns[SIM_COMPLETED]; /* by station, 0 = no record */
	uint64_t read_ns[3];           /* of the read of the rest of its page: queued, begun, done */
	uint32_t command, next;        /* in the table; next: slice of the command, DEVICE_NONE = the last */
	uint32_t lsa, bytes;           /* bytes: of the host's data; 0 = not known */
	uint32_t before;               /* slice that last used its buffer entry, DEVICE_NONE = not known */
	uint32_t ahead, read_ahead;    /* in the table: the command whose program, copy or erase in the same block its own
	                                * program, and that read, had to follow; so */
	uint32_t die, read_die;        /* of its program and of that read, way * channels + ch; DEVICE_NONE = it has none */
	uint16_t index;
	uint8_t flags;                 /* enum sim_flag of all its records, SIM_READ among them */
};

struct device_command {
	const struct record *record;   /* of the host; NULL = not kept */
	uint64_t done_ns;              /* station 11; 0 = not kept */
	uint32_t number, first, count; /* slices: the first, how many */
	uint32_t critical;             /* the slice that was done last, of equal ones the first */
	uint32_t gcs, copies;          /* that it triggered, as far as they are kept */
	uint8_t stream;
	bool is_whole;                 /* every time of it is known, and they are in order */
};

struct device_op { /* that occupied a way */
	uint64_t begin_ns, end_ns;     /* what is lost: the first or the last kept time */
	uint32_t slice, gc;            /* one of them DEVICE_NONE */
	uint8_t work;
};

struct device_gc {
	uint64_t begin_ns, end_ns;     /* 0 = not kept */
	uint64_t read_ns, program_ns, erase_ns; /* in the array or on the bus, in all */
	uint32_t id, command, number, die; /* command: in the table, DEVICE_NONE = not kept */
	uint32_t copies;
};

struct device_way {
	size_t count, room;
	struct device_op *ops;         /* by time, none overlaps another */
};

struct device_table {
	const struct dump *dump;
	const struct sim_section *section;
	uint64_t first_ns, last_ns;    /* of the kept units */
	uint64_t known_ns;             /* from here on no operation is without records; UINT64_MAX = nowhere */
	bool is_sampled;               /* some commands or stations were not recorded: known_ns says nothing */
	size_t command_count, command_room, slice_count, slice_room, gc_count, gc_room;
	struct device_command *commands; /* by the first record kept */
	struct device_slice *slices;
	struct device_gc *gcs;         /* by their beginning */
	uint32_t dies;
	struct device_way *ways;       /* by die */
};

/* Of a dump with a section. 0; -EBADMSG: two operations ran on a way at once; -ENOMEM. To be freed after 0. */
int device_table_make(const struct dump *dump, struct device_table *made);
void device_table_free(struct device_table *table);
/* In the table, DEVICE_NONE = not there. */
uint32_t device_table_find(const struct device_table *table, uint32_t number);

/* Of a command that is whole: when the host issued it, when it was in the device, and how long it took. A wait for one of the
 * device's command slots is not seen in fetched. */
uint64_t device_issued_ns(const struct device_command *command);
uint64_t device_fetched_ns(const struct device_table *table, const struct device_command *command);
uint64_t device_latency_ns(const struct device_command *command);
/* When a slice is done: its DMA, where a write waits for its own program that. */
uint64_t device_slice_done_ns(const struct device_table *table, const struct device_slice *slice);
/* The command that it is of, of a collection the one that triggered it; DEVICE_NONE = not kept. */
uint32_t device_op_command(const struct device_table *table, const struct device_op *op);
/* Seconds since the measurement began. */
double device_time_s(const struct device_table *table, uint64_t t_ns);
/* The first operation of the way that ends after this time. */
size_t device_way_find(const struct device_way *way, uint64_t t_ns);

#endif
