# SPDX-License-Identifier: GPL-3.0-or-later
"""memstor mpi: one command on every rank of an MPI job, begun at one moment, and their reports as one.

Each rank forks a keeper before MPI is initialised (a fork afterwards is unsafe on some fabrics), which checks
and runs the command. FILE.ranks/RANK/{report.xml,stdout,stderr} are of one rank, FILE is the merged report.
Rank 0 decides everything, and only its exit status is not 0.
"""

from __future__ import annotations

import argparse
import ctypes
import math
import os
import re
import secrets
import shlex
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import threading
import time
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection, Pipe
from pathlib import Path
from typing import TYPE_CHECKING, Any, Iterator, NamedTuple

import numpy as np
from numpy.typing import NDArray

from memstor import child, cli, merge, output, programs, units
from memstor.error import DIFFERENT, HOST, LINES_MAX, NEGATIVE, OK, UNTRUSTED, USAGE, Problem, clean, warn
from memstor.histogram import Histogram
from memstor.programs import REPORT
from memstor.report import RANKS

if TYPE_CHECKING:
    from mpi4py import MPI

EXAMPLES = (
    "mpirun -n 4 memstor mpi -f all.xml -- pmbench -m 1024 60",
    "srun --mpi=pmix memstor mpi -f all.xml -- iowrite-bench run --directory=/mnt/shared --runtime=60s",
)
# Variables with the number of processes and of this one. The first that is set counts: mpirun within a job of
# Slurm may start fewer.
LAUNCHERS = (
    ("OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"),
    ("PMI_SIZE", "PMI_RANK"),
    ("SLURM_STEP_NUM_TASKS", "SLURM_PROCID"),
    ("SLURM_NTASKS", "SLURM_PROCID"),
)
# Where Open MPI 4 and 5 have the files of their shared memory. MPICH has no such name, and a kill while MPI
# begins would leave its file: it is to use none.
SHARED = ("OMPI_MCA_btl_vader_backing_directory", "OMPI_MCA_btl_sm_backing_directory")
UNSHARED = {"MPIR_CVAR_NOLOCAL": "1"}
PLACES = re.compile(r"\{(rank|host|size)\}")
EXISTS = "exists: results of other runs are not replaced; remove it, or give another name to -f"
KILLED = "the process that runs its command was killed"
POLL_S = 0.05  # a poll takes some 0.1 ms of CPU
PINGS = 50  # to one host; the fastest says most
START_MAX_S = 86000  # below what --start-at of the tools takes
CHECK_S = 60.0  # that a check of options may take
PREPARE_S = 300.0  # that all checks and clocks may take
MARGIN_S = 10.0  # for answers, after all commands have been ended
LATE_PERCENT, LATE_LEAST_S = 1, 0.01  # of its time; what a wake-up may take
OUTLIER_MADS, OUTLIER_PERCENT, OUTLIER_LEAST = 5 * 1.4826, 10, 4
ROWS_MAX = 100
RANKS_MAX = 10000  # with commands: the merged report of more is larger than readers take (bench/mpi-scale.py)
GROUP_LEAST = 32  # ranks that send their results to one
DONE, STOP, END, RESULT, PING = range(1, 6)  # kinds of messages
PR_SET_PDEATHSIG = 1


def _end_with_parent(parent: int) -> bool:
    """SIGTERM when the parent dies, as mpirun that is killed, or a rank. Returns False if it has died."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
    return os.getppid() == parent


# --- the keeper ---


class Checked(NamedTuple):
    status: int
    text: str  # the last line of stderr
    version: str


class Keeper:
    """A process that checks and runs the command of this rank. When the rank dies, it ends the command, and
    removes the shared memory that Open MPI leaves then."""

    def __init__(self) -> None:
        self._pipe, theirs = Pipe()
        # The keeper makes the folder: if either process is killed, the other one knows its name.
        self.shared = f"/dev/shm/memstor-mpi.{secrets.token_hex(8)}"
        parent, self.pid = os.getpid(), os.fork()
        if not self.pid:
            self._pipe.close()
            # Signals to the job's processes reach the rank, which tells the keeper once: a second is SIGKILL.
            os.setsid()
            try:
                _keep(theirs, parent, self.shared)
            finally:
                os._exit(0)
        theirs.close()
        variables = dict(UNSHARED)
        try:
            if self._pipe.recv():
                variables |= dict.fromkeys(SHARED, self.shared)
        except (EOFError, ConnectionError):
            with suppress(OSError):
                os.rmdir(self.shared)
        # The keeper, which was forked before, does not give them to the command.
        os.environ.update({name: text for name, text in variables.items() if name not in os.environ})

    def check(self, words: list[str], own: list[str]) -> Checked:
        """words: of a tool with --dry-run, empty = nothing is to be checked; own: program and --version."""
        try:
            self._pipe.send(("check", words, own))
            return Checked(*self._pipe.recv())
        except (EOFError, ConnectionError):
            raise Problem(KILLED, status=HOST) from None

    def start(self, words: list[str], folder: str, limit_s: float) -> None:
        self._pipe.send(("start", words, folder, limit_s))

    def outcome(self, wait_s: float) -> child.Outcome | None:
        """None: it still runs."""
        try:
            return child.Outcome(*self._pipe.recv()) if self._pipe.poll(wait_s) else None
        except (EOFError, ConnectionError):
            return child.Outcome(KILLED, -signal.SIGKILL, 0.0)

    def signal(self, number: int) -> None:
        os.kill(self.pid, number)


def _keep(pipe: Connection, parent: int, shared: str) -> None:
    # SIGTERM on the death of the rank ends only the command.
    with child.Runner(os.open(os.devnull, os.O_RDONLY)) as runner:
        is_alive = _end_with_parent(parent)
        with suppress(EOFError, ConnectionError):
            try:
                os.mkdir(shared, 0o700)
                pipe.send(True)
            except OSError:
                pipe.send(False)
            while is_alive:
                what, *details = pipe.recv()
                pipe.send(tuple(_check(*details) if what == "check" else _start(runner, *details)))
        shutil.rmtree(shared, ignore_errors=True)


def _check(words: list[str], own: list[str]) -> Checked:
    def call(words: list[str]) -> tuple[int, list[str], list[str]]:
        try:
            done = subprocess.run(
                words,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                check=False,
                text=True,
                errors="replace",
                timeout=CHECK_S,
            )
            return done.returncode, done.stdout.splitlines(), done.stderr.splitlines()
        except subprocess.TimeoutExpired:
            return HOST, [], [f"{shlex.join(words)}: takes more than {CHECK_S:.0f} s"]
        except OSError as problem:
            return HOST, [], [f"{words[0]}: {problem.strerror}"]

    status, _, said = call(words) if words else (OK, [], [])
    # An untrustworthy host is for the report to say.
    status = OK if status == UNTRUSTED else status
    version = call(own)[1] if own else []
    return Checked(status, clean(said[-1]) if said else "", version[0] if version else "")


def _start(runner: child.Runner, words: list[str], folder: str, limit_s: float) -> child.Outcome:
    try:
        with open(f"{folder}/stdout", "xb") as out, open(f"{folder}/stderr", "xb") as err:
            return runner.run(words, os.getcwd(), (out, err), limit_s, dict(os.environ), lambda _: None)
    except OSError as problem:
        return child.Outcome(f"{problem.filename or words[0]}: {problem.strerror}", HOST, 0.0)


# --- what a rank knows of itself ---


class Mine(NamedTuple):
    """What a rank tells rank 0 before anything runs."""

    host: str
    boot: str
    has_command: bool  # False: another rank of its host has it
    why: str  # it cannot run; "" = it can
    status: int
    facts: dict[str, str]  # that should be equal on all hosts


def host_name() -> str:
    """Slurm may know several nodes on one machine."""
    return os.environ.get("SLURMD_NODENAME") or socket.gethostname()


def _text(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError:
        return ""


def _line(text: str, name: str) -> str:
    """The value of a line "NAME : VALUE"; "" = there is none."""
    found = re.search(rf"^{name}\s*:\s*(.*)$", text, re.MULTILINE)
    return found[1].strip() if found else ""


def _file_system(path: str) -> str:
    """The type of that which path is on."""
    real, best = os.path.realpath(path), ("", "")
    for line in _text("/proc/self/mountinfo").splitlines():
        fields = line.split(" ")
        point = fields[4].encode().decode("unicode_escape")
        if len(point) >= len(best[0]) and (real + "/").startswith(point.rstrip("/") + "/"):
            best = point, fields[fields.index("-") + 1]
    return best[1]


def _facts(template: list[str], words: list[str], version: str) -> dict[str, str]:
    kib = _line(_text("/proc/meminfo"), "MemTotal").split(" ")[0]
    facts = {
        "memstor's version": cli.version(),
        "command": shlex.join(template),
        f"version of {template[0]}": version,
        "CPU model": _line(_text("/proc/cpuinfo"), "model name"),
        "clock source": _text("/sys/devices/system/clocksource/clocksource0/current_clocksource").strip(),
        "memory": f"{round(int(kib) / (1 << 20))} GiB" if kib.isdigit() else "",
        "file system of the current folder": _file_system("."),
    }
    for general, word in zip(template[1:], words[1:]):
        path = word.partition("=")[2] if word.startswith("--") else word
        if "/" in path and os.path.isdir(os.path.dirname(path)):
            facts[f"file system of {general}"] = _file_system(path)
    return facts


def filled(template: list[str], rank: int, host: str, size: int) -> list[str]:
    """Words of a command, for one rank."""
    values = {"rank": str(rank), "host": host, "size": str(size)}
    return [PLACES.sub(lambda found: values[found[1]], word) for word in template]


# --- what it measured ---


class Result(NamedTuple):
    """What a rank tells the first one of its group at the end."""

    failed: str  # why it did not measure to its end, or has no report; "" = it did, or another rank ended it
    report: merge.Input | None
    data: bytes  # the report, if rank 0 does not see its file
    cpu_percent: float  # that the rank itself used while it waited
    missed: bool = False  # its tool ended with 1: an objective was missed, as of --slo


class Row(NamedTuple):
    """A line of the table. Times in s since the common start, by the clock of rank 0."""

    rank: int
    host: str
    start: float
    end: float
    rate: float  # operations a second, of its own time
    p50: str
    p99: str
    status: str
    progress: NDArray[np.float64]  # as of a report, may be empty

    def operations(self, begin: float, end: float) -> float:
        """Between two times. Without intervals they are taken as even."""
        times, done = np.array([self.start, self.end]), np.array([0.0, 1.0])
        if len(self.progress) and self.progress[-1, 1]:
            times = self.start + np.insert(self.progress[:, 0], 0, 0.0)
            done = np.insert(self.progress[:, 1] / self.progress[-1, 1], 0, 0.0)
        share = np.interp(end, times, done) - np.interp(begin, times, done)
        return float(self.rate * (self.end - self.start) * share)


class Group(NamedTuple):
    """What the first rank of a group tells rank 0 of all in it."""

    report: merge.Input | None  # merged
    rows: list[Row]  # of the ranks in the report
    others: list[tuple[int, merge.Input]]  # ranks whose reports do not match it
    reasons: list[tuple[str, str]]  # for the verdict: code and text
    missed: list[int]  # ranks that missed an objective
    cpu_percent: float  # largest of a rank


def _result(
    folder: str, outcome: child.Outcome, was_stopped: bool, measured: tuple[int, ...], clock: merge.Clock
) -> Result:
    """measured: the statuses of a command that did; clock: of this host beside rank 0's."""
    how = {
        child.OVERRUN: "it reached the time limit",
        child.STOPPED: "" if was_stopped else "it was interrupted",
        child.ENDED: "" if outcome.status in measured else f"exit status {outcome.status}",
    }.get(outcome.end, outcome.end)
    read, said = None, ""
    try:
        said = child.last_line(f"{folder}/stderr", "")
        if not said and not os.statvfs(folder).f_bavail:
            said = f"no space is left in {folder}"
        # What ended too early has a partial report; a command that failed measured something else.
        if outcome.end != child.ENDED or not how:
            read = merge.load(f"{folder}/{REPORT}", clock)
    except (Problem, OSError) as problem:
        how = how or str(problem)
    failed = clean(": ".join(filter(None, (how, said)))) if how else ""
    missed = not failed and outcome.end == child.ENDED and outcome.status == NEGATIVE
    return Result(failed, read, b"", 0.0, missed)


# --- the job ---


class Watch:
    """A context that ends the rank, and with it the job, when MPI does not answer in time."""

    def __init__(self, seconds: float, text: str):
        self.text = text
        self._timer = threading.Timer(seconds, self._end) if seconds < threading.TIMEOUT_MAX else None

    def _end(self) -> None:
        print(clean(f"memstor: {self.text}"), file=sys.stderr, flush=True)
        os._exit(UNTRUSTED)

    def __enter__(self) -> Watch:
        if self._timer:
            self._timer.daemon = True
            self._timer.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._timer:
            self._timer.cancel()


class Job:
    """What this rank does, with the others, in the order of its methods."""

    def __init__(self, world: MPI.Intracomm, keeper: Keeper, options: argparse.Namespace):
        self.world, self.keeper, self.options = world, keeper, options
        self.rank, self.size, self.host = world.rank, world.size, host_name()
        self.limit_s = options.time_limit or float("inf")
        self.words: list[str] = []
        self.measured: tuple[int, ...] = (OK, UNTRUSTED)  # statuses of a command that did
        self.folder = ""
        self.everyone: list[Mine] = []  # of other ranks than 0 from agree() on
        self.clock, self.start_ns = merge.Clock(0, 0), 0
        self._has_stopped = False  # of rank 0: one has finished
        self.signal = 0  # that ended the command of this rank early

    def name(self, rank: int) -> str:
        return f"rank {rank} ({self.everyone[rank].host})"

    def path_of(self, rank: int) -> str:
        """Of a report, on this host."""
        return f"{os.path.abspath(self.options.file)}{RANKS}/{rank}/{REPORT}"

    @property
    def runs(self) -> list[int]:
        """The ranks with a command, of which rank 0 is the first."""
        return [rank for rank, mine in enumerate(self.everyone) if mine.has_command]

    # --- before ---

    def prepare(self) -> bool:
        """Whether all ranks can run, and are alike; rank 0 says why not. False: ends with self.status."""
        boot = _text("/proc/sys/kernel/random/boot_id").strip()
        hosts = self.world.allgather((self.host, boot))
        ranks = os.path.abspath(self.options.file) + RANKS
        # Before a rank makes it: with another file system a stale report is not taken for that of a rank.
        is_used = self.world.bcast(os.path.lexists(ranks) if not self.rank else None)
        has_command = not self.options.per_host or hosts.index((self.host, boot)) == self.rank
        why, status, facts = "", OK, {}
        if has_command:
            try:
                if is_used:
                    raise Problem(EXISTS, ranks)
                if not self.rank:
                    output.check(self.options.file, b"<?xml", "-f")
                facts = self._checked()
            except Problem as problem:
                why, status = str(problem), problem.status
        mine = Mine(self.host, boot, has_command, why, status, facts)
        self.everyone = self.world.gather(mine, 0) or []
        self.status = self.world.bcast(self._decide() if not self.rank else 0)
        if self.status and self.folder:
            for path in (self.folder, os.path.dirname(self.folder)):
                # Other ranks may have folders in it still.
                with suppress(OSError):
                    os.rmdir(path)
        return not self.status

    def _checked(self) -> dict[str, str]:
        """The facts of a rank whose command can run. Problem: it cannot."""
        template = self.options.command
        own = filled(template, self.rank, self.host, self.size)
        tool = programs.tool_of(own)
        if tool and not tool.has_start:
            other = "allowed are programs that have it, and other commands"
            raise Problem(f"{' '.join(tool.words)} has no --start-at: {other}")
        for option in programs.reserved(own) if tool else ():
            why = "memstor mpi gives each report its name, and starts the command"
            raise Problem(f"{option} cannot be given: {why}")
        path, pressure = programs.find(own[0]), programs.find("with-pressure")
        if not path:
            raise Problem(f"{own[0]} is not installed: neither in memstor's folder nor in PATH", status=HOST)
        if not tool and not pressure:
            raise Problem("with-pressure, which measures other commands, is not installed", status=HOST)
        if tool:
            self.measured += (NEGATIVE,)
        at = len(tool.words) if tool else 0
        # Other commands are found by PATH, so that the command is the same on all hosts.
        words = [path if tool or not shutil.which(own[0]) else own[0], *own[1:]]
        labels = [word for label in self.options.label for word in ("--label", label)]
        if tool:
            dry = [*words[:at], "--dry-run", *labels, *words[at:]] if tool.has_check else []
        else:
            dry = [pressure, "--dry-run", "-f", REPORT, *labels, "--", *words]
        checked = self.keeper.check(dry, [path if tool else pressure, "--version"])
        if checked.status:
            raise Problem(checked.text or f"exit status {checked.status}", status=checked.status)
        self._make_folder()
        named = [*self.options.label, f"rank={self.rank}", f"host={self.host}"]
        labels = [word for label in named for word in ("--label", label)]
        given = ["-f", f"{self.folder}/{REPORT}", *labels, "--start-at", ""]
        self.words = [*words[:at], *given, *words[at:]] if tool else [pressure, "-q", *given, "--", *words]
        return _facts(template, own, checked.version)

    def _make_folder(self) -> None:
        """FILE.ranks/RANK, which must not be there: a report of an earlier run would count as one."""
        ranks = os.path.abspath(self.options.file) + RANKS
        self.folder = f"{ranks}/{self.rank}"
        try:
            place, name = output.open_folder(ranks)
            try:
                os.mkdir(name, 0o755, dir_fd=place)
            except FileExistsError:
                if os.stat(name, dir_fd=place, follow_symlinks=False).st_uid != os.geteuid():
                    raise
            inner = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=place)
            os.close(place)
            os.mkdir(str(self.rank), 0o755, dir_fd=inner)
            os.close(inner)
        except FileExistsError:
            ranks, self.folder = self.folder, ""
            raise Problem(EXISTS, ranks) from None
        except OSError as problem:
            self.folder = ""
            raise Problem(
                output.WORDS.get(problem.errno or 0, problem.strerror or "cannot be made"), ranks
            ) from None

    def _decide(self) -> int:
        """Of rank 0: the status of all ranks, 0 = the commands are started."""
        cannot = [rank for rank in self.runs if self.everyone[rank].why]
        for rank in cannot[:LINES_MAX]:
            print(clean(f"memstor: {self.name(rank)}: {self.everyone[rank].why}"), file=sys.stderr)
        if len(cannot) > LINES_MAX:
            print(f"memstor: {len(cannot) - LINES_MAX} more ranks cannot run", file=sys.stderr)
        if cannot:
            return max(self.everyone[rank].status for rank in cannot)
        if len(self.runs) > RANKS_MAX:
            text = f"{len(self.runs)} ranks have a command: allowed are {RANKS_MAX}"
            print(f"memstor: {text}; --per-host gives one to each host", file=sys.stderr)
            return USAGE
        first, *others = self.runs
        differences: dict[str, str] = {}
        for rank in others:
            own, theirs = self.everyone[rank].facts, self.everyone[first].facts
            for name in {**theirs, **own}:
                if own.get(name, "") != theirs.get(name, ""):
                    text = f"'{theirs.get(name, '')}' on {self.name(first)}"
                    differences.setdefault(name, f"{text}, '{own.get(name, '')}' on {self.name(rank)}")
        for name, text in differences.items():
            warn(f"the hosts differ in {name}: {text}")
        if differences and not self.options.allow_different:
            print("memstor: nothing was started: --allow-different starts it anyway", file=sys.stderr)
            return DIFFERENT
        return OK

    def agree(self) -> None:
        """On the time: what the clock of each host shows when that of rank 0 shows 0, and when to start."""
        self.everyone = self.world.bcast([mine._replace(facts={}) for mine in self.everyone])
        hosts = [mine.boot for mine in self.everyone]
        firsts = {boot: hosts.index(boot) for boot in hosts}
        clocks = {hosts[0]: merge.Clock(0, 0)}
        for boot, rank in firsts.items():
            if not rank:
                continue
            if not self.rank:
                clocks[boot] = self._ping(rank)
            elif self.rank == rank:
                for _ in range(PINGS):
                    self.world.recv(source=0, tag=PING)
                    self.world.send(time.time_ns(), 0, PING)
        told = self.world.bcast((clocks, time.time_ns() + int(self.options.start_in * 1e9)))
        self.clock = told[0][hosts[self.rank]]
        self.start_ns = told[1]

    def _ping(self, rank: int) -> merge.Clock:
        best = merge.Clock(0, 1 << 62)
        for _ in range(PINGS):
            sent = time.time_ns()
            self.world.send(None, rank, PING)
            theirs = self.world.recv(source=rank, tag=PING)
            received = time.time_ns()
            # It was read at any time between.
            if (received - sent) // 2 + 1 < best.bound_ns:
                best = merge.Clock(theirs - (sent + received) // 2, (received - sent) // 2 + 1)
        return best

    # --- the commands ---

    def measure(self) -> Result | None:
        """Runs the command of this rank, and waits for those of the others. None: it has none."""
        outcome, was_stopped, begun = None, False, time.monotonic()
        cpu_s = time.process_time()
        is_waiting, is_seen = bool(self.words), True
        if self.words:
            at = self.words.index("--start-at") + 1
            local = self.start_ns + self.clock.offset_ns
            self.words[at] = f"{local // 10**9}.{local % 10**9:09d}"
            self.keeper.start(self.words, self.folder, self.limit_s + max(0.0, local / 1e9 - time.time()))
        waits = set(self.runs)
        ends = begun + self.options.start_in + self.limit_s + child.GRACE_S + MARGIN_S
        ends += MARGIN_S * (self.rank > 0)  # rank 0 knows who is missing
        with self._listening():
            is_over = False
            while not is_over:
                if is_waiting:
                    outcome = self.keeper.outcome(POLL_S)
                    if outcome:
                        is_waiting = False
                        is_whole = outcome.end == child.ENDED and outcome.status in self.measured
                        self.world.send((self.rank, is_whole), 0, DONE)
                else:
                    time.sleep(POLL_S)
                if not self.rank:
                    is_over = self._attend(waits)
                while not is_over and self._has(STOP):
                    self.world.recv(source=0, tag=STOP)
                    if is_waiting and not was_stopped:
                        was_stopped = True
                        self.keeper.signal(signal.SIGINT)
                if self.rank and self._has(END):
                    is_seen = self.world.recv(source=0, tag=END)
                    is_over = True
                if not is_over and time.monotonic() > ends:
                    self._give_up(waits)
        used = (time.process_time() - cpu_s) / (time.monotonic() - begun) * 100
        if not outcome:
            return None
        result = _result(self.folder, outcome, was_stopped, self.measured, self.clock)
        data = b"" if is_seen or not result.report else Path(self.folder, REPORT).read_bytes()
        return result._replace(data=data, cpu_percent=used)

    def _has(self, kind: int) -> bool:
        return bool(self.world.iprobe(source=0, tag=kind))

    def _attend(self, waits: set[int]) -> bool:
        """Of rank 0: hears who is done, and tells the others. Whether all are."""
        from mpi4py import MPI

        while self.world.iprobe(source=MPI.ANY_SOURCE, tag=DONE):
            done, is_whole = self.world.recv(source=MPI.ANY_SOURCE, tag=DONE)
            waits.discard(done)
            # One that failed has not finished.
            for other in waits if is_whole and self.options.stonewall and not self._has_stopped else ():
                self.world.send(None, other, STOP)
            self._has_stopped |= is_whole
        for rank in range(1, self.size) if not waits else ():
            self.world.send(os.path.exists(self.path_of(rank)), rank, END)
        return not waits

    @contextmanager
    def _listening(self) -> Iterator[None]:
        """A signal to this rank ends its command, whose partial report is merged. Outside of this it ends the
        rank at once, since MPI waits in C."""

        def hear(number: int, _: object) -> None:
            if not self.signal:
                self.signal = number
                self.keeper.signal(signal.SIGINT if number == signal.SIGINT else signal.SIGTERM)

        before = {number: signal.signal(number, hear) for number in child.SIGNALS}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def _give_up(self, waits: set[int]) -> None:
        """Without the command of this rank, which its keeper ends."""
        who = ", ".join(map(self.name, sorted(waits)[:LINES_MAX])) if not self.rank else "rank 0"
        Watch(0.0, f"no answer from {who} after the time limit: its host hangs, or is gone")._end()

    # --- after ---

    def collect(self, own: Result | None) -> int:
        """Ranks send their results to the first one of their group, which merges them, and that sends it to
        rank 0: each merges about the square root of their number. The exit status."""
        count = max(GROUP_LEAST, math.isqrt(len(self.runs) - 1) + 1)
        groups = [self.runs[i : i + count] for i in range(0, len(self.runs), count)]
        group = next((of for of in groups if self.rank in of), None)
        if own is None or group is None:
            return OK
        if self.rank != group[0]:
            self.world.send(own, group[0], RESULT)
            return OK
        merged = self._merge_group(group, own)
        if self.rank:
            self.world.send(merged, 0, RESULT)
            return OK
        return self._merge_all(groups, merged)

    def _receive(self, rank: int, times: int) -> Any:
        """Receives what a rank sends; ends the job after this many times the limit of one rank."""
        text = f"no result from {self.name(rank)}: its host hangs, or is gone"
        with Watch(times * (self.limit_s + MARGIN_S), text):
            return self.world.recv(source=rank, tag=RESULT)

    def _merge_group(self, group: list[int], own: Result) -> Group:
        """Results come one after another, so that few are in memory."""
        merged, made = merge.Merge(True), Group(None, [], [], [], [], 0.0)
        for rank in group:
            result: Result = self._receive(rank, 1) if rank != self.rank else own
            made = made._replace(cpu_percent=max(made.cpu_percent, result.cpu_percent))
            if result.data and self.rank:
                self.world.send((rank, result.data), 0, RESULT)
            elif result.data:
                self._write(rank, result.data)
            if not result.report:
                made.reasons.append(("lost-rank", f"{self.name(rank)}: {result.failed}"))
                continue
            if result.missed:
                made.missed.append(rank)
            if result.failed:
                made.reasons.append(("interrupted", f"{self.name(rank)}: {result.failed}"))
            try:
                merged.add(result.report)
                made.rows.append(self._row(rank, merged.parts[-1], result.report))
            except Problem:
                # Rank 0 says why, or it is the first of the group that does not match the others.
                made.others.append((rank, result.report))
        return made._replace(report=merged.input(self.path_of(group[0]))) if made.rows else made

    def _write(self, rank: int, data: bytes) -> None:
        os.makedirs(os.path.dirname(self.path_of(rank)), 0o755, exist_ok=True)
        with output.writing(self.path_of(rank), b"<?xml", is_text=False) as file:
            file.write(data)

    def _merge_all(self, groups: list[list[int]], own: Group) -> int:
        merged = merge.Merge(True, accepts_interrupted=self.options.stonewall)
        rows: list[Row] = []
        cpu, missed = 0.0, False
        for group in groups:
            made = own
            if group[0]:
                # First come reports that rank 0 does not see.
                while not isinstance(made := self._receive(group[0], 2), Group):
                    self._write(*made)
            cpu = max(cpu, made.cpu_percent)
            merged.reasons += made.reasons
            for rank in made.missed:
                missed = True
                text = f"an objective was missed: {os.path.dirname(self.path_of(rank))}/stdout says which"
                print(clean(f"memstor: {self.name(rank)}: {text}"), file=sys.stderr)
            refused = "its report cannot be merged"
            try:
                if made.report:
                    merged.add(made.report)
                    rows += made.rows
            except Problem as problem:
                merged.reasons += [
                    ("lost-rank", f"{self.name(row.rank)}: {refused}: {problem}") for row in made.rows
                ]
            for rank, read in made.others:
                try:
                    merged.add(read)
                    rows.append(self._row(rank, merged.parts[-1], read))
                except Problem as problem:
                    merged.reasons.append(("lost-rank", f"{self.name(rank)}: {refused}: {problem}"))
        return self._publish(merged, rows, cpu) or NEGATIVE * missed

    def _row(self, rank: int, part: merge.Part, read: merge.Input) -> Row:
        """Of the histograms of all operations."""
        wall, begin, end = part.clock or (self.start_ns, 0, 0)
        start = (wall - self.start_ns) / 1e9
        seconds = (end - begin) / 1e9
        finest: dict[tuple[str, str], Histogram] = {}
        for (kind, of_class, layout), h in read.histograms.items():
            if layout == "hdr" or (kind, of_class) not in finest:
                finest[kind, of_class] = h
        whole = [h for (_, of_class), h in finest.items() if of_class == "all"] or list(finest.values())
        rate = sum(h.count for h in whole) / seconds if whole and seconds else float("nan")
        largest = max(whole, key=lambda h: h.count, default=None)
        p50, p99 = (_percentile(largest, percent) for percent in (50, 99))
        host = self.everyone[rank].host
        return Row(rank, host, start, start + seconds, rate, p50, p99, part.status, read.progress)

    def _publish(self, merged: merge.Merge, rows: list[Row], cpu: float) -> int:
        for row in rows:
            late, took = row.start, row.end - row.start
            if late > max(took * LATE_PERCENT / 100, LATE_LEAST_S):
                text = f"began {late:.3g} s late, {late / took * 100 if took else 100:.3g} % of its time"
                merged.reasons.append(("late-start", f"{self.name(row.rank)} {text}"))
        if not rows:
            for _, text in merged.reasons:
                print(clean(f"memstor: {text}"), file=sys.stderr)
            print("memstor: no rank has a report: nothing is written", file=sys.stderr)
            return UNTRUSTED
        window = merge.window_of(merged.parts)
        if window.is_apart:
            text = f"all commands ran together for {window.overlap_percent:.3g} % of the time"
            merged.reasons.append(("not-together", f"{text}, less than {merge.TOGETHER_PERCENT} %"))
        _show(rows, window, cpu)
        data = merge.document(merged.report())
        with output.writing(self.options.file, b"<?xml", is_text=False) as file:
            file.write(data)
        for text in _outliers(rows):
            warn(text)
        # How hosts differ, and that they were apart, is known.
        for note in merged.notes():
            if not note.startswith("the parts "):
                warn(note)
        for _, text in merged.reasons[:LINES_MAX]:
            warn(text)
        if merged.status() != "ok":
            warn(f"{self.options.file} is {merged.status()}: its verdict says why")
        return OK if merged.status() == "ok" else UNTRUSTED


def _percentile(h: Histogram | None, percent: float) -> str:
    if not h:
        return "-"
    found = h.percentile(percent)
    return "<" * found.is_bounded + units.text(found.value, "ns")


def _outliers(rows: list[Row]) -> Iterator[str]:
    """Hosts whose rate is far from the median of all."""
    known = [row for row in rows if row.rate == row.rate]
    if len(known) < OUTLIER_LEAST:
        return
    middle = statistics.median(row.rate for row in known)
    mad = statistics.median(abs(row.rate - middle) for row in known)
    for row in known:
        if abs(row.rate - middle) > max(OUTLIER_MADS * mad, middle * OUTLIER_PERCENT / 100):
            text = f"{row.rate:.4g} operations a second, the median of all ranks is {middle:.4g}"
            yield f"rank {row.rank} ({row.host}) is an outlier: {text}"


def _show(rows: list[Row], window: merge.Window, cpu: float) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    for name in ("rank", "host", "start s", "end s", "rate", "p50", "p99", "verdict"):
        table.add_column(name, justify="left" if name in ("host", "verdict") else "right", overflow="fold")
    for row in rows[:ROWS_MAX]:
        times = f"{row.start:+.3f}", f"{row.end:.3f}"
        table.add_row(
            str(row.rank), row.host, *times, units.text(row.rate, "1/s"), row.p50, row.p99, row.status
        )
    # Under mpirun a terminal is one of mpirun, with no width and no colours.
    console = Console(highlight=False, force_terminal=False, width=100)
    console.print(table)
    if len(rows) > ROWS_MAX:
        print(f"and {len(rows) - ROWS_MAX} more ranks")
    first, last = min(rows, key=lambda row: row.end), max(rows, key=lambda row: row.end)
    begin = max(row.start for row in rows)
    known = [row for row in rows if row.rate == row.rate]
    if first.end <= begin:
        print("the commands have no common window")
    elif known:
        total = sum(row.operations(begin, first.end) for row in known) / (first.end - begin)
        print(f"rate of all in their common window of {first.end - begin:.3f} s: {units.text(total, '1/s')}")
    print(
        f"done first rank {first.rank} at {first.end:.3f} s, last rank {last.rank} at {last.end:.3f} s; "
        f"all ran for {window.overlap_percent:.4g} % of the time; "
        f"a waiting rank used at most {cpu:.2g} % of a CPU"
    )


# --- the command ---


def _seconds(text: str) -> float:
    if not re.fullmatch(r"\d{1,7}(\.\d{1,9})?s?", text) or not float(text.rstrip("s")):
        raise argparse.ArgumentTypeError(f"'{text}' is not a number of seconds above 0, as 2.5")
    return float(text.rstrip("s"))


def add_options(parser: cli.Parser) -> None:
    parser.has_command = True
    where = "merged report; FILE.ranks has the report and the output of each rank"
    parser.add_argument("-f", "--file", metavar="FILE", required=True, help=where)
    parser.add_argument("--per-host", action="store_true", help="run one command a host, in its first rank")
    label = "a label of every rank's report, as NAME=VALUE; each has rank and host"
    parser.add_argument("--label", metavar="LABEL", action="append", default=[], help=label)
    start = "time for the preparation of a command, from when all ranks are checked (default: 5)"
    parser.add_argument("--start-in", metavar="SECONDS", type=_seconds, default=5.0, help=start)
    stonewall = "end the other commands when the first one has finished; their partial reports count"
    parser.add_argument("--stonewall", action="store_true", help=stonewall)
    limit = "end a command that takes longer, and the job if a host does not answer (default: none)"
    parser.add_argument("--time-limit", metavar="SECONDS", type=_seconds, help=limit)
    differ = "start also on hosts that differ in CPU, memory, file system or versions"
    parser.add_argument("--allow-different", action="store_true", help=differ)


def _check_world(size: int, library: str) -> None:
    """A library that does not know the launcher makes worlds of one: each would measure alone."""
    told = next(((s, r) for s, r in LAUNCHERS if os.environ.get(s, "").isdigit()), None)
    if not told or int(os.environ[told[0]]) == size:
        return
    if os.environ.get(told[1], "0") != "0":
        raise SystemExit(HOST)
    count, name = os.environ[told[0]], library.split(",")[0].splitlines()[0].strip()
    text = f"the launcher started {count} processes ({told[0]}), but the MPI library ({name}) sees {size}"
    raise Problem(f"{text}: launcher and MPI library differ: use that library's mpirun", status=HOST)


def run(options: argparse.Namespace) -> int:
    if not options.command:
        raise Problem("no command given: memstor mpi -f FILE -- COMMAND...", status=USAGE)
    if any(label.startswith(("rank=", "host=")) for label in options.label):
        raise Problem("--label: rank and host are given by memstor mpi")
    if options.start_in > START_MAX_S:
        raise Problem(f"--start-in {options.start_in:g}: allowed are up to {START_MAX_S} s")
    if options.file in ("", "-"):
        raise Problem(
            f"-f '{options.file}': allowed is the name of a file, beside which the ranks' reports are kept"
        )
    if any(size in os.environ for size, _ in LAUNCHERS):
        # In a container mpirun may be process 1. Without its launcher MPI does not start.
        _end_with_parent(os.getppid())
    for number in child.SIGNALS:
        signal.signal(number, signal.SIG_DFL)
    keeper = Keeper()
    import mpi4py

    mpi4py.rc.threads = False
    from mpi4py import MPI

    # The library does not use it, as without another rank on this host. Slurm may kill the keeper, too.
    with suppress(OSError):
        os.rmdir(keeper.shared)
    _check_world(MPI.COMM_WORLD.size, MPI.Get_library_version())
    job = Job(MPI.COMM_WORLD, keeper, options)
    try:
        with Watch(PREPARE_S, "the other ranks do not answer: a host hangs, or is gone"):
            is_ready = job.prepare()
            if is_ready:
                job.agree()
        status = job.collect(job.measure()) if is_ready else job.status * (not job.rank)
    except Exception as error:
        # The others wait for this rank.
        if job.size > 1:
            print(
                clean(f"memstor: rank {job.rank} ({job.host}): {str(error) or type(error).__name__}"),
                file=sys.stderr,
            )
            sys.stderr.flush()
            MPI.COMM_WORLD.Abort(error.status if isinstance(error, Problem) else HOST)
        raise
    sys.stdout.flush()
    with Watch(PREPARE_S, "the other ranks do not end: a host hangs, or is gone"):
        MPI.Finalize()
    shutil.rmtree(keeper.shared, ignore_errors=True)  # also when the keeper was killed
    return int(status)
