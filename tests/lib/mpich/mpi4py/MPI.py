# SPDX-License-Identifier: GPL-3.0-or-later
"""The part of mpi4py.MPI that memstor mpi uses, on Debian's MPICH.

Debian builds mpi4py for Open MPI only: under mpirun.mpich each process is a world of its own. With the
parent of this folder first in sys.path, they are one world, also with srun --mpi=pmi2. The numbers are
those of MPICH's mpi.h, which its ABI fixes.
"""

import atexit
import ctypes
import pickle
from typing import Any, Optional

_mpi = ctypes.CDLL("libmpich.so.12", mode=ctypes.RTLD_GLOBAL)

ANY_SOURCE = -2
_BYTE = 0x4C00010D
_ERRORS_RETURN = 0x54000001


def _call(name: str, *arguments: Any) -> None:
    code = getattr(_mpi, name)(*arguments)
    if code:
        text, length = ctypes.create_string_buffer(512), ctypes.c_int()
        _mpi.MPI_Error_string(code, text, ctypes.byref(length))
        raise RuntimeError(text.value.decode())


class _Status(ctypes.Structure):
    _fields_ = [(name, ctypes.c_int) for name in ("count_lo", "count_hi", "source", "tag", "error")]


class Intracomm:
    """Objects travel as pickles."""

    def __init__(self, handle: int) -> None:
        self._handle = handle

    def _number(self, name: str) -> int:
        number = ctypes.c_int()
        _call(name, self._handle, ctypes.byref(number))
        return number.value

    @property
    def rank(self) -> int:
        return self._number("MPI_Comm_rank")

    @property
    def size(self) -> int:
        return self._number("MPI_Comm_size")

    def Abort(self, errorcode: int = 0) -> None:
        _mpi.MPI_Abort(self._handle, errorcode)

    def bcast(self, obj: Any, root: int = 0) -> Any:
        data = pickle.dumps(obj) if self.rank == root else b""
        length = ctypes.c_long(len(data))
        _call("MPI_Bcast", ctypes.byref(length), ctypes.sizeof(length), _BYTE, root, self._handle)
        buffer = ctypes.create_string_buffer(data, length.value)
        _call("MPI_Bcast", buffer, length.value, _BYTE, root, self._handle)
        return pickle.loads(buffer.raw)

    def allgather(self, sendobj: Any) -> list[Any]:
        data, size = pickle.dumps(sendobj), self.size
        lengths = (ctypes.c_int * size)()
        length = ctypes.c_int(len(data))
        _call("MPI_Allgather", ctypes.byref(length), 4, _BYTE, lengths, 4, _BYTE, self._handle)
        starts = (ctypes.c_int * size)(*(sum(lengths[:rank]) for rank in range(size)))
        buffer = ctypes.create_string_buffer(sum(lengths))
        _call("MPI_Allgatherv", data, len(data), _BYTE, buffer, lengths, starts, _BYTE, self._handle)
        raw = buffer.raw
        return [pickle.loads(raw[start : start + count]) for start, count in zip(starts, lengths)]

    def gather(self, sendobj: Any, root: int = 0) -> Optional[list[Any]]:
        objects = self.allgather(sendobj)
        return objects if self.rank == root else None

    def send(self, obj: Any, dest: int, tag: int = 0) -> None:
        data = pickle.dumps(obj)
        _call("MPI_Send", data, len(data), _BYTE, dest, tag, self._handle)

    def iprobe(self, source: int = ANY_SOURCE, tag: int = 0) -> bool:
        found, status = ctypes.c_int(), _Status()
        _call("MPI_Iprobe", source, tag, self._handle, ctypes.byref(found), ctypes.byref(status))
        return bool(found.value)

    def recv(self, source: int = ANY_SOURCE, tag: int = 0) -> Any:
        status, count = _Status(), ctypes.c_int()
        _call("MPI_Probe", source, tag, self._handle, ctypes.byref(status))
        _call("MPI_Get_count", ctypes.byref(status), _BYTE, ctypes.byref(count))
        buffer = ctypes.create_string_buffer(count.value)
        _call("MPI_Recv", buffer, count, _BYTE, status.source, tag, self._handle, ctypes.byref(status))
        return pickle.loads(buffer.raw)


COMM_WORLD = Intracomm(0x44000000)


def Get_library_version() -> str:
    text, length = ctypes.create_string_buffer(8192), ctypes.c_int()
    _call("MPI_Get_library_version", text, ctypes.byref(length))
    return text.value.decode()


def Finalize() -> None:
    atexit.unregister(_mpi.MPI_Finalize)
    _call("MPI_Finalize")


_call("MPI_Init", None, None)
_call("MPI_Comm_set_errhandler", 0x44000000, _ERRORS_RETURN)
atexit.register(_mpi.MPI_Finalize)
