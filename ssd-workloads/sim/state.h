/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Data structures of the simulated device, and the functions that its parts (device.c: commands and firmware, flash.c: channels
 * and ways) call in each other. All references are indices; during a run only operations are allocated. */
#ifndef SSD_WORKLOADS_SIM_STATE_H
#define SSD_WORKLOADS_SIM_STATE_H

#include "ssd-workloads/sim/buffer.h"
#include "ssd-workloads/sim/cache.h"
#include "ssd-workloads/sim/heap.h"
#include "ssd-workloads/sim/setup.h"

#define NONE UINT32_MAX

enum sim_event_kind { EVENT_ARRIVAL, EVENT_BUS, EVENT_WAY, EVENT_DMA, EVENT_COMPLETION, EVENT_TIMER, EVENT_INDEX };

struct fifo { uint32_t first, last; };

struct sim_command {
	uint64_t submit_ns, arrive_ns;
	uint64_t due;                 /* priority by the order's policy, smaller first; 0 without one */
	uint64_t offset;
	uint32_t length, number, tag, next;
	uint32_t count, left;         /* slices; those not done */
	uint32_t copies;              /* copies of the collections that it caused */
	uint8_t stream;
	bool is_recorded;
};

struct slice {
	uint32_t command, lsa, entry, op; /* op: the number of its program, 0 = none */
	uint32_t bytes, next_link, next_dma;
	uint16_t index;
	uint8_t stream, flags, ch, way;
	bool waits_for_program;       /* done when its own data is programmed */
};

enum op_kind { OP_READ, OP_PROGRAM, OP_ERASE };

struct flash_op {
	uint64_t queued_ns, begun_ns;
	uint64_t due;                 /* that of its command, or of the command that caused the collection */
	uint32_t number, die, block, page; /* block in the device */
	uint32_t erases;              /* of the block at the decision */
	uint32_t lsa, tag;            /* tag: version of the moved data */
	uint32_t slice;               /* the host's slice; NONE = garbage collection */
	uint32_t entry, next_link, next; /* entry: NONE for an erase; next: in the way's queue, or among operations that wait for
					  * their order in the block */
	uint32_t cmd, gc_id, age_us;  /* of garbage collection */
	uint32_t erase;               /* of a copy's program: the op that erases the victim */
	uint32_t copies, copies_queued, copies_done; /* of an erase */
	uint8_t kind, stream;
	bool is_recorded, is_read;    /* is_read: the array has been read, the transfer is pending */
};

/* priorities of the controller, the highest first */
enum class { CLASS_STATUS, CLASS_READ, CLASS_ERASE, CLASS_PROGRAM, CLASS_TRANSFER, CLASSES };

struct way {
	struct fifo queue, blocked;   /* ops that can begin, and ops that wait for their order in a block */
	uint32_t op;                  /* running op; NONE = idle */
	uint16_t ch, way;
	bool is_listed;               /* in a class, or selected from it by the core */
};

struct channel {
	uint64_t classes[CLASSES];    /* bit n: way n waits for the controller */
	uint8_t last[CLASSES];        /* way that was served last */
	uint32_t set;                 /* bit n: class n has ways */
	bool is_busy;                 /* the bus is busy */
	uint64_t transfer_ns;         /* duration of the current transfer */
	struct sim_channel_totals totals;
};

struct live { /* state of a block by the operations handed to the way */
	uint32_t erases;
	uint16_t permitted;           /* the next page that may be programmed */
	uint16_t reads;               /* reads of its contents before its next erase that are decided but not handed over */
	uint16_t later_reads;         /* reads of contents that are programmed after that erase */
	uint16_t physical;            /* programmed pages */
};

enum work { WORK_NONE, WORK_CUT, WORK_FTL, WORK_DMA, WORK_CHANNEL };

struct core {
	enum work work;
	uint64_t end_ns, order;
	uint32_t command, slice;      /* in progress; slice: index in the command */
	uint32_t way;
	enum class class;
};

struct decision { /* decision of the FTL, handed over when the core is done with it */
	struct ftl_gc gc;
	uint32_t program, read;       /* ops; NONE */
};

struct policy_state { /* state of policies; all zero without one */
	bool is_active[SIM_POLICY_KINDS];
	uint64_t until_ns[SIM_POLICY_KINDS]; /* 0 = permanently */
	uint64_t seen_ns;             /* policy_active_ns is counted up to here */
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
	struct sim_command *commands;
	struct slice *slices;         /* slices_most per command */
	uint32_t slices_most, free_command, in_slots, depth, number;
	struct fifo outside, arrived; /* not fetched for lack of a slot; in the device, not begun */
	uint64_t (*stations)[FREEZE_STATIONS]; /* by slice; NULL unless setup.has_stations */
	uint32_t completed;           /* command that host.completed is called for */
	/* Host DMA. */
	struct fifo dma_wait, dma;    /* slices: to be issued, in progress */
	uint32_t dma_units;
	uint64_t dma_free_ns;
	/* Flash. */
	struct flash_op *ops;
	uint32_t op_capacity, free_op, op_number, gc_id;
	struct way *ways;             /* by die */
	struct channel *channels;
	uint64_t ready;               /* bit n: channel n has work, and its bus is free */
	uint32_t last_channel, busy_ways;
	struct live *live;
	struct decision decision;
	/* Records. */
	struct sim_cache cache;
	bool is_recording, is_armed_late;
	uint32_t *written_us;         /* by lsa; NULL without records */
	uint64_t paid_units;          /* units whose cost was charged to the firmware */
	struct { uint32_t begin, end; } areas[SIM_STREAMS]; /* lsa */
	/* Checks. */
	uint32_t *versions, *tags;    /* version by lsa; contents by page. NULL unless setup.is_checked */
	const char *broken;
	struct sim_totals totals;
	/* Policies. */
	struct sim_policies policies;
	bool has_policies;
	bool is_ordered;              /* an order policy is active now */
	struct policy_state policy;
};

/* links of chains: operations are even, slices odd */
#define LINK_OP(op) ((op) << 1)
#define LINK_SLICE(slice) ((slice) << 1 | 1)

KEEP_INLINE void device_schedule(struct sim_device *device, uint64_t t_ns, enum sim_event_kind kind, uint32_t index)
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
void device_record_op(struct sim_device *device, const struct flash_op *op, enum sim_station station, enum sim_task task);
void device_record_gc(struct sim_device *device, const struct flash_op *op, enum sim_task task, uint32_t copies);
void device_record_index(struct sim_device *device);
uint8_t device_stream_of(const struct sim_device *device, uint32_t lsa);

/* flash.c */
/* Creates an operation. A read is counted by flash_count_read when its erases are known. */
uint32_t flash_new_op(struct sim_device *device, enum op_kind kind, uint32_t block, uint32_t page); /* NONE: out of memory */
void flash_count_read(struct sim_device *device, uint32_t index);
/* Called when the buffer entry of an operation is available: queues it to its way when its order in the block permits. */
void flash_ready(struct sim_device *device, uint32_t index);
void flash_chain(struct sim_device *device, uint32_t entry, uint32_t link);
void flash_unchain(struct sim_device *device, uint32_t entry); /* removes the first link, which is done */
void flash_bus_end(struct sim_device *device, uint32_t at);
void flash_way_end(struct sim_device *device, uint32_t die);
bool flash_choose(struct sim_device *device);  /* selects the core's next work on a channel; false: there is none */
uint64_t flash_cost(const struct sim_device *device); /* cost of the selected work */
void flash_act(struct sim_device *device);     /* completes the selected work */

/* policy_state.c: called if device->has_policies, from policy_least_urgent on if device->is_ordered */
void policy_open(struct sim_device *device);
void policy_arrive(struct sim_device *device, struct sim_command *command);
void policy_complete(struct sim_device *device, const struct sim_command *command);
void policy_place(struct sim_device *device, uint32_t lsa, const struct ftl_gc *gc); /* counts */
uint64_t policy_least_urgent(const struct sim_device *device); /* due of the last priority: an erase */
/* Moves the most urgent element, the first of equal ones, to the front of the fifo. */
void policy_sort_commands(struct sim_device *device, struct fifo *fifo);
void policy_sort_slices(struct sim_device *device, struct fifo *fifo);
void policy_insert_op(struct sim_device *device, struct fifo *fifo, uint32_t index);
uint64_t policy_ways(const struct sim_device *device, uint32_t channel, enum class class); /* bits of the most urgent ways */

/* device.c */
void device_dma_ready(struct sim_device *device, uint32_t index);
void device_programmed(struct sim_device *device, uint32_t index);

#endif
