/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Data structures of the simulated device, and what its parts (device.c: commands and firmware, flash.c: channels and ways)
 * call of each other. Everything is found by index; nothing is allocated while it runs but more operations. */
#ifndef SSD_WORKLOADS_SIM_STATE_H
#define SSD_WORKLOADS_SIM_STATE_H

#include "ssd-workloads/sim/buffer.h"
#include "ssd-workloads/sim/device.h"
#include "ssd-workloads/sim/heap.h"

#define NONE UINT32_MAX

enum event_kind { EVENT_ARRIVAL, EVENT_BUS, EVENT_WAY, EVENT_DMA, EVENT_COMPLETION, EVENT_TIMER, EVENT_INDEX };

struct fifo { uint32_t first, last; };

struct command {
	uint64_t submit_ns, arrive_ns;
	uint64_t due;                 /* of an order's policy: what comes first; 0 without one */
	uint64_t offset;
	uint32_t length, number, tag, next;
	uint32_t count, left;         /* slices; of them not done */
	uint32_t copies;              /* of the collections that it caused */
	uint8_t stream;
	bool is_recorded;
};

struct slice {
	uint32_t command, lsa, entry, op; /* op: the number of its program, 0 = none */
	uint32_t bytes, next_link, next_dma;
	uint16_t index;
	uint8_t stream, flags, ch, way;
	bool waits_for_program;       /* it is done when its own data is programmed */
};

enum op_kind { OP_READ, OP_PROGRAM, OP_ERASE };

struct op {
	uint64_t queued_ns, begun_ns;
	uint64_t due;                 /* of its command, or of the one that collects */
	uint32_t number, die, block, page; /* block in the device */
	uint32_t erases;              /* of the block when this was decided */
	uint32_t lsa, tag;            /* tag: the version of the data that is moved */
	uint32_t slice;               /* of the host; NONE = garbage collection */
	uint32_t entry, next_link, next; /* entry: NONE of an erase; next: in the way's queue, or among those whose turn in the
	                               * block has not come */
	uint32_t cmd, gc_id, age_us;  /* of garbage collection */
	uint32_t erase;               /* of a copy's program: the op that erases the victim */
	uint32_t copies, copies_queued, copies_done; /* of an erase */
	uint8_t kind, stream;
	bool is_recorded, is_read;    /* is_read: the array has been read, the transfer is to come */
};

/* The order of the controller. */
enum class { CLASS_STATUS, CLASS_READ, CLASS_ERASE, CLASS_PROGRAM, CLASS_TRANSFER, CLASSES };

struct way {
	struct fifo queue, blocked;   /* ops that can begin, and that must not yet for their order in a block */
	uint32_t op;                  /* that runs; NONE = idle */
	uint16_t ch, way;
	bool is_listed;               /* in a class, or chosen from it by the core */
};

struct channel {
	uint64_t classes[CLASSES];    /* bit n: way n waits for the controller */
	uint8_t last[CLASSES];        /* way that was served */
	uint32_t set;                 /* bit n: class n has ways */
	bool is_busy;                 /* its bus */
	uint64_t transfer_ns;         /* of what is on it */
	struct sim_channel_totals totals;
};

struct live { /* of a block, as far as operations were handed to the way */
	uint32_t erases;
	uint16_t permitted;           /* pages; the next one that may be programmed */
	uint16_t reads;               /* of what is in it before its next erase: decided and not handed over */
	uint16_t later_reads;         /* of what is programmed after that */
	uint16_t physical;            /* pages that are programmed */
};

enum work { WORK_NONE, WORK_CUT, WORK_FTL, WORK_DMA, WORK_CHANNEL };

struct core {
	enum work work;
	uint64_t end_ns, order;
	uint32_t command, slice;      /* under way; slice: index in the command */
	uint32_t way;
	enum class class;
};

struct decision { /* of the FTL, handed over when the core is done with it */
	struct ftl_gc gc;
	uint32_t program, read;       /* ops; NONE */
};

struct policy_state { /* what policies know; all zero without one */
	bool is_active[SIM_POLICY_KINDS];
	uint64_t until_ns[SIM_POLICY_KINDS]; /* 0 = for good */
	uint64_t seen_ns;             /* until which policy_active_ns is counted */
	uint64_t window_end_ns, written[SIM_STREAMS]; /* history: bytes since the window began */
	double rates[SIM_STREAMS];    /* bytes in a window, older ones with half the weight each */
	bool is_checkpoint_first;
};

struct sim_device {
	struct sim_params params;
	struct sim_setup setup;
	uint64_t now_ns, sequence, transfer_ns;
	struct sim_heap heap;
	struct core core;
	struct ftl ftl;
	struct buffer buffer;
	/* Commands. */
	struct command *commands;
	struct slice *slices;         /* slices_most of each command */
	uint32_t slices_most, free_command, in_slots, depth, number;
	struct fifo outside, arrived; /* not fetched for lack of a slot; in the device and not begun */
	uint64_t (*stations)[FREEZE_STATIONS]; /* of each slice; NULL unless setup.has_stations */
	uint32_t completed;           /* command that host.completed is called for */
	/* Host DMA. */
	struct fifo dma_wait, dma;    /* of slices: to be issued, under way */
	uint32_t dma_units;
	uint64_t dma_free_ns;
	/* Flash. */
	struct op *ops;
	uint32_t op_room, free_op, op_number, gc_id;
	struct way *ways;             /* by die */
	struct channel *channels;
	uint64_t ready;               /* bit n: channel n has work, and its bus is free */
	uint32_t last_channel, busy_ways;
	struct live *live;
	struct decision decision;
	/* Records. */
	struct sim_cache cache;
	bool is_recording, is_armed_late;
	uint32_t *written_us;         /* of each lsa; NULL without records */
	uint64_t paid_units;          /* whose cost the firmware has had */
	struct { uint32_t begin, end; } areas[SIM_STREAMS]; /* lsa */
	/* What is checked. */
	uint32_t *versions, *tags;    /* of each lsa; of each page: what is in it. NULL unless setup.is_checked */
	const char *broken;
	struct sim_totals totals;
	/* Policies. */
	struct sim_policies policies;
	bool has_policies;
	bool is_ordered;              /* a policy of the order is active now */
	struct policy_state policy;
};

/* links of chains: operations are even, slices odd */
#define LINK_OP(op) ((op) << 1)
#define LINK_SLICE(slice) ((slice) << 1 | 1)

KEEP_INLINE void device_schedule(struct sim_device *device, uint64_t t_ns, enum event_kind kind, uint32_t index)
{
	struct sim_event event = {t_ns, sim_event_order(device->sequence++, kind, index)};

	if (KEEP_UNLIKELY(!sim_heap_push(&device->heap, event)))
		device->broken = "more events are to come than there can be";
}

KEEP_INLINE void device_must(struct sim_device *device, bool is_true, const char *law)
{
	if (KEEP_UNLIKELY(!is_true) && !device->broken)
		device->broken = law;
}

/* record.c */
void device_record_station(struct sim_device *device, const struct slice *slice, enum sim_station station, uint32_t aux);
void device_record_op(struct sim_device *device, const struct op *op, enum sim_station station, enum sim_task task);
void device_record_gc(struct sim_device *device, const struct op *op, enum sim_task task, uint32_t copies);
void device_record_index(struct sim_device *device);
uint8_t device_stream_of(const struct sim_device *device, uint32_t lsa);

/* flash.c */
/* A read is counted when its erases are known: flash_count_read. */
uint32_t flash_new_op(struct sim_device *device, enum op_kind kind, uint32_t block, uint32_t page); /* NONE: out of memory */
void flash_count_read(struct sim_device *device, uint32_t index);
/* What it needs of the buffer is there: it goes to the way's queue when its turn in the block has come. */
void flash_ready(struct sim_device *device, uint32_t index);
/* Behind what is to happen with this entry before. */
void flash_chain(struct sim_device *device, uint32_t entry, uint32_t link);
void flash_unchain(struct sim_device *device, uint32_t entry); /* the first link is done */
void flash_bus_end(struct sim_device *device, uint32_t at);
void flash_way_end(struct sim_device *device, uint32_t die);
bool flash_choose(struct sim_device *device);  /* the core's next work on a channel, into core; false: there is none */
uint64_t flash_cost(const struct sim_device *device); /* of what was chosen */
void flash_act(struct sim_device *device);     /* the core is done with it */

/* policy.c: called when device->has_policies, from policy_least_urgent on when device->is_ordered. */
void policy_open(struct sim_device *device);
void policy_arrive(struct sim_device *device, struct command *command);
void policy_complete(struct sim_device *device, const struct command *command);
void policy_place(struct sim_device *device, uint32_t lsa, const struct ftl_gc *gc); /* counts */
uint64_t policy_least_urgent(const struct sim_device *device); /* due of what is needed last: an erase */
/* What is most urgent, of equal ones the first, becomes the first of the fifo. */
void policy_sort_commands(struct sim_device *device, struct fifo *fifo);
void policy_sort_slices(struct sim_device *device, struct fifo *fifo);
void policy_insert_op(struct sim_device *device, struct fifo *fifo, uint32_t index);
uint64_t policy_ways(const struct sim_device *device, uint32_t channel, enum class class); /* the bits of the most urgent */

/* device.c */
void device_dma_ready(struct sim_device *device, uint32_t index);
void device_programmed(struct sim_device *device, uint32_t index);

#endif
