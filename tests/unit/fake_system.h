/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A calibration of round numbers: a device of 100 MB/s named vdz with ext4, all that the three models need. */
#ifndef TESTS_UNIT_FAKE_SYSTEM_H
#define TESTS_UNIT_FAKE_SYSTEM_H

#include "iowrite-bench/system/system.h"

/* Its points are static: never system_free. */
void fake_system(struct system *system);

#endif
