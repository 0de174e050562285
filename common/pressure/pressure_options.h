/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Defines the options of memory pressure, the same rows in each program that has them. */
#ifndef COMMON_PRESSURE_PRESSURE_OPTIONS_H
#define COMMON_PRESSURE_PRESSURE_OPTIONS_H

#include "common/cli/opt.h"
#include "common/pressure/pressure_check.h"
#include "common/pressure/pressure_plan.h"

enum pressure_recovery { PRESSURE_RECOVER_NOT, PRESSURE_RECOVER_RESTORE, PRESSURE_RECOVER_SET_ASIDE };

/* Rows of a table; at: the offset of a struct pressure_plan in the command's structure. pressure_parse_finish then checks
 * them against each other. */
#define PRESSURE_OPTIONS(at) \
	{"ram", 0, "SIZE", OPT_SIZE, 0, (at) + offsetof(struct pressure_plan, ram_bytes), .min = PRESSURE_MIN_RAM, \
		.get = opt_get_plain, .help = "limit the run to SIZE of memory", .manual = pressure_ram_manual}, \
	{"high", 0, "SIZE", OPT_SIZE, 0, (at) + offsetof(struct pressure_plan, high_bytes), .min = PRESSURE_MIN_RAM, \
		.get = opt_get_plain, .help = "slow the run down above SIZE (memory.high of cgroup version 2)", \
		.manual = pressure_high_manual}, \
	{"swap", 0, "SPEC", OPT_OWN, 0, (at) + offsetof(struct pressure_plan, swap), .choices = pressure_swap_words, \
		.set = pressure_set_swap, .get = pressure_get_swap, .must_be_typed = pressure_makes_swap, \
		.help = "swap to zram:SIZE[,ALGO], file:PATH,SIZE, loop:PATH,SIZE, zswap:PATH,SIZE,POOL%[,ALGO], dev:PATH or " \
			"none (default: the system's)", \
		.manual = pressure_swap_manual}, \
	{"destroy-data", 0, "PATH", OPT_STRING, OPT_UNREPORTED, (at) + offsetof(struct pressure_plan, destroy_data), \
		.help = "confirm overwriting the device of --swap=dev:PATH", .manual = pressure_destroy_manual}, \
	{"page-cluster", 0, "N|keep", OPT_OWN, 0, (at), .set = pressure_set_page_cluster, \
		.get = pressure_get_page_cluster, .help = "read 2^N pages of swap in one fault, 0 to 31 (default: 0)", \
		.manual = pressure_page_cluster_manual}, \
	{"swappiness", 0, "N", OPT_OWN, 0, (at), .set = pressure_set_swappiness, \
		.get = pressure_get_swappiness, .help = "set swappiness for the run, 0 to 200 (default: the system's)", \
		.manual = pressure_swappiness_manual}, \
	{"eater", 0, "NODE=SIZE@T0-T1", OPT_OWN, OPT_REPEATS, (at), .set = pressure_set_eater, \
		.get = pressure_get_eater, .help = "hold SIZE of memory of NODE (or any) from T0 to T1; up to 8 times", \
		.manual = pressure_eater_manual}

/* The row of --set; at: the offset of a struct pressure_plan. */
#define PRESSURE_SET_OPTION(at) \
	{"set", 0, "PATH=VALUE", OPT_OWN, OPT_REPEATS | OPT_TYPED_ONLY, (at), .set = pressure_set_setting, \
		.help = "write VALUE to PATH in /proc/sys/vm or /sys for the run, and restore it", \
		.manual = pressure_setting_manual}

/* The row of --recover; at: the offset of an enum pressure_recovery. */
#define PRESSURE_RECOVER_OPTION(at) \
	{"recover", 0, "set-aside", OPT_OWN, OPT_UNREPORTED, (at), .bare = "", .set = pressure_set_recover, \
		.allowed = "must be given without a value, or as --recover=set-aside", \
		.help = "restore what killed runs left behind, and exit", .manual = pressure_recover_manual}

extern const char *const pressure_swap_words[];
extern const char pressure_ram_manual[], pressure_high_manual[], pressure_swap_manual[], pressure_destroy_manual[],
	pressure_page_cluster_manual[], pressure_swappiness_manual[], pressure_eater_manual[], pressure_setting_manual[],
	pressure_recover_manual[];

opt_set_fn pressure_set_swap, pressure_set_page_cluster, pressure_set_swappiness, pressure_set_eater, pressure_set_setting,
	pressure_set_recover;
opt_get_fn pressure_get_swap, pressure_get_page_cluster, pressure_get_swappiness, pressure_get_eater;
bool pressure_makes_swap(const char *text);

/* Checks options that exclude or need each other. Returns 0, or -EINVAL and *why. */
int pressure_parse_finish(const struct pressure_plan *plan, const char **why);

#endif
