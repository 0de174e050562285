/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The selection of samples that are analyzed or exported, and the named ranges, with their options. */
#ifndef MEMTRACE_FILE_SELECTION_H
#define MEMTRACE_FILE_SELECTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/cli/opt.h"
#include "memtrace/file/trace_file.h"

#define SELECTION_WORDS 16  /* maximum number of --thread, and of --region */
#define SELECTION_RANGES 4096

/* --range NAME=START-END[/SIZE] */
struct named_range {
	const char *name;
	size_t length;       /* of the name */
	uint64_t begin, end; /* addresses */
	uint64_t element;    /* bytes of an element; 0 = not given */
};

enum selection_privilege { SELECTION_ALL, SELECTION_USER, SELECTION_KERNEL };

struct selection { /* zeroed: everything */
	size_t thread_count, region_count, range_count, range_capacity;
	const char *threads[SELECTION_WORDS]; /* numbers, or patterns of names */
	const char *regions[SELECTION_WORDS]; /* patterns of names of ranges and mappings */
	struct named_range *ranges;           /* sorted by address by selection_check; they do not overlap */
	uint64_t from_ns, to_ns;              /* since the recording began; to_ns 0 = to its end */
	const char *phase;                    /* a pattern of the texts of marks; NULL = any */
	unsigned kinds;                       /* bits of enum trace_kind; 0 = any */
	unsigned process;                     /* 0 = any */
	unsigned privilege;                   /* enum selection_privilege */
	bool is_by_address;                   /* equal addresses of several processes are the same */
};

/* Parses "0x7f00-0x8000" or "NAME=0x1000-0x2000/8"; text is kept by reference. Returns 0, or -EINVAL and the reason in why. */
int selection_parse_range(const char *text, struct named_range *range, const char **why);
/* Sorts the ranges. Returns 0, or DIAG_EXIT_USAGE after an error message if two overlap, or if --before is not later than
 * --after. */
int selection_check(struct selection *selection);
void selection_free(struct selection *selection);

opt_set_fn selection_set_thread, selection_set_region, selection_set_range, selection_set_kinds;
extern const char *const selection_privileges[];

/* Rows of struct opt for a struct selection at an offset of the command's structure. */
#define SELECTION_OPTIONS(at)                                                                                            \
	{.type = OPT_TITLE, .help = "Which samples"},                                                                    \
	{"thread", 't', "ID|NAME", OPT_OWN, OPT_REPEATS, .offset = (at), .set = selection_set_thread,                    \
		.help = "take samples of this thread; repeatable",                                                       \
		.manual = "Take samples of this thread only: its number, or a pattern of its name as `worker*`. Up to "  \
			  "16 may be given."},                                                                           \
	{"process", 0, "ID", OPT_UNSIGNED, .offset = (at) + offsetof(struct selection, process), .min = 1,               \
		.max = UINT32_MAX, .help = "take samples of this process"},                                              \
	{"after", 0, "TIME", OPT_TIME, .offset = (at) + offsetof(struct selection, from_ns),                              \
		.help = "take samples from TIME of the recording on"},                                                   \
	{"before", 0, "TIME", OPT_TIME, .offset = (at) + offsetof(struct selection, to_ns), .min = 1,                        \
		.help = "take samples before TIME of the recording"},                                                    \
	{"phase", 0, "NAME", OPT_STRING, .offset = (at) + offsetof(struct selection, phase),                             \
		.help = "take samples of phases of this name",                                                           \
		.manual = "Take samples of the phases whose name matches the pattern: from a mark of that text to the "  \
			  "next mark."},                                                                                 \
	{"region", 0, "NAME", OPT_OWN, OPT_REPEATS, .offset = (at), .set = selection_set_region,                         \
		.help = "take samples in this range or mapping; repeatable",                                             \
		.manual = "Take samples in ranges and mappings whose name matches the pattern, as `[heap]`, `//anon`, "  \
			  "`*libc*` or the NAME of a `--range`. `[heap]` is taken literally first. Up to 16 may be given."}, \
	{"kind", 0, "KIND,...", OPT_OWN, .offset = (at), .set = selection_set_kinds,                                     \
		.help = "take samples of these kinds: access, load, store, update, minor, major, out",                      \
		.manual = "Take samples of these kinds: `load`, `store`, `update` (both by one instruction; `load` and " \
			  "`store` take these, too), `access` (load or store, not known which), `minor` and `major` page " \
			  "faults, `out` (no access: refault has paged the page out; taken only when named)."},          \
	{"privilege", 0, "all|user|kernel", OPT_CHOICE, .offset = (at) + offsetof(struct selection, privilege),              \
		.choices = selection_privileges, .preset = "all",                                                        \
		.help = "take accesses made in user mode (user), in kernel mode (kernel) or both (all)",                 \
		.manual = "Take accesses that the program (`user`) or the kernel (`kernel`) made, or `all`. The address of " \
			  "the instruction decides; where the engine does not record it, the accessed address."},        \
	{.type = OPT_TITLE, .help = "Names and addresses"},                                                              \
	{"range", 0, "NAME=START-END[/SIZE]", OPT_OWN, OPT_REPEATS, .offset = (at), .set = selection_set_range,          \
		.help = "name the addresses from START to before END; elements have SIZE bytes",                         \
		.manual = "Name the addresses from START to before END, numbers in hexadecimal as `0x7f10c0000000`; "     \
			  "repeatable. With SIZE, the size of an element in bytes, the element of an address is "        \
			  "(address - START) / SIZE. Ranges may not overlap, and come before mappings."},                \
	{"by-address", 0, .type = OPT_FLAG, .offset = (at) + offsetof(struct selection, is_by_address),                  \
		.help = "treat equal addresses of several processes as one",                                             \
		.manual = "Treat equal addresses of several processes as one, as in memory that they share. Without it " \
			  "each process has its own memory."}

#endif
