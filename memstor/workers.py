# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads many files on all CPUs."""

from __future__ import annotations

import gc
import os
import signal
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import Callable, Iterator, Sequence, TypeVar

from memstor.error import HOST, Problem

Result = TypeVar("Result")
FEW = 1 << 20  # bytes that one process has read before another one has started


def each(work: Callable[[str], Result], paths: Sequence[str]) -> Iterator[Result]:
    """work(path) for each path, in their order. work is a function of a module; what it returns, also a
    Problem, is pickled, and what it raises is raised here."""
    cpus = len(os.sched_getaffinity(0))
    if cpus == 1 or len(paths) == 1 or sum(map(_size, paths)) < FEW:
        yield from map(work, paths)
        return
    # Otherwise each process looks for garbage in all that was imported, for a sixth of its time.
    gc.freeze()
    with ProcessPoolExecutor(cpus) as pool:
        try:
            # The terminal's interrupt is the caller's matter; half a pool would wait for ever.
            before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGALRM})
            try:
                results = pool.map(work, paths, chunksize=max(1, min(16, len(paths) // (4 * cpus))))
            finally:
                signal.pthread_sigmask(signal.SIG_SETMASK, before)
            yield from results
        except BrokenProcessPool:
            text = "a process that reads reports was killed: is there enough memory?"
            raise Problem(text, status=HOST) from None
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _size(path: str) -> int:
    try:
        return os.stat(path).st_size
    except OSError:
        return 0
