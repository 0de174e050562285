/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "common/pressure_options.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "common/units.h"

const char *const pressure_swap_words[] = {"zram:", "file:", "loop:", "dev:", "none", NULL};

/* --- the manual --- */

const char pressure_ram_manual[] =
	"Run in a memory cgroup with the limit SIZE, at least 4M.\n"
	"All that the run starts shares the limit.";
const char pressure_high_manual[] =
	"Slow the run down while it uses more than SIZE, at least 4M and less than\n"
	"--ram: `memory.high` of its cgroup.\n"
	"Only cgroup version 2 has it; with version 1 the run is refused.";
const char pressure_swap_manual[] =
	"Make a swap area for the run, and remove it at the end.\n"
	"The default is the system's swap as it is.\n"
	"\n"
	"`zram:`SIZE[`,`ALGO]: a private zram device of SIZE before compression, with the\n"
	"kernel's default compressor or ALGO.\n"
	"It counts as 60 % of its size when memory is checked.\n"
	"When incompressible data would not fit into memory the device gets a limit\n"
	"that leaves a tenth of the available memory free.\n"
	"\n"
	"`file:`PATH`,`SIZE: a swap file, which must not exist yet, on ext4, xfs, btrfs\n"
	"or f2fs.\n"
	"\n"
	"`loop:`PATH`,`SIZE: the same through a loop device with direct I/O.\n"
	"\n"
	"`dev:`PATH: a block device, for example a partition or a logical volume; it\n"
	"stays after the run.\n"
	"A swap area that it holds is used as it is.\n"
	"A device with any other content, or with content that is not known, is refused\n"
	"unless --destroy-data names it, and then gets a swap header over its whole\n"
	"size.\n"
	"A device that is mounted, swapped on, held by another device or program, or\n"
	"part of an array, volume group or pool is always refused.\n"
	"\n"
	"`none`: the run may not be swapped out.\n"
	"\n"
	"An area of the run's own gets the highest priority.\n"
	"When the system has other areas a warning says so, because pages go there once\n"
	"it is full.";
const char pressure_destroy_manual[] =
	"Confirm overwriting the device of `--swap=dev:`PATH by the same path once\n"
	"more, or by the serial number of the device.";
const char pressure_page_cluster_manual[] =
	"Read up to 2^N pages of swap in one fault, 0 to 31; `keep` leaves\n"
	"`vm.page-cluster` as it is.\n"
	"The default is 0 with any other option of memory pressure.\n"
	"The setting is of the whole machine and restored at the end.\n"
	"Runs at one time must agree on it.";
const char pressure_swappiness_manual[] =
	"Set swappiness to N, 0 to 200, until the end of the run: of its own cgroup\n"
	"with cgroup version 1 and, with version 2, where cgroups have none, of the\n"
	"whole machine.\n"
	"The default is the system's.\n"
	"It excludes --swap=none.";
const char pressure_eater_manual[] =
	"Lock SIZE of memory of a NUMA node, or of `any`, from T0 to T1 after the\n"
	"start; up to 8 times.\n"
	"With --ram it counts against that limit; without, it takes memory from the\n"
	"whole machine.\n"
	"\n"
	"  --eater any=1G@10s-1m";
const char pressure_recover_manual[] =
	"Restore what killed runs left behind, list it, and exit.\n"
	"Each start as root does this, too.\n"
	"With `set-aside` a journal that is damaged or of another version, which\n"
	"every start reports, is renamed to NAME.bad.\n"
	"What it lists is not restored: read it and undo that by hand first.";

/* --- values --- */

static void *plan_of(const struct opt *row, const void *options)
{
	return (char *)options + row->offset;
}

int pressure_set_swap(struct opt_value *in)
{
	return pressure_parse_swap(in->text, opt_field(in), &in->why);
}

int pressure_set_page_cluster(struct opt_value *in)
{
	return pressure_parse_page_cluster(in->text, opt_field(in), &in->why);
}

int pressure_set_swappiness(struct opt_value *in)
{
	return pressure_parse_swappiness(in->text, opt_field(in), &in->why);
}

int pressure_set_eater(struct opt_value *in)
{
	struct pressure_plan *plan = opt_field(in);
	int rc;

	if (plan->eater_count == PRESSURE_EATERS) {
		in->why = "at most 8 eaters";
		return -ERANGE;
	}
	rc = pressure_parse_eater(in->text, &plan->eaters[plan->eater_count], &in->why);
	plan->eater_count += !rc;
	return rc;
}

int pressure_set_recover(struct opt_value *in)
{
	enum pressure_recovery *recovery = opt_field(in);

	if (*in->text && strcmp(in->text, "set-aside"))
		return -EINVAL;
	*recovery = *in->text ? PRESSURE_RECOVER_SET_ASIDE : PRESSURE_RECOVER_RESTORE;
	return 0;
}

bool pressure_makes_swap(const char *text)
{
	return strcmp(text, "none") != 0;
}

/* --- for reports --- */

bool pressure_get_bytes(const struct opt *row, const void *options, size_t index, char text[OPT_TEXT])
{
	const uint64_t *bytes = plan_of(row, options);

	(void)index;
	snprintf(text, OPT_TEXT, "%llu", (unsigned long long)*bytes);
	return *bytes;
}

bool pressure_get_swap(const struct opt *row, const void *options, size_t index, char text[OPT_TEXT])
{
	const struct pressure_swap *swap = plan_of(row, options);
	unsigned long long bytes = swap->bytes;

	(void)index;
	switch (swap->kind) {
	case PRESSURE_SWAP_KEEP:
		return false;
	case PRESSURE_SWAP_NONE:
		snprintf(text, OPT_TEXT, "none");
		return true;
	case PRESSURE_SWAP_ZRAM:
		snprintf(text, OPT_TEXT, "zram:%lluB%s%s", bytes, *swap->algorithm ? "," : "", swap->algorithm);
		return true;
	case PRESSURE_SWAP_FILE:
	case PRESSURE_SWAP_LOOP:
		snprintf(text, OPT_TEXT, "%s:%s,%lluB", swap->kind == PRESSURE_SWAP_FILE ? "file" : "loop", swap->path, bytes);
		return true;
	case PRESSURE_SWAP_DEVICE:
		snprintf(text, OPT_TEXT, "dev:%s", swap->path);
		return true;
	}
	return false;
}

bool pressure_get_page_cluster(const struct opt *row, const void *options, size_t index, char text[OPT_TEXT])
{
	const struct pressure_plan *plan = plan_of(row, options);

	(void)index;
	if (plan->page_cluster < 0)
		snprintf(text, OPT_TEXT, "keep");
	else
		snprintf(text, OPT_TEXT, "%d", plan->page_cluster);
	return plan->has_page_cluster;
}

bool pressure_get_swappiness(const struct opt *row, const void *options, size_t index, char text[OPT_TEXT])
{
	const struct pressure_plan *plan = plan_of(row, options);

	(void)index;
	snprintf(text, OPT_TEXT, "%u", plan->swappiness);
	return plan->has_swappiness;
}

bool pressure_get_eater(const struct opt *row, const void *options, size_t index, char text[OPT_TEXT])
{
	const struct pressure_plan *plan = plan_of(row, options);
	const struct pressure_eater *eater = &plan->eaters[index];
	char node[16] = "any", begin[32], end[32];

	if (index >= plan->eater_count)
		return false;
	if (eater->node >= 0)
		snprintf(node, sizeof(node), "%d", eater->node);
	units_write_duration(eater->begin_ns, begin, sizeof(begin));
	units_write_duration(eater->end_ns, end, sizeof(end));
	snprintf(text, OPT_TEXT, "%s=%lluB@%s-%s", node, (unsigned long long)eater->bytes, begin, end);
	return true;
}
