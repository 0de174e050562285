# SPDX-License-Identifier: GPL-3.0-or-later
"""The part of mpi4py.MPI that memstor uses, on Debian's MPICH.

Debian builds mpi4py for Open MPI only: under mpirun.mpich each process is a world of its own. With the
parent of this folder first in PYTHONPATH, they are one world, also with srun --mpi=pmi2. The numbers are
those of MPICH's mpi.h, which its ABI fixes.
"""

import atexit
import ctypes
import pickle
from typing import Any, Optional

_mpi = ctypes.CDLL("libmpich.so.12", mode=ctypes.RTLD_GLOBAL)

THREAD_SINGLE, THREAD_FUNNELED, THREAD_SERIALIZED, THREAD_MULTIPLE = range(4)
COMM_TYPE_SHARED = 1
UNDEFINED = -32766
_NULL_COMM = 0x04000000
_NULL_REQUEST = 0x2C000000
_INFO_NULL = 0x1C000000
_BYTE = 0x4C00010D
_ERRORS_RETURN = 0x54000001
_STATUS_IGNORE = ctypes.c_void_p(1)


class Exception(RuntimeError):  # its name in mpi4py
    """An MPI call failed."""

    def __init__(self, code: int = 0) -> None:
        super().__init__(code)
        self.code = code

    def Get_error_code(self) -> int:
        return self.code

    def Get_error_string(self) -> str:
        text, length = ctypes.create_string_buffer(512), ctypes.c_int()
        _mpi.MPI_Error_string(self.code, text, ctypes.byref(length))
        return text.value.decode()

    def __str__(self) -> str:
        return self.Get_error_string()


def _call(name: str, *arguments: Any) -> None:
    code = getattr(_mpi, name)(*arguments)
    if code:
        raise Exception(code)


class Request:
    def __init__(self, handle: ctypes.c_int) -> None:
        self._handle = handle

    def Test(self) -> bool:
        done = ctypes.c_int()
        _call("MPI_Test", ctypes.byref(self._handle), ctypes.byref(done), _STATUS_IGNORE)
        return bool(done.value)

    def Wait(self) -> bool:
        _call("MPI_Wait", ctypes.byref(self._handle), _STATUS_IGNORE)
        return True

    test = Test
    wait = Wait


class Comm:
    def __init__(self, handle: int) -> None:
        self._handle = handle

    def _number(self, name: str) -> int:
        number = ctypes.c_int()
        _call(name, self._handle, ctypes.byref(number))
        return number.value

    def Get_rank(self) -> int:
        return self._number("MPI_Comm_rank")

    def Get_size(self) -> int:
        return self._number("MPI_Comm_size")

    rank = property(Get_rank)
    size = property(Get_size)

    def __bool__(self) -> bool:
        return self._handle != _NULL_COMM

    def _new(self, name: str, *arguments: Any) -> "Comm":
        handle = ctypes.c_int()
        _call(name, self._handle, *arguments, ctypes.byref(handle))
        return type(self)(handle.value)

    def Dup(self) -> "Comm":
        return self._new("MPI_Comm_dup")

    def Split(self, color: int = 0, key: int = 0) -> "Comm":
        return self._new("MPI_Comm_split", color, key)

    def Split_type(self, split_type: int, key: int = 0) -> "Comm":
        return self._new("MPI_Comm_split_type", split_type, key, _INFO_NULL)

    def Free(self) -> None:
        handle = ctypes.c_int(self._handle)
        _call("MPI_Comm_free", ctypes.byref(handle))
        self._handle = handle.value

    def Barrier(self) -> None:
        _call("MPI_Barrier", self._handle)

    def Ibarrier(self) -> Request:
        request = ctypes.c_int(_NULL_REQUEST)
        _call("MPI_Ibarrier", self._handle, ctypes.byref(request))
        return Request(request)

    def Abort(self, errorcode: int = 0) -> None:
        _mpi.MPI_Abort(self._handle, errorcode)

    # Objects travel as pickles, whose lengths go ahead.
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

    def scatter(self, sendobj: Any, root: int = 0) -> Any:
        return self.bcast(sendobj, root)[self.rank]

    barrier = Barrier


Intracomm = Comm
COMM_WORLD = Comm(0x44000000)
COMM_SELF = Comm(0x44000001)
COMM_NULL = Comm(_NULL_COMM)


def Get_library_version() -> str:
    text, length = ctypes.create_string_buffer(8192), ctypes.c_int()
    _call("MPI_Get_library_version", text, ctypes.byref(length))
    return text.value.decode()


def Get_processor_name() -> str:
    text, length = ctypes.create_string_buffer(128), ctypes.c_int()
    _call("MPI_Get_processor_name", text, ctypes.byref(length))
    return text.value.decode()


def Wtime() -> float:
    return float(_mpi.MPI_Wtime())


def _flag(name: str) -> bool:
    flag = ctypes.c_int()
    _call(name, ctypes.byref(flag))
    return bool(flag.value)


def Is_initialized() -> bool:
    return _flag("MPI_Initialized")


def Is_finalized() -> bool:
    return _flag("MPI_Finalized")


def Query_thread() -> int:
    level = ctypes.c_int()
    _call("MPI_Query_thread", ctypes.byref(level))
    return level.value


def Finalize() -> None:
    _call("MPI_Finalize")


def _end() -> None:
    if not Is_finalized():
        Finalize()


# As mpi4py does: MPI begins with the import, its errors raise, and it ends with the program.
_mpi.MPI_Wtime.restype = ctypes.c_double
_call("MPI_Init_thread", None, None, THREAD_MULTIPLE, ctypes.byref(ctypes.c_int()))
for _comm in (COMM_WORLD, COMM_SELF):
    _call("MPI_Comm_set_errhandler", _comm._handle, _ERRORS_RETURN)
atexit.register(_end)
