/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "iowrite-bench/predict/scenario_options.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/utsname.h>

#include "common/base/diag.h"

int scenario_options_add_label(struct opt_value *in)
{
	return label_add(opt_field(in), in->text, &in->why);
}

int scenario_options_name(struct opt_value *in)
{
	const struct scenario **scenario = opt_field(in);

	*scenario = scenario_of(in->text);
	return *scenario ? 0 : -EINVAL;
}

int scenario_options_need_system(const struct opt_line *line)
{
	if (opt_text(line, "system"))
		return DIAG_EXIT_OK;
	return opt_refuse(line, "system", "is required: the calibration that iowrite-bench calibrate -o FILE writes");
}

int scenario_options_check(const void *whole, struct scenario_options *shared)
{
	shared->slow_text = opt_text(&shared->line, "slow-device");
	shared->slow_size_text = opt_text(&shared->line, "slow-size");
	if (opt_list_effective(&shared->line, whole))
		return diag_host(ENOMEM, "cannot read the command line");
	return DIAG_EXIT_OK;
}

void scenario_options_free(struct scenario_options *options)
{
	label_free(&options->labels);
	opt_free(&options->line);
}

int scenario_options_publish(const struct scenario_options *options, struct frame *frame, const struct iow_result_values *result)
{
	const struct iow_report_values values = {FRAME_MEMBERS(frame), .result = FIELD_ONE(result)};

	frame->signature.options = options->line.effective;
	frame->signature.option_count = options->line.effective_count;
	frame->signature.labels = options->labels.list;
	frame->signature.label_count = options->labels.count;
	return frame_publish(frame, "iowritebench", &(struct iow_document_values){FIELD_ONE(&values)}, options->xml_path,
		options->json_path);
}

bool scenario_options_take_stdout(const struct scenario_options *options)
{
	return opt_is_stdout(options->xml_path) || opt_is_stdout(options->json_path);
}

/* --- calibrated --- */

#define SLOW_TOLERANCE 1.5 /* between a throttle's setting and the rate that was calibrated behind it */

/* Returns the rate of the kernel's write-back, or else of the device, bytes a second; NAN when the calibration has neither. */
static double calibrated_rate(const struct system *system)
{
	double rate = system_get(system, SYSTEM_BW_SYNC);

	return isfinite(rate) ? rate : system_get(system, SYSTEM_BW_DEV);
}

bool calibrated_is_fast(const struct system *system)
{
	return calibrated_rate(system) >= CALIBRATED_FAST;
}

void calibrated_thresholds(const struct scenario *scenario, bool is_fast, uint64_t *background_bytes,
	uint64_t *dirty_bytes)
{
	*background_bytes = is_fast ? scenario->fast_background_bytes : scenario->background_bytes;
	*dirty_bytes = is_fast ? scenario->fast_dirty_bytes : scenario->dirty_bytes;
}

int calibrated_check(const struct system *system, const struct scenario_options *options, const char *device,
	const char *file_system)
{
	const char *path = options->system_path;
	double rate = calibrated_rate(system), wanted = (double)options->slow_bytes_per_second;

	if (!system->device[0])
		return diag_usage("%s does not name its device: calibrate again", path);
	if (options->slow_bytes_per_second) {
		if (!strncmp(system->device, "loop", 4) && rate <= wanted * SLOW_TOLERANCE && rate >= wanted / SLOW_TOLERANCE)
			return DIAG_EXIT_OK;
		return diag_usage("%s is a calibration of %s with %.0f MB/s, not of a slow device with %.0f MB/s: iowrite-bench "
			"calibrate --slow-device %s makes one", path, system->device, rate / 1e6, wanted / 1e6, options->slow_text);
	}
	if (!strcmp(system->device, device) && !strcmp(system->file_system, file_system))
		return DIAG_EXIT_OK;
	return diag_usage("%s is a calibration of %s (%s), and %s is on %s (%s): take --directory there, or calibrate here", path,
		system->device, system->file_system, options->directory, device[0] ? device : "no device", file_system);
}

static bool is_of_kernel(const struct system *system, const char *release)
{
	return !system->kernel[0] || strstr(system->kernel, release);
}

void calibrated_warn(const struct system *system, const char *path)
{
	struct utsname here;

	if (!uname(&here) && !is_of_kernel(system, here.release))
		diag_warn("%s was made with %.80s, and this is %.80s: predictions from it will be marked as not trustworthy", path,
			system->kernel, here.release);
}

void calibrated_decide(const struct system *system, struct frame *frame)
{
	if (!is_of_kernel(system, frame->machine.os_release))
		frame_reason(frame, "other-kernel", "calibrated with %.80s, measured with %.80s", system->kernel,
			frame->machine.os_release);
	if (system->partial[0])
		frame_reason(frame, "partial-calibration", "predicted from an incomplete calibration: %s", system->partial);
}
