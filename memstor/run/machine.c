/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "memstor/run/machine.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/units.h"

static void print_swaps(FILE *out, const struct machine *machine)
{
	char size[UNITS_TEXT], used[UNITS_TEXT];

	for (size_t i = 0; i < machine->swap_count; i++) {
		const struct machine_swap *swap = &machine->swaps[i];

		fprintf(out, "swap         %s, %s, %s, %s in use\n", swap->path, swap->backing,
			units_format_size(swap->size_bytes, size, sizeof(size)),
			units_format_size(swap->used_bytes, used, sizeof(used)));
	}
	if (!machine->swap_count)
		fprintf(out, "swap         none\n");
}

static void print_machine(FILE *out, const struct machine *machine)
{
	char whole[UNITS_TEXT], there[UNITS_TEXT];

	fprintf(out, "host         %s\n", machine->hostname);
	fprintf(out, "cpu          %s, %u cores, %u threads\n", machine->cpu_model, machine->cores, machine->threads);
	fprintf(out, "memory       %s, %s available, %zu NUMA node%s\n",
		units_format_size(machine->memory_bytes, whole, sizeof(whole)),
		units_format_size(machine->available_bytes, there, sizeof(there)), machine->node_count,
		machine->node_count == 1 ? "" : "s");
	fprintf(out, "system       %s %s %s, %s\n", machine->os_name, machine->os_release, machine->os_version, machine->arch);
	fprintf(out, "hypervisor   %s\n", machine->hypervisor[0] ? machine->hypervisor : "none");
	print_swaps(out, machine);
	for (size_t i = 0; i < machine->setting_count; i++)
		fprintf(out, "setting      %s = %s\n", machine->settings[i].name, machine->settings[i].value);
}

int run_machine_write(const struct run_plan *plan)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	int err;

	if (!out)
		return -errno;
	print_machine(out, &plan->machine);
	for (size_t i = 0; i < plan->check_count; i++)
		fprintf(out, "check        %s: %s: %s\n", plan->checks[i].code, plan->checks[i].value, plan->checks[i].advice);
	err = fclose(out) ? -ENOMEM : run_folder_write("machine.txt", text, size);
	free(text);
	return err;
}
