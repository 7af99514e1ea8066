"""Runs a program that finds no Landlock, as on a kernel or in a container without it."""

import ctypes
import os
import struct
import sys

PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, SECCOMP_MODE_FILTER = 38, 22, 2
LOAD, JUMP_IF_EQUAL, RETURN = 0x20, 0x15, 0x06
LANDLOCK_CREATE_RULESET, ENOSYS = 444, 38
ERRNO, ALLOW = 0x00050000, 0x7FFF0000

program = b"".join(
    struct.pack("HBBI", *step)
    for step in (
        (LOAD, 0, 0, 0),
        (JUMP_IF_EQUAL, 0, 1, LANDLOCK_CREATE_RULESET),
        (RETURN, 0, 0, ERRNO | ENOSYS),
        (RETURN, 0, 0, ALLOW),
    )
)
steps = ctypes.create_string_buffer(program)
filters = ctypes.create_string_buffer(struct.pack("HxxxxxxQ", len(program) // 8, ctypes.addressof(steps)))
libc = ctypes.CDLL(None, use_errno=True)
for call in (
    (PR_SET_NO_NEW_PRIVS, ctypes.c_ulong(1), ctypes.c_ulong(0), ctypes.c_ulong(0), ctypes.c_ulong(0)),
    (PR_SET_SECCOMP, ctypes.c_ulong(SECCOMP_MODE_FILTER), filters),
):
    if libc.prctl(*call) != 0:
        sys.exit(os.strerror(ctypes.get_errno()))
os.execvp(sys.argv[1], sys.argv[1:])
