/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "common/pressure/pressure_options.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "common/base/diag.h"
#include "common/base/units.h"
#include "common/kernel/swap.h"
#include "common/pressure/pressure_check.h"
#include "common/undo/undo_actions.h"

#define FORM_SWAP "must be zram:SIZE[,ALGO], file:PATH,SIZE, loop:PATH,SIZE, zswap:PATH,SIZE,POOL%[,ALGO], dev:PATH or none"
#define FORM_SET "must be PATH=VALUE, PATH a file of one value in /proc/sys/vm, /sys/kernel/mm, /sys/module/zswap/parameters, " \
	"/sys/block/DISK/queue or of a cgroup (memory, io, cpu)"
#define FORM_EATER "must be NODE=SIZE@T0-T1, NODE a number or any, for example 0=512M@10s-30s"

static bool copy_part(const char *text, const char *end, char *part, size_t length)
{
	return snprintf(part, length, "%.*s", (int)(end - text), text) < (int)length;
}

static int parse_swap_size(const char *text, uint64_t *bytes, const char **why)
{
	uint64_t value;
	int ret = units_parse_size(text, 1, &value);

	if (ret == -ERANGE || (!ret && value < SWAP_MIN_BYTES))
		return diag_why(
			-ERANGE, why, "SIZE of a swap area must be at least 1 MiB and less than 2^64 bytes");
	if (ret)
		return diag_why(ret, why, "SIZE must be a size such as 512M or 4G; " FORM_SWAP);
	*bytes = value;
	return 0;
}

static int parse_algorithm(const char *text, struct pressure_swap *swap, const char **why)
{
	size_t length = strlen(text);

	for (const char *c = text; *c; c++)
		if (!isalnum((unsigned char)*c) && *c != '-' && *c != '_')
			length = 0;
	if (!length || length >= sizeof(swap->algorithm))
		return diag_why(-EINVAL, why, "ALGO must be a compressor's name such as lzo-rle, lz4 or zstd");
	memcpy(swap->algorithm, text, length + 1);
	return 0;
}

static int parse_zram(const char *text, struct pressure_swap *swap, const char **why)
{
	const char *comma = strchrnul(text, ',');
	char size[64];
	int ret = 0;

	if (!copy_part(text, comma, size, sizeof(size)))
		return diag_why(-EINVAL, why, FORM_SWAP);
	if (*comma)
		ret = parse_algorithm(comma + 1, swap, why);
	return ret ? ret : parse_swap_size(size, &swap->bytes, why);
}

/* Parses PATH,SIZE of a file, or the PATH of a device. */
static int parse_path(const char *text, struct pressure_swap *swap, const char **why)
{
	bool is_device = swap->kind == PRESSURE_SWAP_DEVICE;
	/* The last comma counts, so that a path may contain commas. */
	const char *end = is_device ? text + strlen(text) : strrchr(text, ',');

	if (is_device && text[0] != '/')
		return diag_why(-EINVAL, why, "PATH must be the full path of a block device such as /dev/nvme0n1p3");
	if (!end || end == text)
		return diag_why(-EINVAL, why, FORM_SWAP);
	/* A journal has one action per line. */
	if (strchr(text, '\n'))
		return diag_why(-EINVAL, why, "PATH must not contain a newline");
	if (!copy_part(text, end, swap->path, sizeof(swap->path)))
		return diag_why(-ERANGE, why, "PATH must be shorter than 256 bytes");
	return is_device ? 0 : parse_swap_size(end + 1, &swap->bytes, why);
}

/* Parses PATH,SIZE,POOL%[,ALGO] from the end, so that a path may contain commas. */
static int parse_zswap(const char *text, struct pressure_swap *swap, const char **why)
{
	char left[512];
	char *last;
	uint64_t percent;
	int ret = 0;

	if (!copy_part(text, text + strlen(text), left, sizeof(left)) || !(last = strrchr(left, ',')))
		return diag_why(-EINVAL, why, FORM_SWAP);
	if (last[strlen(last) - 1] != '%') {
		ret = parse_algorithm(last + 1, swap, why);
		*last = '\0';
		last = strrchr(left, ',');
	}
	if (ret || !last || last[strlen(last) - 1] != '%')
		return diag_why(-EINVAL, why, FORM_SWAP);
	last[strlen(last) - 1] = '\0';
	if (units_parse_u64(last + 1, 1, 100, &percent))
		return diag_why(-ERANGE, why, "POOL must be 1% to 100% of the memory");
	swap->pool_percent = (unsigned)percent;
	*last = '\0';
	return parse_path(left, swap, why);
}

int pressure_set_setting(struct opt_value *in)
{
	struct pressure_plan *plan = opt_field(in);
	struct pressure_setting setting;
	const char *equals = strchr(in->text, '=');
	struct undo_action action = {.act = UNDO_SHARED};

	if (plan->setting_count == PRESSURE_SETTINGS)
		return diag_why(-ERANGE, &in->why, "at most 16 settings");
	if (!equals || !equals[1] || strchr(in->text, '\n') ||
		!copy_part(in->text, equals, setting.path, sizeof(setting.path)) ||
		!copy_part(equals + 1, in->text + strlen(in->text), setting.value, sizeof(setting.value)))
		return diag_why(-EINVAL, &in->why, FORM_SET);
	snprintf(action.path, sizeof(action.path), "%s", setting.path);
	if (!undo_allows(&action))
		return diag_why(-EINVAL, &in->why, FORM_SET);
	for (size_t i = 0; i < plan->setting_count; i++)
		if (!strcmp(plan->settings[i].path, setting.path))
			return diag_why(-EINVAL, &in->why, "is set twice; give one value");
	plan->settings[plan->setting_count++] = setting;
	return 0;
}

int pressure_set_swap(struct opt_value *in)
{
	struct pressure_swap parsed = {.kind = PRESSURE_SWAP_NONE};
	const char *text = in->text;
	int ret = 0;

	if (!strncmp(text, "zram:", 5)) {
		parsed.kind = PRESSURE_SWAP_ZRAM;
		ret = parse_zram(text + 5, &parsed, &in->why);
	} else if (!strncmp(text, "file:", 5) || !strncmp(text, "loop:", 5)) {
		parsed.kind = text[0] == 'f' ? PRESSURE_SWAP_FILE : PRESSURE_SWAP_LOOP;
		ret = parse_path(text + 5, &parsed, &in->why);
	} else if (!strncmp(text, "zswap:", 6)) {
		parsed.kind = PRESSURE_SWAP_ZSWAP;
		ret = parse_zswap(text + 6, &parsed, &in->why);
	} else if (!strncmp(text, "dev:", 4)) {
		parsed.kind = PRESSURE_SWAP_DEVICE;
		ret = parse_path(text + 4, &parsed, &in->why);
	} else if (strcmp(text, "none")) {
		ret = diag_why(-EINVAL, &in->why, FORM_SWAP);
	}
	if (!ret)
		*(struct pressure_swap *)opt_field(in) = parsed;
	return ret;
}

int pressure_set_eater(struct opt_value *in)
{
	struct pressure_plan *plan = opt_field(in);
	struct pressure_eater eater = {.node = -1};
	char text[128], *equals, *at, *dash;
	uint64_t node;

	if (plan->eater_count == PRESSURE_EATERS)
		return diag_why(-ERANGE, &in->why, "at most 8 eaters");
	if (snprintf(text, sizeof(text), "%s", in->text) >= (int)sizeof(text))
		return diag_why(-EINVAL, &in->why, FORM_EATER);
	equals = strchr(text, '=');
	at = equals ? strchr(equals, '@') : NULL;
	if (!at)
		return diag_why(-EINVAL, &in->why, FORM_EATER);
	*equals = *at = '\0';
	if (strcmp(text, "any")) {
		if (units_parse_u64(text, 0, 1023, &node))
			return diag_why(-EINVAL, &in->why, "NODE must be any or the number of a NUMA node (0-1023); " FORM_EATER);
		eater.node = (int)node;
	}
	if (units_parse_size(equals + 1, 1, &eater.bytes))
		return diag_why(-EINVAL, &in->why, "SIZE must be a size such as 512M or 4G; " FORM_EATER);
	if (eater.bytes < UNITS_MIB)
		return diag_why(-ERANGE, &in->why, "SIZE of an eater must be at least 1 MiB");
	dash = strchr(at + 1, '-');
	if (!dash)
		return diag_why(-EINVAL, &in->why, FORM_EATER);
	*dash = '\0';
	if (units_parse_duration(at + 1, &eater.begin_ns) || units_parse_duration(dash + 1, &eater.end_ns))
		return diag_why(-EINVAL, &in->why, "T0 and T1 must be times such as 10s, 500ms or 2m; " FORM_EATER);
	if (eater.end_ns <= eater.begin_ns)
		return diag_why(-ERANGE, &in->why, "T1 must be later than T0");
	plan->eaters[plan->eater_count++] = eater;
	return 0;
}

int pressure_set_page_cluster(struct opt_value *in)
{
	struct pressure_plan *plan = opt_field(in);
	uint64_t value = 0;
	int ret = strcmp(in->text, "keep") ? units_parse_u64(in->text, 0, 31, &value) : 0;

	if (ret)
		return diag_why(ret, &in->why, "must be keep, or 0 to 31: one fault reads 2^N pages of swap");
	plan->has_page_cluster = true;
	plan->page_cluster = strcmp(in->text, "keep") ? (int)value : -1;
	return 0;
}

int pressure_set_swappiness(struct opt_value *in)
{
	struct pressure_plan *plan = opt_field(in);
	uint64_t value;
	int ret = units_parse_u64(in->text, 0, 200, &value);

	if (ret)
		return diag_why(ret, &in->why, "must be 0 to 200");
	plan->has_swappiness = true;
	plan->swappiness = (unsigned)value;
	return 0;
}

int pressure_parse_finish(const struct pressure_plan *plan, const char **why)
{
	if (plan->high_bytes && plan->ram_bytes && plan->high_bytes >= plan->ram_bytes)
		return diag_why(-EINVAL, why, "--high must be below --ram: the limit would be reached first");
	if (plan->has_swappiness && plan->swap.kind == PRESSURE_SWAP_NONE)
		return diag_why(-EINVAL, why, "--swappiness with --swap none: the run may not swap; drop one of them");
	if (plan->destroy_data && plan->swap.kind != PRESSURE_SWAP_DEVICE)
		return diag_why(-EINVAL, why, "--destroy-data: needs --swap dev:PATH, the device to overwrite");
	return 0;
}

/* --- the rows --- */

const char *const pressure_swap_words[] = {"zram:", "file:", "loop:", "zswap:", "dev:", "none", NULL};

/* --- the manual --- */

const char pressure_ram_manual[] =
	"Run in a memory cgroup with the limit SIZE, at least 4M.\n"
	"All processes of the run share the limit.";
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
	"`zswap:`PATH`,`SIZE`,`POOL`%`[`,`ALGO]: a swap file behind zswap, which keeps\n"
	"compressed pages in a pool of at most POOL % of the memory, and writes the\n"
	"oldest to the file beyond that.\n"
	"zswap's parameters belong to the whole machine and are restored at the end;\n"
	"ALGO is its compressor, by default the one that is set.\n"
	"\n"
	"`dev:`PATH: a block device, for example a partition or a logical volume; it\n"
	"stays after the run.\n"
	"A swap area that is on it is used as it is.\n"
	"A device with any other content, or with content that is not known, is refused\n"
	"unless --destroy-data names it, and then gets a swap header over its whole\n"
	"size.\n"
	"A device that is mounted, swapped on, held by another device or program, or\n"
	"part of an array, volume group or pool is always refused.\n"
	"\n"
	"`none`: the run may not be swapped out.\n"
	"\n"
	"The kernel has one swap space for the machine and fills the area with the\n"
	"highest priority first.\n"
	"The run's area gets the highest one, 32767, or, while areas of other runs are\n"
	"active, the next below theirs.\n"
	"Pages of a later run therefore go to the area of an earlier one until that is\n"
	"full: `swapped-elsewhere` is then a reason not to trust the result, for every\n"
	"run whose pages may have left its own area.\n"
	"A warning at the start names other areas.";
const char pressure_destroy_manual[] =
	"Confirm overwriting the device of `--swap=dev:`PATH by the same path once\n"
	"more, or by the serial number of the device.";
const char pressure_page_cluster_manual[] =
	"Read up to 2^N pages of swap in one fault, 0 to 31; `keep` leaves\n"
	"`vm.page-cluster` as it is.\n"
	"The default is 0 with any other option of memory pressure.\n"
	"The setting applies to the whole machine and is restored at the end.\n"
	"Concurrent runs must use the same value.";
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
const char pressure_setting_manual[] =
	"Write VALUE to the file PATH for the run, and restore what was there; up to 16\n"
	"times, in their order.\n"
	"PATH is a file of one value in `/proc/sys/vm`, `/sys/kernel/mm`,\n"
	"`/sys/module/zswap/parameters` or `/sys/block/`DISK`/queue`, or one of memory,\n"
	"io or cpu of a cgroup.\n"
	"VALUE has the form in which the kernel prints it.\n"
	"Settings belong to the whole machine; concurrent runs must use the same value.\n"
	"\n"
	"  --set /sys/kernel/mm/transparent_hugepage/enabled=always";
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
	case PRESSURE_SWAP_ZSWAP:
		snprintf(text, OPT_TEXT, "zswap:%s,%lluB,%u%%%s%s", swap->path, bytes, swap->pool_percent,
			*swap->algorithm ? "," : "", swap->algorithm);
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
