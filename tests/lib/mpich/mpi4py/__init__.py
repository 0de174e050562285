# SPDX-License-Identifier: GPL-3.0-or-later
"""Stands in for mpi4py on MPICH, which Debian does not build: for tests, see MPI.py."""


class rc:
    """Read by mpi4py alone."""

    threads = True
