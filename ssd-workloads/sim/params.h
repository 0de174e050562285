/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Parameters of the simulated device, one row each. The rows define the keys of --sim KEY=VALUE and of --sim-config, their ranges
 * and defaults, the presets, and the paragraph of the manual. Defaults are those of the Cosmos+ board as far as they are public
 * (the paper, its firmware GreedyFTL 3.0.0); flash times and the costs of the firmware are assumptions.
 */
#ifndef SSD_WORKLOADS_SIM_PARAMS_H
#define SSD_WORKLOADS_SIM_PARAMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ssd-workloads/sim/records.h"

/* P(member, key, type, least, most, default, help): least, most and default in the syntax of the option */
#define SIM_PARAMS(P) \
	P(channels, "channels", COUNT, "1", "64", "4", "channels, each with a bus") \
	P(ways, "ways", COUNT, "1", "64", "8", "ways (dies) of a channel") \
	P(blocks, "blocks", COUNT, "4", "65535", "8192", "blocks of a die") \
	P(pages, "pages", COUNT, "2", "4096", "128", "pages of a block: 128 as SLC, 256 as MLC") \
	P(page_bytes, "page", SIZE, "4k", "1m", "16k", "data of a page, which is a slice; a power of two") \
	P(spare_bytes, "spare", SIZE, "0", "64k", "1664", "bytes that are transferred with each page") \
	P(over_provisioning, "op", SHARE, "0", "9", "0.1111", \
		"over-provisioning, the OP of `fit`: physical space beyond the exported capacity, without the blocks in " \
		"`reserve`, as a share of the exported capacity; the default is 10 % of all blocks, as on the board") \
	P(reserve_blocks, "reserve", COUNT, "1", "1000", "1", "free blocks of a die at which garbage collection begins") \
	P(gc_choices, "gc", CHOICES, "1", "1000", "greedy", \
		"victim of garbage collection: `greedy`, the block with most invalid pages, or `best-of:D` of D drawn blocks") \
	P(gc_time, "gc-time", COUNT, "0", "1", "1", \
		"0: garbage collection takes no time, to measure its cost (`--without gc`)") \
	P(write_mode, "mode", MODE, "", "", "buffered", \
		"`buffered` (a write waits for the program of the page that it evicts), `write-through` (for its own; the page " \
		"stays in the buffer) or `direct` (for its own)") \
	P(buffer_entries, "buffer", COUNT, "1", "65536", "16", "pages of the buffer for each die") \
	P(slots, "slots", COUNT, "1", "65536", "128", "commands that the device takes at once") \
	P(dma_fifo, "dma-fifo", COUNT, "1", "1048576", "256", "the most 4-KiB units that wait for the host DMA") \
	P(bus_mts, "bus", COUNT, "1", "100000", "200", "bytes that a bus transfers in a microsecond") \
	P(read_ns, "read", TIME, "0", "1s", "40us", "time to read a page from the array") \
	P(program_ns, "program", TIME, "0", "1s", "500us", "time to program a page") \
	P(jitter_ns, "jitter", TIME, "0", "1s", "60us", "time by which 15 % of the programs are faster and 15 % slower") \
	P(erase_ns, "erase", TIME, "0", "10s", "3500us", "time to erase a block") \
	P(dma_mbs, "dma", COUNT, "1", "1000000", "2000", "bytes that the host DMA moves in a microsecond") \
	P(dma_latency_ns, "dma-latency", TIME, "0", "1s", "1us", "time that each DMA takes in addition") \
	P(fetch_ns, "fetch", TIME, "0", "1s", "1500ns", "time until a command is in the device") \
	P(command_ns, "command", TIME, "0", "1s", "2us", "firmware: each command") \
	P(cut_ns, "cut", TIME, "0", "1s", "700ns", "firmware: cutting it, each slice") \
	P(ftl_ns, "ftl", TIME, "0", "1s", "1500ns", "firmware: buffer and mapping of a slice") \
	P(copy_ns, "copy", TIME, "0", "1s", "1us", "firmware: each valid page of a victim") \
	P(issue_ns, "issue", TIME, "0", "1s", "1500ns", "firmware: issuing a flash command") \
	P(done_ns, "done", TIME, "0", "1s", "1500ns", "firmware: detecting that one is done") \
	P(dma_issue_ns, "dma-issue", TIME, "0", "1s", "800ns", "firmware: issuing a host DMA") \
	P(completion_ns, "completion", TIME, "0", "1s", "1us", "time until the host sees a completion") \
	P(turnaround_ns, "turnaround", TIME, "0", "1s", "6us", "time from a completion to the host's next write") \
	P(cache_units, "cache", COUNT, "1024", "1073741824", "4194304", "units of 32 bytes of the instrumentation cache") \
	P(sample, "sample", COUNT, "1", "1000000", "1", "one of N commands is recorded") \
	P(stations, "stations", COUNT, "0", "4294967295", "4294967295", "stations that are recorded: the sum of 2^n of each n") \
	P(index_ns, "index", TIME, "1ms", "1h", "1s", "time between two performance indices") \
	P(record_ns, "record-cost", TIME, "0", "1ms", "0", "firmware: recording a unit; 0 leaves all times as without records") \
	P(precondition, "precondition", FILL, "", "", "mix", \
		"before the run: `mix` (writes of the mix itself), `sequential` (every exported page once), `random` (that, and " \
		"pages drawn from all) or `none`") \
	P(fill, "fill", SHARE, "0", "100", "2", \
		"with `mix`, how often the device's capacity and the area of each stream are written before the run, 32 " \
		"capacities at most; a measurement that begins before the second pass is reported as `not-steady`. With " \
		"`random`, the drawn pages in exported capacities")

enum sim_fill { SIM_FILL_MIX, SIM_FILL_SEQUENTIAL, SIM_FILL_RANDOM, SIM_FILL_NONE };

#define SIM_TYPE_COUNT uint32_t
#define SIM_TYPE_SIZE uint32_t
#define SIM_TYPE_SHARE double
#define SIM_TYPE_CHOICES uint32_t /* 0 = greedy */
#define SIM_TYPE_MODE uint32_t
#define SIM_TYPE_FILL uint32_t
#define SIM_TYPE_TIME uint64_t

struct sim_params {
#define MEMBER(member, key, type, least, most, preset, help) SIM_TYPE_##type member;
	SIM_PARAMS(MEMBER)
#undef MEMBER
};

/* for the manual: each key with its range and default */
#define SIM_PARAMS_MANUAL_ROW(member, key, type, least, most, preset, help) \
	"\n\n`" key "`: " help " (" least SIM_TO_##type most SIM_SEMICOLON_##type "default: " preset ")."
#define SIM_TO_COUNT " to "
#define SIM_TO_SIZE " to "
#define SIM_TO_SHARE " to "
#define SIM_TO_TIME " to "
#define SIM_TO_CHOICES " to "
#define SIM_TO_MODE ""
#define SIM_TO_FILL ""
#define SIM_SEMICOLON_COUNT "; "
#define SIM_SEMICOLON_SIZE "; "
#define SIM_SEMICOLON_SHARE "; "
#define SIM_SEMICOLON_TIME "; "
#define SIM_SEMICOLON_CHOICES "; "
#define SIM_SEMICOLON_MODE ""
#define SIM_SEMICOLON_FILL ""
#define SIM_PARAMS_MANUAL SIM_PARAMS(SIM_PARAMS_MANUAL_ROW)

struct sim_preset {
	const char *name, *help;
	const char *const *values; /* KEY=VALUE, ended by NULL */
};
extern const struct sim_preset sim_presets[]; /* ended by a row without a name */
const struct sim_preset *sim_preset_find(const char *name); /* NULL = none */

void sim_params_init(const struct sim_preset *preset, struct sim_params *params);
/* Sets a value by "KEY=VALUE". Returns 0, or -EINVAL and in why what is allowed (one line without the text itself). */
int sim_params_set(struct sim_params *params, const char *text, char *why, size_t length);
/* Reads a file of such lines; blank lines and those that begin with # are skipped. Returns 0, or -errno and
 * one line in why: "line N, LINE: what is wrong", or why the file cannot be read. */
int sim_params_read(struct sim_params *params, const char *path, char *why, size_t length);
/* Checks dependencies between values, as an impossible geometry. Returns 0, or -EINVAL and the reason in why. */
int sim_params_check(const struct sim_params *params, char *why, size_t length);
/* Returns the value of the index-th key as text that can be parsed; NULL after the last. */
const char *sim_params_value(const struct sim_params *params, size_t index, const char **key, char text[64]);

uint32_t sim_dies(const struct sim_params *params);
uint64_t sim_pages(const struct sim_params *params);          /* of the device */
uint64_t sim_exported_pages(const struct sim_params *params);
uint64_t sim_transfer_ns(const struct sim_params *params);    /* of a page on the bus */
uint64_t sim_dma_ns(const struct sim_params *params, uint32_t bytes); /* time that the DMA engine is busy */

#endif
