/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The choice from one backend to the other. */
#include "config.h"
#include "tests/unit/said.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/diag.h"
#include "ssd-workloads/backend/choose.h"

#define BLOCK 4096u

struct choice {
	struct backend_setup setup;
	const char *first, *only;
};

static int choose(void *data)
{
	const struct choice *choice = data;
	struct backend_choice chosen;
	int code = backend_choose(&choice->setup, 1, choice->first, choice->only, &chosen);

	if (code)
		return code;
	printf("%s %zu", chosen.ops->name, chosen.count);
	return 0;
}

TEST("a refusal says why")
{
	char memory[BLOCK] __attribute__((aligned(4096)));
	struct choice choice = {.setup = {.fd = STDIN_FILENO, .slots = 1, .buffers = memory, .slot_bytes = BLOCK}};
	struct said said;

	choice.first = "threads";
	said = said_of(choose, &choice);
	assert_int_equal(said.status, 0);
	assert_string_equal(said.out, "threads 1");
	choice.first = NULL;
	choice.only = "threads";
	choice.setup.is_iopoll = true;
	said = said_of(choose, &choice);
	assert_int_equal(said.status, DIAG_EXIT_HOST);
	assert_non_null(strstr(said.err, "--require threads: threads cannot poll: drop --sqpoll and --iopoll"));
	assert_ptr_equal(backend_find("uring"), &backend_uring);
	assert_null(backend_find("aio"));
}

/* Locked memory is each user's: that of somebody who has no process. 'u' io_uring, 't' threads, '?' neither. */
static char chosen_with(const struct backend_setup *setups, size_t count, size_t locked_bytes)
{
	const struct rlimit limit = {locked_bytes, locked_bytes};
	int status;
	pid_t child;

	fflush(NULL);
	child = fork();
	if (!child) {
		struct backend_choice choice;

		if (setrlimit(RLIMIT_MEMLOCK, &limit) || setresgid(65534, 65534, 65534) || setresuid(65534, 65534, 65534) ||
			backend_choose(setups, count, NULL, NULL, &choice))
			_exit('?');
		_exit(choice.ops->name[0]);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	return (char)WEXITSTATUS(status);
}

/* Where one ring can be had and not all of them, the run would end after all had been prepared. */
TEST("all workers get the same backend")
{
	enum { WORKERS = 16 };
	struct backend_setup setups[WORKERS];
	char memory[BLOCK] __attribute__((aligned(4096)));
	size_t least = 0;

	for (size_t i = 0; i < WORKERS; i++)
		setups[i] = (struct backend_setup){.fd = STDIN_FILENO, .slots = 1, .buffers = memory, .slot_bytes = BLOCK};
	while (least < 1u << 20 && chosen_with(setups, 1, least) != 'u')
		least += 4096;
	/* Not root, no io_uring, or no limit. */
	if (!least || least == 1u << 20 || chosen_with(setups, 1, 0) != 't')
		skip();
	assert_int_equal(chosen_with(setups, WORKERS, least), 't');
	/* Registered buffers take of it as well. */
	assert_int_equal(chosen_with(setups, WORKERS, 2 * WORKERS * (least + BLOCK)), 'u');
}

UNIT_BEGIN()
{
	return unit_is_emulated() ? "an emulator knows nothing of rings and limits" : NULL;
}
