/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "iowrite-bench/model/validity.h"

#include <math.h>
#include <string.h>

#include "common/base/units.h"
#include "iowrite-bench/write/measure.h"
#include "iowrite-bench/write/memory.h"

void validity_add(struct validity *validity, const char *code, const char *format, ...)
{
	struct validity_reason *reason = &validity->reasons[validity->count];
	va_list arguments;

	if (validity->count == VALIDITY_MAX)
		return;
	*reason = (struct validity_reason){.code = code};
	va_start(arguments, format);
	vsnprintf(reason->text, sizeof(reason->text), format, arguments);
	va_end(arguments);
	validity->count++;
}

bool validity_has(const struct validity *validity, const struct validity_reason *reason)
{
	for (size_t i = 0; i < validity->count; i++) {
		if (!strcmp(validity->reasons[i].code, reason->code) && !strcmp(validity->reasons[i].text, reason->text))
			return true;
	}
	return false;
}

/* Returns the dirty bytes below which a group of the unified hierarchy is not throttled: the machine's, by the group's share of
 * the memory (domain_dirty_limits). 0 = unknown, or the group has no thresholds of its own. */
static uint64_t group_freerun(const struct validity_question *question)
{
	const struct machine *machine = question->machine;
	struct dirty_state state;
	struct dirty dirty;
	int rc;

	if (machine->cgroup_version != 2 || !machine->available_bytes ||
		machine->cgroup_limit_bytes >= machine->available_bytes || dirty_open(question->root, &dirty))
		return 0;
	rc = dirty_read(&dirty, &state);
	dirty_close(&dirty);
	if (rc)
		return 0;
	return (uint64_t)(((double)state.background_threshold + (double)state.threshold) / 2 /
			  (double)machine->available_bytes * (double)machine->cgroup_limit_bytes);
}

static void check_cgroup(const struct validity_question *question, struct validity *validity)
{
	uint64_t limit = question->machine->cgroup_limit_bytes, freerun;
	char limit_text[UNITS_TEXT], bytes_text[UNITS_TEXT];

	if (limit == UINT64_MAX)
		return;
	units_format_size(question->bytes, bytes_text, sizeof(bytes_text));
	if (question->bytes > limit) {
		units_format_size(limit, limit_text, sizeof(limit_text));
		validity_add(validity, "cgroup-limit", "the memory cgroup may hold %s, and %s are written: its pages are reclaimed",
			limit_text, bytes_text);
		return;
	}
	freerun = group_freerun(question);
	if (freerun && question->bytes > freerun) {
		units_format_size(freerun, limit_text, sizeof(limit_text));
		validity_add(validity, "cgroup-limit", "the memory cgroup is throttled from some %s dirty on, before the machine "
			"is, and %s are written", limit_text, bytes_text);
	}
}

/* Only as-is memory may have been returned to the host: the run holds host-backed memory, and cold memory is cold anyway. */
static void check_memory(const struct validity_question *question, struct validity *validity)
{
	struct balloon balloon;

	if (question->memory != MODEL_AS_IS)
		return;
	balloon_read(question->root, &balloon);
	if (balloon.count)
		validity_add(validity, "balloon", "the host may reclaim free memory (virtio_balloon), which is then cold");
	if (balloon.reports_pages)
		validity_add(validity, "page-reporting", "free memory is returned to the host and is cold after seconds");
}

static void check_device(const struct validity_question *question, struct validity *validity)
{
	static const enum system_parameter rates[] = {SYSTEM_BW_SYNC, SYSTEM_BW_DEV};

	/* Writes that stay below the background threshold are not written back while they last. */
	if (question->system && !isfinite(system_get(question->system, SYSTEM_BW_SYNC)) &&
		(double)question->bytes > system_get(question->system, SYSTEM_LIMIT_BG))
		validity_add(validity, "uncalibrated", "the calibration lacks bw_sync: write-back is assumed to run at "
			"bw_dev, and not to slow down the writer");
	for (size_t i = 0; question->system && i < sizeof(rates) / sizeof(rates[0]); i++) {
		const struct system_value *rate = &question->system->parameters[rates[i]];

		/* `unstable` of an unknown value is the reason why it is unknown. */
		if (isfinite(rate->value) && rate->unstable[0]) {
			validity_add(validity, "unstable-device", "%s was not stable when it was calibrated: %s",
				system_row(rates[i])->name, rate->unstable);
			return;
		}
	}
}

void validity_model(const struct validity_question *question, struct validity *validity)
{
	validity->count = 0;
	check_cgroup(question, validity);
	if (question->writers > 1)
		validity_add(validity, "several-writers", "%u threads write at once, and the models cover one", question->writers);
	check_memory(question, validity);
	check_device(question, validity);
}

bool validity_hides_memory(const struct validity *validity, const struct system *system, enum model_memory memory)
{
	bool is_hidden = !isfinite(system_get(system, SYSTEM_WARM_POOL));

	for (size_t i = 0; i < validity->count && !is_hidden; i++)
		is_hidden = !strcmp(validity->reasons[i].code, "balloon") || !strcmp(validity->reasons[i].code, "page-reporting");
	return is_hidden && memory == MODEL_AS_IS;
}

void validity_measured(const struct validity_question *question, struct validity *validity)
{
	char text[160], unbacked[UNITS_TEXT], bytes[UNITS_TEXT];
	size_t known;

	if (question->memory == MODEL_COLD && !question->is_direct)
		validity_add(validity, "cold-not-proven", "free memory was unused for %d s: what the host had not "
			"reclaimed by then was warm; how much is unknown", MEMORY_COLD_S);
	known = validity->count;
	/* Several writers wait for each other. */
	if (question->writers == 1 && contention_is_machine_busy(&question->busy, 1)) {
		contention_machine_text(&question->busy, text, sizeof(text));
		validity_add(validity, "busy-machine", "%s", text);
	}
	if (question->unbacked_bytes)
		validity_add(validity, "host-memory-exhausted",
			"the host-backed memory was used up: %s of %s went into memory as it was, which may be cold",
			units_format_size(question->unbacked_bytes, unbacked, sizeof(unbacked)),
			units_format_size(question->written_bytes, bytes, sizeof(bytes)));
	for (size_t i = known; i < validity->count; i++)
		validity->reasons[i].is_measured = true;
}

void validity_distrust(struct frame *frame, const char *name, uint64_t bytes, uint64_t unbacked_bytes)
{
	char unbacked_text[UNITS_TEXT], bytes_text[UNITS_TEXT];

	if (unbacked_bytes)
		frame_reason(frame, "host-memory-exhausted",
			"%s: the host-backed memory was used up, %s of %s went into memory as it was", name,
			units_format_size(unbacked_bytes, unbacked_text, sizeof(unbacked_text)),
			units_format_size(bytes, bytes_text, sizeof(bytes_text)));
}

void validity_write(struct report *report, const struct field *field, const void *from)
{
	const struct validity *validity = from;

	for (size_t i = 0; i < validity->count; i++)
		FIELD_ROW(report, field, coded_text, validity->reasons[i].code, validity->reasons[i].text);
}
