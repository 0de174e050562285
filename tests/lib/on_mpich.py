# SPDX-License-Identifier: GPL-3.0-or-later
"""on_mpich.py MEMSTOR WORD...: the launcher MEMSTOR, with mpi4py of MPICH (tests/lib/mpich)."""

import sys
from pathlib import Path

LIB = Path(__file__).resolve().parent
sys.path[:0] = [str(LIB / "mpich"), str(LIB.parents[1])]
sys.dont_write_bytecode = True
del sys.argv[0]

from memstor.cli import main  # noqa: E402

sys.exit(main())
