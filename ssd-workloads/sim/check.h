/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The laws of the model, checked on what a run left: the device's end state, its totals and its records, joined with the
 * host's. With records that are not complete (sampled, some stations, frozen, overwritten) only what the rest can show.
 */
#ifndef SSD_WORKLOADS_SIM_CHECK_H
#define SSD_WORKLOADS_SIM_CHECK_H

#include "ssd-workloads/record/dump.h"
#include "ssd-workloads/sim/device.h"

/* device: of which no command is under way. dump: of it; NULL = totals and end state alone. 0; -EPROTO and in why which law is
 * broken, and where; -ENOMEM. */
int sim_check(const struct sim_device *device, const struct dump *dump, char *why, size_t length);

#endif
