/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The process that restores the changes of a run: at the run's end, or when the run (the front) dies. Front and guardian exchange
 * whole messages over a socket pair. Private to common/undo/ and common/pressure/.
 */
#ifndef COMMON_UNDO_GUARDIAN_H
#define COMMON_UNDO_GUARDIAN_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

struct journal;
struct undo;

enum guardian_verb {
	GUARDIAN_READY = 1, /* guardian: value 0, or -errno (reported; all is undone) */
	GUARDIAN_HOLD,      /* front: keep the descriptor in this message open */
	GUARDIAN_FINISH,    /* front: undo all */
	GUARDIAN_RESTORED,  /* guardian: value 0 or -errno */
	GUARDIAN_OTHERS,    /* the first verb that a job defines */
};

struct guardian_message {
	int verb, value;
};

/* 0 or -errno. */
int guardian_send(int fd, int verb, int value);
/* Waits for a message; -EPIPE when the other side is gone. */
int guardian_receive(int fd, struct guardian_message *message);

/* Work of a guardian besides waiting. All functions but begin may be called at any time after begin was entered. */
struct guardian_job {
	const char *name; /* of the process */
	void *arg;
	/* Runs before guardian_start returns; fd is the guardian's end. Returns 0, or -errno after one line. */
	int (*begin)(void *arg, struct undo *undo, int fd);
	void (*hear)(void *arg, const struct guardian_message *message);
	void (*ready)(void *arg); /* polled_fd is readable */
	void (*tick)(void *arg);  /* after each message, and every tick_ms */
	/* Runs before all is undone; in the front, if the guardian was killed. */
	void (*end)(void *arg);
	int polled_fd;            /* -1 = none */
	int tick_ms;
	sigset_t front_mask;      /* set by guardian_start: the guardian itself has blocked all signals */
};

struct guardian {
	pid_t pid;
	int fd; /* closing it, or dying, makes the guardian undo all */
};

/* Starts the guardian. job NULL: it keeps nothing open but its socket, the journal and stderr, and has a session of its own.
 * With a job it keeps all descriptors open, since the job's children inherit them, and has a process group of its own: the
 * children may then have the front's terminal (docs/adr/0011). Returns 0; -errno after one line and after all was undone;
 * -ECHILD: it was killed before it was ready. */
int guardian_start(struct journal *journal, struct undo *undo, struct guardian_job *job, struct guardian *guardian);
/* Passes a lock to the guardian, which holds it until it ends: no other process can lock the object before it is restored.
 * -errno: the guardian is dead. */
int guardian_hold(const struct guardian *guardian, int lock);
/* Returns when all is undone and the guardian has ended, with its result in *ret. False: the guardian was killed, and the
 * caller must undo. */
bool guardian_finish(struct guardian *guardian, int *ret);

#endif
