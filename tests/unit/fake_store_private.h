/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by the files of fake_store only. */
#ifndef TESTS_UNIT_FAKE_STORE_PRIVATE_H
#define TESTS_UNIT_FAKE_STORE_PRIVATE_H

#include "tests/unit/fake_store.h"

/* Time goes on, and write-back with it. */
void fake_store_pass(struct fake_store *store, double ns);
/* The same of what something costs: with the noise and the drift. */
void fake_store_spend(struct fake_store *store, double ns);
/* Those of memory and the libc. */
void fake_store_memory_hooks(struct calibrate_hooks *hooks);

#endif
