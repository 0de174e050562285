/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The laws of the model, checked on the results of a run: the device's end state, its totals and its records, joined with the
 * host's. With incomplete records (sampled, some stations, frozen, overwritten) only the laws that the kept records determine are
 * checked.
 */
#ifndef TESTS_UNIT_SIM_CHECK_H
#define TESTS_UNIT_SIM_CHECK_H

#include "ssd-workloads/dump/dump.h"
#include "ssd-workloads/sim/device.h"

/* Checks a device without commands in progress; dump is its dump, NULL = check totals and end state only. Returns 0; -EPROTO,
 * and in why the violated law and its place; or -ENOMEM. */
int sim_check(const struct sim_device *device, const struct dump *dump, char *why, size_t length);

#endif
