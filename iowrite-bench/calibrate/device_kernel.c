/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the kernel says of its write-back, and making it begin. */
#include "config.h"
#include "iowrite-bench/calibrate/device.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "common/sysfs.h"
#include "iowrite-bench/bdi.h"
#include "iowrite-bench/busy.h"
#include "iowrite-bench/measure.h"

#define SETTLE_NS 100000000u
#define NS_PER_US 1000
#define TEXT_BYTES 65536

/* --- how busy the machine is --- */

/* Without PSI: time of all CPUs that was neither idle nor our own. */
static uint64_t busy_ns(void)
{
	unsigned long long ticks[8] = {0};
	struct rusage own;
	uint64_t busy, ours;
	char line[512];

	if (sysfs_read("", "/proc/stat", line, sizeof(line)) || getrusage(RUSAGE_SELF, &own) ||
		sscanf(line, "cpu %llu %llu %llu %llu %llu %llu %llu %llu", &ticks[0], &ticks[1], &ticks[2], &ticks[3],
			&ticks[4], &ticks[5], &ticks[6], &ticks[7]) != 8)
		return 0;
	busy = (ticks[0] + ticks[1] + ticks[2] + ticks[5] + ticks[6] + ticks[7]) *
	       (1000000000ull / (uint64_t)sysconf(_SC_CLK_TCK)) / (uint64_t)sysconf(_SC_NPROCESSORS_ONLN);
	ours = ((uint64_t)(own.ru_utime.tv_sec + own.ru_stime.tv_sec) * 1000000u +
		       (uint64_t)(own.ru_utime.tv_usec + own.ru_stime.tv_usec)) *
	       NS_PER_US / (uint64_t)sysconf(_SC_NPROCESSORS_ONLN);
	return busy > ours ? busy - ours : 0;
}

uint64_t device_others_ns(void *state)
{
	uint64_t us;

	(void)state;
	return busy_waited_us("", &us) ? us * NS_PER_US : busy_ns();
}

uint64_t device_foreign_ns(void *state)
{
	struct device *device = state;
	struct foreign_counts counts = {.own_syncs = device->syncs};
	struct dirty_state dirty;

	if (!device->storage.disk[0] || dirty_read(&device->dirty, &dirty) ||
		foreign_read("", device->storage.disk, &counts))
		return (uint64_t)device->foreign.ns;
	counts.pending_bytes = dirty.dirty + dirty.writeback;
	return foreign_add(&device->foreign, &counts);
}

/* --- write-back --- */

static bool scan_after(const char *text, const char *name, uint64_t *value)
{
	const char *at = strstr(text, name);

	if (!at)
		return false;
	at += strlen(name);
	at += strspn(at, " \t");
	return sysfs_scan_u64(at, value);
}

/* Bytes of this device by the kernel's own count, where debugfs is to be had. */
static int bdi_written(const struct device *device, uint64_t *bytes)
{
	char *text;
	size_t length;
	uint64_t kib = 0;
	int rc = sysfs_slurp("", device->written_path, TEXT_BYTES, &text, &length);

	if (rc)
		return rc;
	if (!scan_after(text, "BdiWritten:", &kib))
		rc = -ENODATA;
	free(text);
	*bytes = kib * 1024;
	return rc;
}

/* Of all devices: pages whose write-back has ended. */
static int vm_written(uint64_t *bytes)
{
	char *text;
	size_t length;
	uint64_t pages = 0;
	int rc = sysfs_slurp("", "/proc/vmstat", TEXT_BYTES, &text, &length);

	if (rc)
		return rc;
	if (!scan_after(text, "\nnr_written ", &pages))
		rc = -ENODATA;
	free(text);
	*bytes = pages * (uint64_t)sysconf(_SC_PAGESIZE);
	return rc;
}

void device_find_counters(struct device *device)
{
	char name[64];
	uint64_t bytes;

	device->written_path[0] = '\0';
	if (bdi_of("", device->target->device, name, sizeof(name)))
		return;
	snprintf(device->written_path, sizeof(device->written_path), "/sys/kernel/debug/bdi/%s/stats", name);
	if (bdi_written(device, &bytes))
		device->written_path[0] = '\0';
}

int device_look(void *state, struct dirty_state *dirty, uint64_t *written_bytes)
{
	const struct device *device = state;
	int rc = dirty_read(&device->dirty, dirty);

	if (rc)
		return rc;
	return device->written_path[0] ? bdi_written(device, written_bytes) : vm_written(written_bytes);
}

/* Of this file system only, and not for long: others write, too. */
int device_settle(void *state)
{
	struct device *device = state;
	static const volatile int never;

	device->syncs++;
	if (syncfs(device->target->fd))
		return -errno;
	dirty_settle(&device->dirty, MEASURE_QUIET_BYTES, SETTLE_NS, 0, &never);
	return 0;
}

/* syncfs(2) has the device's flusher write all that is dirty, as at the threshold. */
static void *flush_in_background(void *state)
{
	struct device *device = state;

	pin_leave(device->pin);
	device->flush_error = syncfs(device->target->fd) ? -errno : 0;
	atomic_store(&device->is_flushing, false);
	return NULL;
}

int device_flush(void *state)
{
	struct device *device = state;
	int rc;

	atomic_store(&device->is_flushing, true);
	rc = pthread_create(&device->flusher, NULL, flush_in_background, device);
	device->has_flusher = !rc;
	if (rc)
		atomic_store(&device->is_flushing, false);
	return -rc;
}

bool device_is_flushing(void *state)
{
	struct device *device = state;

	return atomic_load(&device->is_flushing);
}

int device_flush_wait(void *state)
{
	struct device *device = state;

	if (!device->has_flusher)
		return 0;
	pthread_join(device->flusher, NULL);
	device->has_flusher = false;
	return device->flush_error;
}

void device_control(void *state, struct model_control *control)
{
	struct device *device = state;

	gauge_read(device->gauge, &device->dirty, control);
}

int device_thresholds(void *state, uint64_t background_bytes, uint64_t dirty_bytes)
{
	struct device *device = state;

	return stage_thresholds(device->stage, background_bytes, dirty_bytes);
}
