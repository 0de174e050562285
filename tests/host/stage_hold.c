/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * stage_hold BACKGROUND DIRTY SLOW SIZE FOLDER [BACKGROUND DIRTY]: sets the stage of an evaluation (sizes in bytes, 0 = not), prints
 * the slow folder or "-", waits for a line on stdin, sets the second thresholds and waits again when they are given, then puts all
 * back. What host tests kill.
 */
#include "config.h"

#include <stdio.h>

#include "common/diag.h"
#include "common/interrupt.h"
#include "common/units.h"
#include "iowrite-bench/stage.h"

static void wait_for_line(const char *word)
{
	char line[16];

	puts(word);
	fflush(stdout);
	if (!fgets(line, sizeof(line), stdin))
		diag_info("stdin is closed");
}

int main(int argc, char **argv)
{
	struct stage_request request = {0};
	struct stage *stage;
	uint64_t numbers[4], background, dirty;
	int code;

	for (int i = 0; i < 4; i++)
		if (argc < 6 || units_parse_u64(argv[i + 1], 0, UINT64_MAX, &numbers[i]))
			return DIAG_EXIT_USAGE;
	request.background_bytes = numbers[0];
	request.dirty_bytes = numbers[1];
	request.slow_bytes_per_second = numbers[2];
	request.slow_size_bytes = numbers[3];
	request.slow_folder = argv[5];
	interrupt_install();
	code = stage_open(&request, &stage);
	if (code)
		return code;
	wait_for_line(stage_folder(stage) ? stage_folder(stage) : "-");
	if (argc > 7 && !units_parse_u64(argv[6], 0, UINT64_MAX, &background) &&
		!units_parse_u64(argv[7], 0, UINT64_MAX, &dirty)) {
		code = stage_thresholds(stage, background, dirty);
		wait_for_line("again");
	}
	return stage_close(stage) ? DIAG_EXIT_HOST : code;
}
