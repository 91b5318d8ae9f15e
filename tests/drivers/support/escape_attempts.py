"""Tries what a sandbox must refuse, and prints for each attempt how it ended: "done", or the name of the error."""

import ctypes
import errno
import json
import os
import platform
import sys
import time

libc = ctypes.CDLL(None, use_errno=True)
ARM = platform.machine() == "aarch64"


def call(name, *args):
    """A function of the C library, by its name."""
    if getattr(libc, name)(*args) == -1:
        raise OSError(ctypes.get_errno(), name)


def system_call(x64, arm64, *args):
    if libc.syscall(arm64 if ARM else x64, *args) == -1:
        raise OSError(ctypes.get_errno(), "syscall")


def fork_into_user_namespace():
    child = libc.syscall(220 if ARM else 56, 0x10000000 | 17, 0, 0, 0, 0)
    if child == 0:
        os._exit(0)
    if child == -1:
        raise OSError(ctypes.get_errno(), "clone")
    os.waitpid(child, 0)


def write_sysctls():
    """Opens every setting of the kernel for writing, without writing anything."""
    return open_all("/proc/sys")


def open_proc():
    """The same for all of /proc that is not of a process."""
    names = [name for name in os.listdir("/proc") if not name.isdigit() and not os.path.islink("/proc/" + name)]
    return sum((open_all("/proc/" + name) for name in names), [])


tried = 0


def open_all(top):
    global tried
    opened = []
    paths = [top] if not os.path.isdir(top) else [os.path.join(d, f) for d, _, fs in os.walk(top) for f in fs]
    for path in paths:
        tried += 1
        try:
            os.close(os.open(path, os.O_WRONLY | os.O_NONBLOCK))
            opened.append(path)
        except OSError:
            pass
    return opened


def attempts(place, host_pid):
    here = place.encode()
    path = os.path.join(place, "made")
    return {
        "mknod of a disk": lambda: os.mknod(path, 0o60600, os.makedev(8, 0)),
        "mknod of memory": lambda: os.mknod(path, 0o20600, os.makedev(1, 1)),
        "mount a tmpfs": lambda: call("mount", b"none", here, b"tmpfs", 0, None),
        "mount the machine's processes": lambda: call("mount", b"proc", here, b"proc", 0, None),
        "mount the control groups": lambda: call("mount", b"none", here, b"cgroup2", 0, None),
        "remount the system writable": lambda: call("mount", b"none", b"/usr", None, 0x20 | 0x1000, None),
        "remount the settings writable": lambda: call("mount", b"none", b"/proc/sys", None, 0x20 | 0x1000, None),
        "take a mount away": lambda: call("umount2", b"/proc/sys", 2),
        "chroot": lambda: os.chroot(place),
        "a user namespace": lambda: call("unshare", 0x10000000),
        "a user namespace for a child": fork_into_user_namespace,
        "a mount namespace": lambda: call("unshare", 0x00020000),
        "a process namespace": lambda: call("unshare", 0x20000000),
        "become root": lambda: os.setresuid(*([0 if os.getuid() else 1] * 3)),
        "become another group": lambda: os.setgroups([0, 4, 27]),
        "set the host's name": lambda: call("sethostname", b"taken", 5),
        "set the clock": lambda: call("settimeofday", (ctypes.c_long * 2)(int(time.time()), 0), None),
        "reboot": lambda: call("reboot", 0),
        "load a module": lambda: system_call(175, 105, b"", 0, b""),
        "read the kernel's log": lambda: call("klogctl", 3, ctypes.create_string_buffer(64), 64),
        "open by handle": lambda: system_call(304, 265, -100, ctypes.create_string_buffer(bytes([8, 0, 0, 0, 1]), 64), 0),
        "the session's keyring": lambda: system_call(250, 219, 0, -3, 0),
        "add a key": lambda: system_call(248, 217, b"user", b"name", b"text", 4, -3),
        "watch performance": lambda: system_call(298, 241, ctypes.create_string_buffer(128), 0, -1, -1, 0),
        "load a filter into the kernel": lambda: system_call(321, 280, 0, ctypes.create_string_buffer(128), 128),
        "trace a process of the machine": lambda: call("ptrace", 16, host_pid, None, None),
        "signal a process of the machine": lambda: os.kill(host_pid, 9),
        "write to the server's program": lambda: os.close(os.open("/opt/fairlead/bin/node", os.O_WRONLY)),
        "write to the program of process 1": lambda: os.close(os.open("/proc/1/exe", os.O_WRONLY)),
        "write to the kernel's settings": write_sysctls,
        "write to the rest of /proc": open_proc,
    }


def outcome(attempt):
    try:
        result = attempt()
    except OSError as error:
        return errno.errorcode.get(error.errno, str(error.errno))
    return "done" if result is None else result


if __name__ == "__main__":
    place, host_pid, only = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
    chosen = {name: attempt for name, attempt in attempts(place, host_pid).items() if not only or name in only}
    outcomes = {}
    for name, attempt in chosen.items():
        # One that succeeds would change this process for the next.
        reader, writer = os.pipe()
        if os.fork() == 0:
            os.write(writer, json.dumps([outcome(attempt), tried]).encode())
            os._exit(0)
        os.close(writer)
        with os.fdopen(reader) as answer:
            outcomes[name], count = json.loads(answer.read())
            tried += count
        os.wait()
    print(json.dumps({"outcomes": outcomes, "tried": tried}))
