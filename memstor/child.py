# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs one program at a time and ends it: at its deadline, on a signal to memstor, and when memstor dies."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import time
from contextlib import suppress
from typing import IO, Callable, NamedTuple, Sequence

GRACE_S = 10.0  # from the first signal to SIGKILL
SHOW_S = 0.25
SAID_MAX = 400  # characters of what a program said
NOT_RUN = 127  # the status of a program that cannot be started
# Gets the group of the program from the program itself, before it is one, and waits for a line; when memstor
# is gone without one, it ends the group.
GUARD = """
read -r group && read -r line && exit
[ "$group" ] || exit
kill -s TERM -- "-$group"
while [ "$1" -gt 0 ] && kill -s 0 -- "-$group"; do set -- $(($1 - 1)); sleep 0.1; done
kill -s KILL -- "-$group"
"""
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
ENDED, OVERRUN, STOPPED = "ended", "overrun", "stopped"


class Outcome(NamedTuple):
    end: str  # by itself, at its deadline, or by a signal to memstor
    status: int  # -N = ended by signal N
    seconds: float


def last_line(path: str, program: str) -> str:
    """Of what a program printed, without its name; "" = nothing."""
    with open(path, "rb") as file:
        file.seek(max(0, os.fstat(file.fileno()).st_size - 4096))
        lines = file.read().decode(errors="replace").strip().splitlines()
    return lines[-1].removeprefix(f"{program}: ")[:SAID_MAX] if lines else ""


def _kill(group: int, number: int) -> None:
    """Nothing is left of the group, or it changed its user."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)


class Runner:
    """A context in which signals to memstor go to the program that runs; a second one is SIGKILL to it."""

    def __init__(self, lock: int):
        """lock: a descriptor that each program gets, so that what it locks stays so until it has ended."""
        self.lock = lock
        self.signal = 0  # that memstor got first; 0 = none
        self._group = 0
        self._is_kept = False
        self._deadline = 0.0

    def __enter__(self) -> Runner:
        self._before = {number: signal.getsignal(number) for number in SIGNALS}
        for number, handler in self._before.items():
            if handler != signal.SIG_IGN:
                signal.signal(number, self._hear)
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _hear(self, number: int, frame: object) -> None:
        if self._group and self.signal:
            _kill(self._group, signal.SIGKILL)
        elif self._group and not self._is_kept:
            _kill(self._group, number)
        self.signal = self.signal or number

    def run(
        self,
        words: Sequence[str],
        folder: str,
        outputs: tuple[IO[bytes], IO[bytes]],
        limit_s: float,
        env: dict[str, str],
        show: Callable[[float], None],
        is_kept: bool = False,
    ) -> Outcome:
        """words: the first is the path of the program; show: called with the seconds that passed; is_kept:
        the first signal to memstor does not end it. One that cannot be started ends with status 127."""
        out, err = outputs
        guard = subprocess.Popen(
            ["/bin/sh", "-c", GUARD, "guard", str(int(10 * GRACE_S))],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            process_group=0,
        )
        assert guard.stdin is not None
        tell = guard.stdin.fileno()
        begin = time.monotonic()
        try:
            # A group of its own: the terminal's signals do not reach it, and all of it can be ended.
            program = subprocess.Popen(
                words,
                cwd=folder,
                env=env,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                pass_fds=[self.lock],
                process_group=0,
                preexec_fn=lambda: os.write(tell, b"%d\n" % os.getpid()),
            )
        except OSError as problem:
            guard.communicate(b"\n\n")
            err.write(os.fsencode(f"cannot run {words[0]}: {problem.strerror}\n"))
            return Outcome(ENDED, NOT_RUN, 0.0)
        self._group, self._is_kept = program.pid, is_kept
        if self.signal and not is_kept:
            _kill(program.pid, self.signal)
        pidfd = os.pidfd_open(program.pid)
        end, deadline = ENDED, begin + limit_s
        while not select.select([pidfd], [], [], max(0.0, min(SHOW_S, deadline - time.monotonic())))[0]:
            now = time.monotonic()
            if self.signal and end == ENDED and not is_kept:
                end, deadline = STOPPED, now + GRACE_S
            elif now >= deadline:
                _kill(program.pid, signal.SIGTERM if end == ENDED else signal.SIGKILL)
                end, deadline = OVERRUN if end == ENDED else end, now + GRACE_S
            show(now - begin)
        seconds = time.monotonic() - begin
        os.close(pidfd)
        status = program.wait()
        self._group = 0
        _kill(program.pid, signal.SIGKILL)  # what it left
        guard.communicate(b"\n")
        return Outcome(STOPPED if self.signal and not is_kept else end, status, seconds)
