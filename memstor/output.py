# SPDX-License-Identifier: GPL-3.0-or-later
"""Files of the user: read if they are files, and written whole or not at all."""

from __future__ import annotations

import errno
import io
import os
import re
import secrets
import socket
import stat
import sys
from contextlib import contextmanager, nullcontext
from typing import IO, Any, Iterator

from memstor.error import HOST, Problem, clean

OPEN = re.compile(r"/dev/(stdin|stderr|fd/\d+)|/proc/(self|\d+)/fd/\d+")
STEPS_MAX = 4096  # of a path, with the links on its way
# What no table and no picture begins with: reports, and files of other programs.
OTHERS = (b"<?xml", b"memtrace", b"ssdrecs1", b"PERFILE2", b"\x7fELF", b"SQLite format 3")
# As the other tools say it (common/report/report_file.c).
WORDS = {
    errno.EREMOTE: "its folder is another user's (root writes in folders of root and of who called sudo); "
    "name another",
    errno.EACCES: "not permitted, or a link on the way belongs to another user",
    errno.ELOOP: "is a symbolic link; name the file itself",
    errno.ENODEV: "is a device or socket; name a file",
    errno.ESPIPE: "is a FIFO; name a file, or - and a pipe",
    errno.EEXIST: "exists with content of another kind; name another file",
    errno.EADDRINUSE: "another program is writing it; name another file",
}


def open_folder(path: str) -> tuple[int, str]:
    """A descriptor of the folder of path, and the name in it. No link is followed that another user may
    have put there, except by its folder's owner."""
    steps = path.split("/")[::-1]
    folder = os.open("/" if path.startswith("/") else ".", os.O_PATH | os.O_DIRECTORY)
    try:
        for _ in range(STEPS_MAX):
            name = steps.pop()
            if not steps:
                return folder, name
            if not name:
                continue
            facts = os.lstat(name, dir_fd=folder)
            if stat.S_ISLNK(facts.st_mode):
                owners = (0, os.geteuid(), os.fstat(folder).st_uid if os.geteuid() else 0)
                if facts.st_uid not in owners:
                    raise OSError(errno.EACCES, "")
                target = os.readlink(name, dir_fd=folder)
                steps += target.split("/")[::-1]
                if not target.startswith("/"):
                    continue
                folder, before = os.open("/", os.O_PATH | os.O_DIRECTORY), folder
            else:
                flags = os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW
                folder, before = os.open(name, flags, dir_fd=folder), folder
            os.close(before)
        raise OSError(errno.ELOOP, "")
    except BaseException:
        os.close(folder)
        raise


def _refuse_foreign(folder: int) -> None:
    """Root would write where another user decides what is there. Who calls sudo decides for himself."""
    owner = os.fstat(folder).st_uid
    if not os.geteuid() and owner and os.environ.get("SUDO_UID") != str(owner):
        raise OSError(errno.EREMOTE, "")


def _check_target(folder: int, name: str, begins: bytes) -> bool:
    """False: there is a device that does nothing with what it gets."""
    if name in ("", ".", ".."):
        raise OSError(errno.EISDIR, os.strerror(errno.EISDIR))
    try:
        facts = os.lstat(name, dir_fd=folder)
    except FileNotFoundError:
        return True
    if stat.S_ISDIR(facts.st_mode) or stat.S_ISLNK(facts.st_mode):
        number = errno.EISDIR if stat.S_ISDIR(facts.st_mode) else errno.ELOOP
        raise OSError(number, os.strerror(number))
    if not stat.S_ISREG(facts.st_mode):
        if stat.S_ISCHR(facts.st_mode) and facts.st_rdev in (os.makedev(1, 3), os.makedev(1, 7)):
            return False
        raise OSError(errno.ESPIPE if stat.S_ISFIFO(facts.st_mode) else errno.ENODEV, "")
    if not os.access(name, os.W_OK, dir_fd=folder):
        raise OSError(errno.EPERM, os.strerror(errno.EPERM))
    with open(os.open(name, os.O_RDONLY | os.O_NOFOLLOW, dir_fd=folder), "rb") as file:
        head = file.read(512)
    is_other = not head.startswith(begins) if begins else head.startswith(OTHERS) and b"<svg" not in head
    if head and is_other:
        raise OSError(errno.EEXIST, "")
    return True


def _wrap(file: IO[bytes], is_text: bool) -> IO[Any]:
    if is_text:
        return io.TextIOWrapper(file, "utf-8", "surrogateescape", newline="")
    return file


def input_bytes(path: str, most: int) -> bytes:
    """The first bytes of a file that a user named; Problem when it cannot be read."""
    try:
        # To open a device may have an effect, and a FIFO waits for its other end. What is open is read.
        facts = os.stat(path)
        if not (stat.S_ISREG(facts.st_mode) or stat.S_ISDIR(facts.st_mode) or OPEN.fullmatch(path)):
            kind = "FIFO" if stat.S_ISFIFO(facts.st_mode) else "device or socket"
            raise Problem(f"is a {kind} (a file or an open pipe is read)", path)
        with open(path, "rb") as file:
            return file.read(most)
    except OSError as problem:
        raise Problem(f"{problem.strerror}", path) from None
    except MemoryError:
        raise Problem("not enough memory", path, status=HOST) from None


@contextmanager
def _replacing(folder: int, name: str, is_text: bool) -> Iterator[IO[Any]]:
    draft = f"{os.fsdecode(os.fsencode(name)[:200])}.{secrets.token_hex(8)}.tmp"
    number = os.open(draft, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666, dir_fd=folder)
    try:
        with _wrap(open(number, "wb"), is_text) as file:
            yield file
            file.flush()
            os.fsync(number)
        os.rename(draft, name, src_dir_fd=folder, dst_dir_fd=folder)
    except BaseException:
        os.unlink(draft, dir_fd=folder)
        raise


@contextmanager
def _stdout(is_text: bool) -> Iterator[IO[Any]]:
    sys.stdout.flush()
    if not is_text:
        yield sys.stdout.buffer
    elif sys.stdout.isatty():
        text = io.StringIO()
        yield text
        # What a terminal would take for a command becomes an escape.
        sys.stdout.writelines(clean(line.rstrip("\n")) + "\n" for line in text.getvalue().splitlines())
    else:
        file = io.TextIOWrapper(sys.stdout.buffer, "utf-8", "surrogateescape", newline="")
        yield file
        file.flush()
        file.detach()
    sys.stdout.flush()


def _claimed(folder: int, name: str) -> socket.socket:
    """A lock on the file, which all tools take. It ends with the process (common/report/report_file.c)."""
    facts, digest = os.fstat(folder), 0xCBF29CE484222325
    for byte in os.fsencode(name):  # FNV-1a
        digest = (digest ^ byte) * 0x100000001B3 % (1 << 64)
    lock = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    try:
        lock.bind(f"\0memstor-output {facts.st_dev:x} {facts.st_ino:x} {digest:x}")
    except OSError:
        lock.close()
        raise
    return lock


@contextmanager
def _place(path: str, begins: bytes, option: str, is_shared: bool = False) -> Iterator[tuple[int, str, bool]]:
    """A descriptor of the folder, the name in it, and False for a device that needs no draft."""
    try:
        folder, name = open_folder(path)
        try:
            _refuse_foreign(folder)
            lock: socket.socket | nullcontext[None] = nullcontext() if is_shared else _claimed(folder, name)
            with lock:
                yield folder, name, _check_target(folder, name, begins)
        finally:
            os.close(folder)
    except OSError as problem:
        why = WORDS.get(problem.errno or 0) or problem.strerror
        raise Problem(f"{option} {path}: cannot be written: {why}", status=HOST) from None


def check(path: str, begins: bytes = b"", option: str = "-o", is_shared: bool = False) -> None:
    """Refuses, before anything is read, what writing() would refuse. is_shared: several may write it."""
    if path not in ("-", "/dev/stdout") and not OPEN.fullmatch(path):
        with _place(path, begins, option, is_shared):
            pass


@contextmanager
def writing(path: str, begins: bytes = b"", is_text: bool = True, option: str = "-o") -> Iterator[IO[Any]]:
    """A stream to write to; with the end of the block path has all of it, after an exception what it had
    before.

    "-" is standard output; what is open already, as /dev/fd/3, is no link. begins: what files of this kind
    begin with, no other is replaced; b"": a table or picture. option: that gave the path, for messages.
    Problem with HOST when the file cannot be made or written.
    """
    if path in ("-", "/dev/stdout"):
        try:
            with _stdout(is_text) as file:
                yield file
        except BrokenPipeError:
            raise
        except OSError as problem:
            text = f"standard output cannot be written: {problem.strerror}"
            raise Problem(text, status=HOST) from None
    elif OPEN.fullmatch(path):
        try:
            with _wrap(open(path, "wb"), is_text) as file:
                yield file
        except OSError as problem:
            raise Problem(f"{option} {path}: cannot be written: {problem.strerror}", status=HOST) from None
    else:
        with _place(path, begins, option) as (folder, name, is_file):
            if is_file:
                with _replacing(folder, name, is_text) as file:
                    yield file
            else:
                with _wrap(open(os.open(name, os.O_WRONLY, dir_fd=folder), "wb"), is_text) as file:
                    yield file
