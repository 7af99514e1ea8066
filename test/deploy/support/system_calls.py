"""Runs a command with only the system calls that a systemd unit allows. Others fail or kill it, as the unit says.

Usage: system_calls.py UNIT COMMAND [ARGUMENT...]. Needs libseccomp's module for Python, and systemd-analyze.
"""

import errno
import os
import subprocess
import sys

import seccomp


def calls(word):
    """Names of the calls of a set such as `@system-service`, or of one call."""
    if not word.startswith("@"):
        return {word}
    lines = subprocess.run(
        ["systemd-analyze", "syscall-filter", word], check=True, capture_output=True, text=True
    ).stdout.splitlines()
    members = (line.strip() for line in lines[1:])
    return set().union(*(calls(one) for one in members if one and not one.startswith("#")))


def filter_of(unit):
    """What happens to other calls, and the calls that remain after all `SystemCallFilter` lines."""
    action, names = seccomp.KILL_PROCESS, calls("@default")
    with open(unit, encoding="utf-8") as lines:
        for line in lines:
            key, _, value = line.strip().partition("=")
            if key == "SystemCallErrorNumber":
                action = seccomp.ERRNO(getattr(errno, value))
            if key != "SystemCallFilter":
                continue
            is_denied = value.startswith("~")
            members = set().union(*(calls(word) for word in value.lstrip("~").split()))
            names = names - members if is_denied else names | members
    return action, names


def main():
    unit, *command = sys.argv[1:]
    action, names = filter_of(unit)
    rules = seccomp.SyscallFilter(defaction=action)
    for name in names:
        try:
            rules.add_rule(seccomp.ALLOW, name)
        except RuntimeError:
            pass  # Not a call of this processor.
    rules.load()
    os.execvp(command[0], command)


main()
