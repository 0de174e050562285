/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "tests/unit/unit.h"
#include <sys/wait.h>
#include "memstor/run/run.h"
#include "tests/unit/fakeroot.h"

TEST("other memstor runs are counted by their sockets")
{
	struct run_beside beside = {.socket = -1, .self = 77};
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
	assert_int_equal(run_beside_look(&beside, root), 2);
	assert_int_equal(beside.count, 2);
	assert_int_equal(beside.seen[0], 101);
	assert_int_equal(run_beside_look(&beside, root), 2);
	assert_int_equal(beside.count, 2);
	fakeroot_remove(root);
	assert_int_equal(run_beside_look(&beside, root), 0);
}

/* Seen by another process for as long as it is held, and by itself never. */
TEST("a memstor run is counted until it ends")
{
	struct run_beside beside, other;
	int status;
	pid_t pid;

	run_beside_open(&beside);
	assert_true(beside.socket >= 0);
	pid = fork();
	if (!pid) {
		unsigned before, after;

		run_beside_open(&other);
		before = run_beside_look(&other, "");
		run_beside_close(&beside); /* our copy; the parent's goes on */
		after = run_beside_look(&other, "");
		_exit(before >= 1 && after == before && other.seen[0] ? 0 : 1);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	run_beside_close(&beside);
	assert_int_equal(beside.socket, -1);
}
