# SPDX-License-Identifier: GPL-3.0-or-later
"""The folder of results of memstor run, of which one memstor run at a time is the user.

index.jsonl  STEP/1/{report.xml,stdout,stderr}. The index is JSON lines: one for each call of memstor run, of
which the first has the suite, and one for each run, appended when it has ended and synced, so that it is
whole when memstor is killed. Of two lines of one run the later one counts.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import json
import os
import stat
import sys
from datetime import datetime, timezone
from typing import Any, Iterable, Iterator

from memstor.error import HOST, USAGE, Problem, clean
from memstor.output import open_folder

INDEX = "index.jsonl"
SIDES = ("base", "new")  # folders of the runs of two builds
VERSION = 3  # of the index; 1 was index.xml
Entry = dict[str, Any]
WORDS = {
    errno.EACCES: "a folder of its path has no search permission, or is a link of another user",
    errno.ENOTDIR: "not a folder",
    errno.ELOOP: "it is a link: name the folder itself",
}


def moment() -> str:
    """Now, as in reports."""
    return datetime.now(timezone.utc).isoformat(timespec="microseconds").replace("+00:00", "Z")


def refuse_two_builds(paths: Iterable[str]) -> None:
    """Where all runs are taken for those of one."""
    for path in paths:
        if all(os.path.isdir(os.path.join(path, side)) for side in SIDES):
            raise Problem(f"has runs of two builds; name one, as {os.path.join(path, SIDES[1])}", path)


def _open(given: str) -> int:
    """A descriptor of the folder, which is made unless it is there."""
    try:
        place, name = open_folder(given.rstrip("/") or "/")
        try:
            with contextlib.suppress(FileExistsError):
                os.mkdir(name, 0o755, dir_fd=place)
            return os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=place)
        finally:
            os.close(place)
    except OSError as problem:
        why = WORDS.get(problem.errno or 0) or f"cannot be made: {problem.strerror}"
        status = HOST if problem.errno in (errno.ENOSPC, errno.EDQUOT) else USAGE
        raise Problem(f"-o {given}: {why}", status=status) from None


def _refuse(given: str, folder: int, is_resume: bool) -> None:
    """A folder that another user controls, or that has something else in it."""
    facts, names = os.fstat(folder), os.listdir(folder)
    if facts.st_uid != os.geteuid():
        mine = f"must be user {os.geteuid()}, who runs this"
        raise Problem(f"-o {given}: belongs to user {facts.st_uid} ({mine}); give the name of a new folder")
    if facts.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        mode = f"mode {stat.S_IMODE(facts.st_mode):04o}, must be 0755 or less"
        raise Problem(f"-o {given}: other users may write to it ({mode}); run chmod go-w on it")
    try:
        fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise Problem(f"-o {given}: another memstor run uses it") from None
    if is_resume and names and INDEX not in names:
        raise Problem(f"-o {given}: not a resumable run directory (no {INDEX})")
    if names and not is_resume:
        why = "exists and is not empty: give the name of a new folder"
        has = "already contains results; continue with --resume or name another DIR"
        raise Problem(f"-o {given}: {has if INDEX in names else why}")


class Folder:
    """Entered: paths are relative to it, so that no folder that replaces it gets anything.

    lock: a descriptor for programs, which hold its lock until they have ended, also when memstor is killed;
    first: the first line of the index, empty = there is none; records: the last one of each run, by step and
    number.
    """

    def __init__(self, given: str, stack: contextlib.ExitStack):
        self.given = given
        self.index = stack.enter_context(open(INDEX, "a+b", buffering=0))
        self.lock = stack.enter_context(open(INDEX, "rb")).fileno()
        try:
            fcntl.flock(self.lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            print(clean(f"memstor: -o {given}: waiting for the program of a killed run"), file=sys.stderr)
            fcntl.flock(self.lock, fcntl.LOCK_EX)
        self.first: Entry = {}
        self.records: dict[tuple[str, int], Entry] = {}
        self._read()

    def _read(self) -> None:
        """A line that was not written whole, as memstor or the machine died, is cut off."""
        where = f"{self.given}/{INDEX}"
        self.index.seek(0)
        data = self.index.read()
        whole = data[: data.rfind(b"\n") + 1]
        self.index.truncate(len(whole))
        for number, line in enumerate(whole.splitlines(), 1):
            try:
                entry = dict(json.loads(line))
                self.records[entry.get("step", ""), entry.get("run", 0)] = entry
            except (ValueError, TypeError, RecursionError):
                raise Problem("is no line of an index of memstor run", where, number) from None
            self.first = self.first or entry
        if whole and self.first.get("index") != VERSION:
            raise Problem(f"has version {self.first.get('index')}, known is {VERSION}", where, 1)

    def append(self, entry: Entry) -> None:
        self.index.write(json.dumps(entry).encode() + b"\n")
        os.fsync(self.index)


@contextlib.contextmanager
def entered(given: str, is_resume: bool) -> Iterator[Folder]:
    """The folder at this path, made if it is not there, as the working folder. It belongs to the user, and no
    other one may write in it."""
    with contextlib.ExitStack() as stack:
        umask = os.umask(0o077)
        stack.callback(os.umask, umask)
        os.umask(umask | 0o022)
        number = _open(given)
        stack.callback(os.close, number)
        _refuse(given, number, is_resume)
        stack.enter_context(contextlib.chdir(number))
        yield Folder(given, stack)
