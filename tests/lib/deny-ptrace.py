# SPDX-License-Identifier: GPL-3.0-or-later
# Usage: deny-ptrace.py COMMAND...     runs it with a seccomp filter that denies ptrace(2), as containers have.
import ctypes
import os
import signal
import struct
import sys

PR_SET_SECCOMP, PR_SET_NO_NEW_PRIVS, SECCOMP_MODE_FILTER = 22, 38, 2
ptrace = {"x86_64": 101, "aarch64": 117}[os.uname().machine]
code = b"".join(struct.pack("HBBI", *each) for each in (
    (0x20, 0, 0, 0),            # the number of the call
    (0x15, 0, 1, ptrace),
    (0x06, 0, 0, 0x00050001),   # EPERM
    (0x06, 0, 0, 0x7FFF0000)))  # allowed
instructions = ctypes.create_string_buffer(code)
program = struct.pack("HP", 4, ctypes.addressof(instructions))
prctl = ctypes.CDLL(None, use_errno=True).prctl
if prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) or prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, program):
    sys.exit("prctl: " + os.strerror(ctypes.get_errno()))
signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # Python ignores it, and the command would, too
os.execvp(sys.argv[1], sys.argv[1:])
