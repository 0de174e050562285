/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Any bytes as a file of --sim-config: it is refused with a reason that is one line, or every parameter is in its range and
 * comes back from its own text; of a device that can be the sizes follow without overflow. */
#include "config.h"
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "ssd-workloads/sim/params.h"

static void check(bool is_true)
{
	if (!is_true)
		abort();
}

static void check_round_trip(const struct sim_params *params)
{
	struct sim_params again;
	char text[64], other[64], line[128], why[256];
	const char *key, *value, *came;

	sim_params_init(NULL, &again);
	for (size_t i = 0; (value = sim_params_value(params, i, &key, text)); i++) {
		snprintf(line, sizeof(line), "%s=%s", key, value);
		check(!sim_params_set(&again, line, why, sizeof(why)));
	}
	for (size_t i = 0; (value = sim_params_value(params, i, &key, text)); i++) {
		came = sim_params_value(&again, i, &key, other);
		check(came && !strcmp(came, value));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sim_params params;
	char path[64], why[192] = "";
	int fd = memfd_create("config", MFD_CLOEXEC), rc;

	check(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	sim_params_init(sim_preset_find("small"), &params);
	rc = sim_params_read(&params, path, why, sizeof(why));
	close(fd);
	check(!rc || (rc < 0 && why[0]));
	check(!strchr(why, '\n'));
	if (rc)
		return 0;
	check_round_trip(&params);
	rc = sim_params_check(&params, why, sizeof(why));
	check(rc ? rc == -EINVAL && why[0] : sim_exported_pages(&params) && sim_exported_pages(&params) < sim_pages(&params));
	return 0;
}
