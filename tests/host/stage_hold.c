/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * stage_hold BACKGROUND DIRTY RATE SIZE FOLDER [BACKGROUND DIRTY]...
 * Sets the stage of an evaluation (bytes; 0 = not), prints the slow folder or "-", and waits for a line on stdin or a
 * signal; so it goes on with each further pair of thresholds, and puts all back. What host tests kill.
 */
#include "config.h"

#include <poll.h>
#include <stdio.h>
#include <unistd.h>

#include "common/base/diag.h"
#include "common/base/interrupt.h"
#include "common/base/units.h"
#include "iowrite-bench/setup/test_setup.h"

/* False: it is over. */
static bool waits(const char *word)
{
	struct pollfd polled[] = {{.fd = 0, .events = POLLIN}, {.fd = interrupt_fd(), .events = POLLIN}};
	char byte;

	puts(word);
	fflush(stdout);
	while (poll(polled, 2, -1) < 0 || polled[1].revents)
		if (interrupt_signal())
			return false;
	while (read(0, &byte, 1) == 1)
		if (byte == '\n')
			return true;
	return false;
}

static int go_on(struct test_setup *stage, char **pairs)
{
	uint64_t background, dirty;
	int code;

	for (; pairs[0] && pairs[1]; pairs += 2) {
		if (units_parse_u64(pairs[0], 0, UINT64_MAX, &background) ||
			units_parse_u64(pairs[1], 0, UINT64_MAX, &dirty))
			return DIAG_EXIT_USAGE;
		code = test_setup_thresholds(stage, background, dirty);
		if (code)
			return code;
		if (!waits("again"))
			return DIAG_EXIT_UNTRUSTED;
	}
	return DIAG_EXIT_OK;
}

int main(int argc, char **argv)
{
	struct test_setup_request request = {0};
	struct test_setup *stage;
	uint64_t numbers[4];
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
	code = test_setup_open(&request, &stage);
	if (code)
		return code;
	if (waits(test_setup_folder(stage) ? test_setup_folder(stage) : "-"))
		code = go_on(stage, argv + 6);
	else
		code = DIAG_EXIT_UNTRUSTED;
	return test_setup_close(stage) ? DIAG_EXIT_HOST : code;
}
