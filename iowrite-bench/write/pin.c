/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "iowrite-bench/write/pin.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "common/host/topology.h"

static const char pinned[] = "pinned to CPU";

int pin_parse(const char *text, struct pin_request *request, const char **why)
{
	cpu_set_t set;
	int rc;

	if (!strcmp(text, "none")) {
		*request = (struct pin_request){.is_free = true};
		return 0;
	}
	CPU_ZERO(&set);
	rc = cpus_parse(text, NULL, &set, why);
	if (!rc)
		*request = (struct pin_request){.has_cpus = true, .cpus = set};
	return rc;
}

struct pin_request pin_again(const char *text, int cpu)
{
	return (struct pin_request){.is_again = true, .is_free = !pin_was(text), .again = cpu};
}

int pin_choose(const struct pin_request *request, const cpu_set_t *inherited, char *text, size_t length)
{
	int cpu = CPU_SETSIZE - 1, count = CPU_COUNT(inherited);
	char other[80] = "";
	cpu_set_t usable;

	if (request->is_again && request->again >= 0 && request->again < CPU_SETSIZE && CPU_ISSET(request->again, inherited)) {
		cpu = request->again;
	} else if (request->has_cpus) {
		CPU_AND(&usable, &request->cpus, inherited);
		for (cpu = 0; cpu < CPU_SETSIZE && !CPU_ISSET(cpu, &usable);)
			cpu++;
	} else {
		while (cpu >= 0 && !CPU_ISSET(cpu, inherited))
			cpu--;
	}
	if (request->is_again && request->again < 0)
		snprintf(other, sizeof(other), "; the CPU of the calibration is unknown");
	else if (request->is_again && cpu != request->again)
		snprintf(other, sizeof(other), "; the calibration used CPU %d, which is not available here", request->again);
	if (request->is_free)
		snprintf(text, length, "not pinned: %s", request->is_again ? "the calibration was not" : "as requested");
	else if (cpu < 0 || cpu == CPU_SETSIZE)
		snprintf(text, length, "not pinned: none of the requested CPUs is available here");
	else if (count < 2)
		snprintf(text, length, "not pinned: there is one CPU, which the flusher needs, too");
	else
		snprintf(text, length, "%s %d, %d CPUs left to others%s", pinned, cpu, count - 1, other);
	return request->is_free || count < 2 || cpu == CPU_SETSIZE ? -1 : cpu;
}

void pin_begin(const struct pin_request *request, struct pin *pin)
{
	cpu_set_t one;
	int cpu;

	*pin = (struct pin){.cpu = -1};
	if (sched_getaffinity(0, sizeof(pin->before), &pin->before)) {
		snprintf(pin->text, sizeof(pin->text), "not pinned: cannot read the CPU affinity: %s", strerror(errno));
		return;
	}
	cpu = pin_choose(request, &pin->before, pin->text, sizeof(pin->text));
	if (cpu < 0)
		return;
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	pin->others = pin->before;
	CPU_CLR(cpu, &pin->others);
	pin->is_pinned = !sched_setaffinity(0, sizeof(one), &one);
	if (pin->is_pinned)
		pin->cpu = cpu;
	else
		snprintf(pin->text, sizeof(pin->text), "not pinned: CPU %d was refused: %s", cpu, strerror(errno));
}

void pin_end(struct pin *pin)
{
	if (pin->is_pinned)
		(void)sched_setaffinity(0, sizeof(pin->before), &pin->before);
	pin->is_pinned = false;
}

const cpu_set_t *pin_others(const struct pin *pin)
{
	return pin && pin->is_pinned ? &pin->others : NULL;
}

void pin_leave(const struct pin *pin)
{
	if (pin_others(pin))
		(void)sched_setaffinity(0, sizeof(pin->others), &pin->others);
}

bool pin_was(const char *text)
{
	return !strncmp(text, pinned, strlen(pinned));
}
