/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include <malloc.h>

#include "memstor/commands.h"

#define KEEP_BYTES (32 << 20)

int main(int argc, char **argv)
{
	/* One report is read after the other: pages that are given back and fetched again for each are a quarter of the time. */
	mallopt(M_MMAP_THRESHOLD, KEEP_BYTES);
	mallopt(M_TRIM_THRESHOLD, KEEP_BYTES);
	return command_main(&memstor_program, argc, argv);
}
