/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "tests/unit/unit.h"
#include <sys/wait.h>
#include "memstor/run/run.h"
#include "tests/unit/fakeroot.h"

TEST("other memstor runs are counted by their sockets")
{
	struct run_others others = {.socket = -1, .self = 77};
	char root[64], table[512];

	fakeroot_make(root);
	snprintf(table, sizeof(table),
		"Num       RefCount Protocol Flags    Type St Inode Path\n"
		"0: 00000002 00000000 00000000 0002 01 1 @memstor-run/77\n"
		"0: 00000002 00000000 00000000 0002 01 2 @memstor-run/101\n"
		"0: 00000002 00000000 00000000 0002 01 3 @memstor-runner\n"
		"0: 00000002 00000000 00000000 0002 01 4 /run/@memstor-run\n"
		"0: 00000002 00000000 00000000 0002 01 5 @memstor-run/x\n"
		"0: 00000002 00000000 00000000 0002 01 6 @memstor-run/102\n");
	fakeroot_put_bytes(root, "/proc/net/unix", table, strlen(table));
	assert_int_equal(run_others_count(&others, root), 2);
	assert_int_equal(others.count, 2);
	assert_int_equal(others.seen[0], 101);
	assert_int_equal(run_others_count(&others, root), 2);
	assert_int_equal(others.count, 2);
	fakeroot_remove(root);
	assert_int_equal(run_others_count(&others, root), 0);
}

/* Seen by another process for as long as it is held, and by itself never. */
TEST("a memstor run is counted until it ends")
{
	struct run_others others, other;
	int status;
	pid_t pid;

	run_others_open(&others);
	assert_true(others.socket >= 0);
	pid = fork();
	if (!pid) {
		unsigned before, after;

		run_others_open(&other);
		before = run_others_count(&other, "");
		run_others_close(&others); /* this copy; that of the parent stays open */
		after = run_others_count(&other, "");
		_exit(before >= 1 && after == before && other.seen[0] ? 0 : 1);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	run_others_close(&others);
	assert_int_equal(others.socket, -1);
}
