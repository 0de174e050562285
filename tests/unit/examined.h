/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A machine of fake_doctor.h, examined. */
#ifndef TESTS_UNIT_EXAMINED_H
#define TESTS_UNIT_EXAMINED_H

#include "tests/unit/fake_doctor.h"
#include "tests/unit/unit.h"

static struct machine machine;
static struct probe_host host;
static struct doctor_result result;
static const char *paths[] = {"/", "/tmp"};

static inline void examine(const char *name)
{
	paths[0] = "/";
	fake_doctor(name, &machine, &host);
	doctor_examine(&host, paths, 2, &result);
}

#endif
